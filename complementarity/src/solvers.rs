//! Every contact solver behind one verb: a name, a first guess, an ordering, settings in; the
//! impulses and an honest account of what they cost out.
//!
//! ```
//! use drystone_complementarity::{ContactProblem, Ordering, Problem, Settings, Solver};
//! let problem = ContactProblem::factored("nothing touches", Problem::default());
//! let mut impulses = problem.first_guess();
//! let solver: Solver = "nncg-cone".parse()?;
//! let outcome = solver.solve(&problem, &mut impulses, &Ordering::Identity, &Settings::default())?;
//! assert!(outcome.reached && outcome.iterations == 0);
//! # Ok::<(), drystone_complementarity::SolveError>(())
//! ```
//!
//! Solvers that sweep are a `sweeper::Kernel` (what is done at one contact) run by
//! `sweeper::Sweeper` in any [`Ordering`]; accelerated ones take the sweep as a map.

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::contact_problem::{ContactGraph, ContactProblem, Form, ProblemError};
use crate::history::Entry;
use crate::on_operator;
use crate::operator::{MatrixProblem, Operator};
use crate::ordering::{Ordering, OrderingError};
use crate::problem::Problem;

mod anderson;
mod apgd;
mod dense;
mod fischer_newton;
mod gauss_seidel;
mod jacobi;
mod law;
mod local;
mod nncg;
mod run;
mod sor_lcp;
mod stagnation;
mod subspace;
mod sweeper;
mod two_level;
mod two_level_lanes;

pub use law::Law;
pub use sor_lcp::{Bound, SorLcp, sor_lcp};
pub use two_level::Aggregates;

use gauss_seidel::{Cone, Lagged, Pyramid};
use run::Run;
use sweeper::sweep_on;

/// A method for contact problems, by the name it has on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// Projected Jacobi (Poulsen 2010, eq. 18a). Diverges where contacts share bodies, unless
    /// it is damped by a relaxation below 1.
    Jacobi,
    /// Projected Gauss-Seidel with the bounds of the last iterate (Poulsen 2010, eq. 16, 18b).
    GaussSeidel,
    /// [`Solver::GaussSeidel`] with over-relaxation (Poulsen 2010, eq. 18c).
    Sor,
    /// Projected Gauss-Seidel with the newest bounds (Erleben 2007, §3): what engines use.
    Pgs,
    /// Cone-projected block Gauss-Seidel (Erleben 2017).
    Cone,
    /// Block Gauss-Seidel with Coulomb's law solved exactly at each contact.
    Local,
    /// Nonsmooth nonlinear conjugate gradients on [`Solver::Pgs`] (Silcowitz 2010).
    Nncg,
    /// [`Solver::Nncg`] on [`Solver::Cone`].
    NncgCone,
    /// Safeguarded Anderson acceleration of [`Solver::Cone`] (Walker 2011).
    Anderson,
    /// Accelerated projected gradient descent on the convex problem (Mazhar 2015).
    Apgd,
    /// Sweeps and direct solves of the rows that they leave free (Silcowitz 2010). Dense.
    Subspace,
    /// Newton's method on Fischer's function (Silcowitz 2009). Dense.
    FischerNewton,
    /// Over-relaxation on the dense matrix (Hadap 2006, Alg. 2), friction on the cone. Exact up
    /// to [`Settings::regularisation`].
    SorLcp,
    /// Cone sweeps and an exact solve over the layers of the contact graph in turn. For problems
    /// that know which bodies their contacts join; see [`Settings::aggregates`].
    TwoLevel,
    /// Anderson acceleration of [`Solver::TwoLevel`].
    TwoLevelAnderson,
    /// [`Solver::TwoLevel`] in lanes of eight and single precision, as the default stepper runs
    /// it. For factored problems; it goes as far as seven digits reach.
    TwoLevelLanes,
}

impl Solver {
    /// All of them, plainest first.
    pub const ALL: [Self; 16] = [
        Self::Jacobi,
        Self::GaussSeidel,
        Self::Sor,
        Self::Pgs,
        Self::Cone,
        Self::Local,
        Self::Nncg,
        Self::NncgCone,
        Self::Anderson,
        Self::Apgd,
        Self::Subspace,
        Self::FischerNewton,
        Self::SorLcp,
        Self::TwoLevel,
        Self::TwoLevelAnderson,
        Self::TwoLevelLanes,
    ];

