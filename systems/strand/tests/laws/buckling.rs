//! Rods that leave their line, ring or plane under twist and weight.

use crate::build::*;
use drystone_base::functions::{atan2, cos, rotation_about, rotation_vector, sin};
use drystone_base::{Mat3, Pose, Quat, Vec3};
use drystone_strand::*;

/// `EI` 1 N m², `GJ` 0.8 N m²; it weighs little, so that what grows does so at once.
fn light() -> Parameters {
    Parameters {
        mass_per_length: 0.01.into(),
        radius: 1e-3.into(),
        bend_stiffness: 1.0.into(),
        twist_stiffness: 0.8.into(),
        bend_damping: 0.0.into(),
        twist_damping: 0.0.into(),
        drag: 0.02.into(),
        ..Parameters::default()
    }
}

/// Lets `system` go from a kick of 1e-6 rad on every joint of its strand: how far `off` \[m\] grows within `seconds`,
/// over what it is after the kick. `prepare` is called before each step; what has left by a millimetre is followed
/// no more.
fn grows(
    system: &mut System,
    seconds: f64,
    prepare: impl Fn(&mut System),
    off: impl Fn(&System) -> f64,
) -> f64 {
    let mut random = drystone_base::random::Random::new(5);
    let mut kick = || {
        let mut c = || random.range(-1e-6, 1e-6);
        rotation_vector(Vec3::new(c(), 0.0, c()))
    };
    let joints = &system.state.strands[0].rotation;
    let kicked: Vec<Quat> = joints.iter().map(|q| *q * kick()).collect();
    system.set_joints(0, &kicked, &vec![Vec3::ZERO; kicked.len()]);
    let (start, mut far) = (off(system), 0.0f64);
    for _ in 0..(seconds * 96.0) as usize {
        prepare(system);
        assert_eq!(system.advance(1.0 / 96.0).failed, 0, "{far:.1e} m");
        far = far.max(off(system));
        if far > 1e-3 {
            break;
        }
    }
    far / start
}

