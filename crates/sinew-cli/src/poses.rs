//! Where poses go: a file of any format that holds them, or a folder of meshes.

use std::path::Path;

use clap::ValueEnum;
use glam::Vec3;
use sinew::geometry::Mesh;
use sinew_io::formats::{self, Format, PoseSet, Written};

use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::target::Staged;

/// Formats a single pose is written in.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MeshFormat {
    #[default]
    Obj,
    Ply,
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
        None => CliError::refused(format!(
            "{}: meshes are written as {}",
            path.display(),
            endings("or", |f| f.writes.is_frame())
        )),
    }
}

/// Where poses go.
pub enum Target {
    /// A file that holds any number.
    File(&'static Format),
    /// A folder of one mesh a frame.
    Folder(&'static Format),
    /// A file that holds the rig itself.
    Rig(&'static Format),
}

impl Target {
    /// Tells it from a name; `frames` is for folders.
    pub fn of(path: &Path, frames: MeshFormat) -> Outcome<Self> {
        let text = path.to_string_lossy();
        if path.is_dir() || text.ends_with(['/', '\\']) || path.extension().is_none() {
            return Ok(Self::Folder(frames.format()));
        }
        match formats::to_write(path) {
            Some(format) if format.writes.poses => Ok(Self::File(format)),
            Some(format) if format.writes.rig => Ok(Self::Rig(format)),
            _ => CliError::refused(format!(
                "{text}: poses are written to {}, or a folder (frames/) for one mesh a frame, rigs to {}",
                endings("or", |f| f.writes.poses),
                endings("or", |f| f.writes.rig)
            )),
        }
    }

    /// The file that is written, unless it is a folder.
    pub fn file<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        if matches!(self, Self::Folder(_)) { None } else { Some(path) }
    }
}

/// Names of files of some formats, as a list in a sentence: "*.obj or *.ply".
pub fn endings(word: &str, is: impl Fn(&Format) -> bool) -> String {
    let named = formats::ALL.iter().filter(|f| is(f)).flat_map(|f| f.written);
    let named: Vec<String> = named.map(|ending| format!("*.{ending}")).collect();
    match named.split_last() {
        None => "nothing".into(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {word} {last}", before.join(", ")),
    }
}

/// Writes poses to where they go.
pub fn save_poses(
    output: &Path,
    to: &Target,
    set: &PoseSet,
    session: &Session,
    mut next: impl FnMut(usize, &mut [Vec3]) -> Outcome<()>,
) -> Outcome<Written> {
    let mut failed = None;
    // Files take no errors but those of the system; ours is kept meanwhile.
    let mut pose = |frame: usize, out: &mut [Vec3]| {
        next(frame, out).map_err(|e| {
            failed = Some(e);
            std::io::Error::other("the pose could not be read")
        })
    };
    let written = match to {
        Target::File(format) | Target::Rig(format) => {
            format.writer.poses(output, set, &mut pose).map_err(CliError::from)
        }
        Target::Folder(format) => Staged::new(output).and_then(|staged| {
            let frame = |frame: usize, out: &mut [Vec3]| {
                pose(frame, out).map_err(|e| CliError::Refused(e.to_string()))
            };
            let written = write_frames(&staged, set.mesh, set.frames, format, session, frame)?;
            staged.commit()?;
            Ok(written)
        }),
    };
    match (written, failed) {
        (_, Some(error)) => Err(error),
        (written, None) => written,
    }
}

/// Writes one mesh a frame. UVs and materials are in the first only: they are the same in all.
pub fn write_frames(
    staged: &Staged,
    mesh: &Mesh,
    frames: usize,
    format: &Format,
    session: &Session,
    mut pose: impl FnMut(usize, &mut [Vec3]) -> Outcome<()>,
) -> Outcome<Written> {
    let digits = frames.saturating_sub(1).to_string().len().max(4);
    let bare = Mesh {
        vertex_count: mesh.vertex_count,
        face_starts: mesh.face_starts.clone(),
        corners: mesh.corners.clone(),
        parts: mesh.parts.clone(),
        ..Mesh::default()
    };
    let mut positions = vec![Vec3::ZERO; mesh.vertex_count];
    let mut all = Written::default();
    for frame in 0..frames {
        session.check()?;
        pose(frame, &mut positions)?;
        let path = staged.path().join(format!("frame_{frame:0digits$}.{}", format.written[0]));
        let one = format.writer.mesh(&path, if frame == 0 { mesh } else { &bare }, &positions)?;
        all.bytes += one.bytes;
        all.warnings.extend(one.warnings.into_iter().filter(|_| frame == 0));
    }
    Ok(all)
}
