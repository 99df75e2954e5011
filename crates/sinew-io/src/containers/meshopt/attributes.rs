//! Elements of a few bytes each, as differences from the element before, byte by byte.

/// First byte of a stream.
const HEADER: u8 = 0xa0;
/// Elements that share one header entry.
const GROUP: usize = 16;
/// The last block is at least as long as this.
const SHORTEST_TAIL: usize = 32;

/// Elements of one block.
fn block_elements(stride: usize) -> usize {
    ((8192 / stride) & !15).min(256)
}

/// Whether elements can have so many bytes.
pub fn is_stride(stride: usize) -> bool {
    stride.is_multiple_of(4) && (4..=256).contains(&stride)
}

/// Packs elements of `stride` bytes.
///
/// # Panics
/// When the stride is not one ([`is_stride`]) or does not divide the length.
pub fn encode(data: &[u8], stride: usize) -> Vec<u8> {
    assert!(is_stride(stride) && data.len().is_multiple_of(stride), "whole elements");
    let mut out = vec![HEADER];
    let first = data.get(..stride).map_or_else(|| vec![0; stride], <[u8]>::to_vec);
    let mut last = first.clone();
    for block in data.chunks(stride * block_elements(stride)) {
        for byte in 0..stride {
            let values = block.iter().skip(byte).step_by(stride);
            let mut deltas = Vec::with_capacity(block.len() / stride + GROUP);
            let mut before = last[byte];
            for &value in values {
                deltas.push(zigzag(value.wrapping_sub(before)));
                before = value;
            }
            last[byte] = before;
            deltas.resize(deltas.len().next_multiple_of(GROUP), 0);
            encode_deltas(&deltas, &mut out);
        }
    }
    out.resize(out.len() + SHORTEST_TAIL.saturating_sub(stride), 0);
    out.extend_from_slice(&first);
    out
}

fn zigzag(v: u8) -> u8 {
    if v & 0x80 == 0 { v << 1 } else { !(v << 1) }
}

fn unzigzag(v: u8) -> u8 {
    if v & 1 == 0 { v >> 1 } else { !(v >> 1) }
}

/// Two header bits for each group, then the groups.
fn encode_deltas(deltas: &[u8], out: &mut Vec<u8>) {
    let header = out.len();
    out.resize(header + (deltas.len() / GROUP).div_ceil(4), 0);
    for (number, group) in deltas.chunks_exact(GROUP).enumerate() {
        let spilled = |from: u8| group.iter().filter(|d| **d >= from).count();
        let zero = group.iter().all(|d| *d == 0);
        let sizes = [if zero { 0 } else { usize::MAX }, 4 + spilled(3), 8 + spilled(15), GROUP];
        let mode = (0..4).min_by_key(|mode| sizes[*mode]).unwrap_or(3);
        out[header + number / 4] |= (mode as u8) << (2 * (number % 4));
        match mode {
            0 => {}
            3 => out.extend_from_slice(group),
            _ => encode_group(group, 2 * mode, out),
        }
    }
}

/// Few bits each; those that do not fit follow whole, and all ones stand for them.
fn encode_group(group: &[u8], bits: usize, out: &mut Vec<u8>) {
    let sentinel = (1_u8 << bits) - 1;
    for some in group.chunks_exact(8 / bits) {
        out.push(some.iter().fold(0, |byte, d| byte << bits | (*d).min(sentinel)));
    }
    out.extend(group.iter().filter(|d| **d >= sentinel));
}

/// Unpacks `count` elements of `stride` bytes; `None` where the stream does not hold them.
pub fn decode(stream: &[u8], count: usize, stride: usize) -> Option<Vec<u8>> {
    let tail = SHORTEST_TAIL.max(stride);
    // Every byte of an element takes at least two bits a group, which bounds what is set aside.
    let length = count.checked_mul(stride).filter(|length| length / (4 * GROUP) <= stream.len())?;
    if !is_stride(stride) || stream.first() != Some(&HEADER) || stream.len() < 1 + tail {
        return None;
    }
    let (mut rest, first) = stream[1..].split_at(stream.len() - 1 - stride);
    // What pads the tail is no data.
    rest = &rest[..rest.len() - (tail - stride)];
    let mut last = first.to_vec();
    let mut out = vec![0; length];
    for block in out.chunks_mut(stride * block_elements(stride)) {
        for byte in 0..stride {
            let elements = block.len() / stride;
            let header = split(&mut rest, elements.div_ceil(GROUP).div_ceil(4))?;
            for (number, group) in block.chunks_mut(stride * GROUP).enumerate() {
                let mode = header[number / 4] >> (2 * (number % 4)) & 3;
                let deltas = decode_group(&mut rest, mode)?;
                for (value, delta) in group.iter_mut().skip(byte).step_by(stride).zip(deltas) {
                    last[byte] = last[byte].wrapping_add(unzigzag(delta));
                    *value = last[byte];
                }
            }
        }
    }
    rest.is_empty().then_some(out)
}

fn split<'a>(from: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (some, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(some)
}

fn decode_group(from: &mut &[u8], mode: u8) -> Option<[u8; GROUP]> {
    let mut group = [0; GROUP];
    if mode == 0 {
        return Some(group);
    }
    if mode == 3 {
        group.copy_from_slice(split(from, GROUP)?);
        return Some(group);
    }
    let bits = 2 * usize::from(mode);
    let (sentinel, each) = ((1_u8 << bits) - 1, 8 / bits);
    let packed = split(from, GROUP / each)?;
    for (i, delta) in group.iter_mut().enumerate() {
        let value = packed[i / each] >> (8 - bits * (i % each + 1)) & sentinel;
        *delta = if value == sentinel { split(from, 1)?[0] } else { value };
    }
    Some(group)
}
