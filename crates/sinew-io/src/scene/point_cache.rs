//! What PC2 and MDD files have in common: poses without faces.

use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::animation::Frames;

use crate::source::ReadSeek;
use crate::warning::{Counted, count};
use crate::{Error, Result, Warning};

/// The contents of a point cache.
#[derive(Debug)]
pub struct PointCache {
    /// Positions in every frame.
    pub frames: Frames,
    /// Frame number of the first sample.
    pub start: f32,
    /// Frames from one sample to the next.
    pub sample_rate: f32,
    /// Frames per second, where the file tells.
    pub fps: Option<f64>,
    /// What was found amiss.
    pub warnings: Vec<Warning>,
}

/// Numbers of frames and vertices that a header claims, checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub frames: usize,
    pub vertices: usize,
}

impl Counts {
    /// Refuses counts that are negative or zero.
    pub fn new(frames: i32, vertices: i32, path: &Path) -> Result<Self> {
        let count = |value: i32, what: &str| match usize::try_from(value) {
            Ok(0) => Err(Error::malformed(path, format!("the cache has no {what}"))),
            Ok(value) => Ok(value),
            Err(_) => Err(Error::malformed(path, format!("the cache says it has {value} {what}"))),
        };
        Ok(Self { frames: count(frames, "frames")?, vertices: count(vertices, "vertices")? })
    }

    /// Bytes of one frame. Fits: a count is less than 2³¹.
    pub fn frame_bytes(self) -> u64 {
        12 * self.vertices as u64
    }

    /// Checks that a file of `available` bytes holds all frames after `before` other bytes. Bytes after
    /// the last frame are a warning.
    pub fn check_length(self, before: u64, available: u64, path: &Path) -> Result<Vec<Warning>> {
        let needed = before.saturating_add(self.frame_bytes().saturating_mul(self.frames as u64));
        if available < needed {
            let whole = available.saturating_sub(before) / self.frame_bytes();
            let frames = count(self.frames, "frame", "frames");
            let vertices = count(self.vertices, "vertex", "vertices");
            let whole = count(whole as usize, "frame is", "frames are");
            let what = format!("{frames} of {vertices} ({whole} whole)");
            return Err(Error::Truncated { path: path.into(), what, needed, available });
        }
        let extra = available - needed;
        if extra == 0 {
            return Ok(Vec::new());
        }
        Ok(vec![Warning::Count { count: extra as usize, of: Counted::BytesAfter }.at(path)])
    }

    /// Number of floats of all frames, whose bytes can be addressed.
    pub fn floats(self, path: &Path) -> Result<usize> {
        self.vertices
            .checked_mul(self.frames)
            .and_then(|points| points.checked_mul(12))
            .map(|bytes| bytes / 4)
            .ok_or_else(|| Error::unsupported(path, "the cache is larger than this machine can address"))
    }
}

/// Bytes that are read ahead of a cache: little, as a hundred may be open at once, and poses of any size are read into their place.
pub const STREAM_BUFFER: usize = 1 << 16;

/// The poses of a cache, read one after the other.
pub struct CacheStream {
    /// Frames in all.
    pub frame_count: usize,
    /// Vertices in every frame.
    pub vertex_count: usize,
    /// Frames per second, where the file tells.
    pub fps: Option<f64>,
    /// What was found amiss.
    pub warnings: Vec<Warning>,
    pub(crate) file: BufReader<Box<dyn ReadSeek>>,
    pub(crate) path: PathBuf,
    pub(crate) big_endian: bool,
    pub(crate) next: usize,
}

impl CacheStream {
    /// Writes the next pose into `out`, one place a vertex; `false` when there is none.
    ///
    /// # Panics
    /// When `out` has another length.
    pub fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        if self.next == self.frame_count {
            return Ok(false);
        }
        assert_eq!(out.len(), self.vertex_count, "one place a vertex");
        let floats = bytemuck::cast_slice_mut::<Vec3, f32>(out);
        self.file.read_exact(bytemuck::cast_slice_mut(floats)).map_err(Error::io(&self.path))?;
        // Nothing to do where the machine has them so.
        if self.big_endian != cfg!(target_endian = "big") {
            floats.iter_mut().for_each(|value| *value = f32::from_bits(value.to_bits().swap_bytes()));
        }
        self.next += 1;
        Ok(true)
    }
}

/// A count as both formats store it.
pub(crate) fn stored_count(count: usize, what: &str, path: &Path) -> Result<i32> {
    i32::try_from(count)
        .map_err(|_| Error::unsupported(path, format!("{count} {what} are more than the format can hold")))
}

/// Streams poses: asks `pose` for each frame in turn and writes each number through `encode`.
pub(crate) fn write_poses(
    out: &mut dyn Write,
    vertex_count: usize,
    frame_count: usize,
    mut pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
    encode: impl Fn(f32) -> [u8; 4],
) -> std::io::Result<()> {
    let mut positions = vec![Vec3::ZERO; vertex_count];
    let mut bytes = Vec::with_capacity(12 * vertex_count);
    for frame in 0..frame_count {
        pose(frame, &mut positions)?;
        bytes.clear();
        bytes.extend(positions.iter().flat_map(|p| p.to_array()).flat_map(&encode));
        out.write_all(&bytes)?;
    }
    Ok(())
}
