//! Forces of constraints and contacts, found with the step's own factor (Hadap 2006, eq. 11-14).
//!
//! A row is a direction in which a constraint holds or a contact separates. Unit loads on the rows give the
//! columns of `K = N H⁻¹ Nᵀ` in linear time each; `K f + g` is then how far every row is off at
//! the end of the step under forces `f`. Where there are many contacts the matrix is not formed
//! (`chain_sweep`). Forces are found anew in every Newton iteration, together
//! with the step that they lead to: at the end both hold.

use drystone_base::{Mat3, Quat, Vec3};
use drystone_complementarity::solvers::{Bound, SorLcp};

use crate::active_set::ActiveSet;
use crate::chain_sweep::{ChainSweep, Sweeps};
use crate::constraint::{LinkPoint, StepConstraint};
use crate::factor::{Factor, Matrix6, Place};
use crate::implicit::Load;
use crate::kinematics::Link;
use drystone_base::rotation::{log, outer, skew_times, times_skew};

/// Compliance of bilateral rows, as a part of the largest response among the rows of one constraint: where
/// constraints contradict each other, forces stay bounded and the error is shared.
const COMPLIANCE: f64 = 1e-6;

/// Compliance that acts on the change of the force, so that rows end with no error.
const EXACT_COMPLIANCE: f64 = 1e-8;

/// The degrees of freedom that a row acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowJacobian {
    /// A point, or the difference of two; the rotation leads from the scaled world of the second to that
    /// of the first.
    Points(LinkPoint, Option<(LinkPoint, Quat)>),
    /// The rotation of a link, or of one against another; likewise.
    Turn(usize, Option<(usize, Quat)>),
    /// The joint a link hangs by.
    Joint(usize),
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub jacobian: RowJacobian,
    /// Direction of the row, scaled world.
    pub direction: Vec3,
    /// Error at the present iterate \[m\] or \[rad\]; of a contact, the gap.
    pub gap: f64,
    /// Multiplier at the present iterate \[N\] or \[N m\].
    pub force: f64,
    pub bound: Bound,
    /// Curvature of the surface where a contact pushes.
    pub surface: Option<Surface>,
    /// Of a contact between two round segments: its places in the frames of the links, from their centrelines. A segment
    /// that turns about itself rolls through them.
    pub beside: Option<[Vec3; 2]>,
    /// Rows of one constraint have one number, and share their compliance.
    pub group: usize,
}

/// How a contact changes as its segment moves over a surface, scaled world.
///
/// When the place of contact shifts by `δx` and the segment turns by `θ`, the normal changes by
/// `across δx − z (b·θ)`, `b = y × n`, and the contact moves along the segment by `−z·δx − ρ b·θ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surface {
    pub normal: Vec3,
    /// Curvature as the place sees it \[1/m\].
    pub across: Mat3,
    /// Direction `y` of the segment, `z`, and `b`; zero where a tip touches.
    pub along: Vec3,
    pub sliding: Vec3,
    pub axis: Vec3,
    /// Displacement per rotation by rolling on the surface, `ρ` \[m/rad\].
    pub rolling: f64,
}

impl Surface {
    /// Stiffness about the link's origin of a contact force `f` along `a` at the lever `l`.
    fn stiffness(&self, a: Vec3, f: f64, l: Vec3) -> Matrix6 {
        let is_normal = a == self.normal;
        // tangents turn with the normal
        let (m, z) = if is_normal {
            (self.across, self.sliding)
        } else {
            let m = -outer(self.normal, self.across * a);
            (m, self.normal * -self.sliding.dot(a))
        };
        let c = self.along.cross(a) * f;
        let (xx, xt) = (m * -f, outer(z * f, self.axis));
        let (tx, mut tt) = (outer(c, self.sliding), Mat3::ZERO);
        if !is_normal {
            tt = outer(c * self.rolling, self.axis);
        }
        let right = xt - times_skew(&xx, l);
        Matrix6 {
            tt: tt + skew_times(l, &right) - times_skew(&tx, l),
            tp: skew_times(l, &xx) + tx,
            pt: right,
            pp: xx,
        }
    }
}

