//! Bones of constant length.
//!
//! Follows section 6, equation 3 of "Automatic Conversion of Mesh Animations into Skeleton-based
//! Animations": from the root to the leaves, a joint's distance from its parent is made the same in all
//! frames while the joint stays as near as possible to where it was. The paper asks for both by a sum of
//! two penalties, whose minimum is at
//!
//! ```text
//! l = mean of d_t,   a joint at distance (d_t + l) / 2 from its parent,   d_t = the distance it had,
//! ```
//!
//! which halves the differences of length but leaves the other half. Here the length is a condition: the
//! minimum is then at the same l, with the joint at distance l, in the direction it was seen in. Parents
//! are taken where they were put, as otherwise correcting them would change the lengths again.

use glam::DVec3;

use crate::rig::Skeleton;

/// Places of joints that keep their distance from their parents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConstantLengths {
    /// Where the joints are in the rest pose: in the same directions from their parents as before.
    pub centers: Vec<DVec3>,
    /// Where they are in each frame.
    pub places: Vec<Vec<DVec3>>,
}

/// Makes lengths constant, the best ones for all frames. Roots stay where they are.
///
/// `centers` are the joints of the rest pose, `targets` those of each frame as they were seen.
///
/// # Panics
/// When there are not as many places as joints.
pub fn constant_lengths(skeleton: &Skeleton, centers: &[DVec3], targets: &[Vec<DVec3>]) -> ConstantLengths {
    assert_eq!(centers.len(), skeleton.len(), "one place per joint");
    assert!(targets.iter().all(|t| t.len() == skeleton.len()), "one place per joint in every frame");
    let mut new = ConstantLengths { centers: centers.to_vec(), places: targets.to_vec() };
    for (joint, parent) in skeleton.links() {
        let rest = centers[joint] - centers[parent];
        let seen: Vec<DVec3> =
            (0..targets.len()).map(|t| targets[t][joint] - new.places[t][parent]).collect();
        let length = match seen.is_empty() {
            true => rest.length(),
            false => seen.iter().map(|d| d.length()).sum::<f64>() / seen.len() as f64,
        };
        // Where a joint is seen at its parent's place, it is in the direction it had last.
        let first = seen.iter().find_map(|d| d.try_normalize()).unwrap_or(DVec3::ZERO);
        let mut direction = rest.try_normalize().unwrap_or(first);
        new.centers[joint] = new.centers[parent] + direction * length;
        for (places, seen) in new.places.iter_mut().zip(seen) {
            direction = seen.try_normalize().unwrap_or(direction);
            places[joint] = places[parent] + direction * length;
        }
    }
    new
}
