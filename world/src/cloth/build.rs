//! From a scene's cloth to the cloth system's model.

use std::collections::BTreeSet;
use std::sync::Arc;

use drystone_base::{Pose, Vec3};
use drystone_cloth as cloth;
use drystone_common::{Interpolation, Materials};
use drystone_rigid as rigid;

use super::hold::lightness;
use super::{Cloth, obstacle, validate_thickness};
use crate::build::find_material;
use crate::error::ensure;
use crate::tie::{self, Tie, strand_of_pin};
use crate::{Body, Material, Motion, Scene, SceneError, Strand};

/// Round obstacles lie within their solid by no more than this part of the thickness \[1\].
const SAG: f64 = 0.2;
/// Thickness where neither scene nor mesh tells: of single particles \[m\].
const UNKNOWN: f64 = 0.01;
/// The body of an obstacle that is none of the scene: a tied vertex, a segment of a strand.
pub(crate) const NOBODY: usize = usize::MAX;
/// The points of a half-space's plane are this many times as far out as the cloth \[1\].
const FLOOR: f64 = 4.0;

/// The cloth of a scene, ready to be simulated.
pub(crate) struct Built {
    pub model: cloth::Model,
    /// Body of every obstacle, and whether it moves.
    pub obstacles: Vec<(usize, bool)>,
    /// Sheet, pin of it, and the body that the pin is on.
    pub attachments: Vec<(usize, usize, usize)>,
    /// Obstacle and pin of every tie.
    pub tied: Vec<(usize, usize)>,
    /// Obstacles whose bodies enter later.
    pub pending: Vec<PendingObstacle>,
    /// Distance from the origin of the three points that stand for the plane of a half-space \[m\].
    pub floor: f64,
}

impl Built {
    /// Least thickness of all sheets, which decides how finely round bodies are tessellated \[m\].
    fn thinnest(&self) -> f64 {
        let least = self.model.thicknesses().min_by(f64::total_cmp);
        least.unwrap_or(UNKNOWN)
    }
}

/// An obstacle of cloth whose body has not entered yet.
#[derive(Clone, Debug)]
pub(crate) struct PendingObstacle {
    pub body: usize,
    /// The obstacle in the body's frame.
    solid: cloth::Obstacle,
}

impl PendingObstacle {
    pub(crate) fn new(
        body: usize,
        described: &Body,
        material: (Material, Option<usize>),
        thickness: f64,
        floor: f64,
        rigid: Option<&rigid::Model>,
    ) -> Self {
        let mut solid = obstacle(described, material, thickness, floor, &Pose::IDENTITY);
        solid.inverse_mass = rigid.map_or_else(Vec::new, |r| lightness(r, body, &solid.points));
        Self { body, solid }
    }

    pub(crate) fn name(&self) -> &str {
        &self.solid.name
    }

    /// The obstacle that it is where it enters.
    pub(crate) fn at(&self, pose: Pose) -> cloth::Obstacle {
        let mut solid = self.solid.clone();
        for p in &mut solid.points {
            *p = pose.point(*p);
        }
        if solid.motion != cloth::Motion::Fixed {
            solid.motion = cloth::Motion::Driven(pose);
        }
        solid
    }

    pub(crate) fn moves(&self) -> bool {
        self.solid.motion != cloth::Motion::Fixed
    }
}

