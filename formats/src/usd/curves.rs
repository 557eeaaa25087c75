//! Curves out of USD text files, as modelling programs write them.
//!
//! Every `BasisCurves` prim of the layer is taken at its earliest time, placed by the transforms
//! above it, in metres with y up by what the stage says (`metersPerUnit`, which is 0.01 where it
//! says nothing, and `upAxis`). Linear curves keep their points. Cubic ones (bezier, bspline,
//! catmullRom; nonperiodic or pinned) become as many equally long segments as they have control
//! points, less one. Periodic curves and other bases are refused.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use drystone_base::functions::{pow, rotation_about};
use drystone_base::{Mat3, Quat, Vec3};

use super::parse::{Attribute, Fault, Prim, Stage, Value, parse};
use super::unique;
use crate::FileError;
use crate::curves::{Curve, fault};
use crate::toml::read_bytes;

/// Longest file \[bytes\].
const LONGEST_FILE: u64 = 1 << 30;
/// Points at which each span of a cubic curve is sampled.
const SPAN_SAMPLES: usize = 16;

/// The curves in the USD text file at `path`.
pub fn read_curves(path: impl AsRef<Path>) -> Result<Vec<Curve>, FileError> {
    let path = path.as_ref();
    let bytes = read_bytes(path, LONGEST_FILE)?;
    if bytes.starts_with(b"PXR-USDC") || bytes.starts_with(b"PK") {
        let error = FileError::new(path, "this is binary USD; wanted its text form");
        return Err(error.with_help("convert it: usdcat --flatten IN.usdc -o OUT.usda"));
    }
    match std::str::from_utf8(&bytes) {
        Ok(text) => parse_curves(text, path),
        Err(error) => {
            let at = error.valid_up_to();
            Err(FileError::new(
                path,
                format!("byte {at} is no UTF-8; wanted USD text"),
            ))
        }
    }
}

/// The curves in the USD text `text`, which errors call `name`.
pub fn parse_curves(text: &str, name: impl AsRef<Path>) -> Result<Vec<Curve>, FileError> {
    let name = name.as_ref();
    let located = |(message, span): Fault| FileError::new(name, message).at(text, span);
    let stage = parse(text).map_err(located)?;
    let mut found = Found::default();
    let place = stage.place();
    for prim in &stage.prims {
        found.prim(prim, &place).map_err(located)?;
    }
    if found.curves.is_empty() {
        let error = FileError::new(
            name,
            "the file has no BasisCurves; wanted at least one curve",
        );
        return Err(match found.composed {
            true => error.with_help(
                "references, payloads and variants are not followed: flatten the file first \
                 (usdcat --flatten IN.usda -o OUT.usda)",
            ),
            false => error,
        });
    }
    Ok(found.curves)
}

/// `point -> linear point + shift`.
#[derive(Clone, Copy)]
struct Place {
    linear: Mat3,
    shift: Vec3,
}

impl Place {
    const HERE: Self = Self {
        linear: Mat3::IDENTITY,
        shift: Vec3::ZERO,
    };

    fn linear(linear: Mat3) -> Self {
        Self {
            linear,
            shift: Vec3::ZERO,
        }
    }

    fn point(&self, p: Vec3) -> Vec3 {
        self.linear * p + self.shift
    }

    /// First `inner`, then this.
    fn after(&self, inner: &Self) -> Self {
        Self {
            linear: self.linear * inner.linear,
            shift: self.point(inner.shift),
        }
    }

    fn inverse(&self) -> Option<Self> {
        let determinant = self.linear.determinant();
        (determinant.is_finite() && determinant != 0.0).then(|| {
            let linear = self.linear.inverse();
            Self {
                linear,
                shift: linear * -self.shift,
            }
        })
    }
}

