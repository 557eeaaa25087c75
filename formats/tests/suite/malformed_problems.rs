//! Broken contact problems: a clear error with file, line, thing, found and wanted; never a panic.

use std::fs;
use std::path::Path;

use drystone_formats::problem::{own, siconos};
use drystone_formats::{FileError, read_problem};

/// One contact in Siconos' format.
const DAT: &str =
    "3\n1\n1\n3\n3\n1\n1\n1\n3\n3\n2\n1\n0 1\n0\n0\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0.5\n";

/// The same factored: a ball on the ground.
const FACTORED: &str = "\
drystone-problem 1
name ball
form factored
relaxation 0
bodies 2
0 0 0 0 0 0 0
1 2 2 2 0 0 0
contacts 1
0 1  0 1 0  1 0 0  0 0 1  0 0 0  0 -1 0  0.5  -1 0 0
places 1
0 0 0
start 1
0 0 0
end
";

/// The same as a matrix with its graph.
const MATRIX: &str = "\
drystone-problem 1
name ball
form matrix
contacts 1
0.5 -1 0 0
blocks 1
0 0  1 0 0  0 3 0  0 0 3
graph
bodies 2
1
0
pairs 1
0 1
end
";

/// (what is wrong, whole file, line to replace, by what (nothing: the file ends before it), line
/// of the error, words that must be in the message)
type Text = (
    &'static str,
    &'static str,
    usize,
    Option<&'static str>,
    usize,
    &'static [&'static str],
);

#[rustfmt::skip]
const TEXTS: &[Text] = &[
    ("two dimensions", DAT, 1, Some("2"), 1, &["dimension", "`2`", "wanted 3"]),
    ("negative contacts", DAT, 2, Some("-4"), 2, &["number of contacts", "`-4`"]),
    ("more contacts than can be counted", DAT, 2, Some("99999999999999999999999"), 2, &["number of contacts"]),
    ("three times the contacts overflow", DAT, 2, Some("9999999999999999998"), 2, &["number of contacts"]),
    ("a storage that nobody knows", DAT, 3, Some("7"), 3, &["storage", "`7`", "wanted 0 for a dense matrix"]),
    ("rows that do not fit the contacts", DAT, 4, Some("6"), 4, &["rows of the matrix", "`6`", "wanted 3"]),
    ("a matrix that is not square", DAT, 5, Some("6"), 5, &["columns of the matrix", "wanted 3"]),
    ("blocks that are not 3 x 3", DAT, 9, Some("2"), 9, &["block row 0", "`2`", "wanted 3"]),
    ("rows of blocks that do not begin at 0", DAT, 13, Some("1 1"), 13, &["first block of row 0", "wanted 0"]),
    ("rows of blocks that end too late", DAT, 13, Some("0 5"), 13, &["first block of row 1", "`5`", "wanted 1"]),
    ("a column beyond the matrix", DAT, 14, Some("3"), 14, &["column of block 0", "`3`", "below 1"]),
    ("blocks out of turn", DAT, 15, Some("4"), 15, &["number of a block", "`4`", "wanted 0"]),
    ("a word among the values", DAT, 17, Some("0 one 0"), 17, &["block 0", "`one`", "wanted a number"]),
    ("an infinite value", DAT, 16, Some("inf 0 0"), 16, &["`inf`", "finite"]),
    ("no number in q", DAT, 19, Some("-1 NaN 0"), 19, &["q at contact 0", "`NaN`"]),
    ("friction below zero", DAT, 20, Some("-0.5"), 20, &["friction at contact 0", "`-0.5`", "zero or more"]),
    ("cut off in the matrix", DAT, 18, None, 18, &["ends before", "block 0"]),
    ("no friction", DAT, 20, None, 20, &["ends before", "friction at contact 0"]),
    ("something after the end", DAT, 20, Some("0.5\n0\n17"), 22, &["`17`", "wanted the end"]),
    ("a version to come", FACTORED, 1, Some("drystone-problem 2"), 1, &["version", "`2`", "wanted 1"]),
    ("a name missing", FACTORED, 2, Some(""), 3, &["`form`", "wanted `name`"]),
    ("a form unheard of", FACTORED, 3, Some("form dual"), 3, &["`dual`", "`factored` or `matrix`"]),
    ("a body too few", FACTORED, 5, Some("bodies 1"), 7, &["keyword", "`1`", "wanted `contacts`"]),
    ("a body too many", FACTORED, 5, Some("bodies 3"), 8, &["inverse mass of body 2", "`contacts`"]),
    ("more bodies than memory", FACTORED, 5, Some("bodies 99999999999999"), 8, &["inverse mass of body 2"]),
    ("a mass below zero", FACTORED, 7, Some("-1 2 2 2 0 0 0"), 7, &["inverse mass of body 1", "zero or more"]),
    ("a contact with a body that is not there", FACTORED, 9, Some("0 5 0 1 0"), 9, &["second body of contact 0", "`5`", "below 2"]),
    ("a contact of a body with itself", FACTORED, 9, Some("1 1 0 1 0"), 9, &["second body of contact 0", "another body"]),
    ("a contact cut short", FACTORED, 9, Some("0 1  0 1 0  1 0 0"), 10, &["second tangent of contact 0", "`places`"]),
    ("places for another number of contacts", FACTORED, 10, Some("places 2"), 10, &["`2`", "wanted 1"]),
    ("a section twice", FACTORED, 12, Some("places 1"), 12, &["second section", "`places`"]),
    ("a section unheard of", FACTORED, 12, Some("colour 1"), 12, &["`colour`", "`solution`"]),
    ("a graph in a form that has its own", FACTORED, 10, Some("graph"), 10, &["`graph`", "by itself"]),
    ("no end", FACTORED, 14, None, 14, &["ends before `end`"]),
    ("something after our end", FACTORED, 14, Some("end\nend"), 15, &["wanted the end"]),
    ("a guess that is no number", FACTORED, 13, Some("0 0 x"), 13, &["first guess of contact 0", "`x`"]),
    ("a block beyond the matrix", MATRIX, 7, Some("0 1 1 0 0 0 3 0 0 0 3"), 7, &["column of block 0", "below 1"]),
    ("a block twice", MATRIX, 6, Some("blocks 2\n0 0 1 0 0 0 1 0 0 0 1"), 8, &["column of block 1", "ascend"]),
    ("a body neither fixed nor free", MATRIX, 10, Some("2"), 10, &["whether body 0 is fixed", "0 or 1"]),
    ("too few pairs", MATRIX, 12, Some("pairs 0"), 12, &["number of pairs", "wanted 1"]),
];

