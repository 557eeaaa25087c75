//! Findings: what went wrong in a run that a result must not hide.
//!
//! A step does not fail, it reports; the world gathers those reports here while it runs. Each kind
//! of finding is kept once for each thing, with its first time and how often it came. A run
//! without a finding is sound. Energy is watched for bodies (`drystone_rigid`), for strands (`drystone_strand`), for cloth
//! (`drystone_cloth`), and where cloth pushes bodies (`exchange.rs`).

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Makes the kinds of findings, each with its name, what usually causes it and what to try first.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident $name:literal $cause:literal $remedy:literal;)*) => {
        /// What kind of thing went wrong.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum FindingKind {
            $($(#[doc = $doc])+ $kind,)*
        }

        impl FindingKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Its name in scene files and reports.
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name),* }
            }

            /// What usually causes it.
            pub fn likely_cause(self) -> &'static str {
                match self { $(Self::$kind => $cause),* }
            }

            /// What to try first.
            pub fn remedy(self) -> &'static str {
                match self { $(Self::$kind => $remedy),* }
            }
        }
    };
}

kinds! {
    /// The motion of a body was no longer finite; it was taken out of the scene.
    BodyLost "body-lost"
    "forces or speeds beyond what a number can hold"
    "look for a mass, force or speed that is far too large; halve dt";
    /// Bodies in contact gained energy that no force, script or correction gave them; the body
    /// that gained most is named. Values in J.
    EnergyGained "energy-gained"
    "it turns or is struck faster than the step resolves"
    "halve dt; start without overlap; use the default stepper";
    /// A body is faster than all the energy of what it touches explains. Values in m/s.
    BodyTooFast "body-too-fast"
    "an impact or an overlap that the step does not resolve"
    "halve dt; start without overlap; use the default stepper";
    /// A body stays inside another, or has gone past the middle of the thinner of the two; both are named. Values in m.
    BodiesOverlap "bodies-overlap"
    "a load that the solver does not carry, scripts that leave no room, or something too fast and too thin for the step"
    "more solver.rigid.two_level.substeps or stepper `vsp` for a load; halve dt";
    /// Cloth gave a body more energy than it lost to it. Values in J.
    CouplingGained "coupling-gained"
    "it is much lighter than what strikes it through cloth, and gave way to a load that was only expected"
    "smaller dt; a heavier body; softer cloth or a longer strand";
    /// Steps of a strand were accepted unsolved. Strands that are solved together are named by
    /// the first. The value is 1.
    StrandUnsolved "strand-unsolved"
    "stiffness, contacts or constraints that contradict each other within the step"
    "halve dt, or more solver.strand.steps_per_frame; softer or fewer constraints";
    /// The motion of a strand was no longer finite; it was put back on its start.
    StrandReset "strand-reset"
    "forces or a base that moves beyond what the step resolves"
    "halve dt, or more solver.strand.steps_per_frame; softer or fewer constraints";
    /// Strands have more energy than they had and than bases, anchors, bodies, fields and loads have put in; strands
    /// that are solved together are named by the first. Values in J.
    StrandGained "strand-gained"
    "an impact, a constraint or a law of elasticity that the step does not resolve"
    "halve dt, or more solver.strand.steps_per_frame; less restitution; softer or fewer constraints";
    /// Cloth cannot go on without passing through something, and the whole world stands still. The
    /// value is the distance \[m\] of what is too close.
    ClothStalled "cloth-stalled"
    "cloth is squeezed between things that leave it no room"
    "give the cloth room: slower scripts, wider gaps, thinner layers";
    /// Cloth has more energy than it had at the start and than bodies, pins, hands, loads and air have put in; the one
    /// that gained most in the step in which that was first seen is named. Values in J.
    ClothGained "cloth-gained"
    "periods of its forces or layers that are too long for their stiffness"
    "smaller solver.cloth.elastic_fraction or penalty_fraction; less restitution; softer cloth";
    /// The motion of cloth is no longer finite.
    ClothLost "cloth-lost"
    "forces or speeds beyond what a number can hold"
    "look for a mass, force or speed that is far too large";
    /// A pinned part of cloth was moved into something that is pinned, scripted or fixed itself, so that
    /// nothing can push them apart; both are named. The value is 0, the distance allowed.
    ScriptsMeet "scripts-meet"
    "paths, pins or fixed bodies that were laid through each other"
    "move one of them away, pin fewer vertices, or pin the hem on that body";
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something that went wrong. There is one finding for each kind and thing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// What kind.
    pub kind: FindingKind,
    /// Name of the body, strand or cloth.
    pub thing: String,
    /// When it was found first \[s\].
    pub time: f64,
    /// When it was found last \[s\].
    pub last_time: f64,
    /// Number of steps in which it happened.
    pub count: u64,
    /// The worst value found; its meaning and unit are those of the kind. The largest finite
    /// number where it was not finite.
    pub value: f64,
    /// The value that would have been allowed beside it.
    pub allowed: f64,
    /// What happened, in words.
    pub what: String,
    /// What usually causes it.
    pub likely_cause: String,
    /// What to try first.
    pub remedy: String,
}

impl fmt::Display for Finding {
    /// `energy-gained: body at 0.35 s: ... (likely cause: ...; try: ...)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` at {:.3} s: {} ({}). Likely cause: {}. To try: {}",
            self.thing, self.time, self.what, self.kind, self.likely_cause, self.remedy
        )
    }
}

/// Whether a run was sound, and what was found if it was not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunVerdict {
    /// Whether nothing was found.
    pub sound: bool,
    /// All findings, in the order in which they were found first.
    pub findings: Vec<Finding>,
}

/// The findings of a run so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    /// Place in the list by kind and number of the thing.
    known: BTreeMap<(FindingKind, usize), usize>,
}

impl Findings {
    pub(crate) fn list(&self) -> &[Finding] {
        &self.list
    }

    /// Takes up the findings of an earlier part of the run.
    pub(crate) fn resume(&mut self, list: &[Finding], number: impl Fn(&Finding) -> usize) {
        self.list = list.to_vec();
        let known = list.iter().enumerate();
        self.known = known.map(|(k, f)| ((f.kind, number(f)), k)).collect();
    }

    /// Keeps a finding about the thing with that number; `thing` and `what` are only asked for
    /// the first of its kind.
    pub(crate) fn add(
        &mut self,
        kind: FindingKind,
        number: usize,
        time: f64,
        (value, allowed): (f64, f64),
        thing: impl FnOnce() -> String,
        what: impl FnOnce() -> String,
    ) {
        let value = if value.is_finite() { value } else { f64::MAX };
        let allowed = if allowed.is_finite() {
            allowed
        } else {
            f64::MAX
        };
        if let Some(&k) = self.known.get(&(kind, number)) {
            let finding = &mut self.list[k];
            finding.count += 1;
            finding.last_time = time;
            if value > finding.value {
                (finding.value, finding.allowed) = (value, allowed);
            }
            return;
        }
        self.known.insert((kind, number), self.list.len());
        self.list.push(Finding {
            kind,
            thing: thing(),
            time,
            last_time: time,
            count: 1,
            value,
            allowed,
            what: what(),
            likely_cause: kind.likely_cause().into(),
            remedy: kind.remedy().into(),
        });
    }
}
