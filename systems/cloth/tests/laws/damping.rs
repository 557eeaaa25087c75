//! Dashpots beside springs, triangles and hinges: where things rest, how fast they get there, and that none adds
//! energy, from no damping to a thousand times the critical one.

use drystone_base::Vec3;
use drystone_base::functions::exp;
use drystone_base::random::Random;
use drystone_cloth::{Contact, Material, Model, Motion, Options, Pin, Sheet, Stretch, System};

/// In parts of the critical damping.
const PARTS: [f64; 9] = [0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0, 1000.0];
const GRAVITY: f64 = 9.81;

fn pinned(vertices: &[u32]) -> Vec<Pin> {
    vec![Pin {
        vertices: vertices.to_vec(),
        motion: Motion::Fixed,
        until: None,
    }]
}

fn hanging(sheet: Sheet) -> Model {
    Model {
        sheets: vec![sheet],
        contact: Contact {
            thickness: 0.01,
            ..Contact::default()
        },
        gravity: Vec3::new(0.0, -GRAVITY, 0.0),
        ..Model::default()
    }
}

/// Masses of 1 kg that hang in a chain from a pin, springs of 1000 N/m 1 m long, dashpots `b` \[N s/m\].
fn chain(masses: u32, b: f64) -> Model {
    hanging(Sheet {
        name: "chain".into(),
        points: (0..=masses)
            .map(|k| Vec3::new(0.0, -f64::from(k), 0.0))
            .collect(),
        segments: (0..masses).map(|k| [k, k + 1]).collect(),
        material: Material {
            density: 0.0,
            vertex_mass: 1.0,
            stretch: Stretch::Spring(1000.0),
            stretch_damping: b,
            ..Material::default()
        },
        pins: pinned(&[0]),
        ..Sheet::default()
    })
}

/// A triangle whose side is pinned and whose tip hangs below it; its mass is at the tip.
fn tip(stretch: Stretch, b: f64) -> Model {
    hanging(Sheet {
        name: "tip".into(),
        points: vec![
            Vec3::new(-0.5, 0.0, 0.0),
            Vec3::new(0.5, 0.0, 0.0),
            Vec3::new(0.0, -1.0, 0.0),
        ],
        faces: vec![[0, 1, 2]],
        material: Material {
            density: 1e-6,
            vertex_mass: 1.0,
            stretch,
            stretch_damping: b,
            bending: 0.0,
            ..Material::default()
        },
        pins: pinned(&[0, 1]),
        ..Sheet::default()
    })
}

/// Two triangles that lie flat; one is pinned, the other, whose mass is in its tip, hangs at the hinge. Triangles
/// are so stiff that they only turn.
fn flap(bending: f64, b: f64) -> Model {
    hanging(Sheet {
        name: "flap".into(),
        points: vec![
            Vec3::new(0.0, 0.0, -0.5),
            Vec3::new(0.0, 0.0, 0.5),
            Vec3::new(-1.0, 0.0, 0.0),
            Vec3::new(1.0, 0.0, 0.0),
        ],
        faces: vec![[1, 0, 2], [0, 1, 3]],
        material: Material {
            density: 0.0,
            vertex_mass: 1.0,
            stretch: Stretch::Spring(1e7),
            stretch_damping: 1e3,
            bending,
            bending_damping: b,
            ..Material::default()
        },
        pins: pinned(&[0, 1, 2]),
        ..Sheet::default()
    })
}

