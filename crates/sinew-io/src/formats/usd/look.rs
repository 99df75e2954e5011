//! Materials: UsdPreviewSurface, or the colour a mesh is displayed in.

use std::collections::HashMap;

use sinew::geometry::{Image, Material, Mesh, Texture, TextureSlot};

use super::assets::Assets;
use super::query::Between;
use super::stage::Stage;
use super::surface::Surface;
use crate::{Result, Warning};

/// Connections one after another that are followed.
const LONGEST_CHAIN: usize = 8;

/// Materials found so far.
#[derive(Default)]
pub(super) struct Looks {
    materials: Vec<Material>,
    images: Vec<Image>,
    of_prim: HashMap<usize, u32>,
    of_color: HashMap<[u32; 3], u32>,
    of_image: HashMap<std::path::PathBuf, Option<usize>>,
    plain: Option<u32>,
    /// Material and texture of it that lie on a primvar of this name.
    placed_by: Vec<(usize, usize, String)>,
    warnings: Vec<Warning>,
}

impl Looks {
    /// Gives the faces of a mesh their materials. `surfaces` are its parts.
    pub fn apply(
        stage: &Stage,
        surfaces: &[Surface],
        mesh: &mut Mesh,
        warnings: &mut Vec<Warning>,
    ) -> Result<()> {
        let mut looks = Self::default();
        let mut faces = Vec::with_capacity(mesh.face_count());
        for surface in surfaces {
            let whole = looks.of(stage, surface.prim)?;
            let mut of_stated = vec![whole; surface.stated_faces];
            for &child in &stage.prims[surface.prim].children {
                if stage.prims[child].type_name != "GeomSubset"
                    || stage.target(child, "material:binding").is_none()
                {
                    continue;
                }
                let material = looks.of(stage, child)?;
                for index in stage.at(child, "indices", 0.0, Between::Held)?.unwrap_or_default() {
                    if let Some(face) = of_stated.get_mut(index as usize).filter(|_| index >= 0.0) {
                        *face = material;
                    }
                }
            }
            faces.extend(surface.sources.iter().map(|&face| of_stated[face]));
        }
        looks.choose_uvs(surfaces, mesh);
        if faces.iter().all(Option::is_none) {
            return Ok(());
        }
        mesh.face_materials = faces.into_iter().map(|m| m.unwrap_or_else(|| looks.plain())).collect();
        mesh.materials = looks.materials;
        mesh.images = looks.images;
        warnings.append(&mut looks.warnings);
        Ok(())
    }

    /// Lets textures lie on the UV sets that they name.
    fn choose_uvs(&mut self, surfaces: &[Surface], mesh: &Mesh) {
        let is_first = |name: &str| {
            surfaces
                .iter()
                .filter_map(|s| s.uv_name.as_deref())
                .any(|uvs| uvs.strip_prefix("primvars:") == Some(name))
        };
        for (material, texture, name) in &self.placed_by {
            let set = mesh.more_uv_sets().position(|a| a.name == *name).filter(|_| !is_first(name));
            self.materials[*material].textures[*texture].uv_set = set.map_or(0, |set| set + 1);
        }
    }

    fn add(&mut self, material: Material) -> u32 {
        self.materials.push(material);
        self.materials.len() as u32 - 1
    }

    fn plain(&mut self) -> u32 {
        if let Some(plain) = self.plain {
            return plain;
        }
        let plain = self.add(Material { name: "default".into(), ..Material::default() });
        *self.plain.insert(plain)
    }

    /// The material of a prim, or its colour.
    fn of(&mut self, stage: &Stage, prim: usize) -> Result<Option<u32>> {
        let bound = stage.inherited(prim, |p| stage.target(p, "material:binding").map(|t| t.0));
        if let Some(prim) = bound {
            if let Some(&known) = self.of_prim.get(&prim) {
                return Ok(Some(known));
            }
            let material = self.material(stage, prim)?;
            let index = self.add(material);
            self.of_prim.insert(prim, index);
            return Ok(Some(index));
        }
        let Some(color) = color(stage.at(prim, "primvars:displayColor", 0.0, Between::Held)?) else {
            return Ok(None);
        };
        // A colour for each point is nothing a material can have.
        if stage.interpolation(prim, "primvars:displayColor").is_some_and(|i| i != "constant") {
            return Ok(None);
        }
        let bits = color.map(f32::to_bits);
        if let Some(&known) = self.of_color.get(&bits) {
            return Ok(Some(known));
        }
        let [r, g, b] = color;
        let name = format!("{}_color", stage.prims[prim].name);
        let index = self.add(Material { name, base_color: [r, g, b, 1.0], ..Material::default() });
        self.of_color.insert(bits, index);
        Ok(Some(index))
    }

