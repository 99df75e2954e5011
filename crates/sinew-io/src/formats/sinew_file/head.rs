//! Everything before the frames.

use std::io::Read;
use std::path::Path;

use glam::{DQuat, Vec3};
use sinew::geometry::{Attribute, Image, Material, Mesh};
use sinew::nodes::{self, Node};
use sinew::rig::{Bone, Corrections, Rig, ShapeName, Skeleton, SkinWeights};

use super::{Clip, Head, MAGIC, Motion, VERSION, cargo, kind, mesh, skin};
use crate::containers::fields::Cursor;
use crate::containers::records::{Kind, Next, Records, fill, skippable};
use crate::{Error, Result};

/// Players divide by it.
pub(super) fn check_fps(fps: f64) -> std::result::Result<(), String> {
    let positive = fps > 0.0 && fps.is_finite();
    if positive { Ok(()) } else { Err(format!("the frame rate must be a positive number, not {fps}")) }
}

pub(super) fn check_start(input: &mut impl Read, path: &Path) -> Result<()> {
    let mut start = [0; 12];
    let filled = fill(input, &mut start).map_err(Error::io(path))?;
    let (magic, version) = start.split_at(MAGIC.len());
    if magic[..filled.min(MAGIC.len())] != MAGIC[..filled.min(MAGIC.len())] {
        return Err(Error::malformed(path, "this is not a Sinew file: it does not start with its signature"));
    }
    if filled < start.len() {
        let (what, needed) = ("the signature and version".into(), start.len() as u64);
        return Err(Error::Truncated { path: path.into(), what, needed, available: filled as u64 });
    }
    let version = u32::from_le_bytes([version[0], version[1], version[2], version[3]]);
    if version != VERSION {
        let message =
            format!("this is version {version} of the Sinew format; this program reads version {VERSION}");
        return Err(Error::unsupported(path, message));
    }
    Ok(())
}

/// Parts of the head as they come.
#[derive(Default)]
struct Parts {
    mesh: Option<Mesh>,
    materials: Vec<Material>,
    images: Vec<Image>,
    rest: Option<Vec<Vec3>>,
    bones: Option<Vec<Bone>>,
    skeleton: Option<Skeleton>,
    weights: Option<SkinWeights>,
    corrections: Option<Corrections>,
    attributes: Vec<Attribute>,
    uv_sets: Vec<[u32; 3]>,
    nodes: Vec<Node>,
    armature: String,
    slides_on: Vec<Option<usize>>,
    axes: Vec<Option<DQuat>>,
    shape_names: Vec<ShapeName>,
    metres_per_unit: Option<f64>,
}

/// Kinds that readers may pass over, and this one does not.
const OPTIONAL: [Kind; 9] = [
    kind::SKELETON,
    kind::SLIDES,
    kind::AXES,
    kind::SHAPE_NAMES,
    kind::ATTRIBUTES,
    kind::UV_SETS,
    kind::NODES,
    kind::ARMATURE,
    kind::UNIT,
];

pub(super) fn read_head<R: Read>(records: &mut Records<R>, path: &Path) -> Result<Head> {
    let wanted = |kind: Kind| !skippable(kind) || OPTIONAL.contains(&kind);
    let known = |kind: Kind| wanted(kind).then_some(u64::MAX);
    let (mut parts, mut contents) = (Parts::default(), Vec::new());
    loop {
        let kind = match records.next(&mut contents, known).map_err(Error::io(path))? {
            Next::Record(kind) => kind,
            Next::End | Next::Cut(None) => {
                return Err(Error::malformed(path, "the file is cut short before its first frame"));
            }
            Next::Cut(Some(kind)) => {
                let message = format!("the file is cut short in {} before its first frame", name(kind));
                return Err(Error::malformed(path, message));
            }
            Next::Damaged(kind) => {
                let message = format!("{} is damaged: its checksum does not fit", name(kind));
                return Err(Error::malformed(path, message));
            }
        };
        if kind == kind::CLIP {
            let clip = skin::take_clip(&contents).ok_or_else(|| wrong(kind, path))?;
            return parts.finish(clip, path);
        }
        if wanted(kind) {
            parts.take(kind, &contents, path)?;
        }
    }
}

