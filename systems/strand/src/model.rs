//! What stays fixed while a simulation runs: curves, parameters, base motions, fields.

use std::collections::BTreeSet;
use std::sync::Arc;

use drystone_base::Vec3;
use drystone_common::{Field, Materials};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chain::Chain;
use crate::elastic::{Law, TangentLaw};
use crate::posable::PoseTrack;
use crate::{Constraint, Error, MotionPath, NamedField, Obstacle, Profile, Ramp};

/// A curve of a strand, in the frame of its base: its points are the joints.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    /// Points from root to tip, at least two \[m\].
    #[schemars(with = "Vec<[f64; 3]>")]
    pub points: Vec<Vec3>,
    /// The point that the curve grows from; `None` for the base.
    #[serde(default)]
    pub branch: Option<Branch>,
    /// The shape without load, if it differs from the start: as many points \[m\].
    #[serde(default)]
    #[schemars(with = "Option<Vec<[f64; 3]>>")]
    pub rest: Option<Vec<Vec3>>,
    /// Hints for the x axis of each segment's frame; none: carried along without twist.
    #[serde(default)]
    #[schemars(with = "Option<Vec<[f64; 3]>>")]
    pub normals: Option<Vec<Vec3>>,
    /// Parameters of this curve, if they differ from the strand's.
    #[serde(default)]
    pub parameters: Option<Parameters>,
}

/// The place a curve grows from: a point of an earlier curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// Index of the curve.
    pub curve: usize,
    /// Index of the point on it; 0 is its root.
    pub point: usize,
}

impl Curve {
    /// A curve from the base through `points`.
    pub fn through(points: &[Vec3]) -> Self {
        Self {
            points: points.to_vec(),
            ..Self::default()
        }
    }

    /// `segments` equal segments from `start` to `end`.
    pub fn straight(start: Vec3, end: Vec3, segments: usize) -> Self {
        let point = |k| start + (end - start) * (k as f64 / segments as f64);
        Self::through(&(0..=segments).map(point).collect::<Vec<_>>())
    }

    /// Grows from a point of an earlier curve.
    #[must_use]
    pub fn growing_from(mut self, curve: usize, point: usize) -> Self {
        self.branch = Some(Branch { curve, point });
        self
    }
}

/// Physical parameters along a strand, each varying over length and time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// \[kg/m\]
    pub mass_per_length: Profile,
    /// \[m\]
    pub radius: Profile,
    /// `EI` of bending about the segment's x axis \[N m²\].
    pub bend_stiffness: Profile,
    /// `EI` of bending about z over that about x \[1\].
    pub bend_ratio: Profile,
    /// `GJ` \[N m²\]
    pub twist_stiffness: Profile,
    /// Damping of bending over its stiffness \[s\].
    pub bend_damping: Profile,
    /// Damping of twisting over its stiffness \[s\].
    pub twist_damping: Profile,
    /// Air drag per length, across the strand \[N s/m²\].
    pub drag: Profile,
    /// Drag along the strand over drag across it \[1\].
    pub drag_ratio: Profile,
    /// Factor on gravity \[1\].
    pub gravity: Profile,
    /// Factor on every field \[1\].
    pub field_weight: Profile,
    /// Spring to the posed tip of each segment \[N/m\].
    pub pose_strength: Profile,
    /// Damper to the posed tip of each segment \[N s/m\].
    pub pose_damping: Profile,
    /// `EA` \[N\]; none: segments keep their length.
    pub stretch_stiffness: Option<Profile>,
    /// Damping of stretching over its stiffness \[s\].
    pub stretch_damping: Profile,
    /// Factor on an obstacle's friction \[1\].
    pub friction_weight: Profile,
    /// Factor on an obstacle's restitution \[1\].
    pub restitution_weight: Profile,
    /// Of its surface, among the model's materials; none: an obstacle's own friction and restitution hold.
    pub material: Option<usize>,
}

impl Default for Parameters {
    /// A human hair: 40 µm, 4 GPa, 1300 kg/m³, in still air.
    fn default() -> Self {
        Self {
            mass_per_length: 6.5345e-6.into(),
            radius: 40e-6.into(),
            bend_stiffness: 8.042e-9.into(),
            bend_ratio: 1.0.into(),
            twist_stiffness: 6.434e-9.into(),
            bend_damping: 2e-3.into(),
            twist_damping: 2e-3.into(),
            drag: 0.0.into(),
            drag_ratio: 1.0.into(),
            gravity: 1.0.into(),
            field_weight: 1.0.into(),
            pose_strength: 0.0.into(),
            pose_damping: 0.0.into(),
            stretch_stiffness: None,
            stretch_damping: 2e-3.into(),
            friction_weight: 1.0.into(),
            restitution_weight: 1.0.into(),
            material: None,
        }
    }
}

