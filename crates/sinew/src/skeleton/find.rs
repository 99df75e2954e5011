//! The whole way from an animation to a rig with a skeleton.

use std::time::Instant;

use glam::Vec3;

use super::assemble::Whole;
use super::limits::joint_limits_unless_cancelled;
use super::search::Wanted;
use super::{
    Angles, FindTuning, JointWeights, Plan, Sampled, Skeletal, SkeletonError, SkeletonFit, SkeletonOptions,
    SkeletonSeconds, SkeletonWarning, TUNING, assemble, parts, search, several,
};
use crate::animation::{MeshAnimation, compare};
use crate::progress::Progress;
use crate::rig::{Player, Rig};
use crate::segment::{SurfaceMotion, SurfaceSamples};

const TUNED: FindTuning = TUNING.find;

/// An animation that was checked, and points of its surface.
pub(super) struct Checked {
    pub rest: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub samples: SurfaceSamples,
}

/// Checks an animation and what is asked of it, and looks at its surface.
pub(super) fn checked(
    animation: &MeshAnimation,
    options: &SkeletonOptions,
    progress: &dyn Progress,
) -> Result<Checked, SkeletonError> {
    progress.stage("checking");
    animation.validate()?;
    let rest: Vec<Vec3> = animation.rest.clone().unwrap_or_else(|| animation.frames.frame(0).to_vec());
    let triangles = animation.mesh.triangles(&rest);
    options.validate()?;
    let has_area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| rest[v as usize].as_dvec3());
        (b - a).cross(c - a).length() > 0.0
    };
    if !triangles.iter().any(has_area) {
        return Err(SkeletonError::AllDegenerate { count: triangles.len() });
    }
    let motion = SurfaceMotion { frames: &animation.frames, triangles: &triangles, rest: &rest };
    let samples = SurfaceSamples::new(motion, progress)?;
    Ok(Checked { rest, triangles, samples })
}

/// Finds a skeleton, its motion, and the skin that ties the mesh to it.
///
/// Checks the animation first ([`MeshAnimation::validate`]). The rest pose is the one given with the mesh, or the
/// first frame. The same input gives the same bits for any number of threads. How a body is turned, how large it is and
/// how its vertices are numbered plays no part but by rounding, which decides only where two choices are as good as each
/// other.
///
/// # Errors
/// [`SkeletonError`]: unusable animations and options, and [`SkeletonError::Cancelled`].
pub fn find_skeleton(
    animation: &MeshAnimation,
    options: &SkeletonOptions,
    progress: &dyn Progress,
) -> Result<Skeletal, SkeletonError> {
    let Checked { rest, triangles, samples } = checked(animation, options, progress)?;
    let mut seconds = SkeletonSeconds::default();
    let most = most_joints(&samples);
    if let Some(asked) = options.joints.filter(|asked| !(1..=most).contains(asked)) {
        return Err(SkeletonError::JointCount { asked, most });
    }
    let fit = fit_samples(&samples, options, &mut seconds, progress)?;
    let clock = Instant::now();
    let whole = Whole { animation, triangles: &triangles, rest: &rest, options, progress };
    let (rig, unsure) = assemble::rig(&whole, &samples, &fit)?;
    seconds.weights = clock.elapsed().as_secs_f64();
    let mut skeletal = measured(animation, rig, &fit, &samples, seconds, progress)?;
    let more = warnings(&skeletal, options, samples.apart);
    skeletal.warnings.extend(more);
    skeletal.warnings.extend(unsure);
    let bodies = several::bodies(&samples);
    skeletal.warnings.extend((bodies > 1).then_some(SkeletonWarning::SeveralBodies { bodies }));
    Ok(skeletal)
}

/// A rig with how good it is, and what is to be said about its animation.
pub(super) fn measured(
    animation: &MeshAnimation,
    rig: Rig,
    fit: &SkeletonFit,
    samples: &SurfaceSamples,
    seconds: SkeletonSeconds,
    progress: &dyn Progress,
) -> Result<Skeletal, SkeletonError> {
    progress.stage("measuring");
    let measured = compare(animation, &Player::new(&rig), animation.rest_bounds());
    Ok(Skeletal {
        limits: joint_limits_unless_cancelled(&rig, progress)?,
        rig,
        error: measured.error,
        error_per_frame: measured.per_frame,
        near_rigid_fraction: fit.residuals(samples).rigid_share(TUNED.near_rigid),
        seconds,
        warnings: animation.warnings().into_iter().map(SkeletonWarning::Animation).collect(),
    })
}

fn most_joints(samples: &SurfaceSamples) -> usize {
    (samples.rest.len() / TUNED.points_per_bone).max(1)
}

/// The skeleton on the samples.
fn fit_samples(
    samples: &SurfaceSamples,
    options: &SkeletonOptions,
    seconds: &mut SkeletonSeconds,
    progress: &dyn Progress,
) -> Result<SkeletonFit, SkeletonError> {
    let keep_parts = options.segmenter.facts().whole_parts;
    let room = most_joints(samples);
    let plan = Plan {
        segmenter: options.segmenter.0,
        bones: TUNED.bones.max(options.joints.map_or(0, |j| 2 * j)).min(room),
        most: match options.joints {
            None => TUNED.most_parts,
            Some(joints) if keep_parts => joints,
            Some(joints) => TUNED.most_parts.max(joints + joints / 2),
        },
        fewest: match options.joints {
            // Some parts turn out to have no region of their own.
            Some(joints) if !keep_parts => joints + joints / 4,
            joints => joints.unwrap_or(1),
        },
    };
    let on = Sampled { samples, progress };
    progress.stage("parts");
    let clock = Instant::now();
    let parts = parts::find(on, &plan)?;
    seconds.parts = clock.elapsed().as_secs_f64();
    progress.stage("joints");
    let clock = Instant::now();
    let wanted = Wanted::new(options.joints, keep_parts);
    let found = search::find(on, parts, wanted)?;
    seconds.joints = clock.elapsed().as_secs_f64();
    Ok(found)
}

/// What the user should know.
fn warnings(found: &Skeletal, options: &SkeletonOptions, apart: usize) -> Vec<SkeletonWarning> {
    let joints = found.rig.bones.len();
    let mut warnings = Vec::new();
    if joints == 1 && found.error.max < TUNED.rigid {
        warnings.push(SkeletonWarning::OneRigidBody);
    }
    if let Some(asked) = options.joints.filter(|&asked| asked > joints) {
        warnings.push(SkeletonWarning::FewerJoints { asked, found: joints });
    }
    if apart > 0 {
        warnings.push(SkeletonWarning::LoosePieces { pieces: apart });
    }
    // Other ways of finding weights and angles than the best one have errors of their own.
    let best = options.weights == JointWeights::Fit && options.angles == Angles::Fit;
    let (near_rigid_fraction, accu) = (found.near_rigid_fraction, found.error.accu);
    let poor = near_rigid_fraction < TUNED.poor_share || (best && accu > TUNED.poor_error);
    // With fewer joints than the motion has, no animation is a good one.
    if poor && options.joints.is_none() {
        warnings.push(SkeletonWarning::PoorCandidate { near_rigid_fraction, accu });
    }
    warnings
}
