//! The inner loops of mean shift, compiled for wide registers where the machine has them.
//!
//! Distances between rotation sequences are measured on bytes: entries lie in −1 to 1 and are rounded to
//! 255 steps. Rounding errors are independent and cancel over the many entries of a sequence (the mean
//! difference is off by about 0.003/√(9S)), the sums are exact integers, the same on every machine, and
//! every processor adds absolute differences of bytes in one instruction.

use crate::wide::for_wide_machines;

/// Bytes summed between two looks at the limit; rows are padded to a multiple of this.
pub const CHUNK: usize = 64;

/// One unit of a matrix entry in byte steps.
pub const STEPS: f32 = 127.0;

/// A matrix entry as a byte.
pub fn to_byte(x: f32) -> u8 {
    (x * STEPS + 128.5) as u8
}

#[inline(always)]
fn l1_within_body(a: &[u8], b: &[u8], limit: u32) -> Option<u32> {
    let mut sum = 0;
    for (a, b) in a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK)) {
        for i in 0..CHUNK {
            sum += u32::from(a[i].abs_diff(b[i]));
        }
        if sum >= limit {
            return None;
        }
    }
    Some(sum)
}

#[inline(always)]
fn scan_body(point: &[u8], heads: &[u8], rows: &[u8], limit: u32, found: &mut Vec<(u32, u32)>) {
    let (head, tail) = point.split_at(CHUNK);
    for (i, row_head) in heads.chunks_exact(CHUNK).enumerate() {
        let Some(first) = l1_within_body(head, row_head, limit) else { continue };
        let row = &rows[i * point.len()..(i + 1) * point.len()];
        if let Some(rest) = l1_within_body(tail, &row[CHUNK..], limit - first) {
            found.push((i as u32, first + rest));
        }
    }
}

#[inline(always)]
fn add_scaled_body(sum: &mut [f32], row: &[u8], scale: f32) {
    for (s, r) in sum.iter_mut().zip(row) {
        *s += scale * f32::from(*r);
    }
}

for_wide_machines! {
    /// The L1 distance of two rows when it is below `limit`. Gives up as soon as it cannot be.
    l1_within, l1_within_body, (a: &[u8], b: &[u8], limit: u32) -> Option<u32>
}

for_wide_machines! {
    /// Appends index and distance of every row below `limit` from `point`. Rows are as long as the point;
    /// `heads` repeats their first chunks side by side, so that most rows are ruled out in one sweep.
    scan, scan_body, (point: &[u8], heads: &[u8], rows: &[u8], limit: u32, found: &mut Vec<(u32, u32)>)
}

for_wide_machines! {
    /// `sum += scale · row`.
    add_scaled, add_scaled_body, (sum: &mut [f32], row: &[u8], scale: f32)
}

#[cfg(test)]
#[path = "../../../tests/unit/segment_mean_shift_byte_rows.rs"]
mod tests;
