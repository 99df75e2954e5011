//! `sinew edit`: a rig that is changed by hand.

mod args;
mod chain;
mod report;

use std::path::Path;

use glam::{DQuat, Vec3};
use sinew::animation::Clip;
use sinew::geometry::Mesh;
use sinew::motion::{BoneEditor, BoneTurn, EditError, EditWarning, PoseEdit, PoseEditor, Reach, edit_rest};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::glb::{SampleOptions, SampledRig};
use sinew_io::sinew_file::{self, Stored};
use sinew_io::{StaticMesh, open};

pub use self::args::EditArgs;
use self::args::{Edit, FrameArgs, PoseArgs, RestArgs, RigArgs, RotateArgs, Through};
use self::report::{EditReport, Told};
use crate::console::{count, number, print};
use crate::error::{CliError, Outcome};
use crate::pair::rig_like;
use crate::progress::Session;
use crate::report::write_json;
use crate::rig_file::{check_name, encode_rig, left_behind};
use crate::target;

/// A rig that was read, edited.
struct Edited {
    before: Stored,
    after: Stored,
    clip: Option<String>,
    told: Told,
}

impl Edited {
    fn rig([before, after]: [Rig; 2], clip: Option<String>, told: Told) -> Self {
        Self { before: Stored::Rig(before), after: Stored::Rig(after), clip, told }
    }
}

/// Runs the command.
pub fn run(args: &EditArgs, session: &Session) -> Outcome<()> {
    let (files, shape) = match &args.edit {
        Edit::Rotate(args) => (&args.rig, None),
        Edit::Pose(args) => (&args.rig, Some(&args.shape)),
        Edit::Rest(args) => (&args.rig, Some(&args.shape)),
    };
    let targets = [Some(files.output.as_path()), files.report.as_deref()];
    target::check(&targets)?;
    target::check_apart(&targets, [&files.rig].into_iter().chain(shape))?;
    check_name(&files.output, None)?;
    session.stage("reading");
    let edited = match &args.edit {
        Edit::Rotate(args) => rotate(args, session)?,
        Edit::Pose(args) if chain::is_in(&args.rig.rig) => chain::pose(args, session)?,
        Edit::Rest(args) if chain::is_in(&args.rig.rig) => chain::rest(args, session)?,
        Edit::Pose(args) => pose(args, session)?,
        Edit::Rest(args) => rest(args, session)?,
    };
    session.check()?;
    session.stage("writing");
    let (bytes, warnings) = match &edited.after {
        Stored::Rig(rig) => encode_rig(&files.output, rig, edited.clip.as_deref(), true, None)?,
        Stored::Chain(chain) => {
            (sinew_file::chain_to_bytes(chain, edited.clip.as_deref().unwrap_or_default()), Vec::new())
        }
    };
    let mut report = EditReport::new(files, &edited.before, &edited.after, edited.told, bytes.len() as u64);
    report.warnings.extend(warnings);
    report.warnings.extend(left_behind(&files.rig)?);
    session.check()?;
    sinew_io::save(&files.output, |out| out.write_all(&bytes))?;
    if let Some(path) = &files.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&report.table(files).text()) }
}

