use super::*;

#[test]
fn the_last_influence_counts_as_far_as_needed() {
    let kept = pruned(vec![(0, 0.04), (1, 0.16), (2, 0.8)], 0.9);
    assert_eq!(kept.iter().map(|k| k.0).collect::<Vec<_>>(), [2, 1]);
    assert!((kept[0].1 - 0.8 / 0.9).abs() < 1e-6 && (kept[1].1 - 0.1 / 0.9).abs() < 1e-6);
    let all = pruned(vec![(0, 0.25), (1, 0.75)], 1.0);
    assert_eq!(all, [(1, 0.75), (0, 0.25)]);
}
