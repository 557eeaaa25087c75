//! On which side of prescribed things a place is, see `pinch.rs`.

use drystone_base::Vec3;
use drystone_geometry::proximity::vertex_face;
use drystone_geometry::{Aabb, BoxTree};

use crate::topology::Topology;

/// Rounding of a distance, as a part of it, within which two faces are equally near \[1\].
const EQUALLY_NEAR: f64 = 1e-9;

/// Faces of prescribed things, and half-spaces, where they are now.
pub(crate) struct Surfaces<'a> {
    pub(crate) topology: &'a Topology,
    x: &'a [Vec3],
    faces: Vec<u32>,
    tree: BoxTree,
}

impl<'a> Surfaces<'a> {
    pub(crate) fn new(topology: &'a Topology, x: &'a [Vec3]) -> Self {
        let prescribed = |f: &u32| topology.is_scripted(&topology.faces[*f as usize]);
        let faces: Vec<u32> = (0..topology.faces.len() as u32)
            .filter(prescribed)
            .collect();
        let bounds = |f: &u32| {
            let [a, b, c] = topology.faces[*f as usize].map(|i| x[i as usize]);
            Aabb {
                low: a.min(b).min(c),
                high: a.max(b).max(c),
            }
        };
        let boxes: Vec<Aabb> = faces.iter().map(bounds).collect();
        Self {
            tree: BoxTree::new(&boxes, &vec![0; boxes.len()]),
            topology,
            x,
            faces,
        }
    }

    /// Every thing with a face within `reach` of `p` but `own`, and how far `p` is on the side to which its nearest
    /// face looks; below zero on the other \[m\].
    pub(crate) fn near(&self, p: Vec3, reach: f64, own: u32) -> Vec<(u32, f64)> {
        let topology = self.topology;
        // by thing: distance, and along the normal of the face
        let mut found: Vec<(u32, f64, f64)> = Vec::new();
        let mut add = |thing: u32, distance: f64, along: f64| {
            if thing == own || distance > reach {
                return;
            }
            let known = found.iter_mut().find(|(other, ..)| *other == thing);
            let Some((_, least, best)) = known else {
                return found.push((thing, distance, along));
            };
            // over an edge the face that is seen best decides
            let nearer = distance < *least * (1.0 - EQUALLY_NEAR);
            let alike = distance <= *least * (1.0 + EQUALLY_NEAR);
            if nearer || (alike && along.abs() > best.abs()) {
                (*least, *best) = (distance.min(*least), along);
            }
        };
        let around = Vec3::splat(reach);
        self.tree.query(p - around, p + around, |k| {
            let corners = topology.faces[self.faces[k as usize] as usize];
            let [a, b, c] = corners.map(|i| self.x[i as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let apart = vertex_face(p, a, b, c).apart;
            add(
                topology.thing(corners[0]),
                apart.length(),
                normal.dot(apart),
            );
        });
        for plane in &topology.planes {
            let [a, b, c] = plane.map(|i| self.x[i as usize]);
            let along = (b - a).cross(c - a).normalize_or_zero().dot(p - a);
            add(topology.thing(plane[0]), along.abs(), along);
        }
        let signed = |(thing, distance, along): (u32, f64, f64)| (thing, distance.copysign(along));
        found.into_iter().map(signed).collect()
    }
}
