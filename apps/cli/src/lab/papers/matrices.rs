//! Erleben 2007, Figs. 3, 4 and 8: sparsity and eigenvalues of `A` and of the Gauss-Seidel
//! iteration matrix.

use drystone_complementarity::ContactProblem;
use drystone_complementarity::analysis::{
    Eigenvalue, Pattern, RowSet, Splitting, Study, at_one, convergence_factor, spectral_radius,
    zeros,
};
use drystone_picture::plot::{Cells, Chart, Line};

use super::album::Album;
use super::posed;
use crate::failure::Failure;
use crate::lab::table::number;

/// Cells along a side of a picture of a matrix.
const SIDE: usize = 300;
/// Relaxation `γ` of the damped box stack \[1/kg\].
const GAMMA: f64 = 0.1;

/// Figure 3.
pub(super) fn ball_grid(album: &mut Album) -> Result<(), Failure> {
    let problem = posed("ball-grid", 0.0)?;
    album.chapter("Erleben 2007, Fig. 3: matrices of the ball grid");
    album.say(
        "125 balls in a grid, three rows a contact. The paper has an extremely sparse, symmetric \
         matrix in blocks with a large null space, and an iteration matrix with many eigenvalues \
         of 1 that is nearly lower triangular.\n",
    );
    undamped(album, "erleben-fig-3-ball-grid", &problem)?;
    let study = Study::new(&problem, RowSet::Normals);
    let normals = study.iteration_eigenvalues(Splitting::GaussSeidel);
    album.say(format!(
        "The balls are frictionless, so normal rows alone act: {} of them, no null space, largest \
         eigenvalue {:.5} (`cos^2(pi/10) = 0.90451`: columns of five).\n",
        study.rows(),
        spectral_radius(&normals.map_err(Failure::input)?)
    ));
    Ok(())
}

/// Figure 4.
pub(super) fn wall(album: &mut Album) -> Result<(), Failure> {
    let problem = posed("wall", 0.0)?;
    album.chapter("Erleben 2007, Fig. 4: matrices of the wall");
    album.say(
        "200 bricks, all three rows of each contact. The eigenvalues come from the 1200 degrees \
         of freedom of the bricks: with `A = B B^T`, `T = 1 - M^-1 A` has those of `1 - B^T M^-1 \
         B` and 1 for every row beyond. The paper says the same of it as of the ball grid.\n",
    );
    undamped(album, "erleben-fig-4-wall", &problem)
}

fn undamped(album: &mut Album, name: &str, problem: &ContactProblem) -> Result<(), Failure> {
    let study = Study::new(problem, RowSet::All);
    let (a, t) = (
        study.matrix_eigenvalues().map_err(Failure::input)?,
        study
            .iteration_eigenvalues(Splitting::GaussSeidel)
            .map_err(Failure::input)?,
    );
    let (pattern, swept) = (
        study.pattern(),
        study.iteration_pattern(Splitting::GaussSeidel),
    );
    let charts = [
        sparsity("A: entries that are not zero", &pattern),
        sparsity("T of Gauss-Seidel: entries that may not be zero", &swept),
        matrix_spectrum("A: eigenvalues", &a),
        iteration_spectrum("T of Gauss-Seidel: eigenvalues", &t),
    ];
    album.figure(name, &charts, 2)?;
    eigenvalue_csv(album, name, &[("a", &a)], &[("t", &t)])?;
    album.say(format!(
        "Ours: {} rows, {:.2} % of A are not zero and at most {:.0} % of T; {} of the eigenvalues \
         of A are zero ({:.0} %), {} of T are 1, the largest of the others is {}.\n",
        study.rows(),
        100.0 * pattern.density(),
        100.0 * swept.density(),
        zeros(&a),
        100.0 * zeros(&a) as f64 / a.len().max(1) as f64,
        at_one(&t),
        near_one(convergence_factor(&t))
    ));
    album.say(
        "Where we differ: the paper takes the eigenvalues of 1 for what makes convergence slow. \
         They belong to impulses that move nothing; what slows a sweep down is the largest of the \
         others.\n",
    );
    Ok(())
}

