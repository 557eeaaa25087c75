//! What contact takes where a body is pushed back through light cloth that lies on something else.
//!
//! Restitution acts pair by pair, and takes from a pair at most what stops its parting. Between a heavy body and
//! what carries it lie light vertices: next to nothing stops one of their pairs, since the vertex gives way, and what the
//! layers have stored throws the body back whatever its restitution. So before the pairs are gone through one by one, the
//! layers on both sides of such vertices let go together: of each body that parts from what carries it, along the one
//! direction in which every pair loses its own push, by as much as takes most energy. Pushes on a vertex that is squeezed
//! balance, so the vertex is left alone and the body is stopped.
//!
//! Along that direction the energy of motion half way through the kicks is a parabola, and no more is taken than leads to
//! its lowest point, nor more of any pair than its restitution allows: so none is added.

use drystone_base::Vec3;

use crate::event_loop::Run;
use crate::layer_ticks::Touch;

/// What the search for a direction works with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unloading {
    /// Free corners with their touches, in order.
    corners: Vec<(u32, u32)>,
    bodies: Vec<usize>,
    /// By touch: impulse along the normal that is taken off in the direction \[N s\], and how fast it parts \[m/s\].
    taken: Vec<f64>,
    parting: Vec<f64>,
    /// A touch of a body and those opposed to it, with the impulse that each loses \[N s\].
    cluster: Vec<(usize, f64)>,
    /// Sums of what a cluster's free corners lose \[N s\].
    pushes: Vec<(u32, Vec3)>,
}

impl Unloading {
    /// Touches at a free corner.
    fn at(&self, vertex: u32) -> impl Iterator<Item = usize> + '_ {
        let first = self.corners.partition_point(|(i, _)| *i < vertex);
        let rest = self.corners[first..].iter();
        rest.take_while(move |(i, _)| *i == vertex)
            .map(|(_, k)| *k as usize)
    }
}

