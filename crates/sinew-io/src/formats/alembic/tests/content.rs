//! What archives hold, and what becomes of it.

use glam::{DAffine3, DVec3, Vec3};

use super::*;
use crate::formats::alembic::time::ACYCLIC;
use crate::warning::Unkept;

#[test]
fn nested_and_moving_transforms_carry_points() {
    let bytes = archive(&[(FILM, &[0.0])], |out| {
        let mesh = triangle(out, "shape", MESH, 0, &[at(0.0)]);
        let free = triangle(out, "free", MESH, 0, &[at(0.0)]);
        let alone = transform(out, "alone", &[0x10], (0, &[vec![0.0, 0.0, 7.0]]), false, &[free]);
        // Half a turn about z, by its axis, in two frames.
        let turns = [vec![0.0, 0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0, 90.0], vec![0.0, 0.0, 1.0, 180.0]];
        let inner = transform(out, "inner", &[0x20], (1, &turns), true, &[mesh, alone]);
        let place = vec![5.0, 0.0, 0.0, 2.0, 2.0, 2.0];
        vec![transform(out, "outer", &[0x10, 0x00], (0, &[place]), true, &[inner])]
    });
    let animation = read(bytes);
    assert_eq!((animation.frame_count, animation.fps), (3, 24.0));
    let names: Vec<&str> = animation.mesh.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["inner", "alone"]);
    for (frame, degrees) in [0.0_f64, 90.0, 180.0].into_iter().enumerate() {
        let place = DAffine3::from_translation(DVec3::X * 5.0)
            * DAffine3::from_scale(DVec3::splat(2.0))
            * DAffine3::from_rotation_z(degrees.to_radians());
        let shown = pose(&animation, frame);
        let expected = [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| place.transform_point3(p).as_vec3());
        for (a, b) in shown.iter().zip(expected) {
            assert!(a.abs_diff_eq(b, 1e-5), "frame {frame}: {a} {b}");
        }
        assert_eq!(shown[3..], moved(DVec3::Z * 7.0), "what inherits nothing stays where it is");
    }
}

#[test]
fn faces_run_the_other_way_round_except_in_mirrors() {
    let mirrored = |x: f64| {
        let bytes = archive(&[], |out| {
            let mesh = triangle(out, "shape", MESH, 0, &[at(0.0)]);
            vec![transform(out, "place", &[0x00], (0, &[vec![x, 1.0, 1.0]]), true, &[mesh])]
        });
        read(bytes).mesh.corners
    };
    assert_eq!(mirrored(1.0), [2, 1, 0]);
    assert_eq!(mirrored(-1.0), [0, 1, 2]);
}

#[test]
fn points_of_every_size() {
    let half = [0x0000_u16, 0x3C00, 0xC000, 0x3800, 0, 0, 0, 0x4000, 0];
    let halves: Vec<u8> = half.iter().flat_map(|h| h.to_le_bytes()).collect();
    let wide = doubles(&[0.0, 1.0, -2.0, 0.5, 0.0, 0.0, 0.0, 2.0, 0.0]);
    for (pod, points) in [(Pod::F16, halves), (Pod::F64, wide)] {
        let bytes = archive(&[], |out| vec![with_points(out, "a", MESH, pod, 0, &[points], &[])]);
        let expected = [Vec3::new(0.0, 1.0, -2.0), Vec3::X * 0.5, Vec3::Y * 2.0];
        assert_eq!(pose(&read(bytes), 0), expected, "{pod:?}");
    }
}

