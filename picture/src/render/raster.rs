//! What is seen in each pixel: tiles in parallel, several samples a pixel.

use rayon::prelude::*;

use super::Settings;
use super::camera::View;
use super::image::Image;
use super::primitive::{Prepared, Rectangle, Solid};
use super::shade::{Encoder, Shader, Visible};

/// Side of a tile in pixels.
const TILE: u32 = 32;
/// No primitive: the sky.
const NOTHING: u32 = u32::MAX;

/// What is seen at one sample.
#[derive(Clone, Copy)]
struct Sample {
    depth: f64,
    primitive: u32,
    face: u8,
}

/// Draws all tiles.
pub(super) fn draw(
    prepared: &Prepared,
    view: &View,
    shader: &Shader,
    settings: &Settings,
) -> Image {
    let (width, height) = (settings.width, settings.height);
    let (columns, rows) = (width.div_ceil(TILE), height.div_ceil(TILE));

    // which primitives touch which tile, in the order of the items
    let mut bins = vec![Vec::new(); (columns * rows) as usize];
    for (i, primitive) in prepared.primitives.iter().enumerate() {
        let Some(area) = area(&primitive.solid, view, width, height) else {
            continue;
        };
        for row in area.y0 / TILE..area.y1.div_ceil(TILE) {
            for column in area.x0 / TILE..area.x1.div_ceil(TILE) {
                bins[(row * columns + column) as usize].push((i as u32, area));
            }
        }
    }

    let offsets = offsets(settings.samples);
    let encoder = Encoder::new();
    let draw_tile = |(i, bin): (usize, &Vec<(u32, Rectangle)>)| {
        let (column, row) = (i as u32 % columns, i as u32 / columns);
        let tile = Rectangle {
            x0: column * TILE,
            y0: row * TILE,
            x1: ((column + 1) * TILE).min(width),
            y1: ((row + 1) * TILE).min(height),
        };
        (
            tile,
            pixels(tile, bin, prepared, view, shader, &offsets, &encoder),
        )
    };
    let tiles: Vec<_> = bins.par_iter().enumerate().map(draw_tile).collect();

    let mut rgb = vec![0; 3 * width as usize * height as usize];
    for (tile, pixels) in tiles {
        let row_bytes = 3 * (tile.x1 - tile.x0) as usize;
        for (y, row) in (tile.y0..tile.y1).zip(pixels.chunks_exact(row_bytes)) {
            let start = 3 * (y as usize * width as usize + tile.x0 as usize);
            rgb[start..start + row_bytes].copy_from_slice(row);
        }
    }
    Image { width, height, rgb }
}

/// Places of the samples in a pixel: a grid, sheared so that no two share a row or column.
fn offsets(samples: u32) -> Vec<[f64; 2]> {
    let n = f64::from(samples);
    let place = |a: u32, b: u32| (f64::from(a) + (f64::from(b) + 0.5) / n) / n;
    (0..samples)
        .flat_map(|j| (0..samples).map(move |i| [place(i, j), place(j, samples - 1 - i)]))
        .collect()
}

/// The pixels that a solid may touch.
fn area(solid: &Solid, view: &View, width: u32, height: u32) -> Option<Rectangle> {
    let whole = Rectangle {
        x0: 0,
        y0: 0,
        x1: width,
        y1: height,
    };
    let Some((points, count)) = solid.hull(&[view.right, view.up, view.forward]) else {
        return Some(whole);
    };
    let (mut low, mut high, mut behind) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2], 0);
    for point in &points[..count] {
        match view.project(*point) {
            None => behind += 1,
            Some((x, y, _)) => {
                low = [low[0].min(x), low[1].min(y)];
                high = [high[0].max(x), high[1].max(y)];
            }
        }
    }
    if behind == count {
        return None;
    }
    if behind > 0 {
        return Some(whole);
    }
    Rectangle::around(low, high, width, height)
}

/// The bytes of one tile.
fn pixels(
    tile: Rectangle,
    bin: &[(u32, Rectangle)],
    prepared: &Prepared,
    view: &View,
    shader: &Shader,
    offsets: &[[f64; 2]],
    encoder: &Encoder,
) -> Vec<u8> {
    let columns = (tile.x1 - tile.x0) as usize;
    let count = columns * (tile.y1 - tile.y0) as usize;
    let nothing = Sample {
        depth: f64::INFINITY,
        primitive: NOTHING,
        face: 0,
    };

    // the nearest surface of each sample
    let rays = view.rays();
    let mut samples = vec![nothing; count * offsets.len()];
    for &(primitive, area) in bin {
        let Some(area) = area.common(tile) else {
            continue;
        };
        let solid = &prepared.primitives[primitive as usize].solid;
        solid.scan(&rays, area, offsets, |k, x, y, depth, face| {
            let pixel = (y - tile.y0) as usize * columns + (x - tile.x0) as usize;
            let sample = &mut samples[pixel * offsets.len() + k];
            if depth < sample.depth {
                *sample = Sample {
                    depth,
                    primitive,
                    face,
                };
            }
        });
    }

    // each surface of a pixel is shaded once, where it is seen on average
    let mut bytes = Vec::with_capacity(3 * count);
    for (pixel, samples) in samples.chunks_exact(offsets.len()).enumerate() {
        let x = tile.x0 + (pixel % columns) as u32;
        let y = tile.y0 + (pixel / columns) as u32;
        let mut colour = [0.0f32; 3];
        for (first, sample) in samples.iter().enumerate() {
            let same =
                |other: &&Sample| (other.primitive, other.face) == (sample.primitive, sample.face);
            if samples[..first].iter().any(|s| same(&s)) {
                continue;
            }
            let (mut share, mut place, mut depth) = (0.0, [0.0; 2], 0.0);
            for (k, other) in samples.iter().enumerate().skip(first) {
                if same(&other) {
                    share += 1.0;
                    place[0] += offsets[k][0];
                    place[1] += offsets[k][1];
                    depth += other.depth;
                }
            }
            let (px, py) = (
                f64::from(x) + place[0] / share,
                f64::from(y) + place[1] / share,
            );
            let seen = if sample.primitive == NOTHING {
                shader.background(px, py)
            } else {
                shader.surface(&Visible {
                    primitive: sample.primitive,
                    face: sample.face,
                    column: px,
                    row: py,
                    depth: depth / share,
                })
            };
            for k in 0..3 {
                colour[k] += seen[k] * (share / offsets.len() as f64) as f32;
            }
        }
        bytes.extend(encoder.bytes(colour, x, y));
    }
    bytes
}
