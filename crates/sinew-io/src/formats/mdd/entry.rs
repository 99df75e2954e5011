//! MDD in the table.

use sinew::progress::Progress;

use crate::formats::{
    Document, Facts, Format, Holds, Keeps, NextPose, PoseSet, Start, UnitRule, Writer, mdd,
};
use crate::scene::{OpenOptions, Opened, PoseStream};
use crate::source::Source;
use crate::{Result, Target, Warning};

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
    document: open,
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

/// A file whose header is sound; poses are read when they are asked for.
struct Cache {
    source: Source,
    fps: Option<f64>,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Cache { fps: mdd::stream(source)?.fps, source: source.clone() }))
}

impl Document for Cache {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &MDD
    }

    fn facts(&self) -> Result<Facts> {
        Ok(Facts { fps: self.fps, ..Facts::default() })
    }

    fn stream(&self, _options: &OpenOptions) -> Result<PoseStream> {
        Ok(PoseStream::of_cache(&self.source, mdd::stream(&self.source)?))
    }

    fn animation(&self, _options: &OpenOptions, _progress: &dyn Progress) -> Result<Opened> {
        Ok(Opened::of_cache(&self.source, mdd::read(&self.source)?))
    }
}

struct Files;

impl Writer for Files {
    fn poses(&self, to: &mut Target, set: &PoseSet, next: NextPose) -> Result<Vec<Warning>> {
        mdd::put(to, set.mesh.vertex_count, set.frames, set.fps, next).map(|()| Vec::new())
    }
}
