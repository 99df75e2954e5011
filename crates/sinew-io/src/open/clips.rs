//! Several inputs as clips of one animation: their frames one after another, on one mesh.

use std::path::{Path, PathBuf};

use sinew::animation::{Clip, Frames, MeshAnimation};

use super::{Opened, name};
use crate::glb::Names;
use crate::room::room;
use crate::{Error, Result};

/// An input and what it holds.
pub(super) struct Part {
    pub path: PathBuf,
    pub opened: Opened,
}

/// Makes one animation of several. Mesh and rest pose are those of the first part that has faces.
pub(super) fn join(parts: Vec<Part>) -> Result<Opened> {
    check(&parts)?;
    let clips = clips(&parts);
    let base = parts.iter().position(has_faces).unwrap_or(0);
    let source = match &parts[..] {
        [a, b] => format!("{} and {}", a.opened.source, b.opened.source),
        [first, .., last] => {
            format!("{} clips, {} to {}", parts.len(), first.opened.source, last.opened.source)
        }
        _ => String::new(),
    };
    let warnings = parts.iter().flat_map(|p| p.opened.warnings.iter().map(|w| located(&p.path, w))).collect();
    let assumed_fps = parts.iter().any(|p| p.opened.assumed_fps);
    let vertices = parts[0].opened.animation.frames.vertex_count();
    let count = clips.iter().map(|c| c.frames.len()).sum();
    let mut flat = room(count, vertices, &parts[0].path)?;
    let mut base_animation = None;
    // Each part is let go once it is copied, so that never more than one of them is there twice.
    for (index, part) in parts.into_iter().enumerate() {
        let MeshAnimation { mesh, rest, frames, .. } = part.opened.animation;
        flat.extend_from_slice(frames.flat());
        if index == base {
            base_animation = Some((mesh, rest));
        }
    }
    let (mesh, rest) = base_animation.unwrap_or_default();
    let fps = clips.first().map_or(super::DEFAULT_FPS, |c| c.fps);
    let animation = MeshAnimation { mesh, rest, frames: Frames::new(flat, count, vertices), fps, clips };
    Ok(Opened { animation, warnings, source, input_bytes: 0, clip: None, assumed_fps })
}

fn has_faces(part: &Part) -> bool {
    part.opened.animation.mesh.face_count() > 0
}

/// Says which file a warning is about, where it does not say so itself.
fn located(path: &Path, warning: &str) -> String {
    let place = path.display().to_string();
    if warning.starts_with(&place) { warning.into() } else { format!("{place}: {warning}") }
}

/// Clips of one skin have the same vertices and faces.
fn check(parts: &[Part]) -> Result<()> {
    let vertices = |p: &Part| p.opened.animation.frames.vertex_count();
    if let Some(other) = parts.iter().find(|p| vertices(p) != vertices(&parts[0])) {
        let message = format!(
            "each frame has {} vertices, but {} has {}; clips of one skin are of the same mesh",
            vertices(other),
            parts[0].path.display(),
            vertices(&parts[0])
        );
        return Err(Error::unsupported(&other.path, message));
    }
    let Some(first) = parts.iter().find(|p| has_faces(p)) else { return Ok(()) };
    let mesh = &first.opened.animation.mesh;
    let differs = |p: &&Part| {
        let other = &p.opened.animation.mesh;
        has_faces(p) && (other.corners != mesh.corners || other.face_starts != mesh.face_starts)
    };
    match parts.iter().find(differs) {
        None => Ok(()),
        Some(other) => {
            let message = format!(
                "the faces are not those of {}; clips of one skin are of the same mesh",
                first.path.display()
            );
            Err(Error::unsupported(&other.path, message))
        }
    }
}

/// The clips of all parts, each with a name of its own: that of its file, or in a file of several its own.
fn clips(parts: &[Part]) -> Vec<Clip> {
    let stems: Vec<String> = parts.iter().map(|p| stem(&p.path)).collect();
    let mut names = Names::default();
    let mut clips = Vec::new();
    let mut first = 0;
    for (part, stem) in parts.iter().zip(&stems) {
        let animation = &part.opened.animation;
        // walk/anim.pc2 and run/anim.pc2 are a walk and a run.
        let shared = stems.iter().filter(|s| *s == stem).count() > 1;
        let folder = part.path.parent().and_then(Path::file_name).filter(|_| shared);
        let own = folder.map_or_else(|| stem.clone(), |f| f.to_string_lossy().into_owned());
        for clip in animation.clips().iter() {
            let name = names.unique(if clip.name.is_empty() { own.clone() } else { clip.name.clone() });
            let frames = first + clip.frames.start..first + clip.frames.end;
            clips.push(Clip { name, frames, fps: clip.fps });
        }
        first += animation.frames.len();
    }
    clips
}

/// A file's or folder's name without its ending; of a pattern what comes before the first wild card.
fn stem(path: &Path) -> String {
    let whole = if path.is_file() { path.file_stem() } else { path.file_name() };
    let whole = whole.map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let start = whole.split(['*', '?']).next().unwrap_or_default().trim_end_matches(['_', '-', '.', ' ']);
    let named = if start.is_empty() { path.parent().map(name).unwrap_or_default() } else { start.into() };
    if named.is_empty() { "clip".into() } else { named }
}