#[test]
fn slower_objects_are_interpolated_at_the_times_of_the_fastest() {
    let bytes = archive(&[(0.1, &[0.0]), (0.2, &[0.0])], |out| {
        let fast: Vec<Vec<u8>> = (0..5).map(|i| at(i as f32)).collect();
        let slow: Vec<Vec<u8>> = (0..4).map(|i| at(10.0 * i as f32)).collect();
        vec![
            triangle(out, "slow", MESH, 2, &slow),
            triangle(out, "fast", MESH, 1, &fast),
            triangle(out, "still", MESH, 0, &[at(3.0)]),
        ]
    });
    let animation = read(bytes);
    // The slow one lasts longer: 0.6 s.
    assert_eq!((animation.frame_count, animation.fps), (7, 10.0));
    for frame in 0..7 {
        let shown = pose(&animation, frame);
        assert!((shown[0].x - 5.0 * frame as f32).abs() < 1e-5, "{frame}: {}", shown[0]);
        assert_eq!(shown[3].x, frame.min(4) as f32, "the last pose is held");
        assert_eq!(shown[6].x, 3.0);
    }
}

#[test]
fn of_a_shutter_the_pose_at_the_frame_is_taken() {
    let times = [FILM - 0.25 * FILM, FILM, FILM + 0.25 * FILM];
    let bytes = archive(&[(FILM, &times)], |out| {
        let samples: Vec<Vec<u8>> = (0..6).map(|i| at(i as f32)).collect();
        vec![triangle(out, "a", MESH, 1, &samples)]
    });
    let file = opened(bytes);
    let info = file.info().unwrap();
    assert_eq!((info.frames, info.fps, info.shutter_samples, info.start), (2, 24.0, 3, FILM));
    let animation = file.animation(&ReadOptions::default()).unwrap();
    assert_eq!([0, 1].map(|f| pose(&animation, f)[0].x), [1.0, 4.0]);
    assert!(
        animation.warnings[0].to_string().contains("3 samples belong to each frame"),
        "{:?}",
        animation.warnings
    );
}

