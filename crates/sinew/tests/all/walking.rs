//! A walk that is moved over: which way it goes, and whether its feet stand.

use glam::{DAffine3, DQuat, DVec3, Vec3};
use sinew::geometry::Mesh;
use sinew::motion::{
    Facing, Finish, Motion, Plan, PlanOptions, PlanWarning, Plant, Planted, SourceJoint, Translations,
    Transplanter, in_place, plant,
};
use sinew::progress::Silent;
use sinew::rig::{Bone, Rig, Skeleton, SkinWeights};

/// Parents of hips, two legs of thigh, shin and foot, chest, head and two arms of two bones.
const PARENTS: [Option<usize>; 13] = [
    None,
    Some(0),
    Some(1),
    Some(2),
    Some(0),
    Some(4),
    Some(5),
    Some(0),
    Some(7),
    Some(7),
    Some(9),
    Some(7),
    Some(11),
];
const FRAMES: usize = 60;
const STRIDE: f64 = 0.7;

/// Where joints rest, and where each ends; `legs` and `shin` are how long legs are and which share is the shin.
fn places(legs: f64, shin: f64) -> (Vec<DVec3>, Vec<DVec3>) {
    let v = DVec3::new;
    let (hip, ankle) = (legs + 0.1, 0.1);
    let knee = ankle + shin * legs;
    let leg = |x: f64| [v(x, hip, 0.0), v(x, knee, 0.02), v(x, ankle, 0.0)];
    let arm = |x: f64| [v(0.2 * x, hip + 0.5, 0.0), v(0.5 * x, hip + 0.5, -0.02)];
    let mut joints = vec![v(0.0, hip + 0.02, 0.0)];
    joints.extend(leg(0.1));
    joints.extend(leg(-0.1));
    joints.extend([v(0.0, hip + 0.3, 0.0), v(0.0, hip + 0.6, 0.0)]);
    joints.extend(arm(1.0));
    joints.extend(arm(-1.0));
    let foot = |x: f64| v(x, 0.02, 0.18);
    let ends = vec![
        joints[7],
        joints[2],
        joints[3],
        foot(0.1),
        joints[5],
        joints[6],
        foot(-0.1),
        joints[8],
        v(0.0, hip + 0.85, 0.0),
        joints[10],
        v(0.75, hip + 0.5, 0.0),
        joints[12],
        v(-0.75, hip + 0.5, 0.0),
    ];
    (joints, ends)
}

/// A figure that walks along z: its feet stand exactly.
fn walk() -> Motion {
    let (rest, ends) = places(0.8, 0.5);
    let turn = |from: DVec3, to: DVec3| DQuat::from_rotation_arc(from.normalize(), to.normalize());
    let mut worlds = Vec::new();
    for frame in 0..FRAMES {
        let time = frame as f64 / 20.0;
        let mut at = vec![DAffine3::IDENTITY; rest.len()];
        let hips = DVec3::new(0.0, -0.06, 2.0 * STRIDE * time);
        (0..rest.len()).for_each(|joint| at[joint] = DAffine3::from_translation(rest[joint] + hips));
        for (leg, late) in [([1, 2, 3], 0.0), ([4, 5, 6], 0.5)] {
            let (step, share) = ((time + late).floor(), (time + late).fract());
            let swing = (2.0 * share - 1.0).max(0.0);
            let smooth = swing * swing * (3.0 - 2.0 * swing);
            let ahead = 2.0 * STRIDE * (step - late + smooth) + 0.5 * STRIDE;
            let lift = 0.1 * (std::f64::consts::PI * swing).sin();
            let ankle = rest[leg[2]] + DVec3::new(0.0, lift, ahead);
            let hip = rest[leg[0]] + hips;
            let (way, parts) = (ankle - hip, rest[leg[0]].distance(rest[leg[1]]));
            let aside = (parts * parts - 0.25 * way.length_squared()).max(0.0).sqrt();
            let knee = hip + 0.5 * way + aside * way.cross(DVec3::NEG_X).normalize();
            let thigh = turn(rest[leg[1]] - rest[leg[0]], knee - hip);
            let shin = turn(rest[leg[2]] - rest[leg[1]], ankle - knee);
            at[leg[0]] = DAffine3::from_rotation_translation(thigh, hip);
            at[leg[1]] = DAffine3::from_rotation_translation(shin, knee);
            at[leg[2]] = DAffine3::from_translation(ankle);
        }
        worlds.extend(at);
    }
    let has_child = |joint: usize| PARENTS.contains(&Some(joint));
    let joint = |joint: usize| SourceJoint {
        name: format!("node{joint}"),
        parent: PARENTS[joint],
        tip: (!has_child(joint)).then(|| ends[joint] - rest[joint]),
    };
    Motion {
        joints: (0..rest.len()).map(joint).collect(),
        bind: rest.iter().map(|p| DAffine3::from_translation(*p)).collect(),
        worlds,
        fps: 20.0,
        clips: Vec::new(),
        metres_per_unit: None,
    }
}

