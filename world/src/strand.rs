//! A strand as a scene describes it, and the words to build one in Rust.

pub(crate) mod build;
mod fibre;
mod hold;

use drystone_base::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use drystone_common::{Profile, Ramp};
pub use fibre::Fibre;
pub use hold::{Anchor, Held, Hold, JointKey};

use crate::defaults::is_default;
use crate::error::{ensure, show};
use crate::shape::{FARTHEST, pose_of, validate_pose};
use crate::{Key, SceneError, Subject, Turn, UserData};

/// One strand (or as many as a file has curves): hair, a rope, an ear, a branched tree. Only its
/// points are needed; the rest is a human hair, clamped where it begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Strand {
    /// Unique in the scene; `strand-0` and so on if left out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its joints from root to tip, at least two \[m\].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<[f64; 3]>,
    /// Curves that grow from it or from each other.
    #[serde(rename = "branch", skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branch>,
    /// Instead of `points`: a `.hair` or `.usda` file, one strand for each curve in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Length of a unit of the file, where the file has none (`.hair`): 0.01 for centimetres \[m\].
    #[serde(skip_serializing_if = "is_metre")]
    pub metres_per_unit: f64,
    /// Which axis of the file points up, where the file does not say.
    #[serde(skip_serializing_if = "is_default")]
    pub up_axis: UpAxis,
    /// Use only every n-th curve of the file.
    #[serde(skip_serializing_if = "is_first")]
    pub every: u32,
    /// Number of segments of equal length that replace the points of the curve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u32>,
    /// The shape without load, where it differs from the start; as many points as `points` \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rest: Option<Vec<[f64; 3]>>,
    /// Hints for the x axis of each segment's frame, as many as segments; carried along without
    /// twist if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normals: Option<Vec<[f64; 3]>>,
    /// Where the frame of the points is at the start \[m\].
    #[serde(skip_serializing_if = "is_default")]
    pub position: [f64; 3],
    /// How it is turned, as a unit quaternion (x, y, z, w). Not together with `turn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// How it is turned, as an axis and an angle. Not together with `rotation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// What its root is fixed to: `"fixed"`, `{ path = [...] }` or `{ on = "body" }`.
    #[serde(skip_serializing_if = "is_default")]
    pub base: Base,
    /// Factor on the motion of the base as the strand feels it, over time \[1\].
    #[serde(default = "full", skip_serializing_if = "is_full")]
    pub time_scale: Ramp,
    /// Part of the motion of `reference` that is not felt, over time \[1\].
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub local_dynamics: Ramp,
    /// What `local_dynamics` is against: `{ path = [...] }` or `{ on = "body" }`.
    #[serde(skip_serializing_if = "is_default")]
    pub reference: Base,
    /// What it is made of.
    #[serde(skip_serializing_if = "Fibre::is_hair")]
    pub fibre: Fibre,
    /// Whether its segments touch each other, and those of other strands with this switch: for ropes, braids and
    /// knots. Materials say how they rub.
    #[serde(skip_serializing_if = "is_default")]
    pub collide_strands: bool,
    /// Whether it touches cloth, with force both ways. If left out it does, but for curves of a file. One that is tied to
    /// cloth passes through all of it; one with a `time_scale` or `local_dynamics` pushes and is not pushed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collide_cloth: Option<bool>,
    /// Stiffness of the first joint over `EI` per segment length: 2 is clamped, 0 a free ball joint
    /// \[1\].
    #[serde(default = "clamped", skip_serializing_if = "is_clamped")]
    pub root: f64,
    /// Take the start as a groom that already hangs under gravity: the shape without load is found so
    /// that nothing sags.
    #[serde(skip_serializing_if = "is_default")]
    pub zero_gravity: bool,
    /// Where the stiffness cannot hold the groom, it is raised to this multiple of the least that does
    /// \[1\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffen: Option<f64>,
    /// At the start, every joint is turned at random by up to this angle about each axis, after the shape without
    /// load was found: a test of whether a groom returns to its shape \[rad\]
    #[serde(skip_serializing_if = "is_default")]
    pub kick: f64,
    /// A pose to which it is pulled with `fibre.pose_strength`, over time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pose: Vec<PoseKey>,
    /// Constraints on it.
    #[serde(
        rename = "hold",
        alias = "constraint",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub holds: Vec<Hold>,
    /// Red, green and blue from 0 to 1; chosen by name if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colour: Option<[f64; 3]>,
    /// What a program or a file keeps with it; decides nothing.
    #[serde(skip_serializing_if = "UserData::is_empty")]
    pub user: UserData,
}

