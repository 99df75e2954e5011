//! Motion from elsewhere on rigs with a known answer.

use crate::common::bodies::{Body, arm, biped, limb, quadruped, tube};
use crate::common::in_pool;
use crate::common::rigs::rig_of;
use glam::{DAffine3, DMat3, DQuat, DVec3};
use sinew::animation::{Clip, compare};
use sinew::geometry::Bounds;
use sinew::motion::{
    Confidence, Finish, Mapping, MappingError, MatchReason, Motion, Plan, PlanOptions, PlanWarning, RigPose,
    SourceJoint, SourcePose, Translations, TransplantError, Transplanter,
};
use sinew::progress::Silent;
use sinew::rig::{Bone, Player, Rig};
use sinew::skin::{BoneKind, SkinOptions, skin};
use sinew_sample::{CreatureOptions, creature};

/// A skeleton that moves as the body does, in other units and elsewhere. Its names say nothing.
fn motion_of(body: &Body, frames: usize, scale: f64, shift: DVec3) -> Motion {
    let bind: Vec<DAffine3> = body.joints().into_iter().map(DAffine3::from_translation).collect();
    let transforms =
        body.poses(frames).into_iter().flat_map(|pose| body.skeleton().transforms(&body.joints(), &pose));
    let worlds: Vec<DAffine3> = transforms.zip(bind.iter().cycle()).map(|(t, bind)| t * *bind).collect();
    let has_child = |i: usize| body.limbs.iter().any(|limb| limb.parent == Some(i));
    let joint = |(i, limb): (usize, &crate::common::bodies::Limb)| SourceJoint {
        name: format!("joint{i}"),
        parent: limb.parent,
        tip: (!has_child(i)).then_some(limb.to - limb.from),
    };
    let joints = body.limbs.iter().enumerate().map(joint).collect();
    let mut motion = Motion { joints, bind, worlds, fps: 24.0, clips: Vec::new(), metres_per_unit: None };
    motion.scale(scale);
    let moved = DAffine3::from_translation(shift);
    motion.bind.iter_mut().chain(&mut motion.worlds).for_each(|t| *t = moved * *t);
    motion
}

fn same_poses() -> PlanOptions {
    PlanOptions {
        source: Some(SourcePose::Bind),
        rig: Some(RigPose::Rest),
        mapping: None,
        ..PlanOptions::default()
    }
}

fn moved(rig: &Rig, motion: &Motion, options: &PlanOptions, places: Translations) -> Rig {
    let plan = Plan::new(rig, motion, options, &Silent).expect("a plan");
    Transplanter::new(rig, motion, &plan, places, &Silent)
        .expect("a transplanter")
        .transplant(rig, motion, &Silent)
        .expect("a rig")
}

/// Translations that are solved as they are by default.
fn solved(rig: &Rig) -> Translations {
    if rig.skeleton.is_some() { Translations::Skeleton } else { Translations::Learned }
}

fn percent(a: &Rig, b: &Rig) -> f64 {
    compare(&Player::new(a), &Player::new(b), Bounds::of(&a.rest)).error.percent
}

#[test]
fn own_motion_comes_back() {
    let animation = creature(&CreatureOptions { frames: 16, detail: 0.6, ..CreatureOptions::default() });
    let options = SkinOptions { bones: Some(14), kind: BoneKind::Rigid, ..SkinOptions::default() };
    let skinned = skin(&animation, &options, &Silent).expect("a rig").rig;
    let rigs =
        [skinned, rig_of(&quadruped(), 16, false), rig_of(&quadruped(), 16, true), rig_of(&arm(), 16, true)];
    for (i, rig) in rigs.iter().enumerate() {
        let motion = Motion::of_rig(rig);
        for places in [Translations::Auto, Translations::Carried, solved(rig)] {
            let again = moved(rig, &motion, &PlanOptions::default(), places);
            let off = percent(rig, &again);
            assert!(off <= 0.5, "rig {i}, {places:?}: {off} percent");
            assert_eq!((again.fps, again.frame_count()), (rig.fps, rig.frame_count()));
        }
    }
}

