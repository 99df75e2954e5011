//! Writing a rig: nodes, meshes, skins, shapes, clips.

use std::path::Path;

use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::animation::Clip;
use sinew::geometry::{CornerLayer, Part, corner_normals};
use sinew::rig::Rig;

use super::aside::{aside, axes, on_top, seen_from, stand};
use super::curves::{ClipWriter, length};
use super::deformers::{clusters, shapes, skin};
use super::document::{Document, Settings};
use super::geometry::Look;
use super::materials::materials;
use super::other_nodes_out::OtherNodes;
use super::skeleton::{BoneNodes, Nodes};
use crate::scene::WriteReport;
use crate::scene::joints::JointTree;
use crate::scene::morphs::Morphs;
use crate::scene::motion::{BoneMotion, bone_motions};
use crate::scene::names::Names;
use crate::scene::skinning::Influences;
use crate::scene::tree::{RestNodes, joint_motions, stray};
use crate::scene::written::{check, named_clips};
use crate::{Error, Result, Target, Warning, save_target};

/// How a rig is written.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteOptions {
    /// Name of the figure, and of a mesh without parts. The file's name when empty.
    pub name: String,
    /// Name of the clip of a rig that states no clips. The same as `name` when `None`.
    pub clip: Option<String>,
    /// Store the mesh's shading normals as they are, instead of those of the rig's rest pose. Right when
    /// the rest pose is the one the mesh was read with.
    pub keep_normals: bool,
    /// Metres to a unit of the rig. FBX files always say; one without.
    pub metres_per_unit: f64,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self { name: String::new(), clip: None, keep_normals: false, metres_per_unit: 1.0 }
    }
}

/// Writes a rig as a binary FBX file.
pub fn write(path: &Path, rig: &Rig, options: &WriteOptions) -> Result<WriteReport> {
    let (bytes, warnings) = save_target(path, |to| put(to, rig, options))?;
    Ok(WriteReport { bytes, warnings })
}

/// The same into any file.
pub(super) fn put(to: &mut Target, rig: &Rig, options: &WriteOptions) -> Result<Vec<Warning>> {
    let (bytes, warnings, joints) = build(to.path(), rig, options)?;
    to.write(|out| out.write_all(&bytes))?;
    to.note_joints(joints);
    Ok(warnings)
}

/// The bytes of a file and what could not be stored in it as it is.
pub fn to_bytes(rig: &Rig, options: &WriteOptions) -> Result<(Vec<u8>, Vec<Warning>)> {
    let name = if options.name.is_empty() { "rig" } else { &options.name };
    let (bytes, warnings, _) = build(&Path::new(name).with_extension("fbx"), rig, options)?;
    Ok((bytes, warnings))
}

/// Nodes of all bones and how they move.
struct Skeleton {
    bones: Vec<BoneNodes>,
    motions: Vec<BoneMotion>,
}

/// The file, what could not be stored in it as it is, and how many joints it has.
fn build(path: &Path, rig: &Rig, options: &WriteOptions) -> Result<(Vec<u8>, Vec<Warning>, usize)> {
    check(path, rig)?;
    if !(options.metres_per_unit > 0.0 && options.metres_per_unit.is_finite()) {
        let message = format!("a unit must be some metres long, not {}", options.metres_per_unit);
        return Err(Error::unsupported(path, message));
    }
    let stem = || path.file_stem().map_or("rig".into(), |s| s.to_string_lossy().into_owned());
    let name = if options.name.is_empty() { stem() } else { options.name.clone() };
    let clips = named_clips(rig, options.clip.as_ref().unwrap_or(&name));
    let mut warnings = Vec::new();
    let influences = Influences::new(path, rig, &mut warnings)?;
    let mut document = Document::default();
    let materials = materials(&mut document, &rig.mesh, &mut warnings);
    let normals = normals(rig, options.keep_normals);
    let morphs = Morphs::new(rig);
    let mut names = Names::default();
    let mut nodes = Nodes { document: &mut document, names: &mut names, bind_pose: Vec::new() };
    // Bones before meshes: who has clips for them knows them by their names.
    let skeleton = skeleton(path, rig, &name, &clips, &influences, &mut nodes, &mut warnings)?;
    let parts: Vec<(Part, i64)> = parts(rig, &name)
        .into_iter()
        .map(|part| {
            let model = nodes.node(&part.name, "Mesh", 0, DVec3::ZERO, DQuat::IDENTITY);
            nodes.bind_pose.push((model, DAffine3::IDENTITY));
            (part, model)
        })
        .collect();
    // All in the bind pose but meshes and the figure.
    let joints = nodes.bind_pose.len() - parts.len() - 1;
    let others = nodes.others(&rig.nodes, &skeleton.bones, options.metres_per_unit, &mut warnings);
    nodes.finish(&name);
    let look = Look { rig, normals: &normals, morphs: &morphs, materials: &materials };
    let mut channels = Vec::new();
    let mut kept = idle(&influences, rig.bones.len());
    for (part, model) in &parts {
        let geometry = look.write(&mut document, part, &part.name, *model);
        let weighted = clusters(&influences, part);
        skin(&mut document, &part.name, geometry.id, weighted, &skeleton.bones, &kept);
        kept.clear();
        channels.extend(shapes(&mut document, &part.name, &geometry, &morphs));
    }
    let fps = clips.first().map_or(rig.fps, |c| c.fps);
    for (number, clip) in clips.iter().enumerate() {
        write_clip(&mut document, (number, clip), fps, (&skeleton, &others), &morphs, &channels);
    }
    let settings = Settings {
        fps,
        ticks: clips.iter().map(length).max().unwrap_or(0),
        metres_per_unit: options.metres_per_unit,
        active: clips.first().map(|c| c.name.clone()).unwrap_or_default(),
    };
    Ok((document.finish(&settings), warnings, joints))
}