#[test]
fn every_broken_text_is_refused_at_its_line() {
    for (what, whole, line, by, at, words) in TEXTS {
        let lines: Vec<&str> = whole.lines().collect();
        let mut text: String = lines[..line - 1].iter().map(|l| format!("{l}\n")).collect();
        if let Some(by) = by {
            text += &format!("{by}\n{}\n", lines[*line..].join("\n"));
        }
        let error = parse(whole, &text);
        let error = error
            .err()
            .unwrap_or_else(|| panic!("{what}: accepted:\n{text}"));
        let said = error.to_string();
        assert_eq!(error.line(), Some(*at), "{what}: {said}");
        assert!(said.starts_with("bad.problem:"), "{what}: {said}");
        for word in *words {
            assert!(said.contains(word), "{what}: no {word} in: {said}");
        }
    }
    // and the whole files are right
    for whole in [DAT, FACTORED, MATRIX] {
        parse(whole, whole).unwrap();
    }
}

fn parse(format: &str, text: &str) -> Result<(), FileError> {
    let file = Path::new("bad.problem");
    match format {
        DAT => siconos::parse(text, file).map(|_| ()),
        _ => own::parse(text, file).map(|_| ()),
    }
}

/// (what is wrong, file, its text, file and line of the error, words)
type Folder = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    usize,
    &'static [&'static str],
);

