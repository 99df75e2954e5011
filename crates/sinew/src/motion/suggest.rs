//! A mapping to begin with: by names, by motion, by place and by what hangs on what.
//!
//! Where names tell, they decide. Otherwise the two poses that are the same are laid over each other:
//!
//! - Where rig and source go on with the same motion after those poses, each bone takes the joint that
//!   carries it along its own path.
//! - Otherwise limbs are matched with limbs (`tree_match`).
//! - Where the source has none, because nothing hangs on anything, a bone takes the joint that is nearest to
//!   the surface it moves.

use super::bone_tree::BoneTree;
use super::icp::{SkeletonPose, SurfacePose};
use super::limb_doubts::doubtful;
use super::names::named;
use super::paths::path_distances;
use super::placement::Placement;
use super::poses::{Alignment, has_limbs};
use super::source_tree::SourceTree;
use super::tree_match::{as_it_stands, matched};
use super::tuning::TUNING;
use super::{Mapping, Motion};
use crate::progress::{Cancelled, Progress};
use crate::rig::Rig;

/// How a bone got its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum MatchReason {
    /// They have the same name.
    Name,
    /// The bone has no name that tells, but is the same part of a body, by its shape and motion.
    Body,
    /// It moves along the same path, with so many percent of the rig's height between.
    Path(f64),
    /// It lies so many percent of the rig's height from the surface that the bone moves.
    Position(f64),
    /// The same, but it shares the joint with other bones of its limb, while another joint of the limb is free: the limb
    /// may be shifted by a joint.
    Shared(f64),
    /// The same, but what the joint carries would have to be of quite another length beside the rest of the source: the
    /// limb may be shifted by a joint.
    Stretched(f64),
    /// Nothing speaks for a joint; the bone goes with the one it hangs on.
    None,
}

/// How sure a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// There is hardly a doubt.
    Sure,
    /// It is probably so.
    Likely,
    /// There was nothing better.
    Guess,
}

impl MatchReason {
    /// How sure the match is.
    pub fn confidence(&self) -> Confidence {
        let of = |percent: f64, [sure, likely]: [f64; 2]| match percent {
            p if p <= sure => Confidence::Sure,
            p if p <= likely => Confidence::Likely,
            _ => Confidence::Guess,
        };
        match *self {
            Self::Name => Confidence::Sure,
            Self::Body => Confidence::Likely,
            Self::Path(percent) => of(percent, TUNING.doubts.path_percent),
            Self::Position(percent) => of(percent, TUNING.doubts.place_percent),
            // Never sure.
            Self::Shared(percent) | Self::Stretched(percent) if percent <= TUNING.doubts.place_percent[1] => {
                Confidence::Likely
            }
            Self::Shared(_) | Self::Stretched(_) | Self::None => Confidence::Guess,
        }
    }
}

/// A mapping and why it is so.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The mapping.
    pub mapping: Mapping,
    /// Why, for each bone.
    pub reasons: Vec<MatchReason>,
}

/// Suggests which joint each bone follows. Rig and motion must be sound.
///
/// # Errors
/// [`Cancelled`] when the listener says so.
pub fn suggest(
    rig: &Rig,
    motion: &Motion,
    alignment: &Alignment,
    progress: &dyn Progress,
) -> Result<Suggestion, Cancelled> {
    let named = named(rig, motion);
    let distinct: std::collections::HashSet<usize> = named.iter().flatten().copied().collect();
    let all = named.iter().all(Option::is_some);
    if all || (distinct.len() >= TUNING.alignment.enough_names && rig.skeleton.is_some()) {
        let reasons = named.iter().map(|j| if j.is_some() { MatchReason::Name } else { MatchReason::None });
        return Ok(Suggestion { reasons: reasons.collect(), mapping: Mapping { joints: named } });
    }
    let body = SurfacePose::of_bones(rig, alignment.rig);
    let mut chosen = match path_distances(rig, motion, alignment, &body, progress)? {
        Some(ways) => by_paths(&ways, &by_place(motion, alignment, &body)),
        None if has_limbs(motion) => by_limbs(rig, motion, alignment, body.height, progress)?,
        None => {
            let near = |costs: &Vec<f64>| {
                let joint = least(costs);
                (joint, MatchReason::Position(100.0 * costs[joint]))
            };
            by_place(motion, alignment, &body).iter().map(near).collect()
        }
    };
    for (chosen, joint) in chosen.iter_mut().zip(&named) {
        *chosen = joint.map_or(*chosen, |joint| (joint, MatchReason::Name));
    }
    Ok(Suggestion {
        reasons: chosen.iter().map(|(_, reason)| *reason).collect(),
        mapping: Mapping { joints: chosen.into_iter().map(|(joint, _)| Some(joint)).collect() },
    })
}

