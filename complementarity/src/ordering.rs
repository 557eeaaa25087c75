//! In which order a Gauss-Seidel sweep visits the rows: the heuristics of Poulsen 2010, §5, 35
//! variants in all, for every solver that sweeps.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::contact_problem::ContactProblem;
use crate::on_operator;
use crate::solvers::Law;

mod sequence;

pub(crate) use sequence::{Grain, Part, Sequence, Visit};

/// Ascending or descending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest first; by velocity: fastest approach first.
    Up,
    /// Largest first.
    Down,
}

/// The units that are sorted by velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Each row by its own velocity.
    Row,
    /// Each contact by its normal velocity, its rows together.
    Contact,
}

/// A world axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// Sideways.
    X,
    /// Up.
    Y,
    /// Sideways.
    Z,
}

/// One of the two sets that staggered sweeps treat in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// All normal rows.
    Normals,
    /// All tangent rows.
    Friction,
}

/// How a sweep goes through the rows. The plain order is contact by contact, normal, first
/// tangent, second tangent. Written and read by name, as `cp-y-down-blocked`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Ordering {
    /// In the order of the problem.
    #[default]
    Identity,
    /// Last row first.
    Reverse,
    /// Contacts shuffled once.
    Random,
    /// Contacts shuffled before every sweep.
    RandomEachSweep,
    /// Forward, then exactly backward: two sweeps an iteration.
    Symmetric,
    /// Impulse propagation: by relative velocity at `λ = 0` (Poulsen 2010, §5).
    Ipp(Direction, Unit),
    /// As [`Self::Ipp`], by contact and sorted again before every sweep.
    IppResorted(Direction),
    /// Coordinate permutation: contacts by place (Poulsen 2010, §5).
    Cp(Axis, Direction),
    /// All normals by position, then all friction by position.
    CpBlocked(Axis, Direction),
    /// By position forward, then backward.
    CpSymmetric(Axis),
    /// Normals, friction by place, then all of it backward.
    CpSymmetricBlocked(Axis),
    /// Extreme staggering: so many sweeps over one set, as many over the other, in turn
    /// (Poulsen 2010, §5). A sweep over one set is an iteration.
    Esp(Set, u32),
    /// Greedy staggering: the set with the larger part of the merit function (Poulsen 2010, §5).
    /// What it takes to know that is charged to the solver.
    Gsp,
    /// As [`Self::Gsp`], by the mean over each set's rows.
    GspMean,
}

impl Ordering {
    /// The 35 variants, plainest first.
    pub fn all() -> Vec<Self> {
        use Direction::{Down, Up};
        let axes = [Axis::X, Axis::Y, Axis::Z];
        let mut all = vec![
            Self::Identity,
            Self::Reverse,
            Self::Random,
            Self::RandomEachSweep,
            Self::Symmetric,
        ];
        for unit in [Unit::Row, Unit::Contact] {
            all.extend([Up, Down].map(|direction| Self::Ipp(direction, unit)));
        }
        all.extend([Up, Down].map(Self::IppResorted));
        for variant in [Self::Cp, Self::CpBlocked] {
            for axis in axes {
                all.extend([Up, Down].map(|direction| variant(axis, direction)));
            }
        }
        all.extend(axes.map(Self::CpSymmetric));
        all.extend(axes.map(Self::CpSymmetricBlocked));
        all.extend([
            Self::Esp(Set::Normals, 1),
            Self::Esp(Set::Friction, 1),
            Self::Esp(Set::Normals, 2),
            Self::Esp(Set::Normals, 5),
            Self::Gsp,
            Self::GspMean,
        ]);
        all
    }

    /// Whether it needs the positions of the contacts.
    pub fn needs_places(&self) -> bool {
        matches!(
            self,
            Self::Cp(..) | Self::CpBlocked(..) | Self::CpSymmetric(_) | Self::CpSymmetricBlocked(_)
        )
    }

    /// Whether rows of one contact may be apart, which a solver of whole contacts cannot do.
    pub fn splits_contacts(&self) -> bool {
        matches!(
            self,
            Self::Ipp(_, Unit::Row)
                | Self::CpBlocked(..)
                | Self::CpSymmetricBlocked(_)
                | Self::Esp(..)
                | Self::Gsp
                | Self::GspMean
        )
    }

    /// Iterations after which every row was visited equally often: one, but for staggered
    /// sweeps. None for greedy ones, which never promise it.
    pub fn cycle(&self) -> Option<usize> {
        match self {
            Self::Esp(_, inner) => Some(2 * (*inner).max(1) as usize),
            Self::Gsp | Self::GspMean => None,
            _ => Some(1),
        }
    }

