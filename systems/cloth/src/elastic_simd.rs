//! Springs and hinges eight at a time. No two of the eight share a vertex, so their kicks may be computed
//! together; the bits do not depend on how wide the machine's instructions are.

use drystone_base::Vec3;
use drystone_base::lanes::{Kernel, Lanes, Wide8, dispatch};

use crate::elastic::{CARRIED, Dashpot, Hinge, Spring, small_angle};
use crate::vertex::Vertex;

/// Orders elements so that as many as possible stand in runs of eight that share no vertex, each near its old
/// place; those that fit into no run come last. Gives the number of runs.
pub(crate) fn in_batches<T: Copy>(
    elements: &mut Vec<T>,
    fits: impl Fn(&T) -> bool,
    corners: impl Fn(&T) -> &[u32],
) -> usize {
    /// Number of elements after the first of a run among which its others are searched.
    const AHEAD: usize = 96;
    let mut pending: Vec<T> = elements.iter().copied().filter(&fits).collect();
    let mut rest: Vec<T> = elements.iter().copied().filter(|x| !fits(x)).collect();
    pending.reverse();
    elements.clear();
    let mut last = Vec::new();
    while !pending.is_empty() {
        let (mut run, mut taken): (Vec<usize>, Vec<u32>) = (Vec::new(), Vec::new());
        let window = pending.len().saturating_sub(AHEAD)..pending.len();
        for k in window.rev() {
            if run.len() < 8 && !corners(&pending[k]).iter().any(|i| taken.contains(i)) {
                taken.extend(corners(&pending[k]));
                run.push(k);
            }
        }
        let whole = run.len() == 8;
        for k in run {
            let element = pending.remove(k);
            if whole {
                elements.push(element);
            } else {
                last.push(element);
            }
        }
    }
    let runs = elements.len() / 8;
    elements.append(&mut last);
    elements.append(&mut rest);
    runs
}

/// Eight springs that share no vertex.
#[derive(Clone, Debug)]
pub(crate) struct Springs {
    ends: [[u32; 8]; 2],
    length: Wide8<f64>,
    /// Stiffness times period \[N s/m\].
    kick: Wide8<f64>,
}

impl Springs {
    /// Packs eight of them.
    pub(crate) fn new(springs: &[Spring]) -> Self {
        let (mut ends, mut length, mut kick) = ([[0; 8]; 2], Wide8::default(), Wide8::default());
        for (k, spring) in springs.iter().take(8).enumerate() {
            (ends[0][k], ends[1][k]) = (spring.ends[0], spring.ends[1]);
            length.0[k] = spring.length;
            kick.0[k] = spring.kick();
        }
        Self { ends, length, kick }
    }
}

/// Eight dashpots along edges that share no vertex.
#[derive(Clone, Debug)]
pub(crate) struct Dashpots {
    ends: [[u32; 8]; 2],
    /// See [`Dashpot`].
    inverse: Wide8<f64>,
}

impl Dashpots {
    /// Packs eight of them.
    pub(crate) fn new(dashpots: &[Dashpot]) -> Self {
        let (mut ends, mut inverse) = ([[0; 8]; 2], Wide8::default());
        for (k, dashpot) in dashpots.iter().take(8).enumerate() {
            (ends[0][k], ends[1][k]) = (dashpot.ends[0], dashpot.ends[1]);
            inverse.0[k] = dashpot.inverse;
        }
        Self { ends, inverse }
    }
}

/// Eight hinges that share no vertex.
#[derive(Clone, Debug)]
pub(crate) struct Hinges {
    corners: [[u32; 8]; 4],
    angle: Wide8<f64>,
    /// Stiffness times period \[N m s\].
    kick: Wide8<f64>,
}

impl Hinges {
    /// Packs eight of them.
    pub(crate) fn new(hinges: &[Hinge]) -> Self {
        let (mut corners, mut angle, mut kick) = ([[0; 8]; 4], Wide8::default(), Wide8::default());
        for (k, hinge) in hinges.iter().take(8).enumerate() {
            for n in 0..4 {
                corners[n][k] = hinge.corners[n];
            }
            angle.0[k] = hinge.angle;
            kick.0[k] = hinge.stiffness * hinge.period;
        }
        Self {
            corners,
            angle,
            kick,
        }
    }
}

/// Kicks the ends of springs, run by run.
pub(crate) fn tick_springs(springs: &[Springs], vertices: &mut [Vertex]) {
    dispatch(TickSprings { springs, vertices });
}

/// Slows the ends of dashpots, run by run; gives the energy taken \[J\].
pub(crate) fn tick_dashpots(dashpots: &[Dashpots], vertices: &mut [Vertex]) -> f64 {
    dispatch(TickDashpots { dashpots, vertices })
}

