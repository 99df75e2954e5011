//! Samples of a moving surface: points spread evenly over it, in some of its frames.
//!
//! Which parts a body has does not depend on how finely it is meshed, nor on where: a head of ten thousand
//! vertices is still one part, and a foot of forty is another. A point is taken wherever the farthest
//! part of the surface is, so every stretch of surface counts alike, and the cost does not grow with the mesh. As
//! the points are chosen by their places, the numbering of the vertices plays no part.

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::{SamplesTuning, Seeds, SurfaceMotion, TUNING, distinct};
use crate::animation::Frames;
use crate::geometry::surface::{SurfaceGraph, pieces, pieces_within};
use crate::progress::{Cancelled, Progress};
use crate::tracks::{Units, spread_frames};

const TUNED: SamplesTuning = TUNING.samples;

/// Points of a surface and their motion, in units of its length and as it is.
pub struct SurfaceSamples {
    /// Triangles between points whose cells meet.
    triangles: Vec<[u32; 3]>,
    /// Rest pose of the points as it is.
    places: Vec<Vec3>,
    /// Their motion as it is.
    frames: Frames,
    /// The point nearest to each vertex of the mesh.
    pub(crate) nearest: Vec<u32>,
    /// Which frames of the animation were taken.
    pub(crate) chosen: Vec<usize>,
    /// Points next to each other.
    pub(crate) edges: Vec<[u32; 2]>,
    /// How many pieces of the mesh touch no other; those that touch one another count as one.
    pub(crate) apart: usize,
    /// What positions are measured in.
    pub(crate) units: Units,
    /// Rest pose of the points in units.
    pub(crate) rest: Vec<DVec3>,
    /// Poses of the points in units.
    pub(crate) posed: Vec<Vec<DVec3>>,
    /// Distances between points, root mean square over time: point after point.
    pub(crate) distances: Vec<f32>,
    /// Usual distance between neighbours.
    pub(crate) spacing: f32,
}

impl SurfaceSamples {
    /// Samples a surface.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(motion: SurfaceMotion, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let graph = SurfaceGraph::new(motion.triangles, motion.rest);
        let used = graph.used().count();
        let [fewest, most] = TUNED.bounds;
        let count = ((TUNED.share * used as f64) as usize).clamp(fewest, most).min(used);
        let cells = Seeds::spread(&graph, motion, count, progress)?.cells;
        let chosen = spread_frames(motion.frames.len(), TUNED.frames);
        let points = cells.points;
        let pose = |t: &usize| -> Vec<Vec3> {
            points.iter().map(|&v| motion.frames.frame(*t)[v as usize]).collect()
        };
        let triangles = cell_triangles(motion.triangles, &cells.owner);
        let places: Vec<Vec3> = points.iter().map(|&v| motion.rest[v as usize]).collect();
        let frames = Frames::from_poses(&chosen.iter().map(pose).collect::<Vec<_>>());
        let (edges, apart) = edges(&triangles, &places, &frames, progress)?;
        let units = Units::of_length_one(&frames, &places);
        let pose = |t: usize| frames.frame(t).iter().map(|p| units.pose(*p, t)).collect();
        let posed: Vec<Vec<DVec3>> = (0..frames.len()).map(pose).collect();
        let rest: Vec<DVec3> = places.iter().map(|p| units.rest(*p)).collect();
        let distances = standing_distances(&posed);
        let lengths: Vec<f32> =
            edges.iter().map(|&[a, b]| distances[a as usize * rest.len() + b as usize]).collect();
        let spacing = lengths.iter().sum::<f32>() / lengths.len().max(1) as f32;
        let nearest = cells.owner;
        Ok(Self {
            triangles,
            places,
            frames,
            nearest,
            chosen,
            edges,
            apart,
            units,
            rest,
            posed,
            distances,
            spacing,
        })
    }

    /// The points as a surface of their own.
    pub fn motion(&self) -> SurfaceMotion<'_> {
        SurfaceMotion { frames: &self.frames, triangles: &self.triangles, rest: &self.places }
    }

    /// Points times frames: what squared errors are sums over.
    pub(crate) fn count(&self) -> f64 {
        (self.rest.len() * self.posed.len()) as f64
    }

    /// Root of the mean of a squared error, in percent of the body's length.
    pub(crate) fn percent(&self, error: f64) -> f64 {
        100.0 * (error / self.count()).sqrt()
    }

    /// A number for each point: the same for points of one segment that hang together.
    pub(crate) fn pieces(&self, segment_of: &[u32]) -> Vec<u32> {
        pieces_within(segment_of, &self.edges)
    }
}

