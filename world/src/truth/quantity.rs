//! What truths measure: each function samples one quantity after a step.

use drystone_base::{Quat, Vec3};
use drystone_strand::{Chain, System as Strands};

use super::Truth;
use super::judge::Watch;
use crate::{Penetration, Report, World};

/// Samples a quantity; nothing if there is none yet.
pub(super) type Sampler = fn(&mut Watch, &mut Moment<'_>) -> Option<f64>;

/// The world after one step, as quantities see it.
pub(super) struct Moment<'a> {
    pub world: &'a World,
    pub report: &'a Report,
    pub time: f64,
    pub last: bool,
    /// Whether an output frame is due.
    pub output: bool,
    /// Half a step, by which times may be off \[s\].
    pub slack: f64,
    pub depth: Option<Penetration>,
}

impl Moment<'_> {
    /// Whether it lies in the span from `from` to `to`.
    pub(super) fn within(&self, from: f64, to: Option<f64>) -> bool {
        self.time >= from - self.slack && to.is_none_or(|to| self.time <= to + self.slack)
    }

    /// Whether it is the step at the time `at`, or the end.
    pub(super) fn is_at(&self, at: Option<f64>) -> bool {
        at.map_or(self.last, |at| self.time >= at - self.slack)
    }

    pub(super) fn penetration(&mut self) -> Penetration {
        let system = self.world.system();
        *self.depth.get_or_insert_with(|| Penetration::of(system))
    }
}

/// What samplers keep of earlier steps.
#[derive(Default)]
pub(super) struct Past {
    /// Pose of each chosen body, or position of each tip, when the truth's span began.
    start: Vec<Option<(Vec3, Quat)>>,
    /// For each chosen strand, the link that ends in its tip or in the point that the truth names.
    links: Vec<usize>,
    /// Tips at the last step, and when that was \[s\].
    tips: Option<(f64, Vec<Vec3>)>,
    /// Distance of the tip beyond its root at the last step, and the time of that step \[m, s\].
    beyond: Option<(f64, f64)>,
    /// First and last time at which the tip came by, and how often in between.
    passes: Option<(f64, f64, u32)>,
    /// The lowest energy so far, with how many bodies \[J, 1\].
    lowest: Option<(f64, usize)>,
    /// Momentum and angular momentum when the count began.
    momentum: Option<[Vec3; 2]>,
    /// Σ m|v| when the count began, or the most kinetic energy so far.
    pub scale: f64,
    /// Names of bodies and strands whose motion was no longer finite.
    pub lost: Vec<String>,
}

impl Past {
    pub(super) fn new(truth: &Truth, world: &World, chosen: &[usize]) -> Self {
        let point = truth.number("point").map(|point| point as usize);
        let tip = |chain: &Chain| {
            let own = (0..chain.len()).filter(|&j| chain.source[j].0 == 0);
            let at = |point: usize| chain.link(0, point.checked_sub(1)?);
            let tip = own.max_by_key(|&j| chain.source[j].1);
            point.and_then(at).or(tip).unwrap_or(0)
        };
        let links = match world.strands() {
            Some(strands) if truth.row.system == super::System::Strand => {
                let chains = chosen.iter().map(|&i| &strands.model.chains[i]);
                chains.map(tip).collect()
            }
            _ => Vec::new(),
        };
        Self {
            start: vec![None; chosen.len()],
            links,
            ..Self::default()
        }
    }
}

/// The component of `v` along `direction`, or its length.
fn part(v: Vec3, direction: Option<[f64; 3]>) -> f64 {
    direction.map_or_else(|| v.length(), |d| v.dot(Vec3::from(d).normalize_or_zero()))
}

/// `change` as a part of `whole`, if there is some.
fn relative(change: f64, whole: f64) -> f64 {
    if whole > 0.0 { change / whole } else { change }
}

/// The largest of some values, if there are some.
fn most(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(f64::max)
}

fn horizontal(v: Vec3) -> Vec3 {
    Vec3::new(v.x, 0.0, v.z)
}

