//! Bodies that give way, as the loop moves them.

use drystone_base::Vec3;

use crate::body::FreeBody;
use crate::event_loop::Run;
use crate::state::State;

/// Vertices of a body that is moved through others may lag behind it by this part of the thickness \[1\].
const UNSEEN: f64 = 1e-3;

impl Run<'_> {
    /// Bodies receive what pins that ride on them have withstood.
    pub(crate) fn pull_bodies(&mut self) {
        let (t, topology) = (self.state.time, self.topology);
        for k in 0..self.state.bodies.len() {
            let rider = |state: &State, n: usize| state.bodies[k].as_ref()?.attached_pin(n);
            let mut n = 0;
            while let Some(rider) = rider(self.state, n) {
                n += 1;
                for &i in &topology.movers[rider].vertices {
                    let impulse = std::mem::take(&mut self.state.reaction[i as usize]);
                    if impulse != Vec3::ZERO {
                        let point = self.state.vertices[i as usize].at(t, Vec3::ZERO);
                        self.state.respond(k);
                        self.state.kick_body(k, point, impulse);
                    }
                }
            }
        }
    }

    /// Bodies that were kicked now, and those that touch them, go on accordingly.
    pub(crate) fn aim_kicked_bodies(&mut self) {
        let t = self.state.time;
        let State {
            bodies, islands, ..
        } = &mut *self.state;
        for island in islands.iter_mut().filter(|island| island.disturbed) {
            island.settle(bodies, t);
        }
        let most = UNSEEN * self.topology.thickness;
        for k in 0..self.state.bodies.len() {
            let body = self.state.bodies[k].as_ref();
            if body.is_some_and(|body| body.is_kicked(t, most)) {
                self.aim_body(k);
            }
        }
    }

    /// Sends the vertices of a body that gives way to where it will be next.
    fn aim_body(&mut self, k: usize) {
        let (t, state) = (self.state.time, &mut *self.state);
        let within = match state.bodies[k].as_ref().and_then(FreeBody::island) {
            Some((island, place)) => {
                state.islands[island].closes_in(place, &state.bodies, t, f64::INFINITY)
            }
            None => f64::INFINITY,
        };
        let Some(body) = &mut state.bodies[k] else {
            return;
        };
        let (next, touched) = (body.aim(t, within), &mut self.scratch.touched);
        for m in std::iter::once(k).chain(body.attached_pins()) {
            let mover = &self.topology.movers[m];
            mover.aim(&mut state.movers[m], t, next, &mut state.vertices, |i| {
                touched.push(i);
            });
        }
    }
}

impl State {
    /// Makes sure that body `k` knows how it answers an impulse.
    #[inline]
    pub(crate) fn respond(&mut self, k: usize) {
        let body = self.bodies.get(k).and_then(Option::as_ref);
        if let Some((island, place)) = body.and_then(FreeBody::island) {
            self.islands[island].respond(place, &mut self.bodies);
        }
    }

    /// An impulse on body `k` at a point, now; the bodies that it touches take part.
    #[inline]
    pub(crate) fn kick_body(&mut self, k: usize, point: Vec3, impulse: Vec3) {
        let t = self.time;
        let Some(body) = &mut self.bodies[k] else {
            return;
        };
        let arm = body.arm(point, t);
        body.kick(t, arm, impulse);
        if let Some((island, place)) = body.island() {
            let impulse = [impulse, arm.cross(impulse)];
            self.islands[island].hand_on(place, impulse, &mut self.bodies, t);
        }
    }
}
