//! Collision with obstacles (Hadap 2006, §5): places of the strand that would pass a surface before
//! the end of the step are kept out by unilateral rows, with friction on a disc, found in every
//! Newton iteration with the step's own factor.
//!
//! Of every segment two places may touch an obstacle: its tip, and where between its ends it comes
//! nearest. A segment is watched as soon as it could reach the obstacle within the step. What has passed
//! through it on its way is held by the plane where it went in, so that nothing is too thin or too
//! fast. Ours: friction opposes the slip (eq. 16 drives it), and the rows with `λ` are gone.

use drystone_base::{Mat3, Pose, Vec3, tangents};
use drystone_common::Material;
use drystone_complementarity::solvers::Bound;
use drystone_geometry::{Shape, closest_point, ray_cast};
use serde::{Deserialize, Serialize};

use crate::base::BaseFrame;
use crate::chain::{BASE, Chain};
use crate::constraint::LinkPoint;
use crate::implicit::Load;
use crate::kinematics::Link;
use crate::response::{Row, RowJacobian, Surface};
use crate::segment::{enters, is_convex, nearest, roundness};
use crate::{Error, Model, MotionPath};
use drystone_base::rotation::outer;

/// Something solid that strands do not enter.
#[derive(Clone, Debug)]
pub struct Obstacle {
    /// Unique in the model.
    pub name: String,
    /// Its solid.
    pub shape: Shape,
    /// Its motion, unless it is driven ([`State::obstacle_target`](crate::State)).
    pub path: MotionPath,
    /// Coulomb's coefficient at rest \[1\].
    pub static_friction: f64,
    /// Coulomb's coefficient while sliding \[1\].
    pub dynamic_friction: f64,
    /// Newton's coefficient, 0 (stays) to 1 (bounces back) \[1\].
    pub restitution: f64,
    /// What holds instead against strands of each material, by its index; empty if none of them counts.
    pub against: Vec<Material>,
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
            against: Vec::new(),
        }
    }

    /// Friction at rest, friction while sliding, and restitution against a strand of `material`.
    pub(crate) fn coefficients(&self, material: Option<usize>) -> [f64; 3] {
        match material.and_then(|m| self.against.get(m)) {
            Some(both) => [both.at_rest(), both.friction, both.restitution],
            None => [
                self.static_friction,
                self.dynamic_friction,
                self.restitution,
            ],
        }
    }
}

impl Model {
    /// What holds between the material called `name` and each of the model's; nothing if there is none.
    pub fn against(&self, name: &str) -> Vec<Material> {
        let known = self.materials.find(name);
        known.map_or_else(Vec::new, |m| self.materials.row(m).to_vec())
    }

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
    /// Place of the contact \[m\].
    pub place: Vec3,
    /// Away from the obstacle.
    pub normal: Vec3,
    /// Force on the strand; the obstacle receives the opposite \[N\].
    pub force: Vec3,
    /// Distance of the surfaces, negative where they overlap \[m\].
    pub gap: f64,
}

/// Poses of an obstacle at the start and at the end of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Swept {
    pub from: Pose,
    pub to: Pose,
    /// Of a rigid body that is solved with the strand: its link, and the obstacle's frame in that of the
    /// link; the end is then where the present iterate has it.
    pub body: Option<(usize, Pose)>,
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
            body: self.body,
        }
    }
}

/// A segment of the strand that might meet an obstacle, or a part of one, within the step.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    obstacle: usize,
    part: Option<usize>,
    link: usize,
    length: f64,
    radius: f64,
    friction_weight: f64,
    material: Option<usize>,
    /// Ends at the start, in the frame of the obstacle's part; and at the end of the step in the scaled world, if
    /// they moved with the obstacle.
    start: [Vec3; 2],
    stuck: [Vec3; 2],
    /// Distance of its tip from the surface at the start, and a lower bound on that of all of it \[m\].
    tip_distance: f64,
    distance: f64,
    /// Fractions of the segment between which it may touch other than with its tip.
    inner: (f64, f64),
    /// Fractions of the link between which this segment is: all of it, but for a link that is held to the obstacle.
    span: (f64, f64),
}

