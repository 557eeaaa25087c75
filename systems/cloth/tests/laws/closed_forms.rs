//! Motions that are known by formula: how deep, how long, how high, in which shape.

use drystone_base::Vec3;
use drystone_cloth::{
    Contact, Material, Model, Motion, Obstacle, Options, Pin, Sheet, Stretch, System, seconds,
};

use crate::scenes::{DOWN, floor, particles, thrown_sheet, walkthrough};

/// Short periods, so that what is left is the formula.
fn fine() -> Options {
    Options {
        penalty_fraction: 0.01,
        ..Options::default()
    }
}

/// A particle of mass 1 that flies straight down on the middle of a face, without gravity.
fn shot(speed: f64, restitution: f64) -> Model {
    let start = (Vec3::new(1.0, 0.2, -1.0), Vec3::new(0.0, -speed, 0.0));
    let mut floor = floor(3.0);
    floor.restitution = restitution;
    Model {
        sheets: vec![particles("shot", &[start], restitution)],
        obstacles: vec![floor],
        ..Model::default()
    }
}

/// Energy of all layers at distance `d`, for η(1) = 0.1 m and r(1) = 1000 N/m \[J\].
fn stored(d: f64) -> f64 {
    let depth = |l: f64| (0.1 * l.powf(-0.25) - d).max(0.0);
    let energy = |l: u32| 500.0 * f64::from(l).powi(3) * depth(f64::from(l)).powi(2);
    (1..1000).map(energy).sum()
}

/// It gets as deep as the layers need to store what it brings.
#[test]
fn a_shot_is_stopped_where_the_layers_have_its_energy() {
    for speed in [0.3, 2.0, 10.0, 40.0] {
        let mut system = System::new(shot(speed, 1.0), fine()).unwrap();
        let mut least = f64::INFINITY;
        let report = system.advance_watched(0.4 / speed, |state| {
            let v = &state.vertices()[0];
            let h = seconds(state.time() - v.time);
            least = least.min(v.position.y + v.velocity.y * h);
        });
        let (found, wanted) = (stored(least), 0.5 * speed * speed);
        assert!(
            (found / wanted - 1.0).abs() < 2e-3,
            "{speed} m/s: stopped at {least} m, where {found} J are stored of {wanted}"
        ); // measured: 3e-4
        // η(l) > d for l < (η(1)/d)⁴
        let (layers, needed) = (f64::from(report.events.deepest), (0.1 / least).powi(4));
        assert!(
            layers >= needed.floor() && layers < needed + 1.5,
            "{speed} m/s: {layers} layers, {needed} needed"
        );
    }
}

/// A shallow hit is half a swing of a mass on a spring, `π √(m/r)` long, and begins when a fall of 0.9 m ends.
#[test]
fn a_shallow_hit_lasts_half_a_swing_and_a_fall_takes_its_time() {
    let touched = |mut system: System, until: f64| {
        let (mut first, mut last) = (None, 0.0);
        let gravity = system.model().gravity;
        let v0 = system.velocities(0)[0];
        let mut before = v0;
        system.advance_watched(until, |state| {
            let v = &state.vertices()[0];
            let now = v.velocity - gravity * seconds(v.time);
            if (now - before).length() > 1e-12 {
                first = first.or(Some(state.seconds()));
                last = state.seconds();
                before = now;
            }
        });
        (first.unwrap(), last)
    };
    let (first, last) = touched(System::new(shot(0.3, 1.0), fine()).unwrap(), 1.0);
    let (found, wanted) = (
        last - first,
        std::f64::consts::PI * (1.0f64 / 1000.0).sqrt(),
    );
    assert!(
        (found / wanted - 1.0).abs() < 5e-3,
        "{found} s, not {wanted}"
    ); // measured: 2.3e-3

    let (first, _) = touched(System::new(walkthrough(1.0), fine()).unwrap(), 0.6);
    let wanted = (2.0 * 0.9 / 9.8f64).sqrt();
    assert!(
        (first - wanted).abs() < 1e-3,
        "lands after {first} s, not {wanted}"
    ); // measured: 1.4e-4
}

