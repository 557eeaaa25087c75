//! Parameters of a strand at one time, by link: what the step computes with.

use drystone_base::Vec3;

use crate::chain::Chain;
use crate::elastic::JointStiffness;
use crate::spatial::Inertia;

/// Numbers of one link and the joint it hangs by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkProperties {
    /// \[kg\]
    pub mass: f64,
    /// Half the segment \[m\]: the centre of mass is this far along y.
    pub half: f64,
    /// \[m\]
    pub radius: f64,
    /// Second moments `∫ξ_k² dm` about the centre \[kg m²\], `J_k = ½ tr I − I_kk`.
    pub second_moments: Vec3,
    /// Stiffness of the joint \[N m\].
    pub stiffness: JointStiffness,
    /// `C` of the joint, in the axes of the link \[N m s\].
    pub damping: Vec3,
    /// Stiffness and damping of stretching along the link \[N/m\], \[N s/m\]; `None` where it does not stretch.
    pub stretch: Option<(f64, f64)>,
    /// Drag of the whole segment, across it \[N s/m\].
    pub drag: f64,
    /// Drag along over drag across \[1\].
    pub drag_ratio: f64,
    /// Factor on gravity \[1\].
    pub gravity: f64,
    /// Factors on an obstacle's friction and restitution \[1\].
    pub friction_weight: f64,
    /// See `friction_weight`.
    pub restitution_weight: f64,
    /// Material of its surface, among the model's materials.
    pub material: Option<usize>,
    /// Spring to the posed tip \[N/m\].
    pub pose_strength: f64,
    /// Damper to the posed tip \[N s/m\].
    pub pose_damping: f64,
}

impl LinkProperties {
    /// Of a solid cylinder: `I_axial = ½mr²`, `I_transverse = m(r²/4 + l²/12)`.
    pub fn inertia(&self) -> Inertia {
        let j = self.second_moments;
        Inertia {
            mass: self.mass,
            centre: Vec3::Y * self.half,
            moments: Vec3::new(j.y + j.z, j.z + j.x, j.x + j.y),
        }
    }
}

/// All links of a strand.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// Properties by link.
    pub links: Vec<LinkProperties>,
    /// Weight of each field on each link: `field * links + link`.
    pub field_weights: Vec<f64>,
}

impl Properties {
    /// Samples the parameters at time `t` \[s\]: stiffness at joints, the rest at segment middles.
    pub fn sample(&mut self, chain: &Chain, t: f64) {
        self.links.clear();
        for j in 0..chain.len() {
            let p = &chain.parameters[chain.source[j].0];
            let (s, m, length) = (chain.at_joint[j], chain.at_middle[j], chain.length[j]);
            // mass and second moments of a cylinder
            let mass = p.mass_per_length.at(m, t) * length;
            let radius = p.radius.at(m, t);
            let long = mass * length * length / 12.0;
            // a thread thinner than a two-thousandth of its segments turns as if it were so thick:
            // its free twist must not be left to rounding
            let round = (0.25 * mass * radius * radius).max(1e-6 * long);
            // stiffness and damping of the joint: rod values over the length of its cell
            let per_cell = chain.stiffening / chain.cell[j];
            let bend = p.bend_stiffness.at(s, t) * per_cell;
            let stiffness = JointStiffness {
                bend_x: bend,
                bend_z: bend * p.bend_ratio.at(s, t),
                twist: p.twist_stiffness.at(s, t) * per_cell,
            };
            let (tau_b, tau_t) = (p.bend_damping.at(s, t), p.twist_damping.at(s, t));
            let stretch = p.stretch_stiffness.as_ref().map(|stretch| {
                let cell = if chain.cell[j].is_finite() {
                    chain.cell[j]
                } else {
                    0.5 * length
                };
                let k = stretch.at(s, t) / cell;
                (k, k * p.stretch_damping.at(s, t))
            });
            self.links.push(LinkProperties {
                mass,
                half: 0.5 * length,
                radius,
                second_moments: Vec3::new(round, long, round),
                stiffness,
                damping: Vec3::new(
                    stiffness.bend_x * tau_b,
                    stiffness.twist * tau_t,
                    stiffness.bend_z * tau_b,
                ),
                stretch,
                drag: p.drag.at(m, t) * length,
                drag_ratio: p.drag_ratio.at(m, t),
                gravity: p.gravity.at(m, t),
                friction_weight: p.friction_weight.at(m, t),
                restitution_weight: p.restitution_weight.at(m, t),
                material: p.material,
                pose_strength: p.pose_strength.at(m, t),
                pose_damping: p.pose_damping.at(m, t),
            });
        }
        // weights of fields, field by field
        self.field_weights.clear();
        for weight in &chain.field_weights {
            for j in 0..chain.len() {
                let p = &chain.parameters[chain.source[j].0];
                let (m, own) = (chain.at_middle[j], weight.as_ref());
                let w = p.field_weight.at(m, t) * own.map_or(1.0, |w| w.at(m, t));
                self.field_weights.push(w);
            }
        }
    }
}
