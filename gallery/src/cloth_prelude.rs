//! What the scenes of cloth share.

use drystone_world::truth::{cloth, stays_finite};
use drystone_world::{
    Body, Camera, Cloth, ClothMaterial, ClothPart, Generator, Key, Load, Mesh, Nails, Pattern, Pin,
    Scene, Shape, Stretch, Surface,
};

use crate::Entry;

/// Of Harmon 2012: the outermost layer begins at 0.1, and vertices are half as far again apart \[m\].
pub(crate) const SPACING: f64 = 0.15;

/// Between the rows of ribbons, which come closer on the inner side of bends \[m\].
pub(crate) const ALONG: f64 = 0.22;

/// An empty scene at 24 frames a second with the layers of Harmon 2012.
pub(crate) fn draping(entry: &Entry, seconds: f64) -> Scene {
    let mut scene = entry.start();
    scene.frame_rate = 24.0;
    scene.dt = 1.0 / 48.0;
    scene.duration = seconds;
    scene.gravity = [0.0, -9.8, 0.0];
    scene.solver.cloth.thickness = Some(0.1);
    scene
}

/// A row of the table of Harmon 2012: density, stretching, its damping, bending.
pub(crate) fn seed(density: f64, stretch: f64, damping: f64, bending: f64) -> ClothMaterial {
    ClothMaterial {
        density,
        stretch: Stretch::Spring(stretch),
        stretch_damping: damping,
        bending,
        friction: 0.0,
        ..ClothMaterial::default()
    }
}

/// Nothing passes through anything, nothing gains energy, and no number is lost.
pub(crate) fn safe(scene: &mut Scene) -> &mut Scene {
    scene
        .truth(cloth::no_crossings())
        .truth(cloth::energy_never_gained().with("share", 0.01))
        .truth(stays_finite())
}

/// Safe, and time goes on.
pub(crate) fn safe_and_going(scene: &mut Scene) -> &mut Scene {
    safe(scene).truth(cloth::no_stall())
}

/// A sheet of `columns` x `rows` vertices.
pub(crate) fn sheet(columns: u32, rows: u32) -> Surface {
    Surface::Sheet {
        columns,
        rows,
        spacing: SPACING,
    }
}

/// Nails on a floor of their own: four slivers of a pyramid each, 0.2 wide and 1.5 high, a metre
/// apart, their tips off by a millimetre.
pub(crate) fn bed_of_nails(scene: &mut Scene, counts: [u32; 2]) {
    nails_on_floor(
        scene,
        Nails {
            counts,
            ..Nails::default()
        },
    );
}

fn nails_on_floor(scene: &mut Scene, nails: Nails) {
    let nails = Generator::new("nail", Pattern::Nails(nails)).fixed();
    scene.generate(nails.colour(0.45, 0.45, 0.5));
    scene.ground();
}

/// What the sheets on nails are made of.
///
/// All but the bending stiffness is of the table of Harmon 2012. With the 0.1 that is printed there, fabric of 0.001 kg/m²
/// is a board: its bending length `(2 k / ρ g)^(1/3)` is 2.7 m, and between tips a metre apart it sags by a third of a
/// millimetre. Here that length is 0.2 m, so that the sheets drape as those of Fig. 11 do.
fn thin() -> ClothMaterial {
    seed(0.001, 1000.0, 1.0, 4e-5)
}

/// Two sheets of 13 x 25 that hang over a row of nails, with a row at either side.
pub(crate) fn small_sheets_on_nails(scene: &mut Scene) {
    bed_of_nails(scene, [3, 5]);
    two_sheets(scene, 13, 25, 2.0, &thin());
}

/// Two sheets of the paper's size, 9 m x 19.5 m, on eight nails of 3 m, 4.5 m apart: on a grid of tips as narrow as
/// in the small one, cloth that hardly stretches can only lie.
pub(crate) fn large_sheets_on_nails(scene: &mut Scene) {
    nails_on_floor(
        scene,
        Nails {
            counts: [2, 4],
            width: 0.4,
            height: 3.0,
            pitch: 4.5,
            ..Nails::default()
        },
    );
    two_sheets(scene, 61, 131, 3.5, &thin());
    scene.camera = Some(Camera::new([16.0, 9.0, 17.0], [0.0, 1.8, 0.0]));
}

