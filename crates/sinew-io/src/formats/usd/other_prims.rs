//! Prims that show no mesh, in: Xforms, cameras, lights, and the name of the skeleton.
//!
//! Programs put a mesh, a camera or a light into an Xform of its own, which is the object: such a pair is one. An Xform
//! above other objects that hold meshes or joints is a group: what it does to them is in the motion of the bones; the
//! topmost prim of a stage is none. Joints are no prims, so that what hangs on one is placed in the world frame by
//! frame; files written by Sinew say which bone it is.

use glam::DAffine3;
use sinew::nodes::{Camera, Lens, Light, LightShape, Node, NodeKind, NodeMotion, Parent};
use sinew::rig::Rig;

use super::bind::Source;
use super::file::UsdFile;
use super::import::Scene;
use super::query::{Between, affine};
use crate::room::MOST_TRANSFORMS;
use crate::scene::hung::{FileNode, Tree};
use crate::warning::Counted;
use crate::{Error, Result, Warning};

/// The bone that a prim hangs on, and where in the rest pose.
pub(super) const BONE: &str = "sinew:bone";
pub(super) const PLACE: &str = "sinew:place";
/// What a skeleton without a name is called.
pub(super) const SKELETON: &str = "Skeleton";
/// Watts of a sphere or a rectangle of intensity one, and watts a square metre of a distant light of intensity one, as
/// Blender has them.
pub(super) const WATTS: f64 = std::f64::consts::PI;
pub(super) const SUN_WATTS: f64 = 4.0;
/// Candela of a watt to all sides, and lux of a watt on a square metre: 683 lumens a watt.
pub(super) const CANDELA: f64 = 683.0 / (4.0 * std::f64::consts::PI);
pub(super) const LUX: f64 = 683.0;
/// A lens is stated in tenths of a unit, and film is as wide where a file does not say.
const FILM: (f64, f64) = (20.955, 15.2908);
const FOCAL: f64 = 50.0;

/// Prims that are carried, with the one that says where they are.
struct Found {
    nodes: Vec<FileNode>,
    placed_by: Vec<usize>,
}

impl UsdFile {
    /// What shows no mesh, in all frames, of a rig made of `scene`.
    pub(super) fn other_prims(&self, scene: &mut Scene, rig: &Rig) -> Result<Vec<Node>> {
        let stage = &self.stage;
        let parents: Vec<Option<usize>> = stage.prims.iter().map(|p| p.parent).collect();
        let mut bones = vec![None; parents.len()];
        for (bone, source) in scene.bindings.sources.iter().enumerate().rev() {
            if let Source::Prim(Some(prim)) = source {
                bones[*prim] = Some(bone);
            }
        }
        let Found { nodes, placed_by } = self.find_others(scene)?;
        let frames: usize = scene.clips.iter().map(|c| c.times.len()).sum();
        let fits = nodes.len().saturating_mul(frames) <= MOST_TRANSFORMS;
        if !fits {
            scene.warnings.push(Warning::Count { count: nodes.len(), of: Counted::NodesStill });
        }
        let first = scene.clips[0].times[0];
        let mut worlds = Vec::new();
        for clip in &scene.clips {
            for &time in &clip.times {
                // Nothing but joints moves in further clips.
                let time = if fits && clip.animation.is_none() { time } else { first };
                for &prim in &placed_by {
                    worlds.push(self.upright() * stage.world(prim, time)?);
                }
            }
        }
        if let Some(at) = worlds.iter().position(|world| !world.is_finite()) {
            let path = &stage.prims[placed_by[at % placed_by.len()]].path;
            return Err(Error::malformed(self.path(), format!("prim {path} has no finite place")));
        }
        let bone_count = scene.bindings.sources.len();
        let tree = Tree { parents: &parents, bones: &bones, transforms: &rig.transforms, bone_count };
        let mut hung = tree.hang(nodes, &worlds);
        for (node, &prim) in hung.iter_mut().zip(&placed_by) {
            self.hang_on_bone(scene, rig, prim, node)?;
        }
        Ok(hung)
    }

    /// Lets a node hang on the bone that its prim names, if it does.
    fn hang_on_bone(&self, scene: &Scene, rig: &Rig, prim: usize, node: &mut Node) -> Result<()> {
        let Some(name) = self.stage.word(prim, BONE)? else { return Ok(()) };
        let Some(bone) = rig.bones.iter().position(|bone| bone.name == name) else { return Ok(()) };
        let mut places = Vec::new();
        for &time in scene.clips.iter().flat_map(|clip| &clip.times) {
            let numbers = self.stage.at(prim, PLACE, time, Between::Linear)?.filter(|m| m.len() == 16);
            let place = numbers.map(|m| self.upright() * affine(&m)).filter(DAffine3::is_finite);
            let Some(place) = place else { return Ok(()) };
            places.push(place);
        }
        (node.parent, node.motion) = (Parent::Bone(bone), NodeMotion::of(places));
        Ok(())
    }