/// Above the deepest point each bounce is `e²` as high as the one before, `h' + δ = e² (h + δ)`, where the layer
/// stores what the fall brings, `r δ²/2 = m g (h + δ)`.
#[test]
fn heights_of_bounces_are_a_geometric_series() {
    let e: f64 = 0.8;
    let mut model = walkthrough(e);
    model.sheets[0].points[0] = Vec3::new(1.0, 1.0, -1.0);
    model.contact.stiffness = 1e5; // so stiff that it hardly sinks
    let mut system = System::new(model, fine()).unwrap();
    let mut heights = vec![0.9];
    for _ in 0..1200 {
        system.advance(0.002);
        let (x, v) = (system.points(0)[0].y - 0.1, system.velocities(0)[0].y);
        // in flight upwards
        if x > 0.01 && v > 0.0 {
            let height = x + v * v / (2.0 * 9.8);
            let last = heights.last().copied().unwrap_or(0.0);
            if (height / last - 1.0).abs() > 0.1 {
                heights.push(height);
            }
        }
    }
    assert!(heights.len() >= 5, "{heights:?}");
    for pair in heights.windows(2).take(4) {
        let (g, r) = (9.8f64, 1e5);
        let depth = (g + (g * g + 2.0 * r * g * pair[0]).sqrt()) / r;
        let wanted = e * e * (pair[0] + depth) - depth;
        let off = pair[1] / wanted - 1.0;
        assert!(off.abs() < 1e-3, "{off:.1e} off: {heights:?}"); // measured: 6e-5
    }
}

/// Two triangles that share an edge flap with `ω² = 2 k (3|e|²/A) Σ|∇θ|²/m`.
#[test]
fn a_hinge_flaps_with_its_period() {
    let (k, mass) = (0.01, 0.02);
    let points = vec![
        Vec3::new(0.0, 0.0, -0.5),
        Vec3::new(0.0, 0.0, 0.5),
        Vec3::new(-0.6, 0.0, 0.0),
        Vec3::new(0.8, 0.0, 0.1),
    ];
    // slopes of the angle about flat: wings by their heights, what the wings take is given back by the edge
    let [left, right] = [1.0 / 0.6, 1.0 / 0.8];
    let slopes = [
        -0.5 * left - 0.4 * right,
        -0.5 * left - 0.6 * right,
        left,
        right,
    ];
    let area = 0.5 * 0.6 + 0.5 * 0.8;
    let squares: f64 = slopes.iter().map(|s| s * s).sum();
    let omega = (2.0 * k * (3.0 / area) * squares / mass).sqrt();
    let sheet = Sheet {
        name: "hinge".into(),
        velocities: slopes.map(|s| Vec3::Y * (1e-3 * s)).to_vec(),
        points,
        faces: vec![[0, 1, 2], [1, 0, 3]],
        material: Material {
            density: 0.0,
            vertex_mass: mass,
            bending: k,
            stretch_damping: 0.0,
            ..Material::default()
        },
        ..Sheet::default()
    };
    let model = Model {
        sheets: vec![sheet],
        ..Model::default()
    };
    let mut system = System::new(model, Options::default()).unwrap();
    let (mut zeros, mut before, step) = (Vec::new(), 0.0, 1.0 / 4096.0);
    for k in 1..=(2.2 * std::f64::consts::TAU / omega / step) as u32 {
        system.advance(step);
        let x = system.points(0);
        let angle: f64 = slopes.iter().zip(&x).map(|(s, x)| s * x.y).sum();
        if angle * before < 0.0 {
            zeros.push(step * (f64::from(k) - angle / (angle - before)));
        }
        before = angle;
    }
    let (found, wanted) = (zeros[2] - zeros[0], std::f64::consts::TAU / omega);
    assert!(
        (found / wanted - 1.0).abs() < 1e-4,
        "{found} s, not {wanted}"
    ); // measured: 1.3e-6
}

/// A strip between two bars comes to rest in a catenary, `y = a cosh(x/a)`, in air that slows it down.
#[test]
fn a_hanging_strip_is_a_catenary() {
    let (pieces, piece, span) = (40u32, 0.05, 1.4);
    let length = f64::from(pieces) * piece;
    let mut strip = Sheet::grid("strip", pieces + 1, 2, piece);
    strip.rest = Some(strip.points.clone());
    // it starts as a V of the same length
    let drop = (0.25 * (length * length - span * span)).sqrt();
    for p in &mut strip.points {
        let s = 2.0 * p.x / length;
        (p.x, p.y) = (0.5 * span * s, drop * (s.abs() - 1.0));
    }
    strip.material = Material {
        stretch: Stretch::Spring(2e3),
        stretch_damping: 0.1,
        bending: 1e-7,
        drag: 0.5,
        ..Material::default()
    };
    strip.pins = vec![Pin {
        vertices: vec![0, pieces, pieces + 1, 2 * pieces + 1],
        motion: Motion::Fixed,
        until: None,
    }];
    let model = Model {
        sheets: vec![strip],
        contact: Contact {
            thickness: 0.4 * piece,
            ..Contact::default()
        },
        gravity: DOWN,
        ..Model::default()
    };
    let mut system = System::new(model, Options::default()).unwrap();
    assert_eq!(system.advance(6.0).stall, None);
    // 2 a sinh(span/2a) = length, by halving
    let (mut low, mut high) = (0.1f64, 10.0f64);
    for _ in 0..60 {
        let a = 0.5 * (low + high);
        let is_longer = 2.0 * a * (0.5 * span / a).sinh() > length;
        (low, high) = if is_longer { (a, high) } else { (low, a) };
    }
    let a = 0.5 * (low + high);
    let hangs = |x: f64| a * ((x / a).cosh() - (0.5 * span / a).cosh());
    let worst = system
        .points(0)
        .iter()
        .map(|p| (p.y / hangs(0.0) - hangs(p.x) / hangs(0.0)).abs())
        .fold(0.0, f64::max);
    assert!(worst < 5e-3, "off by {worst:.1e} of its sag"); // measured: 1.3e-3
}

