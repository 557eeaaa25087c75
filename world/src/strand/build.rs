//! From a scene's strands to the strand system's model.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone_base::functions::rotation_about;
use drystone_base::{Pose, Quat, Vec3};
use drystone_common::{Interpolation, Materials, MotionPath};
use drystone_rigid as rigid;
use drystone_strand as strand;

use super::{Anchor, Base, Held, Hold, Strand};
use crate::body::motion_path;
use crate::tie::Tie;
use crate::{Body, Key, Material, Motion, Scene, SceneError, Subject};

/// How a body moves, as an obstacle, base or anchor of strands.
#[derive(Clone, Debug)]
pub(crate) enum BodyMotion {
    /// It does not move.
    Still(Pose),
    /// Along a path that is known beforehand.
    Smooth(MotionPath),
    /// The rigid system moves it, step by step.
    Driven,
}

impl BodyMotion {
    pub(crate) fn of(body: &Body) -> Result<Self, SceneError> {
        Ok(match &body.motion {
            Motion::Fixed => Self::Still(body.pose()),
            Motion::Path(keys) if body.smooth => {
                Self::Smooth(motion_path(keys, Interpolation::Smooth)?)
            }
            _ => Self::Driven,
        })
    }

    /// The path to start with, from where the body is `now`.
    fn path(&self, now: Pose) -> MotionPath {
        match self {
            Self::Still(pose) => MotionPath::fixed(*pose),
            Self::Driven => MotionPath::fixed(now),
            Self::Smooth(path) => path.clone(),
        }
    }
}

/// A base, a reference or an anchor of strands that follows a body.
#[derive(Clone, Debug)]
pub(crate) struct Attachment {
    /// Index of the strand or of the constraint.
    pub of: usize,
    /// Index of the body.
    pub body: usize,
    /// Pose in the body's frame.
    pub local: Pose,
}

/// The strands of a scene, ready to be simulated.
pub(crate) struct Built {
    pub model: strand::Model,
    pub body_motions: Vec<BodyMotion>,
    /// Every strand whose base follows a body.
    pub bases: Vec<Attachment>,
    /// Every strand whose reference is a body.
    pub references: Vec<Attachment>,
    /// Every constraint that is anchored on a body that strands do not move.
    pub anchors: Vec<Attachment>,
    /// By body: its index among the bodies of the strand model, for those that forces move.
    pub links: Vec<Option<usize>>,
    /// Vertices of cloth that go with strands.
    pub ties: Vec<Tie>,
    /// Strands whose start is a groom, with the repair of those that cannot hold it.
    pub grooms: Vec<(usize, strand::Repair)>,
}

/// The model of `strands`, in a scene of `bodies` whose solids and masses are in `rigid`; without it what
/// can be said about the strands alone is checked.
pub(crate) fn build(
    scene: &Scene,
    strands: &[Strand],
    bodies: &[Body],
    rigid: Option<&rigid::Model>,
) -> Result<Built, SceneError> {
    let solids = rigid.map_or(&[][..], |rigid| &rigid.shape);
    let body_motions = bodies.iter().map(BodyMotion::of);
    let mut built = Built {
        model: strand::Model::new(Vec3::from(scene.gravity)),
        body_motions: body_motions.collect::<Result<_, _>>()?,
        bases: Vec::new(),
        references: Vec::new(),
        anchors: Vec::new(),
        links: vec![None; bodies.len()],
        ties: Vec::new(),
        grooms: Vec::new(),
    };
    built.model.materials = scene.built_materials();
    for field in scene.built_fields()? {
        built.model.add_field(field)?;
    }
    for (k, (body, shape)) in bodies.iter().zip(solids).enumerate() {
        let material = scene.materials.get(&body.material);
        let material = material.copied().unwrap_or_else(Material::default);
        built.model.add_obstacle(strand::Obstacle {
            name: body.name.clone(),
            shape: shape.clone(),
            path: built.body_motions[k].path(body.pose()),
            static_friction: material.at_rest(),
            dynamic_friction: material.friction,
            restitution: material.restitution,
            against: built.model.against(&body.material),
        })?;
    }
    if let Some(rigid) = rigid {
        for (k, body) in bodies.iter().enumerate() {
            built.links[k] = link_of(rigid, k, body.passable, &mut built.model)?;
        }
    }
    let poses: Vec<Pose> = bodies.iter().map(Body::pose).collect();
    let names = bodies.iter().map(|body| body.name.as_str().into());
    let attacher = Attacher {
        poses: &poses,
        index: &names.zip(0..).collect(),
        rigid,
        time: 0.0,
        links: BTreeMap::new(),
    };
    for strand in strands {
        attacher.add(strand, &mut built)?;
    }
    // holds may name any strand
    for (i, strand) in strands.iter().enumerate() {
        for (k, hold) in strand.holds.iter().enumerate() {
            if !matches!(hold.to, Anchor::Cloth { .. }) {
                attacher.hold(strand, i, k, hold, &mut built)?;
            }
        }
        attacher.embed(i, &mut built);
    }
    attacher.tie(scene, (strands, bodies), &mut built)?;
    Ok(built)
}

