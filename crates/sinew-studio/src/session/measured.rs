//! What is found out about versions: how far they are from the original, and how large.

use std::sync::Arc;

use glam::Vec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew::animation::{MeshAnimation, compare};
use sinew_io::formats::gltf::{self, WriteOptions};
use sinew_io::formats::sinew_file;

use super::{Refusal, Shape, Subject};

/// Distance of a version from the original.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Errors {
    /// In percent of the motion.
    pub percent: f64,
    /// The largest distance of a vertex, in percent of the diagonal.
    pub largest: f64,
    /// The frame it is in.
    pub worst_frame: usize,
    /// The vertex.
    pub worst_vertex: usize,
    /// Mean distance of the vertices of each frame, in percent of the diagonal.
    pub per_frame: Vec<f64>,
    /// Largest distance in each frame, in the same measure.
    pub largest_per_frame: Vec<f64>,
}

impl Errors {
    /// Measures, frame by frame.
    pub fn of(original: &MeshAnimation, shape: &Shape) -> Self {
        let (bounds, poses) = (original.rest_bounds(), shape.poses());
        let error = compare(original, &*poses, bounds).error;
        let scale = if bounds.diagonal() > 0.0 { 100.0 / bounds.diagonal() } else { 0.0 };
        let vertices = shape.vertex_count();
        let of_frame = |pose: &mut Vec<Vec3>, frame: usize| {
            poses.pose_into(frame, pose);
            let (mut sum, mut largest) = (0.0, 0.0_f64);
            for (p, q) in original.frames.frame(frame).iter().zip(&*pose) {
                let distance = p.as_dvec3().distance(q.as_dvec3());
                sum += distance;
                largest = largest.max(distance);
            }
            (scale * sum / vertices.max(1) as f64, scale * largest)
        };
        let frames = (0..original.frames.len()).into_par_iter();
        let (per_frame, largest_per_frame) = frames.map_init(|| vec![Vec3::ZERO; vertices], of_frame).unzip();
        Self {
            percent: error.percent,
            largest: error.max,
            worst_frame: error.max_frame,
            worst_vertex: error.max_vertex,
            per_frame,
            largest_per_frame,
        }
    }

    /// Measures against what was opened, if that can be.
    pub fn against(subject: &Subject, shape: &Shape) -> Result<Self, Refusal> {
        match subject.original().filter(|_| comparable(subject, shape)) {
            Some(original) => Ok(Self::of(original, shape)),
            None => Refusal::say("there is no original of the same frames to measure from"),
        }
    }
}

/// A rig that was fitted, or what is told of one that was not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CurvePoint {
    /// Its size.
    pub bytes: u64,
    /// Its bones.
    pub bones: usize,
    /// Its error.
    pub percent: f64,
    /// The version it is, if it was kept.
    pub version: Option<u32>,
}

/// Size of a shape as a file: a rig as GLB, a chain as .sinew, poses as they are.
pub(super) fn file_bytes(shape: &Shape) -> u64 {
    match shape {
        Shape::Rig(rig) => {
            let options = WriteOptions { name: "rig".into(), keep_normals: true, ..WriteOptions::default() };
            let sinew = || sinew_file::rig_to_bytes(rig, "").len();
            gltf::to_bytes(rig, &options).map_or_else(|_| sinew(), |(bytes, _)| bytes.len()) as u64
        }
        Shape::Chain(chain, _) => sinew_file::chain_to_bytes(chain, "").len() as u64,
        Shape::Poses(_, frames) => size_of_val(frames.flat()) as u64,
    }
}

/// Whether a shape can be laid over the original frame by frame.
pub(super) fn comparable(subject: &Subject, shape: &Shape) -> bool {
    let same = |a: &Arc<MeshAnimation>| {
        a.frames.len() == shape.frame_count() && a.frames.vertex_count() == shape.vertex_count()
    };
    subject.original().is_some_and(same)
}
