//! One problem in both forms: solvers must not be able to tell them apart.

use drystone_base::random::Random;
use drystone_base::{Symmetric3, Vec3, tangents};
use drystone_complementarity::Law;
use drystone_complementarity::{
    Contact, ContactProblem, FactoredOperator, Form, Mass, MatrixProblem, Operator, Problem,
    ProblemError, on_operator,
};

/// Bodies with full inertia tensors in a heap of random contacts, every fourth of them fixed.
fn heap(seed: u64) -> ContactProblem {
    let mut random = Random::new(seed);
    let mut number = |low: f64, high: f64| random.range(low, high);
    let mut problem = Problem::default();
    for body in 0..12 {
        let mut vector = || Vec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
        let (u, v) = (vector(), vector());
        let inertia = drystone_base::Mat3::from_diagonal(Vec3::new(3.0, 4.0, 6.0))
            + drystone_base::Mat3::from_cols(u * u.x, u * u.y, u * u.z)
            + drystone_base::Mat3::from_cols(v * v.x, v * v.y, v * v.z);
        problem.bodies.push(match body % 4 {
            0 => Mass::default(),
            _ => Mass {
                inverse_mass: number(0.2, 3.0),
                inverse_inertia: Symmetric3::from_matrix(&inertia),
            },
        });
    }
    let mut places = Vec::new();
    for k in 0..40 {
        let (a, b) = (k % 12, (5 * k + 1 + k / 12) % 12);
        if a == b {
            continue;
        }
        let mut vector = || Vec3::new(number(-1.0, 1.0), number(-1.0, 1.0), number(-1.0, 1.0));
        let normal = (vector() + Vec3::Y * 1.8).normalize();
        let (t1, t2) = tangents(normal);
        let (r_a, r_b) = (vector(), vector());
        places.push(vector());
        problem
            .b
            .push([number(-1.0, 0.2), number(-0.5, 0.5), number(-0.5, 0.5)]);
        problem.contacts.push(Contact {
            a,
            b,
            normal,
            tangents: [t1, t2],
            r_a,
            r_b,
            friction: number(0.0, 1.5),
        });
    }
    let mut named = ContactProblem::factored(format!("heap {seed}"), problem);
    named.places = Some(places);
    named
}

fn random_impulses(problem: &ContactProblem, seed: u64) -> Vec<[f64; 3]> {
    let mut random = Random::new(seed);
    (0..problem.contacts())
        .map(|_| std::array::from_fn(|i| random.range(if i == 0 { 0.0 } else { -1.0 }, 1.0)))
        .collect()
}

fn forms(problem: &ContactProblem) -> (&Problem, MatrixProblem) {
    match &problem.form {
        Form::Factored(factored) => (factored, problem.to_matrix()),
        Form::Matrix(_) => unreachable!("heaps are factored"),
    }
}

#[test]
fn both_forms_have_the_same_blocks_velocities_and_residuals() {
    let mut worst = 0.0f64;
    for seed in 0..20 {
        let problem = heap(seed);
        problem.check().unwrap();
        let (factored, matrix) = forms(&problem);
        let factored = FactoredOperator::new(factored);
        let impulses = random_impulses(&problem, seed);
        assert_eq!(factored.contacts(), matrix.contacts());
        let iterates = (
            factored.iterate(impulses.clone()),
            matrix.iterate(impulses.clone()),
        );
        let products = (factored.product(&impulses), matrix.product(&impulses));
        let after = problem.velocities_after(&impulses);
        let mut same = |x: f64, y: f64| worst = worst.max((x - y).abs() / (1.0 + x.abs()));
        for k in 0..factored.contacts() {
            assert_eq!(factored.friction(k), matrix.friction(k));
            same(factored.tangential(k), matrix.tangential(k));
            let (v, w) = (
                factored.velocity(k, &iterates.0),
                matrix.velocity(k, &iterates.1),
            );
            for i in 0..3 {
                same(v[i], w[i]);
                same(v[i], after[k][i]);
                same(v[i], factored.velocity_row(k, i, &iterates.0));
                same(v[i], matrix.velocity_row(k, i, &iterates.1));
                same(products.0[k][i], products.1[k][i]);
                same(factored.diagonal(k)[i], matrix.diagonal(k)[i]);
                for j in 0..3 {
                    same(factored.block(k)[i][j], matrix.block(k)[i][j]);
                }
            }
        }
        same(
            Law::Pyramid.residual(&factored, &impulses),
            Law::Pyramid.residual(&matrix, &impulses),
        );
        same(
            Law::Cone.residual(&factored, &impulses),
            Law::Cone.residual(&matrix, &impulses),
        );
        same(
            Law::Pyramid.merit(&factored, &impulses),
            Law::Pyramid.merit(&matrix, &impulses),
        );
    }
    assert!(worst < 1e-12, "forms differ by {worst:.1e}"); // measured: 7e-15
}

