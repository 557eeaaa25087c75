use crate::build::*;
use crate::*;
#[test]
fn probe_impact() {
    for e in [0.0, 0.3, 0.7, 1.0] {
        for (m1, m2, v1, v2) in [(1.0, 3.0, 2.0, -1.0), (5.0, 0.5, 3.0, 1.0), (2.0, 2.0, 1.0, 0.0)] {
            let mut model = model(0.5, e);
            model.gravity = Vec3::ZERO;
            let a = ball(&mut model, 0.5, Vec3::X * -0.6, m1);
            let b = ball(&mut model, 0.3, Vec3::X * 0.3, m2);
            model.start_linear_velocity[a] = Vec3::X * v1;
            model.start_linear_velocity[b] = Vec3::X * v2;
            let mut system = start(model, double());
            let after = |m1: f64, m2: f64, v1: f64, v2: f64| ((m1 - e * m2) * v1 + (1.0 + e) * m2 * v2) / (m1 + m2);
            for k in 0..30 {
                system.step(DT);
                let d = system.state.linear_velocity[a] - Vec3::X * after(m1, m2, v1, v2);
                if d.length() < 0.1 { eprint!("{k}: {:.1e} {:.1e} {:.1e}; ", d.x, d.y, d.z); }
            }
            eprintln!("\ne {e} m1 {m1}");
        }
    }
}
#[test]
fn probe_arch() {
    for (what, options, dt) in [("default", Options::default(), DT), ("double", double(), DT), ("converged", tight(), DT), ("fine", tight(), 0.0025)] {
        let (model, _) = crate::masonry::arch(0.15);
        let mut system = start(model, options);
        eprint!("{what}: ");
        for _ in 0..10 {
            run_with(&mut system, 1.0, dt);
            let ke = drystone_rigid::energy::kinetic_energy(&system.state, &system.model);
            eprint!("{:.3e} ({ke:.0e}) ", drift(&system).1);
        }
        for _ in 0..5 { run_with(&mut system, 4.0, dt); eprint!("{:.3e} ", drift(&system).1); }
        let depth = system.state.contacts.deepest();
        eprintln!(" depth {depth:.1e}");
    }
}
#[test]
fn probe_pen() {
    for g in [false, true] {
        let mut s = crate::correction::penetrating(g);
        for k in 0..30 { s.step(DT); eprintln!("{k}: depth {:.2e} ke {:.2e}", crate::correction::column_depth(&s), drystone_rigid::energy::kinetic_energy(&s.state, &s.model)); }
    }
}
