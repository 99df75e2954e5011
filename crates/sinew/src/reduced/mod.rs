//! Paths of vertices over all frames in few coordinates.
//!
//! With bones that may stretch, ‖P − Σ w T h‖ does not change under an orthonormal change of the frame
//! axis. P (three rows a frame) is replaced by its coordinates in its leading left-singular vectors, so that a
//! round costs the same for a long animation as for a short one (Kavan, Sloan and O'Sullivan 2010 live
//! from this). The vectors come from a randomised range finder (Halko, Martinsson and Tropp 2011) with one
//! power iteration on a sample of the vertices, seeded, so always the same.

pub mod kernels;
mod ranking;
mod tables;

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use self::kernels::{spread, weighted_sum, wide_dot};
use crate::animation::Frames;
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::solve::jacobi::symmetric_eigen_sorted;
use crate::solve::subspace::multiply;
use crate::tracks::Units;
use crate::wide::for_wide_machines;

pub use self::ranking::Ranking;
pub use self::tables::{Forms, Tables};

/// Coordinates are padded with zeros to a multiple of this.
pub const LANES: usize = 16;
/// The most coordinates kept.
const MOST: usize = 64;
/// Random directions beyond those kept, which make the leading ones sharp.
const EXTRA: usize = 12;
/// Vertices that the directions are found from.
const SAMPLE: usize = 800;
/// Share of the motion, in percent as errors are measured, that may be left out.
const LEFT_OUT: f64 = 0.01;
/// Vertices projected together.
const BLOCK: usize = 64;

/// Paths in scaled [`Units`], expressed in few directions.
pub struct Reduced {
    /// What positions are measured in.
    pub units: Units,
    /// Coordinates of a path, a multiple of [`LANES`].
    pub dims: usize,
    /// Directions: for each frame's x, y and z a row of `dims`.
    pub basis: Vec<f32>,
    /// Coordinates, vertex after vertex.
    pub coords: Vec<f32>,
    /// Squared length of what the coordinates leave out, over all vertices.
    pub left_out: f64,
    /// Σ ‖P − mean over time of P‖², what errors are relative to.
    pub motion: f64,
}

impl Reduced {
    /// Reduces all frames.
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn new(frames: &Frames, rest: &[Vec3], progress: &dyn Progress) -> Result<Self, Cancelled> {
        let units = Units::of_radius_one(frames, rest);
        let (origins, scale) = (&units.origins, units.scale());
        let motion = motion(frames, origins.rest, progress)? * scale * scale;
        let (basis, dims) = directions(frames, &units, motion, progress)?;
        let mut reduced = Self { units, dims, basis, coords: Vec::new(), left_out: 0.0, motion };
        reduced.project(frames, progress)?;
        Ok(reduced)
    }

    fn project(&mut self, frames: &Frames, progress: &dyn Progress) -> Result<(), Cancelled> {
        let (n, dims) = (frames.vertex_count(), self.dims);
        let mut coords = vec![0.0_f32; n * dims];
        let squares: Result<Vec<f64>, Cancelled> = coords
            .par_chunks_mut(BLOCK * dims)
            .enumerate()
            .map(|(block, out)| {
                progress.check()?;
                let first = block * BLOCK;
                let count = out.len() / dims;
                let mut square = 0.0;
                let mut points = [Vec3::ZERO; BLOCK];
                for (t, rows) in self.basis.chunks_exact(3 * dims).enumerate() {
                    for (p, q) in points.iter_mut().zip(&frames.frame(t)[first..first + count]) {
                        let moved = self.units.pose(*q, t);
                        square += moved.length_squared();
                        *p = moved.as_vec3();
                    }
                    accumulate(rows, &points[..count], out);
                }
                Ok(square - out.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>())
            })
            .collect();
        self.left_out = squares?.iter().sum::<f64>().max(0.0);
        self.coords = coords;
        Ok(())
    }

    /// A rest pose relative to its middle, scaled like the paths.
    pub fn scaled(&self, rest: &[Vec3]) -> Vec<Vec3> {
        rest.iter().map(|p| self.units.rest(*p).as_vec3()).collect()
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.units.origins.frames.len()
    }

    /// Coordinates of one vertex.
    pub fn path(&self, vertex: usize) -> &[f32] {
        &self.coords[vertex * self.dims..(vertex + 1) * self.dims]
    }
}

/// Σ ‖P − mean over time of P‖², measured from a place near all of it.
fn motion(frames: &Frames, origin: DVec3, progress: &dyn Progress) -> Result<f64, Cancelled> {
    let n = frames.vertex_count();
    let blocks = in_parallel(progress, n.div_ceil(BLOCK), |block| {
        let range = block * BLOCK..((block + 1) * BLOCK).min(n);
        let mut sums = [(DVec3::ZERO, 0.0); BLOCK];
        for t in 0..frames.len() {
            for (sum, p) in sums.iter_mut().zip(&frames.frame(t)[range.clone()]) {
                let p = p.as_dvec3() - origin;
                sum.0 += p;
                sum.1 += p.length_squared();
            }
        }
        let left = |(sum, square): &(DVec3, f64)| square - sum.length_squared() / frames.len() as f64;
        Ok(sums.iter().map(left).sum::<f64>())
    })?;
    Ok(blocks.iter().sum::<f64>().max(0.0))
}

