//! What there is in a world, and how things come and go while it runs.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::cloths::Cloths;
use crate::fingerprint::Fingerprint;
use crate::id::Pool;
use crate::strands::Strands;
use crate::{
    Body, BodyId, Cloth, ClothId, Id, Material, Motion, Scene, SceneError, Strand, StrandId, Thing,
    UserData, World,
};

/// All things of a world, by id, name and row.
#[derive(Clone)]
pub(crate) struct Roster {
    /// The scene as it is now: every thing by row, also bodies that were removed.
    pub scene: Scene,
    /// Names of the bodies by row.
    pub names: Vec<Arc<str>>,
    /// Row of every body by name.
    pub index: BTreeMap<Arc<str>, usize>,
    pub bodies: Pool<Body>,
    pub strands: Pool<Strand>,
    pub cloths: Pool<Cloth>,
    pub print: Fingerprint,
    /// Fingerprint of the scene that the world was made from.
    pub origin: u64,
    /// Differs between any two rosters of a world; zero as the scene describes it.
    pub number: u64,
    /// Numbers of rosters and of added things so far.
    pub amended: u64,
    pub born: u32,
    /// How often strands and cloth have come or gone since the scene, which is the only description in a file.
    undescribed: u64,
}

impl Roster {
    /// The things of an expanded scene.
    pub(crate) fn new(scene: Scene) -> Self {
        let names = scene.bodies.iter().map(|body| body.name.as_str().into());
        let names: Vec<Arc<str>> = names.collect();
        let print = Fingerprint::of(&scene);
        Self {
            index: names.iter().cloned().zip(0..).collect(),
            names,
            bodies: Pool::new(scene.bodies.len()),
            strands: Pool::new(scene.strands.len()),
            cloths: Pool::new(scene.cloths.len()),
            print,
            origin: print.number(),
            number: 0,
            amended: 0,
            born: 0,
            undescribed: 0,
            scene,
        }
    }

    /// Whether something has come or gone since the world was made.
    pub(crate) fn is_amended(&self) -> bool {
        self.number != 0
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        self.print.number() ^ self.undescribed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// A generation that nothing has had.
    fn generation(&mut self) -> u32 {
        self.born += 1;
        self.born
    }

    pub(crate) fn material(&self, body: &Body) -> Material {
        let material = self.scene.materials.get(&body.material);
        material.copied().unwrap_or_default()
    }
}

/// What can be added to a scene, and to a world while it runs: a [`Body`], a [`Strand`] or a [`Cloth`].
pub trait Object: Sized + sealed::Object {}

impl<T: sealed::Object> Object for T {}

mod sealed {
    use super::*;

    pub trait Object: Sized {
        fn add_to_scene(self, scene: &mut Scene) -> Id<Self>;
        fn add_to_world(self, world: &mut World) -> Result<Id<Self>, SceneError>;
    }

    impl Object for Body {
        fn add_to_scene(self, scene: &mut Scene) -> BodyId {
            scene.bodies.push(self);
            Id::first(scene.bodies.len() - 1)
        }

        fn add_to_world(self, world: &mut World) -> Result<BodyId, SceneError> {
            world.add_body(self)
        }
    }

    impl Object for Strand {
        fn add_to_scene(self, scene: &mut Scene) -> StrandId {
            scene.strands.push(self);
            Id::first(scene.strands.len() - 1)
        }

        fn add_to_world(self, world: &mut World) -> Result<StrandId, SceneError> {
            world.add_strand(self)
        }
    }

    impl Object for Cloth {
        fn add_to_scene(self, scene: &mut Scene) -> ClothId {
            scene.cloths.push(self);
            Id::first(scene.cloths.len() - 1)
        }

        fn add_to_world(self, world: &mut World) -> Result<ClothId, SceneError> {
            world.add_cloth(self)
        }
    }
}

impl Scene {
    /// Adds a body, a strand or a cloth; its id names it in every world made from this scene.
    pub fn add<T: Object>(&mut self, thing: T) -> Id<T> {
        thing.add_to_scene(self)
    }
}

impl World {
    /// Adds a body, a strand or a cloth while running. A body enters at its `enters_at`, or now if that has passed;
    /// strands and cloth start now, described as everything is now. What cannot be simulated is refused, and
    /// nothing has changed.
    ///
    /// A body or a strand costs no more than itself; a cloth makes all cloth begin its search for contacts anew.
    pub fn add<T: Object>(&mut self, thing: T) -> Result<Id<T>, SceneError> {
        if self.is_mid_step() {
            let wanted = "one that was finished, before something comes";
            return Err(SceneError::value("world", "step", "interrupted", wanted));
        }
        thing.add_to_world(self)
    }

    /// Takes a thing out while running; false if it is not there, or if a step was [interrupted](Self::is_mid_step).
    /// What rode on a body stays where it was, and its name
    /// stays taken; what held a strand goes with it.
    pub fn remove(&mut self, thing: impl Into<Thing>) -> bool {
        if self.is_mid_step() {
            return false;
        }
        match thing.into() {
            Thing::Body(id) => self.body_row(id).is_some_and(|row| self.remove_body(row)),
            Thing::Strand(id) => self.remove_strand(id),
            Thing::Cloth(id) => self.remove_cloth(id),
        }
    }

