//! What the GPU makes of a rig, against the CPU.

use crate::common::{gpu, on_gpu, wild_rig};
use glam::{DMat3, DVec3, Vec3};
use sinew::geometry::Bounds;
use sinew::rig::{Player, Rig};
use sinew_gpu::{GpuPlayer, Model, ModelOptions};

/// Where the rig's own player has the vertices of the model.
fn expected(rig: &Rig, model: &Model, frame: usize) -> Vec<DVec3> {
    let mut pose = vec![Vec3::ZERO; rig.rest.len()];
    Player::new(rig).pose_into(frame, &mut pose);
    let place = &model.placement[frame];
    model.vertices.iter().map(|v| place.transform_point3(pose[v.source as usize].as_dvec3())).collect()
}

fn farthest(a: &[Vec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(p, q)| p.as_dvec3().distance(*q)).fold(0.0, f64::max)
}

#[test]
fn vertices_are_where_the_rig_has_them() {
    let Some(gpu) = gpu() else { return };
    let rig = wild_rig();
    let diagonal = Bounds::of(&rig.rest).diagonal();
    for options in [ModelOptions::default(), ModelOptions { z_up: true, scale: 0.5 }] {
        let model = Model::new(&rig, &[], &options).unwrap();
        for frame in 0..rig.frame_count() {
            let positions = on_gpu(&gpu, &model, frame as f32).positions;
            let off = farthest(&positions, &expected(&rig, &model, frame));
            // The player computes in single precision far from the origin: that is most of the difference.
            let rounding = 300.0 * f64::from(f32::EPSILON);
            assert!(off <= 1e-5 * diagonal * options.scale + rounding, "frame {frame}: {off}");
        }
    }
}

#[test]
fn near_the_origin_the_difference_is_tiny() {
    let Some(gpu) = gpu() else { return };
    let mut rig = wild_rig();
    let shift = rig.bones[0].center;
    for t in &mut rig.transforms {
        t.translation = t.translation + t.matrix3 * shift - shift;
    }
    rig.rest.iter_mut().for_each(|p| *p = (p.as_dvec3() - shift).as_vec3());
    let model = Model::new(&rig, &[], &ModelOptions::default()).unwrap();
    let diagonal = Bounds::of(&rig.rest).diagonal();
    for frame in 0..rig.frame_count() {
        let positions = on_gpu(&gpu, &model, frame as f32).positions;
        let off = farthest(&positions, &expected(&rig, &model, frame)) / diagonal;
        assert!(off <= 1e-6, "frame {frame}: {off} of the diagonal");
    }
}

#[test]
fn between_frames_vertices_are_in_between() {
    let Some(gpu) = gpu() else { return };
    // One motion whose ends meet as well as any two frames, and one that goes farther and farther.
    let around = Rig { corrections: None, ..wild_rig() };
    let mut away = around.clone();
    for (number, t) in away.transforms.iter_mut().enumerate() {
        let (bones, share) = (away.bones.len(), (number / away.bones.len()) as f64 / 5.0);
        let last = &around.transforms[5 * bones + number % bones];
        t.matrix3 = DMat3::IDENTITY * (1.0 - share) + last.matrix3 * share;
        t.translation = share * last.translation;
    }
    for (rig, returns, after_last) in [(around, false, 0), (away, true, 4)] {
        let model = Model::new(&rig, &[], &ModelOptions::default()).unwrap();
        assert_eq!(model.gait.returns, returns);
        for (time, from, to, share) in [(1.25, 1, 2, 0.25), (4.5, 4, 5, 0.5), (5.75, 5, after_last, 0.75)] {
            let positions = on_gpu(&gpu, &model, time).positions;
            let (a, b) = (expected(&rig, &model, from), expected(&rig, &model, to));
            let mixed: Vec<DVec3> = a.iter().zip(&b).map(|(p, q)| p.lerp(*q, share)).collect();
            let off = farthest(&positions, &mixed);
            assert!(off <= 1e-4, "time {time}: {off}");
        }
    }
}

#[test]
fn normals_follow_the_inverse_transpose() {
    let Some(gpu) = gpu() else { return };
    let rig = wild_rig();
    let model = Model::new(&rig, &[], &ModelOptions::default()).unwrap();
    let frame = 3;
    let normals = on_gpu(&gpu, &model, frame as f32).normals;
    let corrections = rig.corrections.as_ref().unwrap();
    for (vertex, found) in model.vertices.iter().zip(&normals) {
        let source = vertex.source as usize;
        let (bones, weights) = rig.weights.of(source);
        let blended: DMat3 = bones.iter().zip(weights).fold(DMat3::ZERO, |sum, (bone, weight)| {
            sum + rig.frame_transforms(frame)[*bone as usize].matrix3 * f64::from(*weight)
        });
        let mut rest = vertex.normal.as_dvec3();
        for r in 0..corrections.rank {
            let q = corrections.coefficients[frame * corrections.rank + r];
            rest += f64::from(q) * corrections.normals[r * rig.rest.len() + source].as_dvec3();
        }
        let whole = model.placement[frame].matrix3 * blended;
        let normal = (whole.inverse().transpose() * rest).normalize();
        let found = found.as_dvec3().normalize();
        assert!(normal.dot(found) > 1.0 - 1e-6, "{normal} {found}");
    }
}

#[test]
fn rigs_are_played_as_by_the_cpu() {
    let Some(gpu) = gpu() else { return };
    let mut rig = wild_rig();
    // A vertex that no triangle uses is played too.
    let loose = rig.mesh.corners[0];
    rig.mesh.corners.iter_mut().filter(|v| **v == loose).for_each(|v| *v = loose + 1);
    let player = GpuPlayer::new(&gpu, &rig).unwrap();
    assert_eq!(player.frame_count(), rig.frame_count());
    let mut pose = vec![Vec3::ZERO; rig.rest.len()];
    for frame in 0..rig.frame_count() {
        Player::new(&rig).pose_into(frame, &mut pose);
        let found = player.pose(frame).unwrap();
        let off = farthest(&found, &pose.iter().map(|p| p.as_dvec3()).collect::<Vec<_>>());
        let rounding = 300.0 * f64::from(f32::EPSILON);
        assert!(off <= 1e-5 * Bounds::of(&rig.rest).diagonal() + rounding, "frame {frame}: {off}");
    }
}