    /// Its name on the command line and in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Jacobi => "jacobi",
            Self::GaussSeidel => "gauss-seidel",
            Self::Sor => "sor",
            Self::Pgs => "pgs",
            Self::Cone => "cone",
            Self::Nncg => "nncg",
            Self::NncgCone => "nncg-cone",
            Self::Local => "local",
            Self::Anderson => "anderson",
            Self::Apgd => "apgd",
            Self::Subspace => "subspace",
            Self::FischerNewton => "fischer-newton",
            Self::SorLcp => "sor-lcp",
            Self::TwoLevel => "two-level",
            Self::TwoLevelAnderson => "two-level-anderson",
            Self::TwoLevelLanes => "two-level-lanes",
        }
    }

    /// The friction law that its solutions obey, whose residual judges them.
    pub const fn law(self) -> Law {
        match self {
            Self::Jacobi
            | Self::GaussSeidel
            | Self::Sor
            | Self::Pgs
            | Self::Nncg
            | Self::Subspace
            | Self::FischerNewton => Law::Pyramid,
            Self::Cone
            | Self::Local
            | Self::NncgCone
            | Self::Anderson
            | Self::SorLcp
            | Self::TwoLevel
            | Self::TwoLevelAnderson
            | Self::TwoLevelLanes => Law::Cone,
            Self::Apgd => Law::ConvexCone,
        }
    }

    /// Whether it needs to know which bodies the contacts join: a factored problem does, a matrix
    /// only with its contact graph (which is not enough for [`Solver::TwoLevelLanes`]).
    pub const fn needs_bodies(self) -> bool {
        matches!(
            self,
            Self::TwoLevel | Self::TwoLevelAnderson | Self::TwoLevelLanes
        )
    }

    /// Whether it computes in single precision, and so stalls above tolerances that others reach.
    pub const fn is_single_precision(self) -> bool {
        matches!(self, Self::TwoLevelLanes)
    }

    /// Whether an ordering makes a difference; others are free to ignore it.
    pub const fn takes_ordering(self) -> bool {
        !matches!(
            self,
            Self::Jacobi | Self::Apgd | Self::SorLcp | Self::TwoLevelLanes
        )
    }

    /// Solves `problem` from the first guess in `impulses`, and leaves the answer there: the
    /// best iterate that was seen, obeying the bounds of the solver's law. It never fails on
    /// the way, it says in the [`Outcome`] how far it came.
    pub fn solve(
        self,
        problem: &ContactProblem,
        impulses: &mut [[f64; 3]],
        ordering: &Ordering,
        settings: &Settings,
    ) -> Result<Outcome, SolveError> {
        self.solve_watched(problem, impulses, ordering, settings, &mut |_| {
            ControlFlow::Continue(())
        })
    }

    /// [`Solver::solve`], with somebody who sees every entry of the history as it is made and
    /// may stop it.
    pub fn solve_watched(
        self,
        problem: &ContactProblem,
        impulses: &mut [[f64; 3]],
        ordering: &Ordering,
        settings: &Settings,
        watch: &mut dyn FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Outcome, SolveError> {
        problem.check().map_err(SolveError::Problem)?;
        let (factored, matrix) = match &problem.form {
            Form::Factored(factored) => (Some(factored), None),
            Form::Matrix(matrix) => (None, Some(matrix)),
        };
        let context = Context {
            places: problem.places.as_deref(),
            factored,
            matrix,
            graph: problem.matrix_graph.as_ref(),
        };
        on_operator!(problem, |operator| self.solve_operator(
            operator, context, impulses, ordering, settings, watch
        ))
    }

    /// [`Solver::solve`] on a prepared operator whose values are known to be sound.
    pub fn solve_operator<O: Operator>(
        self,
        operator: &O,
        context: Context<'_>,
        impulses: &mut [[f64; 3]],
        ordering: &Ordering,
        settings: &Settings,
        watch: &mut dyn FnMut(&Entry) -> ControlFlow<()>,
    ) -> Result<Outcome, SolveError> {
        settings.check()?;
        if impulses.len() != operator.contacts() {
            return Err(SolveError::Impulses {
                found: impulses.len(),
                wanted: operator.contacts(),
            });
        }
        if let Some((contact, value)) = not_finite(impulses) {
            return Err(SolveError::NotFinite { contact, value });
        }
        let mut run = Run::new(
            self.law(),
            operator,
            context,
            *ordering,
            settings,
            impulses,
            watch,
        );
        run.begin();
        match self {
            Self::Jacobi => jacobi::solve(&mut run),
            Self::GaussSeidel => sweep_on(&mut run, Lagged::new(settings, 1.0))?,
            Self::Sor => sweep_on(&mut run, Lagged::new(settings, 1.3))?,
            Self::Pgs => sweep_on(&mut run, Pyramid::new(settings))?,
            Self::Cone => sweep_on(&mut run, Cone::new(settings))?,
            Self::Nncg => nncg::solve(&mut run, Pyramid::new(settings))?,
            Self::NncgCone => nncg::solve(&mut run, Cone::new(settings))?,
            Self::Local => local::solve(&mut run)?,
            Self::Anderson => anderson::solve(&mut run)?,
            Self::Apgd => apgd::solve(&mut run),
            Self::Subspace => subspace::solve(&mut run)?,
            Self::FischerNewton => fischer_newton::solve(&mut run)?,
            Self::SorLcp => sor_lcp::solve(&mut run)?,
            Self::TwoLevel => two_level::solve(&mut run, self, false)?,
            Self::TwoLevelAnderson => two_level::solve(&mut run, self, true)?,
            Self::TwoLevelLanes => two_level_lanes::solve(&mut run, self)?,
        }
        Ok(run.finish(impulses))
    }
}

