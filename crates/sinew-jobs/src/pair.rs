//! Two animations brought to the same vertices and frames.
//!
//! A glTF file stores vertices split at seams and keys at its own rate. Which of the ways to read it fits
//! the other animation is found by trying.

use std::path::{Path, PathBuf};

use glam::Vec3;
use sinew::animation::{AnimationError, doubt_poses};
use sinew::geometry::{Bounds, Mesh, Similarity};
use sinew::progress::Progress;
use sinew_io::formats::Said;
use sinew_io::open::units::Agreed;
use sinew_io::open::{self, OpenOptions, Opened};
use sinew_io::scene::{SampleOptions, SampledRig};

use crate::error::Outcome;
use crate::refusals::FileRefusal;
use crate::units::beside;

/// An original and its approximation, of equal size.
pub struct Pair {
    /// The original.
    pub original: Opened,
    /// What it is compared with, in the unit of the original.
    pub approximation: Opened,
    /// By how much its numbers were multiplied for that.
    pub scaled: f64,
}

/// Opens two inputs and makes them fit.
///
/// `said` is about the numbers of the approximation.
pub fn open(paths: [&Path; 2], options: &OpenOptions, said: &Said, progress: &dyn Progress) -> Outcome<Pair> {
    let read = |path: &Path, options: &OpenOptions| -> Outcome<Opened> {
        Ok(open::motion(&[path.to_path_buf()], options, progress)?)
    };
    let mut used = [options.clone(), OpenOptions { said: *said, ..options.clone() }];
    let mut opened = [read(paths[0], &used[0])?, read(paths[1], &used[1])?];
    // The approximation first: it is usually the rig.
    for side in [1, 0] {
        if !is_sampled(paths[side]) {
            continue;
        }
        let other = 1 - side;
        if frames(&opened[0]) != frames(&opened[1]) && options.fps.is_none() {
            used[side].fps = Some(opened[other].animation.fps);
            opened[side] = read(paths[side], &used[side])?;
        }
        for weld in [true, false] {
            if vertices(&opened[0]) == vertices(&opened[1]) {
                break;
            }
            let tried = OpenOptions { weld: Some(weld), ..used[side].clone() };
            let again = read(paths[side], &tried)?;
            if vertices(&again) == vertices(&opened[other]) {
                opened[side] = again;
            }
        }
    }
    let [original, approximation] = opened;
    Pair::of(original, approximation)
}

impl Pair {
    /// Of two that were read.
    ///
    /// # Errors
    /// When they have other numbers of vertices or frames.
    pub fn of(original: Opened, mut approximation: Opened) -> Outcome<Self> {
        let names = [original.source.as_str(), &approximation.source.clone()];
        let facts = [&original.facts, &approximation.facts.clone()];
        approximation.warnings.extend(facts[0].differences(facts[1], names));
        let mut scaled = 1.0;
        if let Some(Agreed { factor, warning }) =
            beside(facts, names, [size(&original), size(&approximation)])
        {
            approximation.animation.change(&Similarity::scaling(factor));
            approximation.warnings.push(warning);
            scaled = factor;
        }
        differ("vertices", &original, &approximation, vertices)?;
        differ("frames", &original, &approximation, frames)?;
        Ok(Self { original, approximation, scaled })
    }
}

impl Pair {
    /// Whether vertices of the two seem to be in different orders, so that distances between them mean nothing.
    pub fn in_other_order(&self) -> bool {
        let [first, second] = [&self.original, &self.approximation].map(|opened| &opened.animation);
        let doubt = |mesh: &Mesh| doubt_poses(mesh, first.frames.frame(0), second.frames.frame(0));
        let told = if first.mesh.face_count() > 0 { &first.mesh } else { &second.mesh };
        !first.frames.is_empty() && doubt(told) == Some(AnimationError::Order)
    }
}

/// Positions of the rest pose that goes with `opened`, from a file of their own.
pub fn rest_positions(path: &Path, opened: &Opened) -> Outcome<Vec<Vec3>> {
    let wanted = vertices(opened);
    let rest = open::rest(path, Some(wanted))?;
    if rest.positions.len() != wanted {
        let (vertices, source_name) = (rest.positions.len(), opened.source.clone());
        return Err(FileRefusal::OtherMesh { path: path.into(), vertices, source_name, wanted }.into());
    }
    let mut rest = rest;
    let sizes = [size(opened), Bounds::of(&rest.positions).diagonal()];
    let names = [opened.source.as_str(), &path.display().to_string()];
    if let Some(agreed) = beside([&opened.facts, &rest.facts], names, sizes) {
        rest.change(&Similarity::scaling(agreed.factor));
    }
    Ok(rest.positions)
}

/// The rig of a glTF file with as many vertices as asked for, if there is a way to read it so.
pub fn rig_like(path: &Path, vertices: usize, options: &SampleOptions) -> Outcome<SampledRig> {
    let sample = |weld| open::rig(path, &SampleOptions { weld, ..options.clone() });
    let usual = sample(None)?;
    if usual.rig.rest.len() == vertices {
        return Ok(usual);
    }
    for weld in [true, false] {
        let other = sample(Some(weld))?;
        if other.rig.rest.len() == vertices {
            return Ok(other);
        }
    }
    Ok(usual)
}

fn is_sampled(path: &Path) -> bool {
    path.is_file() && open::format(path).is_ok_and(|f| f.sampled)
}

/// The diagonal of the first pose.
fn size(opened: &Opened) -> f64 {
    let frames = &opened.animation.frames;
    if frames.is_empty() { 0.0 } else { Bounds::of(frames.frame(0)).diagonal() }
}

fn vertices(opened: &Opened) -> usize {
    opened.animation.frames.vertex_count()
}

fn frames(opened: &Opened) -> usize {
    opened.animation.frames.len()
}

fn differ(what: &'static str, a: &Opened, b: &Opened, count: impl Fn(&Opened) -> usize) -> Outcome<()> {
    let (n, m) = (count(a), count(b));
    if n == m {
        return Ok(());
    }
    let sources = [a.source.clone(), b.source.clone()];
    Err(FileRefusal::Differ { what, sources, counts: [n, m] }.into())
}

/// A list of one, as the readers take it.
pub fn one(path: &Path) -> Vec<PathBuf> {
    vec![path.to_path_buf()]
}
