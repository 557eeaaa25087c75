//! What stays fixed while a simulation runs: shapes, masses, materials, scripts.

use drystone_base::{Pose, Quat, Symmetric3, Vec3};
use drystone_common::{Materials, MotionPath, NamedField};
use drystone_geometry::Shape;

use crate::Error;

/// Mass of a body, given directly or by density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Weight {
    /// Mass per volume \[kg/m³\]; mass, centre and inertia follow from the shape.
    Density(f64),
    /// Total mass \[kg\]; centre and inertia follow from the shape.
    Mass(f64),
}

/// What moves a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Forces and contacts.
    Dynamic,
    /// Nothing.
    Fixed,
    /// A path in time of the shape's frame; contacts push others, never it.
    Scripted(MotionPath),
}

/// A body as a user describes it; [`Model::add`] turns it into a row of the model.
#[derive(Clone, Debug)]
pub struct Body {
    /// Unique in the model; what errors and frames call it.
    pub name: String,
    /// Its solid.
    pub shape: Shape,
    /// Where the shape's frame is at the start.
    pub pose: Pose,
    /// How heavy.
    pub weight: Weight,
    /// What moves it.
    pub motion: Motion,
    /// Velocity of the centre of mass at the start \[m/s\].
    pub linear_velocity: Vec3,
    /// Angular velocity at the start, world axes \[rad/s\].
    pub angular_velocity: Vec3,
    /// Index into the model's materials.
    pub material: usize,
    /// Factor on gravity \[1\].
    pub gravity_scale: f64,
    /// Fraction of the velocity lost per second, small \[1/s\].
    pub linear_damping: f64,
    /// Fraction of the spin lost per second, small \[1/s\].
    pub angular_damping: f64,
    /// Time at which the body appears; until then nothing collides with it \[s\].
    pub enters_at: f64,
}

impl Body {
    /// A dynamic body of density 1000 at the origin, at rest, there from the start.
    pub fn new(name: impl Into<String>, shape: Shape) -> Self {
        Self {
            name: name.into(),
            shape,
            pose: Pose::IDENTITY,
            weight: Weight::Density(1000.0),
            motion: Motion::Dynamic,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            material: 0,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
            enters_at: 0.0,
        }
    }
}

/// Every body's fixed data, one array per quantity, all of one length. The body frame has its
/// origin in the centre of mass and the axes of the shape's frame.
#[derive(Clone, Debug)]
pub struct Model {
    /// Unique names.
    pub name: Vec<String>,
    /// Solid of each body.
    pub shape: Vec<Shape>,
    /// The shape's frame in the body frame (a shift by minus the centre of mass).
    pub shape_offset: Vec<Vec3>,
    /// \[kg\]; fixed and scripted bodies: as described, though no contact moves them.
    pub mass: Vec<f64>,
    /// \[1/kg\], zero for fixed and scripted bodies.
    pub inverse_mass: Vec<f64>,
    /// Inertia in the body frame \[kg m²\].
    pub inertia_local: Vec<Symmetric3>,
    /// Body frame \[1/(kg m²)\], zero for fixed and scripted bodies.
    pub inverse_inertia_local: Vec<Symmetric3>,
    /// What moves each.
    pub motion: Vec<Motion>,
    /// Index into `materials`.
    pub material: Vec<usize>,
    /// Factor on gravity \[1\].
    pub gravity_scale: Vec<f64>,
    /// \[1/s\]
    pub linear_damping: Vec<f64>,
    /// \[1/s\]
    pub angular_damping: Vec<f64>,
    /// \[s\]
    pub enters_at: Vec<f64>,
    /// Of the body frame at the start.
    pub start_position: Vec<Vec3>,
    /// Of the body frame at the start.
    pub start_rotation: Vec<Quat>,
    /// \[m/s\]
    pub start_linear_velocity: Vec<Vec3>,
    /// \[rad/s\]
    pub start_angular_velocity: Vec<Vec3>,
    /// Smallest width of the shape; infinite of a half-space \[m\].
    pub thickness: Vec<f64>,
    /// What gaps and depths of its contacts are measured by: geometric mean of thickness and
    /// diameter; infinite where contacts do not move the body \[m\].
    pub length: Vec<f64>,
    /// Radius by which the shape's core is rounded; none where contacts do not tell \[m\].
    pub rounding: Vec<Option<f64>>,
    /// About how much larger the largest principal inertia is than the smallest \[1\].
    pub anisotropy: Vec<f64>,
    /// Friction and restitution between surfaces.
    pub materials: Materials,
    /// \[m/s²\]
    pub gravity: Vec3,
    /// Moving air, which acts through linear damping, and accelerations.
    pub fields: Vec<NamedField>,
}