#[rustfmt::skip]
const FOLDERS: &[Folder] = &[
    ("four rows", "A", "4 4 0\n", "A", 1, &["number of rows", "`4`", "three for each"]),
    ("not square", "A", "3 6 0\n", "A", 1, &["number of columns", "wanted 3"]),
    ("an entry outside", "A", "3 3 1\n3 0 1\n", "A", 2, &["row of entry 0", "`3`", "below 3"]),
    ("fewer entries than said", "A", "3 3 2\n0 0 1\n", "A", 3, &["ends before", "entry 1"]),
    ("more entries than said", "A", "3 3 1\n0 0 1\n1 1 1\n", "A", 3, &["wanted the end"]),
    ("another number of rows in b", "b", "6\n", "b", 1, &["number of values", "`6`", "wanted 3"]),
    ("a row twice", "b", "3\n0 1\n0 1\n1 1\n", "b", 3, &["index of value 1", "`0`"]),
    ("a row beyond", "b", "3\n0 1\n1 1\n3 1\n", "b", 4, &["index of value 2", "below 3"]),
    ("no number", "b", "3\n0 1\n1 ?\n2 1\n", "b", 3, &["`b` at row 1", "`?`"]),
    ("three normals", "dep", "3\n0 -1\n1 -1\n2 -1\n", "dep", 2, &["0 rows depend on normal row 0", "wanted 2"]),
    ("friction on friction", "dep", "3\n0 -1\n1 0\n2 1\n", "dep", 4, &["row 2 depends on row 1"]),
    ("a dependence on itself", "dep", "3\n0 0\n1 0\n2 0\n", "dep", 2, &["row 0 depends on row 0"]),
    ("two frictions at one contact", "factor", "3\n0 0\n1 0.5\n2 0.6\n", "factor", 4, &["0.5", "0.6", "one value"]),
    ("negative friction", "factor", "3\n0 0\n1 -0.5\n2 -0.5\n", "factor", 3, &["`-0.5`", "zero or more"]),
    ("a pulling contact", "lo", "3\n0 -1\n1 0\n2 0\n", "lo", 2, &["normal row 0", "-1", "wanted 0"]),
    ("a bounded contact", "hi", "3\n0 7\n1 0\n2 0\n", "hi", 2, &["normal row 0", "7", "no bound"]),
    ("a bound that is no number", "hi", "3\n0 nan\n1 0\n2 0\n", "hi", 2, &["`nan`"]),
    ("an infinite guess", "lambda", "3\n0 inf\n1 0\n2 0\n", "lambda", 2, &["`inf`", "finite"]),
];

#[test]
fn every_broken_folder_is_refused_at_its_file_and_line() {
    let vector = |x: &str, y: &str| format!("3\n0 {x}\n1 {y}\n2 {y}\n");
    for (what, name, text, at, line, words) in FOLDERS {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("A", "3 3 3\n0 0 1\n1 1 1\n2 2 1\n".to_owned()),
            ("b", vector("-1", "0")),
            ("lo", vector("0", "-0.5")),
            ("hi", vector("1.79769313486232e+308", "0.5")),
            ("dep", vector("-1", "0")),
            ("factor", vector("0", "0.5")),
            ("lambda", vector("0", "0")),
        ] {
            fs::write(folder.path().join(format!("{name}.dlm")), text).unwrap();
        }
        read_problem(folder.path()).unwrap();
        fs::write(folder.path().join(format!("{name}.dlm")), text).unwrap();
        let error = read_problem(folder.path()).err();
        let error = error.unwrap_or_else(|| panic!("{what}: accepted"));
        let said = error.to_string();
        assert!(error.file.ends_with(&format!("{at}.dlm")), "{what}: {said}");
        assert_eq!(error.line(), Some(*line), "{what}: {said}");
        for word in *words {
            assert!(said.contains(word), "{what}: no {word} in: {said}");
        }
    }
}

#[test]
fn a_folder_without_its_matrix_says_which_file_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let said = read_problem(folder.path()).unwrap_err().to_string();
    assert!(
        said.contains("A.dlm") && said.contains("no such file"),
        "{said}"
    );
}

#[test]
fn files_that_are_no_problem_at_all_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for (bytes, words) in [
        (&b""[..], &["nothing at all", "drystone-problem"][..]),
        (b"  \n scene = 3", &["`scene`", "x:2:2"]),
        (b"3\n\xff\xfe", &["no UTF-8"]),
        (b"\x89HDF\r\n\x1a\nand then nothing", &["HDF5"]),
    ] {
        fs::write(&path, bytes).unwrap();
        let said = read_problem(&path).unwrap_err().to_string();
        for word in words {
            assert!(said.contains(word), "no {word} in: {said}");
        }
    }
    let said = read_problem(folder.path().join("gone")).unwrap_err();
    assert!(said.to_string().contains("no such file"), "{said}");
}

#[test]
fn no_cut_and_no_changed_byte_of_a_text_brings_a_panic() {
    for whole in [DAT, FACTORED, MATRIX] {
        for end in 0..whole.len() {
            let _ = parse(whole, &whole[..end]);
            for c in ["9", "-", "#", "\n", "e", " "] {
                let text = format!("{}{c}{}", &whole[..end], &whole[end + 1..]);
                let _ = parse(whole, &text);
            }
        }
    }
}
