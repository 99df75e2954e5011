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

/// The L1 distance of two rows when it is below `limit`. Gives up as soon as it cannot be.
#[inline(always)]
fn l1(a: &[u8], b: &[u8], limit: u32) -> Option<u32> {
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

for_wide_machines!(
    /// The L1 distance of two rows when it is below `limit`.
    pub fn l1_within(a: &[u8], b: &[u8], limit: u32) -> Option<u32> {
        l1(a, b, limit)
    }
);

for_wide_machines!(
    /// Appends index and distance of every row below `limit` from `point`. Rows are as long as the point;
    /// `heads` repeats their first chunks side by side, so that most rows are ruled out in one sweep.
    pub fn scan(point: &[u8], heads: &[u8], rows: &[u8], limit: u32, found: &mut Vec<(u32, u32)>) {
        let (head, tail) = point.split_at(CHUNK);
        let rows = rows.chunks_exact(point.len()).zip(heads.chunks_exact(CHUNK));
        for (i, (row, row_head)) in rows.enumerate() {
            let Some(first) = l1(head, row_head, limit) else { continue };
            if let Some(rest) = l1(tail, &row[CHUNK..], limit - first) {
                found.push((i as u32, first + rest));
            }
        }
    }
);

for_wide_machines!(
    /// `sum += scale · row`.
    pub fn add_scaled(sum: &mut [f32], row: &[u8], scale: f32) {
        sum.iter_mut().zip(row).for_each(|(s, r)| *s += scale * f32::from(*r));
    }
);

#[cfg(test)]
#[path = "../../../tests/unit/segment_mean_shift_byte_rows.rs"]
mod tests;
