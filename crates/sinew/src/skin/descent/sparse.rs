//! Bones that stand exactly still in most frames, for rigs of shapes: each shape of a face moves a part of it, and a bone
//! that has nothing to do there should cost nothing, in the file and when it is played ("Compressed Skinning for Facial
//! Blendshapes", Kavan et al. 2024).
//!
//! That paper descends along gradients and cuts small transforms off step by step (proximal steps). Here every solve is
//! exact, and so is what a transform is worth: with A the normal matrix of the bones that move in a frame and D what bone b
//! does there beyond standing still, the squared error rises by tr D S Dᵀ when b stands still and all others are solved
//! again, where S = ((A⁻¹)_bb)⁻¹ (the surgeon's rule of Hassibi and Stork 1993). Of a bone that stands still the least fall
//! that letting it move would bring, tr G (A_bb)⁻¹ Gᵀ with G the gradient, is known too. In every round the pairs of bone
//! and frame that are worth most move, a few less each time, and then for some times a few more and less again, so that others
//! have their turn; bones, weights and rest pose are solved in between, so that
//! weights grow around the bones that are left.
//!
//! Frames that are the rest pose itself stand still as a whole, and do not count. Locked bones keep their motion, there too.

use std::sync::Arc;

use super::blocks::{rows, take_away};
use super::in_frames::{Equations, Held, InFrames, Step};
use super::normal::Block;
use super::{Neighbours, Pairs, Task};
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::skin::{Skin, SparseTuning};
use crate::solve::dense::{cholesky, cholesky_solve_rows, solve_rows};

/// Numbers a bone takes in the equations.
const ROWS: usize = 4;
/// What bones are held with when their equations are solved, relative to what the heaviest carries.
const HOLD: f64 = 1e-7;

/// Lets the wanted share of the motions stand still and fits what is left. The marks are of bones that do, frame after
/// frame.
pub fn thin(
    task: &Task,
    skin: Skin,
    share: f64,
    locked: &[bool],
    neighbours: &Neighbours,
    progress: &dyn Progress,
) -> Result<(Skin, Vec<bool>), Cancelled> {
    let (problem, tuning) = (task.problem, &task.problem.tuning.sparse);
    let frames = problem.frames().len();
    let at_rest: Vec<bool> = (0..frames).map(|t| problem.frames().frame(t) == &*skin.rest).collect();
    let mut state = InFrames::new(problem, &skin);
    let mut still = vec![false; frames * skin.bones];
    let free: Vec<bool> = locked.iter().map(|locked| !locked).collect();
    for frame in (0..frames).filter(|&t| at_rest[t]) {
        still[frame * skin.bones..(frame + 1) * skin.bones].copy_from_slice(&free);
        stop(&mut state, frame, &free);
    }
    let free = free.iter().filter(|free| **free).count();
    let counted = free * at_rest.iter().filter(|at_rest| !**at_rest).count();
    let kept = counted - (counted as f64 * share).round() as usize;
    if kept < counted {
        let counts = problem.counted(&vec![1.0; frames * state.rest.len()]);
        let all = tuning.falling + tuning.cycles * tuning.cycle + tuning.settling;
        for round in 0..all {
            progress.check()?;
            progress.advance(round as f64 / all as f64);
            if let Some(share) = tuning.moving(round, kept as f64 / counted as f64) {
                let moving = (counted as f64 * share).round() as usize;
                let worth = worth(&state, &counts, Held { locked, still: &still }, progress)?;
                choose(&mut still, &worth, &at_rest, locked, moving.max(kept));
                for frame in (0..frames).filter(|&t| !at_rest[t]) {
                    let marks = still[frame * skin.bones..(frame + 1) * skin.bones].to_vec();
                    stop(&mut state, frame, &marks);
                }
            }
            let held = Held { locked, still: &still };
            state.solve_bones(task.size.kind, &counts, held, progress)?;
            let looking = round % tuning.search_every == 0;
            let attempts = if looking { task.freedom.attempts } else { 0 };
            let pull = pull(&state, task, tuning);
            state.solve_vertices(task, &counts, Step { attempts, neighbours, pull }, progress)?;
        }
        state.solve_bones(task.size.kind, &counts, Held { locked, still: &still }, progress)?;
    }
    Ok((state.back(skin), still))
}

impl SparseTuning {
    /// The share of motions that there are in a round, on the way to so large a share; none where those that are left stay.
    fn moving(&self, round: usize, wanted: f64) -> Option<f64> {
        let Some(after) = round.checked_sub(self.falling) else {
            return Some(wanted.powf((round + 1) as f64 / self.falling as f64));
        };
        let way = (after % self.cycle + 1) as f64 / self.cycle as f64;
        (after < self.cycles * self.cycle).then(|| (wanted * self.beyond.powf(1.0 - way)).min(1.0))
    }
}

