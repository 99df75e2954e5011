//! `sinew skin`: an animation becomes a rig.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use sinew::animation::{AnimationError, Measured, MeshAnimation, compare};
use sinew::geometry::corner_normals;
use sinew::progress::Progress;
use sinew::rig::{Player, Rig};
use sinew::skin::{
    BestOptions, BoneKind, CoreSets, DEFAULT_ROUNDS, DescentOptions, GivenBones, MethodOptions, MethodSkin,
    RestPose, Scheme, SkinError, SkinOptions, Skinned, WeightMethod, WeightOptions, skin, skin_best,
    skin_with,
};
use sinew_io::glb::{self, SampleOptions, WriteOptions};
use sinew_io::open::{self, OpenOptions, Opened};
use sinew_io::sinew_file::{self, Stored};

use super::best::{BestArgs, BestJob};
use super::chain::chain_report;
use super::choose::{ChooseArgs, ChooseJob, Fixed, choice_reports};
use crate::console::{number, print};
use crate::error::{CliError, Outcome};
use crate::facts::{loose_in_words, loose_vertices};
use crate::pair::rig_like;
use crate::progress::Session;
use crate::report::{
    ClipReport, RoundReport, SkinBytes, SkinReport, SkinSeconds, clip_reports, peak_memory, write_json,
};
use crate::target;

/// Turn an animation into a rig
///
/// Finds bones, weights and, on request, corrections that replay the animation, and writes them as a
/// skinned, animated GLB file or, in full, as .sinew.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew skin anim.pc2 --rest rest.obj -o horse.glb
  sinew skin frames/ -o out.glb --bones 24 --rank 8 --report out.json
  sinew skin 'scan_*.ply' --fps 30 --kind rigid -o out.glb
  sinew skin anim.pc2 --rest rest.obj --target-error 1.0 --plot sizes.png -o out.glb
  sinew skin anim.pc2 --rest rest.obj --budget 300KB -o out.glb
  sinew skin walk.pc2 run.pc2 --rest rest.obj -o out.glb
  sinew skin anim.pc2 --rest rest.obj --start rig.glb --solve weights -o out.glb
  sinew skin anim.pc2 --rest rest.obj --weights tsvd -o out.sinew
  sinew skin anim.pc2 --rest rest.obj --method fesam --bones 30 -o out.glb")]
pub struct SkinArgs {
    /// A point cache (PC2, MDD), a folder or pattern of OBJ or PLY frames, several such files (taken in
    /// the order of their numbers), a GLB or a .sinew file; several of these are clips of one rig
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The rig to write: a GLB file, or .sinew, which keeps every number as it was solved
    #[arg(short, long, value_name = "FILE.glb|FILE.sinew")]
    output: Option<PathBuf>,

    /// The mesh that goes with a point cache (OBJ, PLY, GLB): faces, UVs, materials and a pose
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Scale the rest mesh by this first, when it is in other units than the animation
    #[arg(long, value_name = "F", requires = "rest")]
    rest_scale: Option<f64>,

    /// The pose that bones deform: file is the given mesh, first the first frame, a number that frame (counted
    /// from 0); auto is the given mesh or else the first frame, and with sma the best of some frames
    #[arg(long, value_name = "auto|file|first|N", default_value = "auto", value_parser = rest_pose)]
    rest_pose: RestPose,

    /// How bones and weights are found [default: best; sma where an option of sma alone is given]
    #[arg(long, value_enum)]
    method: Option<Method>,

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
    #[arg(long, value_enum)]
    kind: Option<Kind>,

    /// Which triangles sma fits bones to: those that move alike (the paper's), or all, each with the bone that
    /// predicts it best [default: refined]
    #[arg(long, value_enum)]
    core: Option<Core>,

    /// How sma solves weights. tsvd fits closer with weights below zero, which GLB cannot store but .sinew
    /// can
    #[arg(long, value_enum, default_value_t)]
    weights: Weights,

    /// Let nnls weights fall to -D. Above 0 they cannot be stored in GLB, but in .sinew
    #[arg(long, value_name = "D", default_value_t = 0.0, allow_negative_numbers = true)]
    min_weight: f64,

    /// The most influences on a vertex; engines take 4, some 8 [default: 4]
    #[arg(long, value_name = "K")]
    influences: Option<usize>,

    /// Number of correction shapes, stored as morph targets [default: 0]
    #[arg(long, value_name = "R")]
    rank: Option<usize>,

