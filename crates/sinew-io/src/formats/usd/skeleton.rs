//! Skeletons and their animations (UsdSkel).
//!
//! A joint moves what is bound to it by world(skeleton) · joint · bind⁻¹; joints are stated against their
//! parents, which their paths name. An animation states some joints or all, in an order of its own; those it
//! leaves out are at rest.

use std::collections::HashMap;

use glam::{DAffine3, DMat3, DVec3};

use super::query::{Between, affine, quaternion};
use super::stage::Stage;
use crate::{Error, Result, Warning};

/// Joints a skeleton may have.
const MOST_JOINTS: usize = 1 << 16;

/// A skeleton prim.
pub(super) struct SkeletonPrim {
    pub prim: usize,
    /// Paths of the joints.
    pub joints: Vec<String>,
    /// Names for people; empty where the last names of the paths are those.
    names: Vec<String>,
    pub parents: Vec<Option<usize>>,
    /// Where joints were when meshes were bound, in the skeleton's space.
    pub binds: Vec<DAffine3>,
    /// Where joints are without animation, against their parents.
    rests: Vec<DAffine3>,
    /// Parents before children.
    order: Vec<usize>,
}

/// A SkelAnimation prim.
pub(super) struct SkelAnimation {
    pub prim: usize,
    pub joints: Vec<String>,
    pub shapes: Vec<String>,
}

impl SkeletonPrim {
    pub fn read(stage: &Stage, prim: usize, warnings: &mut Vec<Warning>) -> Result<Self> {
        let path = &stage.prims[prim].path;
        let joints = stage.words(prim, "joints")?;
        let count = joints.len();
        if count == 0 || count > MOST_JOINTS {
            let message = format!("skeleton {path} has {count} joints");
            return Err(Error::malformed(stage.path(), message));
        }
        let index: HashMap<&str, usize> = joints.iter().enumerate().map(|(i, j)| (j.as_str(), i)).collect();
        if index.len() < count {
            return Err(Error::malformed(
                stage.path(),
                format!("skeleton {path} has two joints of one name"),
            ));
        }
        let parents: Vec<Option<usize>> = joints.iter().map(|joint| parent(joint, &index)).collect();
        let mut order: Vec<usize> = (0..count).collect();
        // A path is longer than that of what it hangs on.
        if parents.iter().enumerate().any(|(i, p)| p.is_some_and(|p| p >= i)) {
            order.sort_by_key(|&j| (joints[j].len(), j));
        }
        let matrices = |name: &str| -> Result<Option<Vec<DAffine3>>> {
            let numbers = stage.at(prim, name, 0.0, Between::Held)?.filter(|n| n.len() == 16 * count);
            let matrices = numbers.map(|n| n.chunks_exact(16).map(affine).collect::<Vec<_>>());
            Ok(matrices.filter(|m| m.iter().all(|m| m.is_finite())))
        };
        let (binds, rests) = (matrices("bindTransforms")?, matrices("restTransforms")?);
        let names = stage.words(prim, "jointNames")?;
        let names = if names.len() == count { names } else { Vec::new() };
        let mut skeleton = Self { prim, joints, names, parents, binds: Vec::new(), rests: Vec::new(), order };
        // Either can be had from the other.
        (skeleton.binds, skeleton.rests) = match (binds, rests) {
            (Some(binds), Some(rests)) => (binds, rests),
            (None, Some(rests)) => {
                warnings.push(Warning::NoBindPose(path.clone()));
                (skeleton.together(&rests), rests)
            }
            (Some(binds), None) => {
                let local =
                    |j: usize| skeleton.parents[j].map_or(binds[j], |p| binds[p].inverse() * binds[j]);
                let rests = (0..count).map(local).collect();
                (binds, rests)
            }
            (None, None) => {
                let message =
                    format!("skeleton {path} has neither a bind pose nor a rest pose of {count} joints");
                return Err(Error::malformed(stage.path(), message));
            }
        };
        Ok(skeleton)
    }

