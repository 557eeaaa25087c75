//! Springs that hold a place, a rotation or a joint at a goal, stiff beside everything else, with the
//! force (the multiplier) that leaves nothing for the spring to do. They belong to one link each,
//! so the factorisation stays linear, and the step's merit function knows them.

use drystone_base::{Mat3, Quat, Vec3};

use crate::constraint::{Goal, Spot};
use crate::kinematics::Link;
use crate::rotation::log;

/// A spring to a goal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spring {
    pub goal: Goal,
    /// [N/m] or [N m]
    pub stiffness: f64,
    /// Multiplier: force [N] or torque [N m], world axes; of a joint, link axes.
    pub force: Vec3,
    /// Index of the constraint it belongs to.
    pub constraint: usize,
}

impl Spring {
    /// The link it acts on.
    pub(crate) fn link(&self) -> usize {
        match self.goal {
            Goal::Place { a, .. } => a.link,
            Goal::Turn { link, .. } | Goal::Joint { link, .. } => link,
        }
    }

    /// How far it is off its goal: world axes, of a joint link axes [m] or [rad].
    pub(crate) fn off(&self, link: &Link, rotation: Quat) -> Vec3 {
        match self.goal {
            Goal::Place { a, target, .. } => link.origin + link.axes * a.at - target,
            Goal::Turn { target, .. } => target * log(target.conjugate() * link.rotation),
            Goal::Joint { axes, target, .. } => {
                log(target.conjugate() * rotation)
                    * Vec3::from_array(axes.map(|on| f64::from(u8::from(on))))
            }
        }
    }

    /// Energy, but for a constant: `½ k |off|² − force·off` [J].
    pub(crate) fn energy(&self, link: &Link, rotation: Quat) -> f64 {
        let off = self.off(link, rotation);
        0.5 * self.stiffness * off.length_squared() - self.force.dot(off)
    }

    /// Force asked of the link, `k off − force`, and the point of it where that acts.
    pub(crate) fn asked(&self, link: &Link, rotation: Quat) -> Vec3 {
        self.off(link, rotation) * self.stiffness - self.force
    }

    /// The point held, if it is one.
    pub(crate) fn spot(&self) -> Option<Spot> {
        match self.goal {
            Goal::Place { a, .. } => Some(a),
            _ => None,
        }
    }

    /// Stiffness of a held joint, in the link's axes.
    pub(crate) fn joint_stiffness(&self) -> Option<Mat3> {
        let Goal::Joint { axes, .. } = self.goal else {
            return None;
        };
        Some(Mat3::from_diagonal(Vec3::from_array(
            axes.map(|on| if on { self.stiffness } else { 0.0 }),
        )))
    }
}
