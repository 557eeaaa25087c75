//! Which strands and rigid bodies are advanced as one: those that constraints join, and bodies that carry
//! strands or may be touched by them. Strands that nothing joins are groups of one and are not listed.

use std::collections::{BTreeMap, BTreeSet};

use drystone_base::{Mat3, Pose, Quat};
use drystone_geometry::{Aabb, BoxTree};

use crate::chain::{BASE, Chain, FREE};
use crate::condensed::{Condensed, Segment};
use crate::contact::Swept;
use crate::implicit::Bdf;
use crate::properties::Properties;
use crate::state::StrandState;
use crate::step::{Member, Step, StepInput, Workspace};
use crate::step_control::Tally;
use crate::{Anchor, Constraint, Model, Options, State, System};

/// Bodies, strands and constraints that are solved as one, by index.
type Together = (Vec<usize>, Vec<usize>, Vec<usize>);

/// A strand nearer to a body than this is solved with it \[m\].
const REACH: f64 = 1e-2;

/// Strands and rigid bodies that are advanced as one.
pub(crate) struct Group {
    /// Indices of rigid bodies and of strands, rising, and the constraints that join them.
    pub bodies: Vec<usize>,
    pub members: Vec<usize>,
    joins: Vec<usize>,
    /// State of each member, bodies first; lent by the system for a step.
    strands: Vec<StrandState>,
    properties: Vec<Properties>,
    pub work: Workspace,
    /// Index of the first link of each member.
    pub first: Vec<usize>,
    /// All links: only what the equations need of a chain is filled in.
    pub chain: Chain,
    /// Of a strand based on a body of the group: that body, and its base in the frame of the body's link.
    pub mounts: Vec<Option<(usize, Pose)>>,
    /// Coefficients of the last accepted step.
    pub last: Option<Bdf>,
    /// Principal axes of each body, in its frame.
    pub principal: Vec<Quat>,
    /// Segments that others may push after the step, in order, and their links; written by `list_groups`.
    pub open: Vec<(Segment, usize)>,
    /// How its bodies answer after that step, once somebody has asked.
    pub condensed: Option<Condensed>,
}

impl Group {
    /// Bodies `bodies` and strands `members` of `model`, joined by the constraints `joins`.
    pub(crate) fn new(
        model: &Model,
        bodies: Vec<usize>,
        members: Vec<usize>,
        joins: Vec<usize>,
    ) -> Self {
        let links = bodies.iter().map(|&k| &model.bodies[k].chain);
        let strands = members.iter().map(|&i| &model.chains[i]);
        let chains: Vec<&Chain> = links.chain(strands).collect();
        let mut chain = chains[0].clone();
        let first_bodies = bodies.len();
        let mut first = vec![0];
        let mut mounts = vec![None; bodies.len()];
        for &i in &members {
            let mount = model.chains[i].base.body.and_then(|(body, at)| {
                let link = bodies.iter().position(|&k| k == body)?;
                Some((link, model.bodies[body].in_link(&at)))
            });
            mounts.push(mount);
        }
        for (m, other) in chains.iter().enumerate().skip(1) {
            let start = chain.len();
            first.push(start);
            for (&parent, &joint) in other.parent.iter().zip(&other.joint) {
                let (parent, joint) = match (parent, mounts[m]) {
                    (BASE, Some((link, at))) => (link, at.point(joint)),
                    (BASE | FREE, _) => (parent, joint),
                    (parent, _) => (parent + start, joint),
                };
                chain.parent.push(parent);
                chain.joint.push(joint);
            }
            chain.length.extend_from_slice(&other.length);
            chain.reach = chain.reach.max(other.reach);
            chain.extensible |= other.extensible;
        }
        Self {
            bodies,
            members,
            joins,
            strands: Vec::new(),
            properties: Vec::new(),
            work: Workspace::default(),
            first,
            chain,
            mounts,
            last: None,
            principal: vec![Quat::IDENTITY; first_bodies],
            open: Vec::new(),
            condensed: None,
        }
    }