    fn find_others(&self, scene: &Scene) -> Result<Found> {
        let stage = &self.stage;
        let of_type = |prim: usize| &stage.prims[prim].type_name[..];
        let all = stage.below(0);
        let mut holds = vec![false; stage.prims.len()];
        let bound = scene.bindings.skeletons.iter().map(|bound| bound.skeleton.prim);
        for prim in scene.surfaces.iter().map(|s| s.prim).chain(bound) {
            let above = std::iter::successors(Some(prim), |p| stage.prims[*p].parent);
            above.into_iter().for_each(|prim| holds[prim] = true);
        }
        let mut found = Found { nodes: Vec::new(), placed_by: Vec::new() };
        let mut in_object = vec![false; stage.prims.len()];
        for prim in all {
            let is_frame = matches!(of_type(prim), "Xform" | "SkelRoot");
            let children = || stage.prims[prim].children.iter().copied();
            let special = |p: usize| self.special(p);
            let (kind, placed_by) = if is_frame {
                let mut own = Vec::new();
                for child in children() {
                    own.extend(special(child)?.map(|kind| (child, kind)));
                }
                let is_object = children().any(|c| of_type(c) == "Mesh");
                let is_top = stage.prims[prim].parent == Some(0);
                match own.len() {
                    1 if !is_object && !holds[prim] => {
                        let (child, kind) = own.remove(0);
                        in_object[child] = true;
                        (kind, child)
                    }
                    _ if is_object => continue,
                    _ if holds[prim] && is_top => continue,
                    _ if holds[prim] => (NodeKind::Group, prim),
                    _ => (NodeKind::Empty, prim),
                }
            } else {
                match special(prim)?.filter(|_| !in_object[prim]) {
                    Some(kind) => (kind, prim),
                    None => continue,
                }
            };
            found.nodes.push(FileNode { node: prim, name: stage.name(prim), kind });
            found.placed_by.push(placed_by);
        }
        Ok(found)
    }

    /// A camera or a light.
    fn special(&self, prim: usize) -> Result<Option<NodeKind>> {
        Ok(match &self.stage.prims[prim].type_name[..] {
            "Camera" => Some(NodeKind::Camera(self.camera(prim)?)),
            "SphereLight" | "DistantLight" | "RectLight" | "DiskLight" => {
                Some(NodeKind::Light(self.light(prim)?))
            }
            _ => None,
        })
    }

    fn number(&self, prim: usize, names: &[&str], otherwise: f64) -> Result<f64> {
        for name in names {
            let value = self.stage.at(prim, name, 0.0, Between::Held)?.and_then(|v| v.first().copied());
            if let Some(value) = value.filter(|x| x.is_finite()) {
                return Ok(value);
            }
        }
        Ok(otherwise)
    }

    fn camera(&self, prim: usize) -> Result<Camera> {
        let (width, height) = (
            self.number(prim, &["horizontalAperture"], FILM.0)?,
            self.number(prim, &["verticalAperture"], FILM.1)?,
        );
        let focal = self.number(prim, &["focalLength"], FOCAL)?;
        let range = self.stage.at(prim, "clippingRange", 0.0, Between::Held)?.filter(|r| r.len() == 2);
        let range = range.unwrap_or_else(|| vec![1.0, 1e6]);
        let flat = self.stage.word(prim, "projection")?.as_deref() == Some("orthographic");
        let lens = if flat {
            Lens::Orthographic(height / 10.0)
        } else {
            Lens::Perspective(2.0 * (0.5 * height / focal).atan())
        };
        let aspect = Some(width / height).filter(|a| *a > 0.0 && a.is_finite());
        Ok(Camera { lens, aspect, near: range[0], far: Some(range[1]) })
    }

    fn light(&self, prim: usize) -> Result<Light> {
        let stage = &self.stage;
        let either = |name: &str| [format!("inputs:{name}"), name.to_owned()];
        let number = |name: &str, otherwise: f64| {
            let [with, without] = either(name);
            self.number(prim, &[&with, &without], otherwise)
        };
        let stated = number("intensity", 1.0)? * 2.0_f64.powf(number("exposure", 0.0)?);
        let normalized = number("normalize", 0.0)? != 0.0;
        let (shape, area) = match &stage.prims[prim].type_name[..] {
            "DistantLight" => (LightShape::Sun, 1.0),
            "RectLight" => {
                let (width, height) = (number("width", 1.0)?, number("height", 1.0)?);
                (LightShape::Area { width, height }, width * height)
            }
            "DiskLight" => {
                let radius = number("radius", 0.5)?;
                (
                    LightShape::Area { width: 2.0 * radius, height: 2.0 * radius },
                    std::f64::consts::PI * radius * radius,
                )
            }
            _ => {
                let radius = number("radius", 0.5)?;
                let cone = number("shaping:cone:angle", 90.0)?.to_radians();
                let softness = number("shaping:cone:softness", 0.0)?.clamp(0.0, 1.0);
                let shape = match stage.has(prim, "inputs:shaping:cone:angle")
                    && cone < std::f64::consts::FRAC_PI_2
                {
                    true => LightShape::Spot { inner: cone * (1.0 - softness), outer: cone },
                    false => LightShape::Point,
                };
                (shape, 4.0 * std::f64::consts::PI * radius * radius)
            }
        };
        let strength = if normalized || area == 0.0 { stated } else { stated * area };
        let intensity = match shape {
            LightShape::Sun => stated * SUN_WATTS * LUX,
            _ => strength * WATTS * CANDELA,
        };
        let [with, without] = either("color");
        let mut color = [1.0; 3];
        for name in [with, without] {
            if let Some(c) = stage.at(prim, &name, 0.0, Between::Held)?.filter(|c| c.len() == 3) {
                color = [c[0] as f32, c[1] as f32, c[2] as f32];
                break;
            }
        }
        Ok(Light { shape, color, intensity, range: None })
    }

    /// The name of the skeleton that meshes are bound to first, where it has one of its own.
    pub(super) fn armature_name(&self, scene: &Scene) -> String {
        let Some(bound) = scene.bindings.skeletons.first() else { return String::new() };
        let name = self.stage.name(bound.skeleton.prim);
        if bound.stated && name == SKELETON { String::new() } else { name }
    }
}
