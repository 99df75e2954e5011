//! Which way limbs bend: a knee does not bend forward, and a foot points that way.
//!
//! A body that stands or walks looks much the same from the front and from behind, and little but its feet,
//! knees and elbows tells the two apart. So these are looked at by themselves.

use glam::{DQuat, DVec3};

use super::bone_tree::{BoneTree, Posed};
use super::source_tree::SourceTree;

/// From −1 to 1: how far limbs are bent the way those are which they follow, with the source turned by
/// `facing`. `joints` are those that bones follow, by place in [`SourceTree::joints`]. Zero where nothing tells.
pub(super) fn bent_alike(
    limbs: &BoneTree,
    posed: &Posed,
    source: &SourceTree,
    joints: &[usize],
    facing: f64,
) -> f64 {
    let turn = DQuat::from_rotation_y(facing);
    let (mut both, mut ours_squared, mut theirs_squared) = (0.0, 0.0, 0.0);
    for lower in 0..source.joints.len() {
        // What branches tells sides apart, not front and back.
        let Some(upper) = source.followed_above(lower, joints).filter(|&upper| !source.branches(upper))
        else {
            continue;
        };
        let Some((ours, share)) = of_rig(limbs, posed, source, joints, [upper, lower]) else { continue };
        let [a, b] =
            [ours, turn * of_source(source, [upper, lower])].map(|way| DVec3::new(way.x, 0.0, way.z));
        let weight = share.sqrt();
        both += weight * a.dot(b);
        ours_squared += weight * a.length_squared();
        theirs_squared += weight * b.length_squared();
    }
    let size = (ours_squared * theirs_squared).sqrt();
    if size > 0.0 { both / size } else { 0.0 }
}

/// How the bones that follow a joint or what hangs on it lie aside of those that follow the joint above, and
/// how much of the surface they are. None where they do not hang on those.
fn of_rig(
    limbs: &BoneTree,
    posed: &Posed,
    source: &SourceTree,
    joints: &[usize],
    [upper, lower]: [usize; 2],
) -> Option<(DVec3, f64)> {
    let is_lower = |bone: usize| joints[bone] == lower || source.is_below(joints[bone], lower);
    let is_upper = |bone: usize| joints[bone] == upper;
    let (above, _) = limbs.middle_of(posed, is_upper)?;
    let (below, share) = limbs.middle_of(posed, is_lower)?;
    let mut seam = (DVec3::ZERO, 0.0);
    for (bone, parent) in limbs.parents.iter().enumerate() {
        let Some(parent) = *parent else { continue };
        if (is_lower(bone) && is_upper(parent)) || (is_upper(bone) && is_lower(parent)) {
            let weight = limbs.shares[bone].min(limbs.shares[parent]) + f64::MIN_POSITIVE;
            seam.0 += posed.pivots[bone] * weight;
            seam.1 += weight;
        }
    }
    let at = seam.0 / seam.1;
    at.is_finite().then(|| (aside(at - above, below - at), share))
}

/// How what hangs on a joint, and what it carries itself, lies aside of what the joint above carries.
fn of_source(source: &SourceTree, [upper, lower]: [usize; 2]) -> DVec3 {
    let at = source.place(lower);
    aside(at - source.middle_of(upper), source.middle_below(lower) - at)
}

/// What of a way goes aside of another.
pub(super) fn aside(along: DVec3, way: DVec3) -> DVec3 {
    let along = along.normalize_or_zero();
    way - along * way.dot(along)
}
