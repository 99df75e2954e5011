//! Writing a rig: meshes (see [`super::meshes`]), skin, skeleton, clips.
//!
//! The bones are in one root node (see [`super::nodes`]); the mesh nodes stand beside it. Levels of detail are
//! nodes outside of the scene (see [`super::levels`]).

use std::path::Path;

use serde_json::{Map, Value, json};
use sinew::animation::Clip;
use sinew::lod::Level;
use sinew::rig::Rig;

use super::attributes_out::Keys;
use super::clip::ClipWriter;
use super::document::Document;
use super::materials::Materials;
use super::meshes::MeshLook;
use super::nodes::SkeletonNodes;
use super::options::WriteOptions;
use super::other_nodes_out::OtherNodes;
use super::packing::Packing;
use super::schema::LEVELS;
use super::writer::Writer;
use super::{GENERATOR, levels, light, order, packed};
use crate::scene::compact;
use crate::scene::joints::JointTree;
use crate::scene::layout::Piece;
use crate::scene::morphs::Morphs;
use crate::scene::motion::{BoneMotion, bone_motions};
use crate::scene::names::Names;
use crate::scene::skinning::{Influences, WeightFormat};
use crate::scene::tree::{RestNodes, joint_motions, stray};
use crate::scene::within::within;
use crate::scene::written::{check, named_clips};
use crate::{Error, Result, Warning};

/// A file.
pub(super) struct Built {
    pub bytes: Vec<u8>,
    pub warnings: Vec<Warning>,
    /// Nodes of the bones.
    pub joints: usize,
    /// The rig's vertex behind each stored vertex.
    pub sources: Vec<u32>,
}

pub(super) fn build(
    path: &Path,
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
    packing: Option<&Packing>,
) -> Result<Built> {
    check(path, rig)?;
    levels::check(path, rig, levels)?;
    let mut warnings = Vec::new();
    let rig = &*within(rig, &mut warnings);
    let light = options.light.as_ref();
    if light.is_some_and(|l| (l.vertices, l.frame_count()) != (rig.rest.len(), rig.frame_count())) {
        return Err(Error::unsupported(path, "the light is that of other vertices or frames"));
    }
    let stem = || path.file_stem().map_or("rig".into(), |s| s.to_string_lossy().into_owned());
    let name = if options.name.is_empty() { stem() } else { options.name.clone() };
    let clips = named_clips(rig, options.clip.as_ref().unwrap_or(&name));
    let mut names = Names::default();
    let bone_names = rig.bones.iter().map(|bone| names.unique(bone.name.clone())).collect();
    let mut writer = Writer {
        rig,
        name,
        document: Document::new(packing.is_some()),
        packing: packing.copied(),
        nodes: Vec::new(),
        names,
        bone_names,
        warnings,
    };
    let influences = Influences::new(path, rig, &mut writer.warnings)?;
    let format = match (packing, options.compact) {
        (Some(packing), _) => packing.weights,
        (None, Some(bound)) => compact::weight_format(rig, &influences, bound),
        (None, None) => WeightFormat::F32,
    };
    let mut pieces = writer.pieces(levels, options.keep_normals);
    if packing.is_some() {
        pieces.iter_mut().flat_map(|piece| &mut piece.primitives).for_each(order::for_packing);
    }
    let materials = Materials::write(&rig.mesh, &pieces, &mut writer.document, &mut writer.warnings);
    let morphs = Morphs::new(rig);
    let keys = Keys::new(&rig.mesh, light.is_some());
    writer.warnings.extend(keys.warning(&rig.mesh));
    let look = MeshLook {
        materials: &materials,
        influences: &influences.rounded(format),
        format,
        morphs: &morphs,
        light,
        keys: &keys,
    };
    let mut meshes = writer.meshes(&pieces, &look);
    let coarser = writer.levels(&mut meshes, &pieces, levels);
    let tree = JointTree::new(rig).map_err(|message| Error::unsupported(path, message))?;
    let (bones, skin) = match tree {
        None => {
            let bones = bone_motions(rig, &clips, &influences, options.compact);
            let skin = writer.flat(&bones);
            (bones, skin)
        }
        Some(tree) => {
            let rest = RestNodes::new(rig, &tree);
            let bones = joint_motions(rig, &tree, &rest, &clips, &influences, options.compact);
            writer.warnings.extend(stray(rig, &tree));
            let skin = writer.tree(&tree, &rest, &bones);
            (bones, skin)
        }
    };
    let others = writer.other_nodes(&skin);
    let nodes = (0..pieces.len()).chain(coarser).zip(pieces.iter().cycle());
    let drawn: Vec<(usize, &Piece)> =
        nodes.filter(|(node, _)| writer.nodes[*node].get("mesh").is_some()).collect();
    let animations = writer.clips(&clips, &drawn, &morphs, &bones, &skin, &others);
    let of_materials = materials.extension();
    let mut root = writer.root(meshes, materials, &skin, animations, pieces.len(), &others);
    let used = [(!levels.is_empty()).then_some(LEVELS), light.map(|_| light::EXTENSION), of_materials];
    let mut used: Vec<&str> = used.into_iter().flatten().collect();
    used.extend(others.insert_into(&mut root));
    if packing.is_some() {
        let needed = ["KHR_mesh_quantization", packed::EXTENSIONS[0]];
        used.extend(needed);
        root.insert("extensionsRequired".into(), json!(needed));
    }
    if !used.is_empty() {
        root.insert("extensionsUsed".into(), json!(used));
    }
    if let Some(light) = light {
        let extensions = root.entry("extensions").or_insert_with(|| json!({}));
        extensions[light::EXTENSION] = writer.light_extension(light, &clips);
    }
    let warnings = std::mem::take(&mut writer.warnings);
    let sources = pieces.iter().flat_map(|p| &p.primitives).flat_map(|p| p.sources.iter().copied()).collect();
    let joints = skin.bones.iter().map(|(outer, inner)| 1 + usize::from(outer != inner)).sum();
    Ok(Built { bytes: writer.document.finish(root, path)?, warnings, joints, sources })
}

