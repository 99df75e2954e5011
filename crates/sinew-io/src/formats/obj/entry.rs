//! OBJ in the table.

use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use crate::formats::read::same_faces;
use crate::formats::{Format, Holds, Keeps, Reader, Start, UnitRule, Writer, Written, obj};
use crate::{Result, StaticMesh};

/// Wavefront's polygons.
pub static OBJ: Format = Format {
    name: "OBJ mesh",
    article: "an",
    labels: &["OBJ"],
    endings: &["obj"],
    written: &["obj"],
    reads: Holds::MESH,
    writes: Holds::MESH,
    keeps: Keeps { fps: false, clips: false, rest: false, ..Keeps::ALL },
    sampled: false,
    unit: UnitRule::Untold,
    notes: "with MTL and textures; folders and patterns of frames",
    signature: |_| false,
    shape: starts_with_a_statement,
    reader: &Files,
    writer: &Files,
};

fn starts_with_a_statement(start: &Start) -> bool {
    let Some(word) = start.bytes.trim_ascii_start().split(u8::is_ascii_whitespace).next() else {
        return false;
    };
    let statements: [&[u8]; 8] = [b"v", b"vt", b"vn", b"f", b"o", b"g", b"mtllib", b"usemtl"];
    statements.contains(&word) || word.starts_with(b"#")
}

struct Files;

impl Reader for Files {
    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        obj::read(path)
    }

    fn frame_into(&self, path: &Path, frame: usize, first: &Mesh, out: &mut [Vec3]) -> Result<()> {
        same_faces(obj::read_faces(path)?, path, frame, first, out)
    }
}

impl Writer for Files {
    fn mesh(&self, path: &Path, mesh: &Mesh, positions: &[Vec3]) -> Result<Written> {
        Ok(obj::write(path, mesh, positions)?.into())
    }
}
