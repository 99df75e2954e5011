//! Compressed blocks of binary files: LZ4, and integers as differences of few bits.
//!
//! A block starts with a count of pieces, zero for a single one; each piece is an LZ4 block. Integers are
//! packed before that: the commonest difference first, then two bits for each number that say whether its
//! difference is that one or how many bytes it takes, then those bytes.

/// What LZ4 can make of one byte at most. No stated size beyond that is believed.
const LARGEST_RATIO: usize = 255;
/// Room that is made before a block is seen to fill it.
const FIRST_ROOM: usize = 1 << 20;
/// Integers any block may hold, and how many more for each of its bytes. Equal differences take hardly any
/// room, so that a small block may hold many: 16 million triangles are a few kilobytes.
const MOST_INTEGERS: usize = 1 << 24;
const MOST_INTEGERS_PER_BYTE: usize = 256;

/// Unpacks a block of at most `size` bytes. `None` where it is damaged.
pub(crate) fn unpack(block: &[u8], size: usize) -> Option<Vec<u8>> {
    if size > block.len().saturating_mul(LARGEST_RATIO).saturating_add(64) {
        return None;
    }
    let (&pieces, mut rest) = block.split_first()?;
    let mut out = Vec::with_capacity(size.min(FIRST_ROOM));
    if pieces == 0 {
        lz4(rest, size, &mut out)?;
    }
    for _ in 0..pieces {
        let (head, tail) = rest.split_at_checked(4)?;
        let length = usize::try_from(i32::from_le_bytes(head.try_into().ok()?)).ok()?;
        let (piece, tail) = tail.split_at_checked(length)?;
        lz4(piece, size, &mut out)?;
        rest = tail;
    }
    Some(out)
}

/// Appends what an LZ4 block holds; `out` may not grow beyond `most` bytes.
fn lz4(mut block: &[u8], most: usize, out: &mut Vec<u8>) -> Option<()> {
    let start = out.len();
    loop {
        let (&token, rest) = block.split_first()?;
        block = rest;
        let literals = length(usize::from(token >> 4), &mut block)?;
        let (literal, rest) = block.split_at_checked(literals)?;
        block = rest;
        if out.len() + literals > most {
            return None;
        }
        out.extend_from_slice(literal);
        // The last sequence ends with its literals.
        if block.is_empty() {
            return Some(());
        }
        let (offset, rest) = block.split_at_checked(2)?;
        block = rest;
        let offset = usize::from(u16::from_le_bytes(offset.try_into().ok()?));
        let copied = length(usize::from(token & 15), &mut block)? + 4;
        if offset == 0 || offset > out.len() - start || out.len() + copied > most {
            return None;
        }
        let from = out.len() - offset;
        if copied <= offset {
            out.extend_from_within(from..from + copied);
        } else {
            (from..from + copied).for_each(|i| out.push(out[i]));
        }
    }
}

/// A length that may go on in further bytes.
fn length(nibble: usize, block: &mut &[u8]) -> Option<usize> {
    let mut length = nibble;
    if nibble < 15 {
        return Some(length);
    }
    loop {
        let (&more, rest) = block.split_first()?;
        *block = rest;
        length += usize::from(more);
        if more < 255 {
            return Some(length);
        }
    }
}