/// A contact of the present iterate.
#[derive(Clone, Copy, Debug)]
struct Contact {
    candidate: usize,
    point: LinkPoint,
    inner: bool,
    /// Normal and tangents, scaled world.
    axes: [Vec3; 3],
    place: Vec3,
    gap: f64,
    rows: [f64; 3],
    friction: f64,
    force: [f64; 3],
    /// Curvature of the surface there, scaled world; for contacts that push.
    surface: Option<Surface>,
}

/// Data of a contact for an impact.
pub(crate) struct Touch {
    pub obstacle: usize,
    pub point: LinkPoint,
    /// Normal and tangents, scaled world.
    pub axes: [Vec3; 3],
    /// Coefficient of friction, the strand's weight included.
    pub friction: f64,
}

/// Contacts of one strand in one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Contacts {
    candidates: Vec<Candidate>,
    active: Vec<Contact>,
    before: Vec<Contact>,
}

/// Slip below which friction is static \[m/s\].
pub(crate) const SLOW: f64 = 1e-3;
/// An overlap at the start of a step is reduced by this part \[1\], at most at this speed \[m/s\], so that nothing is
/// thrown out at once.
const LESS_OVERLAP: f64 = 0.25;
const FASTEST_OUT: f64 = 0.2;
/// Steps shorter than this part of the caller's reduce it by less, in proportion: else a micrometre that a contact finds when
/// it moves on to the next segment would be a blow \[1\].
const SHORT: f64 = 0.125;
/// Nearer to an end of a segment than this, in parts of it, the joint touches rather than the segment.
const NEAR_JOINT: f64 = 0.02;
/// As above beside the base, which does not yield.
pub(crate) const NEAR_BASE: f64 = 0.1;
/// Part of a link that is held to an obstacle, beside the place of the hold, which does not touch that obstacle: half of
/// the obstacle's smallest half extent, within these limits \[1\].
const NEAR_HOLD: (f64, f64) = (0.05, 0.25);
/// Distance from a surface, besides the radius, within which contacts are listed \[m\].
pub(crate) const MARGIN: f64 = 1e-4;

/// How an overlap at the start of a step is reduced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relief {
    /// The step \[s\].
    pub h: f64,
    /// By which part \[1\].
    part: f64,
}

impl Relief {
    /// In a step `h`, which is so large a `share` of the caller's.
    pub(crate) fn new(h: f64, share: f64) -> Self {
        let part = LESS_OVERLAP * (share / SHORT).min(1.0);
        Self { h, part }
    }

    /// What is left of `overlap`, which is below zero, at the end \[m\].
    pub(crate) fn left_of(&self, overlap: f64) -> f64 {
        overlap + (-self.part * overlap).min(FASTEST_OUT * self.h)
    }
}

/// A solid without parts, and its place in the obstacle.
fn part_of(shape: &Shape, part: Option<usize>) -> (&Shape, Pose) {
    match (shape, part) {
        (Shape::Compound(parts), Some(k)) => (&parts[k].1, parts[k].0),
        _ => (shape, Pose::IDENTITY),
    }
}

impl Contacts {
    /// Whether there are no candidates.
    pub(crate) fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Number of contacts that touch at the present iterate.
    pub(crate) fn len(&self) -> usize {
        self.active.len()
    }

    pub(crate) fn clear(&mut self) {
        self.candidates.clear();
        self.active.clear();
    }