/// Two sheets one over the other, the lower one so high, the shorter side of `columns` vertices \[m\].
pub(crate) fn two_sheets(
    scene: &mut Scene,
    columns: u32,
    rows: u32,
    height: f64,
    material: &ClothMaterial,
) {
    for (k, colour) in [[0.75, 0.2, 0.2], [0.2, 0.35, 0.7]].into_iter().enumerate() {
        let name = ["lower", "upper"][k];
        let cloth = Cloth::new(name, sheet(columns, rows));
        let cloth = cloth.at(0.0, height + 0.25 * k as f64, 0.0);
        let [red, green, blue] = colour;
        scene.add(cloth.of(material.clone()).colour(red, green, blue));
    }
}

/// In the end the lower sheet hangs so much deeper than the tips of nails, somewhere in a column given by two corners in
/// x and z \[m\].
pub(crate) fn drapes(scene: &mut Scene, column: [[f64; 2]; 2], top: f64, depth: f64) {
    scene.truth(cloth::sags("lower", column, top, depth));
}

/// Both fall; from `after` on the upper one is pulled off by one short edge, two metres a second \[s\].
pub(crate) fn pull_off(scene: &mut Scene, after: f64) {
    // the edge is held from the start, and comes down with the sheet
    let fall = -0.3;
    let way = 2.0 * (scene.duration - after);
    let path = vec![
        Key::new(0.0, [0.0; 3]),
        Key::new(after, [0.0, fall, 0.0]),
        Key::new(scene.duration, [0.0, fall, -way]),
    ];
    let upper = &mut scene.cloths[1];
    upper.pins.push(Pin::along(ClothPart::First, path));
    safe_and_going(scene).truth(cloth::above("*", 0.0));
}

/// Three hollow balls of which bending is so stiff, thrown at a bed of nails: one fits between them, one
/// barely, one does not.
pub(crate) fn balls_on_nails(entry: &Entry, bending: f64) -> Scene {
    let mut scene = draping(entry, 2.5);
    bed_of_nails(&mut scene, [6, 6]);
    let mut material = seed(0.016, 5e4, 1.0, bending);
    (material.restitution, material.friction) = (0.3, 0.3);
    scene.solver.cloth.stiffness = 1e4;
    // nails stand at halves: the first one falls between four of them
    for (name, radius, [x, y, z], [u, v, w], green) in [
        ("fits", 0.35, [-1.01, 2.4, -0.98], [0.0, -2.0, 0.0], 0.3),
        ("barely", 0.5, [-1.6, 2.6, 0.5], [1.0, -3.0, 0.2], 0.5),
        ("does-not", 0.8, [0.9, 2.7, -0.9], [-0.5, -1.0, 0.3], 0.7),
    ] {
        let ball = Surface::Sphere {
            radius,
            subdivisions: 1,
        };
        let ball = Cloth::new(name, ball).at(x, y, z).velocity(u, v, w);
        scene.add(ball.of(material.clone()).colour(0.8, green, 0.2));
    }
    scene.camera = Some(Camera::new([5.0, 4.0, 6.0], [0.0, 1.0, 0.0]));
    // one bounces on the floor between four nails, one slides down between four, one stays on tips
    safe_and_going(&mut scene)
        .truth(cloth::above("*", 0.0))
        .truth(cloth::sinks("fits", 0.4))
        .truth(cloth::sinks("barely", 0.9))
        .truth(cloth::above("does-not", 1.0));
    scene
}

/// The ribbons of a reef knot.
pub(crate) struct Reef {
    /// Vertices across.
    pub columns: u32,
    /// Distance between rows \[m\].
    pub along: f64,
    /// Where the ribbons begin, in units of the drawing, in which they are 0.45 wide.
    pub tail: f64,
    /// Stiffness of their springs \[N/m\].
    pub stretch: f64,
}

/// Four vertices across, with long tails.
pub(crate) const NARROW: Reef = Reef {
    columns: 4,
    along: ALONG,
    tail: 5.0,
    stretch: 750.0,
};

