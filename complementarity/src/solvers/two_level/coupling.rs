//! `PᵀAP`: how the fields of the aggregates act on each other, through the bodies that they touch
//! or through the blocks of a matrix.

use drystone_base::Vec3;

use super::aggregates::Partition;
use super::fields::Fields;
use super::{Active, rows};
use crate::block_cholesky::Cholesky;
use crate::operator::MatrixProblem;
use crate::problem::{Mass, Problem};
use crate::solvers::Context;

type Vector6 = [f64; 6];
type Matrix6 = [Vector6; 6];

pub(crate) struct Coupling<'a> {
    source: Source<'a>,
    /// Pairs of aggregates that act on each other, ascending.
    edges: Vec<[u32; 2]>,
}

enum Source<'a> {
    Bodies(Bodies<'a>),
    Matrix(&'a MatrixProblem),
}

impl<'a> Coupling<'a> {
    /// `None` without a factored problem or a matrix.
    pub(crate) fn new(context: &Context<'a>, partition: &Partition) -> Option<Self> {
        let mut edges = Vec::new();
        let source = match (context.factored, context.matrix) {
            (Some(problem), _) => {
                let bodies = Bodies::new(problem, partition);
                for around in &bodies.around {
                    for (j, &h) in around.iter().enumerate() {
                        edges.extend(around[j + 1..].iter().map(|&g| [h as u32, g as u32]));
                    }
                }
                Source::Bodies(bodies)
            }
            (None, Some(problem)) => {
                for (k, member) in partition.members.iter().enumerate() {
                    let Some(g) = member.aggregate else {
                        continue;
                    };
                    for &l in problem.matrix.row(k).0 {
                        let other = partition.members[l as usize].aggregate;
                        edges.extend(other.filter(|&h| h < g).map(|h| [h as u32, g as u32]));
                    }
                }
                Source::Matrix(problem)
            }
            (None, None) => return None,
        };
        edges.sort_unstable();
        edges.dedup();
        Some(Self { source, edges })
    }

    /// Finds the pattern of the factor of `count` aggregates; whether it takes at most `most` operations.
    pub(crate) fn analyse(&self, count: usize, matrix: &mut Cholesky, most: f64) -> bool {
        matrix.analyse(count, &self.edges, most).is_some()
    }

    pub(crate) fn assemble(
        &mut self,
        partition: &Partition,
        fields: &Fields,
        active: &[Active],
        matrix: &mut Cholesky,
    ) {
        match &mut self.source {
            Source::Bodies(bodies) => bodies.assemble(partition, fields, active, matrix),
            Source::Matrix(problem) => by_blocks(problem, partition, fields, active, matrix),
        }
    }
}

/// Sums of `P_kᵀ A_kl P_l` over the blocks of the matrix, lower half.
fn by_blocks(
    problem: &MatrixProblem,
    partition: &Partition,
    fields: &Fields,
    active: &[Active],
    matrix: &mut Cholesky,
) {
    for (k, member) in partition.members.iter().enumerate() {
        let Some(g) = member.aggregate else {
            continue;
        };
        let mut left = [[0.0; 6]; 3];
        for i in rows(active[k]) {
            left[i] = fields[k][i];
        }
        let (columns, blocks) = problem.matrix.row(k);
        for (&l, block) in columns.iter().zip(blocks) {
            let l = l as usize;
            let Some(h) = partition.members[l].aggregate.filter(|h| *h <= g) else {
                continue;
            };
            let mut right = [[0.0; 6]; 3];
            for (right, block) in right.iter_mut().zip(block) {
                for j in rows(active[l]) {
                    for (right, field) in right.iter_mut().zip(fields[l][j]) {
                        *right += block[j] * field;
                    }
                }
            }
            matrix.add_product((g, h), &left, &right);
        }
    }
}

struct Bodies<'a> {
    problem: &'a Problem,
    /// Per movable body: the aggregates around it, ascending.
    around: Vec<Vec<usize>>,
    /// Per contact: at which place its aggregate is around its bodies `a` and `b`.
    slots: Vec<[usize; 2]>,
    /// Per body and aggregate around it: force and torque about its centre by unit fields.
    wrench: Vec<Vec<Matrix6>>,
}

impl<'a> Bodies<'a> {
    fn new(problem: &'a Problem, partition: &Partition) -> Self {
        let mut around = vec![Vec::new(); problem.bodies.len()];
        for (c, member) in problem.contacts.iter().zip(&partition.members) {
            for body in [c.a, c.b] {
                if let Some(g) = member.aggregate
                    && !problem.bodies[body].is_fixed()
                {
                    around[body].push(g);
                }
            }
        }
        for around in &mut around {
            around.sort_unstable();
            around.dedup();
        }
        let slot = |body: usize, g: Option<usize>| {
            let found = g.map(|g| around[body].binary_search(&g));
            found.map_or(0, |found| found.unwrap_or(0))
        };
        let contacts = problem.contacts.iter().zip(&partition.members);
        let slots = contacts
            .map(|(c, m)| [slot(c.a, m.aggregate), slot(c.b, m.aggregate)])
            .collect();
        let wrench = around
            .iter()
            .map(|a| vec![[[0.0; 6]; 6]; a.len()])
            .collect();
        Self {
            problem,
            around,
            slots,
            wrench,
        }
    }

    /// Assembles the coarse matrix from the wrenches of unit fields on each body.
    fn assemble(
        &mut self,
        partition: &Partition,
        fields: &Fields,
        active: &[Active],
        matrix: &mut Cholesky,
    ) {
        self.wrench.iter_mut().for_each(|w| w.fill([[0.0; 6]; 6]));
        for (k, c) in self.problem.contacts.iter().enumerate() {
            if partition.members[k].aggregate.is_none() {
                continue;
            }
            let axes = c.axes();
            for (side, body, r, sign) in [(0, c.a, c.r_a, -1.0), (1, c.b, c.r_b, 1.0)] {
                let Some(wrench) = self.wrench[body].get_mut(self.slots[k][side]) else {
                    continue; // fixed
                };
                for i in rows(active[k]) {
                    let (force, torque) = (axes[i] * sign, r.cross(axes[i]) * sign);
                    let unit = [force.x, force.y, force.z, torque.x, torque.y, torque.z];
                    for (row, unit) in wrench.iter_mut().zip(unit) {
                        for (value, field) in row.iter_mut().zip(fields[k][i]) {
                            *value += unit * field;
                        }
                    }
                }
            }
        }
        for (body, mass) in self.problem.bodies.iter().enumerate() {
            let (around, wrench) = (&self.around[body], &self.wrench[body]);
            for (j, (&h, lower)) in around.iter().zip(wrench).enumerate() {
                let given = give(mass, lower);
                for (&g, upper) in around[j..].iter().zip(&wrench[j..]) {
                    matrix.add_product((g, h), upper, &given);
                }
            }
        }
    }
}

/// `M⁻¹ W`.
fn give(mass: &Mass, w: &Matrix6) -> Matrix6 {
    let inertia = mass.inverse_inertia.matrix();
    let mut out = [[0.0; 6]; 6];
    for i in 0..3 {
        out[i] = w[i].map(|x: f64| mass.inverse_mass * x);
    }
    let columns: [Vec3; 6] =
        std::array::from_fn(|j| inertia * Vec3::new(w[3][j], w[4][j], w[5][j]));
    let part = |value: fn(&Vec3) -> f64| -> Vector6 { std::array::from_fn(|j| value(&columns[j])) };
    (out[3], out[4], out[5]) = (part(|v| v.x), part(|v| v.y), part(|v| v.z));
    out
}
