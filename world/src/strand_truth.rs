//! What must hold of the strands of a scene, and how a run is watched for it.

use std::fmt;

use drystone_base::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::defaults::{all, is_all, is_default};
use crate::truth::{fits, metres, span, when};
use crate::{SceneError, Strand, Subject, World};

/// Something that must hold of strands. Where one names `strands`, `*` stands for any letters. The
/// tip is the last point of a strand's first curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum StrandTruth {
    /// The tip of a strand is at a place.
    TipNear {
        /// Which one.
        strand: String,
        /// [m]
        at: [f64; 3],
        /// [m]
        within: f64,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<f64>,
    },
    /// Every tip is back where it was at the start.
    TipReturns {
        /// Which strands.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        strands: String,
        /// [m]
        within: f64,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<f64>,
    },
    /// No tip is farther than `within` from where it was at `from`.
    TipStays {
        /// Which strands.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        strands: String,
        /// Another point of the first curve instead of the tip.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        point: Option<usize>,
        /// [m]
        within: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// One of the tips has moved at least that far from its start.
    TipMoves {
        /// Which strands.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        strands: String,
        /// Another point of the first curve instead of the tip.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        point: Option<usize>,
        /// [m]
        at_least: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<f64>,
    },
    /// No tip is faster, from step to step.
    TipSpeedBelow {
        /// Which strands.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        strands: String,
        /// [m/s]
        limit: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// The tip of a strand swings past its root with a given period, in the mean.
    TipPeriod {
        /// Which one.
        strand: String,
        /// Direction of the swing.
        along: [f64; 3],
        /// [s]
        period: f64,
        /// [s]
        tolerance: f64,
    },
    /// No strand is deeper in a body than `depth`, anywhere along it, at output frames.
    DepthBelow {
        /// [m]
        depth: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// Every implicit step is solved.
    NoFailedSteps,
    /// Newton's method takes few iterations, in the mean over all steps.
    IterationsBelow {
        /// [1]
        mean: f64,
    },
    /// The energy of the strands (of motion, weight and elasticity) never rises above an earlier value.
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
    /// From root to tip no strand is twisted by more.
    TwistBelow {
        /// Which strands.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        strands: String,
        /// [degrees]
        degrees: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "is_default")]
        from: f64,
        /// [s]
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<f64>,
    },
    /// From root to tip one of the strands is twisted at least by that much at some time.
    Twists {
        /// Which strands.
        #[serde(default = "all", skip_serializing_if = "is_all")]
        strands: String,
        /// [degrees]
        degrees: f64,
    },
    /// The base exerts a given force on a strand, evenly over the last step.
    BaseForce {
        /// Which one.
        strand: String,
        /// [N]
        newtons: f64,
        /// [N]
        tolerance: f64,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<f64>,
    },
    /// So many points of strands touch bodies.
    Contacts {
        /// Fewest.
        at_least: u64,
        /// When; the end if left out [s].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        time: Option<f64>,
    },
    /// Of the grooms that are not to sag, no more than so many cannot be held.
    GroomsHold {
        /// How many may fail.
        #[serde(default, skip_serializing_if = "is_default")]
        but: u64,
    },
}

impl StrandTruth {
    /// The pattern or name of the strands it is about.
    fn about(&self) -> Option<&str> {
        match self {
            Self::TipReturns { strands, .. }
            | Self::TipStays { strands, .. }
            | Self::TipMoves { strands, .. }
            | Self::TipSpeedBelow { strands, .. }
            | Self::TwistBelow { strands, .. }
            | Self::Twists { strands, .. } => Some(strands),
            Self::TipNear { strand, .. }
            | Self::TipPeriod { strand, .. }
            | Self::BaseForce { strand, .. } => Some(strand),
            _ => None,
        }
    }

    /// The point of the first curve it looks at, if not the tip.
    fn point(&self) -> Option<usize> {
        match self {
            Self::TipStays { point, .. } | Self::TipMoves { point, .. } => *point,
            _ => None,
        }
    }

    /// Says whether it speaks of strands that are not there.
    pub(crate) fn validate(&self, strands: &[Strand]) -> Result<(), SceneError> {
        let pattern = self.about().unwrap_or("*");
        if strands.iter().any(|strand| fits(pattern, &strand.name)) {
            return Ok(());
        }
        let known = strands.iter().map(|strand| strand.name.as_str());
        Err(SceneError::unknown(
            Subject::named("truth", self.to_string()),
            "strand",
            pattern,
            known,
        ))
    }
}

