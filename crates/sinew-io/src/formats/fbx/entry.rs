//! FBX in the table.

use std::path::Path;

use glam::Vec3;
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::{Animation, WriteOptions};
use crate::formats::{
    Facts, Format, Holds, Keeps, Reader, RigOptions, Start, UnitRule, Writer, Written, fbx,
};
use crate::motion::{MotionOptions, OpenedMotion};
use crate::open::{OpenOptions, Opened, PoseStream, Poses, file_bytes, name};
use crate::scene::moving::{Moving, sample_moving};
use crate::scene::{SampleOptions, SampledRig};
use crate::{Result, StaticMesh};

/// Autodesk's FBX, binary or text.
pub static FBX: Format = Format {
    name: "FBX scene",
    article: "an",
    labels: &["FBX"],
    endings: &["fbx"],
    written: &["fbx"],
    reads: Holds::RIG,
    writes: Holds { poses: false, ..Holds::RIG },
    keeps: Keeps::ALL,
    sampled: true,
    unit: UnitRule::Told(Some(1.0)),
    notes: "skins (by dual quaternions as poses), joint trees, blend shapes, NURBS, moving nodes, several meshes and \
            clips, PC2 and Maya caches beside it, materials, embedded textures; written as binary 7.5",
    signature: starts_as_scene,
    shape: |_| false,
    reader: &Files,
    writer: &Files,
};

/// Binary files have a signature; files of text start with a comment that says what they are.
fn starts_as_scene(start: &Start) -> bool {
    start.bytes.starts_with(b"Kaydara FBX Binary") || start.bytes.trim_ascii_start().starts_with(b"; FBX ")
}

struct Files;

impl Reader for Files {
    fn holds(&self, path: &Path) -> Result<Option<Holds>> {
        let file = fbx::open(path)?;
        Ok(match file.is_motion() {
            true => Some(Holds::JOINTS),
            false => (file.info().caches > 0).then_some(Holds::ANIMATION),
        })
    }

    fn facts(&self, path: &Path) -> Result<Facts> {
        Ok(fbx::open(path)?.facts())
    }

    fn mesh(&self, path: &Path, _vertices: Option<usize>) -> Result<StaticMesh> {
        let file = fbx::open(path)?;
        let animation = file.animation(&SampleOptions::default())?;
        let (mesh, positions) = (animation.mesh().clone(), animation.rest().to_vec());
        Ok(StaticMesh { mesh, positions, warnings: animation.warnings, facts: file.facts() })
    }

    fn stream(&self, path: &Path, options: &OpenOptions) -> Result<PoseStream> {
        let file = fbx::open(path)?;
        let mut animation =
            sample_moving(&file.clip_names(), &options.sampling(), |options| file.animation(options))?;
        let warnings = std::mem::take(&mut animation.warnings);
        let (mesh, rest) = (animation.mesh().clone(), animation.rest().to_vec());
        let (fps, clip, clips) = (animation.fps(), animation.clip.clone(), animation.clips().to_vec());
        let (frames, bones) = (animation.frame_count(), animation.bone_count());
        let cached = animation.is_cached();
        let mut stream = PoseStream::new(mesh, rest.len(), name(path), Box::new(Played(animation, 0)));
        (stream.rest, stream.fps, stream.clip, stream.clips) = (Some(rest), fps, clip, clips);
        (stream.frame_count, stream.bones) = (Some(frames), (!cached).then_some(bones));
        (stream.input_bytes, stream.facts) = (file_bytes(path)?, file.facts());
        Ok(stream.with_warnings(warnings))
    }

    fn animation(&self, path: &Path, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        let file = fbx::open(path)?;
        if file.needs_playing() {
            return crate::formats::read::all_poses(path, self.stream(path, options)?, progress);
        }
        let sampled = sample_moving(&file.clip_names(), &options.sampling(), |options| file.rig(options))?;
        Opened::of_rig(path, sampled)
    }

    fn rig(&self, path: &Path, options: &SampleOptions) -> Result<SampledRig> {
        let file = fbx::open(path)?;
        sample_moving(&file.clip_names(), options, |options| file.rig(options))
    }

    fn joints(&self, path: &Path, options: &MotionOptions) -> Result<OpenedMotion> {
        let file = fbx::open(path)?;
        if !file.is_motion() {
            return OpenedMotion::of_rig_file(path, options);
        }
        let motion = file.joint_motion(&options.clips, options.fps)?;
        Ok(OpenedMotion { facts: file.facts(), ..OpenedMotion::new(path, &FBX, motion)? })
    }
}

/// An animation and its next frame.
struct Played(Animation, usize);

impl Moving for Animation {
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

impl Poses for Played {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        let Self(animation, next) = self;
        if *next == animation.frame_count() {
            return Ok(false);
        }
        animation.pose_into(*next, out)?;
        *next += 1;
        Ok(true)
    }
}

impl Writer for Files {
    fn rig(&self, path: &Path, rig: &Rig, options: &RigOptions) -> Result<Written> {
        let own = WriteOptions {
            name: String::new(),
            clip: options.clip.map(Into::into),
            keep_normals: options.keep_normals,
            metres_per_unit: options.facts.metres_per_unit.unwrap_or(1.0),
        };
        let report = fbx::write(path, rig, &own)?;
        let mut warnings = report.warnings;
        if options.light.is_some() {
            warnings.push("light is left out: FBX has no place for it".into());
        }
        if options.compact.is_some() || options.pack {
            warnings.push("FBX files are not made smaller than they are".into());
        }
        Ok(Written { bytes: report.bytes, warnings })
    }
}
