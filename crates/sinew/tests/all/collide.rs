//! Where rigs touch: trees against looking at every pair of triangles.

use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use proptest::prelude::*;
use sinew::collide::{Body, CollideError, Contact, Place, Posed, RefitBvh, between, touch, within};
use sinew::geometry::Mesh;
use sinew::progress::Silent;
use sinew::rig::{Bone, Corrections, Rig, RigError, SkinWeights};
use sinew_sample::CreatureOptions;

/// Where a body's vertices are.
fn pose(posed: &Posed, rig: &Rig) -> Vec<DVec3> {
    (0..rig.rest.len() as u32).map(|v| posed.vertex(v).as_dvec3()).collect()
}

/// Numbers of triangles that touch, of two poses; within one, those that share a vertex do not count.
fn brute(a: (&Rig, &[DVec3]), b: Option<(&Rig, &[DVec3])>) -> Vec<[u32; 2]> {
    let triangles = |rig: &Rig| rig.mesh.triangles(&rig.rest);
    let corners = |(rig, pose): (&Rig, &[DVec3])| -> Vec<[DVec3; 3]> {
        triangles(rig).into_iter().map(|t| t.map(|v| pose[v as usize])).collect()
    };
    let (first, second) = (corners(a), corners(b.unwrap_or(a)));
    let own = triangles(a.0);
    let apart = |i: usize, j: usize| b.is_some() || (i < j && !own[i].iter().any(|v| own[j].contains(v)));
    let mut found = Vec::new();
    for i in 0..first.len() {
        for j in 0..second.len() {
            if apart(i, j) && touch(&first[i], &second[j]).is_some() {
                found.push([i as u32, j as u32]);
            }
        }
    }
    found
}

fn numbers(contacts: &[Contact]) -> Vec<[u32; 2]> {
    contacts.iter().map(|contact| contact.triangles).collect()
}

/// A rig from loose numbers: whatever a rig may hold.
fn rig(
    places: &[[f32; 3]],
    corners: &[[usize; 3]],
    bones: &[[[f64; 12]; 2]],
    influences: &[[(usize, f32); 3]],
    shapes: &[[[f32; 3]; 2]],
    coefficients: &[[f32; 2]],
) -> Rig {
    let n = places.len();
    let triangles: Vec<[u32; 3]> = corners.iter().map(|t| t.map(|v| (v % n) as u32)).collect();
    let mut weights = SkinWeights { per_vertex: 3, ..SkinWeights::default() };
    for v in 0..n {
        let own = influences[v % influences.len()];
        let sum: f32 = own.iter().map(|(_, w)| w).sum();
        weights.bones.extend(own.map(|(bone, _)| (bone % bones.len()) as u32));
        weights.weights.extend(own.map(|(_, w)| w / sum));
    }
    let frames = coefficients.len();
    // Near a rotation, with some stretch and shear.
    let transform = |m: &[f64; 12]| {
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(m[9], m[10], m[11])));
        let bend = DMat3::IDENTITY + DMat3::from_cols_slice(&m[..9]) * 0.2;
        DAffine3 { matrix3: turn * bend, translation: DVec3::new(m[0], m[4], m[8]) * 0.3 }
    };
    Rig {
        mesh: Mesh::from_triangles(n, &triangles),
        rest: places.iter().copied().map(Vec3::from_array).collect(),
        weights,
        bones: (0..bones.len())
            .map(|b| Bone { name: format!("bone_{b}"), center: DVec3::ZERO, rigid: false, axes: None })
            .collect(),
        transforms: (0..frames).flat_map(|f| bones.iter().map(move |b| transform(&b[f % 2]))).collect(),
        skeleton: None,
        corrections: Some(Corrections {
            rank: 2,
            basis: (0..2)
                .flat_map(|r| (0..n).map(move |v| Vec3::from_array(shapes[v % shapes.len()][r]) * 0.3))
                .collect(),
            normals: Vec::new(),
            coefficients: coefficients.iter().flatten().copied().collect(),
            names: Vec::new(),
        }),
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

fn any_rig() -> impl Strategy<Value = Rig> {
    let point = || prop::array::uniform3(-1.0..1.0_f32);
    let affine = || prop::array::uniform12(-1.0..1.0_f64);
    (
        prop::collection::vec(point(), 3..40),
        prop::collection::vec(prop::array::uniform3(0_usize..1000), 1..40),
        prop::collection::vec(prop::array::uniform2(affine()), 1..5),
        prop::collection::vec(prop::array::uniform3((0_usize..5, 0.0..1.0_f32)), 1..40)
            .prop_filter("weights that sum to nothing", |all| {
                all.iter().all(|own| own.iter().map(|(_, w)| w).sum::<f32>() > 0.01)
            }),
        prop::collection::vec(prop::array::uniform2(point()), 1..40),
        prop::collection::vec(prop::array::uniform2(-1.0..1.0_f32), 1..3),
    )
        .prop_map(|(places, corners, bones, influences, shapes, coefficients)| {
            rig(&places, &corners, &bones, &influences, &shapes, &coefficients)
        })
}

/// Shifted, turned too, sheared and stretched too, or made flat.
fn any_place() -> impl Strategy<Value = Place> {
    let entries = || prop::array::uniform9(-1.5..1.5_f64);
    let turn = |m: [f64; 9]| DMat3::from_quat(DQuat::from_scaled_axis(DVec3::from_slice(&m[..3])));
    let matrix = prop_oneof![
        Just(DMat3::IDENTITY),
        entries().prop_map(turn),
        entries().prop_map(|m| DMat3::from_cols_slice(&m)),
        entries().prop_map(|m| DMat3::from_cols_slice(&m) * DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0))),
    ];
    (matrix, prop::array::uniform3(-1.5..1.5_f64)).prop_map(|(matrix3, shift)| Place {
        matrix3,
        translation: DVec3::from_array(shift.map(|x| f64::from(x as f32))),
    })
}

