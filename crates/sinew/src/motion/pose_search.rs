//! The pair of poses in which a rig and a source agree best, told by their limbs.
//!
//! All pairs of some poses are looked at from some sides with a quick match (`tree_match`), the best of them
//! closely. What looks the same from the front and from behind is told apart by the way it bends (`bend_direction`).

use std::f64::consts::{PI, TAU};

use glam::DVec3;

use super::Motion;
use super::bend_direction::bent_alike;
use super::bone_tree::{BoneTree, Posed};
use super::facing::Faced;
use super::icp::{SkeletonPose, SurfacePose};
use super::placement::Placement;
use super::poses::{Alignment, RigPose, SourcePose, worlds};
use super::source_tree::SourceTree;
use super::tree_match::{Match, as_it_stands, matched};
use super::tuning::TUNING;
use crate::progress::{Cancelled, Progress, map_in_parallel};
use crate::rig::Rig;

/// A pair of poses, by number, and the way the source faces.
struct Try {
    source: usize,
    pose: usize,
    facing: f64,
    cost: f64,
}

/// A rig and a source, each with poses to look at.
pub(super) struct Tried<'a> {
    pub rig: &'a Rig,
    pub motion: &'a Motion,
    pub limbs: &'a BoneTree,
    pub sources: Vec<SourcePose>,
    pub poses: Vec<RigPose>,
}

/// Lays a source with limbs over a rig in the best of these poses.
pub(super) fn by_limbs(
    tried: Tried,
    faced: Option<&Faced>,
    progress: &dyn Progress,
) -> Result<Option<Alignment>, Cancelled> {
    let Tried { rig, motion, limbs, sources, poses } = tried;
    let told = |source: usize, pose: usize| faced?.turn(rig, motion, sources[source], poses[pose]);
    let (facings, finalists) = (TUNING.alignment.facings[1], TUNING.alignment.finalists[1]);
    let trees =
        map_in_parallel(&progress.part(0.0, 0.1), sources.len(), |i| SourceTree::new(motion, sources[i]))?;
    let posed: Vec<Posed> = poses.iter().map(|&pose| limbs.posed(rig, pose)).collect();
    let scale = |t: &Try| (limbs.spread(&posed[t.pose]) / trees[t.source].spread()).sqrt();
    let is_usable = |t: &Try| scale(t).is_finite() && scale(t) > 0.0;
    let run = |t: &Try, rounds| matched(limbs, &posed[t.pose], &trees[t.source], t.facing, scale(t), rounds);
    let pairs: Vec<(usize, usize)> =
        (0..sources.len()).flat_map(|source| (0..poses.len()).map(move |pose| (source, pose))).collect();
    let quick = |pair: usize| {
        let (source, pose) = pairs[pair];
        let told = told(source, pose);
        let facing = |i: usize| (told.unwrap_or(0.0) + i as f64 / facings as f64 * TAU).rem_euclid(TAU);
        let seen = |&facing: &f64| told.is_none_or(|told| is_near(facing, told));
        let tries = (0..facings).map(facing).filter(seen);
        let tries = tries.map(|facing| Try { source, pose, facing, cost: 0.0 });
        let run = |t: Try| Try { cost: run(&t, 0).cost * posed_otherwise(sources[source], poses[pose]), ..t };
        tries.filter(is_usable).map(run).min_by(|a, b| a.cost.total_cmp(&b.cost))
    };
    let tried = map_in_parallel(&progress.part(0.1, 0.6), pairs.len(), quick)?;
    let mut best: Vec<Try> = tried.into_iter().flatten().collect();
    best.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    best.truncate(finalists);
    let judge = |t: &Try| {
        let found = run(t, TUNING.matching.rounds);
        let (source, pose) = (sources[t.source], poses[t.pose]);
        let bent = bent_alike(limbs, &posed[t.pose], &trees[t.source], &found.joints, t.facing);
        let way = t.facing - told(t.source, t.pose).unwrap_or(0.0);
        let turned = TUNING.alignment.other_way * 0.5 * (1.0 - way.cos())
            + TUNING.alignment.other_bend * 0.5 * (1.0 - bent);
        let cost = found.cost * posed_otherwise(source, pose) * (1.0 + turned);
        (Try { cost, ..*t }, found)
    };
    let step = PI / facings as f64;
    let around = [0.0, step, -step, PI, PI + step, PI - step];
    let close: Vec<Try> = best
        .iter()
        .flat_map(|t| around.map(|by| Try { facing: (t.facing + by).rem_euclid(TAU), ..*t }))
        .filter(|t| told(t.source, t.pose).is_none_or(|told| is_near(t.facing, told)))
        .collect();
    let judged = map_in_parallel(&progress.part(0.6, 1.0), close.len(), |i| judge(&close[i]))?;
    let Some((found, matched)) = judged.iter().min_by(|a, b| a.0.cost.total_cmp(&b.0.cost)) else {
        return Ok(None);
    };
    let rival = judged.iter().filter(|(t, _)| (t.facing - found.facing).cos() < 0.0).map(|(t, _)| t.cost);
    let margin = rival.reduce(f64::min).map(|rival| 100.0 * (rival / found.cost - 1.0));
    let by_body = told(found.source, found.pose).is_some();
    let (source, pose) = (sources[found.source], poses[found.pose]);
    let (tree, posed) = (&trees[found.source], &posed[found.pose]);
    let still = as_it_stands(limbs, posed, tree);
    let forward = found.facing.cos() > (PI / facings as f64).cos() - 1e-9;
    let stands = forward && still.cost <= (1.0 + TUNING.alignment.as_good) * matched.cost;
    let taken = if stands { &still } else { matched };
    let placement = match stands {
        true => Some(Placement::AS_IT_STANDS),
        false => placement(motion, source, posed, tree, taken, found.facing),
    };
    let height = SurfacePose::of_bones(rig, pose).height;
    let apart = 100.0 * taken.off / height;
    let by_names = false;
    let alignment = |placement| Alignment { source, rig: pose, placement, apart, by_names, by_body, margin };
    Ok(placement.map(alignment))
}

/// Whether one facing is about another.
fn is_near(facing: f64, told: f64) -> bool {
    (facing - told).cos() > TUNING.figure.off_told.cos()
}

fn posed_otherwise(source: SourcePose, pose: RigPose) -> f64 {
    match (source, pose) {
        (SourcePose::Bind, RigPose::Rest) => 1.0,
        _ => 1.0 + TUNING.alignment.other_pose[1],
    }
}

/// The placement that brings joints to the bones which follow them, if they face this way.
fn placement(
    motion: &Motion,
    source: SourcePose,
    posed: &Posed,
    tree: &SourceTree,
    found: &Match,
    facing: f64,
) -> Option<Placement> {
    let frame = SkeletonPose::new(motion, source);
    let pair = |(&joint, &at): (&usize, &DVec3)| (frame.middle(tree.joints[joint]), at, 1.0);
    let pairs: Vec<(DVec3, DVec3, f64)> = found.joints.iter().zip(&posed.middles).map(pair).collect();
    let place = || worlds(motion, source).first().map_or(DVec3::ZERO, |root| root.translation);
    Placement::fit(&pairs, Some(facing)).or_else(|| {
        // All bones follow one joint: any size will do.
        let placement = Placement { facing, scale: found.fitted.scale, shift: DVec3::ZERO };
        let shift = *posed.middles.first()? - placement.apply(place());
        Some(Placement { shift, ..placement })
    })
}
