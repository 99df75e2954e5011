//! BVH files, replayed by a reader of their own.

use std::f64::consts::FRAC_PI_2;

use crate::common::{PARENTS, lively, rig};
use glam::{DAffine3, DMat3, DVec3};
use proptest::prelude::*;
use sinew::animation::Clip;
use sinew::rig::Rig;
use sinew_io::formats::bvh;

/// What a file says.
#[derive(Default)]
struct File {
    joints: Vec<Joint>,
    ends: Vec<DVec3>,
    frame_time: f64,
    frames: Vec<Vec<f64>>,
}

struct Joint {
    name: String,
    parent: Option<usize>,
    offset: DVec3,
    channels: Vec<String>,
}

fn numbers<'a>(words: &mut impl Iterator<Item = &'a str>, count: usize) -> Vec<f64> {
    words.take(count).map(|w| w.parse().unwrap()).collect()
}

/// Reads word by word, as most programs do.
fn parsed(text: &str) -> File {
    let (hierarchy, motion) = text.split_once("MOTION\n").unwrap();
    let mut words = hierarchy.split_whitespace();
    assert_eq!(words.next(), Some("HIERARCHY"));
    let (mut file, mut open) = (File::default(), Vec::new());
    while let Some(word) = words.next() {
        let last = file.joints.len();
        match word {
            "ROOT" | "JOINT" => {
                assert_eq!(word == "ROOT", last == 0);
                let parent = open.last().copied().flatten();
                let name = words.next().unwrap().into();
                file.joints.push(Joint { name, parent, offset: DVec3::ZERO, channels: Vec::new() });
                assert_eq!(words.next(), Some("{"));
                open.push(Some(last));
            }
            "End" => {
                assert_eq!((words.next(), words.next()), (Some("Site"), Some("{")));
                open.push(None);
            }
            "OFFSET" => {
                let offset = DVec3::from_slice(&numbers(&mut words, 3));
                match open.last().unwrap() {
                    Some(joint) => file.joints[*joint].offset = offset,
                    None => file.ends.push(offset),
                }
            }
            "CHANNELS" => {
                let count = words.next().unwrap().parse().unwrap();
                file.joints[last - 1].channels = words.by_ref().take(count).map(str::to_owned).collect();
            }
            "}" => drop(open.pop().unwrap()),
            other => panic!("{other}"),
        }
    }
    assert!(open.is_empty());
    let mut lines = motion.lines();
    let frames: usize = lines.next().unwrap().strip_prefix("Frames: ").unwrap().parse().unwrap();
    file.frame_time = lines.next().unwrap().strip_prefix("Frame Time: ").unwrap().parse().unwrap();
    file.frames = lines.map(|l| l.split(' ').map(|w| w.parse().unwrap()).collect()).collect();
    assert_eq!(file.frames.len(), frames);
    file
}

fn about(axis: char, degrees: f64) -> DMat3 {
    let (s, c) = degrees.to_radians().sin_cos();
    let rows = match axis {
        'X' => [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]],
        'Y' => [[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]],
        _ => [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]],
    };
    DMat3::from_cols_array_2d(&rows).transpose()
}

impl File {
    /// World transforms of all joints in a frame.
    fn worlds(&self, frame: usize) -> Vec<DAffine3> {
        let mut values = self.frames[frame].iter();
        let mut worlds: Vec<DAffine3> = Vec::new();
        for joint in &self.joints {
            let mut local = DAffine3::from_translation(joint.offset);
            for channel in &joint.channels {
                let value = *values.next().unwrap();
                let (axis, what) = channel.split_at(1);
                match (axis, what) {
                    ("X", "position") => local.translation.x += value,
                    ("Y", "position") => local.translation.y += value,
                    ("Z", "position") => local.translation.z += value,
                    (axis, "rotation") => local.matrix3 *= about(axis.chars().next().unwrap(), value),
                    _ => panic!("{channel}"),
                }
            }
            worlds.push(joint.parent.map_or(local, |parent| worlds[parent] * local));
        }
        assert!(values.next().is_none());
        worlds
    }

    /// The largest change of any angle from a frame to the next, in degrees.
    fn largest_step(&self) -> f64 {
        let steps = self.frames.windows(2).flat_map(|pair| pair[0][3..].iter().zip(&pair[1][3..]));
        steps.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }
}

fn of(rig: &Rig) -> File {
    parsed(&bvh::to_text(rig, &rig.clips()[0]).unwrap())
}

/// Checks places and turns of all joints in all frames. The joints of the rig are in the file's order.
fn agrees(rig: &Rig, file: &File) {
    assert_eq!(file.frames.len(), rig.frame_count());
    for frame in 0..rig.frame_count() {
        let joints = rig.posed_joints(frame).into_iter().zip(rig.frame_transforms(frame));
        for ((place, transform), world) in joints.zip(file.worlds(frame)) {
            assert!(place.distance(world.translation) < 1e-5, "frame {frame}");
            assert!(world.matrix3.abs_diff_eq(transform.matrix3, 1e-6), "frame {frame}");
        }
    }
}

