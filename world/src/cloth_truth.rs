//! What must hold of the cloth of a scene, and how a run is watched for it.

use std::fmt;

use drystone_base::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::defaults::{all, is_all, is_default};
use crate::truth::{fits, metres, span};
use crate::{Cloth, SceneError, Subject, World};

fn gain_share() -> f64 {
    drystone_cloth::GAIN_SHARE
}

/// Something that must hold of cloth. Where one names `cloths`, `*` stands for any letters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClothTruth {
    /// Nothing passes through anything, by exact predicates at output frames.
    NoCrossings,
    /// Time never stands still.
    NoStall,
    /// Time stands still, since what is asked for cannot be done without passing through something.
    Stalls {
        /// By then at the latest [s].
        before: f64,
    },
    /// No pair ever needs a deeper layer.
    LayersBelow {
        /// The deepest.
        most: u32,
    },
    /// Some pair needs so many layers at some time.
    LayersReach {
        /// The deepest, at least.
        least: u32,
    },
    /// At every step one of the vertices is as fast: they have not come to rest.
    KeepsMoving {
        /// Which cloth.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        cloths: String,
        /// [m/s]
        speed: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// In the end a vertex in a column hangs so much lower than something: between nails, or over an edge.
    Sags {
        /// Which cloth.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        cloths: String,
        /// Least and largest x and z of the column [m].
        column: [[f64; 2]; 2],
        /// Height that the depth is measured from [m].
        top: f64,
        /// At least [m].
        depth: f64,
    },
    /// In the end all of it together is no longer along a direction.
    Extent {
        /// Which cloth.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        cloths: String,
        /// Of length 1.
        along: [f64; 3],
        /// [m]
        most: f64,
    },
    /// In the end they share no more of a direction: from where the others begin to where these end, as of two ribbons
    /// that are knotted.
    Overlap {
        /// Which cloth.
        cloths: String,
        /// With which others.
        with: String,
        /// From the cloth to the others, of length 1.
        along: [f64; 3],
        /// [m]
        most: f64,
    },
    /// No vertex is faster.
    SpeedBelow {
        /// Which cloth.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        cloths: String,
        /// [m/s]
        limit: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// One of the vertices is as fast at the end of some step.
    Reaches {
        /// Which cloth.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        cloths: String,
        /// [m/s]
        speed: f64,
    },
    /// No vertex is lower.
    Above {
        /// Which cloth.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        cloths: String,
        /// [m]
        height: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
    },
    /// One of the vertices is lower at some time.
    Sinks {
        /// Which cloth.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        cloths: String,
        /// [m]
        below: f64,
    },
    /// One of the vertices is higher at some time.
    Rises {
        /// Which cloth.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        cloths: String,
        /// [m]
        above: f64,
    },
    /// In the end a plane across one of the axes is between them: none is around another.
    Apart {
        /// Which cloth.
        cloths: String,
        /// From which others.
        from: String,
    },
    /// At no time is there a plane across one of the axes between them.
    Together {
        /// Which cloth.
        cloths: String,
        /// With which others.
        with: String,
    },
    /// The energy of the cloth (of motion, weight, elasticity and layers) never rises above an earlier
    /// value.
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
    /// The cloth never has more energy (of motion, weight and elasticity) than it had at the start and than bodies, pins,
    /// hands, loads and air have put in since.
    EnergyNeverGained {
        /// Surplus allowed, as a share of the most energy of motion, elasticity and layers so far [1].
        #[serde(default = "gain_share")]
        share: f64,
    },
    /// Momentum stays as it was at the start; for what is free of gravity and of obstacles.
    MomentumKept {
        /// As a part of momentum and angular momentum about the origin at the start [1].
        tolerance: f64,
    },
}

impl ClothTruth {
    fn about(&self) -> &str {
        match self {
            Self::SpeedBelow { cloths, .. }
            | Self::KeepsMoving { cloths, .. }
            | Self::Sags { cloths, .. }
            | Self::Extent { cloths, .. }
            | Self::Overlap { cloths, .. }
            | Self::Reaches { cloths, .. }
            | Self::Above { cloths, .. }
            | Self::Sinks { cloths, .. }
            | Self::Rises { cloths, .. }
            | Self::Apart { cloths, .. }
            | Self::Together { cloths, .. } => cloths,
            _ => "*",
        }
    }

    /// The others that it is about.
    fn others(&self) -> &str {
        match self {
            Self::Apart { from: others, .. }
            | Self::Together { with: others, .. }
            | Self::Overlap { with: others, .. } => others,
            _ => self.about(),
        }
    }

    /// Says whether it speaks of cloth that is not there.
    pub(crate) fn validate(&self, cloths: &[Cloth]) -> Result<(), SceneError> {
        for about in [self.about(), self.others()] {
            if !cloths.iter().any(|cloth| fits(about, &cloth.name)) {
                let known = cloths.iter().map(|cloth| cloth.name.as_str());
                let place = Subject::named("truth", self.to_string());
                return Err(SceneError::unknown(place, "cloth", about, known));
            }
        }
        Ok(())
    }
}

impl fmt::Display for ClothTruth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCrossings => write!(f, "nothing passes through anything"),
            Self::NoStall => write!(f, "time never stands still"),
            Self::Stalls { before } => write!(f, "a stall is reported before {before} s"),
            Self::LayersBelow { most } => write!(f, "no pair needs more than {most} layers"),
            Self::LayersReach { least } => write!(f, "some pair needs {least} layers"),
            Self::KeepsMoving {
                cloths,
                speed,
                from,
                to,
            } => write!(
                f,
                "`{cloths}` keeps moving at {speed} m/s{}",
                span(*from, *to)
            ),
            Self::Sags {
                cloths, depth, top, ..
            } => write!(
                f,
                "`{cloths}` ends {} below {}",
                metres(*depth),
                metres(*top)
            ),
            Self::Extent { cloths, most, .. } => {
                write!(f, "`{cloths}` ends no longer than {}", metres(*most))
            }
            Self::Overlap {
                cloths, with, most, ..
            } => write!(
                f,
                "`{cloths}` and `{with}` end with {} in common",
                metres(*most)
            ),
            Self::SpeedBelow {
                cloths,
                limit,
                from,
                to,
            } => write!(
                f,
                "`{cloths}` stays slower than {limit} m/s{}",
                span(*from, *to)
            ),
            Self::Reaches { cloths, speed } => write!(f, "`{cloths}` reaches {speed} m/s"),
            Self::Above {
                cloths,
                height,
                from,
            } => write!(
                f,
                "`{cloths}` stays above {}{}",
                metres(*height),
                span(*from, None)
            ),
            Self::Sinks { cloths, below } => {
                write!(f, "`{cloths}` sinks below {}", metres(*below))
            }
            Self::Rises { cloths, above } => {
                write!(f, "`{cloths}` rises above {}", metres(*above))
            }
            Self::Apart { cloths, from } => write!(f, "`{cloths}` comes free of `{from}`"),
            Self::Together { cloths, with } => write!(f, "`{cloths}` stays with `{with}`"),
            Self::EnergyNeverRises {
                tolerance,
                from,
                to,
            } => write!(
                f,
                "the energy of the cloth never rises by more than {tolerance:e} J{}",
                span(*from, *to)
            ),
            Self::EnergyNeverGained { .. } => {
                write!(f, "the cloth has no more energy than was put in")
            }
            Self::MomentumKept { .. } => write!(f, "the momentum of the cloth is kept"),
        }
    }
}

