//! What a strand is made of, and how that becomes the strand system's parameters.

use std::collections::BTreeMap;

use drystone_common::{Materials, Profile, Ramp};
use drystone_strand as strand;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SceneError;
use crate::Subject;
use crate::build::find_material;
use crate::defaults::is_default;
use crate::error::ensure;

/// What a strand is made of. Everything may be left out: a human hair in still air. Each quantity is
/// a number, or pairs of the fraction of arc length and the value there, or `{ along, over_time }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fibre {
    /// Radius of the round cross-section \[m\].
    pub radius: Profile,
    /// Mass per volume; 1300 if neither it nor `mass_per_length` is given \[kg/m³\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density: Option<Profile>,
    /// Mass per length; not together with `density` \[kg/m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mass_per_length: Option<Profile>,
    /// Young's modulus; 4e9 if neither it nor `bend_stiffness` is given \[Pa\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub young: Option<Profile>,
    /// Poisson's ratio, which decides the stiffness of twisting \[1\].
    pub poisson: f64,
    /// `EI` of bending about a segment's x axis; not together with `young` \[N m²\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bend_stiffness: Option<Profile>,
    /// `GJ`; of a round rod with Poisson's ratio if left out \[N m²\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twist_stiffness: Option<Profile>,
    /// `EI` of bending about a segment's z axis over that about x: other than 1 for a ribbon \[1\].
    pub bend_ratio: Profile,
    /// Damping of bending over its stiffness \[s\].
    pub bend_damping: Profile,
    /// Damping of twisting over its stiffness \[s\].
    pub twist_damping: Profile,
    /// Drag of the air per length, across the strand; wind acts through it \[N s/m²\].
    pub drag: Profile,
    /// Drag along the strand over drag across it \[1\].
    pub drag_ratio: Profile,
    /// Factor on gravity \[1\].
    pub gravity: Profile,
    /// Factor on every field \[1\].
    pub field_weight: Profile,
    /// Factors on single fields, by name \[1\].
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Profile>,
    /// Spring to where the pose has each point \[N/m\].
    pub pose_strength: Profile,
    /// Damper to where the pose has each point \[N s/m\].
    pub pose_damping: Profile,
    /// `EA`; a strand without it keeps its length \[N\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stretch_stiffness: Option<Profile>,
    /// Damping of stretching over its stiffness \[s\].
    pub stretch_damping: Profile,
    /// Factor on the friction of what it touches \[1\].
    pub friction: Profile,
    /// Factor on the restitution of what it hits \[1\].
    pub restitution: Profile,
    /// Name of the material of its surface: friction and restitution then follow from it and the material of what it
    /// touches, as between bodies. Without one they are those of what it touches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_material: Option<String>,
}

/// Density of whatever names none: hair \[kg/m³\].
const DENSITY: f64 = 1300.0;
/// Young's modulus of whatever names none: hair \[Pa\].
const YOUNG: f64 = 4e9;

impl Default for Fibre {
    fn default() -> Self {
        Self {
            radius: 40e-6.into(),
            density: None,
            mass_per_length: None,
            young: None,
            poisson: 0.25,
            bend_stiffness: None,
            twist_stiffness: None,
            bend_ratio: 1.0.into(),
            bend_damping: 2e-3.into(),
            twist_damping: 2e-3.into(),
            drag: 0.0.into(),
            drag_ratio: 1.0.into(),
            gravity: 1.0.into(),
            field_weight: 1.0.into(),
            fields: BTreeMap::new(),
            pose_strength: 0.0.into(),
            pose_damping: 0.0.into(),
            stretch_stiffness: None,
            stretch_damping: 2e-3.into(),
            friction: 1.0.into(),
            restitution: 1.0.into(),
            contact_material: None,
        }
    }
}

impl Fibre {
    /// A round rod: radius \[m\], Young's modulus \[Pa\] and density \[kg/m³\].
    pub fn rod(radius: f64, young: f64, density: f64) -> Self {
        Self {
            radius: radius.into(),
            young: Some(young.into()),
            density: Some(density.into()),
            ..Self::default()
        }
    }

    /// A thread of given mass per length \[kg/m\], `EI` and `GJ` \[N m²\], as thick as hair.
    pub fn thread(mass_per_length: f64, bend_stiffness: f64, twist_stiffness: f64) -> Self {
        Self {
            mass_per_length: Some(mass_per_length.into()),
            bend_stiffness: Some(bend_stiffness.into()),
            twist_stiffness: Some(twist_stiffness.into()),
            ..Self::default()
        }
    }

    /// Scales the radius by `root` at the root and by `tip` at the tip, linearly between \[1\].
    #[must_use]
    pub fn tapered(mut self, root: f64, tip: f64) -> Self {
        let mut places: Vec<f64> = vec![0.0, 1.0];
        places.extend(self.radius.along.keys.iter().map(|key| key[0]));
        places.retain(|s| (0.0..=1.0).contains(s));
        places.sort_by(f64::total_cmp);
        places.dedup();
        let key = |&s: &f64| [s, self.radius.along.at(s) * (root + (tip - root) * s)];
        self.radius.along.keys = places.iter().map(key).collect();
        self
    }

    /// As the strand system wants it; `place` is what errors call the strand.
    /// As the strand system wants it, with its surface among `materials`.
    pub(crate) fn built(
        &self,
        place: &Subject,
        materials: &Materials,
    ) -> Result<strand::Parameters, SceneError> {
        let find = |name| find_material(materials, place.clone(), name);
        Ok(strand::Parameters {
            material: self.contact_material.as_deref().map(find).transpose()?,
            ..self.parameters(place)?
        })
    }

