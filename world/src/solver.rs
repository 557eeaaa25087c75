//! How each system is solved: three equal sections of a scene, `[solver.rigid]`, `[solver.strand]` and
//! `[solver.cloth]`.
//!
//! They stand one level down because TOML cannot have a table `[strand]` of settings beside the list `[[strand]]` of
//! things. Words of files before that are still read, and written anew: [`OLD_WORDS`], and options of bodies right in
//! `[solver]`.

use drystone_rigid::Options;
use schemars::JsonSchema;
use serde::de::{Error, MapAccess};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::beside::{Beside, read_beside};
use crate::defaults::is_default;
use crate::{ClothOptions, Scene, StrandOptions, preset};

/// How each system is solved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Solvers {
    /// How bodies are stepped. Beside a `preset` every value that a file gives counts; in code, what differs from the
    /// default, and after [`Scene::settle_options`] all of it.
    #[serde(skip_serializing_if = "is_default", serialize_with = "preset::sparse")]
    pub rigid: Options,
    /// How strands are stepped: at least `steps_per_frame` steps of theirs for each frame of the scene, and more where
    /// their error asks for it.
    #[serde(skip_serializing_if = "is_default")]
    pub strand: StrandOptions,
    /// How cloth keeps its distance, and how its events are timed.
    #[serde(skip_serializing_if = "is_default")]
    pub cloth: ClothSolver,
}

/// How cloth keeps its distance, and how its events are timed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClothSolver {
    /// Distance at which cloth begins to push (penalty layers, Harmon 2012, §3), of every cloth that has no `thickness`
    /// of its own. If left out it follows from each cloth's mesh: about a quarter of the spacing of a sheet, less where
    /// it starts closer to something \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Stiffness of the outermost layer \[N/m\].
    pub stiffness: f64,
    /// Whether all cloth is chains and particles of the plane z = 0.
    #[serde(skip_serializing_if = "is_default")]
    pub plane: bool,
    /// Options of the event loop; in files their keys stand beside the others.
    #[serde(flatten)]
    pub events: ClothOptions,
}

impl Default for ClothSolver {
    fn default() -> Self {
        Self {
            thickness: None,
            stiffness: drystone_cloth::Contact::default().stiffness,
            plane: false,
            events: ClothOptions::default(),
        }
    }
}

/// Words that scene files had before, and the paths that have taken their place.
pub const OLD_WORDS: [(&str, &[&str]); 5] = [
    ("rigid_solver", &["solver", "rigid"]),
    ("strand_solver", &["solver", "strand"]),
    ("cloth_solver", &["solver", "cloth"]),
    ("cloth_contact", &["solver", "cloth"]),
    ("cloth_plane", &["solver", "cloth", "plane"]),
];

/// Options in `solver.rigid` that had another name before: the path to each, and the name that its last word has now.
/// Read from the first row to the last.
const RENAMED_OPTIONS: [(&[&str], &str); 5] = [
    (&["coursed"], "two_level"),
    (&["two-level"], "two_level"),
    (&["two_level", "coarse"], "solver"),
    (&["tuning", "worth"], "coarse_decrease"),
    (&["tuning", "stale"], "rebuild_fraction"),
];

/// The dotted path that `path` of a scene file means, in words of today.
pub fn today<'a>(path: &[&'a str]) -> Vec<&'a str> {
    // another word for the same
    if let ["material" | "contact", which, "dynamic_friction"] = path {
        return vec![path[0], which, "friction"];
    }
    let old = OLD_WORDS.iter().find(|(old, _)| path.first() == Some(old));
    let mut path = match (path, old) {
        (["solver", option, ..], _) if !Sections::KEYS.contains(option) => {
            [&["solver", "rigid"], &path[1..]].concat()
        }
        (_, Some((_, new))) => [*new, &path[1..]].concat(),
        _ => path.to_vec(),
    };
    if let ["solver", "rigid", options @ ..] = &mut path[..] {
        for (old, new) in RENAMED_OPTIONS {
            if options.starts_with(old) {
                options[old.len() - 1] = new;
            }
        }
    }
    path
}

/// Gives the options of `rigid`, as a file has them, the names of today.
pub(crate) fn rename_options(rigid: &mut Value) {
    for (old, new) in RENAMED_OPTIONS {
        let Some((last, tables)) = old.split_last() else {
            continue;
        };
        let table = tables
            .iter()
            .try_fold(&mut *rigid, |table, key| table.get_mut(key));
        if let Some(Value::Object(table)) = table
            && let Some(value) = table.remove(*last)
        {
            table.insert(new.into(), value);
        }
    }
}

