//! A thickness that fits a mesh and a start, for sheets that were given none.

use drystone_base::Vec3;

use crate::topology::Topology;
use crate::{Contact, Model, Options, Sheet};

/// Thickness as a part of the least distance between pieces of a mesh that share no vertex \[1\].
///
/// On a grid of right triangles `a` apart that distance is `a/√2`, so this is a quarter of the spacing: well below the
/// `a/1.5` at which a flat sheet begins to push at itself, so that it may fold.
const OF_MESH: f64 = 0.35;
/// Thickness as a part of the least distance at the start \[1\].
const OF_GAP: f64 = 0.9;
/// Least part of the thickness that fits the mesh to which a start may reduce it \[1\].
const LEAST: f64 = 1e-3;

impl Sheet {
    /// A thickness that fits the rest shape: 0.35 of the least distance between two pieces that share no vertex, or of the
    /// shortest edge if that is less; nothing for a single particle \[m\].
    pub fn fitting_thickness(&self) -> Option<f64> {
        let rest = self.rest.as_ref().unwrap_or(&self.points);
        let at = |i: u32| rest.get(i as usize).copied().unwrap_or(Vec3::NAN);
        let sides = |f: &[u32; 3]| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]];
        let edges = self.faces.iter().flat_map(sides);
        let lengths = edges
            .chain(self.segments.iter().copied())
            .map(|[a, b]| (at(a) - at(b)).length());
        let mut least = lengths.fold(f64::INFINITY, f64::min);
        if !least.is_finite() {
            // particles alone: nothing is farther from the first than this
            least = rest
                .iter()
                .skip(1)
                .map(|p| (*p - rest[0]).length())
                .fold(f64::INFINITY, f64::min);
        }
        if !(least.is_finite() && least > 0.0) {
            return None;
        }
        let alone = Model {
            sheets: vec![Self {
                points: rest.clone(),
                rest: None,
                velocities: Vec::new(),
                pins: Vec::new(),
                fastened: Vec::new(),
                loads: Vec::new(),
                thickness: None,
                ..self.clone()
            }],
            contact: Contact {
                thickness: least,
                ..Contact::default()
            },
            plane: rest.iter().all(|p| p.z == 0.0) && self.faces.is_empty(),
            ..Model::default()
        };
        alone.validate().ok()?;
        let topology = Topology::flat(&alone, &Options::default());
        let close = topology.close_pairs(&topology.start, 1.0, |_, _| true);
        let apart = close.iter().map(|pair| pair.distance);
        Some(OF_MESH * apart.fold(least, f64::min)).filter(|thickness| *thickness > 0.0)
    }
}

impl Model {
    /// Makes the sheets for which `may` says so thinner where they start closer to something else than they are
    /// thick, down to a thousandth, so that the start puts no energy into layers. Leaves a model alone that is refused.
    pub fn fit_thickness_to_start(&mut self, may: &[bool]) {
        if self.validate().is_err() {
            return;
        }
        let topology = Topology::flat(self, &Options::default());
        let other = |a: u32, b: u32| topology.object[a as usize] != topology.object[b as usize];
        let close = topology.close_pairs(&topology.start, 1.0, other);
        let mut gap = vec![f64::INFINITY; topology.objects.len()];
        for pair in &close {
            for object in pair.objects {
                let gap = &mut gap[object as usize];
                *gap = gap.min(pair.distance);
            }
        }
        let thicknesses: Vec<f64> = self.thicknesses().collect();
        for (i, sheet) in self.sheets.iter_mut().enumerate() {
            if may.get(i) == Some(&true) {
                let fitting = (OF_GAP * gap[i]).max(LEAST * thicknesses[i]);
                sheet.thickness = Some(thicknesses[i].min(fitting));
            }
        }
    }
}
