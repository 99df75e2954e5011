//! Steps from pose to pose with regard for the poses after them.
//!
//! Equation 3 of PPS fits each step to its own frame, which is all that can be done while frames arrive, and
//! hands what it misses on to every pose after. Once all frames are known a step can be solved for all of
//! them: with the other steps fixed, the poses after frame t are affine in where each vertex is in frame t,
//! so that their squared error is a quadratic xᵀSx − 2gᵀx for each vertex, found by going back from the last
//! frame. The step then minimises the sum of these over blended vertices, which are linear in the bones'
//! matrices: normal equations of size 12B, as S ties x, y and z together. Going through all frames from the
//! last to the first never raises the error.

use glam::{DAffine3, DMat3, DMat4, DVec3, DVec4, Vec3};
use rayon::prelude::*;

use super::Model;
use crate::animation::Frames;
use crate::progress::{Cancelled, Progress};
use crate::rig::blended;
use crate::skin::transforms::{BoneFrame, BonePairs};
use crate::solve::dense::{cholesky_large, cholesky_solve};
use crate::tracks::Origins;
use crate::wide::for_wide_machines;

/// With more bones than this the equations take longer than they are worth.
pub const MOST_BONES: usize = 120;

/// What all frames from one on cost, as a function of a vertex' place x in it: xᵀSx − 2gᵀx.
#[derive(Clone, Copy)]
struct Cost {
    square: DMat3,
    linear: DVec3,
}

/// Solves all steps again, from the last frame to the first. `counts` says how much the squared error of
/// each frame counts.
pub fn look_ahead(
    model: &mut Model,
    frames: &Frames,
    counts: &[f64],
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let origins = Origins::new(frames, &model.skin.rest);
    let pairs = BonePairs::new(&model.skin.weights, model.skin.bones);
    let poses = poses(model, &origins);
    let vertices = model.skin.rest.len();
    let mut costs = vec![Cost { square: DMat3::ZERO, linear: DVec3::ZERO }; vertices];
    let mut sources: Vec<DVec4> = Vec::with_capacity(vertices);
    for t in (0..frames.len()).rev() {
        progress.check()?;
        let (from, to) = (if t == 0 { origins.rest } else { origins.frames[t - 1] }, origins.frames[t]);
        sources.clear();
        match t {
            0 => sources.extend(model.skin.rest.iter().map(|p| (p.as_dvec3() - from).extend(1.0))),
            _ => {
                let before = &poses[(t - 1) * vertices..t * vertices];
                sources.extend(before.iter().map(|p| p.as_dvec3().extend(1.0)));
            }
        }
        costs.par_iter_mut().zip(frames.frame(t)).with_min_len(1024).for_each(|(cost, p)| {
            cost.square += DMat3::IDENTITY * counts[t];
            cost.linear += (p.as_dvec3() - to) * counts[t];
        });
        let steps = &mut model.skin.transforms[t * model.skin.bones..(t + 1) * model.skin.bones];
        // Between the middles of the poses.
        steps.iter_mut().for_each(|s| s.translation = s.transform_point3(from) - to);
        solve(&pairs, &sources, &costs, steps, progress)?;
        let weights = &model.skin.weights;
        costs.par_iter_mut().with_min_len(1024).enumerate().for_each(|(v, cost)| {
            let blend = blended(weights, steps, v);
            let back = blend.matrix3.transpose();
            cost.linear = back * (cost.linear - cost.square * blend.translation);
            cost.square = back * cost.square * blend.matrix3;
        });
        steps.iter_mut().for_each(|s| s.translation += to - s.matrix3 * from);
    }
    Ok(())
}

/// All poses of the model, relative to the middle of each frame.
fn poses(model: &Model, origins: &Origins) -> Vec<Vec3> {
    let vertices = model.skin.rest.len();
    let mut poses = vec![Vec3::ZERO; vertices * origins.frames.len()];
    let mut pose: Vec<DVec3> = model.skin.rest.iter().map(|p| p.as_dvec3()).collect();
    for ((t, out), middle) in poses.chunks_exact_mut(vertices).enumerate().zip(&origins.frames) {
        crate::rig::step_pose(&model.skin.weights, model.skin.frame_transforms(t), &mut pose);
        out.iter_mut().zip(&pose).for_each(|(out, p)| *out = (*p - middle).as_vec3());
    }
    poses
}

/// Where S has its six different entries.
const ENTRIES: [[usize; 2]; 6] = [[0, 0], [1, 0], [2, 0], [1, 1], [2, 1], [2, 2]];

