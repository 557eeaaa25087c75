//! Contact problems through files and back: nothing may be lost that a format can hold.

use std::fs;
use std::path::Path;

use drystone_base::random::Random;
use drystone_base::{Symmetric3, Vec3, tangents};
use drystone_complementarity::{
    BlockMatrix, Contact, ContactProblem, Mass, MatrixProblem, Problem,
};
use drystone_formats::problem::{own, siconos};
use drystone_formats::{read_problem, write_problem};

/// A heap of bodies on the ground (body 0), with everything known about it.
fn heap(seed: u64, contacts: usize) -> ContactProblem {
    let mut random = Random::new(seed);
    let mut vector = || {
        Vec3::new(
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
        )
    };
    let mut problem = Problem {
        bodies: vec![Mass::default()],
        relaxation: vector().x.abs(),
        ..Problem::default()
    };
    for _ in 0..6 {
        let (u, v) = (vector(), vector());
        problem.bodies.push(Mass {
            inverse_mass: 1.0 + u.x,
            inverse_inertia: Symmetric3 {
                xy: 0.1 * v.x,
                xz: 0.1 * v.y,
                yz: 0.1 * v.z,
                ..Symmetric3::diagonal(Vec3::splat(3.0) + u)
            },
        });
    }
    let (mut places, mut start, mut solution) = (Vec::new(), Vec::new(), Vec::new());
    for k in 0..contacts {
        let (a, b) = (k % 6, 1 + k % 6);
        let normal = (vector() + Vec3::Y * 2.0).normalize();
        let (t1, t2) = tangents(normal);
        problem.contacts.push(Contact {
            a,
            b,
            normal,
            tangents: [t1, t2],
            r_a: vector(),
            r_b: vector(),
            friction: vector().x.abs(),
        });
        problem.b.push(vector().to_array());
        places.push(vector());
        start.push(vector().to_array());
        solution.push((vector() * 1e-300).to_array());
    }
    // what rounds or loses its sign easily
    problem.b[0] = [-0.0, f64::MIN_POSITIVE / 3.0, 0.1 + 0.2];
    let mut named = ContactProblem::factored("a heap: 20 % \"rough\"", problem);
    named.places = Some(places);
    named.start = Some(start);
    named.solution = Some(solution);
    named
}

fn bits(rows: &[[f64; 3]]) -> Vec<u64> {
    rows.iter().flatten().map(|x| x.to_bits()).collect()
}

fn same_matrix(found: &ContactProblem, exact: &MatrixProblem) {
    let found = found.to_matrix();
    assert!(found.matrix.dense() == exact.matrix.dense());
    assert_eq!(bits(&found.b), bits(&exact.b));
    assert_eq!(found.friction, exact.friction);
}

#[test]
fn our_own_file_gives_back_every_bit() {
    let folder = tempfile::tempdir().unwrap();
    for (seed, contacts) in [(1, 1), (2, 7), (3, 60)] {
        let problem = heap(seed, contacts);
        for (name, problem) in [
            ("factored.problem", &problem),
            ("matrix.problem", &problem.to_matrix_form()),
        ] {
            let path = folder.path().join(name);
            write_problem(&path, problem).unwrap();
            let read = read_problem(&path).unwrap();
            assert_eq!(&read, problem);
            assert_eq!(bits(read.b()), bits(problem.b()));
            assert_eq!(own::write(&read), own::write(problem));
        }
    }
}

#[test]
fn an_empty_problem_is_a_problem_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let empty = ContactProblem::factored("nothing", Problem::default());
    for name in ["empty.dat", "empty.dlm", "empty.problem"] {
        let path = folder.path().join(name);
        write_problem(&path, &empty).unwrap();
        assert_eq!(read_problem(&path).unwrap().contacts(), 0, "{name}");
    }
}

#[test]
fn siconos_files_keep_matrix_right_hand_side_and_friction() {
    let folder = tempfile::tempdir().unwrap();
    let problem = heap(4, 25);
    let path = folder.path().join("heap-4.dat");
    write_problem(&path, &problem).unwrap();
    let read = read_problem(&path).unwrap();
    same_matrix(&read, &problem.to_matrix());
    assert_eq!(read.name, "heap-4");
    // older files end with a 0
    let text = fs::read_to_string(&path).unwrap() + "0\n";
    same_matrix(&siconos::parse(&text, &path).unwrap(), &problem.to_matrix());
}

#[test]
fn siconos_values_go_down_the_columns() {
    let numbers = "10 20 30 11 21 31 12 22 32";
    let rows = [[10.0, 11.0, 12.0], [20.0, 21.0, 22.0], [30.0, 31.0, 32.0]];
    let blocks = format!("3 1 1 3 3 1 1 1 3 3 2 1 0 1 0 0 {numbers} 1 2 3 0.5");
    let dense = format!("3 1 0 3 3 3 3 {numbers} 1 2 3 0.5");
    for text in [blocks, dense] {
        let problem = siconos::parse(&text, Path::new("tiny.dat"))
            .unwrap()
            .to_matrix();
        assert_eq!(problem.matrix.block_at(0, 0), rows);
        assert_eq!((problem.b[0], problem.friction[0]), ([1.0, 2.0, 3.0], 0.5));
    }
}

