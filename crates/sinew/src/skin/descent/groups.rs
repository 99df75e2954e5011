//! Beginnings that other rooms know: which bone each vertex follows at first.

use super::{Beginning, DescentOptions, Problem};
use crate::progress::{Cancelled, Progress};
use crate::segment::{MeanShift, Points, Regions, SegmentError, SegmentOptions, Segmenter, SurfaceMotion};
use crate::skin::BoneKind;

/// The bone of each vertex, [`crate::segment::NO_BONE`] for none; `Ok(None)` where the descent finds its own start.
pub fn bone_of_vertices(
    problem: &Problem,
    options: &DescentOptions,
    progress: &dyn Progress,
) -> Result<Option<Vec<u32>>, Cancelled> {
    let segmenter: &dyn Segmenter = match &options.beginning {
        Beginning::Groups(bone_of) => return Ok(Some(bone_of.clone())),
        Beginning::MeanShift => &MeanShift,
        Beginning::Regions => &Regions,
        Beginning::Points => &Points,
        Beginning::Turns | Beginning::Rig(_) => return Ok(None),
    };
    let motion = SurfaceMotion { frames: problem.frames, triangles: problem.triangles, rest: problem.rest };
    let wanted = SegmentOptions { count: Some(options.bones), rigid: options.kind == BoneKind::Rigid };
    match segmenter.segment(motion, &wanted, progress) {
        Ok(found) => Ok(Some(found.of_vertex)),
        Err(SegmentError::Cancelled) => Err(Cancelled),
        // More bones than it can make.
        Err(_) => Ok(None),
    }
}

/// The vertices of each bone.
pub fn sets(bone_of: &[u32], bones: usize) -> Vec<Vec<u32>> {
    let mut sets = vec![Vec::new(); bones];
    for (vertex, &bone) in bone_of.iter().enumerate() {
        if let Some(set) = sets.get_mut(bone as usize) {
            set.push(vertex as u32);
        }
    }
    sets
}
