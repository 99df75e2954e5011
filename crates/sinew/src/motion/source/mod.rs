//! Motion from elsewhere: joints that move, whatever file they came from.
//!
//! A [`Motion`] tells where every joint is in every frame, in the world: y is up, and a joint's transform
//! maps its own axes to the world's. How a joint's axes lie is up to the file, so a transform means nothing
//! by itself. What can be compared is how it differs from the bind pose, the pose in which all joints stand
//! when nothing moves them: world · bind⁻¹, whose rotation is the R_a of section 2.2 in "Transplanting and
//! Editing Animations on Skinned Meshes" ([`Motion::rotations`]).
//!
//! Between frames joints turn against their parents along the shortest way, and keep their distances to
//! them ([`Motion::resampled`]).

mod resample;
mod still;

use std::borrow::Cow;
use std::ops::Range;

use glam::{DAffine3, DMat3, DQuat, DVec3};

use crate::animation::{Clip, ClipError, check_clips, clips_or_one};
use crate::rig::{Bone, Rig};
use crate::solve::procrustes::polar;

/// A joint of a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceJoint {
    /// Name, unique among the joints.
    pub name: String,
    /// What it hangs on, none for a root. A parent comes before its children.
    pub parent: Option<usize>,
    /// Where it ends, in its own axes: of joints that none hangs on, where the file tells.
    pub tip: Option<DVec3>,
}

/// Joints that move.
///
/// ```
/// use glam::{DAffine3, DQuat, DVec3};
/// use sinew::motion::{Motion, SourceJoint};
///
/// // An upper arm and a forearm, which bends by 90° within a second.
/// let arm = SourceJoint { name: "arm".into(), ..Default::default() };
/// let forearm = SourceJoint { name: "forearm".into(), parent: Some(0), tip: Some(DVec3::X) };
/// let bind = vec![DAffine3::IDENTITY, DAffine3::from_translation(2.0 * DVec3::X)];
/// let bent = bind[1] * DAffine3::from_quat(DQuat::from_rotation_z(90_f64.to_radians()));
/// let motion = Motion {
///     joints: vec![arm, forearm],
///     worlds: vec![bind[0], bind[1], bind[0], bent],
///     bind,
///     fps: 1.0,
///     clips: Vec::new(),
///     metres_per_unit: None,
/// };
/// motion.validate()?;
///
/// let smooth = motion.resampled(24.0)?;
/// assert_eq!(smooth.frame_count(), 25);
/// let halfway = smooth.rotations(12)[smooth.find("forearm").unwrap()];
/// assert!((halfway.to_axis_angle().1.to_degrees() - 45.0).abs() < 1e-9);
/// # Ok::<(), sinew::motion::MotionError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// The joints.
    pub joints: Vec<SourceJoint>,
    /// Transform of every joint when nothing moves it, its own axes to the world.
    pub bind: Vec<DAffine3>,
    /// Transform of every joint in every frame, frame after frame. May stretch.
    pub worlds: Vec<DAffine3>,
    /// Frames per second; with clips, of the first.
    pub fps: f64,
    /// Where the frames are of several motions: which are of which. All one motion when empty.
    pub clips: Vec<Clip>,
    /// How long a unit of length is, where the file tells.
    pub metres_per_unit: Option<f64>,
}

/// Ways in which a motion can be unusable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionError {
    /// There is nothing that moves.
    #[error("the motion has no joints")]
    NoJoints,
    /// There is nothing to play.
    #[error("the motion has no frames")]
    NoFrames,
    /// An array has the wrong length.
    #[error("the motion's {what}: {found} entries where {expected} belong")]
    Length {
        /// Which array.
        what: &'static str,
        /// Entries found.
        found: usize,
        /// Entries expected.
        expected: usize,
    },
    /// A joint before its parent.
    #[error("joint {joint} comes before its parent")]
    JointOrder {
        /// Its name.
        joint: String,
    },
    /// Two joints of one name.
    #[error("two joints are called {joint}")]
    SameName {
        /// The name.
        joint: String,
    },
    /// NaN or infinity.
    #[error("joint {joint} has no finite transform in frame {frame}")]
    NotFinite {
        /// Its name.
        joint: String,
        /// Frame, from 0.
        frame: usize,
    },
    /// NaN or infinity in the bind pose, or a joint that is flat there.
    #[error("joint {joint} has no transform in the bind pose that can be undone")]
    Bind {
        /// Its name.
        joint: String,
    },
    /// Not a positive number.
    #[error("the frame rate must be a positive number, not {fps}")]
    FrameRate {
        /// What was given.
        fps: f64,
    },
    /// More frames than memory is given for.
    #[error("at {fps} frames per second the motion has more frames than Sinew keeps")]
    TooLong {
        /// What was given.
        fps: f64,
    },
    /// A clip that is not there.
    #[error("there is no clip {wanted:?}; the clips are {}", known.join(", "))]
    NoSuchClip {
        /// What was asked for.
        wanted: String,
        /// Names of those there are.
        known: Vec<String>,
    },
    /// Clips and frames disagree.
    #[error(transparent)]
    Clips(#[from] ClipError),
}

