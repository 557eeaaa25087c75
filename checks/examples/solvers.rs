//! Contact solvers compared, as tables: in the step at equal processor time, and on single
//! problems by how fast they converge. The text around them is `docs/solvers.md`.
//!
//! `cargo run --release -p drystone-checks --example solvers [step|rich|rates|aggregates|sweeps]... [SCENE|SOLVER|WORD]...`
//! (scenes restrict `step` and `rich`; solvers and words in the names of problems restrict the
//! columns and rows of `rates` and `aggregates`).

#![allow(clippy::print_stdout)]

use std::time::Instant;

use drystone_base::functions::cos;
use drystone_base::lanes::Dispatch;
use drystone_base::random::Random;
use drystone_base::{Symmetric3, Vec3, tangents};
use drystone_checks::bars::rest;
use drystone_checks::{cpu_seconds, on_threads, scene, start};
use drystone_complementarity::blocks::{Blocks, BodyInput, NONE, PatchInput, PointInput};
use drystone_complementarity::{
    Aggregates, Contact, ContactProblem, Mass, Ordering, Outcome, Problem, Record, Settings,
    Solver, Twist,
};
use drystone_world::{Arch, Body, Generator, Pattern, Ring, Scene, Stack, Stepper, Wall};

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let (parts, wanted): (Vec<String>, Vec<String>) = (wanted.into_iter())
        .partition(|word| ["step", "rich", "rates", "aggregates", "sweeps"].contains(&&**word));
    let (solvers, words): (Vec<String>, Vec<String>) =
        (wanted.into_iter()).partition(|word| word.parse::<Solver>().is_ok());
    let scenes: Vec<String> = (words.iter())
        .filter(|word| STANDING.iter().any(|(name, ..)| name == word))
        .cloned()
        .collect();
    let on = |part: &str| parts.is_empty() || parts.iter().any(|w| w == part);
    on_threads(1, || {
        if on("step") {
            in_the_step(1.0, &scenes, &solvers);
        }
        if on("rich") {
            in_the_step(10.0, &scenes, &solvers);
        }
        if on("rates") {
            rates(&solvers, &words);
        }
        if on("aggregates") {
            aggregates(&words);
        }
        if on("sweeps") {
            sweeps();
        }
    });
}

/// Those that are compared in the step.
const IN_THE_STEP: [Solver; 6] = [
    Solver::Pgs,
    Solver::Cone,
    Solver::NncgCone,
    Solver::Anderson,
    Solver::Apgd,
    Solver::TwoLevel,
];

/// Scenes, the bodies that are watched, how long, and when they have come together \[s\].
const STANDING: [(&str, &str, f64, f64); 6] = [
    ("box-stack-9", "*", 4.0, 0.0),
    ("box-stack", "*", 4.0, 0.0),
    ("card-house", "card/*", 4.0, 0.0),
    ("wall", "*", 4.0, 0.0),
    ("bench-roof-tower", "tower/*", 1.5, 0.0),
    ("cow-pile", "*", 4.0, 3.0),
];

/// Most iterations that are tried to spend the time.
const MOST: f64 = 2000.0;

/// How long iterations are tried out, where bodies are together from the first \[s\].
const TRIAL: f64 = 1.0;

