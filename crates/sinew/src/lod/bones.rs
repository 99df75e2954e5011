//! Levels of bones: the same rig with fewer of them.
//!
//! What is far away is played for less, and a palette of bones is a large part of what playing costs.
//!
//! - Bones of a rig without a skeleton are there to be played and nothing else: a level has bones of its own, fitted to what
//!   the rig plays ([`crate::skin`]), all levels by one preparation. Its rest pose is the rig's.
//! - Joints of a skeleton are there to be animated, with clips that nobody has made yet: those of a level are some of the
//!   rig's, with their names, places and motion, so that every clip of the rig plays on every level. The last joints of
//!   limbs go first (`joints`); what they carried follows what they hung on, and all other weights stay as they are.

use super::LodError;
use super::joints::followed;
use crate::animation::{AnimationError, ErrorMeasure, Frames, MeshAnimation, PoseSource, compare};
use crate::geometry::{Bounds, corner_normals};
use crate::nodes::{Parent, freed};
use crate::progress::Progress;
use crate::rig::{Player, Rig, Skeleton, SkinWeights, picked};
use crate::skin::{BoneKind, DescentOptions, MOST_INFLUENCES, Method, Prepared, SkinOptions, Skinned};

/// A rig with fewer bones.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneLevel {
    /// The rig, with all vertices, frames and clips of the whole one.
    pub rig: Rig,
    /// How far it is from what the whole rig plays.
    pub error: ErrorMeasure,
}

/// The rig with each of so many bones, in the order given.
///
/// Without a skeleton bones are fitted anew and corrections are left out, as bones follow what these show; nodes that hang on
/// bones stay on their paths. With one, all is as it was but for the joints that are gone, and there are never fewer
/// than roots.
///
/// Without a skeleton all frames are held in memory.
///
/// ```
/// use sinew::lod::fewer_bones;
/// use sinew::{progress::Silent, skin};
/// use sinew_sample::{CreatureOptions, creature};
///
/// let animation = creature(&CreatureOptions { frames: 8, detail: 0.6, ..Default::default() });
/// let options = skin::SkinOptions { bones: Some(12), ..Default::default() };
/// let rig = skin::skin(&animation, &options, &Silent)?.rig;
/// for level in fewer_bones(&rig, &[6, 3], &Silent)? {
///     println!("{} bones: {:.2} %", level.rig.bones.len(), level.error.percent);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the rig contradicts itself or cannot be fitted to, a count is none or not below that of its bones, or `progress`
/// cancels.
pub fn fewer_bones(rig: &Rig, counts: &[usize], progress: &dyn Progress) -> Result<Vec<BoneLevel>, LodError> {
    rig.validate()?;
    let has = rig.bones.len();
    if let Some(&asked) = counts.iter().find(|count| !(1..has).contains(*count)) {
        return Err(LodError::Bones { asked, has });
    }
    match &rig.skeleton {
        Some(skeleton) => with_fewer_joints(rig, skeleton, counts, progress),
        None => with_own_bones(rig, counts, progress),
    }
}

fn with_own_bones(rig: &Rig, counts: &[usize], progress: &dyn Progress) -> Result<Vec<BoneLevel>, LodError> {
    let animation = played(rig, progress)?;
    let rigid = rig.bones.iter().all(|bone| bone.rigid);
    let usual = SkinOptions {
        kind: if rigid { BoneKind::Rigid } else { BoneKind::Flexible },
        influences: rig.weights.most_influences().clamp(1, MOST_INFLUENCES),
        // A rig's rest pose belongs to whoever made it.
        method: Method::Best(DescentOptions { keep_rest: true, ..DescentOptions::default() }),
        ..SkinOptions::default()
    };
    let prepared = Prepared::new(&animation, &usual, progress)?;
    let each = 1.0 / counts.len().max(1) as f64;
    let level = |(i, &count): (usize, &usize)| -> Result<BoneLevel, LodError> {
        let part = progress.part(i as f64 * each, (i + 1) as f64 * each);
        let options = SkinOptions { bones: Some(count), ..usual.clone() };
        let Skinned { rig: fitted, error, .. } = prepared.fit(&options, &part)?;
        Ok(BoneLevel { rig: Rig { armature: rig.armature.clone(), ..fitted }, error })
    };
    counts.iter().enumerate().map(level).collect()
}

