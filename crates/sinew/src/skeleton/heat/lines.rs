//! The lines that heat starts from.

use glam::{DAffine3, DVec3, Vec3};

use crate::rig::Skeleton;

/// The straight lines inside a body that its bones run along, in every frame. A bone may have several, or
/// one that is only a point; a bone without any warms nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneLines {
    /// Number of bones.
    pub bone_count: usize,
    /// The bone of each line.
    pub bones: Vec<u32>,
    /// Both ends of every line: all of the first frame, then of the second, and so on.
    pub ends: Vec<[DVec3; 2]>,
}

impl BoneLines {
    /// The lines of a skeleton: from each joint to its children, which are what the joint moves, and to
    /// its end where it has one. A joint without children and end is a point.
    ///
    /// `centers` are the joints' places in the rest pose; `transforms` holds all bones of the first frame,
    /// then of the second, and so on; `leaf_ends` is a point of the rest pose, or none, for every joint:
    /// [`leaf_ends`] finds some.
    ///
    /// # Panics
    /// When the lengths do not fit the skeleton.
    pub fn of_skeleton(
        skeleton: &Skeleton,
        centers: &[DVec3],
        transforms: &[DAffine3],
        leaf_ends: &[Option<DVec3>],
    ) -> Self {
        let count = skeleton.len();
        assert!(count > 0 && transforms.len().is_multiple_of(count), "all joints in every frame");
        assert_eq!((centers.len(), leaf_ends.len()), (count, count), "one place and end per joint");
        let children = skeleton.children();
        let mut rest: Vec<(u32, [DVec3; 2])> = Vec::new();
        for joint in 0..count {
            let from = centers[joint];
            let mut ends: Vec<DVec3> = children[joint].iter().map(|&child| centers[child]).collect();
            ends.extend(leaf_ends[joint]);
            if ends.is_empty() {
                ends.push(from);
            }
            rest.extend(ends.into_iter().map(|end| (joint as u32, [from, end])));
        }
        // What a joint moves goes where its bone goes: a child's place, too.
        let carried = |bones: &[DAffine3]| -> Vec<[DVec3; 2]> {
            rest.iter().map(|(bone, ends)| ends.map(|p| bones[*bone as usize].transform_point3(p))).collect()
        };
        Self {
            bone_count: count,
            bones: rest.iter().map(|(bone, _)| *bone).collect(),
            ends: transforms.chunks_exact(count).flat_map(carried).collect(),
        }
    }

    /// The lines of one frame.
    pub fn frame(&self, frame: usize) -> &[[DVec3; 2]] {
        let count = self.bones.len();
        &self.ends[frame * count..(frame + 1) * count]
    }
}

/// Share of a leaf's vertices that lie before its end, seen from its joint.
const BEFORE_END: f64 = 0.9;

/// Where the joints without children end, given the joint that moves most of each vertex: from the joint
/// through the middle of what it moves, almost to the tip. `None` for other joints and for those that move
/// nothing.
///
/// # Panics
/// When lengths do not fit, or vertices follow joints that do not exist.
pub fn leaf_ends(
    skeleton: &Skeleton,
    centers: &[DVec3],
    rest: &[Vec3],
    joint_of: &[u32],
) -> Vec<Option<DVec3>> {
    assert_eq!((centers.len(), joint_of.len()), (skeleton.len(), rest.len()), "a joint per vertex");
    let mut moved: Vec<Vec<DVec3>> = vec![Vec::new(); skeleton.len()];
    rest.iter().zip(joint_of).for_each(|(p, &joint)| moved[joint as usize].push(p.as_dvec3()));
    let end = |joint: usize, children: &[usize]| {
        let points = &moved[joint];
        if !children.is_empty() || points.is_empty() {
            return None;
        }
        let from = centers[joint];
        let middle = points.iter().sum::<DVec3>() / points.len() as f64;
        let Some(way) = (middle - from).try_normalize() else { return Some(middle) };
        let mut along: Vec<f64> = points.iter().map(|p| (*p - from).dot(way)).collect();
        let at = ((along.len() - 1) as f64 * BEFORE_END) as usize;
        let (_, length, _) = along.select_nth_unstable_by(at, f64::total_cmp);
        Some(from + way * length.max((middle - from).length()))
    };
    skeleton.children().iter().enumerate().map(|(joint, children)| end(joint, children)).collect()
}

#[cfg(test)]
#[path = "../../../tests/unit/skeleton_heat_lines.rs"]
mod tests;
