//! Contact of strands with each other and with themselves: segments are capsules that do not enter each other.
//!
//! Ours: Hadap 2006 leaves contact between strands to a continuum. That stands for the volume of hair; ropes, braids,
//! knots and coils need contact. Strands that may touch are one group (`group.rs`), in which a contact is three rows
//! between two links, beside those of constraints and obstacles.
//!
//! A box tree over the boxes that segments sweep finds the pairs; boxes grow when an iterate leaves them, so that no pair
//! is missed. A pair whose segments come nearer than half their radii on the straight way from the start of the step
//! to the iterate is held by the plane of that moment: nothing passes through, however fast. Forces act on both sides
//! in the same place on the surface, so that linear and angular momentum are kept.

use std::f64::consts::FRAC_PI_2;

use drystone_base::{Pose, Quat, Vec3, tangents};
use drystone_common::Material;
use drystone_complementarity::solvers::Bound;
use drystone_geometry::{Aabb, BoxTree};
use serde::{Deserialize, Serialize};

use crate::base::BaseFrame;
use crate::chain::{BASE, Chain};
use crate::constraint::{Anchor, LinkPoint};
use crate::contact::{MARGIN, Relief, SLOW};
use crate::kinematics::Link;
use crate::near::{Nearest, Pair, meet, nearest};
use crate::response::{Row, RowJacobian};
use crate::step::{Member, Step, StepInput};

/// A contact between two segments at the end of a step, in the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StrandContact {
    /// Index of the link of the strand that keeps this contact.
    pub link: usize,
    /// Index of the other strand, or of the same.
    pub other_strand: usize,
    /// Index of its link.
    pub other_link: usize,
    /// Where \[m\].
    pub place: Vec3,
    /// Away from the other link.
    pub normal: Vec3,
    /// On the link; the other feels the opposite \[N\].
    pub force: Vec3,
    /// Distance of the surfaces, negative where they overlap \[m\].
    pub gap: f64,
}

/// A link that may touch others, and where it is at the start of the step in the true world.
#[derive(Clone, Copy, Debug)]
struct Watched {
    member: usize,
    /// Index in its own chain, and among all links of the group.
    own: usize,
    link: usize,
    start: [Vec3; 2],
    rotation_t0: Quat,
    radius: f64,
    friction_weight: f64,
    material: Option<usize>,
}

/// Two watched links that might touch before the end of the step.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Indices among those watched.
    pair: [usize; 2],
    /// Sum of the radii, and distance of the centrelines at the start \[m\].
    radius: f64,
    distance: f64,
    /// Coulomb's coefficients at rest and while sliding \[1\].
    friction: [f64; 2],
}

/// A place in which a link is held at the start, and where others may be held by the same.
#[derive(Clone, Copy, Debug)]
struct Fixed {
    member: usize,
    /// In its own chain.
    link: usize,
    place: Vec3,
    by: Holder,
}

/// What holds a link.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Holder {
    World,
    /// A body, by index in the model.
    Body(usize),
    /// A constraint between two links, by index.
    Tie(usize),
}

/// A contact of the present iterate; directions and places in the true world.
#[derive(Clone, Copy, Debug)]
struct Contact {
    pair: [usize; 2],
    /// Fraction of each segment \[1\].
    at: [f64; 2],
    /// Of the group, in the frames of the links.
    points: [LinkPoint; 2],
    /// The same from the centrelines.
    beside: [Vec3; 2],
    axes: [Vec3; 3],
    place: Vec3,
    gap: f64,
    rows: [f64; 3],
    friction: f64,
    force: [f64; 3],
}

impl Contact {
    /// Its force on the first link \[N\].
    fn sum(&self) -> Vec3 {
        let parts = self.axes.iter().zip(self.force);
        parts.map(|(axis, f)| *axis * f).sum()
    }
}

/// Contacts between the strands of a group in one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct StrandContacts {
    watched: Vec<Watched>,
    boxes: Vec<Aabb>,
    fixed: Vec<Fixed>,
    candidates: Vec<Candidate>,
    active: Vec<Contact>,
    /// Contacts of the last iterate, and forces of those of the last step, by pair.
    before: Vec<Contact>,
    known: Vec<([usize; 2], Vec3)>,
    /// How often contacts were found since `begin`.
    iteration: u32,
}

