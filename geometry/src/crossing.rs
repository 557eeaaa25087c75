//! Does an edge cross a triangle, do two segments in a plane cross: exact answers (Shewchuk's
//! adaptive predicates, package `robust`), so that a start or a frame is called free of
//! intersections only if it is.

use drystone_base::Vec3;
use robust::{Coord, Coord3D, orient2d, orient3d};

/// Sign of the volume of `a b c d`: which side of the plane `a b c` holds `d`.
fn side(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    let at = |p: Vec3| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    orient3d(at(a), at(b), at(c), at(d))
}

/// Whether `p` is in the half-space below the plane through `a`, `b` and `c`, or on it; seen from above they
/// turn counterclockwise.
pub fn is_below(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> bool {
    side(a, b, c, p) >= 0.0
}

/// Sign of the area of `a b c` seen along the axis `drop`.
fn turn(a: Vec3, b: Vec3, c: Vec3, drop: usize) -> f64 {
    let at = |p: Vec3| Coord {
        x: p[(drop + 1) % 3],
        y: p[(drop + 2) % 3],
    };
    orient2d(at(a), at(b), at(c))
}

/// Whether segments `a b` and `c d` of one plane share a point, seen along the axis `drop`.
pub fn segments_cross(a: Vec3, b: Vec3, c: Vec3, d: Vec3, drop: usize) -> bool {
    let (s0, s1) = (turn(a, b, c, drop), turn(a, b, d, drop));
    let (s2, s3) = (turn(c, d, a, drop), turn(c, d, b, drop));
    if s0 == 0.0 && s1 == 0.0 && s2 == 0.0 && s3 == 0.0 {
        // on one line: do the ranges meet in both coordinates
        return [(drop + 1) % 3, (drop + 2) % 3]
            .iter()
            .all(|&k| a[k].min(b[k]) <= c[k].max(d[k]) && c[k].min(d[k]) <= a[k].max(b[k]));
    }
    s0 * s1 <= 0.0 && s2 * s3 <= 0.0 && signs_differ(s0, s1) && signs_differ(s2, s3)
}

/// Opposite or zero, without the underflow of a product.
fn signs_differ(a: f64, b: f64) -> bool {
    !(a > 0.0 && b > 0.0 || a < 0.0 && b < 0.0)
}

/// Whether segment `p q` and triangle `a b c` share a point, touching included.
pub fn edge_crosses_face(p: Vec3, q: Vec3, a: Vec3, b: Vec3, c: Vec3) -> bool {
    // far apart along an axis: the usual case
    let (low, high) = (p.min(q), p.max(q));
    let (tri_low, tri_high) = (a.min(b).min(c), a.max(b).max(c));
    if low.cmpgt(tri_high).any() || tri_low.cmpgt(high).any() {
        return false;
    }
    let (sp, sq) = (side(a, b, c, p), side(a, b, c, q));
    if !signs_differ(sp, sq) {
        return false;
    }
    if sp == 0.0 && sq == 0.0 {
        return flat_crosses(p, q, [a, b, c]);
    }
    // the line passes the three sides in one sense
    let signs = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    !(signs.iter().any(|&s| s > 0.0) && signs.iter().any(|&s| s < 0.0))
}

/// The case of one plane, or of a triangle without area.
fn flat_crosses(p: Vec3, q: Vec3, tri: [Vec3; 3]) -> bool {
    // a direction of view in which the triangle has an area; without one its sides are all there is
    let seen = (0..3).find(|&drop| turn(tri[0], tri[1], tri[2], drop) != 0.0);
    let Some(drop) = seen else {
        return (0..3)
            .all(|drop| (0..3).any(|k| segments_cross(p, q, tri[k], tri[(k + 1) % 3], drop)));
    };
    let inside = |x: Vec3| {
        let s = [0, 1, 2].map(|k| turn(tri[k], tri[(k + 1) % 3], x, drop));
        !(s.iter().any(|&s| s > 0.0) && s.iter().any(|&s| s < 0.0))
    };
    inside(p) || inside(q) || (0..3).any(|k| segments_cross(p, q, tri[k], tri[(k + 1) % 3], drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Vec3 = Vec3::new(0.0, 0.0, 0.0);
    const B: Vec3 = Vec3::new(1.0, 0.0, 0.0);
    const C: Vec3 = Vec3::new(0.0, 0.0, 1.0);

    #[test]
    fn crossing_touching_and_missing_are_told_apart_to_the_last_bit() {
        let over = |x: f64, z: f64| {
            edge_crosses_face(Vec3::new(x, 1.0, z), Vec3::new(x, -1.0, z), A, B, C)
        };
        assert!(over(0.25, 0.25) && over(0.5, 0.5) && over(0.0, 0.0));
        assert!(!over(0.5, 0.5 + f64::EPSILON) && !over(-f64::MIN_POSITIVE, 0.5));
        let above = f64::MIN_POSITIVE;
        let (p, q) = (Vec3::new(0.2, above, 0.2), Vec3::new(0.2, 1.0, 0.2));
        assert!(!edge_crosses_face(p, q, A, B, C));
    }

    #[test]
    fn what_lies_in_the_plane_is_seen() {
        let (inside, outside) = (Vec3::new(0.2, 0.0, 0.2), Vec3::new(-1.0, 0.0, 0.3));
        assert!(edge_crosses_face(inside, outside, A, B, C));
        assert!(edge_crosses_face(
            outside,
            Vec3::new(2.0, 0.0, 0.3),
            A,
            B,
            C
        ));
        assert!(!edge_crosses_face(
            outside,
            Vec3::new(-1.0, 0.0, 3.0),
            A,
            B,
            C
        ));
        // a triangle that is but a line
        assert!(edge_crosses_face(
            Vec3::new(0.5, -1.0, 0.0),
            Vec3::new(0.5, 1.0, 0.0),
            A,
            B,
            B * 2.0
        ));
    }
}
