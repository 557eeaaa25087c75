//! Frames as bytes: what goes to the page many times a second.
//!
//! Little-endian, version 3. Offsets in bytes:
//!
//! | at | type | what |
//! |---|---|---|
//! | 0 | u8 | version, 3 |
//! | 1 | u8 | session: 0, or 1 for the second of two runs side by side |
//! | 2 | u8 | [`kinds`] of data that follow |
//! | 3 | u8 | [`flags`] |
//! | 4 | u32 | epoch: which description of the session the frame belongs to |
//! | 8 | u32 | step (low bits) |
//! | 12 | u32 | n, the number of bodies |
//! | 16 | f64 | time of the frame \[s\] |
//! | 24 | f64 | first time that can be looked at again \[s\] |
//! | 32 | f64 | time that the simulation has reached \[s\] |
//! | 40 | 3 f64 | origin: all positions are relative to it \[m\] |
//! | 64 | 16 f32 | numbers, in the order of [`Numbers`] |
//! | 128 | n x 7 f32 | position \[m\] and rotation (x, y, z, w) of each shape |
//! | | n u8, padded to 4 | 1 visible, 2 asleep |
//! | | n x 6 f32 | if `VELOCITIES`: of the centre \[m/s\], spin \[rad/s\] |
//! | | n x 2 u32 | if `GRAPH`: stack height and island, `u32::MAX` for none |
//! | | u32 m, m x 40 bytes | if `CONTACTS`: bodies a and b (u32), point, force on b \[N\] (f32), distance \[m\] (f32), layer (u32) |
//! | | u32 s, then for each | if `STRANDS`: u32 p, p x 3 f32 points |
//! | | u32 c, then for each | if `CLOTHS`: u32 p, p x 3 f32 points |
//! | | for each strand (p - 1) x 5 f32 | if `FRAMES`: rotation (x, y, z, w) of each segment, twist of its joint away from rest \[rad\] |
//! | | for each cloth p x 2 f32 | if `LAYERS`: shortest time step of each vertex \[s\], penalty layers active at it |
//! | | for each strand p x 2 f32 | if `LAYERS`: the same of the points of chains and particles of cloth; zeros of strands proper |
//!
//! In a contact of a strand, b is n plus the number of the strand. A strand or a cloth has as many points as its description says, unless the epoch has changed.

use drystone_base::Vec3;
use drystone_rigid::{Contacts, Graph, NONE, Patch};
use drystone_world::{Frame, World};

use crate::diagnostics::{clocks, patches, twists};

/// Version of the layout.
pub const VERSION: u8 = 3;
/// Bytes before the bodies.
pub const HEADER: usize = 128;

/// Kinds of data in a frame.
pub mod kinds {
    /// Velocities of bodies.
    pub const VELOCITIES: u8 = 1;
    /// Stack heights and islands.
    pub const GRAPH: u8 = 2;
    /// Contact points with forces.
    pub const CONTACTS: u8 = 4;
    /// Points of strands; always there if the scene has strands.
    pub const STRANDS: u8 = 8;
    /// Points of cloths; always there if the scene has cloths.
    pub const CLOTHS: u8 = 16;
    /// Material frames and twist of strands.
    pub const FRAMES: u8 = 32;
    /// Time steps and penalty layers of the vertices of cloth, of its chains and of its particles.
    pub const LAYERS: u8 = 64;
    /// Kinds of data that a page may ask for.
    pub const ASKABLE: u8 = VELOCITIES | GRAPH | CONTACTS | FRAMES | LAYERS;
}

/// Flags of a frame.
pub mod flags {
    /// The simulation runs.
    pub const PLAYING: u8 = 1;
    /// The frame is of the history; the simulation is further on.
    pub const PAST: u8 = 2;
}

/// The numbers of a frame, for plots.
#[derive(Clone, Copy, Debug, Default)]
pub struct Numbers {
    /// \[J\]
    pub kinetic: f64,
    /// Zero at the origin \[J\].
    pub potential: f64,
    /// Deepest penetration at the start of the last step \[m\].
    pub penetration: f64,
    /// Number of contact points.
    pub contacts: f64,
    /// Pairs of bodies that touch.
    pub pairs: f64,
    /// Groups of bodies that hang together.
    pub islands: f64,
    /// Sweeps of the velocity solver.
    pub sweeps: f64,
    /// Largest approach speed left after the solve \[m/s\].
    pub residual: f64,
    /// Wall time of the last step \[ms\].
    pub step_ms: f64,
    /// The part of it spent on the search for contacts \[ms\].
    pub collision_ms: f64,
    /// The rest of it \[ms\].
    pub dynamics_ms: f64,
    /// Bodies that sleep.
    pub asleep: f64,
    /// Simulated seconds for each second of wall time.
    pub rate: f64,
    /// Bodies that have entered and move.
    pub moving: f64,
    /// Stack layers, if the graph was asked for.
    pub layers: f64,
    /// Events of cloth in the last step.
    pub events: f64,
}

