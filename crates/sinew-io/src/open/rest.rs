//! The mesh that goes with a point cache, and whether it does.

use std::path::{Path, PathBuf};

use super::{OpenOptions, Opened, facts, file_bytes, format, name};
use crate::{Error, Result, StaticMesh, formats};

/// Reads a mesh in one pose, from any file that holds faces.
///
/// `vertices` is how many it should have. Vertices of a glTF file that are alike become one, or stay apart,
/// whichever fits; when neither does, the mesh comes back as it is by default.
pub fn rest(path: &Path, vertices: Option<usize>) -> Result<StaticMesh> {
    let format = format(path)?;
    if format.reads.faces {
        return format.reader.mesh(path, vertices);
    }
    let message = format!("{} holds no faces; a rest mesh is {}", format.one(), with_faces());
    Err(Error::unsupported(path, message))
}

pub(super) fn with_faces() -> String {
    formats::list("or", |f| f.reads.faces)
}

pub(super) fn needs_rest(path: &Path) -> Error {
    let message = format!(
        "a point cache holds no faces; the mesh that goes with it is needed too (--rest FILE: {})",
        with_faces()
    );
    Error::unsupported(path, message)
}

/// In what several inputs, and the mesh that goes with them, disagree, and by how much. A scale that is given for
/// the mesh is taken into account, and frame rates are those of the inputs: each clip keeps its own.
pub(super) fn disagreements(inputs: &[PathBuf], options: &OpenOptions) -> Result<Vec<String>> {
    let [first, others @ ..] = inputs else { return Ok(Vec::new()) };
    if others.is_empty() && options.rest.is_none() || format(first).is_ok_and(|f| f.reads.is_frame()) {
        return Ok(Vec::new());
    }
    let said = facts(first)?;
    let mut found = Vec::new();
    for other in others {
        found.extend(said.differences(&facts(other)?, [&name(first), &name(other)]));
    }
    if let Some(rest) = &options.rest {
        let mut of_rest = facts(rest)?;
        of_rest.metres_per_unit = of_rest.metres_per_unit.map(|m| m / options.rest_scale.unwrap_or(1.0));
        of_rest.fps = None;
        found.extend(said.differences(&of_rest, [&name(first), &name(rest)]));
    }
    Ok(found)
}

/// Gives an animation the mesh and pose of another file.
pub(super) fn put_rest(opened: &mut Opened, path: &Path, scale: Option<f64>) -> Result<()> {
    let animation = &mut opened.animation;
    let (vertices, faces) = (animation.frames.vertex_count(), animation.mesh.face_count());
    let StaticMesh { mesh, positions, warnings } = scaled_rest(path, scale, vertices, faces, &opened.source)?;
    animation.mesh = mesh;
    animation.rest = Some(positions);
    opened.warnings.extend(warnings);
    opened.source = format!("{} on {}", opened.source, name(path));
    opened.input_bytes += file_bytes(path)?;
    Ok(())
}

/// Reads the mesh that goes with `source`, which has so many vertices and faces (0 where it has none).
pub(super) fn scaled_rest(
    path: &Path,
    scale: Option<f64>,
    vertices: usize,
    faces: usize,
    source: &str,
) -> Result<StaticMesh> {
    let mut rest = rest(path, Some(vertices))?;
    let mesh = &rest.mesh;
    if mesh.vertex_count != vertices {
        let message =
            format!("the mesh has {} vertices, but each frame of {source} has {vertices}", mesh.vertex_count);
        return Err(Error::unsupported(path, message));
    }
    if faces != 0 && faces != mesh.face_count() {
        let message = format!("the mesh has {} faces, but {source} has {faces}", mesh.face_count());
        return Err(Error::unsupported(path, message));
    }
    if let Some(scale) = scale {
        if !(scale > 0.0 && scale.is_finite()) {
            let message = format!("the rest mesh cannot be scaled by {scale}; give a positive number");
            return Err(Error::unsupported(path, message));
        }
        rest.positions.iter_mut().for_each(|p| *p = (p.as_dvec3() * scale).as_vec3());
    }
    Ok(rest)
}
