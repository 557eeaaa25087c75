//! One step of everything: bodies with their strands, then cloth, then what only follows.

use drystone_base::{Stopwatch, Vec3};

use crate::exchange::ExchangeGain;
use crate::report::{CouplingGain, CouplingReport, Seconds};
use crate::snapshot::Unfinished;
use crate::strands::Strands;
use crate::tie::TIED;
use crate::touch::TOUCHING;
use crate::{Report, World};

impl World {
    /// Takes one step of `dt` seconds. Nothing happens for a `dt` that is not positive and finite, nor in a world that
    /// [has stopped](Self::has_stopped).
    ///
    /// Where strands and cloth are tied to each other it takes several steps, of at most 2.5 ms each, and where they may touch
    /// of 1 ms; the report is that of the last of them, with what strands did in all.
    pub fn advance(&mut self, dt: f64) -> Report {
        let strands = self.strands.as_ref().filter(|_| self.cloths.is_some());
        let longest = match strands {
            Some(strands) if strands.may_touch() => TOUCHING,
            Some(strands) if strands.is_tied() => TIED,
            _ => f64::INFINITY,
        };
        let pieces = match longest < dt && !self.is_mid_step() && dt.is_finite() {
            true => (dt / longest - 1e-9).ceil().clamp(1.0, 1e6),
            false => 1.0,
        };
        let mut events = Vec::new();
        let mut report = self.advance_while(dt / pieces, |_| true);
        for _ in 1..pieces as u32 {
            events.append(&mut self.events);
            let strand = std::mem::take(&mut report.strand);
            report = self.advance_while(dt / pieces, |_| true);
            report.strand.add(&strand);
        }
        events.append(&mut self.events);
        self.events = events;
        report
    }

    /// As [`Self::advance`], but while cloth follows the bodies `go_on` is asked every few thousand events whether to.
    /// If it says no, the step is left [unfinished](Self::is_mid_step): the next advance takes it up again, whatever
    /// its `dt`, and all is as if it had not been interrupted.
    pub fn advance_while(
        &mut self,
        dt: f64,
        mut go_on: impl FnMut(&drystone_cloth::Moment) -> bool,
    ) -> Report {
        if !(dt > 0.0 && dt.is_finite()) || self.has_stopped() {
            return Report::default();
        }
        self.report = self.take_step(dt, &mut go_on);
        self.report.clone()
    }

    fn take_step(
        &mut self,
        dt: f64,
        go_on: &mut dyn FnMut(&drystone_cloth::Moment) -> bool,
    ) -> Report {
        if let Some(before) = self.unfinished.take() {
            return self.finish_step(Report::default(), before, go_on);
        }
        self.last_step = dt;
        if let (Some(cloths), Some(strands)) = (&self.cloths, &mut self.strands) {
            strands.near = cloths.near(strands, dt);
        }
        let before = self.cloths.as_ref().map(|cloths| Unfinished {
            rigid: self.rigid.state.clone(),
            strands: self.strands.as_ref().map(Strands::snapshot),
            cloth: cloths.system.place(),
        });
        if let Some(cloths) = &self.cloths {
            cloths.push_bodies(&mut self.rigid, dt);
        }
        if self.cloths.is_some() {
            self.exchange.begin(&self.rigid);
        }
        let watch = Stopwatch::start();
        let (rigid, trees) = match &mut self.strands {
            Some(strands) => {
                let report = strands.advance(&mut self.rigid, dt);
                (report, strands.tree_seconds())
            }
            None => (self.rigid.advance(dt), 0.0),
        };
        let mut report = Report {
            seconds: Seconds {
                collision: rigid.collision_seconds,
                rigid: watch.seconds() - trees - rigid.collision_seconds,
                ..Seconds::default()
            },
            rigid,
            ..Report::default()
        };
        if let (Some(cloths), Some(before)) = (&mut self.cloths, before) {
            self.exchange.measure(&self.rigid);
            cloths.set_out(&self.rigid, dt, &self.exchange, self.strands.as_mut());
            report.coupling = self.close_exchange(dt);
            self.diagnose_coupling(&report.coupling.gains);
            return self.finish_step(report, before, go_on);
        }
        self.follow_with_strands(&mut report);
        self.end_step(&report);
        report
    }

    fn end_step(&mut self, report: &Report) {
        self.diagnose(report);
        self.find_events();
    }

    /// Sets the work that loads of cloth did in the bodies' step against what it lost. Strands need no such
    /// account: they move with the bodies as one.
    fn close_exchange(&mut self, dt: f64) -> CouplingReport {
        let Some(cloths) = &self.cloths else {
            return CouplingReport::default();
        };
        let (back, groups) = (cloths.withdrawn(), cloths.groups());
        let load = |i: usize| match cloths.is_linked(i) {
            true => [[Vec3::ZERO; 2]; 2],
            false => [cloths.load(i, dt), back[i]],
        };
        let found = self.exchange.close(&self.rigid, load, |i| groups[i], dt);
        let gain = |gain: ExchangeGain| {
            Some(CouplingGain {
                body: self.roster.bodies.id(gain.body)?,
                gained: gain.gained,
                allowed: gain.allowed,
            })
        };
        CouplingReport {
            gains: found.into_iter().filter_map(gain).collect(),
        }
    }

    fn follow_with_strands(&mut self, report: &mut Report) {
        if let Some(strands) = &mut self.strands {
            strands.catch_up(&self.rigid);
            report.seconds.strand = strands.last.seconds;
            report.strand = strands.last.clone();
        }
    }

    /// Lets cloth follow the bodies to the end of their step; they give way to it, and strands that only follow
    /// go where they are then. At a stall the whole world goes back to where the step began, so that nothing is seen to cross.
    fn finish_step(
        &mut self,
        mut report: Report,
        before: Unfinished,
        go_on: &mut dyn FnMut(&drystone_cloth::Moment) -> bool,
    ) -> Report {
        let Some(cloths) = &mut self.cloths else {
            return report;
        };
        let finished = cloths.follow(&self.rigid, go_on);
        report.seconds.cloth = cloths.last.seconds;
        report.cloth = cloths.last.clone();
        if cloths.system.stall().is_some() {
            cloths.system.stand_still_at(&before.cloth);
            self.rigid.state.clone_from(&before.rigid);
            if let (Some(strands), Some(then)) = (&mut self.strands, &before.strands)
                && strands.restore(then).is_ok()
            {
                strands.settle_in(&self.rigid);
            }
            report = Report {
                cloth: report.cloth,
                seconds: report.seconds,
                ..Report::default()
            };
        } else if finished {
            cloths.gather(&mut self.rigid, self.strands.as_mut(), self.last_step);
            self.follow_with_strands(&mut report);
        } else {
            self.unfinished = Some(before);
            return report;
        }
        self.end_step(&report);
        report
    }

    /// Whether the last step was interrupted: bodies are at its end, cloth is on the way there. A snapshot can be
    /// taken; frames are consistent only after the next advance.
    pub fn is_mid_step(&self) -> bool {
        self.unfinished.is_some()
    }

    /// Whether time stands still, as cloth cannot go on without passing through something. The findings say why and
    /// when; everything is where it was when the step began in which that happened, until something is removed.
    pub fn has_stopped(&self) -> bool {
        self.cloths
            .as_ref()
            .is_some_and(|cloths| cloths.system.stall().is_some())
    }
}
