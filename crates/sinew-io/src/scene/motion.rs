//! A rig's motion as glTF stores it: tracks of every bone in every clip.

use glam::{DAffine3, DQuat, DVec3};
use rayon::prelude::*;
use sinew::animation::Clip;
use sinew::geometry::Bounds;
use sinew::rig::Rig;

use super::between;
use super::bones::{BoneTracks, Moved, Place};
use super::compact::{self, Tolerance};
use super::skinning::Influences;
use super::stretch::Axes;
use super::way::outermost;

/// One bone in all clips.
pub(crate) struct BoneMotion {
    /// Where its nodes stand at rest: its center as f32 stores it, of a joint as its parent sees it.
    pub center: DVec3,
    /// How they are turned at rest.
    pub turn: DQuat,
    /// Tracks of each clip.
    pub clips: Vec<BoneTracks>,
    /// What any clip moves. All of them store it: players that go from one clip to another leave what
    /// the new one does not mention where the old one left it.
    pub moved: Moved,
    /// Clips of shapes in which the bone stands exactly still. Such clips are added to the rest pose, so that what they do
    /// not mention stays.
    pub still: Vec<bool>,
}

impl BoneMotion {
    /// What a clip stores.
    pub fn stored(&self, clip: usize) -> Moved {
        if self.still.get(clip).is_some_and(|still| *still) { Moved::default() } else { self.moved }
    }

    /// Whether the bone needs two nodes.
    pub fn is_sheared(&self) -> bool {
        self.clips.iter().any(|t| t.inner.is_some())
    }
}

/// Whether clips are of shapes: two frames each, of which the first is exactly the rest pose.
fn are_shapes(rig: &Rig) -> bool {
    let rests = |frame: usize| rig.frame_transforms(frame).iter().all(|t| *t == DAffine3::IDENTITY);
    !rig.clips.is_empty() && rig.clips.iter().all(|clip| clip.frames.len() == 2 && rests(clip.frames.start))
}

/// Motions of all bones; within `bound` of the rig where one is given.
pub(crate) fn bone_motions(
    rig: &Rig,
    clips: &[Clip],
    influences: &Influences,
    bound: Option<f64>,
) -> Vec<BoneMotion> {
    let bones = rig.bones.len();
    let reaches = bound.map(|_| compact::reaches(rig, influences));
    let diagonal = Bounds::of(&rig.rest).diagonal();
    let centers: Vec<DVec3> = rig.bones.iter().map(|b| b.center.as_vec3().as_dvec3()).collect();
    let outermost = outermost(rig, influences, &centers);
    let shapes = are_shapes(rig);
    (0..bones)
        .into_par_iter()
        .map(|b| {
            let transforms: Vec<DAffine3> = rig.transforms.iter().skip(b).step_by(bones).copied().collect();
            let center = centers[b];
            let place = Place { center, rigid: rig.bones[b].rigid, outermost: &outermost[b] };
            let axes = Axes::clearest(&transforms);
            let stands = |clip: &Clip| {
                shapes && transforms[clip.frames.clone()].iter().all(|t| *t == DAffine3::IDENTITY)
            };
            let still = clips.iter().map(stands).collect();
            let of_clip = |clip: &Clip| {
                let transforms = &transforms[clip.frames.clone()];
                let fine = BoneTracks::new(transforms, &place, axes);
                let tracks = match (bound, &reaches) {
                    (Some(bound), Some(reaches)) if !transforms.is_empty() => {
                        Tolerance::new(transforms, center, &reaches[b], bound, diagonal).simplify(&fine)
                    }
                    _ => fine.at_frames(),
                };
                between::refine(tracks, &fine, &outermost[b], diagonal)
            };
            let clips: Vec<BoneTracks> = clips.iter().map(of_clip).collect();
            let moved =
                clips.iter().fold(Moved::default(), |all, t| all.or(t.moved(center, DQuat::IDENTITY)));
            BoneMotion { center, turn: DQuat::IDENTITY, clips, moved, still }
        })
        .collect()
}
