//! Flexible transforms of all bones together, from weights and two poses.
//!
//! Equation 2 of "PPS: Pose-to-Pose Skinning of Animated Meshes" (Vasilakis, Fudos and Antonopoulos 2016):
//! with h the place of a vertex before and a one, minimise Σ‖Σ_b w_b X_b h − q‖² over the 3×4 matrices X_b
//! of all bones. The normal equations are one 4B×4B matrix, made of a 4×4 block Σ w_a w_b h hᵀ for every
//! pair of bones that meet on a vertex, and are the same for all poses q: [`TransformSolver::set_source`]
//! factors them, [`TransformSolver::solve`] solves for one pose. From a rest pose that is one factor for all
//! frames, from pose to pose one for each.
//!
//! Departures: where the poses do not determine a bone (it has no vertices, or they lie in a plane) the
//! equations are singular. Each bone is therefore drawn, by a millionth of its own weight, towards a prior:
//! transforms already known, so that fitting again never raises the error, or the rigid motion of what the
//! bone moves. Bones are measured from the middle of their own vertices and in units of their spread, and
//! poses from their own middles, so that this means the same for every bone, place and unit.

use glam::{DAffine3, DMat3, DMat4, DVec3, DVec4, Vec3};
use rayon::prelude::*;

use crate::animation::{Frames, centroid};
use crate::geometry::grouped::Lists;
use crate::progress::{Cancelled, Progress, Silent};
use crate::rig::SkinWeights;
use crate::solve::dense::{cholesky_large, cholesky_solve};
use crate::solve::procrustes::{self, outer};

/// How strongly a bone is drawn towards its prior, as a share of its own normal equations.
const DAMPING: f64 = 1e-6;

/// What bones follow where the poses do not say.
#[derive(Clone, Copy, Debug)]
pub enum Prior<'a> {
    /// The rigid motion of the vertices that a bone moves; of the whole mesh where it moves none.
    Rigid,
    /// These transforms, one for each bone.
    Given(&'a [DAffine3]),
}

/// Pairs of bones that share vertices, and which vertices those are.
pub(super) struct BonePairs {
    /// Number of bones.
    pub bones: usize,
    /// Bones that meet on a vertex, the larger first; every bone meets itself.
    pub pairs: Vec<[u32; 2]>,
    /// For each pair the vertices on which its bones meet, with the products of their weights.
    pub shared: Lists<(u32, f32)>,
    /// For each bone its vertices, with their weights.
    pub own: Lists<(u32, f32)>,
}

/// Solves transforms of all bones for given weights. Nothing is allocated after the first pose.
pub struct TransformSolver {
    pub(super) pairs: BonePairs,
    /// How many times the usual damping.
    damping: f64,
    pub(super) source: Source,
}

/// What is known about the pose that bones start from.
#[derive(Default)]
pub(super) struct Source {
    pub middle: DVec3,
    /// Places relative to the middle, and a one.
    places: Vec<DVec4>,
    /// For every pair Σ w_a w_b h hᵀ.
    pub blocks: Vec<DMat4>,
    /// For every bone Σ w h.
    sums: Vec<DVec4>,
    /// Where each bone's vertices are, how far they reach and how heavily they count.
    frames: Vec<BoneFrame>,
    /// The Cholesky factor.
    factor: Vec<f64>,
}

/// A bone's own coordinates: (p − center) / size.
#[derive(Clone, Copy, Default)]
pub(super) struct BoneFrame {
    pub center: DVec3,
    pub size: f64,
    /// What draws the bone towards its prior.
    pub damping: f64,
}

impl BoneFrame {
    /// From a bone's Σ w² h hᵀ.
    pub fn new(block: DMat4) -> Self {
        let total = block.w_axis.w;
        if total <= 0.0 {
            return Self { center: DVec3::ZERO, size: 1.0, damping: 1.0 };
        }
        let center = block.w_axis.truncate() / total;
        let spread = DMat3::from_mat4(block) * (1.0 / total) - outer(center, center);
        let size = (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z).max(0.0).sqrt();
        Self { center, size: if size > 0.0 { size } else { 1.0 }, damping: DAMPING * total }
    }

