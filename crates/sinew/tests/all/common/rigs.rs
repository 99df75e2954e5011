//! Rigs with a known answer.

use glam::{DAffine3, DMat3, DVec3};
use sinew::rig::{Bone, PoseChain, Rig, SkinWeights};

use super::bodies::Body;

/// The rig that moves a body exactly: a bone for each limb.
pub fn rig_of(body: &Body, frames: usize, with_skeleton: bool) -> Rig {
    let animation = body.animation(frames);
    let per_vertex = body.weights.iter().map(Vec::len).max().unwrap_or(1);
    let mut weights = SkinWeights { per_vertex, ..SkinWeights::default() };
    for vertex in &body.weights {
        let mut sorted = vertex.clone();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
        sorted.resize(per_vertex, (0, 0.0));
        weights.bones.extend(sorted.iter().map(|(bone, _)| *bone as u32));
        weights.weights.extend(sorted.iter().map(|(_, weight)| *weight as f32));
    }
    let bone = |(i, limb): (usize, &super::bodies::Limb)| Bone {
        name: format!("bone{i}"),
        center: limb.from,
        rigid: true,
        axes: None,
    };
    let poses = body.poses(frames);
    let transforms = poses.iter().flat_map(|pose| body.skeleton().transforms(&body.joints(), pose)).collect();
    Rig {
        rest: animation.rest.clone().expect("a rest pose"),
        mesh: animation.mesh,
        weights,
        bones: body.limbs.iter().enumerate().map(bone).collect(),
        transforms,
        skeleton: with_skeleton.then(|| body.skeleton()),
        corrections: None,
        fps: animation.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

/// Linear parts of all bones in a frame.
pub fn turns(rig: &Rig, frame: usize) -> Vec<DMat3> {
    rig.frame_transforms(frame).iter().map(|t| t.matrix3).collect()
}

/// What carries a vertex of a chain from the rest pose to its place in a frame: the product of its blended steps (equation 4
/// of Vasilakis, Fudos and Antonopoulos 2016).
pub fn vertex_transform(chain: &PoseChain, vertex: usize, frame: usize) -> DAffine3 {
    let beginning = (0..=frame).rfind(|&t| chain.is_key(t)).unwrap_or(0);
    (beginning..=frame).fold(DAffine3::IDENTITY, |sum, t| {
        let mut step = DAffine3 { matrix3: DMat3::ZERO, translation: DVec3::ZERO };
        for (bone, weight) in chain.weights_at(t).influences(vertex) {
            step.matrix3 += chain.frame_steps(t)[bone].matrix3 * weight;
            step.translation += chain.frame_steps(t)[bone].translation * weight;
        }
        let moves = chain.moves_at(t).iter().filter(|(moved, _)| *moved as usize == vertex);
        let mut carried = step * sum;
        carried.translation += moves.map(|(_, by)| *by).sum::<DVec3>();
        carried
    })
}
