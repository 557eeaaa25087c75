//! All that moves.

use drystone_base::Vec3;
use serde::{Deserialize, Serialize};

use crate::balls::Balls;
use crate::body::FreeBody;
use crate::broad::Broad;
use crate::clock::{Tick, seconds};
use crate::heap::Heap;
use crate::island::Island;
use crate::kdop::KDops;
use crate::mover::MoverState;
use crate::pair::Kind;
use crate::pairs::Pairs;
use crate::penalty_schedule::PenaltySchedule;
use crate::pinch::Pinches;
use crate::scripted::Meeting;
use crate::sleep::Sleep;
use crate::stall_watch::StallWatch;
use crate::topology::Topology;
use crate::vertex::Vertex;
use crate::{Account, BroadPhase, Certificate, Options, Patch, patches_as_obj};

/// Everything that changes, queue included; a clone is a snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Time up to which all events have happened.
    pub(crate) time: Tick,
    /// Written by kicks and by movers.
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) movers: Vec<MoverState>,
    /// By obstacle, the body that gives way in this advance, if it is one.
    pub(crate) bodies: Vec<Option<FreeBody>>,
    /// Those of them that touch each other.
    pub(crate) islands: Vec<Island>,
    /// Impulse on prescribed vertices since it was last asked for \[N s\].
    pub(crate) reaction: Vec<Vec3>,
    pub(crate) pairs: Pairs,
    pub(crate) schedule: PenaltySchedule,
    pub(crate) broad: Broad,
    pub(crate) balls: Balls,
    /// Pairs of a vertex and a half-space, which are there for ever; see `half_space.rs`.
    pub(crate) grounded: Vec<u32>,
    pub(crate) slabs: Heap,
    pub(crate) kdops: KDops,
    /// Bound of the error of a projected distance \[m\].
    pub(crate) delta: f64,
    pub(crate) stall: Option<Stall>,
    /// How many levels below rest hinges, then triangles, tick in their present shape.
    pub(crate) drops: Vec<u8>,
    /// By vertex, level of the longest period that excites no mode of the layers that press it.
    pub(crate) pressed: Vec<u8>,
    /// Written by everything that kicks.
    pub(crate) account: Account,
    /// Written by `scripted.rs`.
    pub(crate) meetings: Vec<Meeting>,
    /// Written by `stall_watch.rs`.
    pub(crate) stall_watch: StallWatch,
    /// Written by `sleep.rs`.
    pub(crate) sleep: Sleep,
    /// Written by `pinch.rs`.
    pub(crate) pinches: Pinches,
    /// When brute force looks at all pairs again.
    pub(crate) look_again: Tick,
    /// Counts repairs.
    pub(crate) round: u64,
}

impl State {
    /// Vertices at the start, nothing known of pairs.
    pub(crate) fn new(topology: &Topology) -> Self {
        let mut vertices: Vec<Vertex> = (0..topology.start.len())
            .map(|i| Vertex {
                position: topology.start[i],
                velocity: topology.velocity[i],
                time: 0,
                inverse_mass: topology.inverse_mass[i],
            })
            .collect();
        for mover in &topology.movers {
            for i in &mover.vertices {
                vertices[*i as usize].inverse_mass = 0.0;
                vertices[*i as usize].velocity = Vec3::ZERO;
            }
        }
        Self {
            time: 0,
            movers: topology.movers.iter().map(|mover| mover.begin()).collect(),
            bodies: Vec::new(),
            islands: Vec::new(),
            reaction: vec![Vec3::ZERO; vertices.len()],
            pairs: Pairs::new(topology),
            schedule: PenaltySchedule::default(),
            broad: Broad::default(),
            balls: Balls::default(),
            grounded: Vec::new(),
            slabs: Heap::default(),
            kdops: KDops::default(),
            delta: 0.0,
            sleep: Sleep::new(vertices.len()),
            pinches: Pinches::default(),
            vertices,
            stall: None,
            drops: vec![0; topology.elements.followed()],
            pressed: vec![u8::MAX; topology.start.len()],
            account: Account::default(),
            meetings: Vec::new(),
            stall_watch: StallWatch::default(),
            look_again: Tick::MAX,
            round: 0,
        }
    }

