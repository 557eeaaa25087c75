//! Curves as strands are made from: what `.hair` and USD files hold.

use std::path::Path;

use drystone_base::Vec3;
use drystone_world::{FileCurve, Scene, SceneError, Subject};

use crate::{FileError, hair, usd};

/// One curve from the root to the tip: y up, metres.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Name in the file, with a number where several curves share it: `hair/17`.
    pub name: String,
    /// Points from root to tip: at least two, all finite \[m\].
    pub points: Vec<Vec3>,
    /// Radius at each point, none negative; empty if the file has none \[m\].
    pub radii: Vec<f64>,
    /// Red, green and blue from 0 to 1 at the root, if the file says so.
    pub colour: Option<[f64; 3]>,
}

impl Curve {
    /// Length from root to tip along the points \[m\].
    pub fn length(&self) -> f64 {
        self.points.windows(2).map(|p| p[0].distance(p[1])).sum()
    }
}

/// Files that [`read_curves`] knows.
pub const CURVE_EXTENSIONS: [&str; 3] = ["hair", "usda", "usd"];

/// The curves in the file at `path`, by its extension: `.hair` (taken as metres, y up; see
/// [`mod@crate::hair`]) or `.usda` (metres and y up made from what the stage says).
pub fn read_curves(path: impl AsRef<Path>) -> Result<Vec<Curve>, FileError> {
    let path = path.as_ref();
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("hair") => hair::read_hair(path)?.curves(path),
        Some("usda" | "usd") => usd::read_curves(path),
        other => {
            let found = match other {
                Some(other) => format!("the extension is `.{other}`"),
                None => "the name has no extension".to_owned(),
            };
            Err(FileError::new(
                path,
                format!("{found}; wanted curves in a .hair or .usda file"),
            ))
        }
    }
}

/// Replaces every file of curves that `scene` names by what is in it. Names without a root are
/// looked for in `folder`.
pub fn resolve_curves(scene: &mut Scene, folder: &Path) -> Result<(), SceneError> {
    let with_file = scene
        .strands
        .iter()
        .enumerate()
        .filter(|(_, strand)| strand.file.is_some());
    let place = |(i, strand): (usize, &drystone_world::Strand)| match strand.name.as_str() {
        "" => Subject::named("strand", format!("strand-{i}")),
        name => Subject::named("strand", name),
    };
    // files are asked for in the order of the strands
    let mut places = with_file.map(place).collect::<Vec<_>>().into_iter();
    scene.for_each_strand_file(|file| {
        let place = places.next().unwrap_or_default();
        // an absolute name stays what it is
        let curves = read_curves(folder.join(file)).map_err(|e| {
            let found = match e.place {
                Some(at) => format!("`{file}` (line {}: {})", at.line, e.message),
                None => format!("`{file}` ({})", e.message),
            };
            let wanted = "a .hair or .usda file, found from the scene file's folder";
            SceneError::value(&place, "file", found, wanted)
        })?;
        let curve = |curve: Curve| FileCurve {
            points: curve.points.iter().map(|p| p.to_array()).collect(),
            radii: curve.radii,
            colour: curve.colour,
        };
        Ok(curves.into_iter().map(curve).collect())
    })
}

/// Says what is wrong with a curve, if something is.
pub(crate) fn fault(points: &[Vec3]) -> Option<String> {
    if points.len() < 2 {
        let count = points.len();
        return Some(format!("it has {count} points; wanted at least 2"));
    }
    let bad = points.iter().position(|p| !p.is_finite())?;
    let [x, y, z] = points[bad].to_array();
    Some(format!(
        "point {bad} is ({x}, {y}, {z}); wanted finite numbers"
    ))
}
