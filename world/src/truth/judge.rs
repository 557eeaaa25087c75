//! Runs a scene and holds it to its truths: when each is sampled, which sample counts, and what will do.

use serde::{Deserialize, Serialize};

use super::quantity::{Moment, Past};
use super::{Row, System, Truth, stays_finite};
use crate::{Finding, Report, Scene, SceneError, World};

/// Whether a truth holds, and what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The truth in one line.
    pub truth: String,
    /// What it asks for.
    pub wanted: String,
    /// What was found.
    pub measured: String,
    /// The measured value as a number, in SI units; a fraction, a count or a time where the truth is about one.
    pub value: f64,
    /// Whether it holds.
    pub holds: bool,
}

/// Progress of a check.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// The world being run.
    pub world: &'a World,
    /// Report of the last step.
    pub report: &'a Report,
    /// Simulated time at which the run ends \[s\].
    pub duration: f64,
}

/// Runs `scene` once and judges all of its truths; `progress` hears of every step.
pub fn check(
    scene: &Scene,
    progress: impl FnMut(Progress<'_>),
) -> Result<Vec<Verdict>, SceneError> {
    let (truths, duration) = (&scene.truths, scene.duration);
    let mut world = World::new(scene)?;
    Ok(check_world(&mut world, truths, duration, progress))
}

/// Runs `world` to the time `duration` \[s\] and judges `truths`; `progress` hears of every step.
pub fn check_world(
    world: &mut World,
    truths: &[Truth],
    duration: f64,
    mut progress: impl FnMut(Progress<'_>),
) -> Vec<Verdict> {
    let mut judge = Judge::new(world, truths, duration);
    judge.observe(world, &Report::default());
    let steps = ((duration - world.time()) / world.step_length() - 1e-6)
        .ceil()
        .max(0.0) as u64;
    for _ in 0..steps {
        let report = world.step();
        judge.observe(world, &report);
        progress(Progress {
            world,
            report: &report,
            duration,
        });
    }
    judge.verdicts()
}

/// A field of a truth by name, or "" for none.
type Field = &'static str;

/// The samples of a quantity that count; fields of the truth say from when and to when.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Sampling {
    Largest(Field, Field),
    /// The largest at output frames.
    LargestOfFrames(Field, Field),
    /// The largest of a quantity that compares two steps, so that every step is sampled.
    LargestRate(Field, Field),
    Smallest(Field, Field),
    /// The sample at a moment.
    At(Field, Field),
    /// The one at a moment of a quantity that counts from the start, so that every step is sampled.
    Since(Field, Field),
    Last,
    /// The first there is.
    First,
}

impl Sampling {
    fn fields(self) -> (Field, Field) {
        match self {
            Self::Largest(from, to) | Self::LargestOfFrames(from, to) => (from, to),
            Self::LargestRate(from, to) | Self::Smallest(from, to) => (from, to),
            Self::At(from, at) | Self::Since(from, at) => (from, at),
            Self::Last | Self::First => ("", ""),
        }
    }
}

/// The values that are allowed.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    AtMost(Field),
    AtLeast(Field),
    Between(Field, Field),
    ZeroTo(Field),
    /// A value within a tolerance.
    About(Field, Field),
    UpTo(f64),
    Positive,
}

impl Bound {
    fn holds(self, truth: &Truth, x: f64) -> bool {
        let limit = |field| truth.number(field);
        match self {
            Self::AtMost(high) => limit(high).is_some_and(|high| x <= high),
            Self::AtLeast(low) => limit(low).is_some_and(|low| x >= low),
            Self::Between(low, high) => {
                limit(low).is_none_or(|low| x >= low) && limit(high).is_none_or(|high| x <= high)
            }
            Self::ZeroTo(high) => x >= 0.0 && Self::AtMost(high).holds(truth, x),
            Self::About(value, tolerance) => {
                let off = limit(value).map_or(f64::NAN, |value| (x - value).abs());
                Self::AtMost(tolerance).holds(truth, off)
            }
            Self::UpTo(high) => x <= high,
            Self::Positive => x > 0.0,
        }
    }
}

/// One truth and what has been seen of it.
pub(super) struct Watch {
    pub truth: Truth,
    /// Bodies, strands or cloths it is about, by index.
    pub chosen: Vec<usize>,
    /// The others it is about.
    pub others: Vec<usize>,
    /// State of its samplers.
    pub past: Past,
    /// Whether the window is open.
    pub inside: bool,
    seen: Option<f64>,
    done: bool,
}

impl Watch {
    fn new(truth: &Truth, world: &World) -> Self {
        let chosen = select(truth, world, truth.about());
        Self {
            past: Past::new(truth, world, &chosen),
            chosen,
            others: select(truth, world, truth.others()),
            truth: truth.clone(),
            inside: false,
            seen: None,
            done: false,
        }
    }

    /// Samples the quantity if it is due, and keeps the sample if it counts.
    fn observe(&mut self, moment: &mut Moment<'_>) {
        use Sampling::*;
        let row: &'static Row = self.truth.row;
        // whether this is the time
        let (from, to) = row.sampling.fields();
        let to = self.truth.number(to);
        let (end, due) = match row.sampling {
            At(..) | Since(..) => (None, moment.is_at(to)),
            LargestOfFrames(..) => (to, moment.output),
            _ => (to, true),
        };
        self.inside = moment.within(self.truth.number(from).unwrap_or(0.0), end);
        let counts = self.inside && due;
        let always = matches!(row.sampling, LargestRate(..) | Since(..));
        if self.done || !(counts || always) {
            return;
        }
        // what counts
        let Some(value) = (row.sampler)(self, moment).filter(|_| counts) else {
            return;
        };
        self.seen = Some(match (row.sampling, self.seen) {
            (Largest(..) | LargestOfFrames(..) | LargestRate(..), Some(seen)) => seen.max(value),
            (Smallest(..), Some(seen)) => seen.min(value),
            _ => value,
        });
        self.done = matches!(row.sampling, At(..) | Since(..) | First);
    }

