//! The motion of a scene, frame by frame.

use std::collections::HashMap;

use glam::DAffine3;

use super::carry::Carrier;
use super::convert::{affine, upright};
use super::open::Fbx;
use super::timeline::Timeline;
use crate::Result;
use crate::scene::hierarchy::BoneSource;

/// What moves.
pub(super) struct Motion {
    /// Transform of every bone in every frame.
    pub transforms: Vec<DAffine3>,
    /// Weight of every wanted blend shape in every frame, shape after shape.
    pub weights: Vec<Vec<f64>>,
}

/// Bones that are moved on by what carries their mesh.
#[derive(Default)]
pub(super) struct Carried {
    pub carriers: Vec<Carrier>,
    /// Which of these each bone has. Bones beyond the end have none.
    pub of_bone: Vec<Option<usize>>,
}

/// A shape of a blend channel: numbers of the channel and of the shape within it.
pub(super) type ShapeKey = (usize, usize);

impl Fbx {
    /// Plays all frames.
    pub(super) fn motion(
        &self,
        timeline: &Timeline,
        sources: &[BoneSource],
        carried: &Carried,
        shapes: &[ShapeKey],
    ) -> Result<Motion> {
        let frames = timeline.times.len();
        let visits = self.scene.elements.count.saturating_mul(frames);
        let numbers = sources.len().max(shapes.len()).saturating_mul(frames);
        if numbers > self.source.limits().transforms || visits > self.source.limits().node_visits {
            return Err(self.unsupported(format!(
                "{frames} frames of {} bones are more than Sinew samples from one file; choose fewer clips \
                 or a lower frame rate",
                sources.len()
            )));
        }
        let upright = DAffine3::from_mat3(upright(&self.scene.settings.axes));
        let mut out = Motion {
            transforms: Vec::with_capacity(sources.len() * frames),
            weights: vec![Vec::with_capacity(frames); shapes.len()],
        };
        for (clip, stack) in timeline.clips.iter().zip(&timeline.stacks) {
            let playing = self.playing(*stack)?;
            for frame in clip.frames.clone() {
                let scene = self.at(playing.anim(), timeline.times[frame])?;
                let carries: Vec<DAffine3> =
                    carried.carriers.iter().map(|c| upright * c.at(&scene)).collect();
                let transform = |(bone, s): (usize, &BoneSource)| {
                    let carry = carried.of_bone.get(bone).copied().flatten().map_or(upright, |c| carries[c]);
                    carry * affine(&scene.nodes[s.node].node_to_world) * s.inverse
                };
                out.transforms.extend(sources.iter().enumerate().map(transform));
                let of_frame = &out.transforms[frame * sources.len()..];
                if let Some(bone) = of_frame.iter().position(|t| !t.is_finite()) {
                    let name = self.node_name(sources[bone].node);
                    return Err(self.malformed(format!("{name} has no finite transform in frame {frame}")));
                }
                for (weights, &(channel, key)) in out.weights.iter_mut().zip(shapes) {
                    weights.push(scene.blend_channels[channel].keyframes[key].effective_weight);
                }
            }
        }
        Ok(out)
    }

    /// A node's name, or one that says what it is.
    pub(super) fn node_name(&self, node: usize) -> String {
        let name = self.scene.nodes[node].element.name.to_string();
        if name.is_empty() { format!("joint_{node}") } else { name }
    }

    /// Nodes that joints of skins are.
    pub(super) fn joint_nodes(&self) -> Vec<bool> {
        let mut is_joint = vec![false; self.scene.nodes.count];
        for cluster in &self.scene.skin_clusters {
            if let Some(node) = &cluster.bone_node {
                is_joint[node.element.typed_id as usize] = true;
            }
        }
        is_joint
    }

    /// Parents of all nodes, and all nodes with parents first.
    pub(super) fn node_order(&self) -> (Vec<Option<usize>>, Vec<usize>) {
        let nodes = &self.scene.nodes;
        let parent = |n: &ufbx::Node| n.parent.as_ref().map(|p| p.element.typed_id as usize);
        let parents = nodes.as_ref().iter().map(|n| parent(n)).collect();
        let mut order: Vec<usize> = (0..nodes.count).collect();
        order.sort_by_key(|&n| nodes[n].node_depth);
        (parents, order)
    }
}

/// Numbers keys, each once.
#[derive(Default)]
pub(super) struct Numbered {
    pub keys: Vec<ShapeKey>,
    numbers: HashMap<ShapeKey, usize>,
}

impl Numbered {
    pub fn number(&mut self, key: ShapeKey) -> usize {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() - 1
        })
    }
}
