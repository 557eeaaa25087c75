//! All that moves. A `State` clones, serialises and compares whole: snapshot, resume and
//! determinism are one thing.

use drystone_base::{Mat3, Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};

use crate::chain::Chain;
use crate::kinematics::{Link, place, velocities};
use crate::{Account, ContactForce, Error, Key, Model, MotionPath, Reaction, StrandContact};

/// All that moves, strand by strand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// \[s\]
    pub time: f64,
    /// Steps taken.
    pub step: u64,
    /// Whether each constraint is switched on, besides its own times of activity.
    pub constraint_on: Vec<bool>,
    /// Pose of each obstacle.
    pub obstacle_pose: Vec<Pose>,
    /// Where each obstacle is to be at the end of the next step, if not on its path; then cleared.
    pub obstacle_target: Vec<Option<Pose>>,
    /// By index of the strand.
    pub strands: Vec<StrandState>,
    /// Rigid bodies, each as a strand of one link; `base` is where its centre of mass is.
    pub bodies: Vec<StrandState>,
    /// Whether each body moves with the strands; others stay where they are put.
    pub body_free: Vec<bool>,
}

/// One strand: joints, and what the next step needs of the last ones.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StrandState {
    /// Rotation of each link in its parent's frame; written by `Step::accept`.
    pub rotation: Vec<Quat>,
    /// Angular velocity of each link against its parent, in its own frame \[rad/s\]; written by `Step::accept` and
    /// `Step::apply_impacts`.
    pub rate: Vec<Vec3>,
    /// Elongation at each joint \[m\]; empty where nothing stretches.
    pub stretch: Vec<f64>,
    /// \[m/s\]
    pub stretch_rate: Vec<f64>,
    /// Pose of the base in the scaled world (eq. 19).
    pub base: Pose,
    /// Force on each link for the next step, at its centre, world axes; then cleared \[N\].
    pub force: Vec<Vec3>,
    /// Torque on each link for the next step, world axes; then cleared \[N m\].
    pub torque: Vec<Vec3>,
    /// Pushes on each link that change its momentum exactly; empty where there are none and were none. Written by
    /// [`System::push_segment`](crate::System::push_segment).
    #[serde(default)]
    pub pushes: Vec<Push>,
    /// Multipliers of the constraints that were active in the last step, scaled world.
    #[serde(alias = "held")]
    pub multipliers: Vec<Multipliers>,
    /// Contacts at the end of the last step; written by `Step::accept`.
    pub contacts: Vec<ContactForce>,
    /// Contacts with itself and other strands at the end of the last step, those of its links with later ones; written
    /// by `Step::accept`.
    #[serde(default)]
    pub strand_contacts: Vec<StrandContact>,
    /// Impulse of the base over the last step \[N s\], and its angular impulse about the base's origin \[N m s\], world
    /// axes. What carries the base receives the opposite.
    pub base_impulse: [Vec3; 2],
    /// Impulses of obstacles and constraints over the last step; written by `Step::add_reactions`.
    pub reactions: Vec<Reaction>,
    /// Latest keys of a base that is driven ([`System::drive_base`](crate::System)); empty where it
    /// follows the path of the model.
    pub driven: Vec<Key>,
    /// Its part of the account of energy; written by `Step::close_account`.
    #[serde(default)]
    pub account: Account,
    /// Past poses and velocities of each link, in the scaled world; written by `Step::accept`, cleared by `restart`.
    pub(crate) history: Vec<History>,
    /// Lengths of the last two steps \[s\].
    pub(crate) steps: [f64; 2],
    /// Steps since the last start.
    pub(crate) depth: u32,
    /// Number of times that the step is halved at present.
    pub(crate) halvings: u32,
}

/// A push on a link over a step, that changes its momentum by no more and no less than its impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Push {
    /// Force \[N\] and torque about its centre \[N m\] for the next step, world axes; then cleared.
    pub load: [Vec3; 2],
    /// Impulse \[N s\] and angular impulse \[N m s\] over the last implicit step; written by `Step::accept`.
    pub before: [Vec3; 2],
}

