//! What cloth is made of, as a scene file says it.

use drystone_cloth::{Material, Stretch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a cloth is made of. Whatever is left out is that of plain cotton.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClothMaterial {
    /// Mass of an area \[kg/m²\].
    pub density: f64,
    /// Mass of every vertex besides; for particles and chains \[kg\].
    pub vertex_mass: f64,
    /// What resists stretching.
    pub stretch: Stretch,
    /// Dashpot along every edge \[N s/m\].
    pub stretch_damping: f64,
    /// Bending stiffness, `V = k 3|e|²/A (θ - θ₀)²` at every inner edge; half the bending rigidity of the fabric
    /// \[N m\] (Grinspun 2003, eq. 1).
    pub bending: f64,
    /// Damping of every inner edge's angle \[N m s\].
    pub bending_damping: f64,
    /// Coulomb's coefficient; of a pair, the geometric mean \[1\].
    pub friction: f64,
    /// Coefficient of restitution, speed out over speed in; of a pair, the larger \[1\].
    pub restitution: f64,
    /// Name of the material of its surface, one of those of bodies: friction and restitution then follow from it and
    /// the material of what it touches, not from the two above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_material: Option<String>,
    /// Drag of an area in moving air \[kg/(m² s)\].
    pub drag: f64,
}

impl Default for ClothMaterial {
    /// Plain cotton: 150 g/m², and as limp as a strip that hangs over a table's edge with a bending length of 1.9 cm
    /// (rigidity `B = w c³`, of which half is `bending`). Stretching is softer than woven cotton, which would ask for
    /// shorter periods, but does not show: a metre of it gives 2 mm under its own weight.
    fn default() -> Self {
        Self {
            density: 0.15,
            vertex_mass: 0.0,
            stretch: Stretch::Spring(750.0),
            stretch_damping: 0.1,
            bending: 5e-6,
            bending_damping: 0.0,
            friction: 0.4,
            restitution: 0.0,
            contact_material: None,
            drag: 0.0,
        }
    }
}

impl From<&ClothMaterial> for Material {
    fn from(cloth: &ClothMaterial) -> Self {
        Self {
            density: cloth.density,
            vertex_mass: cloth.vertex_mass,
            stretch: cloth.stretch,
            stretch_damping: cloth.stretch_damping,
            bending: cloth.bending,
            bending_damping: cloth.bending_damping,
            friction: cloth.friction,
            restitution: cloth.restitution,
            drag: cloth.drag,
        }
    }
}
