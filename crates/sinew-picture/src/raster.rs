//! Which triangle is seen where: a z-buffer over small tiles.
//!
//! Coverage is tested at several samples a pixel, colour is found once for each triangle in a pixel, as
//! in multisampling on a GPU. Corners are snapped to a fine grid, which makes edge functions exact (in
//! f64, for any picture that fits the memory), so that triangles that share an edge leave no gap.

use std::ops::Range;

use glam::{DVec2, Vec2, Vec3};

use crate::camera::{NEAR, View};
use crate::surface::Surface;

/// Pixels on each side of a tile.
pub(crate) const TILE: usize = 32;
/// Steps of the grid that corners are snapped to, in a sample.
const GRID: f64 = 32.0;
/// No triangle.
const NONE: u32 = u32::MAX;

/// A triangle in front of the camera, ready to be filled.
pub(crate) struct ScreenTriangle {
    /// Triangle of the surface.
    pub triangle: u32,
    /// Whether its front is seen.
    pub front: bool,
    /// Edge functions, positive inside: x, y and constant factors, in grid steps.
    edges: [[f64; 3]; 3],
    /// One over the sum of the edge functions.
    inverse_area: f64,
    /// One over depth at the corners.
    inverse_depth: Vec3,
    /// Barycentric coordinates of the corners in the triangle of the surface; the identity unless cut.
    corners: [Vec3; 3],
    cut: bool,
    /// Samples around it: left, top, right, bottom, the last two outside.
    samples: [usize; 4],
}

impl ScreenTriangle {
    /// Barycentric coordinates, corrected for perspective, at a place in samples.
    pub fn barycentric(&self, sample: Vec2) -> Vec3 {
        let p = sample.as_dvec2() * GRID;
        let e = self.edges.map(|[x, y, c]| ((x * p.x + y * p.y + c) * self.inverse_area) as f32);
        let weights = Vec3::from_array(e).clamp(Vec3::ZERO, Vec3::ONE) * self.inverse_depth;
        let w = weights / weights.element_sum().max(f32::MIN_POSITIVE);
        w.x * self.corners[0] + w.y * self.corners[1] + w.z * self.corners[2]
    }

    /// Distance in samples from a place to the nearest of the edges marked by `which`.
    pub fn edge_distance(&self, sample: Vec2, which: [bool; 3]) -> f32 {
        if self.cut {
            return f32::INFINITY;
        }
        let p = sample.as_dvec2() * GRID;
        (0..3).filter(|&i| which[i]).fold(f32::INFINITY, |nearest, i| {
            let [x, y, c] = self.edges[i];
            nearest.min(((x * p.x + y * p.y + c) / (GRID * x.hypot(y))) as f32)
        })
    }
}

/// Where a triangle may cover rows of samples. Long thin ones are far smaller than the box around them.
struct Spans<'a> {
    triangle: &'a ScreenTriangle,
    /// One over how much each edge function grows from one sample to the next.
    inverse_steps: [f64; 3],
}

impl<'a> Spans<'a> {
    fn new(triangle: &'a ScreenTriangle) -> Self {
        Self { triangle, inverse_steps: triangle.edges.map(|[x, _, _]| 1.0 / (x * GRID)) }
    }

    /// The samples of some rows, out of `columns`, outside of which an edge function is negative. There may be one too
    /// many on each side.
    fn of_rows(&self, rows: Range<usize>, columns: &Range<usize>) -> Range<usize> {
        let [first, last] = [rows.start, rows.end - 1].map(|y| (y as f64 + 0.5) * GRID);
        let (mut low, mut high) = (columns.start as f64, columns.end as f64);
        for ([x, y, c], inverse) in self.triangle.edges.iter().zip(&self.inverse_steps) {
            let at_zero = 0.5 * x * GRID + (y * first).max(y * last) + c;
            if *x == 0.0 {
                if at_zero < 0.0 {
                    return columns.start..columns.start;
                }
                continue;
            }
            let zero = (-at_zero * inverse).floor();
            if *x > 0.0 {
                low = low.max(zero);
            } else {
                high = high.min(zero + 2.0);
            }
        }
        if low < high { low as usize..high as usize } else { columns.start..columns.start }
    }
}

/// Projects the triangles of a surface. `size` is that of the picture in pixels, `grid` the number of
/// samples along a pixel's side.
pub(crate) fn project(surface: &Surface, view: &View, size: [usize; 2], grid: usize) -> Vec<ScreenTriangle> {
    let eye: Vec<Vec3> = surface.positions.iter().map(|&p| view.eye_space(p)).collect();
    let mut out = Vec::with_capacity(surface.triangles.len());
    let samples = size.map(|s| s * grid);
    for (i, t) in surface.triangles.iter().enumerate() {
        let corners = t.map(|v| eye[v as usize]);
        let polygon = in_front(corners);
        for k in 1..polygon.len().saturating_sub(1) {
            let part = [polygon[0], polygon[k], polygon[k + 1]];
            out.extend(set_up(i as u32, part, polygon.len() != 3, view, samples, grid));
        }
    }
    out
}

