//! A run put by, to be taken up again bit for bit.
//!
//! ```text
//! "DRYSTONE"  magic                                              8 bytes
//! layout      version of this layout, little-endian              4
//! engine      version of Drystone: length, then letters          1 + n
//! scene       blake3 of the scene as JSON                       32
//! length      of the payload before compression, little-endian   8
//! packed      of the payload as it follows, little-endian        8
//! checksum    blake3 of all of the above and the payload        32
//! payload     zstd of: length of JSON (8), the scene as JSON, the snapshot as postcard
//! ```
//!
//! A file is written under a temporary name, synced and renamed, so that its name always stands for a whole one.

use std::io::{Read, Write};
use std::path::Path;

use drystone_world::{Scene, SceneError, Snapshot, World};

use crate::FileError;
use crate::atomic_file::AtomicFile;
use crate::toml::read_bytes;

const MAGIC: &[u8; 8] = b"DRYSTONE";
/// Version of the layout of checkpoint files.
pub const LAYOUT: u32 = 9;
/// Version of the engine that this is.
pub const ENGINE: &str = env!("CARGO_PKG_VERSION");
/// Longest payload \[bytes\].
const LONGEST: u64 = 16 << 30;

/// A run put by: what was simulated, and how far it was.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Generators expanded, meshes read.
    pub scene: Scene,
    /// blake3 of the scene as JSON.
    pub scene_hash: [u8; 32],
    /// The snapshot of the world.
    pub snapshot: Snapshot,
}

impl Checkpoint {
    /// `world` as it is now; refused where strands or cloth have come or gone while it ran, as no scene describes them.
    pub fn of(world: &World) -> Result<Self, FileError> {
        let scene = world.scene().clone();
        if !world.is_as_described() {
            let message = "strands or cloth have come or gone since the start";
            return Err(FileError::new(&scene.name, message)
                .with_help("keep it with `World::snapshot` instead"));
        }
        Ok(Self {
            scene_hash: *blake3::hash(&json(&scene)?).as_bytes(),
            scene,
            snapshot: world.snapshot(),
        })
    }

    /// Simulated time \[s\].
    pub fn time(&self) -> f64 {
        self.snapshot.rigid.time
    }

    /// The world as it was, of the scene in the checkpoint.
    pub fn resume(&self) -> Result<World, SceneError> {
        self.resume_in(&self.scene)
    }

    /// The world as it was, with what `scene` says otherwise about names, colours, truths and
    /// duration; refused if `scene` would run differently.
    pub fn resume_in(&self, scene: &Scene) -> Result<World, SceneError> {
        let mut world = World::new(scene)?;
        world.restore(&self.snapshot)?;
        Ok(world)
    }