/// All rows of one group in one step, and scratch of their solution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Response {
    pub rows: Vec<Row>,
    /// Multipliers with which bilateral rows start the step; written by `set_constraints`.
    pub start: Vec<f64>,
    matrix: Vec<f64>,
    off: Vec<f64>,
    force: Vec<f64>,
    b: Vec<f64>,
    bilateral_rows: Vec<usize>,
    free: Vec<usize>,
    system: Vec<f64>,
    schur: Vec<f64>,
    rest: Vec<f64>,
    found: Vec<f64>,
    bounds: Vec<Bound>,
    places: Vec<Place>,
    active: ActiveSet,
    chain: ChainSweep,
    /// Whether the regularisation acts on the change of a contact's force, so that what sticks does not creep.
    pub is_proximal: bool,
    /// Whether bilateral rows end with no error: only where bodies can give way in every direction.
    exact: bool,
}

/// Method that finds the forces of contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    pub sweeps: u32,
    /// Most contacts for which the matrix is formed.
    pub dense_contacts: u32,
}

/// Regularisation of the diagonal, as a part of its largest value \[1\].
const REGULARISATION: f64 = 1e-5;
/// Change of a force that no longer matters, as a part of the largest \[1\].
const TOLERANCE: f64 = 1e-9;

/// Rows of a constraint at the present iterate.
pub(crate) fn rows_of(
    equation: &StepConstraint,
    links: &[Link],
    rotation: &[Quat],
    group: usize,
    rows: &mut Vec<Row>,
) {
    let mut push = |jacobian, direction, gap| {
        rows.push(Row {
            jacobian,
            direction,
            gap,
            force: 0.0,
            bound: Bound::Bilateral,
            surface: None,
            beside: None,
            group,
        });
    };
    match *equation {
        StepConstraint::Place { a, b, target } => {
            let there = b.map_or(Vec3::ZERO, |(b, seen)| seen.point(b.place(links)));
            let apart = a.place(links) - there - target;
            let b = b.map(|(b, seen)| (b, seen.rotation));
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                push(RowJacobian::Points(a, b), axis, axis.dot(apart));
            }
        }
        StepConstraint::Turn {
            link,
            against,
            target,
        } => {
            let frame = against.map_or(Quat::IDENTITY, |(b, seen)| seen * links[b].rotation);
            let wanted = frame * target;
            let turn = wanted * log(wanted.conjugate() * links[link].rotation);
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                push(RowJacobian::Turn(link, against), axis, axis.dot(turn));
            }
        }
        StepConstraint::Joint { link, axes, target } => {
            let turn = log(target.conjugate() * rotation[link]);
            for k in 0..3 {
                if axes[k] {
                    push(RowJacobian::Joint(link), links[link].axes.col(k), turn[k]);
                }
            }
        }
    }
}

impl Row {
    /// Puts a load of this size on the row.
    pub(crate) fn load(&self, factor: &mut Factor, links: &[Link], size: f64) {
        let d = self.direction * size;
        match self.jacobian {
            RowJacobian::Points(a, b) => {
                factor.add_load(a.link, a.lever(links), d, Vec3::ZERO);
                if let Some((b, seen)) = b {
                    let back = seen.conjugate() * -d;
                    factor.add_load(b.link, b.lever(links), back, Vec3::ZERO);
                }
            }
            RowJacobian::Turn(link, against) => {
                factor.add_load(link, Vec3::ZERO, Vec3::ZERO, d);
                if let Some((other, seen)) = against {
                    factor.add_load(other, Vec3::ZERO, Vec3::ZERO, seen.conjugate() * -d);
                }
            }
            RowJacobian::Joint(link) => factor.add_joint_load(link, d),
        }
    }

