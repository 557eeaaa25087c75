#![allow(clippy::unwrap_used)]
use super::*;
use crate::test_problems::{column, random_cluster, sliding_block};
use drystone_base::functions::{cos, sin};

fn named(problem: Problem) -> ContactProblem {
    ContactProblem::factored("test", problem)
}

fn radius(problem: &ContactProblem, splitting: Splitting) -> f64 {
    let study = Study::new(problem, RowSet::Normals);
    spectral_radius(&study.iteration_eigenvalues(splitting).unwrap())
}

/// `π / 2N`.
fn angle(n: usize) -> f64 {
    std::f64::consts::FRAC_PI_2 / n as f64
}

#[test]
fn on_a_column_jacobi_has_the_cosine_and_gauss_seidel_its_square() {
    // Scaled to a diagonal of 1, A of a column is 1 minus the matrix whose eigenvalues are the
    // zeros of Chebyshev's polynomial, cos((2k - 1) π / 2N).
    for n in [1, 2, 3, 9, 25, 40] {
        let problem = named(column(n, 2.0));
        let c = cos(angle(n));
        let jacobi = radius(&problem, Splitting::Jacobi);
        let gauss_seidel = radius(&problem, Splitting::GaussSeidel);
        assert!((jacobi - c).abs() < 1e-12, "{n}: {jacobi} and {c}"); // measured: 1e-15
        let off = (gauss_seidel - c * c).abs();
        assert!(off < 1e-12, "{n}: {gauss_seidel} and {}", c * c); // measured: 3e-15
    }
}

#[test]
fn on_a_column_over_relaxation_is_best_where_young_says() {
    // at the best relaxation all eigenvalues have the size ω - 1, and one is double: its root
    // shows the square root of rounding
    for n in [3, 9, 25] {
        let problem = named(column(n, 1.0));
        let best = 2.0 / (1.0 + sin(angle(n)));
        let found = radius(&problem, Splitting::Sor(best));
        assert!((found - (best - 1.0)).abs() < 1e-6, "{n}: {found}"); // measured: 2e-8
        for other in [best - 0.05, best + 0.04] {
            assert!(radius(&problem, Splitting::Sor(other)) > found);
        }
    }
}

#[test]
fn on_a_column_all_of_the_spectrum_is_known() {
    let n = 9;
    let problem = named(column(n, 1.0));
    let study = Study::new(&problem, RowSet::Normals);
    let jacobi = study.iteration_eigenvalues(Splitting::Jacobi).unwrap();
    let mut found: Vec<f64> = jacobi.iter().map(|e| e.re).collect();
    found.sort_by(f64::total_cmp);
    for (k, x) in found.iter().rev().enumerate() {
        let exact = cos((2 * k + 1) as f64 * angle(n));
        assert!((x - exact).abs() < 1e-12, "{x} and {exact}"); // measured: 2e-15
    }
    // A has full rank here
    let values = study.matrix_eigenvalues().unwrap();
    assert_eq!((values.len(), zeros(&values)), (n, 0));
}

#[test]
fn bodies_and_the_dense_matrix_have_the_same_eigenvalues() {
    // 18 contacts on 8 bodies: 54 rows, 48 degrees of freedom; the matrix form knows no bodies
    for seed in [1, 2, 3] {
        let factored = named(random_cluster(seed));
        let assembled = factored.to_matrix_form();
        let (by_body, by_row) = (
            Study::new(&factored, RowSet::All),
            Study::new(&assembled, RowSet::All),
        );
        let pairs = by_body.matrix_eigenvalues().unwrap();
        let others = by_row.matrix_eigenvalues().unwrap();
        for (x, y) in pairs.iter().zip(&others) {
            assert!((x - y).abs() < 1e-10, "{x} and {y}"); // measured: 1e-13
        }
        assert!(zeros(&others) >= 54 - 48);
        for splitting in [
            Splitting::Jacobi,
            Splitting::GaussSeidel,
            Splitting::Sor(1.5),
        ] {
            let (x, y) = (
                by_body.iteration_eigenvalues(splitting).unwrap(),
                by_row.iteration_eigenvalues(splitting).unwrap(),
            );
            assert_eq!((x.len(), y.len()), (54, 54));
            for (x, y) in x.iter().zip(&y) {
                let off = (x.magnitude() - y.magnitude()).abs();
                assert!(off < 1e-9, "{splitting}: {x:?} and {y:?}"); // measured: 5e-12
            }
            let off = (convergence_factor(&x) - convergence_factor(&y)).abs();
            assert!(off < 1e-10, "{splitting}: {off:.1e}"); // measured: 2e-14
        }
    }
}

#[test]
fn the_iteration_matrix_is_what_a_sweep_does() {
    let problem = named(random_cluster(5));
    let study = Study::new(&problem, RowSet::All);
    let (a, n) = (problem.dense(), study.rows());
    for omega in [1.0, 1.4] {
        let t = study.iteration_matrix(Splitting::Sor(omega)).unwrap();
        // with b = 0 a sweep maps λ to T λ
        let mut swept: Vec<f64> = (0..n).map(|i| ((i * 7 + 3) % 11) as f64 - 5.0).collect();
        let start = swept.clone();
        for i in 0..n {
            let w: f64 = (0..n).map(|j| a[i][j] * swept[j]).sum();
            swept[i] -= omega * w / a[i][i];
        }
        for i in 0..n {
            let exact: f64 = (0..n).map(|j| t[i][j] * start[j]).sum();
            let off = (exact - swept[i]).abs();
            assert!(off < 1e-10, "row {i}: {off:.1e}"); // measured: 6e-15
        }
    }
}