    /// Number of visits to each row in a cycle.
    pub fn visits_in_cycle(&self) -> Option<usize> {
        match self {
            Self::Esp(_, inner) => Some((*inner).max(1) as usize),
            Self::Gsp | Self::GspMean => None,
            Self::Symmetric | Self::CpSymmetric(_) | Self::CpSymmetricBlocked(_) => Some(2),
            _ => Some(1),
        }
    }

    /// The rows `(contact, row)` in the order in which each of the first `sweeps` visits them
    /// while the impulses stay zero: what the ordering is, for study.
    pub fn rows(
        &self,
        problem: &ContactProblem,
        seed: u64,
        sweeps: usize,
    ) -> Result<Vec<Vec<(usize, usize)>>, OrderingError> {
        let places = problem.places.as_deref();
        on_operator!(problem, |operator| {
            let mut sequence = Sequence::new(*self, Grain::Row, operator, places, seed)?;
            let iterate = crate::Operator::zero_iterate(operator);
            Ok((0..sweeps)
                .map(|_| {
                    let (visits, _) = sequence.next(operator, &iterate, Law::Pyramid);
                    visits.iter().flat_map(|visit| visit.rows()).collect()
                })
                .collect())
        })
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Up => "up",
            Self::Down => "down",
        })
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::X => "x",
            Self::Y => "y",
            Self::Z => "z",
        })
    }
}

impl fmt::Display for Ordering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => f.write_str("identity"),
            Self::Reverse => f.write_str("reverse"),
            Self::Random => f.write_str("random"),
            Self::RandomEachSweep => f.write_str("random-each-sweep"),
            Self::Symmetric => f.write_str("symmetric"),
            Self::Ipp(direction, Unit::Row) => write!(f, "ipp-{direction}-row"),
            Self::Ipp(direction, Unit::Contact) => write!(f, "ipp-{direction}-contact"),
            Self::IppResorted(direction) => write!(f, "ipp-{direction}-resorted"),
            Self::Cp(axis, direction) => write!(f, "cp-{axis}-{direction}"),
            Self::CpBlocked(axis, direction) => write!(f, "cp-{axis}-{direction}-blocked"),
            Self::CpSymmetric(axis) => write!(f, "cp-{axis}-symmetric"),
            Self::CpSymmetricBlocked(axis) => write!(f, "cp-{axis}-symmetric-blocked"),
            Self::Esp(first, inner) => {
                f.write_str(match first {
                    Set::Normals => "esp-normals-first",
                    Set::Friction => "esp-friction-first",
                })?;
                match inner {
                    0 | 1 => Ok(()),
                    _ => write!(f, "-{inner}"),
                }
            }
            Self::Gsp => f.write_str("gsp"),
            Self::GspMean => f.write_str("gsp-mean"),
        }
    }
}

impl FromStr for Ordering {
    type Err = OrderingError;

    fn from_str(name: &str) -> Result<Self, OrderingError> {
        if let Some(known) = Self::all().into_iter().find(|o| o.to_string() == name) {
            return Ok(known);
        }
        // staggering with any number of inner sweeps
        for (prefix, set) in [
            ("esp-normals-first-", Set::Normals),
            ("esp-friction-first-", Set::Friction),
        ] {
            let inner = name.strip_prefix(prefix).map(str::parse::<u32>);
            if let Some(Ok(inner @ 1..=1000)) = inner {
                return Ok(Self::Esp(set, inner));
            }
        }
        Err(OrderingError::Unknown(name.to_owned()))
    }
}

impl TryFrom<String> for Ordering {
    type Error = OrderingError;

    fn try_from(name: String) -> Result<Self, OrderingError> {
        name.parse()
    }
}

impl From<Ordering> for String {
    fn from(ordering: Ordering) -> Self {
        ordering.to_string()
    }
}

/// Why contacts cannot be put in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OrderingError {
    /// No ordering has this name.
    Unknown(String),
    /// The problem does not say where its contacts are.
    NoPlaces(Ordering),
    /// The list of places is of the wrong length.
    Places {
        /// Places found.
        found: usize,
        /// Contacts of the problem.
        wanted: usize,
    },
}

impl fmt::Display for OrderingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(f, "ordering `{name}`: unknown; wanted one of")?;
                for (k, known) in Ordering::all().iter().enumerate() {
                    write!(f, "{} {known}", if k > 0 { "," } else { "" })?;
                }
                Ok(())
            }
            Self::NoPlaces(ordering) => write!(
                f,
                "ordering `{ordering}`: the problem has no contact places; a problem that says \
                 where its contacts are is wanted"
            ),
            Self::Places { found, wanted } => write!(
                f,
                "contact places: {found} entries; one for each of {wanted} contacts is wanted"
            ),
        }
    }
}

impl std::error::Error for OrderingError {}
