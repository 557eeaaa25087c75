//! What a page may say: one JSON object a message, by `do`.

use serde::Deserialize;

use drystone_base::Vec3;

/// Longest message from a page \[bytes\].
pub(crate) const LONGEST_MESSAGE: usize = 64 << 10;
/// Longest assignment `KEY=VALUE` \[bytes\].
const LONGEST_ASSIGNMENT: usize = 4096;
/// Most assignments at once.
const MOST_ASSIGNMENTS: usize = 64;

/// A command of a page to a run.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Command {
    /// Lets time run.
    Play {},
    /// Time stands still.
    Pause {},
    /// Goes `count` steps on, or back in the history where it is negative.
    Step { count: i32 },
    /// Back to the start.
    Restart {},
    /// Simulated seconds for each second; 0: as fast as possible.
    Speed { factor: f64 },
    /// Whether the run begins again when it is over.
    Loop { on: bool },
    /// Shows the moment `time` \[s\]; simulates up to it if need be.
    Goto { time: f64 },
    /// Changes a value of the scene, as `--set` does.
    Set {
        #[serde(alias = "lane")]
        session: usize,
        assignment: String,
    },
    /// Forgets all changes of values.
    Reset {
        #[serde(alias = "lane")]
        session: usize,
    },
    /// A second run beside the first with these changes, or none.
    Compare { sets: Option<Vec<String>> },
    /// Takes hold of a body at a point of the world \[m\].
    Grab {
        #[serde(alias = "lane")]
        session: usize,
        body: usize,
        point: [f64; 3],
    },
    /// Takes hold of a segment of a curve of the frames at a point of the world \[m\].
    GrabStrand {
        #[serde(alias = "lane")]
        session: usize,
        curve: usize,
        segment: usize,
        point: [f64; 3],
    },
    /// Takes hold of a vertex of a cloth of the frames at a point of the world \[m\].
    GrabCloth {
        #[serde(alias = "lane")]
        session: usize,
        cloth: usize,
        vertex: usize,
        point: [f64; 3],
    },
    /// Moves the pointer that drags \[m\].
    Drag { target: [f64; 3] },
    /// Lets go of what is dragged.
    Release {},
    /// Throws a ball \[m\], \[m/s\].
    Throw {
        origin: [f64; 3],
        velocity: [f64; 3],
        radius: f64,
    },
    /// Which kinds of data to send; see [`crate::wire::kinds`].
    Watch { kinds: u8 },
    /// Asks for the history as a file.
    #[serde(skip)]
    Export,
    /// The page has gone.
    #[serde(skip)]
    Leave,
}

impl Command {
    /// Parses `text`; the error says why it is no command.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let command: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        command.check()?;
        Ok(command)
    }

    fn check(&self) -> Result<(), String> {
        let place = |what: &str, v: &[f64; 3], most: f64| {
            if Vec3::from(*v).is_finite() && v.iter().all(|x| x.abs() <= most) {
                Ok(())
            } else {
                Err(format!(
                    "{what} is {v:?}; wanted numbers of at most {most:e}"
                ))
            }
        };
        match self {
            Self::Speed { factor } if !(0.0..=1000.0).contains(factor) => {
                Err(format!("speed is {factor}; wanted 0 to 1000"))
            }
            Self::Goto { time } if !(0.0..=1e6).contains(time) => {
                Err(format!("time is {time} s; wanted 0 to 1e6 s"))
            }
            Self::Step { count } if count.abs() > 10_000 => {
                Err(format!("count is {count}; wanted at most 10000 steps"))
            }
            Self::Set { assignment, .. } => short(assignment),
            Self::Compare { sets: Some(sets) } => assignments(sets),
            Self::Grab { point, .. }
            | Self::GrabStrand { point, .. }
            | Self::GrabCloth { point, .. } => place("point", point, 1e6),
            Self::Drag { target } => place("target", target, 1e6),
            Self::Throw {
                origin,
                velocity,
                radius,
            } => {
                place("origin", origin, 1e6)?;
                place("velocity", velocity, 1e4)?;
                if (1e-5..=1e3).contains(radius) {
                    Ok(())
                } else {
                    Err(format!("radius is {radius} m; wanted 1e-5 to 1000 m"))
                }
            }
            _ => Ok(()),
        }
    }
}

fn short(assignment: &str) -> Result<(), String> {
    if assignment.len() <= LONGEST_ASSIGNMENT {
        return Ok(());
    }
    let length = assignment.len();
    Err(format!(
        "the assignment is {length} bytes long; wanted at most {LONGEST_ASSIGNMENT}"
    ))
}

/// Refuses more or longer assignments than anybody needs.
pub(crate) fn assignments(sets: &[String]) -> Result<(), String> {
    if sets.len() > MOST_ASSIGNMENTS {
        let found = sets.len();
        return Err(format!(
            "there are {found} assignments; wanted at most {MOST_ASSIGNMENTS}"
        ));
    }
    sets.iter().try_for_each(|set| short(set))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commands_that_make_sense_pass() {
        for good in [
            r#"{"do":"play"}"#,
            r#"{"do":"step","count":-3}"#,
            r#"{"do":"compare","sets":null}"#,
            r#"{"do":"grab-strand","session":0,"curve":1,"segment":2,"point":[0,1,2]}"#,
            // the word of older pages
            r#"{"do":"grab-strand","lane":0,"curve":1,"segment":2,"point":[0,1,2]}"#,
            r#"{"do":"grab-cloth","session":0,"cloth":1,"vertex":2,"point":[0,1,2]}"#,
            r#"{"do":"throw","origin":[0,1,2],"velocity":[0,0,-9],"radius":0.5}"#,
        ] {
            assert!(Command::parse(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "null",
            "[]",
            r#"{"do":"leave"}"#,
            r#"{"do":"export"}"#,
            r#"{"do":"grab-cloth","session":0,"cloth":-1,"vertex":2,"point":[0,1,2]}"#,
            r#"{"do":"grab-strand","session":0,"curve":1,"segment":2,"point":[0,1e300,2]}"#,
            r#"{"do":"play","more":1}"#,
            r#"{"do":"speed","factor":-1}"#,
            r#"{"do":"speed","factor":1e999}"#,
            r#"{"do":"goto","time":1e9}"#,
            r#"{"do":"step","count":2000000000}"#,
            r#"{"do":"drag","target":[1e300,0,0]}"#,
            r#"{"do":"throw","origin":[0,0,0],"velocity":[0,0,0],"radius":0}"#,
            r#"{"do":"grab","session":-1,"body":0,"point":[0,0,0]}"#,
        ] {
            assert!(Command::parse(bad).is_err(), "{bad}");
        }
        let long = format!(
            r#"{{"do":"set","session":0,"assignment":"{}"}}"#,
            "x".repeat(5000)
        );
        assert!(Command::parse(&long).is_err());
    }
}
