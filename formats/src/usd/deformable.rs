//! Strands as BasisCurves, cloth as Mesh, with time-sampled points.
//!
//! All strands of one object are one prim: linear curves with `widths` (diameters) for each point,
//! and `primvars:orientations`, the material frame of the segment that begins at each point (its
//! y axis along the segment; at the tip the last segment's again). A branched strand has a curve
//! for each branch. Cloth is a double-sided mesh with a normal at each vertex.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Layer, decimal, quoted, unique};
use crate::deformable::{Curves, Samples, Sheet, normals};

/// Decimals of points \[m\]: what single precision holds of a metre.
const POINT_DIGITS: usize = 7;
const TURN_DIGITS: usize = 6;
const WIDTH_DIGITS: usize = 8;
const PAD: &str = "        ";
/// A value for each point.
const VERTEX: &str = " (\n            interpolation = \"vertex\"\n        )";

impl Layer<'_> {
    /// Every strand object and every cloth, under names that are not in `used`.
    pub(super) fn write_soft(
        &self,
        out: &mut impl Write,
        used: &mut BTreeSet<String>,
    ) -> io::Result<()> {
        for curves in &self.deformables.curves {
            let name = unique(&curves.name, used);
            self.write_curves(out, &name, curves)?;
        }
        for sheet in &self.deformables.sheets {
            let name = unique(&sheet.name, used);
            self.write_sheet(out, &name, sheet)?;
        }
        Ok(())
    }

    fn write_curves(&self, out: &mut impl Write, name: &str, curves: &Curves) -> io::Result<()> {
        begin(out, "BasisCurves", name, &curves.name)?;
        let counts: Vec<String> = curves.counts.iter().map(usize::to_string).collect();
        writeln!(
            out,
            "{PAD}int[] curveVertexCounts = [{}]",
            counts.join(", ")
        )?;
        let widest = curves.widths.iter().copied().fold(0.0, f32::max);
        self.write_extent(out, &curves.points, 0.5 * widest)?;
        self.write_samples(out, "point3f[] points", "", &curves.points, |p| {
            tuples(p, POINT_DIGITS)
        })?;
        let alike = curves.colours.windows(2).all(|c| c[0] == c[1]);
        let (colours, how) = match alike {
            true => (&curves.colours[..1.min(curves.colours.len())], "constant"),
            false => (&curves.colours[..], "uniform"),
        };
        write_colour(out, colours, how)?;
        let real_first = |q: &[[f32; 4]]| {
            let turned: Vec<[f32; 4]> = q.iter().map(|&[x, y, z, w]| [w, x, y, z]).collect();
            tuples(&turned, TURN_DIGITS)
        };
        let kind = "quatf[] primvars:orientations";
        self.write_samples(out, kind, VERTEX, &curves.orientations, real_first)?;
        writeln!(out, "{PAD}uniform token type = \"linear\"")?;
        let widths = curves
            .widths
            .iter()
            .map(|&w| decimal(f64::from(w), WIDTH_DIGITS));
        writeln!(
            out,
            "{PAD}float[] widths = [{}]{VERTEX}",
            widths.collect::<Vec<_>>().join(", ")
        )?;
        writeln!(out, "{PAD}uniform token wrap = \"nonperiodic\"\n    }}")
    }

    fn write_sheet(&self, out: &mut impl Write, name: &str, sheet: &Sheet) -> io::Result<()> {
        begin(out, "Mesh", name, &sheet.name)?;
        writeln!(out, "{PAD}uniform bool doubleSided = 1")?;
        self.write_extent(out, &sheet.points, 0.0)?;
        let counts = vec!["3"; sheet.triangles.len()].join(", ");
        let corners: Vec<String> = sheet
            .triangles
            .iter()
            .flatten()
            .map(u32::to_string)
            .collect();
        writeln!(out, "{PAD}int[] faceVertexCounts = [{counts}]")?;
        writeln!(
            out,
            "{PAD}int[] faceVertexIndices = [{}]",
            corners.join(", ")
        )?;
        self.write_samples(out, "normal3f[] normals", VERTEX, &sheet.points, |p| {
            tuples(&normals(p, &sheet.triangles), TURN_DIGITS)
        })?;
        self.write_samples(out, "point3f[] points", "", &sheet.points, |p| {
            tuples(p, POINT_DIGITS)
        })?;
        write_colour(out, &[sheet.colour], "constant")?;
        writeln!(
            out,
            "{PAD}uniform token subdivisionScheme = \"none\"\n    }}"
        )
    }

    /// The box about the points of each frame, wider by `reach` \[m\].
    fn write_extent(
        &self,
        out: &mut impl Write,
        points: &Samples<3>,
        reach: f32,
    ) -> io::Result<()> {
        let extent = |frame: &Vec<[f32; 3]>| {
            let first = frame.first().copied().unwrap_or_default();
            let (mut low, mut high) = (first, first);
            for p in frame {
                for k in 0..3 {
                    low[k] = low[k].min(p[k]);
                    high[k] = high[k].max(p[k]);
                }
            }
            vec![low.map(|x| x - reach), high.map(|x| x + reach)]
        };
        let boxes: Samples<3> = points.iter().map(extent).collect();
        self.write_samples(out, "float3[] extent", "", &boxes, |b| {
            tuples(b, POINT_DIGITS)
        })
    }

    /// Samples of an attribute, without those that equal both neighbours; a plain value if all
    /// are alike.
    fn write_samples<const N: usize>(
        &self,
        out: &mut impl Write,
        kind: &str,
        metadata: &str,
        samples: &Samples<N>,
        show: impl Fn(&[[f32; N]]) -> String,
    ) -> io::Result<()> {
        let Some(first) = samples.first() else {
            return Ok(());
        };
        if samples.iter().all(|sample| sample == first) {
            return writeln!(out, "{PAD}{kind} = {}{metadata}", show(first));
        }
        if !metadata.is_empty() {
            writeln!(out, "{PAD}{kind}{metadata}")?;
        }
        writeln!(out, "{PAD}{kind}.timeSamples = {{")?;
        for (i, sample) in samples.iter().enumerate() {
            let like = |other: Option<&Vec<[f32; N]>>| other.is_none_or(|o| o == sample);
            let before = i.checked_sub(1).and_then(|b| samples.get(b));
            if i > 0 && like(before) && like(samples.get(i + 1)) {
                continue;
            }
            let code = self.time_code(self.tracks.times[i]);
            writeln!(out, "{PAD}    {code}: {},", show(sample))?;
        }
        writeln!(out, "{PAD}}}")
    }
}

