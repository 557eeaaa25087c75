//! The measured side of the bars. Distances, energies and speeds are taken from poses and
//! velocities here, apart from the truths of the scenes, which say the same in another way.

use drystone_base::Vec3;
use drystone_world::{Pattern, Penetration, Scene, World, fits};

use crate::{scene, start};

/// How a scene begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// As written.
    Exact,
    /// Every body up to 5 mm off its place, with gaps of 0.5 mm under each; by seed.
    Perturbed(u32),
}

impl Begin {
    /// The exact start and three perturbed ones.
    pub const ALL: [Self; 4] = [
        Self::Exact,
        Self::Perturbed(1),
        Self::Perturbed(2),
        Self::Perturbed(3),
    ];

    /// The world of `scene`, begun like this.
    pub fn world(self, scene: &Scene) -> World {
        match self {
            Self::Exact => start(scene),
            Self::Perturbed(seed) => {
                start(&scene.perturbed(5e-3, seed).expect("5 mm are within reason"))
            }
        }
    }

    /// From when on rest is asked for \[s\].
    pub fn settled(self) -> f64 {
        match self {
            Self::Exact => 0.0,
            Self::Perturbed(_) => 1.0,
        }
    }

    /// One of two, by kind of start.
    pub fn pick(self, exact: f64, perturbed: f64) -> f64 {
        match self {
            Self::Exact => exact,
            Self::Perturbed(_) => perturbed,
        }
    }
}

impl std::fmt::Display for Begin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact => write!(f, "exact"),
            Self::Perturbed(seed) => write!(f, "perturbed {seed}"),
        }
    }
}

/// The worst that was seen of bodies that should stand still.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rest {
    /// Largest way sideways \[m\].
    pub drift: f64,
    /// Deepest penetration \[m\].
    pub depth: f64,
    /// Kinetic energy of all bodies \[J\].
    pub joules: f64,
    /// Its mean over the time it counts, as in the comparison with other engines \[J\].
    pub mean_joules: f64,
    /// The largest for each kilogram \[J/kg\].
    pub joules_per_kg: f64,
    /// Bodies quarantined as non-finite.
    pub lost: usize,
}

/// Steps `world` until `to` and watches the bodies called `bodies` (`*` stands for any letters)
/// from `from` on; energy counts from `calm` on \[s\]. Depth is measured ten times a second.
pub fn rest(world: &mut World, bodies: &str, from: f64, calm: f64, to: f64) -> Rest {
    let chosen = chosen(world, bodies);
    let (mut seen, mut place, mut counted) = (Rest::default(), None, 0);
    let steps_between = (0.1 / world.step_length()).round().max(1.0) as u64;
    let half = 0.5 * world.step_length();
    loop {
        let time = world.time();
        if time > from - half {
            let here: Vec<Vec3> = chosen
                .iter()
                .map(|&i| world.system().state.position[i])
                .collect();
            let from = place.get_or_insert_with(|| here.clone());
            seen.drift = seen.drift.max(sideways(&here, from));
            if time > calm - half {
                let joules = world.kinetic_energy();
                seen.joules = seen.joules.max(joules);
                seen.mean_joules += joules;
                counted += 1;
            }
            let last = time > to - half;
            if last || world.system().state.step.is_multiple_of(steps_between) {
                seen.depth = seen.depth.max(Penetration::of(world.system()).deepest);
            }
        }
        if time > to - half {
            break;
        }
        seen.lost += world.step().rigid.quarantined.len();
    }
    seen.mean_joules /= f64::from(counted.max(1));
    seen.joules_per_kg = seen.joules / world.moving_mass();
    seen
}

/// What happened to the tower of `bench-roof-tower`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Impact {
    /// Deepest penetration while the roof falls and lies, 2 s to 4 s \[m\].
    pub depth_under_roof: f64,
    /// Largest way of a brick sideways by then \[m\].
    pub lean: f64,
    /// Part of the bricks that stand at 6 s: within half their thickness sideways and their
    /// height vertically \[1\].
    pub standing: f64,
    /// Bricks that the ball knocked out by then.
    pub knocked_out: usize,
    /// Largest speed of all \[m/s\].
    pub fastest: f64,
    /// Lowest centre of a brick, ever \[m\].
    pub lowest: f64,
    /// Deepest penetration from 8 s on, 2 s after the last bricks have come down \[m\].
    pub depth_after: f64,
    /// Bodies quarantined as non-finite.
    pub lost: usize,
}

