//! Writing a rig: meshes (see [`super::meshes`]), skin, skeleton, clips.
//!
//! The bones are in one root node (see [`super::nodes`]); the mesh nodes stand beside it. Levels of detail are
//! nodes outside of the scene (see [`super::levels`]).

use std::path::Path;

use glam::{DAffine3, DMat4};
use serde_json::{Map, Value, json};
use sinew::animation::Clip;
use sinew::geometry::Similarity;
use sinew::light::Light;
use sinew::lod::Level;
use sinew::rig::Rig;

use super::clip::ClipWriter;
use super::document::Document;
use super::materials::Materials;
use super::meshes::MeshLook;
use super::nodes::SkeletonNodes;
use super::pack::{Packing, pack};
use super::{GENERATOR, METRES_PER_UNIT, levels, light, order, packed};
use crate::scene::joints::JointTree;
use crate::scene::layout::Piece;
use crate::scene::morphs::Morphs;
use crate::scene::motion::{BoneMotion, bone_motions};
use crate::scene::names::Names;
use crate::scene::skinning::{Influences, WeightFormat};
use crate::scene::tree::{RestNodes, joint_motions, strays_in_words};
use crate::scene::written::{WriteReport, check, named_clips};
use crate::scene::{DEFAULT_COMPACT_ERROR, compact};
use crate::{Error, Result, save};

/// How a rig is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteOptions {
    /// Name of the scene and the skin, and of a mesh without parts. The file's name when empty.
    pub name: String,
    /// Name of the clip, by which engines look it up, of a rig that states no clips. The same as `name`
    /// when `None`.
    pub clip: Option<String>,
    /// Store the mesh's shading normals as they are, instead of those of the rig's rest pose. Right when
    /// the rest pose is the one the mesh was read with.
    pub keep_normals: bool,
    /// Store less, with no vertex of any frame off by more than this fraction of the rest pose's diagonal;
    /// [`crate::scene::DEFAULT_COMPACT_ERROR`] is a good value. Exact to single precision when `None`.
    pub compact: Option<f64>,
    /// Store numbers of few bits, packed: for readers that know `EXT_meshopt_compression`, and as exact as
    /// `compact` says, or [`crate::scene::DEFAULT_COMPACT_ERROR`] without. Vertices are stored in another order.
    pub pack: bool,
    /// Light over the vertices in all frames, for readers that know `SINEW_light`; others show none.
    pub light: Option<Light>,
    /// How many metres a unit of the rig is, where that is known. Those of files are metres, and what is written is
    /// brought to them; without, numbers stay as they are.
    pub metres_per_unit: Option<f64>,
}

/// Writes a rig as a GLB file.
pub fn write(path: &Path, rig: &Rig, options: &WriteOptions) -> Result<WriteReport> {
    let (bytes, warnings) = bytes_of(path, rig, &[], options)?;
    let bytes = save(path, |out| out.write_all(&bytes))?;
    Ok(WriteReport { bytes, warnings })
}

/// The bytes of a GLB file and what could not be stored in it as it is.
pub fn to_bytes(rig: &Rig, options: &WriteOptions) -> Result<(Vec<u8>, Vec<String>)> {
    to_bytes_with_levels(rig, &[], options)
}

/// The same with levels of detail, the finest first, for readers that know `MSFT_lod`. Others show the rig as it
/// is. Each mesh node names nodes of its levels, which are in no scene and share its vertices, skin and clips: a
/// level costs its triangles and nothing else.
pub fn to_bytes_with_levels(
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<String>)> {
    let name = if options.name.is_empty() { "rig" } else { &options.name };
    bytes_of(&Path::new(name).with_extension("glb"), rig, levels, options)
}

fn bytes_of(
    path: &Path,
    rig: &Rig,
    levels: &[Level],
    options: &WriteOptions,
) -> Result<(Vec<u8>, Vec<String>)> {
    let metres = options.metres_per_unit.unwrap_or(METRES_PER_UNIT);
    if !(metres > 0.0 && metres.is_finite()) {
        return Err(Error::unsupported(path, format!("a unit must be some metres long, not {metres}")));
    }
    if metres != METRES_PER_UNIT {
        let mut in_metres = rig.clone();
        in_metres.change(&Similarity::scaling(metres / METRES_PER_UNIT));
        let options = WriteOptions { metres_per_unit: None, ..options.clone() };
        return bytes_of(path, &in_metres, levels, &options);
    }
    if options.pack {
        return pack(path, rig, levels, options, options.compact.unwrap_or(DEFAULT_COMPACT_ERROR));
    }
    let built = build(path, rig, levels, options, None)?;
    Ok((built.bytes, built.warnings))
}

