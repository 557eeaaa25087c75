//! Where in a scene file the cause of an error stands: from the subject and field of the error back to a line.

use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use drystone_world::{OLD_WORDS, SceneError, Subject};
use serde_json::Value;

use crate::FileError;
use crate::toml::is_json;

/// `error` about the scene in `text`, at the line that causes it as far as that can be found.
pub(crate) fn file_error(error: &SceneError, text: &str, name: &str) -> FileError {
    let message = error.to_string();
    let span = if is_json(name) {
        in_json(error, text)
    } else {
        DeTable::parse(text)
            .ok()
            .and_then(|root| in_toml(error, root.get_ref()))
    };
    let mut found = FileError::new(name, message);
    found.patch = error.patch();
    match span {
        Some(span) => found.at(text, span),
        None => found,
    }
}

fn in_json(error: &SceneError, text: &str) -> Option<Range<usize>> {
    let name = error.subject()?.name?;
    let base = name.split('/').next().unwrap_or(&name);
    [&name, base].into_iter().find_map(|name| {
        let quoted = serde_json::to_string(name).ok()?;
        text.find(&quoted).map(|at| at..at + quoted.len())
    })
}

fn in_toml(error: &SceneError, root: &DeTable<'_>) -> Option<Range<usize>> {
    let subject = error.subject().unwrap_or_default();
    let last = matches!(error, SceneError::SameName(_));
    let (mut table, mut span) = entry(root, &subject, last)?;
    // the field is one of that part's
    for (kind, number) in &subject.parts {
        let keys: &[&str] = match *kind {
            "part" => &["shape", "compound", "parts"],
            "hold" => &["hold"],
            _ => break,
        };
        let inner = keys.iter().try_fold(table, |t, key| {
            let value = t.get(*key)?.get_ref();
            value
                .as_table()
                .or_else(|| value.as_array()?.get(*number)?.get_ref().as_table())
        });
        let Some(inner) = inner else { break };
        table = inner;
    }
    walk(table, error.field(), &mut span);
    span
}

/// The table of the file that describes `subject`, and where it begins; all of the file for what is no part of it.
fn entry<'a>(
    root: &'a DeTable<'a>,
    subject: &Subject,
    last: bool,
) -> Option<(&'a DeTable<'a>, Option<Range<usize>>)> {
    let whole = |(table, span): Entry<'a>| (table, Some(span));
    let named = subject.name.as_deref().unwrap_or_default();
    match subject.kind {
        "body" => body(root, named, last)
            .or_else(|| origin(root, named))
            .map(whole),
        "generator" => generator(root, named).map(whole),
        // what a groom grew is called after it, and cloth stands among bodies
        kind @ ("strand" | "groom" | "field" | "cloth") => numbered(root, kind, named)
            .or_else(|| numbered(root, "groom", named))
            .or_else(|| body(root, named, last))
            .map(whole),
        "material" => {
            let materials = root.get("material")?.get_ref().as_table()?;
            let (key, value) = materials.get_key_value(named)?;
            Some((value.get_ref().as_table()?, Some(key.span())))
        }
        "contact" => {
            let list = root.get("contact")?.get_ref().as_array()?;
            let contact = list.get(subject.number?)?;
            Some((contact.get_ref().as_table()?, Some(contact.span())))
        }
        "solver.rigid" => section(root, "rigid").or_else(|| {
            // options of bodies right in `solver`, as files had them before
            let (key, value) = root.get_key_value("solver")?;
            Some((value.get_ref().as_table()?, Some(key.span())))
        }),
        "solver.strand" => section(root, "strand"),
        "solver.cloth" => section(root, "cloth"),
        _ => Some((root, None)),
    }
}

/// The table `solver.name`, or that of an old word for it.
fn section<'a>(
    root: &'a DeTable<'a>,
    name: &str,
) -> Option<(&'a DeTable<'a>, Option<Range<usize>>)> {
    let solver = root.get("solver").and_then(|v| v.get_ref().as_table());
    let old = OLD_WORDS.iter().filter(|(_, new)| new[1..] == [name]);
    let (key, value) = solver
        .and_then(|solver| solver.get_key_value(name))
        .or_else(|| {
            old.into_iter()
                .find_map(|(old, _)| root.get_key_value(*old))
        })?;
    Some((value.get_ref().as_table()?, Some(key.span())))
}

/// The first list in `text` that has more values than were `read` from it: where it is, how many
/// it has, and how many were read.
pub(crate) fn longer_list(text: &str, read: &Value) -> Option<(Range<usize>, usize, usize)> {
    fn in_value(
        found: &Spanned<DeValue<'_>>,
        read: &Value,
    ) -> Option<(Range<usize>, usize, usize)> {
        match (found.get_ref(), read) {
            (DeValue::Table(table), Value::Object(_)) => in_table(table, read),
            (DeValue::Array(list), Value::Array(values)) if list.len() > values.len() => {
                Some((found.span(), list.len(), values.len()))
            }
            (DeValue::Array(list), Value::Array(values)) => list
                .iter()
                .zip(values)
                .find_map(|(item, value)| in_value(item, value)),
            _ => None,
        }
    }
    fn in_table(table: &DeTable<'_>, read: &Value) -> Option<(Range<usize>, usize, usize)> {
        table
            .iter()
            .find_map(|(key, item)| in_value(item, read.get(key.get_ref().as_ref())?))
    }
    let root = DeTable::parse(text).ok()?;
    in_table(root.get_ref(), read)
}