#[test]
fn a_changed_iterate_is_the_iterate_of_the_changed_impulses() {
    let mut worst = 0.0f64;
    for seed in 0..5 {
        let problem = heap(seed);
        for problem in [problem.to_matrix_form(), problem] {
            let (from, to) = (random_impulses(&problem, 1), random_impulses(&problem, 2));
            let error = on_operator!(&problem, |operator| {
                let mut iterate = operator.iterate(from.clone());
                for k in 0..operator.contacts() {
                    for i in 0..3 {
                        operator.change(k, i, to[k][i] - from[k][i], &mut iterate);
                    }
                }
                // and by the sum of iterates
                let mut sum = operator.zero_iterate();
                sum.add_scaled(2.0, &operator.iterate(to.clone()));
                sum.scale(0.5);
                let exact = operator.velocities_after(&to);
                (0..operator.contacts())
                    .flat_map(|k| (0..3).map(move |i| (k, i)))
                    .map(|(k, i)| {
                        let direct = (operator.velocity_row(k, i, &iterate) - exact[k][i]).abs();
                        direct.max((operator.velocity_row(k, i, &sum) - exact[k][i]).abs())
                    })
                    .fold(0.0f64, f64::max)
            });
            worst = worst.max(error);
        }
    }
    assert!(worst < 1e-12, "differs by {worst:.1e} m/s"); // measured: 8e-15
}

/// A plain projected sweep, written once.
fn sweep(operator: &impl Operator, sweeps: u32) -> Vec<[f64; 3]> {
    let mut iterate = operator.zero_iterate();
    for _ in 0..sweeps {
        for k in 0..operator.contacts() {
            let diagonal = operator.diagonal(k);
            for i in 0..3 {
                if diagonal[i] <= 0.0 {
                    continue;
                }
                let old = iterate.impulses[k][i];
                let free = old - operator.velocity_row(k, i, &iterate) / diagonal[i];
                let most = operator.friction(k) * iterate.impulses[k][0];
                let new = if i == 0 {
                    free.max(0.0)
                } else {
                    free.clamp(-most, most)
                };
                operator.change(k, i, new - old, &mut iterate);
            }
        }
    }
    iterate.impulses
}

#[test]
fn a_sweep_over_either_form_gives_the_impulses_of_the_engine() {
    let problem = heap(3);
    let Form::Factored(factored) = &problem.form else {
        unreachable!("heaps are factored")
    };
    let mut exact = factored.zero_impulses();
    drystone_complementarity::sweeping::pgs(
        factored,
        &mut exact,
        drystone_complementarity::Sweeping::times(15),
    );
    let mut worst = 0.0f64;
    for problem in [problem.to_matrix_form(), problem.clone()] {
        let impulses = on_operator!(&problem, |operator| sweep(operator, 15));
        let pairs = impulses.iter().flatten().zip(exact.iter().flatten());
        let error = pairs.fold(0.0f64, |m, (x, y)| m.max((x - y).abs()));
        worst = worst.max(error);
    }
    assert!(worst < 1e-12, "differs by {worst:.1e} N s"); // measured: 1e-14
}

#[test]
fn the_matrix_form_keeps_the_graph_and_the_places() {
    let problem = heap(1);
    let matrix = problem.to_matrix_form();
    assert_eq!(matrix.graph(), problem.graph());
    assert_eq!(matrix.places, problem.places);
    assert_eq!(matrix.name, problem.name);
    let fixed = problem.graph().unwrap().fixed;
    assert_eq!(fixed.iter().filter(|f| **f).count(), 3);
}

#[test]
fn what_cannot_be_solved_is_refused_by_name() {
    let broken = |change: fn(&mut ContactProblem, &mut Problem)| {
        let mut problem = heap(0);
        let Form::Factored(mut factored) = problem.form.clone() else {
            unreachable!("heaps are factored")
        };
        change(&mut problem, &mut factored);
        problem.form = Form::Factored(factored);
        problem.check().unwrap_err()
    };
    let count = broken(|_, p| p.b.truncate(2));
    assert!(
        matches!(count, ProblemError::Count { found: 2, .. }),
        "{count}"
    );
    let body = broken(|_, p| p.contacts[3].a = 99);
    assert_eq!(
        body.to_string(),
        "contact 3: names body 99; there are 12, counted from 0"
    );
    let same = broken(|_, p| p.contacts[3].a = p.contacts[3].b);
    assert!(
        matches!(same, ProblemError::SameBody { contact: 3, .. }),
        "{same}"
    );
    let friction = broken(|_, p| p.contacts[1].friction = -0.5);
    assert_eq!(
        friction.to_string(),
        "contact 1: friction is -0.5; zero or more is wanted"
    );
    let nan = broken(|_, p| p.contacts[1].r_b.y = f64::NAN);
    assert!(
        matches!(nan, ProblemError::NotFinite { index: 1, .. }),
        "{nan}"
    );
    let start = broken(|named, _| named.start = Some(vec![[f64::INFINITY; 3]]));
    assert!(matches!(start, ProblemError::Count { .. }), "{start}");
    let places = broken(|named, _| named.places = Some(Vec::new()));
    assert!(
        matches!(
            places,
            ProblemError::Count {
                thing: "places",
                ..
            }
        ),
        "{places}"
    );
    let mut matrix = heap(0).to_matrix_form();
    matrix.matrix_graph.as_mut().unwrap().pairs.pop();
    assert!(matches!(matrix.check(), Err(ProblemError::Count { .. })));
}
