//! The mesh that goes with a point cache.

use std::path::Path;

use super::format::{Format, format};
use crate::glb::{self, SampleOptions};
use crate::{Error, Result, StaticMesh, obj, ply, sinew_file};

/// Reads a mesh in one pose from an OBJ, PLY, glTF or `.sinew` file.
///
/// `vertices` is how many it should have. Vertices of a glTF file that are alike become one, or stay apart,
/// whichever fits; when neither does, the mesh comes back as it is by default.
pub fn rest(path: &Path, vertices: Option<usize>) -> Result<StaticMesh> {
    match format(path)? {
        Format::Obj => obj::read(path),
        Format::Ply => ply::read(path),
        Format::Gltf => gltf(path, vertices),
        Format::Sinew => {
            let head = sinew_file::open(path)?.head;
            Ok(StaticMesh { mesh: head.mesh, positions: head.rest, warnings: Vec::new() })
        }
        other => {
            let message = format!("{} holds no faces; a rest mesh is OBJ, PLY or GLB", other.one());
            Err(Error::unsupported(path, message))
        }
    }
}

fn gltf(path: &Path, vertices: Option<usize>) -> Result<StaticMesh> {
    let file = glb::open(path)?;
    let read = |weld| -> Result<StaticMesh> {
        let sampled = file.rig(&SampleOptions { weld, ..SampleOptions::default() })?;
        Ok(StaticMesh { mesh: sampled.rig.mesh, positions: sampled.rig.rest, warnings: sampled.warnings })
    };
    let usual = read(None)?;
    let fits = |mesh: &StaticMesh| vertices.is_none_or(|n| n == mesh.positions.len());
    if fits(&usual) {
        return Ok(usual);
    }
    for weld in [false, true] {
        let other = read(Some(weld))?;
        if fits(&other) {
            return Ok(other);
        }
    }
    Ok(usual)
}
