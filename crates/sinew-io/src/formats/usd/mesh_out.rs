//! Parts of a mesh as Mesh prims, and what they look like.

use std::collections::BTreeMap;
use std::io::Result;

use glam::{Vec2, Vec3};
use sinew::geometry::{AttributeKind, Bounds, CornerLayer, Image, Material, Mesh, Part, TextureSlot};

use super::attributes_out::{primvar_names, write_attributes};
use super::prose::{Identifiers, Prose, identifier, quoted};
use crate::Warning;
use crate::warning::Remark;

/// A name that prims may not have, beside the one they have instead.
pub(super) const NAME: &str = "sinew:name";

/// Says what something is called, where its prim may not be called so.
pub(super) fn write_name(prose: &mut Prose, prim: &str, name: &str) -> Result<()> {
    if prim == name { Ok(()) } else { prose.line(format!("custom string {NAME} = {}", quoted(name))) }
}

/// The parts of a mesh, or all of it under one name.
pub(super) fn parts(mesh: &Mesh, name: &str) -> Vec<Part> {
    if !mesh.parts.is_empty() {
        return mesh.parts.clone();
    }
    vec![Part { name: name.into(), faces: 0..mesh.face_count(), vertices: 0..mesh.vertex_count }]
}

/// A mesh as it is written: each part with the name of its prim.
pub(super) struct Shown<'a> {
    pub mesh: &'a Mesh,
    pub parts: Vec<(String, Part)>,
    pub normals: Option<CornerLayer<Vec3>>,
    /// Path of the prim that all is in.
    pub root: String,
    /// Names of the materials' prims.
    materials: Vec<String>,
    /// Names of the attributes' primvars.
    primvars: Vec<String>,
    /// Names of all other prims in the root.
    pub taken: Identifiers,
}

impl<'a> Shown<'a> {
    /// `taken` are names of other prims in the root.
    pub fn new(mesh: &'a Mesh, root: &str, name: &str, taken: &[&str]) -> Self {
        let mut names = Identifiers::default();
        taken.iter().for_each(|name| _ = names.unique(name));
        let parts = parts(mesh, name).into_iter().filter(|p| !p.vertices.is_empty());
        let parts = parts.map(|part| (names.unique(&part.name), part)).collect();
        let mut of_materials = Identifiers::default();
        let materials = mesh.materials.iter().map(|m| of_materials.unique(&m.name)).collect();
        let primvars = primvar_names(mesh);
        Self { mesh, parts, normals: None, root: root.into(), materials, primvars, taken: names }
    }

    /// Facts in the round brackets of a part's prim.
    pub fn facts(&self, part: &Part, others: &[&str]) -> Vec<String> {
        let mut schemas: Vec<String> = others.iter().map(|s| quoted(s)).collect();
        if !self.face_materials(part).is_empty() {
            schemas.push(quoted("MaterialBindingAPI"));
        }
        if schemas.is_empty() {
            Vec::new()
        } else {
            vec![format!("prepend apiSchemas = [{}]", schemas.join(", "))]
        }
    }

    /// Faces of each material of a part, counted within it.
    fn face_materials(&self, part: &Part) -> BTreeMap<u32, Vec<u32>> {
        let mut found: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (i, face) in part.faces.clone().enumerate() {
            if let Some(&material) = self.mesh.face_materials.get(face) {
                found.entry(material).or_default().push(i as u32);
            }
        }
        found
    }

