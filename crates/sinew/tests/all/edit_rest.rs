//! A rest pose that is sculpted once for all frames.

use crate::common::bodies::{arm, quadruped};
use crate::common::rigs::rig_of;
use glam::{DAffine3, DMat3, DVec3, Vec3};
use sinew::geometry::{Bounds, Mesh, vertex_normals};
use sinew::motion::{Carry, EditError, edit_rest};
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew::skin::{SkinOptions, skin};

const FRAMES: usize = 10;

fn normals(mesh: &Mesh, pose: &[Vec3]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; pose.len()];
    vertex_normals(&mesh.triangles(pose), pose, &mut normals);
    normals
}

/// How high a bump is at each vertex.
fn bump(rest: &[Vec3], vertex: usize, size: f32) -> Vec<f32> {
    rest.iter().map(|p| size * (1.0 - p.distance(rest[vertex]) / (2.0 * size)).max(0.0)).collect()
}

fn sculpted(rig: &Rig, high: &[f32]) -> Vec<Vec3> {
    let normals = normals(&rig.mesh, &rig.rest);
    rig.rest.iter().zip(&normals).zip(high).map(|((p, n), h)| *p + *n * *h).collect()
}

#[test]
fn a_bump_appears_in_all_frames_and_turns_with_the_body() {
    let animation = quadruped().animation(FRAMES);
    let options = SkinOptions { bones: Some(14), ..SkinOptions::default() };
    let before = skin(&animation, &options, &Silent).unwrap().rig;
    let mut rig = before.clone();
    let high = bump(&rig.rest, 120, 0.08 * Bounds::of(&rig.rest).diagonal() as f32);
    let shape = sculpted(&rig, &high);
    let edited = edit_rest(&mut rig, &shape, Carry::Surface, &Silent).unwrap();
    let raised: Vec<usize> = (0..high.len()).filter(|&v| high[v] > 0.0).collect();
    assert_eq!(edited.moved, raised.len());
    assert!(raised.len() > 10);
    for frame in 0..FRAMES {
        // The true surface, as it was before it was skinned, has its own normals.
        let wanted = normals(&animation.mesh, animation.frames.frame(frame));
        let (was, is) = (before.pose(frame), rig.pose(frame));
        let angles: Vec<f32> =
            raised.iter().map(|&v| (is[v] - was[v]).angle_between(wanted[v]).to_degrees()).collect();
        let mean = angles.iter().sum::<f32>() / angles.len() as f32;
        assert!(mean < 10.0, "frame {frame}: {mean}°");
        for &v in &raised {
            let length = (is[v] - was[v]).length() / high[v];
            assert!((0.5..1.5).contains(&length), "frame {frame}, vertex {v}: {length}");
        }
        let stays = |v: usize| high[v] > 0.0 || is[v].distance(was[v]) < 1e-6;
        assert!((0..high.len()).all(stays), "frame {frame}: the rest stays");
    }
}

#[test]
fn corrections_stay_normals_follow_and_undo_restores() {
    let mut before = rig_of(&arm(), FRAMES, true);
    let basis = before.rest.iter().map(|p| Vec3::new(0.0, 0.01 * p.x, 0.0)).collect();
    let coefficients = (0..FRAMES).map(|f| f as f32).collect();
    before.corrections = Some(sinew::rig::Corrections {
        rank: 1,
        basis,
        normals: Vec::new(),
        coefficients,
        names: Vec::new(),
    });
    before.mesh.normals = Some(sinew::geometry::corner_normals(&before.mesh, &before.rest));
    let mut rig = before.clone();
    let shape = sculpted(&rig, &bump(&rig.rest, 60, 0.1));
    let mut edited = edit_rest(&mut rig, &shape, Carry::Bones, &Silent).unwrap();
    assert_eq!(edited.least_weight, 0.0);
    assert_eq!(rig.corrections, before.corrections);
    assert_eq!(rig.rest, shape);
    let expected = sinew::geometry::corner_normals(&rig.mesh, &shape);
    assert_eq!(rig.mesh.normals, Some(expected));
    assert_ne!(rig.mesh.normals, before.mesh.normals);
    edited.undo.swap(&mut rig);
    assert_eq!(rig, before);
}

