//! Any glTF file as a [`Rig`]: skins, plain moving nodes and morph targets all become bones, weights and
//! corrections.

use std::collections::HashMap;
use std::hash::Hash;

use glam::{DAffine3, DVec3, Vec3};
use sinew::geometry::{CornerLayer, Material, Mesh};
use sinew::light::Light;
use sinew::lod::Level;
use sinew::rig::{Bone, Corrections, Rig, SkinWeights};

use super::appearance::Appearance;
use super::bones::{RIGID_ROTATION, is_rotation};
use super::carried::Carried;
use super::chosen::Sampled;
use super::hierarchy::{BoneSource, hang_together};
use super::names::Names;
use super::primitives::{Assembly, Follows, Shape};
use super::read::Gltf;
use super::sample::Motion;
use super::size::{place_rest, shown_size};
use super::weld::{Weld, Welded, weld};
use crate::Result;

/// Bone transforms a clip may have: frames times bones.
pub(super) const MOST_TRANSFORMS: usize = 1 << 22;
/// Node transforms a clip may need: frames times nodes.
pub(super) const MOST_NODE_VISITS: usize = 1 << 26;
/// Displacements the corrections may have: morph targets times vertices.
const MOST_DISPLACEMENTS: usize = 1 << 26;

/// How a file becomes a rig.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleOptions {
    /// Names of the clips, or their numbers counted from 0, or "all". The first one without.
    pub clips: Vec<String>,
    /// Frames per second to sample at. Without: that of each clip's keys, or 30 when they follow no beat.
    pub fps: Option<f64>,
    /// Whether to make one vertex of those with the same position, influences and morph displacements.
    /// Without: yes, except that files written by Sinew get exactly the vertices back they were written
    /// from.
    pub weld: Option<bool>,
}

