//! Maya's caches in the table.

use super::MayaCache;
use crate::Result;
use crate::formats::{Document, Facts, Format, Holds, Keeps, Start, UnitRule, Unwritten, maya};
use crate::scene::{DEFAULT_FPS, OpenOptions, PoseStream, bare};
use crate::source::Source;

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
    document: open,
    writer: &Unwritten,
};

fn starts_like_one(start: &Start) -> bool {
    maya::is_cache(&start.bytes)
}

/// A cache of which is known what is where.
struct Cache {
    source: Source,
    cache: MayaCache,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Cache { cache: maya::open(source)?, source: source.clone() }))
}

impl Document for Cache {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &MAYA
    }

    fn facts(&self) -> Result<Facts> {
        Ok(Facts { fps: self.cache.fps, times: self.cache.times, ..Facts::default() })
    }

    fn stream(&self, _options: &OpenOptions) -> Result<PoseStream> {
        let cache = self.cache.clone();
        let (vertices, frames, fps, bytes) = (cache.vertex_count, cache.frame_count, cache.fps, cache.bytes);
        let warnings = cache.warnings.clone();
        let stream = PoseStream::new(bare(vertices), vertices, self.source.name(), Box::new(cache));
        Ok(PoseStream {
            fps: fps.unwrap_or(DEFAULT_FPS),
            assumed_fps: fps.is_none(),
            frame_count: Some(frames),
            input_bytes: bytes,
            facts: self.facts()?,
            ..stream.with_warnings(warnings)
        })
    }
}
