//! Handles: the parts of the surface that follow one joint alone.

use std::collections::BTreeSet;

use glam::{DVec3, Vec3};

use super::DeformError;
use super::dirichlet::NONE;
use super::tuning::TUNING;
use crate::animation::{Frames, MeshAnimation};
use crate::geometry::Mesh;
use crate::geometry::closest::closest_on_segment;
use crate::progress::Progress;
use crate::rig::{Skeleton, SkinWeights};
use crate::skeleton::{BoneLines, HeatOptions, heat_weights, leaf_ends};

/// Disjoint sets of vertices, one per joint; some joints may have none, and many vertices belong to none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handles {
    /// The joint of each vertex, [`NONE`] for none.
    pub(super) joint_of: Vec<u32>,
}

impl Handles {
    /// Handles from a list of vertices per joint. `None` stands for a joint that is to have none; an empty
    /// list is an error, and so is a vertex in two lists.
    ///
    /// # Errors
    /// When a list is empty, names a vertex that is not there, or one of another list.
    pub fn from_lists(vertices: usize, lists: &[Option<Vec<u32>>]) -> Result<Self, DeformError> {
        let mut joint_of = vec![NONE; vertices];
        for (joint, list) in lists.iter().enumerate() {
            let Some(list) = list else { continue };
            if list.is_empty() {
                return Err(DeformError::JointWithoutHandle { joint });
            }
            for &vertex in list {
                let Some(slot) = joint_of.get_mut(vertex as usize) else {
                    return Err(DeformError::NoSuchVertex { joint, vertex, count: vertices });
                };
                if *slot != NONE && *slot != joint as u32 {
                    let joints = [*slot as usize, joint];
                    return Err(DeformError::OverlappingHandles { vertex, joints });
                }
                *slot = joint as u32;
            }
        }
        Ok(Self { joint_of })
    }

    /// Handles from skin weights: the vertices that a joint has almost to itself. Bones are joints.
    ///
    /// # Panics
    /// When weights name bones that do not exist.
    pub fn from_weights(weights: &SkinWeights, joints: usize) -> Self {
        let vertices = weights.weights.len() / weights.per_vertex.max(1);
        let largest = |vertex: usize| {
            let (bones, shares) = weights.of(vertex);
            let all = bones.iter().zip(shares).map(|(bone, share)| (*share, *bone));
            all.reduce(|a, b| if b.0 > a.0 { b } else { a }).unwrap_or((0.0, 0))
        };
        let of_vertex: Vec<(f32, u32)> = (0..vertices).map(largest).collect();
        let mut most = vec![0.0_f32; joints];
        of_vertex.iter().for_each(|&(share, joint)| most[joint as usize] = most[joint as usize].max(share));
        let owner = |&(share, joint): &(f32, u32)| {
            let limit = TUNING.clear_share.min(TUNING.near_share * most[joint as usize]);
            if share > 0.0 && share >= limit { joint } else { NONE }
        };
        Self { joint_of: of_vertex.iter().map(owner).collect() }
    }

    /// Handles from where the joints of a skeleton are in a mesh: where heat from one bone alone arrives
    /// ([`heat_weights`]).
    ///
    /// # Errors
    /// When heat cannot be solved for, or the listener cancels.
    ///
    /// # Panics
    /// When the lengths do not fit.
    pub fn from_skeleton(
        mesh: &Mesh,
        rest: &[Vec3],
        skeleton: &Skeleton,
        joints: &[DVec3],
        progress: &dyn Progress,
    ) -> Result<Self, DeformError> {
        let transforms = vec![Default::default(); skeleton.len()];
        let lines = |ends: &[Option<DVec3>]| BoneLines::of_skeleton(skeleton, joints, &transforms, ends);
        let rough = lines(&vec![None; skeleton.len()]);
        let nearest = |p: &Vec3| {
            let distance =
                |line: &[DVec3; 2]| p.as_dvec3().distance_squared(closest_on_segment(p.as_dvec3(), *line));
            let all = rough.ends.iter().zip(&rough.bones).map(|(line, bone)| (distance(line), *bone));
            // Where a bone ends and the next one begins, it is the next one.
            all.reduce(|a, b| if b.0 <= a.0 { b } else { a }).map_or(0, |(_, bone)| bone)
        };
        let joint_of: Vec<u32> = rest.iter().map(nearest).collect();
        let lines = lines(&leaf_ends(skeleton, joints, rest, &joint_of));
        let animation = MeshAnimation {
            mesh: mesh.clone(),
            rest: Some(rest.to_vec()),
            frames: Frames::from_poses(&[rest.to_vec()]),
            fps: 1.0,
            clips: Vec::new(),
            nodes: Vec::new(),
        };
        let weights = heat_weights(&animation, &lines, &HeatOptions::default(), progress)?;
        Ok(Self::from_weights(&weights, skeleton.len()))
    }

    /// The same without the vertices that share an edge with one of another handle, so that there is
    /// something between any two that can bend. A handle that would lose all its vertices keeps them.
    ///
    /// # Panics
    /// When triangles name vertices that do not exist.
    pub fn apart(mut self, triangles: &[[u32; 3]]) -> Self {
        let mut touches = vec![false; self.joint_of.len()];
        for &[a, b, c] in triangles {
            for [a, b] in [[a, b], [b, c], [c, a]].map(|ends| ends.map(|v| v as usize)) {
                let (mine, other) = (self.joint_of[a], self.joint_of[b]);
                if mine != other && mine != NONE && other != NONE {
                    (touches[a], touches[b]) = (true, true);
                }
            }
        }
        let inside = self.joint_of.iter().zip(&touches).filter(|(_, touches)| !**touches);
        let stays: BTreeSet<u32> = inside.map(|(joint, _)| *joint).collect();
        let rims = self.joint_of.iter_mut().zip(touches).filter(|(_, touches)| *touches);
        rims.filter(|(joint, _)| stays.contains(joint)).for_each(|(joint, _)| *joint = NONE);
        self
    }

    /// Number of vertices, in handles or not.
    pub fn vertex_count(&self) -> usize {
        self.joint_of.len()
    }

    /// The joint whose handle a vertex belongs to, if it belongs to one.
    pub fn joint(&self, vertex: usize) -> Option<usize> {
        Some(self.joint_of[vertex]).filter(|&joint| joint != NONE).map(|joint| joint as usize)
    }

    /// The joints, of so many, that have no handle: they move nothing of their own.
    pub fn joints_without(&self, joints: usize) -> Vec<usize> {
        let mut has = vec![false; joints];
        self.joint_of.iter().filter(|&&j| j != NONE).for_each(|&j| has[j as usize] = true);
        (0..joints).filter(|&joint| !has[joint]).collect()
    }
}
