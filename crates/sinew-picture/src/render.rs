//! From shots to one picture: a grid of poses under the same camera and light.

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::PictureError;
use crate::camera::{Camera, Margin, Normalize, UpAxis, View};
use crate::canvas::{Align, fill_box, stroke, text};
use crate::color::{encode, from_hex, heat_color};
use crate::font;
use crate::image::Image;
use crate::light::Lighting;
use crate::plot::number;
use crate::raster::{Fragment, ScreenTriangle, TILE, TileBuffer, Tiles, project};
use crate::shade::Studio;
use crate::surface::{Coloring, Shot, Surface};

/// How a picture is taken.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureOptions {
    /// Pixels across each shot.
    pub width: usize,
    /// Pixels down each shot.
    pub height: usize,
    /// Shots side by side; 0 puts all in one row.
    pub columns: usize,
    /// The camera, the same for all shots but for following what travels far.
    pub camera: Camera,
    /// Which way is up in the data.
    pub up: UpAxis,
    /// Linear colours behind the mesh, at the upper and the lower edge.
    pub background: [Vec3; 2],
    /// Whether there is a floor, at the lowest point of all shots, to throw shadows on.
    pub ground: bool,
    /// Samples along each side of a pixel, 1 to 8.
    pub supersampling: usize,
    /// Whether the edges of faces are drawn.
    pub wireframe: bool,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            width: 1200,
            height: 800,
            columns: 0,
            camera: Camera::default(),
            up: UpAxis::Y,
            background: [from_hex(0xe9_ed_f2), from_hex(0xf7_f8_fa)],
            ground: true,
            supersampling: 3,
            wireframe: false,
        }
    }
}

const INK: [u8; 4] = [38, 44, 54, 255];
/// Degrees from the camera to the lamp, around and above the horizon.
const LAMP_TURN: f32 = -62.0;
const LAMP_ELEVATION: f32 = 56.0;
/// How much of the floor's light the lamp's and the sky's shadow take away.
const SHADOW: Vec2 = Vec2::new(0.30, 0.42);

/// Draws all shots in a grid, row by row. The same shots give the same pixels for any number of threads.
pub fn render(shots: &[Shot], options: &PictureOptions) -> Result<Image, PictureError> {
    if shots.is_empty() {
        return Err(PictureError::NoShots);
    }
    let columns = if options.columns == 0 { shots.len() } else { options.columns.min(shots.len()) };
    let rows = shots.len().div_ceil(columns);
    let [width, height] = [options.width, options.height];
    // A product that does not fit is too large in any case.
    let [all_across, all_down] = [width.saturating_mul(columns), height.saturating_mul(rows)];
    let mut picture = Image::new(all_across, all_down, encode(options.background[1]))?;
    let normalizes = match options.camera {
        Camera::Orbit { .. } => Normalize::following(options.up, shots.iter().map(drawn_points)),
        Camera::LookAt { .. } => {
            vec![Normalize::new(options.up, shots.iter().flat_map(drawn_points)); shots.len()]
        }
    };
    let surfaces = (shots.iter().zip(&normalizes).enumerate())
        .map(|(i, (shot, normalize))| Surface::new(shot, i, normalize))
        .collect::<Result<Vec<_>, _>>()?;
    let points: Vec<Vec3> = surfaces.iter().flat_map(|s| s.used_points().collect::<Vec<_>>()).collect();
    let size = Vec2::new(width as f32, height as f32);
    let view = View::new(options.camera, &normalizes[0], size, margin(shots), &points);
    let floor = points.iter().fold(f32::INFINITY, |low, p| low.min(p.y));
    for (i, (shot, surface)) in shots.iter().zip(&surfaces).enumerate() {
        let mut cell = draw(surface, &view, floor, options)?;
        annotate(&mut cell, shot);
        let origin = [i % columns * width, i / columns * height];
        for (y, row) in cell.pixels.chunks_exact(width).enumerate() {
            let start = (origin[1] + y) * picture.width + origin[0];
            picture.pixels[start..start + width].copy_from_slice(row);
        }
    }
    Ok(picture)
}

/// Leaves room for titles above and scales below, where there are any.
fn margin(shots: &[Shot]) -> Margin {
    let titles = shots.iter().any(|s| !s.title.is_empty());
    let scales = shots.iter().any(|s| matches!(s.coloring, Coloring::Scalar { .. }));
    Margin { side: 0.10, above: if titles { 0.20 } else { 0.12 }, below: if scales { 0.28 } else { 0.14 } }
}

/// The points that decide where the middle of the scene is. Indices are checked later.
fn drawn_points<'a>(shot: &'a Shot) -> impl Iterator<Item = Vec3> + 'a {
    let vertices = match shot.triangles {
        Some(triangles) => triangles.as_flattened(),
        None => &shot.mesh.corners,
    };
    vertices.iter().filter_map(|&v| shot.positions.get(v as usize).copied())
}

