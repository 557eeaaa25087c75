//! The linear-time factorisation of one Newton matrix: joints are eliminated from the tips to the
//! root, and solved for from the root to the tips.
//!
//! A link's small turn `θ` and the shift `p` of its origin are in world axes. The wrench `(n; F)` that a link
//! and all links further out require changes by `δ(n; F) = A (θ; p) + …`. Leaf to root:
//!
//! `D = A_θθ + [n] + K`, `A' = A − U D⁻¹ W`, `U = (A_θθ; A_pθ)`, `W = (A_θθ + [n], A_θp)`,
//! then `A'` goes to the parent's origin by the lever `r`, which adds `[F][r]`. The terms
//! `[n]`, `[F][r]` and their like in the links are geometric: a transmitted wrench changes as links move.
//! Blocks of a matrix are named `tt, tp, pt, pp` after turn and shift.

use drystone_base::{Mat3, Symmetric3, Vec3};

use crate::body::principal_axes;
use crate::chain::{BASE, Chain, FREE};
use crate::implicit::{FieldForce, Load, Problem};
use crate::kinematics::Link;
use drystone_base::rotation::{
    inverse_body_jacobian, scalar, skew, skew_skew, skew_times, times_skew,
};

/// The matrix that is factored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// The Jacobian of the residual.
    Exact,
    /// A positive definite neighbour: no geometric terms, elasticity made positive. Its step always
    /// goes downhill.
    Positive,
    /// The positive definite one, and symmetric, with the tension of links: a taut strand resists what
    /// would turn it. How an impulse is answered over so many steps \[1\].
    Taut(f64),
}

/// One eliminated joint; written by `eliminate`.
#[derive(Clone, Copy, Debug, Default)]
struct Joint {
    /// `D⁻¹`
    inverse: Mat3,
    /// Rows `W` of the rotation.
    row_turn: Mat3,
    row_shift: Mat3,
    /// `U D⁻¹`
    out_turn: Mat3,
    out_shift: Mat3,
    /// Vector from the parent's origin to the pivot, and on to this link's origin.
    lever: Vec3,
    slide: Vec3,
    /// Eliminated stretch.
    stretch: Option<Stretch>,
}

/// The eliminated stretch of a link along `axis`.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    axis: Vec3,
    inverse: f64,
    row_turn: Vec3,
    row_shift: Vec3,
    out_turn: Vec3,
    out_shift: Vec3,
}

/// A wrench that a link requires, about its origin, world axes; a load counts negative.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wrench {
    pub moment: Vec3,
    pub force: Vec3,
}

/// Turn of a link and shift of its origin, world axes.
pub(crate) type Moved = (Vec3, Vec3);

/// Reduced Hessian `A` of a link about its origin, all joints further out eliminated, and the wrench `(n; F)`
/// that link and those further out require.
#[derive(Clone, Copy, Debug)]
struct ReducedHessian {
    tt: Mat3,
    tp: Mat3,
    pt: Mat3,
    pp: Mat3,
    required: Wrench,
    /// Of [`Kind::Taut`]: sum of the geometric terms `[F][l]` of the link \[N m\].
    geometric: Mat3,
}

/// The factor of one strand's step matrix.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    parent: Vec<usize>,
    joints: Vec<Joint>,
    /// Sums over the children of each link, and whether any child was added; written by `eliminate`.
    hessians: Vec<ReducedHessian>,
    begun: Vec<bool>,
    /// Residual of each joint, world axes, and of its stretch; written by `eliminate`.
    pub(crate) residual: Vec<Vec3>,
    pub(crate) stretch_residual: Vec<f64>,
    /// Right-hand side, on each link and in each joint; written by `add_load`, `add_joint_load`, summed by `solve`.
    carried: Vec<Wrench>,
    joint_load: Vec<Vec3>,
    /// Right-hand side of each joint and stretch after elimination; written by `solve`.
    reduced: Vec<(Vec3, f64)>,
    /// Solution: turn of each joint in world axes, and change of its stretch; written by `solve`.
    pub(crate) turn: Vec<Vec3>,
    pub(crate) slide: Vec<f64>,
    /// Solution: turn of each link and shift of its origin, world axes; written by `solve`.
    moved: Vec<Moved>,
    /// Links that hang from nothing, which come first; written by `eliminate`.
    pub(crate) free: Vec<FreeLink>,
    /// Written by `prepare_responses` and [`Factor::respond_at`].
    propagators: Vec<Propagator>,
    columns: Vec<ResponseColumns>,
}

