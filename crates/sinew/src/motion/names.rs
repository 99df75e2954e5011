//! What names of bones and joints mean, whoever chose them.
//!
//! `LeftUpLeg`, `lfemur`, `mixamorig:LeftUpLeg`, `DEF-thigh.L` and `upperleg01.L` are one thing. A name is
//! cut into words, the side is taken out, and words for parts of a body are put down to one.

use super::Motion;
use super::placement::Placement;
use super::tuning::TUNING;
use crate::geometry::Bounds;
use crate::rig::{Bone, Rig};

/// Which side of a body a name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Side {
    Left,
    Right,
}

/// A name that means something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    pub side: Option<Side>,
    /// The part of a body, or the words of the name where they are not known.
    pub part: String,
    /// Whether the part is one of a body that is known here.
    pub known: bool,
}

/// Words for parts of a body. Those with a side are told apart from those without: a hip is none of the hips.
const PARTS: [(&str, &[&str]); 17] = [
    ("hips", &["hips", "hip", "pelvis", "root"]),
    (
        "spine",
        &["spine", "chest", "lowerback", "upperback", "thorax", "upperchest", "abdomen", "torso", "back"],
    ),
    ("neck", &["neck", "lowerneck", "upperneck"]),
    ("head", &["head"]),
    ("hipjoint", &["hipjoint"]),
    ("shoulder", &["shoulder", "clavicle", "collar"]),
    ("upperarm", &["upperarm", "arm", "humerus", "uparm"]),
    ("forearm", &["forearm", "lowerarm", "radius", "elbow"]),
    ("hand", &["hand", "wrist", "palm"]),
    ("thigh", &["thigh", "upleg", "upperleg", "femur"]),
    ("shin", &["shin", "leg", "lowerleg", "tibia", "calf", "knee"]),
    ("foot", &["foot", "ankle", "feet"]),
    ("toe", &["toe", "toes", "toebase", "ball"]),
    ("thumb", &["thumb"]),
    ("knuckles", &["fingerbase", "knuckles", "metacarpal"]),
    ("fingers", &["fingers", "handindex"]),
    ("tail", &["tail"]),
];

/// Parts that are chains of several bones, which are shared out by their order.
pub(super) const CHAINS: [&str; 3] = ["spine", "neck", "tail"];

/// Words for a whole limb, and its parts from the body outwards. Where several bones are called so, they only
/// count: the first is the thigh, whatever a lone leg is.
const LIMBS: [(&str, &[&str]); 2] =
    [("leg", &["thigh", "shin", "foot", "toe"]), ("arm", &["upperarm", "forearm", "hand"])];

/// Words in front of or behind names that mean nothing.
const FILLERS: [&str; 10] =
    ["def", "org", "bip", "bip01", "bone", "joint", "jnt", "bind", "skeleton", "armature"];

/// What a name means; none where it only counts, as `bone_12`, `limb1_2` and `node4` do.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    let own = name.rsplit([':', '|']).next().unwrap_or(name);
    let mut words = words(own);
    let side = take_side(&mut words);
    let of =
        |joined: &str| PARTS.iter().find(|(_, spelled)| spelled.contains(&joined)).map(|(part, _)| *part);
    let whole = of(&words.concat());
    words.retain(|word| !FILLERS.contains(&word.as_str()));
    let joined = words.concat();
    // A hip joint is known with its joint, an arm bone without its bone.
    if let Some(part) = whole.or_else(|| of(&joined)) {
        return Some(Meaning { side, part: part.into(), known: true });
    }
    if joined.is_empty() || ["limb", "node"].contains(&joined.as_str()) {
        return None;
    }
    // The side may be grown together with the rest: lfemur, leftupleg.
    let sides = [("left", Side::Left), ("right", Side::Right), ("l", Side::Left), ("r", Side::Right)];
    let grown = sides.into_iter().find_map(|(start, side)| Some((side, of(joined.strip_prefix(start)?)?)));
    match (side, grown) {
        (None, Some((side, part))) => Some(Meaning { side: Some(side), part: part.into(), known: true }),
        _ => Some(Meaning { side, part: format!("{joined}{}", digits(own)), known: false }),
    }
}

/// Words in names of joints that steer others and lie outside of the body.
const HANDLES: [&str; 7] = ["ik", "control", "ctrl", "pole", "target", "handle", "locator"];

/// Whether a joint only steers others, as its name has it.
pub(super) fn is_handle(name: &str) -> bool {
    words(name).iter().any(|word| HANDLES.contains(&word.as_str()))
}

/// The words of a name in small letters, without digits: cut at capitals and at what is no letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && !before.is_uppercase()) {
            words.push(String::new());
        } else if letter.is_lowercase() && before.is_uppercase() {
            // LThumb: the last capital begins the next word.
            let last = words.last_mut().and_then(String::pop);
            words.push(last.into_iter().collect());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}

fn digits(name: &str) -> String {
    name.chars().filter(char::is_ascii_digit).collect()
}

fn take_side(words: &mut Vec<String>) -> Option<Side> {
    let side = |word: &String| match word.as_str() {
        "left" | "l" => Some(Side::Left),
        "right" | "r" => Some(Side::Right),
        _ => None,
    };
    let at = words.iter().position(|word| side(word).is_some())?;
    side(&words.remove(at))
}

