//! Ties: a strand and a cloth hold each other at a vertex.
//!
//! A tied vertex is a body of the strand's tree, with the mass of the vertex, to which the strand is held; cloth is
//! pinned to it. It takes part in cloth's events with what the strand leaves it (`trees`), so that nothing is
//! added to either and nothing is handed over late.

use drystone_base::{Pose, Symmetric3, Vec3};
use drystone_strand as strand;

use crate::error::ensure;
use crate::strand::build::{Attacher, Built};
use crate::{Anchor, Body, Cloth, Held, Scene, SceneError, Strand, Subject};

/// Radius of gyration of a tied vertex, as a part of the length of the segment that it is tied to \[1\]. It turns freely.
const GYRATION: f64 = 0.1;

/// Longest step of a world in which strands and cloth are tied: what a strand answers is linear in what it has received,
/// and a light one goes far in a step \[s\].
pub(crate) const TIED: f64 = 2.5e-3;

/// Whether a scene ties strands and cloth to each other.
pub(crate) fn is_tied(scene: &Scene) -> bool {
    let holds = scene.strands.iter().flat_map(|strand| &strand.holds);
    let strand = |on: &str| {
        let named = |(i, strand): (usize, &Strand)| match strand.name.as_str() {
            "" => format!("strand-{i}") == on,
            name => name == on,
        };
        scene.strands.iter().enumerate().any(named)
            && scene.bodies.iter().all(|body| body.name != on)
    };
    let pins = scene.cloths.iter().flat_map(|cloth| &cloth.pins);
    let mut pins = pins.filter_map(|pin| pin.on.as_deref());
    holds
        .into_iter()
        .any(|hold| matches!(hold.to, Anchor::Cloth { .. }))
        || pins.any(strand)
}

/// A vertex of a cloth that goes with strands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tie {
    /// Number of the cloth, and of its vertex.
    pub sheet: usize,
    pub vertex: u32,
    /// Where it is at the start \[m\].
    pub place: Vec3,
    /// \[m/s\]
    pub velocity: Vec3,
    /// Index among the bodies of the strand system.
    pub link: usize,
}

/// A cloth as ties see it.
struct Tied {
    points: Vec<Vec3>,
    masses: Vec<f64>,
}

impl Tied {
    fn new(cloth: &Cloth) -> Self {
        let (made, pose) = (cloth.surface.make(), cloth.pose());
        let sheet = drystone_cloth::Sheet {
            points: made.points.iter().map(|p| pose.point(*p)).collect(),
            faces: made.triangles,
            material: (&cloth.material).into(),
            ..drystone_cloth::Sheet::default()
        };
        Self {
            masses: sheet.vertex_masses(),
            points: sheet.points,
        }
    }
}

/// Whether a pin is on a strand, and which: bodies go first.
pub(crate) fn strand_of_pin(on: &str, bodies: &[Body], strands: &[Strand]) -> Option<usize> {
    match bodies.iter().any(|body| body.name == on) {
        true => None,
        false => strands.iter().position(|strand| strand.name == on),
    }
}

