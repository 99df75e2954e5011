//! The shapes that stand for the joints and bones of a skeleton.
//!
//! A joint is a small ball; a bone is a long octahedron, thick near the joint it turns about and pointed
//! at the other end, so that one sees which way the tree grows. Each shape has a dark hull, a little
//! larger, of which only the far side is drawn. That leaves a line around the shape: bones stay apart
//! from each other and from a surface of their own colour.

use std::f32::consts::{PI, TAU};

use glam::Vec3;

use crate::camera::{NEAR, Normalize, View};
use crate::posed_skeleton::PosedSkeleton;
use crate::surface::{Look, Looks, Surface};

/// Radius of a joint's ball, in parts of half the size of the scene.
const BALL: f32 = 0.0125;
/// The ball's radius at most, in parts of the shortest bone at the joint: many joints in a hand get
/// small balls.
const BALL_OF_BONE: f32 = 0.2;
/// Radius of a bone at its thickest place: in parts of its length, and at most in parts of [`BALL`].
const THICK_OF_BONE: f32 = 0.11;
const THICK: f32 = 1.45;
/// Where a bone is thickest, in parts of its length.
const THICK_AT: f32 = 0.14;
/// Radius of a ball at least, in pixels.
const SMALLEST_BALL: f32 = 1.6;
/// Width of the outline: in parts of [`BALL`], and at least in pixels.
const OUTLINE: f32 = 0.16;
const THINNEST_OUTLINE: f32 = 1.15;
const OUTLINE_COLOR: Vec3 = Vec3::splat(0.012);
/// Parts of a ball around and from pole to pole.
const AROUND: usize = 20;
const DOWN: usize = 10;

/// The shapes of a skeleton, in normalised space.
pub(crate) struct Shapes {
    pub surface: Surface<'static>,
    /// The triangles from here on are hulls, of which only the backs are drawn.
    pub hulls_from: usize,
}

impl Shapes {
    pub fn new(skeleton: &PosedSkeleton, normalize: &Normalize, view: &View) -> Self {
        let places: Vec<Vec3> = skeleton.joints.iter().map(|j| normalize.apply(j.place)).collect();
        let sticks = sticks(skeleton, &places, normalize);
        let balls = balls(skeleton, &places, &sticks);
        let mut builder = Builder::default();
        let mut hulls_from = 0;
        for outline in [false, true] {
            hulls_from = builder.triangles.len();
            for stick in &sticks {
                builder.stick(stick, outline, view);
            }
            for ball in &balls {
                builder.ball(ball, outline, view);
            }
        }
        Self { surface: builder.finish(), hulls_from }
    }
}

/// A bone to draw.
struct Stick {
    /// The joint it turns about.
    joint: usize,
    /// The joint at its other end, if there is one.
    to: Option<usize>,
    from_place: Vec3,
    to_place: Vec3,
    color: Vec3,
}

impl Stick {
    fn length(&self) -> f32 {
        self.from_place.distance(self.to_place)
    }
}

struct Ball {
    place: Vec3,
    radius: f32,
    color: Vec3,
}

fn sticks(skeleton: &PosedSkeleton, places: &[Vec3], normalize: &Normalize) -> Vec<Stick> {
    let joints = &skeleton.joints;
    let stick = |joint: usize, to: Option<usize>, end: Vec3| Stick {
        joint,
        to,
        from_place: places[joint],
        to_place: end,
        color: joints[joint].color,
    };
    let to_children =
        joints.iter().enumerate().filter_map(|(i, j)| Some(stick(j.parent?, Some(i), places[i])));
    let to_ends =
        joints.iter().enumerate().filter_map(|(i, j)| Some(stick(i, None, normalize.apply(j.end?))));
    to_children.chain(to_ends).filter(|s| s.length() > 0.0 && s.length().is_finite()).collect()
}

