//! Archives out.

use std::io::{self, Seek, Write};
use std::path::Path;

use glam::Vec3;
use sinew::geometry::{Bounds, Mesh, corner_normals};

use super::APPLICATION;
use super::attributes::{Stored, stored};
use super::header::{Kind, Pod};
use super::out::{Named, Out, Samples, Written};
use super::pieces::{Piece, pieces};
use crate::{Error, Result, Target, Warning, save_target, to_memory};

/// How an animation is written.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteOptions {
    /// Frames per second.
    pub fps: f64,
    /// Time of the first frame, in seconds.
    pub start: f64,
    /// Whether normals are written for every frame, where the mesh has any. They take about as much room
    /// as the positions, or up to six times that where all edges are hard.
    pub normals: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { fps: crate::open::DEFAULT_FPS, start: 0.0, normals: true }
    }
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteReport {
    /// Size of the file.
    pub bytes: u64,
    /// What could not be stored as it is, for people.
    pub warnings: Vec<Warning>,
}

/// Time sampling 0 is there for what is never sampled twice; 1 is that of the frames.
const FRAMES: u32 = 1;
/// The library whose layout is followed, as it writes its own version.
const LIBRARY_VERSION: u32 = 10803;

/// Writes an animation frame by frame: `pose` fills in the positions of the frame it is given. One pose is in
/// memory at a time.
///
/// Each part of the mesh becomes a transform with a polygon mesh in it. The rest pose, where there is one,
/// is stored beside the points as `Pref`.
///
/// ```no_run
/// use std::path::Path;
/// use glam::Vec3;
/// use sinew::geometry::Mesh;
/// use sinew_io::formats::alembic::{WriteOptions, write};
///
/// let mesh = Mesh::from_triangles(3, &[[0, 1, 2]]);
/// write(Path::new("up.abc"), &mesh, None, 10, &WriteOptions::default(), |frame, pose| {
///     pose.copy_from_slice(&[Vec3::ZERO, Vec3::X, Vec3::Y * frame as f32]);
///     Ok(())
/// })?;
/// # Ok::<(), sinew_io::Error>(())
/// ```
pub fn write(
    path: &Path,
    mesh: &Mesh,
    rest: Option<&[Vec3]>,
    frame_count: usize,
    options: &WriteOptions,
    pose: impl FnMut(usize, &mut [Vec3]) -> io::Result<()>,
) -> Result<WriteReport> {
    let (bytes, warnings) = save_target(path, |to| put(to, mesh, rest, frame_count, options, pose))?;
    Ok(WriteReport { bytes, warnings })
}

/// The same into any file.
pub(super) fn put(
    to: &mut Target,
    mesh: &Mesh,
    rest: Option<&[Vec3]>,
    frame_count: usize,
    options: &WriteOptions,
    pose: impl FnMut(usize, &mut [Vec3]) -> io::Result<()>,
) -> Result<Vec<Warning>> {
    check(to.path(), mesh, frame_count, options)?;
    to.write(|mut out| fill(&mut out, mesh, rest, frame_count, options, pose))
}

/// Like [`write()`], into memory.
pub fn to_bytes(
    mesh: &Mesh,
    rest: Option<&[Vec3]>,
    frame_count: usize,
    options: &WriteOptions,
    pose: impl FnMut(usize, &mut [Vec3]) -> io::Result<()>,
) -> Result<(Vec<u8>, Vec<Warning>)> {
    let put = |to: &mut Target| put(to, mesh, rest, frame_count, options, pose);
    to_memory(Path::new("memory.abc"), put).map(|(file, warnings)| (file.bytes, warnings))
}

fn check(path: &Path, mesh: &Mesh, frame_count: usize, options: &WriteOptions) -> Result<()> {
    if let Err(e) = mesh.validate() {
        return Err(Error::malformed(path, e.to_string()));
    }
    if !(options.fps > 0.0 && options.fps.is_finite() && options.start.is_finite()) {
        let message = format!("the frame rate must be a positive number, not {}", options.fps);
        return Err(Error::unsupported(path, message));
    }
    let most = i32::MAX as usize;
    if frame_count == 0 || frame_count > most || mesh.vertex_count > most || mesh.corners.len() > most {
        let message = format!("{frame_count} frames of {} vertices are not for Alembic", mesh.vertex_count);
        return Err(Error::unsupported(path, message));
    }
    Ok(())
}

/// Samples of one object that change from frame to frame.
#[derive(Default)]
struct Moving {
    points: Samples,
    bounds: Samples,
    normals: Samples,
}

