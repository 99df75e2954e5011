//! Joints and turns of a whole skeleton, fitted together.
//!
//! Let R_j be the turn of joint j against the world and c_j its place in the rest pose, s_k the sum of a vertex'
//! weights on joint k and all below it, and t a shift of the whole. As every joint is carried by its parent, a
//! vertex at x goes to
//!
//! ```text
//! t + Σ_j R_j y_j,   y_j = w_j x − s_j c_j + Σ_(k child of j) s_k c_k
//! ```
//!
//! which is linear in the turns and in the joints: lengths hold by construction. The error of all frames is lowered
//! by Gauss-Newton steps over all turns and all joints at once, the turns of each frame eliminated from the
//! equations of the joints (as cameras are in bundle adjustment). The vertices enter through [`Moments`] alone.
//!
//! "Automatic Conversion of Mesh Animations into Skeleton-based Animations" finds joints pair by pair, then makes
//! lengths constant (equation 3), then angles one at a time; here these are one problem.

use glam::{DAffine3, DMat3, DQuat, DVec3, DVec4};
use rayon::prelude::*;

use super::moments::Moments;
use crate::geometry::{cholesky, cholesky_solve_rows, outer, polar};
use crate::rig::Skeleton;

/// How strongly joints can be held to where they are in the rest pose, for each vertex: decides only where no vertex
/// does, as about the length of a part that moves next to nothing.
pub(super) const STRAIGHT: f64 = 2e-7;
/// Damping of the turns, relative to the mean of the diagonal, at first and at most.
const DAMPING: f64 = 1e-7;
const MOST_DAMPING: f64 = 1.0;
/// Steps that gain a smaller share end the fit.
const WORTHWHILE: f64 = 1e-4;

/// A skeleton and its motion, in the units of [`Measures`].
#[derive(Clone)]
pub(super) struct Articulation {
    /// The tree, with one root.
    pub skeleton: Skeleton,
    /// Places of the joints in the rest pose.
    pub joints: Vec<DVec3>,
    /// Turns against the world: all joints of the first frame, then of the second, and so on.
    pub turns: Vec<DMat3>,
}

/// Where joints would be if nothing else was known, and how strongly they are held there.
#[derive(Clone, Default)]
pub(super) struct Anchors {
    pub places: Vec<DVec3>,
    pub holds: Vec<f64>,
}

/// What does not change from frame to frame: second moments of y and s about their means.
struct Shape {
    /// Σ y_i y_jᵀ.
    ys: Vec<DMat3>,
    /// Σ y_j s_k.
    ys_sums: Vec<DVec3>,
    /// Σ s_k s_l.
    sums: Vec<f64>,
    /// Σ w_j x.
    means: Vec<DVec3>,
    /// Σ s_k.
    sum_means: Vec<f64>,
}

