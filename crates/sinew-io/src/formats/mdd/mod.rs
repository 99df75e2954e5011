//! MDD, the point cache of LightWave 3D, also known to Blender, Maya, modo and others.
//!
//! Big-endian: frames (i32), vertices (i32), the time of every frame in seconds (f32), then x y z (f32) of
//! every vertex, frame after frame. Faces are in another file.

mod entry;

pub use entry::MDD;

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use glam::Vec3;
use sinew::animation::Frames;

use crate::scene::point_cache::{CacheStream, Counts, PointCache, STREAM_BUFFER, stored_count, write_poses};
use crate::source::Source;
use crate::warning::Remark;
use crate::{Error, Result, Target, Warning, save_target};

const HEADER: u64 = 8;

/// Steps between frames may differ by this share: times are stored as f32 and often rounded.
const UNEVEN: f64 = 0.01;

/// Reads a point cache. All frames are held in memory, since their bytes have to be swapped.
pub fn read(source: impl Into<Source>) -> Result<PointCache> {
    let source = source.into();
    read_from(BufReader::with_capacity(1 << 20, source.reader()?), source.length()?, source.path())
}

/// The most times that a frame rate is told from when poses are read one after the other.
const MOST_TIMES: usize = 4096;

/// Opens a point cache to read one pose after the other.
pub fn stream(source: impl Into<Source>) -> Result<CacheStream> {
    let source = source.into();
    let (path, length) = (source.path(), source.length()?);
    let mut file = BufReader::with_capacity(STREAM_BUFFER, source.reader()?);
    let (counts, mut warnings) = read_counts(&mut file, length, path)?;
    let times = read_floats(&mut file, counts.frames.min(MOST_TIMES), path)?;
    file.seek(SeekFrom::Start(HEADER + 4 * counts.frames as u64)).map_err(Error::io(path))?;
    let fps = told_rate(&times, &mut warnings, path);
    let (frame_count, vertex_count) = (counts.frames, counts.vertices);
    let (path, big_endian) = (path.into(), true);
    Ok(CacheStream { frame_count, vertex_count, fps, warnings, file, path, big_endian, next: 0 })
}

/// Reads a point cache from memory. `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<PointCache> {
    read_from(bytes, bytes.len() as u64, path)
}

/// Writes a point cache frame by frame: `pose` fills in the positions of the frame it is given. Returns
/// the number of bytes.
pub fn write(
    path: &Path,
    vertex_count: usize,
    frame_count: usize,
    fps: f64,
    mut pose: impl FnMut(usize, &mut [Vec3]),
) -> Result<u64> {
    try_write(path, vertex_count, frame_count, fps, |frame, out| {
        pose(frame, out);
        Ok(())
    })
}

/// Like [`write()`], but a pose can fail, and then nothing is written.
pub fn try_write(
    path: &Path,
    vertex_count: usize,
    frame_count: usize,
    fps: f64,
    pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
) -> Result<u64> {
    Ok(save_target(path, |to| put(to, vertex_count, frame_count, fps, pose))?.0)
}

/// The same into any file.
fn put(
    to: &mut Target,
    vertex_count: usize,
    frame_count: usize,
    fps: f64,
    pose: impl FnMut(usize, &mut [Vec3]) -> std::io::Result<()>,
) -> Result<()> {
    let path = to.path();
    let vertices = stored_count(vertex_count, "vertices", path)?;
    let frames = stored_count(frame_count, "frames", path)?;
    to.write(|out| {
        out.write_all(&frames.to_be_bytes())?;
        out.write_all(&vertices.to_be_bytes())?;
        for frame in 0..frame_count {
            out.write_all(&((frame as f64 / fps) as f32).to_be_bytes())?;
        }
        write_poses(out, vertex_count, frame_count, pose, f32::to_be_bytes)
    })
}

