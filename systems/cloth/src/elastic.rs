//! Forces inside a sheet: edge springs, triangles, hinges, and the dashpots beside them.
//!
//! A tick kicks the velocities of its stencil, whose vertices stand at the tick's time. Dashpots act between the two
//! halves of all kicks of that time, see `event_loop::tick_elastic`: there a sheet at rest has no velocity, whatever
//! pulls at it, so a dashpot of any strength leaves the rest alone; and there it can only take energy.

use drystone_base::Vec3;
use drystone_base::functions::atan2;

use crate::vertex::Vertex;

/// An edge with a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spring {
    pub(crate) ends: [u32; 2],
    /// \[m\]
    pub(crate) length: f64,
    /// `V = k/2 (|e| - L)²` \[N/m\]
    pub(crate) stiffness: f64,
    /// Period \[s\].
    pub(crate) period: f64,
}

impl Spring {
    /// Stiffness times the period \[N s/m\].
    pub(crate) fn kick(&self) -> f64 {
        self.stiffness * self.period
    }

    /// \[J\]
    pub(crate) fn energy(&self, x: [Vec3; 2]) -> f64 {
        let stretch = (x[1] - x[0]).length() - self.length;
        0.5 * self.stiffness * stretch * stretch
    }

    /// Force on the first end; the second receives the opposite \[N\].
    pub(crate) fn force(&self, x: [Vec3; 2]) -> Vec3 {
        let e = x[1] - x[0];
        let length = e.length();
        if length == 0.0 {
            return Vec3::ZERO;
        }
        e * (self.stiffness * (1.0 - self.length / length))
    }

    /// Kicks both ends; those that are prescribed withstand.
    #[inline]
    pub(crate) fn tick(&self, vertices: &mut [Vertex], held: &mut Held<'_>) {
        let [a, b] = self.ends.map(|i| i as usize);
        let (p, q) = (vertices[a], vertices[b]);
        let e = q.position - p.position;
        let length = e.length();
        if length == 0.0 {
            return;
        }
        let n = e * (1.0 / length);
        let impulse = self.kick() * (length - self.length);
        vertices[a].velocity = p.velocity + n * (impulse * p.inverse_mass);
        vertices[b].velocity = q.velocity - n * (impulse * q.inverse_mass);
        held.withstand(a, &p, n * impulse);
        held.withstand(b, &q, n * -impulse);
    }
}

/// Impulses that prescribed vertices receive and that do not move them.
pub(crate) struct Held<'a> {
    /// Work that they do meanwhile \[J\].
    pub(crate) work: f64,
    /// By vertex, the impulse that it has received \[N s\].
    pub(crate) reaction: &'a mut [Vec3],
}

impl Held<'_> {
    /// Vertex `i` receives an impulse, if it is prescribed.
    #[inline]
    fn withstand(&mut self, i: usize, vertex: &Vertex, impulse: Vec3) {
        if vertex.inverse_mass == 0.0 {
            self.work -= vertex.velocity.dot(impulse);
            self.reaction[i] += impulse;
        }
    }
}

/// Largest `b h W` that a dashpot acts with: of neighbours that slow each other in turn, each still relaxes within
/// a twentieth of the time it should. At 2 it would stop its motion at once, beyond throw it back.
pub(crate) const CARRIED: f64 = 1.5;

/// Impulse per speed of a dashpot in a period, `1/(b h)` being `inverse` and `W` the inverse mass that it acts on:
/// the trapezoidal rule `b h/(1 + b h W/2)`, with at most the `b` that its period carries.
#[inline]
fn dashpot(inverse: f64, inverse_mass: f64) -> f64 {
    let least = inverse_mass * (1.0 / CARRIED);
    let inverse = if inverse > least { inverse } else { least };
    1.0 / (inverse + 0.5 * inverse_mass)
}

/// A dashpot along an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Dashpot {
    pub(crate) ends: [u32; 2],
    /// `1/(b h)` of damping `b` and period `h` \[m/(N s²)\].
    pub(crate) inverse: f64,
}

