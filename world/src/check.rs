//! Runs a scene and holds it to its truths.

use drystone_base::{Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::cloth_truth::{ClothMoment, ClothWatch};
use crate::strand_truth::{StrandMoment, StrandWatch};
use crate::truth::{fits, metres};
use crate::{Finding, Penetration, Report, Scene, SceneError, Truth, World};

/// What became of one truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The truth in one line.
    pub truth: String,
    /// What it asks for.
    pub wanted: String,
    /// What was found.
    pub measured: String,
    /// The same as a number, in SI units (a fraction, a count, or seconds where it is one).
    pub value: f64,
    /// Whether it holds.
    pub holds: bool,
}

/// How far a check has come.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    /// The world being run.
    pub world: &'a World,
    /// What its last step did.
    pub report: &'a Report,
    /// Where the run ends [s].
    pub duration: f64,
}

/// Runs `scene` once and judges all of its truths; `progress` hears of every step.
pub fn check(
    scene: &Scene,
    progress: impl FnMut(Progress<'_>),
) -> Result<Vec<Verdict>, SceneError> {
    let mut world = World::new(scene)?;
    Ok(check_world(
        &mut world,
        &scene.truths,
        scene.duration,
        progress,
    ))
}

/// Runs `world` to the time `duration` [s] and judges `truths`; `progress` hears of every step.
pub fn check_world(
    world: &mut World,
    truths: &[Truth],
    duration: f64,
    mut progress: impl FnMut(Progress<'_>),
) -> Vec<Verdict> {
    let mut judge = Judge::new(world, truths, duration);
    judge.look(world, &Report::default());
    let steps = ((duration - world.time()) / world.step_length() - 1e-6)
        .ceil()
        .max(0.0) as u64;
    for _ in 0..steps {
        let report = world.step();
        judge.look(world, &report);
        progress(Progress {
            world,
            report: &report,
            duration,
        });
    }
    judge.verdicts()
}

/// Watches a run on behalf of its truths.
pub struct Judge {
    cases: Vec<Case>,
    duration: f64,
    step: f64,
    frame_steps: u64,
    steps_seen: u64,
    set_aside: Vec<String>,
    /// Findings that no truth expects.
    findings: Vec<Finding>,
    /// Findings of the world that were looked at.
    findings_seen: usize,
}

/// One truth and what has been seen of it.
struct Case {
    truth: Truth,
    /// Bodies it is about.
    bodies: Vec<usize>,
    /// Where they (or all together) were when the count began.
    from: Vec<Option<(Vec3, Quat)>>,
    /// Another number from the beginning of the count.
    reference: Option<Vec3>,
    scale: f64,
    /// The worst or the latest seen.
    seen: Option<f64>,
    /// Whether a truth about one moment has had it.
    done: bool,
    /// What has been seen of strands, where the truth is about them.
    strands: StrandWatch,
    /// What has been seen of cloth, where the truth is about it.
    cloth: ClothWatch,
}

impl Judge {
    /// A judge of `truths` for a run of `world` that ends at `duration` [s].
    pub fn new(world: &World, truths: &[Truth], duration: f64) -> Self {
        let model = &world.system().model;
        let case = |truth: &Truth| {
            let chosen = |i: &usize| {
                let pattern = truth.about().unwrap_or("*");
                let named = !pattern.contains('*');
                fits(pattern, &model.name[*i]) && (named || model.is_dynamic(*i))
            };
            let bodies: Vec<usize> = (0..model.len()).filter(chosen).collect();
            Case {
                truth: truth.clone(),
                from: vec![None; bodies.len()],
                bodies,
                reference: None,
                scale: 0.0,
                seen: None,
                done: false,
                strands: match truth {
                    Truth::Strands(truth) => StrandWatch::new(truth, world),
                    _ => StrandWatch::default(),
                },
                cloth: match truth {
                    Truth::Cloth(truth) => ClothWatch::new(truth, world),
                    _ => ClothWatch::default(),
                },
            }
        };
        Self {
            cases: truths.iter().map(case).collect(),
            duration,
            step: world.step_length(),
            frame_steps: u64::from(world.scene().steps_per_frame()),
            steps_seen: 0,
            set_aside: Vec::new(),
            findings: Vec::new(),
            findings_seen: 0,
        }
    }

    /// Looks at the world at its start and after every step.
    pub fn look(&mut self, world: &World, report: &Report) {
        for &i in &report.rigid.set_aside {
            self.set_aside.push(world.bodies()[i].name.clone());
        }
        if let Some(strands) = world.strands() {
            let names = report
                .strand
                .set_aside
                .iter()
                .map(|&i| &strands.model.chains[i].name);
            self.set_aside.extend(names.cloned());
        }
        for finding in world.findings().iter().skip(self.findings_seen) {
            if !self.cases.iter().any(|case| case.truth.expects(finding)) {
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
            step: self.step,
            depth: None,
        };
        for case in &mut self.cases {
            case.look(&mut moment);
        }
    }

    /// What became of each truth, of the bodies that were lost if there were any, and of findings
    /// that no truth expects.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let mut verdicts: Vec<Verdict> = self
            .cases
            .iter()
            .map(|case| case.verdict(&self.set_aside))
            .collect();
        if !self.set_aside.is_empty()
            && !self
                .cases
                .iter()
                .any(|case| case.truth == Truth::StaysFinite)
        {
            verdicts.push(finite(&self.set_aside));
        }
        if !self.findings.is_empty() {
            verdicts.push(unsound(&self.findings));
        }
        verdicts
    }
}

/// What there is to see after one step.
struct Moment<'a> {
    world: &'a World,
    report: &'a Report,
    time: f64,
    last: bool,
    /// Whether an output frame is due.
    output: bool,
    step: f64,
    depth: Option<Penetration>,
}

impl Moment<'_> {
    /// Whether it lies in the span from `from` to `to`.
    fn within(&self, from: f64, to: Option<f64>) -> bool {
        let slack = 0.5 * self.step;
        self.time >= from - slack && to.is_none_or(|to| self.time <= to + slack)
    }

    /// Whether it is the step at the time `at`, or the end.
    fn is_at(&self, at: Option<f64>) -> bool {
        at.map_or(self.last, |at| self.time >= at - 0.5 * self.step)
    }

    fn penetration(&mut self) -> Penetration {
        let world = self.world;
        *self
            .depth
            .get_or_insert_with(|| Penetration::of(world.system()))
    }
}