/// Kicks the corners of hinges, run by run.
pub(crate) fn tick_hinges(hinges: &[Hinges], vertices: &mut [Vertex]) {
    dispatch(TickHinges { hinges, vertices });
}

/// Eight vertices: positions, velocities, inverse masses.
struct Gathered<L> {
    x: [L; 3],
    v: [L; 3],
    inverse_mass: L,
}

// What runs in lanes has neither closures nor iterators over lanes: those would be compiled without the wide
// instructions, as functions of their own.

/// A vertex as eight numbers in a row; its time is not looked at.
#[inline(always)]
fn row<L: Lanes<Real = f64>>(vertices: &[Vertex], i: u32) -> L {
    let vertex = &vertices[i as usize];
    let (x, v) = (vertex.position, vertex.velocity);
    let time = f64::from_bits(vertex.time);
    L::load(&Wide8([
        x.x,
        x.y,
        x.z,
        v.x,
        v.y,
        v.z,
        time,
        vertex.inverse_mass,
    ]))
}

#[inline(always)]
fn gather<L: Lanes<Real = f64>>(vertices: &[Vertex], which: &[u32; 8]) -> Gathered<L> {
    let [x, y, z, u, v, w, _, inverse_mass] = L::transpose([
        row(vertices, which[0]),
        row(vertices, which[1]),
        row(vertices, which[2]),
        row(vertices, which[3]),
        row(vertices, which[4]),
        row(vertices, which[5]),
        row(vertices, which[6]),
        row(vertices, which[7]),
    ]);
    Gathered {
        x: [x, y, z],
        v: [u, v, w],
        inverse_mass,
    }
}

#[inline(always)]
fn scatter<L: Lanes<Real = f64>>(vertices: &mut [Vertex], which: &[u32; 8], v: [L; 3]) {
    let mut out = [Wide8::default(); 3];
    v[0].store(&mut out[0]);
    v[1].store(&mut out[1]);
    v[2].store(&mut out[2]);
    for k in 0..8 {
        vertices[which[k] as usize].velocity = Vec3::new(out[0].0[k], out[1].0[k], out[2].0[k]);
    }
}

#[inline(always)]
fn minus<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross<L: Lanes>(a: [L; 3], b: [L; 3]) -> [L; 3] {
    [
        a[1] * b[2] - b[1] * a[2],
        a[2] * b[0] - b[2] * a[0],
        a[0] * b[1] - b[0] * a[1],
    ]
}

/// `v + a s`
#[inline(always)]
fn plus<L: Lanes>(v: [L; 3], a: [L; 3], s: L) -> [L; 3] {
    [v[0] + a[0] * s, v[1] + a[1] * s, v[2] + a[2] * s]
}

struct TickSprings<'a> {
    springs: &'a [Springs],
    vertices: &'a mut [Vertex],
}

impl Kernel<f64> for TickSprings<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = f64>>(self) {
        for run in self.springs {
            let p = gather::<L>(self.vertices, &run.ends[0]);
            let q = gather::<L>(self.vertices, &run.ends[1]);
            let e = minus(q.x, p.x);
            let length = dot(e, e).root();
            // ends in one point have no direction
            let inverse = L::splat(1.0).over(length.larger(L::splat(1e-200)));
            let n = [e[0] * inverse, e[1] * inverse, e[2] * inverse];
            let impulse = L::load(&run.kick) * (length - L::load(&run.length));
            let (a, b) = (impulse * p.inverse_mass, -impulse * q.inverse_mass);
            scatter(self.vertices, &run.ends[0], plus(p.v, n, a));
            scatter(self.vertices, &run.ends[1], plus(q.v, n, b));
        }
    }
}

struct TickDashpots<'a> {
    dashpots: &'a [Dashpots],
    vertices: &'a mut [Vertex],
}

impl Kernel<f64> for TickDashpots<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lanes<Real = f64>>(self) -> f64 {
        let mut taken = L::splat(0.0);
        for run in self.dashpots {
            let p = gather::<L>(self.vertices, &run.ends[0]);
            let q = gather::<L>(self.vertices, &run.ends[1]);
            let e = minus(q.x, p.x);
            let inverse = L::splat(1.0).over(dot(e, e).root().larger(L::splat(1e-200)));
            let n = [e[0] * inverse, e[1] * inverse, e[2] * inverse];
            let parting = dot(n, minus(q.v, p.v));
            // as in `elastic::dashpot`
            let mass = p.inverse_mass + q.inverse_mass;
            let (half, least) = (mass * L::splat(0.5), mass * L::splat(1.0 / CARRIED));
            let impulse = parting.over(L::load(&run.inverse).larger(least) + half);
            taken = taken + impulse * (parting - impulse * half);
            let (a, b) = (impulse * p.inverse_mass, -impulse * q.inverse_mass);
            scatter(self.vertices, &run.ends[0], plus(p.v, n, a));
            scatter(self.vertices, &run.ends[1], plus(q.v, n, b));
        }
        let mut sum = Wide8::default();
        taken.store(&mut sum);
        sum.0.iter().sum()
    }
}