#[test]
fn the_rest_pose_that_is_there_changes_nothing() {
    let before = rig_of(&arm(), FRAMES, false);
    for carry in [Carry::Surface, Carry::Bones] {
        let mut rig = before.clone();
        let edited = edit_rest(&mut rig, &before.rest, carry, &Silent).unwrap();
        assert_eq!((edited.moved, &rig), (0, &before));
    }
}

#[test]
fn bones_that_shear_turn_a_bump_no_more_than_the_surface() {
    // A rest pose that is sheared, and bones that undo it: the same animation, as fitting may well find it.
    let straight = rig_of(&arm(), FRAMES, false);
    let shear = DAffine3::from_mat3(DMat3::from_cols(DVec3::X, DVec3::new(0.8, 1.0, 0.0), DVec3::Z));
    let mut before = straight.clone();
    before.rest.iter_mut().for_each(|p| *p = shear.transform_point3(p.as_dvec3()).as_vec3());
    before.transforms.iter_mut().for_each(|t| *t *= shear.inverse());
    before.bones.iter_mut().for_each(|bone| bone.rigid = false);
    let high = bump(&before.rest, 60, 0.1);
    let shape = sculpted(&before, &high);
    let askew = [Carry::Surface, Carry::Bones].map(|carry| {
        let mut rig = before.clone();
        let mut edited = edit_rest(&mut rig, &shape, carry, &Silent).unwrap();
        assert_eq!(rig.rest == shape, carry == Carry::Bones);
        let (mut sum, mut count) = (0.0, 0.0);
        for frame in 0..FRAMES {
            let (was, is) = (before.pose(frame), rig.pose(frame));
            let wanted = normals(&before.mesh, &was);
            for v in (0..high.len()).filter(|&v| high[v] > 0.0) {
                sum += (is[v] - was[v]).angle_between(wanted[v]).to_degrees();
                count += 1.0;
            }
        }
        edited.undo.swap(&mut rig);
        assert_eq!(rig, before);
        sum / count
    });
    assert!(askew[0] < 5.0 && askew[1] > 15.0, "{askew:?}");
}

#[test]
fn negative_weights_and_shapes_of_other_meshes_are_told() {
    let mut rig = rig_of(&arm(), FRAMES, false);
    let soft = (0..rig.rest.len()).find(|&v| rig.weights.of(v).1[1] > 0.0).expect("a blended vertex");
    let at = soft * rig.weights.per_vertex;
    rig.weights.weights[at..at + 2].copy_from_slice(&[1.5, -0.5]);
    let mut shape = rig.rest.clone();
    shape[soft] += Vec3::Y * 0.1;
    assert_eq!(edit_rest(&mut rig.clone(), &shape, Carry::Surface, &Silent).unwrap().least_weight, -0.5);
    let other = soft.checked_sub(1).unwrap_or(soft + 1);
    shape[soft] = rig.rest[soft];
    shape[other] += Vec3::Y * 0.1;
    assert_eq!(edit_rest(&mut rig.clone(), &shape, Carry::Surface, &Silent).unwrap().least_weight, 0.0);

    let before = rig.clone();
    let expected = EditError::Vertices { found: 3, expected: rig.rest.len() };
    assert_eq!(edit_rest(&mut rig, &shape[..3], Carry::Surface, &Silent), Err(expected));
    shape[5].x = f32::INFINITY;
    assert_eq!(edit_rest(&mut rig, &shape, Carry::Bones, &Silent), Err(EditError::Shape { vertex: 5 }));
    assert_eq!(rig, before);
}