    /// Motion of the row in the factor's last solution.
    pub(crate) fn moved(&self, factor: &Factor, links: &[Link]) -> f64 {
        let v = match self.jacobian {
            RowJacobian::Points(a, b) => {
                let there = b.map_or(Vec3::ZERO, |(b, seen)| {
                    seen * factor.shift_at(b.link, b.lever(links))
                });
                factor.shift_at(a.link, a.lever(links)) - there
            }
            RowJacobian::Turn(link, against) => {
                let there = against.map_or(Vec3::ZERO, |(b, seen)| seen * factor.turn_of(b));
                factor.turn_of(link) - there
            }
            RowJacobian::Joint(link) => factor.joint_turn(link),
        };
        self.direction.dot(v)
    }

    /// Adds the row's force to the loads of the links.
    fn apply(&self, links: &[Link], loads: &mut [Load]) {
        let d = self.direction * self.force;
        let mut at = |point: LinkPoint, beside: Option<Vec3>, force: Vec3| {
            let load = &mut loads[point.link];
            load.acts = true;
            load.force += force;
            load.points += outer(force, point.at - beside.unwrap_or(Vec3::ZERO));
            if let Some(beside) = beside {
                load.torque += (links[point.link].axes * beside).cross(force);
            }
        };
        let beside = |end: usize| self.beside.map(|both| both[end]);
        match self.jacobian {
            RowJacobian::Points(a, b) => {
                at(a, beside(0), d);
                if let Some((b, seen)) = b {
                    at(b, beside(1), seen.conjugate() * -d);
                }
                if let Some(surface) = self.surface.filter(|_| self.force != 0.0) {
                    let load = &mut loads[a.link];
                    if self.direction == surface.normal {
                        let size = surface.rolling * self.force;
                        load.rolling += outer(surface.axis * size, surface.axis);
                    }
                    let more = surface.stiffness(self.direction, self.force, a.lever(links));
                    let sum = load.stiffness.get_or_insert(Matrix6::ZERO);
                    sum.add(&more);
                }
            }
            RowJacobian::Turn(link, against) => {
                loads[link].acts = true;
                loads[link].torque += d;
                if let Some((other, seen)) = against {
                    loads[other].acts = true;
                    loads[other].torque -= seen.conjugate() * d;
                }
            }
            RowJacobian::Joint(link) => {
                loads[link].acts = true;
                loads[link].joint += links[link].axes.transpose() * d;
            }
        }
    }
}

impl Response {
    /// Finds the forces under which the Newton step in `factor` brings every bilateral row to its target
    /// and keeps every contact apart, puts them into `loads`, and that step into `factor`. Returns
    /// the change of the merit function's slope along the step; none, if there are no such forces.
    pub(crate) fn couple(
        &mut self,
        factor: &mut Factor,
        links: &[Link],
        loads: &mut [Load],
        how: Method,
    ) -> Option<f64> {
        // where the step leads under the forces of now
        self.off.clear();
        self.force.clear();
        for row in &self.rows {
            self.off.push(row.gap + row.moved(factor, links));
            self.force.push(row.force);
        }
        if !self.find_forces(factor, links, how) {
            factor.newton_step();
            return None;
        }
        factor.clear_loads();
        for (row, force) in self.rows.iter().zip(&self.force) {
            row.load(factor, links, force - row.force);
        }
        factor.newton_step_under_loads();
        let mut slope = 0.0;
        for (row, force) in self.rows.iter_mut().zip(&self.force) {
            slope -= (force - row.force) * row.moved(factor, links);
            row.force = *force;
        }
        self.apply(links, loads);
        Some(slope)
    }

    /// Impulses that bring every row's speed, its `gap` \[m/s\], to zero or above; the change of the
    /// joints' rates is then the factor's solution. Impulses are in units of the step matrix.
    pub(crate) fn strike(&mut self, factor: &mut Factor, links: &[Link], how: Method) {
        self.off.clear();
        self.force.clear();
        for row in &mut self.rows {
            row.force = 0.0;
            self.off.push(row.gap);
            self.force.push(0.0);
        }
        if !self.find_forces(factor, links, how) {
            self.force.fill(0.0);
        }
        factor.clear_loads();
        for (row, impulse) in self.rows.iter_mut().zip(&self.force) {
            row.load(factor, links, *impulse);
            row.force = *impulse;
        }
        factor.respond_to_loads();
    }

