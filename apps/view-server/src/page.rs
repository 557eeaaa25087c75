//! A recording as one page that needs no server: the viewer, and every frame, in one file.

use std::io::Write;

use drystone_base::Vec3;
use drystone_rigid::Graph;
use drystone_world::{Frame, FrameRecord, Scene, SceneError, World};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};

use crate::assets;
use crate::describe::{describe, settings};
use crate::tape::numbers;
use crate::wire::{self, Header};

/// A page that is being filled with frames.
///
/// ```no_run
/// # use drystone_world::{FrameRecord, Scene, World};
/// # let (scene, world) = (Scene::new(), World::new(&Scene::new()).unwrap());
/// let mut page = drystone_view::Page::new(&scene)?;
/// page.frame(&world.frame(), &FrameRecord::default());
/// std::fs::write("run.html", page.finish()).unwrap();
/// # Ok::<(), drystone_world::SceneError>(())
/// ```
pub struct Page {
    name: String,
    scene: Value,
    settings: Value,
    origin: Vec3,
    frames: ZlibEncoder<Vec<u8>>,
}

impl std::fmt::Debug for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Page").field("name", &self.name).finish()
    }
}

impl Page {
    /// A page for frames of `scene`.
    pub fn new(scene: &Scene) -> Result<Self, SceneError> {
        let world = World::new(scene)?;
        let (description, origin) = describe(&world, 0, 0);
        let name = match scene.name.as_str() {
            "" => "recording",
            name => name,
        };
        Ok(Self::of(name, description, settings(scene)?, origin))
    }

    /// The same of a lane that knows all this already; its frames are of epoch 0.
    pub(crate) fn of(name: &str, mut scene: Value, settings: Value, origin: Vec3) -> Self {
        scene["lane"] = json!(0);
        scene["epoch"] = json!(0);
        Self {
            name: name.into(),
            scene,
            settings,
            origin,
            frames: ZlibEncoder::new(Vec::new(), Compression::new(6)),
        }
    }

    /// Adds a frame; later ones come later in time.
    pub fn frame(&mut self, frame: &Frame, record: &FrameRecord) {
        let header = Header {
            lane: 0,
            epoch: 0,
            origin: self.origin,
        };
        let mut graph = Graph::default();
        let numbers = numbers(record);
        self.bytes(wire::encode(frame, None, &header, &numbers, 0, &mut graph));
    }

    /// Adds a frame that is encoded already.
    pub(crate) fn bytes(&mut self, mut frame: Vec<u8>) {
        if frame.len() < wire::HEADER {
            return;
        }
        // lane 0, epoch 0
        frame[1] = 0;
        frame[4..8].fill(0);
        // what goes into memory does not fail
        let _ = self.frames.write_all(&(frame.len() as u32).to_le_bytes());
        let _ = self.frames.write_all(&frame);
    }

    /// The whole page, as a file.
    pub fn finish(self) -> Vec<u8> {
        let frames = self.frames.finish().unwrap_or_default();
        let package = json!({"name": self.name, "scene": self.scene, "settings": self.settings,
                             "frames": base64(&frames)});
        // text that could end the element it stands in
        let package = package.to_string().replace('<', "\\u003c");
        let mut page = String::with_capacity(package.len() + (1 << 20));
        let mut rest = assets::text("page.html");
        for (mark, text) in [
            ("@STYLE@", assets::text("style.css")),
            ("@RECORDING@", package.as_str()),
            ("@SCRIPT@", assets::text("app.js")),
        ] {
            if let Some((before, after)) = rest.split_once(mark) {
                page += before;
                page += text;
                rest = after;
            }
        }
        page += rest;
        page.into_bytes()
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for k in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= chunk.len() {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use drystone_world::Body;

    #[test]
    fn base64_is_as_in_the_standard() {
        // RFC 4648, §10
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn a_page_carries_everything_and_a_name_cannot_break_out_of_it() {
        let mut scene = Scene::new();
        scene.name = "</script><script>alert(1)</script>".into();
        scene.add(Body::cube(1.0).named("<b>@SCRIPT@"));
        let mut world = World::new(&scene).unwrap();
        let mut page = Page::new(&scene).unwrap();
        for _ in 0..3 {
            world.step();
            page.frame(&world.frame(), &FrameRecord::default());
        }
        let page = String::from_utf8(page.finish()).unwrap();
        assert!(!page.contains("alert(1)</script>"));
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(page.contains("script-src 'sha256-") && !page.contains("_HASH@"));
        assert!(!page.contains(" src=") && page.contains("\\u003cb>@SCRIPT@"));
        assert!(page.trim_end().ends_with("</html>"));
    }
}