    /// Lists the segments that might meet an obstacle. `start` and `guess` are the links at the start and as
    /// extrapolated, each with its transform to the world; contacts that `touched` at the start are taken to
    /// touch at the guess. `held` is where along a link something holds it to an obstacle \[m\].
    pub(crate) fn watch(
        &mut self,
        chain: &Chain,
        obstacles: (&[Obstacle], &[Swept]),
        touched: &[ContactForce],
        held: impl Fn(usize, usize) -> Option<f64>,
        surface: impl Fn(usize) -> (f64, f64, Option<usize>),
        (start, to_world): (&[Link], &Pose),
        (guess, frame): (&[Link], &BaseFrame),
    ) {
        self.clear();
        for (k, (obstacle, swept)) in obstacles.0.iter().zip(obstacles.1).enumerate() {
            let parts = match &obstacle.shape {
                Shape::Compound(parts) => parts.len(),
                _ => 1,
            };
            // each convex part by itself, with the box that it sweeps
            for part in 0..parts {
                let part = matches!(obstacle.shape, Shape::Compound(_)).then_some(part);
                let (shape, at) = part_of(&obstacle.shape, part);
                let (from, to) = (swept.from.then(&at), swept.to.then(&at));
                let boxes = shape.aabb(&from).union(&shape.aabb(&to));
                for j in 0..chain.len() {
                    // broad phase: the box of the obstacle grown by what the tip may move
                    let here = to_world.point(start[j].tip);
                    let there = frame.world(guess[j].tip);
                    let (mut radius, mut friction_weight, material) = surface(j);
                    let (moving, mut length) = ((there - here).length(), chain.length[j]);
                    // as far as it was going to move, twice, and half the strand: a blow further in
                    // may throw it further than it was going
                    let reach = 2.0 * moving + 0.5 * chain.reach + radius + length;
                    let near = boxes.grown(reach);
                    let far = (here.clamp(near.low, near.high) - here).length_squared() > 0.0;
                    if far || chain.embedded.contains(&[k, j]) {
                        continue;
                    }
                    // where the segment is in the obstacle's frame
                    let mut ends = [
                        from.local_point(to_world.point(start[j].origin)),
                        from.local_point(here),
                    ];
                    let mut inner = match shape {
                        // where it is flat, an end is nearest
                        Shape::HalfSpace => (1.0, 0.0),
                        _ if chain.parent[j] == BASE => (NEAR_BASE, 1.0 - NEAR_JOINT),
                        _ => (NEAR_JOINT, 1.0 - NEAR_JOINT),
                    };
                    // what is held to the obstacle touches it with its centreline, away from the hold, and slides
                    let mut span = (0.0, 1.0);
                    if let Some(at) = held(k, j) {
                        let at = at / length;
                        match beside_hold(shape, ends, at, radius) {
                            Some(found) => span = found,
                            None => continue,
                        }
                        ends = [span.0, span.1].map(|u| ends[0].lerp(ends[1], u));
                        if span.1 < 1.0 {
                            inner.1 = f64::INFINITY;
                        } else {
                            inner.0 = f64::NEG_INFINITY;
                        }
                        (radius, friction_weight) = (0.0, 0.0);
                        length *= span.1 - span.0;
                    }
                    // its distance, at least
                    let tip_distance = closest_point(shape, &Pose::IDENTITY, ends[1]).distance;
                    let mut distance = tip_distance;
                    if inner.0 < inner.1 {
                        distance = tip_distance - (ends[1] - ends[0]).length();
                        if distance < 2.0 * moving + radius + MARGIN && tip_distance > radius {
                            distance = nearest(shape, ends[0], ends[1], 1e-2).distance;
                            distance -= 1e-2 * length;
                        }
                    }
                    // warm start: contacts of the last step
                    let known = |contact: &&ContactForce| {
                        part.is_none() && contact.obstacle == k && contact.link == j
                    };
                    for contact in touched.iter().filter(known) {
                        let from_tip = (contact.place - here).length().min(chain.length[j]);
                        self.active.push(Contact {
                            candidate: self.candidates.len(),
                            point: LinkPoint {
                                link: j,
                                at: Vec3::Y * (chain.length[j] - from_tip),
                            },
                            inner: span.1 < 1.0 || from_tip > 0.5 * NEAR_JOINT * length,
                            axes: [frame.scaled(contact.force), Vec3::ZERO, Vec3::ZERO],
                            place: Vec3::ZERO,
                            gap: 0.0,
                            rows: [0.0; 3],
                            friction: 0.0,
                            force: [1.0, 0.0, 0.0],
                            surface: None,
                        });
                    }
                    self.candidates.push(Candidate {
                        obstacle: k,
                        part,
                        link: j,
                        length,
                        radius,
                        friction_weight,
                        material,
                        start: ends,
                        stuck: ends.map(|end| frame.scaled_point(to.point(end))),
                        tip_distance,
                        distance,
                        inner,
                        span,
                    });
                }
            }
        }
    }