/// The two ribbons of a reef knot, which pull each other tight when their ends go outwards: facts of the
/// centreline are in its file.
pub(crate) fn reef_knot(entry: &Entry, seconds: f64, reef: &Reef) -> Scene {
    let mut scene = draping(entry, seconds);
    scene.gravity = [0.0; 3];
    let width = SPACING * f64::from(reef.columns - 1);
    let scale = width / 0.45;
    let h = 0.5;
    let mut half = vec![[-reef.tail, 0.7, 0.0]];
    if reef.tail > 4.5 {
        half.push([-4.0, 0.7, 0.0]);
    }
    half.extend([
        [-2.0, 0.7, -h],
        [0.0, 1.15, h],
        [1.4, 1.5, 0.0],
        [2.1, 0.9, -h],
        [2.4, 0.0, -h],
    ]);
    let back = half.iter().rev().skip(1).map(|&[x, y, z]| [x, -y, z]);
    let one: Vec<[f64; 3]> = half.iter().copied().chain(back).collect();
    for (name, flip, colour) in [
        ("red", 1.0, [0.75, 0.2, 0.2]),
        ("blue", -1.0, [0.2, 0.35, 0.7]),
    ] {
        let through = one
            .iter()
            .map(|&[x, y, z]| [flip * x * scale, y * scale, flip * z * scale]);
        let ribbon = Surface::Ribbon {
            through: through.collect(),
            columns: reef.columns,
            spacing: SPACING,
            along: Some(reef.along),
            across: [0.0, 0.0, 1.0],
        };
        let [red, green, blue] = colour;
        let cloth = Cloth::new(name, ribbon).of(seed(0.1, reef.stretch, 0.1, 0.01));
        scene.add(cloth.colour(red, green, blue));
    }
    scene
}

/// Both ends of a ribbon; they are on the same side.
pub(crate) const ENDS: [ClothPart; 2] = [ClothPart::First, ClothPart::Last];

/// Pulls the ends of both ribbons outwards, each vertex by `force` \[N\], raised within a fifth of a second.
pub(crate) fn pull_tight(scene: &mut Scene, force: f64) {
    for cloth in &mut scene.cloths {
        let out = if cloth.name == "red" { -1.0 } else { 1.0 };
        let pull = |part| Load::new(part, [out * force, 0.0, 0.0]).raised(0.0, 0.2);
        cloth.loads.extend(ENDS.map(pull));
    }
    safe(scene);
}

/// The knot does not come apart, and in the end is so many widths of its ribbons long: from the bend of one to that
/// of the other. At the start it is ten.
pub(crate) fn is_tied(scene: &mut Scene, columns: u32, widths: f64) {
    let width = SPACING * f64::from(columns - 1);
    scene
        .truth(cloth::together("red", "blue"))
        .truth(cloth::overlap(
            "red",
            "blue",
            [1.0, 0.0, 0.0],
            widths * width,
        ));
    // from above and in front, three widths to either side
    let eye = [0.0, 1.5, 6.0].map(|x| x * width);
    scene.camera = Some(Camera::new(eye, [0.0; 3]));
}

/// A bowline of one ribbon of `columns` vertices across: the standing part makes a small loop with the part
/// that follows on top; that goes around a post and makes the eye, comes up through the loop from behind, goes
/// around the back of the standing part, and down through the loop again. Seven crossings; along the ribbon
/// over, under, under, over, over, under, under, over, then under, over, under, over, over, under. Rows are `along` apart \[m\].
pub(crate) fn bowline(entry: &Entry, seconds: f64, columns: u32, along: f64) -> Scene {
    let mut scene = draping(entry, seconds);
    scene.gravity = [0.0; 3];
    // in widths of the ribbon, which stands upright on the plane of the drawing
    let width = SPACING * f64::from(columns - 1);
    let cloth = Cloth::new(
        "ribbon",
        Surface::Ribbon {
            through: BOWLINE.iter().map(|p| p.map(|x| x * width)).collect(),
            columns,
            spacing: SPACING,
            along: Some(along),
            across: [0.0, 0.0, 1.0],
        },
    );
    // without friction the knot holds for a while only
    let mut material = seed(0.01, 100.0, 0.1, 0.01);
    material.friction = 0.3;
    scene.add(cloth.of(material).colour(0.8, 0.6, 0.25));
    let post = Shape::Capsule {
        length: 8.0 * width,
        radius: 2.5 * width,
    };
    let post = Body::new(post).named("post").turned([1.0, 0.0, 0.0], 90.0);
    scene.add(post.at(0.0, -11.5 * width, 0.0).fixed());
    let (eye, target) = ([6.0, 5.0, 44.0], [-1.0, -2.0, 0.0]);
    scene.camera = Some(Camera::new(
        eye.map(|x| x * width),
        target.map(|x| x * width),
    ));
    scene
}