/// Multipliers of one constraint over a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Multipliers {
    /// Index of the constraint.
    pub constraint: usize,
    /// By row: force on a point along x, y, z \[N\], then torque about them; of a joint, torque about its driven
    /// axes \[N m\].
    pub force: [f64; 6],
    /// Prescribed rate of its position error at the end of the step \[m/s\].
    pub returning: Vec3,
    /// Largest error of its rows at the end of the step \[m\] or \[rad\].
    pub error: f64,
}

/// Past values of a link for backward differences, the latest first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct History {
    pub centre: [Vec3; 3],
    pub velocity: [Vec3; 2],
    pub axes: [Mat3; 2],
    pub axes_rate: [Mat3; 2],
    /// Turn of the joint over the last step, in the link's frame.
    pub turn: Vec3,
    pub rate_before: Vec3,
    pub stretch_before: f64,
}

impl State {
    /// The start of `model`: every strand as described, moving with its base.
    pub fn new(model: &Model) -> Self {
        let strands = model
            .chains
            .iter()
            .map(|chain| StrandState::new(chain, 0.0))
            .collect();
        Self {
            time: 0.0,
            step: 0,
            constraint_on: vec![true; model.constraints.len()],
            obstacle_pose: model.obstacles.iter().map(|o| o.path.pose(0.0)).collect(),
            obstacle_target: vec![None; model.obstacles.len()],
            strands,
            bodies: model.bodies.iter().map(at_origin).collect(),
            body_free: vec![false; model.bodies.len()],
        }
    }

    /// Whether this is a state of `model`.
    pub fn fits(&self, model: &Model) -> Result<(), Error> {
        let count = |found, wanted| Err(Error::State { found, wanted });
        if self.strands.len() != model.len() {
            let text = |n| format!("{n} strands");
            return count(text(self.strands.len()), text(model.len()));
        }
        if self.constraint_on.len() != model.constraints.len() {
            let text = |n| format!("{n} constraints");
            return count(
                text(self.constraint_on.len()),
                text(model.constraints.len()),
            );
        }
        if self.obstacle_pose.len() != model.obstacles.len() {
            let text = |n| format!("{n} obstacles");
            return count(text(self.obstacle_pose.len()), text(model.obstacles.len()));
        }
        let one = |body: &StrandState| body.history.len() == 1 && body.rotation.len() == 1;
        if self.bodies.len() != model.bodies.len() || !self.bodies.iter().all(one) {
            let text = |n| format!("{n} rigid bodies");
            return count(text(self.bodies.len()), text(model.bodies.len()));
        }
        for (strand, chain) in self.strands.iter().zip(&model.chains) {
            let n = chain.len();
            let lengths = [
                strand.rotation.len(),
                strand.rate.len(),
                strand.history.len(),
                strand.force.len(),
                strand.torque.len(),
            ];
            let stretch = if chain.extensible { n } else { 0 };
            let pushes = [0, n].contains(&strand.pushes.len());
            if lengths.iter().any(|&l| l != n)
                || !pushes
                || strand.stretch.len() != stretch
                || strand.stretch_rate.len() != stretch
            {
                let text = |n| format!("{n} segments in strand `{}`", chain.name);
                return count(text(strand.rotation.len()), text(n));
            }
            if !strand.driven.is_empty() {
                MotionPath::smooth(&strand.driven)?;
            }
        }
        Ok(())
    }
}

/// A body at rest in the origin, until it is put somewhere.
fn at_origin(body: &crate::BodyModel) -> StrandState {
    let motion = crate::BodyMotion {
        pose: Pose::IDENTITY,
        linear_velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
    };
    crate::body::start_body(body, &motion)
}

