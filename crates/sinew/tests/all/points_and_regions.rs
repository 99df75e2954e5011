//! Points spread over meshes of many pieces, and regions grown from them.

use std::collections::BTreeSet;

use sinew::progress::Silent;
use sinew::segment::{NO_BONE, SegmentError, SurfaceMotion, grow_regions, smooth_weights, spread_points};
use sinew_sample::{CreatureOptions, creature};

#[test]
fn as_many_regions_as_seeds_on_any_mesh() {
    let animation = creature(&CreatureOptions { frames: 4, detail: 0.6, ..Default::default() });
    let rest = animation.frames.frame(0);
    let triangles = animation.mesh.triangles(rest);
    for count in [1, 3, 30, 200] {
        let seeds = spread_points(&triangles, rest, count, &Silent).unwrap();
        let motion = SurfaceMotion { frames: &animation.frames, triangles: &triangles, rest };
        let regions = grow_regions(motion, &seeds, &Silent).unwrap();
        let distinct: BTreeSet<_> = regions.iter().collect();
        assert_eq!((distinct.len(), regions.len()), (count, rest.len()));
        assert!(!distinct.contains(&NO_BONE));
    }
}

#[test]
fn every_piece_is_served_and_counts_are_exact() {
    let animation = creature(&CreatureOptions { frames: 1, detail: 0.6, ..Default::default() });
    let rest = animation.frames.frame(0);
    let triangles = animation.mesh.triangles(rest);
    for count in [1, 2, 5, 40, 120] {
        let points = spread_points(&triangles, rest, count, &Silent).unwrap();
        let distinct: BTreeSet<_> = points.iter().collect();
        assert_eq!(distinct.len(), count);
        let weights = smooth_weights(&triangles, rest, &points, 4);
        for v in 0..rest.len() {
            let (bones, w) = weights.of(v);
            assert!((w.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{w:?}");
            assert!(w.windows(2).all(|w| w[0] >= w[1] && w[1] >= 0.0));
            assert!(bones.iter().all(|&b| (b as usize) < count));
        }
    }
    for asked in [0, rest.len() + 1] {
        let refused = spread_points(&triangles, rest, asked, &Silent).unwrap_err();
        assert!(matches!(refused, SegmentError::Count { asked: told, .. } if told == asked), "{refused}");
    }
}