/// Under gravity momentum grows by the weight, whatever touches whatever.
#[test]
fn momentum_grows_by_the_weight() {
    let mut model = thrown_sheet(6, 3.0, 0.5);
    model.obstacles.clear();
    model.gravity = DOWN;
    // folds over itself
    let sheet = &mut model.sheets[0];
    sheet.velocities = sheet
        .points
        .iter()
        .map(|p| Vec3::new(-30.0 * p.x, 4.0 * (p.x * p.x), 0.3))
        .collect();
    let mut system = System::new(model, Options::default()).unwrap();
    let mass: f64 = 0.1 * (5.0f64 * 0.15).powi(2);
    let (before, _) = system.momentum();
    let (mut pushes, mut time) = (0, 0.0);
    for _ in 0..20 {
        pushes += system.advance(0.02).events.penalties;
        time += 0.02;
    }
    let (after, _) = system.momentum();
    let off = (after - before - DOWN * (mass * system.time())).length() / (mass * 9.8 * time);
    assert!(pushes > 100, "it did not touch itself: {pushes}");
    assert!(off < 1e-13, "momentum is {off:.1e} off"); // measured: 2.4e-15
}

/// A segment of two vertices that falls flat on a fixed one, crossing it or along it.
fn rods(direction: Vec3, mass: f64, restitution: f64) -> Model {
    let half = 0.4 * direction;
    let mut rod = particles(
        "rod",
        &[
            (Vec3::Y * 0.3 - half, Vec3::Y * -2.0),
            (Vec3::Y * 0.3 + half, Vec3::Y * -2.0),
        ],
        restitution,
    );
    rod.segments = vec![[0, 1]];
    rod.material.vertex_mass = 0.5 * mass;
    rod.material.stretch_damping = 0.0;
    Model {
        sheets: vec![rod],
        obstacles: vec![Obstacle {
            name: "bar".into(),
            points: vec![Vec3::X * -0.4, Vec3::X * 0.4],
            segments: vec![[0, 1]],
            restitution,
            ..Obstacle::default()
        }],
        ..Model::default()
    }
}

/// Edges bounce as vertices do: crossing, parallel, and end over end.
#[test]
fn edges_that_cross_and_edges_that_lie_along_bounce_alike() {
    for direction in [Vec3::Z, Vec3::X] {
        for e in [0.0, 0.5, 1.0] {
            for mass in [0.02, 1.0, 50.0] {
                // without restitution it rises to the surface again, as slowly as the periods are short
                let options = Options {
                    penalty_fraction: if e == 0.0 { 0.005 } else { 0.01 },
                    ..Options::default()
                };
                let mut system = System::new(rods(direction, mass, e), options).unwrap();
                assert_eq!(system.advance(1.0).stall, None);
                let v = system.velocities(0);
                let out = 0.5 * (v[0] + v[1]) / 2.0;
                assert!(
                    (out.y - e).abs() < 5e-3 && out.x.abs() < 1e-9 && out.z.abs() < 1e-9,
                    "along {direction}, {mass} kg: wanted {e}, got {out}"
                ); // measured: 2.1e-3
                // neither side is favoured
                let turn = (v[1] - v[0]).length();
                assert!(turn < 1e-9, "along {direction}, {mass} kg: turns by {turn}");
            }
        }
    }
}

