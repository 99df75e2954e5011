//! Materials and their textures.

use std::collections::HashMap;
use std::path::Path;

use sinew::geometry::{Image, Material, Mesh, Texture, TextureSlot};

use super::GENERATOR;
use super::instances::Instance;
use super::open::Fbx;
use crate::Warning;
use crate::scene::images::mime_type;

/// What a mesh looks like.
#[derive(Default)]
pub(super) struct Look {
    pub materials: Vec<Material>,
    pub images: Vec<Image>,
    /// Material of each face; empty when there are none.
    pub face_materials: Vec<u32>,
    pub warnings: Vec<Warning>,
}

/// Materials found so far, by their number in the file.
#[derive(Default)]
struct Found {
    look: Look,
    materials: HashMap<Option<u32>, u32>,
    images: HashMap<u32, Option<usize>>,
    /// Names of the mesh's UV sets after the first.
    uv_sets: Vec<String>,
}

impl Fbx {
    /// Materials of all faces of `mesh`, which was made of `instances`.
    pub(super) fn look(&self, instances: &[Instance], mesh: &Mesh) -> Look {
        let uv_sets = mesh.more_uv_sets().map(|set| set.name.clone()).collect();
        let mut found = Found { uv_sets, ..Found::default() };
        // An instance may have other materials than its mesh.
        fn materials<'a>(i: &Instance<'a>) -> &'a ufbx::RefList<ufbx::Material> {
            if i.node.materials.count > 0 { &i.node.materials } else { &i.mesh.materials }
        }
        if instances.iter().all(|i| materials(i).count == 0) {
            return found.look;
        }
        // In the order of the file.
        let mut all: Vec<&ufbx::Material> =
            instances.iter().flat_map(|i| materials(i).as_ref()).map(|m| m.as_ref()).collect();
        all.sort_by_key(|m| m.element.typed_id);
        all.iter().for_each(|m| _ = found.material(self, Some(m)));
        found.look.face_materials = Vec::with_capacity(mesh.face_count());
        for instance in instances {
            let own = materials(instance);
            let numbers: Vec<u32> = own.as_ref().iter().map(|m| found.material(self, Some(m))).collect();
            let corners = instance.mesh.vertex_indices.len();
            for (face, f) in instance.mesh.faces.iter().enumerate() {
                let (start, count) = (f.index_begin as usize, f.num_indices as usize);
                if count < 3 || start.saturating_add(count) > corners {
                    continue;
                }
                let slot = instance.mesh.face_material.get(face).copied().unwrap_or(0) as usize;
                let number = numbers.get(slot).copied();
                let number = number.unwrap_or_else(|| found.material(self, None));
                found.look.face_materials.push(number);
            }
        }
        found.look
    }
}

impl Found {
    /// The number of a material; of a plain one for faces without.
    fn material(&mut self, fbx: &Fbx, material: Option<&ufbx::Material>) -> u32 {
        let key = material.map(|m| m.element.typed_id);
        if let Some(&known) = self.materials.get(&key) {
            return known;
        }
        let made = match material {
            Some(material) => self.read(fbx, material),
            None => Material { name: "default".into(), ..Material::default() },
        };
        self.look.materials.push(made);
        let number = self.look.materials.len() as u32 - 1;
        self.materials.insert(key, number);
        number
    }

    fn read(&mut self, fbx: &Fbx, m: &ufbx::Material) -> Material {
        let plain = Material { name: m.element.name.to_string(), ..Material::default() };
        let factor = number(&m.pbr.base_factor).unwrap_or(1.0);
        let color = colour(&m.pbr.base_color).unwrap_or([1.0; 3]).map(|c| c * factor);
        let glow = number(&m.pbr.emission_factor).unwrap_or(1.0);
        let opacity = opacity(m);
        let mut out = Material {
            base_color: [color[0], color[1], color[2], opacity],
            metallic: metallic(fbx, m).unwrap_or(plain.metallic),
            roughness: roughness(m).unwrap_or(plain.roughness),
            emissive: colour(&m.pbr.emission_color).unwrap_or_default().map(|c| c * glow),
            alpha_mode: if opacity < 1.0 { "BLEND".into() } else { "OPAQUE".into() },
            ..plain
        };
        let slots = [
            (TextureSlot::BaseColor, &m.pbr.base_color),
            (TextureSlot::Normal, &m.pbr.normal_map),
            (TextureSlot::Occlusion, &m.pbr.ambient_occlusion),
            (TextureSlot::Emissive, &m.pbr.emission_color),
        ];
        for (slot, map) in slots {
            let texture = map.texture.as_ref().filter(|_| map.texture_enabled);
            let image = texture.and_then(|t| self.image(fbx, t));
            let uv_set = texture.map_or(0, |t| self.uv_set(&t.uv_set));
            out.textures.extend(image.map(|image| Texture { slot, image, uv_set }));
        }
        if !fbx.is_ours() {
            untint(&mut out, factor, glow);
        }
        out
    }

