//! Writing a rig: meshes, skin, skeleton, clips.
//!
//! The bones are in one root node (see [`super::nodes`]); the mesh nodes stand beside it. Levels of detail are
//! nodes outside of the scene (see [`super::levels`]).

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DAffine3, DMat4, Vec2, Vec3};
use serde_json::{Map, Value, json};
use sinew::animation::Clip;
use sinew::geometry::{CornerLayer, corner_normals};
use sinew::light::Light;
use sinew::lod::Level;
use sinew::rig::Rig;

use super::clip::ClipWriter;
use super::compact::{self, DEFAULT_COMPACT_ERROR};
use super::document::{Document, Elements, Number, Use};
use super::layout::{self, Piece, Primitive, Surface};
use super::levels::{self, level_name};
use super::light;
use super::materials::Materials;
use super::morphs::{Morphs, Target};
use super::motion::{BoneMotion, bone_motions};
use super::names::Names;
use super::nodes::SkeletonNodes;
use super::pack::{NORMAL_BITS, Packing, pack};
use super::skinning::{Influences, WeightFormat};
use super::tree::{RestNodes, joint_motions, strays_in_words};
use super::{GENERATOR, SOURCE_VERTEX, order, packed};
use crate::joints::JointTree;
use crate::{Error, Result, save};

