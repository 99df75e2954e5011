//! Mean shift over rotation sequences (James and Twigg 2005, section 4.2).
//!
//! Every triangle is a point in 9S dimensions and climbs to a mode of the density; modes that enough
//! triangles reach are bones. The bandwidth is h = 9Sε in the L1 distance, so that ε is the mean
//! difference of matrix entries, and the kernel falls linearly to zero at h.
//!
//! Departures from the paper:
//! - near-copies are gathered first (`rotation_rows`) and climb as one, instead of approximate
//!   neighbours by hashing; the result does not depend on chance;
//! - distances are measured on bytes (`byte_rows`);
//! - a row that lies clearly at a mode already found is counted to it without climbing, and a path ends
//!   when it comes within 5 % of h of one;
//! - the paper does not say how a mode becomes significant: here, when at least `min_share` of the
//!   triangles end within h/4 of it.

mod byte_rows;
mod rotation_rows;

use rayon::prelude::*;

use self::rotation_rows::{Rows, Sequences};
use super::{
    CountRule, Facts, MeanShiftTuning, NO_BONE, SegmentOptions, Segmentation, Segmented, Segmenter,
    SurfaceMotion, TUNING, TriangleRotations, needed, split_and_merge,
};
use crate::geometry::grouped::largest_first;
use crate::progress::{Cancelled, Progress, in_parallel};

const TUNED: MeanShiftTuning = TUNING.mean_shift;

/// [`mean_shift()`] in the table.
pub struct MeanShift;

impl Segmenter for MeanShift {
    fn facts(&self) -> Facts {
        let about = "Triangles that turn alike (James and Twigg 2005)";
        Facts {
            start: Some("mean-shift"),
            skeleton: Some("mean-shift"),
            // The L1 distance between matrices depends on the axes.
            rigid_invariant: false,
            ..Facts::new("mean-shift", about, CountRule::Optional)
        }
    }

    fn segment(&self, motion: SurfaceMotion, options: &SegmentOptions, progress: &dyn Progress) -> Segmented {
        if options.count.is_some() {
            needed(options, usize::MAX)?;
        }
        let first = progress.part(0.0, if options.count.is_some() { 0.8 } else { 1.0 });
        let mut found = mean_shift(motion, DEFAULT_EPSILON, &first)?;
        if let Some(count) = options.count {
            found = split_and_merge(motion, &found, count, options.rigid, &progress.part(0.8, 1.0))?;
        }
        Ok(found.labels(motion.triangles, motion.rest.len()))
    }
}

/// The usual rotation tolerance.
pub const DEFAULT_EPSILON: f64 = 0.05;

/// Clusters triangles by how they turn.
///
/// `epsilon` is the rotation tolerance ε: the mean difference of rotation matrix entries within the reach of a bone.
/// Smaller finds more bones, down to about 0.05.
///
/// # Errors
/// [`Cancelled`].
pub fn mean_shift(
    motion: SurfaceMotion,
    epsilon: f64,
    progress: &dyn Progress,
) -> Result<Segmentation, Cancelled> {
    let SurfaceMotion { frames, triangles, rest } = motion;
    let sequences = Sequences { rotations: &TriangleRotations::new(triangles, rest), triangles, frames };
    // Entries differ by 2 at most, so a wider tolerance changes nothing; one finer than bytes resolves
    // cannot be measured.
    let epsilon = epsilon.clamp(1e-3, 2.0);
    let h = |frames: usize| (9.0 * frames as f64 * epsilon) as f32;
    let memory = 4 * frames.flat().len() + (64 << 20);
    let rows =
        rotation_rows::gather(&sequences, TUNED.gather * h(frames.len()), memory, &progress.part(0.0, 0.2))?;
    let modes = find_modes(&rows, (h(rows.frames) * byte_rows::STEPS) as u32, &progress.part(0.2, 1.0))?;
    let needed = (TUNED.min_share * triangles.len() as f64) as f32;
    let bone_count = modes.weights.iter().filter(|w| **w >= needed).count();
    let significant = |&mode: &u32| (mode as usize) < bone_count;
    // Triangles without a rotation have no row.
    let bone = |&row: &u32| modes.mode_of_row.get(row as usize).copied().filter(significant);
    let bone_of_triangle: Vec<u32> =
        rows.row_of_triangle.iter().map(|row| bone(row).unwrap_or(NO_BONE)).collect();
    let near = bone_of_triangle.iter().filter(|&&b| b != NO_BONE).count();
    let near_rigid_fraction = near as f64 / triangles.len() as f64;
    Ok(Segmentation { bone_count, near_rigid_fraction, bone_of_triangle })
}

