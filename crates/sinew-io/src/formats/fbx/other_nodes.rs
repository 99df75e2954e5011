//! Nodes that no vertex follows, in: joints without weights, nulls, cameras, lights, and the one that holds the joints.
//!
//! A joint without weights is a bone like others where it is in one tree with joints that have some, and moves rigidly;
//! elsewhere it is a null. A null above meshes or joints is a group: what it does to them is in the motion of the bones.
//! In files written by Sinew such nodes only carry bones.

use glam::{DAffine3, DQuat};
use sinew::nodes::{Camera, Lens, Light, LightShape, Node, NodeKind};

use super::GENERATOR;
use super::convert::affine;
use super::open::Fbx;
use crate::Warning;
use crate::room::MOST_TRANSFORMS;
use crate::scene::bones::RIGID_ROTATION;
use crate::scene::hierarchy::BoneSource;
use crate::scene::hung::{FileNode, Tree};
use crate::scene::turns::is_rotation;
use crate::warning::Counted;

/// Candela that a light of one watt has to all sides together, over those to one: 683 lumens over the sphere.
pub(super) const CANDELA: f64 = 683.0 / (4.0 * std::f64::consts::PI);
/// Lux of a watt on a square metre.
pub(super) const LUX: f64 = 683.0;

/// Nodes that are sampled along with the bones of the meshes.
pub(super) struct Others {
    /// Joints without weights.
    joints: Vec<Idle>,
    /// All else.
    nodes: Vec<FileNode>,
    armature: Option<usize>,
}

/// A joint without weights, and a bone near it.
struct Idle {
    source: BoneSource,
    near: Option<usize>,
}

/// For each node the nearest bone above it, or else one below it.
fn nearest_bones(parents: &[Option<usize>], order: &[usize], sources: &[BoneSource]) -> Vec<Option<usize>> {
    let mut own = vec![None; parents.len()];
    sources.iter().enumerate().rev().for_each(|(bone, source)| own[source.node] = Some(bone));
    let mut below = own.clone();
    for &node in order.iter().rev() {
        if let Some(parent) = parents[node] {
            below[parent] = below[parent].or(below[node]);
        }
    }
    let mut above = own;
    for &node in order {
        above[node] = above[node].or(parents[node].and_then(|parent| above[parent]));
    }
    above.into_iter().zip(below).map(|(above, below)| above.or(below)).collect()
}

/// How a camera stands in a file, seen from one that looks along −z: along x.
pub(super) fn camera_turn() -> DQuat {
    DQuat::from_rotation_y(-std::f64::consts::FRAC_PI_2)
}

/// How a light stands in a file, seen from one that shines along −z: along −y.
pub(super) fn light_turn() -> DQuat {
    DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2)
}

/// How a node of a kind stands in a file.
pub(super) fn turn_of(kind: &NodeKind) -> DQuat {
    match kind {
        NodeKind::Camera(_) => camera_turn(),
        NodeKind::Light(_) => light_turn(),
        NodeKind::Empty | NodeKind::Group => DQuat::IDENTITY,
    }
}

impl Fbx {
    pub(super) fn is_ours(&self) -> bool {
        self.scene.metadata.creator.starts_with(GENERATOR)
    }

    /// Nodes besides those of meshes and of the bones they follow.
    /// In more frames than Sinew keeps of them they are left out.
    pub(super) fn others(
        &self,
        sources: &[BoneSource],
        frames: usize,
        warnings: &mut Vec<Warning>,
    ) -> Others {
        let (parents, order) = self.node_order();
        let nodes = &self.scene.nodes;
        let mut is_bone = vec![false; parents.len()];
        sources.iter().for_each(|source| is_bone[source.node] = true);
        // Joints of skins, and what is above and below them.
        let is_joint = self.joint_nodes();
        let mut above = is_joint.clone();
        for &node in order.iter().rev() {
            if let Some(parent) = parents[node].filter(|_| above[node]) {
                above[parent] = true;
            }
        }
        let mut below = is_joint.clone();
        for &node in &order {
            below[node] |= parents[node].is_some_and(|parent| below[parent]);
        }
        let is_idle = |n: usize| {
            nodes[n].bone.is_some() && nodes[n].mesh.is_none() && !is_bone[n] && (above[n] || below[n])
        };
        let idle: Vec<usize> = match self.is_ours() {
            true => Vec::new(),
            false => order.iter().copied().filter(|n| is_idle(*n)).collect(),
        };
        let near = nearest_bones(&parents, &order, sources);
        let joints: Vec<Idle> = idle.iter().map(|&node| self.unbound(node, near[node], sources)).collect();
        idle.iter().for_each(|&node| is_bone[node] = true);
        let mut holds: Vec<bool> =
            (0..parents.len()).map(|n| is_bone[n] || nodes[n].mesh.is_some()).collect();
        for &node in order.iter().rev() {
            if let Some(parent) = parents[node].filter(|_| holds[node]) {
                holds[parent] = true;
            }
        }
        let armature = self.armature(&parents, &order, &is_bone);
        let kind = |n: usize| -> Option<NodeKind> {
            let node = &nodes[n];
            if node.is_root || is_bone[n] || node.mesh.is_some() || is_studio(node) {
                return None;
            }
            let special = camera(self, node).or_else(|| light(node));
            match special {
                Some(kind) => Some(kind),
                None if armature == Some(n) || (holds[n] && self.is_ours()) => None,
                None if holds[n] => Some(NodeKind::Group),
                None => Some(NodeKind::Empty),
            }
        };
        let found =
            order.iter().filter_map(|&n| Some(FileNode { node: n, name: self.node_name(n), kind: kind(n)? }));
        let mut others = Others { joints, nodes: found.collect(), armature };
        let count = others.joints.len() + others.nodes.len();
        if (sources.len() + count).saturating_mul(frames) > MOST_TRANSFORMS {
            warnings.push(Warning::Count { count, of: Counted::NodesLeftOut });
            (others.joints, others.nodes) = (Vec::new(), Vec::new());
        }
        others
    }

