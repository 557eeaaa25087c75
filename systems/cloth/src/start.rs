//! Can a start be simulated? Crossings by exact predicates, distances, the spacing of the mesh.

use drystone_base::Vec3;
use drystone_geometry::crossing::{edge_crosses_face, segments_cross};
use drystone_geometry::{Aabb, BoxTree};
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::pair::Kind;
use crate::state::Feature;
use crate::topology::Topology;

/// Most places that are reported.
const MOST: usize = 100;

/// Two pieces that are where they cannot be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// One piece.
    pub a: Feature,
    /// The other.
    pub b: Feature,
    /// How far apart they are; 0 if they cross \[m\].
    pub distance: f64,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for Patch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let x = self.a.points.first().copied().unwrap_or(Vec3::ZERO);
        write!(
            f,
            "{} and {} at ({:.4}, {:.4}, {:.4}): {}",
            self.a, self.b, x.x, x.y, x.z, self.what
        )
    }
}

/// Two primitives that are within each other's layers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Close {
    pub(crate) kind: Kind,
    pub(crate) a: u32,
    pub(crate) b: u32,
    /// The objects that they belong to.
    pub(crate) objects: [u32; 2],
    /// How far apart they are \[m\].
    pub(crate) distance: f64,
    /// Of their outermost layer \[m\].
    pub(crate) thickness: f64,
}

/// The pieces as the text of an OBJ file, one group for each.
pub fn patches_as_obj(patches: &[Patch]) -> String {
    let (mut text, mut next) = (String::new(), 1);
    for (k, patch) in patches.iter().enumerate() {
        for piece in [&patch.a, &patch.b] {
            text.push_str(&format!(
                "# {}\ng patch{k}_{}_{}{}\n",
                patch.what,
                piece.object.replace(char::is_whitespace, "_"),
                piece.what,
                piece.number
            ));
            for p in &piece.points {
                text.push_str(&format!("v {} {} {}\n", p.x, p.y, p.z));
            }
            let numbers: Vec<String> = (next..next + piece.points.len())
                .map(|n| n.to_string())
                .collect();
            let element = ["p", "l", "f"][piece.points.len().clamp(1, 3) - 1];
            text.push_str(&format!("{element} {}\n", numbers.join(" ")));
            next += piece.points.len();
        }
    }
    text
}

fn bounds(corners: &[u32], x: &[Vec3], pad: f64) -> Aabb {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for i in corners {
        low = low.min(x[*i as usize]);
        high = high.max(x[*i as usize]);
    }
    Aabb {
        low: low - pad,
        high: high + pad,
    }
}

/// An error that shows `patches`, the worst first; none if there are none.
fn refuse(mut patches: Vec<Patch>) -> Result<(), Error> {
    patches.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    patches.truncate(MOST);
    match patches.first() {
        Some(worst) => Err(Error::Start {
            worst: worst.to_string(),
            patches,
        }),
        None => Ok(()),
    }
}

impl Topology {
    /// Places where an edge and a triangle share a point, or in the plane two segments; those where both are
    /// prescribed only if `scripted`.
    pub(crate) fn crossings(&self, x: &[Vec3], scripted: bool) -> Vec<(u32, u32)> {
        let counts = |first: &[u32], second: &[u32]| {
            let free = |i: &u32| !self.held[*i as usize];
            first.iter().chain(second).any(free) || (scripted && self.concerns(first, second))
        };
        let mut found = Vec::new();
        if self.plane {
            let boxes: Vec<Aabb> = self.edges.iter().map(|e| bounds(e, x, 0.0)).collect();
            let tree = BoxTree::new(&boxes, &vec![0; boxes.len()]);
            for (e, corners) in self.edges.iter().enumerate() {
                tree.query(boxes[e].low, boxes[e].high, |f| {
                    let other = self.edges[f as usize];
                    let apart = !corners.iter().any(|i| other.contains(i));
                    let [a, b, c, d] =
                        [corners[0], corners[1], other[0], other[1]].map(|i| x[i as usize]);
                    if (e as u32) < f
                        && apart
                        && segments_cross(a, b, c, d, 2)
                        && counts(corners, &other)
                    {
                        found.push((e as u32, f));
                    }
                });
            }
            return found;
        }
        let boxes: Vec<Aabb> = self.faces.iter().map(|f| bounds(f, x, 0.0)).collect();
        let group: Vec<u32> = self
            .faces
            .iter()
            .map(|f| self.object[f[0] as usize])
            .collect();
        let tree = BoxTree::new(&boxes, &group);
        for (e, [p, q]) in self.edges.iter().copied().enumerate() {
            let own = bounds(&[p, q], x, 0.0);
            tree.query(own.low, own.high, |f| {
                let corners = self.faces[f as usize];
                if corners.contains(&p) || corners.contains(&q) || !counts(&[p, q], &corners) {
                    return;
                }
                let [a, b, c] = corners.map(|i| x[i as usize]);
                if edge_crosses_face(x[p as usize], x[q as usize], a, b, c) {
                    found.push((e as u32, f));
                }
            });
        }
        found
    }