impl Run<'_> {
    /// Takes from bodies that give way, and part from what carries them, what layers on both sides of light vertices give
    /// them.
    pub(crate) fn unload_bodies(&mut self, touches: &mut [Touch]) {
        let mut work = std::mem::take(&mut self.scratch.unloading);
        work.bodies.clear();
        let given = touches.iter().filter_map(|touch| touch.side);
        work.bodies.extend(given.map(|side| side.body));
        work.bodies.sort_unstable();
        work.bodies.dedup();
        if !work.bodies.is_empty() {
            work.corners.clear();
            for (k, touch) in touches.iter().enumerate() {
                let free = (0..4).filter(|c| self.is_light(touch, *c));
                let with_touch = free.map(|c| (touch.corners[c], k as u32));
                work.corners.extend(with_touch);
            }
            work.corners.sort_unstable();
            work.corners.dedup();
        }
        for k in 0..work.bodies.len() {
            self.unload_body(work.bodies[k], touches, &mut work);
        }
        self.scratch.unloading = work;
    }

    /// Whether a corner is a vertex that moves by itself.
    fn is_light(&self, touch: &Touch, c: usize) -> bool {
        !touch.gives(c)
            && touch.weights[c] != 0.0
            && self.state.vertices[touch.corners[c] as usize].inverse_mass > 0.0
    }

    fn unload_body(&mut self, body: usize, touches: &mut [Touch], work: &mut Unloading) {
        let of_body = |touch: &Touch| touch.side.is_some_and(|side| side.body == body);
        // the direction: touches of the body with those opposed to them
        let parting = touches.iter().map(|touch| self.parting(touch));
        work.parting.clear();
        work.parting.extend(parting);
        work.taken.clear();
        work.taken.resize(touches.len(), 0.0);
        for k in (0..touches.len()).filter(|k| of_body(&touches[*k])) {
            self.gather_opposed(k, touches, work);
            let share = self.share_of_cluster(touches, work);
            for (j, d) in &work.cluster {
                work.taken[*j] = (work.taken[*j] + share * d).min(touches[*j].impulse);
            }
        }
        // the parabola along it
        let (mut slope, mut most) = (0.0, f64::INFINITY);
        let (mut impulse, mut moment) = (Vec3::ZERO, Vec3::ZERO);
        for (k, touch) in touches.iter().enumerate() {
            let d = work.taken[k];
            if d <= 0.0 {
                continue;
            }
            slope += d * work.parting[k];
            most = most.min((touch.most_taken() - touch.taken) / d);
            if let Some(side) = touch.side {
                let push = touch.normal * (-d * side.sign);
                (impulse, moment) = (impulse + push, moment + side.arm.cross(push));
            }
        }
        let Some(giving) = &self.state.bodies[body] else {
            return;
        };
        let [velocity, spin] = giving.response.times(impulse, moment);
        let curve =
            impulse.dot(velocity) + moment.dot(spin) + self.curve_of_vertices(touches, work);
        if slope <= 0.0 || curve <= 0.0 {
            return;
        }
        let length = (slope / curve).min(most);
        for (k, touch) in touches.iter_mut().enumerate() {
            let taken = work.taken[k] * length;
            if taken > 0.0 {
                touch.taken += taken;
                self.kick_pair(touch, touch.normal * -taken);
            }
        }
    }

    /// Gathers touch `k` of a body, and those on the other sides of its free corners, but for those of other bodies that
    /// give way. What is opposed to several touches of bodies is shared among them by their pushes.
    fn gather_opposed(&self, k: usize, touches: &[Touch], work: &mut Unloading) {
        let mut cluster = std::mem::take(&mut work.cluster);
        cluster.clear();
        let lossy = |touch: &Touch| touch.most_taken() > touch.taken;
        if lossy(&touches[k]) {
            cluster.push((k, touches[k].impulse));
            for c in (0..4).filter(|c| self.is_light(&touches[k], *c)) {
                let i = touches[k].corners[c];
                let own = touches[k].push_at(i);
                let of_bodies = work.at(i).filter(|j| touches[*j].side.is_some());
                let all: f64 = of_bodies.map(|j| touches[j].push_at(i).length()).sum();
                let share = own.length() / all.max(f64::MIN_POSITIVE);
                for j in work.at(i) {
                    let touch = &touches[j];
                    if touch.side.is_some() || !lossy(touch) || touch.push_at(i).dot(own) >= 0.0 {
                        continue;
                    }
                    let d = share * touch.impulse;
                    match cluster.iter_mut().find(|(other, _)| *other == j) {
                        Some((_, known)) => *known = known.max(d),
                        None => cluster.push((j, d)),
                    }
                }
            }
        }
        // what nothing fixed or free is opposed to gives way by itself
        if cluster.len() == 1 {
            cluster.clear();
        }
        work.cluster = cluster;
    }

    /// Which share of itself a cluster may lose by what that does to its free vertices: all where its pushes balance, and
    /// nothing where the body does not part from what is on the other side.
    fn share_of_cluster(&self, touches: &[Touch], work: &mut Unloading) -> f64 {
        let (mut slope, mut curve) = (0.0, 0.0);
        work.pushes.clear();
        for (j, d) in &work.cluster {
            let touch = &touches[*j];
            slope += d * work.parting[*j];
            for c in (0..4).filter(|c| self.is_light(touch, *c)) {
                let push = touch.normal * (d * touch.weights[c]);
                let i = touch.corners[c];
                match work.pushes.iter_mut().find(|(other, _)| *other == i) {
                    Some((_, sum)) => *sum += push,
                    None => work.pushes.push((i, push)),
                }
            }
        }
        for (i, push) in &work.pushes {
            curve += push.length_squared() * self.state.vertices[*i as usize].inverse_mass;
        }
        match slope < curve {
            true => (slope / curve).max(0.0),
            false if slope > 0.0 => 1.0,
            false => 0.0,
        }
    }

    /// Twice the energy that the direction gives to free vertices at rest \[J\].
    fn curve_of_vertices(&self, touches: &[Touch], work: &Unloading) -> f64 {
        let mut curve = 0.0;
        for of_vertex in work.corners.chunk_by(|(a, _), (b, _)| a == b) {
            let vertex = of_vertex[0].0;
            let mut push = Vec3::ZERO;
            for touch in of_vertex.iter().map(|(_, k)| *k as usize) {
                let share = work.taken[touch] / touches[touch].impulse.max(f64::MIN_POSITIVE);
                push += touches[touch].push_at(vertex) * share;
            }
            let inverse_mass = self.state.vertices[vertex as usize].inverse_mass;
            curve += push.length_squared() * inverse_mass;
        }
        curve
    }
}
