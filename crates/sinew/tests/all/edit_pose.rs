//! Poses that are sculpted, and what later ones take from it.

use crate::common::bodies::{arm, quadruped};
use crate::common::rigs::rig_of;
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use proptest::prelude::*;
use sinew::geometry::{Bounds, vertex_normals};
use sinew::motion::{EditError, PoseEdit, PoseEdited, PoseEditor};
use sinew::progress::Silent;
use sinew::rig::{Corrections, Rig};
use sinew::skin::{SkinOptions, skin};
use sinew_sample::{CreatureOptions, creature};

const FRAMES: usize = 12;

/// Rigs of every kind: bones that turn, with a skeleton, bones that stretch, corrections, and a learned one.
fn rigs() -> Vec<(&'static str, Rig)> {
    let free = rig_of(&quadruped(), FRAMES, false);
    let mut flexible = free.clone();
    let bones = flexible.bones.len();
    for (i, transform) in flexible.transforms.iter_mut().enumerate() {
        let swell = 1.0 + 0.1 * ((i / bones + i % bones) as f64).sin();
        transform.matrix3 *= DMat3::from_diagonal(DVec3::new(swell, 1.0 / swell, 1.0));
    }
    flexible.bones.iter_mut().for_each(|bone| bone.rigid = false);
    let mut corrected = free.clone();
    corrected.corrections = Some(swelling(&corrected));
    let options = SkinOptions { bones: Some(12), ..SkinOptions::default() };
    let animation = creature(&CreatureOptions { frames: 8, detail: 0.6, ..CreatureOptions::default() });
    let learned = skin(&animation, &options, &Silent).unwrap().rig;
    let skeleton = rig_of(&quadruped(), FRAMES, true);
    vec![
        ("rigid", free),
        ("skeleton", skeleton),
        ("flexible", flexible),
        ("corrected", corrected),
        ("learned", learned),
    ]
}

/// Two shapes that come and go.
fn swelling(rig: &Rig) -> Corrections {
    let wave = |shape: usize, p: &Vec3| 0.02 * Vec3::new((9.0 * p.y + shape as f32).sin(), 0.0, p.x.cos());
    let basis = (0..2).flat_map(|shape| rig.rest.iter().map(move |p| wave(shape, p))).collect();
    let coefficients = (0..2 * rig.frame_count()).map(|i| (0.7 * i as f32).sin()).collect();
    Corrections { rank: 2, basis, normals: Vec::new(), coefficients, names: Vec::new() }
}

fn diagonal(rig: &Rig) -> f64 {
    Bounds::of(&rig.rest).diagonal()
}

/// The largest distance of two poses, as a share of the diagonal.
fn apart(rig: &Rig, a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(p, q)| f64::from(p.distance(*q))).fold(0.0, f64::max) / diagonal(rig)
}

fn edit(rig: &mut Rig, shape: &[Vec3], frame: usize) -> PoseEdited {
    let editor = PoseEditor::new(rig, &Silent).expect("a rig to edit");
    let through = rig.frame_count() - 1;
    editor.edit(rig, &PoseEdit { shape, frame, through, ..PoseEdit::default() }, &Silent).expect("an edit")
}

/// A pose with a bump around a vertex.
fn with_bump(rig: &Rig, pose: &[Vec3], vertex: usize) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; pose.len()];
    vertex_normals(&rig.mesh.triangles(pose), pose, &mut normals);
    let size = 0.03 * diagonal(rig) as f32;
    let high = |p: &Vec3| size * (-(p.distance(pose[vertex]) / size).powi(2)).exp();
    pose.iter().zip(&normals).map(|(p, n)| *p + *n * high(p)).collect()
}

fn bits(pose: &[Vec3]) -> Vec<[u32; 3]> {
    pose.iter().map(|p| p.to_array().map(f32::to_bits)).collect()
}

#[test]
fn the_pose_that_is_there_changes_nothing() {
    for (kind, before) in rigs() {
        let mut rig = before.clone();
        let edited = edit(&mut rig, &before.pose(3), 3);
        assert_eq!((edited.bones, edited.correction), (0, 0.0), "{kind}");
        for frame in 0..rig.frame_count() {
            let off = apart(&rig, &rig.pose(frame), &before.pose(frame));
            assert!(off <= 1e-5, "{kind}, frame {frame}: {off}");
        }
    }
}

#[test]
fn the_edited_frame_is_met_earlier_ones_stay_and_undo_restores() {
    for (kind, before) in rigs() {
        let mut rig = before.clone();
        let pose = before.pose(4);
        // A bump, and everything bent and stretched.
        let bent = |p: &Vec3| Vec3::new(p.x * 1.1, p.y + 0.1 * p.x * p.x, p.z - 0.05 * p.y);
        let shape: Vec<Vec3> = with_bump(&rig, &pose, 50).iter().map(bent).collect();
        let mut edited = edit(&mut rig, &shape, 4);
        rig.validate().expect("a rig");
        let off = apart(&rig, &rig.pose(4), &shape);
        assert!(off <= 1e-4, "{kind}: {off}");
        assert!((edited.missed - off).abs() < 1e-9 && edited.correction > 0.0, "{kind}: {edited:?}");
        for frame in 0..4 {
            assert_eq!(bits(&rig.pose(frame)), bits(&before.pose(frame)), "{kind}, frame {frame}");
        }
        assert_eq!(rig.skeleton, before.skeleton);
        let after = rig.clone();
        edited.undo.swap(&mut rig);
        assert_eq!(rig, before, "{kind}");
        edited.undo.swap(&mut rig);
        assert_eq!(rig, after, "{kind}");
    }
}