    /// The same, drawn towards the prior so many times as strongly where there is something to draw.
    fn damped(self, times: f64, block: DMat4) -> Self {
        let times = if block.w_axis.w > 0.0 { times } else { 1.0 };
        Self { damping: times * self.damping, ..self }
    }

    /// One row of a transform in the bone's coordinates: its stretch by size, its shift at the center.
    pub fn row(&self, transform: &DAffine3, axis: usize) -> DVec4 {
        let linear = transform.matrix3.row(axis);
        (linear * self.size).extend(linear.dot(self.center) + transform.translation[axis])
    }

    /// Takes h to the bone's coordinates.
    pub fn matrix(&self) -> DMat4 {
        let inverse = 1.0 / self.size;
        let scale = DMat3::from_diagonal(DVec3::splat(inverse));
        DMat4::from_mat3_translation(scale, -self.center * inverse)
    }
}

/// Buffers for one pose.
#[derive(Default)]
pub struct PoseScratch {
    /// For every bone Σ w h qᵀ.
    pub(super) cross: Vec<[DVec4; 3]>,
    /// Three right-hand sides.
    sides: Vec<f64>,
}

impl BonePairs {
    /// Of the bones of `weights`.
    ///
    /// # Panics
    /// When a weight names a bone that is not below `bones`.
    pub fn new(weights: &SkinWeights, bones: usize) -> Self {
        let vertices = weights.weights.len() / weights.per_vertex.max(1);
        let used = |v: usize| {
            let (bones, weights) = weights.of(v);
            bones.iter().copied().zip(weights.iter().copied()).filter(|(_, w)| *w != 0.0)
        };
        let mut shared: Vec<([u32; 2], u32, f32)> = Vec::new();
        let mut singles: Vec<(u32, (u32, f32))> = Vec::new();
        for v in 0..vertices {
            for (i, (a, weight)) in used(v).enumerate() {
                singles.push((a, (v as u32, weight)));
                for (j, (b, other)) in used(v).take(i + 1).enumerate() {
                    // A bone named twice meets itself both ways.
                    let times = if a == b && i != j { 2.0 } else { 1.0 };
                    shared.push(([a.max(b), a.min(b)], v as u32, times * weight * other));
                }
            }
        }
        shared.par_sort_by_key(|m| (m.0, m.1));
        let meetings = shared.chunk_by(|a, b| a.0 == b.0);
        let pairs: Vec<[u32; 2]> = meetings.clone().map(|of_pair| of_pair[0].0).collect();
        let entries =
            (0..).zip(meetings).flat_map(|(i, of_pair)| of_pair.iter().map(move |m| (i, (m.1, m.2))));
        let shared = Lists::grouped(pairs.len(), entries);
        Self { bones, pairs, shared, own: Lists::grouped(bones, singles.iter().copied()) }
    }
}

impl TransformSolver {
    /// Prepares to solve for the bones of `weights`.
    ///
    /// # Panics
    /// When a weight names a bone that is not below `bones`.
    pub fn new(weights: &SkinWeights, bones: usize) -> Self {
        Self { pairs: BonePairs::new(weights, bones), damping: 1.0, source: Source::default() }
    }

    /// Draws bones towards their prior by this share of their own weight, instead of by a millionth.
    pub fn with_damping(self, share: f64) -> Self {
        Self { damping: share / DAMPING, ..self }
    }

    /// Number of bones.
    pub fn bone_count(&self) -> usize {
        self.pairs.bones
    }

    /// Takes the pose that bones start from.
    pub fn set_source(&mut self, from: &[DVec3]) {
        let set = self.try_set_source(from, &Silent);
        debug_assert!(set.is_ok(), "nobody cancels");
    }