impl StrandState {
    /// The described state, moving with its base at time `t`.
    pub fn new(chain: &Chain, t: f64) -> Self {
        let n = chain.len();
        let stretch = if chain.extensible {
            vec![0.0; n]
        } else {
            Vec::new()
        };
        let mut state = Self {
            rotation: chain.start_rotation.clone(),
            rate: vec![Vec3::ZERO; n],
            stretch_rate: stretch.clone(),
            stretch,
            base: chain.base.path.pose(t),
            force: vec![Vec3::ZERO; n],
            torque: vec![Vec3::ZERO; n],
            pushes: Vec::new(),
            multipliers: Vec::new(),
            contacts: Vec::new(),
            strand_contacts: Vec::new(),
            base_impulse: [Vec3::ZERO; 2],
            reactions: Vec::new(),
            driven: Vec::new(),
            account: Account::default(),
            history: Vec::new(),
            steps: [0.0; 2],
            depth: 0,
            halvings: 0,
        };
        state.restart(chain, t);
        state
    }

    /// Forgets the past: the next step starts from the present rotations and rates, at first order.
    /// To be called after changing either (an impact, a new pose).
    pub fn restart(&mut self, chain: &Chain, t: f64) {
        let mut links = Vec::new();
        place(chain, &self.rotation, &self.stretch, &self.base, &mut links);
        let (scaled, _) = chain.base.scaled_motion(t);
        let base = (
            self.base.direction(scaled.angular),
            self.base.direction(scaled.linear),
        );
        self.remember(chain, &links, base);
    }

    /// Forgets the past on a base in `base` that turns and moves as given, world axes.
    pub(crate) fn restart_on(&mut self, chain: &Chain, base: Pose, moving: (Vec3, Vec3)) {
        let mut links = Vec::new();
        self.base = base;
        place(chain, &self.rotation, &self.stretch, &base, &mut links);
        self.remember(chain, &links, moving);
    }

    /// Forgets the past, and all motion with it.
    pub(crate) fn come_to_rest(&mut self, chain: &Chain) {
        let mut links = Vec::new();
        place(chain, &self.rotation, &self.stretch, &self.base, &mut links);
        self.rate.fill(Vec3::ZERO);
        self.stretch_rate.fill(0.0);
        self.remember(chain, &links, (Vec3::ZERO, Vec3::ZERO));
    }

    /// Writes a history that consists of the present, with the base turning and moving as given.
    fn remember(&mut self, chain: &Chain, links: &[Link], base: (Vec3, Vec3)) {
        let mut moving = Vec::new();
        velocities(
            chain,
            links,
            &self.rate,
            &self.stretch_rate,
            base,
            &mut moving,
        );
        self.history.clear();
        for (j, (link, (spin, velocity))) in links.iter().zip(&moving).enumerate() {
            let axes = link.axes;
            let turned = |k| spin.cross(axes.col(k));
            self.history.push(History {
                centre: [link.centre; 3],
                velocity: [*velocity + spin.cross(link.centre - link.origin); 2],
                axes: [axes; 2],
                axes_rate: [Mat3::from_cols(turned(0), turned(1), turned(2)); 2],
                turn: Vec3::ZERO,
                rate_before: self.rate[j],
                stretch_before: self.stretch.get(j).copied().unwrap_or(0.0),
            });
        }
        self.depth = 0;
        self.steps = [0.0; 2];
    }

    /// The step for which its pushes were meant is over.
    pub(crate) fn end_pushes(&mut self) {
        let nothing = [Vec3::ZERO; 2];
        if self.pushes.iter().all(|push| push.before == nothing) {
            self.pushes.clear();
        }
        for push in &mut self.pushes {
            push.load = nothing;
        }
    }

    /// Velocity of the centre of mass of `link` in the scaled world \[m/s\].
    pub(crate) fn centre_velocity(&self, link: usize) -> Vec3 {
        self.history[link].velocity[0]
    }
}