    /// Contacts at the present iterate; forces of those that were there stay.
    pub(crate) fn detect(
        &mut self,
        obstacles: &[Obstacle],
        swept: &[Swept],
        frame: &BaseFrame,
        links: &[Link],
        relief: Relief,
    ) {
        let h = relief.h;
        let Self {
            candidates,
            active,
            before,
        } = self;
        // contacts of the iterate before, for their forces
        std::mem::swap(active, before);
        active.clear();
        // both lists are in the order of candidates, tip before inside
        let mut next = 0;
        for (c, candidate) in candidates.iter().enumerate() {
            // the contacts that this candidate had
            let link = &links[candidate.link];
            while next < before.len() && before[next].candidate < c {
                next += 1;
            }
            let known = before.get(next).is_some_and(|old| old.candidate == c);
            // how far the ends have moved against the obstacle
            let stuck = if swept[candidate.obstacle].body.is_some() {
                let (_, at) = part_of(&obstacles[candidate.obstacle].shape, candidate.part);
                let to = swept[candidate.obstacle].to.then(&at);
                candidate.start.map(|end| frame.scaled_point(to.point(end)))
            } else {
                candidate.stuck
            };
            let ends = [link.origin, link.tip];
            let ends = match candidate.span {
                (0.0, 1.0) => ends,
                (from, to) => [from, to].map(|u| ends[0].lerp(ends[1], u)),
            };
            let way = [ends[0] - stuck[0], ends[1] - stuck[1]];
            // nothing to do while it has moved less than its distance
            let close = candidate.radius + MARGIN;
            let clear = candidate.distance - close;
            let farthest = way[0].length_squared().max(way[1].length_squared());
            if clear > 0.0 && farthest < clear * clear && !known {
                continue;
            }
            let old = |inner: bool| {
                let rest = before[next..].iter();
                rest.take_while(|old| old.candidate == c)
                    .find(|old| old.inner == inner)
            };
            // the segment in the frame of the obstacle's part at the end of the step
            let (obstacle, motion) = (&obstacles[candidate.obstacle], &swept[candidate.obstacle]);
            let (shape, at) = part_of(&obstacle.shape, candidate.part);
            let to = motion.to.then(&at);
            let end = ends.map(|end| to.local_point(frame.world(end)));
            let moved = way.map(Vec3::length);
            // a contact at fraction u: normal and tangents, gap and slip, friction, and the force it had
            let mut contact = |inner: bool, found: Found, start: f64| {
                let Found {
                    u,
                    normal,
                    gap,
                    entered,
                } = found;
                let old = old(inner);
                if gap > close && old.is_none_or(|old| old.force[0] == 0.0) {
                    return;
                }
                let point = LinkPoint {
                    link: candidate.link,
                    at: Vec3::Y * candidate.along(u),
                };
                let overlap = (start - candidate.radius).min(0.0);
                let left = relief.left_of(overlap);
                let local = normal;
                let normal = frame.scaled(to.direction(local));
                let (t1, t2) = tangents(normal);
                let slid = way[0].lerp(way[1], u);
                let slip = [t1.dot(slid), t2.dot(slid)];
                let slow = slip[0] * slip[0] + slip[1] * slip[1] < SLOW * SLOW * h * h;
                let [at_rest, sliding, _] = obstacle.coefficients(candidate.material);
                let friction = if slow { at_rest } else { sliding };
                let force = old.map_or([0.0; 3], |old| {
                    // the same force in the axes of now
                    let sum = old.sum();
                    [normal.dot(sum).max(0.0), t1.dot(sum), t2.dot(sum)]
                });
                // how the surface curves under a contact that pushes
                let mut surface = None;
                if !entered && force[0] > 0.0 {
                    let bent = Bent {
                        shape,
                        ends: end,
                        u,
                        inner: inner && u > 0.0 && u < 1.0,
                        normal: local,
                    };
                    surface = Some(bent.surface(|v| frame.scaled(to.direction(v))));
                }
                active.push(Contact {
                    candidate: c,
                    point,
                    inner,
                    axes: [normal, t1, t2],
                    place: point.place(links),
                    gap,
                    rows: [gap - left, slip[0], slip[1]],
                    friction: friction * candidate.friction_weight,
                    force,
                    surface,
                });
            };
            // the tip, then the nearest place between the ends
            let with_tip = candidate.span.1 == 1.0;
            if with_tip
                && (moved[1] >= candidate.tip_distance - close || known)
                && let Some(found) = surface(shape, candidate, end[1], moved[1])
            {
                contact(false, found, candidate.tip_distance);
            }
            let (low, high) = candidate.inner;
            if low < high
                && let Some(mut found) = inside(shape, candidate, end, moved)
            {
                let between = found.u > low && found.u < high || found.entered;
                if !between {
                    // on a round surface what pushes stays until it no longer does: places that come and go with the
                    // slightest turn would keep Newton from converging
                    let round = matches!(shape, Shape::Sphere { .. } | Shape::Capsule { .. });
                    let Some(old) = old(true).filter(|old| round && old.force[0] > 0.0) else {
                        continue;
                    };
                    let place = place_at(shape, end, found.u.clamp(low, high), candidate.radius);
                    let same_side = |place: &Found| {
                        let normal = frame.scaled(to.direction(place.normal));
                        normal.dot(old.axes[0]) > SAME_SIDE
                    };
                    match place.filter(same_side) {
                        Some(place) => found = place,
                        None => continue,
                    }
                }
                let start = candidate.start[0].lerp(candidate.start[1], found.u);
                let start = closest_point(shape, &Pose::IDENTITY, start).distance;
                contact(true, found, start);
            }
        }
    }

