use super::*;

#[test]
fn offsets_come_back_and_those_too_small_to_matter_take_no_room() {
    let some = |k: f64| (0..50).map(|i| DVec3::new(k * f64::from(i), (f64::from(i) * k).sin(), -k)).collect();
    let examples: [Vec<DVec3>; 3] = [some(0.1), some(7.0), vec![DVec3::splat(1e-9); 50]];
    let offsets = examples.each_ref().map(|all| HeldOffsets::new(all, 1e-6));
    for point in 0..50 {
        let wanted = 0.5 * examples[0][point] - 2.0 * examples[1][point];
        assert!(held_offset(&offsets, point, &[0.5, -2.0, 3.0]).distance(wanted) < 0.02);
    }
    assert!(offsets.iter().map(HeldOffsets::bytes).sum::<usize>() < 2 * 50 * 6 + 50);
}
