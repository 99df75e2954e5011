//! The pair of poses in which a rig and a source agree best, told by their limbs.
//!
//! All pairs of some poses are looked at from some sides with a quick match (`matching`), the best of them
//! closely. What looks the same from the front and from behind is told apart by the way it bends (`bends`).

use std::f64::consts::{PI, TAU};

use glam::DVec3;
use rayon::prelude::*;

use super::Motion;
use super::align::{Alignment, RigPose, SourcePose};
use super::bends::bent_alike;
use super::figure::{Body, Frame, worlds};
use super::limbs::{Limbs, Posed};
use super::matching::{Match, as_it_stands, matched};
use super::placement::Placement;
use super::stick::Stick;
use crate::rig::Rig;

/// Facings that are tried.
const FACINGS: usize = 12;
/// Pairs of poses that are looked at closely, and how often their matches are improved.
const FINALISTS: usize = 24;
pub(super) const ROUNDS: usize = 4;
/// What speaks against a source that faces the other way, one that bends the other way, and frames instead of
/// bind and rest pose, which were often made to be alike: shares of the cost.
const OTHER_WAY: f64 = 0.3;
const OTHER_BEND: f64 = 1.0;
const OTHER_POSE: f64 = 0.05;
/// A source is taken as it stands if that is not worse than the best by more than this share.
const AS_GOOD: f64 = 0.2;

/// Whether joints of a source hang on each other, so that it has limbs.
pub(super) fn has_limbs(motion: &Motion) -> bool {
    motion.joints.iter().any(|joint| joint.parent.is_some())
}

/// A pair of poses, by number, and the way the source faces.
struct Try {
    source: usize,
    pose: usize,
    facing: f64,
    cost: f64,
}

/// Lays a source with limbs over a rig in the best of these poses.
pub(super) fn by_limbs(
    rig: &Rig,
    motion: &Motion,
    limbs: &Limbs,
    sources: &[SourcePose],
    poses: &[RigPose],
) -> Option<Alignment> {
    let sticks: Vec<Stick> = sources.par_iter().map(|&source| Stick::new(motion, source)).collect();
    let posed: Vec<Posed> = poses.iter().map(|&pose| limbs.posed(rig, pose)).collect();
    let scale = |t: &Try| (limbs.spread(&posed[t.pose]) / sticks[t.source].spread()).sqrt();
    let is_usable = |t: &Try| scale(t).is_finite() && scale(t) > 0.0;
    let run = |t: &Try, rounds| matched(limbs, &posed[t.pose], &sticks[t.source], t.facing, scale(t), rounds);
    let pairs: Vec<(usize, usize)> =
        (0..sources.len()).flat_map(|source| (0..poses.len()).map(move |pose| (source, pose))).collect();
    let quick = |&(source, pose): &(usize, usize)| {
        let facing = |i: usize| i as f64 / FACINGS as f64 * TAU;
        let tries = (0..FACINGS).map(|i| Try { source, pose, facing: facing(i), cost: 0.0 });
        let run = |t: Try| Try { cost: run(&t, 0).cost * posed_otherwise(sources[source], poses[pose]), ..t };
        tries.filter(is_usable).map(run).min_by(|a, b| a.cost.total_cmp(&b.cost))
    };
    let mut best: Vec<Try> = pairs.par_iter().filter_map(quick).collect();
    best.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    best.truncate(FINALISTS);
    let judge = |t: Try| {
        let found = run(&t, ROUNDS);
        let (source, pose) = (sources[t.source], poses[t.pose]);
        let bent = bent_alike(limbs, &posed[t.pose], &sticks[t.source], &found.joints, t.facing);
        let turned = OTHER_WAY * 0.5 * (1.0 - t.facing.cos()) + OTHER_BEND * 0.5 * (1.0 - bent);
        let cost = found.cost * posed_otherwise(source, pose) * (1.0 + turned);
        (Try { cost, ..t }, found)
    };
    let step = PI / FACINGS as f64;
    let around = [0.0, step, -step, PI, PI + step, PI - step];
    let close: Vec<Try> = best
        .iter()
        .flat_map(|t| around.map(|by| Try { facing: (t.facing + by).rem_euclid(TAU), ..*t }))
        .collect();
    let judged: Vec<(Try, Match)> = close.into_par_iter().map(judge).collect();
    let (found, matched) = judged.iter().min_by(|a, b| a.0.cost.total_cmp(&b.0.cost))?;
    let rival = judged.iter().filter(|(t, _)| (t.facing - found.facing).cos() < 0.0).map(|(t, _)| t.cost);
    let margin = rival.reduce(f64::min).map(|rival| 100.0 * (rival / found.cost - 1.0));
    let (source, pose) = (sources[found.source], poses[found.pose]);
    let (stick, posed) = (&sticks[found.source], &posed[found.pose]);
    let still = as_it_stands(limbs, posed, stick);
    let stands = is_forward(found.facing) && still.cost <= (1.0 + AS_GOOD) * matched.cost;
    let taken = if stands { &still } else { matched };
    let placement = match stands {
        true => Placement::AS_IT_STANDS,
        false => placement(motion, source, posed, stick, taken, found.facing)?,
    };
    let height = Body::of_bones(rig, pose).height;
    let apart = 100.0 * taken.off / height;
    Some(Alignment { source, rig: pose, placement, apart, by_names: false, margin })
}

fn posed_otherwise(source: SourcePose, pose: RigPose) -> f64 {
    match (source, pose) {
        (SourcePose::Bind, RigPose::Rest) => 1.0,
        _ => 1.0 + OTHER_POSE,
    }
}

fn is_forward(facing: f64) -> bool {
    facing.cos() > (PI / FACINGS as f64).cos() - 1e-9
}

/// The placement that brings joints to the bones which follow them, if they face this way.
fn placement(
    motion: &Motion,
    source: SourcePose,
    posed: &Posed,
    stick: &Stick,
    found: &Match,
    facing: f64,
) -> Option<Placement> {
    let frame = Frame::new(motion, source);
    let pair = |(&joint, &at): (&usize, &DVec3)| (frame.middle(stick.joints[joint]), at, 1.0);
    let pairs: Vec<(DVec3, DVec3, f64)> = found.joints.iter().zip(&posed.middles).map(pair).collect();
    let place = || worlds(motion, source).first().map_or(DVec3::ZERO, |root| root.translation);
    Placement::fit(&pairs, Some(facing)).or_else(|| {
        // All bones follow one joint: any size will do.
        let placement = Placement { facing, scale: found.figure.scale, shift: DVec3::ZERO };
        let shift = *posed.middles.first()? - placement.apply(place());
        Some(Placement { shift, ..placement })
    })
}