/// Where masses end and when the last has gone all but 1/e of its way, from rest under `force`: each joined to the
/// one before by `stiffness` and `damping`, the first to the wall; a plain loop of short steps.
fn reference(masses: usize, stiffness: f64, damping: f64, force: f64) -> (f64, f64) {
    let rest = force / stiffness * (masses * (masses + 1)) as f64 / 2.0;
    let (mut x, mut v, mut t) = (vec![0.0; masses], vec![0.0; masses], 0.0);
    let h = (0.002 / (damping + 2.0 * stiffness.sqrt())).min(1e-4);
    while rest - x[masses - 1] > rest * exp(-1.0) {
        let mut above = 0.0;
        for i in (0..masses).rev() {
            let (y, w) = if i > 0 {
                (x[i - 1], v[i - 1])
            } else {
                (0.0, 0.0)
            };
            let pull = stiffness * (x[i] - y) + damping * (v[i] - w);
            v[i] += h * (force - pull + above);
            above = pull;
        }
        for i in 0..masses {
            x[i] += h * v[i];
        }
        t += h;
    }
    (rest, t)
}

/// Runs until `place` of a system has gone all but 1/e of `rest` \[s\]; then until nothing moves, and gives how far it is
/// then, over `rest`.
fn relax(
    system: &mut System,
    rest: f64,
    place: impl Fn(&System) -> f64,
    time: f64,
    settled: f64,
) -> (f64, f64) {
    let start = place(system);
    let (mut t, dt) = (0.0, time / 400.0);
    while (place(system) - start) < rest * (1.0 - exp(-1.0)) && t < 3.0 * time {
        system.advance(dt);
        t += dt;
    }
    // not at a tick
    system.advance(settled + 0.01317 * time);
    (t, (place(system) - start) / rest)
}

/// What a clamped dashpot is said to act with, or what was asked for.
fn carried(system: &System, what: &str, asked: f64) -> f64 {
    let clamped = system.clamped_dampers();
    match clamped.iter().find(|x| x.what == what) {
        Some(found) => {
            assert_eq!(found.damping, asked);
            assert!(found.carried < asked && found.carried > 0.0);
            found.carried
        }
        None => asked,
    }
}

fn judge(name: &str, masses: usize, part: f64, system: &mut System, b: f64, scale: [f64; 2]) {
    let [stiffness, force] = scale;
    let (rest, time) = reference(masses, stiffness, b, force);
    let last = system.points(0).len() - 1;
    let place = |s: &System| -s.points(0)[last].y;
    // the slowest mode of the chain has a rate of b ω²/(2k)
    let slowest = stiffness * (1.57 / (masses as f64 + 0.5)).powi(2);
    let settled = 7.0 * (2.0 * stiffness / (b * slowest) + b / slowest);
    let (found, end) = relax(system, rest, place, time, settled);
    assert!(
        (end - 1.0).abs() < 0.01,
        "{name}, {part} critical: rests at {end:.4} of its place"
    );
    assert!(
        (found / time - 1.0).abs() < 0.05,
        "{name}, {part} critical: relaxes in {found:.4} s, not {time:.4} s"
    );
    let report = system.advance(0.0);
    let most = report.account.most();
    assert!(
        report.energy.without_contact() < most,
        "{name}, {part} critical"
    );
}

#[test]
fn a_mass_on_a_spring_rests_and_relaxes_as_the_closed_form_says() {
    for part in PARTS {
        let b = part * 2.0 * 1000f64.sqrt();
        let mut system = System::new(chain(1, b), Options::default()).unwrap();
        let b = carried(&system, "stretch_damping", b);
        judge("spring", 1, part, &mut system, b, [1000.0, GRAVITY]); // measured: 0.994 to 1.0, 0.999 to 1.006
    }
}

#[test]
fn ten_masses_in_a_chain_rest_and_relax_as_a_plain_loop_does() {
    for part in &PARTS[1..] {
        let b = part * 2.0 * 1000f64.sqrt();
        let mut system = System::new(chain(10, b), Options::default()).unwrap();
        let b = carried(&system, "stretch_damping", b);
        judge("chain", 10, *part, &mut system, b, [1000.0, GRAVITY]); // measured: 0.999 to 1.001, 0.968 to 1.008
        // every spring carries what hangs below it
        {
            let x = system.points(0);
            for k in 0..10 {
                let stretch = (x[k].y - x[k + 1].y - 1.0) * 1000.0 / GRAVITY;
                let below = (10 - k) as f64;
                assert!(
                    (stretch - below).abs() < 0.02 * below,
                    "{part}: {stretch} of {below}"
                );
            }
        }
    }
}