/// Distances between points, root mean square over some frames.
fn standing_distances(posed: &[Vec<DVec3>]) -> Vec<f32> {
    let n = posed.first().map_or(0, Vec::len);
    let frames = spread_frames(posed.len(), TUNED.distance_frames);
    let poses: Vec<Vec<Vec3>> =
        frames.iter().map(|&t| posed[t].iter().map(|p| p.as_vec3()).collect()).collect();
    let mut out = vec![0.0; n * n];
    out.par_chunks_mut(n.max(1)).enumerate().for_each(|(i, row)| {
        for pose in &poses {
            row.iter_mut().zip(pose).for_each(|(sum, q)| *sum += pose[i].distance_squared(*q));
        }
        row.iter_mut().for_each(|d| *d = (*d / poses.len() as f32).sqrt());
    });
    out
}

/// Triangles of three cells that meet in a triangle of the mesh, in an order that only the cells decide.
fn cell_triangles(triangles: &[[u32; 3]], owner: &[u32]) -> Vec<[u32; 3]> {
    let cells = triangles.iter().map(|t| t.map(|v| owner[v as usize]));
    let apart = cells.filter(|[a, b, c]| a != b && b != c && c != a);
    distinct(apart.map(|[a, b, c]| match a.min(b).min(c) {
        first if first == a => [a, b, c],
        first if first == b => [b, c, a],
        _ => [c, a, b],
    }))
}

/// Edges of the triangles; and between pieces that share none, links where they stay nearest all the time. Also tells
/// how many pieces touch no other.
fn edges(
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    frames: &Frames,
    progress: &dyn Progress,
) -> Result<(Vec<[u32; 2]>, usize), Cancelled> {
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges = distinct(sides.map(|[a, b]| [a.min(b), a.max(b)]));
    let piece = pieces(rest.len(), &edges);
    let lengths: f64 =
        edges.iter().map(|&[a, b]| f64::from(rest[a as usize].distance(rest[b as usize]))).sum();
    let spacing = (lengths / edges.len().max(1) as f64) as f32;
    let largest = (0..rest.len() as u32)
        .max_by_key(|&p| (piece.iter().filter(|q| **q == p).count(), std::cmp::Reverse(p)))
        .unwrap_or(0);
    let some = spread_frames(frames.len(), TUNED.distance_frames);
    let standing = |a: usize, b: usize| {
        let sum: f32 = some.iter().map(|&t| frames.frame(t)[a].distance_squared(frames.frame(t)[b])).sum();
        (sum / some.len().max(1) as f32).sqrt()
    };
    let mut touching = edges.clone();
    for one in distinct(piece.iter().copied()).into_iter().filter(|p| *p != largest) {
        progress.check()?;
        let inside = (0..rest.len()).filter(|&v| piece[v] == one);
        let nearest_to = |v: usize| {
            let others = (0..rest.len()).filter(|&u| piece[u] != one).map(|u| (standing(v, u), v, u));
            others.min_by(|a, b| a.0.total_cmp(&b.0))
        };
        let nearest: Vec<(f32, usize, usize)> = inside.filter_map(nearest_to).collect();
        let least = nearest.iter().map(|n| n.0).fold(f32::INFINITY, f32::min);
        let within = |most: f32| {
            let near = nearest.iter().filter(move |n| n.0 <= most);
            near.map(|&(_, v, u)| [v.min(u) as u32, v.max(u) as u32])
        };
        edges.extend(within(least + spacing));
        touching.extend(within(TUNED.touch * spacing));
    }
    let groups = pieces(rest.len(), &touching);
    let apart = groups.iter().enumerate().filter(|(v, group)| *v as u32 == **group).count();
    Ok((distinct(edges), apart.saturating_sub(1)))
}
