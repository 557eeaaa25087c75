//! Strands touch cloth: every segment of a strand that may is an obstacle of cloth, a line as thick as the strand.
//!
//! Strands step before cloth does. Where no cloth is near a segment, its line goes as prescribed from where the step
//! began to where it ended. Near cloth it gives way: it answers impulses with what its tree leaves it
//! (`drystone_strand::System::open_segments`), and what it has received is handed on to the whole tree at the end of
//! the step. What has come to lie on it is foretold to the next step, as for bodies (`trees`).
//!
//! What is left: lines keep the length that segments have at rest, so that of a strand that stretches neighbours part; near
//! cloth of many times its mass a line that snaps taut may be shown some millimetres beside where cloth has it, for some
//! steps.

use std::ops::Range;

use drystone_base::{Pose, Symmetric3, Vec3};
use drystone_cloth::{FreeMotion, Kept, Motion, Obstacle, Sheet, System};
use drystone_geometry::Aabb;
use drystone_strand::{BodyMotion, Segment};

use crate::cloths::Cloths;
use crate::exchange::turn;
use crate::strands::Strands;
use crate::trees::lately;
use crate::{Anchor, Scene, SceneError, Strand};

/// Cloth nearer to a segment than this part of its length, beyond how fast both are, may meet it in a step \[1\].
const NEAR: f64 = 0.5;

/// Cloth leaves a line beside where the tree has the segment by what is of second order in the step, and by what a rope
/// is short of that snaps taut within one. Of that so much is made up for in each step: all at once would throw what
/// lies on it \[1\].
const BACK: f64 = 0.125;

/// Cloth lies on a strand with no more than so many times its weight; more is a blow \[1\].
const LYING: f64 = 2.0;
/// And comes to lie there by so much of its weight in a step \[1\].
const SETTLES: f64 = 0.125;

/// Longest step of a world in which strands and cloth may touch: a line that snaps taut under cloth of many times its mass
/// does so within a step, in which it answers as if it were slack still. Steps of 2.5 ms gained energy in 4 of 30 random
/// scenes, none of them in steps of 1 ms \[s\].
pub(crate) const TOUCHING: f64 = 1e-3;

/// Whether strands and cloth of a scene may touch.
pub(crate) fn may_touch(scene: &Scene) -> bool {
    let pins = || scene.cloths.iter().flat_map(|cloth| &cloth.pins);
    let tied = |i: usize, strand: &Strand| {
        let name = match strand.name.as_str() {
            "" => format!("strand-{i}"),
            name => name.into(),
        };
        let mut holds = strand.holds.iter();
        holds.any(|hold| matches!(hold.to, Anchor::Cloth { .. }))
            || pins().any(|pin| pin.on.as_deref() == Some(name.as_str()))
    };
    let mut strands = scene.strands.iter().enumerate();
    let strands = strands.any(|(i, strand)| strand.collides_cloth() && !tied(i, strand));
    let grooms = scene.grooms.iter().any(|groom| groom.collide_cloth);
    !scene.cloths.is_empty() && (strands || grooms)
}

/// A segment that may touch cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touchable {
    pub segment: Segment,
    /// Whether it gives way. Strands that feel less than all of their base's motion do not.
    pub gives: bool,
}

/// A sheet, as far as one has to know whether it is near.
struct Extent {
    points: Vec<Vec3>,
    bounds: Aabb,
    /// Largest distance of a point of the surface from a vertex, or less, and thickness \[m\].
    reach: f64,
    speed: f64,
}

impl Extent {
    fn of(system: &System, sheet: usize, thickness: f64) -> Self {
        let points = system.points(sheet);
        let own = &system.model().sheets[sheet];
        let sides = own
            .faces
            .iter()
            .flat_map(|f| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]);
        let sides = sides.chain(own.segments.iter().copied());
        let long = sides.map(|[a, b]| (points[a as usize] - points[b as usize]).length_squared());
        let speeds = system.velocities(sheet);
        let fast = speeds.iter().map(|v| v.length_squared());
        let bounds = points.iter().fold(Aabb::EMPTY, |bounds, p| {
            bounds.union(&Aabb { low: *p, high: *p })
        });
        Self {
            bounds,
            reach: long.fold(0.0, f64::max).sqrt() + 2.0 * thickness,
            speed: fast.fold(0.0, f64::max).sqrt(),
            points,
        }
    }
}

