//! Unit tests of `reduced/mod.rs`, which reach what is private there.

use super::*;

/// Sums of a few smooth motions.
fn frames(count: usize, vertices: usize, motions: usize) -> Frames {
    let pose = |t: usize| -> Vec<Vec3> {
        (0..vertices)
            .map(|v| {
                let along = v as f32 / vertices as f32;
                (0..motions).fold(Vec3::new(10.0 * along, 0.0, 3.0), |p, m| {
                    let (m, t) = (m as f32 + 1.0, t as f32 / count as f32);
                    p + Vec3::new((m * along * 9.0).sin(), (m * along * 5.0).cos(), along)
                        * (m * t * 3.0).sin()
                })
            })
            .collect()
    };
    Frames::from_poses(&(0..count).map(pose).collect::<Vec<_>>())
}

#[test]
fn few_coordinates_hold_all_of_few_motions() {
    for (count, motions) in [(12, 3), (70, 6), (200, 9)] {
        let frames = frames(count, 500, motions);
        let reduced =
            Reduced::new(&frames, frames.frame(0), &crate::progress::Silent).expect("nobody cancels");
        assert!(reduced.dims <= MOST && reduced.dims.is_multiple_of(LANES));
        assert!(reduced.left_out < 1e-6 * reduced.motion, "{} of {}", reduced.left_out, reduced.motion);
        for (t, rows) in reduced.basis.chunks_exact(3 * reduced.dims).enumerate() {
            for v in (0..500).step_by(83) {
                let expected = reduced.units.pose(frames.frame(t)[v], t);
                let back = |axis: usize| -> f32 {
                    rows[axis * reduced.dims..][..reduced.dims]
                        .iter()
                        .zip(reduced.path(v))
                        .map(|(u, c)| u * c)
                        .sum()
                };
                assert!((0..3).all(|axis| (f64::from(back(axis)) - expected[axis]).abs() < 1e-3));
            }
        }
    }
}