/// Nearer than this part of the sum of radii centrelines do not come on their way without having met \[1\].
const DEEP: f64 = 0.5;
/// Segments of one strand whose ends are nearer along it than this many sums of radii do not touch: so near, a strand
/// bent as far as it goes has not come back to itself \[1\].
const CONNECTED: f64 = FRAC_PI_2;
/// How close to each other contacts are listed, at most, as a part of the sum of radii \[1\].
const CLOSE: f64 = 0.1;
/// Iterations after which the place of a contact moves by half only, and after which it stays where it is on both
/// segments and keeps its normal: places that jump to and fro do not keep Newton from converging.
const RELAX: u32 = 8;
const FREEZE: u32 = 24;

impl StrandContacts {
    /// Whether no link is watched.
    pub(crate) fn is_off(&self) -> bool {
        self.watched.is_empty()
    }

    /// How many touch at the present iterate.
    pub(crate) fn len(&self) -> usize {
        self.active.len()
    }

    pub(crate) fn clear(&mut self) {
        self.watched.clear();
        self.boxes.clear();
        self.fixed.clear();
        self.candidates.clear();
        self.active.clear();
        self.known.clear();
        self.before.clear();
        self.iteration = 0;
    }

    /// To be called before an iteration starts anew.
    pub(crate) fn begin(&mut self) {
        self.iteration = 0;
    }

    /// Lists the pairs of watched links whose boxes overlap, unless they are connected.
    fn list_candidates(&mut self, input: &StepInput<'_>) {
        let Self {
            watched,
            boxes,
            fixed,
            candidates,
            ..
        } = self;
        candidates.clear();
        let tree = BoxTree::new(boxes, &vec![0; boxes.len()]);
        let mut others = Vec::new();
        for (i, a) in watched.iter().enumerate() {
            others.clear();
            let Aabb { low, high } = boxes[i];
            tree.query(low, high, |j| others.push(j as usize));
            others.retain(|&j| j > i);
            others.sort_unstable();
            for &j in &others {
                let b = &watched[j];
                let radius = a.radius + b.radius;
                if radius <= 0.0 || are_connected(input.members, fixed, a, b, CONNECTED * radius) {
                    continue;
                }
                let both = match (a.material, b.material) {
                    (Some(a), Some(b)) => input.model.materials.between(a, b),
                    _ => Material::default(),
                };
                let weight = a.friction_weight * b.friction_weight;
                let pair = [a.start[0], a.start[1], b.start[0], b.start[1]];
                candidates.push(Candidate {
                    pair: [i, j],
                    radius,
                    distance: nearest(&pair, radius).distance(),
                    friction: [both.at_rest() * weight, both.friction * weight],
                });
            }
        }
    }

    /// Contacts at the present iterate; forces of those that were there stay.
    pub(crate) fn detect(
        &mut self,
        input: &StepInput<'_>,
        frames: &[BaseFrame],
        links: &[Link],
        relief: Relief,
    ) {
        // boxes that an iterate has left grow
        let mut left = false;
        for (watched, own) in self.watched.iter().zip(&mut self.boxes) {
            let (frame, link) = (&frames[watched.member], &links[watched.link]);
            let swept = Aabb::of_points([frame.world(link.origin), frame.world(link.tip)]);
            let swept = swept.grown(watched.radius);
            if own.union(&swept) != *own {
                *own = own.union(&swept.grown(watched.radius));
                left = true;
            }
        }
        if left {
            self.list_candidates(input);
        }
        // contacts of the iterate before, for their forces and places
        std::mem::swap(&mut self.active, &mut self.before);
        self.active.clear();
        self.iteration += 1;
        let stage = if self.iteration <= RELAX {
            Stage::Free
        } else if self.iteration <= FREEZE {
            Stage::Relaxed
        } else {
            Stage::Frozen
        };
        for candidate in &self.candidates {
            let pair = candidate.pair;
            let before = self.before.binary_search_by_key(&pair, |old| old.pair);
            let before = before.ok().map(|k| &self.before[k]);
            let known = self.known.binary_search_by_key(&pair, |known| known.0);
            let known = match before {
                Some(before) => (before.force[0] > 0.0).then(|| before.sum()),
                None => known.ok().map(|k| self.known[k].1),
            };
            let [a, b] = pair.map(|k| &self.watched[k]);
            let before = before.map(|before| (stage, before));
            let contact = candidate.contact((a, b), known, before, frames, links, relief);
            self.active.extend(contact);
        }
        self.known.clear();
    }

