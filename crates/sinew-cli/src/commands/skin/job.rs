//! From what `sinew skin` is told to what it does.

use std::path::PathBuf;

use clap::ValueEnum;
use sinew::animation::MeshAnimation;
use sinew::rig::Rig;
use sinew::skin::{
    BestOptions, BoneKind, CoreSets, DescentOptions, MethodOptions, Scheme, SkinOptions, WeightMethod,
    WeightOptions,
};
use sinew_io::open::OpenOptions;

use super::args::{Core, Kind, Method, SkinArgs, Weights};
use super::best::BestJob;
use super::choose::{ChooseJob, Fixed};
use crate::error::{CliError, Outcome};
use crate::report::SkinReport;
use crate::rig_file::{self, has_extension};

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

/// Checks that options go together, before any work.
pub(super) fn job(args: &SkinArgs) -> Outcome<Job> {
    let method = method(args)?;
    if args.output.is_none() && args.report.is_none() {
        return CliError::refused(
            "there is nowhere to put the result: give -o FILE.glb, --report FILE.json or both",
        );
    }
    if let Some(output) = &args.output {
        rig_file::check_name(output, args.compact)?;
        let negative = match args.weights {
            Weights::Tsvd => Some("--weights tsvd makes"),
            Weights::Nnls if args.min_weight > 0.0 => Some("--min-weight above 0 allows"),
            Weights::Nnls => None,
        };
        if let Some(negative) = negative.filter(|_| has_extension(output, "glb")) {
            return CliError::refused(format!(
                "{negative} negative weights, which glTF cannot store; write -o FILE.sinew, which can, or use \
                 --weights nnls with --min-weight 0, or leave out -o and give --report FILE.json to measure \
                 without a file"
            ));
        }
    }
    crate::source::check_compact(args.compact, &args.source.inputs)?;
    rig_file::check_compact(args.compact)?;
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
    Ok(Job {
        inputs: args.source.inputs.clone(),
        open: args.source.options(),
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

/// Bones of methods that need a number and were given none.
const DEFAULT_BONES: usize = 30;
