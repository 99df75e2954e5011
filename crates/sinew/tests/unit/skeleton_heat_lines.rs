//! Unit tests of `skeleton/heat/lines.rs`, which reach what is private there.

use super::*;

#[test]
fn lines_follow_the_joints() {
    let skeleton = Skeleton::new(vec![None, Some(0), Some(0), Some(1)]);
    let c = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [2., 0., 0.]].map(DVec3::from);
    let quarter = DAffine3::from_rotation_z(std::f64::consts::FRAC_PI_2);
    let mut transforms = vec![DAffine3::IDENTITY; 4];
    transforms.extend([quarter; 4]);
    let end = DVec3::new(3.0, 0.0, 0.0);
    let lines = BoneLines::of_skeleton(&skeleton, &c, &transforms, &[None, None, None, Some(end)]);
    assert_eq!((lines.bone_count, lines.ends.len()), (4, 2 * lines.bones.len()));
    assert_eq!(lines.bones, [0, 0, 1, 2, 3]);
    let expected = [[c[0], c[1]], [c[0], c[2]], [c[1], c[3]], [c[2], c[2]], [c[3], end]];
    assert_eq!(lines.frame(0), expected);
    assert_eq!(lines.frame(1), expected.map(|ends| ends.map(|p| quarter.transform_point3(p))));
}

#[test]
fn leaves_end_inside_what_they_move() {
    // Rings along x.
    let ring = |x: u8| [[1., 0.], [0., 1.], [-1., 0.], [0., -1.]].map(|[y, z]| Vec3::new(x.into(), y, z));
    let rest: Vec<Vec3> = (0..=20).flat_map(ring).collect();
    let skeleton = Skeleton::new(vec![None, Some(0), Some(0)]);
    let centers = [[1., 0., 0.], [10., 0., 0.], [8., 0., 0.]].map(DVec3::from);
    let joint_of: Vec<u32> = rest.iter().map(|p| u32::from(p.x > 10.0)).collect();
    let ends = leaf_ends(&skeleton, &centers, &rest, &joint_of);
    assert_eq!((ends[0], ends[2]), (None, None), "not a leaf, and nothing to move");
    let end = ends[1].unwrap();
    assert!(end.x > 18.0 && end.x < 20.0 && end.y.abs() < 1e-6 && end.z.abs() < 1e-6, "{end}");
}
