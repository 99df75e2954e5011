//! The digest before each sample, by which readers tell that two are alike: MurmurHash3 of Austin Appleby,
//! which he placed in the public domain, in its variant of 128 bits for 64-bit machines, with seed 0.

const C1: u64 = 0x87C3_7B91_1142_53D5;
const C2: u64 = 0x4CF5_AD43_2745_937F;

/// Digest of some bytes.
pub(super) fn digest(bytes: &[u8]) -> [u8; 16] {
    let (mut h1, mut h2) = (0_u64, 0_u64);
    let (blocks, tail) = bytes.as_chunks::<16>();
    for block in blocks {
        let [k1, k2] = halves(block);
        h1 = (h1 ^ mix1(k1)).rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52DC_E729);
        h2 = (h2 ^ mix2(k2)).rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5AB5);
    }
    let mut last = [0; 16];
    last[..tail.len()].copy_from_slice(tail);
    let [k1, k2] = halves(&last);
    // What is not there mixes to zero.
    h2 ^= mix2(k2) ^ bytes.len() as u64;
    h1 ^= mix1(k1) ^ bytes.len() as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    (h1, h2) = (finish(h1), finish(h2));
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    let mut out = [0; 16];
    out[..8].copy_from_slice(&h1.to_le_bytes());
    out[8..].copy_from_slice(&h2.to_le_bytes());
    out
}

fn halves(block: &[u8; 16]) -> [u64; 2] {
    let both = u128::from_le_bytes(*block);
    [both as u64, (both >> 64) as u64]
}

fn mix1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

fn mix2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

fn finish(mut k: u64) -> u64 {
    k = (k ^ k >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    k = (k ^ k >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    k ^ k >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digests as another program stored them before the same numbers.
    #[test]
    fn digests_are_those_of_other_writers() {
        let of_one = [22, 254, 116, 131, 144, 92, 206, 122, 133, 103, 14, 67, 228, 103, 136, 119];
        assert_eq!(digest(&[1]), of_one);
        let faces: Vec<u8> = [0_i32, 2, 4].iter().flat_map(|f| f.to_le_bytes()).collect();
        let of_faces = [46, 37, 125, 206, 204, 145, 89, 12, 191, 91, 8, 110, 184, 201, 252, 118];
        assert_eq!(digest(&faces), of_faces);
        let counts: Vec<u8> = [4_i32; 6].iter().flat_map(|f| f.to_le_bytes()).collect();
        assert_eq!(digest(&counts)[..4], [0x4C, 0x85, 0xA2, 0x9C]);
    }
}