/// Figure 8.
pub(super) fn box_stack(album: &mut Album) -> Result<(), Failure> {
    // spectra of A and T, undamped and damped
    let problem = posed("box-stack", 0.0)?;
    let name = "erleben-fig-8-box-stack";
    let plain = Study::new(&problem, RowSet::All);
    let damped = Study::new(&problem, RowSet::All).relaxed(GAMMA);
    let spectra = |study: &Study<'_>| {
        let a = study.matrix_eigenvalues().map_err(Failure::input)?;
        let t = study.iteration_eigenvalues(Splitting::GaussSeidel);
        Ok::<_, Failure>((a, t.map_err(Failure::input)?))
    };
    let ((a, t), (a_damped, t_damped)) = (spectra(&plain)?, spectra(&damped)?);
    album.chapter("Erleben 2007, Fig. 8: the box stack, undamped and damped");
    album.say(format!(
        "25 cubes, {} rows (the paper's axis ends at 600), relaxation `A' = A + {GAMMA}`. The \
         paper shows that the many eigenvalues of 1 disappear with damping.\n",
        plain.rows()
    ));
    // the figure
    let charts = [
        matrix_spectrum("undamped: eigenvalues of A", &a),
        iteration_spectrum("undamped: eigenvalues of T", &t),
        matrix_spectrum("damped: eigenvalues of A", &a_damped),
        iteration_spectrum("damped: eigenvalues of T", &t_damped),
        sparsity("A: entries that are not zero", &plain.pattern()),
        sparsity(
            "T of Gauss-Seidel: entries that may not be zero",
            &plain.iteration_pattern(Splitting::GaussSeidel),
        ),
    ];
    album.figure(name, &charts, 2)?;
    let of_a = [("a", a.as_slice()), ("a_damped", &a_damped)];
    let of_t = [("t", t.as_slice()), ("t_damped", &t_damped)];
    eigenvalue_csv(album, name, &of_a, &of_t)?;
    // spectral radii of three splittings
    let mut records = Vec::new();
    for splitting in [
        Splitting::Jacobi,
        Splitting::GaussSeidel,
        Splitting::Sor(1.3),
    ] {
        let of = |study: &Study<'_>| {
            study
                .iteration_eigenvalues(splitting)
                .map_err(Failure::input)
        };
        let (plain, damped) = (of(&plain)?, of(&damped)?);
        records.push(vec![
            splitting.to_string(),
            near_one(spectral_radius(&plain)),
            at_one(&plain).to_string(),
            near_one(convergence_factor(&plain)),
            near_one(spectral_radius(&damped)),
        ]);
    }
    let header = [
        "splitting",
        "spectral radius",
        "eigenvalues of 1",
        "largest other",
        "spectral radius, damped",
    ];
    album.table(&header, &records);
    let slowest = convergence_factor(&t);
    let iterations = drystone_base::functions::ln(1e-4) / drystone_base::functions::ln(slowest);
    album.say(format!(
        "Ours: the same; {} eigenvalues of 1 undamped, {} damped. One contact an interface would \
         have `cos^2(pi/50) = 0.99606` as its largest, and that is among them, but friction on \
         faces of eight points has slower ones: the slowest needs {:.1e} sweeps to fall to 1e-4. \
         So the paper's \"not even 100,000 iterations\" is what its matrix says. Jacobi's radius is \
         beyond 1: it diverges (the paper: \"terrible convergence\").\n",
        at_one(&t),
        at_one(&t_damped),
        iterations
    ));
    Ok(())
}

/// Writes a number, as its difference from 1 where it is near 1.
pub(super) fn near_one(x: f64) -> String {
    match 1.0 - x {
        less if less > 1e-10 && less < 1e-3 => format!("1 - {less:.1e}"),
        _ => format!("{x:.5}"),
    }
}

fn sparsity(title: &str, pattern: &Pattern) -> Chart {
    let coarse = pattern.coarse(SIDE);
    Chart {
        title: title.into(),
        x_label: "column".into(),
        y_label: "row".into(),
        cells: Some(Cells {
            size: pattern.size(),
            side: coarse.size(),
            runs: coarse.runs(),
        }),
        ..Chart::default()
    }
}

fn matrix_spectrum(title: &str, values: &[f64]) -> Chart {
    let largest = values.last().copied().unwrap_or(0.0);
    let points = values.iter().enumerate();
    Chart {
        title: title.into(),
        x_label: format!("index; {} are zero", zeros(values)),
        y_label: "eigenvalue [1/kg]".into(),
        // kept even where all are zero and nothing is drawn
        scatter: vec![Line {
            label: String::new(),
            points: points.map(|(i, x)| (i as f64, x.max(-largest))).collect(),
        }],
        ..Chart::default()
    }
}

fn iteration_spectrum(title: &str, values: &[Eigenvalue]) -> Chart {
    let points = values.iter().rev().enumerate();
    Chart {
        title: title.into(),
        x_label: format!("index; {} are 1", at_one(values)),
        y_label: "magnitude [1]".into(),
        scatter: vec![Line {
            label: String::new(),
            points: points.map(|(i, x)| (i as f64, x.magnitude())).collect(),
        }],
        ..Chart::default()
    }
}

/// Writes columns of eigenvalues, each sorted by itself.
fn eigenvalue_csv(
    album: &mut Album,
    name: &str,
    of_a: &[(&str, &[f64])],
    of_t: &[(&str, &[Eigenvalue])],
) -> Result<(), Failure> {
    let mut header = vec!["index".to_owned()];
    header.extend(of_a.iter().map(|(name, _)| format!("{name}_per_kg")));
    for (name, _) in of_t {
        header.extend([format!("{name}_real"), format!("{name}_imaginary")]);
    }
    let lengths = of_a.iter().map(|(_, x)| x.len());
    let rows = lengths.chain(of_t.iter().map(|(_, x)| x.len())).max();
    let records: Vec<Vec<String>> = (0..rows.unwrap_or(0))
        .map(|i| {
            let mut record = vec![i.to_string()];
            let real = |x: Option<f64>| x.map_or(String::new(), number);
            record.extend(of_a.iter().map(|(_, x)| real(x.get(i).copied())));
            for (_, x) in of_t {
                record.push(real(x.get(i).map(|e| e.re)));
                record.push(real(x.get(i).map(|e| e.im)));
            }
            record
        })
        .collect();
    album.numbers(name, &header, &records)
}
