//! `sinew info`: what is in a file.

mod motion;

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use sinew::animation::{AnimationError, Clip};
use sinew::geometry::Bounds;
use sinew::progress::Progress;
use sinew_io::formats::{self, Facts, GLTF, SINEW};
use sinew_io::glb::{self, SampleOptions};
use sinew_io::motion::Up;
use sinew_io::open::{self, OpenOptions, Opened};
use sinew_io::sinew_file::{self, Frame, Motion, Reader};

use crate::console::{Table, count, number, print, size};
use crate::error::{CliError, Outcome};
use crate::facts::{MeshFacts, loose_in_words, size_in_words};
use crate::joints::{JointReport, joints, tree_in_words};
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
    if args.file.is_file() && open::format(&args.file)?.is_motion() {
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
    let opened = open::motion(&one(&args.file), &options, session)?;
    session.stage("checking");
    let facts = open::facts(&args.file)?;
    let mut report = describe(&args.file, &opened, &facts);
    if report.format == GLTF.name {
        add_rig(&mut report, args)?;
    } else if report.format == SINEW.name {
        add_head(&mut report, args)?;
    }
    session.check()?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    print(&table(&report, &opened.animation.rest_bounds(), &facts).text())?;
    match broken(&opened) {
        0 => Ok(()),
        n => CliError::refused(format!("{}: {}", args.file.display(), broken_in_words(n))),
    }
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
        Ok(()) => found.extend(animation.doubts()),
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
    let rig = file.rig(&sampling(args))?.rig;
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

/// Longer lists are cut for people; the report has all.
const MOST_ROWS: usize = 12;

fn table(report: &InfoReport, bounds: &Bounds, facts: &Facts) -> Table {
    let mut table = Table::default();
    table.row("file", format!("{} ({}, {})", report.file, report.format, size(report.bytes)));
    if let Some(generator) = &report.generator {
        table.row("made by", generator);
    }
    let mut mesh = count(report.vertices, "vertex", "vertices");
    if let (Some(faces), Some(triangles), Some(pieces)) = (report.faces, report.triangles, report.pieces) {
        mesh += &format!(", {}", count(faces, "face", "faces"));
        if faces != triangles {
            mesh += &format!(" ({})", count(triangles, "triangle", "triangles"));
        }
        mesh += &format!(", {}", count(pieces, "connected piece", "connected pieces"));
    } else {
        mesh += ", no faces (they are in the mesh that goes with it)";
    }
    table.row("mesh", mesh);
    let parts: Vec<String> = report
        .parts
        .iter()
        .map(|p| {
            let (vertices, faces) =
                (count(p.vertices, "vertex", "vertices"), count(p.faces, "face", "faces"));
            format!("{} ({vertices}, {faces})", p.name)
        })
        .collect();
    table.list("parts", &shortened(parts));
    let levels: Vec<String> = report.levels.iter().skip(1).map(usize::to_string).collect();
    if !levels.is_empty() {
        table.row("levels", format!("{} triangles", levels.join(", ")));
    }
    table.row("size", size_in_words(bounds, facts.unit().as_deref()));
    if let Some(axes) = axes_in_words(facts) {
        table.row("axes", axes);
    }
    table.row("motion", in_words(report.frames, report.fps, report.duration));
    if let Some((first, last)) = facts.times {
        table.row("times", format!("{} s to {} s", number(first), number(last)));
    }
    let clips: Vec<String> = report
        .clips
        .iter()
        .map(|c| {
            let keys = count(c.keys, "key", "keys");
            format!("{} ({} s, {keys})", clip_name(c), number(c.duration))
        })
        .collect();
    table.list("clips", &shortened(clips));
    if let (Some(bones), Some(influences), Some(morphs)) =
        (report.bones, report.influences, report.morph_targets)
    {
        let morphs = match morphs {
            0 => String::new(),
            n => format!(", {}", count(n, "morph target", "morph targets")),
        };
        table.row(
            "rig",
            format!(
                "{}, at most {} a vertex{morphs}{}",
                count(bones, "bone", "bones"),
                count(influences, "influence", "influences"),
                report.motion.map(|motion| format!(", {motion}")).unwrap_or_default()
            ),
        );
        if let Some(changes) = report.weight_changes.as_ref().filter(|changes| !changes.is_empty()) {
            table.row("", format!("weights change {}", count(changes.len(), "time", "times")));
        }
        if let Some(weight) = report.smallest_weight {
            table.row("", format!("weights down to {}", number(f64::from(weight))));
        }
    }
    if let Some(skeleton) = &report.skeleton {
        table.list("skeleton", &tree_in_words(&skeleton.iter().collect::<Vec<_>>(), "", |_| String::new()));
    }
    let mut looks: Vec<String> = Vec::new();
    looks.extend(report.uvs.then(|| "UVs".to_string()));
    looks.extend(report.normals.then(|| "normals".to_string()));
    if !report.materials.is_empty() {
        let names = shortened(report.materials.clone()).join(", ");
        looks.push(format!("{} ({names})", count(report.materials.len(), "material", "materials")));
    }
    if report.images > 0 {
        looks.push(count(report.images, "image", "images"));
    }
    if !looks.is_empty() {
        table.row("looks", looks.join(", "));
    }
    table.list("note", &report.notes);
    table.list("problem", &report.problems);
    table.list("warning", &report.warnings);
    table
}

/// Which way is up in the file, and the hand of its axes, where it tells.
fn axes_in_words(facts: &Facts) -> Option<String> {
    let hand = |left: bool| if left { "left-handed" } else { "right-handed" };
    let turned =
        |up: Up| if up == Up::Y { "y is up".into() } else { format!("{up} is up in the file, y here") };
    let said: Vec<String> =
        facts.up.map(turned).into_iter().chain(facts.left_handed.map(|left| hand(left).into())).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

fn clip_name(clip: &ClipReport) -> &str {
    if clip.name.is_empty() { "nameless" } else { &clip.name }
}

/// Frames, their rate, and how long they last.
fn in_words(frames: usize, fps: f64, duration: f64) -> String {
    if frames == 1 {
        return "1 frame".into();
    }
    format!("{frames} frames at {} per second, {} s", number(fps), number(duration))
}

fn shortened(mut list: Vec<String>) -> Vec<String> {
    if list.len() > MOST_ROWS {
        let more = list.len() - MOST_ROWS + 1;
        list.truncate(MOST_ROWS - 1);
        list.push(format!("and {more} more"));
    }
    list
}
