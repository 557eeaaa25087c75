//! Forward kinematics: poses of the links from joint rotations, root to tip.

use drystone_base::{Mat3, Pose, Quat, Vec3};

use crate::chain::{BASE, Chain, FREE};

/// Pose of one link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Link {
    /// Link frame to world.
    pub rotation: Quat,
    /// Its rotation as a matrix; y runs along the segment.
    pub axes: Mat3,
    /// Centre of the joint: the parent's tip \[m\].
    pub pivot: Vec3,
    /// Origin of the link's frame: the pivot, moved along y by the stretch \[m\].
    pub origin: Vec3,
    /// Vector from the origin of the parent (or of the base) to the pivot \[m\].
    pub lever: Vec3,
    /// Centre of mass \[m\].
    pub centre: Vec3,
    /// Far end \[m\].
    pub tip: Vec3,
}

/// Bases of the first links: one, or one for each link where strands are joined.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Bases<'a> {
    One(&'a Pose),
    Each(&'a [Pose]),
    /// One for each link, and the centres of the free links, which come first.
    Free(&'a [Pose], &'a [Vec3]),
}

/// Places every link; `stretch` may be empty where nothing stretches.
pub fn place(
    chain: &Chain,
    rotation: &[Quat],
    stretch: &[f64],
    base: &Pose,
    links: &mut Vec<Link>,
) {
    place_on(chain, rotation, stretch, Bases::One(base), links);
}

/// The same, on one base or several.
pub(crate) fn place_on(
    chain: &Chain,
    rotation: &[Quat],
    stretch: &[f64],
    bases: Bases<'_>,
    links: &mut Vec<Link>,
) {
    links.resize(chain.len(), Link::default());
    place_into(chain, rotation, stretch, bases, links);
}

/// The same into a slice of the chain's length.
pub(crate) fn place_into(
    chain: &Chain,
    rotation: &[Quat],
    stretch: &[f64],
    bases: Bases<'_>,
    links: &mut [Link],
) {
    for j in 0..chain.len() {
        let of = |base: &Pose| (base.rotation, base.matrix(), base.position);
        let (turn, axes, origin) = match (chain.parent[j], bases) {
            (FREE, Bases::Free(_, centres)) => (Quat::IDENTITY, Mat3::IDENTITY, centres[j]),
            (BASE | FREE, Bases::One(base)) => of(base),
            (BASE | FREE, Bases::Each(bases) | Bases::Free(bases, _)) => of(&bases[j]),
            (i, _) => (links[i].rotation, links[i].axes, links[i].origin),
        };
        let lever = axes * chain.joint[j];
        let pivot = origin + lever;
        let rotation = turn * rotation[j];
        let axes = Mat3::from_quat(rotation);
        let origin = stretch.get(j).map_or(pivot, |e| pivot + axes.y_axis * *e);
        links[j] = Link {
            rotation,
            axes,
            pivot,
            origin,
            lever,
            centre: origin + axes.y_axis * (0.5 * chain.length[j]),
            tip: origin + axes.y_axis * chain.length[j],
        };
    }
}

/// World angular velocity of every link and velocity of its origin, from joint rates in the links'
/// frames, and the base's motion; appended to `out`.
pub(crate) fn velocities(
    chain: &Chain,
    links: &[Link],
    rate: &[Vec3],
    stretch_rate: &[f64],
    base: (Vec3, Vec3),
    out: &mut Vec<(Vec3, Vec3)>,
) {
    let first = out.len();
    for j in 0..chain.len() {
        let (turn, shift) = match chain.parent[j] {
            BASE | FREE => base,
            i => out[first + i],
        };
        let link = &links[j];
        let spin = turn + link.axes * rate[j];
        let pivot = shift + turn.cross(link.lever);
        let slide = stretch_rate.get(j).copied().unwrap_or(0.0);
        let origin = pivot + spin.cross(link.origin - link.pivot) + link.axes.y_axis * slide;
        out.push((spin, origin));
    }
}