impl Default for Model {
    fn default() -> Self {
        Self::new(Vec3::new(0.0, -9.81, 0.0), Materials::default())
    }
}

impl Model {
    /// A model without bodies.
    pub fn new(gravity: Vec3, materials: Materials) -> Self {
        Self {
            name: Vec::new(),
            shape: Vec::new(),
            shape_offset: Vec::new(),
            mass: Vec::new(),
            inverse_mass: Vec::new(),
            inertia_local: Vec::new(),
            inverse_inertia_local: Vec::new(),
            motion: Vec::new(),
            material: Vec::new(),
            gravity_scale: Vec::new(),
            linear_damping: Vec::new(),
            angular_damping: Vec::new(),
            enters_at: Vec::new(),
            start_position: Vec::new(),
            start_rotation: Vec::new(),
            start_linear_velocity: Vec::new(),
            start_angular_velocity: Vec::new(),
            thickness: Vec::new(),
            length: Vec::new(),
            rounding: Vec::new(),
            anisotropy: Vec::new(),
            materials,
            gravity,
            fields: Vec::new(),
        }
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.mass.len()
    }

    /// Whether there is no body.
    pub fn is_empty(&self) -> bool {
        self.mass.is_empty()
    }

    /// Whether forces and contacts move body `i`.
    #[inline]
    pub fn is_dynamic(&self, i: usize) -> bool {
        self.inverse_mass[i] > 0.0
    }

    /// Adds a body and returns its index, or says what is wrong with it.
    pub fn add(&mut self, body: Body) -> Result<usize, Error> {
        body.validate(self.materials.len())?;
        let dynamic = matches!(body.motion, Motion::Dynamic);

        // mass, centre and inertia of the solid
        let properties = match body.weight {
            Weight::Density(density) => body.shape.mass_properties(density),
            Weight::Mass(mass) => body.shape.mass_properties(1.0).map(|unit| {
                let scale = mass / unit.mass;
                drystone_geometry::MassProperties {
                    mass,
                    centre: unit.centre,
                    inertia: Symmetric3::from_matrix(&(unit.inertia.matrix() * scale)),
                }
            }),
        };
        let (mass, centre, inertia) = match properties {
            Some(p) => (p.mass, p.centre, p.inertia),
            None if dynamic => {
                return Err(Error::OutOfRange {
                    body: body.name,
                    what: "shape",
                    found: "endless".into(),
                    wanted: "a bounded solid, or `fixed` motion",
                });
            }
            None => (0.0, Vec3::ZERO, Symmetric3::ZERO),
        };
        let inverse_inertia = inertia.inverse();
        let usable = mass > 0.0 && mass.is_finite() && inverse_inertia.matrix().is_finite();
        if dynamic && !usable {
            return Err(Error::OutOfRange {
                body: body.name,
                what: "mass",
                found: format!("{mass} kg"),
                wanted: "a positive mass that f64 can invert, for a moving body",
            });
        }

        let pose = match &body.motion {
            Motion::Scripted(path) => path.pose(body.enters_at),
            _ => body.pose,
        };
        let norm = |m: &Symmetric3| {
            let m = m.matrix();
            let columns = m.x_axis.length_squared() + m.y_axis.length_squared();
            (columns + m.z_axis.length_squared()).sqrt()
        };
        let thickness = body.shape.thickness();
        self.thickness.push(thickness);
        self.length.push(if dynamic {
            let diameter = 2.0 * body.shape.bounding_radius(centre);
            (thickness * diameter).sqrt()
        } else {
            f64::INFINITY
        });
        self.rounding.push(body.shape.rounding());
        self.anisotropy.push(if dynamic {
            norm(&inertia) * norm(&inverse_inertia) / 3.0
        } else {
            1.0
        });
        self.name.push(body.name);
        self.shape.push(body.shape);
        self.shape_offset.push(-centre);
        self.mass.push(mass);
        self.inverse_mass
            .push(if dynamic { 1.0 / mass } else { 0.0 });
        self.inertia_local.push(inertia);
        self.inverse_inertia_local.push(if dynamic {
            inverse_inertia
        } else {
            Symmetric3::ZERO
        });
        self.motion.push(body.motion);
        self.material.push(body.material);
        self.gravity_scale.push(body.gravity_scale);
        self.linear_damping.push(body.linear_damping);
        self.angular_damping.push(body.angular_damping);
        self.enters_at.push(body.enters_at);
        self.start_position.push(pose.point(centre));
        self.start_rotation.push(pose.rotation);
        self.start_linear_velocity.push(body.linear_velocity);
        self.start_angular_velocity.push(body.angular_velocity);
        Ok(self.len() - 1)
    }
}