impl Stage {
    /// Transform from the stage's units and axes to metres with y up.
    fn place(&self) -> Place {
        let scale = match self.metadata.get("metersPerUnit") {
            Some(Value::Number(scale)) if *scale > 0.0 && scale.is_finite() => *scale,
            _ => 0.01,
        };
        let z_up = self.metadata.get("upAxis") == Some(&Value::Text("Z".into()));
        Place::linear(match z_up {
            true => Mat3::from_cols(Vec3::X, Vec3::NEG_Z, Vec3::Y) * scale,
            false => Mat3::IDENTITY * scale,
        })
    }
}

#[derive(Default)]
struct Found {
    curves: Vec<Curve>,
    names: BTreeSet<String>,
    composed: bool,
}

impl Found {
    fn prim(&mut self, prim: &Prim, above: &Place) -> Result<(), Fault> {
        self.composed |= prim.composed;
        if prim.is_abstract {
            return Ok(());
        }
        let place = above.after(&transform(prim)?);
        if prim.kind == "BasisCurves" {
            self.basis_curves(prim, &place)?;
        }
        prim.children
            .iter()
            .try_for_each(|child| self.prim(child, &place))
    }

    fn basis_curves(&mut self, prim: &Prim, place: &Place) -> Result<(), Fault> {
        // type, basis and wrap
        let named = |message: String| {
            (
                format!("curves `{}`: {message}", prim.name),
                prim.span.clone(),
            )
        };
        let token = |key: &str, other: &str| {
            let value = prim.attributes.get(key).and_then(Attribute::text);
            (value.unwrap_or(other).to_owned(), span_of(prim, key))
        };
        let ((kind, kind_at), (basis, basis_at)) =
            (token("type", "cubic"), token("basis", "bezier"));
        let (wrap, wrap_at) = token("wrap", "nonperiodic");
        let refuse = |what: &str, found: &str, wanted: &str, at: Range<usize>| {
            Err((named(format!("{what} is `{found}`; wanted {wanted}")).0, at))
        };
        let basis = match (kind.as_str(), basis.as_str()) {
            ("linear", _) => Basis::Linear,
            ("cubic", "bezier") => Basis::Bezier,
            ("cubic", "bspline") => Basis::Spline,
            ("cubic", "catmullRom") => Basis::CatmullRom,
            ("cubic", other) => {
                return refuse("basis", other, "bezier, bspline or catmullRom", basis_at);
            }
            (other, _) => return refuse("type", other, "linear or cubic", kind_at),
        };
        if !matches!(wrap.as_str(), "nonperiodic" | "pinned") {
            return refuse(
                "wrap",
                &wrap,
                "nonperiodic or pinned: a strand has two ends",
                wrap_at,
            );
        }
        let pinned = wrap == "pinned";

        // control points and the number of them in each curve
        let list = |key: &str| -> Result<&[f64], Fault> {
            let attribute = prim.attributes.get(key);
            let attribute = attribute.ok_or_else(|| named(format!("`{key}` is missing")))?;
            let numbers = attribute.numbers();
            numbers.ok_or_else(|| {
                (
                    named(format!("`{key}` is no list of numbers")).0,
                    attribute.span.clone(),
                )
            })
        };
        let (flat, counts) = (list("points")?, list("curveVertexCounts")?);
        let at = |key: &str, message: String| (named(message).0, span_of(prim, key));
        let (triples, rest) = flat.as_chunks::<3>();
        if !rest.is_empty() {
            let message = format!(
                "`points` has {} numbers; wanted three for each point",
                flat.len()
            );
            return Err(at("points", message));
        }
        let sound = |c: &&f64| **c >= 0.0 && c.fract() == 0.0 && **c <= flat.len() as f64;
        if let Some(bad) = counts.iter().find(|c| !sound(c)) {
            let message = format!("a curve has {bad} points; the prim has {}", triples.len());
            return Err(at("curveVertexCounts", message));
        }
        let counts: Vec<usize> = counts.iter().map(|&c| c as usize).collect();
        let sum: usize = counts.iter().sum();
        if sum != triples.len() {
            let message = format!(
                "`curveVertexCounts` make {sum} points; `points` has {}",
                triples.len()
            );
            return Err(at("curveVertexCounts", message));
        }
        // spans, widths and colours
        let mut spans = Vec::with_capacity(counts.len());
        for (i, &count) in counts.iter().enumerate() {
            spans.push(basis.spans(count, pinned).ok_or_else(|| {
                let message = format!("curve {i} has {count} points; {}", basis.wanted());
                at("curveVertexCounts", message)
            })?);
        }
        let widths = Widths::of(prim, &counts, &spans, sum).map_err(|m| at("widths", m))?;
        let colours = prim
            .attributes
            .get("primvars:displayColor")
            .and_then(Attribute::numbers);
        let colours = colours.unwrap_or_default().as_chunks::<3>().0;
        // a length grows by the cube root of what a volume grows by
        let scale = pow(place.linear.determinant().abs(), 1.0 / 3.0);

        // a polyline for each curve, in world space
        let name = unique(&prim.name, &mut self.names);
        let mut first = 0;
        for (i, &count) in counts.iter().enumerate() {
            let controls: Vec<Vec3> = triples[first..first + count]
                .iter()
                .map(|&p| place.point(Vec3::from(p)))
                .collect();
            if let Some(fault) = fault(&controls) {
                return Err(at("points", format!("curve {i}: {fault}")));
            }
            let (points, places) = basis.polyline(&controls, spans[i], pinned);
            let radius = |&u: &f64| 0.5 * scale * widths.at(i, first, count, spans[i], u);
            let radii = match widths.values.is_empty() {
                true => Vec::new(),
                false => places.iter().map(radius).collect(),
            };
            let colour = match colours.len() {
                0 => None,
                n if n == counts.len() => Some(colours[i]),
                n if n == sum => Some(colours[first]),
                _ => Some(colours[0]),
            };
            self.curves.push(Curve {
                name: match counts.len() {
                    1 => name.clone(),
                    _ => format!("{name}/{i}"),
                },
                points,
                radii,
                colour,
            });
            first += count;
        }
        Ok(())
    }
}

