//! What a page needs to know of a scene before its frames mean something: shapes, colours, names,
//! topology, where to look from, and the values that can be changed.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use drystone_geometry as geometry;
use drystone_picture::frame::{camera, items};
use drystone_picture::render::{Item, Surface};
use drystone_world::{Frame, Motion, Scene, SceneError, World};
use serde_json::{Value, json};

use crate::frame_index::{Curve, curve, sheet};

/// Width over height that cameras are made for \[1\].
const ASPECT: f64 = 1.6;

/// The description of `world`, whose frames carry `epoch`, and the origin of their positions.
pub(crate) fn describe(world: &World, session: usize, epoch: u32) -> (Value, Vec3) {
    // bodies, relative to whole metres near the camera's target
    let frame = world.frame();
    let camera = camera(world, &frame, ASPECT);
    let origin = whole(camera.target);
    let (shapes, bodies) = bodies(world, &frame);
    // strands, chains and particles
    let strands = frame.strands.iter().enumerate().map(|(k, strand)| {
        let radii: Vec<f64> = strand.radii.iter().map(|&r| short(r)).collect();
        let kind = match curve(world, k) {
            Some(Curve::Cloth { vertices, .. }) if vertices.len() == 1 => "particle",
            Some(Curve::Cloth { .. }) => "chain",
            _ => "strand",
        };
        json!({"name": &*strand.name, "points": strand.points.len(), "radii": radii,
               "colour": strand.colour, "kind": kind})
    });
    // cloth and its pins
    let cloths = frame.cloths.iter().enumerate().map(|(k, cloth)| {
        let own = sheet(world, k).zip(world.cloths());
        let pins = own.map(|(i, system)| system.model().sheets[i].pins.iter());
        let pinned: Vec<u32> = pins
            .into_iter()
            .flatten()
            .flat_map(|pin| pin.vertices.iter().copied())
            .collect();
        json!({"name": &*cloth.name, "points": cloth.points.len(), "pinned": pinned,
               "triangles": cloth.triangles.as_flattened(), "colour": cloth.colour})
    });
    let thickness = world
        .cloths()
        .map(|system| system.model().contact.thickness);
    let scene = world.scene();
    let value = json!({
        "type": "scene",
        "session": session,
        "epoch": epoch,
        "name": scene.name,
        "about": scene.about,
        "gravity": scene.gravity,
        "camera": {
            "eye": vector(camera.eye),
            "target": vector(camera.target),
            "degrees": camera.vertical_field_degrees,
        },
        "floor": floor(world, &frame),
        "shapes": shapes,
        "bodies": bodies,
        "strands": strands.collect::<Vec<_>>(),
        "cloths": cloths.collect::<Vec<_>>(),
        "thickness": thickness,
    });
    (value, origin)
}

/// The values of `scene` that can be changed while it runs, with the options in force.
pub(crate) fn settings(scene: &Scene) -> Result<Value, SceneError> {
    Ok(json!({
        "duration": scene.duration,
        "dt": scene.dt,
        "frame_rate": scene.frame_rate,
        "gravity": scene.gravity,
        "seed": scene.seed,
        "preset": scene.preset,
        "solver": { "rigid": scene.options()? },
        "material": scene.materials,
    }))
}

/// One body that came later.
pub(crate) fn added(world: &World, index: usize) -> Value {
    let mut frame = world.frame();
    for (i, body) in frame.bodies.iter_mut().enumerate() {
        body.visible = i == index;
        body.pose = Pose::IDENTITY;
    }
    frame.strands.clear();
    frame.cloths.clear();
    let mut shapes = Shapes::default();
    let parts = items(world, &frame);
    let parts: Vec<Value> = parts.iter().map(|item| shapes.part(item)).collect();
    json!({"shapes": shapes.list, "body": body(world, index, parts, [0.47, 0.064, 0.042])})
}

/// All shapes, each once, and the bodies made of them.
fn bodies(world: &World, frame: &Frame) -> (Vec<Value>, Vec<Value>) {
    // with every body at the origin, an item's pose is its place in the body
    let mut still = frame.clone();
    for body in &mut still.bodies {
        body.visible = true;
        body.pose = Pose::IDENTITY;
    }
    still.strands.clear();
    still.cloths.clear();
    let all = items(world, &still);
    let mut rest = all.as_slice();
    let mut shapes = Shapes::default();
    let made = (0..frame.bodies.len()).map(|i| {
        let count = match world.system().model.shape.get(i) {
            Some(geometry::Shape::Compound(parts)) => parts.len(),
            _ => 1,
        };
        let (own, after) = rest.split_at(count.min(rest.len()));
        rest = after;
        let colour = own.first().map_or([0.5; 3], |item| item.colour);
        let parts = own.iter().map(|item| shapes.part(item)).collect();
        body(world, i, parts, colour)
    });
    let made = made.collect();
    (shapes.list, made)
}

