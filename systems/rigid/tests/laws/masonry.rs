//! Laws 11 to 13: arches, card houses and overhangs stand within their limits and fall beyond.

use std::f64::consts::PI;

use drystone_base::functions::{cos, rotation_about, sin};
use drystone_base::{Pose, Vec3};
use drystone_geometry::Shape;
use drystone_rigid::{Model, Options, Precision, System, Weight};

use crate::build::*;
use crate::{at_least, at_most, block_at, fixed};

/// A half-circle of 17 stones, mean radius 5 m. Returns the keystone.
fn arch(thickness_ratio: f64) -> (Model, usize) {
    let (stones, radius) = (17, 5.0);
    let mut model = model(0.7, 0.0);
    ground(&mut model);
    for k in 0..stones {
        let mut points = Vec::new();
        for end in [k, k + 1] {
            let angle = PI * f64::from(end) / f64::from(stones);
            for r in [
                radius * (1.0 - 0.5 * thickness_ratio),
                radius * (1.0 + 0.5 * thickness_ratio),
            ] {
                for z in [-0.5, 0.5] {
                    points.push(Vec3::new(r * cos(angle), r * sin(angle), z));
                }
            }
        }
        let stone = drystone_rigid::Body {
            weight: Weight::Density(1000.0),
            ..drystone_rigid::Body::new(format!("stone {k}"), Shape::hull(&points).unwrap())
        };
        model.add(stone).unwrap();
    }
    (model, 9)
}

/// How far a body came down from its start \[m\].
fn dropped(system: &System, i: usize) -> f64 {
    system.model.start_position[i].y - system.state.position[i].y
}

#[test]
fn a_thick_arch_stands_and_a_thin_one_falls() {
    // limit of the half-circle: 0.1075
    let (model, _) = arch(0.15);
    let mut system = start(model, Options::default());
    run(&mut system, 20.0);
    let settled = system.state.position.clone();
    run(&mut system, 10.0);
    let crept = system
        .state
        .position
        .iter()
        .zip(&settled)
        .map(|(x, x0)| x.distance(*x0));
    at_most(
        "arch of 0.15, crept from 20 s to 30 s [m]",
        crept.fold(0.0, f64::max),
        1e-5,
    ); // measured: 5.8e-7
    // it settles in its first second, since its load is found over several steps
    at_most("arch of 0.15, moved in 30 s [m]", drift(&system).1, 5e-3); // measured: 1.4e-3
    let (model, _) = arch(0.15);
    let mut system = start(model, preset("converged"));
    run(&mut system, 5.0);
    at_most(
        "arch of 0.15, solved to the end, moved in 5 s [m]",
        drift(&system).1,
        5e-4,
    ); // measured: 6.1e-5
    let (model, key) = arch(0.09);
    let mut system = start(model, Options::default());
    run(&mut system, 10.0);
    at_least(
        "arch of 0.09, keystone dropped in 10 s [m]",
        dropped(&system, key),
        2.0,
    ); // measured: 4.8
}

/// A card house of `levels` as in Poulsen 2010: cards of 2 x 1 x 0.1 m at 15 degrees.
fn card_house(levels: u32, friction: f64) -> Model {
    let mut model = model(friction, 0.15);
    ground(&mut model);
    let lean = PI / 12.0;
    let (s, c) = (sin(lean), cos(lean));
    let half = Vec3::new(0.05, 1.0, 0.5);
    let (tall, aside) = (2.0 * (c + 0.05 * s), s + 0.05 * c);
    for level in 0..levels {
        let base = f64::from(level) * (tall + 0.1);
        let pairs = levels - level;
        for pair in 0..pairs {
            let x = f64::from(2 * pair + level);
            for side in [-1.0, 1.0] {
                let at = Vec3::new(x + side * aside, base + 0.5 * tall, 0.0);
                let turn = rotation_about(Vec3::Z, side * lean);
                block_at(&mut model, half, Pose::new(at, turn), 2.0);
            }
            if pair + 1 < pairs {
                let at = Vec3::new(x + 1.0, base + tall + 0.05, 0.0);
                block(&mut model, Vec3::new(1.0, 0.05, 0.5), at, 2.0);
            }
        }
    }
    model
}

