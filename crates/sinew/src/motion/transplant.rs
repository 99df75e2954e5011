//! Motion from elsewhere on a rig.
//!
//! Follows sections 2.2 to 2.4 of "Transplanting and Editing Animations on Skinned Meshes" (Jia, Feng and Yu
//! 2007): each bone turns by R_a · R_{I→a} · R_{b→I}, where R_a is the rotation of its joint, R_{I→a} undoes
//! that of the pose which both share, and R_{b→I} is the bone's own in that pose. Translations are solved
//! with those rotations ([`TranslationSolver`]). Where this departs from it:
//!
//! - A source that faces another way than the rig is turned to it first, and the result turned back: it goes
//!   where the source goes.
//! - Limbs of the rig are brought to the directions of the source's (`limb_directions`).
//! - Where the source has the size of the rig and stands where it stands, as another clip of the same
//!   character does, joints tell places as well as turns ([`Translations::Carried`]).
//!   The same then holds for the roots of a skeleton: each of its trees goes where its root's joint goes.
//! - Where every bone is a joint of the source, by name and place, the source is a motion of this very rig:
//!   joints then carry bones with all they do, stretch and shift ([`Transplanter::copies`]).
//! - The root goes as far as its legs are long: steps are scaled by its height over the ground in the
//!   source's bind pose, and the feet are put on the ground that they stand on in the rig's own frames.
//!
//! Otherwise only turns come over. What flexible bones stretch in the shared pose is not kept.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::bone_tree::BoneTree;
use super::error::TransplantError;
use super::hierarchy::ancestors;
use super::limb_directions::turns_to_source;
use super::placement::Placement;
use super::poses::transforms;
use super::tuning::TUNING;
use super::{MappingError, Motion, Plan, TranslationSolver, Translations};
use crate::animation::evenly;
use crate::geometry::Bounds;
use crate::geometry::surface::Distance;
use crate::nodes;
use crate::progress::{Cancelled, Muted, Progress, map_in_parallel};
use crate::rig::{Rig, blended};
use crate::solve::procrustes::polar;

/// What a rig with another motion does not have of the one it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransplantLoss {
    /// The corrections, which belong to the rig's own frames.
    #[error("the rig's correction shapes belong to its own frames and are left out")]
    Corrections,
    /// The skeleton, which bones leave that are placed this way.
    #[error("bones that are placed this way leave the rig's skeleton, which is left out")]
    Skeleton,
    /// What bones stretch in the rig's own motion.
    #[error("{bones} of the rig's bones stretch in its own motion; here all only turn")]
    Stretch {
        /// How many do.
        bones: usize,
    },
    /// Motion of nodes, which belongs to the rig's own frames.
    #[error(
        "{nodes} nodes move by themselves in the rig's own frames; here they stay where they are in the first"
    )]
    NodeMotion {
        /// How many do.
        nodes: usize,
    },
}

/// Moves a motion onto a rig frame by frame. Made once.
///
/// ```
/// use sinew::motion::{Motion, Plan, PlanOptions, Translations, Transplanter};
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let small = CreatureOptions { frames: 8, detail: 0.6, ..Default::default() };
/// let animation = creature(&small);
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let rig = skin::skin(&animation, &options, &Silent)?.rig;
/// let motion = Motion::of_rig(&rig);
/// let plan = Plan::new(&rig, &motion, &PlanOptions::default(), &Silent)?;
/// let transplanter = Transplanter::new(&rig, &motion, &plan, Translations::Auto, &Silent)?;
/// let bones = transplanter.pose(&motion, motion.frame(3));
/// assert_eq!(bones.len(), rig.bones.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Transplanter {
    solver: TranslationSolver,
    /// From the rest pose to each bone's joint, where the source moves this very rig.
    copied: Option<Vec<DAffine3>>,
    carried: bool,
    keeps_skeleton: bool,
    placement: Placement,
    bones: Vec<Follower>,
    /// The bone whose place is given where others are solved.
    fixed: usize,
    /// Roots of the skeleton that have joints of their own, with the bones of their trees.
    trees: Vec<(usize, Vec<usize>)>,
    /// How far the fixed bone goes when its joint goes by one.
    stride: f64,
    /// What is added to all places.
    lift: f64,
    /// Vertices that may stand on the ground.
    soles: Vec<usize>,
}

/// A bone and the joint it follows.
struct Follower {
    joint: usize,
    /// R_{I→a} · R_{b→I}.
    before: DQuat,
    /// R_{I→a} alone.
    back: DQuat,
    /// Centre of the bone in the rest pose.
    center: DVec3,
    /// The centre in the shared pose: the rig's, turned the way the source faces.
    place: DVec3,
    /// The same in the source's measures, seen from the joint.
    from_joint: DVec3,
    /// Where the joint is then.
    joint_place: DVec3,
}

