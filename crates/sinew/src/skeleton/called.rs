//! Names of joints as the tools of animators know them.
//!
//! A body with arms and legs ([`super::body`]) has a name for each joint of its trunk and of the longest way down each limb.
//! Left and right are the body's own: forwards is where feet point and knees bend, or the head end of an animal on
//! four legs. Joints that these conventions know nothing of keep the names they have.

use glam::{DAffine3, DQuat, DVec3};

use super::body::{Body, Limb, Pair, PartTree};
use super::{BodyTuning, JointNames, SkeletonWarning, TUNING};
use crate::rig::Skeleton;

const TUNED: BodyTuning = TUNING.body;

/// Joints of a limb from the trunk outwards, in the words of Mixamo, VRM and Unreal.
type Words = &'static [[&'static str; 3]];
const LEG: Words = &[
    ["UpLeg", "UpperLeg", "thigh"],
    ["Leg", "LowerLeg", "calf"],
    ["Foot", "Foot", "foot"],
    ["ToeBase", "Toes", "ball"],
];
const ARM: Words =
    &[["Arm", "UpperArm", "upperarm"], ["ForeArm", "LowerArm", "lowerarm"], ["Hand", "Hand", "hand"]];
const COLLAR: [&str; 3] = ["Shoulder", "Shoulder", "clavicle"];

/// A skeleton whose joints are to be named.
pub(super) struct Unnamed<'a> {
    pub body: &'a Body,
    pub tree: &'a PartTree<'a>,
    /// Hung from the hips.
    pub skeleton: &'a Skeleton,
    /// Where joints are in the rest pose.
    pub centers: &'a [DVec3],
    /// All joints of the first frame, then of the second, and so on.
    pub transforms: &'a [DAffine3],
}

/// Gives joints the names of a convention in place of those they have. Tells when that is little more than a guess.
pub(super) fn call(named: &Unnamed, as_in: JointNames, names: &mut [String]) -> Option<SkeletonWarning> {
    let (left, side_clear) = left_side(named)?;
    let sure = side_clear.min(named.body.clear).min(1.0);
    if as_in == JointNames::Auto && sure < TUNED.named {
        return Some(SkeletonWarning::NamesGuessed { sure, given: false });
    }
    let which = match as_in {
        JointNames::Plain => return None,
        JointNames::Auto | JointNames::Mixamo => 0,
        JointNames::Vrm => 1,
        JointNames::Ue => 2,
    };
    let prefix = if as_in == JointNames::Mixamo { "mixamorig:" } else { "" };
    let mut called = |joint: usize, name: String| names[joint] = format!("{prefix}{name}");
    let body = named.body;
    called(body.hips(), ["Hips", "hips", "pelvis"][which].into());
    let above = &body.trunk[1..];
    for (at, &joint) in above.iter().enumerate() {
        let (number, last) = (at + 1, at + 1 == above.len() && at > 0);
        called(
            joint,
            match which {
                0 if at == 0 => "Spine".into(),
                0 => format!("Spine{at}"),
                1 if last => "chest".into(),
                1 if at == 0 => "spine".into(),
                1 => format!("spine{at}"),
                _ => format!("spine_{number:02}"),
            },
        );
    }
    let head = chain(named, heaviest_beside(named, *body.trunk.last().expect("the hips")));
    let tail =
        if body.trunk.len() > 1 { chain(named, heaviest_beside(named, body.hips())) } else { Vec::new() };
    for (at, &joint) in head.iter().enumerate() {
        let words =
            if at + 1 == head.len().min(2) { ["Head", "head", "head"] } else { ["Neck", "neck", "neck_01"] };
        if at < 2 {
            called(joint, words[which].into());
        }
    }
    for (at, &joint) in tail.iter().enumerate() {
        called(joint, format!("{}{}", ["Tail", "tail", "tail_"][which], at + 1));
    }
    let pairs = [(Some(&body.legs), LEG), (body.arms.as_ref(), ARM)];
    for (pair, words) in pairs.into_iter().filter_map(|(pair, words)| Some((pair?, words))) {
        for (limb, is_left) in pair.limbs.iter().zip(sides(named, pair, left)) {
            let joints = if words == LEG { leg(named, limb) } else { chain(named, Some(limb.parts[0])) };
            let length = |k: usize| named.centers[joints[k]].distance(named.centers[joints[k + 1]]);
            // A collar bone is shorter than what hangs on it.
            let collar = words.len() < joints.len() && words == ARM && length(0) < TUNED.collar * length(1);
            let all = collar.then_some(&COLLAR).into_iter().chain(words);
            for (&joint, words) in joints.iter().zip(all) {
                let sided = [["Right", "Left"], ["right", "left"], ["_r", "_l"]][which][usize::from(is_left)];
                called(
                    joint,
                    if which == 2 {
                        format!("{}{sided}", words[2])
                    } else {
                        format!("{sided}{}", words[which])
                    },
                );
            }
        }
    }
    (sure < TUNED.named).then_some(SkeletonWarning::NamesGuessed { sure, given: true })
}

