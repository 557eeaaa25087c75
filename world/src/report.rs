//! What a step did: one section for each system, one for what passes between them.

use crate::BodyId;

/// What a step did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The rigid bodies.
    pub rigid: drystone_rigid::Report,
    /// The strands; all zero where there are none.
    pub strand: drystone_strand::Report,
    /// The cloth; all zero where there is none.
    pub cloth: drystone_cloth::Report,
    /// What passed between them.
    pub coupling: CouplingReport,
    /// Wall time by part.
    pub seconds: Seconds,
}

/// What passed between the systems in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CouplingReport {
    /// Bodies that received more energy from cloth than that lost. Empty in a sound step.
    pub gains: Vec<CouplingGain>,
}

/// A body that received more energy from cloth than that lost to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingGain {
    /// The body.
    pub body: BodyId,
    /// Surplus of the last few hundred steps \[J\].
    pub gained: f64,
    /// Surplus that would have passed for discretisation error \[J\].
    pub allowed: f64,
}

/// Wall time of a step by part.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Search for contacts of bodies \[s\].
    pub collision: f64,
    /// All the rest of the bodies' step \[s\].
    pub rigid: f64,
    /// Strands \[s\].
    pub strand: f64,
    /// Cloth \[s\].
    pub cloth: f64,
}

impl Seconds {
    /// All but the search for contacts of bodies \[s\].
    pub fn dynamics(&self) -> f64 {
        self.rigid + self.strand + self.cloth
    }

    /// All parts \[s\].
    pub fn total(&self) -> f64 {
        self.collision + self.dynamics()
    }
}
