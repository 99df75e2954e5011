//! How far versions are from the original, and how large they are: found out beside everything else.

use std::sync::Arc;

use glam::Vec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sinew::animation::{MeshAnimation, compare};
use sinew::progress::Silent;
use sinew_io::glb::{self, WriteOptions};
use sinew_io::sinew_file;

use super::editors::Editors;
use super::{Refusal, Session, Shape, Subject};

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

/// A version of which error or size are not known.
pub struct Unmeasured {
    id: u32,
    content: u64,
    shape: Shape,
    original: Option<Arc<MeshAnimation>>,
    needs_bytes: bool,
    editors: Editors,
}

/// What was found out.
pub struct Found {
    id: u32,
    content: u64,
    errors: Option<Arc<Errors>>,
    bytes: Option<u64>,
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
}

impl Errors {
    /// Measures against what was opened, if that can be.
    pub fn against(subject: &Subject, shape: &Shape) -> Result<Self, Refusal> {
        match subject.original().filter(|_| comparable(subject, shape)) {
            Some(original) => Ok(Self::of(original, shape)),
            None => Refusal::say("there is no original of the same frames to measure from"),
        }
    }
}

impl Unmeasured {
    /// Finds out.
    pub fn measure(self) -> Found {
        let Self { id, content, shape, original, needs_bytes, editors } = self;
        let bytes = if needs_bytes { Some(file_bytes(&shape)) } else { None };
        let errors = original.map(|original| Arc::new(Errors::of(&original, &shape)));
        if let Shape::Rig(rig) = &shape {
            // The first turn of a bone need not wait for it then. Why it cannot be made is told there.
            _ = editors.bones(rig, &Silent);
        }
        Found { id, content, errors, bytes }
    }
}

/// Size of a shape as a file: a rig as GLB, a chain as .sinew, poses as they are.
pub(super) fn file_bytes(shape: &Shape) -> u64 {
    match shape {
        Shape::Rig(rig) => {
            let options = WriteOptions { name: "rig".into(), keep_normals: true, ..WriteOptions::default() };
            let sinew = || sinew_file::rig_to_bytes(rig, "").len();
            glb::to_bytes(rig, &options).map_or_else(|_| sinew(), |(bytes, _)| bytes.len()) as u64
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

impl Session {
    /// A version that should be measured.
    pub fn unmeasured(&self) -> Option<Unmeasured> {
        let subject = self.subject.as_ref()?;
        self.versions.iter().rev().find_map(|version| {
            let needs_errors = version.errors.is_none() && comparable(subject, &version.shape);
            let needs_bytes = version.bytes.is_none();
            (needs_errors || needs_bytes).then(|| Unmeasured {
                id: version.id,
                content: version.content,
                shape: version.shape.clone(),
                original: subject.original().filter(|_| needs_errors).cloned(),
                needs_bytes,
                editors: version.editors.clone(),
            })
        })
    }

    /// Takes what was found out, unless the version has changed meanwhile.
    pub fn set_measured(&mut self, found: Found) {
        let Ok(version) = self.version_mut(found.id) else { return };
        if version.content != found.content {
            return;
        }
        version.errors = found.errors.or(version.errors.take());
        version.bytes = found.bytes.or(version.bytes);
        self.touch();
    }
}