    /// Everything about a part but its points.
    pub fn write_faces(&self, prose: &mut Prose, prim: &str, part: &Part) -> Result<()> {
        write_name(prose, prim, &part.name)?;
        let mesh = self.mesh;
        let start = part.vertices.start as u32;
        let faces = || part.faces.clone();
        let corners = || faces().flat_map(|f| mesh.corner_range(f));
        prose.line("uniform token subdivisionScheme = \"none\"")?;
        prose.array("int[] faceVertexCounts", faces().map(|f| mesh.corner_range(f).len() as u32), &[])?;
        prose.array("int[] faceVertexIndices", corners().map(|c| mesh.corners[c] - start), &[])?;
        if let Some(normals) = &self.normals {
            match self.vertex_normals(normals, part) {
                Some(values) => prose.array("normal3f[] normals", values, &["interpolation = \"vertex\""])?,
                None => {
                    let values = corners().map(|c| normals.values[normals.indices[c] as usize]);
                    prose.array("normal3f[] normals", values, &["interpolation = \"faceVarying\""])?;
                }
            }
        }
        if let Some(uvs) = &mesh.uvs {
            // Each value of the part once, in the order of first use.
            let mut places = vec![u32::MAX; uvs.values.len()];
            let (mut values, mut indices) = (Vec::new(), Vec::new());
            for c in corners() {
                let place = &mut places[uvs.indices[c] as usize];
                if *place == u32::MAX {
                    *place = values.len() as u32;
                    let uv = uvs.values[uvs.indices[c] as usize];
                    values.push(Vec2::new(uv.x, (1.0 - f64::from(uv.y)) as f32));
                }
                indices.push(*place);
            }
            prose.array("texCoord2f[] primvars:st", values, &["interpolation = \"faceVarying\""])?;
            prose.array("int[] primvars:st:indices", indices, &[])?;
        }
        write_attributes(prose, mesh, &self.primvars, part)?;
        self.write_bindings(prose, part)
    }

    /// The primvar of a UV set, by its number.
    fn uv_set(&self, number: usize) -> &str {
        let mut sets = self.mesh.attributes.iter().zip(&self.primvars);
        let found = sets.by_ref().filter(|(a, _)| a.kind == AttributeKind::Uv).nth(number.wrapping_sub(1));
        found.map_or("st", |(_, name)| name)
    }

    /// The primvar that a material shows as its colour: the first colour of the mesh, where nothing else gives one.
    fn color_of(&self, material: &Material) -> Option<&str> {
        let white = material.base_color[..3].iter().all(|x| *x == 1.0);
        let painted = material.textures.iter().any(|t| t.slot == TextureSlot::BaseColor);
        let mut colors = self.mesh.attributes.iter().zip(&self.primvars);
        let first = colors.find(|(a, _)| a.kind == AttributeKind::Color);
        first.filter(|_| white && !painted).map(|(_, name)| &name[..])
    }

    /// The normal of each vertex of a part, where all corners at it have the same. Only to such normals does OpenUSD
    /// add what blend shapes do to them.
    fn vertex_normals(&self, normals: &CornerLayer<Vec3>, part: &Part) -> Option<Vec<Vec3>> {
        let mut found: Vec<Option<Vec3>> = vec![None; part.vertices.len()];
        for c in part.faces.clone().flat_map(|f| self.mesh.corner_range(f)) {
            let normal = normals.values[normals.indices[c] as usize];
            let vertex = self.mesh.corners[c] as usize - part.vertices.start;
            if *found[vertex].get_or_insert(normal) != normal {
                return None;
            }
        }
        // Vertices of no face are never lit.
        Some(found.into_iter().map(|normal| normal.unwrap_or(Vec3::Y)).collect())
    }

    fn write_bindings(&self, prose: &mut Prose, part: &Part) -> Result<()> {
        let found = self.face_materials(part);
        let path = |m: u32| format!("{}/Looks/{}", self.root, self.materials[m as usize]);
        if found.len() == 1 {
            let material = found.keys().next().copied().unwrap_or(0);
            return prose.line(format!("rel material:binding = <{}>", path(material)));
        }
        if !found.is_empty() {
            prose.line("uniform token subsetFamily:materialBind:familyType = \"partition\"")?;
        }
        for (material, faces) in found {
            let head = format!("def GeomSubset {}", quoted(&self.materials[material as usize]));
            prose.prim(&head, &["prepend apiSchemas = [\"MaterialBindingAPI\"]".into()], |prose| {
                prose.line("uniform token elementType = \"face\"")?;
                prose.line("uniform token familyName = \"materialBind\"")?;
                prose.array("int[] indices", faces, &[])?;
                prose.line(format!("rel material:binding = <{}>", path(material)))
            })?;
        }
        Ok(())
    }