    fn material(&mut self, stage: &Stage, prim: usize) -> Result<Material> {
        let mut material = Material { name: stage.name(prim), ..Material::default() };
        let surface =
            ["outputs:surface", "outputs:universal:surface"].iter().find_map(|n| stage.target(prim, n));
        let Some((shader, _)) = surface else { return Ok(material) };
        if stage.word(shader, "info:id")?.as_deref() != Some("UsdPreviewSurface") {
            self.warnings.push(Warning::MaterialUnknown(material.name.clone()));
            return Ok(material);
        }
        let number = |name: &str, otherwise: f64| -> Result<f32> {
            let value = stage.at(shader, name, 0.0, Between::Held)?.and_then(|v| v.first().copied());
            Ok(value.filter(|x| x.is_finite()).unwrap_or(otherwise) as f32)
        };
        let [r, g, b] =
            color(stage.at(shader, "inputs:diffuseColor", 0.0, Between::Held)?).unwrap_or([0.18; 3]);
        let opacity = number("inputs:opacity", 1.0)?;
        material.base_color = match is_primvar(stage, shader, "inputs:diffuseColor")? {
            true => [1.0, 1.0, 1.0, opacity],
            false => [r, g, b, opacity],
        };
        material.metallic = number("inputs:metallic", 0.0)?;
        material.roughness = number("inputs:roughness", 0.5)?;
        material.emissive =
            color(stage.at(shader, "inputs:emissiveColor", 0.0, Between::Held)?).unwrap_or_default();
        let cutoff = number("inputs:opacityThreshold", 0.0)?;
        if cutoff > 0.0 {
            (material.alpha_mode, material.alpha_cutoff) = ("MASK".into(), cutoff);
        } else if opacity < 1.0 {
            material.alpha_mode = "BLEND".into();
        }
        let slots = [
            (TextureSlot::BaseColor, "inputs:diffuseColor"),
            (TextureSlot::Normal, "inputs:normal"),
            (TextureSlot::Occlusion, "inputs:occlusion"),
            (TextureSlot::Emissive, "inputs:emissiveColor"),
        ];
        for (slot, input) in slots {
            if let Some((image, primvar)) = self.texture(stage, shader, input)? {
                let (own, number) = (self.materials.len(), material.textures.len());
                self.placed_by.extend(primvar.map(|name| (own, number, name)));
                material.textures.push(Texture::new(slot, image));
                match slot {
                    TextureSlot::BaseColor => material.base_color = [1.0, 1.0, 1.0, opacity],
                    TextureSlot::Emissive => material.emissive = [1.0; 3],
                    _ => {}
                }
            }
        }
        Ok(material)
    }

    /// The image that an input is connected to, and the primvar that says where it lies.
    fn texture(
        &mut self,
        stage: &Stage,
        shader: usize,
        input: &str,
    ) -> Result<Option<(usize, Option<String>)>> {
        let (mut prim, mut name) = (shader, input.to_owned());
        for _ in 0..LONGEST_CHAIN {
            let Some(next) = stage.target(prim, &name) else { return Ok(None) };
            (prim, name) = next;
            if stage.word(prim, "info:id")?.as_deref() == Some("UsdUVTexture") {
                let reader = placed_by(stage, prim)?;
                let primvar = reader.map(|reader| stage.primvar_name(reader)).transpose()?.flatten();
                return Ok(self.image(stage, prim)?.map(|image| (image, primvar)));
            }
        }
        Ok(None)
    }

    fn image(&mut self, stage: &Stage, prim: usize) -> Result<Option<usize>> {
        let Some(asset) = stage.word(prim, "inputs:file")? else { return Ok(None) };
        let layer = stage.prims[prim].sites.first().map_or(0, |s| s.layer);
        let path = Assets::resolve(&stage.layers[layer].path, &asset);
        if let Some(known) = self.of_image.get(&path) {
            return Ok(*known);
        }
        let bytes = stage.assets.get(&path)?;
        let mime_type = match bytes.as_ref().map(|b| b.all()) {
            Some(b) if b.starts_with(b"\x89PNG") => Some("image/png"),
            Some([0xFF, 0xD8, 0xFF, ..]) => Some("image/jpeg"),
            _ => None,
        };
        let index = match (bytes, mime_type) {
            (Some(bytes), Some(mime_type)) => {
                let name = path.file_stem().map_or(String::new(), |n| n.to_string_lossy().into_owned());
                self.images.push(Image { name, mime_type: mime_type.into(), bytes: bytes.all().to_vec() });
                Some(self.images.len() - 1)
            }
            (None, _) => {
                self.warnings.push(Warning::ImageMissing(asset.clone()));
                None
            }
            _ => {
                self.warnings.push(Warning::ImageKind(asset.clone()));
                None
            }
        };
        self.of_image.insert(path, index);
        Ok(index)
    }
}

/// What reads the primvar that says where a texture lies; there may be transforms on the way.
fn placed_by(stage: &Stage, texture: usize) -> Result<Option<usize>> {
    let (mut prim, mut name) = (texture, "inputs:st".to_owned());
    for _ in 0..LONGEST_CHAIN {
        let Some((next, output)) = stage.target(prim, &name) else { return Ok(None) };
        let kind = stage.word(next, "info:id")?.unwrap_or_default();
        if kind.starts_with("UsdPrimvarReader") {
            return Ok(Some(next));
        }
        (prim, name) = if kind == "UsdTransform2d" { (next, "inputs:in".to_owned()) } else { (next, output) };
    }
    Ok(None)
}

/// Whether an input is the value of a primvar: what corners have is the colour.
fn is_primvar(stage: &Stage, shader: usize, input: &str) -> Result<bool> {
    let (mut prim, mut name) = (shader, input.to_owned());
    for _ in 0..LONGEST_CHAIN {
        let Some(next) = stage.target(prim, &name) else { return Ok(false) };
        (prim, name) = next;
        if stage.word(prim, "info:id")?.is_some_and(|kind| kind.starts_with("UsdPrimvarReader")) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn color(numbers: Option<Vec<f64>>) -> Option<[f32; 3]> {
    let numbers = numbers?;
    let color: [f64; 3] = numbers.get(..3)?.try_into().ok()?;
    color.iter().all(|c| c.is_finite()).then(|| color.map(|c| c as f32))
}
