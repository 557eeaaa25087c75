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
use drystone_strand::{BodyImpulse, BodyMotion, SegmentImpulse, TreeMembers};

use crate::strands::Strands;
use crate::touch::Line;

/// Cloth nearer to a body than this many times the size of it may meet it \[1\].
const NEAR: f64 = 0.5;
/// Share of the last step in what is foretold to the next: of no more than what the cloth pressed in it, and of what was
/// foretold to it. Half of each settles at once, whatever the body answers \[1\].
const LATELY: f64 = 0.5;

/// Bodies, and segments that cloth may meet, that are solved as one with strands.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// Indices in the strand system.
    pub members: TreeMembers,
    /// Obstacle of each body, if cloth meets it.
    pub obstacles: Vec<Option<usize>>,
    /// Obstacle of each segment, and its number among those that may touch cloth.
    pub lines: Vec<(usize, usize)>,
}

impl Strands {
    /// Trees with a segment near cloth, or a body that `concerns` says yes to; `obstacle` says which obstacle a body
    /// is, and `lines` are those of the segments.
    pub(crate) fn trees(
        &self,
        obstacle: impl Fn(usize) -> Option<usize>,
        concerns: impl Fn(usize) -> bool,
        lines: &[Line],
    ) -> Vec<Tree> {
        if self.behind {
            return Vec::new();
        }
        let line = |segment| {
            let number = self.touchable_number(segment)?;
            Some((lines.get(number)?.obstacle, number))
        };
        let concerned = |members: &TreeMembers| {
            !members.segments.is_empty() || members.bodies.iter().any(|k| concerns(*k))
        };
        let trees = self.system.trees().filter(concerned);
        let tree = |members: TreeMembers| Tree {
            obstacles: members.bodies.iter().map(|k| obstacle(*k)).collect(),
            lines: members.segments.iter().filter_map(|s| line(*s)).collect(),
            members,
        };
        trees.map(tree).collect()
    }

    /// How the bodies and segments of a tree that cloth meets answer it within a step of `dt`; none if there are none.
    pub(crate) fn linked(&mut self, tree: &Tree, dt: f64) -> Option<LinkedBodies> {
        let response = self.system.tree_response(&tree.members, dt)?;
        let bodies = tree.members.bodies.len();
        let segments = bodies..bodies + tree.members.segments.len();
        let chosen: Vec<usize> = (0..bodies)
            .filter(|k| tree.obstacles[*k].is_some())
            .chain(segments)
            .collect();
        let n = 6 * (bodies + tree.members.segments.len());
        let mut matrix = Vec::with_capacity(36 * chosen.len() * chosen.len());
        for a in chosen.iter().flat_map(|a| 6 * a..6 * a + 6) {
            for b in &chosen {
                matrix.extend_from_slice(&response.matrix[a * n + 6 * b..][..6]);
            }
        }
        let gathered = |k: &usize| {
            if let Some(segment) = k.checked_sub(bodies) {
                return self.gathered_by(tree.lines[segment].1);
            }
            let link = tree.members.bodies[*k];
            let (before, now) = (&self.begun[link], self.system.body(link));
            [
                now.linear_velocity - before.linear_velocity,
                now.angular_velocity - before.angular_velocity,
            ]
        };
        let lines = tree.lines.iter().map(|(obstacle, _)| *obstacle);
        Some(LinkedBodies {
            obstacles: tree
                .obstacles
                .iter()
                .copied()
                .flatten()
                .chain(lines)
                .collect(),
            response: matrix,
            gathered: chosen.iter().map(gathered).collect(),
        })
    }

    /// Hands on to a tree what its bodies and segments have received from cloth in a step of `dt`. False if that is nothing.
    pub(crate) fn hand_on(
        &mut self,
        tree: &Tree,
        answer: impl Fn(usize) -> Option<Answer>,
        dt: f64,
    ) -> bool {
        let mut any = false;
        let mut shared = |answer: Option<Answer>| {
            let [impulse, moved] = answer.and_then(|a| a.shared).unwrap_or_default();
            any |= [impulse, moved].iter().flatten().any(|v| *v != Vec3::ZERO);
            (impulse, moved)
        };
        let bodies = tree.members.bodies.iter().zip(&tree.obstacles);
        let received: Vec<BodyImpulse> = bodies
            .map(|(link, obstacle)| {
                let answer = obstacle.and_then(&answer);
                let (impulse, moved) = shared(answer);
                BodyImpulse {
                    body: *link,
                    impulse,
                    moved,
                    pose: answer.map(|a| Pose::new(a.centre, a.pose.rotation)),
                }
            })
            .collect();
        let segments = tree.members.segments.iter().zip(&tree.lines);
        let pushed: Vec<SegmentImpulse> = segments
            .map(|(segment, (obstacle, _))| {
                let (impulse, moved) = shared(answer(*obstacle));
                SegmentImpulse {
                    segment: *segment,
                    impulse,
                    moved,
                }
            })
            .collect();
        if any {
            self.system.take_impulses(&received, &pushed, dt);
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
