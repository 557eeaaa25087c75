//! What a run does when a page commands it.

use drystone_base::Vec3;

use super::{Identity, Stage, lock};
use crate::command::Command;
use crate::drag::Drag;
use crate::session::Session;
use crate::source::Complaint;

impl Stage {
    pub(super) fn obey(&mut self, client: u64, command: Command) {
        let result = self.try_to_obey(client, command);
        if let Err(complaint) = result {
            self.refusals += 1;
            self.refused = Some(complaint);
        }
    }

    fn try_to_obey(&mut self, client: u64, command: Command) -> Result<(), Complaint> {
        match command {
            // time
            Command::Play {} => {
                if self.recorded() && self.shown_time.is_none() {
                    self.shown_time = Some(self.first());
                }
                self.beyond |= self.shown_time.is_none() && self.over();
                self.playing = true;
                self.goto = None;
                self.anchor = None;
            }
            Command::Pause {} => {
                self.playing = false;
                self.goto = None;
            }
            Command::Step { count } => self.step(i64::from(count)),
            Command::Restart {} => {
                let source = &self.source;
                let mut sessions = self.sessions.iter_mut();
                sessions.try_for_each(|session| session.restart(source))?;
                self.goto = None;
                self.rewind();
                self.capture_frame();
            }
            Command::Speed { factor } => {
                self.speed = factor;
                self.anchor = None;
            }
            Command::Loop { on } => self.looped = on,
            Command::Goto { time } => self.go_to(time),
            // what is simulated
            Command::Set {
                session,
                assignment,
            } => {
                let source = self.source.clone();
                let again = self.session(session)?.set(&source, &assignment)?;
                if again {
                    self.restart_others(session)?;
                    self.rewind();
                }
                self.note_identity();
                self.capture_frame();
            }
            Command::Reset { session } => {
                self.session(session)?;
                let before = self.wanted.clone();
                match session {
                    0 => self.wanted.sets.clear(),
                    _ => self.wanted.compare = Some(Vec::new()),
                }
                self.build_or(before)?;
            }
            Command::Compare { sets } => {
                let before = self.wanted.clone();
                self.wanted.compare = sets;
                self.build_or(before)?;
            }
            // dragging
            Command::Grab {
                session,
                body,
                point,
            } => {
                self.leave_the_past();
                let point = Vec3::from(point);
                self.session(session)?
                    .grab(client, |world| Drag::body(world, client, body, point))?;
            }
            Command::GrabStrand {
                session,
                curve,
                segment,
                point,
            } => {
                self.leave_the_past();
                let point = Vec3::from(point);
                self.session(session)?.grab(client, |world| {
                    Drag::strand(world, client, curve, segment, point)
                })?;
            }
            Command::GrabCloth {
                session,
                cloth,
                vertex,
                point,
            } => {
                self.leave_the_past();
                let point = Vec3::from(point);
                self.session(session)?.grab(client, |world| {
                    Drag::cloth(world, client, cloth, vertex, point)
                })?;
            }
            Command::Export => self.export(),
            Command::Drag { target } => {
                let target = Vec3::from(target);
                self.sessions
                    .iter_mut()
                    .for_each(|session| session.drag(client, target));
            }
            Command::Release {} => self
                .sessions
                .iter_mut()
                .for_each(|session| session.release(client)),
            Command::Throw {
                origin,
                velocity,
                radius,
            } => {
                self.leave_the_past();
                let (origin, velocity) = (Vec3::from(origin), Vec3::from(velocity));
                let mut sessions = self.sessions.iter_mut();
                sessions.try_for_each(|session| session.throw(origin, velocity, radius))?;
                self.capture_frame();
            }
            // who watches
            Command::Watch { kinds } => {
                self.clients.insert(client, kinds);
                if self.shown_time.is_none() {
                    self.capture_frame();
                }
            }
            Command::Leave => {
                self.clients.remove(&client);
                self.sessions
                    .iter_mut()
                    .for_each(|session| session.release(client));
            }
        }
        Ok(())
    }

    /// Writes the files that are waited for.
    fn export(&mut self) {
        let waiting = std::mem::take(&mut *lock(&self.shared.exports));
        let name = self.source.name();
        for (ending, reply) in waiting {
            let made = match self.sessions.first_mut() {
                Some(session) => session.export(&name, &ending),
                None => Err(Complaint::new("there is nothing to be written")),
            };
            // whoever asked may have gone
            let _ = reply.send(made.map_err(|complaint| complaint.message));
        }
    }

    /// Goes back to the present, before something acts on the simulation.
    fn leave_the_past(&mut self) {
        self.shown_time = None;
        self.anchor = None;
    }

    fn session(&mut self, number: usize) -> Result<&mut Session, Complaint> {
        let count = self.sessions.len();
        self.sessions.get_mut(number).ok_or_else(|| {
            Complaint::new(format!(
                "there is no run {number}; there are {count}, counted from 0"
            ))
        })
    }

    /// Sessions begin together.
    fn restart_others(&mut self, but: usize) -> Result<(), Complaint> {
        let source = &self.source;
        let others = self
            .sessions
            .iter_mut()
            .enumerate()
            .filter(|(i, _)| *i != but);
        for (_, session) in others {
            session.restart(source)?;
        }
        Ok(())
    }

    /// Builds what is wanted, or goes back to `before` and says why.
    fn build_or(&mut self, before: Identity) -> Result<(), Complaint> {
        let standing = self.error.take();
        if self.build() {
            self.capture_frame();
            return Ok(());
        }
        self.wanted = before;
        let complaint = self.error.take().unwrap_or_default();
        self.error = standing;
        Err(complaint)
    }
}