impl Dashpot {
    /// Slows both ends; gives the energy taken \[J\].
    #[inline]
    pub(crate) fn tick(&self, vertices: &mut [Vertex], held: &mut Held<'_>) -> f64 {
        let [a, b] = self.ends.map(|i| i as usize);
        let (p, q) = (vertices[a], vertices[b]);
        let e = q.position - p.position;
        let length = e.length();
        let inverse_mass = p.inverse_mass + q.inverse_mass;
        if length == 0.0 || inverse_mass == 0.0 {
            return 0.0;
        }
        let n = e * (1.0 / length);
        let parting = n.dot(q.velocity - p.velocity);
        let impulse = dashpot(self.inverse, inverse_mass) * parting;
        vertices[a].velocity = p.velocity + n * (impulse * p.inverse_mass);
        vertices[b].velocity = q.velocity - n * (impulse * q.inverse_mass);
        held.withstand(a, &p, n * impulse);
        held.withstand(b, &q, n * -impulse);
        impulse * (parting - 0.5 * (impulse * inverse_mass))
    }
}

/// Two triangles that share an edge (Grinspun 2003, §3): edge `v[0] v[1]`, tips `v[2]`, `v[3]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hinge {
    pub(crate) corners: [u32; 4],
    /// Angle at rest, 0 if flat \[rad\].
    pub(crate) angle: f64,
    /// `V = c/2 (θ - θ₀)²` \[N m\]
    pub(crate) stiffness: f64,
    /// Period \[s\].
    pub(crate) period: f64,
}

/// A dashpot on the angle of a hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HingeDashpot {
    pub(crate) corners: [u32; 4],
    /// `1/(b h)` of damping `b` and period `h` \[1/(N m s²)\].
    pub(crate) inverse: f64,
}

impl HingeDashpot {
    /// Slows the angle; gives the energy taken \[J\].
    pub(crate) fn tick(&self, vertices: &mut [Vertex], held: &mut Held<'_>) -> f64 {
        let index = self.corners.map(|i| i as usize);
        let Some((_, gradient)) = hinge_angle(index.map(|i| vertices[i].position)) else {
            return 0.0;
        };
        let (mut rate, mut inverse_mass) = (0.0, 0.0);
        for k in 0..4 {
            let v = &vertices[index[k]];
            rate += gradient[k].dot(v.velocity);
            inverse_mass += gradient[k].length_squared() * v.inverse_mass;
        }
        if inverse_mass == 0.0 {
            return 0.0;
        }
        let impulse = -dashpot(self.inverse, inverse_mass) * rate;
        for k in 0..4 {
            let v = &mut vertices[index[k]];
            held.withstand(index[k], v, gradient[k] * impulse);
            v.velocity += gradient[k] * (impulse * v.inverse_mass);
        }
        -impulse * (rate + 0.5 * (impulse * inverse_mass))
    }
}

/// Angle between the normals of two triangles and its gradient by corner \[rad\], \[rad/m\].
///
/// With `e = x1 - x0`, `a = x2 - x0`, `b = x3 - x0`, `n1 = e × a`, `n2 = b × e`:
/// `θ = atan2((n1 × n2)·e/|e|, n1·n2)`, where `n1 × n2 = -e (n1·b)`. `None` if a triangle has no area.
#[inline(always)]
pub(crate) fn hinge_angle(x: [Vec3; 4]) -> Option<(f64, [Vec3; 4])> {
    let (e, a, b) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
    let (n1, n2) = (e.cross(a), b.cross(e));
    let (ee, s1, s2) = (e.length_squared(), n1.length_squared(), n2.length_squared());
    if ee * s1 * s2 == 0.0 {
        return None;
    }
    let length = ee.sqrt();
    let inverse = 1.0 / length;
    let angle = small_angle(-length * n1.dot(b), n1.dot(n2));
    let (u1, u2) = (n1 * (1.0 / s1), n2 * (1.0 / s2));
    let (ae, be) = (a.dot(e), b.dot(e));
    Some((
        angle,
        [
            (u1 * (ee - ae) + u2 * (ee - be)) * inverse,
            (u1 * ae + u2 * be) * inverse,
            u1 * -length,
            u2 * -length,
        ],
    ))
}

