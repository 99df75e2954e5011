//! The pipelines that "PPS: Pose-to-Pose Skinning of Animated Meshes" (Vasilakis, Fudos and Antonopoulos
//! 2016) compares, from rest pose and from pose to pose.
//!
//! *SAD* (Kavan et al. 2007) spreads bones evenly over the surface, blends them smoothly and solves their
//! transforms: it needs to know nothing about the animation. *FESAM* (Kavan et al. 2010) grows bones where
//! the motion needs them and then goes round: weights, transforms and rest pose in turn. Either can lead
//! every frame from the rest pose, or from the last approximated pose ([`pose_to_pose`], PPS); the steps are the
//! same ones.
//!
//! Departures: transforms are affine in both pipelines, as PPS has them (SAD's own are dual quaternions).
//! FESAM solves only a subset of the frames' coordinates; here all frames are. Every round is kept only if
//! it lowers the error, which PPS needs: its weights are solved as if the poses they lead to stayed as they
//! are.

mod ahead;
mod candidates;
mod model;
mod options;
mod rest_step;
mod rounds;
mod weight_step;

use std::time::Instant;

use glam::Vec3;

pub use self::options::{PoseToPoseOptions, Start};

use self::model::Model;
use self::options::Scheme;
use self::rounds::go_round;
use super::options::check_influences;
use super::{
    BoneKind, DEFAULT_BONES, Found, RestPose, Round, RoundPart, Skin, SkinError, SkinOptions, Skinned,
    name_bones,
};
use crate::animation::{MeshAnimation, compare, motion_energy};
use crate::geometry::surface::SurfaceGraph;
use crate::progress::{Progress, among_threads};
use crate::rig::{PoseChain, SkinWeights};
use crate::segment::points::{spread, weights_on};
use crate::segment::regions::grow;
use crate::segment::{SegmentError, SurfaceMotion};

/// SAD, or FESAM with so many `rounds`. The animation and the options are valid.
pub(super) fn fit(
    animation: &MeshAnimation,
    rounds: Option<usize>,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<Found, SkinError> {
    let options = PoseToPoseOptions {
        start: if rounds.is_some() { Start::Regions } else { Start::Points },
        bones: options.bones.unwrap_or(DEFAULT_BONES),
        influences: options.influences,
        rounds: rounds.unwrap_or(0),
        look_ahead: false,
        rest_pose: options.rest_pose,
        ..PoseToPoseOptions::default()
    };
    run(animation, Scheme::RestPose, &options, progress)
}

/// Skins an animation from pose to pose (PPS): every pose is made from the approximated one before.
///
/// Checks the animation first ([`MeshAnimation::validate`]). The same input gives the same bits for any
/// number of threads.
///
/// # Errors
/// [`SkinError::Cancelled`] when `progress` cancels; otherwise what is wrong with the animation or the options.
pub fn pose_to_pose(
    animation: &MeshAnimation,
    options: &PoseToPoseOptions,
    progress: &dyn Progress,
) -> Result<Skinned<PoseChain>, SkinError> {
    among_threads(|| chain(animation, options, progress))
}

fn chain(
    animation: &MeshAnimation,
    options: &PoseToPoseOptions,
    progress: &dyn Progress,
) -> Result<Skinned<PoseChain>, SkinError> {
    progress.stage("checking");
    animation.validate()?;
    check_influences(options.influences)?;
    let mut found = run(animation, Scheme::PoseToPose, options, progress)?;
    progress.stage("measuring");
    let Skin { rest, weights, transforms, .. } = std::mem::take(&mut found.skin);
    let chain = PoseChain {
        mesh: animation.mesh.clone(),
        bones: name_bones(&rest, &weights, options.bones, BoneKind::Flexible),
        rest,
        weights,
        later_weights: Vec::new(),
        steps: transforms,
        keys: Vec::new(),
        moves: Vec::new(),
        fps: animation.fps,
        nodes: animation.nodes.clone(),
    };
    let measured = compare(animation, &chain.bake(), animation.rest_bounds());
    Ok(found.measured(chain, measured, Vec::new()))
}

/// Bones where they are at first, then rounds.
fn run(
    animation: &MeshAnimation,
    scheme: Scheme,
    options: &PoseToPoseOptions,
    progress: &dyn Progress,
) -> Result<Found, SkinError> {
    let rest_pose = match options.rest_pose {
        RestPose::Auto => RestPose::Frame(0),
        other => other,
    };
    let frames = &animation.frames;
    let rest = rest_pose.positions(animation)?.to_vec();
    let triangles = animation.mesh.triangles(&rest);
    let mut found = Found { rest_pose, ..Found::default() };

    let clock = Instant::now();
    progress.stage("segments");
    let weights = first_weights(animation, &triangles, &rest, options, progress)?;
    found.seconds.segment = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    progress.stage("rounds");
    let skin = Skin { bones: options.bones, rest, weights, transforms: Vec::new() };
    let mut model = Model { scheme, skin };
    let squares = go_round(&mut model, frames, options, progress)?;
    let motion = motion_energy(frames).sqrt();
    // Of a mesh that stands still nothing but rounding is left.
    let percent = |e: &f64| if motion > 0.0 { 100.0 * e.sqrt() / motion } else { 0.0 };
    found.rounds = squares.iter().map(|e| Round { part: RoundPart::All, percent: percent(e) }).collect();
    found.seconds.bones = clock.elapsed().as_secs_f64();
    Ok(Found { skin: model.skin, triangles, ..found })
}

/// Bones and their weights before any transform is known.
fn first_weights(
    animation: &MeshAnimation,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    options: &PoseToPoseOptions,
    progress: &dyn Progress,
) -> Result<SkinWeights, SkinError> {
    let graph = SurfaceGraph::new(triangles, rest);
    let points = spread(&graph, triangles, rest, options.bones, progress).map_err(|error| match error {
        SegmentError::Count { asked, most } => SkinError::PointCount { asked, most },
        SegmentError::Cancelled => SkinError::Cancelled,
    })?;
    Ok(match options.start {
        Start::Points => weights_on(&graph, &points, options.influences),
        Start::Regions => {
            let motion = SurfaceMotion { frames: &animation.frames, triangles, rest };
            SkinWeights::of_one_each(grow(&graph, motion, &points, progress)?)
        }
    })
}
