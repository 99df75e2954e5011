//! Unit tests of `segment/mean_shift/byte_rows.rs`, which reach what is private there.

use super::*;

#[test]
fn distances_are_exact_and_bounded() {
    let a: Vec<u8> = (0..CHUNK * 5).map(|i| (i * 37 % 251) as u8).collect();
    let b: Vec<u8> = (0..CHUNK * 5).map(|i| (i * 91 % 253) as u8).collect();
    let plain: u32 = a.iter().zip(&b).map(|(a, b)| u32::from(a.abs_diff(*b))).sum();
    assert_eq!(l1_within(&a, &b, plain + 1), Some(plain));
    assert_eq!(l1_within(&a, &b, plain), None);
    assert_eq!(l1(&a, &b, plain + 1), Some(plain));
}

#[test]
fn bytes_keep_the_mean_difference() {
    let a: Vec<f32> = (0..432).map(|i| (i as f32 * 0.37).sin()).collect();
    let b: Vec<f32> = a.iter().enumerate().map(|(i, x)| 0.98 * x + 0.02 * (i as f32 * 0.2).cos()).collect();
    let plain: f32 = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).sum();
    let bytes = |row: &[f32]| -> Vec<u8> { row.iter().map(|x| to_byte(*x)).chain([0; 16]).collect() };
    let got = l1_within(&bytes(&a), &bytes(&b), u32::MAX).unwrap() as f32 / STEPS;
    assert!((got - plain).abs() < 0.05 * plain, "{got} against {plain}");
}
