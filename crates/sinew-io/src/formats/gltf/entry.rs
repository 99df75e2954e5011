//! glTF in the table.

use sinew::lod::Level;
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::bytes::put;
use super::{Gltf, WriteOptions};
use crate::formats::{Document, Facts, Format, Holds, Keeps, RigOptions, UnitRule, Writer, gltf};
use crate::scene::moving::sample_moving;
use crate::scene::{MotionOptions, OpenOptions, Opened, OpenedMotion, SampleOptions, SampledRig};
use crate::source::Source;
use crate::{Result, Target, Warning};

/// glTF 2.0, binary or JSON.
pub static GLTF: Format = Format {
    name: "glTF scene",
    article: "a",
    labels: &["GLB", "glTF"],
    endings: &["glb", "gltf"],
    written: &["glb"],
    reads: Holds::RIG,
    writes: Holds { poses: false, ..Holds::RIG },
    keeps: Keeps::ALL,
    sampled: true,
    unit: UnitRule::Fixed(gltf::METRES_PER_UNIT),
    notes: "skins, joint trees, morph targets with normals, node animation, several meshes and clips, sparse \
            and quantised accessors, external and embedded buffers, materials, textures, UVs",
    signature: |start| start.bytes.starts_with(b"glTF") || start.bytes.trim_ascii_start().starts_with(b"{"),
    shape: |_| false,
    document: open,
    writer: &Files,
};

fn open(source: &Source) -> Result<Box<dyn Document>> {
    Ok(Box::new(gltf::open(source)?))
}

impl Document for Gltf {
    fn source(&self) -> &Source {
        &self.source
    }

    fn format(&self) -> &'static Format {
        &GLTF
    }

    fn facts(&self) -> Result<Facts> {
        Ok(self.facts())
    }

    fn clips(&self) -> Result<Vec<String>> {
        Ok(self.clip_names())
    }

    fn animation(&self, options: &OpenOptions, _progress: &dyn Progress) -> Result<Opened> {
        Opened::of_rig(&self.source, Document::rig(self, &options.sampling())?)
    }

    fn rig(&self, options: &SampleOptions) -> Result<SampledRig> {
        sample_moving(&self.clip_names(), options, |options| self.rig(options))
    }

    fn rig_and_levels(&self, options: &SampleOptions) -> Result<(SampledRig, Vec<Level>)> {
        sample_moving(&self.clip_names(), options, |options| self.rig_and_levels(options))
    }

    fn joints(&self, options: &MotionOptions) -> Result<OpenedMotion> {
        if self.is_ours() {
            return Ok(OpenedMotion::of_rig(&self.source, self.rig(&options.sampling())?));
        }
        let (motion, warnings) = self.joint_motion(&options.clips, options.fps)?;
        Ok(OpenedMotion { warnings, facts: self.facts(), ..OpenedMotion::new(&self.source, motion) })
    }
}

struct Files;

impl Writer for Files {
    fn rig(&self, to: &mut Target, rig: &Rig, options: &RigOptions) -> Result<Vec<Warning>> {
        let options = WriteOptions {
            name: String::new(),
            clip: options.clip.map(Into::into),
            keep_normals: options.keep_normals,
            compact: options.compact,
            pack: options.pack,
            light: options.light.cloned(),
            metres_per_unit: options.facts.metres_per_unit,
        };
        put(to, rig, &options)
    }
}
