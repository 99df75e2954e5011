//! Bones of any frame for a skin that is known, whatever they may do.
//!
//! Bones that stretch are solved all together ([`TransformSolver`]). Those that do not start with the rigid motion
//! of what each moves; then each in turn gets the best turn and shift for what the others leave over (Le and
//! Deng 2012), on sums over the vertices, so that going round costs the same for any mesh.

use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;

use super::descent::blocks::Blocks;
use super::descent::sweep::{sweeps, together};
use super::{BoneKind, PoseScratch, Prior, TransformSolver};
use crate::animation::{Frames, centroid};
use crate::rig::{Rig, SkinWeights};

/// How often rigid bones are gone through, in pairs of sweeps.
const TURNS: usize = 30;

/// Solves the transforms of all bones from one rest pose.
pub struct FrameSolver {
    solver: TransformSolver,
    /// What is left of the normal equations for rigid bones; they take turns.
    rigid: Option<Blocks>,
}

impl FrameSolver {
    /// Prepares to solve for the bones of `weights`, from the pose `rest`.
    ///
    /// # Panics
    /// When a weight names a bone that is not below `bones`.
    pub fn new(weights: &SkinWeights, bones: usize, kind: BoneKind, rest: &[Vec3]) -> Self {
        let mut solver = TransformSolver::new(weights, bones);
        let places: Vec<DVec3> = rest.iter().map(|p| p.as_dvec3()).collect();
        solver.set_source(&places);
        let rigid = (kind == BoneKind::Rigid)
            .then(|| Blocks::of_pairs(&solver.pairs.pairs, &solver.source.blocks, bones));
        Self { solver, rigid }
    }

    /// The same for a rig as it is: its bones are rigid where all of them are.
    ///
    /// # Panics
    /// When weights of the rig name bones that are not there.
    pub fn of(rig: &Rig) -> Self {
        let kind = if rig.bones.iter().all(|b| b.rigid) { BoneKind::Rigid } else { BoneKind::Flexible };
        Self::new(&rig.weights, rig.bones.len(), kind, &rig.rest)
    }

    /// The transforms to every frame, frame after frame. Each depends on its own frame alone.
    ///
    /// # Panics
    /// When frames have another number of vertices than the rest pose.
    pub fn solve_frames(&self, frames: &Frames) -> Vec<DAffine3> {
        let bones = self.solver.bone_count();
        let mut transforms = vec![DAffine3::IDENTITY; frames.len() * bones];
        let together = if self.rigid.is_some() { together(frames.len()) } else { 1 };
        transforms.par_chunks_mut(together * bones).enumerate().for_each_init(
            PoseScratch::default,
            |scratch, (part, out)| {
                let first = part * together;
                match &self.rigid {
                    Some(blocks) => {
                        let poses: Vec<&[Vec3]> =
                            (first..first + out.len() / bones).map(|t| frames.frame(t)).collect();
                        self.solve_rigid(blocks, &poses, scratch, out);
                    }
                    None => self.solver.solve(frames.frame(first), Prior::Rigid, scratch, out),
                }
            },
        );
        transforms
    }

    fn solve_rigid(
        &self,
        blocks: &Blocks,
        poses: &[&[Vec3]],
        scratch: &mut PoseScratch,
        out: &mut [DAffine3],
    ) {
        let (source, bones) = (&self.solver.source, self.solver.bone_count());
        let middles: Vec<DVec3> = poses.iter().map(|to| centroid(to)).collect();
        let mut targets: Vec<[[f64; 4]; 3]> = Vec::with_capacity(out.len());
        for ((to, middle), out) in poses.iter().zip(&middles).zip(out.chunks_exact_mut(bones)) {
            self.solver.gather(to, *middle, &mut scratch.cross);
            source.rigid(&scratch.cross, out);
            targets.extend(scratch.cross.iter().map(|cross| cross.map(|row| row.to_array())));
        }
        let locked = vec![false; bones];
        for _ in 0..TURNS {
            sweeps(out, &targets, blocks, &locked);
        }
        for (transform, i) in out.iter_mut().zip(0..) {
            transform.translation += middles[i / bones] - transform.matrix3 * source.middle;
        }
    }
}
