//! What anyone may look at: the world at one moment.

use std::sync::Arc;

use drystone_base::{Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::World;
use crate::cloths::Cloths;
use crate::strands::Strands;

/// The world at one moment. Bodies are in the order of [`crate::World::bodies`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// \[s\]
    pub time: f64,
    /// Steps taken since the start.
    pub step: u64,
    /// Every body, those that have not entered included.
    pub bodies: Vec<FrameBody>,
    /// Every curve of every strand; a branched strand has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strands: Vec<FrameStrand>,
    /// Every piece of cloth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cloths: Vec<FrameCloth>,
    /// Contact points, where asked for.
    pub contacts: Vec<FrameContact>,
}

/// One body at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameBody {
    /// Its name in the scene.
    pub name: Arc<str>,
    /// Pose of the shape's frame.
    pub pose: Pose,
    /// Whether it has entered, is still there and is not hidden.
    pub visible: bool,
    /// Velocity of the centre of mass \[m/s\].
    pub linear_velocity: Vec3,
    /// Angular velocity, world axes \[rad/s\].
    pub angular_velocity: Vec3,
}

/// One curve of a strand at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameStrand {
    /// Name of the strand in the scene; that of a branch ends in its number: `tree/3`.
    pub name: Arc<str>,
    /// From the root to the tip, one more than segments \[m\].
    pub points: Vec<Vec3>,
    /// Material frame of every segment: its y axis points along the segment, to the tip.
    pub orientations: Vec<Quat>,
    /// Radius at every point \[m\].
    pub radii: Arc<[f64]>,
    /// Red, green and blue from 0 to 1, if the scene says so.
    pub colour: Option<[f64; 3]>,
}

/// One piece of cloth at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameCloth {
    /// Its name in the scene.
    pub name: Arc<str>,
    /// Position of every vertex \[m\].
    pub points: Vec<Vec3>,
    /// Corners by vertex, counter-clockwise seen from the front.
    pub triangles: Arc<[[u32; 3]]>,
    /// Red, green and blue from 0 to 1, if the scene says so.
    pub colour: Option<[f64; 3]>,
}

/// One contact point at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameContact {
    /// Index of one of the two bodies; of two strands, a curve as in `b`.
    pub a: usize,
    /// Index of the other body; from the number of bodies on, a curve of the frame.
    pub b: usize,
    /// \[m\]
    pub point: Vec3,
    /// Unit vector from `a` to `b`.
    pub normal: Vec3,
    /// Signed distance, negative inside \[m\].
    pub distance: f64,
    /// What `b` receives from `a` \[N\].
    pub force: Vec3,
}

impl World {
    /// The frame of this moment, without contacts.
    pub fn frame(&self) -> Frame {
        let (state, model) = (&self.rigid.state, &self.rigid.model);
        Frame {
            time: state.time,
            step: state.step,
            bodies: (0..model.len())
                .map(|i| FrameBody {
                    name: self.roster.names[i].clone(),
                    pose: self.pose(i),
                    visible: state.present[i] && !self.bodies()[i].hidden,
                    linear_velocity: state.linear_velocity[i],
                    angular_velocity: state.angular_velocity[i],
                })
                .collect(),
            strands: self.curves(),
            cloths: self.cloths.as_ref().map_or_else(Vec::new, Cloths::frame),
            contacts: Vec::new(),
        }
    }

    /// Strands, and the chains and particles of cloth.
    fn curves(&self) -> Vec<FrameStrand> {
        let mut curves = self.strands.as_ref().map_or_else(Vec::new, Strands::frame);
        curves.extend(self.cloths.iter().flat_map(Cloths::curves));
        curves
    }

    /// What there is to see, with the contact points of the last step: those of bodies, then those of strands.
    pub fn frame_with_contacts(&self) -> Frame {
        let mut contacts = self.contacts();
        contacts.extend(self.contacts_of_strands());
        Frame {
            contacts,
            ..self.frame()
        }
    }

    /// Contact points of strands with bodies and with strands: `b` is the number of bodies plus that of the curve in a
    /// frame, and so is `a` of two strands.
    pub fn contacts_of_strands(&self) -> Vec<FrameContact> {
        let Some(system) = self.strands() else {
            return Vec::new();
        };
        let bodies = self.rigid.model.len();
        // where the curves of each strand begin
        let counts = system.model.chains.iter().map(|c| c.parameters.len());
        let firsts: Vec<usize> = counts
            .scan(bodies, |next, count| {
                let first = *next;
                *next += count;
                Some(first)
            })
            .collect();
        let curve = |strand: usize, link: usize| {
            let source = system.model.chains[strand].source.get(link);
            firsts[strand] + source.map_or(0, |source| source.0)
        };
        let mut found = Vec::new();
        for (i, strand) in system.state.strands.iter().enumerate() {
            found.extend(strand.contacts.iter().map(|contact| FrameContact {
                a: contact.obstacle,
                b: curve(i, contact.link),
                point: contact.place,
                normal: contact.normal,
                distance: contact.gap,
                force: contact.force,
            }));
            found.extend(strand.strand_contacts.iter().map(|contact| FrameContact {
                a: curve(contact.other_strand, contact.other_link),
                b: curve(i, contact.link),
                point: contact.place,
                normal: contact.normal,
                distance: contact.gap,
                force: contact.force,
            }));
        }
        found
    }

    /// The contact points of bodies in the last step with their forces.
    pub fn contacts(&self) -> Vec<FrameContact> {
        let contacts = &self.rigid.state.contacts;
        let span = self.rigid.options().impulse_span(self.last_step);
        let points = contacts.patches.iter().flat_map(|patch| {
            contacts
                .points_of(patch)
                .iter()
                .map(move |point| FrameContact {
                    a: patch.a as usize,
                    b: patch.b as usize,
                    point: point.position,
                    normal: patch.normal,
                    distance: point.distance,
                    force: point.impulse / span,
                })
        });
        points.collect()
    }

    /// Pose of the shape of the body in row `i` of a frame.
    pub fn pose(&self, i: usize) -> Pose {
        self.rigid.state.shape_pose(&self.rigid.model, i)
    }
}
