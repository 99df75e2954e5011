//! Normal equations of all bones together: with g_i = w_i ⊗ (p̄_i, 1), the 4B × 4B matrix Σ g gᵀ and the
//! right-hand sides Σ g pᵀ, one for each reduced coordinate.

use super::{Model, Points};
use crate::progress::{Cancelled, Progress, in_parallel};

/// Sums over the vertices.
pub struct Normal {
    /// Rows: four a bone.
    pub rows: usize,
    /// Reduced coordinates.
    pub dims: usize,
    /// The matrix.
    pub matrix: Vec<f64>,
    /// The right-hand sides, row after row.
    pub right: Vec<f64>,
}

/// Vertices after which it is asked whether to go on.
const ASKED_EVERY: usize = 256;
/// Entries of all parts together; fewer parts where the matrix is large.
const ROOM: usize = 1 << 22;

impl Normal {
    /// Sums up. The vertices are cut into parts whose number depends on the sizes alone, so that the sums are
    /// the same for any number of threads.
    pub fn new(model: &Model, points: &Points, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let (rows, dims) = (4 * model.bones.count(), model.bones.dims);
        let parts = (ROOM / (rows * (rows + dims))).clamp(2, 16);
        let size = points.len().div_ceil(parts).max(256);
        let mut sums = in_parallel(progress, points.len().div_ceil(size), |part| {
            let mut sum = Self { rows, dims, matrix: vec![0.0; rows * rows], right: vec![0.0; rows * dims] };
            for i in part * size..((part + 1) * size).min(points.len()) {
                if i.is_multiple_of(ASKED_EVERY) {
                    progress.check()?;
                }
                sum.add(model, points, i);
            }
            Ok(sum)
        })?;
        let mut all = sums.remove(0);
        for sum in &sums {
            progress.check()?;
            all.matrix.iter_mut().zip(&sum.matrix).for_each(|(a, b)| *a += b);
            all.right.iter_mut().zip(&sum.right).for_each(|(a, b)| *a += b);
        }
        Ok(all)
    }

    fn add(&mut self, model: &Model, points: &Points, i: usize) {
        let h = model.rest[i].as_dvec3().extend(1.0).to_array();
        for (b, wb) in model.weights.influences(i) {
            for (c, wc) in model.weights.influences(i) {
                let w = wb * wc;
                for (row, x) in h.iter().enumerate() {
                    let at = (b * 4 + row) * self.rows + c * 4;
                    self.matrix[at..at + 4].iter_mut().zip(h).for_each(|(sum, y)| *sum += w * x * y);
                }
            }
            for (row, x) in h.iter().enumerate() {
                let right = &mut self.right[(b * 4 + row) * self.dims..][..self.dims];
                right.iter_mut().zip(points.path(i)).for_each(|(sum, p)| *sum += wb * x * f64::from(*p));
            }
        }
    }

    /// The 4×4 block of two bones.
    pub fn block(&self, b: usize, c: usize) -> [[f64; 4]; 4] {
        std::array::from_fn(|row| {
            let at = (b * 4 + row) * self.rows + c * 4;
            std::array::from_fn(|column| self.matrix[at + column])
        })
    }
}