    /// Three rows for every contact, after those already there, of a strand whose links begin at `first`.
    pub(crate) fn rows(&self, first: usize, rows: &mut Vec<Row>) {
        for contact in &self.active {
            let (normal, friction) = (rows.len(), contact.friction);
            let point = contact.point.shifted(first);
            for k in 0..3 {
                rows.push(Row {
                    jacobian: RowJacobian::Points(point, None),
                    direction: contact.axes[k],
                    gap: contact.rows[k],
                    force: contact.force[k],
                    bound: if k == 0 {
                        Bound::Unilateral
                    } else {
                        Bound::Disc { normal, friction }
                    },
                    surface: contact.surface,
                    beside: None,
                    group: usize::MAX,
                });
            }
        }
    }

    /// Obstacle of each contact, in the order of its rows.
    pub(crate) fn obstacles(&self) -> impl Iterator<Item = usize> + '_ {
        let of = |contact: &Contact| self.candidates[contact.candidate].obstacle;
        self.active.iter().map(of)
    }

    /// Adds the forces of now to the loads of the links.
    pub(crate) fn add_loads(&self, loads: &mut [Load]) {
        for contact in &self.active {
            let (force, load) = (contact.sum(), &mut loads[contact.point.link]);
            load.acts = true;
            load.force += force;
            load.points += outer(force, contact.point.at);
        }
    }

    /// Takes over the multipliers of its rows.
    pub(crate) fn take_forces(&mut self, rows: &[Row]) {
        for (contact, rows) in self.active.iter_mut().zip(rows.chunks_exact(3)) {
            contact.force = [rows[0].force, rows[1].force, rows[2].force];
        }
    }

    /// Writes the contacts that touch, in the world.
    pub(crate) fn forces(&self, frame: &BaseFrame, out: &mut Vec<ContactForce>) {
        out.clear();
        for contact in self.active.iter().filter(|contact| contact.force[0] > 0.0) {
            let candidate = &self.candidates[contact.candidate];
            out.push(ContactForce {
                obstacle: candidate.obstacle,
                link: candidate.link,
                place: frame.world(contact.place),
                normal: frame.world_direction(contact.axes[0]),
                force: frame.world_direction(contact.sum()),
                gap: contact.gap,
            });
        }
    }

    /// The contacts that push, for an impact.
    pub(crate) fn touching(&self) -> impl Iterator<Item = Touch> + '_ {
        let pushing = self.active.iter().filter(|contact| contact.force[0] > 0.0);
        pushing.map(|contact| Touch {
            obstacle: self.candidates[contact.candidate].obstacle,
            point: contact.point,
            axes: contact.axes,
            friction: contact.friction,
        })
    }
}