    /// Multipliers of all rows, from the guess in `force`, under which their error is `off`. Returns false where the
    /// matrix is not positive: sweeps then diverge to forces that would move rows by far more than their error.
    fn find_forces(&mut self, factor: &mut Factor, links: &[Link], how: Method) -> bool {
        let contacts = self.rows.len() / 3;
        let many = contacts > how.dense_contacts as usize;
        if many && !factor.is_free() && ChainSweep::fits(&self.rows) {
            let settings = Sweeps {
                regularisation: REGULARISATION,
                sweeps: how.sweeps,
                tolerance: TOLERANCE,
            };
            let Self {
                rows,
                off,
                force,
                chain,
                ..
            } = self;
            let (moved, off) = chain.solve(rows, factor, links, force, off, settings);
            return moved <= 1e4 * off;
        }
        let m = self.rows.len();
        self.exact = factor.is_free();
        self.form_matrix(factor, links);
        self.b.clear();
        for i in 0..m {
            let row = &self.matrix[i * m..(i + 1) * m];
            let pushed: f64 = row.iter().zip(&self.force).map(|(k, f)| k * f).sum();
            self.b.push(pushed - self.off[i]);
        }
        if self.rows.iter().any(|row| row.bound == Bound::Bilateral) {
            self.eliminate_bilateral(how.sweeps);
        } else {
            self.solve_contacts(how.sweeps);
        }
        let off = self.b.iter().fold(0.0f64, |most, b| most.max(b.abs()));
        let mut moved = (0..m).map(|i| (self.matrix[i * m + i] * self.force[i]).abs());
        let bilateral_rows = |row: &Row| row.bound == Bound::Bilateral;
        self.rows.iter().all(bilateral_rows) || moved.all(|far| far <= 1e4 * off)
    }

    /// Contacts alone: from and to `force`.
    fn solve_contacts(&mut self, sweeps: u32) {
        let Self {
            rows,
            matrix,
            b,
            bounds,
            force,
            active,
            is_proximal,
            ..
        } = self;
        bounds.clear();
        bounds.extend(rows.iter().map(|row| row.bound));
        if *is_proximal {
            about_now(matrix, b, force);
        }
        active.solve(matrix, b, force, bounds, settings(sweeps));
    }

    /// The forces of all rows as loads of the links.
    pub(crate) fn apply(&self, links: &[Link], loads: &mut [Load]) {
        for (load, link) in loads.iter_mut().zip(links) {
            if load.acts {
                *load = Load::ZERO;
            }
            (load.rotation, load.origin) = (link.rotation, link.origin);
        }
        for row in &self.rows {
            row.apply(links, loads);
        }
    }

    /// Compliance of the strand along a constraint: the largest response to a unit load on its rows.
    pub(crate) fn compliance(
        &mut self,
        equation: &StepConstraint,
        factor: &mut Factor,
        links: &[Link],
        rotation: &[Quat],
    ) -> f64 {
        self.rows.clear();
        rows_of(equation, links, rotation, 0, &mut self.rows);
        let mut most = 0.0f64;
        for row in &self.rows {
            factor.clear_loads();
            row.load(factor, links, 1.0);
            factor.respond_to_loads();
            most = most.max(row.moved(factor, links));
        }
        self.rows.clear();
        most
    }

    /// Rows of all bilateral constraints at the present iterate; their forces are kept, rows of contacts go.
    pub(crate) fn measure(
        &mut self,
        bilateral: &[(usize, StepConstraint)],
        links: &[Link],
        rotation: &[Quat],
    ) {
        self.force.clear();
        self.force.extend(self.rows.iter().map(|row| row.force));
        self.rows.clear();
        for (group, (_, equation)) in bilateral.iter().enumerate() {
            rows_of(equation, links, rotation, group, &mut self.rows);
        }
        for (row, force) in self.rows.iter_mut().zip(&self.force) {
            row.force = *force;
        }
    }

