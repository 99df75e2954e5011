//! Characters in `.deform` files: they come back, small ones stay small, damage is found.

use std::f32::consts::TAU;
use std::path::Path;

use glam::{DVec3, Vec3};
use proptest::prelude::*;
use sinew::deform::anchors::{AnchorCount, AnchorOptions};
use sinew::deform::{DeformOptions, Deformer, Example, Handles, Pose};
use sinew::geometry::Mesh;
use sinew::progress::Silent;
use sinew::rig::{Bone, Rig, Skeleton, SkinWeights};
use sinew_io::deform_file::{Examples, Setup, parse, to_bytes};

const AROUND: usize = 10;
/// Found by fuzzing: examples so far away that what is kept of them at anchors is no number.
const WILD: &[u8] = include_bytes!("../../../../fuzz/seeds/deform_file/wild.deform");

#[test]
fn what_cannot_be_kept_stays_as_it_is() {
    let setup = parse(WILD, Path::new("wild.deform")).unwrap();
    let deformer = setup.deformer(&Silent).unwrap();
    assert!(deformer.stored_examples().is_none());
    assert!(setup.kept_by(&deformer).deformer(&Silent).is_ok());
}

/// An arm of two joints along x, cut open along a seam: the first and the last vertex of a ring are at one place.
/// A bead beside it belongs to no handle. Two examples, one of which opens the seam at the far end.
fn arm(rings: usize, anchors: Option<AnchorCount>) -> Setup {
    let mut rest = Vec::new();
    for ring in 0..rings {
        for i in 0..=AROUND {
            let (sin, cos) = (TAU * (i % AROUND) as f32 / AROUND as f32).sin_cos();
            rest.push(Vec3::new(8.0 * ring as f32 / (rings - 1) as f32, cos, sin));
        }
    }
    let wide = AROUND + 1;
    let mut triangles: Vec<[u32; 3]> = (0..(rings - 1) * wide)
        .filter(|at| at % wide < AROUND)
        .map(|at| [at, at + 1, at + wide, at + wide + 1].map(|v| v as u32))
        .flat_map(|[a, b, c, d]| [[a, b, c], [b, d, c]])
        .collect();
    let bead = rest.len() as u32;
    triangles.push([bead, bead + 1, bead + 2]);
    rest.extend([Vec3::ZERO, 0.1 * Vec3::X, 0.1 * Vec3::Z].map(|p| p + Vec3::new(6.0, 1.5, 0.0)));
    let within = |from: f32, to: f32| {
        let own = |v: &u32| (from..=to).contains(&rest[*v as usize].x);
        Some((0..bead).filter(own).collect::<Vec<u32>>())
    };
    let handles = Handles::from_lists(rest.len(), &[within(0.0, 2.5), within(5.5, 8.0)]).unwrap();
    let bone =
        |(name, x): (&str, f64)| Bone { name: name.into(), center: DVec3::X * x, rigid: true, axes: None };
    let rig = Rig {
        mesh: Mesh::from_triangles(rest.len(), &triangles),
        weights: SkinWeights::single(rest.len()),
        bones: [("upper", 0.0), ("lower", 4.0)].map(bone).to_vec(),
        transforms: vec![Default::default(); 2],
        skeleton: Some(Skeleton::new(vec![None, Some(0)])),
        corrections: None,
        fps: 24.0,
        clips: Vec::new(),
        rest,
        nodes: Vec::new(),
        armature: String::new(),
    };
    let anchors = anchors.map(|count| AnchorOptions { count, per_triangle: 4 });
    let options = DeformOptions { keep: 0.9, follow: 0.25, anchors };
    let mut setup =
        Setup { rig, handles, examples: Examples::Shapes(Vec::new()), options, metres_per_unit: Some(0.01) };
    let plain = setup.deformer(&Silent).unwrap();
    // Where it swells from on; that at the root moves what the stitching holds.
    let shape = |degrees: f64, from: f32, open: f32| {
        let pose = bent(degrees);
        let mut positions = plain.pose(&pose);
        for (v, p) in positions.iter_mut().enumerate() {
            let rest = setup.rig.rest[v];
            *p += (rest.x - from).max(0.0) * rest.y * Vec3::new(0.0, 0.05, 0.02);
            let last_of_ring = v < bead as usize && v % wide == AROUND;
            p.z += if last_of_ring && v / wide + 3 > rings { open } else { 0.0 };
        }
        Example { positions, pose }
    };
    setup.examples = Examples::Shapes(vec![
        ("bent".into(), shape(60.0, 3.0, 0.1)),
        ("more".into(), shape(100.0, 0.0, 0.0)),
    ]);
    setup
}

fn bent(degrees: f64) -> Pose {
    let mut pose = Pose { turns: vec![DVec3::ZERO; 2], places: vec![DVec3::ZERO; 2] };
    pose.turns[1] = DVec3::Y * degrees.to_radians();
    pose
}

fn few(rings: usize) -> (Deformer, Setup) {
    let setup = arm(rings, Some(AnchorCount::Percent(5.0)));
    let deformer = setup.deformer(&Silent).unwrap();
    let kept = setup.kept_by(&deformer);
    (deformer, kept)
}

fn reread(setup: &Setup) -> Setup {
    parse(&to_bytes(setup), Path::new("x")).unwrap()
}

