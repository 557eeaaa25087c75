//! Siconos' text files of three-dimensional frictional contact problems, `u = W r + q`
//! (Acary 2019): normal first in each contact, as here.
//!
//! Dimension, number of contacts, storage of `W` (0 dense, 1 sparse blocks) and its size; then
//! `W`, `q`, `μ`. Values of a block, and of a dense matrix, go down the columns. Friction
//! coefficients may be followed by a `0`, which older files have.

use std::fmt::Write;
use std::path::Path;

use drystone_complementarity::{Block, BlockMatrix, ContactProblem, MatrixProblem};

use super::words::Words;
use crate::FileError;

const DENSE: usize = 0;
const BLOCKS: usize = 1;

/// The problem in `text`, which errors call `file`.
pub fn parse(text: &str, file: &Path) -> Result<ContactProblem, FileError> {
    let words = &mut Words::new(text, file);
    words.exactly("the dimension of the problem", 3)?;
    let contacts = words.count("the number of contacts")?;
    let rows = contacts.checked_mul(3);
    let rows = rows.ok_or_else(|| words.wrong("the number of contacts", "fewer"))?;
    let storage = words.count("the storage of the matrix")?;
    if storage != DENSE && storage != BLOCKS {
        return Err(words.wrong(
            "the storage of the matrix",
            "0 for a dense matrix or 1 for sparse blocks",
        ));
    }
    words.exactly("the number of rows of the matrix", rows)?;
    words.exactly("the number of columns of the matrix", rows)?;
    let entries = match storage {
        DENSE => dense(words, contacts)?,
        _ => blocks(words, contacts)?,
    };
    let mut b = Vec::new();
    for k in 0..contacts {
        b.push(words.numbers(format_args!("q at contact {k}"))?);
    }
    let mut friction = Vec::new();
    for k in 0..contacts {
        friction.push(words.friction(format_args!("friction at contact {k}"))?);
    }
    if words.peek() == Some("0") {
        words.next();
    }
    words.end()?;
    let problem = MatrixProblem {
        matrix: BlockMatrix::from_blocks(contacts, entries),
        b,
        friction,
    };
    Ok(ContactProblem::assembled(super::name_of(file), problem))
}

type Entries = Vec<(usize, usize, Block)>;

fn dense(words: &mut Words<'_>, contacts: usize) -> Result<Entries, FileError> {
    words.exactly("the number of rows of the dense matrix", 3 * contacts)?;
    words.exactly("the number of columns of the dense matrix", 3 * contacts)?;
    let mut columns = Vec::new();
    for column in 0..3 * contacts {
        let mut values = Vec::new();
        for row in 0..contacts {
            let thing = format_args!("the matrix at rows {} on, column {column}", 3 * row);
            values.push(words.numbers::<3>(thing)?);
        }
        columns.push(values);
    }
    // blocks with something in them
    let mut entries = Vec::new();
    for k in 0..contacts {
        for l in 0..contacts {
            let block = std::array::from_fn(|i| std::array::from_fn(|j| columns[3 * l + j][k][i]));
            if block != [[0.0; 3]; 3] {
                entries.push((k, l, block));
            }
        }
    }
    Ok(entries)
}

fn blocks(words: &mut Words<'_>, contacts: usize) -> Result<Entries, FileError> {
    // numbers of blocks; every block is 3 x 3
    let count = words.count("the number of blocks")?;
    for side in ["rows", "columns"] {
        words.exactly(format_args!("the number of {side} of blocks"), contacts)?;
    }
    for side in ["row", "column"] {
        for k in 0..contacts {
            let thing = format_args!("the last {side} of block {side} {k}, plus one");
            words.exactly(thing, 3 * (k + 1))?;
        }
    }
    words.exactly("the number of starts of rows", contacts + 1)?;
    words.exactly("the number of indices of columns", count)?;
    // where the blocks of each row begin
    let mut starts = Vec::new();
    for k in 0..=contacts {
        let thing = format_args!("the first block of row {k}");
        let start = words.count(thing)?;
        let least = starts.last().copied().unwrap_or(0);
        let right = match k {
            0 => start == 0,
            _ if k == contacts => start == count,
            _ => start >= least && start <= count,
        };
        if !right {
            let wanted = match k {
                0 => "0".to_owned(),
                _ if k == contacts => format!("{count}, the number of blocks"),
                _ => format!("a number from {least} to {count}"),
            };
            return Err(words.wrong(thing, &wanted));
        }
        starts.push(start);
    }
    // column of each block
    let mut entries = Vec::new();
    for k in 0..contacts {
        let mut last = None;
        for place in starts[k]..starts[k + 1] {
            let thing = format_args!("the column of block {place}");
            let column = words.index(thing, contacts)?;
            if last.is_some_and(|last| column <= last) {
                return Err(words.wrong(thing, "one beyond that of the block before"));
            }
            last = Some(column);
            entries.push((k, column, [[0.0; 3]; 3]));
        }
    }
    // values, column by column
    for (place, (_, _, block)) in entries.iter_mut().enumerate() {
        words.exactly("the number of a block", place)?;
        let values: [f64; 9] = words.numbers(format_args!("a value of block {place}"))?;
        *block = std::array::from_fn(|i| std::array::from_fn(|j| values[i + 3 * j]));
    }
    Ok(entries)
}

/// `problem` as text, with sparse blocks. Places, first guess and graph do not fit in.
pub fn write(problem: &ContactProblem) -> String {
    let problem = problem.to_matrix();
    let (matrix, contacts) = (&problem.matrix, problem.matrix.contacts());
    let line = |words: &mut dyn Iterator<Item = usize>| -> String {
        let words: Vec<String> = words.map(|n| n.to_string()).collect();
        words.join("\t")
    };
    let count = matrix.block_count();
    let sizes = line(&mut (1..=contacts).map(|k| 3 * k));
    let mut ends = 0;
    let starts = line(&mut std::iter::once(0).chain((0..contacts).map(|k| {
        ends += matrix.row(k).0.len();
        ends
    })));
    let columns = (0..contacts).flat_map(|k| matrix.row(k).0.iter().map(|l| *l as usize));
    let columns = line(&mut columns.collect::<Vec<_>>().into_iter());
    let rows = 3 * contacts;
    let mut text = format!(
        "3\n{contacts}\n{BLOCKS}\n{rows}\n{rows}\n{count}\n{contacts}\n{contacts}\n\
         {sizes}\n{sizes}\n{}\n{count}\n{starts}\n{columns}\n",
        contacts + 1
    );
    // writing to a string does not fail
    let blocks = (0..contacts).flat_map(|k| matrix.row(k).1);
    for (place, block) in blocks.enumerate() {
        let _ = writeln!(text, "{place}");
        for j in 0..3 {
            for row in block {
                let _ = writeln!(text, "{:e}", row[j]);
            }
        }
    }
    let row = |values: &mut dyn Iterator<Item = &f64>| -> String {
        let words: Vec<String> = values.map(|x| format!("{x:e}")).collect();
        words.join(" ")
    };
    let _ = writeln!(text, "{}", row(&mut problem.b.iter().flatten()));
    let _ = writeln!(text, "{}", row(&mut problem.friction.iter()));
    text
}
