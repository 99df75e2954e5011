//! Influence sets and weights (James and Twigg 2005, section 5).
//!
//! A vertex is influenced by the few bones that alone predict it best (equation 5); their weights are the
//! least-squares mixture, either free (TSVD) or bounded from below (NNLS, equations 10 and 11).
//!
//! Departures: the paper appends the row Σw = 1 to the system (equation 9) and normalises what comes out.
//! Here the sum is held exactly, the limit of a heavy row: the normalisation then changes nothing, and
//! the result does not depend on where the origin is. Positions are relative to the middle of each frame
//! for the same reason.

use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use super::influences::{Gram, MOST_INFLUENCES, bounded_mixture, truncated_mixture};
use crate::animation::{Frames, centroid};
use crate::progress::Progress;
use crate::rig::SkinWeights;
use crate::wide::for_wide_machines;

/// How a vertex' weights are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightMethod {
    /// Non-negative least squares. Sparse, stable under edits and corrections; what files can store.
    #[default]
    Nnls,
    /// Least squares by truncated singular value decomposition. Fits a little closer, with weights far
    /// below zero and above one.
    Tsvd,
}

/// Options of [`solve_weights`].
#[derive(Clone, Debug, PartialEq)]
pub struct WeightOptions {
    /// The solver.
    pub method: WeightMethod,
    /// The most influences on a vertex, 1 to 16.
    pub influences: usize,
    /// For [`WeightMethod::Nnls`]: weights may fall to −δ (equation 11). 0 keeps them non-negative.
    pub negative_bound: f64,
}

impl Default for WeightOptions {
    fn default() -> Self {
        Self { method: WeightMethod::Nnls, influences: 4, negative_bound: 0.0 }
    }
}

/// Vertices whose positions are gathered together: frames are read in runs, not vertex by vertex.
const BLOCK: usize = 32;

/// Frames are padded to a multiple of this.
const LANES: usize = 16;

/// Singular values below this share of the largest are cut off, as in the paper.
const TRUNCATION: f64 = 1e-5;

/// Solves influences and weights of every vertex for given bones, however they were found.
///
/// `transforms` holds all bones of the first frame, then of the second, and so on. `None` when `progress`
/// cancels.
///
/// # Panics
/// When there are no bones, or more than 16 or no influences are asked for.
pub fn solve_weights(
    frames: &Frames,
    rest: &[Vec3],
    transforms: &[DAffine3],
    options: &WeightOptions,
    progress: &dyn Progress,
) -> Option<SkinWeights> {
    assert!((1..=MOST_INFLUENCES).contains(&options.influences), "1 to 16 influences");
    let predictor = Predictor::new(frames, rest, transforms);
    let k = options.influences.min(predictor.bone_count);
    let mut bones = vec![0_u32; rest.len() * k];
    let mut weights = vec![0.0_f32; rest.len() * k];
    let slots = BLOCK * k;
    // Stretches of the mesh one after the other, so that progress is told and cancelling heard.
    let stretch = rest.len().div_ceil(20).next_multiple_of(BLOCK);
    for (part, (bones, weights)) in bones.chunks_mut(stretch * k).zip(weights.chunks_mut(stretch * k)).enumerate() {
        if progress.cancelled() {
            return None;
        }
        bones.par_chunks_mut(slots).zip(weights.par_chunks_mut(slots)).enumerate().for_each_init(
            || Scratch::new(&predictor),
            |scratch, (block, (bones, weights))| {
                let first = part * stretch + block * BLOCK;
                scratch.gather(&predictor, first..first + bones.len() / k);
                for (i, (bones, weights)) in bones.chunks_mut(k).zip(weights.chunks_mut(k)).enumerate() {
                    scratch.solve_vertex(&predictor, first + i, i, options, bones, weights);
                }
            },
        );
        progress.advance(((part + 1) * stretch) as f64 / rest.len() as f64);
    }
    Some(SkinWeights { per_vertex: k, bones, weights })
}

/// What bones predict for vertices, laid out so that frames lie side by side.
struct Predictor<'a> {
    frames: &'a Frames,
    /// Rest pose relative to its middle.
    rest: Vec<Vec3>,
    /// Middle of each frame.
    middles: Vec<DVec3>,
    bone_count: usize,
    /// Frames rounded up to whole lanes.
    padded: usize,
    /// For each bone the twelve entries of its transforms, each as a run over frames: columns x, y, z and
    /// the shift, for output x, then y, then z.
    entries: Vec<f32>,
}

impl<'a> Predictor<'a> {
    fn new(frames: &'a Frames, rest: &[Vec3], transforms: &[DAffine3]) -> Self {
        let bone_count = transforms.len() / frames.len();
        assert!(bone_count > 0, "at least one bone");
        let center = centroid(rest);
        let middles: Vec<DVec3> = (0..frames.len()).into_par_iter().map(|t| centroid(frames.frame(t))).collect();
        let padded = frames.len().next_multiple_of(LANES);
        let mut entries = vec![0.0; bone_count * 12 * padded];
        for (t, bones) in transforms.chunks_exact(bone_count).enumerate() {
            for (b, transform) in bones.iter().enumerate() {
                let shift = transform.transform_point3(center) - middles[t];
                let columns = [transform.matrix3.x_axis, transform.matrix3.y_axis, transform.matrix3.z_axis, shift];
                for axis in 0..3 {
                    for (c, column) in columns.iter().enumerate() {
                        entries[(b * 12 + axis * 4 + c) * padded + t] = column[axis] as f32;
                    }
                }
            }
        }
        let rest = rest.iter().map(|p| (p.as_dvec3() - center).as_vec3()).collect();
        Self { frames, rest, middles, bone_count, padded, entries }
    }

