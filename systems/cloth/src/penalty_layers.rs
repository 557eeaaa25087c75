//! The nested potentials (Harmon 2012, §3): how thick, how stiff, how often.
//!
//! `η(l) = η(1) l^(-1/4)`, `r(l) = r(1) l³`, `V = r/2 (d - η)²` where `d < η`. Since `Σ r η²`
//! diverges, no finite energy passes through all of them.

use serde::{Deserialize, Serialize};

use crate::clock::{TICK, Tick, level_of, seconds};
use crate::{Contact, Options};

/// Number of layers that are tabulated; deeper ones are computed.
const TABLE: usize = 1024;

/// From this layer on a pair is pressed, and its clocks and those of elastic elements at its corners keep off each
/// other's modes; shallower layers hold too little energy to matter \[1\].
pub(crate) const PRESSED: u32 = 3;
/// Part of its energy below which what contact takes does not hide the error of its layers \[1\].
const LOSSLESS: f64 = 0.05;
/// By how many levels at most a clock is lowered for that: where it is a sixteenth of the square of the period it excites a
/// mode that much less, however fast the mode is.
pub(crate) const LOWERED: u8 = 2;
/// Levels from the clock of the deepest layers of a pair up to 0.9 of half a period of the mode that they make, at the default
/// `penalty_fraction`: `h = 0.2/Ω`, and `0.9 π/Ω` is 14 times that.
pub(crate) const HALF_PERIOD: u8 = 3;

/// Parameters that determine the clocks of a pair's layers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LayerClock {
    /// Longest period of the first layer, in ticks.
    pub(crate) period: f64,
    /// Level of the longest period that excites no elastic mode of the corners.
    pub(crate) calm: u8,
}

/// Thicknesses, stiffnesses and periods. Where lengths are asked for, `outermost` is the thickness η(1) of the pair.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    outermost_stiffness: f64,
    /// Thickness of each layer over that of the outermost, η(l)/η(1).
    shrink: Vec<f64>,
    early: f64,
    fraction: f64,
    floor: u8,
}

impl Layers {
    pub(crate) fn new(contact: Contact, options: &Options) -> Self {
        Self {
            outermost_stiffness: contact.stiffness,
            shrink: (0..TABLE as u32).map(|l| shrink(l.max(1))).collect(),
            early: options.early,
            fraction: options.penalty_fraction,
            floor: level_of(options.shortest_period).unwrap_or(0),
        }
    }

    /// Thickness η(l) of layer `l` \[m\].
    #[inline]
    pub(crate) fn thickness(&self, outermost: f64, l: u32) -> f64 {
        match self.shrink.get(l as usize) {
            Some(x) => *x * outermost,
            None => shrink(l) * outermost,
        }
    }

    /// Stiffness r(l) of layer `l` \[N/m\].
    #[inline]
    pub(crate) fn stiffness(&self, l: u32) -> f64 {
        let l = f64::from(l);
        self.outermost_stiffness * (l * l * l)
    }

    /// `Σ r(k)` over layers 1 to `l`, `r(1) (l (l + 1)/2)²` \[N/m\]
    #[inline]
    pub(crate) fn stiffness_of_all(&self, l: u32) -> f64 {
        let l = f64::from(l);
        let root = 0.5 * l * (l + 1.0);
        self.outermost_stiffness * (root * root)
    }

    /// How much outside of layer `l` it is activated: a part of η(1), but not of the spacing of
    /// layers, or deep ones would all be active at once \[m\].
    #[inline]
    pub(crate) fn early(&self, outermost: f64, l: u32) -> f64 {
        let most = self.early * outermost;
        if l <= 1 {
            return most;
        }
        most.min(0.3 * (self.thickness(outermost, l - 1) - self.thickness(outermost, l)))
    }

    /// Longest period of layer 1 of a pair, in ticks: `α 2/√(r W)`, `W` the largest inverse mass
    /// that the gap can have \[1/kg\]. Up to half as long by how much a pair gives back of what it took: a vertex that meets
    /// a sheet has layers of several pairs at once, and their error is energy there. And half of that where contact takes
    /// so little that it hides no error: entering and leaving a layer between two ticks err by up to `(ω h)²/8` each,
    /// and in a flat fall all vertices err alike.
    pub(crate) fn period_ticks(&self, inverse_mass: f64, restitution: f64) -> f64 {
        let given_back = restitution * restitution;
        let lossless = match 1.0 - given_back < LOSSLESS {
            true => 0.5,
            false => 1.0,
        };
        let fraction = self.fraction * lossless / (1.0 + given_back);
        fraction * 2.0 / (self.outermost_stiffness * inverse_mass).sqrt() / TICK
    }

