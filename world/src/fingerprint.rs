//! A number that tells scenes apart that would run differently.

use serde::Serialize;

use crate::{Body, Cloth, Scene, Strand, UserData};

/// The fingerprint of a scene, ready to grow as things are added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fingerprint {
    settings: u64,
    bodies: u64,
    names: u64,
    strands: u64,
    cloths: u64,
    /// Whether strands and cloth are there, which find bodies by name.
    named: bool,
}

/// Start of an FNV-1a hash.
const START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a over `hash` and all of `data`.
fn fold(hash: u64, data: &impl Serialize) -> u64 {
    // writing plain data to memory does not fail; if it did, all scenes would look alike
    let bytes = serde_json::to_vec(data).unwrap_or_default();
    bytes.iter().fold(hash, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

impl Fingerprint {
    /// The fingerprint of an expanded scene.
    pub(crate) fn of(scene: &Scene) -> Self {
        let settings = Scene {
            name: String::new(),
            about: String::new(),
            duration: 0.0,
            camera: None,
            truths: Vec::new(),
            bodies: Vec::new(),
            strands: Vec::new(),
            cloths: Vec::new(),
            ..scene.clone()
        };
        let mut print = Self {
            settings: fold(START, &settings),
            bodies: START,
            names: START,
            strands: START,
            cloths: START,
            named: false,
        };
        scene.bodies.iter().for_each(|body| print.add_body(body));
        print.set_strands(&scene.strands);
        print.set_cloths(&scene.cloths);
        print
    }

    /// Adds a body.
    pub(crate) fn add_body(&mut self, body: &Body) {
        self.names = fold(self.names, &body.name);
        let essence = Body {
            colour: None,
            user: UserData::new(),
            name: String::new(),
            ..body.clone()
        };
        self.bodies = fold(self.bodies, &essence);
    }

    /// Adds a strand, whose own name decides nothing.
    pub(crate) fn add_strand(&mut self, strand: &Strand) {
        self.named = true;
        let essence = Strand {
            colour: None,
            user: UserData::new(),
            name: String::new(),
            ..strand.clone()
        };
        self.strands = fold(self.strands, &essence);
    }

    /// Replaces the strands.
    pub(crate) fn set_strands(&mut self, strands: &[Strand]) {
        self.strands = START;
        strands.iter().for_each(|strand| self.add_strand(strand));
    }

    /// Replaces the cloths, whose own names decide nothing.
    pub(crate) fn set_cloths(&mut self, cloths: &[Cloth]) {
        self.cloths = START;
        for cloth in cloths {
            self.named = true;
            let essence = Cloth {
                colour: None,
                user: UserData::new(),
                name: String::new(),
                ..cloth.clone()
            };
            self.cloths = fold(self.cloths, &essence);
        }
    }

    /// The fingerprint as one number.
    pub(crate) fn number(&self) -> u64 {
        let names = if self.named { self.names } else { START };
        fold(
            self.settings,
            &[self.bodies, names, self.strands, self.cloths],
        )
    }
}
