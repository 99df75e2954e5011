use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn links_are_as_short_as_a_spanning_tree_can_be(
        all in prop::collection::vec((-1.0..1.0_f32, -1.0..1.0_f32, -1.0..1.0_f32), 1..60),
        pieces in 1..7_usize,
    ) {
        let points: Vec<Vec3> = all.iter().map(|&(x, y, z)| Vec3::new(x, y, z)).collect();
        let pieces = pieces.min(points.len());
        let piece: Vec<u32> = (0..points.len()).map(|i| (i % pieces) as u32).collect();
        let links = joining_links(&points, piece.clone());
        prop_assert_eq!(links.len(), pieces - 1);
        let length = |a: u32, b: u32| f64::from(points[a as usize].distance(points[b as usize]));
        let found: f64 = links.iter().map(|&[a, b]| length(a, b)).sum();
        // Kruskal over all pairs.
        let mut pairs: Vec<[u32; 2]> = (0..points.len() as u32)
            .flat_map(|a| (0..a).map(move |b| [a, b])).collect();
        pairs.sort_by(|p, q| length(p[0], p[1]).total_cmp(&length(q[0], q[1])));
        let mut roots: Vec<u32> = (0..pieces as u32).collect();
        let mut best = 0.0;
        for [a, b] in pairs {
            let ends = [a, b].map(|i| root(&mut roots, piece[i as usize]));
            if ends[0] != ends[1] {
                roots[ends[0] as usize] = ends[1];
                best += length(a, b);
            }
        }
        prop_assert!((found - best).abs() < 1e-4, "{} against {}", found, best);
    }
}
