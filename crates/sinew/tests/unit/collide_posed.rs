use glam::{DAffine3, DMat3, DVec3};
use proptest::prelude::*;

use super::*;
use crate::geometry::Mesh;
use crate::geometry::bvh4::{Below, Child};
use crate::progress::Silent;
use crate::rig::{Bone, Corrections, Rig, SkinWeights};

/// A ribbon of triangles over random places, on bones that do anything, with weights of any sign.
fn ribbon(
    places: &[[f32; 3]],
    weights: &[[f32; 3]],
    bones: &[[f64; 12]; 3],
    shapes: &[[f32; 3]],
    coefficient: f32,
    sums_to: f32,
) -> Rig {
    let n = places.len();
    let triangles: Vec<[u32; 3]> = (2..n as u32).map(|v| [v - 2, v - 1, v]).collect();
    let bone = |b: usize| Bone { name: format!("bone_{b}"), center: DVec3::ZERO, rigid: false, axes: None };
    let transform = |m: &[f64; 12]| DAffine3 {
        matrix3: DMat3::from_cols_slice(&m[..9]),
        translation: DVec3::from_slice(&m[9..]) * 20.0,
    };
    let weight = |v: usize| {
        let own = weights[v % weights.len()];
        [own[0], own[1], sums_to - own[0] - own[1]]
    };
    Rig {
        mesh: Mesh::from_triangles(n, &triangles),
        rest: places.iter().copied().map(Vec3::from_array).collect(),
        weights: SkinWeights {
            per_vertex: 3,
            bones: (0..n).flat_map(|v| [v as u32 % 3, (v as u32 + 1) % 3, (v as u32 + 2) % 3]).collect(),
            weights: (0..n).flat_map(weight).collect(),
        },
        bones: (0..3).map(bone).collect(),
        transforms: bones.iter().map(transform).collect(),
        skeleton: None,
        corrections: Some(Corrections {
            rank: 1,
            basis: (0..n).map(|v| Vec3::from_array(shapes[v % shapes.len()])).collect(),
            normals: Vec::new(),
            coefficients: vec![coefficient],
            names: Vec::new(),
        }),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

proptest! {
    #[test]
    fn every_bound_holds_its_vertices(
        places in prop::collection::vec(prop::array::uniform3(-2.0..2.0_f32), 3..40),
        weights in prop::collection::vec(prop::array::uniform3(-0.5..1.0_f32), 1..40),
        bones in prop::array::uniform3(prop::array::uniform12(-1.5..1.5_f64)),
        shapes in prop::collection::vec(prop::array::uniform3(-1.0..1.0_f32), 1..40),
        coefficient in -3.0..3.0_f32,
        sums_to in 0.9..1.1_f32,
    ) {
        let rig = ribbon(&places, &weights, &bones, &shapes, coefficient, sums_to);
        let body = Body::new(&rig, &Silent).unwrap();
        let posed = body.posed();
        let pose = rig.pose(0);
        for v in 0..places.len() as u32 {
            let off = posed.vertex(v).distance(pose[v as usize]);
            prop_assert!(off < 5e-5, "the player has the vertex {} away", off);
        }
        let mut held = vec![0; body.leaves.len()];
        for (node, below) in body.nodes.iter().enumerate() {
            for (lane, below) in below.iter().enumerate() {
                let [low, high] = posed.boxes(node).get(lane);
                for leaf in leaves_below(&body, *below) {
                    let (center, radius) = posed.sphere(leaf);
                    held[leaf as usize] += 1;
                    for at in corners_of(&posed, leaf) {
                        prop_assert!(at.distance(center) <= radius, "{} beyond {}", at, center);
                        prop_assert!(low.cmple(at).all() && at.cmple(high).all(), "{} {} {}", low, at, high);
                    }
                }
            }
        }
        prop_assert!(held.iter().all(|held| *held > 0), "every leaf is in the tree");
    }
}

/// Leaves below a part of a node.
fn leaves_below(body: &Body, child: Child) -> Vec<u32> {
    match child.below() {
        Below::Node(node) => body.nodes[node].iter().flat_map(|part| leaves_below(body, *part)).collect(),
        Below::Leaf(leaf) => leaf.map(|leaf| leaf as u32).collect(),
    }
}

/// Where the corners of a leaf's triangles are.
fn corners_of(posed: &Posed, leaf: u32) -> Vec<Vec3A> {
    let LeafBound { start, end, .. } = posed.body.leaves[leaf as usize];
    (start..end).flat_map(|triangle| posed.corners(triangle)).collect()
}

#[test]
fn one_bone_without_corrections_moves_the_bound_and_no_more() {
    let places: Vec<[f32; 3]> = (0..30).map(|i| [i as f32 * 0.1, (i % 2) as f32 * 0.1, 0.0]).collect();
    let mut rig = ribbon(&places, &[[1.0, 0.0, 0.0]], &[[0.0; 12]; 3], &[[0.0; 3]], 0.0, 1.0);
    rig.weights = SkinWeights::single(30);
    rig.transforms = vec![DAffine3::from_axis_angle(DVec3::new(0.6, 0.8, 0.0), 1.0); 3];
    let body = Body::new(&rig, &Silent).unwrap();
    let posed = body.posed();
    for (number, leaf) in body.leaves.iter().enumerate() {
        let (_, radius) = posed.sphere(number as u32);
        assert!(radius < 1.001 * leaf.radius + 1e-4, "{radius} after {}", leaf.radius);
    }
}