fn fill<W: Write + Seek>(
    to: &mut W,
    mesh: &Mesh,
    rest: Option<&[Vec3]>,
    frame_count: usize,
    options: &WriteOptions,
    mut pose: impl FnMut(usize, &mut [Vec3]) -> io::Result<()>,
) -> io::Result<Vec<Warning>> {
    let (pieces, warnings) = pieces(mesh);
    let mut out = Out::new(to)?;
    let version = out.data([&[0; 4], &[]])?;
    let library = out.data([&LIBRARY_VERSION.to_le_bytes(), &[]])?;
    let with_normals = options.normals && mesh.normals.is_some();
    let mut moving: Vec<Moving> = pieces.iter().map(|_| Moving::default()).collect();
    let mut positions = vec![Vec3::ZERO; mesh.vertex_count];
    let mut groups = Vec::new();
    for frame in 0..frame_count {
        pose(frame, &mut positions)?;
        let normals = with_normals.then(|| corner_normals(mesh, &positions));
        for (piece, moving) in pieces.iter().zip(&mut moving) {
            let points = &positions[piece.vertices.clone()];
            moving.points.push(out.sample(&floats(points))?);
            moving.bounds.push(out.sample(&bounds(points))?);
            if let Some(layer) = &normals {
                moving.normals.push(out.sample(&floats(&layer.values[piece.normals.clone()]))?);
            }
        }
        if let (0, Some(layer)) = (frame, normals) {
            groups = layer.indices;
        }
    }
    let mut objects = Vec::new();
    for (piece, moving) in pieces.iter().zip(&moving) {
        objects.push(object(&mut out, mesh, piece, moving, rest, &groups)?);
    }
    let top = out.object("", "", &[], &objects)?.offset();
    let about = format!(
        "FramesPerTimeUnit={:.6};_ai_AlembicVersion=Alembic 1.8.3;_ai_Application={APPLICATION} {};\
         _ai_Description=mesh animation",
        options.fps,
        env!("CARGO_PKG_VERSION")
    );
    let about = out.data([about.as_bytes(), &[]])?;
    let samplings =
        out.data([&sampling(1, 1.0, 0.0), &sampling(frame_count, 1.0 / options.fps, options.start)])?;
    let metas = out.metas()?;
    let root = out.group(&[version, library, top, about, samplings, metas])?;
    out.finish(root)?;
    Ok(warnings)
}

