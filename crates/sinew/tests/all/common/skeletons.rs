//! What every skeleton that is found must be.

use glam::{DQuat, DVec3, Vec3};
use sinew::animation::MeshAnimation;
use sinew::geometry::{Bounds, Mesh};
use sinew::progress::Silent;
use sinew::rig::{Rig, Skeleton};
use sinew::skeleton::{Skeletal, SkeletonOptions, find_skeleton};

/// The skeleton found as usual.
pub fn find(animation: &MeshAnimation) -> Skeletal {
    find_with(animation, &SkeletonOptions::default())
}

/// The skeleton found, after checks.
pub fn find_with(animation: &MeshAnimation, options: &SkeletonOptions) -> Skeletal {
    let found = find_skeleton(animation, options, &Silent).expect("a skeleton");
    check(&found, animation, options);
    found
}

/// In order, one root, constant lengths, weights that are shares, numbers for all frames.
fn check(found: &Skeletal, animation: &MeshAnimation, options: &SkeletonOptions) {
    let rig = &found.rig;
    rig.validate().expect("a sound rig");
    let skeleton = rig.skeleton.as_ref().expect("a skeleton");
    assert_eq!(skeleton.roots().collect::<Vec<_>>(), [0]);
    assert_eq!(rig.frame_count(), animation.frames.len());
    assert_eq!((found.limits.len(), found.error_per_frame.len()), (rig.bones.len(), rig.frame_count()));
    let rest = rig.joint_places();
    let side = Bounds::of(&rig.rest).longest_side();
    for t in 0..rig.frame_count() {
        let posed = rig.posed_joints(t);
        for (joint, parent) in child_and_parent(skeleton) {
            let (was, is) = (rest[joint].distance(rest[parent]), posed[joint].distance(posed[parent]));
            assert!((was - is).abs() < 1e-9 * side, "joint {joint}, frame {t}: {was} became {is}");
        }
    }
    assert!(rig.weights.most_influences() <= options.influences && rig.weights.smallest() >= 0.0);
    for v in 0..rig.rest.len() {
        let sum: f32 = rig.weights.of(v).1.iter().sum();
        assert!((sum - 1.0).abs() < 1e-5, "vertex {v}: {sum}");
    }
    let names: std::collections::BTreeSet<&str> = rig.bones.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names.len(), rig.bones.len());
}

/// All joints but the root, each with its parent.
pub fn child_and_parent(skeleton: &Skeleton) -> impl Iterator<Item = (usize, usize)> + '_ {
    skeleton.parents.iter().enumerate().filter_map(|(joint, parent)| Some((joint, (*parent)?)))
}

/// The joint nearest to a place of the rest pose, and how far it is.
pub fn nearest(rig: &Rig, place: DVec3) -> (usize, f64) {
    let distances = rig.joint_places().into_iter().map(|p| p.distance(place)).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1)).expect("a joint")
}

/// The rig with one frame: that of its own with one joint turned further.
pub fn turned(rig: &Rig, joint: usize, frame: usize, turn: DQuat) -> Rig {
    let mut pose = rig.joint_pose(frame).expect("a skeleton");
    pose.turns[joint] *= turn;
    let skeleton = rig.skeleton.as_ref().expect("a skeleton");
    Rig { transforms: skeleton.transforms(&rig.joint_places(), &pose), clips: Vec::new(), ..rig.clone() }
}

/// The most that an edge grows and shrinks from one pose to another.
pub fn strain(mesh: &Mesh, was: &[Vec3], is: &[Vec3]) -> [f32; 2] {
    let mut most = [1.0_f32; 2];
    for face in 0..mesh.face_count() {
        let corners = mesh.face(face);
        for (i, &a) in corners.iter().enumerate() {
            let b = corners[(i + 1) % corners.len()];
            let length = |pose: &[Vec3]| pose[a as usize].distance(pose[b as usize]);
            let ratio = length(is) / length(was);
            most = [most[0].max(ratio), most[1].max(1.0 / ratio)];
        }
    }
    most
}