impl Numbers {
    /// Figures of `world` after its last step.
    pub fn of(world: &World, rate: f64) -> Self {
        let (report, seconds) = (&world.report().rigid, &world.report().seconds);
        let (state, model) = (&world.system().state, &world.system().model);
        let count = |f: &dyn Fn(usize) -> bool| (0..model.len()).filter(|&i| f(i)).count() as f64;
        Self {
            kinetic: world.kinetic_energy(),
            potential: world.potential_energy(),
            penetration: (report.deepest_penetration).max(world.strand_penetration()),
            contacts: (report.contacts + world.strand_contacts()) as f64,
            pairs: report.pairs as f64,
            islands: report.islands as f64,
            sweeps: report.sweeps as f64,
            residual: report.residual,
            step_ms: 1e3 * seconds.total(),
            collision_ms: 1e3 * seconds.collision,
            dynamics_ms: 1e3 * seconds.dynamics(),
            asleep: count(&|i| state.asleep[i]),
            rate,
            moving: count(&|i| state.present[i] && model.is_dynamic(i)),
            layers: 0.0,
            events: world.report().cloth.events.events() as f64,
        }
    }

    fn row(&self) -> [f64; 16] {
        [
            self.kinetic,
            self.potential,
            self.penetration,
            self.contacts,
            self.pairs,
            self.islands,
            self.sweeps,
            self.residual,
            self.step_ms,
            self.collision_ms,
            self.dynamics_ms,
            self.asleep,
            self.rate,
            self.moving,
            self.layers,
            self.events,
        ]
    }
}

/// The header of a frame, apart from its figures.
#[derive(Clone, Copy, Debug, Default)]
pub struct Header {
    /// Index of the session among those shown side by side.
    pub session: u8,
    /// Number of the description that the frame belongs to.
    pub epoch: u32,
    /// Origin of all positions of the frame \[m\].
    pub origin: Vec3,
}

/// What is known of a moment besides its frame.
#[derive(Clone, Copy)]
pub enum Known<'a> {
    /// Everything: the world is at that moment.
    Now(&'a World),
    /// A recorded frame, with a world of the same scene at another moment. Contacts are those of the frame, and the
    /// graph is made from them; sleep, and time steps and layers of cloth, are not known.
    Recorded(&'a World),
}

impl std::fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.now().map_or("Recorded", |_| "Now"))
    }
}

impl<'a> Known<'a> {
    fn now(self) -> Option<&'a World> {
        match self {
            Self::Now(world) => Some(world),
            Self::Recorded(_) => None,
        }
    }
}

