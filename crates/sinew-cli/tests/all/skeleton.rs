//! From the sample to a character with joints, through files, as a user goes.

use crate::common::{Lab, strip, strip_pose};
use glam::{DQuat, Quat, Vec3};
use serde_json::Value;
use sinew::geometry::angle_between;
use sinew_io::formats::gltf;
use sinew_io::scene::SampleOptions;

const SKELETON: &str = "skeleton creature/anim.pc2 --rest creature/rest.obj";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is not a list"))
}

#[test]
fn sample_skeleton_info_compare_picture() {
    let lab = Lab::with_creature();
    let table = lab.ok(&format!("{SKELETON} -o out.glb --bvh out.bvh --report out.json"));
    let report = lab.json("out.json");
    check_keys(&report);
    let joints = list(&report["skeleton"]);
    assert!(joints.len() > 2, "{report}");
    assert_eq!((&report["frames"], &report["joints"]), (&8.into(), &joints.len().into()));

    // The file holds the tree that the report tells of.
    let rig = gltf::open(lab.at("out.glb")).unwrap().rig(&SampleOptions::default()).unwrap().rig;
    let skeleton = rig.skeleton.as_ref().expect("a skeleton");
    assert_eq!(skeleton.roots().count(), 1);
    let axes = rig.joint_axes();
    for (joint, told) in joints.iter().enumerate() {
        assert_eq!(told["name"], rig.bones[joint].name);
        let told_axes: Vec<f64> = list(&told["axes"]).iter().map(number).collect();
        assert!(angle_between(DQuat::from_slice(&told_axes), axes[joint]) < 1e-3, "{told}");
        assert_eq!(told["parent"], skeleton.parents[joint].map_or(Value::Null, Value::from));
        for axis in ["x", "y", "z"] {
            let limits = list(&told["limits"][axis]);
            assert!(number(&limits[0]) <= number(&limits[1]), "{told}");
            assert!(limits.iter().all(|angle| number(angle).abs() <= 180.0), "{told}");
        }
    }
    lab.ok("info out.glb --report info.json");
    let info = lab.json("info.json");
    for (here, there) in joints.iter().zip(list(&info["skeleton"])) {
        assert_eq!((&here["name"], &here["parent"]), (&there["name"], &there["parent"]));
        assert!((number(&here["swing_degrees"]) - number(&there["swing_degrees"])).abs() < 0.1);
        // The same line for people, with the limits behind it unless it is the root.
        let line = format!("{} {}°", here["name"].as_str().unwrap(), number(&here["swing_degrees"]).round());
        let shown = table.lines().find(|l| l.contains(&line)).unwrap_or_else(|| panic!("{line}: {table}"));
        assert_eq!(shown.contains("°  (bend "), !here["parent"].is_null(), "{shown}");
    }

    // What the file plays is what the report said.
    lab.ok("compare creature/anim.pc2 out.glb --rest creature/rest.obj --report compared.json");
    let compared = lab.json("compared.json");
    for key in ["percent", "rms", "max", "accu"] {
        let (a, b) = (number(&report["error"][key]), number(&compared["error"][key]));
        assert!((a - b).abs() < 1e-3 * a, "{key}: {a} {b}");
    }
    let size = |name: &str| lab.at(name).metadata().unwrap().len();
    assert_eq!(report["bytes"]["output"], size("out.glb"));
    assert_eq!(report["bytes"]["bvh"], size("out.bvh"));
    let stages = ["read", "parts", "joints", "weights", "write"];
    let sum: f64 = stages.iter().map(|s| number(&report["seconds"][s])).sum();
    assert!(sum > 0.0 && sum <= number(&report["seconds"]["total"]));

    let bvh = std::fs::read_to_string(lab.at("out.bvh")).unwrap();
    let count = |word: &str| bvh.lines().filter(|l| l.trim_start().starts_with(word)).count();
    assert_eq!((count("ROOT "), count("JOINT ")), (1, joints.len() - 1));
    assert!(bvh.contains("\nFrames: 8\n"), "{bvh}");

    let picture = |options: &str| {
        lab.ok(&format!("picture out.glb {options} --size 120x90 -o p.png"));
        std::fs::read(lab.at("p.png")).unwrap()
    };
    assert_ne!(picture("--skeleton --frame 3"), picture("--frame 3"));
}

fn check_keys(report: &Value) {
    for key in ["joints_asked", "near_rigid_fraction", "influences", "clips", "peak_memory", "warnings"] {
        assert!(report.get(key).is_some(), "{key} is missing");
    }
    assert_eq!(list(&report["error_per_frame"]).len(), 8);
    let chosen = ["segment", "angles", "weights"].map(|key| report[key].as_str());
    assert_eq!(chosen, [Some("best"), Some("fit"), Some("fit")]);
    let inner = [
        ("error", &["percent", "rms", "max", "max_frame", "max_vertex", "accu"][..]),
        ("seconds", &["read", "parts", "joints", "weights", "write", "total"]),
        ("bytes", &["input", "output", "bvh"]),
    ];
    for (key, names) in inner {
        for name in names {
            assert!(report[key][name].is_number(), "{key}.{name} is missing");
        }
    }
}