/// Reads what the header claims and checks that a file of `length` bytes holds it.
fn read_counts(reader: &mut impl Read, length: u64, path: &Path) -> Result<(Counts, Vec<Warning>)> {
    if length < HEADER {
        let what = "headers".into();
        return Err(Error::Truncated { path: path.into(), what, needed: HEADER, available: length });
    }
    let mut header = [[0; 4]; 2];
    reader.read_exact(header.as_flattened_mut()).map_err(Error::io(path))?;
    let [frames, vertices] = header.map(i32::from_be_bytes);
    let counts = Counts::new(frames, vertices, path)?;
    let before = HEADER + 4 * counts.frames as u64;
    // Nothing else tells what a file is that only has the name of one.
    if length < before.saturating_add(counts.frame_bytes()) {
        let Counts { frames, vertices } = counts;
        let message = format!(
            "this is no MDD cache, or it is cut short before its first frame ends: it begins as one with {frames} frames of \
             {vertices} vertices (0 frames are whole) would"
        );
        return Err(Error::malformed(path, message));
    }
    Ok((counts, counts.check_length(before, length, path)?))
}

/// The frame rate, if the times tell one; else a warning says so.
fn told_rate(times: &[f32], warnings: &mut Vec<Warning>, path: &Path) -> Option<f64> {
    match frame_rate(times) {
        Ok(fps) => fps,
        Err(uneven) => {
            warnings.push(Warning::from(uneven).at(path));
            None
        }
    }
}

fn read_from(mut reader: impl Read, length: u64, path: &Path) -> Result<PointCache> {
    let (counts, mut warnings) = read_counts(&mut reader, length, path)?;
    let times = read_floats(&mut reader, counts.frames, path)?;
    let data = read_floats(&mut reader, counts.floats(path)?, path)?;
    let fps = told_rate(&times, &mut warnings, path);
    Ok(PointCache {
        frames: Frames::new(data, counts.frames, counts.vertices),
        start: fps.map_or(0.0, |fps| (f64::from(times[0]) * fps) as f32),
        sample_rate: 1.0,
        fps,
        warnings,
    })
}

/// Reads big-endian floats. The caller has checked that so many are there.
fn read_floats(reader: &mut impl Read, count: usize, path: &Path) -> Result<Vec<f32>> {
    let mut values = vec![0.0_f32; count];
    reader.read_exact(bytemuck::cast_slice_mut(&mut values)).map_err(Error::io(path))?;
    for value in &mut values {
        *value = f32::from_be_bytes(value.to_ne_bytes());
    }
    Ok(values)
}

/// Frames per second from the frames' times. Nothing for a single frame and for times that are frame
/// numbers, as some writers store them; a sentence when frames are not evenly spaced.
fn frame_rate(times: &[f32]) -> std::result::Result<Option<f64>, Remark> {
    let (Some(&first), Some(&last)) = (times.first(), times.last()) else { return Ok(None) };
    if times.len() < 2 {
        return Ok(None);
    }
    let step = (f64::from(last) - f64::from(first)) / (times.len() - 1) as f64;
    // Far from zero, an f32 cannot say the time any better.
    let coarse = 2.0 * f64::from(f32::EPSILON) * f64::from(last.abs());
    let uneven = |pair: &[f32]| {
        let off = (f64::from(pair[1]) - f64::from(pair[0]) - step).abs();
        off.is_nan() || off > UNEVEN * step + coarse
    };
    if !(step > 0.0 && step.is_finite()) || times.windows(2).any(uneven) {
        return Err(Remark::RateUnknown);
    }
    let fps = usual_rate(1.0 / step, 1e-4 + coarse / f64::from(last - first));
    Ok((fps != 1.0).then_some(fps))
}