impl Candidate {
    /// How far along its link the fraction `u` of the segment is \[m\].
    fn along(&self, u: f64) -> f64 {
        let (from, to) = self.span;
        match self.span {
            (0.0, 1.0) => self.length * u,
            _ => self.length * (from / (to - from) + u),
        }
    }
}

impl Contact {
    /// Force of the contact, scaled world \[N\].
    fn sum(&self) -> Vec3 {
        let parts = self.axes.iter().zip(self.force);
        parts.map(|(axis, f)| *axis * f).sum()
    }
}

/// A contact on a surface that may bend, in the solid's frame.
struct Bent<'a> {
    shape: &'a Shape,
    ends: [Vec3; 2],
    u: f64,
    inner: bool,
    normal: Vec3,
}

impl Bent<'_> {
    /// Curvature of the surface there: exact for balls, capsules and planes; of others an edge counts as
    /// lying across the segment, and a tip as touching a plane. `scaled` takes directions to the scaled world.
    fn surface(&self, scaled: impl Fn(Vec3) -> Vec3) -> Surface {
        let [a, b] = self.ends;
        let (x, n) = (a.lerp(b, self.u), self.normal);
        // centre of curvature of what is round: a ball, or the cylinder about an axis
        let (centre, line) = match self.shape {
            Shape::Sphere { .. } => (Some(Vec3::ZERO), false),
            Shape::Capsule { half_length, .. } => {
                let y = x.y.clamp(-half_length, *half_length);
                (Some(Vec3::Y * y), y == x.y)
            }
            _ => (None, false),
        };
        let curvature = centre.map_or(0.0, |centre| 1.0 / (x - centre).length().max(1e-9));
        let n_scaled = scaled(n);
        if !self.inner {
            let around = if line {
                let c = scaled(n.cross(Vec3::Y));
                outer(c, c)
            } else {
                Mat3::IDENTITY - outer(n_scaled, n_scaled)
            };
            return Surface {
                normal: n_scaled,
                across: around * curvature,
                along: Vec3::ZERO,
                sliding: Vec3::ZERO,
                axis: Vec3::ZERO,
                rolling: 0.0,
            };
        }
        let y = (b - a).normalize_or(Vec3::Y);
        let axis = y.cross(n);
        // over a cylinder, or an edge, only what is across it matters
        let (mut across, mut sliding) = (Mat3::ZERO, y);
        if line && axis.y.abs() > 0.05 {
            sliding = y - axis * (y.y / axis.y);
        } else if !line {
            let axis = scaled(axis);
            across = outer(axis, axis) * curvature;
        }
        Surface {
            normal: n_scaled,
            across,
            along: scaled(y),
            sliding: scaled(sliding),
            axis: scaled(axis),
            rolling: roundness(self.shape, a, b, self.u),
        }
    }
}

/// A place of a segment and the surface that concerns it, in the solid's frame.
struct Found {
    /// Fraction of the segment \[1\].
    u: f64,
    normal: Vec3,
    gap: f64,
    /// Whether it has passed the surface within the step.
    entered: bool,
}

/// Two normals that differ by less are of the same side, as the cosine of their angle \[1\].
const SAME_SIDE: f64 = 0.5;