    /// The same for many bones, whose equations take long to factor.
    ///
    /// # Errors
    /// When `progress` cancels; the source is then to be set again.
    pub fn try_set_source(&mut self, from: &[DVec3], progress: &dyn Progress) -> Result<(), Cancelled> {
        let Self { pairs, damping, source } = self;
        source.middle = from.iter().sum::<DVec3>() / from.len().max(1) as f64;
        let middle = source.middle;
        source.places.clear();
        source.places.extend(from.iter().map(|p| (*p - middle).extend(1.0)));
        let places = &source.places;
        (0..pairs.pairs.len())
            .into_par_iter()
            .with_min_len(64)
            .map(|i| block(places, pairs.shared.of(i)))
            .collect_into_vec(&mut source.blocks);
        source.sums.clear();
        let sum = |own: &[(u32, f32)]| -> DVec4 {
            own.iter().map(|&(v, w)| places[v as usize] * f64::from(w)).sum()
        };
        source.sums.extend(pairs.own.iter().map(sum));
        source.frames.clear();
        source.frames.resize(pairs.bones, BoneFrame::new(DMat4::ZERO));
        for (pair, block) in pairs.pairs.iter().zip(&source.blocks).filter(|(p, _)| p[0] == p[1]) {
            source.frames[pair[0] as usize] = BoneFrame::new(*block).damped(*damping, *block);
        }
        source.factorize(pairs, progress)
    }

    /// The transforms that carry the source pose to `to`, into `out`.
    ///
    /// # Panics
    /// When no source was set, or lengths differ from it.
    pub fn solve(&self, to: &[Vec3], prior: Prior, scratch: &mut PoseScratch, out: &mut [DAffine3]) {
        let source = &self.source;
        let bones = self.pairs.bones;
        let n = 4 * bones;
        assert_eq!((to.len(), out.len()), (source.places.len(), bones), "as the source pose has");
        let target = centroid(to);
        self.gather(to, target, &mut scratch.cross);
        match prior {
            Prior::Rigid => source.rigid(&scratch.cross, out),
            Prior::Given(given) => out.iter_mut().zip(given).for_each(|(out, given)| {
                let shift = given.transform_point3(source.middle) - target;
                *out = DAffine3 { matrix3: given.matrix3, translation: shift };
            }),
        }
        scratch.sides.resize(3 * n, 0.0);
        for (axis, side) in scratch.sides.chunks_exact_mut(n).enumerate() {
            for b in 0..bones {
                let frame = &source.frames[b];
                let cross = frame.matrix() * scratch.cross[b][axis];
                let drawn = cross + frame.row(&out[b], axis) * frame.damping;
                side[4 * b..4 * b + 4].copy_from_slice(&drawn.to_array());
            }
            cholesky_solve(&source.factor, n, side);
        }
        for (b, out) in out.iter_mut().enumerate() {
            let frame = &source.frames[b];
            let entry = |axis: usize, i: usize| scratch.sides[axis * n + 4 * b + i];
            let column = |i: usize| DVec3::new(entry(0, i), entry(1, i), entry(2, i));
            let matrix3 = DMat3::from_cols(column(0), column(1), column(2)) * (1.0 / frame.size);
            let at_center = column(3) + target;
            *out = DAffine3 { matrix3, translation: at_center - matrix3 * (frame.center + source.middle) };
        }
    }

    /// The transforms from the source pose to every frame, frame after frame; `priors` are as many.
    ///
    /// # Errors
    /// When `progress` cancels.
    pub fn solve_frames(
        &self,
        frames: &Frames,
        priors: Option<&[DAffine3]>,
        progress: &dyn Progress,
    ) -> Result<Vec<DAffine3>, Cancelled> {
        let bones = self.pairs.bones;
        let mut transforms = vec![DAffine3::IDENTITY; frames.len() * bones];
        transforms.par_chunks_exact_mut(bones).enumerate().try_for_each_init(
            PoseScratch::default,
            |scratch, (t, out)| {
                progress.check()?;
                let prior = match priors {
                    Some(all) => Prior::Given(&all[t * bones..(t + 1) * bones]),
                    None => Prior::Rigid,
                };
                self.solve(frames.frame(t), prior, scratch, out);
                Ok(())
            },
        )?;
        Ok(transforms)
    }

