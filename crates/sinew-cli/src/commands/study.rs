//! `sinew study`: figures of papers, drawn again from any animation.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde::Serialize;
use sinew::animation::{Frames, MeshAnimation};
use sinew::progress::Progress;
use sinew::skin::{
    DEFAULT_ROUNDS, Method, PoseToPoseOptions, SkinError, SkinOptions, Skinned, pose_to_pose, skin,
};
use sinew_io::Source;
use sinew_io::open::{self, OpenOptions};
use sinew_jobs::JobError;
use sinew_jobs::pictures::save_png;
use sinew_jobs::target::Staged;
use sinew_picture::{PlotOptions, Series, plot};

use crate::console::{Table, number, print};
use crate::error::{CliError, Outcome};
use crate::progress::Session;
use crate::report::write_json;

/// Draw figures of papers again, from your own animations
#[derive(Args)]
pub struct StudyArgs {
    #[command(subcommand)]
    study: Study,
}

#[derive(Subcommand)]
enum Study {
    Pps(PpsArgs),
}

/// Skinning from pose to pose beside skinning from the rest pose (figures 7 and 8 of the PPS paper)
///
/// For every input two plots and their numbers: the error of each of the first frames in the SAD pipeline,
/// and the error after each round of the FESAM pipeline over all frames, in both schemes. The first frame
/// is the rest pose. Takes a minute or two.
#[derive(Args)]
#[command(after_help = "Example:
  sinew study pps gallop/anim.pc2 collapse/anim.pc2 --rest gallop/rest.obj --rest collapse/rest.obj -o pps")]
pub struct PpsArgs {
    /// Animations, each a study of its own: point caches, GLB files, folders of frames
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The folder to write
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,

    /// The mesh that goes with a point cache; once for all inputs, or once for each in their order
    #[arg(long, value_name = "FILE")]
    rest: Vec<PathBuf>,

    /// Number of bones
    #[arg(long, value_name = "N", default_value_t = 50)]
    bones: usize,

    /// The most influences on a vertex
    #[arg(long, value_name = "K", default_value_t = 4)]
    influences: usize,

    /// Frames in the comparison of single poses
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,

    /// The most rounds of the FESAM pipeline
    #[arg(long, value_name = "N", default_value_t = DEFAULT_ROUNDS)]
    rounds: usize,
}

/// Lines of both figures, in percent of the motion.
#[derive(Serialize)]
struct Numbers {
    input: String,
    name: String,
    vertices: usize,
    frames: usize,
    bones: usize,
    influences: usize,
    /// One number for each of the first frames; their mean square's root is the percent of these frames.
    per_pose: Vec<Line>,
    /// The error of the first fit and after each round, by the paper's equations.
    per_round: Vec<Line>,
    /// The same with steps and weights that look ahead.
    per_round_ahead: Vec<Line>,
}

#[derive(Clone, Serialize)]
struct Line {
    scheme: &'static str,
    percent: Vec<f64>,
    /// Over all poses; after the last round.
    whole: f64,
    seconds: f64,
}

/// Runs the command.
pub fn run(args: &StudyArgs, session: &Session) -> Outcome<()> {
    let Study::Pps(args) = &args.study;
    if args.rest.len() > 1 && args.rest.len() != args.inputs.len() {
        return CliError::refused(format!(
            "--rest was given {} times for {} inputs; give it once for all or once for each",
            args.rest.len(),
            args.inputs.len()
        ));
    }
    let staged = Staged::new(&args.output)?;
    let mut studies = Vec::new();
    for (i, (input, name)) in args.inputs.iter().zip(names(&args.inputs)).enumerate() {
        let rest = args.rest.get(i).or(args.rest.first()).cloned();
        let numbers = study(input, name, rest, args, session)?;
        draw(&numbers, staged.path())?;
        studies.push(numbers);
    }
    write_csv(&staged.path().join("numbers.csv"), &studies)?;
    write_json(&staged.path().join("numbers.json"), &studies)?;
    session.check()?;
    staged.commit()?;
    session.finish();
    if session.quiet { Ok(()) } else { print(&summary(&studies, &args.output)) }
}