    /// Takes the state and parameters of all members over from the system, for a step.
    pub(crate) fn borrow(
        &mut self,
        state: &mut State,
        properties: &mut [Properties],
        model: &Model,
    ) {
        for &k in &self.bodies {
            self.strands.push(std::mem::take(&mut state.bodies[k]));
            self.properties.push(model.bodies[k].properties.clone());
        }
        for &i in &self.members {
            self.strands.push(std::mem::take(&mut state.strands[i]));
            self.properties.push(std::mem::take(&mut properties[i]));
        }
    }

    /// Gives the states and properties back to the system.
    pub(crate) fn give_back(&mut self, state: &mut State, properties: &mut [Properties]) {
        let mut lent = self.strands.drain(..).zip(self.properties.drain(..));
        for (&k, (body, _)) in self.bodies.iter().zip(&mut lent) {
            state.bodies[k] = body;
        }
        for (&i, (strand, own)) in self.members.iter().zip(lent) {
            state.strands[i] = strand;
            properties[i] = own;
        }
    }

    /// Advances all members from `t` by `dt`. `strand` describes those that are strands, `finish` is called
    /// with each of them at the end.
    pub(crate) fn advance<'a>(
        &mut self,
        (model, options, swept): (&'a Model, &'a Options, &'a [Swept]),
        strand: impl Fn(usize) -> Member<'a>,
        finish: impl Fn(usize, &mut StrandState, &mut Tally),
        (t, dt): (f64, f64),
    ) {
        let Self {
            bodies,
            members,
            joins,
            strands,
            properties,
            work,
            first,
            chain,
            mounts,
            last,
            condensed,
            ..
        } = self;
        *condensed = None;
        let links = bodies
            .iter()
            .map(|&k| Member::alone(k, &model.bodies[k].chain));
        let list = links.chain(members.iter().map(|&i| strand(i)));
        let list = list.zip(first).zip(mounts);
        let list: Vec<Member<'_>> = list
            .map(|((member, first), mount)| Member {
                first: *first,
                mount: *mount,
                ..member
            })
            .collect();
        let input = StepInput {
            chain,
            bodies: bodies.len(),
            joins,
            ..StepInput::new(model, options, &list, swept)
        };
        let mut step = Step::new(&input, strands, properties, work, t);
        step.advance(dt);
        *last = Some(step.bdf);
        if let Some(&first) = members.first()
            && work.tally.failed > 0
        {
            work.tally.unsolved.push(first);
        }
        for (strand, &i) in strands[bodies.len()..].iter_mut().zip(&*members) {
            finish(i, strand, &mut work.tally);
        }
    }

    /// Effective inverse mass and inertia of body `link` with all that hangs from it, over the last step.
    ///
    /// An impulse `p` enters as the force `s p` ([`push_exactly`](crate::body_step::push_exactly)), which
    /// shifts it by `H⁻¹ s p` and so changes its velocity by `s² H⁻¹ p`.
    pub(crate) fn response_of(&self, link: usize) -> Option<[Mat3; 2]> {
        let (bdf, free) = (self.last?, self.work.iterate.factor.free.get(link)?);
        let scale = bdf.s * bdf.s;
        Some([free.inverse.pp * scale, free.inverse.tt * scale])
    }
}

impl System {
    /// Whether a constraint joins members of a group: to another strand, to a body, or from a strand that a body
    /// carries to anything outside of it.
    pub(crate) fn is_join(&self, constraint: &Constraint) -> bool {
        match constraint.anchor() {
            Some(Anchor::Strand { .. } | Anchor::Body { .. }) => true,
            Some(Anchor::World(_) | Anchor::Base(_)) => {
                let chain = self.model.chains.get(constraint.strand);
                chain.is_some_and(|chain| chain.base.body.is_some())
            }
            _ => false,
        }
    }

