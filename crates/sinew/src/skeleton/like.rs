//! The skeleton of another rig on a body like its own.
//!
//! Which place of the one surface is which of the other is told by distances over the surface, which do not change with the
//! pose (`alike`); so the two may rest differently and differ in proportions. Then
//!
//! - every point of the surface begins with the weights of the points of the other rig that are like it;
//! - joints begin where the surface around them has gone, and are fitted to the motion from there: where the motion says
//!   nothing they stay;
//! - joints of the other rig that move no skin are carried along by what they hang on. Those above all that do, such as a
//!   root on the ground, follow the body without turning.

use glam::{DAffine3, DMat3, DVec3};

use super::alike::{Alike, Surface};
use super::edited::{EditedSkeleton, as_they_are, points};
use super::find::{self, Checked};
use super::limits::joint_limits_unless_cancelled;
use super::{
    EditTuning, EditedJoint, KnownError, Likeness, Skeletal, SkeletonError, SkeletonOptions, SkeletonWarning,
    TUNING,
};
use crate::animation::{Frames, MeshAnimation};
use crate::geometry::union_find::{join, root};
use crate::progress::Progress;
use crate::rig::{Bone, Rig, Skeleton};
use crate::segment::rigid_bodies::motions;
use crate::segment::{NO_BONE, SurfaceMotion, SurfaceSamples};
use crate::solve::procrustes::{outer, polar};

const TUNED: EditTuning = TUNING.edits;
/// The most joints without which another body is tried, alone and together.
const PROPS: usize = 4;
/// A vertex goes with a joint that has so much of it.
const HALF: f64 = 0.5;

/// Takes over the joints of another rig.
pub(super) fn find_like(
    animation: &MeshAnimation,
    like: &Rig,
    options: &SkeletonOptions,
    progress: &dyn Progress,
) -> Result<Skeletal, SkeletonError> {
    let without_joints = || SkeletonError::Known(KnownError::LikeWithoutJoints);
    let checked = find::checked(animation, options, progress)?;
    progress.stage("likeness");
    let ours = Surface::new(&checked.samples);
    // Things in hands make another shape of a body: it is tried without them as well.
    let props = props(like);
    let main = like.weights.main_bones(like.rest.len());
    let mut best: Option<(f64, Tree, SurfaceSamples, Alike)> = None;
    for set in 0..1_usize << props.len() {
        progress.check()?;
        let without: Vec<usize> = (0..props.len()).filter(|k| set >> k & 1 == 1).map(|k| props[k]).collect();
        let Some(tree) = Tree::new(like, &without) else { continue };
        let theirs = surface(like, &without, progress)?;
        if theirs.rest.is_empty() {
            continue;
        }
        let main: Vec<usize> = points(&theirs, &like.rest).iter().map(|&v| main[v]).collect();
        let beside = |a: usize, b: usize| {
            let (a, b) = (main[a], main[b]);
            a == b || tree.hung[a] == Some(b) || tree.hung[b] == Some(a)
        };
        let alike = Alike::find(&ours, &Surface::of_skin(&theirs, beside), progress)?;
        let cost = alike.cost * (1.0 + TUNED.without * without.len() as f64);
        if best.as_ref().is_none_or(|best| cost < best.0) {
            best = Some((cost, tree, theirs, alike));
        }
    }
    let (_, tree, theirs, alike) = best.ok_or_else(without_joints)?;
    let point = points(&theirs, &like.rest);
    let their_weights: Vec<Vec<(usize, f64)>> = point
        .iter()
        .map(|&v| like.weights.influences(v).filter_map(|(b, w)| Some((tree.number[b]?, w))).collect())
        .collect();
    let weights = alike.carried(&their_weights);
    let units = &theirs.units;
    let placed: Vec<Placed> = tree
        .working
        .iter()
        .enumerate()
        .map(|(k, &b)| {
            let center = units.shift(like.bones[b].center - units.origins.rest);
            Placed::new(&alike, &theirs, &their_weights, center, k, tree.parents[k])
        })
        .collect();
    let joint = |k: usize| EditedJoint {
        name: like.bones[tree.working[k]].name.clone(),
        place: checked.samples.units.rest_back(placed[k].to),
        parent: tree.parents[k],
        is_fixed: false,
    };
    let joints: Vec<EditedJoint> = (0..placed.len()).map(joint).collect();
    let turns = turns(&checked, &weights, &tree.parents);
    let mut edited = EditedSkeleton::about(animation, checked, joints, weights, turns, options);
    let found = edited.refit(progress)?;
    let side = edited.length();
    let units = &edited.samples.units;
    let off = |k: usize| {
        let fitted = found.rig.bones.iter().find(|bone| bone.name == like.bones[tree.working[k]].name);
        fitted.map_or(0.0, |bone| bone.center.distance(units.rest_back(placed[k].to)))
    };
    let moved = (0..placed.len()).map(off).sum::<f64>() / placed.len().max(1) as f64;
    let carried = |b: usize| {
        let from = &placed[tree.carrier(b)];
        let center = theirs.units.shift(like.bones[b].center - theirs.units.origins.rest);
        units.rest_back(from.carry(center))
    };
    let mut made = tree.whole(like, &found, carried);
    made.limits = joint_limits_unless_cancelled(&made.rig, progress)?;
    let tells = |name: &String| {
        let bone = made.rig.bones.iter().position(|bone| bone.name == *name);
        bone.is_none_or(|bone| made.limits[bone].swing >= TUNED.still)
    };
    let (mut still, mut bare) = (Vec::new(), Vec::new());
    for (bone, number) in like.bones.iter().zip(&tree.number) {
        match number {
            None => bare.push(bone.name.clone()),
            // The uppermost goes with the body.
            Some(0) => {}
            Some(_) if tells(&bone.name) => {}
            Some(_) => still.push(bone.name.clone()),
        }
    }
    if !still.is_empty() || !bare.is_empty() {
        let (still, bare) = (still.clone(), bare.clone());
        made.warnings.push(SkeletonWarning::Unexplained { still, bare });
    }
    if alike.off > TUNED.unlike {
        made.warnings.push(SkeletonWarning::UnlikeBody { percent: 100.0 * alike.off });
    }
    let percent = 100.0 * moved / side.max(1e-300);
    made.likeness = Some(Likeness { shape_percent: 100.0 * alike.off, moved_percent: percent, still, bare });
    Ok(made)
}

