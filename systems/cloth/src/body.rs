//! Rigid bodies that give way: obstacles with inertia, which take part in the events.
//!
//! Over an advance a free body follows its base motion, which is what it would do without the cloth, and
//! answers every impulse at once: an impulse `j` at a point with the arm `r` changes its velocity and spin by
//! `R (j, r × j)`. The response `R` is the inverse of its mass matrix as far as what the body touches besides
//! lets it move; `0 ≤ R ≤ M⁻¹`, so that a kick is one on a system that is at most as light as the free body.
//! Impulses enter with the same number on both sides: momentum is kept whatever the clocks do.
//!
//! Its centre falls along parabolas. Vertices of the body go straight from where they are to where the rigid motion will
//! have them at its next key. A kick gives the whole body a new aim, once for all kicks of one time.

use drystone_base::functions::rotation_vector;
use drystone_base::{Mat3, Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::clock::{Tick, seconds, ticks};

/// Largest turn between two keys \[rad\].
const TURN: f64 = 0.05;
/// Keys of an advance under acceleration, at least: between two of them vertices are off the parabola by an eighth of
/// the acceleration times the square of the time between.
const KEYS: u64 = 8;

/// A row that depends on those before it leaves no more than this part of itself \[1\].
const DEPENDENT: f64 = 1e-9;

/// A contact with something else than cloth that holds a body where it is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hold {
    /// Vector from the centre of mass \[m\].
    pub arm: Vec3,
    /// Direction in which it pushes the body; it cannot pull.
    pub push: Vec3,
    /// Whether friction holds it too.
    pub sticks: bool,
}

/// A row of six: along the velocity of the centre, and along the spin.
type Row = [Vec3; 2];

fn dot(a: Row, b: Row) -> f64 {
    a[0].dot(b[0]) + a[1].dot(b[1])
}

/// How a body answers an impulse at its centre \[N s\] and a moment about it \[N m s\]: a symmetric matrix of 6 x 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Response {
    /// Velocity by impulse \[1/kg\].
    linear: Mat3,
    /// Velocity by moment; its transpose is spin by impulse \[1/(kg m)\].
    mixed: Mat3,
    /// Spin by moment \[1/(kg m²)\].
    angular: Mat3,
}

impl Response {
    /// `R = M⁻¹ − Σ u uᵀ`, the `u` being `M`-orthonormal combinations of the rows `M⁻¹ Gᵀ` of what holds the
    /// body. `M R` is a projector, so `0 ≤ R ≤ M⁻¹`.
    fn new(mass: f64, inertia: &Mat3, inverse: &Mat3, holds: &[Hold]) -> Self {
        let mut basis: [Row; 6] = [[Vec3::ZERO; 2]; 6];
        let mut rank = 0;
        let mut add = |arm: Vec3, along: Vec3| {
            let g = [along, arm.cross(along)];
            let mut u = [g[0] / mass, *inverse * g[1]];
            let whole = dot(u, g);
            let times_mass = |u: Row| [u[0] * mass, *inertia * u[1]];
            // twice, so that rounding leaves nothing of the others
            for _ in 0..2 {
                for known in &basis[..rank] {
                    let share = dot(*known, times_mass(u));
                    u = [u[0] - known[0] * share, u[1] - known[1] * share];
                }
            }
            let left = dot(u, times_mass(u));
            if rank < 6 && left > DEPENDENT * whole {
                let scale = 1.0 / left.sqrt();
                basis[rank] = [u[0] * scale, u[1] * scale];
                rank += 1;
            }
        };
        for hold in holds {
            add(hold.arm, hold.push);
            if hold.sticks {
                let (t1, t2) = hold.push.any_orthonormal_pair();
                add(hold.arm, t1);
                add(hold.arm, t2);
            }
        }
        let mut response = Self {
            linear: Mat3::from_diagonal(Vec3::splat(1.0 / mass)),
            mixed: Mat3::ZERO,
            angular: *inverse,
        };
        for [v, w] in &basis[..rank] {
            response.linear -= outer(*v, *v);
            response.mixed -= outer(*v, *w);
            response.angular -= outer(*w, *w);
        }
        response
    }

    /// Change of velocity and spin by an impulse and a moment.
    #[inline]
    fn times(&self, impulse: Vec3, moment: Vec3) -> Row {
        [
            self.linear * impulse + self.mixed * moment,
            self.mixed.transpose() * impulse + self.angular * moment,
        ]
    }

    fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.mixed.is_finite() && self.angular.is_finite()
    }
}

