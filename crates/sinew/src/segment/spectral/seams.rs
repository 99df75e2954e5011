//! Seams between patches, moved to where the motion puts them.
//!
//! Patches of seeds end halfway between seeds, not where one part's motion gives way to the next's. Rigid
//! transforms are fitted to every patch; a vertex at a seam goes over to a neighbouring patch that predicts
//! its path clearly better, round after round. All vertices of a round decide at once, so that their order
//! does not matter, and each only ever lowers its error, so that they come to rest.

use rayon::prelude::*;

use crate::geometry::surface::{SurfaceGraph, pieces_within};
use crate::geometry::weld::numbered;
use crate::progress::{Cancelled, Progress};
use crate::segment::{SpectralTuning, SurfaceMotion, TUNING, Trajectories, distinct, members};
use crate::tracks::{Origins, Tracks};

const TUNED: SpectralTuning = TUNING.spectral;
/// Errors below this share of the body's size may be rounding: of what is alike so far, the first is taken.
const ROUNDING: f64 = 1e-4;

/// Moves the seams between the groups of vertices. Vertices in `fixed` keep their group, of which there are
/// `count`.
pub fn settle(
    graph: &SurfaceGraph,
    motion: SurfaceMotion,
    fixed: &[u32],
    group_of: &mut Vec<u32>,
    count: usize,
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let rest = motion.rest;
    let origins = Origins::spread(motion.frames, TUNED.seam_frames, rest);
    let length = origins.frames.len();
    let paths = Trajectories::of_vertices(motion, &origins);
    let square = paths.rest.iter().map(|p| f64::from(p.length_squared())).sum::<f64>() / rest.len() as f64;
    let rounding = length as f64 * ROUNDING.powi(2) * square;
    let mut may_move = vec![true; rest.len()];
    fixed.iter().for_each(|&v| may_move[v as usize] = false);
    let seams = Seams { graph, paths, may_move, rounding };
    let [fits, rounds] = TUNED.seam_rounds;
    for _ in 0..fits {
        let tracks = seams.paths.fit(group_of, count, true, progress)?;
        let before = group_of.clone();
        for _ in 0..rounds {
            progress.check()?;
            if !seams.step(group_of, &tracks) {
                break;
            }
        }
        seams.absorb_scraps(group_of, &tracks);
        if *group_of == before {
            break;
        }
    }
    Ok(())
}

struct Seams<'a> {
    graph: &'a SurfaceGraph,
    paths: Trajectories,
    may_move: Vec<bool>,
    /// Squared error that may be rounding.
    rounding: f64,
}

impl Seams<'_> {
    /// Vertices at seams go over. `false` when none did.
    fn step(&self, group_of: &mut Vec<u32>, tracks: &Tracks) -> bool {
        let now = &*group_of;
        let next: Vec<u32> = (0..now.len())
            .into_par_iter()
            .map_init(Vec::new, |unused, v| match self.may_move[v] {
                true => self.choice(v, now, tracks, unused),
                false => now[v],
            })
            .collect();
        let moved = next != *group_of;
        *group_of = next;
        moved
    }

    /// The group of a vertex or of a neighbour that predicts it clearly better.
    fn choice(&self, vertex: usize, group_of: &[u32], tracks: &Tracks, unused: &mut Vec<f32>) -> u32 {
        let own = group_of[vertex];
        let others = self.beside(vertex, group_of);
        if others.is_empty() {
            return own;
        }
        let mut error = |group: u32| self.paths.error(vertex, group, tracks, unused);
        let first = (TUNED.seam_gain * error(own), own);
        let errors = others.into_iter().map(|group| (error(group), group));
        errors.fold(first, |best, other| if other.0 < best.0 - self.rounding { other } else { best }).1
    }

    /// Other groups that a vertex has an edge to, each once, in order.
    fn beside(&self, vertex: usize, group_of: &[u32]) -> Vec<u32> {
        let near = self.graph.neighbours(vertex as u32).iter().map(|&(next, _)| group_of[next as usize]);
        distinct(near.filter(|&g| g != group_of[vertex]))
    }

    /// What has come off its group's fixed vertex goes to the neighbour that predicts it best.
    fn absorb_scraps(&self, group_of: &mut [u32], tracks: &Tracks) {
        let edges: Vec<[u32; 2]> = self.graph.edges().filter(|[a, b]| a < b).collect();
        let (piece_of, first) = numbered(&pieces_within(group_of, &edges));
        let mut scraps = members(&piece_of, first.len());
        scraps.retain(|list| list.iter().all(|&v| self.may_move[v as usize]));
        scraps.sort_by_key(Vec::len);
        let mut unused = Vec::new();
        for scrap in scraps {
            let others = distinct(scrap.iter().flat_map(|&v| self.beside(v as usize, group_of)));
            let mut cost = |group: u32| -> f64 {
                scrap.iter().map(|&v| self.paths.error(v as usize, group, tracks, &mut unused)).sum()
            };
            let costs: Vec<(f64, u32)> = others.into_iter().map(|g| (cost(g), g)).collect();
            let rounding = scrap.len() as f64 * self.rounding;
            let better = |a: (f64, u32), b: (f64, u32)| if b.0 < a.0 - rounding { b } else { a };
            if let Some((_, best)) = costs.into_iter().reduce(better) {
                scrap.iter().for_each(|&v| group_of[v as usize] = best);
            }
        }
    }
}
