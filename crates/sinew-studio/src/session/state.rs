//! What all tabs know: small, without anything per vertex.

use std::ops::Range;
use std::path::PathBuf;

use serde::Serialize;
use sinew::animation::Clip;
use sinew::motion::loops;

use super::deform::DeformState;
use super::measured::comparable;
use super::tables::endings;
use super::transplant::TransplantState;
use super::{CurvePoint, Kind, Offer, Session, Shape, Subject, Version};

/// What all tabs know.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "SessionState"))]
pub struct State<'a> {
    revision: u64,
    /// Grows with every open and close.
    open: u64,
    name: &'a str,
    fps: f64,
    frames: usize,
    vertices: usize,
    triangles: usize,
    diagonal: f64,
    center: [f64; 3],
    #[cfg_attr(test, ts(type = "\"y\" | \"z\""))]
    up: &'static str,
    clips: Vec<ClipState>,
    has_original: bool,
    versions: Vec<VersionState<'a>>,
    current: Option<u32>,
    undo: Option<&'a str>,
    redo: Option<&'a str>,
    curve: Vec<CurvePoint>,
    transplant: Option<TransplantState<'a>>,
    deform: Option<DeformState<'a>>,
    folders: &'a [PathBuf],
    saved: Option<&'a PathBuf>,
    warnings: Vec<String>,
    autosave: Option<&'a Offer>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Clip"))]
struct ClipState {
    name: String,
    start: usize,
    frames: usize,
    fps: f64,
    /// Whether it ends as it begins. Edits keep it so.
    loops: bool,
}

/// One result that can be looked at: a rig, a chain, a deformation.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Version"))]
struct VersionState<'a> {
    id: u32,
    name: &'a str,
    kind: Kind,
    method: &'a str,
    bones: usize,
    rigid_bones: usize,
    influences: usize,
    rank: usize,
    bytes: Option<u64>,
    percent: Option<f64>,
    largest: Option<f64>,
    worst_frame: Option<usize>,
    worst_vertex: Option<usize>,
    /// There is one where the version is comparable with the original, frame for frame.
    errors_key: Option<String>,
    /// Changes when the version's data change; what is fetched by it never does.
    key: String,
    skeleton: bool,
    /// Poses made from the pose before: no palette, positions are streamed.
    chain: bool,
    /// Whether it has bones to be skinned by; otherwise positions are fetched.
    rig: bool,
    parent: Option<u32>,
    frames: usize,
    fps: f64,
    /// Its clips; all frames are one where nobody told others apart.
    clips: Vec<ClipState>,
    /// Endings of files that it can be saved as.
    saves: Vec<&'static str>,
}

impl Session {
    /// What all tabs know.
    pub fn state(&self) -> State<'_> {
        let subject = self.subject.as_deref();
        State {
            revision: self.revision(),
            open: self.opened,
            name: subject.map_or("", |s| &s.name),
            fps: subject.map_or(24.0, Subject::frame_rate),
            frames: subject.map_or(0, Subject::frame_count),
            vertices: subject.map_or(0, |s| s.mesh().vertex_count),
            triangles: subject.map_or(0, |s| s.triangles.len()),
            diagonal: subject.map_or(0.0, |s| s.bounds().diagonal()),
            center: subject.map_or([0.0; 3], |s| s.bounds().center().to_array()),
            up: "y",
            clips: clips(subject.map_or(&[], Subject::clips), |_| false),
            has_original: subject.is_some_and(|s| s.original().is_some()),
            versions: self.versions.iter().map(|v| self.version_state(v)).collect(),
            current: self.current,
            undo: self.history.last(),
            redo: self.history.next(),
            curve: self.curve(),
            transplant: self.transplant.as_ref().map(|t| t.state()),
            deform: self.deform.as_ref().map(|d| d.state()),
            folders: self.folders.named(),
            saved: self.saved.as_ref(),
            warnings: self.warnings.iter().map(|warning| self.in_words(warning)).collect(),
            autosave: self.offer.as_ref(),
        }
    }

    fn version_state<'a>(&'a self, version: &'a Version) -> VersionState<'a> {
        let errors = version.errors.as_deref();
        let bones = match &version.shape {
            Shape::Rig(rig) | Shape::Poses(rig, _) => &rig.bones,
            Shape::Chain(chain, _) => &chain.bones,
        };
        let rig = if let Shape::Rig(rig) = &version.shape { Some(rig) } else { None };
        let comparable = self.subject.as_ref().is_some_and(|s| comparable(s, &version.shape));
        VersionState {
            id: version.id,
            name: &version.name,
            kind: version.kind,
            method: &version.method,
            bones: bones.len(),
            rigid_bones: bones.iter().filter(|bone| bone.rigid).count(),
            influences: version.shape.weights().per_vertex,
            rank: version.shape.rank(),
            bytes: version.bytes,
            percent: errors.map(|e| e.percent).filter(|p| p.is_finite()),
            largest: errors.map(|e| e.largest).filter(|p| p.is_finite()),
            worst_frame: errors.map(|e| e.worst_frame),
            worst_vertex: errors.map(|e| e.worst_vertex),
            errors_key: comparable.then(|| version.key()),
            key: version.key(),
            skeleton: rig.is_some_and(|rig| rig.skeleton.is_some()),
            chain: matches!(version.shape, Shape::Chain(..)),
            rig: rig.is_some(),
            parent: version.parent,
            frames: version.shape.frame_count(),
            fps: version.shape.fps(),
            clips: rig.map_or_else(Vec::new, |rig| clips(&rig.clips(), |clip| loops(rig, clip))),
            saves: endings(&version.shape),
        }
    }
}

fn clips(clips: &[Clip], loops: impl Fn(Range<usize>) -> bool) -> Vec<ClipState> {
    let of = |clip: &Clip| ClipState {
        name: clip.name.clone(),
        start: clip.frames.start,
        frames: clip.frames.len(),
        fps: clip.fps,
        loops: loops(clip.frames.clone()),
    };
    clips.iter().map(of).collect()
}
