//! Points spread evenly over the rest surface (farthest point sampling, then Lloyd's relaxation), and weights that fall
//! smoothly with the distance to them.
//!
//! "Skinning Arbitrary Deformations" (SAD: Kavan, McDonnell, Dobbin, Žára and O'Sullivan 2007) takes such
//! points for bones: nothing is assumed about the motion, so that frames may be yet unseen. Distances are
//! measured along edges, so that the two sides of a gap stay apart, and pieces of the mesh that share no
//! edge are joined where they come nearest. Points are vertices: each new one is the vertex farthest from
//! those before; then points move to the middle of what they are nearest to, as long as that brings the
//! surface nearer to its points.
//!
//! A vertex is influenced by its nearest points. Weights reach zero at the distance of the first point that
//! is left out, so that they stay continuous where it changes which points are nearest.

use glam::Vec3;

use super::cells::nearest_to;
use super::{
    Cells, CountRule, Facts, Labels, SegmentError, SegmentOptions, Segmented, Segmenter, SurfaceMotion,
    TUNING, middle_of, needed,
};
use crate::geometry::surface::SurfaceGraph;
use crate::geometry::vertex_areas;
use crate::progress::Progress;
use crate::rig::SkinWeights;

/// [`spread_points`] in the table: every vertex goes to the nearest.
pub struct Points;

impl Segmenter for Points {
    fn facts(&self) -> Facts {
        let about = "Points spread evenly over the surface, whatever its motion (Kavan et al. 2007)";
        Facts { start: Some("points"), ..Facts::new("points", about, CountRule::Needed) }
    }

    fn segment(&self, motion: SurfaceMotion, options: &SegmentOptions, progress: &dyn Progress) -> Segmented {
        let graph = SurfaceGraph::new(motion.triangles, motion.rest);
        let count = needed(options, graph.used().count())?;
        let points = spread(&graph, motion.triangles, motion.rest, count, progress)?;
        Ok(Labels { of_vertex: weights_on(&graph, &points, 1).bones, count })
    }
}

/// Spreads `count` points over the surface and returns their vertices.
///
/// # Errors
/// [`SegmentError::Count`] when there are fewer vertices that belong to a triangle, or none was asked for;
/// [`SegmentError::Cancelled`].
pub fn spread_points(
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>, SegmentError> {
    spread(&SurfaceGraph::new(triangles, rest), triangles, rest, count, progress)
}

/// Weights of `points` on every vertex: at most `influences`, from the nearest, summing to one.
///
/// # Panics
/// When there are no points, or no influences.
pub fn smooth_weights(
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    points: &[u32],
    influences: usize,
) -> SkinWeights {
    weights_on(&SurfaceGraph::new(triangles, rest), points, influences)
}

pub(crate) fn spread(
    graph: &SurfaceGraph,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    count: usize,
    progress: &dyn Progress,
) -> Result<Vec<u32>, SegmentError> {
    let most = graph.used().count();
    let count = needed(&SegmentOptions { count: Some(count), rigid: false }, most)?;
    let shares = vertex_areas(triangles, rest);
    let middle = middle_of(graph.used(), rest, &shares);
    let first = nearest_to(middle, graph.used(), rest);
    let mut cells = Cells::new(rest.len(), 0.0);
    let farthest = |left: &mut dyn Iterator<Item = u32>, distance: &[f64]| {
        left.reduce(|a, b| if distance[b as usize] > distance[a as usize] { b } else { a })
    };
    let seeding = progress.part(0.0, 1.0 / (1 + TUNING.points.rounds) as f64);
    cells.add_farthest(graph, first, count, farthest, &seeding)?;
    for round in 0..TUNING.points.rounds {
        progress.advance((1 + round) as f64 / (1 + TUNING.points.rounds) as f64);
        let moved = Cells::around(graph, cells.middles(rest, &shares), rest.len(), progress)?;
        if moved.cost(&shares) >= cells.cost(&shares) {
            break;
        }
        cells = moved;
    }
    Ok(cells.points)
}

pub(crate) fn weights_on(graph: &SurfaceGraph, points: &[u32], influences: usize) -> SkinWeights {
    assert!(!points.is_empty() && influences > 0, "points and influences");
    let k = influences.min(points.len());
    let nearest = graph.nearest_sources(points, k + 1);
    let found = nearest.len().min(k + 1).min(points.len());
    let mut weights = SkinWeights { per_vertex: k, ..SkinWeights::default() };
    for list in nearest.chunks_exact(found) {
        // Where every point has influence, none has to fade out: the reach is beyond the farthest.
        let reach = if found > k { list[k].0 } else { 1.5 * list[found - 1].0 };
        let fade = |d: f64| if reach > 0.0 { (1.0 - d / reach).max(0.0).powi(2) } else { 1.0 };
        let sum: f64 = list[..k].iter().map(|n| fade(n.0)).sum();
        for &(distance, point) in &list[..k] {
            // Points all at the same distance share alike.
            let weight = if sum > 0.0 { fade(distance) / sum } else { 1.0 / k as f64 } as f32;
            weights.weights.push(weight);
            weights.bones.push(if weight == 0.0 { 0 } else { point });
        }
    }
    weights
}

#[cfg(test)]
#[path = "../../tests/unit/segment_points.rs"]
mod tests;
