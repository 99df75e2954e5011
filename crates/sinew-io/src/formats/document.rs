//! Files that are open, whatever the format.

use glam::Vec3;
use sinew::geometry::Mesh;
use sinew::lod::Level;
use sinew::progress::Progress;

use super::sinew_file::{Contents, Stored};
use super::{Format, Holds};
use crate::scene::{
    Facts, MotionOptions, OpenOptions, Opened, OpenedMotion, PoseStream, SampleOptions, SampledRig,
};
use crate::source::Source;
use crate::{Error, Result, StaticMesh};

/// A file that was opened and parsed, once: whatever is asked for comes from that. It answers what
/// [`Format::reads`] says files of its format hold:
///
/// | of a format that holds    | it has                                                      |
/// | ------------------------- | ----------------------------------------------------------- |
/// | faces                     | [`mesh`](Self::mesh)                                        |
/// | poses                     | [`stream`](Self::stream)                                    |
/// | rigs                      | [`rig`](Self::rig); `mesh` and `stream` follow from it      |
/// | joints                    | [`joints`](Self::joints); of rigs that follows as well      |
///
/// The rest has defaults, for documents that know no better way.
pub trait Document: Send {
    /// Where it was read from.
    fn source(&self) -> &Source;

    /// Its format.
    fn format(&self) -> &'static Format;

    /// What this very file holds, of a format that can hold different things.
    fn holds(&self) -> Result<Holds> {
        Ok(self.format().reads)
    }

    /// Units, axes and times, told without reading poses.
    fn facts(&self) -> Result<Facts> {
        Ok(Facts::default())
    }

    /// Names of the clips, in the order they can be asked for by number. Nothing of formats without clips.
    fn clips(&self) -> Result<Vec<String>> {
        Ok(Vec::new())
    }

    /// One mesh in one pose, which can be the rest pose of a cache. `vertices` is how many it should have,
    /// where there is a choice.
    fn mesh(&self, vertices: Option<usize>) -> Result<StaticMesh> {
        let read = |weld| -> Result<StaticMesh> {
            let sampled = self.rig(&SampleOptions { weld, ..SampleOptions::default() })?;
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
    fn frame_into(&self, frame: usize, first: &Mesh, out: &mut [Vec3]) -> Result<()> {
        same_faces(self.mesh(None)?, self.source(), frame, first, out)
    }

    /// The poses one after the other. The file may be larger than memory.
    fn stream(&self, options: &OpenOptions) -> Result<PoseStream> {
        Ok(PoseStream::of_rig(self.source(), self.rig(&options.sampling())?))
    }

    /// All poses, in memory or mapped.
    fn animation(&self, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        self.stream(options)?.all(self.source().path(), progress)
    }

    /// The rig.
    fn rig(&self, _options: &SampleOptions) -> Result<SampledRig> {
        Err(Error::unsupported(self.source().path(), "files of this format hold no rig"))
    }

    /// Like [`rig`](Self::rig), with the levels of detail that stand in for it far away, the finest first.
    fn rig_and_levels(&self, options: &SampleOptions) -> Result<(SampledRig, Vec<Level>)> {
        Ok((self.rig(options)?, Vec::new()))
    }

    /// Like [`rig`](Self::rig), for those who can also use bones that carry each pose to the next.
    fn rig_or_chain(&self, options: &SampleOptions) -> Result<Contents> {
        let SampledRig { rig, warnings, clip, facts, .. } = self.rig(options)?;
        Ok(Contents { stored: Stored::Rig(rig), clip: clip.unwrap_or_default(), warnings, facts })
    }

    /// The motion of the joints. Frame rate, scale and up axis of `options` are applied by the caller; a document
    /// of a format that is sampled takes the rate into account.
    fn joints(&self, options: &MotionOptions) -> Result<OpenedMotion> {
        Ok(OpenedMotion::of_rig(self.source(), self.rig(&options.sampling())?))
    }
}

/// Opens nothing: of formats that are only written.
pub fn unread(source: &Source) -> Result<Box<dyn Document>> {
    Err(Error::unsupported(source.path(), "files of this format are only written"))
}

/// Checks that a frame's faces are those of the first frame, and hands its positions out.
pub(crate) fn same_faces(
    StaticMesh { mesh, positions, .. }: StaticMesh,
    source: &Source,
    frame: usize,
    first: &Mesh,
    out: &mut [Vec3],
) -> Result<()> {
    let path = source.path();
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