struct TickHinges<'a> {
    hinges: &'a [Hinges],
    vertices: &'a mut [Vertex],
}

impl Kernel<f64> for TickHinges<'_> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lanes<Real = f64>>(self) {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        for run in self.hinges {
            let p0 = gather::<L>(self.vertices, &run.corners[0]);
            let p1 = gather::<L>(self.vertices, &run.corners[1]);
            let p2 = gather::<L>(self.vertices, &run.corners[2]);
            let p3 = gather::<L>(self.vertices, &run.corners[3]);
            // as in `elastic::hinge_angle`
            let (e, a, b) = (minus(p1.x, p0.x), minus(p2.x, p0.x), minus(p3.x, p0.x));
            let (n1, n2) = (cross(e, a), cross(b, e));
            let (ee, s1, s2) = (dot(e, e), dot(n1, n1), dot(n2, n2));
            let length = ee.root();
            let least = L::splat(1e-200);
            let inverse = one.over(length.larger(least));
            let angle = angles::<L>(-length * dot(n1, b), dot(n1, n2));
            let (r1, r2) = (one.over(s1.larger(least)), one.over(s2.larger(least)));
            // less than a turn either way from rest
            let (half, turn) = (
                L::splat(std::f64::consts::PI),
                L::splat(std::f64::consts::TAU),
            );
            let bend = angle - L::load(&run.angle);
            let bend = bend.if_above(half, bend - turn, bend);
            let bend = (-half).if_above(bend, bend + turn, bend);
            let impulse = -(L::load(&run.kick) * bend);
            // a triangle without area has no angle
            let impulse = (ee * s1 * s2).if_above(zero, impulse, zero);
            let (ae, be) = (dot(a, e), dot(b, e));
            let (k1, k2) = (impulse * r1, impulse * r2);
            let (c1, c2) = (k1 * inverse, k2 * inverse);
            let (m0, m1) = (p0.inverse_mass, p1.inverse_mass);
            let v0 = plus(p0.v, n1, c1 * (ee - ae) * m0);
            let v0 = plus(v0, n2, c2 * (ee - be) * m0);
            let v1 = plus(plus(p1.v, n1, c1 * ae * m1), n2, c2 * be * m1);
            let v2 = plus(p2.v, n1, -(k1 * length) * p2.inverse_mass);
            let v3 = plus(p3.v, n2, -(k2 * length) * p3.inverse_mass);
            scatter(self.vertices, &run.corners[0], v0);
            scatter(self.vertices, &run.corners[1], v1);
            scatter(self.vertices, &run.corners[2], v2);
            scatter(self.vertices, &run.corners[3], v3);
        }
    }
}

/// `atan2(y, x)` lane by lane: the series for small angles, one by one for others.
#[inline(always)]
fn angles<L: Lanes<Real = f64>>(y: L, x: L) -> L {
    let size = y.larger(-y);
    let tenth = x * L::splat(0.1);
    let small = tenth.if_above(size, L::splat(1.0), L::splat(0.0));
    let t = y.over(x.larger(L::splat(1e-300)));
    let s = t * t;
    let (s2, s4) = (s * s, s * s * (s * s));
    let first = L::splat(1.0 / 3.0) - s * L::splat(0.2);
    let second = L::splat(1.0 / 7.0) - s * L::splat(1.0 / 9.0);
    let third = L::splat(1.0 / 11.0) - s * L::splat(1.0 / 13.0) + s2 * L::splat(1.0 / 15.0);
    let sum = first + s2 * second + s4 * third;
    let series = t - t * s * sum;
    let mut which = Wide8::default();
    small.store(&mut which);
    if which.0 == [1.0; 8] {
        return series;
    }
    let (mut found, mut up, mut along) = (Wide8::default(), Wide8::default(), Wide8::default());
    series.store(&mut found);
    y.store(&mut up);
    x.store(&mut along);
    for k in 0..8 {
        if which.0[k] != 1.0 {
            found.0[k] = small_angle(up.0[k], along.0[k]);
        }
    }
    L::load(&found)
}

#[cfg(test)]
mod tests {
    use drystone_base::random::Random;

    use super::*;