#[test]
fn a_dense_siconos_file_is_the_sparse_one() {
    let problem = heap(5, 9);
    let matrix = problem.to_matrix();
    let (rows, dense) = (27, problem.dense());
    let mut text = format!("3 9 0 {rows} {rows} {rows} {rows}\n");
    for column in 0..rows {
        for row in &dense {
            text += &format!("{:e}\n", row[column]);
        }
    }
    for x in matrix.b.iter().flatten().chain(&matrix.friction) {
        text += &format!("{x:e}\n");
    }
    let read = siconos::parse(&text, Path::new("dense.dat")).unwrap();
    same_matrix(&read, &matrix);
}

#[test]
fn dlm_folders_keep_the_first_guess_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let problem = heap(6, 25);
    let path = folder.path().join("heap.dlm");
    write_problem(&path, &problem).unwrap();
    let read = read_problem(&path).unwrap();
    same_matrix(&read, &problem.to_matrix());
    assert_eq!(read.start, problem.start);
    assert_eq!(read.name, "heap");
    // a folder that is there is written into, and the guess may be missing
    let path = folder.path().join("there");
    fs::create_dir(&path).unwrap();
    write_problem(&path, &problem).unwrap();
    for optional in ["lambda", "lo", "hi"] {
        fs::remove_file(path.join(format!("{optional}.dlm"))).unwrap();
    }
    let read = read_problem(&path).unwrap();
    same_matrix(&read, &problem.to_matrix());
    assert_eq!(read.start, None);
}

#[test]
fn dlm_rows_may_stand_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let problem = heap(7, 4);
    write_problem(folder.path(), &problem).unwrap();
    // all normals first, then all tangents: row 3k + i goes to k or to 4 + 2k + i - 1
    let place = |row: usize| match row % 3 {
        0 => row / 3,
        i => 4 + 2 * (row / 3) + i - 1,
    };
    for name in ["A", "b", "lo", "hi", "dep", "factor", "lambda"] {
        let path = folder.path().join(format!("{name}.dlm"));
        let text = fs::read_to_string(&path).unwrap();
        let mut moved = String::new();
        for (number, line) in text.lines().enumerate() {
            let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let indices = if number == 0 { 0 } else { words.len() - 1 };
            for word in &mut words[..indices] {
                *word = place(word.parse().unwrap()).to_string();
            }
            if name == "dep" && number > 0 && words[1] != "-1" {
                words[1] = place(words[1].parse().unwrap()).to_string();
            }
            moved += &(words.join(" ") + "\n");
        }
        fs::write(&path, moved).unwrap();
    }
    let read = read_problem(folder.path()).unwrap();
    same_matrix(&read, &problem.to_matrix());
    assert_eq!(read.start, problem.start);
}

#[test]
fn the_content_decides_how_a_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let problem = heap(8, 5);
    let path = folder.path().join("misnamed.dat");
    fs::write(&path, own::write(&problem)).unwrap();
    assert_eq!(read_problem(&path).unwrap(), problem);
    let path = folder.path().join("misnamed.problem");
    fs::write(&path, siconos::write(&problem)).unwrap();
    same_matrix(&read_problem(&path).unwrap(), &problem.to_matrix());
}

#[test]
fn slightly_asymmetric_matrices_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let mut matrix = heap(9, 6).to_matrix();
    matrix.matrix = BlockMatrix::from_blocks(
        6,
        (0..6)
            .flat_map(|k| (0..6).map(move |l| (k, l)))
            .map(|(k, l)| {
                let mut block = matrix.matrix.block_at(k, l);
                block[0][1] *= 1.0 + 2.5e-3 * (k as f64 - l as f64);
                (k, l, block)
            })
            .collect(),
    );
    assert!(matrix.matrix.asymmetry() > 1e-4);
    let problem = ContactProblem::assembled("askew", matrix);
    for name in ["askew.dat", "askew.dlm", "askew.problem"] {
        let path = folder.path().join(name);
        write_problem(&path, &problem).unwrap();
        same_matrix(&read_problem(&path).unwrap(), &problem.to_matrix());
    }
}

#[test]
fn what_cannot_be_read_back_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let mut problem = heap(10, 3);
    let error = write_problem(folder.path().join("a.hdf5"), &problem).unwrap_err();
    assert!(error.to_string().contains("only read"), "{error}");
    problem.start = Some(vec![[f64::NAN; 3]; 3]);
    let path = folder.path().join("nan.problem");
    let error = write_problem(&path, &problem).unwrap_err();
    assert!(error.to_string().contains("NaN"), "{error}");
    assert!(!path.exists());
}
