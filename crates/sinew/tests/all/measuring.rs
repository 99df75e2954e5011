//! Errors measured frame by frame.

use glam::Vec3;
use sinew::animation::{Clip, Frames, PoseSource, RunningClips, RunningMeasure, Section, compare};
use sinew_sample::{CreatureOptions, creature};

#[test]
fn frame_by_frame_is_the_same_as_all_at_once() {
    let a = creature(&CreatureOptions { frames: 9, detail: 0.6, ..Default::default() });
    let poses: Vec<Vec<Vec3>> = (1..10).map(|t| a.frames.frame(t % 9).to_vec()).collect();
    let b = Frames::from_poses(&poses);
    let mut running = RunningMeasure::new(a.rest_bounds());
    let per_frame: Vec<f64> = (0..9).map(|t| running.add(a.frames.frame(t), b.frame(t))).collect();
    assert_eq!(running.frames(), 9);
    let at_once = compare(&a, &b, a.rest_bounds());
    assert_eq!((running.error(), per_frame), (at_once.error, at_once.per_frame));
    assert!(running.error().percent > 0.0);
}

#[test]
fn clips_are_measured_as_if_each_were_alone() {
    let a = creature(&CreatureOptions { frames: 7, detail: 0.6, ..Default::default() });
    let b = Frames::from_poses(&(1..8).map(|t| a.frames.frame(t % 7).to_vec()).collect::<Vec<_>>());
    let clip = |name: &str, frames| Clip { name: name.into(), frames, fps: 24.0 };
    let clips = vec![clip("first", 0..3), clip("second", 3..7)];
    let mut running = RunningClips::new(clips.clone(), a.rest_bounds());
    (0..7).for_each(|t| running.add(a.frames.frame(t), b.frame(t)));
    let (whole, of_clips) = running.finish();
    assert_eq!(whole, compare(&a, &b, a.rest_bounds()));
    let alone = |clip: &Clip| {
        let [p, q] = [&a as &dyn PoseSource, &b].map(|s| Section::new(s, clip.frames.clone()));
        compare(&p, &q, a.rest_bounds()).error
    };
    assert_eq!(of_clips, clips.iter().map(alone).collect::<Vec<_>>());
    assert!(of_clips[0] != of_clips[1]);
}