#[test]
fn own_motion_comes_back_with_all_that_joints_do() {
    for with_skeleton in [false, true] {
        let mut rig = rig_of(&quadruped(), 12, with_skeleton);
        let bones = rig.bones.len();
        // Bones that stretch, and one that slides along its parent.
        for (i, t) in rig.transforms.iter_mut().enumerate() {
            let (frame, bone) = (i / bones, i % bones);
            t.matrix3.x_axis *= 1.0 + 0.02 * ((frame + bone) % 5) as f64;
            t.translation.y += if bone == 5 { 0.03 * frame as f64 } else { 0.0 };
        }
        let motion = Motion::of_rig(&rig);
        let again = moved(&rig, &motion, &PlanOptions::default(), Translations::Auto);
        let off = percent(&rig, &again);
        assert!(off <= 1e-4, "{off} percent, with a skeleton: {with_skeleton}");
        assert_eq!(again.skeleton, rig.skeleton);
    }
}

#[test]
fn each_tree_of_a_skeleton_goes_where_its_joint_goes() {
    // The body walks away from a root that stands still and holds nothing.
    let mut rig = rig_of(&quadruped(), 16, true);
    let frames = rig.transforms.chunks_exact(rig.bones.len()).enumerate();
    let walking = frames.flat_map(|(f, frame)| {
        let step = DAffine3::from_translation(DVec3::new(0.2, 0.01, -0.1) * f as f64);
        std::iter::once(DAffine3::IDENTITY).chain(frame.iter().map(move |t| step * *t))
    });
    rig.transforms = walking.collect();
    rig.bones.insert(0, Bone { name: "ground".into(), center: DVec3::ZERO, rigid: true, axes: None });
    rig.weights.bones.iter_mut().for_each(|bone| *bone += 1);
    let skeleton = rig.skeleton.as_mut().unwrap();
    skeleton.parents =
        std::iter::once(None).chain(skeleton.parents.iter().map(|p| p.map(|p| p + 1))).collect();
    let again = moved(&rig, &Motion::of_rig(&rig), &PlanOptions::default(), solved(&rig));
    let off = percent(&rig, &again);
    assert!(off <= 0.5 && again.skeleton == rig.skeleton, "{off} percent");
}

#[test]
fn steps_are_as_long_as_legs_though_a_root_on_the_ground_follows_too() {
    let body = rig_of(&quadruped(), 16, true);
    // A source twice as large, that walks.
    let mut source = body.clone();
    let grow = DAffine3::from_scale(DVec3::splat(2.0));
    for (i, t) in source.transforms.iter_mut().enumerate() {
        let step = DVec3::new(0.0, 0.0, 0.1 * (i / source.bones.len()) as f64);
        *t = grow * DAffine3::from_translation(step) * *t * grow.inverse();
    }
    source.rest.iter_mut().for_each(|p| *p *= 2.0);
    source.bones.iter_mut().for_each(|bone| bone.center *= 2.0);
    let motion = Motion::of_rig(&source);
    let stride = |rig: &Rig, joints: Vec<Option<usize>>| {
        let mut plan = Plan::new(rig, &motion, &PlanOptions::default(), &Silent).expect("a plan");
        plan.mapping.joints = joints;
        Transplanter::new(rig, &motion, &plan, solved(rig), &Silent).expect("a transplanter").stride()
    };
    let own = || (0..source.bones.len()).map(Some);
    let alone = stride(&body, own().collect());
    assert!(alone > 0.3, "{alone}");
    let mut rig = body;
    let frames = rig.transforms.chunks_exact(rig.bones.len());
    rig.transforms = frames.flat_map(|f| std::iter::once(DAffine3::IDENTITY).chain(f.to_vec())).collect();
    let below = Bounds::of(&rig.rest);
    let ground = DVec3::new(rig.bones[0].center.x, f64::from(below.min.y), rig.bones[0].center.z);
    rig.bones.insert(0, Bone { name: "ground".into(), center: ground, rigid: true, axes: None });
    rig.weights.bones.iter_mut().for_each(|bone| *bone += 1);
    let skeleton = rig.skeleton.as_mut().unwrap();
    let parents = skeleton.parents.iter().map(|p| Some(p.map_or(0, |p| p + 1)));
    skeleton.parents = std::iter::once(None).chain(parents).collect();
    let both = stride(&rig, std::iter::once(Some(0)).chain(own()).collect());
    assert!((both / alone - 1.0).abs() < 0.05, "{both} with a root on the ground, {alone} without");
}

