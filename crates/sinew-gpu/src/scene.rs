//! A crowd in the GPU's memory. All of it is sent once.

use bytemuck::{Pod, Zeroable};
use glam::{Vec3, Vec4};
use wgpu::{Buffer, BufferUsages};

use crate::clusters::Cluster;
use crate::device::{Gpu, GpuError};
use crate::herd::{Herd, Member};
use crate::model::{MAX_LEVELS, Model};

/// Words of the arguments of one indexed draw.
pub(crate) const DRAW_WORDS: usize = 5;
const NONE: u32 = u32::MAX;

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct LevelEntry {
    first_index: u32,
    index_count: u32,
    error: f32,
    list: u32,
    clusters: u32,
    cluster_count: u32,
    unused: [u32; 2],
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct ModelEntry {
    vertices: u32,
    influences: u32,
    per_vertex: u32,
    basis: u32,
    rank: u32,
    normal_basis: u32,
    poses: u32,
    pose_size: u32,
    coefficients: u32,
    frames: u32,
    period: u32,
    returns: u32,
    fps: f32,
    first_draw: u32,
    level_count: u32,
    closed: u32,
    light: u32,
    light_words: u32,
    light_pose: u32,
    unused: u32,
    ball: Vec4,
    foot: Vec4,
    levels: [LevelEntry; MAX_LEVELS],
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct InstanceEntry {
    place: Vec4,
    turn: Vec4,
    model: u32,
    pose: u32,
    tint: u32,
    unused: u32,
}

/// One level of one model: what is drawn by one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw {
    pub model: usize,
    pub level: usize,
    pub list: u32,
    pub first_index: u32,
    pub index_count: u32,
}

/// Models and members in the GPU's memory.
pub struct Scene {
    pub(crate) models: Vec<Model>,
    pub(crate) herd: Herd,
    pub(crate) draws: Vec<Draw>,
    pub(crate) words: Buffer,
    pub(crate) model_entries: Buffer,
    pub(crate) instances: Buffer,
    pub(crate) poses: Buffer,
    pub(crate) now: Buffer,
    pub(crate) lists: Buffer,
    pub(crate) list_length: usize,
    pub(crate) indices: Buffer,
    pub(crate) clusters: Buffer,
    /// Arguments of all draws, as they are and as each frame begins with them.
    pub(crate) arguments: Buffer,
    pub(crate) no_arguments: Buffer,
    pub(crate) bytes: u64,
}

impl Scene {
    /// Sends models and members to the GPU.
    pub fn new(gpu: &Gpu, models: Vec<Model>, herd: Herd) -> Result<Self, GpuError> {
        if models.is_empty() || herd.members.is_empty() {
            return Err(GpuError::Nobody);
        }
        let mut of_model = vec![0_u32; models.len()];
        for member in &herd.members {
            of_model[member.model] += 1;
        }
        let mut packed = Packed::default();
        for (model, &count) in models.iter().zip(&of_model) {
            packed.add(gpu, model, count)?;
        }
        let mut now_size = 0_u64;
        let instances: Vec<InstanceEntry> =
            herd.members.iter().map(|member| instance(member, &models, &mut now_size)).collect();
        let arguments: Vec<u32> =
            packed.draws.iter().flat_map(|d| [d.index_count, 0, d.first_index, 0, 0]).collect();
        let storage = BufferUsages::STORAGE;
        let copied = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let scene = Self {
            words: gpu.filled("the vertices of all rigs", &packed.words, storage)?,
            model_entries: gpu.filled("the list of rigs", &packed.models, storage)?,
            instances: gpu.filled("the list of instances", &instances, storage)?,
            poses: gpu.filled("the bones of all frames", &packed.poses, storage)?,
            now: gpu.buffer("the bones of all instances", 16 * now_size, storage)?,
            lists: gpu.buffer("the lists of what is seen", 4 * u64::from(packed.lists), storage | copied)?,
            list_length: packed.lists as usize,
            indices: gpu.filled(
                "the triangles of all rigs",
                &packed.indices,
                storage | BufferUsages::INDEX,
            )?,
            clusters: gpu.filled("the clusters of all rigs", &packed.clusters, storage)?,
            arguments: gpu.filled("draws", &arguments, storage | BufferUsages::INDIRECT | copied)?,
            no_arguments: gpu.filled("draws to begin with", &arguments, BufferUsages::COPY_SRC)?,
            draws: packed.draws,
            bytes: 0,
            models,
            herd,
        };
        gpu.check()?;
        let sent = [
            &scene.words,
            &scene.model_entries,
            &scene.instances,
            &scene.poses,
            &scene.indices,
            &scene.clusters,
        ];
        let bytes = sent.iter().map(|buffer| buffer.size()).sum();
        Ok(Self { bytes, ..scene })
    }

    /// The herd.
    pub fn herd(&self) -> &Herd {
        &self.herd
    }

    /// The models.
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// Triangles of everyone in full detail.
    pub fn full_triangles(&self) -> u64 {
        self.herd.members.iter().map(|m| self.models[m.model].triangle_count(0) as u64).sum()
    }

    /// Whether anyone has baked light.
    pub fn is_lit(&self) -> bool {
        self.models.iter().any(|model| model.light.is_some())
    }

    /// Bytes that were sent when the scene was made.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// All models one after another.
#[derive(Default)]
struct Packed {
    words: Vec<u32>,
    models: Vec<ModelEntry>,
    poses: Vec<[f32; 4]>,
    indices: Vec<u32>,
    clusters: Vec<u32>,
    draws: Vec<Draw>,
    lists: u32,
}

impl Packed {
    fn add(&mut self, gpu: &Gpu, model: &Model, count: u32) -> Result<(), GpuError> {
        // Places in buffers are counted in 32 bits; no GPU has one that reaches so far, but rigs may.
        let words = model.vertices.len() * (5 + 2 * model.per_vertex)
            + 3 * (model.basis.len() + model.normal_basis.len())
            + model.light.as_ref().map_or(0, |light| light.shapes.len())
            + self.words.len();
        let vectors = self.poses.len() + model.poses.len();
        let limit = u64::from(u32::MAX);
        for (what, bytes) in
            [("the vertices of all rigs", 4 * words), ("the bones of all frames", 16 * vectors)]
        {
            if bytes as u64 > limit {
                let adapter = gpu.adapter().into();
                return Err(GpuError::TooLarge { what, bytes: bytes as u64, limit, adapter });
            }
        }
        let mut entry = ModelEntry {
            vertices: self.words.len() as u32,
            per_vertex: model.per_vertex as u32,
            rank: model.rank as u32,
            poses: self.poses.len() as u32,
            pose_size: model.pose_size() as u32,
            coefficients: 3 * model.bones as u32,
            frames: model.frames as u32,
            period: model.gait.period as u32,
            returns: u32::from(model.gait.returns),
            fps: model.fps,
            first_draw: self.draws.len() as u32,
            level_count: model.levels.len() as u32,
            closed: u32::from(model.closed),
            light_pose: (model.pose_size() - model.light_pose_size()) as u32,
            ball: model.ball.0.extend(model.ball.1),
            foot: foot(model),
            ..ModelEntry::zeroed()
        };
        for vertex in &model.vertices {
            let [x, y, z] = vertex.position.to_array().map(f32::to_bits);
            self.words.extend([x, y, z, pack_direction(vertex.normal), pack_color(vertex.color)]);
        }
        entry.influences = self.words.len() as u32;
        self.words.extend(model.influences.iter().flat_map(|(bone, weight)| [*bone, weight.to_bits()]));
        entry.basis = self.words.len() as u32;
        self.words.extend(model.basis.iter().flat_map(|v| v.to_array().map(f32::to_bits)));
        entry.normal_basis = if model.normal_basis.is_empty() { NONE } else { self.words.len() as u32 };
        self.words.extend(model.normal_basis.iter().flat_map(|v| v.to_array().map(f32::to_bits)));
        if let Some(light) = &model.light {
            (entry.light, entry.light_words) = (self.words.len() as u32, light.words() as u32);
            self.words.extend(&light.shapes);
        }
        self.poses.extend(&model.poses);
        for (number, level) in model.levels.iter().enumerate() {
            let (first_index, index_count) = (self.indices.len() as u32, level.indices.len() as u32);
            entry.levels[number] = LevelEntry {
                first_index,
                index_count,
                error: level.error,
                list: self.lists,
                clusters: self.clusters.len() as u32,
                cluster_count: level.clusters.len() as u32,
                unused: [0; 2],
            };
            self.add_clusters(&level.clusters);
            let model = self.models.len();
            self.draws.push(Draw { model, level: number, list: self.lists, first_index, index_count });
            self.indices.extend(&level.indices);
            self.lists += count;
        }
        self.models.push(entry);
        Ok(())
    }

    /// For each cluster where its vertices and its triangles are, the triangle of the level it begins with,
    /// and how many it has of both; then the vertices and triangles.
    fn add_clusters(&mut self, clusters: &[Cluster]) {
        let (mut at, mut first) = (self.clusters.len() + 4 * clusters.len(), 0);
        for cluster in clusters {
            let (vertices, triangles) = (cluster.vertices.len(), cluster.triangles.len());
            let counts = vertices | triangles << 16;
            self.clusters.extend([at, at + vertices, first, counts].map(|x| x as u32));
            (at, first) = (at + vertices + triangles, first + triangles);
        }
        for cluster in clusters {
            self.clusters.extend(&cluster.vertices);
            let packed = |[a, b, c]: &[u8; 3]| u32::from_le_bytes([*a, *b, *c, 0]);
            self.clusters.extend(cluster.triangles.iter().map(packed));
        }
    }
}

/// Half the sides of what a model stands on, and its height. Heads and tails reach beyond the feet.
fn foot(model: &Model) -> Vec4 {
    let half = 0.5 * (model.highest - model.lowest);
    Vec4::new(0.8 * half.x, 0.72 * half.z, model.highest.y - model.lowest.y, 0.0)
}

fn instance(member: &Member, models: &[Model], now_size: &mut u64) -> InstanceEntry {
    let (sin, cos) = member.turn.sin_cos();
    let pose = *now_size as u32;
    *now_size += models[member.model].pose_size() as u64;
    InstanceEntry {
        place: member.place.extend(member.scale),
        turn: Vec4::new(cos, sin, member.first_frame, member.rate),
        model: member.model as u32,
        pose,
        tint: pack_color(member.tint),
        unused: 0,
    }
}

fn pack_color(color: Vec3) -> u32 {
    let [r, g, b] = color.to_array().map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u32);
    r | g << 8 | b << 16 | 255 << 24
}

/// A direction as two numbers of 16 bits: the sphere is unfolded to a square.
fn pack_direction(n: Vec3) -> u32 {
    let n = n / n.abs().element_sum().max(f32::MIN_POSITIVE);
    let sign = |x: f32| if x >= 0.0 { 1.0 } else { -1.0 };
    let (x, y) = match n.z >= 0.0 {
        true => (n.x, n.y),
        false => ((1.0 - n.y.abs()) * sign(n.x), (1.0 - n.x.abs()) * sign(n.y)),
    };
    let pack = |x: f32| u32::from((x.clamp(-1.0, 1.0) * 32767.0).round() as i16 as u16);
    pack(x) | pack(y) << 16
}
