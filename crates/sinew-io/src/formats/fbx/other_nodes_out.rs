//! Nodes that no vertex follows, out: nulls, cameras, lights (see [`super::other_nodes`]).

use glam::{DAffine3, DQuat, DVec3};
use sinew::animation::Clip;
use sinew::nodes::{Camera, Lens, Light, LightShape, Node, NodeKind, NodeMotion, Parent};

use super::curves::ClipWriter;
use super::document::{Document, Properties};
use super::other_nodes::{CANDELA, LUX, turn_of};
use super::skeleton::{BoneNodes, Nodes};
use crate::Warning;
use crate::containers::fbx_nodes;
use crate::scene::hung::{posed, posed_path, ranged, seen_from_joints, sheared};

/// Millimetres of an inch, and of the height of a film.
const INCH: f64 = 25.4;
const FILM: f64 = 24.0;
/// Width over height of the picture of cameras that do not say.
const ASPECT: f64 = 1.5;
/// What cameras without an end show: so many times the nearest.
const FAR: f64 = 1e5;

/// Nodes as they are written: places against the parents', and numbers.
pub(super) struct OtherNodes(Vec<(NodeMotion, i64)>);

impl Nodes<'_> {
    /// Writes all nodes of a rig, in units of so many metres.
    pub fn others(
        &mut self,
        nodes: &[Node],
        bones: &[BoneNodes],
        metres: f64,
        warnings: &mut Vec<Warning>,
    ) -> OtherNodes {
        let unbind: Vec<DAffine3> = bones.iter().map(|bone| bone.bind.inverse()).collect();
        let nodes = seen_from_joints(nodes, &unbind);
        warnings.extend(sheared(&nodes, "FBX"));
        warnings.extend(ranged(&nodes, "FBX"));
        warnings.extend(nodes.iter().filter_map(without_size));
        let mut out: Vec<(NodeMotion, i64)> = Vec::new();
        for node in &nodes {
            let (above, parent) = match node.parent {
                Parent::Scene => (DQuat::IDENTITY, 0),
                Parent::Bone(bone) => (DQuat::IDENTITY, bones[bone].joint),
                Parent::Node(other) => (turn_of(&nodes[other].kind), out[other].1),
            };
            // Cameras and lights stand in a way of their own, and so does what hangs on them.
            let (above, own) =
                (DAffine3::from_quat(above), DAffine3::from_quat(turn_of(&node.kind).inverse()));
            let turned = |place: &DAffine3| above * *place * own;
            let motion = match &node.motion {
                NodeMotion::Still(place) => NodeMotion::Still(turned(place)),
                NodeMotion::Moving(places) => NodeMotion::Moving(places.iter().map(turned).collect()),
            };
            let first = posed(&motion.at(0));
            let (id, name) = self.place(
                &node.name,
                kind_name(&node.kind),
                parent,
                (first.translation, first.rotation, first.scale),
            );
            self.attribute(&name, &node.kind, id, metres);
            out.push((motion, id));
        }
        OtherNodes(out)
    }

    fn attribute(&mut self, name: &str, kind: &NodeKind, node: i64, metres: f64) {
        let (label, flags, properties) = match kind {
            NodeKind::Empty | NodeKind::Group => ("Null", "Null", Properties::default().double("Size", 1.0)),
            NodeKind::Camera(camera) => ("Camera", "Camera", lens(camera, metres)),
            NodeKind::Light(light) => ("Light", "Light", shine(light)),
        };
        let id = self.document.id();
        let attribute = Document::object("NodeAttribute", id, name, "NodeAttribute", label)
            .child(fbx_nodes::Node::of("TypeFlags", flags))
            .child(properties.node());
        self.document.add("NodeAttribute", attribute);
        self.document.connect(id, node);
    }
}

/// Says that the size of an area is not kept.
fn without_size(node: &Node) -> Option<Warning> {
    let NodeKind::Light(Light { shape: LightShape::Area { width, height }, .. }) = node.kind else {
        return None;
    };
    Some(Warning::AreaUnsized { name: node.name.clone(), size: [width, height] })
}

fn kind_name(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Empty | NodeKind::Group => "Null",
        NodeKind::Camera(_) => "Camera",
        NodeKind::Light(_) => "Light",
    }
}

/// A lens as a film behind it and its focal length; what a flat picture shows as Blender states it, in metres whatever the
/// unit.
fn lens(camera: &Camera, metres: f64) -> Properties {
    let aspect = camera.aspect.unwrap_or(ASPECT);
    let focal = match camera.lens {
        Lens::Perspective(angle) => 0.5 * FILM / (0.5 * angle).tan(),
        Lens::Orthographic(_) => 0.5 * FILM,
    };
    let number = |p: Properties, name: &str, x: f64| p.driven(name, "Number", x);
    let mut p = Properties::default()
        .add("AspectRatioMode", "enum", "", [2.into()])
        .double("AspectWidth", 1000.0 * aspect)
        .double("AspectHeight", 1000.0)
        .double("FilmWidth", aspect * FILM / INCH)
        .double("FilmHeight", FILM / INCH)
        .double("FilmAspectRatio", aspect)
        .add("ApertureMode", "enum", "", [3.into()])
        .add("GateFit", "enum", "", [2.into()]);
    p = number(p, "FocalLength", focal);
    p = p
        .double("NearPlane", camera.near)
        .double("FarPlane", camera.far.unwrap_or(FAR * camera.near.max(1.0)));
    match camera.lens {
        Lens::Perspective(angle) => {
            p = number(p, "FieldOfView", angle.to_degrees());
            p.add("CameraProjectionType", "enum", "", [0.into()])
        }
        Lens::Orthographic(height) => p
            .add("CameraProjectionType", "enum", "", [1.into()])
            .double("OrthoZoom", metres * height * aspect.max(1.0)),
    }
}

fn shine(light: &Light) -> Properties {
    let kind = match light.shape {
        LightShape::Point => 0,
        LightShape::Sun => 1,
        LightShape::Spot { .. } => 2,
        LightShape::Area { .. } => 3,
    };
    let watts = light.intensity / if kind == 1 { LUX } else { CANDELA };
    let mut p = Properties::default()
        .add("LightType", "enum", "", [kind.into()])
        .add("CastLight", "bool", "", [1.into()])
        .colour("Color", light.color)
        .driven("Intensity", "Number", 100.0 * watts)
        .add("DecayType", "enum", "", [if kind == 1 { 0 } else { 2 }.into()]);
    if let LightShape::Spot { inner, outer } = light.shape {
        p = p.driven("InnerAngle", "Number", 2.0 * inner.to_degrees());
        p = p.driven("OuterAngle", "Number", 2.0 * outer.to_degrees());
    }
    p
}

impl OtherNodes {
    /// Writes how they move in a clip.
    pub fn clip(&self, writer: &mut ClipWriter, clip: &Clip) {
        for (motion, id) in &self.0 {
            let NodeMotion::Moving(places) = motion else { continue };
            let path = posed_path(places[clip.frames.clone()].iter().copied());
            let rest = posed(&motion.at(0)).rotation;
            let shifts: Vec<DVec3> = path.iter().map(|p| p.translation).collect();
            let turns: Vec<DQuat> = path.iter().map(|p| p.rotation).collect();
            let scales: Vec<DVec3> = path.iter().map(|p| p.scale).collect();
            writer.node(*id, (&shifts, &turns, &scales), rest);
        }
    }
}
