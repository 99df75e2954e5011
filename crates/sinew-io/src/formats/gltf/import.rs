//! Any glTF file as a [`Rig`]: skins, plain moving nodes and morph targets all become bones, weights and
//! corrections.

use std::collections::HashMap;
use std::hash::Hash;

use glam::{DAffine3, DVec3, Vec3};
use sinew::geometry::{CornerLayer, Material, Mesh};
use sinew::lod::Level;
use sinew::rig::Corrections;

use super::appearance::Appearance;
use super::carried::Carried;
use super::chosen::Sampled;
use super::extensions;
use super::primitives::{Assembly, Follows};
use super::quantised::WholeNumbers;
use super::read::Gltf;
use super::sample::Motion;
use super::weld::{Weld, Welded, weld};
use crate::scene::assembled::Found;
use crate::scene::hierarchy::{BoneSource, NodeTree, hang_together};
use crate::scene::shapes::{columns, names};
use crate::scene::size::{place_rest, shown_size};
use crate::scene::skin::{bones, skin_weights};
use crate::scene::{SampleOptions, SampledRig};
use crate::warning::Remark;
use crate::{Result, Warning};

/// Bones found so far, each joint and inverse bind matrix once.
#[derive(Default)]
struct Palette {
    sources: Vec<BoneSource>,
    numbers: HashMap<(usize, [u64; 12]), u32>,
}

impl Palette {
    fn bone(&mut self, node: usize, inverse: DAffine3) -> u32 {
        let bits = inverse.to_cols_array().map(f64::to_bits);
        let next = self.sources.len() as u32;
        let number = *self.numbers.entry((node, bits)).or_insert(next);
        if number == next {
            self.sources.push(BoneSource { node, inverse });
        }
        number
    }
}

impl Gltf {
    /// Samples one clip, or several one after another, into a rig.
    ///
    /// All mesh instances of the default scene are there, in node order, one part each. Frame i of a clip
    /// shows the time i / fps.
    pub fn rig(&self, options: &SampleOptions) -> Result<SampledRig> {
        Ok(self.rig_and_levels(options)?.0)
    }

    /// The same, with the levels of detail that `MSFT_lod` names, the finest first, where they are over the
    /// vertices of the meshes they stand for.
    pub fn rig_and_levels(&self, options: &SampleOptions) -> Result<(SampledRig, Vec<Level>)> {
        let Sampled { motion, clips, animated } = self.sampled(&options.clips, options.fps)?;
        let mut palette = Palette::default();
        let mut assembly = Assembly::new();
        let instances = self.mesh_nodes()?;
        let whole = self.whole_numbers(&instances)?;
        let carried = self.carried(&instances, &whole)?;
        for &(node, mesh) in &instances {
            let follows = self.follows(node, carried[node], &whole, &mut palette)?;
            assembly.add(self, &motion, (node, mesh), &follows)?;
        }
        assembly.finish();
        if assembly.triangles.is_empty() {
            return Err(self.unsupported("the scene has no triangles"));
        }
        let mut warnings: Vec<Warning> = extensions::passed_over(&self.root).into_iter().collect();
        warnings.extend(motion.warnings.iter().cloned());
        warnings.extend(self.unkept().into_iter().map(Warning::NotKept));
        warnings.append(&mut assembly.warnings);
        let welded = weld(&assembly, self.weld_choice(options.weld));
        let mesh = self.mesh(&assembly, &welded, &mut warnings)?;
        let levels = self.levels(&instances, &assembly, &welded, &mesh, &mut warnings)?;
        let mut rest: Vec<Vec3> = welded.first.iter().map(|&v| assembly.positions[v]).collect();
        let weights = skin_weights(welded.first.iter().map(|&v| assembly.influences_of(v)));
        let mut transforms = self.transforms(&palette, &motion)?;
        let place = if self.is_ours() {
            self.packed_place()
        } else {
            let size = shown_size(&transforms).filter(|_| !self.root.skins.is_empty());
            size.map(|size| DAffine3::from_scale(DVec3::splat(size)))
        };
        if let Some(place) = place {
            place_rest(&place, &mut rest, &mut assembly.shapes, &mut palette.sources, &mut transforms);
        }
        let named = palette.sources.iter().map(|s| (self.node_name(s.node, "joint"), s));
        let bones = bones(named, &transforms, &weights, &rest);
        let (nodes, armature) = self.other_nodes(&palette.sources, &transforms, &motion, &mut warnings)?;
        let corrections = self.corrections(&assembly, &welded, motion.frames, &mut warnings)?;
        let light = self.light(&welded, &clips)?;
        let found = Found { mesh, rest, weights, bones, transforms, corrections, clips, animated };
        let mut sampled = found.sampled(self.source.path(), self.facts(), |_| Ok((nodes, armature)))?;
        let tree = self.node_tree(&palette.sources);
        warnings.extend(hang_together(&tree, &palette.sources, &mut sampled.rig));
        Ok((SampledRig { warnings, light, ..sampled }, levels))
    }

