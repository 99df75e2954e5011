//! How open to the sky every vertex is.

use std::f32::consts::TAU;

use glam::{Vec3, Vec3A};
use rayon::prelude::*;

use super::rays::{Bundle, RAYS, RayBvh, STOPPED};
use super::tuning::TUNING;
use crate::animation::PoseSource;
use crate::geometry::{Bounds, vertex_normals};
use crate::progress::{Progress, cancels};
use crate::rig::{Player, Rig};

/// The golden angle's share of a turn: points that go on by it fill a disk evenly (Vogel 1979).
const GOLDEN: f32 = 0.381_966;

/// How to look.
#[derive(Clone, Debug, PartialEq)]
pub struct OcclusionOptions {
    /// Rays from every vertex in every frame.
    pub rays: usize,
    /// What is farther than this share of the diagonal is not in the way.
    pub reach: f64,
}

impl Default for OcclusionOptions {
    fn default() -> Self {
        Self { rays: 128, reach: f64::INFINITY }
    }
}

impl OcclusionOptions {
    /// Whether they make sense.
    fn validate(&self) -> Result<(), OcclusionError> {
        match self {
            Self { rays: 0, .. } => Err(OcclusionError::NoRays),
            Self { reach, .. } if reach.is_nan() || *reach <= 0.0 => Err(OcclusionError::Reach(*reach)),
            _ => Ok(()),
        }
    }
}

/// Why there is no light.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OcclusionError {
    /// There is nothing to look with.
    #[error("light needs at least one ray a vertex")]
    NoRays,
    /// Nothing is within a reach that is not positive.
    #[error("rays cannot reach {0} times the diagonal")]
    Reach(f64),
    /// The listener ended it.
    #[error("cancelled")]
    Cancelled,
}

cancels!(OcclusionError);

/// How open to the sky every vertex is in every frame: 1 where nothing is in the way of the directions above
/// the surface, each weighted by how steeply light from it falls; 0 where nothing is seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Occlusion {
    /// Number of vertices.
    pub vertices: usize,
    /// Vertex after vertex, frame after frame.
    pub values: Vec<f32>,
}

impl Occlusion {
    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.values.len() / self.vertices.max(1)
    }

    /// All vertices in one frame.
    pub fn frame(&self, frame: usize) -> &[f32] {
        &self.values[frame * self.vertices..(frame + 1) * self.vertices]
    }
}

/// Looks from every vertex of every frame. `points` gives the first vertex at the same place for each, where
/// the mesh is split; without it all are places of their own.
///
/// Directions are the same everywhere and turn with the surface, so that a part that moves as one keeps its
/// light to the bit of rounding, and what changes is what comes near it.
///
/// # Errors
/// When options make no sense, or `progress` cancels.
pub fn ambient_occlusion(
    triangles: &[[u32; 3]],
    points: Option<&[u32]>,
    poses: &dyn PoseSource,
    options: &OcclusionOptions,
    progress: &dyn Progress,
) -> Result<Occlusion, OcclusionError> {
    options.validate()?;
    let vertices = poses.vertex_count();
    let point = |v: u32| points.map_or(v, |points| points[v as usize]);
    let triangles: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(point)).collect();
    let neighbours = neighbours(&triangles, vertices);
    let bundles = bundles(directions(options.rays));
    let mut pose = vec![Vec3::ZERO; vertices];
    let mut normals = pose.clone();
    let mut tree: Option<RayBvh> = None;
    let mut values = Vec::with_capacity(vertices * poses.frame_count());
    for frame in 0..poses.frame_count() {
        progress.check()?;
        progress.advance(frame as f64 / poses.frame_count() as f64);
        poses.pose_into(frame, &mut pose);
        vertex_normals(&triangles, &pose, &mut normals);
        let tree = match &mut tree {
            Some(tree) => {
                tree.fit(&pose);
                tree
            }
            none => none.insert(RayBvh::new(&triangles, &pose)),
        };
        let diagonal = Bounds::of(&pose).diagonal();
        let look = Look {
            tree,
            bundles: &bundles,
            rays: options.rays,
            above: (TUNING.above * diagonal) as f32,
            reach: (options.reach * diagonal) as f32,
        };
        let seen = |vertex: usize| match neighbours[vertex] {
            // What is cancelled is thrown away.
            _ if point(vertex as u32) != vertex as u32 || progress.cancelled() => 0.0,
            None => 1.0,
            Some(to) => look.open(pose[vertex], normals[vertex], pose[to as usize] - pose[vertex]),
        };
        let open: Vec<f32> = (0..vertices).into_par_iter().with_min_len(16).map(seen).collect();
        progress.check()?;
        values.extend((0..vertices).map(|v| open[point(v as u32) as usize]));
    }
    Ok(Occlusion { vertices, values })
}

