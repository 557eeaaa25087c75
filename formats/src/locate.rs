//! Where in a scene file the cause of an error stands: from ``body `tower/3/17` `` and
//! `shape.box.size.y` back to a line.

use std::ops::Range;

use ::toml::Spanned;
use ::toml::de::{DeTable, DeValue};
use drystone_world::SceneError;
use serde_json::Value;

use crate::FileError;
use crate::toml::is_json;

/// `error` about the scene in `text`, at the line that causes it as far as that can be found.
pub(crate) fn file_error(error: &SceneError, text: &str, name: &str) -> FileError {
    let message = error.to_string();
    let span = if is_json(name) {
        in_json(&message, text)
    } else {
        DeTable::parse(text)
            .ok()
            .and_then(|root| in_toml(error, &message, root.get_ref()))
    };
    let mut found = FileError::new(name, message);
    found.patch = error.patch();
    match span {
        Some(span) => found.at(text, span),
        None => found,
    }
}

/// What errors name: a kind of thing and its name.
fn subject(message: &str) -> Option<(&str, &str)> {
    [
        "body",
        "generator",
        "material",
        "option",
        "strand",
        "groom",
        "field",
        "cloth",
    ]
    .into_iter()
    .find_map(|kind| {
        let rest = message.strip_prefix(kind)?.strip_prefix(" `")?;
        Some((kind, &rest[..rest.find('`')?]))
    })
}

fn in_json(message: &str, text: &str) -> Option<Range<usize>> {
    let (_, name) = subject(message)?;
    let base = name.split('/').next().unwrap_or(name);
    [name, base].into_iter().find_map(|name| {
        let quoted = serde_json::to_string(name).ok()?;
        text.find(&quoted).map(|at| at..at + quoted.len())
    })
}

fn in_toml(error: &SceneError, message: &str, root: &DeTable<'_>) -> Option<Range<usize>> {
    let field = match error {
        SceneError::Value { field, .. } => field.as_str(),
        SceneError::Unknown { kind, .. } if *kind == "body" => "bodies",
        SceneError::Unknown { kind, .. } => kind,
        SceneError::SameName(_) => "name",
        _ => "",
    };
    let (mut table, mut span) = match subject(message) {
        Some(("body", name)) => {
            let last = matches!(error, SceneError::SameName(_));
            let (table, span) = body(root, name, last).or_else(|| origin(root, name))?;
            (table, Some(span))
        }
        Some(("generator", name)) => {
            let (table, span) = generator(root, name)?;
            (table, Some(span))
        }
        Some((kind @ ("strand" | "groom" | "field" | "cloth"), name)) => {
            let (table, span) = numbered(root, kind, name)
                // what a groom grew is called after it
                .or_else(|| numbered(root, "groom", name))?;
            (table, Some(span))
        }
        Some(("material", name)) => {
            let (key, value) = root.get_key_value("material")?;
            let (inner, value) = value.get_ref().as_table()?.get_key_value(name)?;
            let _ = key;
            (value.get_ref().as_table()?, Some(inner.span()))
        }
        Some(("option", _)) => {
            let (key, value) = root.get_key_value("solver")?;
            (value.get_ref().as_table()?, Some(key.span()))
        }
        _ => match message.strip_prefix("contact ").and_then(number) {
            Some(i) => {
                let contact = root.get("contact")?.get_ref().as_array()?.get(i)?;
                (contact.get_ref().as_table()?, Some(contact.span()))
            }
            None => (root, None),
        },
    };
    // ``body `b`, part 2``: the field is one of that part's
    if let Some(part) = message
        .split_once("`, part ")
        .and_then(|(_, rest)| number(rest))
    {
        let parts = ["shape", "compound", "parts"]
            .iter()
            .try_fold(table, |t, key| {
                let value = t.get(*key)?.get_ref();
                value
                    .as_table()
                    .or_else(|| value.as_array()?.get(part)?.get_ref().as_table())
            });
        if let Some(inner) = parts {
            table = inner;
        }
    }
    let field = match subject(message) {
        Some(("option", option)) => option,
        _ => field,
    };
    walk(table, field, &mut span);
    span
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
