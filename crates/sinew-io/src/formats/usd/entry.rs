//! USD in the table.

use std::path::Path;

use glam::Vec3;
use sinew::progress::Progress;
use sinew::rig::{Blending, Rig};

use super::{CacheOptions, UsdAnimation, UsdFile, WriteOptions};
use crate::formats::{
    Facts, Format, Holds, Keeps, NextPose, PoseSet, Reader, RigOptions, Start, UnitRule, Writer, Written, usd,
};
use crate::motion::{MotionOptions, OpenedMotion};
use crate::open::{OpenOptions, Opened, PoseStream, Poses};
use crate::scene::moving::{Moving, sample_moving};
use crate::scene::{SampleOptions, SampledRig};
use crate::{Error, Result, StaticMesh};

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
    reader: &Files,
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

struct Files;

/// Whether a file is more than a rig that is blended linearly.
fn needs_playing(file: &UsdFile) -> Result<bool> {
    Ok(file.info()?.cached_meshes > 0 || file.blending()? == Blending::Dual)
}

impl Reader for Files {
    fn holds(&self, path: &Path) -> Result<Option<Holds>> {
        let file = usd::open(path)?;
        Ok(match file.is_motion()? {
            true => Some(Holds::JOINTS),
            false => (file.info()?.cached_meshes > 0).then_some(Holds::ANIMATION),
        })
    }

    fn facts(&self, path: &Path) -> Result<Facts> {
        usd::open(path)?.facts()
    }

    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        let file = usd::open(path)?;
        let animation = file.animation(&SampleOptions::default())?;
        let mut positions = vec![Vec3::ZERO; animation.mesh.vertex_count];
        match animation.rest.clone() {
            Some(rest) => positions = rest,
            None => animation.player().pose_into(0, &mut positions)?,
        }
        let facts = file.facts()?;
        Ok(StaticMesh { mesh: animation.mesh, positions, warnings: animation.warnings, facts })
    }

    fn stream(&self, path: &Path, options: &OpenOptions) -> Result<PoseStream> {
        let file = usd::open(path)?;
        if !needs_playing(&file)? {
            return Ok(PoseStream::of_rig(path, moving_rig(&file, &options.sampling())?));
        }
        let animation =
            sample_moving(&file.clip_names()?, &options.sampling(), |options| file.animation(options))?;
        let source = path.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned());
        let (rest, fps, clips) = (animation.rest.clone(), animation.fps, animation.clips.clone());
        let (mesh, frames) = (animation.mesh.clone(), animation.frame_count());
        let warnings = animation.warnings.clone();
        let vertices = mesh.vertex_count;
        let stream = PoseStream::new(mesh, vertices, source, Box::new(Played { animation, next: 0 }));
        let mut stream = stream.with_warnings(warnings);
        (stream.rest, stream.fps, stream.clips) = (rest, fps, clips);
        (stream.frame_count, stream.facts) = (Some(frames), file.facts()?);
        Ok(stream)
    }

    fn animation(&self, path: &Path, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        let file = usd::open(path)?;
        if needs_playing(&file)? {
            return crate::formats::read::all_poses(path, self.stream(path, options)?, progress);
        }
        Opened::of_rig(path, moving_rig(&file, &options.sampling())?)
    }

    fn rig(&self, path: &Path, options: &SampleOptions) -> Result<SampledRig> {
        moving_rig(&usd::open(path)?, options)
    }

    fn joints(&self, path: &Path, options: &MotionOptions) -> Result<OpenedMotion> {
        let file = usd::open(path)?;
        if !file.is_motion()? {
            return OpenedMotion::of_rig_file(path, options);
        }
        let (motion, warnings) = file.joint_motion(&options.clips, options.fps)?;
        Ok(OpenedMotion { warnings, facts: file.facts()?, ..OpenedMotion::new(path, &USD, motion)? })
    }
}

/// The clips that are asked for, or the first that moves.
fn moving_rig(file: &UsdFile, options: &SampleOptions) -> Result<SampledRig> {
    sample_moving(&file.clip_names()?, options, |options| file.rig(options))
}

impl Moving for UsdAnimation {
    fn moves(&self) -> bool {
        Self::moves(self)
    }

    fn frames(&self) -> usize {
        self.frame_count()
    }

    fn warn(&mut self, sentence: String) {
        self.warnings.push(sentence);
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

impl Writer for Files {
    fn poses(&self, path: &Path, set: &PoseSet, next: NextPose) -> Result<Written> {
        if set.mesh.face_count() == 0 {
            return Err(Error::unsupported(path, "a USD mesh has faces, and these poses have none"));
        }
        let options =
            CacheOptions { rest: set.rest, fps: set.fps, meters_per_unit: set.facts.metres_per_unit };
        let report = usd::write_animation(path, set.mesh, set.frames, &options, |frame, pose| {
            next(frame, pose).map_err(Error::io(path))
        })?;
        let mut warnings = report.warnings;
        if set.clips.len() > 1 {
            warnings.push(
                "a USD cache has one time line: the clips follow each other without their names".into(),
            );
        }
        Ok(Written { bytes: report.bytes, warnings })
    }

    fn rig(&self, path: &Path, rig: &Rig, options: &RigOptions) -> Result<Written> {
        let written = WriteOptions {
            name: String::new(),
            clip: options.clip.map(Into::into),
            keep_normals: options.keep_normals,
            meters_per_unit: options.facts.metres_per_unit,
        };
        let report = usd::write_rig(path, rig, &written)?;
        let mut warnings = report.warnings;
        if options.light.is_some() {
            warnings.push("light over the vertices is left out".into());
        }
        if options.compact.is_some() || options.pack {
            warnings.push("USD text files are not made smaller".into());
        }
        Ok(Written { bytes: report.bytes, warnings })
    }
}
