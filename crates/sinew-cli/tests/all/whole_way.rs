//! From the sample to a rig and back, through files, as a user goes.

use crate::common::{Lab, strip, strip_pose};
use serde_json::Value;

const SKIN: &str = "skin creature/anim.pc2 --rest creature/rest.obj --bones 12";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn sample_skin_info_compare_bake_compare() {
    let lab = Lab::with_creature();
    let table = lab.ok(&format!("{SKIN} -o rig.glb --report rig.json"));
    assert!(table.contains("12 of 12 asked for"), "{table}");
    let report = lab.json("rig.json");
    check_keys(&report);
    assert_eq!(
        (&report["frames"], &report["bones"], &report["bones_asked"]),
        (&8.into(), &12.into(), &12.into())
    );
    let size = |name: &str| lab.at(name).metadata().unwrap().len();
    assert_eq!(report["bytes"]["output"], size("rig.glb"));
    assert_eq!(report["bytes"]["input"], size("creature/anim.pc2") + size("creature/rest.obj"));
    let stages = ["read", "segment", "bones", "weights", "corrections", "write"];
    let sum: f64 = stages.iter().map(|s| number(&report["seconds"][s])).sum();
    assert!(sum > 0.0 && sum <= number(&report["seconds"]["total"]));

    lab.ok("info rig.glb --report info.json");
    let info = lab.json("info.json");
    for key in ["frames", "vertices", "triangles", "bones"] {
        assert_eq!(info[key], report[key], "{key}");
    }

    // What the file plays is what the report said.
    lab.ok(
        "compare creature/anim.pc2 rig.glb --rest creature/rest.obj --report compared.json --plot plot.png",
    );
    let compared = lab.json("compared.json");
    for key in ["percent", "rms", "max", "accu"] {
        let (a, b) = (number(&report["error"][key]), number(&compared["error"][key]));
        assert!((a - b).abs() < 1e-3 * a, "{key}: {a} {b}");
    }
    for key in ["max_frame", "max_vertex"] {
        assert_eq!(report["error"][key], compared["error"][key], "{key}");
    }
    assert_eq!(compared["error_per_frame"].as_array().unwrap().len(), 8);
    assert!(std::fs::read(lab.at("plot.png")).unwrap().starts_with(b"\x89PNG"));

    for target in ["baked.pc2", "baked.mdd", "baked/"] {
        lab.ok(&format!("bake rig.glb -o {target} --rest-out baked.obj --report bake.json"));
        assert_eq!(lab.json("bake.json")["frames"], 8);
        lab.ok(&format!("compare {target} rig.glb --report same.json"));
        assert!(number(&lab.json("same.json")["error"]["percent"]) < 1e-3, "{target}");
    }
    lab.ok("skin baked.pc2 --rest baked.obj --bones 3 -o again.glb");
}

fn check_keys(report: &Value) {
    let keys = [
        "rest_pose",
        "frames",
        "vertices",
        "triangles",
        "bones",
        "bones_asked",
        "near_rigid_fraction",
        "influences",
        "rank",
        "error",
        "error_per_frame",
        "rounds",
        "seconds",
        "bytes",
        "peak_memory",
        "warnings",
    ];
    for key in keys {
        assert!(report.get(key).is_some(), "{key} is missing");
    }
    let inner = [
        ("error", &["percent", "rms", "max", "max_frame", "max_vertex", "accu"][..]),
        ("seconds", &["read", "segment", "bones", "weights", "corrections", "write", "total"]),
        ("bytes", &["input", "output"]),
    ];
    for (key, names) in inner {
        for name in names {
            assert!(report[key][name].is_number(), "{key}.{name} is missing");
        }
    }
}

