//! Options by name, and the values given beside it.

use drystone_rigid::Options;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::solver::rename_options;
use crate::{Scene, SceneError, today};

impl Scene {
    /// The options in force: those of the preset, with whatever `solver.rigid` sets otherwise than the default.
    pub fn options(&self) -> Result<Options, SceneError> {
        self.solver.rigid.validate()?;
        self.options_with(&differing(&self.solver.rigid).map_err(broken)?)
    }

    /// Replaces the preset by the options in force, and returns them: whatever is set in them
    /// afterwards counts, be it the default or not.
    pub fn settle_options(&mut self) -> Result<&mut Options, SceneError> {
        self.solver.rigid = self.options()?;
        self.preset = None;
        Ok(&mut self.solver.rigid)
    }

    /// Lets every value count that `file` gives for `solver.rigid`, as data from which this scene was read, also one
    /// that is the default and differs from the preset. The preset is then replaced by the options in force.
    pub fn settle_given(&mut self, file: &Value) -> Result<(), SceneError> {
        let mut given = Value::Object(Map::new());
        for (key, value) in file.as_object().into_iter().flatten() {
            match (key.as_str(), value) {
                ("rigid_solver", value) => overlay(&mut given, value),
                ("solver", Value::Object(table)) => {
                    for (key, value) in table {
                        // a section, or options of bodies as files had them before
                        match today(&["solver", key])[..] {
                            ["solver", "rigid"] => overlay(&mut given, value),
                            ["solver", "rigid", key] => given[key] = value.clone(),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        // or a value would stand under both names beside the preset
        rename_options(&mut given);
        let wanted = self.options_with(&given)?;
        if self.preset.is_some() && self.options()? != wanted {
            (self.solver.rigid, self.preset) = (wanted, None);
        }
        Ok(())
    }

    /// The options of the preset, or the default ones, overridden by each value of `given`.
    fn options_with(&self, given: &Value) -> Result<Options, SceneError> {
        let options = match &self.preset {
            None => return Ok(self.solver.rigid.clone()),
            Some(name) => Options::preset(name)
                .ok_or_else(|| SceneError::unknown("scene", "preset", name, Options::PRESETS))?,
        };
        let mut merged = serde_json::to_value(options).map_err(broken)?;
        overlay(&mut merged, given);
        serde_json::from_value(merged).map_err(broken)
    }
}

fn broken(error: serde_json::Error) -> SceneError {
    SceneError::value("scene", "solver.rigid", error, "options")
}

/// Writes the values of `options` that are not the default.
pub(crate) fn sparse<S: Serializer>(options: &Options, to: S) -> Result<S::Ok, S::Error> {
    let own = differing(options).map_err(serde::ser::Error::custom)?;
    own.serialize(to)
}

/// The values of `options` that are not the default.
fn differing(options: &Options) -> Result<Value, serde_json::Error> {
    let mut own = serde_json::to_value(options)?;
    prune(&mut own, &serde_json::to_value(Options::default())?);
    Ok(own)
}

/// Takes out of a table what is the same in `default`.
fn prune(own: &mut Value, default: &Value) {
    if let (Value::Object(own), Value::Object(default)) = (own, default) {
        own.retain(|key, value| match default.get(key) {
            Some(same) if *same == *value => false,
            Some(other) => {
                prune(value, other);
                true
            }
            None => true,
        });
    }
}

/// Puts each leaf of `own` into `target`.
fn overlay(target: &mut Value, own: &Value) {
    match (target, own) {
        (Value::Object(target), Value::Object(own)) => {
            for (key, value) in own {
                overlay(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, own) => target.clone_from(own),
    }
}
