//! The case that SUNDIALS IDA solved: a hair of 0.2 m, clamped by a full cell, released from the
//! horizontal, after half a second.

use crate::build::*;
use drystone_base::Vec3;

fn released(n: usize, steps_per_frame: u32) -> Vec3 {
    let mut strand = straight(Vec3::new(0.2, 0.0, 0.0), n);
    strand.root = 1.0;
    let mut system = system(strand, options(steps_per_frame));
    let report = run_frames(&mut system, 12);
    assert_eq!(report.failed, 0);
    tip(&system, 0)
}

#[test]
fn released_hair_is_where_ida_has_it_and_converges_at_second_order() {
    let golden = Vec3::new(-0.0529528, -0.1257266, 0.0);
    let error = |spf| (released(25, spf) - golden).length();
    let [e4, e8, e16, e32, e128] = [4, 8, 16, 32, 128].map(error);
    // measured: 7.6, 2.1, 0.52, 0.130, 0.0079 mm
    assert!(e4 < 9e-3 && e32 < 0.2e-3, "{e4} and {e32} m");
    assert!(e128 < 0.02e-3, "{e128} m");
    assert!(e8 / e16 > 3.6 && e16 / e32 > 3.6, "{e8}, {e16}, {e32} m");
}

#[test]
fn five_segments_too() {
    let golden = Vec3::new(-0.0796152, -0.1018412, 0.0);
    let error = (released(5, 128) - golden).length();
    assert!(error < 0.1e-3, "{error} m"); // measured: 0.006 mm
}
