//! Clips whose end meets their beginning go on doing so, whatever hands do to them.

use crate::common::{Running, Tab, small, start};
use glam::Vec3;
use serde_json::{Value, json};
use sinew::animation::Frames;
use sinew::rig::Rig;

fn rig(running: &Running, version: u64) -> Rig {
    (**running.studio.session().version(version as u32).unwrap().rig().unwrap()).clone()
}

/// Opens an animation of nine frames that ends as it begins, and fits a few bones to it.
fn looping(running: &Running, tab: &mut Tab) -> u64 {
    let animation = small();
    let mut poses: Vec<Vec<Vec3>> = (0..8).map(|frame| animation.frames.frame(frame).to_vec()).collect();
    poses.push(poses[0].clone());
    let frames = Frames::from_poses(&poses);
    let [anim, rest] = ["anim.pc2", "rest.obj"].map(|name| running.folder.path().join(name));
    sinew_io::formats::obj::write(&rest, &animation.mesh, &animation.rest.clone().unwrap()).unwrap();
    let write = |frame: usize, out: &mut [Vec3]| out.copy_from_slice(frames.frame(frame));
    sinew_io::formats::pc2::write(&anim, frames.vertex_count(), frames.len(), write).unwrap();
    tab.tell(json!({ "do": "open", "paths": [running.path("anim.pc2")], "rest": running.path("rest.obj") }));
    tab.made(json!({ "do": "fit", "method": "best", "kind": "flexible", "goal": { "bones": 6 } }))
}

/// How far a frame is from how it was, as a share of the size.
fn moved(after: &Rig, before: &Rig, frame: usize) -> f64 {
    off(&after.pose(frame), &before.pose(frame))
}

fn off(a: &[Vec3], b: &[Vec3]) -> f64 {
    let size = sinew::geometry::Bounds::of(b).diagonal();
    a.iter().zip(b).map(|(p, q)| f64::from(p.distance(*q))).fold(0.0, f64::max) / size
}

fn open_ended(rig: &Rig) -> f64 {
    off(&rig.pose(8), &rig.pose(0))
}

fn turn(version: u64, frame: usize, range: [usize; 2], ease: usize) -> Value {
    json!({ "do": "turn", "version": version, "frame": frame, "bone": 2, "rotation": [0.0, 0.2, 0.0, 1.0],
            "from": range[0], "to": range[1], "ease": ease, "phase": "end" })
}

#[test]
fn a_turned_bone_leaves_no_gap() {
    let running = start();
    let mut tab = running.tab();
    let version = looping(&running, &mut tab);
    let before = rig(&running, version);
    assert_eq!(tab.version(version)["clips"][0]["loops"], json!(true), "{}", tab.version(version));
    assert!(open_ended(&before) < 1e-4);
    let mut turned = |order: Value| {
        let edited = tab.tell(order)["version"].as_u64().unwrap();
        let rig = rig(&running, edited);
        assert!(open_ended(&rig) < 1e-4, "{}", open_ended(&rig));
        tab.tell(json!({ "do": "undo" }));
        rig
    };
    let later = turned(turn(version, 4, [4, 8], 2));
    assert!(moved(&later, &before, 4) > 0.01 && moved(&later, &before, 5) > 0.01);
    assert!(moved(&later, &before, 7) < moved(&later, &before, 5), "it fades before the end");
    let first = turned(turn(version, 0, [0, 0], 2));
    assert!(moved(&first, &before, 0) > 0.01 && moved(&first, &before, 8) > 0.01);
    assert_eq!((1..8).map(|frame| moved(&first, &before, frame)).fold(0.0, f64::max), 0.0);
    let last = turned(turn(version, 8, [6, 8], 1));
    assert!(moved(&last, &before, 0) > 0.01 && moved(&last, &before, 1) == 0.0);
    let all = turned(turn(version, 3, [0, 8], 2));
    assert!((0..9).all(|frame| moved(&all, &before, frame) > 0.01), "nothing fades");
    tab.tell(json!({ "do": "redo" }));
    tab.tell(json!({ "do": "undo" }));
    assert!(rig(&running, version) == before);
}

#[test]
fn an_edit_at_both_ends_is_one_step() {
    let running = start();
    let mut tab = running.tab();
    let version = looping(&running, &mut tab);
    let edited = tab.tell(turn(version, 3, [2, 5], 1))["version"].as_u64().unwrap();
    let before = rig(&running, edited);
    tab.tell(turn(edited, 0, [0, 4], 2));
    let after = rig(&running, edited);
    assert!(moved(&after, &before, 0) > 0.01 && moved(&after, &before, 8) > 0.01);
    tab.tell(json!({ "do": "undo" }));
    assert!(rig(&running, edited) == before);
    tab.tell(json!({ "do": "redo" }));
    assert!(rig(&running, edited) == after);
}

#[test]
fn a_sculpted_pose_leaves_no_gap() {
    let running = start();
    let mut tab = running.tab();
    let version = looping(&running, &mut tab);
    let before = rig(&running, version);
    for (frame, frames) in [(0, json!("later")), (3, json!("later")), (8, json!([5, 8])), (0, json!([0, 8]))]
    {
        let center = before.pose(frame)[50].to_array();
        let mut answer = Value::Null;
        for phase in ["begin", "move", "end"] {
            answer = tab.tell(json!({ "do": "brush", "version": version, "frame": frame, "target": "pose",
                "mode": "grab", "center": center, "radius": 0.3, "offset": [0.0, 0.1, 0.0], "strength": 1.0,
                "phase": phase, "carry": { "frames": frames, "ease": 2 } }));
        }
        let after = rig(&running, answer["version"].as_u64().unwrap());
        assert!(moved(&after, &before, frame) > 0.01);
        assert!(open_ended(&after) < 1e-4, "frame {frame}, {frames}: {}", open_ended(&after));
        tab.tell(json!({ "do": "undo" }));
    }
}
