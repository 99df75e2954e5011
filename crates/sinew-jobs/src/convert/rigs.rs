//! Rigs that stay rigs.

use glam::DVec3;
use sinew::progress::Progress;
use sinew::rig::{Bone, Rig, SkinWeights};
use sinew_io::formats::sinew_file::{self, Contents, Label, Stored};
use sinew_io::formats::{Content, Format, GLTF, RigOptions, SINEW};
use sinew_io::open;
use sinew_io::scene::{SampleOptions, SampledRig};
use sinew_io::warning::Remark;

use super::converted::Converted;
use super::job::ConvertJob;
use crate::engines::engines_of;
use crate::error::Outcome;
use crate::loss::Loss;
use crate::lost;
use crate::rig_file::beside_rig;
use crate::warning::told;

/// A rig into another file that holds rigs.
pub fn convert(job: &ConvertJob, to: &Format, progress: &dyn Progress) -> Outcome<Converted> {
    let options = SampleOptions { clips: job.clips_of(), fps: job.fps, weld: None };
    let file = open::document(&job.input)?;
    if to == &SINEW
        && let Contents { stored: Stored::Chain(chain), clip, warnings, facts } =
            file.rig_or_chain(&options)?.said(&job.said())
    {
        let label = Label { clip: &clip, metres_per_unit: facts.metres_per_unit };
        let written = sinew_file::write_chain(&job.output, &chain, label)?.into();
        let (frames, vertices, fps) = (chain.frame_count(), chain.rest.len(), chain.fps);
        let input_bytes = std::fs::metadata(&job.input).map_or(0, |m| m.len());
        return Ok(Converted {
            written,
            frames,
            vertices,
            fps,
            input_bytes,
            facts,
            lost: Vec::new(),
            warnings: told(warnings),
            engines: Vec::new(),
        });
    }
    let sampled = file.rig(&options)?.said(&job.said());
    let levels = beside_rig(&job.input)?.into_iter().filter(|what| matches!(what, Loss::Levels(_)));
    write(job, to, sampled, levels.collect(), progress)
}

/// One mesh into a file that holds rigs: one bone that stays where it is.
pub fn convert_still(job: &ConvertJob, to: &Format, progress: &dyn Progress) -> Outcome<Converted> {
    let still = open::rest(&job.input, None)?.said(&job.said());
    let bone = Bone { name: "root".into(), center: DVec3::ZERO, rigid: true, axes: None };
    let rig = Rig {
        weights: SkinWeights::single(still.positions.len()),
        mesh: still.mesh,
        rest: still.positions,
        bones: vec![bone],
        transforms: vec![glam::DAffine3::IDENTITY],
        skeleton: None,
        corrections: None,
        fps: job.fps.unwrap_or(open::DEFAULT_FPS),
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    };
    let sampled = SampledRig { rig, warnings: still.warnings, clip: None, light: None, facts: still.facts };
    write(job, to, sampled, Vec::new(), progress)
}

fn write(
    job: &ConvertJob,
    to: &Format,
    sampled: SampledRig,
    mut lost: Vec<Loss>,
    progress: &dyn Progress,
) -> Outcome<Converted> {
    let SampledRig { rig, warnings, clip, light, facts } = sampled;
    progress.check()?;
    progress.stage("writing");
    let options = RigOptions {
        clip: clip.as_deref(),
        keep_normals: true,
        compact: job.compact.map(|percent| percent / 100.0),
        pack: job.pack,
        light: light.as_ref(),
        facts: facts.clone(),
    };
    let written = to.save(&job.output, Content::Rig(&rig, &options))?;
    let packed = job.pack && !written.warnings.contains(&Remark::NotPacked.into());
    if light.is_some() && to != &GLTF {
        lost.push(Loss::Light);
    }
    let rest_format = job.rest_format()?;
    if let (Some(path), Some(format)) = (&job.rest_out, rest_format) {
        format.save(path, Content::Mesh(&rig.mesh, &rig.rest))?;
    }
    lost.extend(lost::list(&lost::Content::of_rig(&rig, clip.as_deref(), &facts), to, rest_format));
    Ok(Converted {
        written,
        frames: rig.frame_count(),
        vertices: rig.rest.len(),
        fps: rig.fps,
        input_bytes: std::fs::metadata(&job.input).map_or(0, |m| m.len()),
        facts,
        lost,
        warnings: told(warnings),
        engines: engines_of(&rig, &job.output, packed),
    })
}