/// What has been seen of one truth about cloth.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClothWatch {
    /// Cloth it is about, and the others.
    chosen: Vec<usize>,
    others: Vec<usize>,
    lowest: Option<f64>,
    momentum: Option<[Vec3; 2]>,
    /// The worst seen.
    pub seen: Option<f64>,
}

/// When a look is taken.
pub(crate) struct ClothMoment<'a> {
    pub world: &'a World,
    pub time: f64,
    pub output: bool,
    /// Half a step of slack in comparisons of times [s].
    pub slack: f64,
}

/// Least and largest coordinate of some cloths along a direction [m].
fn reach(system: &drystone_cloth::System, cloths: &[usize], along: [f64; 3]) -> (f64, f64) {
    let points = cloths.iter().flat_map(|&i| system.points(i));
    let heights = points.map(|p| p.dot(Vec3::from(along)));
    heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    })
}

impl ClothWatch {
    pub(crate) fn new(truth: &ClothTruth, world: &World) -> Self {
        let called = |name: &str| {
            let cloths = world.scene().cloths.iter().enumerate();
            let called = cloths.filter(|(_, cloth)| fits(name, &cloth.name));
            called.map(|(i, _)| i).collect()
        };
        Self {
            chosen: called(truth.about()),
            others: called(truth.others()),
            ..Self::default()
        }
    }

