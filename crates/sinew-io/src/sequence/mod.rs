//! Frame sequences: a folder of OBJ or PLY files, one pose each.

mod list;
mod natural;

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use glam::Vec3;
use rayon::prelude::*;
use sinew::animation::Frames;
use sinew::geometry::Mesh;
use sinew::progress::Progress;

use crate::room::room;
use crate::{Error, Result, StaticMesh, obj, ply};

pub use list::list;
pub(crate) use natural::compare as natural_order;

/// The format of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Obj,
    Ply,
}

impl Kind {
    /// Tells the format by the ending of the name.
    fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        if extension.eq_ignore_ascii_case("obj") {
            Some(Self::Obj)
        } else if extension.eq_ignore_ascii_case("ply") {
            Some(Self::Ply)
        } else {
            None
        }
    }

    /// Reads a file whole.
    fn read(self, path: &Path) -> Result<StaticMesh> {
        match self {
            Self::Obj => obj::read(path),
            Self::Ply => ply::read(path),
        }
    }

    /// Reads at least positions and faces.
    fn read_faces(self, path: &Path) -> Result<StaticMesh> {
        match self {
            Self::Obj => obj::read_faces(path),
            Self::Ply => ply::read(path),
        }
    }
}

/// Reads frames in the given order. The mesh with its UVs and materials is that of the first frame; all
/// others have to have the same faces.
///
/// Frames are read in parallel, and of several bad ones the first is reported. When `progress` cancels,
/// the answer is an [`Error::Io`] of the kind `Interrupted`.
pub fn read(files: &[PathBuf], progress: &dyn Progress) -> Result<(StaticMesh, Frames)> {
    let (kind, first) = read_first(files)?;
    let vertex_count = first.positions.len();
    let mut positions = room(files.len(), vertex_count, &files[0])?;
    positions.resize(3 * files.len() * vertex_count, 0.0);
    positions[..3 * vertex_count].copy_from_slice(bytemuck::cast_slice(&first.positions));

    let done = Mutex::new(1);
    let error = positions
        .par_chunks_mut(3 * vertex_count)
        .zip(files)
        .enumerate()
        .skip(1)
        .map(|(frame, (out, file))| {
            let report = || report_frame(&done, files.len(), file, progress);
            read_frame(kind, frame, file, &first.mesh, bytemuck::cast_slice_mut(out)).and_then(|()| report())
        })
        .find_map_first(Result::err);
    match error {
        Some(error) => Err(error),
        None => Ok((first, Frames::new(positions, files.len(), vertex_count))),
    }
}

/// Frames that are read one after the other.
pub struct SequenceStream {
    /// The first frame, with UVs and materials.
    pub first: StaticMesh,
    files: Vec<PathBuf>,
    kind: Kind,
    next: usize,
}

impl SequenceStream {
    /// Reads the first of the given frames. All others have to have the same faces.
    pub fn open(files: Vec<PathBuf>) -> Result<Self> {
        let (kind, first) = read_first(&files)?;
        Ok(Self { first, files, kind, next: 0 })
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.files.len()
    }

    /// Writes the next pose into `out`, one place a vertex; `false` when there is none.
    ///
    /// # Panics
    /// When `out` has another length.
    pub fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        let Some(file) = self.files.get(self.next) else { return Ok(false) };
        match self.next {
            0 => out.copy_from_slice(&self.first.positions),
            frame => read_frame(self.kind, frame, file, &self.first.mesh, out)?,
        }
        self.next += 1;
        Ok(true)
    }
}

/// Reads the first frame and checks that all are of its format.
fn read_first(files: &[PathBuf]) -> Result<(Kind, StaticMesh)> {
    let Some(path) = files.first() else {
        return Err(Error::unsupported(Path::new("."), "the sequence has no frames"));
    };
    let kind = Kind::of(path).ok_or_else(|| Error::unsupported(path, "the file is neither OBJ nor PLY"))?;
    if let Some(other) = files.iter().find(|file| Kind::of(file) != Some(kind)) {
        let message = format!("the frame is not of the same format as the first, {}", path.display());
        return Err(Error::unsupported(other, message));
    }
    let first = kind.read(path)?;
    if first.positions.is_empty() {
        return Err(Error::malformed(path, "the first frame has no vertices"));
    }
    Ok((kind, first))
}

fn read_frame(kind: Kind, frame: usize, file: &Path, first: &Mesh, out: &mut [Vec3]) -> Result<()> {
    let StaticMesh { mesh, positions, .. } = kind.read_faces(file)?;
    let mismatch =
        |what, found, expected| Error::FrameMismatch { path: file.into(), frame, what, found, expected };
    if mesh.vertex_count != first.vertex_count {
        return Err(mismatch("vertices", mesh.vertex_count, first.vertex_count));
    }
    if mesh.face_count() != first.face_count() {
        return Err(mismatch("faces", mesh.face_count(), first.face_count()));
    }
    if let Some(face) = (0..mesh.face_count()).find(|&face| mesh.face(face) != first.face(face)) {
        let message = format!("face {face} of frame {frame} has other vertices than in the first frame");
        return Err(Error::malformed(file, message));
    }
    out.copy_from_slice(&positions);
    Ok(())
}

/// Counts a frame as done. The lock makes calls come one at a time and in ascending order.
fn report_frame(done: &Mutex<usize>, total: usize, file: &Path, progress: &dyn Progress) -> Result<()> {
    let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    *done += 1;
    progress.advance(*done as f64 / total as f64);
    if progress.cancelled() {
        let source = std::io::Error::new(std::io::ErrorKind::Interrupted, "reading was cancelled");
        return Err(Error::Io { path: file.into(), source });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
