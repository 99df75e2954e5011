//! Joints that move without a mesh: what libraries of motion, such as Mixamo's, hand out.

use glam::DAffine3;
use sinew::motion::{Motion, SourceJoint};

use super::convert::{affine, upright};
use super::open::Fbx;
use super::sample::Carried;
use crate::Result;
use crate::scene::hierarchy::{BoneSource, nearest_above};
use crate::scene::names::Names;

impl Fbx {
    /// Whether the file has no mesh, and nodes that can be taken for joints.
    pub fn is_motion(&self) -> bool {
        self.instances().is_empty() && !self.joints_alone().is_empty()
    }

    /// The motion of all joints in the clips of these names or numbers, or in all clips when there are none; each at
    /// `fps`, or at its own rate. Joints are the nodes that the file calls bones, or else plain nodes that hold
    /// nothing. Their bind pose is the one that the file states, or else where they stand without animation.
    pub fn joint_motion(&self, clips: &[String], fps: Option<f64>) -> Result<Motion> {
        let all = ["all".to_string()];
        let timeline = self.timeline(if clips.is_empty() { &all } else { clips }, fps, None)?;
        let nodes = self.joints_alone();
        if nodes.is_empty() {
            return Err(self.unsupported("the file has neither a mesh nor joints"));
        }
        let source = |&node: &usize| BoneSource { node, inverse: DAffine3::IDENTITY };
        let sources: Vec<BoneSource> = nodes.iter().map(source).collect();
        let worlds = self.motion(&timeline, &sources, &Carried::default(), &[])?.transforms;
        let motion = Motion {
            joints: self.source_joints(&nodes),
            bind: nodes.iter().map(|&node| self.bind_place(node)).collect(),
            worlds,
            fps: timeline.clips[0].fps,
            clips: timeline.clips,
            metres_per_unit: self.facts().metres_per_unit,
        };
        motion.validate().map_err(|e| self.malformed(e.to_string()))?;
        Ok(motion)
    }

    /// Nodes that are joints, parents first.
    fn joints_alone(&self) -> Vec<usize> {
        let order = self.node_order().1;
        let of = |is: &dyn Fn(&ufbx::Node) -> bool| -> Vec<usize> {
            let fits = |n: &usize| !self.scene.nodes[*n].is_root && is(&self.scene.nodes[*n]);
            order.iter().copied().filter(fits).collect()
        };
        let bones = of(&|node| node.bone.is_some());
        if bones.is_empty() {
            of(&|node| matches!(node.attrib_type, ufbx::ElementType::Empty))
        } else {
            bones
        }
    }

    fn source_joints(&self, nodes: &[usize]) -> Vec<SourceJoint> {
        let (parents, order) = self.node_order();
        let mut number = vec![None; parents.len()];
        nodes.iter().enumerate().for_each(|(at, &node)| number[node] = Some(at));
        let above = nearest_above(&parents, &order, |node| number[node].is_some());
        let mut names = Names::default();
        let joint = |&node: &usize| SourceJoint {
            name: names.unique(self.node_name(node)),
            parent: above[node].and_then(|parent| number[parent]),
            tip: None,
        };
        nodes.iter().map(joint).collect()
    }

    /// Where a node is when nothing moves it.
    pub(super) fn bind_place(&self, node: usize) -> DAffine3 {
        let upright = DAffine3::from_mat3(upright(&self.scene.settings.axes));
        let node = &self.scene.nodes[node];
        upright * self.stated_place(node).unwrap_or_else(|| affine(&node.node_to_world))
    }

    /// Where the file says that a node was when meshes were bound, in its world.
    pub(super) fn stated_place(&self, node: &ufbx::Node) -> Option<DAffine3> {
        let pose = node.bind_pose.as_ref()?;
        let own = |p: &&ufbx::BonePose| p.bone_node.element.typed_id == node.element.typed_id;
        let stated = pose.bone_poses.as_ref().iter().find(own).map(|p| affine(&p.bone_to_world));
        stated.filter(|place| place.is_finite() && place.inverse().is_finite())
    }
}