    fn form_matrix(&mut self, factor: &mut Factor, links: &[Link]) {
        let m = self.rows.len();
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        if self.form_matrix_of_contacts(factor, links) {
            return;
        }
        for k in 0..m {
            factor.clear_loads();
            self.rows[k].load(factor, links, 1.0);
            factor.respond_to_loads();
            for i in 0..m {
                self.matrix[i * m + k] = self.rows[i].moved(factor, links);
            }
        }
    }

    /// The same where all rows are of contacts, three columns at a time; returns whether they are.
    fn form_matrix_of_contacts(&mut self, factor: &mut Factor, links: &[Link]) -> bool {
        if !ChainSweep::fits(&self.rows) {
            return false;
        }
        let Self {
            rows,
            matrix,
            places,
            ..
        } = self;
        places.clear();
        let mut last = 0;
        for three in rows.chunks_exact(3) {
            if let RowJacobian::Points(point, _) = three[0].jacobian {
                let [x, y, z] = [0, 1, 2].map(|k| three[k].direction);
                last = last.max(point.link);
                places.push(Place {
                    link: point.link,
                    lever: point.lever(links),
                    axes: Mat3::from_cols(x, y, z),
                });
            }
        }
        let m = rows.len();
        if 3 * places.len() != m || !factor.prepare_responses(last) {
            return false;
        }
        for (c, at) in places.iter().enumerate() {
            factor.respond_at(at);
            for (r, there) in places.iter().enumerate() {
                let block = factor.moved_at(there);
                for k in 0..3 {
                    let column = block.col(k);
                    for i in 0..3 {
                        matrix[(3 * r + i) * m + 3 * c + k] = column[i];
                    }
                }
            }
        }
        true
    }

    /// Bilateral rows by elimination, contacts by over-relaxation on the Schur complement; from and to `force`.
    fn eliminate_bilateral(&mut self, sweeps: u32) {
        let Self {
            rows,
            matrix,
            b,
            bilateral_rows,
            free,
            system,
            schur,
            rest,
            found,
            bounds,
            force,
            active,
            exact,
            is_proximal,
            ..
        } = self;
        bilateral_rows.clear();
        free.clear();
        for (i, row) in rows.iter().enumerate() {
            if row.bound == Bound::Bilateral {
                bilateral_rows.push(i);
            } else {
                free.push(i);
            }
        }
        // rows of constraints (h) and of contacts (c)
        let (m, h, c) = (rows.len(), bilateral_rows.len(), free.len());
        let k = |i: usize, j: usize| matrix[i * m + j];
        // (K_hh + ε) [ X | y ] = [ K_hc | b_h ]
        let width = h + c + 1;
        system.clear();
        system.resize(h * width, 0.0);
        for (r, &i) in bilateral_rows.iter().enumerate() {
            for (s, &j) in bilateral_rows.iter().enumerate() {
                system[r * width + s] = k(i, j);
            }
            let softest = bilateral_rows
                .iter()
                .filter(|&&j| rows[j].group == rows[i].group);
            let largest = softest.fold(0.0f64, |most, &j| most.max(k(j, j)));
            let soft = largest * if *exact { EXACT_COMPLIANCE } else { COMPLIANCE };
            system[r * width + r] += soft;
            for (s, &j) in free.iter().enumerate() {
                system[r * width + h + s] = k(i, j);
            }
            system[r * width + h + c] = b[i];
            if *exact {
                // soft about the force of now: at the end it is not off at all
                system[r * width + h + c] += soft * force[i];
            }
        }
        gauss(system, h, width);
        let x = |r: usize, s: usize| system[r * width + h + s];
        // K_cc − K_ch X, b_c − K_ch y
        schur.clear();
        rest.clear();
        for &i in free.iter() {
            let less = |q: usize| -> f64 {
                let bilateral_rows = bilateral_rows.iter().enumerate();
                bilateral_rows.map(|(r, &l)| k(i, l) * x(r, q)).sum()
            };
            for (q, &j) in free.iter().enumerate() {
                schur.push(k(i, j) - less(q));
            }
            rest.push(b[i] - less(c));
        }
        found.clear();
        bounds.clear();
        for &i in free.iter() {
            found.push(force[i]);
            bounds.push(match rows[i].bound {
                Bound::Disc { normal, friction } => Bound::Disc {
                    normal: free.binary_search(&normal).unwrap_or(0),
                    friction,
                },
                bound => bound,
            });
        }
        if *is_proximal {
            about_now(schur, rest, found);
        }
        active.solve(schur, rest, found, bounds, settings(sweeps));
        for (p, &i) in free.iter().enumerate() {
            force[i] = found[p];
        }
        for (r, &i) in bilateral_rows.iter().enumerate() {
            let less: f64 = (0..c).map(|s| x(r, s) * found[s]).sum();
            force[i] = x(r, c) - less;
        }
    }
}

