//! Collecting the meshes of a scene: every vertex of every primitive, in node order.

use std::ops::Range;

use glam::{DAffine3, Vec2, Vec3};
use sinew::geometry::{Part, vertex_normals};

use super::attributes::Layers;
use super::read::Gltf;
use super::sample::Motion;
use super::schema::{Primitive, TRIANGLE_FAN, TRIANGLE_STRIP};
use crate::scene::repairs::Repairs;
use crate::scene::shapes::Shape;
use crate::warning::Counted;
use crate::{Result, Warning};

/// Stored vertices a scene may have once its instances are laid out.
const MOST_VERTICES: usize = 1 << 24;
/// Numbers that morph targets may expand to.
const MOST_MORPH_NUMBERS: usize = 1 << 26;

/// All mesh instances of a scene, vertices as stored: seams still split, one part per node.
#[derive(Default)]
pub(super) struct Assembly {
    pub positions: Vec<Vec3>,
    /// Where each vertex's influences start; one entry more than there are vertices.
    pub influence_starts: Vec<usize>,
    /// (bone, weight), largest weight first, each bone once.
    pub influences: Vec<(u32, f32)>,
    /// Empty when no primitive has UVs.
    pub uvs: Vec<Vec2>,
    /// The file's number of those UVs.
    pub uv_number: usize,
    /// Further attributes.
    pub layers: Layers,
    /// Empty when no primitive has normals.
    pub normals: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Material of each triangle, as the file numbers them.
    pub materials: Vec<Option<usize>>,
    pub parts: Vec<Part>,
    /// Parts whose faces had to be turned round.
    pub turned: Vec<usize>,
    /// Morph targets that are ever used.
    pub shapes: Vec<Shape>,
    /// Which vertex of the rig each vertex was before the file was written, where the file says so.
    pub sources: Vec<Option<u32>>,
    /// What had to be repaired or left out, for people.
    pub warnings: Vec<Warning>,
    /// Vertices without normals in the file.
    unshaded: Vec<Range<usize>>,
    repairs: Repairs,
}

/// Which bones a mesh instance follows.
pub(super) enum Follows {
    /// The bones of a skin's joints, in the skin's order, which are at rest where `place` puts the vertices of the file.
    Joints { bones: Vec<u32>, place: DAffine3 },
    /// One bone, likewise.
    Bone { bone: u32, place: DAffine3 },
}

impl Follows {
    fn place(&self) -> &DAffine3 {
        match self {
            Self::Joints { place, .. } | Self::Bone { place, .. } => place,
        }
    }
}

impl Gltf {
    /// Triangles of a primitive of so many vertices.
    pub(super) fn triangles(
        &self,
        primitive: &Primitive,
        count: usize,
        place: &str,
    ) -> Result<Vec<[u32; 3]>> {
        let indices = match primitive.indices {
            Some(accessor) => self.integers(accessor, "SCALAR")?,
            None => (0..count as u32).collect(),
        };
        if let Some(bad) = indices.iter().find(|i| **i as usize >= count) {
            return Err(self.malformed(format!("{place} uses vertex {bad}, but it has only {count}")));
        }
        Ok(match primitive.mode {
            // Every second triangle of a strip is wound the other way.
            TRIANGLE_STRIP => indices
                .windows(3)
                .enumerate()
                .map(|(i, w)| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
                .collect(),
            TRIANGLE_FAN => indices.windows(2).skip(1).map(|w| [indices[0], w[0], w[1]]).collect(),
            _ => indices.chunks_exact(3).map(|w| [w[0], w[1], w[2]]).collect(),
        })
    }
}

impl Assembly {
    pub fn new() -> Self {
        Self { influence_starts: vec![0], ..Self::default() }
    }

    pub fn influences_of(&self, vertex: usize) -> &[(u32, f32)] {
        &self.influences[self.influence_starts[vertex]..self.influence_starts[vertex + 1]]
    }

