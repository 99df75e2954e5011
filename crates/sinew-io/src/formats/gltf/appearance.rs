//! Materials and images, in: carried along, images undecoded.

use std::collections::HashMap;

use sinew::geometry::{Image, Material, Texture, TextureSlot};

use super::read::Gltf;
use super::schema::{self, TextureInfo};
use super::uri::resolve;
use crate::warning::Remark;
use crate::{Result, Warning};

/// A file's materials and the images they use.
pub(super) struct Appearance {
    pub materials: Vec<Material>,
    pub images: Vec<Image>,
    pub warnings: Vec<Warning>,
    /// File's image → ours; `None` for those that could not be read.
    known: HashMap<usize, Option<usize>>,
}

impl Appearance {
    /// Reads all materials. An image that cannot be read costs a warning, not the file.
    pub fn read(gltf: &Gltf) -> Result<Self> {
        let mut out =
            Self { materials: Vec::new(), images: Vec::new(), warnings: Vec::new(), known: HashMap::new() };
        for material in &gltf.root.materials {
            let material = out.material(gltf, material);
            out.materials.push(material);
        }
        Ok(out)
    }

    /// Lets textures lie on the UV sets of the mesh, given which of them the file's are; on the first where it has none.
    pub fn choose_uvs(&mut self, set: impl Fn(usize) -> Option<usize>) {
        let mut missing = false;
        for texture in self.materials.iter_mut().flat_map(|m| &mut m.textures) {
            let found = set(texture.uv_set);
            missing |= found.is_none() && texture.uv_set > 0;
            texture.uv_set = found.unwrap_or(0);
        }
        if missing {
            self.warnings.push(Remark::NoSuchUvSet.into());
        }
    }

    fn material(&mut self, gltf: &Gltf, m: &schema::Material) -> Material {
        let plain = schema::Surface::default();
        let surface = m.pbr_metallic_roughness.as_ref().unwrap_or(&plain);
        let slots = [
            (TextureSlot::BaseColor, &surface.base_color_texture),
            (TextureSlot::MetallicRoughness, &surface.metallic_roughness_texture),
            (TextureSlot::Normal, &m.normal_texture),
            (TextureSlot::Occlusion, &m.occlusion_texture),
            (TextureSlot::Emissive, &m.emissive_texture),
        ];
        let textures = slots
            .into_iter()
            .filter_map(|(slot, info)| {
                let info = info.as_ref()?;
                Some(Texture { slot, image: self.image(gltf, info)?, uv_set: info.tex_coord })
            })
            .collect();
        let alpha_mode =
            m.alpha_mode.as_deref().filter(|a| matches!(*a, "MASK" | "BLEND")).unwrap_or("OPAQUE");
        Material {
            name: m.name.clone().unwrap_or_default(),
            base_color: surface.base_color_factor.unwrap_or([1.0; 4]),
            metallic: surface.metallic_factor.unwrap_or(1.0),
            roughness: surface.roughness_factor.unwrap_or(1.0),
            emissive: m.emissive(),
            alpha_mode: alpha_mode.into(),
            alpha_cutoff: m.alpha_cutoff.unwrap_or(0.5),
            double_sided: m.double_sided,
            textures,
        }
    }

    fn image(&mut self, gltf: &Gltf, info: &TextureInfo) -> Option<usize> {
        let source = gltf.root.textures.get(info.index)?.source?;
        if let Some(known) = self.known.get(&source) {
            return *known;
        }
        let image = match load(gltf, source) {
            Ok(image) => {
                self.images.push(image);
                Some(self.images.len() - 1)
            }
            Err(why) => {
                self.warnings.push(Warning::ImageLeftOut { image: source, why });
                None
            }
        };
        self.known.insert(source, image);
        image
    }
}

fn load(gltf: &Gltf, index: usize) -> std::result::Result<Image, String> {
    let image = gltf.root.images.get(index).ok_or("it does not exist")?;
    let bytes = match (&image.uri, image.buffer_view) {
        (Some(uri), _) => resolve(uri, &gltf.source).map_err(|e| e.to_string())?.to_vec(),
        (None, Some(view)) => gltf.view_bytes(view).map_err(|e| e.to_string())?.to_vec(),
        (None, None) => return Err("it has no data".into()),
    };
    // Files are known to mislabel images; the bytes do not lie.
    let mime_type = if bytes.starts_with(b"\x89PNG") {
        "image/png"
    } else if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        "image/jpeg"
    } else {
        let label = image.mime_type.as_deref().unwrap_or("of an unknown kind");
        return Err(format!("it is {label}, neither PNG nor JPEG"));
    };
    let file_name = || {
        let uri = image.uri.as_deref().filter(|u| !u.starts_with("data:"))?;
        Some(uri.rsplit('/').next().unwrap_or(uri).to_owned())
    };
    let name = image.name.clone().or_else(file_name).unwrap_or_else(|| format!("image_{index}"));
    Ok(Image { name, mime_type: mime_type.into(), bytes })
}