impl Transplanter {
    /// Works out what does not change from frame to frame. `motion` is what is to be moved over: it has the
    /// joints of the motion that was planned with, and may have other frames.
    ///
    /// # Errors
    /// When rig or motion is not sound, the plan is of others, translations cannot be solved, or the listener cancels.
    pub fn new(
        rig: &Rig,
        motion: &Motion,
        plan: &Plan,
        translations: Translations,
        progress: &dyn Progress,
    ) -> Result<Self, TransplantError> {
        progress.stage("moving");
        rig.validate()?;
        motion.validate()?;
        plan.mapping.check(rig, motion)?;
        if plan.shared.len() != motion.joints.len() {
            return Err(MappingError::Other.into());
        }
        let placement = plan.alignment.placement;
        let carried = match translations {
            Translations::Auto => placement.is_as_it_stands() && rig.skeleton.is_none(),
            Translations::Carried => true,
            _ => false,
        };
        let solver = TranslationSolver::new(rig, translations, &progress.part(0.0, 0.5))?;
        let skeletal =
            matches!(translations, Translations::Auto | Translations::Carried | Translations::Skeleton);
        let bones = followers(rig, motion, plan, solver.parents(), &progress.part(0.5, 0.8))?;
        let fixed = fixed(rig, motion, plan, &bones, &solver);
        let copied = if translations == Translations::Auto { copied(rig, motion, plan) } else { None };
        let keeps_skeleton = rig.skeleton.is_some() && (copied.is_some() || !carried && skeletal);
        let trees = if keeps_skeleton { trees(solver.parents(), plan) } else { Vec::new() };
        let mut made = Self {
            solver,
            copied,
            carried,
            keeps_skeleton,
            placement,
            bones,
            fixed,
            trees,
            stride: placement.scale,
            lift: 0.0,
            soles: Vec::new(),
        };
        if !made.carried && !placement.is_as_it_stands() {
            made.soles = soles(rig, motion, &made.bones);
            made.find_stride(rig, motion);
            made.find_ground(rig, motion, progress)?;
        }
        Ok(made)
    }

    /// Whether joints carry bones along, or translations are solved.
    pub fn carries(&self) -> bool {
        self.carried || self.copies()
    }

    /// Whether the source moves this very rig, so that all its joints do comes over.
    pub fn copies(&self) -> bool {
        self.copied.is_some()
    }

    /// The joint that each bone goes with in the end.
    pub fn followed(&self) -> Vec<usize> {
        self.bones.iter().map(|bone| bone.joint).collect()
    }

    /// What each bone hangs on.
    pub(super) fn parents(&self) -> &[Option<usize>] {
        self.solver.parents()
    }

    /// Whether the bones still hang together as the rig's skeleton has them.
    pub fn keeps_skeleton(&self) -> bool {
        self.keeps_skeleton
    }

    /// How far the root goes when the source's goes by one.
    pub fn stride(&self) -> f64 {
        self.stride
    }

    /// The transforms of all bones, rest pose to posed, where these are the transforms of the source's
    /// joints.
    ///
    /// # Panics
    /// When `motion` has not the joints this was made for.
    pub fn pose(&self, motion: &Motion, worlds: &[DAffine3]) -> Vec<DAffine3> {
        if let Some(copied) = &self.copied {
            let joints = self.bones.iter().map(|bone| worlds[bone.joint]);
            return joints.zip(copied).map(|(joint, to_joint)| joint * *to_joint).collect();
        }
        let turned = motion.rotations_in(worlds);
        let rotations: Vec<DMat3> =
            self.bones.iter().map(|b| DMat3::from_quat(turned[b.joint] * b.before)).collect();
        let mut translations = vec![DVec3::ZERO; self.bones.len()];
        if self.carried {
            for ((bone, turn), out) in self.bones.iter().zip(&rotations).zip(&mut translations) {
                *out = self.carried_place(bone, &turned, worlds) - *turn * bone.center;
            }
        } else {
            let bone = &self.bones[self.fixed];
            let place = match self.placement.is_as_it_stands() {
                true => self.carried_place(bone, &turned, worlds),
                false => {
                    let gone = worlds[bone.joint].translation - bone.joint_place;
                    bone.place + gone * self.stride + DVec3::Y * self.lift
                }
            };
            let given = place - rotations[self.fixed] * bone.center;
            self.solver.solve(&rotations, (self.fixed, given), &mut translations);
            if self.placement.is_as_it_stands() {
                self.place_trees(&rotations, &turned, worlds, &mut translations);
            }
        }
        let parts = rotations.into_iter().zip(translations);
        parts.map(|(matrix3, translation)| DAffine3 { matrix3, translation }).collect()
    }

