//! What a start costs.

use drystone_base::Vec3;
use drystone_cloth::{Model, Motion, Options, Pin, Sheet, Stretch, System};

/// Processor time of this thread, where the system tells it; else time on the wall \[s\].
fn seconds_of_this_thread(since: std::time::Instant) -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let first = told
        .as_deref()
        .and_then(|text| text.split_whitespace().next());
    match first.and_then(|ns| ns.parse::<f64>().ok()) {
        Some(ns) => 1e-9 * ns,
        None => since.elapsed().as_secs_f64(),
    }
}

/// Least time of three starts of a sheet of `n` x `n` vertices that hangs by one row \[s\].
fn start(n: u32, stretch: Stretch) -> f64 {
    let mut sheet = Sheet::grid("sheet", n, n, 0.15);
    sheet.material.stretch = stretch;
    sheet.pins = vec![Pin {
        vertices: (0..n).collect(),
        motion: Motion::Driven(drystone_base::Pose::IDENTITY),
        until: None,
    }];
    let model = Model {
        sheets: vec![sheet],
        gravity: Vec3::new(0.0, -9.8, 0.0),
        ..Model::default()
    };
    let once = |_| {
        let (model, begun) = (model.clone(), std::time::Instant::now());
        let before = seconds_of_this_thread(begun);
        let system = System::new(model, Options::default()).unwrap();
        assert_eq!(system.points(0).len(), (n * n) as usize);
        seconds_of_this_thread(begun) - before
    };
    (0..3).map(once).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_start_costs_as_much_for_every_vertex_however_many_there_are() {
    let triangle = Stretch::Triangle {
        young: 1000.0,
        poisson: 0.3,
    };
    for stretch in [Stretch::Spring(750.0), Stretch::Shell(100.0), triangle] {
        let (few, many) = (start(50, stretch), start(100, stretch));
        let ratio = many / few / 4.0;
        // measured: 1.09 to 1.15, and 1.15 to 1.29 from there to 200 x 200, which start in 2.1 s; where anything were quadratic it would be 4
        assert!(
            ratio < 2.0,
            "{stretch:?}: 2500 vertices {few} s, 10000 vertices {many} s, {ratio} times as much each"
        );
    }
}
