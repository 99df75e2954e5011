//! Paths of points over time, and how well one transform a frame predicts a set of them.

use glam::{DAffine3, DMat3, DMat4, DVec3, DVec4, Vec3};
use rayon::prelude::*;

use super::{SurfaceMotion, members};
use crate::progress::{Cancelled, Progress};
use crate::solve::procrustes::{outer, polar};
use crate::tracks::{Origins, Tracks, dot, residual};

/// Damping of a fit towards the rigid one, as a share of the set's spread.
const DAMPING: f64 = 1e-3;
/// Paths added between two looks at whether work was cancelled.
const AT_ONCE: usize = 1024;

/// Centroids of triangles, or vertices, over some frames.
pub struct Trajectories {
    /// Rest positions relative to the rest origin.
    pub rest: Vec<Vec3>,
    /// Three runs a path.
    runs: Vec<f32>,
    /// Length of a path's runs.
    pub run: usize,
    /// Number of frames.
    frames: usize,
}

impl Trajectories {
    /// Centroids of some triangles.
    pub fn of_triangles(motion: SurfaceMotion, origins: &Origins, chosen: &[u32]) -> Self {
        Self::of(motion, origins, chosen, |p, t| {
            let [a, b, c] = motion.triangles[t as usize].map(|i| p[i as usize].as_dvec3());
            (a + b + c) / 3.0
        })
    }

    /// All vertices.
    pub fn of_vertices(motion: SurfaceMotion, origins: &Origins) -> Self {
        let all: Vec<u32> = (0..motion.rest.len() as u32).collect();
        Self::of(motion, origins, &all, |p, v| p[v as usize].as_dvec3())
    }

    fn of(
        motion: SurfaceMotion,
        origins: &Origins,
        chosen: &[u32],
        place: impl Fn(&[Vec3], u32) -> DVec3 + Sync,
    ) -> Self {
        let n = origins.padded();
        let mut runs = vec![0.0; chosen.len() * 3 * n];
        runs.par_chunks_mut(3 * n).zip(chosen).for_each(|(run, &i)| {
            for (t, (&frame, middle)) in origins.chosen.iter().zip(&origins.frames).enumerate() {
                let p = place(motion.frames.frame(frame), i) - middle;
                (0..3).for_each(|axis| run[axis * n + t] = p[axis] as f32);
            }
        });
        let rest = chosen.iter().map(|&i| (place(motion.rest, i) - origins.rest).as_vec3()).collect();
        Self { rest, runs, run: 3 * n, frames: origins.frames.len() }
    }

    /// Number of paths.
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Runs of one path.
    pub fn run(&self, i: usize) -> &[f32] {
        &self.runs[i * self.run..(i + 1) * self.run]
    }

    /// Squared error of a path under one of several motions; `unused` is scratch.
    pub fn error(&self, i: usize, bone: u32, tracks: &Tracks, unused: &mut Vec<f32>) -> f64 {
        unused.resize(self.run, 0.0);
        residual(tracks.bone(bone as usize), self.rest[i], self.run(i), unused)
    }

    /// Sums over some paths.
    pub fn sums(&self, some: impl Iterator<Item = usize>) -> TransformSums {
        let mut sums = TransformSums::new(self.frames);
        some.for_each(|i| sums.add(self.rest[i], self.run(i)));
        sums
    }

    /// The best motions of sets of paths, of which there are `count`. A set without paths does not move.
    pub fn fit(
        &self,
        set_of: &[u32],
        count: usize,
        rigid: bool,
        progress: &dyn Progress,
    ) -> Result<Tracks, Cancelled> {
        let fit = |list: &Vec<u32>| {
            let mut sums = TransformSums::new(self.frames);
            for some in list.chunks(AT_ONCE) {
                progress.check()?;
                some.iter().for_each(|&i| sums.add(self.rest[i as usize], self.run(i as usize)));
            }
            Ok(if list.is_empty() { vec![DAffine3::IDENTITY; self.frames] } else { sums.fit(rigid) })
        };
        let fits = members(set_of, count).par_iter().map(fit).collect::<Result<Vec<_>, Cancelled>>()?;
        Ok(Tracks::of_motions(&fits))
    }
}

/// Sums from which the best transforms of a set of paths and their cost follow; sums of two sets add up.
#[derive(Clone)]
pub struct TransformSums {
    /// Σ h hᵀ with h the rest position and a one.
    pub rest: DMat4,
    /// Σ h · p for each frame: columns are output x, y and z.
    cross: Vec<[DVec4; 3]>,
    /// Σ |p|² over all frames.
    square: f64,
}

impl TransformSums {
    /// Of no path.
    pub fn new(frames: usize) -> Self {
        Self { rest: DMat4::ZERO, cross: vec![[DVec4::ZERO; 3]; frames], square: 0.0 }
    }

    /// Adds a path.
    fn add(&mut self, point: Vec3, run: &[f32]) {
        let h = point.as_dvec3().extend(1.0);
        self.rest += DMat4::from_cols(h * h.x, h * h.y, h * h.z, h);
        let n = run.len() / 3;
        for (t, cross) in self.cross.iter_mut().enumerate() {
            (0..3).for_each(|axis| cross[axis] += h * f64::from(run[axis * n + t]));
        }
        self.square += dot(run, run);
    }

    /// Of both sets.
    pub fn plus(&self, other: &Self) -> Self {
        let cross =
            self.cross.iter().zip(&other.cross).map(|(a, b)| std::array::from_fn(|i| a[i] + b[i])).collect();
        Self { rest: self.rest + other.rest, cross, square: self.square + other.square }
    }

    fn count(&self) -> f64 {
        self.rest.w_axis.w
    }

    /// The best transform of each frame.
    pub fn fit(&self, rigid: bool) -> Vec<DAffine3> {
        let count = self.count();
        let center = self.rest.w_axis.truncate() / count;
        let spread = DMat3::from_mat4(self.rest) - outer(center, center) * count;
        let lambda =
            (DAMPING * (spread.x_axis.x + spread.y_axis.y + spread.z_axis.z) / 3.0).max(f64::MIN_POSITIVE);
        let inverse = (spread + DMat3::from_diagonal(DVec3::splat(lambda))).inverse();
        let mut last = DMat3::IDENTITY;
        let fit = |cross: &[DVec4; 3]| {
            let mean = DVec3::from_array(cross.map(|c| c.w)) / count;
            let product = DMat3::from_cols(cross[0].truncate(), cross[1].truncate(), cross[2].truncate())
                .transpose()
                - outer(mean, center) * count;
            last = polar(product).unwrap_or(last);
            let matrix = if rigid { last } else { (product + last * lambda) * inverse };
            DAffine3 { matrix3: matrix, translation: mean - matrix * center }
        };
        self.cross.iter().map(fit).collect()
    }

    /// Σ ‖T h − p‖² for given transforms.
    pub fn cost(&self, transforms: &[DAffine3]) -> f64 {
        let of_frame = |(t, cross): (&DAffine3, &[DVec4; 3])| {
            let of_axis = |axis: usize| {
                let m = t.matrix3.row(axis).extend(t.translation[axis]);
                m.dot(self.rest * m) - 2.0 * m.dot(cross[axis])
            };
            (0..3).map(of_axis).sum::<f64>()
        };
        let fitted: f64 = transforms.iter().zip(&self.cross).map(of_frame).sum();
        (self.square + fitted).max(0.0)
    }
}
