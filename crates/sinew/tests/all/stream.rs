//! Streams: frames fitted one at a time, and replayed to the same bits.

use crate::common::rigs::vertex_transform;
use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::animation::{MeshAnimation, compare};
use sinew::rig::{ChainPlayer, PoseChain, SkinWeights};
use sinew::skin::BoneKind;
use sinew::stream::{Decoder, Encoder, Step, StreamError, StreamOptions};
use sinew_sample::{CreatureOptions, creature};

fn animation(frames: usize) -> MeshAnimation {
    creature(&CreatureOptions { frames, detail: 0.6, ..Default::default() })
}

/// Encodes a whole animation, looking at `look_ahead` frames first.
fn chain(animation: &MeshAnimation, look_ahead: usize, options: &StreamOptions) -> PoseChain {
    let frames = &animation.frames;
    let rest = frames.frame(0);
    let ahead: Vec<&[Vec3]> = (0..look_ahead.min(frames.len())).map(|t| frames.frame(t)).collect();
    let mut encoder = Encoder::new(&animation.mesh, rest, &ahead, options).unwrap();
    let weights = encoder.weights().clone();
    let (mut steps, mut keys, mut later_weights) = (Vec::new(), Vec::new(), Vec::new());
    for t in 0..frames.len() {
        let step = encoder.encode(frames.frame(t)).unwrap();
        steps.extend_from_slice(step.transforms);
        keys.extend(step.key.then_some(t));
        later_weights.extend(step.new_weights.map(|weights| (t, weights.clone())));
    }
    PoseChain {
        mesh: animation.mesh.clone(),
        rest: rest.to_vec(),
        weights,
        later_weights,
        bones: encoder.bones().to_vec(),
        steps,
        keys,
        moves: Vec::new(),
        fps: animation.fps,
        nodes: Vec::new(),
    }
}

fn percent(animation: &MeshAnimation, chain: &PoseChain) -> f64 {
    compare(animation, &ChainPlayer::new(chain), animation.rest_bounds()).error.percent
}

#[test]
fn whoever_gets_the_steps_sees_what_the_encoder_saw() {
    let animation = animation(12);
    let options = StreamOptions { bones: 16, ..StreamOptions::default() };
    let frames = &animation.frames;
    let ahead: Vec<&[Vec3]> = (0..6).map(|t| frames.frame(t)).collect();
    let mut encoder = Encoder::new(&animation.mesh, frames.frame(0), &ahead, &options).unwrap();
    let mut changes = 0;
    let mut decoder = Decoder::new(frames.frame(0), encoder.weights());
    for t in 0..frames.len() {
        let step = encoder.encode(frames.frame(t)).unwrap();
        // Through bytes, as a file or a wire would take them.
        let bits = step.transforms.iter().map(|s| s.to_cols_array().map(f64::to_le_bytes));
        let read: Vec<DAffine3> =
            bits.map(|b| DAffine3::from_cols_array(&b.map(f64::from_le_bytes))).collect();
        changes += usize::from(step.new_weights.is_some());
        decoder.decode(Step { transforms: &read, ..step });
        assert_eq!(decoder.pose(), encoder.pose(), "frame {t}");
    }
    assert!(changes > 0);
}

#[test]
fn the_stream_learns_from_what_has_gone_by() {
    let animation = animation(40);
    let [without, with] = [false, true].map(|learn| {
        let chain = chain(&animation, 1, &StreamOptions { bones: 24, learn, ..StreamOptions::default() });
        assert_eq!(chain.validate(), Ok(()));
        assert_eq!(chain.later_weights.is_empty(), !learn);
        (percent(&animation, &chain), chain)
    });
    assert!(with.0 < 0.6 * without.0, "{} with, {} without", with.0, without.0);
    let changes = &with.1.later_weights;
    assert!(changes.len() <= 12, "{}", changes.len());
    for (from, weights) in changes {
        assert!(*from >= 4);
        for v in 0..animation.mesh.vertex_count {
            let (bones, w) = weights.of(v);
            assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{w:?}");
            assert!(w.windows(2).all(|w| w[0] >= w[1] && w[1] >= 0.0), "{w:?}");
            assert!(bones.iter().zip(w).all(|x| *x.1 > 0.0 || *x.0 == 0));
        }
    }
    // Players in any order see the same.
    let (chain, baked) = (&with.1, with.1.bake());
    let player = ChainPlayer::new(chain);
    let mut pose = vec![Vec3::ZERO; chain.rest.len()];
    for t in (0..40).rev() {
        sinew::animation::PoseSource::pose_into(&player, t, &mut pose);
        assert_eq!(pose, baked.frame(t), "frame {t}");
        let place = vertex_transform(chain, 7, t).transform_point3(chain.rest[7].as_dvec3()).as_vec3();
        assert!(place.distance(pose[7]) < 1e-5);
    }
    for changes in [vec![(40, chain.weights.clone())], vec![(3, chain.weights.clone()); 2]] {
        assert!(PoseChain { later_weights: changes, ..chain.clone() }.validate().is_err());
    }
    let other = PoseChain { later_weights: vec![(3, SkinWeights::single(2))], ..chain.clone() };
    assert!(other.validate().is_err());
}