impl Attacher<'_> {
    /// Adds all ties of a scene, whose `strands` have been built.
    pub(crate) fn tie(
        &self,
        scene: &Scene,
        (strands, bodies): (&[Strand], &[Body]),
        built: &mut Built,
    ) -> Result<(), SceneError> {
        self.tie_holds(scene, strands, built)?;
        self.tie_pins(scene, (strands, bodies), built)
    }

    /// Ties points of strands that are held by cloth.
    fn tie_holds(
        &self,
        scene: &Scene,
        strands: &[Strand],
        built: &mut Built,
    ) -> Result<(), SceneError> {
        for (i, strand) in strands.iter().enumerate() {
            for (k, hold) in strand.holds.iter().enumerate() {
                // the cloth, and the link that it holds
                let Anchor::Cloth { name, vertex } = &hold.to else {
                    continue;
                };
                let place = strand.place().part("hold", k);
                let wanted = "\"point\": cloth holds no rotation";
                let plain = matches!(hold.what, Held::Point);
                ensure(plain, &place, "what", "another", wanted)?;
                let sheet = scene.cloths.iter().position(|cloth| cloth.name == *name);
                let known = scene.cloths.iter().map(|cloth| cloth.name.as_str());
                let sheet = sheet
                    .ok_or_else(|| SceneError::unknown(place.clone(), "cloth", name, known))?;
                let chain = &built.model.chains[i];
                let link = crate::strand::build::link_at(chain, hold.curve, hold.point);
                let link = link.map_err(|point| {
                    let found = format!("{point} of curve {}", hold.curve);
                    let wanted = "a curve of the strand, and one of its points but the first";
                    SceneError::value(&place, "point", found, wanted)
                })?;
                // the vertex, which has to be where that link is
                let tip = self.links_of(i, chain)[link].tip;
                let tied = Tied::new(&scene.cloths[sheet]);
                let vertex = match vertex {
                    Some(vertex) => *vertex,
                    None => nearest(&tied.points, tip),
                };
                let count = tied.points.len();
                let found = format!("{vertex} of `{name}`");
                let wanted = format!("a number below {count}");
                let there = (vertex as usize) < count;
                ensure(there, &place, "to.cloth.vertex", found, &wanted)?;
                let (far, length) = (
                    (tied.points[vertex as usize] - tip).length(),
                    chain.length[link],
                );
                let found = format!("{vertex}, {far:.3} m from the point");
                let wanted = format!(
                    "one that is no further from it than its segment is long, {length:.3} m"
                );
                ensure(far <= length, &place, "to.cloth.vertex", found, &wanted)?;
                // a body of its own for the vertex, and what holds the strand to it
                let body = tied_body((sheet, vertex), &scene.cloths[sheet], &tied, length, built)?;
                let name = format!("{}/hold-{k}", strand.name);
                let mut constraint = self.constraint(name, (i, link), (&tied, vertex), body, built);
                let spans = || {
                    let wanted = "spans from an earlier to a later time, in order";
                    SceneError::value(&place, "during", format!("{:?}", hold.during), wanted)
                };
                constraint.active = hold.active().ok_or_else(spans)?;
                if let Some(frequency) = hold.frequency {
                    constraint.frequency = frequency;
                }
                built.model.add_constraint(constraint)?;
            }
        }
        Ok(())
    }

    /// Ties vertices of cloth that are pinned on strands, each to the nearest segment.
    fn tie_pins(
        &self,
        scene: &Scene,
        (strands, bodies): (&[Strand], &[Body]),
        built: &mut Built,
    ) -> Result<(), SceneError> {
        for (sheet, cloth) in scene.cloths.iter().enumerate() {
            for (k, pin) in cloth.pins.iter().enumerate() {
                let on = pin.on.as_deref();
                let Some(i) = on.and_then(|on| strand_of_pin(on, bodies, strands)) else {
                    continue;
                };
                cloth.validate()?;
                let tied = Tied::new(cloth);
                let part = cloth.surface.make().part(&pin.part);
                let part = part.map_err(|(found, wanted)| {
                    SceneError::value(cloth.place(), format!("pin.{k}.part"), found, wanted)
                })?;
                for vertex in part {
                    // the segment that it is pinned on
                    let chain = &built.model.chains[i];
                    let links = self.links_of(i, chain);
                    let at = tied.points[vertex as usize];
                    let off = |link: &strand::Link| {
                        let (from, along) = (at - link.pivot, link.tip - link.pivot);
                        let u = from.dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
                        (from - along * u.clamp(0.0, 1.0)).length()
                    };
                    let off: Vec<f64> = links.iter().map(off).collect();
                    let near = |a: &usize, b: &usize| off[*a].total_cmp(&off[*b]);
                    let link = (0..off.len()).min_by(near).unwrap_or(0);
                    let length = chain.length[link];
                    let found = format!("vertex {vertex}, {:.3} m from the strand", off[link]);
                    let wanted = format!(
                        "vertices no further from it than a segment is long, {length:.3} m"
                    );
                    let close = off[link] <= length;
                    ensure(
                        close,
                        &cloth.place(),
                        &format!("pin.{k}.part"),
                        found,
                        &wanted,
                    )?;
                    // a body of its own for the vertex, and what holds it there until it is let go
                    let body = tied_body((sheet, vertex), cloth, &tied, length, built)?;
                    let name = format!("{}/pin-{k}/{vertex}", cloth.name);
                    let mut constraint =
                        self.constraint(name, (i, link), (&tied, vertex), body, built);
                    if let Some(until) = pin.until {
                        let edge = [[0.0, 1.0], [until, 1.0], [until + 1e-9, 0.0]];
                        constraint.active = strand::Ramp {
                            keys: edge.to_vec(),
                        };
                    }
                    built.model.add_constraint(constraint)?;
                }
            }
        }
        Ok(())
    }

    /// Holds the place of a vertex on a link of strand `i` to its body.
    fn constraint(
        &self,
        name: String,
        (i, link): (usize, usize),
        (tied, vertex): (&Tied, u32),
        body: usize,
        built: &Built,
    ) -> strand::Constraint {
        let links = self.links_of(i, &built.model.chains[i]);
        let frame = Pose::new(links[link].origin, links[link].rotation);
        let at = frame.local_point(tied.points[vertex as usize]);
        let to = strand::Anchor::Body {
            body,
            at: Pose::IDENTITY,
        };
        strand::Constraint::new(name, i, strand::ConstraintKind::Point { link, at, to })
    }
}

