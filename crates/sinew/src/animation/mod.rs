//! Mesh animations: one topology, many poses.

mod measure;
mod running;

pub(crate) use measure::motion_energy;
pub use measure::{ErrorMeasure, Measured, compare};
pub use running::RunningMeasure;

use glam::{DVec3, Vec3};

use crate::geometry::{Bounds, Mesh};

/// Anything that can show a pose per frame: an animation, a rig.
pub trait PoseSource: Sync {
    /// Number of frames.
    fn frame_count(&self) -> usize;
    /// Number of vertices in every frame.
    fn vertex_count(&self) -> usize;
    /// Writes the pose of `frame` into `out`, which is `vertex_count` long.
    fn pose_into(&self, frame: usize, out: &mut [Vec3]);
}

/// All vertex positions of all frames: frame after frame, x y z, in one flat slice that may be owned or
/// a mapped file.
pub struct Frames {
    data: Box<dyn AsRef<[f32]> + Send + Sync>,
    frame_count: usize,
    vertex_count: usize,
}

impl Frames {
    /// Wraps flat data of `frame_count × vertex_count × 3` floats.
    ///
    /// # Panics
    /// When the length is another.
    pub fn new(
        data: impl AsRef<[f32]> + Send + Sync + 'static,
        frame_count: usize,
        vertex_count: usize,
    ) -> Self {
        assert_eq!(data.as_ref().len(), 3 * frame_count * vertex_count, "frames x vertices x 3 floats");
        Self { data: Box::new(data), frame_count, vertex_count }
    }

    /// Collects poses of equal length.
    ///
    /// # Panics
    /// When the lengths differ.
    pub fn from_poses(poses: &[Vec<Vec3>]) -> Self {
        let vertex_count = poses.first().map_or(0, Vec::len);
        let flat: Vec<f32> = poses
            .iter()
            .inspect(|p| assert_eq!(p.len(), vertex_count, "all poses have the same length"))
            .flat_map(|p| bytemuck::cast_slice::<Vec3, f32>(p))
            .copied()
            .collect();
        Self::new(flat, poses.len(), vertex_count)
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frame_count
    }

    /// Whether there are no frames.
    pub fn is_empty(&self) -> bool {
        self.frame_count == 0
    }

    /// Number of vertices in each frame.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Positions of one frame.
    pub fn frame(&self, frame: usize) -> &[Vec3] {
        let n = 3 * self.vertex_count;
        bytemuck::cast_slice(&(*self.data).as_ref()[frame * n..(frame + 1) * n])
    }

    /// All positions, frame after frame.
    pub fn flat(&self) -> &[f32] {
        (*self.data).as_ref()
    }

    /// The first value that is not finite, as (frame, vertex).
    pub fn first_not_finite(&self) -> Option<(usize, usize)> {
        let n = 3 * self.vertex_count.max(1);
        self.flat().iter().position(|x| !x.is_finite()).map(|i| (i / n, i % n / 3))
    }
}

impl std::fmt::Debug for Frames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Frames({} x {})", self.frame_count, self.vertex_count)
    }
}

/// A mesh that moves.
#[derive(Debug)]
pub struct MeshAnimation {
    /// Faces, UVs, materials.
    pub mesh: Mesh,
    /// The pose that came with the mesh, when it is not just the first frame.
    pub rest: Option<Vec<Vec3>>,
    /// Positions in every frame.
    pub frames: Frames,
    /// Frames per second.
    pub fps: f64,
}

/// Ways in which an animation can be unusable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AnimationError {
    /// There is nothing to fit.
    #[error("the animation has no frames")]
    NoFrames,
    /// There is nothing to skin.
    #[error("the mesh has no triangles")]
    NoTriangles,
    /// Positions and mesh disagree.
    #[error("{what} has {found} vertices, but the mesh has {expected}")]
    VertexCount {
        /// "the animation" or "the rest pose".
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many the mesh has.
        expected: usize,
    },
    /// NaN or infinity.
    #[error("frame {frame}, vertex {vertex}: the position is not a finite number")]
    NotFinite {
        /// Frame, from 0.
        frame: usize,
        /// Vertex, from 0.
        vertex: usize,
    },
    /// NaN or infinity in the rest pose.
    #[error("the rest pose's vertex {vertex} is not a finite number")]
    RestNotFinite {
        /// Vertex, from 0.
        vertex: usize,
    },
    /// Rest pose and frames have different units.
    #[error(
        "the animation is {ratio:.3} times the size of its rest pose: they seem to be in different units \
         (such as metres and centimetres)"
    )]
    Units {
        /// Edge lengths of the first frame over those of the rest pose.
        ratio: f64,
    },
    /// Not a positive number.
    #[error("the frame rate must be a positive number, not {fps}")]
    FrameRate {
        /// What was given.
        fps: f64,
    },
}

