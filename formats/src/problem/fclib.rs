//! FCLIB's problems in HDF5 (Acary 2014), read only: local ones, `u = W r + q`, and global ones,
//! `M v = H r + f`, `u = Hᵀ v + w`, brought to local form by `W = Hᵀ M⁻¹ H`,
//! `q = Hᵀ M⁻¹ f + w`. Normal first in each contact, as here.
//!
//! A sparse matrix is `m`, `n`, `nz`, `p`, `i`, `x`: compressed rows for `nz = -2`, compressed
//! columns for -1, otherwise `nz` triplets with rows in `i` and columns in `p`.

use std::path::Path;

use drystone_complementarity::{BlockMatrix, ContactGraph, ContactProblem, MatrixProblem};
use hdf5_pure::File;

use crate::FileError;

/// Most unknowns that the mass matrix may couple, six for a rigid body.
const LARGEST_BODY: usize = 300;

/// The problem in the HDF5 file `bytes`, which errors call `path`.
pub fn parse(bytes: Vec<u8>, path: &Path) -> Result<ContactProblem, FileError> {
    let file = File::from_bytes(bytes)
        .map_err(|e| FileError::new(path, format!("not a whole HDF5 file: {e}")))?;
    let source = Source { file, path };
    let mut problem = if source.has_group("fclib_local") {
        local(&source)?
    } else if source.has_group("fclib_global") {
        global(&source)?
    } else {
        let message = "no group `fclib_local` or `fclib_global`; wanted a problem of FCLIB";
        return Err(FileError::new(path, message));
    };
    // what somebody found or guessed; some files store velocities of a solution without impulses
    let contacts = problem.contacts();
    let impulses = |name: &str| -> Result<Option<Vec<[f64; 3]>>, FileError> {
        match source.file.dataset(name) {
            Ok(_) => source.rows(name, contacts).map(Some),
            Err(_) => Ok(None),
        }
    };
    if let (Some(r), Some(u)) = (impulses("solution/r")?, impulses("solution/u")?) {
        let largest =
            |rows: &mut dyn Iterator<Item = f64>| rows.fold(0.0, |m: f64, x| m.max(x.abs()));
        let found = problem.velocities_after(&r);
        let scale = largest(&mut problem.b().iter().chain(&u).flatten().copied());
        let pairs = found.iter().flatten().zip(u.iter().flatten());
        if largest(&mut pairs.map(|(x, y)| x - y)) <= 1e-6 * scale {
            problem.solution = Some(r);
        }
    }
    problem.start = impulses("guesses/1/r")?;
    problem
        .check()
        .map_err(|e| FileError::new(path, e.to_string()))?;
    Ok(problem)
}

fn local(source: &Source<'_>) -> Result<ContactProblem, FileError> {
    source.three_dimensional("fclib_local")?;
    let friction = source.numbers("fclib_local/vectors/mu")?;
    let b = source.rows("fclib_local/vectors/q", friction.len())?;
    let rows = 3 * friction.len();
    let triplets = source.matrix("fclib_local/W", Some(rows), Some(rows))?.2;
    let problem = MatrixProblem {
        matrix: BlockMatrix::from_triplets(friction.len(), &triplets),
        b,
        friction,
    };
    Ok(ContactProblem::assembled(
        super::name_of(source.path),
        problem,
    ))
}

