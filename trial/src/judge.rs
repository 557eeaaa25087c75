//! Runs a scene and holds it to the laws.

use std::panic::{AssertUnwindSafe, catch_unwind};

use drystone_base::Vec3;
use drystone_world::{CLOTH_GAIN_SHARE, FindingKind, Motion, Report, Scene, Shape, World};
use serde::Serialize;

use crate::laws::{
    ANGULAR_MOMENTUM, AT_REST, ENERGY, ENERGY_ALONE, ENERGY_KEPT, ENERGY_SOFT, MOMENTUM,
    RESOLVED_TURN, RESTING, RESTING_STANDS, STANDS, THROUGH,
};
use crate::overlap::Overlaps;
use crate::{Breach, Expect, Law, Trial, cpu_seconds};

/// Limits of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Longest processor time of a run, on one thread \[s\].
    pub seconds: f64,
    /// Whether the scene is run again on two threads and compared bit for bit.
    pub threads: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            seconds: 30.0,
            threads: false,
        }
    }
}

/// Outcome of a trial.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// Laws broken, each once, with the worst value.
    pub breaches: Vec<Breach>,
    /// Steps taken.
    pub steps: u64,
    /// Processor time of the run \[s\].
    pub seconds: f64,
    /// Stands for all that moves at the end, bit for bit.
    pub hash: u64,
}

impl Outcome {
    /// The breach of `law`, if it was broken.
    pub fn breach(&self, law: Law) -> Option<&Breach> {
        self.breaches.iter().find(|breach| breach.law == law)
    }
}

/// Runs `trial` and says which laws it broke. A panic of the engine is a broken law.
pub fn judge(trial: &Trial, limits: &Limits) -> Outcome {
    let run = |scene: &Scene| {
        catch_unwind(AssertUnwindSafe(|| {
            run(scene, trial.expect, limits.seconds)
        }))
        .unwrap_or_else(|panic| {
            let words = panic.downcast_ref::<String>().cloned();
            let words = words.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
            happened(Law::Panics, 0.0, words.unwrap_or_default())
        })
    };
    let mut outcome = run(&trial.scene);
    if limits.threads && outcome.breaches.is_empty() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let again = pool.map_or_else(
            |_| outcome.clone(),
            |pool| pool.install(|| run(&trial.scene)),
        );
        let ended = again.breach(Law::Time).is_none();
        if ended && (again.hash, again.steps) != (outcome.hash, outcome.steps) {
            let words = format!("{:016x} and {:016x}", outcome.hash, again.hash);
            outcome.breaches.push(Breach {
                law: Law::Threads,
                value: 1.0,
                allowed: 0.0,
                time: trial.scene.duration,
                who: words,
            });
        }
    }
    outcome
}

/// The outcome of a run that did not take place.
fn happened(law: Law, time: f64, who: String) -> Outcome {
    Outcome {
        breaches: vec![Breach {
            law,
            value: 1.0,
            allowed: 0.0,
            time,
            who,
        }],
        ..Outcome::default()
    }
}

fn run(scene: &Scene, expect: Expect, most_seconds: f64) -> Outcome {
    let started = cpu_seconds();
    let mut world = match World::new(scene) {
        Ok(world) => world,
        Err(error) => return happened(Law::Refused, 0.0, error.to_string()),
    };
    let mut judge = Judge::new(&world, expect);
    let steps = (scene.duration / world.step_length() - 1e-6)
        .ceil()
        .max(1.0) as u64;
    for _ in 0..steps {
        let report = world.step();
        judge.step(&world, &report);
        // what else the machine does must break no law
        let spent = cpu_seconds() - started;
        if spent > most_seconds {
            judge.note(Law::Time, spent, most_seconds, &world, String::new);
            break;
        }
        if judge.hopeless {
            break;
        }
    }
    judge.finish(&world);
    Outcome {
        breaches: judge.breaches,
        steps: world.system().state.step,
        seconds: cpu_seconds() - started,
        hash: hash(&world),
    }
}

