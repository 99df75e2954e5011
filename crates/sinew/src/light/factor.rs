//! Light of all frames as a sum of few shapes.

use rayon::prelude::*;

use super::tuning::TUNING;
use super::{Occlusion, OcclusionError};
use crate::progress::{Cancelled, Progress};
use crate::solve::jacobi::{symmetric_eigen_sorted, try_symmetric_eigen_sorted};
use crate::solve::subspace::{multiply, subspace_iteration};

/// Keeps what is divided by from being nothing.
const TINY: f64 = 1e-12;

crate::choices! {
    /// What shapes may be.
    #[derive(Default)]
    pub enum Factoring: "factorisation" {
        /// Any numbers: a truncated singular value decomposition. No other shapes of that number come nearer.
        #[default]
        Singular = "svd", "any numbers; no other shapes of that number come nearer",
        /// No negative numbers, neither in shapes nor in coefficients. Every shape is a light by itself. Shapes and
        /// coefficients take turns, one column after the other (Cichocki and Phan 2009).
        Nonnegative = "nmf", "no negative numbers, for players that only add",
    }
}

/// Light as a sum of shapes: at vertex v in frame t it is Σ shape(v) · coefficient(t).
#[derive(Clone, Debug, PartialEq)]
pub struct LightShapes {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of shapes.
    pub rank: usize,
    /// Vertex after vertex, shape after shape; the strongest first.
    pub shapes: Vec<f32>,
    /// Shape after shape, frame after frame.
    pub coefficients: Vec<f32>,
}

impl LightShapes {
    /// Finds shapes, at most as many as there are frames.
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn new(
        light: &Occlusion,
        rank: usize,
        factoring: Factoring,
        progress: &dyn Progress,
    ) -> Result<Self, OcclusionError> {
        let (frames, vertices) = (light.frame_count(), light.vertices);
        let rank = rank.min(frames);
        let vectors = strongest(light, rank, progress)?;
        let mut factors = Factors { light, rank, shapes: Vec::new(), coefficients: vectors };
        factors.shapes = factors.projected();
        if factoring == Factoring::Nonnegative {
            factors.without_negatives(progress)?;
        }
        factors.balance();
        let Factors { shapes, coefficients, .. } = factors;
        let shapes = (0..rank).flat_map(|k| shapes.iter().skip(k).step_by(rank)).map(|x| *x as f32).collect();
        Ok(Self { vertices, rank, shapes, coefficients: coefficients.iter().map(|x| *x as f32).collect() })
    }
}

/// The leading eigenvectors of the frames' products with each other: coefficients, frame after frame.
fn strongest(light: &Occlusion, rank: usize, progress: &dyn Progress) -> Result<Vec<f64>, Cancelled> {
    let frames = light.frame_count();
    let mut gram = vec![0.0; frames * frames];
    gram.par_chunks_mut(frames.max(1)).enumerate().try_for_each(|(s, row)| {
        for (t, entry) in row.iter_mut().enumerate() {
            progress.check()?;
            *entry = dot(light.frame(s), light.frame(t));
        }
        Ok(())
    })?;
    if frames > TUNING.most_at_once {
        return leading(&gram, frames, rank, progress);
    }
    let (_, vectors) = try_symmetric_eigen_sorted(&mut gram, frames, || progress.check())?;
    let entries = (0..frames).flat_map(|t| (0..rank).map(move |k| (k, t)));
    Ok(entries.map(|(k, t)| vectors[t * frames + k]).collect())
}

/// Leading eigenvectors of a large symmetric matrix, row after row, by orthogonal iteration with a few vectors
/// more than are asked for.
fn leading(matrix: &[f64], n: usize, rank: usize, progress: &dyn Progress) -> Result<Vec<f64>, Cancelled> {
    let k = (rank + TUNING.spare).min(n);
    // Any start will do that is not orthogonal to what is looked for.
    let basis: Vec<f64> = (0..n * k).map(|i| ((i * i % 10_007) as f64 * 0.61).sin()).collect();
    let product = |basis: &[f64]| -> Vec<f64> {
        let mut out = vec![0.0; n * k];
        out.par_chunks_mut(k).zip(matrix.par_chunks(n)).for_each(|(out, row)| {
            for (m, b) in row.iter().zip(basis.chunks_exact(k)) {
                out.iter_mut().zip(b).for_each(|(o, b)| *o += m * b);
            }
        });
        out
    };
    let times = |basis: &[f64]| progress.check().map(|()| product(basis));
    let basis = subspace_iteration(basis, k, TUNING.iterations, |_| TINY, times)?;
    // The best within what was found.
    let image = product(&basis);
    let mut small = vec![0.0; k * k];
    for (b, m) in basis.chunks_exact(k).zip(image.chunks_exact(k)) {
        for (i, row) in small.chunks_exact_mut(k).enumerate() {
            row.iter_mut().zip(m).for_each(|(entry, m)| *entry += b[i] * m);
        }
    }
    let (_, turn) = symmetric_eigen_sorted(&mut small, k);
    Ok(multiply(&basis, k, &turn, rank))
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    let part = |(a, b): (&[f32], &[f32])| -> f32 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
    // Short sums are exact enough in single precision.
    a.chunks(256).zip(b.chunks(256)).map(|pair| f64::from(part(pair))).sum()
}