/// Lets the regularisation act on the change of the forces from those of now: at the end of Newton's iteration there is
/// none, and the equations hold as they are.
fn about_now(matrix: &[f64], b: &mut [f64], force: &[f64]) {
    let n = b.len();
    let largest = (0..n).fold(0.0f64, |most, i| most.max(matrix[i * n + i]));
    for (b, f) in b.iter_mut().zip(force) {
        *b += REGULARISATION * largest * f;
    }
}

/// Settings of the sweeps over contacts.
fn settings(sweeps: u32) -> SorLcp {
    SorLcp {
        relaxation: 1.0,
        regularisation: REGULARISATION,
        sweeps,
        tolerance: TOLERANCE,
    }
}

/// Gauss elimination with row exchange on `n` rows of `width`; the columns beyond `n` become the
/// solutions. A pivot of nothing leaves its unknown at zero.
pub(crate) fn gauss(system: &mut [f64], n: usize, width: usize) {
    for p in 0..n {
        let size = |r: usize| system[r * width + p].abs();
        let best = (p..n)
            .max_by(|&a, &b| size(a).total_cmp(&size(b)))
            .unwrap_or(p);
        let (above, below) = system.split_at_mut((p + 1) * width);
        let row = &mut above[p * width..];
        if best != p {
            let other = (best - p - 1) * width;
            row.swap_with_slice(&mut below[other..other + width]);
        }
        let pivot = row[p];
        let inverse = if pivot == 0.0 || !pivot.is_finite() {
            0.0
        } else {
            1.0 / pivot
        };
        for x in &mut row[p..] {
            *x *= inverse;
        }
        for other in below.chunks_exact_mut(width) {
            let factor = other[p];
            if factor != 0.0 {
                for (x, y) in other[p..].iter_mut().zip(&row[p..]) {
                    *x -= factor * y;
                }
            }
        }
    }
    // and back: only what is asked for
    for p in (1..n).rev() {
        let (above, below) = system.split_at_mut(p * width);
        let row = &below[n..width];
        for other in above.chunks_exact_mut(width) {
            let factor = other[p];
            for (x, y) in other[n..].iter_mut().zip(row) {
                *x -= factor * y;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elimination_solves_a_system_that_needs_row_exchange() {
        let mut system = [0.0, 2.0, 1.0, 4.0, 1.0, 1.0, 1.0, 6.0, 2.0, 0.0, -1.0, -1.0];
        gauss(&mut system, 3, 4);
        let x = [system[3], system[7], system[11]];
        // 2y + z = 4, x + y + z = 6, 2x − z = −1
        assert!((2.0 * x[1] + x[2] - 4.0).abs() < 1e-14, "{x:?}");
        assert!((x[0] + x[1] + x[2] - 6.0).abs() < 1e-14, "{x:?}");
        assert!((2.0 * x[0] - x[2] + 1.0).abs() < 1e-14, "{x:?}");
    }
}