impl Strands {
    /// Lists the segments that may touch cloth, of strands from `first` on, by their descriptions.
    pub(crate) fn list_touchable(&mut self, described: &[Strand], first: usize) {
        let model = &self.system.model;
        self.touchable.retain(|known| known.segment.strand < first);
        for (i, chain) in model.chains.iter().enumerate().skip(first) {
            let tied = model.constraints.iter().any(|constraint| {
                let body = constraint.body();
                constraint.strand == i && self.ties.iter().any(|tie| body == Some(tie.link))
            });
            if tied || !described.get(i).is_some_and(Strand::collides_cloth) {
                continue;
            }
            let gives = chain.base.is_plain();
            self.touchable
                .extend((0..chain.len()).map(|link| Touchable {
                    segment: Segment { strand: i, link },
                    gives,
                }));
        }
        self.segment_loads
            .resize(self.touchable.len(), [Vec3::ZERO; 2]);
    }

    /// Whether some segments may touch cloth.
    pub(crate) fn may_touch(&self) -> bool {
        !self.touchable.is_empty()
    }

    /// Number of a segment among those that may touch cloth.
    pub(crate) fn touchable_number(&self, segment: Segment) -> Option<usize> {
        let found = self.touchable.binary_search_by(|t| t.segment.cmp(&segment));
        found.ok()
    }

    /// Obstacles of cloth that the segments are which may touch it, from number `first` on, where they are now.
    pub(crate) fn lines(&self, scene: &Scene, first: usize) -> Vec<Obstacle> {
        let mut lines: Vec<Obstacle> = Vec::new();
        let mut motions = (usize::MAX, Vec::new());
        for Touchable { segment, .. } in &self.touchable[first..] {
            let Segment { strand, link } = *segment;
            if motions.0 != strand {
                motions = (strand, self.system.segment_motions(strand));
            }
            let (pose, described) = (motions.1[link].pose, &scene.strands[strand]);
            let own = &self.system.properties(strand).links[link];
            let name = described.fibre.contact_material.as_deref();
            let material = scene.materials.get(name.unwrap_or(crate::DEFAULT_MATERIAL));
            let material = material.copied().unwrap_or_default();
            let along = pose.rotation * Vec3::Y * own.half;
            lines.push(Obstacle {
                name: format!("{}/{link}", self.system.model.chains[strand].name),
                points: vec![pose.position - along, pose.position + along],
                segments: vec![[0, 1]],
                motion: Motion::Driven(pose),
                friction: material.friction * own.friction_weight.max(0.0),
                restitution: (material.restitution * own.restitution_weight).clamp(0.0, 1.0),
                contact_material: own.material,
                // of a rod at its ends
                inverse_mass: vec![4.0 / own.mass; 2],
                radius: own.radius,
                ..Obstacle::default()
            });
        }
        lines
    }

    /// Takes down how segments that may touch cloth move before they step.
    pub(crate) fn begin_touching(&mut self) {
        self.begun_segments.clear();
        self.begun_segments.extend(self.touchable_motions());
    }

    /// How they move now.
    fn touchable_motions(&self) -> Vec<BodyMotion> {
        let mut motions = Vec::with_capacity(self.touchable.len());
        let mut of = (usize::MAX, Vec::new());
        for Touchable { segment, .. } in &self.touchable {
            if of.0 != segment.strand {
                of = (segment.strand, self.system.segment_motions(segment.strand));
            }
            motions.push(of.1[segment.link]);
        }
        motions
    }

    /// Says which segments cloth may push in the next step.
    pub(crate) fn open_near(&mut self) {
        let giving = self.near.iter().map(|k| self.touchable[*k]);
        let giving = giving.filter(|touchable| touchable.gives);
        let open = giving.map(|touchable| touchable.segment).collect();
        self.system.open_segments(open);
    }

    /// Pushes segments by what is foretold to them for the next `dt`.
    pub(crate) fn push_near(&mut self, dt: f64) {
        for k in &self.near {
            let [force, torque] = self.segment_loads[*k].map(|impulse| impulse / dt);
            let Touchable { segment, gives } = self.touchable[*k];
            if gives {
                self.system.push_segment(segment, force, torque);
            }
        }
    }

    /// Strand `i` is gone, and its segments with it; their numbers.
    pub(crate) fn forget_touchable(&mut self, i: usize) -> Range<usize> {
        let of = |strand: usize| {
            self.touchable
                .partition_point(|t| t.segment.strand < strand)
        };
        let gone = of(i)..of(i + 1);
        self.touchable.drain(gone.clone());
        self.segment_loads.drain(gone.clone());
        self.near.clear();
        for touchable in &mut self.touchable[gone.start..] {
            touchable.segment.strand -= 1;
        }
        gone
    }
}

