//! Problems of FCLIB: the same contacts in local and global form, and broken files.

use std::fs;

use drystone_base::random::Random;
use drystone_complementarity::ContactProblem;
use drystone_formats::{FileError, read_problem};
use hdf5_pure::{FileBuilder, GroupBuilder};

/// How a sparse matrix is stored.
#[derive(Clone, Copy, PartialEq)]
enum Storage {
    Triplets,
    Columns,
    Rows,
}

/// A dense matrix as FCLIB's group `name`.
fn sparse(parent: &mut GroupBuilder, name: &str, dense: &[Vec<f64>], storage: Storage) {
    let (m, n) = (dense.len(), dense.first().map_or(0, Vec::len));
    let mut entries = Vec::new();
    for (row, values) in dense.iter().enumerate() {
        for (column, value) in values.iter().enumerate() {
            if *value != 0.0 {
                entries.push((row as i32, column as i32, *value));
            }
        }
    }
    if storage != Storage::Rows {
        entries.sort_by_key(|(row, column, _)| (*column, *row));
    }
    let starts = |lines: usize, line: &dyn Fn(&(i32, i32, f64)) -> i32| -> Vec<i32> {
        let before = |l: usize| entries.iter().filter(|e| line(e) < l as i32).count() as i32;
        (0..=lines).map(before).collect()
    };
    let (nz, p, i): (i32, Vec<i32>, Vec<i32>) = match storage {
        Storage::Triplets => (
            entries.len() as i32,
            entries.iter().map(|e| e.1).collect(),
            entries.iter().map(|e| e.0).collect(),
        ),
        Storage::Columns => (
            -1,
            starts(n, &|e| e.1),
            entries.iter().map(|e| e.0).collect(),
        ),
        Storage::Rows => (
            -2,
            starts(m, &|e| e.0),
            entries.iter().map(|e| e.1).collect(),
        ),
    };
    let x: Vec<f64> = entries.iter().map(|e| e.2).collect();
    let mut group = parent.create_group(name);
    group.create_dataset("m").with_i32_data(&[m as i32]);
    group.create_dataset("n").with_i32_data(&[n as i32]);
    group.create_dataset("nz").with_i32_data(&[nz]);
    group.create_dataset("p").with_i32_data(&p);
    group.create_dataset("i").with_i32_data(&i);
    group.create_dataset("x").with_f64_data(&x);
    parent.add_group(group.finish());
}

fn vectors(parent: &mut GroupBuilder, lists: &[(&str, &[f64])]) {
    let mut group = parent.create_group("vectors");
    for (name, values) in lists {
        group.create_dataset(name).with_f64_data(values);
    }
    parent.add_group(group.finish());
}

fn finish(mut group: GroupBuilder, dimension: i32, mut file: FileBuilder) -> Vec<u8> {
    group.create_dataset("spacedim").with_i32_data(&[dimension]);
    file.add_group(group.finish());
    file.finish().unwrap()
}

fn read(bytes: &[u8]) -> Result<ContactProblem, FileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("problem.hdf5");
    fs::write(&path, bytes).unwrap();
    read_problem(&path)
}

fn random_matrix(random: &mut Random, rows: usize, columns: usize) -> Vec<Vec<f64>> {
    let mut row = || (0..columns).map(|_| random.range(-1.0, 1.0)).collect();
    (0..rows).map(|_| row()).collect()
}

fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry = |row: &Vec<f64>, j: usize| row.iter().zip(b).map(|(x, b)| x * b[j]).sum();
    a.iter()
        .map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect())
        .collect()
}

fn transposed(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    (0..a[0].len())
        .map(|j| a.iter().map(|row| row[j]).collect())
        .collect()
}

#[test]
fn local_problems_are_read_from_every_storage() {
    let mut random = Random::new(1);
    let w = random_matrix(&mut random, 6, 6);
    let (q, mu) = ([-1.0, 0.1, 0.2, -0.5, 0.3, 0.4], [0.3, 0.7]);
    let r = [0.5; 6];
    let u: Vec<f64> = (0..6)
        .map(|i| q[i] + w[i].iter().zip(&r).map(|(w, r)| w * r).sum::<f64>())
        .collect();
    for storage in [Storage::Triplets, Storage::Columns, Storage::Rows] {
        for honest in [true, false] {
            let mut file = FileBuilder::new();
            let mut solution = file.create_group("solution");
            solution.create_dataset("r").with_f64_data(&r);
            let said = if honest { u.clone() } else { vec![9.0; 6] };
            solution.create_dataset("u").with_f64_data(&said);
            file.add_group(solution.finish());
            let mut group = file.create_group("fclib_local");
            sparse(&mut group, "W", &w, storage);
            vectors(&mut group, &[("q", &q), ("mu", &mu)]);
            let problem = read(&finish(group, 3, file)).unwrap();
            assert_eq!(problem.dense(), w);
            assert_eq!(problem.b().as_flattened(), q);
            assert_eq!((problem.friction(0), problem.friction(1)), (0.3, 0.7));
            // impulses that do not give the velocities beside them are no solution
            assert_eq!(problem.solution.is_some(), honest);
        }
    }
}

