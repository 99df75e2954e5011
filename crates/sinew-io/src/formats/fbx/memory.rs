//! How much memory a file gets.

/// Memory that any file may need, twice: while it is read and to hold it.
const LEAST_MEMORY: usize = 1 << 28;
/// Memory that each byte of a file may need beyond that. Arrays are compressed, but not to nothing.
const MEMORY_PER_BYTE: usize = 64;

/// Memory that a file of so many bytes may need, where no file gets more than `most`.
pub(super) fn memory(bytes: usize, most: usize) -> usize {
    bytes.saturating_mul(MEMORY_PER_BYTE).saturating_add(LEAST_MEMORY).min(most)
}

pub(super) fn allocator(memory: usize) -> ufbx::AllocatorOpts {
    ufbx::AllocatorOpts {
        // That of C answers with nothing where there is no memory.
        allocator: ufbx::Allocator::Libc,
        memory_limit: memory,
        ..Default::default()
    }
}