/// A corner relative to the eye, and its barycentric coordinates.
type Corner = (Vec3, Vec3);

/// The part of a triangle in front of the camera, as a convex polygon: Sutherland and Hodgman (1974).
fn in_front(corners: [Vec3; 3]) -> Vec<Corner> {
    let all = [(corners[0], Vec3::X), (corners[1], Vec3::Y), (corners[2], Vec3::Z)];
    if corners.iter().all(|c| c.z > NEAR) {
        return all.to_vec();
    }
    let mut out = Vec::new();
    for i in 0..3 {
        let (a, b) = (all[i], all[(i + 1) % 3]);
        if a.0.z > NEAR {
            out.push(a);
        }
        if (a.0.z > NEAR) != (b.0.z > NEAR) {
            let t = (NEAR - a.0.z) / (b.0.z - a.0.z);
            out.push((a.0.lerp(b.0, t), a.1.lerp(b.1, t)));
        }
    }
    // Three corners left of a cut triangle would pass for a whole one.
    if out.len() == 3 {
        out.push(out[2]);
    }
    out
}

fn set_up(
    triangle: u32,
    corners: [Corner; 3],
    cut: bool,
    view: &View,
    samples: [usize; 2],
    grid: usize,
) -> Option<ScreenTriangle> {
    let points = corners.map(|(p, _)| (view.pixel(p).as_dvec2() * (grid as f64 * GRID)).round());
    let area = (points[1] - points[0]).perp_dot(points[2] - points[0]);
    if area == 0.0 || !area.is_finite() {
        return None;
    }
    // Rows grow downwards, so a front, counter-clockwise to the eye, has a negative area.
    let sign = area.signum();
    let edge = |a: DVec2, b: DVec2| [sign * (a.y - b.y), sign * (b.x - a.x), sign * a.perp_dot(b)];
    let low = points[0].min(points[1]).min(points[2]) / GRID - 0.5;
    let high = points[0].max(points[1]).max(points[2]) / GRID + 0.5;
    let clamp = |v: f64, size: usize| v.clamp(0.0, size as f64) as usize;
    let bounds = [
        clamp(low.x.ceil(), samples[0]),
        clamp(low.y.ceil(), samples[1]),
        clamp(high.x.floor(), samples[0]),
        clamp(high.y.floor(), samples[1]),
    ];
    if bounds[0] >= bounds[2] || bounds[1] >= bounds[3] {
        return None;
    }
    Some(ScreenTriangle {
        triangle,
        front: area < 0.0,
        edges: [edge(points[1], points[2]), edge(points[2], points[0]), edge(points[0], points[1])],
        inverse_area: 1.0 / area.abs(),
        inverse_depth: Vec3::from_array(corners.map(|(p, _)| 1.0 / p.z)),
        corners: corners.map(|(_, b)| b),
        cut,
        samples: bounds,
    })
}

/// The tiles of a picture and the triangles that may touch each, in order.
pub(crate) struct Tiles {
    pub columns: usize,
    pub bins: Vec<Vec<u32>>,
}

impl Tiles {
    pub fn new(triangles: &[ScreenTriangle], size: [usize; 2], grid: usize) -> Self {
        let columns = size[0].div_ceil(TILE);
        let mut bins = vec![Vec::new(); columns * size[1].div_ceil(TILE)];
        let side = TILE * grid;
        for (i, t) in triangles.iter().enumerate() {
            let [left, top, right, bottom] = t.samples;
            let spans = Spans::new(t);
            for row in top / side..=(bottom - 1) / side {
                let rows = top.max(row * side)..bottom.min((row + 1) * side);
                let touched = spans.of_rows(rows, &(left..right));
                if touched.is_empty() {
                    continue;
                }
                for column in touched.start / side..=(touched.end - 1) / side {
                    bins[row * columns + column].push(i as u32);
                }
            }
        }
        Self { columns, bins }
    }
}

/// What is nearest at each sample of a tile.
pub(crate) struct TileBuffer {
    grid: usize,
    side: usize,
    inverse_depth: Vec<f32>,
    triangle: Vec<u32>,
}

/// The part of a pixel in which one triangle is seen.
pub(crate) struct Fragment {
    /// Index of the screen triangle, `None` for the background.
    pub triangle: Option<u32>,
    /// Part of the pixel's samples.
    pub part: f32,
    /// Mean of those samples, in samples from the upper left of the tile. A triangle is convex: the mean
    /// is inside of it.
    pub middle: Vec2,
}

impl TileBuffer {
    pub fn new(grid: usize) -> Self {
        let side = TILE * grid;
        Self { grid, side, inverse_depth: vec![0.0; side * side], triangle: vec![NONE; side * side] }
    }

    /// Fills the buffer with the triangles of one tile, whose upper left sample is `origin`.
    pub fn draw(&mut self, triangles: &[ScreenTriangle], bin: &[u32], origin: [usize; 2]) {
        for &index in bin {
            self.draw_one(&triangles[index as usize], index, origin);
        }
    }

