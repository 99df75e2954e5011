//! How much light reaches each place, found by looking from where the light comes from.
//!
//! The studio is a sky all around, a floor that throws some of it back, and one large lamp. Each is a
//! handful of directions, and each direction gets a depth map of the surface (Williams 1978). A vertex,
//! or a place on the floor, is lit by the directions whose map shows nothing before it. Many directions
//! with hard shadows add up to soft ones without noise.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};
use rayon::prelude::*;

use crate::surface::Surface;

/// Texels on each side of a depth map.
const MAP_SIZE: usize = 288;
/// Texels on each side of the floor's map.
const FLOOR_SIZE: usize = 256;
/// Half the side of the floor's map; the surface's box fits a sphere of radius one.
const FLOOR_EXTENT: f32 = 2.6;
/// Radii, in texels, of the smoothing of the floor's light.
const LAMP_BLUR: usize = 1;
const SKY_BLUR: usize = 7;
const SKY_DIRECTIONS: usize = 56;
const LAMP_DIRECTIONS: usize = 24;
/// Radius of the lamp seen from the surface, as the tangent of an angle.
const LAMP_RADIUS: f32 = 0.13;

/// Light that reaches one side of a vertex, each part between 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Received {
    /// Part of the lamp that is seen.
    pub lamp: f32,
    /// Light from above, over that of an open sky.
    pub sky: f32,
    /// Light from below, over that of an open floor.
    pub floor: f32,
}

impl Received {
    pub fn mix(parts: [Self; 3], w: Vec3) -> Self {
        let dot = |f: fn(&Self) -> f32| w.dot(Vec3::from_array(parts.map(|p| f(&p))));
        Self { lamp: dot(|p| p.lamp), sky: dot(|p| p.sky), floor: dot(|p| p.floor) }
    }
}

/// Light on a surface and on the floor below it.
pub(crate) struct Lighting {
    /// Front and back of each vertex.
    pub vertices: Vec<[Received; 2]>,
    /// Part of lamp and sky that reach the floor, row after row.
    floor: Vec<Vec2>,
    floor_height: f32,
}

impl Lighting {
    /// Lights a surface. `lamp` is the direction towards the lamp.
    pub fn new(surface: &Surface, lamp: Vec3, floor_height: f32, with_floor: bool) -> Self {
        let directions: Vec<Vec3> = sky_directions().chain(lamp_directions(lamp)).collect();
        let maps: Vec<DepthMap> = directions.par_iter().map(|&d| DepthMap::new(d, surface)).collect();
        let (sky, lamp) = maps.split_at(SKY_DIRECTIONS);
        let vertices = (surface.positions.par_iter().zip(&surface.normals))
            .map(|(&p, &n)| [received(sky, lamp, p, n), received(sky, lamp, p, -n)])
            .collect();
        let floor = if with_floor { light_floor(sky, lamp, floor_height) } else { Vec::new() };
        Self { vertices, floor, floor_height }
    }

    /// Light that nothing is in the way of, and no floor.
    pub fn open(vertices: usize) -> Self {
        let all = Received { lamp: 1.0, sky: 1.0, floor: 1.0 };
        Self { vertices: vec![[all; 2]; vertices], floor: Vec::new(), floor_height: 0.0 }
    }

    /// Parts of lamp and sky that reach the floor where the ray from `eye` meets it; all of both where
    /// it does not.
    pub fn on_floor(&self, eye: Vec3, ray: Vec3) -> Vec2 {
        let t = (self.floor_height - eye.y) / ray.y;
        if self.floor.is_empty() || !(ray.y < 0.0 && t > 0.0) {
            return Vec2::ONE;
        }
        let at = (eye + t * ray) / FLOOR_EXTENT;
        let inside = 1.0 - Vec2::new(at.x, at.z).length();
        if inside <= 0.0 {
            return Vec2::ONE;
        }
        let texel = (Vec2::new(at.x, at.z) * 0.5 + 0.5) * FLOOR_SIZE as f32 - 0.5;
        let (corner, f) = bilinear_corner(texel, FLOOR_SIZE);
        let row = |y: usize| {
            let i = y * FLOOR_SIZE + corner[0];
            self.floor[i].lerp(self.floor[i + 1], f.x)
        };
        let light = row(corner[1]).lerp(row(corner[1] + 1), f.y);
        // Shadows end softly where the map does.
        Vec2::ONE.lerp(light, smooth(inside / 0.3))
    }
}

fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Directions spread evenly over the sphere: points of a spiral at equal steps of height.
fn sky_directions() -> impl Iterator<Item = Vec3> {
    (0..SKY_DIRECTIONS).map(|i| {
        let y = 1.0 - (2 * i + 1) as f32 / SKY_DIRECTIONS as f32;
        let (sin, cos) = (TAU * 0.618_034 * i as f32).sin_cos();
        let r = (1.0 - y * y).sqrt();
        Vec3::new(r * cos, y, r * sin)
    })
}

/// Directions spread evenly over the disc of the lamp.
fn lamp_directions(lamp: Vec3) -> impl Iterator<Item = Vec3> {
    let (x, y) = lamp.any_orthonormal_pair();
    (0..LAMP_DIRECTIONS).map(move |i| {
        let r = LAMP_RADIUS * ((i as f32 + 0.5) / LAMP_DIRECTIONS as f32).sqrt();
        let (sin, cos) = (TAU * 0.618_034 * i as f32).sin_cos();
        (lamp + r * (cos * x + sin * y)).normalize()
    })
}

fn received(sky: &[DepthMap], lamp: &[DepthMap], p: Vec3, n: Vec3) -> Received {
    let mut out = Received::default();
    let (mut open_sky, mut open_floor) = (0.0, 0.0);
    for map in sky {
        let cos = n.dot(map.direction);
        if cos <= 0.0 {
            continue;
        }
        let seen = cos * map.visible(p, n);
        let (sum, open) = if map.direction.y > 0.0 {
            (&mut out.sky, &mut open_sky)
        } else {
            (&mut out.floor, &mut open_floor)
        };
        *sum += seen;
        *open += cos;
    }
    out.sky /= f32::max(open_sky, 1e-6);
    out.floor /= f32::max(open_floor, 1e-6);
    out.lamp = lamp.iter().map(|map| map.visible(p, n)).sum::<f32>() / lamp.len() as f32;
    out
}

fn light_floor(sky: &[DepthMap], lamp: &[DepthMap], height: f32) -> Vec<Vec2> {
    let at = |i: usize| FLOOR_EXTENT * ((i as f32 + 0.5) / FLOOR_SIZE as f32 * 2.0 - 1.0);
    let open: f32 = sky.iter().map(|m| m.direction.y.max(0.0)).sum();
    let hard: Vec<Vec2> = (0..FLOOR_SIZE * FLOOR_SIZE)
        .into_par_iter()
        .with_min_len(FLOOR_SIZE)
        .map(|i| {
            let p = Vec3::new(at(i % FLOOR_SIZE), height, at(i / FLOOR_SIZE));
            let lamp_seen = lamp.iter().map(|m| m.visible(p, Vec3::Y)).sum::<f32>() / lamp.len() as f32;
            let upward = sky.iter().filter(|m| m.direction.y > 0.0);
            let sky_seen = upward.map(|m| m.direction.y * m.visible(p, Vec3::Y)).sum::<f32>() / open;
            Vec2::new(lamp_seen, sky_seen)
        })
        .collect();
    blur_floor(&hard)
}

/// Smooths the steps that single directions leave, those of the wide sky more than those of the lamp.
/// Three boxes in a row are nearly a bell curve (Wells 1986).
fn blur_floor(floor: &[Vec2]) -> Vec<Vec2> {
    let [lamp, sky] = [(0, LAMP_BLUR), (1, SKY_BLUR)].map(|(channel, radius)| {
        let mut values: Vec<f32> = floor.iter().map(|v| v[channel]).collect();
        for _ in 0..3 {
            values = blur_rows_and_turn(&blur_rows_and_turn(&values, radius), radius);
        }
        values
    });
    lamp.into_iter().zip(sky).map(|(l, s)| Vec2::new(l, s)).collect()
}

/// The mean over `2 radius + 1` neighbours in each row, with rows and columns exchanged.
fn blur_rows_and_turn(values: &[f32], radius: usize) -> Vec<f32> {
    let mut out = vec![1.0; values.len()];
    for (y, row) in values.chunks_exact(FLOOR_SIZE).enumerate() {
        // Beyond the map the floor is open.
        let at = |i: isize| usize::try_from(i).ok().and_then(|i| row.get(i)).copied().unwrap_or(1.0);
        let r = radius as isize;
        let mut sum: f32 = (-r - 1..r).map(at).sum();
        for x in 0..FLOOR_SIZE as isize {
            sum += at(x + r) - at(x - r - 1);
            out[x as usize * FLOOR_SIZE + y] = sum / (2 * radius + 1) as f32;
        }
    }
    out
}

