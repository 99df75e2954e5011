//! Plain lines, read in one go. Sequences are gigabytes of these, and all others may take their time.
//!
//! Everything here either reads a line as the thorough reader does, to the same bits, or leaves it to that.

use glam::Vec3;

/// Powers of ten that doubles hold exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Reads `v x y z` and the end of its line. Returns the bytes that takes.
pub(super) fn vertex(line: &[u8]) -> Option<(Vec3, usize)> {
    let mut at = line.starts_with(b"v ").then_some(2)?;
    let mut place = [0.0; 3];
    for value in &mut place {
        at += blanks(&line[at..]);
        let (number, length) = float(&line[at..])?;
        *value = number;
        at += length;
        // A number ends where a blank or the line's end says so.
        matches!(line.get(at), None | Some(b' ' | b'\n' | b'\r')).then_some(())?;
    }
    Some((Vec3::from_array(place), at + end(&line[at..])?))
}

/// Reads `f` and the vertices of the corners, whatever they have behind a slash. Returns the bytes that takes and
/// the largest index, counted from 1.
pub(super) fn face(line: &[u8], count: usize, corners: &mut Vec<u32>) -> Option<(usize, usize)> {
    let mut at = line.starts_with(b"f ").then_some(2)?;
    let mut largest = 0;
    loop {
        at += blanks(&line[at..]);
        if let Some(length) = end(&line[at..]) {
            return Some((at + length, largest));
        }
        let negative = line[at] == b'-';
        at += usize::from(negative);
        let digits = line[at..].iter().take_while(|b| b.is_ascii_digit()).count();
        // Nine digits fit into 32 bits.
        if !(1..=9).contains(&digits) {
            return None;
        }
        let index = line[at..at + digits].iter().fold(0, |sum, digit| 10 * sum + usize::from(digit - b'0'));
        let index = if negative { (count + 1).checked_sub(index)? } else { index };
        at += digits;
        let behind = line[at..].iter().take_while(|b| matches!(b, b'/' | b'-' | b'0'..=b'9')).count();
        if (behind > 0 && line[at] != b'/') || index == 0 || index >= u32::MAX as usize {
            return None;
        }
        at += behind;
        if !matches!(line.get(at), None | Some(b' ' | b'\n' | b'\r')) {
            return None;
        }
        largest = largest.max(index);
        corners.push(index as u32 - 1);
    }
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| **b == b' ').count()
}

/// The length of an end of line, with blanks before it.
fn end(bytes: &[u8]) -> Option<usize> {
    let at = blanks(bytes);
    match bytes.get(at..)? {
        [] => Some(at),
        [b'\r', b'\n', ..] => Some(at + 2),
        [b'\r' | b'\n', ..] => Some(at + 1),
        _ => None,
    }
}

/// Reads a number as the standard library does, and returns its length; `None` where it is not sure to the last
/// bit.
fn float(bytes: &[u8]) -> Option<(f32, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let mut at = usize::from(negative);
    let start = at;
    let (mut digits, mut decimals) = (0_u64, 0_i32);
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    let mut count = at - start;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let first = at;
        while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
            at += 1;
        }
        decimals = (at - first) as i32;
        count += at - first;
    }
    // More digits may not fit into 64 bits, and none is no number.
    if !(1..=19).contains(&count) {
        return None;
    }
    let mut exponent = -decimals;
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let (length, value) = exponent_of(&bytes[at + 1..])?;
        at += 1 + length;
        exponent += value;
    }
    let value = scaled(digits, exponent)?;
    Some((if negative { -value } else { value }, at))
}

fn exponent_of(bytes: &[u8]) -> Option<(usize, i32)> {
    let sign = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
    let digits = bytes[sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let value = bytes[sign..sign + digits].iter().fold(0, |sum, digit| 10 * sum + i32::from(digit - b'0'));
    Some((sign + digits, if bytes[0] == b'-' { -value } else { value }))
}

/// Digits times a power of ten, rounded to the nearest f32.
fn scaled(digits: u64, exponent: i32) -> Option<f32> {
    if digits == 0 {
        return Some(0.0);
    }
    // Both are exact, so that one operation rounds once.
    let power = EXACT.get(exponent.unsigned_abs() as usize).filter(|_| digits <= 1 << 53)?;
    let double = if exponent < 0 { digits as f64 / power } else { digits as f64 * power };
    // Rounding again, to f32, goes wrong only where the first rounding ended halfway between two of them.
    let halfway = double.to_bits() & 0x1FFF_FFFF == 0x1000_0000;
    let normal = (f64::from(f32::MIN_POSITIVE)..f64::from(f32::MAX)).contains(&double);
    (normal && !halfway).then_some(double as f32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn plain_lines_are_read_and_others_left() {
        assert_eq!(vertex(b"v 1 -2.5 3e-1\nv"), Some((Vec3::new(1.0, -2.5, 0.3), 14)));
        assert_eq!(vertex(b"v  1  2  3  \r\n"), Some((Vec3::new(1.0, 2.0, 3.0), 14)));
        assert_eq!(vertex(b"v 1 2 3"), Some((Vec3::new(1.0, 2.0, 3.0), 7)));
        for left in [
            "v 1 2\n",
            "v 1 2 3 1\n",
            "v 1 2 3#\n",
            "v 1 2 x\n",
            "vt 1 2 3\n",
            "v 1 2 3\\\n",
            "v\t1 2 3\n",
            "v 1 2 nan\n",
        ] {
            assert_eq!(vertex(left.as_bytes()), None, "{left:?}");
        }
        let read = |line: &str| {
            let mut corners = Vec::new();
            face(line.as_bytes(), 9, &mut corners).map(|found| (found, corners))
        };
        assert_eq!(read("f 1 2 3\n"), Some(((8, 3), vec![0, 1, 2])));
        assert_eq!(read("f 1/7/8 5//9 -1/2 \r\nx"), Some(((20, 9), vec![0, 4, 8])));
        for left in [
            "f 1 2 0\n",
            "f 1 2 x\n",
            "f 1 2 -10\n",
            "f 1 2 3 # x\n",
            "f 1 2 3/a\n",
            "f 1 2 3\\\n",
            "f 1 2 9999999999\n",
        ] {
            assert_eq!(read(left), None, "{left:?}");
        }
    }

    proptest! {
        #[test]
        fn numbers_have_the_bits_that_the_standard_library_gives(bits: u32, digits in 0_usize..9, scientific: bool) {
            let value = f32::from_bits(bits);
            let texts =
                [format!("{value}"), format!("{value:.digits$}"), format!("{value:e}"), format!("{:.12}", f64::from(value))];
            for text in texts.iter().take(if scientific { 4 } else { 2 }) {
                if let Some((number, length)) = float(text.as_bytes()) {
                    prop_assert_eq!(length, text.len());
                    prop_assert_eq!(number.to_bits(), text.parse::<f32>().unwrap().to_bits(), "{}", text);
                }
            }
        }

        #[test]
        fn decimals_have_the_bits_that_the_standard_library_gives(text in "-?[0-9]{1,8}\\.[0-9]{0,12}(e-?[0-9]{1,2})?") {
            if let Some((number, length)) = float(text.as_bytes()) {
                prop_assert_eq!(length, text.len());
                prop_assert_eq!(number.to_bits(), text.parse::<f32>().unwrap().to_bits());
            }
        }
    }
}
