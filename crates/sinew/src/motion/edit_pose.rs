//! Sculpting any pose of a rig, and what later poses take from it.
//!
//! Follows section 2.2 of "PPS: Pose-to-Pose Skinning of Animated Meshes" (Vasilakis, Fudos and Antonopoulos
//! 2016): the sculpted pose gets transforms of its own, later poses follow through the motion that was there
//! (`propagate`). Where this departs from it:
//!
//! - The transforms from the pose before to the sculpted one are the rig's own, followed by those that lead
//!   from the pose as it is to the sculpted one (`sculpt_fit`). Only the latter are fitted: a pose that nobody
//!   sculpted gives none, and the first frame can be edited like any other.
//! - A rig keeps its kind. Bones that only turn and shift go on doing so, and those of a skeleton stay
//!   together at their joints.
//! - What bones cannot express becomes corrections of the rest pose: one that meets the edited frame, and one
//!   that later frames take along with their surface (`surface_displacement`). In the paper it goes along by the blended
//!   transforms, as the next pose is made of the edited one, which pulls out spikes where those are nearly
//!   singular.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::edit_bone::{check_frames, check_shape, holding};
use super::error::{EditError, EditWarning};
use super::half_rotations::rotation;
use super::hierarchy::Hierarchy;
use super::propagate::Propagated;
use super::sculpt_fit::{Body, Sculpted, fit};
use super::surface_displacement::{Displaced, with_surface};
use super::translations::TranslationSolver;
use super::tuning::TUNING;
use super::undo::Undo;
use crate::geometry::{Bounds, normals_of};
use crate::progress::{Cancelled, Progress};
use crate::rig::{Corrections, Rig, ShapeName, blended};

/// A pose that was sculpted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseEdit<'a> {
    /// Where all vertices are to be.
    pub shape: &'a [Vec3],
    /// The frame that is to look so.
    pub frame: usize,
    /// The first frame that follows, of those before it; without, none before it changes.
    pub from: Option<usize>,
    /// The last frame that follows.
    pub through: usize,
    /// Frames from the first over which the edit grows from nothing.
    pub ease_in: usize,
    /// Frames up to the last over which it fades to nothing.
    pub ease_out: usize,
}

/// What became of a sculpted pose.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PoseEdited {
    /// Takes it back.
    pub undo: Undo,
    /// Bones that do something other than the body as a whole.
    pub bones: usize,
    /// The largest displacement that was left to a correction, as a share of the rest pose's diagonal. No
    /// correction was added where it is zero.
    pub correction: f64,
    /// How far the vertex that is farthest off is from where it was sculpted, in the same measure.
    pub missed: f64,
}

impl PoseEdited {
    /// What may not be as it was meant.
    pub fn warnings(&self) -> Vec<EditWarning> {
        let share = self.missed;
        (share > TUNING.doubts.missed).then_some(EditWarning::Missed { share }).into_iter().collect()
    }
}

/// Edits poses of one rig. Made once; what it knows about the rig does not change with its poses.
///
/// ```
/// use glam::Vec3;
/// use sinew::motion::{PoseEdit, PoseEditor};
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let mut rig = skin::skin(&animation, &options, &Silent)?.rig;
/// let editor = PoseEditor::new(&rig, &Silent)?;
/// let mut shape = rig.pose(4);
/// shape[100] += Vec3::Y * 0.1;
/// editor.edit(&mut rig, &PoseEdit { shape: &shape, frame: 4, through: 7, ..PoseEdit::default() }, &Silent)?;
/// assert!(rig.pose(4)[100].distance(shape[100]) < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PoseEditor {
    tree: Hierarchy,
}

impl PoseEdit<'_> {
    /// How much of the edit a frame gets.
    pub(super) fn share(&self, frame: usize) -> f64 {
        if frame == self.frame {
            return 1.0;
        }
        let (from_end, ease) = match frame < self.frame {
            true => (frame - self.first(), self.ease_in),
            false => (self.through - frame, self.ease_out),
        };
        let x = ((from_end + 1) as f64 / (ease + 1) as f64).min(1.0);
        x * x * (3.0 - 2.0 * x)
    }

    /// The first frame that changes.
    pub(super) fn first(&self) -> usize {
        self.from.unwrap_or(self.frame).min(self.frame)
    }

    /// Frames that follow the sculpted one.
    fn followers(&self) -> impl Iterator<Item = usize> + use<> {
        let frame = self.frame;
        (self.first()..=self.through).filter(move |t| *t != frame)
    }
}

