//! NPZ and NPY in the table.

use std::path::Path;

use sinew::progress::Progress;

use super::NumpyFile;
use crate::formats::read::all_poses;
use crate::formats::{
    Facts, Format, Holds, Keeps, NextPose, PoseSet, Reader, Start, UnitRule, Writer, Written, numpy,
};
use crate::open::{self, DEFAULT_FPS, OpenOptions, Opened, PoseStream};
use crate::{Result, StaticMesh};

/// NumPy's archive of arrays.
pub static NPZ: Format = Format {
    name: "NPZ archive",
    article: "an",
    labels: &["NPZ"],
    endings: &["npz"],
    written: &["npz"],
    reads: Holds::ANIMATION,
    writes: Holds::ANIMATION,
    keeps: Keeps { fps: true, rest: true, ..Keeps::NOTHING },
    sampled: false,
    unit: UnitRule::Untold,
    notes: "arrays `vertices` (frames × vertices × 3), `faces`, `rest`, `fps`, and other names in use; stored or \
            compressed",
    signature: is_archive_of_arrays,
    shape: |_| false,
    reader: &Files,
    writer: &Archives,
};

/// NumPy's single array.
pub static NPY: Format = Format {
    name: "NPY array",
    article: "an",
    labels: &["NPY"],
    endings: &["npy"],
    written: &["npy"],
    reads: Holds::CACHE,
    writes: Holds::CACHE,
    keeps: Keeps::NOTHING,
    sampled: false,
    unit: UnitRule::Untold,
    notes: "frames × vertices × 3, f4 or f8; with a mesh",
    signature: |start| start.bytes.starts_with(b"\x93NUMPY"),
    shape: |_| false,
    reader: &Files,
    writer: &Arrays,
};

/// The first file of the archive is an array. USDZ files are archives as well.
fn is_archive_of_arrays(start: &Start) -> bool {
    let name = || {
        let length = u16::from_le_bytes(*start.bytes.get(26..)?.first_chunk()?);
        start.bytes.get(30..30 + usize::from(length))
    };
    start.bytes.starts_with(b"PK\x03\x04") && name().is_some_and(|name| name.ends_with(b".npy"))
}

struct Files;

impl Reader for Files {
    fn holds(&self, path: &Path) -> Result<Option<Holds>> {
        let faces = numpy::open(path)?.mesh.face_count() > 0;
        Ok(Some(if faces { Holds::ANIMATION } else { Holds::CACHE }))
    }

    fn facts(&self, path: &Path) -> Result<Facts> {
        Ok(Facts { fps: numpy::open(path)?.fps, ..Facts::default() })
    }

    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        let file = numpy::open(path)?;
        let mut positions = vec![glam::Vec3::ZERO; file.vertex_count()];
        match &file.rest {
            Some(rest) => positions.clone_from(rest),
            None => drop(open::Poses::next_into(&mut file.poses()?, &mut positions)?),
        }
        Ok(StaticMesh { mesh: file.mesh, positions, warnings: file.warnings, ..StaticMesh::default() })
    }

    fn stream(&self, path: &Path, _options: &OpenOptions) -> Result<PoseStream> {
        stream(path, numpy::open(path)?)
    }

    fn animation(&self, path: &Path, _options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        let file = numpy::open(path)?;
        let Some(frames) = file.mapped()? else { return all_poses(path, stream(path, file)?, progress) };
        let NumpyFile { mesh, rest, fps, warnings, .. } = file;
        let animation = sinew::animation::MeshAnimation {
            mesh,
            rest,
            frames,
            fps: fps.unwrap_or(DEFAULT_FPS),
            clips: Vec::new(),
        };
        let (source, assumed_fps) = (open::name(path), fps.is_none());
        let facts = Facts { fps, ..Facts::default() };
        Ok(Opened { animation, warnings, source, input_bytes: 0, clip: None, assumed_fps, facts })
    }
}

fn stream(path: &Path, file: NumpyFile) -> Result<PoseStream> {
    let (poses, vertices) = (Box::new(file.poses()?), file.vertex_count());
    let NumpyFile { mesh, rest, fps, frame_count, warnings, .. } = file;
    let stream = PoseStream::new(mesh, vertices, open::name(path), poses).with_warnings(warnings);
    let (assumed_fps, facts) = (fps.is_none(), Facts { fps, ..Facts::default() });
    let fps = fps.unwrap_or(DEFAULT_FPS);
    Ok(PoseStream { rest, fps, frame_count: Some(frame_count), assumed_fps, facts, ..stream })
}

struct Archives;

impl Writer for Archives {
    fn poses(&self, path: &Path, set: &PoseSet, next: NextPose) -> Result<Written> {
        Ok(numpy::write_npz(path, set, next)?.into())
    }
}

struct Arrays;

impl Writer for Arrays {
    fn poses(&self, path: &Path, set: &PoseSet, next: NextPose) -> Result<Written> {
        Ok(numpy::write_npy(path, set.mesh.vertex_count, set.frames, next)?.into())
    }
}
