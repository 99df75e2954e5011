//! Triangles sorted into sets, and what that makes of the vertices.

use super::{Labels, NO_BONE};

/// Triangles sorted into near-rigid sets.
#[derive(Clone, Debug, PartialEq)]
pub struct Segmentation {
    /// Bone of each triangle, [`NO_BONE`] for outliers.
    pub bone_of_triangle: Vec<u32>,
    /// Number of bones.
    pub bone_count: usize,
    /// How well an animation suits skinning: the share of triangles that mean shift finds near a
    /// significant mode, its paper's η, or whose distances from their spectral patch hardly change.
    pub near_rigid_fraction: f64,
}

impl Segmentation {
    /// Every vertex follows the bone of most of its `triangles`, the first of equals.
    pub fn labels(&self, triangles: &[[u32; 3]], vertices: usize) -> Labels {
        let mut votes: Vec<Vec<u32>> = vec![Vec::new(); vertices];
        for (triangle, &bone) in triangles.iter().zip(&self.bone_of_triangle).filter(|(_, b)| **b != NO_BONE)
        {
            triangle.iter().for_each(|&v| votes[v as usize].push(bone));
        }
        let most = |mut votes: Vec<u32>| {
            votes.sort_unstable();
            votes.chunk_by(|a, b| a == b).rev().max_by_key(|same| same.len()).map_or(NO_BONE, |same| same[0])
        };
        Labels { of_vertex: votes.into_iter().map(most).collect(), count: self.bone_count }
    }
}
