//! What a method hands on.

use glam::{DVec3, Vec3};

use super::{BoneKind, RestPose, Round, Skin, SkinError, SkinWarning, Skinned, StageSeconds};
use crate::animation::{Measured, centroid};
use crate::rig::{Bone, SkinWeights};
use crate::segment::TriangleRotations;

/// A skin that lacks only corrections, names and errors.
#[derive(Default)]
pub(super) struct Found {
    pub skin: Skin,
    /// Triangles of the rest pose.
    pub triangles: Vec<[u32; 3]>,
    pub rest_pose: RestPose,
    /// Bones of the triangles; `None` takes what moves them most.
    pub bone_of_triangle: Option<Vec<u32>>,
    pub near_rigid_fraction: Option<f64>,
    pub seconds: StageSeconds,
    pub warnings: Vec<SkinWarning>,
    pub rounds: Vec<Round>,
}

impl Found {
    /// Finished: with what replays the animation, and how near that is.
    pub fn measured<R>(self, rig: R, measured: Measured, bone_of_triangle: Vec<u32>) -> Skinned<R> {
        Skinned {
            rig,
            rest_pose: self.rest_pose,
            triangle_count: self.triangles.len(),
            bone_of_triangle,
            near_rigid_fraction: self.near_rigid_fraction,
            error: measured.error,
            error_per_frame: measured.per_frame,
            seconds: self.seconds,
            warnings: self.warnings,
            rounds: self.rounds,
        }
    }
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
    let middle = centroid(rest);
    sums.iter()
        .enumerate()
        .map(|(i, &(sum, total))| Bone {
            name: format!("bone_{i:0digits$}"),
            center: if total > 0.0 { sum / total } else { middle },
            rigid: kind == BoneKind::Rigid,
            axes: None,
        })
        .collect()
}
