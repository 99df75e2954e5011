//! Elements of a few bytes each, as differences from the element before.
//!
//! Version 0 takes differences byte by byte. Version 1, which `KHR_meshopt_compression` adds, chooses for every four
//! bytes of an element between differences of bytes, of 16-bit numbers, and of bits; and in each block, for every
//! byte, between two tables of widths, zeros, and bytes as they are. Both are read; version 0 is written, as more
//! readers know it.

/// First byte of a stream: this, and the version.
const HEADER: u8 = 0xa0;
/// Elements that share one header entry.
const GROUP: usize = 16;
/// What follows the last block is at least as long as this, in version 0.
const SHORTEST_TAIL: usize = 32;
/// The same in version 1.
const SHORTEST_TAIL_1: usize = 24;
/// Bits of a difference by its group's header entry, in version 0.
const WIDTHS: [u32; 4] = [0, 2, 4, 8];
/// In version 1, by what the block says of the byte.
const WIDTHS_1: [[u32; 4]; 2] = [[0, 1, 2, 4], [1, 2, 4, 8]];

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
    let (&header, body) = stream.split_first()?;
    let version = header.checked_sub(HEADER).filter(|version| *version <= 1)?;
    if !is_stride(stride) {
        return None;
    }
    // The first element, in version 1 followed by how each four of its bytes were packed.
    let (channels, shortest) = if version == 0 { (0, SHORTEST_TAIL) } else { (stride / 4, SHORTEST_TAIL_1) };
    let tail = (stride + channels).max(shortest);
    // Every byte of an element takes at least two bits a group, or a share of its block's, which bounds what is set aside.
    let length = count.checked_mul(stride).filter(|length| length / (4 * GROUP * GROUP) <= stream.len())?;
    let mut rest = body.get(..body.len().checked_sub(tail)?)?;
    let (first, channels) = body[body.len() - stride - channels..].split_at(stride);
    let mut last = first.to_vec();
    let mut out = vec![0; length];
    for block in out.chunks_mut(stride * block_elements(stride)) {
        let controls = split(&mut rest, channels.len())?;
        let elements = block.len() / stride;
        for four in 0..stride / 4 {
            let mut deltas = [const { Vec::new() }; 4];
            for (byte, deltas) in deltas.iter_mut().enumerate() {
                *deltas = match controls.get(four).map(|control| control >> (2 * byte) & 3) {
                    None => decode_deltas(&mut rest, elements, WIDTHS)?,
                    Some(2) => vec![0; elements],
                    Some(3) => split(&mut rest, elements)?.to_vec(),
                    Some(table) => decode_deltas(&mut rest, elements, WIDTHS_1[usize::from(table)])?,
                };
            }
            let channel = Channel::of(channels.get(four).copied().unwrap_or(0))?;
            for (element, bytes) in block.chunks_exact_mut(stride).enumerate() {
                let delta = [0, 1, 2, 3].map(|byte| deltas[byte][element]);
                let last = &mut last[4 * four..4 * four + 4];
                let value = channel.undo(delta, [last[0], last[1], last[2], last[3]]);
                last.copy_from_slice(&value);
                bytes[4 * four..4 * four + 4].copy_from_slice(&value);
            }
        }
    }
    rest.is_empty().then_some(out)
}

/// How four bytes of an element differ from those of the element before.
#[derive(Clone, Copy)]
enum Channel {
    Bytes,
    Shorts,
    /// Bits that changed, turned by so many.
    Bits(u32),
}

impl Channel {
    fn of(code: u8) -> Option<Self> {
        match code & 3 {
            0 => Some(Self::Bytes),
            1 => Some(Self::Shorts),
            2 => Some(Self::Bits(u32::from(code >> 4))),
            _ => None,
        }
    }

    fn undo(self, delta: [u8; 4], last: [u8; 4]) -> [u8; 4] {
        match self {
            Self::Bytes => [0, 1, 2, 3].map(|i| last[i].wrapping_add(unzigzag(delta[i]))),
            Self::Shorts => {
                let short = |i: usize| {
                    let delta = u16::from_le_bytes([delta[i], delta[i + 1]]);
                    let delta = if delta & 1 == 0 { delta >> 1 } else { !(delta >> 1) };
                    u16::from_le_bytes([last[i], last[i + 1]]).wrapping_add(delta).to_le_bytes()
                };
                let [[a, b], [c, d]] = [short(0), short(2)];
                [a, b, c, d]
            }
            Self::Bits(turn) => {
                (u32::from_le_bytes(delta).rotate_right(turn) ^ u32::from_le_bytes(last)).to_le_bytes()
            }
        }
    }
}

fn split<'a>(from: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (some, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(some)
}

/// Two header bits for each group, then the groups.
fn decode_deltas(from: &mut &[u8], elements: usize, widths: [u32; 4]) -> Option<Vec<u8>> {
    let groups = elements.div_ceil(GROUP);
    let header = split(from, groups.div_ceil(4))?;
    let mut deltas = Vec::with_capacity(groups * GROUP);
    for group in 0..groups {
        let mode = header[group / 4] >> (2 * (group % 4)) & 3;
        deltas.extend(decode_group(from, widths[usize::from(mode)])?);
    }
    Some(deltas)
}

fn decode_group(from: &mut &[u8], bits: u32) -> Option<[u8; GROUP]> {
    let mut group = [0; GROUP];
    if bits == 0 {
        return Some(group);
    }
    if bits == 8 {
        group.copy_from_slice(split(from, GROUP)?);
        return Some(group);
    }
    let (sentinel, each) = ((1_u8 << bits) - 1, 8 / bits as usize);
    let packed = split(from, GROUP / each)?;
    for (i, delta) in group.iter_mut().enumerate() {
        // The first is in the highest bits, but for single bits.
        let place = if bits == 1 { i % each } else { each - 1 - i % each };
        let value = packed[i / each] >> (bits as usize * place) & sentinel;
        *delta = if value == sentinel { split(from, 1)?[0] } else { value };
    }
    Some(group)
}