/// How strongly weights are pulled towards those around them.
fn pull(state: &InFrames, task: &Task, tuning: &SparseTuning) -> f64 {
    let off = state.off();
    let mean: f64 = off.iter().map(|e| f64::from(*e).powi(2)).sum::<f64>() / state.rest.len() as f64;
    task.options.smoothness * tuning.smoothness * mean
}

/// Lets marked bones of a frame stand still.
fn stop(state: &mut InFrames, frame: usize, marks: &[bool]) {
    let still = state.still(frame);
    let transforms = &mut state.transforms[frame * marks.len()..(frame + 1) * marks.len()];
    transforms.iter_mut().zip(marks).filter(|(_, mark)| **mark).for_each(|(transform, _)| *transform = still);
}

/// Marks all but so many of the pairs of bone and frame that are worth most.
fn choose(still: &mut [bool], worth: &[f64], at_rest: &[bool], locked: &[bool], moving: usize) {
    let bones = locked.len();
    let mut order: Vec<usize> =
        (0..still.len()).filter(|&pair| !at_rest[pair / bones] && !locked[pair % bones]).collect();
    order.sort_by(|&a, &b| worth[b].total_cmp(&worth[a]).then(a.cmp(&b)));
    order.iter().enumerate().for_each(|(place, &pair)| still[pair] = place >= moving);
}

/// What it is worth that a bone moves in a frame, in squared error, frame after frame. Of locked bones it means nothing.
fn worth(
    state: &InFrames,
    counts: &[f32],
    held: Held,
    progress: &dyn Progress,
) -> Result<Vec<f64>, Cancelled> {
    let pairs = Arc::new(Pairs::sharing_vertices(&state.weights, state.bones));
    let worth = in_parallel(progress, held.still.len() / state.bones, |frame| {
        Ok(of_frame(state, frame, &state.equations(frame, counts, &pairs), &held.in_frame(frame)))
    })?;
    Ok(worth.concat())
}

fn of_frame(state: &InFrames, frame: usize, equations: &Equations, held: &[bool]) -> Vec<f64> {
    let Equations { normal, targets } = equations;
    let transforms: Vec<[[f64; 4]; 3]> = state.of_frame(frame).iter().map(rows).collect();
    let standing = rows(&state.still(frame));
    let heaviest = (0..state.bones).map(|b| normal.mass(b)).fold(f64::MIN_POSITIVE, f64::max);
    let moving: Vec<usize> = (0..state.bones).filter(|&b| !held[b]).collect();
    let n = ROWS * moving.len();
    let mut place = vec![None; state.bones];
    moving.iter().enumerate().for_each(|(at, &b)| place[b] = Some(at));
    let mut matrix = vec![0.0; n * n];
    let mut left = targets.clone();
    for ([a, b], block) in normal.blocks() {
        // Blocks are symmetric, so that either way round they are the same.
        for (bone, other) in [(a, b), (b, a)].into_iter().take(if a == b { 1 } else { 2 }) {
            take_away(&transforms[other], block, &mut left[bone]);
            if let (Some(at), Some(and)) = (place[bone], place[other]) {
                for (row, entries) in block.iter().enumerate() {
                    matrix[(ROWS * at + row) * n + ROWS * and..][..ROWS].copy_from_slice(entries);
                }
            }
        }
    }
    (0..n).for_each(|i| matrix[i * n + i] += HOLD * heaviest);
    let inverse = inverse(matrix, n);
    let of_bone = |b: usize| match place[b] {
        Some(at) => {
            let block: Block = std::array::from_fn(|row| {
                std::array::from_fn(|c| inverse[(ROWS * at + row) * n + ROWS * at + c])
            });
            let moved = std::array::from_fn(|axis| {
                std::array::from_fn(|c| transforms[b][axis][c] - standing[axis][c])
            });
            energy(&block, &moved)
        }
        None => {
            let mut own = normal.own(b);
            (0..ROWS).for_each(|i| own[i][i] += HOLD * heaviest);
            energy(&own, &left[b])
        }
    };
    (0..state.bones).map(of_bone).collect()
}

/// tr X B⁻¹ Xᵀ.
fn energy(block: &Block, x: &[[f64; 4]; 3]) -> f64 {
    let mut matrix = block.as_flattened().to_vec();
    let mut columns: Vec<f64> = (0..ROWS).flat_map(|row| x.map(|axis| axis[row])).collect();
    if !solve_rows(&mut matrix, ROWS, &mut columns, 3) {
        return 0.0;
    }
    (0..ROWS).map(|row| (0..3).map(|axis| x[axis][row] * columns[3 * row + axis]).sum::<f64>()).sum()
}

/// The inverse of a positive definite matrix; zero where rounding leaves none.
fn inverse(mut matrix: Vec<f64>, n: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; n * n];
    if cholesky(&mut matrix, n) {
        (0..n).for_each(|i| inverse[i * n + i] = 1.0);
        cholesky_solve_rows(&matrix, n, &mut inverse, n);
    }
    inverse
}