    fn draw_one(&mut self, t: &ScreenTriangle, index: u32, origin: [usize; 2]) {
        let [left, top, right, bottom] = t.samples;
        let columns = left.max(origin[0])..right.min(origin[0] + self.side);
        let depth_at = |e: [f64; 3]| {
            let [u, v, w] = e.map(|e| (e * t.inverse_area) as f32);
            Vec3::new(u, v, w).dot(t.inverse_depth)
        };
        let spans = Spans::new(t);
        for y in top.max(origin[1])..bottom.min(origin[1] + self.side) {
            let columns = spans.of_rows(y..y + 1, &columns);
            let row = (y - origin[1]) * self.side;
            // Exact wherever the row begins.
            let (px, py) = ((columns.start as f64 + 0.5) * GRID, (y as f64 + 0.5) * GRID);
            let mut e = t.edges.map(|[ex, ey, c]| ex * px + ey * py + c);
            for x in columns {
                if e[0] >= 0.0 && e[1] >= 0.0 && e[2] >= 0.0 {
                    let (slot, depth) = (row + x - origin[0], depth_at(e));
                    if depth > self.inverse_depth[slot] {
                        self.inverse_depth[slot] = depth;
                        self.triangle[slot] = index;
                    }
                }
                for i in 0..3 {
                    e[i] += t.edges[i][0] * GRID;
                }
            }
        }
    }

    /// One over the depth of what is seen at a place given in samples from the upper left of the tile, 0
    /// of the background.
    pub fn inverse_depth(&self, place: Vec2) -> f32 {
        let [x, y] = [place.x, place.y].map(|v| (v as usize).min(self.side - 1));
        self.inverse_depth[y * self.side + x]
    }

    /// The triangles seen in one pixel of the tile, in the order of its samples.
    pub fn fragments(&self, x: usize, y: usize, out: &mut Vec<Fragment>) {
        out.clear();
        for sy in y * self.grid..(y + 1) * self.grid {
            for sx in x * self.grid..(x + 1) * self.grid {
                let id = self.triangle[sy * self.side + sx];
                let triangle = (id != NONE).then_some(id);
                let place = Vec2::new(sx as f32 + 0.5, sy as f32 + 0.5);
                match out.iter_mut().find(|f| f.triangle == triangle) {
                    Some(f) => {
                        f.part += 1.0;
                        f.middle += place;
                    }
                    None => out.push(Fragment { triangle, part: 1.0, middle: place }),
                }
            }
        }
        for f in out {
            f.middle /= f.part;
            f.part /= (self.grid * self.grid) as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle of corners on the grid, in a picture of so many samples.
    fn triangle(points: [[i32; 2]; 3], side: usize) -> Option<ScreenTriangle> {
        let p = points.map(|[x, y]| DVec2::new(f64::from(x), f64::from(y)));
        let area = (p[1] - p[0]).perp_dot(p[2] - p[0]);
        let sign = area.signum();
        let edge = |a: DVec2, b: DVec2| [sign * (a.y - b.y), sign * (b.x - a.x), sign * a.perp_dot(b)];
        (area != 0.0).then(|| ScreenTriangle {
            triangle: 0,
            front: area < 0.0,
            edges: [edge(p[1], p[2]), edge(p[2], p[0]), edge(p[0], p[1])],
            inverse_area: 1.0 / area.abs(),
            inverse_depth: Vec3::ONE,
            corners: [Vec3::X, Vec3::Y, Vec3::Z],
            cut: false,
            samples: [0, 0, side, side],
        })
    }

    /// Long thin triangles are looked at only where they may be, which is everywhere they are.
    #[test]
    fn spans_and_tiles_hold_all_that_a_triangle_covers() {
        let side = 4 * TILE;
        let most = (side as f64 * GRID) as i32;
        let mut seed = 1_u32;
        let mut random = |below: i32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) as i32 % below
        };
        for number in 0..300 {
            let [a, b] = [0; 2].map(|_| [random(most), random(most)]);
            // Two of three are slivers, or have an edge along a row or a column.
            let c = match number % 3 {
                0 => [random(most), random(most)],
                1 => [b[0] + random(40) - 20, b[1] + random(40) - 20],
                _ => [a[0], random(most)],
            };
            let Some(t) = triangle([a, b, c], side) else { continue };
            let tiles = Tiles::new(std::slice::from_ref(&t), [side; 2], 1);
            let mut looked_at = 0;
            for y in 0..side {
                let span = Spans::new(&t).of_rows(y..y + 1, &(0..side));
                looked_at += span.len();
                for x in 0..side {
                    let at = DVec2::new(x as f64 + 0.5, y as f64 + 0.5) * GRID;
                    if t.edges.iter().all(|[ex, ey, c]| ex * at.x + ey * at.y + c >= 0.0) {
                        assert!(span.contains(&x), "{number}: {x} {y} {span:?}");
                        assert_eq!(tiles.bins[y / TILE * tiles.columns + x / TILE], [0], "{number}: {x} {y}");
                    }
                }
            }
            if number % 3 == 1 {
                assert!(looked_at < 8 * side, "{number}: {looked_at}");
            }
        }
    }
}
