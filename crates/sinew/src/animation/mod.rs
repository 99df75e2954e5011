//! Mesh animations: one topology, many poses.

mod change;
mod clips;
mod measure;
mod running;
mod spread;

use std::borrow::Cow;
use std::fmt;

pub(crate) use change::STILL;
pub use clips::{Clip, ClipError, Section, check_clips, clips_or_one};
pub(crate) use measure::motion_energy;
pub use measure::{ErrorMeasure, Measured, compare};
pub use running::{RunningClips, RunningMeasure};

use glam::{DVec3, Vec3};
use rayon::prelude::*;

use crate::geometry::{Bounds, Mesh};
use crate::nodes::{self, Node, NodeError};

/// Anything that can show a pose per frame: an animation, a rig.
pub trait PoseSource: Sync {
    /// Number of frames.
    fn frame_count(&self) -> usize;
    /// Number of vertices in every frame.
    fn vertex_count(&self) -> usize;
    /// Writes the pose of `frame` into `out`, which is `vertex_count` long.
    fn pose_into(&self, frame: usize, out: &mut [Vec3]);

    /// Positions in `frame`.
    fn pose(&self, frame: usize) -> Vec<Vec3> {
        let mut out = vec![Vec3::ZERO; self.vertex_count()];
        self.pose_into(frame, &mut out);
        out
    }
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
    pub fn from_poses(poses: &[impl AsRef<[Vec3]>]) -> Self {
        let vertex_count = poses.first().map_or(0, |p| p.as_ref().len());
        let flat: Vec<f32> = poses
            .iter()
            .map(AsRef::as_ref)
            .inspect(|p| assert_eq!(p.len(), vertex_count, "all poses have the same length"))
            .flat_map(bytemuck::cast_slice::<Vec3, f32>)
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

impl fmt::Debug for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
    /// Frames per second; with clips, of the first.
    pub fps: f64,
    /// Where the frames are of several motions: which are of which. All one motion when empty.
    pub clips: Vec<Clip>,
    /// What stands beside the mesh and moves no vertex. Nothing of it hangs on bones, as there are none.
    pub nodes: Vec<Node>,
}

/// Ways in which an animation can be unusable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimationError {
    /// There is nothing to fit.
    #[error("the animation has no frames")]
    NoFrames,
    /// Positions that are no whole number of frames.
    #[error("{found} numbers are not frames of {vertices} vertices, each with x, y and z")]
    Positions {
        /// Numbers given.
        found: usize,
        /// Vertices of a frame.
        vertices: usize,
    },
    /// A face of a vertex that does not exist.
    #[error("a face names vertex {vertex}, but there are only {count}")]
    NoSuchVertex {
        /// The vertex.
        vertex: u32,
        /// How many there are.
        count: usize,
    },
    /// There is nothing to skin.
    #[error("the mesh has no triangles")]
    NoTriangles,
    /// Frames and mesh disagree.
    #[error("the animation has {found} vertices, but the mesh has {expected}")]
    FrameVertices {
        /// How many they have.
        found: usize,
        /// How many the mesh has.
        expected: usize,
    },
    /// Rest pose and mesh disagree.
    #[error("the rest pose has {found} vertices, but the mesh has {expected}")]
    RestVertices {
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
    /// A number that squares cannot hold.
    #[error("frame {frame}, vertex {vertex}: the position is beyond {LARGEST:e}, too far off to be true")]
    TooLarge {
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
    /// Rest pose and frames are of different meshes.
    #[error(
        "the animation's vertices seem to be in another order than those of its rest mesh, or those of \
         another mesh"
    )]
    Order,
    /// Not a positive number.
    #[error("the frame rate must be a positive number, not {fps}")]
    FrameRate {
        /// What was given.
        fps: f64,
    },
    /// A mesh shrunk to a point, as caches that were never filled hold it.
    #[error("all vertices are in one place in every frame: there is no shape to skin")]
    NoExtent,
    /// Clips and frames disagree.
    #[error(transparent)]
    Clips(#[from] ClipError),
    /// Nodes and frames disagree.
    #[error(transparent)]
    Nodes(#[from] NodeError),
    /// One of several clips is wrong; frames are counted from its first.
    #[error("clip {clip}: {error}")]
    InClip {
        /// Its name.
        clip: String,
        /// What is wrong with it.
        error: Box<AnimationError>,
    },
}

/// What may be wrong about an animation that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimationWarning {
    /// Vertices seem to be in another order than those of the rest pose.
    #[error(
        "the vertices of {} seem to be in another order than those of its rest mesh",
        clip.as_ref().map_or("the animation".into(), |clip| format!("clip {clip}"))
    )]
    VertexOrder {
        /// The clip, where there are several.
        clip: Option<String>,
    },
}