impl Shape {
    /// The sums, with `straight` holding joints to where they are in the rest pose.
    fn new(moments: &Moments, skeleton: &Skeleton, joints: &[DVec3], straight: f64) -> Self {
        let n = moments.bones;
        // Sums over what is below each joint, leaves first.
        let mut xs = vec![DVec3::ZERO; n * n];
        let mut ones = vec![0.0; n * n];
        for i in 0..n {
            for k in 0..n {
                let last = moments.pairs[i * n + k].w_axis;
                xs[i * n + k] = last.truncate();
                ones[i * n + k] = last.w;
            }
        }
        for k in (0..n).rev() {
            if let Some(parent) = skeleton.parents[k] {
                for i in 0..n {
                    xs[i * n + parent] = xs[i * n + parent] + xs[i * n + k];
                    ones[i * n + parent] += ones[i * n + k];
                }
            }
        }
        for k in (0..n).rev() {
            if let Some(parent) = skeleton.parents[k] {
                for l in 0..n {
                    ones[parent * n + l] += ones[k * n + l];
                }
            }
        }
        let means: Vec<DVec3> = (0..n).map(|i| xs[i * n]).collect();
        let sum_means: Vec<f64> = (0..n).map(|k| ones[k * n]).collect();
        let sums: Vec<f64> =
            (0..n * n).map(|i| ones[i] - sum_means[i / n] * sum_means[i % n] / moments.mass).collect();
        let x_sums: Vec<DVec3> =
            (0..n * n).map(|i| xs[i] - means[i / n] * (sum_means[i % n] / moments.mass)).collect();
        let terms = terms(skeleton, joints);
        let mut ys_sums = x_sums.clone();
        for j in 0..n {
            for k in 0..n {
                for &(l, c) in &terms[j] {
                    ys_sums[j * n + k] += c * sums[l * n + k];
                }
            }
        }
        let mut ys = vec![DMat3::ZERO; n * n];
        for i in 0..n {
            for j in 0..n {
                let mut sum = DMat3::from_mat4(moments.pairs[i * n + j])
                    - outer(means[i], means[j]) * (1.0 / moments.mass);
                for &(k, c) in &terms[j] {
                    sum += outer(ys_sums[i * n + k], c);
                }
                for &(l, c) in &terms[i] {
                    sum += outer(c, x_sums[j * n + l]);
                }
                ys[i * n + j] = sum;
            }
        }
        // As much as |R_k − R_parent|² more.
        let hold = DMat3::from_diagonal(DVec3::splat(straight * moments.mass));
        for k in 0..n {
            if let Some(parent) = skeleton.parents[k] {
                ys[k * n + k] += hold;
                ys[parent * n + parent] += hold;
                ys[k * n + parent] -= hold;
                ys[parent * n + k] -= hold;
            }
        }
        Self { ys, ys_sums, sums, means, sum_means }
    }
}

/// The multiples of s that y has for each joint besides w x.
fn terms(skeleton: &Skeleton, joints: &[DVec3]) -> Vec<Vec<(usize, DVec3)>> {
    let mut terms = vec![Vec::new(); joints.len()];
    for (k, parent) in skeleton.parents.iter().enumerate() {
        if let Some(parent) = parent {
            terms[k].push((k, -joints[k]));
            terms[*parent].push((k, joints[k]));
        }
    }
    terms
}

/// One frame's sums about their means.
struct Target {
    /// Σ p y_jᵀ.
    ys: Vec<DMat3>,
    /// Σ p s_k.
    sums: Vec<DVec3>,
    /// Σ |p|².
    square: f64,
}

impl Target {
    fn new(
        moments: &Moments,
        shape: &Shape,
        skeleton: &Skeleton,
        terms: &[Vec<(usize, DVec3)>],
        frame: usize,
    ) -> Self {
        let n = moments.bones;
        let middle = moments.middles[frame] / moments.mass;
        let mut sums: Vec<DVec3> = (0..n).map(|k| moments.carried(frame, k)).collect();
        for k in (0..n).rev() {
            if let Some(parent) = skeleton.parents[k] {
                let below = sums[k];
                sums[parent] += below;
            }
        }
        for (k, sum) in sums.iter_mut().enumerate() {
            *sum -= middle * shape.sum_means[k];
        }
        let of = |j: usize| {
            let own = moments.turned(frame, j) - outer(middle, shape.means[j]);
            terms[j].iter().fold(own, |sum, &(k, c)| sum + outer(sums[k], c))
        };
        Self {
            ys: (0..n).map(of).collect(),
            square: moments.squares[frame] - middle.length_squared() * moments.mass,
            sums,
        }
    }

    fn error(&self, shape: &Shape, turns: &[DMat3]) -> f64 {
        let n = turns.len();
        let mut error = self.square;
        for j in 0..n {
            let mut moved = self.ys[j] * -2.0;
            for i in 0..n {
                moved += turns[i] * shape.ys[i * n + j];
            }
            error += dot(&turns[j], &moved);
        }
        error.max(0.0)
    }
}

fn dot(a: &DMat3, b: &DMat3) -> f64 {
    a.x_axis.dot(b.x_axis) + a.y_axis.dot(b.y_axis) + a.z_axis.dot(b.z_axis)
}

