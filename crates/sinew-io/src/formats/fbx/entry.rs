//! FBX in the table.

use glam::Vec3;
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::write::put;
use super::{Animation, Fbx, WriteOptions};
use crate::formats::{Document, Facts, Format, Holds, Keeps, RigOptions, Start, UnitRule, Writer, fbx};
use crate::scene::moving::{Moving, sample_moving};
use crate::scene::{
    MotionOptions, OpenOptions, Opened, OpenedMotion, PoseStream, Poses, SampleOptions, SampledRig,
};
use crate::source::Source;
use crate::{Result, StaticMesh, Target, Warning};

/// Autodesk's FBX, binary or text.
pub static FBX: Format = Format {
    name: "FBX scene",
    article: "an",
    labels: &["FBX"],
    endings: &["fbx"],
    written: &["fbx"],
    reads: Holds::RIG,
    writes: Holds { poses: false, ..Holds::RIG },
    keeps: Keeps { attributes: false, ..Keeps::ALL },
    sampled: true,
    unit: UnitRule::Told(Some(1.0)),
    notes: "skins (by dual quaternions as poses), joint trees, blend shapes, NURBS, moving nodes, several meshes and \
            clips, PC2 and Maya caches beside it, materials, embedded textures; written as binary 7.5",
    signature: starts_as_scene,
    shape: |_| false,
    document: open,
    writer: &Files,
};

/// Binary files have a signature; files of text start with a comment that says what they are.
fn starts_as_scene(start: &Start) -> bool {
    start.bytes.starts_with(b"Kaydara FBX Binary") || start.bytes.trim_ascii_start().starts_with(b"; FBX ")
}

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(fbx::open(source)?))
}

impl Document for Fbx {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &FBX
    }

    fn holds(&self) -> Result<Holds> {
        Ok(match self.is_motion() {
            true => Holds::JOINTS,
            false if self.info().caches > 0 => Holds::ANIMATION,
            false => FBX.reads,
        })
    }

    fn facts(&self) -> Result<Facts> {
        Ok(self.facts())
    }

    fn clips(&self) -> Result<Vec<String>> {
        Ok(self.clip_names())
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        let animation = self.animation(&SampleOptions::default())?;
        let (mesh, positions) = (animation.mesh().clone(), animation.rest().to_vec());
        Ok(StaticMesh { mesh, positions, warnings: animation.warnings, facts: self.facts() })
    }

    fn stream(&self, options: &OpenOptions) -> Result<PoseStream> {
        let mut animation =
            sample_moving(&self.clip_names(), &options.sampling(), |options| self.animation(options))?;
        let warnings = std::mem::take(&mut animation.warnings);
        let (mesh, rest) = (animation.mesh().clone(), animation.rest().to_vec());
        let (fps, clip, clips) = (animation.fps(), animation.clip.clone(), animation.clips().to_vec());
        let (frames, bones) = (animation.frame_count(), animation.bone_count());
        let (cached, nodes) = (animation.is_cached(), animation.nodes());
        let playing = Box::new(Played(animation, 0));
        let mut stream = PoseStream::new(mesh, rest.len(), self.source.name(), playing);
        (stream.rest, stream.fps, stream.clip, stream.clips) = (Some(rest), fps, clip, clips);
        stream.nodes = nodes;
        (stream.frame_count, stream.bones) = (Some(frames), (!cached).then_some(bones));
        stream.facts = self.facts();
        Ok(stream.with_warnings(warnings))
    }

    fn animation(&self, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        if self.needs_playing() {
            return self.stream(options)?.all(self.source.path(), progress);
        }
        Opened::of_rig(&self.source, Document::rig(self, &options.sampling())?)
    }

    fn rig(&self, options: &SampleOptions) -> Result<SampledRig> {
        sample_moving(&self.clip_names(), options, |options| self.rig(options))
    }

    fn joints(&self, options: &MotionOptions) -> Result<OpenedMotion> {
        if !self.is_motion() {
            return Ok(OpenedMotion::of_rig(&self.source, self.rig(&options.sampling())?));
        }
        let motion = self.joint_motion(&options.clips, options.fps)?;
        Ok(OpenedMotion { facts: self.facts(), ..OpenedMotion::new(&self.source, motion) })
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

    fn warn(&mut self, warning: Warning) {
        self.warnings.push(warning);
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

struct Files;

impl Writer for Files {
    fn rig(&self, to: &mut Target, rig: &Rig, options: &RigOptions) -> Result<Vec<Warning>> {
        let own = WriteOptions {
            name: String::new(),
            clip: options.clip.map(Into::into),
            keep_normals: options.keep_normals,
            metres_per_unit: options.facts.metres_per_unit.unwrap_or(1.0),
        };
        let mut warnings = put(to, rig, &own)?;
        if options.light.is_some() {
            warnings.push(Warning::LightLeftOut { format: "FBX" });
        }
        if options.compact.is_some() || options.pack {
            warnings.push(Warning::NotMadeSmaller { format: "FBX" });
        }
        Ok(warnings)
    }
}
