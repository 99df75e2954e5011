//! A rig with a skeleton as a tree of nodes: turns only, and shifts of the roots and of joints that slide.
//!
//! Nodes at rest have the axes of [`Rig::bind_axes`]: those that a file gave them, else y along the bone. A joint
//! that turns by q against its parent in the world's axes is a node that turns by Aₚ⁻¹ q A, with A its own axes
//! and Aₚ its parent's.

use glam::{DAffine3, DQuat, DVec3};
use sinew::animation::Clip;
use sinew::geometry::Bounds;
use sinew::rig::Rig;

use super::bones::{BoneTracks, Moved};
use super::compact::{self, Reach, Tolerance};
use super::joints::JointTree;
use super::motion::BoneMotion;
use super::skinning::Influences;
use super::turns::same_hemisphere;
use super::way::STEPS;
use crate::Warning;

/// How far a joint may stray from where its parent holds it, as a fraction of the rest pose's diagonal,
/// before it is worth a warning.
const STRAYS: f64 = 1e-4;

/// The joints' nodes at rest, as f32 stores them.
pub(crate) struct RestNodes {
    /// Turn of each node.
    pub turns: Vec<DQuat>,
    /// Where each node stands.
    pub centers: Vec<DVec3>,
    /// Axes of each joint in the world, as the turns above it make them.
    pub axes: Vec<DQuat>,
}

impl RestNodes {
    /// Nodes with the axes of [`Rig::bind_axes`].
    pub fn new(rig: &Rig, tree: &JointTree) -> Self {
        Self::with_axes(tree, &rig.bind_axes())
    }

    /// Turns are rounded on the way down, so that what is rounded off of one does not add up below it.
    pub fn with_axes(tree: &JointTree, wanted: &[DQuat]) -> Self {
        let (mut turns, mut centers, mut axes) = (Vec::new(), Vec::new(), Vec::<DQuat>::new());
        for (joint, parent) in tree.hung.parents.iter().enumerate() {
            let above = parent.map_or(DQuat::IDENTITY, |parent| axes[parent]);
            let turn = (above.inverse() * wanted[joint]).normalize().as_quat().as_dquat().normalize();
            centers.push((above.inverse() * tree.offsets[joint]).as_vec3().as_dvec3());
            axes.push((above * turn).normalize());
            turns.push(turn);
        }
        Self { turns, centers, axes }
    }

    /// Takes what was bound at a joint's place in the rest pose to its node's axes.
    pub fn unbind(&self, joint: usize, place: DVec3) -> DAffine3 {
        let back = self.axes[joint].inverse();
        DAffine3::from_rotation_translation(back, -(back * place))
    }
}

/// Motions of all joints, with a key at every frame; within `bound` of the rig, and with fewer keys, where
/// one is given.
pub(crate) fn joint_motions(
    rig: &Rig,
    tree: &JointTree,
    rest: &RestNodes,
    clips: &[Clip],
    influences: &Influences,
    bound: Option<f64>,
) -> Vec<BoneMotion> {
    let reaches = bound.map(|bound| (bound, compact::reaches(rig, influences)));
    let motion = |(&turn, &center)| BoneMotion {
        turn,
        center,
        clips: Vec::new(),
        moved: Moved::default(),
        still: Vec::new(),
    };
    let mut motions: Vec<BoneMotion> = rest.turns.iter().zip(&rest.centers).map(motion).collect();
    for clip in clips {
        let mut tracks = clip_tracks(rig, tree, rest, clip);
        if let Some((bound, reaches)) = &reaches {
            let kept = needed_keys(rig, (tree, rest), clip, &tracks, *bound, reaches);
            tracks.iter_mut().for_each(|t| *t = t.kept(&kept));
        }
        for (motion, tracks) in motions.iter_mut().zip(tracks) {
            motion.moved = motion.moved.or(tracks.moved(motion.center, motion.turn));
            motion.clips.push(tracks);
        }
    }
    motions
}

/// Says how far joints stray, where that is more than rounding.
pub(crate) fn stray(rig: &Rig, tree: &JointTree) -> Option<Warning> {
    let percent = 100.0 * tree.strays / Bounds::of(&rig.rest).diagonal();
    (percent > 100.0 * STRAYS).then_some(Warning::JointsStray { percent })
}

/// Tracks of all joints in one clip, local to their parents.
fn clip_tracks(rig: &Rig, tree: &JointTree, rest: &RestNodes, clip: &Clip) -> Vec<BoneTracks> {
    let keys: Vec<usize> = (0..clip.frames.len()).map(|f| STEPS * f).collect();
    let empty = || BoneTracks {
        keys: keys.clone(),
        translation: Vec::with_capacity(keys.len()),
        rotation: Vec::with_capacity(keys.len()),
        scale: None,
        inner: None,
    };
    let mut tracks: Vec<BoneTracks> = rest.turns.iter().map(|_| empty()).collect();
    for frame in clip.frames.clone() {
        let pose = tree.hung_pose(rig.frame_transforms(frame));
        for (j, track) in tracks.iter_mut().enumerate() {
            let last = track.rotation.last().copied().unwrap_or(rest.turns[j]);
            let own = rest.axes[j].inverse() * pose.turns[j] * rest.axes[j];
            track.rotation.push(same_hemisphere((rest.turns[j] * own).normalize(), last));
            track.translation.push(match (tree.skeleton.parents[j], tree.slides(j)) {
                (Some(_), _) => rest.centers[j],
                (None, Some(on)) => rest.axes[on].inverse() * pose.places[j],
                (None, None) => pose.places[j],
            });
        }
    }
    tracks
}

/// Keys that all joints share: a turn that is off carries everything that hangs on it along, so whole poses
/// are judged.
fn needed_keys(
    rig: &Rig,
    (tree, rest): (&JointTree, &RestNodes),
    clip: &Clip,
    tracks: &[BoneTracks],
    bound: f64,
    reaches: &[Reach],
) -> Vec<usize> {
    let diagonal = Bounds::of(&rig.rest).diagonal();
    let bones = rig.bones.len();
    let of_bone: Vec<Vec<DAffine3>> =
        (0..bones).map(|b| clip.frames.clone().map(|f| rig.transforms[f * bones + b]).collect()).collect();
    let tolerances: Vec<Tolerance> = (0..bones)
        .map(|b| Tolerance::new(&of_bone[b], tree.places[b], &reaches[b], bound, diagonal))
        .collect();
    let error = |frame: usize, a: usize, b: usize, t: f64| {
        let worlds = pose_between(tree, tracks, a, b, t).into_iter().zip(&rest.axes);
        let unturned = worlds.map(|(world, axes)| world * DAffine3::from_quat(axes.inverse()));
        tolerances
            .iter()
            .zip(unturned)
            .map(|(tolerance, joint)| tolerance.error(frame, joint))
            .fold(0.0, f64::max)
    };
    let distance = tolerances.first().map_or(0.0, |t| t.distance);
    compact::needed_keys(clip.frames.len(), distance, error)
}

/// World transforms of all joints a fraction `t` of the way from key `a` to key `b`, as viewers
/// interpolate them.
fn pose_between(tree: &JointTree, tracks: &[BoneTracks], a: usize, b: usize, t: f64) -> Vec<DAffine3> {
    let mut worlds: Vec<DAffine3> = Vec::with_capacity(tracks.len());
    for (track, parent) in tracks.iter().zip(&tree.hung.parents) {
        let local = track.between(a, b, t);
        worlds.push(parent.map_or(local, |parent| worlds[parent] * local));
    }
    worlds
}
