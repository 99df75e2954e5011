//! Faces: a mesh with shapes and no motion becomes an animation of its shapes, and their bones one clip a shape.
//!
//! The rest pose is the mesh with all shapes at weight 0. Each shape at weight 1 is a pose of its own, and so are
//! combinations that are listed. What a bone does in a shape is its transform there less that of rest, which is none at all;
//! vertices move linearly with those differences, as they do with the weights of shapes, so that bones at
//! I + Σ weight · (T − I) show any mixture of shapes exactly as far off as the shapes themselves are.

use std::path::Path;

use glam::{DAffine3, DMat3};
use serde::Serialize;
use sinew::animation::{Clip, Frames, Measured, MeshAnimation, PoseSource, compare};
use sinew::geometry::corner_normals;
use sinew::nodes;
use sinew::progress::Progress;
use sinew::rig::{Corrections, Player, Rig};
use sinew::skin::{MethodName, Skinned};
use sinew_io::open::{self, Opened};
use sinew_io::scene::SampledRig;

use super::fit::Fit;
use super::order::SkinJob;
use crate::error::Outcome;
use crate::refusals::ShapeRefusal;
use crate::report::{ShapeReport, write_json};
use crate::source::has_clips;

/// Names of the shapes that an animation shows, in the order of its frames after the first, which is the rest pose.
#[derive(Clone, Debug)]
pub(super) struct Shapes(Vec<String>);

/// The shapes of what was read, where nothing moves in it or they are asked for.
pub(super) fn read(
    job: &SkinJob,
    opened: Opened,
    progress: &dyn Progress,
) -> Outcome<(Opened, Option<Shapes>)> {
    let asked = job.shapes || !job.combine.is_empty();
    let frames = &opened.animation.frames;
    if !asked && frames.moves(0..frames.len()) {
        return Ok((opened, None));
    }
    let [path] = &job.source.inputs[..] else {
        return if asked { Err(ShapeRefusal::OneFile.into()) } else { Ok((opened, None)) };
    };
    progress.stage("shapes");
    let options = job.source.options();
    let shaped = match has_clips(path) {
        true => {
            Some(open::rig(path, &options.sampling())?).filter(|sampled| sampled.rig.corrections.is_some())
        }
        false => None,
    };
    match shaped {
        Some(sampled) => {
            let input_bytes = opened.input_bytes;
            let (posed, shapes) = pose(sampled, &job.combine, path)?;
            Ok((Opened { input_bytes, ..posed.said(&options.said) }, Some(shapes)))
        }
        None if asked => Err(ShapeRefusal::None(path.clone()).into()),
        None => Ok((opened, None)),
    }
}

