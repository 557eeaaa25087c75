//! How the faults of a step become findings.

use crate::finding::{Finding, FindingKind, RunVerdict};
use crate::{CouplingGain, Report, World};

impl World {
    /// What has gone wrong since the world was made, once for each kind and thing, in the order of
    /// first occurrence. A caller that remembers how many there were sees what is new.
    pub fn findings(&self) -> &[Finding] {
        self.findings.list()
    }

    /// Whether nothing has gone wrong since the world was made.
    pub fn is_sound(&self) -> bool {
        self.findings.list().is_empty()
    }

    /// The findings so far as a report shows them.
    pub fn verdict(&self) -> RunVerdict {
        RunVerdict {
            sound: self.is_sound(),
            findings: self.findings.list().to_vec(),
        }
    }

    /// Takes the faults of the step that has just been taken into the findings.
    pub(crate) fn diagnose(&mut self, report: &Report) {
        self.diagnose_bodies(&report.rigid);
        self.diagnose_strands();
        self.diagnose_cloth();
    }

    fn diagnose_bodies(&mut self, report: &drystone_rigid::Report) {
        let (findings, names) = (&mut self.findings, &self.roster.names);
        let time = self.rigid.state.time;
        let body = |i: usize| names.get(i).map_or_else(String::new, |n| n.to_string());
        for &i in &report.quarantined {
            let what = || "its motion is no longer finite, and it was taken out".into();
            let values = (f64::MAX, f64::MAX);
            findings.add(FindingKind::BodyLost, i, time, values, || body(i), what);
        }
        for gain in &report.gains {
            let values = (gain.gained, gain.allowed);
            let what = || {
                let others = match gain.bodies.saturating_sub(1) {
                    0 => "it".to_owned(),
                    n => format!("it and the {n} in contact with it"),
                };
                let [gained, allowed] = [gain.gained, gain.allowed];
                format!(
                    "{others} gained {gained:.3e} J that nothing gave; {allowed:.3e} J pass for rounding of the step"
                )
            };
            let kind = FindingKind::EnergyGained;
            findings.add(kind, gain.body, time, values, || body(gain.body), what);
        }
        for fast in &report.too_fast {
            let values = (fast.speed, fast.allowed);
            let what = || {
                let [speed, allowed] = [fast.speed, fast.allowed];
                format!(
                    "it goes at {speed:.3e} m/s, and all that touched it could give it {allowed:.3e} m/s"
                )
            };
            let kind = FindingKind::BodyTooFast;
            findings.add(kind, fast.body, time, values, || body(fast.body), what);
        }
        for overlap in &report.overlaps {
            let values = (overlap.depth, overlap.allowed);
            let what = || {
                let (depth, allowed) = (overlap.depth, overlap.allowed);
                let other = body(overlap.other);
                match overlap.steps {
                    0 => format!(
                        "it is {depth:.3e} m inside `{other}`, past the middle of the thinner of the two"
                    ),
                    n => format!(
                        "it is {depth:.3e} m inside `{other}` and has not come out for {n} steps; {allowed:.3e} m pass"
                    ),
                }
            };
            let (kind, i) = (FindingKind::BodiesOverlap, overlap.body);
            findings.add(kind, i, time, values, || body(i), what);
        }
    }

    /// Takes bodies that received more than cloth lost into the findings.
    pub(crate) fn diagnose_coupling(&mut self, gains: &[CouplingGain]) {
        let time = self.rigid.state.time;
        for gain in gains {
            let [gained, allowed] = [gain.gained, gain.allowed];
            let what = || {
                format!(
                    "cloth gave it {gained:.3e} J more than it lost to it; {allowed:.3e} J pass for \
                     rounding of the step"
                )
            };
            let row = self.roster.bodies.row(gain.body).unwrap_or(0);
            let thing = || self.roster.names[row].to_string();
            let (kind, values) = (FindingKind::CouplingGained, (gained, allowed));
            self.findings.add(kind, row, time, values, thing, what);
        }
    }

    fn diagnose_strands(&mut self) {
        let (findings, time) = (&mut self.findings, self.rigid.state.time);
        let Some(strands) = &self.strands else {
            return;
        };
        let name = |i: usize| {
            let chain = strands.system.model.chains.get(i);
            chain.map_or_else(String::new, |chain| chain.name.clone())
        };
        for &i in &strands.last.unsolved {
            let what = || "a step was accepted although it was not solved".into();
            let kind = FindingKind::StrandUnsolved;
            findings.add(kind, i, time, (1.0, 0.0), || name(i), what);
        }
        for &i in &strands.last.quarantined {
            let what = || "its motion is no longer finite, and it was put back on its start".into();
            let values = (f64::MAX, f64::MAX);
            findings.add(FindingKind::StrandReset, i, time, values, || name(i), what);
        }
        for gain in &strands.last.gains {
            let [gained, allowed] = [gain.gained, gain.allowed];
            let what = || {
                let others = match gain.strands.saturating_sub(1) {
                    0 => "it".to_owned(),
                    n => format!("it and the {n} solved with it"),
                };
                format!(
                    "{others} gained {gained:.3e} J that nothing put in; {allowed:.3e} J pass for rounding of the step"
                )
            };
            let (kind, i) = (FindingKind::StrandGained, gain.strand);
            findings.add(kind, i, time, (gained, allowed), || name(i), what);
        }
    }

    fn diagnose_cloth(&mut self) {
        let (findings, time) = (&mut self.findings, self.rigid.state.time);
        if let Some(cloths) = &mut self.cloths {
            // prescribed things that met
            for (k, meeting) in cloths
                .system
                .meetings()
                .iter()
                .enumerate()
                .skip(cloths.told)
            {
                let thing = || format!("{}, {}", meeting.a.object, meeting.b.object);
                let kind = FindingKind::ScriptsMeet;
                let what = || meeting.to_string();
                findings.add(kind, k, meeting.time, (0.0, 0.0), thing, what);
            }
            cloths.told = cloths.system.meetings().len();
            // stall
            if let Some(stall) = &cloths.last.stall {
                let values = (stall.distance, 0.0);
                let kind = FindingKind::ClothStalled;
                let thing = || stall.a.object.clone();
                findings.add(kind, 0, stall.time, values, thing, || stall.to_string());
            }
            // energy
            let surplus = cloths.last.surplus;
            if surplus.is_gain() {
                let allowed = drystone_cloth::GAIN_SHARE * surplus.at_work;
                let thing = || {
                    let named = self.roster.scene.cloths.get(surplus.sheet);
                    named.map_or_else(String::new, |cloth| cloth.name.clone())
                };
                let what = || {
                    let (energy, at_work) = (surplus.energy, surplus.at_work);
                    format!(
                        "all cloth has {energy:.3e} J more than was put in, {at_work:.3e} J at work, and it gained most; \
                         {allowed:.3e} J pass for rounding of the clocks"
                    )
                };
                let (kind, values) = (FindingKind::ClothGained, (surplus.energy, allowed));
                // one account for all cloth, so one finding, named when it was first seen
                findings.add(kind, 0, time, values, thing, what);
            }
            // motion that is no longer finite
            if !cloths.system.momentum().0.is_finite() {
                let what = || "its motion is no longer finite".into();
                let thing = || {
                    let first = self.roster.scene.cloths.first();
                    first.map_or_else(String::new, |cloth| cloth.name.clone())
                };
                let values = (f64::MAX, f64::MAX);
                findings.add(FindingKind::ClothLost, 0, time, values, thing, what);
            }
        }
    }
}