/// Propagator of a motion from parent to link, without loads: the link turns by `turn θ − shift p` when the
/// parent turns by `θ` and its origin shifts by `p`.
#[derive(Clone, Copy, Debug)]
struct Propagator {
    turn: Mat3,
    shift: Mat3,
}

/// Response of a link to three unit loads, one in each column.
#[derive(Clone, Copy, Debug)]
struct ResponseColumns {
    /// Right-hand side of the joint after elimination; only of links between the load and the base.
    reduced: Mat3,
    /// Whether the link is between the load and the base.
    between: bool,
    turn: Mat3,
    shift: Mat3,
}

/// An eliminated link with six degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FreeLink {
    /// Inverse of the matrix of link and all that hangs from it.
    pub inverse: Matrix6,
    /// Number of its pivots that are not positive.
    non_positive: usize,
    /// Force residual, beside the moment residual in [`Factor::residual`].
    pub residual: Vec3,
    /// Right-hand side after elimination of all that hangs from it; written by `solve`.
    reduced: Wrench,
}

/// A matrix over turn and shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix6 {
    pub tt: Mat3,
    pub tp: Mat3,
    pub pt: Mat3,
    pub pp: Mat3,
}

impl Matrix6 {
    /// Adds `other`.
    pub(crate) fn add(&mut self, other: &Self) {
        self.tt += other.tt;
        self.tp += other.tp;
        self.pt += other.pt;
        self.pp += other.pp;
    }

    pub(crate) const ZERO: Self = Self {
        tt: Mat3::ZERO,
        tp: Mat3::ZERO,
        pt: Mat3::ZERO,
        pp: Mat3::ZERO,
    };

    fn get(&self, i: usize, j: usize) -> f64 {
        let block = match (i / 3, j / 3) {
            (0, 0) => &self.tt,
            (0, _) => &self.tp,
            (_, 0) => &self.pt,
            _ => &self.pp,
        };
        block.col(j % 3)[i % 3]
    }

    fn set(&mut self, i: usize, j: usize, value: f64) {
        let block = match (i / 3, j / 3) {
            (0, 0) => &mut self.tt,
            (0, _) => &mut self.tp,
            (_, 0) => &mut self.pt,
            _ => &mut self.pp,
        };
        block.col_mut(j % 3)[i % 3] = value;
    }

    /// The inverse, by elimination with pivots, of the matrix scaled to a unit diagonal.
    fn inverse(&self) -> Self {
        let scale: [f64; 6] = std::array::from_fn(|i| {
            let d = self.get(i, i).abs();
            if d > 0.0 { 1.0 / d.sqrt() } else { 1.0 }
        });
        let mut a = [[0.0; 12]; 6];
        for (i, row) in a.iter_mut().enumerate() {
            for j in 0..6 {
                row[j] = self.get(i, j) * scale[i] * scale[j];
            }
            row[6 + i] = 1.0;
        }
        for k in 0..6 {
            let mut pivot = k;
            for i in k + 1..6 {
                if a[i][k].abs() > a[pivot][k].abs() {
                    pivot = i;
                }
            }
            a.swap(k, pivot);
            let inverse = 1.0 / a[k][k];
            for value in &mut a[k] {
                *value *= inverse;
            }
            let row = a[k];
            for (i, other) in a.iter_mut().enumerate() {
                let factor = other[k];
                if i != k && factor != 0.0 {
                    for (value, own) in other.iter_mut().zip(&row) {
                        *value -= factor * own;
                    }
                }
            }
        }
        let mut inverse = Self::ZERO;
        for i in 0..6 {
            for j in 0..6 {
                inverse.set(i, j, a[i][6 + j] * scale[i] * scale[j]);
            }
        }
        inverse
    }

