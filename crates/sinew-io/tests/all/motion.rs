//! Motion of joints, out of files written by hand and by Sinew.

use std::f64::consts::FRAC_PI_2;
use std::path::{Path, PathBuf};

use crate::common::{lively, rig};
use glam::{DAffine3, DQuat, DVec3};
use sinew::geometry::angle_between;
use sinew::motion::Motion;
use sinew_io::formats::gltf::{self, WriteOptions, parse_alone, to_bytes};
use sinew_io::formats::{acclaim, bvh, sinew_file};
use sinew_io::motion::{FirstFrame, MotionOptions, OpenedMotion, Up};
use sinew_io::{Result, open_motion};

/// A trunk with an arm to the side. The root stands 2 below the arm.
const BVH: &str = "HIERARCHY
ROOT root
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT spine
  {
    OFFSET 0 0 0
    JOINT arm
    {
      OFFSET 0 2 0
      CHANNELS 3 Zrotation Yrotation Xrotation
      End Site
      {
        OFFSET 3 0 0
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: .0083333
1 2 3 0 0 0 0 0 0
0 0 0 90 0 0 0 90 0
1 2 3 30 20 10 0 45 0
";

/// The same trunk and arm. The arm's x axis is the world's y.
const ASF: &str = "# by hand
:version 1.10
:name test
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   nothing :hierarchy to see
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name spine
     direction 0 1 0
     length 2
     axis 0 0 0 XYZ
  end
  begin
     id 2
     name arm
     direction 1 0 0
     length 3
     axis 0 0 90 XYZ
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0 70.0)
            (-60.0 70.0)
  end
:hierarchy
  begin
    root spine
    spine arm
  end
";

const AMC: &str = "#!OML:ASF H:\\test.ASF
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 0 0 0
arm 0 0 0
2
root 0 0 0 0 0 90
arm 90 0 0
3
root 1 2 3 10 20 30
arm 45 0 0
";

fn of_bvh(text: &str) -> Result<Motion> {
    bvh::parse(text.as_bytes(), Path::new("a.bvh"))
}

fn of_acclaim(asf: &str, amc: &str) -> Result<Motion> {
    let skeleton = acclaim::parse_asf(asf.as_bytes(), Path::new("a.asf"))?;
    Ok(acclaim::parse_amc(amc.as_bytes(), Path::new("a.amc"), &skeleton)?.0)
}

/// A folder with files in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| std::fs::write(folder.at(name), text).unwrap());
        folder
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn open(&self, name: &str) -> Result<OpenedMotion> {
        open_motion(self.at(name), &MotionOptions::default())
    }

    fn with(&self, name: &str, options: MotionOptions) -> OpenedMotion {
        open_motion(self.at(name), &options).unwrap()
    }
}

fn near(a: DVec3, b: [f64; 3]) {
    assert!(a.distance(DVec3::from_array(b)) < 1e-9, "{a} is not {b:?}");
}

#[test]
fn a_bvh_file_by_hand_has_the_places_one_works_out_by_hand() {
    let motion = of_bvh(BVH).unwrap();
    assert_eq!((motion.joints.len(), motion.frame_count(), motion.fps), (3, 3, 120.0));
    assert_eq!(motion.joints[2].name, "arm");
    assert_eq!((motion.joints[2].parent, motion.joints[2].tip), (Some(1), Some(3.0 * DVec3::X)));
    assert_eq!(motion.bind[2], DAffine3::from_translation(2.0 * DVec3::Y));
    near(motion.places(0)[2], [1.0, 4.0, 3.0]);
    // The trunk falls over to the left; the arm turns back about the trunk.
    near(motion.places(1)[2], [-2.0, 0.0, 0.0]);
    near(motion.frame(1)[2].transform_point3(3.0 * DVec3::X), [-2.0, 0.0, -3.0]);
    let root = DQuat::from_rotation_z(30_f64.to_radians())
        * DQuat::from_rotation_y(20_f64.to_radians())
        * DQuat::from_rotation_x(10_f64.to_radians());
    assert!(angle_between(motion.rotations(2)[0], root) < 1e-9);
    assert!((motion.height() - 2.0).abs() < 1e-12);
}

#[test]
fn the_same_motion_from_both_kinds_of_files_is_the_same() {
    let (one, other) = (of_bvh(BVH).unwrap(), of_acclaim(ASF, AMC).unwrap());
    assert_eq!(one.joints, other.joints);
    assert_eq!(one.bind, other.bind);
    assert_eq!(one.fps, other.fps);
    assert_eq!(one.worlds.len(), other.worlds.len());
    for (a, b) in one.worlds.iter().zip(&other.worlds) {
        assert!(a.abs_diff_eq(*b, 1e-12), "{a:?} {b:?}");
    }
    assert!((other.metres_per_unit.unwrap() - 0.0254 / 0.45).abs() < 1e-12);
}

#[test]
fn angles_act_in_the_order_they_are_named_in_axes_of_the_bone() {
    let amc = AMC.replace("arm 90 0 0", "arm 10 20 30");
    let turn = of_acclaim(ASF, &amc).unwrap().turns(1)[2];
    // x, y and z of the bone are y, −x and z of the world.
    let about = |axis: DVec3, degrees: f64| DQuat::from_axis_angle(axis, degrees.to_radians());
    let expected = about(DVec3::Z, 30.0) * about(DVec3::NEG_X, 20.0) * about(DVec3::Y, 10.0);
    assert!(angle_between(turn, expected) < 1e-9);
    // The same in radians, in another order, and at a stated rate.
    let asf = ASF.replace("angle deg", "angle rad").replace("0 0 90 XYZ", "1.5707963267948966 0 0 ZYX");
    let amc = ":samples-per-second 60\n:RADIANS\n7\nroot 0 0 0 0 0 0\narm 1.5707963267948966 0 0\n";
    let motion = of_acclaim(&asf, amc).unwrap();
    assert_eq!(motion.fps, 60.0);
    assert!(angle_between(motion.turns(0)[2], DQuat::from_rotation_y(FRAC_PI_2)) < 1e-9);
}

#[test]
fn spellings_that_programs_use_are_taken() {
    let plain = of_bvh(BVH).unwrap();
    let windows = BVH.replace('\n', "\r\n");
    assert_eq!(of_bvh(&windows).unwrap(), plain);
    let dense =
        BVH.replace("\n  {\n", " {\n").replace("End Site\n      {", "end site {").replace("ROOT", "root");
    assert_eq!(of_bvh(&dense).unwrap(), plain);
    let spaced = BVH.replace("JOINT arm", "JOINT left arm").replace("Frames: 3", "Frames:\t3 \n");
    assert_eq!(of_bvh(&spaced).unwrap().joints[2].name, "left arm");
    let marked = format!("\u{FEFF}{BVH}");
    assert_eq!(of_bvh(&marked).unwrap(), plain);
    let twice = BVH.replace("JOINT arm", "JOINT spine");
    assert_eq!(of_bvh(&twice).unwrap().joints[2].name, "spine.1");
}

#[test]
fn positions_of_joints_are_places_or_changes_of_them() {
    let with = |position: &str| {
        let text = BVH
            .replace("CHANNELS 3 Zrotation", "CHANNELS 4 Yposition Zrotation")
            .replace(" 3 0 0 0 0 0 0\n", &format!(" 3 0 0 0 {position} 0 0 0\n"))
            .replace("90 0 0 0 90 0", &format!("90 0 0 {position} 0 90 0"))
            .replace("30 20 10 0 45 0", &format!("30 20 10 {position} 0 45 0"));
        of_bvh(&text).unwrap().places(0)[2]
    };
    near(with("2.5"), [1.0, 4.5, 3.0]);
    near(with("0.5"), [1.0, 4.5, 3.0]);
}

/// Runs of frames that start at once, with or without a reference pose before them.
fn with_reference(reference: bool) -> String {
    let mut frames: Vec<String> = (0..20)
        .map(|f| format!("1 2 3 30 20 {} 0 {} 40", 10.0 + 0.2 * f64::from(f), 45.0 - 0.1 * f64::from(f)))
        .collect();
    if reference {
        frames.insert(0, "1 2 3 0 0 0 0 0 0".into());
    }
    let head = BVH.split("Frames:").next().unwrap();
    format!("{head}Frames: {}\nFrame Time: 0.05\n{}\n", frames.len(), frames.join("\n"))
}

#[test]
fn a_reference_pose_before_the_motion_is_no_part_of_it() {
    let folder = Folder::new(&[("t.bvh", &with_reference(true)), ("plain.bvh", &with_reference(false))]);
    let (found, plain) = (folder.open("t.bvh").unwrap(), folder.open("plain.bvh").unwrap());
    assert!(
        found.warnings.len() == 1 && found.warnings[0].to_string().contains("reference pose"),
        "{:?}",
        found.warnings
    );
    assert!(plain.warnings.is_empty());
    assert_eq!(found.motion.worlds, plain.motion.worlds);
    assert_eq!((found.motion.clips[0].name.as_str(), found.motion.clips[0].frames.clone()), ("t", 0..20));
    let keep = MotionOptions { first_frame: FirstFrame::Keep, ..MotionOptions::default() };
    assert_eq!(folder.with("t.bvh", keep).motion.frame_count(), 21);
    let bind = MotionOptions { first_frame: FirstFrame::Bind, ..MotionOptions::default() };
    let bound = folder.with("plain.bvh", bind).motion;
    assert_eq!(bound.frame_count(), 19);
    assert_eq!(bound.bind, plain.motion.frame(0));
    assert!(bound.rotations(0).iter().all(|r| angle_between(*r, DQuat::IDENTITY) < 0.01));
    // A motion that sets out from the rest pose does not jump.
    let slow: Vec<String> = (0..20).map(|f| format!("0 0 0 {f} 0 0 {f} 0 0")).collect();
    let head = BVH.split("Frames:").next().unwrap();
    let slow = format!("{head}Frames: 20\nFrame Time: 0.05\n{}\n", slow.join("\n"));
    std::fs::write(folder.at("slow.bvh"), slow).unwrap();
    assert_eq!(folder.open("slow.bvh").unwrap().motion.frame_count(), 20);
}

#[test]
fn the_skeleton_of_an_amc_file_is_found_beside_it() {
    let other = ASF.replace("name arm", "name leg").replace("spine arm", "spine leg");
    let found = |files: &[&str], amc: &str| {
        let folder = Folder::new(&[]);
        files.iter().for_each(|name| std::fs::write(folder.at(name), &other).unwrap());
        // The right one is the first.
        std::fs::write(folder.at(files[0]), ASF).unwrap();
        std::fs::write(folder.at(amc), AMC).unwrap();
        folder.open(amc).unwrap().source
    };
    assert_eq!(found(&["02.asf", "02_02.asf", "03.asf"], "02_01.amc"), "02_01.amc on 02.asf");
    assert_eq!(found(&["02_01.ASF", "02.asf"], "02_01.amc"), "02_01.amc on 02_01.ASF");
    assert_eq!(found(&["07-walk.asf", "071.asf"], "07_01-walk.amc"), "07_01-walk.amc on 07-walk.asf");
    assert_eq!(found(&["someone.asf"], "02_01.amc"), "02_01.amc on someone.asf");
    let folder = Folder::new(&[("02_01.amc", AMC)]);
    let error = folder.open("02_01.amc").unwrap_err().to_string();
    assert!(error.contains("needs the ASF file") && error.contains("there is none beside it"), "{error}");
    std::fs::write(folder.at("a.asf"), ASF).unwrap();
    std::fs::write(folder.at("b.asf"), other).unwrap();
    let error = folder.open("02_01.amc").unwrap_err().to_string();
    assert!(error.contains("clearly its own") && error.contains("02.asf"), "{error}");
    let given = MotionOptions { skeleton: Some(folder.at("a.asf").into()), ..MotionOptions::default() };
    assert_eq!(folder.with("02_01.amc", given).motion.frame_count(), 3);
    // A skeleton alone is its bind pose.
    let alone = folder.open("a.asf").unwrap().motion;
    assert_eq!((alone.frame_count(), alone.bind.clone()), (1, alone.worlds.clone()));
}

#[test]
fn axes_scales_and_rates_are_settled() {
    // A figure that stands along z, and says so by its names.
    let text = BVH.replace("root", "LeftFoot").replace("arm", "Head").replace("OFFSET 0 2 0", "OFFSET 0 0 2");
    let folder = Folder::new(&[("z.bvh", &text)]);
    let plain = folder.open("z.bvh").unwrap();
    assert_eq!(plain.stands_along, Some(Up::Z));
    assert_eq!(
        crate::common::sentences(&plain.warnings),
        ["the figure seems to stand along z, but y is taken to be up"]
    );
    let options =
        MotionOptions { up: Some(Up::Z), scale: Some(10.0), fps: Some(30.0), ..MotionOptions::default() };
    let OpenedMotion { motion, warnings, .. } = folder.with("z.bvh", options);
    assert!(warnings.is_empty());
    assert_eq!((motion.fps, motion.clips[0].fps), (30.0, 30.0));
    assert!((motion.height() - 20.0).abs() < 1e-9);
    // x stays, z is up, y is to the back.
    near(motion.places(0)[0], [10.0, 30.0, -20.0]);
    near(motion.places(0)[2], [10.0, 50.0, -20.0]);
    for up in [Up::X, Up::Y] {
        let options = MotionOptions { up: Some(up), ..MotionOptions::default() };
        let height = folder.with("z.bvh", options).motion.height();
        assert!((height - if up == Up::X { 3.0 } else { 0.0 }).abs() < 1e-9, "{height}");
    }
    for (options, words) in [
        (
            MotionOptions { scale: Some(0.0), ..MotionOptions::default() },
            "the scale must be a positive number",
        ),
        (
            MotionOptions { fps: Some(-1.0), ..MotionOptions::default() },
            "the frame rate must be a positive number",
        ),
    ] {
        let error = open_motion(folder.at("z.bvh"), &options).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    std::fs::write(folder.at("a.obj"), "v 0 0 0\n").unwrap();
    let error = folder.open("a.obj").unwrap_err().to_string();
    assert!(
        error.contains("an OBJ mesh holds no joints; GLB, glTF, ")
            && error.ends_with("BVH, ASF and AMC files do")
    );
}

/// Checks places and turns of all joints in all frames.
fn agrees(motion: &Motion, rig: &sinew::rig::Rig, within: f64) {
    assert_eq!(motion.frame_count(), rig.frame_count());
    let parents: Vec<_> = motion.joints.iter().map(|j| j.parent).collect();
    assert_eq!(parents, rig.skeleton.as_ref().unwrap().parents);
    for frame in 0..rig.frame_count() {
        let (places, rotations) = (motion.places(frame), motion.rotations(frame));
        for (joint, transform) in rig.frame_transforms(frame).iter().enumerate() {
            assert!(places[joint].distance(rig.posed_joints(frame)[joint]) < within);
            let turn = DQuat::from_mat3(&transform.matrix3);
            assert!(angle_between(rotations[joint], turn) < within, "joint {joint} of frame {frame}");
        }
    }
}

#[test]
fn what_is_written_as_bvh_comes_back() {
    let rig = rig(40, lively);
    let motion = of_bvh(&bvh::to_text(&rig, &rig.clips()[0]).unwrap()).unwrap();
    agrees(&motion, &rig, 1e-5);
    assert_eq!(motion.fps, 24.0);
    // Offsets are those of the rig, from a root at the origin.
    let root = rig.bones[0].center;
    for (place, bone) in motion.bind_places().iter().zip(&rig.bones) {
        assert!(place.distance(bone.center - root) < 1e-6);
    }
}

#[test]
fn rigs_of_every_kind_of_file_move_as_they_are() {
    let mut rig = rig(9, lively);
    let clip = |name: &str, frames, fps| sinew::animation::Clip { name: name.into(), frames, fps };
    rig.clips = vec![clip("walk", 0..5, 24.0), clip("run", 5..9, 24.0)];
    let folder = Folder::new(&[]);
    gltf::write(&folder.at("a.glb"), &rig, &WriteOptions::default()).unwrap();
    sinew_file::write_rig(&folder.at("a.sinew"), &rig, "").unwrap();
    for name in ["a.glb", "a.sinew"] {
        let OpenedMotion { motion, warnings, .. } = folder.open(name).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        agrees(&motion, &rig, 1e-4);
        let clips: Vec<_> = motion.clips.iter().map(|c| (c.name.as_str(), c.frames.clone())).collect();
        assert_eq!(clips, [("walk", 0..5), ("run", 5..9)]);
        let run = MotionOptions { clips: vec!["run".into()], ..MotionOptions::default() };
        let run = folder.with(name, run).motion;
        assert_eq!((run.frame_count(), run.clips[0].name.as_str()), (4, "run"));
        assert!(run.places(0)[5].distance(motion.places(5)[5]) < 1e-6);
    }
    // Without a skeleton, joints at the centres of bones.
    rig.skeleton = None;
    sinew_file::write_rig(&folder.at("loose.sinew"), &rig, "").unwrap();
    let motion = folder.open("loose.sinew").unwrap().motion;
    assert!(motion.joints.iter().all(|j| j.parent.is_none()));
    assert_eq!(motion.bind_places(), rig.joint_places());
}

#[test]
fn files_of_other_programs_move_by_their_skins() {
    let rig = rig(9, lively);
    let bytes = to_bytes(&rig, &WriteOptions::default()).unwrap().0;
    // Nobody would know who wrote it.
    let at = bytes.windows(5).position(|w| w == b"Sinew").unwrap();
    let mut foreign = bytes.clone();
    foreign[at..at + 5].copy_from_slice(b"Other");
    let file = parse_alone(&foreign, Path::new("a.glb")).unwrap();
    let (motion, warnings) = file.joint_motion(&[], None).unwrap();
    assert!(warnings.is_empty());
    agrees(&motion, &rig, 1e-4);
    assert_eq!((motion.fps, motion.metres_per_unit), (24.0, Some(1.0)));
    for (place, bone) in motion.bind_places().iter().zip(&rig.bones) {
        assert!(place.distance(bone.center) < 1e-5);
    }
    let half = file.joint_motion(&[], Some(12.0)).unwrap().0;
    assert_eq!(half.frame_count(), 5);
    assert!(half.places(2)[5].distance(motion.places(4)[5]) < 1e-5);
    assert!(file.joint_motion(&["jump".into()], None).unwrap_err().to_string().contains("jump"));
}

#[test]
fn without_a_skin_the_nodes_that_move_are_the_joints() {
    // A moving cart under a scene that lies on its side; its wheel stands still on it.
    let text = r#"{"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "rotation": [0.7071067811865476, 0, 0, 0.7071067811865476]},
                  {"name": "cart", "children": [2], "translation": [0, 0, 5]}, {"name": "wheel"}],
        "animations": [{"name": "roll", "samplers": [{"input": 0, "output": 1}],
                        "channels": [{"sampler": 0, "target": {"node": 1, "path": "translation"}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR"},
                      {"bufferView": 0, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3"}],
        "bufferViews": [{"buffer": 0, "byteLength": 32}],
        "buffers": [{"byteLength": 32, "uri":
            "data:application/octet-stream;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAABAAAAAAAAAAAA="}]}"#;
    let folder =
        Folder::new(&[("cart.gltf", text), ("still.gltf", &text.replace("translation\"}", "weights\"}"))]);
    let motion = folder.open("cart.gltf").unwrap().motion;
    assert_eq!(motion.joints.len(), 1);
    assert_eq!((motion.joints[0].name.as_str(), motion.clips[0].name.as_str()), ("cart", "roll"));
    assert_eq!(motion.frame_count(), 31);
    near(motion.places(30)[0], [2.0, 0.0, 0.0]);
    // Bound where no clip moves it: z of the scene is −y of the world.
    assert!(motion.bind_places()[0].distance(DVec3::new(0.0, -5.0, 0.0)) < 1e-9);
    assert!(folder.open("still.gltf").is_err());
}