fn global(source: &Source<'_>) -> Result<ContactProblem, FileError> {
    // friction, right-hand side, H and M
    source.three_dimensional("fclib_global")?;
    if source.has_group("fclib_global/G") {
        let message = "`fclib_global/G` holds equalities between bodies; wanted contacts alone";
        return Err(FileError::new(source.path, message));
    }
    let friction = source.numbers("fclib_global/vectors/mu")?;
    let contacts = friction.len();
    let mut b = source.rows("fclib_global/vectors/w", contacts)?;
    let (unknowns, _, h) = source.matrix("fclib_global/H", None, Some(3 * contacts))?;
    let f = source.numbers("fclib_global/vectors/f")?;
    source.length("fclib_global/vectors/f", f.len(), unknowns)?;
    let mass = source.matrix("fclib_global/M", Some(unknowns), Some(unknowns))?;

    // blocks of the mass matrix are bodies
    let body_of = bodies(unknowns, &mass.2);
    let count = body_of.iter().max().map_or(0, |last| last + 1);
    let mut bodies = vec![Body::default(); count];
    let mut place = vec![0; unknowns];
    for (unknown, body) in body_of.iter().enumerate() {
        place[unknown] = bodies[*body].unknowns.len();
        bodies[*body].unknowns.push(unknown);
    }
    if let Some(body) = bodies.iter().find(|b| b.unknowns.len() > LARGEST_BODY) {
        let message = format!(
            "`fclib_global/M` couples {} unknowns; wanted bodies of at most {LARGEST_BODY}",
            body.unknowns.len()
        );
        return Err(FileError::new(source.path, message));
    }
    for body in &mut bodies {
        body.mass = vec![vec![0.0; body.unknowns.len()]; body.unknowns.len()];
    }
    for (row, column, value) in mass.2 {
        bodies[body_of[row]].mass[place[row]][place[column]] += value;
    }
    // columns of H at each body, ascending
    let mut h = h;
    h.sort_by_key(|(_, column, _)| *column);
    for (row, column, value) in h {
        let body = &mut bodies[body_of[row]];
        if body.columns.last().is_none_or(|(last, _)| *last != column) {
            body.columns.push((column, vec![0.0; body.unknowns.len()]));
        }
        if let Some((_, values)) = body.columns.last_mut() {
            values[place[row]] += value;
        }
    }
    // Delassus matrix H^T M^-1 H and b = w + H^T M^-1 f, body by body
    let (mut triplets, mut pairs) = (Vec::new(), vec![Vec::new(); contacts]);
    for (index, body) in bodies.iter().enumerate() {
        let Some(inverse) = inverse(body.mass.clone()) else {
            let message = format!(
                "the mass matrix of unknowns {} on is singular; wanted one that can be inverted",
                body.unknowns.first().copied().unwrap_or(0)
            );
            return Err(FileError::new(source.path, message));
        };
        let force: Vec<f64> = body.unknowns.iter().map(|i| f[*i]).collect();
        let velocity = times(&inverse, &force);
        for (column, h) in &body.columns {
            b[column / 3][column % 3] += dot(h, &velocity);
            let response = times(&inverse, h);
            for (other, values) in &body.columns {
                triplets.push((*other, *column, dot(values, &response)));
            }
            if pairs[column / 3].last() != Some(&index) {
                pairs[column / 3].push(index);
            }
        }
    }
    let problem = MatrixProblem {
        matrix: BlockMatrix::from_triplets(contacts, &triplets),
        b,
        friction,
    };
    let mut named = ContactProblem::assembled(super::name_of(source.path), problem);
    named.matrix_graph = graph(&pairs, count);
    Ok(named)
}

/// Which bodies the contacts join; the last one is what does not move. None if a contact is not
/// between two.
fn graph(at_contact: &[Vec<usize>], bodies: usize) -> Option<ContactGraph> {
    let pairs = at_contact.iter().map(|bodies_here| match bodies_here[..] {
        [one] => Some([bodies, one]),
        [a, b] => Some([a, b]),
        _ => None,
    });
    let mut fixed = vec![false; bodies];
    fixed.push(true);
    Some(ContactGraph {
        pairs: pairs.collect::<Option<_>>()?,
        fixed,
    })
}

#[derive(Clone, Default)]
struct Body {
    unknowns: Vec<usize>,
    mass: Vec<Vec<f64>>,
    /// Columns of `H` that are not zero here.
    columns: Vec<(usize, Vec<f64>)>,
}

type Triplets = Vec<(usize, usize, f64)>;

/// The body of each unknown: six in a row where the mass matrix couples no others, as with rigid
/// bodies, otherwise those that it couples.
fn bodies(unknowns: usize, mass: &Triplets) -> Vec<usize> {
    let rigid =
        unknowns.is_multiple_of(6) && mass.iter().all(|(row, column, _)| row / 6 == column / 6);
    match rigid {
        true => (0..unknowns).map(|unknown| unknown / 6).collect(),
        false => components(unknowns, mass),
    }
}

