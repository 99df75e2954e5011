//! Initialisation from segmentations of other rooms: which bone each vertex follows at first.

use super::options::{Initialisation, SkinSize};
use super::problem::Problem;
use crate::progress::{Cancelled, Progress};
use crate::segment::{
    MeanShiftOptions, NO_BONE, grow_regions, mean_shift, smooth_weights, spread_points, with_bone_count,
};
use crate::skin::kinds::BoneKind;

/// The vertices of each bone; `None` where the descent finds its own start.
pub fn sets(
    problem: &Problem,
    size: SkinSize,
    initialisation: &Initialisation,
    progress: &dyn Progress,
) -> Result<Option<Vec<Vec<u32>>>, Cancelled> {
    let (frames, triangles, rest) = (problem.frames(), &problem.triangles, &problem.rest);
    let bone_of = match initialisation {
        Initialisation::Turns | Initialisation::Skin(_) => None,
        Initialisation::Groups(bone_of) => Some(bone_of.clone()),
        Initialisation::MeanShift => {
            let found = mean_shift(frames, triangles, rest, &MeanShiftOptions::default(), progress);
            let (found, rigid) = (found.ok_or(Cancelled)?, size.kind == BoneKind::Rigid);
            let found = with_bone_count(frames, triangles, rest, &found, size.bones, rigid, progress);
            Some(of_triangles(&found.ok_or(Cancelled)?.bone_of_triangle, triangles, rest.len()))
        }
        Initialisation::Regions => match spread_points(triangles, rest, size.bones) {
            Some(seeds) => Some(grow_regions(frames, triangles, rest, &seeds, progress).ok_or(Cancelled)?),
            None => None,
        },
        Initialisation::Points => spread_points(triangles, rest, size.bones)
            .map(|points| smooth_weights(triangles, rest, &points, 1).bones),
    };
    Ok(bone_of.map(|bone_of| by_bone(&bone_of, size.bones)))
}

/// The bone that most triangles of each vertex follow.
fn of_triangles(bone_of_triangle: &[u32], triangles: &[[u32; 3]], count: usize) -> Vec<u32> {
    let mut votes: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (triangle, &bone) in triangles.iter().zip(bone_of_triangle).filter(|(_, b)| **b != NO_BONE) {
        triangle.iter().for_each(|&v| votes[v as usize].push(bone));
    }
    votes
        .into_iter()
        .map(|mut votes| {
            votes.sort_unstable();
            votes.chunk_by(|a, b| a == b).rev().max_by_key(|same| same.len()).map_or(NO_BONE, |same| same[0])
        })
        .collect()
}

/// The vertices of each bone.
fn by_bone(bone_of: &[u32], bones: usize) -> Vec<Vec<u32>> {
    let mut sets = vec![Vec::new(); bones];
    for (vertex, &bone) in bone_of.iter().enumerate() {
        if let Some(set) = sets.get_mut(bone as usize) {
            set.push(vertex as u32);
        }
    }
    sets
}
