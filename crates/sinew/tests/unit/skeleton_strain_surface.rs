//! Unit tests of `skeleton/strain/surface.rs`, which reach what is private there.

use super::*;

#[test]
fn seams_are_closed_and_lips_are_not() {
    // Two triangles side by side, cut along the edge from (1, 0) to (0, 1); the cut opens at (0, 1) in
    // one frame.
    let rest =
        [[0, 0], [1, 0], [0, 1], [1, 0], [1, 1], [0, 1]].map(|[x, y]| Vec3::new(x as f32, y as f32, 0.0));
    let mut open = rest.to_vec();
    open[5].x += 0.25;
    let triangles = [[0, 1, 2], [3, 4, 5]];
    let surface = Surface::new(&triangles, &rest, &Frames::from_poses(&[rest.to_vec(), open]));
    assert_eq!(surface.point_of, [0, 1, 2, 1, 3, 4]);
    assert_eq!(surface.neighbours(1).iter().map(|n| n.0).collect::<Vec<_>>(), [0, 2, 3, 4]);
    assert_eq!(surface.masses.iter().sum::<f64>(), 5.0);
    let mut coloured = surface.colours.concat();
    coloured.sort_unstable();
    assert_eq!(coloured, [0, 1, 2, 3, 4]);
    for colour in &surface.colours {
        let apart = |&i: &u32| surface.neighbours(i as usize).iter().all(|n| !colour.contains(&n.0));
        assert!(colour.iter().all(apart), "{colour:?}");
    }
}

#[test]
fn loose_pieces_are_joined() {
    let rest =
        [[0, 0], [1, 0], [0, 1], [3, 0], [4, 0], [3, 1]].map(|[x, y]| Vec3::new(x as f32, y as f32, 0.0));
    let surface = Surface::new(&[[0, 1, 2], [3, 4, 5]], &rest, &Frames::from_poses(&[rest.to_vec()]));
    assert!(surface.neighbours(1).iter().any(|n| n.0 == 3));
    assert!(surface.shares.iter().all(|s| *s >= LEAST_AREA));
}
