//! Our own text: either form with all that is known beside it, the same bits after reading.
//!
//! ```text
//! drystone-problem 1
//! name two boxes
//! form factored
//! relaxation 0e0
//! bodies 2        # inverse mass; inverse inertia xx yy zz xy xz yz
//! ...
//! contacts 1      # bodies a b; normal; two tangents; r_a; r_b; friction; b
//! ...
//! places 1        # then, where known: places, start, solution
//! ...
//! end
//! ```
//!
//! In `form matrix` there are contacts (friction; b), blocks (row, column, nine values row by
//! row) and, where known, the graph: bodies (1 for a fixed one) and pairs.

use std::fmt::Write;
use std::path::Path;

use drystone_base::{Symmetric3, Vec3};
use drystone_complementarity::{
    BlockMatrix, Contact, ContactGraph, ContactProblem, Form, Mass, MatrixProblem, Problem,
};

use super::words::Words;
use crate::FileError;

/// First word of every such file.
pub const MARK: &str = "drystone-problem";
/// Version written; no other is read.
pub const VERSION: usize = 1;

/// The problem in `text`, which errors call `file`.
pub fn parse(text: &str, file: &Path) -> Result<ContactProblem, FileError> {
    let words = &mut Words::new(text, file);
    keyword(words, MARK)?;
    words.exactly("the version of the format", VERSION)?;
    keyword(words, "name")?;
    let name = words.rest_of_line().to_owned();
    keyword(words, "form")?;
    let form = match words.word("the form")? {
        "factored" => factored(words)?,
        "matrix" => Form::Matrix(matrix(words)?),
        _ => return Err(words.wrong("the form", "`factored` or `matrix`")),
    };
    let mut problem = match form {
        Form::Factored(problem) => ContactProblem::factored(name, problem),
        Form::Matrix(problem) => ContactProblem::assembled(name, problem),
    };
    let contacts = problem.contacts();
    // what may follow, each once
    loop {
        let section = words.word("`end`")?;
        let twice = match section {
            "graph" => problem.matrix_graph.is_some(),
            "places" => problem.places.is_some(),
            "start" => problem.start.is_some(),
            "solution" => problem.solution.is_some(),
            "end" => break,
            _ => {
                let wanted = "`graph`, `places`, `start`, `solution` or `end`";
                return Err(words.wrong("a section", wanted));
            }
        };
        if twice {
            return Err(words.wrong("a second section", "each once"));
        }
        match section {
            "graph" if matches!(problem.form, Form::Factored(_)) => {
                return Err(words.wrong("a section", "no graph, which this form has by itself"));
            }
            "graph" => problem.matrix_graph = Some(graph(words, contacts)?),
            "places" => {
                let places = rows(words, "place", contacts)?;
                problem.places = Some(places.into_iter().map(Vec3::from).collect());
            }
            "start" => problem.start = Some(rows(words, "first guess", contacts)?),
            _ => problem.solution = Some(rows(words, "solution", contacts)?),
        }
    }
    words.end()?;
    Ok(problem)
}

fn keyword(words: &mut Words<'_>, keyword: &str) -> Result<(), FileError> {
    match words.word(format_args!("`{keyword}`"))? == keyword {
        true => Ok(()),
        false => Err(words.wrong("a keyword", &format!("`{keyword}`"))),
    }
}

fn counted(words: &mut Words<'_>, things: &str) -> Result<usize, FileError> {
    keyword(words, things)?;
    words.count(format_args!("the number of {things}"))
}

/// Two different bodies.
fn pair(words: &mut Words<'_>, k: usize, bodies: usize) -> Result<[usize; 2], FileError> {
    let a = words.index(format_args!("the first body of contact {k}"), bodies)?;
    let thing = format_args!("the second body of contact {k}");
    let b = words.index(thing, bodies)?;
    match a == b {
        true => Err(words.wrong(thing, "another body than the first")),
        false => Ok([a, b]),
    }
}

fn factored(words: &mut Words<'_>) -> Result<Form, FileError> {
    keyword(words, "relaxation")?;
    let mut problem = Problem {
        relaxation: words.number("the relaxation")?,
        ..Problem::default()
    };
    let bodies = counted(words, "bodies")?;
    for k in 0..bodies {
        let thing = format_args!("the inverse mass of body {k}");
        let inverse_mass = words.number(thing)?;
        if inverse_mass < 0.0 {
            return Err(words.wrong(thing, "zero or more"));
        }
        let [xx, yy, zz, xy, xz, yz] =
            words.numbers(format_args!("the inverse inertia of body {k}"))?;
        problem.bodies.push(Mass {
            inverse_mass,
            inverse_inertia: Symmetric3 {
                xx,
                yy,
                zz,
                xy,
                xz,
                yz,
            },
        });
    }
    for k in 0..counted(words, "contacts")? {
        let [a, b] = pair(words, k, bodies)?;
        let vector = |words: &mut Words<'_>, thing: &str| {
            let thing = format_args!("the {thing} of contact {k}");
            words.numbers(thing).map(Vec3::from)
        };
        problem.contacts.push(Contact {
            a,
            b,
            normal: vector(words, "normal")?,
            tangents: [
                vector(words, "first tangent")?,
                vector(words, "second tangent")?,
            ],
            r_a: vector(words, "arm at the first body")?,
            r_b: vector(words, "arm at the second body")?,
            friction: words.friction(format_args!("friction at contact {k}"))?,
        });
        let b = words.numbers(format_args!("b at contact {k}"))?;
        problem.b.push(b);
    }
    Ok(Form::Factored(problem))
}

