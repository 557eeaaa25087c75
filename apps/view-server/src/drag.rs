//! What a pointer drags, and how it moves: a body by a damped spring, a body on a path, the root of a strand
//! and a pin of a cloth by moving them, a strand elsewhere by a constraint, a vertex of cloth by leading it.
//!
//! All but the first follow the pointer as a critically damped spring without weight would, never faster than
//! [`FASTEST`], so that a jump of the pointer is none of what is held.

use drystone_base::functions::exp;
use drystone_base::{Pose, Vec3};
use drystone_cloth as cloth;
use drystone_common::{Key, MotionPath};
use drystone_geometry::closest_point;
use drystone_rigid as rigid;
use drystone_strand as strand;
use drystone_world::{Base, Motion, World};

use crate::body_drag::BodyDrag;
use crate::frame_index::{Curve, curve, sheet};

/// Angular frequency at which a thing follows the pointer \[1/s\].
const FREQUENCY: f64 = 20.0;
/// Largest speed of what is dragged \[m/s\].
const FASTEST: f64 = 20.0;
/// Largest distance of a dragged point from the root, over the length of the strand up to that point \[1\].
const REACH: f64 = 0.97;

/// Cloth is led no closer to a body than this part of its thickness, or nothing would give way \[1\].
const CLEAR: f64 = 0.6;

/// What the pointer of one client drags.
pub(crate) struct Drag {
    /// Client whose pointer it is.
    pub(crate) client: u64,
    hold: Hold,
    /// Target of the dragged point \[m\], and its velocity \[m/s\].
    place: Vec3,
    velocity: Vec3,
    /// Vector from the pointer to `place` \[m\].
    offset: Vec3,
    /// Position of the pointer \[m\].
    pub(crate) target: Vec3,
}

enum Hold {
    Body(BodyDrag),
    /// A body on a path, which it leaves for good.
    Carried {
        body: usize,
        rotation: drystone_base::Quat,
    },
    Root {
        strand: usize,
        rotation: drystone_base::Quat,
    },
    /// A constraint on a point of a strand; its root is so far away at most \[m\].
    Strand {
        constraint: usize,
        strand: usize,
        length: f64,
    },
    /// A pin, moved as a whole from where it started.
    Pin {
        sheet: usize,
        pin: usize,
        start: Vec3,
    },
    Vertex {
        sheet: usize,
        vertex: usize,
    },
}

impl Drag {
    fn new(client: u64, hold: Hold, place: Vec3, point: Vec3) -> Self {
        Self {
            client,
            hold,
            place,
            velocity: Vec3::ZERO,
            offset: place - point,
            target: point,
        }
    }

    /// Takes hold of a body at `point` of the world, or says why not.
    pub(crate) fn body(
        world: &World,
        client: u64,
        body: usize,
        point: Vec3,
    ) -> Result<Self, String> {
        if let Some(drag) = BodyDrag::grab(world.system(), body, point) {
            return Ok(Self::new(client, Hold::Body(drag), point, point));
        }
        let described = world.bodies().get(body);
        match described.map(|body| &body.motion) {
            Some(Motion::Path(_)) if described.is_some_and(|body| body.smooth) => Err(format!(
                "body {body} cannot be held: its smooth path is known beforehand"
            )),
            Some(Motion::Path(_)) => {
                let pose = world.pose(body);
                let hold = Hold::Carried {
                    body,
                    rotation: pose.rotation,
                };
                Ok(Self::new(client, hold, pose.position, point))
            }
            _ => Err(format!("body {body} cannot be held: it does not move")),
        }
    }

    /// Takes hold of segment `segment` of curve `number` of the frames at `point`, or says why not.
    pub(crate) fn strand(
        world: &mut World,
        client: u64,
        number: usize,
        segment: usize,
        point: Vec3,
    ) -> Result<Self, String> {
        let nothing = || format!("there is no segment {segment} of a strand {number}");
        match curve(world, number).ok_or_else(nothing)? {
            Curve::Strand { strand, curve } => {
                let on = world
                    .scene()
                    .strands
                    .get(strand)
                    .map(|own| own.base.clone());
                let system = world.strands_mut().ok_or_else(nothing)?;
                let chain = &system.model.chains[strand];
                let link = chain.source.iter().position(|&of| of == (curve, segment));
                let link = link.ok_or_else(nothing)?;
                if chain.parent[link] == strand::BASE {
                    return Self::root(system, client, strand, on, point);
                }
                Self::middle(system, client, strand, link, point)
            }
            Curve::Cloth { sheet, vertices } => {
                let vertex = vertices.get(segment).or(vertices.last());
                let vertex = *vertex.ok_or_else(nothing)?;
                Self::vertex(world, client, sheet, vertex as usize, point)
            }
        }
    }

