//! PC2 in the table.

use std::path::Path;

use sinew::progress::Progress;

use crate::Result;
use crate::formats::{
    Facts, Format, Holds, Keeps, NextPose, PoseSet, Reader, UnitRule, Writer, Written, pc2,
};
use crate::open::{OpenOptions, Opened, PoseStream};

/// 3ds Max's point cache.
pub static PC2: Format = Format {
    name: "PC2 point cache",
    article: "a",
    labels: &["PC2"],
    endings: &["pc2"],
    written: &["pc2"],
    reads: Holds::CACHE,
    writes: Holds::CACHE,
    keeps: Keeps::NOTHING,
    sampled: false,
    unit: UnitRule::Untold,
    notes: "with a mesh; mapped, not copied",
    signature: |start| start.bytes.starts_with(b"POINTCACHE2"),
    shape: |_| false,
    reader: &Files,
    writer: &Files,
};

struct Files;

impl Reader for Files {
    fn facts(&self, path: &Path) -> Result<Facts> {
        Ok(Facts { fps: pc2::stream(path)?.fps, ..Facts::default() })
    }

    fn stream(&self, path: &Path, _options: &OpenOptions) -> Result<PoseStream> {
        Ok(PoseStream::of_cache(path, pc2::stream(path)?))
    }

    fn animation(&self, path: &Path, _options: &OpenOptions, _progress: &dyn Progress) -> Result<Opened> {
        Ok(Opened::of_cache(path, pc2::open(path)?))
    }
}

impl Writer for Files {
    fn poses(&self, path: &Path, set: &PoseSet, next: NextPose) -> Result<Written> {
        Ok(pc2::try_write(path, set.mesh.vertex_count, set.frames, next)?.into())
    }
}
