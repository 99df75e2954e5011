//! PC2, the point cache of 3ds Max, also written by Blender, Houdini and others.
//!
//! Little-endian. A header of 32 bytes: `POINTCACHE2\0`, version (i32, 1), vertices (i32), first frame
//! (f32), frames from one sample to the next (f32), samples (i32). Then x y z (f32) of every vertex, sample
//! after sample. Faces are in another file, and the frame rate is nowhere.

mod entry;

pub use entry::PC2;

use std::io::{BufReader, Read};
use std::path::Path;

use glam::Vec3;
use sinew::animation::Frames;

use crate::containers::mapped::Floats;
use crate::scene::point_cache::{CacheStream, Counts, PointCache, STREAM_BUFFER, stored_count, write_poses};
use crate::source::{Bytes, Source};
use crate::{Error, Result, Target, Warning, save_target};

const MAGIC: [u8; 12] = *b"POINTCACHE2\0";
const HEADER: usize = 32;

/// Some writers store frames per second where frames per sample belong. Nobody samples only every tenth
/// frame, and nobody plays fewer than ten a second.
const SMALLEST_FPS: f32 = 10.0;

/// Opens a point cache. Positions are mapped, not read, so that this takes no time and no memory.
///
/// The file must not be cut short by another program while the cache is in use.
pub fn open(source: impl Into<Source>) -> Result<PointCache> {
    let source = source.into();
    opened(&source.map()?, source.path())
}

/// A point cache over these bytes.
fn opened(bytes: &Bytes, path: &Path) -> Result<PointCache> {
    let header = Header::parse(bytes, bytes.len() as u64, path)?;
    let floats = header.counts.floats(path)?;
    match Floats::new(bytes, HEADER, floats) {
        Some(data) => Ok(header.with_data(data)),
        None => parse(bytes, path),
    }
}

/// Opens a point cache to read one pose after the other. Unlike with [`open`], poses that were read do not
/// stay in memory for as long as the system likes.
pub fn stream(source: impl Into<Source>) -> Result<CacheStream> {
    let source = source.into();
    let (path, length) = (source.path(), source.length()?);
    let mut file = BufReader::with_capacity(STREAM_BUFFER, source.reader()?);
    let mut bytes = Vec::with_capacity(HEADER);
    (&mut file).take(HEADER as u64).read_to_end(&mut bytes).map_err(Error::io(path))?;
    let header = Header::parse(&bytes, length, path)?;
    Ok(CacheStream {
        frame_count: header.counts.frames,
        vertex_count: header.counts.vertices,
        fps: header.fps(),
        warnings: header.warnings,
        file,
        path: path.into(),
        big_endian: false,
        next: 0,
    })
}

/// Reads a point cache from memory. `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<PointCache> {
    let header = Header::parse(bytes, bytes.len() as u64, path)?;
    let values = &bytes[HEADER..HEADER + 4 * header.counts.floats(path)?];
    let data: Vec<f32> = values.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    Ok(header.with_data(data))
}

/// Writes a point cache frame by frame: `pose` fills in the positions of the frame it is given. Returns
/// the number of bytes.
pub fn write(
    path: &Path,
    vertex_count: usize,
    frame_count: usize,
    mut pose: impl FnMut(usize, &mut [Vec3]),
) -> Result<u64> {
    try_write(path, vertex_count, frame_count, |frame, out| {
        pose(frame, out);
        Ok(())
    })
}

/// Like [`write()`], but a pose can fail, and then nothing is written.
pub fn try_write(
    path: &Path,
    vertex_count: usize,
    frame_count: usize,
    pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
) -> Result<u64> {
    Ok(save_target(path, |to| put(to, vertex_count, frame_count, pose))?.0)
}

/// The same into any file.
fn put(
    to: &mut Target,
    vertex_count: usize,
    frame_count: usize,
    pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
) -> Result<()> {
    let path = to.path();
    let vertices = stored_count(vertex_count, "vertices", path)?;
    let frames = stored_count(frame_count, "frames", path)?;
    to.write(|out| {
        out.write_all(&MAGIC)?;
        out.write_all(&1_i32.to_le_bytes())?;
        out.write_all(&vertices.to_le_bytes())?;
        out.write_all(&0_f32.to_le_bytes())?;
        out.write_all(&1_f32.to_le_bytes())?;
        out.write_all(&frames.to_le_bytes())?;
        write_poses(out, vertex_count, frame_count, pose, f32::to_le_bytes)
    })
}

struct Header {
    counts: Counts,
    start: f32,
    sample_rate: f32,
    warnings: Vec<Warning>,
}

impl Header {
    /// Reads the header and checks that the file, `length` long, holds what it promises.
    fn parse(bytes: &[u8], length: u64, path: &Path) -> Result<Self> {
        if !bytes.starts_with(&MAGIC) {
            return Err(Error::malformed(path, "this is not a PC2 file: it does not start with POINTCACHE2"));
        }
        let Some(header) = bytes.first_chunk::<HEADER>() else {
            let (needed, available) = (HEADER as u64, bytes.len() as u64);
            return Err(Error::Truncated { path: path.into(), what: "headers".into(), needed, available });
        };
        let field = |at: usize| [0, 1, 2, 3].map(|i| header[at + i]);
        let version = i32::from_le_bytes(field(12));
        if version != 1 {
            return Err(Error::unsupported(path, format!("PC2 version {version} is not known, only 1")));
        }
        let counts = Counts::new(i32::from_le_bytes(field(28)), i32::from_le_bytes(field(16)), path)?;
        let warnings = counts.check_length(HEADER as u64, length, path)?;
        let (start, sample_rate) = (f32::from_le_bytes(field(20)), f32::from_le_bytes(field(24)));
        Ok(Self { counts, start, sample_rate, warnings })
    }

