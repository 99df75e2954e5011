//! How far two animations are apart, in the measures of the literature.

use std::sync::{Mutex, PoisonError};

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use super::PoseSource;
use super::spread::Spread;
use crate::geometry::Bounds;

/// The distance between an animation P and its approximation Q.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorMeasure {
    /// 100·‖P − Q‖ / ‖P − mean over time of P‖ (Karni and Gotsman 2004; James and Twigg 2005). Of an
    /// animation that does not move: 0 when Q is P up to rounding, otherwise infinite.
    pub percent: f64,
    /// 1000·(2/d)·‖P − Q‖ / √(3SN) with d the diagonal of the rest pose's box (Kavan et al. 2010).
    pub rms: f64,
    /// Mean vertex distance in percent of that diagonal.
    pub mean: f64,
    /// The distance in percent of that diagonal that all but one in a hundred vertices, over all frames, are within; up to
    /// half a percent of itself.
    pub p99: f64,
    /// Largest vertex distance in percent of that diagonal.
    pub max: f64,
    /// Frame of the largest distance.
    pub max_frame: usize,
    /// Vertex of the largest distance.
    pub max_vertex: usize,
    /// Mean vertex distance in percent of the longest side of the rest pose's box (de Aguiar et al. 2008).
    pub accu: f64,
}

/// What [`compare`] found.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Over all frames.
    pub error: ErrorMeasure,
    /// Root mean square vertex distance of each frame, in percent of the rest pose's diagonal.
    pub per_frame: Vec<f64>,
}

impl FrameSums {
    /// Root mean square distance in percent of the diagonal.
    pub fn percent(&self, vertices: usize, rest: Bounds) -> f64 {
        100.0 * ratio((self.squares / vertices.max(1) as f64).sqrt(), rest.diagonal())
    }
}

/// What the vertices of one frame add up to.
#[derive(Clone, Copy, Default)]
pub(super) struct FrameSums {
    squares: f64,
    distances: f64,
    worst: (f64, usize),
}

/// Compares `approximation` with `original`, frame by frame and vertex by vertex. `rest` is the box that
/// relative measures refer to.
///
/// # Panics
/// When frame or vertex counts differ; check first where they come from outside.
pub fn compare(original: &dyn PoseSource, approximation: &dyn PoseSource, rest: Bounds) -> Measured {
    let (frames, vertices) = (original.frame_count(), original.vertex_count());
    assert_eq!(frames, approximation.frame_count(), "frames");
    assert_eq!(vertices, approximation.vertex_count(), "vertices");
    // Counts are whole numbers, so that it does not matter in which order they are added.
    let spread = Mutex::new(Spread::new(rest));
    let distances = || -> Vec<FrameSums> {
        let buffers = || (vec![Vec3::ZERO; vertices], vec![Vec3::ZERO; vertices], Spread::new(rest));
        let of_frame = |(p, q, here): &mut (Vec<Vec3>, Vec<Vec3>, Spread), frame| {
            original.pose_into(frame, p);
            approximation.pose_into(frame, q);
            here.clear();
            let sums = frame_sums(p, q, here);
            spread.lock().unwrap_or_else(PoisonError::into_inner).add(here);
            sums
        };
        (0..frames).into_par_iter().map_init(buffers, of_frame).collect()
    };
    // What is added up in one order, frame after frame, goes on beside what is not.
    let (motion, sums) = rayon::join(|| motion_energy(original), distances);
    let mut totals = Totals::new(spread.into_inner().unwrap_or_else(PoisonError::into_inner));
    sums.iter().for_each(|s| totals.add(s));
    let error = totals.measure(motion, vertices, rest);
    let per_frame = sums.iter().map(|s| s.percent(vertices, rest)).collect();
    Measured { error, per_frame }
}

/// What frames add up to.
#[derive(Clone)]
pub(super) struct Totals {
    pub frames: usize,
    squares: f64,
    distances: f64,
    /// The largest distance, its frame and vertex.
    worst: (f64, usize, usize),
    pub spread: Spread,
}

