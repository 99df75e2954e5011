use super::*;
use crate::motion::SourceJoint;
use glam::DAffine3;

/// A figure of hips, two legs with feet and a head, which walks on the spot and faces this way.
fn walker(names: [&str; 8], facing: f64) -> Motion {
    let turn = DQuat::from_rotation_y(facing);
    let parents = [None, Some(0), Some(1), Some(2), Some(0), Some(4), Some(5), Some(0)];
    let places =
        |side: f64| [DVec3::new(side, 0.9, 0.0), DVec3::new(side, 0.5, 0.02), DVec3::new(side, 0.08, 0.0)];
    let [left, right] = [places(0.1), places(-0.1)];
    let all = [DVec3::Y, left[0], left[1], left[2], right[0], right[1], right[2], 1.7 * DVec3::Y];
    let tip = |joint: usize| [3, 6].contains(&joint).then_some(DVec3::new(0.0, -0.06, 0.15));
    let joint = |number: usize| SourceJoint {
        name: names[number].into(),
        parent: parents[number],
        tip: tip(number).map(|tip| turn * tip),
    };
    let bind: Vec<DAffine3> = all.iter().map(|p| DAffine3::from_translation(turn * *p)).collect();
    let frame = |step: i32| {
        let swing = f64::from(step - 2) * 0.1;
        let mut worlds = bind.clone();
        for (leg, sign) in [([1, 2, 3], 1.0), ([4, 5, 6], -1.0)] {
            let hip = bind[leg[0]].translation;
            let about = turn * DQuat::from_rotation_x(sign * swing) * turn.inverse();
            for joint in leg {
                worlds[joint] =
                    DAffine3::from_rotation_translation(about, hip + about * (bind[joint].translation - hip));
            }
        }
        worlds
    };
    Motion {
        joints: (0..8).map(joint).collect(),
        worlds: (0..5).flat_map(frame).collect(),
        bind,
        fps: 30.0,
        clips: Vec::new(),
        metres_per_unit: None,
    }
}

const COUNTED: [&str; 8] =
    ["limb0_0", "limb1_1", "limb1_2", "limb1_3", "limb2_1", "limb2_2", "limb2_3", "limb3_1"];

#[test]
fn feet_tell_what_is_in_front() {
    for facing in [0.0, 1.2, -2.5] {
        let figure = Figure::of_source(&walker(COUNTED, facing));
        let legs = figure.legs();
        assert_eq!(legs.iter().map(|leg| leg.joints.clone()).collect::<Vec<_>>(), [[1, 2, 3], [4, 5, 6]]);
        assert!(legs.iter().all(|leg| leg.ankle == 2));
        let found = heading(figure.facing().unwrap()).unwrap();
        assert!((found - facing).abs() < 0.05, "{found} is not {facing}");
    }
}

#[test]
fn a_leg_goes_on_above_what_hangs_on_it() {
    // A flap, and half of a boot.
    let parent = 1;
    for at in [DVec3::new(0.1, 0.6, 0.1), DVec3::new(0.1, 0.05, -0.06)] {
        let plain = walker(COUNTED, 0.0);
        let mut motion = Motion { joints: plain.joints.clone(), ..plain.clone() };
        motion.joints.push(SourceJoint { name: "limb4_1".into(), parent: Some(parent), tip: None });
        let carried = |worlds: &[DAffine3]| {
            worlds[parent] * plain.bind[parent].inverse() * DAffine3::from_translation(at)
        };
        motion.bind.push(carried(&plain.bind));
        motion.worlds =
            plain.worlds.chunks(8).flat_map(|frame| [frame, &[carried(frame)]].concat()).collect();
        let legs = Figure::of_source(&motion).legs();
        assert!(legs.iter().any(|leg| leg.joints == [1, 2, 3] && leg.ankle == 2), "{legs:?}");
        assert!(legs.iter().any(|leg| leg.joints == [4, 5, 6]), "{legs:?}");
    }
}

#[test]
fn sides_that_names_tell_come_first() {
    let named = ["hips", "leftupleg", "leftleg", "leftfoot", "rightupleg", "rightleg", "rightfoot", "head"];
    let found = heading(Figure::of_source(&walker(named, 0.4)).facing().unwrap()).unwrap();
    assert!((found - 0.4).abs() < 0.01, "{found}");
    // Left is where right was, so that it looks the other way, whatever its feet do.
    let swapped = ["hips", "rightupleg", "rightleg", "rightfoot", "leftupleg", "leftleg", "leftfoot", "head"];
    let found = Figure::of_source(&walker(swapped, 0.0)).facing().unwrap();
    assert!(found.z < -0.99, "{found}");
}

#[test]
fn stumps_tell_nothing() {
    let mut motion = walker(COUNTED, 0.0);
    motion.joints.iter_mut().for_each(|joint| joint.tip = None);
    for world in motion.worlds.iter_mut().chain(&mut motion.bind) {
        world.translation.z = 0.0;
    }
    assert_eq!(Figure::of_source(&motion).facing(), None);
}
