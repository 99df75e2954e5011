//! Rigs that meet a goal: what a rig costs as a file, and a plot of those that were tried.

use std::cell::RefCell;
use std::path::Path;

use sinew::choice::Choice;
use sinew::progress::Cancelled;
use sinew::rig::Rig;
use sinew_io::open::Opened;
use sinew_picture::{PlotOptions, Series, plot};

use super::fit::FitGoal;
use super::fitting::Fitted;
use super::order::{SkinJob, explain};
use crate::error::Outcome;
use crate::pictures::save_png;
use crate::refusals::FitError;
use crate::report::{ChoiceReport, ToldReport};
use crate::rig_file::{encode, measure_file};
use crate::search::{Candidate, Cost, pareto_front};
use crate::words::{number, size};

/// What a rig costs.
type CostOf<'a> = &'a dyn Fn(&Rig) -> Result<Cost, Cancelled>;

/// Fits with the costs of files like the one to be written, which is not touched.
pub(super) fn with_cost(
    job: &SkinJob,
    opened: &Opened,
    fit: impl FnOnce(CostOf) -> Result<Fitted, FitError>,
) -> Outcome<Fitted> {
    let path = job.output.as_deref().unwrap_or(Path::new("rig.glb"));
    // What stops the search, for the search itself knows no files.
    let failed = RefCell::new(None);
    let cost = |rig: &Rig| {
        let cost = encode(path, rig, opened, job.share()).and_then(|file| {
            let error = measure_file(&file.bytes, path, opened)?.0.error;
            Ok(Cost { bytes: file.bytes.len() as u64, percent: error.percent, max: error.max })
        });
        cost.map_err(|e| {
            *failed.borrow_mut() = Some(e);
            Cancelled
        })
    };
    let fitted = fit(&cost);
    match failed.take() {
        Some(error) => Err(error),
        None => fitted.map_err(|e| explain(e, opened, &job.source.options())),
    }
}

/// What was tried, for reports.
pub(super) fn choice_reports(candidates: &[Candidate]) -> Vec<ChoiceReport> {
    let front = pareto_front(candidates);
    let of = |c: &Candidate| {
        let Cost { bytes, percent, max } = c.cost?;
        Some(ChoiceReport {
            kind: Choice::name(c.kind),
            bones: c.bones,
            influences: c.influences,
            rank: c.rank,
            percent,
            max,
            bytes,
            on_pareto_front: front.contains(c),
            chosen: c.chosen,
        })
    };
    candidates.iter().filter_map(of).collect()
}

/// What was told on the way, for reports.
pub(super) fn told_reports(told: &[Candidate], goal: Option<FitGoal>) -> Vec<ToldReport> {
    let largest = is_largest(goal);
    let of = |c: &Candidate| ToldReport {
        kind: Choice::name(c.kind),
        bones: c.bones,
        influences: c.influences,
        rank: c.rank,
        percent: (!largest).then_some(c.error),
        max: largest.then_some(c.error),
        bytes: c.bytes,
    };
    told.iter().map(of).collect()
}

fn is_largest(goal: Option<FitGoal>) -> bool {
    matches!(goal, Some(FitGoal::Largest(_)))
}

/// Draws error against size: what was told of each sort of rigs, the best of those fitted, and what was chosen.
pub(super) fn draw(path: &Path, goal: FitGoal, choices: &[ChoiceReport], told: &[ToldReport]) -> Outcome<()> {
    let largest = is_largest(Some(goal));
    let place = |c: &ChoiceReport| (c.bytes as f64 / 1e3, if largest { c.max } else { c.percent });
    let mut names: Vec<String> = choices.iter().map(ChoiceReport::sort).collect();
    names.sort();
    names.dedup();
    // From the smallest to the largest, without those that a smaller one beats.
    let of_sort = |name: String| {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (size, error) in choices.iter().filter(|c| c.sort() == name).map(place) {
            if points.last().is_none_or(|p| error < p.1) {
                points.push((size, error));
            }
        }
        Series { points, name }
    };
    let of_curve = |curve: &[ToldReport]| Series {
        points: curve.iter().filter_map(|t| Some((t.bytes as f64 / 1e3, t.max.or(t.percent)?))).collect(),
        name: format!("{}, {} infl., about", curve[0].kind, curve[0].influences),
    };
    let mut curves = told.to_vec();
    curves.sort_by_key(|t| (t.kind, t.influences, t.rank, t.bones));
    let alike =
        |a: &ToldReport, b: &ToldReport| (a.kind, a.influences, a.rank) == (b.kind, b.influences, b.rank);
    let mut series: Vec<Series> = curves.chunk_by(alike).map(of_curve).collect();
    series.extend(names.into_iter().map(of_sort));
    let chosen = choices.iter().filter(|c| c.chosen).map(place).collect();
    series.push(Series { name: "chosen".into(), points: chosen });
    let options = PlotOptions {
        title: match goal {
            FitGoal::Error(percent) => format!("the smallest rig with at most {} %", number(percent)),
            FitGoal::Largest(largest) => {
                format!("the smallest rig with no vertex off by more than {largest}")
            }
            FitGoal::Bytes(bytes) => format!("the best rig of at most {}", size(bytes)),
        },
        x_label: "size, kB".into(),
        y_label: match goal {
            FitGoal::Largest(_) => "largest error, % of the diagonal".into(),
            _ => "error, % of the motion".into(),
        },
        log_y: true,
        ..PlotOptions::default()
    };
    save_png(path, &plot(&series, &options)?)
}