    /// The number of the UV set of a name; the first where there is none.
    fn uv_set(&self, name: &str) -> usize {
        self.uv_sets.iter().position(|set| !name.is_empty() && set == name).map_or(0, |set| set + 1)
    }

    /// The number of a texture's image, where there is one that can be carried along.
    fn image(&mut self, fbx: &Fbx, texture: &ufbx::Texture) -> Option<usize> {
        let id = texture.element.typed_id;
        if let Some(known) = self.images.get(&id) {
            return *known;
        }
        let image = self.load(fbx, texture);
        self.images.insert(id, image);
        image
    }

    fn load(&mut self, fbx: &Fbx, texture: &ufbx::Texture) -> Option<usize> {
        let embedded = [Some(&texture.content), texture.video.as_ref().map(|v| &v.content)];
        let embedded = embedded.into_iter().flatten().find(|c| !c.is_empty()).map(|c| c.to_vec());
        let named = [&texture.relative_filename, &texture.filename, &texture.element.name];
        let name =
            named.into_iter().find(|n| !n.is_empty()).map(|n| n.replace('\\', "/")).unwrap_or_default();
        let last = name.rsplit('/').next().unwrap_or_default();
        let bytes = embedded.or_else(|| {
            let file = fbx.source.path().parent().unwrap_or(Path::new("")).join(last);
            Some(fbx.source.link(file)?.read().ok()?.to_vec())
        });
        let Some(bytes) = bytes else {
            self.look.warnings.push(Warning::TextureMissing(last.into()));
            return None;
        };
        let Some(mime_type) = mime_type(&bytes) else {
            self.look.warnings.push(Warning::TextureKind(last.into()));
            return None;
        };
        let name = Path::new(last).file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        self.look.images.push(Image { name, mime_type: mime_type.into(), bytes });
        Some(self.look.images.len() - 1)
    }
}

/// What drives a colour stands in its place, and is no tint of it as in glTF: only factors are left. Files of our own keep
/// tints in the colours.
fn untint(material: &mut Material, factor: f32, glow: f32) {
    let slots: Vec<TextureSlot> = material.textures.iter().map(|texture| texture.slot).collect();
    if slots.contains(&TextureSlot::BaseColor) {
        material.base_color[..3].fill(factor);
    }
    if slots.contains(&TextureSlot::Emissive) {
        material.emissive = [glow; 3];
    }
}

fn number(map: &ufbx::MaterialMap) -> Option<f32> {
    let x = map.value_vec4.x as f32;
    (map.has_value && x.is_finite()).then_some(x)
}

fn colour(map: &ufbx::MaterialMap) -> Option<[f32; 3]> {
    let c = [map.value_vec4.x as f32, map.value_vec4.y as f32, map.value_vec4.z as f32];
    (map.has_value && c.iter().all(|x| x.is_finite())).then_some(c)
}

/// A property by its name, for what exporters agree on and `ufbx` does not map.
fn property(m: &ufbx::Material, name: &str) -> Option<f32> {
    ufbx::find_prop(&m.element.props, name).map(|p| p.value_vec4.x as f32).filter(|x| x.is_finite())
}

fn is_classic(m: &ufbx::Material) -> bool {
    matches!(m.shader_type, ufbx::ShaderType::FbxLambert | ufbx::ShaderType::FbxPhong)
}

/// How opaque a material is. Old materials say how transparent.
fn opacity(m: &ufbx::Material) -> f32 {
    let found = if is_classic(m) {
        let clear = property(m, "TransparencyFactor").zip(colour(&m.fbx.transparency_color));
        property(m, "Opacity").or(clear.map(|(factor, c)| 1.0 - factor * c[0]))
    } else {
        number(&m.pbr.opacity)
    };
    found.unwrap_or(1.0).clamp(0.0, 1.0)
}

/// How rough a material is. Exporters of newer materials write the shininess 100 (1 − roughness)².
fn roughness(m: &ufbx::Material) -> Option<f32> {
    let found = if is_classic(m) {
        let shininess = property(m, "ShininessExponent").or(property(m, "Shininess"));
        shininess.map(|s| 1.0 - (s.max(0.0) / 100.0).sqrt())
    } else {
        number(&m.pbr.roughness)
    };
    found.map(|r| r.clamp(0.0, 1.0))
}

/// How metallic a material is. Blender and Sinew write it as the factor of reflections, which is something
/// else in files of other programs.
fn metallic(fbx: &Fbx, m: &ufbx::Material) -> Option<f32> {
    let about = &fbx.scene.metadata;
    let blender = matches!(about.exporter, ufbx::Exporter::BlenderBinary | ufbx::Exporter::BlenderAscii);
    let found = match is_classic(m) {
        true if blender || about.creator.starts_with(GENERATOR) => property(m, "ReflectionFactor"),
        true => None,
        false => number(&m.pbr.metalness),
    };
    found.map(|r| r.clamp(0.0, 1.0))
}
