//! `sinew info`: what is in a file.

use std::path::PathBuf;

use clap::Args;
use sinew_io::formats::{self, Facts};
use sinew_io::motion::Up;
use sinew_jobs::facts::size_in_words;
use sinew_jobs::info::{InfoJob, InfoReport, MeshReport, MotionReport, Note, PieceReport};

use crate::console::{Table, count, number, print, size};
use crate::door::{self, Command, InWords};
use crate::error::Outcome;
use crate::joints::{self, tree_in_words};
use crate::numbers::NumbersArgs;
use crate::progress::Session;
use crate::words::warnings;

/// Say what is in a file: meshes, frames, bones, skeleton, materials, problems
///
/// Reads every format that Sinew knows: point caches, meshes, folders of frames, animations, rigs, and motion of
/// joints. --formats lists them.
#[derive(Args)]
#[command(after_help = "Examples:
  sinew info rig.glb
  sinew info anim.pc2 --rest rest.obj
  sinew info frames/ --report frames.json
  sinew info walk.bvh")]
pub struct InfoArgs {
    /// A file, or a folder or pattern of frames
    #[arg(required_unless_present = "formats", default_value = ".", hide_default_value = true)]
    file: PathBuf,

    /// The mesh that goes with a point cache
    #[arg(long, value_name = "FILE")]
    rest: Option<PathBuf>,

    /// Clip of a GLB or .sinew file, by name or number, to count frames of [default: the first that moves]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,

    /// Frames per second, where the file does not say
    #[arg(long, value_name = "F")]
    fps: Option<f64>,

    /// The ASF file that goes with an AMC file [default: the one beside it]
    #[arg(long, value_name = "FILE")]
    asf: Option<PathBuf>,

    #[command(flatten)]
    numbers: NumbersArgs,

    /// Look at all frames of a cache larger than 256 MiB, not just at the first
    #[arg(long)]
    all: bool,

    /// Print the table of formats as Markdown, and nothing else
    #[arg(long, exclusive = true)]
    formats: bool,

    /// Write the same as JSON
    #[arg(long, value_name = "FILE.json")]
    report: Option<PathBuf>,
}

/// Runs the command.
pub fn run(args: &InfoArgs, session: &Session) -> Outcome<()> {
    if args.formats { print(&formats::table()) } else { door::run(args, session) }
}

impl Command for InfoArgs {
    type Job = InfoJob;

    fn job(&self) -> Outcome<InfoJob> {
        Ok(InfoJob {
            file: self.file.clone(),
            rest: self.rest.clone(),
            clip: self.clip.clone(),
            fps: self.fps,
            asf: self.asf.clone(),
            unit: self.numbers.unit,
            up: self.numbers.up,
            scale: self.numbers.scale,
            all: self.all,
            report: self.report.clone(),
        })
    }
}

impl InWords for InfoJob {
    const IS_ANSWER: bool = true;

    fn table(&self, report: &InfoReport) -> Table {
        match report {
            InfoReport::Mesh(report) => mesh(report),
            InfoReport::Motion(report) => motion(report),
        }
    }
}

fn note(note: &Note) -> String {
    match note {
        Note::FirstFrames { .. } => format!("{note}; --all looks at all"),
        note => note.to_string(),
    }
}

/// What was found in a file of joints.
fn motion(report: &MotionReport) -> Table {
    let mut table = Table::default();
    table.row("file", format!("{} ({}, {})", report.file, report.format, size(report.bytes)));
    table.row("source", &report.source);
    table.row("motion", in_words(report.frames, report.fps, report.duration));
    let metres = report.metres_per_unit.map(|metres| format!(", {} m", number(report.height * metres)));
    table.row("height", format!("{}{}", number(report.height), metres.unwrap_or_default()));
    let up = report.stands_along.as_ref().map_or("not clear".into(), |axis| format!("{axis}, it seems"));
    table.row("up", up);
    let parents: Vec<Option<usize>> = report.joints.iter().map(|joint| joint.parent).collect();
    let mut lines = vec![count(report.joints.len(), "joint", "joints")];
    lines.extend(joints::tree(&parents, |joint| report.joints[joint].name.clone()));
    table.list("skeleton", &joints::shortened(lines));
    table.list("warning", &warnings(&report.warnings));
    table
}

/// Longer lists are cut for people; the report has all.
const MOST_ROWS: usize = 12;