fn matrix(words: &mut Words<'_>) -> Result<MatrixProblem, FileError> {
    let contacts = counted(words, "contacts")?;
    let (mut b, mut friction) = (Vec::new(), Vec::new());
    for k in 0..contacts {
        friction.push(words.friction(format_args!("friction at contact {k}"))?);
        b.push(words.numbers(format_args!("b at contact {k}"))?);
    }
    let mut entries = Vec::new();
    let mut last = None;
    for place in 0..counted(words, "blocks")? {
        let row = words.index(format_args!("the row of block {place}"), contacts)?;
        let thing = format_args!("the column of block {place}");
        let column = words.index(thing, contacts)?;
        if last.is_some_and(|last| (row, column) <= last) {
            return Err(words.wrong(thing, "blocks that ascend by row and column"));
        }
        last = Some((row, column));
        let values: [f64; 9] = words.numbers(format_args!("a value of block {place}"))?;
        let block = std::array::from_fn(|i| std::array::from_fn(|j| values[3 * i + j]));
        entries.push((row, column, block));
    }
    Ok(MatrixProblem {
        matrix: BlockMatrix::from_blocks(contacts, entries),
        b,
        friction,
    })
}

fn graph(words: &mut Words<'_>, contacts: usize) -> Result<ContactGraph, FileError> {
    let mut graph = ContactGraph::default();
    for k in 0..counted(words, "bodies")? {
        let thing = format_args!("whether body {k} is fixed");
        match words.word(thing)? {
            "0" => graph.fixed.push(false),
            "1" => graph.fixed.push(true),
            _ => return Err(words.wrong(thing, "0 or 1")),
        }
    }
    keyword(words, "pairs")?;
    words.exactly("the number of pairs", contacts)?;
    for k in 0..contacts {
        graph.pairs.push(pair(words, k, graph.fixed.len())?);
    }
    Ok(graph)
}

fn rows(words: &mut Words<'_>, thing: &str, contacts: usize) -> Result<Vec<[f64; 3]>, FileError> {
    words.exactly(format_args!("the number of entries ({thing})"), contacts)?;
    (0..contacts)
        .map(|k| words.numbers(format_args!("the {thing} of contact {k}")))
        .collect()
}

/// `problem` as text, all of it; numbers read back exactly.
pub fn write(problem: &ContactProblem) -> String {
    let mut text = format!(
        "{MARK} {VERSION}\nname {}\n",
        problem.name.replace(['\n', '\r'], " ").trim()
    );
    // writing to a string does not fail
    match &problem.form {
        Form::Factored(factored) => {
            let _ = writeln!(text, "form factored\nrelaxation {:e}", factored.relaxation);
            let _ = writeln!(text, "bodies {}", factored.bodies.len());
            text += "# inverse mass [1/kg]; inverse inertia xx yy zz xy xz yz [1/(kg m2)]\n";
            for body in &factored.bodies {
                let i = &body.inverse_inertia;
                let inertia = [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz];
                line(&mut text, [body.inverse_mass].iter().chain(&inertia));
            }
            let _ = writeln!(text, "contacts {}", factored.contacts.len());
            text += "# bodies a b; normal; two tangents; r_a; r_b [m]; friction [1]; b [m/s]\n";
            for (c, b) in factored.contacts.iter().zip(&factored.b) {
                let _ = write!(text, "{} {} ", c.a, c.b);
                let vectors = [c.normal, c.tangents[0], c.tangents[1], c.r_a, c.r_b];
                let vectors = vectors.map(|v| v.to_array());
                let vectors = vectors.as_flattened().iter();
                line(&mut text, vectors.chain(&[c.friction]).chain(b));
            }
        }
        Form::Matrix(matrix) => {
            let contacts = matrix.matrix.contacts();
            let _ = writeln!(text, "form matrix\ncontacts {contacts}");
            text += "# friction [1]; b [m/s]\n";
            for (mu, b) in matrix.friction.iter().zip(&matrix.b) {
                line(&mut text, [*mu].iter().chain(b));
            }
            let _ = writeln!(text, "blocks {}", matrix.matrix.block_count());
            text += "# row, column; values row by row [1/kg]\n";
            for k in 0..contacts {
                let (columns, blocks) = matrix.matrix.row(k);
                for (l, block) in columns.iter().zip(blocks) {
                    let _ = write!(text, "{k} {l} ");
                    line(&mut text, block.iter().flatten());
                }
            }
            if let Some(graph) = &problem.matrix_graph {
                let _ = writeln!(text, "graph\nbodies {}", graph.fixed.len());
                for fixed in &graph.fixed {
                    let _ = writeln!(text, "{}", u8::from(*fixed));
                }
                let _ = writeln!(text, "pairs {}", graph.pairs.len());
                for [a, b] in &graph.pairs {
                    let _ = writeln!(text, "{a} {b}");
                }
            }
        }
    }
    // optional sections
    let places = problem.places.as_ref();
    let places = places.map(|places| places.iter().map(|p| p.to_array()).collect());
    for (section, rows) in [
        ("places", &places),
        ("start", &problem.start),
        ("solution", &problem.solution),
    ] {
        if let Some(rows) = rows {
            let _ = writeln!(text, "{section} {}", rows.len());
            rows.iter().for_each(|row| line(&mut text, row.iter()));
        }
    }
    text += "end\n";
    text
}

fn line<'a>(text: &mut String, values: impl Iterator<Item = &'a f64>) {
    for (i, value) in values.enumerate() {
        let _ = write!(text, "{}{value:e}", if i > 0 { " " } else { "" });
    }
    text.push('\n');
}