    /// Finds the groups of the next step.
    pub(crate) fn list_groups(&mut self, dt: f64) {
        // bodies that move with strands; nodes of the graph are strands, then bodies
        self.joined.clear();
        let (model, t, count) = (&self.model, self.state.time, self.model.len());
        let free = |k: usize| self.state.body_free.get(k) == Some(&true);
        let bodies: Vec<usize> = (0..model.bodies.len()).filter(|&k| free(k)).collect();
        // edges: constraints, bases on bodies, strands that may touch a body
        let ends = |c: usize| {
            let constraint = &model.constraints[c];
            let active = constraint.active.at(t) > 0.0 || constraint.active.at(t + dt) > 0.0;
            let on = self.state.constraint_on[c] && constraint.strand < count;
            if !on || !active || !self.is_join(constraint) {
                return None;
            }
            let other = match constraint.anchor()? {
                Anchor::Strand { strand, .. } => (*strand < count).then_some(*strand)?,
                Anchor::Body { body, .. } => free(*body).then_some(count + *body)?,
                _ => constraint.strand,
            };
            Some((constraint.strand, other))
        };
        let mut edges: Vec<(usize, usize)> = Vec::new();
        let joins: Vec<(usize, usize)> = (0..model.constraints.len())
            .filter_map(|c| Some((c, ends(c)?.0)))
            .collect();
        edges.extend((0..model.constraints.len()).filter_map(ends));
        edges.extend(self.strands_that_may_touch(dt));
        if bodies.is_empty() && edges.is_empty() && self.open.is_empty() {
            self.groups.clear();
            return;
        }
        for (i, chain) in model.chains.iter().enumerate() {
            if let Some((body, _)) = chain.base.body.filter(|(body, _)| free(*body)) {
                edges.push((i, count + body));
            }
        }
        for &k in &bodies {
            edges.extend(self.strands_near(k, dt).map(|i| (i, count + k)));
        }
        // connected components, each named after its first node (union-find)
        let mut leader: Vec<usize> = (0..count + model.bodies.len()).collect();
        let find = |leader: &[usize], mut i: usize| {
            while leader[i] != i {
                i = leader[i];
            }
            i
        };
        for (a, b) in edges {
            let (a, b) = (find(&leader, a), find(&leader, b));
            leader[a.max(b)] = a.min(b);
        }
        let mut lists: BTreeMap<usize, Together> = BTreeMap::new();
        for &k in &bodies {
            lists.entry(find(&leader, count + k)).or_default().0.push(k);
        }
        for i in 0..count {
            lists.entry(find(&leader, i)).or_default().1.push(i);
        }
        for (c, a) in joins {
            lists.entry(find(&leader, a)).or_default().2.push(c);
        }
        // components of more than one strand; those known keep their arrays
        self.joined.resize(count, false);
        let mut groups = Vec::new();
        let mut known = std::mem::take(&mut self.groups);
        let is_open = |i: &usize| self.open.iter().any(|segment| segment.strand == *i);
        let together = |(bodies, members, joins): &Together| {
            !bodies.is_empty()
                || !joins.is_empty()
                || members.len() > 1
                || members.iter().any(is_open)
        };
        for (bodies, members, joins) in lists.into_values().filter(together) {
            for &i in &members {
                self.joined[i] = true;
            }
            let same = |group: &Group| group.members == members && group.bodies == bodies;
            groups.push(match known.iter().position(same) {
                Some(k) => {
                    let mut group = known.swap_remove(k);
                    group.joins = joins;
                    group
                }
                None => Group::new(model, bodies, members, joins),
            });
        }
        for group in &mut groups {
            group.open.clear();
            for segment in &self.open {
                if let Ok(m) = group.members.binary_search(&segment.strand) {
                    let first = group.first[group.bodies.len() + m];
                    group.open.push((*segment, first + segment.link));
                }
            }
        }
        // beside bodies, and what is pushed, a place in the world is held as exactly as one on a body
        let exact = |group: &&mut Group| !group.bodies.is_empty() || !group.open.is_empty();
        for group in groups.iter_mut().filter(exact) {
            for &i in &group.members {
                if !model.chains[i].base.is_plain() {
                    continue;
                }
                let Some(list) = self.constraints.get_mut(i) else {
                    continue;
                };
                let world =
                    |c: usize| matches!(model.constraints[c].anchor(), Some(Anchor::World(_)));
                let moved = list.iter().copied().filter(|&c| world(c));
                self.joins[i].extend(moved.clone());
                group.joins.extend(moved);
                list.retain(|&c| !world(c));
                self.joins[i].sort_unstable();
            }
            group.joins.sort_unstable();
        }
        self.groups = groups;
    }

