//! Art controls: time scale, local dynamics, fields, poses, parameters in time.

use std::sync::Arc;

use crate::build::*;
use drystone_base::functions::{atan2, exp, rotation_about, sin};
use drystone_base::{Pose, Vec3};
use drystone_common::{Acceleration, Attractor, Field, Turbulence, Vortex, Wind};
use drystone_strand::*;

/// Shaken by 15 cm at 2 Hz and turned by `turn` at 1.5 Hz.
fn shaken(turn: f64) -> MotionPath {
    let keys: Vec<Key> = (0..60)
        .map(|k| f64::from(k) * FRAME)
        .map(|time| {
            let angle = turn * sin(std::f64::consts::TAU * 1.5 * time);
            let place = Vec3::X * (0.15 * sin(std::f64::consts::TAU * 2.0 * time));
            let lean = rotation_about(Vec3::new(0.6, 0.0, 0.8), angle);
            Key::new(time, Pose::new(place, lean))
        })
        .collect();
    MotionPath::smooth(&keys).unwrap()
}

fn hanging() -> Strand {
    straight(Vec3::new(0.03, -0.2, 0.0), 20)
}

#[test]
fn a_base_felt_through_its_velocity_moves_the_strand_as_the_true_one() {
    let plain = Base::on(shaken(0.7));
    // a reference at rest takes nothing away, but the felt base is then integrated
    let mut felt = plain.clone();
    felt.reference = Some(MotionPath::fixed(Pose::at(Vec3::new(5.0, 2.0, 1.0))));
    felt.local_dynamics = 1.0.into();
    assert!(plain.is_plain() && !felt.is_plain());
    let mut a = system(hanging().on(plain), options(8));
    let mut b = system(hanging().on(felt), options(8));
    let mut worst = 0.0f64;
    for _ in 0..24 {
        a.advance_frame(FRAME);
        b.advance_frame(FRAME);
        worst = worst.max((tip(&a, 0) - tip(&b, 0)).length());
    }
    assert!(worst < 1e-5, "{worst:.1e} m"); // measured: 7e-9
}

#[test]
fn what_is_not_felt_does_not_move_the_strand() {
    let mut still = Base::on(shaken(0.0));
    still.time_scale = 0.0.into();
    let mut local = Base::on(shaken(0.0));
    local.reference = Some(shaken(0.0));
    local.local_dynamics = 1.0.into();
    for base in [still, local] {
        let mut system = system(hanging().on(base), options(4));
        system.settle();
        let before = tip(&system, 0) - system.base(0).position;
        let mut worst = 0.0f64;
        for _ in 0..24 {
            system.advance_frame(FRAME);
            worst = worst.max((tip(&system, 0) - system.base(0).position - before).length());
        }
        assert!(worst < 1e-7, "{worst:.1e} m"); // measured: 1e-15
    }
}

#[test]
fn gravity_is_untouched_by_time_scale() {
    // a base that lies down within a second, not felt at all: in the end the strand hangs down
    let keys: Vec<Key> = (0..13)
        .map(|k| {
            let turn = rotation_about(Vec3::Z, 1.5 * f64::from(k) / 12.0);
            Key::new(f64::from(k) * FRAME, Pose::new(Vec3::ZERO, turn))
        })
        .collect();
    let mut base = Base::on(MotionPath::smooth(&keys).unwrap());
    base.time_scale = 0.0.into();
    let mut strand = straight(Vec3::new(0.0, -0.2, 0.0), 20).on(base);
    strand.root = 0.0;
    strand.parameters.drag = 1e-4.into();
    let mut system = system(strand, options(4));
    run_frames(&mut system, 24 * 6);
    let error = (tip(&system, 0) - Vec3::new(0.0, -0.2, 0.0)).length();
    assert!(error < 1e-3, "{error:.1e} m"); // measured: 5e-15
}