/// Angle between two rotations, 0 to 180 \[degrees\].
fn angle_between(a: Quat, b: Quat) -> f64 {
    let turn = a.conjugate() * b;
    2.0 * drystone_base::functions::atan2(turn.xyz().length(), turn.w.abs()).to_degrees()
}

impl Watch {
    /// Rise of `energy` above its lowest value since there have been as many `bodies` \[J\].
    pub(super) fn rise(&mut self, energy: f64, bodies: usize) -> f64 {
        let same = self.past.lowest.filter(|(_, before)| *before == bodies);
        let lowest = same.map_or(energy, |(lowest, _)| lowest);
        self.past.lowest = Some((lowest.min(energy), bodies));
        energy - lowest
    }

    /// Largest value of `measure` over the bodies that are there.
    fn over_bodies(&self, moment: &Moment<'_>, measure: impl Fn(usize) -> f64) -> Option<f64> {
        let present = &moment.world.system().state.present;
        let there = self.chosen.iter().copied().filter(|&i| present[i]);
        most(there.map(measure))
    }

    /// Displacements and rotations of the bodies since the truth's span began, which is now for one that
    /// has just entered.
    fn since<'a>(
        &'a mut self,
        moment: &Moment<'a>,
    ) -> impl Iterator<Item = (Vec3, [Quat; 2])> + 'a {
        let state = &moment.world.system().state;
        let (inside, bodies) = (self.inside, self.chosen.iter().zip(&mut self.past.start));
        let there = bodies.filter(|(i, _)| state.present[**i]);
        there.filter_map(move |(&i, start)| {
            let now = (state.position[i], state.rotation[i]);
            if inside && start.is_none() {
                *start = Some(now);
            }
            start.map(|(x, q)| (now.0 - x, [q, now.1]))
        })
    }
}

/// Farthest way of a body since the count began, all of it or sideways \[m\].
pub(super) fn shift(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let sideways = watch.truth.get("sideways") == Some(&true.into());
    let ways = watch.since(moment).map(|(way, _)| way);
    most(ways.map(|way| if sideways { horizontal(way) } else { way }.length()))
}

/// The time at which a body has sunk by `by` \[s\].
pub(super) fn fall_time(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let by = watch.truth.number("by")?;
    let fallen = most(watch.since(moment).map(|(way, _)| -way.y))? >= by;
    fallen.then_some(moment.time)
}

/// Fraction of the bodies that are near their start \[1\].
pub(super) fn standing(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let sideways = watch.truth.number("sideways")?;
    let vertical = watch.truth.number("vertical")?;
    let all = watch.chosen.len().max(1) as f64;
    let stands = |way: &Vec3| horizontal(*way).length() <= sideways && way.y.abs() <= vertical;
    let standing = watch.since(moment).map(|(way, _)| way).filter(stands);
    Some(standing.count() as f64 / all)
}

/// Distance that a body has moved along a direction since the truth's span began \[m\].
pub(super) fn way_along(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let along = watch.truth.vector("along");
    most(watch.since(moment).map(|(way, _)| part(way, along)))
}

/// Angle by which a body has turned since the truth's span began \[degrees\].
pub(super) fn turn(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    most(watch.since(moment).map(|(_, [a, b])| angle_between(a, b)))
}

/// Largest velocity of a body, as such or along a direction \[m/s\].
pub(super) fn speed(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let (state, along) = (&moment.world.system().state, watch.truth.vector("along"));
    watch.over_bodies(moment, |i| part(state.linear_velocity[i], along))
}

/// Spin of a body, as such or about a direction \[rad/s\].
pub(super) fn spin(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let (state, about) = (&moment.world.system().state, watch.truth.vector("about"));
    watch.over_bodies(moment, |i| part(state.angular_velocity[i], about))
}

/// Distance of a centre from a box, negative inside \[m\].
pub(super) fn outside(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let position = &moment.world.system().state.position;
    let (low, high) = (watch.truth.vector("low")?, watch.truth.vector("high")?);
    let off = |x: Vec3| (Vec3::from(low) - x).max(x - Vec3::from(high));
    watch.over_bodies(moment, |i| off(position[i]).max_element())
}