#[test]
fn listed_times_are_kept() {
    let bytes = archive(&[(ACYCLIC, &[1.0, 1.5, 3.0])], |out| {
        vec![triangle(out, "a", MESH, 1, &[at(0.0), at(1.0), at(4.0)])]
    });
    let animation = read(bytes);
    assert_eq!((animation.frame_count, animation.fps, animation.start), (5, 2.0, 1.0));
    let xs: Vec<f32> = (0..5).map(|f| pose(&animation, f)[0].x).collect();
    assert_eq!(xs, [0.0, 1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn instances_are_copies() {
    let source = |path: &'static str| {
        archive(&[], |out| {
            let mesh = triangle(out, "shape", MESH, 0, &[at(0.0)]);
            let first = transform(out, "first", &[0x10], (0, &[vec![1.0, 0.0, 0.0]]), true, &[mesh]);
            let mut text = path.as_bytes().to_vec();
            text.push(0);
            let named = property(out, (".instanceSource", ""), (Kind::Scalar, Pod::Text, 1), 0, &[text]);
            let copy = out.object("copy", "isInstance=1", &[named], &[]).unwrap();
            let second = transform(out, "second", &[0x10], (0, &[vec![0.0, 5.0, 0.0]]), true, &[copy]);
            vec![first, second]
        })
    };
    let animation = read(source("/first/shape"));
    assert_eq!(animation.mesh.parts.len(), 2);
    assert_eq!(pose(&animation, 0)[3..], moved(DVec3::Y * 5.0));
    let both = read(source("/first"));
    assert_eq!(pose(&both, 0)[3..], moved(DVec3::new(1.0, 5.0, 0.0)), "its transform comes along");
    assert!(refused(source("/nobody")).contains("is an instance of \"/nobody\", which is not there"));
    assert!(refused(source("/second")).contains("is an instance within itself"));
}

#[test]
fn layers_of_vertices_and_corners() {
    let uv = |scope: &'static str, indexed: bool| {
        archive(&[], |out| {
            let meta = format!("geoScope={scope}");
            let make = |out: &mut Made| {
                let values = [floats(&[0.0, 1.0, 0.25, 1.0, 0.5, 1.0])];
                let kind = (Kind::Array, Pod::F32, 2);
                if !indexed {
                    return property(out, ("uv", &meta), kind, 0, &values);
                }
                let values = property(out, (".vals", &meta), kind, 0, &values);
                let picked = [ints(&[2, 0, 1])];
                let picked = property(out, (".indices", ""), (Kind::Array, Pod::U32, 1), 0, &picked);
                out.compound("uv", &meta, &[values, picked]).unwrap()
            };
            let normals = |out: &mut Made| {
                let up = [floats(&[0.0, 1.0, 0.0])];
                property(out, ("N", "geoScope=con"), (Kind::Array, Pod::F32, 3), 0, &up)
            };
            vec![with_points(out, "a", CAGE, Pod::F32, 0, &[at(0.0)], &[&make, &normals])]
        })
    };
    for scope in ["fvr", "vtx"] {
        for (indexed, expected) in [(false, [0.5, 0.25, 0.0]), (true, [0.25, 0.0, 0.5])] {
            let animation = read(uv(scope, indexed));
            let layer = animation.mesh.uvs.as_ref().unwrap();
            let us: Vec<f32> = layer.indices.iter().map(|i| layer.values[*i as usize].x).collect();
            assert_eq!(us, expected, "{scope} {indexed}");
            assert!(layer.values.iter().all(|uv| uv.y == 0.0), "the origin is at the top");
            assert!(animation.warnings[0].to_string().contains("the cage is taken"));
            assert_eq!(animation.mesh.normals.as_ref().unwrap().values, [Vec3::Y]);
        }
    }
}

#[test]
fn attributes_that_are_left_out_are_told() {
    let bytes = archive(&[], |out| {
        let colors = |out: &mut Made| {
            let kind = (Kind::Array, Pod::F32, 3);
            let plain = property(out, ("Pref", ""), kind, 0, &[at(9.0)]);
            // Whole numbers are none of ours.
            let values = property(out, (".vals", ""), (Kind::Array, Pod::I32, 3), 0, &[at(0.0)]);
            let colors = out.compound("Cd", "geoScope=vtx", &[values]).unwrap();
            out.compound(".arbGeomParams", "", &[plain, colors]).unwrap()
        };
        vec![with_points(out, "a", MESH, Pod::F32, 0, &[at(0.0)], &[&colors])]
    });
    let animation = read(bytes);
    assert_eq!(crate::warning::sentences(&animation.warnings), ["/a: its attributes Cd are left out"]);
    assert_eq!(animation.rest, None, "what others call Pref may be anything");
}

#[test]
fn meshes_without_points_are_left_out() {
    let hidden = |out: &mut Made| {
        let geometry = out.compound(".geom", MESH, &[]).unwrap();
        let mesh = out.object("hidden", MESH, &[geometry], &[]).unwrap();
        transform(out, "place", &[], (0, &[]), true, &[mesh])
    };
    let bytes = archive(&[], |out| vec![hidden(out), triangle(out, "seen", MESH, 0, &[at(0.0)])]);
    let animation = read(bytes);
    assert_eq!(animation.mesh.vertex_count, 3);
    assert_eq!(animation.warnings, [Unkept::MeshesWithoutPoints(vec!["/place/hidden".into()]).into()]);
    let alone = archive(&[], |out| vec![hidden(out)]);
    assert_eq!(refused(alone), "a.abc: mesh /place/hidden has no P");
}

#[test]
fn empties_are_said_to_be_left_out() {
    let bytes = archive(&[], |out| {
        let still = (0, &[][..]);
        let socket = transform(out, "socket", &[], still, true, &[]);
        let mesh = triangle(out, "shape", MESH, 0, &[at(0.0)]);
        let body = transform(out, "body", &[], still, true, &[mesh, socket]);
        let camera = out.object("lens", "schema=AbcGeom_Camera_v1", &[], &[]).unwrap();
        vec![body, transform(out, "camera", &[], still, true, &[camera])]
    });
    assert_eq!(read(bytes).warnings[0], Unkept::Empties(vec!["socket".into()]).into());
}