/// Whole numbers up to this are exact in f32.
const EXACT_IN_F32: usize = 1 << 24;

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
    /// [`super::DEFAULT_COMPACT_ERROR`] is a good value. Exact to single precision when `None`.
    pub compact: Option<f64>,
    /// Store numbers of few bits, packed: for readers that know `EXT_meshopt_compression`, and as exact as
    /// `compact` says, or [`super::DEFAULT_COMPACT_ERROR`] without. Vertices are stored in another order.
    pub pack: bool,
    /// Light over the vertices in all frames, for readers that know `SINEW_light`; others show none.
    pub light: Option<Light>,
}

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteReport {
    /// Size of the file.
    pub bytes: u64,
    /// What could not be stored as it is, for people.
    pub warnings: Vec<String>,
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

/// The rig's clips, each with a name of its own; `alone` is for a rig that states none.
pub(crate) fn named_clips(rig: &Rig, alone: &str) -> Vec<Clip> {
    let mut names = Names::default();
    let mut clips = rig.clips().into_owned();
    for clip in &mut clips {
        let name = if clip.name.is_empty() { alone } else { &clip.name };
        clip.name = names.unique(name.to_owned());
    }
    clips
}

/// Refuses what would make an invalid file.
pub(crate) fn check(path: &Path, rig: &Rig) -> Result<()> {
    let refuse = |message: String| Err(Error::unsupported(path, message));
    if let Err(e) = rig.validate() {
        return refuse(e.to_string());
    }
    if let Err(e) = rig.mesh.validate() {
        return refuse(e.to_string());
    }
    if rig.mesh.vertex_count == 0 {
        return refuse("the rig has no vertices".into());
    }
    if !(rig.fps > 0.0 && rig.fps.is_finite()) {
        return refuse(format!("the frame rate must be a positive number, not {}", rig.fps));
    }
    for part in &rig.mesh.parts {
        let outside = |v: &&u32| !part.vertices.contains(&(**v as usize));
        if let Some(v) = part.faces.clone().flat_map(|f| rig.mesh.face(f)).find(outside) {
            return refuse(format!("part {:?} uses vertex {v}, which belongs to another part", part.name));
        }
    }
    if let Some(vertex) = rig.rest.iter().position(|p| !p.is_finite()) {
        return refuse(format!("vertex {vertex} of the rest pose is not a finite number"));
    }
    let bones = rig.bones.len();
    let finite = |i: usize| {
        let (t, center) = (rig.transforms[i], rig.bones[i % bones].center);
        t.matrix3.as_mat3().is_finite() && t.transform_point3(center).as_vec3().is_finite()
    };
    if let Some(i) = (0..rig.transforms.len()).find(|&i| !finite(i)) {
        let name = &rig.bones[i % bones].name;
        return refuse(format!("bone {name} has no finite transform in frame {}", i / bones));
    }
    let corrections = rig.corrections.as_ref();
    if corrections.is_some_and(|c| {
        !c.basis.iter().chain(&c.normals).all(|d| d.is_finite())
            || !c.coefficients.iter().all(|q| q.is_finite())
    }) {
        return refuse("the corrections hold a number that is not finite".into());
    }
    Ok(())
}

/// What primitives are written with.
struct MeshLook<'a> {
    materials: &'a Materials,
    influences: &'a Influences,
    format: WeightFormat,
    morphs: &'a Morphs<'a>,
    light: Option<&'a Light>,
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
    fn pieces(&mut self, levels: &[Level], keep_normals: bool) -> Vec<Piece> {
        let kept = self.rig.mesh.normals.as_ref().filter(|_| keep_normals).map(|layer| CornerLayer {
            values: layer.values.iter().map(|n| n.try_normalize().unwrap_or(Vec3::Z)).collect(),
            indices: layer.indices.clone(),
        });
        let normals = kept.unwrap_or_else(|| corner_normals(&self.rig.mesh, &self.rig.rest));
        let mut surfaces = levels::surfaces(self.rig, &normals, levels);
        surfaces.insert(0, Surface { mesh: &self.rig.mesh, normals });
        layout::lay_out(self.rig, &surfaces, &self.name)
    }

    /// Writes all meshes and, for each, a node.
    fn meshes(&mut self, pieces: &[Piece], look: &MeshLook) -> Vec<Value> {
        let mut meshes = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let shapes = look.morphs.active(piece);
            let primitives: Vec<Value> =
                piece.primitives.iter().map(|p| self.primitive(p, look, &shapes)).collect();
            let mut mesh = json!({ "name": piece.name, "primitives": primitives });
            if !shapes.is_empty() {
                let names: Vec<String> = shapes.iter().map(|r| format!("correction_{r}")).collect();
                mesh["weights"] = json!(look.morphs.default_weights(&shapes));
                mesh["extras"] = json!({ "targetNames": names });
            }
            meshes.push(mesh);
            let name = self.names.unique(piece.name.clone());
            self.nodes.push(json!({ "name": name, "mesh": index, "skin": 0 }));
        }
        meshes
    }

    /// Writes the levels' meshes and nodes, level after level, and returns the nodes. Meshes and nodes of the
    /// pieces are the first there are.
    fn levels(&mut self, meshes: &mut Vec<Value>, pieces: &[Piece], levels: &[Level]) -> Vec<usize> {
        let mut nodes = Vec::new();
        for level in 0..levels.len() {
            for (index, piece) in pieces.iter().enumerate() {
                let name = self.names.unique(level_name(&piece.name, level));
                let mut node = json!({ "name": name });
                let mut primitives = Vec::new();
                for (number, p) in
                    piece.primitives.iter().enumerate().filter(|(_, p)| !p.levels[level].is_empty())
                {
                    let mut primitive = meshes[index]["primitives"][number].clone();
                    primitive["indices"] = json!(self.indices(&p.levels[level], p.sources.len()));
                    primitives.push(primitive);
                }
                if !primitives.is_empty() {
                    let mut mesh = meshes[index].clone();
                    mesh["name"] = json!(level_name(&piece.name, level));
                    mesh["primitives"] = json!(primitives);
                    node["mesh"] = json!(meshes.len());
                    node["skin"] = json!(0);
                    meshes.push(mesh);
                }
                nodes.push(self.nodes.len());
                self.nodes.push(node);
            }
        }
        for (index, node) in self.nodes[..pieces.len()].iter_mut().enumerate() {
            if !levels.is_empty() {
                levels::name_levels(node, nodes.iter().skip(index).step_by(pieces.len()), levels);
            }
        }
        nodes
    }

    fn primitive(&mut self, p: &Primitive, look: &MeshLook, shapes: &[usize]) -> Value {
        let count = p.sources.len();
        let morphed = look.morphs.of(p, shapes);
        let mut attributes = BTreeMap::new();
        attributes.insert("POSITION".to_owned(), self.positions(&morphed.positions));
        attributes.insert("NORMAL".into(), self.directions(&morphed.normals));
        if !p.uvs.is_empty() {
            let uvs: Vec<_> = p.uvs.iter().map(|uv| if uv.is_finite() { *uv } else { Vec2::ZERO }).collect();
            attributes.insert("TEXCOORD_0".into(), self.uvs(&uvs));
        }
        self.influences(p, look, &mut attributes);
        if let Some(light) = look.light {
            self.light(p, light, &mut attributes);
        }
        if !p.verbatim && self.packing.is_none() && self.rig.mesh.vertex_count <= EXACT_IN_F32 {
            let sources: Vec<f32> = p.sources.iter().map(|v| *v as f32).collect();
            let elements = Elements::floats("SCALAR", count);
            attributes.insert(SOURCE_VERTEX.into(), self.document.array(&sources, elements, Use::Vertices));
        }
        let targets: Vec<Value> = morphed.targets.iter().map(|t| self.target(t)).collect();
        let material = look.materials.number(p.material);
        let mut primitive = json!({ "attributes": attributes, "material": material });
        if p.indices.is_empty() {
            primitive["mode"] = json!(0);
        } else {
            primitive["indices"] = json!(self.indices(&p.indices, count));
        }
        if !targets.is_empty() {
            primitive["targets"] = json!(targets);
        }
        primitive
    }

    fn influences(&mut self, p: &Primitive, look: &MeshLook, attributes: &mut BTreeMap<String, usize>) {
        let influences = look.influences;
        let elements =
            |number, normalized| Elements { number, kind: "VEC4", count: p.sources.len(), normalized };
        for set in 0..influences.slots / 4 {
            let slots = match self.packing {
                Some(_) => influences.steady_set(&p.sources, set),
                None => influences.set(&p.sources, set),
            };
            let joints = slots.iter().map(|s| influences.joints[*s]);
            let joints = if self.rig.bones.len() <= 256 {
                let joints: Vec<u8> = joints.map(|j| j as u8).collect();
                self.document.array(&joints, elements(Number::U8, false), Use::Vertices)
            } else {
                let joints: Vec<u16> = joints.collect();
                self.document.array(&joints, elements(Number::U16, false), Use::Vertices)
            };
            let weights = slots.iter().map(|s| influences.weights[*s]);
            let weights = match look.format {
                WeightFormat::U8 => {
                    let weights: Vec<u8> = weights.map(|w| (w * 255.0).round() as u8).collect();
                    self.document.array(&weights, elements(Number::U8, true), Use::Vertices)
                }
                WeightFormat::U16 => {
                    let weights: Vec<u16> = weights.map(|w| (w * 65535.0).round() as u16).collect();
                    self.document.array(&weights, elements(Number::U16, true), Use::Vertices)
                }
                WeightFormat::F32 => {
                    let weights: Vec<f32> = weights.collect();
                    self.document.array(&weights, elements(Number::F32, false), Use::Vertices)
                }
            };
            attributes.insert(format!("JOINTS_{set}"), joints);
            attributes.insert(format!("WEIGHTS_{set}"), weights);
        }
    }

    fn target(&mut self, shape: &Target) -> Value {
        let Some(packing) = self.packing else {
            let mut target = json!({ "POSITION": self.document.positions(&shape.positions) });
            if !shape.normals.is_empty() {
                target["NORMAL"] = json!(self.directions(&shape.normals));
            }
            return target;
        };
        let steps = self.document.steps(&packing.displacements(&shape.positions), Number::I16);
        let mut target = json!({ "POSITION": steps });
        if !shape.normals.is_empty() {
            target["NORMAL"] = json!(self.document.small_vectors(&shape.normals));
        }
        target
    }

    fn positions(&mut self, positions: &[[f32; 3]]) -> usize {
        match self.packing {
            Some(packing) => self.document.steps(&packing.positions(positions), Number::U16),
            None => self.document.positions(positions),
        }
    }

    fn uvs(&mut self, uvs: &[Vec2]) -> usize {
        let inside = |uv: &Vec2| (0.0..=1.0).contains(&uv.x) && (0.0..=1.0).contains(&uv.y);
        if self.packing.is_some() && uvs.iter().all(inside) {
            let parts: Vec<[u16; 2]> =
                uvs.iter().map(|uv| uv.to_array().map(|x| (x * 65535.0).round() as u16)).collect();
            let elements =
                Elements { number: Number::U16, kind: "VEC2", count: parts.len(), normalized: true };
            return self.document.array(&parts, elements, Use::Vertices);
        }
        self.document.array(uvs, Elements::floats("VEC2", uvs.len()), Use::Vertices)
    }

    /// An inverse bind matrix, for positions as they are stored.
    pub fn bind_matrix(&self, inverse: DAffine3) -> [f32; 16] {
        let unpacked = self.packing.map_or(inverse, |packing| inverse * packing.unpack());
        DMat4::from(unpacked).as_mat4().to_cols_array()
    }

    fn directions(&mut self, data: &[[f32; 3]]) -> usize {
        if self.packing.is_some() {
            return self.document.unit_vectors(data, NORMAL_BITS);
        }
        self.document.array(data, Elements::floats("VEC3", data.len()), Use::Vertices)
    }

    fn indices(&mut self, indices: &[u32], vertices: usize) -> usize {
        let elements = |number| Elements { number, kind: "SCALAR", count: indices.len(), normalized: false };
        // The largest value of each type is reserved for restarting strips.
        if vertices <= 65535 {
            let indices: Vec<u16> = indices.iter().map(|i| *i as u16).collect();
            self.document.array(&indices, elements(Number::U16), Use::Indices)
        } else {
            self.document.array(indices, elements(Number::U32), Use::Indices)
        }
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
