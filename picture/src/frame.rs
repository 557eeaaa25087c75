//! Frames to pictures: the bodies, strands and cloths of a world as items of a picture, and where to
//! look from.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_world::{Body, Frame, FrameCloth, FrameStrand, Motion, World};

use crate::render::{
    Camera, Curve, Image, Item, Settings, Surface, Triangles, accent, bounds, fabric,
    ground_colour, hair, palette, render,
};

/// Faces that meet at more than this angle show an edge: its cosine \[1\].
const CREASE: f64 = 0.75;
/// Most bodies that get accent colours of their own; if there are more, all look like stones.
const MOST_ACCENTS: usize = 12;
/// Multiple of the 90th percentile of distances from the middle beyond which a dynamic body is a stray.
const STRAY: f64 = 3.0;

/// The picture of `frame`, a frame of `world`.
pub fn picture(world: &World, frame: &Frame, settings: &Settings) -> Image {
    Scenery::of(world).picture(frame, settings)
}

/// What pictures need to know of a world besides its frames: shapes made ready and coloured, and
/// where the scene looks from. Can go to other threads while the world runs on.
#[derive(Clone, Debug)]
pub struct Scenery {
    bodies: Vec<Seen>,
    /// Camera of the scene, if it has one.
    camera: Option<drystone_world::Camera>,
    /// Whether there is a half-space, or nothing falls: then no floor is added.
    floorless: bool,
}

/// One body.
#[derive(Clone, Debug)]
struct Seen {
    /// Surfaces and where they are in the body's frame.
    parts: Vec<(Surface, Pose)>,
    colour: [f32; 3],
    shape: Shape,
    dynamic: bool,
    fixed: bool,
}

impl Scenery {
    /// The scenery of all bodies of `world`.
    pub fn of(world: &World) -> Self {
        let colours = colours(world.bodies());
        let mut meshes = Meshes::default();
        let shapes = &world.system().model.shape;
        let endless = |shape: &Shape| matches!(shape, Shape::HalfSpace);
        let seen = |((body, shape), colour): ((&Body, &Shape), [f32; 3])| {
            let mut parts = Vec::new();
            add(&mut parts, &mut meshes, shape, Pose::IDENTITY);
            Seen {
                parts,
                colour,
                shape: shape.clone(),
                dynamic: body.motion == Motion::Dynamic,
                fixed: body.motion == Motion::Fixed,
            }
        };
        Self {
            floorless: shapes.iter().any(endless) || world.scene().gravity[1] >= 0.0,
            bodies: world
                .bodies()
                .iter()
                .zip(shapes)
                .zip(colours)
                .map(seen)
                .collect(),
            camera: world.scene().camera.clone(),
        }
    }

    /// The picture of `frame` from the scene's camera, or one that shows what moves.
    pub fn picture(&self, frame: &Frame, settings: &Settings) -> Image {
        self.picture_from(&self.camera(frame, settings.aspect()), frame, settings)
    }

    /// The picture of `frame` that `camera` takes.
    pub fn picture_from(&self, camera: &Camera, frame: &Frame, settings: &Settings) -> Image {
        let mut items = self.items(frame);
        items.extend(self.stage(frame));
        render(&items, camera, settings)
    }

    /// A floor under ground that has edges, so that it does not hang in the sky: at the lowest
    /// fixed body's foot, unless there is a half-space, no weight, or something has fallen deeper.
    fn stage(&self, frame: &Frame) -> Option<Item> {
        if self.floorless {
            return None;
        }
        let feet = |fixed: bool| {
            let seen = self.bodies.iter().zip(&frame.bodies);
            seen.filter(|(seen, body)| body.visible && seen.fixed == fixed)
                .map(|(seen, body)| seen.shape.aabb(&body.pose).low.y)
                .fold(f64::INFINITY, f64::min)
        };
        let soft = soft_boxes(frame).map(|(low, _)| low.y);
        let (floor, lowest) = (feet(true), soft.fold(feet(false), f64::min));
        (floor.is_finite() && lowest > floor - 1e-3).then(|| Item {
            surface: Surface::Ground,
            pose: Pose::at(Vec3::Y * floor),
            colour: ground_colour().map(|part| 0.72 * part),
        })
    }

    /// Every body, strand and cloth that is to be seen in `frame`; a compound makes one item for
    /// each part.
    pub fn items(&self, frame: &Frame) -> Vec<Item> {
        let mut items = Vec::with_capacity(self.bodies.len() + frame.strands.len());
        for (seen, body) in self.bodies.iter().zip(&frame.bodies) {
            if body.visible {
                items.extend(seen.items(&body.pose));
            }
        }
        items.extend(frame.strands.iter().enumerate().filter_map(strand));
        items.extend(frame.cloths.iter().enumerate().map(cloth));
        items
    }

