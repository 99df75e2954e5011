//! What a file holds that is not read.

use std::collections::BTreeSet;

use serde_json::Value;

use super::attributes::{NAMES, WIDTHS};
use super::levels::ERRORS;
use super::other_nodes::AREA_LIGHT;
use super::read::Gltf;
use super::schema::{EMISSIVE_STRENGTH, Material, Surface, TextureInfo};
use crate::warning::Unkept;

/// Extras that are read.
const READ: [&str; 5] = ["targetNames", NAMES, WIDTHS, ERRORS, AREA_LIGHT];

/// The textures of a material.
fn textures(material: &Material) -> impl Iterator<Item = &TextureInfo> {
    let surface = material.pbr_metallic_roughness.as_ref();
    let of_surface =
        |of: fn(&Surface) -> &Option<TextureInfo>| surface.and_then(|surface| of(surface).as_ref());
    let all = [
        of_surface(|surface| &surface.base_color_texture),
        of_surface(|surface| &surface.metallic_roughness_texture),
        material.normal_texture.as_ref(),
        material.occlusion_texture.as_ref(),
        material.emissive_texture.as_ref(),
    ];
    all.into_iter().flatten()
}

/// Names of the members of an object.
fn keys(value: &Value) -> impl Iterator<Item = &str> {
    value.as_object().into_iter().flat_map(|object| object.keys()).map(String::as_str)
}

impl Gltf {
    /// All that is not read, besides what a file requires and what depends on the clip.
    pub(super) fn unkept(&self) -> Vec<Unkept> {
        let materials = &self.root.materials;
        let extensions = self.material_extensions();
        let is_weak = |info: &TextureInfo| [info.scale, info.strength].iter().flatten().any(|x| *x != 1.0);
        let weak = materials.iter().filter(|m| textures(m).any(is_weak)).count();
        let unusual = self.root.textures.iter().filter(|texture| {
            let sampler = texture.sampler.and_then(|sampler| self.root.samplers.get(sampler));
            sampler.is_some_and(|sampler| !sampler.is_usual())
        });
        let unusual = unusual.count();
        let properties = self.custom_properties();
        let armatures = self.armatures();
        let found = [
            (!extensions.is_empty()).then_some(Unkept::MaterialExtensions(extensions)),
            (weak > 0).then_some(Unkept::TextureStrengths(weak)),
            (unusual > 0).then_some(Unkept::TextureSampling(unusual)),
            (!properties.is_empty()).then_some(Unkept::CustomProperties(properties)),
            (armatures.len() > 1).then_some(Unkept::Armatures(armatures)),
        ];
        found.into_iter().flatten().collect()
    }

    /// Extensions of materials and their textures, without those that the file requires, which are told as such.
    fn material_extensions(&self) -> Vec<String> {
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for material in &self.root.materials {
            names.extend(keys(&material.extensions));
            names.extend(textures(material).flat_map(|info| keys(&info.extensions)));
        }
        let told = |name: &str| self.root.extensions_required.iter().any(|required| required == name);
        names.into_iter().filter(|name| *name != EMISSIVE_STRENGTH && !told(name)).map(Into::into).collect()
    }

    /// Names of extras of nodes, meshes and materials.
    fn custom_properties(&self) -> Vec<String> {
        let nodes = self.root.nodes.iter().map(|node| &node.extras);
        let meshes = self.root.meshes.iter().map(|mesh| &mesh.extras);
        let materials = self.root.materials.iter().map(|material| &material.extras);
        let names: BTreeSet<&str> = nodes.chain(meshes).chain(materials).flat_map(keys).collect();
        names.into_iter().filter(|name| !READ.contains(name)).map(Into::into).collect()
    }
}
