//! How the rigid bodies of a group answer impulses together, with all that hangs between them.
//!
//! Between two steps somebody else may push bodies that are links of a tree. An impulse `p` on them changes
//! their velocities by `R p`,
//!
//! `R = s² (B − Xᵀ K⁻¹ X)`, `B = E H⁻¹ Eᵀ`, `X = N H⁻¹ Eᵀ`, `K = N H⁻¹ Nᵀ`
//!
//! with the matrix `H` of the last step, the rows `N` of what is held in it, and the six degrees of freedom
//! `E` of each body. `H` is the inertia and what stiffness and tension resist within a step, without the terms
//! that would make it indefinite, and with damping and stiffness for the time in which the impulses act: so `R` is symmetric and `0 ≤ R ≤ M⁻¹`. [`System::take_impulses`] gives all links
//! of the tree their part of such an impulse at once, `s² H⁻¹ (Eᵀ p − Nᵀ K⁻¹ X p)`: momentum is that of `p`
//! and of what holds the tree in the world, and kinetic energy grows by no more than the work of `p`.
//!
//! Segments of strands may be pushed likewise, about their centres, where somebody has said so before the step
//! ([`System::open_segments`]): they are further columns of `E`.

use drystone_base::rotation::{log, nudge, skew_times};
use drystone_base::{Mat3, Pose, Quat, Vec3};
use drystone_complementarity::DenseFactor;
use drystone_complementarity::solvers::Bound;
use serde::{Deserialize, Serialize};

use crate::body_step::SNAP;
use crate::factor::Factor;
use crate::group::Group;
use crate::implicit::Problem;
use crate::kinematics::{Bases, Link, place_on};
use crate::response::{Row, rows_of};
use crate::state::{History, Push, State, StrandState};
use crate::surroundings::push_back;
use crate::{BodyMotion, Model, System};

/// Compliance of rows, as a part of the largest response of a row: rows that depend on each other share \[1\].
const SOFT: f64 = 1e-11;
/// Friction below this part of its limit holds \[1\].
const STICKS: f64 = 0.95;
/// Rounds in which what is held is brought back to its place.
const ROUNDS: usize = 4;
/// Error of place that no longer matters \[m\].
const PLACED: f64 = 1e-12;

/// A segment of a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Segment {
    /// Index of the strand.
    pub strand: usize,
    /// Index of its link.
    pub link: usize,
}

/// How bodies, and segments that may be pushed, answer impulses together.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeResponse {
    /// Indices of the bodies.
    pub bodies: Vec<usize>,
    /// The segments, which follow the bodies in the matrix.
    pub segments: Vec<Segment>,
    /// Row by row, velocity and spin of each under impulse and moment on each, world axes; of segments those of
    /// their centres.
    pub matrix: Vec<f64>,
}

/// What a body has received between two steps, and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyImpulse {
    /// Index of the body.
    pub body: usize,
    /// Impulse \[N s\] and moment about its centre \[N m s\].
    pub impulse: [Vec3; 2],
    /// The same times the time since it acted, summed \[N s²\], \[N m s²\]: what they have moved.
    pub moved: [Vec3; 2],
    /// Pose of its frame, to which that has led, where somebody knows.
    pub pose: Option<Pose>,
}

/// What a segment has received between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentImpulse {
    /// Which segment.
    pub segment: Segment,
    /// Impulse \[N s\] and moment about its centre \[N m s\].
    pub impulse: [Vec3; 2],
    /// The same times the time since it acted, summed \[N s²\], \[N m s²\].
    pub moved: [Vec3; 2],
}

/// What is solved together in a step: bodies, and segments that may be pushed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeMembers {
    /// Indices of bodies, rising.
    pub bodies: Vec<usize>,
    /// Segments, in order.
    pub segments: Vec<Segment>,
}

/// What a group keeps of its response.
#[derive(Clone, Debug, Default)]
pub(crate) struct Condensed {
    /// Rows that hold; those of constraints come first.
    rows: Vec<Row>,
    /// Motion of bodies' freedoms and of rows under unit loads on each of them.
    whole: Vec<f64>,
    /// Factor of `K`.
    held: DenseFactor,
}