    /// Pivots of the symmetric part that are not positive.
    fn non_positive_pivots(&self) -> usize {
        let mut a = [[0.0; 6]; 6];
        for (i, row) in a.iter_mut().enumerate() {
            for (j, value) in row.iter_mut().enumerate() {
                *value = 0.5 * (self.get(i, j) + self.get(j, i));
            }
        }
        let mut count = 0;
        for k in 0..6 {
            let pivot = a[k][k];
            count += usize::from(pivot <= 0.0 || pivot.is_nan());
            if pivot == 0.0 {
                continue;
            }
            for i in k + 1..6 {
                let factor = a[i][k] / pivot;
                for j in k..6 {
                    let less = factor * a[k][j];
                    a[i][j] -= less;
                }
            }
        }
        count
    }

    /// Turn and shift under a wrench.
    fn times(&self, w: &Wrench) -> Moved {
        (
            self.tt * w.moment + self.tp * w.force,
            self.pt * w.moment + self.pp * w.force,
        )
    }
}

/// A place on a link, by its lever from the link's origin, and three directions there, world axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub link: usize,
    pub lever: Vec3,
    pub axes: Mat3,
}

impl Factor {
    /// Residuals and factor of the step matrix at the present iterate, joint by joint from the tips to the
    /// root; the symbols are those at the head of this file.
    pub(crate) fn eliminate(
        &mut self,
        problem: &Problem<'_>,
        rotation: &[drystone_base::Quat],
        stretch: &[f64],
        links: &[Link],
        sampled: &[FieldForce],
        loads: &[Load],
        kind: Kind,
    ) {
        let Problem {
            chain,
            law,
            bdf,
            link_steps,
            penalties,
        } = problem;
        let (n, s) = (chain.len(), bdf.s);
        let exact = kind == Kind::Exact;
        // over n steps damping counts n times as much as inertia, and stiffness n² times
        let (taut, steps) = match kind {
            Kind::Taut(steps) => (true, steps),
            _ => (false, 1.0),
        };
        let square = steps * steps;
        self.resize(chain);
        self.begun.fill(false);
        for j in (0..n).rev() {
            // A and (n; F) of the children, already about this link's origin
            let (step, link) = (&link_steps[j], &links[j]);
            let mut hessian = if self.begun[j] {
                self.hessians[j]
            } else {
                ReducedHessian::ZERO
            };
            let y = link.axes.y_axis;

            // inertia and drag at the centre c: force f, and h = m s² + d s on the diagonal of A_pp
            let c = y * step.half;
            let mut f = step.force(s, link.centre);
            if taut {
                hessian.geometric += skew_skew(f, c);
            }
            let h = step.mass * s * s + s * step.drag * steps;
            // anisotropic drag and implicit fields: δf = M (p + θ × c)
            if step.drag_less != 0.0 || !sampled.is_empty() {
                let along = step.drag_axis * (step.drag * step.drag_less * s * steps);
                let mut more = drystone_base::rotation::outer(along, -step.drag_axis);
                if let Some(sampled) = sampled.get(j) {
                    f -= sampled.force;
                    if exact {
                        more -= sampled.slope;
                    }
                }
                let right = times_skew(&more, c);
                hessian.pp += more;
                hessian.pt -= right;
                hessian.tp += skew_times(c, &more);
                hessian.tt -= skew_times(c, &right);
            }
            // h at the lever c: A_θp += h [c], A_θθ −= h [c][c]; moment c × f + Σ J_k u_k × A_{R,k}
            let mut shift = skew(c) * h;
            hessian.tt -= skew_skew(c, c) * h;
            let mut moment = c.cross(f) + step.moment(&link.axes);
            // geometric: [f][c] and −Σ J_k [h_k][u_k]; positive: the inertia −s² Σ J_k [u_k][u_k] alone
            if exact {
                hessian.tt += skew_skew(f, c) + step.moment_slope(&link.axes);
            } else {
                let m = step.second_moments;
                for (k, weight) in [(0, m.x), (1, m.y), (2, m.z)] {
                    let u = link.axes.col(k);
                    hessian.tt -= skew_skew(u, u) * (weight * s * s);
                }
            }
            // spring and damper of the pose at the tip t (posable dynamics, §6.5): as f and h above, at lever t
            let mut diagonal = h;
            if step.tip_stiffness > 0.0 {
                let (t, k) = (y * (2.0 * step.half), step.tip_stiffness * square);
                let pull = link.tip * step.tip_stiffness - step.tip_pull;
                moment += t.cross(pull);
                f += pull;
                shift += skew(t) * k;
                diagonal += k;
                hessian.tt -= skew_skew(t, t) * k;
                if exact {
                    hessian.tt += skew_skew(pull, t);
                }
            }
            hessian.pp += scalar(diagonal);
            hessian.tp += shift;
            hessian.pt -= shift;
            hessian.required.moment += moment;
            hessian.required.force += f;

            // penalties of constraints: required force k off − λ, stiffness k at the lever of the point
            let (mut joint_torque, mut joint_stiffness) = (Vec3::ZERO, Mat3::ZERO);
            for penalty in penalties.iter().filter(|penalty| penalty.link() == j) {
                let (required, k) = (penalty.required(link, rotation[j]), penalty.stiffness);
                if let Some(stiffness) = penalty.joint_stiffness() {
                    joint_torque -= required;
                    joint_stiffness += stiffness;
                } else if let Some(point) = penalty.point() {
                    let t = link.axes * point.at;
                    hessian.required.moment += t.cross(required);
                    hessian.required.force += required;
                    let shift = skew(t) * k;
                    hessian.tp += shift;
                    hessian.pt -= shift;
                    hessian.pp += scalar(k);
                    hessian.tt -= skew_skew(t, t) * k;
                    if exact {
                        hessian.tt += skew_skew(required, t);
                    }
                } else {
                    hessian.required.moment += required;
                    hessian.tt += scalar(k);
                }
            }
            // multipliers of rows: force, Σ l × f and torque; geometric: how Σ l × f turns with the link
            if let Some(load) = loads.get(j).filter(|load| load.acts) {
                let levers = load.levers(&link.axes);
                let (x, y, z) = (levers.x_axis, levers.y_axis, levers.z_axis);
                hessian.required.force -= load.force;
                hessian.required.moment -= Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x) + load.torque;
                if exact {
                    hessian.tt -= levers.transpose() - scalar(x.x + y.y + z.z);
                }
                // contacts that roll along the segment, and over a curved surface
                if taut {
                    hessian.geometric -= levers.transpose() - scalar(x.x + y.y + z.z);
                } else {
                    hessian.tt += load.rolling;
                }
                if let Some(more) = load.stiffness.filter(|_| exact) {
                    hessian.tt += more.tt;
                    hessian.tp += more.tp;
                    hessian.pt += more.pt;
                    hessian.pp += more.pp;
                }
                joint_torque += load.joint;
            }

            // tension: the positive part of all [F][l]
            if taut {
                hessian.tt += positive_part(&hessian.geometric) * square;
            }

            // a rigid body: all six degrees of freedom at once, residual (n; F)
            if chain.parent[j] == FREE {
                let whole = Matrix6 {
                    tt: hessian.tt,
                    tp: hessian.tp,
                    pt: hessian.pt,
                    pp: hessian.pp,
                };
                self.residual[j] = hessian.required.moment;
                self.free[j] = FreeLink {
                    inverse: whole.inverse(),
                    non_positive: whole.non_positive_pivots(),
                    residual: hessian.required.force,
                    reduced: Wrench::default(),
                };
                continue;
            }

            // the stretch e along y: d = y·A_pp y + k + s c, A −= (A y) d⁻¹ (yᵀ A), residual y·F + k e + c ė;
            // then A and (n; F) go from the link's origin to the pivot
            let joint = &mut self.joints[j];
            joint.lever = link.lever;
            joint.stretch = None;
            joint.slide = Vec3::ZERO;
            if let (Some((k, damper)), Some(&e)) = (step.stretch, stretch.get(j)) {
                let force = hessian.required.force;
                let turned = if exact { y.cross(force) } else { Vec3::ZERO };
                let (a_tp, a_pp) = (hessian.tp * y, hessian.pp * y);
                let row_turn = hessian.pt.transpose() * y + turned;
                let row_shift = hessian.pp.transpose() * y;
                let inverse = 1.0 / (y.dot(a_pp) + k * square + s * damper * steps);
                let kept = Stretch {
                    axis: y,
                    inverse,
                    row_turn,
                    row_shift,
                    out_turn: (a_tp + turned) * inverse,
                    out_shift: a_pp * inverse,
                };
                self.stretch_residual[j] =
                    y.dot(force) + k * e + damper * (s * e - step.stretch_history);
                let out = drystone_base::rotation::outer;
                hessian.tt -= out(kept.out_turn, row_turn);
                hessian.tp -= out(kept.out_turn, row_shift);
                hessian.pt -= out(kept.out_shift, row_turn);
                hessian.pp -= out(kept.out_shift, row_shift);
                joint.stretch = Some(kept);
                joint.slide = y * e;
                hessian.carry_back(joint.slide, exact);
            }

            // the joint: residual r = n − Q, Q = Q_elastic + Q_constraint − C w (eq. 18)
            let n_j = hessian.required.moment;
            let deviation = step.rest_inverse * rotation[j];
            let (elastic, mut k) = law.torque_and_stiffness(&step.stiffness, deviation);
            let (turn, rate) = step.turn_and_rate(s, rotation[j]);
            let torque = elastic + joint_torque - step.damping * rate;
            // K = −∂Q/∂φ + s C, in the link's axes and then in the world's
            if !exact {
                k = positive(&k);
            }
            if taut {
                k *= square;
            }
            k += Mat3::from_diagonal(step.damping * (s * steps))
                * if exact {
                    inverse_body_jacobian(turn)
                } else {
                    Mat3::IDENTITY
                };
            let k = link.axes * (k + joint_stiffness) * link.axes.transpose();
            // D = A_θθ + [n] + K, W = (A_θθ + [n], A_θp), U D⁻¹ with U = (A_θθ; A_pθ)
            let around = if exact {
                hessian.tt + skew(n_j)
            } else {
                hessian.tt
            };
            let inverse = (around + k).inverse();
            joint.inverse = inverse;
            joint.row_turn = around;
            joint.row_shift = hessian.tp;
            joint.out_turn = hessian.tt * inverse;
            joint.out_shift = hessian.pt * inverse;
            self.residual[j] = n_j - link.axes * torque;
            // A' = A − U D⁻¹ W to the parent's origin
            let i = chain.parent[j];
            if i != BASE {
                hessian.tt -= joint.out_turn * around;
                hessian.pt -= joint.out_shift * around;
                hessian.pp -= joint.out_shift * hessian.tp;
                hessian.tp -= joint.out_turn * hessian.tp;
                if taut {
                    hessian.geometric = skew_skew(hessian.required.force, link.lever);
                }
                hessian.carry_back(link.lever, exact);
                if self.begun[i] {
                    self.hessians[i].add(&hessian);
                } else {
                    self.hessians[i] = hessian;
                    self.begun[i] = true;
                }
            }
        }
    }

    /// Solves for the Newton step that removes the residuals.
    pub(crate) fn newton_step(&mut self) {
        self.clear_loads();
        self.solve(true);
    }

    /// As [`Self::newton_step`], under the loads that were added besides.
    pub(crate) fn newton_step_under_loads(&mut self) {
        self.solve(true);
    }

    /// How every link moves when `force` \[N\] and `torque` \[N m\], world axes, act at `lever` from
    /// the origin of `link`: the step's end pose changes by this, to first order. Columns of
    /// `J H⁻¹ Jᵀ`; read them with [`Factor::shift_at`] and [`Factor::turn_of`].
    pub fn respond(&mut self, link: usize, lever: Vec3, force: Vec3, torque: Vec3) {
        self.clear_loads();
        self.add_load(link, lever, force, torque);
        self.respond_to_loads();
    }

    /// Forgets all loads.
    pub fn clear_loads(&mut self) {
        self.carried.fill(Wrench::default());
        self.joint_load.fill(Vec3::ZERO);
    }

    /// Adds a torque of the joint that `link` hangs by, on it and against its parent, world axes.
    pub fn add_joint_load(&mut self, link: usize, torque: Vec3) {
        self.joint_load[link] -= torque;
    }

    /// Adds a load for [`Factor::respond_to_loads`].
    pub fn add_load(&mut self, link: usize, lever: Vec3, force: Vec3, torque: Vec3) {
        let load = &mut self.carried[link];
        load.moment -= lever.cross(force) + torque;
        load.force -= force;
    }

    /// Solves for the motion under all loads added: one sweep back and one forth.
    pub fn respond_to_loads(&mut self) {
        self.solve(false);
    }

    /// Shift of the point at `lever` from the origin of `link`, in the last solution \[m\].
    pub fn shift_at(&self, link: usize, lever: Vec3) -> Vec3 {
        let (turn, shift) = self.moved[link];
        shift + turn.cross(lever)
    }

    /// Turn of `link` in the last solution, world axes \[rad\].
    pub fn turn_of(&self, link: usize) -> Vec3 {
        self.moved[link].0
    }

    /// Turn of the joint that `link` hangs by in the last solution, world axes \[rad\].
    pub fn joint_turn(&self, link: usize) -> Vec3 {
        self.turn[link]
    }

    /// Stretches and joint directions in which the matrix is not positive: of an equilibrium,
    /// those along which it is unstable.
    pub fn non_positive_pivots(&self) -> usize {
        let mut count = 0;
        for (joint, parent) in self.joints.iter().zip(&self.parent) {
            if *parent == FREE {
                continue;
            }
            count += joint
                .stretch
                .is_some_and(|e| e.inverse <= 0.0 || e.inverse.is_nan())
                as usize;
            count += 3 - positive_eigenvalues(&joint.inverse);
        }
        let free = self.free.iter().map(|free| free.non_positive);
        count + free.sum::<usize>()
    }

    fn resize(&mut self, chain: &Chain) {
        let n = chain.len();
        self.parent.clone_from(&chain.parent);
        self.joints.resize(n, Joint::default());
        self.hessians.resize(n, ReducedHessian::ZERO);
        self.begun.resize(n, false);
        self.residual.resize(n, Vec3::ZERO);
        self.stretch_residual.resize(n, 0.0);
        self.stretch_residual.fill(0.0);
        self.carried.resize(n, Wrench::default());
        self.joint_load.resize(n, Vec3::ZERO);
        self.reduced.resize(n, (Vec3::ZERO, 0.0));
        self.turn.resize(n, Vec3::ZERO);
        self.slide.resize(n, 0.0);
        self.moved.resize(n, (Vec3::ZERO, Vec3::ZERO));
        let free = chain.parent.iter().take_while(|&&i| i == FREE).count();
        let nothing = FreeLink {
            inverse: Matrix6::ZERO,
            non_positive: 0,
            residual: Vec3::ZERO,
            reduced: Wrench::default(),
        };
        self.free.resize(free, nothing);
    }

    /// Whether some links hang from nothing.
    pub(crate) fn is_free(&self) -> bool {
        !self.free.is_empty()
    }

    /// Shift of the origin of `link` in the last solution, world axes \[m\].
    pub(crate) fn shift_of(&self, link: usize) -> Vec3 {
        self.moved[link].1
    }

    /// One sweep to the root with the loads in `carried` (and the residuals, if asked for), one
    /// back to the tips.
    fn solve(&mut self, residuals: bool) {
        let n = self.joints.len();
        for j in (0..n).rev() {
            if self.parent[j] == FREE {
                let (mut reduced, free) = (self.carried[j], &mut self.free[j]);
                if residuals {
                    reduced.moment += self.residual[j];
                    reduced.force += free.residual;
                }
                free.reduced = reduced;
                continue;
            }
            let own = if residuals {
                (
                    self.residual[j] + self.joint_load[j],
                    self.stretch_residual[j],
                )
            } else {
                (self.joint_load[j], 0.0)
            };
            let (reduced, p) = self.carry_in(j, self.carried[j], own);
            self.reduced[j] = reduced;
            let i = self.parent[j];
            if i != BASE {
                let carried = &mut self.carried[i];
                carried.moment += p.moment;
                carried.force += p.force;
            }
        }
        for j in 0..n {
            if let Some(free) = self.free.get(j) {
                let (turn, shift) = free.inverse.times(&free.reduced);
                self.turn[j] = -turn;
                self.slide[j] = 0.0;
                self.moved[j] = (-turn, -shift);
                continue;
            }
            let parent = match self.parent[j] {
                BASE => (Vec3::ZERO, Vec3::ZERO),
                i => self.moved[i],
            };
            let (psi, slide, moved) = self.carry_out(j, self.reduced[j], parent);
            self.turn[j] = psi;
            self.slide[j] = slide;
            self.moved[j] = moved;
        }
    }

    /// Prepares [`Factor::respond_at`] for places on links up to `last`; not where links stretch.
    pub(crate) fn prepare_responses(&mut self, last: usize) -> bool {
        let joints = &self.joints[..=last];
        if self.is_free() || joints.iter().any(|joint| joint.stretch.is_some()) {
            return false;
        }
        self.propagators.clear();
        self.propagators.extend(joints.iter().map(|joint| {
            let shift = joint.inverse * joint.row_shift;
            let around = joint.inverse * joint.row_turn;
            Propagator {
                turn: Mat3::IDENTITY - around + times_skew(&shift, joint.lever),
                shift,
            }
        }));
        let nothing = ResponseColumns {
            reduced: Mat3::ZERO,
            between: false,
            turn: Mat3::ZERO,
            shift: Mat3::ZERO,
        };
        self.columns.clear();
        self.columns.resize(last + 1, nothing);
        true
    }

    /// Unit forces at `at` along its three directions, one after the other: how all places on links up
    /// to that of the last call of [`Factor::prepare_responses`] move can then be read with
    /// [`Factor::moved_at`]. The same as three calls of [`Factor::respond`], in one sweep.
    pub(crate) fn respond_at(&mut self, at: &Place) {
        let Self {
            parent,
            joints,
            propagators,
            columns,
            ..
        } = self;
        for column in columns.iter_mut() {
            column.between = false;
        }
        // in to the base
        let mut moment = -skew_times(at.lever, &at.axes);
        let mut force = -at.axes;
        let mut j = at.link;
        while j != BASE {
            let joint = &joints[j];
            columns[j].reduced = moment;
            columns[j].between = true;
            force -= joint.out_shift * moment;
            moment = moment - joint.out_turn * moment + skew_times(joint.lever, &force);
            j = parent[j];
        }
        // and out again
        for j in 0..columns.len() {
            let (joint, propagator) = (&joints[j], &propagators[j]);
            let (mut turn, mut shift) = (Mat3::ZERO, Mat3::ZERO);
            if parent[j] != BASE {
                let inner = &columns[parent[j]];
                turn = propagator.turn * inner.turn - propagator.shift * inner.shift;
                shift = inner.shift - skew_times(joint.lever, &inner.turn);
            }
            let column = &mut columns[j];
            if column.between {
                turn -= joint.inverse * column.reduced;
            }
            (column.turn, column.shift) = (turn, shift);
        }
    }

    /// Displacement of `at` along its directions (rows) under the three unit forces (columns) \[m/N\].
    pub(crate) fn moved_at(&self, at: &Place) -> Mat3 {
        let column = &self.columns[at.link];
        at.axes.transpose() * (column.shift - skew_times(at.lever, &column.turn))
    }

    /// Eliminates joint `j` under the wrench `p` about its link's origin: what is left for the joint
    /// (with `own` of the joint itself), and the wrench about the parent's origin.
    #[inline(always)]
    pub(crate) fn carry_in(
        &self,
        j: usize,
        mut p: Wrench,
        own: (Vec3, f64),
    ) -> ((Vec3, f64), Wrench) {
        let joint = &self.joints[j];
        let mut slide = 0.0;
        if let Some(e) = &joint.stretch {
            slide = own.1 + e.axis.dot(p.force);
            p.moment -= e.out_turn * slide;
            p.force -= e.out_shift * slide;
            p.moment += joint.slide.cross(p.force);
        }
        let sum = own.0 + p.moment;
        p.moment -= joint.out_turn * sum;
        p.force -= joint.out_shift * sum;
        p.moment += joint.lever.cross(p.force);
        ((sum, slide), p)
    }

    /// Rotation of joint `j`, change of its stretch, and rotation and shift of its link, when its parent turns
    /// and shifts as given and `reduced` is the joint's right-hand side.
    #[inline(always)]
    pub(crate) fn carry_out(
        &self,
        j: usize,
        (sum, slide): (Vec3, f64),
        (turn, shift): Moved,
    ) -> (Vec3, f64, Moved) {
        let joint = &self.joints[j];
        let mut shift = shift + turn.cross(joint.lever);
        let psi = -(joint.inverse * (sum + joint.row_turn * turn + joint.row_shift * shift));
        let turn = turn + psi;
        let mut change = 0.0;
        if let Some(e) = &joint.stretch {
            shift += turn.cross(joint.slide);
            change = -e.inverse * (slide + e.row_turn.dot(turn) + e.row_shift.dot(shift));
            shift += e.axis * change;
        }
        (psi, change, (turn, shift))
    }

    /// The parent of `link`, or [`BASE`].
    pub(crate) fn parent(&self, link: usize) -> usize {
        self.parent[link]
    }

    /// Number of links.
    pub(crate) fn len(&self) -> usize {
        self.parent.len()
    }
}