    /// The crossings as patches.
    pub(crate) fn crossing_patches(&self, x: &[Vec3], scripted: bool) -> Vec<Patch> {
        let at = |i: u32| x[i as usize];
        let kind = if self.plane {
            Kind::EdgeEdge
        } else {
            Kind::VertexFace
        };
        let crossings = self.crossings(x, scripted);
        let patch = |(e, f): &(u32, u32)| Patch {
            a: Feature::of(self, Kind::EdgeEdge, false, *e, &at),
            b: Feature::of(self, kind, true, *f, &at),
            distance: 0.0,
            what: "they cross".into(),
        };
        let sunk = self.sunk(x, scripted);
        let below = |(i, k): &(u32, u32)| Patch {
            a: Feature::of(self, Kind::VertexPlane, false, *i, &at),
            b: Feature::of(self, Kind::VertexPlane, true, *k, &at),
            distance: 0.0,
            what: "it is in the half-space".into(),
        };
        let found = crossings.iter().map(patch).chain(sunk.iter().map(below));
        found.take(MOST).collect()
    }

    /// The crossings of a start, with how far apart it should begin.
    fn crossing_starts(&self, x: &[Vec3]) -> Vec<Patch> {
        let mut patches = self.crossing_patches(x, false);
        for patch in &mut patches {
            let wanted = self.thickness;
            patch.what +=
                &format!("; wanted a start at least the thickness of {wanted:.4} m apart");
        }
        patches
    }