/// Finds bodies by name and attaches strands to them.
pub(crate) struct Attacher<'a> {
    /// Pose of the shape of every body.
    pub poses: &'a [Pose],
    pub index: &'a BTreeMap<Arc<str>, usize>,
    pub rigid: Option<&'a rigid::Model>,
    /// Time at which the strands start \[s\].
    pub time: f64,
    /// Links of strands that do not start now, by index.
    pub links: BTreeMap<usize, Vec<strand::Link>>,
}

impl Attacher<'_> {
    /// Pose in the frame of a body's link, if it has one, of the pose `local` in the frame of its shape.
    fn on_link(&self, built: &Built, body: usize, local: &Pose) -> Option<(usize, Pose)> {
        let (link, rigid) = (built.links[body]?, self.rigid?);
        Some((link, Pose::at(rigid.shape_offset[body]).then(local)))
    }

    /// Links of strand `i`, which is `chain`: where they are, or as they start.
    pub(crate) fn links_of(&self, i: usize, chain: &strand::Chain) -> Vec<strand::Link> {
        if let Some(links) = self.links.get(&i) {
            return links.clone();
        }
        let mut links = Vec::new();
        let base = chain.base.path.pose(self.time);
        strand::place(chain, &chain.start_rotation, &[], &base, &mut links);
        links
    }

    /// Lets strand `i` out of the bodies that it is fastened in.
    pub(crate) fn embed(&self, i: usize, built: &mut Built) {
        let links = self.links_of(i, &built.model.chains[i]);
        built.model.embed(i, &links, self.poses);
    }

    fn body(&self, place: &Subject, name: &str) -> Result<usize, SceneError> {
        let known = self.index.keys().map(|name| &**name);
        let unknown = || SceneError::unknown(place, "body", name, known);
        self.index.get(name).copied().ok_or_else(unknown)
    }

    pub(crate) fn add(&self, strand: &Strand, built: &mut Built) -> Result<(), SceneError> {
        strand.validate()?;
        let place = strand.place();

        // points in the frame of the base, which is that of the body where there is one
        let start = strand.pose();
        let mut within = Pose::IDENTITY;
        let mut carrier = None;
        let path = match &strand.base {
            Base::Fixed => MotionPath::fixed(start),
            Base::Path(keys) => motion_path(keys, Interpolation::Smooth)?,
            Base::On(name) => {
                let body = self.body(&place, name)?;
                within = self.poses[body].inverse().then(&start);
                // what feels less than all of its body's motion follows it, and is not felt
                let plain = is_constant(&strand.time_scale, 1.0)
                    && is_constant(&strand.local_dynamics, 0.0);
                carrier = self.on_link(built, body, &Pose::IDENTITY);
                carrier = carrier.filter(|_| plain);
                if carrier.is_none() {
                    built.bases.push(Attachment {
                        of: built.model.len(),
                        body,
                        local: Pose::IDENTITY,
                    });
                }
                built.body_motions[body].path(self.poses[body])
            }
        };
        let reference = match &strand.reference {
            Base::Fixed => None,
            Base::Path(keys) => Some(motion_path(keys, Interpolation::Smooth)?),
            Base::On(name) => {
                let body = self.body(&place, name)?;
                built.references.push(Attachment {
                    of: built.model.len(),
                    body,
                    local: Pose::IDENTITY,
                });
                Some(built.body_motions[body].path(self.poses[body]))
            }
        };
        let used = strand.local_dynamics.keys.iter().any(|key| key[1] != 0.0);
        if used && reference.is_none() {
            return Err(SceneError::value(
                place,
                "reference",
                "left out",
                "a path or a body beside `local_dynamics`",
            ));
        }
        let curves = curves(strand, &within, &built.model.materials)?;
        let pose = pose_track(strand, &curves, &within)?;
        let fields = strand.fibre.fields.iter();
        let parameters = strand.fibre.built(&place, &built.model.materials)?;
        let model = strand::Strand {
            name: strand.name.clone(),
            curves,
            parameters,
            base: strand::Base {
                path,
                reference,
                time_scale: strand.time_scale.clone(),
                local_dynamics: strand.local_dynamics.clone(),
                body: carrier,
            },
            root: strand.root,
            collide: strand.collide_strands,
            pose: None,
            field_weights: fields.map(|(name, w)| (name.clone(), w.clone())).collect(),
        };
        let i = built.model.add(model)?;
        if let Some(places) = pose {
            // tips by link, whose numbers are only known now
            let chain = &mut built.model.chains[i];
            let keys = places.into_iter().map(|(time, curves)| strand::PoseKey {
                time,
                tips: chain
                    .source
                    .iter()
                    .map(|&(curve, segment)| curves[curve][segment + 1])
                    .collect(),
            });
            let keys = keys.collect();
            chain.pose = Some(strand::PoseTrack { keys });
        }
        if strand.zero_gravity {
            let repair = match strand.stiffen {
                Some(margin) => strand::Repair::Stiffen { margin },
                None => strand::Repair::None,
            };
            built.grooms.push((i, repair));
        }
        Ok(())
    }

    pub(crate) fn hold(
        &self,
        strand: &Strand,
        i: usize,
        k: usize,
        hold: &Hold,
        built: &mut Built,
    ) -> Result<(), SceneError> {
        let place = strand.place().part("hold", k);
        let refuse = |field: &str, found: String, wanted: &str| {
            SceneError::value(&place, field, found, wanted)
        };
        // the link that is held
        let chain = &built.model.chains[i];
        let base = chain.base.path.pose(self.time);
        let links = self.links_of(i, chain);
        let wanted = "a curve of the strand, and one of its points but the first";
        let link_of = |curve: usize, point: Option<usize>| {
            let refused = |point| refuse("point", format!("{point} of curve {curve}"), wanted);
            link_at(chain, curve, point).map_err(refused)
        };
        let link = link_of(hold.curve, hold.point)?;
        let tip = |link: usize| Vec3::Y * chain.length[link];
        let start = Pose::new(links[link].tip, links[link].rotation);
        let mut attachment = None;
        let mut passes = None;
        // what it is held to
        let to = match &hold.to {
            Anchor::Start => strand::Anchor::World(MotionPath::fixed(start)),
            Anchor::Base => strand::Anchor::Base(base.inverse().then(&start)),
            Anchor::Place(p) => {
                let pose = Pose::new(Vec3::from(*p), start.rotation);
                if !pose.position.is_finite() {
                    return Err(refuse("to.place", crate::error::show(p), "finite numbers"));
                }
                strand::Anchor::World(MotionPath::fixed(pose))
            }
            Anchor::Path(keys) => {
                crate::body::validate_keys(&place, "to.path", keys)?;
                let key = |key: &Key| strand::Key {
                    time: key.time,
                    pose: Pose::new(key.pose().position, key.pose().rotation * start.rotation),
                    easing: key.easing,
                };
                let keys: Vec<strand::Key> = keys.iter().map(key).collect();
                strand::Anchor::World(MotionPath::smooth(&keys)?)
            }
            Anchor::On(name) => {
                let body = self.body(&place, name)?;
                let local = self.poses[body].inverse().then(&start);
                passes = Some(body);
                match self.on_link(built, body, &local) {
                    Some((body, at)) => strand::Anchor::Body { body, at },
                    None => {
                        attachment = Some((body, local));
                        strand::Anchor::World(MotionPath::fixed(start))
                    }
                }
            }
            Anchor::Cloth { name, .. } => {
                let wanted = "a scene that has both of them from the start";
                return Err(refuse("to.cloth", format!("`{name}`"), wanted));
            }
            Anchor::Point { curve, point, meet } if *point == 0 && *curve == 0 => {
                let root = chain.joint[link_of(0, Some(1))?];
                let mut seen = base.inverse().then(&start);
                if *meet {
                    seen.position = root;
                }
                strand::Anchor::Base(seen)
            }
            Anchor::Point { curve, point, meet } => {
                let other = link_of(*curve, Some(*point))?;
                let there = Pose::new(links[other].origin, links[other].rotation);
                let mut at = there.inverse().then(&start);
                if *meet {
                    at.position = tip(other);
                }
                strand::Anchor::Link { link: other, at }
            }
            Anchor::Tie {
                strand: name,
                curve,
                point,
                meet,
            } => {
                let names = built.model.chains.iter().map(|chain| chain.name.as_str());
                let Some(strand) = built.model.find(name).filter(|other| *other != i) else {
                    return Err(SceneError::unknown(&place, "strand", name, names));
                };
                let other = &built.model.chains[strand];
                let refused = |point| {
                    let found = format!("{point} of curve {curve} of `{name}`");
                    refuse("to.tie.point", found, wanted)
                };
                let link = link_at(other, *curve, *point).map_err(refused)?;
                let there = self.links_of(strand, other)[link];
                let there = Pose::new(there.origin, there.rotation);
                let mut at = there.inverse().then(&start);
                if *meet {
                    at.position = Vec3::Y * other.length[link];
                }
                strand::Anchor::Strand { strand, link, at }
            }
        };
        // what of it is held
        let what = match &hold.what {
            Held::Point => strand::ConstraintKind::Point {
                link,
                at: tip(link),
                to,
            },
            Held::Pose => strand::ConstraintKind::Pose {
                link,
                at: Pose::at(tip(link)),
                to,
            },
            Held::Joint { axes, keys } => {
                let first = chain.start_rotation[link];
                let turned = |time: f64, turn: Quat| {
                    strand::Key::new(time, Pose::new(Vec3::ZERO, first * turn))
                };
                let mut list: Vec<strand::Key> = keys
                    .iter()
                    .map(|key| turned(key.time, key.turn.quaternion()))
                    .collect();
                if list.is_empty() {
                    list.push(turned(0.0, Quat::IDENTITY));
                }
                strand::ConstraintKind::Joint {
                    link,
                    axes: *axes,
                    to: MotionPath::smooth(&list)?,
                }
            }
        };
        // the constraint
        let mut constraint = strand::Constraint::new(format!("{}/hold-{k}", strand.name), i, what);
        let spans = || {
            let wanted = "spans from an earlier to a later time, in order";
            refuse("during", format!("{:?}", hold.during), wanted)
        };
        constraint.active = hold.active().ok_or_else(spans)?;
        if let Some(frequency) = hold.frequency {
            constraint.frequency = frequency;
        }
        constraint.passes = passes;
        let of = built.model.add_constraint(constraint)?;
        if let Some((body, local)) = attachment {
            built.anchors.push(Attachment { of, body, local });
        }
        Ok(())
    }
}