/// A file.
pub(super) struct Built {
    pub bytes: Vec<u8>,
    pub warnings: Vec<String>,
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
    let light = options.light.as_ref();
    if light.is_some_and(|l| (l.vertices, l.frame_count()) != (rig.rest.len(), rig.frame_count())) {
        return Err(Error::unsupported(path, "the light is that of other vertices or frames"));
    }
    let stem = || path.file_stem().map_or("rig".into(), |s| s.to_string_lossy().into_owned());
    let name = if options.name.is_empty() { stem() } else { options.name.clone() };
    let clips = named_clips(rig, options.clip.as_ref().unwrap_or(&name));
    let mut writer = Writer {
        rig,
        name,
        document: Document::new(packing.is_some()),
        packing: packing.copied(),
        nodes: Vec::new(),
        names: Names::default(),
        warnings: Vec::new(),
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
    let look = MeshLook {
        materials: &materials,
        influences: &influences.rounded(format),
        format,
        morphs: &morphs,
        light,
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
            writer.warnings.extend(strays_in_words(rig, &tree));
            let skin = writer.tree(&tree, &rest, &bones);
            (bones, skin)
        }
    };
    let nodes = (0..pieces.len()).chain(coarser).zip(pieces.iter().cycle());
    let drawn: Vec<(usize, &Piece)> =
        nodes.filter(|(node, _)| writer.nodes[*node].get("mesh").is_some()).collect();
    let animations = writer.clips(&clips, &drawn, &morphs, &bones, &skin);
    let mut root = writer.root(meshes, materials, &skin, animations, pieces.len());
    let used = [(!levels.is_empty()).then_some(levels::EXTENSION), light.map(|_| light::EXTENSION)];
    let mut used: Vec<&str> = used.into_iter().flatten().collect();
    if packing.is_some() {
        let needed = ["KHR_mesh_quantization", packed::EXTENSIONS[0]];
        used.extend(needed);
        root.insert("extensionsRequired".into(), json!(needed));
    }
    if !used.is_empty() {
        root.insert("extensionsUsed".into(), json!(used));
    }
    if let Some(light) = light {
        root.insert("extensions".into(), json!({ light::EXTENSION: writer.light_extension(light, &clips) }));
    }
    let warnings = std::mem::take(&mut writer.warnings);
    let sources = pieces.iter().flat_map(|p| &p.primitives).flat_map(|p| p.sources.iter().copied()).collect();
    Ok(Built { bytes: writer.document.finish(root, path)?, warnings, sources })
}

pub(super) struct Writer<'a> {
    pub rig: &'a Rig,
    pub name: String,
    pub document: Document,
    pub packing: Option<Packing>,
    pub nodes: Vec<Value>,
    pub names: Names,
    warnings: Vec<String>,
}

impl Writer<'_> {
    /// An inverse bind matrix, for positions as they are stored.
    pub fn bind_matrix(&self, inverse: DAffine3) -> [f32; 16] {
        let unpacked = self.packing.map_or(inverse, |packing| inverse * packing.unpack());
        DMat4::from(unpacked).as_mat4().to_cols_array()
    }

    fn clips(
        &mut self,
        clips: &[Clip],
        drawn: &[(usize, &Piece)],
        morphs: &Morphs,
        bones: &[BoneMotion],
        skeleton: &SkeletonNodes,
    ) -> Vec<Value> {
        let mut written = Vec::new();
        for (index, clip) in clips.iter().enumerate() {
            let mut writer = ClipWriter::new(&mut self.document, clip, self.packing);
            for (bone, &(outer, inner)) in bones.iter().zip(&skeleton.bones) {
                writer.bone(&bone.clips[index], bone.moved, outer, inner);
            }
            for &(node, piece) in drawn {
                writer.morphs(morphs, &morphs.active(piece), node);
            }
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
        let scene_nodes: Vec<usize> = (0..mesh_nodes).chain([skeleton.root]).collect();
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