impl fmt::Display for StrandTruth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TipNear {
                strand, at, time, ..
            } => {
                write!(
                    f,
                    "the tip of `{strand}` is at {} {}",
                    crate::error::show(at),
                    when(*time)
                )
            }
            Self::TipReturns { strands, time, .. } => {
                write!(f, "the tips of `{strands}` are back {}", when(*time))
            }
            Self::TipStays {
                strands, from, to, ..
            } => {
                write!(
                    f,
                    "the tips of `{strands}` stay in place{}",
                    span(*from, *to)
                )
            }
            Self::TipMoves {
                strands,
                at_least,
                before,
                ..
            } => write!(
                f,
                "a tip of `{strands}` moves at least {}{}",
                metres(*at_least),
                span(0.0, *before)
            ),
            Self::TipSpeedBelow {
                strands,
                limit,
                from,
                to,
            } => write!(
                f,
                "the tips of `{strands}` stay slower than {limit} m/s{}",
                span(*from, *to)
            ),
            Self::TipPeriod { strand, period, .. } => {
                write!(f, "`{strand}` swings with a period of {period} s")
            }
            Self::DepthBelow { depth, from, to } => write!(
                f,
                "strands are no deeper in bodies than {}{}",
                metres(*depth),
                span(*from, *to)
            ),
            Self::NoFailedSteps => write!(f, "every step of the strands is solved"),
            Self::IterationsBelow { mean } => {
                write!(
                    f,
                    "Newton's method takes less than {mean} iterations in the mean"
                )
            }
            Self::EnergyNeverRises {
                tolerance,
                from,
                to,
            } => write!(
                f,
                "the energy of the strands never rises by more than {tolerance:e} J{}",
                span(*from, *to)
            ),
            Self::TwistBelow {
                strands,
                degrees,
                from,
                to,
            } => write!(
                f,
                "`{strands}` stays twisted by less than {degrees} degrees{}",
                span(*from, *to)
            ),
            Self::Twists { strands, degrees } => {
                write!(f, "`{strands}` twists by at least {degrees} degrees")
            }
            Self::BaseForce {
                strand,
                newtons,
                time,
                ..
            } => write!(
                f,
                "the base of `{strand}` exerts {newtons:e} N {}",
                when(*time)
            ),
            Self::Contacts { at_least, time } => {
                write!(
                    f,
                    "at least {at_least} points of strands touch {}",
                    when(*time)
                )
            }
            Self::GroomsHold { but } => write!(f, "all grooms hold but {but}"),
        }
    }
}

/// What there is to see of the strands after one step.
pub(crate) struct StrandMoment<'a> {
    pub world: &'a World,
    pub time: f64,
    pub last: bool,
    pub output: bool,
    /// Half a step of slack in comparisons of times [s].
    pub slack: f64,
}

impl StrandMoment<'_> {
    fn within(&self, from: f64, to: Option<f64>) -> bool {
        self.time >= from - self.slack && to.is_none_or(|to| self.time <= to + self.slack)
    }

    fn is_at(&self, at: Option<f64>) -> bool {
        at.map_or(self.last, |at| self.time >= at - self.slack)
    }
}

/// What has been seen of one truth about strands.
#[derive(Clone, Debug, Default)]
pub(crate) struct StrandWatch {
    /// Strands it is about, and the link that ends in the tip.
    strands: Vec<(usize, usize)>,
    /// Tips when the count began, and at the last look.
    start: Vec<Vec3>,
    before: Option<(f64, Vec<Vec3>)>,
    /// The lowest energy so far.
    lowest: Option<f64>,
    /// First and last time at which the tip came by, and how often in between.
    passes: Option<(f64, f64, u32)>,
    /// The worst or the latest seen.
    pub seen: Option<f64>,
    done: bool,
}

impl StrandWatch {
    pub(crate) fn new(truth: &StrandTruth, world: &World) -> Self {
        let pattern = truth.about().unwrap_or("*");
        let chains = world
            .strands()
            .map_or(&[][..], |system| &system.model.chains);
        let chosen = chains
            .iter()
            .enumerate()
            .filter(|(_, c)| fits(pattern, &c.name));
        let tip = |chain: &drystone_strand::Chain| {
            let own = (0..chain.len()).filter(|&j| chain.source[j].0 == 0);
            let at = |point: usize| chain.link(0, point.checked_sub(1)?);
            let tip = own.max_by_key(|&j| chain.source[j].1);
            truth.point().and_then(at).or(tip).unwrap_or(0)
        };
        Self {
            strands: chosen.map(|(i, chain)| (i, tip(chain))).collect(),
            ..Self::default()
        }
    }