    /// Three rows for every contact, after those already there.
    pub(crate) fn rows(&self, frames: &[BaseFrame], rows: &mut Vec<Row>) {
        for contact in &self.active {
            let (normal, friction) = (rows.len(), contact.friction);
            let [a, b] = contact.pair.map(|k| &frames[self.watched[k].member]);
            let seen = if a.plain && b.plain {
                Quat::IDENTITY
            } else {
                a.to_world.rotation.conjugate() * b.to_world.rotation
            };
            let [first, second] = contact.points;
            for k in 0..3 {
                rows.push(Row {
                    jacobian: RowJacobian::Points(first, Some((second, seen))),
                    direction: a.scaled(contact.axes[k]),
                    gap: contact.rows[k],
                    force: contact.force[k],
                    bound: if k == 0 {
                        Bound::Unilateral
                    } else {
                        Bound::Disc { normal, friction }
                    },
                    surface: None,
                    beside: Some(contact.beside),
                    group: usize::MAX,
                });
            }
        }
    }

    /// Takes over the multipliers of its rows.
    pub(crate) fn take_forces(&mut self, rows: &[Row]) {
        for (contact, rows) in self.active.iter_mut().zip(rows.chunks_exact(3)) {
            contact.force = [rows[0].force, rows[1].force, rows[2].force];
        }
    }
}

/// How the place of a contact goes from one iterate to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    Free,
    Relaxed,
    Frozen,
}

impl Candidate {
    /// The contact of its two links at the present iterate, if they are close or have passed through each other;
    /// `known` is the force it had, `before` what it was at the last iterate.
    fn contact(
        &self,
        (a, b): (&Watched, &Watched),
        known: Option<Vec3>,
        before: Option<(Stage, &Contact)>,
        frames: &[BaseFrame],
        links: &[Link],
        relief: Relief,
    ) -> Option<Contact> {
        let h = relief.h;
        // nothing to do while both have moved less than their distance
        let ends = |watched: &Watched| {
            let (frame, link) = (&frames[watched.member], &links[watched.link]);
            [frame.world(link.origin), frame.world(link.tip)]
        };
        let ([a0, a1], [b0, b1]) = (ends(a), ends(b));
        let far = |[x, y]: [Vec3; 2], start: &[Vec3; 2]| {
            let (x, y) = (
                (x - start[0]).length_squared(),
                (y - start[1]).length_squared(),
            );
            x.max(y).sqrt()
        };
        let moved = far([a0, a1], &a.start) + far([b0, b1], &b.start);
        let close = self.radius + (CLOSE * self.radius).min(MARGIN);
        let frozen = before.filter(|(stage, _)| *stage == Stage::Frozen);
        if self.distance - moved > close && known.is_none() && frozen.is_none() {
            return None;
        }

        // where they are nearest; of what has passed through, where it went in
        let (start, end): (Pair, Pair) = (
            [a.start[0], a.start[1], b.start[0], b.start[1]],
            [a0, a1, b0, b1],
        );
        let least = DEEP * self.radius.min(self.distance);
        let entered = if self.distance - moved <= least {
            meet(&start, &end, least, self.radius)
        } else {
            None
        };
        let found = entered.unwrap_or_else(|| nearest(&end, self.radius));
        let mut normal = found.apart.try_normalize().or_else(|| {
            let start = nearest(&start, self.radius);
            start.apart.try_normalize()
        })?;
        let Nearest {
            at: [mut s, mut t], ..
        } = found;
        match before {
            Some((Stage::Relaxed, old)) => {
                (s, t) = (0.5 * (s + old.at[0]), 0.5 * (t + old.at[1]));
            }
            Some((Stage::Frozen, old)) => {
                ([s, t], normal) = (old.at, old.axes[0]);
            }
            _ => {}
        }
        let (on_a, on_b) = (a0.lerp(a1, s), b0.lerp(b1, t));
        let gap = normal.dot(on_a - on_b) - self.radius;
        if gap > close - self.radius && known.is_none() && frozen.is_none() {
            return None;
        }

        // one place on both surfaces, and how far each has moved it in this step
        let place = on_a - normal * (a.radius + 0.5 * gap);
        let (t1, t2) = tangents(normal);
        let slid =
            a.moved(place, [a0, a1], s, frames, links) - b.moved(place, [b0, b1], t, frames, links);
        let slip = [t1.dot(slid), t2.dot(slid)];
        let slow = slip[0] * slip[0] + slip[1] * slip[1] < SLOW * SLOW * h * h;
        // an overlap at the start is reduced, not thrown out
        let overlap = (self.distance - self.radius).min(0.0);
        let left = relief.left_of(overlap);
        let points = [a.point(place, frames, links), b.point(place, frames, links)];
        let beside = |k: usize, at: Vec3| points[k].at - at;
        let middle = |own: &Watched, at: Vec3| own.point(at, frames, links).at;
        Some(Contact {
            pair: self.pair,
            at: [s, t],
            points,
            beside: [beside(0, middle(a, on_a)), beside(1, middle(b, on_b))],
            axes: [normal, t1, t2],
            place,
            gap,
            rows: [gap - left, slip[0], slip[1]],
            friction: self.friction[usize::from(!slow)],
            force: known.map_or([0.0; 3], |sum| {
                [normal.dot(sum).max(0.0), t1.dot(sum), t2.dot(sum)]
            }),
        })
    }
}

