//! `sinew collide`: where rigs touch, frame by frame.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use sinew_jobs::collide::{Against, CollideJob, CollideReport, FirstContact, RefitReport};
use sinew_jobs::frames::FrameChoice;

use crate::choice::{all_or_some_frames, one_of};
use crate::console::{Table, count, number, written};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::words::warnings;

/// Find where two rigs touch each other, or one touches itself
///
/// Frame by frame, all pairs of triangles that touch: where, and how deep they are in each other. The depth of a
/// pair is how far the one triangle reaches through the plane of the other, the smaller of the two ways. Within
/// a rig, triangles that share a vertex do not count. A rig with fewer frames than the other starts over.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew collide horse.glb elephant.glb --offset 0.4,0,0 -o contacts.json
  sinew collide dancer.glb --self --frames 0,20,40 -o contacts.json
  sinew collide horse.glb horse.glb --offset 0.17,0,0 --against refit")]
pub struct CollideArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    #[arg(value_name = "A")]
    rig: PathBuf,

    /// Another, or the same once more
    #[arg(value_name = "B")]
    other: Option<PathBuf>,

    /// Find where rigs touch themselves, too
    #[arg(long = "self")]
    within: bool,

    /// Shift the second rig, in the unit of the first
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, requires = "other")]
    offset: Option<Vector>,

    /// Turn the second rig about the upward axis through the origin, before it is shifted, in degrees
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true, requires = "other")]
    turn: Option<f64>,

    /// Frames to look at, counted from 0: all, one, several, or spread:K for K spread over all
    #[arg(long, value_name = "all|N|N,N|spread:K", default_value = "all", value_parser = all_or_some_frames)]
    frames: FrameChoice,

    /// The clip of both rigs, by name or number [default: the first that moves]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Do it a second way, and report how long that takes and whether it finds the same
    #[arg(long, value_parser = one_of::<Against>())]
    against: Option<Against>,

    /// Write all contacts and the report
    #[arg(short, long, value_name = "FILE.json")]
    output: Option<PathBuf>,
}

impl Command for CollideArgs {
    type Job = CollideJob;

    fn job(&self) -> Outcome<CollideJob> {
        Ok(CollideJob {
            rig: self.rig.clone(),
            other: self.other.clone(),
            within: self.within,
            offset: self.offset.map_or([0.0; 3], |offset| offset.0),
            turn: self.turn.unwrap_or(0.0),
            frames: self.frames.clone(),
            clip: self.clip.clone(),
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            against: self.against,
            output: self.output.clone(),
        })
    }
}

/// Longer lists are cut for people; the report has all.
const MOST_ROWS: usize = 6;

impl InWords for CollideJob {
    fn table(&self, report: &CollideReport) -> Table {
        let mut table = Table::default();
        let rigs: Vec<String> = report
            .rigs
            .iter()
            .zip(&report.triangles)
            .map(|(rig, &n)| format!("{rig}, {}", count(n, "triangle", "triangles")))
            .collect();
        table.list("rigs", &rigs);
        let looked = count(report.frames.len(), "frame", "frames");
        match (report.first_frame, report.deepest) {
            (Some(first), Some(deepest)) => {
                table.row("touch", format!("in {} of {looked}, first in frame {first}", report.touching));
                let pairs = report.frames.iter().map(|f| f.contacts.len()).max().unwrap_or(0);
                table.row(
                    "pairs",
                    format!("up to {} in a frame", count(pairs, "pair of triangles", "pairs of triangles")),
                );
                let percent = number(report.deepest_percent);
                table.row("deepest", format!("{}, {percent} % of the diagonal", number(deepest)));
                let first = report.first_contacts.iter().take(MOST_ROWS);
                let first: Vec<String> = first.map(first_contact).collect();
                table.list("bones", &first);
                if report.first_contacts.len() > MOST_ROWS {
                    table.row("", format!("and {} more", report.first_contacts.len() - MOST_ROWS));
                }
            }
            _ => table.row("touch", format!("nowhere in {looked}")),
        }
        let computed: usize = report.frames.iter().map(|f| f.vertices).sum();
        let all = report.frames.len() * report.vertices.iter().sum::<usize>();
        let share = number(100.0 * computed as f64 / all.max(1) as f64);
        let each = number(1000.0 * report.seconds.frames / report.frames.len().max(1) as f64);
        table.row("time", format!("{each} ms a frame, for {share} % of the vertices"));
        if let Some(plain) = &report.against_refit {
            table.row("refit", refit(plain));
        }
        if let Some(path) = &self.output {
            table.row("wrote", written(path));
        }
        table.list("warning", &warnings(&report.warnings));
        table
    }
}

fn first_contact(first: &FirstContact) -> String {
    format!("{} and {} from frame {}", first.bones[0], first.bones[1], first.frame)
}

fn refit(report: &RefitReport) -> String {
    let each = |seconds: f64| number(1000.0 * seconds / report.frames.max(1) as f64);
    let same = match report.differing {
        0 => "the same contacts in every frame".into(),
        n => format!("other contacts in {}", count(n, "frame", "frames")),
    };
    format!(
        "{} ms a frame where spheres take {}: {} times as long; {same}",
        each(report.plain_seconds),
        each(report.seconds),
        number(report.plain_seconds / report.seconds.max(f64::MIN_POSITIVE))
    )
}

/// Three numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Vector([f64; 3]);

impl FromStr for Vector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "give three numbers, such as 0.4,0,0".to_string();
        let numbers = text.split(',').map(|n| n.trim().parse::<f64>().ok().filter(|x| x.is_finite()));
        let numbers: Vec<f64> = numbers.collect::<Option<_>>().ok_or_else(wrong)?;
        <[f64; 3]>::try_from(numbers).map(Self).map_err(|_| wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_understood() {
        assert_eq!("1, -2.5,0".parse(), Ok(Vector([1.0, -2.5, 0.0])));
        for wrong in ["", "1,2", "1,2,3,4", "a,b,c", "nan,0,0"] {
            assert!(wrong.parse::<Vector>().is_err(), "{wrong}");
        }
    }
}