    /// Level of layer `l` of a pair with such a clock; `None` if that is shorter
    /// than allowed: a stall. Where layer `l` acts all before it do, and `√Σ l³ = l (l + 1)/2`. Layers of pairs that are
    /// pressed tick up to two levels faster where they would else excite elastic modes.
    #[inline]
    pub(crate) fn level(&self, clock: LayerClock, l: u32) -> Option<u8> {
        let part = f64::from(l);
        let own = level_of(clock.period / (0.5 * part * (part + 1.0)) * TICK)?;
        let level = match l >= PRESSED {
            true => own.min(clock.calm.max(own.saturating_sub(LOWERED))),
            false => own,
        };
        (own >= self.floor).then_some(level)
    }

    /// Total force of layers `from..=to` at distance `d` \[N\].
    #[inline]
    pub(crate) fn force(&self, outermost: f64, from: u32, to: u32, d: f64) -> f64 {
        let mut sum = 0.0;
        for l in from..=to {
            let depth = self.thickness(outermost, l) - d;
            if depth <= 0.0 {
                break;
            }
            sum += self.stiffness(l) * depth;
        }
        sum
    }

    /// What layers 1 to `to` of a pair with such a clock, at distance `d`, have pushed too early until `t`: a
    /// kick stands for a force all through its period, from half of it before to half of it after. Layers that tick at `t`
    /// itself are half way \[N s\].
    #[inline]
    pub(crate) fn ahead(&self, clock: LayerClock, outermost: f64, to: u32, d: f64, t: Tick) -> f64 {
        let mut sum = 0.0;
        for l in 1..=to {
            let Some(level) = self.level(clock, l) else {
                break;
            };
            let since = t & ((1 << level) - 1);
            if since > 0 {
                let force = self.stiffness(l) * (self.thickness(outermost, l) - d).max(0.0);
                sum += force * (0.5 * seconds(1 << level) - seconds(since));
            }
        }
        sum
    }

    /// Energy of all layers at distance `d` \[J\].
    pub(crate) fn energy(&self, outermost: f64, d: f64) -> f64 {
        let mut sum = 0.0;
        for l in 1.. {
            let depth = self.thickness(outermost, l) - d;
            if depth <= 0.0 {
                break;
            }
            sum += 0.5 * self.stiffness(l) * depth * depth;
        }
        sum
    }

    /// The deepest layer that acts at distance `d`, if layer `from` does.
    #[inline]
    pub(crate) fn deepest(&self, outermost: f64, from: u32, d: f64) -> u32 {
        let mut l = from;
        while self.thickness(outermost, l + 1) > d {
            l += 1;
        }
        l
    }

    /// Number of layers that act at distance `d`, at most `most`.
    pub(crate) fn count(&self, outermost: f64, d: f64, most: u32) -> u32 {
        (0..most)
            .find(|&n| self.thickness(outermost, n + 1) <= d)
            .unwrap_or(most)
    }
}

/// l^(-1/4), by roots that round alike everywhere.
fn shrink(l: u32) -> f64 {
    (1.0 / f64::from(l)).sqrt().sqrt()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Energies stored by L layers pressed to the inside of the L-th, by independent summation.
    #[test]
    fn capacity_grows_without_bound() {
        let layers = Layers::new(
            Contact {
                thickness: 1.0,
                stiffness: 1.0,
            },
            &Options::default(),
        );
        for (l, energy, force) in [
            (5, 0.33, 6.6),
            (10, 3.8, 93.0),
            (20, 43.0, 1.3e3),
            (100, 1.2e4, 5.3e5),
        ] {
            let d = layers.thickness(1.0, l);
            let (e, f) = (layers.energy(1.0, d), layers.force(1.0, 1, l, d));
            assert!(
                (e / energy - 1.0).abs() < 0.05,
                "layer {l}: energy {e}, wanted {energy}"
            );
            assert!(
                (f / force - 1.0).abs() < 0.05,
                "layer {l}: force {f}, wanted {force}"
            );
        }
        assert_eq!(layers.count(1.0, layers.thickness(1.0, 7), 100), 6);
    }

    #[test]
    fn a_deeper_layer_ticks_more_often() {
        let layers = Layers::new(Contact::default(), &Options::default());
        let clock = LayerClock {
            period: layers.period_ticks(890.0, 0.0),
            calm: u8::MAX,
        };
        let mut last = layers.level(clock, 1).unwrap();
        for l in 2..500 {
            let level = layers.level(clock, l).unwrap();
            assert!(level <= last);
            last = level;
        }
        assert_eq!(layers.level(clock, 1_000_000), None);
    }
}