impl ReducedHessian {
    const ZERO: Self = Self {
        tt: Mat3::ZERO,
        tp: Mat3::ZERO,
        pt: Mat3::ZERO,
        pp: Mat3::ZERO,
        required: Wrench {
            moment: Vec3::ZERO,
            force: Vec3::ZERO,
        },
        geometric: Mat3::ZERO,
    };

    /// The inertia about a point `−r` away, fixed to the inner body.
    #[inline(always)]
    fn carry_back(&mut self, r: Vec3, geometric: bool) {
        // A'' = Xᵀ A' X, X = [1 0; −[r] 1]
        let right = self.pt - times_skew(&self.pp, r);
        self.tt -= times_skew(&self.tp, r);
        self.tt += skew_times(r, &right);
        self.tp += skew_times(r, &self.pp);
        self.pt = right;
        if geometric {
            self.tt += skew_skew(self.required.force, r);
        }
        self.required.moment += r.cross(self.required.force);
    }

    fn add(&mut self, other: &Self) {
        self.tt += other.tt;
        self.tp += other.tp;
        self.pt += other.pt;
        self.pp += other.pp;
        self.required.moment += other.required.moment;
        self.required.force += other.required.force;
        self.geometric += other.geometric;
    }
}

/// Of the symmetric part of `m`, what has positive eigenvalues.
fn positive_part(m: &Mat3) -> Mat3 {
    let (a, b) = (m.transpose() + *m, 0.5);
    let symmetric = Symmetric3 {
        xx: a.x_axis.x * b,
        yy: a.y_axis.y * b,
        zz: a.z_axis.z * b,
        xy: a.x_axis.y * b,
        xz: a.x_axis.z * b,
        yz: a.y_axis.z * b,
    };
    let (values, axes) = principal_axes(&symmetric);
    axes * Mat3::from_diagonal(values.max(Vec3::ZERO)) * axes.transpose()
}