impl Totals {
    /// Of no frames, with what is known of how distances are spread.
    pub fn new(spread: Spread) -> Self {
        Self { frames: 0, squares: 0.0, distances: 0.0, worst: (0.0, 0, 0), spread }
    }

    /// Adds the next frame.
    pub fn add(&mut self, frame: &FrameSums) {
        self.squares += frame.squares;
        self.distances += frame.distances;
        if frame.worst.0 > self.worst.0 {
            self.worst = (frame.worst.0, self.frames, frame.worst.1);
        }
        self.frames += 1;
    }

    /// The measures, given the energy of the original's motion.
    pub fn measure(&self, motion: f64, vertices: usize, rest: Bounds) -> ErrorMeasure {
        let (diagonal, side) = (rest.diagonal(), rest.longest_side());
        let count = (self.frames * vertices).max(1) as f64;
        // What single precision rounds away is no error of a mesh that stands still.
        let rounding = 3.0 * count * (1e-6 * (diagonal + rest.center().length())).powi(2);
        let still = motion == 0.0 && self.squares <= rounding;
        let norm = self.squares.sqrt();
        ErrorMeasure {
            percent: if still { 0.0 } else { 100.0 * ratio(norm, motion.sqrt()) },
            rms: 1000.0 * ratio(2.0 * norm / (3.0 * count).sqrt(), diagonal),
            mean: 100.0 * ratio(self.distances / count, diagonal),
            // A share of the counts is known up to the width of a step, the largest exactly.
            p99: 100.0 * ratio(self.spread.above(0.01).min(self.worst.0), diagonal),
            max: 100.0 * ratio(self.worst.0, diagonal),
            max_frame: self.worst.1,
            max_vertex: self.worst.2,
            accu: 100.0 * ratio(self.distances / count, side),
        }
    }
}

/// 0/0 is no error, not an undefined one.
fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a / b }
}

pub(super) fn frame_sums(p: &[Vec3], q: &[Vec3], spread: &mut Spread) -> FrameSums {
    let mut sums = FrameSums::default();
    for (i, (a, b)) in p.iter().zip(q).enumerate() {
        let square = (a.as_dvec3() - b.as_dvec3()).length_squared();
        let distance = square.sqrt();
        sums.squares += square;
        sums.distances += distance;
        spread.count(distance);
        if distance > sums.worst.0 {
            sums.worst = (distance, i);
        }
    }
    sums
}

/// ‖P − mean over time of P‖², the denominator of percent.
pub(crate) fn motion_energy(source: &dyn PoseSource) -> f64 {
    let mut pose = vec![Vec3::ZERO; source.vertex_count()];
    let mut energy = MotionEnergy::default();
    for frame in 0..source.frame_count() {
        source.pose_into(frame, &mut pose);
        energy.add(&pose);
    }
    energy.total()
}

/// Adds up the energy of a motion frame by frame.
#[derive(Default)]
pub(super) struct MotionEnergy {
    /// Sums are taken relative to the first frame, so that a mesh far from the origin loses no digits.
    first: Vec<Vec3>,
    sum: Vec<DVec3>,
    squares: f64,
    frames: usize,
}

impl MotionEnergy {
    /// Adds the next frame.
    pub fn add(&mut self, pose: &[Vec3]) {
        if self.frames == 0 {
            self.first = pose.to_vec();
            self.sum = vec![DVec3::ZERO; pose.len()];
        }
        for ((s, p), f) in self.sum.iter_mut().zip(pose).zip(&self.first) {
            let d = p.as_dvec3() - f.as_dvec3();
            *s += d;
            self.squares += d.length_squared();
        }
        self.frames += 1;
    }

    /// ‖P − mean over time of P‖² of the frames so far.
    pub fn total(&self) -> f64 {
        let mean: f64 = self.sum.iter().map(|s| s.length_squared()).sum::<f64>() / self.frames.max(1) as f64;
        (self.squares - mean).max(0.0)
    }
}

#[cfg(test)]
#[path = "../../tests/unit/animation_measure.rs"]
mod tests;
