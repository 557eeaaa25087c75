//! Strands that are fastened inside a solid: a cord that is held at the middle of a ball, a root within a ceiling.
//!
//! What lies between the fastening and the surface at the start would be pushed out of the solid by contacts and back by
//! the fastening, for ever. Such links pass through that solid, as a link does that is held on its surface.

use drystone_base::{Pose, Vec3};
use drystone_geometry::closest_point;

use crate::Model;
use crate::chain::BASE;
use crate::contact::NEAR_BASE;
use crate::kinematics::Link;

impl Model {
    /// Lets links of strand `i` pass through the obstacles that they are fastened in. `links` are its links at the start,
    /// `poses` the obstacles' poses at that time, in the world.
    pub fn embed(&mut self, i: usize, links: &[Link], poses: &[Pose]) {
        let mut embedded = Vec::new();
        for (k, (obstacle, pose)) in self.obstacles.iter().zip(poses).enumerate() {
            let bounds = obstacle.shape.aabb(pose);
            let depth = |x: Vec3| match x.clamp(bounds.low, bounds.high) == x {
                true => -closest_point(&obstacle.shape, pose, x).distance,
                false => 0.0,
            };
            let through = self.fastened_inside(i, links, depth);
            embedded.extend(through.into_iter().map(|link| [k, link]));
        }
        self.chains[i].embedded = embedded;
    }

    /// Links of strand `i` between places where it is fastened inside a solid and the surface of that, the one that
    /// crosses the surface included. `depth` of a place in the solid \[m\].
    fn fastened_inside(&self, i: usize, links: &[Link], depth: impl Fn(Vec3) -> f64) -> Vec<usize> {
        let chain = &self.chains[i];
        // a root on the surface is not inside, however rough that is
        let is_inside = |link: usize, x: Vec3| depth(x) > NEAR_BASE * chain.length[link];
        let mut inside = vec![false; links.len()];
        for (j, link) in links.iter().enumerate() {
            inside[j] = chain.parent[j] == BASE && is_inside(j, link.origin);
        }

        // from a hold towards the root
        let own = self.constraints.iter().filter(|c| c.strand == i);
        for (link, place) in own.filter_map(|c| Some((c.kind.link(), c.kind.place()?))) {
            let Some(held) = links.get(link) else {
                continue;
            };
            if !is_inside(link, held.origin + held.axes * place) {
                continue;
            }
            let mut j = link;
            inside[j] = true;
            while depth(links[j].origin) > 0.0 && chain.parent[j] < j {
                j = chain.parent[j];
                inside[j] = true;
            }
        }
        // towards the tips: parents come first
        for j in 0..links.len() {
            let parent = chain.parent[j];
            inside[j] |= parent < j && inside[parent] && depth(links[j].origin) > 0.0;
        }
        (0..links.len()).filter(|&j| inside[j]).collect()
    }
}
