//! From the word on the command line to the scene that runs.

use std::path::{Path, PathBuf};

use drystone_formats::{explain, read_scene};
use drystone_rigid::Stepper;
use drystone_world::{Scene, SceneError, World};

use crate::arguments::Adjust;
use crate::failure::Failure;
use crate::set;

/// A scene, where it came from, and what to call it.
pub(crate) struct Found {
    pub(crate) scene: Scene,
    /// Its file, unless it is of the gallery.
    file: Option<PathBuf>,
    /// Stem of output files without a name of their own.
    pub(crate) name: String,
}

/// The gallery's scene or the scene file called `word`, changed as asked.
pub(crate) fn find(word: &str, adjust: &Adjust) -> Result<Found, Failure> {
    let mut found = look_up(word)?;
    found.scene = adjusted(found.scene, adjust)?;
    Ok(found)
}

impl Found {
    /// The scene come alive.
    pub(crate) fn world(&self) -> Result<World, Failure> {
        World::new(&self.scene).map_err(|error| self.failure(&error))
    }

    /// `error` with its place in the scene's file, if it has one.
    pub(crate) fn failure(&self, error: &SceneError) -> Failure {
        match &self.file {
            Some(file) => explain(file, error).into(),
            None => error.into(),
        }
    }
}

/// There is no scene `word`, and what may be meant.
pub(crate) fn unknown(word: &str) -> Failure {
    let hint = match drystone_gallery::suggest(word) {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "`drystone list` names those of the gallery; a scene file ends in .toml or .json".into()
        }
    };
    Failure::input(format!("there is no scene `{word}`; {hint}"))
}

fn look_up(word: &str) -> Result<Found, Failure> {
    if let Some(entry) = drystone_gallery::find(word) {
        return Ok(Found {
            scene: (entry.build)(),
            file: None,
            name: entry.name.into(),
        });
    }
    let path = Path::new(word);
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let like_a_file = matches!(ending.as_deref(), Some("toml" | "json"));
    if !like_a_file && !path.exists() {
        return Err(unknown(word));
    }
    let mut scene = read_scene(path)?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned());
    let name = stem.unwrap_or_else(|| "scene".into());
    if scene.name.is_empty() {
        scene.name.clone_from(&name);
    }
    Ok(Found {
        scene,
        file: Some(path.to_owned()),
        name,
    })
}

/// `scene` with all that the command line says otherwise.
pub(crate) fn adjusted(mut scene: Scene, adjust: &Adjust) -> Result<Scene, Failure> {
    if let Some(preset) = &adjust.preset {
        scene.preset = Some(preset.clone());
    }
    for assignment in &adjust.set {
        scene = set::apply(&scene, assignment)?;
    }
    if let Some(name) = &adjust.stepper {
        let known = Stepper::ALL.map(Stepper::name);
        let stepper = serde_json::from_value(name.as_str().into()).ok();
        scene.settle_options()?.stepper =
            stepper.ok_or_else(|| SceneError::unknown("--stepper", "stepper", name, known))?;
    }
    if let Some(seconds) = adjust.seconds {
        scene.duration = seconds;
    }
    if let Some(metres) = adjust.perturb {
        scene = scene.perturbed(metres, adjust.seed.unwrap_or(1))?;
    }
    Ok(scene)
}

/// Uses that many threads from now on, if a number is given.
pub(crate) fn use_threads(adjust: &Adjust) -> Result<(), Failure> {
    let Some(threads) = adjust.threads else {
        return Ok(());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.into())
        .build_global()
        .map_err(|error| Failure::input(format!("--threads {threads}: {error}")))
}
