//! The equations of a skeleton's turns: see [`super::articulation`] for what y and s are.

use glam::{DMat3, DMat4, DQuat, DVec3};

use super::{Moments, TUNING};
use crate::progress::{Cancelled, Progress};
use crate::rig::Skeleton;
use crate::solve::dense::{cholesky, cholesky_solve_rows};
use crate::solve::procrustes::outer;

/// Damping of the turns, relative to the mean of the diagonal, at first and at most.
const DAMPING: f64 = 1e-7;
const MOST_DAMPING: f64 = 1.0;

/// What does not change from frame to frame: second moments of y and s about their means.
pub(super) struct Shape {
    /// Σ y_i y_jᵀ.
    pub ys: Vec<DMat3>,
    /// Σ y_j s_k.
    pub ys_sums: Vec<DVec3>,
    /// Σ s_k s_l.
    pub sums: Vec<f64>,
    /// Σ w_j x.
    pub means: Vec<DVec3>,
    /// Σ s_k.
    pub sum_means: Vec<f64>,
    /// The multiples of s that y has for each joint besides w x.
    pub terms: Vec<Vec<(usize, DVec3)>>,
}

impl Shape {
    /// The sums, with `straight` holding joints to where they are in the rest pose.
    pub fn new(moments: &Moments, skeleton: &Skeleton, joints: &[DVec3], straight: f64) -> Self {
        let n = moments.bones;
        // Sums over what is below each joint, leaves first.
        let mut xs: Vec<DVec3> = moments.pairs.iter().map(|pair| pair.w_axis.truncate()).collect();
        let mut ones: Vec<f64> = moments.pairs.iter().map(|pair| pair.w_axis.w).collect();
        for (k, parent) in skeleton.links().rev() {
            for i in 0..n {
                xs[i * n + parent] = xs[i * n + parent] + xs[i * n + k];
                ones[i * n + parent] += ones[i * n + k];
            }
        }
        for (k, parent) in skeleton.links().rev() {
            (0..n).for_each(|l| ones[parent * n + l] += ones[k * n + l]);
        }
        let means: Vec<DVec3> = (0..n).map(|i| xs[i * n]).collect();
        let sum_means: Vec<f64> = (0..n).map(|k| ones[k * n]).collect();
        let sums: Vec<f64> =
            (0..n * n).map(|i| ones[i] - sum_means[i / n] * sum_means[i % n] / moments.mass).collect();
        let x_sums: Vec<DVec3> =
            (0..n * n).map(|i| xs[i] - means[i / n] * (sum_means[i % n] / moments.mass)).collect();
        let terms = terms(skeleton, joints);
        let mut ys_sums = x_sums.clone();
        for (at, sum) in ys_sums.iter_mut().enumerate() {
            terms[at / n].iter().for_each(|&(l, c)| *sum += c * sums[l * n + at % n]);
        }
        let y = |(at, pair): (usize, &DMat4)| {
            let (i, j) = (at / n, at % n);
            let own = DMat3::from_mat4(*pair) - outer(means[i], means[j]) * (1.0 / moments.mass);
            let sum = terms[j].iter().fold(own, |sum, &(k, c)| sum + outer(ys_sums[i * n + k], c));
            terms[i].iter().fold(sum, |sum, &(l, c)| sum + outer(c, x_sums[j * n + l]))
        };
        let mut ys: Vec<DMat3> = moments.pairs.iter().enumerate().map(y).collect();
        // As much as |R_k − R_parent|² more.
        let hold = DMat3::from_diagonal(DVec3::splat(straight * moments.mass));
        for (k, parent) in skeleton.links() {
            ys[k * n + k] += hold;
            ys[parent * n + parent] += hold;
            ys[k * n + parent] -= hold;
            ys[parent * n + k] -= hold;
        }
        Self { ys, ys_sums, sums, means, sum_means, terms }
    }
}

fn terms(skeleton: &Skeleton, joints: &[DVec3]) -> Vec<Vec<(usize, DVec3)>> {
    let mut terms = vec![Vec::new(); joints.len()];
    for (k, parent) in skeleton.links() {
        terms[k].push((k, -joints[k]));
        terms[parent].push((k, joints[k]));
    }
    terms
}

/// One frame's sums about their means.
pub(super) struct Target {
    /// Σ p y_jᵀ.
    pub ys: Vec<DMat3>,
    /// Σ p s_k.
    pub sums: Vec<DVec3>,
    /// Σ |p|².
    pub square: f64,
}

