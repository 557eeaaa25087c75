//! Bodies that give way and touch each other: an impulse on one of them reaches all at once.
//!
//! While cloth advances, contacts between bodies hold what they held in the bodies' own step, as stiff springs on
//! changes of velocity: an impulse `j` on the bodies changes their velocities by `R j`,
//!
//! `R = (M + Gᵀ S G)⁻¹`
//!
//! with the rows `G` of the contacts that hold (a normal, and two tangents where it sticks) and stiffnesses `S` a hundred
//! million times what the two bodies have along a row. `0 ≤ R ≤ M⁻¹` whatever holds, so that a kick is one on a system at
//! most as light as the free bodies; contacts act on both sides alike, so that momentum is kept; and rows that
//! depend on each other, as those of four corners do, ask for no care. To answer with the inertia of one body alone, or to
//! hand on to its neighbours later what it cannot take, throws light bodies about under heavy ones.
//!
//! Bodies that something else links, such as strands, come with the response `C` that this leaves them together;
//! with contacts besides it is `R = C − C Gᵀ (G C Gᵀ + S⁻¹)⁻¹ G C`, the same where `C` is the inverse of `M`.
//!
//! A contact lets go when it would have to pull more than it has pushed in this advance, and one that was
//! open holds from when cloth has closed it.

use drystone_base::lanes::Wide8;
use drystone_base::{Mat3, Vec3};
use drystone_complementarity::DenseFactor;
use drystone_complementarity::block_cholesky::Cholesky;
use serde::{Deserialize, Serialize};

use crate::body::{FreeBody, LinkedBodies, Response, Twist, dot};
use crate::clock::{Tick, seconds};

/// Stiffness of a row that holds, over the inertia of its two bodies along it \[1\]: what it lets through is the
/// inverse of that, and rounding of the factor some `1e-16` times it.
const STIFF: f64 = 1e8;
/// Pivots below this part of their diagonal are rounding \[1\].
const LOST: f64 = 1e-14;
/// Share of the impulse at work in a contact by which it may pull: rounding \[1\].
const PULL: f64 = 1e-6;
/// A row that answers with less than this part of what its bodies would alone is held by others already \[1\].
const HELD: f64 = 1e-5;
/// Rounds in which contacts let go and close at one time.
const ROUNDS: usize = 8;
/// No body: a side of a contact that cloth cannot move.
const NOBODY: u32 = u32::MAX;

/// A contact of bodies with each other, or with something that cloth cannot move, over one advance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyContact {
    /// Obstacles that it joins; none is something that cloth cannot move.
    pub obstacles: [Option<usize>; 2],
    /// Where it is at the start of the advance \[m\].
    pub point: Vec3,
    /// Direction in which it pushes the second obstacle; it cannot pull.
    pub normal: Vec3,
    /// Distance at the start of the advance \[m\].
    pub gap: f64,
    /// Impulse along the normal over the advance \[N s\].
    pub impulse: f64,
    /// Whether it holds at the start; if not, cloth may close it.
    pub holds: bool,
    /// Whether friction holds too.
    pub sticks: bool,
}

/// A contact in an island.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Joint {
    /// Places of the bodies in the island.
    bodies: [u32; 2],
    /// From their centres, at the start of the advance \[m\].
    arms: [Vec3; 2],
    normal: Vec3,
    /// Of its rows, the normal first \[kg\].
    stiffness: [f64; 3],
    gap: f64,
    /// What it has pushed when the response was made \[N s\].
    impulse: f64,
    /// What it has pushed or pulled since, to hold back what cloth pressed \[N s\]; written by `hand_on` and `close`.
    added: f64,
    holds: bool,
    sticks: bool,
}

/// Rows of a contact on its two bodies, scaled by the root of their stiffness.
type Rows = [[[f64; 6]; 3]; 2];

/// Bodies joined by contacts that hold or may close.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Island {
    /// Numbers of the obstacles, ascending.
    bodies: Vec<u32>,
    joints: Vec<Joint>,
    /// Bodies that are linked otherwise.
    #[serde(default)]
    links: Vec<Link>,
    /// Whether a body was kicked, or came to a key, since contacts were last looked at.
    pub(crate) disturbed: bool,
    /// Made again from the rest when it is needed.
    #[serde(skip)]
    response: Cache,
}