/// Shapes and coefficients while they are found.
struct Factors<'a> {
    light: &'a Occlusion,
    rank: usize,
    /// Shape after shape, vertex after vertex.
    shapes: Vec<f64>,
    /// Shape after shape, frame after frame.
    coefficients: Vec<f64>,
}

impl Factors<'_> {
    /// For every vertex its light times the coefficients, summed over frames.
    fn projected(&self) -> Vec<f64> {
        let (rank, light) = (self.rank, self.light);
        let mut out = vec![0.0; rank * light.vertices];
        out.par_chunks_mut(rank.max(1)).with_min_len(256).enumerate().for_each(|(v, row)| {
            for (t, q) in self.coefficients.chunks_exact(rank).enumerate() {
                let value = f64::from(light.values[t * light.vertices + v]);
                row.iter_mut().zip(q).for_each(|(x, q)| *x += value * q);
            }
        });
        out
    }

    /// For every frame its light times the shapes, summed over vertices.
    fn backwards(&self) -> Vec<f64> {
        let (rank, light) = (self.rank, self.light);
        let mut out = vec![0.0; rank * light.frame_count()];
        out.par_chunks_mut(rank.max(1)).enumerate().for_each(|(t, row)| {
            for (u, value) in self.shapes.chunks_exact(rank).zip(light.frame(t)) {
                row.iter_mut().zip(u).for_each(|(x, u)| *x += f64::from(*value) * u);
            }
        });
        out
    }

    /// Goes on to shapes and coefficients that are not negative. Starts from the positive parts of both, as
    /// strong as the shapes were.
    fn without_negatives(&mut self, progress: &dyn Progress) -> Result<(), Cancelled> {
        let rank = self.rank;
        for k in 0..rank {
            let square = |of: &[f64], sign: f64| -> f64 {
                of.iter().skip(k).step_by(rank).map(|x| (sign * x).max(0.0).powi(2)).sum()
            };
            let strength = |sign: f64| square(&self.shapes, sign) * square(&self.coefficients, sign);
            // Of a shape and its opposite the one that keeps more.
            let sign = if strength(1.0) >= strength(-1.0) { 1.0 } else { -1.0 };
            for of in [&mut self.shapes, &mut self.coefficients] {
                of.iter_mut().skip(k).step_by(rank).for_each(|x| *x = (sign * *x).max(TINY));
            }
        }
        for round in 0..TUNING.rounds {
            progress.check()?;
            progress.advance(round as f64 / TUNING.rounds as f64);
            let (shapes, coefficients) = (self.projected(), &self.coefficients);
            take_turns(&mut self.shapes, &shapes, &products(coefficients, rank), rank);
            let coefficients = self.backwards();
            take_turns(&mut self.coefficients, &coefficients, &products(&self.shapes, rank), rank);
        }
        Ok(())
    }

    /// Gives every shape the same reach, and puts the strongest first.
    fn balance(&mut self) {
        let rank = self.rank;
        let largest =
            |of: &[f64], k: usize| of.iter().skip(k).step_by(rank).fold(0.0, |m: f64, x| m.max(x.abs()));
        let reach: Vec<f64> = (0..rank).map(|k| largest(&self.shapes, k).max(TINY)).collect();
        let strength = |k: usize| -> f64 {
            let sum: f64 = self.coefficients.iter().skip(k).step_by(rank).map(|x| x * x).sum();
            sum.sqrt() * reach[k]
        };
        let mut order: Vec<usize> = (0..rank).collect();
        order.sort_by(|&a, &b| strength(b).total_cmp(&strength(a)));
        let sorted = |of: &[f64], scale: &dyn Fn(usize) -> f64| -> Vec<f64> {
            of.chunks_exact(rank.max(1)).flat_map(|row| order.iter().map(|&k| row[k] * scale(k))).collect()
        };
        let shapes = sorted(&self.shapes, &|k| 1.0 / reach[k]);
        self.coefficients = sorted(&self.coefficients, &|k| reach[k]);
        self.shapes = shapes;
    }
}

/// Products of the columns of a table with each other.
fn products(table: &[f64], rank: usize) -> Vec<f64> {
    let mut out = vec![0.0; rank * rank];
    for row in table.chunks_exact(rank) {
        for (i, x) in row.iter().enumerate() {
            out[i * rank..(i + 1) * rank].iter_mut().zip(row).for_each(|(sum, y)| *sum += x * y);
        }
    }
    out
}

/// Sets one column after the other to where the squared error is least.
fn take_turns(table: &mut [f64], towards: &[f64], products: &[f64], rank: usize) {
    table.par_chunks_mut(rank).zip(towards.par_chunks(rank)).with_min_len(256).for_each(|(row, towards)| {
        for k in 0..rank {
            let others: f64 = row.iter().zip(&products[k * rank..]).map(|(x, p)| x * p).sum();
            let change = (towards[k] - others) / products[k * rank + k].max(TINY);
            row[k] = (row[k] + change).max(TINY);
        }
    });
}

#[cfg(test)]
#[path = "../../tests/unit/light_factor.rs"]
mod tests;
