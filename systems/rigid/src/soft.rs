//! Substepped soft contacts: one collision query, many small steps, one sweep of damped springs
//! and one unbiased sweep in each (Macklin 2019; the soft row is Catto's). What most engines do
//! today, and so the peer to compare with.

use drystone_base::{Quat, Vec3, tangents};
use drystone_complementarity::{Contact, Mass, Twist, largest_eigenvalue, onto_disc};

use crate::contacts::detect;
use crate::dynamics::{Part, advance, everything, free_velocity, is_moving};
use crate::options::SoftOptions;
use crate::shock::contact_graph;
use crate::sleep::fall_asleep;
use crate::system::{Report, Workspace};
use crate::turn::is_isotropic;
use crate::{Model, Options, State};

/// One step of `dt` seconds: contacts are found once, then each substep takes forces, warm
/// start, a sweep that pushes out of penetrations, the move, and a sweep that takes the push out
/// of the velocities again. Bounces come last.
pub(crate) fn step(
    state: &mut State,
    model: &Model,
    options: &Options,
    workspace: &mut Workspace,
    dt: f64,
) -> Report {
    let soft = &options.soft;
    let h = dt / f64::from(soft.substeps);

    detect(state, model, options, workspace, dt);
    contact_graph(state, model, options, &mut workspace.graph, f64::INFINITY);
    let whole = everything(state, model);
    let mut report = Report::of(state, &workspace.graph);
    let mut masses = Masses::of(state, model);
    let mut rows = prepare(state, model, &masses.now, &whole, soft, h);

    for _ in 0..soft.substeps {
        apply_forces(state, model, &whole, h);
        warm_start(state, &masses.now, &rows);
        sweep(state, &masses.now, &mut rows, Some(soft.push_speed), h);
        advance(state, model, &whole, h);
        if masses.follow(state, model, &whole) {
            renew(&masses, &mut rows);
        }
        sweep(state, &masses.now, &mut rows, None, h);
    }
    let rest_speed = soft.rest_steps * dt * model.gravity.length();
    bounce(state, &masses.now, &mut rows, rest_speed);

    for row in &rows {
        state.contacts.points[row.point].impulse = row.contact.to_world(row.impulse);
    }
    if options.sleeping {
        fall_asleep(state, model, &workspace.graph, dt);
    }
    report.residual = rows
        .iter()
        .fold(0.0, |worst, row| f64::max(worst, -row.left));
    report.sweeps = 2 * soft.substeps as usize;
    report
}

/// A spring and damper as a constraint row (Catto 2011): frequency `ω` and damping ratio `ζ`
/// become a bias rate and two factors,
///
/// `a1 = 2ζ + hω`, `a2 = hω a1`, `a3 = 1/(1 + a2)`: rate `ω/a1`, mass `a2 a3`, impulse `a3`.
#[derive(Clone, Copy)]
struct Spring {
    rate: f64,
    mass_scale: f64,
    impulse_scale: f64,
}

impl Spring {
    const RIGID: Self = Self {
        rate: 0.0,
        mass_scale: 1.0,
        impulse_scale: 0.0,
    };

    fn new(hertz: f64, damping_ratio: f64, h: f64) -> Self {
        // stiffer than a quarter of the substep rate would be noise
        let omega = std::f64::consts::TAU * hertz.min(0.25 / h);
        let a1 = 2.0 * damping_ratio + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Self {
            rate: omega / a1,
            mass_scale: a2 * a3,
            impulse_scale: a3,
        }
    }
}

/// One contact point over the substeps. Here `a` and `b` of the contact are body indices.
struct Row {
    contact: Contact,
    point: usize,
    spring: Spring,
    /// `1 / A_nn` and `1 / λ_max(A_tt)` \[kg\].
    normal_mass: f64,
    tangent_mass: f64,
    restitution: f64,
    /// Normal velocity at the start of the step \[m/s\].
    arrival: f64,
    /// Impulse of this substep by row, and `largest` the largest normal impulse of all substeps \[N s\].
    impulse: [f64; 3],
    largest: f64,
    /// Normal velocity that the last sweep left where it may not be negative \[m/s\].
    left: f64,
}

