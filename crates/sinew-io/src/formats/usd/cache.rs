//! Writing poses as meshes with time samples of their points.

use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use glam::Vec3;
use sinew::geometry::{Mesh, Part};

use super::container;
use super::mesh_out::{self, Shown, root_of, write_extent, write_head, write_name};
use super::prose::{Prose, quoted};
use crate::scene::WriteReport;
use crate::target::Scratch;
use crate::{Error, Result, Target, Warning, save_target};

/// Parts a cache may have: each is a file of its own while it is written.
const MOST_PARTS: usize = 500;

/// What a cache says besides its poses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheOptions<'a> {
    /// The points where no time is asked for.
    pub rest: Option<&'a [Vec3]>,
    /// Frames per second.
    pub fps: f64,
    /// Meters in one unit of length; 1 when `None`.
    pub meters_per_unit: Option<f64>,
}

/// Writes poses as a `.usda` file, or as a `.usdz` package with the mesh's images. `pose` is asked for one
/// frame after the other and keeps none; `rest` are the points where no time is asked for.
///
/// ```
/// # use glam::Vec3;
/// # let mesh = sinew::geometry::Mesh::from_triangles(3, &[[0, 1, 2]]);
/// # let path = std::env::temp_dir().join("sinew-usd-cache-example.usda");
/// let options = sinew_io::formats::usd::CacheOptions { fps: 24.0, ..Default::default() };
/// sinew_io::formats::usd::write_animation(&path, &mesh, 10, &options, |frame, pose| {
///     pose.copy_from_slice(&[Vec3::ZERO, Vec3::X, Vec3::Y * frame as f32]);
///     Ok(())
/// })?;
/// let file = sinew_io::formats::usd::open(&path)?;
/// assert_eq!(file.animation(&Default::default())?.frame_count(), 10);
/// # Ok::<(), sinew_io::Error>(())
/// ```
pub fn write_animation(
    path: &Path,
    mesh: &Mesh,
    frame_count: usize,
    options: &CacheOptions,
    pose: impl FnMut(usize, &mut [Vec3]) -> Result<()>,
) -> Result<WriteReport> {
    let (bytes, warnings) = save_target(path, |to| put(to, mesh, frame_count, options, pose))?;
    Ok(WriteReport { bytes, warnings })
}

/// The same into any file.
pub(super) fn put(
    to: &mut Target,
    mesh: &Mesh,
    frame_count: usize,
    options: &CacheOptions,
    pose: impl FnMut(usize, &mut [Vec3]) -> Result<()>,
) -> Result<Vec<Warning>> {
    let path = to.path();
    let &CacheOptions { rest, fps, meters_per_unit } = options;
    let refuse = |message: String| Err(Error::unsupported(path, message));
    if let Err(e) = mesh.validate() {
        return refuse(e.to_string());
    }
    if !(fps > 0.0 && fps.is_finite()) {
        return refuse(format!("the frame rate must be a positive number, not {fps}"));
    }
    if mesh.vertex_count == 0 || frame_count == 0 {
        return refuse("the animation has no vertices or no frames".into());
    }
    if rest.is_some_and(|r| r.len() != mesh.vertex_count) {
        return refuse("the rest pose has another number of vertices than the mesh".into());
    }
    let name = to.stem_or("animation");
    let (prim, root) = root_of(&name);
    let mut shown = Shown::new(mesh, &root, &name, &["Looks"]);
    shown.normals = mesh.normals.clone().filter(|_| rest.is_some());
    if shown.parts.len() > MOST_PARTS {
        return refuse(format!(
            "{} parts are more than the {MOST_PARTS} that are written at once",
            shown.parts.len()
        ));
    }
    let outside = |part: &Part| {
        part.faces.clone().flat_map(|f| mesh.face(f)).any(|v| !part.vertices.contains(&(*v as usize)))
    };
    if let Some((_, part)) = shown.parts.iter().find(|(_, p)| outside(p)) {
        return refuse(format!("part {:?} uses vertices of another part", part.name));
    }
    let mut warnings = Vec::new();
    let packaged = container::is_package(path);
    mesh_out::warn(mesh, packaged, &mut warnings);
    let mut samples = part_samples(to, &shown, frame_count, pose)?;
    let images = if packaged { mesh_out::images(mesh) } else { Vec::new() };
    container::write(to, &images, |out| {
        let prose = &mut Prose::new(out);
        write_head(prose, &prim, (fps, (frame_count - 1) as f64), meters_per_unit.unwrap_or(1.0))?;
        prose.prim(&format!("def Xform {}", quoted(&prim)), &[], |prose| {
            write_name(prose, &prim, &name)?;
            shown.write_looks(prose, packaged)?;
            for ((prim, part), samples) in shown.parts.iter().zip(&mut samples) {
                let facts = shown.facts(part, &[]);
                prose.prim(&format!("def Mesh {}", quoted(prim)), &facts, |prose| {
                    shown.write_faces(prose, prim, part)?;
                    if let Some(rest) = rest {
                        let points = &rest[part.vertices.clone()];
                        write_extent(prose, points)?;
                        prose.array("point3f[] points", points.iter().copied(), &[])?;
                    }
                    prose.line("point3f[] points.timeSamples = {")?;
                    io::copy(samples, prose.out())?;
                    prose.line("}")
                })?;
            }
            Ok(())
        })
    })?;
    Ok(warnings)
}

/// The samples of each part as text, in files of their own: poses come frame by frame, but a file has its
/// parts one after the other.
fn part_samples(
    to: &Target,
    shown: &Shown,
    frame_count: usize,
    mut pose: impl FnMut(usize, &mut [Vec3]) -> Result<()>,
) -> Result<Vec<Box<dyn Scratch>>> {
    let path = to.path();
    let scratch = |_: &_| to.scratch().map(BufWriter::new);
    let mut files: Vec<BufWriter<Box<dyn Scratch>>> =
        shown.parts.iter().map(scratch).collect::<Result<_>>()?;
    let mut points = vec![Vec3::ZERO; shown.mesh.vertex_count];
    for frame in 0..frame_count {
        pose(frame, &mut points)?;
        if let Some(vertex) = points.iter().position(|p| !p.is_finite()) {
            let message = format!("vertex {vertex} of frame {frame} is not a finite number");
            return Err(Error::unsupported(path, message));
        }
        for ((_, part), file) in shown.parts.iter().zip(&mut files) {
            let of_part = points[part.vertices.clone()].iter().copied();
            Prose::deep(file, 2).sample(frame as f64, of_part).map_err(Error::io(path))?;
        }
    }
    let rewound = |mut file: BufWriter<Box<dyn Scratch>>| {
        file.flush()?;
        let mut file = file.into_inner().map_err(|e| e.into_error())?;
        file.rewind()?;
        Ok(file)
    };
    files.into_iter().map(|file| rewound(file).map_err(Error::io(path))).collect()
}
