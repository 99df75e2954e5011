//! Influence sets and weights (James and Twigg 2005, section 5).
//!
//! A vertex is influenced by the few bones that alone predict it best (equation 5); their weights are the
//! least-squares mixture, either free (TSVD) or bounded from below (NNLS, equations 10 and 11).
//!
//! Departures: the paper appends the row Σw = 1 to the system (equation 9) and normalises what comes out.
//! Here the sum is held exactly, the limit of a heavy row: the normalisation then changes nothing, and
//! the result does not depend on where the origin is. Positions are relative to the middle of each frame
//! for the same reason.

use glam::{DAffine3, Vec3};

use super::DEFAULT_INFLUENCES;
use crate::animation::Frames;
use crate::choices;
use crate::progress::{Cancelled, Progress, map_in_parallel};
use crate::rig::SkinWeights;
use crate::solve::bounded::{Gram, MOST_INFLUENCES, bounded_mixture, truncated_mixture};
use crate::tracks::{Tracks, Units, dot, residual};

choices! {
    /// How a vertex' weights are found.
    #[derive(Default)]
    pub enum WeightMethod: "way to solve weights" {
        /// Non-negative least squares. Sparse, stable under edits and corrections; what files can store.
        #[default]
        Nnls = "nnls", "non-negative least squares; what files can store",
        /// Least squares by truncated singular value decomposition. Fits a little closer, with weights far
        /// below zero and above one.
        Tsvd = "tsvd", "truncated singular value decomposition: a little closer, with weights below zero and above one",
    }
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
        Self { method: WeightMethod::Nnls, influences: DEFAULT_INFLUENCES, negative_bound: 0.0 }
    }
}

/// Vertices whose positions are gathered together: frames are read in runs, not vertex by vertex.
const BLOCK: usize = 32;

/// Singular values below this share of the largest are cut off, as in the paper.
const TRUNCATION: f64 = 1e-5;

/// Solves influences and weights of every vertex for given bones, however they were found.
///
/// `transforms` holds all bones of the first frame, then of the second, and so on.
///
/// # Errors
/// When `progress` cancels.
///
/// # Panics
/// When there are no bones, or more than 16 or no influences are asked for.
pub fn solve_weights(
    frames: &Frames,
    rest: &[Vec3],
    transforms: &[DAffine3],
    options: &WeightOptions,
    progress: &dyn Progress,
) -> Result<SkinWeights, Cancelled> {
    assert!((1..=MOST_INFLUENCES).contains(&options.influences), "1 to 16 influences");
    let problem = Problem::new(frames, rest, transforms);
    let k = options.influences.min(problem.tracks.bone_count());
    let blocks = map_in_parallel(progress, rest.len().div_ceil(BLOCK), |block| {
        let first = block * BLOCK;
        let mut found = SkinWeights::zeros(BLOCK.min(rest.len() - first), k);
        let mut scratch = Scratch::new(&problem, first);
        let slots = found.bones.chunks_mut(k).zip(found.weights.chunks_mut(k));
        slots.enumerate().for_each(|(i, slots)| scratch.solve_vertex(&problem, first, i, options, slots));
        found
    })?;
    let bones = blocks.iter().flat_map(|block| &block.bones).copied().collect();
    let weights = blocks.iter().flat_map(|block| &block.weights).copied().collect();
    Ok(SkinWeights { per_vertex: k, bones, weights })
}

/// What the solve of a vertex looks at.
struct Problem<'a> {
    frames: &'a Frames,
    units: Units,
    tracks: Tracks,
    /// Rest pose relative to its origin.
    rest: Vec<Vec3>,
}

impl<'a> Problem<'a> {
    fn new(frames: &'a Frames, rest: &[Vec3], transforms: &[DAffine3]) -> Self {
        let units = Units::centred(frames, rest);
        let tracks = Tracks::new(&units.origins, transforms);
        assert!(tracks.bone_count() > 0, "at least one bone");
        let rest = rest.iter().map(|p| units.rest(*p).as_vec3()).collect();
        Self { frames, units, tracks, rest }
    }
}

/// Buffers of a block.
struct Scratch {
    /// Positions: vertex after vertex, each a run over frames for x, y, z.
    targets: Vec<f32>,
    /// Residuals of the chosen bones.
    residuals: Vec<f32>,
    unused: Vec<f32>,
}

impl Scratch {
    fn new(problem: &Problem, first: usize) -> Self {
        let n = problem.units.origins.padded();
        let mut targets = vec![0.0; BLOCK * 3 * n];
        for t in 0..problem.frames.len() {
            for (i, p) in problem.frames.frame(t)[first..].iter().take(BLOCK).enumerate() {
                let p = problem.units.pose(*p, t);
                (0..3).for_each(|axis| targets[(3 * i + axis) * n + t] = p[axis] as f32);
            }
        }
        Self { targets, residuals: vec![0.0; MOST_INFLUENCES * 3 * n], unused: vec![0.0; 3 * n] }
    }

    fn solve_vertex(
        &mut self,
        problem: &Problem,
        first: usize,
        in_block: usize,
        options: &WeightOptions,
        (bones, weights): (&mut [u32], &mut [f32]),
    ) {
        let run = 3 * problem.units.origins.padded();
        let target = &self.targets[in_block * run..(in_block + 1) * run];
        let point = problem.rest[first + in_block];
        let k = bones.len();
        // SMA equation 5: γ of every bone, the error of its prediction alone; the least few influence the vertex.
        let mut chosen = [(f64::INFINITY, 0_u32); MOST_INFLUENCES];
        for b in 0..problem.tracks.bone_count() {
            let error = residual(problem.tracks.bone(b), point, target, &mut self.unused);
            insert(&mut chosen[..k], (error, b as u32));
        }
        for (slot, &(_, b)) in chosen[..k].iter().enumerate() {
            let out = &mut self.residuals[slot * run..(slot + 1) * run];
            residual(problem.tracks.bone(b as usize), point, target, out);
        }
        let gram = gram(&self.residuals[..k * run], run);
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

/// Inner products of residuals, each a run of `run` numbers.
pub(super) fn gram(residuals: &[f32], run: usize) -> Gram {
    let mut gram: Gram = [[0.0; MOST_INFLUENCES]; MOST_INFLUENCES];
    for (i, a) in residuals.chunks_exact(run).enumerate() {
        for (j, b) in residuals.chunks_exact(run).take(i + 1).enumerate() {
            gram[i][j] = dot(a, b);
            gram[j][i] = gram[i][j];
        }
    }
    gram
}

/// Keeps `list` sorted, dropping its largest.
pub(crate) fn insert(list: &mut [(f64, u32)], item: (f64, u32)) {
    if let Some(at) = list.iter().position(|x| item.0 < x.0) {
        list[at..].rotate_right(1);
        list[at] = item;
    }
}

/// Writes a vertex' weights, the largest first, summing to one, bone 0 where there is none.
pub(super) fn store(mixture: &[f64], chosen: &[(f64, u32)], bones: &mut [u32], weights: &mut [f32]) {
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
