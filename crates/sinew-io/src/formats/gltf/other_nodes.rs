//! Nodes that are neither meshes nor joints, in: empties, cameras, lights, and the one that holds the skeleton.
//!
//! A node above meshes or joints is a group: what it does to them is in the motion of the bones. In files written by Sinew
//! such nodes only carry bones. Lights are those of `KHR_lights_punctual`, which knows none that shine from an area: files
//! written by Sinew state those in the extras of their node.

use std::collections::HashSet;

use glam::DAffine3;
use serde::{Deserialize, Serialize};
use sinew::nodes::{Camera, Lens, Light, LightShape, Node, NodeKind};

use super::read::Gltf;
use super::sample::Motion;
use super::schema::{self, LIGHTS};
use crate::room::MOST_TRANSFORMS;
use crate::scene::hierarchy::BoneSource;
use crate::scene::hung::{FileNode, Tree};
use crate::warning::Counted;
use crate::{Result, Warning};

/// What the extras of a node hold that is a light from an area.
pub(super) const AREA_LIGHT: &str = "areaLight";

#[derive(Deserialize, Serialize)]
pub(super) struct AreaLight {
    pub width: f64,
    pub height: f64,
    pub color: [f32; 3],
    pub intensity: f64,
}

#[derive(Deserialize)]
struct StatedLight {
    #[serde(rename = "type")]
    kind: String,
    color: Option<[f32; 3]>,
    intensity: Option<f64>,
    range: Option<f64>,
    spot: Option<StatedSpot>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StatedSpot {
    inner_cone_angle: Option<f64>,
    outer_cone_angle: Option<f64>,
}

impl Gltf {
    /// Nodes of the scene that move no vertex, and the name of the one that holds the joints, given the bones and their
    /// transforms.
    pub(super) fn other_nodes(
        &self,
        sources: &[BoneSource],
        transforms: &[DAffine3],
        motion: &Motion,
        warnings: &mut Vec<Warning>,
    ) -> Result<(Vec<Node>, String)> {
        let count = self.root.nodes.len();
        let mut bones = vec![None; count];
        for (bone, source) in sources.iter().enumerate().rev() {
            bones[source.node] = Some(bone);
        }
        let mut holds: Vec<bool> =
            (0..count).map(|n| bones[n].is_some() || self.root.nodes[n].mesh.is_some()).collect();
        for &node in self.order.iter().rev() {
            if let Some(parent) = self.parents[node].filter(|_| holds[node]) {
                holds[parent] = true;
            }
        }
        let armature = self.armature(&bones);
        let visible = self.visible_nodes()?;
        let mut found = Vec::new();
        for &node in self.order.iter().filter(|n| visible[**n]) {
            let light = || self.light_source(node).or_else(|| self.area_light(node));
            let special = self.camera(node).or_else(light);
            let is_plain = bones[node].is_none() && self.root.nodes[node].mesh.is_none();
            let kind = match special {
                Some(kind) => kind,
                None if !is_plain || armature == Some(node) || (holds[node] && self.is_ours()) => continue,
                None if holds[node] => NodeKind::Group,
                None => NodeKind::Empty,
            };
            found.push(FileNode { node, name: self.node_name(node, "node"), kind });
        }
        let mut frames = motion.frames;
        if found.len().saturating_mul(frames) > MOST_TRANSFORMS {
            warnings.push(Warning::Count { count: found.len(), of: Counted::NodesStill });
            frames = 1;
        }
        let mut worlds = Vec::with_capacity(found.len() * frames);
        for frame in 0..if found.is_empty() { 0 } else { frames } {
            let all = self.worlds(motion, frame);
            worlds.extend(found.iter().map(|f| all[f.node]));
        }
        if let Some(at) = worlds.iter().position(|world| !world.is_finite()) {
            let name = &found[at % found.len()].name;
            return Err(
                self.malformed(format!("node {name} has no finite place in frame {}", at / found.len()))
            );
        }
        let tree = Tree { parents: &self.parents, bones: &bones, transforms, bone_count: sources.len() };
        let nodes = tree.hang(found, &worlds);
        Ok((nodes, armature.map_or_else(String::new, |node| self.armature_name(node))))
    }

