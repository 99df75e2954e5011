//! Examples as people list them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use glam::Vec3;
use serde::Deserialize;
use sinew::deform::{Character, DeformOptions, Deformer, Example, Handles, Pose};
use sinew::progress::Progress;
use sinew::rig::Rig;
use sinew_io::formats::{Facts, GLTF, Said, gltf, obj};
use sinew_io::scene::SampleOptions;
use sinew_io::{open, toml_file};

use super::poses::{self, PoseFile};
use super::refuse::{refuse, refuse_setup};
use crate::error::Outcome;
use crate::warning::Warning;

/// What the lines of the file look like.
const EXPECTED: &str = "below a line [[example]] are shape or morphs, pose or turns, and name, frame, place or \
                        strength, such as shape = \"bent.obj\"";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExamplesFile {
    example: Vec<Entry>,
}

/// A shape and its pose.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    /// An OBJ file with the mesh in the pose.
    shape: Option<PathBuf>,
    /// Or morph targets of the body in its rest pose, by name or counted from 0, which the pose then carries
    /// along.
    #[serde(default)]
    morphs: Vec<Morph>,
    /// How much of the morph targets.
    strength: Option<f64>,
    /// A file with the pose, and which frame of it.
    pose: Option<PathBuf>,
    #[serde(default)]
    frame: usize,
    /// Or the pose itself.
    turns: Option<BTreeMap<String, [f64; 3]>>,
    place: Option<[f64; 3]>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Morph {
    Number(usize),
    Name(String),
}

/// The character as it was read, and from where.
pub(super) struct Body<'a> {
    pub path: &'a Path,
    pub rig: &'a Rig,
    pub handles: &'a Handles,
    /// What is known of its numbers, and what was said about them.
    pub facts: &'a Facts,
    pub said: &'a Said,
    pub options: &'a DeformOptions,
    pub progress: &'a dyn Progress,
}

/// Examples by name, and what should be told about them.
#[derive(Default)]
pub(super) struct Listed {
    pub examples: Vec<(String, Example)>,
    pub warnings: Vec<Warning>,
}

/// Reads the examples of a character. Files in the list are found from where the list is.
pub(super) fn read(path: &Path, body: &Body) -> Outcome<Listed> {
    let rig = body.rig;
    let file: ExamplesFile = toml_file::read(path, EXPECTED)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut out = Listed::default();
    for (number, entry) in file.example.iter().enumerate() {
        let shape = entry.shape.as_ref().map(|shape| folder.join(shape));
        let name = entry.name.clone().unwrap_or_else(|| match &entry.shape {
            Some(shape) => shape.display().to_string(),
            None => format!("example {number}"),
        });
        let pose = match (&entry.pose, &entry.turns) {
            (Some(file), None) => {
                let (pose, said) = {
                    let of = poses::Of { rig, facts: body.facts };
                    poses::one(&folder.join(file), None, entry.frame, &of, body.progress)?
                };
                out.warnings.extend(said);
                pose
            }
            (None, Some(turns)) => PoseFile { turns: turns.clone(), place: entry.place }.pose(path, rig)?,
            (None, None) => {
                return refuse(
                    path,
                    format!("{name} has no pose: give it pose = \"FILE\" or turns = {{ ... }}"),
                );
            }
            (Some(_), Some(_)) => return refuse(path, format!("{name} has two poses: a file and turns")),
        };
        let positions = match (shape, &entry.morphs[..]) {
            (Some(shape), []) => of_file(&shape, body)?,
            (None, [_, ..]) => {
                let morphed = morphed(path, &name, body, &entry.morphs, entry.strength.unwrap_or(1.0))?;
                carried(path, body, &morphed, &pose)?
            }
            _ => {
                return refuse(path, format!("{name} needs either shape = \"FILE.obj\" or morphs = [ ... ]"));
            }
        };
        out.examples.push((name, Example { positions, pose }));
    }
    Ok(out)
}

/// The positions of an OBJ file of the same mesh.
fn of_file(path: &Path, body: &Body) -> Outcome<Vec<Vec3>> {
    // Such a file tells nothing: what is said about the body is said about it.
    let (rig, shape) = (body.rig, obj::read(path)?.said(body.said));
    if shape.positions.len() != rig.rest.len() {
        let (found, wanted) = (shape.positions.len(), rig.rest.len());
        return refuse(
            path,
            format!("the example has {found} vertices and the character {wanted}: it must be the same mesh"),
        );
    }
    let same = shape.mesh.face_starts == rig.mesh.face_starts && shape.mesh.corners == rig.mesh.corners;
    if !same {
        return refuse(path, "the example's faces are not the character's: it must be the same mesh");
    }
    Ok(shape.positions)
}

/// The rest pose with some morph targets.
fn morphed(path: &Path, name: &str, body: &Body, morphs: &[Morph], strength: f64) -> Outcome<Vec<Vec3>> {
    if open::format(body.path)? != &GLTF || !strength.is_finite() {
        return refuse(
            path,
            format!("{name}: morph targets are those of a GLB or glTF body, at a finite strength"),
        );
    }
    let file = gltf::open(body.path)?;
    let names = file.morph_names();
    let mut weights = vec![0.0; names.len()];
    for morph in morphs {
        let (found, said) = match morph {
            Morph::Number(number) => (Some(*number).filter(|n| *n < names.len()), number.to_string()),
            Morph::Name(name) => (names.iter().position(|known| known == name), name.clone()),
        };
        let Some(found) = found else {
            let known = if names.is_empty() { "none".into() } else { names.join(", ") };
            return refuse(path, format!("{name}: there is no morph target {said}; the body has {known}"));
        };
        weights[found] = strength;
    }
    let rest = file.with_morphs(&weights).rig(&SampleOptions::default())?.said(body.said).rig.rest;
    match rest.len() == body.rig.rest.len() {
        true => Ok(rest),
        false => {
            refuse(path, format!("{name}: the morph targets tear vertices apart that are one in the body"))
        }
    }
}

/// A shape of the rest pose, brought into a pose without examples.
fn carried(path: &Path, body: &Body, shape: &[Vec3], pose: &Pose) -> Outcome<Vec<Vec3>> {
    let rig = body.rig;
    let (skeleton, joints) = (rig.skeleton.clone().unwrap_or_default(), rig.joint_places());
    let character = Character { mesh: &rig.mesh, rest: shape, skeleton: &skeleton, joints: &joints };
    let deformer = Deformer::new(&character, body.handles, &[], body.options, body.progress)
        .or_else(|e| refuse_setup(path, e))?;
    Ok(deformer.pose(pose))
}