/// Bodies of an island that answer together without its contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Link {
    /// Their places in the island.
    places: Vec<u32>,
    /// Row by row, twist of each by impulse and moment on each.
    response: Vec<f64>,
}

/// How the island answers; equal islands answer alike.
#[derive(Clone, Debug, Default)]
struct Cache {
    /// If it is made.
    factor: Option<Factor>,
    /// Per body that was asked for: what an impulse on it does.
    columns: Vec<Option<Column>>,
}

/// What the response is found with.
#[derive(Clone, Debug)]
enum Factor {
    /// Factor of `M + Gᵀ S G`.
    Bodies(Box<Cholesky>),
    /// Where bodies are linked: factor of `G C Gᵀ + S⁻¹`, rows scaled by the root of their stiffness.
    Rows(DenseFactor),
}

/// How the island answers impulses and moments on its bodies.
struct Answered {
    /// Change of twist of each body.
    change: Vec<Twist>,
    /// What each joint pushes along its normal \[N s\].
    pushes: Vec<f64>,
    /// What contacts leave of the impulses on each body.
    left: Vec<Twist>,
}

/// What an impulse and a moment on one body do.
#[derive(Clone, Debug)]
struct Column {
    /// To each body of the island.
    bodies: Vec<Cross>,
    /// What contacts leave of them, and exert on others, if bodies are linked.
    left: Vec<Cross>,
    /// Per joint: what it pushes along its normal \[N s\].
    joints: Vec<Twist>,
}

impl PartialEq for Cache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Change of velocity and spin of one body by impulse and moment on another.
#[derive(Clone, Copy, Debug, Default)]
struct Cross {
    velocity: [Mat3; 2],
    spin: [Mat3; 2],
}

impl Cross {
    #[inline]
    fn times(&self, [impulse, moment]: Twist) -> Twist {
        [
            self.velocity[0] * impulse + self.velocity[1] * moment,
            self.spin[0] * impulse + self.spin[1] * moment,
        ]
    }
}

/// The bodies of a list, of which those named give way.
type Bodies = [Option<FreeBody>];

impl Island {
    /// Groups the bodies that `contacts` or `links` join, and tells each where it is.
    pub(crate) fn all(
        contacts: &[BodyContact],
        links: &[LinkedBodies],
        bodies: &mut Bodies,
    ) -> Vec<Self> {
        let is_free = |k: &usize| matches!(bodies.get(*k), Some(Some(_)));
        let sides = |contact: &BodyContact| contact.obstacles.map(|side| side.filter(is_free));
        // the smallest number of each group stands for it
        let mut group: Vec<usize> = (0..bodies.len()).collect();
        fn find(group: &mut [usize], k: usize) -> usize {
            let mut root = k;
            while group[root] != root {
                group[root] = group[group[root]];
                root = group[root];
            }
            root
        }
        let mut joined = vec![false; bodies.len()];
        for contact in contacts {
            let [a, b] = sides(contact);
            for k in [a, b].into_iter().flatten() {
                joined[k] = true;
            }
            if let (Some(a), Some(b)) = (a, b) {
                let (a, b) = (find(&mut group, a), find(&mut group, b));
                group[a.max(b)] = a.min(b);
            }
        }
        for link in links {
            for k in &link.obstacles {
                joined[*k] = true;
                let (a, b) = (find(&mut group, link.obstacles[0]), find(&mut group, *k));
                group[a.max(b)] = a.min(b);
            }
        }
        // islands in the order of their first body
        let mut islands: Vec<Self> = Vec::new();
        let mut number = vec![usize::MAX; bodies.len()];
        let mut place = vec![NOBODY; bodies.len()];
        for k in (0..bodies.len()).filter(|k| joined[*k]) {
            let root = find(&mut group, k);
            if number[root] == usize::MAX {
                number[root] = islands.len();
                islands.push(Self {
                    bodies: Vec::new(),
                    joints: Vec::new(),
                    links: Vec::new(),
                    disturbed: false,
                    response: Cache::default(),
                });
            }
            number[k] = number[root];
            place[k] = islands[number[k]].bodies.len() as u32;
            islands[number[k]].bodies.push(k as u32);
        }
        for link in links {
            let places = link.obstacles.iter().map(|k| place[*k]);
            islands[number[link.obstacles[0]]].links.push(Link {
                places: places.collect(),
                response: link.response.clone(),
            });
        }
        for contact in contacts {
            let sides = sides(contact);
            let Some(first) = sides.into_iter().flatten().next() else {
                continue;
            };
            let bodies = sides.map(|side| side.and_then(|k| bodies[k].as_ref()));
            let arms =
                bodies.map(|body| body.map_or(Vec3::ZERO, |b| contact.point - b.start_centre()));
            let stiffness = directions(contact.normal).map(|along| {
                let light =
                    |side: usize| bodies[side].map_or(0.0, |b| b.lightness(arms[side], along));
                STIFF / (light(0) + light(1))
            });
            islands[number[first]].joints.push(Joint {
                bodies: sides.map(|side| side.map_or(NOBODY, |k| place[k])),
                arms,
                normal: contact.normal,
                stiffness,
                gap: contact.gap,
                impulse: contact.impulse,
                added: 0.0,
                holds: contact.holds,
                sticks: contact.sticks,
            });
        }
        for (i, island) in islands.iter_mut().enumerate() {
            for (place, k) in island.bodies.iter().enumerate() {
                if let Some(body) = &mut bodies[*k as usize] {
                    body.join(i as u32, place as u32);
                }
            }
        }
        islands
    }

