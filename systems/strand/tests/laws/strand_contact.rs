//! Contact of strands with each other and with themselves.

use drystone_base::{Pose, Symmetric3, Vec3};
use drystone_common::{Material, Materials};
use drystone_geometry::proximity::edge_edge;
use drystone_strand::*;

const EARTH: Vec3 = Vec3::new(0.0, -9.81, 0.0);
const RADIUS: f64 = 0.005;

fn rope(name: &str, points: &[Vec3]) -> Strand {
    let mut strand = Strand::new(name, Curve::through(points));
    strand.parameters = Parameters {
        mass_per_length: 0.05.into(),
        radius: RADIUS.into(),
        bend_stiffness: 1e-4.into(),
        twist_stiffness: 1e-4.into(),
        bend_damping: 0.02.into(),
        twist_damping: 0.02.into(),
        material: Some(0),
        ..Parameters::default()
    };
    strand.root = 0.0;
    strand.collide = true;
    strand
}

fn line(from: Vec3, to: Vec3, n: usize) -> Vec<Vec3> {
    (0..=n)
        .map(|k| from.lerp(to, k as f64 / n as f64))
        .collect()
}

/// A chain of `n` equal segments of `length` in all that hangs from `from` to `to` as a parabola towards `down`.
fn slack(from: Vec3, to: Vec3, sag: Vec3, n: usize) -> Vec<Vec3> {
    let part = |k: usize| k as f64 / n as f64;
    (0..=n)
        .map(|k| from.lerp(to, part(k)) + sag * (4.0 * part(k) * (1.0 - part(k))))
        .collect()
}

fn with_friction(mut model: Model, friction: f64) -> Model {
    let material = Material {
        friction,
        static_friction: None,
        restitution: 0.0,
    };
    model.materials = Materials::new(vec![material], Vec::new());
    model
}

fn hold_tip(model: &mut Model, i: usize, to: Anchor) {
    let link = model.chains[i].len() - 1;
    let at = Vec3::Y * model.chains[i].length[link];
    let kind = ConstraintKind::Point { link, at, to };
    let constraint = Constraint::new(format!("tip-{i}"), i, kind);
    model.add_constraint(constraint).unwrap();
}

fn nail(model: &mut Model, i: usize, at: Vec3) {
    let fixed = MotionPath::fixed(Pose::at(at));
    hold_tip(model, i, Anchor::World(fixed));
}

fn start(model: Model) -> System {
    let options = Options {
        parallel: false,
        ..Options::default()
    };
    System::new(model, options).unwrap()
}

/// Least distance of the centrelines of two strands, or of parts of one that are more than `apart` links apart \[m\].
fn nearest(system: &System, a: usize, b: usize, apart: usize) -> f64 {
    let (p, q) = (system.links(a), system.links(b));
    let mut least = f64::INFINITY;
    for (i, x) in p.iter().enumerate() {
        for (j, y) in q.iter().enumerate() {
            if a != b || j > i + apart {
                let found = edge_edge(x.origin, x.tip, y.origin, y.tip);
                least = least.min(found.distance_squared.sqrt());
            }
        }
    }
    least
}

fn crossing(friction: f64) -> System {
    let mut model = with_friction(Model::new(EARTH), friction);
    let (x, z, up) = (Vec3::X * 0.3, Vec3::Z * 0.3, Vec3::Y * 0.03);
    model
        .add(rope("below", &slack(-x, x, EARTH * 0.01, 30)))
        .unwrap();
    model
        .add(rope("above", &slack(up - z, up + z, Vec3::Y * 0.15, 36)))
        .unwrap();
    nail(&mut model, 0, x);
    nail(&mut model, 1, up + z);
    start(model)
}

#[test]
fn two_ropes_that_cross_keep_the_sum_of_their_radii() {
    let mut system = crossing(0.4);
    let mut report = Report::default();
    let mut least = f64::INFINITY;
    for _ in 0..600 {
        system.advance_into(0.01, &mut report);
        least = least.min(nearest(&system, 0, 1, 0));
    }
    let touching = system.state().strands[0].strand_contacts.len();
    assert!(touching > 0, "they do not touch");
    let (least, end) = (
        least / (2.0 * RADIUS) - 1.0,
        nearest(&system, 0, 1, 0) / (2.0 * RADIUS) - 1.0,
    );
    assert!(end.abs() < 0.01, "{end:.1e}");
    assert!(least > -0.01, "{least:.1e}");
    assert_eq!(report.failed, 0);
    let v = energy::kinetic_energy(&system);
    assert!(v < 1e-5, "{v:.1e} J"); // measured: 1.1e-6
}

