//! Whether a rig and a source go on with the same motion after two poses that are the same, and which joint then
//! carries each bone along its own path.

use glam::DVec3;

use super::Motion;
use super::icp::SurfacePose;
use super::poses::{Alignment, RigPose, SourcePose, transforms, worlds};
use super::tuning::TUNING;
use crate::animation::Clip;
use crate::progress::{Cancelled, Progress};
use crate::rig::Rig;

/// Whether rig and source go on with the same motion after the aligned poses.
pub(super) fn go_on_alike(
    rig: &Rig,
    motion: &Motion,
    alignment: &Alignment,
    progress: &dyn Progress,
) -> Result<bool, Cancelled> {
    let body = SurfacePose::of_bones(rig, alignment.rig);
    Ok(path_distances(rig, motion, alignment, &body, progress)?.is_some())
}

/// How many frames rig and source have from the aligned poses on in their clips, as far as paths are compared.
/// None where they are too few to tell, or a pose is no frame.
pub(super) fn frames_from(
    rig: &Rig,
    motion: &Motion,
    alignment: &Alignment,
) -> Option<(usize, usize, usize)> {
    let (SourcePose::Frame(from), RigPose::Frame(at)) = (alignment.source, alignment.rig) else {
        return None;
    };
    let left = |clips: &[Clip], frame: usize| {
        let clip = clips.iter().find(|clip| clip.frames.contains(&frame))?;
        Some(clip.frames.end - frame)
    };
    let [most, enough] = TUNING.alignment.path_frames;
    let count = left(&motion.clips(), from)?.min(left(&rig.clips(), at)?).min(most);
    (count >= enough).then_some((from, at, count))
}

/// How far each bone's path is from that on which each joint would carry it, as a share of the height. None
/// where rig and source do not go on alike.
pub(super) fn path_distances(
    rig: &Rig,
    motion: &Motion,
    alignment: &Alignment,
    body: &SurfacePose,
    progress: &dyn Progress,
) -> Result<Option<Vec<Vec<f64>>>, Cancelled> {
    // Frame rates are not asked: caches often do not know theirs, and paths that differ are seen to differ.
    let Some((from, at, count)) = frames_from(rig, motion, alignment) else { return Ok(None) };
    let (n, joints) = (rig.bones.len(), motion.joints.len());
    let aligned = transforms(rig, alignment.rig);
    let back: Vec<_> = worlds(motion, alignment.source).iter().map(|t| t.inverse()).collect();
    let mut points = vec![Vec::new(); n];
    body.points.iter().for_each(|(point, bone, _)| points[*bone].push(*point));
    for (points, place) in points.iter_mut().zip(&body.places).filter(|(points, _)| points.is_empty()) {
        points.push(*place);
    }
    let mut sums = vec![vec![0.0; joints]; n];
    let mut moved = vec![0.0; n];
    let placement = &alignment.placement;
    for step in 1..count {
        let (worlds, now) = (motion.frame(from + step), rig.frame_transforms(at + step));
        for bone in 0..n {
            progress.check()?;
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
    let is_same = close < TUNING.alignment.same_path && moved[n / 2] > TUNING.alignment.path_moved * close;
    Ok(is_same.then_some(sums))
}
