//! Materials and images, out: those in use, images embedded as they came.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sinew::geometry::{AttributeKind, Material, Mesh, Texture, TextureSlot};

use super::document::Document;
use super::schema::EMISSIVE_STRENGTH;
use crate::Warning;
use crate::scene::layout::Piece;
use crate::warning::Counted;

/// The materials of a file and how the mesh's map to them.
pub(super) struct Materials {
    /// The mesh's material (`None`: none) → the file's.
    numbers: BTreeMap<Option<u32>, usize>,
    materials: Vec<Value>,
    textures: Vec<Value>,
    images: Vec<Value>,
}

impl Materials {
    /// Writes the materials that `pieces` use, with their images.
    pub fn write(
        mesh: &Mesh,
        pieces: &[Piece],
        document: &mut Document,
        warnings: &mut Vec<Warning>,
    ) -> Self {
        let mut out = Self {
            numbers: BTreeMap::new(),
            materials: Vec::new(),
            textures: Vec::new(),
            images: Vec::new(),
        };
        for primitive in pieces.iter().flat_map(|p| &p.primitives) {
            out.numbers.insert(primitive.material, 0);
        }
        let neutral = neutral(mesh);
        let mut images = BTreeMap::new();
        let mut left_out = 0;
        let uv_sets = if mesh.uvs.is_some() { 1 + mesh.more_uv_sets().count() } else { 0 };
        for (number, (material, place)) in out.numbers.iter_mut().enumerate() {
            *place = number;
            let material = material.and_then(|m| mesh.materials.get(m as usize)).unwrap_or(&neutral);
            // Textures without UVs to find them are an error in glTF.
            let usable = |texture: &&Texture| {
                let image = mesh.images.get(texture.image);
                texture.uv_set < uv_sets && image.is_some_and(|image| !image.bytes.is_empty())
            };
            let textures: Vec<&Texture> = material.textures.iter().filter(usable).collect();
            left_out += material.textures.len() - textures.len();
            for texture in &textures {
                images.entry(texture.image).or_insert(0);
            }
            out.materials.push(json_of(material));
        }
        if left_out > 0 {
            warnings.push(Warning::Count { count: left_out, of: Counted::TexturesUnplaced });
        }
        for (number, (&image, place)) in images.iter_mut().enumerate() {
            *place = number;
            let image = &mesh.images[image];
            let view = document.view(&image.bytes, None);
            out.images.push(json!({ "name": image.name, "mimeType": image.mime_type, "bufferView": view }));
            out.textures.push(json!({ "source": number }));
        }
        for (material, &number) in &out.numbers {
            let Some(material) = material.and_then(|m| mesh.materials.get(m as usize)) else { continue };
            for texture in material.textures.iter().filter(|t| t.uv_set < uv_sets) {
                if let Some(&image) = images.get(&texture.image) {
                    add_texture(&mut out.materials[number], texture, image);
                }
            }
        }
        out
    }

    /// The file's number of one of the mesh's materials.
    pub fn number(&self, material: Option<u32>) -> usize {
        self.numbers.get(&material).copied().unwrap_or(0)
    }

    /// The extension that they use, if any.
    pub fn extension(&self) -> Option<&'static str> {
        self.materials.iter().any(|m| m.get("extensions").is_some()).then_some(EMISSIVE_STRENGTH)
    }

    /// Adds the lists that are not empty to the file.
    pub fn insert_into(self, root: &mut Map<String, Value>) {
        let lists = [("materials", self.materials), ("textures", self.textures), ("images", self.images)];
        for (name, list) in lists.into_iter().filter(|l| !l.1.is_empty()) {
            root.insert(name.into(), Value::Array(list));
        }
    }
}

/// How bright meshes are that come without materials or colours.
const GREY: f32 = 0.6;

/// For meshes that come without materials: a light grey, seen from both sides because caches often hold
/// open surfaces. Colours of vertices are multiplied by that of the material, so that it is white under them.
fn neutral(mesh: &Mesh) -> Material {
    let painted = mesh.attributes.iter().any(|a| a.kind == AttributeKind::Color);
    let grey = if painted { 1.0 } else { GREY };
    Material {
        name: "neutral".into(),
        base_color: [grey, grey, grey, 1.0],
        double_sided: true,
        ..Material::default()
    }
}

fn unit(x: f32) -> f32 {
    if x.is_finite() { x.clamp(0.0, 1.0) } else { 0.0 }
}

fn json_of(m: &Material) -> Value {
    let mut out = json!({
        "name": m.name,
        "pbrMetallicRoughness": {
            "baseColorFactor": m.base_color.map(unit),
            "metallicFactor": unit(m.metallic),
            "roughnessFactor": unit(m.roughness),
        },
        "doubleSided": m.double_sided,
    });
    let (glow, strength) = m.glow();
    if glow != [0.0; 3] {
        out["emissiveFactor"] = json!(glow.map(unit));
    }
    if strength > 1.0 {
        out["extensions"] = json!({ EMISSIVE_STRENGTH: { "emissiveStrength": strength } });
    }
    if matches!(m.alpha_mode.as_str(), "MASK" | "BLEND") {
        out["alphaMode"] = json!(m.alpha_mode);
    }
    if m.alpha_mode == "MASK" && m.alpha_cutoff.is_finite() {
        out["alphaCutoff"] = json!(m.alpha_cutoff.max(0.0));
    }
    out
}

fn add_texture(material: &mut Value, texture: &Texture, index: usize) {
    let mut info = json!({ "index": index });
    if texture.uv_set > 0 {
        info["texCoord"] = json!(texture.uv_set);
    }
    match texture.slot {
        TextureSlot::BaseColor => material["pbrMetallicRoughness"]["baseColorTexture"] = info,
        TextureSlot::MetallicRoughness => material["pbrMetallicRoughness"]["metallicRoughnessTexture"] = info,
        TextureSlot::Normal => material["normalTexture"] = info,
        TextureSlot::Occlusion => material["occlusionTexture"] = info,
        TextureSlot::Emissive => material["emissiveTexture"] = info,
    }
}
