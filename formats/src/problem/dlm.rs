//! OpenTissue's folder of lists: `A.dlm` with the entries of the matrix, and vectors `b`, `lo`,
//! `hi`, `dep` (the normal row whose impulse bounds a friction row, -1 for normal rows), `factor`
//! (friction) and `lambda` (first guess), each a list of index and value.

use std::fmt::{Arguments, Display, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use drystone_complementarity::{BlockMatrix, ContactProblem, MatrixProblem};

use super::words::Words;
use super::{LONGEST_FILE, write_text};
use crate::FileError;
use crate::toml::read_text;

/// Reads the problem in `folder`. Rows may stand in any order, as long as two depend on each
/// normal row; `lo`, `hi` and `lambda` may be missing.
pub fn read(folder: &Path) -> Result<ContactProblem, FileError> {
    // matrix, right-hand side, and which normal row each row depends on
    let (rows, triplets) = matrix(folder)?;
    let number = |words: &mut Words<'_>, thing: Arguments<'_>| words.number(thing);
    let b = List::read(folder, "b", rows, number)?.values;
    let parents = parents(folder, rows)?;
    // contacts in the order of their normal rows; where each row went
    let mut place = vec![0; rows];
    let mut normals = Vec::new();
    let mut tangents = vec![Vec::new(); rows];
    for (row, parent) in parents.values.iter().enumerate() {
        match parent {
            None => normals.push(row),
            Some(normal) => tangents[*normal].push(row),
        }
    }
    for (k, &normal) in normals.iter().enumerate() {
        if tangents[normal].len() != 2 {
            let message = format!(
                "{} rows depend on normal row {normal}; wanted 2",
                tangents[normal].len()
            );
            return Err(parents.wrong(normal, message));
        }
        place[normal] = 3 * k;
        (place[tangents[normal][0]], place[tangents[normal][1]]) = (3 * k + 1, 3 * k + 2);
    }
    let contacts = normals.len();
    // vectors and friction, three rows a contact
    let by_contact = |values: &[f64]| {
        let mut sorted = vec![[0.0; 3]; contacts];
        for (row, value) in values.iter().enumerate() {
            sorted[place[row] / 3][place[row] % 3] = *value;
        }
        sorted
    };
    let list = List::read(folder, "factor", rows, |words, thing| words.friction(thing))?;
    let factors = by_contact(&list.values);
    if let Some(k) = factors.iter().position(|mu| mu[1] != mu[2]) {
        let message = format!(
            "friction is {} along one tangent of row {} and {} along the other; wanted one value",
            factors[k][1], normals[k], factors[k][2]
        );
        return Err(list.wrong(tangents[normals[k]][1], message));
    }
    bounds(folder, rows, &parents.values)?;
    let start = match folder.join("lambda.dlm").exists() {
        true => Some(by_contact(
            &List::read(folder, "lambda", rows, number)?.values,
        )),
        false => None,
    };
    // matrix in the order of contacts
    let triplets: Vec<_> = triplets
        .into_iter()
        .map(|(row, column, value)| (place[row], place[column], value))
        .collect();
    let problem = MatrixProblem {
        matrix: BlockMatrix::from_triplets(contacts, &triplets),
        b: by_contact(&b),
        friction: factors.iter().map(|mu| mu[1]).collect(),
    };
    let mut named = ContactProblem::assembled(super::name_of(folder), problem);
    named.start = start;
    Ok(named)
}

type Triplets = Vec<(usize, usize, f64)>;

fn matrix(folder: &Path) -> Result<(usize, Triplets), FileError> {
    let path = folder.join("A.dlm");
    let text = read_text(&path, LONGEST_FILE)?;
    let words = &mut Words::new(&text, &path);
    let rows = words.count("the number of rows")?;
    if rows % 3 != 0 {
        return Err(words.wrong("the number of rows", "three for each contact"));
    }
    words.exactly("the number of columns", rows)?;
    let count = words.count("the number of entries")?;
    let mut triplets = Vec::new();
    for entry in 0..count {
        let row = words.index(format_args!("the row of entry {entry}"), rows)?;
        let column = words.index(format_args!("the column of entry {entry}"), rows)?;
        let value = words.number(format_args!("the value of entry {entry}"))?;
        triplets.push((row, column, value));
    }
    words.end()?;
    Ok((rows, triplets))
}

/// A list of values, and where each stands in its file.
struct List<T> {
    path: PathBuf,
    text: String,
    values: Vec<T>,
    places: Vec<Range<usize>>,
}

impl<T: Copy + Default> List<T> {
    /// The list called `name`, each index once, values as `read` takes them.
    fn read(
        folder: &Path,
        name: &str,
        rows: usize,
        read: impl Fn(&mut Words<'_>, Arguments<'_>) -> Result<T, FileError>,
    ) -> Result<Self, FileError> {
        let path = folder.join(format!("{name}.dlm"));
        let text = read_text(&path, LONGEST_FILE)?;
        let words = &mut Words::new(&text, &path);
        words.exactly("the number of values", rows)?;
        let mut found: Vec<Option<(T, Range<usize>)>> = Vec::new();
        for entry in 0..rows {
            let thing = format_args!("the index of value {entry}");
            let index = words.index(thing, rows)?;
            if found.len() <= index {
                found.resize(index + 1, None);
            }
            if found[index].is_some() {
                return Err(words.wrong(thing, "one that has not been there"));
            }
            let value = read(words, format_args!("`{name}` at row {index}"))?;
            found[index] = Some((value, words.place()));
        }
        words.end()?;
        // as many as there are rows and no index twice: none is missing
        let (values, places) = found.into_iter().map(Option::unwrap_or_default).unzip();
        Ok(Self {
            path,
            text,
            values,
            places,
        })
    }

    /// `message` about the value at `row`.
    fn wrong(&self, row: usize, message: String) -> FileError {
        FileError::new(&self.path, message).at(&self.text, self.places[row].clone())
    }
}

/// The normal row each row depends on, none for normal rows.
fn parents(folder: &Path, rows: usize) -> Result<List<Option<usize>>, FileError> {
    let list = List::read(folder, "dep", rows, |words, thing| {
        if words.peek() == Some("-1") {
            words.next();
            return Ok(None);
        }
        words.index(thing, rows).map(Some)
    })?;
    for (row, parent) in list.values.iter().enumerate() {
        if let Some(normal) = parent.filter(|normal| list.values[*normal].is_some()) {
            let message = format!(
                "row {row} depends on row {normal}, which is a friction row itself; \
                 wanted a normal row"
            );
            return Err(list.wrong(row, message));
        }
    }
    Ok(list)
}

/// Normal impulses must be bounded by zero alone; bounds of friction come from `factor`.
fn bounds(folder: &Path, rows: usize, parents: &[Option<usize>]) -> Result<(), FileError> {
    for (name, right, wanted) in [
        ("lo", 0.0..=0.0, "0"),
        ("hi", 1e300..=f64::INFINITY, "no bound, 1e300 or more"),
    ] {
        if !folder.join(format!("{name}.dlm")).exists() {
            continue;
        }
        let list = List::read(folder, name, rows, |words, thing| words.bound(thing))?;
        let wrong = (0..rows).find(|i| parents[*i].is_none() && !right.contains(&list.values[*i]));
        if let Some(row) = wrong {
            let message = format!(
                "the bound of normal row {row} is {}; wanted {wanted}",
                list.values[row]
            );
            return Err(list.wrong(row, message));
        }
    }
    Ok(())
}

/// Writes `problem` into `folder`, which is made if it is not there. Places, graph and solution
/// do not fit in.
pub fn write(folder: &Path, problem: &ContactProblem) -> Result<(), FileError> {
    std::fs::create_dir_all(folder).map_err(|e| FileError::io(folder, "make the folder", &e))?;
    let start = problem.first_guess();
    let problem = problem.to_matrix();
    let contacts = problem.matrix.contacts();
    let rows = 3 * contacts;
    // the matrix, without zeros
    let (mut entries, mut text) = (0, String::new());
    for k in 0..contacts {
        let (columns, blocks) = problem.matrix.row(k);
        for i in 0..3 {
            for (l, block) in columns.iter().zip(blocks) {
                for j in (0..3).filter(|j| block[i][*j] != 0.0) {
                    entries += 1;
                    let column = 3 * *l as usize + j;
                    // writing to a string does not fail
                    let _ = writeln!(text, "{} {column} {:e}", 3 * k + i, block[i][j]);
                }
            }
        }
    }
    let text = format!("{rows} {rows} {entries}\n{text}");
    write_text(&folder.join("A.dlm"), &text)?;
    let list = |name: &str, value: &dyn Fn(usize, usize) -> Box<dyn Display>| {
        let mut text = format!("{rows}\n");
        for row in 0..rows {
            let _ = writeln!(text, "{row} {}", value(row / 3, row % 3));
        }
        write_text(&folder.join(format!("{name}.dlm")), &text)
    };
    let number = |x: f64| -> Box<dyn Display> { Box::new(format!("{x:e}")) };
    let mu = |k: usize, i: usize| if i == 0 { 0.0 } else { problem.friction[k] };
    list("b", &|k, i| number(problem.b[k][i]))?;
    list("lo", &|k, i| number(0.0 - mu(k, i)))?;
    list("hi", &|k, i| match i {
        0 => number(f64::MAX),
        _ => number(mu(k, i)),
    })?;
    list("dep", &|k, i| match i {
        0 => Box::new(-1),
        _ => Box::new(3 * k),
    })?;
    list("factor", &|k, i| number(mu(k, i)))?;
    list("lambda", &|k, i| number(start[k][i]))
}
