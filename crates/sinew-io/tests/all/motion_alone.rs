//! Joints of FBX and USD files that have no mesh.

use std::path::PathBuf;

use glam::{DQuat, DVec3};
use sinew::motion::Motion;
use sinew_io::motion::{MotionOptions, OpenedMotion};
use sinew_io::{open, open_motion};

/// Hips, and a spine that turns by 90° about z within a second, as libraries of motion hand it out.
const FBX: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",1
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",2
		P: "FrontAxisSign", "int", "Integer", "",1
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",1
		P: "TimeMode", "enum", "", "",11
	}
}
Objects:  {
	NodeAttribute: 10, "NodeAttribute::Hips", "LimbNode" {
		TypeFlags: "Skeleton"
	}
	Model: 11, "Model::Hips", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,100,0
		}
	}
	NodeAttribute: 20, "NodeAttribute::Spine", "LimbNode" {
		TypeFlags: "Skeleton"
	}
	Model: 21, "Model::Spine", "LimbNode" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",0,20,0
		}
	}
	AnimationStack: 30, "AnimStack::walk", "" {
		Properties70:  {
			P: "LocalStart", "KTime", "Time", "",0
			P: "LocalStop", "KTime", "Time", "",46186158000
		}
	}
	AnimationLayer: 31, "AnimLayer::BaseLayer", "" {
	}
	AnimationCurveNode: 32, "AnimCurveNode::R", "" {
		Properties70:  {
			P: "d|X", "Number", "", "A",0
			P: "d|Y", "Number", "", "A",0
			P: "d|Z", "Number", "", "A",0
		}
	}
	AnimationCurve: 33, "AnimCurve::", "" {
		Default: 0
		KeyVer: 4008
		KeyTime: *2 {
			a: 0,46186158000
		}
		KeyValueFloat: *2 {
			a: 0,90
		}
		KeyAttrFlags: *1 {
			a: 4
		}
		KeyAttrDataFloat: *4 {
			a: 0,0,0,0
		}
		KeyAttrRefCount: *1 {
			a: 2
		}
	}
}
Connections:  {
	C: "OO",11,0
	C: "OO",10,11
	C: "OO",21,11
	C: "OO",20,21
	C: "OO",31,30
	C: "OO",32,31
	C: "OP",32,21, "Lcl Rotation"
	C: "OP",33,32, "d|Z"
}
"#;

/// The same in centimetres, with z up.
const USD: &str = r#"#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
    timeCodesPerSecond = 24
)
def SkelRoot "root" (prepend apiSchemas = ["SkelBindingAPI"])
{
    def Skeleton "skeleton" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        uniform token[] joints = ["Hips", "Hips/Spine"]
        uniform matrix4d[] bindTransforms = [
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 100, 1)),
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 120, 1))]
        uniform matrix4d[] restTransforms = [
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 100, 1)),
            ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 20, 1))]
        rel skel:animationSource = </root/walk>
    }
    def SkelAnimation "walk"
    {
        uniform token[] joints = ["Hips", "Hips/Spine"]
        float3[] translations = [(0, 0, 100), (0, 0, 20)]
        half3[] scales = [(1, 1, 1), (1, 1, 1)]
        quatf[] rotations.timeSamples = {
            0: [(1, 0, 0, 0), (1, 0, 0, 0)],
            24: [(1, 0, 0, 0), (0.70710678, 0, -0.70710678, 0)],
        }
    }
}
"#;

fn written(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Whether the spine bends to the left, as both files say.
fn check(motion: &Motion) {
    let names: Vec<&str> = motion.joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["Hips", "Spine"]);
    assert_eq!((motion.joints[0].parent, motion.joints[1].parent), (None, Some(0)));
    assert_eq!(motion.metres_per_unit, Some(0.01));
    assert_eq!((motion.clips.len(), motion.clips[0].name.as_str()), (1, "walk"));
    assert!(motion.bind[1].translation.distance(DVec3::new(0.0, 120.0, 0.0)) < 1e-6, "{:?}", motion.bind[1]);
    let last = motion.frame_count() - 1;
    let turns = motion.rotations(last);
    let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
    assert!(turns[0].angle_between(DQuat::IDENTITY) < 1e-6);
    assert!(turns[1].angle_between(quarter) < 1e-3, "{:?}", turns[1]);
}

#[test]
fn joints_move_without_a_mesh() {
    let folder = tempfile::tempdir().unwrap();
    // z of one is y of the other, and its y goes away from the viewer.
    for (name, text) in [("walk.fbx", FBX), ("walk.usda", USD)] {
        let path = written(&folder, name, text);
        assert!(open::document(&path).unwrap().holds().unwrap().is_motion(), "{name}");
        let OpenedMotion { motion, warnings, .. } = open_motion(&path, &MotionOptions::default()).unwrap();
        assert_eq!((motion.frame_count(), motion.fps, warnings.len()), (25, 24.0, 0), "{name}: {warnings:?}");
        check(&motion);
        let slow = MotionOptions { fps: Some(12.0), clips: vec!["walk".into()], ..MotionOptions::default() };
        let slow = open_motion(&path, &slow).unwrap().motion;
        assert_eq!(slow.frame_count(), 13);
        check(&slow);
        let wrong = MotionOptions { clips: vec!["run".into()], ..MotionOptions::default() };
        assert!(open_motion(&path, &wrong).unwrap_err().to_string().contains("run"));
        // There is still nothing to skin.
        assert!(open::animation(&[path], &Default::default(), &sinew::progress::Silent).is_err());
    }
}

#[test]
fn a_stated_bind_pose_is_taken() {
    let pose = r#"	Pose: 40, "Pose::BIND", "BindPose" {
		Type: "BindPose"
		Version: 100
		NbPoseNodes: 2
		PoseNode:  {
			Node: 11
			Matrix: *16 {
				a: 1,0,0,0,0,1,0,0,0,0,1,0,0,100,0,1
			}
		}
		PoseNode:  {
			Node: 21
			Matrix: *16 {
				a: 1,0,0,0,0,1,0,0,0,0,1,0,0,125,0,1
			}
		}
	}
	AnimationStack: 30"#;
    let folder = tempfile::tempdir().unwrap();
    let path = written(&folder, "bound.fbx", &FBX.replacen("	AnimationStack: 30", pose, 1));
    let motion = open_motion(&path, &MotionOptions::default()).unwrap().motion;
    assert_eq!(motion.bind[1].translation, DVec3::new(0.0, 125.0, 0.0));
}

#[test]
fn plain_nodes_are_joints_where_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let nulls =
        FBX.replace("\"LimbNode\"", "\"Null\"").replace("TypeFlags: \"Skeleton\"", "TypeFlags: \"Null\"");
    let path = written(&folder, "nulls.fbx", &nulls);
    check(&open_motion(&path, &MotionOptions::default()).unwrap().motion);
    let settings = FBX.split("Objects:").next().unwrap();
    let empty = format!("{settings}Objects:  {{\n}}\nConnections:  {{\n}}\n");
    let said = open_motion(written(&folder, "empty.fbx", &empty), &MotionOptions::default()).unwrap_err();
    assert!(said.to_string().contains("empty.fbx: "), "{said}");
}
