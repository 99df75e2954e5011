use proptest::prelude::*;

use super::super::bvh::Point;
use super::*;

fn any_box() -> impl Strategy<Value = Aabb<Vec3A>> {
    let point = || prop::array::uniform3(-1.0..1.0_f32).prop_map(Vec3A::from_array);
    (point(), point()).prop_map(|(p, q)| [p.min(q), p.max(q)])
}

proptest! {
    #[test]
    fn four_at_once_are_as_one_by_one(boxes in prop::array::uniform4(any_box()), other in any_box()) {
        let four = Boxes4::new(&boxes);
        let alone = (0..LANES).filter(|&lane| Vec3A::overlap(boxes[lane], other));
        prop_assert!(ones(four.overlapping(&other)).eq(alone));
        prop_assert!((0..LANES).all(|lane| four.get(lane) == boxes[lane]));
        prop_assert_eq!(four.whole(), boxes.into_iter().fold(Vec3A::NOWHERE, Vec3A::joined));
        let some = Boxes4::new(&[boxes[0], Vec3A::NOWHERE, boxes[1], Vec3A::NOWHERE]);
        prop_assert_eq!(some.overlapping(&other) & 0b1010, 0, "nothing meets nothing");
    }
}
