//! What a contact costs, as a tower grows.

use drystone_world::{Generator, Pattern, Ring, Scene};

use crate::{cpu_seconds, start};

/// Cost of a roof tower at rest.
#[derive(Clone, Copy, Debug)]
pub struct Layers {
    /// Of 20 bricks each.
    pub layers: u32,
    /// Contact points.
    pub contacts: usize,
    /// Of the velocity solver in a step.
    pub sweeps: f64,
    /// Processor time of a step \[s\].
    pub step: f64,
}

impl Layers {
    /// Of a step, for each contact \[ns\].
    pub fn per_contact_ns(&self) -> f64 {
        1e9 * self.step / self.contacts as f64
    }

    /// Of a step, for each contact and sweep \[ns\].
    pub fn per_sweep_ns(&self) -> f64 {
        self.per_contact_ns() / self.sweeps
    }
}

/// Bricks as in `bench-roof-tower`, without roof and ball.
fn tower(layers: u32) -> Scene {
    let mut scene = Scene::new();
    scene.name = format!("tower of {layers} layers");
    scene.ground_slab(100.0, 1.0, 100.0);
    let ring = Ring {
        bricks: 20,
        layers,
        size: [0.5, 0.5, 1.0],
        ..Ring::default()
    };
    scene.generate(Generator::new("tower", Pattern::Ring(ring)));
    scene
}

/// Towers of the given heights at rest: best of `rounds` turns, in each of which every tower
/// takes steps for at least `seconds` of processor time. Call it on one thread.
pub fn layers(heights: &[u32], seconds: f64, rounds: usize) -> Vec<Layers> {
    let mut worlds: Vec<_> = heights
        .iter()
        .map(|&layers| start(&tower(layers)))
        .collect();
    for world in &mut worlds {
        world.run_for(0.3);
    }
    let mut best: Vec<Option<Layers>> = vec![None; heights.len()];
    for _ in 0..rounds {
        for ((world, &layers), best) in worlds.iter_mut().zip(heights).zip(&mut best) {
            let (begin, mut steps, mut sweeps, mut contacts) = (cpu_seconds(), 0, 0, 0);
            while cpu_seconds() - begin < seconds {
                for _ in 0..5 {
                    let report = world.step();
                    sweeps += report.rigid.sweeps;
                    contacts = report.rigid.contacts;
                    steps += 1;
                }
            }
            let step = (cpu_seconds() - begin) / f64::from(steps);
            if best.is_none_or(|best| step < best.step) {
                let sweeps = sweeps as f64 / f64::from(steps);
                *best = Some(Layers {
                    layers,
                    contacts,
                    sweeps,
                    step,
                });
            }
        }
    }
    best.into_iter().flatten().collect()
}
