//! Which triangles move together: connected pieces of what each bone moves most.
//!
//! A bone may move several places at once, and a fit leaves a few triangles that follow a bone far off. So
//! each connected piece is a region of its own, and small ones go to the neighbour they share most with.

use std::collections::{BTreeMap, HashMap};

use super::tuning::TUNING;
use crate::geometry::union_find::{join, root};
use crate::rig::SkinWeights;

/// Triangles as (number, corners).
pub(super) type Numbered = (u32, [u32; 3]);

/// The bone that moves a triangle most.
pub(super) fn main_bone(weights: &SkinWeights, triangle: &[u32; 3]) -> u32 {
    let mut sums: Vec<(u32, f32)> = Vec::new();
    for &v in triangle {
        let (bones, weights) = weights.of(v as usize);
        for (&bone, &weight) in bones.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            match sums.iter_mut().find(|(b, _)| *b == bone) {
                Some((_, sum)) => *sum += weight,
                None => sums.push((bone, weight)),
            }
        }
    }
    let most = |best: (u32, f32), one: (u32, f32)| if one.1 > best.1 { one } else { best };
    sums.into_iter().reduce(most).map_or(0, |(bone, _)| bone)
}

/// Sorts triangles into regions. `points` has for each vertex the first that is always at the same place; pieces of
/// few triangles go to a neighbour, if they have one.
pub(super) fn regions(triangles: &[Numbered], weights: &SkinWeights, points: &[u32]) -> Vec<Vec<Numbered>> {
    let small = TUNING.small_region;
    let mut roots: Vec<u32> = (0..triangles.len() as u32).collect();
    let mut first: HashMap<(u32, u32), u32> = HashMap::new();
    let mut around: HashMap<u32, Vec<u32>> = HashMap::new();
    for (t, (_, triangle)) in triangles.iter().enumerate() {
        let bone = main_bone(weights, triangle);
        for &v in triangle {
            let point = points[v as usize];
            around.entry(point).or_default().push(t as u32);
            let other = *first.entry((point, bone)).or_insert(t as u32);
            join(&mut roots, t as u32, other);
        }
    }
    let mut sizes = vec![0_usize; triangles.len()];
    (0..triangles.len() as u32).for_each(|t| sizes[root(&mut roots, t) as usize] += 1);
    let mut few: Vec<u32> =
        (0..triangles.len() as u32).filter(|&t| (1..small).contains(&sizes[t as usize])).collect();
    few.sort_by_key(|&piece| (sizes[piece as usize], piece));
    let mut members: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for t in 0..triangles.len() as u32 {
        let piece = root(&mut roots, t);
        if sizes[piece as usize] < small {
            members.entry(piece).or_default().push(t);
        }
    }
    for piece in few {
        let mut shared: BTreeMap<u32, usize> = BTreeMap::new();
        let own = root(&mut roots, piece);
        for &t in &members[&piece] {
            for &v in &triangles[t as usize].1 {
                for &other in &around[&points[v as usize]] {
                    let other = root(&mut roots, other);
                    if other != own {
                        *shared.entry(other).or_default() += 1;
                    }
                }
            }
        }
        let most = shared.into_iter().reduce(|best, one| if one.1 > best.1 { one } else { best });
        if let Some((neighbour, _)) = most {
            join(&mut roots, piece, neighbour);
        }
    }
    let mut found: BTreeMap<u32, Vec<Numbered>> = BTreeMap::new();
    for (t, triangle) in triangles.iter().enumerate() {
        found.entry(root(&mut roots, t as u32)).or_default().push(*triangle);
    }
    found.into_values().collect()
}