/// Height of the lowest centre \[m\].
pub(super) fn body_height(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let position = &moment.world.system().state.position;
    watch.over_bodies(moment, |i| -position[i].y).map(|x| -x)
}

/// Kinetic energy as a part of the limit that is nearer \[1\].
pub(super) fn kinetic_energy(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let energy = moment.world.kinetic_energy();
    let mass = moment.world.moving_mass().max(f64::MIN_POSITIVE);
    watch.past.scale = watch.past.scale.max(energy);
    let limits = [("joules", energy), ("per_kg", energy / mass)];
    let parts = limits.map(|(field, x)| watch.truth.number(field).map(|limit| x / limit));
    Some(parts.into_iter().flatten().fold(0.0, f64::max))
}

/// Bodies and strands that were lost.
pub(super) fn lost(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let (world, report) = (moment.world, moment.report);
    let bodies = report.rigid.quarantined.iter();
    let bodies = bodies.map(|&i| world.bodies()[i].name.clone());
    watch.past.lost.extend(bodies);
    if let Some(strands) = world.strands() {
        let names = report.strand.quarantined.iter();
        let names = names.map(|&i| strands.model.chains[i].name.clone());
        watch.past.lost.extend(names);
    }
    Some(watch.past.lost.len() as f64)
}

/// Findings that the truth expects.
pub(super) fn findings(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let expected = moment.world.findings().iter();
    Some(expected.filter(|f| watch.truth.expects(f)).count() as f64)
}

/// Change of momentum as a part of Σ m|v| \[1\].
pub(super) fn momentum(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let (state, model) = (&moment.world.system().state, &moment.world.system().model);
    let now = moment.world.momentum();
    let [start, _] = *watch.past.momentum.get_or_insert([now; 2]);
    if watch.past.scale == 0.0 {
        let moving = (0..model.len()).filter(|&i| model.is_dynamic(i) && state.present[i]);
        let motion = moving.map(|i| model.mass[i] * state.linear_velocity[i].length());
        watch.past.scale = motion.sum();
    }
    let change = part(now - start, watch.truth.vector("along")).abs();
    Some(relative(change, watch.past.scale))
}

/// Relative change of angular momentum \[1\].
pub(super) fn angular_momentum(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let now = moment.world.angular_momentum();
    let [_, start] = *watch.past.momentum.get_or_insert([now; 2]);
    Some(relative((now - start).length(), start.length()))
}

/// Change of momentum and angular momentum of cloth as a part of both \[1\].
pub(super) fn cloth_momentum(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let (linear, angular) = moment.world.cloths()?.momentum();
    let [p, l] = *watch.past.momentum.get_or_insert([linear, angular]);
    let scale = (p.length() + l.length()).max(1e-30);
    Some(((linear - p).length() + (angular - l).length()) / scale)
}

/// Rise of the energy of everything \[J\].
pub(super) fn energy_rise(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let world = moment.world;
    let there = world.system().state.present.iter().filter(|p| **p).count();
    Some(watch.rise(world.kinetic_energy() + world.potential_energy(), there))
}

impl Watch {
    /// Positions of the tips, or of the points that the truth names.
    fn tips(&self, strands: &Strands) -> Vec<Vec3> {
        let chosen = self.chosen.iter().zip(&self.past.links);
        chosen
            .map(|(&i, &link)| strands.links(i)[link].tip)
            .collect()
    }
}

/// Distance of a tip from a place \[m\].
pub(super) fn tip_distance(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let tips = watch.tips(moment.world.strands()?);
    let place = Vec3::from(watch.truth.vector("at")?);
    tips.first().map(|tip| (*tip - place).length())
}

/// Largest distance of a tip from where it was when the truth's span began \[m\].
pub(super) fn tip_shift(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let tips = watch.tips(moment.world.strands()?);
    let ways = tips.iter().zip(&mut watch.past.start).map(|(tip, start)| {
        let (from, _) = *start.get_or_insert((*tip, Quat::IDENTITY));
        (*tip - from).length()
    });
    most(ways)
}