/// A rig of other proportions that faces elsewhere: a box around each bone.
fn character(facing: f64) -> Rig {
    let turn = DQuat::from_rotation_y(facing);
    let (joints, ends) = places(1.1, 0.42);
    let mut rest: Vec<Vec3> = Vec::new();
    let mut mesh = Mesh::default();
    let mut weights = SkinWeights { per_vertex: 1, ..SkinWeights::default() };
    for (bone, (from, to)) in (0_u32..).zip(joints.iter().zip(&ends)) {
        let first = rest.len() as u32;
        let along = (*to - *from).normalize();
        let (side, other) = along.any_orthonormal_pair();
        for i in 0..8 {
            let [a, b, c] = [i & 1, i >> 1 & 1, i >> 2 & 1].map(|bit| f64::from(bit) - 0.5);
            let at = from.lerp(*to, 0.1 + 0.8 * (a + 0.5)) + 0.08 * (b * side + c * other);
            rest.push((turn * at).as_vec3());
            weights.bones.push(bone);
            weights.weights.push(1.0);
        }
        mesh.vertex_count = rest.len();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        quads.iter().for_each(|quad| mesh.push_face(&quad.map(|v| v + first)));
    }
    let bone = |(number, at): (usize, &DVec3)| Bone {
        name: format!("limb{number}"),
        center: turn * *at,
        rigid: true,
        axes: None,
    };
    Rig {
        bones: joints.iter().enumerate().map(bone).collect(),
        transforms: vec![DAffine3::IDENTITY; joints.len()],
        skeleton: Some(Skeleton::new(PARENTS.to_vec())),
        mesh,
        rest,
        weights,
        corrections: None,
        fps: 20.0,
        clips: Vec::new(),
        nodes: Vec::new(),
        armature: String::new(),
    }
}

fn moved(rig: &Rig, motion: &Motion, facing: Facing) -> (Rig, Transplanter, Plan) {
    let plan = Plan::new(rig, motion, &PlanOptions { facing, ..PlanOptions::default() }, &Silent).unwrap();
    let transplanter = Transplanter::new(rig, motion, &plan, Translations::Auto, &Silent).unwrap();
    (transplanter.transplant(rig, motion, &Silent).unwrap(), transplanter, plan)
}

fn place(rig: &Rig, frame: usize, bone: usize) -> DVec3 {
    rig.frame_transforms(frame)[bone].transform_point3(rig.bones[bone].center)
}

#[test]
fn what_was_left_is_left_whichever_way_the_rig_faces() {
    let motion = walk();
    for facing in [0.0, 0.8, 2.2, std::f64::consts::PI, -1.5] {
        let rig = character(facing);
        let (moved, _, plan) = moved(&rig, &motion, Facing::Auto);
        assert!(plan.alignment.by_body, "{facing}");
        for frame in (0..FRAMES).step_by(7) {
            for [left, right] in [[1, 4], [9, 11]] {
                let way = place(&moved, frame, left) - place(&moved, frame, right);
                assert!(way.normalize().x > 0.9, "{facing}, frame {frame}: {way}");
            }
        }
    }
}

#[test]
fn what_is_said_of_the_facing_counts() {
    let (moved, _, _) = moved(&character(0.0), &walk(), Facing::MinusZ);
    let way = place(&moved, 10, 1) - place(&moved, 10, 4);
    assert!(way.x < 0.0, "taken to face away, it walks backwards: {way}");
}

/// How far the foot of a leg slides in frames in which the source's stands.
fn slides(rig: &Rig, motion: &Motion, ankle: usize) -> f64 {
    let stands = |frame: usize| {
        let at = |frame: usize| motion.frame(frame)[ankle].translation;
        at(frame).distance(at(frame + 1)) < 1e-9
    };
    let slide = |frame: usize| {
        let way = place(rig, frame + 1, ankle) - place(rig, frame, ankle);
        DVec3::new(way.x, 0.0, way.z).length()
    };
    (0..FRAMES - 1).filter(|&frame| stands(frame)).map(slide).fold(0.0, f64::max)
}

