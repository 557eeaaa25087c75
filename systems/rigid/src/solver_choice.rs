//! Who solves the contact problems of a step: any solver of the laboratory in any ordering, in
//! place of the sweeps that a stepper was published with.

use std::ops::ControlFlow;

use drystone_base::Vec3;
use drystone_complementarity::in_lanes::LaneMethod;
use drystone_complementarity::solvers::Context;
use drystone_complementarity::{
    Aggregates, FactoredOperator, Law, Ordering, Problem, Record, Settings, SolveError, Solved,
    Solver,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use crate::{Error, PgsOptions, VspOptions};

/// Parameters of the method of a chosen solver.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SolverSettings {
    /// Window of Anderson acceleration in iterates, 1 to 50.
    pub window: usize,
    /// Aggregates of the two-level solvers: `layer`, `column`, `sector` or `pair`.
    #[schemars(schema_with = "aggregate_names")]
    pub aggregates: Aggregates,
    /// Sweeps before each step of methods that also do something else. None: their own number.
    pub inner_sweeps: Option<u32>,
    /// Factor on every step of a sweep, between 0 and 2. None: 1.3 for `sor`, 1 for all else \[1\].
    pub relaxation: Option<f64>,
}

impl Default for SolverSettings {
    fn default() -> Self {
        let usual = Settings::default();
        Self {
            window: usual.window,
            aggregates: usual.aggregates,
            inner_sweeps: usual.inner_sweeps,
            relaxation: usual.relaxation,
        }
    }
}

/// A solver as chosen in the options, or none: the stepper's own sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SolverChoice {
    solver: Option<Solver>,
    ordering: Ordering,
    /// Scale-free residual at which it stops; zero: never \[1\].
    tolerance: f64,
    settings: SolverSettings,
    /// Relaxation of a stepper's own sweeps; other solvers have none.
    gamma: f64,
}

impl SolverChoice {
    pub(crate) fn of_pgs(options: &PgsOptions) -> Self {
        Self {
            solver: options.solver,
            ordering: options.ordering,
            tolerance: options.tolerance,
            settings: options.settings,
            gamma: options.gamma,
        }
    }

    pub(crate) fn of_vsp(options: &VspOptions) -> Self {
        Self {
            solver: options.solver,
            ordering: options.ordering,
            tolerance: options.tolerance,
            settings: options.settings,
            gamma: options.gamma,
        }
    }

    /// Whether the chosen solver keeps friction on a cone, if one is chosen.
    pub(crate) fn is_cone(self) -> Option<bool> {
        self.solver.map(|solver| solver.law() != Law::Pyramid)
    }