    fn at_most(&mut self, value: f64) {
        self.seen = Some(self.seen.map_or(value, |seen| seen.max(value)));
    }

    /// Looks at the cloth at the start and after every step.
    pub(crate) fn look(&mut self, truth: &ClothTruth, moment: &ClothMoment<'_>) {
        let Some(system) = moment.world.cloths() else {
            return;
        };
        let within = |from: f64, to: Option<f64>| {
            let late = moment.time >= from - moment.slack;
            late && to.is_none_or(|to| moment.time <= to + moment.slack)
        };
        match truth {
            ClothTruth::NoCrossings => {
                if moment.output {
                    self.at_most(system.crossings().len() as f64);
                }
            }
            ClothTruth::NoStall | ClothTruth::Stalls { .. } => {
                self.seen = Some(system.stall().map_or(-1.0, |stall| stall.time));
            }
            ClothTruth::LayersBelow { .. } => {
                let total = moment.world.cloth_total();
                self.at_most(total.map_or(0.0, |total| f64::from(total.deepest_layer)));
            }
            ClothTruth::LayersReach { .. } => {
                let total = moment.world.cloth_total();
                self.at_most(total.map_or(0.0, |total| f64::from(total.deepest_layer)));
            }
            ClothTruth::KeepsMoving { from, to, .. } => {
                if within(*from, *to) {
                    self.least(self.fastest(system));
                }
            }
            ClothTruth::Sags { column, top, .. } => {
                let [low, high] = column;
                let inside = |p: &Vec3| {
                    (low[0]..=high[0]).contains(&p.x) && (low[1]..=high[1]).contains(&p.z)
                };
                let points = self.chosen.iter().flat_map(|&i| system.points(i));
                let depths = points.filter(inside).map(|p| top - p.y);
                self.seen = Some(depths.fold(f64::NEG_INFINITY, f64::max));
            }
            ClothTruth::Extent { along, .. } => {
                let (low, high) = reach(system, &self.chosen, *along);
                self.seen = Some(high - low);
            }
            ClothTruth::Overlap { along, .. } => {
                let (_, end) = reach(system, &self.chosen, *along);
                let (begin, _) = reach(system, &self.others, *along);
                self.seen = Some(end - begin);
            }
            ClothTruth::SpeedBelow { from, to, .. } => {
                if within(*from, *to) {
                    self.at_most(self.fastest(system));
                }
            }
            ClothTruth::Reaches { .. } => self.at_most(self.fastest(system)),
            ClothTruth::Above { from, .. } => {
                if within(*from, None) {
                    self.least(self.height(system));
                }
            }
            ClothTruth::Sinks { .. } => self.least(self.height(system)),
            ClothTruth::Rises { .. } => {
                let points = self.chosen.iter().flat_map(|&i| system.points(i));
                self.at_most(points.map(|p| p.y).fold(f64::NEG_INFINITY, f64::max));
            }
            ClothTruth::Apart { .. } => self.seen = Some(self.gap(system)),
            ClothTruth::Together { .. } => self.at_most(self.gap(system)),
            ClothTruth::EnergyNeverRises { from, to, .. } => {
                if within(*from, *to) {
                    let energy = system.energy().total();
                    let lowest = self.lowest.unwrap_or(energy);
                    self.at_most(energy - lowest);
                    self.lowest = Some(lowest.min(energy));
                }
            }
            ClothTruth::EnergyNeverGained { .. } => {
                self.at_most(moment.world.report().cloth.surplus.share());
            }
            ClothTruth::MomentumKept { .. } => {
                let (linear, angular) = system.momentum();
                let [p, l] = *self.momentum.get_or_insert([linear, angular]);
                let scale = (p.length() + l.length()).max(1e-30);
                let off = (linear - p).length() + (angular - l).length();
                self.at_most(off / scale);
            }
        }
    }

    fn fastest(&self, system: &drystone_cloth::System) -> f64 {
        let speeds = self.chosen.iter().flat_map(|&i| system.velocities(i));
        speeds.map(|v| v.length()).fold(0.0, f64::max)
    }

    fn least(&mut self, value: f64) {
        self.seen = Some(self.seen.map_or(value, |seen| seen.min(value)));
    }

