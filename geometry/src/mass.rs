//! Mass, centre of mass and inertia of solids.

use std::f64::consts::PI;

use drystone_base::{Pose, Symmetric3, Vec3};

use crate::Shape;

/// Mass, centre of mass and inertia of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// \[kg\]
    pub mass: f64,
    /// Centre of mass in the shape's frame \[m\].
    pub centre: Vec3,
    /// About the centre, in the axes of the shape's frame \[kg m²\].
    pub inertia: Symmetric3,
}

impl MassProperties {
    /// No mass.
    pub const NONE: Self = Self {
        mass: 0.0,
        centre: Vec3::ZERO,
        inertia: Symmetric3::ZERO,
    };

    /// The properties in the frame in which the solid has `pose`.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        Self {
            mass: self.mass,
            centre: pose.point(self.centre),
            inertia: self.inertia.rotated(pose.rotation),
        }
    }

    /// Both solids as one, by the parallel axis theorem.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass <= 0.0 {
            return *self;
        }
        let centre = (self.centre * self.mass + other.centre * other.mass) / mass;
        let a = shifted(self, self.centre - centre);
        let b = shifted(other, other.centre - centre);
        Self {
            mass,
            centre,
            inertia: Symmetric3 {
                xx: a.xx + b.xx,
                yy: a.yy + b.yy,
                zz: a.zz + b.zz,
                xy: a.xy + b.xy,
                xz: a.xz + b.xz,
                yz: a.yz + b.yz,
            },
        }
    }

    /// The properties with the density changed so that the mass is `mass` \[kg\].
    #[must_use]
    pub fn scaled_to(&self, mass: f64) -> Self {
        let factor = mass / self.mass;
        let i = self.inertia;
        Self {
            mass,
            centre: self.centre,
            inertia: Symmetric3 {
                xx: i.xx * factor,
                yy: i.yy * factor,
                zz: i.zz * factor,
                xy: i.xy * factor,
                xz: i.xz * factor,
                yz: i.yz * factor,
            },
        }
    }
}

/// Inertia about a point `arm` away from the centre: `I + m (|r|² 1 - r rᵀ)`.
fn shifted(part: &MassProperties, arm: Vec3) -> Symmetric3 {
    let (m, i, r) = (part.mass, part.inertia, arm);
    Symmetric3 {
        xx: i.xx + m * (r.y * r.y + r.z * r.z),
        yy: i.yy + m * (r.x * r.x + r.z * r.z),
        zz: i.zz + m * (r.x * r.x + r.y * r.y),
        xy: i.xy - m * r.x * r.y,
        xz: i.xz - m * r.x * r.z,
        yz: i.yz - m * r.y * r.z,
    }
}