impl Parameters {
    /// A solid round rod: radius \[m\], Young's modulus \[Pa\], density \[kg/m³\], Poisson's ratio \[1\].
    pub fn rod(radius: f64, young: f64, density: f64, poisson: f64) -> Self {
        let area = std::f64::consts::PI * radius * radius;
        let bend = young * area * radius * radius / 4.0;
        Self {
            mass_per_length: (density * area).into(),
            radius: radius.into(),
            bend_stiffness: bend.into(),
            twist_stiffness: (bend / (1.0 + poisson)).into(),
            ..Self::default()
        }
    }

    /// Name, value and whether zero is allowed.
    fn all(&self) -> [(&'static str, &Profile, bool); 17] {
        let stretch = self.stretch_stiffness.as_ref();
        [
            ("mass per length", &self.mass_per_length, false),
            ("radius", &self.radius, true),
            ("bend stiffness", &self.bend_stiffness, true),
            ("bend ratio", &self.bend_ratio, true),
            ("twist stiffness", &self.twist_stiffness, true),
            ("bend damping", &self.bend_damping, true),
            ("twist damping", &self.twist_damping, true),
            ("drag", &self.drag, true),
            ("drag ratio", &self.drag_ratio, true),
            ("gravity factor", &self.gravity, true),
            ("field weight", &self.field_weight, true),
            ("pose strength", &self.pose_strength, true),
            ("pose damping", &self.pose_damping, true),
            (
                "stretch stiffness",
                stretch.unwrap_or(&self.mass_per_length),
                false,
            ),
            ("stretch damping", &self.stretch_damping, true),
            ("friction weight", &self.friction_weight, true),
            ("restitution weight", &self.restitution_weight, true),
        ]
    }

    /// Refuses parameters that are not finite or out of range; `strand` is whose they are.
    pub fn validate(&self, strand: &str) -> Result<(), Error> {
        self.check(strand)
    }

    /// Whether any parameter changes in time.
    pub fn is_animated(&self) -> bool {
        self.all().iter().any(|(_, p, _)| p.is_animated())
    }

    pub(crate) fn check(&self, strand: &str) -> Result<(), Error> {
        for (what, parameter, zero) in self.all() {
            for ramp in [&parameter.along, &parameter.over_time] {
                check_ramp(strand, what, ramp)?;
                let least = ramp.least();
                let signed = what == "gravity factor" || what == "field weight";
                if !signed && (least < 0.0 || (least == 0.0 && !zero)) {
                    return Err(Error::Strand {
                        strand: strand.into(),
                        what: what.into(),
                        found: format!("{least}"),
                        wanted: if zero {
                            "zero or more"
                        } else {
                            "more than zero"
                        },
                    });
                }
            }
        }
        Ok(())
    }
}

pub(crate) fn check_ramp(strand: &str, what: &str, ramp: &Ramp) -> Result<(), Error> {
    let Some((found, wanted)) = ramp.fault() else {
        return Ok(());
    };
    Err(Error::Strand {
        strand: strand.into(),
        what: what.into(),
        found,
        wanted,
    })
}

/// What the first joints are fixed to, and the part of its motion that acts on them.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Motion of the base frame.
    pub path: MotionPath,
    /// Frame whose motion is taken out, by `local_dynamics`.
    pub reference: Option<MotionPath>,
    /// Time scale `β` on the velocity and acceleration of the base, over time \[1\].
    pub time_scale: Ramp,
    /// Local dynamics `γ`: part of the reference frame's motion that is taken out, over time \[1\].
    pub local_dynamics: Ramp,
    /// Index of the rigid body that the base is fixed to, and where in its frame: the strand then hangs
    /// from the body, which feels it, and the path counts for nothing but the start.
    pub body: Option<(usize, drystone_base::Pose)>,
}

impl Default for Base {
    fn default() -> Self {
        Self::on(MotionPath::fixed(drystone_base::Pose::IDENTITY))
    }
}

impl Base {
    /// Follows `path` and feels all of it.
    pub fn on(path: MotionPath) -> Self {
        Self {
            path,
            reference: None,
            time_scale: 1.0.into(),
            local_dynamics: 0.0.into(),
            body: None,
        }
    }
}

