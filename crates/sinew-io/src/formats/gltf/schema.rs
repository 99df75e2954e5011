//! glTF's JSON, as far as Sinew reads it.
//!
//! Field for field the names of the specification. Every index is still unchecked here; whoever follows
//! one looks it up with `get`.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Root {
    pub asset: Asset,
    #[serde(default)]
    pub extensions_required: Vec<String>,
    pub scene: Option<usize>,
    #[serde(default)]
    pub scenes: Vec<Scene>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub skins: Vec<Skin>,
    #[serde(default)]
    pub animations: Vec<Animation>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
    #[serde(default)]
    pub materials: Vec<Material>,
    #[serde(default)]
    pub textures: Vec<Texture>,
    #[serde(default)]
    pub samplers: Vec<TextureSampler>,
    #[serde(default)]
    pub images: Vec<Image>,
    #[serde(default)]
    pub cameras: Vec<Camera>,
    /// Anything.
    #[serde(default)]
    pub extensions: Value,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Asset {
    pub version: String,
    pub min_version: Option<String>,
    pub generator: Option<String>,
    /// Anything.
    #[serde(default)]
    pub extras: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Scene {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub name: Option<String>,
    #[serde(default)]
    pub children: Vec<usize>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub camera: Option<usize>,
    pub matrix: Option<[f64; 16]>,
    pub translation: Option<[f64; 3]>,
    pub rotation: Option<[f64; 4]>,
    pub scale: Option<[f64; 3]>,
    pub weights: Option<Vec<f64>>,
    /// Anything.
    #[serde(default)]
    pub extensions: Value,
    #[serde(default)]
    pub extras: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Mesh {
    pub name: Option<String>,
    #[serde(default)]
    pub primitives: Vec<Primitive>,
    pub weights: Option<Vec<f64>>,
    /// Anything; most writers keep the names of morph targets here.
    #[serde(default)]
    pub extras: serde_json::Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Primitive {
    #[serde(default)]
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    #[serde(default = "triangles")]
    pub mode: u32,
    #[serde(default)]
    pub targets: Vec<BTreeMap<String, usize>>,
    #[serde(default)]
    pub extensions: PrimitiveExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct PrimitiveExtensions {
    /// Whether the vertices are compressed.
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub draco: Option<IgnoredAny>,
}

/// The extension for vertices in a codec that Sinew does not know.
pub(super) const DRACO: &str = "KHR_draco_mesh_compression";

impl Primitive {
    /// Whether it is made of triangles.
    pub fn is_drawn(&self) -> bool {
        matches!(self.mode, TRIANGLES..=TRIANGLE_FAN)
    }
}

/// The extension of lamps.
pub(super) const LIGHTS: &str = "KHR_lights_punctual";

/// The extension that names levels of detail.
pub(super) const LEVELS: &str = "MSFT_lod";

pub(super) const TRIANGLES: u32 = 4;
pub(super) const TRIANGLE_STRIP: u32 = 5;
pub(super) const TRIANGLE_FAN: u32 = 6;

fn triangles() -> u32 {
    TRIANGLES
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Skin {
    pub name: Option<String>,
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: Option<usize>,
    pub skeleton: Option<usize>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Animation {
    pub name: Option<String>,
    #[serde(default)]
    pub channels: Vec<Channel>,
    #[serde(default)]
    pub samplers: Vec<Sampler>,
    pub extras: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Debug, Deserialize)]
pub(super) struct Target {
    pub node: Option<usize>,
    pub path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub kind: String,
    pub sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Sparse {
    pub count: usize,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
    #[serde(default)]
    pub extensions: ViewExtensions,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ViewExtensions {
    #[serde(rename = "EXT_meshopt_compression")]
    first: Option<Packed>,
    #[serde(rename = "KHR_meshopt_compression")]
    later: Option<Packed>,
}

impl ViewExtensions {
    /// Where the bytes are, of a view that is packed. Either name says it, and a file may give both.
    pub fn packed(&self) -> Option<&Packed> {
        self.later.as_ref().or(self.first.as_ref())
    }
}

/// A view whose bytes are packed elsewhere.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Packed {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: usize,
    pub count: usize,
    pub mode: String,
    pub filter: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub uri: Option<String>,
    pub byte_length: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    pub name: Option<String>,
    pub pbr_metallic_roughness: Option<Surface>,
    pub normal_texture: Option<TextureInfo>,
    pub occlusion_texture: Option<TextureInfo>,
    pub emissive_texture: Option<TextureInfo>,
    pub emissive_factor: Option<[f32; 3]>,
    pub alpha_mode: Option<String>,
    pub alpha_cutoff: Option<f32>,
    #[serde(default)]
    pub double_sided: bool,
    /// Anything.
    #[serde(default)]
    pub extensions: Value,
    #[serde(default)]
    pub extras: Value,
}

/// The extension of materials that shine more than white does.
pub(super) const EMISSIVE_STRENGTH: &str = "KHR_materials_emissive_strength";

impl Material {
    /// What it shines with, linear red, green and blue.
    pub fn emissive(&self) -> [f32; 3] {
        let stated = self.extensions.get(EMISSIVE_STRENGTH).and_then(|e| e.get("emissiveStrength")?.as_f64());
        let strength = stated.map_or(1.0, |s| s as f32);
        let strength = if strength.is_finite() { strength.max(0.0) } else { 1.0 };
        self.emissive_factor.unwrap_or([0.0; 3]).map(|c| c * strength)
    }
}

/// `pbrMetallicRoughness`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Surface {
    pub base_color_factor: Option<[f32; 4]>,
    pub base_color_texture: Option<TextureInfo>,
    pub metallic_factor: Option<f32>,
    pub roughness_factor: Option<f32>,
    pub metallic_roughness_texture: Option<TextureInfo>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureInfo {
    pub index: usize,
    #[serde(default)]
    pub tex_coord: usize,
    /// How strong a normal texture is.
    pub scale: Option<f64>,
    /// How strong an occlusion texture is.
    pub strength: Option<f64>,
    /// Anything.
    #[serde(default)]
    pub extensions: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct Camera {
    pub perspective: Option<Perspective>,
    pub orthographic: Option<Orthographic>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Perspective {
    pub aspect_ratio: Option<f64>,
    pub yfov: f64,
    pub zfar: Option<f64>,
    pub znear: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Orthographic {
    pub xmag: f64,
    pub ymag: f64,
    pub zfar: f64,
    pub znear: f64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Texture {
    pub source: Option<usize>,
    pub sampler: Option<usize>,
}

/// How a texture is repeated and filtered.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TextureSampler {
    pub wrap_s: Option<u32>,
    pub wrap_t: Option<u32>,
    pub mag_filter: Option<u32>,
    pub min_filter: Option<u32>,
}

impl TextureSampler {
    /// Whether it does what viewers do without it: repeat, with linear filters and smaller images.
    pub fn is_usual(&self) -> bool {
        let is = |found: Option<u32>, usual: u32| found.is_none_or(|found| found == usual);
        is(self.wrap_s, 10497)
            && is(self.wrap_t, 10497)
            && is(self.mag_filter, 9729)
            && is(self.min_filter, 9987)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Image {
    pub name: Option<String>,
    pub uri: Option<String>,
    pub mime_type: Option<String>,
    pub buffer_view: Option<usize>,
}
