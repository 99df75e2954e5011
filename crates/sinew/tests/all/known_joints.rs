//! What the user knows of a skeleton, and skeletons that are changed by hand.

use crate::common::bodies::{Body, arm, biped, limb};
use crate::common::skeletons::{find, nearest};
use glam::{DQuat, DVec3, Vec3};
use sinew::animation::{Frames, MeshAnimation};
use sinew::geometry::Bounds;
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew::skeleton::{
    EditedSkeleton, JointEditError, Known, KnownError, KnownJoint, RootChoice, SetAside, Skeletal,
    SkeletonError, SkeletonOptions, SkeletonWarning, find_skeleton_knowing,
};

const FRAMES: usize = 24;

fn knowing(animation: &MeshAnimation, known: &Known) -> Skeletal {
    find_skeleton_knowing(animation, &SkeletonOptions::default(), known, &Silent).expect("a skeleton")
}

fn wrong(animation: &MeshAnimation, known: &Known) -> KnownError {
    match find_skeleton_knowing(animation, &SkeletonOptions::default(), known, &Silent) {
        Err(SkeletonError::Known(error)) => error,
        other => panic!("not refused: {:?}", other.map(|found| found.warnings)),
    }
}

fn at(place: DVec3, name: &str) -> KnownJoint {
    KnownJoint { place: Some(place), name: Some(name.into()), ..KnownJoint::default() }
}

fn joint<'a>(rig: &'a Rig, name: &str) -> (usize, &'a sinew::rig::Bone) {
    let found = rig.bones.iter().enumerate().find(|(_, bone)| bone.name == name);
    found.unwrap_or_else(|| {
        panic!("no {name} among {:?}", rig.bones.iter().map(|b| &b.name).collect::<Vec<_>>())
    })
}

fn side(rig: &Rig) -> f64 {
    Bounds::of(&rig.rest).longest_side()
}

#[test]
fn joints_that_are_known_are_where_they_are_said_to_be() {
    let body = arm();
    let animation = body.animation(FRAMES);
    let places = body.joints();
    // The elbow a little off, and a joint in the middle of the forearm that nothing else tells of.
    let elbow = places[2] + DVec3::new(0.02, 0.01, 0.0);
    let middle = 0.5 * (places[2] + places[3]);
    let joints = vec![at(elbow, "elbow"), at(middle, "forearm"), at(places[3], "wrist")];
    let found = knowing(&animation, &Known { joints, ..Known::default() });
    let rig = &found.rig;
    rig.validate().unwrap();
    let parents = &rig.skeleton.as_ref().unwrap().parents;
    for (name, place) in [("elbow", elbow), ("forearm", middle), ("wrist", places[3])] {
        assert!(joint(rig, name).1.center.distance(place) < 1e-9, "{name}");
    }
    assert_eq!(parents[joint(rig, "forearm").0], Some(joint(rig, "elbow").0));
    assert_eq!(parents[joint(rig, "wrist").0], Some(joint(rig, "forearm").0));
    // The shoulder is found as before.
    assert!(nearest(rig, places[1]).1 < 0.03 * side(rig));
    assert!(found.error.accu < 0.2, "{:?}", found.error);
}

#[test]
fn no_others_means_these_alone() {
    let body = arm();
    let places = body.joints();
    let joints = (0..4).map(|k| at(places[k], ["trunk", "shoulder", "elbow", "wrist"][k])).collect();
    let found = knowing(&body.animation(FRAMES), &Known { joints, no_others: true, ..Known::default() });
    let mut names: Vec<&str> = found.rig.bones.iter().map(|b| b.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["elbow", "shoulder", "trunk", "wrist"]);
    assert!(found.error.accu < 0.2, "{:?}", found.error);
}