#[test]
fn the_motion_has_no_recursive_residual_whatever_is_felt() {
    for (beta, gamma) in [(1.0, 0.0), (0.4, 0.0), (0.7, 0.6)] {
        let mut base = Base::on(shaken(0.7));
        let far = Key::new(0.0, Pose::IDENTITY);
        let near = Key::new(
            3.0,
            Pose::new(Vec3::new(3.0, 1.0, 0.0), rotation_about(Vec3::Y, 1.0)),
        );
        base.reference = Some(MotionPath::smooth(&[far, near]).unwrap());
        (base.time_scale, base.local_dynamics) = (beta.into(), gamma.into());
        let mut strand = straight(Vec3::new(0.0, -0.2, 0.0), 6).on(base);
        // slow waves, so that differences of the rate in time are accurate
        strand.parameters.bend_stiffness = 1e-9.into();
        strand.parameters.twist_stiffness = 1e-8.into();
        strand.parameters.twist_damping = 0.1.into();
        let mut system = system(strand, options(4));
        let dt = 2e-4;
        for _ in 0..1500 {
            system.advance(dt);
        }
        let before = system.state.strands[0].clone();
        system.advance(dt);
        let (now, t) = (system.state.strands[0].clone(), system.state.time);
        system.advance(dt);
        let after = &system.state.strands[0];
        let n = now.rate.len();
        let ahead: Vec<Vec3> = (0..n)
            .map(|j| (after.rate[j] - before.rate[j]) / (2.0 * dt))
            .collect();
        let (chain, properties) = (&system.model.chains[0], system.properties(0));
        let mut links = Vec::new();
        place(
            chain,
            &now.rotation,
            &[],
            &chain.base.path.pose(t),
            &mut links,
        );
        let (mut external, mut torque, mut scale) = (Vec::new(), Vec::new(), 0.0f64);
        for j in 0..n {
            let own = &properties.links[j];
            let force = links[j].rotation.conjugate() * system.model.gravity * own.mass;
            external.push(Force {
                moment: (Vec3::Y * own.half).cross(force),
                force,
            });
            let deviation = chain.rest_rotation[j].conjugate() * now.rotation[j];
            torque.push(TangentLaw.torque(&own.stiffness, deviation) - own.damping * now.rate[j]);
            scale = scale.max(torque[j].length());
        }
        let (v0, a0) = chain.base.scaled_motion(t);
        let rates = recursion::Rates {
            rotation: &now.rotation,
            rate: &now.rate,
            acceleration: &ahead,
        };
        let rs = recursion::residual(chain, properties, rates, v0, a0, &external, &torque);
        let worst = rs.iter().fold(0.0f64, |a, r| a.max(r.length())) / scale;
        // measured: 6e-4, 3e-4, 3e-4, of differences in time
        assert!(worst < 2e-3, "β {beta}, γ {gamma}: {worst:.1e}");
    }
}

fn named(name: &str, field: Arc<dyn Field>, implicit: bool) -> NamedField {
    NamedField {
        name: name.into(),
        field,
        strength: 1.0.into(),
        implicit,
    }
}

/// A strand in `field`, with drag 1e-4 N s/m² per metre.
fn blown(strand: Strand, field: Arc<dyn Field>, implicit: bool) -> System {
    let mut model = Model::default();
    model.add_field(named("field", field, implicit)).unwrap();
    let mut strand = strand;
    strand.parameters.drag = 1e-4.into();
    model.add(strand).unwrap();
    System::new(model, options(8)).unwrap()
}

#[test]
fn a_limp_strand_in_wind_tilts_as_drag_over_weight() {
    let mut strand = straight(Vec3::new(0.0, -0.2, 0.0), 10);
    strand.root = 0.0;
    strand.parameters.bend_stiffness = 0.0.into();
    strand.parameters.twist_stiffness = 0.0.into();
    for implicit in [false, true] {
        let mut system = blown(strand.clone(), Arc::new(Wind(Vec3::X)), implicit);
        let moved = system.settle();
        assert!(moved < 1e-9, "{moved:.1e} rad");
        let tip = tip(&system, 0);
        let (angle, expected) = (atan2(tip.x, -tip.y), atan2(1e-4, 6.5345e-6 * 9.81));
        assert!(
            (angle - expected).abs() < 1e-6,
            "{angle} rad, {expected} expected"
        );
    }
}