impl Parts {
    fn take(&mut self, kind: Kind, contents: &[u8], path: &Path) -> Result<()> {
        let taken = match kind {
            kind::MESH => mesh::take_mesh(contents).map(|mesh| self.mesh = Some(mesh)),
            kind::MATERIALS => mesh::take_materials(contents).map(|materials| self.materials = materials),
            kind::IMAGE => mesh::take_image(contents).map(|image| self.images.push(image)),
            kind::REST => skin::take_rest(contents).map(|rest| self.rest = Some(rest)),
            kind::BONES => skin::take_bones(contents).map(|bones| self.bones = Some(bones)),
            kind::SKELETON => skin::take_skeleton(contents).map(|skeleton| self.skeleton = Some(skeleton)),
            kind::SLIDES => skin::take_slides(contents).map(|slides| self.slides_on = slides),
            kind::AXES => skin::take_axes(contents).map(|axes| self.axes = axes),
            kind::SHAPE_NAMES => skin::take_names(contents).map(|names| self.shape_names = names),
            kind::ATTRIBUTES => cargo::take_attributes(contents).map(|found| self.attributes = found),
            kind::UV_SETS => cargo::take_uv_sets(contents).map(|sets| self.uv_sets = sets),
            kind::NODES => cargo::take_nodes(contents).map(|nodes| self.nodes = nodes),
            kind::ARMATURE => skin::take_name(contents).map(|name| self.armature = name),
            kind::WEIGHTS => skin::take_weights(contents).map(|weights| self.weights = Some(weights)),
            kind::CORRECTIONS => skin::take_corrections(contents).map(|c| self.corrections = Some(c)),
            kind::UNIT => take_unit(contents).map(|metres| self.metres_per_unit = Some(metres)),
            _ => return Err(unknown(kind, path)),
        };
        taken.ok_or_else(|| wrong(kind, path))
    }

    /// Puts the parts together and checks that they fit.
    fn finish(self, clip: Clip, path: &Path) -> Result<Head> {
        let missing = |kind| Error::malformed(path, format!("the file lacks {}", name(kind)));
        let mesh = self.mesh.ok_or_else(|| missing(kind::MESH))?;
        let mut mesh =
            Mesh { materials: self.materials, images: self.images, attributes: self.attributes, ..mesh };
        for [material, texture, set] in self.uv_sets {
            let material = mesh.materials.get_mut(material as usize);
            let texture = material.and_then(|m| m.textures.get_mut(texture as usize));
            texture.ok_or_else(|| wrong(kind::UV_SETS, path))?.uv_set = set as usize;
        }
        let rest = self.rest.ok_or_else(|| missing(kind::REST))?;
        let mut bones = self.bones.ok_or_else(|| missing(kind::BONES))?;
        let weights = self.weights.ok_or_else(|| missing(kind::WEIGHTS))?;
        let (mut skeleton, mut corrections, metres_per_unit) =
            (self.skeleton, self.corrections, self.metres_per_unit);
        bones.iter_mut().zip(self.axes).for_each(|(bone, axes)| bone.axes = axes);
        if let Some(skeleton) = &mut skeleton {
            skeleton.slides_on = self.slides_on;
        }
        if let Some(corrections) = &mut corrections {
            corrections.names = self.shape_names;
        }
        let (transforms, clips, fps) = (Vec::new(), Vec::new(), clip.fps);
        let rig = Rig {
            mesh,
            rest,
            weights,
            bones,
            transforms,
            skeleton,
            corrections,
            fps,
            clips,
            nodes: Vec::new(),
            armature: String::new(),
        };
        check(&rig, clip.motion).map_err(|message| Error::malformed(path, message))?;
        let Rig { mesh, rest, weights, bones, skeleton, corrections, .. } = rig;
        let (nodes, armature) = (self.nodes, self.armature);
        let holders = if clip.motion == Motion::FromRest { bones.len() } else { 0 };
        let moving = nodes.iter().find(|node| !node.motion.is_still());
        let frames = moving.map_or(0, |node| node.motion.places().len());
        let checked = nodes::validate(&nodes, holders, frames);
        checked.map_err(|e| Error::malformed(path, e.to_string()))?;
        Ok(Head { mesh, rest, weights, bones, skeleton, corrections, nodes, armature, clip, metres_per_unit })
    }
}

