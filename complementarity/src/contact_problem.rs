//! A contact problem as data: named, in either form, with what a file may say beside it.

use std::fmt;

use drystone_base::Vec3;

use crate::matrix::BlockMatrix;
use crate::operator::{FactoredOperator, MatrixProblem, Operator};
use crate::problem::Problem;

/// The form of a problem.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// Masses and contact frames, never the matrix.
    Factored(Problem),
    /// The matrix in 3x3 blocks.
    Matrix(MatrixProblem),
}

/// The bodies that each contact joins.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactGraph {
    /// Bodies `a` and `b` of each contact.
    pub pairs: Vec<[usize; 2]>,
    /// Whether each body cannot move.
    pub fixed: Vec<bool>,
}

/// A contact problem `w = A λ + b` with Coulomb friction, and what is known about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactProblem {
    /// Name in tables and plots.
    pub name: String,
    /// The problem itself.
    pub form: Form,
    /// Contact points in the world, for orderings by coordinate \[m\].
    pub places: Option<Vec<Vec3>>,
    /// Which bodies the contacts join, if a matrix came with that; the factored form knows it
    /// by itself, see [`ContactProblem::graph`].
    pub matrix_graph: Option<ContactGraph>,
    /// First guess of the impulses \[N s\].
    pub start: Option<Vec<[f64; 3]>>,
    /// Impulses that somebody says solve it \[N s\].
    pub solution: Option<Vec<[f64; 3]>>,
}

/// Runs an expression generic over [`Operator`] on a [`ContactProblem`], chosen once:
///
/// ```
/// use drystone_complementarity::{ContactProblem, Problem, Operator, on_operator};
/// let problem = ContactProblem::factored("none", Problem::default());
/// assert_eq!(on_operator!(&problem, |operator| operator.contacts()), 0);
/// ```
#[macro_export]
macro_rules! on_operator {
    ($problem:expr, |$operator:ident| $body:expr) => {
        match &($problem).form {
            $crate::Form::Factored(problem) => {
                let $operator = &$crate::FactoredOperator::new(problem);
                $body
            }
            $crate::Form::Matrix($operator) => $body,
        }
    };
}

impl ContactProblem {
    /// A factored problem of this name, about which nothing else is known.
    pub fn factored(name: impl Into<String>, problem: Problem) -> Self {
        Self::of(name.into(), Form::Factored(problem))
    }

    /// A problem with its matrix, nothing else known.
    pub fn assembled(name: impl Into<String>, problem: MatrixProblem) -> Self {
        Self::of(name.into(), Form::Matrix(problem))
    }

    fn of(name: String, form: Form) -> Self {
        Self {
            name,
            form,
            places: None,
            matrix_graph: None,
            start: None,
            solution: None,
        }
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        match &self.form {
            Form::Factored(problem) => problem.contacts.len(),
            Form::Matrix(problem) => problem.matrix.contacts(),
        }
    }

    /// Relative velocities at `λ = 0` \[m/s\].
    pub fn b(&self) -> &[[f64; 3]] {
        match &self.form {
            Form::Factored(problem) => &problem.b,
            Form::Matrix(problem) => &problem.b,
        }
    }

    /// Coulomb's coefficient at contact `k` \[1\].
    pub fn friction(&self, k: usize) -> f64 {
        match &self.form {
            Form::Factored(problem) => problem.contacts[k].friction,
            Form::Matrix(problem) => problem.friction[k],
        }
    }

    /// Impulses to begin with: the first guess, or none.
    pub fn first_guess(&self) -> Vec<[f64; 3]> {
        match &self.start {
            Some(start) => start.clone(),
            None => vec![[0.0; 3]; self.contacts()],
        }
    }

    /// Relative velocities after `impulses` \[m/s\].
    pub fn velocities_after(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]> {
        match &self.form {
            Form::Factored(problem) => problem.velocities_after(impulses),
            Form::Matrix(problem) => problem.velocities_after(impulses),
        }
    }

