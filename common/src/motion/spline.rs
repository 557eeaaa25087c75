//! The quintics of a smooth path: their end conditions from the keys around them, limited where they would overshoot.

use std::ops::{Add, Div, Mul, Sub};

use drystone_base::Vec3;
use drystone_base::rotation::log;

use super::{Easing, Key, Moving};

/// Value, first and second derivative at `t` of the quintic that has the values and derivatives
/// `y0` at 0 and `y1` at `span`.
pub(super) fn quintic<T>(y0: [T; 3], y1: [T; 3], span: f64, t: f64) -> [T; 3]
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T> + Div<f64, Output = T>,
{
    let u = t / span;
    let (v0, a0) = (y0[1] * span, y0[2] * (span * span));
    let (v1, a1) = (y1[1] * span, y1[2] * (span * span));
    let d = y1[0] - y0[0];
    // y = c0 + c1 u + c2 u² + u³ (c3 + c4 u + c5 u²)
    let (p, v, a) = (d - v0 - a0 * 0.5, v1 - v0 - a0, a1 - a0);
    let c3 = p * 10.0 - v * 4.0 + a * 0.5;
    let c4 = p * -15.0 + v * 7.0 - a;
    let c5 = p * 6.0 - v * 3.0 + a * 0.5;
    let (u2, u3) = (u * u, u * u * u);
    [
        y0[0] + v0 * u + a0 * (0.5 * u2) + (c3 + c4 * u + c5 * u2) * u3,
        (v0 + a0 * u + (c3 * 3.0 + c4 * (4.0 * u) + c5 * (5.0 * u2)) * u2) / span,
        (a0 + (c3 * 6.0 + c4 * (12.0 * u) + c5 * (20.0 * u2)) * u) / (span * span),
    ]
}

/// Motion at every key of a smooth path: from up to five keys around it, without overshoot.
pub(super) fn knots(keys: &[Key]) -> Vec<Moving> {
    let mut knots: Vec<Moving> = (0..keys.len()).map(|i| knot(keys, i)).collect();
    let pairs = || keys.windows(2);
    let spans: Vec<f64> = pairs().map(|k| k[1].time - k[0].time).collect();
    let steps: Vec<Vec3> = pairs()
        .map(|k| k[1].pose.position - k[0].pose.position)
        .collect();
    let turns: Vec<Vec3> = pairs()
        .map(|k| log(k[0].pose.rotation.conjugate() * k[1].pose.rotation))
        .collect();
    for axis in 0..3 {
        let mut positions = Monotone::new(&spans, &steps, axis);
        positions.limit(&mut knots, |k| (&mut k.velocity, &mut k.acceleration));
        let mut rotations = Monotone::new(&spans, &turns, axis);
        rotations.limit(&mut knots, |k| {
            (&mut k.angular_velocity, &mut k.angular_acceleration)
        });
    }
    knots
}

pub(super) fn knot(keys: &[Key], i: usize) -> Moving {
    let here = &keys[i];
    let mut knot = Moving::still(here.pose);
    if here.easing == Easing::Rest {
        return knot;
    }
    // what lies beyond a rest is another motion
    let rests = |k: &Key| k.easing == Easing::Rest;
    let start = keys[..i].iter().rposition(rests).unwrap_or(0);
    let end = keys[i..]
        .iter()
        .position(rests)
        .map_or(keys.len(), |k| i + k + 1);
    // rotations must stay well inside one chart around this key
    let fits = |first: usize, last: usize| {
        let mut turned: f64 = 0.0;
        for k in first..last {
            turned += log(keys[k].pose.rotation.conjugate() * keys[k + 1].pose.rotation).length();
        }
        turned < 2.0
    };
    let mut width = 5.min(end - start);
    let window = |width: usize| {
        let first = i.saturating_sub(width / 2).clamp(start, end - width);
        (first, first + width - 1)
    };
    while width > 3 && !fits(window(width).0, window(width).1) {
        width -= 1;
    }
    let (first, last) = window(width);
    let nodes: Vec<f64> = (first..=last).map(|k| keys[k].time - here.time).collect();
    let weights = derivative_weights(&nodes);
    for (k, weight) in (first..=last).zip(&weights) {
        let step = keys[k].pose.position - here.pose.position;
        let turn = log(here.pose.rotation.conjugate() * keys[k].pose.rotation);
        knot.velocity += step * weight[0];
        knot.acceleration += step * weight[1];
        knot.angular_velocity += turn * weight[0];
        knot.angular_acceleration += turn * weight[1];
    }
    knot
}

/// One coordinate of a smooth path, which is to stay within the range of two keys wherever the keys around
/// them rise or fall throughout.
///
/// As a Bézier curve a quintic lies within its control points. Those next to the key where it starts are
/// `h v/5` and `2 h v/5 + h² a/20` away from that; so each key has its own bounds on `v` and `a`, and every
/// quintic between two keys within their bounds stays in range.
struct Monotone<'a> {
    spans: &'a [f64],
    steps: &'a [Vec3],
    axis: usize,
}

impl<'a> Monotone<'a> {
    fn new(spans: &'a [f64], steps: &'a [Vec3], axis: usize) -> Self {
        Self { spans, steps, axis }
    }

