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

use glam::{DAffine3, DMat3, DVec3, DVec4};

use super::Moments;
use super::equations::{Shape, Target, descend, fit_frame, put, turn_by, turn_equations};
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::rig::{Skeleton, picked};
use crate::solve::dense::{cholesky_solve_rows, solve_rows};
use crate::solve::procrustes::{cross_matrix, outer, polar};

/// A skeleton and its motion, in [`crate::tracks::Units`].
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

/// A frame's step: what turns do by themselves, and how they answer to joints.
struct Answer {
    alone: Vec<f64>,
    /// Rows: turns; columns: joints.
    to_joints: Vec<f64>,
    /// What the frame adds to the equations of the joints.
    matrix: Vec<f64>,
    right: Vec<f64>,
}

impl Articulation {
    /// Lowers the error over turns and joints by at most `rounds` steps. Returns the sum of squared distances, in
    /// units.
    pub fn fit(
        &mut self,
        moments: &Moments,
        anchors: &Anchors,
        rounds: usize,
        progress: &dyn Progress,
    ) -> Result<f64, Cancelled> {
        let cost = |of: &Self| of.error(moments) + of.pull(anchors);
        let (fitted, least) = descend(self.clone(), cost(self), rounds, |now, damping| {
            let next = now.step(moments, anchors, damping, progress)?;
            Ok(next.map(|next| {
                let cost = cost(&next);
                (next, cost)
            }))
        })?;
        *self = fitted;
        Ok(least - self.pull(anchors))
    }

    /// Lowers the error over turns alone by at most `rounds` steps a frame. Returns the sum of squared distances, in
    /// units, and what it costs to hold joints by `straight`.
    pub fn fit_turns(
        &mut self,
        moments: &Moments,
        rounds: usize,
        straight: f64,
        progress: &dyn Progress,
    ) -> Result<f64, Cancelled> {
        let shape = Shape::new(moments, &self.skeleton, &self.joints, straight);
        let fitted = in_parallel(progress, moments.frames, |t| {
            let target = Target::new(moments, &shape, &self.skeleton, t);
            fit_frame(&shape, &target, self.frame(t).to_vec(), rounds, progress)
        })?;
        self.turns = fitted.iter().flat_map(|(turns, _)| turns).copied().collect();
        Ok(fitted.iter().map(|f| f.1).sum())
    }

    /// Sum of squared distances over all frames, in units.
    pub fn error(&self, moments: &Moments) -> f64 {
        let shape = Shape::new(moments, &self.skeleton, &self.joints, 0.0);
        let of = |t: usize| Target::new(moments, &shape, &self.skeleton, t).error(&shape, self.frame(t));
        (0..moments.frames).map(of).sum()
    }

    fn pull(&self, anchors: &Anchors) -> f64 {
        let of = |k: usize| anchors.holds[k] * self.joints[k].distance_squared(anchors.places[k]);
        (0..self.joints.len()).map(of).sum()
    }

    /// Some of the joints, in another order, which are new numbers for them.
    pub fn reordered(&self, order: &[usize]) -> Self {
        Self {
            skeleton: self.skeleton.reordered(order),
            joints: order.iter().map(|&k| self.joints[k]).collect(),
            turns: picked(&self.turns, self.joints.len(), order),
        }
    }

    /// Turns of one frame.
    pub fn frame(&self, frame: usize) -> &[DMat3] {
        let n = self.joints.len();
        &self.turns[frame * n..(frame + 1) * n]
    }

    /// One Gauss-Newton step.
    fn step(
        &self,
        moments: &Moments,
        anchors: &Anchors,
        damping: f64,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, Cancelled> {
        let n = self.joints.len();
        let shape = Shape::new(moments, &self.skeleton, &self.joints, 0.0);
        let answers = in_parallel(progress, moments.frames, |t| {
            let target = Target::new(moments, &shape, &self.skeleton, t);
            Ok(self.answer(&shape, &target, t, damping))
        })?;
        let Some(answers) = answers.into_iter().collect::<Option<Vec<Answer>>>() else { return Ok(None) };
        let mut next = self.clone();
        let Some(moves) = self.joint_step(&answers, anchors) else { return Ok(None) };
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
        Ok(Some(next))
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
        solve_rows(&mut matrix, width, &mut right, 1).then_some(right)
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
                let block = cross_matrix(turns[i] * shape.ys_sums[i * n + k]) * bends[k];
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
        for (j, list) in shape.terms.iter().enumerate() {
            list.iter().for_each(|&(k, c)| means[j] += c * shape.sum_means[k]);
        }
        let mut out = Vec::with_capacity(moments.frames * n);
        for frame in 0..moments.frames {
            let turns = self.frame(frame);
            let carried: DVec3 = (0..n).map(|j| turns[j] * means[j]).sum();
            let shift = (moments.middles[frame] - carried) / moments.mass;
            let mut shifts = vec![shift; n];
            for (k, parent) in self.skeleton.links() {
                shifts[k] = shifts[parent] + (turns[parent] - turns[k]) * self.joints[k];
            }
            let both = turns.iter().zip(shifts);
            out.extend(both.map(|(&matrix3, translation)| DAffine3 { matrix3, translation }));
        }
        out
    }
}