    /// Adds all primitives of a mesh instance as one part.
    pub fn add(
        &mut self,
        gltf: &Gltf,
        motion: &Motion,
        (node, mesh): (usize, usize),
        follows: &Follows,
    ) -> Result<()> {
        let (first_vertex, first_face) = (self.positions.len(), self.triangles.len());
        let drawn: Vec<usize> = (0..gltf.root.meshes[mesh].primitives.len())
            .filter(|&p| gltf.root.meshes[mesh].primitives[p].is_drawn())
            .collect();
        self.repairs.not_triangles += gltf.root.meshes[mesh].primitives.len() - drawn.len();
        for &index in &drawn {
            self.add_primitive(gltf, (mesh, index), follows)?;
        }
        // In our files nodes give way to bones of the same name, meshes do not.
        let own = gltf.root.meshes[mesh].name.clone().filter(|_| gltf.is_ours());
        let name = own.unwrap_or_else(|| gltf.node_name(node, "mesh"));
        let part = self.parts.len();
        let vertices = first_vertex..self.positions.len();
        self.parts.push(Part { name, faces: first_face..self.triangles.len(), vertices });
        self.add_shapes(gltf, motion, (node, mesh), &drawn, part)?;
        self.put(part, follows.place());
        Ok(())
    }

    fn add_primitive(&mut self, gltf: &Gltf, at: (usize, usize), follows: &Follows) -> Result<()> {
        let (mesh, index) = at;
        let primitive = &gltf.root.meshes[mesh].primitives[index];
        let place = || format!("primitive {index} of mesh {mesh}");
        let Some(&position) = primitive.attributes.get("POSITION") else {
            return Err(gltf.malformed(format!("{} has no positions", place())));
        };
        let count = gltf.count(position)?;
        let first = self.positions.len();
        if count.saturating_add(first) > MOST_VERTICES {
            return Err(gltf.unsupported(format!(
                "the scene has more than {MOST_VERTICES} vertices once all its mesh instances are laid out"
            )));
        }
        let same_count = |accessor: usize, what: &str| {
            let found = gltf.count(accessor)?;
            if found == count {
                return Ok(accessor);
            }
            Err(gltf.malformed(format!("{} has {count} positions but {found} {what}", place())))
        };
        let positions = gltf.floats(position, "VEC3")?.data;
        self.positions.extend(positions.chunks_exact(3).map(Vec3::from_slice));
        if let Some(&uvs) = primitive.attributes.get("TEXCOORD_0") {
            let uvs = gltf.floats(same_count(uvs, "texture coordinates")?, "VEC2")?.data;
            self.uvs.resize(first, Vec2::ZERO);
            self.uvs.extend(uvs.chunks_exact(2).map(Vec2::from_slice));
        }
        self.add_sources(gltf, at, count, &same_count)?;
        self.add_influences(gltf, primitive, count, follows, &same_count)?;
        self.layers.add(gltf, (&gltf.root.meshes[mesh], primitive), (first, count))?;
        self.add_triangles(gltf, primitive, first as u32, count, &place())?;
        if let Some(&normals) = primitive.attributes.get("NORMAL") {
            let normals = gltf.floats(same_count(normals, "normals")?, "VEC3")?.data;
            self.normals.resize(first, Vec3::Z);
            self.normals.extend(normals.chunks_exact(3).map(Vec3::from_slice));
        } else {
            self.unshaded.push(first..first + count);
        }
        Ok(())
    }

    fn add_sources(
        &mut self,
        gltf: &Gltf,
        (mesh, index): (usize, usize),
        count: usize,
        same_count: &dyn Fn(usize, &str) -> Result<usize>,
    ) -> Result<()> {
        match gltf.source_vertex_accessor(mesh, index) {
            Some(accessor) => {
                let accessor = same_count(accessor, "source vertices")?;
                let sources = gltf.floats(accessor, gltf.source_vertex_type(accessor))?;
                self.sources.extend(sources.data.iter().step_by(sources.width).map(|s| Some(*s as u32)));
            }
            None => self.sources.resize(self.sources.len() + count, None),
        }
        Ok(())
    }