/// Symmetric part of `m`, lifted until it is positive definite.
fn positive(m: &Mat3) -> Mat3 {
    let m = (*m + m.transpose()) * 0.5;
    let largest = m
        .x_axis
        .abs()
        .max(m.y_axis.abs())
        .max(m.z_axis.abs())
        .max_element();
    // Gershgorin's bound on the least eigenvalue
    let radius = |row: Vec3, k: usize| row[k] - (row.abs().element_sum() - row[k].abs());
    let least = radius(m.x_axis, 0)
        .min(radius(m.y_axis, 1))
        .min(radius(m.z_axis, 2));
    let floor = 1e-3 * largest;
    if least >= floor {
        m
    } else {
        m + scalar(floor - least)
    }
}

/// How many eigenvalues of the symmetric part of `m` are positive: all roots of the characteristic
/// polynomial are real, so Descartes' rule of signs counts exactly.
fn positive_eigenvalues(m: &Mat3) -> usize {
    let m = (*m + m.transpose()) * 0.5;
    let (x, y, z) = (m.x_axis, m.y_axis, m.z_axis);
    let trace = x.x + y.y + z.z;
    let minors = x.x * y.y - x.y * x.y + (y.y * z.z - y.z * y.z) + (z.z * x.x - x.z * x.z);
    let signs = [1.0, -trace, minors, -m.determinant()];
    let (mut changes, mut last) = (0, signs[0]);
    for sign in signs.into_iter().skip(1).filter(|c| *c != 0.0) {
        changes += usize::from(last * sign < 0.0);
        last = sign;
    }
    changes
}

#[cfg(test)]
mod tests;
