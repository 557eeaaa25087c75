//! Collision with obstacles (Hadap 2006, §5): points of the strand that would pass a surface before
//! the end of the step are kept out by unilateral rows, with friction on a disc, found in every
//! Newton iteration with the step's own factor.
//!
//! A point is watched as soon as it could reach the obstacle within the step. One that has passed
//! through it on its way is held by the plane where it went in, so that nothing is too thin or too
//! fast. Ours: friction opposes the slip (eq. 16 drives it), and the rows with `λ` are gone.

use drystone_base::{Pose, Vec3, tangents};
use drystone_complementarity::solvers::Row as Bound;
use drystone_geometry::{Shape, closest_point, ray_cast};
use serde::{Deserialize, Serialize};

use crate::base::Frame;
use crate::chain::Chain;
use crate::constraint::Spot;
use crate::kinematics::Link;
use crate::response::{Handle, Row};
use crate::{Error, Model, MotionPath};

/// Something solid that strands do not enter.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Unique in the model.
    pub name: String,
    /// Its solid.
    pub shape: Shape,
    /// How it moves, unless it is driven ([`State::obstacle_target`](crate::State)).
    pub path: MotionPath,
    /// Coulomb's coefficient at rest [1].
    pub static_friction: f64,
    /// Coulomb's coefficient while sliding [1].
    pub dynamic_friction: f64,
    /// Newton's coefficient, 0 (stays) to 1 (bounces back) [1].
    pub restitution: f64,
}

impl Obstacle {
    /// Fixed in `pose`, with friction 0.3 and no bounce.
    pub fn fixed(name: impl Into<String>, shape: Shape, pose: Pose) -> Self {
        Self {
            name: name.into(),
            shape,
            path: MotionPath::fixed(pose),
            static_friction: 0.3,
            dynamic_friction: 0.3,
            restitution: 0.0,
        }
    }
}

impl Model {
    /// Adds an obstacle; its index is returned.
    pub fn add_obstacle(&mut self, obstacle: Obstacle) -> Result<usize, Error> {
        let fault = |what: &str, found: String, wanted| {
            Err(Error::Obstacle {
                obstacle: obstacle.name.clone(),
                what: what.into(),
                found,
                wanted,
            })
        };
        if self
            .obstacles
            .iter()
            .any(|other| other.name == obstacle.name)
        {
            return fault("the name", "used twice".into(), "a name of its own");
        }
        for (what, value, most) in [
            ("static friction", obstacle.static_friction, 1e3),
            ("dynamic friction", obstacle.dynamic_friction, 1e3),
            ("restitution", obstacle.restitution, 1.0),
        ] {
            if !(0.0..=most).contains(&value) {
                return fault(
                    what,
                    value.to_string(),
                    "zero or more, of restitution at most one",
                );
            }
        }
        self.obstacles.push(obstacle);
        Ok(self.obstacles.len() - 1)
    }
}

/// A contact at the end of a step, in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactForce {
    /// Index of the obstacle.
    pub obstacle: usize,
    /// Index of the link.
    pub link: usize,
    /// Where [m].
    pub place: Vec3,
    /// Away from the obstacle.
    pub normal: Vec3,
    /// On the strand; the obstacle feels the opposite [N].
    pub force: Vec3,
    /// Distance of the surfaces, negative where they overlap [m].
    pub gap: f64,
}

/// Where an obstacle is at the start and at the end of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swept {
    pub from: Pose,
    pub to: Pose,
}

impl Swept {
    /// The part of the motion between two fractions of the step.
    pub(crate) fn part(&self, start: f64, end: f64) -> Self {
        let at = |u: f64| {
            let turn = self.from.rotation.slerp(self.to.rotation, u);
            Pose::new(self.from.position.lerp(self.to.position, u), turn)
        };
        if self.from == self.to {
            return *self;
        }
        Self {
            from: at(start),
            to: at(end),
        }
    }
}

/// A point of the strand that might meet an obstacle within the step.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    obstacle: usize,
    spot: Spot,
    radius: f64,
    friction_weight: f64,
    /// In the obstacle's frame at the start, and how far from its surface it is then.
    start: Vec3,
    distance: f64,
}