    /// A joint that nothing was bound to, at rest as it stands against a bound one near it.
    fn unbound(&self, node: usize, near: Option<usize>, sources: &[BoneSource]) -> Idle {
        let world = |n: usize| affine(&self.scene.nodes[n].node_to_world);
        let placed =
            near.map(|bone| world(node).inverse() * world(sources[bone].node) * sources[bone].inverse);
        let placed = placed.filter(|inverse| inverse.is_finite() && inverse.inverse().is_finite());
        let inverse = placed.unwrap_or_else(|| self.bind_place(node).inverse());
        Idle { source: BoneSource { node, inverse }, near }
    }

    /// The node that holds the joints: the one above the topmost, or above what carries it in files written by Sinew.
    fn armature(&self, parents: &[Option<usize>], order: &[usize], is_bone: &[bool]) -> Option<usize> {
        let nodes = &self.scene.nodes;
        let is_joint = self.joint_nodes();
        let top = order.iter().copied().find(|&n| is_joint[n])?;
        let above = std::iter::successors(parents[top], |n| parents[*n]);
        let is_plain = |n: &usize| !is_bone[*n] && !nodes[*n].is_root && nodes[*n].mesh.is_none();
        let mut above = above.into_iter().filter(is_plain);
        if self.is_ours() { above.last() } else { above.next() }
    }

    /// Names of all nodes that hold joints, of files that were not written by Sinew.
    pub(super) fn armatures(&self) -> Vec<String> {
        if self.is_ours() {
            return Vec::new();
        }
        let (parents, order) = self.node_order();
        let is_joint = self.joint_nodes();
        let mut found: Vec<usize> = Vec::new();
        for &joint in order.iter().filter(|n| is_joint[**n]) {
            let mut above = std::iter::successors(parents[joint], |n| parents[*n]);
            let holder = parents[joint].filter(|_| above.all(|n| !is_joint[n]));
            let holder = holder.filter(|n| !self.scene.nodes[*n].is_root && !found.contains(n));
            found.extend(holder);
        }
        found.into_iter().map(|node| self.scene.nodes[node].element.name.to_string()).collect()
    }

    /// What the armature is called, where that is not what Sinew calls one without a name.
    fn armature_name(&self, node: usize) -> String {
        let name = self.scene.nodes[node].element.name.to_string();
        let given = |pose: &ufbx::Ref<ufbx::Pose>| name == format!("{}_skeleton", pose.element.name.as_ref());
        if self.is_ours() && self.scene.poses.as_ref().iter().any(given) { String::new() } else { name }
    }