    /// Says what does not go together, for the options under `stepper`.
    pub(crate) fn validate(self, stepper: &'static str) -> Result<(), Error> {
        let pick = |names: [&'static str; 2]| names[usize::from(stepper == "vsp")];
        let refuse = |names, found: String, wanted| {
            Err(Error::Option {
                option: pick(names),
                found,
                wanted,
            })
        };
        let Some(solver) = self.solver else {
            let ordering = ["pgs.ordering", "vsp.ordering"];
            let tolerance = ["pgs.tolerance", "vsp.tolerance"];
            return match (self.ordering, self.tolerance > 0.0) {
                (Ordering::Identity, false) if self.settings == SolverSettings::default() => Ok(()),
                (Ordering::Identity, false) => refuse(
                    ["pgs.settings", "vsp.settings"],
                    "set".into(),
                    "left out, or a `solver` beside them that knows them",
                ),
                (Ordering::Identity, true) => refuse(
                    tolerance,
                    self.tolerance.to_string(),
                    "zero, or a `solver` beside it that can stop there",
                ),
                (found, _) => refuse(
                    ordering,
                    found.to_string(),
                    "`identity`, or a `solver` beside it that can go in this order",
                ),
            };
        };
        if let Err(SolveError::Setting {
            thing,
            value,
            wanted,
        }) = self.settings(1).check()
        {
            return refuse(
                ["pgs.settings", "vsp.settings"],
                format!("{thing} = {value}"),
                wanted,
            );
        }
        if self.gamma > 0.0 {
            return refuse(
                ["pgs.gamma", "vsp.gamma"],
                self.gamma.to_string(),
                "zero beside a `solver`: only the stepper's own sweeps relax",
            );
        }
        if solver == Solver::Local && self.ordering.splits_contacts() {
            return refuse(
                ["pgs.ordering", "vsp.ordering"],
                self.ordering.to_string(),
                "one that keeps the rows of a contact together, for the solver `local`",
            );
        }
        Ok(())
    }

    fn settings(self, iterations: u32) -> Settings {
        let own = self.settings;
        Settings {
            window: own.window,
            aggregates: own.aggregates,
            inner_sweeps: own.inner_sweeps,
            relaxation: own.relaxation,
            record: Record::Nothing,
            ..Settings::to(self.tolerance, iterations)
        }
    }

    /// Solves with the chosen solver, at most `iterations` of it. None if none is chosen, or if
    /// the problem is larger than the dense matrix of the chosen one may be: then the stepper's
    /// own sweeps stand in.
    pub(crate) fn solve(
        self,
        problem: &Problem,
        impulses: &mut [[f64; 3]],
        places: impl FnOnce() -> Vec<Vec3>,
        iterations: u32,
    ) -> Option<Solved> {
        let solver = self.solver?;
        let places = self.ordering.needs_places().then(places);
        let context = Context {
            places: places.as_deref(),
            factored: Some(problem),
            ..Context::default()
        };
        let outcome = solver.solve_operator(
            &FactoredOperator::new(problem),
            context,
            impulses,
            &self.ordering,
            &self.settings(iterations),
            &mut |_| ControlFlow::Continue(()),
        );
        outcome.ok().map(|outcome| Solved {
            delta_v: problem.delta_v(impulses),
            sweeps: outcome.iterations,
        })
    }
}

/// The solvers that the default stepper takes.
pub(crate) const LANE_SOLVERS: &str = "`two-level` or `cone`";

/// A solver in lanes by its name. A truth value is what files said before, whether there is a coarse
/// level.
pub(crate) fn lane_solver<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Solver, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Named {
        Coarse(bool),
        Name(String),
    }
    let name = match Named::deserialize(deserializer)? {
        Named::Coarse(true) => return Ok(Solver::TwoLevel),
        Named::Coarse(false) => return Ok(Solver::Cone),
        Named::Name(name) => name,
    };
    let solver = name.parse::<Solver>().ok();
    let solver = solver.filter(|solver| LaneMethod::of(*solver).is_some());
    solver.ok_or_else(|| {
        let wanted = "one of `two-level`, `cone`";
        serde::de::Error::custom(format!("unknown variant `{name}`, expected {wanted}"))
    })
}

/// The names of the solvers in lanes.
pub(crate) fn lane_solver_names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": [Solver::TwoLevel.name(), Solver::Cone.name()] })
}

/// An ordering by its name; a wrong one is refused in the words of serde, so that whoever reads a
/// file can point at the nearest.
pub(crate) fn ordering_by_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Ordering, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(|_| {
        let known = Ordering::all().into_iter().map(|o| format!("`{o}`"));
        let known = known.collect::<Vec<_>>().join(", ");
        serde::de::Error::custom(format!("unknown variant `{name}`, expected one of {known}"))
    })
}

/// Schema of the name of a solver, which may be left out.
pub(crate) fn solver_names(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<Option<&str>> = (Solver::ALL.iter().map(|solver| Some(solver.name())))
        .chain([None])
        .collect();
    json_schema!({ "type": ["string", "null"], "enum": names })
}

/// The names of all kinds of aggregates.
fn aggregate_names(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Aggregates::ALL.map(Aggregates::name) })
}

/// Schema of the name of an ordering.
pub(crate) fn ordering_names(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<String> = Ordering::all().iter().map(Ordering::to_string).collect();
    json_schema!({ "type": "string", "examples": names })
}
