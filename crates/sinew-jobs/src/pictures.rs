//! What commands draw: meshes by bone, weight or error, and errors over frames.

use std::path::Path;

use glam::Vec3;
use sinew::rig::SkinWeights;
use sinew_picture::{Image, NO_BONE, PlotOptions, Series, bone_palette, plot};

use crate::error::Outcome;

/// Writes an image as PNG.
pub fn save_png(path: &Path, image: &Image) -> Outcome<()> {
    let bytes = image.encode_png();
    sinew_io::save(path, |out| out.write_all(&bytes))?;
    Ok(())
}

/// One colour per triangle: that of the bone with the most weight on its corners.
pub fn bone_colors(weights: &SkinWeights, bones: usize, triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let palette = bone_palette(bones);
    let mut sums = vec![0.0_f32; bones];
    triangles
        .iter()
        .map(|triangle| {
            let corners = || triangle.iter().flat_map(|&v| influences(weights, v as usize));
            corners().for_each(|(bone, _)| sums[bone] = 0.0);
            let mut strongest = (0.0, None);
            for (bone, weight) in corners() {
                sums[bone] += weight;
                if sums[bone] > strongest.0 {
                    strongest = (sums[bone], Some(bone));
                }
            }
            strongest.1.map_or(NO_BONE, |bone| palette[bone])
        })
        .collect()
}

/// Weight of one bone on every vertex.
pub fn weights_of_bone(weights: &SkinWeights, vertices: usize, bone: usize) -> Vec<f32> {
    (0..vertices).map(|v| influences(weights, v).filter(|(b, _)| *b == bone).map(|(_, w)| w).sum()).collect()
}

fn influences(weights: &SkinWeights, vertex: usize) -> impl Iterator<Item = (usize, f32)> {
    let (bones, weights) = weights.of(vertex);
    bones.iter().map(|b| *b as usize).zip(weights.iter().copied())
}

/// Distance of every vertex in percent of `diagonal`.
pub fn distances(a: &[Vec3], b: &[Vec3], diagonal: f64) -> Vec<f32> {
    let scale = if diagonal > 0.0 { 100.0 / diagonal } else { 0.0 };
    a.iter().zip(b).map(|(p, q)| (p.as_dvec3().distance(q.as_dvec3()) * scale) as f32).collect()
}

/// The upper end of a scale for these numbers: the largest, or 1 when all are zero.
pub fn scale_end(values: &[Vec<f32>]) -> f32 {
    let largest = values.iter().flatten().copied().filter(|x| x.is_finite()).fold(0.0, f32::max);
    if largest > 0.0 { largest } else { 1.0 }
}

/// Words beside a scale of [`distances`].
pub const DISTANCE_LABEL: &str = "distance, % of the diagonal";

/// A chart of the error in every frame.
pub fn plot_errors(per_frame: &[f64]) -> Outcome<Image> {
    let points = per_frame.iter().enumerate().map(|(frame, &error)| (frame as f64, error)).collect();
    let options = PlotOptions {
        title: "error of every frame".into(),
        x_label: "frame".into(),
        y_label: "rms distance, % of the diagonal".into(),
        ..PlotOptions::default()
    };
    Ok(plot(&[Series { name: String::new(), points }], &options)?)
}

/// `count` frames spread evenly over `total`, the first included.
pub fn spread(total: usize, count: usize) -> Vec<usize> {
    let count = count.clamp(1, total.max(1));
    (0..count).map(|i| i * total / count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_spread_over_all() {
        assert_eq!(spread(48, 4), [0, 12, 24, 36]);
        assert_eq!(spread(3, 9), [0, 1, 2]);
        assert_eq!(spread(1, 1), [0]);
    }

    #[test]
    fn distances_are_in_percent() {
        assert_eq!(distances(&[Vec3::ZERO], &[Vec3::X], 4.0), [25.0]);
        assert_eq!(distances(&[Vec3::ZERO], &[Vec3::X], 0.0), [0.0]);
    }
}