impl Target {
    pub fn new(moments: &Moments, shape: &Shape, skeleton: &Skeleton, frame: usize) -> Self {
        let n = moments.bones;
        let middle = moments.middles[frame] / moments.mass;
        let mut sums: Vec<DVec3> = (0..n).map(|k| moments.carried(frame, k)).collect();
        for (k, parent) in skeleton.links().rev() {
            let below = sums[k];
            sums[parent] += below;
        }
        sums.iter_mut().enumerate().for_each(|(k, sum)| *sum -= middle * shape.sum_means[k]);
        let of = |j: usize| {
            let own = moments.turned(frame, j) - outer(middle, shape.means[j]);
            shape.terms[j].iter().fold(own, |sum, &(k, c)| sum + outer(sums[k], c))
        };
        Self {
            ys: (0..n).map(of).collect(),
            square: moments.squares[frame] - middle.length_squared() * moments.mass,
            sums,
        }
    }

    pub fn error(&self, shape: &Shape, turns: &[DMat3]) -> f64 {
        let n = turns.len();
        let mut error = self.square;
        for j in 0..n {
            let mut moved = self.ys[j] * -2.0;
            (0..n).for_each(|i| moved += turns[i] * shape.ys[i * n + j]);
            error += dot(&turns[j], &moved);
        }
        error.max(0.0)
    }
}

fn dot(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

pub(super) fn put(matrix: &mut [f64], width: usize, row: usize, column: usize, block: &DMat3) {
    for c in 0..3 {
        (0..3).for_each(|r| matrix[(3 * row + r) * width + 3 * column + c] = block.col(c)[r]);
    }
}

/// The factored matrix and the right-hand side of the equations of one frame's turns.
pub(super) fn turn_equations(
    shape: &Shape,
    target: &Target,
    turns: &[DMat3],
    damping: f64,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let n = turns.len();
    let width = 3 * n;
    let mut matrix = vec![0.0; width * width];
    let mut right = vec![0.0; width];
    for i in 0..n {
        let mut left = target.ys[i];
        let back = turns[i].transpose();
        for j in 0..n {
            let moved = turns[j] * shape.ys[j * n + i];
            left -= moved;
            if j <= i {
                // With a = R y: Σ (a_i · a_j) 1 − a_j a_iᵀ.
                let q = moved * back;
                let trace = q.x_axis.x + q.y_axis.y + q.z_axis.z;
                put(&mut matrix, width, i, j, &(DMat3::from_diagonal(DVec3::splat(trace)) - q));
            }
        }
        let m = left * back;
        right[3 * i] = m.y_axis.z - m.z_axis.y;
        right[3 * i + 1] = m.z_axis.x - m.x_axis.z;
        right[3 * i + 2] = m.x_axis.y - m.y_axis.x;
    }
    let trace: f64 = (0..width).map(|i| matrix[i * width + i]).sum();
    (0..width).for_each(|i| matrix[i * width + i] += (damping * trace / width as f64).max(1e-14));
    cholesky(&mut matrix, width).then_some((matrix, right))
}

/// Damped steps (Levenberg and Marquardt), at most so many, until they gain too little: `step` tells what comes of one and
/// what that costs, if there is any. Returns the best and its cost.
pub(super) fn descend<T>(
    start: T,
    cost: f64,
    rounds: usize,
    step: impl Fn(&T, f64) -> Result<Option<(T, f64)>, Cancelled>,
) -> Result<(T, f64), Cancelled> {
    let (mut best, mut least, mut damping) = (start, cost, DAMPING);
    for _ in 0..rounds {
        let Some((next, cost)) = step(&best, damping)? else { break };
        if cost < least {
            let gained = least - cost;
            (best, least) = (next, cost);
            damping = (damping / 4.0).max(DAMPING);
            if gained < TUNING.articulation.worthwhile * least {
                break;
            }
        } else {
            damping *= 30.0;
            if damping > MOST_DAMPING {
                break;
            }
        }
    }
    Ok((best, least))
}

/// Gauss-Newton steps over the turns of one frame. Returns them and their squared error.
pub(super) fn fit_frame(
    shape: &Shape,
    target: &Target,
    turns: Vec<DMat3>,
    rounds: usize,
    progress: &dyn Progress,
) -> Result<(Vec<DMat3>, f64), Cancelled> {
    let error = target.error(shape, &turns);
    descend(turns, error, rounds, |turns, damping| {
        progress.check()?;
        let Some((factor, mut steps)) = turn_equations(shape, target, turns, damping) else {
            return Ok(None);
        };
        cholesky_solve_rows(&factor, 3 * turns.len(), &mut steps, 1);
        let mut next = turns.clone();
        turn_by(&mut next, &steps);
        let error = target.error(shape, &next);
        Ok(Some((next, error)))
    })
}

/// Turns each by its step, an axis times an angle.
pub(super) fn turn_by(turns: &mut [DMat3], steps: &[f64]) {
    for (turn, step) in turns.iter_mut().zip(steps.chunks_exact(3)) {
        let by = DQuat::from_scaled_axis(DVec3::from_slice(step));
        *turn = DMat3::from_quat((by * DQuat::from_mat3(turn)).normalize());
    }
}
