//! What strands and cloth are like inside, for frames that ask for it.

use drystone_base::functions::atan2;
use drystone_base::{Quat, Vec3};
use drystone_rigid::{Contacts, Model, Patch};
use drystone_world::{Frame, FrameContact, World};

use crate::frame_index::{first_curves, sheet};

/// Twist at the joint below every segment of every curve \[rad\]: away from rest where the `world` that the
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

/// The contacts of a recorded frame as far as the contact graph needs them, in the same order: points that follow
/// each other between the same bodies along the same normal are a patch. Those of strands are left out.
pub(crate) fn patches(contacts: &[FrameContact], model: &Model) -> Contacts {
    let rigid = |c: &&FrameContact| c.a < model.len() && c.b < model.len();
    let mut patches: Vec<Patch> = Vec::new();
    for (first, contact) in contacts.iter().take_while(rigid).enumerate() {
        let (a, b) = (contact.a as u32, contact.b as u32);
        match patches.last_mut() {
            Some(last) if (last.a, last.b, last.normal) == (a, b, contact.normal) => {
                last.distance = last.distance.min(contact.distance);
                last.count += 1;
            }
            _ => patches.push(Patch {
                a,
                b,
                normal_local: contact.normal,
                normal: contact.normal,
                friction: 0.0,
                restitution: 0.0,
                length: model.length[a as usize].min(model.length[b as usize]),
                distance: contact.distance,
                first: first as u32,
                count: 1,
            }),
        }
    }
    Contacts {
        patches,
        ..Contacts::default()
    }
}

/// Angle by which `q` turns about y, apart from how it swings y away \[rad\].
fn about_y(q: Quat) -> f64 {
    2.0 * atan2(q.y * q.w.signum(), q.w.abs())
}

/// Of every vertex of every cloth of a frame, then of every point of every curve: its shortest time step \[s\]
/// and the layers active at it; zeros of strands that are no cloth.
pub(crate) fn clocks(frame: &Frame, world: &World) -> Vec<Vec<(f64, u32)>> {
    let Some(system) = world.cloths() else {
        return Vec::new();
    };
    let sheets = &system.model().sheets;
    let of_sheet: Vec<_> = (0..sheets.len()).map(|i| system.clocks(i)).collect();
    let filled = |mut list: Vec<(f64, u32)>, count: usize| {
        list.resize(count, (0.0, 0));
        list
    };
    let cloths = frame.cloths.iter().enumerate().map(|(number, cloth)| {
        let own = sheet(world, number).and_then(|i| of_sheet.get(i).cloned());
        filled(own.unwrap_or_default(), cloth.points.len())
    });
    // curves of strands come before those of cloth
    let chains = sheets.iter().zip(&of_sheet).flat_map(|(sheet, clocks)| {
        let at = |v: u32| clocks.get(v as usize).copied().unwrap_or_default();
        let chains = sheet.chains().into_iter();
        chains.map(move |chain| chain.into_iter().map(at).collect::<Vec<_>>())
    });
    let strands = world.strands().map_or(0, |system| {
        let chains = system.model.chains.iter();
        chains.map(|chain| chain.parameters.len()).sum()
    });
    let own = std::iter::repeat_n(Vec::new(), strands).chain(chains);
    let curves = frame.strands.iter().zip(own).map(|(curve, mut own)| {
        if let [particle] = own[..] {
            // it is shown as a short rod
            own.resize(curve.points.len(), particle);
        }
        filled(own, curve.points.len())
    });
    cloths.chain(curves).collect()
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
