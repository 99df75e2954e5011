//! A rig made ready for the GPU: vertices as they are drawn, all poses, levels of detail.
//!
//! Everything is brought to a place where it is easily put on a plain: upright, feet at height zero, middle
//! over the origin, facing +Z, in the size it has in the scene. The bones do that on the way, so it costs
//! nothing to draw.

use std::collections::HashMap;

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use sinew::geometry::{Bounds, Mesh, corner_normals};
use sinew::lod::Level;
use sinew::rig::{Corrections, Rig};

use crate::clusters::{Cluster, clusters};
use crate::device::GpuError;
use crate::gait::Gait;
use crate::model_light::ModelLight;

/// The most levels of detail, the full one included.
pub const MAX_LEVELS: usize = 8;

/// How a rig is taken into a crowd.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelOptions {
    /// Whether +Z is up in the rig, and not +Y.
    pub z_up: bool,
    /// Factor from the rig's units to those of the scene.
    pub scale: f64,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self { z_up: false, scale: 1.0 }
    }
}

/// A vertex as it is drawn: vertices of the rig with several normals or colours are several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelVertex {
    /// The vertex of the rig.
    pub source: u32,
    /// Where it is in the rest pose, relative to its middle.
    pub position: Vec3,
    /// Its normal in the rest pose.
    pub normal: Vec3,
    /// Its colour, linear.
    pub color: Vec3,
}

/// The triangles of one level of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelLevel {
    /// Three vertices of the model each, cluster after cluster.
    pub indices: Vec<u32>,
    /// The same in groups that share vertices.
    pub clusters: Vec<Cluster>,
    /// How far off the surface is, in units of the scene.
    pub error: f32,
}

impl ModelLevel {
    fn new(indices: Vec<u32>, error: f32) -> Self {
        let clusters = clusters(&indices);
        let in_order = |c: &Cluster| {
            c.triangles.as_flattened().iter().map(|v| c.vertices[usize::from(*v)]).collect::<Vec<u32>>()
        };
        Self { indices: clusters.iter().flat_map(in_order).collect(), clusters, error }
    }
}

/// A rig ready to be drawn many times.
#[derive(Clone, Debug)]
pub struct Model {
    /// All vertices of all levels.
    pub vertices: Vec<ModelVertex>,
    /// Slots for bones on each vertex.
    pub per_vertex: usize,
    /// Bone and weight of each slot, vertex after vertex, zeros last.
    pub influences: Vec<(u32, f32)>,
    /// Number of correction shapes.
    pub rank: usize,
    /// Displacements: vertex after vertex, one for each shape.
    pub basis: Vec<Vec3>,
    /// Changes of normals, laid out like `basis`; may be empty.
    pub normal_basis: Vec<Vec3>,
    /// Light over the vertices, where it was baked.
    pub light: Option<ModelLight>,
    /// All poses: three rows for each bone, then the coefficients of the corrections, filled up with zeros, then
    /// those of the light.
    pub poses: Vec<[f32; 4]>,
    /// Number of bones.
    pub bones: usize,
    /// Number of poses.
    pub frames: usize,
    /// What brings the rig's pose of each frame to where the model stands.
    pub placement: Vec<DAffine3>,
    /// Poses per second.
    pub fps: f32,
    /// How it repeats, and where it goes.
    pub gait: Gait,
    /// Whether its surface has an inside that is never seen.
    pub closed: bool,
    /// Whether it has no colours of its own: none, or one grey, which is then white.
    pub plain: bool,
    /// The full level first.
    pub levels: Vec<ModelLevel>,
    /// Middle and radius of a ball around all poses.
    pub ball: (Vec3, f32),
    /// The box around all poses.
    pub lowest: Vec3,
    /// Its other corner.
    pub highest: Vec3,
}

impl Model {
    /// Makes a rig ready, with coarser levels of it, finer ones first.
    pub fn new(rig: &Rig, levels: &[Level], options: &ModelOptions) -> Result<Self, GpuError> {
        rig.validate()?;
        let upright =
            if options.z_up { DMat3::from_rotation_x(-90_f64.to_radians()) } else { DMat3::IDENTITY };
        let gait = Gait::of(rig, upright);
        let turn = DMat3::from_quat(DQuat::from_rotation_y(-gait.heading)) * upright;
        let mut builder = Builder::new(rig);
        let mut drawn = vec![ModelLevel::new(builder.triangles(&rig.mesh), 0.0)];
        if drawn[0].indices.is_empty() || rig.frame_count() == 0 {
            return Err(GpuError::Nobody);
        }
        let size = Bounds::of(&rig.rest).diagonal() * options.scale;
        for level in levels.iter().take(MAX_LEVELS - 1) {
            let indices = builder.triangles(&level.mesh);
            drawn.push(ModelLevel::new(indices, (level.error * size) as f32));
        }
        let mut vertices = builder.vertices;
        let plain = is_plain(&vertices);
        if plain {
            vertices.iter_mut().for_each(|v| v.color = Vec3::ONE);
        }
        let origin = gait.origin(rig, turn);
        let stand = DMat3::from_diagonal(DVec3::splat(options.scale)) * turn;
        let placement: Vec<DAffine3> = (0..rig.frame_count())
            .map(|f| DAffine3 {
                matrix3: stand,
                translation: -(stand * gait.travelled(f)) - origin * options.scale,
            })
            .collect();
        let mut model = Self {
            closed: is_closed(&rig.mesh, &rig.rest),
            plain,
            levels: drawn,
            ..Self::of(rig, vertices, placement, gait.scaled(options.scale))
        };
        model.measure();
        Ok(model)
    }

