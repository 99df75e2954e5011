//! A coarse copy of an animation: points spread evenly over the surface, in some of its frames.
//!
//! Which parts a body has does not depend on how finely it is meshed, nor on where: a head of ten thousand
//! vertices is still one part, and a foot of forty is another. The sketch takes a point wherever the farthest
//! part of the surface is, so every stretch of surface counts alike, and its cost does not grow with the mesh. As
//! the points are chosen by their places, the numbering of the vertices plays no part.

use glam::Vec3;

use crate::animation::Frames;
use crate::geometry::surface::{SurfaceGraph, pieces};
use crate::segment::spectral::seeds::Seeds;

/// Share of the vertices that a sketch has, and bounds of their number.
const SHARE: f64 = 0.6;
const FEWEST: usize = 400;
const MOST: usize = 1400;
/// Frames of a sketch.
const FRAMES: usize = 40;
/// Pieces of a mesh touch if they stay within this many times the usual distance between neighbours.
const TOUCH: f32 = 2.0;

/// Points of a surface and their motion.
pub(super) struct Sketch {
    /// Triangles between points whose cells meet.
    pub triangles: Vec<[u32; 3]>,
    /// Rest pose of the points.
    pub rest: Vec<Vec3>,
    /// Their motion.
    pub frames: Frames,
    /// Which frames of the animation these are.
    pub chosen: Vec<usize>,
    /// Points next to each other.
    pub edges: Vec<[u32; 2]>,
    /// How many pieces of the mesh touch no other; those that touch one another count as one.
    pub apart: usize,
}

impl Sketch {
    /// Sketches an animation.
    pub fn new(frames: &Frames, triangles: &[[u32; 3]], rest: &[Vec3]) -> Self {
        let graph = SurfaceGraph::new(triangles, rest);
        let used = graph.used().count();
        let count = ((SHARE * used as f64) as usize).clamp(FEWEST, MOST).min(used);
        let cells = Seeds::spread(&graph, frames, triangles, rest, count).cells;
        let chosen = spread_frames(frames.len(), FRAMES);
        let points = cells.points;
        let pose =
            |t: &usize| -> Vec<Vec3> { points.iter().map(|&v| frames.frame(*t)[v as usize]).collect() };
        let triangles = cell_triangles(triangles, &cells.owner);
        let rest: Vec<Vec3> = points.iter().map(|&v| rest[v as usize]).collect();
        let frames = Frames::from_poses(&chosen.iter().map(pose).collect::<Vec<_>>());
        let (edges, apart) = edges(&triangles, &rest, &frames);
        Self { triangles, rest, frames, chosen, edges, apart }
    }
}

/// At most so many frames, evenly over all.
pub(super) fn spread_frames(all: usize, most: usize) -> Vec<usize> {
    let count = all.min(most);
    (0..count).map(|i| i * all / count).collect()
}

/// Triangles of three cells that meet in a triangle of the mesh, in an order that only the cells decide.
fn cell_triangles(triangles: &[[u32; 3]], owner: &[u32]) -> Vec<[u32; 3]> {
    let mut found: Vec<[u32; 3]> = triangles
        .iter()
        .map(|t| t.map(|v| owner[v as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .map(|[a, b, c]| match a.min(b).min(c) {
            first if first == a => [a, b, c],
            first if first == b => [b, c, a],
            _ => [c, a, b],
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Edges of the triangles; and between pieces that share none, links where they stay nearest all the time. Also tells
/// how many pieces touch no other.
fn edges(triangles: &[[u32; 3]], rest: &[Vec3], frames: &Frames) -> (Vec<[u32; 2]>, usize) {
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let piece = pieces(rest.len(), &edges);
    let lengths: f64 =
        edges.iter().map(|&[a, b]| f64::from(rest[a as usize].distance(rest[b as usize]))).sum();
    let spacing = (lengths / edges.len().max(1) as f64) as f32;
    let largest = (0..rest.len() as u32)
        .max_by_key(|&p| (piece.iter().filter(|q| **q == p).count(), std::cmp::Reverse(p)))
        .unwrap_or(0);
    let some = spread_frames(frames.len(), 16);
    let standing = |a: usize, b: usize| {
        let sum: f32 = some.iter().map(|&t| frames.frame(t)[a].distance_squared(frames.frame(t)[b])).sum();
        (sum / some.len().max(1) as f32).sqrt()
    };
    let mut order: Vec<u32> = piece.clone();
    order.sort_unstable();
    order.dedup();
    let mut touching = edges.clone();
    for &one in order.iter().filter(|p| **p != largest) {
        let inside: Vec<usize> = (0..rest.len()).filter(|&v| piece[v] == one).collect();
        let nearest: Vec<(f32, usize, usize)> = inside
            .iter()
            .filter_map(|&v| {
                (0..rest.len())
                    .filter(|&u| piece[u] != one)
                    .map(|u| (standing(v, u), v, u))
                    .min_by(|a, b| a.0.total_cmp(&b.0))
            })
            .collect();
        let least = nearest.iter().map(|n| n.0).fold(f32::INFINITY, f32::min);
        let within = |most: f32| {
            let near = nearest.iter().filter(move |n| n.0 <= most);
            near.map(|&(_, v, u)| [v.min(u) as u32, v.max(u) as u32])
        };
        edges.extend(within(least + spacing));
        touching.extend(within(TOUCH * spacing));
    }
    edges.sort_unstable();
    edges.dedup();
    let groups = pieces(rest.len(), &touching);
    let apart = groups.iter().enumerate().filter(|(v, group)| *v as u32 == **group).count();
    (edges, apart.saturating_sub(1))
}