/// Every solver (or these) gets `budget` times what a step of the default costs; in these scenes, or in all.
fn in_the_step(budget: f64, scenes: &[String], solvers: &[String]) {
    println!(
        "| scene | stepper, solver | most iterations | step [ms] | drift [mm] | deepest [mm] | energy [J/kg] |"
    );
    println!("|---|---|---|---|---|---|---|");
    let chosen = |name: &str| scenes.is_empty() || scenes.iter().any(|s| s == name);
    for (name, bodies, seconds, together) in STANDING.into_iter().filter(|s| chosen(s.0)) {
        let usual = scene(name);
        let step_ms = milliseconds(&usual, seconds);
        row(&usual, bodies, seconds, "stepper `two-level`", "", step_ms);
        let wanted = |solver: &Solver| {
            solvers.is_empty() || solvers.iter().any(|name| name == solver.name())
        };
        for solver in IN_THE_STEP.into_iter().filter(wanted) {
            // cost is nearly linear in the iterations
            let few = 4;
            let (base, each) = if together > 0.0 {
                let base = milliseconds(&with(&usual, solver, few), seconds);
                (base, iteration(&usual, solver, together))
            } else {
                let trial = seconds.min(TRIAL);
                let cost = |n| milliseconds(&with(&usual, solver, n), trial);
                let base = cost(few);
                (base, (cost(4 * few) - base) / f64::from(3 * few))
            };
            let wanted = match each > 0.0 {
                true => f64::from(few) + (budget * step_ms - base) / each,
                false => 1.0,
            };
            let most = wanted.round().clamp(1.0, MOST) as u32;
            let chosen = with(&usual, solver, most);
            let step_ms = milliseconds(&chosen, seconds);
            let called = format!("`pgs`, {solver}");
            row(
                &chosen,
                bodies,
                seconds,
                &called,
                &most.to_string(),
                step_ms,
            );
        }
    }
    println!();
}

fn row(scene: &Scene, bodies: &str, seconds: f64, called: &str, most: &str, step_ms: f64) {
    let seen = rest(&mut start(scene), bodies, 0.0, seconds - 1.0, seconds);
    println!(
        "| {} | {called} | {most} | {step_ms:.3} | {:.3} | {:.3} | {:.1e} |",
        scene.name,
        1e3 * seen.drift,
        1e3 * seen.depth,
        seen.joules_per_kg
    );
}

/// The scene stepped by `pgs` with another solver, from the impulses of the last step.
fn with(scene: &Scene, solver: Solver, most: u32) -> Scene {
    let mut scene = scene.clone();
    let options = (scene.settle_options()).expect("the scene is one of ours");
    options.stepper = Stepper::Pgs;
    options.pgs.solver = Some(solver);
    options.pgs.sweeps = most;
    options.pgs.warm_start = true;
    scene
}

/// Processor time of a step, on average over `seconds`.
fn milliseconds(scene: &Scene, seconds: f64) -> f64 {
    let mut world = start(scene);
    let (begin, mut steps) = (cpu_seconds(), 0);
    while world.time() < seconds - 1e-6 {
        world.step();
        steps += 1;
    }
    1e3 * (cpu_seconds() - begin) / f64::from(steps)
}

/// What an iteration costs on the contacts that a scene has at some time \[ms\].
fn iteration(scene: &Scene, solver: Solver, time: f64) -> f64 {
    let mut world = start(scene);
    world.run_for(time);
    let problem = world.contact_problem();
    let cost = |most| {
        let settings = Settings::to(0.0, most);
        let mut impulses = problem.first_guess();
        let outcome = solver.solve(&problem, &mut impulses, &Ordering::Identity, &settings);
        outcome.map_or(0.0, |outcome| outcome.seconds)
    };
    1e3 * (cost(110) - cost(10)) / 100.0
}

/// The first contact problem of a scene, from zero.
fn problem(name: &str, scene: &Scene) -> ContactProblem {
    let mut problem = start(scene).contact_problem();
    problem.name = name.into();
    problem.start = None;
    problem
}

fn scene_on_ground(generator: Option<Generator>) -> Scene {
    let mut scene = Scene::new();
    scene.material("default", 0.6, 0.0);
    scene.ground_slab(60.0, 1.0, 60.0);
    if let Some(generator) = generator {
        scene.generate(generator);
    }
    scene
}

fn stack_of(count: u32) -> Scene {
    let stack = Stack {
        count,
        ..Stack::default()
    };
    scene_on_ground(Some(Generator::new("box", Pattern::Stack(stack))))
}

