//! Rigs that stay rigs.

use glam::DVec3;
use sinew::progress::Progress;
use sinew::rig::{Bone, Rig, SkinWeights};
use sinew_io::formats::{Format, GLTF, RigOptions, SINEW};
use sinew_io::glb::{SampleOptions, SampledRig};
use sinew_io::open;
use sinew_io::sinew_file::{self, Contents, Stored};

use super::{Change, ConvertArgs, Converted, clips_of, lost};
use crate::error::{CliError, Outcome};
use crate::poses::mesh_format;
use crate::progress::Session;
use crate::rig_file::beside_rig;

/// A rig into another file that holds rigs.
pub fn convert(args: &ConvertArgs, to: &Format, change: &Change, session: &Session) -> Outcome<Converted> {
    let options = SampleOptions { clips: clips_of(args), fps: args.fps, weld: None };
    let reader = open::format(&args.input)?.reader;
    if to == &SINEW
        && let Contents { stored: Stored::Chain(chain), clip, warnings } =
            reader.rig_or_chain(&args.input, &options)?
    {
        if change.scale != 1.0 || change.up.is_some() {
            return CliError::refused(
                "--scale and --up are for rigs with a rest pose, which this one has not",
            );
        }
        let written = sinew_file::write_chain(&args.output, &chain, &clip)?.into();
        let (frames, vertices, fps) = (chain.frame_count(), chain.rest.len(), chain.fps);
        let input_bytes = std::fs::metadata(&args.input).map_or(0, |m| m.len());
        return Ok(Converted { written, frames, vertices, fps, input_bytes, lost: Vec::new(), warnings });
    }
    let sampled = reader.rig(&args.input, &options)?;
    let levels = beside_rig(&args.input)?.into_iter().filter(|what| what.contains("level"));
    write(args, to, sampled, change, levels.collect(), session)
}

/// One mesh into a file that holds rigs: one bone that stays where it is.
pub fn convert_still(
    args: &ConvertArgs,
    to: &Format,
    change: &Change,
    session: &Session,
) -> Outcome<Converted> {
    let still = open::rest(&args.input, None)?;
    let bone = Bone { name: "root".into(), center: DVec3::ZERO, rigid: true };
    let rig = Rig {
        weights: SkinWeights::single(still.positions.len()),
        mesh: still.mesh,
        rest: still.positions,
        bones: vec![bone],
        transforms: vec![glam::DAffine3::IDENTITY],
        skeleton: None,
        corrections: None,
        fps: args.fps.unwrap_or(open::DEFAULT_FPS),
        clips: Vec::new(),
    };
    let sampled = SampledRig { rig, warnings: still.warnings, clip: None, light: None };
    write(args, to, sampled, change, Vec::new(), session)
}

fn write(
    args: &ConvertArgs,
    to: &Format,
    sampled: SampledRig,
    change: &Change,
    mut lost: Vec<String>,
    session: &Session,
) -> Outcome<Converted> {
    let SampledRig { mut rig, warnings, clip, light } = sampled;
    change.apply_to_rig(&mut rig);
    let mut facts = open::facts(&args.input)?;
    change.apply_to_facts(&mut facts);
    session.check()?;
    session.stage("writing");
    let options = RigOptions {
        clip: clip.as_deref(),
        keep_normals: true,
        compact: args.compact.map(|percent| percent / 100.0),
        pack: args.pack,
        light: light.as_ref(),
        facts,
    };
    let written = to.writer.rig(&args.output, &rig, &options)?;
    if light.is_some() && to != &GLTF {
        lost.push("light over the vertices".into());
    }
    let rest_format = args.rest_out.as_deref().map(mesh_format).transpose()?;
    if let (Some(path), Some(format)) = (&args.rest_out, rest_format) {
        format.writer.mesh(path, &rig.mesh, &rig.rest)?;
    }
    let content = lost::Content {
        mesh: &rig.mesh,
        rest: true,
        told_fps: Some(rig.fps),
        clips: &rig.clips,
        clip: clip.as_deref(),
        bones: None,
        frames: rig.frame_count(),
    };
    lost.extend(lost::list(&content, to, rest_format));
    Ok(Converted {
        written,
        frames: rig.frame_count(),
        vertices: rig.rest.len(),
        fps: rig.fps,
        input_bytes: std::fs::metadata(&args.input).map_or(0, |m| m.len()),
        lost,
        warnings,
    })
}