#[test]
fn sinew_and_compact_files_hold_the_same_skeleton() {
    let lab = Lab::with_creature();
    let skeleton = |file: &str| {
        lab.ok(&format!("info {file} --report info.json"));
        let joints = lab.json("info.json")["skeleton"].take();
        let tree = list(&joints).iter().map(|j| (j["name"].clone(), j["parent"].clone()));
        tree.collect::<Vec<_>>()
    };
    lab.ok(&format!("{SKELETON} -o full.glb"));
    lab.ok(&format!("{SKELETON} -o full.sinew"));
    lab.ok(&format!("{SKELETON} --compact=0.05 -o small.glb --report small.json"));
    assert_eq!(skeleton("full.glb"), skeleton("full.sinew"));
    assert_eq!(skeleton("full.glb"), skeleton("small.glb"));
    let size = |name: &str| lab.at(name).metadata().unwrap().len();
    assert!(size("small.glb") < size("full.glb"));
    lab.ok("compare creature/anim.pc2 small.glb --rest creature/rest.obj --report compared.json");
    let (a, b) = (lab.json("small.json"), lab.json("compared.json"));
    let (a, b) = (number(&a["error"]["max"]), number(&b["error"]["max"]));
    assert!((a - b).abs() < 1e-3 * a, "{a} {b}");
}

#[test]
fn several_clips_share_a_skeleton_and_the_first_is_the_motion() {
    let lab = Lab::with_creature();
    let frames = sinew_io::formats::pc2::open(lab.at("creature/anim.pc2")).unwrap().frames;
    let poses: Vec<Vec<Vec3>> = (2..5).map(|f| frames.frame(f).to_vec()).collect();
    lab.cache("step.pc2", &poses);
    let table = lab
        .ok("skeleton step.pc2 creature/anim.pc2 --rest creature/rest.obj -o out.glb --bvh out.bvh \
         --report out.json");
    assert!(table.contains("step: ") && table.contains("anim: "), "{table}");
    let report = lab.json("out.json");
    let clips = list(&report["clips"]);
    assert_eq!((&clips[0]["frames"], &clips[1]["frames"]), (&3.into(), &8.into()));
    let told = list(&report["warnings"]).iter().filter_map(Value::as_str);
    assert!(
        told.into_iter().any(|w| w.contains("out.bvh holds step alone, the first of 2 clips")),
        "{report}"
    );
    assert!(std::fs::read_to_string(lab.at("out.bvh")).unwrap().contains("\nFrames: 3\n"));
    for (clip, (name, file)) in clips.iter().zip([("step", "step.pc2"), ("anim", "creature/anim.pc2")]) {
        lab.ok(&format!("compare {file} out.glb --clip {name} --rest creature/rest.obj --report c.json"));
        let (a, b) = (number(&clip["error"]["percent"]), number(&lab.json("c.json")["error"]["percent"]));
        assert!((a - b).abs() < 1e-3 * a + 1e-3, "{name}: {a} {b}");
    }
    // A character is an animation like any other.
    lab.ok("skeleton out.glb --clip anim -o again.glb --report again.json");
    assert_eq!(lab.json("again.json")["frames"], 8);
}

#[test]
fn a_mesh_that_does_not_bend_has_one_joint() {
    let lab = Lab::new();
    lab.write("rest.obj", strip(6));
    let turned = |f: usize| -> Vec<Vec3> {
        let turn = Quat::from_rotation_y(0.2 * f as f32);
        strip_pose(6, 0.0).iter().map(|p| turn * *p + Vec3::Z * f as f32).collect()
    };
    lab.cache("turning.pc2", &(0..6).map(turned).collect::<Vec<_>>());
    lab.cache("still.pc2", &vec![strip_pose(6, 0.0); 3]);
    for input in ["turning.pc2 --rest rest.obj", "still.pc2 --rest rest.obj", "rest.obj"] {
        let table = lab.ok(&format!("skeleton {input} -o out.glb --bvh out.bvh --report out.json"));
        assert!(table.contains("1 joint; how far each swings:\n"), "{table}");
        let report = lab.json("out.json");
        assert_eq!((&report["joints"], list(&report["skeleton"]).len()), (&1.into(), 1), "{input}");
        assert!(number(&report["error"]["max"]) < 1e-3, "{input}: {report}");
    }
}