    /// The node that holds the joints: the one above the topmost, or above what carries it in files written by Sinew.
    fn armature(&self, bones: &[Option<usize>]) -> Option<usize> {
        let mut is_joint = vec![false; bones.len()];
        let joints = self.root.skins.iter().flat_map(|skin| &skin.joints);
        joints.filter(|joint| **joint < bones.len()).for_each(|&joint| is_joint[joint] = true);
        let top = self.order.iter().copied().find(|&node| is_joint[node] && bones[node].is_some())?;
        let above = std::iter::successors(self.parents[top], |n| self.parents[*n]);
        let is_plain = |n: &usize| !is_joint[*n] && self.root.nodes[*n].mesh.is_none();
        let mut above = above.into_iter().filter(is_plain);
        if self.is_ours() { above.last() } else { above.next() }
    }

    /// Names of all nodes that hold joints, of files that were not written by Sinew.
    pub(super) fn armatures(&self) -> Vec<String> {
        if self.is_ours() {
            return Vec::new();
        }
        let joints: HashSet<usize> =
            self.root.skins.iter().flat_map(|skin| skin.joints.iter().copied()).collect();
        let mut found: Vec<usize> = Vec::new();
        for &joint in self.order.iter().filter(|node| joints.contains(node)) {
            let mut above = std::iter::successors(self.parents[joint], |n| self.parents[*n]);
            let holder = self.parents[joint].filter(|_| above.all(|n| !joints.contains(&n)));
            found.extend(holder.filter(|holder| !found.contains(holder)));
        }
        found.into_iter().map(|node| self.node_name(node, "node")).collect()
    }

    /// What the armature is called, where that is not what Sinew calls one without a name.
    fn armature_name(&self, node: usize) -> String {
        let name = self.root.nodes[node].name.clone().unwrap_or_default();
        let given =
            |skin: &schema::Skin| skin.name.as_ref().is_some_and(|skin| name == format!("{skin}_skeleton"));
        if self.is_ours() && self.root.skins.iter().any(given) { String::new() } else { name }
    }

    fn camera(&self, node: usize) -> Option<NodeKind> {
        let stated = self.root.cameras.get(self.root.nodes[node].camera?)?;
        let camera = match (&stated.perspective, &stated.orthographic) {
            (Some(p), _) => Camera {
                lens: Lens::Perspective(p.yfov),
                aspect: p.aspect_ratio.filter(|a| *a > 0.0),
                near: p.znear,
                far: p.zfar,
            },
            (None, Some(o)) => Camera {
                lens: Lens::Orthographic(2.0 * o.ymag),
                aspect: Some(o.xmag / o.ymag).filter(|a| *a > 0.0 && a.is_finite()),
                near: o.znear,
                far: Some(o.zfar),
            },
            (None, None) => return None,
        };
        Some(NodeKind::Camera(camera))
    }

    fn area_light(&self, node: usize) -> Option<NodeKind> {
        let stated = self.root.nodes[node].extras.get(AREA_LIGHT)?;
        let AreaLight { width, height, color, intensity } = AreaLight::deserialize(stated).ok()?;
        let shape = LightShape::Area { width, height };
        Some(NodeKind::Light(Light { shape, color, intensity, range: None }))
    }

    fn light_source(&self, node: usize) -> Option<NodeKind> {
        let number = self.root.nodes[node].extensions.get(LIGHTS)?.get("light")?.as_u64()?;
        let stated = self.root.extensions.get(LIGHTS)?.get("lights")?.get(usize::try_from(number).ok()?)?;
        let stated = StatedLight::deserialize(stated).ok()?;
        let shape = match stated.kind.as_str() {
            "directional" => LightShape::Sun,
            "point" => LightShape::Point,
            "spot" => LightShape::Spot {
                inner: stated.spot.as_ref().and_then(|s| s.inner_cone_angle).unwrap_or(0.0),
                outer: stated
                    .spot
                    .as_ref()
                    .and_then(|s| s.outer_cone_angle)
                    .unwrap_or(std::f64::consts::FRAC_PI_4),
            },
            _ => return None,
        };
        Some(NodeKind::Light(Light {
            shape,
            color: stated.color.unwrap_or([1.0; 3]),
            intensity: stated.intensity.unwrap_or(1.0),
            range: stated.range,
        }))
    }
}
