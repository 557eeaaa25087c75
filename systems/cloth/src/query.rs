//! One question to the certificates: may two pieces that move straight meet?

use drystone_base::Vec3;

use crate::event_loop::Scratch;
use crate::state::State;
use crate::topology::Topology;
use crate::{Contact, Kind, Material, Model, Motion, Options, Pin, PointsKey, Sheet, System};

/// Most events of a question.
const EVENTS: u64 = 1_000_000;

/// Whether the corners of a pair, which move straight from `start` to `end`, may come as close as `distance` on the way:
/// a prescribed scene of two pieces, run through the event loop with the certificates of `options`. True as well if
/// that takes too many events. `kind` is `VertexFace` or `EdgeEdge`; triangles without area are legal.
pub fn may_meet(
    kind: Kind,
    start: [Vec3; 4],
    end: [Vec3; 4],
    distance: f64,
    options: &Options,
) -> bool {
    let split = kind.split();
    let piece = |name: &str, from: &[Vec3], to: &[Vec3]| Sheet {
        name: name.into(),
        points: from.to_vec(),
        faces: if from.len() == 3 {
            vec![[0, 1, 2]]
        } else {
            Vec::new()
        },
        segments: if from.len() == 2 {
            vec![[0, 1]]
        } else {
            Vec::new()
        },
        material: Material {
            vertex_mass: 1.0,
            ..Material::default()
        },
        pins: vec![Pin {
            vertices: (0..from.len() as u32).collect(),
            motion: Motion::Points(vec![PointsKey {
                time: 1.0,
                points: to.to_vec(),
            }]),
            until: None,
        }],
        ..Sheet::default()
    };
    let model = Model {
        sheets: vec![
            piece("a", &start[..split], &end[..split]),
            piece("b", &start[split..], &end[split..]),
        ],
        contact: Contact {
            thickness: distance / crate::scripted::MEETING,
            ..Contact::default()
        },
        ..Model::default()
    };
    let options = Options {
        event_limit: EVENTS,
        ..options.clone()
    };
    let Ok(topology) = Topology::new(&model, &options) else {
        return true;
    };
    let state = State::new(&topology);
    let mut system = System::begun(model, options, topology, state, Scratch::default());
    let report = system.advance(1.0);
    report.exhausted || report.stall.is_some() || !system.meetings().is_empty()
}