    /// Whether all lists fit each other and `topology`: a snapshot from outside may be anything.
    pub(crate) fn is_sound(&self, topology: &Topology, options: &Options) -> bool {
        let count = topology.start.len();
        let certified = match options.certificate {
            Certificate::Ball => self.balls.is_sound(count, self.pairs.pool.len()),
            Certificate::Slab => self.slabs.is_sound(self.pairs.pool.len()),
            Certificate::BruteForce => true,
        };
        self.reaction.len() == count
            && self.bodies.len() <= self.movers.len()
            && self
                .bodies
                .iter()
                .flatten()
                .all(|body| body.is_sound(self.islands.len()))
            && self
                .islands
                .iter()
                .all(|island| island.is_sound(&self.bodies))
            && self.sleep.is_sound(count)
            && self.pinches.is_sound(topology)
            && self.drops.len() == topology.elements.followed()
            && self.pressed.len() == topology.start.len()
            && self.vertices.iter().all(|v| v.time <= self.time)
            && self.pairs.is_sound(topology)
            && self
                .grounded
                .iter()
                .all(|p| (*p as usize) < self.pairs.pool.len())
            && self.schedule.is_sound(&self.pairs.pool)
            && certified
            && (options.broad_phase == BroadPhase::Boxes || self.kdops.is_sound(topology))
    }

    /// Time since the start \[s\].
    pub fn seconds(&self) -> f64 {
        seconds(self.time)
    }

    /// Time since the start, in ticks.
    pub fn time(&self) -> Tick {
        self.time
    }

    /// Every vertex, as it was left by its last kick.
    pub fn vertices(&self) -> &[Vertex] {
        &self.vertices
    }
}

/// A piece of a mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Name of the sheet or obstacle.
    pub object: String,
    /// "vertex", "edge", "triangle" or "half-space".
    pub what: String,
    /// Its number within the object; of an edge its number in the sorted list of edges.
    pub number: u32,
    /// Its vertices, numbered within the object.
    pub vertices: Vec<u32>,
    /// Where they are \[m\].
    pub points: Vec<Vec3>,
}

impl Feature {
    pub(crate) fn of(
        topology: &Topology,
        kind: Kind,
        second: bool,
        a: u32,
        x: &impl Fn(u32) -> Vec3,
    ) -> Self {
        let (what, corners): (&str, Vec<u32>) = match (kind, second) {
            (Kind::VertexFace, true) => ("triangle", topology.faces[a as usize].to_vec()),
            (Kind::VertexPlane, true) => ("half-space", topology.planes[a as usize].to_vec()),
            (Kind::EdgeEdge, _) | (Kind::VertexEdge, true) => {
                ("edge", topology.edges[a as usize].to_vec())
            }
            _ => ("vertex", vec![a]),
        };
        let object = topology.object_of(corners[0]);
        let first = match what {
            "triangle" => object.faces.start,
            "edge" => object.edges.start,
            "half-space" => object.planes.start,
            _ => object.vertices.start,
        };
        Self {
            object: object.name.clone(),
            what: what.into(),
            number: a - first as u32,
            points: corners.iter().map(|i| x(*i)).collect(),
            vertices: corners
                .iter()
                .map(|i| i - object.vertices.start as u32)
                .collect(),
        }
    }
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {}", self.object, self.what, self.number)
    }
}

/// Motion that cannot go on: a pair would need a layer whose period is too short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stall {
    /// One side.
    pub a: Feature,
    /// Feature of the other.
    pub b: Feature,
    /// The layer that would be needed.
    pub layer: u32,
    /// How far apart they are \[m\].
    pub distance: f64,
    /// When \[s\].
    pub time: f64,
    /// What stood in the way.
    pub reason: String,
}

impl Stall {
    /// Both sides as the text of an OBJ file.
    pub fn patch(&self) -> String {
        let patch = Patch {
            a: self.a.clone(),
            b: self.b.clone(),
            distance: self.distance,
            what: self.to_string(),
        };
        patches_as_obj(&[patch])
    }
}

impl std::fmt::Display for Stall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "stalled: {} against {}, layer {}, {:.3e} m apart, t = {:.6} s ({})",
            self.a, self.b, self.layer, self.distance, self.time, self.reason
        )
    }
}
