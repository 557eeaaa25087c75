//! A leggy concave animal, grown from capsules that melt into each other.

use drystone_base::Vec3;

/// Bones: two ends and a radius [m]; x forwards, y up, standing on y = 0.
const BONES: [([f64; 3], [f64; 3], f64); 9] = [
    // trunk, neck, head, tail
    ([-0.28, 0.42, 0.0], [0.18, 0.43, 0.0], 0.15),
    ([0.2, 0.44, 0.0], [0.34, 0.51, 0.0], 0.08),
    ([0.34, 0.52, 0.0], [0.43, 0.47, 0.0], 0.07),
    ([-0.41, 0.46, 0.0], [-0.455, 0.24, 0.0], 0.042),
    // legs
    ([-0.29, 0.36, 0.095], [-0.29, 0.055, 0.1], 0.055),
    ([-0.29, 0.36, -0.095], [-0.29, 0.055, -0.1], 0.055),
    ([0.19, 0.36, 0.095], [0.19, 0.055, 0.1], 0.055),
    ([0.19, 0.36, -0.095], [0.19, 0.055, -0.1], 0.055),
    // horns
    ([0.35, 0.55, 0.07], [0.35, 0.55, -0.07], 0.035),
];

/// Edge of a cell [m].
const CELL: f64 = 0.033;
/// Cells along x, y and z, with a free one all around.
const CELLS: [usize; 3] = [33, 21, 13];
/// Smallest corner of the grid [m].
const LOW: Vec3 = Vec3::new(-0.54, -0.041, -0.2145);

/// Corners [m] and triangles (counter-clockwise seen from outside) of a closed mesh of an animal
/// about 1.0 m long, 0.6 m high and 0.3 m wide.
pub fn animal() -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let [nx, ny, nz] = CELLS;
    let node = |i: usize, j: usize, k: usize| (k * (ny + 1) + j) * (nx + 1) + i;
    let mut value = vec![0.0; (nx + 1) * (ny + 1) * (nz + 1)];
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                value[node(i, j, k)] = depth(LOW + Vec3::new(i as f64, j as f64, k as f64) * CELL);
            }
        }
    }

    // one corner of the mesh in each cell that the surface crosses: the mean of its crossings
    let cell = |i: usize, j: usize, k: usize| (k * ny + j) * nx + i;
    let mut corner_of = vec![u32::MAX; nx * ny * nz];
    let mut corners = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                if let Some(at) = crossing(|a, b, c| value[node(i + a, j + b, k + c)]) {
                    corner_of[cell(i, j, k)] = corners.len() as u32;
                    corners.push(LOW + (Vec3::new(i as f64, j as f64, k as f64) + at) * CELL);
                }
            }
        }
    }

    // one quad around each edge of the grid that the surface crosses
    let mut triangles = Vec::new();
    let mut quad = |around: [usize; 4], outwards: bool| {
        let [a, b, c, d] = around.map(|c| corner_of[c]);
        let pair = if outwards {
            [[a, b, c], [a, c, d]]
        } else {
            [[a, c, b], [a, d, c]]
        };
        triangles.extend(pair);
    };
    for k in 1..nz {
        for j in 1..ny {
            for i in 1..nx {
                let here = value[node(i, j, k)] < 0.0;
                for (axis, next) in [node(i + 1, j, k), node(i, j + 1, k), node(i, j, k + 1)]
                    .into_iter()
                    .enumerate()
                {
                    if here == (value[next] < 0.0) {
                        continue;
                    }
                    let around = match axis {
                        0 => [(i, j - 1, k - 1), (i, j, k - 1), (i, j, k), (i, j - 1, k)],
                        1 => [(i - 1, j, k - 1), (i - 1, j, k), (i, j, k), (i, j, k - 1)],
                        _ => [(i - 1, j - 1, k), (i, j - 1, k), (i, j, k), (i - 1, j, k)],
                    };
                    quad(around.map(|(a, b, c)| cell(a, b, c)), here);
                }
            }
        }
    }
    (corners, triangles)
}

/// Mean of the points where the surface crosses the edges of the unit cell with the given
/// values at its corners, if it does.
fn crossing(value: impl Fn(usize, usize, usize) -> f64) -> Option<Vec3> {
    let (mut sum, mut count) = (Vec3::ZERO, 0);
    for axis in 0..3 {
        for (p, q) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let end = |along: usize| match axis {
                0 => [along, p, q],
                1 => [p, along, q],
                _ => [p, q, along],
            };
            let [a, b] = [end(0), end(1)];
            let (x, y) = (value(a[0], a[1], a[2]), value(b[0], b[1], b[2]));
            if (x < 0.0) != (y < 0.0) {
                let from = Vec3::from(a.map(|c| c as f64));
                let to = Vec3::from(b.map(|c| c as f64));
                sum += from.lerp(to, x / (x - y));
                count += 1;
            }
        }
    }
    (count > 0).then(|| sum / f64::from(count))
}

/// Distance to the animal, negative inside, rounded where bones meet [m].
fn depth(p: Vec3) -> f64 {
    const MELT: f64 = 0.04;
    BONES.iter().fold(1.0, |nearest, &(a, b, radius)| {
        let (a, b) = (Vec3::from(a), Vec3::from(b));
        let along = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
        let d = (p - a.lerp(b, along)).length() - radius;
        // smooth minimum: quadratic blend where both are near
        let blend = (MELT - (nearest - d).abs()).max(0.0) / MELT;
        nearest.min(d) - 0.25 * blend * blend * MELT
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_animal_is_closed_and_turned_outwards() {
        let (corners, triangles) = animal();
        let mut edges: BTreeMap<(u32, u32), i32> = BTreeMap::new();
        for t in &triangles {
            for (a, b) in [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])] {
                *edges.entry((a, b)).or_default() += 1;
            }
        }
        assert!(
            edges
                .iter()
                .all(|(&(a, b), &n)| n == 1 && edges.get(&(b, a)) == Some(&1))
        );
        // Euler: a sphere without handles
        assert_eq!(corners.len() + triangles.len() - edges.len() / 2, 2);
        let volume: f64 = triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| corners[i as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!((0.03..0.09).contains(&volume), "volume {volume} m³"); // measured: see below
        let low = corners.iter().fold(Vec3::INFINITY, |m, &p| m.min(p));
        let high = corners.iter().fold(Vec3::NEG_INFINITY, |m, &p| m.max(p));
        let size = high - low;
        assert!(
            (size - Vec3::new(1.0, 0.6, 0.31)).abs().max_element() < 0.05,
            "size {size}"
        );
        assert!(low.y.abs() < 0.01, "feet at {}", low.y);
        assert!(
            (1000..4000).contains(&triangles.len()),
            "{} triangles",
            triangles.len()
        );
    }
}