    /// How far apart the velocities after two lists of impulses are: the largest difference, as a part of
    /// the largest velocity at `λ = 0` \[1\]. Impulses are not unique, so answers are compared by this.
    pub fn apart(&self, x: &[[f64; 3]], y: &[[f64; 3]]) -> f64 {
        let largest =
            |rows: &mut dyn Iterator<Item = f64>| rows.fold(0.0f64, |m, v| m.max(v.abs()));
        let (x, y) = (self.velocities_after(x), self.velocities_after(y));
        let pairs = x.iter().flatten().zip(y.iter().flatten());
        let apart = largest(&mut pairs.map(|(x, y)| x - y));
        match apart > 0.0 {
            true => apart / largest(&mut self.b().iter().flatten().copied()),
            false => 0.0,
        }
    }

    /// The bodies that the contacts join, where they are known.
    pub fn graph(&self) -> Option<ContactGraph> {
        match &self.form {
            Form::Factored(problem) => Some(ContactGraph {
                pairs: problem.contacts.iter().map(|c| [c.a, c.b]).collect(),
                fixed: problem.bodies.iter().map(|body| body.is_fixed()).collect(),
            }),
            Form::Matrix(_) => self.matrix_graph.clone(),
        }
    }

    /// The problem with its matrix assembled.
    pub fn to_matrix(&self) -> MatrixProblem {
        match &self.form {
            Form::Factored(problem) => MatrixProblem {
                matrix: BlockMatrix::of(problem),
                b: problem.b.clone(),
                friction: problem.contacts.iter().map(|c| c.friction).collect(),
            },
            Form::Matrix(problem) => problem.clone(),
        }
    }

    /// The problem in matrix form, with all else that is known about it.
    pub fn to_matrix_form(&self) -> Self {
        Self {
            name: self.name.clone(),
            form: Form::Matrix(self.to_matrix()),
            places: self.places.clone(),
            matrix_graph: self.graph(),
            start: self.start.clone(),
            solution: self.solution.clone(),
        }
    }

    /// The whole of `A`, row by row: for analysis of small problems \[1/kg\].
    pub fn dense(&self) -> Vec<Vec<f64>> {
        self.to_matrix().matrix.dense()
    }

    /// Whether a solver may take it: one entry for each contact everywhere, bodies that exist,
    /// finite values, no negative friction.
    pub fn check(&self) -> Result<(), ProblemError> {
        let contacts = self.contacts();
        // what a list must be: as long as there are contacts, and finite
        let per_contact = |thing: &'static str, found: usize| match found == contacts {
            true => Ok(()),
            false => Err(ProblemError::Count {
                thing,
                found,
                wanted: contacts,
            }),
        };
        let finite = |thing: &'static str, index: usize, value: f64| match value.is_finite() {
            true => Ok(()),
            false => Err(ProblemError::NotFinite {
                thing,
                index,
                value,
            }),
        };
        let rows = |thing: &'static str, rows: &[[f64; 3]]| {
            per_contact(thing, rows.len())?;
            (0..rows.len()).try_for_each(|k| rows[k].iter().try_for_each(|x| finite(thing, k, *x)))
        };
        rows("right-hand sides", self.b())?;
        // masses and geometry, or the matrix
        match &self.form {
            Form::Factored(problem) => {
                for (k, body) in problem.bodies.iter().enumerate() {
                    finite("inverse mass of a body", k, body.inverse_mass)?;
                    let i = body.inverse_inertia.matrix();
                    finite(
                        "inverse inertia of a body",
                        k,
                        i.to_cols_array().iter().sum(),
                    )?;
                }
                for (k, c) in problem.contacts.iter().enumerate() {
                    for v in [c.normal, c.tangents[0], c.tangents[1], c.r_a, c.r_b] {
                        finite("geometry of a contact", k, v.x + v.y + v.z)?;
                    }
                    pair(k, [c.a, c.b], problem.bodies.len())?;
                }
            }
            Form::Matrix(problem) => {
                per_contact("friction coefficients", problem.friction.len())?;
                for k in 0..contacts {
                    for x in problem.matrix.row(k).1.iter().flatten().flatten() {
                        finite("matrix row", k, *x)?;
                    }
                }
            }
        }
        // friction
        for contact in 0..contacts {
            let value = self.friction(contact);
            finite("friction at a contact", contact, value)?;
            if value < 0.0 {
                return Err(ProblemError::Friction { contact, value });
            }
        }
        // what a problem may have besides: places, graph, impulses
        if let Some(places) = &self.places {
            per_contact("places", places.len())?;
            for (k, place) in places.iter().enumerate() {
                finite("place of a contact", k, place.x + place.y + place.z)?;
            }
        }
        if let Some(graph) = &self.matrix_graph {
            per_contact("pairs of bodies", graph.pairs.len())?;
            for (k, bodies) in graph.pairs.iter().enumerate() {
                pair(k, *bodies, graph.fixed.len())?;
            }
        }
        for (thing, impulses) in [("first guesses", &self.start), ("solution", &self.solution)] {
            if let Some(impulses) = impulses {
                rows(thing, impulses)?;
            }
        }
        Ok(())
    }
}