fn begin(out: &mut impl Write, kind: &str, name: &str, shown: &str) -> io::Result<()> {
    let shown = quoted(shown);
    writeln!(
        out,
        "\n    def {kind} \"{name}\" (\n        displayName = {shown}\n    )\n    {{"
    )
}

fn write_colour(out: &mut impl Write, colours: &[[f32; 3]], how: &str) -> io::Result<()> {
    writeln!(
        out,
        "{PAD}color3f[] primvars:displayColor = {} (\n{PAD}    interpolation = \"{how}\"\n{PAD})",
        tuples(colours, 4)
    )
}

/// `[(x, y, z), ...]`
fn tuples<const N: usize>(values: &[[f32; N]], digits: usize) -> String {
    let mut text = String::with_capacity(values.len() * N * (digits + 4) + 2);
    text.push('[');
    for (i, value) in values.iter().enumerate() {
        text.push_str(if i == 0 { "(" } else { ", (" });
        for (k, &x) in value.iter().enumerate() {
            if k > 0 {
                text.push_str(", ");
            }
            push_decimal(&mut text, x, digits);
        }
        text.push(')');
    }
    text.push(']');
    text
}

/// As [`decimal`], without a string of its own for each number.
fn push_decimal(text: &mut String, x: f32, digits: usize) {
    let start = text.len();
    // writing to a string does not fail
    let _ = write!(text, "{:.digits$}", f64::from(x));
    if digits > 0 {
        let kept = text.trim_end_matches('0').trim_end_matches('.').len();
        text.truncate(kept.max(start + 1));
    }
    if &text[start..] == "-0" {
        text.truncate(start);
        text.push('0');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_slower_way() {
        for x in [
            0.0,
            -0.0,
            1.0,
            -1e-9,
            0.1,
            -12.345_679,
            100.0,
            1e6,
            0.5,
            3e-7,
        ] {
            let mut text = String::from("0");
            push_decimal(&mut text, x, 6);
            assert_eq!(text[1..], decimal(f64::from(x), 6), "{x}");
        }
    }
}