fn rotate(args: &RotateArgs, session: &Session) -> Outcome<Edited> {
    let SampledRig { rig: before, warnings, clip, .. } = open::rig(&args.rig.rig, &all_clips())?;
    let path = &args.rig.rig;
    let bone = bone(path, &before, &args.bone)?;
    if !args.angle.is_finite() {
        return CliError::refused(format!("--angle takes a number of degrees, not {}", args.angle));
    }
    let to = args.through.unwrap_or(Through::Frame(args.frames.frame));
    let (frame, through) = frames(path, &before.clips(), &args.frames, to)?;
    let reach = if before.skeleton.is_some() && !args.alone { Reach::Hanging } else { Reach::Alone };
    let rotation = DQuat::from_axis_angle(args.axis.0, args.angle.to_radians());
    let ease_out = if to == Through::End { 0 } else { args.ease };
    let turn =
        BoneTurn { through, ease_in: args.ease, ease_out, reach, ..BoneTurn::new(bone, rotation, frame) };
    session.stage("editing");
    let mut after = before.clone();
    let added = after.split_bones(&[bone]);
    let editor = BoneEditor::new(&after, session).map_err(|e| refusal(path, &e))?;
    editor.rotate(&mut after, &turn).map_err(|e| refusal(path, &e))?;
    let done = format!("{} turned by {}°", before.bones[bone].name, number(args.angle));
    let name = |bone: usize| after.bones[bone].name.clone();
    let new = added.iter().zip(before.bones.len()..);
    let parts = new.map(|(&from, bone)| [name(from), name(bone)]).collect();
    let told = Told { done, frame: Some(frame), parts, warnings, ..Told::default() };
    Ok(Edited::rig([before, after], clip, told))
}

fn pose(args: &PoseArgs, session: &Session) -> Outcome<Edited> {
    let (read, shape, mut warnings) = rig_and_shape(&args.rig, &args.shape)?;
    let SampledRig { rig: before, clip, .. } = read;
    let path = &args.rig.rig;
    let (frame, through) = frames(path, &before.clips(), &args.frames, args.through)?;
    check_ease(args)?;
    session.stage("editing");
    let editor = PoseEditor::new(&before, session).map_err(|e| refusal(path, &e))?;
    let mut after = before.clone();
    let edit = PoseEdit { shape: &shape, frame, through, ease_out: args.ease };
    let edited = editor.edit(&mut after, &edit, session).map_err(|e| refusal(path, &e))?;
    warnings.extend(edited.warnings().iter().map(in_words));
    let done = format!("frame {} sculpted", args.frames.frame);
    let told = Told {
        done,
        frame: Some(frame),
        bones: Some(edited.bones),
        correction: Some(100.0 * edited.correction),
        missed: Some(100.0 * edited.missed),
        warnings,
        ..Told::default()
    };
    Ok(Edited::rig([before, after], clip, told))
}

/// What is said of an edit that may not be as it was meant.
fn in_words(warning: &EditWarning) -> String {
    match warning {
        EditWarning::Missed { share } => format!(
            "the edited frame is off its shape by up to {} % of the diagonal: bones fold some vertices flat, and no \
             displacement takes them out of there",
            number(100.0 * share)
        ),
        EditWarning::NegativeWeights { least } => format!(
            "vertices that were sculpted have weights down to {}: their displacements may come out long or askew \
             in other poses; sinew skin with weights that are not negative (--weights nnls) avoids that",
            number((*least).into())
        ),
        warning => warning.to_string(),
    }
}

/// Checks that there is a frame before which an edit can fade.
fn check_ease(args: &PoseArgs) -> Outcome<()> {
    if args.ease > 0 && args.through == Through::End {
        return CliError::refused(
            "--ease lets the edit fade before a frame; give that frame with --through N",
        );
    }
    Ok(())
}

fn rest(args: &RestArgs, session: &Session) -> Outcome<Edited> {
    let (read, shape, mut warnings) = rig_and_shape(&args.rig, &args.shape)?;
    let SampledRig { rig: before, clip, .. } = read;
    session.stage("editing");
    let mut after = before.clone();
    let edited =
        edit_rest(&mut after, &shape, args.carry.into(), session).map_err(|e| refusal(&args.rig.rig, &e))?;
    warnings.extend(edited.warnings().iter().map(in_words));
    let done = format!("rest pose sculpted at {}", count(edited.moved, "vertex", "vertices"));
    Ok(Edited::rig([before, after], clip, Told { done, warnings, ..Told::default() }))
}

/// Everything a file holds is kept.
fn all_clips() -> SampleOptions {
    SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() }
}

