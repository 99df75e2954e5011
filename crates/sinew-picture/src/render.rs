//! From shots to one picture: a grid of poses under the same camera and light.

use glam::{Vec2, Vec3};

use crate::PictureError;
use crate::camera::{Camera, Margin, Normalize, View};
use crate::canvas::{Align, fill_box, stroke, text};
use crate::color::{INK, encode, heat_color};
use crate::draw::draw;
use crate::font;
use crate::image::Image;
use crate::label::{Frame, label};
use crate::options::PictureOptions;
use crate::plot::number;
use crate::skeleton::Shapes;
use crate::surface::{Coloring, Shot, Surface};

/// Where one shot of a picture is seen from, in the coordinates of its data: what another painter needs to know to
/// draw the same ([`render_by`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// The shot, from 0.
    pub shot: usize,
    /// Where the camera stands.
    pub eye: Vec3,
    /// A point it looks at.
    pub target: Vec3,
    /// Degrees from the lower to the upper edge of the shot.
    pub field_of_view: f32,
    /// The row, from above, at which that point is; room for titles and scales moves it off the middle.
    pub row: f32,
}

/// Draws all shots in a grid, row by row. The same shots give the same pixels for any number of threads.
pub fn render(shots: &[Shot], options: &PictureOptions) -> Result<Image, PictureError> {
    compose(shots, options, &mut |shot, all| {
        let shapes = shots[shot].skeleton.map(|bones| Shapes::new(bones, &all.normalizes[shot], &all.view));
        draw(&all.surfaces[shot], shapes.as_ref(), &all.view, all.floor, options)
    })
}

/// The same picture, its bodies drawn by somebody else, who returns as many pixels as a shot has. Bones are left out.
pub fn render_by<E: From<PictureError>>(
    shots: &[Shot],
    options: &PictureOptions,
    painter: &mut dyn FnMut(&Seen) -> Result<Image, E>,
) -> Result<Image, E> {
    compose(shots, options, &mut |shot, all| {
        let (view, normalize) = (&all.view, &all.normalizes[shot]);
        painter(&Seen {
            shot,
            eye: normalize.undo(view.eye),
            target: normalize.undo(view.eye + view.forward),
            field_of_view: 2.0 * (0.5 * options.height as f32 / view.focal).atan().to_degrees(),
            row: view.middle.y,
        })
    })
}

/// All shots made ready, and how they are seen.
struct Prepared<'a> {
    normalizes: Vec<Normalize>,
    surfaces: Vec<Surface<'a>>,
    floor: f32,
    view: View,
}

/// Lays shots out, has each drawn, and writes on them.
fn compose<'a, E: From<PictureError>>(
    shots: &[Shot<'a>],
    options: &PictureOptions,
    painter: &mut dyn FnMut(usize, &Prepared<'a>) -> Result<Image, E>,
) -> Result<Image, E> {
    if shots.is_empty() {
        return Err(PictureError::NoShots.into());
    }
    let columns = if options.columns == 0 { shots.len() } else { options.columns.min(shots.len()) };
    let rows = shots.len().div_ceil(columns);
    let [width, height] = [options.width, options.height];
    // A product that does not fit is too large in any case.
    let [all_across, all_down] = [width.saturating_mul(columns), height.saturating_mul(rows)];
    let mut picture = Image::new(all_across, all_down, encode(options.background[1]))?;
    let all = prepare(shots, options)?;
    for (i, shot) in shots.iter().enumerate() {
        let mut cell = painter(i, &all)?;
        if (cell.width, cell.height) != (width, height) {
            let [width, height] = [cell.width, cell.height];
            return Err(
                PictureError::Size { width, height, largest: options.width.max(options.height) }.into()
            );
        }
        if let (Some(skeleton), true) = (shot.skeleton, options.labels) {
            let letters = 0.9 * text_size(&cell);
            let occupied = annotated(&cell, shot);
            label(&mut cell, skeleton, &all.normalizes[i], &all.view, letters, &occupied);
        }
        annotate(&mut cell, shot);
        let origin = [i % columns * width, i / columns * height];
        for (y, row) in cell.pixels.chunks_exact(width).enumerate() {
            let start = (origin[1] + y) * picture.width + origin[0];
            picture.pixels[start..start + width].copy_from_slice(row);
        }
    }
    Ok(picture)
}

fn prepare<'a>(shots: &[Shot<'a>], options: &PictureOptions) -> Result<Prepared<'a>, PictureError> {
    let normalizes = match options.camera {
        Camera::Orbit { .. } => Normalize::following(options.up, shots.iter().map(drawn_points)),
        Camera::LookAt { .. } => {
            vec![Normalize::new(options.up, shots.iter().flat_map(drawn_points)); shots.len()]
        }
    };
    let surfaces = (shots.iter().zip(&normalizes).enumerate())
        .map(|(i, (shot, normalize))| Surface::new(shot, i, normalize))
        .collect::<Result<Vec<_>, _>>()?;
    let mut points: Vec<Vec3> = surfaces.iter().flat_map(|s| s.used_points().collect::<Vec<_>>()).collect();
    let floor = points.iter().fold(f32::INFINITY, |low, p| low.min(p.y));
    for (shot, normalize) in shots.iter().zip(&normalizes) {
        points.extend(shot.skeleton.iter().flat_map(|s| s.points()).map(|p| normalize.apply(p)));
    }
    let size = Vec2::new(options.width as f32, options.height as f32);
    let view = View::new(options.camera, &normalizes[0], size, margin(shots), &points);
    Ok(Prepared { normalizes, surfaces, floor, view })
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

/// Title and scale, in sizes that suit the picture's.
fn annotate(cell: &mut Image, shot: &Shot) {
    let unit = text_size(cell);
    text(cell, Vec2::new(2.0 * unit, 3.0 * unit), &shot.title, 1.15 * unit, Align::Left, INK);
    if let Coloring::Scalar { range, label, .. } = shot.coloring {
        scale_bar(cell, range, label, unit);
    }
}

/// What [`annotate`] writes on.
fn annotated(cell: &Image, shot: &Shot) -> Vec<Frame> {
    let (unit, corner) = (text_size(cell), Vec2::new(cell.width as f32, cell.height as f32));
    let title = Vec2::new(2.0 * unit + font::width(&shot.title, 1.15 * unit), 4.0 * unit);
    let scale = Vec2::new(26.0 * unit, 7.5 * unit);
    let shown = !shot.title.is_empty();
    let mut frames: Vec<Frame> = shown.then_some(Frame { min: Vec2::ZERO, max: title }).into_iter().collect();
    if matches!(shot.coloring, Coloring::Scalar { .. }) {
        frames.push(Frame { min: corner - scale, max: corner });
    }
    frames
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
