//! STL in the table.

use glam::Vec3;
use sinew::geometry::Mesh;

use crate::formats::{Document, Format, Holds, Keeps, UnitRule, Unwritten, stl};
use crate::source::{Bytes, Source};
use crate::{Result, StaticMesh};

/// Triangles of scanners and solvers.
pub static STL: Format = Format {
    name: "STL mesh",
    article: "an",
    labels: &["STL"],
    endings: &["stl"],
    written: &[],
    reads: Holds::MESH,
    writes: Holds::NOTHING,
    keeps: Keeps::NOTHING,
    sampled: false,
    unit: UnitRule::Untold,
    notes: "text and binary; corners at one place of the first frame become one vertex",
    signature: |start| stl::is_text(&start.bytes),
    shape: |start| stl::is_binary(&start.bytes, start.length),
    document: open,
    writer: &Unwritten,
};

/// The bytes of a file.
struct Stl {
    source: Source,
    bytes: Bytes,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Stl { bytes: source.read()?, source: source.clone() }))
}

impl Document for Stl {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &STL
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        stl::parse(&self.bytes, self.source.path())
    }

    fn frame_into(&self, frame: usize, first: &Mesh, out: &mut [Vec3]) -> Result<()> {
        stl::frame_into(&self.bytes, self.source.path(), frame, first, out)
    }
}
