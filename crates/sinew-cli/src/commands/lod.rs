//! `sinew lod`: the same rig with fewer triangles or bones, for when it is far away.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use sinew::lod::LodOptions;
use sinew_jobs::lod::{LevelReport, LevelWish, LodJob, LodReport, RigFormat};

use crate::choice::one_of;
use crate::console::{Table, count, number, size, written};
use crate::door::{Command, InWords};
use crate::error::Outcome;
use crate::numbers::NumbersArgs;
use crate::report::{OFF_RIG, engine_rows, more_joints, unit_row};
use crate::standard::always;
use crate::words::warnings;

/// Simplify a rig into levels of detail
///
/// Triangles go where they are missed least in all of the rig's motion; vertices stay where they are, with their
/// weights, corrections and texture coordinates. All levels are in one file over one set of vertices, bones and
/// clips (MSFT_lod): programs that do not know levels show the whole mesh, but Blender all levels as further bodies.
///
/// With --bones every level is a rig of its own with fewer bones, in a folder of files named as engines take them:
/// lods/horse_LOD1.glb, lods/horse_LOD2.glb and so on; horse.glb itself is level 0. Bones of a rig without a skeleton are
/// fitted anew to what it plays. A skeleton loses the last joints of its limbs, and those of a level are some of the
/// rig's, so that every clip of the rig plays on it. --triangles beside it makes levels coarser in both.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew lod rig.glb --triangles 50%,12%,3% -o rig-lods.glb
  sinew lod rig.sinew --triangles 2100 -o rig-lods.glb --picture levels.png
  sinew lod rig.glb --error 0.1%,0.5% -o rig-lods.glb
  sinew lod horse.glb --bones 60,30,15 -o lods/
  sinew lod knight.glb --bones 30,12 --triangles 50%,12% --format fbx -o lods/ --picture lods.png
  sinew picture rig-lods.glb --level 2 --wireframe -o level2.png")]
pub struct LodArgs {
    /// A file that holds a rig; sinew info --formats lists the formats
    rig: PathBuf,

    /// The file to write, or with --bones the folder
    #[arg(short, long, value_name = "FILE.glb|FOLDER")]
    output: PathBuf,

    /// Triangles of each level: counts, or shares of all
    #[arg(long, value_name = "N|P%,...", value_delimiter = ',',
          required_unless_present_any = ["error", "bones"])]
    triangles: Vec<Wanted>,

    /// Bones of each level, each a file of its own
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    bones: Vec<usize>,

    /// Format of levels of bones: glb, fbx, usda, usdz or sinew [default: glb]
    #[arg(long, value_name = "ENDING", value_parser = one_of::<RigFormat>())]
    format: Option<RigFormat>,

    /// Error of each level: as few triangles as keep the mean distance from the whole mesh, over all frames,
    /// within this share of its longest side
    #[arg(long, value_name = "P%,...", value_delimiter = ',', conflicts_with = "triangles")]
    error: Vec<Share>,

    /// Poses, spread over all frames, in which triangles are weighed against each other
    #[arg(long, value_name = "N", default_value_t = LodOptions::default().poses)]
    poses: usize,

    /// Draw all levels side by side
    #[arg(long, value_name = "FILE.png")]
    picture: Option<PathBuf>,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Write a machine-readable report
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

impl Command for LodArgs {
    type Job = LodJob;

    fn job(&self) -> Outcome<LodJob> {
        let counts = self.triangles.iter().map(|wanted| wanted.0);
        Ok(LodJob {
            rig: self.rig.clone(),
            output: if self.bones.is_empty() { always("glb", &self.output) } else { self.output.clone() },
            bones: self.bones.clone(),
            format: self.format,
            levels: counts.chain(self.error.iter().map(|share| LevelWish::Error(share.0))).collect(),
            poses: self.poses,
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            picture: self.picture.as_deref().map(|picture| always("png", picture)),
            report: self.report.clone(),
        })
    }
}

impl InWords for LodJob {
    fn table(&self, report: &LodReport) -> Table {
        let mut table = Table::default();
        let frames = count(report.frames, "frame", "frames");
        let joints = more_joints(report.bones, Some(report.file_joints));
        let bones = count(report.bones, "bone", "bones");
        table.row("rig", format!("{}, {bones}, {frames}{joints}", report.rig));
        let of_bones = !self.bones.is_empty();
        let row = |level: &str, triangles: &str, bones: &str, rest: [&str; 3]| {
            let bones = if of_bones { format!(" {bones:>7}") } else { String::new() };
            format!("{level:>5} {triangles:>10}{bones} {:>9} {:>9} {:>10}", rest[0], rest[1], rest[2])
        };
        let mut rows = vec![row("", "triangles", "bones", ["mean, %", "max, %", "bytes"])];
        rows.extend(report.levels.iter().enumerate().map(|(i, level)| {
            let LevelReport { triangles, bones, accu, max, bytes, .. } = level;
            let rest = [number(*accu), number(*max), size(*bytes)];
            let rest = [&*rest[0], &*rest[1], &*rest[2]];
            row(&i.to_string(), &triangles.to_string(), &bones.to_string(), rest)
        }));
        table.list("levels", &rows);
        let ways = if of_bones && self.levels.is_empty() { "" } else { " and both ways" };
        table.row("", format!("mean of the longest side, max of the diagonal, over all frames{ways}"));
        engine_rows(&report.engines, OFF_RIG, &mut table);
        unit_row(&report.units, &mut table);
        table.row("time", format!("{:.2} s", report.seconds.total));
        table.row("wrote", format!("{} ({})", written(&self.output), size(report.bytes)));
        table.list("warning", &warnings(&report.warnings));
        table
    }
}

/// How many triangles a level is to have: a count or a share.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wanted(LevelWish);

/// A share of a whole, written in percent.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share(f64);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is no share; give a percentage above 0 and up to 100, such as 12%");
        let number = text.trim().strip_suffix('%').and_then(|n| n.trim().parse::<f64>().ok());
        let share = number.filter(|n| *n > 0.0 && *n <= 100.0).ok_or_else(wrong)?;
        Ok(Self(share / 100.0))
    }
}

impl FromStr for Wanted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains('%') {
            return text.parse().map(|Share(share)| Self(LevelWish::Share(share)));
        }
        let count = text.trim().parse().ok().filter(|n| *n > 0);
        count
            .map(|count| Self(LevelWish::Triangles(count)))
            .ok_or_else(|| format!("{text:?} is no count; give triangles (2100) or a share (12%)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_shares_are_understood() {
        assert_eq!("2100".parse(), Ok(Wanted(LevelWish::Triangles(2100))));
        assert_eq!("12.5 %".parse(), Ok(Wanted(LevelWish::Share(0.125))));
        for wrong in ["", "0", "-5", "0%", "101%", "nan%", "half", "1.5"] {
            assert!(wrong.parse::<Wanted>().is_err(), "{wrong}");
        }
        assert!("0.5".parse::<Share>().is_err(), "a share needs its sign");
    }
}