    /// Takes back what the bodies' step made of loads that only foretold what cloth would press: impulse and moment of
    /// each over the advance.
    pub(crate) fn withdraw(&mut self, loads: &[Twist], bodies: &mut Bodies, span: f64) {
        let load = |k: &u32| loads.get(*k as usize).copied().unwrap_or_default();
        if self.bodies.iter().all(|k| load(k) == [Vec3::ZERO; 2]) {
            return;
        }
        let factor = self.factored(bodies);
        let loads: Vec<Twist> = self.bodies.iter().map(load).collect();
        let answered = self.answer(&factor, &loads, bodies);
        let Answered { change, pushes, .. } = &answered;
        // no more than the bodies have of it: where contacts held although they count as open there is nothing to take
        let (mut has, mut whole) = (0.0, 0.0);
        for (place, change) in change.iter().enumerate() {
            if let Some(body) = self.body(place as u32, bodies) {
                let momentum = body.momentum(*change);
                has += dot(body.end_twist(), momentum);
                whole += dot(*change, momentum);
            }
        }
        let share = match self.links.is_empty() {
            true => (has / whole.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0),
            false => {
                self.withdraw_linked(&loads, &answered, bodies, span);
                0.0
            }
        };
        if share > 0.0 {
            for (k, change) in self.bodies.iter().zip(change) {
                if let Some(body) = &mut bodies[*k as usize] {
                    body.withdraw(change.map(|part| part * share), span);
                }
            }
        }
        self.calm(&factor, &loads, pushes);
        self.response.factor = Some(factor);
        self.response.columns = vec![None; self.bodies.len()];
    }