/// The joints that carry bones along their own paths. Paths know better than trees who belongs to whom.
fn by_paths(ways: &[Vec<f64>], places: &[Vec<f64>]) -> Vec<(usize, MatchReason)> {
    let nearest = |(ways, places): (&Vec<f64>, &Vec<f64>)| {
        let costs: Vec<f64> = ways
            .iter()
            .zip(places)
            .map(|(way, place)| way + TUNING.matching.place_beside_path * place)
            .collect();
        let joint = least(&costs);
        (joint, MatchReason::Path(100.0 * ways[joint]))
    };
    ways.iter().zip(places).map(nearest).collect()
}

/// The joints that limbs are matched with.
fn by_limbs(
    rig: &Rig,
    motion: &Motion,
    alignment: &Alignment,
    height: f64,
    progress: &dyn Progress,
) -> Result<Vec<(usize, MatchReason)>, Cancelled> {
    let limbs = BoneTree::new(rig, progress)?;
    let posed = limbs.posed(rig, alignment.rig);
    let source = SourceTree::new(motion, alignment.source);
    let Placement { facing, scale, .. } = alignment.placement;
    let found = match alignment.placement == Placement::AS_IT_STANDS {
        true => as_it_stands(&limbs, &posed, &source),
        false => matched(&limbs, &posed, &source, facing, scale, TUNING.matching.rounds),
    };
    let joint = |(&joint, way): (&usize, &f64)| {
        let (percent, stretch) = (100.0 * way / height, source.stretch(&found.fitted, joint));
        let is_alike = stretch.max(1.0 / stretch) <= TUNING.doubts.stretch;
        let reason = if is_alike { MatchReason::Position } else { MatchReason::Stretched };
        (source.joints[joint], reason(percent))
    };
    let mut chosen: Vec<(usize, MatchReason)> = found.joints.iter().zip(&found.ways).map(joint).collect();
    let followed: Vec<Option<usize>> = chosen.iter().map(|(joint, _)| Some(*joint)).collect();
    for bone in doubtful(&limbs.parents, &followed, motion) {
        let [sure, _] = TUNING.doubts.place_percent;
        if let MatchReason::Position(percent) | MatchReason::Stretched(percent) = chosen[bone].1 {
            chosen[bone].1 = MatchReason::Shared(percent.max(sure));
        }
    }
    Ok(chosen)
}

fn least(costs: &[f64]) -> usize {
    (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0)
}

/// How far what each bone moves is from what each joint carries, as a share of the height.
fn by_place(motion: &Motion, alignment: &Alignment, body: &SurfacePose) -> Vec<Vec<f64>> {
    let frame = SkeletonPose::new(motion, alignment.source);
    let joints = motion.joints.len();
    let (scale, placement) = (alignment.placement.scale / body.height, &alignment.placement);
    let mut sums: Vec<(Vec<f64>, f64)> = vec![(vec![0.0; joints], 0.0); body.places.len()];
    // A bone that moves no vertex most is where its place is; it hardly counts beside points.
    let places = body.places.iter().enumerate().map(|(bone, place)| (*place, bone, 1e-300));
    for (point, bone, area) in body.points.iter().copied().chain(places) {
        let distances = frame.distances(placement.back(point), joints);
        let (sum, total) = &mut sums[bone];
        sum.iter_mut().zip(distances).for_each(|(sum, distance)| *sum += area * scale * distance);
        *total += area;
    }
    sums.into_iter().map(|(sum, total)| sum.into_iter().map(|s| s / total).collect()).collect()
}
