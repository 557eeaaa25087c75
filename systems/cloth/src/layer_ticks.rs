//! Ticks of penalty layers: pushing, restitution and friction (Harmon 2012, §3 and §5.1).

use drystone_base::Vec3;

use crate::agenda::Entry;
use crate::clock::period;
use crate::event_loop::Run;

/// The primitive of a pair that belongs to a body which gives way.
struct GivingSide {
    /// Number of the obstacle.
    body: usize,
    /// Which corners of the pair are its.
    corners: std::ops::Range<usize>,
    /// Sum of their weights, 1 or -1.
    sign: f64,
    /// From its centre to where the pair meets it [m], and its velocity there [m/s].
    arm: Vec3,
    velocity: Vec3,
}

impl Run<'_> {
    /// Penalty layers whose clocks tick now. Those that are certainly outside, and not so far that they might
    /// end, are passed over: most of resting cloth are.
    pub(crate) fn tick_penalties(&mut self) {
        let (t, gravity) = (self.state.time, self.net.gravity);
        for level in self.levels_now(self.state.agenda.mask) {
            let mut entries = self.state.agenda.take(level, &mut self.scratch.tail);
            let (h, mut clear) = (period(level as u8), 0);
            let (alike, outermost) = (self.net.is_alike(), self.clear_of(self.net.thickness, 1));
            let mut tick = |run: &mut Self, entry: &mut Entry, x: [Vec3; 4]| {
                let (from, to) = match entry.from {
                    1 if alike => outermost,
                    l => run.clear_of(run.net.thickness_of(&entry.corners), l),
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
            self.state.agenda.put_back(level, entries);
        }
    }

    /// Gaps of a pair of thickness `outermost` at which layer `l` neither acts nor ends: rounding is counted once for
    /// the gap and once for the distance that it stands for.
    #[inline]
    fn clear_of(&self, outermost: f64, l: u32) -> (f64, f64) {
        let from = self.net.layers.thickness(outermost, l) + 2.0 * self.state.delta;
        (from, from + 2.0 * self.net.layers.early(outermost, l))
    }

    /// Kicks a pair by its layers of one level; false if none of them is active any more.
    #[inline]
    fn tick_layers(&mut self, entry: &mut Entry, x: [Vec3; 4], h: f64) -> bool {
        let (t, net, gravity) = (self.state.time, self.net, self.net.gravity);
        let found = entry.kind().closest(x);
        let d = found.distance_squared.sqrt();
        let outermost = net.thickness_of(&entry.corners);
        if d >= net.layers.thickness(outermost, entry.from) {
            self.scratch.tally.null_penalties += 1;
            entry.set_normal(found.apart / d);
            return self.keep_layers(entry, d, found.apart, &found.weights);
        }
        self.scratch.tally.penalties += 1;
        let n = found.apart / d;
        let w = found.weights;
        let corners = entry.corners.map(|i| i as usize);
        let mut impulse = h * net
            .layers
            .force(outermost, entry.from, self.last_layer(entry), d);
        // the side of a body that gives way
        let side = match self.state.bodies.is_empty() {
            true => None,
            false => self.giving_side(entry, &x, &w),
        };
        let (mut velocity, mut inverse_mass) = match &side {
            Some(side) => (side.velocity * side.sign, 0.0),
            None => (Vec3::ZERO, 0.0),
        };
        let gives = |k: usize| side.as_ref().is_some_and(|side| side.corners.contains(&k));
        for k in (0..4).filter(|k| !gives(*k)) {
            let vertex = &self.state.vertices[corners[k]];
            velocity += vertex.velocity_at(t, gravity) * w[k];
            inverse_mass += w[k] * w[k] * vertex.inverse_mass;
        }
        let (a, b) = (
            net.object_of(corners[0] as u32),
            net.object_of(corners[3] as u32),
        );
        if velocity.dot(n) > 0.0 {
            // work given back is e² of the work stored, so the speed is e of the speed
            let e = a.restitution.max(b.restitution);
            impulse *= e * e;
        }
        if impulse == 0.0 {
            return true;
        }
        let mut kick = n * impulse;
        let friction = (a.friction * b.friction).sqrt();
        if friction > 0.0 {
            if let Some(side) = &side {
                // a body that is pushed off its centre turns, which is a slip too
                velocity += self.answer(side, kick);
            }
            let slip = velocity - n * velocity.dot(n);
            let speed = slip.length();
            if speed > 0.0 {
                if let Some(side) = &side {
                    inverse_mass += self.answer(side, slip).dot(slip) / (speed * speed);
                }
                if inverse_mass > 0.0 {
                    kick -= slip * ((friction * impulse).min(speed / inverse_mass) / speed);
                }
            }
        }
        // energy given to free vertices, and work of what is prescribed or a body of its own
        let (mut given, mut work) = (0.0, 0.0);
        for k in (0..4).filter(|k| !gives(*k)) {
            let vertex = &mut self.state.vertices[corners[k]];
            if vertex.inverse_mass > 0.0 {
                vertex.move_to(t, gravity);
                let change = kick * (w[k] * vertex.inverse_mass);
                given += w[k] * kick.dot(vertex.velocity + change * 0.5);
                vertex.velocity += change;
                self.scratch.touched.push(corners[k] as u32);
            } else {
                work -= w[k] * kick.dot(vertex.velocity);
                self.state.reaction[corners[k]] += kick * w[k];
            }
        }
        if let Some(side) = side
            && let Some(body) = &mut self.state.bodies[side.body]
        {
            let change = body.answer_at(side.arm, kick * side.sign);
            work -= side.sign * kick.dot(side.velocity + change * 0.5);
            body.kick(t, side.arm, kick * side.sign);
        }
        self.state.account.movers += work;
        self.state.account.contact += work - given;
        true
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
        let (t, net) = (self.state.time, self.net);
        let (layers, outermost) = (&net.layers, net.thickness_of(&entry.corners));
        let ends = |l: u32| d > layers.thickness(outermost, l) + 2.0 * layers.early(outermost, l);
        if entry.from == entry.to && !ends(entry.from) {
            return true;
        }
        let mut parting = 0.0;
        for k in 0..4 {
            let vertex = &self.state.vertices[entry.corners[k] as usize];
            parting += weights[k] * apart.dot(vertex.velocity_at(t, net.gravity));
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
            let object = self.net.object[entry.corners[corner] as usize] as usize;
            let Some(Some(body)) =
                (object.checked_sub(self.net.sheets)).and_then(|k| self.state.bodies.get(k))
            else {
                continue;
            };
            let (mut sign, mut point) = (0.0, Vec3::ZERO);
            for c in other {
                sign += w[c];
                point += x[c] * w[c];
            }
            // where the other side is: both are pushed at one point, so that no moment is left over
            let arm = body.arm(point / sign, self.state.time);
            return Some(GivingSide {
                body: object - self.net.sheets,
                corners: own,
                sign: -sign,
                arm,
                velocity: body.velocity_at(arm),
            });
        }
        None
    }

    /// Change of velocity of a body that gives way by an impulse, where a pair meets it [m/s].
    #[inline]
    fn answer(&self, side: &GivingSide, impulse: Vec3) -> Vec3 {
        match &self.state.bodies[side.body] {
            Some(body) => body.answer_at(side.arm, impulse),
            None => Vec3::ZERO,
        }
    }
}