    /// Puts each tree of the skeleton where the joint of its root is. The solver holds trees apart as the rest
    /// pose does, but a hip that is not held by the root above it goes its own way.
    fn place_trees(&self, turns: &[DMat3], turned: &[DQuat], worlds: &[DAffine3], out: &mut [DVec3]) {
        for (root, tree) in &self.trees {
            let bone = &self.bones[*root];
            let place = self.carried_place(bone, turned, worlds);
            let off = place - turns[*root] * bone.center - out[*root];
            tree.iter().for_each(|&bone| out[bone] += off);
        }
    }

    /// Where a joint carries the centre of a bone.
    fn carried_place(&self, bone: &Follower, turned: &[DQuat], worlds: &[DAffine3]) -> DVec3 {
        let turn = turned[bone.joint] * bone.back;
        let at = worlds[bone.joint].translation + turn * bone.from_joint;
        at * self.placement.scale + self.placement.turn().inverse() * self.placement.shift
    }

    /// What [`transplant`](Self::transplant) leaves behind of `rig`.
    pub fn losses(&self, rig: &Rig) -> Vec<TransplantLoss> {
        let bones = rig.bones.iter().filter(|bone| !bone.rigid).count();
        let nodes = nodes::at_rest(&rig.nodes).1;
        let found = [
            (rig.rank() > 0).then_some(TransplantLoss::Corrections),
            (rig.skeleton.is_some() && !self.keeps_skeleton).then_some(TransplantLoss::Skeleton),
            (bones > 0 && !self.copies()).then_some(TransplantLoss::Stretch { bones }),
            (nodes > 0).then_some(TransplantLoss::NodeMotion { nodes }),
        ];
        found.into_iter().flatten().collect()
    }

    /// A rig with the frames of `motion` instead of its own: the same mesh and weights. Corrections belong to
    /// the frames that are gone and go with them.
    ///
    /// # Errors
    /// [`Cancelled`] when the listener says so.
    pub fn transplant(&self, rig: &Rig, motion: &Motion, progress: &dyn Progress) -> Result<Rig, Cancelled> {
        progress.stage("moving");
        let frames =
            map_in_parallel(progress, motion.frame_count(), |frame| self.pose(motion, motion.frame(frame)))?;
        Ok(Rig {
            transforms: frames.concat(),
            skeleton: rig.skeleton.clone().filter(|_| self.keeps_skeleton),
            corrections: None,
            fps: motion.fps,
            clips: if motion.clips.len() > 1 { motion.clips.clone() } else { Vec::new() },
            nodes: nodes::at_rest(&rig.nodes).0,
            ..rig.clone()
        })
    }

    /// Compares how high the fixed bone is over the ground, posed as the source's bind pose, with its joint.
    fn find_stride(&mut self, rig: &Rig, motion: &Motion) {
        let pose = self.pose(motion, &motion.bind);
        let height =
            pose[self.fixed].transform_point3(self.bones[self.fixed].center).y - self.lowest(rig, &pose);
        let stride = height / motion.root_height();
        if stride.is_finite() && stride > 0.0 {
            self.stride = stride;
        }
    }

    /// Puts the feet on the ground that they stand on in the rig's own frames.
    fn find_ground(&mut self, rig: &Rig, motion: &Motion, progress: &dyn Progress) -> Result<(), Cancelled> {
        let ground = |count: usize, pose: &(dyn Fn(usize) -> Vec<DAffine3> + Sync)| {
            let frames: Vec<usize> = evenly(count, TUNING.matching.ground_frames).collect();
            let lowest = |i: usize| self.lowest(rig, &pose(frames[i]));
            let mut low = map_in_parallel(&Muted(progress), frames.len(), lowest)?;
            low.sort_by(f64::total_cmp);
            Ok(low[(TUNING.matching.on_ground * (low.len() - 1) as f64) as usize])
        };
        let theirs = ground(motion.frame_count(), &|f| self.pose(motion, motion.frame(f)))?;
        let own: f64 = ground(rig.frame_count(), &|f| rig.frame_transforms(f).to_vec())?;
        self.lift += own - theirs;
        Ok(())
    }

    /// The height of the lowest sole in a pose.
    fn lowest(&self, rig: &Rig, pose: &[DAffine3]) -> f64 {
        let at = |v: &usize| blended(&rig.weights, pose, *v).transform_point3(rig.rest[*v].as_dvec3()).y;
        self.soles.iter().map(at).fold(f64::INFINITY, f64::min)
    }
}

