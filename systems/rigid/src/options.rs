//! How a step is taken.

use drystone_complementarity::in_lanes::LaneMethod;
use drystone_complementarity::{Ordering, Solver};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::solver_choice::{
    LANE_SOLVERS, SolverChoice, SolverSettings, lane_solver, lane_solver_names, ordering_by_name,
    ordering_names, solver_names,
};
use crate::{Error, Tuning};

/// Which method advances the bodies. Each is one file with the same verbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Stepper {
    /// Hard substeps; the stack layers are the coarse level of a two-level solve. The default.
    #[default]
    #[serde(alias = "coursed")]
    TwoLevel,
    /// Velocity-based shock propagation (Erleben 2007, Fig. 14).
    Vsp,
    /// Plain projected Gauss-Seidel time stepping.
    Pgs,
    /// Projected Gauss-Seidel and a final projection of the positions.
    PgsProjection,
    /// Impulse-based shock propagation (Guendelman 2003).
    Isp,
    /// Substepped soft contacts.
    Soft,
}

impl Stepper {
    /// Every stepper, default first.
    pub const ALL: [Self; 6] = [
        Self::TwoLevel,
        Self::Vsp,
        Self::Pgs,
        Self::PgsProjection,
        Self::Isp,
        Self::Soft,
    ];

    /// Its name in scene files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TwoLevel => "two-level",
            Self::Vsp => "vsp",
            Self::Pgs => "pgs",
            Self::PgsProjection => "pgs-projection",
            Self::Isp => "isp",
            Self::Soft => "soft",
        }
    }
}

/// Everything a user may set about the step. Each field has a default that needs no tuning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// Which method advances the bodies.
    pub stepper: Stepper,
    /// Whether bodies at rest stop being simulated until something wakes them.
    pub sleeping: bool,
    /// The default stepper.
    #[serde(alias = "coursed", alias = "two-level")]
    pub two_level: TwoLevelOptions,
    /// The published stepper and its repairs.
    pub vsp: VspOptions,
    /// The plain Gauss-Seidel steppers `pgs` and `pgs-projection`.
    pub pgs: PgsOptions,
    /// Impulse-based shock propagation.
    pub isp: IspOptions,
    /// Substepped soft contacts.
    pub soft: SoftOptions,
    /// Dimensionless numbers of detection and of the default stepper.
    pub tuning: Tuning,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            stepper: Stepper::TwoLevel,
            sleeping: false,
            two_level: TwoLevelOptions::default(),
            vsp: VspOptions::default(),
            pgs: PgsOptions::default(),
            isp: IspOptions::default(),
            soft: SoftOptions::default(),
            tuning: Tuning::default(),
        }
    }
}

/// How many digits the solver keeps; positions and velocities are always double.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Precision {
    /// Double for small islands, single for large ones.
    #[default]
    Auto,
    /// Seven digits, eight contacts at a time.
    Single,
    /// Sixteen digits, about half as fast.
    Double,
}

/// How the default stepper answers impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Impacts {
    /// Rounds of generalised reflections (Smith 2012): what approaches is reflected, then what
    /// approaches because of that, and so on. Keeps energy at a restitution of one, and passes a
    /// blow on through touching rows.
    #[default]
    Reflections,
    /// Newton's law at all contacts in one solve.
    Newton,
}

/// Options of the default stepper.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TwoLevelOptions {
    /// Substeps in a step.
    pub substeps: u32,
    /// Cone sweeps after each coarse solve.
    pub sweeps: u32,
    /// Most rounds of coarse solve and sweeps in a substep; a quiet island needs one.
    pub rounds: u32,
    /// The solver of the contacts, by name: `two-level`, with the stack layers as a coarse level, or
    /// `cone`, sweeps alone.
    #[serde(alias = "coarse", deserialize_with = "lane_solver")]
    #[schemars(schema_with = "lane_solver_names")]
    pub solver: Solver,
    /// How impacts are answered.
    pub impacts: Impacts,
    /// Most sweeps of reflections in a substep; what still approaches then does not bounce.
    pub impact_sweeps: u32,
    /// Sweeps of the position correction.
    pub correction_sweeps: u32,
    /// How many digits the solver keeps.
    pub precision: Precision,
}

impl Default for TwoLevelOptions {
    fn default() -> Self {
        Self {
            substeps: 4,
            sweeps: 4,
            rounds: 20,
            solver: Solver::TwoLevel,
            impacts: Impacts::Reflections,
            impact_sweeps: 64,
            correction_sweeps: 5,
            precision: Precision::Auto,
        }
    }
}

impl TwoLevelOptions {
    /// The chosen solver in lanes.
    pub(crate) fn method(&self) -> LaneMethod {
        LaneMethod::of(self.solver).unwrap_or_default()
    }
}

