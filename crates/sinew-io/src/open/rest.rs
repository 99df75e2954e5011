//! The mesh that goes with a point cache, and whether it does.

use std::path::Path;

use crate::formats::{self, Document, tell};
use crate::scene::{Facts, OpenOptions, Opened};
use crate::source::Source;
use crate::{Error, Result, StaticMesh};

/// Reads a mesh in one pose, from any file that holds faces.
///
/// `vertices` is how many it should have. Vertices of a glTF file that are alike become one, or stay apart,
/// whichever fits; when neither does, the mesh comes back as it is by default.
pub fn rest(source: impl Into<Source>, vertices: Option<usize>) -> Result<StaticMesh> {
    with_mesh(&source.into())?.mesh(vertices)
}

/// A file that should hold faces.
fn with_mesh(source: &Source) -> Result<Box<dyn Document>> {
    let format = tell(source)?;
    if format.reads.faces {
        return format.open(source);
    }
    let message = format!("{} holds no faces; a rest mesh is {}", format.one(), with_faces());
    Err(Error::unsupported(source.path(), message))
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
pub(super) fn disagreements(
    inputs: &[Source],
    facts: &[Facts],
    options: &OpenOptions,
    of_rest: Option<Facts>,
) -> Vec<String> {
    let ([first, others @ ..], [said, of_others @ ..]) = (inputs, facts) else { return Vec::new() };
    let mut found = Vec::new();
    for (other, facts) in others.iter().zip(of_others) {
        found.extend(said.differences(facts, [&first.name(), &other.name()]));
    }
    let is_frame = || first.is_file() && tell(first).is_ok_and(|format| format.reads.is_frame());
    if let (Some(rest), Some(mut of_rest)) = (&options.rest, of_rest)
        && !is_frame()
    {
        of_rest.metres_per_unit = of_rest.metres_per_unit.map(|m| m / options.rest_scale.unwrap_or(1.0));
        of_rest.fps = None;
        found.extend(said.differences(&of_rest, [&first.name(), &rest.name()]));
    }
    found
}

/// Gives an animation the mesh and pose of another file. Returns what that says of its numbers.
pub(super) fn put_rest(opened: &mut Opened, source: &Source, options: &OpenOptions) -> Result<Facts> {
    let animation = &mut opened.animation;
    let (vertices, faces) = (animation.frames.vertex_count(), animation.mesh.face_count());
    let document = with_mesh(source)?;
    let rest = scaled(&*document, options.rest_scale, vertices, faces, &opened.source)?;
    let StaticMesh { mesh, positions, warnings, .. } = rest;
    animation.mesh = mesh;
    animation.rest = Some(positions);
    opened.warnings.extend(warnings);
    opened.source = format!("{} on {}", opened.source, source.name());
    opened.input_bytes += source.length()?;
    document.facts()
}

/// Reads the mesh that goes with `source`, which has so many vertices and faces (0 where it has none).
pub(super) fn scaled_rest(
    rest: &Source,
    scale: Option<f64>,
    vertices: usize,
    faces: usize,
    source: &str,
) -> Result<StaticMesh> {
    scaled(&*with_mesh(rest)?, scale, vertices, faces, source)
}

fn scaled(
    document: &dyn Document,
    scale: Option<f64>,
    vertices: usize,
    faces: usize,
    source: &str,
) -> Result<StaticMesh> {
    let path = document.source().path();
    let mut rest = document.mesh(Some(vertices))?;
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