fn largest(off: &[f64]) -> f64 {
    // keeps a NaN, which max would drop
    let larger = |most: f64, x: &f64| {
        if x.abs() > most || x.is_nan() {
            x.abs()
        } else {
            most
        }
    };
    off.iter().fold(0.0, larger)
}

/// Something of a group that others push: a link, and the point of it that counts, from its origin \[m\].
#[derive(Clone, Copy)]
struct Port {
    link: usize,
    lever: Vec3,
}

impl Port {
    /// Puts a load of `size` on its freedom `c`.
    fn load(&self, factor: &mut Factor, c: usize, size: f64) {
        let along = [Vec3::X, Vec3::Y, Vec3::Z][c % 3] * size;
        let (force, torque) = if c < 3 {
            (along, Vec3::ZERO)
        } else {
            (Vec3::ZERO, along)
        };
        factor.add_load(self.link, self.lever, force, torque);
    }

    /// Motion of its freedom `c` in the factor's last solution.
    fn moved(&self, factor: &Factor, c: usize) -> f64 {
        match c {
            0..3 => factor.shift_at(self.link, self.lever)[c],
            _ => factor.turn_of(self.link)[c - 3],
        }
    }
}

impl Group {
    /// Bodies at their centres, then segments at theirs, where the last step has them.
    fn ports(&self) -> Vec<Port> {
        let body = |link| Port {
            link,
            lever: Vec3::ZERO,
        };
        let segment = |link: usize| {
            let own = &self.work.iterate.links[link];
            let lever = own.centre - own.origin;
            Port { link, lever }
        };
        let bodies = (0..self.bodies.len()).map(body);
        bodies
            .chain(self.open.iter().map(|(_, link)| segment(*link)))
            .collect()
    }

