//! Numbers that vary along a strand and in time, as a user writes them: `0.5`, or
//! `[[0, 0.5], [1, 0.2]]`, or `{ along = ..., over_time = ... }`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A constant, or a piecewise linear function by pairs of place and value, constant beyond the first and the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    /// Pairs of place and value, in rising order of place.
    pub keys: Vec<[f64; 2]>,
}

impl Ramp {
    /// The same value everywhere.
    pub fn constant(value: f64) -> Self {
        Self {
            keys: vec![[0.0, value]],
        }
    }

    /// The piecewise linear function through `keys`.
    pub fn through(keys: &[[f64; 2]]) -> Self {
        Self {
            keys: keys.to_vec(),
        }
    }

    /// Value at `place`.
    pub fn at(&self, place: f64) -> f64 {
        let after = self.keys.partition_point(|key| key[0] <= place);
        let Some(&[x0, y0]) = after.checked_sub(1).and_then(|k| self.keys.get(k)) else {
            return self.keys.first().map_or(0.0, |key| key[1]);
        };
        self.keys
            .get(after)
            .map_or(y0, |&[x1, y1]| y0 + (y1 - y0) * ((place - x0) / (x1 - x0)))
    }

    /// Slope at `place`, of the piece that follows it.
    pub fn slope(&self, place: f64) -> f64 {
        let after = self.keys.partition_point(|key| key[0] <= place);
        if after == 0 || after == self.keys.len() {
            return 0.0;
        }
        let ([x0, y0], [x1, y1]) = (self.keys[after - 1], self.keys[after]);
        (y1 - y0) / (x1 - x0)
    }

    /// Whether the value is the same everywhere.
    pub fn is_constant(&self) -> bool {
        self.keys.windows(2).all(|pair| pair[0][1] == pair[1][1])
    }

    /// Why this is no function, if it is none.
    pub fn fault(&self) -> Option<(String, &'static str)> {
        if self.keys.is_empty() {
            return Some(("without keys".into(), "at least one key"));
        }
        if let Some(key) = self.keys.iter().flatten().find(|x| !x.is_finite()) {
            return Some((format!("{key}"), "finite keys"));
        }
        let disorder = self.keys.windows(2).find(|pair| pair[0][0] >= pair[1][0]);
        disorder.map(|pair| {
            let found = format!("at {} after {}", pair[1][0], pair[0][0]);
            (found, "keys in rising order")
        })
    }

    /// The least value.
    pub fn least(&self) -> f64 {
        let values = self.keys.iter().map(|key| key[1]);
        values.fold(f64::INFINITY, f64::min)
    }

    /// Whether the value is `value` everywhere.
    pub fn is(&self, value: f64) -> bool {
        self.keys.len() == 1 && self.keys[0][1] == value
    }

    /// Every value times `factor`.
    #[must_use]
    pub fn times(&self, factor: f64) -> Self {
        let key = |&[x, y]: &[f64; 2]| [x, y * factor];
        Self {
            keys: self.keys.iter().map(key).collect(),
        }
    }

    fn single(&self) -> Option<f64> {
        match self.keys[..] {
            [[0.0, value]] => Some(value),
            _ => None,
        }
    }
}

impl From<f64> for Ramp {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl<const N: usize> From<[[f64; 2]; N]> for Ramp {
    fn from(keys: [[f64; 2]; N]) -> Self {
        Self::through(&keys)
    }
}

/// A parameter of a strand: a value along the curve (0 at the root, 1 at the tip, by arc length)
/// times a factor over time in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Over the fraction of arc length.
    pub along: Ramp,
    /// Factor over time \[1\].
    pub over_time: Ramp,
}

impl Profile {
    /// `value` everywhere and always.
    pub fn constant(value: f64) -> Self {
        Self::along(value)
    }

    /// Varies along the curve alone.
    pub fn along(along: impl Into<Ramp>) -> Self {
        Self {
            along: along.into(),
            over_time: 1.0.into(),
        }
    }

    /// Multiplies by a factor in time.
    #[must_use]
    pub fn over_time(mut self, factor: impl Into<Ramp>) -> Self {
        self.over_time = factor.into();
        self
    }

    /// Multiplies by `factor`.
    #[must_use]
    pub fn times(mut self, factor: f64) -> Self {
        self.along = self.along.times(factor);
        self
    }

    /// Value at the fraction `s` of arc length and time `t` \[s\].
    pub fn at(&self, s: f64, t: f64) -> f64 {
        self.along.at(s) * self.over_time.at(t)
    }

    /// Whether time matters.
    pub fn is_animated(&self) -> bool {
        !self.over_time.is_constant()
    }
}

impl From<f64> for Profile {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

impl<const N: usize> From<[[f64; 2]; N]> for Profile {
    fn from(keys: [[f64; 2]; N]) -> Self {
        Self::along(keys)
    }
}

impl Serialize for Ramp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.single() {
            Some(value) => serializer.serialize_f64(value),
            None => self.keys.serialize(serializer),
        }
    }
}

