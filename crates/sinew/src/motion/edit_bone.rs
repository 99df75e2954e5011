//! Turning a bone of a rig by hand, in one frame or in many.
//!
//! Follows section 3 of "Transplanting and Editing Animations on Skinned Meshes" (Jia, Feng and Yu 2007): one
//! bone gets an extra rotation, then translations are solved again. Where this departs from it:
//!
//! - Solved is the *change* of the translations, from the change of the rotation. What a frame had that no
//!   equation explains stays in it, and a turn by nothing changes nothing, to the last bit.
//! - Bones stay together at the joints of the skeleton or, without one, at those learned from the rig's own
//!   motion ([`Translations::Joints`]).
//! - Bones that stretch keep their stretch: the rotation in them is turned.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};

use super::error::EditError;
use super::half_rotations::rotation;
use super::hierarchy::ancestors;
use super::translations::{TranslationSolver, Translations};
use super::undo::Undo;
use crate::progress::Progress;
use crate::rig::Rig;

/// What turns along with a bone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The bone alone, as in the paper. The others keep their rotations and move to where they hold together.
    Alone,
    /// All bones that hang on it too, as if they were one with it: children in the skeleton, or those that
    /// are farther from the held bone (see [`TranslationSolver::parents`]).
    Hanging,
}

/// An extra rotation of one bone.
///
/// In the first frame it is added in the axes of the world. Later frames take it along with the bone: the
/// bone goes on from its new direction by the same turns, as it sees them, that it made from the old one.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneTurn {
    /// The bone.
    pub bone: usize,
    /// The rotation, in the axes of the world in `frame`. Its length does not matter.
    pub rotation: DQuat,
    /// The first frame that changes. None before it does.
    pub frame: usize,
    /// The last frame that changes.
    pub through: usize,
    /// Frames from the first over which the rotation grows from nothing; it is full after so many. Where there
    /// are too few frames for both ways, each gets its share of them, so that the middle is turned in full.
    pub ease_in: usize,
    /// Frames up to the last over which it fades to nothing.
    pub ease_out: usize,
    /// What turns along.
    pub reach: Reach,
    /// The bone that stays where it is, if not the root of what `bone` hangs on. If it turns, it turns about
    /// its centre.
    pub hold: Option<usize>,
}

/// What holds the bones of a rig together while it is edited: its skeleton, or points learned from its motion.
pub(super) fn holding(rig: &Rig) -> Translations {
    if rig.skeleton.is_some() { Translations::Skeleton } else { Translations::Joints }
}

/// Checks that there are frames from `frame` to `through`.
pub(super) fn check_frames(frame: usize, through: usize, count: usize) -> Result<(), EditError> {
    match frame <= through && through < count {
        true => Ok(()),
        false => Err(EditError::NoSuchFrames { frame, through, count }),
    }
}

/// Checks that a shape is one of a mesh of so many vertices.
pub(super) fn check_shape(shape: &[Vec3], expected: usize) -> Result<(), EditError> {
    if shape.len() != expected {
        return Err(EditError::Vertices { found: shape.len(), expected });
    }
    match shape.iter().position(|p| !p.is_finite()) {
        None => Ok(()),
        Some(vertex) => Err(EditError::Shape { vertex }),
    }
}

/// Turns bones of one rig. Made once; a frame then costs microseconds, whatever the size of the mesh.
///
/// ```
/// use glam::{DQuat, DVec3};
/// use sinew::motion::{BoneEditor, BoneTurn};
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let mut rig = skin::skin(&animation, &options, &Silent)?.rig;
/// let before = rig.clone();
/// let editor = BoneEditor::new(&rig, &Silent)?;
/// let turn = BoneTurn { through: 7, ease_in: 2, ..BoneTurn::new(3, DQuat::from_axis_angle(DVec3::Y, 0.5), 4) };
/// let mut undo = editor.rotate(&mut rig, &turn)?;
/// assert_eq!(rig.frame_transforms(3), before.frame_transforms(3), "earlier frames stay");
/// assert_ne!(rig.frame_transforms(7), before.frame_transforms(7));
/// undo.swap(&mut rig);
/// assert_eq!(rig, before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BoneEditor {
    solver: TranslationSolver,
    centers: Vec<DVec3>,
    /// For each bone, which bones turn with it if what hangs on it does: itself first.
    hanging: Vec<Vec<usize>>,
    /// Bones that slide on others, those that carry others first.
    slides: Vec<Slide>,
}

/// A bone that slides on another.
struct Slide {
    bone: usize,
    on: usize,
    /// What moves along with it: itself and all that its joints hold.
    carries: Vec<usize>,
}

impl BoneTurn {
    /// A turn of a bone alone in one frame.
    pub fn new(bone: usize, rotation: DQuat, frame: usize) -> Self {
        Self {
            bone,
            rotation,
            frame,
            through: frame,
            ease_in: 0,
            ease_out: 0,
            reach: Reach::Alone,
            hold: None,
        }
    }

    /// How much of the rotation a frame gets: all between the easing, less near the ends.
    fn share(&self, frame: usize) -> f64 {
        let between = (self.through - self.frame) as f64;
        let room = (between / (self.ease_in + self.ease_out).max(1) as f64).min(1.0);
        let eased = |from_end: usize, ease: usize| {
            let x = ((from_end + 1) as f64 / ((ease as f64 * room).floor() + 1.0)).min(1.0);
            x * x * (3.0 - 2.0 * x)
        };
        eased(frame - self.frame, self.ease_in) * eased(self.through - frame, self.ease_out)
    }
}

