//! Strands by the dozen: a pattern, and what its strands have in common.

mod growth;
mod wood;

use drystone_base::random::Random;
use drystone_base::{Pose, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use growth::{Braid, Curl, GroomPatch, Lanterns, Row, Scalp};
pub use wood::Tree;

use crate::defaults::is_default;
use crate::generator::Checks;
use crate::shape::{pose_of, validate_pose};
use crate::strand::{Base, Branch, Fibre, Hold, Ramp, Strand};
use crate::{Body, SceneError, Subject, Turn, UserData};

/// Many strands in one entry. Only the pattern is needed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Groom {
    /// Begins the name of each strand, as in `fringe/3`; called after the pattern if left out.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What grows.
    pub pattern: GroomPattern,
    /// Where the pattern's origin is; that of the body which the strands are on if left out, or of
    /// the world \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// How the whole is turned, as a unit quaternion (x, y, z, w). Not together with `turn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// How the whole is turned, as an axis and an angle. Not together with `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// What the roots are fixed to: `"fixed"`, `{ path = [...] }` or `{ on = "body" }`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub base: Base,
    /// Factor on the motion of the base as the strands feel it, over time \[1\].
    #[serde(default = "full", skip_serializing_if = "is_full")]
    pub time_scale: Ramp,
    /// Part of the motion of `reference` that is not felt, over time \[1\].
    #[serde(default = "nothing", skip_serializing_if = "is_nothing")]
    pub local_dynamics: Ramp,
    /// What `local_dynamics` is against: `{ path = [...] }` or `{ on = "body" }`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reference: Base,
    /// What the strands are made of.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fibre: Fibre,
    /// Whether the strands touch cloth, with force both ways; see [`Strand::collide_cloth`].
    #[serde(default, skip_serializing_if = "is_default")]
    pub collide_cloth: bool,
    /// Stiffness of the first joint over `EI` per segment length: 2 is clamped, 0 a free ball joint
    /// \[1\].
    #[serde(
        default = "crate::strand::clamped",
        skip_serializing_if = "crate::strand::is_clamped"
    )]
    pub root: f64,
    /// Take the start as a groom that already hangs under gravity.
    #[serde(default, skip_serializing_if = "is_default")]
    pub zero_gravity: bool,
    /// Where the stiffness cannot hold the groom, raise it to this many times the least that does
    /// \[1\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stiffen: Option<f64>,
    /// Constraints on each strand.
    #[serde(default, rename = "hold", skip_serializing_if = "Vec::is_empty")]
    pub holds: Vec<Hold>,
    /// Red, green and blue from 0 to 1; chosen by name if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub colour: Option<[f64; 3]>,
    /// What a program or a file keeps with each; decides nothing.
    #[serde(default, skip_serializing_if = "UserData::is_empty")]
    pub user: UserData,
    /// Where the random numbers of this groom start, beside the seed of the scene.
    #[serde(default, skip_serializing_if = "is_default")]
    pub seed: u32,
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

/// What grows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum GroomPattern {
    /// Side by side along x: bangs, a fringe.
    Row(Row),
    /// On a rectangle: fur, grass, a brush.
    Patch(GroomPatch),
    /// On the upper part of a ball, combed down over it: hair on a head.
    Scalp(Scalp),
    /// Branched, one or many.
    Tree(Tree),
    /// Locks wound about each other.
    Braid(Braid),
    /// Cords with something heavy at their ends.
    Lanterns(Lanterns),
}

/// One strand of a pattern, in the pattern's frame.
pub(crate) struct Sprout {
    pub points: Vec<Vec3>,
    pub branches: Vec<(usize, usize, Vec<Vec3>, Fibre)>,
    /// The fibre, where it is another than the groom's.
    pub fibre: Option<Fibre>,
}

impl Sprout {
    fn of(points: Vec<Vec3>) -> Self {
        Self {
            points,
            branches: Vec::new(),
            fibre: None,
        }
    }
}

impl Groom {
    /// A pattern of hair at the origin, on a base that does not move.
    pub fn new(name: impl Into<String>, pattern: GroomPattern) -> Self {
        Self {
            name: name.into(),
            pattern,
            position: None,
            rotation: None,
            turn: None,
            base: Base::Fixed,
            time_scale: full(),
            local_dynamics: nothing(),
            reference: Base::Fixed,
            fibre: Fibre::default(),
            collide_cloth: false,
            root: crate::strand::clamped(),
            zero_gravity: false,
            stiffen: None,
            holds: Vec::new(),
            colour: None,
            user: UserData::new(),
            seed: 0,
        }
    }

    /// Does not sag: the start is what gravity makes of the shape without load.
    #[must_use]
    pub fn zero_gravity(mut self, stiffen: Option<f64>) -> Self {
        (self.zero_gravity, self.stiffen) = (true, stiffen);
        self
    }

