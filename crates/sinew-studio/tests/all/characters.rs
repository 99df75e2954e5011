//! Motion from elsewhere, skeletons and deformation, over a real socket.

use crate::common::start;
use glam::{DVec3, Vec3};
use serde_json::json;
use sinew::deform::Pose;
use sinew::motion::{Plan, PlanOptions, Translations, Transplanter};
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew_io::motion::{MotionOptions, open_motion};

fn rig(running: &crate::common::Running, version: u64) -> Rig {
    (**running.studio.session().version(version as u32).unwrap().rig().unwrap()).clone()
}

fn points(floats: &[f32]) -> Vec<Vec3> {
    floats.chunks_exact(3).map(|p| Vec3::new(p[0], p[1], p[2])).collect()
}

#[test]
fn a_motion_is_mapped_tried_and_accepted() {
    let running = start();
    let mut tab = running.tab();
    let version = tab.open_and_fit(&running, 6);
    let path = running.path("walk.sinew");
    let job = tab.tell(json!({ "do": "save", "version": version, "path": path }))["job"].clone();
    tab.ended(&job);
    tab.tell(json!({ "do": "motion", "paths": [path] }));
    tab.until(|state| !state["transplant"].is_null());
    let transplant = tab.state["transplant"].clone();
    assert_eq!((&transplant["frames"], &transplant["onto"]), (&json!(8), &json!(version)));
    let map = transplant["map"].as_array().unwrap();
    assert!(map.len() == 6 && map.iter().all(|m| m["joint"] == m["bone"]), "{transplant}");
    let stick = running.get("/data/motion").json();
    assert_eq!(stick["joints"].as_array().unwrap().len(), 6);
    assert_eq!(stick["places"].as_array().unwrap().len(), 8);

    tab.tell(json!({ "do": "map", "joint": 2, "bone": 4 }));
    tab.tell(json!({ "do": "map", "joint": 1, "bone": null }));
    tab.until(|state| state["transplant"]["map"].as_array().unwrap().len() == 5);
    let by_hand = tab.state["transplant"]["map"].clone();
    assert!(
        by_hand.as_array().unwrap().contains(&json!({ "joint": 2, "bone": 4, "because": "chosen by hand" }))
    );
    tab.tell(json!({ "do": "undo" }));
    tab.tell(json!({ "do": "undo" }));
    tab.until(|state| state["transplant"]["map"] == transplant["map"]);

    let preview = tab.made(json!({ "do": "preview", "start": 2, "frames": 3 }));
    tab.until(|state| state["transplant"]["preview"] == json!(preview));
    assert_eq!(tab.version(preview)["frames"], json!(3));
    assert_eq!(
        tab.made(json!({ "do": "preview", "start": 0, "frames": 5 })),
        preview,
        "the next takes its place"
    );
    tab.tell(json!({ "do": "align", "motion_frame": 0, "rig_frame": 0 }));
    tab.until(|state| state["transplant"]["align"]["rig_frame"] == json!(0));
    tab.tell(json!({ "do": "undo" }));

    let accepted = tab.tell(json!({ "do": "accept" }))["version"].as_u64().unwrap();
    tab.until(|state| state["transplant"].is_null());
    assert_eq!(tab.version(preview), json!(null), "the preview has gone");
    let (onto, motion) = (
        rig(&running, version),
        open_motion(std::path::Path::new(&path), &MotionOptions::default()).unwrap().motion,
    );
    let plan = Plan::new(&onto, &motion, &PlanOptions::default(), &Silent).unwrap();
    let played = motion.cut(0..8);
    let expected = Transplanter::new(&onto, &played, &plan, Translations::Auto, &Silent).unwrap();
    let expected = expected.transplant(&onto, &played, &Silent).unwrap();
    assert!(rig(&running, accepted) == expected, "what the library makes of it");
    tab.tell(json!({ "do": "undo" }));
    assert!(running.studio.session().version(accepted as u32).is_err());
}

