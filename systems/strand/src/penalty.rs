//! Augmented Lagrangian of a constraint on one link: a stiff spring to its target, and the multiplier that
//! leaves nothing for the spring to carry. Each concerns one link, so that elimination stays linear in the
//! number of links, and the merit function of the step has their energy.

use drystone_base::{Mat3, Quat, Vec3};

use crate::constraint::{LinkPoint, StepConstraint};
use crate::kinematics::Link;
use drystone_base::rotation::log;

/// Penalty and multiplier of one equation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Penalty {
    pub equation: StepConstraint,
    /// \[N/m\] or \[N m\]
    pub stiffness: f64,
    /// Multiplier: force \[N\] or torque \[N m\], world axes; of a joint, link axes.
    pub force: Vec3,
    /// Index of the constraint it belongs to.
    pub constraint: usize,
}

impl Penalty {
    /// The link it acts on.
    pub(crate) fn link(&self) -> usize {
        match self.equation {
            StepConstraint::Place { a, .. } => a.link,
            StepConstraint::Turn { link, .. } | StepConstraint::Joint { link, .. } => link,
        }
    }

    /// Error of the constraint in world axes, or of a joint in link axes \[m\] or \[rad\].
    pub(crate) fn off(&self, link: &Link, rotation: Quat) -> Vec3 {
        match self.equation {
            StepConstraint::Place { a, target, .. } => link.origin + link.axes * a.at - target,
            StepConstraint::Turn { target, .. } => target * log(target.conjugate() * link.rotation),
            StepConstraint::Joint { axes, target, .. } => {
                log(target.conjugate() * rotation)
                    * Vec3::from_array(axes.map(|on| f64::from(u8::from(on))))
            }
        }
    }

    /// Energy up to a constant: `½ k |off|² − force·off` \[J\].
    pub(crate) fn energy(&self, link: &Link, rotation: Quat) -> f64 {
        let off = self.off(link, rotation);
        0.5 * self.stiffness * off.length_squared() - self.force.dot(off)
    }

    /// Force required of the link, `k off − force` \[N\], \[N m\].
    pub(crate) fn required(&self, link: &Link, rotation: Quat) -> Vec3 {
        self.off(link, rotation) * self.stiffness - self.force
    }

    /// The point that is held, of a constraint on a point.
    pub(crate) fn point(&self) -> Option<LinkPoint> {
        match self.equation {
            StepConstraint::Place { a, .. } => Some(a),
            _ => None,
        }
    }

    /// Stiffness of a held joint, in the link's axes.
    pub(crate) fn joint_stiffness(&self) -> Option<Mat3> {
        let StepConstraint::Joint { axes, .. } = self.equation else {
            return None;
        };
        Some(Mat3::from_diagonal(Vec3::from_array(
            axes.map(|on| if on { self.stiffness } else { 0.0 }),
        )))
    }
}
