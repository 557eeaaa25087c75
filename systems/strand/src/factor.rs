//! The linear-time factorisation of one Newton matrix: joints are eliminated from the tips to the
//! root, and solved for from the root to the tips.
//!
//! Small turns `θ` and shifts `p` of a link's origin are in world axes. What a link and all links
//! further out ask for changes by `δ(n; F) = A (θ; p) + …`. Leaf to root:
//!
//! `D = A_θθ + [n] + K`, `A' = A − U D⁻¹ W`, `U = (A_θθ; A_pθ)`, `W = (A_θθ + [n], A_θp)`,
//! then `A'` goes to the parent's origin by the lever `r`, which adds `[F][r]`. The terms
//! `[n]`, `[F][r]` and their like in the bodies are geometric: what is transmitted turns and shifts.

use drystone_base::{Mat3, Vec3};

use crate::chain::{BASE, Chain, FREE};
use crate::implicit::{Live, Load, Problem};
use crate::kinematics::Link;
use crate::rotation::{inverse_body_jacobian, scalar, skew, skew_skew, skew_times, times_skew};

/// Which matrix is factored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The Jacobian of the residual.
    Exact,
    /// A positive definite neighbour: no geometric terms, elasticity made positive. Its step always
    /// goes downhill.
    Positive,
}

/// What is kept of one joint.
#[derive(Clone, Copy, Debug, Default)]
struct Joint {
    /// `D⁻¹`
    inverse: Mat3,
    /// `W`
    row_turn: Mat3,
    row_shift: Mat3,
    /// `U D⁻¹`
    out_turn: Mat3,
    out_shift: Mat3,
    /// From the parent's origin to the pivot, and on to this link's origin.
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

/// A wrench about a link's origin that the link asks for, world axes: a load is the opposite.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wrench {
    pub moment: Vec3,
    pub force: Vec3,
}

/// Turn of a link and shift of its origin, world axes.
pub(crate) type Moved = (Vec3, Vec3);

/// Sums over the links further out.
#[derive(Clone, Copy, Debug)]
struct Sum {
    tt: Mat3,
    tp: Mat3,
    pt: Mat3,
    pp: Mat3,
    asked: Wrench,
}

/// The factor of one strand's step matrix.
#[derive(Clone, Debug, Default)]
pub struct Factor {
    parent: Vec<usize>,
    joints: Vec<Joint>,
    sums: Vec<Sum>,
    /// Whether a sum has begun.
    carries: Vec<bool>,
    /// Residual of each joint, world axes, and of its stretch.
    pub(crate) residual: Vec<Vec3>,
    pub(crate) stretch_residual: Vec<f64>,
    carried: Vec<Wrench>,
    joint_load: Vec<Vec3>,
    reduced: Vec<(Vec3, f64)>,
    /// Solution: turn of each joint in world axes, and change of its stretch.
    pub(crate) turn: Vec<Vec3>,
    pub(crate) slide: Vec<f64>,
    /// Total turn and shift of each link's origin, world axes.
    moved: Vec<Moved>,
    /// Of links that hang from nothing, which come first.
    pub(crate) free: Vec<Free>,
    /// The way out of a motion, and three motions at once; see [`Factor::respond_at`].
    ways: Vec<Way>,
    threes: Vec<Three>,
}

/// How the motion of a link follows from that of its parent, under no load: the link turns by
/// `turn θ − shift p` when the parent turns by `θ` and its origin shifts by `p`.
#[derive(Clone, Copy, Debug)]
struct Way {
    turn: Mat3,
    shift: Mat3,
}

/// Three loads and what they do, column by column.
#[derive(Clone, Copy, Debug)]
struct Three {
    /// What the loads leave for the joint; only of links between the load and the base.
    reduced: Mat3,
    /// Whether it is one of these.
    between: bool,
    turn: Mat3,
    shift: Mat3,
}

/// What is kept of a link with six freedoms.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Free {
    /// Inverse of the matrix of link and all that hangs from it.
    pub inverse: Six,
    /// How many of its pivots are not positive.
    non_positive: usize,
    /// Force that it lacks, beside the moment in `residual`.
    pub residual: Vec3,
    /// What loads and residuals leave for it.
    reduced: Wrench,
}

/// A matrix over turn and shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Six {
    pub tt: Mat3,
    pub tp: Mat3,
    pub pt: Mat3,
    pub pp: Mat3,
}