fn balls(skeleton: &PosedSkeleton, places: &[Vec3], sticks: &[Stick]) -> Vec<Ball> {
    let mut shortest = vec![f32::INFINITY; places.len()];
    for stick in sticks {
        for joint in std::iter::once(stick.joint).chain(stick.to) {
            shortest[joint] = shortest[joint].min(stick.length());
        }
    }
    let joints = places.iter().zip(&skeleton.joints).zip(shortest);
    joints
        .filter(|((place, _), _)| place.is_finite())
        .map(|((&place, joint), shortest)| Ball {
            place,
            radius: BALL.min(BALL_OF_BONE * shortest),
            color: joint.color,
        })
        .collect()
}

#[derive(Default)]
struct Builder {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    looks: Vec<Look>,
}

impl Builder {
    /// An octahedron, faces flat: every triangle has corners of its own.
    fn stick(&mut self, stick: &Stick, outline: bool, view: &View) {
        let length = stick.length();
        let along = (stick.to_place - stick.from_place) / length;
        let at = stick.from_place + THICK_AT * length * along;
        let least = SMALLEST_BALL * pixel_size(view, at);
        let mut radius = (THICK_OF_BONE * length).min(THICK * BALL).max(least);
        let (mut from, mut to) = (stick.from_place, stick.to_place);
        if outline {
            let wide = outline_width(pixel_size(view, at));
            radius += std::f32::consts::SQRT_2 * wide;
            from -= wide * along;
            to += (wide * length / radius).min(4.0 * wide) * along;
        }
        let (x, y) = along.any_orthonormal_pair();
        let ring = [x, y, -x, -y].map(|d| at + radius * d);
        for i in 0..4 {
            let (a, b) = (ring[i], ring[(i + 1) % 4]);
            for corners in [[from, b, a], [to, a, b]] {
                let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                let normal = normal.try_normalize().unwrap_or(along);
                let first = self.positions.len() as u32;
                self.positions.extend(corners);
                self.normals.extend([normal; 3]);
                self.triangle([first, first + 1, first + 2], stick.color, outline);
            }
        }
    }

    fn ball(&mut self, ball: &Ball, outline: bool, view: &View) {
        let pixel = pixel_size(view, ball.place);
        let radius =
            ball.radius.max(SMALLEST_BALL * pixel) + if outline { outline_width(pixel) } else { 0.0 };
        let first = self.positions.len() as u32;
        for i in 0..=DOWN {
            let (ring, height) = (i as f32 / DOWN as f32 * PI).sin_cos();
            for j in 0..AROUND {
                let (sin, cos) = (j as f32 / AROUND as f32 * TAU).sin_cos();
                let normal = Vec3::new(ring * cos, height, -ring * sin);
                self.positions.push(ball.place + radius * normal);
                self.normals.push(normal);
            }
        }
        let at = |i: usize, j: usize| first + (i * AROUND + j % AROUND) as u32;
        for i in 0..DOWN {
            for j in 0..AROUND {
                let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
                self.triangle([a, b, c], ball.color, outline);
                self.triangle([a, c, d], ball.color, outline);
            }
        }
    }

    fn triangle(&mut self, corners: [u32; 3], color: Vec3, outline: bool) {
        self.triangles.push(corners);
        let look = Look { color, gloss: 0.35 };
        self.looks.push(if outline { Look { color: OUTLINE_COLOR, gloss: 0.0 } } else { look });
    }

    fn finish(self) -> Surface<'static> {
        Surface {
            source: (0..self.positions.len() as u32).collect(),
            outline: vec![[false; 3]; self.triangles.len()],
            positions: self.positions,
            normals: self.normals,
            triangles: self.triangles,
            looks: Looks::PerTriangle(self.looks),
        }
    }
}

/// The size of a pixel at the depth of a place.
fn pixel_size(view: &View, place: Vec3) -> f32 {
    view.eye_space(place).z.max(NEAR) / view.focal
}

fn outline_width(pixel: f32) -> f32 {
    (OUTLINE * BALL).max(THINNEST_OUTLINE * pixel)
}
