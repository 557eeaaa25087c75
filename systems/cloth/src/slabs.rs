//! Certificates by pair, as published: a separating slab, renewed at every kick (Harmon 2012, §4.1).

use drystone_geometry::proximity::first_root;

use crate::clock::{TICK, Tick};
use crate::event_loop::Run;
use crate::pair::Kind;

impl Run<'_> {
    /// Looks at the pairs whose slabs fail now.
    pub(crate) fn renew_failed_slabs(&mut self) {
        while let Some((due, p)) = self.state.slabs.first() {
            if due > self.state.time {
                break;
            }
            self.state.slabs.remove(p);
            self.scratch.doubtful.push(p);
        }
    }

    /// A new slab for pair `p`, as thick as its next layer: a plane with the direction of the closest
    /// points, through their middle, moving as they do on average. It fails when the first vertex
    /// enters it. False if that is at once.
    #[must_use]
    pub(crate) fn renew_slab(&mut self, p: u32) -> bool {
        let (t, gravity) = (self.state.time, self.topology.gravity);
        self.scratch.tally.slabs += 1;
        let pair = &self.state.pairs.pool[p as usize];
        if pair.kind == Kind::VertexPlane {
            let ticks = self.time_over_plane(pair) / TICK;
            if ticks >= 1.0 {
                self.state.slabs.set(p, t.saturating_add(ticks as Tick));
            }
            return ticks >= 1.0;
        }
        let vertices = pair.corners.map(|i| &self.state.vertices[i as usize]);
        let x = vertices.map(|v| v.at(t, gravity));
        let found = pair.kind.closest(x);
        let n = found.apart.normalize_or_zero();
        let half = 0.5 * self.watched(pair) + self.state.delta;
        // height, speed and half the acceleration along n, of the corners and of the plane
        let height = x.map(|x| n.dot(x));
        let speed = vertices.map(|v| n.dot(v.velocity_at(t, gravity)));
        let fall = vertices.map(|v| 0.5 * n.dot(v.falls(gravity)));
        let mean = |of: [f64; 4]| 0.5 * (0..4).map(|k| found.weights[k].abs() * of[k]).sum::<f64>();
        let (plane, plane_speed, plane_fall) = (mean(height), mean(speed), mean(fall));
        let mut life = f64::INFINITY;
        for k in 0..4 {
            let side = if k < pair.kind.split() { 1.0 } else { -1.0 };
            let root = first_root(
                side * (height[k] - plane) - half,
                side * (speed[k] - plane_speed),
                side * (fall[k] - plane_fall),
            );
            life = life.min(root);
        }
        let ticks = life / TICK;
        if ticks >= 1.0 {
            self.state.slabs.set(p, t.saturating_add(ticks as Tick));
        }
        ticks >= 1.0
    }
}
