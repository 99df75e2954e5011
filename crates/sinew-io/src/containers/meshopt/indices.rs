//! Indices in any order, as differences from the nearer of the last two that were followed.

use super::varint;

const HEADER: u8 = 0xd1;
/// Kept for later versions of the format.
const TAIL: usize = 4;

/// Packs indices.
///
/// # Panics
/// When an index is 2³⁰ or more.
#[cfg(test)]
pub fn encode(indices: &[u32]) -> Vec<u8> {
    let mut out = vec![HEADER];
    let mut last = [0_u32; 2];
    for &index in indices {
        assert!(index < 1 << 30, "differences of 31 bits");
        let base = usize::from(index.abs_diff(last[1]) < index.abs_diff(last[0]));
        let delta = index.wrapping_sub(last[base]) as i32;
        varint::push(varint::zigzag(delta) << 1 | base as u32, &mut out);
        last[base] = index;
    }
    out.resize(out.len() + TAIL, 0);
    out
}

/// Unpacks `count` indices; `None` where the stream does not hold them.
pub fn decode(stream: &[u8], count: usize) -> Option<Vec<u32>> {
    let data = stream.strip_prefix(&[HEADER])?;
    let mut data = &data[..data.len().checked_sub(TAIL)?];
    if count > data.len() {
        return None;
    }
    let mut last = [0_u32; 2];
    let mut out = Vec::with_capacity(count);
    for _ in 0..count {
        let value = varint::take(&mut data)?;
        let base = (value & 1) as usize;
        last[base] = last[base].wrapping_add(varint::unzigzag(value >> 1) as u32);
        out.push(last[base]);
    }
    data.is_empty().then_some(out)
}