fn span_of(prim: &Prim, key: &str) -> Range<usize> {
    let attribute = prim.attributes.get(key);
    attribute.map_or(prim.span.clone(), |attribute| attribute.span.clone())
}

/// Diameters, in whatever way they are spread.
struct Widths<'a> {
    values: &'a [f64],
    spread: Spread,
    /// Index of the first varying value of each curve.
    varying: Vec<usize>,
}

enum Spread {
    Constant,
    Uniform,
    Varying,
    Vertex,
}

impl<'a> Widths<'a> {
    fn of(
        prim: &'a Prim,
        counts: &[usize],
        spans: &[usize],
        points: usize,
    ) -> Result<Self, String> {
        // values, from either name
        let attribute = ["widths", "primvars:widths"]
            .iter()
            .find_map(|key| prim.attributes.get(*key));
        let values = attribute.and_then(Attribute::numbers).unwrap_or_default();
        if let Some(bad) = values.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(format!("a width is {bad}; wanted at least 0"));
        }
        // how values are spread over points, span ends, curves
        let ends: Vec<usize> = spans.iter().map(|s| s + 1).collect();
        let varying_total: usize = ends.iter().sum();
        let said = attribute.and_then(|a| a.interpolation.as_deref());
        let choices = [
            ("vertex", Spread::Vertex, points),
            ("varying", Spread::Varying, varying_total),
            ("uniform", Spread::Uniform, counts.len()),
            ("constant", Spread::Constant, 1),
        ];
        // without a word, the number of values tells
        let fits = |(name, _, n): &(&str, Spread, usize)| match said {
            Some(said) => said == *name && values.len() == *n,
            None => values.len() == *n,
        };
        let varying = ends.iter().scan(0, |sum, n| {
            *sum += n;
            Some(*sum - n)
        });
        let varying = varying.collect();
        match choices.into_iter().find(fits) {
            _ if values.is_empty() => Ok(Self {
                values,
                spread: Spread::Constant,
                varying,
            }),
            Some((_, spread, _)) => Ok(Self {
                values,
                spread,
                varying,
            }),
            None => Err(format!(
                "{} widths{}; wanted {points} (vertex), {varying_total} (varying), {} (uniform) \
                 or 1 (constant)",
                values.len(),
                said.map(|s| format!(" spread as `{s}`"))
                    .unwrap_or_default(),
                counts.len()
            )),
        }
    }

    /// Width at `u` from 0 to 1 of curve `i`.
    fn at(&self, i: usize, first: usize, count: usize, spans: usize, u: f64) -> f64 {
        let within = |from: usize, n: usize| {
            let place = u.clamp(0.0, 1.0) * (n - 1) as f64;
            let k = (place as usize).min(n.saturating_sub(2));
            let (a, b) = (
                self.values[from + k],
                self.values[from + (k + 1).min(n - 1)],
            );
            a + (b - a) * (place - k as f64)
        };
        match self.spread {
            Spread::Constant => self.values[0],
            Spread::Uniform => self.values[i],
            Spread::Varying => within(self.varying[i], spans + 1),
            Spread::Vertex => within(first, count),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Basis {
    Linear,
    Bezier,
    Spline,
    CatmullRom,
}

impl Basis {
    /// Number of spans of a curve of `count` points; `None` if that number makes no curve.
    fn spans(self, count: usize, pinned: bool) -> Option<usize> {
        match self {
            Self::Linear => (count >= 2).then(|| count - 1),
            Self::Bezier => (count >= 4 && (count - 4).is_multiple_of(3)).then(|| (count - 1) / 3),
            _ if pinned => (count >= 2).then(|| count - 1),
            _ => (count >= 4).then(|| count - 3),
        }
    }

    fn wanted(self) -> &'static str {
        match self {
            Self::Linear => "wanted at least 2",
            Self::Bezier => "wanted 4, 7, 10, ... for a bezier curve",
            _ => "wanted at least 4, or 2 where `wrap` is `pinned`",
        }
    }

    /// Points along the curve, and where each is as a share of its spans.
    fn polyline(self, controls: &[Vec3], spans: usize, pinned: bool) -> (Vec<Vec3>, Vec<f64>) {
        let last = controls.len() - 1;
        if self == Self::Linear {
            let places = (0..=last).map(|k| k as f64 / last as f64);
            return (controls.to_vec(), places.collect());
        }
        // pinned: one more control at either end, so that the curve begins at the first
        let mut all = controls.to_vec();
        if pinned && self != Self::Bezier {
            all.insert(0, 2.0 * controls[0] - controls[1]);
            all.push(2.0 * controls[last] - controls[last - 1]);
        }
        let fine = spans * SPAN_SAMPLES;
        let at = |k: usize| {
            let (span, t) = match k == fine {
                true => (spans - 1, 1.0),
                false => (
                    k / SPAN_SAMPLES,
                    (k % SPAN_SAMPLES) as f64 / SPAN_SAMPLES as f64,
                ),
            };
            let start = if self == Self::Bezier { 3 * span } else { span };
            let weights = self.weights(t);
            (0..4).map(|j| all[start + j] * weights[j]).sum::<Vec3>()
        };
        let dense: Vec<Vec3> = (0..=fine).map(at).collect();

        // walk along it in equal steps
        let mut lengths = vec![0.0];
        for pair in dense.windows(2) {
            lengths.push(lengths[lengths.len() - 1] + pair[0].distance(pair[1]));
        }
        let whole = lengths[fine];
        let (mut points, mut places) = (Vec::new(), Vec::new());
        let mut k = 0;
        for step in 0..=last {
            let wanted = whole * step as f64 / last as f64;
            while k + 2 <= fine && lengths[k + 1] < wanted {
                k += 1;
            }
            let piece = lengths[k + 1] - lengths[k];
            let t = if piece > 0.0 {
                ((wanted - lengths[k]) / piece).clamp(0.0, 1.0)
            } else {
                0.0
            };
            points.push(dense[k].lerp(dense[k + 1], t));
            places.push((k as f64 + t) / fine as f64);
        }
        (points, places)
    }

    fn weights(self, t: f64) -> [f64; 4] {
        let s = 1.0 - t;
        match self {
            Self::Spline => [
                s * s * s / 6.0,
                (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
                (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0,
                t * t * t / 6.0,
            ],
            Self::CatmullRom => [
                -0.5 * t * s * s,
                0.5 * (2.0 - 5.0 * t * t + 3.0 * t * t * t),
                0.5 * (2.0 - 5.0 * s * s + 3.0 * s * s * s),
                -0.5 * s * t * t,
            ],
            _ => [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t],
        }
    }
}

/// Transform of a prim from its operations.
fn transform(prim: &Prim) -> Result<Place, Fault> {
    let Some(order) = prim.attributes.get("xformOpOrder") else {
        return Ok(Place::HERE);
    };
    let Some(Value::Texts(names)) = order.value() else {
        return Ok(Place::HERE);
    };
    let mut whole = Place::HERE;
    for name in names {
        if name == "!resetXformStack!" {
            let message = format!("prim `{}`: !resetXformStack! is not read", prim.name);
            return Err((message, order.span.clone()));
        }
        let plain = name.strip_prefix("!invert!");
        let key = plain.unwrap_or(name);
        let refuse = |message: &str| {
            let message = format!("prim `{}`: `{name}` {message}", prim.name);
            (message, span_of(prim, key))
        };
        let attribute = prim
            .attributes
            .get(key)
            .ok_or_else(|| refuse("has no value"))?;
        let numbers = attribute
            .numbers()
            .ok_or_else(|| refuse("has no numbers"))?;
        let kind = key.split(':').nth(1).unwrap_or_default();
        let step = operation(kind, numbers).ok_or_else(|| {
            refuse("is not understood; wanted translate, scale, rotate..., orient or transform")
        })?;
        let step = match plain {
            Some(_) => step.inverse().ok_or_else(|| refuse("has no inverse"))?,
            None => step,
        };
        whole = whole.after(&step);
    }
    Ok(whole)
}

fn operation(kind: &str, numbers: &[f64]) -> Option<Place> {
    let three = || Some(Vec3::from(<[f64; 3]>::try_from(numbers).ok()?));
    let about = |axis: char, degrees: f64| {
        let axis = match axis {
            'X' => Vec3::X,
            'Y' => Vec3::Y,
            'Z' => Vec3::Z,
            _ => return None,
        };
        Some(Mat3::from_quat(rotation_about(axis, degrees.to_radians())))
    };
    match (kind, numbers) {
        ("translate", _) => Some(Place {
            linear: Mat3::IDENTITY,
            shift: three()?,
        }),
        ("scale", _) => Some(Place::linear(Mat3::from_diagonal(three()?))),
        ("orient", &[w, x, y, z]) => {
            let turn = Quat::from_xyzw(x, y, z, w);
            (turn.length() > 0.0).then(|| Place::linear(Mat3::from_quat(turn.normalize())))
        }
        ("transform", _) => {
            let rows = numbers.as_chunks::<4>().0;
            let [a, b, c, d] = <[[f64; 4]; 4]>::try_from(rows).ok()?;
            let row = |r: [f64; 4]| Vec3::new(r[0], r[1], r[2]);
            Some(Place {
                linear: Mat3::from_cols(row(a), row(b), row(c)),
                shift: row(d),
            })
        }
        _ => {
            let axes: Vec<char> = kind.strip_prefix("rotate")?.chars().collect();
            if !matches!(axes.len(), 1 | 3) || axes.len() != numbers.len() {
                return None;
            }
            let mut whole = Mat3::IDENTITY;
            for axis in axes {
                let place = "XYZ".find(axis)?;
                let degrees = numbers[if numbers.len() == 1 { 0 } else { place }];
                whole = about(axis, degrees)? * whole;
            }
            Some(Place::linear(whole))
        }
    }
}