/// Points on the surface of a rig without what some joints move.
fn surface(like: &Rig, without: &[usize], progress: &dyn Progress) -> Result<SurfaceSamples, SkeletonError> {
    let stays = |v: u32| like.weights.influences(v as usize).all(|(b, w)| w < HALF || !without.contains(&b));
    let mut triangles = like.mesh.triangles(&like.rest);
    triangles.retain(|t| t.iter().all(|&v| stays(v)));
    let frames = Frames::from_poses(&[like.rest.as_slice()]);
    let motion = SurfaceMotion { frames: &frames, triangles: &triangles, rest: &like.rest };
    Ok(SurfaceSamples::new(motion, progress)?)
}

/// Joints at the ends of limbs that move pieces of their own and nothing else, of very many the first: a head or a hand of
/// its own may be such a joint, and so is what holds a sword.
fn props(like: &Rig) -> Vec<usize> {
    let Some(skeleton) = like.skeleton.as_ref().map(Skeleton::as_hung) else { return Vec::new() };
    let n = skeleton.len();
    let mut vertices: Vec<u32> = (0..like.rest.len() as u32).collect();
    for face in 0..like.mesh.face_count() {
        like.mesh.face(face).windows(2).for_each(|pair| _ = join(&mut vertices, pair[0], pair[1]));
    }
    // What all vertices of a piece follow, if it is one joint.
    let main = like.weights.main_bones(like.rest.len());
    let mut of_piece: Vec<Option<usize>> = main.iter().map(|&b| Some(b)).collect();
    for v in 0..like.rest.len() {
        let first = root(&mut vertices, v as u32) as usize;
        let alone = like.weights.influences(v).all(|(b, w)| b == main[v] || w < HALF);
        if of_piece[first] != Some(main[v]) || !alone {
            of_piece[first] = None;
        }
    }
    let (mut own, mut shared) = (vec![false; n], vec![false; n]);
    for v in 0..like.rest.len() {
        let whole = of_piece[root(&mut vertices, v as u32) as usize];
        for (b, _) in like.weights.influences(v) {
            if whole == Some(b) { own[b] = true } else { shared[b] = true }
        }
    }
    let mut moves_below = vec![false; n];
    skeleton
        .links()
        .rev()
        .for_each(|(k, parent)| moves_below[parent] |= moves_below[k] || own[k] || shared[k]);
    (0..n).filter(|&k| own[k] && !shared[k] && !moves_below[k]).take(PROPS).collect()
}