/// Options of velocity-based shock propagation. The default is the preset `paper` but for `free_turn`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VspOptions {
    /// Part of the step taken before shock propagation, `a` of Fig. 14.
    pub fraction: f64,
    /// Gauss-Seidel sweeps of each `dynamics`; with a `solver` its most iterations.
    pub sweeps: u32,
    /// Another solver of each `dynamics`, by name. None: the published sweeps.
    #[schemars(schema_with = "solver_names")]
    pub solver: Option<Solver>,
    /// Order in which the `solver` visits the rows, by name.
    #[serde(deserialize_with = "ordering_by_name")]
    #[schemars(schema_with = "ordering_names")]
    pub ordering: Ordering,
    /// Scale-free residual at which the `solver` stops before `sweeps` iterations are done; zero:
    /// never \[1\].
    pub tolerance: f64,
    /// Parameters of the method of the `solver`.
    pub settings: SolverSettings,
    /// Gauss-Seidel sweeps of each `correction`.
    pub correction_sweeps: u32,
    /// Relaxation γ of eq. 41, scaled by 1/h and fading to zero over the sweeps.
    pub gamma: f64,
    /// Repair: inside a layer, positions are corrected before bodies move, as distances were measured there.
    pub correct_first: bool,
    /// Repair: a fixated body keeps its velocity, only its mass is frozen.
    pub keep_velocity: bool,
    /// Repair: an open gap may close within the step (`b + distance/h`).
    pub speculative: bool,
    /// Repair: start from the impulses of the last step.
    pub warm_start: bool,
    /// Repair: the friction cone instead of the pyramid.
    pub cone: bool,
    /// Repair: split into islands before the stack analysis.
    pub islands: bool,
    /// Repair: measure distances again after each layer's correction.
    pub redistance: bool,
    /// Repair: bodies turn by a rule that keeps energy and angular momentum, instead of the explicit
    /// gyroscopic term of eq. 18, with which slender bodies that spin gain energy without bound. The
    /// preset `paper` alone is without it.
    pub free_turn: bool,
    /// Repair: all that meets within the step bounces in the first, unfixated `dynamics`, and
    /// nothing does in a layer. Otherwise, with `keep_velocity`, a body bounces off a support that
    /// has just bounced, and a stack multiplies its smallest motion by `1 + e` a layer.
    pub bounce_once: bool,
}

impl Default for VspOptions {
    fn default() -> Self {
        Self {
            fraction: 0.00125,
            sweeps: 10,
            solver: None,
            ordering: Ordering::Identity,
            tolerance: 0.0,
            settings: SolverSettings::default(),
            correction_sweeps: 5,
            gamma: 0.0,
            correct_first: false,
            keep_velocity: false,
            speculative: false,
            warm_start: false,
            cone: false,
            islands: false,
            redistance: false,
            free_turn: true,
            bounce_once: false,
        }
    }
}

/// Options of the plain Gauss-Seidel steppers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PgsOptions {
    /// Sweeps of the velocity solve; with a `solver` its most iterations.
    pub sweeps: u32,
    /// Another solver of the velocities, by name. None: plain projected Gauss-Seidel.
    #[schemars(schema_with = "solver_names")]
    pub solver: Option<Solver>,
    /// Order in which the `solver` visits the rows, by name.
    #[serde(deserialize_with = "ordering_by_name")]
    #[schemars(schema_with = "ordering_names")]
    pub ordering: Ordering,
    /// Scale-free residual at which the `solver` stops before `sweeps` iterations are done; zero:
    /// never \[1\].
    pub tolerance: f64,
    /// Parameters of the method of the `solver`.
    pub settings: SolverSettings,
    /// Sweeps of the projection (`pgs-projection` only).
    pub correction_sweeps: u32,
    /// Start from the impulses of the last step.
    pub warm_start: bool,
    /// Fraction of the depth corrected through velocity each step (`pgs` only).
    pub stabilisation: f64,
    /// Relaxation γ of eq. 41.
    pub gamma: f64,
}

impl Default for PgsOptions {
    fn default() -> Self {
        Self {
            sweeps: 10,
            solver: None,
            ordering: Ordering::Identity,
            tolerance: 0.0,
            settings: SolverSettings::default(),
            correction_sweeps: 5,
            warm_start: false,
            stabilisation: 0.2,
            gamma: 0.0,
        }
    }
}

/// Options of impulse-based shock propagation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IspOptions {
    /// Passes of the collision stage.
    pub collision_passes: u32,
    /// Passes of the contact stage.
    pub contact_passes: u32,
    /// Rounds over the contacts of each layer in the shock stage, without a new query.
    pub shock_rounds: u32,
}

impl Default for IspOptions {
    fn default() -> Self {
        Self {
            collision_passes: 5,
            contact_passes: 10,
            shock_rounds: 5,
        }
    }
}

/// Options of substepped soft contacts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SoftOptions {
    /// Substeps in a step.
    pub substeps: u32,
    /// Frequency of the contact spring \[Hz\].
    pub hertz: f64,
    /// Damping ratio of the contact spring \[1\].
    pub damping_ratio: f64,
    /// Fastest push out of a penetration \[m/s\].
    pub push_speed: f64,
    /// A contact that approaches more slowly than gravity accelerates in so many steps does not
    /// bounce \[1\].
    pub rest_steps: f64,
    /// How much stiffer the spring is against fixed and scripted bodies: factor on its
    /// frequency \[1\].
    pub fixed_factor: f64,
}

