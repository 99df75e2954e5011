//! Maya's geometry caches: an `.xml` file that says what there is, and `.mcx` or `.mc` files that hold it.
//!
//! The data is in chunks as in IFF files: a tag of four letters, a length, bytes up to a multiple of 4 in `.mc`
//! files (whose outermost chunks are `FOR4`) and of 8 in `.mcx` files (`FOR8`). All numbers are big-endian. A
//! first group, `CACH`, tells version and times; each group `MYCH` is one time: `TIME` where the file holds
//! several, then for each channel its name (`CHNM`), the number of its values (`SIZE`) and the values, `FVCA` for
//! vectors of f32 and `DVCA` for vectors of f64. Times count 6000 to the second.
//!
//! With one file a frame these are called `nameFrame12.mcx`, or `nameFrame12Tick125.mcx` between frames. Faces
//! are in another file. Channels of positions of several objects follow one another; normals are passed over.

mod description;
mod entry;
mod read;

pub use entry::MAYA;
pub use read::{MayaCache, open};

/// Whether a file starts like a cache, or like what describes one.
pub(crate) fn is_cache(start: &[u8]) -> bool {
    crate::containers::iff::is_data(start) || description::is_description(start)
}

#[cfg(test)]
mod tests;
