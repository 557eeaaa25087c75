//! What must hold when a scene is run.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::defaults::{all, is_all, is_default};
use crate::{
    Body, Cloth, ClothTruth, Finding, FindingKind, SceneError, Strand, StrandTruth, Subject,
};

/// Something that must hold when the scene is run. Where a truth names `bodies`, `*` stands for
/// any letters: `tower/*`. Times default to the whole run. Bodies that do not move by
/// themselves count only where they are named without `*`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Truth {
    /// No body is farther than `drift` from where it was at `from` (or when it entered).
    StandsStill {
        /// Which bodies.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        bodies: String,
        /// [m]
        drift: f64,
        /// Whether only the way sideways counts (along x and z).
        #[serde(default, skip_serializing_if = "is_default")]
        sideways: bool,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// One of the bodies has sunk by `by` for the first time between `after` and `before`.
    Falls {
        /// Which bodies.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        bodies: String,
        /// [m]
        by: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        after: f64,
        /// [s]
        before: f64,
    },
    /// One of the bodies has moved at least `at_least` from its start by the time `before`.
    Moves {
        /// Which bodies.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        bodies: String,
        /// [m]
        at_least: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<f64>,
    },
    /// No two bodies are deeper in each other than `depth`, at output frames.
    PenetrationBelow {
        /// [m]
        depth: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// The depth of touching pairs, averaged, is below `depth`.
    MeanPenetrationBelow {
        /// [m]
        depth: f64,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<f64>,
    },
    /// Kinetic energy, of all bodies together or per kilogram, stays below a limit.
    KineticEnergyBelow {
        /// [J]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        joules: Option<f64>,
        /// [J/kg]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        per_kg: Option<f64>,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// That part of the bodies is still near its start.
    StandingFraction {
        /// Which bodies.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        bodies: String,
        /// From 0 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<f64>,
        /// From 0 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<f64>,
        /// Within this much of its start along x and z [m].
        sideways: f64,
        /// Within this much of its start along y [m].
        vertical: f64,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<f64>,
    },
    /// No body is faster than `limit`.
    SpeedBelow {
        /// Which bodies.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        bodies: String,
        /// [m/s]
        limit: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// The centre of every body stays inside a box.
    StaysInside {
        /// Which bodies.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        bodies: String,
        /// Smallest corner [m].
        low: [f64; 3],
        /// Largest corner [m].
        high: [f64; 3],
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// The centre of every body stays above a height.
    StaysAbove {
        /// Which bodies.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        bodies: String,
        /// [m]
        height: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// Every number stays finite.
    StaysFinite,
    /// Total momentum does not change by more than a part of Σ m|v| at `from`.
    MomentumKept {
        /// [1]
        tolerance: f64,
        /// Only along this direction, if given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        along: Option<[f64; 3]>,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// Total angular momentum about the origin does not change by more than a part of its length
    /// at `from`.
    AngularMomentumKept {
        /// [1]
        tolerance: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// Kinetic and potential energy together never rise above an earlier value by more than
    /// `tolerance`. A body that enters starts a new count.
    EnergyNeverRises {
        /// [J]
        tolerance: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// A body has moved by `amount` along a direction since `from`.
    MovedBy {
        /// Which one.
        body: String,
        /// Any length but zero.
        along: [f64; 3],
        /// [m]
        amount: f64,
        /// [m]
        tolerance: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<f64>,
    },
    /// A body has a given speed, or velocity along a direction.
    SpeedIs {
        /// Which one.
        body: String,
        /// [m/s]
        value: f64,
        /// [m/s]
        tolerance: f64,
        /// Only along this direction, if given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        along: Option<[f64; 3]>,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<f64>,
    },
    /// A body spins at a given rate, in all or about a direction.
    SpinIs {
        /// Which one.
        body: String,
        /// [rad/s]
        value: f64,
        /// [rad/s]
        tolerance: f64,
        /// Only about this direction, if given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<[f64; 3]>,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<f64>,
    },
    /// A body has turned by a given angle (0 to 180) since `from`.
    TurnedBy {
        /// Which one.
        body: String,
        /// [degrees]
        degrees: f64,
        /// [degrees]
        tolerance: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<f64>,
    },
    /// A body at some time is turned away from its start by at least that much.
    Tumbles {
        /// Which one.
        body: String,
        /// Up to 180 [degrees].
        degrees: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<f64>,
    },
    /// From `within` on no body is faster than `speed`.
    ComesToRest {
        /// Which bodies.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        bodies: String,
        /// [s]
        within: f64,
        /// [m/s]
        #[serde(default = "quiet_speed")]
        speed: f64,
    },
    /// The number of contact points lies between two limits.
    ContactCount {
        /// Fewest.
        #[serde(default, skip_serializing_if = "is_default")]
        at_least: u64,
        /// Most.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<u64>,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<f64>,
    },
    /// A finding that is known and not cured: so many things have it at most. Any other finding
    /// breaks the scene.
    KnownFinding {
        /// What kind of finding.
        kind: FindingKind,
        /// Names of the bodies, strands or cloths that may have it.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        things: String,
        /// How many of them.
        at_most: u64,
    },
    /// Something about strands.
    Strands(StrandTruth),
    /// Something about cloth.
    Cloth(ClothTruth),
}

fn quiet_speed() -> f64 {
    1e-3
}

/// Whether `name` fits `pattern`, in which `*` stands for any letters.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let parts: Vec<&str> = parts.collect();
    let (last, middle) = parts
        .split_last()
        .map_or(("", &[][..]), |(last, middle)| (*last, middle));
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl Truth {
    /// The pattern or name of the bodies it is about, if it names some.
    pub fn about(&self) -> Option<&str> {
        match self {
            Self::StandsStill { bodies, .. }
            | Self::Falls { bodies, .. }
            | Self::Moves { bodies, .. }
            | Self::StandingFraction { bodies, .. }
            | Self::SpeedBelow { bodies, .. }
            | Self::StaysInside { bodies, .. }
            | Self::StaysAbove { bodies, .. }
            | Self::ComesToRest { bodies, .. } => Some(bodies),
            Self::MovedBy { body, .. }
            | Self::SpeedIs { body, .. }
            | Self::SpinIs { body, .. }
            | Self::TurnedBy { body, .. }
            | Self::Tumbles { body, .. } => Some(body),
            _ => None,
        }
    }

    /// Whether `finding` is one that it speaks of.
    pub fn expects(&self, finding: &Finding) -> bool {
        match self {
            Self::KnownFinding { kind, things, .. } => {
                *kind == finding.kind && fits(things, &finding.thing)
            }
            Self::Cloth(ClothTruth::Stalls { .. }) => finding.kind == FindingKind::ClothStalled,
            _ => false,
        }
    }

    /// Says whether it speaks of bodies that are not there, or states no limit.
    pub(crate) fn validate(
        &self,
        bodies: &[Body],
        strands: &[Strand],
        cloths: &[Cloth],
    ) -> Result<(), SceneError> {
        match self {
            Self::Strands(truth) => return truth.validate(strands),
            Self::Cloth(truth) => return truth.validate(cloths),
            _ => {}
        }
        if let Some(pattern) = self.about()
            && !bodies.iter().any(|body| fits(pattern, &body.name))
        {
            let known = bodies.iter().map(|body| body.name.as_str());
            return Err(SceneError::unknown(
                Subject::named("truth", self.to_string()),
                "body",
                pattern,
                known,
            ));
        }
        let unlimited = match self {
            Self::KineticEnergyBelow { joules, per_kg, .. } => joules.is_none() && per_kg.is_none(),
            Self::StandingFraction {
                at_least, at_most, ..
            } => at_least.is_none() && at_most.is_none(),
            _ => false,
        };
        if unlimited {
            let wanted = "`joules` or `per_kg`; `at_least` or `at_most`";
            return Err(SceneError::value(
                Subject::named("truth", self.to_string()),
                "limit",
                "left out",
                wanted,
            ));
        }
        Ok(())
    }
}

/// "from 2 s to 5 s", or as much of it as is said.
pub(crate) fn span(from: f64, to: Option<f64>) -> String {
    match (from, to) {
        (0.0, None) => String::new(),
        (0.0, Some(to)) => format!(" until {to} s"),
        (from, None) => format!(" from {from} s on"),
        (from, Some(to)) => format!(" from {from} s to {to} s"),
    }
}

/// "at 2 s" or "at the end".
pub(crate) fn when(at: Option<f64>) -> String {
    at.map_or_else(|| "at the end".into(), |t| format!("at {t} s"))
}

fn direction(along: &Option<[f64; 3]>) -> String {
    along.map_or_else(String::new, |a| {
        format!(" along {}", crate::error::show(&a))
    })
}

/// A length as a person says it.
pub(crate) fn metres(x: f64) -> String {
    match x.abs() {
        0.0 => "0 m".into(),
        x if x < 1e-9 => format!("{x:.1e} m"),
        a if a < 1e-5 => format!("{:.4} um", x * 1e6),
        a if a < 0.1 => format!("{} mm", tidy(x * 1e3)),
        _ => format!("{} m", tidy(x)),
    }
}

/// At most four figures after the point, no trailing zeros.
fn tidy(x: f64) -> String {
    let text = format!("{x:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl fmt::Display for Truth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StandsStill {
                bodies,
                drift,
                sideways,
                from,
                to,
            } => {
                let way = if *sideways { " sideways" } else { "" };
                write!(
                    f,
                    "`{bodies}` stands still{way} within {}{}",
                    metres(*drift),
                    span(*from, *to)
                )
            }
            Self::Falls {
                bodies,
                by,
                after,
                before,
            } => {
                write!(
                    f,
                    "`{bodies}` falls by {} between {after} s and {before} s",
                    metres(*by)
                )
            }
            Self::Moves {
                bodies,
                at_least,
                before,
            } => {
                write!(
                    f,
                    "`{bodies}` moves at least {}{}",
                    metres(*at_least),
                    span(0.0, *before)
                )
            }
            Self::PenetrationBelow { depth, from, to } => {
                write!(
                    f,
                    "penetration stays below {}{}",
                    metres(*depth),
                    span(*from, *to)
                )
            }
            Self::MeanPenetrationBelow { depth, at } => {
                write!(
                    f,
                    "mean penetration is below {} {}",
                    metres(*depth),
                    when(*at)
                )
            }
            Self::KineticEnergyBelow {
                joules,
                per_kg,
                from,
                to,
            } => {
                let limits = [
                    joules.map(|j| format!("{j} J")),
                    per_kg.map(|e| format!("{e} J/kg")),
                ];
                let limits: Vec<String> = limits.into_iter().flatten().collect();
                write!(
                    f,
                    "kinetic energy stays below {}{}",
                    limits.join(" and "),
                    span(*from, *to)
                )
            }
            Self::StandingFraction {
                bodies,
                at_least,
                at_most,
                at,
                ..
            } => {
                let limits = [
                    at_least.map(|x| format!("at least {} %", tidy(x * 100.0))),
                    at_most.map(|x| format!("at most {} %", tidy(x * 100.0))),
                ];
                let limits: Vec<String> = limits.into_iter().flatten().collect();
                write!(
                    f,
                    "{} of `{bodies}` stand {}",
                    limits.join(" and "),
                    when(*at)
                )
            }
            Self::SpeedBelow {
                bodies,
                limit,
                from,
                to,
            } => {
                write!(
                    f,
                    "`{bodies}` stays slower than {limit} m/s{}",
                    span(*from, *to)
                )
            }
            Self::StaysInside {
                bodies,
                low,
                high,
                from,
                to,
            } => {
                let (low, high) = (crate::error::show(low), crate::error::show(high));
                write!(
                    f,
                    "`{bodies}` stays inside {low} .. {high}{}",
                    span(*from, *to)
                )
            }
            Self::StaysAbove {
                bodies,
                height,
                from,
                to,
            } => {
                write!(
                    f,
                    "`{bodies}` stays above {}{}",
                    metres(*height),
                    span(*from, *to)
                )
            }
            Self::StaysFinite => write!(f, "every number stays finite"),
            Self::KnownFinding { kind, things, .. } => {
                write!(f, "`{kind}` is found of few of `{things}`")
            }
            Self::MomentumKept {
                tolerance,
                along,
                from,
                to,
            } => {
                write!(
                    f,
                    "momentum{} is kept to {tolerance:e}{}",
                    direction(along),
                    span(*from, *to)
                )
            }
            Self::AngularMomentumKept {
                tolerance,
                from,
                to,
            } => {
                write!(
                    f,
                    "angular momentum is kept to {tolerance:e}{}",
                    span(*from, *to)
                )
            }
            Self::EnergyNeverRises {
                tolerance,
                from,
                to,
            } => {
                write!(
                    f,
                    "energy never rises by more than {tolerance} J{}",
                    span(*from, *to)
                )
            }
            Self::MovedBy {
                body,
                along,
                amount,
                tolerance,
                at,
                ..
            } => {
                let (way, along) = (metres(*amount), direction(&Some(*along)));
                write!(
                    f,
                    "`{body}` has moved by {way} +- {}{along} {}",
                    metres(*tolerance),
                    when(*at)
                )
            }
            Self::SpeedIs {
                body,
                value,
                tolerance,
                along,
                at,
            } => {
                write!(
                    f,
                    "`{body}` moves at {value} +- {tolerance} m/s{} {}",
                    direction(along),
                    when(*at)
                )
            }
            Self::SpinIs {
                body,
                value,
                tolerance,
                about,
                at,
            } => {
                write!(
                    f,
                    "`{body}` spins at {value} +- {tolerance} rad/s{} {}",
                    direction(about),
                    when(*at)
                )
            }
            Self::TurnedBy {
                body,
                degrees,
                tolerance,
                at,
                ..
            } => {
                write!(
                    f,
                    "`{body}` has turned by {degrees} +- {tolerance} degrees {}",
                    when(*at)
                )
            }
            Self::Tumbles {
                body,
                degrees,
                before,
            } => {
                write!(
                    f,
                    "`{body}` turns away from its start by {degrees} degrees{}",
                    span(0.0, *before)
                )
            }
            Self::ComesToRest {
                bodies,
                within,
                speed,
            } => {
                write!(
                    f,
                    "`{bodies}` comes to rest (slower than {speed} m/s) within {within} s"
                )
            }
            Self::ContactCount {
                at_least,
                at_most,
                at,
            } => match at_most {
                Some(most) => write!(f, "{at_least} to {most} contact points {}", when(*at)),
                None => write!(f, "at least {at_least} contact points {}", when(*at)),
            },
            Self::Strands(truth) => write!(f, "{truth}"),
            Self::Cloth(truth) => write!(f, "{truth}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name, fit) in [
            ("*", "anything", true),
            ("tower/*", "tower/3/17", true),
            ("tower/*", "roof", false),
            ("tower/*/0", "tower/3/0", true),
            ("tower/*/0", "tower/3/10", false),
            ("roof", "roof", true),
            ("roof", "roofs", false),
            ("*o*f", "roof", true),
            ("", "roof", false),
        ] {
            assert_eq!(fits(pattern, name), fit, "{pattern} against {name}");
        }
    }
}
