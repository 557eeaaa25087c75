//! What a truth says about itself: its fields, as files write them and as a schema describes them.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeSeed, EnumAccess, Error, MapAccess, VariantAccess, Visitor};
use serde::ser::SerializeStructVariant;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::json;

use super::{Row, System, Truth};
use crate::FindingKind;

/// Makes the kinds of values that a field may take.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident($type:ty $(, $from:ty = $into:expr)*);)*) => {
        /// The value of a field of a truth.
        #[derive(Clone, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Value {
            /// No value: left out.
            None,
            $($(#[doc = $doc])+ $kind($type),)*
        }

        /// What kind of value a field takes.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(super) enum Kind { $($kind),* }

        impl Value {
            pub(super) fn kind(&self) -> Option<Kind> {
                match self {
                    Self::None => None,
                    $(Self::$kind(_) => Some(Kind::$kind),)*
                }
            }
        }

        $(
            impl From<$type> for Value {
                fn from(value: $type) -> Self {
                    Self::$kind(value)
                }
            }
            $(impl From<$from> for Value {
                fn from(value: $from) -> Self {
                    let into: fn($from) -> $type = $into;
                    Self::$kind(into(value))
                }
            })*
        )*

        impl Kind {
            fn schema(self, generator: &mut SchemaGenerator, optional: bool) -> Schema {
                match self {
                    $(Self::$kind if optional => Option::<$type>::json_schema(generator),
                    Self::$kind => generator.subschema_for::<$type>(),)*
                }
            }
        }

        impl<'de> DeserializeSeed<'de> for &Spec {
            type Value = Value;

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
                match self.kind {
                    $(Kind::$kind if self.default == LeftOut::None => {
                        let value = Option::<$type>::deserialize(from)?;
                        Ok(value.map_or(Value::None, Value::from))
                    }
                    Kind::$kind => <$type>::deserialize(from).map(Value::from),)*
                }
            }
        }
    };
}

kinds! {
    /// A number in the unit of its field.
    Number(f64);
    /// A count or an index.
    Count(u64, u32 = u64::from, usize = |n| n as u64);
    /// Yes or no.
    Flag(bool);
    /// A place or a direction.
    Vector([f64; 3]);
    /// Least and largest x and z.
    Column([[f64; 2]; 2]);
    /// A name, in which `*` may stand for any letters.
    Text(String, &str = str::to_owned);
    /// A kind of finding.
    Finding(FindingKind);
}

/// Value of a field that a file leaves out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum LeftOut {
    /// No value: the field must be given.
    Refused,
    /// No value, and none is needed.
    None,
    /// Zero, or no.
    Zero,
    /// `*`: all there are.
    All,
    /// A number, which files always write.
    Number(f64),
}

/// The values that a field takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spec {
    pub kind: Kind,
    pub doc: &'static str,
    pub default: LeftOut,
}

impl Spec {
    pub(super) const fn new(kind: Kind, doc: &'static str) -> Self {
        Self {
            kind,
            doc,
            default: LeftOut::Refused,
        }
    }

    pub(super) const fn or(self, default: LeftOut) -> Self {
        Self { default, ..self }
    }

    pub(super) fn left_out(&self) -> Option<Value> {
        Some(match (self.default, self.kind) {
            (LeftOut::Refused, _) => return None,
            (LeftOut::None, _) => Value::None,
            (LeftOut::All, _) => "*".into(),
            (LeftOut::Number(x), _) => Value::Number(x),
            (LeftOut::Zero, Kind::Flag) => Value::Flag(false),
            (LeftOut::Zero, Kind::Number) => Value::Number(0.0),
            (LeftOut::Zero, _) => Value::Count(0),
        })
    }

    /// Whether `value` is one that it takes.
    pub(super) fn takes(&self, value: &Value) -> bool {
        let optional = self.default == LeftOut::None;
        value.kind().map_or(optional, |kind| kind == self.kind)
    }

    /// Whether a file may leave out this value.
    fn skips(&self, value: &Value) -> bool {
        !matches!(self.default, LeftOut::Number(_)) && self.left_out().as_ref() == Some(value)
    }

    fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let optional = self.default == LeftOut::None;
        let mut schema = self.kind.schema(generator, optional);
        schema.insert("description".into(), json!(self.doc));
        if let Some(default) = self.left_out()
            && default != Value::None
        {
            schema.insert("default".into(), json!(default));
        }
        schema
    }
}

/// A truth without the word for its system.
struct Bare<'a>(&'a Truth);

impl Serialize for Bare<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Truth { row, values, .. } = self.0;
        if row.fields.is_empty() {
            return serializer.serialize_unit_variant("Truth", 0, row.name);
        }
        let fields = row.names.iter().zip(row.fields).zip(values);
        let written = fields.filter(|((_, field), value)| !field.skips(value));
        let count = written.clone().count();
        let mut variant = serializer.serialize_struct_variant("Truth", 0, row.name, count)?;
        for ((name, _), value) in written {
            variant.serialize_field(name, value)?;
        }
        variant.end()
    }
}