#[test]
fn feet_stand_where_the_rigs_own_do_though_its_rest_pose_lies() {
    let upright = rig_of(&quadruped(), 16, true);
    let mut source = upright.clone();
    let grow = DAffine3::from_scale(DVec3::splat(2.0));
    source.transforms.iter_mut().for_each(|t| *t = grow * *t * grow.inverse());
    source.rest.iter_mut().for_each(|p| *p *= 2.0);
    source.bones.iter_mut().for_each(|bone| bone.center *= 2.0);
    let motion = Motion::of_rig(&source);
    let lie = DAffine3::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    let mut rig = upright.clone();
    rig.transforms.iter_mut().for_each(|t| *t *= lie.inverse());
    rig.rest.iter_mut().for_each(|p| *p = lie.transform_point3(p.as_dvec3()).as_vec3());
    rig.bones.iter_mut().for_each(|bone| bone.center = lie.transform_point3(bone.center));
    let options = PlanOptions {
        source: Some(SourcePose::Frame(0)),
        rig: Some(RigPose::Frame(0)),
        mapping: None,
        ..PlanOptions::default()
    };
    let again = moved(&rig, &motion, &options, solved(&rig));
    let lowest = |rig: &Rig| rig.pose(0).iter().map(|p| p.y).fold(f32::MAX, f32::min);
    let height = Bounds::of(&upright.rest).max.y - Bounds::of(&upright.rest).min.y;
    let off = (lowest(&again) - lowest(&upright)).abs() / height;
    assert!(off < 0.05, "{off} of the height");
}

#[test]
fn turning_the_source_turns_the_result() {
    for with_skeleton in [false, true] {
        let rig = rig_of(&quadruped(), 12, with_skeleton);
        let motion = Motion::of_rig(&rig);
        let straight = moved(&rig, &motion, &same_poses(), Translations::Auto);
        for degrees in [37_f64, 120.0, -90.0, 180.0] {
            let turn = DQuat::from_rotation_y(degrees.to_radians());
            let mut turned = motion.clone();
            turned.turn(DMat3::from_quat(turn));
            let mut expected = straight.clone();
            expected.transforms.iter_mut().for_each(|t| *t = DAffine3::from_quat(turn) * *t);
            let off = percent(&expected, &moved(&rig, &turned, &same_poses(), Translations::Auto));
            assert!(off < 0.5, "skeleton {with_skeleton}, {degrees} degrees: {off} percent");
        }
    }
}

#[test]
fn a_pose_tilted_any_way_is_the_pose_tilted() {
    let rig = rig_of(&quadruped(), 12, false);
    let motion = Motion::of_rig(&rig);
    let plan = Plan::new(&rig, &motion, &same_poses(), &Silent).expect("a plan");
    let tilt = DAffine3::from_quat(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -0.5).normalize(), 1.1));
    for places in [Translations::Carried, Translations::Edges, solved(&rig)] {
        let transplanter = Transplanter::new(&rig, &motion, &plan, places, &Silent).expect("a transplanter");
        let tilted: Vec<DAffine3> = motion.frame(5).iter().map(|t| tilt * *t).collect();
        let (here, there) =
            (transplanter.pose(&motion, motion.frame(5)), transplanter.pose(&motion, &tilted));
        let size = Bounds::of(&rig.rest).diagonal();
        for (bone, (a, b)) in here.iter().zip(&there).enumerate() {
            let at = rig.bones[bone].center;
            let off = (tilt * *a).transform_point3(at).distance(b.transform_point3(at));
            assert!(off < 1e-6 * size, "{places:?}, bone {bone}: {off}");
        }
    }
}

