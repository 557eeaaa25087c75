//! The scene: plain data that says all there is to simulate. What can be said in code can be
//! said in a file, and round-trips.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::body::DEFAULT_MATERIAL;
use crate::defaults::is_default;
use crate::error::ensure;
use crate::tie::{TIED, is_tied};
use crate::touch::{TOUCHING, may_touch};
use crate::{
    Body, BodyId, Cloth, Field, Generator, Groom, Material, Mesh, Pattern, SceneError, Shape,
    Solvers, Strand, Subject, Surface, Truth,
};

/// Everything there is to simulate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
// read by `solver.rs`, which knows words of older files
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct Scene {
    /// Short name, such as `falling-roof`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// One line that says what it shows.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// How long to simulate \[s\].
    pub duration: f64,
    /// Longest step \[s\]; shortened where a frame is not a whole number of steps.
    pub dt: f64,
    /// Frames written per second \[1/s\].
    pub frame_rate: f64,
    /// \[m/s²\]
    pub gravity: [f64; 3],
    /// Where the random numbers of generators start.
    #[serde(skip_serializing_if = "is_default")]
    pub seed: u32,
    /// Options by name, where `solver.rigid` does not say otherwise: `default`, `paper`, `repaired`,
    /// `converged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// How surfaces rub and bounce, by name. Between two materials friction is the geometric
    /// mean of both, restitution the larger, unless a `contact` says otherwise.
    #[serde(rename = "material", skip_serializing_if = "BTreeMap::is_empty")]
    pub materials: BTreeMap<String, Material>,
    /// Friction and restitution between two given materials.
    #[serde(rename = "contact", skip_serializing_if = "Vec::is_empty")]
    pub contacts: Vec<Contact>,
    /// Where to look from; chosen to show everything if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub camera: Option<crate::Camera>,
    /// Bodies one by one.
    #[serde(rename = "body", skip_serializing_if = "Vec::is_empty")]
    pub bodies: Vec<Body>,
    /// Generators of many bodies each.
    #[serde(rename = "generate", skip_serializing_if = "Vec::is_empty")]
    pub generators: Vec<Generator>,
    /// Strands one by one: hair, ropes, ears, trees.
    #[serde(rename = "strand", skip_serializing_if = "Vec::is_empty")]
    pub strands: Vec<Strand>,
    /// Grooms of many strands each.
    #[serde(rename = "groom", skip_serializing_if = "Vec::is_empty")]
    pub grooms: Vec<Groom>,
    /// Cloth, chains and particles through which nothing passes.
    #[serde(rename = "cloth", skip_serializing_if = "Vec::is_empty")]
    pub cloths: Vec<Cloth>,
    /// Wind and other fields; they act on bodies, strands and cloth.
    #[serde(rename = "field", skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<Field>,
    /// How each system is solved.
    #[serde(skip_serializing_if = "is_default")]
    pub solver: Solvers,
    /// What must hold when the scene is run.
    #[serde(rename = "truth", skip_serializing_if = "Vec::is_empty")]
    pub truths: Vec<Truth>,
}

/// Friction and restitution between two given materials, instead of what follows from each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contact {
    /// The two materials by name; the same twice for a material against itself.
    pub between: [String; 2],
    /// Coulomb's coefficient of what slides, and of what rests too unless `static_friction` is given; `dynamic_friction`
    /// in files is the same word \[1\].
    #[serde(alias = "dynamic_friction")]
    pub friction: f64,
    /// Coulomb's coefficient of what rests, at least `friction` \[1\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Newton's coefficient, 0 to 1 \[1\].
    #[serde(default, skip_serializing_if = "is_default")]
    pub restitution: f64,
}

impl Contact {
    /// Friction and restitution between its two materials.
    pub(crate) fn material(&self) -> Material {
        Material {
            friction: self.friction,
            static_friction: self.static_friction,
            restitution: self.restitution,
        }
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            duration: 10.0,
            dt: 0.01,
            frame_rate: 50.0,
            gravity: [0.0, -9.81, 0.0],
            seed: 0,
            preset: None,
            materials: BTreeMap::new(),
            contacts: Vec::new(),
            camera: None,
            bodies: Vec::new(),
            generators: Vec::new(),
            strands: Vec::new(),
            grooms: Vec::new(),
            cloths: Vec::new(),
            fields: Vec::new(),
            solver: Solvers::default(),
            truths: Vec::new(),
        }
    }
}