/// FNV-1a over all that moves.
fn hash(world: &World) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |x: f64| {
        for byte in x.to_bits().to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    };
    let mut vector = |v: Vec3| v.to_array().into_iter().for_each(&mut take);
    let frame = world.frame();
    for body in &frame.bodies {
        vector(body.pose.position);
        vector(Vec3::from_slice(&body.pose.rotation.to_array()[..3]));
        vector(body.linear_velocity);
        vector(body.angular_velocity);
    }
    for points in frame.strands.iter().map(|s| &s.points) {
        points.iter().for_each(|&p| vector(p));
    }
    for points in frame.cloths.iter().map(|c| &c.points) {
        points.iter().for_each(|&p| vector(p));
    }
    hash
}

/// A box of the scene, with its half extents \[m\].
struct Slab {
    body: usize,
    half: Vec3,
    /// By pair, the side of the middle plane of `a`, across its thinnest axis, on which the centre of `b` was.
    side: Vec<f64>,
}

/// Watches a run.
struct Judge {
    expect: Expect,
    breaches: Vec<Breach>,
    /// Whether going on would show nothing more.
    hopeless: bool,
    /// Whether nothing is fixed and there is no gravity, so that momenta are constant.
    free: bool,
    /// Whether energy has to be kept, not only never gained.
    keeps_energy: bool,
    /// Strands or cloth take part.
    soft: bool,
    /// Something puts energy in, or all that moves is cloth: the account of the cloth alone is judged.
    driven: bool,
    /// Energy at the start \[J\].
    energy: f64,
    /// Energy that gains are compared with \[J\].
    energy_scale: f64,
    energy_allowed: f64,
    /// `sqrt(2 M K)` at the start \[kg m/s\].
    momentum_scale: f64,
    momentum: Vec3,
    angular_momentum: Vec3,
    overlaps: Overlaps,
    /// Radius about the centre of mass that holds all of a body \[m\].
    reach: Vec<f64>,
    start: Vec<Vec3>,
    slabs: Vec<Slab>,
    /// Corners of the closed room \[m\].
    room: Option<(Vec3, Vec3)>,
}

impl Judge {
    fn new(world: &World, expect: Expect) -> Self {
        // the bodies and how far they reach
        let (state, model) = (&world.system().state, &world.system().model);
        let scene = world.scene();
        let n = model.len();
        let soft = world.strands().is_some() || world.cloths().is_some();
        let gravity = Vec3::from(scene.gravity);
        let moves = |i: usize| model.is_dynamic(i) && state.present[i];
        let bodies = world.bodies();
        let reach: Vec<f64> = (0..n)
            .map(|i| {
                let centre = state
                    .shape_pose(model, i)
                    .inverse()
                    .point(state.position[i]);
                let reach = model.shape[i].bounding_radius(centre);
                if reach.is_finite() { reach } else { 0.0 }
            })
            .collect();

        // what can fall: every body to the height of the lowest, and by its own size
        let up = -gravity.normalize_or_zero();
        let height = |i: usize| up.dot(state.position[i]);
        let heights = (0..n).filter(|&i| moves(i)).map(height);
        let lowest = heights.fold(f64::INFINITY, f64::min);
        let weight = |i: usize| model.mass[i] * gravity.length() * (height(i) - lowest + reach[i]);
        let mut fall: f64 = (0..n).filter(|&i| moves(i)).map(weight).sum();
        let kinetic = world.kinetic_energy();
        if soft {
            fall += soft_fall(world, gravity.length());
        }
        let mass = world.moving_mass();
        let free = gravity == Vec3::ZERO && !soft && (0..n).all(moves);

        // what may do work, and what the step resolves
        let only_cloth =
            world.cloths().is_some() && world.strands().is_none() && !(0..n).any(moves);
        let layers = world.cloths().map_or(0.0, |cloth| cloth.energy().contact);

        let spin = |i: usize| state.angular_velocity[i].length() * world.step_length();
        let resolved = n != 1 || spin(0) < RESOLVED_TURN;
        let slab = |body: usize| match bodies[body].shape {
            Shape::Box { size } => Some(Slab {
                body,
                half: Vec3::from(size) * 0.5,
                side: vec![0.0; n],
            }),
            _ => None,
        };
        // walls that nothing may pass
        let fixed = bodies.iter().filter(|b| b.motion == Motion::Fixed);
        let corners = fixed.filter_map(|b| b.shape.bounds_in(&b.pose()));
        let room = corners.reduce(|(l, h), (low, high)| (l.min(low), h.max(high)));
        let mut judge = Self {
            expect,
            breaches: Vec::new(),
            hopeless: false,
            free,
            keeps_energy: expect.keeps_energy && resolved,
            soft,
            driven: expect.driven || only_cloth,
            energy: total_energy(world) + layers,
            energy_scale: (kinetic + fall).max(f64::MIN_POSITIVE),
            energy_allowed: if soft {
                ENERGY_SOFT
            } else if n == 1 {
                ENERGY_ALONE
            } else {
                ENERGY
            },
            momentum_scale: (2.0 * mass * kinetic).sqrt(),
            momentum: world.momentum(),
            angular_momentum: world.angular_momentum(),
            overlaps: Overlaps::new(world),
            reach,
            start: state.position.clone(),
            slabs: (0..n).filter_map(slab).collect(),
            room: room.filter(|_| expect.closed),
        };
        judge.cross(world);
        judge.measure_depth(world);
        judge
    }