fn number(text: &str) -> Option<usize> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    text[..end].parse().ok()
}

/// Follows `field` (`shape.hull.points[3]`) into `table` as far as it goes.
fn walk(table: &DeTable<'_>, field: &str, span: &mut Option<Range<usize>>) {
    let mut here: Option<&DeValue<'_>> = None;
    let steps = field
        .split(['.', '['])
        .map(|step| step.trim_end_matches(']'));
    for step in steps.filter(|step| !step.is_empty()) {
        let inner = match here {
            None => table.get_key_value(step),
            Some(DeValue::Table(inner)) => inner.get_key_value(step),
            Some(DeValue::Array(list)) => {
                let index = ["x", "y", "z", "w"].iter().position(|axis| *axis == step);
                let element = index.or_else(|| number(step)).and_then(|i| list.get(i));
                let Some(element) = element else { return };
                *span = Some(element.span());
                here = Some(element.get_ref());
                continue;
            }
            Some(_) => return,
        };
        let Some((key, value)) = inner else { return };
        // underline key and value of a line, but only the key of a table
        *span = Some(match value.get_ref() {
            DeValue::Table(_) => key.span(),
            _ if value.span().start >= key.span().end => key.span().start..value.span().end,
            _ => key.span(),
        });
        here = Some(value.get_ref());
    }
}

type Entry<'a> = (&'a DeTable<'a>, Range<usize>);

fn entries<'a>(root: &'a DeTable<'a>, key: &str) -> Vec<Entry<'a>> {
    let list = root.get(key).and_then(|value| value.get_ref().as_array());
    let entry = |item: &'a Spanned<DeValue<'a>>| Some((item.get_ref().as_table()?, item.span()));
    list.into_iter()
        .flat_map(|list| list.iter().filter_map(entry))
        .collect()
}

fn name_of<'a>(table: &'a DeTable<'a>) -> &'a str {
    table
        .get("name")
        .and_then(|name| name.get_ref().as_str())
        .unwrap_or("")
}

/// The `[[body]]` called `name`; one without a name is called after its shape and number.
fn body<'a>(root: &'a DeTable<'a>, name: &str, last: bool) -> Option<Entry<'a>> {
    let all = entries(root, "body");
    let mut named = all.iter().filter(|(table, _)| name_of(table) == name);
    let found = if last {
        named.next_back()
    } else {
        named.next()
    };
    found.cloned().or_else(|| {
        let index = name.rsplit_once('-')?.1.parse::<usize>().ok()?;
        all.get(index)
            .filter(|(table, _)| name_of(table).is_empty())
            .cloned()
    })
}

/// The `[[kind]]` called `name`, or what comes before a `/` in it; one without a name is called after
/// its kind or pattern and its number.
fn numbered<'a>(root: &'a DeTable<'a>, kind: &str, name: &str) -> Option<Entry<'a>> {
    let all = entries(root, kind);
    let ends = name.match_indices('/').map(|(at, _)| at).rev();
    let bases = std::iter::once(name).chain(ends.map(|end| &name[..end]));
    bases.into_iter().find_map(|base| {
        let is = |(i, (table, _)): &(usize, &Entry<'a>)| {
            let own = name_of(table);
            let pattern = || {
                let pattern = table.get("pattern")?.get_ref().as_table()?;
                pattern.keys().next().map(|key| key.get_ref().to_string())
            };
            let unnamed = |kind: &str| base == kind || base == format!("{kind}-{i}");
            own == base
                || own.is_empty()
                    && (base == format!("{kind}-{i}") || pattern().is_some_and(|p| unnamed(&p)))
        };
        let (_, found) = all.iter().enumerate().find(is)?;
        Some(found.clone())
    })
}

/// The `[[generate]]` whose name begins the name of a body.
fn origin<'a>(root: &'a DeTable<'a>, body: &str) -> Option<Entry<'a>> {
    let ends = body.match_indices('/').map(|(at, _)| at).rev();
    ends.map(|end| &body[..end])
        .find_map(|base| generator(root, base))
}

/// The `[[generate]]` called `name`; one without a name is called after its pattern (and number).
fn generator<'a>(root: &'a DeTable<'a>, name: &str) -> Option<Entry<'a>> {
    let all = entries(root, "generate");
    let is = |(i, (table, _)): &(usize, &Entry<'a>)| {
        let own = name_of(table);
        let kind = || {
            let pattern = table.get("pattern")?.get_ref().as_table()?;
            pattern.keys().next().map(|kind| kind.get_ref().to_string())
        };
        own == name
            || own.is_empty()
                && kind().is_some_and(|kind| kind == name || format!("{kind}-{i}") == name)
    };
    all.iter()
        .enumerate()
        .find(is)
        .map(|(_, entry)| entry.clone())
}