#[test]
fn bones_find_their_joints_whatever_the_units() {
    for (name, body) in [("chain", tube()), ("quadruped", quadruped())] {
        let rig = rig_of(&body, 12, false);
        for (scale, shift) in [(1.0, DVec3::ZERO), (100.0, DVec3::new(70.0, 5.0, -300.0)), (0.02, DVec3::X)] {
            let motion = motion_of(&body, 12, scale, shift);
            let plan = Plan::new(&rig, &motion, &same_poses(), &Silent).expect("a plan");
            let right: Vec<Option<usize>> = (0..rig.bones.len()).map(Some).collect();
            assert_eq!(plan.mapping.joints, right, "{name} at {scale}: {plan:?}");
            assert!((plan.alignment.placement.scale * scale - 1.0).abs() < 0.25, "{:?}", plan.alignment);
        }
    }
}

#[test]
fn a_motion_in_other_units_moves_the_same_way() {
    let body = quadruped();
    for with_skeleton in [false, true] {
        let rig = rig_of(&body, 16, with_skeleton);
        let small = moved(&rig, &motion_of(&body, 16, 1.0, DVec3::ZERO), &same_poses(), Translations::Auto);
        let off = percent(&rig, &small);
        assert!(off < 0.5, "as it stands, skeleton {with_skeleton}: {off} percent");
        let shift = DVec3::new(3.0, 0.0, 8.0);
        let large = moved(&rig, &motion_of(&body, 16, 40.0, shift), &same_poses(), Translations::Auto);
        // Bones turn alike; how long steps are is told by the height of the root.
        for (a, b) in small.transforms.iter().zip(&large.transforms) {
            assert!((a.matrix3 - b.matrix3).to_cols_array().iter().all(|x| x.abs() < 1e-6));
        }
    }
}

#[test]
fn the_same_motion_on_both_sides_decides() {
    let body = quadruped();
    let rig = rig_of(&body, 16, false);
    let motion = motion_of(&body, 16, 1.0, DVec3::ZERO);
    let options = PlanOptions {
        source: Some(SourcePose::Frame(2)),
        rig: Some(RigPose::Frame(2)),
        mapping: None,
        ..PlanOptions::default()
    };
    let plan = Plan::new(&rig, &motion, &options, &Silent).expect("a plan");
    assert!(
        plan.reasons.iter().all(|b| matches!(b, MatchReason::Path(p) if *p < 0.01)),
        "{:?}",
        plan.reasons
    );
    let transplanter =
        Transplanter::new(&rig, &motion, &plan, Translations::Auto, &Silent).expect("a transplanter");
    assert!(transplanter.carries());
    let off = percent(&rig, &transplanter.transplant(&rig, &motion, &Silent).unwrap());
    assert!(off < 0.01, "{off} percent");
}

#[test]
fn the_pair_of_poses_that_agrees_is_found() {
    let body = quadruped();
    let rig = rig_of(&body, 12, false);
    let motion = motion_of(&body, 12, 5.0, DVec3::ZERO);
    let found = Plan::new(&rig, &motion, &PlanOptions::default(), &Silent).expect("a plan").alignment;
    let number = |pose: &SourcePose| if let SourcePose::Frame(f) = pose { Some(*f) } else { None };
    let own = |pose: &RigPose| if let RigPose::Frame(f) = pose { Some(*f) } else { None };
    assert_eq!(number(&found.source), own(&found.rig), "{found:?}");
}

