//! Writing skins and blend shapes.

use std::collections::BTreeMap;

use sinew::geometry::Part;

use super::document::{Document, Properties, matrix};
use super::geometry::{Geometry, doubles};
use super::skeleton::BoneNodes;
use crate::containers::fbx_nodes::Node;
use crate::scene::morphs::{Morphs, Target};
use crate::scene::skinning::Influences;

/// Vertices and weights of a bone.
type Cluster = (Vec<i32>, Vec<f64>);

/// The bones that move vertices of a part; vertices are counted within it.
pub(super) fn clusters(influences: &Influences, part: &Part) -> BTreeMap<usize, Cluster> {
    let mut out = BTreeMap::<usize, Cluster>::new();
    for (place, vertex) in part.vertices.clone().enumerate() {
        for slot in vertex * influences.slots..(vertex + 1) * influences.slots {
            let weight = influences.weights[slot];
            if weight > 0.0 {
                let (vertices, weights) = out.entry(influences.joints[slot].into()).or_default();
                vertices.push(place as i32);
                weights.push(f64::from(weight));
            }
        }
    }
    out
}

/// Writes the skin of a mesh. Of bones that move nothing of it only the `kept` ones are named.
pub(super) fn skin(
    document: &mut Document,
    name: &str,
    geometry: i64,
    mut clusters: BTreeMap<usize, Cluster>,
    bones: &[BoneNodes],
    kept: &[usize],
) {
    kept.iter().for_each(|bone| _ = clusters.entry(*bone).or_default());
    let skin = document.id();
    let node = Document::object("Deformer", skin, name, "Deformer", "Skin")
        .child(Node::of("Version", 101))
        .child(Node::of("Link_DeformAcuracy", 50.0))
        .child(Node::of("SkinningType", "Linear"));
    document.add("Deformer", node);
    document.connect(skin, geometry);
    for (b, (vertices, weights)) in clusters {
        let bone = &bones[b];
        let id = document.id();
        let cluster = Document::object("Deformer", id, name, "SubDeformer", "Cluster")
            .child(Node::of("Version", 100))
            .child(Node::of("UserData", "").with(""))
            .child(Node::of("Indexes", vertices))
            .child(Node::of("Weights", weights))
            // From the mesh to the joint, and where the joint was.
            .child(Node::of("Transform", matrix(&bone.bind.inverse())))
            .child(Node::of("TransformLink", matrix(&bone.bind)));
        document.add("Deformer", cluster);
        document.connect(id, skin);
        document.connect(bone.joint, id);
    }
}

/// Writes the blend shapes of a mesh. Returns their numbers and the objects that carry their weights.
pub(super) fn shapes(
    document: &mut Document,
    name: &str,
    geometry: &Geometry,
    morphs: &Morphs,
) -> Vec<(usize, i64)> {
    if geometry.shapes.is_empty() {
        return Vec::new();
    }
    let blend = document.id();
    let node = Document::object("Deformer", blend, name, "Deformer", "BlendShape");
    document.add("Deformer", node.child(Node::of("Version", 100)));
    document.connect(blend, geometry.id);
    let all = geometry.shapes.iter().zip(&geometry.targets).zip(&geometry.weights);
    all.map(|((&number, target), &weight)| {
        let name = morphs.name(number);
        let channel = channel(document, &name, 100.0 * f64::from(weight), blend);
        shape(document, &name, target, channel);
        (number, channel)
    })
    .collect()
}

fn channel(document: &mut Document, name: &str, percent: f64, blend: i64) -> i64 {
    let id = document.id();
    let node = Document::object("Deformer", id, name, "SubDeformer", "BlendShapeChannel")
        .child(Node::of("Version", 100))
        .child(Node::of("DeformPercent", percent))
        .child(Node::of("FullWeights", vec![100.0]))
        .child(Properties::default().driven("DeformPercent", "Number", percent).node());
    document.add("Deformer", node);
    document.connect(id, blend);
    id
}

/// Writes the vertices that a shape moves.
fn shape(document: &mut Document, name: &str, target: &Target, channel: i64) {
    let id = document.id();
    let moved: Vec<usize> = (0..target.positions.len())
        .filter(|&v| target.positions[v] != [0.0; 3] || target.normals.get(v).is_some_and(|n| *n != [0.0; 3]))
        .collect();
    let pick = |values: &[[f32; 3]]| doubles(&moved.iter().map(|&v| values[v]).collect::<Vec<_>>());
    let mut node = Document::object("Geometry", id, name, "Geometry", "Shape")
        .child(Properties::default().node())
        .child(Node::of("Version", 100))
        .child(Node::of("Indexes", moved.iter().map(|&v| v as i32).collect::<Vec<_>>()))
        .child(Node::of("Vertices", pick(&target.positions)));
    if !target.normals.is_empty() {
        node.push(Node::of("Normals", pick(&target.normals)));
    }
    document.add("Geometry", node);
    document.connect(id, channel);
}
