//! Weights far from the part they belong to.
//!
//! A joint that helps a little at the other end of the body lowers the error, and crumples a throat when someone turns
//! a shoulder. What is not connected with the stretch of surface that a joint moves is taken from it, unless the joint
//! is what mainly moves it.

use crate::geometry::surface::SurfaceGraph;
use crate::rig::SkinWeights;
use glam::Vec3;

/// Weights above this make a vertex part of what a joint moves.
const BELONGS: f32 = 0.02;
/// Weights above this stay wherever they are.
const MAINLY: f32 = 0.5;

/// Takes out what is not connected; the weights left on a vertex sum to one again.
pub(super) fn take_out(weights: &mut SkinWeights, triangles: &[[u32; 3]], rest: &[Vec3], joints: usize) {
    let graph = SurfaceGraph::new(triangles, rest);
    for joint in 0..joints as u32 {
        let of: Vec<f32> = (0..rest.len()).map(|v| weight(weights, v, joint)).collect();
        let belongs = |v: u32| of[v as usize] > BELONGS;
        let mut piece = vec![u32::MAX; rest.len()];
        let mut sums: Vec<f64> = Vec::new();
        for start in (0..rest.len() as u32).filter(|&v| belongs(v)) {
            if piece[start as usize] != u32::MAX {
                continue;
            }
            let name = sums.len() as u32;
            let mut sum = 0.0;
            let mut open = vec![start];
            piece[start as usize] = name;
            while let Some(v) = open.pop() {
                sum += f64::from(of[v as usize]);
                for &(next, _) in graph.neighbours(v) {
                    if belongs(next) && piece[next as usize] == u32::MAX {
                        piece[next as usize] = name;
                        open.push(next);
                    }
                }
            }
            sums.push(sum);
        }
        let Some(main) = (0..sums.len()).max_by(|&a, &b| sums[a].total_cmp(&sums[b]).then(b.cmp(&a))) else {
            continue;
        };
        for v in 0..rest.len() {
            if of[v] > 0.0 && of[v] < MAINLY && piece[v] != main as u32 {
                clear(weights, v, joint);
            }
        }
    }
}

fn weight(weights: &SkinWeights, vertex: usize, joint: u32) -> f32 {
    let (bones, of) = weights.of(vertex);
    bones.iter().zip(of).find(|(b, w)| **b == joint && **w > 0.0).map_or(0.0, |(_, w)| *w)
}

/// Takes a joint from a vertex that others move, too.
fn clear(weights: &mut SkinWeights, vertex: usize, joint: u32) {
    let slots = vertex * weights.per_vertex..(vertex + 1) * weights.per_vertex;
    let (bones, of) = (&mut weights.bones[slots.clone()], &mut weights.weights[slots]);
    let left: f32 = bones.iter().zip(of.iter()).filter(|(b, _)| **b != joint).map(|(_, w)| *w).sum();
    if left <= 0.0 {
        return;
    }
    let mut kept = 0;
    for i in 0..bones.len() {
        if bones[i] != joint && of[i] > 0.0 {
            (bones[kept], of[kept]) = (bones[i], of[i] / left);
            kept += 1;
        }
    }
    bones[kept..].fill(0);
    of[kept..].fill(0.0);
}