/// Most segments of strands in a scene.
pub const MOST_SEGMENTS: u64 = 20_000_000;
/// Most bodies in a scene.
pub const MOST_BODIES: u64 = 1_000_000;
/// Longest run \[s\].
pub const LONGEST: f64 = 1e6;
/// Most steps of a run.
const MOST_STEPS: f64 = 1e9;

impl Scene {
    /// An empty scene: 10 s in steps of 0.01 s, gravity 9.81 m/s² downwards.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a generator of many bodies.
    pub fn generate(&mut self, generator: Generator) -> &mut Self {
        self.generators.push(generator);
        self
    }

    /// Adds a groom of many strands.
    pub fn groom(&mut self, groom: Groom) -> &mut Self {
        self.grooms.push(groom);
        self
    }

    /// Adds a field.
    pub fn field(&mut self, field: Field) -> &mut Self {
        self.fields.push(field);
        self
    }

    /// Adds an infinite floor at y = 0, called `ground`.
    pub fn ground(&mut self) -> BodyId {
        self.add(Body::new(Shape::HalfSpace).named("ground").fixed())
    }

    /// Adds a fixed box of the given full extents with its top at y = 0 \[m\], called `ground`.
    pub fn ground_slab(&mut self, x: f64, y: f64, z: f64) -> BodyId {
        self.add(
            Body::block(x, y, z)
                .named("ground")
                .at(0.0, -0.5 * y, 0.0)
                .fixed(),
        )
    }

    /// Sets a material; `default` is what bodies are made of that name none.
    pub fn material(
        &mut self,
        name: impl Into<String>,
        friction: f64,
        restitution: f64,
    ) -> &mut Self {
        self.materials.insert(
            name.into(),
            Material {
                friction,
                restitution,
                ..Material::default()
            },
        );
        self
    }

    /// Sets what holds between materials `a` and `b`.
    pub fn contact(&mut self, a: &str, b: &str, friction: f64, restitution: f64) -> &mut Self {
        self.contacts.push(Contact {
            between: [a.into(), b.into()],
            friction,
            static_friction: None,
            restitution,
        });
        self
    }

    /// Adds something that must hold.
    pub fn truth(&mut self, truth: Truth) -> &mut Self {
        self.truths.push(truth);
        self
    }

    /// Steps that make one frame.
    pub fn steps_per_frame(&self) -> u32 {
        let ratio = 1.0 / (self.frame_rate * self.longest_step());
        (ratio - 1e-9 * ratio).ceil().clamp(1.0, 1e9) as u32
    }

    /// Steps of strands in one of the bodies.
    pub(crate) fn strand_steps(&self) -> u32 {
        let steps = self.steps_per_frame();
        self.solver.strand.steps_per_frame.div_ceil(steps)
    }

    /// `dt`, and no more than ties and contact of strands and cloth allow \[s\].
    fn longest_step(&self) -> f64 {
        match (may_touch(self), is_tied(self)) {
            (true, _) => self.dt.min(TOUCHING),
            (false, true) => self.dt.min(TIED),
            (false, false) => self.dt,
        }
    }

    /// The step taken \[s\]: `dt`, or the next shorter one of which a whole number makes a frame; at most 2.5 ms where
    /// strands and cloth are tied to each other, and 1 ms where they may touch.
    pub fn step(&self) -> f64 {
        let steps = f64::from(self.steps_per_frame());
        let exact = 1.0 / (self.frame_rate * steps);
        let longest = self.longest_step();
        if (exact - longest).abs() <= 1e-9 * longest {
            longest
        } else {
            exact
        }
    }

    /// Frames of the whole run, without the one at the start.
    pub fn frames(&self) -> u64 {
        (self.duration * self.frame_rate - 1e-6).ceil().max(0.0) as u64
    }

