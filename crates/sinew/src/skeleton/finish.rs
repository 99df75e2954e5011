//! From a skeleton on a sketch to a rig of all vertices and frames.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};

use super::articulation::{Articulation, STRAIGHT};
use super::ccd::{CcdOptions, Marker, ccd};
use super::figure::Figure;
use super::heat::{BoneLines, HeatError, HeatOptions, heat_weights, leaf_ends};
use super::lengths::constant_lengths;
use super::moments::{Measures, Moments, used};
use super::naming::{arrange, choose_root, rooted};
use super::options::{Angles, SkeletonError, SkeletonOptions, Weighing};
use super::scene::Scene;
use super::search::extents;
use super::supple::{Posing, posable};
use crate::animation::{Frames, MeshAnimation};
use crate::progress::Progress;
use crate::rig::{Bone, JointPose, Rig, Skeleton, SkinWeights};
use crate::skin::{BoneKind, Descent, DescentOptions, Initialisation, Skin, SkinSize, Solve};

/// Steps of the fit of turns to all vertices.
const TURN_STEPS: usize = 20;

/// The animation as it is fitted.
pub(super) struct Whole<'a> {
    pub animation: &'a MeshAnimation,
    pub triangles: &'a [[u32; 3]],
    pub rest: &'a [Vec3],
    pub options: &'a SkeletonOptions,
    pub progress: &'a dyn Progress,
}

/// Makes the rig.
pub(super) fn rig(whole: &Whole, scene: &Scene, figure: &Figure) -> Result<Rig, SkeletonError> {
    let frames = &whole.animation.frames;
    let joints = figure.len();
    let measures = Measures::new(frames, whole.rest);
    let some: Vec<Vec<Vec3>> = scene.sketch.chosen.iter().map(|&t| frames.frame(t).to_vec()).collect();
    let found = figure.articulation.transforms(&figure.moments);
    let true_ones = found.iter().enumerate().map(|(i, t)| scene.measures.unscaled(t, i / joints)).collect();
    whole.progress.stage("weights");
    let centers: Vec<DVec3> = figure.articulation.joints.iter().map(|c| scene.measures.place(*c)).collect();
    let tree = &figure.articulation.skeleton;
    let mut weights = fitted_weights(whole, &Frames::from_poses(&some), true_ones, tree, &centers)?;
    whole.progress.stage("angles");
    if whole.progress.cancelled() {
        return Err(SkeletonError::Cancelled);
    }
    let mut moving = Articulation {
        skeleton: figure.articulation.skeleton.clone(),
        joints: figure
            .articulation
            .joints
            .iter()
            .map(|c| (scene.measures.place(*c) - measures.origins.rest) / measures.unit)
            .collect(),
        turns: turns_between(&figure.articulation, &scene.sketch.chosen, frames.len()),
    };
    let mass = vec![1.0; whole.rest.len()];
    let sums = |weights: &SkinWeights| Moments::new(&measures, frames, whole.rest, weights, &mass, joints);
    let mut moments = sums(&weights);
    let mut transforms = match whole.options.angles {
        Angles::Fit => {
            moving.fit_turns(&moments, TURN_STEPS, STRAIGHT);
            moving.transforms(&moments)
        }
        Angles::Ccd => one_by_one(&mut moving, &moments, whole.animation),
    };
    let unscaled = |transforms: &[DAffine3]| -> Vec<DAffine3> {
        transforms.iter().enumerate().map(|(i, t)| measures.unscaled(t, i / joints)).collect()
    };
    if whole.options.angles == Angles::Ccd && whole.options.weights == Weighing::Fit {
        let centers: Vec<DVec3> = moving.joints.iter().map(|c| measures.place(*c)).collect();
        weights = fitted_weights(whole, frames, unscaled(&transforms), &moving.skeleton, &centers)?;
    }
    if whole.options.weights == Weighing::Heat {
        whole.progress.stage("heat");
        weights = by_heat(whole, &moving, &measures, &weights, &unscaled(&transforms))?;
        if whole.options.angles == Angles::Fit {
            moments = sums(&weights);
            moving.fit_turns(&moments, TURN_STEPS, STRAIGHT);
            transforms = moving.transforms(&moments);
        }
    }
    let mut centers: Vec<DVec3> = moving.joints.iter().map(|c| measures.place(*c)).collect();
    let skeleton = rerooted(scene, figure, &mut centers);
    Ok(arranged(whole, &skeleton, &centers, weights, &unscaled(&transforms)))
}

