//! Normal equations of all bones together: with g_i = w_i ⊗ (p̄_i, 1), the 4B × 4B matrix Σ g gᵀ and the
//! right-hand sides Σ g pᵀ, one for each reduced coordinate.
//!
//! The matrix has entries only where bones share a vertex, so that it is kept as one block for each such pair.

use std::sync::Arc;

use super::{Model, Pairs, Points};
use crate::progress::{Cancelled, Progress, in_parallel};

/// What a pair of bones contributes to the matrix, either way round.
pub type Block = [[f64; 4]; 4];

/// Sums over the vertices.
pub struct Normal {
    /// Number of bones, of four rows each.
    pub bones: usize,
    /// Reduced coordinates.
    pub dims: usize,
    /// Bones that share a vertex.
    pub pairs: Arc<Pairs>,
    /// The block of each pair.
    pub blocks: Vec<Block>,
    /// The right-hand sides, row after row.
    pub right: Vec<f64>,
}

/// Vertices after which it is asked whether to go on.
const ASKED_EVERY: usize = 256;
/// Entries of all parts together; fewer parts where there are many.
const ROOM: usize = 1 << 22;

/// The sums of some vertices.
struct Part {
    blocks: Vec<Block>,
    right: Vec<f64>,
}

impl Normal {
    /// Sums up. The vertices are cut into parts whose number depends on the sizes alone, so that the sums are
    /// the same for any number of threads.
    pub fn new(model: &Model, points: &Points, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let (bones, dims) = (model.bones.count(), model.bones.dims);
        let pairs = Pairs::sharing_vertices(&model.weights, bones);
        let parts = (ROOM / (16 * pairs.list.len() + 4 * bones * dims)).clamp(2, 16);
        let size = points.len().div_ceil(parts).max(256);
        let mut sums = in_parallel(progress, points.len().div_ceil(size), |part| {
            let blocks = vec![Block::default(); pairs.list.len()];
            let mut sum = Part { blocks, right: vec![0.0; 4 * bones * dims] };
            for i in part * size..((part + 1) * size).min(points.len()) {
                if i.is_multiple_of(ASKED_EVERY) {
                    progress.check()?;
                }
                sum.add(&pairs, model, points, i);
            }
            Ok(sum)
        })?;
        let mut all = sums.remove(0);
        for sum in &sums {
            progress.check()?;
            let entries = all.blocks.as_flattened_mut().as_flattened_mut().iter_mut();
            entries.zip(sum.blocks.as_flattened().as_flattened()).for_each(|(a, b)| *a += b);
            all.right.iter_mut().zip(&sum.right).for_each(|(a, b)| *a += b);
        }
        let Part { blocks, right } = all;
        Ok(Self { bones, dims, pairs: Arc::new(pairs), blocks, right })
    }

    /// A matrix that is known, with right-hand sides kept elsewhere.
    pub fn of_blocks(bones: usize, pairs: Arc<Pairs>, blocks: Vec<Block>) -> Self {
        Self { bones, dims: 0, pairs, blocks, right: Vec::new() }
    }

    /// The pairs and their blocks.
    pub fn blocks(&self) -> impl Iterator<Item = ([usize; 2], &Block)> {
        self.pairs.list.iter().map(|pair| pair.map(|b| b as usize)).zip(&self.blocks)
    }

    /// The block of a bone with itself; zero where it moves nothing.
    pub fn own(&self, bone: usize) -> Block {
        self.pairs.slot(bone, bone).map_or(Block::default(), |slot| self.blocks[slot])
    }

    /// How much a bone carries: Σ w².
    pub fn mass(&self, bone: usize) -> f64 {
        self.own(bone)[3][3]
    }
}

impl Part {
    fn add(&mut self, pairs: &Pairs, model: &Model, points: &Points, i: usize) {
        let h = model.rest[i].as_dvec3().extend(1.0).to_array();
        let (dims, often) = (model.bones.dims, points.importance(i));
        for (b, wb) in model.weights.influences(i) {
            for (c, wc) in model.weights.influences(i).filter(|(c, _)| *c >= b) {
                let w = wb * wc * often;
                let slot = pairs.slot(b, c).expect("they share this vertex");
                for (row, x) in self.blocks[slot].iter_mut().zip(h) {
                    row.iter_mut().zip(h).for_each(|(sum, y)| *sum += w * x * y);
                }
            }
            for (row, x) in h.iter().enumerate() {
                let right = &mut self.right[(b * 4 + row) * dims..][..dims];
                right
                    .iter_mut()
                    .zip(points.path(i))
                    .for_each(|(sum, p)| *sum += wb * often * x * f64::from(*p));
            }
        }
    }
}
