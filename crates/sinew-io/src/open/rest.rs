//! The mesh that goes with a point cache, and whether it does.

use std::path::Path;

use sinew::geometry::{Bounds, Similarity};

use super::units::{Agreed, agreed, far};
use crate::formats::{self, tell};
use crate::scene::{Facts, OpenOptions, Opened, Said};
use crate::source::Source;
use crate::{Error, Result, StaticMesh};

/// Reads a mesh in one pose, from any file that holds faces.
///
/// `vertices` is how many it should have. Vertices of a glTF file that are alike become one, or stay apart,
/// whichever fits; when neither does, the mesh comes back as it is by default.
pub fn rest(source: impl Into<Source>, vertices: Option<usize>) -> Result<StaticMesh> {
    let source = source.into();
    let format = tell(&source)?;
    if format.reads.faces {
        return format.open(&source)?.mesh(vertices);
    }
    let message = format!("{} holds no faces; a rest mesh is {}", format.one(), with_faces());
    Err(Error::unsupported(source.path(), message))
}

pub(super) fn with_faces() -> String {
    formats::list("or", |f| f.reads.faces)
}

pub(super) fn needs_rest(path: &Path) -> Error {
    Error::NeedsMesh { path: path.into(), meshes: with_faces() }
}

/// Poses that a mesh goes with.
pub(super) struct Beside<'a> {
    pub vertices: usize,
    /// 0 where there are none.
    pub faces: usize,
    pub source: &'a str,
    pub facts: &'a Facts,
}

/// Reads the mesh that goes with poses, in their unit and with their axis up; `size` is that of the first of them. Returns
/// the metres of the unit as well: what is known of the mesh is known of them.
///
/// What is said about the poses counts for the mesh where its file says nothing.
pub(super) fn rest_beside(
    file: &Source,
    options: &OpenOptions,
    beside: &Beside,
    size: impl FnOnce() -> Result<f64>,
) -> Result<(StaticMesh, Option<f64>)> {
    let path = file.path();
    let rest = rest(file, Some(beside.vertices))?;
    let (source, mesh) = (beside.source, &rest.mesh);
    if mesh.vertex_count != beside.vertices {
        let (found, wanted) = (mesh.vertex_count, beside.vertices);
        let message = format!("the mesh has {found} vertices, but each frame of {source} has {wanted}");
        return Err(Error::unsupported(path, message));
    }
    if beside.faces != 0 && beside.faces != mesh.face_count() {
        let message = format!("the mesh has {} faces, but {source} has {}", mesh.face_count(), beside.faces);
        return Err(Error::unsupported(path, message));
    }
    let up = options.said.up.filter(|_| rest.facts.up.is_none());
    let differences = Facts { fps: None, metres_per_unit: None, ..beside.facts.clone() };
    let differences = differences.differences(&rest.facts, [source, &file.name()]);
    let mut rest = rest.said(&Said { up, scale: options.said.scale, metres_per_unit: None });
    rest.warnings.extend(differences);
    let units = (beside.facts.metres_per_unit, rest.facts.metres_per_unit);
    if let Some(scale) = options.rest_scale {
        if !(scale > 0.0 && scale.is_finite()) {
            let message = format!("the rest mesh cannot be scaled by {scale}; give a positive number");
            return Err(Error::unsupported(path, message));
        }
        rest.change(&Similarity::scaling(scale));
    } else if let (Some(to), Some(from)) = units
        && far(to, from)
    {
        let sizes = [size()?, Bounds::of(&rest.positions).diagonal()];
        let Agreed { factor, warning } = agreed([(to, source), (from, &file.name())], sizes);
        rest.change(&Similarity::scaling(factor));
        rest.warnings.push(warning);
    }
    let of_rest = units.1.map(|metres| metres / options.rest_scale.unwrap_or(1.0));
    Ok((rest, units.0.or(of_rest)))
}

impl Opened {
    /// Gives the animation the mesh and pose of another file.
    pub(super) fn put_rest(&mut self, file: &Source, options: &OpenOptions) -> Result<()> {
        let frames = &self.animation.frames;
        let (vertices, faces) = (frames.vertex_count(), self.animation.mesh.face_count());
        let beside = Beside { vertices, faces, source: &self.source, facts: &self.facts };
        let size = || Ok(if frames.is_empty() { 0.0 } else { Bounds::of(frames.frame(0)).diagonal() });
        let (rest, metres) = rest_beside(file, options, &beside, size)?;
        self.facts.metres_per_unit = metres;
        self.animation.mesh = rest.mesh;
        self.animation.rest = Some(rest.positions);
        self.warnings.extend(rest.warnings);
        self.source = format!("{} on {}", self.source, file.name());
        self.input_bytes += file.length()?;
        Ok(())
    }
}
