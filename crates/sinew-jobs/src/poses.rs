//! Where poses go: a file of any format that holds them, or a folder of meshes.

use std::collections::HashSet;
use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;
use sinew::progress::Progress;
use sinew_io::formats::{self, Content, Facts, Format, PoseSet, Written, sinew_file};
use sinew_io::open::PoseStream;
use sinew_io::sequence;

use crate::error::Outcome;
use crate::refusals::FileRefusal;
use crate::target::Staged;

sinew::choices! {
    /// Formats a single pose is written in.
    #[derive(Default)]
    pub enum MeshFormat: "format" {
        /// Wavefront OBJ.
        #[default]
        Obj = "obj", "Wavefront OBJ, with UVs and materials",
        /// PLY.
        Ply = "ply", "binary PLY",
    }
}

impl MeshFormat {
    /// The entry in the table of formats.
    pub fn format(self) -> &'static Format {
        match self {
            Self::Obj => &formats::OBJ,
            Self::Ply => &formats::PLY,
        }
    }
}

/// Tells the format of a mesh from its file's name.
pub fn mesh_format(path: &Path) -> Outcome<&'static Format> {
    match formats::to_write(path).filter(|f| f.writes.is_frame()) {
        Some(format) => Ok(format),
        None => Err(FileRefusal::NoMeshFormat(path.into()).into()),
    }
}

/// Where poses go.
pub enum Target {
    /// A file that holds any number.
    File(&'static Format),
    /// A folder of one mesh a frame.
    Folder(&'static Format),
    /// A file of one mesh.
    Mesh(&'static Format),
    /// A file that holds the rig itself.
    Rig(&'static Format),
}

impl Target {
    /// Tells it from a name; `frames` is for folders.
    pub fn of(path: &Path, frames: MeshFormat) -> Outcome<Self> {
        if is_folder(path) {
            return Ok(Self::Folder(frames.format()));
        }
        match formats::to_write(path) {
            Some(format) if format.writes.poses => Ok(Self::File(format)),
            Some(format) if format.writes.rig => Ok(Self::Rig(format)),
            _ => Err(FileRefusal::NoPoseFormat(path.into()).into()),
        }
    }

    /// The format of what is written.
    pub fn format(&self) -> &'static Format {
        let (Self::File(format) | Self::Folder(format) | Self::Mesh(format) | Self::Rig(format)) = self;
        format
    }

    /// The file that is written, unless it is a folder.
    pub fn file<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        if matches!(self, Self::Folder(_)) { None } else { Some(path) }
    }
}

/// Whether a name is that of a folder rather than of a file.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(['/', '\\']) || path.extension().is_none()
}

/// Writes poses to where they go.
pub fn save_poses(
    output: &Path,
    to: &Target,
    set: &PoseSet,
    progress: &dyn Progress,
    mut next: impl FnMut(usize, &mut [Vec3]) -> Outcome<()>,
) -> Outcome<Written> {
    match to {
        Target::File(format) | Target::Rig(format) => {
            let mut failed = None;
            // Files take no errors but those of the system; ours is kept meanwhile.
            let mut pose = |frame: usize, out: &mut [Vec3]| {
                next(frame, out).map_err(|e| {
                    failed = Some(e);
                    std::io::Error::other("the pose could not be read")
                })
            };
            let written = format.save(output, Content::Poses(set, &mut pose));
            failed.map_or_else(|| Ok(written?), Err)
        }
        Target::Mesh(format) => {
            let mut positions = vec![Vec3::ZERO; set.mesh.vertex_count];
            next(0, &mut positions)?;
            Ok(format.save(output, Content::Mesh(set.mesh, &positions))?)
        }
        Target::Folder(format) => {
            let staged = Staged::new(output)?;
            let written = write_frames(&staged, set.mesh, set.frames, format, progress, next);
            let written = written.map_err(|e| staged.told(e))?;
            staged.commit()?;
            Ok(written)
        }
    }
}

/// Which frames of a stream are played.
pub struct Frames<'a> {
    /// So many are passed over first.
    pub skip: usize,
    /// So many are played.
    pub frames: usize,
    /// Whether that is all there are.
    pub all: bool,
    /// What is known of their units and times.
    pub facts: &'a Facts,
}

