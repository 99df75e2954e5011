//! Frame sequences: a folder of meshes, such as OBJ or PLY files, one pose each.

mod list;

use std::path::Path;
use std::sync::Mutex;

use glam::Vec3;
use rayon::prelude::*;
use sinew::animation::Frames;
use sinew::progress::Progress;

use crate::formats::{self, Format, tell};
use crate::room::room;
use crate::scene::Poses;
use crate::source::Source;
use crate::{Error, Result, StaticMesh};

pub use list::{list, matches, meshes_in};

/// The format of a frame, by the ending of its name.
fn kind(path: &Path) -> Option<&'static Format> {
    formats::by_ending(path).filter(|format| format.reads.is_frame())
}

/// Reads frames in the given order. The mesh with its UVs and materials is that of the first frame; all
/// others have to have the same faces.
///
/// Frames are read in parallel, and of several bad ones the first is reported. When `progress` cancels,
/// the answer is an [`Error::Io`] of the kind `Interrupted`.
pub fn read(files: &[Source], progress: &dyn Progress) -> Result<(StaticMesh, Frames)> {
    let (format, first) = read_first(files)?;
    let vertex_count = first.positions.len();
    let mut positions = room(files.len(), vertex_count, files[0].path())?;
    positions.resize(3 * files.len() * vertex_count, 0.0);
    positions[..3 * vertex_count].copy_from_slice(bytemuck::cast_slice(&first.positions));

    let done = Mutex::new(1);
    let error = positions
        .par_chunks_mut(3 * vertex_count)
        .zip(files)
        .enumerate()
        .skip(1)
        .map(|(frame, (out, file))| {
            let report = || report_frame(&done, files.len(), file.path(), progress);
            let out = bytemuck::cast_slice_mut(out);
            format.open(file)?.frame_into(frame, &first.mesh, out).and_then(|()| report())
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
    files: Vec<Source>,
    format: &'static Format,
    next: usize,
}

impl SequenceStream {
    /// Reads the first of the given frames. All others have to have the same faces.
    pub fn open(files: Vec<Source>) -> Result<Self> {
        let (format, first) = read_first(&files)?;
        Ok(Self { first, files, format, next: 0 })
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
            frame => self.format.open(file)?.frame_into(frame, &self.first.mesh, out)?,
        }
        self.next += 1;
        Ok(true)
    }
}

impl Poses for SequenceStream {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        Self::next_into(self, out)
    }
}

/// Reads the first frame and checks that all are of its format.
fn read_first(files: &[Source]) -> Result<(&'static Format, StaticMesh)> {
    let Some(file) = files.first() else {
        return Err(Error::unsupported(Path::new("."), "the sequence has no frames"));
    };
    let path = file.path();
    let Some(format) = kind(path).or_else(|| tell(file).ok().filter(|f| f.reads.is_frame())) else {
        let message = format!("the file is no mesh; frames are {}", frames_in_words("or"));
        return Err(Error::unsupported(path, message));
    };
    if let Some(other) = files[1..].iter().find(|file| kind(file.path()) != Some(format)) {
        let message = format!("the frame is not of the same format as the first, {}", path.display());
        return Err(Error::unsupported(other.path(), message));
    }
    Ok((format, format.open(file)?.mesh(None)?))
}

/// Formats of frames, as a list in a sentence.
fn frames_in_words(word: &str) -> String {
    formats::list(word, |f| f.reads.is_frame())
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
