//! A strand as a tree of rigid segments: link `j` hangs from an earlier link or from the base by a
//! joint with three rotations, and runs along the y axis of its own frame.

use drystone_base::{Mat3, Quat, Vec3};

use crate::NamedField;
use crate::model::{Curve, Parameters, Strand, check_ramp};
use crate::posable::PoseTrack;
use crate::{Base, Error, Profile};

/// Parent of a link that hangs from the base.
pub const BASE: usize = usize::MAX;

/// Parent of a link that hangs from nothing: a rigid body.
pub const FREE: usize = usize::MAX - 1;

/// A strand ready for simulation, links numbered breadth first: a parent's index is always less.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Unique in the model.
    pub name: String,
    /// Each link's parent, or [`BASE`].
    pub parent: Vec<usize>,
    /// Position of each joint in the frame of the parent link, or of the base \[m\].
    pub joint: Vec<Vec3>,
    /// Length of each segment \[m\].
    pub length: Vec<f64>,
    /// Length that a joint's stiffness stands for: mean of the two segments it joins; of a first
    /// joint, its segment's over [`Strand::root`] \[m\]. Infinite for a free joint.
    pub cell: Vec<f64>,
    /// Fraction of arc length at each joint, on its own curve \[1\].
    pub at_joint: Vec<f64>,
    /// Fraction of arc length at each segment's middle, on its own curve \[1\].
    pub at_middle: Vec<f64>,
    /// Index of the curve and of the segment on it that each link came from.
    pub source: Vec<(usize, usize)>,
    /// Rotation of each link in its parent's frame, at the start.
    pub start_rotation: Vec<Quat>,
    /// Rotation of each link against its parent without load, `q₀`.
    pub rest_rotation: Vec<Quat>,
    /// Sum of the lengths along the longest way from the base \[m\].
    pub reach: f64,
    /// Parameters of each curve.
    pub parameters: Vec<Parameters>,
    /// What the first joints are fixed to.
    pub base: Base,
    /// Animated pose to which the tips of segments are pulled.
    pub pose: Option<PoseTrack>,
    /// Factor on each field, by index of the field.
    pub field_weights: Vec<Option<Profile>>,
    /// Factor on every stiffness, for instance of a repair of the rest shape \[1\].
    pub stiffening: f64,
    /// Whether segments can stretch.
    pub extensible: bool,
    /// Whether links touch each other, and those of other strands that do so.
    pub collide: bool,
    /// Obstacles and the links that pass through them, being fastened inside; written by [`crate::Model::embed`].
    pub embedded: Vec<[usize; 2]>,
}

impl Chain {
    /// Number of links.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Whether any parameter changes in time.
    pub fn is_animated(&self) -> bool {
        self.parameters.iter().any(Parameters::is_animated)
            || self
                .field_weights
                .iter()
                .flatten()
                .any(Profile::is_animated)
    }