/// Sizes of rest pose and frames further apart than this are taken for a mistake in units, not for motion.
const LARGEST_UNIT_RATIO: f64 = 8.0;

/// Coordinates beyond this are broken ones: no unit makes a body so large.
const LARGEST: f32 = 1e12;

/// Vertices out of order make most edges longer than this many times what they were, and by amounts that
/// differ this much from one quarter of them to another. In no frame of the animations that were measured is
/// the smaller of the two above 1.2.
const LARGEST_SPREAD: f64 = 1.5;
/// Fewer faces than this tell nothing.
const FACES_THAT_TELL: usize = 50;

impl MeshAnimation {
    /// From positions, frame after frame, x y z of every vertex, and the faces of its mesh, which may have any number of
    /// corners.
    ///
    /// # Errors
    /// When positions are no whole number of frames, faces name vertices that are not there, or as in
    /// [`validate`](Self::validate).
    pub fn from_positions<F: AsRef<[u32]>>(
        positions: Vec<f32>,
        vertices: usize,
        faces: &[F],
        fps: f64,
    ) -> Result<Self, AnimationError> {
        let frames = positions.len() / (3 * vertices.max(1));
        if vertices == 0 || positions.len() != 3 * vertices * frames {
            return Err(AnimationError::Positions { found: positions.len(), vertices });
        }
        if let Some(&vertex) = faces.iter().flat_map(|face| face.as_ref()).find(|&&v| v as usize >= vertices)
        {
            return Err(AnimationError::NoSuchVertex { vertex, count: vertices });
        }
        let mesh = Mesh::from_faces(vertices, faces);
        let frames = Frames::new(positions, frames, vertices);
        let made = Self { mesh, rest: None, frames, fps, clips: Vec::new(), nodes: Vec::new() };
        made.validate().map(|()| made)
    }

    /// Checks everything a fit relies on: counts agree, values are finite, units match.
    ///
    /// Looks at every value twice.
    ///
    /// # Errors
    /// The first thing that is wrong.
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
            return Err(AnimationError::FrameVertices { found, expected });
        }
        check_clips(&self.clips, self.frames.len())?;
        nodes::validate(&self.nodes, 0, self.frames.len())?;
        let check = |t: usize| check_pose(self.frames.frame(t), t, &self.clips).err();
        if let Some(error) = (0..self.frames.len()).into_par_iter().find_map_first(check) {
            return Err(error);
        }
        if let Some(rest) = &self.rest {
            if rest.len() != expected {
                return Err(AnimationError::RestVertices { found: rest.len(), expected });
            }
            if let Some(vertex) = rest.iter().position(|p| !p.is_finite()) {
                return Err(AnimationError::RestNotFinite { vertex });
            }
        }
        for clip in self.clips().iter() {
            let whole = self.clips.is_empty();
            self.check_size(clip).map_err(|error| if whole { error } else { of_clip(clip, error) })?;
        }
        Ok(())
    }

    /// The clips, or one of all frames.
    pub fn clips(&self) -> Cow<'_, [Clip]> {
        clips_or_one(&self.clips, self.frames.len(), self.fps)
    }

    /// Checks that a clip has a size, and that of the rest pose.
    fn check_size(&self, clip: &Clip) -> Result<(), AnimationError> {
        let extended = |f: &usize| Bounds::of(self.frames.frame(*f)).diagonal() > 0.0;
        let Some(frame) = clip.frames.clone().find(extended) else { return Err(AnimationError::NoExtent) };
        let Some(rest) = &self.rest else { return Ok(()) };
        match edge_ratios(&self.mesh, rest, self.frames.frame(frame)) {
            Some(r) if is_of_size(r) => Ok(()),
            Some(r) if is_scrambled(&self.mesh, r) => Err(AnimationError::Order),
            Some(r) => Err(AnimationError::Units { ratio: r[1] }),
            None => Ok(()),
        }
    }

    /// What may be wrong although [`validate`](Self::validate) finds nothing: clips whose vertices seem to be in
    /// another order than those of the rest pose, which makes nonsense of its faces. Edges of the same mesh change
    /// their lengths alike, or not at all; those between other vertices are anything.
    pub fn warnings(&self) -> Vec<AnimationWarning> {
        let Some(rest) = &self.rest else { return Vec::new() };
        let scrambled = |clip: &&Clip| {
            let ratios = edge_ratios(&self.mesh, rest, self.frames.frame(clip.frames.start));
            ratios.is_some_and(|r| is_scrambled(&self.mesh, r))
        };
        let name = |clip: &Clip| (!self.clips.is_empty()).then(|| clip.name.clone());
        let warning = |clip: &Clip| AnimationWarning::VertexOrder { clip: name(clip) };
        self.clips().iter().filter(scrambled).map(warning).collect()
    }

    /// The box around the pose that measures are relative to: the rest pose, or the first frame.
    pub fn rest_bounds(&self) -> Bounds {
        match &self.rest {
            Some(rest) => Bounds::of(rest),
            None => Bounds::of(self.frames.frame(0)),
        }
    }
}

