//! How alike seeds move, and the leading eigenvectors of that.

use glam::DVec3;
use rayon::prelude::*;

use crate::animation::Frames;
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::segment::{SpectralTuning, TUNING};
use crate::solve::tridiagonal::eigen_rows_unless_cancelled;
use crate::tracks::spread_frames;

const TUNED: SpectralTuning = TUNING.spectral;
/// A change of distances, as a share of them, below which it may be rounding.
const ROUNDING: f64 = 1e-4;
/// Exponents beyond this would make a seed that flies off alike to none, and its likeness zero over zero.
const LARGEST_EXPONENT: f64 = 500.0;

/// Distances of all pairs of seeds over time, in units of the body's size.
pub struct Pairs {
    /// Number of seeds.
    pub count: usize,
    /// Mean distance ρ, a square matrix.
    mean: Vec<f64>,
    /// Standard deviation of the distance σ, a square matrix.
    change: Vec<f64>,
}

impl Pairs {
    /// Measures the distances between `seeds`, which are vertices.
    pub fn measure(frames: &Frames, seeds: &[u32], progress: &dyn Progress) -> Result<Self, Cancelled> {
        let n = seeds.len();
        let chosen = spread_frames(frames.len(), TUNED.frames);
        let paths: Vec<Vec<DVec3>> = seeds
            .par_iter()
            .map(|&v| chosen.iter().map(|&t| frames.frame(t)[v as usize].as_dvec3()).collect())
            .collect();
        let row = |i: usize| {
            let mut buffer = Vec::new();
            Ok(paths.iter().map(|path| distance_over_time(&paths[i], path, &mut buffer)).collect())
        };
        let both: Vec<(f64, f64)> = in_parallel::<Vec<_>>(progress, n, row)?.concat();
        // Half the mean square over all pairs is the mean square from the middle.
        let square = both.iter().map(|(mean, change)| mean * mean + change * change).sum::<f64>();
        let size = (0.5 * square).sqrt() / n as f64;
        let unit = if size > 0.0 { size.recip() } else { 1.0 };
        let (mean, change) = both.iter().map(|(mean, change)| (mean * unit, change * unit)).unzip();
        Ok(Self { count: n, mean, change })
    }

    /// How much the distance between two seeds changes: its standard deviation. Between seeds that are
    /// rigid to each other nearness tells more than rounding does.
    pub fn change(&self, a: usize, b: usize) -> f64 {
        let pair = a * self.count + b;
        self.change[pair] + ROUNDING * self.mean[pair]
    }
}

/// Mean and standard deviation of a distance.
fn distance_over_time(a: &[DVec3], b: &[DVec3], buffer: &mut Vec<f64>) -> (f64, f64) {
    buffer.clear();
    buffer.extend(a.iter().zip(b).map(|(a, b)| a.distance(*b)));
    let length = buffer.len() as f64;
    let mean = buffer.iter().sum::<f64>() / length;
    (mean, (buffer.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / length).sqrt())
}

/// Eigenvalues, largest first, and eigenvectors, row after row.
pub struct Spectrum {
    values: Vec<f64>,
    vectors: Vec<f64>,
}

/// The spectrum of the affinities of eq. 1, normalised by what each seed has in all.
pub fn spectrum(pairs: &Pairs, progress: &dyn Progress) -> Result<Spectrum, Cancelled> {
    let n = pairs.count;
    let terms: Vec<f64> =
        pairs.mean.iter().zip(&pairs.change).map(|(r, s)| s + TUNED.nearness * r.sqrt()).collect();
    let scale = terms.iter().sum::<f64>() / ((n * n - n).max(1)) as f64;
    let sharpness = if scale > 0.0 { scale.powi(-2) } else { 0.0 };
    let mut a: Vec<f64> = terms.iter().map(|t| (-(t * sharpness).min(LARGEST_EXPONENT)).exp()).collect();
    (0..n).for_each(|i| a[i * n + i] = 0.0);
    let sums: Vec<f64> = a.chunks_exact(n).map(|row| row.iter().sum()).collect();
    for (i, row) in a.chunks_exact_mut(n).enumerate() {
        row.iter_mut().zip(&sums).for_each(|(x, sum)| *x /= (sums[i] * sum).sqrt().max(f64::MIN_POSITIVE));
    }
    let (values, vectors) = eigen_rows_unless_cancelled(a, n, progress)?;
    Ok(Spectrum { values, vectors })
}

impl Spectrum {
    /// How many leading eigenvalues hold this share of the sum of squares; at least one.
    pub fn count_for(&self, share: f64) -> usize {
        let squares: Vec<f64> = self.values.iter().map(|v| v.max(0.0).powi(2)).collect();
        let needed = share * squares.iter().sum::<f64>();
        let held = squares.iter().scan(0.0, |sum, x| {
            *sum += x;
            Some(*sum)
        });
        (1 + held.take_while(|held| *held < needed).count()).min(self.values.len()).max(1)
    }

    /// A row of unit length for each seed: what it has in the first `dimensions` eigenvectors.
    pub fn rows(&self, dimensions: usize) -> Vec<f64> {
        let n = self.values.len();
        let mut rows: Vec<f64> =
            (0..n * dimensions).map(|i| self.vectors[(i % dimensions) * n + i / dimensions]).collect();
        for row in rows.chunks_exact_mut(dimensions) {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().for_each(|x| *x /= length.max(f64::MIN_POSITIVE));
        }
        rows
    }
}
