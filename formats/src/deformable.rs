//! The motion of strands and cloth, kept compactly until a format wants it whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use drystone_base::Vec3;
use drystone_world::{Frame, FrameCloth, FrameStrand};

use crate::appearance::{FABRICS, HAIR};

/// Points of all frames; single precision is what the formats hold \[m\].
pub(crate) type Samples<const N: usize> = Vec<Vec<[f32; N]>>;

/// All strands of one object over all frames: `hair` holds `hair/0`, `hair/1`, ...
#[derive(Clone, Debug, Default)]
pub(crate) struct Curves {
    /// The part of their names before the first `/`.
    pub(crate) name: String,
    /// Points of each curve.
    pub(crate) counts: Vec<usize>,
    /// Width at each point \[m\].
    pub(crate) widths: Vec<f32>,
    /// Colour of each curve, linear RGB.
    pub(crate) colours: Vec<[f32; 3]>,
    /// The points of all curves in turn, for each frame \[m\].
    pub(crate) points: Samples<3>,
    /// (x, y, z, w) of the segment that begins at each point, the last segment's at the tip.
    pub(crate) orientations: Samples<4>,
}

/// One piece of cloth over all frames.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) name: Arc<str>,
    pub(crate) triangles: Arc<[[u32; 3]]>,
    /// Colour, linear RGB.
    pub(crate) colour: [f32; 3],
    /// Positions of the vertices in each frame \[m\].
    pub(crate) points: Samples<3>,
}

/// All strands and cloths over all frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deformables {
    pub(crate) curves: Vec<Curves>,
    pub(crate) sheets: Vec<Sheet>,
    /// By strand of a frame, the index into `curves`.
    member: Vec<usize>,
    started: bool,
}

impl Deformables {
    /// Adds a frame, which must hold what the first one held. Says in words why not.
    pub(crate) fn push(&mut self, frame: &Frame) -> Result<(), String> {
        if !self.started {
            self.start(frame);
        }
        let same = |what: &str, found: usize, wanted: usize| match found == wanted {
            true => Ok(()),
            false => Err(format!(
                "the frame at {} s has {found} {what}; wanted {wanted} as in the first frame",
                frame.time
            )),
        };
        same("strands", frame.strands.len(), self.member.len())?;
        same("cloths", frame.cloths.len(), self.sheets.len())?;

        let mut filled = vec![0; self.curves.len()];
        for group in &mut self.curves {
            group.points.push(Vec::with_capacity(group.widths.len()));
            group
                .orientations
                .push(Vec::with_capacity(group.widths.len()));
        }
        for (strand, &member) in frame.strands.iter().zip(&self.member) {
            let group = &mut self.curves[member];
            let wanted = group.counts[filled[member]];
            let what = format!("points in strand `{}`", strand.name);
            same(&what, strand.points.len(), wanted)?;
            filled[member] += 1;
            group.take(strand);
        }
        for (sheet, cloth) in self.sheets.iter_mut().zip(&frame.cloths) {
            let wanted = sheet.points.first().map_or(cloth.points.len(), Vec::len);
            let what = format!("vertices in cloth `{}`", cloth.name);
            same(&what, cloth.points.len(), wanted)?;
            let before = sheet.points.last().cloned().unwrap_or_default();
            let points = cloth.points.iter().enumerate();
            let points = points.map(|(i, &p)| single(p, before.get(i).copied()));
            sheet.points.push(points.collect());
        }
        Ok(())
    }

    /// Takes note of what there is.
    fn start(&mut self, frame: &Frame) {
        self.started = true;
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for strand in &frame.strands {
            let name = strand.name.split('/').next().unwrap_or_default();
            let member = *known.entry(name).or_insert_with(|| {
                self.curves.push(Curves {
                    name: name.to_owned(),
                    ..Curves::default()
                });
                self.curves.len() - 1
            });
            self.member.push(member);
            let group = &mut self.curves[member];
            group.counts.push(strand.points.len());
            group.colours.push(strand_colour(strand));
            let radius = |i: usize| strand.radii.get(i).or(strand.radii.last());
            let width = |i: usize| 2.0 * radius(i).copied().unwrap_or(0.0) as f32;
            group.widths.extend((0..strand.points.len()).map(width));
        }
        let sheet = |(i, cloth): (usize, &FrameCloth)| Sheet {
            name: cloth.name.clone(),
            triangles: cloth.triangles.clone(),
            colour: cloth_colour(cloth, i),
            points: Vec::new(),
        };
        self.sheets = frame.cloths.iter().enumerate().map(sheet).collect();
    }
}

impl Curves {
    fn take(&mut self, strand: &FrameStrand) {
        let [.., before, points] = self.points.as_mut_slice() else {
            // the first frame has none before it
            if let Some(points) = self.points.last_mut() {
                points.extend(strand.points.iter().map(|&p| single(p, None)));
            }
            self.turn(strand);
            return;
        };
        let first = points.len();
        let place = |(i, &p): (usize, &Vec3)| single(p, before.get(first + i).copied());
        points.extend(strand.points.iter().enumerate().map(place));
        self.turn(strand);
    }

    fn turn(&mut self, strand: &FrameStrand) {
        let Some(orientations) = self.orientations.last_mut() else {
            return;
        };
        for i in 0..strand.points.len() {
            let q = strand.orientations.get(i).or(strand.orientations.last());
            let q = q.copied().filter(|q| q.is_finite() && q.length() > 0.5);
            let q = q.map_or([0.0, 0.0, 0.0, 1.0], |q| q.normalize().to_array());
            orientations.push(q.map(|x| x as f32));
        }
    }
}

/// Rounds to single precision; a point that is not finite stays where it was `before`.
fn single(p: Vec3, before: Option<[f32; 3]>) -> [f32; 3] {
    let single = p.to_array().map(|x| x as f32);
    if single.iter().all(|x| x.is_finite()) {
        single
    } else {
        before.unwrap_or([0.0; 3])
    }
}

/// Colour of the strand, or that of hair if it has none; linear RGB.
pub(crate) fn strand_colour(strand: &FrameStrand) -> [f32; 3] {
    strand.colour.map_or(HAIR, |c| c.map(|x| x as f32))
}

fn cloth_colour(cloth: &FrameCloth, index: usize) -> [f32; 3] {
    let fabric = FABRICS[index % FABRICS.len()];
    cloth.colour.map_or(fabric, |c| c.map(|x| x as f32))
}

/// Unit normals of a sheet's vertices: the sum of its triangles', by area; y where there is none.
pub(crate) fn normals(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<[f32; 3]> {
    let mut sums = vec![Vec3::ZERO; points.len()];
    let at = |i: u32| points.get(i as usize).map(|p| Vec3::from(p.map(f64::from)));
    for triangle in triangles {
        let [Some(a), Some(b), Some(c)] = triangle.map(at) else {
            continue;
        };
        let area = (b - a).cross(c - a);
        triangle.iter().for_each(|&i| sums[i as usize] += area);
    }
    let unit = |n: Vec3| n.normalize_or(Vec3::Y).as_vec3().to_array();
    sums.into_iter().map(unit).collect()
}
