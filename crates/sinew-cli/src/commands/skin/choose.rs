//! `skin --target-error` and `skin --budget`: the rig that meets a goal.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use clap::Args;
use sinew::choice::Choice;
use sinew::progress::Cancelled;
use sinew::rig::Rig;
use sinew::skin::{
    BoneKind, Candidate, Cost, Goal, SearchError, SearchOptions, Searched, pareto_front, search,
};
use sinew_io::open::{OpenOptions, Opened};
use sinew_picture::{PlotOptions, Series, plot};

use super::best::BestJob;
use super::explain;
use crate::console::{count, number, size};
use crate::error::{CliError, Outcome};
use crate::pictures::save_png;
use crate::progress::Session;
use crate::report::ChoiceReport;
use crate::rig_file::{encode, measure_file};

/// Options that leave bones, influences and correction shapes to a search.
#[derive(Args)]
#[command(next_help_heading = "Choosing")]
pub struct ChooseArgs {
    /// The smallest file with at most this error, in percent of the motion
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    target_error: Option<f64>,

    /// The file with the least error of at most this size: bytes, or a number with kB, KB, MB, GB, KiB, MiB or GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    budget: Option<u64>,

    /// Draw what was tried: error against size
    #[arg(long, value_name = "FILE.png")]
    plot: Option<PathBuf>,
}

/// A size such as 300KB.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let factor = match unit {
        "" | "B" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "KiB" => 1024.0,
        "MiB" => 1024.0 * 1024.0,
        "GiB" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err(format!("{unit} is no unit of size; use B, kB, KB, MB, GB, KiB, MiB or GiB")),
    };
    let wrong = || "give a positive number of bytes, or one with a unit such as 300KB".to_owned();
    let value: f64 = digits.trim().parse().map_err(|_| wrong())?;
    let bytes = (value * factor).floor();
    if (1.0..1e15).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// What is fixed of a rig that is searched for.
pub struct Fixed {
    pub kind: Option<BoneKind>,
    pub influences: Option<usize>,
    pub rank: Option<usize>,
}

/// A search, with all else that the method knows.
pub struct ChooseJob {
    best: BestJob,
    goal: Goal,
    fixed: Fixed,
    plot: Option<PathBuf>,
}

impl ChooseArgs {
    /// The first option given that other methods do not know.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.target_error.is_some(), "--target-error"),
            (self.budget.is_some(), "--budget"),
            (self.plot.is_some(), "--plot"),
        ];
        given.iter().find(|(given, _)| *given).map(|(_, name)| *name)
    }

    /// The file to draw.
    pub fn plot(&self) -> Option<&Path> {
        self.plot.as_deref()
    }

    /// What is wanted, if anything is.
    pub fn goal(&self) -> Outcome<Option<Goal>> {
        match (self.target_error, self.budget) {
            (Some(_), Some(_)) => CliError::refused(
                "--target-error asks for the smallest rig and --budget for the best of a size: give one of them",
            ),
            (Some(percent), None) if !(percent > 0.0 && percent.is_finite()) => {
                CliError::refused(format!("--target-error takes a positive number of percent, not {percent}"))
            }
            (Some(percent), None) => Ok(Some(Goal::Percent(percent))),
            (None, Some(bytes)) => Ok(Some(Goal::Bytes(bytes))),
            (None, None) if self.plot.is_some() => {
                CliError::refused("--plot draws what --target-error or --budget tried; give one of them")
            }
            (None, None) => Ok(None),
        }
    }

    /// A search for a goal.
    pub fn job(&self, goal: Goal, best: BestJob, fixed: Fixed) -> Outcome<ChooseJob> {
        if best.rig.is_some() {
            let option = self.given().unwrap_or_default();
            return CliError::refused(format!(
                "{option} searches for bones and influences, which a given rig brings along; leave out the rig"
            ));
        }
        Ok(ChooseJob { best, goal, fixed, plot: self.plot.clone() })
    }
}

