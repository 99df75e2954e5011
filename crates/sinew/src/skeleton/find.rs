//! The whole way from an animation to a rig with a skeleton.

use std::time::Instant;

use glam::Vec3;

use super::figure::Figure;
use super::finish::{self, Whole};
use super::limits::joint_limits;
use super::options::{Angles, Segments, Skeletal, SkeletonError, SkeletonOptions, SkeletonSeconds, Weighing};
use super::parts::{self, Plan};
use super::scene::Scene;
use super::search::{self, Wanted};
use super::sketch::Sketch;
use crate::animation::{MeshAnimation, compare};
use crate::progress::Progress;
use crate::rig::Player;

/// Points of the sketch for each bone at first.
const POINTS_PER_BONE: usize = 6;
/// Bones at first.
const BONES: usize = 48;
/// When parts go: see [`Plan`].
const STOP: f64 = 0.4;
const FAVOUR: f64 = 0.5;
/// The most parts that joints are looked for between.
const MOST_PARTS: usize = 32;
/// A point keeps its shape with its part if it stays within this of it, in units.
const NEAR_RIGID: f64 = 0.01;
/// Less than this share of the surface keeping its shape makes a poor candidate, and so does a larger mean error, in
/// percent of the longest side.
const POOR_SHARE: f64 = 0.5;
const POOR_ERROR: f64 = 1.0;
/// Below this error, in percent of the diagonal, a single joint is the whole truth.
const RIGID: f64 = 0.05;

/// Finds a skeleton, its motion, and the skin that ties the mesh to it.
///
/// Checks the animation first ([`MeshAnimation::validate`]). The rest pose is the one given with the mesh, or the
/// first frame. The same input gives the same bits for any number of threads. How a body is turned, how large it is and
/// how its vertices are numbered plays no part but by rounding, which decides only where two choices are as good as each
/// other.
pub fn find_skeleton(
    animation: &MeshAnimation,
    options: &SkeletonOptions,
    progress: &dyn Progress,
) -> Result<Skeletal, SkeletonError> {
    progress.stage("checking");
    animation.validate()?;
    let rest: Vec<Vec3> = animation.rest.clone().unwrap_or_else(|| animation.frames.frame(0).to_vec());
    let triangles = animation.mesh.triangles(&rest);
    check(&triangles, &rest, options)?;
    let mut seconds = SkeletonSeconds::default();
    let sketch = Sketch::new(&animation.frames, &triangles, &rest);
    let scene = Scene::new(&sketch);
    check_count(&scene, options)?;
    let (figure, apart) = figure_of(&scene, options, &mut seconds, progress)?;
    let near_rigid_fraction = figure.leftovers(&scene).rigid_share(NEAR_RIGID);
    let clock = Instant::now();
    let rig = finish::rig(
        &Whole { animation, triangles: &triangles, rest: &rest, options, progress },
        &scene,
        &figure,
    )?;
    seconds.weights = clock.elapsed().as_secs_f64();
    progress.stage("measuring");
    let measured = compare(animation, &Player::new(&rig), animation.rest_bounds());
    let mut skeletal = Skeletal {
        limits: joint_limits(&rig),
        rig,
        error: measured.error,
        error_per_frame: measured.per_frame,
        near_rigid_fraction,
        seconds,
        warnings: animation.warnings().iter().map(ToString::to_string).collect(),
    };
    let doubts = doubts(&skeletal, options, apart);
    skeletal.warnings.extend(doubts);
    Ok(skeletal)
}

fn check(triangles: &[[u32; 3]], rest: &[Vec3], options: &SkeletonOptions) -> Result<(), SkeletonError> {
    options.validate()?;
    let has_area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| rest[v as usize].as_dvec3());
        (b - a).cross(c - a).length() > 0.0
    };
    if !triangles.iter().any(has_area) {
        return Err(SkeletonError::AllDegenerate { count: triangles.len() });
    }
    Ok(())
}

fn most_joints(scene: &Scene) -> usize {
    (scene.rest.len() / POINTS_PER_BONE).max(1)
}

fn check_count(scene: &Scene, options: &SkeletonOptions) -> Result<(), SkeletonError> {
    let most = most_joints(scene);
    match options.joints {
        Some(asked) if asked == 0 || asked > most => Err(SkeletonError::JointCount { asked, most }),
        _ => Ok(()),
    }
}

/// The skeleton on the sketch, and how many of its parts touch no other.
fn figure_of(
    scene: &Scene,
    options: &SkeletonOptions,
    seconds: &mut SkeletonSeconds,
    progress: &dyn Progress,
) -> Result<(Figure, usize), SkeletonError> {
    let keep_parts = options.segments == Segments::Spectral;
    let room = most_joints(scene);
    let plan = Plan {
        segments: options.segments,
        bones: BONES.max(options.joints.map_or(0, |j| 2 * j)).min(room),
        most: match options.joints {
            None => MOST_PARTS,
            Some(joints) if keep_parts => joints,
            Some(joints) => MOST_PARTS.max(joints + joints / 2),
        },
        fewest: match options.joints {
            // Some parts turn out to have no region of their own.
            Some(joints) if !keep_parts => joints + joints / 4,
            joints => joints.unwrap_or(1),
        },
        stop: STOP,
        favour: FAVOUR,
    };
    progress.stage("parts");
    let clock = Instant::now();
    let parts = parts::find(scene, &plan, progress).ok_or(SkeletonError::Cancelled)?;
    seconds.parts = clock.elapsed().as_secs_f64();
    progress.stage("joints");
    let clock = Instant::now();
    let wanted = Wanted { joints: options.joints, keep_parts };
    let found = search::find(scene, parts, wanted, progress).ok_or(SkeletonError::Cancelled)?;
    seconds.joints = clock.elapsed().as_secs_f64();
    Ok(found)
}

/// What the user should know.
fn doubts(found: &Skeletal, options: &SkeletonOptions, apart: usize) -> Vec<String> {
    let joints = found.rig.bones.len();
    let mut doubts = Vec::new();
    if joints == 1 && found.error.max < RIGID {
        doubts.push("the mesh moves as one rigid body, if at all: one joint is all there is".to_string());
    }
    if let Some(asked) = options.joints.filter(|&asked| asked > joints) {
        doubts.push(format!("{asked} joints were asked for, but the motion shows only {joints}"));
    }
    if apart > 0 {
        let (parts, verb) = if apart == 1 { ("piece", "touches") } else { ("pieces", "touch") };
        doubts.push(format!(
            "{apart} {parts} {verb} nothing else of the mesh; attached to what moves along most"
        ));
    }
    // Other ways of weighing and turning than the best one have errors of their own.
    let best = options.weights == Weighing::Fit && options.angles == Angles::Fit;
    let poor = found.near_rigid_fraction < POOR_SHARE || (best && found.error.accu > POOR_ERROR);
    // With fewer joints than the motion has, no animation is a good one.
    if poor && options.joints.is_none() {
        doubts.push(format!(
            "not a good candidate for a skeleton: {:.0} % of the surface keeps its shape within its part, and \
             vertices are {:.2} % of the longest side off on average; sinew skin may serve better",
            100.0 * found.near_rigid_fraction,
            found.error.accu,
        ));
    }
    doubts
}