    /// Pairs that can be pushed apart and are closer than `part` of their thickness; `wanted` chooses by a vertex of
    /// each side.
    pub(crate) fn close_pairs(
        &self,
        x: &[Vec3],
        part: f64,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> Vec<Close> {
        let (mut found, distance) = (Vec::new(), part * self.thickness);
        // a pair counts if it may touch and is closer than its layers reach
        let mut consider = |kind: Kind, a: u32, b: u32, corners: [u32; 4]| {
            if wanted(corners[0], corners[3])
                && self.may_touch(kind, a, b)
                && !self.is_scripted(&corners)
            {
                let d = kind
                    .closest(corners.map(|i| x[i as usize]))
                    .distance_squared
                    .sqrt();
                let thickness = self.thickness_of(&corners);
                if d < part * thickness {
                    found.push(Close {
                        kind,
                        a,
                        b,
                        objects: [corners[0], corners[3]].map(|i| self.object[i as usize]),
                        distance: d,
                        thickness,
                    });
                }
            }
        };
        // trees of boxes
        let tree = |corners: &mut dyn Iterator<Item = Vec<u32>>| {
            let mut group = Vec::new();
            let boxes: Vec<Aabb> = corners
                .map(|c| {
                    group.push(self.object[c[0] as usize]);
                    bounds(&c, x, distance)
                })
                .collect();
            BoxTree::new(&boxes, &group)
        };
        let faces = tree(&mut self.faces.iter().map(|f| f.to_vec()));
        let edges = tree(&mut self.edges.iter().map(|e| e.to_vec()));
        let particles: Vec<u32> = (0..x.len() as u32)
            .filter(|i| self.particle[*i as usize])
            .collect();
        let points = tree(&mut particles.iter().map(|i| vec![*i]));
        // vertices against faces, edges and each other
        for i in 0..x.len() as u32 {
            let at = x[i as usize];
            faces.query(at, at, |f| {
                let c = self.faces[f as usize];
                consider(Kind::VertexFace, i, f, [i, c[0], c[1], c[2]]);
            });
            if self.plane || self.particle[i as usize] {
                edges.query(at, at, |e| {
                    let c = self.edges[e as usize];
                    consider(Kind::VertexEdge, i, e, [i, c[0], c[1], c[1]]);
                });
            }
            if self.particle[i as usize] {
                points.query(at, at, |k| {
                    let j = particles[k as usize];
                    if i < j {
                        consider(Kind::VertexVertex, i, j, [i, j, j, j]);
                    }
                });
            }
        }
        // vertices against half-spaces
        for (k, plane) in self.planes.iter().enumerate() {
            for i in 0..x.len() as u32 {
                let corners = [i, plane[0], plane[1], plane[2]];
                consider(Kind::VertexPlane, i, k as u32, corners);
            }
        }
        // edges against edges
        for (e, [a, b]) in self.edges.iter().copied().enumerate() {
            let own = bounds(&[a, b], x, 0.0);
            edges.query(own.low, own.high, |f| {
                if (e as u32) < f {
                    let [c, d] = self.edges[f as usize];
                    consider(Kind::EdgeEdge, e as u32, f, [a, b, c, d]);
                }
            });
        }
        found
    }

    /// Refuses a start that crosses itself, a mesh too fine for the thickness, and pairs that start
    /// closer than `start_layers` layers allow.
    pub(crate) fn validate_start(&self, start_layers: u32) -> Result<(), Error> {
        refuse(self.crossing_starts(&self.start))?;
        let same = |a: u32, b: u32| self.object[a as usize] == self.object[b as usize];
        self.validate_rest(same)?;
        self.validate_distances(&self.start, start_layers, |_, _| true)
    }

    /// Refuses newcomers among the objects if, all being at `x`, one crosses something, pushes at itself at rest, or is
    /// closer to something than `start_layers` layers allow.
    pub(crate) fn validate_newcomers(
        &self,
        x: &[Vec3],
        start_layers: u32,
        newcomer: impl Fn(u32) -> bool,
    ) -> Result<(), Error> {
        refuse(self.crossing_starts(x))?;
        let new = |i: u32| newcomer(self.object[i as usize]);
        let same = |a: u32, b: u32| self.object[a as usize] == self.object[b as usize];
        self.validate_rest(|a, b| new(a) && same(a, b))?;
        self.validate_distances(x, start_layers, |a, b| new(a) || new(b))
    }

    /// Refuses a rest shape that would push against itself.
    fn validate_rest(&self, wanted: impl Fn(u32, u32) -> bool) -> Result<(), Error> {
        let tight = self.close_pairs(&self.rest, 1.0, wanted);
        refuse(self.patches(&self.rest, &tight, |close| {
            let (d, thickness) = (close.distance, close.thickness);
            format!("{d:.4} m apart in the rest shape, closer than the thickness {thickness} m; wanted a coarser mesh (spacing at least 1.5 thicknesses) or a thickness below {d:.4} m")
        }))
    }

    fn validate_distances(
        &self,
        x: &[Vec3],
        start_layers: u32,
        wanted: impl Fn(u32, u32) -> bool,
    ) -> Result<(), Error> {
        let part = self.layers.thickness(1.0, start_layers + 1);
        let close = self.close_pairs(x, part, wanted);
        refuse(self.patches(x, &close, |close| {
            let (d, least) = (close.distance, part * close.thickness);
            let layers = (close.thickness / d).powi(4);
            format!("they start {d:.3e} m apart, which needs {layers:.3e} layers; wanted {least:.3e} m, that is {start_layers} layers at most")
        }))
    }

    fn patches(&self, x: &[Vec3], pairs: &[Close], what: impl Fn(&Close) -> String) -> Vec<Patch> {
        let at = |i: u32| x[i as usize];
        let mut pairs: Vec<_> = pairs.iter().collect();
        pairs.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        let patch = |close: &Close| Patch {
            a: Feature::of(self, close.kind, false, close.a, &at),
            b: Feature::of(self, close.kind, true, close.b, &at),
            distance: close.distance,
            what: what(close),
        };
        pairs.into_iter().take(MOST).map(patch).collect()
    }
}