/// A different name for each input: that of its file, of its folder where files are named alike, and its
/// number where folders are too.
fn names(inputs: &[PathBuf]) -> Vec<String> {
    let part = |p: Option<&std::ffi::OsStr>| p.map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let files: Vec<String> = inputs.iter().map(|p| part(p.file_stem())).collect();
    let folders: Vec<String> = inputs.iter().map(|p| part(p.parent().and_then(Path::file_name))).collect();
    let single = |list: &[String], i: usize| list.iter().filter(|n| **n == list[i]).count() == 1;
    (0..inputs.len())
        .map(|i| match (single(&files, i), single(&folders, i)) {
            (true, _) if !files[i].is_empty() => files[i].clone(),
            (_, true) if !folders[i].is_empty() => folders[i].clone(),
            _ => format!("{}-{}", files[i], i + 1),
        })
        .collect()
}

fn study(
    input: &Path,
    name: String,
    rest: Option<PathBuf>,
    args: &PpsArgs,
    session: &Session,
) -> Outcome<Numbers> {
    session.stage("reading");
    let open = OpenOptions { rest: rest.map(Source::from), ..OpenOptions::default() };
    let opened = open::animation(&[input.to_path_buf()], &open, session)?;
    let animation = opened.animation;
    let few = first_frames(&animation, args.frames as usize);
    let failed = |error| match error {
        SkinError::Cancelled => JobError::Cancelled,
        error => JobError::Skin { source_name: opened.source.clone(), error },
    };
    let from_rest = |animation: &MeshAnimation, method: Method| {
        let (bones, influences) = (Some(args.bones), args.influences);
        let options = SkinOptions { bones, influences, ..SkinOptions::of(method) };
        skin(animation, &options, session).map_err(failed)
    };
    let stepwise = |animation: &MeshAnimation, options: PoseToPoseOptions| {
        let options = PoseToPoseOptions { bones: args.bones, influences: args.influences, ..options };
        pose_to_pose(animation, &options, session).map_err(failed)
    };
    let sad = PoseToPoseOptions::sad();
    let ahead = PoseToPoseOptions { look_ahead: true, hold_poses: true, rounds: args.rounds, ..sad.clone() };
    let per_pose = vec![
        line(REST_POSE, &from_rest(&few, Method::Sad)?, per_pose_percent),
        line(POSE_TO_POSE, &stepwise(&few, sad)?, per_pose_percent),
        line(AHEAD, &stepwise(&few, ahead)?, per_pose_percent),
    ];
    let schemes = ["pose to pose: rest pose", "pose to pose: weights", "pose to pose: both"];
    let what = [(false, true), (true, false), (true, true)];
    let fesam = line(REST_POSE, &from_rest(&animation, Method::Fesam { rounds: args.rounds })?, rounds_of);
    let rounds = |look_ahead: bool| -> Outcome<Vec<Line>> {
        let mut lines = vec![fesam.clone()];
        for (scheme, (solve_weights, move_rest)) in schemes.into_iter().zip(what) {
            let rounds = args.rounds;
            let options =
                PoseToPoseOptions { rounds, solve_weights, move_rest, look_ahead, ..Default::default() };
            lines.push(line(scheme, &stepwise(&animation, options)?, rounds_of));
        }
        Ok(lines)
    };
    let (per_round, per_round_ahead) = (rounds(false)?, rounds(true)?);
    Ok(Numbers {
        input: input.display().to_string(),
        name,
        vertices: animation.mesh.vertex_count,
        frames: animation.frames.len(),
        bones: args.bones,
        influences: args.influences,
        per_pose,
        per_round,
        per_round_ahead,
    })
}

const REST_POSE: &str = "rest pose";
const POSE_TO_POSE: &str = "pose to pose";
const AHEAD: &str = "pose to pose: looking ahead";

fn line<R>(scheme: &'static str, skin: &Skinned<R>, percent: impl Fn(&Skinned<R>) -> Vec<f64>) -> Line {
    let seconds = skin.seconds.segment + skin.seconds.bones;
    Line { scheme, percent: percent(skin), whole: skin.error.percent, seconds }
}

