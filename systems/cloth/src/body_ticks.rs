//! Bodies that give way, as the loop moves them.

use drystone_base::Vec3;

use crate::body::FreeBody;
use crate::event_loop::Run;

impl Run<'_> {
    /// Bodies receive what pins that ride on them have withstood.
    pub(crate) fn pull_bodies(&mut self) {
        let (t, state) = (self.state.time, &mut *self.state);
        for body in state.bodies.iter_mut().flatten() {
            body.take_pulls(|rider, kick| {
                for &i in &self.topology.movers[rider].vertices {
                    let impulse = std::mem::take(&mut state.reaction[i as usize]);
                    if impulse != Vec3::ZERO {
                        kick(t, state.vertices[i as usize].at(t, Vec3::ZERO), impulse);
                    }
                }
            });
        }
    }

    /// Bodies that were kicked now go on accordingly.
    pub(crate) fn aim_kicked_bodies(&mut self) {
        for k in 0..self.state.bodies.len() {
            if self.state.bodies[k]
                .as_ref()
                .is_some_and(FreeBody::is_kicked)
            {
                self.aim_body(k);
            }
        }
    }

    /// Sends the vertices of a body that gives way to where it will be next.
    pub(crate) fn aim_body(&mut self, k: usize) {
        let (t, state) = (self.state.time, &mut *self.state);
        let Some(body) = &mut state.bodies[k] else {
            return;
        };
        let (next, touched) = (body.aim(t), &mut self.scratch.touched);
        for m in std::iter::once(k).chain(body.attached_pins()) {
            let mover = &self.topology.movers[m];
            mover.aim(&mut state.movers[m], t, next, &mut state.vertices, |i| {
                touched.push(i);
            });
        }
    }
}
