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

use glam::{DAffine3, Vec3};
use rayon::prelude::*;

use super::NO_BONE;
use super::moments::{Moments, Paths};
use crate::animation::Frames;
use crate::geometry::surface::{Distance, SurfaceGraph};
use crate::progress::Progress;
use crate::tracks::{Origins, Tracks, residual};

/// Frames looked at.
const MOST_FRAMES: usize = 64;
/// The most times that regions grow.
const ROUNDS: usize = 16;
/// A round must lower the error by this factor to be followed by another.
const WORTH_IT: f64 = 0.999;

/// Grows a region from each of `seeds`, different vertices such as those of [`super::spread_points`], and
/// returns the region of every vertex. `None` when `progress` cancels.
///
/// # Panics
/// When there are no seeds.
pub fn grow_regions(
    frames: &Frames,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    seeds: &[u32],
    progress: &dyn Progress,
) -> Option<Vec<u32>> {
    grow(&SurfaceGraph::new(triangles, rest), frames, rest, seeds, progress)
}

pub(crate) fn grow(
    graph: &SurfaceGraph,
    frames: &Frames,
    rest: &[Vec3],
    seeds: &[u32],
    progress: &dyn Progress,
) -> Option<Vec<u32>> {
    assert!(!seeds.is_empty(), "at least one seed");
    let count = frames.len().min(MOST_FRAMES);
    let origins = Origins::of_some(frames, (0..count).map(|i| i * frames.len() / count).collect(), rest);
    let growth = Growth { graph, paths: Paths::of_vertices(frames, rest, &origins), origins };
    let nearest = graph.nearest_sources(seeds, 1).iter().map(|&(_, seed)| seed).collect();
    let mut best = growth.judge(nearest, seeds.len());
    let mut seeds = seeds.to_vec();
    for round in 0..ROUNDS {
        if progress.cancelled() {
            return None;
        }
        progress.advance(round as f64 / ROUNDS as f64);
        let grown = growth.judge(growth.outwards(&seeds, &best.tracks), seeds.len());
        let worth = grown.cost() < WORTH_IT * best.cost();
        if grown.cost() < best.cost() {
            best = grown;
        }
        if !worth {
            break;
        }
        best.move_seeds(&mut seeds);
    }
    Some(best.region_of)
}

/// What regions grow over.
struct Growth<'a> {
    graph: &'a SurfaceGraph,
    paths: Paths,
    origins: Origins,
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
    fn outwards(&self, seeds: &[u32], tracks: &Tracks) -> Vec<u32> {
        let mut region_of = vec![NO_BONE; self.paths.len()];
        let mut unused = vec![0.0; self.paths.run];
        let mut heap = BinaryHeap::new();
        let mut take = |vertex: u32, region: u32, region_of: &mut [u32], heap: &mut BinaryHeap<_>| {
            region_of[vertex as usize] = region;
            for &(next, _) in self.graph.neighbours(vertex) {
                if region_of[next as usize] == NO_BONE {
                    let error = self.error(next as usize, region, tracks, &mut unused);
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
        while let Some(Reverse((_, vertex, region))) = heap.pop() {
            if region_of[vertex as usize] == NO_BONE {
                take(vertex, region, &mut region_of, &mut heap);
            }
        }
        region_of
    }

    fn error(&self, vertex: usize, region: u32, tracks: &Tracks, unused: &mut [f32]) -> f64 {
        let bone = tracks.bone(region as usize);
        residual(bone, self.paths.rest[vertex], self.paths.run(vertex), unused)
    }

    /// Fits transforms to regions and measures them.
    fn judge(&self, region_of: Vec<u32>, count: usize) -> Grown {
        let mut members = vec![Vec::new(); count];
        for (v, &region) in region_of.iter().enumerate() {
            members[region as usize].push(v);
        }
        let fits: Vec<Vec<DAffine3>> = members
            .par_iter()
            .map(|list| {
                let mut moments = Moments::new(self.origins.frames.len());
                list.iter().for_each(|&v| moments.add(self.paths.rest[v], self.paths.run(v)));
                moments.fit(false)
            })
            .collect();
        let by_frame: Vec<DAffine3> =
            (0..self.origins.frames.len()).flat_map(|t| fits.iter().map(move |f| f[t])).collect();
        // Fits are relative to the origins already.
        let tracks = Tracks::new(&self.origins.at_zero(), &by_frame);
        let errors = (0..self.paths.len())
            .into_par_iter()
            .map_init(|| vec![0.0; self.paths.run], |unused, v| self.error(v, region_of[v], &tracks, unused))
            .collect();
        Grown { region_of, tracks, errors }
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
mod tests {
    use super::*;
    use crate::geometry::Mesh;
    use crate::progress::Silent;
    use crate::segment::spread_points;

    #[test]
    fn a_hinge_is_found_wherever_the_seeds_are() {
        // A strip that folds at x = 14 of 40, seeded by two points spread over the whole.
        let long = 40;
        let rest: Vec<Vec3> =
            (0..=long).flat_map(|x| [0, 1, 2].map(|y| Vec3::new(x as f32, y as f32, 0.0))).collect();
        let mut mesh = Mesh { vertex_count: rest.len(), ..Mesh::default() };
        for a in (0..long).flat_map(|x| [3 * x, 3 * x + 1]) {
            mesh.push_face(&[a, a + 3, a + 4, a + 1]);
        }
        let triangles = mesh.triangles(&rest);
        let pose = |angle: f32| -> Vec<Vec3> {
            let fold = |p: &Vec3| match p.x - 14.0 {
                d if d > 0.0 => Vec3::new(14.0 + d * angle.cos(), p.y, d * angle.sin()),
                _ => *p,
            };
            rest.iter().map(fold).collect()
        };
        let frames = Frames::from_poses(&[0.0, 0.4, 0.9, 1.4].map(pose));
        let seeds = spread_points(&triangles, &rest, 2).unwrap();
        let regions = grow_regions(&frames, &triangles, &rest, &seeds, &Silent).unwrap();
        let first = regions[0];
        for (p, region) in rest.iter().zip(&regions).filter(|(p, _)| (p.x - 14.0).abs() > 1.5) {
            assert_eq!(*region == first, p.x < 14.0, "at {p}");
        }
    }
}
