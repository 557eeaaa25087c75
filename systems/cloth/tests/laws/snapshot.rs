//! A snapshot goes on as if nothing had happened, queue included.

use drystone_base::Vec3;
use drystone_cloth::{Certificate, State, System};

use crate::scenes::{thrown_sheet, two_sheets, with};

#[test]
fn a_restored_run_has_the_same_bits() {
    for certificate in [
        Certificate::Ball,
        Certificate::Slab,
        Certificate::BruteForce,
    ] {
        let model = two_sheets(4, 3.0, 0.5);
        let mut system = System::new(model.clone(), with(certificate)).unwrap();
        system.advance(0.05);
        let bytes = postcard::to_allocvec(system.state()).unwrap();
        let state: State = postcard::from_bytes(&bytes).unwrap();
        assert!(
            state == *system.state(),
            "{certificate:?}: not what was written"
        );
        let mut other = System::new(model, with(certificate)).unwrap();
        other.restore(state).unwrap();
        for _ in 0..3 {
            let (a, b) = (system.advance(0.02), other.advance(0.02));
            assert_eq!(a.events, b.events, "{certificate:?}");
            assert!(
                system.state() == other.state(),
                "{certificate:?}: the runs part"
            );
        }
    }
}

/// Nothing of a time that was taken back is remembered.
#[test]
fn a_run_that_is_taken_back_goes_on_as_if_nothing_had_happened() {
    for certificate in [Certificate::Ball, Certificate::Slab] {
        let start = || System::new(two_sheets(4, 3.0, 0.5), with(certificate)).unwrap();
        let (mut straight, mut returning) = (start(), start());
        for _ in 0..500 {
            let before = returning.state().clone();
            returning.advance(0.0005);
            returning.restore(before).unwrap();
            straight.advance(0.0005);
            returning.advance(0.0005);
            assert!(
                straight.state() == returning.state(),
                "{certificate:?}: the runs part"
            );
        }
    }
}

/// A snapshot knows of a hand that has just taken hold.
#[test]
fn a_snapshot_between_a_hand_and_its_motion_is_whole() {
    let start = || System::new(two_sheets(4, 0.5, 0.5), with(Certificate::Ball)).unwrap();
    let mut system = start();
    system.advance(0.02);
    assert!(system.hold(0, 5, Vec3::new(0.3, 3.0, 0.1)));
    let mut other = start();
    other.restore(system.state().clone()).unwrap();
    for _ in 0..5 {
        system.advance(0.02);
        other.advance(0.02);
        assert_eq!(other.missing_layers(), []);
        assert!(system.state() == other.state(), "the runs part");
    }
}

#[test]
fn the_length_of_frames_does_not_matter() {
    let run = |frames: u32| {
        let mut system = System::new(thrown_sheet(6, 4.0, 0.2), with(Certificate::Ball)).unwrap();
        for _ in 0..frames {
            system.advance(0.125 / f64::from(frames));
        }
        (system.points(0), system.velocities(0))
    };
    assert!(run(1) == run(8));
}

#[test]
fn a_foreign_or_broken_state_is_refused() {
    let mut small = System::new(two_sheets(3, 1.0, 0.0), with(Certificate::Ball)).unwrap();
    let large = System::new(two_sheets(4, 1.0, 0.0), with(Certificate::Ball)).unwrap();
    assert!(small.restore(large.state().clone()).is_err());
    // any bytes are an error, or a state that is refused or can be advanced
    let bytes = postcard::to_allocvec(small.state()).unwrap();
    for k in (0..bytes.len()).step_by(bytes.len() / 400 + 1) {
        let mut broken = bytes.clone();
        broken[k] ^= 0x15;
        if let Ok(state) = postcard::from_bytes::<State>(&broken) {
            let mut system = small.clone();
            let _ = system.restore(state);
        }
    }
}
