//! Colours that go together: the stones of a dry wall, and a few that stand out.

use drystone_base::random::Random;

/// sRGB as in `0xRRGGBB`, in linear RGB.
pub fn srgb(code: u32) -> [f32; 3] {
    [16, 8, 0].map(|shift| to_linear(((code >> shift) & 255) as u8))
}

/// An sRGB byte as linear light in \[0, 1\] (IEC 61966-2-1).
pub(super) fn to_linear(byte: u8) -> f32 {
    let v = f64::from(byte) / 255.0;
    let linear = if v <= 0.04045 {
        v / 12.92
    } else {
        drystone_base::functions::pow((v + 0.055) / 1.055, 2.4)
    };
    linear as f32
}

/// Sandstone, slate, terracotta, moss and their kin.
const STONES: [u32; 12] = [
    0xC2A884, // sandstone
    0xA9745A, // terracotta
    0x858B93, // slate
    0xB59B78, // ochre
    0x9F9A8C, // limestone
    0xB58A6C, // clay
    0x868C6E, // moss
    0xCDBFA3, // cream
    0x956552, // brick
    0xA89D8C, // gravel
    0xB58F62, // honey
    0x747D85, // blue stone
];

/// Colours for what should be seen at once.
const ACCENTS: [u32; 6] = [
    0x2F3A46, // iron
    0xB8483A, // vermilion
    0x3A7A99, // blue
    0xCF9B35, // saffron
    0x5B8F5E, // green
    0x82598A, // plum
];

/// A stone colour for body `index`, linear RGB. Bodies that follow each other have different
/// stones, and the same stone is never quite the same twice.
pub fn palette(index: usize) -> [f32; 3] {
    let mut random = Random::new(index as u64 ^ 0x51A7_E000);
    // steps of 5 to 7 places around the list: never the stone of the one before
    let place = (index.wrapping_mul(6))
        .wrapping_add(index / 2)
        .wrapping_add(random.below(2));
    let stone = srgb(STONES[place % STONES.len()]);
    // one wall, one quarry: all lean towards a common colour
    let quarry = srgb(0xAE9A80);
    let lightness = random.range(0.84, 1.14) as f32;
    let warmth = random.range(-0.05, 0.05) as f32;
    let tint = [1.0 + warmth, 1.0, 1.0 - warmth];
    [0, 1, 2].map(|k| (lightness * tint[k] * (0.75 * stone[k] + 0.25 * quarry[k])).clamp(0.0, 1.0))
}

/// A colour that stands out from all of [`palette`], linear RGB; 0 is dark iron.
pub fn accent(index: usize) -> [f32; 3] {
    srgb(ACCENTS[index % ACCENTS.len()])
}

/// A quiet colour for the ground, linear RGB.
pub fn ground_colour() -> [f32; 3] {
    srgb(0xB4AC9E)
}

/// Woven things: indigo, madder, weld and their kin.
const FABRICS: [u32; 6] = [
    0x4A6FA5, // indigo
    0xB5524A, // madder
    0xC9A24B, // weld
    0x6E8F72, // sage
    0x8A6C93, // heather
    0xC7B8A0, // linen
];

/// A colour for cloth `index`, linear RGB.
pub fn fabric(index: usize) -> [f32; 3] {
    srgb(FABRICS[index % FABRICS.len()])
}

/// The colour of hair `index`, linear RGB: chestnut, no two hairs quite alike.
pub fn hair(index: usize) -> [f32; 3] {
    let mut random = Random::new(index as u64 ^ 0x8A12_0000);
    let lightness = random.range(0.75, 1.3) as f32;
    let warmth = random.range(-0.08, 0.08) as f32;
    let [red, green, blue] = srgb(0x7A5236);
    [
        lightness * (1.0 + warmth) * red,
        lightness * green,
        lightness * (1.0 - warmth) * blue,
    ]
}
