//! Initialisations that other rooms know: which bone each vertex follows at first.

use super::{DescentOptions, Initialisation, Problem, SkinSize};
use crate::progress::{Cancelled, Progress};
use crate::segment::{
    MeanShiftOptions, NO_BONE, grow_regions, mean_shift, smooth_weights, spread_points, with_bone_count,
};
use crate::skin::kinds::BoneKind;

/// The bone of each vertex, [`NO_BONE`] for none; `None` where the descent finds its own start.
pub fn bone_of_vertices(
    problem: &Problem,
    size: SkinSize,
    options: &DescentOptions,
    progress: &dyn Progress,
) -> Result<Option<Vec<u32>>, Cancelled> {
    let (frames, triangles, rest) = (problem.frames, &problem.triangles, &problem.rest);
    match &options.initialisation {
        Initialisation::Groups(bone_of) => Ok(Some(bone_of.clone())),
        Initialisation::MeanShift => {
            let found = mean_shift(frames, triangles, rest, &MeanShiftOptions::default(), progress)
                .ok_or(Cancelled)?;
            let rigid = size.kind == BoneKind::Rigid;
            let found = with_bone_count(frames, triangles, rest, &found, size.bones, rigid, progress)
                .ok_or(Cancelled)?;
            Ok(Some(of_triangles(&found.bone_of_triangle, triangles, rest.len())))
        }
        Initialisation::Regions => match spread_points(triangles, rest, size.bones) {
            Some(seeds) => grow_regions(frames, triangles, rest, &seeds, progress).ok_or(Cancelled).map(Some),
            None => Ok(None),
        },
        Initialisation::Points => Ok(spread_points(triangles, rest, size.bones)
            .map(|points| smooth_weights(triangles, rest, &points, 1).bones)),
        Initialisation::Turns | Initialisation::Skin(_) => Ok(None),
    }
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
pub fn sets(bone_of: &[u32], bones: usize) -> Vec<Vec<u32>> {
    let mut sets = vec![Vec::new(); bones];
    for (vertex, &bone) in bone_of.iter().enumerate() {
        if let Some(set) = sets.get_mut(bone as usize) {
            set.push(vertex as u32);
        }
    }
    sets
}