/// Whether `ramp` is `value` at all times.
fn is_constant(ramp: &super::Ramp, value: f64) -> bool {
    ramp.keys.iter().all(|key| key[1] == value)
}

/// Adds body `k` as a link of the strands that meet it, if forces move it; its index there.
pub(crate) fn link_of(
    rigid: &rigid::Model,
    k: usize,
    passable: bool,
    model: &mut strand::Model,
) -> Result<Option<usize>, SceneError> {
    if !rigid.is_dynamic(k) {
        return Ok(None);
    }
    let body = strand::RigidBody {
        name: rigid.name[k].clone(),
        mass: rigid.mass[k],
        inertia: rigid.inertia_local[k],
        gravity: rigid.gravity_scale[k],
        surface: (!passable).then(|| (k, Pose::at(rigid.shape_offset[k]))),
    };
    Ok(Some(model.add_body(body)?))
}

/// The link that ends in a point of a curve, or in its tip; otherwise that point.
pub(crate) fn link_at(
    chain: &strand::Chain,
    curve: usize,
    point: Option<usize>,
) -> Result<usize, usize> {
    let count = chain.source.iter().filter(|s| s.0 == curve).count();
    let point = point.unwrap_or(count);
    let segment = point.checked_sub(1);
    segment.and_then(|s| chain.link(curve, s)).ok_or(point)
}

