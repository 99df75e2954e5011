//! Checksums put right, so that what lies behind them is reached.

/// The same records of a `.sinew` file with checksums that fit, as far as lengths lead.
pub fn mend_records(bytes: &[u8]) -> Vec<u8> {
    let mut mended = bytes.to_vec();
    let mut at = 12_usize;
    while let Some(length) = mended.get(at + 4..at + 12) {
        let length = length.iter().rev().fold(0_u64, |sum, b| sum << 8 | u64::from(*b));
        let Some(end) = usize::try_from(length).ok().and_then(|n| n.checked_add(at + 12)) else { break };
        let Some(Some(record)) = end.checked_add(4).map(|after| mended.get(at..after)) else { break };
        let checksum = crc32(&record[..record.len() - 4]);
        mended[end..end + 4].copy_from_slice(&checksum.to_le_bytes());
        at = end + 4;
    }
    mended
}

/// CRC-32 as in PNG.
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| (c >> 1) ^ if c & 1 == 1 { 0xEDB8_8320 } else { 0 })
    })
}