fn draw(surface: &Surface, view: &View, floor: f32, options: &PictureOptions) -> Result<Image, PictureError> {
    let grid = options.supersampling.clamp(1, 8);
    let size = [options.width, options.height];
    let lamp = around(view, LAMP_TURN, LAMP_ELEVATION);
    let lighting = Lighting::new(surface, lamp, floor, options.ground && floor.is_finite());
    let triangles = project(surface, view, size, grid);
    let tiles = Tiles::new(&triangles, size, grid);
    let studio = Studio {
        surface,
        lighting: &lighting,
        lamp,
        fill: around(view, 70.0, 12.0),
        eye: view.eye,
        line_width: if options.wireframe { grid as f32 * 1.1 } else { 0.0 },
    };
    let drawn: Vec<Vec<[u8; 4]>> = (0..tiles.bins.len())
        .into_par_iter()
        .map(|tile| draw_tile(tile, &tiles, &triangles, &studio, view, options))
        .collect();
    let mut image = Image::new(size[0], size[1], [255; 4])?;
    for (tile, pixels) in drawn.iter().enumerate() {
        let (left, top) = (tile % tiles.columns * TILE, tile / tiles.columns * TILE);
        let width = TILE.min(size[0] - left);
        for (y, row) in pixels.chunks_exact(TILE).enumerate().take(size[1] - top) {
            let start = (top + y) * size[0] + left;
            image.pixels[start..start + width].copy_from_slice(&row[..width]);
        }
    }
    Ok(image)
}

/// The direction `turn` degrees around from the camera and `elevation` degrees above the horizon.
fn around(view: &View, turn: f32, elevation: f32) -> Vec3 {
    let back = -view.forward;
    let azimuth = back.x.atan2(back.z) + turn.to_radians();
    let (sin_e, cos_e) = elevation.to_radians().sin_cos();
    Vec3::new(azimuth.sin() * cos_e, sin_e, azimuth.cos() * cos_e)
}

fn draw_tile(
    tile: usize,
    tiles: &Tiles,
    triangles: &[ScreenTriangle],
    studio: &Studio,
    view: &View,
    options: &PictureOptions,
) -> Vec<[u8; 4]> {
    let grid = options.supersampling.clamp(1, 8);
    let (left, top) = (tile % tiles.columns * TILE, tile / tiles.columns * TILE);
    let mut buffer = TileBuffer::new(grid);
    buffer.draw(triangles, &tiles.bins[tile], [left * grid, top * grid]);
    let origin = Vec2::new((left * grid) as f32, (top * grid) as f32);
    let mut fragments: Vec<Fragment> = Vec::new();
    (0..TILE * TILE)
        .map(|i| {
            buffer.fragments(i % TILE, i / TILE, &mut fragments);
            let color = fragments.iter().fold(Vec3::ZERO, |sum, f| {
                let sample = origin + f.middle;
                sum + f.part
                    * match f.triangle {
                        Some(index) => studio.color(&triangles[index as usize], sample),
                        None => background(studio, view, sample / grid as f32, options),
                    }
            });
            encode(color)
        })
        .collect()
}

fn background(studio: &Studio, view: &View, pixel: Vec2, options: &PictureOptions) -> Vec3 {
    let [upper, lower] = options.background;
    let plain = upper.lerp(lower, (pixel.y / options.height as f32).clamp(0.0, 1.0));
    let light = studio.lighting.on_floor(view.eye, view.ray(pixel));
    // Shadows fade before the sides, where the next shot begins.
    let side = (pixel.x.min(options.width as f32 - pixel.x) / (0.12 * options.width as f32)).clamp(0.0, 1.0);
    plain * (1.0 - side * SHADOW.dot(Vec2::ONE - light)).max(0.0)
}

/// Title and scale, in sizes that suit the picture's.
fn annotate(cell: &mut Image, shot: &Shot) {
    let unit = text_size(cell);
    text(cell, Vec2::new(2.0 * unit, 3.0 * unit), &shot.title, 1.15 * unit, Align::Left, INK);
    if let Coloring::Scalar { range, label, .. } = shot.coloring {
        scale_bar(cell, range, label, unit);
    }
}

fn text_size(cell: &Image) -> f32 {
    (0.017 * (cell.width * cell.height) as f32).sqrt().mul_add(0.1, 2.0).clamp(7.0, 40.0)
}

/// A horizontal bar at the lower right: label above, numbers below.
fn scale_bar(cell: &mut Image, range: (f32, f32), label: &str, unit: f32) {
    let (width, height) = (cell.width as f32, cell.height as f32);
    let long = (22.0 * unit).min(0.6 * width).round();
    let max = Vec2::new(width - 2.5 * unit, height - 3.6 * unit).round();
    let min = Vec2::new(max.x - long, max.y - (1.1 * unit).round());
    for x in 0..long as usize {
        let t = x as f32 / (long - 1.0).max(1.0);
        let left = min.x + x as f32;
        fill_box(cell, Vec2::new(left, min.y), Vec2::new(left + 1.0, max.y), encode(heat_color(t)));
    }
    let label_at = min.x.min(max.x - font::width(label, unit));
    text(cell, Vec2::new(label_at, min.y - 0.9 * unit), label, unit, Align::Left, INK);
    let step = f64::from(range.1 - range.0).abs() / 2.0;
    for (t, align) in [(0.0, Align::Left), (0.5, Align::Middle), (1.0, Align::Right)] {
        let x = min.x + t * long;
        let value = f64::from(range.0) + f64::from(t) * f64::from(range.1 - range.0);
        let tick = vec![
            Vec2::new(x.clamp(min.x + 0.5, max.x - 0.5), max.y),
            Vec2::new(x.clamp(min.x + 0.5, max.x - 0.5), max.y + 0.4 * unit),
        ];
        stroke(cell, &[tick], 1.0, INK);
        text(cell, Vec2::new(x, max.y + 1.9 * unit), &number(value, step), 0.85 * unit, align, INK);
    }
}