    /// Every body, those of generators included, each with its own name.
    pub fn expand(&self) -> Result<Vec<Body>, SceneError> {
        let mut total = self.bodies.len() as u64;
        for generator in &self.generators {
            total = total.saturating_add(generator.count());
            if total > MOST_BODIES {
                return Err(SceneError::TooMany {
                    place: generator.place().into(),
                    found: generator.count(),
                    limit: MOST_BODIES,
                });
            }
        }
        let mut bodies = self.bodies.clone();
        for (i, body) in bodies.iter_mut().enumerate() {
            if body.name.is_empty() {
                body.name = format!("{}-{i}", body.shape.kind());
            }
        }
        for (i, generator) in self.generators.iter().enumerate() {
            let seed = u64::from(self.seed) << 32 | u64::from(generator.seed);
            bodies.extend(generator.expand(i, seed)?);
        }
        Ok(bodies)
    }

    /// Every strand, those of grooms included, each with its own name.
    pub fn expand_strands(&self) -> Result<Vec<Strand>, SceneError> {
        self.strands_among(&self.expand()?)
    }

    /// As [`Self::expand_strands`], where all `bodies` are known already.
    fn strands_among(&self, bodies: &[Body]) -> Result<Vec<Strand>, SceneError> {
        let own = self
            .strands
            .iter()
            .map(|s| (Subject::from("scene"), s.count()));
        let groomed = self.grooms.iter().map(|g| (g.place(), g.count()));
        let mut total = 0u64;
        for (place, count) in own.chain(groomed) {
            total = total.saturating_add(count);
            if total > MOST_SEGMENTS {
                return Err(SceneError::TooManySegments {
                    place: place.into(),
                    found: total,
                    limit: MOST_SEGMENTS,
                });
            }
        }
        let mut strands = self.strands.clone();
        for (i, strand) in strands.iter_mut().enumerate() {
            if strand.name.is_empty() {
                strand.name = format!("strand-{i}");
            }
        }
        for (i, groom) in self.grooms.iter().enumerate() {
            let seed = u64::from(self.seed) << 32 | u64::from(groom.seed);
            strands.extend(groom.expand(i, seed, bodies)?);
        }
        Ok(strands)
    }

    /// The same scene with every generator replaced by its bodies and every groom by its strands.
    pub fn expanded(&self) -> Result<Self, SceneError> {
        let bodies = self.expand()?;
        Ok(Self {
            strands: self.strands_among(&bodies)?,
            bodies,
            generators: Vec::new(),
            grooms: Vec::new(),
            ..self.named()
        })
    }

    /// Calls `act` with every mesh of the scene, those in compounds and generators included, until
    /// it fails; this is how a reader replaces files by what is in them.
    pub fn for_each_mesh<E>(
        &mut self,
        mut act: impl FnMut(&mut Mesh) -> Result<(), E>,
    ) -> Result<(), E> {
        fn visit<E>(
            shape: &mut Shape,
            act: &mut impl FnMut(&mut Mesh) -> Result<(), E>,
        ) -> Result<(), E> {
            match shape {
                Shape::Mesh(mesh) => act(mesh),
                Shape::Compound { parts } => parts
                    .iter_mut()
                    .try_for_each(|part| visit(&mut part.shape, act)),
                _ => Ok(()),
            }
        }
        self.bodies
            .iter_mut()
            .try_for_each(|body| visit(&mut body.shape, &mut act))?;
        for cloth in &mut self.cloths {
            if let Surface::Mesh(mesh) = &mut cloth.surface {
                act(mesh)?;
            }
        }
        for generator in &mut self.generators {
            let shapes = match &mut generator.pattern {
                Pattern::Stack(p) => std::slice::from_mut(&mut p.shape),
                Pattern::Line(p) => &mut p.shapes,
                Pattern::Grid(p) => &mut p.shapes,
                Pattern::Column(p) => &mut p.shapes,
                Pattern::Fill(p) => &mut p.shapes,
                _ => continue,
            };
            shapes
                .iter_mut()
                .try_for_each(|shape| visit(shape, &mut act))?;
        }
        Ok(())
    }