fn creature() -> Rig {
    let animation = sinew_sample::creature(&CreatureOptions { frames: 6, detail: 0.6, ..Default::default() });
    let options = sinew::skin::SkinOptions { bones: Some(14), ..Default::default() };
    sinew::skin::skin(&animation, &options, &Silent).unwrap().rig
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn trees_find_what_looking_at_all_pairs_finds(
        (a, b) in (any_rig(), any_rig()),
        place in any_place(),
    ) {
        let (Ok(body_a), Ok(body_b)) = (Body::new(&a, &Silent), Body::new(&b, &Silent)) else { return Ok(()) };
        let (mut one, mut other) = (body_a.posed(), body_b.posed());
        let (mut plain_one, mut plain_other) = (RefitBvh::new(&body_a), RefitBvh::new(&body_b));
        for frame in 0..a.frame_count().min(b.frame_count()) {
            one.set(frame, &Place::IDENTITY);
            other.set(frame, &place);
            plain_one.set(frame, &Place::IDENTITY);
            plain_other.set(frame, &place);
            let found = between(&one, &other);
            prop_assert_eq!(&found, &plain_one.between(&plain_other));
            let (pose_a, pose_b) = (pose(&one, &a), pose(&other, &b));
            prop_assert_eq!(numbers(&found), brute((&a, &pose_a), Some((&b, &pose_b))));
            let own = within(&one);
            prop_assert_eq!(&own, &plain_one.within());
            prop_assert_eq!(numbers(&own), brute((&a, &pose_a), None));
        }
    }

    #[test]
    fn bodies_moved_together_touch_where_they_did(
        (a, b) in (any_rig(), any_rig()),
        (shift, turn) in (prop::array::uniform3(-5.0..5.0_f64), prop::array::uniform3(-2.0..2.0_f64)),
    ) {
        let (Ok(body_a), Ok(body_b)) = (Body::new(&a, &Silent), Body::new(&b, &Silent)) else { return Ok(()) };
        let motion = Place::from_rotation_translation(
            DQuat::from_scaled_axis(DVec3::from_array(turn)),
            DVec3::from_array(shift),
        );
        let (mut one, mut other) = (body_a.posed(), body_b.posed());
        let before = between(&one, &other);
        one.set(0, &motion);
        other.set(0, &motion);
        let after = between(&one, &other);
        let known: Vec<[u32; 2]> = numbers(&after);
        for contact in &before {
            // Less is for rounding to decide.
            let firm = contact.depth > 1e-4 && contact.points[0].distance(contact.points[1]) > 1e-3;
            let there = known.binary_search(&contact.triangles);
            prop_assert!(!firm || there.is_ok(), "{contact:?} is lost");
            let Some(same) = there.ok().filter(|_| firm).map(|at| after[at]) else { continue };
            prop_assert!((same.depth - contact.depth).abs() < 1e-4);
            let ends = contact.points.map(|p| motion.transform_point3(p));
            let off = |k: usize| same.points[k].distance(ends[0]).min(same.points[k].distance(ends[1]));
            prop_assert!(off(0) < 2e-2 && off(1) < 2e-2, "{same:?} instead of {ends:?}");
        }
    }
}