/// The model of the cloth of `scene`, among its `bodies`; `rigid` knows their masses, which only a start needs.
pub(crate) fn build(
    scene: &Scene,
    (bodies, strands): (&[Body], &[Strand]),
    rigid: Option<&rigid::Model>,
    (ties, segments): (&[Tie], &[cloth::Obstacle]),
) -> Result<Built, SceneError> {
    let mut built = Built {
        model: cloth::Model {
            contact: cloth::Contact {
                thickness: scene.solver.cloth.thickness.unwrap_or(UNKNOWN),
                stiffness: scene.solver.cloth.stiffness,
            },
            materials: scene.built_materials(),
            gravity: Vec3::from(scene.gravity),
            plane: scene.solver.cloth.plane,
            ..cloth::Model::default()
        },
        obstacles: Vec::new(),
        attachments: Vec::new(),
        tied: Vec::new(),
        pending: Vec::new(),
        floor: 0.0,
    };
    validate_thickness(
        &"scene".into(),
        "solver.cloth.thickness",
        scene.solver.cloth.thickness,
    )?;
    let mut names = BTreeSet::new();
    for cloth in &scene.cloths {
        cloth.validate()?;
        if !names.insert(cloth.name.as_str()) {
            return Err(SceneError::value(
                cloth.place(),
                "name",
                "used twice",
                "a name of its own",
            ));
        }
        let number = built.model.sheets.len();
        let mut sheet = sheet(
            cloth,
            (bodies, strands),
            number,
            &built.model.materials,
            &mut built.attachments,
        )?;
        // a hem may touch the body that it is pinned to
        let there = |body: usize| bodies[..body].iter().filter(|b| b.enters_at <= 0.0).count();
        let own = built
            .attachments
            .iter()
            .filter(|attachment| attachment.0 == number);
        sheet.fastened = own
            .map(|&(_, pin, body)| [pin as u32, there(body) as u32])
            .collect();
        sheet.thickness = cloth.thickness.or(scene.solver.cloth.thickness);
        built.model.sheets.push(sheet);
    }
    // those that nobody gave a thickness
    let left_out: Vec<bool> = built
        .model
        .sheets
        .iter()
        .map(|s| s.thickness.is_none())
        .collect();
    for sheet in &mut built.model.sheets {
        sheet.thickness = sheet.thickness.or_else(|| sheet.fitting_thickness());
    }
    let known = built
        .model
        .sheets
        .iter()
        .filter_map(|sheet| sheet.thickness);
    if let Some(least) = known.min_by(f64::total_cmp) {
        built.model.contact.thickness = least;
    }
    for field in scene.built_fields()? {
        built.model.fields.push(Arc::new(field));
    }
    let points = built.model.sheets.iter().flat_map(|sheet| &sheet.points);
    let reach = points.fold(1.0f64, |far, p| far.max(p.length()));
    built.floor = FLOOR * reach;
    let thickness = built.thinnest();
    for (i, body) in bodies.iter().enumerate() {
        let material = scene.materials.get(&body.material).copied();
        let surface = built.model.materials.find(&body.material);
        let material = (material.unwrap_or_default(), surface);
        if body.enters_at > 0.0 {
            let pending = PendingObstacle::new(i, body, material, thickness, built.floor, rigid);
            built.pending.push(pending);
            continue;
        }
        let mut solid = obstacle(body, material, thickness, built.floor, &body.pose());
        let own = body.pose().inverse();
        let points: Vec<Vec3> = solid.points.iter().map(|p| own.point(*p)).collect();
        solid.inverse_mass = rigid.map_or_else(Vec::new, |r| lightness(r, i, &points));
        built.obstacles.push((i, body.motion != Motion::Fixed));
        built.model.obstacles.push(solid);
    }
    for tie in ties {
        let sheet = &mut built.model.sheets[tie.sheet];
        let obstacle = tie::obstacle(&sheet.name, tie);
        sheet.pins.push(cloth::Pin {
            vertices: vec![tie.vertex],
            motion: obstacle.motion.clone(),
            until: None,
        });
        built
            .tied
            .push((built.obstacles.len(), sheet.pins.len() - 1));
        built.obstacles.push((NOBODY, false));
        built.model.obstacles.push(obstacle);
    }
    for line in segments {
        built.obstacles.push((NOBODY, false));
        built.model.obstacles.push(line.clone());
    }
    if left_out.contains(&true) {
        built.model.fit_thickness_to_start(&left_out);
    }
    Ok(built)
}