/// The matrix of a cross product from the left.
fn cross(a: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, a.z, -a.y), DVec3::new(-a.z, 0.0, a.x), DVec3::new(a.y, -a.x, 0.0))
}

fn put(matrix: &mut [f64], width: usize, row: usize, column: usize, block: &DMat3) {
    for c in 0..3 {
        for r in 0..3 {
            matrix[(3 * row + r) * width + 3 * column + c] = block.col(c)[r];
        }
    }
}

/// A frame's step: what turns do by themselves, and how they answer to joints.
struct Answer {
    alone: Vec<f64>,
    /// Rows: turns; columns: joints.
    to_joints: Vec<f64>,
    /// What the frame adds to the equations of the joints.
    matrix: Vec<f64>,
    right: Vec<f64>,
}

/// The factored matrix and the right-hand side of the equations of one frame's turns.
fn turn_equations(
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
    for i in 0..width {
        matrix[i * width + i] += (damping * trace / width as f64).max(1e-14);
    }
    cholesky(&mut matrix, width).then_some((matrix, right))
}

/// Gauss-Newton steps over the turns of one frame. Returns them and their squared error.
fn fit_frame(shape: &Shape, target: &Target, mut turns: Vec<DMat3>, rounds: usize) -> (Vec<DMat3>, f64) {
    let mut damping = DAMPING;
    let mut error = target.error(shape, &turns);
    for _ in 0..rounds {
        let Some((factor, mut steps)) = turn_equations(shape, target, &turns, damping) else { break };
        cholesky_solve_rows(&factor, 3 * turns.len(), &mut steps, 1);
        let mut next = turns.clone();
        turn_by(&mut next, &steps);
        let after = target.error(shape, &next);
        if after < error {
            let gained = error - after;
            (turns, error) = (next, after);
            damping = (damping / 4.0).max(DAMPING);
            if gained < WORTHWHILE * error {
                break;
            }
        } else {
            damping *= 30.0;
            if damping > MOST_DAMPING {
                break;
            }
        }
    }
    (turns, error)
}

/// Turns each by its step, an axis times an angle.
fn turn_by(turns: &mut [DMat3], steps: &[f64]) {
    for (turn, step) in turns.iter_mut().zip(steps.chunks_exact(3)) {
        let by = DQuat::from_scaled_axis(DVec3::from_slice(step));
        *turn = DMat3::from_quat((by * DQuat::from_mat3(turn)).normalize());
    }
}

impl Articulation {
    /// Lowers the error over turns and joints by at most `rounds` steps. Returns the sum of squared distances, in
    /// units.
    pub fn fit(&mut self, moments: &Moments, anchors: &Anchors, rounds: usize) -> f64 {
        let mut damping = DAMPING;
        let mut before = self.error(moments) + self.pull(anchors);
        for _ in 0..rounds {
            let Some(next) = self.step(moments, anchors, damping) else { break };
            let after = next.error(moments) + next.pull(anchors);
            if after < before {
                let gained = before - after;
                *self = next;
                before = after;
                damping = (damping / 4.0).max(DAMPING);
                if gained < WORTHWHILE * before {
                    break;
                }
            } else {
                damping *= 30.0;
                if damping > MOST_DAMPING {
                    break;
                }
            }
        }
        before - self.pull(anchors)
    }

    /// Lowers the error over turns alone by at most `rounds` steps a frame. Returns the sum of squared distances, in
    /// units, and what it costs to hold joints by `straight`.
    pub fn fit_turns(&mut self, moments: &Moments, rounds: usize, straight: f64) -> f64 {
        let shape = Shape::new(moments, &self.skeleton, &self.joints, straight);
        let terms = terms(&self.skeleton, &self.joints);
        let fitted: Vec<(Vec<DMat3>, f64)> = (0..moments.frames)
            .into_par_iter()
            .map(|t| {
                let target = Target::new(moments, &shape, &self.skeleton, &terms, t);
                fit_frame(&shape, &target, self.frame(t).to_vec(), rounds)
            })
            .collect();
        self.turns.clear();
        for (turns, _) in &fitted {
            self.turns.extend_from_slice(turns);
        }
        fitted.iter().map(|f| f.1).sum()
    }