    /// Pairs of strands that might touch each other within `dt` seconds, by the boxes of their segments and their
    /// velocities: of each two at least one chain of pairs leads from one to the other.
    fn strands_that_may_touch(&self, dt: f64) -> Vec<(usize, usize)> {
        let model = &self.model;
        let collide: Vec<usize> = (0..model.len())
            .filter(|&i| model.chains[i].collide)
            .collect();
        if collide.len() < 2 {
            return Vec::new();
        }
        let (mut boxes, mut owner) = (Vec::new(), Vec::new());
        for &i in &collide {
            let links = self.state.strands[i].history.iter();
            for (past, own) in links.zip(&self.properties[i].links) {
                let x = self.to_world(i).point(past.centre[0]);
                let moved = 2.0 * past.velocity[0].length() * dt;
                let far = own.half + own.radius + moved + REACH;
                boxes.push(Aabb { low: x, high: x }.grown(far));
                owner.push(i);
            }
        }
        let tree = BoxTree::new(&boxes, &vec![0; boxes.len()]);
        let mut pairs = BTreeSet::new();
        for (k, own) in boxes.iter().enumerate() {
            tree.query(own.low, own.high, |other| {
                let (a, b) = (owner[k], owner[other as usize]);
                if a < b {
                    pairs.insert((a, b));
                }
            });
        }
        pairs.into_iter().collect()
    }

    /// From the scaled world of strand `i` to the true one.
    fn to_world(&self, i: usize) -> Pose {
        let base = &self.model.chains[i].base;
        if base.body.is_some() {
            return Pose::IDENTITY;
        }
        let truly = base.path.pose(self.state.time);
        truly.then(&self.state.strands[i].base.inverse())
    }

    /// Strands that might touch the surface of body `k` within `dt` seconds, by its box and their velocities.
    pub fn strands_near(&self, k: usize, dt: f64) -> impl Iterator<Item = usize> + '_ {
        let surface = self.model.bodies[k].body.surface;
        let motion = self.body(k);
        let solid = surface.map(|(obstacle, at)| {
            let shape = &self.model.obstacles[obstacle].shape;
            let (now, v) = (motion.pose.then(&at), motion.linear_velocity * dt);
            let later = Pose::new(now.position + v, now.rotation);
            let solid = shape.aabb(&now).union(&shape.aabb(&later));
            // it may turn, and be pushed on
            let turn = (motion.angular_velocity.length() * dt).min(2.0);
            let size = (solid.high - solid.low).length();
            solid.grown(turn * size + v.length() + REACH)
        });
        (0..self.model.len()).filter(move |&i| {
            let (Some(solid), strand) = (&solid, &self.state.strands[i]) else {
                return false;
            };
            let chain = &self.model.chains[i];
            let mut links = strand.history.iter().zip(&chain.length).enumerate();
            links.any(|(j, (past, length))| {
                let own = &self.properties[i].links[j];
                let far = 0.5 * length + own.radius + 2.0 * past.velocity[0].length() * dt;
                let x = past.centre[0];
                (x.clamp(solid.low, solid.high) - x).length() <= far
            })
        })
    }
}