/// Modes of the density, the most reached first.
struct Modes {
    /// Triangles that end at each mode.
    weights: Vec<f32>,
    /// Mode of each row.
    mode_of_row: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;
/// Rows that climb side by side between two tellings of how far it is.
const AT_ONCE: usize = 64;

/// Climbs from the rows, the heaviest first. Rows that turn out to lie at a mode already found need not
/// climb themselves; rounds grow, so that the modes that take most rows are known early.
fn find_modes(rows: &Rows, h: u32, progress: &dyn Progress) -> Result<Modes, Cancelled> {
    let mut left = largest_first(rows.len(), |row| f64::from(rows.weights[row]));
    let mut mode_of_row = vec![UNKNOWN; rows.len()];
    let mut modes: Vec<Vec<u8>> = Vec::new();
    let mut round = 32;
    while !left.is_empty() {
        let starts: Vec<usize> = left.drain(..round.min(left.len())).collect();
        let mut ends: Vec<Vec<u8>> = Vec::with_capacity(starts.len());
        for some in starts.chunks(AT_ONCE) {
            let waiting = left.len() + starts.len() - ends.len();
            progress.advance(1.0 - waiting as f64 / rows.len() as f64);
            let climbed = some
                .par_iter()
                .map_init(|| Climber::new(rows), |c, &row| c.climb(rows, h, row, &modes, progress))
                .collect::<Result<Vec<_>, Cancelled>>()?;
            ends.extend(climbed);
        }
        let known = modes.len();
        let reached: Vec<Option<usize>> =
            ends.par_iter().map(|end| nearest_within(end, &modes, h / 4)).collect();
        for ((&row, end), reached) in starts.iter().zip(ends).zip(reached) {
            let new = || nearest_within(&end, &modes[known..], h / 4).map(|m| known + m);
            let mode = reached.or_else(new);
            mode_of_row[row] = mode.unwrap_or(modes.len()) as u32;
            if mode.is_none() {
                modes.push(end);
            }
        }
        let at_mode =
            in_parallel(progress, left.len(), |i| Ok(clearly_nearest(rows.row(left[i]), &modes, known, h)))?;
        for (&row, mode) in left.iter().zip(at_mode) {
            mode_of_row[row] = mode.unwrap_or(UNKNOWN);
        }
        left.retain(|&row| mode_of_row[row] == UNKNOWN);
        progress.advance(1.0 - left.len() as f64 / rows.len() as f64);
        round = (2 * round).min(2048);
    }
    Ok(order_by_weight(rows, mode_of_row, modes.len()))
}

/// The mode that a row will reach without doubt: within h/2, and any other at least half as far again. Only
/// modes from `first_new` on are news to the row.
fn clearly_nearest(row: &[u8], modes: &[Vec<u8>], first_new: usize, h: u32) -> Option<u32> {
    let best = nearest_within(row, &modes[first_new..], h / 2)? + first_new;
    let distance = byte_rows::l1_within(row, &modes[best], h)?;
    let rival = |(i, m): (usize, &Vec<u8>)| {
        i != best && byte_rows::l1_within(row, m, distance + distance / 2).is_some()
    };
    (!modes.iter().enumerate().any(rival)).then_some(best as u32)
}

/// Index of the nearest point within `reach`.
fn nearest_within(row: &[u8], points: &[Vec<u8>], reach: u32) -> Option<usize> {
    let mut best = (reach, None);
    for (i, point) in points.iter().enumerate() {
        if let Some(distance) = byte_rows::l1_within(row, point, best.0) {
            best = (distance, Some(i));
        }
    }
    best.1
}

/// Scratch for climbing.
struct Climber {
    point: Vec<u8>,
    next: Vec<u8>,
    mean: Vec<f32>,
    /// Where `candidates` was gathered.
    origin: Vec<u8>,
    /// Rows within 5h/4 of `origin`: all that can lie within h of a point up to h/4 away from it.
    candidates: Vec<(u32, u32)>,
}

impl Climber {
    fn new(rows: &Rows) -> Self {
        let empty = || vec![0; rows.stride];
        let mean = vec![0.0; rows.stride];
        Self { point: empty(), next: empty(), mean, origin: empty(), candidates: Vec::new() }
    }

    /// Follows the density uphill from a row. Ends early when it comes near a mode already known.
    fn climb(
        &mut self,
        rows: &Rows,
        h: u32,
        row: usize,
        known: &[Vec<u8>],
        progress: &dyn Progress,
    ) -> Result<Vec<u8>, Cancelled> {
        self.point.copy_from_slice(rows.row(row));
        self.gather(rows, h);
        let arrive = (TUNED.arrive * h as f32) as u32 + 1;
        for _ in 0..TUNED.steps {
            progress.check()?;
            if byte_rows::l1_within(&self.point, &self.origin, h / 4).is_none() {
                self.gather(rows, h);
            }
            self.step(rows, h);
            let arrived = byte_rows::l1_within(&self.point, &self.next, arrive).is_some();
            std::mem::swap(&mut self.point, &mut self.next);
            if arrived || nearest_within(&self.point, known, (TUNED.meet * h as f32) as u32).is_some() {
                break;
            }
        }
        Ok(self.point.clone())
    }

    fn gather(&mut self, rows: &Rows, h: u32) {
        self.origin.copy_from_slice(&self.point);
        self.candidates.clear();
        byte_rows::scan(&self.point, &rows.heads, &rows.bytes, h + h / 4, &mut self.candidates);
    }

    /// One mean shift step, from `point` to `next`: the mean of all rows within h, weighted by how near
    /// they are.
    fn step(&mut self, rows: &Rows, h: u32) {
        let point = &self.point;
        let near = self.candidates.iter().filter_map(|&(i, _)| {
            let distance = byte_rows::l1_within(point, rows.row(i as usize), h)?;
            Some((i as usize, rows.weights[i as usize] * (1.0 - distance as f32 / h as f32)))
        });
        rotation_rows::weighted_mean(rows, near, &mut self.mean, &mut self.next);
    }
}

fn order_by_weight(rows: &Rows, mode_of_row: Vec<u32>, count: usize) -> Modes {
    let mut weights = vec![0.0; count];
    for (&mode, weight) in mode_of_row.iter().zip(&rows.weights) {
        weights[mode as usize] += weight;
    }
    let order = largest_first(count, |mode| f64::from(weights[mode]));
    let mut rank = vec![0; count];
    order.iter().zip(0..).for_each(|(&mode, r)| rank[mode] = r);
    Modes {
        weights: order.iter().map(|&m| weights[m]).collect(),
        mode_of_row: mode_of_row.iter().map(|&m| rank[m as usize]).collect(),
    }
}
