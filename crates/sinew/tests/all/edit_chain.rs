//! Poses of pose-to-pose rigs that are sculpted, and what later ones take from it.

use crate::common::rigs::vertex_transform;
use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::animation::Frames;
use sinew::geometry::Bounds;
use sinew::motion::{EditError, PoseEdit, edit_chain, edit_chain_rest};
use sinew::progress::Silent;
use sinew::rig::{ChainPlayer, PoseChain};
use sinew::skin::{Method, PoseToPoseOptions, SkinOptions, pose_to_pose, skin};
use sinew::stream::{Encoder, StreamOptions};
use sinew_sample::{CreatureOptions, creature};

const FRAMES: usize = 10;

/// One that a method fitted, one with frames that start from the rest pose, and one as it came from a stream.
fn chains() -> Vec<(&'static str, PoseChain)> {
    let animation = creature(&CreatureOptions { frames: FRAMES, detail: 0.6, ..CreatureOptions::default() });
    let options = PoseToPoseOptions { bones: 10, ..PoseToPoseOptions::sad() };
    let fitted = pose_to_pose(&animation, &options, &Silent).unwrap().rig;
    let options = SkinOptions { bones: Some(10), ..SkinOptions::of(Method::Sad) };
    let from_rest = skin(&animation, &options, &Silent).unwrap().rig;
    let mut keyed = PoseChain { weights: from_rest.weights, ..fitted.clone() };
    keyed.keys = vec![5, 7];
    for &key in &keyed.keys {
        let bones = keyed.bones.len();
        keyed.steps[key * bones..(key + 1) * bones]
            .copy_from_slice(&from_rest.transforms[key * bones..(key + 1) * bones]);
    }
    let frames = &animation.frames;
    let options = StreamOptions { bones: 10, ..StreamOptions::default() };
    let ahead: Vec<&[Vec3]> = (0..4).map(|t| frames.frame(t)).collect();
    let mut encoder = Encoder::new(&animation.mesh, frames.frame(0), &ahead, &options).unwrap();
    let mut streamed = PoseChain {
        rest: frames.frame(0).to_vec(),
        weights: encoder.weights().clone(),
        bones: encoder.bones().to_vec(),
        steps: Vec::new(),
        keys: Vec::new(),
        ..fitted.clone()
    };
    for t in 0..FRAMES {
        let step = encoder.encode(frames.frame(t)).unwrap();
        streamed.steps.extend_from_slice(step.transforms);
        streamed.keys.extend(step.key.then_some(t));
        streamed.later_weights.extend(step.new_weights.map(|weights| (t, weights.clone())));
    }
    vec![("fitted", fitted), ("keyed", keyed), ("streamed", streamed)]
}

fn diagonal(chain: &PoseChain) -> f32 {
    Bounds::of(&chain.rest).diagonal() as f32
}

/// The largest distance of two poses, as a share of the diagonal.
fn apart(chain: &PoseChain, a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(p, q)| p.distance(*q)).fold(0.0, f32::max) / diagonal(chain)
}

/// The pose with a bump at its highest place, and the vertex on top of it.
fn bumped(chain: &PoseChain, pose: &[Vec3]) -> (Vec<Vec3>, usize) {
    let highest = |(_, a): &(usize, &Vec3), (_, b): &(usize, &Vec3)| a.y.total_cmp(&b.y);
    let (top, at) = pose.iter().enumerate().max_by(highest).unwrap();
    let size = 0.1 * diagonal(chain);
    let lift = |p: &Vec3| *p + Vec3::Y * 0.3 * size * (1.0 - p.distance(*at) / size).max(0.0);
    (pose.iter().map(lift).collect(), top)
}

fn edit(shape: &[Vec3], frame: usize) -> PoseEdit<'_> {
    PoseEdit { shape, frame, through: FRAMES - 1, ..PoseEdit::default() }
}

#[test]
fn the_pose_that_is_there_changes_nothing() {
    for (name, mut chain) in chains() {
        let before = chain.clone();
        let edited = edit_chain(&mut chain, &edit(before.bake().frame(3), 3), &Silent).unwrap();
        assert!(chain == before, "{name}");
        assert_eq!((edited.bones, edited.moved), (0, 0.0), "{name}");
    }
}

#[test]
fn a_bump_is_met_and_goes_along() {
    for (name, mut chain) in chains() {
        let before = chain.bake();
        let (shape, top) = bumped(&chain, before.frame(2));
        let edited = edit_chain(&mut chain, &edit(&shape, 2), &Silent).unwrap();
        chain.validate().unwrap();
        let after = chain.bake();
        for t in 0..2 {
            assert_eq!(after.frame(t), before.frame(t), "{name}, frame {t}");
        }
        assert!(apart(&chain, after.frame(2), &shape) < 1e-5 && edited.missed < 1e-5, "{name}");
        let height = shape[top].distance(before.frame(2)[top]);
        for t in 3..FRAMES {
            let there = after.frame(t)[top].distance(before.frame(t)[top]);
            assert!((0.5..1.6).contains(&(there / height)), "{name}, frame {t}: {there} of {height}");
        }
        // Played out of order it is the same.
        let player = ChainPlayer::new(&chain);
        let mut pose = vec![Vec3::ZERO; chain.rest.len()];
        for t in [6, 2, 9, 5] {
            sinew::animation::PoseSource::pose_into(&player, t, &mut pose);
            assert_eq!(pose, after.frame(t), "{name}, frame {t}");
            let by_product = vertex_transform(&chain, top, t).transform_point3(chain.rest[top].as_dvec3());
            assert!(by_product.as_vec3().distance(pose[top]) < 1e-4 * diagonal(&chain), "{name}, frame {t}");
        }
    }
}