impl Watched {
    /// A place of the true world, in the frame of the link.
    fn point(&self, place: Vec3, frames: &[BaseFrame], links: &[Link]) -> LinkPoint {
        let link = &links[self.link];
        let lever = frames[self.member].scaled_point(place) - link.origin;
        LinkPoint {
            link: self.link,
            at: link.axes.transpose() * lever,
        }
    }

    /// How far the material point that is at `place` now has come since the start of the step; it is beside the
    /// fraction `u` of the segment, whose ends are `ends` now.
    fn moved(
        &self,
        place: Vec3,
        ends: [Vec3; 2],
        u: f64,
        frames: &[BaseFrame],
        links: &[Link],
    ) -> Vec3 {
        let frame = &frames[self.member];
        let mut rotation = links[self.link].rotation;
        if !frame.plain {
            rotation = frame.to_world.rotation * rotation;
        }
        let beside = place - ends[0].lerp(ends[1], u);
        let before = self.start[0].lerp(self.start[1], u);
        place - (before + self.rotation_t0 * (rotation.conjugate() * beside))
    }
}

impl Step<'_> {
    /// Lists the pairs of links of strands that might touch each other before the end of the step.
    pub(crate) fn watch_strands(&mut self) {
        let input = self.input;
        let work = &mut *self.work;
        let contacts = &mut work.strand_contacts;
        contacts.clear();
        if !input.members.iter().any(|member| member.chain.collide) {
            return;
        }
        // every link of strands that collide, with the box it sweeps if it goes as extrapolated
        let members = input.members.iter().enumerate().skip(input.bodies);
        for (k, member) in members.filter(|(_, member)| member.chain.collide) {
            let strand = &self.strands[k];
            let to_world = match member.chain.base.body {
                Some(_) => Pose::IDENTITY,
                None => {
                    let base = member.chain.base.path.pose(self.t);
                    base.then(&strand.base.inverse())
                }
            };
            for (own, link) in member.range().enumerate() {
                let (before, after) = (&work.start[link], &work.iterate.links[link]);
                let properties = &self.properties[k].links[own];
                let start = [to_world.point(before.origin), to_world.point(before.tip)];
                let frame = &work.frames[k];
                let end = [frame.world(after.origin), frame.world(after.tip)];
                let moved = (end[0] - start[0])
                    .length()
                    .max((end[1] - start[1]).length());
                let swept = Aabb::of_points([start[0], start[1], end[0], end[1]]);
                contacts
                    .boxes
                    .push(swept.grown(2.0 * properties.radius + 0.5 * moved));
                contacts.watched.push(Watched {
                    member: k,
                    own,
                    link,
                    start,
                    rotation_t0: to_world.rotation * before.rotation,
                    radius: properties.radius,
                    friction_weight: properties.friction_weight,
                    material: properties.material,
                });
            }
        }
        self.list_fixed_places();
        let contacts = &mut self.work.strand_contacts;
        contacts.list_candidates(input);
        self.recall_strand_contacts();
    }

    /// Where links are held at the start of the step: roots, and what constraints hold.
    fn list_fixed_places(&mut self) {
        let (model, members) = (self.input.model, self.input.members);
        let fixed = &mut self.work.strand_contacts.fixed;
        let start = &self.work.start;
        let member_of = |i: usize| {
            let strands = members.iter().enumerate().skip(self.input.bodies);
            strands
                .filter(|(_, member)| member.index == i && member.chain.collide)
                .map(|(k, _)| k)
                .next()
        };
        let mut hold = |strand: usize, link: usize, at: Vec3, by: Holder| {
            if let Some(k) = member_of(strand) {
                let own = &start[members[k].first + link];
                fixed.push(Fixed {
                    member: k,
                    link,
                    place: own.origin + own.axes * at,
                    by,
                });
            }
        };
        for member in &members[self.input.bodies..] {
            let base = match member.chain.base.body {
                Some((body, _)) => Holder::Body(body),
                None => Holder::World,
            };
            for (j, _) in member.chain.roots() {
                hold(member.index, j, Vec3::ZERO, base);
            }
            for &c in member.constraints.iter().chain(member.joins) {
                let constraint = &model.constraints[c];
                if constraint.active.at(self.t) <= 0.0 {
                    continue;
                }
                let (Some(anchor), Some(at)) = (constraint.anchor(), constraint.kind.place())
                else {
                    continue;
                };
                let by = match anchor {
                    Anchor::World(_) => Holder::World,
                    Anchor::Base(_) => base,
                    Anchor::Body { body, .. } => Holder::Body(*body),
                    Anchor::Link { .. } | Anchor::Strand { .. } => Holder::Tie(c),
                };
                hold(constraint.strand, constraint.kind.link(), at, by);
                match anchor {
                    Anchor::Link { link, at } => {
                        hold(constraint.strand, *link, at.position, by);
                    }
                    Anchor::Strand { strand, link, at } => hold(*strand, *link, at.position, by),
                    _ => {}
                }
            }
        }
    }

    /// Forces of the contacts of the last step, as a first guess.
    fn recall_strand_contacts(&mut self) {
        let contacts = &mut self.work.strand_contacts;
        let StrandContacts { watched, known, .. } = contacts;
        let members = self.input.members;
        for (k, member) in members.iter().enumerate().skip(self.input.bodies) {
            // forces of an impact say nothing about the next step
            if self.strands[k].depth == 0 {
                continue;
            }
            for touch in &self.strands[k].strand_contacts {
                let find = |strand: usize, link: usize| {
                    let member = members[self.input.bodies..]
                        .iter()
                        .find(|member| member.index == strand)?;
                    let link = member.first + link;
                    watched.binary_search_by_key(&link, |own| own.link).ok()
                };
                let pair = (
                    find(member.index, touch.link),
                    find(touch.other_strand, touch.other_link),
                );
                if let (Some(a), Some(b)) = pair {
                    known.push(([a, b], touch.force));
                }
            }
        }
        known.sort_unstable_by_key(|known| known.0);
    }

    /// Whether two segments hit each other in this step, which is not yet accepted.
    pub(crate) fn strikes_strand(&self) -> bool {
        let (work, links) = (&*self.work, &self.work.iterate.links);
        let contacts = &work.strand_contacts;
        let velocity = |contact: &Contact, end: usize| {
            let own = &contacts.watched[contact.pair[end]];
            let past = &self.strands[own.member].history[own.own];
            let link = &links[own.link];
            let from_centre =
                contact.points[end].at - link.axes.transpose() * (link.centre - link.origin);
            let v = past.velocity[0] + past.axes_rate[0] * from_centre;
            work.frames[own.member].world_direction(v)
        };
        let mut pushing = contacts.active.iter().filter(|c| c.force[0] > 0.0);
        pushing.any(|contact| {
            let approach = velocity(contact, 0) - velocity(contact, 1);
            contact.axes[0].dot(approach) < -crate::collision::IMPACT
        })
    }

    /// Keeps the contacts that push, each with the strand of its first link.
    pub(crate) fn remember_strand_contacts(&mut self) {
        for strand in self.strands.iter_mut() {
            strand.strand_contacts.clear();
        }
        let contacts = &self.work.strand_contacts;
        for contact in contacts.active.iter().filter(|c| c.force[0] > 0.0) {
            let [a, b] = contact.pair.map(|k| &contacts.watched[k]);
            self.strands[a.member].strand_contacts.push(StrandContact {
                link: a.own,
                other_strand: self.input.members[b.member].index,
                other_link: b.own,
                place: contact.place,
                normal: contact.axes[0],
                force: contact.sum(),
                gap: contact.gap,
            });
        }
    }
}