    /// Sum of squared distances over all frames, in units.
    pub fn error(&self, moments: &Moments) -> f64 {
        let shape = Shape::new(moments, &self.skeleton, &self.joints, 0.0);
        let terms = terms(&self.skeleton, &self.joints);
        let of =
            |t: usize| Target::new(moments, &shape, &self.skeleton, &terms, t).error(&shape, self.frame(t));
        (0..moments.frames).map(of).sum()
    }

    fn pull(&self, anchors: &Anchors) -> f64 {
        let of = |k: usize| anchors.holds[k] * self.joints[k].distance_squared(anchors.places[k]);
        (0..self.joints.len()).map(of).sum()
    }

    /// Turns of one frame.
    pub fn frame(&self, frame: usize) -> &[DMat3] {
        let n = self.joints.len();
        &self.turns[frame * n..(frame + 1) * n]
    }

    /// One Gauss-Newton step.
    fn step(&self, moments: &Moments, anchors: &Anchors, damping: f64) -> Option<Self> {
        let n = self.joints.len();
        let shape = Shape::new(moments, &self.skeleton, &self.joints, 0.0);
        let terms = terms(&self.skeleton, &self.joints);
        let answers: Vec<Answer> = (0..moments.frames)
            .into_par_iter()
            .map(|t| {
                let target = Target::new(moments, &shape, &self.skeleton, &terms, t);
                self.answer(&shape, &target, t, damping)
            })
            .collect::<Option<_>>()?;
        let mut next = self.clone();
        let moves = self.joint_step(&answers, anchors)?;
        for (k, joint) in next.joints.iter_mut().enumerate() {
            *joint += DVec3::from_slice(&moves[3 * k..]);
        }
        for (answer, turns) in answers.iter().zip(next.turns.chunks_exact_mut(n)) {
            let steps: Vec<f64> = answer
                .alone
                .iter()
                .zip(answer.to_joints.chunks_exact(3 * n))
                .map(|(alone, to)| alone - to.iter().zip(&moves).map(|(a, b)| a * b).sum::<f64>())
                .collect();
            turn_by(turns, &steps);
        }
        Some(next)
    }

    fn joint_step(&self, answers: &[Answer], anchors: &Anchors) -> Option<Vec<f64>> {
        let width = 3 * self.joints.len();
        let mut matrix = vec![0.0; width * width];
        let mut right = vec![0.0; width];
        for answer in answers {
            matrix.iter_mut().zip(&answer.matrix).for_each(|(a, b)| *a += b);
            right.iter_mut().zip(&answer.right).for_each(|(a, b)| *a += b);
        }
        for k in 0..self.joints.len() {
            let off = anchors.places[k] - self.joints[k];
            for axis in 0..3 {
                let at = 3 * k + axis;
                // The root's place has no effect; it stays.
                let hold = if self.skeleton.parents[k].is_none() { 1.0 } else { anchors.holds[k] };
                matrix[at * width + at] += hold + 1e-12;
                right[at] += if self.skeleton.parents[k].is_none() { 0.0 } else { hold * off[axis] };
            }
        }
        cholesky(&mut matrix, width).then(|| {
            cholesky_solve_rows(&matrix, width, &mut right, 1);
            right
        })
    }