/// The lower of the two texels on each axis around a place, and how far it is towards the upper.
fn bilinear_corner(texel: Vec2, size: usize) -> ([usize; 2], Vec2) {
    let t = texel.clamp(Vec2::ZERO, Vec2::splat(size as f32 - 1.001));
    let corner = t.floor();
    ([corner.x as usize, corner.y as usize], t - corner)
}

/// The surface seen along one direction: the height towards the light of what is nearest to it.
struct DepthMap {
    direction: Vec3,
    x: Vec3,
    y: Vec3,
    heights: Vec<f32>,
}

/// The map covers this much beyond the surface's sphere, so that lookups need no border.
const MAP_EXTENT: f32 = 1.04;
const TEXEL: f32 = 2.0 * MAP_EXTENT / MAP_SIZE as f32;

/// From where to where a triangle reaches along a row; no part of it where it is beside it.
fn across(corners: [Vec2; 3], y: f32) -> [f32; 2] {
    (0..3).fold([f32::INFINITY, f32::NEG_INFINITY], |[left, right], i| {
        let (a, b) = (corners[i], corners[(i + 1) % 3]);
        if a.y == b.y || (y - a.y) * (y - b.y) > 0.0 {
            return [left, right];
        }
        let x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
        [left.min(x), right.max(x)]
    })
}

impl DepthMap {
    fn new(direction: Vec3, surface: &Surface) -> Self {
        let (x, y) = direction.any_orthonormal_pair();
        let mut map = Self { direction, x, y, heights: vec![f32::NEG_INFINITY; MAP_SIZE * MAP_SIZE] };
        let seen: Vec<(Vec2, f32)> =
            surface.positions.iter().map(|&p| (map.texel(p), direction.dot(p))).collect();
        for t in &surface.triangles {
            map.draw(t.map(|v| seen[v as usize]));
        }
        map
    }

    fn texel(&self, p: Vec3) -> Vec2 {
        Vec2::new(self.x.dot(p), self.y.dot(p)) / TEXEL + 0.5 * MAP_SIZE as f32
    }

    fn draw(&mut self, corners: [(Vec2, f32); 3]) {
        let [(a, ha), (b, hb), (c, hc)] = corners;
        let area = (b - a).perp_dot(c - a);
        if area == 0.0 {
            return;
        }
        let low = (a.min(b).min(c) - 0.5).ceil().max(Vec2::ZERO);
        let high = (a.max(b).max(c) - 0.5).floor().min(Vec2::splat(MAP_SIZE as f32 - 1.0));
        if low.x > high.x || low.y > high.y {
            return;
        }
        let inverse = 1.0 / area;
        for row in low.y as usize..=high.y as usize {
            // Of long thin triangles, rows hold little.
            let [left, right] = across([a, b, c], row as f32 + 0.5);
            let (left, right) = (low.x.max((left - 1.5).ceil()), high.x.min((right + 0.5).floor()));
            if left > right {
                continue;
            }
            for column in left as usize..=right as usize {
                let p = Vec2::new(column as f32 + 0.5, row as f32 + 0.5);
                let u = (p - b).perp_dot(c - b) * -inverse;
                let v = (p - c).perp_dot(a - c) * -inverse;
                let w = 1.0 - u - v;
                if u >= 0.0 && v >= 0.0 && w >= -1e-6 {
                    let height = &mut self.heights[row * MAP_SIZE + column];
                    *height = height.max(u * ha + v * hb + w * hc);
                }
            }
        }
    }

    /// How much of the light along this direction reaches a place with normal `n`, smoothed over the
    /// four nearest texels.
    fn visible(&self, p: Vec3, n: Vec3) -> f32 {
        // A step off the surface keeps it from shadowing itself through the coarseness of the map.
        let p = p + 2.0 * TEXEL * n;
        let texel = self.texel(p) - 0.5;
        let last = MAP_SIZE as f32 - 1.0;
        if !(texel.min_element() >= 0.0 && texel.max_element() < last) {
            return 1.0;
        }
        let (corner, f) = bilinear_corner(texel, MAP_SIZE);
        let height = self.direction.dot(p) + TEXEL;
        let lit = |dx: usize, dy: usize| {
            f32::from(self.heights[(corner[1] + dy) * MAP_SIZE + corner[0] + dx] <= height)
        };
        let upper = lit(0, 0) + f.x * (lit(1, 0) - lit(0, 0));
        let lower = lit(0, 1) + f.x * (lit(1, 1) - lit(0, 1));
        upper + f.y * (lower - upper)
    }
}