    /// Keeps the worst value of a law that is broken.
    fn note(
        &mut self,
        law: Law,
        value: f64,
        allowed: f64,
        world: &World,
        who: impl FnOnce() -> String,
    ) {
        if value <= allowed {
            return;
        }
        if let Some(known) = self.breaches.iter_mut().find(|b| b.law == law) {
            if value > known.value || value.is_nan() {
                (known.value, known.who) = (value, who());
            }
            return;
        }
        self.breaches.push(Breach {
            law,
            value,
            allowed,
            time: world.time(),
            who: who(),
        });
    }

    fn step(&mut self, world: &World, report: &Report) {
        if self.lost(world, report) {
            self.hopeless = true;
            return;
        }
        self.measure_energy(world);
        if self.free {
            self.measure_momentum(world);
        }
        self.cross(world);
        self.measure_depth(world);
        if self.soft {
            self.measure_soft(world);
        }
    }

    /// Whether numbers are no longer finite or something was quarantined; also looks for what left the scene.
    fn lost(&mut self, world: &World, report: &Report) -> bool {
        let (state, model) = (&world.system().state, &world.system().model);
        let name = |i: usize| world.bodies()[i].name.clone();
        let (mut gone, mut behind) = (Vec::new(), Vec::new());
        for i in (0..model.len()).filter(|&i| model.is_dynamic(i)) {
            let finite = state.position[i].is_finite() && state.linear_velocity[i].is_finite();
            if report.rigid.quarantined.contains(&i) || !finite || !state.present[i] {
                gone.push(i);
                continue;
            }
            // a centre of mass inside of the ground or outside of the room
            let outside = self.room.is_some_and(|(low, high)| {
                let x = state.position[i];
                x.cmplt(low).any() || x.cmpgt(high).any()
            });
            let under = (0..model.len()).any(|k| {
                matches!(world.bodies()[k].shape, Shape::HalfSpace)
                    && world.pose(k).inverse().point(state.position[i]).y < 0.0
            });
            if outside || under {
                behind.push(i);
            }
        }
        let words = |list: &[usize], what: &str| {
            list.first()
                .map_or(String::new(), |&i| format!("`{}` {what}", name(i)))
        };
        self.note(Law::Lost, behind.len() as f64, 0.0, world, || {
            words(&behind, "is behind the ground or outside of the room")
        });
        self.note(Law::Lost, gone.len() as f64, 0.0, world, || {
            words(&gone, "is quarantined or not finite")
        });
        let frame = self.soft.then(|| world.frame());
        let soft_lost = frame.is_some_and(|frame| {
            let strands = frame.strands.iter().flat_map(|s| &s.points);
            let cloths = frame.cloths.iter().flat_map(|c| &c.points);
            !strands.chain(cloths).all(|p| p.is_finite())
        });
        if soft_lost {
            self.note(Law::Lost, 1.0, 0.0, world, || {
                "a point of strand or cloth is not finite".into()
            });
        }
        !gone.is_empty() || soft_lost
    }