/// A limp strand whose base falls as things fall in air, to λg/c' = 0.641 m/s with a time constant of λ/c' = 65 ms,
/// falls beside it: nothing pulls at any of its joints, so it stays as level as it was.
#[test]
fn a_strand_falls_in_air_as_drag_over_mass_has_it() {
    let (mass, drag) = (6.5345e-6, 1e-4);
    let (speed, constant) = (mass * 9.81 / drag, mass / drag);
    let fallen = |factor: f64| {
        let key = |k: u32| {
            let time = f64::from(k) * FRAME / 8.0;
            let way = factor * speed * (time - constant * (1.0 - exp(-time / constant)));
            let pose = Pose::at(Vec3::NEG_Y * way);
            Key::new(time, pose)
        };
        let mut path: Vec<Key> = (0..120).map(key).collect();
        // at rest before, so that the path begins without a speed
        path.insert(
            0,
            Key {
                time: -FRAME,
                ..path[0]
            },
        );
        let mut strand = straight(Vec3::X * 0.2, 10);
        strand.root = 0.0;
        strand.parameters.bend_stiffness = 0.0.into();
        strand.parameters.twist_stiffness = 0.0.into();
        strand.parameters.drag = drag.into();
        let strand = strand.on(Base::on(MotionPath::smooth(&path).unwrap()));
        let mut model = Model::default();
        model.add(strand).unwrap();
        let mut system = System::new(model, options(64)).unwrap();
        for _ in 0..12 {
            system.advance_frame(FRAME);
        }
        let links = system.links(0);
        (links[9].tip.y - links[0].pivot.y, links[0].pivot.y)
    };
    let (sag, way) = fallen(1.0);
    assert!(way < -0.25, "{way}");
    assert!(sag.abs() < 3e-4, "{sag:.1e} m"); // measured: 9.9e-5
    // a base that falls a tenth slower is left behind
    assert!(fallen(0.9).0 < -10.0 * sag.abs());
}

#[test]
fn fields_inside_and_outside_the_jacobian_agree_at_small_steps() {
    let vortex = Vortex {
        centre: Vec3::new(0.1, -0.1, 0.05),
        axis: Vec3::new(0.0, 1.0, 0.3),
        circulation: 1.0,
        core: 0.05,
    };
    let attractor = Attractor {
        centre: Vec3::new(0.1, -0.2, 0.1),
        strength: 20.0,
        range: 0.05,
    };
    let swirl = Acceleration(|x: Vec3, v, t| Vec3::new(10.0 * sin(9.0 * t), 0.0, x.y * 50.0) - v);
    let gusts = Turbulence::new(5, 1.0, 0.1, 0.2);
    let fields: [(&str, Arc<dyn Field>); 4] = [
        ("vortex", Arc::new(vortex)),
        ("attractor", Arc::new(attractor)),
        ("swirl", Arc::new(swirl)),
        ("gusts", Arc::new(gusts)),
    ];
    for (name, field) in fields {
        let difference = |dt: f64| {
            let mut pair = [false, true].map(|implicit| blown(hanging(), field.clone(), implicit));
            for system in &mut pair {
                for _ in 0..(0.25f64 / dt).round() as usize {
                    system.advance(dt);
                }
            }
            let free = system(hanging(), options(4));
            let moved = (tip(&pair[0], 0) - tip(&free, 0)).length();
            ((tip(&pair[0], 0) - tip(&pair[1], 0)).length(), moved)
        };
        let ((coarse, moved), (fine, _)) = (difference(1.0 / 200.0), difference(1.0 / 800.0));
        // measured: 3e-5, 2e-6, 1e-5, 4e-4 m, then 20 to 60 times less, of 2 to 18 cm
        assert!(
            coarse < 1e-3 && fine < coarse / 10.0 && moved > 0.01,
            "{name}: {coarse:.1e}, {fine:.1e} m"
        );
    }
}

#[test]
fn a_field_of_weight_zero_is_not_there() {
    let mut model = Model::default();
    model
        .add_field(named("storm", Arc::new(Wind(Vec3::X * 30.0)), false))
        .unwrap();
    let mut strand = hanging();
    strand.parameters.drag = 1e-4.into();
    strand.field_weights = vec![("storm".into(), 0.0.into())];
    model.add(strand.clone()).unwrap();
    let mut weighted = System::new(model, options(4)).unwrap();
    strand.field_weights.clear();
    let mut calm = system(strand, options(4));
    run_frames(&mut weighted, 6);
    run_frames(&mut calm, 6);
    assert_eq!(tip(&weighted, 0), tip(&calm, 0));
}

