//! Numbers that vary along a strand and in time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A piecewise linear function, held beyond its first and last key.
///
/// In a file: a number, or a list of pairs `[place, value]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "GivenRamp", into = "GivenRamp")]
pub struct Ramp {
    /// Pairs of place and value, in order of place; at least one.
    pub keys: Vec<[f64; 2]>,
}

/// A ramp as a file has it.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum GivenRamp {
    /// The same everywhere.
    Number(f64),
    /// Pairs of place and value, in order of place.
    Keys(Vec<[f64; 2]>),
}

impl From<GivenRamp> for Ramp {
    fn from(given: GivenRamp) -> Self {
        match given {
            GivenRamp::Number(value) => Self::constant(value),
            GivenRamp::Keys(keys) => Self { keys },
        }
    }
}

impl From<Ramp> for GivenRamp {
    fn from(ramp: Ramp) -> Self {
        match ramp.keys[..] {
            [[0.0, value]] => Self::Number(value),
            _ => Self::Keys(ramp.keys),
        }
    }
}

impl Ramp {
    /// The same value everywhere.
    pub fn constant(value: f64) -> Self {
        Self {
            keys: vec![[0.0, value]],
        }
    }

    /// Through `keys`.
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
    pub(crate) fn fault(&self) -> Option<(String, &'static str)> {
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
    pub(crate) fn least(&self) -> f64 {
        let values = self.keys.iter().map(|key| key[1]);
        values.fold(f64::INFINITY, f64::min)
    }
}

impl From<f64> for Ramp {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

/// A parameter of a strand: a value along the curve times a factor in time.
///
/// In a file: a number, a list of pairs `[fraction of arc length, value]`, or a table with `along`
/// and `over_time`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "GivenParameter", into = "GivenParameter")]
pub struct Parameter {
    /// Over the fraction of arc length, 0 at the root of the curve and 1 at its tip.
    pub along: Ramp,
    /// Factor over time [1], by the time in seconds.
    pub over_time: Ramp,
}

/// A parameter as a file has it.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum GivenParameter {
    /// Along the strand alone.
    Along(Ramp),
    /// Along the strand, times a factor in time.
    Animated(AnimatedParameter),
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AnimatedParameter {
    /// Over the fraction of arc length, 0 at the root of the curve and 1 at its tip.
    along: Ramp,
    /// Factor over time [1], by the time [s].
    #[serde(default = "one")]
    over_time: Ramp,
}

impl From<GivenParameter> for Parameter {
    fn from(given: GivenParameter) -> Self {
        match given {
            GivenParameter::Along(along) => Self::along(along),
            GivenParameter::Animated(AnimatedParameter { along, over_time }) => {
                Self { along, over_time }
            }
        }
    }
}

impl From<Parameter> for GivenParameter {
    fn from(parameter: Parameter) -> Self {
        let Parameter { along, over_time } = parameter;
        if over_time == one() {
            Self::Along(along)
        } else {
            Self::Animated(AnimatedParameter { along, over_time })
        }
    }
}

fn one() -> Ramp {
    Ramp::constant(1.0)
}

impl Parameter {
    /// `value` everywhere and always.
    pub fn constant(value: f64) -> Self {
        Self::along(Ramp::constant(value))
    }

    /// Varies along the curve alone.
    pub fn along(along: impl Into<Ramp>) -> Self {
        Self {
            along: along.into(),
            over_time: one(),
        }
    }

    /// The same, times a factor in time.
    #[must_use]
    pub fn over_time(mut self, factor: impl Into<Ramp>) -> Self {
        self.over_time = factor.into();
        self
    }

    /// Value at the fraction `s` of arc length and time `t` [s].
    pub fn at(&self, s: f64, t: f64) -> f64 {
        self.along.at(s) * self.over_time.at(t)
    }

    /// Whether time matters.
    pub fn is_animated(&self) -> bool {
        !self.over_time.is_constant()
    }
}

impl From<f64> for Parameter {
    fn from(value: f64) -> Self {
        Self::constant(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_is_linear_between_keys_and_held_beyond() {
        let ramp = Ramp::through(&[[1.0, 2.0], [3.0, 6.0], [4.0, 0.0]]);
        let found = [0.0, 1.0, 2.0, 3.0, 3.5, 4.0, 9.0].map(|x| ramp.at(x));
        assert_eq!(found, [2.0, 2.0, 4.0, 6.0, 3.0, 0.0, 0.0]);
    }

    #[test]
    fn a_parameter_in_a_file_is_a_number_a_list_or_a_table() {
        for (text, wanted) in [
            ("3.0", Parameter::constant(3.0)),
            (
                "[[0.0,1.0],[1.0,2.0]]",
                Parameter::along(Ramp::through(&[[0.0, 1.0], [1.0, 2.0]])),
            ),
            (
                r#"{"along":2.0,"over_time":[[0.0,1.0],[3.0,0.0]]}"#,
                Parameter::constant(2.0).over_time(Ramp::through(&[[0.0, 1.0], [3.0, 0.0]])),
            ),
        ] {
            let read: Parameter = serde_json::from_str(text).expect("sound");
            assert_eq!(read, wanted);
            assert_eq!(serde_json::to_string(&read).expect("sound"), text);
        }
        assert!(serde_json::from_str::<Parameter>(r#"{"alnog":2.0}"#).is_err());
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
