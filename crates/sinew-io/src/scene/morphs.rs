//! Corrections as morph targets with weights between zero and one.
//!
//! A morph weight may be any number, but Blender's and Unity's sliders end at 0 and 1. Each shape is
//! therefore stored from the lowest to the highest coefficient it ever has (zero among them):
//! u q = u lo + u (hi − lo) w with w = (q − lo) / (hi − lo). The constant part goes into the stored
//! positions, and the mesh's default weights, those of q = 0, show the rest pose again.
//!
//! Shapes with names were made by others, who set them by these: they stay as they are, whether or not anything moves them,
//! and show the rest pose at the weight that they had there.

use std::ops::Range;

use glam::{DVec3, Vec3};
use sinew::rig::{Corrections, Rig};

use super::layout::{Piece, Primitive};

/// The range of one shape's coefficients.
#[derive(Clone, Copy)]
struct Span {
    low: f64,
    length: f64,
}

/// The corrections of a rig, ready to be stored.
pub(crate) struct Morphs<'a> {
    rig: &'a Rig,
    corrections: Option<&'a Corrections>,
    spans: Vec<Span>,
}

/// Base and targets of one primitive's vertices.
pub(crate) struct Morphed {
    pub positions: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub targets: Vec<Target>,
}

/// One shape on one primitive's vertices, at weight one.
pub(crate) struct Target {
    pub positions: Vec<[f32; 3]>,
    /// Changes of the normals; empty when the corrections have none.
    pub normals: Vec<[f32; 3]>,
}

impl<'a> Morphs<'a> {
    pub fn new(rig: &'a Rig) -> Self {
        let corrections = rig.corrections.as_ref().filter(|c| c.rank > 0);
        let span = |c: &Corrections, r: usize| {
            if let Some(known) = c.names.get(r) {
                return Span { low: -f64::from(known.at_rest), length: 1.0 };
            }
            let of_shape = || c.coefficients.iter().skip(r).step_by(c.rank).map(|q| f64::from(*q));
            let low = of_shape().fold(0.0, f64::min);
            Span { low, length: of_shape().fold(0.0, f64::max) - low }
        };
        let spans = corrections.map_or(Vec::new(), |c| (0..c.rank).map(|r| span(c, r)).collect());
        Self { rig, corrections, spans }
    }

    /// The name of a shape.
    pub fn name(&self, shape: usize) -> String {
        self.corrections.map_or_else(String::new, |c| c.name(shape))
    }

    /// Shapes that ever move anything in a piece, and those with names that could.
    pub fn active(&self, piece: &Piece) -> Vec<usize> {
        let Some(c) = self.corrections else { return Vec::new() };
        let moves = |r: &usize| {
            let basis = &c.basis[r * self.rig.rest.len()..];
            self.spans[*r].length > 0.0
                && piece.primitives.iter().flat_map(|p| &p.sources).any(|&v| basis[v as usize] != Vec3::ZERO)
        };
        (0..c.rank).filter(moves).collect()
    }

    /// Weights that show the rest pose.
    pub fn default_weights(&self, shapes: &[usize]) -> Vec<f32> {
        shapes.iter().map(|&r| self.weight(r, 0.0)).collect()
    }

    /// Whether any frame's weights differ from the default ones.
    pub fn moves(&self, shapes: &[usize]) -> bool {
        let moves =
            |c: &Corrections, r: usize| c.coefficients.iter().skip(r).step_by(c.rank).any(|q| *q != 0.0);
        self.corrections.is_some_and(|c| shapes.iter().any(|&r| moves(c, r)))
    }

    /// Weights of some frames, frame after frame.
    pub fn weights(&self, shapes: &[usize], frames: Range<usize>) -> Vec<f32> {
        let Some(c) = self.corrections else { return Vec::new() };
        let frames = c.coefficients.chunks_exact(c.rank).skip(frames.start).take(frames.len());
        frames.flat_map(|q| shapes.iter().map(|&r| self.weight(r, f64::from(q[r])))).collect()
    }

    fn weight(&self, shape: usize, coefficient: f64) -> f32 {
        let Span { low, length } = self.spans[shape];
        ((coefficient - low) / length) as f32
    }

    /// Base and targets of a primitive.
    pub fn of(&self, p: &Primitive, shapes: &[usize]) -> Morphed {
        let vertices = self.rig.rest.len();
        let layer = |values: &'a [Vec3], r: usize, v: u32| values[r * vertices + v as usize].as_dvec3();
        let sum_of_lows = |values: &'a [Vec3], v: u32| -> DVec3 {
            shapes.iter().map(|&r| layer(values, r, v) * self.spans[r].low).sum()
        };
        let (basis, changes): (&[Vec3], &[Vec3]) =
            self.corrections.map_or((&[], &[]), |c| (&c.basis, &c.normals));
        let position =
            |&v: &u32| (self.rig.rest[v as usize].as_dvec3() + sum_of_lows(basis, v)).as_vec3().to_array();
        let positions = p.sources.iter().map(position).collect();
        // A stored normal has length one; what its length was divided by, its changes are divided by.
        let shapes_of_normals = if changes.is_empty() { &[][..] } else { shapes };
        let (mut normals, mut lengths) = (p.normals.clone(), vec![1.0; p.sources.len()]);
        if !shapes_of_normals.is_empty() {
            for (i, &v) in p.sources.iter().enumerate() {
                let shifted = normals[i].as_dvec3() + sum_of_lows(changes, v);
                let length = shifted.length();
                if length > 1e-3 {
                    (normals[i], lengths[i]) = ((shifted / length).as_vec3(), length);
                }
            }
        }
        let scaled = |values: &'a [Vec3], r: usize, divisor: &dyn Fn(usize) -> f64| -> Vec<[f32; 3]> {
            let one = |(i, &v): (usize, &u32)| {
                (layer(values, r, v) * (self.spans[r].length / divisor(i))).as_vec3().to_array()
            };
            p.sources.iter().enumerate().map(one).collect()
        };
        let target = |&r: &usize| Target {
            positions: scaled(basis, r, &|_| 1.0),
            normals: if changes.is_empty() { Vec::new() } else { scaled(changes, r, &|i| lengths[i]) },
        };
        Morphed {
            positions,
            targets: shapes.iter().map(target).collect(),
            normals: normals.iter().map(|n| n.to_array()).collect(),
        }
    }
}