    /// The checkpoint as the bytes of a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let failed = |e: &dyn std::fmt::Display| {
            FileError::new(&self.scene.name, format!("cannot pack: {e}"))
        };
        let scene = json(&self.scene)?;
        let mut raw = Vec::with_capacity(scene.len() + (1 << 16));
        raw.extend((scene.len() as u64).to_le_bytes());
        raw.extend(&scene);
        let raw = postcard::to_extend(&self.snapshot, raw).map_err(|e| failed(&e))?;
        let packed = zstd::bulk::compress(&raw, 3).map_err(|e| failed(&e))?;

        let mut bytes = MAGIC.to_vec();
        bytes.extend(LAYOUT.to_le_bytes());
        bytes.push(ENGINE.len() as u8);
        bytes.extend(ENGINE.as_bytes());
        bytes.extend(self.scene_hash);
        bytes.extend((raw.len() as u64).to_le_bytes());
        bytes.extend((packed.len() as u64).to_le_bytes());
        bytes.extend(checksum(&bytes, &packed));
        bytes.extend(packed);
        Ok(bytes)
    }

    /// The checkpoint in `bytes`, which errors call `name`, after checking all of it.
    pub fn from_bytes(bytes: &[u8], name: impl AsRef<Path>) -> Result<Self, FileError> {
        let name = name.as_ref();
        let refuse = |message: String| FileError::new(name, message);
        // header: magic number, layout, version, hash of the scene, lengths, checksum
        if !bytes.starts_with(MAGIC) {
            return Err(refuse(
                "this is no Drystone checkpoint; it does not begin with DRYSTONE".into(),
            ));
        }
        let cut = || {
            refuse(format!(
                "the checkpoint is cut off: {} bytes are not all of it",
                bytes.len()
            ))
            .with_help("use an older checkpoint; this one was damaged after it was written")
        };
        let mut rest = &bytes[MAGIC.len()..];
        let mut take = |count: usize| rest.split_off(..count).ok_or_else(cut);
        let layout = u32::from_le_bytes(array(take(4)?));
        if layout != LAYOUT {
            return Err(refuse(format!(
                "the checkpoint has layout {layout}; wanted {LAYOUT}"
            ))
            .with_help("resume with the version of Drystone that wrote it"));
        }
        let engine_length = usize::from(take(1)?[0]);
        let engine = String::from_utf8_lossy(take(engine_length)?).into_owned();
        let scene_hash: [u8; 32] = array(take(32)?);
        let length = u64::from_le_bytes(array(take(8)?));
        let packed_length = u64::from_le_bytes(array(take(8)?));
        let wanted: [u8; 32] = array(take(32)?);
        let header = &bytes[..bytes.len() - rest.len() - 32];
        if (rest.len() as u64) < packed_length {
            return Err(cut());
        }
        if rest.len() as u64 > packed_length || checksum(header, rest) != wanted {
            return Err(refuse(
                "the checkpoint is damaged: its checksum is not that of its content".into(),
            )
            .with_help("use an older checkpoint"));
        }
        if engine != ENGINE {
            return Err(
                refuse(format!("written by Drystone {engine}; this is {ENGINE}"))
                    .with_help("resume with the version that wrote it"),
            );
        }

        // from here on the content is what was written, unless someone forged it
        let broken = |what: &str| refuse(format!("the checkpoint is damaged: {what}"));
        if length > LONGEST {
            return Err(broken("it claims to be longer than 16 GiB"));
        }
        let mut raw = Vec::new();
        let decoder = zstd::stream::read::Decoder::new(rest).map_err(|e| broken(&e.to_string()))?;
        decoder
            .take(length + 1)
            .read_to_end(&mut raw)
            .map_err(|e| broken(&e.to_string()))?;
        if raw.len() as u64 != length || length < 8 {
            return Err(broken("its length is not what it says"));
        }
        // scene as JSON, then the snapshot
        let scene_length = u64::from_le_bytes(array(&raw[..8])) as usize;
        let content = &raw[8..];
        let scene_json = content
            .get(..scene_length)
            .ok_or_else(|| broken("its scene is cut off"))?;
        if *blake3::hash(scene_json).as_bytes() != scene_hash {
            return Err(broken("its scene is another than its header says"));
        }
        let scene: Scene =
            serde_json::from_slice(scene_json).map_err(|e| broken(&e.to_string()))?;
        let snapshot =
            postcard::from_bytes(&content[scene_length..]).map_err(|e| broken(&e.to_string()))?;
        Ok(Self {
            scene,
            scene_hash,
            snapshot,
        })
    }
}

/// Puts `world` by in the file at `path`. What stood there stays until the new one is whole.
pub fn save(path: impl AsRef<Path>, world: &World) -> Result<(), FileError> {
    let path = path.as_ref();
    let bytes = Checkpoint::of(world)?
        .to_bytes()
        .map_err(|e| FileError::new(path, e.message))?;
    AtomicFile::create(path)?
        .commit(|writer| writer.write_all(&bytes))
        .map(|_| ())
}

/// Reads the checkpoint at `path` and checks all of it.
pub fn load(path: impl AsRef<Path>) -> Result<Checkpoint, FileError> {
    let path = path.as_ref();
    Checkpoint::from_bytes(&read_bytes(path, LONGEST)?, path)
}

/// Takes up the checkpoint at `path` in `scene`, which must run like the one it was made in.
pub fn resume(path: impl AsRef<Path>, scene: &Scene) -> Result<World, FileError> {
    let path = path.as_ref();
    load(path)?.resume_in(scene).map_err(|e| {
        let error = FileError::new(path, e.to_string());
        match e {
            SceneError::OtherScene { .. } => {
                error.with_help("resume with the scene and settings the checkpoint was made with")
            }
            _ => error,
        }
    })
}

fn json(scene: &Scene) -> Result<Vec<u8>, FileError> {
    serde_json::to_vec(scene).map_err(|e| FileError::new(&scene.name, format!("cannot pack: {e}")))
}

fn checksum(header: &[u8], payload: &[u8]) -> [u8; 32] {
    *blake3::Hasher::new()
        .update(header)
        .update(payload)
        .finalize()
        .as_bytes()
}

/// The first `N` bytes of `bytes`, which has at least as many.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut all = [0; N];
    all.copy_from_slice(&bytes[..N]);
    all
}