impl Serialize for Profile {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.over_time.is(1.0) {
            return self.along.serialize(serializer);
        }
        let mut parts = serializer.serialize_struct("Profile", 2)?;
        parts.serialize_field("along", &self.along)?;
        parts.serialize_field("over_time", &self.over_time)?;
        parts.end()
    }
}

/// Reads a number or pairs; with `whole`, also both parts of a profile.
struct Reader {
    whole: bool,
}

impl<'de> Visitor<'de> for Reader {
    type Value = Profile;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or pairs such as [[0, 1], [1, 0.5]]")?;
        if self.whole {
            f.write_str(", or { along, over_time } of either")?;
        }
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Profile, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Profile, E> {
        Ok((value as f64).into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Profile, E> {
        Ok((value as f64).into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Profile, A::Error> {
        let mut keys = Vec::new();
        while let Some(key) = list.next_element::<[f64; 2]>()? {
            keys.push(key);
        }
        if keys.is_empty() {
            return Err(A::Error::custom("no pairs; wanted at least one"));
        }
        Ok(Profile::along(Ramp { keys }))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Profile, A::Error> {
        if !self.whole {
            return Err(A::Error::invalid_type(serde::de::Unexpected::Map, &self));
        }
        let (mut along, mut over_time) = (None, None);
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            match &*key {
                "along" => along = Some(map.next_value::<Ramp>()?),
                "over_time" => over_time = Some(map.next_value::<Ramp>()?),
                other => return Err(A::Error::unknown_field(other, &["along", "over_time"])),
            }
        }
        Ok(Profile {
            along: along.ok_or_else(|| A::Error::missing_field("along"))?,
            over_time: over_time.unwrap_or_else(|| 1.0.into()),
        })
    }
}

impl<'de> Deserialize<'de> for Ramp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = deserializer.deserialize_any(Reader { whole: false })?;
        Ok(read.along)
    }
}

impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader { whole: true })
    }
}

/// The forms of a ramp in files, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum RampForm {
    /// The same everywhere.
    Number(f64),
    /// Pairs of place and value.
    Pairs(Vec<[f64; 2]>),
}

/// The forms of a profile in files, for the schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)]
enum ProfileForm {
    /// Along the strand alone.
    Steady(RampForm),
    /// Along the strand and in time.
    Animated {
        /// Over the fraction of arc length, 0 at the root to 1 at the tip.
        along: RampForm,
        /// Factor over time in seconds \[1\].
        #[serde(default)]
        over_time: Option<RampForm>,
    },
}

impl JsonSchema for Ramp {
    fn schema_name() -> Cow<'static, str> {
        "Ramp".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        RampForm::json_schema(generator)
    }
}

impl JsonSchema for Profile {
    fn schema_name() -> Cow<'static, str> {
        "Profile".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        ProfileForm::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_profile_is_written_as_it_is_read() {
        for text in [
            "0.5",
            "[[0.0,1.0],[1.0,2.0]]",
            r#"{"along":2.0,"over_time":[[0.0,1.0],[3.0,0.0]]}"#,
        ] {
            let profile: Profile = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&profile).unwrap(), text);
        }
        let whole: Profile = serde_json::from_str("3").unwrap();
        assert_eq!(whole, 3.0.into());
    }

    #[test]
    fn a_profile_of_another_form_is_refused_in_words() {
        let of = |text: &str| {
            serde_json::from_str::<Profile>(text)
                .unwrap_err()
                .to_string()
        };
        assert!(
            of("\"soft\"").contains("wanted a number or pairs")
                || of("\"soft\"").contains("expected a number or pairs")
        );
        assert!(of("[]").contains("no pairs"));
        assert!(of(r#"{"allong":1}"#).contains("allong"));
        assert!(serde_json::from_str::<Ramp>(r#"{"along":1}"#).is_err());
    }

    #[test]
    fn a_ramp_is_linear_between_keys_and_held_beyond() {
        let ramp = Ramp::through(&[[1.0, 2.0], [3.0, 6.0], [4.0, 0.0]]);
        let found = [0.0, 1.0, 2.0, 3.0, 3.5, 4.0, 9.0].map(|x| ramp.at(x));
        assert_eq!(found, [2.0, 2.0, 4.0, 6.0, 3.0, 0.0, 0.0]);
    }

    #[test]
    fn a_faulty_ramp_says_what_is_wrong() {
        assert!(Ramp { keys: vec![] }.fault().is_some());
        assert!(Ramp::constant(f64::NAN).fault().is_some());
        let (found, wanted) = Ramp::through(&[[1.0, 0.0], [1.0, 1.0]])
            .fault()
            .unwrap_or_default();
        assert_eq!(
            (found.as_str(), wanted),
            ("at 1 after 1", "keys in rising order")
        );
        assert_eq!(Ramp::constant(1.0).fault(), None);
    }
}
