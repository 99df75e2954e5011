//! What faces look like: materials, the images they use and where on the mesh those lie.

/// A surface material: the metallic-roughness model of glTF 2.0, which OBJ's colours map onto.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the file it came from.
    pub name: String,
    /// Linear red, green, blue and opacity.
    pub base_color: [f32; 4],
    /// 0 for dielectrics, 1 for metals.
    pub metallic: f32,
    /// 0 for mirrors, 1 for chalk.
    pub roughness: f32,
    /// Linear emitted colour.
    pub emissive: [f32; 3],
    /// `OPAQUE`, `MASK` or `BLEND`.
    pub alpha_mode: String,
    /// Opacity below which a masked surface is not drawn.
    pub alpha_cutoff: f32,
    /// Whether back faces are drawn.
    pub double_sided: bool,
    /// Textures, at most one a slot.
    pub textures: Vec<Texture>,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            metallic: 0.0,
            roughness: 0.8,
            emissive: [0.0; 3],
            alpha_mode: "OPAQUE".into(),
            alpha_cutoff: 0.5,
            double_sided: false,
            textures: Vec::new(),
        }
    }
}

impl Material {
    /// The emitted colour as one of at most white and how strong it is, at least 1, for formats that have no brighter colours.
    pub fn glow(&self) -> ([f32; 3], f32) {
        let strength = self.emissive.iter().copied().filter(|c| c.is_finite()).fold(1.0, f32::max);
        (self.emissive.map(|c| c / strength), strength)
    }
}

/// An image on a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Texture {
    /// What it controls.
    pub slot: TextureSlot,
    /// The image, by its number among those of the mesh.
    pub image: usize,
    /// The UVs it lies on: 0 for the mesh's own, n for the nth UV set among its attributes.
    pub uv_set: usize,
}

impl Texture {
    /// An image on the first UVs.
    pub fn new(slot: TextureSlot, image: usize) -> Self {
        Self { slot, image, uv_set: 0 }
    }
}

/// What a texture of a material controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextureSlot {
    /// Multiplies the base colour.
    BaseColor,
    /// Green is roughness, blue is metalness.
    MetallicRoughness,
    /// Tangent-space normals.
    Normal,
    /// Red is ambient occlusion.
    Occlusion,
    /// Multiplies the emitted colour.
    Emissive,
}

/// An image file, carried along undecoded.
#[derive(Clone, Debug, PartialEq)]
pub struct Image {
    /// Name for people.
    pub name: String,
    /// `image/png` or `image/jpeg`.
    pub mime_type: String,
    /// The file's bytes.
    pub bytes: Vec<u8>,
}