/// Checks a pose that goes by, as [`MeshAnimation::validate`] checks each of its own. `clips` say which its frame is
/// of, and may be none.
///
/// # Errors
/// The first vertex that is not at a finite place, or too far off to be true.
pub fn check_pose(pose: &[Vec3], frame: usize, clips: &[Clip]) -> Result<(), AnimationError> {
    if let Some(vertex) = pose.iter().position(|p| !p.is_finite()) {
        return Err(in_frame(clips, frame, |frame| AnimationError::NotFinite { frame, vertex }));
    }
    if let Some(vertex) = pose.iter().position(|p| p.abs().max_element() > LARGEST) {
        return Err(in_frame(clips, frame, |frame| AnimationError::TooLarge { frame, vertex }));
    }
    Ok(())
}

/// An error of a frame, counted in its clip.
fn in_frame(clips: &[Clip], frame: usize, error: impl Fn(usize) -> AnimationError) -> AnimationError {
    match clips.iter().find(|c| c.frames.contains(&frame)) {
        None => error(frame),
        Some(clip) => of_clip(clip, error(frame - clip.frames.start)),
    }
}

fn of_clip(clip: &Clip, error: AnimationError) -> AnimationError {
    AnimationError::InClip { clip: clip.name.clone(), error: Box::new(error) }
}

/// What speaks against two poses being of one mesh in one unit: [`AnimationError::Order`] or [`AnimationError::Units`], of the
/// second against the first.
pub fn doubt_poses(mesh: &Mesh, first: &[Vec3], second: &[Vec3]) -> Option<AnimationError> {
    let ratios = edge_ratios(mesh, first, second)?;
    if is_scrambled(mesh, ratios) {
        return Some(AnimationError::Order);
    }
    (!is_of_size(ratios)).then_some(AnimationError::Units { ratio: ratios[1] })
}

/// Whether edges have the lengths of those of one mesh in one unit.
fn is_of_size([_, median, _]: [f64; 3]) -> bool {
    (1.0 / LARGEST_UNIT_RATIO..LARGEST_UNIT_RATIO).contains(&median)
}

/// Whether edges have become too long, and too differently so, to be those of one mesh.
fn is_scrambled(mesh: &Mesh, [low, median, high]: [f64; 3]) -> bool {
    mesh.face_count() >= FACES_THAT_TELL && median.min(high / low) > LARGEST_SPREAD
}

/// Quartiles over face edges of length in `b` divided by length in `a`.
fn edge_ratios(mesh: &Mesh, a: &[Vec3], b: &[Vec3]) -> Option<[f64; 3]> {
    let length = |p: &[Vec3], i: u32, j: u32| (p[i as usize].as_dvec3() - p[j as usize].as_dvec3()).length();
    let mut ratios: Vec<f64> = (0..mesh.face_count())
        .map(|f| mesh.face(f))
        .map(|v| length(b, v[0], v[1]) / length(a, v[0], v[1]))
        .filter(|r| r.is_finite())
        .collect();
    if ratios.is_empty() {
        return None;
    }
    ratios.sort_unstable_by(f64::total_cmp);
    Some([1, 2, 3].map(|quarter| ratios[quarter * ratios.len() / 4]))
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

/// At most `most` of the numbers below `all`, evenly over them: some frames of many.
pub(crate) fn evenly(all: usize, most: usize) -> impl Iterator<Item = usize> {
    let count = all.min(most);
    (0..count).map(move |i| i * all / count)
}

/// Mean of points in double precision.
pub(crate) fn centroid(points: &[Vec3]) -> DVec3 {
    points.iter().fold(DVec3::ZERO, |sum, p| sum + p.as_dvec3()) / points.len().max(1) as f64
}