    /// The materials, in a scope of their own.
    pub fn write_looks(&self, prose: &mut Prose, with_images: bool) -> Result<()> {
        if self.mesh.face_materials.is_empty() {
            return Ok(());
        }
        let images = image_names(self.mesh);
        prose.prim("def Scope \"Looks\"", &[], |prose| {
            for (prim, material) in self.materials.iter().zip(&self.mesh.materials) {
                let path = format!("{}/Looks/{prim}", self.root);
                let shown = material.textures.iter().filter(|_| with_images);
                let textures: Vec<Shader> = shown
                    .filter_map(|t| {
                        let image = images.get(t.image)?;
                        Some(Shader { slot: t.slot, image, primvar: self.uv_set(t.uv_set) })
                    })
                    .collect();
                prose.prim(&format!("def Material {}", quoted(prim)), &[], |prose| {
                    write_name(prose, prim, &material.name)?;
                    write_material(prose, &path, material, &textures, self.color_of(material))
                })?;
            }
            Ok(())
        })
    }
}

/// A texture as it is written.
struct Shader<'a> {
    slot: TextureSlot,
    image: &'a str,
    /// The UVs it lies on.
    primvar: &'a str,
}

fn write_material(
    prose: &mut Prose,
    path: &str,
    material: &Material,
    textures: &[Shader],
    color: Option<&str>,
) -> Result<()> {
    prose.line(format!("token outputs:surface.connect = <{path}/Surface.outputs:surface>"))?;
    prose.prim("def Shader \"Surface\"", &[], |prose| {
        prose.line("uniform token info:id = \"UsdPreviewSurface\"")?;
        let [r, g, b, a] = material.base_color;
        prose.line(format!("color3f inputs:diffuseColor = ({r}, {g}, {b})"))?;
        let [r, g, b] = material.emissive;
        prose.line(format!("color3f inputs:emissiveColor = ({r}, {g}, {b})"))?;
        prose.line(format!("float inputs:metallic = {}", material.metallic))?;
        prose.line(format!("float inputs:roughness = {}", material.roughness))?;
        prose.line(format!("float inputs:opacity = {a}"))?;
        if material.alpha_mode == "MASK" {
            prose.line(format!("float inputs:opacityThreshold = {}", material.alpha_cutoff))?;
        }
        if color.is_some() {
            prose.line(format!("color3f inputs:diffuseColor.connect = <{path}/Color.outputs:result>"))?;
        }
        for Shader { slot, .. } in textures {
            let Some((input, output)) = input(*slot) else { continue };
            prose.line(format!("{input}.connect = <{path}/{slot:?}.outputs:{output}>"))?;
        }
        prose.line("token outputs:surface")
    })?;
    if let Some(primvar) = color {
        write_reader(prose, "Color", "float3", primvar)?;
    }
    // One reader for each set of UVs.
    let mut sets: Vec<&str> = Vec::new();
    for Shader { primvar, .. } in textures {
        if !sets.contains(primvar) {
            sets.push(primvar);
            write_reader(prose, &reader_of(primvar), "float2", primvar)?;
        }
    }
    for Shader { slot, image, primvar } in textures {
        let Some((_, output)) = input(*slot) else { continue };
        prose.prim(&format!("def Shader \"{slot:?}\""), &[], |prose| {
            prose.line("uniform token info:id = \"UsdUVTexture\"")?;
            prose.line(format!("asset inputs:file = @{image}@"))?;
            prose.line("token inputs:wrapS = \"repeat\"")?;
            prose.line("token inputs:wrapT = \"repeat\"")?;
            prose
                .line(format!("float2 inputs:st.connect = <{path}/{}.outputs:result>", reader_of(primvar)))?;
            let kind = if output == "rgb" { "float3" } else { "float" };
            prose.line(format!("{kind} outputs:{output}"))
        })?;
    }
    Ok(())
}