    fn measure_energy(&mut self, world: &World) {
        if world.cloths().is_some() {
            let surplus = world.report().cloth.surplus;
            let name = || {
                let cloth = world.scene().cloths.get(surplus.sheet);
                cloth.map_or_else(String::new, |cloth| format!("`{}`", cloth.name))
            };
            // what falls farther than it is long has more energy than the start tells
            self.energy_scale = self.energy_scale.max(surplus.at_work);
            let share = CLOTH_GAIN_SHARE;
            self.note(Law::Energy, surplus.share(), share, world, name);
        }
        if self.driven {
            return;
        }
        let energy = total_energy(world);
        let gain = (energy - self.energy) / self.energy_scale;
        let gain = if gain.is_nan() { f64::INFINITY } else { gain };
        let allowed = self.energy_allowed;
        self.note(Law::Energy, gain, allowed, world, String::new);
        if self.keeps_energy {
            self.note(Law::EnergyKept, -gain, ENERGY_KEPT, world, String::new);
        }
        // an explosion: from here on everything is broken
        self.hopeless |= gain > 1e3;
    }

    fn measure_momentum(&mut self, world: &World) {
        let state = &world.system().state;
        if self.momentum_scale == 0.0 {
            return;
        }
        let change = (world.momentum() - self.momentum).length() / self.momentum_scale;
        self.note(Law::Momentum, change, MOMENTUM, world, String::new);
        // about the origin, from which things fly away
        let far = state.position.iter().zip(&self.reach);
        let far = far.map(|(x, r)| x.length() + r).fold(0.0, f64::max);
        let change = (world.angular_momentum() - self.angular_momentum).length();
        let change = change / (self.momentum_scale * far);
        let allowed = ANGULAR_MOMENTUM;
        self.note(Law::AngularMomentum, change, allowed, world, String::new);
    }

    /// Looks for centres of mass that got into a box, or to its other side within a step.
    fn cross(&mut self, world: &World) {
        let (state, model) = (&world.system().state, &world.system().model);
        let mut through = None;
        for slab in &mut self.slabs {
            let inverse = world.pose(slab.body).inverse();
            let axis = slab.half.min_position();
            // what turns far within a step has its sides change without anyone crossing it
            let turn = state.angular_velocity[slab.body].length() * world.step_length();
            for i in (0..model.len()).filter(|&i| i != slab.body && model.is_dynamic(i)) {
                // a ring may have its centre of mass anywhere
                let hollow = matches!(
                    world.bodies()[i].shape,
                    Shape::Compound { .. } | Shape::Mesh(_)
                );
                let x = inverse.point(state.position[i]);
                let mut beside = x.abs().cmple(slab.half * 0.95);
                beside.set(axis, true);
                let seen = beside.all() && !hollow && turn < 0.2;
                let side = if seen { x[axis].signum() } else { 0.0 };
                if slab.side[i] * side < 0.0 {
                    through = Some((i, slab.body));
                }
                slab.side[i] = side;
            }
        }
        if let Some((i, k)) = through {
            let name = |i: usize| &world.bodies()[i].name;
            self.note(Law::PassesThrough, 1.0, THROUGH, world, || {
                format!("`{}` got to the other side of `{}`", name(i), name(k))
            });
        }
    }

    fn measure_depth(&mut self, world: &World) {
        let mut worst = (0.0, 0, 0);
        for pair in self.overlaps.measure(world) {
            if pair.share > worst.0 {
                worst = (pair.share, pair.a, pair.b);
            }
        }
        let (share, a, b) = worst;
        self.note(Law::PassesThrough, share, THROUGH, world, || {
            pair_of(world, a, b)
        });
    }

    /// Takes the findings of strands and cloth.
    fn measure_soft(&mut self, world: &World) {
        if let Some(total) = world.strand_total() {
            let failed = total.failed as f64;
            self.note(Law::StrandSolved, failed, 0.0, world, String::new);
        }
        let known = [
            FindingKind::BodyLost,
            FindingKind::StrandUnsolved,
            FindingKind::ClothStalled,
            FindingKind::ClothGained,
        ];
        let others = world.findings().iter();
        let others: Vec<_> = others.filter(|f| !known.contains(&f.kind)).collect();
        if let Some(first) = others.first() {
            let count = others.len() as f64;
            self.note(Law::Sound, count, 0.0, world, || first.to_string());
        }
        if let Some(stalled) = world.cloth_total().and_then(|total| total.stalled.clone()) {
            self.note(Law::ClothStalled, 1.0, 0.0, world, || stalled);
            self.hopeless = true;
        }
    }

