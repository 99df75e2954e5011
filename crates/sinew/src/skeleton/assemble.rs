//! From a skeleton on samples to a rig of all vertices and frames.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};

use super::called::{Unnamed, call};
use super::search::Rooted;
use super::strain::{StrainProblem, smooth_by_strain};
use super::{
    Angles, Arranged, Articulation, ArticulationTuning, Body, BoneLines, CcdOptions, HeatOptions, JointNames,
    JointWeights, Marker, Moments, PartTree, SkeletonError, SkeletonFit, SkeletonOptions, SkeletonWarning,
    TUNING, arrange, ccd, constant_lengths, heat_weights, leaf_ends, rooted,
};
use crate::animation::{Frames, MeshAnimation};
use crate::progress::{Cancelled, Part, Progress};
use crate::rig::{Bone, JointPose, Rig, Skeleton, SkinWeights, picked};
use crate::segment::SurfaceSamples;
use crate::skin::{BoneKind, Descent, DescentOptions, Initialisation, Skin, SkinSize, Solve};
use crate::tracks::Units;

const STEPS: ArticulationTuning = TUNING.articulation;

/// The animation as it is fitted.
pub(super) struct Whole<'a> {
    pub animation: &'a MeshAnimation,
    pub triangles: &'a [[u32; 3]],
    pub rest: &'a [Vec3],
    pub options: &'a SkeletonOptions,
    pub progress: &'a dyn Progress,
}

/// A skeleton that was fitted on samples, on all vertices and in all frames.
pub(super) struct Surfaced {
    /// Where the joints are in the rest pose.
    pub centers: Vec<DVec3>,
    pub weights: SkinWeights,
    /// All joints of the first frame, then of the second, and so on.
    pub transforms: Vec<DAffine3>,
}

/// Brings a skeleton from samples to all vertices and frames.
pub(super) fn surfaced(
    whole: &Whole,
    samples: &SurfaceSamples,
    fit: &SkeletonFit,
) -> Result<Surfaced, SkeletonError> {
    let frames = &whole.animation.frames;
    let joints = fit.len();
    let units = Units::of_length_one(frames, whole.rest);
    let some: Vec<Vec<Vec3>> = samples.chosen.iter().map(|&t| frames.frame(t).to_vec()).collect();
    let found = fit.articulation.transforms(&fit.moments);
    let true_ones =
        found.iter().enumerate().map(|(i, t)| samples.units.transform_back(t, i / joints)).collect();
    whole.progress.stage("weights");
    let centers: Vec<DVec3> = fit.articulation.joints.iter().map(|c| samples.units.rest_back(*c)).collect();
    let tree = &fit.articulation.skeleton;
    let mut weights = fitted_weights(whole, &Frames::from_poses(&some), true_ones, tree, &centers)?;
    whole.progress.stage("angles");
    let mut moving = Articulation {
        skeleton: fit.articulation.skeleton.clone(),
        joints: centers.iter().map(|c| units.shift(*c - units.origins.rest)).collect(),
        turns: turns_between(&fit.articulation, &samples.chosen, frames.len()),
    };
    let sums =
        |weights: &SkinWeights| Moments::new(&units, frames, whole.rest, weights, joints, whole.progress);
    let mut moments = sums(&weights)?;
    let mut transforms = match whole.options.angles {
        Angles::Fit => {
            moving.fit_turns(&moments, STEPS.last_steps, STEPS.straight, whole.progress)?;
            moving.transforms(&moments)
        }
        Angles::Ccd => one_by_one(&mut moving, &moments, whole.animation, whole.progress)?,
    };
    let unscaled = |transforms: &[DAffine3]| -> Vec<DAffine3> {
        transforms.iter().enumerate().map(|(i, t)| units.transform_back(t, i / joints)).collect()
    };
    if whole.options.angles == Angles::Ccd && whole.options.weights == JointWeights::Fit {
        let centers: Vec<DVec3> = moving.joints.iter().map(|c| units.rest_back(*c)).collect();
        weights = fitted_weights(whole, frames, unscaled(&transforms), &moving.skeleton, &centers)?;
    }
    if whole.options.weights == JointWeights::Heat {
        whole.progress.stage("heat");
        weights = by_heat(whole, &moving, &units, &weights, &unscaled(&transforms))?;
        if whole.options.angles == Angles::Fit {
            moments = sums(&weights)?;
            moving.fit_turns(&moments, STEPS.last_steps, STEPS.straight, whole.progress)?;
            transforms = moving.transforms(&moments);
        }
    }
    let centers = moving.joints.iter().map(|c| units.rest_back(*c)).collect();
    Ok(Surfaced { centers, weights, transforms: unscaled(&transforms) })
}