    /// The equations of one frame's turns, solved, and their part in the equations of the joints.
    fn answer(&self, shape: &Shape, target: &Target, frame: usize, damping: f64) -> Option<Answer> {
        let n = self.joints.len();
        let (width, turns) = (3 * n, self.frame(frame));
        let (factor, mut alone) = turn_equations(shape, target, turns, damping)?;
        let bends: Vec<DMat3> = (0..n)
            .map(|k| self.skeleton.parents[k].map_or(DMat3::ZERO, |parent| turns[parent] - turns[k]))
            .collect();
        let mut between = vec![0.0; width * width];
        for i in 0..n {
            for k in 0..n {
                let block = cross(turns[i] * shape.ys_sums[i * n + k]) * bends[k];
                put(&mut between, width, i, k, &block);
            }
        }
        let mut to_joints = between.clone();
        cholesky_solve_rows(&factor, width, &mut to_joints, width);
        cholesky_solve_rows(&factor, width, &mut alone, 1);
        let mut own = vec![0.0; width * width];
        let mut right = vec![0.0; width];
        for k in 0..n {
            let mut left = target.sums[k];
            for j in 0..n {
                left -= turns[j] * shape.ys_sums[j * n + k];
                put(&mut own, width, k, j, &(bends[k].transpose() * bends[j] * shape.sums[k * n + j]));
            }
            let slope = bends[k].transpose() * left;
            slope.to_array().iter().enumerate().for_each(|(axis, s)| right[3 * k + axis] = *s);
        }
        // Taking the turns out: own − betweenᵀ answers.
        for row in 0..width {
            let answers = &to_joints[row * width..(row + 1) * width];
            for (k, factor) in between[row * width..(row + 1) * width].iter().enumerate() {
                if *factor != 0.0 {
                    let line = &mut own[k * width..(k + 1) * width];
                    line.iter_mut().zip(answers).for_each(|(o, a)| *o -= factor * a);
                    right[k] -= factor * alone[row];
                }
            }
        }
        Some(Answer { alone, to_joints, matrix: own, right })
    }

    /// How what a joint moves goes in each frame, fitted by itself.
    pub fn own_transforms(&self, moments: &Moments, joint: usize) -> Vec<DAffine3> {
        let n = moments.bones;
        let sum = (0..n).fold(DVec4::ZERO, |sum, i| sum + moments.pairs[joint * n + i].w_axis);
        let mass = sum.w.max(1e-12);
        let middle = sum.truncate() / mass;
        let of = |frame: usize| {
            let carried = moments.carried(frame, joint) / mass;
            let turned = moments.turned(frame, joint) - outer(carried, middle) * mass;
            let turn = polar(turned).unwrap_or(self.frame(frame)[joint]);
            DAffine3 { matrix3: turn, translation: carried - turn * middle }
        };
        (0..moments.frames).map(of).collect()
    }

    /// The same as seen from what another joint moves.
    pub fn seen_from(&self, moments: &Moments, other: usize, joint: usize) -> Vec<DAffine3> {
        let (from, to) = (self.own_transforms(moments, other), self.own_transforms(moments, joint));
        from.iter().zip(&to).map(|(a, b)| a.inverse() * *b).collect()
    }

    /// Transforms of all bones in all frames, between poses in units.
    pub fn transforms(&self, moments: &Moments) -> Vec<DAffine3> {
        let n = self.joints.len();
        let shape = Shape::new(moments, &self.skeleton, &self.joints, 0.0);
        let mut means = shape.means.clone();
        for (j, list) in terms(&self.skeleton, &self.joints).iter().enumerate() {
            for &(k, c) in list {
                means[j] += c * shape.sum_means[k];
            }
        }
        let mut out = Vec::with_capacity(moments.frames * n);
        for frame in 0..moments.frames {
            let turns = self.frame(frame);
            let carried: DVec3 = (0..n).map(|j| turns[j] * means[j]).sum();
            let shift = (moments.middles[frame] - carried) / moments.mass;
            let mut shifts = vec![shift; n];
            for k in 0..n {
                if let Some(parent) = self.skeleton.parents[k] {
                    shifts[k] = shifts[parent] + (turns[parent] - turns[k]) * self.joints[k];
                }
            }
            for k in 0..n {
                out.push(DAffine3 { matrix3: turns[k], translation: shifts[k] });
            }
        }
        out
    }
}
