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