    /// How its bodies answer impulses over `span` seconds after the last step, and what [`Self::take`] needs for that.
    fn condense(&mut self, model: &Model, span: f64) -> Option<TreeResponse> {
        let bdf = self.last?;
        let ports = self.ports();
        let work = &mut self.work;
        let problem = Problem {
            chain: &self.chain,
            law: &*model.law,
            bdf,
            link_steps: &work.link_steps,
            penalties: &work.penalties,
        };
        work.iterate.factor_taut(&problem, (span / bdf.h).max(1.0));
        // rows that hold: of constraints, and of contacts that push
        let mut rows = work.response.rows.clone();
        let known = rows.len();
        for ((contacts, first), frame) in work.contacts.iter().zip(&self.first).zip(&work.frames) {
            let start = rows.len();
            contacts.rows(*first, &mut rows);
            let links = &work.iterate.links;
            push_back(contacts, &work.swept, frame, links, &mut rows[start..]);
        }
        if !work.strand_contacts.is_off() {
            work.strand_contacts.rows(&work.frames, &mut rows);
        }
        let touching = rows.split_off(known);
        for contact in touching.chunks_exact(3) {
            let slide = contact[1].force.hypot(contact[2].force);
            let limit = match contact[1].bound {
                Bound::Disc { friction, .. } => friction * contact[0].force,
                _ => 0.0,
            };
            if contact[0].force > 0.0 {
                let count = if slide < STICKS * limit { 3 } else { 1 };
                rows.extend_from_slice(&contact[..count]);
            }
        }
        // motion of all freedoms and rows under unit loads on each
        let (n, m) = (6 * ports.len(), rows.len());
        let (factor, links) = (&mut work.iterate.factor, &work.iterate.links);
        let mut whole = vec![0.0; (n + m) * (n + m)];
        for i in 0..n + m {
            factor.clear_loads();
            match i.checked_sub(n) {
                None => ports[i / 6].load(factor, i % 6, 1.0),
                Some(r) => rows[r].load(factor, links, 1.0),
            }
            factor.respond_to_loads();
            for j in 0..n + m {
                whole[i * (n + m) + j] = match j.checked_sub(n) {
                    None => ports[j / 6].moved(factor, j % 6),
                    Some(r) => rows[r].moved(factor, links),
                };
            }
        }
        let whole: Vec<f64> = (0..(n + m) * (n + m))
            .map(|k| {
                let (i, j) = (k / (n + m), k % (n + m));
                0.5 * (whole[i * (n + m) + j] + whole[j * (n + m) + i])
            })
            .collect();
        if !whole.iter().all(|x| x.is_finite()) {
            return None;
        }
        // R = s² (B − Xᵀ K⁻¹ X)
        let entry = |i: usize, j: usize| whole[i * (n + m) + j];
        let most = (n..n + m).fold(0.0f64, |most, i| most.max(entry(i, i)));
        let held = DenseFactor::new(m, |i, j| {
            entry(n + i, n + j) + if i == j { SOFT * most } else { 0.0 }
        });
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            let mut x: Vec<f64> = (0..m).map(|r| entry(n + r, i)).collect();
            held.solve(&mut x);
            for j in 0..=i {
                let taken: f64 = (0..m).map(|r| entry(n + r, j) * x[r]).sum();
                let answer = bdf.s * bdf.s * (entry(i, j) - taken);
                (matrix[i * n + j], matrix[j * n + i]) = (answer, answer);
            }
        }
        self.condensed = Some(Condensed { rows, whole, held });
        Some(TreeResponse {
            bodies: self.bodies.clone(),
            segments: self.open.iter().map(|(segment, _)| *segment).collect(),
            matrix,
        })
    }

    /// Solves for the motion of all links under loads on bodies and segments, six numbers each, while what is held stays.
    fn respond_to(&mut self, loads: &[f64]) {
        let ports = self.ports();
        let Some(condensed) = &self.condensed else {
            return;
        };
        let iterate = &mut self.work.iterate;
        let (n, width) = (loads.len(), loads.len() + condensed.rows.len());
        let mut forces: Vec<f64> = (n..width)
            .map(|r| {
                let row = &condensed.whole[r * width..];
                loads.iter().zip(row).map(|(load, x)| load * x).sum()
            })
            .collect();
        condensed.held.solve(&mut forces);
        iterate.factor.clear_loads();
        for (i, load) in loads.iter().enumerate() {
            ports[i / 6].load(&mut iterate.factor, i % 6, *load);
        }
        for (row, force) in condensed.rows.iter().zip(&forces) {
            row.load(&mut iterate.factor, &iterate.links, -force);
        }
        iterate.factor.respond_to_loads();
    }

    /// Hands what its bodies and segments have received on to all of its links; by body and segment of the group.
    fn take(&mut self, state: &mut State, received: &[BodyImpulse], pushed: &[SegmentImpulse]) {
        let (Some(bdf), true) = (self.last, self.condensed.is_some()) else {
            return;
        };
        let list = |of_body: &dyn Fn(&BodyImpulse) -> [Vec3; 2],
                    of_segment: &dyn Fn(&SegmentImpulse) -> [Vec3; 2]|
         -> Vec<f64> {
            let bodies = received.iter().flat_map(of_body);
            let parts = bodies.chain(pushed.iter().flat_map(of_segment));
            parts.flat_map(|part| part.to_array()).collect()
        };
        // change of velocity of all links, and of the rates of joints
        let square = bdf.s * bdf.s;
        self.respond_to(&list(&|body| body.impulse, &|segment| segment.impulse));
        let factor = &self.work.iterate.factor;
        let count = self.chain.len();
        let kicks: Vec<Kick> = (0..count)
            .map(|j| Kick {
                spin: factor.turn_of(j) * square,
                shift: factor.shift_of(j) * square,
                joint: factor.joint_turn(j) * square,
                slide: factor.slide[j] * square,
            })
            .collect();
        // and of place
        self.respond_to(&list(&|body| body.moved, &|segment| segment.moved));
        let before = self.work.iterate.links.clone();
        let rotation = self.work.iterate.rotation.clone();
        let stretch = self.work.iterate.stretch.clone();
        self.displace(square);
        let mut off = self.off(received);
        for _ in 0..ROUNDS {
            let before = largest(&off);
            if before <= PLACED {
                break;
            }
            let iterate = &self.work.iterate;
            let (rotation, stretch) = (iterate.rotation.clone(), iterate.stretch.clone());
            let centres = iterate.centres.clone();
            self.put_back(off);
            self.displace(1.0);
            off = self.off(received);
            // what is out of reach stays where it is off least
            if largest(&off).is_nan() || largest(&off) > before {
                let iterate = &mut self.work.iterate;
                (iterate.rotation, iterate.stretch, iterate.centres) = (rotation, stretch, centres);
                self.place();
                break;
            }
        }
        for (link, body) in received.iter().enumerate() {
            if let Some(pose) = body.pose {
                let principal = self.principal[link];
                self.work.iterate.centres[link] = pose.position;
                self.work.iterate.rotation[link] = (pose.rotation * principal).normalize();
            }
        }
        self.place();
        // what the next step needs of the last ones moves along
        let moved = Moved {
            before: &before,
            rotation: &rotation,
            stretch: &stretch,
            kicks: &kicks,
        };
        let mut blow = false;
        for k in 0..self.bodies.len() + self.members.len() {
            let strand = match k.checked_sub(self.bodies.len()) {
                None => &mut state.bodies[self.bodies[k]],
                Some(i) => &mut state.strands[self.members[i]],
            };
            blow |= self.write_back(k, strand, &moved);
        }
        // differences over two steps would give a part of a blow back
        if blow && !self.open.is_empty() {
            for i in &self.bodies {
                state.bodies[*i].depth = 0;
            }
            for i in &self.members {
                state.strands[*i].depth = 0;
            }
        }
    }

    /// Moves all links by the factor's solution, times `scale`.
    fn displace(&mut self, scale: f64) {
        let iterate = &mut self.work.iterate;
        for (j, rotation) in iterate.rotation.iter_mut().enumerate() {
            let turn = iterate.links[j].axes.transpose() * iterate.factor.joint_turn(j) * scale;
            *rotation = nudge(*rotation, turn.clamp_length_max(1.0));
        }
        for (e, slide) in iterate.stretch.iter_mut().zip(&iterate.factor.slide) {
            *e += slide * scale;
        }
        for (j, centre) in iterate.centres.iter_mut().enumerate() {
            *centre += iterate.factor.shift_of(j) * scale;
        }
        self.place();
    }

    fn place(&mut self) {
        let work = &mut self.work;
        let iterate = &mut work.iterate;
        // a strand alone has one base
        let bases = match work.bases.is_empty() {
            true => Bases::One(&work.frames[0].pose),
            false => Bases::Free(&work.bases, &iterate.centres),
        };
        let (rotation, stretch) = (&iterate.rotation, &iterate.stretch);
        place_on(&self.chain, rotation, stretch, bases, &mut iterate.links);
    }

    /// How far bodies are off their poses and what is held off its place, by freedom and row \[m\], \[rad\].
    fn off(&self, received: &[BodyImpulse]) -> Vec<f64> {
        let iterate = &self.work.iterate;
        let rows = self.condensed.as_ref().map_or(&[][..], |c| &c.rows);
        let n = 6 * received.len();
        let mut off = vec![0.0; n + rows.len()];
        for (link, body) in received.iter().enumerate() {
            let Some(pose) = body.pose else {
                continue;
            };
            let now = &iterate.links[link];
            let wanted = pose.rotation * self.principal[link];
            let turn = wanted * log(now.rotation.conjugate() * wanted);
            let shift = pose.position - now.centre;
            off[6 * link..][..3].copy_from_slice(&shift.to_array());
            off[6 * link + 3..][..3].copy_from_slice(&turn.to_array());
        }
        let mut now: Vec<Row> = Vec::new();
        for (group, (_, equation)) in self.work.bilateral.iter().enumerate() {
            let (links, rotation) = (&iterate.links, &iterate.rotation);
            rows_of(equation, links, rotation, group, &mut now);
        }
        for (off, (row, known)) in off[n..].iter_mut().zip(now.iter().zip(rows)) {
            *off = known.gap - row.gap;
        }
        off
    }

    /// Solves for the motion that undoes this.
    fn put_back(&mut self, mut off: Vec<f64>) {
        let Some(condensed) = &self.condensed else {
            return;
        };
        let iterate = &mut self.work.iterate;
        let (n, width) = (6 * self.bodies.len(), off.len());
        // of bodies and rows; segments go where they are taken
        let open = 6 * self.open.len();
        let place = |i: usize| if i < n { i } else { i + open };
        let entry = |i: usize, j: usize| condensed.whole[place(i) * (width + open) + place(j)];
        let (mut shift, mut turn, mut row) = (0.0f64, 0.0f64, 0.0f64);
        for i in 0..width {
            let most = match (i < n, i % 6 < 3) {
                (true, true) => &mut shift,
                (true, false) => &mut turn,
                _ => &mut row,
            };
            *most = most.max(entry(i, i));
        }
        let soft = |i: usize| match (i < n, i % 6 < 3) {
            (true, true) => SOFT * shift,
            (true, false) => SOFT * turn,
            _ => SOFT * row,
        };
        let whole = DenseFactor::new(width, |i, j| {
            entry(i, j) + if i == j { soft(i) } else { 0.0 }
        });
        whole.solve(&mut off);
        iterate.factor.clear_loads();
        for (i, load) in off[..n].iter().enumerate() {
            let body = Port {
                link: i / 6,
                lever: Vec3::ZERO,
            };
            body.load(&mut iterate.factor, i % 6, *load);
        }
        for (row, force) in condensed.rows.iter().zip(&off[n..]) {
            row.load(&mut iterate.factor, &iterate.links, *force);
        }
        iterate.factor.respond_to_loads();
    }

    /// Writes what has moved into the state of member `k`; whether it was a blow. The past is that of something that was there
    /// already and went so fast already: differences of any order find in it what was given, and no jump.
    fn write_back(&self, k: usize, strand: &mut StrandState, moved: &Moved<'_>) -> bool {
        let mut blow = false;
        let iterate = &self.work.iterate;
        let end = self.first.get(k + 1).copied().unwrap_or(self.chain.len());
        let [h1, h2] = if strand.depth > 0 {
            strand.steps
        } else {
            [0.0; 2]
        };
        for (j, own) in (self.first[k]..end).enumerate() {
            let (then, now) = (&moved.before[own], &iterate.links[own]);
            let kick = &moved.kicks[own];
            let past = &mut strand.history[j];
            // place and velocity of the centre
            let velocity = kick.shift + kick.spin.cross(then.centre - then.origin);
            let shift = now.centre - then.centre;
            blow |= velocity.length() > SNAP * (1.0 + past.velocity[0].length());
            for (centre, back) in past.centre.iter_mut().zip([0.0, h1, h1 + h2]) {
                *centre += shift - velocity * back;
            }
            for v in &mut past.velocity {
                *v += velocity;
            }
            // axes, and how fast they turn
            let turned = now.axes * then.axes.transpose();
            let back = Mat3::from_quat(drystone_base::functions::rotation_vector(kick.spin * -h1));
            past.axes = [now.axes, back * (turned * past.axes[1])];
            for (rate, axes) in past.axes_rate.iter_mut().zip(past.axes) {
                *rate = turned * *rate + skew_times(kick.spin, &axes);
            }
            // joint
            let rate = now.axes.transpose() * kick.joint;
            past.turn += rate * h1;
            past.rate_before += rate;
            strand.rate[j] += rate;
            let change = moved.rotation[own].conjugate() * iterate.rotation[own];
            strand.rotation[j] = (strand.rotation[j] * change).normalize();
            if let (Some(stretch), Some(e)) = (strand.stretch.get_mut(j), iterate.stretch.get(own))
            {
                let shift = e - moved.stretch[own];
                past.stretch_before += shift - kick.slide * h1;
                strand.stretch_rate[j] += kick.slide;
                *stretch += shift;
            }
            if k < self.bodies.len() {
                strand.base = Pose::at(now.centre);
                strand.rotation[j] = now.rotation;
            }
        }
        if let Some((link, at)) = &self.mounts[k] {
            let carrier = &iterate.links[*link];
            strand.base = Pose::new(carrier.origin, carrier.rotation).then(at);
        }
        blow
    }
}