impl Cloths {
    /// Numbers of the segments that cloth may meet within `dt`, rising.
    pub(crate) fn near(&self, strands: &Strands, dt: f64) -> Vec<usize> {
        if strands.touchable.is_empty() {
            return Vec::new();
        }
        let thicknesses = self.system.model().thicknesses();
        let extents: Vec<Extent> = thicknesses
            .enumerate()
            .map(|(i, thickness)| Extent::of(&self.system, i, thickness))
            .collect();
        let motions = strands.touchable_motions();
        let is_near = |(touchable, motion): (&Touchable, &BodyMotion)| {
            let Segment { strand, link } = touchable.segment;
            let own = &strands.system.properties(strand).links[link];
            let centre = motion.pose.position;
            let speed = motion.linear_velocity.length()
                + motion.angular_velocity.length() * own.half
                + strands.system.model.gravity.length() * dt;
            extents.iter().any(|extent| {
                let far = own.half * (1.0 + 2.0 * NEAR)
                    + 2.0 * own.radius
                    + extent.reach
                    + 2.0 * (speed + extent.speed) * dt;
                let off = centre.clamp(extent.bounds.low, extent.bounds.high) - centre;
                let close = |p: &Vec3| (*p - centre).length_squared() <= far * far;
                off.length_squared() <= far * far && extent.points.iter().any(close)
            })
        };
        let all = strands.touchable.iter().zip(&motions).enumerate();
        all.filter(|(_, both)| is_near(*both))
            .map(|(k, _)| k)
            .collect()
    }

    /// Lines of segments near cloth that give way, and how their step has moved them; all others are sent where they go in
    /// `dt`.
    pub(crate) fn touching_motions(
        &mut self,
        strands: &Strands,
        dt: f64,
    ) -> Vec<(usize, FreeMotion)> {
        let mut giving = vec![false; strands.touchable.len()];
        for k in &strands.near {
            giving[*k] = strands.touchable[*k].gives;
        }
        let mut motions = Vec::new();
        let now = strands.touchable_motions();
        for (k, now) in now.iter().enumerate() {
            let line = self.lines[k].obstacle;
            match giving[k] {
                true => {
                    let from = self.system.obstacle_pose(line);
                    motions.push((line, strands.free_segment(k, from, now, dt)));
                }
                false => self.system.drive_obstacle(line, now.pose, dt),
            }
        }
        motions
    }

    /// Makes obstacles of the segments of strand `i`, the last, which starts now; refused where cloth is in its way.
    pub(crate) fn add_lines(
        &mut self,
        strands: &Strands,
        scene: &Scene,
        i: usize,
    ) -> Result<(), SceneError> {
        let lines = strands.lines(scene, self.lines.len());
        if lines.is_empty() {
            return Ok(());
        }
        // those of bodies that enter stay the last
        let first = self.before_entered();
        let mut model = self.system.model().clone();
        let mut kept = Kept::all(&model);
        let count = lines.len();
        model.obstacles.splice(first..first, lines);
        kept.obstacles.splice(first..first, vec![None; count]);
        for [_, to] in model
            .sheets
            .iter_mut()
            .flat_map(|sheet| &mut sheet.fastened)
        {
            *to += if (*to as usize) < first {
                0
            } else {
                count as u32
            };
        }
        self.system.replace_model(model, &kept)?;
        self.make_room(first, count);
        self.lines
            .extend((first..first + count).map(|obstacle| Line {
                obstacle,
                strand: i,
            }));
        Ok(())
    }

    /// Takes out the obstacles of segments of a strand that is gone, by their numbers.
    pub(crate) fn remove_lines(&mut self, gone: Range<usize>) -> Result<(), SceneError> {
        if gone.is_empty() {
            return Ok(());
        }
        let obstacles: Vec<usize> = self.lines[gone.clone()]
            .iter()
            .map(|l| l.obstacle)
            .collect();
        for k in obstacles.iter().rev() {
            self.remove_obstacle(*k)?;
        }
        self.lines.drain(gone.clone());
        for line in &mut self.lines[gone.start..] {
            line.strand -= 1;
        }
        Ok(())
    }

