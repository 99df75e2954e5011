//! Rotation sequences of triangles, near-copies gathered into one row before anything quadratic looks at them.
//!
//! Neighbouring triangles mostly turn alike. Regions of the surface whose sequences agree with a seed
//! within a small share of the bandwidth become one row that counts for all of them; rows that agree are
//! then joined wherever they lie. What follows is exact up to that share, and its cost depends on how
//! many different motions there are, not on how finely the mesh is cut.
//!
//! Noise keeps triangles apart, though: of a capture hardly two turn alike. Where that would take too long, sequences
//! hold every second frame, or third, and so on, and regions that differ more are gathered.
//!
//! Sequences are never stored per triangle, which would take six times the memory of the animation:
//! frames are streamed, once to measure neighbours against each other and once to average regions.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::Mat3;
use rayon::prelude::*;

use super::TUNED;
use super::byte_rows;
use super::byte_rows::CHUNK;
use crate::animation::Frames;
use crate::geometry::grouped::{Lists, largest_first};
use crate::progress::{Cancelled, Progress, in_parallel};
use crate::segment::TriangleRotations;

/// Rows compared side by side.
const BATCH: usize = 512;

/// Marks a triangle without a rotation.
const NO_ROW: u32 = u32::MAX;

/// Weighted rotation sequences that stand for all triangles, rounded to bytes.
pub struct Rows {
    /// Sequence after sequence, each `stride` long. Entries stand in the order of how much they vary, so
    /// that distant rows part early; zeros at the end.
    pub bytes: Vec<u8>,
    /// The first chunks of all rows.
    pub heads: Vec<u8>,
    /// Bytes per row.
    pub stride: usize,
    /// Frames in a sequence: all, or every so many.
    pub frames: usize,
    /// How many triangles each row stands for.
    pub weights: Vec<f32>,
    /// Row of each triangle, [`NO_ROW`] for collapsed ones.
    pub row_of_triangle: Vec<u32>,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    fn new(bytes: Vec<u8>, frames: usize, weights: Vec<f32>, row_of_triangle: Vec<u32>) -> Self {
        let stride = stride_of(frames);
        let heads = bytes.chunks_exact(stride).flat_map(|row| &row[..CHUNK]).copied().collect();
        Self { bytes, heads, stride, frames, weights, row_of_triangle }
    }

    pub fn row(&self, index: usize) -> &[u8] {
        &self.bytes[index * self.stride..(index + 1) * self.stride]
    }
}

/// Rotation sequences that are gathered.
pub struct Sequences<'a> {
    pub rotations: &'a TriangleRotations,
    pub triangles: &'a [[u32; 3]],
    pub frames: &'a Frames,
}

/// Bytes of a sequence of some frames.
fn stride_of(frames: usize) -> usize {
    (9 * frames).next_multiple_of(CHUNK)
}

/// Gathers the rotation sequences of all triangles into rows no farther than about `2·radius` (L1, all frames) from
/// what they stand for. Where comparing all rows would take too long, or they would take more than `memory` bytes, they
/// get shorter and then fewer: frames are passed over, and the radius is widened.
pub fn gather(
    of: &Sequences,
    mut radius: f32,
    memory: usize,
    progress: &dyn Progress,
) -> Result<Rows, Cancelled> {
    let neighbours = measure_neighbours(of, progress)?;
    let all = of.frames.len();
    let (mut regions, mut count) = grow_regions(of.rotations, &neighbours, radius, progress)?;
    let too_many = |count: usize, frames: usize| {
        let (count, stride) = (count as f64, stride_of(frames) as f64);
        count > 64.0 && (count * stride > memory as f64 || count * count * stride > TUNED.most_work)
    };
    let mut step = 1;
    while too_many(count, all.div_ceil(step)) && all.div_ceil(step + 1) >= TUNED.least_frames {
        step += 1;
    }
    let frames = all.div_ceil(step);
    while too_many(count, frames) {
        radius *= TUNED.wider;
        (regions, count) = grow_regions(of.rotations, &neighbours, radius, progress)?;
    }
    progress.advance(0.3);
    let rows = average_regions(of, regions, count, step, progress)?;
    progress.advance(0.5);
    join_rows(rows, radius * frames as f32 / all as f32, &progress.part(0.5, 1.0))
}