#[test]
fn earlier_frames_follow_where_that_is_asked_for() {
    for (kind, before) in rigs() {
        if before.frame_count() < FRAMES {
            continue;
        }
        let mut rig = before.clone();
        let shape = with_bump(&rig, &before.pose(5), 50);
        let editor = PoseEditor::new(&rig, &Silent).unwrap();
        let edit = PoseEdit { shape: &shape, frame: 5, from: Some(2), through: 8, ease_in: 2, ease_out: 2 };
        let mut edited = editor.edit(&mut rig, &edit, &Silent).unwrap();
        let moved = |frame: usize| apart(&rig, &rig.pose(frame), &before.pose(frame));
        for frame in [0, 1, 9, 10] {
            assert_eq!(bits(&rig.pose(frame)), bits(&before.pose(frame)), "{kind}, frame {frame}");
        }
        assert!(apart(&rig, &rig.pose(5), &shape) < 1e-4, "{kind}");
        // As far from the sculpted frame, as much of it; less towards the ends.
        for (early, late) in [(2, 8), (3, 7), (4, 6)] {
            let (early, late) = (moved(early), moved(late));
            assert!((early / late - 1.0).abs() < 0.5, "{kind}: {early} and {late}");
        }
        assert!(moved(2) < moved(3) && moved(3) < moved(4), "{kind}");
        edited.undo.swap(&mut rig);
        assert_eq!(rig, before, "{kind}");
    }
}

#[test]
fn a_bump_stays_where_it_was_made_and_turns_with_the_body() {
    for (kind, before) in rigs() {
        let mut rig = before.clone();
        let (frame, vertex) = (3, 40);
        let shape = with_bump(&rig, &before.pose(frame), vertex);
        let edited = edit(&mut rig, &shape, frame);
        assert_eq!(edited.bones, 0, "{kind}: no bone has to move for it");
        assert_eq!(rig.transforms, before.transforms, "{kind}");
        for later in frame..rig.frame_count() {
            let (was, is) = (before.pose(later), rig.pose(later));
            let expected = with_bump(&before, &was, vertex);
            let (bump, wanted) = (is[vertex] - was[vertex], expected[vertex] - was[vertex]);
            let angle = bump.angle_between(wanted).to_degrees();
            let high = bump.length() / wanted.length();
            assert!(angle < 25.0 && (0.75..1.3).contains(&high), "{kind}, {later}: {angle}°, {high} high");
            let far = |v: &usize| was[*v].distance(was[vertex]) > 0.4 * diagonal(&rig) as f32;
            let moved = (0..was.len()).filter(far).map(|v| is[v].distance(was[v])).fold(0.0, f32::max);
            assert!(f64::from(moved) < 1e-6 * diagonal(&rig), "{kind}, {later}: {moved} far from it");
        }
    }
}

#[test]
fn a_limb_that_is_lifted_stays_lifted_and_hangs_together() {
    let body = arm();
    for with_skeleton in [false, true] {
        let before = rig_of(&body, FRAMES, with_skeleton);
        let mut rig = before.clone();
        let (frame, shoulder) = (5, 1);
        // What a hand would do: the arm turned at the shoulder.
        let mut lifted = before.clone();
        let at = before.posed_joints(frame)[shoulder];
        let turn = DAffine3::from_quat(DQuat::from_axis_angle(DVec3::new(0.2, 0.3, 1.0).normalize(), 0.9));
        let turn = DAffine3::from_translation(at) * turn * DAffine3::from_translation(-at);
        for bone in 1..4 {
            let transform = &mut lifted.transforms[frame * before.bones.len() + bone];
            *transform = turn * *transform;
        }
        let edited = edit(&mut rig, &lifted.pose(frame), frame);
        assert_eq!(edited.bones, 3);
        assert!(edited.missed < 1e-4, "{edited:?}");
        for later in frame..FRAMES {
            let transforms = rig.frame_transforms(later);
            assert_eq!(transforms[0], before.frame_transforms(later)[0], "the trunk stays");
            for joint in 1..4 {
                let [a, b] = [joint - 1, joint].map(|k| transforms[k].transform_point3(body.joints()[joint]));
                let open = a.distance(b) / diagonal(&rig);
                assert!(open < if with_skeleton { 1e-9 } else { 0.02 }, "frame {later}, {joint}: {open}");
            }
            let rotation = |rig: &Rig| DQuat::from_mat3(&rig.frame_transforms(later)[shoulder].matrix3);
            let lift = rotation(&before).angle_between(rotation(&rig));
            assert!((lift - 0.9).abs() < 0.02, "frame {later}: {lift}");
            // Elbow and wrist bend as they did.
            for (joint, parent) in [(2, 1), (3, 2)] {
                let bend = |rig: &Rig| {
                    let world = |b: usize| rig.frame_transforms(later)[b].matrix3;
                    DQuat::from_mat3(&(world(parent).transpose() * world(joint)))
                };
                let change = bend(&before).angle_between(bend(&rig));
                assert!(change < 0.02, "frame {later}, joint {joint}: {change}");
            }
        }
    }
}

