//! All that moves, to go back to or on from, bit for bit.

use std::fmt;
use std::sync::Arc;

use drystone_base::Stopwatch;
use drystone_rigid as rigid;
use serde::{Deserialize, Serialize};

use crate::cloths::{ClothSnapshot, Cloths};
use crate::exchange::Exchange;
use crate::finding::{Finding, FindingKind};
use crate::roster::Roster;
use crate::strands::{StrandSnapshot, Strands};
use crate::{Report, SceneError, World};

/// State at the begin of a step with cloth, to go back to if the cloth stalls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unfinished {
    pub(crate) rigid: rigid::State,
    pub(crate) strands: Option<StrandSnapshot>,
    pub(crate) cloth: drystone_cloth::Place,
}

/// All that moves in a world, and which scene it belongs to. Restoring it resumes bit for bit, also in a world to
/// which things have been added or from which they have been removed since; ids are valid that were valid then.
/// A snapshot read from a file needs a world with the same things in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    /// Fingerprint of the scene; see [`World::fingerprint`].
    pub fingerprint: u64,
    /// The rigid bodies.
    pub rigid: rigid::State,
    /// Length of the last step \[s\].
    pub last_step: f64,
    /// The strands, if there are any.
    pub strands: Option<StrandSnapshot>,
    /// The cloth, if there is any.
    pub cloths: Option<ClothSnapshot>,
    /// Findings up to then.
    pub findings: Vec<Finding>,
    /// State at the begin of the step that was interrupted, if one was.
    pub unfinished: Option<Unfinished>,
    /// The things of that time, in a world to which things have come or gone.
    #[serde(skip)]
    pub(crate) edition: Option<Arc<Edition>>,
}

/// The things of a world at some time, without their motion.
pub(crate) struct Edition {
    roster: Roster,
    rigid: rigid::Model,
    strands: Option<Strands>,
    cloths: Option<Cloths>,
}

impl PartialEq for Edition {
    fn eq(&self, other: &Self) -> bool {
        self.roster.number == other.roster.number
    }
}

impl fmt::Debug for Edition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Edition({})", self.roster.number)
    }
}