#[test]
fn a_card_house_stands_on_rough_ground_and_falls_on_smooth() {
    // a pair needs tan α (w/2 + P)/(w + P): 0.134 when free, 0.268 under many levels
    let mut system = start(card_house(5, 0.4), Options::default());
    run(&mut system, 10.0);
    at_most(
        "card house, friction 0.4, moved in 10 s [m]",
        drift(&system).1,
        5e-3,
    ); // measured: 4.3e-4
    let mut system = start(card_house(5, 0.1), Options::default());
    run(&mut system, 3.0);
    let top = system.model.len() - 1;
    at_least(
        "card house, friction 0.1, top dropped in 3 s [m]",
        dropped(&system, top),
        2.0,
    ); // measured: 8.6
}

/// Four bricks of 2 m over an edge, at `part` of the limit L/2 (1 + 1/2 + 1/3 + 1/4).
pub(crate) fn overhang(part: f64) -> Model {
    let mut model = model(0.5, 0.0);
    fixed(
        &mut model,
        Shape::Box {
            half: Vec3::new(2.0, 1.0, 1.0),
        },
        Vec3::new(-2.0, 1.0, 0.0),
    );
    let mut tip = 0.0;
    for i in 0..4 {
        tip += part * 2.0 / f64::from(2 * (4 - i));
        let at = Vec3::new(tip - 1.0, 2.25 + 0.5 * f64::from(i), 0.0);
        block(&mut model, Vec3::new(1.0, 0.25, 0.5), at, 100.0);
    }
    model
}

#[test]
fn four_bricks_stand_out_as_far_as_the_harmonic_sum() {
    let mut system = start(overhang(0.98), Options::default());
    run(&mut system, 10.0);
    at_most(
        "overhang at 98 %, moved in 10 s [m]",
        drift(&system).1,
        5e-4,
    ); // measured: 1.2e-15
    let mut system = start(overhang(1.02), Options::default());
    run(&mut system, 5.0);
    at_least(
        "overhang at 102 %, top dropped in 5 s [m]",
        dropped(&system, 4),
        0.5,
    ); // measured: 68
}

#[test]
fn a_tower_under_a_falling_roof_does_not_lean_whenever_the_roof_meets_it() {
    // measured: 0.025 to 0.047 mm; 1.9 to 2.5 mm in three of four where the matrix is as old as that.
    // 2.2 m of a fall, met in any of the substeps of the third step, when the tower still settles
    let (speed, substep) = (6.6, 2.5e-3);
    for precision in [Precision::Single, Precision::Double] {
        for meets_in in 8..12 {
            let mut model = tower(40, 0.0);
            let bricks = model.len();
            let top = model.start_position[bricks - 1].y + 0.5;
            let gap = speed * substep * (f64::from(meets_in) + 0.5);
            let half = Vec3::new(5.5, 0.5, 5.5);
            let roof = drystone_rigid::Body {
                pose: Pose::at(Vec3::new(0.0, top + gap + half.y, 0.0)),
                linear_velocity: Vec3::new(0.0, -speed, 0.0),
                weight: Weight::Mass(2000.0),
                ..drystone_rigid::Body::new("roof", Shape::Box { half })
            };
            model.add(roof).unwrap();
            let origin = model.start_position.clone();
            let mut options = Options::default();
            options.two_level.precision = precision;
            let mut system = start(model, options);
            run(&mut system, 0.2);
            let way = |i: usize| {
                let way = system.state.position[i] - origin[i];
                Vec3::new(way.x, 0.0, way.z).length()
            };
            let lean = (0..bricks).map(way).fold(0.0, f64::max);
            at_most("lean of the tower under the roof [m]", lean, 1e-4);
            let bounce = system.state.linear_velocity[bricks].y;
            at_most("speed at which the roof leaves [m/s]", bounce, 1e-3);
        }
    }
}