pub(crate) fn sheet(
    cloth: &Cloth,
    (bodies, strands): (&[Body], &[Strand]),
    number: usize,
    materials: &Materials,
    attachments: &mut Vec<(usize, usize, usize)>,
) -> Result<cloth::Sheet, SceneError> {
    let (made, pose) = (cloth.surface.make(), cloth.pose());
    let chosen = |field: String, part: &super::Part| {
        let wrong = |(found, wanted): (String, &str)| {
            SceneError::value(cloth.place(), field.clone(), found, wanted)
        };
        made.part(part).map_err(wrong)
    };
    let mut pins = Vec::new();
    for (k, pin) in cloth.pins.iter().enumerate() {
        let motion = match &pin.on {
            // each of its vertices gets a pin of its own
            Some(name) if strand_of_pin(name, bodies, strands).is_some() => {
                chosen(format!("pin.{k}.part"), &pin.part)?;
                pins.push(cloth::Pin {
                    vertices: Vec::new(),
                    motion: cloth::Motion::Fixed,
                    until: None,
                });
                continue;
            }
            Some(name) => {
                let body = bodies.iter().position(|body| body.name == *name);
                let known = bodies.iter().map(|body| body.name.as_str());
                let known = known.chain(strands.iter().map(|strand| strand.name.as_str()));
                let body = body.ok_or_else(|| {
                    SceneError::unknown(cloth.place(), "body or strand", name, known)
                })?;
                let later = bodies[body].enters_at > 0.0;
                let found = format!("`{name}`, which enters later");
                ensure(
                    !later,
                    &cloth.place(),
                    &format!("pin.{k}.on"),
                    found,
                    "a body that is there",
                )?;
                attachments.push((number, k, body));
                cloth::Motion::Driven(bodies[body].pose())
            }
            // stays where it is, unless a hand takes it
            None if pin.path.is_empty() => cloth::Motion::Driven(drystone_base::Pose::IDENTITY),
            None => {
                let join = match pin.smooth {
                    true => Interpolation::Smooth,
                    false => Interpolation::Linear,
                };
                cloth::Motion::Path(crate::body::motion_path(&pin.path, join)?)
            }
        };
        pins.push(cloth::Pin {
            vertices: chosen(format!("pin.{k}.part"), &pin.part)?,
            motion,
            until: pin.until,
        });
    }
    let mut loads = Vec::new();
    for (k, load) in cloth.loads.iter().enumerate() {
        loads.push(cloth::Load {
            vertices: chosen(format!("load.{k}.part"), &load.part)?,
            force: Vec3::from(load.force),
            ramp: load.ramp,
            from: load.from,
            until: load.until,
        });
    }
    let surface = (cloth.material.contact_material.as_ref())
        .map(|name| find_material(materials, cloth.place(), name));
    let velocity = Vec3::from(cloth.velocity);
    let velocities = match velocity == Vec3::ZERO {
        true => Vec::new(),
        false => vec![velocity; made.points.len()],
    };
    Ok(cloth::Sheet {
        name: cloth.name.clone(),
        points: made.points.iter().map(|&p| pose.point(p)).collect(),
        rest: None,
        velocities,
        faces: made.triangles,
        segments: made.segments,
        material: (&cloth.material).into(),
        contact_material: surface.transpose()?,
        thickness: None,
        pins,
        fastened: Vec::new(),
        loads,
    })
}

fn obstacle(
    body: &Body,
    (material, surface): (Material, Option<usize>),
    thickness: f64,
    floor: f64,
    pose: &Pose,
) -> cloth::Obstacle {
    let solid = obstacle::triangles(&body.shape, SAG * thickness, floor);
    cloth::Obstacle {
        name: body.name.clone(),
        points: solid.points.iter().map(|&p| pose.point(p)).collect(),
        faces: solid.faces,
        planes: solid.planes,
        segments: Vec::new(),
        motion: match body.motion {
            Motion::Fixed => cloth::Motion::Fixed,
            _ => cloth::Motion::Driven(*pose),
        },
        friction: material.friction,
        restitution: material.restitution,
        contact_material: surface,
        inverse_mass: Vec::new(),
        radius: 0.0,
    }
}
