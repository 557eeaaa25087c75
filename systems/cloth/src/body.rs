//! Rigid bodies that give way: obstacles with inertia, which take part in the events.
//!
//! Over an advance a free body follows its base motion, which is what it would do without the cloth, and
//! answers every impulse at once: an impulse `j` at a point with the arm `r` changes its velocity and spin by
//! `R (j, r × j)`. The response `R` is the inverse of its mass matrix, or what the bodies that it touches leave of
//! that (`island.rs`); `0 ≤ R ≤ M⁻¹`, so that a kick is one on a system that is at most as light as the free body.
//! Impulses enter with the same number on both sides: momentum is kept whatever the clocks do.
//!
//! Its centre falls along parabolas. Vertices of the body go straight from where they are to where the rigid motion will
//! have them at its next key. A kick gives the whole body a new aim, once for all kicks of one time; a change
//! that comes to it through others only once it has moved it by more than nothing.

use drystone_base::functions::rotation_vector;
use drystone_base::{Mat3, Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::clock::{Tick, seconds, ticks};
use crate::island::{later, left};

/// Largest turn between two keys \[rad\].
const TURN: f64 = 0.05;
/// Keys of an advance under acceleration, at least: between two of them vertices are off the parabola by an eighth of
/// the acceleration times the square of the time between.
const KEYS: u64 = 8;

/// Along the velocity of the centre, and along the spin; or an impulse and a moment.
pub(crate) type Twist = [Vec3; 2];

pub(crate) fn dot(a: Twist, b: Twist) -> f64 {
    a[0].dot(b[0]) + a[1].dot(b[1])
}

/// How a body answers an impulse at its centre \[N s\] and a moment about it \[N m s\]: a symmetric matrix of 6 x 6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Response {
    /// Velocity by impulse \[1/kg\].
    linear: Mat3,
    /// Velocity by moment; its transpose is spin by impulse \[1/(kg m)\].
    mixed: Mat3,
    /// Spin by moment \[1/(kg m²)\].
    angular: Mat3,
}

impl Response {
    /// The inverse of the mass matrix.
    fn free(mass: f64, inverse_inertia: Mat3) -> Self {
        Self {
            linear: Mat3::from_diagonal(Vec3::splat(1.0 / mass)),
            mixed: Mat3::ZERO,
            angular: inverse_inertia,
        }
    }

    /// Of its blocks, made symmetric.
    pub(crate) fn symmetric(linear: Mat3, mixed: Mat3, angular: Mat3) -> Self {
        Self {
            linear: (linear + linear.transpose()) * 0.5,
            mixed,
            angular: (angular + angular.transpose()) * 0.5,
        }
    }

    /// Change of velocity and spin by an impulse and a moment.
    #[inline]
    fn times(&self, impulse: Vec3, moment: Vec3) -> Twist {
        [
            self.linear * impulse + self.mixed * moment,
            self.mixed.transpose() * impulse + self.angular * moment,
        ]
    }

    fn is_finite(&self) -> bool {
        self.linear.is_finite() && self.mixed.is_finite() && self.angular.is_finite()
    }
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
    /// Velocity \[m/s\] and spin \[rad/s\] that it ends with.
    pub end_twist: [Vec3; 2],
    /// Impulse \[N s\] and moment about the centre \[N m s\] under which this motion was found, and which only
    /// foretold what cloth would press: see [`Answer::held`].
    pub foretold: [Vec3; 2],
    /// Pins that ride on it, and pull: numbers of the sheet and of the pin.
    pub attached_pins: Vec<(usize, usize)>,
}

/// Free bodies that something else joins, such as the strands between them: they answer impulses together.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkedBodies {
    /// Their obstacles.
    pub obstacles: Vec<usize>,
    /// Row by row, velocity and spin of each by impulse and moment on each: symmetric, and no more than their own
    /// inertia allows.
    pub response: Vec<f64>,
    /// By how much the velocity \[m/s\] and the spin \[rad/s\] of each have changed over the step that their motion
    /// is of.
    pub gathered: Vec<[Vec3; 2]>,
}