    /// A rig without triangles, all of its vertices once, brought to a place in all frames.
    pub(crate) fn bare(rig: &Rig, place: DAffine3) -> Result<Self, GpuError> {
        rig.validate()?;
        let middle = Bounds::of(&rig.rest).center();
        let vertex = |(source, p): (usize, &Vec3)| ModelVertex {
            source: source as u32,
            position: (p.as_dvec3() - middle).as_vec3(),
            normal: Vec3::Y,
            color: Vec3::ONE,
        };
        let vertices: Vec<ModelVertex> = rig.rest.iter().enumerate().map(vertex).collect();
        let placement = vec![place; rig.frame_count()];
        Ok(Self::of(rig, vertices, placement, Gait::still(rig.frame_count())))
    }

    /// The vertices of a rig with their bones and corrections, without triangles.
    fn of(rig: &Rig, vertices: Vec<ModelVertex>, placement: Vec<DAffine3>, gait: Gait) -> Self {
        let shapes = |of: fn(&Corrections) -> &[Vec3]| {
            rig.corrections.as_ref().map_or(Vec::new(), |c| by_vertex(of(c), &vertices, rig.rest.len()))
        };
        Self {
            per_vertex: rig.weights.per_vertex,
            influences: influences(rig, &vertices),
            rank: rig.rank(),
            basis: shapes(|c| &c.basis),
            normal_basis: shapes(|c| &c.normals),
            light: None,
            poses: poses(rig, &placement),
            bones: rig.bones.len(),
            frames: rig.frame_count(),
            placement,
            fps: rig.fps as f32,
            closed: false,
            plain: false,
            levels: Vec::new(),
            ball: (Vec3::ZERO, 0.0),
            lowest: Vec3::ZERO,
            highest: Vec3::ZERO,
            gait,
            vertices,
        }
    }

    /// Vectors of one pose.
    pub fn pose_size(&self) -> usize {
        3 * self.bones + self.rank.div_ceil(4) + self.light_pose_size()
    }

    /// Triangles of a level.
    pub fn triangle_count(&self, level: usize) -> usize {
        self.levels[level].indices.len() / 3
    }

    /// Finds what bounds all poses.
    fn measure(&mut self) {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut pose = vec![Vec3::ZERO; self.vertices.len()];
        for frame in 0..self.frames {
            self.pose_into(frame as f32, &mut pose, None);
            for p in &pose {
                (low, high) = (low.min(*p), high.max(*p));
            }
        }
        let middle = 0.5 * (low + high);
        let mut radius = 0.0_f32;
        for frame in 0..self.frames {
            self.pose_into(frame as f32, &mut pose, None);
            radius = pose.iter().map(|p| p.distance(middle)).fold(radius, f32::max);
        }
        (self.lowest, self.highest, self.ball) = (low, high, (middle, radius));
    }
}

/// Gathers vertices as they are drawn.
struct Builder<'a> {
    rig: &'a Rig,
    middle: DVec3,
    vertices: Vec<ModelVertex>,
    numbers: HashMap<(u32, [u32; 3], u32), u32>,
    /// Normals of the full mesh, by vertex and the normal it came with.
    normals: HashMap<(u32, [u32; 3]), Vec3>,
}

impl<'a> Builder<'a> {
    fn new(rig: &'a Rig) -> Self {
        let layer = corner_normals(&rig.mesh, &rig.rest);
        let of_corner = |corner: usize| {
            let key = (rig.mesh.corners[corner], given_normal(&rig.mesh, corner));
            (key, layer.values[layer.indices[corner] as usize])
        };
        Self {
            rig,
            middle: Bounds::of(&rig.rest).center(),
            vertices: Vec::new(),
            numbers: HashMap::new(),
            normals: (0..rig.mesh.corners.len()).map(of_corner).collect(),
        }
    }

    /// The triangles of a mesh over the vertices of the rig.
    fn triangles(&mut self, mesh: &Mesh) -> Vec<u32> {
        let mut indices = Vec::new();
        let (corners, mut face) = (mesh.triangle_corners(&self.rig.rest), 0);
        for triangle in &corners {
            while mesh.face_starts[face + 1] <= triangle[0] {
                face += 1;
            }
            let material = mesh.face_materials.get(face).map_or(u32::MAX, |m| *m);
            for &corner in triangle {
                indices.push(self.vertex(mesh, corner as usize, material));
            }
        }
        indices
    }