    /// The groom as errors name it.
    pub(crate) fn place(&self) -> Subject {
        let name = match self.name.as_str() {
            "" => self.pattern.kind(),
            name => name,
        };
        Subject::named("groom", name)
    }

    /// Number of segments that it makes, estimated.
    pub(crate) fn count(&self) -> u64 {
        let times = |a: u32, b: u32| u64::from(a).saturating_mul(u64::from(b));
        let (strands, segments) = match &self.pattern {
            GroomPattern::Row(p) => (u64::from(p.count), p.segments),
            GroomPattern::Patch(p) => (times(p.counts[0], p.counts[1]), p.segments),
            GroomPattern::Scalp(p) => {
                let most = p.segments.saturating_add(p.more_segments);
                (u64::from(p.count), most)
            }
            GroomPattern::Tree(p) => (times(p.counts[0], p.counts[1]), p.segments[1]),
            GroomPattern::Braid(p) => (u64::from(p.locks), p.segments),
            GroomPattern::Lanterns(p) => (u64::from(p.count), p.segments.saturating_add(1)),
        };
        strands.saturating_mul(u64::from(segments))
    }

    /// Its strands, with names that begin with its own; it is the `index`-th of its scene.
    pub(crate) fn expand(
        &self,
        index: usize,
        seed: u64,
        bodies: &[Body],
    ) -> Result<Vec<Strand>, SceneError> {
        let place = self.place();
        let position = self.position.unwrap_or_default();
        validate_pose(&place, position, self.rotation, self.turn)?;
        let checks = Checks::new(&place, self.pattern.kind());
        let mut random = Random::new(
            seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .wrapping_add(0x5712_A4D0 + index as u64),
        );
        let sprouts = match &self.pattern {
            GroomPattern::Row(p) => p.sprouts(&checks),
            GroomPattern::Patch(p) => p.sprouts(&checks, &mut random),
            GroomPattern::Scalp(p) => p.sprouts(&checks, &mut random),
            GroomPattern::Tree(p) => p.sprouts(&checks, &mut random, &self.fibre),
            GroomPattern::Braid(p) => p.sprouts(&checks),
            GroomPattern::Lanterns(p) => p.sprouts(&checks, &self.fibre),
        }?;
        let name = match self.name.as_str() {
            "" if index == 0 => self.pattern.kind().to_owned(),
            "" => format!("{}-{index}", self.pattern.kind()),
            name => name.to_owned(),
        };
        let mut whole = pose_of(position, self.rotation, self.turn);
        if let (Base::On(on), None) = (&self.base, self.position)
            && let Some(body) = bodies.iter().find(|body| body.name == *on)
        {
            whole = body.pose().then(&whole);
        }
        let strands = sprouts.into_iter().enumerate();
        Ok(strands
            .map(|(k, sprout)| self.strand(format!("{name}/{k}"), sprout, &whole))
            .collect())
    }

    fn strand(&self, name: String, sprout: Sprout, whole: &Pose) -> Strand {
        // the root is the origin of the points, so that a file stays readable
        let root = sprout.points.first().copied().unwrap_or(Vec3::ZERO);
        // on a path the points are in the path's frame, wherever the pattern is in it
        let on_path = matches!(self.base, Base::Path(_));
        let place = |points: Vec<Vec3>| -> Vec<[f64; 3]> {
            let place = |p: &Vec3| if on_path { whole.point(*p) } else { *p - root };
            points.iter().map(|p| place(p).to_array()).collect()
        };
        let branch = |(curve, point, points, fibre)| Branch {
            fibre: Some(fibre),
            ..Branch::new(curve, point, place(points))
        };
        let turned = whole.rotation != drystone_base::Quat::IDENTITY;
        Strand {
            name,
            points: place(sprout.points),
            branches: sprout.branches.into_iter().map(branch).collect(),
            position: whole.point(root).to_array(),
            rotation: turned.then(|| whole.rotation.to_array()),
            base: self.base.clone(),
            time_scale: self.time_scale.clone(),
            local_dynamics: self.local_dynamics.clone(),
            reference: self.reference.clone(),
            fibre: sprout.fibre.unwrap_or_else(|| self.fibre.clone()),
            collide_cloth: Some(self.collide_cloth),
            root: self.root,
            zero_gravity: self.zero_gravity,
            stiffen: self.stiffen,
            holds: self.holds.clone(),
            colour: self.colour,
            user: self.user.clone(),
            ..Strand::default()
        }
    }
}

impl GroomPattern {
    /// In one word, as in a scene file.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Row(_) => "row",
            Self::Patch(_) => "patch",
            Self::Scalp(_) => "scalp",
            Self::Tree(_) => "tree",
            Self::Braid(_) => "braid",
            Self::Lanterns(_) => "lanterns",
        }
    }
}
