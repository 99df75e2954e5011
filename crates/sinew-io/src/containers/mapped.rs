//! Numbers in memory without being read: caches may be larger than memory.

use super::bytes::Bytes;

/// Little-endian floats in the middle of a file.
pub(crate) struct Floats {
    bytes: Bytes,
    start: usize,
    count: usize,
}

impl Floats {
    /// The values; none where they are out of alignment or in another byte order. The caller has checked that they
    /// are there.
    pub fn new(bytes: &Bytes, start: usize, count: usize) -> Option<Self> {
        let values = &bytes[start..start + 4 * count];
        if cfg!(target_endian = "big") || bytemuck::try_cast_slice::<u8, f32>(values).is_err() {
            return None;
        }
        Some(Self { bytes: bytes.clone(), start, count })
    }
}

impl AsRef<[f32]> for Floats {
    fn as_ref(&self) -> &[f32] {
        bytemuck::cast_slice(&self.bytes[self.start..self.start + 4 * self.count])
    }
}