/// `frame` as bytes, with the asked-for [`kinds`] of data as far as they are `known`.
/// Times and flags are those of a frame that is the newest; [`stamp`] changes them.
pub fn encode(
    frame: &Frame,
    known: Known<'_>,
    header: &Header,
    numbers: &Numbers,
    asked: u8,
    graph: &mut Graph,
) -> Vec<u8> {
    // contacts as they are now, or as they were recorded
    let world = known.now();
    let n = frame.bodies.len();
    let mut asked = asked & kinds::ASKABLE;
    let mut numbers = *numbers;
    let recorded;
    let (contacts, model) = match known {
        Known::Now(world) => (&world.system().state.contacts, &world.system().model),
        Known::Recorded(world) => {
            recorded = patches(&frame.contacts, &world.system().model);
            (&recorded, &world.system().model)
        }
    };
    // contacts were counted, but not kept
    if world.is_none() && frame.contacts.is_empty() && numbers.contacts > 0.0 {
        asked &= !(kinds::GRAPH | kinds::CONTACTS);
    }
    // layers belong to contacts too
    if asked & (kinds::GRAPH | kinds::CONTACTS) != 0 {
        let touches = |k: usize| contacts.patches[k].distance < TOUCHING;
        graph.analyse(contacts, model, touches);
        numbers.layers = f64::from(graph.layers);
        if world.is_none() {
            numbers.pairs = count_pairs(contacts) as f64;
            numbers.islands = f64::from(graph.islands);
        }
    }
    // kinds that there is nothing of are not sent
    if world.and_then(World::cloths).is_none() {
        asked &= !kinds::LAYERS;
    }
    if frame.strands.is_empty() {
        asked &= !kinds::FRAMES;
    }
    let mut present = asked;
    if !frame.strands.is_empty() {
        present |= kinds::STRANDS;
    }
    if !frame.cloths.is_empty() {
        present |= kinds::CLOTHS;
    }

    // header
    let mut bytes = Bytes(Vec::with_capacity(HEADER + 64 * n));
    bytes.0.extend([VERSION, header.session, present, 0]);
    bytes.word(header.epoch);
    bytes.word(frame.step as u32);
    bytes.word(n as u32);
    for x in [frame.time, 0.0, frame.time] {
        bytes.0.extend(x.to_le_bytes());
    }
    for x in header.origin.to_array() {
        bytes.0.extend(x.to_le_bytes());
    }
    numbers.row().into_iter().for_each(|x| bytes.float(x));

    // poses and states of bodies
    for body in &frame.bodies {
        bytes.vector(body.pose.position - header.origin);
        let rotation = body.pose.rotation;
        [rotation.x, rotation.y, rotation.z, rotation.w]
            .into_iter()
            .for_each(|x| bytes.float(x));
    }
    for (i, body) in frame.bodies.iter().enumerate() {
        let asleep = world.and_then(|world| world.system().state.asleep.get(i));
        let asleep = asleep.copied().unwrap_or(false);
        bytes.0.push(u8::from(body.visible) | u8::from(asleep) << 1);
    }
    bytes.pad();
    // what was asked for beside poses
    if asked & kinds::VELOCITIES != 0 {
        for body in &frame.bodies {
            bytes.vector(body.linear_velocity);
            bytes.vector(body.angular_velocity);
        }
    }
    if asked & kinds::GRAPH != 0 {
        for i in 0..n {
            bytes.word(graph.height.get(i).copied().unwrap_or(NONE));
            bytes.word(graph.island.get(i).copied().unwrap_or(NONE));
        }
    }
    if asked & kinds::CONTACTS != 0 {
        let layers = contacts.patches.iter().enumerate().flat_map(|(k, patch)| {
            let layer = graph.layer.get(k).copied().unwrap_or(NONE);
            std::iter::repeat_n(layer, patch.count as usize)
        });
        let own = world.map(|world| [world.contacts(), world.contacts_of_strands()].concat());
        let contacts = own.as_deref().unwrap_or(&frame.contacts);
        let layers = layers.chain(std::iter::repeat(NONE));
        bytes.word(contacts.len() as u32);
        for (contact, layer) in contacts.iter().zip(layers) {
            bytes.word(contact.a as u32);
            bytes.word(contact.b as u32);
            bytes.vector(contact.point - header.origin);
            bytes.vector(contact.force);
            bytes.float(contact.distance);
            bytes.word(layer);
        }
    }
    // points of strands and cloth
    let mut curves = |all: &mut dyn Iterator<Item = &Vec<Vec3>>, count: usize| {
        if count > 0 {
            bytes.word(count as u32);
        }
        for points in all {
            bytes.word(points.len() as u32);
            points
                .iter()
                .for_each(|&point| bytes.vector(point - header.origin));
        }
    };
    let strands = frame.strands.iter().map(|strand| &strand.points);
    curves(&mut { strands }, frame.strands.len());
    let cloths = frame.cloths.iter().map(|cloth| &cloth.points);
    curves(&mut { cloths }, frame.cloths.len());
    // material frames with twist; time steps with layers
    if asked & kinds::FRAMES != 0 {
        for (strand, twists) in frame.strands.iter().zip(twists(frame, world)) {
            for (q, twist) in strand.orientations.iter().zip(twists) {
                let all = [q.x, q.y, q.z, q.w, twist];
                all.into_iter().for_each(|x| bytes.float(x));
            }
        }
    }
    if asked & kinds::LAYERS != 0
        && let Some(world) = world
    {
        for (step, layers) in clocks(frame, world).into_iter().flatten() {
            bytes.float(step);
            bytes.float(f64::from(layers));
        }
    }
    bytes.0
}

/// Number of pairs of bodies that have contact patches.
fn count_pairs(contacts: &Contacts) -> usize {
    let pair = |patch: &Patch| (patch.a, patch.b);
    let patches = &contacts.patches;
    patches.chunk_by(|x, y| pair(x) == pair(y)).count()
}

/// Gap below which bodies count as touching in the contact graph \[m\].
const TOUCHING: f64 = 2e-3;

