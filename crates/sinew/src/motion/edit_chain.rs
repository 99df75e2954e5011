//! Sculpting poses of rigs whose bones carry each pose to the next.
//!
//! Here equation 9 of "PPS: Pose-to-Pose Skinning of Animated Meshes" (Vasilakis, Fudos and Antonopoulos 2016)
//! holds as it stands: the steps into the sculpted pose are others, and later poses come of it by the steps
//! they had. What bones do not express moves single vertices of the edited frame
//! ([`PoseChain::moves`]), which later steps take along like the rest of the pose. Where this departs:
//!
//! - The steps into the sculpted pose are those that were there, followed by motions from the pose as it is to
//!   the sculpted one (`sculpt_fit`), as for rigs with a rest pose.
//! - A motion of the whole body turns the later steps with it, so that a pose that was moved as a whole goes
//!   on as before from where it is. In the paper it would go on about the places where its joints were.
//! - Frames that start from the rest pose, and those over which the edit fades, move all vertices they must
//!   to where they would be. They still start from the rest pose.

use glam::{DAffine3, DVec3, Vec3};

use super::edit_bone::{check_frames, check_shape};
use super::edit_pose::PoseEdit;
use super::error::EditError;
use super::hierarchy::Hierarchy;
use super::propagate::part_about;
use super::sculpt_fit::{Body, Sculpted, fit};
use super::tuning::TUNING;
use crate::geometry::Bounds;
use crate::progress::{Cancelled, Muted, Progress};
use crate::rig::{Moves, PoseChain};

/// What became of a sculpted pose of a [`PoseChain`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ChainEdited {
    /// Takes it back.
    pub undo: ChainUndo,
    /// Bones that do something other than the body as a whole.
    pub bones: usize,
    /// The largest distance that vertices of the edited frame are moved on by, as a share of the rest pose's
    /// diagonal; zero where bones do it all.
    pub moved: f64,
    /// How far the vertex that is farthest off is from where it was sculpted, in the same measure.
    pub missed: f64,
}

/// What a chain was before an edit, as far as that changed it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainUndo {
    /// Where `steps` begin in the chain's.
    start: usize,
    steps: Vec<DAffine3>,
    moves: Vec<(usize, Moves)>,
    rest: Option<Vec<Vec3>>,
}

impl ChainUndo {
    /// Memory it takes, for those who keep many.
    pub fn bytes(&self) -> usize {
        let moves: usize = self.moves.iter().map(|(_, moves)| size_of_val(&moves[..])).sum();
        let rest = self.rest.as_ref().map_or(0, |rest| size_of_val(&rest[..]));
        size_of_val(&self.steps[..]) + moves + rest
    }

    /// Exchanges what the edit replaced with what is there: once undoes the edit, twice does it again.
    ///
    /// # Panics
    /// When the chain has fewer frames than the one that was edited.
    pub fn swap(&mut self, chain: &mut PoseChain) {
        let end = self.start + self.steps.len();
        chain.steps[self.start..end].swap_with_slice(&mut self.steps);
        std::mem::swap(&mut self.moves, &mut chain.moves);
        if let Some(rest) = &mut self.rest {
            std::mem::swap(rest, &mut chain.rest);
        }
    }
}

/// Makes a frame of `chain` look like the given shape, and later ones follow.
///
/// ```
/// use glam::Vec3;
/// use sinew::motion::{PoseEdit, edit_chain};
/// use sinew::progress::Silent;
/// use sinew::skin::{PoseToPoseOptions, pose_to_pose};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
/// let options = PoseToPoseOptions { bones: 12, ..PoseToPoseOptions::sad() };
/// let mut chain = pose_to_pose(&animation, &options, &Silent)?.rig;
/// let mut shape = chain.bake().frame(4).to_vec();
/// shape[100] += Vec3::Y * 0.1;
/// edit_chain(&mut chain, &PoseEdit { shape: &shape, frame: 4, through: 7, ..PoseEdit::default() }, &Silent)?;
/// assert!(chain.bake().frame(4)[100].distance(shape[100]) < 1e-4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When there are no such frames, earlier ones should follow, the shape is none of the chain's mesh, or the listener cancels. The chain is then as
/// it was.
pub fn edit_chain(
    chain: &mut PoseChain,
    edit: &PoseEdit,
    progress: &dyn Progress,
) -> Result<ChainEdited, EditError> {
    check_frames(edit.frame, edit.through, chain.frame_count())?;
    if edit.first() < edit.frame {
        return Err(EditError::OnlyLater);
    }
    check_shape(edit.shape, chain.rest.len())?;
    let bones = chain.bones.len();
    let range = edit.frame * bones..(edit.through + 1) * bones;
    let (steps, moves) = (chain.steps[range.clone()].to_vec(), chain.moves.clone());
    let mut undo = ChainUndo { start: range.start, steps, moves, rest: None };
    match carry_out(chain, edit, &undo, progress) {
        Ok((bones, moved, missed)) => Ok(ChainEdited { undo, bones, moved, missed }),
        Err(Cancelled) => {
            undo.swap(chain);
            Err(EditError::Cancelled)
        }
    }
}