/// `atan2(y, x)`; of small angles by their series, which is exact to the last digit there.
#[inline]
pub(crate) fn small_angle(y: f64, x: f64) -> f64 {
    if x > 0.0 && y.abs() < 0.1 * x {
        let t = y / x;
        let s = t * t;
        // the next term is s⁸/17 < 1e-17; in pairs, so that none waits long for another
        let (s2, s4) = (s * s, s * s * (s * s));
        let c = (1.0 / 3.0 - s * 0.2)
            + s2 * (1.0 / 7.0 - s * (1.0 / 9.0))
            + s4 * ((1.0 / 11.0 - s * (1.0 / 13.0)) + s2 * (1.0 / 15.0));
        return t - t * s * c;
    }
    atan2(y, x)
}

impl Hinge {
    /// Angle away from rest, taken as less than a turn either way \[rad\].
    fn bend(&self, angle: f64) -> f64 {
        let bend = angle - self.angle;
        if bend > std::f64::consts::PI {
            bend - std::f64::consts::TAU
        } else if bend < -std::f64::consts::PI {
            bend + std::f64::consts::TAU
        } else {
            bend
        }
    }

    /// \[J\]
    pub(crate) fn energy(&self, x: [Vec3; 4]) -> f64 {
        hinge_angle(x).map_or(0.0, |(angle, _)| {
            0.5 * self.stiffness * self.bend(angle).powi(2)
        })
    }

    /// Force on each corner \[N\].
    pub(crate) fn force(&self, x: [Vec3; 4]) -> [Vec3; 4] {
        hinge_angle(x).map_or([Vec3::ZERO; 4], |(angle, gradient)| {
            gradient.map(|g| g * (-self.stiffness * self.bend(angle)))
        })
    }

    /// Kicks the corners; those that are prescribed withstand.
    #[inline]
    pub(crate) fn tick(&self, vertices: &mut [Vertex], held: &mut Held<'_>) {
        let index = self.corners.map(|i| i as usize);
        let Some((angle, gradient)) = hinge_angle(index.map(|i| vertices[i].position)) else {
            return;
        };
        let impulse = -self.stiffness * self.period * self.bend(angle);
        for k in 0..4 {
            let v = &mut vertices[index[k]];
            held.withstand(index[k], v, gradient[k] * impulse);
            v.velocity += gradient[k] * (impulse * v.inverse_mass);
        }
    }

    /// Square of its own frequency where its corners are `x` \[1/s²\].
    pub(crate) fn frequency_squared(&self, x: [Vec3; 4], inverse_mass: [f64; 4]) -> f64 {
        hinge_angle(x).map_or(f64::INFINITY, |(_, gradient)| {
            let part = |k: usize| gradient[k].length_squared() * inverse_mass[k];
            self.stiffness * (part(0) + part(1) + part(2) + part(3))
        })
    }
}

/// A St. Venant-Kirchhoff triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Triangle {
    pub(crate) corners: [u32; 3],
    /// Inverse of the rest edges in the rest plane, by rows.
    inverse: [[f64; 2]; 2],
    /// \[m²\]
    pub(crate) area: f64,
    /// Lamé's constants times the thickness \[N/m\].
    pub(crate) lambda: f64,
    pub(crate) mu: f64,
    /// Period \[s\].
    pub(crate) period: f64,
}

impl Triangle {
    /// `None` if the rest shape has no area.
    pub(crate) fn new(
        corners: [u32; 3],
        rest: [Vec3; 3],
        young: f64,
        poisson: f64,
        period: f64,
    ) -> Option<Self> {
        let (e1, e2) = (rest[1] - rest[0], rest[2] - rest[0]);
        let (length, area) = (e1.length(), 0.5 * e1.cross(e2).length());
        if length == 0.0 || area == 0.0 {
            return None;
        }
        // rest edges (length, 0) and (x, y)
        let (x, y) = (e2.dot(e1) / length, 2.0 * area / length);
        Some(Self {
            corners,
            inverse: [[1.0 / length, -x / (length * y)], [0.0, 1.0 / y]],
            area,
            lambda: young * poisson / (1.0 - poisson * poisson),
            mu: young / (2.0 * (1.0 + poisson)),
            period,
        })
    }