    /// Links that hang from the base, and where their joints are in its frame \[m\].
    pub(crate) fn roots(&self) -> impl Iterator<Item = (usize, Vec3)> + '_ {
        let links = self.parent.iter().zip(&self.joint).enumerate();
        links.filter_map(|(j, (parent, joint))| (*parent == BASE).then_some((j, *joint)))
    }

    /// The link that is `segment` of `curve`.
    pub fn link(&self, curve: usize, segment: usize) -> Option<usize> {
        self.source.iter().position(|&s| s == (curve, segment))
    }

    /// Position of the root joint of `link`'s branch in the base's frame, and the largest distance from it that a
    /// point `at` of the link can reach without stretch \[m\].
    pub fn reach_of(&self, mut link: usize, at: Vec3) -> (Vec3, f64) {
        let mut reach = at.length();
        while self.parent[link] != BASE {
            reach += self.joint[link].length();
            link = self.parent[link];
        }
        (self.joint[link], reach)
    }

    /// The tree of `strand`, or what is wrong with it.
    pub(crate) fn new(strand: Strand, fields: &[NamedField]) -> Result<Self, Error> {
        // weights of fields by index
        check(&strand)?;
        let mut field_weights = vec![None; fields.len()];
        for (name, weight) in &strand.field_weights {
            let Some(k) = fields.iter().position(|field| field.name == *name) else {
                return Err(Error::Strand {
                    strand: strand.name,
                    what: "a field weight".into(),
                    found: format!("for `{name}`"),
                    wanted: "the name of a field of the model",
                });
            };
            field_weights[k] = Some(weight.clone());
        }

        // links breadth first, and frames along the curves (at the start and at rest)
        let segments = segments(&strand.curves);
        let order = breadth_first(&segments);
        let mut place = vec![0; order.len()];
        for (link, &segment) in order.iter().enumerate() {
            place[segment] = link;
        }
        let shape = |rest: bool| frames(&strand.curves, &segments, rest);
        let (start, rest) = (shape(false), shape(true));
        let count = order.len();
        let mut chain = Self {
            name: strand.name,
            parent: Vec::with_capacity(count),
            joint: Vec::with_capacity(count),
            length: Vec::with_capacity(count),
            cell: Vec::with_capacity(count),
            at_joint: Vec::with_capacity(count),
            at_middle: Vec::with_capacity(count),
            source: Vec::with_capacity(count),
            start_rotation: Vec::with_capacity(count),
            rest_rotation: Vec::with_capacity(count),
            reach: 0.0,
            parameters: strand
                .curves
                .iter()
                .map(|curve| {
                    curve
                        .parameters
                        .as_ref()
                        .unwrap_or(&strand.parameters)
                        .clone()
                })
                .collect(),
            extensible: strand
                .curves
                .iter()
                .map(|curve| curve.parameters.as_ref().unwrap_or(&strand.parameters))
                .any(|p| p.stretch_stiffness.is_some()),
            collide: strand.collide,
            embedded: Vec::new(),
            base: strand.base,
            pose: strand.pose,
            field_weights,
            stiffening: 1.0,
        };
        // each link: parent, joint, cell of its stiffness, arc length, rotations
        let mut reach = vec![0.0; count];
        for &s in &order {
            let Segment {
                curve,
                index,
                parent,
            } = segments[s];
            let points = &strand.curves[curve].points;
            let length = (points[index + 1] - points[index]).length();
            let total: f64 = points.windows(2).map(|p| (p[1] - p[0]).length()).sum();
            let before: f64 = points[..=index]
                .windows(2)
                .map(|p| (p[1] - p[0]).length())
                .sum();
            let link = chain.parent.len();
            let inner = parent.map_or(Quat::IDENTITY, |p| start[p]);
            let joint = match parent {
                None => points[index],
                Some(p) => {
                    let Segment {
                        curve, index: i, ..
                    } = segments[p];
                    inner.conjugate() * (points[index] - strand.curves[curve].points[i])
                }
            };
            let up = parent.map(|p| place[p]);
            reach[link] = length + up.map_or(0.0, |p| reach[p]);
            chain.reach = chain.reach.max(reach[link]);
            chain.parent.push(up.unwrap_or(BASE));
            chain.joint.push(joint);
            chain.length.push(length);
            chain.cell.push(match up {
                Some(p) => 0.5 * (length + chain.length[p]),
                None => length / strand.root,
            });
            chain.at_joint.push(before / total);
            chain.at_middle.push((before + 0.5 * length) / total);
            chain.source.push((curve, index));
            let rest_inner = parent.map_or(Quat::IDENTITY, |p| rest[p]);
            chain.start_rotation.push(inner.conjugate() * start[s]);
            chain.rest_rotation.push(rest_inner.conjugate() * rest[s]);
        }
        if let Some(pose) = &chain.pose {
            pose.check(&chain.name, count)?;
        }
        Ok(chain)
    }
}

/// A piece of a curve and the piece it hangs from, by index into the list of segments.
struct Segment {
    curve: usize,
    index: usize,
    parent: Option<usize>,
}

fn segments(curves: &[Curve]) -> Vec<Segment> {
    let mut first = Vec::new();
    let mut list: Vec<Segment> = Vec::new();
    for (c, curve) in curves.iter().enumerate() {
        first.push(list.len());
        for index in 0..curve.points.len() - 1 {
            let parent = if index > 0 {
                Some(list.len() - 1)
            } else {
                match curve.branch {
                    None => None,
                    // the root of a curve is the tip of what it hangs from
                    Some(b) if b.point == 0 => list[first[b.curve]].parent,
                    Some(b) => Some(first[b.curve] + b.point - 1),
                }
            };
            list.push(Segment {
                curve: c,
                index,
                parent,
            });
        }
    }
    list
}