#[test]
fn limbs_of_a_result_that_go_elsewhere_are_told() {
    let body = quadruped();
    let rig = rig_of(&body, 12, false);
    let motion = motion_of(&body, 12, 5.0, DVec3::ZERO);
    let warning = |joints: Vec<Option<usize>>| {
        let options = PlanOptions { mapping: Some(Mapping { joints }), ..same_poses() };
        let plan = Plan::new(&rig, &motion, &options, &Silent).expect("a plan");
        let transplanter =
            Transplanter::new(&rig, &motion, &plan, solved(&rig), &Silent).expect("a transplanter");
        let done = transplanter.finished(&rig, &motion, &plan, Finish::default(), &Silent).expect("a rig");
        done.agreement.expect("limbs").warning()
    };
    let own = || (0..rig.bones.len()).map(Some);
    assert_eq!(warning(own().collect()), None);
    assert!(
        matches!(warning(own().rev().collect()), Some(PlanWarning::LimbsApart { degrees }) if degrees > 30.0)
    );
}

/// Joints of a source that are known by number to be those of the rig's bones.
fn right_of(plan: &Plan) -> usize {
    plan.mapping.joints.iter().enumerate().filter(|(bone, joint)| **joint == Some(*bone)).count()
}

#[test]
fn another_figure_is_found_whatever_its_proportions_and_facing() {
    // A soup of bones; the source has other limbs, other frames and no pose of the rig.
    let rig = rig_of(&biped(1.0, 1.0, 1.0), 16, false);
    let others = [("a child", biped(0.6, 0.8, 1.6)), ("a giant", biped(1.3, 1.2, 0.8))];
    for (who, body) in &others {
        for degrees in [0.0_f64, 75.0, 180.0] {
            let mut motion = motion_of(body, 11, 30.0, DVec3::new(4.0, 0.0, 9.0));
            motion.turn(DMat3::from_rotation_y(-degrees.to_radians()));
            let plan = Plan::new(&rig, &motion, &PlanOptions::default(), &Silent).expect("a plan");
            assert_eq!(right_of(&plan), rig.bones.len(), "{who} at {degrees}: {:?}", plan.mapping);
            let off = (plan.alignment.placement.facing - degrees.to_radians()).cos();
            assert!(off > 25_f64.to_radians().cos(), "{who} at {degrees}: {:?}", plan.alignment);
        }
    }
}

#[test]
fn a_body_whose_names_tell_nothing_is_matched_by_its_parts() {
    let names = [
        "Hips",
        "Spine",
        "Head",
        "RightArm",
        "RightForeArm",
        "RightUpLeg",
        "RightLeg",
        "RightFoot",
        "LeftArm",
        "LeftForeArm",
        "LeftUpLeg",
        "LeftLeg",
        "LeftFoot",
    ];
    let mut motion = motion_of(&biped(1.0, 1.0, 1.0), 12, 30.0, DVec3::new(4.0, 0.0, 9.0));
    motion.joints.iter_mut().zip(names).for_each(|(joint, name)| joint.name = name.into());
    // Short legs and a large head.
    let rig = rig_of(&biped(0.5, 0.9, 1.8), 16, true);
    let plan = Plan::new(&rig, &motion, &PlanOptions::default(), &Silent).expect("a plan");
    assert_eq!(right_of(&plan), rig.bones.len(), "{:?}", plan.mapping);
    assert!(plan.reasons.iter().all(|why| *why == MatchReason::Body), "{:?}", plan.reasons);
    assert!(plan.reasons.iter().all(|why| why.confidence() != Confidence::Sure));
}