/// Vertices that follow joints which are low in the source's bind pose, as feet are: a sword or a tail may hang
/// lower, but nothing stands on it. All vertices where there are none.
fn soles(rig: &Rig, motion: &Motion, bones: &[Follower]) -> Vec<usize> {
    let height = |joint: usize| motion.bind[joint].translation.y;
    let heights = || (0..motion.joints.len()).map(height);
    let (low, high) = (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
    let is_low = |bone: usize| height(bones[bone].joint) <= low + TUNING.matching.feet * (high - low);
    let main = |v: usize| {
        let (bones, weights) = rig.weights.of(v);
        let strongest = (0..bones.len()).max_by(|&a, &b| weights[a].total_cmp(&weights[b]));
        strongest.map(|slot| bones[slot] as usize)
    };
    let found: Vec<usize> = (0..rig.rest.len()).filter(|&v| main(v).is_some_and(is_low)).collect();
    if found.is_empty() { (0..rig.rest.len()).collect() } else { found }
}

/// From the rest pose to each bone's joint, if every bone is a joint of the source: of the same name, and at the
/// same place in the shared pose.
fn copied(rig: &Rig, motion: &Motion, plan: &Plan) -> Option<Vec<DAffine3>> {
    if plan.alignment.placement != Placement::AS_IT_STANDS {
        return None;
    }
    let own = transforms(rig, plan.alignment.rig);
    let apart = TUNING.matching.same_place * Bounds::of(&rig.rest).diagonal();
    (0..rig.bones.len())
        .map(|bone| {
            let joint =
                plan.mapping.joints[bone].filter(|&j| motion.joints[j].name == rig.bones[bone].name)?;
            let shared = plan.shared[joint];
            let place = own[bone].transform_point3(rig.bones[bone].center);
            let back = shared.inverse();
            (place.distance(shared.translation) <= apart && back.is_finite()).then(|| back * own[bone])
        })
        .collect()
}

fn followers(
    rig: &Rig,
    motion: &Motion,
    plan: &Plan,
    parents: &[Option<usize>],
    progress: &dyn Progress,
) -> Result<Vec<Follower>, Cancelled> {
    let placement = plan.alignment.placement;
    let back_turn = placement.turn().inverse();
    let worlds = &plan.shared;
    let aligned = motion.rotations_in(worlds);
    let own = transforms(rig, plan.alignment.rig);
    let places = rig.moved_centers(&own);
    let of_source: Vec<DVec3> = worlds.iter().map(|t| placement.apply(t.translation)).collect();
    let straight = match rig.skeleton.is_none() && placement.is_as_it_stands() {
        true => vec![DQuat::IDENTITY; rig.bones.len()],
        false => {
            let limbs = BoneTree::new(rig, progress)?;
            let pivots = limbs.posed(rig, plan.alignment.rig).pivots;
            turns_to_source(rig, &limbs, &plan.called, motion, &plan.mapping, &pivots, &of_source)
        }
    };
    let joints = plan.mapping.followed(parents);
    let follower = |(bone, joint): (usize, usize)| {
        let turn = polar(own[bone].matrix3).map_or(DQuat::IDENTITY, |m| DQuat::from_mat3(&m));
        let back = aligned[joint].inverse();
        Follower {
            joint,
            before: (back * back_turn * straight[bone] * turn).normalize(),
            back,
            center: rig.bones[bone].center,
            place: back_turn * places[bone],
            from_joint: placement.back(places[bone]) - worlds[joint].translation,
            joint_place: worlds[joint].translation,
        }
    };
    Ok(joints.into_iter().enumerate().map(follower).collect())
}

/// The trees of a skeleton whose roots have joints of their own, each with its root's number.
fn trees(parents: &[Option<usize>], plan: &Plan) -> Vec<(usize, Vec<usize>)> {
    let own = |root: &usize| parents[*root].is_none() && plan.mapping.joints[*root].is_some();
    let hangs_on = |bone: usize, root: usize| ancestors(parents, bone).last() == Some(root);
    let tree = |root: usize| (root, (0..parents.len()).filter(|&bone| hangs_on(bone, root)).collect());
    (0..parents.len()).filter(own).map(tree).collect()
}

/// The bone that is told where to go, of those with a joint of their own: the one whose joint is nearest to the
/// source's root. Of several that follow the same joint, as hips and a root on the ground below them do, the one
/// that is nearest to it: its height tells how far steps go.
fn fixed(rig: &Rig, motion: &Motion, plan: &Plan, bones: &[Follower], solver: &TranslationSolver) -> usize {
    let depth = |joint: usize| std::iter::successors(Some(joint), |&j| motion.joints[j].parent).count();
    let own = (0..rig.bones.len()).filter(|&bone| plan.mapping.joints[bone].is_some());
    let rank = |bone: &usize| (depth(bones[*bone].joint), Distance(bones[*bone].from_joint.length()));
    own.min_by_key(rank).unwrap_or(solver.held())
}