/// What the rig plays.
fn played(rig: &Rig, progress: &dyn Progress) -> Result<MeshAnimation, LodError> {
    let player = Player::new(rig);
    let mut poses = Vec::with_capacity(rig.frame_count());
    for frame in 0..rig.frame_count() {
        progress.check()?;
        poses.push(player.pose(frame));
    }
    let mut animation = MeshAnimation {
        mesh: rig.mesh.clone(),
        rest: Some(rig.rest.clone()),
        frames: Frames::from_poses(&poses),
        fps: rig.fps,
        clips: rig.clips.clone(),
        nodes: freed(&rig.nodes, &rig.transforms, rig.bones.len()),
    };
    // Bones may carry the scale of a scene, so that the mesh as stored is no pose of it.
    if animation.validate().is_err_and(|error| speaks_of_units(&error)) {
        animation.rest = None;
        if animation.mesh.normals.is_some() {
            animation.mesh.normals = Some(corner_normals(&animation.mesh, animation.frames.frame(0)));
        }
    }
    Ok(animation)
}

fn speaks_of_units(error: &AnimationError) -> bool {
    match error {
        AnimationError::Units { .. } => true,
        AnimationError::InClip { error, .. } => speaks_of_units(error),
        _ => false,
    }
}

fn with_fewer_joints(
    rig: &Rig,
    skeleton: &Skeleton,
    counts: &[usize],
    progress: &dyn Progress,
) -> Result<Vec<BoneLevel>, LodError> {
    // Each level is what is left of the one before.
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(counts[i]));
    let falling: Vec<usize> = order.iter().map(|&i| counts[i]).collect();
    let mut levels = vec![None; counts.len()];
    for (&i, follows) in order.iter().zip(followed(rig, skeleton, &falling, progress)?) {
        progress.check()?;
        let level = without_joints(rig, skeleton, &follows);
        let error = compare(&Player::new(rig), &Player::new(&level), Bounds::of(&rig.rest)).error;
        levels[i] = Some(BoneLevel { rig: level, error });
    }
    Ok(levels.into_iter().flatten().collect())
}

/// The rig where each joint's vertices follow the joint that is named for it, and joints that none is named for are gone.
fn without_joints(rig: &Rig, skeleton: &Skeleton, follows: &[usize]) -> Rig {
    let kept: Vec<usize> = (0..follows.len()).filter(|&joint| follows[joint] == joint).collect();
    let number = |joint: usize| kept.partition_point(|&k| k < follows[joint]);
    let per_vertex = rig.weights.per_vertex.max(1);
    let mut weights = SkinWeights::zeros(rig.rest.len(), per_vertex);
    let slots = weights.bones.chunks_exact_mut(per_vertex).zip(weights.weights.chunks_exact_mut(per_vertex));
    for (vertex, (bones, weights)) in slots.enumerate() {
        let mut list: Vec<(u32, f32)> = Vec::with_capacity(per_vertex);
        let (old_bones, old_weights) = rig.weights.of(vertex);
        for (&bone, &weight) in old_bones.iter().zip(old_weights).filter(|(_, weight)| **weight != 0.0) {
            let bone = number(bone as usize) as u32;
            match list.iter_mut().find(|(known, _)| *known == bone) {
                Some((_, sum)) => *sum += weight,
                None => list.push((bone, weight)),
            }
        }
        list.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (slot, (bone, weight)) in list.into_iter().enumerate() {
            (bones[slot], weights[slot]) = (bone, weight);
        }
    }
    let mut nodes = rig.nodes.clone();
    for node in &mut nodes {
        if let Parent::Bone(bone) = &mut node.parent {
            *bone = number(*bone);
        }
    }
    Rig {
        weights,
        bones: kept.iter().map(|&joint| rig.bones[joint].clone()).collect(),
        transforms: picked(&rig.transforms, rig.bones.len(), &kept),
        skeleton: Some(skeleton.reordered(&kept)),
        nodes,
        ..rig.clone()
    }
}
