//! Bones that move several separate places of the surface, taken apart.

use crate::common::bodies::quadruped;
use crate::common::rigs::rig_of;
use glam::{DQuat, DVec3};
use sinew::geometry::Bounds;
use sinew::motion::{BoneEditor, BoneTurn};
use sinew::progress::Silent;
use sinew::rig::Rig;

const FRAMES: usize = 6;
const HEAD: usize = 3;
const TAIL: usize = 4;

/// A quadruped whose tail follows the bone of its head.
fn shared() -> Rig {
    let mut rig = rig_of(&quadruped(), FRAMES, false);
    rig.weights.bones.iter_mut().filter(|bone| **bone == TAIL as u32).for_each(|bone| *bone = HEAD as u32);
    rig
}

/// The same with one vertex of a hoof that follows the head as well, in part.
fn with_stray() -> (Rig, usize) {
    let mut rig = shared();
    let lowest = (0..rig.rest.len()).min_by(|a, b| rig.rest[*a].y.total_cmp(&rig.rest[*b].y)).unwrap();
    let slots = lowest * rig.weights.per_vertex;
    rig.weights.bones[slots + 1] = HEAD as u32;
    rig.weights.weights[slots] = 0.75;
    rig.weights.weights[slots + 1] = 0.25;
    (rig, lowest)
}

fn follows(rig: &Rig, vertex: usize, bone: usize) -> bool {
    let (bones, weights) = rig.weights.of(vertex);
    bones.iter().zip(weights).any(|(b, w)| *b as usize == bone && *w > 0.0)
}

/// The largest distance of a vertex of the one from that of the other in any frame.
fn farthest(a: &Rig, b: &Rig) -> f32 {
    let of_frame = |frame: usize| {
        let (a, b) = (a.pose(frame), b.pose(frame));
        a.iter().zip(&b).map(|(p, q)| p.distance(*q)).fold(0.0, f32::max)
    };
    (0..a.frame_count()).map(of_frame).fold(0.0, f32::max)
}

#[test]
fn each_place_gets_a_bone_and_no_frame_changes() {
    let before = shared();
    let mut rig = before.clone();
    assert_eq!(rig.split_bones(&[]), [HEAD]);
    rig.validate().unwrap();
    assert!(farthest(&rig, &before) < 1e-6, "only rounding may differ");
    let added = before.bones.len();
    assert_eq!(rig.bones[added].name, "bone3.2");
    // The larger of the two keeps the bone; both bones sit in the middle of their own.
    for v in 0..rig.rest.len() {
        assert!(!(follows(&rig, v, HEAD) && follows(&rig, v, added)));
    }
    let (one, other) = (rig.bones[HEAD].center.x, rig.bones[added].center.x);
    assert!((one > 0.8) != (other > 0.8) && (one < -0.5) != (other < -0.5), "{one} and {other}");
    let again = rig.clone();
    assert!(rig.split_bones(&[]).is_empty());
    assert_eq!(rig, again);
}

#[test]
fn strays_leave_only_bones_that_will_turn() {
    let (before, stray) = with_stray();
    let mut rig = before.clone();
    assert_eq!(rig.split_bones(&[]), [HEAD]);
    assert!(follows(&rig, stray, HEAD));
    let mut rig = before.clone();
    assert_eq!(rig.split_bones(&[HEAD]), [HEAD, HEAD]);
    assert!(!follows(&rig, stray, HEAD));
    assert!(farthest(&rig, &before) < 1e-6, "only rounding may differ");
}

#[test]
fn a_turn_moves_the_place_of_the_bone_and_no_other() {
    let (mut rig, stray) = with_stray();
    rig.split_bones(&[HEAD]);
    let before = rig.pose(0);
    let turn = BoneTurn::new(HEAD, DQuat::from_axis_angle(DVec3::Z, 0.8), 0);
    BoneEditor::new(&rig, &Silent).unwrap().rotate(&mut rig, &turn).unwrap();
    let moved: Vec<f32> = before.iter().zip(rig.pose(0)).map(|(p, q)| p.distance(q)).collect();
    let size = Bounds::of(&rig.rest).diagonal() as f32;
    let own = |v: &usize| follows(&rig, *v, HEAD);
    let largest = |of: &mut dyn Iterator<Item = usize>| of.map(|v| moved[v]).fold(0.0, f32::max) / size;
    assert!(largest(&mut (0..moved.len()).filter(own)) > 0.02);
    assert!(largest(&mut (0..moved.len()).filter(|v| !own(v))) < 0.005);
    assert!(moved[stray] / size < 0.005, "{}", moved[stray] / size);
}

#[test]
fn joints_of_a_skeleton_stay_whole() {
    let mut rig = rig_of(&quadruped(), FRAMES, true);
    rig.weights.bones.iter_mut().filter(|bone| **bone == TAIL as u32).for_each(|bone| *bone = HEAD as u32);
    let before = rig.clone();
    assert!(rig.split_bones(&[HEAD]).is_empty());
    assert_eq!(rig, before);
}
