//! The joints of a file and their motion, without any mesh.
//!
//! Joints are those of all skins, or else the nodes that a clip moves. One hangs on the nearest joint among
//! the nodes above it; nodes that are no joints are part of the motion of what is below them.
//!
//! The bind pose is that of the inverse bind matrices, which lead into the space of the mesh as stored. That
//! may lie on its side and have another unit than the scene, in which the joints move. So it is moved to
//! where the skin's topmost joint is when no clip moves anything. Joints without such a matrix are bound
//! where no clip moves them.

use glam::DAffine3;
use sinew::motion::{Motion, SourceJoint};

use super::chosen::Sampled;
use super::extensions;
use super::read::{Gltf, affine};
use super::schema::Skin;
use crate::scene::hierarchy::nearest_above;
use crate::scene::names::Names;
use crate::{Result, Warning};

impl Gltf {
    /// The motion of all joints in the clips of these names or numbers, or in all clips when there are none;
    /// each at `fps`, or at the rate of its keys. Returns what was left out too.
    pub fn joint_motion(&self, clips: &[String], fps: Option<f64>) -> Result<(Motion, Vec<Warning>)> {
        let all = ["all".to_string()];
        let wanted = if clips.is_empty() { &all[..] } else { clips };
        let Sampled { motion, clips, .. } = self.sampled(wanted, fps)?;
        let nodes = self.joint_nodes(motion.moved_nodes())?;
        let visits = self.root.nodes.len().saturating_mul(motion.frames);
        let limits = self.source.limits();
        if nodes.len().saturating_mul(motion.frames) > limits.transforms || visits > limits.node_visits {
            return Err(self.unsupported(format!(
                "{} frames of {} joints are more than Sinew samples at once; choose fewer clips or a lower \
                 frame rate",
                motion.frames,
                nodes.len()
            )));
        }
        let mut worlds = Vec::with_capacity(nodes.len() * motion.frames);
        for frame in 0..motion.frames {
            let all = self.worlds(&motion, frame);
            worlds.extend(nodes.iter().map(|&node| all[node]));
        }
        let bind = self.bind_pose(&nodes)?;
        let metres_per_unit = self.facts().metres_per_unit;
        let fps = clips[0].fps;
        let motion_of_joints =
            Motion { joints: self.source_joints(&nodes), bind, worlds, fps, clips, metres_per_unit };
        motion_of_joints.validate().map_err(|e| self.malformed(e.to_string()))?;
        let warnings = extensions::passed_over(&self.root).into_iter().chain(motion.warnings);
        Ok((motion_of_joints, warnings.collect()))
    }

    /// Nodes that are joints, parents first: in the order of the skins, where that is so.
    fn joint_nodes(&self, moved: Vec<usize>) -> Result<Vec<usize>> {
        let mut nodes: Vec<usize> = self.root.skins.iter().flat_map(|skin| skin.joints.clone()).collect();
        if nodes.is_empty() {
            nodes = moved;
        }
        let mut place = vec![None; self.root.nodes.len()];
        for (at, &node) in nodes.iter().enumerate() {
            match place.get_mut(node) {
                Some(place) => *place = place.or(Some(at)),
                None => return Err(self.malformed(format!("a skin has joint {node}, which does not exist"))),
            }
        }
        if nodes.is_empty() {
            return Err(
                self.unsupported("the file has no skin and no clip moves a node, so it has no motion")
            );
        }
        let above = nearest_above(&self.parents, &self.order, |node| place[node].is_some());
        let first = |node: &usize| above[*node].is_none_or(|parent| place[parent] < place[*node]);
        if !nodes.iter().all(first) {
            self.order.iter().enumerate().for_each(|(at, &node)| place[node] = place[node].and(Some(at)));
        }
        nodes.sort_by_key(|node| place[*node]);
        nodes.dedup();
        Ok(nodes)
    }

    fn source_joints(&self, nodes: &[usize]) -> Vec<SourceJoint> {
        let mut number = vec![None; self.root.nodes.len()];
        nodes.iter().enumerate().for_each(|(at, &node)| number[node] = Some(at));
        let above = nearest_above(&self.parents, &self.order, |node| number[node].is_some());
        let mut names = Names::default();
        let joint = |&node: &usize| SourceJoint {
            name: names.unique(self.node_name(node, "joint")),
            parent: above[node].and_then(|parent| number[parent]),
            tip: None,
        };
        nodes.iter().map(joint).collect()
    }

    fn bind_pose(&self, nodes: &[usize]) -> Result<Vec<DAffine3>> {
        let at_rest = self.worlds(&self.motion(None, 1, 1.0)?, 0);
        let mut bind = at_rest.clone();
        let mut bound = vec![false; bind.len()];
        let mut rank = vec![0; bind.len()];
        self.order.iter().enumerate().for_each(|(at, &node)| rank[node] = at);
        for (index, skin) in self.root.skins.iter().enumerate() {
            let Some(inverses) = self.inverse_binds(index, skin)? else { continue };
            let joints = || skin.joints.iter().copied().zip(&inverses);
            let Some((top, inverse)) = joints().min_by_key(|(joint, _)| rank[*joint]) else { continue };
            let to_scene = at_rest[top] * *inverse;
            for (joint, inverse) in joints() {
                let place = to_scene * inverse.inverse();
                if place.inverse().is_finite() && !std::mem::replace(&mut bound[joint], true) {
                    bind[joint] = place;
                }
            }
        }
        Ok(nodes.iter().map(|&node| bind[node]).collect())
    }

    /// The inverse bind matrices of a skin's joints, if it has any.
    pub(super) fn inverse_binds(&self, index: usize, skin: &Skin) -> Result<Option<Vec<DAffine3>>> {
        let Some(accessor) = skin.inverse_bind_matrices else { return Ok(None) };
        let data = self.floats(accessor, "MAT4")?.data;
        if data.len() < 16 * skin.joints.len() {
            return Err(self.malformed(format!("skin {index} has fewer inverse bind matrices than joints")));
        }
        let matrix = |m: &[f32]| affine(std::array::from_fn(|i| f64::from(m[i])));
        Ok(Some(data.chunks_exact(16).map(matrix).collect()))
    }
}
