//! Blend shapes of all meshes as the corrections of a rig.

use std::ops::Range;

use glam::{DAffine3, DVec3, Vec3};
use sinew::rig::{Corrections, ShapeName};

use super::shapes::BlendShape;
use super::skeleton::SkelAnimation;
use super::stage::Stage;
use super::timing::Frames;
use super::xform::is_flat;
use crate::Result;

/// Displacements with one curve.
struct Column {
    basis: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// The shape whose weights it has, and which of its displacements it is.
    shape: usize,
    part: usize,
    /// Vertices it is stated for.
    ranges: Vec<Range<usize>>,
}

/// Columns found so far.
pub(super) struct Columns {
    vertices: usize,
    columns: Vec<Column>,
    shapes: Vec<(BlendShape, Option<usize>)>,
    /// Other sides of shapes: their name, that of the shape, and how large they are against it.
    minuses: Vec<(String, String, f64)>,
    with_normals: bool,
}

impl Columns {
    pub fn new(vertices: usize) -> Self {
        Self { vertices, columns: Vec::new(), shapes: Vec::new(), minuses: Vec::new(), with_normals: false }
    }

    /// Columns so far.
    pub fn len(&self) -> usize {
        self.columns.len()
    }

    /// Displacements so far.
    pub fn size(&self) -> usize {
        self.columns.len() * self.vertices
    }

    /// Adds a shape of the vertices in `range`, whose points `place` takes to the rest pose. It joins one of
    /// the same name on another mesh.
    pub fn add(
        &mut self,
        mut shape: BlendShape,
        animation: Option<usize>,
        range: Range<usize>,
        place: &DAffine3,
    ) {
        if let Some((of, size)) =
            shape.minus_of.take().filter(|(of, _)| self.shapes.iter().any(|(s, _)| s.name == *of))
        {
            let known = (shape.name, of, size);
            if !self.minuses.contains(&known) {
                self.minuses.push(known);
            }
            return;
        }
        let displacements = std::mem::take(&mut shape.displacements);
        let alike = |(s, a): &(BlendShape, Option<usize>)| {
            s.name == shape.name && *a == animation && s.same_steps(&shape)
        };
        let known =
            self.shapes.iter().position(alike).filter(|&s| {
                self.columns.iter().filter(|c| c.shape == s).all(|c| !c.ranges.contains(&range))
            });
        let upright = if is_flat(place) { place.matrix3 } else { place.matrix3.inverse().transpose() };
        let index = known.unwrap_or_else(|| {
            self.shapes.push((shape, animation));
            self.shapes.len() - 1
        });
        for (part, displacement) in displacements.into_iter().enumerate() {
            let known = self.columns.iter().position(|c| (c.shape, c.part) == (index, part));
            let column = known.unwrap_or_else(|| {
                let basis = vec![Vec3::ZERO; self.vertices];
                self.columns.push(Column {
                    basis,
                    normals: Vec::new(),
                    shape: index,
                    part,
                    ranges: Vec::new(),
                });
                self.columns.len() - 1
            });
            let column = &mut self.columns[column];
            for (to, d) in column.basis[range.clone()].iter_mut().zip(&displacement.offsets) {
                *to = finite(place.matrix3 * *d);
            }
            if !displacement.normals.is_empty() {
                self.with_normals = true;
                column.normals.resize(self.vertices, Vec3::ZERO);
                for (to, d) in column.normals[range.clone()].iter_mut().zip(&displacement.normals) {
                    *to = finite(upright * *d);
                }
            }
            column.ranges.push(range.clone());
        }
    }

    /// The corrections, with the weights of all frames; none without shapes that displace anything.
    pub fn finish(mut self, stage: &Stage, clips: &[Frames]) -> Result<Option<Corrections>> {
        self.columns.retain(|c| c.basis.iter().chain(&c.normals).any(|d| *d != Vec3::ZERO));
        let rank = self.columns.len();
        if rank == 0 {
            return Ok(None);
        }
        let mut coefficients = Vec::new();
        for clip in clips {
            let mut animations: Vec<(Option<usize>, Option<SkelAnimation>)> = Vec::new();
            for (_, animation) in &self.shapes {
                if animations.iter().all(|(known, _)| known != animation) {
                    let played = clip.animation.or(*animation);
                    let read = played.map(|prim| SkelAnimation::read(stage, prim)).transpose()?;
                    animations.push((*animation, read));
                }
            }
            for &time in &clip.times {
                let mut weights = Vec::new();
                for (prim, animation) in &animations {
                    let of_frame = animation.as_ref().map_or(Ok(Vec::new()), |a| a.weights(stage, time))?;
                    weights.push((*prim, animation, of_frame));
                }
                let parts: Vec<Vec<f64>> = self
                    .shapes
                    .iter()
                    .map(|(shape, prim)| shape.parts(self.weight(shape, *prim, &weights)))
                    .collect();
                coefficients.extend(self.columns.iter().map(|c| parts[c.shape][c.part] as f32));
            }
        }
        let name = |column: &Column| match (&self.shapes[column.shape].0.name, column.part) {
            (name, 0) => name.clone(),
            (name, part) => format!("{name}_{part}"),
        };
        // Two sides of one correction are ours, and have no name.
        let ours = !self.minuses.is_empty();
        let names = self.columns.iter().filter(|_| !ours);
        let names = names.map(|column| ShapeName { name: name(column), at_rest: 0.0 }).collect();
        let vertices = self.vertices;
        let with_normals = self.with_normals;
        let mut out = Corrections { rank, basis: Vec::new(), normals: Vec::new(), coefficients, names };
        for mut column in self.columns {
            out.basis.append(&mut column.basis);
            if with_normals {
                column.normals.resize(vertices, Vec3::ZERO);
                out.normals.append(&mut column.normals);
            }
        }
        Ok(Some(out))
    }
}

impl Columns {
    /// The weight of a shape in a frame, less that of its other side.
    fn weight(&self, shape: &BlendShape, prim: Option<usize>, weights: &[Weights]) -> f64 {
        let minuses = self.minuses.iter().filter(|(_, of, _)| *of == shape.name);
        minuses.fold(weight(&shape.name, prim, weights), |sum, (name, _, size)| {
            sum - size * weight(name, prim, weights)
        })
    }
}

type Weights<'a> = (Option<usize>, &'a Option<SkelAnimation>, Vec<f64>);

/// The weight a shape has in a frame.
fn weight(shape: &str, prim: Option<usize>, weights: &[Weights]) -> f64 {
    let Some((_, Some(animation), of_frame)) = weights.iter().find(|w| w.0 == prim) else { return 0.0 };
    let place = animation.shapes.iter().position(|name| name == shape);
    place.and_then(|i| of_frame.get(i).copied()).unwrap_or(0.0)
}

fn finite(v: DVec3) -> Vec3 {
    let v = v.as_vec3();
    if v.is_finite() { v } else { Vec3::ZERO }
}
