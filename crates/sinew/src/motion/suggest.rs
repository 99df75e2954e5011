//! A mapping to begin with: by names, by motion, by place and by what hangs on what.
//!
//! Where names tell, they decide. Otherwise the two poses that are the same are laid over each other:
//!
//! - Where rig and source go on with the same motion after those poses, each bone takes the joint that
//!   carries it along its own path.
//! - Otherwise it takes the joint whose segments are nearest to the surface it moves. What hangs on what has
//!   a say: bones that are joined rather follow joints that are near in the tree, so all are chosen together,
//!   by dynamic programming over the tree of the bones.

use glam::DVec3;

use super::align::{Alignment, ENOUGH_NAMES, RigPose, SourcePose};
use super::figure::{Body, Frame, transforms, worlds};
use super::names::named;
use super::{Mapping, Motion};
use crate::animation::Clip;
use crate::rig::Rig;

/// How a bone got its joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Because {
    /// Of its name.
    Name,
    /// It moves along the same path, with so many percent of the rig's height between.
    Motion(f64),
    /// It lies so many percent of the rig's height from the surface that the bone moves.
    Place(f64),
    /// Nothing speaks for a joint; the bone goes with the one it hangs on.
    Nothing,
}

/// A mapping and why it is so.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggestion {
    /// The mapping.
    pub mapping: Mapping,
    /// Why, for each bone.
    pub because: Vec<Because>,
}

/// Frames after the aligned ones over which paths are compared, and how many are enough.
const FRAMES: usize = 30;
const ENOUGH_FRAMES: usize = 4;
/// Paths are the same if half of the bones find a joint that keeps this close, as a share of the height ...
const SAME_PATH: f64 = 0.01;
/// ... and half of the bones move at least so many times as far.
const MOVED: f64 = 3.0;
/// What a step from joint to joint between bones that are joined costs, as a share of the height.
const STEP: f64 = 0.01;
/// Further apart in the tree is no worse.
const FARTHEST: usize = 8;
/// Beside paths, how much place counts.
const BESIDE: f64 = 0.02;

/// Suggests which joint each bone follows. `parents` tells which bones are joined
/// ([`TranslationSolver::parents`](super::TranslationSolver::parents)).
pub fn suggest(rig: &Rig, motion: &Motion, alignment: &Alignment, parents: &[Option<usize>]) -> Suggestion {
    let named = named(rig, motion);
    let distinct: std::collections::HashSet<usize> = named.iter().flatten().copied().collect();
    let all = named.iter().all(Option::is_some);
    if all || (distinct.len() >= ENOUGH_NAMES && rig.skeleton.is_some()) {
        let because = named.iter().map(|j| if j.is_some() { Because::Name } else { Because::Nothing });
        return Suggestion { because: because.collect(), mapping: Mapping { joints: named } };
    }
    let body = Body::of_bones(rig, alignment.rig);
    let mut costs = by_place(motion, alignment, &body);
    let ways = by_motion(rig, motion, alignment, &body);
    if let Some(ways) = &ways {
        for (cost, way) in costs.iter_mut().zip(ways) {
            cost.iter_mut().zip(way).for_each(|(cost, way)| *cost = way + BESIDE * *cost);
        }
    }
    for (cost, joint) in costs.iter_mut().zip(&named) {
        let Some(joint) = joint else { continue };
        (0..cost.len()).filter(|j| j != joint).for_each(|j| cost[j] = f64::INFINITY);
    }
    // Paths know better than trees who belongs to whom.
    let steps = if ways.is_some() { None } else { steps(motion) };
    let chosen = choose(&costs, steps.as_deref(), parents);
    let because = |(bone, &joint): (usize, &usize)| match &ways {
        _ if named[bone].is_some() => Because::Name,
        Some(ways) => Because::Motion(100.0 * ways[bone][joint]),
        None => Because::Place(100.0 * costs[bone][joint]),
    };
    Suggestion {
        because: chosen.iter().enumerate().map(because).collect(),
        mapping: Mapping { joints: chosen.into_iter().map(Some).collect() },
    }
}