#[test]
fn a_global_problem_is_its_local_form() {
    let mut random = Random::new(2);
    // two bodies with full mass matrices, three contacts: ground-a, a-b, b-ground
    let mut mass = vec![vec![0.0; 12]; 12];
    for body in 0..2 {
        let root = random_matrix(&mut random, 6, 6);
        for (i, row) in product(&transposed(&root), &root).into_iter().enumerate() {
            for (j, value) in row.into_iter().enumerate() {
                mass[6 * body + i][6 * body + j] = value + if i == j { 2.0 } else { 0.0 };
            }
        }
    }
    let mut h = random_matrix(&mut random, 12, 9);
    for (row, values) in h.iter_mut().enumerate() {
        let absent = if row < 6 { 6..9 } else { 0..3 };
        values[absent].fill(0.0);
    }
    let f: Vec<f64> = (0..12).map(|_| random.range(-1.0, 1.0)).collect();
    let w: Vec<f64> = (0..9).map(|_| random.range(-1.0, 1.0)).collect();
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_global");
    sparse(&mut group, "M", &mass, Storage::Triplets);
    sparse(&mut group, "H", &h, Storage::Columns);
    vectors(&mut group, &[("f", &f), ("w", &w), ("mu", &[0.5; 3])]);
    let bytes = finish(group, 3, file);
    let problem = read(&bytes).unwrap();

    // second way: M v = H r + f solved by sweeps, u = Hᵀ v + w
    let r: Vec<f64> = (0..9).map(|_| random.range(0.0, 1.0)).collect();
    let right: Vec<f64> = (0..12)
        .map(|i| f[i] + h[i].iter().zip(&r).map(|(h, r)| h * r).sum::<f64>())
        .collect();
    let mut v = [0.0; 12];
    for _ in 0..2000 {
        for i in 0..12 {
            let rest: f64 = (0..12).map(|j| mass[i][j] * v[j]).sum();
            v[i] += (right[i] - rest) / mass[i][i];
        }
    }
    let found = problem.velocities_after(r.as_chunks::<3>().0);
    let error = (0..9)
        .map(|j| {
            let u = w[j] + (0..12).map(|i| h[i][j] * v[i]).sum::<f64>();
            (found[j / 3][j % 3] - u).abs()
        })
        .fold(0.0f64, f64::max);
    assert!(error < 1e-12, "velocities differ by {error:.1e} m/s"); // measured: 2e-16
    let graph = problem.graph().unwrap();
    assert_eq!(graph.pairs, [[2, 0], [0, 1], [2, 1]]);
    assert_eq!(graph.fixed, [false, false, true]);
}

#[test]
fn broken_files_are_refused_by_the_name_of_the_list() {
    let build = |change: &dyn Fn(&mut GroupBuilder), q: &[f64], dimension: i32| {
        let mut file = FileBuilder::new();
        let mut group = file.create_group("fclib_local");
        change(&mut group);
        vectors(&mut group, &[("q", q), ("mu", &[0.3])]);
        read(&finish(group, dimension, file))
            .unwrap_err()
            .to_string()
    };
    let good = vec![
        vec![1.0, 0.0, 0.0],
        vec![0.0, 1.0, 0.0],
        vec![0.0, 0.0, 1.0],
    ];
    let matrix = |lists: &'static [(&str, &[i32])]| {
        move |group: &mut GroupBuilder| {
            let mut w = group.create_group("W");
            for (name, values) in lists {
                w.create_dataset(name).with_i32_data(values);
            }
            w.create_dataset("x").with_f64_data(&[1.0, 2.0]);
            group.add_group(w.finish());
        }
    };
    let whole = |group: &mut GroupBuilder| sparse(group, "W", &good, Storage::Rows);
    for (said, words) in [
        (build(&whole, &[0.0; 3], 2), ["spacedim", "2; wanted 3"]),
        (
            build(&whole, &[0.0; 5], 3),
            ["vectors/q", "5 values; wanted 3"],
        ),
        (
            build(&whole, &[f64::NAN; 3], 3),
            ["right-hand sides", "NaN"],
        ),
        (
            build(&|_| {}, &[0.0; 3], 3),
            ["fclib_local/W/m", "wanted a list"],
        ),
        (
            build(
                &matrix(&[
                    ("m", &[4]),
                    ("n", &[3]),
                    ("nz", &[2]),
                    ("p", &[0, 1]),
                    ("i", &[0, 1]),
                ]),
                &[0.0; 3],
                3,
            ),
            ["fclib_local/W/m", "4; wanted 3"],
        ),
        (
            build(
                &matrix(&[
                    ("m", &[3]),
                    ("n", &[3]),
                    ("nz", &[2]),
                    ("p", &[0, 7]),
                    ("i", &[0, 1]),
                ]),
                &[0.0; 3],
                3,
            ),
            ["entry 1 is at 1, 7", "wanted 3 x 3"],
        ),
        (
            build(
                &matrix(&[
                    ("m", &[3]),
                    ("n", &[3]),
                    ("nz", &[9]),
                    ("p", &[0, 1]),
                    ("i", &[0, 1]),
                ]),
                &[0.0; 3],
                3,
            ),
            ["2 triplets", "wanted 9"],
        ),
        (
            build(
                &matrix(&[
                    ("m", &[3]),
                    ("n", &[3]),
                    ("nz", &[-2]),
                    ("p", &[0, 2, 1, 2]),
                    ("i", &[0, 1]),
                ]),
                &[0.0; 3],
                3,
            ),
            ["W/p", "ascending"],
        ),
        (
            build(
                &matrix(&[
                    ("m", &[3]),
                    ("n", &[3]),
                    ("nz", &[-5]),
                    ("p", &[0, 1]),
                    ("i", &[0, 1]),
                ]),
                &[0.0; 3],
                3,
            ),
            ["W/nz", "-5; wanted -2, -1"],
        ),
    ] {
        for word in words {
            assert!(said.contains(word), "no {word} in: {said}");
        }
    }
    let mut file = FileBuilder::new();
    file.create_dataset("x").with_f64_data(&[1.0]);
    let said = read(&file.finish().unwrap()).unwrap_err().to_string();
    assert!(said.contains("fclib_local"), "{said}");
}
