//! Sums over the vertices, all that fitting a skeleton needs to know of them.
//!
//! With h = (x, 1) for a vertex at x in the rest pose, weights w and places p, a pose's squared error under any
//! transforms T of the bones is a quadratic form in the entries of T, with coefficients Σ w_i w_j h hᵀ for each pair
//! of bones and Σ w_i p hᵀ for each bone. They do not depend on which bone hangs on which, where joints are or
//! how they turn: everything else about a skeleton is solved without looking at a vertex again.

use glam::{DMat3, DMat4, DVec3, DVec4, Vec3};

use crate::animation::Frames;
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::rig::SkinWeights;
use crate::segment::SurfaceSamples;
use crate::tracks::Units;

/// What a skeleton is looked for on, and who listens.
#[derive(Clone, Copy)]
pub(super) struct Sampled<'a> {
    pub samples: &'a SurfaceSamples,
    pub progress: &'a dyn Progress,
}

/// Sums over the vertices for bones with given weights.
#[derive(Clone)]
pub(super) struct Moments {
    /// Number of bones.
    pub bones: usize,
    /// Number of frames.
    pub frames: usize,
    /// Σ w_i w_j h hᵀ for bones i and j.
    pub pairs: Vec<DMat4>,
    /// Σ w_i x pᵀ and Σ w_i p for each frame and bone: columns of p hᵀ.
    pub paths: Vec<[DVec3; 4]>,
    /// Σ p for each frame.
    pub middles: Vec<DVec3>,
    /// Σ |p|² for each frame.
    pub squares: Vec<f64>,
    /// Σ 1.
    pub mass: f64,
}

impl Moments {
    /// Sums over the points of samples.
    pub fn of_samples(on: Sampled, weights: &SkinWeights, bones: usize) -> Result<Self, Cancelled> {
        let motion = on.samples.motion();
        Self::new(&on.samples.units, motion.frames, motion.rest, weights, bones, on.progress)
    }

    /// Sums up.
    pub fn new(
        units: &Units,
        frames: &Frames,
        rest: &[Vec3],
        weights: &SkinWeights,
        bones: usize,
        progress: &dyn Progress,
    ) -> Result<Self, Cancelled> {
        let rest: Vec<DVec4> = rest.iter().map(|p| units.rest(*p).extend(1.0)).collect();
        let mut pairs = vec![DMat4::ZERO; bones * bones];
        for (v, h) in rest.iter().enumerate() {
            let square = DMat4::from_cols(*h * h.x, *h * h.y, *h * h.z, *h * h.w);
            for (i, wi) in weights.influences(v) {
                weights.influences(v).for_each(|(j, wj)| pairs[i * bones + j] += square * (wi * wj));
            }
        }
        let of_frame = in_parallel(progress, frames.len(), |t| {
            let mut paths = vec![[DVec3::ZERO; 4]; bones];
            let (mut middle, mut square) = (DVec3::ZERO, 0.0);
            for (v, p) in frames.frame(t).iter().enumerate() {
                let p = units.pose(*p, t);
                let h = rest[v];
                middle += p;
                square += p.length_squared();
                for (i, w) in weights.influences(v) {
                    let q = p * w;
                    paths[i].iter_mut().zip(h.to_array()).for_each(|(sum, h)| *sum += q * h);
                }
            }
            Ok((paths, middle, square))
        })?;
        Ok(Self {
            bones,
            frames: frames.len(),
            pairs,
            paths: of_frame.iter().flat_map(|f| f.0.iter().copied()).collect(),
            middles: of_frame.iter().map(|f| f.1).collect(),
            squares: of_frame.iter().map(|f| f.2).collect(),
            mass: rest.len() as f64,
        })
    }

    /// Σ w_i p xᵀ of a bone in a frame.
    pub fn turned(&self, frame: usize, bone: usize) -> DMat3 {
        let [x, y, z, _] = self.paths[frame * self.bones + bone];
        DMat3::from_cols(x, y, z)
    }

    /// Σ w_i p of a bone in a frame.
    pub fn carried(&self, frame: usize, bone: usize) -> DVec3 {
        self.paths[frame * self.bones + bone][3]
    }
}