    fn tips(&self, world: &World) -> Vec<Vec3> {
        let Some(system) = world.strands() else {
            return Vec::new();
        };
        let tip = |&(i, link): &(usize, usize)| system.links(i)[link].tip;
        self.strands.iter().map(tip).collect()
    }

    /// Largest distance of a tip from where it was when the count began, which is now if it has not.
    fn farthest(&mut self, world: &World) -> f64 {
        let tips = self.tips(world);
        if self.start.is_empty() {
            self.start.clone_from(&tips);
        }
        let ways = tips
            .iter()
            .zip(&self.start)
            .map(|(a, b)| (*a - *b).length());
        ways.fold(0.0, f64::max)
    }

    fn at_most(&mut self, value: f64) {
        self.seen = Some(self.seen.map_or(value, |seen| seen.max(value)));
    }

    fn once(&mut self, value: f64) {
        (self.seen, self.done) = (Some(value), true);
    }

    /// Looks at the strands at the start and after every step.
    pub(crate) fn look(&mut self, truth: &StrandTruth, moment: &StrandMoment<'_>) {
        let world = moment.world;
        if self.done {
            return;
        }
        match truth {
            StrandTruth::TipNear { at, time, .. } => {
                if moment.is_at(*time) {
                    let tips = self.tips(world);
                    let off = tips
                        .first()
                        .map_or(f64::NAN, |tip| (*tip - Vec3::from(*at)).length());
                    self.once(off);
                }
            }
            StrandTruth::TipReturns { time, .. } => {
                if self.start.is_empty() || moment.is_at(*time) {
                    let far = self.farthest(world);
                    if moment.is_at(*time) {
                        self.once(far);
                    }
                }
            }
            StrandTruth::TipStays { from, to, .. } => {
                if moment.within(*from, *to) {
                    let far = self.farthest(world);
                    self.at_most(far);
                }
            }
            StrandTruth::TipMoves { before, .. } => {
                if moment.within(0.0, *before) {
                    let far = self.farthest(world);
                    self.at_most(far);
                }
            }
            StrandTruth::TipSpeedBelow { from, to, .. } => {
                let tips = self.tips(world);
                if let Some((time, before)) = &self.before
                    && moment.time > *time
                    && moment.within(*from, *to)
                {
                    let ways = tips.iter().zip(before).map(|(a, b)| (*a - *b).length());
                    let speed = ways.fold(0.0, f64::max) / (moment.time - time);
                    self.at_most(speed);
                }
                self.before = Some((moment.time, tips));
            }
            StrandTruth::TipPeriod { along, .. } => self.pass(*along, moment),
            StrandTruth::DepthBelow { from, to, .. } => {
                if moment.output && moment.within(*from, *to) {
                    self.at_most(world.strand_penetration());
                }
            }
            StrandTruth::NoFailedSteps => {
                self.seen = world.strand_total().map(|total| total.failed as f64);
            }
            StrandTruth::IterationsBelow { .. } => {
                self.seen = world
                    .strand_total()
                    .map(|total| total.iteration_figures().0);
            }
            StrandTruth::EnergyNeverRises { from, to, .. } => {
                if moment.within(*from, *to) {
                    let energy: f64 = world.strand_energy().iter().sum();
                    let lowest = self.lowest.unwrap_or(energy);
                    self.at_most(energy - lowest);
                    self.lowest = Some(lowest.min(energy));
                }
            }
            StrandTruth::TwistBelow { from, to, .. } => {
                if moment.within(*from, *to) {
                    self.at_most(self.twist(world));
                }
            }
            StrandTruth::Twists { .. } => self.at_most(self.twist(world)),
            StrandTruth::BaseForce { time, .. } => {
                if moment.is_at(*time)
                    && let (Some(&(i, _)), Some(system)) = (self.strands.first(), world.strands())
                {
                    let [push, _] = system.state.strands[i].base_impulse;
                    self.once(push.length() / world.strand_step());
                }
            }
            StrandTruth::Contacts { time, .. } => {
                if moment.is_at(*time) {
                    self.once(world.strand_contacts() as f64);
                }
            }
            StrandTruth::GroomsHold { .. } => {
                let failed = world.rest_shapes().iter().filter(|shape| !shape.holds());
                self.once(failed.count() as f64);
            }
        }
    }

    /// Largest twist from root to tip along the first curve [degrees].
    fn twist(&self, world: &World) -> f64 {
        let Some(system) = world.strands() else {
            return 0.0;
        };
        let of = |&(i, _): &(usize, usize)| {
            let source = &system.model.chains[i].source;
            let own = system.twist(i).into_iter().zip(source);
            let sum: f64 = own.filter(|(_, s)| s.0 == 0).map(|(turn, _)| turn).sum();
            sum.abs().to_degrees()
        };
        self.strands.iter().map(of).fold(0.0, f64::max)
    }