/// Runs `bench-roof-tower` to `to` \[s\] and measures; what has not happened by then stays zero.
pub fn impact(begin: Begin, to: f64) -> Impact {
    let mut world = begin.world(&scene("bench-roof-tower"));
    let bricks = chosen(&world, "tower/*");
    let origin: Vec<Vec3> = bricks
        .iter()
        .map(|&i| world.system().model.start_position[i])
        .collect();
    let mut seen = Impact {
        lowest: f64::INFINITY,
        ..Impact::default()
    };
    let mut place = None;
    // step by step: lean under the roof, speed, height, depth, and what stands at 6 s
    while world.time() < to - 1e-6 {
        seen.lost += world.step().rigid.quarantined.len();
        let (time, state) = (world.time() + 1e-6, &world.system().state);
        let here: Vec<Vec3> = bricks.iter().map(|&i| state.position[i]).collect();
        if time > begin.settled() {
            let from = place.get_or_insert_with(|| match begin {
                Begin::Exact => origin.clone(),
                Begin::Perturbed(_) => here.clone(),
            });
            if time < 4.0 {
                seen.lean = seen.lean.max(sideways(&here, from));
            }
        }
        let present = (0..state.position.len()).filter(|&i| state.present[i]);
        let speed = present
            .map(|i| state.linear_velocity[i].length())
            .fold(0.0, f64::max);
        seen.fastest = seen.fastest.max(speed);
        seen.lowest = here.iter().map(|p| p.y).fold(seen.lowest, f64::min);
        if state.step.is_multiple_of(2) {
            if (2.0..4.0).contains(&time) {
                let depth = Penetration::of(world.system()).deepest;
                seen.depth_under_roof = seen.depth_under_roof.max(depth);
            }
            if time > 8.0 {
                seen.depth_after = seen
                    .depth_after
                    .max(Penetration::of(world.system()).deepest);
            }
        }
        if (6.0..6.0 + world.step_length()).contains(&time) {
            let stands = |(p, q): &(&Vec3, &Vec3)| {
                let way = **p - **q;
                Vec3::new(way.x, 0.0, way.z).length() < 0.25 && way.y.abs() < 0.5
            };
            let standing = here.iter().zip(&origin).filter(stands).count();
            seen.standing = standing as f64 / bricks.len() as f64;
            seen.knocked_out = bricks.len() - standing;
        }
    }
    seen
}

/// How `bench-silo` ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silo {
    /// Deepest overlap at the end \[m\].
    pub depth: f64,
    /// Mean over the pairs that overlap \[m\].
    pub mean: f64,
    /// Grains outside the silo at any time, or quarantined.
    pub escaped: usize,
}

/// Runs `bench-silo` with `grains` grains for `seconds`.
pub fn silo(grains: u32, seconds: f64) -> Silo {
    let mut scene = scene("bench-silo");
    for generator in &mut scene.generators {
        if let Pattern::Column(column) = &mut generator.pattern {
            column.count = grains;
        }
    }
    let mut world = start(&scene);
    let chosen = chosen(&world, "grain/*");
    let mut out = vec![false; chosen.len()];
    let mut lost = 0;
    while world.time() < seconds - 1e-6 {
        lost += world.step().rigid.quarantined.len();
        for (&i, out) in chosen.iter().zip(&mut out) {
            let p = world.system().state.position[i];
            *out |= Vec3::new(p.x, 0.0, p.z).length() > 5.1 || p.y < 0.0;
        }
    }
    let penetration = Penetration::of(world.system());
    Silo {
        depth: penetration.deepest,
        mean: penetration.mean,
        escaped: lost + out.iter().filter(|&&out| out).count(),
    }
}

/// Indices of the dynamic bodies that `pattern` names.
fn chosen(world: &World, pattern: &str) -> Vec<usize> {
    let model = &world.system().model;
    (0..model.len())
        .filter(|&i| model.is_dynamic(i) && fits(pattern, &model.name[i]))
        .collect()
}

/// Largest way along x and z.
fn sideways(here: &[Vec3], from: &[Vec3]) -> f64 {
    let way = here.iter().zip(from).map(|(a, b)| *a - *b);
    way.map(|d| Vec3::new(d.x, 0.0, d.z).length())
        .fold(0.0, f64::max)
}
