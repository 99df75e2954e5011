use proptest::prelude::*;

use super::filters::{self, Filter};
use super::{attributes, indices, triangles};

#[test]
fn an_example_of_the_specification_unpacks_to_what_it_says() {
    // One group of sixteen deltas of one byte, the other three bytes of each element zero.
    let deltas = [0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5];
    let mut stream = vec![0xa0, 0b10];
    stream.extend(deltas);
    stream.extend([0, 0, 0]);
    stream.extend([0; 32]);
    let bytes = attributes::decode(&stream, 16, 4).unwrap();
    let said = [-1_i32, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0];
    let mut sum = 0_i32;
    for (element, delta) in bytes.chunks_exact(4).zip(said) {
        sum += delta;
        assert_eq!(element, [sum as u8, 0, 0, 0]);
    }
    assert_eq!(attributes::encode(&bytes, 4).len(), stream.len());
}

/// Bytes that another encoder wrote, as hexadecimal digits.
fn bytes_of(digits: &str) -> Vec<u8> {
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[test]
fn the_second_version_of_attributes_unpacks_as_its_encoder_packed_it() {
    // By meshoptimizer 1.3, level 3: every kind of channel and of control.
    let stream = bytes_of(concat!(
        "a19a57fdaaba0204444444444444440f00040404040058585858585858585858585858585858585858052aaaaaaaaa00",
        "0000051555555555000000052aaaaaaaaa000000053abeafabb1b6b1b6b1b6ea000000b100af040404b8af040404b8af",
        "040404b8af04040400ad060606baad060606baad060606baad06060600ab080808bcab080808bcab080808bcab080808",
        "00ef53db97a7cb237f5fc3ab87b73bf30fcfb37b0000803fe80360ea5a5a5a5a070000000300003f0001000062"
    ));
    let element = |i: u32| {
        let byte = |k: u32| (i * (k + 1) + if i.is_multiple_of(5) { 90 } else { 0 }) as u8;
        let mut bytes = (1.0 + i as f32 / 64.0).to_le_bytes().to_vec();
        bytes.extend([(1000 + 300 * i) as u16, (60000 - 257 * i) as u16].map(u16::to_le_bytes).concat());
        bytes.extend([byte(0), byte(1), byte(2), byte(3)]);
        bytes.extend(7_u32.to_le_bytes());
        bytes.extend((0x3f00_0003 | ((i * i * 7919) & 255) << 10).to_le_bytes());
        bytes
    };
    let elements: Vec<u8> = (0..20).flat_map(element).collect();
    assert_eq!(attributes::decode(&stream, 20, 20), Some(elements));
    for cut in 1..stream.len() {
        assert_eq!(attributes::decode(&stream[..cut], 20, 20), None, "{cut}");
    }
}

#[test]
fn colours_come_back_as_their_decoder_has_them() {
    let cases = [
        (4, "407fc1ff7f007fc080c100ffff00008034e700b3", "fe0100ff00fe00804180bfffffffff001b344d67"),
        (
            8,
            "0004ff0701fcff0fff070000ff07000c000801fc0000ff0fff0f000000000008340367fe0000330b",
            "efff10000000ffff0000efff0000088014400880fbbfffffffffffffffff0000b2194333d44c7666",
        ),
    ];
    for (stride, filtered, colours) in cases {
        let mut bytes = bytes_of(filtered);
        Filter::Color.undo(&mut bytes, stride);
        // Decoders may differ by one step where a part lies half way between two.
        let parts = |bytes: &[u8]| -> Vec<i32> {
            let part = |part: &[u8]| part.iter().rev().fold(0, |sum, byte| 256 * sum + i32::from(*byte));
            bytes.chunks(stride / 4).map(part).collect()
        };
        let pairs = parts(&bytes).into_iter().zip(parts(&bytes_of(colours)));
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() <= 1), "{:?}", pairs.collect::<Vec<_>>());
    }
}

/// A grid of triangles, row by row.
fn grid(n: u32) -> Vec<u32> {
    let corner = |x: u32, y: u32| y * (n + 1) + x;
    let cells = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
    cells
        .flat_map(|(x, y)| {
            let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x, y + 1), corner(x + 1, y + 1)];
            [a, b, c, b, d, c]
        })
        .collect()
}

fn same_triangles(a: &[u32], b: &[u32]) -> bool {
    let turned = |t: &[u32], by: usize| [t[by], t[(by + 1) % 3], t[(by + 2) % 3]];
    a.len() == b.len() && a.chunks(3).zip(b.chunks(3)).all(|(s, t)| (0..3).any(|by| turned(s, by) == t))
}