    /// Notes when the tip passes its root along a direction, and the mean time between such passes.
    fn pass(&mut self, along: [f64; 3], moment: &StrandMoment<'_>) {
        let (Some(&(i, link)), Some(system)) = (self.strands.first(), moment.world.strands())
        else {
            return;
        };
        let links = system.links(i);
        let direction = Vec3::from(along).normalize_or_zero();
        let x = (links[link].tip - links[0].pivot).dot(direction);
        if let Some((time, before)) = &self.before {
            let was = before[0].x;
            if was < 0.0 && x >= 0.0 {
                let when = time + (moment.time - time) * (-was / (x - was));
                self.passes = Some(match self.passes {
                    None => (when, when, 0),
                    Some((first, _, count)) => (first, when, count + 1),
                });
            }
        }
        self.before = Some((moment.time, vec![Vec3::new(x, 0.0, 0.0)]));
        if let Some((first, last, count)) = self.passes
            && count > 0
        {
            self.seen = Some((last - first) / f64::from(count));
        }
    }

    /// What was asked for, and how a value is shown and judged.
    #[allow(clippy::type_complexity)]
    pub(crate) fn judgement(
        truth: &StrandTruth,
    ) -> (String, fn(f64) -> String, Box<dyn Fn(f64) -> bool + '_>) {
        fn plain(x: f64) -> String {
            format!("{x:.4e}")
        }
        fn degrees(x: f64) -> String {
            format!("{x:.2} degrees")
        }
        fn count(x: f64) -> String {
            format!("{x}")
        }
        fn seconds(x: f64) -> String {
            format!("{x:.5} s")
        }
        match truth {
            StrandTruth::TipNear { within, .. }
            | StrandTruth::TipReturns { within, .. }
            | StrandTruth::TipStays { within, .. } => {
                let wanted = format!("within {}", metres(*within));
                (wanted, metres, Box::new(move |x| x <= *within))
            }
            StrandTruth::TipMoves { at_least, .. } => {
                let wanted = format!("at least {}", metres(*at_least));
                (wanted, metres, Box::new(move |x| x >= *at_least))
            }
            StrandTruth::TipSpeedBelow { limit, .. } => {
                let wanted = format!("at most {limit} m/s");
                (wanted, plain, Box::new(move |x| x <= *limit))
            }
            StrandTruth::TipPeriod {
                period, tolerance, ..
            } => {
                let wanted = format!("{period} +- {tolerance} s");
                let holds = move |x: f64| (x - period).abs() <= *tolerance;
                (wanted, seconds, Box::new(holds))
            }
            StrandTruth::DepthBelow { depth, .. } => {
                let wanted = format!("at most {}", metres(*depth));
                (wanted, metres, Box::new(move |x| x <= *depth))
            }
            StrandTruth::NoFailedSteps => ("0".into(), count, Box::new(|x| x == 0.0)),
            StrandTruth::IterationsBelow { mean } => {
                let wanted = format!("at most {mean}");
                (wanted, |x| format!("{x:.2}"), Box::new(move |x| x <= *mean))
            }
            StrandTruth::EnergyNeverRises { tolerance, .. } => {
                let wanted = format!("at most {tolerance:e} J");
                (
                    wanted,
                    |x| format!("{x:.1e} J"),
                    Box::new(move |x| x <= *tolerance),
                )
            }
            StrandTruth::TwistBelow { degrees: most, .. } => {
                let wanted = format!("at most {most} degrees");
                (wanted, degrees, Box::new(move |x| x <= *most))
            }
            StrandTruth::Twists { degrees: least, .. } => {
                let wanted = format!("at least {least} degrees");
                (wanted, degrees, Box::new(move |x| x >= *least))
            }
            StrandTruth::BaseForce {
                newtons, tolerance, ..
            } => {
                let wanted = format!("{newtons:e} +- {tolerance:e} N");
                let holds = move |x: f64| (x - newtons).abs() <= *tolerance;
                (wanted, |x| format!("{x:.5e} N"), Box::new(holds))
            }
            StrandTruth::Contacts { at_least, .. } => {
                let wanted = format!("at least {at_least}");
                (wanted, count, Box::new(move |x| x >= *at_least as f64))
            }
            StrandTruth::GroomsHold { but } => {
                let wanted = format!("at most {but} fail");
                (wanted, count, Box::new(move |x| x <= *but as f64))
            }
        }
    }
}
