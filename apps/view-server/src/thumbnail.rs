//! Small pictures of scenes, made when first asked for and kept.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use axum::body::Bytes;
use drystone_picture::frame::picture;
use drystone_picture::render::Settings;
use drystone_world::World;
use tokio::sync::Semaphore;

use crate::source::Source;

/// Key of a picture: name of the scene and version of its file.
type Key = (String, Option<(SystemTime, u64)>);

/// Most pictures kept.
const MOST_KEPT: usize = 512;

#[derive(Debug)]
pub(crate) struct Thumbnails {
    kept: Mutex<HashMap<Key, Bytes>>,
    /// Lets one picture be drawn at a time, so that running sessions keep the processor.
    turn: Semaphore,
}

impl Default for Thumbnails {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            turn: Semaphore::new(1),
        }
    }
}

impl Thumbnails {
    /// The picture of `source` as a PNG file; nothing if it cannot be made.
    pub(crate) async fn get(self: &Arc<Self>, source: Source) -> Option<Bytes> {
        let key = (source.name(), source.version());
        if let Some(found) = self.lock().get(&key) {
            return Some(found.clone());
        }
        let _turn = self.turn.acquire().await.ok()?;
        if let Some(found) = self.lock().get(&key) {
            return Some(found.clone());
        }
        let made = tokio::task::spawn_blocking(move || draw(&source)).await;
        let made = made.ok().flatten()?;
        let mut kept = self.lock();
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert(key, made.clone());
        Some(made)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Key, Bytes>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn draw(source: &Source) -> Option<Bytes> {
    let scene = source.read().ok()?;
    let world = World::new(&scene).ok()?;
    let settings = Settings {
        width: 400,
        height: 250,
        samples: 2,
        sky_directions: 24,
        ..Settings::default()
    };
    let mut bytes = Vec::new();
    let image = picture(&world, &world.frame(), &settings);
    image.write_png_to(&mut bytes).ok()?;
    Some(bytes.into())
}
