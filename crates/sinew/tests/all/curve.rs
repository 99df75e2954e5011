//! Error against the number of bones, told before rigs are fitted.

use glam::Vec3;
use sinew::animation::{Frames, MeshAnimation};
use sinew::progress::Silent;
use sinew::skin::{BoneKind, Curve, Descent, DescentOptions, Level, RoundPart, SkinOptions, SkinSize, skin};

use crate::common::{articulated_boxes, bent_tube, in_pool};

/// All levels of an animation's curve.
fn levels(animation: &MeshAnimation, kind: BoneKind, most: usize, most_rank: usize) -> Vec<Level> {
    with_curve(animation, kind, most, most_rank, |curve| {
        while curve.grow(&Silent).expect("not cancelled") {}
        curve.levels().to_vec()
    })
}

fn with_curve<T>(
    animation: &MeshAnimation,
    kind: BoneKind,
    bones: usize,
    most_rank: usize,
    ask: impl FnOnce(&mut Curve) -> T,
) -> T {
    let rest = animation.rest.clone().unwrap_or_else(|| animation.frames.frame(0).to_vec());
    let triangles = animation.mesh.triangles(&rest);
    let descent = Descent::new(&animation.frames, &triangles, &rest, &Silent).expect("not cancelled");
    let most = SkinSize { bones, influences: 4, kind };
    let curve = descent.curve(most, most_rank, &DescentOptions::default(), &Silent);
    ask(&mut curve.expect("not cancelled"))
}

const KINDS: [BoneKind; 2] = [BoneKind::Rigid, BoneKind::Flexible];

#[test]
fn as_many_bones_as_there_are_bodies_leave_nothing() {
    let animation = articulated_boxes(6, 20);
    for kind in KINDS {
        let levels = levels(&animation, kind, 12, 0);
        let counts: Vec<usize> = levels.iter().map(|level| level.bones).collect();
        assert_eq!(counts, [1, 2, 3, 4, 6, 8, 12]);
        let percent = |bones| levels.iter().find(|l| l.bones == bones).map_or(f64::NAN, |l| l.percent(0));
        assert!(percent(6) < 0.1 && percent(3) > 3.0, "{kind:?}: {} and {}", percent(6), percent(3));
    }
}

#[test]
fn errors_fall_with_bones_and_shapes() {
    for kind in KINDS {
        let levels = levels(&bent_tube(24), kind, 16, 5);
        assert!(levels.windows(2).all(|l| l[1].percent(0) <= l[0].percent(0)));
        for level in &levels {
            assert!((0..5).all(|rank| level.percent(rank + 1) <= level.percent(rank)));
        }
        assert!(levels[0].percent(0) > 5.0 * levels[levels.len() - 1].percent(0));
    }
}

#[test]
fn fits_come_to_about_what_is_told() {
    let animation = bent_tube(24);
    for kind in KINDS {
        for bones in [4, 7, 12] {
            let told =
                with_curve(&animation, kind, 16, 0, |c| c.percent_at(bones, 0, &Silent)).expect("told");
            let options = SkinOptions { bones: Some(bones), kind, ..SkinOptions::default() };
            let rounds = skin(&animation, &options, &Silent).expect("a rig").rounds;
            let found = rounds.iter().rfind(|r| r.part != RoundPart::Smoothing).expect("rounds").percent;
            // Fits of flexible bones go on for long where there is no noise.
            assert!((0.3..1.5).contains(&(found / told)), "{kind:?}, {bones}: {found}, told {told}");
        }
    }
}

#[test]
fn bones_for_an_error_and_the_error_of_bones_agree() {
    with_curve(&bent_tube(24), BoneKind::Flexible, 32, 3, |curve| {
        for rank in [0, 3] {
            for percent in [20.0, 5.0, 1.0] {
                let bones = curve.bones_for(percent, rank, 32, &Silent).expect("not cancelled");
                let bones = bones.expect("so many bones");
                let told = |curve: &mut Curve, bones| curve.percent_at(bones, rank, &Silent).expect("told");
                assert!(told(curve, bones) <= 1.0001 * percent);
                assert!(bones == 1 || told(curve, bones - 1) > percent);
            }
        }
        assert_eq!(curve.bones_for(1e-9, 0, 32, &Silent), Ok(None));
    });
}

#[test]
fn the_same_for_any_number_of_threads() {
    let run = |threads| in_pool(threads, || levels(&bent_tube(12), BoneKind::Rigid, 12, 3));
    assert_eq!(run(1), run(3));
}

/// The same with every vertex off by a little at any time, and some of them, now and then, by much.
fn scanned(animation: MeshAnimation) -> MeshAnimation {
    let wave = |i: usize, k: usize| (((i * 7919 + k * 104_729) % 1_000_003) as f32 * 12.9898).sin();
    let noisy = |t: usize| -> Vec<Vec3> {
        let off = |v: usize| {
            let i = t * 10_007 + v;
            let far = if v % 331 == 7 { 60.0 } else { 1.0 };
            Vec3::new(wave(i, 1), wave(i, 2), wave(i, 3)) * 0.002 * far
        };
        animation.frames.frame(t).iter().enumerate().map(|(v, p)| *p + off(v)).collect()
    };
    let poses: Vec<_> = (0..animation.frames.len()).map(noisy).collect();
    MeshAnimation { frames: Frames::from_poses(&poses), ..animation }
}

#[test]
fn noise_takes_no_bones() {
    let count = |animation: MeshAnimation| {
        skin(&animation, &SkinOptions::default(), &Silent).expect("a rig").rig.bones.len()
    };
    let (clean, noisy) = (count(bent_tube(24)), count(scanned(bent_tube(24))));
    assert!(noisy <= clean + 2, "{noisy}, without noise {clean}");
}