#[test]
fn a_pose_that_is_the_same_to_the_point_is_found_in_any_clip() {
    let body = biped(1.0, 1.0, 1.0);
    let rig = rig_of(&body, 16, false);
    let mut motion = motion_of(&body, 16, 1.0, DVec3::ZERO);
    // Before the clip that the rig was made of, one in which the figure lies on its side.
    let lying = DAffine3::from_quat(DQuat::from_rotation_z(1.4));
    let fallen: Vec<DAffine3> = motion.worlds.iter().map(|t| lying * *t).collect();
    motion.worlds.splice(..0, fallen);
    let clip = |name: &str, frames| Clip { name: name.into(), frames, fps: 24.0 };
    motion.clips = vec![clip("fallen", 0..16), clip("walk", 16..32)];
    let plan = Plan::new(&rig, &motion, &PlanOptions::default(), &Silent).expect("a plan");
    let (SourcePose::Frame(theirs), RigPose::Frame(ours)) = (plan.alignment.source, plan.alignment.rig)
    else {
        panic!("{:?}", plan.alignment);
    };
    assert_eq!(theirs, 16 + ours);
    assert_eq!(right_of(&plan), rig.bones.len(), "{:?}", plan.mapping);
    let transplanter =
        Transplanter::new(&rig, &motion, &plan, Translations::Auto, &Silent).expect("a transplanter");
    let off = percent(&rig, &transplanter.transplant(&rig, &motion.cut(16..32), &Silent).unwrap());
    assert!(off < 0.5, "{off} percent");
}

#[test]
fn names_decide_where_both_have_them() {
    let (rig_names, source_names) =
        (["DEF-upper_arm.L", "forearm.L", "hand_l"], ["lhumerus", "lradius", "lwrist"]);
    let body = arm();
    let mut rig = rig_of(&body, 8, true);
    let mut motion = motion_of(&body, 8, 2.0, DVec3::ZERO);
    let n = rig.bones.len();
    for i in 0..n {
        // Too few are named to tell how the source lies, but those are sure.
        rig.bones[i].name = rig_names.get(i).map_or(format!("bone{i}"), |name| (*name).into());
        motion.joints[i].name = source_names.get(i).map_or(format!("joint{i}"), |name| (*name).into());
    }
    let plan = Plan::new(&rig, &motion, &same_poses(), &Silent).expect("a plan");
    for i in 0..n.min(3) {
        assert_eq!((plan.mapping.joints[i], plan.reasons[i]), (Some(i), MatchReason::Name));
    }
}

/// A leg whose foot goes from the ankle to this place of its toes.
fn leg(toes: [f64; 3]) -> Body {
    let tip = [toes[0] + 0.2, toes[1], 0.0];
    let ends = [
        [[0.0, 1.0, 0.0], [0.0, 0.5, 0.0]],
        [[0.0, 0.5, 0.0], [0.0, 0.1, 0.0]],
        [[0.0, 0.1, 0.0], toes],
        [toes, tip],
    ];
    let limbs = (0..4).map(|i: usize| limb(i.checked_sub(1), ends[i], 0.08, &[])).collect();
    Body::new(limbs, 0.04)
}

#[test]
fn feet_of_legs_whose_bones_only_count_stay_as_they_are() {
    let mut rig = rig_of(&leg([0.15, 0.0, 0.0]), 3, true);
    let mut motion = motion_of(&leg([0.2, 0.09, 0.0]), 3, 1.0, DVec3::ZERO);
    let names = ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToeBase"];
    for i in 0..4 {
        rig.bones[i].name = format!("leg_joint_L_{}", i + 1);
        motion.joints[i].name = names[i].into();
    }
    let plan = Plan::new(&rig, &motion, &same_poses(), &Silent).expect("a plan");
    assert_eq!(plan.mapping.joints, [0, 1, 2, 3].map(Some));
    let transplanter =
        Transplanter::new(&rig, &motion, &plan, Translations::Auto, &Silent).expect("a transplanter");
    let bones = transplanter.pose(&motion, &motion.bind);
    let turn = |bone: usize| DQuat::from_mat3(&bones[bone].matrix3);
    for bone in [2, 3] {
        let off = turn(bone).angle_between(turn(1)).to_degrees();
        assert!(off < 0.1, "bone {bone} is {off} degrees off the shin");
    }
}

