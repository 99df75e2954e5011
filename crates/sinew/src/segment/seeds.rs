//! Seeds by farthest point sampling, and the part of the surface nearest to each.

use rayon::prelude::*;

use super::{Cells, SeedsTuning, SurfaceMotion, TUNING, distinct, middle_of};
use crate::animation::{Frames, centroid};
use crate::geometry::surface::SurfaceGraph;
use crate::geometry::{length_of, vertex_areas};
use crate::progress::{Cancelled, Progress};

const TUNED: SeedsTuning = TUNING.seeds;
/// Distances closer than this share of the body are alike: rounding must not choose between the two sides
/// of a symmetric body.
const ALIKE: f64 = 1e-5;

/// The usual number of seeds.
pub fn usual_count(vertices: usize, patches: Option<usize>) -> usize {
    let share = (TUNED.share * vertices as f64) as usize;
    let [fewest, most] = TUNED.bounds;
    share.clamp(fewest, most).max(TUNED.per_patch.saturating_mul(patches.unwrap_or(0)))
}

/// Seeds on a surface.
pub struct Seeds {
    /// The seeds and the vertices nearest to each.
    pub cells: Cells,
    /// Pairs of seeds whose cells touch.
    pub neighbours: Vec<[u32; 2]>,
}

impl Seeds {
    /// Spreads `count` seeds over the rest pose, or as many as there are vertices in triangles, or as many
    /// as can be handled.
    pub fn spread(
        graph: &SurfaceGraph,
        motion: SurfaceMotion,
        count: usize,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let SurfaceMotion { frames, triangles, rest } = motion;
        let slack = ALIKE * length_of(rest);
        let travels = travels(frames);
        let farthest = |left: &mut dyn Iterator<Item = u32>, distance: &[f64]| {
            let left: Vec<u32> = left.collect();
            let most = left.iter().fold(f64::NEG_INFINITY, |most, &v| most.max(distance[v as usize]));
            let alike = left.into_iter().filter(|&v| distance[v as usize] >= most - slack);
            alike.reduce(|a, b| if travels[b as usize] > travels[a as usize] { b } else { a })
        };
        let middle = middle_of(graph.used(), rest, &vertex_areas(triangles, rest));
        let nearness: Vec<f64> = rest.iter().map(|p| -p.as_dvec3().distance(middle)).collect();
        let mut cells = Cells::new(rest.len(), slack);
        let first = farthest(&mut graph.used(), &nearness);
        cells.add_farthest(graph, first, count.min(TUNED.most), farthest, progress)?;
        let neighbours = touching(graph, &cells);
        Ok(Self { cells, neighbours })
    }

    /// Gives every vertex the group of its seed.
    pub fn spread_groups(&self, group_of_seed: &[u32]) -> Vec<u32> {
        self.cells.owner.iter().map(|&seed| group_of_seed[seed as usize]).collect()
    }
}

/// A number for each vertex that tells vertices apart which look alike in the rest pose: how far from the
/// middle it travels, later frames counting more. Turning or moving the animation leaves it as it is.
fn travels(frames: &Frames) -> Vec<f64> {
    let middles: Vec<_> = (0..frames.len()).map(|t| centroid(frames.frame(t))).collect();
    (0..frames.vertex_count())
        .into_par_iter()
        .map(|v| {
            let steps = middles.iter().enumerate();
            steps.map(|(t, m)| (t + 1) as f64 * frames.frame(t)[v].as_dvec3().distance_squared(*m)).sum()
        })
        .collect()
}

/// Pairs of cells with an edge between them.
fn touching(graph: &SurfaceGraph, cells: &Cells) -> Vec<[u32; 2]> {
    // Vertices without triangles count as well: they may be all that links two pieces.
    let owners = graph.edges().map(|edge| edge.map(|v| cells.owner[v as usize]));
    distinct(owners.filter(|[a, b]| a < b))
}
