//! Which way the parts may look, and that the documents name what there is.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{read_dir, read_to_string};
use std::path::{Path, PathBuf};

use toml::{Table, Value};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn text(path: &str) -> String {
    read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn manifest(folder: &str) -> Table {
    let path = if folder.is_empty() {
        "Cargo.toml".into()
    } else {
        format!("{folder}/Cargo.toml")
    };
    text(&path)
        .parse()
        .unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Folder and manifest of every member.
fn members() -> Vec<(String, Table)> {
    let folders = manifest("")["workspace"]["members"]
        .as_array()
        .unwrap()
        .clone();
    let folders = folders
        .into_iter()
        .map(|folder| folder.as_str().unwrap().to_string());
    folders
        .map(|folder| (folder.clone(), manifest(&folder)))
        .collect()
}

/// All dependencies of a member: for use, for tests, for building.
fn dependencies(manifest: &Table) -> Vec<(String, Value)> {
    ["dependencies", "dev-dependencies", "build-dependencies"]
        .iter()
        .filter_map(|kind| manifest.get(*kind)?.as_table())
        .flatten()
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Height of a folder in the order of parts; a part may look at lower ones only.
fn height(folder: &str) -> usize {
    const ORDER: [&[&str]; 10] = [
        &["base"],
        &["geometry", "common"],
        &["complementarity"],
        &["systems/"],
        &["world"],
        &["gallery", "formats", "picture", "trial"],
        &["drystone"],
        &["apps/view-server"],
        &["apps/"],
        &["checks"],
    ];
    let stands_in = |names: &&[&str]| {
        names
            .iter()
            .any(|n| folder == *n || (n.ends_with('/') && folder.starts_with(n)))
    };
    let height = ORDER.iter().position(stands_in);
    height.unwrap_or_else(|| {
        panic!("`{folder}` has no place in the order of parts: give it one here")
    })
}

/// Lines of the broken rules, or none.
fn nothing(broken: &[String]) {
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn dependencies_point_down_and_systems_do_not_know_each_other() {
    let members = members();
    let folder_of: BTreeMap<&str, &str> = members
        .iter()
        .map(|(folder, manifest)| {
            (
                manifest["package"]["name"].as_str().unwrap(),
                folder.as_str(),
            )
        })
        .collect();
    let mut broken = Vec::new();
    for (folder, manifest) in &members {
        for (name, _) in dependencies(manifest) {
            let Some(other) = folder_of.get(name.as_str()) else {
                continue;
            };
            if height(other) >= height(folder) {
                broken.push(format!("{folder} must not depend on {other}"));
            }
        }
    }
    nothing(&broken);
}

#[test]
fn what_belongs_to_a_command_line_stays_in_apps() {
    let mut broken = Vec::new();
    for (folder, manifest) in members() {
        for (name, _) in dependencies(&manifest) {
            let of_apps = ["clap", "indicatif", "miette", "ctrlc", "assert_cmd"];
            if of_apps.contains(&name.as_str()) && !folder.starts_with("apps/") {
                broken.push(format!("{folder} must not depend on {name}: only apps may"));
            }
        }
    }
    nothing(&broken);
}

#[test]
fn versions_stand_in_the_workspace_manifest_alone() {
    let mut broken = Vec::new();
    for (folder, manifest) in members() {
        for (name, value) in dependencies(&manifest) {
            let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
            if !inherits || value.get("version").is_some() || value.get("path").is_some() {
                broken.push(format!(
                    "{folder}: {name} = {value}; wanted workspace = true"
                ));
            }
        }
        let package = manifest["package"].as_table().unwrap();
        for key in ["version", "edition", "rust-version", "license"] {
            let inherits =
                package.get(key).and_then(|v| v.get("workspace")?.as_bool()) == Some(true);
            if !inherits {
                broken.push(format!("{folder}: package.{key} is not the workspace's"));
            }
        }
    }
    nothing(&broken);
}

#[test]
fn every_member_keeps_the_lints_of_the_workspace() {
    let lints = |manifest: &Table| manifest.get("lints")?.get("workspace")?.as_bool();
    let broken: Vec<String> = members()
        .into_iter()
        .filter(|(_, manifest)| lints(manifest) != Some(true))
        .map(|(folder, _)| format!("{folder}: [lints] workspace = true is missing"))
        .collect();
    nothing(&broken);
}

#[test]
fn every_package_of_the_workspace_is_used() {
    let workspace = manifest("");
    let declared = workspace["workspace"]["dependencies"].as_table().unwrap();
    let used: BTreeSet<String> = members()
        .iter()
        .flat_map(|(_, manifest)| dependencies(manifest))
        .map(|(name, _)| name)
        .collect();
    let broken: Vec<String> = declared
        .iter()
        .filter(|(name, value)| value.get("path").is_none() && !used.contains(*name))
        .map(|(name, _)| format!("{name} is in the workspace manifest, but nobody uses it"))
        .collect();
    nothing(&broken);
}

#[test]
fn every_foreign_package_has_a_line_in_the_list_of_dependencies() {
    let workspace = manifest("");
    let declared = workspace["workspace"]["dependencies"].as_table().unwrap();
    let foreign: BTreeSet<&str> = declared
        .iter()
        .filter(|(_, value)| value.get("path").is_none())
        .map(|(name, _)| name.as_str())
        .collect();
    let list = text("docs/dependencies.md");
    let rows = list
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let listed: BTreeSet<&str> = rows.map(|(name, _)| name).collect();
    let missing = foreign
        .difference(&listed)
        .map(|n| format!("docs/dependencies.md: no line for {n}"));
    let stale = listed
        .difference(&foreign)
        .map(|n| format!("docs/dependencies.md: {n} is not a dependency"));
    nothing(&missing.chain(stale).collect::<Vec<_>>());
}

/// Anything in backquotes that ends in a slash is a folder.
#[test]
fn the_architecture_names_folders_that_exist_and_every_member() {
    let document = text("docs/ARCHITECTURE.md");
    let mut named: BTreeSet<String> = quoted(&document)
        .filter(|word| word.ends_with('/') && !word.contains([' ', '<', '*', '{']))
        .map(|word| word.trim_end_matches('/').to_string())
        .collect();
    // a drawing of the layout, in a fenced block: a folder opens a line, indented under another
    let mut parents: Vec<(usize, String)> = Vec::new();
    for line in fenced(&document) {
        let indent = line.len() - line.trim_start().len();
        let Some(word) = line
            .split_whitespace()
            .next()
            .filter(|word| word.ends_with('/'))
        else {
            continue;
        };
        parents.retain(|(depth, _)| *depth < indent);
        let parent = parents
            .last()
            .map_or(String::new(), |(_, parent)| format!("{parent}/"));
        let folder = format!("{parent}{}", word.trim_end_matches('/'));
        named.insert(folder.clone());
        parents.push((indent, folder));
    }

    let mut broken: Vec<String> = named
        .iter()
        .filter(|folder| !root().join(folder).is_dir())
        .map(|folder| format!("docs/ARCHITECTURE.md names `{folder}/`, which does not exist"))
        .collect();
    for (folder, _) in members() {
        if !named.contains(&folder) {
            broken.push(format!("docs/ARCHITECTURE.md does not name `{folder}/`"));
        }
    }
    nothing(&broken);
}

/// What stands between backquotes, outside of fenced blocks.
fn quoted(document: &str) -> impl Iterator<Item = &str> {
    document
        .split("```")
        .step_by(2)
        .flat_map(|part| part.split('`').skip(1).step_by(2))
}

/// The lines of fenced blocks.
fn fenced(document: &str) -> impl Iterator<Item = &str> {
    document
        .split("```")
        .skip(1)
        .step_by(2)
        .flat_map(str::lines)
}

#[test]
fn every_key_cited_in_the_code_stands_in_the_references() {
    let references = text("docs/references.md");
    let known: BTreeSet<&str> = references
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(" |").next())
        .filter(|key| {
            key.split(' ')
                .next_back()
                .is_some_and(|year| year.parse::<u32>().is_ok())
        })
        .collect();
    assert!(
        known.contains("Erleben 2007"),
        "docs/references.md: no keys found"
    );

    let mut sources = Vec::new();
    collect(root(), &mut sources);
    assert!(sources.len() > 50, "only {} sources found", sources.len());
    let (mut cited, mut broken) = (BTreeSet::new(), BTreeSet::new());
    for path in &sources {
        // a citation may run over the end of a line of comment
        let text = read_to_string(path).unwrap();
        let words: Vec<&str> = text
            .split_whitespace()
            .filter(|w| !matches!(*w, "///" | "//!" | "//"))
            .collect();
        for key in citations(&words) {
            if !known.iter().any(|known| key.ends_with(known)) {
                broken.insert(format!(
                    "{}: `{key}` is not in docs/references.md",
                    path.display()
                ));
            }
            cited.insert(key);
        }
    }
    assert!(
        cited.iter().any(|key| key.ends_with("Erleben 2007")),
        "no citation found: {cited:?}"
    );
    nothing(&broken.into_iter().collect::<Vec<_>>());
}

/// Keys of citations: one or two words and a year, then a comma and eq., §, Fig., Figs., Alg.
fn citations(words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (i, window) in words.windows(3).enumerate() {
        let [author, year, place] = window else {
            continue;
        };
        let Some(year) = year
            .strip_suffix(',')
            .filter(|y| y.len() == 4 && y.parse::<u32>().is_ok())
        else {
            continue;
        };
        let places = ["eq.", "eqs.", "§", "Fig.", "Figs.", "Alg.", "Sec."];
        if !places.iter().any(|p| place.starts_with(p)) {
            continue;
        }
        let name = |word: &str| {
            let word = word.trim_start_matches(['(', '[', '`', '/', '!']);
            (word.chars().next().is_some_and(char::is_uppercase)
                && word.chars().all(|c| c.is_alphabetic() || c == '-'))
            .then(|| word.to_string())
        };
        let Some(author) = name(author) else { continue };
        // of two capitalised words both count: the references know the shorter form too
        let first = i.checked_sub(1).and_then(|i| name(words[i]));
        found.push(first.map_or_else(
            || format!("{author} {year}"),
            |f| format!("{f} {author} {year}"),
        ));
    }
    found
}

/// Rust sources under `folder`, this file apart.
fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            collect(&path, sources);
        } else if name.ends_with(".rs") && name != "architecture.rs" {
            sources.push(path);
        }
    }
}

#[test]
fn citations_are_found_where_they_stand() {
    let words: Vec<&str> =
        "as (Erleben 2007, eq. 32) and Van Oosterom 1983, Fig. 2, in 2007, § 3, of Erleben 2017"
            .split(' ')
            .collect();
    assert_eq!(citations(&words), ["Erleben 2007", "Van Oosterom 1983"]);
}
