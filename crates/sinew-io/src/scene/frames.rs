//! A rig's motion frame by frame, for other formats that move joints: the same turns, stretches and trees
//! that glTF files get, without their keys between frames.

use std::path::Path;

use glam::{DAffine3, DQuat, DVec3};
use rayon::prelude::*;
use sinew::animation::Clip;
use sinew::rig::Rig;

use super::bones::{BoneTracks, Place};
use super::joints::JointTree;
use super::skinning::Influences;
use super::stretch::Axes;
use super::tree::{RestNodes, joint_motions, stray};
use super::way::outermost;
use super::written::{check, named_clips};
use crate::{Error, Result, Warning};

/// A bone in one frame, against its parent: it turns by `inner`, is scaled, turns by `rotation` and shifts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrame {
    /// Where it is.
    pub translation: DVec3,
    /// The outer turn.
    pub rotation: DQuat,
    /// How much longer it is, along each axis between the turns.
    pub scale: DVec3,
    /// The inner turn: none where it is scaled along its own axes.
    pub inner: DQuat,
}

/// Frames of every bone on its own, without what it hangs on: for programs whose bones turn, scale and shift, as one that is
/// sheared takes two of those. A bone starts at its centre, as `f32` holds it; turns and scales go on from frame to frame.
///
/// # Errors
/// When the rig is none that a file could hold.
pub fn joint_frames(rig: &Rig) -> Result<Vec<Vec<JointFrame>>> {
    let path = Path::new("rig");
    let alone = Rig { skeleton: None, ..rig.clone() };
    let made = joint_rig(path, &alone, "rig", &mut Vec::new())?;
    Ok(made.joints.into_iter().map(|joint| joint.clips.concat()).collect())
}

/// A bone as a joint.
pub(crate) struct JointMotion {
    /// The bone it hangs on.
    pub parent: Option<usize>,
    /// Where it stands at rest against its parent, and how it is turned.
    pub center: DVec3,
    pub turn: DQuat,
    /// Takes the rest pose to the joint's own axes.
    pub unbind: DAffine3,
    /// Whether it is ever scaled, and whether along other axes than its own.
    pub scaled: bool,
    pub sheared: bool,
    /// Frames of each clip.
    pub clips: Vec<Vec<JointFrame>>,
}

/// A rig whose bones are joints.
pub(crate) struct JointRig {
    /// Each with a name of its own.
    pub clips: Vec<Clip>,
    pub influences: Influences,
    /// One for each bone, in their order.
    pub joints: Vec<JointMotion>,
}

impl JointRig {
    /// Puts a clip before all others.
    pub fn put_first(&mut self, clip: usize) {
        self.clips[..=clip].rotate_right(1);
        self.joints.iter_mut().for_each(|joint| joint.clips[..=clip].rotate_right(1));
    }
}

/// The joints of a rig; `alone` names the clip of one that states none. Refuses what no file can hold.
pub(crate) fn joint_rig(
    path: &Path,
    rig: &Rig,
    alone: &str,
    warnings: &mut Vec<Warning>,
) -> Result<JointRig> {
    check(path, rig)?;
    let clips = named_clips(rig, alone);
    let influences = Influences::new(path, rig, warnings)?;
    let tree = JointTree::new(rig).map_err(|message| Error::unsupported(path, message))?;
    let joints = match tree {
        None => loose_joints(rig, &clips, &influences),
        Some(tree) => {
            warnings.extend(stray(rig, &tree));
            hung_joints(rig, &tree, &clips, &influences)
        }
    };
    Ok(JointRig { clips, influences, joints })
}

fn loose_joints(rig: &Rig, clips: &[Clip], influences: &Influences) -> Vec<JointMotion> {
    let bones = rig.bones.len();
    let centers: Vec<DVec3> = rig.bones.iter().map(|b| b.center.as_vec3().as_dvec3()).collect();
    let outermost = outermost(rig, influences, &centers);
    (0..bones)
        .into_par_iter()
        .map(|b| {
            let transforms: Vec<DAffine3> = rig.transforms.iter().skip(b).step_by(bones).copied().collect();
            let place = Place { center: centers[b], rigid: rig.bones[b].rigid, outermost: &outermost[b] };
            let axes = Axes::clearest(&transforms);
            let of_clip =
                |clip: &Clip| BoneTracks::new(&transforms[clip.frames.clone()], &place, axes).at_frames();
            let tracks: Vec<BoneTracks> = clips.iter().map(of_clip).collect();
            JointMotion {
                parent: None,
                center: centers[b],
                turn: DQuat::IDENTITY,
                unbind: DAffine3::from_translation(-centers[b]),
                scaled: tracks.iter().any(|t| t.scale.is_some()),
                sheared: tracks.iter().any(|t| t.inner.is_some()),
                clips: tracks.iter().map(frames).collect(),
            }
        })
        .collect()
}

fn hung_joints(rig: &Rig, tree: &JointTree, clips: &[Clip], influences: &Influences) -> Vec<JointMotion> {
    let rest = RestNodes::new(rig, tree);
    let motions = joint_motions(rig, tree, &rest, clips, influences, None);
    let joint = |(j, motion): (usize, super::motion::BoneMotion)| JointMotion {
        parent: tree.hung.parents[j],
        center: motion.center,
        turn: motion.turn,
        unbind: rest.unbind(j, tree.places[j]),
        scaled: false,
        sheared: false,
        clips: motion.clips.iter().map(frames).collect(),
    };
    motions.into_iter().enumerate().map(joint).collect()
}

fn frames(tracks: &BoneTracks) -> Vec<JointFrame> {
    let frame = |key: usize| JointFrame {
        translation: tracks.translation[key],
        rotation: tracks.rotation[key],
        scale: tracks.scale.as_ref().map_or(DVec3::ONE, |s| s[key]),
        inner: tracks.inner.as_ref().map_or(DQuat::IDENTITY, |t| t[key]),
    };
    (0..tracks.translation.len()).map(frame).collect()
}