fn breadth_first(segments: &[Segment]) -> Vec<usize> {
    let mut depth = vec![0usize; segments.len()];
    for (k, segment) in segments.iter().enumerate() {
        depth[k] = segment.parent.map_or(0, |p| depth[p] + 1);
    }
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_by_key(|&k| (depth[k], k));
    order
}

/// Frame of every segment in base coordinates: y along the segment, turned from the frame it hangs
/// from by the smallest rotation, unless normals say otherwise.
fn frames(curves: &[Curve], segments: &[Segment], rest: bool) -> Vec<Quat> {
    let mut frames: Vec<Quat> = Vec::with_capacity(segments.len());
    for &Segment {
        curve,
        index,
        parent,
    } in segments
    {
        let given = &curves[curve];
        let points = match &given.rest {
            Some(points) if rest => points,
            _ => &given.points,
        };
        let y = (points[index + 1] - points[index]).normalize();
        let before = parent.map_or(Quat::IDENTITY, |p| frames[p]);
        let carried = (Quat::from_rotation_arc(before * Vec3::Y, y) * before).normalize();
        let hinted = given.normals.as_ref().and_then(|normals| {
            // across the segment only
            let x = (normals[index] - y * y.dot(normals[index])).try_normalize()?;
            Some(Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize())
        });
        frames.push(hinted.unwrap_or(carried));
    }
    frames
}

/// Checks a description.
fn check(strand: &Strand) -> Result<(), Error> {
    let fault = |what: String, found: String, wanted| {
        let strand = strand.name.clone();
        Err(Error::Strand {
            strand,
            what,
            found,
            wanted,
        })
    };
    if strand.curves.is_empty() {
        return fault("the number of curves".into(), "0".into(), "at least 1");
    }
    if !(strand.root >= 0.0 && strand.root.is_finite()) {
        let found = format!("{}", strand.root);
        return fault(
            "the stiffness factor of the root".into(),
            found,
            "zero or more",
        );
    }
    // parameters and ramps
    strand.parameters.check(&strand.name)?;
    for (name, weight) in &strand.field_weights {
        for ramp in [&weight.along, &weight.over_time] {
            check_ramp(&strand.name, &format!("the weight of field `{name}`"), ramp)?;
        }
    }
    check_ramp(&strand.name, "time scale", &strand.base.time_scale)?;
    check_ramp(&strand.name, "local dynamics", &strand.base.local_dynamics)?;
    for (c, curve) in strand.curves.iter().enumerate() {
        if let Some(parameters) = &curve.parameters {
            parameters.check(&strand.name)?;
        }
        // lists of one length, segments of some length, normals that are numbers, branches of earlier curves
        let n = curve.points.len();
        if n < 2 {
            let what = format!("the number of points of curve {c}");
            return fault(what, n.to_string(), "at least 2");
        }
        let listed = |what: &str, count: usize, wanted: usize| {
            (count != wanted).then(|| (format!("the number of {what} of curve {c}"), count))
        };
        let rest = curve.rest.as_ref();
        let normals = curve.normals.as_ref();
        let wrong = rest
            .and_then(|list| listed("rest points", list.len(), n))
            .or_else(|| normals.and_then(|list| listed("normals", list.len(), n - 1)));
        if let Some((what, count)) = wrong {
            return fault(
                what,
                count.to_string(),
                "one per point, of normals one per segment",
            );
        }
        for points in [Some(&curve.points), rest].into_iter().flatten() {
            for (k, pair) in points.windows(2).enumerate() {
                let length = (pair[1] - pair[0]).length();
                // a length that is not finite is caught as well
                if !(length > 1e-9 && length < 1e9) {
                    let what = format!("the length of segment {k} of curve {c}");
                    return fault(what, format!("{length} m"), "1 nm to 1e9 m");
                }
            }
        }
        if normals.is_some_and(|list| list.iter().any(|v| !v.is_finite())) {
            let what = format!("a normal of curve {c}");
            return fault(what, "not finite".into(), "finite numbers");
        }
        if let Some(b) = curve.branch {
            let exists = b.curve < c && b.point < strand.curves[b.curve].points.len();
            if !exists {
                let found = format!("point {} of curve {}", b.point, b.curve);
                return fault(
                    format!("the branch of curve {c}"),
                    found,
                    "a point of an earlier curve",
                );
            }
        }
    }
    Ok(())
}