    /// The root of a strand, which is led as a whole.
    fn root(
        system: &strand::System,
        client: u64,
        strand: usize,
        on: Option<Base>,
        point: Vec3,
    ) -> Result<Self, String> {
        if let Some(Base::On(body)) = on {
            return Err(format!(
                "the root of this strand is on body `{body}`: drag that, or the strand elsewhere"
            ));
        }
        let pose = system.base(strand);
        let hold = Hold::Root {
            strand,
            rotation: pose.rotation,
        };
        Ok(Self::new(client, hold, pose.position, point))
    }

    /// A strand beyond its root: a constraint draws the point that is held.
    fn middle(
        system: &mut strand::System,
        client: u64,
        strand: usize,
        link: usize,
        point: Vec3,
    ) -> Result<Self, String> {
        let links = system.links(strand);
        let held = Pose::new(links[link].origin, links[link].rotation);
        let chain = &system.model.chains[strand];
        // on the axis of the segment: off it the drag would turn the strand
        let along = held.local_point(point).y.clamp(0.0, chain.length[link]);
        let at = Vec3::Y * along;
        let place = held.point(at);
        let (mut length, mut up) = (along, chain.parent[link]);
        while up != strand::BASE {
            length += chain.length[up];
            up = chain.parent[up];
        }
        let hold = strand::ConstraintKind::Point {
            link,
            at,
            to: strand::Anchor::World(strand::MotionPath::fixed(Pose::at(place))),
        };
        let name = format!("drag {client} of {}", system.model.constraints.len());
        let constraint = strand::Constraint::new(name, strand, hold);
        let constraint = system.model.add_constraint(constraint);
        let constraint = constraint.map_err(|error| error.to_string())?;
        system.state.constraint_on.resize(constraint + 1, true);
        let hold = Hold::Strand {
            constraint,
            strand,
            length,
        };
        Ok(Self::new(client, hold, place, point))
    }

    /// Takes hold of vertex `vertex` of cloth `number` of the frames at `point`, or says why not.
    pub(crate) fn cloth(
        world: &mut World,
        client: u64,
        number: usize,
        vertex: usize,
        point: Vec3,
    ) -> Result<Self, String> {
        let sheet = sheet(world, number).ok_or_else(|| format!("there is no cloth {number}"))?;
        Self::vertex(world, client, sheet, vertex, point)
    }

    /// A vertex of a sheet: with the pin that it belongs to, or by itself.
    fn vertex(
        world: &mut World,
        client: u64,
        sheet: usize,
        vertex: usize,
        point: Vec3,
    ) -> Result<Self, String> {
        let nothing = || format!("there is no vertex {vertex} of cloth {sheet}");
        let system = world.cloths_mut().ok_or_else(nothing)?;
        let place = *system.points(sheet).get(vertex).ok_or_else(nothing)?;
        let own = &system.model().sheets[sheet];
        let pinned = |pin: &cloth::Pin| pin.vertices.contains(&(vertex as u32));
        if let Some(pin) = own.pins.iter().position(pinned) {
            let start = own.points[vertex];
            let free = match &own.pins[pin].motion {
                cloth::Motion::Driven(pose) => *pose == Pose::IDENTITY,
                _ => false,
            };
            if !free {
                return Err(format!(
                    "this pin of `{}` moves as the scene says: on a body or along a path",
                    own.name
                ));
            }
            let hold = Hold::Pin { sheet, pin, start };
            return Ok(Self::new(client, hold, place, point));
        }
        if !system.hold(sheet, vertex, Vec3::ZERO) {
            return Err(nothing());
        }
        let hold = Hold::Vertex { sheet, vertex };
        Ok(Self::new(client, hold, place, point))
    }

    /// Whether a world that this has held cannot go back to its start as it is.
    pub(crate) fn marks(&self) -> bool {
        matches!(self.hold, Hold::Carried { .. } | Hold::Strand { .. })
    }

