//! Energy watchdog: finds cloth that has more energy than was put into it.
//!
//! [`Account`](crate::Account) knows the most that there may be: the energy of the start, and the work of everything prescribed, of
//! loads and of air since. Dashpots, friction and restitution only take. What exceeds that is a surplus, and is held
//! against the energy at work.
//!
//! Leapfrog keeps a quadratic form near the energy, from which the energy itself swings away by the square of `ω h / 2`,
//! a quarter for the fastest modes at the default clocks. The surplus is measured in that form. The form stays the same
//! while clocks that are too long let a mode grow without bound, so by how much the swing is more than stable
//! clocks can have counts as well.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::Energy;
use crate::clock::{period, seconds};
use crate::state::State;
use crate::topology::Topology;

/// Surplus that passes for rounding of the clocks, as a share of the energy at work \[1\].
pub const GAIN_SHARE: f64 = 0.01;
/// By how much energy may swing about what leapfrog keeps, as a share of the elastic energy: `(ω h / 2)²`, which is
/// below 1 if and only if the clock is stable \[1\].
const SWING: f64 = 0.9;

/// Strain that is at work in any case: what rounding leaves in a sheet at rest, with a reserve \[1\].
const STRAIN: f64 = 1e-6;
/// Part of the energy in gravity that is at work in any case: what is left of it in a difference, with a reserve \[1\].
const DIGITS: f64 = 1e-10;

/// Energy beyond all that was put in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surplus {
    /// Below zero where energy was lost \[J\].
    pub energy: f64,
    /// What it is compared with: the most energy of motion, elasticity and layers so far, and a little that is always
    /// there, mostly weight and loads over the thickness \[J\].
    pub at_work: f64,
    /// The sheet that gained most in the advance.
    pub sheet: usize,
}

impl Surplus {
    /// As a share of the energy at work \[1\]; infinite where that is nothing.
    pub fn share(&self) -> f64 {
        match self.energy {
            none if none <= 0.0 => 0.0,
            some => some / self.at_work,
        }
    }

    /// Whether it is more than passes for rounding.
    pub fn is_gain(&self) -> bool {
        self.share() > GAIN_SHARE
    }
}

/// The quadratic form that leapfrog keeps, without layers \[J\].
///
/// `Σ (½ m v² + m g y) + Σ (V(x) − ½ h F(x)·u)` over free vertices and elements; `x` and `u` are positions and
/// velocities of the element's corners just after the last tick of its clock. Of one clock that is `½ m u·(u − h a) + V`, the
/// same at every time for linear forces, whether the clock is short enough or not; corners that are prescribed
/// stand for the half of a kick whose work is booked already.
pub(crate) fn kept_energy(topology: &Topology, state: &State) -> f64 {
    kept(topology, state).0
}

/// The form that leapfrog keeps, and by how much the energy swings about it beyond what stable clocks have \[J\].
fn kept(topology: &Topology, state: &State) -> (f64, f64) {
    let (t, gravity) = (state.time, topology.gravity);
    let (mut moving, mut elastic) = (0.0, 0.0);
    let mut half_kick = vec![Vec3::ZERO; state.vertices.len()];
    for (level, clock_level) in topology.clock_levels.iter().enumerate() {
        let (since, h) = (seconds(t & ((1 << level) - 1)), period(level as u8));
        let back = |i: u32| state.vertices[i as usize].before(t, since, gravity);
        let mut half = |i: u32, force: Vec3| {
            half_kick[i as usize] += force * (0.5 * h);
            0.5 * h * force.dot(back(i).1)
        };
        for spring in &clock_level.springs {
            let x = spring.ends.map(|i| back(i).0);
            let force = spring.force(x);
            elastic += spring.energy(x);
            moving -= half(spring.ends[0], force) + half(spring.ends[1], -force);
        }
        for triangle in &clock_level.triangles {
            let x = triangle.corners.map(|i| back(i).0);
            elastic += triangle.energy(x);
            for (i, force) in triangle.corners.iter().zip(triangle.force(x)) {
                moving -= half(*i, force);
            }
        }
        for hinge in &clock_level.hinges {
            let x = hinge.corners.map(|i| back(i).0);
            elastic += hinge.energy(x);
            for (i, force) in hinge.corners.iter().zip(hinge.force(x)) {
                moving -= half(*i, force);
            }
        }
        for i in &clock_level.gravity_vertices {
            let vertex = &state.vertices[*i as usize];
            if vertex.inverse_mass > 0.0 {
                let weight = topology.true_gravity / vertex.inverse_mass;
                let ((x, u), now) = (back(*i), vertex.at(t, gravity));
                moving += weight.dot(now - x) - 0.5 * h * weight.dot(u);
            }
        }
    }
    let mut swing = 0.0;
    for (i, (v, half)) in state.vertices.iter().zip(&half_kick).enumerate() {
        if state.sleep.holds(i) {
            moving -= topology.true_gravity.dot(v.position) / topology.inverse_mass[i];
        } else if v.inverse_mass > 0.0 {
            let (x, u) = (v.at(t, gravity), v.velocity_at(t, gravity));
            moving += (0.5 * u.length_squared() - topology.true_gravity.dot(x)) / v.inverse_mass;
            swing += 0.5 * half.length_squared() * v.inverse_mass;
        }
    }
    (moving + elastic, (swing - SWING * elastic).max(0.0))
}