    /// The scene's camera as it stands at `time` \[s\], if there is one.
    pub fn own_camera(&self, time: f64) -> Option<Camera> {
        let camera = self.camera.as_ref()?.at(time);
        Some(Camera {
            eye: Vec3::from(camera.eye),
            target: Vec3::from(camera.target),
            up: Vec3::Y,
            vertical_field_degrees: camera.view_degrees,
        })
    }

    /// The scene's camera, or one that shows what moves.
    ///
    /// Fixed and scripted bodies count as far as they are not much larger than all that moves:
    /// a pivot does, a floor does not. What has been thrown far away does not count either.
    pub fn camera(&self, frame: &Frame, aspect: f64) -> Camera {
        if let Some(camera) = self.own_camera(frame.time) {
            return camera;
        }
        let (low, high) = self.framed(frame);
        Camera::framing(low, high, Camera::THREE_QUARTER, aspect)
    }

    /// The box to be held in the picture \[m\].
    pub fn framed(&self, frame: &Frame) -> (Vec3, Vec3) {
        let boxes: Vec<Option<(Vec3, Vec3)>> = self
            .bodies
            .iter()
            .zip(&frame.bodies)
            .map(|(seen, body)| {
                let items: Vec<Item> = seen.items(&body.pose).collect();
                bounds(&items).filter(|_| body.visible)
            })
            .collect();
        framed(&self.bodies, &boxes, soft_boxes(frame).collect())
    }
}

impl Seen {
    fn items(&self, pose: &Pose) -> impl Iterator<Item = Item> {
        self.parts.iter().map(|(surface, place)| Item {
            surface: surface.clone(),
            pose: pose.then(place),
            colour: self.colour,
        })
    }
}

/// Every body, strand and cloth that is to be seen in `frame`; a compound makes one item for each
/// part.
pub fn items(world: &World, frame: &Frame) -> Vec<Item> {
    Scenery::of(world).items(frame)
}

/// The scene's camera, or one that shows what moves; see [`Scenery::camera`].
pub fn camera(world: &World, frame: &Frame, aspect: f64) -> Camera {
    Scenery::of(world).camera(frame, aspect)
}

/// A strand as an item; nothing if it has no segment.
fn strand((index, strand): (usize, &FrameStrand)) -> Option<Item> {
    let thinnest = strand.radii.iter().copied().filter(|r| *r > 0.0);
    // a tip that runs out to nothing still needs a width
    let least = 1e-3 * thinnest.fold(0.0, f64::max);
    let last = strand.radii.last().copied().unwrap_or(0.0);
    let radius = |i: usize| strand.radii.get(i).copied().unwrap_or(last).max(least);
    (strand.points.len() > 1 && least > 0.0).then(|| Item {
        surface: Surface::Curve(Arc::new(Curve {
            points: strand.points.clone(),
            radii: (0..strand.points.len()).map(radius).collect(),
        })),
        pose: Pose::IDENTITY,
        colour: own_colour(strand.colour).unwrap_or_else(|| hair(index)),
    })
}

/// A piece of cloth as an item, smooth over all its triangles.
fn cloth((index, cloth): (usize, &FrameCloth)) -> Item {
    let mesh = Triangles {
        vertices: cloth.points.clone(),
        normals: Vec::new(),
        triangles: cloth.triangles.to_vec(),
    };
    Item {
        surface: Surface::Triangles(Arc::new(mesh.smooth())),
        pose: Pose::IDENTITY,
        colour: own_colour(cloth.colour).unwrap_or_else(|| fabric(index)),
    }
}

fn own_colour(colour: Option<[f64; 3]>) -> Option<[f32; 3]> {
    colour.map(|colour| colour.map(|part| part.clamp(0.0, 1.0) as f32))
}

/// The boxes about all strands and cloths that are finite \[m\].
fn soft_boxes(frame: &Frame) -> impl Iterator<Item = (Vec3, Vec3)> {
    let strands = frame.strands.iter().map(|strand| &strand.points);
    let cloths = frame.cloths.iter().map(|cloth| &cloth.points);
    strands.chain(cloths).filter_map(|points| {
        let finite = points.iter().filter(|p| p.is_finite()).map(|&p| (p, p));
        finite.reduce(|(low, high), (l, h)| (low.min(l), high.max(h)))
    })
}

/// The box to be held in the picture.
fn framed(
    bodies: &[Seen],
    boxes: &[Option<(Vec3, Vec3)>],
    soft: Vec<(Vec3, Vec3)>,
) -> (Vec3, Vec3) {
    let moving = |(body, _): &(&Seen, &Option<(Vec3, Vec3)>)| body.dynamic;
    let pairs = || bodies.iter().zip(boxes);
    let mut chosen = soft;
    chosen.extend(pairs().filter(moving).filter_map(|(_, b)| *b));
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

fn add(parts: &mut Vec<(Surface, Pose)>, meshes: &mut Meshes, shape: &Shape, pose: Pose) {
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
        Shape::Compound(pieces) => {
            for (place, piece) in pieces.iter() {
                add(parts, meshes, piece, pose.then(place));
            }
            return;
        }
    };
    parts.push((surface, pose));
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
