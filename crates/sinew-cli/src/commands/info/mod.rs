//! `sinew info`: what is in a file.

mod motion;
mod table;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use sinew::animation::{AnimationError, Clip};
use sinew::geometry::Bounds;
use sinew::progress::Progress;
use sinew_io::formats::{self, Facts, GLTF, SINEW};
use sinew_io::glb::{self, SampleOptions, SampledRig};
use sinew_io::open::{self, OpenOptions, Opened, PoseStream};
use sinew_io::sinew_file::{self, Frame, Motion, Reader};

use crate::console::{count, print};
use crate::error::{CliError, Outcome};
use crate::facts::{MeshFacts, loose_in_words};
use crate::joints::{JointReport, joints};
use crate::pair::one;
use crate::progress::Session;
use crate::report::write_json;
use crate::target;
use crate::up::Axis;

/// Say what is in a file: meshes, frames, bones, skeleton, materials, problems
///
/// Reads every format that Sinew knows: point caches, meshes, folders of frames, animations, rigs, and motion of
/// joints. --formats lists them.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew info rig.glb
  sinew info anim.pc2 --rest rest.obj
  sinew info frames/ --report frames.json
  sinew info walk.bvh")]
pub struct InfoArgs {
    /// A file, or a folder or pattern of frames
    #[arg(required_unless_present = "formats", default_value = ".", hide_default_value = true)]
    file: PathBuf,

