//! Two segments that move: where they come nearest, and when they first come too near.

use drystone_base::Vec3;
use drystone_geometry::proximity::edge_edge;

/// Two segments: ends of the first, ends of the second.
pub(crate) type Pair = [Vec3; 4];

/// Where two segments come nearest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Fraction of each \[1\].
    pub at: [f64; 2],
    /// From the second to the first \[m\].
    pub apart: Vec3,
}

impl Nearest {
    /// \[m\]
    pub(crate) fn distance(&self) -> f64 {
        self.apart.length()
    }
}

/// Most advances of moving segments.
const ADVANCES: usize = 400;
/// Offset of the place of contact, as a part of the sum of radii, by which near-parallel segments may be further apart
/// there than they are anywhere \[1\].
const OFFSET: f64 = 0.25;

/// Where the segments of `pair` come nearest, with the sum of their radii `radius` \[m\].
///
/// Of near-parallel segments the nearest place jumps from end to end with the slightest turn. The place is moved to the
/// middle of their overlap as the angle between them falls, where the distance is larger by less than a hundredth of
/// `radius`.
pub(crate) fn nearest(pair: &Pair, radius: f64) -> Nearest {
    let [a, b, c, d] = *pair;
    let found = edge_edge(a, b, c, d);
    let exact = Nearest {
        at: [found.weights[1], -found.weights[3]],
        apart: found.apart,
    };
    let (u, w) = (b - a, d - c);
    let (uu, ww) = (u.length_squared(), w.length_squared());
    let sine_squared = u.cross(w).length_squared();
    let flat = (OFFSET * OFFSET * radius * radius / uu.max(ww)).min(0.01);
    if sine_squared >= flat * uu * ww {
        return exact;
    }
    // how parallel: 1 below a fifth of that sine, 0 above it
    let sine = (sine_squared / (flat * uu * ww)).sqrt();
    let t = ((1.0 - sine) / 0.8).clamp(0.0, 1.0);
    let part = t * t * (3.0 - 2.0 * t);
    // middle of the overlap
    let along = |x: Vec3| (x - a).dot(u) / uu;
    let (p, q) = (along(c), along(d));
    let (low, high) = (p.min(q).max(0.0), p.max(q).min(1.0));
    if low >= high {
        return exact;
    }
    let s = exact.at[0] + (0.5 * (low + high) - exact.at[0]) * part;
    let place = a + u * s;
    let t = ((place - c).dot(w) / ww).clamp(0.0, 1.0);
    Nearest {
        at: [s, t],
        apart: place - (c + w * t),
    }
}

/// Where segments that move in straight lines from `start` to `end` first come within `least` of each other, if they
/// do; the sum of their radii is `radius` \[m\].
///
/// Conservative advancement: their distance falls no faster than the fastest two of their points approach.
pub(crate) fn meet(start: &Pair, end: &Pair, least: f64, radius: f64) -> Option<Nearest> {
    let way = [0, 1, 2, 3].map(|k| end[k] - start[k]);
    let ends = [(0, 2), (0, 3), (1, 2), (1, 3)];
    let apart = ends.map(|(i, j)| (way[i] - way[j]).length());
    let fastest = apart.into_iter().fold(0.0, f64::max);
    let tolerance = 0.02 * radius;
    let mut time = 0.0;
    for _ in 0..ADVANCES {
        let pair = [0, 1, 2, 3].map(|k| start[k] + way[k] * time);
        let found = nearest(&pair, 0.0);
        let clear = found.distance() - least;
        if clear <= tolerance {
            return Some(found);
        }
        time += clear / fastest;
        if time.is_nan() || time >= 1.0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::random::Random;

    #[test]
    fn segments_that_pass_through_each_other_are_found() {
        let mut random = Random::new(5);
        let (mut through, mut missed) = (0, 0);
        for _ in 0..2000 {
            let mut v = || {
                let mut x = || random.range(-1.0, 1.0);
                Vec3::new(x(), x(), x())
            };
            let (start, end) = ([v(), v(), v(), v()], [v(), v(), v(), v()]);
            if nearest(&start, 0.0).distance() < 0.1 {
                continue;
            }
            // by many small steps
            let passes = (0..=500).map(|k| f64::from(k) / 500.0).any(|t| {
                let pair = [0, 1, 2, 3].map(|k| start[k].lerp(end[k], t));
                nearest(&pair, 0.0).distance() < 0.02
            });
            through += usize::from(passes);
            missed += usize::from(passes && meet(&start, &end, 0.02, 0.04).is_none());
        }
        assert!(through > 300 && missed == 0, "{missed} of {through}"); // measured: none missed
    }

    #[test]
    fn the_place_of_contact_moves_steadily_through_parallel() {
        let (radius, mut worst, mut farthest) = (0.02f64, 0.0f64, 0.0f64);
        let at = |angle: f64| {
            let (y, z) = (1.5 * radius, 0.1 * angle);
            [
                Vec3::new(-0.1, y, -z),
                Vec3::new(0.1, y, z),
                Vec3::new(-0.06, 0.0, 0.0),
                Vec3::new(0.14, 0.0, 0.0),
            ]
        };
        let mut before = nearest(&at(-0.2), radius);
        for k in -199..=200 {
            let pair = at(f64::from(k) * 1e-3);
            let found = nearest(&pair, radius);
            worst = worst.max((found.at[0] - before.at[0]).abs());
            let exact = nearest(&pair, 0.0).distance();
            farthest = farthest.max((found.distance() - exact) / radius);
            before = found;
        }
        assert!(worst < 0.05, "{worst}");
        assert!(farthest < 0.01, "{farthest}");
    }
}
