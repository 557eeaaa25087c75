//! The event loop does not allocate in a steady frame.

#![allow(clippy::unwrap_used)]

use drystone_base::Vec3;
use drystone_cloth::{Model, Motion, Options, Pin, Sheet, System};

/// A hanging sheet; the report's own lists are all that is allocated.
#[test]
fn a_steady_frame_allocates_next_to_nothing() {
    let mut sheet = Sheet::grid("flag", 8, 8, 0.15);
    sheet.material.stretch_damping = 1.0;
    sheet.pins.push(Pin {
        vertices: vec![0, 7],
        motion: Motion::Fixed,
        until: None,
    });
    let model = Model {
        sheets: vec![sheet],
        gravity: Vec3::new(0.0, -9.8, 0.0),
        ..Model::default()
    };
    let mut system = System::new(model, Options::default()).unwrap();
    system.advance(3.0);
    let mut report = None;
    let info = allocation_counter::measure(|| report = Some(system.advance(0.1)));
    let events = report.unwrap().events.events();
    let count = info.count_total;
    assert!(events > 50_000, "only {events} events");
    assert!(count < 200, "{count} allocations in {events} events");
}
