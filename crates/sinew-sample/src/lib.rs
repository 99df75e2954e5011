//! Built-in things to try things on, made from formulas: a young long-necked creature that walks, and a head with shapes
//! (`face`).
//!
//! Its body is an implicit surface along a skeleton (`shape`), meshed by surface nets (`nets`) and
//! painted in two colours (`paint`); eyes, crest and nails are pieces of their own (`pieces`). It
//! walks with its feet on the ground (`gait`) and its flesh does more than follow bones
//! (`skinning`).

mod face;
mod gait;
mod nets;
mod paint;
mod pieces;
mod shape;
mod skeleton;
mod skinning;
#[cfg(test)]
mod tests;

use glam::{DVec3, Vec3};

pub use face::face;
use pieces::{NamedPieces, material};
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::{Material, Mesh, Part};
use skinning::Tie;

/// What the creature is like.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatureOptions {
    /// Frames in the loop, at least 1; the frame after the last would be the first again.
    pub frames: usize,
    /// Frames per second. The loop holds two strides: 48 frames at 24 per second are an easy walk.
    pub fps: f64,
    /// How fine the body's mesh is: 1 gives about 6000 vertices, 2 four times as many. Held between 0.6
    /// and 8.
    pub detail: f64,
}

impl Default for CreatureOptions {
    fn default() -> Self {
        Self { frames: 48, fps: 24.0, detail: 1.0 }
    }
}

/// Size of the body's quads in metres at detail 1.
const CELL: f64 = 0.0355;

/// The creature, walking in place: quads and triangles, UVs, materials, several named parts in many
/// disconnected pieces, about 1.7 m high and 2.5 m long, facing +Z with +Y up and its feet at y = 0. The
/// rest pose is a quiet stand. The same options give the same bits.
pub fn creature(options: &CreatureOptions) -> MeshAnimation {
    let bones = skeleton::bones();
    assemble(&bones, options.detail).animate(&bones, options)
}

fn assemble(bones: &[skeleton::Bone], detail: f64) -> Assembly {
    let detail = if detail.is_finite() { detail.clamp(0.6, 8.0) } else { 1.0 };
    let cell = CELL / detail;
    let body = shape::Body::new(bones);
    let mut quads = nets::mesh(&body, cell);
    let faces = paint::paint(&body, &mut quads, cell);
    let around = nets::neighbours(quads.positions.len(), &quads.quads);
    let ties = skinning::tie(&body, bones, &quads.positions, &around);
    let mut assembly = Assembly::of_body(quads.positions, &faces, ties);
    for named in pieces::pieces(&body) {
        assembly.add(named);
    }
    assembly
}

/// The creature as it grows from parts: the body first, then the rest.
struct Assembly {
    mesh: Mesh,
    rest: Vec<DVec3>,
    /// Distinct ties, the body's first.
    ties: Vec<Tie>,
    /// Tie of each vertex.
    tie_of: Vec<usize>,
    body_vertices: usize,
}

impl Assembly {
    fn of_body(rest: Vec<DVec3>, faces: &[paint::Face], ties: Vec<Tie>) -> Self {
        let mut mesh = Mesh { vertex_count: rest.len(), materials: materials(), ..Mesh::default() };
        for face in faces {
            mesh.push_face(&face.vertices);
            mesh.face_materials.push(if face.belly { material::BELLY } else { material::SKIN });
        }
        mesh.uvs = Some(paint::uvs(&rest, faces));
        mesh.parts.push(Part { name: "body".into(), faces: 0..faces.len(), vertices: 0..rest.len() });
        let body_vertices = rest.len();
        Self { mesh, rest, ties, tie_of: (0..body_vertices).collect(), body_vertices }
    }

    fn add(&mut self, named: NamedPieces) {
        let (first_face, first_vertex) = (self.mesh.face_count(), self.rest.len());
        for piece in named.pieces {
            let n = self.body_vertices;
            self.ties.push(skinning::anchor(&self.rest[..n], &self.ties[..n], piece.anchor));
            let offset = self.rest.len() as u32;
            self.tie_of.resize(self.rest.len() + piece.positions.len(), self.ties.len() - 1);
            self.rest.extend(piece.positions);
            for (mut vertices, material) in piece.faces {
                for v in &mut vertices {
                    *v += offset;
                }
                self.mesh.push_face(&vertices);
                self.mesh.face_materials.push(material);
            }
            if let Some(uvs) = &mut self.mesh.uvs {
                let first = uvs.values.len() as u32;
                uvs.indices.extend(first..first + piece.uvs.len() as u32);
                uvs.values.extend(piece.uvs);
            }
        }
        self.mesh.vertex_count = self.rest.len();
        self.mesh.parts.push(Part {
            name: named.name,
            faces: first_face..self.mesh.face_count(),
            vertices: first_vertex..self.rest.len(),
        });
    }

    fn animate(self, bones: &[skeleton::Bone], options: &CreatureOptions) -> MeshAnimation {
        let ties: Vec<&Tie> = self.tie_of.iter().map(|&t| &self.ties[t]).collect();
        let frames = options.frames.max(1);
        let poses: Vec<Vec<Vec3>> = (0..frames)
            .map(|f| {
                let moment = gait::walking(bones, f as f64 / frames as f64);
                skinning::pose(&self.rest, &ties, &moment)
            })
            .collect();
        let rest = self.rest.iter().map(|p| p.as_vec3()).collect();
        MeshAnimation {
            mesh: self.mesh,
            rest: Some(rest),
            frames: Frames::from_poses(&poses),
            fps: options.fps,
            clips: Vec::new(),
            nodes: Vec::new(),
        }
    }
}

/// In the order of `pieces::material`; colours are linear.
fn materials() -> Vec<Material> {
    let looks: [(&str, [f32; 3], f32); 7] = [
        ("skin", [0.075, 0.335, 0.345], 0.74),
        ("belly", [0.800, 0.690, 0.430], 0.76),
        ("crest", [0.830, 0.205, 0.085], 0.55),
        ("eye", [0.930, 0.930, 0.900], 0.12),
        ("pupil", [0.016, 0.012, 0.014], 0.08),
        ("nail", [0.860, 0.780, 0.620], 0.45),
        ("mouth", [0.030, 0.055, 0.062], 0.80),
    ];
    looks
        .map(|(name, [r, g, b], roughness)| Material {
            name: name.into(),
            base_color: [r, g, b, 1.0],
            roughness,
            ..Material::default()
        })
        .into()
}
