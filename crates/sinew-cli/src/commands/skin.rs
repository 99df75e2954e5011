//! `sinew skin`: an animation becomes a rig.

use std::path::{Path, PathBuf};

use clap::Args;
use sinew::segment::{Role, StartSegmenter, words};
use sinew::skin::{BoneKind, CoreSets, DEFAULT_ROUNDS, Effort, MethodName, Solve, WeightMethod};
use sinew_jobs::shard::Shard;
use sinew_jobs::skin::{Fit, FitGoal, Largest, NormChoice, RestPoseChoice, SkinJob};

use crate::choice::{bytes, one_of};
use crate::console::{Table, count, number, size};
use crate::door::{Command, InWords};
use crate::error::{CliError, Outcome};
use crate::report::{
    ChoiceReport, LearntFrom, RoundReport, ShapeReport, ShardReport, SkinReport, assumed_rate_in_words,
    clips_in_words, engine_rows, error_rows, mesh_in_words, more_joints, seconds_in_words, unit_row,
};
use crate::source::{SourceArgs, check_compact};
use crate::standard::{RigFormatArgs, always, output_help};
use crate::words::warnings;

/// Turn an animation into a rig
///
/// Finds bones, weights and, on request, corrections that replay the animation, and writes them as a
/// skinned, animated file that engines play (GLB, FBX, USD) or, in full, as .sinew.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew skin anim.pc2 --rest rest.obj -o horse.glb
  sinew skin frames/ -o out.glb --bones 24 --rank 8 --report out.json
  sinew skin 'scan_*.ply' --fps 30 --kind rigid -o out.glb
  sinew skin anim.pc2 --rest rest.obj --target-error 1.0 --plot sizes.png -o out.glb
  sinew skin anim.pc2 --rest rest.obj --budget 300KB -o out.glb
  sinew skin anim.pc2 --rest rest.obj --max-error 0.5mm -o out.glb
  sinew skin face.glb --bones 40 --influences 8 --sparse 90% --table face.json -o out.glb
  sinew skin walk.pc2 run.pc2 --rest rest.obj -o out.glb
  sinew skin anim.pc2 --rest rest.obj --start rig.glb --solve weights -o out.glb
  sinew skin anim.pc2 --rest rest.obj --weights tsvd -o out.sinew
  sinew skin anim.pc2 --rest rest.obj --method fesam --bones 30 -o out.glb")]
pub struct SkinArgs {
    #[command(flatten)]
    source: SourceArgs,

    #[arg(short, long, value_name = "FILE", help = output_help("rig"))]
    output: Option<PathBuf>,

    #[command(flatten)]
    format: RigFormatArgs,

    /// The pose that bones deform: file is the given mesh, first the first frame, a number that frame (counted
    /// from 0); auto is the given mesh or else the first frame, and with sma the best of some frames
    #[arg(long, value_name = "auto|file|first|N", default_value = "auto")]
    rest_pose: RestPoseChoice,

    /// How bones and weights are found [default: best; sma where an option of sma alone is given]
    #[arg(long, value_parser = one_of::<MethodName>())]
    method: Option<MethodName>,

    /// The most rounds of fesam and pps; they end earlier when the error falls no more
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ROUNDS)]
    rounds: usize,

    /// Rotation tolerance of sma: smaller finds more bones, down to where hardly any triangles move alike
    /// [default: 0.05]
    #[arg(long, value_name = "E", allow_negative_numbers = true)]
    epsilon: Option<f64>,

    /// Exactly so many bones [default: as many as the animation needs; with sad, fesam and pps 30]
    #[arg(long, value_name = "N")]
    bones: Option<usize>,

    /// Take bones and their motion from this rig and solve only weights and corrections
    #[arg(long, value_name = "RIG.glb", conflicts_with_all = ["bones", "rest_pose"])]
    bones_from: Option<PathBuf>,

    /// Rigid bones turn and shift, flexible ones stretch and shear too [default: flexible, or as --start has them]
    #[arg(long, value_parser = one_of::<BoneKind>())]
    kind: Option<BoneKind>,

    /// Which triangles sma fits bones to: those that move alike (the paper's), or all, each with the bone that
    /// predicts it best [default: refined]
    #[arg(long, value_parser = one_of::<CoreSets>())]
    core: Option<CoreSets>,

    /// How sma solves weights. tsvd fits closer with weights below zero, which GLB cannot store but .sinew
    /// can
    #[arg(long, value_parser = one_of::<WeightMethod>(), default_value_t)]
    weights: WeightMethod,

    /// Let nnls weights fall to -D. Above 0 they cannot be stored in GLB, but in .sinew
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_negative_numbers = true)]
    min_weight: f64,

    /// The most influences on a vertex; every engine keeps 4, some 8 or more [default: 4]
    #[arg(long, value_name = "K")]
    influences: Option<usize>,

    /// Number of correction shapes, stored as morph targets [default: 0]
    #[arg(long, value_name = "R")]
    rank: Option<usize>,

    /// Store less, with no vertex off by more than this many percent of the mesh's diagonal
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0.01")]
    compact: Option<f64>,

    /// The working set: of animations whose frames take more, the rig is learnt from as many frames as fit, evenly
    /// over all, and then taken through all; memory stays below twice this and 64 MB. Bytes, or a number with MB or GB
    #[arg(long, value_name = "SIZE", default_value = "2GB", value_parser = bytes)]
    memory: u64,

    /// Only the I-th of N parts of the frames, of an animation beyond the working set: parts may be done at once on machines that
    /// share the folder of the output, and become the rig when the last of them is there
    #[arg(long, value_name = "I/N", requires = "output")]
    shard: Option<Shard>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,

    #[command(flatten)]
    shapes: ShapeArgs,

    #[command(flatten)]
    best: BestArgs,

    #[command(flatten)]
    goal: GoalArgs,
}

