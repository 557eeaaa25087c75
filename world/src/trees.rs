//! Bodies in trees of strands, as cloth meets them.
//!
//! Strands and bodies have taken their step when cloth follows. A body that carries strands, hangs from them or is held
//! by them answers cloth with what its tree leaves it, all bodies of a tree together
//! (`drystone_strand::System::tree_response`); what they have received is handed on to all links of the tree at
//! the end of the step. What cloth pressed on them lately is foretold to their next step, like what contacts hold
//! back, and taken out of it again.

use drystone_base::{Pose, Vec3};
use drystone_cloth::{Answer, LinkedBodies};
use drystone_geometry::Aabb;
use drystone_rigid as rigid;
use drystone_strand::{BodyImpulse, BodyMotion};

use crate::strands::Strands;

/// Cloth nearer to a body than this many times the size of it may meet it \[1\].
const NEAR: f64 = 0.5;
/// Share of the last step in what is foretold to the next: of no more than what the cloth pressed in it, and of what was
/// foretold to it. Half of each settles at once, whatever the body answers \[1\].
const LATELY: f64 = 0.5;

/// Bodies that are solved as one with strands.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Indices among the bodies of the strand system.
    pub links: Vec<usize>,
    /// Obstacle of each, if cloth meets it.
    pub obstacles: Vec<Option<usize>>,
}

impl Strands {
    /// Trees of which a body is one that `concerns` says yes to; `obstacle` says which obstacle a body is.
    pub(crate) fn trees(
        &self,
        obstacle: impl Fn(usize) -> Option<usize>,
        concerns: impl Fn(usize) -> bool,
    ) -> Vec<Tree> {
        let count = match self.behind {
            true => 0,
            false => self.system.model.bodies.len(),
        };
        let mut seen = vec![false; count];
        let mut trees = Vec::new();
        for k in 0..count {
            let links = self.system.tree_of(k);
            if seen[k] || links.is_empty() {
                continue;
            }
            links.iter().for_each(|k| seen[*k] = true);
            if links.iter().any(|k| concerns(*k)) {
                trees.push(Tree {
                    obstacles: links.iter().map(|k| obstacle(*k)).collect(),
                    links: links.to_vec(),
                });
            }
        }
        trees
    }

    /// How the bodies of a tree that cloth meets answer it within a step of `dt`; none if there are none.
    pub(crate) fn linked(&mut self, tree: &Tree, dt: f64) -> Option<LinkedBodies> {
        let response = self.system.tree_response(*tree.links.first()?, dt)?;
        let chosen: Vec<usize> = (0..tree.links.len())
            .filter(|k| tree.obstacles[*k].is_some())
            .collect();
        let n = 6 * tree.links.len();
        let mut matrix = Vec::with_capacity(36 * chosen.len() * chosen.len());
        for a in chosen.iter().flat_map(|a| 6 * a..6 * a + 6) {
            for b in &chosen {
                matrix.extend_from_slice(&response.matrix[a * n + 6 * b..][..6]);
            }
        }
        let gathered = |k: &usize| {
            let (before, now) = (
                &self.begun[tree.links[*k]],
                self.system.body(tree.links[*k]),
            );
            [
                now.linear_velocity - before.linear_velocity,
                now.angular_velocity - before.angular_velocity,
            ]
        };
        Some(LinkedBodies {
            obstacles: tree.obstacles.iter().copied().flatten().collect(),
            response: matrix,
            gathered: chosen.iter().map(gathered).collect(),
        })
    }

    /// Hands on to a tree what its bodies have received from cloth in a step of `dt`. False if that is nothing.
    pub(crate) fn hand_on(
        &mut self,
        tree: &Tree,
        answer: impl Fn(usize) -> Option<Answer>,
        dt: f64,
    ) -> bool {
        let mut any = false;
        let received = tree.links.iter().zip(&tree.obstacles);
        let received: Vec<BodyImpulse> = received
            .map(|(link, obstacle)| {
                let answer = obstacle.and_then(&answer);
                let [impulse, moved] = answer.and_then(|a| a.shared).unwrap_or_default();
                any |= [impulse, moved].iter().flatten().any(|v| *v != Vec3::ZERO);
                BodyImpulse {
                    body: *link,
                    impulse,
                    moved,
                    pose: answer.map(|a| Pose::new(a.centre, a.pose.rotation)),
                }
            })
            .collect();
        if any {
            self.system.take_impulses(&received, dt);
        }
        any
    }

    /// Notes how all bodies move before they step.
    pub(crate) fn begin_step(&mut self) {
        let count = self.system.model.bodies.len();
        let (begun, system) = (&mut self.begun, &self.system);
        begun.clear();
        begun.extend((0..count).map(|k| system.body(k)));
    }
}

/// Whether a body of the rigid system may meet cloth within `bounds` in its step.
pub(crate) fn is_near(
    rigid: &rigid::System,
    body: usize,
    before: &BodyMotion,
    bounds: &Aabb,
) -> bool {
    let (state, model) = (&rigid.state, &rigid.model);
    let solid = model.shape[body].aabb(&state.shape_pose(model, body));
    let moved = (state.position[body] - before.pose.position).length();
    let size = (solid.high - solid.low).length();
    solid.grown(NEAR * size + 2.0 * moved).overlaps(bounds)
}

/// What is foretold to the next step of a body, to which `load` was foretold and which has received `impulse`.
pub(crate) fn lately(load: [Vec3; 2], impulse: [Vec3; 2]) -> [Vec3; 2] {
    [0, 1].map(|part| load[part] * (1.0 - LATELY) + impulse[part] * LATELY)
}