#[test]
fn a_moved_pose_moves_all_later_ones() {
    let turn = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 0.8);
    let motion = DAffine3::from_rotation_translation(turn, DVec3::new(3.0, -1.0, 2.0));
    let moved = |pose: &[Vec3]| -> Vec<Vec3> {
        pose.iter().map(|p| motion.transform_point3(p.as_dvec3()).as_vec3()).collect()
    };
    for (name, mut chain) in chains() {
        // Also where the poses were sculpted already.
        let (bump, _) = bumped(&chain, chain.bake().frame(1));
        edit_chain(&mut chain, &PoseEdit { through: 5, ease_out: 2, ..edit(&bump, 1) }, &Silent).unwrap();
        let before = chain.bake();
        let edited = edit_chain(&mut chain, &edit(&moved(before.frame(4)), 4), &Silent).unwrap();
        assert_eq!(edited.bones, 0, "{name}");
        let after = chain.bake();
        for t in 4..FRAMES {
            let off = apart(&chain, after.frame(t), &moved(before.frame(t)));
            assert!(off < 1e-5, "{name}, frame {t}: {off}");
        }
    }
}

#[test]
fn an_edit_ends_where_it_is_told() {
    for (name, mut chain) in chains() {
        let before = chain.bake();
        let (shape, top) = bumped(&chain, before.frame(2));
        let change = |after: &Frames, t: usize| after.frame(t)[top].distance(before.frame(t)[top]);
        let mut whole = chain.clone();
        edit_chain(&mut whole, &edit(&shape, 2), &Silent).unwrap();
        edit_chain(&mut chain, &PoseEdit { through: 6, ease_out: 3, ..edit(&shape, 2) }, &Silent).unwrap();
        let (after, whole) = (chain.bake(), whole.bake());
        assert!(apart(&chain, after.frame(3), whole.frame(3)) < 1e-6, "{name}");
        for t in 4..=6 {
            let (share, last) = (change(&after, t) / change(&whole, t), change(&after, t - 1));
            assert!((0.05..0.95).contains(&share) && change(&after, t) < last, "{name}, frame {t}: {share}");
        }
        for t in 7..FRAMES {
            assert!(apart(&chain, after.frame(t), before.frame(t)) < 1e-6, "{name}, frame {t}");
        }
    }
}

#[test]
fn an_edit_is_undone_and_done_again() {
    for (name, mut chain) in chains() {
        let before = chain.clone();
        let (shape, _) = bumped(&chain, chain.bake().frame(4));
        let mut undo = edit_chain(&mut chain, &edit(&shape, 4), &Silent).unwrap().undo;
        let after = chain.clone();
        assert!(after != before, "{name}");
        undo.swap(&mut chain);
        assert!(chain == before, "{name}");
        undo.swap(&mut chain);
        assert!(chain == after, "{name}");
    }
}

#[test]
fn a_bump_on_the_rest_pose_shows_in_all_frames() {
    for (name, mut chain) in chains() {
        let before = chain.bake();
        let (shape, top) = bumped(&chain, &chain.rest.clone());
        let mut undo = edit_chain_rest(&mut chain, &shape).unwrap();
        let after = chain.bake();
        let height = shape[top].distance(before.frame(0)[top]);
        for t in 0..FRAMES {
            let there = after.frame(t)[top].distance(before.frame(t)[top]);
            assert!((0.5..1.6).contains(&(there / height)), "{name}, frame {t}: {there} of {height}");
        }
        undo.swap(&mut chain);
        assert_eq!(chain.bake().frame(FRAMES - 1), before.frame(FRAMES - 1), "{name}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let (_, mut chain) = chains().remove(0);
    let before = chain.clone();
    let shape = chain.rest.clone();
    let short = edit(&shape[1..], 2);
    assert!(matches!(edit_chain(&mut chain, &short, &Silent), Err(EditError::Vertices { .. })));
    assert!(matches!(
        edit_chain(&mut chain, &edit(&shape, FRAMES), &Silent),
        Err(EditError::NoSuchFrames { .. })
    ));
    let earlier = PoseEdit { from: Some(1), ..edit(&shape, 2) };
    assert!(matches!(edit_chain(&mut chain, &earlier, &Silent), Err(EditError::OnlyLater)));
    assert!(matches!(edit_chain_rest(&mut chain, &shape[1..]), Err(EditError::Vertices { .. })));
    assert!(chain == before);
}