/// The component of `v` along `direction`, or its length.
fn part(v: Vec3, direction: Option<[f64; 3]>) -> f64 {
    direction.map_or_else(|| v.length(), |d| v.dot(Vec3::from(d).normalize_or_zero()))
}

/// Angle between two rotations, 0 to 180 [degrees].
fn angle_between(a: Quat, b: Quat) -> f64 {
    let turn = a.conjugate() * b;
    2.0 * drystone_base::functions::atan2(turn.xyz().length(), turn.w.abs()).to_degrees()
}

fn horizontal(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

impl Case {
    fn at_most(&mut self, value: f64) {
        self.seen = Some(self.seen.map_or(value, |seen| seen.max(value)));
    }

    fn at_least(&mut self, value: f64) {
        self.seen = Some(self.seen.map_or(value, |seen| seen.min(value)));
    }

    fn once(&mut self, value: f64) {
        self.seen = Some(value);
        self.done = true;
    }

    /// How body `k` of the case has moved and turned since the count began (which is now, if it
    /// has not yet). Nothing for a body that is not there.
    fn since(&mut self, moment: &Moment<'_>, k: usize) -> Option<(Vec3, f64)> {
        let (i, state) = (self.bodies[k], &moment.world.system().state);
        if !state.present[i] {
            return None;
        }
        let (x, q) = (state.position[i], state.rotation[i]);
        let (x0, q0) = *self.from[k].get_or_insert((x, q));
        Some((x - x0, angle_between(q0, q)))
    }

    /// Largest of `measure` over the bodies that are there.
    fn largest(&self, moment: &Moment<'_>, measure: impl Fn(usize) -> f64) -> Option<f64> {
        let present = &moment.world.system().state.present;
        let there = self.bodies.iter().copied().filter(|&i| present[i]);
        there.map(measure).fold(None, |most: Option<f64>, x| {
            Some(most.map_or(x, |m| m.max(x)))
        })
    }

    fn look(&mut self, moment: &mut Moment<'_>) {
        if self.done {
            return;
        }
        let world = moment.world;
        let (state, model) = (&world.system().state, &world.system().model);
        match self.truth.clone() {
            Truth::StandsStill {
                sideways, from, to, ..
            } => {
                if !moment.within(from, to) {
                    return;
                }
                for k in 0..self.bodies.len() {
                    if let Some((way, _)) = self.since(moment, k) {
                        self.at_most(if sideways {
                            horizontal(way).length()
                        } else {
                            way.length()
                        });
                    }
                }
            }
            Truth::Falls { by, .. } => {
                for k in 0..self.bodies.len() {
                    if self.since(moment, k).is_some_and(|(way, _)| -way.y >= by) {
                        return self.once(moment.time);
                    }
                }
            }
            Truth::Moves { before, .. } => {
                if !moment.within(0.0, before) {
                    return;
                }
                for k in 0..self.bodies.len() {
                    if let Some((way, _)) = self.since(moment, k) {
                        self.at_most(way.length());
                    }
                }
            }
            Truth::PenetrationBelow { from, to, .. } => {
                if moment.output && moment.within(from, to) {
                    self.at_most(moment.penetration().deepest);
                }
            }
            Truth::MeanPenetrationBelow { at, .. } => {
                if moment.is_at(at) {
                    self.once(moment.penetration().mean);
                }
            }
            Truth::KineticEnergyBelow {
                joules,
                per_kg,
                from,
                to,
            } => {
                if moment.within(from, to) {
                    let energy = world.kinetic_energy();
                    // in units of the limit, so that both limits fit one number
                    let parts = [
                        joules.map(|limit| energy / limit),
                        per_kg.map(|limit| {
                            energy / world.moving_mass().max(f64::MIN_POSITIVE) / limit
                        }),
                    ];
                    self.at_most(parts.into_iter().flatten().fold(0.0, f64::max));
                    self.scale = self.scale.max(energy);
                }
            }
            Truth::StandingFraction {
                sideways,
                vertical,
                at,
                ..
            } => {
                let ways: Vec<Vec3> = (0..self.bodies.len())
                    .filter_map(|k| Some(self.since(moment, k)?.0))
                    .collect();
                if moment.is_at(at) {
                    let stands = |way: &&Vec3| {
                        horizontal(**way).length() <= sideways && way.y.abs() <= vertical
                    };
                    let standing = ways.iter().filter(stands).count();
                    self.once(standing as f64 / self.bodies.len().max(1) as f64);
                }
            }
            Truth::SpeedBelow { from, to, .. } => {
                if moment.within(from, to)
                    && let Some(speed) = self.largest(moment, |i| state.linear_velocity[i].length())
                {
                    self.at_most(speed);
                }
            }
            Truth::ComesToRest { within, .. } => {
                if moment.within(within, None)
                    && let Some(speed) = self.largest(moment, |i| state.linear_velocity[i].length())
                {
                    self.at_most(speed);
                }
            }
            Truth::StaysInside {
                low,
                high,
                from,
                to,
                ..
            } => {
                let (low, high) = (Vec3::from(low), Vec3::from(high));
                let outside = |i: usize| {
                    let x = state.position[i];
                    (low - x).max(x - high).max_element()
                };
                if moment.within(from, to)
                    && let Some(outside) = self.largest(moment, outside)
                {
                    self.at_most(outside);
                }
            }
            Truth::StaysAbove { from, to, .. } => {
                if moment.within(from, to)
                    && let Some(depth) = self.largest(moment, |i| -state.position[i].y)
                {
                    self.at_least(-depth);
                }
            }
            Truth::Strands(truth) => {
                let moment = StrandMoment {
                    world,
                    time: moment.time,
                    last: moment.last,
                    output: moment.output,
                    slack: 0.5 * moment.step,
                };
                self.strands.look(&truth, &moment);
                self.seen = self.strands.seen;
            }
            Truth::Cloth(truth) => {
                let moment = ClothMoment {
                    world,
                    time: moment.time,
                    output: moment.output,
                    slack: 0.5 * moment.step,
                };
                self.cloth.look(&truth, &moment);
                self.seen = self.cloth.seen;
            }
            Truth::StaysFinite => self.seen = Some(0.0),
            Truth::KnownFinding { .. } => {
                let expected = |finding: &&Finding| self.truth.expects(finding);
                let count = world.findings().iter().filter(expected).count();
                self.seen = Some(count as f64);
            }
            Truth::MomentumKept {
                along, from, to, ..
            } => {
                if moment.within(from, to) {
                    let now = world.momentum();
                    let start = *self.reference.get_or_insert(now);
                    let moving = |&i: &usize| model.is_dynamic(i) && state.present[i];
                    let motion = |i: usize| model.mass[i] * state.linear_velocity[i].length();
                    let all: f64 = (0..model.len()).filter(moving).map(motion).sum();
                    if self.scale == 0.0 {
                        self.scale = all;
                    }
                    let change = part(now - start, along).abs();
                    self.at_most(if self.scale > 0.0 {
                        change / self.scale
                    } else {
                        change
                    });
                }
            }
            Truth::AngularMomentumKept { from, to, .. } => {
                if moment.within(from, to) {
                    let now = world.angular_momentum();
                    let start = *self.reference.get_or_insert(now);
                    let change = (now - start).length();
                    self.at_most(if start.length() > 0.0 {
                        change / start.length()
                    } else {
                        change
                    });
                }
            }
            Truth::EnergyNeverRises { from, to, .. } => {
                if moment.within(from, to) {
                    let energy = world.kinetic_energy() + world.potential_energy();
                    let there = state.present.iter().filter(|present| **present).count() as f64;
                    // x: the lowest so far, y: with how many bodies
                    let before = self.reference.unwrap_or(Vec3::new(energy, there, 0.0));
                    let lowest = if before.y == there { before.x } else { energy };
                    self.at_most(energy - lowest);
                    self.reference = Some(Vec3::new(lowest.min(energy), there, 0.0));
                }
            }
            Truth::MovedBy {
                along, from, at, ..
            } => {
                if moment.within(from, None)
                    && let Some((way, _)) = self.since(moment, 0)
                    && moment.is_at(at)
                {
                    self.once(part(way, Some(along)));
                }
            }
            Truth::TurnedBy { from, at, .. } => {
                if moment.within(from, None)
                    && let Some((_, turn)) = self.since(moment, 0)
                    && moment.is_at(at)
                {
                    self.once(turn);
                }
            }
            Truth::Tumbles { before, .. } => {
                if moment.within(0.0, before)
                    && let Some((_, turn)) = self.since(moment, 0)
                {
                    self.at_most(turn);
                }
            }
            Truth::SpeedIs { along, at, .. } => {
                if moment.is_at(at) {
                    self.once(part(state.linear_velocity[self.bodies[0]], along));
                }
            }
            Truth::SpinIs { about, at, .. } => {
                if moment.is_at(at) {
                    self.once(part(state.angular_velocity[self.bodies[0]], about));
                }
            }
            Truth::ContactCount { at, .. } => {
                if moment.is_at(at) {
                    self.once(moment.report.rigid.contacts as f64);
                }
            }
        }
    }

    fn verdict(&self, set_aside: &[String]) -> Verdict {
        if self.truth == Truth::StaysFinite {
            return finite(set_aside);
        }
        let never = || "never seen: the run is too short, or no such body is there".to_owned();
        let judged =
            |wanted: String, shown: &dyn Fn(f64) -> String, holds: &dyn Fn(f64) -> bool| Verdict {
                truth: self.truth.to_string(),
                wanted,
                measured: self.seen.map_or_else(never, shown),
                value: self.seen.unwrap_or(f64::NAN),
                holds: self.seen.is_some_and(holds),
            };
        let below = |limit: f64, unit: &str| {
            judged(
                format!("at most {limit} {unit}"),
                &|x| format!("{x:.4e} {unit}"),
                &|x| x <= limit,
            )
        };
        let about = |value: f64, tolerance: f64, unit: &str| {
            judged(
                format!("{value} +- {tolerance} {unit}"),
                &|x| format!("{x:.6} {unit}"),
                &|x| (x - value).abs() <= tolerance,
            )
        };
        let length = |limit: f64| {
            judged(format!("at most {}", metres(limit)), &metres, &|x| {
                x <= limit
            })
        };
        match &self.truth {
            Truth::StandsStill { drift, .. } => length(*drift),
            Truth::Falls { after, before, .. } => {
                let mut verdict = judged(
                    format!("between {after} s and {before} s"),
                    &|t| format!("at {t:.3} s"),
                    &|t| t >= *after && t <= *before,
                );
                if self.seen.is_none() {
                    verdict.measured = "never".into();
                }
                verdict
            }
            Truth::Moves { at_least, .. } => {
                judged(format!("at least {}", metres(*at_least)), &metres, &|x| {
                    x >= *at_least
                })
            }
            Truth::PenetrationBelow { depth, .. } | Truth::MeanPenetrationBelow { depth, .. } => {
                length(*depth)
            }
            Truth::KineticEnergyBelow { joules, per_kg, .. } => {
                let limits = [
                    joules.map(|x| format!("{x} J")),
                    per_kg.map(|x| format!("{x} J/kg")),
                ];
                let limits: Vec<String> = limits.into_iter().flatten().collect();
                let shown = |x: f64| format!("{:.3e} J, {x:.3} of the limit", self.scale);
                judged(format!("at most {}", limits.join(" and ")), &shown, &|x| {
                    x <= 1.0
                })
            }
            Truth::StandingFraction {
                at_least, at_most, ..
            } => {
                let (low, high) = (at_least.unwrap_or(0.0), at_most.unwrap_or(1.0));
                let percent = |x: f64| format!("{:.1} %", 100.0 * x);
                judged(
                    format!("{} to {}", percent(low), percent(high)),
                    &percent,
                    &|x| x >= low - 1e-12 && x <= high + 1e-12,
                )
            }
            Truth::SpeedBelow { limit, .. } => below(*limit, "m/s"),
            Truth::ComesToRest { speed, .. } => below(*speed, "m/s"),
            Truth::StaysInside { .. } => {
                let shown = |x: f64| {
                    if x <= 0.0 {
                        format!("{} inside", metres(-x))
                    } else {
                        format!("{} outside", metres(x))
                    }
                };
                judged("inside".into(), &shown, &|x| x <= 0.0)
            }
            Truth::StaysAbove { height, .. } => {
                judged(format!("at least {}", metres(*height)), &metres, &|x| {
                    x >= *height
                })
            }
            Truth::MomentumKept { tolerance, .. }
            | Truth::AngularMomentumKept { tolerance, .. } => judged(
                format!("at most {tolerance:e}"),
                &|x| format!("{x:.1e}"),
                &|x| x <= *tolerance,
            ),
            Truth::EnergyNeverRises { tolerance, .. } => below(*tolerance, "J"),
            Truth::MovedBy {
                amount, tolerance, ..
            } => about(*amount, *tolerance, "m"),
            Truth::SpeedIs {
                value, tolerance, ..
            } => about(*value, *tolerance, "m/s"),
            Truth::SpinIs {
                value, tolerance, ..
            } => about(*value, *tolerance, "rad/s"),
            Truth::TurnedBy {
                degrees, tolerance, ..
            } => about(*degrees, *tolerance, "degrees"),
            Truth::Tumbles { degrees, .. } => {
                let shown = |x: f64| format!("{x:.2} degrees");
                judged(format!("at least {degrees} degrees"), &shown, &|x| {
                    x >= *degrees
                })
            }
            Truth::ContactCount {
                at_least, at_most, ..
            } => {
                let most = at_most.map_or(f64::INFINITY, |n| n as f64);
                let wanted = match at_most {
                    Some(most) => format!("{at_least} to {most}"),
                    None => format!("at least {at_least}"),
                };
                judged(wanted, &|x| format!("{x}"), &|x| {
                    x >= *at_least as f64 && x <= most
                })
            }
            Truth::Strands(truth) => {
                let (wanted, shown, holds) = StrandWatch::judgement(truth);
                judged(wanted, &shown, &*holds)
            }
            Truth::Cloth(truth) => {
                let (wanted, shown, holds) = ClothWatch::judgement(truth);
                judged(wanted, &shown, &*holds)
            }
            Truth::StaysFinite => finite(set_aside),
            Truth::KnownFinding { at_most, .. } => {
                let wanted = format!("at most {at_most}");
                judged(wanted, &|x| format!("{x}"), &|x| x <= *at_most as f64)
            }
        }
    }
}

/// The verdict on bodies whose motion was no longer finite.
fn finite(set_aside: &[String]) -> Verdict {
    let measured = match set_aside {
        [] => "nothing lost".to_owned(),
        names => format!("lost {}", names[..names.len().min(5)].join(", ")),
    };
    Verdict {
        truth: Truth::StaysFinite.to_string(),
        wanted: "nothing lost".into(),
        measured,
        value: set_aside.len() as f64,
        holds: set_aside.is_empty(),
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
