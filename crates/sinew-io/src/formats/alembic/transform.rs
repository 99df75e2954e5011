//! Transforms: operations, of which only the numbers change.

use glam::{DAffine3, DMat3, DQuat, DVec3};

use super::header::{Kind, Property};
use super::time::{Between, Sampling};
use crate::Result;
use crate::containers::ogawa::Ogawa;

/// An operation, of type `AbcGeom_Xform_v3`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Scale,
    Translate,
    /// About an axis, by degrees.
    Rotate,
    Matrix,
    /// About x, y or z, by degrees.
    RotateAbout(DVec3),
}

impl Op {
    fn of(code: i64) -> Option<Self> {
        // The lower half says what a program used the operation for.
        Some(match code >> 4 {
            0 => Self::Scale,
            1 => Self::Translate,
            2 => Self::Rotate,
            3 => Self::Matrix,
            4 => Self::RotateAbout(DVec3::X),
            5 => Self::RotateAbout(DVec3::Y),
            6 => Self::RotateAbout(DVec3::Z),
            _ => return None,
        })
    }

    fn numbers(self) -> usize {
        match self {
            Self::Scale | Self::Translate => 3,
            Self::Rotate => 4,
            Self::Matrix => 16,
            Self::RotateAbout(_) => 1,
        }
    }

    fn map(self, n: &[f64]) -> DAffine3 {
        let vector = || DVec3::from_slice(n);
        match self {
            Self::Scale => DAffine3::from_scale(vector()),
            Self::Translate => DAffine3::from_translation(vector()),
            Self::Rotate => turn(vector(), n[3]),
            Self::RotateAbout(axis) => turn(axis, n[0]),
            Self::Matrix => matrix(n),
        }
    }

    /// Between two of its kind. Matrices without shear turn, instead of shrinking on their way.
    fn between(self, a: &[f64], b: &[f64], weight: f64) -> DAffine3 {
        let mixed: Vec<f64> = a.iter().zip(b).map(|(a, b)| a + weight * (b - a)).collect();
        if self != Self::Matrix {
            return self.map(&mixed);
        }
        let parts = |m: &[f64]| {
            let m = matrix(m);
            let (scale, rotation, translation) = m.to_scale_rotation_translation();
            let again = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
            let sheared = !again.abs_diff_eq(m, 1e-6 * (1.0 + scale.abs().max_element()));
            (m.matrix3.determinant() > 0.0 && !sheared).then_some((scale, rotation, translation))
        };
        match (parts(a), parts(b)) {
            (Some((s, r, t)), Some((s2, r2, t2))) => DAffine3::from_scale_rotation_translation(
                s.lerp(s2, weight),
                r.slerp(r2, weight),
                t.lerp(t2, weight),
            ),
            _ => matrix(&mixed),
        }
    }
}

/// A rotation; an axis of no length turns nothing.
fn turn(axis: DVec3, degrees: f64) -> DAffine3 {
    let axis = axis.try_normalize().unwrap_or(DVec3::Z);
    DAffine3::from_quat(DQuat::from_axis_angle(axis, degrees.to_radians()))
}

/// Row after row, for points on the left: columns for points on the right.
fn matrix(n: &[f64]) -> DAffine3 {
    let row = |r: usize| DVec3::from_slice(&n[4 * r..]);
    DAffine3 { matrix3: DMat3::from_cols(row(0), row(1), row(2)), translation: row(3) }
}

/// A transform object.
#[derive(Debug, Default)]
pub(super) struct Transform {
    ops: Vec<Op>,
    vals: Option<Property>,
    inherits: Option<Property>,
}

impl Transform {
    /// Reads the schema's properties.
    pub fn read(file: &Ogawa, properties: Vec<Property>, name: &str) -> Result<Self> {
        let mut out = Self::default();
        for property in properties {
            match property.name.as_str() {
                ".ops" if property.samples > 0 => out.ops = ops(file, &property, name)?,
                ".vals" if property.samples > 0 => out.vals = Some(property),
                ".inherits" if property.samples > 0 => out.inherits = Some(property),
                _ => {}
            }
        }
        if out.ops.is_empty() {
            out.vals = None;
        }
        Ok(out)
    }

