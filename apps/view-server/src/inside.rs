//! What strands and cloth are like inside, for frames that ask for it.

use drystone_base::functions::atan2;
use drystone_base::{Quat, Vec3};
use drystone_world::{Frame, FrameContact, World};

use crate::parts::{first_curves, sheet};

/// Contact points of strands: `a` is a body, `b` the number of bodies plus that of the curve; the force is
/// what the strand receives.
pub(crate) fn strand_contacts(world: &World, bodies: usize) -> Vec<FrameContact> {
    let Some(system) = world.strands() else {
        return Vec::new();
    };
    let firsts = first_curves(world);
    let mut found = Vec::new();
    for (i, strand) in system.state.strands.iter().enumerate() {
        let (first, chain) = (firsts[i], &system.model.chains[i]);
        found.extend(strand.contacts.iter().map(|contact| {
            let curve = chain.source.get(contact.link).map_or(0, |source| source.0);
            FrameContact {
                a: contact.obstacle,
                b: bodies + first + curve,
                point: contact.place,
                normal: contact.normal,
                distance: contact.gap,
                force: contact.force,
            }
        }));
    }
    found
}

/// Twist at the joint below every segment of every curve [rad]: away from rest where the `world` that the
/// frame is of is at hand, else against the segment before.
pub(crate) fn twists(frame: &Frame, world: Option<&World>) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = frame
        .strands
        .iter()
        .map(|strand| {
            let joints = strand.orientations.windows(2);
            std::iter::once(0.0)
                .chain(joints.map(|q| about_y(q[0].conjugate() * q[1])))
                .take(strand.orientations.len())
                .collect()
        })
        .collect();
    let Some((world, system)) = world.and_then(|world| Some((world, world.strands()?))) else {
        return all;
    };
    for (i, first) in first_curves(world).into_iter().enumerate() {
        let chain = &system.model.chains[i];
        for (twist, &(curve, segment)) in system.twist(i).into_iter().zip(&chain.source) {
            let place = all.get_mut(first + curve);
            if let Some(place) = place.and_then(|list| list.get_mut(segment)) {
                *place = twist;
            }
        }
    }
    all
}

/// Angle by which `q` turns about y, apart from how it swings y away [rad].
fn about_y(q: Quat) -> f64 {
    2.0 * atan2(q.y * q.w.signum(), q.w.abs())
}

/// Of every vertex of every cloth of a frame: its shortest time step [s] and the layers active at it.
pub(crate) fn clocks(frame: &Frame, world: &World) -> Vec<Vec<(f64, u32)>> {
    let of = |(number, cloth): (usize, &drystone_world::FrameCloth)| {
        let own = sheet(world, number).zip(world.cloths());
        let mut list = own.map_or_else(Vec::new, |(sheet, system)| system.clocks(sheet));
        list.resize(cloth.points.len(), (0.0, 0));
        list
    };
    frame.cloths.iter().enumerate().map(of).collect()
}

/// Rotations whose y axes point along the segments between `points`, each turned as little as can be
/// against the one before.
pub(crate) fn carried_frames(points: &[Vec3]) -> Vec<Quat> {
    let mut last = (Vec3::Y, Quat::IDENTITY);
    let frame = |pair: &[Vec3]| {
        let along = (pair[1] - pair[0]).normalize_or(last.0);
        let turn = (Quat::from_rotation_arc(last.0, along) * last.1).normalize();
        last = (along, turn);
        turn
    };
    points.windows(2).map(frame).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_base::functions::rotation_about;

    #[test]
    fn carried_frames_follow_the_curve_without_twist() {
        let turn = |k: i32| rotation_about(Vec3::X, 0.3 * f64::from(k));
        let mut points = vec![Vec3::ZERO];
        for k in 0..8 {
            let last = points[points.len() - 1];
            points.push(last + turn(k) * Vec3::Y + Vec3::X * 0.1);
        }
        let frames = carried_frames(&points);
        for (k, q) in frames.iter().enumerate() {
            let along = (points[k + 1] - points[k]).normalize();
            let off = (*q * Vec3::Y - along).length();
            assert!(off < 1e-12, "segment {k} is off by {off:.1e}"); // measured: 5e-16
        }
        for pair in frames.windows(2) {
            let twist = about_y(pair[0].conjugate() * pair[1]).abs();
            assert!(twist < 1e-12, "twisted by {twist:.1e} rad"); // measured: 2e-16
        }
    }
}
