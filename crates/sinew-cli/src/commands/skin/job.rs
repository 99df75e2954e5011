//! From what `sinew skin` is told to what it does.

use std::path::PathBuf;

use clap::ValueEnum;
use sinew::animation::MeshAnimation;
use sinew::rig::Rig;
use sinew::skin::{
    self, BoneKind, CoreSets, DEFAULT_BONES, PoseToPoseOptions, SkinOptions, SmaOptions, WeightMethod,
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
    /// What more there is to the method than `options`.
    pub method: Chosen,
    pub output: Option<PathBuf>,
    /// Largest error a compact file may add, as a fraction of the diagonal.
    pub compact: Option<f64>,
}

/// What more there is to a method than its options.
pub enum Chosen {
    /// Nothing; sma may take bones from a rig.
    Plain,
    /// Best, with what depends on files.
    Best(Box<BestJob>),
    /// Best, for a goal instead of a number of bones.
    Search(Box<ChooseJob>),
    /// From pose to pose, which makes no rig.
    Chain(PoseToPoseOptions),
}

/// What a run of `skin` made.
pub struct Done {
    pub animation: MeshAnimation,
    pub rig: Rig,
    pub report: SkinReport,
}

/// Checks that options go together, before any work.
pub(super) fn job(args: &SkinArgs) -> Outcome<Job> {
    let (of_library, method) = method(args)?;
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
    rig_file::check_compact(args.compact, &args.source.inputs)?;
    let options = SkinOptions { method: of_library, ..plain(args) };
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

/// The options that all methods know.
fn plain(args: &SkinArgs) -> SkinOptions {
    SkinOptions {
        bones: args.bones,
        kind: bone_kind(args).unwrap_or_default(),
        influences: args.influences(),
        rank: args.rank(),
        rest_pose: args.rest_pose,
        ..SkinOptions::default()
    }
}

fn sma(args: &SkinArgs) -> SmaOptions {
    let usual = SmaOptions::default();
    SmaOptions {
        epsilon: args.epsilon.unwrap_or(usual.epsilon),
        core: match args.core {
            Some(Core::Modes) => CoreSets::Modes,
            Some(Core::Refined) | None => CoreSets::Refined,
        },
        weights: match args.weights {
            Weights::Nnls => WeightMethod::Nnls,
            Weights::Tsvd => WeightMethod::Tsvd,
        },
        negative_bound: args.min_weight,
        ..usual
    }
}

fn bone_kind(args: &SkinArgs) -> Option<BoneKind> {
    args.kind.map(|kind| match kind {
        Kind::Rigid => BoneKind::Rigid,
        Kind::Flexible => BoneKind::Flexible,
    })
}

/// The method asked for, or the one that the options are for.
fn method(args: &SkinArgs) -> Outcome<(skin::Method, Chosen)> {
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
        Method::Sma => Ok((skin::Method::Sma(sma(args)), Chosen::Plain)),
        Method::Best => Ok((skin::Method::default(), best(args)?)),
        Method::Sad | Method::Fesam | Method::Pps => other(args, method, &name),
    }
}

/// Options of method best.
fn best(args: &SkinArgs) -> Outcome<Chosen> {
    let options = plain(args);
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
fn other(args: &SkinArgs, method: Method, name: &str) -> Outcome<(skin::Method, Chosen)> {
    let unknown = [
        (bone_kind(args) == Some(BoneKind::Rigid), "--kind rigid"),
        (args.bones_from.is_some(), "--bones-from"),
    ];
    if let Some((_, option)) = unknown.iter().find(|(given, _)| *given) {
        return CliError::refused(format!("--method {name} knows no {option}; it goes with --method best"));
    }
    if method != Method::Pps {
        let fesam = skin::Method::Fesam { rounds: args.rounds };
        return Ok((if method == Method::Sad { skin::Method::Sad } else { fesam }, Chosen::Plain));
    }
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
    let options = PoseToPoseOptions {
        bones: args.bones.unwrap_or(DEFAULT_BONES),
        influences: args.influences(),
        rest_pose: args.rest_pose,
        rounds: args.rounds,
        ..PoseToPoseOptions::default()
    };
    Ok((skin::Method::default(), Chosen::Chain(options)))
}
