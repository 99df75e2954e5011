//! Where prims are: operations one after another, each prim relative to the one above it.

use glam::{DAffine3, DMat3, DVec3};

use super::query::{Between, affine, quaternion};
use super::stage::Stage;
use crate::Result;

/// A transform whose volume is smaller than this part of its size cubed flattens what it moves.
const FLAT: f64 = 1e-12;
/// Operations one prim may have.
const MOST_OPERATIONS: usize = 64;

const ORDER: &str = "xformOpOrder";
const RESET: &str = "!resetXformStack!";
const INVERTED: &str = "!invert!";

impl Stage {
    /// The operations of a prim, the outermost first.
    fn operations(&self, prim: usize) -> Result<Vec<String>> {
        let mut order = self.words(prim, ORDER)?;
        order.truncate(MOST_OPERATIONS);
        // All before a reset has no effect.
        if let Some(reset) = order.iter().rposition(|op| op == RESET) {
            order.drain(..reset);
        }
        Ok(order)
    }

    /// A prim against the one above it, and whether it is to be taken as against the world instead.
    fn local(&self, prim: usize, time: f64) -> Result<(DAffine3, bool)> {
        let (mut local, mut resets) = (DAffine3::IDENTITY, false);
        for op in self.operations(prim)? {
            if op == RESET {
                resets = true;
                continue;
            }
            let (name, inverted) = match op.strip_prefix(INVERTED) {
                Some(name) => (name, true),
                None => (&op[..], false),
            };
            let Some(transform) = self.operation(prim, name, time)? else { continue };
            local *= if inverted { transform.inverse() } else { transform };
        }
        Ok((local, resets))
    }

    fn operation(&self, prim: usize, name: &str, time: f64) -> Result<Option<DAffine3>> {
        let kind = name.split(':').nth(1).unwrap_or_default();
        let between = if kind == "orient" { Between::Turn } else { Between::Linear };
        let Some(v) = self.at(prim, name, time, between)? else { return Ok(None) };
        Ok(match (kind, v.len()) {
            ("translate", 3) => Some(DAffine3::from_translation(DVec3::from_slice(&v))),
            ("scale", 3) => Some(DAffine3::from_scale(DVec3::from_slice(&v))),
            ("translateX" | "translateY" | "translateZ", 1) => {
                Some(DAffine3::from_translation(axis(kind) * v[0]))
            }
            ("scaleX" | "scaleY" | "scaleZ", 1) => {
                let along = axis(kind);
                Some(DAffine3::from_scale(DVec3::ONE - along + along * v[0]))
            }
            ("rotateX" | "rotateY" | "rotateZ", 1) => {
                Some(DAffine3::from_mat3(turn(kind.as_bytes()[6], v[0])))
            }
            ("rotateXYZ" | "rotateXZY" | "rotateYXZ" | "rotateYZX" | "rotateZXY" | "rotateZYX", 3) => {
                // The axis named first turns first.
                let turns = kind.as_bytes()[6..].iter().map(|&a| turn(a, v[usize::from(a - b'X')]));
                Some(DAffine3::from_mat3(turns.fold(DMat3::IDENTITY, |all, turn| turn * all)))
            }
            ("orient", 4) => Some(DAffine3::from_quat(quaternion(&v))),
            ("transform", 16) => Some(affine(&v)),
            _ => None,
        })
    }

    /// Where a prim is in the world.
    pub fn world(&self, prim: usize, time: f64) -> Result<DAffine3> {
        let mut world = DAffine3::IDENTITY;
        let mut at = Some(prim);
        while let Some(prim) = at {
            let (local, resets) = self.local(prim, time)?;
            world = local * world;
            at = self.prims[prim].parent.filter(|_| !resets);
        }
        Ok(world)
    }

    /// The nearest prim, this one or one above it, that moves; none where all stand still.
    pub fn mover(&self, prim: usize) -> Result<Option<usize>> {
        let mut at = Some(prim);
        while let Some(prim) = at {
            let operations = self.operations(prim)?;
            let name = |op: &str| op.strip_prefix(INVERTED).unwrap_or(op).to_owned();
            if operations.iter().any(|op| self.varies(prim, &name(op))) {
                return Ok(Some(prim));
            }
            at = self.prims[prim].parent.filter(|_| operations.first().is_none_or(|op| op != RESET));
        }
        Ok(None)
    }

    /// All times at which a prim or one above it has a sample that places it.
    pub fn place_times(&self, prim: usize, out: &mut Vec<f64>) -> Result<()> {
        let mut at = Some(prim);
        while let Some(prim) = at {
            for op in self.operations(prim)? {
                out.extend(self.times(prim, op.strip_prefix(INVERTED).unwrap_or(&op)));
            }
            at = self.prims[prim].parent;
        }
        Ok(())
    }
}

fn axis(kind: &str) -> DVec3 {
    match kind.as_bytes().last() {
        Some(b'X') => DVec3::X,
        Some(b'Y') => DVec3::Y,
        _ => DVec3::Z,
    }
}

fn turn(axis: u8, degrees: f64) -> DMat3 {
    match axis {
        b'X' => DMat3::from_rotation_x(degrees.to_radians()),
        b'Y' => DMat3::from_rotation_y(degrees.to_radians()),
        _ => DMat3::from_rotation_z(degrees.to_radians()),
    }
}

/// Whether a transform leaves no volume.
pub(super) fn is_flat(transform: &DAffine3) -> bool {
    let size = transform.matrix3.to_cols_array().iter().fold(0.0_f64, |s, x| s.max(x.abs()));
    transform.matrix3.determinant().abs() <= FLAT * size.powi(3)
}