/// `V = A (μ + λ/2) (d/h)²` of a tip `d` below its place; two dashpots at an angle to that way.
#[test]
fn the_tip_of_a_triangle_rests_and_relaxes_likewise() {
    let (young, poisson) = (2e5f64, 0.3f64);
    let (lambda, mu) = (young * poisson / (1.0 - poisson * poisson), young / 2.6);
    let stiffness: f64 = 2.0 * 0.5 * (mu + 0.5 * lambda);
    let along: f64 = 1.0 / 1.25; // the square of the cosine
    for part in PARTS {
        let b = part * 2.0 * stiffness.sqrt() / (2.0 * along);
        let mut system = System::new(
            tip(Stretch::Triangle { young, poisson }, b),
            Options::default(),
        )
        .unwrap();
        let b = carried(&system, "stretch_damping", b);
        judge(
            "triangle",
            1,
            part,
            &mut system,
            2.0 * along * b,
            [stiffness, GRAVITY],
        );
    }
}

#[test]
fn a_flap_on_a_hinge_rests_and_relaxes_likewise() {
    // V = c/2 θ², c = 2 k 3 |e|²/A: a lever of 1 m
    let bending = 1000.0;
    let stiffness = 2.0 * bending * 3.0;
    for part in PARTS {
        let b = part * 2.0 * f64::sqrt(stiffness);
        let mut system = System::new(flap(bending, b), Options::default()).unwrap();
        let b = carried(&system, "bending_damping", b);
        judge("hinge", 1, part, &mut system, b, [stiffness, GRAVITY]);
    }
}

/// Sheets of random sizes, masses, stiffness and damping over decades, thrown and twisted.
#[test]
fn no_dashpot_of_any_strength_adds_energy_to_a_sheet() {
    let mut random = Random::new(7);
    for round in 0..30 {
        let mut decades =
            |low: f64, high: f64| low * drystone_base::functions::pow(high / low, random.unit());
        let spacing = decades(0.01, 0.3);
        let mut sheet = Sheet::grid("sheet", 6, 5, spacing);
        let density = decades(0.001, 1.0);
        let mass = density * spacing * spacing;
        let rate = decades(20.0, 500.0);
        let k = mass * rate * rate;
        sheet.material = Material {
            density,
            stretch: match round % 3 {
                0 => Stretch::Spring(k),
                1 => Stretch::Shell(k * spacing),
                _ => Stretch::Triangle {
                    young: k,
                    poisson: 0.3,
                },
            },
            stretch_damping: mass * rate * decades(0.01, 1e4),
            bending: k * spacing * spacing * decades(1e-5, 1e-1),
            bending_damping: mass * rate * spacing * spacing * decades(1e-4, 1e4),
            ..Material::default()
        };
        let speed = 0.3 * rate * spacing;
        let mut toss = || random.range(-speed, speed);
        sheet.velocities = (0..30).map(|_| Vec3::new(toss(), toss(), toss())).collect();
        let pin: &[u32] = if round % 2 == 0 { &[0, 5] } else { &[] };
        sheet.pins = pinned(pin);
        let mut model = hanging(sheet);
        model.contact.thickness = 0.05 * spacing;
        let mut system = System::new(model, Options::default()).unwrap();
        let first = system.energy();
        let (mut taken, mut worst) = (0.0, 0.0f64);
        for _ in 0..60 {
            let report = system.advance(0.2 / rate);
            let account = report.account;
            assert!(account.damping >= taken, "round {round}: a dashpot gave");
            taken = account.damping;
            worst = worst.max(report.energy.without_contact() - account.most());
        }
        let share = worst / (first.kinetic + taken);
        assert!(
            share < 0.01,
            "round {round}: gained {share:.1e} of what it had"
        );
    }
}