    /// Frames per second; needed for caches and sequences that do not say [default: 24]
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// Clip of a GLB or .sinew input, by name or number; several times for several, "all" for all
    #[arg(long = "clip", value_name = "NAME")]
    clips: Vec<String>,

    /// Store less, with no vertex off by more than this many percent of the mesh's diagonal
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true, default_missing_value = "0.01")]
    compact: Option<f64>,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,

    #[command(flatten)]
    best: BestArgs,

    #[command(flatten)]
    choose: ChooseArgs,
}

impl SkinArgs {
    fn influences(&self) -> usize {
        self.influences.unwrap_or(DescentOptions::default().influences)
    }

    fn rank(&self) -> usize {
        self.rank.unwrap_or(0)
    }
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Method {
    /// The least error: bones, weights and rest pose in turn until nothing moves
    Best,
    /// Skinning Mesh Animations (James and Twigg 2005)
    Sma,
    /// Skinning Arbitrary Deformations (Kavan et al. 2007): bones spread evenly over the surface, for
    /// motion of any kind
    Sad,
    /// Fast and Efficient Skinning of Animated Meshes (Kavan et al. 2010): bones grown where the motion
    /// needs them, then rounds of weights, transforms and rest pose
    Fesam,
    /// Pose-to-Pose Skinning (Vasilakis et al. 2016): as fesam, but every pose is made from the one before.
    /// GLB cannot store that
    Pps,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Kind {
    Rigid,
    #[default]
    Flexible,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Core {
    Modes,
    #[default]
    Refined,
}

#[derive(Clone, Copy, Default, PartialEq, ValueEnum)]
enum Weights {
    #[default]
    Nnls,
    Tsvd,
}

fn rest_pose(text: &str) -> Result<RestPose, String> {
    match text {
        "auto" => Ok(RestPose::Auto),
        "file" => Ok(RestPose::Given),
        "first" => Ok(RestPose::Frame(0)),
        n => n.parse().map(RestPose::Frame).map_err(|_| "give auto, file, first or a frame number".into()),
    }
}

/// Everything a run of `skin` needs to know, for other commands to fill in.
pub struct Job {
    pub inputs: Vec<PathBuf>,
    pub open: OpenOptions,
    pub options: SkinOptions,
    pub bones_from: Option<PathBuf>,
    /// The method; sma takes `options`.
    pub method: Chosen,
    pub output: Option<PathBuf>,
    /// Largest error a compact file may add, as a fraction of the diagonal.
    pub compact: Option<f64>,
}

/// A method with its options.
pub enum Chosen {
    Sma,
    Best(Box<BestJob>),
    /// Best, for a goal instead of a number of bones.
    Search(Box<ChooseJob>),
    Other(MethodOptions),
}

/// What a run of `skin` made.
pub struct Done {
    pub animation: MeshAnimation,
    pub rig: Rig,
    pub report: SkinReport,
}

/// Runs the command.
pub fn run(args: &SkinArgs, session: &Session) -> Outcome<()> {
    let job = job(args)?;
    target::check(&[args.output.as_deref(), args.report.as_deref(), args.choose.plot()])?;
    let report = match &job.method {
        Chosen::Other(method) if method.scheme == Scheme::PoseToPose => chain_report(&job, method, session)?,
        _ => perform(job, session)?.report,
    };
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    session.finish();
    if session.quiet {
        return Ok(());
    }
    let mut table = report.table();
    table.list(
        "wrote",
        &[args.output.as_deref(), args.report.as_deref(), args.choose.plot()]
            .into_iter()
            .flatten()
            .map(|p| p.display().to_string())
            .collect::<Vec<_>>(),
    );
    print(&table.text())
}

/// Checks that options go together, before any work.
fn job(args: &SkinArgs) -> Outcome<Job> {
    let method = method(args)?;
    if args.output.is_none() && args.report.is_none() {
        return CliError::refused(
            "there is nowhere to put the result: give -o FILE.glb, --report FILE.json or both",
        );
    }
    if let Some(output) = &args.output {
        let is = |ending: &str| has_extension(output, ending);
        if !is("glb") && !is("sinew") {
            return CliError::refused(format!(
                "{}: rigs are written as GLB or .sinew; name the file *.glb or *.sinew",
                output.display()
            ));
        }
        if is("sinew") && args.compact.is_some() {
            return CliError::refused("--compact is for GLB files; .sinew keeps every number as it is");
        }
        let negative = match args.weights {
            Weights::Tsvd => Some("--weights tsvd makes"),
            Weights::Nnls if args.min_weight > 0.0 => Some("--min-weight above 0 allows"),
            Weights::Nnls => None,
        };
        if let Some(negative) = negative.filter(|_| is("glb")) {
            return CliError::refused(format!(
                "{negative} negative weights, which glTF cannot store; write -o FILE.sinew, which can, or use \
                 --weights nnls with --min-weight 0, or leave out -o and give --report FILE.json to measure \
                 without a file"
            ));
        }
    }
    let is_number =
        |path: &&PathBuf| path.to_str().is_some_and(|t| t.parse::<f64>().is_ok()) && !path.exists();
    if let (Some(_), Some(stray)) = (args.compact, args.inputs.iter().find(is_number)) {
        return CliError::refused(format!(
            "there is no file {0}; --compact takes its number after an equals sign: --compact={0}",
            stray.display()
        ));
    }
    if let Some(percent) = args.compact.filter(|p| !(*p > 0.0 && p.is_finite())) {
        return CliError::refused(format!("--compact takes a positive number of percent, not {percent}"));
    }
    let options = SkinOptions {
        epsilon: args.epsilon.unwrap_or(SkinOptions::default().epsilon),
        bones: args.bones,
        bones_from: None,
        kind: bone_kind(args).unwrap_or_default(),
        core: match args.core {
            Some(Core::Modes) => CoreSets::Modes,
            Some(Core::Refined) | None => CoreSets::Refined,
        },
        weights: WeightOptions {
            method: match args.weights {
                Weights::Nnls => WeightMethod::Nnls,
                Weights::Tsvd => WeightMethod::Tsvd,
            },
            influences: args.influences(),
            negative_bound: args.min_weight,
        },
        rank: args.rank(),
        rest_pose: args.rest_pose,
    };
    let open = OpenOptions {
        rest: args.rest.clone(),
        rest_scale: args.rest_scale,
        fps: args.fps,
        clips: args.clips.clone(),
        weld: None,
    };
    Ok(Job {
        inputs: args.inputs.clone(),
        open,
        options,
        bones_from: args.bones_from.clone(),
        method,
        output: args.output.clone(),
        compact: args.compact.map(|percent| percent / 100.0),
    })
}

fn bone_kind(args: &SkinArgs) -> Option<BoneKind> {
    args.kind.map(|kind| match kind {
        Kind::Rigid => BoneKind::Rigid,
        Kind::Flexible => BoneKind::Flexible,
    })
}

/// The method asked for, or the one that the options are for.
fn method(args: &SkinArgs) -> Outcome<Chosen> {
    let of_sma = [
        (args.weights == Weights::Tsvd, "--weights tsvd"),
        (args.min_weight != 0.0, "--min-weight"),
        (args.epsilon.is_some(), "--epsilon"),
        (args.core.is_some(), "--core"),
    ];
    let for_sma = of_sma.iter().find(|(given, _)| *given).map(|(_, name)| *name);
    let method = args.method.unwrap_or(if for_sma.is_some() { Method::Sma } else { Method::Best });
    let name = method.to_possible_value().map(|v| v.get_name().to_owned()).unwrap_or_default();
    if let Some(option) = for_sma.filter(|_| method != Method::Sma) {
        return CliError::refused(format!("--method {name} knows no {option}; it goes with --method sma"));
    }
    let of_best = args.best.given().or(args.choose.given());
    if let Some(option) = of_best.filter(|_| method != Method::Best) {
        let why = for_sma
            .filter(|_| args.method.is_none())
            .map_or(String::new(), |o| format!(" ({o} asks for it)"));
        return CliError::refused(format!(
            "--method {name}{why} knows no {option}; it goes with --method best"
        ));
    }
    match method {
        Method::Sma => Ok(Chosen::Sma),
        Method::Best => best(args),
        _ => other(args, method),
    }
}

/// Options of method best.
fn best(args: &SkinArgs) -> Outcome<Chosen> {
    let options = BestOptions {
        bones: args.bones,
        rank: args.rank(),
        rest_pose: args.rest_pose,
        descent: DescentOptions { influences: args.influences(), ..DescentOptions::default() },
        ..BestOptions::default()
    };
    let job = match &args.bones_from {
        Some(rig) => match args.best.given() {
            Some(option) => {
                return CliError::refused(format!(
                    "--bones-from and {option} do not go together; use --start"
                ));
            }
            None => BestJob::weights_for(rig.clone(), options),
        },
        None => args.best.job(bone_kind(args), options)?,
    };
    let Some(goal) = args.choose.goal()? else { return Ok(Chosen::Best(Box::new(job))) };
    let fixed = Fixed { kind: bone_kind(args), influences: args.influences, rank: args.rank };
    Ok(Chosen::Search(Box::new(args.choose.job(goal, job, fixed)?)))
}

/// Options of the methods that go round in other ways.
fn other(args: &SkinArgs, method: Method) -> Outcome<Chosen> {
    let bones = args.bones.unwrap_or(DEFAULT_BONES);
    let (name, options) = match method {
        Method::Sad => ("sad", MethodOptions::sad(bones)),
        Method::Fesam => ("fesam", MethodOptions::fesam(bones)),
        Method::Pps => {
            ("pps", MethodOptions { look_ahead: true, ..MethodOptions::fesam(bones).pose_to_pose() })
        }
        Method::Best | Method::Sma => return Ok(Chosen::Sma),
    };
    let unknown = [
        (bone_kind(args) == Some(BoneKind::Rigid), "--kind rigid"),
        (args.bones_from.is_some(), "--bones-from"),
    ];
    if let Some((_, option)) = unknown.iter().find(|(given, _)| *given) {
        return CliError::refused(format!("--method {name} knows no {option}; it goes with --method best"));
    }
    if options.scheme == Scheme::PoseToPose {
        if args.rank() > 0 {
            return CliError::refused("--method pps has no correction shapes; leave out --rank");
        }
        if let Some(output) = args.output.as_ref().filter(|o| has_extension(o, "glb")) {
            return CliError::refused(format!(
                "{}: GLB cannot store bones that lead from pose to pose; name the file *.sinew, or leave out -o \
                 and give --report FILE.json to measure without one",
                output.display()
            ));
        }
    }
    let rounds = if options.rounds == 0 { 0 } else { args.rounds };
    Ok(Chosen::Other(MethodOptions {
        influences: args.influences(),
        rank: args.rank(),
        rest_pose: args.rest_pose,
        rounds,
        ..options
    }))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

/// Bones of methods that need a number and were given none.
const DEFAULT_BONES: usize = 30;

/// Reads, skins, writes and measures.
pub fn perform(job: Job, session: &Session) -> Outcome<Done> {
    let begun = Instant::now();
    session.stage("reading");
    let opened = open::animation(&job.inputs, &job.open, session).map_err(|e| interrupted(e, session))?;
    let mut options = job.options;
    let mut warnings = opened.warnings.clone();
    if let (Some(path), Chosen::Sma) = (&job.bones_from, &job.method) {
        let (bones, said) = given_bones(path, &opened)?;
        options.bones_from = Some(bones);
        warnings.extend(said);
    }
    let mut from_rig = options.bones_from.is_some();
    let mut read = begun.elapsed().as_secs_f64();
    let mut choices = Vec::new();

    let skinned = match &job.method {
        Chosen::Sma => skin(&opened.animation, &options, session).map(Some),
        Chosen::Best(best) => {
            let (options, said) = best.with_files(&opened)?;
            from_rig = best.rig.is_some();
            warnings.extend(said);
            read = begun.elapsed().as_secs_f64();
            skin_best(&opened.animation, &options, session).map(Some)
        }
        Chosen::Search(search) => {
            let found = search.run(&opened, &job.open, job.output.as_deref(), job.compact, session)?;
            choices = choice_reports(&found);
            Ok(Some(found.skinned))
        }
        Chosen::Other(method) => skin_with(&opened.animation, method, session).map(MethodSkin::into_skinned),
    };
    let Some(skinned) = skinned.map_err(|e| explain(e, &opened, &job.open))? else {
        return CliError::refused("bones that lead from pose to pose make no rig");
    };
    session.check()?;

    let clock = Instant::now();
    let mut measured = Measured { error: skinned.error, per_frame: skinned.error_per_frame.clone() };
    let mut clips = None;
    let mut output = None;
    if let Some(path) = &job.output {
        session.stage("writing");
        // A goal is kept by the file, not only by what was meant to be in it.
        let measure = job.compact.is_some() || !choices.is_empty();
        let written = write(path, &skinned, &opened, job.compact, measure, session)?;
        output = Some(written.bytes);
        warnings.extend(written.warnings);
        if let Some((whole, of_clips)) = written.measured {
            (measured, clips) = (whole, Some(of_clips));
        }
    }
    if let Chosen::Search(search) = &job.method {
        search.draw(&choices)?;
    }
    let clips = clips.unwrap_or_else(|| clip_reports(&opened.animation, &Player::new(&skinned.rig)));
    let write = clock.elapsed().as_secs_f64();

    warnings.extend(skinned.warnings.iter().cloned());
    warnings.extend(advice(&skinned, &measured));
    let seconds = SkinSeconds {
        read,
        segment: skinned.seconds.segment,
        bones: skinned.seconds.bones,
        weights: skinned.seconds.weights,
        corrections: skinned.seconds.corrections,
        write,
        total: begun.elapsed().as_secs_f64(),
    };
    let bytes = SkinBytes { input: opened.input_bytes, output };
    let mut report = report(&skinned, options.bones, (measured, clips), seconds, bytes, warnings);
    report.choices = choices;
    if from_rig {
        report.rest_pose = "rig".into();
    }
    Ok(Done { animation: opened.animation, rig: skinned.rig, report })
}

fn report(
    skinned: &Skinned,
    bones_asked: Option<usize>,
    (measured, clips): (Measured, Vec<ClipReport>),
    seconds: SkinSeconds,
    bytes: SkinBytes,
    warnings: Vec<String>,
) -> SkinReport {
    SkinReport {
        rest_pose: rest_pose_name(skinned.rest_pose),
        frames: skinned.rig.frame_count(),
        vertices: skinned.rig.rest.len(),
        triangles: skinned.triangle_count,
        bones: skinned.rig.bones.len(),
        bones_asked,
        near_rigid_fraction: skinned.near_rigid_fraction,
        influences: skinned.rig.weights.most_influences(),
        rank: skinned.rig.rank(),
        error: measured.error.into(),
        error_per_frame: measured.per_frame,
        clips,
        rounds: skinned.rounds.iter().copied().map(RoundReport::from).collect(),
        choices: Vec::new(),
        seconds,
        bytes,
        peak_memory: peak_memory(),
        warnings,
    }
}

/// What `--rest-pose` would take.
pub(super) fn rest_pose_name(pose: RestPose) -> String {
    match pose {
        RestPose::Auto | RestPose::Given => "file".into(),
        RestPose::Frame(0) => "first".into(),
        RestPose::Frame(n) => n.to_string(),
    }
}

/// Bones of a rig, brought to the animation's frames.
fn given_bones(path: &Path, opened: &Opened) -> Outcome<(GivenBones, Vec<String>)> {
    let animation = &opened.animation;
    let (frames, vertices) = (animation.frames.len(), animation.frames.vertex_count());
    let sampled = rig_like(path, vertices, &sampling(animation))?;
    let rig = sampled.rig;
    let wrong = |what: &str, found: usize, expected: usize| {
        CliError::refused(format!(
            "{}: the rig has {found} {what} at {} frames per second, but {} has {expected}",
            path.display(),
            number(animation.fps),
            opened.source
        ))
    };
    if rig.rest.len() != vertices {
        return wrong("vertices", rig.rest.len(), vertices);
    }
    if rig.frame_count() != frames {
        return wrong("frames", rig.frame_count(), frames);
    }
    Ok((GivenBones { bones: rig.bones, transforms: rig.transforms, rest: rig.rest }, sampled.warnings))
}

/// How a rig file is read to have the frames of `animation`.
pub(super) fn sampling(animation: &MeshAnimation) -> SampleOptions {
    match &animation.clips[..] {
        [] => SampleOptions { fps: Some(animation.fps), ..SampleOptions::default() },
        _ => SampleOptions { clips: vec!["all".into()], ..SampleOptions::default() },
    }
}

struct Written {
    bytes: u64,
    warnings: Vec<String>,
    /// How good the file is, as a whole and clip by clip, where it differs from the rig.
    measured: Option<(Measured, Vec<ClipReport>)>,
}

fn write(
    path: &Path,
    skinned: &Skinned,
    opened: &Opened,
    compact: Option<f64>,
    measure: bool,
    session: &Session,
) -> Outcome<Written> {
    let (bytes, warnings) = encode(path, &skinned.rig, opened, compact)?;
    let measured = if measure { Some(measure_file(&bytes, path, &opened.animation)?) } else { None };
    session.check()?;
    let bytes = sinew_io::save(path, |out| out.write_all(&bytes))?;
    Ok(Written { bytes, warnings, measured })
}

/// The bytes of the file that a rig becomes, and what could not be stored as it is.
pub(super) fn encode(
    path: &Path,
    rig: &Rig,
    opened: &Opened,
    compact: Option<f64>,
) -> Outcome<(Vec<u8>, Vec<String>)> {
    let animation = &opened.animation;
    let mesh_pose = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
    // Shading normals were modelled for the pose that came with the mesh and fit no other.
    let keep_normals = rig.rest == mesh_pose;
    if has_extension(path, "sinew") {
        let clip = opened.clip.as_deref().unwrap_or_default();
        if rig.mesh.normals.is_none() || keep_normals {
            return Ok((sinew_file::rig_to_bytes(rig, clip), Vec::new()));
        }
        let mut rig = rig.clone();
        rig.mesh.normals = Some(corner_normals(&rig.mesh, &rig.rest));
        return Ok((sinew_file::rig_to_bytes(&rig, clip), Vec::new()));
    }
    let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let options = WriteOptions { name, clip: opened.clip.clone(), keep_normals, compact };
    Ok(glb::to_bytes(rig, &options)?)
}

/// The error of a file as a reader sees it, rounding and dropped keys included.
pub(super) fn measure_file(
    bytes: &[u8],
    path: &Path,
    animation: &MeshAnimation,
) -> Outcome<(Measured, Vec<ClipReport>)> {
    let rig = match has_extension(path, "sinew") {
        true => match sinew_file::parse(bytes, path)?.stored {
            Stored::Rig(rig) => rig,
            Stored::Chain(_) => return CliError::refused("bones that lead from pose to pose make no rig"),
        },
        false => glb::parse_alone(bytes, path)?.rig(&sampling(animation))?.rig,
    };
    let (frames, vertices) = (animation.frames.len(), animation.frames.vertex_count());
    if rig.frame_count() != frames || rig.rest.len() != vertices {
        return CliError::refused(format!(
            "{}: the written rig has {} frames of {} vertices instead of {frames} of {vertices}",
            path.display(),
            rig.frame_count(),
            rig.rest.len()
        ));
    }
    let player = Player::new(&rig);
    Ok((compare(animation, &player, animation.rest_bounds()), clip_reports(animation, &player)))
}

/// Percent above which a rig is called bad.
const BAD_PERCENT: f64 = 10.0;
/// Morphed attributes that the glTF specification demands of clients.
const MORPHED_ATTRIBUTES: usize = 8;

fn advice(skinned: &Skinned, measured: &Measured) -> Vec<String> {
    let mut said = Vec::new();
    let percent = measured.error.percent;
    if percent > BAD_PERCENT {
        said.push(format!(
            "the rig is {} % off; more --bones bring it closer, and corrections (--rank 8) more so",
            number(percent)
        ));
    }
    if let Some(c) = &skinned.rig.corrections {
        let each = if c.normals.is_empty() { 1 } else { 2 };
        if c.rank * each > MORPHED_ATTRIBUTES {
            said.push(format!(
                "{} correction shapes are more than glTF demands of clients ({}); the strongest come first, \
                 and clients may drop the others",
                c.rank,
                MORPHED_ATTRIBUTES / each
            ));
        }
    }
    let loose = loose_vertices(&skinned.rig.mesh);
    if loose > 0 {
        let kept = if loose == 1 { "it is kept" } else { "they are kept" };
        said.push(format!("{}; {kept}", loose_in_words(loose)));
    }
    said
}

/// A read that Ctrl-C ended is no bad file.
pub(super) fn interrupted(error: sinew_io::Error, session: &Session) -> CliError {
    if session.cancelled() { CliError::Interrupted } else { error.into() }
}

/// Adds the names of files, and what can be done.
pub(super) fn explain(error: SkinError, opened: &Opened, options: &OpenOptions) -> CliError {
    match (error, &options.rest) {
        (SkinError::Cancelled, _) => CliError::Interrupted,
        (SkinError::Animation(AnimationError::Units { ratio }), Some(rest)) => CliError::Refused(format!(
            "{}: the animation is {} times the size of its rest mesh {}: they seem to be in different units \
             (such as metres and centimetres); --rest-scale {} brings the mesh to the animation's units",
            opened.source,
            number(ratio),
            rest.display(),
            number(ratio * options.rest_scale.unwrap_or(1.0))
        )),
        (SkinError::NoGivenRest, _) => CliError::Refused(
            "--rest-pose file takes the pose of the rest mesh, but there is none; give --rest FILE".into(),
        ),
        (error, _) => CliError::Skin { source_name: opened.source.clone(), error },
    }
}
