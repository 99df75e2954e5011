//! Joints that stand for nothing and do not stay.

use crate::common::bodies::{Body, biped};
use crate::common::skeletons::find;
use glam::{DAffine3, DVec3, Vec3};
use sinew::animation::{Frames, MeshAnimation};

const FRAMES: usize = 24;
/// A joint carries at least this share of the vertices.
const CARRIES: f64 = 0.004;

/// A body of which some limbs slide up and down on what they hang on, by so much.
fn sliding(body: &Body, limbs: &[usize], by: f64) -> MeshAnimation {
    let skeleton = body.skeleton();
    let below =
        |k: usize| std::iter::successors(Some(k), |&j| skeleton.parents[j]).any(|j| limbs.contains(&j));
    let slides: Vec<bool> = (0..body.limbs.len()).map(below).collect();
    let posed = |t: usize| -> Vec<Vec3> {
        let time = t as f64 / FRAMES as f64;
        let up = DAffine3::from_translation(DVec3::Y * by * (std::f64::consts::TAU * (time + 0.15)).sin());
        let mut transforms = skeleton.transforms(&body.joints(), &body.pose(time));
        transforms.iter_mut().zip(&slides).filter(|t| *t.1).for_each(|(t, _)| *t = up * *t);
        let carried = |(p, w): (&DVec3, &Vec<(usize, f64)>)| {
            w.iter().map(|&(b, w)| w * transforms[b].transform_point3(*p)).sum::<DVec3>().as_vec3()
        };
        body.rest.iter().zip(&body.weights).map(carried).collect()
    };
    let poses: Vec<_> = (0..FRAMES).map(posed).collect();
    MeshAnimation { frames: Frames::from_poses(&poses), ..body.animation(1) }
}

#[test]
fn limbs_that_slide_bring_no_joints_without_a_surface() {
    let body = biped(1.0, 1.0, 1.0);
    let rig = find(&sliding(&body, &[3, 8], 0.02)).rig;
    let mut carried = vec![0.0; rig.bones.len()];
    for v in 0..rig.rest.len() {
        rig.weights.influences(v).for_each(|(b, w)| carried[b] += w / rig.rest.len() as f64);
    }
    assert!(carried.iter().all(|c| *c > CARRIES), "{carried:?}");
    assert!(rig.bones.len() <= body.limbs.len() + 1, "{} joints", rig.bones.len());
}
