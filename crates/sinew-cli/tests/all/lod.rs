//! Levels of detail through files, as a user goes.

use crate::common::Lab;
use serde_json::Value;

fn lab() -> Lab {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 12 --rank 2 -o rig.glb");
    lab
}

fn counts(report: &Value) -> Vec<u64> {
    report["levels"].as_array().unwrap().iter().map(|level| level["triangles"].as_u64().unwrap()).collect()
}

#[test]
fn levels_are_made_measured_and_seen() {
    let lab = lab();
    let said = lab.ok("lod rig.glb --triangles 50%,400 -o lods.glb --report lods.json --picture lods.png");
    let report = lab.json("lods.json");
    let counts = counts(&report);
    assert!(counts.len() == 3 && counts[1] <= counts[0].div_ceil(2) && counts[2] <= 400, "{counts:?}");
    let accu: Vec<f64> =
        report["levels"].as_array().unwrap().iter().map(|l| l["accu"].as_f64().unwrap()).collect();
    assert!(accu[0] == 0.0 && accu[1] > 0.0 && accu[1] < accu[2] && accu[2] < 2.0, "{accu:?}");
    assert!(said.contains("triangles") && lab.at("lods.png").exists());
    // Levels share vertices: they cost indices only.
    let bytes = |i: usize| report["levels"][i]["bytes"].as_u64().unwrap();
    assert!(bytes(2) < 6 * counts[2] + 20_000 && bytes(1) < bytes(0) / 2, "{report}");

    lab.ok("info lods.glb --report info.json");
    let info = lab.json("info.json");
    assert_eq!(info["levels"], serde_json::json!(counts));
    assert_eq!(info["triangles"], serde_json::json!(counts[0]), "the mesh itself is what is read");
    lab.ok("bake lods.glb -o lods.pc2");
    lab.ok("bake rig.glb -o rig.pc2");
    lab.ok("compare rig.pc2 lods.pc2 --rest creature/rest.obj --report same.json");
    assert!(lab.json("same.json")["error"]["percent"].as_f64().unwrap() < 1e-3, "the mesh moves as it did");
    lab.ok("picture lods.glb --frame 3 -o whole.png");
    lab.ok("picture lods.glb --frame 3 --level 2 -o coarse.png");
    let pixels = |name: &str| std::fs::read(lab.at(name)).unwrap();
    assert!(pixels("whole.png") != pixels("coarse.png"));
}

#[test]
fn an_error_can_be_asked_for_and_sinew_files_too() {
    let lab = lab();
    lab.ok("bake rig.glb -o rig.sinew");
    lab.ok("lod rig.sinew --error 0.2% -o lods.glb --report lods.json");
    let report = lab.json("lods.json");
    let accu = report["levels"][1]["accu"].as_f64().unwrap();
    assert!(accu <= 0.2 && accu > 0.1, "{accu}");
    lab.ok("info lods.glb --report info.json");
    assert_eq!(lab.json("info.json")["levels"], serde_json::json!(counts(&report)));
}

#[test]
fn what_cannot_be_done_is_said() {
    let lab = lab();
    assert!(lab.refused("lod rig.glb --triangles 50% -o lods.sinew").contains("*.glb"));
    assert!(lab.refused("lod rig.glb --triangles 50% -o rig.glb").contains("its own input"));
    assert!(lab.refused("lod rig.glb --triangles 50% --poses 0 -o lods.glb").contains("--poses"));
    assert!(lab.refused("lod none.glb --triangles 50% -o lods.glb").contains("none.glb"));
    assert!(lab.refused("picture rig.glb --level 1 -o level.png").contains("no level 1"));
    assert!(lab.refused("picture creature/rest.obj --level 1 -o level.png").contains("no level 1"));
    for wrong in ["--triangles half", "--triangles 0", "--error 0.5", "--triangles 5 --error 1%", ""] {
        let output = lab.run(&format!("lod rig.glb {wrong} -o lods.glb"));
        assert_eq!(output.status.code(), Some(2), "{wrong}");
    }
}

#[test]
fn fewer_bones_are_files_of_their_own() {
    let lab = lab();
    let said = lab.ok("lod rig.glb --bones 6,3 -o lods/ --report lods.json --picture lods.png");
    assert!(said.contains("bones") && said.contains("2 correction shapes not kept"), "{said}");
    let report = lab.json("lods.json");
    let levels = report["levels"].as_array().unwrap();
    let number = |of: &str| levels.iter().map(|level| level[of].as_f64().unwrap()).collect::<Vec<_>>();
    assert_eq!(number("bones"), [12.0, 6.0, 3.0]);
    let accu = number("accu");
    assert!(accu[0] == 0.0 && 0.0 < accu[1] && accu[1] < accu[2] && accu[2] < 5.0, "{accu:?}");
    assert!(levels[0]["file"].is_null() && lab.at("lods.png").exists());
    for (number, bones) in [(1, 6), (2, 3)] {
        let file = format!("lods/rig_LOD{number}.glb");
        assert_eq!(levels[number]["file"], file.as_str());
        assert_eq!(levels[number]["bytes"], std::fs::metadata(lab.at(&file)).unwrap().len());
        lab.ok(&format!("info {file} --report info.json"));
        assert_eq!(lab.json("info.json")["bones"], bones);
        lab.ok(&format!("bake {file} -o level.pc2"));
        lab.ok("bake rig.glb -o rig.pc2");
        lab.ok("compare rig.pc2 level.pc2 --rest creature/rest.obj --report off.json");
        let off = lab.json("off.json")["error"]["accu"].as_f64().unwrap();
        assert!((off - accu[number]).abs() < 0.02 * accu[number], "{off} of the file, {} told", accu[number]);
    }
}

#[test]
fn a_skeleton_loses_the_ends_of_its_limbs() {
    let lab = Lab::with_creature();
    lab.ok("skeleton creature/anim.pc2 --rest creature/rest.obj -o character.glb --report whole.json");
    let joints = lab.json("whole.json")["joints"].as_u64().unwrap();
    assert!(joints > 8, "{joints}");
    lab.ok("lod character.glb --bones 8,5 --triangles 50%,400 --format sinew -o lods --report lods.json");
    let report = lab.json("lods.json");
    assert!(report["levels"][2]["triangles"].as_u64().unwrap() <= 400);
    assert_eq!(report["levels"][2]["file"], "lods/character_LOD2.sinew");
    lab.ok("info lods/character_LOD2.sinew --report info.json");
    let info = lab.json("info.json");
    assert_eq!(
        (info["bones"].as_u64(), info["triangles"].as_u64()),
        (Some(5), report["levels"][2]["triangles"].as_u64())
    );
    lab.ok("lod character.glb --bones 6 --format fbx -o fbx/");
    lab.ok("info fbx/character_LOD1.fbx --report info.json");
    assert_eq!(lab.json("info.json")["bones"], 6);
}

#[test]
fn levels_of_bones_that_cannot_be_are_refused() {
    let lab = lab();
    assert!(lab.refused("lod rig.glb --bones 6 -o lods.glb").contains("-o lods/"));
    assert!(lab.refused("lod rig.glb --bones 12 -o lods/").contains("the rig has 12"));
    assert!(lab.refused("lod rig.glb --bones 0 -o lods/").contains("--bones"));
    assert!(lab.refused("lod rig.glb --bones 6,3 --triangles 50% -o lods/").contains("2 of bones"));
    assert!(lab.refused("lod rig.glb --triangles 50% --format fbx -o lods.glb").contains("--format"));
    assert!(!lab.at("lods").exists());
}
