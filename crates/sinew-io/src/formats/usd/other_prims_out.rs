//! Prims that show no mesh, out: Xforms, cameras, lights (see [`super::other_prims`]).
//!
//! A node on a bone stands in the world, where the bone carries it frame by frame, and says which bone it is. A stage has one
//! time line, that of the first clip.

use std::io::Result;

use glam::DAffine3;
use sinew::animation::Clip;
use sinew::nodes::{Camera, Lens, Light, LightShape, Node, NodeKind, NodeMotion, Parent, worlds};
use sinew::rig::Rig;

use super::mesh_out::write_name;
use super::other_prims::{BONE, CANDELA, LUX, PLACE, SUN_WATTS, WATTS};
use super::prose::{Identifiers, Item, Prose, quoted};
use crate::Warning;
use crate::scene::hung::ranged;
use crate::warning::Counted;

/// Millimetres of film from bottom to top, and width over height of cameras that do not say.
const FILM: f64 = 24.0;
const ASPECT: f64 = 1.5;
/// What cameras without an end show: so many times the nearest.
const FAR: f64 = 1e5;

/// All nodes of a rig.
pub(super) struct OtherPrims<'a> {
    rig: &'a Rig,
    clip: &'a Clip,
    meters: f64,
    /// Children of each node, and those of none.
    children: Vec<Vec<usize>>,
    tops: Vec<usize>,
}

impl<'a> OtherPrims<'a> {
    /// The nodes as they are in a clip, in units of so many metres.
    pub fn new(rig: &'a Rig, clip: &'a Clip, meters: f64) -> Self {
        let mut out =
            Self { rig, clip, meters, children: vec![Vec::new(); rig.nodes.len()], tops: Vec::new() };
        for (number, node) in rig.nodes.iter().enumerate() {
            match node.parent {
                Parent::Node(other) => out.children[other].push(number),
                Parent::Scene | Parent::Bone(_) => out.tops.push(number),
            }
        }
        out
    }

    /// Says what a stage cannot hold: how far lights reach, and what moves in clips that it does not play.
    pub fn warn(&self, warnings: &mut Vec<Warning>) {
        warnings.extend(ranged(&self.rig.nodes, "USD"));
        let moving = self.rig.nodes.iter().filter(|node| !node.motion.is_still()).count();
        if moving > 0 && self.rig.clips.len() > 1 {
            warnings.push(Warning::Count { count: moving, of: Counted::NodesInFirstClip });
        }
    }

    /// Writes all of them into the topmost prim, whose other children have these names.
    pub fn write(&self, prose: &mut Prose, taken: &mut Identifiers) -> Result<()> {
        self.tops.iter().try_for_each(|&number| self.prim(prose, number, taken))
    }

    fn prim(&self, prose: &mut Prose, number: usize, taken: &mut Identifiers) -> Result<()> {
        let node = &self.rig.nodes[number];
        let prim = taken.unique(&node.name);
        let (kind, facts): (&str, &[String]) = match &node.kind {
            NodeKind::Empty | NodeKind::Group => ("Xform", &[]),
            NodeKind::Camera(_) => ("Camera", &[]),
            NodeKind::Light(light) => match light.shape {
                LightShape::Sun => ("DistantLight", &[]),
                LightShape::Area { .. } => ("RectLight", &[]),
                LightShape::Point => ("SphereLight", &[]),
                LightShape::Spot { .. } => ("SphereLight", &["prepend apiSchemas = [\"ShapingAPI\"]".into()]),
            },
        };
        prose.prim(&format!("def {kind} {}", quoted(&prim)), facts, |prose| {
            write_name(prose, &prim, &node.name)?;
            match &node.kind {
                NodeKind::Camera(camera) => self.camera(prose, camera)?,
                NodeKind::Light(light) => write_light(prose, light)?,
                NodeKind::Empty | NodeKind::Group => {}
            }
            self.places(prose, number)?;
            let mut names = Identifiers::default();
            self.children[number].iter().try_for_each(|&child| self.prim(prose, child, &mut names))
        })
    }