    fn vertex(&mut self, mesh: &Mesh, corner: usize, material: u32) -> u32 {
        let source = mesh.corners[corner];
        let key = (source, given_normal(mesh, corner));
        let next = self.vertices.len() as u32;
        let number = *self.numbers.entry((key.0, key.1, material)).or_insert(next);
        if number == next {
            let color = self.rig.mesh.materials.get(material as usize);
            self.vertices.push(ModelVertex {
                source,
                position: (self.rig.rest[source as usize].as_dvec3() - self.middle).as_vec3(),
                normal: self.normals.get(&key).copied().unwrap_or(Vec3::Y),
                color: color.map_or(Vec3::ONE, |m| Vec3::from_slice(&m.base_color[..3])),
            });
        }
        number
    }
}

/// The normal that a corner was given in its file, as bits: those that share one share a vertex.
fn given_normal(mesh: &Mesh, corner: usize) -> [u32; 3] {
    let given = mesh.normals.as_ref().map(|layer| layer.values[layer.indices[corner] as usize]);
    given.map_or([0; 3], |n| n.to_array().map(f32::to_bits))
}

/// Whether all vertices have the same grey, as rigs without materials are given.
fn is_plain(vertices: &[ModelVertex]) -> bool {
    let color = vertices.first().map_or(Vec3::ONE, |v| v.color);
    color.max_element() - color.min_element() < 0.03 && vertices.iter().all(|v| v.color == color)
}

/// Open edges there may be in a surface that is closed for the eye, over all edges.
const HOLES: f64 = 0.02;

/// Whether a mesh is a body with hardly any holes, its faces turned outwards.
fn is_closed(mesh: &Mesh, rest: &[Vec3]) -> bool {
    let triangles = mesh.triangles(rest);
    let at = |v: u32| rest[v as usize].to_array().map(f32::to_bits);
    // Vertices at one place are one: seams are no holes.
    let mut edges: HashMap<([u32; 3], [u32; 3]), i32> = HashMap::new();
    let middle = Bounds::of(rest).center();
    let mut volume = 0.0;
    for &[a, b, c] in &triangles {
        for (p, q) in [(at(a), at(b)), (at(b), at(c)), (at(c), at(a))] {
            let (key, side) = if p <= q { ((p, q), 1) } else { ((q, p), -1) };
            *edges.entry(key).or_default() += side;
        }
        let [a, b, c] = [a, b, c].map(|v| rest[v as usize].as_dvec3() - middle);
        volume += a.dot(b.cross(c));
    }
    let open = edges.values().filter(|sides| **sides != 0).count();
    volume > 0.0 && open as f64 <= HOLES * edges.len() as f64
}

/// Bones and weights of vertices as they are drawn, zeros last.
fn influences(rig: &Rig, vertices: &[ModelVertex]) -> Vec<(u32, f32)> {
    let k = rig.weights.per_vertex;
    let mut out = Vec::with_capacity(vertices.len() * k);
    for vertex in vertices {
        let (bones, weights) = rig.weights.of(vertex.source as usize);
        let used = bones.iter().copied().zip(weights.iter().copied()).filter(|(_, w)| *w != 0.0);
        let end = out.len() + k;
        out.extend(used);
        out.resize(end, (0, 0.0));
    }
    out
}

/// Values of shape after shape, put vertex after vertex.
fn by_vertex(values: &[Vec3], vertices: &[ModelVertex], count: usize) -> Vec<Vec3> {
    let shapes: Vec<&[Vec3]> = values.chunks_exact(count.max(1)).collect();
    vertices.iter().flat_map(|v| shapes.iter().map(move |shape| shape[v.source as usize])).collect()
}

/// All poses, relative to the middle of the rest pose and in their place in the scene.
fn poses(rig: &Rig, placement: &[DAffine3]) -> Vec<[f32; 4]> {
    let middle = Bounds::of(&rig.rest).center();
    let mut out = Vec::new();
    for (frame, place) in placement.iter().enumerate() {
        for bone in rig.frame_transforms(frame) {
            let matrix = (place.matrix3 * bone.matrix3).transpose();
            let shift = place.transform_point3(bone.transform_point3(middle));
            for (row, shift) in [matrix.x_axis, matrix.y_axis, matrix.z_axis].iter().zip(shift.to_array()) {
                out.push([row.x as f32, row.y as f32, row.z as f32, shift as f32]);
            }
        }
        if let Some(c) = &rig.corrections {
            let coefficients = &c.coefficients[frame * c.rank..(frame + 1) * c.rank];
            out.extend(coefficients.chunks(4).map(|q| std::array::from_fn(|i| q.get(i).map_or(0.0, |q| *q))));
        }
    }
    out
}
