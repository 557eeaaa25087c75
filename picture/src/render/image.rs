//! The finished picture, and its way into a file.

use std::io::Write;
use std::path::Path;

use crate::Error;

/// Pixels by rows from the top left, three bytes each (sRGB).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Size in pixels.
    pub width: u32,
    /// Size in pixels.
    pub height: u32,
    /// Red, green, blue of each pixel: `3 * width * height` bytes.
    pub rgb: Vec<u8>,
}

impl Image {
    /// The pixel in column `x` from the left and row `y` from the top, if there is one.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let i = 3 * (y as usize * self.width as usize + x as usize);
        Some([
            *self.rgb.get(i)?,
            *self.rgb.get(i + 1)?,
            *self.rgb.get(i + 2)?,
        ])
    }

    /// Writes the picture as PNG.
    pub fn write_png_to(&self, writer: impl Write) -> Result<(), Error> {
        let failed = |error: png::EncodingError| Error::Png {
            width: self.width,
            height: self.height,
            message: error.to_string(),
        };
        let mut encoder = png::Encoder::new(writer, self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header().map_err(failed)?;
        writer.write_image_data(&self.rgb).map_err(failed)?;
        writer.finish().map_err(failed)
    }

    /// Writes the picture as a PNG file, replacing what was there.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        let mut bytes = Vec::new();
        self.write_png_to(&mut bytes)?;
        std::fs::write(path, bytes).map_err(|source| Error::File {
            path: path.to_owned(),
            source,
        })
    }
}
