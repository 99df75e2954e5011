//! One shot drawn: the body, and the bones inside of it.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::PictureError;
use crate::camera::{NEAR, View};
use crate::color::encode;
use crate::image::Image;
use crate::light::Lighting;
use crate::options::PictureOptions;
use crate::raster::{Fragment, ScreenTriangle, TILE, TileBuffer, Tiles, project};
use crate::shade::Studio;
use crate::skeleton::Shapes;
use crate::surface::{Looks, Surface};

/// Degrees from the camera to the lamp, around and above the horizon.
const LAMP_TURN: f32 = -62.0;
const LAMP_ELEVATION: f32 = 56.0;
/// How much of the floor's light the lamp's and the sky's shadow take away.
const SHADOW: Vec2 = Vec2::new(0.30, 0.42);
/// Opacity of a body with bones in it where it is looked at straight on; it grows to one at the rim, which
/// keeps its form. Numbers on a scale stay more readable.
const GLASS: f32 = 0.66;
const GLASS_WITH_NUMBERS: f32 = 0.80;
/// Opacity of the body before its nearest and its farthest bones. All are to be seen well, those of the
/// far side a little less, so that a left leg is not taken for a right one.
const VEIL: [f32; 2] = [0.06, 0.42];
/// Differences in depth that make the whole difference between the two, at least: a flat skeleton is all
/// near.
const VEIL_DEPTH: f32 = 0.4;

/// Draws a body, translucent when there are bones in it.
pub(crate) fn draw(
    body: &Surface,
    bones: Option<&Shapes>,
    view: &View,
    floor: f32,
    options: &PictureOptions,
) -> Result<Image, PictureError> {
    let lamp = around(view, LAMP_TURN, LAMP_ELEVATION);
    let lighting = match options.shadows {
        true => Lighting::new(body, lamp, floor, options.ground && floor.is_finite()),
        false => Lighting::open(body.positions.len()),
    };
    let lines = if options.wireframe { samples_across(options) as f32 * 1.1 } else { 0.0 };
    let body = Layer::new(studio(body, &lighting, lamp, view, lines), view, options, usize::MAX);
    let open = bones.map(|shapes| Lighting::open(shapes.surface.positions.len()));
    let bones = bones.zip(open.as_ref()).map(|(shapes, open)| Bones {
        layer: Layer::new(studio(&shapes.surface, open, lamp, view, 0.0), view, options, shapes.hulls_from),
        depths: depths(&shapes.surface, view),
    });
    let drawn: Vec<Vec<[u8; 4]>> = (0..body.tiles.bins.len())
        .into_par_iter()
        .map(|tile| draw_tile(tile, &body, bones.as_ref(), view, options))
        .collect();
    let size = [options.width, options.height];
    let mut image = Image::new(size[0], size[1], [255; 4])?;
    for (tile, pixels) in drawn.iter().enumerate() {
        let (left, top) = (tile % body.tiles.columns * TILE, tile / body.tiles.columns * TILE);
        let width = TILE.min(size[0] - left);
        for (y, row) in pixels.chunks_exact(TILE).enumerate().take(size[1] - top) {
            let start = (top + y) * size[0] + left;
            image.pixels[start..start + width].copy_from_slice(&row[..width]);
        }
    }
    Ok(image)
}

fn samples_across(options: &PictureOptions) -> usize {
    options.supersampling.clamp(1, 8)
}

/// The direction `turn` degrees around from the camera and `elevation` degrees above the horizon.
fn around(view: &View, turn: f32, elevation: f32) -> Vec3 {
    let back = -view.forward;
    let azimuth = back.x.atan2(back.z) + turn.to_radians();
    let (sin_e, cos_e) = elevation.to_radians().sin_cos();
    Vec3::new(azimuth.sin() * cos_e, sin_e, azimuth.cos() * cos_e)
}

fn studio<'a>(
    surface: &'a Surface<'a>,
    lighting: &'a Lighting,
    lamp: Vec3,
    view: &View,
    line_width: f32,
) -> Studio<'a> {
    Studio { surface, lighting, lamp, fill: around(view, 70.0, 12.0), eye: view.eye, line_width }
}

/// A surface with a z-buffer of its own: within a layer what is nearer hides what is farther.
struct Layer<'a> {
    studio: Studio<'a>,
    triangles: Vec<ScreenTriangle>,
    tiles: Tiles,
}

