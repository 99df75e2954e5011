//! USD in the table.

use glam::Vec3;
use sinew::progress::Progress;
use sinew::rig::{Blending, Rig};

use super::{CacheOptions, UsdAnimation, UsdFile, WriteOptions, cache, write};
use crate::formats::{
    Document, Facts, Format, Holds, Keeps, NextPose, PoseSet, RigOptions, Start, UnitRule, Writer, usd,
};
use crate::scene::moving::{Moving, sample_moving};
use crate::scene::{
    MotionOptions, OpenOptions, Opened, OpenedMotion, PoseStream, Poses, SampleOptions, SampledRig,
};
use crate::source::Source;
use crate::warning::Remark;
use crate::{Error, Result, StaticMesh, Target, Warning};

/// Universal Scene Description.
pub static USD: Format = Format {
    name: "USD scene",
    article: "a",
    labels: &["USD"],
    endings: &["usda", "usdc", "usdz", "usd"],
    written: &["usda", "usdz"],
    reads: Holds::RIG,
    writes: Holds::RIG,
    keeps: Keeps::ALL,
    sampled: true,
    unit: UnitRule::Told(Some(1.0)),
    notes: "UsdSkel with blend shapes, moving prims, sampled points, references, classes, variants, packages; \
            of several clips the first is played and the others stand beside it; images in `.usdz` only",
    signature: is_usd,
    shape: |_| false,
    document: open,
    writer: &Files,
};

/// Text and binary files have their marks; a package is a zip file whose first member is a USD file.
fn is_usd(start: &Start) -> bool {
    let bytes = &start.bytes[..];
    let name = || {
        let length = u16::from_le_bytes([*bytes.get(26)?, *bytes.get(27)?]);
        bytes.get(30..30 + usize::from(length))
    };
    let package =
        || name().is_some_and(|n| [&b".usda"[..], b".usdc", b".usd"].iter().any(|e| n.ends_with(e)));
    bytes.starts_with(b"#usda ")
        || bytes.starts_with(b"PXR-USDC")
        || (bytes.starts_with(b"PK\x03\x04") && package())
}

/// Whether a file is more than a rig that is blended linearly.
fn needs_playing(file: &UsdFile) -> Result<bool> {
    Ok(file.info()?.cached_meshes > 0 || file.blending()? == Blending::Dual)
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(Usd { file: usd::open(source)?, source: source.clone() }))
}

/// A stage.
struct Usd {
    source: Source,
    file: UsdFile,
}

impl Document for Usd {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &USD
    }

    fn holds(&self) -> Result<Holds> {
        Ok(match self.file.is_motion()? {
            true => Holds::JOINTS,
            false if self.file.info()?.cached_meshes > 0 => Holds::ANIMATION,
            false => USD.reads,
        })
    }

    fn facts(&self) -> Result<Facts> {
        self.file.facts()
    }

    fn clips(&self) -> Result<Vec<String>> {
        Ok(self.file.clips()?.into_iter().map(|clip| clip.name).collect())
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        let animation = self.file.animation(&SampleOptions::default())?;
        let mut positions = vec![Vec3::ZERO; animation.mesh.vertex_count];
        match animation.rest.clone() {
            Some(rest) => positions = rest,
            None => animation.player().pose_into(0, &mut positions)?,
        }
        let facts = self.facts()?;
        Ok(StaticMesh { mesh: animation.mesh, positions, warnings: animation.warnings, facts })
    }

    fn stream(&self, options: &OpenOptions) -> Result<PoseStream> {
        let file = &self.file;
        if !needs_playing(file)? {
            return Ok(PoseStream::of_rig(&self.source, self.rig(&options.sampling())?));
        }
        let animation =
            sample_moving(&self.clips()?, &options.sampling(), |options| file.animation(options))?;
        let (rest, fps, clips) = (animation.rest.clone(), animation.fps, animation.clips.clone());
        let (mesh, frames) = (animation.mesh.clone(), animation.frame_count());
        let (warnings, nodes) = (animation.warnings.clone(), animation.nodes());
        let (vertices, name) = (mesh.vertex_count, self.source.name());
        let stream = PoseStream::new(mesh, vertices, name, Box::new(Played { animation, next: 0 }));
        let mut stream = stream.with_warnings(warnings);
        (stream.rest, stream.fps, stream.clips, stream.nodes) = (rest, fps, clips, nodes);
        (stream.frame_count, stream.facts) = (Some(frames), self.facts()?);
        Ok(stream)
    }

    fn animation(&self, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        if needs_playing(&self.file)? {
            return self.stream(options)?.all(self.source.path(), progress);
        }
        Opened::of_rig(&self.source, self.rig(&options.sampling())?)
    }

    fn rig(&self, options: &SampleOptions) -> Result<SampledRig> {
        sample_moving(&self.clips()?, options, |options| self.file.rig(options))
    }

    fn joints(&self, options: &MotionOptions) -> Result<OpenedMotion> {
        if !self.file.is_motion()? {
            return Ok(OpenedMotion::of_rig(&self.source, self.rig(&options.sampling())?));
        }
        let (motion, warnings) = self.file.joint_motion(&options.clips, options.fps)?;
        Ok(OpenedMotion { warnings, facts: self.facts()?, ..OpenedMotion::new(&self.source, motion) })
    }
}

impl Moving for UsdAnimation {
    fn moves(&self) -> bool {
        Self::moves(self)
    }

    fn frames(&self) -> usize {
        self.frame_count()
    }

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
    }
}

/// Poses of a file and the next frame.
struct Played {
    animation: UsdAnimation,
    next: usize,
}

impl Poses for Played {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        if self.next == self.animation.frame_count() {
            return Ok(false);
        }
        self.animation.player().pose_into(self.next, out)?;
        self.next += 1;
        Ok(true)
    }
}

struct Files;

impl Writer for Files {
    fn poses(&self, to: &mut Target, set: &PoseSet, next: NextPose) -> Result<Vec<Warning>> {
        let path = to.path();
        if set.mesh.face_count() == 0 {
            return Err(Error::unsupported(path, "a USD mesh has faces, and these poses have none"));
        }
        let options =
            CacheOptions { rest: set.rest, fps: set.fps, meters_per_unit: set.facts.metres_per_unit };
        let mut warnings = cache::put(to, set.mesh, set.frames, &options, |frame, pose| {
            next(frame, pose).map_err(Error::io(path))
        })?;
        if set.clips.len() > 1 {
            warnings.push(Remark::OneTimeLine.into());
        }
        Ok(warnings)
    }

    fn rig(&self, to: &mut Target, rig: &Rig, options: &RigOptions) -> Result<Vec<Warning>> {
        let written = WriteOptions {
            name: String::new(),
            clip: options.clip.map(Into::into),
            keep_normals: options.keep_normals,
            meters_per_unit: options.facts.metres_per_unit,
        };
        let mut warnings = write::put(to, rig, &written)?;
        if options.light.is_some() {
            warnings.push(Warning::LightLeftOut { format: "USD" });
        }
        if options.compact.is_some() || options.pack {
            warnings.push(Warning::NotMadeSmaller { format: "USD text" });
        }
        Ok(warnings)
    }
}
