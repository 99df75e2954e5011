//! Which faces of the body are belly and which are back, with a clean line between them, and its UVs.

use std::f64::consts::TAU;

use glam::{DVec3, Vec2};

use crate::nets::{self, QuadMesh};
use crate::shape::Body;
use crate::skeleton::{axis_length, nearest_on_axis};
use sinew::geometry::CornerLayer;

/// A face and its material.
pub(super) struct Face {
    pub vertices: Vec<u32>,
    pub belly: bool,
}

/// Positive on the belly, negative on the back; the line is where it is zero.
fn belly(body: &Body, p: DVec3) -> f64 {
    let place = nearest_on_axis(p);
    let under = -(p - place.point).try_normalize().unwrap_or(DVec3::ZERO).dot(place.up);
    // Along the neck the light part is the throat; the head keeps its colour down to the jaw.
    let edge = if place.length < 0.35 { 0.50 } else { 0.42 };
    let leg = |upper: bool| {
        let on_leg = |c: &&crate::shape::Capsule| c.a.x.abs() > 0.12 && (c.a.y > 0.5) == upper && c.a.y < 1.0;
        body.capsules.iter().filter(on_leg).map(|c| c.distance(p)).fold(f64::INFINITY, f64::min)
    };
    // Legs are the colour of the back, all around.
    let near_leg = (1.0 - leg(true).min(leg(false)) / 0.15).max(0.0);
    under - edge - 0.7 * near_leg * near_leg
}

/// Moves vertices near the line onto it, along the edges that cross it, and cuts the quads that it
/// crosses from corner to corner: the line then runs along edges only.
pub(super) fn paint(body: &Body, mesh: &mut QuadMesh, cell: f64) -> Vec<Face> {
    let values: Vec<f64> = mesh.positions.iter().map(|&p| belly(body, p)).collect();
    let around = nets::neighbours(mesh.positions.len(), &mesh.quads);
    let on_line = snap(body, mesh, &values, &around);
    nets::relax(body, mesh, cell, &on_line, 3);
    let mut faces = Vec::with_capacity(mesh.quads.len() + on_line.len() / 8);
    for q in &mesh.quads {
        let sign = q.map(|v| if on_line[v as usize] { 0 } else { values[v as usize].signum() as i32 });
        if let Some(i) = (0..2).find(|&i| sign[i] * sign[i + 2] < 0) {
            for [a, b, c] in [[i + 3, i, i + 1], [i + 1, i + 2, i + 3]] {
                let vertices = [a, b, c].map(|k| q[k % 4]).to_vec();
                faces.push(Face { vertices, belly: sign[b % 4] > 0 });
            }
            continue;
        }
        let sum: i32 = sign.iter().sum();
        let middle = q.iter().fold(DVec3::ZERO, |s, &v| s + 0.25 * mesh.positions[v as usize]);
        faces.push(Face { vertices: q.to_vec(), belly: sum > 0 || sum == 0 && belly(body, middle) > 0.0 });
    }
    faces
}

/// Puts the nearer end of each edge that crosses the line onto it. Returns which vertices moved.
fn snap(body: &Body, mesh: &mut QuadMesh, values: &[f64], around: &[Vec<u32>]) -> Vec<bool> {
    let old = mesh.positions.clone();
    let crosses = |a: usize, b: usize| (values[a] > 0.0) != (values[b] > 0.0);
    let mut on_line = vec![false; old.len()];
    for v in 0..old.len() {
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for n in around[v].iter().map(|&n| n as usize).filter(|&n| crosses(v, n)) {
            let t = values[v] / (values[v] - values[n]);
            // Ties go to the lower number, so that exactly one end moves.
            on_line[v] |= t < 0.5 || t == 0.5 && v < n;
            sum += old[v].lerp(old[n], t);
            count += 1.0;
        }
        if on_line[v] {
            mesh.positions[v] = body.project(sum / count);
        }
    }
    on_line
}

/// Texture coordinates wound around the body: u about its axis with the seam along the belly, v from
/// snout to tail. Faces across the seam get coordinates beyond 1, which repeat.
pub(super) fn uvs(positions: &[DVec3], faces: &[Face]) -> CornerLayer<Vec2> {
    let length = axis_length();
    let mut values: Vec<Vec2> = positions
        .iter()
        .map(|&p| {
            let place = nearest_on_axis(p);
            let d = p - place.point;
            let u = d.x.atan2(d.dot(place.up)) / TAU + 0.5;
            Vec2::new(u as f32, (place.length / length) as f32)
        })
        .collect();
    let mut beyond = vec![None; positions.len()];
    let mut indices = Vec::new();
    for face in faces {
        let u = |v: u32| values[v as usize].x;
        let highest = face.vertices.iter().map(|&v| u(v)).fold(0.0, f32::max);
        let over: Vec<bool> = face.vertices.iter().map(|&v| highest - u(v) > 0.5).collect();
        for (&v, over) in face.vertices.iter().zip(over) {
            indices.push(if over {
                *beyond[v as usize].get_or_insert_with(|| {
                    values.push(values[v as usize] + Vec2::X);
                    values.len() as u32 - 1
                })
            } else {
                v
            });
        }
    }
    CornerLayer { values, indices }
}
