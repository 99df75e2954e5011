//! Bones of shapes: those that stand still, and vertices that count more than others.

use crate::common::in_pool;
use glam::{DAffine3, DVec3, Vec3};
use sinew::animation::{Frames, MeshAnimation};
use sinew::progress::Silent;
use sinew::rig::Player;
use sinew::skin::{
    BoneKind, DescentOptions, Initialisation, Method, MethodName, Norm, Skin, SkinError, SkinOptions,
    Skinned, skin,
};
use sinew_sample::face;

/// The rest pose and every shape.
fn poses() -> MeshAnimation {
    let mut rig = face();
    let corrections = rig.corrections.as_mut().expect("shapes");
    let rank = corrections.rank;
    let on = |frame: usize| (0..rank).map(move |r| if frame == r + 1 { 1.0 } else { 0.0 });
    corrections.coefficients = (0..=rank).flat_map(on).collect();
    rig.transforms = vec![DAffine3::IDENTITY; rank + 1];
    let player = Player::new(&rig);
    let poses: Vec<Vec<Vec3>> =
        (0..=rank).map(|frame| sinew::animation::PoseSource::pose(&player, frame)).collect();
    MeshAnimation {
        mesh: rig.mesh.clone(),
        rest: None,
        frames: Frames::from_poses(&poses),
        fps: 30.0,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

fn fit(descent: DescentOptions, options: SkinOptions) -> Skinned {
    let descent = DescentOptions { keep_rest: true, ..descent };
    let options = SkinOptions { method: Method::Best(descent), bones: Some(10), ..options };
    skin(&poses(), &options, &Silent).expect("a rig")
}

fn sparse(share: Option<f64>, norm: Norm, kind: BoneKind) -> Skinned {
    fit(
        DescentOptions { sparse: share, norm, ..Default::default() },
        SkinOptions { kind, ..Default::default() },
    )
}

/// Bones that stand still, of all but the rest pose.
fn still(skinned: &Skinned) -> f64 {
    let (rig, bones) = (&skinned.rig, skinned.rig.bones.len());
    let moving = rig.transforms[bones..].iter().filter(|t| **t != DAffine3::IDENTITY).count();
    1.0 - moving as f64 / (rig.transforms.len() - bones) as f64
}

#[test]
fn nothing_moves_at_rest_and_a_share_stands_still() {
    for kind in [BoneKind::Flexible, BoneKind::Rigid] {
        let dense = sparse(Some(0.0), Norm::default(), kind);
        let bones = dense.rig.bones.len();
        assert!(dense.rig.transforms[..bones].iter().all(|t| *t == DAffine3::IDENTITY));
        let none = sparse(None, Norm::default(), kind);
        assert!(
            dense.error.percent <= 1.02 * none.error.percent,
            "{} of {}",
            dense.error.percent,
            none.error.percent
        );
        for norm in [Norm::default(), Norm::MAX] {
            let thin = sparse(Some(0.7), norm, kind);
            assert!((still(&thin) - 0.7).abs() < 0.05, "{kind:?}: {}", still(&thin));
            assert!(thin.error.percent < 30.0, "{kind:?}: {}", thin.error.percent);
        }
    }
    let all = || sparse(Some(0.6), Norm::MAX, BoneKind::Flexible).rig;
    assert!(in_pool(1, all) == in_pool(3, all));
}

#[test]
fn bones_that_stay_as_they_are_move_at_rest_too() {
    for kind in [BoneKind::Flexible, BoneKind::Rigid] {
        let mut given = Skin::from(sparse(None, Norm::default(), kind).rig);
        let (locked, bones) = (3, given.bones);
        given.transforms[locked] = DAffine3::from_translation(DVec3::new(0.0, 0.01, 0.0));
        let motion = |transforms: &[DAffine3]| -> Vec<DAffine3> {
            transforms.iter().skip(locked).step_by(bones).copied().collect()
        };
        let kept = motion(&given.transforms);
        for norm in [Norm::default(), Norm::MAX] {
            let descent = DescentOptions {
                sparse: Some(0.5),
                norm,
                initialisation: Initialisation::Skin(given.clone()),
                locked_bones: vec![locked],
                ..Default::default()
            };
            let found = fit(descent, SkinOptions { kind, ..Default::default() }).rig;
            assert!(motion(&found.transforms) == kept, "{kind:?}");
            let others = found.transforms[..bones].iter().enumerate().filter(|(b, _)| *b != locked);
            assert!(others.into_iter().all(|(_, t)| *t == DAffine3::IDENTITY), "{kind:?}");
        }
    }
}

#[test]
fn vertices_that_count_more_are_closer() {
    let animation = poses();
    let rest = animation.frames.frame(0);
    let left: Vec<f32> = rest.iter().map(|p| if p.x > 0.0 { 50.0 } else { 1.0 }).collect();
    let off = |skinned: &Skinned| {
        let player = Player::new(&skinned.rig);
        let mut sum = 0.0;
        for frame in 0..animation.frames.len() {
            let pose = sinew::animation::PoseSource::pose(&player, frame);
            let pairs = pose.iter().zip(animation.frames.frame(frame)).zip(rest);
            sum += pairs.filter(|(_, at)| at.x > 0.0).map(|((p, q), _)| p.distance_squared(*q)).sum::<f32>();
        }
        sum
    };
    for norm in [Norm::default(), Norm::MAX] {
        let descent = DescentOptions { norm, ..Default::default() };
        let options = SkinOptions { bones: Some(6), ..SkinOptions::default() };
        let alike = fit(descent.clone(), options.clone());
        let other = fit(descent, SkinOptions { importance: left.clone(), ..options });
        assert!(off(&other) < 0.9 * off(&alike), "{} after {}", off(&other), off(&alike));
    }
}

#[test]
fn what_counts_nothing_or_wrong_is_refused() {
    let animation = poses();
    let vertices = animation.mesh.vertex_count;
    let refused = |options: SkinOptions| skin(&animation, &options, &Silent).expect_err("a reason");
    let counting = |importance: Vec<f32>| SkinOptions { importance, ..SkinOptions::default() };
    assert!(matches!(refused(counting(vec![1.0])), SkinError::ImportanceCount { found: 1, .. }));
    assert!(matches!(refused(counting(vec![0.0; vertices])), SkinError::NothingImportant));
    let mut one = vec![1.0; vertices];
    one[3] = f32::NAN;
    assert!(matches!(refused(counting(one)), SkinError::Importance { vertex: 3, .. }));
    let sma = SkinOptions { importance: vec![1.0; vertices], ..SkinOptions::sma() };
    assert_eq!(refused(sma), SkinError::NoImportance { method: MethodName::Sma });
    for share in [-0.1, 1.0, f64::NAN] {
        let descent = DescentOptions { sparse: Some(share), ..Default::default() };
        assert!(matches!(refused(SkinOptions::of(Method::Best(descent))), SkinError::Sparse(_)));
    }
}