    /// Columns of the deformation gradient \[1\].
    pub(crate) fn gradient(&self, x: [Vec3; 3]) -> [Vec3; 2] {
        let (e1, e2) = (x[1] - x[0], x[2] - x[0]);
        let b = &self.inverse;
        [e1 * b[0][0] + e2 * b[1][0], e1 * b[0][1] + e2 * b[1][1]]
    }

    /// Deformation gradient's columns and Green's strain (xx, yy, xy).
    fn strain(&self, x: [Vec3; 3]) -> ([Vec3; 2], [f64; 3]) {
        let f = self.gradient(x);
        let strain = [
            0.5 * (f[0].length_squared() - 1.0),
            0.5 * (f[1].length_squared() - 1.0),
            0.5 * f[0].dot(f[1]),
        ];
        (f, strain)
    }

    /// `A (μ ‖E‖² + λ/2 (tr E)²)` \[J\]
    pub(crate) fn energy(&self, x: [Vec3; 3]) -> f64 {
        let (_, [xx, yy, xy]) = self.strain(x);
        let square = xx * xx + yy * yy + 2.0 * xy * xy;
        self.area * (self.mu * square + 0.5 * self.lambda * (xx + yy) * (xx + yy))
    }

    /// `-A F (2μE + λ tr E) B^T`, by corner \[N\].
    pub(crate) fn force(&self, x: [Vec3; 3]) -> [Vec3; 3] {
        let (f, [xx, yy, xy]) = self.strain(x);
        let pressure = self.lambda * (xx + yy);
        let s = [
            2.0 * self.mu * xx + pressure,
            2.0 * self.mu * yy + pressure,
            2.0 * self.mu * xy,
        ];
        let p = [f[0] * s[0] + f[1] * s[2], f[0] * s[2] + f[1] * s[1]];
        let b = &self.inverse;
        let f1 = (p[0] * b[0][0] + p[1] * b[0][1]) * -self.area;
        let f2 = (p[0] * b[1][0] + p[1] * b[1][1]) * -self.area;
        [-(f1 + f2), f1, f2]
    }

    /// Kicks the corners; those that are prescribed withstand.
    pub(crate) fn tick(&self, vertices: &mut [Vertex], held: &mut Held<'_>) {
        let index = self.corners.map(|i| i as usize);
        let force = self.force(index.map(|i| vertices[i].position));
        for k in 0..3 {
            let v = &mut vertices[index[k]];
            held.withstand(index[k], v, force[k] * self.period);
            v.velocity += force[k] * (self.period * v.inverse_mass);
        }
    }