/// What was found in a file that has vertices.
fn mesh(report: &MeshReport) -> Table {
    let facts = &report.facts;
    let mut table = Table::default();
    table.row("file", format!("{} ({}, {})", report.file, report.format, size(report.bytes)));
    if let Some(generator) = &report.generator {
        table.row("made by", generator);
    }
    let mut mesh = count(report.vertices, "vertex", "vertices");
    if let (Some(faces), Some(triangles), Some(pieces)) = (report.faces, report.triangles, report.pieces) {
        mesh += &format!(", {}", count(faces, "face", "faces"));
        if faces != triangles {
            mesh += &format!(" ({})", count(triangles, "triangle", "triangles"));
        }
        mesh += &format!(", {}", count(pieces, "connected piece", "connected pieces"));
    } else {
        mesh += ", no faces (they are in the mesh that goes with it)";
    }
    table.row("mesh", mesh);
    let parts: Vec<String> = report
        .parts
        .iter()
        .map(|p| {
            let (vertices, faces) =
                (count(p.vertices, "vertex", "vertices"), count(p.faces, "face", "faces"));
            format!("{} ({vertices}, {faces})", p.name)
        })
        .collect();
    table.list("parts", &shortened(parts));
    table.list("pieces", &pieces_in_words(&report.piece_list));
    let levels: Vec<String> = report.levels.iter().skip(1).map(usize::to_string).collect();
    if !levels.is_empty() {
        table.row("levels", format!("{} triangles", levels.join(", ")));
    }
    if let Some(rank) = report.light {
        table.row("light", format!("baked over the vertices, {}", count(rank, "shape", "shapes")));
    }
    table.row("size", size_in_words(&report.bounds, facts.metres_per_unit));
    if let Some(axes) = axes_in_words(facts) {
        table.row("axes", axes);
    }
    table.row("motion", in_words(report.frames, report.fps, report.duration));
    if let Some((first, last)) = facts.times {
        table.row("times", format!("{} s to {} s", number(first), number(last)));
    }
    let clips: Vec<String> = report
        .clips
        .iter()
        .map(|c| {
            let keys = count(c.keys, "key", "keys");
            format!("{} ({} s, {keys})", named(&c.name), number(c.duration))
        })
        .collect();
    table.list("clips", &shortened(clips));
    if let (Some(bones), Some(influences), Some(morphs)) =
        (report.bones, report.influences, report.morph_targets)
    {
        let morphs = match morphs {
            0 => String::new(),
            n => format!(", {}", count(n, "morph target", "morph targets")),
        };
        table.row(
            "rig",
            format!(
                "{}, at most {} a vertex{morphs}{}",
                count(bones, "bone", "bones"),
                count(influences, "influence", "influences"),
                report.motion.map(|motion| format!(", {motion}")).unwrap_or_default()
            ),
        );
        if let Some(changes) = report.weight_changes.as_ref().filter(|changes| !changes.is_empty()) {
            table.row("", format!("weights change {}", count(changes.len(), "time", "times")));
        }
        if let Some(weight) = report.smallest_weight {
            table.row("", format!("weights down to {}", number(f64::from(weight))));
        }
    }
    if let Some(skeleton) = &report.skeleton {
        table.list("skeleton", &tree_in_words(&skeleton.iter().collect::<Vec<_>>(), "", |_| String::new()));
    }
    let mut looks: Vec<String> = Vec::new();
    looks.extend(report.uvs.then(|| "UVs".to_string()));
    looks.extend(report.normals.then(|| "normals".to_string()));
    let layers =
        |kind: &str| report.attributes.iter().filter(|a| a.kind == kind).map(|a| named(&a.name)).collect();
    let lists: [(Vec<String>, [&str; 2]); 4] = [
        (layers("uv"), ["further UV set", "further UV sets"]),
        (layers("color"), ["colour set", "colour sets"]),
        (layers("custom"), ["other attribute", "other attributes"]),
        (report.materials.iter().map(|name| named(name)).collect(), ["material", "materials"]),
    ];
    for (names, [one, several]) in lists.into_iter().filter(|(names, _)| !names.is_empty()) {
        looks.push(format!("{} ({})", count(names.len(), one, several), shortened(names).join(", ")));
    }
    if report.images > 0 {
        looks.push(count(report.images, "image", "images"));
    }
    if !looks.is_empty() {
        table.row("looks", looks.join(", "));
    }
    table.list("note", &report.notes.iter().map(note).collect::<Vec<_>>());
    table.list("problem", &report.problems);
    table.list("warning", &warnings(&report.warnings));
    table
}

/// Pieces by their numbers.
fn pieces_in_words(pieces: &[PieceReport]) -> Vec<String> {
    let piece = |(at, piece): (usize, &PieceReport)| {
        let sizes = (count(piece.vertices, "vertex", "vertices"), count(piece.faces, "face", "faces"));
        let part = piece.part.as_ref().map(|part| format!(" of {}", named(part))).unwrap_or_default();
        let [x, y, z] = piece.middle.map(|x| number(f64::from(x)));
        format!("{at}{part} ({}, {}, around {x}, {y}, {z})", sizes.0, sizes.1)
    };
    shortened(pieces.iter().enumerate().map(piece).collect())
}

/// Which way is up in the file, and the hand of its axes, where it tells.
fn axes_in_words(facts: &Facts) -> Option<String> {
    let hand = |left: bool| if left { "left-handed" } else { "right-handed" };
    let turned =
        |up: Up| if up == Up::Y { "y is up".into() } else { format!("{up} is up in the file, y here") };
    let said: Vec<String> =
        facts.up.map(turned).into_iter().chain(facts.left_handed.map(|left| hand(left).into())).collect();
    (!said.is_empty()).then(|| said.join(", "))
}

fn named(name: &str) -> String {
    if name.is_empty() { "nameless".into() } else { name.into() }
}

/// Frames, their rate, and how long they last.
fn in_words(frames: usize, fps: f64, duration: f64) -> String {
    if frames == 1 {
        return "1 frame".into();
    }
    format!("{frames} frames at {} per second, {} s", number(fps), number(duration))
}

fn shortened(mut list: Vec<String>) -> Vec<String> {
    if list.len() > MOST_ROWS {
        let more = list.len() - MOST_ROWS + 1;
        list.truncate(MOST_ROWS - 1);
        list.push(format!("and {more} more"));
    }
    list
}
