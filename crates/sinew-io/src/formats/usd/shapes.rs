//! Blend shapes: displacements of a mesh's points, with shapes in between.
//!
//! A shape of weight w shows a point on the line through the shapes around w: nothing at 0, the shape itself
//! at 1, and in-between shapes where they say. That is a sum of all of them with weights that depend on w
//! alone, so each becomes a displacement of its own.

use glam::DVec3;

use super::query::{Between, points};
use super::stage::Stage;
use crate::Result;

/// Shapes in between that a blend shape may have.
const MOST_BETWEEN: usize = 64;
/// Weights nearer than this to nothing show nothing.
const NOTHING: f64 = 1e-6;

/// Attributes of a shape that shows what another one does at negative weights: its name, and how large this
/// one is against it. Blender plays no negative weights.
pub(super) const MINUS_OF: &str = "sinew:minusOf";
pub(super) const MINUS_SIZE: &str = "sinew:minusSize";

/// One displacement of a mesh.
pub(super) struct Displacement {
    /// One for each point.
    pub offsets: Vec<DVec3>,
    /// Changes of the normals; empty without.
    pub normals: Vec<DVec3>,
}

/// A blend shape of a mesh.
pub(super) struct BlendShape {
    /// Which weight of the animation it has.
    pub name: String,
    /// Of files written by Sinew: the shape that this one is the other side of, and how large it is against
    /// that.
    pub minus_of: Option<(String, f64)>,
    /// Weights at which its displacements show whole, ascending. None is at 0.
    at: Vec<f64>,
    pub displacements: Vec<Displacement>,
}

impl BlendShape {
    /// Reads a BlendShape prim for a mesh of `count` points.
    pub fn read(stage: &Stage, prim: usize, name: String, count: usize) -> Result<Self> {
        let indices = stage.at(prim, "pointIndices", 0.0, Between::Held)?;
        let spread = |name: &str| -> Result<Vec<DVec3>> {
            let stated = stage.at(prim, name, 0.0, Between::Held)?.map_or(Vec::new(), |n| points(&n));
            Ok(spread(&stated, indices.as_deref(), count))
        };
        let mut found = vec![(1.0, "offsets".to_owned(), "normalOffsets".to_owned())];
        for name in stage.property_names(prim) {
            let plain = name.starts_with("inbetweens:") && !name.ends_with(":normalOffsets");
            if let Some(weight) = stage.fact(prim, &name, |p| p.weight).filter(|_| plain) {
                let normals = format!("{name}:normalOffsets");
                found.push((weight, name, normals));
            }
        }
        found.retain(|(weight, ..)| weight.abs() > NOTHING);
        found.truncate(MOST_BETWEEN);
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        found.dedup_by(|a, b| a.0 == b.0);
        let ratio = stage.at(prim, MINUS_SIZE, 0.0, Between::Held)?.and_then(|v| v.first().copied());
        let minus_of = stage.word(prim, MINUS_OF)?.zip(ratio.filter(|r| r.is_finite()));
        let mut shape = Self { name, minus_of, at: Vec::new(), displacements: Vec::new() };
        for (weight, offsets, normals) in found {
            shape.at.push(weight);
            let displacement = Displacement { offsets: spread(&offsets)?, normals: spread(&normals)? };
            shape.displacements.push(displacement);
        }
        Ok(shape)
    }

    /// Whether another shape has its displacements at the same weights.
    pub fn same_steps(&self, other: &Self) -> bool {
        self.at == other.at
    }

    /// How much of each displacement shows at a weight.
    pub fn parts(&self, weight: f64) -> Vec<f64> {
        let mut parts = vec![0.0; self.at.len()];
        if weight.abs() <= NOTHING || !weight.is_finite() {
            return parts;
        }
        // Nothing is a shape as well, at weight 0.
        let zero = self.at.partition_point(|w| *w < 0.0);
        let mut at = self.at.clone();
        at.insert(zero, 0.0);
        let above = at.partition_point(|w| *w <= weight).clamp(1, at.len() - 1);
        let t = (weight - at[above - 1]) / (at[above] - at[above - 1]);
        let mut add = |shape: usize, part: f64| {
            if shape != zero {
                parts[shape - usize::from(shape > zero)] += part;
            }
        };
        add(above - 1, 1.0 - t);
        add(above, t);
        parts
    }
}

/// Values of some points as values of all.
fn spread(stated: &[DVec3], indices: Option<&[f64]>, count: usize) -> Vec<DVec3> {
    if stated.is_empty() {
        return Vec::new();
    }
    let mut out = vec![DVec3::ZERO; count];
    match indices {
        Some(indices) if !indices.is_empty() => {
            for (&index, value) in indices.iter().zip(stated) {
                if let Some(to) = out.get_mut(index as usize).filter(|_| index >= 0.0) {
                    *to = *value;
                }
            }
        }
        _ => out.iter_mut().zip(stated).for_each(|(to, value)| *to = *value),
    }
    out
}
