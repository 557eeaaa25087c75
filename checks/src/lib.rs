//! What the checks share: scenes by name, the measured side of the bars, bits to compare, and
//! processor time. The checks themselves are in `tests/`, `benches/` and `examples/`.

pub mod bars;
mod linear;
mod timing;

pub use drystone_trial::cpu_seconds;
pub use linear::{Layers, layers};
pub use timing::on_threads;

use drystone_world::{Scene, World};

/// The scene of the gallery called `name`.
///
/// # Panics
/// If there is none.
pub fn scene(name: &str) -> Scene {
    let entry = drystone_gallery::find(name);
    (entry
        .unwrap_or_else(|| panic!("the gallery has no scene `{name}`"))
        .build)()
}

/// The world of `scene`, which is one of ours.
///
/// # Panics
/// If the scene is refused.
pub fn start(scene: &Scene) -> World {
    World::new(scene).unwrap_or_else(|error| panic!("scene `{}`: {error}", scene.name))
}

/// All that moves in `world`, bit for bit: the state of bodies; the points and frames of strands and cloth, with
/// the momentum of the whole for their velocities.
pub fn bits(world: &World) -> Vec<u8> {
    const PACKS: &str = "plain data packs into memory";
    let mut bits = postcard::to_stdvec(&world.snapshot().rigid).expect(PACKS);
    let frame = world.frame();
    if !(frame.strands.is_empty() && frame.cloths.is_empty()) {
        let momenta = [world.momentum(), world.angular_momentum()];
        let soft = postcard::to_stdvec(&(frame.strands, frame.cloths, momenta));
        bits.extend(soft.expect(PACKS));
    }
    bits
}

/// Sixteen letters that stand for [`bits`].
pub fn hash(world: &World) -> String {
    blake3::hash(&bits(world)).to_hex()[..16].to_string()
}