/// The joints of another rig that matter to its skin.
struct Tree {
    /// Which joint of the rig each is, parents first.
    working: Vec<usize>,
    /// What each hangs on.
    parents: Vec<Option<usize>>,
    /// Which of them each joint of the rig is, if it is one.
    number: Vec<Option<usize>>,
    /// What all joints of the rig hang on; only the first root hangs on nothing.
    hung: Vec<Option<usize>>,
}

impl Tree {
    /// Those of a rig, without what some joints move; nothing where no skin is moved.
    fn new(like: &Rig, without: &[usize]) -> Option<Self> {
        let skeleton = like.skeleton.as_ref()?.as_hung();
        let n = skeleton.len();
        let mut moves = vec![false; n];
        for v in 0..like.rest.len() {
            like.weights.influences(v).filter(|u| u.1 > 0.0).for_each(|(b, _)| moves[b] = true);
        }
        without.iter().for_each(|&b| moves[b] = false);
        // Of several roots the one with most below it is the root of all.
        let mut below: Vec<usize> = moves.iter().map(|m| usize::from(*m)).collect();
        skeleton.links().rev().for_each(|(k, parent)| below[parent] += below[k]);
        let root =
            skeleton.roots().max_by_key(|&k| (below[k], std::cmp::Reverse(k))).filter(|&k| below[k] > 0)?;
        let hung: Vec<Option<usize>> =
            (0..n).map(|k| skeleton.parents[k].or_else(|| (k != root).then_some(root))).collect();
        let order = as_they_are(hung.iter().copied());
        let mut below: Vec<usize> = moves.iter().map(|m| usize::from(*m)).collect();
        let mut forks = vec![0; n];
        for &k in order.iter().rev() {
            if let Some(parent) = hung[k].filter(|_| below[k] > 0) {
                below[parent] += below[k];
                forks[parent] += 1;
            }
        }
        let (mut working, mut parents, mut number) = (Vec::new(), Vec::new(), vec![None; n]);
        for &k in &order {
            let above = hung[k].and_then(|parent| number[parent]);
            if moves[k] || below[k] > 0 && (above.is_some() || forks[k] > 1) {
                number[k] = Some(working.len());
                working.push(k);
                parents.push(above);
            }
        }
        Some(Self { working, parents, number, hung })
    }

    /// The joint that matters and carries a joint that does not: the next above, or else the uppermost.
    fn carrier(&self, joint: usize) -> usize {
        std::iter::successors(Some(joint), |&k| self.hung[k]).find_map(|k| self.number[k]).unwrap_or(0)
    }

    /// All joints of the rig, those that matter as they were found.
    fn whole(&self, like: &Rig, found: &Skeletal, place: impl Fn(usize) -> DVec3) -> Skeletal {
        let rig = &found.rig;
        let at: Vec<usize> = self
            .working
            .iter()
            .map(|&b| rig.bones.iter().position(|bone| bone.name == like.bones[b].name).unwrap_or(0))
            .collect();
        let order = as_they_are(self.hung.iter().copied());
        let mut new = vec![0; order.len()];
        order.iter().enumerate().for_each(|(i, &k)| new[k] = i);
        let has_above =
            |k: usize| std::iter::successors(Some(k), |&k| self.hung[k]).any(|k| self.number[k].is_some());
        let bone = |&k: &usize| {
            let center = self.number[k].map_or_else(|| place(k), |w| rig.bones[at[w]].center);
            Bone { name: like.bones[k].name.clone(), center, rigid: true, axes: None }
        };
        let top = rig.bones[at[0]].center;
        let transforms = (0..rig.frame_count()).flat_map(|t| {
            let frame = rig.frame_transforms(t);
            let at = &at;
            order.iter().map(move |&k| {
                let carried = frame[at[self.carrier(k)]];
                match has_above(k) {
                    true => carried,
                    false => DAffine3::from_translation(carried.transform_point3(top) - top),
                }
            })
        });
        let mut weights = rig.weights.clone();
        let mut numbers = vec![0; rig.bones.len()];
        at.iter().zip(&self.working).for_each(|(&old, &k)| numbers[old] = new[k] as u32);
        weights.bones.iter_mut().for_each(|b| *b = numbers[*b as usize]);
        let rig = Rig {
            bones: order.iter().map(bone).collect(),
            transforms: transforms.collect(),
            weights,
            skeleton: Some(Skeleton::new(order.iter().map(|&k| self.hung[k].map(|p| new[p])).collect())),
            armature: like.armature.clone(),
            ..rig.clone()
        };
        Skeletal { rig, ..found.clone() }
    }
}