/// Edits, and tells how many bones do something of their own, how far vertices are moved on and the largest miss.
fn carry_out(
    chain: &mut PoseChain,
    edit: &PoseEdit,
    undo: &ChainUndo,
    progress: &dyn Progress,
) -> Result<(usize, f64, f64), Cancelled> {
    let rounding = TUNING.edits.rounding;
    let diagonal = Bounds::of(&chain.rest).diagonal().max(f64::MIN_POSITIVE);
    let mut before = chain.start();
    for frame in 0..edit.frame {
        progress.check()?;
        chain.advance(frame, &mut before);
    }
    let mut pose = before.clone();
    chain.advance(edit.frame, &mut pose);
    let shape: Vec<DVec3> = edit.shape.iter().map(|p| p.as_dvec3()).collect();
    let off = farthest(&pose, &shape);
    if off <= rounding * diagonal {
        return Ok((0, 0.0, off / diagonal));
    }
    let (sculpted, middle) = motions(chain, edit.frame, &pose, &shape, progress)?;
    for (step, motion) in chain.steps[undo.start..].iter_mut().zip(&sculpted.bones) {
        *step = *motion * *step;
    }
    let mut edited = before;
    let moved = meet(chain, edit.frame, &mut edited, &shape, rounding * diagonal);
    let missed = farthest(&edited, &shape) / diagonal;
    let follow = Follow { old: pose, full: edited.clone(), now: edited, body: sculpted.body, middle };
    follow.run(chain, edit, undo, 1e-3 * rounding * diagonal, progress)?;
    let bones = sculpted.bones.iter().filter(|motion| **motion != sculpted.body).count();
    Ok((bones, moved / diagonal, missed))
}

/// Gives `chain` another rest pose. Steps carry the difference through all frames, as in [`Carry::Bones`].
///
/// [`Carry::Bones`]: super::Carry::Bones
///
/// # Errors
/// When the shape is none of the chain's mesh.
pub fn edit_chain_rest(chain: &mut PoseChain, shape: &[Vec3]) -> Result<ChainUndo, EditError> {
    check_shape(shape, chain.rest.len())?;
    let rest = std::mem::replace(&mut chain.rest, shape.to_vec());
    Ok(ChainUndo { start: 0, steps: Vec::new(), moves: chain.moves.clone(), rest: Some(rest) })
}

/// Motions of the bones that lead from the pose of a frame to another shape, and the middle of the pose.
fn motions(
    chain: &PoseChain,
    frame: usize,
    pose: &[DVec3],
    shape: &[DVec3],
    progress: &dyn Progress,
) -> Result<(Sculpted, DVec3), Cancelled> {
    let middle = pose.iter().sum::<DVec3>() / pose.len().max(1) as f64;
    let (weights, tree) = (chain.weights_at(frame), &Hierarchy::new(vec![None; chain.bones.len()]));
    let body = Body { rest: &chain.rest, weights, bones: &chain.bones, joints: None, tree, middle };
    let sculpted = fit(&body, pose, shape, progress)?;
    Ok((sculpted, middle))
}

/// Leads a pose to `frame` by its steps, then moves vertices to where they should be, if that is farther than `least`.
/// Returns the largest distance.
fn meet(chain: &mut PoseChain, frame: usize, pose: &mut [DVec3], wanted: &[DVec3], least: f64) -> f64 {
    chain.step(frame, pose);
    let mut moves = Moves::new();
    for (vertex, (p, q)) in pose.iter_mut().zip(wanted).enumerate() {
        if p.distance(*q) > least {
            moves.push((vertex as u32, *q - *p));
            *p = *q;
        }
    }
    let largest = moves.iter().map(|(_, by)| by.length()).fold(0.0, f64::max);
    set_moves(chain, frame, moves);
    largest
}