impl PoseEditor {
    /// Prepares to edit `rig`: finds what hangs on what.
    ///
    /// # Errors
    /// When the rig is not sound, or the listener cancels.
    pub fn new(rig: &Rig, progress: &dyn Progress) -> Result<Self, EditError> {
        let solver = TranslationSolver::new(rig, holding(rig), progress)?;
        Ok(Self { tree: Hierarchy::new(solver.parents().to_vec()) })
    }

    /// Makes a frame of `rig` look like the given shape, and others follow.
    ///
    /// # Errors
    /// When there are no such frames, the shape is none of the rig's mesh, or the listener cancels. The rig is then as
    /// it was.
    pub fn edit(
        &self,
        rig: &mut Rig,
        edit: &PoseEdit,
        progress: &dyn Progress,
    ) -> Result<PoseEdited, EditError> {
        if rig.bones.len() != self.tree.len() {
            return Err(EditError::OtherRig { found: rig.bones.len(), expected: self.tree.len() });
        }
        check_frames(edit.frame, edit.through, rig.frame_count())?;
        check_shape(edit.shape, rig.rest.len())?;
        let mut undo = Undo::of_frames(rig, edit.first()..=edit.through);
        match self.carry_out(rig, edit, &mut undo, progress) {
            Ok((bones, correction, missed)) => Ok(PoseEdited { undo, bones, correction, missed }),
            Err(Cancelled) => {
                undo.swap(rig);
                Err(EditError::Cancelled)
            }
        }
    }

    /// Edits, and tells how many bones do something of their own, the largest correction and the largest miss.
    fn carry_out(
        &self,
        rig: &mut Rig,
        edit: &PoseEdit,
        undo: &mut Undo,
        progress: &dyn Progress,
    ) -> Result<(usize, f64, f64), Cancelled> {
        let (sculpted, middle) = self.fit(rig, edit, &progress.part(0.0, 0.5))?;
        if sculpted.bones.iter().any(|motion| *motion != DAffine3::IDENTITY) {
            let carried = Propagated::new(rig, &self.tree, edit.frame, &sculpted, middle);
            for frame in edit.followers() {
                progress.check()?;
                carried.apply(rig, &self.tree, frame, edit.share(frame));
            }
            let start = edit.frame * self.tree.len();
            for (transform, motion) in rig.transforms[start..].iter_mut().zip(&sculpted.bones) {
                *transform = *motion * *transform;
            }
        }
        let diagonal = Bounds::of(&rig.rest).diagonal().max(f64::MIN_POSITIVE);
        let rounding = TUNING.edits.rounding * diagonal;
        let missing = Missing::new(rig, edit);
        let correction = if missing.largest > rounding { missing.largest / diagonal } else { 0.0 };
        if correction > 0.0 {
            undo.corrections = Some(rig.corrections.clone());
            if edit.followers().next().is_some() {
                let shape = missing.carried(rig, edit, rounding, &progress.part(0.5, 1.0))?;
                let frames = edit.first()..=edit.through;
                let follows = |t: usize| t != edit.frame && frames.contains(&t);
                add_shape(rig, &shape, |t| if follows(t) { edit.share(t) as f32 } else { 0.0 });
            }
            add_shape(rig, &missing.here, |t| if t == edit.frame { 1.0 } else { 0.0 });
        }
        let off =
            rig.pose(edit.frame).iter().zip(edit.shape).map(|(p, q)| p.distance(*q)).fold(0.0, f32::max);
        let bones = sculpted.bones.iter().filter(|motion| **motion != sculpted.body).count();
        Ok((bones, correction, f64::from(off) / diagonal))
    }

    /// Motions of the bones in the edited frame, and the middle of its pose.
    fn fit(
        &self,
        rig: &Rig,
        edit: &PoseEdit,
        progress: &dyn Progress,
    ) -> Result<(Sculpted, DVec3), Cancelled> {
        let pose = rig.pose(edit.frame);
        let middle = Bounds::of(&pose).center();
        let joints = rig.skeleton.as_ref().map(|skeleton| (skeleton, rig.posed_joints(edit.frame)));
        let Rig { rest, weights, bones, .. } = rig;
        let body = Body { rest, weights, bones, joints, tree: &self.tree, middle };
        let [from, to] =
            [&pose, edit.shape].map(|pose| pose.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>());
        Ok((fit(&body, &from, &to, progress)?, middle))
    }
}