/// What `--start` may be, from the table of segmenters.
fn start_help(long: bool) -> String {
    let all: Vec<&str> = words(Role::Start).map(|(word, _)| word).collect();
    let mut help = format!(
        "What bones are made of at first: {}, or a rig whose bones, weights and rest pose are improved",
        all.join(", ")
    );
    if long {
        for (word, segmenter) in words(Role::Start) {
            help += &format!("\n- {word}: {}", segmenter.facts().about);
        }
    }
    help
}

/// Options of method best.
#[derive(Args)]
#[command(next_help_heading = "Method best")]
struct BestArgs {
    /// Leave the rest pose as it is, instead of moving each vertex to where the bones serve it best
    #[arg(long)]
    keep_rest: bool,

    /// How smooth weights are over the surface; 0 leaves them as the error wants them. The report says what it
    /// costs
    #[arg(long, value_name = "S", default_value_t = 1.0, allow_negative_numbers = true)]
    smooth: f64,

    /// How long to look for the least error
    #[arg(long, value_parser = one_of::<Effort>(), default_value_t)]
    effort: Effort,

    /// How much each vertex counts: a text file with a number for each, a PNG picture laid over the UVs, or the name of a
    /// colour or another attribute of the mesh
    #[arg(long, value_name = "MAP")]
    importance: Option<PathBuf>,

    /// Let this share of the bones' motions, over all frames but the rest pose, be exactly none
    #[arg(long, value_name = "PERCENT", value_parser = percent, allow_negative_numbers = true)]
    sparse: Option<f64>,

    /// What is to be small: the mean error (2), larger errors more than others (up to 12), or the largest (max)
    #[arg(long, value_name = "2..12|max", default_value = "2")]
    norm: NormChoice,

    #[arg(long, value_name = "START|RIG", default_value = "turns", help = start_help(false), long_help = start_help(true))]
    start: String,

    /// What may change of the rig that --start names
    #[arg(long, value_parser = one_of::<Solve>(), value_name = "PART")]
    solve: Option<Solve>,

    /// Bones of the starting rig that keep their motion: names or numbers, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    lock_bones: Vec<String>,

    /// Vertices that keep the weights and rest position of the starting rig: a text file with numbers from 0 and
    /// ranges such as 10-20, separated by spaces, commas or lines; # begins a comment
    #[arg(long, value_name = "FILE.txt")]
    lock_vertices: Option<PathBuf>,
}

/// Options of meshes with shapes.
#[derive(Args)]
#[command(next_help_heading = "Shapes")]
struct ShapeArgs {
    /// Take the shapes of the mesh (morph targets, blend shapes), each a pose, and make one clip of each. This is done
    /// anyway where nothing moves
    #[arg(long)]
    shapes: bool,

    /// Shapes that count as one more together: smile+jaw_open. May be given several times
    #[arg(long, value_name = "A+B")]
    combine: Vec<String>,

    /// Write what each bone does in each shape, for engines that drive bones by the weights of shapes
    #[arg(long, value_name = "FILE.json")]
    table: Option<PathBuf>,
}

/// A share such as 90% or 90.
fn percent(text: &str) -> Result<f64, String> {
    let digits = text.strip_suffix('%').unwrap_or(text).trim();
    digits.parse().map_err(|_| "give a number of percent, such as 90%".to_owned())
}

/// Options that leave bones, influences and correction shapes to a search.
#[derive(Args)]
#[command(next_help_heading = "Choosing")]
struct GoalArgs {
    /// The smallest file with at most this error, in percent of the motion
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    target_error: Option<f64>,

    /// The smallest file in which no vertex is ever off by more than this: 0.5% of the diagonal, 0.5mm (m, cm), or a number
    /// in units of the source. Lowers the largest errors (--norm max) unless --norm says otherwise
    #[arg(long, value_name = "0.5%|0.5mm", allow_negative_numbers = true)]
    max_error: Option<Largest>,

