//! Poses that a source shares with a rig to the point, as clips of the character do that the rig was made of.
//!
//! The points about which a rig's bones turn are then joints of the source. Nothing else puts most of them
//! there, so two such poses are found without knowing which bone follows which joint.

use glam::DVec3;

use super::body_joints::body_joints;
use super::pose_search::Tried;
use super::poses::{RigPose, SourcePose, worlds};
use super::tuning::TUNING;
use crate::geometry::Bounds;
use crate::progress::{Cancelled, Progress, map_in_parallel};

/// Pairs of poses that are the same if the source is taken as it stands, best first, each with the mean way
/// from pivots to joints.
pub(super) fn exact_poses(
    tried: &Tried,
    progress: &dyn Progress,
) -> Result<Vec<(SourcePose, RigPose, f64)>, Cancelled> {
    let Tried { rig, motion, limbs, sources, poses } = tried;
    let size = Bounds::of(&rig.rest).diagonal();
    let sure: Vec<usize> = (0..rig.bones.len()).filter(|&bone| limbs.sure[bone]).collect();
    if sure.len() < TUNING.alignment.exact_enough {
        return Ok(Vec::new());
    }
    let pivots = |&pose: &RigPose| {
        let all = limbs.posed(rig, pose).pivots;
        (pose, sure.iter().map(|&bone| all[bone]).collect::<Vec<DVec3>>())
    };
    let posed: Vec<(RigPose, Vec<DVec3>)> = poses.iter().map(pivots).collect();
    let joints = body_joints(motion);
    let near = |source: usize| {
        let source = sources[source];
        let worlds = worlds(motion, source);
        let places: Vec<DVec3> = joints.iter().map(|&joint| worlds[joint].translation).collect();
        let apart = |(pose, pivots): &(RigPose, Vec<DVec3>)| (source, *pose, apart(pivots, &places));
        posed.iter().map(apart).filter(|pair| pair.2 < TUNING.alignment.exact_near * size).collect::<Vec<_>>()
    };
    let mut found = map_in_parallel(progress, sources.len(), near)?.concat();
    found.sort_by(|a, b| a.2.total_cmp(&b.2));
    Ok(found)
}

/// The mean way from most pivots to the nearest joints.
fn apart(pivots: &[DVec3], places: &[DVec3]) -> f64 {
    let nearest = |pivot: &DVec3| {
        places.iter().map(|place| place.distance_squared(*pivot)).fold(f64::INFINITY, f64::min)
    };
    let mut squares: Vec<f64> = pivots.iter().map(nearest).collect();
    squares.sort_by(f64::total_cmp);
    let count = ((TUNING.alignment.exact_pivots * squares.len() as f64) as usize).max(1);
    squares[..count].iter().map(|square| square.sqrt()).sum::<f64>() / count as f64
}