impl Writer<'_> {
    fn clips(
        &mut self,
        clips: &[Clip],
        drawn: &[(usize, &Piece)],
        morphs: &Morphs,
        bones: &[BoneMotion],
        skeleton: &SkeletonNodes,
        others: &OtherNodes,
    ) -> Vec<Value> {
        let mut written = Vec::new();
        for (index, clip) in clips.iter().enumerate() {
            let mut writer = ClipWriter::new(&mut self.document, clip, self.packing);
            for (bone, &(outer, inner)) in bones.iter().zip(&skeleton.bones) {
                writer.bone(&bone.clips[index], bone.stored(index), outer, inner);
            }
            for &(node, piece) in drawn {
                writer.morphs(morphs, &morphs.active(piece), node);
            }
            others.clip(&mut writer, clip);
            let alone = clips.len() == 1;
            written.extend(writer.finish(&clip.name, skeleton.bones[0].0, bones[0].center, alone));
        }
        written
    }

    fn root(
        &mut self,
        meshes: Vec<Value>,
        materials: Materials,
        skeleton: &SkeletonNodes,
        clips: Vec<Value>,
        mesh_nodes: usize,
        others: &OtherNodes,
    ) -> Map<String, Value> {
        let joints: Vec<usize> = skeleton.bones.iter().map(|b| b.1).collect();
        let mut root = Map::new();
        let generator = format!("{GENERATOR} {}", env!("CARGO_PKG_VERSION"));
        let mut asset = json!({ "version": "2.0", "generator": generator });
        if let Some(packing) = self.packing {
            asset["extras"] = packing.extras();
        }
        root.insert("asset".into(), asset);
        root.insert("scene".into(), json!(0));
        let scene_nodes: Vec<usize> =
            (0..mesh_nodes).chain([skeleton.root]).chain(others.in_scene()).collect();
        root.insert("scenes".into(), json!([{ "name": self.name, "nodes": scene_nodes }]));
        root.insert("nodes".into(), Value::Array(std::mem::take(&mut self.nodes)));
        root.insert("meshes".into(), Value::Array(meshes));
        root.insert(
            "skins".into(),
            json!([{
                "name": self.name,
                "skeleton": skeleton.top,
                "joints": joints,
                "inverseBindMatrices": skeleton.inverse_bind_matrices,
            }]),
        );
        if !clips.is_empty() {
            root.insert("animations".into(), json!(clips));
        }
        materials.insert_into(&mut root);
        root
    }
}
