//! Colours: transfer curves, palettes for bones, and the scale for numbers.
//!
//! Palettes are built in OKLab (Ottosson 2020), where equal steps look about equally large.

use glam::Vec3;
use sinew::rig::SkinWeights;

/// Dark grey, linear, for what belongs to no bone.
pub const NO_BONE: Vec3 = Vec3::splat(0.028);

/// What words and axes are written in.
pub(crate) const INK: [u8; 4] = [38, 44, 54, 255];

/// Linear light to the eight bits of an sRGB channel.
pub(crate) fn encode_channel(linear: f32) -> u8 {
    let x = linear.clamp(0.0, 1.0);
    let encoded = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    // A NaN would become 0 here, never a panic.
    (255.0 * encoded + 0.5) as u8
}

/// Linear colour to an opaque sRGB pixel.
pub(crate) fn encode(linear: Vec3) -> [u8; 4] {
    [encode_channel(linear.x), encode_channel(linear.y), encode_channel(linear.z), 255]
}

/// An sRGB colour written as in a style sheet, in linear light.
pub(crate) fn from_hex(hex: u32) -> Vec3 {
    let channel = |shift: u32| decode_channel((hex >> shift) as u8);
    Vec3::new(channel(16), channel(8), channel(0))
}

fn decode_channel(byte: u8) -> f32 {
    let x = f32::from(byte) / 255.0;
    if x <= 0.040_45 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// OKLCH (lightness, chroma, hue in turns) to linear RGB. A colour that screens cannot show loses chroma
/// until they can.
fn oklch(lightness: f32, chroma: f32, hue: f32) -> Vec3 {
    let (sin, cos) = (std::f32::consts::TAU * hue).sin_cos();
    let mut chroma = chroma;
    for _ in 0..24 {
        let rgb = oklab(lightness, chroma * cos, chroma * sin);
        if rgb.min_element() >= 0.0 && rgb.max_element() <= 1.0 {
            return rgb;
        }
        chroma *= 0.92;
    }
    oklab(lightness, 0.0, 0.0).clamp(Vec3::ZERO, Vec3::ONE)
}

fn oklab(l: f32, a: f32, b: f32) -> Vec3 {
    let cone = Vec3::new(
        l + 0.396_337_78 * a + 0.215_803_76 * b,
        l - 0.105_561_346 * a - 0.063_854_17 * b,
        l - 0.089_484_18 * a - 1.291_485_5 * b,
    );
    let c = cone * cone * cone;
    Vec3::new(
        4.076_741_7 * c.x - 3.307_711_6 * c.y + 0.230_969_94 * c.z,
        -1.268_438 * c.x + 2.609_757_4 * c.y - 0.341_319_38 * c.z,
        -0.004_196_086_3 * c.x - 0.703_418_6 * c.y + 1.707_614_7 * c.z,
    )
}

/// `count` linear colours that stay apart: hues a golden angle from each other, in five alternating
/// lightnesses, so that bones with neighbouring numbers, or with a similar hue, differ in lightness.
pub fn bone_palette(count: usize) -> Vec<Vec3> {
    const GOLDEN: f32 = 0.618_034;
    const TONES: [(f32, f32); 5] = [(0.73, 0.17), (0.54, 0.15), (0.84, 0.14), (0.63, 0.17), (0.47, 0.13)];
    (0..count)
        .map(|i| {
            let (lightness, chroma) = TONES[i % TONES.len()];
            // Taken modulo one before it grows, so that the thousandth hue is as exact as the first.
            oklch(lightness, chroma, (0.07 + GOLDEN * (i % 1024) as f32).fract())
        })
        .collect()
}

/// One linear colour per vertex: the colours of its bones, mixed by weight. `colors` has one entry per
/// bone, as [`bone_palette`] makes them; bones beyond its end, and vertices without weight, are
/// [`NO_BONE`].
pub fn weight_colors(weights: &SkinWeights, colors: &[Vec3]) -> Vec<Vec3> {
    if weights.per_vertex == 0 {
        return Vec::new();
    }
    weights
        .bones
        .chunks_exact(weights.per_vertex)
        .zip(weights.weights.chunks_exact(weights.per_vertex))
        .map(|(bones, weights)| {
            let (mut sum, mut total) = (Vec3::ZERO, 0.0);
            for (&bone, &weight) in bones.iter().zip(weights) {
                // Negative weights have no colour; what they take away shows in the others.
                let weight = weight.max(0.0);
                sum += weight * colors.get(bone as usize).copied().unwrap_or(NO_BONE);
                total += weight;
            }
            if total > 0.0 { sum / total } else { NO_BONE }
        })
        .collect()
}

/// The linear colour of `t` between 0 and 1 on the scale for numbers: from deep blue through violet and
/// orange to pale yellow, lightness rising evenly, so that it reads in grey and to the colour-blind too.
/// What is not a number is [`NO_BONE`].
pub fn heat_color(t: f32) -> Vec3 {
    if t.is_nan() {
        return NO_BONE;
    }
    // Knots in OKLab along an even ramp of lightness: (a, b) in between is linear.
    const KNOTS: [(f32, f32); 6] =
        [(-0.015, -0.145), (0.085, -0.125), (0.165, -0.01), (0.125, 0.10), (0.03, 0.145), (-0.03, 0.09)];
    let t = t.clamp(0.0, 1.0);
    let at = t * (KNOTS.len() - 1) as f32;
    let knot = (at as usize).min(KNOTS.len() - 2);
    let s = at - knot as f32;
    let ((a0, b0), (a1, b1)) = (KNOTS[knot], KNOTS[knot + 1]);
    let lightness = 0.30 + 0.65 * t;
    oklab(lightness, a0 + s * (a1 - a0), b0 + s * (b1 - b0)).clamp(Vec3::ZERO, Vec3::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(c: Vec3) -> f32 {
        c.dot(Vec3::new(0.2126, 0.7152, 0.0722))
    }

    #[test]
    fn white_and_black_survive() {
        assert_eq!(encode(Vec3::ONE), [255; 4]);
        assert_eq!(encode(Vec3::ZERO), [0, 0, 0, 255]);
        assert_eq!(encode(from_hex(0x12_80_fe)), [0x12, 0x80, 0xfe, 255]);
        assert_eq!(encode_channel(f32::NAN), 0);
    }

    #[test]
    fn palette_colours_stay_apart() {
        let colors = bone_palette(24);
        for i in 0..colors.len() {
            for j in 0..i {
                let (a, b) = (encode(colors[i]), encode(colors[j]));
                let apart: i32 = (0..3).map(|c| (i32::from(a[c]) - i32::from(b[c])).abs()).sum();
                assert!(apart > 24, "{i} and {j}: {a:?} {b:?}");
            }
        }
        assert_eq!(bone_palette(0), Vec::<Vec3>::new());
    }

    #[test]
    fn heat_grows_lighter_all_the_way() {
        let values: Vec<f32> = (0..=100).map(|i| luminance(heat_color(i as f32 / 100.0))).collect();
        assert!(values.windows(2).all(|w| w[1] > w[0]), "{values:?}");
        assert_eq!(heat_color(-3.0), heat_color(0.0));
        assert_eq!(heat_color(f32::NAN), NO_BONE);
    }

    #[test]
    fn weights_mix_the_colours_of_their_bones() {
        let colors = [Vec3::X, Vec3::Y];
        let weights = SkinWeights {
            per_vertex: 2,
            bones: vec![0, 1, 1, 0, 0, 0, 9, 0],
            weights: vec![0.75, 0.25, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0],
        };
        let got = weight_colors(&weights, &colors);
        assert_eq!(got, vec![Vec3::new(0.75, 0.25, 0.0), Vec3::Y, NO_BONE, NO_BONE]);
    }
}