#[test]
fn shapes_come_back() {
    let counts = [AnchorCount::Number(1), AnchorCount::Percent(50.0), AnchorCount::Bytes(400)];
    for anchors in counts.map(Some).into_iter().chain([None]) {
        let setup = arm(8, anchors);
        assert_eq!(reread(&setup), setup);
    }
    // All triangles are shapes as well.
    let all = arm(8, Some(AnchorCount::Percent(100.0)));
    assert_eq!(all.clone().kept_by(&all.deformer(&Silent).unwrap()), all);
}

#[test]
fn what_is_kept_at_anchors_poses_the_same_to_the_last_bit() {
    let (fresh, kept) = few(40);
    assert_eq!(reread(&kept), kept);
    let Examples::Kept(names, examples) = &kept.examples else { panic!("shapes are still there") };
    assert_eq!((&names[..], examples.examples.len()), (&["bent".to_owned(), "more".to_owned()][..], 2));
    assert!(!examples.torn.is_empty(), "the seam opens");
    let opened = reread(&kept).deformer(&Silent).unwrap();
    assert_eq!(opened.points(), fresh.points());
    assert_eq!(opened.example_bytes(), fresh.example_bytes());
    for degrees in [0.0, 45.0, 60.0, 130.0, -20.0] {
        assert_eq!(opened.pose(&bent(degrees)), fresh.pose(&bent(degrees)), "at {degrees}");
    }
    let lower = |positions: Vec<Vec3>| positions[40 * (AROUND + 1) - 1];
    assert!(
        lower(opened.pose(&bent(60.0)))
            .distance(lower(arm(40, None).deformer(&Silent).unwrap().pose(&bent(60.0))))
            < 0.1
    );
    // And again from what was opened.
    assert_eq!(opened.stored_examples().as_ref(), Some(examples));
}

#[test]
fn files_with_anchors_are_small() {
    let dense = arm(120, None);
    let none = Setup { examples: Examples::Shapes(Vec::new()), ..dense.clone() };
    let (_, kept) = few(120);
    let [none, dense_file, few] = [&none, &dense, &kept].map(|setup| to_bytes(setup).len());
    let dense = dense.deformer(&Silent).unwrap().example_bytes();
    assert!(20 * (few - none) <= dense, "{} of {dense} bytes", few - none);
    assert!(4 * (few - none) <= dense_file - none, "{} of {} bytes", few - none, dense_file - none);
}

#[test]
fn kept_examples_of_another_character_are_refused() {
    let said = |change: fn(&mut sinew::deform::StoredExamples)| {
        let (_, mut setup) = few(12);
        let Examples::Kept(_, kept) = &mut setup.examples else { panic!("shapes are still there") };
        change(kept);
        reread(&setup).deformer(&Silent).unwrap_err().to_string()
    };
    assert!(said(|kept| kept.anchors[1] = kept.anchors[0]).contains("out of order"));
    assert!(said(|kept| kept.anchors[0] = 1 << 30).contains("does not exist"));
    assert!(said(|kept| kept.per_triangle = 0).contains("anchors"));
    assert!(said(|kept| kept.torn.push([5, 2])).contains("one place"));
    assert!(said(|kept| kept.torn.push([u32::MAX, 0])).contains("one place"));
    assert!(said(|kept| kept.examples.clear()).contains("there is none"));
    assert!(said(|kept| _ = kept.examples[1].turns.pop()).contains("turns of joints"));
    assert!(said(|kept| _ = kept.examples[0].field.values.pop()).contains("values at anchors"));
    assert!(said(|kept| kept.examples[0].held.values = vec![[1; 3]]).contains("held points"));
    assert!(said(|kept| kept.examples[0].links.clear()).contains("loose pieces"));
    assert!(said(|kept| kept.examples[0].handles[1].x = f64::NAN).contains("not a finite number"));
    assert!(said(|kept| kept.examples[1].field.steps[2] = f32::INFINITY).contains("not a finite number"));
}

#[test]
fn files_of_other_versions_are_said_to_be_so() {
    let mut bytes = to_bytes(&arm(8, None));
    bytes[8] = 1;
    let said = parse(&bytes, Path::new("x")).unwrap_err().to_string();
    assert!(said.contains("version 1") && said.contains("version 2"), "{said}");
}

proptest! {
    #[test]
    fn damage_is_found(
        at in any::<prop::sample::Index>(), to in 0..=255_u8, cut in 0..4000_usize, kept in any::<bool>(),
    ) {
        let whole = to_bytes(&if kept { few(8).1 } else { arm(8, None) });
        let mut bytes = whole.clone();
        bytes[at.index(whole.len())] = to;
        // Most are cut nowhere.
        bytes.truncate(if cut < 1000 { whole.len() * cut / 1000 } else { whole.len() });
        prop_assume!(bytes != whole);
        prop_assert!(parse(&bytes, Path::new("x")).is_err());
        // With a right checksum nothing may break either.
        if let Some(end) = bytes.len().checked_sub(4) {
            let sum = crc32fast::hash(&bytes[..end]).to_le_bytes();
            bytes[end..].copy_from_slice(&sum);
            let opened = parse(&bytes, Path::new("x")).ok().and_then(|setup| setup.deformer(&Silent).ok());
            if let Some(deformer) = opened.filter(|deformer| deformer.joint_count() == 2) {
                deformer.pose(&bent(70.0));
            }
        }
    }
}
