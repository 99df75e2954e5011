//! Boxes, one by one and four side by side.

use glam::{Mat4, Vec3A, Vec4};

/// Boxes that are looked at together.
pub(super) const LANES: usize = 4;

/// From where to where something reaches.
pub(super) type Reach = [Vec3A; 2];

/// Reaches nowhere.
pub(super) const NOTHING: Reach = [Vec3A::INFINITY, Vec3A::NEG_INFINITY];

/// Boxes axis by axis: whether they meet another is found out for all at once, and without a branch that no one
/// can foresee.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    low: [[f32; LANES]; 3],
    high: [[f32; LANES]; 3],
}

impl Lanes {
    pub fn new(boxes: &[Reach; LANES]) -> Self {
        let end = |side: usize| {
            let [a, b, c, d] = boxes;
            let columns =
                [a[side].extend(0.0), b[side].extend(0.0), c[side].extend(0.0), d[side].extend(0.0)];
            let Mat4 { x_axis, y_axis, z_axis, .. } =
                Mat4::from_cols(columns[0], columns[1], columns[2], columns[3]).transpose();
            [x_axis.to_array(), y_axis.to_array(), z_axis.to_array()]
        };
        Self { low: end(0), high: end(1) }
    }

    /// A bit for each that meets this.
    #[inline]
    pub fn meeting(&self, [from, to]: &Reach) -> u32 {
        let [x, y, z] = [&self.low[0], &self.low[1], &self.low[2]];
        let begin = Vec4::from_array(*x).cmple(Vec4::splat(to.x))
            & Vec4::from_array(*y).cmple(Vec4::splat(to.y))
            & Vec4::from_array(*z).cmple(Vec4::splat(to.z));
        let [x, y, z] = [&self.high[0], &self.high[1], &self.high[2]];
        let end = Vec4::from_array(*x).cmpge(Vec4::splat(from.x))
            & Vec4::from_array(*y).cmpge(Vec4::splat(from.y))
            & Vec4::from_array(*z).cmpge(Vec4::splat(from.z));
        (begin & end).bitmask()
    }

    /// One of them.
    #[inline]
    pub fn get(&self, lane: usize) -> Reach {
        let end = |side: &[[f32; LANES]; 3]| Vec3A::new(side[0][lane], side[1][lane], side[2][lane]);
        [end(&self.low), end(&self.high)]
    }
}

/// The box around two.
#[inline]
pub(super) fn joined([a, b]: Reach, [c, d]: Reach) -> Reach {
    [a.min(c), b.max(d)]
}

/// Whether two boxes have a point in common.
#[inline]
pub(super) fn meet([a, b]: Reach, [c, d]: Reach) -> bool {
    (a.cmple(d) & c.cmple(b)).all()
}

/// Where there are ones in a number.
#[inline]
pub(super) fn ones(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_box() -> impl Strategy<Value = Reach> {
        let point = || prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3A::from_array);
        (point(), point()).prop_map(|(p, q)| [p.min(q), p.max(q)])
    }

    proptest! {
        #[test]
        fn four_at_once_are_as_one_by_one(boxes in prop::array::uniform4(any_box()), other in any_box()) {
            let lanes = Lanes::new(&boxes);
            let alone = (0..LANES).filter(|&lane| meet(boxes[lane], other));
            prop_assert!(ones(lanes.meeting(&other)).eq(alone));
            prop_assert!((0..LANES).all(|lane| lanes.get(lane) == boxes[lane]));
            let some = Lanes::new(&[boxes[0], NOTHING, boxes[1], NOTHING]);
            prop_assert_eq!(some.meeting(&other) & 0b1010, 0, "nothing meets nothing");
        }
    }
}