    fn bone(&self, bone: usize) -> &[f32] {
        &self.entries[bone * 12 * self.padded..(bone + 1) * 12 * self.padded]
    }
}

#[inline(always)]
fn residual_body(bone: &[f32], point: Vec3, target: &[f32], out: &mut [f32]) -> f64 {
    let n = out.len() / 3;
    let mut lanes = [0.0_f32; LANES];
    for axis in 0..3 {
        let run = |c: usize| &bone[(axis * 4 + c) * n..(axis * 4 + c + 1) * n];
        let (x, y, z, shift) = (run(0), run(1), run(2), run(3));
        let target = &target[axis * n..(axis + 1) * n];
        let out = &mut out[axis * n..(axis + 1) * n];
        for start in (0..n).step_by(LANES) {
            for lane in 0..LANES {
                let t = start + lane;
                let r = x[t] * point.x + y[t] * point.y + z[t] * point.z + (shift[t] - target[t]);
                out[t] = r;
                lanes[lane] += r * r;
            }
        }
    }
    lanes.iter().map(|x| f64::from(*x)).sum()
}

for_wide_machines! {
    /// Prediction of one bone minus the vertex, over all frames, into `out`; returns the squared length.
    residual, residual_body, (bone: &[f32], point: Vec3, target: &[f32], out: &mut [f32]) -> f64
}

#[inline(always)]
fn dot_body(a: &[f32], b: &[f32]) -> f64 {
    let mut lanes = [0.0_f64; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for lane in 0..LANES {
            lanes[lane] += f64::from(a[lane]) * f64::from(b[lane]);
        }
    }
    lanes.iter().sum()
}

for_wide_machines! {
    /// Inner product in double precision.
    dot, dot_body, (a: &[f32], b: &[f32]) -> f64
}

/// Buffers of one worker, made once.
struct Scratch {
    /// Positions of a block: vertex after vertex, each a run over frames for x, y, z.
    targets: Vec<f32>,
    /// Residuals of the chosen bones.
    residuals: Vec<f32>,
    unused: Vec<f32>,
}

impl Scratch {
    fn new(predictor: &Predictor) -> Self {
        let run = 3 * predictor.padded;
        Self { targets: vec![0.0; BLOCK * run], residuals: vec![0.0; MOST_INFLUENCES * run], unused: vec![0.0; run] }
    }

    fn gather(&mut self, predictor: &Predictor, vertices: std::ops::Range<usize>) {
        let n = predictor.padded;
        for (t, middle) in predictor.middles.iter().enumerate() {
            for (i, p) in predictor.frames.frame(t)[vertices.clone()].iter().enumerate() {
                let p = p.as_dvec3() - middle;
                for axis in 0..3 {
                    self.targets[(3 * i + axis) * n + t] = p[axis] as f32;
                }
            }
        }
    }

    fn solve_vertex(
        &mut self,
        predictor: &Predictor,
        vertex: usize,
        in_block: usize,
        options: &WeightOptions,
        bones: &mut [u32],
        weights: &mut [f32],
    ) {
        let run = 3 * predictor.padded;
        let target = &self.targets[in_block * run..(in_block + 1) * run];
        let point = predictor.rest[vertex];
        let k = bones.len();
        let mut chosen = [(f64::INFINITY, 0_u32); MOST_INFLUENCES];
        for b in 0..predictor.bone_count {
            let error = residual(predictor.bone(b), point, target, &mut self.unused);
            insert(&mut chosen[..k], (error, b as u32));
        }
        for (slot, &(_, b)) in chosen[..k].iter().enumerate() {
            residual(predictor.bone(b as usize), point, target, &mut self.residuals[slot * run..(slot + 1) * run]);
        }
        let mut gram: Gram = [[0.0; MOST_INFLUENCES]; MOST_INFLUENCES];
        for i in 0..k {
            for j in 0..=i {
                let g = dot(&self.residuals[i * run..(i + 1) * run], &self.residuals[j * run..(j + 1) * run]);
                gram[i][j] = g;
                gram[j][i] = g;
            }
        }
        let mixture = match options.method {
            WeightMethod::Nnls => bounded_mixture(&gram, k, options.negative_bound),
            WeightMethod::Tsvd => {
                // In equation 9 the columns are scaled by the vertex' motion; the norm of that system is
                // then about √(2k).
                let smallest = TRUNCATION * TRUNCATION * 2.0 * k as f64 * dot(target, target);
                truncated_mixture(&gram, k, smallest)
            }
        };
        store(&mixture[..k], &chosen[..k], bones, weights);
    }
}

/// Keeps `list` sorted, dropping its largest.
fn insert(list: &mut [(f64, u32)], item: (f64, u32)) {
    if let Some(at) = list.iter().position(|x| item.0 < x.0) {
        list[at..].rotate_right(1);
        list[at] = item;
    }
}

/// Writes a vertex' weights, the largest first, summing to one, bone 0 where there is none.
fn store(mixture: &[f64], chosen: &[(f64, u32)], bones: &mut [u32], weights: &mut [f32]) {
    // Influences too small to see would only cost time in every player.
    const NEGLIGIBLE: f64 = 1e-6;
    let keep = |w: f64| if w.abs() < NEGLIGIBLE { 0.0 } else { w };
    let sum: f64 = mixture.iter().map(|&w| keep(w)).sum();
    let mut order: [usize; MOST_INFLUENCES] = std::array::from_fn(|i| i);
    let order = &mut order[..mixture.len()];
    order.sort_by(|&a, &b| mixture[b].abs().total_cmp(&mixture[a].abs()).then(a.cmp(&b)));
    for (slot, &i) in order.iter().enumerate() {
        weights[slot] = (keep(mixture[i]) / sum) as f32;
        bones[slot] = if weights[slot] == 0.0 { 0 } else { chosen[i].1 };
    }
}