#[test]
fn frames_to_come_change_nothing() {
    let whole = animation(20);
    let poses: Vec<Vec<Vec3>> = (0..20).map(|t| whole.frames.frame(t).to_vec()).collect();
    let options = StreamOptions { bones: 16, ..StreamOptions::default() };
    let all = chain(&whole, 1, &options);
    assert!(all.later_weights.iter().any(|(from, _)| *from < 11));
    for count in [5, 11] {
        let frames = sinew::animation::Frames::from_poses(&poses[..count]);
        let first = chain(&MeshAnimation { frames, ..animation(1) }, 1, &options);
        let PoseChain { weights, mut later_weights, mut steps, mut keys, .. } = all.clone();
        later_weights.retain(|(from, _)| *from < count);
        keys.retain(|key| *key < count);
        steps.truncate(count * 16);
        assert_eq!(first, PoseChain { weights, later_weights, steps, keys, ..first.clone() });
    }
}

#[test]
fn looking_ahead_brings_the_stream_closer() {
    let animation = animation(24);
    let options = StreamOptions { bones: 24, ..StreamOptions::default() };
    let options = StreamOptions { learn: false, ..options };
    let [blind, seeing] = [0, 8].map(|look| {
        let chain = chain(&animation, look, &options);
        chain.validate().unwrap();
        assert_eq!(chain.bones.len(), 24);
        percent(&animation, &chain)
    });
    assert!(blind < 15.0, "{blind}");
    assert!(seeing < 0.8 * blind, "{seeing} with, {blind} without");
}

#[test]
fn key_frames_only_bring_the_stream_closer() {
    let animation = animation(24);
    let [without, with] = [false, true].map(|keys| {
        let chain = chain(&animation, 8, &StreamOptions { bones: 24, keys, ..StreamOptions::default() });
        assert_eq!(chain.validate(), Ok(()));
        assert!(keys || chain.keys.is_empty());
        (percent(&animation, &chain), chain)
    });
    assert!(!with.1.keys.is_empty());
    assert!(with.0 < without.0, "{} with, {} without", with.0, without.0);
    // Frames come out the same in any order.
    let (chain, baked) = (&with.1, with.1.bake());
    let player = ChainPlayer::new(chain);
    let mut pose = vec![Vec3::ZERO; chain.rest.len()];
    for t in (0..24).rev().chain([3, 20, 4]) {
        sinew::animation::PoseSource::pose_into(&player, t, &mut pose);
        assert_eq!(pose, baked.frame(t), "frame {t}");
        let place = vertex_transform(chain, 7, t).transform_point3(chain.rest[7].as_dvec3()).as_vec3();
        assert!(place.distance(pose[7]) < 1e-5);
    }
    let broken = PoseChain { keys: vec![24], ..chain.clone() };
    assert!(broken.validate().is_err());
}

#[test]
fn weights_are_a_partition_and_every_bone_has_some() {
    let animation = animation(8);
    for (influences, look) in [(1, 8), (3, 8), (4, 0), (16, 8)] {
        let options = StreamOptions { bones: 12, influences, ..StreamOptions::default() };
        let weights = chain(&animation, look, &options).weights;
        assert!(weights.most_influences() <= influences);
        let mut served = [false; 12];
        for v in 0..animation.mesh.vertex_count {
            let (bones, w) = weights.of(v);
            assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{w:?}");
            assert!(w.windows(2).all(|w| w[0] >= w[1] && w[1] >= 0.0), "{w:?}");
            bones.iter().zip(w).filter(|x| *x.1 > 0.0).for_each(|x| served[*x.0 as usize] = true);
        }
        assert_eq!(served, [true; 12], "{influences} influences");
    }
}

