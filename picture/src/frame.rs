//! Frames to pictures: the bodies of a world as items of a picture, and where to look from.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_world::{Body, Frame, Motion, World};

use crate::render::{
    Camera, Image, Item, Settings, Surface, Triangles, accent, bounds, ground_colour, palette,
    render,
};

/// Faces that meet at more than this angle show an edge: its cosine [1].
const CREASE: f64 = 0.75;
/// Up to so many single bodies stand out; more look like stones.
const MOST_ACCENTS: usize = 12;
/// Dynamic bodies farther from the middle than so many times the 90th percentile are strays.
const STRAY: f64 = 3.0;

/// The picture of `frame`, a frame of `world`.
pub fn picture(world: &World, frame: &Frame, settings: &Settings) -> Image {
    let mut items = items(world, frame);
    items.extend(stage(world, frame));
    render(&items, &camera(world, frame, settings.aspect()), settings)
}

/// A floor under ground that has edges, so that it does not hang in the sky: at the lowest fixed
/// body's foot, unless there is a half-space, no weight, or something has fallen deeper.
fn stage(world: &World, frame: &Frame) -> Option<Item> {
    let model = &world.system().model;
    let endless = |shape: &Shape| matches!(shape, Shape::HalfSpace);
    if model.shape.iter().any(endless) || world.scene().gravity[1] >= 0.0 {
        return None;
    }
    let feet = |fixed: bool| {
        let wanted = move |body: &Body| (body.motion == Motion::Fixed) == fixed;
        let seen = (0..model.shape.len().min(frame.bodies.len()))
            .filter(move |&i| frame.bodies[i].visible && wanted(&world.bodies()[i]));
        seen.map(|i| model.shape[i].aabb(&frame.bodies[i].pose).low.y)
            .fold(f64::INFINITY, f64::min)
    };
    let (floor, lowest) = (feet(true), feet(false));
    (floor.is_finite() && lowest > floor - 1e-3).then(|| Item {
        surface: Surface::Ground,
        pose: Pose::at(Vec3::Y * floor),
        colour: ground_colour().map(|part| 0.72 * part),
    })
}

/// Every body that is to be seen in `frame`; a compound makes one item for each part.
pub fn items(world: &World, frame: &Frame) -> Vec<Item> {
    let colours = colours(world.bodies());
    let mut meshes = Meshes::default();
    let mut items = Vec::new();
    for (i, shape) in world.system().model.shape.iter().enumerate() {
        if let Some(body) = frame.bodies.get(i).filter(|body| body.visible) {
            add(&mut items, &mut meshes, shape, body.pose, colours[i]);
        }
    }
    items
}

/// The scene's camera, or one that shows what moves.
///
/// Fixed and scripted bodies count as far as they are not much larger than all that moves:
/// a pivot does, a floor does not. What has been thrown far away does not count either.
pub fn camera(world: &World, frame: &Frame, aspect: f64) -> Camera {
    if let Some(camera) = &world.scene().camera {
        return Camera {
            eye: Vec3::from(camera.eye),
            target: Vec3::from(camera.target),
            up: Vec3::Y,
            vertical_field_degrees: camera.view_degrees,
        };
    }
    let mut meshes = Meshes::default();
    let boxes: Vec<Option<(Vec3, Vec3)>> = world
        .system()
        .model
        .shape
        .iter()
        .zip(&frame.bodies)
        .map(|(shape, body)| {
            let mut items = Vec::new();
            if body.visible {
                add(&mut items, &mut meshes, shape, body.pose, [0.0; 3]);
            }
            bounds(&items)
        })
        .collect();
    let (low, high) = framed(world.bodies(), &boxes);
    Camera::framing(low, high, Camera::THREE_QUARTER, aspect)
}

