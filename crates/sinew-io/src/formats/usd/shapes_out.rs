//! Corrections as blend shapes with weights between zero and one.
//!
//! Coefficients have either sign, but Blender shows no weight below zero. A correction that needs both is two
//! shapes, each the other's opposite and scaled to its largest coefficient, of which one at a time has a
//! weight. The second says which it belongs to, so that Sinew reads one correction.

use std::io::Result;

use glam::{DVec3, Vec3};
use sinew::geometry::Part;
use sinew::rig::{Corrections, Rig};

use super::prose::{Identifiers, Prose, quoted};
use super::shapes::{MINUS_OF, MINUS_SIZE};

/// One side of a correction.
struct Side {
    name: String,
    shape: usize,
    /// What the displacements are multiplied with.
    factor: f64,
    /// The side with a positive factor, where there is one, and how large this one is against it.
    minus_of: Option<(String, f64)>,
}

/// The corrections of a rig, ready to be written.
pub(super) struct Shapes<'a> {
    corrections: Option<&'a Corrections>,
    vertices: usize,
    sides: Vec<Side>,
}

impl<'a> Shapes<'a> {
    pub fn new(rig: &'a Rig) -> Self {
        let corrections = rig.corrections.as_ref().filter(|c| c.rank > 0);
        let (mut sides, mut names) = (Vec::new(), Identifiers::default());
        for (c, shape) in corrections.into_iter().flat_map(|c| (0..c.rank).map(move |r| (c, r))) {
            let of_shape = || c.coefficients.iter().skip(shape).step_by(c.rank).map(|q| f64::from(*q));
            let (low, high) = (of_shape().fold(0.0, f64::min), of_shape().fold(0.0, f64::max));
            if !c.names.is_empty() {
                sides.push(Side { name: names.unique(&c.name(shape)), shape, factor: 1.0, minus_of: None });
                continue;
            }
            let name = format!("correction_{shape}");
            if high > 0.0 || low == 0.0 {
                let factor = if high > 0.0 { high } else { 1.0 };
                sides.push(Side { name: name.clone(), shape, factor, minus_of: None });
            }
            if low < 0.0 && high > 0.0 {
                let minus_of = Some((name.clone(), -low / high));
                sides.push(Side { name: format!("{name}_minus"), shape, factor: low, minus_of });
            } else if low < 0.0 {
                sides.push(Side { name, shape, factor: low, minus_of: None });
            }
        }
        Self { corrections, vertices: rig.rest.len(), sides }
    }

    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    pub fn names(&self) -> impl Iterator<Item = String> + '_ {
        self.sides.iter().map(|s| s.name.clone())
    }

    /// Weights of all shapes in a frame.
    pub fn weights(&self, frame: usize) -> Vec<f32> {
        let Some(c) = self.corrections else { return Vec::new() };
        let of_frame = &c.coefficients[frame * c.rank..(frame + 1) * c.rank];
        let weight = |side: &Side| match c.names.get(side.shape) {
            Some(known) => of_frame[side.shape] + known.at_rest,
            None => (f64::from(of_frame[side.shape]) / side.factor).max(0.0) as f32,
        };
        self.sides.iter().map(weight).collect()
    }

    /// Points of a part without the shapes that its rest pose shows.
    pub fn base(&self, rest: &[Vec3], part: &Part) -> Vec<Vec3> {
        let mut points = rest[part.vertices.clone()].to_vec();
        let Some(c) = self.corrections else { return points };
        for (shape, known) in c.names.iter().enumerate().filter(|(_, known)| known.at_rest != 0.0) {
            let shown = self.slice(&c.basis, shape, part).iter();
            points.iter_mut().zip(shown).for_each(|(point, d)| *point -= *d * known.at_rest);
        }
        points
    }

    fn slice(&self, values: &'a [Vec3], shape: usize, part: &Part) -> &'a [Vec3] {
        let start = shape * self.vertices;
        values.get(start + part.vertices.start..start + part.vertices.end).unwrap_or_default()
    }

    fn displaces(&self, side: &Side, part: &Part) -> bool {
        self.corrections.is_some_and(|c| {
            let moved = |values| self.slice(values, side.shape, part).iter().any(|d| *d != Vec3::ZERO);
            moved(&c.basis) || moved(&c.normals)
        })
    }

    /// Displacements, or changes of the normals, of a part at weight one.
    fn scaled(&self, values: &'a [Vec3], side: &Side, part: &Part) -> impl Iterator<Item = DVec3> + 'a {
        let factor = side.factor;
        self.slice(values, side.shape, part).iter().map(move |d| d.as_dvec3() * factor)
    }

    /// The shapes of a part whose prim has this path.
    pub fn write(&self, prose: &mut Prose, path: &str, part: &Part) -> Result<()> {
        let Some(c) = self.corrections else { return Ok(()) };
        let sides: Vec<&Side> = self.sides.iter().filter(|s| self.displaces(s, part)).collect();
        if sides.is_empty() {
            return Ok(());
        }
        prose.array("uniform token[] skel:blendShapes", sides.iter().map(|s| s.name.clone()), &[])?;
        let targets: Vec<String> = sides.iter().map(|s| format!("<{path}/{}>", s.name)).collect();
        prose.line(format!("rel skel:blendShapeTargets = [{}]", targets.join(", ")))?;
        for side in sides {
            prose.prim(&format!("def BlendShape {}", quoted(&side.name)), &[], |prose| {
                if let Some((of, size)) = &side.minus_of {
                    prose.line(format!("custom token {MINUS_OF} = {}", quoted(of)))?;
                    prose.line(format!("custom double {MINUS_SIZE} = {size}"))?;
                }
                prose.array("uniform vector3f[] offsets", self.scaled(&c.basis, side, part), &[])?;
                prose.array("uniform vector3f[] normalOffsets", self.scaled(&c.normals, side, part), &[])
            })?;
        }
        Ok(())
    }
}