/// A stream that was written.
pub struct Played {
    /// What was written.
    pub written: Written,
    /// The mesh.
    pub mesh: Mesh,
    /// The rest pose.
    pub rest: Option<Vec<Vec3>>,
}

/// Plays frames of a stream to where they go, each after `change`. The stream's mesh and rest pose come back
/// with what was written.
pub fn save_stream(
    (input, output): (&Path, &Path),
    to: &Target,
    stream: &mut PoseStream,
    span: &Frames,
    change: impl Fn(&mut [Vec3]),
    progress: &dyn Progress,
) -> Outcome<Played> {
    let mut unused = vec![Vec3::ZERO; stream.vertex_count()];
    for _ in 0..span.skip {
        progress.check()?;
        stream.next_into(&mut unused)?;
    }
    let (mesh, rest) = (std::mem::take(&mut stream.mesh), stream.rest.take());
    // Clips of all frames are none of some.
    let clips = if span.all { stream.clips.clone() } else { Vec::new() };
    let (clip, source_name) = (stream.clip.clone(), stream.source.clone());
    let set = PoseSet {
        mesh: &mesh,
        rest: rest.as_deref(),
        frames: span.frames,
        fps: stream.fps,
        clips: &clips,
        clip: clip.as_deref(),
        facts: span.facts,
    };
    let next = |frame: usize, out: &mut [Vec3]| -> Outcome<()> {
        progress.check()?;
        progress.advance(frame as f64 / span.frames as f64);
        if stream.next_into(out)? {
            if let Some(vertex) = out.iter().position(|p| !p.is_finite()) {
                let (source_name, frame) = (source_name.clone(), span.skip + frame);
                return Err(FileRefusal::NotFinite { source_name, frame, vertex }.into());
            }
            change(out);
            return Ok(());
        }
        Err(FileRefusal::Shortened(input.into()).into())
    };
    let written = save_poses(output, to, &set, progress, next)?;
    // Where a file was cut shows only at its end.
    if span.all {
        stream.next_into(&mut unused)?;
    }
    Ok(Played { written, mesh, rest })
}

/// How many frames there are. A `.sinew` file is gone through once: caches say it up front.
pub fn frame_count(path: &Path, stream: &PoseStream) -> Outcome<usize> {
    Ok(match stream.frame_count {
        Some(total) => total,
        None => sinew_file::clips(path)?.first().map_or(0, |c| c.frames.len()),
    })
}

/// Writes one mesh a frame. UVs and materials are in the first only: they are the same in all.
pub fn write_frames(
    staged: &Staged,
    mesh: &Mesh,
    frames: usize,
    format: &Format,
    progress: &dyn Progress,
    mut pose: impl FnMut(usize, &mut [Vec3]) -> Outcome<()>,
) -> Outcome<Written> {
    let digits = frames.saturating_sub(1).to_string().len().max(4);
    let names: Vec<String> =
        (0..frames).map(|frame| format!("frame_{frame:0digits$}.{}", format.written[0])).collect();
    refuse_others(staged.target(), &names)?;
    let bare = Mesh {
        vertex_count: mesh.vertex_count,
        face_starts: mesh.face_starts.clone(),
        corners: mesh.corners.clone(),
        parts: mesh.parts.clone(),
        ..Mesh::default()
    };
    let mut positions = vec![Vec3::ZERO; mesh.vertex_count];
    let mut all = Written::default();
    for (frame, name) in names.iter().enumerate() {
        progress.check()?;
        pose(frame, &mut positions)?;
        let path = staged.path().join(name);
        let one = format.save(&path, Content::Mesh(if frame == 0 { mesh } else { &bare }, &positions))?;
        all.bytes += one.bytes;
        all.warnings.extend(one.warnings.into_iter().filter(|_| frame == 0));
    }
    Ok(all)
}

/// Refuses a folder with meshes besides those that are written over: whoever reads the frames would take them along.
fn refuse_others(folder: &Path, names: &[String]) -> Outcome<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    let mut left = sequence::meshes_in(folder)?;
    let new: HashSet<&String> = names.iter().collect();
    left.retain(|name| !new.contains(name));
    match left.is_empty() {
        true => Ok(()),
        false => Err(FileRefusal::MeshesLeft { folder: folder.into(), left }.into()),
    }
}