    /// Takes back what the step of linked bodies made of such loads. It was linear, so that all of it is theirs.
    fn withdraw_linked(
        &self,
        loads: &[Twist],
        answered: &Answered,
        bodies: &mut Bodies,
        span: f64,
    ) {
        // what of the loads has moved them, and what other forces held back
        let (mut moved, mut whole) = (0.0, 0.0);
        for (place, (load, change)) in loads.iter().zip(&answered.change).enumerate() {
            if let Some(body) = self.body(place as u32, bodies) {
                moved += dot(*load, body.gathered());
                whole += dot(*load, *change);
            }
        }
        let balanced = 1.0 - (moved / whole.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        let all = answered.change.iter().zip(&answered.left);
        for (k, (change, left)) in self.bodies.iter().zip(all) {
            if let Some(body) = &mut bodies[*k as usize] {
                body.withdraw_linked(*left, *change, balanced, span);
            }
        }
    }

    /// Contacts have pushed so much less as the loads that foretold it were not there.
    fn calm(&mut self, factor: &Factor, loads: &[Twist], pushes: &[f64]) {
        let Factor::Bodies(factor) = factor else {
            let holding = self.joints.iter_mut().zip(pushes);
            for (joint, push) in holding.filter(|(joint, _)| joint.holds) {
                joint.impulse = (joint.impulse - push).max(0.0);
            }
            return;
        };
        let mut x: Vec<Wide8<f64>> = loads.iter().map(|load| wide(*load)).collect();
        factor.solve(&mut x, &mut Vec::new());
        for joint in self.joints.iter_mut().filter(|joint| joint.holds) {
            let parting = joint.parting(|p| x.get(p as usize).map_or([Vec3::ZERO; 2], twist));
            joint.impulse = (joint.impulse + joint.stiffness[0] * parting).max(0.0);
        }
    }

    /// Change of twist of each body by impulses and moments, and what each joint pushes along its normal. The first
    /// is found from what contacts exert, which is the same on both sides: rounding of the factor costs no momentum.
    fn answer(&self, factor: &Factor, impulses: &[Twist], bodies: &Bodies) -> Answered {
        let mut pushes = vec![0.0; self.joints.len()];
        let mut left = impulses.to_vec();
        let factor = match factor {
            Factor::Bodies(factor) => factor,
            Factor::Rows(factor) => {
                let rows = self.rows_that_hold();
                let x = self.without_contacts(impulses, bodies);
                let mut exerted: Vec<f64> = rows.iter().map(|row| row.along(&x)).collect();
                factor.solve(&mut exerted);
                for (row, exerted) in rows.iter().zip(exerted) {
                    if row.number == 0 {
                        let joint = &self.joints[row.joint];
                        pushes[row.joint] = -joint.stiffness[0].sqrt() * exerted;
                    }
                    row.add(-exerted, &mut left);
                }
                let change = self.without_contacts(&left, bodies);
                return Answered {
                    change,
                    pushes,
                    left,
                };
            }
        };
        let mut x: Vec<Wide8<f64>> = impulses.iter().map(|j| wide(*j)).collect();
        factor.solve(&mut x, &mut Vec::new());
        for (joint, push) in self.joints.iter().zip(&mut pushes) {
            if !joint.holds {
                continue;
            }
            let rows = joint.rows();
            for r in 0..3 {
                let along = |side: usize| {
                    let x = x.get(joint.bodies[side] as usize);
                    x.map_or(0.0, |x| (0..6).map(|i| rows[side][r][i] * x.0[i]).sum())
                };
                let exerted: f64 = along(0) + along(1);
                if r == 0 {
                    *push = -joint.stiffness[0].sqrt() * exerted;
                }
                for side in 0..2 {
                    if let Some(left) = left.get_mut(joint.bodies[side] as usize) {
                        let [x, y, z, u, v, w] = rows[side][r];
                        left[0] -= Vec3::new(x, y, z) * exerted;
                        left[1] -= Vec3::new(u, v, w) * exerted;
                    }
                }
            }
        }
        Answered {
            change: self.without_contacts(&left, bodies),
            pushes,
            left,
        }
    }

    /// Change of twist of each body by impulses and moments, if no contact held any of them.
    fn without_contacts(&self, impulses: &[Twist], bodies: &Bodies) -> Vec<Twist> {
        let alone = impulses.iter().enumerate().map(|(place, impulse)| {
            let body = self.body(place as u32, bodies);
            body.map_or([Vec3::ZERO; 2], |body| body.alone(*impulse))
        });
        let mut change: Vec<Twist> = alone.collect();
        for link in &self.links {
            let on = |place: &u32| impulses[*place as usize].map(|v| v.to_array());
            let loads: Vec<f64> = link.places.iter().flat_map(|p| on(p).concat()).collect();
            let answer = link.response.chunks_exact(loads.len().max(1));
            let answer = answer.map(|row| row.iter().zip(&loads).map(|(r, x)| r * x).sum());
            let answer: Vec<f64> = answer.collect();
            for (place, twist) in link.places.iter().zip(answer.chunks_exact(6)) {
                change[*place as usize] =
                    [Vec3::from_slice(&twist[..3]), Vec3::from_slice(&twist[3..])];
            }
        }
        change
    }

    /// Rows of the contacts that hold.
    fn rows_that_hold(&self) -> Vec<HeldRow> {
        let holding = self.joints.iter().enumerate().filter(|(_, j)| j.holds);
        let rows = holding.flat_map(|(k, joint)| {
            let (rows, count) = (joint.rows(), if joint.sticks { 3 } else { 1 });
            (0..count).map(move |number| HeldRow {
                joint: k,
                number,
                bodies: joint.bodies,
                sides: [rows[0][number], rows[1][number]],
            })
        });
        rows.collect()
    }

    /// Factor of `G C Gᵀ + S⁻¹`.
    fn factored_rows(&self, bodies: &Bodies) -> DenseFactor {
        let rows = self.rows_that_hold();
        let moved: Vec<Vec<Twist>> = rows
            .iter()
            .map(|row| {
                let mut push = vec![[Vec3::ZERO; 2]; self.bodies.len()];
                row.add(1.0, &mut push);
                self.without_contacts(&push, bodies)
            })
            .collect();
        DenseFactor::new(rows.len(), |i, j| {
            rows[j].along(&moved[i]) + if i == j { 1.0 } else { 0.0 }
        })
    }

    fn body<'a>(&self, place: u32, bodies: &'a Bodies) -> Option<&'a FreeBody> {
        let k = self.bodies.get(place as usize)?;
        bodies.get(*k as usize)?.as_ref()
    }

    /// What the response is found with.
    fn factored(&self, bodies: &Bodies) -> Factor {
        if !self.links.is_empty() {
            return Factor::Rows(self.factored_rows(bodies));
        }
        let mut factor = Box::<Cholesky>::default();
        let holding = || self.joints.iter().filter(|joint| joint.holds);
        let pairs = holding().map(|joint| joint.bodies);
        let mut edges: Vec<[u32; 2]> = pairs.filter(|pair| !pair.contains(&NOBODY)).collect();
        edges.sort_unstable();
        edges.dedup();
        factor.analyse(self.bodies.len(), &edges, f64::MAX);
        factor.clear();
        for (p, k) in self.bodies.iter().enumerate() {
            if let Some(body) = &bodies[*k as usize] {
                let (mass, inertia) = body.mass();
                let own = factor.own(p);
                for i in 0..3 {
                    own[i].0[i] += mass;
                    for (j, x) in inertia.col(i).to_array().into_iter().enumerate() {
                        own[i + 3].0[j + 3] += x;
                    }
                }
            }
        }
        for joint in holding() {
            let [a, b] = joint.rows();
            let [p, q] = joint.bodies.map(|p| p as usize);
            for (place, rows) in [(p, &a), (q, &b)] {
                if place < self.bodies.len() {
                    factor.add_product((place, place), rows, rows);
                }
            }
            if p < self.bodies.len() && q < self.bodies.len() {
                factor.add_product((p, q), &a, &b);
            }
        }
        factor.factor(LOST);
        Factor::Bodies(factor)
    }

    /// What body `place` answers to an impulse on itself, if that is not known already.
    pub(crate) fn respond(&mut self, place: u32, bodies: &mut Bodies) {
        let p = place as usize;
        if matches!(self.response.columns.get(p), Some(Some(_))) {
            return;
        }
        if self.response.factor.is_none() {
            let factor = self.factored(bodies);
            self.response.factor = Some(factor);
            self.response.columns = vec![None; self.bodies.len()];
        }
        let Some(factor) = &self.response.factor else {
            return;
        };
        let linked = if self.links.is_empty() {
            0
        } else {
            self.bodies.len()
        };
        let mut column = Column {
            bodies: vec![Cross::default(); self.bodies.len()],
            left: vec![Cross::default(); linked],
            joints: vec![[Vec3::ZERO; 2]; self.joints.len()],
        };
        for i in 0..6 {
            let (part, c) = (i / 3, i % 3);
            let mut unit = vec![[Vec3::ZERO; 2]; self.bodies.len()];
            unit[p][part][c] = 1.0;
            let answer = self.answer(factor, &unit, bodies);
            for (by, push) in column.joints.iter_mut().zip(answer.pushes) {
                by[part][c] = push;
            }
            let both = [
                (&mut column.bodies, answer.change),
                (&mut column.left, answer.left),
            ];
            for (crosses, twists) in both {
                for (cross, [v, w]) in crosses.iter_mut().zip(twists) {
                    *cross.velocity[part].col_mut(c) = v;
                    *cross.spin[part].col_mut(c) = w;
                }
            }
        }
        if let Some(body) = &mut bodies[self.bodies[p] as usize] {
            let own = &column.bodies[p];
            body.response = Response::symmetric(own.velocity[0], own.velocity[1], own.spin[1]);
        }
        self.response.columns[p] = Some(column);
    }

    /// Hands an impulse on body `place`, which has answered it, on to the others at `t`.
    #[inline]
    pub(crate) fn hand_on(&mut self, place: u32, impulse: Twist, bodies: &mut Bodies, t: Tick) {
        self.disturbed = true;
        let Some(Some(column)) = self.response.columns.get(place as usize) else {
            return;
        };
        for (joint, by) in self.joints.iter_mut().zip(&column.joints) {
            joint.added += dot(*by, impulse);
        }
        for ((p, k), cross) in self.bodies.iter().enumerate().zip(&column.bodies) {
            if p != place as usize
                && let Some(body) = &mut bodies[*k as usize]
            {
                body.change(t, cross.times(impulse));
            }
        }
        for (k, left) in self.bodies.iter().zip(&column.left) {
            if let Some(body) = &mut bodies[*k as usize] {
                body.share(t, left.times(impulse));
            }
        }
    }

    /// After kicks: contacts that would pull let go, and those that cloth has closed hold.
    pub(crate) fn settle(&mut self, bodies: &mut Bodies, t: Tick) {
        self.disturbed = false;
        for _ in 0..ROUNDS {
            if !self.release() && !self.close(bodies, t) {
                return;
            }
        }
    }

    /// Lets go of contacts that would have to pull; velocities stay as they are. False if there are none.
    fn release(&mut self) -> bool {
        let pulls = |joint: &Joint| {
            joint.holds && joint.impulse + joint.added < -PULL * (joint.impulse + joint.added.abs())
        };
        if !self.joints.iter().any(pulls) {
            return false;
        }
        for joint in &mut self.joints {
            joint.holds &= !pulls(joint);
        }
        self.renew();
        true
    }

    /// What contacts have added is theirs; the response is made anew when it is asked for.
    fn renew(&mut self) {
        for joint in &mut self.joints {
            joint.impulse = (joint.impulse + std::mem::take(&mut joint.added)).max(0.0);
        }
        self.response = Cache::default();
    }

    /// Where an open contact is at `t`: its gap \[m\], and how fast it opens, by cloth and in all \[m/s\].
    fn gap(&self, joint: &Joint, bodies: &Bodies, t: Tick) -> (f64, f64, f64) {
        let (mut gap, mut by_cloth, mut in_all) = (joint.gap, 0.0, 0.0);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Some(body) = self.body(joint.bodies[side], bodies) {
                let (moved, arm) = body.moved(joint.arms[side], t);
                let at = |[v, w]: Twist| joint.normal.dot(v + w.cross(arm));
                gap += sign * joint.normal.dot(moved);
                by_cloth += sign * at(body.gained());
                in_all += sign * at(body.twist(t));
            }
        }
        (gap, by_cloth, in_all)
    }

    /// Stops what cloth has driven into open contacts, which then hold. False if there are none.
    fn close(&mut self, bodies: &mut Bodies, t: Tick) -> bool {
        for i in 0..self.joints.len() {
            let joint = self.joints[i];
            if joint.holds {
                continue;
            }
            let (gap, by_cloth, in_all) = self.gap(&joint, bodies, t);
            // their own motion is the bodies' own business
            let wanted = (in_all - by_cloth).min(0.0);
            if gap > 0.0 || by_cloth >= 0.0 || in_all >= wanted {
                continue;
            }
            if self.response.factor.is_none() {
                self.response.factor = Some(self.factored(bodies));
                self.response.columns = vec![None; self.bodies.len()];
            }
            let mut push = vec![[Vec3::ZERO; 2]; self.bodies.len()];
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                if let Some(push) = push.get_mut(joint.bodies[side] as usize) {
                    let along = joint.normal * sign;
                    *push = [along, joint.arms[side].cross(along)];
                }
            }
            let Some(factor) = &self.response.factor else {
                return false;
            };
            let answered = self.answer(factor, &push, bodies);
            let x = &answered.change;
            let answer = joint.parting(|p| x.get(p as usize).copied().unwrap_or_default());
            let mut impulse = 0.0;
            if answer > HELD * STIFF / joint.stiffness[0] {
                impulse = (wanted - in_all) / answer;
                for ((k, x), left) in self.bodies.iter().zip(x).zip(&answered.left) {
                    if let Some(body) = &mut bodies[*k as usize] {
                        body.change(t, x.map(|part| part * impulse));
                        body.share(t, left.map(|part| part * impulse));
                    }
                }
                for (joint, push) in self.joints.iter_mut().zip(answered.pushes) {
                    joint.added += push * impulse;
                }
            }
            self.renew();
            (self.joints[i].holds, self.joints[i].impulse) = (true, impulse);
            return true;
        }
        false
    }

    /// Seconds until an open contact of body `place` closes as cloth has it, at most `within`.
    pub(crate) fn closes_in(&self, place: u32, bodies: &Bodies, t: Tick, within: f64) -> f64 {
        let mut least = within;
        for joint in &self.joints {
            if joint.holds || !joint.bodies.contains(&place) {
                continue;
            }
            let (gap, by_cloth, in_all) = self.gap(joint, bodies, t);
            if gap > 0.0 && by_cloth < 0.0 && in_all < 0.0 {
                least = least.min(gap / -in_all);
            }
        }
        least
    }

    pub(crate) fn is_sound(&self, bodies: &Bodies) -> bool {
        let known = |p: &u32| *p == NOBODY || (*p as usize) < self.bodies.len();
        let linked = |link: &Link| {
            link.places
                .iter()
                .all(|p| (*p as usize) < self.bodies.len())
                && link.response.len() == 36 * link.places.len() * link.places.len()
                && link.response.iter().all(|x| x.is_finite())
        };
        (self.bodies.iter()).all(|k| (*k as usize) < bodies.len())
            && self.links.iter().all(linked)
            && self.joints.iter().all(|joint| {
                joint.bodies.iter().all(known)
                    && joint.normal.is_finite()
                    && joint.impulse.is_finite()
            })
    }
}