    /// How much stiffer than at rest it is where its corners are `x`, at least 1: along the largest stretch the
    /// slope of `λ (λ² - 1)/2` is `1 + 3 E`.
    pub(crate) fn stiffening(&self, x: [Vec3; 3]) -> f64 {
        let (_, [xx, yy, xy]) = self.strain(x);
        let largest = 0.5 * (xx + yy) + (0.25 * (xx - yy) * (xx - yy) + xy * xy).sqrt();
        1.0 + 3.0 * largest.max(0.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use drystone_base::random::Random;

    use super::*;

    fn points<const N: usize>(random: &mut Random) -> [Vec3; N] {
        std::array::from_fn(|_| {
            Vec3::new(
                random.range(-1.0, 1.0),
                random.range(-1.0, 1.0),
                random.range(-1.0, 1.0),
            )
        })
    }

    /// Minus the slope of `energy` at each corner, by central differences.
    fn slope<const N: usize>(x: [Vec3; N], energy: impl Fn([Vec3; N]) -> f64) -> [Vec3; N] {
        std::array::from_fn(|k| {
            Vec3::from_array(std::array::from_fn(|axis| {
                let step = 1e-5;
                let (mut up, mut down) = (x, x);
                up[k][axis] += step;
                down[k][axis] -= step;
                (energy(down) - energy(up)) / (2.0 * step)
            }))
        })
    }

    #[test]
    fn forces_are_the_slopes_of_their_energies() {
        let mut random = Random::new(11);
        let mut worst = [0.0f64; 3];
        for _ in 0..300 {
            let x: [Vec3; 4] = points(&mut random);
            let spring = Spring {
                ends: [0, 1],
                length: 0.7,
                stiffness: 30.0,
                period: 1.0,
            };
            let pair = [x[0], x[1]];
            let truth = slope(pair, |x| spring.energy(x));
            worst[0] = worst[0].max((spring.force(pair) - truth[0]).length());

            let rest: [Vec3; 3] = points(&mut random);
            if (rest[1] - rest[0]).cross(rest[2] - rest[0]).length() > 0.5 {
                let triangle = Triangle::new([0, 1, 2], rest, 10.0, 0.3, 1.0).unwrap();
                let three = [x[0], x[1], x[2]];
                let (force, truth) = (triangle.force(three), slope(three, |x| triangle.energy(x)));
                for k in 0..3 {
                    worst[1] =
                        worst[1].max((force[k] - truth[k]).length() / (1.0 + truth[k].length()));
                }
            }

            let (angle, gradient) = hinge_angle(x).unwrap();
            let size = gradient.iter().map(|g| g.length()).fold(0.0, f64::max);
            if angle.abs() < 3.0 && size < 10.0 {
                let truth = slope(x, |x| -hinge_angle(x).unwrap().0);
                for k in 0..4 {
                    worst[2] = worst[2].max((gradient[k] - truth[k]).length());
                }
            }
        }
        assert!(
            worst[0] < 1e-7 && worst[1] < 1e-7 && worst[2] < 1e-6,
            "{worst:.1?}"
        ); // measured: 4e-9, 3e-8, 4e-8
    }

    #[test]
    fn a_turned_sheet_feels_no_force() {
        let mut random = Random::new(2);
        let rest: [Vec3; 4] = points(&mut random);
        let turn = random.rotation();
        let x = rest.map(|p| turn * p + Vec3::new(1.0, 2.0, 3.0));
        let triangle =
            Triangle::new([0, 1, 2], [rest[0], rest[1], rest[2]], 10.0, 0.3, 1.0).unwrap();
        let force = triangle.force([x[0], x[1], x[2]]);
        assert!(force.iter().all(|f| f.length() < 1e-13), "{force:?}");
        let change = hinge_angle(x).unwrap().0 - hinge_angle(rest).unwrap().0;
        assert!(change.abs() < 1e-14, "angle changed by {change:.1e}");
    }

    #[test]
    fn small_angles_are_those_of_the_arc_tangent() {
        for k in -1000..=1000 {
            let y = f64::from(k) * 1.1e-4;
            let error = small_angle(y, 1.0) - atan2(y, 1.0);
            assert!(error.abs() < 2e-17, "{y}: {error:.1e}"); // measured: 1.4e-17
        }
    }

    /// A dashpot of any strength stops its ends at most; it never throws them back.
    #[test]
    fn damping_never_adds_energy() {
        for b in [0.0, 0.1, 15.0, 1e6, f64::MAX] {
            let still = |x: f64, v: f64| Vertex {
                position: Vec3::X * x,
                velocity: Vec3::X * v,
                time: 0,
                inverse_mass: 1e3,
            };
            let mut vertices = [still(0.0, 1.0), still(1.0, -2.0)];
            let inverse = 1.0 / (b * 1e-3);
            let mut held = Held {
                work: 0.0,
                reaction: &mut [Vec3::ZERO; 2],
            };
            let taken = Dashpot {
                ends: [0, 1],
                inverse,
            }
            .tick(&mut vertices, &mut held);
            let left: f64 = vertices
                .iter()
                .map(|v| 0.5e-3 * v.velocity.x * v.velocity.x)
                .sum();
            assert!(
                (left + taken - 2.5e-3).abs() < 1e-15,
                "b = {b}: {left} and {taken} J"
            );
            let speed = vertices[1].velocity.x - vertices[0].velocity.x;
            assert!((-3.0..=1e-12).contains(&speed), "b = {b}: {speed}");
            let sum = vertices[0].velocity.x + vertices[1].velocity.x;
            assert!((sum + 1.0).abs() < 1e-12, "b = {b}: momentum {sum}");
        }
    }
}
