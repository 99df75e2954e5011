//! The whole way of a pipeline, from an animation to a rig or a chain of poses.

use std::time::Instant;

use glam::Vec3;

use super::model::Model;
use super::rounds::go_round;
use super::{MethodOptions, Scheme, Start};
use crate::animation::{ErrorMeasure, MeshAnimation, compare, motion_energy};
use crate::geometry::surface::SurfaceGraph;
use crate::progress::Progress;
use crate::rig::{Player, PoseChain, Rig, SkinWeights};
use crate::segment::points::{spread, weights_on};
use crate::segment::regions::grow;
use crate::segment::{SegmentError, SurfaceMotion};
use crate::skin::pipeline::name_bones;
use crate::skin::{
    BoneKind, MOST_INFLUENCES, RestPose, SkinError, Skinned, StageSeconds, fit_corrections, rest_pose,
};
use crate::skin::{Round, RoundPart};

/// A rig, or a chain of poses.
#[derive(Clone, Debug, PartialEq)]
pub enum Fitted {
    /// From [`Scheme::RestPose`].
    Rig(Rig),
    /// From [`Scheme::PoseToPose`].
    Chain(PoseChain),
}

/// What [`skin_with`] made, and how good it is.
#[derive(Clone, Debug, PartialEq)]
pub struct MethodSkin {
    /// The rig or the chain.
    pub fitted: Fitted,
    /// The rest pose that was taken.
    pub rest_pose: RestPose,
    /// How many triangles the mesh has.
    pub triangle_count: usize,
    /// Distance from the animation.
    pub error: ErrorMeasure,
    /// Root mean square error of each frame in percent of the rest pose's diagonal.
    pub error_per_frame: Vec<f64>,
    /// Percent after the first fit of transforms and after every round; corrections come later.
    pub error_per_round: Vec<f64>,
    /// Time spent.
    pub seconds: StageSeconds,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Rounds on all vertices, as [`Skinned`] has them.
fn in_parts(percents: &[f64]) -> Vec<Round> {
    percents.iter().map(|&percent| Round { part: RoundPart::All, percent }).collect()
}

impl MethodSkin {
    /// Errors round by round, beginning with the first fit.
    pub fn rounds(&self) -> Vec<Round> {
        in_parts(&self.error_per_round)
    }

    /// The same as other methods give it; `None` for a chain of poses.
    pub fn into_skinned(self) -> Option<Skinned> {
        match self.fitted {
            Fitted::Chain(_) => None,
            Fitted::Rig(rig) => Some(Skinned {
                rig,
                rest_pose: self.rest_pose,
                triangle_count: self.triangle_count,
                bone_of_triangle: Vec::new(),
                near_rigid_fraction: None,
                error: self.error,
                error_per_frame: self.error_per_frame,
                rounds: in_parts(&self.error_per_round),
                seconds: self.seconds,
                warnings: self.warnings,
            }),
        }
    }
}

/// Skins an animation with one of the pipelines.
///
/// Checks the animation first ([`MeshAnimation::validate`]). The same input gives the same bits for any
/// number of threads.
pub fn skin_with(
    animation: &MeshAnimation,
    options: &MethodOptions,
    progress: &dyn Progress,
) -> Result<MethodSkin, SkinError> {
    progress.stage("checking");
    animation.validate()?;
    if !(1..=MOST_INFLUENCES).contains(&options.influences) {
        return Err(SkinError::InfluenceCount { asked: options.influences });
    }
    let chosen = match options.rest_pose {
        RestPose::Auto => RestPose::Frame(0),
        other => other,
    };
    let frames = &animation.frames;
    let mut rest = rest_pose::positions(animation, chosen)?.to_vec();
    let triangles = animation.mesh.triangles(&rest);
    let mut seconds = StageSeconds::default();
    let mut warnings = Vec::new();

    let clock = Instant::now();
    progress.stage("segments");
    let weights = first_weights(animation, &triangles, &rest, options, progress)?;
    seconds.segment = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    progress.stage("rounds");
    let mut model =
        Model { scheme: options.scheme, bones: options.bones, rest, weights, transforms: Vec::new() };
    let squares = go_round(&mut model, frames, options, progress).ok_or(SkinError::Cancelled)?;
    let motion = motion_energy(frames).sqrt();
    // Of a mesh that stands still nothing but rounding is left.
    let percent = |e: &f64| if motion > 0.0 { 100.0 * e.sqrt() / motion } else { 0.0 };
    let error_per_round = squares.iter().map(percent).collect();
    seconds.bones = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let Model { weights, transforms, .. } = model;
    rest = model.rest;
    let corrections = match (options.rank, options.scheme) {
        (0, _) => None,
        (_, Scheme::PoseToPose) => {
            warnings.push(
                "corrections need transforms from the rest pose; from pose to pose there are none".into(),
            );
            None
        }
        (rank, Scheme::RestPose) => {
            progress.stage("corrections");
            let c = fit_corrections(frames, &triangles, &mut rest, &weights, &transforms, rank, progress);
            Some(c.ok_or(SkinError::Cancelled)?)
        }
    };
    seconds.corrections = clock.elapsed().as_secs_f64();

    progress.stage("measuring");
    let (mesh, fps) = (animation.mesh.clone(), animation.fps);
    let bones = name_bones(&rest, &weights, options.bones, BoneKind::Flexible);
    let fitted = match options.scheme {
        Scheme::RestPose => {
            let clips = animation.clips.clone();
            Fitted::Rig(Rig {
                mesh,
                rest,
                weights,
                bones,
                transforms,
                skeleton: None,
                corrections,
                fps,
                clips,
            })
        }
        Scheme::PoseToPose => {
            let (steps, keys) = (transforms, Vec::new());
            Fitted::Chain(PoseChain {
                mesh,
                rest,
                weights,
                later_weights: Vec::new(),
                bones,
                steps,
                keys,
                moves: Vec::new(),
                fps,
            })
        }
    };
    let bounds = animation.rest_bounds();
    let measured = match &fitted {
        Fitted::Rig(rig) => compare(animation, &Player::new(rig), bounds),
        Fitted::Chain(chain) => compare(animation, &chain.bake(), bounds),
    };
    Ok(MethodSkin {
        fitted,
        rest_pose: chosen,
        triangle_count: triangles.len(),
        error: measured.error,
        error_per_frame: measured.per_frame,
        error_per_round,
        seconds,
        warnings,
    })
}

/// Bones and their weights before any transform is known.
fn first_weights(
    animation: &MeshAnimation,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    options: &MethodOptions,
    progress: &dyn Progress,
) -> Result<SkinWeights, SkinError> {
    let graph = SurfaceGraph::new(triangles, rest);
    let points = spread(&graph, triangles, rest, options.bones, progress).map_err(|error| match error {
        SegmentError::Count { asked, most } => SkinError::PointCount { asked, most },
        _ => SkinError::Cancelled,
    })?;
    Ok(match options.start {
        Start::Points => weights_on(&graph, &points, options.influences),
        Start::Regions => {
            let motion = SurfaceMotion { frames: &animation.frames, triangles, rest };
            let bones = grow(&graph, motion, &points, progress).map_err(|_| SkinError::Cancelled)?;
            SkinWeights { per_vertex: 1, weights: vec![1.0; bones.len()], bones }
        }
    })
}