fn set_moves(chain: &mut PoseChain, frame: usize, moves: Moves) {
    match chain.moves.binary_search_by_key(&frame, |(at, _)| *at) {
        Ok(at) if moves.is_empty() => drop(chain.moves.remove(at)),
        Ok(at) => chain.moves[at].1 = moves,
        Err(_) if moves.is_empty() => {}
        Err(at) => chain.moves.insert(at, (frame, moves)),
    }
}

fn farthest(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(p, q)| p.distance(*q)).fold(0.0, f64::max)
}

/// How the frames after an edited one follow it.
struct Follow {
    /// The pose as it was.
    old: Vec<DVec3>,
    /// The pose with all of the edit.
    full: Vec<DVec3>,
    /// The pose as it is, with the frame's share of the edit.
    now: Vec<DVec3>,
    /// The motion of the whole body, about `middle`.
    body: DAffine3,
    middle: DVec3,
}

impl Follow {
    /// Goes on frame by frame, and back to what was there after the last.
    fn run(
        mut self,
        chain: &mut PoseChain,
        edit: &PoseEdit,
        undo: &ChainUndo,
        least: f64,
        progress: &dyn Progress,
    ) -> Result<(), Cancelled> {
        let mut was = chain.clone();
        undo.clone().swap(&mut was);
        let back = self.body.inverse();
        let still = self.body == DAffine3::IDENTITY;
        for frame in edit.frame + 1..=edit.through {
            progress.check()?;
            progress.advance((frame - edit.frame) as f64 / (edit.through - edit.frame) as f64);
            let last = self.old.clone();
            was.advance(frame, &mut self.old);
            if was.is_key(frame) {
                self.full = self.past_key(&was, frame, &last, &Muted(progress))?;
            } else {
                if !still {
                    let bones = chain.bones.len();
                    let steps = &mut chain.steps[frame * bones..(frame + 1) * bones];
                    steps.iter_mut().for_each(|step| *step = self.body * *step * back);
                    let turned = was.moves_at(frame).iter().map(|(v, by)| (*v, self.body.matrix3 * *by));
                    set_moves(chain, frame, turned.collect());
                }
                chain.advance(frame, &mut self.full);
                if edit.share(frame) == 1.0 {
                    self.now.copy_from_slice(&self.full);
                    continue;
                }
            }
            let wanted = self.share(edit.share(frame));
            meet(chain, frame, &mut self.now, &wanted, least);
        }
        let after = edit.through + 1;
        if after < chain.frame_count() && !chain.is_key(after) {
            was.advance(after, &mut self.old);
            meet(chain, after, &mut self.now, &self.old, 0.0);
        }
        Ok(())
    }

    /// The fully edited pose of a frame whose steps start from the rest pose: they say nothing about the pose
    /// before, so motions of the bones between the two are looked for. `last` is the old pose before.
    fn past_key(
        &self,
        was: &PoseChain,
        frame: usize,
        last: &[DVec3],
        progress: &dyn Progress,
    ) -> Result<Vec<DVec3>, Cancelled> {
        let (found, _) = motions(was, frame, last, &self.old, progress)?;
        let back = self.body.inverse();
        let turned: Vec<DAffine3> = found.bones.iter().map(|motion| self.body * *motion * back).collect();
        let weights = was.weights_at(frame);
        let (mut carried, mut full) = (last.to_vec(), self.full.clone());
        crate::rig::step_pose(weights, &found.bones, &mut carried);
        crate::rig::step_pose(weights, &turned, &mut full);
        for ((p, old), carried) in full.iter_mut().zip(&self.old).zip(&carried) {
            *p += self.body.matrix3 * (*old - *carried);
        }
        Ok(full)
    }

    /// The pose with so much of the edit: part of the body's motion, and part of what else changed.
    fn share(&self, share: f64) -> Vec<DVec3> {
        let (back, some) = (self.body.inverse(), part_about(&self.body, self.middle, share));
        let between = |(old, full): (&DVec3, &DVec3)| {
            let own = back.transform_point3(*full) - *old;
            some.transform_point3(*old + own * share)
        };
        self.old.iter().zip(&self.full).map(between).collect()
    }
}
