//! How the code reads, as far as that can be tested.

#![allow(clippy::unwrap_used)]

use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

/// Lines of a function beyond which headings must tell what its blocks do.
const LONG: usize = 60;

/// Every source file of the product: what is in a folder `src` and is no test.
fn sources() -> Vec<PathBuf> {
    fn look(folder: &Path, in_src: bool, found: &mut Vec<PathBuf>) {
        for entry in read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let skipped = ["target", "tests", "node_modules", "rapier", "tests.rs"];
            if name.starts_with('.') || skipped.contains(&name.as_str()) {
                continue;
            }
            if path.is_dir() {
                look(&path, in_src || name == "src", found);
            } else if in_src && name.ends_with(".rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    look(root, false, &mut found);
    found.sort();
    found
}

/// Name and lines of every function in formatted `text`, tests apart.
fn functions(text: &str) -> Vec<(&str, Vec<&str>)> {
    let product = text.split("\n#[cfg(test)]").next().unwrap();
    let lines: Vec<&str> = product.lines().collect();
    let mut found = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let Some(at) = line.find("fn ") else { continue };
        let before = line[..at].trim_start();
        let words = [
            "pub",
            "pub(crate)",
            "pub(super)",
            "const",
            "unsafe",
            "async",
        ];
        if !before.split_whitespace().all(|word| words.contains(&word)) {
            continue;
        }
        // the signature ends in the body's brace, or there is no body
        let ends = |line: &&str| line.ends_with(['{', ';', '}']);
        let opened = lines[first..].iter().position(ends).unwrap();
        if !lines[first + opened].ends_with('{') {
            continue;
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_end = |line: &&str| line.strip_prefix(indent) == Some("}");
        let Some(length) = lines[first..].iter().position(is_end) else {
            continue;
        };
        let name = line[at + 3..].split(['(', '<']).next().unwrap();
        found.push((name, lines[first..=first + length].to_vec()));
    }
    found
}

#[test]
fn long_functions_have_headings() {
    let mut bare = Vec::new();
    for path in sources() {
        let text = read_to_string(&path).unwrap();
        for (name, lines) in functions(&text) {
            let is_heading = |line: &&str| {
                let line = line.trim_start();
                line.starts_with("//") && !line.starts_with("///")
            };
            if lines.len() > LONG && !lines.iter().any(is_heading) {
                bare.push(format!(
                    "{}: `{name}`, {} lines",
                    path.display(),
                    lines.len()
                ));
            }
        }
    }
    assert!(
        bare.is_empty(),
        "more than {LONG} lines without a heading:\n{}",
        bare.join("\n")
    );
}

#[test]
fn systems_read_no_clock() {
    let reads = |path: &PathBuf| {
        let text = read_to_string(path).unwrap();
        ["Stopwatch", "Instant", "SystemTime"]
            .iter()
            .any(|word| text.contains(word))
    };
    let systems = sources().into_iter().filter(|path| {
        let folders = path.components().map(|part| part.as_os_str());
        folders.into_iter().any(|name| name == "systems")
    });
    let timed: Vec<_> = systems.filter(reads).collect();
    assert!(timed.is_empty(), "`world` times the steps: {timed:?}");
}