impl Body {
    fn validate(&self, materials: usize) -> Result<(), Error> {
        // how faults are named
        let finite = |what: &'static str, ok: bool, found: String| {
            if ok {
                Ok(())
            } else {
                Err(Error::NotFinite {
                    body: self.name.clone(),
                    what,
                    found,
                })
            }
        };
        let range = |what: &'static str, ok: bool, found: String, wanted: &'static str| {
            if ok {
                Ok(())
            } else {
                Err(Error::OutOfRange {
                    body: self.name.clone(),
                    what,
                    found,
                    wanted,
                })
            }
        };
        // pose and velocity
        let show = |v: Vec3| format!("({}, {}, {})", v.x, v.y, v.z);
        finite(
            "position",
            self.pose.position.is_finite(),
            show(self.pose.position),
        )?;
        let q = self.pose.rotation;
        let unit = (q.length() - 1.0).abs() < 1e-6;
        range(
            "rotation",
            unit,
            format!("{q}"),
            "a unit quaternion (x, y, z, w)",
        )?;
        finite(
            "velocity",
            self.linear_velocity.is_finite(),
            show(self.linear_velocity),
        )?;
        finite(
            "angular velocity",
            self.angular_velocity.is_finite(),
            show(self.angular_velocity),
        )?;
        finite(
            "gravity scale",
            self.gravity_scale.is_finite(),
            self.gravity_scale.to_string(),
        )?;
        for (what, d) in [
            ("linear damping", self.linear_damping),
            ("angular damping", self.angular_damping),
        ] {
            range(
                what,
                d >= 0.0 && d.is_finite(),
                format!("{d} 1/s"),
                "zero or more, finite",
            )?;
        }
        finite(
            "entry time",
            self.enters_at.is_finite(),
            self.enters_at.to_string(),
        )?;
        let weight = match self.weight {
            Weight::Density(d) => ("density", d),
            Weight::Mass(m) => ("mass", m),
        };
        if matches!(self.motion, Motion::Dynamic) {
            let ok = weight.1 > 0.0 && weight.1.is_finite();
            range(
                weight.0,
                ok,
                weight.1.to_string(),
                "more than zero and finite, for a moving body",
            )?;
        }
        range(
            "material",
            self.material < materials,
            format!("number {}", self.material),
            "one of the model's materials",
        )?;
        Ok(())
    }
}
