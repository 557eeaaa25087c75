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
use crate::player::numbers;
use crate::wire::{self, Header, Known, kinds};

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
    /// Knows what things are, if frames are to be added as they were recorded.
    world: Option<Box<World>>,
    frames: ZlibEncoder<Vec<u8>>,
}

/// What a page carries besides places, as far as the recording has it.
const CARRIED: u8 = kinds::VELOCITIES | kinds::GRAPH | kinds::CONTACTS | kinds::FRAMES;

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
        let mut page = Self::of(name, description, settings(scene)?, origin);
        page.world = Some(Box::new(world));
        Ok(page)
    }

    /// The page of a session whose parts are known already; its frames are of epoch 0.
    pub(crate) fn of(name: &str, mut scene: Value, settings: Value, origin: Vec3) -> Self {
        scene["session"] = json!(0);
        scene["epoch"] = json!(0);
        Self {
            name: name.into(),
            scene,
            settings,
            origin,
            world: None,
            frames: ZlibEncoder::new(Vec::new(), Compression::new(6)),
        }
    }

    /// Adds a frame with all that was recorded of it; later ones come later in time.
    pub fn frame(&mut self, frame: &Frame, record: &FrameRecord) {
        if let Some(world) = self.world.take() {
            self.add(&world, frame, record);
            self.world = Some(world);
        }
    }

    /// Adds a frame of `world`.
    pub(crate) fn add(&mut self, world: &World, frame: &Frame, record: &FrameRecord) {
        let header = Header {
            session: 0,
            epoch: 0,
            origin: self.origin,
        };
        let (known, numbers) = (Known::Recorded(world), numbers(record));
        let mut graph = Graph::default();
        let frame = self.coarsened(frame);
        let frame = wire::encode(&frame, known, &header, &numbers, CARRIED, &mut graph);
        self.bytes(frame);
    }

    /// The frame with contacts and velocities to four digits, which is what arrows and colours show: a page is to
    /// be sent. Places of bodies, strands and cloth stay as they are.
    fn coarsened(&self, frame: &Frame) -> Frame {
        let mut frame = frame.clone();
        for body in &mut frame.bodies {
            body.linear_velocity = coarse(body.linear_velocity);
            body.angular_velocity = coarse(body.angular_velocity);
        }
        for contact in &mut frame.contacts {
            contact.point = self.origin + coarse(contact.point - self.origin);
            contact.force = coarse(contact.force);
            contact.distance = to_four_digits(contact.distance);
        }
        frame
    }

    /// Adds a frame that is encoded already.
    pub(crate) fn bytes(&mut self, mut frame: Vec<u8>) {
        if frame.len() < wire::HEADER {
            return;
        }
        // session 0, epoch 0
        frame[1] = 0;
        frame[4..8].fill(0);
        // bytes that mean the same stand together, which is what the compression looks for
        let stride = stride(frame[2]);
        let frame = planes(&frame, stride);
        // what goes into memory does not fail
        for word in [frame.len() as u32, stride as u32] {
            let _ = self.frames.write_all(&word.to_le_bytes());
        }
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

/// Length of what there is most of in a frame with these [`kinds`] of data: contacts, points, or bodies \[bytes\].
fn stride(present: u8) -> usize {
    if present & kinds::CONTACTS != 0 {
        40
    } else if present & (kinds::STRANDS | kinds::CLOTHS) != 0 {
        12
    } else {
        28
    }
}

/// The first bytes of all records of `stride` bytes, then their second bytes, and so on; what is left over comes first.
fn planes(bytes: &[u8], stride: usize) -> Vec<u8> {
    let (rest, records) = bytes.split_at(bytes.len() % stride);
    let plane = |k: usize| records.iter().skip(k).step_by(stride).copied();
    rest.iter()
        .copied()
        .chain((0..stride).flat_map(plane))
        .collect()
}

fn coarse(v: Vec3) -> Vec3 {
    Vec3::from(v.to_array().map(to_four_digits))
}

/// Rounds to 13 significant bits, so that compression finds zeros in the rest.
fn to_four_digits(x: f64) -> f64 {
    let bits = (x as f32).to_bits().saturating_add(1 << 10);
    let short = f32::from_bits(bits & !0x7FF);
    if short.is_finite() {
        f64::from(short)
    } else {
        x
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
    fn planes_put_bytes_that_mean_the_same_together() {
        assert_eq!(planes(b"xabcABC", 3), b"xaAbBcC");
        assert_eq!(planes(b"xy", 3), b"xy");
    }

    #[test]
    fn coarse_numbers_keep_four_digits() {
        for x in [
            0.0,
            1.0,
            -1.0,
            9.81,
            -1234.567,
            3.3e-7,
            1e30,
            f64::from(f32::MAX),
        ] {
            let off = (to_four_digits(x) - x).abs();
            assert!(off <= 1.3e-4 * x.abs(), "{x} is off by {off:.1e}"); // measured: 1.2e-4 of it
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