    /// Vertices of a crumpled sheet, and its elements.
    fn crumpled() -> (Vec<Vertex>, Vec<Spring>, Vec<Dashpot>, Vec<Hinge>) {
        let mut random = Random::new(5);
        let n = 12u32;
        let vertices = (0..n * n).map(|i| Vertex {
            position: Vec3::new(f64::from(i % n), random.unit(), f64::from(i / n)),
            velocity: Vec3::new(random.unit(), random.unit(), random.unit()),
            time: 77,
            inverse_mass: random.range(0.0, 2.0),
        });
        let vertices = vertices.collect();
        let (mut springs, mut dashpots, mut hinges) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..n * n - n - 1 {
            for j in [i + 1, i + n, i + n + 1] {
                let ends = [i, j];
                springs.push(Spring {
                    ends,
                    length: 0.9,
                    stiffness: 3.0,
                    period: 0.1,
                });
                let inverse = random.range(0.0, 2.0);
                dashpots.push(Dashpot { ends, inverse });
            }
            hinges.push(Hinge {
                corners: [i, i + n + 1, i + 1, i + n],
                angle: random.range(-3.0, 3.0),
                stiffness: 1.0,
                period: 0.1,
            });
        }
        (vertices, springs, dashpots, hinges)
    }

    #[test]
    fn eight_at_a_time_kick_as_one_by_one() {
        let (mut wide, mut springs, mut dashpots, mut hinges) = crumpled();
        let runs = in_batches(&mut springs, |_| true, |spring| &spring.ends);
        let slow = in_batches(&mut dashpots, |_| true, |dashpot| &dashpot.ends);
        let folds = in_batches(&mut hinges, |_| true, |hinge| &hinge.corners);
        assert!(runs >= 40 && folds >= 8, "{runs} and {folds} runs");
        let mut plain = wide.clone();
        let batches: Vec<_> = springs[..8 * runs].chunks(8).map(Springs::new).collect();
        let folded: Vec<_> = hinges[..8 * folds].chunks(8).map(Hinges::new).collect();
        let slowed: Vec<_> = dashpots[..8 * slow].chunks(8).map(Dashpots::new).collect();
        tick_springs(&batches, &mut wide);
        let taken = tick_dashpots(&slowed, &mut wide);
        tick_hinges(&folded, &mut wide);
        let mut reaction = vec![drystone_base::Vec3::ZERO; plain.len()];
        let mut held = crate::elastic::Held {
            work: 0.0,
            reaction: &mut reaction,
        };
        let mut sum = 0.0;
        for spring in &springs[..8 * runs] {
            spring.tick(&mut plain, &mut held);
        }
        for dashpot in &dashpots[..8 * slow] {
            sum += dashpot.tick(&mut plain, &mut held);
        }
        for hinge in &hinges[..8 * folds] {
            hinge.tick(&mut plain, &mut held);
        }
        assert!((taken - sum).abs() < 1e-12 * sum, "{taken} and {sum} J");
        let off = |(a, b): (&Vertex, &Vertex)| (a.velocity - b.velocity).length();
        let worst = wide.iter().zip(&plain).map(off).fold(0.0, f64::max);
        assert!(worst < 1e-14, "{worst:.1e} m/s"); // measured: 9e-16
        // and narrow machines give the same bits
        let (mut narrow, ..) = crumpled();
        type Narrow = drystone_base::lanes::Portable<f64>;
        let vertices = &mut narrow[..];
        TickSprings {
            springs: &batches,
            vertices,
        }
        .run::<Narrow>();
        let vertices = &mut narrow[..];
        let dashpots = &slowed[..];
        let same = TickDashpots { dashpots, vertices }.run::<Narrow>();
        assert_eq!(same, taken);
        let vertices = &mut narrow[..];
        TickHinges {
            hinges: &folded,
            vertices,
        }
        .run::<Narrow>();
        assert!(narrow == wide);
    }

    #[test]
    fn no_two_of_a_run_share_a_vertex_and_none_is_lost() {
        let (_, mut springs, ..) = crumpled();
        let mut before: Vec<_> = springs.iter().map(|s| s.ends).collect();
        let runs = in_batches(&mut springs, |s| s.ends[0] % 7 != 0, |s| &s.ends);
        for run in springs[..8 * runs].chunks(8) {
            let mut ends: Vec<u32> = run.iter().flat_map(|s| s.ends).collect();
            ends.sort_unstable();
            ends.dedup();
            assert_eq!(ends.len(), 16);
        }
        let mut after: Vec<_> = springs.iter().map(|s| s.ends).collect();
        before.sort_unstable();
        after.sort_unstable();
        assert_eq!(before, after);
    }
}