fn too_large(solver: Solver, contacts: usize, most: usize) -> Result<(), SolveError> {
    match contacts <= most {
        true => Ok(()),
        false => Err(SolveError::TooLarge {
            solver,
            contacts,
            most,
        }),
    }
}

fn not_finite(impulses: &[[f64; 3]]) -> Option<(usize, f64)> {
    let mut values = impulses.iter().flatten().enumerate();
    values
        .find(|(_, x)| !x.is_finite())
        .map(|(row, x)| (row / 3, *x))
}

/// What is known about a problem beside its operator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// Contact points in the world \[m\].
    pub places: Option<&'a [Vec3]>,
    /// The factored problem, if that is where it comes from.
    pub factored: Option<&'a Problem>,
    /// The matrix, if that is where it comes from.
    pub matrix: Option<&'a MatrixProblem>,
    /// The bodies that the contacts of a matrix join.
    pub graph: Option<&'a ContactGraph>,
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Solver {
    type Err = SolveError;

    fn from_str(name: &str) -> Result<Self, SolveError> {
        Self::ALL
            .into_iter()
            .find(|solver| solver.name() == name)
            .ok_or_else(|| SolveError::Unknown(name.to_owned()))
    }
}

/// What a solver records while it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Record {
    /// No history. The residual is evaluated only as often as the tolerance needs it.
    Nothing,
    /// The residual after every iteration.
    #[default]
    Residual,
    /// The merit function as well.
    Merit,
}

/// Stopping criteria, and parameters of methods.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Stops when the scale-free residual is as small as this \[1\]. Zero: never.
    pub tolerance: f64,
    /// Most iterations.
    pub most_iterations: u32,
    /// Most time, evaluations that are not the method's own apart \[s\].
    pub most_seconds: Option<f64>,
    /// Factor `ω` on every step of a sweep, between 0 and 2; otherwise the method's own, which
    /// is 1.3 for `sor` and 1 for all else \[1\].
    pub relaxation: Option<f64>,
    /// Window of Anderson acceleration in iterates.
    pub window: usize,
    /// Sweeps before each step of methods that also do something else; otherwise their own.
    pub inner_sweeps: Option<u32>,
    /// The aggregates of the two-level solvers.
    pub aggregates: Aggregates,
    /// What is added to the diagonal where a matrix may be singular, as a part of its largest
    /// value \[1\].
    pub regularisation: f64,
    /// Seed of random orderings.
    pub seed: u64,
    /// What is recorded.
    pub record: Record,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-6,
            most_iterations: 10_000,
            most_seconds: None,
            relaxation: None,
            window: 5,
            inner_sweeps: None,
            aggregates: Aggregates::Layer,
            regularisation: 1e-12,
            seed: 1,
            record: Record::Residual,
        }
    }
}

impl Settings {
    /// The default, stopping at residual `tolerance` \[1\] or after `most_iterations`.
    pub fn to(tolerance: f64, most_iterations: u32) -> Self {
        Self {
            tolerance,
            most_iterations,
            ..Self::default()
        }
    }

    /// Says which setting is out of its range.
    pub fn check(&self) -> Result<(), SolveError> {
        let wrong = |thing, value, wanted| {
            Err(SolveError::Setting {
                thing,
                value,
                wanted,
            })
        };
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return wrong("tolerance", self.tolerance, "zero or more");
        }
        if let Some(seconds) = self.most_seconds.filter(|s| s.is_nan() || *s <= 0.0) {
            return wrong("most_seconds", seconds, "more than zero");
        }
        if let Some(omega) = self
            .relaxation
            .filter(|omega| !(*omega > 0.0 && *omega < 2.0))
        {
            return wrong("relaxation", omega, "more than 0, less than 2");
        }
        if !(1..=50).contains(&self.window) {
            return wrong("window", self.window as f64, "1 to 50");
        }
        if !(self.regularisation >= 0.0 && self.regularisation.is_finite()) {
            return wrong("regularisation", self.regularisation, "zero or more");
        }
        Ok(())
    }
}