impl Serialize for Truth {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.row.system.word() {
            None => Bare(self).serialize(serializer),
            Some(word) => serializer.serialize_newtype_variant("Truth", 0, word, &Bare(self)),
        }
    }
}

impl<'de> Deserialize<'de> for Truth {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        System::Rigid.deserialize(from)
    }
}

/// Reads one of some words, as its place among them.
struct OneOf {
    words: &'static [&'static str],
    fields: bool,
}

impl<'de> DeserializeSeed<'de> for OneOf {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<usize, D::Error> {
        from.deserialize_identifier(self)
    }
}

impl Visitor<'_> for OneOf {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.fields { "a field" } else { "a truth" })
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<usize, E> {
        let place = self.words.iter().position(|known| *known == word);
        place.ok_or_else(|| match self.fields {
            true => E::unknown_field(word, self.words),
            false => E::unknown_variant(word, self.words),
        })
    }
}

/// Reads a truth about that system.
impl<'de> DeserializeSeed<'de> for System {
    type Value = Truth;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Truth, D::Error> {
        from.deserialize_enum("Truth", self.table().words, self)
    }
}

impl<'de> Visitor<'de> for System {
    type Value = Truth;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a truth, with its fields if it has some")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Truth, A::Error> {
        let words = OneOf {
            words: self.table().words,
            fields: false,
        };
        let (place, variant) = data.variant_seed(words)?;
        match self.table().rows.get(place) {
            None => {
                let system = [System::Strand, System::Cloth][place - self.table().rows.len()];
                variant.newtype_variant_seed(system)
            }
            Some(row) if row.fields.is_empty() => {
                variant.unit_variant().map(|()| Truth::new(row, []))
            }
            Some(row) => variant.struct_variant(row.names, Fields(row)),
        }
    }
}

/// Reads the fields of a truth.
struct Fields(&'static Row);

impl<'de> Visitor<'de> for Fields {
    type Value = Truth;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the fields of `{}`", self.0.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Truth, A::Error> {
        let (names, fields) = (self.0.names, self.0.fields);
        let mut values: Vec<Option<Value>> = vec![None; names.len()];
        let words = || OneOf {
            words: names,
            fields: true,
        };
        while let Some(k) = map.next_key_seed(words())? {
            if values[k].is_some() {
                return Err(A::Error::duplicate_field(names[k]));
            }
            values[k] = Some(map.next_value_seed(&fields[k])?);
        }
        let full = values.into_iter().zip(fields).zip(names);
        let full = full.map(|((value, field), name)| {
            let value = value.or_else(|| field.left_out());
            value.ok_or_else(|| A::Error::missing_field(name))
        });
        Ok(Truth {
            row: self.0,
            values: full.collect::<Result<_, _>>()?,
            misplaced: Vec::new(),
        })
    }
}

impl JsonSchema for Truth {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Truth".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        System::Rigid.schema(generator)
    }
}

/// The lines of a doc comment.
fn in_words(doc: &[&str]) -> String {
    let lines: Vec<&str> = doc.iter().map(|line| line.trim()).collect();
    lines.join("\n")
}

impl System {
    fn schema(self, generator: &mut SchemaGenerator) -> Schema {
        let object = |word: &str, inner: Schema, about: &str| {
            json_schema!({
                "description": about,
                "type": "object",
                "properties": { word: inner },
                "required": [word],
                "additionalProperties": false
            })
        };
        let mut choices = Vec::new();
        for row in self.table().rows {
            let about = in_words(row.doc);
            choices.push(if row.fields.is_empty() {
                json_schema!({ "description": about, "type": "string", "const": row.name })
            } else {
                let named = row.names.iter().zip(row.fields);
                let required = named.clone().filter(|(_, f)| f.default == LeftOut::Refused);
                let required: Vec<&str> = required.map(|(name, _)| *name).collect();
                let properties = named.map(|(name, f)| ((*name).to_owned(), f.schema(generator)));
                let properties: serde_json::Map<_, _> =
                    properties.map(|(name, f)| (name, f.to_value())).collect();
                let mut fields = json_schema!({
                    "type": "object",
                    "properties": properties,
                    "additionalProperties": false
                });
                if !required.is_empty() {
                    fields.insert("required".into(), json!(required));
                }
                object(row.name, fields, &about)
            });
        }
        if self == Self::Rigid {
            for system in [Self::Strand, Self::Cloth] {
                let word = system.word().unwrap_or_default();
                let inner = system.schema(generator);
                choices.push(object(word, inner, &format!("Something about {word}.")));
            }
        }
        json_schema!({ "description": in_words(self.table().doc), "oneOf": choices })
    }
}