impl Shape {
    /// Mass, centre and inertia at `density` \[kg/m³\]; `None` for a half-space, which is endless.
    ///
    /// Where parts of a compound overlap, both count.
    pub fn mass_properties(&self, density: f64) -> Option<MassProperties> {
        let about_origin = |mass: f64, diagonal: Vec3| MassProperties {
            mass,
            centre: Vec3::ZERO,
            inertia: Symmetric3::diagonal(diagonal),
        };
        Some(match self {
            Self::Sphere { radius } => {
                let mass = density * self.volume();
                about_origin(mass, Vec3::splat(0.4 * mass * radius * radius))
            }
            Self::Box { half } => {
                let mass = density * self.volume();
                let s = *half * *half;
                about_origin(
                    mass,
                    mass / 3.0 * Vec3::new(s.y + s.z, s.x + s.z, s.x + s.y),
                )
            }
            Self::Capsule {
                half_length: l,
                radius: r,
            } => {
                // a cylinder and two half balls, whose centres lie 3/8 r beyond its ends
                let cylinder = density * PI * r * r * 2.0 * l;
                let ball = density * 4.0 / 3.0 * PI * r * r * r;
                let along = 0.5 * cylinder * r * r + 0.4 * ball * r * r;
                let across = cylinder * (0.25 * r * r + l * l / 3.0)
                    + ball * (0.4 * r * r + l * l + 0.75 * l * r);
                about_origin(cylinder + ball, Vec3::new(across, along, across))
            }
            Self::HalfSpace => return None,
            Self::Hull(hull) => hull.mass_properties(density),
            Self::Mesh(mesh) => mesh.mass_properties(density),
            Self::Compound(parts) => {
                let mut sum = MassProperties::NONE;
                for (at, part) in parts.iter() {
                    sum = sum.with(&part.mass_properties(density)?.placed(at));
                }
                sum
            }
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use drystone_base::{Mat3, random::Random};

    use super::*;
    use crate::query::closest_point;

    /// Mass, centre and inertia by throwing points into the bounding box.
    fn sampled(shape: &Shape, count: usize) -> MassProperties {
        let bounds = shape.aabb(&Pose::IDENTITY);
        let mut random = Random::new(11);
        let (mut hits, mut first, mut second) = (0.0, Vec3::ZERO, Mat3::ZERO);
        for _ in 0..count {
            let p = Vec3::new(
                random.range(bounds.low.x, bounds.high.x),
                random.range(bounds.low.y, bounds.high.y),
                random.range(bounds.low.z, bounds.high.z),
            );
            if closest_point(shape, &Pose::IDENTITY, p).distance <= 0.0 {
                hits += 1.0;
                first += p;
                second += Mat3::from_cols(p * p.x, p * p.y, p * p.z);
            }
        }
        let cell = bounds.extent().element_product() / count as f64;
        let centre = first / hits;
        let spread = second * (1.0 / hits)
            - Mat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z);
        let trace = spread.x_axis.x + spread.y_axis.y + spread.z_axis.z;
        let mass = hits * cell;
        MassProperties {
            mass,
            centre,
            inertia: Symmetric3::from_matrix(
                &((Mat3::from_diagonal(Vec3::splat(trace)) - spread) * mass),
            ),
        }
    }

    fn difference(a: &MassProperties, b: &MassProperties) -> f64 {
        let scale = a.inertia.xx.max(a.inertia.yy).max(a.inertia.zz);
        let turn = a.inertia.matrix() - b.inertia.matrix();
        let inertia = turn
            .to_cols_array()
            .iter()
            .fold(0.0f64, |m, x| m.max(x.abs()));
        (a.mass / b.mass - 1.0)
            .abs()
            .max((a.centre - b.centre).length())
            .max(inertia / scale)
    }

    #[test]
    fn closed_forms_agree_with_sampling() {
        let part = |x, y, z, turn, shape| {
            let axis = Vec3::new(0.6, 0.0, 0.8);
            let at = drystone_base::functions::rotation_about(axis, turn);
            (Pose::new(Vec3::new(x, y, z), at), shape)
        };
        let sphere = Shape::Sphere { radius: 0.7 };
        let block = Shape::Box {
            half: Vec3::new(0.3, 0.8, 0.5),
        };
        let capsule = Shape::Capsule {
            half_length: 0.6,
            radius: 0.4,
        };
        let compound = Shape::Compound(Arc::new(vec![
            part(1.0, 0.0, 0.2, 0.4, block.clone()),
            part(-1.0, 0.3, 0.0, 1.1, capsule.clone()),
        ]));
        for shape in [sphere, block, capsule, compound] {
            let exact = shape.mass_properties(1.0).unwrap();
            let error = difference(&exact, &sampled(&shape, 400_000));
            assert!(error < 0.01, "{shape:?}: off by {error:.1e}"); // measured: 0.004
        }
    }

    #[test]
    fn two_halves_of_a_box_make_the_box() {
        let whole = Shape::Box {
            half: Vec3::new(1.0, 0.5, 0.25),
        };
        let half = Shape::Box {
            half: Vec3::new(0.5, 0.5, 0.25),
        };
        let both = Shape::Compound(Arc::new(vec![
            (Pose::at(Vec3::new(0.5, 0.0, 0.0)), half.clone()),
            (Pose::at(Vec3::new(-0.5, 0.0, 0.0)), half),
        ]));
        let error = difference(
            &whole.mass_properties(7.0).unwrap(),
            &both.mass_properties(7.0).unwrap(),
        );
        assert!(error < 1e-15, "off by {error:.1e}"); // measured: 0
    }

    #[test]
    fn a_half_space_has_no_mass_properties() {
        assert!(Shape::HalfSpace.mass_properties(1.0).is_none());
    }
}