/// A contact of the present iterate.
#[derive(Clone, Copy, Debug)]
struct Contact {
    candidate: usize,
    /// Felt world.
    axes: [Vec3; 3],
    place: Vec3,
    gap: f64,
    rows: [f64; 3],
    friction: f64,
    force: [f64; 3],
}

/// Contacts of one strand in one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    candidates: Vec<Candidate>,
    active: Vec<Contact>,
    before: Vec<Contact>,
}

/// Slip below which friction is static [m/s].
const SLOW: f64 = 1e-3;
/// Part of an overlap at the start that goes in a step, and the fastest it goes [m/s]: what begins
/// inside is not thrown out at once.
const LESS_OVERLAP: f64 = 0.25;
const FASTEST_OUT: f64 = 0.2;

impl Contacts {
    /// Whether anything may be met.
    pub(crate) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.candidates.clear();
        self.active.clear();
    }

    /// Lists the points that might meet an obstacle: `start` and `guess` are the links at the start
    /// and as extrapolated, `frames` the ways to the world there.
    pub(crate) fn watch(
        &mut self,
        chain: &Chain,
        obstacles: (&[Obstacle], &[Swept]),
        radius: impl Fn(usize) -> (f64, f64),
        (start, to_world): (&[Link], &Pose),
        (guess, frame): (&[Link], &Frame),
    ) {
        self.clear();
        for (k, (obstacle, swept)) in obstacles.0.iter().zip(obstacles.1).enumerate() {
            let boxes = obstacle
                .shape
                .aabb(&swept.from)
                .union(&obstacle.shape.aabb(&swept.to));
            for j in 0..chain.len() {
                let spot = Spot {
                    link: j,
                    at: Vec3::Y * chain.length[j],
                };
                let (radius, friction_weight) = radius(j);
                let here = to_world.point(spot.place(start));
                let there = frame.world(spot.place(guess));
                // as far as it was going to move, twice, and half the strand: a blow further in may
                // throw it further than it was going
                let reach = 2.0 * (there - here).length() + 0.5 * chain.reach + radius;
                let near = boxes.grown(reach);
                if (here.clamp(near.low, near.high) - here).length_squared() > 0.0 {
                    continue;
                }
                let local = swept.from.local_point(here);
                let found = closest_point(&obstacle.shape, &Pose::IDENTITY, local);
                self.candidates.push(Candidate {
                    obstacle: k,
                    spot,
                    radius,
                    friction_weight,
                    start: local,
                    distance: found.distance,
                });
            }
        }
    }

    /// Contacts at the present iterate; forces of those that were there stay.
    pub(crate) fn detect(
        &mut self,
        obstacles: &[Obstacle],
        swept: &[Swept],
        frame: &Frame,
        links: &[Link],
        h: f64,
    ) {
        std::mem::swap(&mut self.active, &mut self.before);
        self.active.clear();
        for (c, candidate) in self.candidates.iter().enumerate() {
            let (obstacle, motion) = (&obstacles[candidate.obstacle], &swept[candidate.obstacle]);
            let felt_place = candidate.spot.place(links);
            let end = motion.to.local_point(frame.world(felt_place));
            let moved = (end - candidate.start).length();
            let margin = candidate.radius + 1e-4;
            let old = self.before.iter().find(|old| old.candidate == c);
            if moved < candidate.distance - candidate.radius - margin && old.is_none() {
                continue;
            }
            let Some((normal, gap)) = surface(&obstacle.shape, candidate, end) else {
                continue;
            };
            if gap > margin && old.is_none_or(|old| old.force[0] == 0.0) {
                continue;
            }
            let overlap = (candidate.distance - candidate.radius).min(0.0);
            let left = overlap + (-LESS_OVERLAP * overlap).min(FASTEST_OUT * h);
            let normal = frame.felt(motion.to.direction(normal));
            let (t1, t2) = tangents(normal);
            // where it would be, had it stuck to the obstacle
            let stuck = frame.felt(motion.to.direction(end - candidate.start));
            let slip = [t1.dot(stuck), t2.dot(stuck)];
            let slow = slip[0].hypot(slip[1]) < SLOW * h;
            let friction = if slow {
                obstacle.static_friction
            } else {
                obstacle.dynamic_friction
            };
            let force = old.map_or([0.0; 3], |old| {
                // the same force in the axes of now
                let sum: Vec3 = old
                    .axes
                    .iter()
                    .zip(old.force)
                    .map(|(axis, f)| *axis * f)
                    .sum();
                [normal.dot(sum).max(0.0), t1.dot(sum), t2.dot(sum)]
            });
            self.active.push(Contact {
                candidate: c,
                axes: [normal, t1, t2],
                place: felt_place,
                gap,
                rows: [gap - left, slip[0], slip[1]],
                friction: friction * candidate.friction_weight,
                force,
            });
        }
    }

    /// Three rows for every contact, after those already there.
    pub(crate) fn rows(&self, rows: &mut Vec<Row>) {
        for contact in &self.active {
            let (normal, spot) = (rows.len(), self.candidates[contact.candidate].spot);
            for k in 0..3 {
                let friction = contact.friction;
                rows.push(Row {
                    handle: Handle::Points(spot, None),
                    direction: contact.axes[k],
                    gap: contact.rows[k],
                    force: contact.force[k],
                    bound: if k == 0 {
                        Bound::Unilateral
                    } else {
                        Bound::Disc { normal, friction }
                    },
                    group: usize::MAX,
                });
            }
        }
    }

    /// Takes the forces found for the rows from `first` on.
    pub(crate) fn take_forces(&mut self, rows: &[Row]) {
        for (contact, rows) in self.active.iter_mut().zip(rows.chunks_exact(3)) {
            contact.force = [rows[0].force, rows[1].force, rows[2].force];
        }
    }

    /// What touches, in the world.
    pub(crate) fn forces(&self, frame: &Frame, out: &mut Vec<ContactForce>) {
        out.clear();
        for contact in self.active.iter().filter(|contact| contact.force[0] > 0.0) {
            let force: Vec3 = contact
                .axes
                .iter()
                .zip(contact.force)
                .map(|(axis, f)| *axis * f)
                .sum();
            let candidate = &self.candidates[contact.candidate];
            out.push(ContactForce {
                obstacle: candidate.obstacle,
                link: candidate.spot.link,
                place: frame.world(contact.place),
                normal: frame.world_direction(contact.axes[0]),
                force: frame.world_direction(force),
                gap: contact.gap,
            });
        }
    }

    /// Rows of the contacts that touch, for an impact: the obstacle of each, its row, and where the
    /// obstacle's surface comes from.
    pub(crate) fn touching(&self) -> impl Iterator<Item = (usize, Spot, Vec3)> + '_ {
        let pushing = self.active.iter().filter(|contact| contact.force[0] > 0.0);
        pushing.map(|contact| {
            let candidate = &self.candidates[contact.candidate];
            (candidate.obstacle, candidate.spot, contact.axes[0])
        })
    }
}

/// Normal of the obstacle's surface that concerns a point now at `end`, and its gap; in the
/// obstacle's frame.
fn surface(shape: &Shape, candidate: &Candidate, end: Vec3) -> Option<(Vec3, f64)> {
    let way = end - candidate.start;
    if candidate.distance > 0.0 {
        // through the surface: held where it went in
        let hit = ray_cast(shape, &Pose::IDENTITY, candidate.start, way, way.length());
        if let Some(hit) = hit {
            return Some((
                hit.normal,
                hit.normal.dot(end - hit.point) - candidate.radius,
            ));
        }
    }
    let found = closest_point(shape, &Pose::IDENTITY, end);
    let out = (end - found.point) * if found.distance < 0.0 { -1.0 } else { 1.0 };
    let normal = out.try_normalize().or_else(|| (-way).try_normalize())?;
    Some((normal, found.distance - candidate.radius))
}
