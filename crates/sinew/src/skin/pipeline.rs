//! The whole way from an animation to a rig.

use std::time::Instant;

use glam::{DAffine3, DVec3, Vec3};

use super::descent::Descended;
use super::{
    BoneKind, CoreSets, GivenBones, MOST_INFLUENCES, RestPose, SkinError, SkinOptions, Skinned, StageSeconds,
    fit_bones, fit_corrections, rest_pose, solve_weights,
};
use crate::animation::{Frames, MeshAnimation, compare};
use crate::progress::Progress;
use crate::rig::{Bone, Corrections, Player, Rig, SkinWeights};
use crate::segment::{
    MeanShiftOptions, NO_BONE, Segmentation, SurfaceMotion, TriangleRotations, mean_shift, split_and_merge,
};

/// Distance from the origin, in diagonals, at which single precision is worth a warning.
const FAR_AWAY: f64 = 1000.0;

/// Skins an animation.
///
/// Checks the animation first ([`MeshAnimation::validate`]). The same input gives the same bits for any
/// number of threads.
pub fn skin(
    animation: &MeshAnimation,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<Skinned, SkinError> {
    progress.stage("checking");
    animation.validate()?;
    check_options(animation, options)?;
    let frames = &animation.frames;
    let mut seconds = StageSeconds::default();
    let mut warnings = Vec::new();

    let clock = Instant::now();
    progress.stage("rest pose");
    let (chosen, mut rest) = choose_rest(animation, options, progress)?;
    let triangles = animation.mesh.triangles(&rest);
    let found = match &options.bones_from {
        Some(given) => Found::given(given),
        None => find_bones(frames, &triangles, &rest, options, progress, &mut seconds, &mut warnings)?,
    };
    seconds.segment = clock.elapsed().as_secs_f64() - seconds.bones;

    let clock = Instant::now();
    progress.stage("weights");
    let weights = solve_weights(frames, &rest, &found.transforms, &options.weights, progress)
        .ok_or(SkinError::Cancelled)?;
    seconds.weights = clock.elapsed().as_secs_f64();

    let clock = Instant::now();
    let corrections = corrections(
        animation,
        &triangles,
        &mut rest,
        &weights,
        &found.transforms,
        options.rank,
        &mut warnings,
        progress,
    )?;
    seconds.corrections = clock.elapsed().as_secs_f64();

    warnings.extend(doubts(animation));
    progress.stage("measuring");
    let bones = found.bones.unwrap_or_else(|| name_bones(&rest, &weights, found.count, options.kind));
    let rig = Rig {
        mesh: animation.mesh.clone(),
        rest,
        weights,
        bones,
        transforms: found.transforms,
        skeleton: None,
        corrections,
        fps: animation.fps,
        clips: animation.clips.clone(),
    };
    let measured = compare(animation, &Player::new(&rig), animation.rest_bounds());
    Ok(Skinned {
        rig,
        rest_pose: chosen,
        triangle_count: triangles.len(),
        bone_of_triangle: found.bone_of_triangle,
        near_rigid_fraction: found.near_rigid_fraction,
        error: measured.error,
        error_per_frame: measured.per_frame,
        seconds,
        warnings,
        rounds: Vec::new(),
    })
}

/// Corrections of a rank, if any is wanted.
#[allow(clippy::too_many_arguments)]
fn corrections(
    animation: &MeshAnimation,
    triangles: &[[u32; 3]],
    rest: &mut [Vec3],
    weights: &SkinWeights,
    transforms: &[DAffine3],
    rank: usize,
    warnings: &mut Vec<String>,
    progress: &dyn Progress,
) -> Result<Option<Corrections>, SkinError> {
    if rank == 0 {
        return Ok(None);
    }
    progress.stage("corrections");
    let frames = &animation.frames;
    if rank > frames.len() {
        warnings
            .push(format!("rank {rank} was asked for; {} frames need no more than as many", frames.len()));
    }
    fit_corrections(frames, triangles, rest, weights, transforms, rank, progress)
        .map(Some)
        .ok_or(SkinError::Cancelled)
}

/// What should make the user look twice at the animation.
pub(super) fn doubts(animation: &MeshAnimation) -> Vec<String> {
    let mut doubts: Vec<String> = animation.warnings().iter().map(ToString::to_string).collect();
    let bounds = animation.rest_bounds();
    if bounds.center().length() > FAR_AWAY * bounds.diagonal() {
        doubts.push(
            "the mesh is so far from the origin that single precision, in its file as in every player, loses \
             detail; move it closer"
                .into(),
        );
    }
    doubts
}

/// A measured rig from what a descent found: corrections, names, errors.
pub(super) fn finish_rig(
    animation: &MeshAnimation,
    triangles: &[[u32; 3]],
    found: Descended,
    kind: BoneKind,
    bones: Option<Vec<Bone>>,
    rank: usize,
    progress: &dyn Progress,
) -> Result<Skinned, SkinError> {
    let Descended { mut rest, weights, transforms, rounds } = found;
    let mut warnings = Vec::new();
    let clock = Instant::now();
    let corrections =
        corrections(animation, triangles, &mut rest, &weights, &transforms, rank, &mut warnings, progress)?;
    let seconds = StageSeconds { corrections: clock.elapsed().as_secs_f64(), ..StageSeconds::default() };
    progress.stage("measuring");
    let count = transforms.len() / animation.frames.len();
    let bones = bones.unwrap_or_else(|| name_bones(&rest, &weights, count, kind));
    let rig = Rig {
        mesh: animation.mesh.clone(),
        rest,
        weights,
        bones,
        transforms,
        skeleton: None,
        corrections,
        fps: animation.fps,
        clips: animation.clips.clone(),
    };
    let measured = compare(animation, &Player::new(&rig), animation.rest_bounds());
    Ok(Skinned {
        rest_pose: RestPose::Given,
        triangle_count: triangles.len(),
        bone_of_triangle: strongest_bones(triangles, &rig.weights),
        near_rigid_fraction: None,
        rig,
        error: measured.error,
        error_per_frame: measured.per_frame,
        seconds,
        warnings,
        rounds,
    })
}

/// For each triangle the bone with the largest weight on its vertices.
fn strongest_bones(triangles: &[[u32; 3]], weights: &SkinWeights) -> Vec<u32> {
    let strongest = |triangle: &[u32; 3]| {
        let mut sums: Vec<(u32, f32)> = Vec::with_capacity(3 * weights.per_vertex);
        for &vertex in triangle {
            let (bones, weights) = weights.of(vertex as usize);
            for (&bone, &weight) in bones.iter().zip(weights) {
                match sums.iter_mut().find(|s| s.0 == bone) {
                    Some(sum) => sum.1 += weight,
                    None => sums.push((bone, weight)),
                }
            }
        }
        sums.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map_or(NO_BONE, |s| s.0)
    };
    triangles.iter().map(strongest).collect()
}

fn check_options(animation: &MeshAnimation, options: &SkinOptions) -> Result<(), SkinError> {
    if !(1..=MOST_INFLUENCES).contains(&options.weights.influences) {
        return Err(SkinError::InfluenceCount { asked: options.weights.influences });
    }
    if !(options.epsilon > 0.0 && options.epsilon.is_finite()) {
        return Err(SkinError::Epsilon(options.epsilon));
    }
    if !(options.weights.negative_bound >= 0.0 && options.weights.negative_bound.is_finite()) {
        return Err(SkinError::NegativeBound(options.weights.negative_bound));
    }
    if let Some(given) = &options.bones_from {
        let wrong = |what, found, expected| Err(SkinError::GivenBones { what, found, expected });
        let (frames, vertices) = (animation.frames.len(), animation.mesh.vertex_count);
        if given.transforms.len() != frames * given.bones.len() || given.bones.is_empty() {
            return wrong("frames", given.transforms.len() / given.bones.len().max(1), frames);
        }
        if given.rest.len() != vertices {
            return wrong("vertices", given.rest.len(), vertices);
        }
    }
    Ok(())
}

/// Checks the number of bones asked for against the triangles that have an area, and returns how many have.
pub(super) fn check_bone_count(
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    bones: Option<usize>,
) -> Result<usize, SkinError> {
    let rotations = TriangleRotations::new(triangles, rest);
    let most = (0..triangles.len()).filter(|&t| rotations.is_sound(t)).count();
    match bones {
        _ if most == 0 => Err(SkinError::AllDegenerate { count: triangles.len() }),
        Some(asked) if asked == 0 || asked > most => Err(SkinError::BoneCount { asked, most }),
        _ => Ok(most),
    }
}

fn choose_rest(
    animation: &MeshAnimation,
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Result<(RestPose, Vec<Vec3>), SkinError> {
    if let Some(given) = &options.bones_from {
        return Ok((RestPose::Given, given.rest.clone()));
    }
    // Before anything is tried with a number that makes no sense.
    let pose = rest_pose::positions(animation, options.rest_pose)?;
    check_bone_count(&animation.mesh.triangles(pose), pose, options.bones)?;
    let chosen = match options.rest_pose {
        RestPose::Auto => rest_pose::choose(animation, options, progress).ok_or(SkinError::Cancelled)?,
        other => other,
    };
    let pose = rest_pose::positions(animation, chosen)?.to_vec();
    Ok((chosen, pose))
}

/// Bones and where they came from.
struct Found {
    count: usize,
    bones: Option<Vec<Bone>>,
    transforms: Vec<DAffine3>,
    bone_of_triangle: Vec<u32>,
    near_rigid_fraction: Option<f64>,
}

impl Found {
    fn given(given: &GivenBones) -> Self {
        Self {
            count: given.bones.len(),
            bones: Some(given.bones.clone()),
            transforms: given.transforms.clone(),
            bone_of_triangle: Vec::new(),
            near_rigid_fraction: None,
        }
    }
}

fn find_bones(
    frames: &Frames,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    options: &SkinOptions,
    progress: &dyn Progress,
    seconds: &mut StageSeconds,
    warnings: &mut Vec<String>,
) -> Result<Found, SkinError> {
    let sound = check_bone_count(triangles, rest, options.bones)?;
    if sound < triangles.len() {
        warnings.push(format!(
            "{} of {} triangles have no area in the rest pose and were left out of the segmentation",
            triangles.len() - sound,
            triangles.len()
        ));
    }
    progress.stage("segments");
    let segmentation = segment(frames, triangles, rest, options, progress).ok_or(SkinError::Cancelled)?;
    if segmentation.near_rigid_fraction < 0.5 {
        warnings.push(format!(
            "only {:.0} % of the triangles move together with others (near-rigid fraction): bones suit this \
             animation badly; corrections (a rank above 0) help",
            100.0 * segmentation.near_rigid_fraction
        ));
    }
    if let Some(asked) = options.bones.filter(|&b| b != segmentation.bone_count) {
        warnings.push(format!("{asked} bones were asked for, {} were found", segmentation.bone_count));
    }
    let clock = Instant::now();
    progress.stage("bones");
    let transforms = fit_bones(frames, triangles, rest, &segmentation, options.kind, options.core);
    seconds.bones = clock.elapsed().as_secs_f64();
    Ok(Found {
        count: segmentation.bone_count,
        bones: None,
        transforms,
        near_rigid_fraction: Some(segmentation.near_rigid_fraction),
        bone_of_triangle: segmentation.bone_of_triangle,
    })
}

/// Mean shift, brought to the number of bones asked for and refined. `None` when cancelled.
pub(super) fn segment(
    frames: &Frames,
    triangles: &[[u32; 3]],
    rest: &[Vec3],
    options: &SkinOptions,
    progress: &dyn Progress,
) -> Option<Segmentation> {
    let mut shift = MeanShiftOptions { epsilon: options.epsilon, ..MeanShiftOptions::default() };
    let motion = SurfaceMotion { frames, triangles, rest };
    let found = mean_shift(motion, &shift, progress).ok()?;
    let near_rigid_fraction = found.near_rigid_fraction;
    let mut segmentation = found;
    if let Some(bones) = options.bones {
        // Far too many: a wider tolerance merges what belongs together better than merging pairs would.
        for _ in 0..3 {
            if segmentation.bone_count <= bones + bones / 2 {
                break;
            }
            shift.epsilon *= 1.6;
            segmentation = mean_shift(motion, &shift, progress).ok()?;
        }
    }
    if segmentation.bone_count == 0 {
        segmentation.bone_count = 1;
        segmentation.bone_of_triangle.fill(0);
    }
    let bones = options.bones.unwrap_or(segmentation.bone_count);
    if options.core == CoreSets::Refined || bones != segmentation.bone_count {
        let rigid = options.kind == BoneKind::Rigid;
        segmentation = split_and_merge(motion, &segmentation, bones, rigid, progress).ok()?;
    }
    // Triangles without an area carry no weight in a fit; a bone must have one that does.
    drop_weightless_bones(&mut segmentation, triangles, rest);
    segmentation.near_rigid_fraction = near_rigid_fraction;
    Some(segmentation)
}

fn drop_weightless_bones(segmentation: &mut Segmentation, triangles: &[[u32; 3]], rest: &[Vec3]) {
    let rotations = TriangleRotations::new(triangles, rest);
    let mut number = vec![NO_BONE; segmentation.bone_count];
    let mut count = 0;
    for (triangle, bone) in segmentation.bone_of_triangle.iter_mut().enumerate() {
        if !rotations.is_sound(triangle) {
            *bone = NO_BONE;
        } else if *bone != NO_BONE && number[*bone as usize] == NO_BONE {
            number[*bone as usize] = count;
            count += 1;
        }
    }
    if count as usize != segmentation.bone_count {
        for bone in segmentation.bone_of_triangle.iter_mut().filter(|b| **b != NO_BONE) {
            *bone = number[*bone as usize];
        }
        segmentation.bone_count = count as usize;
    }
}

/// Names bones and puts each in the middle of the vertices it moves.
pub(crate) fn name_bones(rest: &[Vec3], weights: &SkinWeights, count: usize, kind: BoneKind) -> Vec<Bone> {
    let mut sums = vec![(DVec3::ZERO, 0.0); count];
    for (vertex, p) in rest.iter().enumerate() {
        let (bones, weights) = weights.of(vertex);
        for (&bone, &weight) in bones.iter().zip(weights) {
            let weight = f64::from(weight.max(0.0));
            sums[bone as usize].0 += p.as_dvec3() * weight;
            sums[bone as usize].1 += weight;
        }
    }
    let digits = (count - 1).to_string().len().max(2);
    let middle = crate::animation::centroid(rest);
    sums.iter()
        .enumerate()
        .map(|(i, &(sum, total))| Bone {
            name: format!("bone_{i:0digits$}"),
            center: if total > 0.0 { sum / total } else { middle },
            rigid: kind == BoneKind::Rigid,
        })
        .collect()
}
