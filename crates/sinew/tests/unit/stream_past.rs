//! Unit tests of `stream/past.rs`, which reach what is private there.

use super::*;

#[test]
fn little_is_remembered_of_much_and_most_of_the_latest() {
    let mut past = Past::default();
    for t in 0..5000 {
        past.add(t, &[Vec3::splat(t as f32)]);
        assert!(past.len() == ROOM.min(t + 1));
    }
    let numbers: Vec<usize> = past.kept.iter().map(|k| k.0).collect();
    assert!(past.kept.iter().all(|(t, pose)| pose[0].x == *t as f32));
    assert!(numbers[0] == 0 && numbers[ROOM - 1] == 4999);
    let gaps: Vec<usize> = numbers.windows(2).map(|n| n[1] - n[0]).collect();
    assert!(gaps.iter().all(|gap| (1..5000 / 3).contains(gap)), "{numbers:?}");
    assert!(gaps[ROOM - 6..].iter().sum::<usize>() < 60, "{numbers:?}");
    // The older half of the stream is not forgotten.
    assert!(numbers.iter().filter(|t| **t < 2500).count() >= 3, "{numbers:?}");
}