    /// Says what is wrong with the scene, if something is.
    pub fn validate(&self) -> Result<(), SceneError> {
        let (bodies, strands) = self.check()?;
        if !strands.is_empty() {
            // strands are looked at as they are built; what they collide with has been
            crate::strand::build::build(&self.named(), &strands, &bodies, None)?;
        }
        if !self.cloths.is_empty() {
            let built =
                crate::cloth::build::build(&self.named(), (&bodies, &strands), None, (&[], &[]))?;
            drystone_cloth::System::new(built.model, self.solver.cloth.events.clone())?;
        }
        Ok(())
    }

    /// The same scene with every cloth named.
    pub(crate) fn named(&self) -> Self {
        let mut scene = self.clone();
        for (i, cloth) in scene.cloths.iter_mut().enumerate() {
            if cloth.name.is_empty() {
                cloth.name = format!("cloth-{i}");
            }
        }
        scene
    }

    /// Every body and every strand of a scene in which nothing is wrong with its bodies.
    pub(crate) fn check(&self) -> Result<(Vec<Body>, Vec<Strand>), SceneError> {
        self.check_settings()?;
        self.check_materials()?;
        let bodies = self.expand()?;
        let strands = self.strands_among(&bodies)?;
        if bodies.is_empty() && strands.is_empty() && self.cloths.is_empty() {
            return Err(SceneError::Empty);
        }
        let mut names = BTreeSet::new();
        for body in &bodies {
            body.validate()?;
            if !names.insert(body.name.as_str()) {
                return Err(SceneError::SameName(body.name.clone()));
            }
            if body.material != DEFAULT_MATERIAL && !self.materials.contains_key(&body.material) {
                return Err(self.no_material(&Subject::named("body", &body.name), &body.material));
            }
        }
        for truth in &self.truths {
            truth.validate(&bodies, &strands, &self.cloths)?;
        }
        Ok((bodies, strands))
    }

    fn check_settings(&self) -> Result<(), SceneError> {
        let place = &Subject::from("scene");
        place.within("duration", self.duration, 0.0..=LONGEST, "s")?;
        place.within("dt", self.dt, 1e-9..=10.0, "s")?;
        place.within("frame_rate", self.frame_rate, 1e-6..=1e9, "1/s")?;
        ensure(
            self.duration / self.step() <= MOST_STEPS,
            place,
            "duration",
            format!("{} steps long", self.duration / self.step()),
            "at most 1e9 steps",
        )?;
        place.finite("gravity", &self.gravity, 1e6, "m/s²")?;
        if let Some(camera) = &self.camera {
            camera.check(place)?;
        }
        self.options()?.validate()?;
        self.solver.strand.validate()?;
        self.solver.cloth.events.validate()?;
        Ok(())
    }

    fn check_materials(&self) -> Result<(), SceneError> {
        let check = |place: &Subject, material: Material| {
            let (friction, restitution) = (material.friction, material.restitution);
            place.within("friction", friction, 0.0..=1e3, "")?;
            ensure(
                (friction..=1e3).contains(&material.at_rest()),
                place,
                "static_friction",
                material.at_rest(),
                &format!("at least `friction`, which is {friction}, and at most 1000"),
            )?;
            place.within("restitution", restitution, 0.0..=1.0, "")
        };
        for (name, material) in &self.materials {
            check(&Subject::named("material", name), *material)?;
        }
        for (i, contact) in self.contacts.iter().enumerate() {
            let place = Subject::numbered("contact", i);
            check(&place, contact.material())?;
            for name in &contact.between {
                if name != DEFAULT_MATERIAL && !self.materials.contains_key(name) {
                    return Err(self.no_material(&place, name));
                }
            }
        }
        Ok(())
    }

    fn no_material(&self, place: &Subject, name: &str) -> SceneError {
        let known = self
            .materials
            .keys()
            .map(String::as_str)
            .chain([DEFAULT_MATERIAL]);
        SceneError::unknown(place, "material", name, known)
    }
}