    /// Sums for every bone, relative to the middles of both poses.
    pub(super) fn gather(&self, to: &[Vec3], target: DVec3, cross: &mut Vec<[DVec4; 3]>) {
        let places = &self.source.places;
        (0..self.pairs.bones)
            .into_par_iter()
            .with_min_len(8)
            .map(|b| {
                let mut sums = [DVec4::ZERO; 3];
                for &(v, w) in self.pairs.own.of(b) {
                    let h = places[v as usize] * f64::from(w);
                    let q = to[v as usize].as_dvec3() - target;
                    (0..3).for_each(|axis| sums[axis] += h * q[axis]);
                }
                sums
            })
            .collect_into_vec(cross);
    }
}

/// Σ w_a w_b h hᵀ.
fn block(places: &[DVec4], entries: &[(u32, f32)]) -> DMat4 {
    let product = |&(v, w): &(u32, f32)| {
        let h = places[v as usize];
        let weighted = h * f64::from(w);
        DMat4::from_cols(weighted * h.x, weighted * h.y, weighted * h.z, weighted)
    };
    entries.iter().map(product).sum()
}

impl Source {
    /// Puts the blocks, in their bones' coordinates and damped, into one matrix and factors it.
    fn factorize(&mut self, pairs: &BonePairs, progress: &dyn Progress) -> Result<(), Cancelled> {
        let n = 4 * pairs.bones;
        self.factor.resize(n * n, 0.0);
        // Rounding may leave a matrix this near to singular indefinite; more damping mends that.
        for stronger in [1.0, 1e2, 1e4, 1e6] {
            self.factor.fill(0.0);
            for (&[a, b], block) in pairs.pairs.iter().zip(&self.blocks) {
                let (a, b) = (a as usize, b as usize);
                let local = self.frames[a].matrix() * *block * self.frames[b].matrix().transpose();
                for row in 0..4 {
                    let at = (4 * a + row) * n + 4 * b;
                    self.factor[at..at + 4].copy_from_slice(&local.row(row).to_array());
                }
            }
            for (b, frame) in self.frames.iter_mut().enumerate() {
                frame.damping *= stronger;
                for i in 4 * b..4 * b + 4 {
                    self.factor[i * n + i] += frame.damping;
                }
            }
            if cholesky_large(&mut self.factor, n, progress)? {
                break;
            }
        }
        Ok(())
    }

    /// The rigid motion of what each bone moves, between the middles of the poses.
    pub fn rigid(&self, cross: &[[DVec4; 3]], out: &mut [DAffine3]) {
        let whole = std::array::from_fn(|axis| cross.iter().map(|cross| cross[axis]).sum());
        let rest = rigid_motion(&whole, self.sums.iter().sum()).unwrap_or(DAffine3::IDENTITY);
        for ((out, cross), &first) in out.iter_mut().zip(cross).zip(&self.sums) {
            *out = rigid_motion(cross, first).unwrap_or_else(|| {
                // A flat or lonely set turns as the whole does, about its own middle.
                let mut motion = rest;
                if first.w > 0.0 {
                    let (from, to) = means(cross, first);
                    motion.translation = to - motion.matrix3 * from;
                }
                motion
            });
        }
    }
}

fn means(cross: &[DVec4; 3], first: DVec4) -> (DVec3, DVec3) {
    (first.truncate() / first.w, DVec3::new(cross[0].w, cross[1].w, cross[2].w) / first.w)
}

/// The rigid motion that fits moments Σ w h qᵀ best, if they tell.
fn rigid_motion(cross: &[DVec4; 3], first: DVec4) -> Option<DAffine3> {
    if first.w <= 0.0 {
        return None;
    }
    let (from, to) = means(cross, first);
    let product = DMat3::from_cols(cross[0].truncate(), cross[1].truncate(), cross[2].truncate()).transpose()
        - outer(to, from) * first.w;
    procrustes::rigid_motion(product, from, to)
}