/// The rest pose and all shapes as frames.
fn pose(sampled: SampledRig, combine: &[String], path: &Path) -> Outcome<(Opened, Shapes)> {
    let SampledRig { mut rig, warnings, light, facts, .. } = sampled;
    let Some(mut corrections) = rig.corrections.take() else {
        return Err(ShapeRefusal::None(path.into()).into());
    };
    let mut names: Vec<String> = Vec::new();
    for name in (0..corrections.rank).map(|r| corrections.name(r)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut poses: Vec<Vec<String>> = vec![Vec::new()];
    poses.extend(names.iter().map(|name| vec![name.clone()]));
    for wanted in combine {
        let parts: Vec<String> = wanted.split('+').map(|part| part.trim().to_owned()).collect();
        if let Some(name) = parts.iter().find(|part| !names.contains(part)) {
            let (path, name) = (path.into(), name.clone());
            return Err(
                ShapeRefusal::NoShape { path, name, some: names.into_iter().take(5).collect() }.into()
            );
        }
        poses.push(parts);
    }
    corrections.coefficients = poses.iter().flat_map(|on| weights(&corrections, on)).collect();
    let shapes = Shapes(poses[1..].iter().map(|on| on.join("+")).collect());
    rig.transforms = rig.frame_transforms(0).repeat(poses.len());
    rig.nodes = nodes::at_rest(&rig.nodes).0;
    rig.clips = Vec::new();
    let rest = rig.rest.clone();
    let rig = Rig { corrections: Some(corrections), ..rig };
    let sampled = SampledRig { rig, warnings, clip: None, light, facts };
    let mut opened = Opened::of_rig(path, sampled)?;
    let animation = &mut opened.animation;
    animation.rest = None;
    let first = animation.frames.frame(0);
    if animation.mesh.normals.is_some() && *first != rest[..] {
        animation.mesh.normals = Some(corner_normals(&animation.mesh, first));
    }
    Ok((opened, shapes))
}

/// Coefficients that show some shapes and nothing of the others.
fn weights(corrections: &Corrections, on: &[String]) -> Vec<f32> {
    let of = |r: usize| {
        let at_rest = corrections.names.get(r).map_or(0.0, |known| known.at_rest);
        if on.contains(&corrections.name(r)) { 1.0 - at_rest } else { -at_rest }
    };
    (0..corrections.rank).map(of).collect()
}

impl Fit {
    /// Of shapes: the rest pose stays, and nothing moves in it.
    pub(super) fn for_shapes(&mut self) {
        if self.method() == MethodName::Best {
            self.keep_rest = true;
            self.sparse = self.sparse.or(Some(0.0)).filter(|_| self.bones_from.is_none());
        }
    }
}

impl Shapes {
    /// Which frames of the clips are those that were fitted.
    fn fitted(&self) -> Vec<usize> {
        std::iter::once(0).chain((0..self.0.len()).map(|shape| 2 * shape + 1)).collect()
    }

    /// One clip a shape, from rest to the shape.
    pub fn as_clips(&self, mut opened: Opened, mut skinned: Skinned) -> (Opened, Skinned) {
        let animation = &mut opened.animation;
        let order: Vec<usize> = (0..self.0.len()).flat_map(|shape| [0, shape + 1]).collect();
        let poses: Vec<&[glam::Vec3]> = order.iter().map(|&frame| animation.frames.frame(frame)).collect();
        let frames = Frames::from_poses(&poses);
        animation.frames = frames;
        let clip = |(shape, name): (usize, &String)| Clip {
            name: name.clone(),
            frames: 2 * shape..2 * shape + 2,
            fps: animation.fps,
        };
        let clips: Vec<Clip> = self.0.iter().enumerate().map(clip).collect();
        animation.clips = clips.clone();
        let rig = &mut skinned.rig;
        rig.transforms = order.iter().flat_map(|&frame| rig.frame_transforms(frame)).copied().collect();
        if let Some(c) = &mut rig.corrections {
            let of_frame = |&frame: &usize| &c.coefficients[frame * c.rank..(frame + 1) * c.rank];
            c.coefficients = order.iter().flat_map(of_frame).copied().collect();
        }
        rig.clips = clips;
        (opened, skinned)
    }

    /// How far a rig of clips is off, with the rest pose counted once.
    pub fn measure(&self, rig: &Rig, animation: &MeshAnimation) -> Measured {
        let (player, frames) = (Player::new(rig), self.fitted());
        let [original, made] =
            [animation as &dyn PoseSource, &player].map(|source| Picked { source, frames: &frames });
        compare(&original, &made, animation.rest_bounds())
    }

    /// Each shape with what moves in it and how far it is off.
    pub fn reports(&self, rig: &Rig, animation: &MeshAnimation) -> Vec<ShapeReport> {
        let (player, bounds) = (Player::new(rig), animation.rest_bounds());
        let of_shape = |(shape, name): (usize, &String)| {
            let frames = [2 * shape + 1];
            let [original, made] =
                [animation as &dyn PoseSource, &player].map(|source| Picked { source, frames: &frames });
            let error = compare(&original, &made, bounds).error;
            let moving = rig.frame_transforms(frames[0]).iter().filter(|t| moves(t)).count();
            ShapeReport { name: name.clone(), moving, mean: error.mean, p99: error.p99, max: error.max }
        };
        self.0.iter().enumerate().map(of_shape).collect()
    }

    /// Writes what each bone does in each shape.
    pub fn write_table(&self, path: &Path, rig: &Rig) -> Outcome<()> {
        let of_shape = |(shape, name): (usize, &String)| TableShape {
            name: name.clone(),
            bones: rig
                .frame_transforms(2 * shape + 1)
                .iter()
                .enumerate()
                .filter(|(_, t)| moves(t))
                .map(|(bone, t)| TableDelta { bone, delta: delta(t) })
                .collect(),
        };
        let table = Table {
            bones: rig
                .bones
                .iter()
                .map(|b| TableBone { name: b.name.clone(), center: b.center.to_array() })
                .collect(),
            shapes: self.0.iter().enumerate().map(of_shape).collect(),
        };
        write_json(path, &table)
    }
}

/// Whether a bone does anything at all.
fn moves(transform: &DAffine3) -> bool {
    *transform != DAffine3::IDENTITY
}

/// Three rows of four numbers: the transform less none at all.
fn delta(t: &DAffine3) -> [[f64; 4]; 3] {
    let m = (t.matrix3 - DMat3::IDENTITY).to_cols_array();
    std::array::from_fn(|row| [m[row], m[3 + row], m[6 + row], t.translation[row]])
}

/// What engines need to drive bones by the weights of shapes: with p a vertex at rest and w its weights,
/// p + Σ weight of shape · Σ w of bone · delta (p, 1).
#[derive(Serialize)]
struct Table {
    bones: Vec<TableBone>,
    shapes: Vec<TableShape>,
}

#[derive(Serialize)]
struct TableBone {
    name: String,
    center: [f64; 3],
}

#[derive(Serialize)]
struct TableShape {
    name: String,
    /// Bones that move; all others have none.
    bones: Vec<TableDelta>,
}

#[derive(Serialize)]
struct TableDelta {
    bone: usize,
    /// Rows.
    delta: [[f64; 4]; 3],
}

/// Some frames of another.
struct Picked<'a> {
    source: &'a dyn PoseSource,
    frames: &'a [usize],
}

impl PoseSource for Picked<'_> {
    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn vertex_count(&self) -> usize {
        self.source.vertex_count()
    }

    fn pose_into(&self, frame: usize, out: &mut [glam::Vec3]) {
        self.source.pose_into(self.frames[frame], out);
    }
}