    fn add_influences(
        &mut self,
        gltf: &Gltf,
        primitive: &Primitive,
        count: usize,
        follows: &Follows,
        same_count: &dyn Fn(usize, &str) -> Result<usize>,
    ) -> Result<()> {
        let mut sets = Vec::new();
        for set in 0.. {
            let attribute = |name| primitive.attributes.get(&format!("{name}_{set}")).copied();
            let (Some(joints), Some(weights)) = (attribute("JOINTS"), attribute("WEIGHTS")) else { break };
            let joints = gltf.integers(same_count(joints, "joint indices")?, "VEC4")?;
            sets.push((joints, gltf.floats(same_count(weights, "weights")?, "VEC4")?.data));
        }
        let joint_bones = match follows {
            Follows::Joints { bones, .. } if !sets.is_empty() => bones,
            Follows::Joints { bones, .. } => {
                let bone = bones.first().copied().unwrap_or(0);
                return self.follow_one(count, bone);
            }
            Follows::Bone { bone, .. } => return self.follow_one(count, *bone),
        };
        let mut row: Vec<(u32, f32)> = Vec::new();
        for vertex in 0..count {
            row.clear();
            for (joints, weights) in &sets {
                for slot in 4 * vertex..4 * vertex + 4 {
                    let Some(&bone) = joint_bones.get(joints[slot] as usize) else {
                        return Err(gltf.malformed(format!(
                            "a vertex follows joint {}, but its skin has {}",
                            joints[slot],
                            joint_bones.len()
                        )));
                    };
                    row.push((bone, weights[slot]));
                }
            }
            self.push_row(&mut row);
        }
        Ok(())
    }

    fn follow_one(&mut self, count: usize, bone: u32) -> Result<()> {
        for _ in 0..count {
            self.influences.push((bone, 1.0));
            self.influence_starts.push(self.influences.len());
        }
        Ok(())
    }

    /// Stores one vertex's influences.
    fn push_row(&mut self, row: &mut Vec<(u32, f32)>) {
        let first_bone = row.first().map_or(0, |r| r.0);
        self.repairs.clean(row, first_bone);
        self.influences.extend_from_slice(row);
        self.influence_starts.push(self.influences.len());
    }

    fn add_triangles(
        &mut self,
        gltf: &Gltf,
        primitive: &Primitive,
        first: u32,
        count: usize,
        place: &str,
    ) -> Result<()> {
        let start = self.triangles.len();
        let triangles = gltf.triangles(primitive, count, place)?;
        self.triangles.extend(triangles.into_iter().map(|t| t.map(|i| first + i)));
        if self.triangles.len() > 4 * MOST_VERTICES {
            return Err(gltf.unsupported(format!("the scene has more than {} triangles", 4 * MOST_VERTICES)));
        }
        self.materials.resize(self.materials.len() + self.triangles.len() - start, primitive.material);
        Ok(())
    }

    fn add_shapes(
        &mut self,
        gltf: &Gltf,
        motion: &Motion,
        (node, mesh): (usize, usize),
        drawn: &[usize],
        part: usize,
    ) -> Result<()> {
        let primitives: Vec<&Primitive> =
            drawn.iter().map(|&p| &gltf.root.meshes[mesh].primitives[p]).collect();
        let targets = primitives.first().map_or(0, |p| p.targets.len());
        if primitives.iter().any(|p| p.targets.len() != targets) {
            return Err(gltf.malformed(format!("the primitives of mesh {mesh} have unequal morph targets")));
        }
        let count = self.parts[part].vertices.len();
        let known: usize = self.shapes.iter().map(|s| s.deltas.len() + s.coefficients.len()).sum();
        let wanted = targets.saturating_mul(count.saturating_add(motion.frames)).saturating_add(known);
        if wanted > MOST_MORPH_NUMBERS {
            return Err(gltf.unsupported("the scene's morph targets need more memory than Sinew gives them"));
        }
        if targets == 0 {
            return Ok(());
        }
        let defaults = gltf.default_morph_weights(node, targets)?;
        let animated = gltf.animated_morph_weights(motion, node, targets)?;
        for target in 0..targets {
            let default = defaults[target];
            let curve = animated.iter().flat_map(|w| w.iter().skip(target).step_by(targets));
            let coefficients: Vec<f32> = curve.map(|w| w - default).collect();
            let deltas = self.target_layer(gltf, &primitives, target, "POSITION")?.unwrap_or_default();
            let normals = self.target_layer(gltf, &primitives, target, "NORMAL")?.unwrap_or_default();
            self.fold(part, default, &deltas, &normals);
            if deltas.iter().any(|d| *d != Vec3::ZERO) {
                let name = gltf.target_name(mesh, target);
                self.shapes.push(Shape { part, name, at_rest: default, deltas, normals, coefficients });
            }
        }
        self.rescale_normals(part);
        Ok(())
    }

