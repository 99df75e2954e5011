//! FBX in the table.

use glam::Vec3;
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::write::put;
use super::{Animation, Fbx, WriteOptions};
use crate::formats::{Document, Facts, Format, Holds, Keeps, RigOptions, Start, Writer, fbx};
use crate::scene::{
    MotionOptions, OpenOptions, Opened, OpenedMotion, PoseStream, Poses, SampleOptions, SampledRig,
};
use crate::source::Source;
use crate::{Result, StaticMesh, Target};

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
    unit: None,
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
        Ok(self.info().clips.into_iter().map(|clip| clip.name).collect())
    }

    fn mesh(&self, _vertices: Option<usize>) -> Result<StaticMesh> {
        let animation = self.animation(&SampleOptions::default())?;
        let (mesh, positions) = (animation.mesh().clone(), animation.rest().to_vec());
        Ok(StaticMesh { mesh, positions, warnings: animation.warnings, facts: self.facts() })
    }

    fn stream(&self, options: &OpenOptions) -> Result<PoseStream> {
        let mut animation = self.animation(&options.sampling())?;
        let mut warnings = std::mem::take(&mut animation.warnings);
        warnings.extend(other_clips(self, options, animation.clip.as_deref()));
        let (mesh, rest) = (animation.mesh().clone(), animation.rest().to_vec());
        let (fps, clip, clips) = (animation.fps(), animation.clip.clone(), animation.clips().to_vec());
        let (frames, bones) = (animation.frame_count(), animation.bone_count());
        let cached = animation.is_cached();
        let playing = Box::new(Played(animation, 0));
        let mut stream = PoseStream::new(mesh, rest.len(), self.source.name(), playing);
        (stream.rest, stream.fps, stream.clip, stream.clips) = (Some(rest), fps, clip, clips);
        (stream.frame_count, stream.bones) = (Some(frames), (!cached).then_some(bones));
        stream.facts = self.facts();
        Ok(stream.with_warnings(warnings))
    }

    fn animation(&self, options: &OpenOptions, progress: &dyn Progress) -> Result<Opened> {
        if self.needs_playing() {
            return self.stream(options)?.all(self.source.path(), progress);
        }
        let mut sampled = self.rig(&options.sampling())?;
        let other = other_clips(self, options, sampled.clip.as_deref());
        sampled.warnings.extend(other);
        Opened::of_rig(&self.source, sampled)
    }

    fn rig(&self, options: &SampleOptions) -> Result<SampledRig> {
        self.rig(options)
    }

    fn joints(&self, options: &MotionOptions) -> Result<OpenedMotion> {
        if !self.is_motion() {
            return Ok(OpenedMotion::of_rig(&self.source, self.rig(&options.sampling())?));
        }
        let motion = self.joint_motion(&options.clips, options.fps)?;
        Ok(OpenedMotion { facts: self.facts(), ..OpenedMotion::new(&self.source, motion) })
    }
}

/// Says that there are other clips, where nobody chose one.
fn other_clips(file: &Fbx, options: &OpenOptions, taken: Option<&str>) -> Option<String> {
    let clips = file.info().clips.len();
    let taken = taken.unwrap_or("the first");
    (options.clips.is_empty() && clips > 1).then(|| {
        format!(
            "the file has {clips} clips and {taken} was taken; --clip NAME takes another, --clip all takes them \
             all"
        )
    })
}

/// An animation and its next frame.
struct Played(Animation, usize);

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
    fn rig(&self, to: &mut Target, rig: &Rig, options: &RigOptions) -> Result<Vec<String>> {
        let own = WriteOptions {
            name: String::new(),
            clip: options.clip.map(Into::into),
            keep_normals: options.keep_normals,
            metres_per_unit: options.facts.metres_per_unit.unwrap_or(1.0),
        };
        let mut warnings = put(to, rig, &own)?;
        if options.light.is_some() {
            warnings.push("light is left out: FBX has no place for it".into());
        }
        if options.compact.is_some() || options.pack {
            warnings.push("FBX files are not made smaller than they are".into());
        }
        Ok(warnings)
    }
}