/// A uniform time sampling and how many samples it has.
fn sampling(samples: usize, cycle: f64, start: f64) -> Vec<u8> {
    let mut bytes: Vec<u8> = (samples as u32).to_le_bytes().into();
    bytes.extend(cycle.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes
}

fn floats(points: &[Vec3]) -> Vec<u8> {
    if cfg!(target_endian = "little") {
        return bytemuck::cast_slice(points).to_vec();
    }
    points.iter().flat_map(|p| p.to_array()).flat_map(f32::to_le_bytes).collect()
}

fn integers(numbers: impl Iterator<Item = u32>) -> Vec<u8> {
    numbers.flat_map(u32::to_le_bytes).collect()
}

fn bounds(points: &[Vec3]) -> Vec<u8> {
    let Bounds { min, max } = Bounds::of(points);
    let numbers = min.to_array().into_iter().chain(max.to_array());
    numbers.flat_map(|x| f64::from(x).to_le_bytes()).collect()
}

const TRANSFORM: &str = "schema=AbcGeom_Xform_v3";
const TRANSFORM_OBJECT: &str = "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform";
const POLYGONS: &str = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1";
const POLYGONS_OBJECT: &str = "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;\
                               schemaObjTitle=AbcGeom_PolyMesh_v1:.geom";
const FACE_SET: &str = "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1";
const FACE_SET_OBJECT: &str = "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1;\
                               schemaObjTitle=AbcGeom_FaceSet_v1:.faceset";
const BOX: &str = "interpretation=box";
const UVS: &str =
    "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;podExtent=2;podName=float32_t";
const NORMALS: &str =
    "arrayExtent=1;geoScope=fvr;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t";
const REST: &str =
    "arrayExtent=1;geoScope=vtx;interpretation=point;isGeomParam=true;podExtent=3;podName=float32_t";

fn scalar<'a>(name: &'a str, meta: &'a str, pod: Pod, extent: usize) -> Named<'a> {
    Named { name, meta, kind: Kind::Scalar, pod, extent, sampling: 0 }
}

fn array<'a>(name: &'a str, meta: &'a str, pod: Pod, extent: usize) -> Named<'a> {
    Named { name, meta, kind: Kind::Array, pod, extent, sampling: 0 }
}

fn sampled(named: Named<'_>) -> Named<'_> {
    Named { sampling: FRAMES, ..named }
}

/// A part: a transform that does nothing, and the mesh in it.
fn object<W: Write + Seek>(
    out: &mut Out<W>,
    mesh: &Mesh,
    piece: &Piece,
    moving: &Moving,
    rest: Option<&[Vec3]>,
    groups: &[u32],
) -> io::Result<Written> {
    let counts = piece.faces.clone().map(|f| mesh.face(f).len() as u32);
    let corners = piece.corners(mesh).map(|c| mesh.corners[c] - piece.vertices.start as u32);
    let mut geometry = vec![
        out.property(&sampled(scalar(".selfBnds", BOX, Pod::F64, 6)), &moving.bounds)?,
        out.property(&sampled(array("P", "geoScope=vtx;interpretation=point", Pod::F32, 3)), &moving.points)?,
        out.constant(&sampled(array(".faceIndices", "", Pod::I32, 1)), &integers(corners))?,
        out.constant(&sampled(array(".faceCounts", "", Pod::I32, 1)), &integers(counts))?,
    ];
    if let Some(uvs) = &mesh.uvs {
        let (values, indices) = piece.layer(mesh, uvs);
        let values = values.iter().map(|uv| super::layer::flip(*uv)).flat_map(|uv| uv.to_array());
        let values: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
        let values = out.constant(&sampled(array(".vals", UVS, Pod::F32, 2)), &values)?;
        geometry.push(indexed(out, "uv", UVS, values, &indices)?);
    }
    if !groups.is_empty() {
        let values = out.property(&sampled(array(".vals", NORMALS, Pod::F32, 3)), &moving.normals)?;
        let first = piece.normals.start as u32;
        let indices: Vec<u32> = piece.corners(mesh).map(|c| groups[c] - first).collect();
        geometry.push(indexed(out, "N", NORMALS, values, &indices)?);
    }
    let mut kept = Vec::new();
    if let Some(rest) = rest {
        let bytes = floats(&rest[piece.vertices.clone()]);
        kept.push(out.constant(&array("Pref", REST, Pod::F32, 3), &bytes)?);
    }
    if let Some(normals) = &mesh.normals {
        let (values, indices) = piece.layer(mesh, normals);
        let values = out.constant(&array(".vals", NORMALS, Pod::F32, 3), &floats(&values))?;
        kept.push(indexed(out, "Nref", NORMALS, values, &indices)?);
    }
    for attribute in stored(mesh, piece) {
        let Stored { name, meta, width, values, indices } = attribute;
        let bytes: Vec<u8> = values.into_iter().flat_map(f32::to_le_bytes).collect();
        let values = out.constant(&array(".vals", &meta, Pod::F32, width), &bytes)?;
        kept.push(indexed(out, &name, &meta, values, &indices)?);
    }
    if !kept.is_empty() {
        geometry.push(out.compound(".arbGeomParams", "", &kept)?);
    }
    let geometry = out.compound(".geom", POLYGONS, &geometry)?;
    let sets = face_sets(out, mesh, piece)?;
    let shape = out.object(&format!("{}Shape", piece.name), POLYGONS_OBJECT, &[geometry], &sets)?;
    let inherits = out.constant(&scalar(".inherits", "", Pod::Bool, 1), &[1])?;
    let transform = out.compound(".xform", TRANSFORM, &[inherits])?;
    out.object(&piece.name, TRANSFORM_OBJECT, &[transform], &[shape])
}

/// Values and which of them each corner has.
fn indexed<W: Write + Seek>(
    out: &mut Out<W>,
    name: &str,
    meta: &str,
    values: Written,
    indices: &[u32],
) -> io::Result<Written> {
    let indices = integers(indices.iter().copied());
    let indices = out.constant(&sampled(array(".indices", "", Pod::U32, 1)), &indices)?;
    out.compound(name, meta, &[values, indices])
}

/// One face set a material.
fn face_sets<W: Write + Seek>(out: &mut Out<W>, mesh: &Mesh, piece: &Piece) -> io::Result<Vec<Written>> {
    let mut sets = Vec::new();
    for (material, name) in &piece.materials {
        let members = piece.faces.clone().filter(|f| mesh.face_materials[*f] as usize == *material);
        let members = integers(members.map(|f| (f - piece.faces.start) as u32));
        let color: Vec<u8> =
            mesh.materials[*material].base_color.iter().flat_map(|c| c.to_le_bytes()).collect();
        let color = out.constant(&scalar("baseColor", "interpretation=rgba", Pod::F32, 4), &color)?;
        let nothing: Vec<u8> =
            [[f64::MAX; 3], [-f64::MAX; 3]].as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        let properties = [
            out.constant(&scalar(".selfBnds", BOX, Pod::F64, 6), &nothing)?,
            out.constant(&array(".faces", "", Pod::I32, 1), &members)?,
            out.compound(".userProperties", "", &[color])?,
        ];
        let set = out.compound(".faceset", FACE_SET, &properties)?;
        sets.push(out.object(name, FACE_SET_OBJECT, &[set], &[])?);
    }
    Ok(sets)
}
