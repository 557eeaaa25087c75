//! Implicit fields, constraints and obstacles of a group, evaluated at every Newton iterate.

use drystone_base::{Mat3, Pose, Vec3};
use drystone_complementarity::solvers::Bound;

use crate::Model;
use crate::base::BaseFrame;
use crate::constraint::{LinkPoint, StepConstraint};
use crate::contact::{Contacts, Relief, Swept};
use crate::implicit::{Bdf, FieldForce, LinkStep, Load};
use crate::kinematics::Link;
use crate::newton::{Coupling, Iterate};
use crate::properties::Properties;
use crate::response::{Response, Row, RowJacobian};
use crate::step::StepInput;
use crate::strand_contact::StrandContacts;

/// Fields, constraints and obstacles of all members.
pub(crate) struct Surroundings<'a> {
    pub input: &'a StepInput<'a>,
    pub properties: &'a [Properties],
    pub frames: &'a [BaseFrame],
    pub link_steps: &'a [LinkStep],
    pub bdf: Bdf,
    /// Whether contacts push along their normals only.
    pub frictionless: bool,
    /// How overlaps at the start are reduced.
    pub relief: Relief,
    pub t: f64,
    pub bilateral: &'a [(usize, StepConstraint)],
    pub response: &'a mut Response,
    pub contacts: &'a mut [Contacts],
    pub strand_contacts: &'a mut StrandContacts,
    pub swept: &'a mut [Swept],
}

impl Coupling for Surroundings<'_> {
    fn sample(&mut self, links: &[Link], sampled: &mut [FieldForce]) {
        if sampled.is_empty() {
            return;
        }
        for (k, member) in self.input.members.iter().enumerate() {
            let range = member.range();
            sample_fields(
                self.input.model,
                member.chain.reach,
                &self.properties[k],
                (&self.frames[k], self.bdf, self.t),
                &self.link_steps[range.clone()],
                &links[range.clone()],
                &mut sampled[range],
            );
        }
    }

    fn is_coupled(&self) -> bool {
        !self.bilateral.is_empty()
            || !self.strand_contacts.is_off()
            || self.contacts.iter().any(|contacts| !contacts.is_empty())
    }

    fn prepare(&mut self, iterate: &mut Iterate) {
        if !self.is_coupled() {
            return;
        }
        let Iterate {
            rotation,
            links,
            loads,
            ..
        } = iterate;
        self.response.measure(self.bilateral, links, rotation);
        // bodies that move along are where the iterate has them
        for motion in self.swept.iter_mut() {
            if let Some((link, at)) = &motion.body {
                let link = &links[*link];
                motion.to = Pose::new(link.origin, link.rotation).then(at);
            }
        }
        let obstacles = &self.input.model.obstacles;
        for (k, member) in self.input.members.iter().enumerate() {
            let (contacts, frame) = (&mut self.contacts[k], &self.frames[k]);
            if contacts.is_empty() {
                continue;
            }
            let own = &links[member.range()];
            contacts.detect(obstacles, self.swept, frame, own, self.relief);
            let start = self.response.rows.len();
            contacts.rows(member.first, &mut self.response.rows);
            let rows = &mut self.response.rows[start..];
            push_back(contacts, self.swept, frame, links, rows);
        }
        if !self.strand_contacts.is_off() {
            loads.resize(links.len(), Load::ZERO);
            let contacts = &mut *self.strand_contacts;
            contacts.detect(self.input, self.frames, links, self.relief);
            contacts.rows(self.frames, &mut self.response.rows);
        }
        if self.frictionless {
            for row in &mut self.response.rows {
                if let Bound::Disc { friction, .. } = &mut row.bound {
                    *friction = 0.0;
                }
            }
        }
        self.response.is_proximal = self.strand_contacts.len() > 0;
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
        let method = self.input.options.method();
        let slope = self.response.couple(factor, links, loads, method)?;
        let touching: usize = self.contacts.iter().map(Contacts::len).sum();
        let between = self.strand_contacts.len();
        let rows = &self.response.rows[self.response.rows.len() - 3 * (touching + between)..];
        let (mut rows, last) = rows.split_at(3 * touching);
        self.strand_contacts.take_forces(last);
        for contacts in self.contacts.iter_mut() {
            let own;
            (own, rows) = rows.split_at(3 * contacts.len());
            contacts.take_forces(own);
        }
        Some(slope)
    }
}