/// Joints from one outwards, always on to where most of the body is.
fn chain(named: &Unnamed, first: Option<usize>) -> Vec<usize> {
    let children = named.skeleton.children();
    let mass = |joint: usize| {
        let mut open = vec![joint];
        let mut mass = 0.0;
        while let Some(k) = open.pop() {
            mass += named.tree.sizes[k];
            open.extend(&children[k]);
        }
        mass
    };
    let next = |joint: &usize| children[*joint].iter().copied().max_by(|&a, &b| mass(a).total_cmp(&mass(b)));
    std::iter::successors(first, next).collect()
}

/// Hip, knee, ankle and toes. Of a leg with more joints, one that turns least of those in its upper part is no knee: a thigh
/// may have two.
fn leg(named: &Unnamed, limb: &Limb) -> Vec<usize> {
    let mut joints = chain(named, Some(limb.parts[0]));
    while joints.len() > LEG.len() {
        let mut along = vec![0.0];
        for pair in joints.windows(2) {
            along.push(along[along.len() - 1] + named.centers[pair[0]].distance(named.centers[pair[1]]));
        }
        let upper: Vec<usize> =
            (1..joints.len()).filter(|&at| along[at] < TUNED.above_ankle * along[joints.len() - 1]).collect();
        let least = |&a: &usize, &b: &usize| {
            turned(named, joints[a], joints[a - 1]).total_cmp(&turned(named, joints[b], joints[b - 1]))
        };
        // One joint there is the knee itself.
        match upper.iter().copied().min_by(least).filter(|_| upper.len() > 1) {
            Some(at) => joints.remove(at),
            None => break,
        };
    }
    joints
}

/// The largest turn of a joint against another since the first frame, as one less its cosine.
fn turned(named: &Unnamed, joint: usize, against: usize) -> f64 {
    let between = |frame: &[DAffine3]| {
        DQuat::from_mat3(&(frame[against].matrix3.transpose() * frame[joint].matrix3)).normalize()
    };
    let mut frames = named.transforms.chunks_exact(named.centers.len()).map(between);
    let first = frames.next().unwrap_or_default();
    frames.map(|turn| 1.0 - turn.dot(first).abs()).fold(0.0, f64::max)
}

/// What hangs on a joint of the trunk besides limbs and trunk, the heaviest of it.
fn heaviest_beside(named: &Unnamed, at: usize) -> Option<usize> {
    let body = named.body;
    let pairs = [Some(&body.legs), body.arms.as_ref()];
    let taken: Vec<usize> = pairs
        .into_iter()
        .flatten()
        .flat_map(|p| &p.limbs)
        .map(|l| l.parts[0])
        .chain(body.trunk.clone())
        .collect();
    let free =
        named.skeleton.children()[at].iter().copied().filter(|k| !taken.contains(k)).collect::<Vec<_>>();
    let mass = |k: usize| chain(named, Some(k)).iter().map(|&j| named.tree.sizes[j]).sum::<f64>();
    free.into_iter().max_by(|&a, &b| mass(a).total_cmp(&mass(b)))
}

