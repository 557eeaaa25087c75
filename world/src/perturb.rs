//! A start that is not perfect: every body a little off its place, with gaps to fall through.

use drystone_base::random::Random;
use drystone_base::{Pose, Vec3};
use drystone_geometry::{self as geometry, Aabb, BroadPhase, ContactBuffer, collide};

use crate::build::solid;
use crate::{Body, Motion, Scene, SceneError, Strand, Subject};

/// Bodies closer than this at the start stand on each other \[m\].
const TOUCHING: f64 = 1e-3;
/// Overlap that a perturbed start may add \[m\].
const ALLOWED: f64 = 1e-6;
/// Most places that are drawn for a body where bodies would overlap.
const TRIES: usize = 256;

impl Scene {
    /// The same scene with every dynamic body moved at random by up to `metres` either way along
    /// x and z, and lifted so that a gap of a tenth of that opens under each body of a stack.
    /// Where a shift would push a body into another, a better one is drawn as far as possible. The
    /// points of strands, but for the first two, are moved likewise, by no more than a tenth of their
    /// segments; their shape without load stays.
    pub fn perturbed(&self, metres: f64, seed: u32) -> Result<Self, SceneError> {
        Subject::from("scene").within("perturb", metres, 0.0..=1e3, "m")?;
        // shapes and poses as they are
        let (mut bodies, mut strands) = self.check()?;
        let shapes = bodies
            .iter()
            .map(|body| solid(&body.name, &body.shape))
            .collect::<Result<Vec<geometry::Shape>, SceneError>>()?;
        let start: Vec<Pose> = bodies.iter().map(Body::pose).collect();
        let dynamic: Vec<bool> = bodies
            .iter()
            .map(|body| body.motion == Motion::Dynamic)
            .collect();

        // who is near whom at the start, given what the shifts can do
        let boxes: Vec<Aabb> = shapes
            .iter()
            .zip(&start)
            .map(|(shape, pose)| shape.aabb(pose))
            .collect();
        let grown: Vec<Aabb> = boxes.iter().map(|b| b.grown(metres + TOUCHING)).collect();
        let may_pair = |a: u32, b: u32| dynamic[a as usize] || dynamic[b as usize];
        let mut broad = BroadPhase::new();
        let mut near = vec![Vec::new(); bodies.len()];
        for &(a, b) in broad.update(&grown, None, may_pair, 0.0) {
            near[a as usize].push(b as usize);
            near[b as usize].push(a as usize);
        }

        // from the lowest upwards: a body is lifted by one gap more than what it stands on
        let gap = 0.1 * metres;
        let mut order: Vec<usize> = (0..bodies.len()).collect();
        order.sort_by(|&i, &j| {
            boxes[i]
                .centre()
                .y
                .total_cmp(&boxes[j].centre().y)
                .then(i.cmp(&j))
        });
        let mut pose = start.clone();
        let mut placed: Vec<bool> = dynamic.iter().map(|dynamic| !dynamic).collect();
        let mut lift = vec![0.0; bodies.len()];
        let mut random = Random::new(u64::from(seed) ^ 0x5EED_0000_0000);
        let mut buffer = ContactBuffer::default();
        let mut depth = |i: usize, at: &Pose, j: usize, other: &Pose| {
            buffer.clear();
            collide(&shapes[i], at, &shapes[j], other, 0.0, &mut buffer);
            buffer
                .points
                .iter()
                .fold(0.0, |depth, p| f64::max(depth, -p.distance))
        };
        for &i in &order {
            if !dynamic[i] {
                continue;
            }
            let below = near[i].iter().filter(|&&j| {
                let under = !dynamic[j] || boxes[j].centre().y < boxes[i].centre().y - 1e-6;
                under && boxes[i].grown(TOUCHING).overlaps(&boxes[j])
            });
            lift[i] = below.map(|&j| lift[j] + gap).fold(0.0, f64::max);

            // draw until nothing placed before is in the way, or keep the best of many; every
            // fourth time go along with neighbours, since what shifts alike cannot collide
            let before: Vec<usize> = near[i].iter().copied().filter(|&j| placed[j]).collect();
            let mut best = (f64::INFINITY, start[i]);
            for attempt in 0..TRIES {
                let mut shift = Vec3::new(
                    random.range(-metres, metres),
                    0.0,
                    random.range(-metres, metres),
                );
                if attempt % 4 == 3 && !before.is_empty() {
                    let mut neighbour = || before[random.below(before.len())];
                    let (a, b) = (neighbour(), neighbour());
                    shift.x = pose[a].position.x - start[a].position.x;
                    shift.z = pose[b].position.z - start[b].position.z;
                }
                let place = start[i].position + shift + Vec3::Y * lift[i];
                let at = Pose::new(place, start[i].rotation);
                let mut added = 0.0;
                for &j in &before {
                    let deeper = depth(i, &at, j, &pose[j]) - depth(i, &start[i], j, &start[j]);
                    added = f64::max(added, deeper);
                }
                if added < best.0 {
                    best = (added, at);
                }
                if best.0 <= ALLOWED {
                    break;
                }
            }
            pose[i] = best.1;
            placed[i] = true;
        }
        // the same scene with its bodies and strands moved
        for ((body, pose), _) in bodies
            .iter_mut()
            .zip(&pose)
            .zip(&dynamic)
            .filter(|(_, d)| **d)
        {
            body.position = pose.position.to_array();
        }
        for strand in &mut strands {
            ruffle(strand, metres, &mut random);
        }
        Ok(Self {
            bodies,
            generators: Vec::new(),
            strands,
            grooms: Vec::new(),
            ..self.clone()
        })
    }
}

/// Moves the points of a strand at random, but not its shape without load.
fn ruffle(strand: &mut Strand, metres: f64, random: &mut Random) {
    if metres == 0.0 {
        return;
    }
    strand.points = strand.even_points();
    strand.segments = None;
    if strand.rest.is_none() && !strand.zero_gravity {
        strand.rest = Some(strand.points.clone());
    }
    let before = strand.points.clone();
    for (k, point) in strand.points.iter_mut().enumerate().skip(2) {
        let segment = Vec3::from(before[k]) - Vec3::from(before[k - 1]);
        let most = metres.min(0.1 * segment.length());
        point[0] += random.range(-most, most);
        point[2] += random.range(-most, most);
    }
    // what grows from a point goes along with it
    let moved: Vec<Vec3> = before
        .iter()
        .zip(&strand.points)
        .map(|(a, b)| Vec3::from(*b) - Vec3::from(*a))
        .collect();
    let mut shifts: Vec<Vec3> = Vec::new();
    for branch in &mut strand.branches {
        let shift = match branch.curve.checked_sub(1) {
            None => moved.get(branch.point).copied(),
            Some(other) => shifts.get(other).copied(),
        };
        let shift = shift.unwrap_or(Vec3::ZERO);
        if branch.rest.is_none() {
            branch.rest = Some(branch.points.clone());
        }
        for point in &mut branch.points {
            *point = (Vec3::from(*point) + shift).to_array();
        }
        shifts.push(shift);
    }
}