/// The whole or NTSC rate that `fps` may stand for when it is wrong by a share of `error`.
fn usual_rate(fps: f64, error: f64) -> f64 {
    let whole = fps.round();
    let ntsc = whole * 1000.0 / 1001.0;
    let near = |rate: f64| (fps - rate).abs() < error * rate;
    [whole, ntsc].into_iter().find(|rate| near(*rate)).unwrap_or(fps)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(frames: i32, vertices: i32, floats: &[f32]) -> Vec<u8> {
        let mut bytes = [frames.to_be_bytes(), vertices.to_be_bytes()].concat();
        bytes.extend(floats.iter().flat_map(|x| x.to_be_bytes()));
        bytes
    }

    fn error(bytes: &[u8]) -> String {
        parse(bytes, Path::new("a.mdd")).unwrap_err().to_string()
    }

    #[test]
    fn fields_stand_where_they_should() {
        let file = bytes(2, 1, &[0.5, 0.54, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let cache = parse(&file, Path::new("a.mdd")).unwrap();
        assert_eq!(cache.frames.frame(1), [Vec3::new(4.0, 5.0, 6.0)]);
        assert_eq!(cache.fps, Some(25.0));
        assert_eq!((cache.start, cache.sample_rate), (12.5, 1.0));
        assert!(cache.warnings.is_empty());
    }

    #[test]
    fn rates_are_found_in_rounded_times() {
        let rate = |fps: f64, from: usize| {
            let times: Vec<f32> = (from..from + 100).map(|f| (f as f64 / fps) as f32).collect();
            frame_rate(&times).unwrap().unwrap()
        };
        assert_eq!(rate(24.0, 0), 24.0);
        assert_eq!(rate(30000.0 / 1001.0, 100_000), 30000.0 / 1001.0);
        assert_eq!(rate(60.0, 1_000_000), 60.0);
        assert!((rate(12.5, 0) - 12.5).abs() < 1e-4);
        assert_eq!(frame_rate(&[3.0]), Ok(None));
        assert_eq!(frame_rate(&[0.0, 1.0, 2.0]), Ok(None), "frame numbers are not seconds");
    }

    #[test]
    fn uneven_times_and_bytes_after_the_end_are_warnings() {
        for times in [[0.0, 0.1, 0.5], [0.0, 0.0, 0.0], [2.0, 1.0, 0.0], [0.0, f32::NAN, 2.0], [f32::NAN; 3]]
        {
            let mut file = bytes(3, 1, &times);
            file.extend([0; 3 * 12 + 1]);
            let cache = parse(&file, Path::new("a.mdd")).unwrap();
            assert_eq!(cache.fps, None);
            assert_eq!(
                crate::warning::sentences(&cache.warnings),
                [
                    "a.mdd: 1 byte after the last frame is ignored",
                    "a.mdd: the times of the frames are not evenly spaced; the frame rate is taken as unknown"
                ]
            );
        }
    }

    #[test]
    fn broken_files_get_a_sentence() {
        assert_eq!(
            error(&[0; 5]),
            "a.mdd: the file is cut short: headers need 8 bytes, but only 5 are there"
        );
        assert_eq!(error(&[0; 8]), "a.mdd: the cache has no frames");
        assert_eq!(error(&bytes(1, 0, &[])), "a.mdd: the cache has no vertices");
        assert_eq!(error(&bytes(-1, 1, &[])), "a.mdd: the cache says it has -1 frames");
        assert_eq!(
            error(&bytes(2, 1, &[0.0; 2 + 5])),
            "a.mdd: the file is cut short: 2 frames of 1 vertex (1 frame is whole) need 40 bytes, but only 36 \
             are there"
        );
        // Nothing is allocated for such a promise.
        assert!(error(&bytes(i32::MAX, i32::MAX, &[0.0; 9])).contains("(0 frames are whole)"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.mdd");
        let pose = |frame: usize, i: usize| Vec3::new(frame as f32, i as f32 + 0.1, -0.0);
        let length = write(&path, 7, 5, 30.0, |frame, out| {
            out.iter_mut().enumerate().for_each(|(i, p)| *p = pose(frame, i));
        });
        assert_eq!(length.unwrap(), 8 + 5 * 4 + 7 * 5 * 12);
        let cache = read(&path).unwrap();
        assert_eq!((cache.frames.len(), cache.frames.vertex_count(), cache.fps), (5, 7, Some(30.0)));
        for frame in 0..5 {
            let expected: Vec<Vec3> = (0..7).map(|i| pose(frame, i)).collect();
            assert_eq!(cache.frames.frame(frame), expected);
        }
    }
}
