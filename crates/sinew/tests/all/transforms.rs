//! Flexible transforms of all bones together, on poses made by known ones.

use crate::common::{bent_tube, in_pool};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use sinew::animation::{Frames, MeshAnimation};
use sinew::progress::Silent;
use sinew::rig::{SkinWeights, step_pose};
use sinew::segment::{smooth_weights, spread_points};
use sinew::skin::{PoseScratch, Prior, TransformSolver};

const BONES: usize = 6;

/// Turning, shifting and shearing, another for every bone and frame.
fn transform(bone: usize, frame: usize) -> DAffine3 {
    let (b, t) = (bone as f64, frame as f64);
    let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3 * (b + t).sin(), 0.2 * b, 0.4 * t);
    let shear = DMat3::from_cols(
        DVec3::new(1.0 + 0.1 * b.sin(), 0.05 * t, 0.0),
        DVec3::Y,
        DVec3::new(0.02 * b, 0.0, 0.9),
    );
    DAffine3::from_mat3_translation(
        DMat3::from_quat(turn) * shear,
        DVec3::new(0.1 * b, (t * b).sin() * 0.2, -0.1 * t),
    )
}

fn tube_weights(animation: &MeshAnimation, bones: usize) -> (Vec<DVec3>, SkinWeights) {
    let rest = animation.frames.frame(0);
    let triangles = animation.mesh.triangles(rest);
    let points = spread_points(&triangles, rest, bones, &Silent).unwrap();
    (rest.iter().map(|p| p.as_dvec3()).collect(), smooth_weights(&triangles, rest, &points, 4))
}

fn poses_of(rest: &[DVec3], weights: &SkinWeights, frames: usize, shift: DVec3) -> Frames {
    let poses: Vec<Vec<Vec3>> = (0..frames)
        .map(|t| {
            let steps: Vec<DAffine3> = (0..BONES).map(|b| transform(b, t)).collect();
            let mut pose: Vec<DVec3> = rest.to_vec();
            step_pose(weights, &steps, &mut pose);
            pose.iter().map(|p| (*p + shift).as_vec3()).collect()
        })
        .collect();
    Frames::from_poses(&poses)
}

#[test]
fn bones_that_made_the_poses_are_found_again() {
    let (rest, weights) = tube_weights(&bent_tube(2), BONES);
    let frames = poses_of(&rest, &weights, 5, DVec3::ZERO);
    let mut solver = TransformSolver::new(&weights, BONES);
    solver.set_source(&rest);
    let found = solver.solve_frames(&frames, None, &Silent).unwrap();
    for (i, found) in found.iter().enumerate() {
        let known = transform(i % BONES, i / BONES);
        assert!(
            found.abs_diff_eq(known, 2e-3),
            "bone {} of frame {}: {found} for {known}",
            i % BONES,
            i / BONES
        );
    }
}

#[test]
fn far_away_poses_are_met_as_closely() {
    let (mut rest, weights) = tube_weights(&bent_tube(2), BONES);
    let near = poses_of(&rest, &weights, 3, DVec3::ZERO);
    let away = DVec3::new(300.0, -200.0, 500.0);
    let far = poses_of(&rest, &weights, 3, away);
    let worst = |frames: &Frames, rest: &[DVec3]| {
        let mut solver = TransformSolver::new(&weights, BONES);
        solver.set_source(rest);
        let found = solver.solve_frames(frames, None, &Silent).unwrap();
        (0..3).fold(0.0_f64, |worst, t| {
            let mut pose = rest.to_vec();
            step_pose(&weights, &found[t * BONES..(t + 1) * BONES], &mut pose);
            let off = pose.iter().zip(frames.frame(t)).map(|(p, q)| p.distance(q.as_dvec3()));
            off.fold(worst, f64::max)
        })
    };
    assert!(worst(&near, &rest) < 1e-5);
    rest.iter_mut().for_each(|p| *p += away);
    // The poses themselves are rounded to about 3e-5 there.
    assert!(worst(&far, &rest) < 1e-4);
}

#[test]
fn bones_without_vertices_and_flat_ones_stay_sound() {
    // A flat square under one bone; a second has no vertices; a third shares all with the first.
    let rest: Vec<DVec3> = (0..25).map(|i| DVec3::new(f64::from(i % 5), f64::from(i / 5), 0.0)).collect();
    let bones = [0, 2].repeat(25);
    let weights = SkinWeights { per_vertex: 2, bones, weights: [0.5, 0.5].repeat(25) };
    let turn = DAffine3::from_rotation_x(0.8);
    let to: Vec<Vec3> = rest.iter().map(|p| turn.transform_point3(*p).as_vec3()).collect();
    let mut solver = TransformSolver::new(&weights, 3);
    solver.set_source(&rest);
    let mut out = [DAffine3::IDENTITY; 3];
    solver.solve(&to, Prior::Rigid, &mut PoseScratch::default(), &mut out);
    for found in out {
        assert!(found.abs_diff_eq(turn, 1e-5), "{found} for {turn}");
    }
    let prior = [DAffine3::from_translation(DVec3::X); 3];
    solver.solve(&to, Prior::Given(&prior), &mut PoseScratch::default(), &mut out);
    assert!(out[1].abs_diff_eq(prior[1], 1e-9), "a bone without vertices keeps what was known");
    let mut pose = rest.clone();
    step_pose(&weights, &out, &mut pose);
    assert!(pose.iter().zip(&to).all(|(p, q)| p.distance(q.as_dvec3()) < 1e-4));
}

#[test]
fn fitting_again_never_raises_the_error_and_threads_change_nothing() {
    let animation = bent_tube(6);
    let (rest, weights) = tube_weights(&animation, 9);
    let error = |transforms: &[DAffine3]| -> f64 {
        (0..animation.frames.len())
            .map(|t| {
                let mut pose = rest.clone();
                step_pose(&weights, &transforms[t * 9..(t + 1) * 9], &mut pose);
                let frame = animation.frames.frame(t);
                pose.iter().zip(frame).map(|(p, q)| p.distance_squared(q.as_dvec3())).sum::<f64>()
            })
            .sum()
    };
    let solve = |threads, prior: Option<&[DAffine3]>| {
        in_pool(threads, || {
            let mut solver = TransformSolver::new(&weights, 9);
            solver.set_source(&rest);
            solver.solve_frames(&animation.frames, prior, &Silent).unwrap()
        })
    };
    let first = solve(1, None);
    assert_eq!(first, solve(3, None));
    let second = solve(2, Some(&first));
    assert!(error(&second) <= error(&first) * (1.0 + 1e-12));
    let wild: Vec<DAffine3> = first.iter().map(|t| *t * DAffine3::from_scale(DVec3::splat(1.3))).collect();
    assert!(error(&solve(2, Some(&wild))) < error(&first) * 1.01);
}
