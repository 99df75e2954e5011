//! glTF in the table.

use std::path::Path;

use sinew::lod::Level;
use sinew::progress::Progress;
use sinew::rig::Rig;

use super::WriteOptions;
use crate::Result;
use crate::formats::{Facts, Format, Holds, Keeps, Reader, RigOptions, UnitRule, Writer, Written, gltf};
use crate::motion::{MotionOptions, OpenedMotion};
use crate::open::{OpenOptions, Opened};
use crate::scene::moving::sample_moving;
use crate::scene::{SampleOptions, SampledRig};

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
    reader: &Files,
    writer: &Files,
};

struct Files;

impl Reader for Files {
    fn facts(&self, path: &Path) -> Result<Facts> {
        Ok(gltf::open(path)?.facts())
    }

    fn animation(&self, path: &Path, options: &OpenOptions, _progress: &dyn Progress) -> Result<Opened> {
        let file = gltf::open(path)?;
        let sampled = sample_moving(&file.clip_names(), &options.sampling(), |options| file.rig(options))?;
        Opened::of_rig(path, sampled)
    }

    fn rig(&self, path: &Path, options: &SampleOptions) -> Result<SampledRig> {
        let file = gltf::open(path)?;
        sample_moving(&file.clip_names(), options, |options| file.rig(options))
    }

    fn any_frame(&self, path: &Path, options: &SampleOptions) -> Result<SampledRig> {
        gltf::open(path)?.rig(options)
    }

    fn rig_and_levels(&self, path: &Path, options: &SampleOptions) -> Result<(SampledRig, Vec<Level>)> {
        let file = gltf::open(path)?;
        sample_moving(&file.clip_names(), options, |options| file.rig_and_levels(options))
    }

    fn joints(&self, path: &Path, options: &MotionOptions) -> Result<OpenedMotion> {
        let file = gltf::open(path)?;
        if file.is_ours() {
            return OpenedMotion::of_rig_file(path, options);
        }
        let (motion, warnings) = file.joint_motion(&options.clips, options.fps)?;
        Ok(OpenedMotion { warnings, facts: file.facts(), ..OpenedMotion::new(path, &GLTF, motion)? })
    }
}

impl Writer for Files {
    fn rig(&self, path: &Path, rig: &Rig, options: &RigOptions) -> Result<Written> {
        let options = WriteOptions {
            name: String::new(),
            clip: options.clip.map(Into::into),
            keep_normals: options.keep_normals,
            compact: options.compact,
            pack: options.pack,
            light: options.light.cloned(),
            metres_per_unit: options.facts.metres_per_unit,
        };
        let report = gltf::write(path, rig, &options)?;
        Ok(Written { bytes: report.bytes, warnings: report.warnings })
    }
}