fn ball(name: &str, mass: f64) -> RigidBody {
    let radius = 0.02;
    RigidBody {
        name: name.into(),
        mass,
        inertia: Symmetric3::diagonal(Vec3::splat(0.4 * mass * radius * radius)),
        gravity: 1.0,
        surface: None,
    }
}

/// A rope between two balls at its ends, through `points`; returns where the balls are.
fn between_balls(model: &mut Model, name: &str, mass: f64, points: &[Vec3]) -> [Vec3; 2] {
    let (from, to) = (points[0], points[points.len() - 1]);
    let first = model.add_body(ball(&format!("{name}-0"), mass)).unwrap();
    let last = model.add_body(ball(&format!("{name}-1"), mass)).unwrap();
    let local: Vec<Vec3> = points.iter().map(|x| *x - from).collect();
    let mut strand = rope(name, &local);
    strand.base = Base::on(MotionPath::fixed(Pose::at(from)));
    strand.base.body = Some((first, Pose::IDENTITY));
    let i = model.add(strand).unwrap();
    hold_tip(
        model,
        i,
        Anchor::Body {
            body: last,
            at: Pose::IDENTITY,
        },
    );
    [from, to]
}

/// Puts the balls in their places, in pairs that move with one velocity each.
fn throw(system: &mut System, places: &[[Vec3; 2]], velocity: &[Vec3]) {
    for (k, (ends, v)) in places.iter().zip(velocity).enumerate() {
        for (end, place) in ends.iter().enumerate() {
            system.start_body(
                2 * k + end,
                &BodyMotion {
                    pose: Pose::at(*place),
                    linear_velocity: *v,
                    angular_velocity: Vec3::ZERO,
                },
            );
        }
    }
}

fn step(system: &mut System, h: f64, report: &mut Report) {
    for k in 0..system.model.bodies.len() {
        system.push_body(k, true, Vec3::ZERO, Vec3::ZERO);
    }
    system.advance_into(h, report);
}

fn momentum(system: &System) -> Vec3 {
    let bodies: Vec3 = (0..system.model.bodies.len())
        .map(|k| system.body(k).linear_velocity * system.model.bodies[k].body.mass)
        .sum();
    bodies + energy::linear_momentum(system)
}

/// About the origin.
fn spin(system: &System) -> Vec3 {
    let bodies: Vec3 = (0..system.model.bodies.len())
        .map(|k| {
            let (own, at) = (&system.model.bodies[k].body, system.body(k));
            let inertia = own.inertia.rotated(at.pose.rotation);
            at.pose.position.cross(at.linear_velocity * own.mass)
                + inertia.times(at.angular_velocity)
        })
        .sum();
    bodies + energy::angular_momentum(system, Vec3::ZERO)
}

/// Of bodies and strands.
fn total_energy(system: &System) -> f64 {
    let bodies: f64 = (0..system.model.bodies.len())
        .map(|k| {
            let (own, at) = (&system.model.bodies[k].body, system.body(k));
            let w = at.pose.rotation.conjugate() * at.angular_velocity;
            0.5 * own.mass * at.linear_velocity.length_squared() + 0.5 * w.dot(own.inertia.times(w))
                - own.mass * own.gravity * system.model.gravity.dot(at.pose.position)
        })
        .sum();
    bodies + energy::total_energy(system)
}

/// Two ropes between balls that fly at each other crosswise, each at half of `speed`.
fn thrown(speed: f64) -> System {
    let mut model = with_friction(Model::new(Vec3::ZERO), 0.3);
    let (x, z, up) = (Vec3::X * 0.3, Vec3::Z * 0.3, Vec3::Y * 0.03);
    let shift = Vec3::new(0.04, 0.0, 0.013);
    let below = line(-x, x, 41);
    let above = line(up - z + shift, up + z + shift, 41);
    let places = [
        between_balls(&mut model, "below", 0.05, &below),
        between_balls(&mut model, "above", 0.02, &above),
    ];
    let mut system = start(model);
    let v = Vec3::Y * (0.5 * speed);
    throw(&mut system, &places, &[v, -v]);
    system
}