impl<'a> Layer<'a> {
    /// Projects a surface. Of the triangles from `hulls_from` on, only the backs are drawn.
    fn new(studio: Studio<'a>, view: &View, options: &PictureOptions, hulls_from: usize) -> Self {
        let (size, grid) = ([options.width, options.height], samples_across(options));
        let mut triangles = project(studio.surface, view, size, grid);
        triangles.retain(|t| (t.triangle as usize) < hulls_from || !t.front);
        let tiles = Tiles::new(&triangles, size, grid);
        Self { studio, triangles, tiles }
    }

    /// What of the layer is seen in a tile, whose upper left sample is `origin`.
    fn buffer(&self, tile: usize, origin: [usize; 2], grid: usize) -> TileBuffer {
        let mut buffer = TileBuffer::new(grid);
        buffer.draw(&self.triangles, &self.tiles.bins[tile], origin);
        buffer
    }
}

/// The bones of a shot.
struct Bones<'a> {
    layer: Layer<'a>,
    /// Depth of the nearest and of the farthest place.
    depths: [f32; 2],
}

impl Bones<'_> {
    /// How much of a bone a body before it hides.
    fn veil(&self, inverse_depth: f32) -> f32 {
        let [near, far] = self.depths;
        let t = (inverse_depth.recip() - near) / (far - near).max(VEIL_DEPTH);
        VEIL[0] + (VEIL[1] - VEIL[0]) * t.clamp(0.0, 1.0)
    }
}

fn depths(surface: &Surface, view: &View) -> [f32; 2] {
    let depths = surface.positions.iter().map(|&p| view.eye_space(p).z).filter(|z| *z > NEAR);
    depths.fold([f32::INFINITY, NEAR], |[near, far], z| [near.min(z), far.max(z)])
}

fn draw_tile(
    tile: usize,
    body: &Layer,
    bones: Option<&Bones>,
    view: &View,
    options: &PictureOptions,
) -> Vec<[u8; 4]> {
    let grid = samples_across(options);
    let corner = [tile % body.tiles.columns * TILE * grid, tile / body.tiles.columns * TILE * grid];
    let origin = Vec2::new(corner[0] as f32, corner[1] as f32);
    let front = body.buffer(tile, corner, grid);
    let inside = bones.map(|bones| (bones, bones.layer.buffer(tile, corner, grid)));
    let mut fragments: Vec<Fragment> = Vec::new();
    (0..TILE * TILE)
        .map(|i| {
            let (x, y) = (i % TILE, i / TILE);
            front.fragments(x, y, &mut fragments);
            let color = fragments.iter().fold(Vec3::ZERO, |sum, f| {
                let sample = origin + f.middle;
                let behind = || background(&body.studio, view, sample / grid as f32, options);
                let color = match f.triangle.map(|index| &body.triangles[index as usize]) {
                    None => behind(),
                    Some(t) if bones.is_none() => body.studio.color(t, sample),
                    Some(t) => behind().lerp(body.studio.color(t, sample), opacity(&body.studio, t, sample)),
                };
                sum + f.part * color
            });
            let Some((bones, buffer)) = &inside else { return encode(color) };
            buffer.fragments(x, y, &mut fragments);
            let with_bones = fragments.iter().fold(color, |sum, f| {
                let Some(index) = f.triangle else { return sum };
                let Layer { studio, triangles, .. } = &bones.layer;
                let bone = studio.color(&triangles[index as usize], origin + f.middle);
                let depth = buffer.inverse_depth(f.middle);
                let veil = if front.inverse_depth(f.middle) > depth { bones.veil(depth) } else { 0.0 };
                sum + f.part * (1.0 - veil) * (bone - color)
            });
            encode(with_bones)
        })
        .collect()
}

/// How much of what is behind a translucent body it hides.
fn opacity(studio: &Studio, t: &ScreenTriangle, sample: Vec2) -> f32 {
    let least = if matches!(studio.surface.looks, Looks::Scalar { .. }) { GLASS_WITH_NUMBERS } else { GLASS };
    let rim = 1.0 - studio.facing(t, sample);
    least + (1.0 - least) * rim * rim
}

fn background(studio: &Studio, view: &View, pixel: Vec2, options: &PictureOptions) -> Vec3 {
    let [upper, lower] = options.background;
    let plain = upper.lerp(lower, (pixel.y / options.height as f32).clamp(0.0, 1.0));
    let light = studio.lighting.on_floor(view.eye, view.ray(pixel));
    // Shadows fade before the sides, where the next shot begins.
    let side = (pixel.x.min(options.width as f32 - pixel.x) / (0.12 * options.width as f32)).clamp(0.0, 1.0);
    plain * (1.0 - side * SHADOW.dot(Vec2::ONE - light)).max(0.0)
}
