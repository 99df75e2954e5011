//! Reading, whatever the format.

use std::path::Path;

use glam::Vec3;
use sinew::animation::Frames;
use sinew::geometry::Mesh;
use sinew::lod::Level;
use sinew::progress::Progress;

use super::sinew_file::{Contents, Stored};
use super::{Facts, Format, Holds};
use crate::motion::{MotionOptions, OpenedMotion};
use crate::open::{OpenOptions, Opened, PoseStream};
use crate::scene::{SampleOptions, SampledRig};
use crate::{Error, Result, StaticMesh};

/// Reads files of one format. A reader answers what [`Format::reads`] says its files hold:
///
/// | of a format that holds    | it has                                                      |
/// | ------------------------- | ----------------------------------------------------------- |
/// | faces                     | [`mesh`](Self::mesh)                                        |
/// | poses                     | [`stream`](Self::stream)                                    |
/// | rigs                      | [`rig`](Self::rig); `mesh` and `stream` follow from it      |
/// | joints                    | [`joints`](Self::joints); of rigs that follows as well      |
///
/// The rest has defaults, for readers that know no better way.
pub trait Reader: Sync {
    /// What this very file holds, of a format that can hold different things. `None` where that is what its
    /// format says.
    fn holds(&self, _path: &Path) -> Result<Option<Holds>> {
        Ok(None)
    }

    /// Units, axes and times, told without reading poses.
    fn facts(&self, _path: &Path) -> Result<Facts> {
        Ok(Facts::default())
    }

    /// One mesh in one pose, which can be the rest pose of a cache. `vertices` is how many it should have,
    /// where there is a choice.
    fn mesh(&self, path: &Path, vertices: Option<usize>) -> Result<StaticMesh> {
        let read = |weld| -> Result<StaticMesh> {
            let sampled = self.any_frame(path, &SampleOptions { weld, ..SampleOptions::default() })?;
            let SampledRig { rig, warnings, facts, .. } = sampled;
            Ok(StaticMesh { mesh: rig.mesh, positions: rig.rest, warnings, facts })
        };
        let usual = read(None)?;
        let fits = |mesh: &StaticMesh| vertices.is_none_or(|n| n == mesh.positions.len());
        if fits(&usual) {
            return Ok(usual);
        }
        for weld in [false, true] {
            let other = read(Some(weld))?;
            if fits(&other) {
                return Ok(other);
            }
        }
        Ok(usual)
    }

    /// The pose of one frame of a sequence, where each file is one. Its faces have to be those of `first`,
    /// the first frame. `frame` is for messages.
    fn frame_into(&self, path: &Path, frame: usize, first: &Mesh, out: &mut [Vec3]) -> Result<()> {
        same_faces(self.mesh(path, None)?, path, frame, first, out)
    }

    /// Opens a file to read it pose by pose. It may be larger than memory.
    fn stream(&self, path: &Path, options: &OpenOptions) -> Result<PoseStream> {
        Ok(PoseStream::of_rig(path, self.rig(path, &options.sampling())?))
    }

    /// All poses of a file, in memory or mapped.
    fn animation(&self, path: &Path, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        all_poses(path, self.stream(path, options)?, progress)
    }

    /// The rig of a file.
    fn rig(&self, path: &Path, _options: &SampleOptions) -> Result<SampledRig> {
        Err(Error::unsupported(path, "files of this format hold no rig"))
    }

    /// Like [`rig`](Self::rig), with the levels of detail that stand in for it far away, the finest first.
    fn rig_and_levels(&self, path: &Path, options: &SampleOptions) -> Result<(SampledRig, Vec<Level>)> {
        Ok((self.rig(path, options)?, Vec::new()))
    }

    /// Like [`rig`](Self::rig), for those who do not mind which clip it plays.
    fn any_frame(&self, path: &Path, options: &SampleOptions) -> Result<SampledRig> {
        self.rig(path, options)
    }

    /// Like [`rig`](Self::rig), for those who can also use bones that carry each pose to the next.
    fn rig_or_chain(&self, path: &Path, options: &SampleOptions) -> Result<Contents> {
        let SampledRig { rig, warnings, clip, facts, .. } = self.rig(path, options)?;
        Ok(Contents { stored: Stored::Rig(rig), clip: clip.unwrap_or_default(), warnings, facts })
    }

    /// The motion of a file's joints. Frame rate, scale and up axis of `options` are applied by the caller;
    /// a reader of a format that is sampled takes the rate into account.
    fn joints(&self, path: &Path, options: &MotionOptions) -> Result<OpenedMotion> {
        OpenedMotion::of_rig_file(path, options)
    }
}

/// Reads nothing: of formats that are only written.
pub struct Unread;

impl Reader for Unread {}

/// Checks that a frame's faces are those of the first frame, and hands its positions out.
pub(crate) fn same_faces(
    StaticMesh { mesh, positions, .. }: StaticMesh,
    path: &Path,
    frame: usize,
    first: &Mesh,
    out: &mut [Vec3],
) -> Result<()> {
    let mismatch =
        |what, found, expected| Error::FrameMismatch { path: path.into(), frame, what, found, expected };
    if mesh.vertex_count != first.vertex_count {
        return Err(mismatch("vertices", mesh.vertex_count, first.vertex_count));
    }
    if mesh.face_count() != first.face_count() {
        return Err(mismatch("faces", mesh.face_count(), first.face_count()));
    }
    if let Some(face) = (0..mesh.face_count()).find(|&face| mesh.face(face) != first.face(face)) {
        let message = format!("face {face} of frame {frame} has other vertices than in the first frame");
        return Err(Error::malformed(path, message));
    }
    out.copy_from_slice(&positions);
    Ok(())
}

/// Takes all poses of a stream into memory.
pub(crate) fn all_poses(path: &Path, mut stream: PoseStream, progress: &dyn Progress) -> Result<Opened> {
    let mut flat: Vec<f32> = Vec::new();
    let (mut pose, mut count) = (vec![Vec3::ZERO; stream.vertex_count()], 0);
    let beyond = || Error::unsupported(path, "the poses of all frames do not fit into memory");
    if let Some(frames) = stream.frame_count {
        let floats =
            pose.len().checked_mul(3).and_then(|each| each.checked_mul(frames)).ok_or_else(beyond)?;
        flat.try_reserve_exact(floats).map_err(|_| beyond())?;
    }
    while stream.next_into(&mut pose)? {
        flat.try_reserve(3 * pose.len()).map_err(|_| beyond())?;
        flat.extend_from_slice(bytemuck::cast_slice(&pose));
        count += 1;
        if let Some(frames) = stream.frame_count {
            progress.advance(f64::from(count as u32) / frames.max(1) as f64);
        }
        if progress.cancelled() {
            let source = std::io::Error::new(std::io::ErrorKind::Interrupted, "reading was cancelled");
            return Err(Error::Io { path: path.into(), source });
        }
    }
    Ok(stream.into_opened(Frames::new(flat, count, pose.len())))
}

impl Format {
    /// What a file of this format holds.
    pub fn holds(&self, path: &Path) -> Result<Holds> {
        Ok(self.reader.holds(path)?.unwrap_or(self.reads))
    }
}
