//! Nodes that are neither meshes nor joints, out: empties, cameras, lights (see [`super::other_nodes`]).

use serde_json::{Map, Value, json};
use sinew::animation::Clip;
use sinew::nodes::{Camera, Lens, Light, LightShape, Node, NodeKind, NodeMotion, Parent};

use super::clip::ClipWriter;
use super::nodes::SkeletonNodes;
use super::other_nodes::{AREA_LIGHT, AreaLight};
use super::schema::LIGHTS;
use super::writer::Writer;
use crate::Warning;
use crate::scene::hung::{is_sheared, posed, posed_path, seen_from_joints, sheared};

/// What cameras without an end are given to show where a file needs one: so many times the nearest.
const FAR: f64 = 1e5;

/// Nodes as they are written.
#[derive(Default)]
pub(super) struct OtherNodes {
    /// The rig's nodes, seen from the joints they hang on, each with its number in the file.
    nodes: Vec<(Node, usize)>,
    cameras: Vec<Value>,
    lights: Vec<Value>,
}

impl Writer<'_> {
    /// Writes all nodes of the rig.
    pub(super) fn other_nodes(&mut self, skeleton: &SkeletonNodes) -> OtherNodes {
        let mut out = OtherNodes::default();
        let nodes = seen_from_joints(&self.rig.nodes, &skeleton.unbind);
        let moving: Vec<Node> = nodes.iter().filter(|node| !node.motion.is_still()).cloned().collect();
        self.warnings.extend(sheared(&moving, "the motion of glTF's nodes"));
        for node in nodes {
            let number = self.nodes.len();
            let mut written = json!({ "name": self.names.unique(node.name.clone()) });
            place(&node.motion, &mut written);
            self.look(&node.kind, &mut written, &mut out);
            self.nodes.push(written);
            let above = match node.parent {
                Parent::Scene => None,
                Parent::Bone(bone) => Some(skeleton.bones[bone].1),
                Parent::Node(other) => Some(out.nodes[other].1),
            };
            if let Some(above) = above {
                match self.nodes[above]["children"].as_array_mut() {
                    Some(children) => children.push(json!(number)),
                    None => self.nodes[above]["children"] = json!([number]),
                }
            }
            out.nodes.push((node, number));
        }
        out
    }

    fn look(&mut self, kind: &NodeKind, written: &mut Value, out: &mut OtherNodes) {
        match kind {
            NodeKind::Empty | NodeKind::Group => {}
            NodeKind::Camera(camera) => {
                written["camera"] = json!(out.cameras.len());
                out.cameras.push(json_of_camera(camera, &written["name"]));
            }
            NodeKind::Light(light) => match json_of_light(light, &written["name"]) {
                Some(light) => {
                    written["extensions"] = json!({ LIGHTS: { "light": out.lights.len() } });
                    out.lights.push(light);
                }
                None => {
                    if let LightShape::Area { width, height } = light.shape {
                        let (color, intensity) = (light.color, light.intensity);
                        let stated = AreaLight { width, height, color, intensity };
                        written["extras"] = json!({ AREA_LIGHT: stated });
                    }
                    let name = written["name"].as_str().unwrap_or_default();
                    self.warnings.push(Warning::AreaLight(name.into()));
                }
            },
        }
    }
}

impl OtherNodes {
    /// Numbers of those that hang on nothing.
    pub fn in_scene(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().filter(|(node, _)| node.parent == Parent::Scene).map(|(_, number)| *number)
    }

    /// Writes how they move in a clip.
    pub fn clip(&self, writer: &mut ClipWriter, clip: &Clip) {
        for (node, number) in &self.nodes {
            if let NodeMotion::Moving(places) = &node.motion {
                writer.node(&posed_path(places[clip.frames.clone()].iter().copied()), *number);
            }
        }
    }

    /// Adds the lists that are not empty to the file, and says which extension it needs for them.
    pub fn insert_into(self, root: &mut Map<String, Value>) -> Option<&'static str> {
        if !self.cameras.is_empty() {
            root.insert("cameras".into(), Value::Array(self.cameras));
        }
        if self.lights.is_empty() {
            return None;
        }
        let extensions = root.entry("extensions").or_insert_with(|| json!({}));
        extensions[LIGHTS] = json!({ "lights": self.lights });
        Some(LIGHTS)
    }
}

/// Where a node stands, of one that moves in the first frame.
fn place(motion: &NodeMotion, written: &mut Value) {
    let place = motion.at(0);
    if motion.is_still() && is_sheared(&place) {
        let columns = glam::DMat4::from(place).as_mat4().to_cols_array();
        written["matrix"] = json!(columns);
        return;
    }
    let posed = posed(&place);
    if posed.translation != glam::DVec3::ZERO {
        written["translation"] = json!(posed.translation.as_vec3().to_array());
    }
    if posed.rotation != glam::DQuat::IDENTITY {
        written["rotation"] = json!(posed.rotation.as_quat().to_array());
    }
    let scale = posed.scale.as_vec3();
    if scale != glam::Vec3::ONE {
        written["scale"] = json!(scale.to_array());
    }
}

fn json_of_camera(camera: &Camera, name: &Value) -> Value {
    match camera.lens {
        Lens::Perspective(angle) => {
            let mut lens = json!({ "yfov": angle, "znear": camera.near });
            if let Some(aspect) = camera.aspect {
                lens["aspectRatio"] = json!(aspect);
            }
            if let Some(far) = camera.far {
                lens["zfar"] = json!(far);
            }
            json!({ "name": name, "type": "perspective", "perspective": lens })
        }
        Lens::Orthographic(height) => {
            let half = 0.5 * height;
            let lens = json!({
                "xmag": half * camera.aspect.unwrap_or(1.0),
                "ymag": half,
                "znear": camera.near,
                "zfar": camera.far.unwrap_or(FAR * camera.near.max(1.0)),
            });
            json!({ "name": name, "type": "orthographic", "orthographic": lens })
        }
    }
}

/// A light, if glTF knows its kind.
fn json_of_light(light: &Light, name: &Value) -> Option<Value> {
    let kind = match light.shape {
        LightShape::Point => "point",
        LightShape::Sun => "directional",
        LightShape::Spot { .. } => "spot",
        LightShape::Area { .. } => return None,
    };
    let mut written =
        json!({ "name": name, "type": kind, "color": light.color, "intensity": light.intensity });
    if let LightShape::Spot { inner, outer } = light.shape {
        written["spot"] = json!({ "innerConeAngle": inner, "outerConeAngle": outer });
    }
    if let Some(range) = light.range.filter(|_| kind != "directional") {
        written["range"] = json!(range);
    }
    Some(written)
}
