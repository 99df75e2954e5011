//! Edits of rigs whose bones carry each pose to the next.

use std::path::Path;

use sinew::animation::Clip;
use sinew::motion::{PoseEdit, edit_chain, edit_chain_rest};
use sinew::progress::Progress;
use sinew::rig::PoseChain;
use sinew_io::formats::SINEW;
use sinew_io::open;
use sinew_io::sinew_file::{self, Contents, Motion, Stored};

use super::args::{PoseArgs, RestArgs, RigArgs};
use super::report::Told;
use super::{Edited, Shape, all_clips, check_ease, frames, refusal};
use crate::console::count;
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::rig_file::has_extension;

/// Whether a file holds such a rig. Of one that cannot be read others have more to say.
pub fn is_in(path: &Path) -> bool {
    open::format(path).is_ok_and(|format| format == &SINEW)
        && sinew_file::open(path).is_ok_and(|reader| reader.head.clip.motion == Motion::FromLast)
}

pub fn pose(args: &PoseArgs, session: &Session) -> Outcome<Edited> {
    let (before, clip, shape, warnings) = read(&args.rig, &args.shape)?;
    let path = &args.rig.rig;
    let all = Clip { name: clip.clone(), frames: 0..before.frame_count(), fps: before.fps };
    let (frame, through) = frames(path, &[all], &args.frames, args.through)?;
    check_ease(args)?;
    session.stage("editing");
    let mut after = before.clone();
    let edit = PoseEdit { shape: &shape, frame, through, ease_out: args.ease };
    let edited = edit_chain(&mut after, &edit, session).map_err(|e| refusal(path, &e))?;
    let told = Told {
        done: format!("frame {frame} sculpted"),
        frame: Some(frame),
        bones: Some(edited.bones),
        correction: Some(100.0 * edited.moved),
        missed: Some(100.0 * edited.missed),
        warnings,
        ..Told::default()
    };
    Ok(done(before, after, clip, told))
}

pub fn rest(args: &RestArgs, session: &Session) -> Outcome<Edited> {
    let (before, clip, shape, warnings) = read(&args.rig, &args.shape)?;
    session.stage("editing");
    let mut after = before.clone();
    edit_chain_rest(&mut after, &shape).map_err(|e| refusal(&args.rig.rig, &e))?;
    let moved = shape.iter().zip(&before.rest).filter(|(p, q)| p != q).count();
    let told = Told {
        done: format!("rest pose sculpted at {}", count(moved, "vertex", "vertices")),
        warnings,
        ..Told::default()
    };
    Ok(done(before, after, clip, told))
}

fn done(before: PoseChain, after: PoseChain, clip: String, told: Told) -> Edited {
    let clip = Some(clip).filter(|clip| !clip.is_empty());
    Edited { before: Stored::Chain(before), after: Stored::Chain(after), clip, told }
}

/// The rig, the name of its clip, a shape of it, and what is odd about them.
fn read(args: &RigArgs, shape: &Path) -> Outcome<(PoseChain, String, Vec<glam::Vec3>, Vec<String>)> {
    if !has_extension(&args.output, "sinew") {
        return CliError::refused(format!(
            "{}: bones that carry each pose to the next fit no GLB file; name the edited rig *.sinew",
            args.output.display()
        ));
    }
    let shape = Shape::read(shape)?;
    let Contents { stored, clip, mut warnings } = open::rig_or_chain(&args.rig, &all_clips())?;
    let Stored::Chain(chain) = stored else {
        return CliError::refused(format!("{}: the file changed while it was read", args.rig.display()));
    };
    warnings.extend(shape.check(&args.rig, &chain.mesh)?);
    Ok((chain, clip, shape.mesh.positions, warnings))
}