impl Motion {
    /// The motion of a rig: a joint for each bone, at its centre, which hangs on that of the rig's skeleton,
    /// if it has one. The bind pose is the rest pose.
    pub fn of_rig(rig: &Rig) -> Self {
        let parents = rig.skeleton.as_ref().map(|skeleton| &skeleton.parents);
        let joint = |(number, bone): (usize, &Bone)| SourceJoint {
            name: bone.name.clone(),
            parent: parents.and_then(|parents| parents[number]),
            tip: None,
        };
        let bind: Vec<DAffine3> = rig.bones.iter().map(|b| DAffine3::from_translation(b.center)).collect();
        let worlds = rig.transforms.iter().zip(bind.iter().cycle()).map(|(t, bind)| *t * *bind).collect();
        let joints = rig.bones.iter().enumerate().map(joint).collect();
        Self { joints, bind, worlds, fps: rig.fps, clips: rig.clips.clone(), metres_per_unit: None }
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.worlds.len() / self.joints.len().max(1)
    }

    /// Transforms of all joints in one frame.
    pub fn frame(&self, frame: usize) -> &[DAffine3] {
        let joints = self.joints.len();
        &self.worlds[frame * joints..(frame + 1) * joints]
    }

    /// The clips, or one of all frames.
    pub fn clips(&self) -> Cow<'_, [Clip]> {
        clips_or_one(&self.clips, self.frame_count(), self.fps)
    }

    /// A clip by its name, or its number counted from 0.
    ///
    /// # Errors
    /// When there is no such clip.
    pub fn clip(&self, wanted: &str) -> Result<Clip, MotionError> {
        let clips = self.clips();
        let numbered = || wanted.parse().ok().and_then(|number: usize| clips.get(number));
        clips.iter().find(|c| c.name == wanted).or_else(numbered).cloned().ok_or_else(|| {
            let known = clips.iter().map(|c| c.name.clone()).collect();
            MotionError::NoSuchClip { wanted: wanted.into(), known }
        })
    }

    /// The joint of that name; capital letters count only where names differ in nothing else.
    pub fn find(&self, name: &str) -> Option<usize> {
        let exact = self.joints.iter().position(|j| j.name == name);
        exact.or_else(|| self.joints.iter().position(|j| j.name.eq_ignore_ascii_case(name)))
    }

    /// Checks that lengths agree, parents come first, names differ and all numbers are finite.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(&self) -> Result<(), MotionError> {
        let (joints, frames) = (self.joints.len(), self.frame_count());
        if joints == 0 {
            return Err(MotionError::NoJoints);
        }
        if frames == 0 {
            return Err(MotionError::NoFrames);
        }
        if !(self.fps > 0.0 && self.fps.is_finite()) {
            return Err(MotionError::FrameRate { fps: self.fps });
        }
        check_length("bind pose", self.bind.len(), joints)?;
        check_length("transforms", self.worlds.len(), joints * frames)?;
        check_clips(&self.clips, frames)?;
        self.check_joints()?;
        match self.worlds.iter().position(|t| !t.is_finite()) {
            None => Ok(()),
            Some(at) => {
                let joint = self.joints[at % joints].name.clone();
                Err(MotionError::NotFinite { joint, frame: at / joints })
            }
        }
    }

    fn check_joints(&self) -> Result<(), MotionError> {
        let mut names = std::collections::HashSet::new();
        for (number, SourceJoint { name, parent, tip }) in self.joints.iter().enumerate() {
            if parent.is_some_and(|parent| parent >= number) {
                return Err(MotionError::JointOrder { joint: name.clone() });
            }
            if !names.insert(name) {
                return Err(MotionError::SameName { joint: name.clone() });
            }
            if inverse(self.bind[number]).is_none() || tip.is_some_and(|tip| !tip.is_finite()) {
                return Err(MotionError::Bind { joint: name.clone() });
            }
        }
        Ok(())
    }

    /// Where the joints are in one frame.
    pub fn places(&self, frame: usize) -> Vec<DVec3> {
        self.frame(frame).iter().map(|t| t.translation).collect()
    }

    /// Where the joints are in the bind pose.
    pub fn bind_places(&self) -> Vec<DVec3> {
        self.bind.iter().map(|t| t.translation).collect()
    }

    /// How all joints are turned in one frame, seen from the bind pose and in the axes of the world: no turns
    /// at all in the bind pose. A joint without a direction, because it has shrunk to a point, turns with
    /// its parent.
    pub fn rotations(&self, frame: usize) -> Vec<DQuat> {
        self.rotations_in(self.frame(frame))
    }

    /// How all joints are turned where these are their transforms, as [`rotations`](Self::rotations) tells
    /// it.
    pub fn rotations_in(&self, worlds: &[DAffine3]) -> Vec<DQuat> {
        let mut out: Vec<DQuat> = Vec::with_capacity(self.joints.len());
        for ((joint, world), bind) in self.joints.iter().zip(worlds).zip(&self.bind) {
            let turned = inverse(*bind).and_then(|back| polar(world.matrix3 * back.matrix3));
            let with_parent = || joint.parent.map_or(DQuat::IDENTITY, |parent| out[parent]);
            out.push(turned.map_or_else(with_parent, |m| DQuat::from_mat3(&m).normalize()));
        }
        out
    }

    /// How each joint is turned against its parent in one frame, a root against the world, seen from the
    /// bind pose: no turns at all in the bind pose.
    pub fn turns(&self, frame: usize) -> Vec<DQuat> {
        let worlds = self.rotations(frame);
        let turn = |(joint, world): (&SourceJoint, &DQuat)| match joint.parent {
            None => *world,
            Some(parent) => (worlds[parent].inverse() * *world).normalize(),
        };
        self.joints.iter().zip(&worlds).map(turn).collect()
    }

    /// Joints and tips in the bind pose.
    fn bind_points(&self) -> impl Iterator<Item = DVec3> + '_ {
        let tip = |(joint, bind): (&SourceJoint, &DAffine3)| joint.tip.map(|tip| bind.transform_point3(tip));
        let tips = self.joints.iter().zip(&self.bind).filter_map(tip);
        self.bind.iter().map(|t| t.translation).chain(tips)
    }

    /// Sides of the box around joints and tips in the bind pose.
    pub fn size(&self) -> DVec3 {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = self.bind_points().fold(start, |(min, max), p| (min.min(p), max.max(p)));
        (max - min).max(DVec3::ZERO)
    }

    /// How high the joints and tips of the bind pose reach above the lowest.
    pub fn height(&self) -> f64 {
        self.size().y
    }

    /// How high the first joint, a root, is above the lowest joint or tip of the bind pose: of a figure, the
    /// length of its legs. Compared with another figure's, it tells how far that one gets with a step. Unlike
    /// the height it is the same where files disagree on arms and necks.
    pub fn root_height(&self) -> f64 {
        let lowest = self.bind_points().map(|p| p.y).fold(f64::INFINITY, f64::min);
        self.bind.first().map_or(0.0, |root| root.translation.y - lowest)
    }

    /// Some of the frames, as one motion without named clips.
    ///
    /// # Panics
    /// When there are no such frames.
    pub fn cut(&self, frames: Range<usize>) -> Self {
        let joints = self.joints.len();
        let inside = |clip: &&Clip| clip.frames.contains(&frames.start);
        let fps = self.clips.iter().find(inside).map_or(self.fps, |clip| clip.fps);
        let worlds = self.worlds[frames.start * joints..frames.end * joints].to_vec();
        Self { worlds, fps, ..self.without_frames() }
    }

    fn without_frames(&self) -> Self {
        Self {
            joints: self.joints.clone(),
            bind: self.bind.clone(),
            worlds: Vec::new(),
            fps: self.fps,
            clips: Vec::new(),
            metres_per_unit: self.metres_per_unit,
        }
    }

    /// Makes everything `factor` times as large.
    pub fn scale(&mut self, factor: f64) {
        let moved = self.bind.iter_mut().chain(&mut self.worlds);
        moved.for_each(|t| t.translation *= factor);
        self.joints.iter_mut().filter_map(|j| j.tip.as_mut()).for_each(|tip| *tip *= factor);
        self.metres_per_unit = self.metres_per_unit.map(|m| m / factor);
    }

    /// Turns the whole world, bind pose included.
    pub fn turn(&mut self, turn: DMat3) {
        let turn = DAffine3::from_mat3(turn);
        self.bind.iter_mut().chain(&mut self.worlds).for_each(|t| *t = turn * *t);
    }
}

/// Undoes a transform, unless that is flat.
fn inverse(t: DAffine3) -> Option<DAffine3> {
    let back = t.inverse();
    (t.is_finite() && back.is_finite()).then_some(back)
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), MotionError> {
    if found == expected { Ok(()) } else { Err(MotionError::Length { what, found, expected }) }
}
