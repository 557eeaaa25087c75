//! Ticks of penalty layers: pushing, restitution and friction (Harmon 2012, §3 and §5.1).

use drystone_base::Vec3;

use crate::body::FreeBody;
use crate::clock::{Tick, period};
use crate::event_loop::Run;
use crate::friction_spring::FrictionSpring;
use crate::penalty_schedule::Entry;

/// The primitive of a pair that belongs to a body which gives way.
#[derive(Clone, Copy, Debug)]
struct GivingSide {
    /// Number of the obstacle.
    body: usize,
    /// Whether the first primitive is its, and not the second.
    first: bool,
    /// Sum of the weights of its corners, 1 or -1.
    sign: f64,
    /// Vector from its centre to the pair's closest point on it \[m\].
    arm: Vec3,
}

/// Restitution below which contact also brakes what parts, with as much as its layers push, and does not only cease to
/// push: what was stopped deep inside comes back to the surface with the speed of half a kick, which would else be its
/// restitution \[1\].
const DEAD: f64 = 0.1;

/// Two primitives that push each other at this time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    corners: [u32; 4],
    /// How many of the corners belong to the first primitive.
    split: usize,
    /// Barycentric weights of the closest points, negative on the second primitive.
    weights: [f64; 4],
    /// Unit normal from the second primitive to the first.
    normal: Vec3,
    /// Impulse of all of its layers in the period of the fastest active one \[N s\].
    impulse: f64,
    /// What its slower layers pushed since half of their periods, less what they were to push until now \[N s\].
    ahead: f64,
    restitution: f64,
    friction: f64,
    /// The pair, if it has another friction at rest than while sliding.
    slider: Option<u32>,
    /// Impulse of static friction in that period, along the surface \[N s\].
    friction_spring: Vec3,
    side: Option<GivingSide>,
}

impl Touch {
    /// Whether a corner belongs to a body that gives way.
    #[inline]
    fn gives(&self, k: usize) -> bool {
        self.side.is_some_and(|side| side.first == (k < self.split))
    }
}

/// Velocity of a vertex before the kicks of one time, then half of what they changed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before {
    velocity: Vec3,
    time: Tick,
    halved: Tick,
}

impl Before {
    /// Keeps the velocity at `t`, if that is the first of this time.
    #[inline]
    pub(crate) fn keep(&mut self, t: Tick, velocity: Vec3) {
        if self.time != t {
            (self.velocity, self.time) = (velocity, t);
        }
    }

    /// All kicks of this time have been given.
    #[inline]
    fn halve(&mut self, velocity: Vec3) {
        if self.halved != self.time {
            self.velocity = (velocity - self.velocity) * 0.5;
            self.halved = self.time;
        }
    }
}