    /// Joints against their parents as joints in the skeleton's space.
    fn together(&self, locals: &[DAffine3]) -> Vec<DAffine3> {
        let mut joints = locals.to_vec();
        for &j in &self.order {
            if let Some(parent) = self.parents[j] {
                joints[j] = joints[parent] * locals[j];
            }
        }
        joints
    }

    /// All joints at a time, in the skeleton's space.
    pub fn pose(&self, stage: &Stage, animation: Option<&SkelAnimation>, time: f64) -> Result<Vec<DAffine3>> {
        let Some(animation) = animation else { return Ok(self.together(&self.rests)) };
        let count = animation.joints.len();
        let track = |name: &str, width: usize, between| -> Result<Option<Vec<f64>>> {
            Ok(stage.at(animation.prim, name, time, between)?.filter(|v| v.len() == width * count))
        };
        let translations = track("translations", 3, Between::Linear)?;
        let rotations = track("rotations", 4, Between::Turn)?;
        let scales = track("scales", 3, Between::Linear)?;
        let (Some(t), Some(r), Some(s)) = (translations, rotations, scales) else {
            return Ok(self.together(&self.rests));
        };
        let index: HashMap<&str, usize> =
            self.joints.iter().enumerate().map(|(i, j)| (j.as_str(), i)).collect();
        let mut locals = self.rests.clone();
        for (i, joint) in animation.joints.iter().enumerate() {
            let Some(&j) = index.get(joint.as_str()) else { continue };
            let turn = DMat3::from_quat(quaternion(&r[4 * i..]));
            let scale = DMat3::from_diagonal(DVec3::from_slice(&s[3 * i..3 * i + 3]));
            locals[j] =
                DAffine3 { matrix3: turn * scale, translation: DVec3::from_slice(&t[3 * i..3 * i + 3]) };
        }
        Ok(self.together(&locals))
    }

    /// All joints, parents before children.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// What a joint is called.
    pub fn name(&self, joint: usize) -> &str {
        if let Some(name) = self.names.get(joint) {
            return name;
        }
        let path = &self.joints[joint];
        path.rsplit('/').next().unwrap_or(path)
    }
}

/// The joint whose path is the longest beginning of another's.
fn parent(joint: &str, index: &HashMap<&str, usize>) -> Option<usize> {
    let mut path = joint;
    // A name that goes on for ever is looked at no longer than any sensible one.
    for _ in 0..1024 {
        path = path.rsplit_once('/')?.0;
        if let Some(&parent) = index.get(path) {
            return Some(parent);
        }
    }
    None
}

impl SkelAnimation {
    pub fn read(stage: &Stage, prim: usize) -> Result<Self> {
        Ok(Self { prim, joints: stage.words(prim, "joints")?, shapes: stage.words(prim, "blendShapes")? })
    }

    /// Weights of the blend shapes at a time.
    pub fn weights(&self, stage: &Stage, time: f64) -> Result<Vec<f64>> {
        let weights = stage.at(self.prim, "blendShapeWeights", time, Between::Linear)?.unwrap_or_default();
        Ok(if weights.len() == self.shapes.len() { weights } else { vec![0.0; self.shapes.len()] })
    }

    /// When anything of it has a sample.
    pub fn times(&self, stage: &Stage) -> Vec<f64> {
        let names = ["translations", "rotations", "scales", "blendShapeWeights"];
        names.iter().flat_map(|name| stage.times(self.prim, name)).collect()
    }
}

impl Stage {
    /// The skeleton a prim is bound to.
    pub fn skeleton_of(&self, prim: usize) -> Option<usize> {
        let found = self.inherited(prim, |p| self.target(p, "skel:skeleton").map(|t| t.0));
        found.filter(|&p| self.prims[p].type_name == "Skeleton")
    }

    /// The animation a prim is bound to.
    pub fn animation_of(&self, prim: usize) -> Option<usize> {
        let found = self.inherited(prim, |p| self.target(p, "skel:animationSource").map(|t| t.0));
        found.filter(|&p| self.prims[p].type_name == "SkelAnimation")
    }
}
