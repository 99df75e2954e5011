//! Rigs that were learnt from some frames, taken through all of them.

use glam::Vec3;
use sinew::animation::{Clip, Frames, MeshAnimation, compare};
use sinew::progress::Silent;
use sinew::rig::{Player, Rig};
use sinew::skin::{BoneKind, SkinOptions, skin};
use sinew::stream::{Followed, Follower};
use sinew_sample::{CreatureOptions, creature};

fn walk() -> MeshAnimation {
    creature(&CreatureOptions { frames: 36, detail: 0.6, ..Default::default() })
}

/// Frames by their numbers.
fn some(animation: &MeshAnimation, chosen: impl Iterator<Item = usize>) -> MeshAnimation {
    let poses: Vec<Vec<Vec3>> = chosen.map(|t| animation.frames.frame(t).to_vec()).collect();
    let (mesh, rest) = (animation.mesh.clone(), animation.rest.clone());
    MeshAnimation {
        mesh,
        rest,
        frames: Frames::from_poses(&poses),
        fps: animation.fps,
        clips: Vec::new(),
        nodes: Vec::new(),
    }
}

fn fitted(animation: &MeshAnimation, kind: BoneKind, rank: usize) -> Rig {
    let options = SkinOptions { bones: Some(14), rank, kind, ..SkinOptions::default() };
    skin(animation, &options, &Silent).unwrap().rig
}

/// Goes through an animation, so many frames at a time.
fn followed(rig: Rig, animation: &MeshAnimation, clips: &[Clip], together: usize) -> Followed {
    let mut follower = Follower::new(rig, clips.to_vec(), animation.rest_bounds());
    let all: Vec<usize> = (0..animation.frames.len()).collect();
    all.chunks(together).for_each(|part| follower.follow(&some(animation, part.iter().copied()).frames));
    assert_eq!(follower.frames(), all.len());
    follower.finish()
}

#[test]
fn what_half_of_the_frames_teach_serves_them_all() {
    let animation = walk();
    let half = some(&animation, (0..36).step_by(2));
    for (kind, rank) in
        [(BoneKind::Flexible, 0), (BoneKind::Rigid, 0), (BoneKind::Flexible, 4), (BoneKind::Rigid, 4)]
    {
        let whole = fitted(&animation, kind, rank);
        let whole = compare(&animation, &Player::new(&whole), animation.rest_bounds()).error.percent;
        let Followed { rig, measured, clips } = followed(fitted(&half, kind, rank), &animation, &[], 7);
        assert_eq!((rig.validate(), rig.frame_count(), clips.len()), (Ok(()), 36, 0));
        // What was measured on the way is what playing the rig shows.
        assert_eq!(measured, compare(&animation, &Player::new(&rig), animation.rest_bounds()));
        let percent = measured.error.percent;
        assert!(percent < 1.5 * whole, "{kind:?}, rank {rank}: {percent} % against {whole} %");
        assert!(
            kind == BoneKind::Flexible
                || rig.transforms.iter().all(|t| (t.matrix3.determinant() - 1.0).abs() < 1e-9)
        );
    }
}

#[test]
fn neither_parts_nor_threads_change_a_bit() {
    let animation = walk();
    let clip = |name: &str, frames| Clip { name: name.into(), frames, fps: 24.0 };
    let clips = [clip("to", 0..10), clip("fro", 10..36)];
    for kind in [BoneKind::Flexible, BoneKind::Rigid] {
        let rig = fitted(&some(&animation, (0..36).step_by(4)), kind, 2);
        let on = |threads: usize, together: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| followed(rig.clone(), &animation, &clips, together))
        };
        let once = on(1, 36);
        assert_eq!(once.clips.len(), 2);
        assert_eq!(once.rig.clips, clips);
        for (threads, together) in [(3, 36), (2, 5), (1, 1)] {
            assert_eq!(on(threads, together), once, "{threads} threads, {together} frames at a time");
        }
    }
}