/// The same for the frames of a rig; vertices that are one point share their light.
///
/// # Errors
/// As [`ambient_occlusion`].
pub fn rig_occlusion(
    rig: &Rig,
    options: &OcclusionOptions,
    progress: &dyn Progress,
) -> Result<Occlusion, OcclusionError> {
    let triangles = rig.mesh.triangles(&rig.rest);
    ambient_occlusion(&triangles, Some(&rig.points()), &Player::new(rig), options, progress)
}

/// For every vertex another one of a triangle of its own; none where it has no triangle.
fn neighbours(triangles: &[[u32; 3]], vertices: usize) -> Vec<Option<u32>> {
    let mut found = vec![None; vertices];
    for &[a, b, c] in triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let known: &mut Option<u32> = &mut found[from as usize];
            *known = known.or(Some(to));
        }
    }
    found
}

/// Directions over a plane, as many for each share of the light that falls on it.
fn directions(count: usize) -> Vec<Vec3A> {
    let direction = |i: usize| {
        let square = (i as f32 + 0.5) / count as f32;
        let (sin, cos) = (TAU * (GOLDEN * i as f32).fract()).sin_cos();
        let radius = square.sqrt();
        Vec3A::new(radius * cos, radius * sin, (1.0 - square).sqrt())
    };
    (0..count).map(direction).collect()
}

/// Directions that are near each other, side by side. The last are filled up with what is no direction.
fn bundles(mut directions: Vec<Vec3A>) -> Vec<Bundle> {
    let strips = (directions.len() as f32 / RAYS as f32).sqrt().ceil() as usize;
    let strip = directions.len().div_ceil(strips).next_multiple_of(RAYS);
    directions.sort_by(|a, b| a.x.total_cmp(&b.x));
    directions.chunks_mut(strip).for_each(|some| some.sort_by(|a, b| a.y.total_cmp(&b.y)));
    let of = |some: &[Vec3A], axis: usize| std::array::from_fn(|ray| some.get(ray).map_or(0.0, |d| d[axis]));
    directions.chunks(RAYS).map(|some| [0, 1, 2].map(|axis| of(some, axis))).collect()
}

/// What is looked at in a frame.
struct Look<'a> {
    tree: &'a RayBvh,
    bundles: &'a [Bundle],
    rays: usize,
    above: f32,
    reach: f32,
}

impl Look<'_> {
    /// The share of directions above a place that nothing is in the way of. They turn with `along`.
    fn open(&self, place: Vec3, normal: Vec3, along: Vec3) -> f32 {
        let z = Vec3A::from(normal);
        let x = Vec3A::from(along).reject_from_normalized(z);
        let x = x.try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
        let y = z.cross(x);
        let from = Vec3A::from(place) + z * self.above;
        let mut stopped = 0;
        for (bundle, first) in self.bundles.iter().zip((0..).step_by(RAYS)) {
            let turned = [0, 1, 2].map(|axis| {
                std::array::from_fn(|ray| {
                    x[axis] * bundle[0][ray] + y[axis] * bundle[1][ray] + z[axis] * bundle[2][ray]
                })
            });
            let rays = RAYS.min(self.rays - first);
            let mut reaches = std::array::from_fn(|ray| if ray < rays { self.reach } else { STOPPED });
            self.tree.stop(from, &turned, &mut reaches);
            stopped += reaches[..rays].iter().filter(|reach| **reach == STOPPED).count();
        }
        1.0 - stopped as f32 / self.rays as f32
    }
}