#[test]
fn a_skeleton_is_found_posed_and_kept() {
    let running = start();
    let mut tab = running.tab();
    crate::common::write_small(running.folder.path());
    tab.tell(json!({ "do": "open", "paths": [running.path("anim.pc2")], "rest": running.path("rest.obj") }));
    let version = tab.made(json!({ "do": "skeleton", "bones": 8 }));
    tab.until(|state| state["current"] == json!(version));
    assert_eq!(tab.version(version)["skeleton"], json!(true));
    let skeleton = running.get(&format!("/data/skeleton?version={version}")).json();
    let found = rig(&running, version);
    let parents: Vec<Option<usize>> = skeleton["joints"]
        .as_array()
        .unwrap()
        .iter()
        .map(|j| j["parent"].as_u64().map(|p| p as usize))
        .collect();
    assert_eq!(parents, found.skeleton.as_ref().unwrap().parents);

    let posed = tab.tell(json!({ "do": "handles" }))["version"].as_u64().unwrap();
    tab.until(|state| state["deform"]["version"] == json!(posed));
    let handles = running.get("/data/handles").body;
    assert_eq!(handles.len(), 2 * found.rest.len());
    let joints = found.bones.len();
    let mut turns = vec![[0.0; 3]; joints];
    turns[joints - 1] = [0.0, 0.0, 40.0];
    tab.frames.clear();
    tab.tell(json!({ "do": "pose", "joints": turns }));
    let shown = tab.frames.pop().unwrap();
    let shown: Vec<f32> =
        shown[16..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();

    // The same through the library, from the file that the studio writes.
    let path = running.path("body.deform");
    let job = tab.tell(json!({ "do": "save", "version": posed, "path": path }))["job"].clone();
    assert_eq!(tab.ended(&job)["ended"], "done");
    let setup = sinew_io::deform_file::read(path.as_ref()).unwrap();
    let mut pose = Pose::rest(&setup.skeleton(), &setup.joints());
    pose.turns[joints - 1] = DVec3::new(0.0, 0.0, 40_f64.to_radians());
    assert!(points(&shown) == setup.deformer(&Silent).unwrap().pose(&pose), "bit for bit");
    let now = running.get(&format!("/data/positions?version={posed}")).floats();
    assert_eq!(now, shown);

    // A bulge, sculpted over the pose, is there again whenever the pose is.
    let moved = (0..found.rest.len()).max_by(|a, b| {
        let by = |v: usize| points(&shown)[v].distance(found.rest[v]);
        by(*a).total_cmp(&by(*b))
    });
    let center = points(&shown)[moved.unwrap()];
    for phase in ["begin", "end"] {
        tab.tell(json!({ "do": "brush", "version": posed, "frame": 0, "target": "pose", "mode": "grab",
                         "center": center.to_array(), "radius": 0.2, "offset": [0.0, 0.05, 0.0],
                         "phase": phase }));
    }
    let sculpted = points(&running.get(&format!("/data/positions?version={posed}")).floats());
    assert!(sculpted[moved.unwrap()].distance(center) > 0.04);
    tab.tell(json!({ "do": "example", "name": "bulge" }));
    tab.until(|state| state["deform"]["examples"] == json!(["bulge"]));
    tab.tell(json!({ "do": "pose", "joints": vec![[0.0; 3]; joints] }));
    tab.tell(json!({ "do": "pose", "joints": turns }));
    let again = points(&running.get(&format!("/data/positions?version={posed}")).floats());
    assert!(again.iter().zip(&sculpted).all(|(a, b)| a.distance(*b) < 1e-3), "the example is met");
    let all = tab.state["deform"]["bytes"].as_u64().unwrap();
    let fewer = tab.tell(json!({ "do": "anchors", "percent": 5.0 }))["bytes"].as_u64().unwrap();
    assert!(fewer < all, "{fewer} {all}");

    // The file opens again, in another studio, as it was.
    let kept = running.path("kept.deform");
    let job = tab.tell(json!({ "do": "save", "version": posed, "path": kept }))["job"].clone();
    assert_eq!(tab.ended(&job)["ended"], "done");
    let other = start();
    std::fs::copy(&kept, other.path("kept.deform")).unwrap();
    let mut there = other.tab();
    there.tell(json!({ "do": "open", "paths": [other.path("kept.deform")] }));
    there.until(|state| !state["deform"].is_null());
    assert_eq!(there.state["deform"]["examples"], json!(["bulge"]));
    assert_eq!(other.get("/data/handles").body, running.get("/data/handles").body);
    let id = there.state["deform"]["version"].as_u64().unwrap();
    there.tell(json!({ "do": "pose", "joints": turns }));
    let opened = points(&other.get(&format!("/data/positions?version={id}")).floats());
    let here = points(&running.get(&format!("/data/positions?version={posed}")).floats());
    assert!(opened.iter().zip(&here).all(|(a, b)| a.distance(*b) < 1e-5), "posed as before");
    there.tell(json!({ "do": "example", "name": "another" }));
    there.until(|state| state["deform"]["examples"] == json!(["bulge", "another"]));

    let before = running.get("/data/handles").body;
    tab.tell(json!({ "do": "paint", "joint": 0, "vertices": [0, 1, 2], "on": true }));
    assert_eq!(running.get("/data/handles").body[..6], [1, 0, 1, 0, 1, 0]);
    tab.tell(json!({ "do": "undo" }));
    assert_eq!(running.get("/data/handles").body, before);
    // Every step takes the surface back with it.
    let shown =
        |running: &crate::common::Running| running.get(&format!("/data/positions?version={posed}")).floats();
    let (anchored, exact) = (shown(&running), "add example bulge");
    tab.tell(json!({ "do": "undo" }));
    tab.until(|state| state["undo"] == "pose joints");
    assert!(shown(&running) != anchored && points(&shown(&running)) == again);
    for what in ["pose joints", exact] {
        assert_eq!(tab.tell(json!({ "do": "undo" }))["what"], what);
    }
    assert!(points(&shown(&running)) == sculpted);
    tab.tell(json!({ "do": "undo" }));
    assert_eq!(shown(&running), now);
    tab.tell(json!({ "do": "undo" }));
    assert!(points(&shown(&running)) == found.rest);
    while tab.ask(json!({ "do": "undo" })).is_ok() {}
    tab.until(|state| state["deform"].is_null() && state["versions"] == json!([]));
}

#[test]
fn poses_that_lead_to_poses_are_shown_and_sculpted() {
    let running = start();
    let mut tab = running.tab();
    crate::common::write_small(running.folder.path());
    tab.tell(json!({ "do": "open", "paths": [running.path("anim.pc2")], "rest": running.path("rest.obj") }));
    let version = tab.made(json!({ "do": "fit", "method": "pps", "goal": { "bones": 4 } }));
    assert_eq!(tab.version(version)["chain"], json!(true));
    assert_eq!(running.get(&format!("/data/rig?version={version}")).status, 400);
    let of = |id: u64| points(&running.get(&format!("/data/positions?version={id}&from=3&to=4")).floats());
    let before = of(version);
    for phase in ["begin", "move", "end"] {
        let center = before[20].to_array();
        let brush = json!({ "do": "brush", "version": version, "frame": 3, "target": "pose", "mode": "grab",
                            "center": center, "radius": 0.2, "offset": [0.0, 0.1, 0.0], "phase": phase });
        let answer = tab.tell(brush);
        if phase == "end" {
            let edited = answer["version"].as_u64().unwrap();
            assert!((of(edited)[20].distance(before[20]) - 0.1).abs() < 1e-3);
        }
    }
    assert!(of(version) == before);
    let turn = json!({ "do": "turn", "version": version, "frame": 0, "bone": 0,
        "rotation": [0, 0, 0, 1], "phase": "end" });
    assert!(tab.ask(turn).unwrap_err().contains("make no rig"));
}