#[test]
fn two_creatures_side_by_side() {
    let rig = creature();
    let body = Body::new(&rig, &Silent).unwrap();
    let (mut one, mut other) = (body.posed(), body.posed());
    let mut touched = 0;
    let width = {
        let bounds = sinew::geometry::Bounds::of(&rig.rest);
        f64::from(bounds.max.x - bounds.min.x)
    };
    for (step, share) in [0.2, 0.9, 0.99, 2.0].into_iter().enumerate() {
        let place = Place::from_translation(DVec3::X * f64::from((share * width) as f32));
        for frame in [0, 3] {
            let later = (frame + step) % rig.frame_count();
            one.set(frame, &Place::IDENTITY);
            other.set(later, &place);
            let found = between(&one, &other);
            touched += found.len();
            if share > 1.5 {
                assert!(found.is_empty());
                assert_eq!(one.work().vertices, 0, "nothing is near: no vertex is looked at");
            }
            let poses = (pose(&one, &rig), pose(&other, &rig));
            assert_eq!(numbers(&found), brute((&rig, &poses.0), Some((&rig, &poses.1))));
        }
    }
    assert!(touched > 0);
}

#[test]
fn few_contacts_take_few_vertices() {
    // A long strip of squares on many bones, and one triangle that sticks through it at one end.
    let n = 400_u32;
    let rest: Vec<Vec3> = (0..2 * n).map(|v| Vec3::new((v / 2) as f32, (v % 2) as f32, 0.0)).collect();
    let mut mesh = Mesh { vertex_count: rest.len(), ..Mesh::default() };
    for i in 0..n - 1 {
        mesh.push_face(&[2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1]);
    }
    let bone = |b: usize| Bone { name: format!("bone_{b}"), center: DVec3::ZERO, rigid: true, axes: None };
    let strip = Rig {
        weights: SkinWeights {
            per_vertex: 1,
            bones: (0..2 * n).map(|v| v / 80).collect(),
            weights: vec![1.0; rest.len()],
        },
        mesh,
        rest,
        bones: (0..10).map(bone).collect(),
        transforms: (0..10).map(|b| DAffine3::from_translation(DVec3::Z * f64::from(b))).collect(),
        skeleton: None,
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    };
    let mut pin = strip.clone();
    pin.mesh = Mesh::from_triangles(3, &[[0, 1, 2]]);
    pin.rest = vec![Vec3::new(5.3, 0.4, -1.0), Vec3::new(5.4, 0.4, 1.0), Vec3::new(5.5, 0.5, 1.0)];
    pin.weights = SkinWeights::single(3);
    let (a, b) = (Body::new(&strip, &Silent).unwrap(), Body::new(&pin, &Silent).unwrap());
    let (one, other) = (a.posed(), b.posed());
    let found = between(&one, &other);
    assert!(!found.is_empty() && found.len() <= 2, "{found:?}");
    assert!(one.work().vertices <= 40, "{:?}", one.work());
    assert_eq!(a.bones_of_triangles().len(), 798);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let mut rig = creature();
    rig.rest[7].y = f32::NAN;
    assert_eq!(Body::new(&rig, &Silent).err(), Some(RigError::NotFinite { what: "rest pose" }.into()));
    let flat = Rig {
        mesh: Mesh::from_triangles(3, &[[0, 0, 2]]),
        rest: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        weights: SkinWeights::single(3),
        corrections: None,
        ..rig
    };
    assert_eq!(Body::new(&flat, &Silent).err(), Some(CollideError::NoTriangles));
}