/// How far knees are bent at most, in degrees.
fn bent(rig: &Rig) -> f64 {
    let knees =
        (0..FRAMES).flat_map(|frame| [1, 4].map(|hip| [0, 1, 2].map(|by| place(rig, frame, hip + by))));
    let angle = |[hip, knee, ankle]: [DVec3; 3]| (knee - hip).angle_between(ankle - knee).to_degrees();
    knees.map(angle).fold(0.0, f64::max)
}

#[test]
fn feet_that_stand_in_the_source_stand() {
    let (motion, rig) = (walk(), character(0.0));
    let (mut moved, transplanter, _) = moved(&rig, &motion, Facing::Auto);
    let before = [3, 6].map(|ankle| slides(&moved, &motion, ankle));
    let bent = bent(&moved);
    let done = plant(&mut moved, &rig, &motion, &transplanter.followed(), &Silent).unwrap();
    let Planted { legs, steps, farthest, lowered, .. } = done;
    assert_eq!(legs, 2);
    assert!(steps >= 5 && farthest < 0.5 && lowered < 0.15, "{done:?}");
    for (ankle, before) in [3, 6].into_iter().zip(before) {
        let after = slides(&moved, &motion, ankle);
        assert!(before > 0.005 && after < 0.2 * before, "{before} became {after}");
    }
    // Steps are as long as the legs make them, so that knees need not bend much further for it.
    assert!((0.8..1.25).contains(&done.stride), "{done:?}");
    assert!(self::bent(&moved) < bent + 15.0, "{} degrees after {bent}", self::bent(&moved));
    // Bones hold together, and keep their lengths.
    for frame in 0..FRAMES {
        let transforms = moved.frame_transforms(frame);
        for (bone, parent) in PARENTS.iter().enumerate() {
            let Some(parent) = *parent else { continue };
            let carried = transforms[parent].transform_point3(moved.bones[bone].center);
            assert!(carried.distance(place(&moved, frame, bone)) < 1e-6, "bone {bone}, frame {frame}");
        }
    }
}

/// The same rig without joints at its ankles: the shin takes the foot along.
fn booted(rig: &Rig) -> Rig {
    let kept: Vec<usize> = (0..rig.bones.len()).filter(|bone| ![3, 6].contains(bone)).collect();
    let number = |bone: usize| kept.iter().rposition(|&own| own <= bone).unwrap();
    let mut out = rig.clone();
    out.bones = kept.iter().map(|&bone| rig.bones[bone].clone()).collect();
    out.transforms.truncate(kept.len());
    out.skeleton = Some(Skeleton::new(kept.iter().map(|&bone| PARENTS[bone].map(number)).collect()));
    out.weights.bones.iter_mut().for_each(|bone| *bone = number(*bone as usize) as u32);
    out
}

#[test]
fn a_boot_that_the_shin_takes_along_stands_too() {
    let (motion, rig) = (walk(), booted(&character(0.0)));
    let (mut moved, transplanter, plan) = moved(&rig, &motion, Facing::Auto);
    let sole = |rig: &Rig, frame: usize, shin: usize| {
        let lowest = |points: Vec<DVec3>| points.into_iter().min_by(|a, b| a.y.total_cmp(&b.y)).unwrap();
        let own = (0..rig.rest.len()).filter(|&v| rig.weights.of(v).0[0] as usize == shin);
        lowest(
            own.map(|v| rig.frame_transforms(frame)[shin].transform_point3(rig.rest[v].as_dvec3())).collect(),
        )
    };
    let done = plant(&mut moved, &rig, &motion, &transplanter.followed(), &Silent).unwrap();
    assert!(done.legs == 2 && done.steps >= 5, "{done:?}, {:?}", plan.mapping);
    // Soles of feet that stand are on one ground.
    for (shin, ankle) in [(2, 3), (4, 6)] {
        let still = |frame: &usize| {
            let at = |frame: usize| motion.frame(frame)[ankle].translation;
            at(*frame).distance(at(frame + 1)) < 1e-9
        };
        let heights: Vec<f64> =
            (1..FRAMES - 1).filter(still).map(|frame| sole(&moved, frame, shin).y).collect();
        let (low, high) = heights.iter().fold((f64::MAX, f64::MIN), |(a, b), y| (a.min(*y), b.max(*y)));
        assert!(high - low < 0.03, "from {low} to {high}");
    }
}