/// `a bᵀ`
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The base motion of a free body over one advance.
#[derive(Clone, Debug, PartialEq)]
pub struct FreeMotion {
    /// Pose of the obstacle at the start of the advance.
    pub pose: Pose,
    /// Centre of mass then \[m\].
    pub centre: Vec3,
    /// Velocity of the centre then \[m/s\].
    pub velocity: Vec3,
    /// Its acceleration \[m/s²\].
    pub acceleration: Vec3,
    /// Spin, constant \[rad/s\].
    pub spin: Vec3,
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia about the centre, in the world \[kg m²\].
    pub inertia: Mat3,
    /// Other contacts that hold it.
    pub holds: Vec<Hold>,
    /// Impulse \[N s\] and moment about the centre \[N m s\] that these exert over the advance.
    pub support: [Vec3; 2],
    /// Pins that ride on it, and pull: numbers of the sheet and of the pin.
    pub attached_pins: Vec<(usize, usize)>,
}

/// Motion of a free body after an advance, and the impulses of the cloth on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Pose of the obstacle.
    pub pose: Pose,
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Velocity \[m/s\] and spin \[rad/s\] that it has gained.
    pub gained: [Vec3; 2],
    /// Impulse \[N s\] and moment about its centre \[N m s\] that it has received.
    pub received: [Vec3; 2],
}

/// A free body while it advances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FreeBody {
    /// Time of `centre`, `rotation` and `velocity`.
    time: Tick,
    centre: Vec3,
    rotation: Quat,
    /// Vector from the centre to the origin of the obstacle's frame, in that frame \[m\].
    offset: Vec3,
    velocity: Vec3,
    spin: Vec3,
    acceleration: Vec3,
    mass: f64,
    inertia: Mat3,
    inverse_inertia: Mat3,
    response: Response,
    /// What still holds it, and the velocity and spin that these give it over the advance.
    holds: Vec<Hold>,
    support: Row,
    /// Movers of the pins that ride on it.
    attached_pins: Vec<u32>,
    /// Whether it was kicked since its vertices were given their aim.
    kicked: bool,
    gained: [Vec3; 2],
    received: [Vec3; 2],
    /// Start and end of the advance, keys in it, and the next of them.
    start: Tick,
    end: Tick,
    keys: u64,
    key: u64,
}

impl FreeBody {
    pub(crate) fn new(
        motion: &FreeMotion,
        attached_pins: Vec<u32>,
        now: Tick,
        seconds: f64,
    ) -> Option<Self> {
        let finite = motion.pose.position.is_finite()
            && motion.pose.rotation.is_normalized()
            && motion.centre.is_finite()
            && motion.velocity.is_finite()
            && motion.acceleration.is_finite()
            && motion.spin.is_finite()
            && motion.mass > 0.0;
        let inverse_inertia = motion.inertia.inverse();
        let response = Response::new(
            motion.mass,
            &motion.inertia,
            &inverse_inertia,
            &motion.holds,
        );
        if !finite || !response.is_finite() || !motion.support.iter().all(|v| v.is_finite()) {
            return None;
        }
        if !(seconds > 0.0 && seconds.is_finite()) {
            return None;
        }
        let keys = match motion.acceleration == Vec3::ZERO {
            true => 1,
            false => KEYS,
        };
        Some(Self {
            time: now,
            centre: motion.centre,
            rotation: motion.pose.rotation,
            offset: motion.pose.rotation.conjugate() * (motion.pose.position - motion.centre),
            velocity: motion.velocity,
            spin: motion.spin,
            acceleration: motion.acceleration,
            mass: motion.mass,
            inertia: motion.inertia,
            inverse_inertia,
            response,
            holds: motion.holds.clone(),
            attached_pins,
            support: [
                motion.support[0] / motion.mass,
                inverse_inertia * motion.support[1],
            ],
            kicked: false,
            gained: [Vec3::ZERO; 2],
            received: [Vec3::ZERO; 2],
            start: now,
            end: now.saturating_add(ticks(seconds)),
            keys,
            key: 0,
        })
    }

    /// Goes along its motion until `t`.
    fn move_to(&mut self, t: Tick) {
        if t > self.time {
            let h = seconds(t - self.time);
            self.centre = self.centre_at(t);
            self.velocity += self.acceleration * h;
            self.rotation = (rotation_vector(self.spin * h) * self.rotation).normalize();
            self.time = t;
        }
    }

    /// Centre that it will have at `t`; does not advance it \[m\].
    #[inline]
    fn centre_at(&self, t: Tick) -> Vec3 {
        let h = seconds(t - self.time);
        self.centre + self.velocity * h + self.acceleration * (0.5 * h * h)
    }

    /// Time of key `k`.
    fn time_of(&self, k: u64) -> Tick {
        if k >= self.keys {
            return self.end;
        }
        let whole = u128::from(self.end - self.start) * u128::from(k) / u128::from(self.keys);
        self.start + whole as Tick
    }

    /// The event at `t`, a key or the end of a turn.
    pub(crate) fn pass(&mut self, t: Tick) {
        self.move_to(t);
        while self.key < self.keys && self.time_of(self.key + 1) <= t {
            self.key += 1;
        }
    }