/// Sizes of rest pose and frames further apart than this are taken for a mistake in units, not for motion.
const LARGEST_UNIT_RATIO: f64 = 8.0;

impl MeshAnimation {
    /// Checks everything a fit relies on: counts agree, values are finite, units match.
    ///
    /// Looks at every value once.
    pub fn validate(&self) -> Result<(), AnimationError> {
        if self.frames.is_empty() {
            return Err(AnimationError::NoFrames);
        }
        if self.mesh.face_count() == 0 {
            return Err(AnimationError::NoTriangles);
        }
        if !(self.fps > 0.0 && self.fps.is_finite()) {
            return Err(AnimationError::FrameRate { fps: self.fps });
        }
        let expected = self.mesh.vertex_count;
        let found = self.frames.vertex_count();
        if found != expected {
            return Err(AnimationError::VertexCount { what: "the animation", found, expected });
        }
        if let Some((frame, vertex)) = self.frames.first_not_finite() {
            return Err(AnimationError::NotFinite { frame, vertex });
        }
        let Some(rest) = &self.rest else { return Ok(()) };
        if rest.len() != expected {
            return Err(AnimationError::VertexCount { what: "the rest pose", found: rest.len(), expected });
        }
        if let Some(vertex) = rest.iter().position(|p| !p.is_finite()) {
            return Err(AnimationError::RestNotFinite { vertex });
        }
        let ratio = median_edge_ratio(&self.mesh, rest, self.frames.frame(0));
        if ratio.is_some_and(|r| !(1.0 / LARGEST_UNIT_RATIO..LARGEST_UNIT_RATIO).contains(&r)) {
            return Err(AnimationError::Units { ratio: ratio.unwrap_or(f64::NAN) });
        }
        Ok(())
    }

    /// The box around the pose that measures are relative to: the rest pose, or the first frame.
    pub fn rest_bounds(&self) -> Bounds {
        match &self.rest {
            Some(rest) => Bounds::of(rest),
            None => Bounds::of(self.frames.frame(0)),
        }
    }
}

/// Median over face edges of length in `b` divided by length in `a`.
fn median_edge_ratio(mesh: &Mesh, a: &[Vec3], b: &[Vec3]) -> Option<f64> {
    let length = |p: &[Vec3], i: u32, j: u32| (p[i as usize].as_dvec3() - p[j as usize].as_dvec3()).length();
    let mut ratios: Vec<f64> = (0..mesh.face_count())
        .map(|f| mesh.face(f))
        .map(|v| length(b, v[0], v[1]) / length(a, v[0], v[1]))
        .filter(|r| r.is_finite())
        .collect();
    if ratios.is_empty() {
        return None;
    }
    let middle = ratios.len() / 2;
    Some(*ratios.select_nth_unstable_by(middle, f64::total_cmp).1)
}

impl PoseSource for Frames {
    fn frame_count(&self) -> usize {
        self.frame_count
    }

    fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        out.copy_from_slice(self.frame(frame));
    }
}

impl PoseSource for MeshAnimation {
    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn vertex_count(&self) -> usize {
        self.frames.vertex_count()
    }

    fn pose_into(&self, frame: usize, out: &mut [Vec3]) {
        self.frames.pose_into(frame, out);
    }
}

/// Mean of points in double precision.
pub(crate) fn centroid(points: &[Vec3]) -> DVec3 {
    points.iter().fold(DVec3::ZERO, |sum, p| sum + p.as_dvec3()) / points.len().max(1) as f64
}