    /// The file with the least error of at most this size: bytes, or a number with kB, KB, MB, GB, KiB, MiB or GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    budget: Option<u64>,

    /// Draw what was tried: error against size
    #[arg(long, value_name = "FILE.png")]
    plot: Option<PathBuf>,
}

impl GoalArgs {
    fn goal(&self) -> Outcome<Option<FitGoal>> {
        match (self.target_error, self.max_error, self.budget) {
            (Some(_), _, Some(_)) => CliError::refused(
                "--target-error asks for the smallest rig and --budget for the best of a size: give one of them",
            ),
            (_, Some(_), Some(_)) => CliError::refused(
                "--max-error asks for the smallest rig and --budget for the best of a size: give one of them",
            ),
            (Some(_), Some(_), _) => {
                CliError::refused("--target-error and --max-error each ask for a rig: give one of them")
            }
            (Some(percent), ..) => Ok(Some(FitGoal::Error(percent))),
            (_, Some(largest), _) => Ok(Some(FitGoal::Largest(largest))),
            (.., bytes) => Ok(bytes.map(FitGoal::Bytes)),
        }
    }
}

impl BestArgs {
    /// What bones are made of at first, or the rig they come from.
    fn start(&self) -> Outcome<(Option<StartSegmenter>, Option<PathBuf>)> {
        let path = Path::new(&self.start);
        match self.start.parse::<StartSegmenter>() {
            Ok(start) => Ok((Some(start).filter(|start| *start != StartSegmenter::default()), None)),
            Err(_) if path.exists() => Ok((None, Some(path.into()))),
            Err(unknown) => CliError::refused(format!(
                "--start {}: there is no such file; give {} or a rig",
                self.start,
                unknown.known.join(", ")
            )),
        }
    }
}

impl SkinArgs {
    fn fit(&self) -> Outcome<Fit> {
        let best = &self.best;
        let (start, start_rig) = best.start()?;
        Ok(Fit {
            method: self.method,
            bones: self.bones,
            kind: self.kind,
            influences: self.influences,
            rank: self.rank,
            rest_pose: self.rest_pose,
            goal: self.goal.goal()?,
            bones_from: self.bones_from.clone(),
            start,
            start_rig,
            solve: best.solve,
            lock_bones: best.lock_bones.clone(),
            lock_vertices: best.lock_vertices.clone(),
            keep_rest: best.keep_rest,
            effort: Some(best.effort).filter(|effort| *effort != Effort::default()),
            norm: Some(best.norm).filter(|norm| *norm != NormChoice::default()),
            importance: best.importance.clone(),
            sparse: best.sparse,
            smooth: Some(best.smooth).filter(|smooth| *smooth != 1.0),
            rounds: Some(self.rounds).filter(|rounds| *rounds != DEFAULT_ROUNDS),
            epsilon: self.epsilon,
            core: self.core,
            weights: Some(self.weights).filter(|weights| *weights != WeightMethod::default()),
            min_weight: Some(self.min_weight).filter(|bound| *bound != 0.0),
        })
    }
}

impl Command for SkinArgs {
    type Job = SkinJob;

    fn job(&self) -> Outcome<SkinJob> {
        check_compact(self.compact, &self.source.inputs)?;
        Ok(SkinJob {
            source: self.source.source(),
            fit: self.fit()?,
            output: self.output.as_deref().map(|output| self.format.of(output)).transpose()?,
            shapes: self.shapes.shapes,
            combine: self.shapes.combine.clone(),
            table: self.shapes.table.clone(),
            compact: self.compact,
            memory: Some(self.memory),
            shard: self.shard,
            plot: self.goal.plot.as_deref().map(|plot| always("png", plot)),
            report: self.report.clone(),
        })
    }
}

impl InWords for SkinJob {
    fn table(&self, report: &SkinReport) -> Table {
        let mut table = table(report);
        table.files("wrote", &self.targets());
        table
    }
}