fn write_clip(
    document: &mut Document,
    (number, clip): (usize, &Clip),
    fps: f64,
    (skeleton, others): (&Skeleton, &OtherNodes),
    morphs: &Morphs,
    channels: &[(usize, i64)],
) {
    let mut writer = ClipWriter::new(document, clip, fps);
    for (bone, motion) in skeleton.bones.iter().zip(&skeleton.motions) {
        writer.bone(&motion.clips[number], bone.keyed(motion.stored(number)), motion.turn, bone);
    }
    for &(shape, channel) in channels.iter().filter(|c| morphs.moves(&[c.0])) {
        writer.shape(channel, &morphs.weights(&[shape], clip.frames.clone()));
    }
    others.clip(&mut writer, clip);
    if let (Some(bone), Some(motion)) = (skeleton.bones.first(), skeleton.motions.first()) {
        writer.finish(bone.outer, motion.center);
    }
}

fn skeleton(
    path: &Path,
    rig: &Rig,
    name: &str,
    clips: &[Clip],
    influences: &Influences,
    nodes: &mut Nodes,
    warnings: &mut Vec<Warning>,
) -> Result<Skeleton> {
    let tree = JointTree::new(rig).map_err(|message| Error::unsupported(path, message))?;
    let Some(tree) = tree else {
        let mut motions = bone_motions(rig, clips, influences, None);
        let top = stand(&on_top(&motions, &vec![None; motions.len()]));
        motions.iter_mut().for_each(|motion| seen_from(top, motion));
        return Ok(Skeleton { bones: nodes.flat(rig, name, top, &motions), motions });
    };
    let aside = aside(&tree);
    let mut rest = RestNodes::new(rig, &tree);
    let mut motions = joint_motions(rig, &tree, &rest, clips, influences, None);
    let leaves: Vec<bool> =
        motions.iter().zip(&aside).map(|(m, aside)| m.moved.translation || *aside).collect();
    let axes = axes(rig, &tree, &leaves);
    if axes != rig.bind_axes() {
        rest = RestNodes::with_axes(&tree, &axes);
        motions = joint_motions(rig, &tree, &rest, clips, influences, None);
    }
    let roots = on_top(&motions, &tree.hung.parents);
    let top = if roots.len() > 1 { stand(&roots) } else { DVec3::ZERO };
    let hung = motions.iter_mut().zip(&tree.hung.parents);
    hung.filter(|(_, parent)| parent.is_none()).for_each(|(motion, _)| seen_from(top, motion));
    warnings.extend(stray(rig, &tree));
    Ok(Skeleton { bones: nodes.tree((rig, name, top), &tree, &rest, &motions, &aside), motions })
}

/// The rig's parts that have vertices, or one of all of it.
fn parts(rig: &Rig, name: &str) -> Vec<Part> {
    let mesh = &rig.mesh;
    if mesh.parts.is_empty() {
        let (faces, vertices) = (0..mesh.face_count(), 0..mesh.vertex_count);
        return vec![Part { name: name.into(), faces, vertices }];
    }
    mesh.parts.iter().filter(|p| !p.vertices.is_empty()).cloned().collect()
}

/// Which bones move nothing at all.
fn idle(influences: &Influences, bones: usize) -> Vec<usize> {
    let mut idle = vec![true; bones];
    for (&joint, _) in influences.joints.iter().zip(&influences.weights).filter(|(_, w)| **w > 0.0) {
        idle[usize::from(joint)] = false;
    }
    (0..bones).filter(|bone| idle[*bone]).collect()
}

fn normals(rig: &Rig, keep: bool) -> CornerLayer<Vec3> {
    let kept = rig.mesh.normals.as_ref().filter(|_| keep).map(|layer| CornerLayer {
        values: layer.values.iter().map(|n| n.try_normalize().unwrap_or(Vec3::Z)).collect(),
        indices: layer.indices.clone(),
    });
    kept.unwrap_or_else(|| corner_normals(&rig.mesh, &rig.rest))
}
