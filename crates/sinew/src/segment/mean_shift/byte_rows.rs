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
mod tests {
    use super::*;

    #[test]
    fn distances_are_exact_and_bounded() {
        let a: Vec<u8> = (0..CHUNK * 5).map(|i| (i * 37 % 251) as u8).collect();
        let b: Vec<u8> = (0..CHUNK * 5).map(|i| (i * 91 % 253) as u8).collect();
        let plain: u32 = a.iter().zip(&b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
        assert_eq!(l1_within(&a, &b, plain + 1), Some(plain));
        assert_eq!(l1_within(&a, &b, plain), None);
        assert_eq!(l1_within_body(&a, &b, plain + 1), Some(plain));
    }

    #[test]
    fn bytes_keep_the_mean_difference() {
        let a: Vec<f32> = (0..432).map(|i| (i as f32 * 0.37).sin()).collect();
        let b: Vec<f32> =
            a.iter().enumerate().map(|(i, x)| 0.98 * x + 0.02 * (i as f32 * 0.2).cos()).collect();
        let plain: f32 = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum();
        let bytes = |row: &[f32]| -> Vec<u8> { row.iter().map(|x| to_byte(*x)).chain([0; 16]).collect() };
        let got = l1_within(&bytes(&a), &bytes(&b), u32::MAX).unwrap() as f32 / STEPS;
        assert!((got - plain).abs() < 0.05 * plain, "{got} against {plain}");
    }
}
