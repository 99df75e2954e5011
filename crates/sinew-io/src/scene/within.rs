//! Shapes of others with weights between zero and one.
//!
//! A weight may be any number, but sliders of Blender end at 0 and 1 in files of glTF and USD. A shape d that is shown with
//! weights w beyond these is stored as strong as it ever is, and what takes it back as a shape of its own:
//! w d = (max(w, 0) / s) s d + (max(−w, 0) / t) (−t d), with weights within 0 and 1 for the largest s and t. One that is
//! never shown so strongly stays as its maker made it.

use std::borrow::Cow;

use glam::Vec3;
use sinew::rig::{Corrections, Rig, ShapeName};

use super::names::Names;
use crate::Warning;
use crate::warning::Counted;

/// How far a weight may be beyond 0 and 1: no more than rounding.
const BEYOND: f64 = 1e-5;

/// What takes back a shape is called like it, with this.
const OPPOSITE: &str = "_opposite";

/// A shape as it is stored.
struct Side {
    /// The shape.
    of: usize,
    name: String,
    /// What its displacements are multiplied by, and its weights divided by.
    factor: f64,
}

impl Side {
    fn weight(&self, weight: f64) -> f64 {
        (weight / self.factor).max(0.0)
    }
}

/// The rig with weights of its named shapes within 0 and 1.
pub(crate) fn within<'a>(rig: &'a Rig, warnings: &mut Vec<Warning>) -> Cow<'a, Rig> {
    let Some(c) = rig.corrections.as_ref().filter(|c| !c.names.is_empty() && c.names.len() == c.rank) else {
        return Cow::Borrowed(rig);
    };
    let spans: Vec<(f64, f64)> = (0..c.rank).map(|shape| span(c, shape)).collect();
    let beyond = |&&(low, high): &&(f64, f64)| low < -BEYOND || high > 1.0 + BEYOND;
    let count = spans.iter().filter(beyond).count();
    if count == 0 {
        return Cow::Borrowed(rig);
    }
    warnings.push(Warning::Count { count, of: Counted::ShapesBeyond });
    let mut names = Names::default();
    let own: Vec<String> = c.names.iter().map(|known| names.unique(known.name.clone())).collect();
    let mut sides = Vec::new();
    for (of, span) in spans.iter().enumerate() {
        let name = own[of].clone();
        if !beyond(&span) {
            // Whatever rounding put beyond stays: its weight is its own.
            sides.push((Side { of, name, factor: 1.0 }, true));
            continue;
        }
        let opposite = (span.0 < -BEYOND).then(|| names.unique(format!("{name}{OPPOSITE}")));
        sides.push((Side { of, name, factor: span.1.max(1.0) }, false));
        sides.extend(opposite.map(|name| (Side { of, name, factor: span.0.min(-1.0) }, false)));
    }
    let vertices = rig.rest.len();
    let scaled = |values: &[Vec3]| -> Vec<Vec3> {
        let values =
            |side: &Side| values.get(side.of * vertices..(side.of + 1) * vertices).unwrap_or_default();
        let scale = |side: &Side| {
            let factor = side.factor;
            values(side).iter().map(move |d| (d.as_dvec3() * factor).as_vec3()).collect::<Vec<_>>()
        };
        sides.iter().flat_map(|(side, _)| scale(side)).collect()
    };
    let weight = |(side, kept): &(Side, bool), weight: f64| if *kept { weight } else { side.weight(weight) };
    let at_rest = |side: &(Side, bool)| weight(side, f64::from(c.names[side.0.of].at_rest)) as f32;
    let names: Vec<ShapeName> =
        sides.iter().map(|side| ShapeName { name: side.0.name.clone(), at_rest: at_rest(side) }).collect();
    let coefficients = c.coefficients.chunks_exact(c.rank).flat_map(|q| {
        sides.iter().zip(&names).map(|(side, known)| {
            let shown = f64::from(q[side.0.of]) + f64::from(c.names[side.0.of].at_rest);
            (weight(side, shown) - f64::from(known.at_rest)) as f32
        })
    });
    let corrections = Corrections {
        rank: sides.len(),
        basis: scaled(&c.basis),
        normals: scaled(&c.normals),
        coefficients: coefficients.collect(),
        names: names.clone(),
    };
    Cow::Owned(Rig { corrections: Some(corrections), ..rig.clone() })
}

/// The least and the largest weight that a shape ever has.
fn span(c: &Corrections, shape: usize) -> (f64, f64) {
    let at_rest = f64::from(c.names[shape].at_rest);
    let weights = c.coefficients.iter().skip(shape).step_by(c.rank).map(|q| f64::from(*q) + at_rest);
    weights.fold((at_rest, at_rest), |(low, high), w| (low.min(w), high.max(w)))
}
