//! Closest points of small pieces of meshes: a point and a triangle, two edges.
//!
//! The answer is always a pair of feasible points, so the distance is never below the true one
//! but for rounding; for a proof of distance project on a direction instead, see [`gap_along`].

use drystone_base::Vec3;

/// Closest points of two simplices, as weights of their corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Weights of the corners: those of the first simplex sum to 1, those of the second to -1 \[1\].
    pub weights: [f64; 4],
    /// Vector from the point on the second simplex to the point on the first \[m\].
    pub apart: Vec3,
    /// Length of `apart`, squared \[m²\].
    pub distance_squared: f64,
}

/// Sines squared below which two edges, or two sides of a triangle, count as nearly parallel.
const PARALLEL: f64 = 1e-8;

/// Parameter in \[0, 1\] of the point of segment `a b` nearest to `p`.
#[inline]
fn along(p: Vec3, a: Vec3, b: Vec3) -> f64 {
    let e = b - a;
    let square = e.length_squared();
    if square > 0.0 {
        ((p - a).dot(e) / square).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Two points.
#[inline]
pub fn vertex_vertex(p: Vec3, q: Vec3) -> Closest {
    let apart = p - q;
    Closest {
        weights: [1.0, -1.0, 0.0, 0.0],
        apart,
        distance_squared: apart.length_squared(),
    }
}

/// A point and a segment `a b`.
#[inline]
pub fn vertex_edge(p: Vec3, a: Vec3, b: Vec3) -> Closest {
    let t = along(p, a, b);
    let apart = p - (a + (b - a) * t);
    Closest {
        weights: [1.0, t - 1.0, -t, 0.0],
        apart,
        distance_squared: apart.length_squared(),
    }
}

/// A point and a triangle `a b c`; slivers and triangles without area included.
#[inline]
pub fn vertex_face(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Closest {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (bb, bc, cc) = (ab.length_squared(), ab.dot(ac), ac.length_squared());
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    let area = bb * cc - bc * bc;
    let at = |v: f64, w: f64| {
        let apart = ap - ab * v - ac * w;
        Closest {
            weights: [1.0, v + w - 1.0, -v, -w],
            apart,
            distance_squared: apart.length_squared(),
        }
    };
    // inside: the foot of the perpendicular has three positive weights
    let (v, w) = (cc * d1 - bc * d2, bb * d2 - bc * d1);
    let thin = area <= PARALLEL * bb * cc;
    if !thin && v >= 0.0 && w >= 0.0 && v + w <= area {
        return at(v / area, w / area);
    }
    // else the nearest of the sides that the foot lies beyond; of a sliver any side, or the inside
    let mut best: Option<Closest> = None;
    let mut consider = |found: Closest| {
        if best.is_none_or(|b| found.distance_squared < b.distance_squared) {
            best = Some(found);
        }
    };
    if thin || w <= 0.0 {
        consider(at(along(p, a, b), 0.0));
    }
    if thin || v <= 0.0 {
        consider(at(0.0, along(p, a, c)));
    }
    if thin || v + w >= area {
        let t = along(p, b, c);
        consider(at(1.0 - t, t));
    }
    if thin && area > 0.0 && v >= 0.0 && w >= 0.0 && v + w <= area {
        consider(at(v / area, w / area));
    }
    best.unwrap_or_else(|| at(0.0, 0.0))
}

/// Two segments `a b` and `c d`; of parallel ones that overlap, the middles of the overlap.
#[inline]
pub fn edge_edge(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> Closest {
    let (u, w, r) = (b - a, d - c, a - c);
    let (uu, uw, ww) = (u.length_squared(), u.dot(w), w.length_squared());
    let (ur, wr) = (u.dot(r), w.dot(r));
    let at = |s: f64, t: f64| {
        let apart = r + u * s - w * t;
        Closest {
            weights: [1.0 - s, s, t - 1.0, -t],
            apart,
            distance_squared: apart.length_squared(),
        }
    };
    let denominator = uu * ww - uw * uw;
    if denominator > PARALLEL * uu * ww {
        let mut s = ((uw * wr - ur * ww) / denominator).clamp(0.0, 1.0);
        let mut t = (uw * s + wr) / ww;
        if t < 0.0 {
            t = 0.0;
            s = (-ur / uu).clamp(0.0, 1.0);
        } else if t > 1.0 {
            t = 1.0;
            s = ((uw - ur) / uu).clamp(0.0, 1.0);
        }
        return at(s, t);
    }
    nearly_parallel(a, b, c, d, denominator, &at)
}

/// The least of the four distances of ends, the inner solution, and the middle of the overlap.
#[cold]
fn nearly_parallel(
    a: Vec3,
    b: Vec3,
    c: Vec3,
    d: Vec3,
    denominator: f64,
    at: &impl Fn(f64, f64) -> Closest,
) -> Closest {
    let (u, w, r) = (b - a, d - c, a - c);
    let uu = u.length_squared();
    let mut best = at(0.0, along(a, c, d));
    let mut consider = |found: Closest, within: f64| {
        if found.distance_squared < best.distance_squared * within {
            best = found;
        }
    };
    consider(at(1.0, along(b, c, d)), 1.0);
    consider(at(along(c, a, b), 0.0), 1.0);
    consider(at(along(d, a, b), 1.0), 1.0);
    if denominator > 0.0 {
        let s = (u.dot(w) * w.dot(r) - u.dot(r) * w.length_squared()) / denominator;
        if (0.0..=1.0).contains(&s) {
            let t = along(a + u * s, c, d);
            consider(at(s, t), 1.0);
        }
    }
    if uu > 0.0 {
        let (s0, s1) = ((c - a).dot(u) / uu, (d - a).dot(u) / uu);
        let (low, high) = (s0.min(s1).max(0.0), s0.max(s1).min(1.0));
        if low <= high {
            let s = 0.5 * (low + high);
            // not worse than the ends up to rounding: prefer it, for symmetry
            consider(at(s, along(a + u * s, c, d)), 1.0 + 1e-12);
        }
    }
    best
}

/// A point and the endless plane through `a`, `b` and `c`. The plane bounds a half-space that is solid below: seen
/// from above they turn counterclockwise. A point below is at no distance. Weights of the corners are not bounded,
/// as the nearest point may lie anywhere in the plane.
#[inline]
pub fn vertex_plane(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Closest {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let n = ab.cross(ac).normalize_or_zero();
    let apart = n * n.dot(ap).max(0.0);
    // where the nearest point is: ap = v ab + w ac + apart
    let (d00, d01, d11) = (ab.length_squared(), ab.dot(ac), ac.length_squared());
    let (d20, d21) = (ap.dot(ab), ap.dot(ac));
    let area = d00 * d11 - d01 * d01;
    let (v, w) = if area > 0.0 {
        (
            (d11 * d20 - d01 * d21) / area,
            (d00 * d21 - d01 * d20) / area,
        )
    } else {
        (0.0, 0.0)
    };
    Closest {
        weights: [1.0, v + w - 1.0, -v, -w],
        apart,
        distance_squared: apart.length_squared(),
    }
}

/// How far the first `split` points lie beyond the others along the unit vector `n` \[m\].
///
/// A lower bound of the distance of their convex hulls, whatever `n` (to rounding: see
/// [`rounding`]).
#[inline]
pub fn gap_along(n: Vec3, points: &[Vec3], split: usize) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in &points[..split] {
        low = low.min(n.dot(*p));
    }
    for p in &points[split..] {
        high = high.max(n.dot(*p));
    }
    low - high
}

/// Bound of the error of a projected distance of points whose coordinates are below `size` \[m\].
pub const fn rounding(size: f64) -> f64 {
    64.0 * (f64::EPSILON / 2.0) * size
}

/// First time at which `c0 + c1 t + c2 t²` may vanish, rounded down; infinite if it never does.
///
/// `c0` must be positive, else the answer is 0.
#[inline]
pub fn first_root(c0: f64, c1: f64, c2: f64) -> f64 {
    const DOWN: f64 = 1.0 - 1e-12;
    if c0 <= 0.0 {
        return 0.0;
    }
    if c2 >= 0.0 {
        // a parabola that opens upwards lies above its tangent
        return if c1 < 0.0 {
            c0 / -c1 * DOWN
        } else {
            f64::INFINITY
        };
    }
    let root = (c1 * c1 - 4.0 * c0 * c2).sqrt();
    if c1 <= 0.0 {
        2.0 * c0 / (root - c1) * DOWN
    } else {
        // the sum has no cancellation; its rounding is far below the 1e-12 taken off
        (root + c1) / (-2.0 * c2) * DOWN
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use drystone_base::random::Random;

    use super::*;

    fn random_point(random: &mut Random) -> Vec3 {
        Vec3::new(
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
            random.range(-1.0, 1.0),
        )
    }

    /// The least distance over a fine grid of weights is never below ours.
    #[test]
    fn no_other_point_is_closer_slivers_included() {
        let mut random = Random::new(3);
        for trial in 0..4000 {
            let mut x = [Vec3::ZERO; 4];
            x.fill_with(|| random_point(&mut random));
            match trial % 4 {
                1 => x[3] = x[1] + (x[2] - x[1]) * random.range(-2.0, 2.0), // no area
                2 => x[3] = x[2] + (x[1] - x[0]) * random.range(-2.0, 2.0), // parallel edges
                3 => x[3] = x[2] + (x[1] - x[0]) + random_point(&mut random) * 1e-7,
                _ => {}
            }
            let (vf, ee) = (
                vertex_face(x[0], x[1], x[2], x[3]),
                edge_edge(x[0], x[1], x[2], x[3]),
            );
            for found in [vf, ee] {
                let sum: Vec3 = (0..4).map(|k| x[k] * found.weights[k]).sum();
                assert!(
                    (sum - found.apart).length() < 1e-14,
                    "{trial}: weights do not give the points"
                );
                assert!(found.weights.iter().sum::<f64>().abs() < 1e-15);
            }
            for _ in 0..60 {
                let (mut s, mut t) = (random.unit(), random.unit());
                let other = (x[0] * (1.0 - s) + x[1] * s) - (x[2] * (1.0 - t) + x[3] * t);
                let excess = ee.distance_squared.sqrt() - other.length();
                assert!(
                    excess < 1e-8,
                    "edges {trial}: {excess:.1e} closer elsewhere"
                );
                if s + t > 1.0 {
                    (s, t) = (1.0 - s, 1.0 - t);
                }
                let other = x[0] - (x[1] * (1.0 - s - t) + x[2] * s + x[3] * t);
                let excess = vf.distance_squared.sqrt() - other.length();
                assert!(excess < 1e-8, "face {trial}: {excess:.1e} closer elsewhere");
            }
        }
    }

    #[test]
    fn the_projected_gap_is_the_distance_along_the_closest_direction() {
        let mut random = Random::new(5);
        for _ in 0..4000 {
            let mut x = [Vec3::ZERO; 4];
            x.fill_with(|| random_point(&mut random));
            for split in [1, 2] {
                let found = if split == 1 {
                    vertex_face(x[0], x[1], x[2], x[3])
                } else {
                    edge_edge(x[0], x[1], x[2], x[3])
                };
                let d = found.distance_squared.sqrt();
                if d < 1e-3 {
                    continue;
                }
                let gap = gap_along(found.apart / d, &x, split);
                assert!((gap - d).abs() < 1e-12, "gap {gap}, distance {d}"); // measured: 3e-13
            }
        }
    }

    #[test]
    fn parallel_edges_meet_in_the_middle_of_their_overlap() {
        let (a, b) = (Vec3::ZERO, Vec3::X);
        let found = edge_edge(a, b, Vec3::new(0.5, 1.0, 0.0), Vec3::new(2.5, 1.0, 0.0));
        assert_eq!(found.weights, [0.25, 0.75, -0.875, -0.125]);
    }

    #[test]
    fn a_root_is_never_late() {
        let mut random = Random::new(9);
        for _ in 0..10_000 {
            let (c0, c1, c2) = (
                random.unit(),
                random.range(-1.0, 1.0),
                random.range(-1.0, 1.0),
            );
            let t = first_root(c0, c1, c2);
            for k in 1..50 {
                let s = t.min(100.0) * f64::from(k) / 50.0;
                assert!(
                    c0 + c1 * s + c2 * s * s > -1e-13,
                    "({c0}, {c1}, {c2}) vanishes before {t}"
                );
            }
        }
    }
}
