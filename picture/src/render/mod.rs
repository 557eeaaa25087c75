//! Bodies to pixels: perspective, sun with soft shadows, light of the whole sky, haze.
//!
//! How it works, in the order of [`render`]:
//!
//! 1. Items become `primitive`s that a ray can be tested against; what is not finite or
//!    has no size is left out.
//! 2. Depth maps are drawn from the sun and from some dozens of directions of the sky
//!    (`light`, `sky`): they tell how much light reaches a point, which is what makes stones
//!    in a wall and balls in a heap look heavy and separate.
//! 3. Tiles of pixels are filled in parallel (`raster`): nine or more samples a pixel say what
//!    is seen, but each surface in a pixel is shaded once (`shade`).
//!
//! Nothing depends on the order in which tiles are finished: same bytes for any number of
//! threads.

mod camera;
mod image;
mod item;
mod light;
mod palette;
mod primitive;
mod raster;
mod shade;
mod sky;
mod strand;

pub use camera::Camera;
pub use image::Image;
pub use item::{Curve, Item, Surface, Triangles, bounds};
pub use palette::{accent, fabric, ground_colour, hair, palette, srgb};

use drystone_base::Vec3;
use light::Lighting;
use primitive::Prepared;
use shade::Shader;

/// The sun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Direction from the scene to the sun; any length.
    pub direction: Vec3,
    /// Colour and strength, linear RGB; about 1 to 4.
    pub colour: [f32; 3],
    /// Angle under which the sun is seen: how soft shadows are \[degrees\].
    pub diameter_degrees: f64,
}

impl Default for Light {
    fn default() -> Self {
        Self {
            direction: Vec3::new(-0.68, 1.05, 0.52),
            colour: [1.75, 1.56, 1.30],
            diameter_degrees: 2.6,
        }
    }
}

/// Settings of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Width, 1 to 16384 pixels.
    pub width: u32,
    /// Height, 1 to 16384 pixels.
    pub height: u32,
    /// Samples along each side of a pixel, 1 to 8: 3 means nine samples a pixel.
    pub samples: u32,
    /// Directions of the sky that cast shadows, 0 to 256; 0 leaves only the sun's.
    pub sky_directions: u32,
    /// The sun.
    pub light: Light,
    /// Colour of the sky overhead, linear RGB.
    pub zenith: [f32; 3],
    /// Colour of the sky at the horizon and of the haze, linear RGB.
    pub horizon: [f32; 3],
    /// Multiplies all light before the tone curve \[1\].
    pub exposure: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            samples: 3,
            sky_directions: 48,
            light: Light::default(),
            zenith: [0.30, 0.45, 0.68],
            horizon: [0.70, 0.75, 0.80],
            exposure: 1.0,
        }
    }
}

impl Settings {
    /// Width over height \[1\].
    pub fn aspect(&self) -> f64 {
        let settings = self.sane();
        f64::from(settings.width) / f64::from(settings.height)
    }

    /// The settings with every number clamped to its range.
    fn sane(&self) -> Self {
        let fallback = Self::default();
        let colour = |c: [f32; 3], other: [f32; 3]| {
            if c.iter().all(|v| v.is_finite()) {
                c.map(|v| v.clamp(0.0, 100.0))
            } else {
                other
            }
        };
        let direction = self.light.direction;
        let diameter = self.light.diameter_degrees;
        Self {
            width: self.width.clamp(1, 16384),
            height: self.height.clamp(1, 16384),
            samples: self.samples.clamp(1, 8),
            sky_directions: self.sky_directions.min(256),
            light: Light {
                direction: direction
                    .try_normalize()
                    .unwrap_or_else(|| fallback.light.direction.normalize()),
                colour: colour(self.light.colour, fallback.light.colour),
                diameter_degrees: if diameter.is_finite() {
                    diameter.clamp(0.0, 20.0)
                } else {
                    fallback.light.diameter_degrees
                },
            },
            zenith: colour(self.zenith, fallback.zenith),
            horizon: colour(self.horizon, fallback.horizon),
            exposure: if self.exposure.is_finite() {
                self.exposure.clamp(0.0, 100.0)
            } else {
                fallback.exposure
            },
        }
    }
}

/// The picture of `items` that `camera` sees.
///
/// Never fails: items that are not finite or have no size are left out, settings and
/// camera are brought into their ranges.
pub fn render(items: &[Item], camera: &Camera, settings: &Settings) -> Image {
    let settings = settings.sane();
    let view = camera.view(settings.width, settings.height);
    let prepared = Prepared::new(items, &view);
    let lighting = Lighting::new(&prepared, &view, &settings);
    let shader = Shader::new(&prepared, &lighting, &view, &settings);
    raster::draw(&prepared, &view, &shader, &settings)
}

#[cfg(test)]
mod tests;