/// The curves of `strand` in the frame of its base, in which its points' frame is at `within`.
fn curves(
    strand: &Strand,
    within: &Pose,
    materials: &Materials,
) -> Result<Vec<strand::Curve>, SceneError> {
    let place = strand.place();
    let there = |points: &[[f64; 3]]| -> Vec<Vec3> {
        points
            .iter()
            .map(|p| within.point(Vec3::from(*p)))
            .collect()
    };
    let mut curves = vec![strand::Curve {
        points: there(&strand.even_points()),
        branch: None,
        rest: strand.rest.as_deref().map(there),
        normals: strand.normals.as_ref().map(|list| {
            let turned = |n: &[f64; 3]| within.direction(Vec3::from(*n));
            list.iter().map(turned).collect()
        }),
        parameters: None,
    }];
    for branch in &strand.branches {
        let fibre = branch
            .fibre
            .as_ref()
            .map(|fibre| fibre.built(&place, materials));
        curves.push(strand::Curve {
            points: there(&branch.points),
            branch: Some(strand::Branch {
                curve: branch.curve,
                point: branch.point,
            }),
            rest: branch.rest.as_deref().map(there),
            normals: None,
            parameters: fibre.transpose()?,
        });
    }
    Ok(curves)
}

/// Times and points of every curve, by curve, of the pose keys of `strand`.
#[allow(clippy::type_complexity)]
fn pose_track(
    strand: &Strand,
    curves: &[strand::Curve],
    within: &Pose,
) -> Result<Option<Vec<(f64, Vec<Vec<Vec3>>)>>, SceneError> {
    if strand.pose.is_empty() {
        return Ok(None);
    }
    let place = strand.place();
    let mut keys: Vec<(f64, Vec<Vec<Vec3>>)> = Vec::new();
    for (k, key) in strand.pose.iter().enumerate() {
        let field = format!("pose, key {k}");
        let later = keys.last().is_none_or(|(time, _)| key.time > *time);
        if !(key.time.is_finite() && later) {
            let found = format!("at {} s", key.time);
            let wanted = "a finite time after the key before";
            return Err(SceneError::value(place, field, found, wanted));
        }
        let mut places = Vec::new();
        for (c, curve) in curves.iter().enumerate() {
            let given = match c.checked_sub(1) {
                None => Some(&key.points),
                Some(b) => key.branches.get(b),
            };
            let given = given.filter(|points| !points.is_empty());
            let Some(given) = given else {
                places.push(curve.points.clone());
                continue;
            };
            let points: Vec<Vec3> = given.iter().map(|p| within.point(Vec3::from(*p))).collect();
            if points.len() != curve.points.len() || !points.iter().all(|p| p.is_finite()) {
                let found = format!("{} points of curve {c}", points.len());
                let wanted = format!("{} finite ones", curve.points.len());
                return Err(SceneError::value(place, field, found, wanted));
            }
            places.push(points);
        }
        keys.push((key.time, places));
    }
    Ok(Some(keys))
}

impl Strand {
    /// The same turned by `angle` \[rad\] about `axis` through its root: for poses and rest shapes.
    pub fn swung(points: &[[f64; 3]], axis: [f64; 3], angle: f64) -> Vec<[f64; 3]> {
        let turn = rotation_about(Vec3::from(axis).normalize_or(Vec3::Y), angle);
        let root = points.first().map_or(Vec3::ZERO, |p| Vec3::from(*p));
        let swing = |p: &[f64; 3]| (root + turn * (Vec3::from(*p) - root)).to_array();
        points.iter().map(swing).collect()
    }
}
