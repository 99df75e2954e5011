//! The best rig for the bones that are allowed: [`descend`] from an animation to a [`Skinned`].

use std::time::Instant;

use glam::Vec3;

use super::descent::{self, Beginning, Descended, DescentOptions};
use super::pipeline::{check_bone_count, doubts, finish_rig};
use super::{MOST_INFLUENCES, RestPose, SkinError, Skinned, StageSeconds, descend, rest_pose};
use crate::animation::MeshAnimation;
use crate::progress::Progress;
use crate::rig::Bone;

/// Error in percent that the number of bones is chosen for where none is asked for.
pub const CHOSEN_PERCENT: f64 = 1.5;
/// The most bones that are chosen where none are asked for.
pub const MOST_CHOSEN: usize = 96;

/// Options of [`skin_best`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BestOptions {
    /// Number of bones. `None` takes as many as about 1.5 percent of error need, or those of a given rig.
    pub bones: Option<usize>,
    /// Names and places of bones that are given with [`Beginning::Rig`].
    pub given_bones: Option<Vec<Bone>>,
    /// Everything about the descent but the number of bones.
    pub descent: DescentOptions,
    /// Number of correction shapes.
    pub rank: usize,
    /// Which pose the bones deform at first. [`RestPose::Auto`] takes the pose that came with the mesh, or the
    /// first frame.
    pub rest_pose: RestPose,
}

/// Skins an animation by coordinate descent over bones, weights and rest pose.
///
/// Checks the animation first ([`MeshAnimation::validate`]). The same input gives the same bits for any number
/// of threads.
pub fn skin_best(
    animation: &MeshAnimation,
    options: &BestOptions,
    progress: &dyn Progress,
) -> Result<Skinned, SkinError> {
    progress.stage("checking");
    animation.validate()?;
    let chosen = match options.rest_pose {
        RestPose::Auto if animation.rest.is_some() => RestPose::Given,
        RestPose::Auto => RestPose::Frame(0),
        other => other,
    };
    let rest = match &options.descent.beginning {
        Beginning::Rig(given) => given.rest.clone(),
        _ => rest_pose::positions(animation, chosen)?.to_vec(),
    };
    if rest.len() != animation.mesh.vertex_count {
        let (found, expected) = (rest.len(), animation.mesh.vertex_count);
        return Err(SkinError::GivenBones { what: "vertices", found, expected });
    }
    let triangles = animation.mesh.triangles(&rest);
    check(animation, &triangles, &rest, options)?;
    let mut seconds = StageSeconds::default();
    let clock = Instant::now();
    let bones = number_of_bones(animation, &triangles, &rest, options, progress)?;
    let descent = DescentOptions { bones, ..options.descent.clone() };
    let found =
        descend(&animation.frames, &triangles, &rest, &descent, progress).ok_or(SkinError::Cancelled)?;
    seconds.weights = clock.elapsed().as_secs_f64();
    let mut warnings = doubts(animation);
    warnings.extend(unused_bones(&found, bones));
    let kind = options.descent.kind;
    let mut skinned =
        finish_rig(animation, &triangles, found, kind, options.given_bones.clone(), options.rank, progress)?;
    skinned.rest_pose = chosen;
    skinned.seconds.weights = seconds.weights;
    skinned.warnings.splice(0..0, warnings);
    Ok(skinned)
}

fn check(
    animation: &MeshAnimation,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    options: &BestOptions,
) -> Result<(), SkinError> {
    let influences = options.descent.influences;
    if !(1..=MOST_INFLUENCES).contains(&influences) {
        return Err(SkinError::InfluenceCount { asked: influences });
    }
    let smoothness = options.descent.smoothness;
    if !(smoothness >= 0.0 && smoothness.is_finite()) {
        return Err(SkinError::Smoothness(smoothness));
    }
    check_bone_count(triangles, rest, options.bones)?;
    if let Beginning::Rig(given) = &options.descent.beginning {
        let wrong = |what, found, expected| Err(SkinError::GivenBones { what, found, expected });
        let (frames, vertices) = (animation.frames.len(), animation.mesh.vertex_count);
        if given.bones == 0 || (given.transforms.is_none() && given.weights.is_none()) {
            return wrong("bones that could be used", 0, 1);
        }
        if let Some(t) = given.transforms.as_ref().filter(|t| t.len() != frames * given.bones) {
            return wrong("frames", t.len() / given.bones, frames);
        }
        if let Some(names) = options.given_bones.as_ref().filter(|b| b.len() != given.bones) {
            return wrong("names", names.len(), given.bones);
        }
        if let Some(w) = given.weights.as_ref().filter(|w| w.weights.len() != w.per_vertex * vertices) {
            return wrong("vertices", w.weights.len() / w.per_vertex.max(1), vertices);
        }
    }
    Ok(())
}

fn number_of_bones(
    animation: &MeshAnimation,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    options: &BestOptions,
    progress: &dyn Progress,
) -> Result<usize, SkinError> {
    match (&options.descent.beginning, options.bones) {
        (Beginning::Rig(given), _) => Ok(given.bones),
        (_, Some(bones)) => Ok(bones),
        (Beginning::Groups(bone_of), None) => {
            let most = bone_of.iter().filter(|b| **b != crate::segment::NO_BONE).max();
            Ok(most.map_or(1, |&b| b as usize + 1))
        }
        (_, None) => {
            progress.stage("number of bones");
            let most = check_bone_count(triangles, rest, None)?.min(MOST_CHOSEN);
            descent::bones_for(
                &animation.frames,
                triangles,
                rest,
                &options.descent,
                CHOSEN_PERCENT,
                most,
                progress,
            )
            .ok_or(SkinError::Cancelled)
        }
    }
}

/// Says which bones move nothing.
fn unused_bones(found: &Descended, bones: usize) -> Option<String> {
    let mut used = vec![false; bones];
    for (&bone, &weight) in found.weights.bones.iter().zip(&found.weights.weights) {
        used[bone as usize] |= weight > 0.0;
    }
    let unused = used.iter().filter(|u| !**u).count();
    (unused > 0).then(|| {
        let (verb, them) = if unused == 1 { ("moves", "it") } else { ("move", "them") };
        format!("{unused} of {bones} bones {verb} nothing: the animation does not need {them}")
    })
}