/// A row of a contact that holds, scaled by the root of its stiffness.
struct HeldRow {
    joint: usize,
    /// 0 of the normal.
    number: usize,
    bodies: [u32; 2],
    sides: [[f64; 6]; 2],
}

impl HeldRow {
    /// Motion along it.
    fn along(&self, twists: &[Twist]) -> f64 {
        let side = |(place, row): (u32, &[f64; 6])| {
            let of = twists.get(place as usize);
            of.map_or(0.0, |twist| dot(row_twist(row), *twist))
        };
        let [a, b] = &self.sides;
        side((self.bodies[0], a)) + side((self.bodies[1], b))
    }

    /// Adds its load, `size` times, to those on the bodies.
    fn add(&self, size: f64, loads: &mut [Twist]) {
        for (place, row) in self.bodies.iter().zip(&self.sides) {
            if let Some(load) = loads.get_mut(*place as usize) {
                let [force, moment] = row_twist(row);
                load[0] += force * size;
                load[1] += moment * size;
            }
        }
    }
}

fn row_twist(row: &[f64; 6]) -> Twist {
    [Vec3::from_slice(&row[..3]), Vec3::from_slice(&row[3..])]
}

impl Joint {
    /// Its rows on the first body and on the second, scaled by the root of their stiffness.
    fn rows(&self) -> Rows {
        let mut rows = Rows::default();
        let count = if self.sticks { 3 } else { 1 };
        let along = directions(self.normal).into_iter().zip(self.stiffness);
        for (r, (along, stiffness)) in along.take(count).enumerate() {
            let scale = stiffness.sqrt();
            for (side, sign) in [(0, -scale), (1, scale)] {
                let (linear, angular) = (along * sign, self.arms[side].cross(along) * sign);
                let [x, y, z] = linear.to_array();
                let [u, v, w] = angular.to_array();
                rows[side][r] = [x, y, z, u, v, w];
            }
        }
        rows
    }