    /// Moves or pulls what is held over the next step of `dt` seconds.
    pub(crate) fn act(&mut self, world: &mut World, dt: f64) {
        if let Hold::Body(drag) = &mut self.hold {
            drag.target = self.target;
            return drag.pull(world.system_mut(), dt);
        }
        // the dragged point goes to the pointer at a bounded speed; what is held follows
        let before = self.place;
        self.follow(world, dt);
        let (place, end) = (self.place, world.time() + dt);
        match &self.hold {
            Hold::Body(_) => {}
            Hold::Carried { body, rotation } => {
                let at = |time, place| Key::new(time, Pose::new(place, *rotation));
                carry(world, *body, &[at(world.time(), before), at(end, place)]);
            }
            Hold::Root { strand, rotation } => {
                if let Some(system) = world.strands_mut() {
                    system.drive_base(*strand, end, Pose::new(place, *rotation));
                }
            }
            Hold::Strand { constraint, .. } => {
                let held = world
                    .strands_mut()
                    .and_then(|system| system.model.constraints.get_mut(*constraint));
                if let Some(strand::ConstraintKind::Point {
                    to: strand::Anchor::World(path),
                    ..
                }) = held.map(|held| &mut held.kind)
                {
                    if path.is_fixed() {
                        *path = path.driven_to(end - dt, Pose::at(before));
                    }
                    *path = path.driven_to(end, Pose::at(place));
                }
            }
            Hold::Pin { sheet, pin, start } => {
                if let Some(system) = world.cloths_mut() {
                    system.drive_pin(*sheet, *pin, Pose::at(place - *start), dt);
                }
            }
            Hold::Vertex { sheet, vertex } => {
                if let Some(system) = world.cloths_mut() {
                    system.hold(*sheet, *vertex, (place - before) / dt);
                }
            }
        }
    }

    /// The exact motion of a critically damped spring to the pointer, over `dt` seconds.
    fn follow(&mut self, world: &World, dt: f64) {
        let mut goal = self.target + self.offset;
        if let Hold::Strand { strand, length, .. } = self.hold
            && let Some(system) = world.strands()
        {
            // from where the chain begins, which is not the origin of its base
            let chain = &system.model.chains[strand];
            let first = chain.joint.first().copied().unwrap_or(Vec3::ZERO);
            let root = system.base(strand).point(first);
            goal = root + (goal - root).clamp_length_max(REACH * length);
        }
        let (away, fade) = (self.place - goal, exp(-FREQUENCY * dt));
        let pull = self.velocity + away * FREQUENCY;
        let next = goal + (away + pull * dt) * fade;
        let mut step = (next - self.place).clamp_length_max(FASTEST * dt);
        if let Hold::Pin { .. } | Hold::Vertex { .. } = self.hold {
            step = clear(world, self.place + step) - self.place;
        }
        self.velocity = if step == next - self.place {
            (self.velocity - pull * (FREQUENCY * dt)) * fade
        } else {
            step / dt
        };
        self.place += step;
    }

    /// Lets go: what is free again goes on as it was moved, a root, a pin and a body of a path stay.
    pub(crate) fn let_go(&self, world: &mut World) {
        match &self.hold {
            Hold::Strand { constraint, .. } => {
                let on = world
                    .strands_mut()
                    .and_then(|system| system.state.constraint_on.get_mut(*constraint));
                if let Some(on) = on {
                    *on = false;
                }
            }
            Hold::Vertex { sheet, vertex } => {
                if let Some(system) = world.cloths_mut() {
                    system.let_go(*sheet, *vertex);
                }
            }
            Hold::Carried { body, rotation } => {
                let pose = Pose::new(self.place, *rotation);
                carry(world, *body, &[Key::new(world.time(), pose)]);
            }
            _ => {}
        }
    }
}

/// Gives `body` a path through `keys`.
fn carry(world: &mut World, body: usize, keys: &[Key]) {
    let motion = world.system_mut().model.motion.get_mut(body);
    if let (Some(motion), Ok(path)) = (motion, MotionPath::linear(keys)) {
        *motion = rigid::Motion::Scripted(path);
    }
}

/// `place`, moved away from bodies that cloth held there would be pressed against.
fn clear(world: &World, place: Vec3) -> Vec3 {
    let Some(cloths) = world.cloths() else {
        return place;
    };
    let wanted = CLEAR * cloths.model().contact.thickness;
    let (state, model) = (&world.system().state, &world.system().model);
    let mut place = place;
    for i in (0..model.len()).filter(|&i| state.present[i]) {
        let near = closest_point(&model.shape[i], &world.pose(i), place);
        if near.distance < wanted {
            let out = (place - near.point) * near.distance.signum();
            place = near.point + out.normalize_or(Vec3::Y) * wanted;
        }
    }
    place
}
