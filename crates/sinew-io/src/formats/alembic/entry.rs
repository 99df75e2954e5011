//! Alembic in the table.

use glam::Vec3;

use super::write::put;
use super::{Alembic, Animation, Info, ReadOptions, WriteOptions};
use crate::formats::{Document, Facts, Format, Holds, Keeps, NextPose, PoseSet, UnitRule, Writer, alembic};
use crate::scene::{OpenOptions, PoseStream, Poses, Up};
use crate::source::Source;
use crate::{Result, StaticMesh, Target, Warning};

/// Baked animation, as studios keep it.
pub static ALEMBIC: Format = Format {
    name: "Alembic archive",
    article: "an",
    labels: &["Alembic"],
    endings: &["abc"],
    written: &["abc"],
    reads: Holds::ANIMATION,
    writes: Holds::ANIMATION,
    keeps: Keeps { textures: false, clips: false, nodes: false, ..Keeps::ALL },
    unit: UnitRule::Untold,
    sampled: true,
    notes: "Ogawa archives: polygon and subdivision meshes, several objects and instances, nested and moving \
            transforms, 16, 32 and 64-bit points, shutter samples, normals, UV sets, colours, attributes, face sets; mapped, read pose by \
            pose",
    signature: |start| start.bytes.starts_with(b"Ogawa"),
    shape: |_| false,
    document: open,
    writer: &Files,
};

/// An archive.
struct Archive {
    source: Source,
    file: Alembic,
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Archive { file: alembic::open(source)?, source: source.clone() }))
}

impl Document for Archive {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &ALEMBIC
    }

    fn facts(&self) -> Result<Facts> {
        let Info { application, fps, start, end, shutter_samples, .. } = self.file.info()?;
        let mut notes = Vec::new();
        if shutter_samples > 1 {
            notes.push(format!("{shutter_samples} samples belong to each frame, of an open shutter"));
        }
        Ok(Facts {
            up: Some(Up::Y),
            left_handed: Some(false),
            fps: Some(fps),
            times: Some((start, end)),
            made_by: application,
            notes,
            ..Facts::default()
        })
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        let mut animation = self.file.animation(&ReadOptions::default())?;
        let positions = match animation.rest.take() {
            Some(rest) => rest,
            None => {
                let mut first = vec![Vec3::ZERO; animation.mesh.vertex_count];
                animation.pose_into(0, &mut first)?;
                first
            }
        };
        let facts = self.facts()?;
        Ok(StaticMesh { mesh: animation.mesh, positions, warnings: animation.warnings, facts })
    }

    fn stream(&self, options: &OpenOptions) -> Result<PoseStream> {
        let animation = self.file.animation(&ReadOptions { fps: options.fps })?;
        let (mesh, rest) = (animation.mesh.clone(), animation.rest.clone());
        let (vertices, frames, fps) = (mesh.vertex_count, animation.frame_count, animation.fps);
        let (warnings, name) = (animation.warnings.clone(), self.source.name());
        let playing = Box::new(Playing { animation, next: 0 });
        let mut stream = PoseStream::new(mesh, vertices, name, playing).with_warnings(warnings);
        (stream.rest, stream.fps, stream.frame_count) = (rest, fps, Some(frames));
        stream.facts = self.facts()?;
        Ok(stream)
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

struct Files;

impl Writer for Files {
    fn poses(&self, to: &mut Target, set: &PoseSet, next: NextPose) -> Result<Vec<Warning>> {
        let start = set.facts.times.map_or(0.0, |(start, _)| start);
        let options = WriteOptions { fps: set.fps, start, ..WriteOptions::default() };
        put(to, set.mesh, set.rest, set.frames, &options, next)
    }
}