/// The part of [`kept_energy`] in elastic elements at prescribed vertices, and in some others \[J\].
///
/// It jumps when such a vertex changes its velocity between two ticks of an element: the kick before stands for half a
/// period of the old velocity to come. The jump is work of what moves the vertex.
pub(crate) fn pulled_energy(topology: &Topology, state: &State) -> f64 {
    let (t, gravity) = (state.time, topology.gravity);
    let mut sum = 0.0;
    for (level, clock_level) in topology.clock_levels.iter().enumerate() {
        let (since, h) = (seconds(t & ((1 << level) - 1)), period(level as u8));
        let back = |i: u32| state.vertices[i as usize].before(t, since, gravity);
        let half = |i: u32, force: Vec3| 0.5 * h * force.dot(back(i).1);
        // those at moving pins are in no run of eight
        for spring in &clock_level.springs[8 * clock_level.spring_runs.len()..] {
            let x = spring.ends.map(|i| back(i).0);
            let force = spring.force(x);
            sum += spring.energy(x) - half(spring.ends[0], force) - half(spring.ends[1], -force);
        }
        for triangle in &clock_level.triangles {
            let x = triangle.corners.map(|i| back(i).0);
            sum += triangle.energy(x);
            for (i, force) in triangle.corners.iter().zip(triangle.force(x)) {
                sum -= half(*i, force);
            }
        }
        for hinge in &clock_level.hinges[8 * clock_level.hinge_runs.len()..] {
            let x = hinge.corners.map(|i| back(i).0);
            sum += hinge.energy(x);
            for (i, force) in hinge.corners.iter().zip(hinge.force(x)) {
                sum -= half(*i, force);
            }
        }
    }
    sum
}

/// Computes the surplus of energy at the present time, and updates the largest energy at work so far. `before` are
/// the energies of the sheets when this was last called; it is no part of the state, as results do not depend on it.
pub(crate) fn close_account(
    topology: &Topology,
    state: &mut State,
    sheets: &[Energy],
    before: &mut Vec<f64>,
    energy: &Energy,
) -> Surplus {
    state.account.peak = state.account.peak.max(at_work(energy));
    let (kept, beyond) = kept(topology, state);
    let own: Vec<f64> = sheets.iter().map(Energy::without_contact).collect();
    before.resize(own.len(), 0.0);
    let growth = |k: &usize| own[*k] - before[*k];
    let most = (0..own.len()).max_by(|a, b| growth(a).total_cmp(&growth(b)));
    *before = own;
    Surplus {
        energy: kept + beyond - state.account.most(),
        at_work: state.account.peak + footing(topology, state),
        sheet: most.unwrap_or(0),
    }
}

/// Energy of motion, elasticity and layers \[J\].
pub(crate) fn at_work(energy: &Energy) -> f64 {
    energy.total() - energy.gravity
}