/// The box to be held in the picture.
fn framed(bodies: &[Body], boxes: &[Option<(Vec3, Vec3)>]) -> (Vec3, Vec3) {
    let moving = |(body, _): &(&Body, &Option<(Vec3, Vec3)>)| body.motion == Motion::Dynamic;
    let pairs = || bodies.iter().zip(boxes);
    let mut chosen: Vec<(Vec3, Vec3)> = pairs().filter(moving).filter_map(|(_, b)| *b).collect();
    if chosen.is_empty() {
        chosen = boxes.iter().copied().flatten().collect();
    }

    // leave out strays: the median in each direction is the middle
    let middle = |b: &(Vec3, Vec3)| 0.5 * (b.0 + b.1);
    let median = |axis: fn(Vec3) -> f64| {
        let mut values: Vec<f64> = chosen.iter().map(|b| axis(middle(b))).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    let centre = Vec3::new(median(|v| v.x), median(|v| v.y), median(|v| v.z));
    if chosen.len() >= 10 {
        let away = |b: &(Vec3, Vec3)| (middle(b) - centre).length() + 0.5 * (b.1 - b.0).length();
        let mut distances: Vec<f64> = chosen.iter().map(away).collect();
        distances.sort_by(f64::total_cmp);
        let limit = STRAY * distances[distances.len() * 9 / 10];
        chosen.retain(|b| away(b) <= limit);
    }

    let all = |(low, high): (Vec3, Vec3), b: (Vec3, Vec3)| (low.min(b.0), high.max(b.1));
    let Some(moving_box) = chosen.into_iter().reduce(all) else {
        return (Vec3::splat(-0.5), Vec3::splat(0.5));
    };
    let size = (moving_box.1 - moving_box.0).length();
    pairs()
        .filter(|pair| !moving(pair))
        .filter_map(|(_, b)| *b)
        .filter(|b| (b.1 - b.0).length() <= 1.5 * size)
        .fold(moving_box, all)
}

/// A colour for each body, linear RGB: its own; else grey for what is fixed, iron for what
/// is scripted, stones for what comes by the dozen, and something lively for the few others.
fn colours(bodies: &[Body]) -> Vec<[f32; 3]> {
    let single = |body: &&Body| {
        body.motion == Motion::Dynamic && !by_the_dozen(body) && body.colour.is_none()
    };
    let lively = bodies.iter().filter(single).count() <= MOST_ACCENTS;
    let mut singles = 0;
    let colour = |(i, body): (usize, &Body)| match (body.colour, &body.motion) {
        (Some(colour), _) => colour.map(|part| part.clamp(0.0, 1.0) as f32),
        (None, Motion::Fixed) => ground_colour(),
        (None, Motion::Path(_)) => accent(0),
        (None, Motion::Dynamic) if lively && !by_the_dozen(body) && is_simple(&body.shape) => {
            singles += 1;
            accent(singles)
        }
        (None, Motion::Dynamic) => palette(i),
    };
    bodies.iter().enumerate().map(colour).collect()
}

/// Whether a generator made it: those name their bodies `NAME/...`.
fn by_the_dozen(body: &Body) -> bool {
    body.name.contains('/')
}

/// Whether one bright colour suits it; a large bright animal is too much.
fn is_simple(shape: &drystone_world::Shape) -> bool {
    use drystone_world::Shape;
    matches!(
        shape,
        Shape::Box { .. } | Shape::Sphere { .. } | Shape::Capsule { .. }
    )
}

/// Meshes made ready once, by the address of what they are made from.
type Meshes = BTreeMap<usize, Arc<Triangles>>;

fn add(items: &mut Vec<Item>, meshes: &mut Meshes, shape: &Shape, pose: Pose, colour: [f32; 3]) {
    let mut ready = |address: usize, vertices: &[Vec3], triangles: &[[u32; 3]]| {
        let mesh = meshes
            .entry(address)
            .or_insert_with(|| Arc::new(creased(vertices, triangles)));
        Surface::Triangles(mesh.clone())
    };
    let surface = match shape {
        Shape::Sphere { radius } => Surface::Sphere { radius: *radius },
        Shape::Box { half } => Surface::Box { half: *half },
        Shape::Capsule {
            half_length,
            radius,
        } => Surface::Capsule {
            half_length: *half_length,
            radius: *radius,
        },
        Shape::HalfSpace => Surface::Ground,
        Shape::Hull(hull) => ready(Arc::as_ptr(hull).addr(), hull.points(), hull.triangles()),
        Shape::Mesh(mesh) => ready(
            Arc::as_ptr(mesh).addr(),
            mesh.mesh().vertices(),
            mesh.mesh().triangles(),
        ),
        Shape::Compound(parts) => {
            for (place, part) in parts.iter() {
                add(items, meshes, part, pose.then(place), colour);
            }
            return;
        }
    };
    items.push(Item {
        surface,
        pose,
        colour,
    });
}

/// A mesh whose normals are smooth where faces meet gently, with edges elsewhere: each triangle
/// has corners of its own, with the sum of those neighbours' normals that lean the same way.
fn creased(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Triangles {
    let sound = |t: &&[u32; 3]| t.iter().all(|&i| (i as usize) < vertices.len());
    let triangles: Vec<[usize; 3]> = triangles
        .iter()
        .filter(sound)
        .map(|t| t.map(|i| i as usize))
        .collect();
    let normal = |t: &[usize; 3]| {
        let [a, b, c] = t.map(|i| vertices[i]);
        (b - a).cross(c - a)
    };
    let normals: Vec<Vec3> = triangles.iter().map(normal).collect();
    let mut around = vec![Vec::new(); vertices.len()];
    for (k, t) in triangles.iter().enumerate() {
        for &i in t {
            around[i].push(k);
        }
    }
    let mut mesh = Triangles::default();
    for (t, own) in triangles.iter().zip(&normals) {
        let first = mesh.vertices.len() as u32;
        for &i in t {
            let gentle = |n: &Vec3| n.dot(*own) >= CREASE * n.length() * own.length();
            mesh.vertices.push(vertices[i]);
            mesh.normals.push(
                around[i]
                    .iter()
                    .map(|&k| normals[k])
                    .filter(gentle)
                    .sum::<Vec3>(),
            );
        }
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    mesh
}

#[cfg(test)]
mod tests;