    /// Bones and nodes, given the transforms of all that [`Others::sources`] lists, frame after frame. Joints without
    /// weights become bones behind the others, unless they stretch.
    pub(super) fn hang(
        &self,
        mut others: Others,
        sources: &mut Vec<BoneSource>,
        carriers: &mut Vec<Option<usize>>,
        all: Vec<DAffine3>,
    ) -> (Vec<DAffine3>, Vec<Node>, String) {
        let own = sources.len();
        let count = own + others.joints.len() + others.nodes.len();
        let rigid = |column: usize| {
            all.iter().skip(column).step_by(count).all(|t| is_rotation(t.matrix3, RIGID_ROTATION))
        };
        let mut bones: Vec<usize> = (0..own).collect();
        let mut columns = Vec::new();
        let mut nodes = Vec::new();
        for (number, Idle { source: joint, near }) in
            std::mem::take(&mut others.joints).into_iter().enumerate()
        {
            let column = own + number;
            if rigid(column) {
                bones.push(column);
                carriers.push(near.and_then(|bone| carriers.get(bone).copied().flatten()));
                sources.push(joint);
                continue;
            }
            columns.push((column, joint.inverse.inverse()));
            nodes.push(FileNode {
                node: joint.node,
                name: self.node_name(joint.node),
                kind: NodeKind::Empty,
            });
        }
        let first = count - others.nodes.len();
        for (number, node) in others.nodes.into_iter().enumerate() {
            columns.push((first + number, DAffine3::from_quat(turn_of(&node.kind))));
            nodes.push(node);
        }
        let (parents, order) = self.node_order();
        let mut rank = vec![0; parents.len()];
        order.iter().enumerate().for_each(|(at, &node)| rank[node] = at);
        let mut sorted: Vec<_> = nodes.into_iter().zip(columns).collect();
        sorted.sort_by_key(|(node, _)| rank[node.node]);
        let (nodes, columns): (Vec<FileNode>, Vec<(usize, DAffine3)>) = sorted.into_iter().unzip();
        let frames = || all.chunks_exact(count.max(1));
        let worlds: Vec<DAffine3> =
            frames().flat_map(|f| columns.iter().map(|(c, turn)| f[*c] * *turn)).collect();
        let transforms: Vec<DAffine3> = frames().flat_map(|f| bones.iter().map(|c| f[*c])).collect();
        let mut bone_of = vec![None; parents.len()];
        sources.iter().enumerate().rev().for_each(|(bone, source)| bone_of[source.node] = Some(bone));
        let tree =
            Tree { parents: &parents, bones: &bone_of, transforms: &transforms, bone_count: sources.len() };
        let hung = tree.hang(nodes, &worlds);
        let armature = others.armature.map_or_else(String::new, |node| self.armature_name(node));
        (transforms, hung, armature)
    }
}

impl Others {
    /// What is to be sampled: the bones of meshes, then all that these are.
    pub fn sources(&self, sources: &[BoneSource]) -> Vec<BoneSource> {
        let copy = |s: &BoneSource| BoneSource { node: s.node, inverse: s.inverse };
        let plain = |n: &FileNode| BoneSource { node: n.node, inverse: DAffine3::IDENTITY };
        let joints = self.joints.iter().map(|joint| &joint.source);
        sources.iter().chain(joints).map(copy).chain(self.nodes.iter().map(plain)).collect()
    }

    /// Which carriers they have: those of the bones near them.
    pub fn carriers(&self, of_bone: &[Option<usize>]) -> Vec<Option<usize>> {
        let of_joint = |joint: &Idle| joint.near.and_then(|bone| of_bone.get(bone).copied().flatten());
        of_bone.iter().copied().chain(self.joints.iter().map(of_joint)).collect()
    }

    /// Nodes that are joints now.
    pub fn idle(&self) -> impl Iterator<Item = usize> + '_ {
        self.joints.iter().map(|joint| joint.source.node)
    }
}

/// Whether a node is a camera of the program and not of the scene, as old files have them.
fn is_studio(node: &ufbx::Node) -> bool {
    let name: &str = &node.element.name;
    name.starts_with("Producer ") || matches!(node.attrib_type, ufbx::ElementType::CameraSwitcher)
}

fn camera(fbx: &Fbx, node: &ufbx::Node) -> Option<NodeKind> {
    let camera = node.camera.as_ref()?;
    let about = &fbx.scene.metadata;
    let blender = matches!(about.exporter, ufbx::Exporter::BlenderBinary | ufbx::Exporter::BlenderAscii);
    let aspect = Some(camera.aspect_ratio).filter(|a| *a > 0.0 && a.is_finite());
    let lens = match camera.projection_mode {
        ufbx::ProjectionMode::Perspective => Lens::Perspective(camera.field_of_view_deg.y.to_radians()),
        // Blender states the longer side of what it shows, in metres whatever the unit.
        ufbx::ProjectionMode::Orthographic if blender || fbx.is_ours() => {
            let zoom = ufbx::find_prop(&camera.element.props, "OrthoZoom").map_or(1.0, |p| p.value_vec4.x);
            let metres = fbx.facts().metres_per_unit.unwrap_or(1.0);
            Lens::Orthographic(zoom / metres / aspect.unwrap_or(1.0).max(1.0))
        }
        ufbx::ProjectionMode::Orthographic => Lens::Orthographic(camera.orthographic_size.y),
    };
    Some(NodeKind::Camera(Camera { lens, aspect, near: camera.near_plane, far: Some(camera.far_plane) }))
}

fn light(node: &ufbx::Node) -> Option<NodeKind> {
    let light = node.light.as_ref()?;
    let (inner, outer) = (0.5 * light.inner_angle.to_radians(), 0.5 * light.outer_angle.to_radians());
    let shape = match light.type_ {
        ufbx::LightType::Directional => LightShape::Sun,
        ufbx::LightType::Spot => LightShape::Spot { inner: inner.min(outer), outer },
        ufbx::LightType::Area => LightShape::Area { width: 1.0, height: 1.0 },
        _ => LightShape::Point,
    };
    let watts = light.intensity;
    let intensity = if shape == LightShape::Sun { watts * LUX } else { watts * CANDELA };
    let color = [light.color.x as f32, light.color.y as f32, light.color.z as f32];
    Some(NodeKind::Light(Light { shape, color, intensity, range: None }))
}
