//! What an advance did.

use serde::{Deserialize, Serialize};

use crate::clock_levels::ClockLevel;
use crate::pairs::SIZE_CLASSES;
use crate::{Account, Energy, Stall, Surplus};

/// Events by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Ticks of edge springs.
    pub springs: u64,
    /// Ticks of hinges.
    pub hinges: u64,
    /// Ticks of triangles.
    pub triangles: u64,
    /// Ticks of dashpots.
    pub dashpots: u64,
    /// Vertices kicked by loads, air, fields or ticking gravity.
    pub fields: u64,
    /// Ticks of penalty layers that pushed; layers of one pair and clock count once.
    pub penalties: u64,
    /// Ticks of penalty layers that did not push.
    pub null_penalties: u64,
    /// Layers activated.
    pub activations: u64,
    /// Layers deactivated.
    pub deactivations: u64,
    /// Pairs measured because their certificate ended.
    pub distance_tests: u64,
    /// Vertices that left their ball, by size class: the smallest first.
    pub balls: [u64; SIZE_CLASSES],
    /// Pairs renewed with those balls, by size class.
    pub ball_pairs: [u64; SIZE_CLASSES],
    /// Slabs renewed.
    pub slabs: u64,
    /// Vertices that left their box, or events of the kinetic hierarchy.
    pub boxes: u64,
    /// Pairs that were added to the list.
    pub pairs_made: u64,
    /// Changes of prescribed velocities.
    pub prescribed: u64,
    /// The deepest layer activated.
    pub deepest: u32,
}

impl Tally {
    pub(crate) fn tick(&mut self, clock_level: &ClockLevel) {
        self.springs += clock_level.springs.len() as u64;
        self.hinges += clock_level.hinges.len() as u64;
        self.triangles += clock_level.triangles.len() as u64;
        self.dashpots += (clock_level.dashpots.len() + clock_level.hinge_dashpots.len()) as u64;
        self.fields +=
            (clock_level.loaded_vertices.len() + clock_level.gravity_vertices.len()) as u64;
    }

    /// Ticks of elastic forces.
    pub fn elastic(&self) -> u64 {
        self.springs + self.hinges + self.triangles
    }

    /// All events.
    pub fn events(&self) -> u64 {
        self.elastic()
            + self.dashpots
            + self.fields
            + self.penalties
            + self.null_penalties
            + self.distance_tests
            + self.balls.iter().sum::<u64>()
            + self.slabs
            + self.boxes
            + self.prescribed
    }
}

/// Progress of an advance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Simulated time \[s\].
    pub time: f64,
    /// Events of this advance so far.
    pub events: u64,
    /// The deepest layer activated in it.
    pub deepest: u32,
}

/// What an advance did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Events by kind.
    pub events: Tally,
    /// Energies at the end.
    pub energy: Energy,
    /// Work put in and energy taken since the start.
    pub account: Account,
    /// Energy at the end in excess of what was put in.
    pub surplus: Surplus,
    /// Pairs in the list.
    pub pairs: usize,
    /// Pairs by active layers: none, 1, 2, 3 to 4, 5 to 8, and so on by doubling.
    pub layers: Vec<u64>,
    /// Free vertices by the shortest period of the clocks that act on them: entry k counts those of
    /// 2^k ticks (Harmon 2012, Fig. 2).
    pub steps: Vec<u64>,
    /// Vertices that sleep, see [`Options::sleeping`](crate::Options::sleeping).
    pub asleep: usize,
    /// Why time stands still, if it does.
    pub stall: Option<Stall>,
    /// The advance ended early because of `Options::event_limit`.
    pub exhausted: bool,
    /// It ended early because the caller of `System::advance_while` asked for it.
    pub interrupted: bool,
    /// Vertices whose numbers are no longer finite; the advance ended.
    pub not_finite: Vec<u32>,
    /// Simulated time at the end \[s\].
    pub time: f64,
    /// Wall time \[s\]; zero until whoever times the step writes it.
    pub seconds: f64,
}
