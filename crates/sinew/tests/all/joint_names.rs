//! Roots, orders and names of trees of joints, however they are numbered.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, DVec3};
use proptest::prelude::*;
use sinew::skeleton::{arrange, choose_root, rooted};

/// Parents, sizes and places of a four-legged body with a neck and a tail.
fn animal() -> (Vec<Option<usize>>, Vec<f64>, Vec<DVec3>) {
    // Body, neck and head, tail, and legs of two: front left and right, hind left and right.
    let parents = vec![
        None,
        Some(0),
        Some(1),
        Some(0),
        Some(0),
        Some(4),
        Some(0),
        Some(6),
        Some(0),
        Some(8),
        Some(0),
        Some(10),
    ];
    let sizes = vec![9.0, 2.0, 2.5, 0.5, 1.0, 0.6, 1.0, 0.6, 1.5, 0.7, 1.5, 0.7];
    let places = [
        [0.0, 0.0, 0.0],
        [1.0, 0.5, 0.0],
        [1.5, 1.0, 0.0],
        [-1.2, 0.1, 0.0],
        [0.9, -0.3, 0.3],
        [0.9, -1.0, 0.3],
        [0.9, -0.3, -0.3],
        [0.9, -1.0, -0.3],
        [-0.9, -0.3, 0.3],
        [-0.9, -1.0, 0.3],
        [-0.9, -0.3, -0.3],
        [-0.9, -1.0, -0.3],
    ];
    (parents, sizes, places.map(DVec3::from_array).to_vec())
}

/// The name of each joint.
fn names(parents: &[Option<usize>], sizes: &[f64], places: &[DVec3]) -> Vec<String> {
    let arranged = arrange(parents, sizes, places);
    let mut names = vec![String::new(); parents.len()];
    for (joint, name) in arranged.order.iter().zip(arranged.names) {
        names[*joint] = name;
    }
    names
}

#[test]
fn an_animal_is_named_limb_by_limb() {
    let (parents, sizes, places) = animal();
    let arranged = arrange(&parents, &sizes, &places);
    assert_eq!(arranged.order, [0, 1, 2, 10, 11, 8, 9, 6, 7, 4, 5, 3]);
    let expected =
        "root limb1_1 limb1_2 limb2_1 limb2_2 limb3_1 limb3_2 limb4_1 limb4_2 limb5_1 limb5_2 limb6_1";
    assert_eq!(arranged.names.join(" "), expected);
}

#[test]
fn limbs_end_where_they_branch() {
    // An arm of three whose last has two fingers, one of two joints.
    let parents = [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(3)];
    let found = names(&parents, &[1.0; 7], &[DVec3::ZERO; 7]);
    assert_eq!(found.join(" "), "root limb1_1 limb1_2 limb1_3 limb2_1 limb2_2 limb3_1");
}

#[test]
fn small_trees_have_names_too() {
    assert!(arrange(&[], &[], &[]).order.is_empty());
    assert_eq!(names(&[None], &[0.0], &[DVec3::ZERO]), ["root"]);
    assert_eq!(
        names(&[None, None, Some(0)], &[1.0, 3.0, 1.0], &[DVec3::ZERO; 3]),
        ["root2", "root", "limb1_1"]
    );
    assert_eq!(choose_root(&[], &[], &[], DVec3::ZERO), None);
    assert_eq!(choose_root(&[], &[0.0], &[DVec3::ZERO], DVec3::ZERO), Some(0));
}

#[test]
fn equals_within_rounding_go_by_distance() {
    // The farther limb is larger by rounding alone.
    let parents = [None, Some(0), Some(0)];
    let places = [DVec3::ZERO, 2.0 * DVec3::X, DVec3::X];
    assert_eq!(names(&parents, &[1.0, 1.0 + 1e-12, 1.0], &places), ["root", "limb2_1", "limb1_1"]);
    assert_eq!(names(&parents, &[1.0, 1.0 + 1e-6, 1.0], &places), ["root", "limb1_1", "limb2_1"]);
}

fn edges(parents: &[Option<usize>]) -> Vec<[usize; 2]> {
    parents.iter().enumerate().filter_map(|(joint, parent)| parent.map(|parent| [joint, parent])).collect()
}

#[test]
fn the_body_is_the_root_even_with_a_hand_at_its_middle() {
    let (parents, sizes, places) = animal();
    assert_eq!(choose_root(&edges(&parents), &sizes, &places, DVec3::new(0.1, -0.1, 0.0)), Some(0));
    // The lower leg hangs right at the centre of gravity, but it is a leaf.
    let mut middles = places.clone();
    middles[5] = DVec3::new(0.1, -0.1, 0.0);
    middles[0] = DVec3::new(0.4, 0.6, 0.0);
    assert_eq!(choose_root(&edges(&parents), &sizes, &middles, middles[5]), Some(0));
}

