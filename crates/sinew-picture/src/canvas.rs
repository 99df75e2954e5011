//! Anti-aliased strokes, boxes and text on an image.

use glam::Vec2;

use crate::font;
use crate::image::Image;

/// Where text stands relative to its anchor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Align {
    Left,
    Middle,
    Right,
}

/// Line width of text in parts of the height of its capitals.
const PEN: f32 = 0.145;

/// Draws a line through `points`, `width` pixels wide, with round joins and ends. Pixel centres are at
/// half coordinates. Points that are not finite are left out.
pub(crate) fn stroke(image: &mut Image, lines: &[Vec<Vec2>], width: f32, color: [u8; 4]) {
    let radius = 0.5 * width;
    let reach = radius + 1.0;
    let segments: Vec<(Vec2, Vec2)> = lines
        .iter()
        .flat_map(|line| line.windows(2).map(|w| (w[0], w[1])))
        .filter(|(a, b)| a.is_finite() && b.is_finite())
        .collect();
    let Some(area) = Area::around(image, &segments, reach) else { return };
    // Coverage is the largest over the segments, so that joins are not darker than the rest.
    let mut coverage = vec![0.0_f32; area.width * area.height];
    for &(a, b) in &segments {
        let Some(part) = Area::around(image, &[(a, b)], reach) else { continue };
        for y in part.y..part.y + part.height {
            for x in part.x..part.x + part.width {
                let center = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let covered = (radius + 0.5 - distance(center, a, b)).clamp(0.0, width.min(1.0));
                let slot = &mut coverage[(y - area.y) * area.width + (x - area.x)];
                *slot = slot.max(covered);
            }
        }
    }
    for (i, &covered) in coverage.iter().enumerate() {
        if covered > 0.0 {
            let (x, y) = (area.x + i % area.width, area.y + i / area.width);
            blend(&mut image.pixels[y * image.width + x], color, covered);
        }
    }
}

/// Fills the box from `min` to `max`, in pixels, with soft edges at fractions.
pub(crate) fn fill_box(image: &mut Image, min: Vec2, max: Vec2, color: [u8; 4]) {
    let overlap = |i: usize, low: f32, high: f32| (high.min(i as f32 + 1.0) - low.max(i as f32)).max(0.0);
    let last = |v: f32, size: usize| (v.ceil().max(0.0) as usize).min(size);
    for y in min.y.max(0.0) as usize..last(max.y, image.height) {
        for x in min.x.max(0.0) as usize..last(max.x, image.width) {
            let covered = overlap(x, min.x, max.x) * overlap(y, min.y, max.y);
            blend(&mut image.pixels[y * image.width + x], color, covered);
        }
    }
}

/// Writes a line of text with its baseline at `at`, capitals `size` pixels high.
pub(crate) fn text(image: &mut Image, at: Vec2, words: &str, size: f32, align: Align, color: [u8; 4]) {
    write(image, at, words, size, align, color, Vec2::X);
}

/// Writes upwards: a line of text turned a quarter to the left.
pub(crate) fn text_upwards(
    image: &mut Image,
    at: Vec2,
    words: &str,
    size: f32,
    align: Align,
    color: [u8; 4],
) {
    write(image, at, words, size, align, color, Vec2::NEG_Y);
}

fn write(image: &mut Image, at: Vec2, words: &str, size: f32, align: Align, color: [u8; 4], along: Vec2) {
    let (mut lines, width) = font::strokes(words, size);
    let back = match align {
        Align::Left => 0.0,
        Align::Middle => 0.5 * width,
        Align::Right => width,
    };
    for p in lines.iter_mut().flatten() {
        *p = at + (p.x - back) * along + p.y * along.perp();
    }
    stroke(image, &lines, (PEN * size).max(1.15), color);
}

fn blend(pixel: &mut [u8; 4], color: [u8; 4], covered: f32) {
    let a = covered * f32::from(color[3]) / 255.0;
    for c in 0..3 {
        let (old, new) = (f32::from(pixel[c]), f32::from(color[c]));
        pixel[c] = (old + a * (new - old) + 0.5) as u8;
    }
    pixel[3] = pixel[3].max((255.0 * a + 0.5) as u8);
}

fn distance(p: Vec2, a: Vec2, b: Vec2) -> f32 {
    let ab = b - a;
    let t = ((p - a).dot(ab) / ab.length_squared().max(1e-12)).clamp(0.0, 1.0);
    p.distance(a + t * ab)
}

/// A rectangle of pixels inside an image.
struct Area {
    x: usize,
    y: usize,
    width: usize,
    height: usize,
}

impl Area {
    /// The pixels within `reach` of the segments, `None` when they are all outside of the image.
    fn around(image: &Image, segments: &[(Vec2, Vec2)], reach: f32) -> Option<Self> {
        let (mut min, mut max) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        for &(a, b) in segments {
            min = min.min(a).min(b);
            max = max.max(a).max(b);
        }
        let size = Vec2::new(image.width as f32, image.height as f32);
        let low = (min - reach).floor().max(Vec2::ZERO);
        let high = (max + reach).ceil().min(size);
        if !(low.x < high.x && low.y < high.y) {
            return None;
        }
        let (x, y) = (low.x as usize, low.y as usize);
        Some(Self { x, y, width: high.x as usize - x, height: high.y as usize - y })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strokes_cover_what_they_cross_and_nothing_else() {
        let mut image = Image::new(20, 20, [255; 4]).unwrap();
        stroke(&mut image, &[vec![Vec2::new(2.0, 10.5), Vec2::new(18.0, 10.5)]], 3.0, [0, 0, 0, 255]);
        assert_eq!(image.pixel(10, 10), [0, 0, 0, 255]);
        assert_eq!(image.pixel(10, 9), [0, 0, 0, 255]);
        assert_eq!(image.pixel(10, 13), [255; 4]);
        assert_eq!(image.pixel(10, 7), [255; 4]);
    }

    #[test]
    fn drawing_outside_does_nothing() {
        let blank = Image::new(8, 8, [9; 4]).unwrap();
        let mut image = blank.clone();
        stroke(&mut image, &[vec![Vec2::splat(-50.0), Vec2::splat(-40.0)]], 2.0, [0; 4]);
        stroke(&mut image, &[vec![Vec2::splat(f32::NAN), Vec2::splat(4.0)]], 2.0, [0, 0, 0, 255]);
        stroke(&mut image, &[vec![]], 2.0, [0, 0, 0, 255]);
        text(&mut image, Vec2::new(900.0, 4.0), "far away", 12.0, Align::Left, [0, 0, 0, 255]);
        assert_eq!(image, blank);
    }
}