/// Those of the problems whose names hold one of these words, if there are any.
fn chosen(words: &[String]) -> Vec<(ContactProblem, Option<u32>)> {
    let mut all = masonry();
    all.retain(|(problem, _)| {
        words.is_empty() || words.iter().any(|word| problem.name.contains(&**word))
    });
    all
}

/// Problems of masonry whose load must travel far, each with its number of layers if it is a
/// plain stack.
fn masonry() -> Vec<(ContactProblem, Option<u32>)> {
    let mut all: Vec<(ContactProblem, Option<u32>)> = [10, 30, 100]
        .map(|n| (problem(&format!("stack of {n}"), &stack_of(n)), Some(n)))
        .into();

    let arch = Pattern::Arch(Arch::default());
    let arch = scene_on_ground(Some(Generator::new("arch", arch)));
    all.push((problem("arch of 17", &arch), None));

    // rings of sixteen bricks, each nearer to the axis by a fifth of a brick
    let mut dome = scene_on_ground(None);
    for layer in 0..12 {
        let radius = 4.0 - 0.1 * f64::from(layer);
        let ring = Ring {
            bricks: 16,
            layers: 1,
            size: [0.5, 0.5, 0.39 * (radius - 0.25)],
            radius: Some(radius),
            ..Ring::default()
        };
        let turn = if layer % 2 == 0 { 0.0 } else { 11.25 };
        let generator = Generator::new(format!("ring {layer}"), Pattern::Ring(ring));
        let height = 0.5 * f64::from(layer);
        dome.generate(generator.at(0.0, height, 0.0).turned([0.0, 1.0, 0.0], turn));
    }
    all.push((problem("corbelled dome of 12", &dome), None));

    let wall = Wall {
        rows: 20,
        columns: 10,
        ..Wall::default()
    };
    let wall = Generator::new("wall", Pattern::Wall(wall));
    let mut leaning = scene_on_ground(Some(wall));
    // 10 degrees along the wall and 2 across
    leaning.gravity = [1.7, -9.65, 0.34];
    all.push((problem("leaning wall of 20", &leaning), None));

    let mut heavy = scene_on_ground(None);
    for i in 0..20 {
        let mass = f64::from(1u32 << i);
        heavy.add(Body::cube(1.0).at(0.0, 0.5 + f64::from(i), 0.0).mass(mass));
    }
    all.push((
        problem("20, each twice as heavy as that below", &heavy),
        None,
    ));

    // what real bodies do: some slide, some fall, some part
    let mut pile = start(&scene("cow-pile"));
    pile.run_for(4.0);
    let mut pile = pile.contact_problem();
    (pile.name, pile.start) = ("cow-pile at 4 s".into(), None);
    all.push((pile, None));
    all
}

fn solve(solver: Solver, problem: &ContactProblem, aggregates: Aggregates) -> Option<Outcome> {
    let settings = Settings {
        aggregates,
        record: Record::Residual,
        most_seconds: Some(20.0),
        ..Settings::to(1e-6, 20_000)
    };
    let mut impulses = problem.first_guess();
    let outcome = solver.solve(problem, &mut impulses, &Ordering::Identity, &settings);
    outcome.ok()
}

/// Part of the residual that an iteration leaves, over the second half of them.
fn rate(outcome: &Outcome) -> f64 {
    let history = &outcome.history;
    let (middle, last) = (&history[history.len() / 2], &history[history.len() - 1]);
    let steps = f64::from(last.iteration - middle.iteration);
    match steps > 0.0 && last.residual > 0.0 {
        true => (last.residual / middle.residual).powf(1.0 / steps),
        false => 0.0,
    }
}

