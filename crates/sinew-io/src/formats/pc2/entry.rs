//! PC2 in the table.

use sinew::progress::Progress;

use crate::formats::{Document, Facts, Format, Holds, Keeps, NextPose, PoseSet, UnitRule, Writer, pc2};
use crate::scene::{OpenOptions, Opened, PoseStream};
use crate::source::Source;
use crate::{Result, Target, Warning};

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
    document: open,
    writer: &Files,
};

/// A file whose header is sound; poses are read when they are asked for.
struct Cache {
    source: Source,
    fps: Option<f64>,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Cache { fps: pc2::stream(source)?.fps, source: source.clone() }))
}

impl Document for Cache {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &PC2
    }

    fn facts(&self) -> Result<Facts> {
        Ok(Facts { fps: self.fps, ..Facts::default() })
    }

    fn stream(&self, _options: &OpenOptions) -> Result<PoseStream> {
        Ok(PoseStream::of_cache(&self.source, pc2::stream(&self.source)?))
    }

    fn animation(&self, _options: &OpenOptions, _progress: &dyn Progress) -> Result<Opened> {
        Ok(Opened::of_cache(&self.source, pc2::open(&self.source)?))
    }
}

struct Files;

impl Writer for Files {
    fn poses(&self, to: &mut Target, set: &PoseSet, next: NextPose) -> Result<Vec<Warning>> {
        pc2::put(to, set.mesh.vertex_count, set.frames, next).map(|()| Vec::new())
    }
}
