//! Parts of a mesh that say nothing about joints: set aside while a skeleton is found, then carried by it.
//!
//! The skeleton is found on the mesh without them. A part that is carried whole follows the joint whose motion fits all of
//! it best; the vertices of others get the weights that fit them best, as those of the rest have.

use glam::{DAffine3, Vec3};

use super::assemble::{Whole, fitted_weights};
use super::limits::joint_limits_unless_cancelled;
use super::{Skeletal, SkeletonError, SkeletonOptions};
use crate::animation::{Frames, MeshAnimation, compare};
use crate::geometry::Mesh;
use crate::progress::Progress;
use crate::rig::{Player, Rig, SkinWeights};
use crate::tracks::spread_frames;

/// Vertices that say nothing about joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetAside {
    /// Their numbers.
    pub vertices: Vec<u32>,
    /// Whether all of them are moved by one joint; else each by those that fit it best.
    pub is_rigid: bool,
}

/// Frames by which a joint is chosen for a part.
const FRAMES: usize = 60;

/// An animation without some of its vertices.
pub(super) struct Heeded<'a> {
    pub animation: MeshAnimation,
    /// Its vertices, in order.
    vertices: Vec<u32>,
    aside: &'a [SetAside],
}

impl<'a> Heeded<'a> {
    /// Nothing where nothing is left.
    pub fn new(animation: &MeshAnimation, aside: &'a [SetAside]) -> Option<Self> {
        let mut heeded = vec![true; animation.mesh.vertex_count];
        for &v in aside.iter().flat_map(|part| &part.vertices) {
            if let Some(heeded) = heeded.get_mut(v as usize) {
                *heeded = false;
            }
        }
        let vertices: Vec<u32> = (0..heeded.len() as u32).filter(|&v| heeded[v as usize]).collect();
        let animation = with_vertices(animation, &vertices);
        (animation.mesh.face_count() > 0).then_some(Self { animation, vertices, aside })
    }

    /// The skeleton that was found, with all of the mesh on it.
    pub fn carried(
        &self,
        animation: &MeshAnimation,
        found: Skeletal,
        options: &SkeletonOptions,
        progress: &dyn Progress,
    ) -> Result<Skeletal, SkeletonError> {
        progress.stage("weights");
        let rest: Vec<Vec3> = animation.rest.clone().unwrap_or_else(|| animation.frames.frame(0).to_vec());
        let width = options.influences.max(found.rig.weights.per_vertex);
        let mut weights = SkinWeights::zeros(rest.len(), width);
        let mut put = |vertices: &[u32], of: &SkinWeights| {
            for (i, &v) in vertices.iter().enumerate() {
                let (bones, shares) = of.of(i);
                let at = v as usize * width;
                weights.bones[at..at + bones.len()].copy_from_slice(bones);
                weights.weights[at..at + bones.len()].copy_from_slice(shares);
            }
        };
        put(&self.vertices, &found.rig.weights);
        for part in self.aside.iter().filter(|part| !part.vertices.is_empty()) {
            progress.check()?;
            let of = match part.is_rigid {
                true => on_one(&found.rig, animation, &rest, &part.vertices),
                false => blended(&found.rig, animation, &part.vertices, options, progress)?,
            };
            put(&part.vertices, &of);
        }
        let rig =
            Rig { mesh: animation.mesh.clone(), rest, weights, nodes: animation.nodes.clone(), ..found.rig };
        progress.stage("measuring");
        let measured = compare(animation, &Player::new(&rig), animation.rest_bounds());
        Ok(Skeletal {
            limits: joint_limits_unless_cancelled(&rig, progress)?,
            rig,
            error: measured.error,
            error_per_frame: measured.per_frame,
            ..found
        })
    }
}

/// An animation of some of the vertices, in order, and the faces between them.
fn with_vertices(animation: &MeshAnimation, vertices: &[u32]) -> MeshAnimation {
    let mut number = vec![u32::MAX; animation.mesh.vertex_count];
    vertices.iter().enumerate().for_each(|(new, &v)| number[v as usize] = new as u32);
    let mut mesh = Mesh { vertex_count: vertices.len(), ..Mesh::default() };
    for face in 0..animation.mesh.face_count() {
        let corners: Vec<u32> = animation.mesh.face(face).iter().map(|&v| number[v as usize]).collect();
        if !corners.contains(&u32::MAX) {
            mesh.push_face(&corners);
        }
    }
    let picked = |pose: &[Vec3]| -> Vec<Vec3> { vertices.iter().map(|&v| pose[v as usize]).collect() };
    let frames = (0..animation.frames.len()).map(|t| picked(animation.frames.frame(t)));
    MeshAnimation {
        mesh,
        rest: animation.rest.as_deref().map(picked),
        frames: Frames::from_poses(&frames.collect::<Vec<_>>()),
        fps: animation.fps,
        clips: animation.clips.clone(),
        nodes: Vec::new(),
    }
}

/// All of some vertices on the joint that carries them best.
fn on_one(rig: &Rig, animation: &MeshAnimation, rest: &[Vec3], vertices: &[u32]) -> SkinWeights {
    let frames = spread_frames(animation.frames.len(), FRAMES);
    let off = |bone: usize| -> f64 {
        let in_frame = |t: usize| -> f64 {
            let carried: DAffine3 = rig.frame_transforms(t)[bone];
            let pose = animation.frames.frame(t);
            let off = |&v: &u32| {
                let v = v as usize;
                carried.transform_point3(rest[v].as_dvec3()).distance_squared(pose[v].as_dvec3())
            };
            vertices.iter().map(off).sum()
        };
        frames.iter().map(|&t| in_frame(t)).sum()
    };
    let errors: Vec<f64> = (0..rig.bones.len()).map(off).collect();
    let best = (0..errors.len()).min_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
    SkinWeights {
        per_vertex: 1,
        bones: vec![best as u32; vertices.len()],
        weights: vec![1.0; vertices.len()],
    }
}

/// Weights of some vertices that fit them best.
fn blended(
    rig: &Rig,
    animation: &MeshAnimation,
    vertices: &[u32],
    options: &SkeletonOptions,
    progress: &dyn Progress,
) -> Result<SkinWeights, SkeletonError> {
    let part = with_vertices(animation, vertices);
    let rest: Vec<Vec3> = part.rest.clone().unwrap_or_else(|| part.frames.frame(0).to_vec());
    let triangles = part.mesh.triangles(&rest);
    let Some(skeleton) = rig.skeleton.as_ref().filter(|_| !triangles.is_empty()) else {
        // Without faces vertices have nothing to do with each other.
        let mut all = SkinWeights::zeros(vertices.len(), 1);
        for v in 0..vertices.len() {
            let one = on_one(rig, &part, &rest, &[v as u32]);
            (all.bones[v], all.weights[v]) = (one.bones[0], 1.0);
        }
        return Ok(all);
    };
    let whole = Whole { animation: &part, triangles: &triangles, rest: &rest, options, progress };
    fitted_weights(&whole, &part.frames, rig.transforms.clone(), skeleton, &rig.joint_places())
}
