//! Bones by their names: called something else, and kept through a refit.

use crate::common::start;
use serde_json::json;
use sinew::rig::Rig;

#[test]
fn bones_are_renamed_and_kept_through_a_refit() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 6);
    let rig = |version: u64| -> Rig {
        (**running.studio.session().version(version as u32).unwrap().rig().unwrap()).clone()
    };
    let before = rig(version);
    let names = || -> Vec<String> {
        let bones = running.get(&format!("/data/bones?version={version}")).json();
        bones["bones"].as_array().unwrap().iter().map(|b| b["name"].as_str().unwrap().to_owned()).collect()
    };
    let rename = |bone: usize, name: &str| json!({ "do": "rename_bone", "version": version, "bone": bone, "name": name });
    tab.tell(rename(2, " left hand "));
    assert_eq!(names()[2], "left hand");
    assert!(tab.ask(rename(3, "left hand")).unwrap_err().contains("another bone is called left hand"));
    assert!(tab.ask(rename(6, "none")).unwrap_err().contains("there is no bone 6"));
    assert!(tab.ask(rename(1, " ")).is_err());
    tab.tell(json!({ "do": "undo" }));
    assert!(rig(version) == before);
    tab.tell(json!({ "do": "redo" }));
    assert_eq!(names()[2], "left hand");

    let refit = |lock: &[usize]| json!({ "do": "fit", "method": "best", "kind": null, "improve": version, "lock": lock });
    let made = tab.made(refit(&[2, 4]));
    let after = rig(made);
    assert_eq!(after.bones[2].name, "left hand");
    let motion = |rig: &Rig, bone: usize| -> Vec<glam::DAffine3> {
        (0..rig.frame_count()).map(|frame| rig.frame_transforms(frame)[bone]).collect()
    };
    let apart = |bone: usize| {
        let pairs = motion(&after, bone).into_iter().zip(motion(&before, bone));
        pairs.map(|(a, b)| if a.abs_diff_eq(b, 1e-9) { 0 } else { 1 }).sum::<usize>()
    };
    assert_eq!([apart(2), apart(4)], [0, 0], "locked");
    assert!(apart(0) > 0, "improved");
    assert_eq!(tab.version(made)["parent"], json!(version));
    assert!(tab.ask(refit(&[9])).unwrap_err().contains("there is no bone 9"));
    let both = json!({ "do": "fit", "improve": version, "goal": { "bones": 3 }, "kind": null });
    assert!(tab.ask(both).is_err());
}