/// Makes the rig.
pub(super) fn rig(
    whole: &Whole,
    samples: &SurfaceSamples,
    fit: &SkeletonFit,
) -> Result<(Rig, Option<SkeletonWarning>), SkeletonError> {
    let joints = fit.len();
    let Surfaced { mut centers, weights, transforms } = surfaced(whole, samples, fit)?;
    let tree = PartTree::new(samples, &fit.weights, &fit.articulation);
    let body = Body::find(&tree);
    let skeleton = rerooted(samples, fit, &tree, body.as_ref(), &mut centers);
    let (mut rig, order) = arranged(whole, &skeleton, &centers, weights, &transforms);
    if whole.options.names == JointNames::Plain {
        return Ok((rig, None));
    }
    let Some(body) = body else { return Ok((rig, Some(SkeletonWarning::NoNames))) };
    let mut names = vec![String::new(); joints];
    order.iter().zip(&rig.bones).for_each(|(&k, bone)| names[k].clone_from(&bone.name));
    let unnamed =
        Unnamed { body: &body, tree: &tree, skeleton: &skeleton, centers: &centers, transforms: &transforms };
    let warning = call(&unnamed, whole.options.names, &mut names);
    order.iter().zip(&mut rig.bones).for_each(|(&k, bone)| bone.name.clone_from(&names[k]));
    Ok((rig, warning))
}

/// The same joints hung from the hips, or where no limbs come in pairs from the part at the centre of gravity. A joint is as
/// much its parent's as its own, so those on the way only change hands.
fn rerooted(
    samples: &SurfaceSamples,
    fit: &SkeletonFit,
    tree: &PartTree,
    body: Option<&Body>,
    centers: &mut [DVec3],
) -> Skeleton {
    let edges = &tree.edges;
    let places: Vec<DVec3> = edges.iter().map(|e| centers[e[0]]).collect();
    let (root, place) = match body {
        Some(body) => (body.hips(), body.pelvis(tree)),
        None => {
            let Rooted { root, middles, .. } = Rooted::new(samples, &fit.weights, edges, fit.len());
            (root, middles[root])
        }
    };
    let parents = rooted(edges, fit.len(), root);
    for (k, center) in centers.iter_mut().enumerate() {
        *center = match parents[k] {
            None => samples.units.rest_back(place),
            Some(parent) => {
                let at = edges.iter().position(|e| *e == [k, parent] || *e == [parent, k]);
                at.map_or(*center, |at| places[at])
            }
        };
    }
    Skeleton::new(parents)
}

/// Weights under known motion of joints whose places in the rest pose are known.
pub(super) fn fitted_weights(
    whole: &Whole,
    frames: &Frames,
    transforms: Vec<DAffine3>,
    skeleton: &Skeleton,
    centers: &[DVec3],
) -> Result<SkinWeights, SkeletonError> {
    let joints = skeleton.len();
    let given = Skin {
        bones: joints,
        rest: whole.rest.to_vec(),
        weights: SkinWeights::default(),
        transforms: transforms.clone(),
    };
    let size = SkinSize { bones: joints, influences: whole.options.influences, kind: BoneKind::Rigid };
    let options = DescentOptions {
        keep_rest: true,
        // Smoothed below, with the joints in view.
        smoothness: 0.0,
        initialisation: Initialisation::Skin(given),
        solve: Solve::Weights,
        ..Default::default()
    };
    let weights = Descent::new(frames, whole.triangles, whole.rest, whole.progress)
        .and_then(|descent| descent.fit(size, &options, whole.progress))
        .map_err(|_| SkeletonError::Cancelled)?
        .0
        .weights;
    if whole.options.smoothness == 0.0 {
        return Ok(weights);
    }
    let problem = StrainProblem {
        frames,
        transforms: &transforms,
        triangles: whole.triangles,
        rest: whole.rest,
        skeleton,
        joints: centers,
        smoothness: whole.options.smoothness,
    };
    Ok(smooth_by_strain(&problem, &weights, whole.progress)?)
}

/// Turns of all frames from those of some: the way from one to the next is gone evenly.
fn turns_between(some: &Articulation, chosen: &[usize], frames: usize) -> Vec<DMat3> {
    let of = |t: usize| {
        let next = chosen.partition_point(|&c| c < t).min(chosen.len() - 1);
        let last = if chosen[next] > t { next.saturating_sub(1) } else { next };
        let span = chosen[next].abs_diff(chosen[last]).max(1) as f64;
        let share = (t.saturating_sub(chosen[last]) as f64 / span).min(1.0);
        let pairs = some.frame(last).iter().zip(some.frame(next));
        pairs.map(move |(a, b)| DMat3::from_quat(DQuat::from_mat3(a).slerp(DQuat::from_mat3(b), share)))
    };
    (0..frames).flat_map(of).collect()
}

/// The middle of what a joint moves, in units.
fn middle_of_own(moments: &Moments, joint: usize) -> DVec3 {
    let n = moments.bones;
    let sum = (0..n).map(|i| moments.pairs[joint * n + i].w_axis).sum::<glam::DVec4>();
    if sum.w > 0.0 { sum.truncate() / sum.w } else { DVec3::ZERO }
}