    /// The mesh that goes with a point cache
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Clip of a GLB or .sinew file, by name or number, to count frames of [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Frames per second, where the file does not say
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// The ASF file that goes with an AMC file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    asf: Option<PathBuf>,

    /// Which axis of a BVH, ASF or AMC file is up [default: y]
    #[arg(long, value_enum)]
    up: Option<Axis>,

    /// Look at all frames of a cache larger than 256 MiB, not just at the first
    #[arg(long)]
    all: bool,

    /// Print the table of formats that the README has, and nothing else
    #[arg(long, exclusive = true)]
    formats: bool,

    /// Write the same as JSON
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// What was found.
#[derive(Serialize)]
struct InfoReport {
    file: String,
    format: &'static str,
    bytes: u64,
    generator: Option<String>,
    vertices: usize,
    /// Null where there is no mesh.
    faces: Option<usize>,
    triangles: Option<usize>,
    pieces: Option<usize>,
    parts: Vec<PartReport>,
    frames: usize,
    fps: f64,
    duration: f64,
    clips: Vec<ClipReport>,
    /// Null where there is no rig.
    bones: Option<usize>,
    influences: Option<usize>,
    morph_targets: Option<usize>,
    /// Triangles of the levels of detail in a glTF file, the mesh itself first; empty without levels.
    levels: Vec<usize>,
    /// Shapes of the light that a glTF file has over its vertices; null without.
    light: Option<usize>,
    /// The joint tree, parents before children; null where the bones do not hang together.
    skeleton: Option<Vec<JointReport>>,
    /// What bones act on, in a .sinew file; null in others.
    motion: Option<&'static str>,
    /// Frames from which other weights are used; null but in a .sinew file of bones that act from pose to pose.
    weight_changes: Option<Vec<usize>>,
    /// The most negative weight; null where none is.
    smallest_weight: Option<f32>,
    uvs: bool,
    normals: bool,
    materials: Vec<String>,
    images: usize,
    /// Sides of the box around the rest pose, or the first frame.
    size: [f32; 3],
    /// What the file says about its numbers; each null where it says nothing.
    metres_per_unit: Option<f64>,
    up: Option<String>,
    left_handed: Option<bool>,
    /// Times of the first and the last frame, in seconds.
    times: Option<(f64, f64)>,
    notes: Vec<String>,
    problems: Vec<String>,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct PartReport {
    name: String,
    vertices: usize,
    faces: usize,
}

#[derive(Serialize)]
struct ClipReport {
    name: String,
    duration: f64,
    fps: Option<f64>,
    keys: usize,
}

/// Runs the command.
pub fn run(args: &InfoArgs, session: &Session) -> Outcome<()> {
    if args.formats {
        return print(&formats::table());
    }
    target::check(&[args.report.as_deref()])?;
    session.stage("reading");
    if args.file.is_file() && open::format(&args.file)?.holds(&args.file)?.is_motion() {
        return motion::run(args, session);
    }
    if args.up.is_some() {
        return CliError::refused(format!(
            "{}: --up is for {} files; what is in others is told as it stands",
            args.file.display(),
            formats::list("and", |f| f.reads.is_motion())
        ));
    }
    let options = OpenOptions {
        rest: args.rest.clone(),
        fps: args.fps,
        clips: args.clip.iter().cloned().collect(),
        ..OpenOptions::default()
    };
    let Looked { opened, frames, notes } = look(args, &options, session)?;
    session.stage("checking");
    let mut facts = open::facts(&args.file)?;
    facts.notes.extend(notes);
    let mut report = describe(&args.file, &opened, &facts);
    report.frames = frames;
    report.duration = frames.saturating_sub(1) as f64 / report.fps;
    if report.format == GLTF.name {
        add_rig(&mut report, args)?;
    } else if report.format == SINEW.name {
        add_head(&mut report, args)?;
    } else if args.file.is_file() && open::format(&args.file)?.holds(&args.file)?.rig {
        add_bones(&mut report, args)?;
    }
    session.check()?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    print(&table::table(&report, &opened.animation.rest_bounds(), &facts).text())?;
    match broken(&opened) {
        0 => Ok(()),
        n => CliError::refused(format!("{}: {}", args.file.display(), broken_in_words(n))),
    }
}

/// What is looked at.
struct Looked {
    opened: Opened,
    /// Frames in all.
    frames: usize,
    notes: Vec<String>,
}

/// Larger caches are not gone through as a whole.
const LARGE: u64 = 1 << 28;
/// So many bytes of their first frames are.
const LOOKED_AT: usize = 1 << 25;

/// Opens the file, or the first frames of a large one.
fn look(args: &InfoArgs, options: &OpenOptions, session: &Session) -> Outcome<Looked> {
    let large = args.file.is_file() && !args.all && {
        let format = open::format(&args.file)?;
        format.reads.poses && !format.reads.rig && {
            // Frames that are alike may be stored once.
            let poses = |s: PoseStream| 12 * s.vertex_count() as u64 * s.frame_count.unwrap_or(0) as u64;
            args.file.metadata().is_ok_and(|m| m.len() > LARGE)
                || open::poses(&args.file, options).is_ok_and(|stream| poses(stream) > LARGE)
        }
    };
    if !large {
        let opened = open::motion(&one(&args.file), options, session)?;
        return Ok(Looked { frames: opened.animation.frames.len(), opened, notes: Vec::new() });
    }
    let stream = open::poses(&args.file, options)?;
    let most = (LOOKED_AT / (12 * stream.vertex_count().max(1))).max(1);
    let (opened, frames) = open::first_poses(stream, most)?;
    let seen = opened.animation.frames.len();
    let of = frames.map_or(String::new(), |frames| format!(" of {frames}"));
    let notes = vec![format!("the first {seen}{of} frames were looked at; --all looks at all")];
    Ok(Looked { frames: frames.unwrap_or(seen), opened, notes })
}

/// How many coordinates of frames and rest pose are not finite numbers.
fn broken(opened: &Opened) -> usize {
    let animation = &opened.animation;
    let rest = animation.rest.iter().flatten().flat_map(|p| p.to_array());
    animation.frames.flat().iter().copied().chain(rest).filter(|x| !x.is_finite()).count()
}

fn broken_in_words(broken: usize) -> String {
    match broken {
        1 => "1 coordinate is not a finite number".into(),
        n => format!("{n} coordinates are not finite numbers"),
    }
}

fn describe(file: &Path, opened: &Opened, facts: &Facts) -> InfoReport {
    let animation = &opened.animation;
    let mesh = &animation.mesh;
    let has_mesh = mesh.face_count() > 0;
    let pose = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
    let counted = has_mesh.then(|| MeshFacts::new(mesh, pose));
    let format =
        if file.is_file() { open::format(file).map_or("file", |f| f.name) } else { "frame sequence" };
    let bounds = Bounds::of(pose);
    InfoReport {
        file: file.display().to_string(),
        format,
        bytes: opened.input_bytes,
        generator: facts.made_by.clone(),
        vertices: animation.frames.vertex_count(),
        faces: has_mesh.then(|| mesh.face_count()),
        triangles: counted.as_ref().map(|f| f.triangles),
        pieces: counted.as_ref().map(|f| f.pieces),
        parts: mesh
            .parts
            .iter()
            .map(|p| PartReport { name: p.name.clone(), vertices: p.vertices.len(), faces: p.faces.len() })
            .collect(),
        frames: animation.frames.len(),
        fps: animation.fps,
        duration: animation.frames.len().saturating_sub(1) as f64 / animation.fps,
        clips: Vec::new(),
        bones: None,
        influences: None,
        morph_targets: None,
        levels: Vec::new(),
        light: None,
        skeleton: None,
        motion: None,
        weight_changes: None,
        smallest_weight: None,
        uvs: mesh.uvs.is_some(),
        normals: mesh.normals.is_some(),
        materials: mesh.materials.iter().map(|m| m.name.clone()).collect(),
        images: mesh.images.len(),
        size: (bounds.max - bounds.min).to_array(),
        metres_per_unit: facts.metres_per_unit,
        up: facts.up.map(|up| up.to_string()),
        left_handed: facts.left_handed,
        times: facts.times,
        notes: facts.notes.clone(),
        problems: problems(opened, counted.as_ref()),
        warnings: opened.warnings.clone(),
    }
}

/// What would stand in the way of skinning, or surprise.
fn problems(opened: &Opened, facts: Option<&MeshFacts>) -> Vec<String> {
    let animation = &opened.animation;
    let mut found = Vec::new();
    match animation.validate() {
        // A cache alone has no faces to miss.
        Ok(()) => found.extend(animation.warnings().iter().map(ToString::to_string)),
        Err(AnimationError::NoTriangles) => {}
        Err(e) => found.push(e.to_string()),
    }
    let broken = broken(opened);
    if broken > 1 {
        found.push(broken_in_words(broken));
    }
    let Some(facts) = facts else { return found };
    if facts.degenerate > 0 {
        let have = if facts.degenerate == 1 { "has" } else { "have" };
        let all = count(facts.triangles, "triangle", "triangles");
        found.push(format!("{} of {all} {have} no area", facts.degenerate));
    }
    if facts.loose > 0 {
        found.push(loose_in_words(facts.loose));
    }
    found
}

fn sampling(args: &InfoArgs) -> SampleOptions {
    SampleOptions { clips: args.clip.iter().cloned().collect(), fps: args.fps, weld: None }
}

/// Adds what only a glTF file has.
fn add_rig(report: &mut InfoReport, args: &InfoArgs) -> Outcome<()> {
    let file = glb::open(&args.file)?;
    let info = file.info()?;
    let SampledRig { rig, light, .. } = file.rig(&sampling(args))?;
    report.light = light.map(|light| light.rank());
    report.bones = Some(rig.bones.len());
    report.influences = Some(rig.weights.most_influences());
    report.morph_targets = Some(info.morph_targets);
    report.skeleton = joints(&rig);
    report.images = info.images;
    report.levels = file.level_triangles()?;
    if report.levels.len() < 2 {
        report.levels.clear();
    }
    report.clips = file
        .clips()?
        .into_iter()
        .map(|c| ClipReport { name: c.name, duration: c.duration, fps: c.fps, keys: c.keys })
        .collect();
    Ok(())
}

/// Adds what any file with a rig has.
fn add_bones(report: &mut InfoReport, args: &InfoArgs) -> Outcome<()> {
    let mut options = sampling(args);
    if options.clips.is_empty() {
        options.clips.push("all".into());
    }
    let rig = open::rig(&args.file, &options)?.rig;
    report.bones = Some(rig.bones.len());
    report.influences = Some(rig.weights.most_influences());
    report.morph_targets = Some(rig.rank());
    report.skeleton = joints(&rig);
    let clip = |clip: &Clip| ClipReport {
        name: clip.name.clone(),
        duration: clip.frames.len().saturating_sub(1) as f64 / clip.fps,
        fps: Some(clip.fps),
        keys: clip.frames.len(),
    };
    report.clips = rig.clips().iter().map(clip).collect();
    Ok(())
}

/// Adds what only a `.sinew` file has.
fn add_head(report: &mut InfoReport, args: &InfoArgs) -> Outcome<()> {
    let mut reader = sinew_file::open(&args.file)?;
    if reader.head.clip.motion == Motion::FromLast {
        report.weight_changes = Some(weight_changes(&mut reader)?);
    }
    let head = reader.head;
    report.bones = Some(head.bones.len());
    report.influences = Some(head.weights.most_influences());
    report.morph_targets = Some(head.rank());
    report.motion = Some(match head.clip.motion {
        Motion::FromRest => "from the rest pose",
        Motion::FromLast => "from pose to pose",
    });
    if head.skeleton.is_some() {
        report.skeleton = joints(&open::rig(&args.file, &sampling(args))?.rig);
    }
    report.smallest_weight = Some(head.weights.smallest()).filter(|w| *w < 0.0);
    let clip = |clip: Clip| {
        let (frames, fps) = (clip.frames.len(), args.fps.unwrap_or(clip.fps));
        let duration = frames.saturating_sub(1) as f64 / fps;
        ClipReport { name: clip.name, duration, fps: Some(fps), keys: frames }
    };
    report.clips = sinew_file::clips(&args.file)?.into_iter().map(clip).collect();
    Ok(())
}

/// The frames that bring new weights.
fn weight_changes(reader: &mut Reader<impl Read>) -> Outcome<Vec<usize>> {
    let (mut frame, mut changes) = (Frame::default(), Vec::new());
    while reader.next_frame(&mut frame)? {
        changes.extend(frame.new_weights.is_some().then_some(reader.frames() as usize - 1));
    }
    Ok(changes)
}