/// Points of the centreline of a bowline: standing part, small loop, eye, bight, tail.
const BOWLINE: [[f64; 3]; 39] = [
    [-4.0, 21.0, 0.0],
    [-4.0, 15.0, 0.0],
    [-4.0, 12.0, 0.0],
    [-4.0, 9.4, 0.8],
    [-4.0, 6.2, -0.8],
    [-4.0, 2.9, -1.0],
    [-3.6, -0.4, 0.0],
    [-2.4, -2.6, 0.8],
    [0.0, -3.2, 0.8],
    [2.6, -2.6, 0.8],
    [4.2, -0.6, 0.3],
    [3.9, 1.6, -0.3],
    [2.2, 2.9, -0.8],
    [0.0, 3.2, -0.8],
    [-2.0, 3.1, -0.4],
    [-4.2, 2.9, 1.0],
    [-6.4, 1.4, 0.4],
    [-7.4, -2.5, 0.0],
    [-6.6, -9.0, 0.0],
    [-4.0, -13.6, 0.0],
    [0.0, -15.2, 0.0],
    [4.0, -13.6, 0.0],
    [5.6, -9.5, 0.0],
    [3.4, -5.6, -0.5],
    [1.6, -3.1, -0.8],
    [1.4, 0.0, 0.0],
    [1.3, 3.1, 0.8],
    [1.0, 6.2, 0.5],
    [-0.8, 8.8, -0.5],
    [-4.0, 9.6, -0.8],
    [-6.4, 8.8, -0.4],
    [-6.5, 7.0, 0.4],
    [-4.0, 6.0, 0.8],
    [-1.8, 5.2, 0.8],
    [-0.9, 3.2, 0.8],
    [-0.8, 0.0, 0.0],
    [-0.8, -3.2, -0.8],
    [-1.0, -5.4, 0.0],
    [-1.0, -7.2, 0.0],
];

/// Pulls the standing part of a bowline up and its tail down, each vertex by so much \[N\].
pub(crate) fn pull_bowline(scene: &mut Scene, standing: f64, tail: f64) {
    let ends = [(ClothPart::First, standing), (ClothPart::Last, -tail)];
    let pull = |(part, force)| Load::new(part, [0.0, force, 0.0]).raised(0.0, 0.2);
    scene.cloths[0].loads.extend(ends.map(pull));
    safe_and_going(scene);
}

/// Curtains: `count` sheets of `columns` x `rows` vertices in pleats, three layers' thickness apart, held along their
/// tops. A small ball comes at half a metre a second, then at fifty at once, and goes back.
pub(crate) fn curtains(entry: &Entry, count: u32, columns: u32, rows: u32) -> Scene {
    let high = SPACING * f64::from(rows - 1);
    let deep = 0.3 * f64::from(count - 1);
    // through all of them at half a metre a second, a metre farther at fifty, and back
    let (begin, turn) = (-0.5 * deep - 1.05, 0.5 * deep + 0.2);
    let slow = (turn - begin) / 0.5;
    let mut scene = draping(entry, (slow + 4.0).round());
    for k in 0..count {
        let z = 0.3 * f64::from(k) - 0.5 * deep;
        let shade = 0.35 + 0.5 * f64::from(k) / f64::from(count);
        let cloth = Cloth::new(format!("curtain-{k}"), pleated(columns, rows))
            .at(0.0, 0.5 * high, z)
            .turned([1.0, 0.0, 0.0], 90.0)
            .of(seed(0.01, 200.0, 0.1, 2e-4))
            .colour(0.75, shade, 0.3)
            // the sheet is turned so that its first row is on top
            .pin(Pin::fixed(ClothPart::Vertices((0..columns).collect())));
        scene.add(cloth);
    }
    let at = |z: f64| [0.0, 0.4 * high, z];
    let path = vec![
        Key::new(0.0, at(begin)),
        Key::new(slow, at(turn)),
        Key::new(slow + 0.02, at(turn + 1.0)),
        Key::new(slow + 0.12, at(turn + 1.0)),
        Key::new(slow + 0.62, at(begin)),
    ];
    let [x, y, z] = at(begin);
    scene.add(Body::ball(0.12).named("particle").along(path).at(x, y, z));
    scene.camera = Some(Camera::new(
        [1.0 * high, 0.8 * high, -1.6 * high],
        [0.0, 0.5 * high, 0.0],
    ));
    // the first is hit at once, and all swing on for long
    safe_and_going(&mut scene)
        .truth(cloth::reaches("curtain-0", 25.0))
        // two seconds after the blow
        .truth(cloth::keeps_moving("*", 0.5).over((slow + 2.0).round()..));
    scene
}

/// A sheet a fifth narrower than its cloth is wide, four columns to a pleat.
fn pleated(columns: u32, rows: u32) -> Surface {
    let (mut points, triangles) = sheet(columns, rows).triangles();
    for (k, [x, y, _]) in points.iter_mut().enumerate() {
        *x *= 0.8;
        *y = [0.0, 0.6, 0.0, -0.6][k % columns as usize % 4] * SPACING;
    }
    Surface::Mesh(Mesh::new(points, triangles))
}
