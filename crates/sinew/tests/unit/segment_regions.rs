//! Unit tests of `segment/regions.rs`, which reach what is private there.

use super::*;
use crate::animation::Frames;
use crate::geometry::Mesh;
use crate::progress::Silent;
use crate::segment::spread_points;
use glam::Vec3;

#[test]
fn a_hinge_is_found_wherever_the_seeds_are() {
    // A strip that folds at x = 14 of 40, seeded by two points spread over the whole.
    let long = 40;
    let rest: Vec<Vec3> =
        (0..=long).flat_map(|x| [0, 1, 2].map(|y| Vec3::new(x as f32, y as f32, 0.0))).collect();
    let mut mesh = Mesh { vertex_count: rest.len(), ..Mesh::default() };
    for a in (0..long).flat_map(|x| [3 * x, 3 * x + 1]) {
        mesh.push_face(&[a, a + 3, a + 4, a + 1]);
    }
    let triangles = mesh.triangles(&rest);
    let pose = |angle: f32| -> Vec<Vec3> {
        let fold = |p: &Vec3| match p.x - 14.0 {
            d if d > 0.0 => Vec3::new(14.0 + d * angle.cos(), p.y, d * angle.sin()),
            _ => *p,
        };
        rest.iter().map(fold).collect()
    };
    let frames = Frames::from_poses(&[0.0, 0.4, 0.9, 1.4].map(pose));
    let seeds = spread_points(&triangles, &rest, 2, &Silent).unwrap();
    let motion = SurfaceMotion { frames: &frames, triangles: &triangles, rest: &rest };
    let regions = grow_regions(motion, &seeds, &Silent).unwrap();
    let first = regions[0];
    for (p, region) in rest.iter().zip(&regions).filter(|(p, _)| (p.x - 14.0).abs() > 1.5) {
        assert_eq!(*region == first, p.x < 14.0, "at {p}");
    }
}