/// The body of a tied vertex, made if it is not there yet.
fn tied_body(
    (sheet, vertex): (usize, u32),
    cloth: &Cloth,
    tied: &Tied,
    length: f64,
    built: &mut Built,
) -> Result<usize, SceneError> {
    let same = |tie: &&Tie| (tie.sheet, tie.vertex) == (sheet, vertex);
    if let Some(tie) = built.ties.iter().find(same) {
        return Ok(tie.link);
    }
    let mass = tied.masses[vertex as usize];
    let place: Subject = cloth.place();
    let found = format!("{mass} kg at vertex {vertex}, which a strand is tied to");
    let wanted = "more than 1e-15 kg: set `density` or `vertex_mass`";
    ensure(mass > 1e-15, &place, "material", found, wanted)?;
    let gyration = GYRATION * length;
    let link = built.model.add_body(strand::RigidBody {
        name: format!("{}@{vertex}", cloth.name),
        mass,
        inertia: Symmetric3::diagonal(Vec3::splat(mass * gyration * gyration)),
        gravity: 1.0,
        surface: None,
    })?;
    built.ties.push(Tie {
        sheet,
        vertex,
        place: tied.points[vertex as usize],
        velocity: Vec3::from(cloth.velocity),
        link,
    });
    Ok(link)
}

fn nearest(points: &[Vec3], to: Vec3) -> u32 {
    let off = |k: &usize| (points[*k] - to).length_squared();
    let near = (0..points.len()).min_by(|a, b| off(a).total_cmp(&off(b)));
    near.unwrap_or(0) as u32
}

/// The obstacle of cloth that a tied vertex is: nothing to touch, but something to be pinned to.
pub(crate) fn obstacle(cloth: &str, tie: &Tie) -> drystone_cloth::Obstacle {
    drystone_cloth::Obstacle {
        name: format!("{cloth}@{}", tie.vertex),
        motion: drystone_cloth::Motion::Driven(Pose::at(tie.place)),
        ..drystone_cloth::Obstacle::default()
    }
}