    fn node_tree(&self, sources: &[BoneSource]) -> NodeTree<'_> {
        let skins = &self.root.skins;
        let mut is_joint = vec![false; self.root.nodes.len()];
        for &joint in skins.iter().flat_map(|skin| &skin.joints) {
            if let Some(known) = is_joint.get_mut(joint) {
                *known = true;
            }
        }
        let named = |node: &usize| skins.iter().any(|s| s.skeleton == Some(*node));
        let alone = sources.first().map(|s| s.node).filter(named);
        NodeTree { parents: &self.parents, order: &self.order, is_joint, alone, carriers: &[] }
    }

    fn weld_choice(&self, wanted: Option<bool>) -> Weld {
        match wanted {
            Some(true) => Weld::Equal,
            Some(false) => Weld::Nothing,
            None if self.is_ours() => Weld::Sources,
            None => Weld::Equal,
        }
    }

    /// The bones a mesh instance follows, added to the palette.
    fn follows(
        &self,
        node: usize,
        carried: Option<Carried>,
        whole: &WholeNumbers,
        palette: &mut Palette,
    ) -> Result<Follows> {
        if let Some(skin) = self.root.nodes[node].skin {
            let joints = self.skin_joints(node, skin)?.into_iter();
            let bones = joints.map(|(joint, inverse)| palette.bone(joint, whole.inverse(node, inverse)));
            return Ok(Follows::Joints { bones: bones.collect(), place: whole.place(node) });
        }
        Ok(match carried {
            Some(c) if c.still => Follows::Bone { bone: palette.bone(c.joint, c.inverse), place: c.place },
            Some(c) => Follows::Bone { bone: palette.bone(node, c.place.inverse()), place: c.place },
            None => {
                let bone = palette.bone(node, whole.inverse(node, DAffine3::IDENTITY));
                Follows::Bone { bone, place: whole.place(node) }
            }
        })
    }

    fn transforms(&self, palette: &Palette, motion: &Motion) -> Result<Vec<DAffine3>> {
        let count = palette.sources.len().saturating_mul(motion.frames);
        let visits = self.root.nodes.len().saturating_mul(motion.frames);
        if count > self.source.limits().transforms || visits > self.source.limits().node_visits {
            return Err(self.unsupported(format!(
                "{} frames of {} bones are more than Sinew samples from one clip; choose a lower frame rate",
                motion.frames,
                palette.sources.len()
            )));
        }
        let mut transforms = Vec::with_capacity(count);
        for frame in 0..motion.frames {
            let worlds = self.worlds(motion, frame);
            transforms.extend(palette.sources.iter().map(|s| worlds[s.node] * s.inverse));
            let of_frame = &transforms[frame * palette.sources.len()..];
            if let Some(bone) = of_frame.iter().position(|t| !t.is_finite()) {
                let name = self.node_name(palette.sources[bone].node, "joint");
                return Err(self.malformed(format!("joint {name} has no finite transform in frame {frame}")));
            }
        }
        Ok(transforms)
    }

    fn mesh(&self, assembly: &Assembly, welded: &Welded, warnings: &mut Vec<Warning>) -> Result<Mesh> {
        let mut mesh = faces(assembly, welded, &assembly.triangles);
        mesh.parts = welded.parts.clone();
        if assembly.materials.iter().any(Option::is_some) {
            let mut appearance = Appearance::read(self)?;
            appearance.choose_uvs(|number| match number {
                number if number == assembly.uv_number => Some(0),
                number => assembly.layers.uv_set(number).map(|set| set + 1),
            });
            warnings.append(&mut appearance.warnings);
            let plain = appearance.materials.len();
            if assembly.materials.iter().any(Option::is_none) {
                appearance.materials.push(Material { name: "default".into(), ..Material::default() });
            }
            mesh.face_materials = assembly.materials.iter().map(|m| m.unwrap_or(plain) as u32).collect();
            mesh.materials = appearance.materials;
            mesh.images = appearance.images;
        }
        Ok(mesh)
    }

    /// Morph targets as corrections: one basis shape for each name and coefficient curve.
    fn corrections(
        &self,
        assembly: &Assembly,
        welded: &Welded,
        frames: usize,
        warnings: &mut Vec<Warning>,
    ) -> Result<Option<Corrections>> {
        if assembly.shapes.is_empty() {
            return Ok(None);
        }
        let columns = columns(&assembly.shapes);
        let (rank, n) = (columns.len(), welded.first.len());
        if rank.saturating_mul(n) > self.source.limits().displacements {
            return Err(self.unsupported("the scene's morph targets need more memory than Sinew gives them"));
        }
        let mut out = Corrections {
            rank,
            basis: vec![Vec3::ZERO; rank * n],
            normals: Vec::new(),
            coefficients: vec![0.0; rank * frames],
            names: names(&columns),
        };
        let with_normals = assembly.shapes.iter().any(|s| !s.normals.is_empty());
        if with_normals && welded_normals_agree(assembly, welded) {
            out.normals = vec![Vec3::ZERO; rank * n];
        } else if with_normals {
            warnings.push(Remark::MorphNormals.into());
        }
        for (r, column) in columns.iter().enumerate() {
            for shape in column {
                let start = assembly.parts[shape.part].vertices.start;
                for new in welded.parts[shape.part].vertices.clone() {
                    let stored = welded.first[new] - start;
                    out.basis[r * n + new] = shape.deltas[stored];
                    if let (Some(to), Some(from)) =
                        (out.normals.get_mut(r * n + new), shape.normals.get(stored))
                    {
                        *to = *from;
                    }
                }
            }
            for (frame, &q) in column[0].coefficients.iter().enumerate() {
                out.coefficients[frame * rank + r] = q;
            }
        }
        Ok(Some(out))
    }
}