impl World {
    /// Takes a snapshot of all that moves.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            fingerprint: self.fingerprint(),
            rigid: self.rigid.state.clone(),
            last_step: self.last_step,
            strands: self.strands.as_ref().map(Strands::snapshot),
            cloths: self.cloths.as_ref().map(Cloths::snapshot),
            findings: self.findings.list().to_vec(),
            unfinished: self.unfinished.clone(),
            edition: self.roster.is_amended().then(|| self.edition()),
        }
    }

    /// Sets the state to that of `snapshot`; refuses a snapshot of another scene, or a damaged one.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SceneError> {
        let edition = self.edition_of(snapshot)?;
        let there = match &edition {
            Some(edition) => edition.roster.names.len(),
            None => self.roster.names.len(),
        };
        if let Some(what) = damage(&snapshot.rigid, there) {
            return Err(damaged(what));
        }
        if let Some(edition) = edition {
            self.adopt(&edition)?;
        }
        match (&mut self.cloths, &snapshot.cloths) {
            (None, None) => {}
            (Some(cloths), Some(state)) => cloths.restore(state)?,
            _ => return Err(damaged("cloth")),
        }
        match (&mut self.strands, &snapshot.strands) {
            (None, None) => {}
            (Some(_), Some(state)) => {
                if let Some(before) = &snapshot.unfinished {
                    self.step_strands_again(before, snapshot.last_step)?;
                }
                if let Some(strands) = &mut self.strands {
                    strands.restore(state)?;
                }
            }
            _ => return Err(damaged("strands")),
        }
        self.rigid.state.clone_from(&snapshot.rigid);
        if let Some(strands) = &mut self.strands {
            strands.settle_in(&self.rigid);
        }
        self.last_step = snapshot.last_step;
        self.unfinished.clone_from(&snapshot.unfinished);
        self.report = Report::default();
        self.forget_events();
        let chains = self.strands.as_ref().map(|s| &s.system.model.chains);
        self.findings.resume(&snapshot.findings, |finding| {
            let strand = || chains?.iter().position(|chain| chain.name == finding.thing);
            let body = || self.roster.index.get(finding.thing.as_str()).copied();
            match finding.kind {
                FindingKind::ClothStalled
                | FindingKind::ClothGained
                | FindingKind::ClothLost
                | FindingKind::ScriptsMeet => 0,
                FindingKind::StrandUnsolved
                | FindingKind::StrandReset
                | FindingKind::StrandGained => strand().unwrap_or(0),
                _ => body().unwrap_or(0),
            }
        });
        Ok(())
    }

    /// Takes the step of `dt` from `before` again as far as strands go, as their trees have yet to answer what cloth does
    /// in it.
    fn step_strands_again(&mut self, before: &Unfinished, dt: f64) -> Result<(), SceneError> {
        let (Some(strands), Some(then)) = (&mut self.strands, &before.strands) else {
            return Ok(());
        };
        self.rigid.state.clone_from(&before.rigid);
        strands.restore(then)?;
        strands.settle_in(&self.rigid);
        if let Some(cloths) = &self.cloths {
            cloths.push_bodies(&mut self.rigid, dt);
        }
        let total = strands.total.clone();
        strands.advance(&mut self.rigid, dt);
        strands.total = total;
        Ok(())
    }

    /// The things of now, for snapshots; made once for all snapshots until something comes or goes.
    pub(crate) fn edition(&self) -> Arc<Edition> {
        let edition = || {
            // a model that runs can be built again
            let strands = self.strands.as_ref().and_then(|s| s.as_described().ok());
            Arc::new(Edition {
                roster: self.roster.clone(),
                rigid: self.rigid.model.clone(),
                strands,
                cloths: self.cloths.clone(),
            })
        };
        self.edition.get_or_init(edition).clone()
    }

    /// The things of the time of `snapshot`, where they differ from those of now.
    fn edition_of(&self, snapshot: &Snapshot) -> Result<Option<Arc<Edition>>, SceneError> {
        let (roster, wanted) = (&self.roster, self.fingerprint());
        let same = snapshot.fingerprint == wanted;
        match (&snapshot.edition, &self.origin) {
            (None, _) if same => Ok(None),
            (None, Some(origin)) if origin.roster.fingerprint() == snapshot.fingerprint => {
                Ok(Some(origin.clone()))
            }
            (Some(edition), _) if edition.roster.origin == roster.origin => {
                let here = same && edition.roster.number == roster.number;
                Ok((!here).then(|| edition.clone()))
            }
            _ => Err(SceneError::OtherScene {
                found: snapshot.fingerprint,
                wanted,
            }),
        }
    }

    /// Replaces the things of now by those of `edition`.
    fn adopt(&mut self, edition: &Arc<Edition>) -> Result<(), SceneError> {
        let options = self.rigid.options().clone();
        let strands = edition.strands.as_ref().map(Strands::as_described);
        if self.origin.is_none() {
            self.origin = Some(self.edition());
        }
        let strands = strands.transpose()?;
        // totals are of the world, and go on
        let totals = (
            self.strands.take().map(|strands| strands.total),
            self.cloths.take().map(|cloths| cloths.total),
        );
        self.strands = strands;
        // what is no thing stays as it was set while running
        let mut model = edition.rigid.clone();
        (model.gravity, model.materials) =
            (self.rigid.model.gravity, self.rigid.model.materials.clone());
        self.rigid = rigid::System::new(model, options)?;
        self.rigid.set_clock(Stopwatch::clock);
        self.cloths = edition.cloths.clone();
        if let (Some(strands), Some(total)) = (&mut self.strands, totals.0) {
            strands.total = total;
        }
        if let (Some(cloths), Some(total)) = (&mut self.cloths, totals.1) {
            cloths.total = total;
        }
        let (born, amended) = (self.roster.born, self.roster.amended);
        self.roster = edition.roster.clone();
        // what comes later is nobody who has been
        self.roster.born = self.roster.born.max(born);
        self.roster.amended = self.roster.amended.max(amended);
        self.edition = edition.clone().into();
        self.exchange = Exchange::default();
        self.renew_step();
        Ok(())
    }
}

fn damaged(what: &str) -> SceneError {
    SceneError::value(
        "snapshot",
        what,
        "damaged",
        "a state as `snapshot` makes it",
    )
}

/// The part of `state` that is unusable for `n` bodies, if there is one.
fn damage(state: &rigid::State, n: usize) -> Option<&'static str> {
    let lengths = [
        state.position.len(),
        state.rotation.len(),
        state.linear_velocity.len(),
        state.angular_velocity.len(),
        state.force.len(),
        state.torque.len(),
        state.present.len(),
        state.removed.len(),
        state.quiet.len(),
        state.asleep.len(),
    ];
    if lengths.iter().any(|&length| length != n) {
        return Some("number of bodies");
    }
    let finite = state.time.is_finite()
        && state.position.iter().all(|p| p.is_finite())
        && state
            .rotation
            .iter()
            .all(|q| q.is_finite() && (q.length() - 1.0).abs() < 1e-3)
        && state
            .linear_velocity
            .iter()
            .chain(&state.angular_velocity)
            .all(|v| v.is_finite());
    if !finite {
        return Some("motion");
    }
    let contacts = &state.contacts;
    let body = |i: u32| (i as usize) < n;
    let inside = |first: u32, count: u32, length: usize| {
        u64::from(first) + u64::from(count) <= length as u64
    };
    let pairs = contacts
        .pairs
        .iter()
        .all(|p| body(p.a) && body(p.b) && inside(p.first, p.count, contacts.patches.len()));
    let patches = contacts
        .patches
        .iter()
        .all(|p| body(p.a) && body(p.b) && inside(p.first, p.count, contacts.points.len()));
    (!(pairs && patches)).then_some("contacts")
}