fn figures(outcome: Option<Outcome>, contacts: usize) -> String {
    let Some(outcome) = outcome else {
        return "refused".into();
    };
    let sweeps = outcome.row_updates as f64 / (3 * contacts.max(1)) as f64;
    let (ms, rate) = (1e3 * outcome.seconds, rate(&outcome));
    match outcome.reached {
        true => format!("{}; {sweeps:.0}; {ms:.1}; {rate:.4}", outcome.iterations),
        false => format!(
            "{} at {:.0e}; {sweeps:.0}; {ms:.0}; {rate:.4}",
            outcome.ended, outcome.residual
        ),
    }
}

fn rates(only: &[String], words: &[String]) {
    let mut solvers = vec![
        Solver::Cone,
        Solver::NncgCone,
        Solver::Anderson,
        Solver::Apgd,
        Solver::TwoLevel,
        Solver::TwoLevelAnderson,
        Solver::TwoLevelLanes,
        Solver::Subspace,
    ];
    solvers.retain(|solver| only.is_empty() || only.iter().any(|name| name == solver.name()));
    print!("| problem | contacts | cos²(π/2N) |");
    solvers.iter().for_each(|solver| print!(" {solver} |"));
    println!("\n|---|---|---|{}", "---|".repeat(solvers.len()));
    for (problem, layers) in chosen(words) {
        let closed = layers.map_or(String::new(), |n| {
            let rate = cos(std::f64::consts::PI / (2.0 * f64::from(n)));
            format!("{:.4}", rate * rate)
        });
        print!("| {} | {} | {closed} |", problem.name, problem.contacts());
        for &solver in &solvers {
            let outcome = solve(solver, &problem, Aggregates::Layer);
            print!(" {} |", figures(outcome, problem.contacts()));
        }
        println!();
    }
    println!();
}

fn aggregates(words: &[String]) {
    print!("| problem | contacts | form |");
    for kind in Aggregates::ALL {
        print!(" {} |", kind.name());
    }
    println!("\n|---|---|---|{}", "---|".repeat(Aggregates::ALL.len()));
    for (problem, _) in chosen(words) {
        let mut matrix = problem.to_matrix_form();
        let forms = [("factored", problem.clone()), ("matrix", matrix.clone())];
        matrix.places = None;
        for (form, problem) in forms.into_iter().chain([("no places", matrix)]) {
            print!("| {} | {} | {form} |", problem.name, problem.contacts());
            for kind in Aggregates::ALL {
                let outcome = solve(Solver::TwoLevel, &problem, kind);
                print!(" {} |", figures(outcome, problem.contacts()));
            }
            println!();
        }
    }
    println!();
}

/// What one sweep over warm data costs per contact (three rows), best of many, on columns of
/// boxes with four points a face.
fn sweeps() {
    println!(
        "\n| contacts | pgs, scalar [ns] | cone, scalar [ns] | lanes of f64 [ns] | lanes of f32 [ns] |"
    );
    println!("|---|---|---|---|---|");
    for columns in [25, 250] {
        let faces = Faces::new(columns, 10);
        let problem = faces.problem();
        let contacts = problem.contacts.len();
        // the difference of long and short solves is what sweeps cost, without their preparation
        let posed = ContactProblem::factored("columns", problem);
        let scalar = |solver: Solver| {
            let time = |sweeps| {
                let settings = Settings::to(0.0, sweeps);
                let solved = (0..50).filter_map(|_| {
                    let mut impulses = vec![[0.0; 3]; contacts];
                    let order = Ordering::default();
                    let outcome = solver.solve(&posed, &mut impulses, &order, &settings);
                    outcome.ok().map(|outcome| outcome.seconds)
                });
                solved.fold(f64::INFINITY, f64::min)
            };
            1e9 * (time(41) - time(1)) / 40.0 / contacts as f64
        };
        println!(
            "| {contacts} | {:.1} | {:.1} | {:.1} | {:.1} |",
            scalar(Solver::Pgs),
            scalar(Solver::Cone),
            1e9 * faces.in_lanes::<f64>() / contacts as f64,
            1e9 * faces.in_lanes::<f32>() / contacts as f64,
        );
    }
}

