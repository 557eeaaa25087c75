//! Half-spaces: ground without end.
//!
//! A surface is above a plane if its vertices are, so a half-space makes pairs with vertices only, as many as there are
//! vertices of sheets, and these are listed for ever: no broad phase needs to know of it. Its plane is that of three
//! prescribed points, which may move. A pair ticks like any other; its certificate is a parabola below the distance
//! from the plane as it turns.

use drystone_base::Vec3;
use drystone_geometry::crossing::is_below;
use drystone_geometry::proximity::first_root;

use crate::event_loop::Run;
use crate::pair::{Kind, Pair};
use crate::topology::Topology;

/// How long a certificate over a plane that turns is valid, at most \[s\].
const TURNING: f64 = 1.0 / 64.0;

impl Topology {
    /// Half-spaces of the object that was added last.
    pub(crate) fn add_planes(&mut self, planes: &[[u32; 3]]) {
        let Some(object) = self.objects.last_mut() else {
            return;
        };
        let first = object.vertices.start as u32;
        self.planes
            .extend(planes.iter().map(|plane| plane.map(|i| first + i)));
        object.planes.end = self.planes.len();
    }

    /// Vertices that are in a half-space or on its plane, by exact predicates, with its number; prescribed ones only
    /// if
    /// `scripted`.
    pub(crate) fn sunk(&self, x: &[Vec3], scripted: bool) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for (k, plane) in self.planes.iter().enumerate() {
            let [a, b, c] = plane.map(|i| x[i as usize]);
            for (i, p) in x.iter().enumerate() {
                let (i, k) = (i as u32, k as u32);
                let counts = scripted || !self.held[i as usize];
                if counts && self.may_touch(Kind::VertexPlane, i, k) && is_below(*p, a, b, c) {
                    found.push((i, k));
                }
            }
        }
        found
    }
}

impl Run<'_> {
    /// Pairs of all vertices of sheets with all half-spaces.
    pub(crate) fn start_half_spaces(&mut self) {
        let topology = self.topology;
        self.state.grounded.clear();
        for plane in 0..topology.planes.len() as u32 {
            for i in 0..topology.start.len() as u32 {
                if topology.may_touch(Kind::VertexPlane, i, plane) {
                    let p = self
                        .state
                        .pairs
                        .insert(topology, Kind::VertexPlane, i, plane);
                    self.state.grounded.push(p);
                }
            }
        }
    }

    /// A parabola below the distance of a point within `radius` of a moving place from the half-space of `pair`, less
    /// the pair's next layer: its coefficients. `place` has position, velocity and half the acceleration.
    ///
    /// With `N = (b - a) x (c - a)`, a polynomial of time, the distance is `N (x - a) / |N|`. Terms of third and fourth
    /// order are bounded over the time for which the parabola holds; at its end it vanishes, if not before.
    pub(crate) fn over_plane(&self, pair: &Pair, place: [Vec3; 3], radius: f64) -> [f64; 3] {
        let (t, topology) = (self.state.time, self.topology);
        let [a, b, c] = [1, 2, 3].map(|k| &self.state.vertices[pair.corners[k] as usize]);
        let [xa, xb, xc] = [a, b, c].map(|v| v.at(t, topology.gravity));
        let (u, w) = (xb - xa, xc - xa);
        let (du, dw) = (b.velocity - a.velocity, c.velocity - a.velocity);
        let area = u.cross(w);
        let scale = 1.0 / area.length();
        let n0 = area * scale;
        let n1 = (du.cross(w) + u.cross(dw)) * scale;
        let n2 = du.cross(dw) * scale;
        let [r0, r1, r2] = [place[0] - xa, place[1] - a.velocity, place[2]];
        // |N| grows by no more than |n1| and |n2| say, and with it what it is compared with
        let needed = radius + self.watched(pair) + self.state.delta;
        let grown = needed + topology.thickness;
        let (first, second) = (n1.length(), n2.length());
        let c0 = n0.dot(r0) - needed;
        let c1 = n0.dot(r1) + n1.dot(r0) - grown * first;
        let mut c2 = n0.dot(r2) + n1.dot(r1) + n2.dot(r0) - grown * second;
        if first == 0.0 && second == 0.0 {
            return [c0, c1, c2];
        }
        c2 -= (n1.dot(r2).abs() + n2.dot(r1).abs() + n2.dot(r2).abs() * TURNING) * TURNING;
        if first_root(c0, c1, c2) > TURNING {
            return [c0, -c0 / TURNING, 0.0];
        }
        [c0, c1, c2]
    }

    /// Time for which a vertex certainly stays out of the next layer of a half-space if nothing kicks it \[s\].
    pub(crate) fn time_over_plane(&self, pair: &Pair) -> f64 {
        let (t, gravity) = (self.state.time, self.topology.gravity);
        let vertex = &self.state.vertices[pair.corners[0] as usize];
        let place = [
            vertex.at(t, gravity),
            vertex.velocity_at(t, gravity),
            vertex.falls(gravity) * 0.5,
        ];
        let [c0, c1, c2] = self.over_plane(pair, place, 0.0);
        first_root(c0, c1, c2)
    }
}