for_wide_machines!(
    /// Adds what one frame contributes to the coordinates of a block of points.
    pub fn accumulate(rows: &[f32], points: &[Vec3], out: &mut [f32]) {
        let dims = rows.len() / 3;
        let (x, rest) = rows.split_at(dims);
        let (y, z) = rest.split_at(dims);
        for (p, out) in points.iter().zip(out.chunks_exact_mut(dims)) {
            for (((o, x), y), z) in out.iter_mut().zip(x).zip(y).zip(z) {
                *o += x * p.x + y * p.y + z * p.z;
            }
        }
    }
);

/// The leading directions of the animation, as rows of `dims` for each frame's x, y and z.
fn directions(
    frames: &Frames,
    units: &Units,
    motion: f64,
    progress: &dyn Progress,
) -> Result<(Vec<f32>, usize), Cancelled> {
    let rows = 3 * frames.len();
    if rows <= MOST {
        let dims = rows.next_multiple_of(LANES);
        let mut basis = vec![0.0; rows * dims];
        (0..rows).for_each(|i| basis[i * dims + i] = 1.0);
        return Ok((basis, dims));
    }
    let sample = Sample::new(frames, units);
    let width = MOST + EXTRA;
    let (mut q, mut inside) = (Vec::new(), random(sample.count * width));
    // The range, and once more for the power iteration.
    for _ in 0..2 {
        progress.check()?;
        q = sample.times(&inside, width);
        orthonormalise(&mut q, width);
        inside = sample.transposed_times(&q, width);
    }
    let mut gram = vec![0.0; width * width];
    for row in inside.chunks_exact(width) {
        for (i, a) in row.iter().enumerate() {
            for (j, b) in row.iter().enumerate() {
                gram[i * width + j] += f64::from(*a) * f64::from(*b);
            }
        }
    }
    let (values, vectors) = symmetric_eigen_sorted(&mut gram, width);
    let share = frames.vertex_count() as f64 / sample.count as f64;
    let allowed = motion * (LEFT_OUT / 100.0) * (LEFT_OUT / 100.0);
    let enough = (0..MOST).find(|&d| values[d..].iter().sum::<f64>() * share <= allowed).unwrap_or(MOST);
    let dims = enough.clamp(1, MOST).next_multiple_of(LANES);
    let q: Vec<f64> = q.into_iter().map(f64::from).collect();
    let basis = multiply(&q, width, &vectors, dims).iter().map(|x| *x as f32).collect();
    Ok((basis, dims))
}

/// Paths of some vertices: for each frame's x, y and z a row with one entry a vertex.
struct Sample {
    count: usize,
    rows: Vec<f32>,
}

impl Sample {
    fn new(frames: &Frames, units: &Units) -> Self {
        let n = frames.vertex_count();
        let count = n.min(SAMPLE);
        let mut rows = vec![0.0; 3 * frames.len() * count];
        rows.par_chunks_mut(3 * count).enumerate().for_each(|(t, rows)| {
            let pose = frames.frame(t);
            for i in 0..count {
                let p = units.pose(pose[i * n / count], t);
                (0..3).for_each(|axis| rows[axis * count + i] = p[axis] as f32);
            }
        });
        Self { count, rows }
    }

    /// The sample times a matrix with one row a vertex.
    fn times(&self, right: &[f32], width: usize) -> Vec<f32> {
        let mut out = vec![0.0; self.rows.len() / self.count * width];
        out.par_chunks_mut(width)
            .zip(self.rows.par_chunks(self.count))
            .for_each(|(out, row)| weighted_sum(row, right, out));
        out
    }

    /// The transposed sample times a matrix with one row for each frame's x, y and z.
    fn transposed_times(&self, right: &[f32], width: usize) -> Vec<f32> {
        let mut out = vec![0.0; self.count * width];
        out.par_chunks_mut(BLOCK * width).enumerate().for_each(|(block, out)| {
            let first = block * BLOCK;
            for (row, right) in self.rows.chunks_exact(self.count).zip(right.chunks_exact(width)) {
                spread(&row[first..first + out.len() / width], right, out);
            }
        });
        out
    }
}

/// Numbers between −1 and 1, always the same.
fn random(count: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
        })
        .collect()
}

/// Makes the columns of a matrix orthonormal, twice over for the sake of rounding; columns that depend on
/// earlier ones become zero.
fn orthonormalise(matrix: &mut [f32], width: usize) {
    let rows = matrix.len() / width;
    let mut columns: Vec<f64> = vec![0.0; matrix.len()];
    for (r, row) in matrix.chunks_exact(width).enumerate() {
        row.iter().enumerate().for_each(|(c, x)| columns[c * rows + r] = f64::from(*x));
    }
    for c in 0..width {
        let (done, column) = columns.split_at_mut(c * rows);
        let column = &mut column[..rows];
        let before = length(column);
        for _ in 0..2 {
            for earlier in done.chunks_exact(rows) {
                let along = wide_dot(earlier, column);
                column.iter_mut().zip(earlier).for_each(|(x, e)| *x -= along * e);
            }
        }
        let after = length(column);
        let factor = if after > 1e-6 * before { 1.0 / after } else { 0.0 };
        column.iter_mut().for_each(|x| *x *= factor);
    }
    for (r, row) in matrix.chunks_exact_mut(width).enumerate() {
        row.iter_mut().enumerate().for_each(|(c, x)| *x = columns[c * rows + r] as f32);
    }
}

fn length(a: &[f64]) -> f64 {
    wide_dot(a, a).sqrt()
}

#[cfg(test)]
#[path = "../../tests/unit/reduced.rs"]
mod tests;
