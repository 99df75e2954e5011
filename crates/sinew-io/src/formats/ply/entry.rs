//! PLY in the table.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use crate::formats::{Format, Holds, Keeps, Reader, UnitRule, Writer, Written, ply};
use crate::{Result, StaticMesh};

/// Stanford's polygons.
pub static PLY: Format = Format {
    name: "PLY mesh",
    article: "a",
    labels: &["PLY"],
    endings: &["ply"],
    written: &["ply"],
    reads: Holds::MESH,
    writes: Holds::MESH,
    keeps: Keeps::NOTHING,
    sampled: false,
    unit: UnitRule::Untold,
    notes: "text and binary; folders and patterns of frames",
    signature: |start| start.bytes.starts_with(b"ply\n") || start.bytes.starts_with(b"ply\r"),
    shape: |_| false,
    reader: &Files,
    writer: &Files,
};

struct Files;

impl Reader for Files {
    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        ply::read(path)
    }
}

impl Writer for Files {
    fn mesh(&self, path: &Path, mesh: &Mesh, positions: &[Vec3]) -> Result<Written> {
        Ok(ply::write(path, mesh, positions)?.into())
    }
}