/// Reads a rig and a shape of it, and says what is odd about them.
fn rig_and_shape(args: &RigArgs, shape: &Path) -> Outcome<(SampledRig, Vec<Vec3>, Vec<String>)> {
    let sculpted = Shape::read(shape)?;
    let read = rig_like(&args.rig, sculpted.mesh.positions.len(), &all_clips())?;
    let mut warnings = read.warnings.clone();
    warnings.extend(sculpted.check(&args.rig, &read.rig.mesh)?);
    Ok((read, sculpted.mesh.positions, warnings))
}

/// A mesh that was sculpted.
struct Shape<'a> {
    path: &'a Path,
    mesh: StaticMesh,
}

impl<'a> Shape<'a> {
    fn read(path: &'a Path) -> Outcome<Self> {
        // What is odd about its materials does not matter: only places are taken from it.
        Ok(Self { path, mesh: open::rest(path, None)? })
    }

    /// Refuses a shape that cannot be one of the rig's mesh; warns of one that may not be.
    fn check(&self, rig: &Path, mesh: &Mesh) -> Outcome<Option<String>> {
        let (found, expected) = (self.mesh.positions.len(), mesh.vertex_count);
        let path = self.path.display();
        if found != expected {
            return CliError::refused(format!(
                "{path}: the shape has {found} vertices, but the rig {} has {expected}; sinew bake writes meshes \
                 that fit",
                rig.display(),
            ));
        }
        let faces = |mesh: &Mesh| (mesh.face_starts.clone(), mesh.corners.clone());
        let others = self.mesh.mesh.face_count() > 0 && faces(&self.mesh.mesh) != faces(mesh);
        Ok(others.then(|| {
            format!("{path}: its faces are not those of the rig, so its vertices may be in another order")
        }))
    }
}

/// The bone that is meant.
fn bone(path: &Path, rig: &Rig, asked: &str) -> Outcome<usize> {
    let named = rig.bones.iter().position(|bone| bone.name == asked);
    let numbered = || asked.parse().ok().filter(|n| *n < rig.bones.len());
    named.or_else(numbered).map_or_else(
        || {
            CliError::refused(format!(
                "{}: there is no bone {asked}; give the name of one or a number from 0 to {}",
                path.display(),
                rig.bones.len().saturating_sub(1)
            ))
        },
        Ok,
    )
}

/// First and last frame of an edit, counted over all clips.
fn frames(path: &Path, clips: &[Clip], args: &FrameArgs, through: Through) -> Outcome<(usize, usize)> {
    let clip = chosen(path, clips, args.clip.as_deref())?;
    let last = match through {
        Through::End => clip.frames.len().saturating_sub(1),
        Through::Frame(frame) => frame,
    };
    if let Some(missing) = [args.frame, last].into_iter().find(|f| *f >= clip.frames.len()) {
        return CliError::refused(format!(
            "{}: there is no frame {missing}; the frames are 0 to {}",
            path.display(),
            clip.frames.len().saturating_sub(1)
        ));
    }
    if last < args.frame {
        return CliError::refused(format!("--through {last} comes before --frame {}", args.frame));
    }
    Ok((clip.frames.start + args.frame, clip.frames.start + last))
}

fn chosen<'a>(path: &Path, clips: &'a [Clip], asked: Option<&str>) -> Outcome<&'a Clip> {
    let found = match asked {
        None => clips.first(),
        Some(asked) => clips
            .iter()
            .find(|clip| clip.name == asked)
            .or_else(|| asked.parse::<usize>().ok().and_then(|n| clips.get(n))),
    };
    found.map_or_else(
        || {
            let names: Vec<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
            let asked = asked.unwrap_or("0");
            let names = names.join(", ");
            CliError::refused(format!("{}: there is no clip {asked}; the clips are {names}", path.display()))
        },
        Ok,
    )
}

fn refusal(path: &Path, error: &EditError) -> CliError {
    match error {
        EditError::Cancelled => CliError::Cancelled,
        error => CliError::Refused(format!("{}: {error}", path.display())),
    }
}