#[test]
fn what_cannot_be_known_is_refused() {
    let body = arm();
    let animation = body.animation(FRAMES);
    let known = |joint: KnownJoint| Known { joints: vec![joint], ..Known::default() };
    let nan = known(at(DVec3::new(f64::NAN, 0.0, 0.0), "a"));
    assert!(matches!(
        wrong(&animation, &nan),
        KnownError::Joint { error: JointEditError::NotFinite { .. }, .. }
    ));
    let outside = known(at(DVec3::new(9.0, 0.0, 0.0), "a"));
    assert!(matches!(
        wrong(&animation, &outside),
        KnownError::Joint { number: 1, error: JointEditError::OutsideBody { .. }, .. }
    ));
    let nowhere = known(KnownJoint { name: Some("a".into()), ..KnownJoint::default() });
    assert!(matches!(wrong(&animation, &nowhere), KnownError::Nowhere { number: 1, .. }));
    let unknown = known(KnownJoint { found: Some("limb1_9".into()), ..KnownJoint::default() });
    let KnownError::NoSuchJoint { near, .. } = wrong(&animation, &unknown) else { panic!("another error") };
    assert_eq!(near[0], "limb1_1");
    let place = body.joints()[2];
    let twice = Known { joints: vec![at(place, "a"), at(place, "b")], ..Known::default() };
    assert!(matches!(wrong(&animation, &twice), KnownError::SamePlace { joints: [1, 2] }));
    let same = Known { joints: vec![at(place, "a"), at(body.joints()[3], "a")], ..Known::default() };
    assert!(matches!(
        wrong(&animation, &same),
        KnownError::Joint { error: JointEditError::NameTaken { .. }, .. }
    ));
    let orphan = known(KnownJoint { parent: Some("nobody".into()), ..at(place, "a") });
    assert!(matches!(wrong(&animation, &orphan), KnownError::NoSuchJoint { .. }));
    let root = Known { root: Some(RootChoice::Around(DVec3::NAN)), ..Known::default() };
    assert!(matches!(wrong(&animation, &root), KnownError::Root(JointEditError::NotFinite { .. })));
    let all = SetAside { vertices: (0..animation.mesh.vertex_count as u32).collect(), is_rigid: false };
    assert_eq!(wrong(&animation, &Known { aside: vec![all], ..Known::default() }), KnownError::NothingLeft);
}

#[test]
fn the_root_is_the_joint_that_is_asked_for_and_nothing_else_changes() {
    let body = arm();
    let animation = body.animation(FRAMES);
    let found = find(&animation);
    let elbow = nearest(&found.rig, body.joints()[2]).0;
    let name = found.rig.bones[elbow].name.clone();
    let place = 0.5 * (body.joints()[2] + body.joints()[3]);
    for root in [RootChoice::Joint(name), RootChoice::Joint(elbow.to_string()), RootChoice::Around(place)] {
        let is_place = matches!(root, RootChoice::Around(_));
        let rooted = knowing(&animation, &Known { root: Some(root), ..Known::default() });
        rooted.rig.validate().unwrap();
        assert_eq!(rooted.rig.skeleton.as_ref().unwrap().roots().collect::<Vec<_>>(), [0]);
        let off = if is_place { 1e-9 } else { 0.2 * side(&rooted.rig) };
        assert!(rooted.rig.bones[0].center.distance(place) < off);
        assert!((rooted.error.rms - found.error.rms).abs() < 1e-9);
        // The same up to rounding: transforms are told against another root.
        let (poses, off) =
            (rooted.rig.pose(7).into_iter().zip(found.rig.pose(7)), 1e-6 * side(&rooted.rig) as f32);
        assert!(poses.into_iter().all(|(p, q)| p.distance(q) < off));
    }
}

/// The arm with a stick that hangs in the air beside the hand.
fn armed() -> (Body, Vec<u32>) {
    let arm = arm();
    let vertices = arm.rest.len() as u32;
    let stick = Body::new(vec![limb(None, [[1.4, 0.85, 0.0], [1.4, 1.6, 0.0]], 0.05, &[])], 0.045);
    let mut body = arm.with(stick);
    // It goes with the hand.
    body.weights.iter_mut().skip(vertices as usize).for_each(|list| *list = vec![(3, 1.0)]);
    let stick = (vertices..body.rest.len() as u32).collect();
    body.limbs.pop();
    (body, stick)
}

#[test]
fn what_is_rigid_goes_with_one_joint_and_makes_none() {
    let (body, stick) = armed();
    let animation = body.animation(FRAMES);
    let aside = vec![SetAside { vertices: stick.clone(), is_rigid: true }];
    let found = knowing(&animation, &Known { aside, ..Known::default() });
    let rig = &found.rig;
    rig.validate().unwrap();
    let hand = nearest(rig, body.joints()[3]).0;
    for &v in &stick {
        let all: Vec<(usize, f64)> = rig.weights.influences(v as usize).collect();
        assert_eq!(all, [(hand, 1.0)]);
    }
    let alone = find(&arm().animation(FRAMES));
    assert_eq!(rig.bones.len(), alone.rig.bones.len());
    assert!(found.error.max < 1.0, "{:?}", found.error);
    let aside = vec![SetAside { vertices: stick, is_rigid: false }];
    let ignored = knowing(&animation, &Known { aside, ..Known::default() });
    assert_eq!(ignored.rig.bones.len(), alone.rig.bones.len());
    assert!(ignored.error.max < 1.0, "{:?}", ignored.error);
}