/// The joint of each bone where the source is of the same rig: all names are there, whatever they mean, and
/// the joints lie in the bind pose as the bones do in the rest pose.
fn own(rig: &Rig, motion: &Motion) -> Option<Vec<Option<usize>>> {
    let of = |bone: &Bone| motion.joints.iter().position(|joint| joint.name == bone.name);
    let joints: Vec<usize> = rig.bones.iter().map(of).collect::<Option<_>>()?;
    let pair = |(bone, joint): (&Bone, &usize)| (motion.bind[*joint].translation, bone.center, 1.0);
    let pairs: Vec<_> = rig.bones.iter().zip(&joints).map(pair).collect();
    let placement = Placement::fit(&pairs, None)?;
    let off =
        pairs.iter().map(|(q, p, _)| placement.apply(*q).distance(*p)).sum::<f64>() / pairs.len() as f64;
    let is_own = off <= TUNING.matching.own_place * Bounds::of(&rig.rest).diagonal();
    is_own.then(|| joints.into_iter().map(Some).collect())
}

/// The joint that each bone's name names, as far as that is clear.
pub(super) fn named(rig: &Rig, motion: &Motion) -> Vec<Option<usize>> {
    if let Some(own) = own(rig, motion) {
        return own;
    }
    let of_joints: Vec<Option<Meaning>> = motion.joints.iter().map(|joint| meaning(&joint.name)).collect();
    let of_bones: Vec<Option<Meaning>> = rig.bones.iter().map(|bone| meaning(&bone.name)).collect();
    let exact: Vec<Option<usize>> =
        rig.bones.iter().map(|bone| motion.joints.iter().position(|joint| joint.name == bone.name)).collect();
    let same = |bone: usize| {
        let meant = of_bones[bone].as_ref()?;
        // Several joints of one part: the topmost, as parents come first.
        let of_part = |meant: &Meaning| {
            let meant = |&j: &usize| of_joints[j].as_ref() == Some(meant);
            // A root that hips hang on is a place on the ground.
            let is_root = |&j: &usize| motion.joints[j].name.to_lowercase().contains("root");
            (0..of_joints.len()).filter(meant).min_by_key(is_root)
        };
        // Where a wrist bears a hand, that hand is the knuckles of those who call the wrist a hand.
        let below_wrist = || {
            let hand = Meaning { part: "hand".into(), ..meant.clone() };
            let is_second = |&j: &usize| of_joints[j].as_ref() == Some(&hand) && Some(j) != of_part(&hand);
            (0..of_joints.len()).find(is_second).filter(|_| meant.part == "knuckles")
        };
        exact[bone].or_else(|| of_part(meant)).or_else(below_wrist)
    };
    let mut named: Vec<Option<usize>> = (0..rig.bones.len()).map(same).collect();
    for chain in CHAINS {
        let is_link =
            |meaning: &Option<Meaning>| meaning.as_ref().is_some_and(|m| m.known && m.part == chain);
        let joints: Vec<usize> = (0..of_joints.len()).filter(|&j| is_link(&of_joints[j])).collect();
        let mut bones: Vec<usize> = (0..of_bones.len()).filter(|&b| is_link(&of_bones[b])).collect();
        // The very same chain.
        if bones.iter().all(|&bone| exact[bone].is_some()) {
            continue;
        }
        bones.sort_by_key(|&bone| (depth(rig, bone), bone));
        let count = bones.len();
        for (place, bone) in bones.into_iter().enumerate().filter(|_| !joints.is_empty()) {
            // The middle of each bone's share of the chain.
            named[bone] = Some(joints[(2 * place + 1) * joints.len() / (2 * count)]);
        }
    }
    for (word, parts) in LIMBS {
        for side in [Side::Left, Side::Right] {
            let joint = |part: &&str| {
                let meant = Meaning { side: Some(side), part: (*part).into(), known: true };
                of_joints.iter().position(|of| of.as_ref() == Some(&meant))
            };
            let joints: Vec<usize> = parts.iter().filter_map(joint).collect();
            let is_meant = |&b: &usize| exact[b].is_none() && limb(&rig.bones[b].name) == Some((side, word));
            let mut bones: Vec<usize> = (0..rig.bones.len()).filter(is_meant).collect();
            bones.sort_by_key(|&bone| (depth(rig, bone), bone));
            if bones.len() > 1 && !joints.is_empty() {
                let of = bones.into_iter().enumerate();
                of.for_each(|(i, bone)| named[bone] = Some(joints[i.min(joints.len() - 1)]));
            }
        }
    }
    named
}

/// The side and the word for a limb, where a name tells no more than that.
pub(super) fn limb(name: &str) -> Option<(Side, &'static str)> {
    let mut words = words(name.rsplit([':', '|']).next().unwrap_or(name));
    let side = take_side(&mut words)?;
    words.retain(|word| !FILLERS.contains(&word.as_str()));
    let joined = words.concat();
    LIMBS.iter().find(|(word, _)| *word == joined).map(|(word, _)| (side, *word))
}

fn depth(rig: &Rig, bone: usize) -> usize {
    let parent = |bone: &usize| rig.skeleton.as_ref().and_then(|s| s.parents[*bone]);
    std::iter::successors(Some(bone), parent).count()
}

/// The spelling among `known` that is nearest to `wanted`, if any is near.
pub(super) fn nearest_spelling<'a>(wanted: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let small = wanted.to_lowercase();
    let (changes, name) = known
        .map(|name| (changes(&small, &name.to_lowercase()), name))
        .min_by_key(|(changes, _)| *changes)?;
    (changes <= 1 + wanted.chars().count() / 3).then_some(name)
}

/// Letters to add, drop or exchange to get from one word to the other.
fn changes(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let exchanged = diagonal + usize::from(letter != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
#[path = "../../tests/unit/motion_names.rs"]
mod tests;