    /// Checks that every sample has the numbers the operations need.
    pub fn check(&self, file: &Ogawa, name: &str) -> Result<()> {
        for inherits in self.inherits.iter() {
            (0..inherits.stored_count()).try_for_each(|stored| inherits.numbers(file, stored).map(drop))?;
        }
        let needed: usize = self.ops.iter().map(|op| op.numbers()).sum();
        let Some(vals) = &self.vals else { return Ok(()) };
        for stored in 0..vals.stored_count() {
            let numbers = vals.numbers(file, stored)?;
            if !numbers.pod.is_real() || numbers.len() < needed {
                let found = numbers.len();
                let message =
                    format!("transform {name} needs {needed} numbers, but sample {stored} has {found}");
                return Err(file.malformed(message));
            }
            if !self.local_of(&numbers.reals().unwrap_or_default()).is_finite() {
                let message = format!("transform {name} is not finite in sample {stored}");
                return Err(file.malformed(message));
            }
        }
        Ok(())
    }

    /// The property whose samples move it, where there is one.
    pub fn moving(&self) -> Option<&Property> {
        self.vals.as_ref().or(self.inherits.as_ref())
    }

    fn local_of(&self, numbers: &[f64]) -> DAffine3 {
        self.fold(|op, range| op.map(&numbers[range]))
    }

    /// All operations: the last is the first to carry a point.
    fn fold(&self, map: impl Fn(Op, std::ops::Range<usize>) -> DAffine3) -> DAffine3 {
        let mut at = 0;
        self.ops.iter().fold(DAffine3::IDENTITY, |all, op| {
            let range = at..at + op.numbers();
            at = range.end;
            all * map(*op, range)
        })
    }

    /// Where it carries points at a time, and whether its parent carries them further.
    pub fn at(&self, file: &Ogawa, samplings: &[Sampling], time: f64) -> Result<(DAffine3, bool)> {
        let between = |p: &Property| samplings[p.sampling].between(time, p.samples);
        let inherits = match &self.inherits {
            None => true,
            Some(p) => p.numbers(file, p.stored(between(p).lower))?.bytes.first() != Some(&0),
        };
        let Some(vals) = &self.vals else { return Ok((DAffine3::IDENTITY, inherits)) };
        let Between { lower, weight } = between(vals);
        let numbers = |index| {
            let numbers = vals.numbers(file, vals.stored(index))?.reals().unwrap_or_default();
            let enough = numbers.len() >= self.ops.iter().map(|op| op.numbers()).sum();
            enough.then_some(numbers).ok_or_else(|| file.malformed("a transform changed while it was read"))
        };
        let a: Vec<f64> = numbers(lower)?;
        let b = if weight > 0.0 { numbers(lower + 1)? } else { a.clone() };
        if a == b {
            return Ok((self.local_of(&a), inherits));
        }
        Ok((self.fold(|op, range| op.between(&a[range.clone()], &b[range], weight)), inherits))
    }
}

fn ops(file: &Ogawa, property: &Property, name: &str) -> Result<Vec<Op>> {
    let codes = property.numbers(file, 0)?.integers().unwrap_or_default();
    // An array's length counts, a scalar's is its extent.
    let count = if property.kind == Kind::Array { codes.len() } else { property.extent };
    let known = codes.iter().take(count).map(|code| Op::of(*code)).collect::<Option<_>>();
    known.ok_or_else(|| file.malformed(format!("transform {name} has an operation of an unknown kind")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_operation_comes_first() {
        let transform =
            Transform { ops: vec![Op::Translate, Op::Rotate, Op::Scale], vals: None, inherits: None };
        let numbers = [10.0, 0.0, 0.0, 0.0, 0.0, 2.0, 90.0, 2.0, 1.0, 1.0];
        let p = transform.local_of(&numbers).transform_point3(DVec3::X);
        assert!(p.abs_diff_eq(DVec3::new(10.0, 2.0, 0.0), 1e-12), "{p}");
    }

    #[test]
    fn matrices_turn_halfway() {
        let flat = |m: DAffine3| -> Vec<f64> {
            let row = |c: DVec3, last| [c.x, c.y, c.z, last];
            let (x, y, z) = (m.matrix3.x_axis, m.matrix3.y_axis, m.matrix3.z_axis);
            [row(x, 0.0), row(y, 0.0), row(z, 0.0), row(m.translation, 1.0)].concat()
        };
        let quarter = DAffine3::from_rotation_z(90f64.to_radians());
        let half = Op::Matrix.between(&flat(DAffine3::IDENTITY), &flat(quarter), 0.5);
        assert!(half.abs_diff_eq(DAffine3::from_rotation_z(45f64.to_radians()), 1e-12));
        assert_eq!(Op::Matrix.map(&flat(quarter)), quarter);
    }
}
