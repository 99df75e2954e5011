//! NPZ and NPY in the table.

use sinew::progress::Progress;

use super::NumpyFile;
use super::write::{put_npy, put_npz};
use crate::formats::{
    Document, Facts, Format, Holds, Keeps, NextPose, PoseSet, Start, UnitRule, Writer, numpy,
};
use crate::scene::{DEFAULT_FPS, OpenOptions, Opened, PoseStream, Poses};
use crate::source::Source;
use crate::{Result, StaticMesh, Target, Warning};

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
    document: open_archive,
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
    document: open_array,
    writer: &Singles,
};

/// The first file of the archive is an array. USDZ files are archives as well.
fn is_archive_of_arrays(start: &Start) -> bool {
    let name = || {
        let length = u16::from_le_bytes(*start.bytes.get(26..)?.first_chunk()?);
        start.bytes.get(30..30 + usize::from(length))
    };
    start.bytes.starts_with(b"PK\x03\x04") && name().is_some_and(|name| name.ends_with(b".npy"))
}

/// A file of which all is known but the poses.
struct Arrays {
    source: Source,
    file: NumpyFile,
    format: &'static Format,
}

fn open_archive(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Arrays { file: numpy::open(source)?, source: source.clone(), format: &NPZ }))
}

fn open_array(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Arrays { file: numpy::open(source)?, source: source.clone(), format: &NPY }))
}

impl Document for Arrays {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        self.format
    }

    fn holds(&self) -> Result<Holds> {
        Ok(if self.file.mesh.face_count() > 0 { Holds::ANIMATION } else { Holds::CACHE })
    }

    fn facts(&self) -> Result<Facts> {
        Ok(Facts { fps: self.file.fps, ..Facts::default() })
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        let file = &self.file;
        let mut positions = vec![glam::Vec3::ZERO; file.vertex_count()];
        match &file.rest {
            Some(rest) => positions.clone_from(rest),
            None => drop(file.poses()?.next_into(&mut positions)?),
        }
        let (mesh, warnings, facts) = (file.mesh.clone(), file.warnings.clone(), self.facts()?);
        Ok(StaticMesh { mesh, positions, warnings, facts })
    }

    fn stream(&self, _options: &OpenOptions) -> Result<PoseStream> {
        let NumpyFile { mesh, rest, fps, frame_count, warnings, .. } = &self.file;
        let (poses, vertices) = (Box::new(self.file.poses()?), self.file.vertex_count());
        let stream = PoseStream::new(mesh.clone(), vertices, self.source.name(), poses);
        Ok(PoseStream {
            rest: rest.clone(),
            fps: fps.unwrap_or(DEFAULT_FPS),
            frame_count: Some(*frame_count),
            assumed_fps: fps.is_none(),
            facts: self.facts()?,
            ..stream.with_warnings(warnings.clone())
        })
    }

    fn animation(&self, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        let Some(frames) = self.file.mapped()? else {
            return self.stream(options)?.all(self.source.path(), progress);
        };
        Ok(self.stream(options)?.into_opened(frames))
    }
}

struct Archives;

impl Writer for Archives {
    fn poses(&self, to: &mut Target, set: &PoseSet, next: NextPose) -> Result<Vec<Warning>> {
        put_npz(to, set, next).map(|()| Vec::new())
    }
}

struct Singles;

impl Writer for Singles {
    fn poses(&self, to: &mut Target, set: &PoseSet, next: NextPose) -> Result<Vec<Warning>> {
        put_npy(to, set.mesh.vertex_count, set.frames, next).map(|()| Vec::new())
    }
}