/// Adds the opposite rows of contacts with a body of the group, so that they act on the body too.
pub(crate) fn push_back(
    contacts: &Contacts,
    swept: &[Swept],
    frame: &BaseFrame,
    links: &[Link],
    rows: &mut [Row],
) {
    for (obstacle, rows) in contacts.obstacles().zip(rows.chunks_exact_mut(3)) {
        let Some((link, _)) = swept[obstacle].body else {
            continue;
        };
        for row in rows {
            if let RowJacobian::Points(point, _) = row.jacobian {
                let place = frame.world(point.place(links)) - links[link].origin;
                let at = links[link].axes.transpose() * place;
                let seen = frame.to_world.rotation.conjugate();
                row.jacobian = RowJacobian::Points(point, Some((LinkPoint { link, at }, seen)));
            }
        }
    }
}

/// A place, velocity and time in the true world, and which fields are asked for.
pub(crate) struct Sample {
    pub x: Vec3,
    pub v: Vec3,
    pub t: f64,
    pub implicit: bool,
}

/// Velocity of the air and acceleration by fields on link `j`.
pub(crate) fn fields_at(
    model: &Model,
    properties: &Properties,
    j: usize,
    sample: &Sample,
) -> (Vec3, Vec3) {
    let (mut air, mut acceleration) = (Vec3::ZERO, Vec3::ZERO);
    let count = properties.links.len();
    for (k, named) in model.fields.iter().enumerate() {
        if named.implicit == sample.implicit {
            let weight = properties
                .field_weights
                .get(k * count + j)
                .copied()
                .unwrap_or(1.0);
            let weight = weight * named.strength.at(sample.t);
            air += named.field.air(sample.x, sample.t) * weight;
            acceleration += named.field.acceleration(sample.x, sample.v, sample.t) * weight;
        }
    }
    (air, acceleration)
}

/// Forces of the implicit fields on every link, and how they change with its place and velocity.
fn sample_fields(
    model: &Model,
    reach: f64,
    properties: &Properties,
    (frame, bdf, t): (&BaseFrame, Bdf, f64),
    link_steps: &[LinkStep],
    links: &[Link],
    sampled: &mut [FieldForce],
) {
    for (j, sampled) in sampled.iter_mut().enumerate() {
        let (body, own) = (&link_steps[j], &properties.links[j]);
        let force = |x: Vec3, v: Vec3| {
            let (x, v) = (frame.world(x), frame.world_direction(v));
            let sample = Sample {
                x,
                v,
                t,
                implicit: true,
            };
            let (air, acceleration) = fields_at(model, properties, j, &sample);
            // interaction's drag feels no wind: only the air's part is taken
            frame.scaled(air) * own.drag + frame.scaled(acceleration) * own.mass
        };
        let x = links[j].centre;
        let v = x * bdf.s - body.velocity_history;
        let (dx, dv) = (1e-5 * reach, 1e-4);
        // along x the velocity changes by s as well: two differences in one
        let column = |axis: Vec3| {
            (force(x + axis * dx, v) - force(x - axis * dx, v)) / (2.0 * dx)
                + (force(x, v + axis * dv) - force(x, v - axis * dv)) * (bdf.s / (2.0 * dv))
        };
        sampled.force = force(x, v);
        sampled.slope = Mat3::from_cols(column(Vec3::X), column(Vec3::Y), column(Vec3::Z));
    }
}