/// For each triangle those with a common edge, and how differently they turn.
fn measure_neighbours(of: &Sequences, progress: &dyn Progress) -> Result<Lists<(u32, f32)>, Cancelled> {
    let mut pairs = dual_edges(of.triangles);
    pairs.retain(|pair| pair.iter().all(|&t| of.rotations.is_sound(t as usize)));
    let mut distances = vec![0.0_f32; pairs.len()];
    of.rotations.for_each_frame(of.frames, |_, now| {
        distances.par_iter_mut().zip(&pairs).with_min_len(4096).for_each(|(distance, &[a, b])| {
            *distance += l1(&now[a as usize], &now[b as usize]);
        });
        progress.check()
    })?;
    let measured = pairs.iter().zip(&distances);
    let both = measured.flat_map(|(&[a, b], &distance)| [(a, (b, distance)), (b, (a, distance))]);
    Ok(Lists::grouped(of.triangles.len(), both))
}

fn l1(a: &Mat3, b: &Mat3) -> f32 {
    let d = *a - *b;
    (d.x_axis.abs() + d.y_axis.abs() + d.z_axis.abs()).element_sum()
}

/// Pairs of triangles that share an edge. Where more than two meet, each is paired with the next.
fn dual_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let mut edges: Vec<([u32; 2], u32)> = triangles
        .iter()
        .enumerate()
        .flat_map(|(t, &[a, b, c])| [[a, b], [b, c], [c, a]].map(|[a, b]| ([a.min(b), a.max(b)], t as u32)))
        .collect();
    edges.par_sort_unstable();
    edges.windows(2).filter(|w| w[0].0 == w[1].0 && w[0].1 != w[1].1).map(|w| [w[0].1, w[1].1]).collect()
}

/// Numbers regions of the surface: each grows from a seed over shared edges as long as the distances
/// along the way, which bound the distance to the seed, stay within `radius`. Returns the region of each
/// triangle and their number.
fn grow_regions(
    rotations: &TriangleRotations,
    neighbours: &Lists<(u32, f32)>,
    radius: f32,
    progress: &dyn Progress,
) -> Result<(Vec<u32>, usize), Cancelled> {
    let n = rotations.len();
    let mut region = vec![NO_ROW; n];
    let mut reached = vec![f32::INFINITY; n];
    let mut heap = BinaryHeap::new();
    let mut count = 0;
    for seed in 0..n {
        if seed.is_multiple_of(4096) {
            progress.check()?;
        }
        if region[seed] != NO_ROW || !rotations.is_sound(seed) {
            continue;
        }
        // Distances are not negative, so their bits sort like their values.
        heap.push(Reverse((0_u32, seed as u32)));
        while let Some(Reverse((bits, triangle))) = heap.pop() {
            if region[triangle as usize] != NO_ROW {
                continue;
            }
            region[triangle as usize] = count;
            let so_far = f32::from_bits(bits);
            for &(next, step) in neighbours.of(triangle as usize) {
                let (distance, reached) = (so_far + step, &mut reached[next as usize]);
                if distance <= radius && region[next as usize] == NO_ROW && distance < *reached {
                    *reached = distance;
                    heap.push(Reverse((distance.to_bits(), next)));
                }
            }
        }
        count += 1;
        // A triangle reached but not taken would keep a distance to a seed that is gone; none remains,
        // since everything within the radius was taken.
    }
    Ok((region, count as usize))
}

fn average_regions(
    of: &Sequences,
    regions: Vec<u32>,
    count: usize,
    step: usize,
    progress: &dyn Progress,
) -> Result<Rows, Cancelled> {
    let frames = of.frames.len().div_ceil(step);
    let stride = stride_of(frames);
    let mut weights = vec![0.0_f32; count];
    for &r in regions.iter().filter(|&&r| r != NO_ROW) {
        weights[r as usize] += 1.0;
    }
    let mut bytes = vec![0; count * stride];
    let mut sums = vec![Mat3::ZERO; count];
    of.rotations.for_each_frame(of.frames, |frame, now| {
        if !frame.is_multiple_of(step) {
            return Ok(());
        }
        sums.fill(Mat3::ZERO);
        for (&region, rotation) in regions.iter().zip(now).filter(|(r, _)| **r != NO_ROW) {
            sums[region as usize] += *rotation;
        }
        let at = 9 * (frame / step);
        bytes.par_chunks_mut(stride).zip(&sums).zip(&weights).with_min_len(1024).for_each(
            |((row, sum), weight)| {
                for (byte, x) in row[at..at + 9].iter_mut().zip(sum.to_cols_array()) {
                    *byte = byte_rows::to_byte(x / weight);
                }
            },
        );
        progress.check()
    })?;
    sort_entries(&mut bytes, stride);
    Ok(Rows::new(bytes, frames, weights, regions))
}

