//! Prescribed against prescribed: nothing can push them apart, so it is reported that they meet.

use drystone_base::{Pose, Vec3};
use drystone_cloth::{
    BroadPhase, Certificate, Key, Kind, Model, Motion, MotionPath, Obstacle, Options, Pin, Sheet,
    System, may_meet,
};
use drystone_geometry::mesh::build::icosphere;

use crate::scenes::with;

/// From where it is to `by` in a second.
fn shifted(by: Vec3) -> Motion {
    let key = |time: f64, position: Vec3| {
        Key::new(
            time,
            Pose {
                position,
                ..Pose::IDENTITY
            },
        )
    };
    Motion::Path(MotionPath::linear(&[key(0.0, Vec3::ZERO), key(1.0, by)]).unwrap())
}

/// A sheet of which all vertices are pinned.
fn pinned(name: &str, at: Vec3, motion: Motion) -> Sheet {
    let mut sheet = Sheet::grid(name, 4, 4, 0.15).moved(at);
    sheet.pins = vec![Pin {
        vertices: (0..16).collect(),
        motion,
        until: None,
    }];
    sheet
}

fn ball(motion: Motion) -> Obstacle {
    let mesh = icosphere(0.2, 1);
    Obstacle {
        name: "ball".into(),
        points: mesh.vertices().to_vec(),
        faces: mesh.triangles().to_vec(),
        motion,
        ..Obstacle::default()
    }
}

/// Sheets that are flat cross in an instant, which frames do not show.
#[test]
fn two_pinned_sheets_that_are_moved_through_each_other_are_named() {
    let model = |height: f64| Model {
        sheets: vec![
            pinned("a", Vec3::ZERO, shifted(Vec3::Y)),
            pinned("b", Vec3::new(0.05, height, 0.03), Motion::Fixed),
        ],
        ..Model::default()
    };
    let ways = [
        (Certificate::Ball, BroadPhase::Boxes),
        (Certificate::Slab, BroadPhase::Boxes),
    ];
    for (certificate, broad_phase) in ways {
        {
            let options = Options {
                broad_phase,
                ..with(certificate)
            };
            let mut system = System::new(model(0.5), options.clone()).unwrap();
            let report = system.advance(1.5);
            assert_eq!(report.stall, None);
            let [meeting] = system.meetings() else {
                panic!("{:?}", system.meetings());
            };
            assert_eq!(
                (meeting.a.object.as_str(), meeting.b.object.as_str()),
                ("a", "b")
            );
            // at a thousandth of the thickness of 0.1 m, less the rounding of certificates
            assert!((meeting.time - 0.4999).abs() < 1e-6, "{meeting}");
            // one that is passed at a distance is no matter
            let mut system = System::new(model(1.05), options).unwrap();
            system.advance(1.5);
            assert_eq!(system.meetings(), []);
        }
    }
}

#[test]
fn a_pinned_sheet_and_an_obstacle_are_named_unless_it_is_fastened_to_it() {
    let model = |sheet: Sheet, motion: Motion| Model {
        sheets: vec![sheet],
        obstacles: vec![ball(motion)],
        ..Model::default()
    };
    let names = |model: Model| {
        let mut system = System::new(model, Options::default()).unwrap();
        system.advance(0.9);
        let crosses = !system.crossings().is_empty();
        let met: Vec<_> = system
            .meetings()
            .iter()
            .map(|m| (m.time, format!("{} {}", m.a.object, m.b.object)))
            .collect();
        (met, crosses)
    };
    // a fixed ball in it from the start
    let (met, crosses) = names(model(pinned("s", Vec3::ZERO, Motion::Fixed), Motion::Fixed));
    assert!(met.len() == 1 && met[0].0 == 0.0 && crosses, "{met:?}");
    assert!(met[0].1.contains('s') && met[0].1.contains("ball"));
    // a ball that comes
    let sheet = pinned("s", Vec3::Y, Motion::Fixed);
    let (met, crosses) = names(model(sheet, shifted(Vec3::Y)));
    assert!(met.len() == 1 && crosses, "{met:?}");
    assert!((met[0].0 - 0.8).abs() < 1e-3, "{met:?}");
    // carried by the ball, and meant to be
    let mut sheet = pinned("s", Vec3::ZERO, shifted(Vec3::Y));
    sheet.fastened = vec![[0, 0]];
    let (met, crosses) = names(model(sheet, shifted(Vec3::Y)));
    assert!(met.is_empty() && !crosses, "{met:?}");
}

#[test]
fn a_pinned_sheet_that_is_moved_into_the_ground_is_named() {
    let ground = Obstacle {
        name: "ground".into(),
        points: vec![Vec3::Z, Vec3::X, -Vec3::X],
        planes: vec![[0, 1, 2]],
        ..Obstacle::default()
    };
    let model = Model {
        sheets: vec![pinned("s", Vec3::Y * 0.5, shifted(-Vec3::Y))],
        obstacles: vec![ground],
        ..Model::default()
    };
    let mut system = System::new(model, Options::default()).unwrap();
    let report = system.advance(1.0);
    assert_eq!((report.stall, system.meetings().len()), (None, 1));
    assert!(!system.crossings().is_empty());
    let time = system.meetings()[0].time;
    assert!((time - 0.4999).abs() < 1e-6, "{time}");
}

#[test]
fn one_question_is_answered_by_the_certificates() {
    let tri = [
        Vec3::new(-1.0, 0.0, -1.0),
        Vec3::new(1.0, 0.0, -1.0),
        Vec3::new(0.0, 0.0, 1.0),
    ];
    let at = |p: Vec3| [p, tri[0], tri[1], tri[2]];
    for certificate in [Certificate::Ball, Certificate::Slab] {
        let meets = |to: Vec3| {
            let options = with(certificate);
            may_meet(Kind::VertexFace, at(Vec3::Y), at(to), 1e-9, &options)
        };
        assert!(meets(Vec3::new(0.0, -3.0, 0.0)));
        assert!(meets(Vec3::new(0.0, 0.0, 0.0)));
        assert!(!meets(Vec3::new(9.0, -3.0, 0.0)));
        assert!(!meets(Vec3::new(0.0, 0.001, 0.0)));
    }
    // edges that pass, and edges that lie along each other
    let edge = |y: f64, z: f64| [Vec3::new(-1.0, y, z), Vec3::new(1.0, y, z)];
    let pair = |y: f64| {
        let ([a, b], [c, d]) = (edge(y, 0.0), edge(0.0, 0.0));
        [a, b, c, d]
    };
    let options = Options::default();
    let meets = |to: f64| may_meet(Kind::EdgeEdge, pair(1.0), pair(to), 1e-9, &options);
    assert!(meets(-1.0) && !meets(0.5));
}