/// What bones leave of a sculpted pose.
struct Missing {
    /// Where bones carry the vertices in the edited frame, and how far that is from where they should be.
    pose: Vec<Vec3>,
    off: Vec<DVec3>,
    largest: f64,
    /// What has to be added to the rest pose for the edited frame to look as sculpted.
    here: Vec<Vec3>,
}

impl Missing {
    fn new(rig: &Rig, edit: &PoseEdit) -> Self {
        let pose = rig.pose(edit.frame);
        let transforms = rig.frame_transforms(edit.frame);
        let off: Vec<DVec3> =
            edit.shape.iter().zip(&pose).map(|(q, p)| q.as_dvec3() - p.as_dvec3()).collect();
        let here = off
            .par_iter()
            .with_min_len(1024)
            .enumerate()
            .map(|(v, off)| pulled_back(blended(&rig.weights, transforms, v).matrix3, *off).as_vec3())
            .collect();
        let largest = off.iter().map(|off| off.length()).fold(0.0, f64::max);
        Self { pose, off, largest, here }
    }

    /// What has to be added to the rest pose for other frames to take it along. Less than `least` is nothing.
    fn carried(
        &self,
        rig: &Rig,
        edit: &PoseEdit,
        least: f64,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec3>, Cancelled> {
        let transforms = rig.frame_transforms(edit.frame);
        let displaced: Vec<Displaced> = (0..self.off.len())
            .filter(|&v| self.off[v].length() > least)
            .map(|vertex| {
                let turn = rotation(&blended(&rig.weights, transforms, vertex).matrix3);
                Displaced { vertex, wanted: self.off[vertex], usual: turn.transpose() * self.off[vertex] }
            })
            .collect();
        let found = with_surface(rig, &self.pose, &displaced, edit.first()..=edit.through, progress)?;
        let mut shape = vec![Vec3::ZERO; self.off.len()];
        displaced.iter().zip(found).for_each(|(displaced, d)| shape[displaced.vertex] = d.as_vec3());
        Ok(shape)
    }
}

/// The displacement that `matrix` turns into `d`, as nearly as it can.
fn pulled_back(matrix: DMat3, d: DVec3) -> DVec3 {
    let square = matrix.transpose() * matrix;
    let size = square.x_axis.x + square.y_axis.y + square.z_axis.z;
    if size <= 0.0 {
        return DVec3::ZERO;
    }
    (square + DMat3::from_diagonal(DVec3::splat(TUNING.edits.fold_ridge * size))).inverse()
        * (matrix.transpose() * d)
}

/// Adds a shape to the corrections of a rig, which every frame gets a share of. It takes the first place: what
/// a hand sculpted is the last to be left out of a coarser model.
fn add_shape(rig: &mut Rig, shape: &[Vec3], share: impl Fn(usize) -> f32) {
    let none = || Corrections {
        rank: 0,
        basis: Vec::new(),
        normals: Vec::new(),
        coefficients: Vec::new(),
        names: Vec::new(),
    };
    let old = rig.corrections.take().unwrap_or_else(none);
    // Where the others have no normals, players make their own.
    let normals = match old.normals.is_empty() && old.rank > 0 {
        true => Vec::new(),
        false => [normal_changes(rig, shape), old.normals].concat(),
    };
    let before = |frame: usize| &old.coefficients[frame * old.rank..(frame + 1) * old.rank];
    let coefficients = (0..rig.frame_count()).flat_map(|t| [&[share(t)], before(t)].concat()).collect();
    let basis = [shape, &old.basis].concat();
    let names =
        if old.names.is_empty() { Vec::new() } else { [vec![unused_name(&old.names)], old.names].concat() };
    rig.corrections = Some(Corrections { rank: old.rank + 1, basis, normals, coefficients, names });
}

/// A name for a sculpted shape among others with names.
fn unused_name(names: &[ShapeName]) -> ShapeName {
    let unused = |name: &String| names.iter().all(|known| known.name != *name);
    let name = (1..).map(|number| format!("sculpted_{number}")).find(unused);
    ShapeName { name: name.expect("names end, numbers do not"), at_rest: 0.0 }
}

/// How the normals of the rest pose change when a shape is added to it.
fn normal_changes(rig: &Rig, shape: &[Vec3]) -> Vec<Vec3> {
    let triangles = rig.mesh.triangles(&rig.rest);
    let with: Vec<Vec3> = rig.rest.iter().zip(shape).map(|(p, u)| *p + *u).collect();
    let (before, after) = (normals_of(&triangles, &rig.rest), normals_of(&triangles, &with));
    after.iter().zip(&before).map(|(a, b)| *a - *b).collect()
}
