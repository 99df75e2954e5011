//! Several inputs as clips of one animation: their frames one after another, on one mesh.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::animation::{Clip, Frames, MeshAnimation, clips_or_one};
use sinew::geometry::Mesh;
use sinew::nodes::{self, Node};

use super::units::{Measurable, agree};
use crate::room::room;
use crate::scene::names::Names;
use crate::scene::{DEFAULT_FPS, Facts, Opened, PoseStream, Poses};
use crate::{Error, Result, Warning};

/// An input and what it holds.
pub(super) struct Part<T> {
    pub path: PathBuf,
    pub opened: T,
}

/// What has to be known of a part to join it with others.
struct Outline<'a> {
    path: &'a Path,
    source: &'a str,
    mesh: &'a Mesh,
    vertices: usize,
    frames: usize,
    clips: Cow<'a, [Clip]>,
}

impl Part<Opened> {
    fn outline(&self) -> Outline<'_> {
        let Opened { animation, source, .. } = &self.opened;
        Outline {
            path: &self.path,
            source,
            mesh: &animation.mesh,
            vertices: animation.frames.vertex_count(),
            frames: animation.frames.len(),
            clips: animation.clips(),
        }
    }
}

impl Part<PoseStream> {
    fn outline(&self) -> Outline<'_> {
        let stream = &self.opened;
        let frames = stream.frame_count.unwrap_or_default();
        Outline {
            path: &self.path,
            source: &stream.source,
            mesh: &stream.mesh,
            vertices: stream.vertex_count(),
            frames,
            clips: clips_or_one(&stream.clips, frames, stream.fps),
        }
    }
}

/// What several parts are together.
struct Plan {
    clips: Vec<Clip>,
    /// The part whose mesh and rest pose are taken: the first that has faces.
    base: usize,
    source: String,
    frames: usize,
    fps: f64,
}

impl Plan {
    fn new(parts: &[Outline]) -> Result<Self> {
        check(parts)?;
        let source = match parts {
            [a, b] => format!("{} and {}", a.source, b.source),
            [first, .., last] => format!("{} clips, {} to {}", parts.len(), first.source, last.source),
            _ => String::new(),
        };
        let clips = clips(parts);
        let fps = clips.first().map_or(DEFAULT_FPS, |c| c.fps);
        let base = parts.iter().position(has_faces).unwrap_or(0);
        Ok(Self { clips, base, source, frames: parts.iter().map(|p| p.frames).sum(), fps })
    }
}

/// Makes one animation of several.
pub(super) fn join(mut parts: Vec<Part<Opened>>) -> Result<Opened> {
    let mut told = differences(&parts);
    told.extend(agree(&mut parts.iter_mut().map(|p| (named(&p.path), &mut p.opened)).collect::<Vec<_>>())?);
    let plan = Plan::new(&parts.iter().map(|part| part.outline()).collect::<Vec<_>>())?;
    let own = parts.iter().flat_map(|p| p.opened.warnings.iter().map(|w| w.clone().located(&p.path)));
    let warnings = own.chain(told).collect();
    let assumed_fps = parts.iter().any(|p| p.opened.assumed_fps);
    let facts = facts_of_all(&parts, plan.base);
    let vertices = parts[0].opened.animation.frames.vertex_count();
    let of_part = |p: &'_ Part<Opened>| (p.opened.animation.nodes.clone(), p.opened.animation.frames.len());
    let nodes = joined_nodes(parts.iter().map(of_part).collect());
    let mut flat = room(plan.frames, vertices, &parts[0].path)?;
    let mut base_animation = None;
    // Each part is let go once it is copied, so that never more than one of them is there twice.
    for (index, part) in parts.into_iter().enumerate() {
        let MeshAnimation { mesh, rest, frames, .. } = part.opened.animation;
        flat.extend_from_slice(frames.flat());
        if index == plan.base {
            base_animation = Some((mesh, rest));
        }
    }
    let (mesh, rest) = base_animation.unwrap_or_default();
    let frames = Frames::new(flat, plan.frames, vertices);
    let animation = MeshAnimation { mesh, rest, frames, fps: plan.fps, clips: plan.clips, nodes };
    Ok(Opened { animation, warnings, source: plan.source, input_bytes: 0, clip: None, assumed_fps, facts })
}

/// Makes one stream of several, whose poses are read one part after the other.
pub(super) fn join_streams(mut parts: Vec<Part<PoseStream>>) -> Result<PoseStream> {
    if let Some(part) = parts.iter().find(|p| p.opened.frame_count.is_none()) {
        let message = "a file that does not tell how many frames it has cannot be one of several";
        return Err(Error::unsupported(&part.path, message));
    }
    let mut told = differences(&parts);
    told.extend(agree(&mut parts.iter_mut().map(|p| (named(&p.path), &mut p.opened)).collect::<Vec<_>>())?);
    let plan = Plan::new(&parts.iter().map(|part| part.outline()).collect::<Vec<_>>())?;
    let own = parts.iter().flat_map(|p| p.opened.warnings.iter().map(|w| w.clone().located(&p.path)));
    let warnings = own.chain(told).collect();
    let of_part = |p: &'_ Part<PoseStream>| (p.opened.nodes.clone(), p.opened.frame_count.unwrap_or(0));
    let nodes = joined_nodes(parts.iter().map(of_part).collect());
    let unit = facts_of_all(&parts, plan.base).metres_per_unit;
    let base = &mut parts[plan.base].opened;
    let (mesh, rest, vertices) = (std::mem::take(&mut base.mesh), base.rest.take(), base.vertex_count());
    let facts = Facts { metres_per_unit: unit, ..base.facts.clone() };
    let assumed_fps = parts.iter().any(|p| p.opened.assumed_fps);
    let input_bytes = parts.iter().map(|p| p.opened.input_bytes).sum();
    // One mesh is enough for all.
    parts.iter_mut().for_each(|part| (part.opened.mesh, part.opened.rest) = Default::default());
    let poses = Box::new(Joined { parts: parts.into(), read: 0 });
    let stream = PoseStream::new(mesh, vertices, plan.source, poses).with_warnings(warnings);
    let (fps, frame_count, clips) = (plan.fps, Some(plan.frames), plan.clips);
    Ok(PoseStream { rest, fps, frame_count, clips, nodes, assumed_fps, input_bytes, facts, ..stream })
}

