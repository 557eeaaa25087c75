//! Many touching points become a few manifolds that carry the same load.

use drystone_base::{Vec3, tangents};

/// Normals within this angle share a manifold: cosine of 18 degrees \[1\].
const SAME_NORMAL: f64 = 0.951;
/// Most manifolds of one pair.
pub(crate) const MOST_MANIFOLDS: usize = 6;
/// Most points of one manifold.
pub(crate) const MOST_POINTS: usize = 4;

/// A place where two solids touch or nearly do, world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// \[m\]
    pub(crate) on_a: Vec3,
    /// \[m\]
    pub(crate) on_b: Vec3,
    /// Unit normal from a to b.
    pub(crate) normal: Vec3,
    /// \[m\]
    pub(crate) distance: f64,
    pub(crate) feature: u32,
    /// Manifold that it goes to; used by `reduce` alone.
    pub(crate) group: usize,
}

/// Gathers `touches` by normal and hands each group's mean normal and at most four of its
/// points to `emit`: those that span the most, and always the deepest. Deepest group first.
pub(crate) fn reduce(touches: &mut [Touch], envelope: f64, emit: &mut dyn FnMut(Vec3, &[Touch])) {
    let deeper = |x: &Touch, y: &Touch| {
        let order = x.distance.total_cmp(&y.distance);
        order.then(x.feature.cmp(&y.feature))
    };
    touches.sort_unstable_by(deeper);
    // each joins the first group it fits; what fits none of the deepest six is left out
    let mut seeds = [Vec3::ZERO; MOST_MANIFOLDS];
    let mut groups = 0;
    for touch in touches.iter_mut() {
        let fits = |seed: &Vec3| seed.dot(touch.normal) >= SAME_NORMAL;
        let group = seeds[..groups].iter().position(fits).unwrap_or(groups);
        if group == groups && groups < MOST_MANIFOLDS {
            seeds[groups] = touch.normal;
            groups += 1;
        }
        touch.group = group;
    }
    touches.sort_unstable_by(|x, y| x.group.cmp(&y.group).then_with(|| deeper(x, y)));

    for members in touches.chunk_by(|x, y| x.group == y.group) {
        let deepest = &members[0];
        if deepest.group == MOST_MANIFOLDS {
            break;
        }
        // a point counts fully at the depth of the deepest, and not at all at the envelope
        let range = envelope - deepest.distance;
        let weight = |t: &Touch| {
            if range > 0.0 {
                ((envelope - t.distance) / range).max(1e-6)
            } else {
                1.0
            }
        };
        let normal = members.iter().map(|t| t.normal * weight(t)).sum::<Vec3>();
        let normal = normal.try_normalize().unwrap_or(deepest.normal);
        let (kept, number) = spanning(members, weight, normal, 1e-3 * range);
        emit(normal, &kept[..number]);
    }
}

/// Up to four of `members`, which stand deepest first, that span the largest patch across
/// `normal`; the deepest among them, or one that is as deep within `noise`.
fn spanning(
    members: &[Touch],
    weight: impl Fn(&Touch) -> f64,
    normal: Vec3,
    noise: f64,
) -> ([Touch; MOST_POINTS], usize) {
    let deepest = &members[0];
    let (t1, t2) = tangents(normal);
    let flat = |t: &Touch| {
        let p = t.on_a - deepest.on_a;
        (p.dot(t1), p.dot(t2))
    };
    // the best by a score; of those nearly as good the one with the lowest number, so that
    // symmetric patches keep their points while they tremble
    let best = |score: &dyn Fn(&Touch) -> f64| {
        let top = members.iter().map(score).fold(0.0, f64::max);
        let good = members
            .iter()
            .filter(|t| top > 0.0 && score(t) >= 0.98 * top);
        good.min_by_key(|t| t.feature).map(|t| (t, top))
    };
    let mut kept = [*deepest; MOST_POINTS];

    if members.len() <= MOST_POINTS {
        kept[..members.len()].copy_from_slice(members);
        return (kept, members.len());
    }

    // start at the rim: farthest from the weighted middle
    let (mut sum, mut u_sum, mut v_sum) = (0.0, 0.0, 0.0);
    for t in members {
        let (w, (u, v)) = (weight(t), flat(t));
        (sum, u_sum, v_sum) = (sum + w, u_sum + w * u, v_sum + w * v);
    }
    let (u_0, v_0) = (u_sum / sum, v_sum / sum);
    let away = |t: &Touch, u_0: f64, v_0: f64| {
        let (u, v) = flat(t);
        ((u - u_0) * (u - u_0) + (v - v_0) * (v - v_0)).sqrt() * weight(t)
    };
    let Some((first, _)) = best(&|t| away(t, u_0, v_0)) else {
        return (kept, 1);
    };
    kept[0] = *first;
    let mut number = 1;
    // then farthest from that, then to either side of the line between the two
    let (u_1, v_1) = flat(first);
    if let Some((second, _)) = best(&|t| away(t, u_1, v_1)) {
        kept[1] = *second;
        number = 2;
        let (u_2, v_2) = flat(second);
        let side = |t: &Touch| {
            let (u, v) = flat(t);
            ((u_2 - u_1) * (v - v_1) - (v_2 - v_1) * (u - u_1)) * weight(t)
        };
        // flatter than a hundredth of its length, a patch is a line
        let flattest = 0.01 * ((u_2 - u_1) * (u_2 - u_1) + (v_2 - v_1) * (v_2 - v_1));
        for sign in [1.0, -1.0] {
            if let Some((t, area)) = best(&|t| sign * side(t))
                && area > flattest
            {
                kept[number] = *t;
                number += 1;
            }
        }
    }
    // the deepest replaces its nearest neighbour, unless that is as deep
    let least = kept[..number]
        .iter()
        .fold(f64::INFINITY, |m, t| m.min(t.distance));
    if deepest.distance < least - noise {
        if number < MOST_POINTS {
            kept[number] = *deepest;
            number += 1;
        } else {
            let gap = |t: &Touch| (t.on_a - deepest.on_a).length_squared();
            let nearest =
                (0..number).fold(0, |n, i| if gap(&kept[i]) < gap(&kept[n]) { i } else { n });
            kept[nearest] = *deepest;
        }
    }
    (kept, number)
}