    pub(crate) fn parameters(&self, place: &Subject) -> Result<strand::Parameters, SceneError> {
        let refuse = |field: &str, found: &str, wanted: &str| {
            Err(SceneError::value(
                place,
                format!("fibre.{field}"),
                found,
                wanted,
            ))
        };
        // one way to say each thing
        if self.density.is_some() && self.mass_per_length.is_some() {
            return refuse(
                "mass_per_length",
                "given beside `density`",
                "only one of the two",
            );
        }
        if self.young.is_some() && self.bend_stiffness.is_some() {
            return refuse(
                "bend_stiffness",
                "given beside `young`",
                "only one of the two",
            );
        }
        let derived = self.mass_per_length.is_none()
            || self.bend_stiffness.is_none()
            || self.twist_stiffness.is_none();
        if derived && self.radius.is_animated() {
            return refuse(
                "radius",
                "changing in time",
                "`mass_per_length`, `bend_stiffness` and `twist_stiffness` beside it",
            );
        }
        ensure(
            self.poisson > -1.0 && self.poisson <= 0.5,
            place,
            "fibre.poisson",
            self.poisson,
            "more than -1 and at most 0.5",
        )?;
        // mass and stiffness of the cross-section
        let (pi, fallback) = (std::f64::consts::PI, |x: f64| Profile::from(x));
        let mass = match &self.mass_per_length {
            Some(mass) => mass.clone(),
            None => {
                let density = self.density.clone().unwrap_or_else(|| fallback(DENSITY));
                self.section(&density, |r| pi * r * r)
            }
        };
        let bend = match &self.bend_stiffness {
            Some(bend) => bend.clone(),
            None => {
                let young = self.young.clone().unwrap_or_else(|| fallback(YOUNG));
                self.section(&young, |r| 0.25 * pi * r * r * r * r)
            }
        };
        let twist = match &self.twist_stiffness {
            Some(twist) => twist.clone(),
            None => {
                let mut twist: Profile = bend.clone();
                for key in &mut twist.along.keys {
                    key[1] /= 1.0 + self.poisson;
                }
                twist
            }
        };
        // all of them
        Ok(strand::Parameters {
            material: None,
            mass_per_length: mass,
            radius: self.radius.clone(),
            bend_stiffness: bend,
            bend_ratio: self.bend_ratio.clone(),
            twist_stiffness: twist,
            bend_damping: self.bend_damping.clone(),
            twist_damping: self.twist_damping.clone(),
            drag: self.drag.clone(),
            drag_ratio: self.drag_ratio.clone(),
            gravity: self.gravity.clone(),
            field_weight: self.field_weight.clone(),
            pose_strength: self.pose_strength.clone(),
            pose_damping: self.pose_damping.clone(),
            stretch_stiffness: self.stretch_stiffness.clone(),
            stretch_damping: self.stretch_damping.clone(),
            friction_weight: self.friction.clone(),
            restitution_weight: self.restitution.clone(),
        })
    }

    /// `amount` along the strand times `factor` of the radius, which is no straight line between the
    /// keys of either and so is sampled.
    fn section(&self, amount: &Profile, factor: impl Fn(f64) -> f64) -> Profile {
        const SAMPLES: u32 = 64;
        let (radius, along) = (&self.radius.along, &amount.along);
        let mut places: Vec<f64> = radius
            .keys
            .iter()
            .chain(&along.keys)
            .map(|k| k[0])
            .collect();
        let constant = radius.keys.len() == 1 && along.keys.len() == 1;
        if constant {
            places = vec![0.0];
        } else {
            places.extend((0..=SAMPLES).map(|k| f64::from(k) / f64::from(SAMPLES)));
        }
        places.sort_by(f64::total_cmp);
        places.dedup();
        let key = |&s: &f64| [s, along.at(s) * factor(radius.at(s))];
        let keys: Vec<[f64; 2]> = places.iter().map(key).collect();
        let over_time = amount.over_time.clone();
        Profile::along(Ramp { keys }).over_time(over_time)
    }

    pub(crate) fn is_hair(&self) -> bool {
        is_default(self)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_left_out_is_hair() {
        let parameters = Fibre::default().parameters(&"strand".into()).unwrap();
        let hair = strand::Parameters::default();
        let near = |a: &Profile, b: &Profile| {
            let (a, b) = (a.at(0.5, 0.0), b.at(0.5, 0.0));
            assert!((a / b - 1.0).abs() < 1e-4, "{a:e} {b:e}"); // measured: 1e-5
        };
        near(&parameters.mass_per_length, &hair.mass_per_length);
        near(&parameters.bend_stiffness, &hair.bend_stiffness);
        near(&parameters.twist_stiffness, &hair.twist_stiffness);
    }

    #[test]
    fn a_tapered_rod_has_the_stiffness_of_its_radius_everywhere() {
        let rod = Fibre::rod(0.01, 1e9, 700.0).tapered(1.0, 0.2);
        let parameters = rod.parameters(&"strand".into()).unwrap();
        for s in [0.0, 0.33, 0.77, 1.0] {
            let r: f64 = 0.01 * (1.0 - 0.8 * s);
            let wanted = 1e9 * std::f64::consts::PI * r.powi(4) / 4.0;
            let apart = parameters.bend_stiffness.at(s, 0.0) / wanted - 1.0;
            assert!(apart.abs() < 2e-3, "{apart:.1e} at {s}"); // measured: 1.3e-3
        }
    }
}
