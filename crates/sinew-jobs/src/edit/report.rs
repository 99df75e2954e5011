//! What there is to say about an edit.

use std::path::Path;

use glam::{DAffine3, Vec3};
use serde::Serialize;
use sinew::animation::{Clip, PoseSource};
use sinew::geometry::Bounds;
use sinew::rig::{ChainPlayer, Player};
use sinew_io::formats::sinew_file::Stored;

use super::edited::Told;
use crate::report::EngineReport;
use crate::units::Units;
use crate::warning::Warning;

/// What became of a rig.
#[derive(Debug, Serialize)]
pub struct EditReport {
    /// The rig.
    pub rig: String,
    /// What was done, in a few words.
    pub edit: String,
    /// The clip that was edited; null where there is only one, or all were.
    pub clip: Option<String>,
    /// How many frames that clip has, or the rig.
    pub frames: usize,
    /// How many of them changed.
    pub frames_changed: usize,
    /// The first that did, counted from 0; null without.
    pub first_changed: Option<usize>,
    /// The last that did.
    pub last_changed: Option<usize>,
    /// The vertex that moved farthest; null where none did.
    pub largest: Option<Largest>,
    /// Bones that moved by themselves; null where no pose was sculpted.
    pub bones_moved: Option<usize>,
    /// Whether the body as a whole moved, under the bones that moved by themselves; null where no pose was sculpted.
    pub body_moved: Option<bool>,
    /// The largest displacement that was left to a correction, in percent of the diagonal.
    pub correction: Option<f64>,
    /// How far the edited frame is from its shape, in percent of the diagonal.
    pub missed: Option<f64>,
    /// Bones that were added for separate pieces of the surface that one bone moved.
    pub bones_added: Vec<String>,
    /// The same, each after the name of that bone.
    #[serde(skip)]
    pub parts: Vec<[String; 2]>,
    /// Correction shapes of the edited rig.
    pub rank: usize,
    /// How many joints the file has: more than bones where one takes several, as flexible ones do; null where there is no
    /// file, or none that engines open.
    pub file_joints: Option<usize>,
    /// What engines play of the file, against the rig itself; empty where none opens it.
    pub engines: Vec<EngineReport>,
    /// Units of the rig and of the file.
    #[serde(flatten)]
    pub units: Units,
    /// The size of its file.
    pub bytes: u64,
    /// What somebody should know.
    pub warnings: Vec<Warning>,
}

/// The vertex that moved farthest.
#[derive(Debug, Serialize)]
pub struct Largest {
    /// In percent of the rest pose's diagonal.
    pub percent: f64,
    /// Counted as those that changed.
    pub frame: usize,
    /// The vertex.
    pub vertex: usize,
}

impl EditReport {
    /// Compares a rig with what became of it.
    pub(super) fn new(rig: &Path, before: &Stored, after: &Stored, told: Told, bytes: u64) -> Self {
        let rest = before.rest();
        let diagonal = Bounds::of(rest).diagonal().max(f64::MIN_POSITIVE);
        let [mut was, mut is] = [vec![Vec3::ZERO; rest.len()], vec![Vec3::ZERO; rest.len()]];
        let [old, new] = [player(before), player(after)];
        let clips = clips(before);
        let edited = told.frame.filter(|_| clips.len() > 1);
        let clip = edited.and_then(|frame| clips.iter().find(|clip| clip.frames.contains(&frame)));
        let frames = clip.map_or(0..old.frame_count(), |clip| clip.frames.clone());
        let mut changed = Vec::new();
        let mut largest: Option<Largest> = None;
        for frame in 0..frames.len() {
            old.pose_into(frames.start + frame, &mut was);
            new.pose_into(frames.start + frame, &mut is);
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
            rig: rig.display().to_string(),
            edit: told.done,
            clip: clip.map(|clip| clip.name.clone()),
            frames: frames.len(),
            frames_changed: changed.len(),
            first_changed: changed.first().copied(),
            last_changed: changed.last().copied(),
            largest,
            bones_moved: told.bones,
            body_moved: told.bones.zip(told.frame).map(|(own, frame)| body_moved(before, after, frame, own)),
            correction: told.correction,
            missed: told.missed,
            bones_added: told.parts.iter().map(|[_, name]| name.clone()).collect(),
            parts: told.parts,
            rank: rank(after),
            file_joints: None,
            engines: Vec::new(),
            units: Units::default(),
            bytes,
            warnings: told.warnings,
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

fn clips(stored: &Stored) -> Vec<Clip> {
    match stored {
        Stored::Rig(rig) => rig.clips().into_owned(),
        Stored::Chain(_) => Vec::new(),
    }
}

/// What all bones do in a frame.
fn transforms(stored: &Stored, frame: usize) -> &[DAffine3] {
    match stored {
        Stored::Rig(rig) => rig.frame_transforms(frame),
        Stored::Chain(chain) => chain.frame_steps(frame),
    }
}

/// Whether bones moved in a frame beside the `own` ones that did so by themselves: those go with the body.
fn body_moved(before: &Stored, after: &Stored, frame: usize, own: usize) -> bool {
    let pairs = transforms(before, frame).iter().zip(transforms(after, frame));
    pairs.filter(|(was, is)| was != is).count() > own
}