    fn places(&self, prose: &mut Prose, number: usize) -> Result<()> {
        let node: &Node = &self.rig.nodes[number];
        let motion = match node.parent {
            Parent::Scene | Parent::Node(_) => node.motion.clone(),
            Parent::Bone(bone) => {
                prose.line(format!("custom string {BONE} = {}", quoted(&self.rig.bones[bone].name)))?;
                self.matrices(prose, &format!("custom matrix4d {PLACE}"), &node.motion)?;
                let world = |frame: usize| {
                    worlds(&self.rig.nodes[..=number], frame, self.rig.frame_transforms(frame))[number]
                };
                NodeMotion::of((0..self.rig.frame_count()).map(world).collect())
            }
        };
        self.matrices(prose, "matrix4d xformOp:transform", &motion)?;
        prose.line("uniform token[] xformOpOrder = [\"xformOp:transform\"]")
    }

    fn matrices(&self, prose: &mut Prose, head: &str, motion: &NodeMotion) -> Result<()> {
        let text = |place: &DAffine3| -> Result<String> {
            let mut text = Vec::new();
            place.write(&mut text)?;
            Ok(String::from_utf8_lossy(&text).into_owned())
        };
        match motion {
            NodeMotion::Still(place) => prose.line(format!("{head} = {}", text(place)?)),
            NodeMotion::Moving(places) => {
                prose.line(format!("{head}.timeSamples = {{"))?;
                for (frame, place) in places[self.clip.frames.clone()].iter().enumerate() {
                    prose.line(format!("    {frame}: {},", text(place)?))?;
                }
                prose.line("}")
            }
        }
    }

    fn camera(&self, prose: &mut Prose, camera: &Camera) -> Result<()> {
        // Lenses are stated in tenths of a unit.
        let tenths = |millimetres: f64| millimetres / (100.0 * self.meters);
        let aspect = camera.aspect.unwrap_or(ASPECT);
        let (height, focal, projection) = match camera.lens {
            Lens::Perspective(angle) => {
                (tenths(FILM), tenths(0.5 * FILM / (0.5 * angle).tan()), "perspective")
            }
            Lens::Orthographic(height) => (10.0 * height, tenths(50.0), "orthographic"),
        };
        let far = camera.far.unwrap_or(FAR * camera.near.max(1.0));
        prose.line(format!("float2 clippingRange = ({}, {})", camera.near as f32, far as f32))?;
        prose.line(format!("float focalLength = {}", focal as f32))?;
        prose.line(format!("float horizontalAperture = {}", (aspect * height) as f32))?;
        prose.line(format!("token projection = \"{projection}\""))?;
        prose.line(format!("float verticalAperture = {}", height as f32))
    }
}

fn write_light(prose: &mut Prose, light: &Light) -> Result<()> {
    let [r, g, b] = light.color;
    prose.line(format!("color3f inputs:color = ({r}, {g}, {b})"))?;
    let intensity = match light.shape {
        LightShape::Sun => light.intensity / (SUN_WATTS * LUX),
        _ => light.intensity / (WATTS * CANDELA),
    };
    prose.line(format!("float inputs:intensity = {}", intensity as f32))?;
    prose.line("bool inputs:normalize = 1")?;
    match light.shape {
        LightShape::Sun => Ok(()),
        LightShape::Area { width, height } => {
            prose.line(format!("float inputs:height = {}", height as f32))?;
            prose.line(format!("float inputs:width = {}", width as f32))
        }
        LightShape::Point | LightShape::Spot { .. } => {
            prose.line("float inputs:radius = 0")?;
            if let LightShape::Spot { inner, outer } = light.shape {
                let softness = if outer > 0.0 { 1.0 - inner / outer } else { 0.0 };
                prose.line(format!("float inputs:shaping:cone:angle = {}", outer.to_degrees() as f32))?;
                prose.line(format!("float inputs:shaping:cone:softness = {}", softness as f32))?;
            }
            prose.line("bool treatAsPoint = 1")
        }
    }
}
