//! Skin weights by heat.
//!
//! De Aguiar, Theobalt, Thrun and Seidel 2008, section 7, on Baran and Popović 2007: the surface conducts
//! heat, every vertex is tied to the nearest bone it can see through the body, and the weight of a bone is
//! the temperature when that bone is hot and all others are cold: (−Δ + H) w_b = H p_b, with H = c/d² at
//! distance d and p_b shared between bones equally near. Weights follow the surface: what is near in space
//! but not on the body, such as the next finger, stays cold. The weights of frames are averaged.
//!
//! Departures:
//! - The paper solves all frames; many are much alike, and some spread over the animation give weights that
//!   fit as well ([`HeatOptions::frames`]).
//! - Where the nearest bone is hidden, the nearest that is seen and not much further stands in for it; the
//!   papers leave the vertex without a source. Only the vertex' own piece of the mesh can hide a bone.
//! - Pieces that see no bone at all take the nearest, hidden or not.
//! - Vertices that share a place in all frames are one.
//! - Negative cotangent weights, which would let weights leave 0 to 1, count as none.

mod body;
mod inwards;
mod lines;
mod sources;

pub use lines::{BoneLines, leaf_ends};

use glam::Vec3;
use rayon::prelude::*;

use crate::animation::MeshAnimation;
use crate::progress::{Progress, cancels};
use crate::rig::SkinWeights;
use crate::solve::sparse::{SolveError, SymbolicCholesky};
use crate::tracks::spread_frames;
use body::Body;
use sources::Sources;

/// Options of [`heat_weights`].
#[derive(Clone, Debug, PartialEq)]
pub struct HeatOptions {
    /// The most influences on a vertex, at least 1.
    pub influences: usize,
    /// The most frames looked at, spread over the animation; all when `None`.
    pub frames: Option<usize>,
    /// The constant c, above 0: how strongly bones heat the vertices around them. At 1 weights change over
    /// about the thickness of a limb; less makes the change wider, more narrower.
    pub heat: f64,
}

impl Default for HeatOptions {
    fn default() -> Self {
        Self { influences: 4, frames: Some(24), heat: 1.0 }
    }
}

/// Ways in which weights cannot be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeatError {
    /// The listener cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The equations of a frame cannot be solved.
    #[error("heat weights of frame {frame}: {error}")]
    Solve {
        /// The frame, from 0.
        frame: usize,
        /// Why.
        error: SolveError,
    },
}

cancels!(HeatError);

/// Weights below this are left out.
const SMALLEST: f64 = 1e-3;
/// Bones solved for at a time.
const COLUMNS: usize = 8;
/// Memory for the weights of frames that are worked on at once, in numbers.
const ROOM: usize = 8 << 20;

/// The weights that heat from `lines` gives the vertices of a valid animation.
///
/// They sum to one, do not change when everything is moved, turned or scaled, and have the same bits for
/// any number of threads.
///
/// # Errors
/// [`HeatError::Solve`] where the equations of a frame cannot be solved; [`HeatError::Cancelled`].
///
/// # Panics
/// When there are no lines or no influences, or not as many frames of lines as of the animation.
pub fn heat_weights(
    animation: &MeshAnimation,
    lines: &BoneLines,
    options: &HeatOptions,
    progress: &dyn Progress,
) -> Result<SkinWeights, HeatError> {
    let frames = &animation.frames;
    assert!(!lines.bones.is_empty() && options.influences > 0, "at least one line and one influence");
    assert!(lines.bones.iter().all(|&bone| (bone as usize) < lines.bone_count), "lines of bones that exist");
    assert_eq!(lines.ends.len(), frames.len() * lines.bones.len(), "all lines in every frame");
    let chosen = spread_frames(frames.len(), options.frames.unwrap_or(usize::MAX).max(1));
    let triangles = animation.mesh.triangles(animation.rest.as_deref().unwrap_or(frames.frame(chosen[0])));
    let body = Body::new(&triangles, frames, &chosen);
    let symbolic = SymbolicCholesky::new(body.pattern.matrix_pattern())
        .map_err(|error| HeatError::Solve { frame: chosen[0], error })?;
    let conductor = Conductor { body, symbolic, lines, heat: options.heat };

    let size = conductor.body.len() * lines.bone_count;
    let together = rayon::current_num_threads().min(ROOM / size.max(1)).max(1);
    let mut sums = vec![0.0; size];
    for (part, some) in chosen.chunks(together).enumerate() {
        progress.advance((part * together) as f64 / chosen.len() as f64);
        let weights = some.par_iter().map(|&frame| conductor.weights(frames.frame(frame), frame, progress));
        // Frame after frame, whoever solved them.
        for weights in weights.collect::<Result<Vec<_>, _>>()? {
            sums.iter_mut().zip(weights).for_each(|(sum, w)| *sum += w);
        }
    }
    Ok(conductor.sparse_weights(&sums, options.influences))
}

/// A body, ready to be heated.
struct Conductor<'a> {
    body: Body,
    symbolic: SymbolicCholesky,
    lines: &'a BoneLines,
    heat: f64,
}

impl Conductor<'_> {
    /// Temperatures of one pose: all vertices of the first bone, then of the second, and so on.
    fn weights(&self, pose: &[Vec3], frame: usize, progress: &dyn Progress) -> Result<Vec<f64>, HeatError> {
        let unsolved = |error| HeatError::Solve { frame, error };
        let positions = self.body.gather(pose);
        let laplacian = self.body.pattern.laplacian(&positions).without_negative_weights();
        let (bones, lines) = (&self.lines.bones, self.lines.frame(frame));
        let sources = Sources::new(&self.body, &positions, &laplacian, bones, lines, self.heat, progress)?;
        let factor = self.symbolic.factor(&laplacian.plus_diagonal(&sources.heat)).map_err(unsolved)?;
        let count = positions.len();
        let mut weights = vec![0.0; count * self.lines.bone_count];
        for (v, bones) in sources.bones.iter().enumerate() {
            for &bone in bones {
                weights[bone as usize * count + v] = sources.heat[v] / bones.len() as f64;
            }
        }
        weights.par_chunks_mut((COLUMNS * count).max(1)).try_for_each(|columns| {
            progress.check()?;
            factor.solve(columns).map_err(unsolved)
        })?;
        Ok(weights)
    }

    /// The largest weights of every vertex of the mesh.
    fn sparse_weights(&self, sums: &[f64], influences: usize) -> SkinWeights {
        let (count, k) = (self.body.len(), influences.min(self.lines.bone_count));
        let largest = |one: usize| -> Vec<(u32, f32)> {
            let mut all: Vec<(f64, u32)> =
                (0..self.lines.bone_count as u32).map(|b| (sums[b as usize * count + one], b)).collect();
            all.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            all.truncate(k);
            let limit = SMALLEST * all[0].0;
            all.retain(|(w, _)| *w >= limit && *w > 0.0);
            let sum: f64 = all.iter().map(|(w, _)| w).sum();
            all.iter().map(|(w, bone)| (*bone, (w / sum) as f32)).collect()
        };
        let lists: Vec<Vec<(u32, f32)>> = (0..count).into_par_iter().map(largest).collect();
        let mut out = SkinWeights::zeros(self.body.one_of.len(), k);
        for (v, &one) in self.body.one_of.iter().enumerate() {
            for (slot, &(bone, weight)) in lists[one as usize].iter().enumerate() {
                (out.bones[v * k + slot], out.weights[v * k + slot]) = (bone, weight);
            }
        }
        out
    }
}