#[test]
fn strong_poses_are_reached_and_weak_ones_are_not_felt() {
    // the pose swings sideways; an ear of 25 g/m
    let straight_down = straight(Vec3::new(0.0, -0.3, 0.0), 12);
    let tips = |angle: f64| -> Vec<Vec3> {
        let way = rotation_about(Vec3::Z, angle) * Vec3::new(0.0, -0.3, 0.0);
        (1..=12).map(|k| way * (f64::from(k) / 12.0)).collect()
    };
    let keys = [(0.0, 0.0), (0.5, 0.9), (1.0, 0.9)];
    let keys = keys
        .map(|(time, angle)| PoseKey {
            time,
            tips: tips(angle),
        })
        .to_vec();
    let run = |strength: f64| {
        let mut strand = straight_down.clone();
        strand.parameters.mass_per_length = 0.025.into();
        strand.parameters.bend_stiffness = 2e-4.into();
        strand.parameters.twist_stiffness = 2e-4.into();
        strand.parameters.pose_strength = strength.into();
        strand.parameters.pose_damping = (0.02 * strength).into();
        strand.pose = Some(PoseTrack { keys: keys.clone() });
        let mut system = system(strand, options(4));
        let report = run_frames(&mut system, 24);
        assert_eq!(report.failed, 0);
        (tip(&system, 0) - tips(0.9)[11]).length()
    };
    let errors = [0.0, 1.0, 100.0, 1e4].map(run);
    // measured: 26 cm, 5.6 mm, 0.3 mm, 3.5 µm
    assert!(
        errors[0] > 0.2 && errors[1] < 0.01 && errors[2] < 1e-3 && errors[3] < 1e-5,
        "{errors:?} m"
    );
}

#[test]
fn parameters_change_in_time() {
    // gravity fades out, then a stiff strand stands where it was made
    let mut strand = straight(Vec3::new(0.1, 0.0, 0.0), 10);
    strand.parameters.gravity =
        Profile::constant(1.0).over_time(Ramp::through(&[[0.5, 1.0], [1.0, 0.0]]));
    strand.parameters.bend_damping = 0.05.into();
    let mut system = system(strand, options(4));
    run_frames(&mut system, 12);
    let sagged = tip(&system, 0).y;
    run_frames(&mut system, 60);
    let after = tip(&system, 0).y;
    assert!(
        sagged < -0.02 && after.abs() < 1e-3,
        "{sagged} m, then {after} m"
    );
}

#[test]
fn a_heavier_tip_sags_more() {
    let sag = |along: Ramp| {
        let mut strand = straight(Vec3::new(0.1, 0.0, 0.0), 20);
        strand.parameters.mass_per_length = Profile::along(along);
        let mut system = system(strand, options(4));
        system.settle();
        -tip(&system, 0).y
    };
    // the same mass in all, at the tip or at the root
    let (root, tip) = (
        sag(Ramp::through(&[[0.0, 1e-5], [1.0, 0.1e-5]])),
        sag(Ramp::through(&[[0.0, 0.1e-5], [1.0, 1e-5]])),
    );
    assert!(tip > 1.5 * root, "{tip} and {root} m");
}

#[test]
fn a_strand_hanging_by_its_own_weight_stretches_by_half_of_it() {
    // δ = λ g L² / 2EA, exactly, because the first joint owns half a cell
    let mut strand = straight(Vec3::new(0.0, -0.2, 0.0), 8);
    strand.parameters.stretch_stiffness = Some(1e-3.into());
    let mut system = system(strand, options(4));
    system.settle();
    let (stretch, expected) = (-0.2 - tip(&system, 0).y, 6.5345e-6 * 9.81 * 0.04 / 2e-3);
    assert!(
        (stretch / expected - 1.0).abs() < 1e-9,
        "{stretch} m, {expected} m expected"
    );
}

#[test]
fn a_stretched_strand_rings_along_its_length() {
    // f = √(EA/λ) / 4L
    let n = 20;
    let mut strand = straight(Vec3::new(0.0, -0.2, 0.0), n);
    strand.parameters.stretch_stiffness = Some(1e-3.into());
    strand.parameters.stretch_damping = 0.0.into();
    let mut system = without_gravity(strand, options(4));
    system.state.strands[0].force[n - 1] = Vec3::new(0.0, -1e-5, 0.0);
    system.settle();
    let (mut times, mut before, dt) = (Vec::new(), -1.0, 2e-4);
    for _ in 0..5000 {
        system.advance(dt);
        let now = tip(&system, 0).y + 0.2;
        if before < 0.0 && now >= 0.0 {
            times.push(system.state.time - dt * now / (now - before));
        }
        before = now;
    }
    let frequency = (times.len() - 1) as f64 / (times[times.len() - 1] - times[0]);
    let expected = f64::sqrt(1e-3 / 6.5345e-6) / (4.0 * 0.2);
    let error = (frequency / expected - 1.0).abs();
    assert!(error < 3e-3, "{frequency} Hz, {expected} Hz expected"); // measured: 1.1e-3
}

