//! Flesh that is learnt and given to other motion, through files, as a user goes.

use crate::common::Lab;
use glam::{DQuat, DVec3, Vec3};

const SIDE: usize = 7;
const FRAMES: usize = 40;

/// A sheet that is carried by its first row, as text of an OBJ file.
fn sheet() -> String {
    let mut text = String::new();
    for v in 0..SIDE * SIDE {
        text += &format!("v {} {} 0\n", v % SIDE, v / SIDE);
    }
    for face in 0..(SIDE - 1) * (SIDE - 1) {
        let v = face / (SIDE - 1) * SIDE + face % (SIDE - 1) + 1;
        text += &format!("f {} {} {} {}\n", v, v + 1, v + 1 + SIDE, v + SIDE);
    }
    text
}

/// The sheet swung about its first row, the farther rows `late` frames a row later: as if it was soft.
fn swung(late: f64, rate: f64) -> Vec<Vec<Vec3>> {
    let at = |frame: f64| if frame <= 0.0 { 0.0 } else { 0.5 * (frame * rate).sin() };
    let pose = |frame: usize| {
        let vertex = |v: usize| {
            let (x, y) = ((v % SIDE) as f64, (v / SIDE) as f64);
            let behind = if y < 2.0 { 0.0 } else { late * (y - 1.0) };
            let turn = DQuat::from_rotation_x(at(frame as f64 - behind));
            (turn * DVec3::new(x, y, 0.0)).as_vec3()
        };
        (0..SIDE * SIDE).map(vertex).collect()
    };
    (0..FRAMES).map(pose).collect()
}

fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("rest.obj", sheet());
    lab.cache("with.pc2", &swung(0.25, 0.35));
    lab.cache("without.pc2", &swung(0.0, 0.35));
    lab.cache("other.pc2", &swung(0.0, 0.5));
    lab
}

#[test]
fn flesh_is_learnt_and_given_to_other_motion() {
    let lab = lab();
    lab.ok(
        "learn with.pc2 --primary without.pc2 --rest rest.obj --fps 30 -o body.deform --report learn.json",
    );
    let report = lab.json("learn.json");
    assert_eq!(report["free"], SIDE * (SIDE - 2));
    assert_eq!(report["fps"], 30.0);
    let left = report["learnt_percent"].as_f64().unwrap();
    assert!((0.0..80.0).contains(&left), "{left}");
    lab.ok("deform pose body.deform --primary other.pc2 --fps 30 -o moved.pc2 --report pose.json");
    assert_eq!(lab.json("pose.json")["frames"], FRAMES);
    let (before, after) =
        (std::fs::read(lab.at("other.pc2")).unwrap(), std::fs::read(lab.at("moved.pc2")).unwrap());
    assert!(before.len() == after.len() && before != after);
    // The same job as a file, and a rig for engines.
    lab.ok("deform pose body.deform --primary other.pc2 --fps 30 --bones 6 -o moved.glb --report rig.json");
    assert!(lab.json("rig.json")["skin_percent"].as_f64().unwrap() < 20.0);
}

#[test]
fn what_does_not_go_together_is_said() {
    let lab = lab();
    let said = lab.refused("learn with.pc2 --primary with.pc2 --rest rest.obj -o body.deform");
    assert!(said.contains("nothing moves by itself"), "{said}");
    assert!(!lab.at("body.deform").exists());
    lab.cache("short.pc2", &swung(0.0, 0.35)[..20]);
    let said = lab.refused("learn with.pc2 --primary short.pc2 --rest rest.obj -o body.deform");
    assert!(said.contains("20") && said.contains("40"), "{said}");
    let said = lab.refused("learn with.pc2 --primary without.pc2 --rest rest.obj -o body.glb");
    assert!(said.contains("*.deform") && !lab.at("body.glb").exists(), "{said}");
    lab.ok("learn with.pc2 --primary without.pc2 --rest rest.obj -o body.deform");
    // Each kind of file says what it is for.
    let said = lab.refused("deform pose body.deform --pose other.pc2 -o x.pc2");
    assert!(said.contains("--primary"), "{said}");
    lab.ok("sample creature -o creature");
    lab.ok("skeleton creature/anim.pc2 --rest creature/rest.obj --joints 9 -o rig.glb");
    lab.ok("deform setup rig.glb -o character.deform");
    let said = lab.refused("deform pose character.deform --primary other.pc2 -o x.pc2");
    assert!(said.contains("flesh"), "{said}");
    let said = lab.refused("deform pose body.deform --primary creature/anim.pc2 -o x.pc2");
    assert!(said.contains("vertices"), "{said}");
    assert!(!lab.at("x.pc2").exists());
}