#[test]
fn motion_or_a_report_alone_can_be_had() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKELETON} --bvh out.bvh"));
    let table = lab.ok(&format!("{SKELETON} --report out.json"));
    let assumed = "24 frames a second, as the input tells no rate; --fps sets it";
    assert!(table.contains(assumed), "{table}");
    let rate = |report: &Value| (number(&report["fps"]), report["fps_assumed"].as_bool());
    assert_eq!(rate(&lab.json("out.json")), (24.0, Some(true)));
    let table = lab.ok(&format!("{SKELETON} --fps 25 --report told.json"));
    assert!(!table.contains("tells no rate"), "{table}");
    assert_eq!(rate(&lab.json("told.json")), (25.0, Some(false)));
    let bytes = &lab.json("out.json")["bytes"];
    assert!(lab.at("out.bvh").is_file() && bytes["output"].is_null() && bytes["bvh"].is_null());
    assert!(lab.refused(SKELETON).contains("give -o FILE.glb, --bvh FILE.bvh or --report FILE.json"));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let lab = Lab::with_creature();
    let bytes = |threads: usize| {
        lab.ok(&format!("{SKELETON} --threads {threads} -o out.glb --bvh out.bvh --quiet"));
        ["out.glb", "out.bvh"].map(|name| std::fs::read(lab.at(name)).unwrap())
    };
    assert!(bytes(1) == bytes(2));
}

#[test]
fn quiet_is_quiet() {
    let lab = Lab::with_creature();
    let quiet = lab.run(&format!("{SKELETON} -o out.glb --quiet"));
    assert!(quiet.status.success() && quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let help = lab.ok("skeleton --help");
    assert!(help.contains("sinew skin"), "{help}");
}

/// A lab with a strip that bends, which is all that refusals need.
fn small() -> Lab {
    let lab = Lab::new();
    lab.write("rest.obj", strip(6));
    lab.cache("anim.pc2", &bends(6));
    lab
}

fn bends(count: usize) -> Vec<Vec<Vec3>> {
    [0.0, 0.3, 0.6].map(|bend| strip_pose(count, bend)).into()
}

#[test]
fn bad_input_is_refused_with_a_sentence() {
    let lab = small();
    let refused = |input: &str, words: &[&str]| {
        let sentence = lab.refused(&format!("skeleton {input} -o out.glb --bvh out.bvh --report out.json"));
        words.iter().for_each(|word| assert!(sentence.contains(word), "“{word}” is not in: {sentence}"));
    };
    refused("nothing.pc2 --rest rest.obj", &["nothing.pc2", "there is no such file"]);
    refused("anim.pc2 --rest nothing.obj", &["nothing.obj", "there is no such file"]);
    refused("anim.pc2", &["anim.pc2", "--rest"]);
    let mut poses = bends(6);
    poses[2][7].y = f32::NAN;
    lab.cache("bad.pc2", &poses);
    refused("bad.pc2 --rest rest.obj", &["bad.pc2", "frame 2", "vertex 7"]);
    lab.write("other.obj", strip(5));
    refused("anim.pc2 --rest other.obj", &["other.obj", "12 vertices", "anim.pc2", "14"]);
    let metres: Vec<Vec<Vec3>> = bends(6).iter().map(|p| p.iter().map(|p| *p * 0.01).collect()).collect();
    lab.cache("metres.pc2", &metres);
    refused("metres.pc2 --rest rest.obj", &["different units", "--rest-scale 0.01"]);
    let cut = std::fs::read(lab.at("anim.pc2")).unwrap();
    lab.write("cut.pc2", &cut[..cut.len() / 2]);
    refused("cut.pc2 --rest rest.obj", &["cut.pc2"]);
    let good = "anim.pc2 --rest rest.obj";
    refused(&format!("{good} --joints 0"), &["0 joints", "at least 1"]);
    refused(&format!("{good} --influences 0"), &["0 influences", "1 to 16"]);
    refused(&format!("{good} --influences 99"), &["99 influences", "1 to 16"]);
    refused(&format!("{good} --smooth=-1"), &["smoothness", "-1"]);
    refused(&format!("{good} --smooth nan"), &["smoothness", "NaN"]);
    refused(&format!("{good} --fps 0"), &["frame rate"]);
    refused(&format!("{good} --compact 0.5"), &["--compact=0.5"]);
}

#[test]
fn results_are_kept_apart_and_inputs_are_kept() {
    let lab = small();
    let good = "skeleton anim.pc2 --rest rest.obj";
    let refused = |arguments: &str, words: &str| {
        let sentence = lab.refused(arguments);
        assert!(sentence.contains(words), "{arguments}: {sentence}");
    };
    refused(&format!("{good} -o out.glb --bvh out.glb"), "two results cannot go to one file");
    refused(&format!("{good} -o out.glb --bvh ./out.glb"), "two results cannot go to one file");
    refused(&format!("{good} -o out.glb --bvh out.txt"), "*.bvh");
    refused(&format!("{good} -o out.gltf"), "*.glb, *.sinew");
    refused(&format!("{good} -o out.sinew --compact"), "--compact is for GLB files");
    refused(&format!("{good} -o nowhere/out.glb"), "the folder does not exist");
    refused(&format!("{good} --report ./rest.obj"), "its own input");
    lab.ok(&format!("{good} -o rig.glb"));
    let before = std::fs::read(lab.at("rig.glb")).unwrap();
    refused("skeleton rig.glb -o rig.glb", "its own input");
    refused("skeleton rig.glb -o out.glb --report ./rig.glb", "its own input");
    assert_eq!(std::fs::read(lab.at("rig.glb")).unwrap(), before);
}