/// The prim that reads a set of UVs.
fn reader_of(primvar: &str) -> String {
    if primvar == "st" { "UVs".into() } else { format!("UVs_{primvar}") }
}

fn write_reader(prose: &mut Prose, name: &str, kind: &str, primvar: &str) -> Result<()> {
    prose.prim(&format!("def Shader {}", quoted(name)), &[], |prose| {
        prose.line(format!("uniform token info:id = \"UsdPrimvarReader_{kind}\""))?;
        prose.line(format!("string inputs:varname = {}", quoted(primvar)))?;
        prose.line(format!("{kind} outputs:result"))
    })
}

/// The input of a surface that a texture goes to, and which of its channels.
fn input(slot: TextureSlot) -> Option<(&'static str, &'static str)> {
    match slot {
        TextureSlot::BaseColor => Some(("color3f inputs:diffuseColor", "rgb")),
        TextureSlot::Normal => Some(("normal3f inputs:normal", "rgb")),
        TextureSlot::Occlusion => Some(("float inputs:occlusion", "r")),
        TextureSlot::Emissive => Some(("color3f inputs:emissiveColor", "rgb")),
        TextureSlot::MetallicRoughness => None,
    }
}

/// What a mesh's images are called in a package.
fn image_names(mesh: &Mesh) -> Vec<String> {
    let mut names = Identifiers::default();
    let name = |image: &Image| {
        let end = if image.mime_type == "image/jpeg" { "jpg" } else { "png" };
        format!("textures/{}.{end}", names.unique(&image.name))
    };
    mesh.images.iter().map(name).collect()
}

/// Images and their names in a package.
pub(super) fn images(mesh: &Mesh) -> Vec<(String, &Image)> {
    image_names(mesh).into_iter().zip(&mesh.images).collect()
}

/// Says what of a mesh's look cannot be carried.
pub(super) fn warn(mesh: &Mesh, packaged: bool, warnings: &mut Vec<Warning>) {
    if !packaged && mesh.materials.iter().any(|m| !m.textures.is_empty()) {
        warnings.push(Remark::ImagesOnlyInPackages.into());
    }
    let metallic = |m: &Material| m.textures.iter().any(|t| t.slot == TextureSlot::MetallicRoughness);
    if packaged && mesh.materials.iter().any(metallic) {
        warnings.push(Remark::MetalImages.into());
    }
}

/// The box around some points.
pub(super) fn write_extent(prose: &mut Prose, points: &[Vec3]) -> Result<()> {
    let bounds = Bounds::of(points);
    prose.array("float3[] extent", [bounds.min, bounds.max], &[])
}

/// Name and path of the prim that all is in.
pub(super) fn root_of(name: &str) -> (String, String) {
    let prim = identifier(name);
    let path = format!("/{prim}");
    (prim, path)
}

/// What the file says about itself: its topmost prim, frame rate and last frame, and the length of a unit.
pub(super) fn write_head(prose: &mut Prose, root: &str, (fps, last): (f64, f64), meters: f64) -> Result<()> {
    prose.line("#usda 1.0")?;
    prose.line("(")?;
    prose.line("    customLayerData = {")?;
    prose.line(format!("        string creator = \"Sinew {}\"", env!("CARGO_PKG_VERSION")))?;
    prose.line("    }")?;
    prose.line(format!("    defaultPrim = {}", quoted(root)))?;
    prose.line(format!("    endTimeCode = {last}"))?;
    prose.line(format!("    framesPerSecond = {fps}"))?;
    prose.line(format!("    metersPerUnit = {meters}"))?;
    prose.line("    startTimeCode = 0")?;
    prose.line(format!("    timeCodesPerSecond = {fps}"))?;
    prose.line("    upAxis = \"Y\"")?;
    prose.line(")")?;
    prose.line("")
}