/// A curve that grows from another of the same strand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Branch {
    /// Index of the curve it grows from: 0, or that of an earlier branch counted from 1.
    #[serde(default, skip_serializing_if = "is_default")]
    pub curve: usize,
    /// Index of the point it grows from.
    pub point: usize,
    /// Its joints, the first of which is that point \[m\].
    pub points: Vec<[f64; 3]>,
    /// The fibre, where it is another than the strand's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fibre: Option<Fibre>,
    /// The shape without load, if it is not that of the start \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<Vec<[f64; 3]>>,
}

/// What moves the root of a strand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Base {
    /// Nothing.
    #[default]
    Fixed,
    /// Keys in order of time, joined so that velocity and acceleration are continuous; points are in
    /// its frame.
    Path(Vec<Key>),
    /// A body of the scene, from where the strand is at the start.
    On(String),
}

/// A pose at one time: as many points as the curves have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PoseKey {
    /// \[s\]
    pub time: f64,
    /// Points of the strand, as many as `points`; those of the start if left out \[m\].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub points: Vec<[f64; 3]>,
    /// Points of each branch; those of the start if left out \[m\].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Vec<[f64; 3]>>,
}

/// Which axis of a file points up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UpAxis {
    /// y is up, as in scenes.
    #[default]
    Y,
    /// (x, y, z) of the file is (x, z, −y) here.
    Z,
}

/// A curve as a file has it, for [`crate::Scene::for_each_strand_file`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileCurve {
    /// Points from root to tip \[m\].
    pub points: Vec<[f64; 3]>,
    /// Radius at each point, if the file has it \[m\].
    pub radii: Vec<f64>,
    /// Red, green and blue from 0 to 1, if the file says so.
    pub colour: Option<[f64; 3]>,
}

fn full() -> Ramp {
    1.0.into()
}

fn is_full(ramp: &Ramp) -> bool {
    ramp.is(1.0)
}

fn nothing() -> Ramp {
    0.0.into()
}

fn is_nothing(ramp: &Ramp) -> bool {
    ramp.is(0.0)
}