impl Six {
    const ZERO: Self = Self {
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
    /// Residuals and factor at the present iterate, tips to root.
    pub(crate) fn eliminate(
        &mut self,
        problem: &Problem<'_>,
        rotation: &[drystone_base::Quat],
        stretch: &[f64],
        links: &[Link],
        live: &[Live],
        loads: &[Load],
        kind: Kind,
    ) {
        let Problem {
            chain,
            law,
            bdf,
            bodies,
            springs,
        } = problem;
        let (n, s) = (chain.len(), bdf.s);
        let exact = kind == Kind::Exact;
        self.resize(chain);
        self.carries.fill(false);
        for j in (0..n).rev() {
            let (body, link) = (&bodies[j], &links[j]);
            let mut sum = if self.carries[j] {
                self.sums[j]
            } else {
                Sum::ZERO
            };
            let y = link.axes.y_axis;

            // the link's own inertia, drag and loads, at its centre
            let c = y * body.half;
            let mut f = body.force(s, link.centre);
            let h = body.mass * s * s + s * body.drag;
            if body.drag_less != 0.0 || !live.is_empty() {
                let along = body.drag_axis * (body.drag * body.drag_less * s);
                let mut more = crate::rotation::outer(along, -body.drag_axis);
                if let Some(live) = live.get(j) {
                    f -= live.force;
                    if exact {
                        more -= live.slope;
                    }
                }
                let right = times_skew(&more, c);
                sum.pp += more;
                sum.pt -= right;
                sum.tp += skew_times(c, &more);
                sum.tt -= skew_times(c, &right);
            }
            let mut shift = skew(c) * h;
            sum.tt -= skew_skew(c, c) * h;
            let mut moment = c.cross(f) + body.moment(&link.axes);
            if exact {
                sum.tt += skew_skew(f, c) + body.moment_slope(&link.axes);
            } else {
                let m = body.second_moments;
                for (k, weight) in [(0, m.x), (1, m.y), (2, m.z)] {
                    let u = link.axes.col(k);
                    sum.tt -= skew_skew(u, u) * (weight * s * s);
                }
            }
            // the spring at its tip
            let mut diagonal = h;
            if body.tip_stiffness > 0.0 {
                let (t, k) = (y * (2.0 * body.half), body.tip_stiffness);
                let pull = link.tip * k - body.tip_pull;
                moment += t.cross(pull);
                f += pull;
                shift += skew(t) * k;
                diagonal += k;
                sum.tt -= skew_skew(t, t) * k;
                if exact {
                    sum.tt += skew_skew(pull, t);
                }
            }
            sum.pp += scalar(diagonal);
            sum.tp += shift;
            sum.pt -= shift;
            sum.asked.moment += moment;
            sum.asked.force += f;

            // forces of constraints and contacts
            let (mut joint_torque, mut joint_stiffness) = (Vec3::ZERO, Mat3::ZERO);
            for spring in springs.iter().filter(|spring| spring.link() == j) {
                let (asked, k) = (spring.asked(link, rotation[j]), spring.stiffness);
                if let Some(stiffness) = spring.joint_stiffness() {
                    joint_torque -= asked;
                    joint_stiffness += stiffness;
                } else if let Some(spot) = spring.spot() {
                    let t = link.axes * spot.at;
                    sum.asked.moment += t.cross(asked);
                    sum.asked.force += asked;
                    let shift = skew(t) * k;
                    sum.tp += shift;
                    sum.pt -= shift;
                    sum.pp += scalar(k);
                    sum.tt -= skew_skew(t, t) * k;
                    if exact {
                        sum.tt += skew_skew(asked, t);
                    }
                } else {
                    sum.asked.moment += asked;
                    sum.tt += scalar(k);
                }
            }
            if let Some(load) = loads.get(j).filter(|load| load.acts) {
                let levers = load.levers(&link.axes);
                let (x, y, z) = (levers.x_axis, levers.y_axis, levers.z_axis);
                sum.asked.force -= load.force;
                sum.asked.moment -= Vec3::new(y.z - z.y, z.x - x.z, x.y - y.x) + load.torque;
                if exact {
                    sum.tt -= levers.transpose() - scalar(x.x + y.y + z.z);
                }
                // found where the link is now: the torque itself is nothing yet
                sum.tt += load.rolling;
                if let Some(curving) = load.curving.filter(|_| exact) {
                    sum.tt += curving.tt;
                    sum.tp += curving.tp;
                    sum.pt += curving.pt;
                    sum.pp += curving.pp;
                }
                joint_torque += load.joint;
            }

            // nothing holds it: all six freedoms at once
            if chain.parent[j] == FREE {
                let whole = Six {
                    tt: sum.tt,
                    tp: sum.tp,
                    pt: sum.pt,
                    pp: sum.pp,
                };
                self.residual[j] = sum.asked.moment;
                self.free[j] = Free {
                    inverse: whole.inverse(),
                    non_positive: whole.non_positive_pivots(),
                    residual: sum.asked.force,
                    reduced: Wrench::default(),
                };
                continue;
            }

            // the stretch, then the way from the link's origin to the pivot
            let joint = &mut self.joints[j];
            joint.lever = link.lever;
            joint.stretch = None;
            joint.slide = Vec3::ZERO;
            if let (Some((k, damper)), Some(&e)) = (body.stretch, stretch.get(j)) {
                let force = sum.asked.force;
                let turned = if exact { y.cross(force) } else { Vec3::ZERO };
                let (a_tp, a_pp) = (sum.tp * y, sum.pp * y);
                let row_turn = sum.pt.transpose() * y + turned;
                let row_shift = sum.pp.transpose() * y;
                let inverse = 1.0 / (y.dot(a_pp) + k + s * damper);
                let kept = Stretch {
                    axis: y,
                    inverse,
                    row_turn,
                    row_shift,
                    out_turn: (a_tp + turned) * inverse,
                    out_shift: a_pp * inverse,
                };
                self.stretch_residual[j] =
                    y.dot(force) + k * e + damper * (s * e - body.stretch_history);
                let out = crate::rotation::outer;
                sum.tt -= out(kept.out_turn, row_turn);
                sum.tp -= out(kept.out_turn, row_shift);
                sum.pt -= out(kept.out_shift, row_turn);
                sum.pp -= out(kept.out_shift, row_shift);
                joint.stretch = Some(kept);
                joint.slide = y * e;
                sum.carry_back(joint.slide, exact);
            }

            // the joint
            let n_j = sum.asked.moment;
            let deviation = body.rest_inverse * rotation[j];
            let (elastic, mut k) = law.torque_and_stiffness(&body.stiffness, deviation);
            let (turn, rate) = body.turn_and_rate(s, rotation[j]);
            let torque = elastic + joint_torque - body.damping * rate;
            if !exact {
                k = positive(&k);
            }
            k += Mat3::from_diagonal(body.damping * s)
                * if exact {
                    inverse_body_jacobian(turn)
                } else {
                    Mat3::IDENTITY
                };
            let k = link.axes * (k + joint_stiffness) * link.axes.transpose();
            let around = if exact { sum.tt + skew(n_j) } else { sum.tt };
            let inverse = (around + k).inverse();
            joint.inverse = inverse;
            joint.row_turn = around;
            joint.row_shift = sum.tp;
            joint.out_turn = sum.tt * inverse;
            joint.out_shift = sum.pt * inverse;
            self.residual[j] = n_j - link.axes * torque;
            let i = chain.parent[j];
            if i != BASE {
                sum.tt -= joint.out_turn * around;
                sum.pt -= joint.out_shift * around;
                sum.pp -= joint.out_shift * sum.tp;
                sum.tp -= joint.out_turn * sum.tp;
                sum.carry_back(link.lever, exact);
                if self.carries[i] {
                    self.sums[i].add(&sum);
                } else {
                    self.sums[i] = sum;
                    self.carries[i] = true;
                }
            }
        }
    }

    /// Solves for the Newton step that removes the residuals.
    pub(crate) fn newton_step(&mut self) {
        self.clear_loads();
        self.solve(true);
    }

    /// The same under the loads added besides.
    pub(crate) fn newton_step_under_loads(&mut self) {
        self.solve(true);
    }

    /// How every link moves when `force` [N] and `torque` [N m], world axes, act at `lever` from
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

    /// Shift of the point at `lever` from the origin of `link`, in the last solution [m].
    pub fn shift_at(&self, link: usize, lever: Vec3) -> Vec3 {
        let (turn, shift) = self.moved[link];
        shift + turn.cross(lever)
    }

    /// Turn of `link` in the last solution, world axes [rad].
    pub fn turn_of(&self, link: usize) -> Vec3 {
        self.moved[link].0
    }

    /// Turn of the joint that `link` hangs by in the last solution, world axes [rad].
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
        self.sums.resize(n, Sum::ZERO);
        self.carries.resize(n, false);
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
        let nothing = Free {
            inverse: Six::ZERO,
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

    /// Shift of the origin of `link` in the last solution, world axes [m].
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
        self.ways.clear();
        self.ways.extend(joints.iter().map(|joint| {
            let shift = joint.inverse * joint.row_shift;
            let around = joint.inverse * joint.row_turn;
            Way {
                turn: Mat3::IDENTITY - around + times_skew(&shift, joint.lever),
                shift,
            }
        }));
        let nothing = Three {
            reduced: Mat3::ZERO,
            between: false,
            turn: Mat3::ZERO,
            shift: Mat3::ZERO,
        };
        self.threes.clear();
        self.threes.resize(last + 1, nothing);
        true
    }

    /// Unit forces at `at` along its three directions, one after the other: how all places on links up
    /// to that of the last call of [`Factor::prepare_responses`] move can then be read with
    /// [`Factor::moved_at`]. The same as three calls of [`Factor::respond`], in one sweep.
    pub(crate) fn respond_at(&mut self, at: &Place) {
        let Self {
            parent,
            joints,
            ways,
            threes,
            ..
        } = self;
        for three in threes.iter_mut() {
            three.between = false;
        }
        // in to the base
        let mut moment = -skew_times(at.lever, &at.axes);
        let mut force = -at.axes;
        let mut j = at.link;
        while j != BASE {
            let joint = &joints[j];
            threes[j].reduced = moment;
            threes[j].between = true;
            force -= joint.out_shift * moment;
            moment = moment - joint.out_turn * moment + skew_times(joint.lever, &force);
            j = parent[j];
        }
        // and out again
        for j in 0..threes.len() {
            let (joint, way) = (&joints[j], &ways[j]);
            let (mut turn, mut shift) = (Mat3::ZERO, Mat3::ZERO);
            if parent[j] != BASE {
                let inner = &threes[parent[j]];
                turn = way.turn * inner.turn - way.shift * inner.shift;
                shift = inner.shift - skew_times(joint.lever, &inner.turn);
            }
            let three = &mut threes[j];
            if three.between {
                turn -= joint.inverse * three.reduced;
            }
            (three.turn, three.shift) = (turn, shift);
        }
    }

    /// How far `at` moves along its directions (rows) under the three forces (columns) [m/N].
    pub(crate) fn moved_at(&self, at: &Place) -> Mat3 {
        let three = &self.threes[at.link];
        at.axes.transpose() * (three.shift - skew_times(at.lever, &three.turn))
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

    /// Turn of joint `j`, change of its stretch, and turn and shift of its link, when its parent turns
    /// and shifts as given and `reduced` is left for the joint.
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

    /// How many links there are.
    pub(crate) fn len(&self) -> usize {
        self.parent.len()
    }
}

impl Sum {
    const ZERO: Self = Self {
        tt: Mat3::ZERO,
        tp: Mat3::ZERO,
        pt: Mat3::ZERO,
        pp: Mat3::ZERO,
        asked: Wrench {
            moment: Vec3::ZERO,
            force: Vec3::ZERO,
        },
    };

    /// The same about a point `−r` away, fixed to what is further in.
    #[inline(always)]
    fn carry_back(&mut self, r: Vec3, geometric: bool) {
        // A'' = Xᵀ A' X, X = [1 0; −[r] 1]
        let right = self.pt - times_skew(&self.pp, r);
        self.tt -= times_skew(&self.tp, r);
        self.tt += skew_times(r, &right);
        self.tp += skew_times(r, &self.pp);
        self.pt = right;
        if geometric {
            self.tt += skew_skew(self.asked.force, r);
        }
        self.asked.moment += r.cross(self.asked.force);
    }

    fn add(&mut self, other: &Self) {
        self.tt += other.tt;
        self.tp += other.tp;
        self.pt += other.pt;
        self.pp += other.pp;
        self.asked.moment += other.asked.moment;
        self.asked.force += other.asked.force;
    }
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