#[test]
fn a_skeleton_is_edited_and_fitted_anew() {
    let body = arm();
    let animation = body.animation(FRAMES);
    let found = find(&animation);
    let options = SkeletonOptions::default();
    let mut edited = EditedSkeleton::new(&animation, &found.rig, &options, &Silent).unwrap();
    let [elbow, wrist] = [2, 3].map(|k| edited.nearest(body.joints()[k]));
    edited.rename(elbow, "elbow").unwrap();
    assert!(matches!(edited.rename(wrist, "elbow"), Err(JointEditError::NameTaken { .. })));
    assert!(matches!(edited.rename(99, "x"), Err(JointEditError::NoSuchJoint { joint: 99, .. })));
    assert!(matches!(edited.reparent(elbow, wrist), Err(JointEditError::UnderItself { .. })));
    edited.rename(wrist, "wrist").unwrap();
    let place = body.joints()[2] + DVec3::new(0.0, 0.02, 0.0);
    edited.move_joint(elbow, place).unwrap();
    let moved = edited.refit(&Silent).unwrap();
    assert!(joint(&moved.rig, "elbow").1.center.distance(place) < 1e-9);
    assert!(moved.error.accu < 0.3, "{:?}", moved.error);

    // Without the wrist the forearm is one, and it shows.
    let wrist = edited.find("wrist").unwrap();
    edited.delete_joint(wrist).unwrap();
    let fewer = edited.refit(&Silent).unwrap();
    assert_eq!(fewer.rig.bones.len(), found.rig.bones.len() - 1);
    assert!(fewer.error.accu > 2.0 * moved.error.accu);

    // Back where it was, it is as good as before.
    edited.add_joint(body.joints()[3], None, Some("wrist")).unwrap();
    let again = edited.refit(&Silent).unwrap();
    let elbow = joint(&again.rig, "elbow").0;
    assert_eq!(again.rig.skeleton.as_ref().unwrap().parents[joint(&again.rig, "wrist").0], Some(elbow));
    assert!(again.error.accu < 1.5 * moved.error.accu, "{:?} {:?}", again.error, moved.error);
}

#[test]
fn a_skeleton_of_another_mesh_is_refused() {
    let found = find(&arm().animation(FRAMES));
    let other = biped(1.0, 1.0, 1.0).animation(4);
    let edited = EditedSkeleton::new(&other, &found.rig, &SkeletonOptions::default(), &Silent);
    assert!(matches!(edited.map(|_| ()), Err(SkeletonError::OtherRig { .. })));
}

#[test]
fn several_bodies_are_told() {
    let one = arm().animation(FRAMES);
    let turn = DQuat::from_rotation_y(2.0);
    let placed = |pose: &[Vec3], t: usize| -> Vec<Vec3> {
        let step = DVec3::new(0.1 * t as f64, 0.0, 5.0);
        let other = pose.iter().map(|p| (turn * p.as_dvec3() + step).as_vec3());
        pose.iter().copied().chain(other).collect()
    };
    let mut mesh = one.mesh.clone();
    let count = mesh.vertex_count as u32;
    for face in 0..mesh.face_count() {
        let corners: Vec<u32> = mesh.face(face).iter().map(|v| v + count).collect();
        mesh.push_face(&corners);
    }
    mesh.vertex_count *= 2;
    let frames: Vec<Vec<Vec3>> = (0..FRAMES).map(|t| placed(one.frames.frame(t), (7 * t) % FRAMES)).collect();
    let rest = one.rest.as_deref().map(|pose| placed(pose, 0));
    let both = MeshAnimation { mesh, rest, frames: Frames::from_poses(&frames), ..one };
    let found = find(&both);
    assert!(found.warnings.contains(&SkeletonWarning::SeveralBodies { bodies: 2 }), "{:?}", found.warnings);
}