/// Writes into an encoded frame the span of the history, and which of the [`flags`] hold.
pub fn stamp(bytes: &mut [u8], first: f64, reached: f64, what: u8) {
    if bytes.len() >= HEADER {
        bytes[3] = what;
        bytes[24..32].copy_from_slice(&first.to_le_bytes());
        bytes[32..40].copy_from_slice(&reached.to_le_bytes());
    }
}

struct Bytes(Vec<u8>);

impl Bytes {
    fn word(&mut self, x: u32) {
        self.0.extend(x.to_le_bytes());
    }

    /// Numbers too large for an f32 are shown as the largest.
    fn float(&mut self, x: f64) {
        let x = (x as f32).clamp(f32::MIN, f32::MAX);
        self.0.extend(x.to_le_bytes());
    }

    fn vector(&mut self, v: Vec3) {
        v.to_array().into_iter().for_each(|x| self.float(x));
    }

    fn pad(&mut self) {
        let length = self.0.len().next_multiple_of(4);
        self.0.resize(length, 0);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use drystone_world::{Body, Cloth, ClothMaterial, ClothPart, Pin, Scene, Surface};

    fn float(bytes: &[u8], at: usize) -> f64 {
        f64::from(f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()))
    }

    fn word(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    #[test]
    fn a_frame_is_laid_out_as_documented() {
        let mut scene = Scene::new();
        scene.ground();
        scene.add(Body::cube(1.0).named("low").at(1e4, 0.5, 0.0));
        scene.add(Body::cube(1.0).named("high").at(1e4, 1.5, 0.0));
        let mut world = World::new(&scene).unwrap();
        world.run_for(0.5);
        let header = Header {
            session: 1,
            epoch: 7,
            origin: Vec3::new(1e4, 0.0, 0.0),
        };
        let numbers = Numbers::of(&world, 1.0);
        let mut graph = Graph::default();
        let frame = world.frame();
        let mut bytes = encode(
            &frame,
            Known::Now(&world),
            &header,
            &numbers,
            0xFF,
            &mut graph,
        );
        stamp(&mut bytes, 0.25, 0.5, flags::PLAYING);

        let there = kinds::VELOCITIES | kinds::GRAPH | kinds::CONTACTS;
        assert_eq!(bytes[..4], [VERSION, 1, there, flags::PLAYING]);
        assert_eq!((word(&bytes, 4), word(&bytes, 12)), (7, 3));
        assert_eq!(
            f64::from_le_bytes(bytes[16..24].try_into().unwrap()),
            frame.time
        );
        assert_eq!(f64::from_le_bytes(bytes[24..32].try_into().unwrap()), 0.25);
        // relative to the origin single precision keeps micrometres 10 km away
        let y = float(&bytes, HEADER + 2 * 28 + 4);
        assert!((y - world.pose(2).position.y).abs() < 1e-7, "{y}");
        let heights = HEADER + 3 * 28 + 4 + 3 * 24;
        let height: Vec<u32> = (0..3).map(|i| word(&bytes, heights + 8 * i)).collect();
        assert_eq!(height, [0, 1, 2]);
        let contacts = heights + 3 * 8;
        assert_eq!(word(&bytes, contacts), 8);
        // the ground carries both: the sum of the forces on `low` from the ground
        let carried: f64 = (0..8)
            .map(|k| contacts + 4 + 40 * k)
            .filter(|&at| word(&bytes, at) == 0)
            .map(|at| float(&bytes, at + 24))
            .sum();
        let weight = 2000.0 * 9.81;
        assert!((carried / weight - 1.0).abs() < 1e-3, "{carried} N"); // measured: 1e-7
        assert_eq!(bytes.len(), contacts + 4 + 8 * 40);
    }
    #[test]
    fn chains_and_particles_of_cloth_tell_their_layers_after_those_of_cloth() {
        // a particle that has come to lie on a fixed line, another far above
        let mut scene = Scene::new();
        scene.solver.cloth.plane = true;
        scene.solver.cloth.thickness = Some(0.1);
        let line = vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
        let line = Surface::Chain {
            points: line,
            closed: false,
        };
        scene.add(Cloth::new("line", line).pin(Pin::fixed(ClothPart::All)));
        let points = vec![[0.1, 0.06, 0.0], [0.1, 50.0, 0.0]];
        let material = ClothMaterial {
            density: 0.0,
            vertex_mass: 0.02,
            ..ClothMaterial::default()
        };
        scene.add(Cloth::new("grains", Surface::Particles { points }).of(material));
        let mut world = World::new(&scene).unwrap();
        let mut layers = Vec::new();
        let mut graph = Graph::default();
        for _ in 0..100 {
            world.step();
            let frame = world.frame();
            let (header, numbers) = (Header::default(), Numbers::default());
            let bytes = encode(
                &frame,
                Known::Now(&world),
                &header,
                &numbers,
                kinds::LAYERS,
                &mut graph,
            );
            assert_eq!(bytes[2], kinds::STRANDS | kinds::LAYERS);
            // three curves of two points each: a line, and two particles that are drawn as rods
            let start = HEADER + 4 + 3 * (4 + 2 * 12);
            assert_eq!(bytes.len(), start + 3 * 2 * 8);
            let seen: Vec<(f64, f64)> = (0..6)
                .map(|k| start + 8 * k)
                .map(|at| (float(&bytes, at), float(&bytes, at + 4)))
                .collect();
            // both ends of the rod of a particle are that particle
            assert_eq!((seen[2], seen[4]), (seen[3], seen[5]));
            assert!(seen[2].0 > 0.0, "time step of {} s", seen[2].0);
            layers = [seen[0], seen[2], seen[4]].map(|(_, n)| n).to_vec();
            if layers[1] > 0.0 {
                break;
            }
        }
        assert!(layers[0] > 0.0 && layers[1] > 0.0, "{layers:?}");
        assert_eq!(layers[2], 0.0);
        // a recorded frame cannot know
        let frame = world.frame();
        let (header, numbers) = (Header::default(), Numbers::default());
        let alone = encode(
            &frame,
            Known::Recorded(&world),
            &header,
            &numbers,
            0xFF,
            &mut graph,
        );
        assert_eq!(alone[2] & kinds::LAYERS, 0);
    }

    #[test]
    fn a_recorded_frame_tells_heights_islands_layers_and_forces_like_the_world_it_was_of() {
        let mut scene = Scene::new();
        scene.ground();
        for k in 0..4 {
            let y = 0.5 + f64::from(k);
            scene.add(Body::cube(1.0).named(format!("low-{k}")).at(0.0, y, 0.0));
        }
        scene.add(Body::cube(1.0).named("apart").at(5.0, 0.5, 0.0));
        scene.add(Body::cube(1.0).named("falling").at(-5.0, 60.0, 0.0));
        let mut world = World::new(&scene).unwrap();
        let start = World::new(&scene).unwrap();
        world.run_for(0.5);
        let numbers = Numbers::of(&world, 1.0);
        let header = Header::default();
        let asked = kinds::VELOCITIES | kinds::GRAPH | kinds::CONTACTS;
        let encoded = |frame: &Frame, known: Known<'_>| {
            encode(
                frame,
                known,
                &header,
                &numbers,
                asked,
                &mut Graph::default(),
            )
        };
        let live = encoded(&world.frame(), Known::Now(&world));
        let kept = encoded(&world.frame_with_contacts(), Known::Recorded(&start));
        assert_eq!(live[2], kept[2]);
        // all that follows the numbers, of which islands are counted otherwise
        assert_eq!(live[HEADER..], kept[HEADER..]);
        assert_eq!(float(&live, 64 + 4 * 14), 4.0);
        assert_eq!(live[64 + 4 * 14..HEADER], kept[64 + 4 * 14..HEADER]);
        // a recording without contacts does not claim that everything hangs free
        let bare = encoded(&world.frame(), Known::Recorded(&start));
        assert_eq!(bare[2], kinds::VELOCITIES);
    }

    #[test]
    fn a_recorded_frame_tells_where_strands_touch_like_the_world_it_was_of() {
        let scene = (drystone_gallery::find("long-hair").unwrap().build)();
        let start = World::new(&scene).unwrap();
        let mut world = World::new(&scene).unwrap();
        for _ in 0..20 {
            world.step();
            if !world.contacts_of_strands().is_empty() {
                break;
            }
        }
        let header = Header::default();
        let encoded = |frame: &Frame, known: Known<'_>| {
            let (numbers, mut graph) = (Numbers::default(), Graph::default());
            encode(frame, known, &header, &numbers, kinds::CONTACTS, &mut graph)
        };
        let live = encoded(&world.frame(), Known::Now(&world));
        let kept = encoded(&world.frame_with_contacts(), Known::Recorded(&start));
        assert_eq!(live[HEADER..], kept[HEADER..]);
        let bodies = world.bodies().len();
        let contacts = HEADER + (28 * bodies + bodies).next_multiple_of(4);
        assert!(word(&kept, contacts) > 0, "no strand touches anything");
        // the second of a contact is a curve, not a body
        assert!(word(&kept, contacts + 8) as usize >= bodies);
    }
}
