//! How a motion is taken over: what is said about it, and what hands choose.

use crate::common::{Running, Tab, start};
use serde_json::{Value, json};
use sinew::motion::{Facing, Finish, Plan, PlanOptions, Plant, Translations, Transplanter};
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew_io::motion::{MotionOptions, open_motion};

fn rig(running: &Running, version: u64) -> Rig {
    (**running.studio.session().version(version as u32).unwrap().rig().unwrap()).clone()
}

/// A character, and its own motion as a file of joints.
fn walking(running: &Running, tab: &mut Tab) -> (u64, String) {
    crate::common::write_small(running.folder.path());
    tab.tell(json!({ "do": "open", "paths": [running.path("anim.pc2")], "rest": running.path("rest.obj") }));
    let version = tab.made(json!({ "do": "skeleton", "bones": 10 }));
    tab.until(|state| state["current"] == json!(version));
    let path = running.path("walk.bvh");
    let job = tab.tell(json!({ "do": "save", "version": version, "path": path }))["job"].clone();
    assert_eq!(tab.ended(&job)["ended"], "done");
    tab.tell(json!({ "do": "motion", "paths": [path] }));
    tab.until(|state| !state["transplant"].is_null());
    (version, path)
}

#[test]
fn a_motion_is_taken_over_as_it_is_told() {
    let running = start();
    let mut tab = running.tab();
    let (version, path) = walking(&running, &mut tab);
    let manner = |state: &Value| {
        ["facing", "mirror", "plant", "in_place"].map(|field| state["transplant"][field].clone())
    };
    assert_eq!(manner(&tab.state), [json!("auto"), json!(false), json!("feet"), json!(false)]);
    let told = json!({ "do": "adjust", "facing": "-z", "mirror": true, "plant": "none", "in_place": true });
    tab.tell(told);
    tab.until(|state| state["transplant"]["mirror"] == json!(true));
    assert_eq!(manner(&tab.state), [json!("-z"), json!(true), json!("none"), json!(true)]);
    let preview = tab.made(json!({ "do": "preview", "start": 0, "frames": 8 }));
    let shown = rig(&running, preview);

    let onto = rig(&running, version);
    let motion =
        open_motion(std::path::Path::new(&path), &MotionOptions::default()).unwrap().motion.mirrored();
    let options = PlanOptions { facing: Facing::MinusZ, ..PlanOptions::default() };
    let plan = Plan::new(&onto, &motion, &options, &Silent).unwrap();
    let played = motion.cut(0..8);
    let transplanter = Transplanter::new(&onto, &played, &plan, Translations::Auto, &Silent).unwrap();
    let finish = Finish { plant: Plant::None, in_place: true };
    let expected = transplanter.finished(&onto, &played, &plan, finish, &Silent).unwrap().rig;
    assert!(shown == expected, "what the library makes of it");

    tab.tell(json!({ "do": "undo" }));
    tab.until(|state| state["transplant"]["mirror"] == json!(false));
    assert_eq!(manner(&tab.state), [json!("auto"), json!(false), json!("feet"), json!(false)]);
    tab.tell(json!({ "do": "redo" }));
    tab.until(|state| state["transplant"]["mirror"] == json!(true));
    // Feet and ground alone plan nothing anew.
    tab.tell(json!({ "do": "map", "joint": 1, "bone": 0 }));
    tab.tell(json!({ "do": "adjust", "facing": "-z", "mirror": true, "plant": "feet", "in_place": false }));
    tab.until(|state| state["transplant"]["in_place"] == json!(false));
    let map = tab.state["transplant"]["map"].clone();
    assert!(map.as_array().unwrap().iter().any(|m| m["because"] == "chosen by hand"), "{map}");
    // What was mapped by hand stays when it is mirrored back.
    tab.tell(
        json!({ "do": "adjust", "facing": "auto", "mirror": false, "plant": "feet", "in_place": false }),
    );
    tab.until(|state| state["transplant"]["mirror"] == json!(false));
    assert_eq!(tab.state["transplant"]["map"], map);
    assert!(tab.ask(json!({ "do": "adjust", "facing": "up" })).is_err());
}

#[test]
fn what_there_is_to_say_about_a_motion_is_said() {
    let running = start();
    let mut tab = running.tab();
    walking(&running, &mut tab);
    let still = "HIERARCHY\nROOT Hips\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
                 Yrotation\n JOINT Spine\n {\n  OFFSET 0 0.5 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  \
                 {\n   OFFSET 0 0.5 0\n  }\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.05\n0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0\n";
    std::fs::write(running.path("still.bvh"), still).unwrap();
    tab.tell(json!({ "do": "motion", "paths": [running.path("still.bvh")] }));
    tab.until(|state| state["transplant"]["name"].as_str().is_some_and(|name| name.contains("still")));
    let said = |state: &Value| state["transplant"]["warnings"].to_string();
    assert!(said(&tab.state).contains("nothing moves in"), "{}", tab.state["transplant"]);
    // It stays said of what comes of it.
    tab.tell(json!({ "do": "accept" }));
    tab.until(|state| state["transplant"].is_null());
    assert!(tab.state["warnings"].to_string().contains("nothing moves in"), "{}", tab.state["warnings"]);
}

#[test]
fn a_motion_that_is_opened_again_leaves_nothing_of_the_one_before() {
    let running = start();
    let mut tab = running.tab();
    let (version, path) = walking(&running, &mut tab);
    let preview = tab.made(json!({ "do": "preview", "start": 0, "frames": 3 }));
    tab.until(|state| state["current"] == json!(preview));
    tab.tell(json!({ "do": "motion", "paths": [path], "up": "z" }));
    tab.until(|state| state["transplant"]["preview"].is_null());
    assert_eq!(tab.state["transplant"]["onto"], json!(version));
    assert_eq!(tab.version(preview), json!(null), "the preview has gone");
}
