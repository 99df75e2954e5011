//! MDD in the table.

use std::path::Path;

use sinew::progress::Progress;

use crate::Result;
use crate::formats::{
    Facts, Format, Holds, Keeps, NextPose, PoseSet, Reader, Start, UnitRule, Writer, Written, mdd,
};
use crate::open::{OpenOptions, Opened, PoseStream};

/// LightWave's point cache.
pub static MDD: Format = Format {
    name: "MDD point cache",
    article: "an",
    labels: &["MDD"],
    endings: &["mdd"],
    written: &["mdd"],
    reads: Holds::CACHE,
    writes: Holds::CACHE,
    keeps: Keeps { fps: true, ..Keeps::NOTHING },
    sampled: false,
    unit: UnitRule::Untold,
    notes: "with a mesh",
    signature: |_| false,
    shape: counts_fit,
    reader: &Files,
    writer: &Files,
};

/// The counts at the start fit the length of the file.
fn counts_fit(start: &Start) -> bool {
    let Some((counts, _)) = start.bytes.split_first_chunk::<8>() else { return false };
    let count = |at: usize| u64::from(u32::from_be_bytes([0, 1, 2, 3].map(|i| counts[at + i])));
    let (frames, vertices) = (count(0), count(4));
    let per_frame = vertices.saturating_mul(12).saturating_add(4);
    frames > 0 && vertices > 0 && frames.saturating_mul(per_frame).saturating_add(8) == start.length
}

struct Files;

impl Reader for Files {
    fn facts(&self, path: &Path) -> Result<Facts> {
        Ok(Facts { fps: mdd::stream(path)?.fps, ..Facts::default() })
    }

    fn stream(&self, path: &Path, _options: &OpenOptions) -> Result<PoseStream> {
        Ok(PoseStream::of_cache(path, mdd::stream(path)?))
    }

    fn animation(&self, path: &Path, _options: &OpenOptions, _progress: &dyn Progress) -> Result<Opened> {
        Ok(Opened::of_cache(path, mdd::read(path)?))
    }
}

impl Writer for Files {
    fn poses(&self, path: &Path, set: &PoseSet, next: NextPose) -> Result<Written> {
        Ok(mdd::try_write(path, set.mesh.vertex_count, set.frames, set.fps, next)?.into())
    }
}