/// Angles as in the paper: joints where the parts carry them, lengths made constant, then one turn after the other.
fn one_by_one(
    moving: &mut Articulation,
    moments: &Moments,
    animation: &MeshAnimation,
    progress: &dyn Progress,
) -> Result<Vec<DAffine3>, Cancelled> {
    let n = moving.joints.len();
    let parts: Vec<Vec<DAffine3>> = (0..n).map(|k| moving.own_transforms(moments, k)).collect();
    let seen = |t: usize, k: usize| {
        let at = |part: usize| parts[part][t].transform_point3(moving.joints[k]);
        moving.skeleton.parents[k].map_or_else(|| at(k), |parent| 0.5 * (at(k) + at(parent)))
    };
    let targets: Vec<Vec<DVec3>> =
        (0..moments.frames).map(|t| (0..n).map(|k| seen(t, k)).collect()).collect();
    let constant = constant_lengths(&moving.skeleton, &moving.joints, &targets);
    // Four points of what a joint moves tell how it turns.
    let spread = 0.05;
    let markers: Vec<Vec<Marker>> = (0..n)
        .map(|k| {
            let middle = middle_of_own(moments, k);
            let off = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::ONE].map(|axis| axis * spread);
            let marker = |p: DVec3| Marker {
                rest: p,
                posed: parts[k].iter().map(|t| t.transform_point3(p)).collect(),
                weight: 1.0,
            };
            off.iter().map(|o| marker(middle + *o)).collect()
        })
        .collect();
    moving.joints = constant.centers;
    let mut transforms = Vec::with_capacity(moments.frames * n);
    for clip in animation.clips().iter() {
        let range = clip.frames.clone();
        let cut: Vec<Vec<Marker>> = markers
            .iter()
            .map(|list| {
                let of = |m: &Marker| Marker { posed: m.posed[range.clone()].to_vec(), ..m.clone() };
                list.iter().map(of).collect()
            })
            .collect();
        let places = &constant.places[range.clone()];
        let share = |frame: usize| frame as f64 / moments.frames as f64;
        let part = Part { whole: progress, from: share(range.start), to: share(range.end) };
        let poses: Vec<JointPose> =
            ccd(&moving.skeleton, &moving.joints, places, &cut, &CcdOptions::default(), &part)?;
        transforms.extend(poses.iter().flat_map(|p| moving.skeleton.transforms(&moving.joints, p)));
    }
    Ok(transforms)
}

/// Heat diffusion from the bones' lines.
fn by_heat(
    whole: &Whole,
    moving: &Articulation,
    units: &Units,
    fitted: &SkinWeights,
    transforms: &[DAffine3],
) -> Result<SkinWeights, SkeletonError> {
    let centers: Vec<DVec3> = moving.joints.iter().map(|c| units.rest_back(*c)).collect();
    let owner: Vec<u32> = (0..whole.rest.len()).map(|v| fitted.of(v).0[0]).collect();
    let ends = leaf_ends(&moving.skeleton, &centers, whole.rest, &owner);
    let lines = BoneLines::of_skeleton(&moving.skeleton, &centers, transforms, &ends);
    let options = HeatOptions { influences: whole.options.influences, ..Default::default() };
    Ok(heat_weights(whole.animation, &lines, &options, whole.progress)?)
}

/// The rig, its joints in order and named, and that order.
fn arranged(
    whole: &Whole,
    skeleton: &Skeleton,
    centers: &[DVec3],
    weights: SkinWeights,
    transforms: &[DAffine3],
) -> (Rig, Vec<usize>) {
    let n = skeleton.len();
    let mut sizes = vec![0.0; n];
    for v in 0..whole.rest.len() {
        weights.influences(v).for_each(|(b, w)| sizes[b] += w);
    }
    let found = arrange(&skeleton.parents, &sizes, centers);
    let surfaced = Surfaced { centers: centers.to_vec(), weights, transforms: transforms.to_vec() };
    (rig_of(whole.animation, whole.rest, skeleton, surfaced, &found), found.order)
}

/// A rig of joints in some order, with names in that order.
pub(super) fn rig_of(
    animation: &MeshAnimation,
    rest: &[Vec3],
    skeleton: &Skeleton,
    surfaced: Surfaced,
    arranged: &Arranged,
) -> Rig {
    let Surfaced { centers, mut weights, transforms } = surfaced;
    weights.renumber(&arranged.order);
    let bone = |(&k, name): (&usize, &String)| Bone {
        name: name.clone(),
        center: centers[k],
        rigid: true,
        axes: None,
    };
    Rig {
        mesh: animation.mesh.clone(),
        rest: rest.to_vec(),
        weights,
        bones: arranged.order.iter().zip(&arranged.names).map(bone).collect(),
        transforms: picked(&transforms, skeleton.len(), &arranged.order),
        skeleton: Some(skeleton.reordered(&arranged.order)),
        corrections: None,
        fps: animation.fps,
        clips: animation.clips.clone(),
        nodes: animation.nodes.clone(),
        armature: String::new(),
    }
}