pub(crate) fn clamped() -> f64 {
    2.0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
pub(crate) fn is_clamped(root: &f64) -> bool {
    *root == 2.0
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_first(every: &u32) -> bool {
    *every == 1
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_metre(unit: &f64) -> bool {
    *unit == 1.0
}

impl Default for Strand {
    fn default() -> Self {
        Self {
            name: String::new(),
            points: Vec::new(),
            branches: Vec::new(),
            file: None,
            metres_per_unit: 1.0,
            up_axis: UpAxis::Y,
            every: 1,
            segments: None,
            rest: None,
            normals: None,
            position: [0.0; 3],
            rotation: None,
            turn: None,
            base: Base::Fixed,
            time_scale: full(),
            local_dynamics: nothing(),
            reference: Base::Fixed,
            fibre: Fibre::default(),
            collide_strands: false,
            collide_cloth: None,
            root: clamped(),
            zero_gravity: false,
            stiffen: None,
            kick: 0.0,
            pose: Vec::new(),
            holds: Vec::new(),
            colour: None,
            user: UserData::new(),
        }
    }
}

impl Strand {
    /// A hair through `points`, clamped at the first \[m\].
    pub fn through(points: impl IntoIterator<Item = [f64; 3]>) -> Self {
        Self {
            points: points.into_iter().collect(),
            ..Self::default()
        }
    }

    /// `segments` equal segments from `start` to `end` \[m\].
    pub fn straight(start: [f64; 3], end: [f64; 3], segments: u32) -> Self {
        let (a, b) = (Vec3::from(start), Vec3::from(end));
        let part = |k| (a + (b - a) * (f64::from(k) / f64::from(segments.max(1)))).to_array();
        Self::through((0..=segments.max(1)).map(part))
    }

    /// All curves of a `.hair` or `.usda` file.
    pub fn from_file(file: impl Into<String>) -> Self {
        Self {
            file: Some(file.into()),
            ..Self::default()
        }
    }

    /// Called `name`.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Its base goes along `keys`.
    #[must_use]
    pub fn along(mut self, keys: Vec<Key>) -> Self {
        self.base = Base::Path(keys);
        self
    }

    /// Adds a constraint.
    #[must_use]
    pub fn hold(mut self, hold: Hold) -> Self {
        self.holds.push(hold);
        self
    }

    /// Does not sag: its start is what gravity makes of its shape without load.
    #[must_use]
    pub fn zero_gravity(mut self, stiffen: Option<f64>) -> Self {
        (self.zero_gravity, self.stiffen) = (true, stiffen);
        self
    }

    /// Pose of the frame of its points at the start; on a path, that of the first key.
    pub fn pose(&self) -> Pose {
        match &self.base {
            Base::Path(keys) if !keys.is_empty() => keys[0].pose(),
            _ => pose_of(self.position, self.rotation, self.turn),
        }
    }

    /// How many segments it has.
    pub fn count(&self) -> u64 {
        let own = self
            .segments
            .map_or(self.points.len().saturating_sub(1), |n| n as usize);
        let branches = self
            .branches
            .iter()
            .map(|b| b.points.len().saturating_sub(1));
        (own + branches.sum::<usize>()) as u64
    }

    /// Whether it touches cloth, unless it is tied to some.
    pub(crate) fn collides_cloth(&self) -> bool {
        self.collide_cloth.unwrap_or(self.file.is_none())
    }

    /// The strand as errors name it.
    pub(crate) fn place(&self) -> Subject {
        Subject::named("strand", &self.name)
    }

    /// The strands of the file's `curves`, named after this one.
    fn of_file(&self, name: &str, curves: Vec<FileCurve>) -> Vec<Self> {
        let every = self.every.max(1) as usize;
        let chosen = curves.into_iter().enumerate().step_by(every);
        let (unit, up) = (self.metres_per_unit, self.up_axis);
        let sound = unit > 0.0 && unit.is_finite();
        let strand = |(k, mut curve): (usize, FileCurve)| {
            for p in &mut curve.points {
                let [x, y, z] = p.map(|x| x * unit);
                *p = if up == UpAxis::Z {
                    [x, z, -y]
                } else {
                    [x, y, z]
                };
            }
            curve.radii.iter_mut().for_each(|radius| *radius *= unit);
            let mut strand = Self {
                name: format!("{name}/{k}"),
                file: None,
                collide_cloth: Some(self.collides_cloth()),
                // a unit that makes no sense is left for `validate` to find
                metres_per_unit: if sound { 1.0 } else { unit },
                up_axis: UpAxis::Y,
                every: 1,
                colour: self.colour.or(curve.colour),
                ..self.clone()
            };
            if curve.radii.len() == curve.points.len() && curve.radii.len() > 1 {
                strand.fibre.radius.along.keys = along_arc(&curve.points, &curve.radii);
            }
            strand.points = curve.points;
            strand
        };
        chosen.map(strand).collect()
    }

    /// Its points, resampled to `segments` equal segments if that is given.
    pub(crate) fn even_points(&self) -> Vec<[f64; 3]> {
        match self.segments {
            Some(n) if self.points.len() > 1 && n > 0 => evenly(&self.points, n),
            _ => self.points.clone(),
        }
    }

    /// Checks what the strand system does not check.
    pub(crate) fn validate(&self) -> Result<(), SceneError> {
        let place = &self.place();
        // file and units
        if let Some(file) = &self.file {
            let found = format!("\"{file}\", which was not read");
            return Err(SceneError::value(
                place,
                "file",
                found,
                "a file that a reader puts in",
            ));
        }
        let unit = self.metres_per_unit;
        if !(unit > 0.0 && unit.is_finite()) {
            let wanted = "more than zero, 0.01 for centimetres";
            return Err(SceneError::value(place, "metres_per_unit", unit, wanted));
        }
        let wanted = "it left out beside `points`, which are in metres with y up";
        ensure(unit == 1.0, place, "metres_per_unit", unit, wanted)?;
        ensure(self.up_axis == UpAxis::Y, place, "up_axis", "z", wanted)?;
        validate_pose(place, self.position, self.rotation, self.turn)?;
        // curves
        let curves = std::iter::once(&self.points).chain(self.branches.iter().map(|b| &b.points));
        for (c, points) in curves.enumerate() {
            let field = match c {
                0 => "points".to_owned(),
                c => format!("branch {c}, points"),
            };
            let found = format!("{} long", points.len());
            ensure(
                points.len() >= 2,
                place,
                &field,
                found,
                "at least two points",
            )?;
            if let Some(p) = points
                .iter()
                .find(|p| !p.iter().all(|x| x.abs() <= FARTHEST))
            {
                let wanted = "finite numbers of at most 1e6 m";
                return Err(SceneError::value(place, field, show(p), wanted));
            }
        }
        if let Some(n) = self.segments {
            place.within("segments", n.into(), 1.0..=1e5, "")?;
            let whole = self.branches.is_empty() && self.rest.is_none() && self.normals.is_none();
            let wanted = "it left out beside `branch`, `rest` or `normals`";
            ensure(whole, place, "segments", n, wanted)?;
        }
        // what it is on
        for (field, base) in [("base", &self.base), ("reference", &self.reference)] {
            if let Base::Path(keys) = base {
                crate::body::validate_keys(place, &format!("{field}.path"), keys)?;
            }
        }
        // controls and looks
        if let Some(margin) = self.stiffen {
            let fine = (1.0..=1e6).contains(&margin);
            ensure(fine, place, "stiffen", margin, "a factor from 1 to 1e6")?;
        }
        place.within("kick", self.kick, 0.0..=1.0, "rad")?;
        place.colour(self.colour)?;
        ensure(
            (0.0..=1e12).contains(&self.root),
            place,
            "root",
            self.root,
            "0 (a free ball joint) to 1e12; 2 is clamped",
        )
    }
}

impl Branch {
    /// Grows from point `point` of curve `curve` through `points` \[m\].
    pub fn new(curve: usize, point: usize, points: Vec<[f64; 3]>) -> Self {
        Self {
            curve,
            point,
            points,
            fibre: None,
            rest: None,
        }
    }
}

impl crate::Scene {
    /// Calls `read` with every file of strands, and puts what is in it in its place, until it fails:
    /// one strand for each curve, called `NAME/0` and so on.
    pub fn for_each_strand_file<E>(
        &mut self,
        mut read: impl FnMut(&str) -> Result<Vec<FileCurve>, E>,
    ) -> Result<(), E> {
        let mut strands = Vec::with_capacity(self.strands.len());
        for (i, strand) in std::mem::take(&mut self.strands).into_iter().enumerate() {
            let Some(file) = &strand.file else {
                strands.push(strand);
                continue;
            };
            let curves = read(file)?;
            let name = match strand.name.as_str() {
                "" => format!("strand-{i}"),
                name => name.to_owned(),
            };
            strands.extend(strand.of_file(&name, curves));
        }
        self.strands = strands;
        Ok(())
    }
}

/// Arc length up to each point, and in all \[m\].
fn arc(points: &[[f64; 3]]) -> (Vec<f64>, f64) {
    let mut total = 0.0;
    let mut before = points.first().copied().unwrap_or_default();
    let mut at = Vec::with_capacity(points.len());
    for &p in points {
        total += (Vec3::from(p) - Vec3::from(before)).length();
        at.push(total);
        before = p;
    }
    (at, total)
}

/// `values` at the points as pairs with the fraction of arc length; points that coincide count once.
fn along_arc(points: &[[f64; 3]], values: &[f64]) -> Vec<[f64; 2]> {
    let (at, total) = arc(points);
    let mut keys: Vec<[f64; 2]> = Vec::new();
    for (s, value) in at.iter().zip(values) {
        let s = s / total.max(f64::MIN_POSITIVE);
        if keys.last().is_none_or(|key| s > key[0]) {
            keys.push([s, *value]);
        }
    }
    keys
}

/// `n` pieces of equal length along the polyline through `points`.
fn evenly(points: &[[f64; 3]], n: u32) -> Vec<[f64; 3]> {
    let (at, total) = arc(points);
    let place = |k: u32| {
        let s = total * (f64::from(k) / f64::from(n));
        let after = at.partition_point(|a| *a < s).clamp(1, points.len() - 1);
        let (a, b) = (Vec3::from(points[after - 1]), Vec3::from(points[after]));
        let span = (at[after] - at[after - 1]).max(f64::MIN_POSITIVE);
        (a + (b - a) * ((s - at[after - 1]) / span).clamp(0.0, 1.0)).to_array()
    };
    (0..=n).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_points_keep_ends_and_length() {
        let points = [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 3.0, 0.0]];
        let even = evenly(&points, 8);
        assert_eq!((even[0], even[8]), (points[0], points[3]));
        assert_eq!(even[2], [1.0, 0.0, 0.0]);
        assert_eq!(even[5], [1.0, 1.5, 0.0]);
    }

    #[test]
    fn a_file_becomes_one_strand_for_each_curve() {
        let mut scene = crate::Scene::new();
        let mut hair = Strand::from_file("x.hair").named("hair");
        hair.every = 2;
        scene.strands.push(hair);
        let curve = |x: f64| FileCurve {
            points: vec![[x, 0.0, 0.0], [x, -0.1, 0.0], [x, -0.3, 0.0]],
            radii: vec![3e-5, 2e-5, 1e-5],
            colour: None,
        };
        let read = |file: &str| {
            assert_eq!(file, "x.hair");
            Ok::<_, ()>(vec![curve(0.0), curve(1.0), curve(2.0)])
        };
        assert_eq!(scene.for_each_strand_file(read), Ok(()));
        let names: Vec<&str> = scene.strands.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["hair/0", "hair/2"]);
        assert_eq!(scene.strands[1].points[2], [2.0, -0.3, 0.0]);
        let radius = &scene.strands[0].fibre.radius.along;
        assert!((radius.at(1.0 / 3.0) - 2e-5).abs() < 1e-12);
    }

    #[test]
    fn a_file_in_centimetres_with_z_up_is_turned_and_scaled() {
        let mut hair = Strand::from_file("x.hair").named("hair");
        (hair.metres_per_unit, hair.up_axis) = (0.01, UpAxis::Z);
        let text = serde_json::to_string(&hair).unwrap_or_default();
        assert!(
            text.contains(r#""metres_per_unit":0.01,"up_axis":"z""#),
            "{text}"
        );
        let curve = FileCurve {
            points: vec![[1.0, 2.0, 30.0], [1.0, 2.0, 20.0]],
            radii: vec![4e-3, 2e-3],
            colour: None,
        };
        let strands = hair.of_file("hair", vec![curve.clone()]);
        assert_eq!(strands[0].points, [[0.01, 0.3, -0.02], [0.01, 0.2, -0.02]]);
        assert!((strands[0].fibre.radius.along.at(0.0) - 4e-5).abs() < 1e-18);
        assert!(strands[0].validate().is_ok());
        // beside points in metres it has no meaning
        let refused = |strand: &Strand| strand.validate().err().map(|e| e.to_string());
        let mut given = Strand::straight([0.0; 3], [1.0, 0.0, 0.0], 2);
        given.metres_per_unit = 0.01;
        let text = refused(&given).unwrap_or_default();
        assert!(text.contains("metres_per_unit"), "{text}");
        for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            hair.metres_per_unit = unit;
            let strands = hair.of_file("hair", vec![curve.clone()]);
            let text = refused(&strands[0]).unwrap_or_default();
            assert!(text.contains("metres_per_unit"), "{unit}: {text}");
        }
    }
}