#[test]
fn crowded_strands_spread_and_move_alike() {
    let build = |continuum: Option<Continuum>| {
        let mut model = Model::default();
        for k in 0..36 {
            let (x, z) = (f64::from(k % 6) * 0.001, f64::from(k / 6) * 0.001);
            let start = Vec3::new(x, 0.0, z);
            let curve = Curve::straight(start, start - Vec3::Y * 0.15, 15);
            let strand = Strand::new(format!("{k}"), curve).with(hair());
            model.add(strand).unwrap();
        }
        System::new(
            model,
            Options {
                continuum,
                ..options(4)
            },
        )
        .unwrap()
    };
    let width = |system: &System| {
        let tips: Vec<Vec3> = (0..36).map(|i| tip(system, i)).collect();
        let mean = tips.iter().sum::<Vec3>() / 36.0;
        f64::sqrt(
            tips.iter()
                .map(|t| (*t - mean).length_squared())
                .sum::<f64>()
                / 36.0,
        )
    };
    let (mut alone, mut crowd) = (
        build(None),
        build(Some(Continuum {
            cell: 0.002,
            rest_density: 3.0,
            stiffness: 0.01,
            ..Continuum::default()
        })),
    );
    run_frames(&mut alone, 24);
    let report = run_frames(&mut crowd, 24);
    let widths = [width(&alone), width(&crowd)];
    // measured: 2.4 and 8.3 mm
    assert!(
        widths[1] > 2.0 * widths[0] && widths[1] < 0.03,
        "{widths:?} m"
    );
    assert_eq!(report.failed, 0);
}

#[test]
fn a_base_driven_step_by_step_moves_the_strand_as_its_path_would() {
    // from standstill: a driven base has no velocity before it is driven
    let key = |k: i32| {
        let time = f64::from(k) * FRAME;
        let swing = sin(6.0 * time) * sin(6.0 * time);
        let pose = Pose::new(
            Vec3::X * (0.1 * swing),
            rotation_about(Vec3::Z, 0.5 * swing),
        );
        Key::new(time, pose)
    };
    let path = MotionPath::smooth(&(0..60).map(key).collect::<Vec<_>>()).unwrap();
    let mut known = system(hanging().on(Base::on(path.clone())), options(8));
    let mut driven = system(hanging(), options(8));
    let dt = FRAME / 8.0;
    let mut worst = 0.0f64;
    for _ in 0..192 {
        let end = driven.state.time + dt;
        driven.drive_base(0, end, path.pose(end));
        known.advance(dt);
        driven.advance(dt);
        worst = worst.max((tip(&known, 0) - tip(&driven, 0)).length());
    }
    // only within a step the motion is not known
    assert!(worst < 1e-2, "{worst:.1e} m"); // measured: 2.6e-3, of the first step
}

#[test]
fn a_law_of_ones_own_can_be_given() {
    // linear in the rotation vector: 2K tan(θ/2) becomes K θ, which bends further
    struct Linear;
    impl Law for Linear {
        fn energy(&self, k: &JointStiffness, d: drystone_base::Quat) -> f64 {
            let angle = 2.0 * atan2(d.xyz().length(), d.w.abs());
            0.5 * k.bend_x * angle * angle
        }
        fn torque(&self, k: &JointStiffness, d: drystone_base::Quat) -> Vec3 {
            let (v, w) = (d.xyz() * d.w.signum(), d.w.abs());
            let sine = v.length();
            if sine < 1e-12 {
                return v * (-2.0 * k.bend_x);
            }
            v * (-k.bend_x * 2.0 * atan2(sine, w) / sine)
        }
    }
    let sag = |law: Option<Arc<dyn Law>>| {
        let mut model = Model::default();
        if let Some(law) = law {
            model.law = law;
        }
        model.add(straight(Vec3::new(0.1, 0.0, 0.0), 3)).unwrap();
        let mut system = System::new(model, options(4)).unwrap();
        assert!(system.settle() < 1e-9);
        -tip(&system, 0).y
    };
    let (tangent, linear) = (sag(None), sag(Some(Arc::new(Linear))));
    assert!(
        linear > tangent && linear < 1.05 * tangent,
        "{linear} and {tangent} m"
    );
}