/// Unpacks `count` integers of four bytes, or of eight where `wide`. `None` where they are damaged.
pub(crate) fn integers(block: &[u8], count: usize, wide: bool) -> Option<Vec<i64>> {
    let full = if wide { 8 } else { 4 };
    if count == 0 {
        return Some(Vec::new());
    }
    if count > block.len().saturating_mul(MOST_INTEGERS_PER_BYTE).saturating_add(MOST_INTEGERS) {
        return None;
    }
    let codes = count.checked_mul(2)?.div_ceil(8);
    let size = count.checked_mul(full)?.checked_add(codes)?.checked_add(full)?;
    // A number takes at least the two bits of its code.
    if codes > block.len().saturating_mul(LARGEST_RATIO) {
        return None;
    }
    let bytes = unpack_some(block, size)?;
    let common = number(bytes.get(..full)?)?;
    let codes_at = full..full.checked_add(codes)?;
    let codes = bytes.get(codes_at.clone())?;
    let mut packed = bytes.get(codes_at.end..)?;
    let mut out = Vec::with_capacity(count);
    let mut last = 0_i64;
    for i in 0..count {
        let width = match codes[i / 4] >> (2 * (i % 4)) & 3 {
            0 => 0,
            code => full >> (3 - code),
        };
        let step = if width == 0 {
            common
        } else {
            let (bytes, rest) = packed.split_at_checked(width)?;
            packed = rest;
            number(bytes)?
        };
        last =
            if wide { last.wrapping_add(step) } else { i64::from((last as i32).wrapping_add(step as i32)) };
        out.push(last);
    }
    Some(out)
}

/// Unpacks a block whose size is not known, but at most `most`.
fn unpack_some(block: &[u8], most: usize) -> Option<Vec<u8>> {
    unpack(block, most.min(block.len().saturating_mul(LARGEST_RATIO)))
}

/// A signed number of one, two, four or eight bytes.
fn number(bytes: &[u8]) -> Option<i64> {
    Some(match bytes.len() {
        1 => i64::from(bytes[0] as i8),
        2 => i64::from(i16::from_le_bytes(bytes.try_into().ok()?)),
        4 => i64::from(i32::from_le_bytes(bytes.try_into().ok()?)),
        _ => i64::from_le_bytes(bytes.try_into().ok()?),
    })
}

/// A half float.
pub(crate) fn from_half(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    sign * match exponent {
        0 => fraction * 2.0_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + fraction / 1024.0) * 2.0_f64.powi(exponent - 15),
    }
}

/// The half float nearest to a number, as a number.
pub(crate) fn to_half(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let exponent = x.abs().log2().floor().max(-14.0) as i32;
    let step = 2.0_f64.powi(exponent - 10);
    ((x / step).round_ties_even() * step).clamp(-65504.0, 65504.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_the_nearest() {
        for bits in 0..0x7C00_u16 {
            let x = from_half(bits);
            assert_eq!(to_half(x), x);
            let next = from_half(bits + 1);
            if next.is_finite() {
                assert_eq!(to_half(0.75 * x + 0.25 * next), x, "{bits:x}");
                assert_eq!(to_half(-0.25 * x - 0.75 * next), -next, "{bits:x}");
            }
        }
        assert_eq!(from_half(0x3C00), 1.0);
        assert_eq!(from_half(0xC000), -2.0);
    }

    #[test]
    fn blocks_repeat_what_came_before() {
        // "ab", then four bytes from two back, then "c".
        let block = [0, 0x20, b'a', b'b', 2, 0, 0x10, b'c'];
        assert_eq!(unpack(&block, 7).as_deref(), Some(&b"abababc"[..]));
        assert_eq!(unpack(&block, 6), None);
        for cut in 0..block.len() {
            assert_ne!(unpack(&block[..cut], 7).as_deref(), Some(&b"abababc"[..]));
        }
        assert_eq!(unpack(&[0, 0x20, b'a', b'b', 3, 0, 0x10, b'c'], 7), None, "a copy from before the start");
    }

    #[test]
    fn integers_are_sums_of_differences() {
        // Common difference 1; codes: common, one byte, two bytes, four bytes.
        let packed = [1, 0, 0, 0, 0b11_10_01_00, 0xFE, 0, 1, 0, 0, 1, 0];
        let mut block = vec![0, (packed.len() as u8) << 4];
        block.extend(packed);
        assert_eq!(integers(&block, 4, false), Some(vec![1, -1, 255, 65791]));
        assert_eq!(integers(&block, 5, false), None);
        assert_eq!(integers(&block, usize::MAX, true), None);
    }
}