fn body(world: &World, index: usize, parts: Vec<Value>, colour: [f32; 3]) -> Value {
    let model = &world.system().model;
    let described = world.bodies().get(index);
    let motion = match described.map(|body| &body.motion) {
        Some(Motion::Dynamic) | None => "dynamic",
        Some(Motion::Fixed) => "fixed",
        Some(Motion::Path(_)) => "path",
    };
    let mass = model.mass.get(index).copied().filter(|m| m.is_finite());
    json!({
        "name": described.map_or("", |body| body.name.as_str()),
        "parts": parts,
        "colour": colour.map(|part| short(f64::from(part))),
        "motion": motion,
        "mass": mass,
        "material": described.map_or("", |body| body.material.as_str()),
    })
}

/// Shapes by what they are, so that thousands of equal ones are sent once.
#[derive(Default)]
struct Shapes {
    list: Vec<Value>,
    index: BTreeMap<String, usize>,
}

impl Shapes {
    /// A part of a body: its shape's number, then position and rotation.
    fn part(&mut self, item: &Item) -> Value {
        let key = match &item.surface {
            Surface::Triangles(mesh) => format!("mesh {}", Arc::as_ptr(mesh).addr()),
            other => format!("{other:?}"),
        };
        let next = self.list.len();
        let number = *self.index.entry(key).or_insert(next);
        if number == next {
            self.list.push(shape(&item.surface));
        }
        let Pose { position, rotation } = item.pose;
        json!([
            number, position.x, position.y, position.z, rotation.x, rotation.y, rotation.z,
            rotation.w
        ])
    }
}

fn shape(surface: &Surface) -> Value {
    match surface {
        Surface::Sphere { radius } => json!({"kind": "sphere", "radius": radius}),
        Surface::Box { half } => json!({"kind": "box", "size": vector(*half * 2.0)}),
        Surface::Capsule {
            half_length,
            radius,
        } => json!({"kind": "capsule", "length": 2.0 * half_length, "radius": radius}),
        Surface::Triangles(mesh) => {
            let flat = |list: &[Vec3]| -> Vec<f64> {
                list.iter().flat_map(|v| v.to_array().map(short)).collect()
            };
            let normals: Vec<Vec3> = mesh.normals.iter().map(|n| n.normalize_or_zero()).collect();
            json!({"kind": "mesh", "positions": flat(&mesh.vertices),
                   "normals": flat(&normals), "triangles": mesh.triangles.as_flattened()})
        }
        // strands are described apart
        other => {
            let ground = matches!(other, Surface::Ground);
            json!({"kind": if ground { "half-space" } else { "none" }})
        }
    }
}

/// Height of a floor to be drawn under fixed ground that has edges, if that makes sense \[m\].
fn floor(world: &World, frame: &Frame) -> Option<f64> {
    let model = &world.system().model;
    let endless = |shape: &geometry::Shape| matches!(shape, geometry::Shape::HalfSpace);
    if model.shape.iter().any(endless) || world.scene().gravity[1] >= 0.0 {
        return None;
    }
    let low = |i: usize| model.shape[i].aabb(&frame.bodies[i].pose).low.y;
    let fixed = |i: &usize| world.bodies()[*i].motion == Motion::Fixed;
    let feet = (0..frame.bodies.len().min(model.len()))
        .filter(fixed)
        .map(low);
    let floor = feet.fold(f64::INFINITY, f64::min);
    floor.is_finite().then_some(floor)
}

fn vector(v: Vec3) -> [f64; 3] {
    v.to_array()
}

/// Rounds to whole metres, so that the origin of frames is a short number.
fn whole(v: Vec3) -> Vec3 {
    if v.is_finite() { v.round() } else { Vec3::ZERO }
}

/// Seven digits are enough to draw.
fn short(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return 0.0;
    }
    let scale = 1e7 / 10f64.powi(x.abs().log10().ceil() as i32);
    (x * scale).round() / scale
}