/// Metres that are some.
fn take_unit(contents: &[u8]) -> Option<f64> {
    let mut cursor = Cursor(contents);
    let metres = cursor.value::<f64>()?;
    (cursor.is_empty() && metres > 0.0 && metres.is_finite()).then_some(metres)
}

/// Everything that players rely on, of a rig without frames.
fn check(rig: &Rig, motion: Motion) -> std::result::Result<(), String> {
    let Rig { mesh, rest, weights, bones, skeleton, corrections, fps, .. } = rig;
    mesh.validate().map_err(|e| e.to_string())?;
    rig.validate().map_err(|e| e.to_string())?;
    if mesh.vertex_count == 0 {
        return Err("the mesh has no vertices".into());
    }
    if mesh.materials.iter().flat_map(|m| &m.textures).any(|t| t.image >= mesh.images.len()) {
        return Err("a material refers to an image that is not there".into());
    }
    check_fps(*fps)?;
    if motion == Motion::FromLast && corrections.is_some() {
        return Err("corrections do not go with bones that carry each pose to the next".into());
    }
    if motion == Motion::FromLast && skeleton.is_some() {
        return Err("a skeleton does not go with bones that carry each pose to the next".into());
    }
    let finite = rest.iter().all(|p| p.is_finite())
        && bones.iter().all(|b| b.center.is_finite())
        && weights.weights.iter().all(|w| w.is_finite())
        && mesh.attributes.iter().flat_map(|a| &a.values).all(|x| x.is_finite())
        && corrections.iter().all(|c| c.basis.iter().chain(&c.normals).all(|p| p.is_finite()));
    if finite { Ok(()) } else { Err("the rig holds numbers that are not finite".into()) }
}

/// A kind in words.
fn name(kind: Kind) -> String {
    match kind {
        kind::MESH => "the mesh".into(),
        kind::MATERIALS => "the list of materials".into(),
        kind::IMAGE => "an image".into(),
        kind::REST => "the rest pose".into(),
        kind::BONES => "the list of bones".into(),
        kind::SKELETON => "the skeleton".into(),
        kind::SLIDES => "the list of joints that slide".into(),
        kind::AXES => "the list of joints' axes".into(),
        kind::SHAPE_NAMES => "the list of shapes' names".into(),
        kind::ATTRIBUTES => "the list of attributes".into(),
        kind::UV_SETS => "the list of textures' UV sets".into(),
        kind::NODES => "the list of nodes".into(),
        kind::ARMATURE => "the armature's name".into(),
        kind::WEIGHTS | kind::SHORT_WEIGHTS => "the list of weights".into(),
        kind::CORRECTIONS => "the list of corrections".into(),
        kind::UNIT => "the unit".into(),
        kind::CLIP => "the head of the clip".into(),
        other => format!("a record of kind {}", other.escape_ascii()),
    }
}

pub(super) fn wrong(kind: Kind, path: &Path) -> Error {
    Error::malformed(path, format!("{} does not follow the format", name(kind)))
}

pub(super) fn unknown(kind: Kind, path: &Path) -> Error {
    let message = format!("{} cannot be skipped, and this program does not know it", name(kind));
    Error::unsupported(path, message)
}
