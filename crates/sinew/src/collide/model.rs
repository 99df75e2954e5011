//! How one region moves, in few numbers a frame.
//!
//! A region gets, in each frame of the rig, the affine motion that fits its vertices best, the rigid frame in it, and
//! a low-rank model of what is left: x = L c + t + R Σ_i u_i q_i, with c and u_i for each vertex and L, t, R
//! and q_i for each frame (James and Twigg 2005, section 7). The shapes u_i are the leading principal components of
//! what some frames leave. What the model misses is measured for every vertex in every frame and added to the
//! bounds, so that they hold whatever the bones, the blending and the corrections of the rig do.

use glam::{DMat3, DVec3, Vec3};

use super::bounds::largest_stretch;
use super::tuning::TUNING;
use crate::animation::{centroid, evenly};
use crate::solve::procrustes::{outer, polar};
use crate::solve::tridiagonal::eigen_rows;

/// How a region moves as a whole in one frame of the rig: L, R and t.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub linear: DMat3,
    pub turn: DMat3,
    pub shift: DVec3,
    /// The farthest that the model is off.
    pub missed: f32,
}

/// The model of a region of so many vertices.
pub(super) struct Model {
    pub rank: usize,
    pub frames: Vec<Frame>,
    /// Frame after frame, one for each shape.
    pub coefficients: Vec<f32>,
    /// u of each vertex, all shapes of one vertex together.
    pub shapes: Vec<Vec3>,
    /// The farthest that the model is off at each vertex.
    pub missed: Vec<f32>,
}

impl Model {
    /// Learns how vertices move that are at `rest` and, in each frame, at `poses`. More shapes are taken until
    /// what is left is within `fine` in the root mean square.
    pub fn new(rest: &[Vec3], poses: &[Vec<Vec3>], fine: f64) -> Self {
        let fit = Fit::new(rest);
        let mut frames: Vec<Frame> = poses.iter().map(|pose| fit.frame(rest, pose)).collect();
        let left = |f: usize| frames[f].left(rest, &poses[f]).collect();
        let some: Vec<Vec<DVec3>> = evenly(poses.len(), TUNING.learned_frames).map(left).collect();
        let (rank, shapes) = components(&some, fine);
        let mut model = Self {
            rank,
            coefficients: Vec::with_capacity(rank * frames.len()),
            missed: vec![0.0; rest.len()],
            frames: Vec::new(),
            shapes,
        };
        for (frame, pose) in frames.iter_mut().zip(poses) {
            frame.missed = model.add_frame(frame.left(rest, pose).collect());
        }
        model.frames = frames;
        model
    }

    /// Adds the coefficients of a frame, given what the motion as a whole leaves in it, and returns how far the
    /// model is off.
    fn add_frame(&mut self, mut off: Vec<DVec3>) -> f32 {
        for i in 0..self.rank {
            let shape = || self.shapes.iter().skip(i).step_by(self.rank).map(|u| u.as_dvec3());
            // Shapes have length one and are square to each other, but for rounding.
            let q = off.iter().zip(shape()).map(|(d, u)| d.dot(u)).sum::<f64>() as f32;
            off.iter_mut().zip(shape()).for_each(|(d, u)| *d -= u * f64::from(q));
            self.coefficients.push(q);
        }
        let mut farthest = 0.0_f32;
        for (missed, d) in self.missed.iter_mut().zip(&off) {
            let d = d.length() as f32;
            *missed = missed.max(d);
            farthest = farthest.max(d);
        }
        farthest
    }
}

/// Least squares from a region's rest pose.
struct Fit {
    mean: DVec3,
    /// A little, so that what is flat turns along, and the inverse of Σ (c − mean)(c − mean)ᵀ with it added.
    little: DMat3,
    inverse: DMat3,
}

impl Fit {
    fn new(rest: &[Vec3]) -> Self {
        let mean = centroid(rest);
        let spread = rest.iter().map(|c| c.as_dvec3() - mean).map(|d| outer(d, d));
        let sum = spread.fold(DMat3::ZERO, |a, b| a + b);
        let trace = sum.x_axis.x + sum.y_axis.y + sum.z_axis.z;
        let little = DMat3::from_diagonal(DVec3::splat(TUNING.ridge * trace));
        Self { mean, little, inverse: (sum + little).inverse() }
    }

    /// The motion that takes the rest pose nearest to another. Where the rest pose is flat it turns along.
    fn frame(&self, rest: &[Vec3], pose: &[Vec3]) -> Frame {
        let to = centroid(pose);
        let pairs = rest.iter().zip(pose).map(|(c, x)| outer(x.as_dvec3() - to, c.as_dvec3() - self.mean));
        let sum = pairs.fold(DMat3::ZERO, |a, b| a + b);
        let turn = polar(sum).unwrap_or(DMat3::IDENTITY);
        let linear = (sum + turn * self.little) * self.inverse;
        let linear = if linear.is_finite() { linear } else { turn };
        Frame { linear, turn, shift: to - linear * self.mean, missed: 0.0 }
    }
}

impl Frame {
    /// At least how far from the origin anything is that goes into a bound, of a body that reaches so far.
    pub fn far(&self, reach: f32) -> f32 {
        (largest_stretch(&self.linear.as_mat3().into()) + 1.0) * reach + self.shift.length() as f32
    }

    /// What the motion as a whole leaves of a pose, as the rigid frame sees it.
    fn left<'a>(&'a self, rest: &'a [Vec3], pose: &'a [Vec3]) -> impl Iterator<Item = DVec3> + 'a {
        let back = self.turn.transpose();
        rest.iter()
            .zip(pose)
            .map(move |(c, x)| back * (x.as_dvec3() - self.linear * c.as_dvec3() - self.shift))
    }
}

/// The leading principal components of poses, and how many it takes. Those of one vertex lie together.
fn components(poses: &[Vec<DVec3>], fine: f64) -> (usize, Vec<Vec3>) {
    let (count, vertices) = (poses.len(), poses.first().map_or(0, Vec::len));
    let mut gram = vec![0.0; count * count];
    for i in 0..count {
        for j in 0..=i {
            let product: f64 = poses[i].iter().zip(&poses[j]).map(|(a, b)| a.dot(*b)).sum();
            (gram[i * count + j], gram[j * count + i]) = (product, product);
        }
    }
    let (values, rows) = eigen_rows(gram, count);
    let left = |rank: usize| values[rank..].iter().map(|v| v.max(0.0)).sum::<f64>();
    let most = (count * vertices) as f64 * fine * fine;
    let rank = (0..count.min(TUNING.shapes)).take_while(|&r| left(r) > most && values[r] > 1e-30).count();
    let mut shapes = vec![Vec3::ZERO; rank * vertices];
    for r in 0..rank {
        let scale = 1.0 / values[r].sqrt();
        for v in 0..vertices {
            let sum: DVec3 = (0..count).map(|i| poses[i][v] * rows[r * count + i]).sum();
            shapes[v * rank + r] = (sum * scale).as_vec3();
        }
    }
    (rank, shapes)
}

#[cfg(test)]
#[path = "../../tests/unit/collide_model.rs"]
mod tests;
