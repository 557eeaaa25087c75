//! Fields, goals and obstacles of all members, at every iterate of Newton.

use drystone_base::Pose;

use crate::base::Frame;
use crate::constraint::{Goal, Spot};
use crate::implicit::{Bdf, Body, Live};
use crate::kinematics::Link;
use crate::newton::{Coupling, Iterate};
use crate::properties::Properties;
use crate::response::{Handle, Response};
use crate::step::{Scene, Workspace, sample_fields};

/// What joined strands meet at every iterate.
pub(super) struct Surroundings<'a> {
    pub(super) scenes: &'a [Scene<'a>],
    pub(super) properties: &'a [Properties],
    pub(super) frames: &'a [Frame],
    pub(super) first: &'a [usize],
    pub(super) works: &'a mut [Workspace],
    pub(super) bodies: &'a [Body],
    pub(super) goals: &'a [(usize, Goal)],
    pub(super) response: &'a mut Response,
    pub(super) bdf: Bdf,
    pub(super) t: f64,
}

impl Coupling for Surroundings<'_> {
    fn sample(&mut self, links: &[Link], live: &mut [Live]) {
        if live.is_empty() {
            return;
        }
        for (k, scene) in self.scenes.iter().enumerate() {
            let range = self.first[k]..self.first[k + 1];
            let at = (&self.frames[k], self.bdf, self.t);
            sample_fields(
                scene,
                &self.properties[k],
                at,
                &self.bodies[range.clone()],
                &links[range.clone()],
                &mut live[range],
            );
        }
    }

    fn is_coupled(&self) -> bool {
        true
    }

    fn prepare(&mut self, iterate: &mut Iterate) {
        let Iterate {
            rotation,
            links,
            loads,
            ..
        } = iterate;
        let obstacles = &self.scenes[0].model.obstacles;
        self.response.measure(self.goals, links, rotation);
        let rows = &mut self.response.rows;
        for (k, work) in self.works.iter_mut().enumerate() {
            let own = &links[self.first[k]..self.first[k + 1]];
            let Workspace {
                contacts, swept, ..
            } = work;
            if contacts.is_empty() {
                continue;
            }
            // bodies that move along are where the iterate has them
            for motion in swept.iter_mut() {
                if let Some((link, at)) = &motion.body {
                    let link = &links[*link];
                    motion.to = Pose::new(link.origin, link.rotation).then(at);
                }
            }
            contacts.detect(obstacles, swept, &self.frames[k], own, self.bdf.h);
            let start = rows.len();
            contacts.rows(rows);
            for row in &mut rows[start..] {
                row.handle = row.handle.shifted(self.first[k]);
            }
            // what a body pushes pushes it, in the same place
            let frame = &self.frames[k];
            for (obstacle, rows) in contacts.obstacles().zip(rows[start..].chunks_exact_mut(3)) {
                let Some((link, _)) = swept[obstacle].body else {
                    continue;
                };
                for row in rows {
                    if let Handle::Points(spot, _) = row.handle {
                        let place = frame.world(spot.place(links)) - links[link].origin;
                        let at = links[link].axes.transpose() * place;
                        let seen = frame.to_world.rotation.conjugate();
                        row.handle = Handle::Points(spot, Some((Spot { link, at }, seen)));
                    }
                }
            }
        }
        self.response.apply(links, loads);
    }

    fn couple(&mut self, iterate: &mut Iterate) -> Option<f64> {
        if self.response.rows.is_empty() {
            return Some(0.0);
        }
        let Iterate {
            links,
            loads,
            factor,
            ..
        } = iterate;
        let method = self.scenes[0].options.method();
        let slope = self.response.couple(factor, links, loads, method)?;
        let touching: usize = self.works.iter().map(|work| work.contacts.len()).sum();
        let mut next = self.response.rows.len() - 3 * touching;
        for work in self.works.iter_mut() {
            let end = next + 3 * work.contacts.len();
            work.contacts.take_forces(&self.response.rows[next..end]);
            next = end;
        }
        Some(slope)
    }
}