/// A strand as a user describes it; [`Model::add`] turns it into a [`Chain`].
#[derive(Clone, Debug)]
pub struct Strand {
    /// Unique in the model; what errors and reports call it.
    pub name: String,
    /// The first grows from the base, the others from the base or from earlier ones.
    pub curves: Vec<Curve>,
    /// Along each curve, unless it has its own.
    pub parameters: Parameters,
    /// The base that it hangs from.
    pub base: Base,
    /// Stiffness of the first joint over `EI` per segment length: 2 is clamped (the joint owns half
    /// a cell), 0 a free ball joint \[1\].
    pub root: f64,
    /// Pose to which the tips are pulled with `pose_strength`.
    pub pose: Option<PoseTrack>,
    /// Factors on single fields, by the field's name.
    pub field_weights: Vec<(String, Profile)>,
    /// Whether its segments touch each other, and those of other strands with this switch.
    pub collide: bool,
}

impl Strand {
    /// A strand of one curve, clamped to a base at rest at the origin.
    pub fn new(name: impl Into<String>, curve: Curve) -> Self {
        Self {
            name: name.into(),
            curves: vec![curve],
            parameters: Parameters::default(),
            base: Base::default(),
            root: 2.0,
            pose: None,
            field_weights: Vec::new(),
            collide: false,
        }
    }

    /// Sets the parameters.
    #[must_use]
    pub fn with(mut self, parameters: Parameters) -> Self {
        self.parameters = parameters;
        self
    }

    /// Sets the base.
    #[must_use]
    pub fn on(mut self, base: Base) -> Self {
        self.base = base;
        self
    }
}

/// All strands, fields and gravity.
#[derive(Clone)]
pub struct Model {
    /// Strands by index.
    pub chains: Vec<Chain>,
    /// Fields by index.
    pub fields: Vec<NamedField>,
    /// Obstacles by index.
    pub obstacles: Vec<Obstacle>,
    /// Constraints by index.
    pub constraints: Vec<Constraint>,
    /// Rigid bodies that take part, by index.
    pub bodies: Vec<crate::BodyModel>,
    /// Materials of surfaces, with friction and restitution between each two.
    pub materials: Materials,
    /// \[m/s²\]
    pub gravity: Vec3,
    /// Elasticity of the joints.
    pub law: Arc<dyn Law>,
    names: BTreeSet<String>,
}

impl Default for Model {
    fn default() -> Self {
        Self::new(Vec3::new(0.0, -9.81, 0.0))
    }
}

impl Model {
    /// A model without strands.
    pub fn new(gravity: Vec3) -> Self {
        Self {
            chains: Vec::new(),
            fields: Vec::new(),
            obstacles: Vec::new(),
            constraints: Vec::new(),
            bodies: Vec::new(),
            materials: Materials::default(),
            gravity,
            law: Arc::new(TangentLaw),
            names: BTreeSet::new(),
        }
    }

    /// Adds a field; strands weight it by its name.
    pub fn add_field(&mut self, field: NamedField) -> Result<usize, Error> {
        let fault = |what, found, wanted| Error::Field {
            field: field.name.clone(),
            what,
            found,
            wanted,
        };
        if self.fields.iter().any(|other| other.name == field.name) {
            return Err(fault("the name", "used twice".into(), "a name of its own"));
        }
        if let Some((what, found, wanted)) = field.fault() {
            return Err(fault(what, found, wanted));
        }
        self.fields.push(field);
        Ok(self.fields.len() - 1)
    }

    /// Adds a strand, after the fields that it weights; its index is returned.
    pub fn add(&mut self, strand: Strand) -> Result<usize, Error> {
        if self.names.contains(&strand.name) {
            return Err(Error::SameName(strand.name));
        }
        let chain = Chain::new(strand, &self.fields)?;
        self.names.insert(chain.name.clone());
        self.chains.push(chain);
        Ok(self.chains.len() - 1)
    }

    /// Number of strands.
    pub fn len(&self) -> usize {
        self.chains.len()
    }

    /// Whether there is no strand.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty()
    }

    /// Lets the name of strand `i` be used again.
    pub(crate) fn forget(&mut self, i: usize) {
        self.names.remove(&self.chains[i].name);
    }

    /// Index of the strand called `name`.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.chains.iter().position(|chain| chain.name == name)
    }
}
