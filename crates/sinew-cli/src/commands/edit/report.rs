//! What `edit` has to say.

use glam::Vec3;
use serde::Serialize;
use sinew::animation::PoseSource;
use sinew::geometry::Bounds;
use sinew::rig::{ChainPlayer, Player};
use sinew_io::sinew_file::Stored;

use super::args::RigArgs;
use crate::console::{Table, count, number, size};

/// What an edit tells of itself.
#[derive(Default)]
pub struct Told {
    /// In a few words.
    pub done: String,
    /// Bones that moved by themselves, where a pose was sculpted.
    pub bones: Option<usize>,
    /// The largest displacement that was left to a correction, in percent of the diagonal.
    pub correction: Option<f64>,
    /// How far the edited frame is from its shape, in percent of the diagonal.
    pub missed: Option<f64>,
    /// Bones that were added for separate pieces of the surface that one bone moved: each after the name of
    /// that bone.
    pub parts: Vec<[String; 2]>,
    pub warnings: Vec<String>,
}

/// The report.
#[derive(Serialize)]
pub struct EditReport {
    rig: String,
    /// In a few words.
    edit: String,
    /// How many frames the rig has.
    frames: usize,
    /// How many frames changed, and the first and last of them, counted over all clips; null without.
    frames_changed: usize,
    first_changed: Option<usize>,
    last_changed: Option<usize>,
    /// The vertex that moved farthest; null where none did.
    largest: Option<Largest>,
    /// Null where no pose was sculpted.
    bones_moved: Option<usize>,
    correction: Option<f64>,
    missed: Option<f64>,
    /// Bones that were added for separate pieces of the surface that one bone moved.
    bones_added: Vec<String>,
    #[serde(skip)]
    parts: Vec<[String; 2]>,
    /// Correction shapes of the edited rig.
    rank: usize,
    bytes: u64,
    pub warnings: Vec<String>,
}

#[derive(Serialize)]
struct Largest {
    /// In percent of the rest pose's diagonal.
    percent: f64,
    frame: usize,
    vertex: usize,
}

impl EditReport {
    /// Compares a rig with what became of it.
    pub fn new(files: &RigArgs, before: &Stored, after: &Stored, told: Told, bytes: u64) -> Self {
        let rest = before.rest();
        let diagonal = Bounds::of(rest).diagonal().max(f64::MIN_POSITIVE);
        let [mut was, mut is] = [vec![Vec3::ZERO; rest.len()], vec![Vec3::ZERO; rest.len()]];
        let [old, new] = [player(before), player(after)];
        let mut changed = Vec::new();
        let mut largest: Option<Largest> = None;
        for frame in 0..old.frame_count() {
            old.pose_into(frame, &mut was);
            new.pose_into(frame, &mut is);
            let moved = was.iter().zip(&is).map(|(p, q)| p.distance(*q)).enumerate();
            let Some((vertex, distance)) = moved.max_by(|a, b| a.1.total_cmp(&b.1)) else { continue };
            let percent = 100.0 * f64::from(distance) / diagonal;
            // Less is rounding.
            if percent > 1e-4 {
                changed.push(frame);
            }
            if percent > largest.as_ref().map_or(1e-4, |l| l.percent) {
                largest = Some(Largest { percent, frame, vertex });
            }
        }
        Self {
            rig: files.rig.display().to_string(),
            edit: told.done,
            frames: old.frame_count(),
            frames_changed: changed.len(),
            first_changed: changed.first().copied(),
            last_changed: changed.last().copied(),
            largest,
            bones_moved: told.bones,
            correction: told.correction,
            missed: told.missed,
            bones_added: told.parts.iter().map(|[_, name]| name.clone()).collect(),
            parts: told.parts,
            rank: rank(after),
            bytes,
            warnings: told.warnings,
        }
    }

    /// The report for people.
    pub fn table(&self, files: &RigArgs) -> Table {
        let mut table = Table::default();
        table.row("rig", &self.rig);
        table.row("edit", &self.edit);
        table.row("frames", self.frames_in_words());
        if let Some(Largest { percent, frame, vertex }) = &self.largest {
            let place = format!("frame {frame}, vertex {vertex}");
            table.row("farthest", format!("{} % of the diagonal, at {place}", number(*percent)));
        }
        if let (Some(bones), Some(correction)) = (self.bones_moved, self.correction) {
            let shape = match correction {
                0.0 => "no correction was needed".into(),
                c => format!("a correction of up to {} % of the diagonal", number(c)),
            };
            table.row("moved", format!("{}, {shape}", count(bones, "bone", "bones")));
        }
        if !self.parts.is_empty() {
            let added = count(self.parts.len(), "bone", "bones");
            table.row("parts", format!("{added} more, for separate places that one bone moved:"));
            let names: Vec<String> =
                self.parts.iter().map(|[from, name]| format!("{from} -> {name}")).collect();
            names.chunks(4).for_each(|line| table.row("", line.join(", ")));
        }
        table.row("wrote", format!("{} ({})", files.output.display(), size(self.bytes)));
        table.list("warning", &self.warnings);
        table
    }

    fn frames_in_words(&self) -> String {
        let of = format!("of {}", self.frames);
        match (self.first_changed, self.last_changed) {
            (Some(first), Some(last)) if first != last => {
                format!("{} {of} changed, {first} to {last}", self.frames_changed)
            }
            (Some(only), _) => format!("1 {of} changed, frame {only}"),
            _ => format!("none {of} changed"),
        }
    }
}

fn player(stored: &Stored) -> Box<dyn PoseSource + '_> {
    match stored {
        Stored::Rig(rig) => Box::new(Player::new(rig)),
        Stored::Chain(chain) => Box::new(ChainPlayer::new(chain)),
    }
}

fn rank(stored: &Stored) -> usize {
    match stored {
        Stored::Rig(rig) => rig.rank(),
        Stored::Chain(_) => 0,
    }
}