/// Why a solver ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// The residual is as small as was asked.
    Reached,
    /// It reached the limit of iterations.
    Iterations,
    /// It reached the limit of time.
    Seconds,
    /// No better iterate for a long time.
    Stalled,
    /// Impulses beyond all bounds.
    Diverged,
    /// Whoever watched had seen enough.
    Watcher,
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Reached => "reached",
            Self::Iterations => "iterations",
            Self::Seconds => "seconds",
            Self::Stalled => "stalled",
            Self::Diverged => "diverged",
            Self::Watcher => "watcher",
        })
    }
}

/// Result of a solver, and its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Iterations done.
    pub iterations: u32,
    /// Rows computed, see [`Entry::row_updates`].
    pub row_updates: u64,
    /// Time of the method itself \[s\].
    pub seconds: f64,
    /// Scale-free residual of the impulses handed back, by the solver's law \[1\].
    pub residual: f64,
    /// Merit of the impulses handed back, see [`Law::merit`].
    pub merit: f64,
    /// Whether the tolerance was reached.
    pub reached: bool,
    /// Why it ended.
    pub ended: Ended,
    /// Iteration by iteration, the first guess first.
    pub history: Vec<Entry>,
}

/// Why a solver was not started.
#[derive(Clone, Debug, PartialEq)]
pub enum SolveError {
    /// No solver has this name.
    Unknown(String),
    /// The problem is not sound.
    Problem(ProblemError),
    /// The ordering does not fit the problem.
    Ordering(OrderingError),
    /// The ordering does not fit the solver.
    NeedsWholeContacts {
        /// The solver's name.
        solver: Solver,
        /// The ordering that was asked for.
        ordering: Ordering,
    },
    /// The list of impulses is of the wrong length.
    Impulses {
        /// Entries found.
        found: usize,
        /// Contacts of the problem.
        wanted: usize,
    },
    /// A part of a dense problem is of the wrong size.
    Count {
        /// The part that it is about.
        thing: &'static str,
        /// Values found.
        found: usize,
        /// Values wanted.
        wanted: usize,
    },
    /// A first guess that is no number.
    NotFinite {
        /// Index of the contact, from 0.
        contact: usize,
        /// What was found \[N s\].
        value: f64,
    },
    /// A setting out of range.
    Setting {
        /// Its name.
        thing: &'static str,
        /// What was found.
        value: f64,
        /// What is allowed.
        wanted: &'static str,
    },
    /// More contacts than a dense method can take.
    TooLarge {
        /// The solver's name.
        solver: Solver,
        /// Contacts of the problem.
        contacts: usize,
        /// Most that it takes.
        most: usize,
    },
    /// The method needs bodies, and the problem has a matrix only.
    NeedsBodies(Solver),
    /// The method works on velocities of bodies, and no motion of rigid bodies gives those of
    /// the contacts.
    NeedsVelocities(Solver),
}

impl fmt::Display for SolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(f, "solver `{name}`: unknown; wanted one of")?;
                for (k, known) in Solver::ALL.iter().enumerate() {
                    write!(f, "{} {known}", if k > 0 { "," } else { "" })?;
                }
                Ok(())
            }
            Self::Problem(error) => error.fmt(f),
            Self::Ordering(error) => error.fmt(f),
            Self::NeedsWholeContacts { solver, ordering } => write!(
                f,
                "ordering `{ordering}`: takes contacts apart; solver `{solver}` treats each as a \
                 whole and wants an ordering that does so"
            ),
            Self::Impulses { found, wanted } => write!(
                f,
                "first guess: {found} entries; one for each of {wanted} contacts is wanted"
            ),
            Self::Count {
                thing,
                found,
                wanted,
            } => write!(f, "{thing}: {found} values; {wanted} are wanted"),
            Self::NotFinite { contact, value } => write!(
                f,
                "first guess at contact {contact}: {value} N s; a finite number is wanted"
            ),
            Self::Setting {
                thing,
                value,
                wanted,
            } => write!(f, "solver setting `{thing}`: {value}; {wanted} is wanted"),
            Self::TooLarge {
                solver,
                contacts,
                most,
            } => write!(
                f,
                "solver `{solver}`: the problem has {contacts} contacts; at most {most} are wanted"
            ),
            Self::NeedsBodies(Solver::TwoLevelLanes) => write!(
                f,
                "solver `{}`: the problem is a matrix; a factored problem with bodies is wanted",
                Solver::TwoLevelLanes
            ),
            Self::NeedsBodies(solver) => write!(
                f,
                "solver `{solver}`: the problem is a matrix; one with its contact graph, or a \
                 factored problem with bodies, is wanted"
            ),
            Self::NeedsVelocities(solver) => write!(
                f,
                "solver `{solver}`: no motion of the bodies slides along all tangents as the \
                 problem says; one of rigid bodies is wanted"
            ),
        }
    }
}

impl std::error::Error for SolveError {}

impl From<OrderingError> for SolveError {
    fn from(error: OrderingError) -> Self {
        Self::Ordering(error)
    }
}