#[test]
fn relaxation_takes_the_eigenvalues_of_one_away() {
    let problem = named(random_cluster(2));
    let plain = Study::new(&problem, RowSet::All);
    let before = plain.iteration_eigenvalues(Splitting::GaussSeidel).unwrap();
    assert!(at_one(&before) >= 6);
    let relaxed = Study::new(&problem, RowSet::All).relaxed(0.5);
    let after = relaxed
        .iteration_eigenvalues(Splitting::GaussSeidel)
        .unwrap();
    assert_eq!(at_one(&after), 0);
    let (lowest, radius) = (
        relaxed.matrix_eigenvalues().unwrap()[0],
        spectral_radius(&after),
    );
    assert!((lowest - 0.5).abs() < 1e-9, "{lowest}");
    assert!(radius < 1.0, "{radius}"); // measured: 0.88
}

#[test]
fn patterns_hold_every_entry_and_no_more_than_they_must() {
    let problem = named(random_cluster(3));
    let study = Study::new(&problem, RowSet::All);
    let (a, pattern) = (problem.dense(), study.pattern());
    let n = study.rows();
    for i in 0..n {
        for j in 0..n {
            assert_eq!(
                pattern.get(i, j),
                a[i][j].abs() > 1e-11,
                "{i} {j}: {}",
                a[i][j]
            );
        }
    }
    for splitting in [
        Splitting::Jacobi,
        Splitting::GaussSeidel,
        Splitting::Sor(1.2),
    ] {
        let t = study.iteration_matrix(splitting).unwrap();
        let pattern = study.iteration_pattern(splitting);
        for i in 0..n {
            for j in 0..n {
                let zero = pattern.get(i, j) || t[i][j].abs() < 1e-12;
                assert!(zero, "{splitting} {i} {j}: {}", t[i][j]);
            }
        }
    }
    // a column couples neighbours, and a sweep upwards passes everything on
    let problem = named(column(5, 1.0));
    let study = Study::new(&problem, RowSet::Normals);
    assert_eq!(
        (study.pattern().entries(), study.pattern().bandwidth()),
        (13, 1)
    );
    let swept = study.iteration_pattern(Splitting::GaussSeidel);
    assert_eq!(swept.entries(), 4 + 4 + 3 + 2 + 1);
    let tall = named(column(9, 1.0));
    let afar = Study::new(&tall, RowSet::Normals).pattern().coarse(3);
    assert_eq!(afar.entries(), 3 + 4);
    assert_eq!(study.pattern().runs()[1], (1, 0, 3));
}

#[test]
fn degenerate_problems_have_few_eigenvalues_and_large_ones_are_refused() {
    let nothing = named(Problem::default());
    let study = Study::new(&nothing, RowSet::All);
    assert!(study.matrix_eigenvalues().unwrap().is_empty());
    assert_eq!(study.pattern().density(), 0.0);
    // one contact that cannot turn: A is diagonal, and Jacobi is done at once
    let block = named(sliding_block(0.3, 0.5));
    let study = Study::new(&block, RowSet::All);
    let values = study.iteration_eigenvalues(Splitting::Jacobi).unwrap();
    assert_eq!(spectral_radius(&values), 0.0);
    // two bodies that cannot move: no row at all
    let mut stuck = column(1, 1.0);
    stuck.bodies[1] = Default::default();
    assert_eq!(Study::new(&named(stuck), RowSet::All).rows(), 0);
    let tall = named(column(700, 1.0)).to_matrix_form();
    let error = Study::new(&tall, RowSet::All)
        .matrix_eigenvalues()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "eigenvalues: the matrix has 2100 rows; at most 2000 are wanted"
    );
}

/// Cubes on each other, four contacts at each interface.
fn cubes(n: usize) -> ContactProblem {
    let column = column(n, 10.0);
    let mut problem = Problem {
        bodies: column.bodies,
        ..Problem::default()
    };
    for contact in column.contacts {
        for (x, z) in [(0.5, 0.5), (0.5, -0.5), (-0.5, -0.5), (-0.5, 0.5)] {
            let mut corner = contact;
            corner.r_a += Vec3::new(x, 0.0, z);
            corner.r_b += Vec3::new(x, 0.0, z);
            problem.contacts.push(corner);
            problem.b.push([-0.1, 0.0, 0.0]);
        }
    }
    named(problem)
}

#[test]
fn eigenvalues_of_stacks_with_many_equal_ones_are_found() {
    // faces repeat themselves, so their iteration matrices are far from having distinct
    // eigenvalues; their sum must still be the trace
    let problem = cubes(25);
    for relaxation in [0.0, 0.1] {
        let study = Study::new(&problem, RowSet::All).relaxed(relaxation);
        for splitting in [
            Splitting::Jacobi,
            Splitting::GaussSeidel,
            Splitting::Sor(1.3),
        ] {
            let matrix = study.iteration_matrix(splitting).unwrap();
            let trace: f64 = (0..matrix.len()).map(|i| matrix[i][i]).sum();
            let values = study.iteration_eigenvalues(splitting).unwrap();
            let off = values.iter().map(|e| e.re).sum::<f64>() - trace;
            assert!(off.abs() < 1e-9, "{splitting} {relaxation}: {off:.1e}"); // measured: 6e-13
        }
    }
}
