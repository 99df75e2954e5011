use super::*;
use crate::deform::surface::Welded;
use crate::rig::Skeleton;
use glam::{DVec3, Vec3};

/// Joints with a triangle each, all of one piece or each its own; which joints hold something.
fn holders(parents: &[Option<usize>], places: &[DVec3], one_piece: bool, ends: bool) -> Vec<u32> {
    let mut rest: Vec<Vec3> = Vec::new();
    let mut triangles = Vec::new();
    for place in places {
        let first = rest.len() as u32;
        rest.extend([DVec3::ZERO, DVec3::X, DVec3::Z].map(|by| (*place + 0.01 * by).as_vec3()));
        triangles.push([first, first + 1, first + 2]);
        if one_piece && first > 0 {
            triangles.push([first, first - 1, first - 2]);
        }
    }
    let joint_of: Vec<u32> = (0..rest.len() as u32).map(|point| point / 3).collect();
    let surface = Surface::new(&triangles, &rest, Welded::new(&rest, &[]));
    let tree = Tree::new(&Skeleton { parents: parents.to_vec() }, places);
    let mut joints: Vec<u32> =
        held(&surface, &tree, &joint_of, ends).into_iter().map(|(_, joint)| joint).collect();
    joints.dedup();
    joints
}

/// Hips, then thigh, shin, foot and toes, then chest, upper arm, its twist, forearm, hand and two joints of a finger.
fn body() -> (Vec<Option<usize>>, Vec<DVec3>) {
    let joints = [
        (None, DVec3::new(0.0, 1.0, 0.0)),
        (Some(0), DVec3::new(0.1, 0.9, 0.0)),
        (Some(1), DVec3::new(0.1, 0.5, 0.0)),
        (Some(2), DVec3::new(0.1, 0.1, 0.0)),
        (Some(3), DVec3::new(0.1, 0.02, 0.12)),
        (Some(0), DVec3::new(0.0, 1.4, 0.0)),
        (Some(5), DVec3::new(0.2, 1.4, 0.0)),
        (Some(6), DVec3::new(0.3, 1.4, 0.0)),
        (Some(6), DVec3::new(0.5, 1.4, 0.0)),
        (Some(8), DVec3::new(0.75, 1.4, 0.0)),
        (Some(9), DVec3::new(0.83, 1.4, 0.0)),
        (Some(10), DVec3::new(0.87, 1.4, 0.0)),
    ];
    joints.into_iter().unzip()
}

#[test]
fn hands_feet_and_tips_are_held_and_what_only_twists_is_not() {
    let (parents, places) = body();
    assert_eq!(holders(&parents, &places, true, true), [0, 3, 4, 9, 11]);
    assert_eq!(holders(&parents, &places, true, false), [0]);
}

#[test]
fn every_piece_hangs_on_something() {
    let (parents, places) = body();
    let all: Vec<u32> = (0..places.len() as u32).collect();
    for ends in [false, true] {
        assert_eq!(holders(&parents, &places, false, ends), all);
    }
}