fn pair(contact: usize, pair: [usize; 2], bodies: usize) -> Result<(), ProblemError> {
    match pair.into_iter().find(|body| *body >= bodies) {
        Some(body) => Err(ProblemError::NoSuchBody {
            contact,
            body,
            bodies,
        }),
        None if pair[0] == pair[1] => Err(ProblemError::SameBody {
            contact,
            body: pair[0],
        }),
        None => Ok(()),
    }
}

/// Why a problem cannot be given to a solver.
#[derive(Clone, Debug, PartialEq)]
pub enum ProblemError {
    /// A list is of the wrong length.
    Count {
        /// The list that it is about.
        thing: &'static str,
        /// Entries found.
        found: usize,
        /// Contacts of the problem.
        wanted: usize,
    },
    /// Infinite, or not a number.
    NotFinite {
        /// The quantity that it is about.
        thing: &'static str,
        /// Contact or body, from 0.
        index: usize,
        /// What was found.
        value: f64,
    },
    /// Friction below zero.
    Friction {
        /// Index of the contact, from 0.
        contact: usize,
        /// What was found \[1\].
        value: f64,
    },
    /// A contact names a body that is not there.
    NoSuchBody {
        /// Index of the contact, from 0.
        contact: usize,
        /// What was found.
        body: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A contact of a body with itself.
    SameBody {
        /// Index of the contact, from 0.
        contact: usize,
        /// The body that is named twice.
        body: usize,
    },
}

impl fmt::Display for ProblemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count {
                thing,
                found,
                wanted,
            } => write!(
                f,
                "{thing}: {found} entries; one for each of {wanted} contacts is wanted"
            ),
            Self::NotFinite {
                thing,
                index,
                value,
            } => write!(f, "{thing} {index}: {value}; a finite number is wanted"),
            Self::Friction { contact, value } => write!(
                f,
                "contact {contact}: friction is {value}; zero or more is wanted"
            ),
            Self::NoSuchBody {
                contact,
                body,
                bodies,
            } => write!(
                f,
                "contact {contact}: names body {body}; there are {bodies}, counted from 0"
            ),
            Self::SameBody { contact, body } => write!(
                f,
                "contact {contact}: joins body {body} to itself; two bodies are wanted"
            ),
        }
    }
}

impl std::error::Error for ProblemError {}

/// The factored form prepared, without the name.
impl<'a> From<&'a Problem> for FactoredOperator<'a> {
    fn from(problem: &'a Problem) -> Self {
        Self::new(problem)
    }
}
