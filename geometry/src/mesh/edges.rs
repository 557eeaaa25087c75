//! Edges of thin solids against a mesh: where between its ends an edge comes nearest to the surface.
//!
//! Samples of the mesh and corners of the solid are a spacing apart. A plate or a rod thinner than that may cut
//! into an edge of the mesh between them by more than its own thickness before any of them notices.

use std::ops::Range;

use drystone_base::{Pose, Vec3};

use super::MeshShape;

/// Most pieces in which an edge is searched.
const PIECES: usize = 128;
/// Golden sections about a minimum: its place is then known to a hundredth of a piece.
const SECTIONS: usize = 10;

/// Distance beside a minimum at which the faces on either side are probed, over the length of a piece.
const SIDE: f64 = 0.05;
/// Slope of the distance along the edge from which a minimum is a change of faces.
const KINK: f64 = 0.02;
/// Cosine between their mean and a face below which the crossing is too sharp to have a normal.
const LEAST_LEAN: f64 = 0.2;

/// Hands every place between the `ends`, where the distance from the mesh has a local minimum below `envelope`, to
/// `emit`, with that distance and the normal of the mesh there; places and normals are in the frame at `pose`.
/// Minima closer together than `finest` count as one.
///
/// Inside the mesh a minimum is where the nearest face changes. What crosses there are two edges, and the normal is
/// across both: the mean of the two faces' normals that does not lean along the edge.
pub(super) fn nearest_along(
    (mesh, pose_mesh): (&MeshShape, &Pose),
    (ends, pose): ([Vec3; 2], &Pose),
    finest: f64,
    envelope: f64,
    emit: &mut dyn FnMut(Vec3, f64, Vec3),
) {
    let local = ends.map(|p| pose_mesh.local_point(pose.point(p)));
    let length = (local[1] - local[0]).length();
    let pieces = ((length / finest).ceil() as usize).min(PIECES);
    if pieces < 2 {
        return;
    }
    let piece = length / pieces as f64;
    let along = (local[1] - local[0]) / length;
    let at = |s: f64| local[0].lerp(local[1], s / length);
    let exactly = |s: f64| match mesh.probe_exactly(at(s), envelope + piece) {
        Some((distance, _)) => distance,
        None => f64::INFINITY,
    };

    // distances at the ends and in the middle of every piece that may be within reach
    let mut distances = [f64::INFINITY; PIECES + 2];
    within_reach(0..pieces, &mut |range| {
        let half = 0.5 * piece * range.len() as f64;
        let middle = piece * range.start as f64 + half;
        let near = mesh.safe_distance(at(middle)) < envelope + half;
        if near && range.len() == 1 {
            distances[range.start + 1] = exactly(middle);
        }
        near
    });
    (distances[0], distances[pieces + 1]) = (exactly(0.0), exactly(length));

    // local minima, each followed to its place
    let place = |k: usize| piece * (k as f64 - 0.5).clamp(0.0, pieces as f64);
    for k in 1..=pieces {
        if distances[k] < distances[k - 1] && distances[k] <= distances[k + 1] {
            let s = lowest(&exactly, place(k - 1), place(k + 1));
            let probe = |s: f64| mesh.probe_exactly(at(s), envelope);
            let aside = SIDE * piece;
            let (Some((distance, normal)), Some((_, before)), Some((_, after))) =
                (probe(s), probe(s - aside), probe(s + aside))
            else {
                continue;
            };
            let (falls, rises) = (-before.dot(along), after.dot(along));
            let mean = (before * rises + after * falls).normalize_or_zero();
            let lean = mean.dot(normal);
            let (distance, normal) = match falls > KINK && rises > KINK && lean > LEAST_LEAN {
                true => (distance / lean, mean),
                false => (distance, normal),
            };
            let own = pose.local_direction(pose_mesh.direction(normal));
            emit(ends[0].lerp(ends[1], s / length), distance, own);
        }
    }
}

/// Halves `range` down to single pieces, in order, as long as `near` says that there is something within reach.
fn within_reach(range: Range<usize>, near: &mut dyn FnMut(&Range<usize>) -> bool) {
    if near(&range) && range.len() > 1 {
        let middle = range.start + range.len() / 2;
        within_reach(range.start..middle, near);
        within_reach(middle..range.end, near);
    }
}

/// Where between `low` and `high` the function with one minimum there is least, by golden sections.
fn lowest(f: &dyn Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    const SECTION: f64 = 0.618_033_988_749_894_9;
    let (mut x, mut y) = (high - SECTION * (high - low), low + SECTION * (high - low));
    let (mut at_x, mut at_y) = (f(x), f(y));
    for _ in 0..SECTIONS {
        if at_x <= at_y {
            (high, y, at_y) = (y, x, at_x);
            x = high - SECTION * (high - low);
            at_x = f(x);
        } else {
            (low, x, at_x) = (x, y, at_y);
            y = low + SECTION * (high - low);
            at_y = f(y);
        }
    }
    0.5 * (low + high)
}