/// By unknown, the number of its connected component in the graph of the entries.
fn components(unknowns: usize, entries: &Triplets) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..unknowns).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for (row, column, value) in entries {
        if *value != 0.0 {
            let (a, b) = (root(&mut parent, *row), root(&mut parent, *column));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut number = vec![usize::MAX; unknowns];
    let mut next = 0;
    for i in 0..unknowns {
        let first = root(&mut parent, i);
        if number[first] == usize::MAX {
            number[first] = next;
            next += 1;
        }
        number[i] = number[first];
    }
    number
}

/// Gauss-Jordan elimination with the largest pivot of each column.
fn inverse(mut a: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = a.len();
    for (i, row) in a.iter_mut().enumerate() {
        row.extend((0..n).map(|j| if i == j { 1.0 } else { 0.0 }));
    }
    for column in 0..n {
        let pivot =
            (column..n).max_by(|i, j| a[*i][column].abs().total_cmp(&a[*j][column].abs()))?;
        a.swap(column, pivot);
        let scale = 1.0 / a[column][column];
        if !scale.is_finite() {
            return None;
        }
        a[column].iter_mut().for_each(|x| *x *= scale);
        let pivot_row = a[column].clone();
        for (i, row) in a.iter_mut().enumerate() {
            let factor = row[column];
            if i != column && factor != 0.0 {
                row.iter_mut()
                    .zip(&pivot_row)
                    .for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    Some(a.into_iter().map(|row| row[n..].to_vec()).collect())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn times(matrix: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, x)).collect()
}

struct Source<'a> {
    file: File,
    path: &'a Path,
}

impl Source<'_> {
    fn has_group(&self, name: &str) -> bool {
        self.file.group(name).is_ok()
    }

    fn error(&self, name: &str, what: impl std::fmt::Display) -> FileError {
        FileError::new(self.path, format!("`{name}`: {what}"))
    }

    fn numbers(&self, name: &str) -> Result<Vec<f64>, FileError> {
        let values = self.file.dataset(name).and_then(|set| set.read_f64());
        values.map_err(|e| self.error(name, format!("{e}; wanted a list of numbers")))
    }

    fn integers(&self, name: &str) -> Result<Vec<i64>, FileError> {
        let values = self.file.dataset(name).and_then(|set| set.read_i64());
        values.map_err(|e| self.error(name, format!("{e}; wanted a list of whole numbers")))
    }

    fn integer(&self, name: &str) -> Result<i64, FileError> {
        let values = self.integers(name)?;
        match values[..] {
            [value] => Ok(value),
            _ => Err(self.error(name, format!("{} values; wanted 1", values.len()))),
        }
    }

    fn length(&self, name: &str, found: usize, wanted: usize) -> Result<(), FileError> {
        match found == wanted {
            true => Ok(()),
            false => Err(self.error(name, format!("{found} values; wanted {wanted}"))),
        }
    }

    fn rows(&self, name: &str, contacts: usize) -> Result<Vec<[f64; 3]>, FileError> {
        let values = self.numbers(name)?;
        self.length(name, values.len(), 3 * contacts)?;
        Ok(values.as_chunks::<3>().0.to_vec())
    }

    fn three_dimensional(&self, group: &str) -> Result<(), FileError> {
        let name = format!("{group}/spacedim");
        match self.integer(&name)? {
            3 => Ok(()),
            found => Err(self.error(&name, format!("{found}; wanted 3"))),
        }
    }

    /// Entries of the sparse matrix in `group`, whose numbers of rows and columns are checked.
    fn matrix(
        &self,
        group: &str,
        rows: Option<usize>,
        columns: Option<usize>,
    ) -> Result<(usize, usize, Triplets), FileError> {
        // size
        let size = |name: &str, wanted: Option<usize>| {
            let name = format!("{group}/{name}");
            let found = self.integer(&name)?;
            let limit = 1 << 31;
            match (usize::try_from(found), wanted) {
                (Ok(n), Some(wanted)) if n == wanted => Ok(n),
                (Ok(n), None) if n < limit => Ok(n),
                (_, Some(wanted)) => Err(self.error(&name, format!("{found}; wanted {wanted}"))),
                _ => Err(self.error(&name, format!("{found}; wanted 0 to {limit}"))),
            }
        };
        let (m, n) = (size("m", rows)?, size("n", columns)?);
        // arrays of the sparse matrix, as CSparse lays them out
        let (p_name, i_name, x_name) = (
            format!("{group}/p"),
            format!("{group}/i"),
            format!("{group}/x"),
        );
        let (p, i, x) = (
            self.integers(&p_name)?,
            self.integers(&i_name)?,
            self.numbers(&x_name)?,
        );
        let nz = self.integer(&format!("{group}/nz"))?;
        // which line of a compressed matrix, or which column of triplets, each entry is in
        let lines: Vec<i64> = if nz >= 0 {
            let count = nz as usize;
            if p.len() < count || i.len() < count || x.len() < count {
                let shortest = p.len().min(i.len()).min(x.len());
                return Err(self.error(group, format!("{shortest} triplets; wanted {nz}")));
            }
            p[..count].to_vec()
        } else if nz == -1 || nz == -2 {
            let wanted = if nz == -1 { n } else { m } + 1;
            self.length(&p_name, p.len(), wanted)?;
            let ends_right = p[0] == 0 && p.is_sorted();
            let count = p[p.len() - 1] as usize;
            if !ends_right || i.len() < count || x.len() < count {
                let message = format!(
                    "starts of lines go from {} to {}; wanted ascending ones from 0 to at most {}",
                    p[0],
                    p[p.len() - 1],
                    i.len().min(x.len())
                );
                return Err(self.error(&p_name, message));
            }
            let line = |l: usize| std::iter::repeat_n(l as i64, (p[l + 1] - p[l]) as usize);
            (0..wanted - 1).flat_map(line).collect()
        } else {
            let message = format!("{nz}; wanted -2, -1 or a number of triplets");
            return Err(self.error(&format!("{group}/nz"), message));
        };
        // entries as triplets
        let mut triplets = Vec::with_capacity(lines.len());
        for (entry, line) in lines.into_iter().enumerate() {
            let (row, column) = if nz == -2 {
                (line, i[entry])
            } else {
                (i[entry], line)
            };
            if !(0..m as i64).contains(&row) || !(0..n as i64).contains(&column) {
                let message = format!("entry {entry} is at {row}, {column}; wanted {m} x {n}");
                return Err(self.error(group, message));
            }
            triplets.push((row as usize, column as usize, x[entry]));
        }
        Ok((m, n, triplets))
    }
}
