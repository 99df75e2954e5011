//! `sinew deform setup`: a character made ready for posing.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;
use sinew::deform::anchors::{AnchorCount, AnchorOptions, Anchors};
use sinew::deform::{DeformError, DeformOptions, Handles};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::deform_file::{self, Examples, HandlesFrom, Setup, at_rest};
use sinew_io::glb::SampleOptions;
use sinew_io::open;

use super::{examples, handles, refuse, refuse_setup};
use crate::console::{Table, count, print, size};
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::report::write_json;
use crate::rig_file::has_extension;
use crate::target;

/// Make a character ready: which vertices follow which joint, and its examples
#[derive(Args)]
#[command(after_help = "Examples:
  sinew deform setup body.glb -o body.deform
  sinew deform setup body.glb --handles handles.toml --examples examples.toml --anchors 2% -o body.deform

handles.toml lists vertices by joint, counted from 0 as in the frames that sinew deform pose writes:
  others = \"none\"                         # joints that are not named; without it all must be
  [handles]
  hips = [0, 1, 2, \"10-20\"]
  ik_target = \"none\"

examples.toml lists shapes and their poses; turns are axis times angle in degrees, against the parent:
  [[example]]
  shape = \"flexed.obj\"                     # the mesh in the pose, or
  # morphs = [\"biceps\", 3]                 # morph targets of the body, which the pose carries along
  turns = { forearm = [0, 0, 60] }         # or pose = \"flexed.bvh\", a TOML, BVH or GLB file")]
pub struct SetupArgs {
    /// The character: a GLB, glTF or .sinew file with a skeleton
    body: PathBuf,

    /// The file to write, *.deform
    #[arg(short, long, value_name = "FILE.deform")]
    output: PathBuf,

    /// Which vertices follow one joint alone [default: found]
    #[arg(long, value_name = "FILE.toml", conflicts_with = "handles_from")]
    handles: Option<PathBuf>,

    /// What handles are found from [default: the skin weights where they tell joints apart]
    #[arg(long, value_enum)]
    handles_from: Option<From>,

    /// Example shapes and their poses
    #[arg(long, value_name = "FILE.toml")]
    examples: Option<PathBuf>,

    /// Keep what examples add at a few triangles: a share of them (2%), a number (300), or as many as fit into
    /// some bytes of the file (64kB) [default: at all, which meets examples exactly]
    #[arg(long, value_name = "N|P%|SIZE", value_parser = anchors, requires = "examples")]
    anchors: Option<AnchorCount>,

    /// Keep only the largest influences of joints on a triangle that make this share
    #[arg(long, value_name = "SHARE", default_value_t = DeformOptions::default().keep)]
    keep: f64,

    /// How far limbs follow their bones where stitching leaves them beside, 0 to 1; costs volume in the bend
    #[arg(long, value_name = "SHARE", default_value_t = DeformOptions::default().follow)]
    follow: f64,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum From {
    /// Where one joint has almost all of the weight
    Weights,
    /// Where the bones of the skeleton run
    Skeleton,
}

/// A number, a share with %, or a size with B, kB or MB.
fn anchors(text: &str) -> Result<AnchorCount, String> {
    let parsed = |number: &str| number.trim().parse::<f64>().ok().filter(|x| *x > 0.0 && *x < 1e12);
    let sizes = [("MB", 1e6), ("kB", 1e3), ("B", 1.0)];
    let of_size = |(unit, factor): &(&str, f64)| Some((parsed(text.strip_suffix(unit)?)? * factor) as usize);
    if let Some(percent) = text.strip_suffix('%').and_then(parsed) {
        return Ok(AnchorCount::Percent(percent));
    }
    if let Some(bytes) = sizes.iter().find_map(of_size) {
        return Ok(AnchorCount::Bytes(bytes));
    }
    let number = text.parse().ok().filter(|n| *n > 0);
    number
        .map(AnchorCount::Number)
        .ok_or_else(|| "give a number, a share such as 2%, or a size such as 64kB".into())
}

#[derive(Serialize)]
struct SetupReport {
    body: String,
    vertices: usize,
    triangles: usize,
    joints: usize,
    /// Names of joints that move nothing of their own.
    without_handle: Vec<String>,
    handle_vertices: usize,
    examples: Vec<String>,
    /// Those of one pose are one.
    distinct_examples: usize,
    /// Null where examples are kept at all triangles.
    anchors: Option<usize>,
    /// Bytes of the examples when posing.
    example_bytes: usize,
    seconds: f64,
    output_bytes: u64,
    warnings: Vec<String>,
}

/// Runs the command.
pub fn run(args: &SetupArgs, session: &Session) -> Outcome<()> {
    if !has_extension(&args.output, "deform") {
        return refuse(&args.output, "characters are written as *.deform");
    }
    if !(args.keep > 0.0 && args.keep <= 1.0) {
        return CliError::refused(format!("--keep is a share above 0 and at most 1, not {}", args.keep));
    }
    if !(0.0..=1.0).contains(&args.follow) {
        return CliError::refused(format!("--follow is a share from 0 to 1, not {}", args.follow));
    }
    let targets = [Some(args.output.as_path()), args.report.as_deref()];
    target::check(&targets)?;
    let read = [Some(&args.body), args.handles.as_ref(), args.examples.as_ref()];
    target::check_apart(&targets, read.into_iter().flatten())?;
    let report = perform(args, session)?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet { Ok(()) } else { print(&table(&report, args).text()) }
}

fn perform(args: &SetupArgs, session: &Session) -> Outcome<SetupReport> {
    session.stage("reading");
    let opened = open::rig(&args.body, &SampleOptions::default())?;
    let (rig, mut warnings) = (opened.rig, opened.warnings);
    if rig.skeleton.is_none() {
        return refuse(&args.body, "there is no skeleton; sinew skeleton finds one in a mesh animation");
    }
    session.check()?;
    let handles = find_handles(args, &rig, session)?;
    let anchors = args.anchors.map(|count| AnchorOptions { count, ..AnchorOptions::default() });
    let options = DeformOptions { keep: args.keep, follow: args.follow, anchors };
    let mut examples = Vec::new();
    if let Some(path) = &args.examples {
        let body =
            examples::Body { path: &args.body, rig: &rig, handles: &handles, options: &options, session };
        let listed = examples::read(path, &body)?;
        warnings.extend(listed.warnings);
        examples = listed.examples;
    }
    session.check()?;
    let setup = Setup { rig: at_rest(rig), handles, examples: Examples::Shapes(examples), options };
    let deformer = setup.deformer(session).or_else(|e| refuse_character(args, &setup, &e))?;
    let given = setup.example_names().len();
    if deformer.example_count() < given {
        let poses = count(deformer.example_count(), "pose", "poses");
        warnings.push(format!(
            "{given} examples are of {poses} besides that of rest; those of one pose are averaged"
        ));
    }
    let setup = setup.kept_by(&deformer);
    session.check()?;
    session.stage("writing");
    let output_bytes = deform_file::write(&args.output, &setup)?;
    let joints = setup.rig.bones.len();
    let names = |joint: usize| setup.rig.bones[joint].name.clone();
    Ok(SetupReport {
        body: args.body.display().to_string(),
        vertices: deformer.vertex_count(),
        triangles: deformer.triangles().len(),
        joints,
        without_handle: setup.handles.joints_without(joints).into_iter().map(names).collect(),
        handle_vertices: (0..deformer.vertex_count()).filter(|&v| setup.handles.joint(v).is_some()).count(),
        examples: setup.example_names(),
        distinct_examples: deformer.example_count(),
        anchors: deformer.anchors().map(Anchors::len),
        example_bytes: deformer.example_bytes(),
        seconds: session.seconds(),
        output_bytes,
        warnings,
    })
}

/// Refuses what cannot be set up, by the file it is in.
fn refuse_character<T>(args: &SetupArgs, setup: &Setup, error: &DeformError) -> Outcome<T> {
    match (error, &args.examples) {
        (DeformError::ExampleAtRest { example }, Some(path)) => {
            let name = &setup.example_names()[*example];
            let message = format!(
                "{name} has the rest pose but another shape than the body; only one can be its shape"
            );
            refuse(path, message)
        }
        _ => refuse_setup(&args.body, error),
    }
}

fn find_handles(args: &SetupArgs, rig: &Rig, session: &Session) -> Outcome<Handles> {
    if let Some(path) = &args.handles {
        return handles::read(path, rig);
    }
    let from = args.handles_from.map(|from| match from {
        From::Weights => HandlesFrom::Weights,
        From::Skeleton => HandlesFrom::Skeleton,
    });
    deform_file::find_handles(rig, from, session).or_else(|e| refuse_setup(&args.body, &e))
}

fn table(report: &SetupReport, args: &SetupArgs) -> Table {
    let mut table = Table::default();
    let (vertices, triangles) =
        (count(report.vertices, "vertex", "vertices"), count(report.triangles, "triangle", "triangles"));
    table.row("character", format!("{}, {vertices}, {triangles}", report.body));
    let share = 100.0 * report.handle_vertices as f64 / report.vertices.max(1) as f64;
    let joints = count(report.joints, "joint", "joints");
    table.row("handles", format!("{joints}; {share:.0} % of the vertices follow one alone"));
    if !report.without_handle.is_empty() {
        table.row("", format!("none of their own: {}", report.without_handle.join(", ")));
    }
    if !report.examples.is_empty() {
        let poses = count(report.distinct_examples, "pose", "poses");
        let bytes = size(report.example_bytes as u64);
        let anchors = report.anchors.map(|anchors| format!(" at {}", count(anchors, "anchor", "anchors")));
        let kept = format!("{bytes} when posing{}", anchors.unwrap_or_default());
        table.row("examples", format!("{}: {poses}, {kept}", report.examples.join(", ")));
    }
    table.row("time", format!("{:.2} s", report.seconds));
    table.row("wrote", format!("{} ({})", args.output.display(), size(report.output_bytes)));
    table.list("warning", &report.warnings);
    table
}
