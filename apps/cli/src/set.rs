//! `--set KEY=VALUE`: one value of the scene changed.

use drystone_formats::set;
use drystone_world::Scene;

use crate::failure::Failure;

/// `scene` with one value changed; see [`set::apply`].
pub(crate) fn apply(scene: &Scene, assignment: &str) -> Result<Scene, Failure> {
    set::apply(scene, assignment)
        .map_err(|message| Failure::input(format!("--set {assignment}: {message}")))
}