#[test]
fn all_that_can_be_asked_for_works_together() {
    let (motion, rig) = (walk().mirrored(), character(0.0));
    let (before, transplanter, plan) = moved(&rig, &motion, Facing::PlusZ);
    let done = |plant: Plant, in_place: bool| {
        let finish = Finish { plant, in_place };
        transplanter.finished(&rig, &motion, &plan, finish, &Silent).unwrap()
    };
    assert!(done(Plant::None, false).rig.transforms == before.transforms, "nothing was asked for");
    let (gone, stays) = (done(Plant::Feet, false).rig, done(Plant::Feet, true).rig);
    for ankle in [3, 6] {
        let (slid, slides) = (slides(&before, &motion, ankle), slides(&gone, &motion, ankle));
        assert!(slides < 0.2 * slid, "{slid} became {slides}");
    }
    for frame in 0..FRAMES {
        let back = place(&stays, frame, 0) - place(&gone, frame, 0);
        assert!(back.y.abs() < 1e-9 && place(&stays, frame, 0).z.abs() < 0.1 + place(&gone, 0, 0).z.abs());
        for bone in 0..PARENTS.len() {
            let off = place(&stays, frame, bone) - place(&gone, frame, bone) - back;
            assert!(off.length() < 1e-9, "bone {bone} in frame {frame} is off by {off}");
        }
        for [left, right] in [[1, 4], [9, 11]] {
            assert!((place(&stays, frame, left) - place(&stays, frame, right)).normalize().x > 0.9);
        }
    }
}

#[test]
fn feet_that_never_stand_are_left_alone() {
    // On a treadmill, so that feet are never at rest.
    let (mut motion, rig) = (walk(), character(0.0));
    let joints = motion.joints.len();
    for (i, world) in motion.worlds.iter_mut().enumerate() {
        world.translation.z -= 2.0 * STRIDE * (i / joints) as f64 / 20.0;
    }
    let (before, transplanter, plan) = moved(&rig, &motion, Facing::Auto);
    let done = transplanter.finished(&rig, &motion, &plan, Finish::default(), &Silent).unwrap();
    assert!(done.planted.is_some_and(|planted| planted.steps == 0), "{:?}", done.planted);
    assert!(done.rig.transforms == before.transforms);
}

/// The walk, and the character, by these names.
fn called(names: [&str; 13], theirs: [&str; 13]) -> (Rig, Motion) {
    let (mut rig, mut motion) = (character(0.0), walk());
    rig.bones.iter_mut().zip(names).for_each(|(bone, name)| bone.name = name.into());
    motion.joints.iter_mut().zip(theirs).for_each(|(joint, name)| joint.name = name.into());
    (rig, motion)
}

#[test]
fn names_that_lie_are_told() {
    let right = [
        "Hips",
        "LeftUpLeg",
        "LeftLeg",
        "LeftFoot",
        "RightUpLeg",
        "RightLeg",
        "RightFoot",
        "Spine",
        "Head",
        "LeftArm",
        "LeftForeArm",
        "RightArm",
        "RightForeArm",
    ];
    // What hangs at the shoulders is called legs, and the legs arms.
    let wrong = [
        "Hips",
        "LeftArm",
        "LeftForeArm",
        "LeftHand",
        "RightArm",
        "RightForeArm",
        "RightHand",
        "Spine",
        "Head",
        "LeftUpLeg",
        "LeftLeg",
        "RightUpLeg",
        "RightLeg",
    ];
    // Told by a warning, or by that the two cannot be laid over each other at all.
    let told = |names| {
        let (rig, motion) = called(names, right);
        Plan::new(&rig, &motion, &PlanOptions::default(), &Silent).map_or(true, |plan| {
            assert!(plan.alignment.by_names);
            plan.warnings().iter().any(|warning| matches!(warning, PlanWarning::PoorAgreement { .. }))
        })
    };
    assert!(!told(right));
    assert!(told(wrong));
}

#[test]
fn a_walk_can_stay_where_it_is() {
    let (mut moved, _, _) = moved(&character(0.0), &walk(), Facing::Auto);
    let gone = place(&moved, FRAMES - 1, 0) - place(&moved, 0, 0);
    assert!(gone.z > 2.0);
    in_place(&mut moved);
    for frame in 0..FRAMES {
        let off = place(&moved, frame, 0) - place(&moved, 0, 0);
        assert!(off.z.abs() < 0.05 && off.x.abs() < 0.05, "{off}");
    }
}

#[test]
fn a_mirror_exchanges_the_sides() {
    let motion = walk();
    let mirrored = motion.mirrored();
    for frame in (0..FRAMES).step_by(5) {
        let (a, b) = (motion.frame(frame), mirrored.frame(frame));
        for [own, other] in [[3, 6], [6, 3], [0, 0], [10, 12]] {
            let seen = a[other].translation * DVec3::new(-1.0, 1.0, 1.0);
            assert!(b[own].translation.distance(seen) < 1e-9, "{own} in frame {frame}");
        }
        for joint in b {
            assert!((joint.matrix3.determinant() - 1.0).abs() < 1e-9);
        }
    }
}