/// Replaces `steps` by those of least cost, drawn towards what they were.
fn solve(
    pairs: &BonePairs,
    sources: &[DVec4],
    costs: &[Cost],
    steps: &mut [DAffine3],
    progress: &dyn Progress,
) -> Result<(), Cancelled> {
    let n = 12 * pairs.bones;
    let blocks: Vec<[DMat4; 6]> = (0..pairs.pairs.len())
        .into_par_iter()
        .with_min_len(16)
        .map(|i| block(sources, costs, pairs.shared.of(i)))
        .collect();
    let mut frames = vec![BoneFrame::new(DMat4::ZERO); pairs.bones];
    for (pair, block) in pairs.pairs.iter().zip(&blocks).filter(|(p, _)| p[0] == p[1]) {
        frames[pair[0] as usize] = BoneFrame::new((block[0] + block[3] + block[5]) * (1.0 / 3.0));
    }
    let mut matrix = vec![0.0; n * n];
    for (&[a, b], block) in pairs.pairs.iter().zip(&blocks) {
        let (a, b) = (a as usize, b as usize);
        let (left, right) = (frames[a].matrix(), frames[b].matrix().transpose());
        for (entry, part) in ENTRIES.iter().zip(block) {
            let local = left * *part * right;
            for [p, q] in [[entry[0], entry[1]], [entry[1], entry[0]]] {
                for i in 0..4 {
                    for k in 0..4 {
                        matrix[(12 * a + 3 * i + p) * n + 12 * b + 3 * k + q] = local.col(k)[i];
                    }
                }
            }
        }
    }
    let mut side = vec![0.0; n];
    for (b, frame) in frames.iter().enumerate() {
        let mut sums = [DVec4::ZERO; 3];
        for &(v, w) in pairs.own.of(b) {
            let h = sources[v as usize] * f64::from(w);
            let g = costs[v as usize].linear;
            (0..3).for_each(|axis| sums[axis] += h * g[axis]);
        }
        for axis in 0..3 {
            let local = frame.matrix() * sums[axis];
            let known = frame.row(&steps[b], axis);
            for i in 0..4 {
                let at = 12 * b + 3 * i + axis;
                side[at] = local[i] + frame.damping * known[i];
                matrix[at * n + at] += frame.damping;
            }
        }
    }
    // Singular up to rounding: the steps stay as they are.
    if !cholesky_large(&mut matrix, n, progress)? {
        return Ok(());
    }
    cholesky_solve(&matrix, n, &mut side);
    for (b, (step, frame)) in steps.iter_mut().zip(&frames).enumerate() {
        let column = |i: usize| DVec3::from_slice(&side[12 * b + 3 * i..]);
        let matrix3 = DMat3::from_cols(column(0), column(1), column(2)) * (1.0 / frame.size);
        *step = DAffine3 { matrix3, translation: column(3) - matrix3 * frame.center };
    }
    Ok(())
}

/// Σ w_a w_b h hᵀ S, one matrix for each different entry of S. All of them are symmetric.
fn block(sources: &[DVec4], costs: &[Cost], entries: &[(u32, f32)]) -> [DMat4; 6] {
    // The entries of S side by side for each different entry of h hᵀ.
    let mut sums = [[0.0; 8]; 10];
    add_products(sources, costs, entries, &mut sums);
    let place =
        |row: usize, column: usize| (0..row.min(column)).map(|i| 4 - i).sum::<usize>() + row.abs_diff(column);
    std::array::from_fn(|entry| {
        let at = |row: usize, column: usize| sums[place(row, column)][entry];
        DMat4::from_cols_array_2d(&std::array::from_fn(|column| std::array::from_fn(|row| at(row, column))))
    })
}

for_wide_machines!(
    fn add_products(sources: &[DVec4], costs: &[Cost], entries: &[(u32, f32)], sums: &mut [[f64; 8]; 10]) {
        for &(v, w) in entries {
            let h = sources[v as usize].to_array();
            let square = costs[v as usize].square.to_cols_array();
            let mut side = [0.0; 8];
            side.iter_mut().zip(ENTRIES).for_each(|(side, [row, column])| *side = square[3 * column + row]);
            let mut place = 0;
            for row in 0..4 {
                for column in row..4 {
                    let product = h[row] * h[column] * f64::from(w);
                    (0..8).for_each(|i| sums[place][i] += product * side[i]);
                    place += 1;
                }
            }
        }
    }
);