    fn finish(&mut self, world: &World) {
        if self.hopeless {
            return;
        }
        let (state, model) = (&world.system().state, &world.system().model);
        // what rests
        let dt = world.step_length();
        let rests = |i: usize| {
            let speed = state.linear_velocity[i].length()
                + state.angular_velocity[i].length() * self.reach[i];
            !model.is_dynamic(i) || speed * dt < AT_REST * self.overlaps.thickness[i]
        };
        let resting: Vec<bool> = (0..model.len()).map(rests).collect();
        let mut worst = (0.0, 0, 0);
        for pair in self.overlaps.measure(world) {
            if resting[pair.a] && resting[pair.b] && pair.share > worst.0 {
                worst = (pair.share, pair.a, pair.b);
            }
        }
        let (share, a, b) = worst;
        let allowed = if self.expect.stands {
            RESTING_STANDS
        } else {
            RESTING
        };
        self.note(Law::RestingDepth, share, allowed, world, || {
            pair_of(world, a, b)
        });

        // what stands
        if self.expect.stands {
            let moved = |i: usize| {
                (state.position[i] - self.start[i]).length() / self.overlaps.thickness[i]
            };
            let dynamic = (0..model.len()).filter(|&i| model.is_dynamic(i));
            let most = dynamic.max_by(|&a, &b| moved(a).total_cmp(&moved(b)));
            if let Some((i, moved)) = most.map(|i| (i, moved(i))) {
                let name = &world.bodies()[i].name;
                self.note(Law::Stands, moved, STANDS, world, || format!("`{name}`"));
            }
        }
        if let Some(cloths) = world.cloths() {
            let crossings = cloths.crossings().len() as f64;
            self.note(Law::ClothCrossing, crossings, 0.0, world, String::new);
        }
    }
}

/// Of all that moves, without the layers about cloth, which at a restitution below 1 do not give back what they
/// store \[J\].
fn total_energy(world: &World) -> f64 {
    let layers = world.cloths().map_or(0.0, |cloth| cloth.energy().contact);
    world.kinetic_energy() + world.potential_energy() - layers
}

fn pair_of(world: &World, a: usize, b: usize) -> String {
    let name = |i: usize| &world.bodies()[i].name;
    format!("`{}` and `{}`", name(a), name(b))
}

/// Energy that strands and cloth would lose by falling as far as they are long \[J\].
fn soft_fall(world: &World, gravity: f64) -> f64 {
    let frame = world.frame();
    let extent = |points: &[Vec3]| {
        let low = points.iter().fold(Vec3::INFINITY, |l, &p| l.min(p));
        let high = points.iter().fold(Vec3::NEG_INFINITY, |h, &p| h.max(p));
        (high - low).length()
    };
    let (state, model) = (&world.system().state, &world.system().model);
    let bodies = (0..model.len()).filter(|&i| model.is_dynamic(i) && state.present[i]);
    let rigid: f64 = bodies.map(|i| model.mass[i]).sum();
    let longest = frame.strands.iter().map(|s| extent(&s.points));
    let strands = (world.moving_mass() - rigid).max(0.0) * longest.fold(0.0, f64::max);
    let sheets = world.scene().cloths.iter().zip(&frame.cloths);
    let cloths: f64 = sheets
        .map(|(cloth, shown)| {
            let area: f64 = shown
                .triangles
                .iter()
                .map(|t| {
                    let [a, b, c] = t.map(|k| shown.points[k as usize]);
                    0.5 * (b - a).cross(c - a).length()
                })
                .sum();
            let vertices = cloth.material.vertex_mass * shown.points.len() as f64;
            (cloth.material.density * area + vertices) * extent(&shown.points)
        })
        .sum();
    gravity * (strands + cloths)
}