    /// Adds a target at its default weight to the rest pose, which is what the file shows at rest.
    fn fold(&mut self, part: usize, weight: f32, deltas: &[Vec3], normals: &[Vec3]) {
        if weight == 0.0 {
            return;
        }
        let start = self.parts[part].vertices.start;
        for (p, d) in self.positions[start..].iter_mut().zip(deltas) {
            *p = (p.as_dvec3() + d.as_dvec3() * f64::from(weight)).as_vec3();
        }
        if let Some(known) = self.normals.get_mut(start..) {
            for (n, d) in known.iter_mut().zip(normals) {
                *n += *d * weight;
            }
        }
    }

    /// Gives folded normals their length back, and their changes the same factor.
    fn rescale_normals(&mut self, part: usize) {
        let vertices = self.parts[part].vertices.clone();
        for (i, vertex) in vertices.enumerate() {
            let Some(n) = self.normals.get_mut(vertex) else { return };
            let length = n.length();
            if (length - 1.0).abs() < 1e-4 || length < 1e-6 || !length.is_finite() {
                continue;
            }
            *n /= length;
            for shape in self.shapes.iter_mut().filter(|s| s.part == part) {
                if let Some(change) = shape.normals.get_mut(i) {
                    *change /= length;
                }
            }
        }
    }

    /// One attribute of one morph target over all primitives of a mesh; `None` when none has it.
    fn target_layer(
        &self,
        gltf: &Gltf,
        primitives: &[&Primitive],
        target: usize,
        name: &str,
    ) -> Result<Option<Vec<Vec3>>> {
        if primitives.iter().all(|p| !p.targets[target].contains_key(name)) {
            return Ok(None);
        }
        let mut layer = Vec::new();
        for p in primitives {
            let count = gltf.count(p.attributes["POSITION"])?;
            match p.targets[target].get(name) {
                Some(&accessor) if gltf.count(accessor)? == count => {
                    let data = gltf.floats(accessor, "VEC3")?.data;
                    layer.extend(data.chunks_exact(3).map(Vec3::from_slice));
                }
                Some(_) => {
                    return Err(gltf.malformed("a morph target has more or fewer vertices than its mesh"));
                }
                None => layer.resize(layer.len() + count, Vec3::ZERO),
            }
        }
        Ok(Some(layer))
    }

    /// Gives smooth normals to primitives that have none among others that have.
    fn shade(&mut self) {
        if self.unshaded.is_empty() {
            return;
        }
        let mut smooth = vec![Vec3::Z; self.positions.len()];
        vertex_normals(&self.triangles, &self.positions, &mut smooth);
        for range in self.unshaded.drain(..) {
            self.normals[range.clone()].copy_from_slice(&smooth[range]);
        }
    }

    /// Brings all layers to full length and says what was repaired.
    pub fn finish(&mut self) {
        if !self.uvs.is_empty() {
            self.uvs.resize(self.positions.len(), Vec2::ZERO);
        }
        if !self.normals.is_empty() {
            self.normals.resize(self.positions.len(), Vec3::Z);
            self.shade();
        }
        self.layers.finish(self.positions.len());
        if self.uvs.is_empty()
            && let Some((number, uvs)) = self.layers.take_uvs()
        {
            (self.uv_number, self.uvs) = (number, uvs);
        }
        let r = &self.repairs;
        let said = [
            (r.not_normalised, Counted::NotNormalised),
            (r.without_weights, Counted::WithoutWeights),
            (r.negative, Counted::NegativeWeights),
            (r.not_triangles, Counted::NotTriangles),
            (self.layers.left_out, Counted::UnknownAttributes),
        ];
        self.warnings.extend(Warning::counts(said));
    }
}