/// How far what each bone moves is from what each joint carries, as a share of the height.
fn by_place(motion: &Motion, alignment: &Alignment, body: &Body) -> Vec<Vec<f64>> {
    let frame = Frame::new(motion, alignment.source);
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

/// Whether rig and source go on with the same motion after the aligned poses.
pub(super) fn go_on_alike(rig: &Rig, motion: &Motion, alignment: &Alignment) -> bool {
    by_motion(rig, motion, alignment, &Body::of_bones(rig, alignment.rig)).is_some()
}

/// How far each bone's path is from that on which each joint would carry it, as a share of the height. None
/// where rig and source do not go on alike.
fn by_motion(rig: &Rig, motion: &Motion, alignment: &Alignment, body: &Body) -> Option<Vec<Vec<f64>>> {
    let (SourcePose::Frame(from), RigPose::Frame(at)) = (alignment.source, alignment.rig) else {
        return None;
    };
    let left = |clips: &[Clip], frame: usize| {
        let clip = clips.iter().find(|clip| clip.frames.contains(&frame))?;
        Some(clip.frames.end - frame)
    };
    let count = left(&motion.clips(), from)?.min(left(&rig.clips(), at)?).min(FRAMES);
    // Frame rates are not asked: caches often do not know theirs, and paths that differ are seen to differ.
    if count < ENOUGH_FRAMES {
        return None;
    }
    let (n, joints) = (rig.bones.len(), motion.joints.len());
    let aligned = transforms(rig, alignment.rig);
    let back: Vec<_> = worlds(motion, alignment.source).iter().map(|t| t.inverse()).collect();
    let mut points = vec![Vec::new(); n];
    body.points.iter().for_each(|(point, bone, _)| points[*bone].push(*point));
    (0..n).filter(|&bone| points[bone].is_empty()).collect::<Vec<_>>().into_iter().for_each(|bone| {
        points[bone].push(body.places[bone]);
    });
    let mut sums = vec![vec![0.0; joints]; n];
    let mut moved = vec![0.0; n];
    let placement = &alignment.placement;
    for step in 1..count {
        let (worlds, now) = (motion.frame(from + step), rig.frame_transforms(at + step));
        for bone in 0..n {
            let go = now[bone] * aligned[bone].inverse();
            let share = 1.0 / (points[bone].len() * (count - 1)) as f64 / body.height;
            let goes: Vec<(DVec3, DVec3, DVec3)> =
                points[bone].iter().map(|&p| (p, go.transform_point3(p), placement.back(p))).collect();
            moved[bone] += goes.iter().map(|(p, q, _)| p.distance(*q)).sum::<f64>() * share;
            for joint in 0..joints {
                let carry = worlds[joint] * back[joint];
                let off = |(_, q, p): &(DVec3, DVec3, DVec3)| {
                    placement.apply(carry.transform_point3(*p)).distance(*q)
                };
                sums[bone][joint] += goes.iter().map(off).sum::<f64>() * share;
            }
        }
    }
    let mut least: Vec<f64> = sums.iter().map(|s| s.iter().copied().fold(f64::INFINITY, f64::min)).collect();
    least.sort_by(f64::total_cmp);
    moved.sort_by(f64::total_cmp);
    let close = least[n / 2];
    (close < SAME_PATH && moved[n / 2] > MOVED * close).then_some(sums)
}

/// Steps from joint to joint through the source's tree; none where nothing hangs on anything.
fn steps(motion: &Motion) -> Option<Vec<Vec<usize>>> {
    let n = motion.joints.len();
    motion.joints.iter().find(|joint| joint.parent.is_some())?;
    let mut steps = vec![vec![FARTHEST; n]; n];
    for joint in 0..n {
        // Parents come first, so the ways to all before are known.
        if let Some(parent) = motion.joints[joint].parent {
            for other in 0..joint {
                let way = (steps[parent][other] + 1).min(FARTHEST);
                (steps[joint][other], steps[other][joint]) = (way, way);
            }
        }
        steps[joint][joint] = 0;
    }
    Some(steps)
}

/// The joint of each bone such that costs and steps together are least.
fn choose(costs: &[Vec<f64>], steps: Option<&[Vec<usize>]>, parents: &[Option<usize>]) -> Vec<usize> {
    let (bones, joints) = (costs.len(), costs.first().map_or(0, Vec::len));
    let step = |a: usize, b: usize| steps.map_or(0.0, |steps| STEP * steps[a][b] as f64);
    // From the ends to the root, so that what hangs on a bone is known before it.
    let depth = |bone: usize| std::iter::successors(Some(bone), |&b| parents[b]).take(bones).count();
    let mut order: Vec<usize> = (0..bones).collect();
    order.sort_by_key(|&bone| std::cmp::Reverse(depth(bone)));
    let mut totals = costs.to_vec();
    let mut best_below = vec![Vec::new(); bones];
    for &bone in &order {
        let Some(parent) = parents[bone] else { continue };
        let best = |above: usize| {
            let cost = |own: usize| totals[bone][own] + step(above, own);
            let own = (0..joints).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(0);
            (own, cost(own))
        };
        let best: Vec<(usize, f64)> = (0..joints).map(best).collect();
        totals[parent].iter_mut().zip(&best).for_each(|(total, (_, cost))| *total += cost);
        best_below[bone] = best.into_iter().map(|(own, _)| own).collect();
    }
    let mut chosen = vec![0; bones];
    for &bone in order.iter().rev() {
        chosen[bone] = match parents[bone] {
            Some(parent) => best_below[bone][chosen[parent]],
            None => (0..joints).min_by(|&a, &b| totals[bone][a].total_cmp(&totals[bone][b])).unwrap_or(0),
        };
    }
    chosen
}