/// Where `f` changes its sign between `low` and `high`.
fn root(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let below = f(low) > 0.0;
    assert!(below != (f(high) > 0.0), "no change of sign");
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (f(middle) > 0.0) == below {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Turn of a joint whose twist stiffness `GJ` 0.8 acts over `cell` \[m\], under `moment` \[N m\].
fn twist_under(moment: f64, cell: f64) -> f64 {
    2.0 * atan2(0.5 * moment * cell, 0.8)
}

/// A straight rod of 1 m between two fixed points, under a tension and a twisting moment that are the same all along.
struct Twisted {
    segments: usize,
    /// Whether its ends are clamped; otherwise they turn freely and the moment on them keeps to the axis.
    clamped: bool,
    /// \[N\]
    tension: f64,
    /// \[N m\]
    moment: f64,
}

impl Twisted {
    /// How many times a kick grows within `seconds`.
    fn leaves_its_line(&self, seconds: f64) -> f64 {
        let (n, last) = (self.segments, self.segments - 1);
        // drawn to 1.25 times its length: what bending takes of that changes the tension little
        let rest = if self.tension > 0.0 { 0.8 } else { 1.0 };
        let soft = self.tension.max(1.0) / (1.0 / 0.8 - 1.0);
        let mut strand = Strand::new("rod", Curve::straight(Vec3::ZERO, Vec3::X * rest, n));
        // cells of one segment about every joint fill the rod from clamp to clamp
        strand.root = if self.clamped { 1.0 } else { 0.0 };
        // a joint is as stiff as its cell is when drawn
        strand.parameters = Parameters {
            bend_stiffness: rest.into(),
            twist_stiffness: (0.8 * rest).into(),
            stretch_stiffness: Some(soft.into()),
            ..light()
        };
        let mut model = Model::new(Vec3::ZERO);
        model.add(strand).unwrap();
        let turn = twist_under(self.moment, 1.0 / n as f64);
        let mut joints = model.chains[0].start_rotation.clone();
        let end = joints[0] * rotation_about(Vec3::Y, turn * n as f64);
        let (link, at) = (last, Vec3::Y * model.chains[0].length[last]);
        let to = Anchor::World(MotionPath::fixed(Pose::new(Vec3::X, end)));
        let hold = if self.clamped {
            let at = Pose::at(at);
            ConstraintKind::Pose { link, at, to }
        } else {
            ConstraintKind::Point { link, at, to }
        };
        model
            .add_constraint(Constraint::new("end", 0, hold))
            .unwrap();
        for joint in &mut joints[usize::from(!self.clamped)..] {
            *joint *= rotation_about(Vec3::Y, turn);
        }
        let mut system = System::new(model, options(4)).unwrap();
        let stretch = &mut system.state.strands[0].stretch;
        stretch.fill((1.0 - rest) / n as f64);
        system.set_joints(0, &joints, &vec![Vec3::ZERO; n]);
        let (clamped, moment) = (self.clamped, Vec3::X * self.moment);
        let prepare = |system: &mut System| {
            if !clamped {
                let torque = &mut system.state.strands[0].torque;
                torque[0] -= moment;
                torque[last] += moment;
            }
        };
        let off = |system: &System| {
            let points = system.points(0);
            let away = points[0].iter().map(|p| p.y.hypot(p.z));
            away.fold(0.0, f64::max)
        };
        grows(&mut system, seconds, prepare, off)
    }
}

#[test]
fn a_twisted_rod_between_pins_buckles_at_greenhills_moment() {
    // M = 2π EI/L, of a moment that keeps to the axis
    let leaves = |part: f64| {
        let rod = Twisted {
            segments: 80,
            clamped: false,
            tension: 0.0,
            moment: std::f64::consts::TAU * part,
        };
        rod.leaves_its_line(5.0)
    };
    let (below, above) = (leaves(0.995), leaves(1.005));
    // measured: 6.0 and 238
    assert!(
        below < 20.0 && above > 100.0,
        "{below:.1} and {above:.1} times"
    );
}

/// Least moment at which a clamped rod of length 1 and `EI` 1 under `tension` has another equilibrium beside its line.
///
/// With `u` = y + i z, `u'''' = i M u''' + T u''`: `u = a + i b s + c e^{iκ₁s} + d e^{iκ₂s}` with
/// `κ = (M ± √(M² − 4T))/2`, and by symmetry about the middle all four are real. That `u` and `u'` are zero at s = 1/2
/// leaves one condition on `κ₁/2` and `κ₂/2`.
fn clamped_moment(tension: f64) -> f64 {
    let condition = |moment: f64| {
        let apart = f64::sqrt(moment * moment - 4.0 * tension);
        // without tension the second wave is a straight line
        let [x, y] = [moment + apart, moment - apart].map(|k| (0.25 * k).max(1e-6));
        let odd = |x: f64| cos(x) / x - sin(x) / (x * x);
        let even = |x: f64| sin(x) / x;
        odd(x) * even(y) - odd(y) * even(x)
    };
    // the first change of sign above the moment of a rod without end
    let step = 0.01;
    let mut low = f64::sqrt(4.0 * tension) + step;
    while condition(low) * condition(low + step) > 0.0 {
        low += step;
    }
    root(condition, low, low + step)
}

#[test]
fn a_twisted_rod_between_clamps_buckles_at_its_torque() {
    // M = 8.987 EI/L, a twist of 11.23 rad at GJ/EI = 0.8
    let critical = clamped_moment(0.0);
    assert!((critical - 8.987).abs() < 5e-4, "{critical} EI/L");
    let leaves = |part: f64| {
        let rod = Twisted {
            segments: 80,
            clamped: true,
            tension: 0.0,
            moment: critical * part,
        };
        rod.leaves_its_line(5.0)
    };
    let (below, above) = (leaves(0.995), leaves(1.005));
    // measured: 1.8 and 222
    assert!(
        below < 10.0 && above > 100.0,
        "{below:.1} and {above:.1} times"
    );
}

#[test]
fn a_long_rod_under_tension_buckles_at_twice_the_root_of_stiffness_and_tension() {
    // M² = 4 EI T of a rod without end; between clamps 4.9, 1.2 and 0.31 % more
    // measured: 0.6, 0.4 and 0.4 below, 394, 1918 and 261 above
    let mut found = Vec::new();
    for (tension, segments) in [(100.0, 100), (400.0, 200), (1600.0, 400)] {
        let endless = f64::sqrt(4.0 * tension);
        let critical = clamped_moment(tension);
        let leaves = |part: f64| {
            let rod = Twisted {
                segments,
                clamped: true,
                tension,
                moment: critical * part,
            };
            rod.leaves_its_line(2.0)
        };
        found.push((critical / endless - 1.0, leaves(0.995), leaves(1.005)));
    }
    assert!(
        found
            .iter()
            .all(|(_, below, above)| *below < 3.0 && *above > 30.0),
        "{found:?}"
    );
    // the last is the rod without end to a third of a percent, and the rest goes with 1/T
    let [a, b, c] = [found[0].0, found[1].0, found[2].0];
    assert!(c < 3.3e-3 && a / b > 3.8 && b / c > 3.8, "{a} {b} {c}");
}

#[test]
fn a_twisted_ring_leaves_its_plane_at_michells_twist() {
    // M = √3 EI/R, a twist of 2π√3 EI/GJ = 13.603 rad at GJ/EI = 0.8
    let n = 96;
    let corner = std::f64::consts::TAU / n as f64;
    // sides of a polygon as long as the arcs of a circle of 1 m
    let radius = 0.5 * corner / sin(0.5 * corner);
    let point = |k: usize| {
        let angle = corner * k as f64;
        Vec3::new(radius * cos(angle), 0.0, -radius * sin(angle))
    };
    let leaves = |part: f64| {
        let mut curve = Curve::through(&(0..=n).map(point).collect::<Vec<_>>());
        // straight without load: the first joint is bent as all others are
        let way = point(n) - point(n - 1);
        curve.rest = Some((0..=n).map(|k| point(0) + way * k as f64).collect());
        curve.normals = Some(vec![Vec3::Y; n]);
        let mut strand = Strand::new("ring", curve).with(light());
        strand.root = 1.0;
        let mut model = Model::new(Vec3::ZERO);
        model.add(strand).unwrap();
        let turn = twist_under(f64::sqrt(3.0) * part, corner);
        let turned = |j: usize| rotation_about(Vec3::Y, turn * j as f64);
        let chain = &model.chains[0];
        let start = &chain.start_rotation;
        let mut links = Vec::new();
        place(chain, start, &[], &Pose::IDENTITY, &mut links);
        let joints: Vec<Quat> = start
            .iter()
            .enumerate()
            .map(|(j, q)| match j {
                0 => *q * turned(1),
                _ => turned(j).conjugate() * *q * turned(j + 1),
            })
            .collect();
        let end = links[n - 1].rotation * turned(n);
        let hold = ConstraintKind::Pose {
            link: n - 1,
            at: Pose::at(Vec3::Y * chain.length[n - 1]),
            to: Anchor::World(MotionPath::fixed(Pose::new(point(n), end))),
        };
        model
            .add_constraint(Constraint::new("end", 0, hold))
            .unwrap();
        let mut system = System::new(model, options(4)).unwrap();
        system.set_joints(0, &joints, &vec![Vec3::ZERO; n]);
        let off = |system: &System| {
            let points = system.points(0);
            points[0].iter().fold(0.0f64, |far, p| far.max(p.y.abs()))
        };
        grows(&mut system, 10.0, |_| {}, off)
    };
    let (below, above) = (leaves(0.99), leaves(1.01));
    // measured: 1.7 and 223
    assert!(
        below < 10.0 && above > 100.0,
        "{below:.1} and {above:.1} times"
    );
}

/// Weight \[N/m\] at which a strip of length 1, sideways `EI` 1 and `GJ` 0.8 falls to the side (Prandtl, Michell).
///
/// `φ'' + q² x⁴ φ / 4 EI GJ = 0` from the free end, `φ' = 0` there and `φ = 0` at the clamp:
/// `φ = 1 − z/(5·6) + z²/(5·6·11·12) − …` with `z = q²/4 EI GJ`.
fn prandtls_weight() -> f64 {
    let turned = |z: f64| {
        let (mut term, mut sum) = (1.0, 1.0);
        for k in 1..30 {
            term *= -z / f64::from((6 * k - 1) * 6 * k);
            sum += term;
        }
        sum
    };
    f64::sqrt(4.0 * 0.8 * root(turned, 0.0, 80.0))
}

#[test]
fn a_strip_on_its_edge_falls_sideways_at_prandtls_weight() {
    // q L³ = 12.85 √(EI GJ); a thousand times as stiff upwards, it does not sag before
    let critical = prandtls_weight();
    assert!(
        (critical / f64::sqrt(0.8) - 12.85).abs() < 5e-3,
        "{critical}"
    );
    let falls = |n: usize, part: f64| {
        let mut curve = Curve::straight(Vec3::ZERO, Vec3::X, n);
        // bending about the upward axis is sideways
        curve.normals = Some(vec![Vec3::Y; n]);
        let mut strand = Strand::new("strip", curve);
        strand.parameters = Parameters {
            bend_ratio: 1e3.into(),
            ..light()
        };
        let mut model = Model::new(Vec3::NEG_Y * (critical * part / 0.01));
        model.add(strand).unwrap();
        let mut system = System::new(model, options(4)).unwrap();
        let moved = system.settle();
        assert!(moved < 1e-9, "{moved:.1e} rad");
        grows(&mut system, 5.0, |_| {}, |system| tip(system, 0).z.abs())
    };
    for n in [25, 100] {
        let (below, above) = (falls(n, 0.995), falls(n, 1.005));
        // measured: 2.9 and 2e4 with 25 segments, 0.8 and 354 with 100
        assert!(
            below < 5.0 && above > 100.0,
            "{n}: {below:.1} and {above:.1} times"
        );
    }
}

/// A rod of length 1, `EI` 1 and `GJ` 0.8 with the natural curvature `curvature` about z under `weight` \[N/m\], integrated
/// from its free end, whose frame is `tip` (y along the rod, towards the tip), to its root: the frame there.
///
/// `m' = −t × n` with `n = −w (1 − s) ŷ` the weight beyond, `R' = R [u]`, `u = (m₁/EI, m₂/GJ, m₃/EI + κ)`
fn root_frame(tip: Mat3, weight: f64, curvature: f64) -> Mat3 {
    let steps = 200;
    let h = 1.0 / f64::from(steps);
    // over the length from the tip
    let slope = |beyond: f64, r: Mat3, m: Vec3| {
        let b = r.transpose() * m;
        let u = Vec3::new(b.x, b.y / 0.8, b.z + curvature);
        let turned = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| r * axis.cross(u));
        let moment = Vec3::Y.cross(r.y_axis) * (weight * beyond);
        (Mat3::from_cols(turned[0], turned[1], turned[2]), moment)
    };
    let (mut r, mut m) = (tip, Vec3::ZERO);
    for k in 0..steps {
        let s = f64::from(k) * h;
        let (r1, m1) = slope(s, r, m);
        let (r2, m2) = slope(s + 0.5 * h, r + r1 * (0.5 * h), m + m1 * (0.5 * h));
        let (r3, m3) = slope(s + 0.5 * h, r + r2 * (0.5 * h), m + m2 * (0.5 * h));
        let (r4, m4) = slope(s + h, r + r3 * h, m + m3 * h);
        r += (r1 + r2 * 2.0 + r3 * 2.0 + r4) * (h / 6.0);
        m += (m1 + m2 * 2.0 + m3 * 2.0 + m4) * (h / 6.0);
    }
    r
}

/// Least natural curvature at which a rod that hangs straight down from its clamp leaves its plane under `weight`.
///
/// A small turn of the tip about the horizontal axis in the plane must leave the root level; one about the vertical
/// turns the whole rod.
fn curvature_that_leaves_the_plane(weight: f64) -> f64 {
    let down = |turn: f64| Mat3::from_rotation_z(std::f64::consts::PI + turn);
    // turn of the root in the plane
    let off = |turn: f64, curvature: f64| {
        let y = root_frame(down(turn), weight, curvature).y_axis;
        atan2(y.x, -y.y)
    };
    // the tip's turn in the plane, followed from the straight rod
    let hanging = |guess: f64, curvature: f64| {
        let mut turn = guess;
        for _ in 0..20 {
            let here = off(turn, curvature);
            turn -= 1e-6 * here / (off(turn + 1e-6, curvature) - here);
        }
        turn
    };
    let tilt = |turn: f64, curvature: f64| {
        let small = 1e-5;
        let tip = Mat3::from_rotation_x(small) * down(turn);
        root_frame(tip, weight, curvature).y_axis.z / -small
    };
    let (mut turn, mut curvature, step) = (0.0, 0.0, 0.1);
    loop {
        let next = hanging(turn, curvature + step);
        if tilt(next, curvature + step) < 0.0 {
            break;
        }
        (turn, curvature) = (next, curvature + step);
        assert!(curvature < 10.0, "it does not leave its plane");
    }
    root(|k| tilt(hanging(turn, k), k), curvature, curvature + step)
}

#[test]
fn a_curly_rod_that_hangs_leaves_its_plane_at_the_curvature_of_kirchhoffs_equations() {
    let n = 50;
    let leaves = |weight: f64, curvature: f64| {
        // half a cell of the natural curvature before the first segment
        let way = |k: usize| {
            let turn = curvature * (k as f64 + 0.5) / n as f64;
            Vec3::new(sin(turn), -cos(turn), 0.0) / n as f64
        };
        let mut points = vec![Vec3::ZERO];
        for k in 0..n {
            points.push(points[k] + way(k));
        }
        let strand = Strand::new("curl", Curve::through(&points)).with(light());
        let mut model = Model::new(Vec3::NEG_Y * (weight / 0.01));
        model.add(strand).unwrap();
        let mut system = System::new(model, options(4)).unwrap();
        let moved = system.settle();
        assert!(moved < 1e-6, "{moved:.1e} rad");
        let off = |system: &System| {
            let points = system.points(0);
            points[0].iter().fold(0.0f64, |far, p| far.max(p.z.abs()))
        };
        grows(&mut system, 10.0, |_| {}, off)
    };
    for weight in [15.0, 20.0, 30.0] {
        // at 5.993, 5.964 and 6.231 over the length
        let critical = curvature_that_leaves_the_plane(weight);
        let (below, above) = (
            leaves(weight, 0.995 * critical),
            leaves(weight, 1.005 * critical),
        );
        // measured: 0.5, 0.6 and 0.7 below, 2900 to 3000 above
        assert!(
            below < 5.0 && above > 100.0,
            "Γ {weight}, κL {critical}: {below:.1} and {above:.1} times"
        );
    }
}