impl Default for SoftOptions {
    fn default() -> Self {
        Self {
            substeps: 8,
            hertz: 120.0,
            damping_ratio: 10.0,
            push_speed: 3.0,
            rest_steps: 1.0,
            fixed_factor: 1.0,
        }
    }
}

impl Options {
    /// Options by name: `default`; `paper` (Erleben 2007 as printed); `repaired` (the published
    /// method with every repair); `converged` (the default stepper solved to the end, slow).
    pub const PRESETS: [&'static str; 4] = ["default", "paper", "repaired", "converged"];

    /// The options called `name`, if there are such.
    pub fn preset(name: &str) -> Option<Self> {
        let default = Self::default();
        Some(match name {
            "default" => default,
            "paper" => Self {
                stepper: Stepper::Vsp,
                vsp: VspOptions {
                    free_turn: false,
                    ..VspOptions::default()
                },
                ..default
            },
            "repaired" => Self {
                stepper: Stepper::Vsp,
                vsp: VspOptions {
                    correct_first: true,
                    keep_velocity: true,
                    speculative: true,
                    warm_start: true,
                    cone: true,
                    islands: true,
                    redistance: true,
                    bounce_once: true,
                    ..VspOptions::default()
                },
                ..default
            },
            "converged" => Self {
                two_level: TwoLevelOptions {
                    sweeps: 40,
                    rounds: 8,
                    ..default.two_level
                },
                ..default
            },
            _ => return None,
        })
    }

    /// How much time the impulses kept in the contacts stand for, out of a step of `dt` \[s\]:
    /// those of a substepped method are of its last substep.
    pub fn impulse_span(&self, dt: f64) -> f64 {
        match self.stepper {
            Stepper::TwoLevel => dt / f64::from(self.two_level.substeps),
            Stepper::Soft => dt / f64::from(self.soft.substeps),
            Stepper::Vsp | Stepper::Pgs | Stepper::PgsProjection | Stepper::Isp => dt,
        }
    }

    /// Says which option is out of range, if one is.
    pub fn validate(&self) -> Result<(), Error> {
        // how faults are named
        let positive = |option: &'static str, x: f64| {
            if x > 0.0 && x.is_finite() {
                Ok(())
            } else {
                Err(Error::Option {
                    option,
                    found: x.to_string(),
                    wanted: "more than zero, finite",
                })
            }
        };
        let not_negative = |option: &'static str, x: f64| {
            if x >= 0.0 && x.is_finite() {
                Ok(())
            } else {
                Err(Error::Option {
                    option,
                    found: x.to_string(),
                    wanted: "zero or more, finite",
                })
            }
        };
        let count = |option: &'static str, n: u32| {
            if (1..=100_000).contains(&n) {
                Ok(())
            } else {
                Err(Error::Option {
                    option,
                    found: n.to_string(),
                    wanted: "1 to 100000",
                })
            }
        };
        // each stepper in turn
        self.tuning.validate()?;
        count("two_level.substeps", self.two_level.substeps)?;
        if LaneMethod::of(self.two_level.solver).is_none() {
            return Err(Error::Option {
                option: "two_level.solver",
                found: self.two_level.solver.to_string(),
                wanted: LANE_SOLVERS,
            });
        }
        count("two_level.sweeps", self.two_level.sweeps)?;
        count("two_level.rounds", self.two_level.rounds)?;
        count("two_level.impact_sweeps", self.two_level.impact_sweeps)?;
        if !(0.0..=1.0).contains(&self.vsp.fraction) {
            return Err(Error::Option {
                option: "vsp.fraction",
                found: self.vsp.fraction.to_string(),
                wanted: "0 to 1",
            });
        }
        count("vsp.sweeps", self.vsp.sweeps)?;
        count("vsp.correction_sweeps", self.vsp.correction_sweeps)?;
        not_negative("vsp.gamma", self.vsp.gamma)?;
        not_negative("vsp.tolerance", self.vsp.tolerance)?;
        SolverChoice::of_vsp(&self.vsp).validate("vsp")?;
        count("pgs.sweeps", self.pgs.sweeps)?;
        count("pgs.correction_sweeps", self.pgs.correction_sweeps)?;
        not_negative("pgs.stabilisation", self.pgs.stabilisation)?;
        not_negative("pgs.gamma", self.pgs.gamma)?;
        not_negative("pgs.tolerance", self.pgs.tolerance)?;
        SolverChoice::of_pgs(&self.pgs).validate("pgs")?;
        count("isp.collision_passes", self.isp.collision_passes)?;
        count("isp.contact_passes", self.isp.contact_passes)?;
        count("isp.shock_rounds", self.isp.shock_rounds)?;
        count("soft.substeps", self.soft.substeps)?;
        positive("soft.hertz", self.soft.hertz)?;
        positive("soft.damping_ratio", self.soft.damping_ratio)?;
        positive("soft.push_speed", self.soft.push_speed)?;
        not_negative("soft.rest_steps", self.soft.rest_steps)?;
        positive("soft.fixed_factor", self.soft.fixed_factor)
    }
}
