//! OBJ in the table.

use glam::Vec3;
use sinew::geometry::Mesh;

use super::read::{parse_faces, parse_of};
use super::write::put;
use crate::formats::document::same_faces;
use crate::formats::{Document, Format, Holds, Keeps, Start, UnitRule, Writer};
use crate::source::{Bytes, Source};
use crate::{Result, StaticMesh, Target, Warning};

/// Wavefront's polygons.
pub static OBJ: Format = Format {
    name: "OBJ mesh",
    article: "an",
    labels: &["OBJ"],
    endings: &["obj"],
    written: &["obj"],
    reads: Holds::MESH,
    writes: Holds::MESH,
    keeps: Keeps {
        fps: false,
        clips: false,
        rest: false,
        uv_sets: false,
        more_colors: false,
        attributes: false,
        nodes: false,
        ..Keeps::ALL
    },
    sampled: false,
    unit: UnitRule::Untold,
    notes: "with MTL and textures; folders and patterns of frames",
    signature: |_| false,
    shape: starts_with_a_statement,
    document: open,
    writer: &Files,
};

fn starts_with_a_statement(start: &Start) -> bool {
    let Some(word) = start.bytes.trim_ascii_start().split(u8::is_ascii_whitespace).next() else {
        return false;
    };
    let statements: [&[u8]; 8] = [b"v", b"vt", b"vn", b"f", b"o", b"g", b"mtllib", b"usemtl"];
    statements.contains(&word) || word.starts_with(b"#")
}

/// The bytes of a file. A mesh is parsed when it is asked for: frames of a sequence need less of it.
struct Obj {
    source: Source,
    bytes: Bytes,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Obj { bytes: source.read()?, source: source.clone() }))
}

impl Document for Obj {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &OBJ
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        parse_of(&self.bytes, &self.source)
    }

    fn frame_into(&self, frame: usize, first: &Mesh, out: &mut [Vec3]) -> Result<()> {
        let faces = parse_faces(&self.bytes, self.source.path())?;
        same_faces(faces, &self.source, frame, first, out)
    }
}

struct Files;

impl Writer for Files {
    fn mesh(&self, to: &mut Target, mesh: &Mesh, positions: &[Vec3]) -> Result<Vec<Warning>> {
        put(to, mesh, positions).map(|()| Vec::new())
    }
}