#[test]
fn an_edit_fades_out_within_its_range() {
    let before = rig_of(&quadruped(), FRAMES, true);
    let mut rig = before.clone();
    let shape: Vec<Vec3> = with_bump(&rig, &before.pose(2), 30).iter().map(|p| *p + Vec3::Y * 0.2).collect();
    let editor = PoseEditor::new(&rig, &Silent).unwrap();
    editor
        .edit(
            &mut rig,
            &PoseEdit { shape: &shape, frame: 2, through: 8, ease_out: 4, ..PoseEdit::default() },
            &Silent,
        )
        .unwrap();
    let change: Vec<f64> = (0..FRAMES).map(|f| apart(&rig, &rig.pose(f), &before.pose(f))).collect();
    assert!(change[..2].iter().chain(&change[9..]).all(|c| *c == 0.0), "{change:?}");
    assert!(change[4..=8].iter().rev().is_sorted() && change[8] > 0.0, "{change:?}");
    assert!(change[8] < 0.2 * change[2], "{change:?}");
}

#[test]
fn a_rig_far_from_the_origin_is_edited_as_exactly() {
    let mut rig = rig_of(&quadruped(), FRAMES, false);
    let away = DVec3::new(300.0, -200.0, 500.0);
    for transform in &mut rig.transforms {
        transform.translation += away;
    }
    let before = rig.clone();
    let shape: Vec<Vec3> = before.pose(4).iter().map(|p| *p + Vec3::Y * (p.x - 300.0)).collect();
    edit(&mut rig, &shape, 4);
    let off = apart(&rig, &rig.pose(4), &shape);
    assert!(off <= 1e-4, "{off}");
}

#[test]
fn edits_that_cannot_be_are_refused() {
    let mut rig = rig_of(&arm(), FRAMES, false);
    let before = rig.clone();
    let editor = PoseEditor::new(&rig, &Silent).unwrap();
    let pose = rig.pose(3);
    let mut refused = |shape: &[Vec3], frame, through| {
        editor
            .edit(&mut rig, &PoseEdit { shape, frame, through, ..PoseEdit::default() }, &Silent)
            .unwrap_err()
    };
    let vertices = EditError::Vertices { found: 7, expected: pose.len() };
    assert_eq!(refused(&pose[..7], 3, 4), vertices);
    let frames = |frame, through| EditError::NoSuchFrames { frame, through, count: FRAMES };
    assert_eq!(refused(&pose, 4, 3), frames(4, 3));
    assert_eq!(refused(&pose, 4, FRAMES), frames(4, FRAMES));
    let mut broken = pose.clone();
    broken[9].y = f32::NAN;
    assert_eq!(refused(&broken, 3, 4), EditError::Shape { vertex: 9 });
    assert_eq!(rig, before, "a refused edit leaves the rig alone");
    let mut other = rig_of(&quadruped(), FRAMES, false);
    let shape = other.pose(0);
    let edit = PoseEdit { shape: &shape, frame: 0, through: 0, ..PoseEdit::default() };
    assert!(matches!(editor.edit(&mut other, &edit, &Silent), Err(EditError::OtherRig { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_rigid_motion_carries_to_all_later_poses(
        turn in prop::array::uniform3(-2.0..2.0_f64),
        shift in prop::array::uniform3(-2.0..2.0_f64),
        frame in 0..FRAMES,
        with_skeleton in any::<bool>(),
        with_corrections in any::<bool>(),
    ) {
        let mut before = rig_of(&arm(), FRAMES, with_skeleton);
        if with_corrections {
            before.corrections = Some(swelling(&before));
        }
        let motion = DAffine3::from_rotation_translation(
            DQuat::from_scaled_axis(DVec3::from_array(turn)),
            DVec3::from_array(shift),
        );
        let moved = |pose: Vec<Vec3>| -> Vec<Vec3> {
            pose.iter().map(|p| motion.transform_point3(p.as_dvec3()).as_vec3()).collect()
        };
        let mut rig = before.clone();
        let edited = edit(&mut rig, &moved(before.pose(frame)), frame);
        prop_assert_eq!(edited.correction, 0.0);
        for later in frame..FRAMES {
            let off = apart(&rig, &rig.pose(later), &moved(before.pose(later)));
            prop_assert!(off < 1e-5, "frame {}: {}", later, off);
        }
    }
}