/// Motion of a free body after an advance, and the impulses of the cloth on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// Pose of the obstacle.
    pub pose: Pose,
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Impulse \[N s\] and moment about its centre \[N m s\] that it has gained.
    pub gained: [Vec3; 2],
    /// The same that it has received from cloth.
    pub received: [Vec3; 2],
    /// The same that contacts with other bodies have held back: what they are to expect of cloth in the next step.
    pub held: [Vec3; 2],
    /// Displacement \[m\] and turn \[rad\] that what was foretold had given it, which it has not any more.
    pub withdrawn: [Vec3; 2],
    /// Of one of [`LinkedBodies`]: what it has received in all, contacts with other bodies included and what was
    /// foretold taken out again, for all of them to take their part of; and the same times the time since it
    /// acted, summed \[N s²\], \[N m s²\].
    pub shared: Option<[[Vec3; 2]; 2]>,
}

impl LinkedBodies {
    /// Whether the response is a finite matrix of these bodies, of which there is at least one.
    pub(crate) fn is_sound(&self) -> bool {
        let n = 6 * self.obstacles.len();
        n > 0
            && self.response.len() == n * n
            && self.response.iter().all(|x| x.is_finite())
            && 6 * self.gathered.len() == n
            && self.gathered.iter().flatten().all(|v| v.is_finite())
    }
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
    pub(crate) response: Response,
    /// Velocity and spin at the end of its own step.
    end_twist: Twist,
    /// Its island and its place in it, if it touches other bodies.
    island: Option<(u32, u32)>,
    start_centre: Vec3,
    start_rotation: Quat,
    /// Twist that was taken back at the start, and for how long it had acted \[s\].
    withdrawn: Twist,
    span: f64,
    /// Movers of the pins that ride on it.
    attached_pins: Vec<u32>,
    /// Whether it was kicked since its vertices were given their aim, and by how much its speed has changed through
    /// others \[m/s\].
    kicked: bool,
    drift: f64,
    /// Twist that it has gained; impulse and moment that it has received.
    gained: Twist,
    received: Twist,
    /// Of a linked body: impulse and moment that it has received or others have held back, and the same times the time
    /// that was left; see [`Answer::shared`].
    #[serde(default)]
    shared: Option<[Twist; 2]>,
    /// Change of twist over its own step.
    #[serde(default)]
    gathered: Twist,
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
        let response = Response::free(motion.mass, inverse_inertia);
        if !finite || !response.is_finite() || !motion.foretold.iter().all(|v| v.is_finite()) {
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
            end_twist: motion.end_twist,
            island: None,
            start_centre: motion.centre,
            start_rotation: motion.pose.rotation,
            withdrawn: [Vec3::ZERO; 2],
            span: 0.0,
            attached_pins,
            kicked: false,
            drift: 0.0,
            gained: [Vec3::ZERO; 2],
            received: [Vec3::ZERO; 2],
            shared: None,
            gathered: [Vec3::ZERO; 2],
            start: now,
            end: now.saturating_add(ticks(seconds)),
            keys,
            key: 0,
        })
    }

    /// Goes along its motion until `t`.
    fn move_to(&mut self, t: Tick) {
        if t > self.time {
            let h = seconds(t.saturating_sub(self.time));
            self.centre = self.centre_at(t);
            self.velocity += self.acceleration * h;
            self.rotation = (rotation_vector(self.spin * h) * self.rotation).normalize();
            self.time = t;
        }
    }

    /// Its rotation at `t`, with nothing moved.
    fn rotation_at(&self, t: Tick) -> Quat {
        match t > self.time {
            true => (rotation_vector(self.spin * seconds(t.saturating_sub(self.time)))
                * self.rotation)
                .normalize(),
            false => self.rotation,
        }
    }

    /// Its centre at `t`, with nothing moved \[m\].
    #[inline]
    pub(crate) fn centre_at(&self, t: Tick) -> Vec3 {
        let h = seconds(t.saturating_sub(self.time));
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
        self.kicked = true;
    }

    /// Where the obstacle is to be next, and when, at most `within` seconds later; none at the end of the advance, where
    /// it stands still until the next begins.
    pub(crate) fn aim(&mut self, t: Tick, within: f64) -> Option<(Tick, Pose)> {
        self.move_to(t);
        (self.kicked, self.drift) = (false, 0.0);
        if t >= self.end {
            return None;
        }
        let turn = (TURN / self.spin.length()).min(seconds(self.end - self.start));
        let next = self.time_of(self.key + 1).min(later(t, turn.min(within)));
        let h = seconds(next - t);
        let rotation = (rotation_vector(self.spin * h) * self.rotation).normalize();
        let centre = self.centre_at(next);
        Some((next, Pose::new(centre + rotation * self.offset, rotation)))
    }

    /// Mover of the `n`-th pin that rides on it.
    pub(crate) fn attached_pin(&self, n: usize) -> Option<usize> {
        self.attached_pins.get(n).map(|m| *m as usize)
    }

    /// Movers of the pins that ride on it.
    pub(crate) fn attached_pins(&self) -> impl Iterator<Item = usize> + '_ {
        self.attached_pins.iter().map(|m| *m as usize)
    }

    /// Whether it was kicked since it was aimed, or its vertices would be off by more than `most` before the advance
    /// is over \[m\].
    pub(crate) fn is_kicked(&self, t: Tick, most: f64) -> bool {
        self.kicked || (self.drift > 0.0 && self.drift * left(t, self.end) > most)
    }

    /// It touches other bodies: its place is `place` of island `island`.
    pub(crate) fn join(&mut self, island: u32, place: u32) {
        self.island = Some((island, place));
    }

    /// Its island, and its place in it.
    #[inline]
    pub(crate) fn island(&self) -> Option<(usize, u32)> {
        self.island.map(|(island, place)| (island as usize, place))
    }

    /// It is alone from now on.
    pub(crate) fn leave_island(&mut self) {
        self.island = None;
    }

    /// Mass \[kg\] and inertia \[kg m²\].
    pub(crate) fn mass(&self) -> (f64, Mat3) {
        (self.mass, self.inertia)
    }

    pub(crate) fn start_centre(&self) -> Vec3 {
        self.start_centre
    }

    /// Effective inverse mass along a direction at the end of an arm, if nothing held it \[1/kg\].
    pub(crate) fn lightness(&self, arm: Vec3, along: Vec3) -> f64 {
        let moment = arm.cross(along);
        1.0 / self.mass + moment.dot(self.inverse_inertia * moment)
    }

    /// Impulse and moment of a twist.
    pub(crate) fn momentum(&self, [velocity, spin]: Twist) -> Twist {
        [velocity * self.mass, self.inertia * spin]
    }

    /// Change of twist by an impulse and a moment, if nothing held it.
    pub(crate) fn alone(&self, [impulse, moment]: Twist) -> Twist {
        [impulse / self.mass, self.inverse_inertia * moment]
    }

    /// Twist that its own step has ended with.
    pub(crate) fn end_twist(&self) -> Twist {
        self.end_twist
    }

    /// Change of twist by cloth.
    pub(crate) fn gained(&self) -> Twist {
        self.gained
    }

    /// How far the end of an arm of the start has moved by `t` \[m\], and that arm then.
    pub(crate) fn moved(&self, arm: Vec3, t: Tick) -> (Vec3, Vec3) {
        let now = (self.rotation_at(t) * self.start_rotation.conjugate()) * arm;
        (self.centre_at(t) + now - self.start_centre - arm, now)
    }

    /// Takes back what a load has made of its motion over `span` seconds, which grew from nothing.
    pub(crate) fn withdraw(&mut self, change: Twist, span: f64) {
        (self.withdrawn, self.span) = (change, span);
        self.velocity -= change[0] * 0.5;
        self.spin -= change[1] * 0.5;
    }

    /// It is one of linked bodies from now on.
    pub(crate) fn link(&mut self, gathered: Twist) {
        self.shared = Some([[Vec3::ZERO; 2]; 2]);
        self.gathered = gathered;
        self.keys = KEYS;
    }

    /// Change of twist over its own step.
    pub(crate) fn gathered(&self) -> Twist {
        self.gathered
    }

    /// An impulse and a moment on it at `t` that it and those linked to it have answered.
    #[inline]
    pub(crate) fn share(&mut self, t: Tick, [impulse, moment]: Twist) {
        if let Some([sum, moved]) = &mut self.shared {
            let left = left(t, self.end);
            sum[0] += impulse;
            sum[1] += moment;
            moved[0] += impulse * left;
            moved[1] += moment * left;
        }
    }

    /// Takes back what a load has made of the motion of a linked body over `span` seconds. The part `balanced` of it was
    /// held against other forces all the time, which decelerate it without the load; the rest grew from nothing.
    pub(crate) fn withdraw_linked(&mut self, load: Twist, change: Twist, balanced: f64, span: f64) {
        self.acceleration -= change[0] * (balanced / span);
        self.velocity -= change[0] * (0.5 * (1.0 - balanced));
        self.spin -= change[1] * 0.5;
        if let Some([sum, moved]) = &mut self.shared {
            for part in 0..2 {
                sum[part] -= load[part];
                moved[part] -= load[part] * (0.5 * span);
            }
        }
    }

    /// Takes back what a load that was foretold has made of it, as far as it has it: nothing holds it now.
    pub(crate) fn withdraw_alone(&mut self, foretold: Twist, span: f64) {
        let change = self.alone(foretold);
        let momentum = self.momentum(change);
        let whole = dot(change, momentum).max(f64::MIN_POSITIVE);
        let share = (dot(self.end_twist, momentum) / whole).clamp(0.0, 1.0);
        self.withdraw(change.map(|part| part * share), span);
    }

    /// Vector from its centre to a point, at `t` \[m\].
    #[inline]
    pub(crate) fn arm(&self, point: Vec3, t: Tick) -> Vec3 {
        point - self.centre_at(t)
    }

    /// Velocity of its centre \[m/s\] and spin \[rad/s\], at `t`.
    #[inline]
    pub(crate) fn twist(&self, t: Tick) -> [Vec3; 2] {
        let h = seconds(t.saturating_sub(self.time));
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
    }

    /// Takes a change of twist that comes through other bodies, at `t`.
    #[inline]
    pub(crate) fn change(&mut self, t: Tick, change: Twist) {
        self.move_to(t);
        self.velocity += change[0];
        self.spin += change[1];
        self.gained[0] += change[0];
        self.gained[1] += change[1];
        self.drift +=
            change[0].length() + self.offset.length().max(self.reach()) * change[1].length();
    }

    /// About how far it reaches: three times its radius of gyration \[m\].
    fn reach(&self) -> f64 {
        let trace = self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z;
        3.0 * (0.5 * trace / self.mass).sqrt()
    }

    pub(crate) fn answer(&self) -> Answer {
        let rotation = self.rotation_at(self.end);
        let centre = self.centre_at(self.end);
        let difference = |a: Twist, b: Twist| [a[0] - b[0], a[1] - b[1]];
        Answer {
            pose: Pose::new(centre + rotation * self.offset, rotation),
            centre,
            gained: self.momentum(difference(self.gained, self.withdrawn)),
            received: self.received,
            held: match self.island {
                Some(_) => difference(self.received, self.momentum(self.gained)),
                None => [Vec3::ZERO; 2],
            },
            withdrawn: self.withdrawn.map(|part| part * (0.5 * self.span)),
            shared: self.shared,
        }
    }

    pub(crate) fn is_sound(&self, islands: usize) -> bool {
        self.island
            .is_none_or(|(island, _)| (island as usize) < islands)
            && self.start <= self.time
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