/// Where a joint of the other rig has gone by what the surface around it has.
struct Placed {
    from: DVec3,
    to: DVec3,
    turn: DMat3,
    scale: f64,
}

impl Placed {
    fn new(
        alike: &Alike,
        theirs: &SurfaceSamples,
        weights: &[Vec<(usize, f64)>],
        center: DVec3,
        joint: usize,
        parent: Option<usize>,
    ) -> Self {
        let own = |v: usize| -> f64 {
            let of = |u: &&(usize, f64)| u.0 == joint || Some(u.0) == parent;
            weights[v].iter().filter(of).map(|u| u.1).sum()
        };
        let far = |v: usize| theirs.rest[v].distance(center);
        let moved: Vec<usize> = (0..weights.len()).filter(|&v| own(v) > 0.0).collect();
        let near = moved.iter().map(|&v| far(v)).fold(f64::INFINITY, f64::min);
        let near =
            if near.is_finite() { near } else { (0..weights.len()).map(far).fold(f64::INFINITY, f64::min) };
        let reach = TUNED.ring * near.max(f64::from(theirs.spacing));
        let sums = |reach: f64, all: bool| {
            let weight = |v: usize| {
                let share = if all { 1.0 } else { own(v) };
                share * (-(far(v) / reach).powi(2)).exp()
            };
            let (mut from, mut to, mut total) = (DVec3::ZERO, DVec3::ZERO, 1e-300);
            for v in 0..weights.len() {
                let w = weight(v);
                (from, to, total) = (from + theirs.rest[v] * w, to + alike.gone[v] * w, total + w);
            }
            let (from, to) = (from / total, to / total);
            let mut cross = DMat3::ZERO;
            for v in 0..weights.len() {
                cross += outer((alike.gone[v] - to) * weight(v), theirs.rest[v] - from);
            }
            (from, to, cross)
        };
        let all = moved.is_empty();
        let (from, to, _) = sums(reach, all);
        let (_, _, cross) = sums(TUNED.limb * reach, all);
        let turn = polar(cross).unwrap_or(alike.turn);
        let to = to + turn * (center - from) * alike.scale;
        Self { from: center, to, turn, scale: alike.scale }
    }

    /// Where a place of the other rig goes with it.
    fn carry(&self, place: DVec3) -> DVec3 {
        self.to + self.turn * (place - self.from) * self.scale
    }
}

/// How each joint turns in the frames of the samples if it moves the points that are most its own.
fn turns(checked: &Checked, weights: &[Vec<(usize, f64)>], parents: &[Option<usize>]) -> Vec<Vec<DMat3>> {
    let most = |list: &Vec<(usize, f64)>| {
        let best = list.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.map_or(NO_BONE, |u| u.0 as u32)
    };
    let owner: Vec<u32> = weights.iter().map(most).collect();
    let moved = motions(&checked.samples, &owner, parents.len());
    let mut turns: Vec<Vec<DMat3>> = Vec::with_capacity(parents.len());
    for (k, &parent) in parents.iter().enumerate() {
        let has_points = owner.iter().filter(|o| **o == k as u32).count() >= TUNED.points;
        let own = || moved[k].iter().map(|m| m.matrix3).collect();
        turns.push(match parent {
            Some(parent) if !has_points => turns[parent].clone(),
            _ => own(),
        });
    }
    turns
}