    /// Foretells to the next step what cloth pressed on segments lately: what has come to lie on them, and no blows, which
    /// would throw a light strand about in its step of `dt`.
    pub(crate) fn foretell_segments(&mut self, strands: &mut Strands, dt: f64) {
        let mut loads = vec![[Vec3::ZERO; 2]; strands.touchable.len()];
        for k in strands.near.iter().filter(|k| strands.touchable[**k].gives) {
            let answer = self.system.answer_of(self.lines[*k].obstacle);
            let received = answer.map(|answer| answer.received).unwrap_or_default();
            loads[*k] = lately(strands.segment_loads[*k], received);
        }
        if !strands.near.is_empty() {
            let sheets = self.system.model().sheets.iter();
            let mass: f64 = sheets.flat_map(Sheet::vertex_masses).sum();
            let weight = mass * strands.system.model.gravity.length() * dt;
            strands.settle_loads(&mut loads, weight);
        }
        strands.segment_loads = loads;
        for line in &self.lines {
            // what was exerted on a prescribed one moves nothing
            self.system.take_reaction(line.obstacle, Vec3::ZERO);
        }
    }
}

impl Strands {
    /// Lets the loads that are foretold to each strand grow by a part of the impulse `weight` of cloth, and to no more than
    /// could lie on it \[N s\].
    fn settle_loads(&self, loads: &mut [[Vec3; 2]], weight: f64) {
        let strands = self
            .touchable
            .chunk_by(|a, b| a.segment.strand == b.segment.strand);
        let mut first = 0;
        for segments in strands {
            let range = first..first + segments.len();
            first = range.end;
            let (loads, old) = (&mut loads[range.clone()], &self.segment_loads[range]);
            let size = |load: &[Vec3; 2]| load[0].length();
            let grows = |(load, old): (&[Vec3; 2], &[Vec3; 2])| match size(load) > size(old) {
                true => size(&[load[0] - old[0], Vec3::ZERO]),
                false => 0.0,
            };
            let growth: f64 = loads.iter().zip(old).map(grows).sum();
            let share = (SETTLES * weight / growth.max(f64::MIN_POSITIVE)).min(1.0);
            for (load, old) in loads.iter_mut().zip(old) {
                if size(load) > size(old) {
                    for part in 0..2 {
                        load[part] = old[part] + (load[part] - old[part]) * share;
                    }
                }
            }
            let sum: f64 = loads.iter().map(size).sum();
            let share = (LYING * weight / sum.max(f64::MIN_POSITIVE)).min(1.0);
            for part in loads.iter_mut().flatten() {
                *part *= share;
            }
        }
    }
}

impl Strands {
    /// The step of `dt` that segment `k` has just taken to `now`, for its line, which is at `from`: a parabola as its velocity
    /// changed, and a part of the way back to where the tree has the segment.
    fn free_segment(&self, k: usize, from: Option<Pose>, now: &BodyMotion, dt: f64) -> FreeMotion {
        let Segment { strand, link } = self.touchable[k].segment;
        let own = &self.system.properties(strand).links[link];
        let before = &self.begun_segments[k];
        let acceleration = (now.linear_velocity - before.linear_velocity) / dt;
        let from = from.unwrap_or(before.pose);
        let off = turn(before.pose.rotation * from.rotation.conjugate());
        let moved = now.pose.position - before.pose.position
            + (before.pose.position - from.position) * BACK;
        let turned = turn(now.pose.rotation * before.pose.rotation.conjugate()) + off * BACK;
        let moments = Symmetric3::diagonal(own.inertia().moments);
        FreeMotion {
            pose: from,
            centre: from.position,
            velocity: moved / dt - acceleration * (0.5 * dt),
            acceleration,
            spin: turned / dt,
            mass: own.mass,
            inertia: moments.rotated(from.rotation).matrix(),
            end_twist: [now.linear_velocity, now.angular_velocity],
            foretold: self.segment_loads[k],
            attached_pins: Vec::new(),
        }
    }

    /// By how much the velocity and the spin of segment `k` have changed over its step.
    pub(crate) fn gathered_by(&self, k: usize) -> [Vec3; 2] {
        let Segment { strand, link } = self.touchable[k].segment;
        let now = self.system.segment_motions(strand)[link];
        let before = &self.begun_segments[k];
        [
            now.linear_velocity - before.linear_velocity,
            now.angular_velocity - before.angular_velocity,
        ]
    }
}

/// A line of cloth that is a segment of a strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Line {
    pub obstacle: usize,
    /// Index of the strand.
    pub strand: usize,
}