/// Change of motion of a link.
struct Kick {
    spin: Vec3,
    /// Of its origin \[m/s\].
    shift: Vec3,
    joint: Vec3,
    slide: f64,
}

/// Where links were, and how their motion changes.
struct Moved<'a> {
    before: &'a [Link],
    rotation: &'a [Quat],
    stretch: &'a [f64],
    kicks: &'a [Kick],
}

impl System {
    /// From the next step on, these segments of strands on plain bases ([`crate::Base::is_plain`]) may be pushed between two
    /// steps, like bodies of a tree. A strand with such a segment is solved as a tree, be it alone.
    pub fn open_segments(&mut self, mut segments: Vec<Segment>) {
        segments.retain(|segment| {
            let chain = self.model.chains.get(segment.strand);
            chain.is_some_and(|chain| segment.link < chain.len() && chain.base.is_plain())
        });
        segments.sort_unstable();
        segments.dedup();
        self.open = segments;
    }

    /// Everything that was solved together in the last step and has a body or an open segment.
    pub fn trees(&self) -> impl Iterator<Item = TreeMembers> + '_ {
        let tree = |group: &Group| TreeMembers {
            bodies: group.bodies.clone(),
            segments: group.open.iter().map(|(segment, _)| *segment).collect(),
        };
        let trees = self.groups.iter().map(tree);
        trees.filter(|tree| !tree.bodies.is_empty() || !tree.segments.is_empty())
    }

    /// How the bodies and segments of a tree of the last step answer impulses that act within `span` seconds; none if there is no
    /// such tree.
    pub fn tree_response(&mut self, tree: &TreeMembers, span: f64) -> Option<TreeResponse> {
        let model = &self.model;
        let group = self.groups.iter_mut().find(|group| group.is(tree))?;
        group.condense(model, span)
    }

    /// What was solved with body `k` in the last step; nothing if it took no part.
    pub fn tree_of(&self, k: usize) -> TreeMembers {
        let tree = self.trees().find(|tree| tree.bodies.contains(&k));
        tree.unwrap_or_default()
    }

    /// Hands on at once what the bodies and segments of one tree have received within the last `span` seconds, and puts the
    /// bodies where they are; one entry for each, in its order. Everything that hangs from them and between them takes
    /// its part.
    pub fn take_impulses(
        &mut self,
        received: &[BodyImpulse],
        pushed: &[SegmentImpulse],
        span: f64,
    ) {
        let tree = TreeMembers {
            bodies: received.iter().map(|body| body.body).collect(),
            segments: pushed.iter().map(|segment| segment.segment).collect(),
        };
        let (state, model) = (&mut self.state, &self.model);
        if let Some(group) = self.groups.iter_mut().find(|group| group.is(&tree)) {
            if group.condensed.is_none() {
                group.condense(model, span);
            }
            for (link, own) in group.bodies.iter().enumerate() {
                group.principal[link] = self.model.bodies[*own].principal;
            }
            group.take(state, received, pushed);
        }
    }

    /// Motion of the segments of strand `i` about their centres, whose base is plain.
    pub fn segment_motions(&self, i: usize) -> Vec<BodyMotion> {
        let history = self.state.strands[i].history.iter();
        let motion = |(link, past): (Link, &History)| {
            let (axes, rate) = (&past.axes[0], &past.axes_rate[0]);
            let spin = axes.x_axis.cross(rate.x_axis)
                + axes.y_axis.cross(rate.y_axis)
                + axes.z_axis.cross(rate.z_axis);
            BodyMotion {
                pose: Pose::new(link.centre, link.rotation),
                linear_velocity: past.velocity[0],
                angular_velocity: spin * 0.5,
            }
        };
        let links = self.links(i).into_iter();
        links.zip(history).map(motion).collect()
    }

    /// Force \[N\] and torque about its centre \[N m\] on a segment in the next step, world axes: the step changes its momentum by
    /// exactly that.
    pub fn push_segment(&mut self, segment: Segment, force: Vec3, torque: Vec3) {
        let Some(strand) = self.state.strands.get_mut(segment.strand) else {
            return;
        };
        strand.pushes.resize(strand.rotation.len(), Push::default());
        if let Some(push) = strand.pushes.get_mut(segment.link) {
            push.load = [force, torque];
        }
    }
}

impl Group {
    fn is(&self, tree: &TreeMembers) -> bool {
        let segments = self.open.iter().map(|(segment, _)| segment);
        self.bodies == tree.bodies && segments.eq(&tree.segments)
    }
}