/// A mesh of triangles of stored vertices, with the UVs and normals those have.
pub(super) fn faces(assembly: &Assembly, welded: &Welded, triangles: &[[u32; 3]]) -> Mesh {
    let new: Vec<[u32; 3]> = triangles.iter().map(|t| t.map(|v| welded.to_new[v as usize])).collect();
    let mut mesh = Mesh::from_triangles(welded.first.len(), &new);
    let stored = triangles.as_flattened();
    if !assembly.uvs.is_empty() {
        mesh.uvs = Some(corner_layer(stored, &assembly.uvs, |v| v.to_array().map(f32::to_bits)));
    }
    if !assembly.normals.is_empty() {
        mesh.normals = Some(corner_layer(stored, &assembly.normals, |v| v.to_array().map(f32::to_bits)));
    }
    mesh.attributes = assembly.layers.attributes(&mesh, stored);
    mesh
}

/// Whether vertices that became one have the same morphed normals.
fn welded_normals_agree(assembly: &Assembly, welded: &Welded) -> bool {
    assembly.shapes.iter().filter(|s| !s.normals.is_empty()).all(|s| {
        let vertices = assembly.parts[s.part].vertices.clone();
        let start = vertices.start;
        vertices.into_iter().all(|v| {
            let first = welded.first[welded.to_new[v] as usize];
            s.normals[v - start] == s.normals[first - start]
        })
    })
}

/// Values of the corners, each distinct one stored once, in order of first appearance.
fn corner_layer<T: Copy, K: Eq + Hash>(
    corners: &[u32],
    values: &[T],
    key: impl Fn(T) -> K,
) -> CornerLayer<T> {
    let mut layer = CornerLayer { values: Vec::new(), indices: Vec::with_capacity(corners.len()) };
    let mut numbers = HashMap::new();
    for &corner in corners {
        let value = values[corner as usize];
        let index = *numbers.entry(key(value)).or_insert_with(|| {
            layer.values.push(value);
            layer.values.len() as u32 - 1
        });
        layer.indices.push(index);
    }
    layer
}
