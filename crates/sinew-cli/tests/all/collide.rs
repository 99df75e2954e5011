//! Contacts of rigs in files, as a user asks for them.

use crate::common::Lab;
use serde_json::Value;

fn lab() -> Lab {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 12 -o rig.glb");
    lab
}

fn contacts(report: &Value) -> Vec<usize> {
    report["frames"].as_array().unwrap().iter().map(|f| f["contacts"].as_array().unwrap().len()).collect()
}

#[test]
fn two_rigs_touch_or_not() {
    let lab = lab();
    let said = lab.ok("collide rig.glb rig.glb --offset 0.1,0,0 --against refit -o near.json");
    let near = lab.json("near.json");
    assert_eq!(contacts(&near).len(), 8);
    assert!(contacts(&near).iter().all(|n| *n > 0) && near["first_frame"] == 0);
    assert_eq!(near["against_refit"]["differing"], 0);
    assert!(said.contains("the same contacts in every frame"), "{said}");
    let contact = &near["frames"][0]["contacts"][0];
    assert_eq!(contact["bodies"], serde_json::json!([0, 1]));
    assert!(contact["depth"].as_f64().unwrap() >= 0.0 && contact["points"][1].as_array().unwrap().len() == 3);
    assert!(!near["first_contacts"].as_array().unwrap().is_empty());

    let said = lab.ok("collide rig.glb rig.glb --offset 50,0,0 -o far.json");
    let far = lab.json("far.json");
    assert!(contacts(&far).iter().all(|n| *n == 0) && far["first_frame"].is_null());
    assert!(far["frames"].as_array().unwrap().iter().all(|f| f["vertices"] == 0));
    assert!(said.contains("nowhere in 8 frames"), "{said}");
}

#[test]
fn a_rig_touches_itself() {
    let lab = lab();
    lab.ok("collide rig.glb --self --frames 0,5 --against refit -o own.json");
    let own = lab.json("own.json");
    assert_eq!(contacts(&own).len(), 2);
    assert_eq!(own["against_refit"]["differing"], 0);
    // Eyes and nails are stuck into the body.
    assert!(contacts(&own)[0] > 0);
    assert_eq!(own["frames"][0]["contacts"][0]["bodies"], serde_json::json!([0, 0]));
}

#[test]
fn what_cannot_be_done_is_said() {
    let lab = lab();
    assert!(lab.refused("collide rig.glb").contains("--self"));
    assert!(lab.refused("collide rig.glb none.glb").contains("none.glb"));
    assert!(lab.refused("collide rig.glb --self --frames 8 -o own.json").contains("no frame 8"));
    assert!(lab.refused("collide rig.glb --self -o rig.glb").contains("its own input"));
    assert_eq!(lab.run("collide rig.glb rig.glb --offset 1,2").status.code(), Some(2));
}