/// Energy that is at work before anything moves: weight and loads over the thickness, a strain of a millionth, and
/// what the digits of a height resolve \[J\].
fn footing(topology: &Topology, state: &State) -> f64 {
    let mut sum = 0.0;
    for load in &topology.loads {
        let reach = load.vertices.iter().map(|i| topology.reach_of(*i));
        sum += load.force.length() * reach.sum::<f64>();
    }
    for clock_level in &topology.clock_levels {
        let square = STRAIN * STRAIN;
        for spring in &clock_level.springs {
            sum += 0.5 * spring.stiffness * spring.length * spring.length * square;
        }
        for triangle in &clock_level.triangles {
            sum += triangle.area * (triangle.mu + 0.5 * triangle.lambda) * square;
        }
        for hinge in &clock_level.hinges {
            sum += 0.5 * hinge.stiffness * square;
        }
    }
    let g = topology.true_gravity.length();
    for (i, v) in state.vertices.iter().enumerate() {
        let inverse_mass = state.inverse_mass(topology, i);
        if inverse_mass > 0.0 {
            let digits = DIGITS * topology.true_gravity.dot(v.position).abs();
            sum += (g * topology.reach_of(i as u32) + digits) / inverse_mass;
        }
    }
    sum
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::event_loop::Scratch;
    use crate::{Material, Model, Options, Sheet, Stretch, System};

    /// A chain of masses along x without gravity, drawn out by a fifth, with clocks of `fraction` of the longest
    /// stable period; then all springs are made `stiffer`.
    fn drawn_out(masses: usize, fraction: f64, stiffer: f64) -> System {
        let rest: Vec<Vec3> = (0..masses).map(|i| Vec3::X * i as f64).collect();
        let sheet = Sheet {
            name: "chain".into(),
            points: rest.iter().map(|p| *p * 1.2).collect(),
            rest: Some(rest),
            segments: (1..masses as u32).map(|i| [i - 1, i]).collect(),
            material: Material {
                density: 0.0,
                vertex_mass: 1.0,
                stretch: Stretch::Spring(1e4),
                stretch_damping: 0.0,
                ..Material::default()
            },
            ..Sheet::default()
        };
        let model = Model {
            sheets: vec![sheet],
            gravity: Vec3::ZERO,
            ..Model::default()
        };
        let options = Options {
            elastic_fraction: fraction,
            ..Options::default()
        };
        let mut topology = Topology::new(&model, &options).unwrap();
        if stiffer != 1.0 {
            topology.elements.outgrow_clocks(stiffer);
            let pulls = topology.pulling();
            topology.group(&[], &[], &pulls);
        }
        let state = State::new(&topology);
        let mut system = System::begun(model, options, topology, state, Scratch::default());
        system.open_account();
        system
    }

    /// Least and largest value of what leapfrog keeps and of the energy, at odd times, over that of the start.
    #[test]
    fn what_leapfrog_keeps_does_not_swing_with_the_clock() {
        for fraction in [0.2, 0.5, 0.9] {
            let mut system = drawn_out(2, fraction, 1.0);
            let start = system.account().start;
            let (mut kept, mut plain) = ([f64::MAX, 0.0f64], [f64::MAX, 0.0f64]);
            for _ in 0..1000 {
                let report = system.advance(0.0137);
                let x = (report.surplus.energy + report.account.most()) / start;
                let y = report.energy.total() / start;
                kept = [kept[0].min(x), kept[1].max(x)];
                plain = [plain[0].min(y), plain[1].max(y)];
            }
            let [kept, plain] = [kept, plain].map(|[least, most]| most - least);
            // the energy itself swings by more than 1e-3
            assert!(kept < 1e-11, "fraction {fraction}: {kept:.1e}");
            assert!(plain > 1e-3, "fraction {fraction}: {plain:.1e}");
        }
    }

    /// Springs that are stiffer than their clocks know: these are from half of what is asked for up to that, as periods
    /// are powers of two.
    #[test]
    fn clocks_that_are_too_long_are_found_and_no_others() {
        for (stiffer, too_long) in [(1.0, false), (1.2, false), (30.0, true), (1e3, true)] {
            let mut system = drawn_out(5, 0.9, stiffer);
            let mut found = false;
            for _ in 0..300 {
                found |= system.advance(0.0137).surplus.is_gain();
            }
            assert_eq!(found, too_long, "springs {stiffer} times as stiff");
        }
    }

    #[test]
    fn the_sheet_that_gained_is_named() {
        let mut system = drawn_out(4, 0.5, 1.0);
        let mut other = system.model().sheets[0].clone();
        other.points.iter_mut().for_each(|p| p.y += 10.0);
        other.velocities = vec![Vec3::Y * 30.0; 4];
        other.name = "fast".into();
        let mut model = system.model().clone();
        model.sheets.insert(0, other);
        system = System::new(model, Options::default()).unwrap();
        for _ in 0..10 {
            assert!(!system.advance(0.0137).surplus.is_gain());
        }
        // a twentieth of all energy, into the one that has little
        for vertex in &mut system.state_mut().vertices[4..] {
            vertex.velocity.z += 7.0;
        }
        let surplus = system.advance(0.0137).surplus;
        assert!(surplus.is_gain() && surplus.sheet == 1, "{surplus:?}");
    }
}
