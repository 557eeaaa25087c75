//! Makes a scene that breaks a law smaller while it still breaks the same law.

use std::time::Instant;

use drystone_world::{Material, Motion, Scene};

use crate::{Breach, Law, Limits, Trial, judge};

/// Most runs spent on one scene.
const MOST_TRIES: usize = 150;
/// Most wall time spent on one scene \[s\].
const MOST_SECONDS: f64 = 20.0;

struct Shrinking {
    trial: Trial,
    breach: Breach,
    /// Allowed value of the law in the scene as it was made \[1\].
    allowed: f64,
    limits: Limits,
    tries: usize,
    started: Instant,
}

/// A smaller scene that breaks the same law as `trial`, and its breach: fewer bodies, a shorter run, less
/// motion, plainer materials. The scene itself if nothing can be left out.
pub fn shrink(trial: &Trial, breach: &Breach, limits: &Limits) -> (Trial, Breach) {
    let mut work = Shrinking {
        trial: trial.clone(),
        breach: breach.clone(),
        allowed: breach.allowed,
        limits: Limits {
            threads: breach.law == Law::Threads,
            ..*limits
        },
        tries: 0,
        started: Instant::now(),
    };
    // these do not depend on what is in the scene in a way that can be tried in time
    if matches!(breach.law, Law::Refused | Law::Time) {
        return (work.trial, work.breach);
    }
    work.shorten();
    work.remove_bodies();
    work.remove_others();
    work.simplify();
    work.shorten();
    (work.trial, work.breach)
}

impl Shrinking {
    /// Takes over `scene` if it breaks the law as well.
    fn attempt(&mut self, scene: Scene) -> bool {
        let too_late = self.started.elapsed().as_secs_f64() > MOST_SECONDS;
        if self.tries >= MOST_TRIES || too_late || scene == self.trial.scene {
            return false;
        }
        self.tries += 1;
        let trial = Trial {
            scene,
            ..self.trial.clone()
        };
        let outcome = judge(&trial, &self.limits);
        // a single body is held to less than the scene it was taken from
        match outcome.breach(self.breach.law) {
            Some(breach) if breach.value > self.allowed => {
                self.breach = breach.clone();
                self.trial = trial;
                true
            }
            _ => false,
        }
    }

    /// Ends the run right after the law is first broken, or else halves it.
    fn shorten(&mut self) {
        let mut scene = self.trial.scene.clone();
        scene.duration = self.breach.time.max(scene.dt);
        if scene.duration < self.trial.scene.duration {
            self.attempt(scene);
        }
        loop {
            let mut scene = self.trial.scene.clone();
            scene.duration *= 0.5;
            if scene.duration < scene.dt || !self.attempt(scene) {
                break;
            }
        }
    }

    /// Leaves out bodies by halves, quarters, and so on, down to one by one.
    fn remove_bodies(&mut self) {
        let (stands, lost) = (self.breach.law == Law::Stands, self.breach.law == Law::Lost);
        let mut chunk = self.trial.scene.bodies.len().div_ceil(2).max(1);
        loop {
            let mut end = self.trial.scene.bodies.len();
            while end > 0 && self.trial.scene.bodies.len() > 1 {
                let from = end.saturating_sub(chunk);
                let mut scene = self.trial.scene.clone();
                let mut index = 0;
                scene.bodies.retain(|body| {
                    let inside = (from..end).contains(&index);
                    index += 1;
                    // without its walls anything leaves a room
                    !inside || (lost && body.motion == Motion::Fixed)
                });
                let went = self.attempt(scene);
                // what stands is laid from below: only the top may go
                if stands && !went {
                    break;
                }
                end = from.min(self.trial.scene.bodies.len());
                if stands {
                    end = self.trial.scene.bodies.len();
                }
            }
            if chunk == 1 {
                break;
            }
            chunk = chunk.div_ceil(2).max(1);
        }
    }

    /// Leaves out strands and cloths one by one.
    fn remove_others(&mut self) {
        for i in (0..self.trial.scene.strands.len()).rev() {
            let mut scene = self.trial.scene.clone();
            scene.strands.remove(i);
            self.attempt(scene);
        }
        for i in (0..self.trial.scene.cloths.len()).rev() {
            let mut scene = self.trial.scene.clone();
            scene.cloths.remove(i);
            self.attempt(scene);
        }
    }

    /// Takes away motion, bounce and friction, and densities that differ.
    fn simplify(&mut self) {
        // what stands does so by friction, and what keeps energy by bounce and without friction
        let law = self.breach.law;
        if law != Law::EnergyKept {
            self.edit_materials(|material| material.restitution = 0.0);
        }
        if law != Law::Stands {
            self.edit_materials(|material| material.friction = 0.0);
        }
        let all: [fn(&mut drystone_world::Body); 3] = [
            |body| body.angular_velocity = [0.0; 3],
            |body| body.velocity = [0.0; 3],
            |body| body.density = None,
        ];
        for edit in all {
            // of all bodies at once, or of as many as can
            let mut scene = self.trial.scene.clone();
            scene.bodies.iter_mut().for_each(edit);
            if self.attempt(scene) {
                continue;
            }
            for i in 0..self.trial.scene.bodies.len() {
                let mut scene = self.trial.scene.clone();
                edit(&mut scene.bodies[i]);
                self.attempt(scene);
            }
        }
    }

    fn edit_materials(&mut self, edit: fn(&mut Material)) {
        let mut scene = self.trial.scene.clone();
        scene.materials.values_mut().for_each(edit);
        self.attempt(scene);
    }
}
