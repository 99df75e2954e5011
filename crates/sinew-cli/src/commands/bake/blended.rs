//! Poses of a rig whose bones are not blended linearly. The rig is in memory as a whole.

use sinew::progress::Progress;
use sinew::rig::BlendPlayer;
use sinew_io::glb::{SampleOptions, SampledRig};
use sinew_io::open;

use super::{BakeArgs, BakeBytes, BakeReport, BakeSeconds, MeshFormat, Span, Target, save_poses};
use crate::error::Outcome;
use crate::progress::Session;
use crate::report::peak_memory;

/// Plays the rig pose by pose.
pub fn write_poses(
    args: &BakeArgs,
    to: &Target,
    span: Span,
    rest_format: Option<MeshFormat>,
    session: &Session,
) -> Outcome<BakeReport> {
    let clips = args.clip.iter().cloned().collect();
    let options = SampleOptions { clips, fps: args.fps, weld: None };
    let SampledRig { rig, warnings, clip } = open::rig(&args.rig, &options)?;
    let frames = span.of(rig.frame_count(), &args.rig)?;
    let read = session.seconds();
    session.check()?;
    session.stage("writing");
    let player = BlendPlayer::new(&rig, args.blend.into());
    let next = |frame: usize, out: &mut [glam::Vec3]| -> Outcome<()> {
        session.check()?;
        session.advance(frame as f64 / frames as f64);
        player.pose_into(span.from + frame, out);
        Ok(())
    };
    let to_file = (args.output.as_path(), args.format);
    let bytes = save_poses(to_file, to, &rig.mesh, (frames, rig.fps), session, next)?;
    if let (Some(path), Some(format)) = (&args.rest_out, rest_format) {
        format.write(path, &rig.mesh, &rig.rest)?;
    }
    let total = session.seconds();
    Ok(BakeReport {
        rig: args.rig.display().to_string(),
        clip,
        frames,
        vertices: rig.rest.len(),
        bones: rig.bones.len(),
        fps: rig.fps,
        seconds: BakeSeconds { read, write: total - read, total },
        bytes: BakeBytes { output: bytes },
        peak_memory: peak_memory(),
        warnings,
    })
}