#[test]
fn a_bone_without_a_joint_goes_with_its_neighbour() {
    let rig = rig_of(&tube(), 12, true);
    let motion = motion_of(&tube(), 12, 1.0, DVec3::ZERO);
    let last = rig.bones.len() - 1;
    let parent = rig.skeleton.as_ref().unwrap().parents[last].expect("a chain");
    let mut mapping = Mapping { joints: (0..=last).map(Some).collect() };
    mapping.joints[last] = None;
    let plan = Plan::new(&rig, &motion, &PlanOptions { mapping: Some(mapping), ..same_poses() }, &Silent)
        .expect("a plan");
    let transplanter =
        Transplanter::new(&rig, &motion, &plan, Translations::Auto, &Silent).expect("a transplanter");
    let bones = transplanter.pose(&motion, motion.frame(7));
    assert!((bones[last].matrix3 - bones[parent].matrix3).to_cols_array().iter().all(|x| x.abs() < 1e-9));
    assert_eq!(transplanter.followed()[last], parent);
}

#[test]
fn what_is_not_there_is_named() {
    let rig = rig_of(&tube(), 6, false);
    let motion = motion_of(&tube(), 6, 1.0, DVec3::ZERO);
    let map = |bone, joint| Mapping::from_names(&rig, &motion, [(bone, joint)]).unwrap_err();
    let expected = MappingError::NoSuchBone { name: "bome1".into(), nearest: Some("bone1".into()) };
    assert_eq!(map("bome1", Some("joint1")), expected);
    let error = map("bone1", Some("jiont1"));
    assert!(
        matches!(&error, MappingError::NoSuchJoint { nearest: Some(n), .. } if n.starts_with("joint")),
        "{error}"
    );
    let error = map("bone1", Some("Joint1")).to_string();
    assert!(error.ends_with("the source has no such joint; it is spelled \"joint1\""), "{error}");
    assert!(map("BONE1", None).to_string().ends_with("no bone \"BONE1\"; it is spelled \"bone1\""));
    assert_eq!(map("bone1", None), MappingError::Empty);
    let twice = [("bone1", Some("joint1")), ("bone1", Some("joint0"))];
    let error = Mapping::from_names(&rig, &motion, twice).unwrap_err();
    assert_eq!(error, MappingError::Twice { name: "bone1".into() });

    let plan = |options: PlanOptions| Plan::new(&rig, &motion, &options, &Silent).unwrap_err();
    let other = PlanOptions { mapping: Some(Mapping { joints: vec![Some(0)] }), ..same_poses() };
    assert_eq!(plan(other), TransplantError::Mapping(MappingError::Other));
    let late = PlanOptions { source: Some(SourcePose::Frame(6)), ..same_poses() };
    assert_eq!(plan(late), TransplantError::NoSourceFrame { frame: 6, count: 6 });
    let late = PlanOptions { rig: Some(RigPose::Frame(9)), ..same_poses() };
    assert_eq!(plan(late), TransplantError::NoRigFrame { frame: 9, count: 6 });
    let point =
        Motion { bind: vec![DAffine3::IDENTITY], worlds: vec![DAffine3::IDENTITY], fps: 1.0, ..one_joint() };
    assert_eq!(Plan::new(&rig, &point, &same_poses(), &Silent).unwrap_err(), TransplantError::NoAlignment);
}

fn one_joint() -> Motion {
    let joint = SourceJoint { name: "alone".into(), ..SourceJoint::default() };
    Motion { joints: vec![joint], ..Motion::default() }
}

#[test]
fn threads_do_not_matter() {
    let rig = rig_of(&quadruped(), 12, false);
    let motion = motion_of(&quadruped(), 12, 7.0, DVec3::X);
    let go = || moved(&rig, &motion, &PlanOptions::default(), Translations::Auto);
    assert_eq!(in_pool(1, go), in_pool(3, go));
}