/// Seconds of the quickest of 50 calls.
fn best(mut call: impl FnMut()) -> f64 {
    let times = (0..50).map(|_| {
        let start = Instant::now();
        call();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

/// Columns of unit cubes on one fixed body, thrown about; `below[k]` carries cube `k + 1`.
struct Faces {
    below: Vec<u32>,
    velocity: Vec<Twist>,
}

impl Faces {
    fn new(columns: u32, height: u32) -> Self {
        let mut random = Random::new(3);
        let mut any = || Vec3::from_array(std::array::from_fn(|_| random.range(-1.0, 1.0)));
        let cubes = columns * height;
        let below = (0..cubes).map(|k| if k % height == 0 { 0 } else { k });
        let moving = (0..cubes).map(|_| Twist {
            linear: any(),
            angular: any(),
        });
        Self {
            below: below.collect(),
            velocity: std::iter::once(Twist::ZERO).chain(moving).collect(),
        }
    }

    fn bodies(&self) -> impl Iterator<Item = Mass> {
        (0..self.velocity.len()).map(|i| match i {
            0 => Mass::default(),
            _ => Mass {
                inverse_mass: 1.0,
                inverse_inertia: Symmetric3::diagonal(Vec3::splat(6.0)),
            },
        })
    }

    /// Arms of the four corners of a face at the lower and at the upper body.
    fn corners() -> [(Vec3, Vec3); 4] {
        [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
            .map(|(x, z)| (Vec3::new(x, 0.5, z), Vec3::new(x, -0.5, z)))
    }

    fn problem(&self) -> Problem {
        let (t1, t2) = tangents(Vec3::Y);
        let faces = self.below.iter().enumerate();
        let contacts: Vec<Contact> = faces
            .flat_map(|(k, &a)| {
                Self::corners().map(|(r_a, r_b)| Contact {
                    a: a as usize,
                    b: k + 1,
                    normal: Vec3::Y,
                    tangents: [t1, t2],
                    r_a,
                    r_b,
                    friction: 0.5,
                })
            })
            .collect();
        let mut problem = Problem {
            bodies: self.bodies().collect(),
            contacts,
            ..Problem::default()
        };
        problem.b = problem.row_velocities(&self.velocity);
        problem
    }

    /// Seconds of one sweep in lanes.
    fn in_lanes<T: Dispatch>(&self) -> f64 {
        let bodies: Vec<BodyInput> = self
            .bodies()
            .map(|mass| BodyInput {
                inverse_mass: mass.inverse_mass,
                inverse_inertia: mass.inverse_inertia,
            })
            .collect();
        let faces = self.below.iter().enumerate();
        let patches: Vec<PatchInput> = faces
            .map(|(k, &a)| PatchInput {
                bodies: [a, k as u32 + 1],
                normal: Vec3::Y,
                friction: 0.5,
                restitution: 0.0,
                island: 0,
                length: 1.0,
                thickness: 1.0,
                calm_speed: 1.0,
                interface: NONE,
                upward: true,
            })
            .collect();
        let mut blocks = Blocks::<T>::default();
        blocks.build(&bodies, &patches, |_| {
            Self::corners().into_iter().map(|(ra, rb)| PointInput {
                ra,
                rb,
                separation: 0.0,
                impulse: Vec3::ZERO,
            })
        });
        blocks.prepare();
        for (to, v) in blocks.velocity.iter_mut().zip(&self.velocity) {
            let rows = v.linear.to_array().into_iter().chain(v.angular.to_array());
            for (to, x) in to.0.iter_mut().zip(rows) {
                *to = T::of(x);
            }
        }
        blocks.remember();
        blocks.begin(0.01, 1e-4, false, true);
        let mut backward = true;
        best(|| {
            backward = !backward;
            blocks.sweep(backward);
        })
    }
}