/// Turn from which on the inertia of a body is taken anew \[rad\]. A rod 20 times as long as thick
/// that has turned by `θ` since takes up to `200 sin² θ` of an impulse too much.
const TURNED: f64 = 1e-3;

/// Masses of the bodies over the substeps.
struct Masses {
    now: Vec<Mass>,
    /// Rotation at which the inertia was taken.
    at: Vec<Quat>,
    /// Whether it was taken anew by the last [`Masses::follow`].
    turned: Vec<bool>,
}

impl Masses {
    fn of(state: &State, model: &Model) -> Self {
        let mass = |i: usize| match is_moving(state, model, i) {
            true => Mass {
                inverse_mass: model.inverse_mass[i],
                inverse_inertia: state.inverse_inertia(model, i),
            },
            false => Mass::default(),
        };
        Self {
            now: (0..model.len()).map(mass).collect(),
            at: state.rotation.clone(),
            turned: vec![false; model.len()],
        }
    }

    /// Takes the inertia of each body that has turned; says whether there was one.
    fn follow(&mut self, state: &State, model: &Model, whole: &Part) -> bool {
        let mut any = false;
        for &i in &whole.moving {
            let i = i as usize;
            let turn = state.rotation[i] * self.at[i].conjugate();
            let turned = 2.0 * turn.xyz().length() > TURNED;
            self.turned[i] = turned && !is_isotropic(&model.inertia_local[i]);
            if self.turned[i] {
                self.now[i].inverse_inertia = state.inverse_inertia(model, i);
                self.at[i] = state.rotation[i];
                any = true;
            }
        }
        any
    }
}

/// Masses that the rows of turned bodies see. Arms stay: any fixed arm gives impulses that take
/// energy from the velocities measured with it, and on a round shape an arm does not turn along.
fn renew(masses: &Masses, rows: &mut [Row]) {
    for row in rows {
        if masses.turned[row.contact.a] || masses.turned[row.contact.b] {
            (row.normal_mass, row.tangent_mass) = row_masses(&masses.now, &row.contact);
        }
    }
}

/// `1 / A_nn` and `1 / λ_max(A_tt)` of a contact \[kg\].
fn row_masses(masses: &[Mass], c: &Contact) -> (f64, f64) {
    let mobility = |x: Vec3, y: Vec3| {
        [(c.a, c.r_a), (c.b, c.r_b)]
            .iter()
            .fold(0.0, |sum, &(i, r)| {
                let spin = masses[i].inverse_inertia.times(r.cross(y));
                sum + x.dot(y) * masses[i].inverse_mass + r.cross(x).dot(spin)
            })
    };
    let [t1, t2] = c.tangents;
    let (p1, p2, off) = (mobility(t1, t1), mobility(t2, t2), mobility(t1, t2));
    (
        1.0 / mobility(c.normal, c.normal),
        1.0 / largest_eigenvalue(p1, p2, off),
    )
}

fn prepare(
    state: &State,
    model: &Model,
    masses: &[Mass],
    whole: &Part,
    soft: &SoftOptions,
    h: f64,
) -> Vec<Row> {
    let mut rows = Vec::with_capacity(state.contacts.points.len());
    for &k in &whole.patches {
        let patch = &state.contacts.patches[k as usize];
        let (a, b) = (patch.a as usize, patch.b as usize);
        let (t1, t2) = tangents(patch.normal);
        let fixed = !(model.is_dynamic(a) && model.is_dynamic(b));
        let hertz = if fixed {
            soft.hertz * soft.fixed_factor
        } else {
            soft.hertz
        };
        for p in patch.first as usize..(patch.first + patch.count) as usize {
            let point = &state.contacts.points[p];
            let contact = Contact {
                a,
                b,
                normal: patch.normal,
                tangents: [t1, t2],
                r_a: point.position - state.position[a],
                r_b: point.position - state.position[b],
                friction: patch.friction,
            };
            let (normal_mass, tangent_mass) = row_masses(masses, &contact);
            rows.push(Row {
                contact,
                point: p,
                spring: Spring::new(hertz, soft.damping_ratio, h),
                normal_mass,
                tangent_mass,
                restitution: patch.restitution,
                arrival: patch.normal.dot(relative_velocity(state, &contact)),
                impulse: contact.to_rows(point.impulse),
                largest: 0.0,
                left: 0.0,
            });
        }
    }
    rows
}