#[test]
fn a_replayed_file_shows_the_joints_of_the_rig() {
    let rig = rig(60, lively);
    let file = of(&rig);
    let parents: Vec<_> = file.joints.iter().map(|j| j.parent).collect();
    assert_eq!(parents, PARENTS);
    let names: Vec<_> = file.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["joint_0", "joint_1", "joint_2", "joint_3", "joint_4", "joint_5"]);
    assert!(file.joints.iter().all(|j| j.channels.len() == if j.parent.is_none() { 6 } else { 3 }));
    for (joint, bone) in file.joints.iter().zip(&rig.bones) {
        let wanted = joint.parent.map_or(DVec3::ZERO, |p| bone.center - rig.bones[p].center);
        assert!(joint.offset.distance(wanted) < 1e-6);
    }
    assert!((file.frame_time - 1.0 / 24.0).abs() < 1e-9);
    assert!(file.ends.len() == 2 && file.ends.iter().all(|end| end.length() > 0.05));
    agrees(&rig, &file);
    // Joint 1 goes round almost three times at 17° a frame.
    assert!(file.largest_step() < 20.0, "{}", file.largest_step());
    assert!(file.frames[59].iter().any(|angle| *angle > 900.0));
}

#[test]
fn angles_go_on_through_right_angles() {
    // Straight through: exactly a right angle in frame 10, then beyond.
    let rig = rig(41, |j, f| if j == 2 { [0.0, FRAC_PI_2 * f as f64 / 10.0, 0.0] } else { [0.0; 3] });
    let file = of(&rig);
    agrees(&rig, &file);
    assert!(file.largest_step() < 9.1, "{}", file.largest_step());
    // At the right angle, turning about what is then one axis.
    for x in [FRAC_PI_2, -FRAC_PI_2] {
        let rig = self::rig(80, |j, f| if j == 2 { [0.1 * f as f64, x, 0.0] } else { [0.0; 3] });
        let file = of(&rig);
        agrees(&rig, &file);
        // The first frame has none to be near to.
        let later = File { frames: file.frames[1..].to_vec(), ..file };
        assert!(later.largest_step() < 6.0, "{}", later.largest_step());
    }
}

#[test]
fn a_clip_is_written_alone_into_a_file() {
    let mut rig = rig(9, lively);
    let clip = |name: &str, frames, fps| Clip { name: name.into(), frames, fps };
    rig.clips = vec![clip("walk", 0..5, 24.0), clip("run", 5..9, 60.0)];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.bvh");
    let bytes = bvh::write(&path, &rig, &rig.clips[1]).unwrap();
    assert_eq!(bytes, path.metadata().unwrap().len());
    let file = parsed(&std::fs::read_to_string(path).unwrap());
    assert!((file.frame_time - 1.0 / 60.0).abs() < 1e-9);
    rig.transforms.drain(..5 * 6);
    rig.clips.clear();
    agrees(&rig, &file);
}

#[test]
fn names_are_words_and_differ() {
    let mut rig = rig(2, lively);
    for (bone, name) in rig.bones.iter_mut().zip(["a b", "a_b", "", "{x}", "Knöchel", "a\tb\n"]) {
        bone.name = name.into();
    }
    let names: Vec<String> = of(&rig).joints.into_iter().map(|j| j.name).collect();
    assert_eq!(names, ["a_b", "a_b.1", "joint_2", "_x_", "Knöchel", "a_b.2"]);
}

#[test]
fn what_the_format_cannot_hold_gets_a_sentence() {
    let refused = |change: &dyn Fn(&mut Rig, &mut Clip), words: &str| {
        let mut rig = rig(3, lively);
        let mut clip = rig.clips()[0].clone();
        change(&mut rig, &mut clip);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bvh");
        let message = bvh::write(&path, &rig, &clip).unwrap_err().to_string();
        assert!(message.contains("a.bvh: ") && message.contains(words), "{message}");
        assert!(!path.exists());
    };
    refused(&|rig, _| rig.skeleton = None, "no skeleton");
    refused(&|rig, _| rig.skeleton.as_mut().unwrap().parents[3] = None, "2 roots");
    refused(&|rig, _| rig.skeleton.as_mut().unwrap().parents[3] = Some(5), "before its parent");
    refused(&|rig, _| rig.transforms[8].matrix3.x_axis *= 1.1, "joint joint 2 stretches in frame 1");
    refused(&|_, clip| clip.fps = 0.0, "frame rate");
    refused(&|_, clip| clip.frames = 2..4, "not those of the rig");
    refused(&|_, clip| clip.frames = 1..1, "not those of the rig");
    refused(&|rig, _| rig.transforms[3].translation.x = f64::NAN, "not finite");
}

proptest! {
    #[test]
    fn any_turns_are_replayed(angles in prop::collection::vec(prop::array::uniform3(-7.0..7.0_f64), 18)) {
        let rig = rig(3, |j, f| angles[3 * j + f]);
        agrees(&rig, &of(&rig));
    }
}
