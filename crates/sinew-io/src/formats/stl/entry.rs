//! STL in the table.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use crate::formats::{Format, Holds, Keeps, Reader, UnitRule, Unwritten, stl};
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
    reader: &Files,
    writer: &Unwritten,
};

struct Files;

impl Reader for Files {
    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        stl::read(path)
    }

    fn frame_into(&self, path: &Path, frame: usize, first: &Mesh, out: &mut [Vec3]) -> Result<()> {
        stl::frame_into(path, frame, first, out)
    }
}