/// The same joints hung from the part at the centre of gravity: parts and joints changed since a root was first
/// chosen. A joint is as much its parent's as its own, so those on the way only change hands.
fn rerooted(scene: &Scene, figure: &Figure, centers: &mut [DVec3]) -> Skeleton {
    let parents = &figure.articulation.skeleton.parents;
    let edges: Vec<[usize; 2]> =
        parents.iter().enumerate().filter_map(|(k, parent)| parent.map(|p| [k, p])).collect();
    let places: Vec<DVec3> = edges.iter().map(|e| centers[e[0]]).collect();
    let (sizes, middles) = extents(scene, &figure.weights, figure.len());
    let center = scene.rest.iter().copied().sum::<DVec3>() / scene.rest.len() as f64;
    let root = choose_root(&edges, &sizes, &middles, center).unwrap_or(0);
    let parents = rooted(&edges, figure.len(), root);
    for (k, center) in centers.iter_mut().enumerate() {
        *center = match parents[k] {
            None => scene.measures.place(middles[k]),
            Some(parent) => {
                let at = edges.iter().position(|e| *e == [k, parent] || *e == [parent, k]);
                at.map_or(*center, |at| places[at])
            }
        };
    }
    Skeleton { parents }
}

/// Weights under known motion of joints whose places in the rest pose are known.
fn fitted_weights(
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
    let posing = Posing {
        frames,
        transforms: &transforms,
        triangles: whole.triangles,
        rest: whole.rest,
        skeleton,
        joints: centers,
        smoothness: whole.options.smoothness,
    };
    posable(&posing, &weights, whole.progress).ok_or(SkeletonError::Cancelled)
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
fn one_by_one(moving: &mut Articulation, moments: &Moments, animation: &MeshAnimation) -> Vec<DAffine3> {
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
        let poses: Vec<JointPose> =
            ccd(&moving.skeleton, &moving.joints, &constant.places[range], &cut, &CcdOptions::default());
        transforms.extend(poses.iter().flat_map(|p| moving.skeleton.transforms(&moving.joints, p)));
    }
    transforms
}

/// Heat diffusion from the bones' lines.
fn by_heat(
    whole: &Whole,
    moving: &Articulation,
    measures: &Measures,
    fitted: &SkinWeights,
    transforms: &[DAffine3],
) -> Result<SkinWeights, SkeletonError> {
    let centers: Vec<DVec3> = moving.joints.iter().map(|c| measures.place(*c)).collect();
    let owner: Vec<u32> = (0..whole.rest.len()).map(|v| fitted.of(v).0[0]).collect();
    let ends = leaf_ends(&moving.skeleton, &centers, whole.rest, &owner);
    let lines = BoneLines::of_skeleton(&moving.skeleton, &centers, transforms, &ends);
    let options = HeatOptions { influences: whole.options.influences, ..Default::default() };
    heat_weights(whole.animation, &lines, &options, whole.progress).map_err(|e| match e {
        HeatError::Cancelled => SkeletonError::Cancelled,
        other => SkeletonError::Heat(other),
    })
}

/// The rig, its joints in order and named.
fn arranged(
    whole: &Whole,
    skeleton: &Skeleton,
    centers: &[DVec3],
    mut weights: SkinWeights,
    transforms: &[DAffine3],
) -> Rig {
    let n = skeleton.len();
    let mut sizes = vec![0.0; n];
    for v in 0..whole.rest.len() {
        used(&weights, v).for_each(|(b, w)| sizes[b] += w);
    }
    let found = arrange(&skeleton.parents, &sizes, centers);
    let number = |old: usize| found.order.iter().position(|k| *k == old).expect("all are there");
    let numbers: Vec<u32> = (0..n).map(|k| number(k) as u32).collect();
    let slots = weights.bones.iter_mut().zip(&weights.weights);
    slots.for_each(|(b, w)| *b = if *w > 0.0 { numbers[*b as usize] } else { 0 });
    let bone = |(&k, name): (&usize, &String)| Bone { name: name.clone(), center: centers[k], rigid: true };
    Rig {
        mesh: whole.animation.mesh.clone(),
        rest: whole.rest.to_vec(),
        weights,
        bones: found.order.iter().zip(&found.names).map(bone).collect(),
        transforms: transforms
            .chunks_exact(n)
            .flat_map(|frame| found.order.iter().map(|&k| frame[k]))
            .collect(),
        skeleton: Some(Skeleton {
            parents: found.order.iter().map(|&k| skeleton.parents[k].map(number)).collect(),
        }),
        corrections: None,
        fps: whole.animation.fps,
        clips: whole.animation.clips.clone(),
    }
}