/// The sections of a table `solver`; what else is there are options of bodies, as files had them before.
#[derive(Default)]
struct Sections {
    rigid: Option<Options>,
    strand: StrandOptions,
    cloth: ClothSolver,
}

impl<'de> Beside<'de> for Sections {
    const KEYS: &'static [&'static str] = &["rigid", "strand", "cloth"];

    fn read<M: MapAccess<'de>>(&mut self, key: &str, table: &mut M) -> Result<(), M::Error> {
        match key {
            "rigid" => self.rigid = Some(table.next_value()?),
            "strand" => self.strand = table.next_value()?,
            _ => self.cloth = table.next_value()?,
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Solvers {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut sections = Sections::default();
        let bare: Options = read_beside(from, &mut sections)?;
        let rigid = match sections.rigid {
            Some(_) if !is_default(&bare) => {
                return Err(D::Error::custom(
                    "options of bodies stand in `solver` and in `solver.rigid`; wanted all of them in `solver.rigid`",
                ));
            }
            Some(rigid) => rigid,
            None => bare,
        };
        Ok(Self {
            rigid,
            strand: sections.strand,
            cloth: sections.cloth,
        })
    }
}

/// Keys of `[solver.cloth]` apart from the options of the event loop.
#[derive(Default)]
struct Keeping(ClothSolver);

impl<'de> Beside<'de> for Keeping {
    const KEYS: &'static [&'static str] = &["thickness", "stiffness", "plane"];

    fn read<M: MapAccess<'de>>(&mut self, key: &str, table: &mut M) -> Result<(), M::Error> {
        match key {
            "thickness" => self.0.thickness = table.next_value()?,
            "stiffness" => self.0.stiffness = table.next_value()?,
            _ => self.0.plane = table.next_value()?,
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for ClothSolver {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut keeping = Keeping::default();
        let events = read_beside(from, &mut keeping)?;
        Ok(Self {
            events,
            ..keeping.0
        })
    }
}

/// Values that a scene file gives in words of older versions.
#[derive(Default)]
struct OldWords {
    rigid: Option<Options>,
    strand: Option<StrandOptions>,
    cloth: Option<ClothOptions>,
    contact: Option<OldContact>,
    plane: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct OldContact {
    thickness: Option<f64>,
    stiffness: Option<f64>,
}

impl<'de> Beside<'de> for OldWords {
    const KEYS: &'static [&'static str] = &[
        OLD_WORDS[0].0,
        OLD_WORDS[1].0,
        OLD_WORDS[2].0,
        OLD_WORDS[3].0,
        OLD_WORDS[4].0,
    ];

    fn read<M: MapAccess<'de>>(&mut self, key: &str, table: &mut M) -> Result<(), M::Error> {
        match key {
            "rigid_solver" => self.rigid = Some(table.next_value()?),
            "strand_solver" => self.strand = Some(table.next_value()?),
            "cloth_solver" => self.cloth = Some(table.next_value()?),
            "cloth_contact" => self.contact = Some(table.next_value()?),
            _ => self.plane = Some(table.next_value()?),
        }
        Ok(())
    }
}

impl OldWords {
    /// Moves what was said to where it belongs, unless something else is said there.
    fn settle<E: Error>(self, solver: &mut Solvers) -> Result<(), E> {
        let cloth = &mut solver.cloth;
        put(self.rigid, &mut solver.rigid, 0)?;
        put(self.strand, &mut solver.strand, 1)?;
        put(self.cloth, &mut cloth.events, 2)?;
        if let Some(old) = self.contact {
            put(Some(old.thickness), &mut cloth.thickness, 3)?;
            cloth.stiffness = old.stiffness.unwrap_or(cloth.stiffness);
        }
        put(self.plane, &mut cloth.plane, 4)
    }
}

/// Puts what an old word said where it belongs, unless something else is said there.
fn put<T: Default + PartialEq, E: Error>(
    said: Option<T>,
    place: &mut T,
    word: usize,
) -> Result<(), E> {
    let Some(said) = said else { return Ok(()) };
    if !is_default(place) && *place != said {
        let (old, new) = (OLD_WORDS[word].0, OLD_WORDS[word].1.join("."));
        return Err(E::custom(format!(
            "`{old}` says otherwise than `{new}`, which has taken its place; wanted one of them"
        )));
    }
    *place = said;
    Ok(())
}

/// A scene in words of today.
struct Today(Scene);

impl<'de> Deserialize<'de> for Today {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Scene::deserialize(from).map(Self)
    }
}

impl Serialize for Scene {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, to)
    }
}

impl<'de> Deserialize<'de> for Scene {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut old = OldWords::default();
        let Today(mut scene) = read_beside(from, &mut old)?;
        old.settle(&mut scene.solver)?;
        Ok(scene)
    }
}
