//! A thousand balls rain onto a tilted plate with letters cut into it (Erleben 2007, Fig. 17), and
//! some come to lie in the grooves. The word is ours; grooves are 1.2 m wide and 0.8 m deep.

use drystone_base::Vec3;
use drystone_base::random::Random;

use crate::prelude::*;

pub(crate) const ENTRY: Entry = Entry {
    name: "engraved-letters",
    about: "1000 balls roll over a tilted plate with letters cut into it",
    system: "rigid",
    build,
};

/// Width of a groove \[m\].
const WIDTH: f64 = 1.2;
/// Depth of a groove \[m\].
const DEPTH: f64 = 0.8;
/// Extents of the plate \[m\].
const PLATE: [f64; 3] = [40.0, 2.67, 13.3];

/// Row by row, from the upper edge; `#` is cut.
const WORD: [&str; 5] = [
    "##. ##. #.# .## ### ### #..# ###",
    "#.# #.# #.# #.. .#. #.# ##.# #..",
    "#.# ##. .#. .#. .#. #.# #### ##.",
    "#.# #.# .#. ..# .#. #.# #.## #..",
    "##. #.# .#. ##. .#. ### #..# ###",
];

fn build() -> Scene {
    let mut scene = ENTRY.start();
    scene.duration = 10.0;
    scene.frame_rate = 25.0;
    scene.material("ball", 0.01, 0.15);
    scene.material("plate", 0.04, 0.1);
    scene.contact("ball", "plate", 0.04, 0.1);
    scene.add(
        Body::new(plate())
            .named("plate")
            .turned([0.0, 0.0, 1.0], 15.0)
            .of("plate")
            .fixed()
            .colour(0.62, 0.6, 0.55),
    );
    for (i, (place, radius)) in rain(1000).into_iter().enumerate() {
        let ball = Body::ball(radius).named(format!("ball/{i}"));
        scene.add(ball.at(place.x, place.y, place.z).density(7200.0).of("ball"));
    }
    scene.camera = Some(Camera::new([-6.0, 34.0, 30.0], [0.0, 0.0, 0.5]));
    // the highest ball falls 215 m and more, down to where the plate ends or beyond
    scene
        .truth(penetration_below(4e-3).over(10.0..))
        .truth(moves("ball/*", 10.0))
        .truth(energy_never_rises(1e3))
        .truth(stays_finite());
    scene
}

/// One slab below the grooves, and whatever the letters leave, as few boxes as rows allow. These
/// reach through the whole plate: a seam inside it would hold whatever is struck that deep.
fn plate() -> Shape {
    let [x, y, z] = PLATE;
    let (columns, rows) = (WORD[0].len(), WORD.len());
    let (left, back) = (-0.5 * WIDTH * columns as f64, -0.5 * WIDTH * rows as f64);
    let mut parts = vec![Part::new(
        Shape::block(x, y - DEPTH, z),
        [0.0, -0.5 * DEPTH, 0.0],
    )];
    let mut fill = |x0: f64, x1: f64, z0: f64, z1: f64| {
        parts.push(Part::new(
            Shape::block(x1 - x0, y, z1 - z0),
            [0.5 * (x0 + x1), 0.0, 0.5 * (z0 + z1)],
        ));
    };
    // the rim
    fill(-0.5 * x, 0.5 * x, -0.5 * z, back);
    fill(-0.5 * x, 0.5 * x, -back, 0.5 * z);
    fill(-0.5 * x, left, back, -back);
    fill(-left, 0.5 * x, back, -back);
    // between the strokes: columns that are whole, then runs within a row
    let cut = |row: usize, column: usize| WORD[row].as_bytes()[column] == b'#';
    let at = |start: f64, i: usize| start + WIDTH * i as f64;
    let whole = |column: usize| (0..rows).all(|row| !cut(row, column));
    for column in (0..columns).filter(|&c| whole(c)) {
        fill(at(left, column), at(left, column + 1), back, -back);
    }
    for row in 0..rows {
        let mut column = 0;
        while column < columns {
            let start = column;
            while column < columns && !cut(row, column) && !whole(column) {
                column += 1;
            }
            if column > start {
                fill(at(left, start), at(left, column), at(back, row), at(back, row + 1));
            } else {
                column += 1;
            }
        }
    }
    Shape::Compound { parts }
}

/// Places and radii of the balls: ball `i` at x = 15 − 0.025 i − U(0, 5), y = 15 + 0.2 i ± 0.2,
/// z = ±2.75, drawn again while it would touch an earlier one \[m\].
fn rain(count: usize) -> Vec<(Vec3, f64)> {
    let mut random = Random::new(17);
    let mut balls: Vec<(Vec3, f64)> = Vec::with_capacity(count);
    for i in 0..count {
        let k = i as f64;
        let radius = 0.165 * [1.0, 2.0, 3.0][i % 3];
        let place = loop {
            let place = Vec3::new(
                15.0 - 0.025 * k - random.range(0.0, 5.0),
                15.0 + 0.2 * k + random.range(-0.2, 0.2),
                random.range(-2.75, 2.75),
            );
            let free = |(p, r): &(Vec3, f64)| (*p - place).length() > r + radius;
            if balls.iter().rev().take(16).all(free) {
                break place;
            }
        };
        balls.push((place, radius));
    }
    balls
}