    fn verdict(&self) -> Verdict {
        let row = self.truth.row;
        let never = || match row.sampling {
            Sampling::First => "never".to_owned(),
            _ => "never seen: the run is too short, or no such body is there".to_owned(),
        };
        Verdict {
            truth: self.truth.to_string(),
            wanted: self.truth.fill_in(row.wanted).unwrap_or_default(),
            measured: self.seen.map_or_else(never, |x| (row.shown)(self, x)),
            value: self.seen.unwrap_or(f64::NAN),
            holds: self.seen.is_some_and(|x| row.bound.holds(&self.truth, x)),
        }
    }
}

/// The bodies, strands or cloths that a truth means by `pattern`, by index.
fn select(truth: &Truth, world: &World, pattern: Option<&str>) -> Vec<usize> {
    let pattern = pattern.unwrap_or("*");
    let fits = |name: &str| super::fits(pattern, name);
    let model = &world.system().model;
    let chains = world.strands().map_or(&[][..], |s| &s.model.chains);
    let cloths = &world.scene().cloths;
    let counts = |i: &usize| match truth.row.system {
        System::Rigid => fits(&model.name[*i]) && (!pattern.contains('*') || model.is_dynamic(*i)),
        System::Strand => fits(&chains[*i].name),
        System::Cloth => fits(&cloths[*i].name),
    };
    let all = match truth.row.system {
        System::Rigid => model.len(),
        System::Strand => chains.len(),
        System::Cloth => cloths.len(),
    };
    let mut chosen: Vec<usize> = (0..all).filter(counts).collect();
    if truth.is_about_one() {
        chosen.truncate(1);
    }
    chosen
}

/// Watches a run on behalf of its truths.
pub struct Judge {
    watches: Vec<Watch>,
    /// Watches for bodies that are no longer finite, where no truth does.
    finite: Option<Watch>,
    duration: f64,
    step: f64,
    frame_steps: u64,
    steps_seen: u64,
    /// Findings that no truth expects.
    findings: Vec<Finding>,
    /// Number of findings of the world that were judged.
    findings_seen: usize,
}

impl Judge {
    /// A judge of `truths` for a run of `world` that ends at `duration` \[s\].
    pub fn new(world: &World, truths: &[Truth], duration: f64) -> Self {
        let finite = stays_finite();
        let stated = truths.contains(&finite);
        Self {
            watches: truths.iter().map(|t| Watch::new(t, world)).collect(),
            finite: (!stated).then(|| Watch::new(&finite, world)),
            duration,
            step: world.step_length(),
            frame_steps: u64::from(world.scene().steps_per_frame()),
            steps_seen: 0,
            findings: Vec::new(),
            findings_seen: 0,
        }
    }

    /// Looks at the world at its start and after every step.
    pub fn observe(&mut self, world: &World, report: &Report) {
        for finding in world.findings().iter().skip(self.findings_seen) {
            if !self.watches.iter().any(|w| w.truth.expects(finding)) {
                self.findings.push(finding.clone());
            }
        }
        self.findings_seen = world.findings().len();
        let time = world.time();
        let last = time >= self.duration - 0.5 * self.step;
        let output = self.steps_seen.is_multiple_of(self.frame_steps) || last;
        self.steps_seen += 1;
        let mut moment = Moment {
            world,
            report,
            time,
            last,
            output,
            slack: 0.5 * self.step,
            depth: None,
        };
        for watch in self.watches.iter_mut().chain(&mut self.finite) {
            watch.observe(&mut moment);
        }
    }

    /// What became of each truth, of the bodies that were lost if there were any, and of findings
    /// that no truth expects.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let mut verdicts: Vec<Verdict> = self.watches.iter().map(Watch::verdict).collect();
        let finite = self.finite.as_ref().map(Watch::verdict);
        verdicts.extend(finite.filter(|verdict| verdict.value > 0.0));
        if !self.findings.is_empty() {
            verdicts.push(unsound(&self.findings));
        }
        verdicts
    }
}

fn unsound(findings: &[Finding]) -> Verdict {
    let shown = findings.iter().take(5).map(|finding| {
        let Finding {
            kind, thing, time, ..
        } = finding;
        format!("{kind} of `{thing}` at {time:.3} s")
    });
    let mut measured = shown.collect::<Vec<_>>().join(", ");
    if findings.len() > 5 {
        measured += &format!(" and {} more", findings.len() - 5);
    }
    Verdict {
        truth: "the run is sound".into(),
        wanted: "no finding that no truth expects".into(),
        measured,
        value: findings.len() as f64,
        holds: false,
    }
}

#[cfg(test)]
impl Row {
    /// Fields that decide when it is sampled and what will do.
    pub(super) fn fields_used(&self) -> impl Iterator<Item = &'static str> {
        use Bound::*;
        let limits = match self.bound {
            AtMost(a) | AtLeast(a) | ZeroTo(a) => [a, ""],
            Between(a, b) | About(a, b) => [a, b],
            UpTo(_) | Positive => ["", ""],
        };
        let all = <[_; 2]>::from(self.sampling.fields()).into_iter();
        all.chain(limits).filter(|field| !field.is_empty())
    }
}