#[test]
fn a_snake_has_its_root_in_the_middle() {
    let parents: Vec<Option<usize>> = (0..9_usize).map(|j| j.checked_sub(1)).collect();
    let middles: Vec<DVec3> = (0..9).map(|j| DVec3::X * j as f64).collect();
    for center in [DVec3::X * 4.0, DVec3::new(4.1, 2.0, 0.0)] {
        assert_eq!(choose_root(&edges(&parents), &[1.0; 9], &middles, center), Some(4));
    }
    // Curled up so that its tail is at the centre of gravity.
    assert_eq!(choose_root(&edges(&parents), &[1.0; 9], &middles, DVec3::ZERO), Some(3));
}

#[test]
fn trees_are_seen_from_any_root() {
    let (parents, ..) = animal();
    let links = |parents: &[Option<usize>]| -> BTreeSet<[usize; 2]> {
        edges(parents).into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect()
    };
    for root in 0..parents.len() {
        let found = rooted(&edges(&parents), parents.len(), root);
        assert_eq!((0..found.len()).filter(|&j| found[j].is_none()).collect::<Vec<_>>(), [root]);
        assert_eq!(links(&found), links(&parents));
    }
    // Two trees: the other has its first part for a root.
    assert_eq!(rooted(&[[0, 1], [3, 2]], 4, 1), [Some(1), None, None, Some(2)]);
}

/// A random tree: parents, sizes and places, and other numbers for its joints.
fn trees() -> impl Strategy<Value = (Vec<Option<usize>>, Vec<f64>, Vec<DVec3>, Vec<usize>)> {
    let joint = (0.0..1.0_f64, 0..4_u8, prop::array::uniform3(-1.0..1.0_f64));
    prop::collection::vec(joint, 1..30).prop_flat_map(|joints| {
        let parents: Vec<Option<usize>> =
            (0..joints.len()).map(|j| (j > 0).then(|| (joints[j].0 * j as f64) as usize)).collect();
        let sizes = joints.iter().map(|j| f64::from(j.1)).collect::<Vec<_>>();
        let places = joints.iter().map(|j| DVec3::from_array(j.2)).collect::<Vec<_>>();
        let order = Just((0..joints.len()).collect::<Vec<_>>()).prop_shuffle();
        (Just(parents), Just(sizes), Just(places), order)
    })
}

proptest! {
    #[test]
    fn parents_come_first_and_names_are_unique((parents, sizes, places, _) in trees()) {
        let arranged = arrange(&parents, &sizes, &places);
        let at: BTreeMap<usize, usize> = arranged.order.iter().enumerate().map(|(i, j)| (*j, i)).collect();
        prop_assert_eq!(at.len(), parents.len());
        for (joint, parent) in parents.iter().enumerate() {
            prop_assert!(parent.is_none_or(|parent| at[&parent] < at[&joint]));
        }
        prop_assert_eq!(arranged.names.iter().collect::<BTreeSet<_>>().len(), parents.len());
        prop_assert_eq!(&arranged.names[0], "root");
    }

    #[test]
    fn numbering_does_not_matter(
        (parents, sizes, places, new) in trees(),
        middle in prop::array::uniform3(-1.0..1.0_f64),
    ) {
        let middle = DVec3::from_array(middle);
        // Joint j becomes joint new[j].
        let mut moved = (vec![None; new.len()], vec![0.0; new.len()], vec![DVec3::ZERO; new.len()]);
        for joint in 0..new.len() {
            moved.0[new[joint]] = parents[joint].map(|parent| new[parent]);
            moved.1[new[joint]] = sizes[joint];
            moved.2[new[joint]] = places[joint];
        }
        let (before, after) = (names(&parents, &sizes, &places), names(&moved.0, &moved.1, &moved.2));
        for joint in 0..new.len() {
            prop_assert_eq!(&before[joint], &after[new[joint]]);
        }
        let root = choose_root(&edges(&parents), &sizes, &places, middle).unwrap();
        prop_assert_eq!(choose_root(&edges(&moved.0), &moved.1, &moved.2, middle), Some(new[root]));
    }

    #[test]
    fn turning_and_scaling_do_not_matter(
        (parents, _, places, _) in trees(),
        angle in -3.0..3.0_f64,
        scale in 1e-3..1e3_f64,
    ) {
        // Sizes of which no two sums agree.
        let sizes: Vec<f64> = (0..parents.len()).map(|j| 1.0 + (j as f64).sqrt().fract()).collect();
        let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle);
        let turned: Vec<DVec3> = places.iter().map(|p| scale * (turn * *p)).collect();
        let scaled: Vec<f64> = sizes.iter().map(|s| scale * scale * s).collect();
        let (before, after) = (names(&parents, &sizes, &places), names(&parents, &scaled, &turned));
        prop_assert_eq!(before, after);
        let root = choose_root(&edges(&parents), &sizes, &places, DVec3::ZERO);
        prop_assert_eq!(choose_root(&edges(&parents), &scaled, &turned, DVec3::ZERO), root);
    }
}
