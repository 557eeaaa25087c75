//! Random scenes that nobody wrote, held to laws that every scene must keep: energy never above
//! what was put in, momentum of free systems, nothing lost, nothing inside anything else, what must
//! stand stands, the same bits for any number of threads.
//!
//! A seed makes one [`Trial`]: a plain [`Scene`] and what is expected of it beyond the laws that hold for
//! all. [`judge`] runs it and returns the laws it broke, [`shrink`] makes a broken one smaller, and a
//! [`Campaign`] does both for many seeds on several threads. The same seed gives the same scene and
//! the same bits, whatever else is run beside it.
//!
//! ```
//! use drystone_trial::{Limits, Subject, Trial, judge};
//!
//! let trial = Trial::make(Subject::Rigid, 7);
//! let outcome = judge(&trial, &Limits::default());
//! assert!(outcome.steps > 0);
//! ```

mod campaign;
mod cloth;
mod judge;
mod laws;
mod overlap;
mod processor_time;
mod rigid;
mod shapes;
mod shrink;
mod soft;

pub use campaign::{Campaign, Finding, Tried};
pub use judge::{Limits, Outcome, judge};
pub use laws::{Breach, Law};
pub use processor_time::cpu_seconds;
pub use shrink::shrink;

use drystone_base::random::Random;
use drystone_world::Scene;
use serde::{Deserialize, Serialize};

/// The systems that the scenes of a campaign use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    /// Bodies alone.
    Rigid,
    /// Strands, by themselves and against fixed bodies.
    Strand,
    /// Cloth, by itself, against bodies that are fixed, scripted or give way, pulled and blown about.
    Cloth,
    /// Bodies with strands and cloth on them.
    World,
}

impl Subject {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Rigid, Self::Strand, Self::Cloth, Self::World];

    /// In one word, as on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Strand => "strand",
            Self::Cloth => "cloth",
            Self::World => "world",
        }
    }

    /// The kinds of scene that seeds choose from.
    pub fn kinds(self) -> Vec<&'static str> {
        self.recipes().iter().map(|recipe| recipe.kind).collect()
    }

    fn recipes(self) -> &'static [Recipe] {
        match self {
            Self::Rigid => rigid::RECIPES,
            Self::Strand => soft::STRAND,
            Self::Cloth => cloth::RECIPES,
            Self::World => soft::WORLD,
        }
    }

    /// Kind of the scene that `seed` makes, without making it.
    pub fn kind_of(self, seed: u64) -> &'static str {
        self.draw(seed).0.kind
    }

    /// The recipe that `seed` selects, and the random numbers for it.
    fn draw(self, seed: u64) -> (&'static Recipe, Random) {
        // neighbouring seeds must not give neighbouring numbers
        let mut random = Random::new(Random::new(seed).bits());
        let recipes = self.recipes();
        (&recipes[random.below(recipes.len())], random)
    }
}

/// One way to make random scenes.
struct Recipe {
    /// In one word, for tables.
    kind: &'static str,
    make: fn(&mut Random) -> (Scene, Expect),
}

/// What is expected of a scene beyond the laws that hold for all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expect {
    /// Whether it is in static equilibrium by construction, so that nothing moves.
    pub stands: bool,
    /// Energy is not only never gained but kept: no contact takes any.
    pub keeps_energy: bool,
    /// The fixed boxes close a room that nothing leaves.
    pub closed: bool,
    /// Scripts, pins, loads or wind put energy in, so that the energy of all may rise.
    pub driven: bool,
}

/// A random scene and what is expected of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What it is about.
    pub subject: Subject,
    /// The number that it was made from.
    pub seed: u64,
    /// How it was made, in one word.
    pub kind: &'static str,
    /// The scene.
    pub scene: Scene,
    /// What is expected of it beyond the laws that hold for all.
    pub expect: Expect,
}

impl Trial {
    /// The scene that `seed` stands for; always the same.
    pub fn make(subject: Subject, seed: u64) -> Self {
        let (recipe, mut random) = subject.draw(seed);
        let (mut scene, expect) = (recipe.make)(&mut random);
        scene.name = format!("{}-trial-{seed}", subject.name());
        scene.about = format!("random scene {seed} of kind `{}`", recipe.kind);
        Self {
            subject,
            seed,
            kind: recipe.kind,
            scene,
            expect,
        }
    }
}
