//! `PᵀAP`: how the fields of the aggregates act on each other, through the bodies that they touch
//! or through the blocks of a matrix.

use drystone_base::Vec3;

use super::aggregates::Partition;
use super::envelope::{Envelope, Matrix6, Vector6};
use super::fields::Fields;
use super::{Active, rows};
use crate::problem::{Mass, Problem};
use crate::solvers::About;
use crate::system::MatrixProblem;

pub(crate) struct Coupling<'a> {
    source: Source<'a>,
    /// Lowest aggregate with which each is coupled.
    first: Vec<usize>,
}

enum Source<'a> {
    Bodies(Bodies<'a>),
    Matrix(&'a MatrixProblem),
}

impl<'a> Coupling<'a> {
    /// None if there is neither a factored problem nor a matrix.
    pub(crate) fn new(about: &About<'a>, partition: &Partition) -> Option<Self> {
        let mut first: Vec<usize> = (0..partition.count).collect();
        let source = match (about.factored, about.matrix) {
            (Some(problem), _) => {
                let bodies = Bodies::new(problem, partition);
                for around in bodies.around.iter().filter(|around| !around.is_empty()) {
                    for &g in around {
                        first[g] = first[g].min(around[0]);
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
                        if let Some(h) = partition.members[l as usize].aggregate {
                            first[g] = first[g].min(h);
                        }
                    }
                }
                Source::Matrix(problem)
            }
            (None, None) => return None,
        };
        Some(Self { source, first })
    }

    /// First block column of each block row.
    pub(crate) fn first(&self) -> &[usize] {
        &self.first
    }

    pub(crate) fn assemble(
        &mut self,
        partition: &Partition,
        fields: &Fields,
        active: &[Active],
        matrix: &mut Envelope,
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
    matrix: &mut Envelope,
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

    /// From the wrenches of unit fields on each body.
    fn assemble(
        &mut self,
        partition: &Partition,
        fields: &Fields,
        active: &[Active],
        matrix: &mut Envelope,
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