/// Whether two links are nearer than `limit` along their strands and through places where the same holds these \[m\].
fn are_connected(
    members: &[Member<'_>],
    fixed: &[Fixed],
    a: &Watched,
    b: &Watched,
    limit: f64,
) -> bool {
    let along = |k: usize, i: usize, j: usize| between(members[k].chain, i, j, limit);
    if a.member == b.member && along(a.member, a.own, b.own).is_some_and(|d| d < limit) {
        return true;
    }
    let places = |of: &Watched| {
        let (member, own) = (of.member, of.own);
        fixed
            .iter()
            .filter(move |at| at.member == member)
            .filter_map(move |at| Some((along(member, own, at.link)?, at)))
            .filter(move |(far, _)| *far < limit)
    };
    places(a).any(|(p, x)| {
        places(b).any(|(q, y)| x.by == y.by && p + q + (x.place - y.place).length() < limit)
    })
}

/// Length of the strand between two links of `chain`, none if it is longer than `limit` \[m\]. Zero for neighbours.
fn between(chain: &Chain, mut i: usize, mut j: usize, limit: f64) -> Option<f64> {
    let mut sum = 0.0;
    while sum <= limit {
        if i == j {
            return Some(sum);
        }
        let (p, q) = (chain.parent[i], chain.parent[j]);
        if p == j || q == i {
            return Some(sum);
        }
        if p == q {
            return Some(sum + (chain.joint[i] - chain.joint[j]).length());
        }
        // from the link further out to its parent, which is on the way
        let out = if (i > j && p != BASE) || q == BASE {
            &mut i
        } else {
            &mut j
        };
        *out = chain.parent[*out];
        sum += chain.length[*out];
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Curve, Strand};

    #[test]
    fn length_between_links_is_counted_along_the_tree() {
        let mut strand = Strand::new("tree", Curve::straight(Vec3::ZERO, Vec3::Y * 4.0, 4));
        let side = Curve::straight(Vec3::Y * 2.0, Vec3::new(3.0, 2.0, 0.0), 3);
        strand.curves.push(side.growing_from(0, 2));
        let chain = Chain::new(strand, &[]).unwrap();
        let link = |curve, segment| chain.link(curve, segment).unwrap();
        let far = |a: (usize, usize), b: (usize, usize)| {
            let (a, b) = (link(a.0, a.1), link(b.0, b.1));
            let found = between(&chain, a, b, 10.0);
            assert_eq!(found, between(&chain, b, a, 10.0));
            found.unwrap()
        };
        assert!(far((0, 0), (0, 1)) < 1e-12);
        assert!((far((0, 0), (0, 3)) - 2.0).abs() < 1e-12);
        assert!(far((0, 2), (1, 0)) < 1e-12);
        assert!((far((0, 3), (1, 2)) - 3.0).abs() < 1e-12);
        assert!(between(&chain, link(0, 3), link(1, 2), 1.5).is_none());
    }
}