    /// The body called `name`.
    pub fn find(&self, name: &str) -> Option<BodyId> {
        let row = *self.roster.index.get(name)?;
        let id = self.roster.bodies.id(row)?;
        self.body_row(id).map(|_| id)
    }

    /// The strand called `name`.
    pub fn find_strand(&self, name: &str) -> Option<StrandId> {
        let strands = self.roster.scene.strands.iter();
        let row = strands.into_iter().position(|s| s.name == name)?;
        self.roster.strands.id(row)
    }

    /// The cloth called `name`.
    pub fn find_cloth(&self, name: &str) -> Option<ClothId> {
        let cloths = self.roster.scene.cloths.iter();
        let row = cloths.into_iter().position(|c| c.name == name)?;
        self.roster.cloths.id(row)
    }

    /// Every body that is there, in the order of frames.
    pub fn body_ids(&self) -> impl Iterator<Item = BodyId> + '_ {
        let ids = (0..self.roster.names.len()).filter_map(|row| self.roster.bodies.id(row));
        ids.filter(|id| self.body_row(*id).is_some())
    }

    /// Every strand that is there, in the order of frames.
    pub fn strand_ids(&self) -> impl Iterator<Item = StrandId> + '_ {
        (0..self.roster.scene.strands.len()).filter_map(|row| self.roster.strands.id(row))
    }

    /// Every cloth that is there, in the order of frames.
    pub fn cloth_ids(&self) -> impl Iterator<Item = ClothId> + '_ {
        (0..self.roster.scene.cloths.len()).filter_map(|row| self.roster.cloths.id(row))
    }

    /// What is kept with a thing: at first what its description has as `user`.
    pub fn user_data(&self, thing: impl Into<Thing>) -> &UserData {
        static NOTHING: UserData = UserData::new();
        let thing = thing.into();
        self.user.get(&thing).unwrap_or_else(|| {
            let described = match thing {
                Thing::Body(id) => self.body(id).map(|body| &body.description().user),
                Thing::Strand(id) => self.strand(id).map(|strand| &strand.description().user),
                Thing::Cloth(id) => self.cloth(id).map(|cloth| &cloth.description().user),
            };
            described.unwrap_or(&NOTHING)
        })
    }

    /// To change what is kept with a thing. No part of snapshots.
    pub fn user_data_mut(&mut self, thing: impl Into<Thing>) -> &mut UserData {
        let thing = thing.into();
        if !self.user.contains_key(&thing) {
            self.user.insert(thing, self.user_data(thing).clone());
        }
        self.user.entry(thing).or_default()
    }

    /// Whether strands and cloth are those of the scene: only then can the world go on from a file.
    pub fn is_as_described(&self) -> bool {
        self.roster.undescribed == 0
    }

    /// Row of a body that is there: has not been removed.
    pub(crate) fn body_row(&self, id: BodyId) -> Option<usize> {
        let row = self.roster.bodies.row(id)?;
        (!self.rigid.state.removed[row]).then_some(row)
    }

    /// Keeps what there is for snapshots taken so far; something is about to come or go.
    fn amend(&mut self) {
        if self.origin.is_none() {
            self.origin = Some(self.edition());
        }
        self.edition = OnceLock::new();
        self.roster.amended += 1;
        self.roster.number = self.roster.amended;
    }

    /// Takes the steps that strands and cloth ask for that are there now.
    pub(crate) fn renew_step(&mut self) {
        let scene = &self.roster.scene;
        self.step = scene.step();
        if let Some(strands) = &mut self.strands {
            strands.substeps = scene.strand_steps();
        }
    }

    fn add_body(&mut self, mut body: Body) -> Result<BodyId, SceneError> {
        if body.name.is_empty() {
            body.name = format!("{}-{}", body.shape.kind(), self.roster.names.len());
        }
        body.validate()?;
        if self.roster.index.contains_key(body.name.as_str()) {
            return Err(SceneError::SameName(body.name));
        }
        let row = self.builder.body(&body)?;
        self.amend();
        let index = self.rigid.add(row)?;
        let material = self.roster.material(&body);
        if let Some(strands) = &mut self.strands {
            strands.add_body(&body, &material, &self.rigid)?;
        }
        if let Some(cloths) = &mut self.cloths {
            cloths.add_body(&body, material, &self.rigid.model);
        }
        let roster = &mut self.roster;
        let name: Arc<str> = body.name.as_str().into();
        roster.names.push(name.clone());
        roster.index.insert(name, index);
        roster.print.add_body(&body);
        roster.scene.bodies.push(body);
        let generation = roster.generation();
        Ok(roster.bodies.insert(generation))
    }

    pub(crate) fn remove_body(&mut self, row: usize) -> bool {
        if self.cloths.is_some() {
            self.amend();
        }
        if let Some(cloths) = &mut self.cloths {
            // fewer obstacles are never in the way
            if cloths.remove_body(row).is_err() {
                return false;
            }
            self.roster.undescribed += 1;
        }
        self.rigid.state.remove(row);
        true
    }

    fn add_strand(&mut self, mut strand: Strand) -> Result<StrandId, SceneError> {
        if strand.name.is_empty() {
            strand.name = format!("strand-{}", self.roster.scene.strands.len());
        }
        self.amend();
        let roster = &mut self.roster;
        let (seed, rigid) = (roster.scene.seed.into(), &self.rigid);
        match &mut self.strands {
            Some(strands) => strands.add(&strand, seed, &roster.index, rigid)?,
            none => {
                let mut strands = Strands::none_yet(&roster.scene, rigid)?;
                strands.add(&strand, seed, &roster.index, rigid)?;
                *none = Some(strands);
            }
        }
        if let (Some(strands), Some(cloths)) = (&mut self.strands, &mut self.cloths) {
            let mut scene = roster.scene.clone();
            scene.strands.push(strand.clone());
            let i = scene.strands.len() - 1;
            strands.list_touchable(&scene.strands, i);
            if let Err(error) = cloths.add_lines(strands, &scene, i) {
                // cloth is in its way
                strands.forget_touchable(i);
                strands.remove(i)?;
                return Err(error);
            }
        }
        roster.undescribed += 1;
        roster.print.add_strand(&strand);
        roster.scene.strands.push(strand);
        let generation = roster.generation();
        let id = roster.strands.insert(generation);
        self.renew_step();
        Ok(id)
    }

    fn remove_strand(&mut self, id: StrandId) -> bool {
        let Some(row) = self.roster.strands.row(id) else {
            return false;
        };
        self.amend();
        let Some(strands) = self.strands.as_mut() else {
            return false;
        };
        if strands.remove(row).is_err() {
            return false;
        }
        let gone = strands.forget_touchable(row);
        // fewer obstacles are never in the way
        if let Some(cloths) = &mut self.cloths
            && cloths.remove_lines(gone).is_err()
        {
            return false;
        }
        let roster = &mut self.roster;
        roster.undescribed += 1;
        roster.strands.remove(id);
        roster.scene.strands.remove(row);
        roster.print.set_strands(&roster.scene.strands);
        self.renew_step();
        true
    }

    fn add_cloth(&mut self, mut cloth: Cloth) -> Result<ClothId, SceneError> {
        let scene = &self.roster.scene;
        if cloth.name.is_empty() {
            cloth.name = format!("cloth-{}", scene.cloths.len());
        }
        if scene.cloths.iter().any(|other| other.name == cloth.name) {
            let wanted = "a name of its own";
            return Err(SceneError::value(
                cloth.place(),
                "name",
                "used twice",
                wanted,
            ));
        }
        self.amend();
        let bodies = self.bodies_now();
        match &mut self.cloths {
            Some(cloths) => {
                cloths.let_in(&self.rigid);
                cloths.add(&cloth, &self.roster.scene, &bodies)?;
            }
            none => {
                let now = Scene {
                    bodies,
                    cloths: vec![cloth.clone()],
                    ..self.roster.scene.clone()
                };
                let time = self.rigid.state.time;
                if let Some(strands) = &mut self.strands {
                    strands.list_touchable(&now.strands, 0);
                }
                let strands = self.strands.as_ref();
                *none = Cloths::new(&now, &self.rigid.model, time, &[], strands)?;
            }
        }
        let roster = &mut self.roster;
        roster.undescribed += 1;
        roster.scene.cloths.push(cloth);
        roster.print.set_cloths(&roster.scene.cloths);
        let generation = roster.generation();
        let id = roster.cloths.insert(generation);
        self.renew_step();
        Ok(id)
    }

    fn remove_cloth(&mut self, id: ClothId) -> bool {
        let Some(row) = self.roster.cloths.row(id) else {
            return false;
        };
        self.amend();
        if self.roster.scene.cloths.len() == 1 {
            self.cloths = None;
        } else if self.cloths.as_mut().is_none_or(|c| c.remove(row).is_err()) {
            return false;
        }
        let roster = &mut self.roster;
        roster.undescribed += 1;
        roster.cloths.remove(id);
        roster.scene.cloths.remove(row);
        if let Some(strands) = &mut self.strands {
            strands.forget_cloth(row);
            if self.cloths.is_none() {
                strands.list_touchable(&[], 0);
            }
        }
        roster.print.set_cloths(&roster.scene.cloths);
        self.renew_step();
        true
    }

    /// Every body as if it were described now: where it is, and entering later if it is not there.
    fn bodies_now(&self) -> Vec<Body> {
        let state = &self.rigid.state;
        let bodies = self.roster.scene.bodies.iter().enumerate();
        let now = bodies.map(|(i, body)| Body {
            motion: match body.motion {
                Motion::Fixed => Motion::Fixed,
                _ => Motion::Dynamic,
            },
            enters_at: if state.present[i] { 0.0 } else { 1.0 },
            ..body.clone().posed(&self.pose(i))
        });
        now.collect()
    }
}