#[test]
fn uvs_materials_and_parts_survive() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} -o rig.glb"));
    lab.ok("info creature/rest.obj --report before.json");
    lab.ok("info rig.glb --report after.json");
    let (before, after) = (lab.json("before.json"), lab.json("after.json"));
    assert_eq!((&after["uvs"], &after["vertices"]), (&true.into(), &before["vertices"]));
    assert_eq!(after["pieces"], before["pieces"]);
    let names = |report: &Value, key: &str| -> Vec<String> {
        let list = report[key].as_array().unwrap().iter();
        list.map(|x| x["name"].as_str().or(x.as_str()).unwrap().to_owned()).collect()
    };
    assert!(names(&before, "parts").len() > 3);
    assert_eq!(names(&after, "parts"), names(&before, "parts"));
    let sorted = |mut list: Vec<String>| {
        list.sort();
        list
    };
    assert_eq!(sorted(names(&after, "materials")), sorted(names(&before, "materials")));
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let lab = Lab::with_creature();
    for threads in [1, 2] {
        lab.ok(&format!("{SKIN} --rank 3 --threads {threads} -o rig.glb --quiet"));
        std::fs::rename(lab.at("rig.glb"), lab.at(&format!("{threads}.glb"))).unwrap();
    }
    let bytes = |name: &str| std::fs::read(lab.at(name)).unwrap();
    assert!(bytes("1.glb") == bytes("2.glb"));
}

#[test]
fn frames_as_meshes_do_as_well_as_a_cache() {
    let lab = Lab::new();
    for (format, folder) in [("obj", "frames"), ("pc2", "cache")] {
        let told = lab.ok(&format!("sample creature --frames 4 --detail 0.6 --format {format} -o {folder}"));
        assert!(told.contains("sinew skin ") && told.contains("sinew skeleton "), "{told}");
    }
    let table = lab.ok("skin cache/anim.pc2 --rest cache/rest.obj --bones 2 -o rate.glb");
    assert!(table.contains("24 frames a second, as the input tells no rate"), "{table}");
    lab.ok("compare cache/anim.pc2 frames --report same.json");
    assert_eq!(number(&lab.json("same.json")["error"]["percent"]), 0.0);
    lab.ok("skin frames --bones 6 --fps 12 -o rig.glb --report rig.json");
    lab.ok("info rig.glb --report info.json");
    assert_eq!(lab.json("info.json")["fps"], 12.0);
    assert!(lab.json("info.json")["materials"].as_array().unwrap().len() > 1);
}

#[test]
fn a_mesh_that_never_moves_has_one_bone_and_no_error() {
    let lab = Lab::new();
    lab.write("rest.obj", strip(4));
    lab.cache("still.pc2", &vec![strip_pose(4, 0.0); 5]);
    for input in ["still.pc2 --rest rest.obj", "rest.obj"] {
        lab.ok(&format!("skin {input} -o rig.glb --report rig.json"));
        let report = lab.json("rig.json");
        assert_eq!(report["bones"], 1, "{input}");
        assert_eq!(number(&report["error"]["percent"]), 0.0, "{input}");
        assert!(lab.at("rig.glb").exists());
    }
}

#[test]
fn bones_of_another_rig_are_taken() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} -o rig.glb --report first.json"));
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones-from rig.glb --influences 6 -o again.glb --report again.json");
    let (first, again) = (lab.json("first.json"), lab.json("again.json"));
    assert_eq!((&again["rest_pose"], &again["bones"]), (&"rig".into(), &12.into()));
    assert!(again["near_rigid_fraction"].is_null());
    assert!(number(&again["error"]["percent"]) <= number(&first["error"]["percent"]) * 1.001);
    lab.ok("sample creature --frames 5 --detail 0.6 -o short");
    let sentence = lab.refused("skin short/anim.pc2 --rest short/rest.obj --bones-from rig.glb -o no.glb");
    assert!(sentence.contains("8 frames") && sentence.contains("has 5"), "{sentence}");
}

#[test]
fn negative_weights_are_measured_but_not_stored() {
    let lab = Lab::with_creature();
    for option in ["--weights tsvd", "--min-weight 0.5"] {
        let sentence = lab.refused(&format!("{SKIN} {option} -o rig.glb"));
        assert!(sentence.contains("negative weights") && sentence.contains("--weights nnls"), "{sentence}");
        lab.ok(&format!("{SKIN} {option} --report rig.json"));
        assert!(lab.json("rig.json")["bytes"]["output"].is_null());
    }
}

#[test]
fn compact_files_are_smaller_and_reported_as_they_are() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} -o full.glb"));
    lab.ok(&format!("{SKIN} --compact=0.05 -o small.glb --report small.json"));
    let size = |name: &str| lab.at(name).metadata().unwrap().len();
    assert!(size("small.glb") < size("full.glb"));
    lab.ok("compare creature/anim.pc2 small.glb --rest creature/rest.obj --report compared.json");
    let (a, b) = (lab.json("small.json"), lab.json("compared.json"));
    let (a, b) = (number(&a["error"]["max"]), number(&b["error"]["max"]));
    assert!((a - b).abs() < 1e-3 * a, "{a} {b}");
}