#[test]
fn neighbouring_triangles_take_about_a_byte() {
    let corners = grid(40);
    let stream = triangles::encode(&corners);
    assert!(stream.len() < 34 * corners.len() / 3 / 32, "{} for {}", stream.len(), corners.len() / 3);
    assert!(same_triangles(&corners, &triangles::decode(&stream, corners.len()).unwrap()));
}

#[test]
fn filters_are_as_exact_as_their_bits() {
    for k in 0..200 {
        let angle = f32::from(k as u8) * 0.37;
        let (s, c) = angle.sin_cos();
        let (t, d) = (angle * 1.7).sin_cos();
        let vector = [s * t, c * t, d];
        for bits in [8_u32, 12, 16] {
            let step = 1.0 / f32::from(1_u16 << (bits - 1));
            let mut bytes: Vec<u8> = filters::octahedral(vector, bits).map(i16::to_le_bytes).concat();
            Filter::Octahedral.undo(&mut bytes, 8);
            let of = |bytes: &[u8], i: usize| {
                f32::from(i16::from_le_bytes([bytes[2 * i], bytes[2 * i + 1]])) / 32767.0
            };
            assert!((0..3).all(|i| (of(&bytes, i) - vector[i]).abs() < 2.0 * step), "{bits} bits");
            let turn = [s * t, c * t, d * s, d * c];
            let mut bytes: Vec<u8> = filters::quaternion(turn, bits).map(i16::to_le_bytes).concat();
            Filter::Quaternion.undo(&mut bytes, 8);
            let side = (0..4).map(|i| of(&bytes, i) * turn[i]).sum::<f32>().signum();
            assert!((0..4).all(|i| (side * of(&bytes, i) - turn[i]).abs() < 2.0 * step), "{bits} bits");
        }
    }
    let values = [1000.0, -0.5, 3.25, 0.0, 1e-20, -999.999];
    for (step, off) in [(1.0, 0.5), (0.01, 0.005), (1e-3, 5e-4), (1e-12, 1000.0 / 8_388_607.0)] {
        let words = filters::exponential(&values, step);
        let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        Filter::Exponential.undo(&mut bytes, 4);
        for (four, value) in bytes.chunks(4).zip(values) {
            let back = f32::from_le_bytes([four[0], four[1], four[2], four[3]]);
            assert!((back - value).abs() <= off, "{value} became {back} in steps of {step}");
        }
    }
}

proptest! {
    #[test]
    fn attributes_come_back(
        words in 1_usize..20,
        count in 0_usize..600,
        spread in 1_u32..300,
        seed in any::<u32>(),
    ) {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 20) % spread
        };
        let data: Vec<u8> = (0..4 * words * count).map(|i| (next() + i as u32 / 64) as u8).collect();
        let stream = attributes::encode(&data, 4 * words);
        prop_assert_eq!(attributes::decode(&stream, count, 4 * words), Some(data));
    }

    #[test]
    fn any_triangles_and_indices_come_back(
        corners in prop::collection::vec(0_u32..5000, 0..300),
        far in 0_u32..1 << 29,
    ) {
        let corners: Vec<u32> = corners[..corners.len() / 3 * 3].iter().map(|c| c + far).collect();
        let back = triangles::decode(&triangles::encode(&corners), corners.len());
        prop_assert!(same_triangles(&corners, &back.unwrap()));
        prop_assert_eq!(indices::decode(&indices::encode(&corners), corners.len()), Some(corners));
    }

    #[test]
    fn anything_is_unpacked_or_refused(
        mut bytes in prop::collection::vec(any::<u8>(), 0..400),
        header in prop::sample::select(vec![0xa0_u8, 0xa1, 0xe1, 0xd1]),
        count in 0_usize..2000,
        words in 1_usize..64,
    ) {
        if let Some(first) = bytes.first_mut() {
            *first = header;
        }
        let unpacked = attributes::decode(&bytes, count, 4 * words);
        prop_assert!(unpacked.is_none_or(|data| data.len() == 4 * words * count));
        prop_assert!(triangles::decode(&bytes, count).is_none_or(|c| c.len() == count));
        prop_assert!(indices::decode(&bytes, count).is_none_or(|c| c.len() == count));
        prop_assert!(attributes::decode(&bytes, usize::MAX / 2, 256).is_none());
    }
}