/// Puts the entries of all rows in the order of their variance, the largest first.
fn sort_entries(bytes: &mut [u8], stride: usize) {
    let rows = bytes.len() / stride;
    let mut sums = vec![(0_u64, 0_u64); stride];
    for row in bytes.chunks_exact(stride) {
        for (sum, &x) in sums.iter_mut().zip(row) {
            sum.0 += u64::from(x);
            sum.1 += u64::from(x) * u64::from(x);
        }
    }
    let variance = |&(sum, squares): &(u64, u64)| squares as f64 - sum as f64 * sum as f64 / rows as f64;
    let order = largest_first(stride, |i| variance(&sums[i]));
    bytes.par_chunks_exact_mut(stride).for_each_init(
        || vec![0; stride],
        |old, row| {
            old.copy_from_slice(row);
            row.iter_mut().zip(&order).for_each(|(x, &i)| *x = old[i]);
        },
    );
}

/// Joins rows within `radius` of a heavier one.
fn join_rows(rows: Rows, radius: f32, progress: &dyn Progress) -> Result<Rows, Cancelled> {
    let radius = (radius * byte_rows::STEPS) as u32;
    let order = largest_first(rows.len(), |i| f64::from(rows.weights[i]));
    let mut new_index = vec![0_u32; rows.len()];
    // The first of each is the one that others are near to.
    let mut members: Vec<Vec<usize>> = Vec::new();
    let near = |i: usize, m: &[usize]| byte_rows::l1_within(rows.row(i), rows.row(m[0]), radius).is_some();
    for (number, batch) in order.chunks(BATCH).enumerate() {
        progress.advance((number * BATCH) as f64 / order.len() as f64);
        // Those from before are searched side by side, those of the batch itself in order.
        let known = members.len();
        let search = |i: usize| Ok(members.iter().position(|m| near(batch[i], m)));
        let found = in_parallel(progress, batch.len(), search)?;
        for (&i, found) in batch.iter().zip(found) {
            let new = || members[known..].iter().position(|m| near(i, m)).map(|at| known + at);
            let joined = found.or_else(new).unwrap_or(members.len());
            members.resize_with(members.len().max(joined + 1), Vec::new);
            members[joined].push(i);
            new_index[i] = joined as u32;
        }
    }
    let mut bytes = vec![0; members.len() * rows.stride];
    bytes.par_chunks_mut(rows.stride).zip(&members).for_each_init(
        || vec![0.0; rows.stride],
        |mean, (row, members)| weighted_mean(&rows, members.iter().map(|&i| (i, rows.weights[i])), mean, row),
    );
    let weights = members.iter().map(|m| m.iter().map(|&i| rows.weights[i]).sum()).collect();
    let new = |&row: &u32| new_index.get(row as usize).copied().unwrap_or(NO_ROW);
    let row_of_triangle = rows.row_of_triangle.iter().map(new).collect();
    Ok(Rows::new(bytes, rows.frames, weights, row_of_triangle))
}

/// Writes the weighted mean of some rows into `out`; `scratch` is as long. The weights' sum is positive.
pub fn weighted_mean(
    rows: &Rows,
    some: impl Iterator<Item = (usize, f32)>,
    scratch: &mut [f32],
    out: &mut [u8],
) {
    scratch.fill(0.0);
    let mut total = 0.0;
    for (i, weight) in some {
        total += weight;
        byte_rows::add_scaled(scratch, rows.row(i), weight);
    }
    for (byte, x) in out.iter_mut().zip(scratch) {
        *byte = (*x / total + 0.5) as u8;
    }
}