/// Which limbs of a pair are on the left.
fn sides(named: &Unnamed, pair: &Pair, left: DVec3) -> [bool; 2] {
    let place = |l: &Limb| named.centers[l.parts[0]].dot(left);
    let first = place(&pair.limbs[0]) > place(&pair.limbs[1]);
    [first, !first]
}

/// The direction to the body's own left in the rest pose, and how clear it is, 0 to 1.
fn left_side(named: &Unnamed) -> Option<(DVec3, f64)> {
    let Body { legs, arms, .. } = named.body;
    let place = |l: &Limb| named.centers[l.parts[0]];
    let between = |p: &Pair| 0.5 * (place(&p.limbs[0]) + place(&p.limbs[1]));
    let middle = |l: &Limb| {
        l.parts.iter().map(|&k| named.tree.middles[k] * named.tree.sizes[k]).sum::<DVec3>()
            / l.parts.iter().map(|&k| named.tree.sizes[k]).sum::<f64>()
    };
    let across = (place(&legs.limbs[0]) - place(&legs.limbs[1])).try_normalize()?;
    if let Some(arms) = arms.as_ref().filter(|arms| named.tree.on_all_fours(legs, arms)) {
        let down = middle(&legs.limbs[0]) + middle(&legs.limbs[1]) - 2.0 * named.tree.between(legs);
        let left = (-down).cross(between(arms) - between(legs));
        return Some((across * left.dot(across).signum(), 1.0));
    }
    // Middles of parts are in units, of which only directions matter here.
    let up = match arms {
        Some(arms) if named.body.trunk.len() > 1 => between(arms) - between(legs),
        _ => 2.0 * named.tree.between(legs) - middle(&legs.limbs[0]) - middle(&legs.limbs[1]),
    };
    let forwards = across.cross(up).try_normalize()?;
    let mut evidence = DVec3::ZERO;
    for limb in &legs.limbs {
        let joints = leg(named, limb);
        evidence += knees(named, &joints) + toes(named, &joints, up);
    }
    let told = evidence.dot(forwards);
    // Forwards, upwards and across to the left: a right-handed system.
    let left = up.cross(forwards) * told.signum();
    Some((across * left.dot(across).signum(), (told.abs() / TUNED.facing).min(1.0)))
}

/// Where knees go when they bend, as a share of the leg's length, in the rest pose's axes of the hips.
fn knees(named: &Unnamed, leg: &[usize]) -> DVec3 {
    let (n, hips) = (named.centers.len(), named.body.hips());
    let [hip, knee, ankle, ..] = *leg else { return DVec3::ZERO };
    let at = |frame: &[DAffine3], k: usize| frame[k].transform_point3(named.centers[k]);
    let mut sum = DVec3::ZERO;
    for frame in named.transforms.chunks_exact(n) {
        let (a, b, c) = (at(frame, hip), at(frame, knee), at(frame, ankle));
        let long = a.distance(b) + b.distance(c);
        let along = (c - a).normalize_or_zero();
        let off = (b - a) - along * (b - a).dot(along);
        sum += frame[hips].matrix3.transpose() * off / long.max(1e-12);
    }
    sum * n as f64 / named.transforms.len() as f64
}

/// Where the foot points, as a share of the leg's length, with the shin turned upright: in a stride the hind foot hangs
/// with its toes behind the ankle.
fn toes(named: &Unnamed, leg: &[usize], up: DVec3) -> DVec3 {
    let [hip, knee, ankle, ..] = *leg else { return DVec3::ZERO };
    let units = named.tree;
    let place = |k: usize| units.place(k).unwrap_or(units.middles[k]);
    let long = place(hip).distance(place(knee)) + place(knee).distance(place(ankle));
    let end = leg[leg.len() - 1];
    let (Some(shin), Some(up)) = ((place(knee) - place(ankle)).try_normalize(), up.try_normalize()) else {
        return DVec3::ZERO;
    };
    DQuat::from_rotation_arc(shin, up) * (units.middles[end] - place(ankle)) / long.max(1e-12)
}
