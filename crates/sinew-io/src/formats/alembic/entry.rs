//! Alembic in the table.

use std::path::Path;

use glam::Vec3;

use super::{Animation, Info, ReadOptions, WriteOptions};
use crate::formats::{
    Facts, Format, Holds, Keeps, NextPose, PoseSet, Reader, UnitRule, Writer, Written, alembic,
};
use crate::open::{OpenOptions, PoseStream, Poses, name};
use crate::scene::Up;
use crate::{Result, StaticMesh};

/// Baked animation, as studios keep it.
pub static ALEMBIC: Format = Format {
    name: "Alembic archive",
    article: "an",
    labels: &["Alembic"],
    endings: &["abc"],
    written: &["abc"],
    reads: Holds::ANIMATION,
    writes: Holds::ANIMATION,
    keeps: Keeps { textures: false, clips: false, ..Keeps::ALL },
    unit: UnitRule::Untold,
    sampled: true,
    notes: "Ogawa archives: polygon and subdivision meshes, several objects and instances, nested and moving \
            transforms, 16, 32 and 64-bit points, shutter samples, normals, UVs, face sets; mapped, read pose by \
            pose",
    signature: |start| start.bytes.starts_with(b"Ogawa"),
    shape: |_| false,
    reader: &Files,
    writer: &Files,
};

struct Files;

impl Reader for Files {
    fn facts(&self, path: &Path) -> Result<Facts> {
        Ok(facts(alembic::open(path)?.info()?))
    }

    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        let file = alembic::open(path)?;
        let mut animation = file.animation(&ReadOptions::default())?;
        let positions = match animation.rest.take() {
            Some(rest) => rest,
            None => {
                let mut first = vec![Vec3::ZERO; animation.mesh.vertex_count];
                animation.pose_into(0, &mut first)?;
                first
            }
        };
        let facts = facts(file.info()?);
        Ok(StaticMesh { mesh: animation.mesh, positions, warnings: animation.warnings, facts })
    }

    fn stream(&self, path: &Path, options: &OpenOptions) -> Result<PoseStream> {
        let file = alembic::open(path)?;
        let animation = file.animation(&ReadOptions { fps: options.fps })?;
        let (mesh, rest) = (animation.mesh.clone(), animation.rest.clone());
        let (vertices, frames, fps) = (mesh.vertex_count, animation.frame_count, animation.fps);
        let warnings = animation.warnings.clone();
        let playing = Box::new(Playing { animation, next: 0 });
        let mut stream = PoseStream::new(mesh, vertices, name(path), playing).with_warnings(warnings);
        (stream.rest, stream.fps, stream.frame_count) = (rest, fps, Some(frames));
        stream.facts = facts(file.info()?);
        Ok(stream)
    }
}

/// What an archive says about its numbers; it has no place for a unit.
fn facts(info: Info) -> Facts {
    let Info { application, fps, start, end, shutter_samples, .. } = info;
    let mut notes = Vec::new();
    if shutter_samples > 1 {
        notes.push(format!("{shutter_samples} samples belong to each frame, of an open shutter"));
    }
    Facts {
        up: Some(Up::Y),
        left_handed: Some(false),
        fps: Some(fps),
        times: Some((start, end)),
        made_by: application,
        notes,
        ..Facts::default()
    }
}

/// An archive and the next frame.
struct Playing {
    animation: Animation,
    next: usize,
}

impl Poses for Playing {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        if self.next == self.animation.frame_count {
            return Ok(false);
        }
        self.animation.pose_into(self.next, out)?;
        // Each pose is read once.
        self.animation.forget();
        self.next += 1;
        Ok(true)
    }
}

impl Writer for Files {
    fn poses(&self, path: &Path, set: &PoseSet, next: NextPose) -> Result<Written> {
        let start = set.facts.times.map_or(0.0, |(start, _)| start);
        let options = WriteOptions { fps: set.fps, start, ..WriteOptions::default() };
        let report = alembic::write(path, set.mesh, set.rest, set.frames, &options, next)?;
        Ok(Written { bytes: report.bytes, warnings: report.warnings })
    }
}