#[test]
fn ropes_thrown_at_each_other_keep_momentum_and_gain_no_energy() {
    for speed in [1.0, 10.0, 50.0] {
        let mut system = thrown(speed);
        let (p, l, e) = (momentum(&system), spin(&system), total_energy(&system));
        let size = 0.05 * 0.5 * speed;
        let (mut dp, mut dl, mut gain, mut least) = (0.0f64, 0.0f64, 0.0f64, f64::INFINITY);
        let mut report = Report::default();
        for _ in 0..30 {
            step(&mut system, 0.01, &mut report);
            dp = dp.max((momentum(&system) - p).length() / size);
            dl = dl.max((spin(&system) - l).length() / (size * 0.3));
            gain = gain.max(total_energy(&system) / e - 1.0);
            least = least.min(nearest(&system, 0, 1, 0) / (2.0 * RADIUS));
        }
        assert!(dp < 1e-9, "{speed} m/s: momentum off by {dp:.1e}");
        // the formula itself does not keep angular momentum; steps of first order after blows least of all
        assert!(dl < 0.1, "{speed} m/s: angular momentum off by {dl:.1e}");
        assert!(gain < 1e-9, "{speed} m/s: energy gained {gain:.1e}");
        assert!(
            least > 0.98,
            "{speed} m/s: as near as {least:.3} of the radii"
        );
        assert_eq!(report.failed, 0, "{speed} m/s");
    }
}

/// A ring in a plane, of `n` segments, that is fixed to a ball at both ends; where the ball is.
fn ring(model: &mut Model, name: &str, centre: Vec3, (u, v): (Vec3, Vec3), n: usize) -> Vec3 {
    use drystone_base::functions::{cos, sin};
    let angle = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
    let points: Vec<Vec3> = (0..=n)
        .map(|k| centre + (u * cos(angle(k)) + v * sin(angle(k))) * 0.1)
        .collect();
    let from = points[0];
    let body = model.add_body(ball(name, 0.05)).unwrap();
    let local: Vec<Vec3> = points.iter().map(|x| *x - from).collect();
    let mut strand = rope(name, &local);
    strand.base = Base::on(MotionPath::fixed(Pose::at(from)));
    strand.base.body = Some((body, Pose::IDENTITY));
    let i = model.add(strand).unwrap();
    let at = Pose::IDENTITY;
    hold_tip(model, i, Anchor::Body { body, at });
    from
}

/// How often two closed strands wind around each other, by signed crossings seen along a direction.
fn linking(system: &System, a: usize, b: usize) -> f64 {
    let seen = Vec3::new(0.31, 0.83, 0.47).normalize();
    let (p, q) = (system.links(a), system.links(b));
    let mut sum = 0.0;
    for x in &p {
        for y in &q {
            let (u, v, r) = (x.tip - x.origin, y.tip - y.origin, y.origin - x.origin);
            // r + v t − u s along the line of sight
            let flat = u.cross(v).dot(seen);
            let (s, t) = (r.cross(v).dot(seen) / flat, r.cross(u).dot(seen) / flat);
            if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
                let above = (r + v * t - u * s).dot(seen);
                sum += 0.5 * flat.signum() * above.signum();
            }
        }
    }
    sum
}

#[test]
fn rings_that_are_linked_stay_linked_and_others_do_not_link() {
    for speed in [1.0, 10.0, 50.0] {
        for (far, links, way) in [(0.1, 1.0, -1.0), (0.25, 0.0, 1.0)] {
            // apart if they are linked, else at each other; linked rings that snap taut at 50 m/s are not solved
            if links > 0.0 && speed > 10.0 {
                continue;
            }
            let mut model = with_friction(Model::new(Vec3::ZERO), 0.3);
            let x = Vec3::X * (0.5 * far);
            let places = [
                ring(&mut model, "a", -x, (-Vec3::X, Vec3::Y), 48),
                ring(&mut model, "b", x, (Vec3::X, Vec3::Z), 48),
            ];
            let mut system = start(model);
            for (k, place) in places.iter().enumerate() {
                let v = Vec3::X * (0.5 * speed * way * if k == 0 { 1.0 } else { -1.0 });
                system.start_body(
                    k,
                    &BodyMotion {
                        pose: Pose::at(*place),
                        linear_velocity: v,
                        angular_velocity: Vec3::ZERO,
                    },
                );
            }
            assert_eq!(linking(&system, 0, 1).abs(), links, "at the start");
            let (p, e) = (momentum(&system), total_energy(&system));
            let mut report = Report::default();
            let (mut dp, mut gain, mut least) = (0.0f64, 0.0f64, f64::INFINITY);
            for k in 0..40 {
                step(&mut system, 0.01, &mut report);
                dp = dp.max((momentum(&system) - p).length() / (0.05 * speed));
                gain = gain.max(total_energy(&system) / e - 1.0);
                least = least.min(nearest(&system, 0, 1, 0) / (2.0 * RADIUS));
                let found = linking(&system, 0, 1).abs();
                assert_eq!(
                    found, links,
                    "{speed} m/s, step {k}: {} failed",
                    report.failed
                );
            }
            // faster rings have steps that are taken unsolved: 2 of 156 linked at 10 m/s, 4 of 360 at 50 m/s; measured
            // there: 4e-5 and 4e-4
            assert!(
                speed > 1.0 || dp < 1e-9,
                "{speed} m/s: momentum off by {dp:.1e}"
            );
            assert!(gain < 1e-9, "{speed} m/s: energy gained {gain:.1e}");
        }
    }
}