fn rounds_of<R>(skin: &Skinned<R>) -> Vec<f64> {
    skin.rounds.iter().map(|round| round.percent).collect()
}

/// The error of each pose, scaled so that the mean square's root is the percent of all.
fn per_pose_percent<R>(skin: &Skinned<R>) -> Vec<f64> {
    let squares: f64 = skin.error_per_frame.iter().map(|e| e * e).sum();
    let mean = (squares / skin.error_per_frame.len() as f64).sqrt();
    let scale = if mean > 0.0 { skin.error.percent / mean } else { 0.0 };
    skin.error_per_frame.iter().map(|e| e * scale).collect()
}

fn first_frames(animation: &MeshAnimation, count: usize) -> MeshAnimation {
    let (vertices, count) = (animation.frames.vertex_count(), count.min(animation.frames.len()));
    let flat = animation.frames.flat()[..3 * count * vertices].to_vec();
    MeshAnimation {
        mesh: animation.mesh.clone(),
        rest: animation.rest.clone(),
        frames: Frames::new(flat, count, vertices),
        fps: animation.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

impl Numbers {
    /// Each figure's name, what it shows, what its horizontal axis is, and its lines.
    fn figures(&self) -> [(&'static str, &'static str, &'static str, &[Line]); 3] {
        [
            ("figure-7", "SAD pipeline", "pose", &self.per_pose),
            ("figure-8", "FESAM pipeline", "round", &self.per_round),
            ("figure-8-ahead", "FESAM pipeline, looking ahead", "round", &self.per_round_ahead),
        ]
    }
}

fn draw(numbers: &Numbers, folder: &Path) -> Outcome<()> {
    for (figure, what, x_label, lines) in numbers.figures() {
        let series: Vec<Series> = lines
            .iter()
            .map(|line| Series {
                name: line.scheme.into(),
                points: line.percent.iter().enumerate().map(|(i, &y)| (i as f64, y)).collect(),
            })
            .collect();
        let options = PlotOptions {
            title: format!("{}, {what}, {} bones", numbers.name, numbers.bones),
            x_label: x_label.into(),
            y_label: "error, % of the motion".into(),
            ..PlotOptions::default()
        };
        save_png(&folder.join(format!("{figure}-{}.png", numbers.name)), &plot(&series, &options)?)?;
    }
    Ok(())
}

/// One row for each number, for spreadsheets.
fn write_csv(path: &Path, studies: &[Numbers]) -> Outcome<()> {
    let mut text = String::from("sequence,figure,scheme,index,percent\n");
    for study in studies {
        for (figure, _, _, lines) in study.figures() {
            for line in lines {
                for (i, percent) in line.percent.iter().enumerate() {
                    let name = study.name.replace('"', "\"\"");
                    text.push_str(&format!("\"{name}\",{figure},{},{i},{percent}\n", line.scheme));
                }
            }
        }
    }
    sinew_io::save(path, |out| out.write_all(text.as_bytes()))?;
    Ok(())
}

fn summary(studies: &[Numbers], output: &Path) -> String {
    let mut table = Table::default();
    for study in studies {
        table.row(&study.name, format!("{} vertices, {} frames", study.vertices, study.frames));
        for (figure, _, _, lines) in study.figures() {
            for (i, line) in lines.iter().enumerate() {
                let points = line.percent.len();
                let after = if figure == "figure-7" {
                    format!("over {points} poses")
                } else {
                    format!("after {} rounds, {:.1} s", points - 1, line.seconds)
                };
                let label = if i == 0 { format!("  {figure}") } else { String::new() };
                table.row(&label, format!("{} % {after}: {}", number(line.whole), line.scheme));
            }
        }
    }
    table.row("wrote", output.display().to_string());
    table.text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ() {
        let of = |paths: &[&str]| names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["a/x.pc2", "a/y.pc2"]), ["x", "y"]);
        assert_eq!(of(&["a/x.pc2", "b/x.pc2"]), ["a", "b"]);
        assert_eq!(of(&["a/x.pc2", "a/x.mdd"]), ["x-1", "x-2"]);
    }
}