impl Run<'_> {
    /// Penalty layers whose clocks tick now. Those that are certainly outside, and not so far that they might
    /// end, are passed over: most of resting cloth are.
    pub(crate) fn tick_penalties(&mut self) {
        let (t, gravity) = (self.state.time, self.topology.gravity);
        self.note_twists();
        for level in self.levels_now(self.state.schedule.mask) {
            let mut entries = self.state.schedule.take(level, &mut self.scratch.tail);
            let (h, mut clear) = (period(level as u8), 0);
            let (alike, outermost) = (
                self.topology.is_alike(),
                self.clear_of(self.topology.thickness, 1),
            );
            let mut tick = |run: &mut Self, entry: &mut Entry, x: [Vec3; 4]| {
                let (from, to) = match entry.from {
                    1 if alike => outermost,
                    l => run.clear_of(run.topology.thickness_of(&entry.corners), l),
                };
                let gap = entry.gap(&x);
                if gap >= from && gap <= to {
                    clear += 1;
                    return true;
                }
                run.tick_layers(entry, x, h)
            };
            // kicks change no place: where there are many pairs each vertex is placed once for all
            if entries.len() > self.state.vertices.len() {
                let mut places = std::mem::take(&mut self.scratch.places);
                places.clear();
                places.extend(self.state.vertices.iter().map(|v| v.at(t, gravity)));
                entries.retain_mut(|entry| {
                    let x = entry.corners.map(|i| places[i as usize]);
                    tick(self, entry, x)
                });
                self.scratch.places = places;
            } else {
                entries.retain_mut(|entry| {
                    let vertices = &self.state.vertices;
                    let x = entry.corners.map(|i| vertices[i as usize].at(t, gravity));
                    tick(self, entry, x)
                });
            }
            self.scratch.tally.null_penalties += clear;
            self.state.schedule.put_back(level, entries);
        }
        self.take_losses();
    }

    /// Notes how bodies that give way move before the kicks of this time.
    fn note_twists(&mut self) {
        let t = self.state.time;
        let twist = |body: &Option<FreeBody>| match body {
            Some(body) => body.twist(t),
            None => [Vec3::ZERO; 2],
        };
        let twists = &mut self.scratch.twists;
        twists.clear();
        twists.extend(self.state.bodies.iter().map(twist));
    }

    /// Gaps of a pair of thickness `outermost` at which layer `l` neither acts nor ends: rounding is counted once for
    /// the gap and once for the distance that it stands for.
    #[inline]
    fn clear_of(&self, outermost: f64, l: u32) -> (f64, f64) {
        let from = self.topology.layers.thickness(outermost, l) + 2.0 * self.state.delta;
        (from, from + 2.0 * self.topology.layers.early(outermost, l))
    }

    /// Kicks a pair by its layers of one level; false if none of them is active any more.
    #[inline]
    fn tick_layers(&mut self, entry: &mut Entry, x: [Vec3; 4], h: f64) -> bool {
        let topology = self.topology;
        let found = entry.kind().closest(x);
        let d = found.distance_squared.sqrt();
        let outermost = topology.thickness_of(&entry.corners);
        if d >= topology.layers.thickness(outermost, entry.from) {
            self.scratch.tally.null_penalties += 1;
            entry.set_normal(found.apart / d);
            return self.keep_layers(entry, d, found.apart, &found.weights);
        }
        self.scratch.tally.penalties += 1;
        self.wake_if_hit(entry, &found.weights, found.apart / d);
        let side = match self.state.bodies.is_empty() {
            true => None,
            false => self.giving_side(entry, &x, &found.weights),
        };
        if let Some(side) = side {
            self.state.respond(side.body);
        }
        let mut touch = Touch {
            corners: entry.corners,
            split: entry.kind().split(),
            weights: found.weights,
            normal: found.apart / d,
            impulse: 0.0,
            ahead: 0.0,
            restitution: 1.0,
            friction: 0.0,
            slider: None,
            friction_spring: Vec3::ZERO,
            side,
        };
        let push = h * topology
            .layers
            .force(outermost, entry.from, self.last_layer(entry), d);
        // of all its layers the deepest that push have the fastest clock: at its ticks contact grips and takes energy
        if d >= topology
            .layers
            .thickness(outermost, entry.to.saturating_add(1))
        {
            let [a, b] = [entry.corners[0], entry.corners[3]].map(|i| topology.object_of(i));
            let contact = a.contact(b);
            (touch.restitution, touch.friction) = (contact.restitution, contact.at_rest());
            touch.impulse = push;
            if entry.from > 1 {
                touch.impulse += h * topology.layers.force(outermost, 1, entry.from - 1, d);
                let first = self.state.pairs.records[entry.pair as usize].clock;
                touch.ahead =
                    topology
                        .layers
                        .ahead(first, outermost, entry.from - 1, d, self.state.time);
            }
            if touch.friction > 0.0 {
                let deepest = topology.layers.deepest(outermost, entry.from, d);
                let stiffness = 0.5 * topology.layers.stiffness_of_all(deepest);
                if contact.friction < touch.friction {
                    touch.slider = Some(entry.pair);
                    if self
                        .state
                        .pairs
                        .slides(entry.pair, self.touched_since(entry.pair))
                    {
                        touch.friction = contact.friction;
                    }
                }
                let most = touch.friction * touch.impulse / h;
                let closest = (touch.weights, found.apart, touch.normal);
                touch.friction_spring =
                    self.friction_spring(entry.pair, &x, closest, stiffness, most) * h;
            }
            self.kick_pair(&touch, touch.normal * push + touch.friction_spring);
            if touch.restitution < 1.0 || touch.friction > 0.0 {
                self.scratch.touches.push(touch);
            }
        } else {
            self.kick_pair(&touch, touch.normal * push);
        }
        true
    }

    /// Force of static friction on the first primitive of a pair, at most `most` \[N\]; see [`FrictionSpring::pull`].
    #[inline]
    fn friction_spring(
        &mut self,
        p: u32,
        x: &[Vec3; 4],
        closest: ([f64; 4], Vec3, Vec3),
        stiffness: f64,
        most: f64,
    ) -> Vec3 {
        let since = self.touched_since(p);
        let (t, pairs) = (self.state.time, &mut self.state.pairs);
        let (weights, apart, _) = closest;
        let friction_spring = pairs.friction_spring(p, since, || {
            FrictionSpring::new(weights, apart, stiffness, t)
        });
        friction_spring.time = t;
        friction_spring.pull(x, closest, stiffness, most)
    }

    /// When pair `p` must have pulled last if it has touched ever since: one tick of its first layer ago.
    #[inline]
    fn touched_since(&self, p: u32) -> Tick {
        let clock = self.state.pairs.records[p as usize].clock;
        let first = self.topology.layers.level(clock, 1);
        self.state.time.saturating_sub(1 << first.unwrap_or(0))
    }

    /// What contact takes at this time: restitution and friction of every pair whose fastest layers ticked, one after
    /// the other.
    ///
    /// Both act on velocities half way through all kicks of this time: there what rests has none, and there what is taken
    /// is taken from the quadratic form that leapfrog keeps, as with dashpots. The force of a pair that parts is multiplied by
    /// `e²`, since work given back is then `e²` of the work stored and the speed `e` of the speed; but no more is taken
    /// off than stops the parting. So a pair at rest is neither thrown out nor let sink: it goes, without swinging, to where
    /// its layers carry the load.
    fn take_losses(&mut self) {
        let mut touches = std::mem::take(&mut self.scratch.touches);
        for i in touches.iter().flat_map(|touch| touch.corners) {
            let vertex = &self.state.vertices[i as usize];
            if vertex.inverse_mass > 0.0 {
                self.scratch.before[i as usize].halve(vertex.velocity);
            }
        }
        for (body, twist) in self.state.bodies.iter().zip(&mut self.scratch.twists) {
            if let Some(body) = body {
                let [velocity, spin] = body.twist(self.state.time);
                *twist = [(velocity - twist[0]) * 0.5, (spin - twist[1]) * 0.5];
            }
        }
        for touch in &touches {
            let mut inverse_mass = 0.0;
            for k in (0..4).filter(|k| !touch.gives(*k)) {
                let vertex = &self.state.vertices[touch.corners[k] as usize];
                inverse_mass += touch.weights[k] * touch.weights[k] * vertex.inverse_mass;
            }
            let (n, e) = (touch.normal, touch.restitution);
            let mut middle = self.middle_velocity(touch);
            let mut kick = Vec3::ZERO;
            // restitution
            let along = inverse_mass + self.answer(touch, n).dot(n);
            let parting = middle.dot(n) - along * touch.ahead;
            let mut left = touch.impulse;
            if parting > 0.0 && e < 1.0 {
                let most = 1.0 - e * e + (1.0 - e / DEAD).max(0.0);
                let taken = (parting / along).min(most * touch.impulse);
                kick -= n * taken;
                left = (left - taken).max(0.0);
                middle += self.answer(touch, kick);
            }
            // friction: what stops the slip, together with the spring of static friction no more than the cone allows
            if touch.friction > 0.0 {
                let slip = middle - n * middle.dot(n);
                let speed = slip.length();
                let along = slip / speed.max(f64::MIN_POSITIVE);
                let across = inverse_mass + self.answer(touch, along).dot(along);
                let mut pull = touch.friction_spring;
                if across > 0.0 {
                    pull -= slip / across;
                }
                let (most, found) = (touch.friction * left, pull.length());
                if let Some(p) = touch.slider {
                    let slides = found > touch.friction * touch.impulse;
                    self.state.pairs.set_slides(p, slides);
                }
                if found > most {
                    pull *= most / found;
                }
                kick += pull - touch.friction_spring;
            }
            if kick != Vec3::ZERO {
                self.kick_pair(touch, kick);
            }
        }
        touches.clear();
        self.scratch.touches = touches;
    }

    /// Relative velocity of the two sides half way through the kicks of this time \[m/s\].
    #[inline]
    fn middle_velocity(&self, touch: &Touch) -> Vec3 {
        let mut velocity = Vec3::ZERO;
        for k in (0..4).filter(|k| !touch.gives(*k)) {
            let (i, w) = (touch.corners[k] as usize, touch.weights[k]);
            let vertex = &self.state.vertices[i];
            velocity += vertex.velocity * w;
            if vertex.inverse_mass > 0.0 {
                velocity -= self.scratch.before[i].velocity * w;
            }
        }
        if let Some(side) = &touch.side
            && let Some(body) = &self.state.bodies[side.body]
        {
            let [linear, spin] = self.scratch.twists[side.body];
            let half = linear + spin.cross(side.arm);
            velocity += (body.velocity_at(side.arm, self.state.time) - half) * side.sign;
        }
        velocity
    }

    /// An impulse on the two sides of a contact.
    #[inline]
    fn kick_pair(&mut self, touch: &Touch, kick: Vec3) {
        let (t, gravity) = (self.state.time, self.topology.gravity);
        // energy given to free vertices, and work of what is prescribed or a body of its own
        let (mut given, mut work) = (0.0, 0.0);
        for k in (0..4).filter(|k| !touch.gives(*k)) {
            let (i, w) = (touch.corners[k] as usize, touch.weights[k]);
            let vertex = &mut self.state.vertices[i];
            if vertex.inverse_mass > 0.0 {
                vertex.move_to(t, gravity);
                self.scratch.before[i].keep(t, vertex.velocity);
                let change = kick * (w * vertex.inverse_mass);
                given += w * kick.dot(vertex.velocity + change * 0.5);
                vertex.velocity += change;
                self.scratch.touched.push(touch.corners[k]);
            } else {
                work -= w * kick.dot(vertex.velocity);
                self.state.reaction[i] += kick * w;
            }
        }
        if let Some(side) = &touch.side
            && let Some(body) = &self.state.bodies[side.body]
        {
            let change = body.answer_at(side.arm, kick * side.sign);
            work -= side.sign * kick.dot(body.velocity_at(side.arm, t) + change * 0.5);
            let point = side.arm + body.centre_at(t);
            self.state.kick_body(side.body, point, kick * side.sign);
        }
        self.state.account.movers += work;
        self.state.account.contact += work - given;
    }

    /// The last of an entry's layers that is active; a single one is known to be without its pair.
    #[inline]
    fn last_layer(&self, entry: &Entry) -> u32 {
        if entry.from == entry.to {
            return entry.to;
        }
        let top = self.state.pairs.pool[entry.pair as usize].layers;
        entry.to.min(top)
    }

    /// A null tick: the top layers of the pair end if they are well outside and parting
    /// (Harmon 2012, §5.1). False if none of the entry's layers is left.
    fn keep_layers(&mut self, entry: &Entry, d: f64, apart: Vec3, weights: &[f64; 4]) -> bool {
        let (t, topology) = (self.state.time, self.topology);
        let (layers, outermost) = (&topology.layers, topology.thickness_of(&entry.corners));
        let ends = |l: u32| d > layers.thickness(outermost, l) + 2.0 * layers.early(outermost, l);
        if entry.from == entry.to && !ends(entry.from) {
            return true;
        }
        let mut parting = 0.0;
        for k in 0..4 {
            let vertex = &self.state.vertices[entry.corners[k] as usize];
            parting += weights[k] * apart.dot(vertex.velocity_at(t, topology.gravity));
        }
        if parting <= 0.0 {
            return true;
        }
        let before = self.state.pairs.pool[entry.pair as usize].layers;
        if before > entry.to {
            return true;
        }
        let mut top = before;
        while top >= entry.from && ends(top) {
            top -= 1;
        }
        if top < before {
            self.state.pairs.pool[entry.pair as usize].layers = top;
            self.scratch.tally.deactivations += u64::from(before - top);
            self.scratch.doubtful.push(entry.pair);
        }
        top >= entry.from
    }

    /// The body that gives way of which a pair has a primitive.
    #[inline]
    fn giving_side(&self, entry: &Entry, x: &[Vec3; 4], w: &[f64; 4]) -> Option<GivingSide> {
        let split = entry.kind().split();
        for (corner, own, other) in [(0, 0..split, split..4), (3, split..4, 0..split)] {
            let object = self.topology.object[entry.corners[corner] as usize] as usize;
            let Some(Some(body)) =
                (object.checked_sub(self.topology.sheets)).and_then(|k| self.state.bodies.get(k))
            else {
                continue;
            };
            let (mut sign, mut point) = (0.0, Vec3::ZERO);
            for c in other {
                sign += w[c];
                point += x[c] * w[c];
            }
            // where the other side is: both are pushed at one point, so that no moment is left over; a line, which
            // hardly resists being rolled, is pushed on itself
            let solid = &self.topology.objects[object];
            if solid.faces.is_empty() && solid.planes.is_empty() {
                (sign, point) = (0.0, Vec3::ZERO);
                for c in own {
                    sign -= w[c];
                    point -= x[c] * w[c];
                }
            }
            let arm = body.arm(point / sign, self.state.time);
            return Some(GivingSide {
                body: object - self.topology.sheets,
                first: corner == 0,
                sign: -sign,
                arm,
            });
        }
        None
    }

    /// What an impulse on a contact adds to its relative velocity by the answer of a body that gives way \[m/s\].
    #[inline]
    fn answer(&self, touch: &Touch, impulse: Vec3) -> Vec3 {
        match touch.side.map(|side| (side, &self.state.bodies[side.body])) {
            Some((side, Some(body))) => body.answer_at(side.arm, impulse),
            _ => Vec3::ZERO,
        }
    }
}