/// Points of an overhand knot of 1.54 m in `n` segments.
fn overhand(n: usize) -> Vec<Vec3> {
    let (fine, most, scale) = (20_000, 2.15, 0.05);
    let at = |k: usize| {
        let t = most * (2.0 * k as f64 / fine as f64 - 1.0);
        let (t2, t3) = (t * t, t * t * t);
        Vec3::new(
            t3 - 3.0 * t,
            t2 * t2 - 4.0 * t2,
            0.15 * (t3 * t2 - 10.0 * t),
        ) * scale
    };
    let mut along = vec![0.0];
    for k in 0..fine {
        along.push(along[k] + (at(k + 1) - at(k)).length());
    }
    (0..=n)
        .map(|i| at(along.partition_point(|s| *s < along[fine] * i as f64 / n as f64)))
        .collect()
}

#[test]
fn an_overhand_knot_tightens_and_holds() {
    let mut model = with_friction(Model::new(Vec3::ZERO), 0.3);
    let points = overhand(200);
    let (from, to) = (points[0], points[200]);
    let out = Vec3::new(to.x, 0.0, to.z).normalize() * 0.4;
    let local: Vec<Vec3> = points.iter().map(|x| *x - from).collect();
    let path = |a: Vec3, b: Vec3| {
        let key = |t: f64, x: Vec3| Key::new(t, Pose::at(x));
        let m = |u: f64| a.lerp(b, u);
        MotionPath::smooth(&[
            key(-1.0, a),
            key(0.0, a),
            key(0.5, m(0.125)),
            key(1.0, m(0.375)),
            key(1.5, m(0.625)),
            key(2.0, m(0.875)),
            key(2.5, b),
            key(3.5, b),
        ])
        .unwrap()
    };
    let mut strand = rope("rope", &local);
    strand.parameters.drag = 0.2.into();
    strand.base = Base::on(path(from, from - out));
    model.add(strand).unwrap();
    hold_tip(&mut model, 0, Anchor::World(path(to, to + out)));
    let mut system = start(model);
    let mut report = Report::default();
    let mut least = f64::INFINITY;
    for k in 0..300 {
        system.advance_into(0.01, &mut report);
        if k % 10 == 9 {
            least = least.min(nearest(&system, 0, 0, 3) / (2.0 * RADIUS));
        }
    }
    let strand = &system.state().strands[0];
    let touching = strand.strand_contacts.len();
    assert_eq!((report.failed, report.gains.len()), (0, 0));
    // measured: 7 contacts, 1.0000
    assert!(touching >= 4, "{touching} contacts");
    assert!(least > 0.99, "{least}");
}

#[test]
fn a_snapshot_of_ropes_that_touch_goes_on_to_the_same_bits() {
    let mut system = crossing(0.4);
    let mut report = Report::default();
    for _ in 0..500 {
        system.advance_into(0.01, &mut report);
    }
    assert!(!system.state().strands[0].strand_contacts.is_empty());
    let state = system.state().clone();
    let mut other = crossing(0.4);
    other.restore(state).unwrap();
    for _ in 0..20 {
        system.advance_into(0.01, &mut report);
        other.advance_into(0.01, &mut report);
    }
    assert!(system.state() == other.state());
}
