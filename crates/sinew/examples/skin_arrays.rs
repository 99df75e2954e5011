//! Arrays in memory become a rig, and the rig arrays again.
//!
//!     cargo run --release -p sinew --example skin_arrays

use sinew::animation::MeshAnimation;
use sinew::progress::Silent;
use sinew::skin::{SkinOptions, skin};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (vertices, faces, positions) = bending_strip(24);
    let animation = MeshAnimation::from_positions(positions, vertices, &faces, 24.0)?;
    let options = SkinOptions { bones: Some(6), ..Default::default() };
    let skinned = skin(&animation, &options, &Silent)?;
    let rig = &skinned.rig;
    let bones_of_vertices: &[u32] = &rig.weights.bones;
    let weights_of_vertices: &[f32] = &rig.weights.weights;
    let matrices: Vec<[f32; 16]> =
        rig.transforms.iter().map(|t| sinew::glam::DMat4::from(*t).as_mat4().to_cols_array()).collect();
    println!(
        "{} bones, {} influences a vertex, {} matrices, error {:.3} %",
        rig.bones.len(),
        bones_of_vertices.len() / vertices,
        matrices.len(),
        skinned.error.percent
    );
    assert_eq!(bones_of_vertices.len(), weights_of_vertices.len());
    assert!(skinned.error.percent < 2.0);
    Ok(())
}

/// A strip of quads that rolls up: number of vertices, faces, and x y z of every vertex, frame after frame.
fn bending_strip(frames: usize) -> (usize, Vec<[u32; 4]>, Vec<f32>) {
    const LENGTH: u32 = 40;
    let faces = (0..LENGTH).map(|i| [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]).collect();
    let mut positions = Vec::new();
    for frame in 0..frames {
        let (bend, mut x, mut z) = (2.0 * frame as f32 / frames as f32 / LENGTH as f32, 0.0, 0.0);
        for i in 0..=LENGTH {
            positions.extend([x, 0.0, z, x, 1.0, z]);
            let angle = bend * i as f32;
            (x, z) = (x + 0.1 * angle.cos(), z + 0.1 * angle.sin());
        }
    }
    (2 * (LENGTH as usize + 1), faces, positions)
}
