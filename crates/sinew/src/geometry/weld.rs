//! Vertices that are one: files cut meshes along seams.

use std::cmp::Ordering;

use glam::Vec3;

/// Numbers the vertices that are at different places in at least one of several poses, in order of the first
/// vertex that is there: the number of each vertex, and the first vertex of each number. `place` tells where
/// a vertex is in a pose.
pub(crate) fn weld(
    vertices: usize,
    poses: usize,
    place: impl Fn(usize, u32) -> Vec3,
) -> (Vec<u32>, Vec<u32>) {
    // Adding zero makes one of the two zeros.
    let bits = |pose: usize, v: u32| (place(pose, v) + Vec3::ZERO).to_array().map(f32::to_bits);
    let compare = |a: u32, b: u32| {
        let in_pose = |pose: usize| bits(pose, a).cmp(&bits(pose, b));
        (0..poses).map(in_pose).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    };
    let count = vertices as u32;
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_unstable_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    let mut first_of: Vec<u32> = (0..count).collect();
    for pair in order.windows(2) {
        if compare(pair[0], pair[1]).is_eq() {
            first_of[pair[1] as usize] = first_of[pair[0] as usize];
        }
    }
    numbered(&first_of)
}

/// The number of each vertex and the first vertex of each number, given for every vertex the first that is one
/// with it.
pub(crate) fn numbered(first_of: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut one_of = vec![0; first_of.len()];
    let mut first = Vec::new();
    for v in 0..first_of.len() as u32 {
        // The first of its kind has been numbered already.
        one_of[v as usize] = match first_of[v as usize] {
            same if same == v => {
                first.push(v);
                first.len() as u32 - 1
            }
            earlier => one_of[earlier as usize],
        };
    }
    (one_of, first)
}
