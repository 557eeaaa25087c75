//! A chain of 0.2 m without stiffness, swinging in its first mode, `x(s) = a J₀(j₀,₁ √(s/L))` from the
//! tip upwards, at `f = (j₀,₁/2) √(g/L) / 2π` = 1.3403 Hz.

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "hanging-chain",
    about: "a chain without stiffness swings in its first mode",
    system: "strand",
    build,
};

/// First zero of Bessel's function of order zero.
const FIRST_ZERO: f64 = 2.404_825_557_695_773;

/// Bessel's function of the first kind and order zero, by its series.
fn bessel(x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..20 {
        let k = f64::from(k);
        term *= -0.25 * x * x / (k * k);
        sum += term;
    }
    sum
}

fn build() -> Scene {
    let mut scene = film(&ENTRY, 6.0);
    scene.solver.strand.steps_per_frame = 16;
    let (length, n, amplitude) = (0.2, 40, 4e-3);
    let point = |k: u32| {
        let s = 1.0 - f64::from(k) / f64::from(n);
        let x = amplitude * bessel(FIRST_ZERO * s.sqrt());
        [x, -length * (1.0 - s), 0.0]
    };
    let mut chain = Strand::through((0..=n).map(point)).named("chain");
    chain.root = 0.0;
    chain.fibre = Fibre::thread(6.5345e-6, 1e-16, 1e-16);
    chain.fibre.radius = 5e-4.into();
    scene.add(chain);
    scene.camera = Some(Camera::new([0.0, -0.1, 0.45], [0.0, -0.1, 0.0]));
    scene
        .truth(strands::tip_period("chain", [1.0, 0.0, 0.0], 0.746_10, 1e-3)) // measured: 0.74630
        .truth(strands::energy_never_rises(1e-13)) // 2.5e-10 J of swing
        .truth(strands::tip_moves("chain", 6e-3));
    runs_well(&mut scene);
    scene
}