    /// Where the obstacle is to be next, and when; none at the end of the advance, where it stands still until
    /// the next begins.
    pub(crate) fn aim(&mut self, t: Tick) -> Option<(Tick, Pose)> {
        self.move_to(t);
        self.kicked = false;
        if t >= self.end {
            return None;
        }
        let turn = ticks((TURN / self.spin.length()).min(seconds(self.end - self.start)));
        let next = self
            .time_of(self.key + 1)
            .min(t.saturating_add(turn.max(1)));
        let h = seconds(next - t);
        let rotation = (rotation_vector(self.spin * h) * self.rotation).normalize();
        let centre = self.centre_at(next);
        Some((next, Pose::new(centre + rotation * self.offset, rotation)))
    }

    /// Movers of the pins that ride on it.
    pub(crate) fn attached_pins(&self) -> impl Iterator<Item = usize> + '_ {
        self.attached_pins.iter().map(|m| *m as usize)
    }

    /// Takes what `pulls` finds at each rider: impulses at points.
    pub(crate) fn take_pulls(
        &mut self,
        mut pulls: impl FnMut(usize, &mut dyn FnMut(Tick, Vec3, Vec3)),
    ) {
        for k in 0..self.attached_pins.len() {
            pulls(self.attached_pins[k] as usize, &mut |t, point, impulse| {
                let arm = self.arm(point, t);
                self.kick(t, arm, impulse);
            });
        }
    }

    /// Whether it was kicked since it was aimed.
    pub(crate) fn is_kicked(&self) -> bool {
        self.kicked
    }

    /// Vector from its centre to a point, at `t` \[m\].
    #[inline]
    pub(crate) fn arm(&self, point: Vec3, t: Tick) -> Vec3 {
        point - self.centre_at(t)
    }

    /// Velocity of its centre \[m/s\] and spin \[rad/s\], at `t`.
    #[inline]
    pub(crate) fn twist(&self, t: Tick) -> [Vec3; 2] {
        let h = seconds(t - self.time);
        [self.velocity + self.acceleration * h, self.spin]
    }

    /// Velocity at the end of an arm, at `t` \[m/s\].
    #[inline]
    pub(crate) fn velocity_at(&self, arm: Vec3, t: Tick) -> Vec3 {
        let [velocity, spin] = self.twist(t);
        velocity + spin.cross(arm)
    }

    /// Change of velocity at the end of an arm by an impulse there \[m/s\].
    #[inline]
    pub(crate) fn answer_at(&self, arm: Vec3, impulse: Vec3) -> Vec3 {
        let [velocity, spin] = self.response.times(impulse, arm.cross(impulse));
        velocity + spin.cross(arm)
    }

    /// Takes an impulse at the end of an arm, at `t`.
    #[inline]
    pub(crate) fn kick(&mut self, t: Tick, arm: Vec3, impulse: Vec3) {
        self.move_to(t);
        let moment = arm.cross(impulse);
        let change = self.response.times(impulse, moment);
        self.velocity += change[0];
        self.spin += change[1];
        for (sum, part) in [
            (&mut self.gained, change),
            (&mut self.received, [impulse, moment]),
        ] {
            sum[0] += part[0];
            sum[1] += part[1];
        }
        self.kicked = true;
        if !self.holds.is_empty() {
            self.release();
        }
    }

    /// Lets go of contacts that would have to pull: where all that was held back would part the body from them
    /// faster than they have pushed it. Velocities stay as they are.
    fn release(&mut self) {
        let blocked = [
            self.received[0] / self.mass - self.gained[0],
            self.inverse_inertia * self.received[1] - self.gained[1],
        ];
        let parting = |hold: &Hold| {
            let at = |twist: Row| hold.push.dot(twist[0] + twist[1].cross(hold.arm));
            at(blocked) > at(self.support).max(0.0)
        };
        if !self.holds.iter().any(parting) {
            return;
        }
        self.holds.retain(|hold| !parting(hold));
        self.response = Response::new(self.mass, &self.inertia, &self.inverse_inertia, &self.holds);
    }

    pub(crate) fn answer(&self) -> Answer {
        let h = seconds(self.end - self.time);
        let rotation = (rotation_vector(self.spin * h) * self.rotation).normalize();
        let centre = self.centre_at(self.end);
        Answer {
            pose: Pose::new(centre + rotation * self.offset, rotation),
            centre,
            gained: self.gained,
            received: self.received,
        }
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.start <= self.time
            && self.start <= self.end
            && self.key <= self.keys
            && self.keys > 0
            && self.response.is_finite()
            && [
                self.centre,
                self.offset,
                self.velocity,
                self.spin,
                self.acceleration,
            ]
            .iter()
            .all(|v| v.is_finite())
    }
}