    /// Widest gap across an axis between the boxes around both; below zero where they overlap [m].
    fn gap(&self, system: &drystone_cloth::System) -> f64 {
        let around = |cloths: &[usize]| {
            let none = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            let points = cloths.iter().flat_map(|&i| system.points(i));
            points.fold(none, |(low, high), p| (low.min(p), high.max(p)))
        };
        let (one, two) = (around(&self.chosen), around(&self.others));
        (one.0 - two.1).max(two.0 - one.1).max_element()
    }

    fn height(&self, system: &drystone_cloth::System) -> f64 {
        let points = self.chosen.iter().flat_map(|&i| system.points(i));
        points.map(|p| p.y).fold(f64::INFINITY, f64::min)
    }

    /// What was asked for, and how a value is shown and judged.
    #[allow(clippy::type_complexity)]
    pub(crate) fn judgement(
        truth: &ClothTruth,
    ) -> (String, fn(f64) -> String, Box<dyn Fn(f64) -> bool + '_>) {
        fn count(x: f64) -> String {
            format!("{x}")
        }
        fn plain(x: f64) -> String {
            format!("{x:.3e}")
        }
        fn stall(x: f64) -> String {
            match x < 0.0 {
                true => "none".into(),
                false => format!("at {x:.4} s"),
            }
        }
        match truth {
            ClothTruth::NoCrossings => ("0".into(), count, Box::new(|x| x == 0.0)),
            ClothTruth::NoStall => ("none".into(), stall, Box::new(|x| x < 0.0)),
            ClothTruth::Stalls { before } => (
                format!("before {before} s"),
                stall,
                Box::new(move |x| (0.0..=*before).contains(&x)),
            ),
            ClothTruth::LayersBelow { most } => (
                format!("at most {most}"),
                count,
                Box::new(move |x| x <= f64::from(*most)),
            ),
            ClothTruth::LayersReach { least } => (
                format!("at least {least}"),
                count,
                Box::new(move |x| x >= f64::from(*least)),
            ),
            ClothTruth::KeepsMoving { speed, .. } => {
                let wanted = format!("at least {speed} m/s");
                (wanted, plain, Box::new(move |x| x >= *speed))
            }
            ClothTruth::Sags { depth, .. } => {
                let wanted = format!("at least {}", metres(*depth));
                (wanted, metres, Box::new(move |x| x >= *depth))
            }
            ClothTruth::Extent { most, .. } | ClothTruth::Overlap { most, .. } => {
                let wanted = format!("at most {}", metres(*most));
                (wanted, metres, Box::new(move |x| x <= *most))
            }
            ClothTruth::SpeedBelow { limit, .. } => {
                let wanted = format!("at most {limit} m/s");
                (wanted, plain, Box::new(move |x| x <= *limit))
            }
            ClothTruth::Reaches { speed, .. } => {
                let wanted = format!("at least {speed} m/s");
                (wanted, plain, Box::new(move |x| x >= *speed))
            }
            ClothTruth::Above { height, .. } => {
                let wanted = format!("at least {}", metres(*height));
                (wanted, metres, Box::new(move |x| x >= *height))
            }
            ClothTruth::Sinks { below, .. } => {
                let wanted = format!("at most {}", metres(*below));
                (wanted, metres, Box::new(move |x| x <= *below))
            }
            ClothTruth::Rises { above, .. } => {
                let wanted = format!("at least {}", metres(*above));
                (wanted, metres, Box::new(move |x| x >= *above))
            }
            ClothTruth::Apart { .. } => ("a gap".into(), metres, Box::new(|x| x > 0.0)),
            ClothTruth::Together { .. } => ("no gap".into(), metres, Box::new(|x| x <= 0.0)),
            ClothTruth::EnergyNeverRises { tolerance, .. } => {
                let wanted = format!("at most {tolerance:e} J");
                (wanted, plain, Box::new(move |x| x <= *tolerance))
            }
            ClothTruth::EnergyNeverGained { share } => {
                let wanted = format!("at most {share:e} of that at work");
                (wanted, plain, Box::new(move |x| x <= *share))
            }
            ClothTruth::MomentumKept { tolerance } => {
                let wanted = format!("at most {tolerance:e}");
                (wanted, plain, Box::new(move |x| x <= *tolerance))
            }
        }
    }
}