/// Largest speed of a tip over the last step \[m/s\].
pub(super) fn tip_speed(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let tips = watch.tips(moment.world.strands()?);
    let (time, before) = watch.past.tips.replace((moment.time, tips))?;
    let (_, tips) = watch.past.tips.as_ref()?;
    let ways = tips.iter().zip(&before).map(|(a, b)| (*a - *b).length());
    (moment.time > time).then(|| ways.fold(0.0, f64::max) / (moment.time - time))
}

/// Mean time between two passes of a tip by its root along a direction \[s\].
pub(super) fn tip_period(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let (&i, &link) = (watch.chosen.first()?, watch.past.links.first()?);
    let links = moment.world.strands()?.links(i);
    let way = links[link].tip - links[0].pivot;
    let x = part(way, watch.truth.vector("along"));
    if let Some((was, time)) = watch.past.beyond.replace((x, moment.time))
        && was < 0.0
        && x >= 0.0
    {
        let when = time + (moment.time - time) * (-was / (x - was));
        watch.past.passes = Some(match watch.past.passes {
            None => (when, when, 0),
            Some((first, _, count)) => (first, when, count + 1),
        });
    }
    let (first, last, count) = watch.past.passes.filter(|passes| passes.2 > 0)?;
    Some((last - first) / f64::from(count))
}

/// Largest twist from root to tip along the first curve \[degrees\].
pub(super) fn twist(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let system = moment.world.strands()?;
    most(watch.chosen.iter().map(|&i| {
        let source = &system.model.chains[i].source;
        let own = system.twist(i).into_iter().zip(source);
        let sum: f64 = own.filter(|(_, s)| s.0 == 0).map(|(turn, _)| turn).sum();
        sum.abs().to_degrees()
    }))
}

/// Force of the base on a strand over the last step \[N\].
pub(super) fn base_force(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let state = &moment.world.strands()?.state;
    let [push, _] = state.strands[*watch.chosen.first()?].base_impulse;
    Some(push.length() / moment.world.strand_step())
}

/// Least and largest coordinate of some cloths along a direction \[m\].
pub(super) fn reach(moment: &Moment<'_>, cloths: &[usize], along: Vec3) -> Option<(f64, f64)> {
    let system = moment.world.cloths()?;
    let points = cloths.iter().flat_map(|&i| system.points(i));
    let ends = points.map(|p| p.dot(along)).map(|x| (x, x));
    ends.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
}

/// Largest speed of a vertex \[m/s\].
pub(super) fn fastest(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let system = moment.world.cloths()?;
    let velocities = watch.chosen.iter().flat_map(|&i| system.velocities(i));
    most(velocities.map(|v| v.length()))
}

/// Length along a direction \[m\].
pub(super) fn extent(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let along = Vec3::from(watch.truth.vector("along")?);
    let (low, high) = reach(moment, &watch.chosen, along)?;
    Some(high - low)
}

/// Length along a direction over which these and the others overlap \[m\].
pub(super) fn overlap(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let along = Vec3::from(watch.truth.vector("along")?);
    let (_, end) = reach(moment, &watch.chosen, along)?;
    let (begin, _) = reach(moment, &watch.others, along)?;
    Some(end - begin)
}

/// Distance of a vertex in a column below a height \[m\].
pub(super) fn sag(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let Some(&super::Value::Column([low, high])) = watch.truth.get("column") else {
        return None;
    };
    let (system, top) = (moment.world.cloths()?, watch.truth.number("top")?);
    let inside = |p: &Vec3| (low[0]..=high[0]).contains(&p.x) && (low[1]..=high[1]).contains(&p.z);
    let points = watch.chosen.iter().flat_map(|&i| system.points(i));
    let depths = points.filter(inside).map(|p| top - p.y);
    Some(depths.fold(f64::NEG_INFINITY, f64::max))
}

/// Widest gap across an axis between the boxes around both; below zero where they overlap \[m\].
pub(super) fn gap(watch: &mut Watch, moment: &mut Moment<'_>) -> Option<f64> {
    let gaps = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| {
        let one = reach(moment, &watch.chosen, axis)?;
        let two = reach(moment, &watch.others, axis)?;
        Some((one.0 - two.1).max(two.0 - one.1))
    });
    most(gaps.into_iter().flatten())
}