/// A rig read from a file.
#[derive(Clone, Debug)]
pub struct SampledRig {
    /// The rig; its rest pose is the mesh as stored, and what joints carry without a skin where the bind pose
    /// has them. Where the joints of a scene make everything larger, it is that much larger.
    pub rig: Rig,
    /// What had to be repaired or left out, for people.
    pub warnings: Vec<String>,
    /// The clip that was sampled; `None` when the file has no animation, or several were: the rig names
    /// those.
    pub clip: Option<String>,
    /// Light over the vertices in every frame, where the file holds any ([`sinew::light`]).
    pub light: Option<Light>,
}

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
        let Sampled { motion, mut clips, animated } = self.sampled(&options.clips, options.fps)?;
        let mut palette = Palette::default();
        let mut assembly = Assembly::new();
        let instances = self.mesh_nodes()?;
        let carried = self.carried(&instances)?;
        for &(node, mesh) in &instances {
            let follows = self.follows(node, carried[node], &mut palette)?;
            assembly.add(self, &motion, (node, mesh), &follows)?;
        }
        assembly.finish();
        if assembly.triangles.is_empty() {
            return Err(self.unsupported("the scene has no triangles"));
        }
        let mut warnings = motion.warnings.clone();
        warnings.append(&mut assembly.warnings);
        let welded = weld(&assembly, self.weld_choice(options.weld));
        let mesh = self.mesh(&assembly, &welded, &mut warnings)?;
        let levels = self.levels(&instances, &assembly, &welded, &mesh, &mut warnings)?;
        let mut rest: Vec<Vec3> = welded.first.iter().map(|&v| assembly.positions[v]).collect();
        let weights = skin_weights(&assembly, &welded);
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
        if let Some(vertex) = rest.iter().position(|p| !p.is_finite()) {
            return Err(self.malformed(format!("vertex {vertex} of the rest pose is not a finite number")));
        }
        let bones = self.bones(&palette, &transforms, &weights, &rest);
        let corrections = self.corrections(&assembly, &welded, motion.frames, &mut warnings)?;
        let light = self.light(&welded, &clips)?;
        let fps = clips[0].fps;
        // A rig of one clip states none.
        let clip = (clips.len() == 1).then(|| clips.remove(0)).filter(|_| animated).map(|c| c.name);
        let mut rig = Rig { mesh, rest, weights, bones, transforms, skeleton: None, corrections, fps, clips };
        let consistent =
            rig.validate().map_err(|e| e.to_string()).and(rig.mesh.validate().map_err(|e| e.to_string()));
        consistent.map_err(|e| self.malformed(e))?;
        hang_together(self, &palette.sources, &mut rig);
        Ok((SampledRig { rig, warnings, clip, light }, levels))
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
    fn follows(&self, node: usize, carried: Option<Carried>, palette: &mut Palette) -> Result<Follows> {
        if let Some(skin) = self.root.nodes[node].skin {
            let joints = self.skin_joints(node, skin)?.into_iter();
            return Ok(Follows::Joints(
                joints.map(|(joint, inverse)| palette.bone(joint, inverse)).collect(),
            ));
        }
        Ok(match carried {
            Some(c) if c.still => Follows::Bone { bone: palette.bone(c.joint, c.inverse), place: c.place },
            Some(c) => Follows::Bone { bone: palette.bone(node, c.place.inverse()), place: c.place },
            None => Follows::Bone { bone: palette.bone(node, DAffine3::IDENTITY), place: DAffine3::IDENTITY },
        })
    }

    fn transforms(&self, palette: &Palette, motion: &Motion) -> Result<Vec<DAffine3>> {
        let count = palette.sources.len().saturating_mul(motion.frames);
        let visits = self.root.nodes.len().saturating_mul(motion.frames);
        if count > MOST_TRANSFORMS || visits > MOST_NODE_VISITS {
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

    fn bones(
        &self,
        palette: &Palette,
        transforms: &[DAffine3],
        weights: &SkinWeights,
        rest: &[Vec3],
    ) -> Vec<Bone> {
        let count = palette.sources.len();
        let (mut sums, mut totals) = (vec![DVec3::ZERO; count], vec![0.0; count]);
        for (vertex, p) in rest.iter().enumerate() {
            let (bones, weights) = weights.of(vertex);
            for (&bone, &w) in bones.iter().zip(weights) {
                sums[bone as usize] += p.as_dvec3() * f64::from(w);
                totals[bone as usize] += f64::from(w);
            }
        }
        let mut rigid = vec![true; count];
        for frame in transforms.chunks_exact(count) {
            for (r, t) in rigid.iter_mut().zip(frame) {
                *r &= is_rotation(t.matrix3, RIGID_ROTATION);
            }
        }
        let mut names = Names::default();
        palette
            .sources
            .iter()
            .enumerate()
            .map(|(b, source)| {
                // A bone that moves nothing sits where its joint was when it was bound.
                let joint = source.inverse.inverse().translation;
                let idle = if joint.is_finite() { joint } else { DVec3::ZERO };
                let center = if totals[b] > 0.0 { sums[b] / totals[b] } else { idle };
                let name = names.unique(self.node_name(source.node, "joint"));
                Bone { name, center, rigid: rigid[b] }
            })
            .collect()
    }

    fn mesh(&self, assembly: &Assembly, welded: &Welded, warnings: &mut Vec<String>) -> Result<Mesh> {
        let mut mesh = faces(assembly, welded, &assembly.triangles);
        mesh.parts = welded.parts.clone();
        if assembly.materials.iter().any(Option::is_some) {
            let mut appearance = Appearance::read(self)?;
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

    /// Morph targets as corrections: one basis shape for each coefficient curve, the strongest first.
    fn corrections(
        &self,
        assembly: &Assembly,
        welded: &Welded,
        frames: usize,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Corrections>> {
        if assembly.shapes.is_empty() {
            return Ok(None);
        }
        let columns = columns(&assembly.shapes);
        let (rank, n) = (columns.len(), welded.first.len());
        if rank.saturating_mul(n) > MOST_DISPLACEMENTS {
            return Err(self.unsupported("the scene's morph targets need more memory than Sinew gives them"));
        }
        let mut out = Corrections {
            rank,
            basis: vec![Vec3::ZERO; rank * n],
            normals: Vec::new(),
            coefficients: vec![0.0; rank * frames],
        };
        let with_normals = assembly.shapes.iter().any(|s| !s.normals.is_empty());
        if with_normals && welded_normals_agree(assembly, welded) {
            out.normals = vec![Vec3::ZERO; rank * n];
        } else if with_normals {
            warnings.push("normals of morph targets differ along hard edges and were left out".into());
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
    mesh
}

/// Shapes of different parts that move alike make one basis shape; the strongest come first.
fn columns(shapes: &[Shape]) -> Vec<Vec<&Shape>> {
    let mut columns: Vec<Vec<&Shape>> = Vec::new();
    let mut by_curve: HashMap<Vec<u32>, Vec<usize>> = HashMap::new();
    for shape in shapes {
        let curve = shape.coefficients.iter().map(|q| q.to_bits()).collect();
        let known = by_curve.entry(curve).or_default();
        let free = known.iter().find(|&&c| columns[c].iter().all(|s| s.part != shape.part));
        match free {
            Some(&column) => columns[column].push(shape),
            None => {
                known.push(columns.len());
                columns.push(vec![shape]);
            }
        }
    }
    let energy = |column: &Vec<&Shape>| {
        let squares: f64 = column.iter().flat_map(|s| &s.deltas).map(|d| d.as_dvec3().length_squared()).sum();
        squares * column[0].coefficients.iter().map(|q| f64::from(*q).powi(2)).sum::<f64>()
    };
    columns.sort_by_cached_key(|c| std::cmp::Reverse(energy(c).to_bits()));
    columns
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

fn skin_weights(assembly: &Assembly, welded: &Welded) -> SkinWeights {
    let rows = || welded.first.iter().map(|&v| assembly.influences_of(v));
    let per_vertex = rows().map(<[_]>::len).max().unwrap_or(1);
    let slots = per_vertex * welded.first.len();
    let mut out = SkinWeights { per_vertex, bones: vec![0; slots], weights: vec![0.0; slots] };
    for (vertex, row) in rows().enumerate() {
        for (slot, &(bone, weight)) in row.iter().enumerate() {
            out.bones[vertex * per_vertex + slot] = bone;
            out.weights[vertex * per_vertex + slot] = weight;
        }
    }
    out
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