#[test]
fn pictures_are_drawn_in_every_colour() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} -o rig.glb"));
    for options in [
        "rig.glb --frame 2 --color bones",
        "rig.glb --frame 0,3 --color weights --wireframe",
        "rig.glb --bone 3",
        "rig.glb --color plain --view -30,60",
        "rig.glb --against creature/anim.pc2 --frame spread:3",
        "creature/anim.pc2 --rest creature/rest.obj --frame 7",
        "creature/anim.pc2 --against rig.glb --color error",
    ] {
        lab.ok(&format!("picture {options} --size 120x90 -o p.png"));
        let bytes = std::fs::read(lab.at("p.png")).unwrap();
        assert!(bytes.starts_with(b"\x89PNG"), "{options}");
        std::fs::remove_file(lab.at("p.png")).unwrap();
    }
    assert!(lab.refused("picture rig.glb --frame 8 -o p.png").contains("the frames are 0 to 7"));
    assert!(lab.refused("picture rig.glb --bone 12 -o p.png").contains("the bones are 0 to 11"));
    assert!(lab.refused("picture rig.glb --color error -o p.png").contains("--against"));
    assert!(lab.refused("picture creature/rest.obj --color bones -o p.png").contains("holds no rig"));
    lab.ok("picture rig.glb --bone 3 --size 120x90 -o number.png");
    lab.ok("picture rig.glb --bone bone_03 --size 120x90 -o name.png");
    let bytes = |name: &str| std::fs::read(lab.at(name)).unwrap();
    assert_eq!(bytes("number.png"), bytes("name.png"));
    let unknown = lab.refused("picture rig.glb --bone knee -o p.png");
    assert!(unknown.contains("no bone knee") && unknown.contains("bone_00, "), "{unknown}");
}

#[test]
fn what_has_no_skeleton_says_how_to_make_one() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} -o rig.glb"));
    for file in [
        "rig.glb",
        "rig.glb --bone 3",
        "rig.glb --against creature/anim.pc2",
        "creature/rest.obj",
        "creature/anim.pc2 --rest creature/rest.obj",
    ] {
        let sentence = lab.refused(&format!("picture {file} --skeleton -o p.png"));
        assert!(sentence.contains("no skeleton to draw; sinew skeleton"), "{file}: {sentence}");
    }
    assert!(!lab.run("picture rig.glb --labels -o p.png").status.success(), "names of no joints");
}

#[test]
fn the_demo_makes_everything_it_lists() {
    let lab = Lab::new();
    let text = lab.ok("demo --frames 4 --detail 0.6 --bones 8 --report copy.json");
    let listed: Vec<&str> = text.split_whitespace().filter(|w| w.starts_with("sinew-demo/")).collect();
    assert!(listed.len() > 8, "{text}");
    for file in listed {
        assert!(lab.at(file).is_file(), "{file}");
    }
    assert_eq!(lab.json("copy.json"), lab.json("sinew-demo/report.json"));
    assert!(!lab.files().iter().any(|f| f.to_string_lossy().contains(".part")));
}

#[test]
fn quiet_is_quiet_and_logs_get_lines() {
    let lab = Lab::with_creature();
    let quiet = lab.run(&format!("{SKIN} -o rig.glb --quiet"));
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty());
    let loud = lab.run(&format!("{SKIN} -o rig.glb"));
    let lines = String::from_utf8(loud.stderr).unwrap();
    assert!(lines.contains("s  rounds\n") && !lines.contains('\r'), "{lines}");
}

#[test]
fn one_is_not_many() {
    let lab = Lab::new();
    lab.write("one.obj", strip(1));
    let table = lab.ok("skin one.obj -o one.glb");
    assert!(table.contains("4 vertices, 2 triangles, 1 frame\n"), "{table}");
    assert!(lab.ok("info one.glb").contains("1 connected piece"));
    let table = lab.ok("bake one.glb -o one.pc2");
    assert!(table.contains("1 bone\n") && table.contains("1 frame of 4 vertices"), "{table}");
    assert!(lab.ok("compare one.obj one.glb").contains("1 frame of 4 vertices"));
}