    /// How fast the second body leaves the first along the normal, by the twist of each.
    fn parting(&self, twist: impl Fn(u32) -> Twist) -> f64 {
        let at = |side: usize| {
            let row = [self.normal, self.arms[side].cross(self.normal)];
            match self.bodies[side] {
                NOBODY => 0.0,
                place => dot(row, twist(place)),
            }
        };
        at(1) - at(0)
    }
}

/// A normal and two tangents.
fn directions(normal: Vec3) -> [Vec3; 3] {
    let (t1, t2) = normal.any_orthonormal_pair();
    [normal, t1, t2]
}

fn wide([a, b]: Twist) -> Wide8<f64> {
    Wide8([a.x, a.y, a.z, b.x, b.y, b.z, 0.0, 0.0])
}

fn twist(x: &Wide8<f64>) -> Twist {
    let x = &x.0;
    [Vec3::new(x[0], x[1], x[2]), Vec3::new(x[3], x[4], x[5])]
}

/// Time of `t` and some seconds, at least a tick later.
pub(crate) fn later(t: Tick, by: f64) -> Tick {
    t.saturating_add(crate::clock::ticks(by).max(1))
}

/// Seconds from `t` to `end`.
pub(crate) fn left(t: Tick, end: Tick) -> f64 {
    seconds(end.saturating_sub(t))
}
