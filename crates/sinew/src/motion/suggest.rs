//! A mapping to begin with: by names, by motion, by place and by what hangs on what.
//!
//! Where names tell, they decide. Otherwise the two poses that are the same are laid over each other:
//!
//! - Where rig and source go on with the same motion after those poses, each bone takes the joint that
//!   carries it along its own path.
//! - Otherwise limbs are matched with limbs (`matching`).
//! - Where the source has none, because nothing hangs on anything, a bone takes the joint that is nearest to
//!   the surface it moves.

use glam::DVec3;

use super::align::{Alignment, ENOUGH_NAMES, RigPose, SourcePose};
use super::figure::{Body, Frame, transforms, worlds};
use super::limbs::Limbs;
use super::matching::{as_it_stands, matched};
use super::names::named;
use super::placement::Placement;
use super::search::{ROUNDS, has_limbs};
use super::stick::Stick;
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
/// Beside paths, how much place counts.
const BESIDE: f64 = 0.02;

/// Suggests which joint each bone follows.
pub fn suggest(rig: &Rig, motion: &Motion, alignment: &Alignment) -> Suggestion {
    let named = named(rig, motion);
    let distinct: std::collections::HashSet<usize> = named.iter().flatten().copied().collect();
    let all = named.iter().all(Option::is_some);
    if all || (distinct.len() >= ENOUGH_NAMES && rig.skeleton.is_some()) {
        let because = named.iter().map(|j| if j.is_some() { Because::Name } else { Because::Nothing });
        return Suggestion { because: because.collect(), mapping: Mapping { joints: named } };
    }
    let body = Body::of_bones(rig, alignment.rig);
    let mut chosen = match by_motion(rig, motion, alignment, &body) {
        Some(ways) => by_paths(&ways, &by_place(motion, alignment, &body)),
        None if has_limbs(motion) => by_limbs(rig, motion, alignment, body.height),
        None => {
            let near = |costs: &Vec<f64>| {
                let joint = least(costs);
                (joint, Because::Place(100.0 * costs[joint]))
            };
            by_place(motion, alignment, &body).iter().map(near).collect()
        }
    };
    for (chosen, joint) in chosen.iter_mut().zip(&named) {
        *chosen = joint.map_or(*chosen, |joint| (joint, Because::Name));
    }
    Suggestion {
        because: chosen.iter().map(|(_, because)| *because).collect(),
        mapping: Mapping { joints: chosen.into_iter().map(|(joint, _)| Some(joint)).collect() },
    }
}

/// The joints that carry bones along their own paths. Paths know better than trees who belongs to whom.
fn by_paths(ways: &[Vec<f64>], places: &[Vec<f64>]) -> Vec<(usize, Because)> {
    let nearest = |(ways, places): (&Vec<f64>, &Vec<f64>)| {
        let costs: Vec<f64> = ways.iter().zip(places).map(|(way, place)| way + BESIDE * place).collect();
        let joint = least(&costs);
        (joint, Because::Motion(100.0 * ways[joint]))
    };
    ways.iter().zip(places).map(nearest).collect()
}

/// The joints that limbs are matched with.
fn by_limbs(rig: &Rig, motion: &Motion, alignment: &Alignment, height: f64) -> Vec<(usize, Because)> {
    let limbs = Limbs::new(rig);
    let posed = limbs.posed(rig, alignment.rig);
    let stick = Stick::new(motion, alignment.source);
    let Placement { facing, scale, .. } = alignment.placement;
    let found = match alignment.placement == Placement::AS_IT_STANDS {
        true => as_it_stands(&limbs, &posed, &stick),
        false => matched(&limbs, &posed, &stick, facing, scale, ROUNDS),
    };
    let joint = |(&joint, way): (&usize, &f64)| (stick.joints[joint], Because::Place(100.0 * way / height));
    found.joints.iter().zip(&found.ways).map(joint).collect()
}

fn least(costs: &[f64]) -> usize {
    (0..costs.len()).min_by(|&a, &b| costs[a].total_cmp(&costs[b])).unwrap_or(0)
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

/// How many frames rig and source have from the aligned poses on in their clips, as far as paths are compared.
/// None where they are too few to tell, or a pose is no frame.
pub(super) fn frames_from(rig: &Rig, motion: &Motion, alignment: &Alignment) -> Option<usize> {
    let (SourcePose::Frame(from), RigPose::Frame(at)) = (alignment.source, alignment.rig) else {
        return None;
    };
    let left = |clips: &[Clip], frame: usize| {
        let clip = clips.iter().find(|clip| clip.frames.contains(&frame))?;
        Some(clip.frames.end - frame)
    };
    let count = left(&motion.clips(), from)?.min(left(&rig.clips(), at)?).min(FRAMES);
    (count >= ENOUGH_FRAMES).then_some(count)
}

/// How far each bone's path is from that on which each joint would carry it, as a share of the height. None
/// where rig and source do not go on alike.
fn by_motion(rig: &Rig, motion: &Motion, alignment: &Alignment, body: &Body) -> Option<Vec<Vec<f64>>> {
    let (SourcePose::Frame(from), RigPose::Frame(at)) = (alignment.source, alignment.rig) else {
        return None;
    };
    // Frame rates are not asked: caches often do not know theirs, and paths that differ are seen to differ.
    let count = frames_from(rig, motion, alignment)?;
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
