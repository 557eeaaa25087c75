//! From a scene's bodies to the rigid system's model.

use drystone_base::Vec3;
use drystone_common::{MaterialPair, Materials};
use drystone_geometry as geometry;
use drystone_rigid as rigid;

use crate::body::{DEFAULT_DENSITY, DEFAULT_MATERIAL};
use crate::{Body, Material, Motion, Scene, SceneError, Shape, Subject};

/// Turns bodies into rows of a model. Shapes that are expensive to prepare are prepared once.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    materials: Materials,
    prepared: Vec<(Shape, geometry::Shape)>,
}

/// Shapes remembered for the next body.
const MOST_PREPARED: usize = 16;

impl Builder {
    /// A builder for the materials of `scene`, and an empty model that knows them.
    pub(crate) fn new(scene: &Scene) -> Result<(Self, rigid::Model), SceneError> {
        let materials = scene.built_materials();
        let mut model = rigid::Model::new(Vec3::from(scene.gravity), materials.clone());
        model.fields = scene.built_fields()?;
        let builder = Self {
            materials,
            prepared: Vec::new(),
        };
        Ok((builder, model))
    }

    /// `body` as the rigid system wants it.
    pub(crate) fn body(&mut self, body: &Body) -> Result<rigid::Body, SceneError> {
        let place = Subject::named("body", &body.name);
        let material = find_material(&self.materials, place, &body.material)?;
        Ok(rigid::Body {
            name: body.name.clone(),
            shape: self.shape(&body.name, &body.shape)?,
            pose: body.pose(),
            weight: match body.mass {
                Some(mass) => rigid::Weight::Mass(mass),
                None => rigid::Weight::Density(body.density.unwrap_or(DEFAULT_DENSITY)),
            },
            motion: match &body.motion {
                Motion::Dynamic => rigid::Motion::Dynamic,
                Motion::Fixed => rigid::Motion::Fixed,
                Motion::Path(keys) => {
                    rigid::Motion::Scripted(crate::body::motion_path(keys, body.interpolation())?)
                }
            },
            linear_velocity: Vec3::from(body.velocity),
            angular_velocity: Vec3::from(body.angular_velocity),
            material,
            gravity_scale: body.gravity_scale,
            linear_damping: body.linear_damping,
            angular_damping: body.angular_damping,
            enters_at: body.enters_at,
        })
    }

    fn shape(&mut self, name: &str, shape: &Shape) -> Result<geometry::Shape, SceneError> {
        let dear = matches!(
            shape,
            Shape::Hull { .. } | Shape::Mesh(_) | Shape::Compound { .. }
        );
        if !dear {
            return solid(name, shape);
        }
        if let Some((_, ready)) = self.prepared.iter().find(|(known, _)| known == shape) {
            return Ok(ready.clone());
        }
        let ready = solid(name, shape)?;
        if self.prepared.len() == MOST_PREPARED {
            self.prepared.remove(0);
        }
        self.prepared.push((shape.clone(), ready.clone()));
        Ok(ready)
    }
}

impl Scene {
    /// Its materials by name, the one of whatever names none first, and what holds between each two.
    pub(crate) fn built_materials(&self) -> Materials {
        let default = self.materials.get(DEFAULT_MATERIAL).copied();
        let others = (self.materials.iter()).filter(|(name, _)| *name != DEFAULT_MATERIAL);
        let first = (DEFAULT_MATERIAL.to_owned(), default.unwrap_or_default());
        let others = others.map(|(name, material)| (name.clone(), *material));
        let (names, list): (Vec<String>, Vec<Material>) =
            std::iter::once(first).chain(others).unzip();
        let pairs = self.contacts.iter().filter_map(|contact| {
            let index = |name: &String| names.iter().position(|known| known == name);
            Some(MaterialPair {
                a: index(&contact.between[0])?,
                b: index(&contact.between[1])?,
                contact: contact.material(),
            })
        });
        let pairs = pairs.collect();
        Materials::new(list, pairs).named(names)
    }
}

/// Index of the material called `name`, which `place` asks for.
pub(crate) fn find_material(
    materials: &Materials,
    place: Subject,
    name: &str,
) -> Result<usize, SceneError> {
    let unknown = || SceneError::unknown(place, "material", name, materials.names());
    materials.find(name).ok_or_else(unknown)
}

/// `shape` of the body called `name`, ready to collide.
pub(crate) fn solid(name: &str, shape: &Shape) -> Result<geometry::Shape, SceneError> {
    let refused = |error: &dyn std::fmt::Display| {
        let place = Box::new(Subject::named("body", name));
        SceneError::Shape {
            place,
            reason: error.to_string(),
        }
    };
    let made = match shape {
        Shape::Box { size } => geometry::Shape::cuboid(Vec3::from(*size) * 0.5),
        Shape::Sphere { radius } => geometry::Shape::sphere(*radius),
        Shape::Capsule { length, radius } => geometry::Shape::capsule(0.5 * length, *radius),
        Shape::HalfSpace => Ok(geometry::Shape::HalfSpace),
        Shape::Hull { points } => {
            let points: Vec<Vec3> = points.iter().map(|&p| Vec3::from(p)).collect();
            geometry::Shape::hull(&points)
        }
        Shape::Compound { parts } => {
            let parts: Result<Vec<_>, SceneError> = parts
                .iter()
                .map(|part| Ok((part.pose(), solid(name, &part.shape)?)))
                .collect();
            geometry::Shape::compound(parts?)
        }
        Shape::Mesh(mesh) => return mesh.solid().map_err(|reason| refused(&reason)),
    };
    made.map_err(|error| refused(&error))
}