#[inline]
fn relative_velocity(state: &State, c: &Contact) -> Vec3 {
    state.velocity_at(c.b, c.r_b) - state.velocity_at(c.a, c.r_a)
}

fn apply_forces(state: &mut State, model: &Model, whole: &Part, h: f64) {
    for &i in &whole.moving {
        let Twist { linear, angular } = free_velocity(state, model, i as usize, h);
        state.linear_velocity[i as usize] = linear;
        state.angular_velocity[i as usize] = angular;
    }
}

fn warm_start(state: &mut State, masses: &[Mass], rows: &[Row]) {
    for row in rows {
        push(
            state,
            masses,
            &row.contact,
            row.contact.to_world(row.impulse),
        );
    }
}

/// Gives `p` to `b` and takes it from `a`.
#[inline]
fn push(state: &mut State, masses: &[Mass], c: &Contact, p: Vec3) {
    for (i, r, p) in [(c.a, c.r_a, -p), (c.b, c.r_b, p)] {
        state.linear_velocity[i] += p * masses[i].inverse_mass;
        let spin = masses[i].inverse_inertia.times(r.cross(p));
        state.angular_velocity[i] += spin;
    }
}

/// One sweep over all contacts, normal before friction; with the push out of penetrations, at
/// most `push_speed`, or without.
fn sweep(state: &mut State, masses: &[Mass], rows: &mut [Row], push_speed: Option<f64>, h: f64) {
    for row in rows {
        let c = row.contact;
        let point = &state.contacts.points[row.point];
        let on = |i: usize, anchor: Vec3| state.pose(i).point(anchor);
        let distance = c
            .normal
            .dot(on(c.b, point.anchor_b) - on(c.a, point.anchor_a));
        let (spring, bias) = match push_speed {
            _ if distance > 0.0 => (Spring::RIGID, distance / h),
            Some(most) => (row.spring, (row.spring.rate * distance).max(-most)),
            None => (Spring::RIGID, 0.0),
        };

        // normal: λ ← max(0, λ − m (u_n + bias) − s λ)
        let u_n = c.normal.dot(relative_velocity(state, &c));
        let old = row.impulse;
        let step = spring.mass_scale * row.normal_mass * (u_n + bias);
        let normal = (old[0] - step - spring.impulse_scale * old[0]).max(0.0);
        push(state, masses, &c, c.normal * (normal - old[0]));

        // friction: onto the disc of the newest normal impulse
        let u = relative_velocity(state, &c);
        let [t1, t2] = [0, 1].map(|i| old[i + 1] - row.tangent_mass * c.tangents[i].dot(u));
        let (t1, t2) = onto_disc(t1, t2, c.friction * normal);
        row.impulse = [normal, t1, t2];
        let change = [0.0, row.impulse[1] - old[1], row.impulse[2] - old[2]];
        push(state, masses, &c, c.to_world(change));
        row.largest = row.largest.max(normal);
        row.left = c.normal.dot(relative_velocity(state, &c)) + bias;
    }
}

/// Newton's law for contacts that arrived faster than `rest_speed` and pushed.
fn bounce(state: &mut State, masses: &[Mass], rows: &mut [Row], rest_speed: f64) {
    for row in rows {
        if row.restitution == 0.0 || row.arrival >= -rest_speed || row.largest == 0.0 {
            continue;
        }
        let c = row.contact;
        let u_n = c.normal.dot(relative_velocity(state, &c));
        let wanted = -row.restitution * row.arrival;
        let old = row.impulse[0];
        row.impulse[0] = (old - row.normal_mass * (u_n - wanted)).max(0.0);
        push(state, masses, &c, c.normal * (row.impulse[0] - old));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stiff_spring_is_nearly_a_rigid_row_and_a_slack_one_does_little() {
        let stiff = Spring::new(1e9, 10.0, 1e-3);
        assert!(stiff.mass_scale > 0.97 && stiff.impulse_scale < 0.03); // measured: 0.97, 0.03
        let slack = Spring::new(1e-3, 10.0, 1e-3);
        assert!(slack.mass_scale < 1e-3 && slack.impulse_scale > 0.999);
        assert!((stiff.mass_scale + stiff.impulse_scale - 1.0).abs() < 1e-15);
    }
}
