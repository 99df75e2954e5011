use super::*;

fn told(name: &str) -> (Option<Side>, String) {
    let meaning = meaning(name).unwrap();
    (meaning.side, meaning.part)
}

#[test]
fn spellings_of_one_part_mean_the_same() {
    let left = Some(Side::Left);
    for name in ["LeftUpLeg", "lfemur", "mixamorig:LeftUpLeg", "DEF-thigh.L", "upperleg01.L", "thigh_l"] {
        assert_eq!(told(name), (left, "thigh".into()), "{name}");
    }
    for name in ["lhipjoint", "LHipJoint"] {
        assert_eq!(told(name), (left, "hipjoint".into()), "{name}");
    }
    assert_eq!(told("RThumb"), (Some(Side::Right), "thumb".into()));
    assert_eq!(told("leg"), (None, "shin".into()));
    assert_eq!(told("lowerback"), (None, "spine".into()));
    assert_eq!(told("Hips"), (None, "hips".into()));
    assert_eq!(told("rradius"), (Some(Side::Right), "forearm".into()));
    assert_ne!(told("finger1-1.L"), told("finger2-1.L"));
}

#[test]
fn limbs_that_are_counted_are_told_from_parts() {
    assert_eq!(limb("leg_joint_L_1"), Some((Side::Left, "leg")));
    assert_eq!(limb("Skeleton_arm_joint_R__2_"), Some((Side::Right, "arm")));
    assert!(
        ["LeftUpLeg", "upperarm01.L", "leg", "forearm_L", "Head"].iter().all(|name| limb(name).is_none())
    );
}

#[test]
fn numbers_alone_mean_nothing() {
    assert!(
        ["bone_12", "limb1_2", "joint3", "bone", "17", "", "l"].iter().all(|name| meaning(name).is_none())
    );
}

#[test]
fn handles_are_told_from_joints() {
    assert!(
        ["kneeIK.l", "handIK.r", "IK-foot.l", "control-toe-roll.r", "elbow_pole"].map(is_handle) == [true; 5]
    );
    assert!(!["LeftArm", "handslot.l", "spike", "Hips"].iter().any(|name| is_handle(name)));
}

#[test]
fn the_nearest_spelling_is_near() {
    let known = ["LeftArm", "LeftLeg", "Head"];
    assert_eq!(nearest_spelling("leftarn", known.into_iter()), Some("LeftArm"));
    assert_eq!(nearest_spelling("tentacle", known.into_iter()), None);
}