/// The first frame, turned and shifted further in each frame, a kilometre away.
fn rigid_motion(frames: usize) -> MeshAnimation {
    let still = animation(1);
    let far = DVec3::new(1000.0, -500.0, 0.0);
    let poses: Vec<Vec<Vec3>> = (0..frames)
        .map(|t| {
            let turn = DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.3 * t as f64);
            let place = |p: &Vec3| (turn * p.as_dvec3() + far + DVec3::X * t as f64).as_vec3();
            still.frames.frame(0).iter().map(place).collect()
        })
        .collect();
    MeshAnimation { frames: sinew::animation::Frames::from_poses(&poses), ..still }
}

#[test]
fn a_body_that_only_turns_and_shifts_is_followed_exactly() {
    let animation = rigid_motion(20);
    for kind in [BoneKind::Flexible, BoneKind::Rigid] {
        for look in [0, 5] {
            let options = StreamOptions { bones: 7, kind, ..StreamOptions::default() };
            let chain = chain(&animation, look, &options);
            // What single precision leaves of positions this far out.
            assert!(percent(&animation, &chain) < 1e-2, "{kind:?}, {look} frames ahead");
        }
    }
}

#[test]
fn rigid_bones_only_turn_and_shift() {
    let animation = animation(10);
    let options = StreamOptions { bones: 20, kind: BoneKind::Rigid, ..StreamOptions::default() };
    let chain = chain(&animation, 10, &options);
    assert!(chain.bones.iter().all(|b| b.rigid));
    for step in &chain.steps {
        let m = step.matrix3;
        let off = (m.transpose() * m - glam::DMat3::IDENTITY).to_cols_array();
        assert!(off.iter().all(|x| x.abs() < 1e-9) && m.determinant() > 0.0);
    }
    assert!(percent(&animation, &chain) < 15.0);
}

#[test]
fn a_mesh_that_stands_still_stays() {
    let still = animation(1);
    let poses = vec![still.frames.frame(0).to_vec(); 40];
    let animation = MeshAnimation { frames: sinew::animation::Frames::from_poses(&poses), ..still };
    for look in [0, 8] {
        let chain = chain(&animation, look, &StreamOptions { bones: 9, ..StreamOptions::default() });
        assert_eq!(percent(&animation, &chain), 0.0);
    }
}

#[test]
fn threads_change_nothing() {
    let animation = animation(8);
    for kind in [BoneKind::Flexible, BoneKind::Rigid] {
        let options = StreamOptions { bones: 12, kind, ..StreamOptions::default() };
        let [one, three] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| chain(&animation, 6, &options))
        });
        assert_eq!(one, three);
    }
}

#[test]
fn what_cannot_be_streamed_gets_a_sentence() {
    let animation = animation(2);
    let frames = &animation.frames;
    let n = frames.vertex_count();
    let new = |options: &StreamOptions| {
        Encoder::new(&animation.mesh, frames.frame(0), &[], options).err().map(|e| e.to_string())
    };
    let many = StreamOptions { bones: n + 1, ..StreamOptions::default() };
    assert!(new(&many).unwrap().starts_with(&format!("{} bones cannot be placed", n + 1)));
    assert!(new(&StreamOptions { bones: 0, ..StreamOptions::default() }).is_some());
    assert_eq!(
        new(&StreamOptions { influences: 17, ..StreamOptions::default() }).unwrap(),
        "a vertex can have 1 to 16 influences, not 17"
    );
    let options = StreamOptions { bones: 4, ..StreamOptions::default() };
    let mut encoder = Encoder::new(&animation.mesh, frames.frame(0), &[], &options).unwrap();
    encoder.encode(frames.frame(0)).unwrap();
    let short = encoder.encode(&frames.frame(1)[1..]).map(|_| ()).unwrap_err();
    assert_eq!(short, StreamError::VertexCount { frame: 1, found: n - 1, expected: n });
    let mut broken = frames.frame(1).to_vec();
    broken[3].y = f32::NAN;
    let broken = encoder.encode(&broken).map(|_| ()).unwrap_err();
    assert_eq!(broken.to_string(), "frame 1, vertex 3: the position is not a finite number");
    // A frame that was refused leaves the stream as it was.
    encoder.encode(frames.frame(1)).unwrap();
}
