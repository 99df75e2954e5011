//! Regions of the surface that move as one bone would, grown from seeds.
//!
//! The start of "Fast and Efficient Skinning of Animated Meshes" (FESAM: Kavan, Sloan and O'Sullivan 2010):
//! a region takes the neighbouring vertex that its transforms predict with the least error; then every
//! region's transforms are fitted to what it took, its best-predicted vertex becomes its seed, and all grow
//! again, as long as that lowers the error. A region never loses its seed, so that there are always as many
//! regions as seeds; pieces of the mesh that share no edge are joined where they come nearest.
//!
//! The first transforms are those of the vertices nearest to each seed. Long animations are judged by frames
//! spread over them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::points::spread;
use super::{
    CountRule, Facts, Labels, NO_BONE, RegionsTuning, SegmentOptions, Segmented, Segmenter, SurfaceMotion,
    TUNING, Trajectories, needed,
};
use crate::geometry::surface::{Distance, SurfaceGraph};
use crate::progress::{Cancelled, Progress};
use crate::tracks::{Origins, Tracks};

const TUNED: RegionsTuning = TUNING.regions;
/// Vertices taken between two looks at whether work was cancelled.
const AT_ONCE: usize = 256;

/// [`grow_regions`] from [`spread_points`](super::spread_points) in the table.
pub struct Regions;

impl Segmenter for Regions {
    fn facts(&self) -> Facts {
        let about = "Regions grown over the surface (Kavan et al. 2010)";
        Facts { start: Some("regions"), ..Facts::new("regions", about, CountRule::Needed) }
    }

    fn segment(&self, motion: SurfaceMotion, options: &SegmentOptions, progress: &dyn Progress) -> Segmented {
        let graph = SurfaceGraph::new(motion.triangles, motion.rest);
        let count = needed(options, graph.used().count())?;
        let seeds = spread(&graph, motion.triangles, motion.rest, count, &progress.part(0.0, 0.3))?;
        let of_vertex = grow(&graph, motion, &seeds, &progress.part(0.3, 1.0))?;
        Ok(Labels { of_vertex, count })
    }
}

/// Grows a region from each of `seeds`, different vertices such as those of [`spread_points`](super::spread_points), and
/// returns the region of every vertex.
///
/// # Errors
/// [`Cancelled`].
///
/// # Panics
/// When there are no seeds.
pub fn grow_regions(
    motion: SurfaceMotion,
    seeds: &[u32],
    progress: &dyn Progress,
) -> Result<Vec<u32>, Cancelled> {
    grow(&SurfaceGraph::new(motion.triangles, motion.rest), motion, seeds, progress)
}

/// The same over the graph of the rest pose.
pub(crate) fn grow(
    graph: &SurfaceGraph,
    motion: SurfaceMotion,
    seeds: &[u32],
    progress: &dyn Progress,
) -> Result<Vec<u32>, Cancelled> {
    assert!(!seeds.is_empty(), "at least one seed");
    let origins = Origins::spread(motion.frames, TUNED.frames, motion.rest);
    let growth = Growth { graph, paths: Trajectories::of_vertices(motion, &origins), progress };
    let nearest = graph.nearest_sources(seeds, 1).iter().map(|&(_, seed)| seed).collect();
    let mut best = growth.judge(nearest, seeds.len())?;
    let mut seeds = seeds.to_vec();
    for round in 0..TUNED.rounds {
        progress.advance(round as f64 / TUNED.rounds as f64);
        let grown = growth.judge(growth.outwards(&seeds, &best.tracks)?, seeds.len())?;
        let worth = grown.cost() < TUNED.worth * best.cost();
        if grown.cost() < best.cost() {
            best = grown;
        }
        if !worth {
            break;
        }
        best.move_seeds(&mut seeds);
    }
    Ok(best.region_of)
}

/// What regions grow over.
struct Growth<'a> {
    graph: &'a SurfaceGraph,
    paths: Trajectories,
    progress: &'a dyn Progress,
}

/// A partition with the best transforms of its regions.
struct Grown {
    region_of: Vec<u32>,
    tracks: Tracks,
    /// Squared error of each vertex.
    errors: Vec<f64>,
}

impl Growth<'_> {
    /// Every region takes, from its seed on, what it predicts best.
    fn outwards(&self, seeds: &[u32], tracks: &Tracks) -> Result<Vec<u32>, Cancelled> {
        let mut region_of = vec![NO_BONE; self.paths.len()];
        let mut unused = Vec::new();
        let mut heap = BinaryHeap::new();
        let mut take = |vertex: u32, region: u32, region_of: &mut [u32], heap: &mut BinaryHeap<_>| {
            region_of[vertex as usize] = region;
            for &(next, _) in self.graph.neighbours(vertex) {
                if region_of[next as usize] == NO_BONE {
                    let error = self.paths.error(next as usize, region, tracks, &mut unused);
                    heap.push(Reverse((Distance(error), next, region)));
                }
            }
        };
        // All seeds are taken before any region grows, so that none is overrun.
        for (region, &seed) in seeds.iter().enumerate() {
            region_of[seed as usize] = region as u32;
        }
        for (region, &seed) in seeds.iter().enumerate() {
            take(seed, region as u32, &mut region_of, &mut heap);
        }
        let mut taken = 0;
        while let Some(Reverse((_, vertex, region))) = heap.pop() {
            if region_of[vertex as usize] == NO_BONE {
                take(vertex, region, &mut region_of, &mut heap);
                taken += 1;
                if taken % AT_ONCE == 0 {
                    self.progress.check()?;
                }
            }
        }
        Ok(region_of)
    }

    /// Fits transforms to regions and measures them.
    fn judge(&self, region_of: Vec<u32>, count: usize) -> Result<Grown, Cancelled> {
        let tracks = self.paths.fit(&region_of, count, false, self.progress)?;
        let errors = (0..self.paths.len())
            .into_par_iter()
            .map_init(Vec::new, |unused, v| self.paths.error(v, region_of[v], &tracks, unused))
            .collect();
        Ok(Grown { region_of, tracks, errors })
    }
}

impl Grown {
    fn cost(&self) -> f64 {
        self.errors.iter().sum()
    }

    /// The best-predicted vertex of each region becomes its seed.
    fn move_seeds(&self, seeds: &mut [u32]) {
        let mut best = vec![f64::INFINITY; seeds.len()];
        for (v, (&region, &error)) in self.region_of.iter().zip(&self.errors).enumerate() {
            if error < best[region as usize] {
                best[region as usize] = error;
                seeds[region as usize] = v as u32;
            }
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/segment_regions.rs"]
mod tests;