impl ChooseJob {
    /// Searches. `output` is the file to be written, if any; it is not touched.
    pub fn run(
        &self,
        opened: &Opened,
        open: &OpenOptions,
        output: Option<&Path>,
        compact: Option<f64>,
        session: &Session,
    ) -> Outcome<Searched> {
        let path = output.unwrap_or(Path::new("rig.glb"));
        // What stops the search, for the search itself knows no files.
        let failed = RefCell::new(None);
        let cost = |rig: &Rig| {
            let cost = encode(path, rig, opened, compact).and_then(|(bytes, _)| {
                let percent = measure_file(&bytes, path, &opened.animation)?.0.error.percent;
                Ok(Cost { bytes: bytes.len() as u64, percent })
            });
            cost.map_err(|e| {
                *failed.borrow_mut() = Some(e);
                Cancelled
            })
        };
        let found = search(&opened.animation, &self.options(), &cost, session);
        match (found, failed.take()) {
            (_, Some(error)) => Err(error),
            (Ok(found), None) => Ok(found),
            (Err(SearchError::Skin(error)), None) => Err(explain(error, opened, open)),
            (Err(error), None) => CliError::refused(format!("{}: {}", opened.source, in_words(error))),
        }
    }

    fn options(&self) -> SearchOptions {
        let all = SearchOptions::new(self.goal);
        SearchOptions {
            kinds: self.fixed.kind.map_or(all.kinds, |k| vec![k]),
            influences: self.fixed.influences.map_or(all.influences, |k| vec![k]),
            rank: self.fixed.rank,
            skin: self.best.options.clone(),
            ..all
        }
    }

    /// Draws error against size where that is asked for: the useful rigs of each sort, and what was chosen.
    pub fn draw(&self, choices: &[ChoiceReport]) -> Outcome<()> {
        let Some(path) = &self.plot else { return Ok(()) };
        let place = |c: &ChoiceReport| (c.bytes as f64 / 1e3, c.percent);
        let mut names: Vec<String> = choices.iter().map(ChoiceReport::sort).collect();
        names.sort();
        names.dedup();
        // From the smallest to the largest, without those that a smaller one beats.
        let of_sort = |name: String| {
            let mut points: Vec<(f64, f64)> = Vec::new();
            for (size, percent) in choices.iter().filter(|c| c.sort() == name).map(place) {
                if points.last().is_none_or(|p| percent < p.1) {
                    points.push((size, percent));
                }
            }
            Series { points, name }
        };
        let mut series: Vec<Series> = names.into_iter().map(of_sort).collect();
        let chosen = choices.iter().filter(|c| c.chosen).map(place).collect();
        series.push(Series { name: "chosen".into(), points: chosen });
        let options = PlotOptions {
            title: match self.goal {
                Goal::Percent(percent) => format!("the smallest rig with at most {} %", number(percent)),
                Goal::Bytes(bytes) => format!("the best rig of at most {}", size(bytes)),
            },
            x_label: "size, kB".into(),
            y_label: "error, % of the motion".into(),
            log_y: true,
            ..PlotOptions::default()
        };
        save_png(path, &plot(&series, &options)?)
    }
}

/// What was tried, for reports.
pub fn choice_reports(found: &Searched) -> Vec<ChoiceReport> {
    let best = pareto_front(&found.candidates);
    let of = |c: &Candidate| ChoiceReport {
        kind: c.kind.name(),
        bones: c.bones,
        influences: c.influences,
        rank: c.rank,
        percent: c.percent,
        bytes: c.bytes,
        useful: best.contains(c),
        chosen: c.chosen,
    };
    found.candidates.iter().map(of).collect()
}

/// A refusal with what can be done.
fn in_words(error: SearchError) -> String {
    match error {
        SearchError::OutOfReach { percent, best } => format!(
            "no rig that was tried keeps {} %; the closest, with {} and {}, is {} % off in {}",
            number(percent),
            count(best.bones, "bone", "bones"),
            count(best.rank, "correction shape", "correction shapes"),
            number(best.percent),
            size(best.bytes)
        ),
        SearchError::MeshTooLarge { budget, mesh } => {
            format!(
                "no rig fits into {}: the mesh alone takes {}; --compact makes it smaller, and so does a mesh with \
                 fewer vertices",
                size(budget),
                size(mesh)
            )
        }
        SearchError::TooLarge { budget, smallest } => format!(
            "no rig that was tried fits into {}; the smallest, with {}, takes {}",
            size(budget),
            count(smallest.bones, "bone", "bones"),
            size(smallest.bytes)
        ),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, expected) in
            [("300", 300), ("300B", 300), ("1.5kB", 1500), ("2 KB", 2000), ("3KiB", 3072), ("1MB", 1_000_000)]
        {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        assert_eq!(bytes("2MiB"), Ok(2 << 20));
        assert_eq!((bytes("3GB"), bytes("1.5GiB")), (Ok(3_000_000_000), Ok(3 << 29)));
        for text in ["", "KB", "-3KB", "0", "0.5B", "3kb", "3TB", "nan", "inf", "1e3", "9999999999999999MB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
