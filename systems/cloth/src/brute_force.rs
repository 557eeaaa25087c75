//! The certificate that needs no thought: every pair is measured. For tests.

use drystone_geometry::proximity::{first_root, gap_along, rounding};

use crate::clock::{TICK, Tick};
use crate::event_loop::Run;
use crate::pair::{Kind, Scripted};

impl Run<'_> {
    /// Brute force lists every pair that may touch at all.
    pub(crate) fn start_brute_force(&mut self) {
        let topology = self.topology;
        let [v, e, f] = [
            topology.start.len(),
            topology.edges.len(),
            topology.faces.len(),
        ]
        .map(|n| n as u32);
        let kinds = [
            (Kind::VertexFace, v, f),
            (Kind::EdgeEdge, e, e),
            (Kind::VertexEdge, v, e),
            (Kind::VertexVertex, v, v),
        ];
        for (kind, first, second) in kinds {
            let alike = matches!(kind, Kind::EdgeEdge | Kind::VertexVertex);
            for a in 0..first {
                for b in if alike { a + 1 } else { 0 }..second {
                    if topology.may_touch(kind, a, b) {
                        self.state.pairs.insert(topology, kind, a, b);
                    }
                }
            }
        }
    }

    /// Brute force: every pair is measured, and again before the first of them can come closer than
    /// its next layer.
    pub(crate) fn test_all_pairs(&mut self) {
        let (t, topology) = (self.state.time, self.topology);
        self.state.look_again = Tick::MAX;
        for p in 0..self.state.pairs.pool.len() as u32 {
            let pair = &self.state.pairs.pool[p as usize];
            let vertices = pair.corners.map(|i| self.state.vertices[i as usize]);
            let x = vertices.map(|v| v.at(t, topology.gravity));
            let n = pair.kind.closest(x).apart.normalize_or_zero();
            let (pair_kind, split) = (pair.kind, pair.kind.split());
            let size = x
                .iter()
                .fold(0.0f64, |most, x| most.max(x.abs().max_element()));
            let low = gap_along(n, &x, split) - rounding(2.0 * size);
            if pair.scripted != Scripted::No {
                if !self.is_apart(p, low) {
                    continue;
                }
            } else if !self.activate_down_to(p, low) {
                return;
            }
            let slack = low - self.watched(&self.state.pairs.pool[p as usize]);
            let velocity = vertices.map(|v| v.velocity_at(t, topology.gravity));
            let mut fastest = 0.0f64;
            for a in &velocity[..split] {
                for b in &velocity[split..] {
                    fastest = fastest.max((*a - *b).length());
                }
            }
            let life = match pair_kind {
                Kind::VertexPlane => self.time_over_plane(&self.state.pairs.pool[p as usize]),
                _ => first_root(slack, -fastest, -0.5 * topology.fall),
            } / TICK;
            let again = t.saturating_add((life as Tick).max(1));
            self.state.look_again = self.state.look_again.min(again);
        }
    }
}