/// A report in words, without the files.
pub fn table(report: &SkinReport) -> Table {
    let mut table = Table::default();
    table.row("mesh", mesh_in_words(report.vertices, report.triangles, report.frames));
    if let Some(LearntFrom { frames, working_set }) = report.learnt_from {
        let (frames, set) = (count(frames, "frame", "frames"), size(working_set));
        table.row("learnt from", format!("{frames}, as many as the working set of {set} holds (--memory)"));
    }
    if let Some(ShardReport { shard, missing }) = &report.part {
        let others = count(missing.len(), "other is", "others are");
        table.row("part", format!("{shard}; {others} not there yet, and the last to come writes the rig"));
    }
    if report.fps_assumed && report.frames > 1 {
        table.row("rate", assumed_rate_in_words(report.fps));
    }
    unit_row(&report.units, &mut table);
    table.row("rest pose", rest_pose_in_words(&report.rest_pose));
    let asked = report.bones_asked.map(|n| format!(" of {n} asked for")).unwrap_or_default();
    let rigid = report.near_rigid_fraction.map(|f| format!(", near-rigid fraction {f:.2}"));
    let joints = more_joints(report.bones, report.file_joints);
    table.row("bones", format!("{}{asked}{}{joints}", report.bones, rigid.unwrap_or_default()));
    table.row("influences", format!("{} a vertex{}", report.influences, shapes_in_words(report.rank)));
    error_rows(&report.error, &mut table);
    engine_rows(&report.engines, "", &mut table);
    if report.shapes.is_empty() {
        table.list("clips", &clips_in_words(&report.clips));
    } else {
        table.list("shapes", &shapes_of_face(report));
    }
    table.list("rounds", &rounds_in_words(&report.rounds));
    table.list("choices", &choices_in_words(&report.choices));
    let s = &report.seconds;
    let stages = [
        ("read", s.read),
        ("segment", s.segment),
        ("bones", s.bones),
        ("weights", s.weights),
        ("corrections", s.corrections),
        ("all frames", s.follow),
        ("write", s.write),
    ];
    table.row("time", seconds_in_words(s.total, &stages));
    let output = report.bytes.output.map(|b| format!(", {} out", size(b))).unwrap_or_default();
    table.row("size", format!("{} in{output}", size(report.bytes.input)));
    if let Some(peak) = report.peak_memory {
        table.row("memory", format!("{} at most", size(peak)));
    }
    table.list("warning", &warnings(&report.warnings));
    table
}

/// How many shapes became clips, what moves in them, and those that are farthest off.
fn shapes_of_face(report: &SkinReport) -> Vec<String> {
    const MOST: usize = 3;
    let shapes = &report.shapes;
    let (moving, all): (usize, usize) =
        (shapes.iter().map(|shape| shape.moving).sum(), shapes.len() * report.bones);
    let still = 100.0 * (all - moving.min(all)) as f64 / all.max(1) as f64;
    let clips = count(shapes.len(), "clip", "clips");
    let mut lines = vec![format!(
        "{clips} from rest to a shape each; bones move in {moving} of {all} places, {} % stand still",
        number(still)
    )];
    let mut worst: Vec<&ShapeReport> = shapes.iter().collect();
    worst.sort_by(|a, b| b.max.total_cmp(&a.max));
    let line = |shape: &&ShapeReport| {
        format!("{}: {} % of the diagonal at most, {} bones", shape.name, number(shape.max), shape.moving)
    };
    lines.extend(worst.iter().take(MOST).map(line));
    lines
}

fn shapes_in_words(rank: usize) -> String {
    match rank {
        0 => String::new(),
        n => format!(", {}", count(n, "correction shape", "correction shapes")),
    }
}

fn rest_pose_in_words(rest_pose: &str) -> String {
    match rest_pose {
        "file" => "the given mesh".into(),
        "first" => "the first frame".into(),
        "rig" => "that of the given rig".into(),
        frame => format!("frame {frame}"),
    }
}

/// One line for each part of the work.
fn rounds_in_words(rounds: &[RoundReport]) -> Vec<String> {
    rounds
        .chunk_by(|a, b| a.part == b.part)
        .filter(|part| part.len() > 1)
        .map(|part| {
            let steps = count(part.len() - 1, "round", "rounds");
            let on = match part[0].part {
                "sample" => " on a sample of the vertices",
                "some frames" => " on some of the frames",
                "smoothing" => " of smoothing",
                _ => "",
            };
            let (first, last) = (part[0].percent, part[part.len() - 1].percent);
            format!("{} % to {} % in {steps}{on}", number(first), number(last))
        })
        .collect()
}

/// The rigs on the Pareto front, one a line, and how many there were.
fn choices_in_words(choices: &[ChoiceReport]) -> Vec<String> {
    let line = |c: &ChoiceReport| {
        let mark = if c.chosen { "  <- chosen" } else { "" };
        let (percent, bytes) = (format!("{:.3} %", c.percent), size(c.bytes));
        let largest = format!("largest {:.3} %", c.max);
        let influences = count(c.influences, "influence", "influences");
        let shapes = shapes_in_words(c.rank);
        format!("{bytes:>9}  {percent:>8}  {largest:>15}  {} {}, {influences}{shapes}{mark}", c.bones, c.kind)
    };
    let mut lines: Vec<String> = choices.iter().filter(|c| c.on_pareto_front || c.chosen).map(line).collect();
    if choices.len() > lines.len() {
        lines.push(format!("the best of {} that were fitted", choices.len()));
    }
    lines
}
