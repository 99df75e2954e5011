//! PLY in the table.

use glam::Vec3;
use sinew::geometry::Mesh;

use super::write::put;
use crate::formats::{Document, Format, Holds, Keeps, UnitRule, Writer, ply};
use crate::source::{Bytes, Source};
use crate::{Result, StaticMesh, Target, Warning};

/// Stanford's polygons.
pub static PLY: Format = Format {
    name: "PLY mesh",
    article: "a",
    labels: &["PLY"],
    endings: &["ply"],
    written: &["ply"],
    reads: Holds::MESH,
    writes: Holds::MESH,
    keeps: Keeps { colors: true, ..Keeps::NOTHING },
    sampled: false,
    unit: UnitRule::Untold,
    notes: "text and binary; folders and patterns of frames",
    signature: |start| start.bytes.starts_with(b"ply\n") || start.bytes.starts_with(b"ply\r"),
    shape: |_| false,
    document: open,
    writer: &Files,
};

/// The bytes of a file.
struct Ply {
    source: Source,
    bytes: Bytes,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Ply { bytes: source.read()?, source: source.clone() }))
}

impl Document for Ply {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &PLY
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        ply::parse(&self.bytes, self.source.path())
    }
}

struct Files;

impl Writer for Files {
    fn mesh(&self, to: &mut Target, mesh: &Mesh, positions: &[Vec3]) -> Result<Vec<Warning>> {
        put(to, mesh, positions).map(|()| Vec::new())
    }
}
