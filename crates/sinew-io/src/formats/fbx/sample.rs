//! The motion of a scene, frame by frame.

use std::collections::HashMap;

use glam::DAffine3;
use sinew::animation::Clip;

use super::convert::{affine, upright};
use super::open::Fbx;
use crate::Result;
use crate::scene::choice::choose;
use crate::scene::hierarchy::BoneSource;
use crate::scene::names::Names;
use crate::scene::{MOST_NODE_VISITS, MOST_TRANSFORMS};

/// Frames a clip may have.
const MOST_FRAMES: f64 = 1e6;

/// Frames of clips, one after another.
pub(super) struct Timeline {
    /// At least one; nameless where the file has no animation.
    pub clips: Vec<Clip>,
    /// Whether the file has any animation.
    pub animated: bool,
    /// Seconds of each frame.
    pub times: Vec<f64>,
    /// Animation stack of each clip.
    stacks: Vec<Option<usize>>,
}

/// What moves.
pub(super) struct Motion {
    /// Transform of every bone in every frame.
    pub transforms: Vec<DAffine3>,
    /// Weight of every wanted blend shape in every frame, shape after shape.
    pub weights: Vec<Vec<f64>>,
}

/// A shape of a blend channel: numbers of the channel and of the shape within it.
pub(super) type ShapeKey = (usize, usize);

impl Fbx {
    /// The frames of the clips that are asked for: the first when none is, one frame when the file has none.
    /// `cached` is the time range of point caches, for files without a clip.
    pub(super) fn timeline(
        &self,
        wanted: &[String],
        fps: Option<f64>,
        cached: Option<(f64, f64)>,
    ) -> Result<Timeline> {
        if let Some(fps) = fps.filter(|f| !(*f > 0.0 && f.is_finite())) {
            return Err(self.unsupported(format!("the frame rate must be a positive number, not {fps}")));
        }
        let stacks: Vec<_> = self.scene.anim_stacks.as_ref().iter().map(|s| self.clip_info(s)).collect();
        let names: Vec<&str> = stacks.iter().map(|s| s.name.as_str()).collect();
        let chosen = choose(&names, wanted).map_err(|sentence| self.unsupported(sentence))?;
        let mut out = Timeline { clips: Vec::new(), animated: true, times: Vec::new(), stacks: Vec::new() };
        if chosen.is_empty() {
            out.animated = cached.is_some();
            let (start, end) = cached.unwrap_or_default();
            self.add_clip(&mut out, None, String::new(), (start, end), fps.unwrap_or_else(|| self.fps()))?;
            return Ok(out);
        }
        let mut unique = Names::default();
        for stack in chosen {
            let info = &stacks[stack];
            let name = unique.unique(info.name.clone());
            let fps = fps.unwrap_or(info.fps);
            self.add_clip(&mut out, Some(stack), name, (info.start, info.end), fps)?;
        }
        Ok(out)
    }

    fn add_clip(
        &self,
        out: &mut Timeline,
        stack: Option<usize>,
        name: String,
        (start, end): (f64, f64),
        fps: f64,
    ) -> Result<()> {
        let length = (end - start).max(0.0);
        let last = (length * fps).round();
        if !start.is_finite() || out.times.len() as f64 + last >= MOST_FRAMES {
            return Err(self.unsupported(format!(
                "{length} seconds at {fps} frames a second are more than {MOST_FRAMES} frames"
            )));
        }
        let first = out.times.len();
        out.times.extend((0..=last as usize).map(|i| start + i as f64 / fps));
        out.clips.push(Clip { name, frames: first..out.times.len(), fps });
        out.stacks.push(stack);
        Ok(())
    }

    /// Plays all frames.
    pub(super) fn motion(
        &self,
        timeline: &Timeline,
        sources: &[BoneSource],
        shapes: &[ShapeKey],
    ) -> Result<Motion> {
        let frames = timeline.times.len();
        let visits = self.scene.elements.count.saturating_mul(frames);
        let numbers = sources.len().max(shapes.len()).saturating_mul(frames);
        if numbers > MOST_TRANSFORMS || visits > MOST_NODE_VISITS {
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
            let anim = match stack {
                Some(stack) => self.scene.anim_stacks[*stack].anim.as_ref(),
                None => self.scene.anim.as_ref(),
            };
            for frame in clip.frames.clone() {
                let scene = self.at(anim, timeline.times[frame])?;
                let world = |s: &BoneSource| upright * affine(&scene.nodes[s.node].node_to_world);
                out.transforms.extend(sources.iter().map(|s| world(s) * s.inverse));
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
