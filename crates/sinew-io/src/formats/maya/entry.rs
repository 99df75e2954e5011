//! Maya's caches in the table.

use std::path::Path;

use crate::Result;
use crate::formats::{Facts, Format, Holds, Keeps, Reader, Start, UnitRule, Unwritten, maya};
use crate::open::{self, DEFAULT_FPS, OpenOptions, PoseStream};

/// Maya's geometry cache.
pub static MAYA: Format = Format {
    name: "Maya geometry cache",
    article: "a",
    labels: &["Maya caches"],
    endings: &["mcx", "mc", "xml"],
    written: &[],
    reads: Holds::CACHE,
    writes: Holds::NOTHING,
    keeps: Keeps::NOTHING,
    sampled: false,
    unit: UnitRule::Untold,
    notes: "with a mesh; one file, or one file a frame, beside the `.xml`",
    signature: starts_like_one,
    shape: |_| false,
    reader: &Files,
    writer: &Unwritten,
};

fn starts_like_one(start: &Start) -> bool {
    maya::is_cache(&start.bytes)
}

struct Files;

impl Reader for Files {
    fn facts(&self, path: &Path) -> Result<Facts> {
        let cache = maya::open(path)?;
        Ok(Facts { fps: cache.fps, times: cache.times, ..Facts::default() })
    }

    fn stream(&self, path: &Path, _options: &OpenOptions) -> Result<PoseStream> {
        let cache = maya::open(path)?;
        let (vertices, frames, fps, bytes) = (cache.vertex_count, cache.frame_count, cache.fps, cache.bytes);
        let facts = Facts { fps, times: cache.times, ..Facts::default() };
        let warnings = cache.warnings.clone();
        let stream = PoseStream::new(open::bare(vertices), vertices, open::name(path), Box::new(cache));
        Ok(PoseStream {
            fps: fps.unwrap_or(DEFAULT_FPS),
            assumed_fps: fps.is_none(),
            frame_count: Some(frames),
            input_bytes: bytes,
            facts,
            ..stream.with_warnings(warnings)
        })
    }
}
