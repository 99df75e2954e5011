//! "Skinning Mesh Animations" (James and Twigg 2005), sections 4 to 6: rest pose (`rest_pose`), segments (section 4.1 and
//! 4.2, [`crate::segment`]), bones (4.3 and 4.4, [`fit_bones`]), weights (5, [`solve_weights`]); corrections (6) are
//! fitted to the skin of any method ([`super::fit_corrections`]).

mod rest_pose;
mod segments;

use std::time::Instant;

use glam::Vec3;

use super::found::check_bone_count;
use super::{
    Found, RestPose, Skin, SkinError, SkinOptions, SkinWarning, SmaOptions, fit_bones, solve_weights,
};
use crate::animation::MeshAnimation;
use crate::progress::Progress;
use crate::segment::SurfaceMotion;

/// Finds bones, unless they are given, and weights.
pub(super) fn fit(
    animation: &MeshAnimation,
    sma: &SmaOptions,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<Found, SkinError> {
    let frames = &animation.frames;
    let clock = Instant::now();
    progress.stage("rest pose");
    let (rest_pose, rest) = choose_rest(animation, sma, options, progress)?;
    let triangles = animation.mesh.triangles(&rest);
    let mut found = Found { rest_pose, triangles, ..Found::default() };
    let (bones, transforms) = match &sma.bones_from {
        Some(given) => {
            found.bone_of_triangle = Some(Vec::new());
            (given.bones, given.transforms.clone())
        }
        None => find_bones(animation, &rest, sma, options, &mut found, progress)?,
    };
    found.seconds.segment = clock.elapsed().as_secs_f64() - found.seconds.bones;

    let clock = Instant::now();
    progress.stage("weights");
    let weights =
        solve_weights(frames, &rest, &transforms, &sma.weight_options(options.influences), progress)?;
    found.seconds.weights = clock.elapsed().as_secs_f64();
    found.skin = Skin { bones, rest, weights, transforms };
    Ok(found)
}

fn choose_rest(
    animation: &MeshAnimation,
    sma: &SmaOptions,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<(RestPose, Vec<Vec3>), SkinError> {
    if let Some(given) = &sma.bones_from {
        return Ok((RestPose::Given, given.rest.clone()));
    }
    // Before anything is tried with a number that makes no sense.
    let pose = options.rest_pose.positions(animation)?;
    check_bone_count(&animation.mesh.triangles(pose), pose, options.bones)?;
    let chosen = match options.rest_pose {
        RestPose::Auto => rest_pose::choose(animation, sma, options, progress)?,
        other => other,
    };
    let pose = chosen.positions(animation)?.to_vec();
    Ok((chosen, pose))
}

/// Number and transforms of the bones of a segmentation.
fn find_bones(
    animation: &MeshAnimation,
    rest: &[Vec3],
    sma: &SmaOptions,
    options: &SkinOptions,
    found: &mut Found,
    progress: &dyn Progress,
) -> Result<(usize, Vec<glam::DAffine3>), SkinError> {
    let triangles = &found.triangles;
    let sound = check_bone_count(triangles, rest, options.bones)?;
    if sound < triangles.len() {
        let (degenerate, triangles) = (triangles.len() - sound, triangles.len());
        found.warnings.push(SkinWarning::DegenerateTriangles { degenerate, triangles });
    }
    progress.stage("segments");
    let motion = SurfaceMotion { frames: &animation.frames, triangles, rest };
    let segmentation = segments::segment(motion, sma, options, progress)?;
    let near_rigid_fraction = segmentation.near_rigid_fraction;
    if near_rigid_fraction < 0.5 {
        found.warnings.push(SkinWarning::HardlyRigid { near_rigid_fraction });
    }
    if let Some(asked) = options.bones.filter(|&b| b != segmentation.bone_count) {
        found.warnings.push(SkinWarning::OtherBoneCount { asked, found: segmentation.bone_count });
    }
    let clock = Instant::now();
    progress.stage("bones");
    let transforms = fit_bones(motion, &segmentation, options.kind, sma.core, progress)?;
    found.seconds.bones = clock.elapsed().as_secs_f64();
    found.near_rigid_fraction = Some(near_rigid_fraction);
    found.bone_of_triangle = Some(segmentation.bone_of_triangle);
    Ok((segmentation.bone_count, transforms))
}
