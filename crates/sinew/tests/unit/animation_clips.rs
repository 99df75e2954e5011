use super::*;

fn clip(name: &str, frames: Range<usize>) -> Clip {
    Clip { name: name.into(), frames, fps: 24.0 }
}

#[test]
fn clips_follow_each_other_over_all_frames() {
    assert_eq!(check_clips(&[], 7), Ok(()));
    assert_eq!(check_clips(&[clip("a", 0..3), clip("b", 3..7)], 7), Ok(()));
    let wrong = |clips: &[Clip]| check_clips(clips, 7).unwrap_err().to_string();
    assert_eq!(wrong(&[clip("a", 0..3)]), "the clips hold 3 of 7 frames");
    assert_eq!(wrong(&[clip("a", 0..0), clip("b", 0..7)]), "clip a has no frames");
    assert!(wrong(&[clip("a", 0..3), clip("b", 2..7)]).contains("the clip before it ends at frame 3"));
    let stopped = Clip { fps: 0.0, ..clip("a", 0..3) };
    assert!(check_clips(&[stopped], 3).unwrap_err().to_string().contains("not 0"));
}

#[test]
fn without_clips_everything_is_one() {
    let one = clips_or_one(&[], 7, 30.0);
    assert_eq!((one.len(), one[0].frames.clone(), one[0].fps), (1, 0..7, 30.0));
}
