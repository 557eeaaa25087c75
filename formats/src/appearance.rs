//! How bodies look where the scene does not say, and how large an endless floor is drawn.

use drystone_world::{Body, Motion, Shape};

/// Stones of a dry wall, linear RGB.
const STONES: [[f32; 3]; 8] = [
    [0.52, 0.38, 0.24],
    [0.38, 0.19, 0.12],
    [0.24, 0.26, 0.29],
    [0.45, 0.33, 0.20],
    [0.34, 0.32, 0.26],
    [0.46, 0.26, 0.16],
    [0.25, 0.27, 0.17],
    [0.58, 0.51, 0.38],
];
/// Colour of what does not move, linear RGB.
const GROUND: [f32; 3] = [0.46, 0.42, 0.36];

/// Hair, linear RGB.
pub(crate) const HAIR: [f32; 3] = [0.195, 0.084, 0.037];
/// Cloths, linear RGB.
pub(crate) const FABRICS: [[f32; 3]; 6] = [
    [0.069, 0.159, 0.376],
    [0.462, 0.084, 0.069],
    [0.584, 0.361, 0.070],
    [0.156, 0.275, 0.168],
    [0.254, 0.150, 0.292],
    [0.571, 0.479, 0.352],
];

/// Colour of the `index`-th body, linear RGB from 0 to 1: its own, or a stone's.
pub(crate) fn colour(body: &Body, index: usize) -> [f32; 3] {
    match body.colour {
        Some(colour) => colour.map(|c| c as f32),
        None if body.motion == Motion::Fixed => GROUND,
        // five places on, so that neighbours differ
        None => STONES[index * 5 % STONES.len()],
    }
}

/// Half the side of the square that stands for a half-space \[m\]: three times as far as anything
/// reaches at the start, and at least 10 m.
pub(crate) fn floor_reach(bodies: &[Body]) -> f64 {
    let bounded = bodies
        .iter()
        .filter(|body| !matches!(body.shape, Shape::HalfSpace));
    let reach = bounded.map(|body| {
        let p = body.pose().position;
        p.x.abs().max(p.z.abs()) + body.shape.reach()
    });
    let farthest = reach.filter(|r| r.is_finite()).fold(0.0, f64::max);
    (3.0 * farthest).clamp(10.0, 1e6).ceil()
}

/// Smallest extent of any body \[m\], to know how many digits count; 1 if there is none.
pub(crate) fn smallest_extent(bodies: &[Body]) -> f64 {
    let extent = |body: &Body| {
        body.shape
            .bounds()
            .map(|(low, high)| (high - low).min_element())
    };
    let least = bodies
        .iter()
        .filter_map(extent)
        .fold(f64::INFINITY, f64::min);
    if least.is_finite() && least > 0.0 {
        least
    } else {
        1.0
    }
}