    fn fps(&self) -> Option<f64> {
        let told = self.sample_rate.is_finite() && self.sample_rate >= SMALLEST_FPS;
        told.then_some(f64::from(self.sample_rate))
    }

    fn with_data(self, data: impl AsRef<[f32]> + Send + Sync + 'static) -> PointCache {
        let fps = self.fps();
        PointCache {
            frames: Frames::new(data, self.counts.frames, self.counts.vertices),
            start: self.start,
            sample_rate: self.sample_rate,
            fps,
            warnings: self.warnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(version: i32, vertices: i32, start: f32, rate: f32, frames: i32) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(version.to_le_bytes());
        bytes.extend(vertices.to_le_bytes());
        bytes.extend(start.to_le_bytes());
        bytes.extend(rate.to_le_bytes());
        bytes.extend(frames.to_le_bytes());
        bytes
    }

    fn error(bytes: &[u8]) -> String {
        let from_memory = parse(bytes, Path::new("a.pc2")).unwrap_err().to_string();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        std::fs::write(&path, bytes).unwrap();
        let from_file = open(&path).unwrap_err().to_string();
        assert_eq!(from_file, from_memory.replace("a.pc2", &path.display().to_string()));
        from_memory
    }

    #[test]
    fn fields_stand_where_they_should() {
        let mut bytes = header(1, 2, 40.0, 1.0, 1);
        bytes.extend([1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].iter().flat_map(|x| x.to_le_bytes()));
        let cache = parse(&bytes, Path::new("a.pc2")).unwrap();
        assert_eq!(cache.frames.frame(0), [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
        assert_eq!((cache.start, cache.sample_rate, cache.fps), (40.0, 1.0, None));
        assert!(cache.warnings.is_empty());
    }

    #[test]
    fn frames_per_second_in_the_wrong_field_are_recognised() {
        let mut bytes = header(1, 1, 0.0, 25.0, 1);
        bytes.extend([0; 12]);
        assert_eq!(parse(&bytes, Path::new("a.pc2")).unwrap().fps, Some(25.0));
    }

    #[test]
    fn bytes_after_the_end_are_a_warning() {
        let mut bytes = header(1, 1, 0.0, 1.0, 2);
        bytes.extend([0; 27]);
        let cache = parse(&bytes, Path::new("a.pc2")).unwrap();
        assert_eq!(
            crate::warning::sentences(&cache.warnings),
            ["a.pc2: 3 bytes after the last frame are ignored"]
        );
        assert_eq!(cache.frames.len(), 2);
    }

    #[test]
    fn broken_files_get_a_sentence() {
        assert_eq!(error(b""), "a.pc2: this is not a PC2 file: it does not start with POINTCACHE2");
        assert_eq!(
            error(&header(1, 1, 0.0, 1.0, 1)[..20]),
            "a.pc2: the file is cut short: headers need 32 bytes, but only 20 are there"
        );
        assert_eq!(error(&header(2, 1, 0.0, 1.0, 1)), "a.pc2: PC2 version 2 is not known, only 1");
        assert_eq!(error(&header(1, 0, 0.0, 1.0, 1)), "a.pc2: the cache has no vertices");
        assert_eq!(error(&header(1, 1, 0.0, 1.0, 0)), "a.pc2: the cache has no frames");
        assert_eq!(error(&header(1, -5, 0.0, 1.0, 1)), "a.pc2: the cache says it has -5 vertices");
        let mut cut = header(1, 2, 0.0, 1.0, 3);
        cut.extend([0; 50]);
        assert_eq!(
            error(&cut),
            "a.pc2: the file is cut short: 3 frames of 2 vertices (2 frames are whole) need 104 bytes, but \
             only 82 are there"
        );
        // Nothing is allocated for such a promise.
        assert!(error(&header(1, i32::MAX, 0.0, 1.0, i32::MAX)).contains("(0 frames are whole)"));
    }

    #[test]
    fn what_is_written_is_mapped_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        let pose = |frame: usize, i: usize| Vec3::new(frame as f32, i as f32 + 0.1, -0.0);
        let bytes = write(&path, 7, 5, |frame, out| {
            out.iter_mut().enumerate().for_each(|(i, p)| *p = pose(frame, i));
        });
        assert_eq!(bytes.unwrap(), 32 + 7 * 5 * 12);
        let cache = open(&path).unwrap();
        assert_eq!((cache.frames.len(), cache.frames.vertex_count(), cache.sample_rate), (5, 7, 1.0));
        for frame in 0..5 {
            let expected: Vec<Vec3> = (0..7).map(|i| pose(frame, i)).collect();
            assert_eq!(cache.frames.frame(frame), expected);
        }
    }

    #[test]
    fn more_than_the_format_holds_is_refused_before_work() {
        let result = write(Path::new("a.pc2"), 1, 1 << 31, |_, _| unreachable!());
        assert_eq!(
            result.unwrap_err().to_string(),
            "a.pc2: 2147483648 frames are more than the format can hold"
        );
    }

    #[test]
    fn a_cache_that_is_cut_short_while_it_is_read_is_called_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pc2");
        write(&path, 1000, 10, |_, pose| pose.fill(Vec3::X)).unwrap();
        let mut stream = stream(Source::file(&path)).unwrap();
        std::fs::File::options().write(true).open(&path).unwrap().set_len(60_000).unwrap();
        let mut pose = vec![Vec3::ZERO; 1000];
        let error = (0..10).find_map(|_| stream.next_into(&mut pose).err()).unwrap().to_string();
        assert_eq!(error, format!("{}: the file became shorter while it was read", path.display()));
    }
}