    /// Makes velocities and accelerations smaller at the ends of every quintic that leaves its range.
    fn limit(
        &mut self,
        knots: &mut [Moving],
        parts: impl Fn(&mut Moving) -> (&mut Vec3, &mut Vec3),
    ) {
        let mut limited = vec![false; self.spans.len()];
        // what is changed for one quintic may take its neighbour out of range
        let mut again = true;
        while std::mem::take(&mut again) {
            for i in 0..self.spans.len() {
                let mut end = |k: usize| {
                    let (v, a) = parts(&mut knots[k]);
                    [v[self.axis], a[self.axis]]
                };
                let ends = [end(i), end(i + 1)];
                if limited[i] || !self.is_monotone(i) || self.stays_in_range(i, ends) {
                    continue;
                }
                for k in [i, i + 1] {
                    let (v, a) = parts(&mut knots[k]);
                    [v[self.axis], a[self.axis]] = self.bounded(k, [v[self.axis], a[self.axis]]);
                }
                (limited[i], again) = (true, true);
            }
        }
    }

    /// Time from key `i` to the next \[s\].
    fn step(&self, i: usize) -> f64 {
        self.steps[i][self.axis]
    }

    /// Whether the keys around step `i` rise or fall throughout.
    fn is_monotone(&self, i: usize) -> bool {
        let around = i.saturating_sub(1)..(i + 2).min(self.spans.len());
        let (mut rises, mut falls) = (false, false);
        for j in around {
            rises |= self.step(j) > 0.0;
            falls |= self.step(j) < 0.0;
        }
        !(rises && falls)
    }

    /// Whether the quintic of step `i` with velocity and acceleration `ends` stays between its two keys.
    fn stays_in_range(&self, i: usize, ends: [[f64; 2]; 2]) -> bool {
        let (h, d) = (self.spans[i], self.step(i));
        let [[v0, a0], [v1, a1]] = ends;
        let control = [
            0.0,
            h * v0 / 5.0,
            2.0 * h * v0 / 5.0 + h * h * a0 / 20.0,
            d - 2.0 * h * v1 / 5.0 + h * h * a1 / 20.0,
            d - h * v1 / 5.0,
            d,
        ];
        let slack = 1e-12 * d.abs();
        within(control, d.min(0.0) - slack, d.max(0.0) + slack, 8)
    }

    /// Velocity and acceleration at key `k`, within the bounds of the monotone steps beside it.
    fn bounded(&self, k: usize, [v, a]: [f64; 2]) -> [f64; 2] {
        let before = k.checked_sub(1).filter(|&i| self.is_monotone(i));
        let after = (k < self.spans.len() && self.is_monotone(k)).then_some(k);
        let both = [before, after].map(|i| i.map(|i| (self.spans[i], self.step(i))));
        let falls = both.iter().flatten().any(|(_, d)| *d < 0.0);
        let sign = if falls { -1.0 } else { 1.0 };
        let [before, after] = both.map(|one| one.map(|(h, d)| (h, d.abs())));

        // a velocity that leaves an acceleration to choose
        let mut most = f64::INFINITY;
        for (h, d) in [before, after].into_iter().flatten() {
            most = most.min(5.0 * d / h);
        }
        if let (Some((h0, d0)), Some((h1, d1))) = (before, after) {
            most = most.min(2.5 * (d0 / (h0 * h0) + d1 / (h1 * h1)) / (1.0 / h0 + 1.0 / h1));
        }
        let v = (sign * v).clamp(0.0, most);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        if let Some((h, d)) = before {
            (low, high) = (8.0 * v / h - 20.0 * d / (h * h), 8.0 * v / h);
        }
        if let Some((h, d)) = after {
            low = low.max(-8.0 * v / h);
            high = high.min(20.0 * d / (h * h) - 8.0 * v / h);
        }
        [sign * v, sign * (sign * a).max(low).min(high)]
    }
}

/// Whether a Bézier curve stays between `low` and `high`, decided in at most `depth` halvings.
fn within(control: [f64; 6], low: f64, high: f64, depth: u32) -> bool {
    let inside = |x: &f64| (low..=high).contains(x);
    if control.iter().all(inside) {
        return true;
    }
    if depth == 0 || !inside(&control[0]) || !inside(&control[5]) {
        return false;
    }
    // de Casteljau's halves
    let (mut left, mut right) = (control, control);
    for level in 1..6 {
        for k in (level..6).rev() {
            left[k] = 0.5 * (left[k - 1] + left[k]);
        }
        for k in 0..6 - level {
            right[k] = 0.5 * (right[k] + right[k + 1]);
        }
    }
    within(left, low, high, depth - 1) && within(right, low, high, depth - 1)
}

/// Weights of the values at `nodes` in the first and second derivative at 0 of the polynomial
/// through all of them.
fn derivative_weights(nodes: &[f64]) -> Vec<[f64; 2]> {
    let n = nodes.len();
    let mut weights = Vec::with_capacity(n);
    for i in 0..n {
        // Lagrange's polynomial of node i as coefficients of 1, t, t²
        let mut c = [1.0, 0.0, 0.0];
        for (j, node) in nodes.iter().enumerate() {
            if j != i {
                let scale = 1.0 / (nodes[i] - node);
                c = [
                    -c[0] * node * scale,
                    (c[0] - c[1] * node) * scale,
                    (c[1] - c[2] * node) * scale,
                ];
            }
        }
        weights.push([c[1], 2.0 * c[2]]);
    }
    weights
}