impl BoneEditor {
    /// Prepares to edit `rig`.
    ///
    /// # Errors
    /// When translations cannot be solved for the rig, or the listener cancels.
    pub fn new(rig: &Rig, progress: &dyn Progress) -> Result<Self, EditError> {
        let solver = TranslationSolver::new(rig, holding(rig), progress)?;
        let below = |parents: &[Option<usize>], bone: usize| -> Vec<usize> {
            (0..rig.bones.len()).filter(|&other| ancestors(parents, other).any(|a| a == bone)).collect()
        };
        let hung = rig.skeleton.as_ref().map(|skeleton| skeleton.as_hung().parents);
        let hung = hung.as_deref().unwrap_or(solver.parents());
        let hanging = (0..rig.bones.len()).map(|bone| below(hung, bone)).collect();
        let slide = |(bone, on): (usize, &Option<usize>)| {
            Some(Slide { bone, on: (*on)?, carries: below(solver.parents(), bone) })
        };
        let slides_on = rig.skeleton.iter().flat_map(|skeleton| &skeleton.slides_on);
        let slides = slides_on.enumerate().filter_map(slide).collect();
        Ok(Self { centers: rig.joint_places(), hanging, slides, solver })
    }

    /// Turns a bone of `rig` as told and returns what undoes that.
    ///
    /// # Errors
    /// When there is no such bone or frame, the rotation is none, or the rig has other bones.
    pub fn rotate(&self, rig: &mut Rig, turn: &BoneTurn) -> Result<Undo, EditError> {
        let (bones, frames) = (rig.bones.len(), rig.frame_count());
        if bones != self.centers.len() {
            return Err(EditError::OtherRig { found: bones, expected: self.centers.len() });
        }
        check_frames(turn.frame, turn.through, frames)?;
        let local = self.local(rig.frame_transforms(turn.frame), turn)?;
        let start = turn.frame * bones;
        let end = (turn.through + 1) * bones;
        let undo = Undo::of_frames(rig, turn.frame..=turn.through);
        let mut shifts = vec![DVec3::ZERO; bones];
        for (i, transforms) in rig.transforms[start..end].chunks_exact_mut(bones).enumerate() {
            let some = DQuat::IDENTITY.slerp(local, turn.share(turn.frame + i));
            self.turn(transforms, turn, some, &mut shifts);
        }
        Ok(undo)
    }

    /// Turns a bone in one frame, given by the transforms of all bones: what an editor shows while a hand
    /// moves. The frames and easing of `turn` play no part.
    ///
    /// # Errors
    /// When there is no such bone, the rotation is none, or there is not one transform per bone.
    pub fn rotate_frame(&self, transforms: &mut [DAffine3], turn: &BoneTurn) -> Result<(), EditError> {
        if transforms.len() != self.centers.len() {
            return Err(EditError::OtherRig { found: transforms.len(), expected: self.centers.len() });
        }
        let local = self.local(transforms, turn)?;
        self.turn(transforms, turn, local, &mut vec![DVec3::ZERO; transforms.len()]);
        Ok(())
    }

    /// The extra rotation as the bone sees it in the first frame.
    fn local(&self, transforms: &[DAffine3], turn: &BoneTurn) -> Result<DQuat, EditError> {
        let count = self.centers.len();
        if let Some(bone) = [Some(turn.bone), turn.hold].into_iter().flatten().find(|bone| *bone >= count) {
            return Err(EditError::NoSuchBone { bone, count });
        }
        let length = turn.rotation.length();
        if !length.is_finite() || length < 1e-9 {
            return Err(EditError::Rotation);
        }
        let own = DQuat::from_mat3(&rotation(&transforms[turn.bone].matrix3));
        let extra = turn.rotation / length;
        // Seen from anywhere, no rotation is none; the way round would leave rounding behind.
        if extra.xyz() == DVec3::ZERO {
            Ok(DQuat::IDENTITY)
        } else {
            Ok((own.inverse() * extra * own).normalize())
        }
    }

    /// Turns a bone by a rotation that it sees itself.
    fn turn(&self, transforms: &mut [DAffine3], turn: &BoneTurn, local: DQuat, shifts: &mut [DVec3]) {
        let own = rotation(&transforms[turn.bone].matrix3);
        let extra = own * (DMat3::from_quat(local) - DMat3::IDENTITY) * own.transpose();
        let reached: &[usize] = match turn.reach {
            Reach::Alone => &[turn.bone],
            Reach::Hanging => &self.hanging[turn.bone],
        };
        let changes: Vec<(usize, DMat3)> =
            reached.iter().map(|&bone| (bone, extra * transforms[bone].matrix3)).collect();
        let root = ancestors(self.solver.parents(), turn.bone).last().unwrap_or(turn.bone);
        let hold = turn.hold.unwrap_or(root);
        let held = changes.iter().find(|(bone, _)| *bone == hold);
        let shift = held.map_or(DVec3::ZERO, |(_, change)| *change * -self.centers[hold]);
        self.solver.shifts(&changes, (hold, shift), shifts);
        let before: Vec<DAffine3> = if self.slides.is_empty() { Vec::new() } else { transforms.to_vec() };
        transforms.iter_mut().zip(&*shifts).for_each(|(t, shift)| t.translation += *shift);
        for (bone, change) in changes {
            transforms[bone].matrix3 += change;
        }
        self.slide(&before, transforms);
    }

    /// Puts bones that slide on others where those carried them.
    fn slide(&self, before: &[DAffine3], transforms: &mut [DAffine3]) {
        for Slide { bone, on, carries } in &self.slides {
            let center = self.centers[*bone];
            let seen = before[*on].inverse().transform_point3(before[*bone].transform_point3(center));
            let off = transforms[*on].transform_point3(seen) - transforms[*bone].transform_point3(center);
            carries.iter().for_each(|&carried| transforms[carried].translation += off);
        }
    }
}