/// Nodes of all parts, each with its number of frames, as those of all frames.
fn joined_nodes(parts: Vec<(Vec<Node>, usize)>) -> Vec<Node> {
    nodes::joined(&parts.iter().map(|(nodes, frames)| (&nodes[..], *frames)).collect::<Vec<_>>())
}

/// Streams one after the other, and how many frames of the first were read.
struct Joined {
    parts: VecDeque<Part<PoseStream>>,
    read: usize,
}

impl Poses for Joined {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        while let Some(Part { path, opened }) = self.parts.front_mut() {
            if opened.next_into(out)? {
                self.read += 1;
                return Ok(true);
            }
            if opened.frame_count != Some(self.read) {
                let message = format!(
                    "{} frames were told, but {} are there",
                    opened.frame_count.unwrap_or(0),
                    self.read
                );
                return Err(Error::malformed(path, message));
            }
            self.parts.pop_front();
            self.read = 0;
        }
        Ok(false)
    }
}

/// Those of one part, with the unit that all are in.
fn facts_of_all<T: Measurable>(parts: &[Part<T>], base: usize) -> Facts {
    let metres_per_unit = parts.iter().find_map(|p| p.opened.facts().metres_per_unit);
    Facts { metres_per_unit, ..parts[base].opened.facts().clone() }
}

/// In what parts disagree with the first, besides their units.
fn differences<T: Measurable>(parts: &[Part<T>]) -> Vec<Warning> {
    let [first, others @ ..] = parts else { return Vec::new() };
    let from_first = |other: &Part<T>| {
        let names = [&*named(&first.path), &*named(&other.path)];
        first.opened.facts().differences(other.opened.facts(), names)
    };
    others.iter().flat_map(from_first).collect()
}

/// How a part is called in sentences.
fn named(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn has_faces(part: &Outline) -> bool {
    part.mesh.face_count() > 0
}

/// Clips of one skin have the same vertices and faces.
fn check(parts: &[Outline]) -> Result<()> {
    if let Some(other) = parts.iter().find(|p| p.vertices != parts[0].vertices) {
        let message = format!(
            "each frame has {} vertices, but {} has {}; clips of one skin are of the same mesh",
            other.vertices,
            parts[0].path.display(),
            parts[0].vertices
        );
        return Err(Error::unsupported(other.path, message));
    }
    let Some(first) = parts.iter().find(|p| has_faces(p)) else { return Ok(()) };
    let differs = |p: &&Outline| {
        has_faces(p) && (p.mesh.corners != first.mesh.corners || p.mesh.face_starts != first.mesh.face_starts)
    };
    match parts.iter().find(differs) {
        None => Ok(()),
        Some(other) => {
            let message = format!(
                "the faces are not those of {}; clips of one skin are of the same mesh",
                first.path.display()
            );
            Err(Error::unsupported(other.path, message))
        }
    }
}

/// The clips of all parts, each with a name of its own: that of its file, or in a file of several its own.
fn clips(parts: &[Outline]) -> Vec<Clip> {
    let stems: Vec<String> = parts.iter().map(|p| stem(p.path)).collect();
    let mut names = Names::default();
    let mut clips = Vec::new();
    let mut first = 0;
    for (part, stem) in parts.iter().zip(&stems) {
        // walk/anim.pc2 and run/anim.pc2 are a walk and a run.
        let shared = stems.iter().filter(|s| *s == stem).count() > 1;
        let folder = part.path.parent().and_then(Path::file_name).filter(|_| shared);
        let own = folder.map_or_else(|| stem.clone(), |f| f.to_string_lossy().into_owned());
        for clip in part.clips.iter() {
            let name = names.unique(if clip.name.is_empty() { own.clone() } else { clip.name.clone() });
            let frames = first + clip.frames.start..first + clip.frames.end;
            clips.push(Clip { name, frames, fps: clip.fps });
        }
        first += part.frames;
    }
    clips
}

/// A file's or folder's name without its ending; of a pattern what comes before the first wild card.
fn stem(path: &Path) -> String {
    let whole = if path.is_file() { path.file_stem() } else { path.file_name() };
    let whole = whole.map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let start = whole.split(['*', '?']).next().unwrap_or_default().trim_end_matches(['_', '-', '.', ' ']);
    let named = if start.is_empty() {
        path.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
    } else {
        start.into()
    };
    if named.is_empty() { "clip".into() } else { named }
}