/// The surface that concerns a tip now at `end`.
fn surface(shape: &Shape, candidate: &Candidate, end: Vec3, moved: f64) -> Option<Found> {
    let start = candidate.start[1];
    let way = end - start;
    let near = closest_point(shape, &Pose::IDENTITY, end);
    let out = (end - near.point) * if near.distance < 0.0 { -1.0 } else { 1.0 };
    let normal = out.try_normalize();
    // what was before the plane that it is before now has not been through a convex solid
    let before = |n: Vec3| near.distance > 0.0 && n.dot(start - near.point) > 0.0;
    let passed = candidate.tip_distance > 0.0 && moved >= candidate.tip_distance;
    if passed && !(is_convex(shape) && normal.is_some_and(before)) {
        // through the surface: held where it went in, unless it is still there
        let hit = ray_cast(shape, &Pose::IDENTITY, start, way, moved);
        let other = |n: Vec3| hit.is_some_and(|hit| hit.normal.dot(n) < SAME_SIDE);
        if let Some(hit) = hit.filter(|_| normal.is_none_or(other)) {
            return Some(Found {
                u: 1.0,
                normal: hit.normal,
                gap: hit.normal.dot(end - hit.point) - candidate.radius,
                entered: true,
            });
        }
    }
    Some(Found {
        u: 1.0,
        normal: normal.or_else(|| (-way).try_normalize())?,
        gap: near.distance - candidate.radius,
        entered: false,
    })
}

/// The segment's place at the fraction `u`, whether it is the nearest or not.
fn place_at(shape: &Shape, end: [Vec3; 2], u: f64, radius: f64) -> Option<Found> {
    let x = end[0].lerp(end[1], u);
    let near = closest_point(shape, &Pose::IDENTITY, x);
    let out = (x - near.point) * if near.distance < 0.0 { -1.0 } else { 1.0 };
    Some(Found {
        u,
        normal: out.try_normalize()?,
        gap: near.distance - radius,
        entered: false,
    })
}

/// Which part of a link with these `ends`, held at the fraction `at` to the solid, may touch it. None where the place of
/// the hold lies within the solid, or the link goes through it already.
fn beside_hold(shape: &Shape, ends: [Vec3; 2], at: f64, radius: f64) -> Option<(f64, f64)> {
    let buried = |x: Vec3| closest_point(shape, &Pose::IDENTITY, x).distance < -radius;
    if buried(ends[0].lerp(ends[1], at)) || matches!(shape, Shape::HalfSpace) {
        return None;
    }
    let box_ = shape.aabb(&Pose::IDENTITY);
    let half = 0.25 * (box_.high - box_.low).min_element();
    let apart = (half / (ends[1] - ends[0]).length()).clamp(NEAR_HOLD.0, NEAR_HOLD.1);
    let span = if at > 0.5 {
        (0.0, at - apart)
    } else {
        (at + apart, 1.0)
    };
    let [a, b] = [span.0, span.1].map(|u| ends[0].lerp(ends[1], u));
    (nearest(shape, a, b, 1e-2).distance >= -radius).then_some(span)
}

/// As above, for the place between the ends that is nearest or entered first.
fn inside(shape: &Shape, candidate: &Candidate, end: [Vec3; 2], moved: [f64; 2]) -> Option<Found> {
    let fine = (0.1 * candidate.radius / candidate.length).clamp(1e-4, 1e-2);
    let near = nearest(shape, end[0], end[1], fine);
    let before = |x: Vec3| near.normal.dot(x - near.point) > 0.0;
    let still = is_convex(shape) && near.distance > 0.0 && candidate.start.into_iter().all(before);
    if !still && moved[0].max(moved[1]) >= candidate.distance.max(0.0) {
        let tolerance = (0.05 * candidate.radius).max(1e-6 * candidate.length);
        if let Some(hit) = enters(shape, candidate.start, end, tolerance)
            && hit.normal.dot(near.normal) < SAME_SIDE
        {
            let x = end[0].lerp(end[1], hit.u);
            return Some(Found {
                u: hit.u,
                normal: hit.normal,
                gap: hit.normal.dot(x - hit.point) - candidate.radius,
                entered: true,
            });
        }
    }
    let sound = near.normal != Vec3::ZERO && near.distance.is_finite();
    sound.then_some(Found {
        u: near.u,
        normal: near.normal,
        gap: near.distance - candidate.radius,
        entered: false,
    })
}