/// Vertex over vertex and edge over edge: a sheet that falls exactly on its like.
#[test]
fn a_sheet_that_falls_exactly_on_its_like_stays_over_it() {
    let below = Sheet::grid("below", 4, 4, 0.15);
    let mut above = Sheet::grid("above", 4, 4, 0.15).moved(Vec3::Y * 0.2);
    above.velocities = vec![Vec3::Y * -1.0; 16];
    let model = Model {
        sheets: vec![
            above,
            Sheet {
                pins: vec![Pin {
                    vertices: (0..16).collect(),
                    motion: Motion::Fixed,
                    until: None,
                }],
                ..below
            },
        ],
        ..Model::default()
    };
    let mut system = System::new(model, Options::default()).unwrap();
    let eyes = system.clone();
    let report = system.advance_watched(0.5, |state| {
        assert!(!eyes.crosses(state), "crossing at {} s", state.seconds());
    });
    assert_eq!(report.stall, None);
    assert!(report.events.penalties > 0);
    let (above, below) = (system.points(0), system.points(1));
    for (a, b) in above.iter().zip(&below) {
        let off = *a - *b;
        assert!(off.y > 0.05 && off.y < 0.12, "{off}");
        assert!(off.x.abs() < 0.02 && off.z.abs() < 0.02, "{off}");
    }
}

/// A triangle a million times as long as it is high is no hole.
#[test]
fn nothing_gets_through_a_sliver() {
    for speed in [1.0, 100.0, 1e4] {
        let mut model = shot(speed, 1.0);
        model.sheets[0].points[0] = Vec3::new(0.1, 0.2, 0.0);
        model.obstacles[0].points = vec![
            Vec3::new(-1.0, 0.0, 0.0),
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::new(0.1, 0.0, 2e-6),
        ];
        model.obstacles[0].faces = vec![[0, 1, 2]];
        let mut system = System::new(model, Options::default()).unwrap();
        let mut least = f64::INFINITY;
        let report = system.advance_watched(0.5 / speed, |state| {
            let v = &state.vertices()[0];
            least = least.min(v.position.y + v.velocity.y * seconds(state.time() - v.time));
        });
        assert_eq!(report.stall, None);
        assert!(least > 0.0, "{speed} m/s: {least}");
        assert!(system.velocities(0)[0].y > 0.0, "{speed} m/s: it goes on");
    }
}

/// The same fall far from the origin: the same while numbers have digits for it, a refusal where not.
#[test]
fn far_from_the_origin_it_falls_alike_or_not_at_all() {
    let fallen = |by: f64| {
        let mut model = walkthrough(1.0);
        let by = Vec3::new(by, -by, by);
        model.sheets[0].points[0] += by;
        for p in &mut model.obstacles[0].points {
            *p += by;
        }
        let mut system = System::new(model, Options::default()).map_err(|e| e.to_string())?;
        let report = system.advance(1.0);
        assert_eq!(report.stall, None, "{by}");
        assert_eq!(system.crossings(), []);
        Ok::<f64, String>((system.points(0)[0] - by).y)
    };
    let here = fallen(0.0).unwrap();
    for by in [1e3, 1e6] {
        let there = fallen(by).unwrap();
        assert!(
            (there - here).abs() < 1e-15 * by * 1e6,
            "{here} and, {by} m away, {there}"
        );
    }
    let refused = fallen(1e12).unwrap_err();
    assert!(refused.contains("particle"), "{refused}");
}

/// Friction takes the energy of a slip and gives back no more than its springs hold, `(μ F)²/2k`, at any event.
#[test]
fn friction_takes_and_gives_back_no_more_than_its_springs_hold() {
    let friction = 0.6;
    let mut floor = floor(3.0);
    floor.friction = friction;
    let start = (Vec3::new(1.0, 0.101, -1.0), Vec3::new(0.4, -0.3, 0.3));
    let mut puck = particles("puck", &[start], 0.5);
    puck.material.friction = friction;
    let model = Model {
        sheets: vec![puck],
        obstacles: vec![floor],
        gravity: DOWN,
        ..Model::default()
    };
    let mut system = System::new(model, Options::default()).unwrap();
    let (mut least, mut held) = (f64::INFINITY, 0.0f64);
    let mut last = start.1;
    system.advance_watched(20.0, |state| {
        let vertex = &state.vertices()[0];
        last = Vec3::new(vertex.velocity.x, 0.0, vertex.velocity.z);
        // one layer of 1000 N/m pushes, springs of friction have half of that
        let force = 1000.0 * (0.1 - vertex.position.y).max(0.0);
        held = held.max((friction * force).powi(2) / 1000.0);
        let energy = 0.5 * last.length_squared();
        least = least.min(energy);
        assert!(
            energy <= least + held,
            "{energy} J along the floor after {least} J, {held} J in the spring"
        );
    });
    let rest = system.points(0)[0];
    system.advance(2.0);
    let crept = (system.points(0)[0] - rest).reject_from(Vec3::Y).length();
    assert!(crept < 1e-6, "{crept} m while at rest");
    assert!(last.length() < 1e-6, "it stops: {last}");
}
