//! Energy, momentum and mass of everything in a world.

use drystone_base::Vec3;
use drystone_rigid::energy;

use crate::World;
use crate::cloths::Cloths;
use crate::strands::Strands;

impl World {
    /// Kinetic energy of bodies, strands and cloth \[J\].
    pub fn kinetic_energy(&self) -> f64 {
        let bodies = energy::kinetic_energy(&self.rigid.state, &self.rigid.model);
        let strands = self.strands.as_ref().map_or(0.0, Strands::kinetic_energy);
        let cloths = self
            .cloths
            .as_ref()
            .map_or(0.0, |c| c.system.energy().kinetic);
        bodies + strands + cloths
    }

    /// Of weight, zero at the origin, of the elasticity of strands and cloth, and of the layers
    /// about cloth \[J\].
    pub fn potential_energy(&self) -> f64 {
        let bodies = energy::potential_energy(&self.rigid.state, &self.rigid.model);
        let strands = self.strands.as_ref().map_or(0.0, Strands::potential_energy);
        let cloths = self.cloths.as_ref().map_or(0.0, Cloths::potential_energy);
        bodies + strands + cloths
    }

    /// Momentum of bodies, strands and cloth \[kg m/s\].
    pub fn momentum(&self) -> Vec3 {
        let bodies = energy::linear_momentum(&self.rigid.state, &self.rigid.model);
        let strands = self.strands.as_ref();
        let strands = strands.map_or(Vec3::ZERO, Strands::momentum);
        let cloths = self
            .cloths
            .as_ref()
            .map_or(Vec3::ZERO, |c| c.system.momentum().0);
        bodies + strands + cloths
    }

    /// About the origin, of bodies, strands and cloth \[kg m²/s\].
    pub fn angular_momentum(&self) -> Vec3 {
        let (state, model) = (&self.rigid.state, &self.rigid.model);
        let bodies = energy::angular_momentum(state, model, Vec3::ZERO);
        let strands = self.strands.as_ref();
        let strands = strands.map_or(Vec3::ZERO, Strands::angular_momentum);
        let cloths = self
            .cloths
            .as_ref()
            .map_or(Vec3::ZERO, |c| c.system.momentum().1);
        bodies + strands + cloths
    }

    /// Mass of all bodies that have entered and move, and of all strands \[kg\].
    pub fn moving_mass(&self) -> f64 {
        let (state, model) = (&self.rigid.state, &self.rigid.model);
        let bodies: f64 = (0..model.len())
            .filter(|&i| state.present[i] && model.is_dynamic(i))
            .map(|i| model.mass[i])
            .sum();
        match &self.strands {
            Some(strands) => bodies + strands.mass(),
            None => bodies,
        }
    }

    /// Deepest penetration of any strand into a body, or into a strand where they touch \[m\]. Expensive: tests every
    /// segment.
    pub fn strand_penetration(&self) -> f64 {
        self.strands.as_ref().map_or(0.0, Strands::deepest)
    }

    /// Kinetic energy of all strands, and their energy of weight and elasticity \[J\].
    pub fn strand_energy(&self) -> [f64; 2] {
        self.strands.as_ref().map_or([0.0; 2], |strands| {
            [strands.kinetic_energy(), strands.potential_energy()]
        })
    }
}
