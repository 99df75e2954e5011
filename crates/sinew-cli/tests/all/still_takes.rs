//! Takes in which nothing moves, which many programs put before the real one.

use crate::common::{Lab, strip, strip_pose};

/// A lab with `both.ENDING`, a rig whose clip "still" comes before its clip "bend".
fn lab(ending: &str) -> Lab {
    let lab = Lab::new();
    lab.write("rest.obj", strip(6));
    lab.cache("still.pc2", &[0.3; 5].map(|bend| strip_pose(6, bend)));
    lab.cache("bend.pc2", &[0.0, 0.2, 0.5, 0.9].map(|bend| strip_pose(6, bend)));
    lab.ok("skin still.pc2 bend.pc2 --rest rest.obj --bones 3 -o both.sinew");
    if ending != "sinew" {
        lab.ok(&format!("convert both.sinew both.{ending}"));
    }
    lab
}

#[test]
fn the_first_clip_that_moves_is_taken() {
    for ending in ["glb", "fbx", "usda", "sinew"] {
        let lab = lab(ending);
        lab.ok(&format!("skin both.{ending} --bones 2 -o again.glb --report again.json"));
        let report = lab.json("again.json");
        assert_eq!(report["frames"], 4, "{ending}: {report}");
        let said = report["warnings"].to_string();
        // USD plays one clip, so that the one that moves is written before the others.
        let passed_over =
            if ending == "usda" { "" } else { ", the first in which anything moves, after still" };
        assert!(said.contains(&format!("bend was taken{passed_over}\"")), "{ending}: {said}");
        lab.ok(&format!("bake both.{ending} -o out.pc2 --report bake.json"));
        assert_eq!(lab.json("bake.json")["clip"], "bend", "{ending}");
        lab.ok(&format!("bake both.{ending} -o out.sinew --report bake.json"));
        assert_eq!(
            (&lab.json("bake.json")["clip"], &lab.json("bake.json")["frames"]),
            (&"bend".into(), &4.into())
        );
        let info = lab.ok(&format!("info both.{ending}"));
        assert!(info.contains("4 frames"), "{ending}: {info}");
        // Those of one clip would be taken for those of the other; USD says what the whole scene spans.
        assert_eq!(info.contains("times"), ending == "usda", "{ending}: {info}");
        // What can be done about it is the command line's to say, and no part of reports.
        assert!(info.contains("; --clip NAME takes another, --clip all takes them all"), "{ending}: {info}");
        assert!(!said.contains("--clip"), "{ending}: {said}");
        lab.ok(&format!("transplant both.{ending} --onto both.sinew -o moved.glb --report moved.json"));
        assert_eq!(lab.json("moved.json")["clip"], "bend", "{ending}");

        // One that is named is taken, and it is said that nothing moves in it.
        lab.ok(&format!("skin both.{ending} --clip still --bones 2 -o again.glb --report again.json"));
        let report = lab.json("again.json");
        assert_eq!(report["frames"], 5);
        assert!(report["warnings"].to_string().contains("nothing moves in still"), "{ending}: {report}");
        lab.ok(&format!("skin both.{ending} --clip all --bones 2 -o again.glb --report again.json"));
        assert_eq!(lab.json("again.json")["frames"], 9);
    }
}

#[test]
fn it_is_said_where_nothing_moves_at_all() {
    for ending in ["glb", "fbx", "usda", "sinew"] {
        let lab = lab(ending);
        lab.ok(&format!(
            "bake both.{ending} --clip still -o still.{}",
            if ending == "usda" { "sinew" } else { ending }
        ));
        if ending == "usda" {
            lab.ok("convert still.sinew still.usda");
        }
        let table = lab.ok(&format!("skin still.{ending} --bones 2 -o again.glb"));
        assert!(table.contains("nothing moves in still, the only clip of the file"), "{ending}: {table}");
        lab.ok(&format!("info still.{ending} --report info.json"));
        assert_eq!(lab.json("info.json")["clips"][0]["name"], "still", "{ending}");
    }
    let lab = lab("sinew");
    let table = lab.ok("skin still.pc2 --rest rest.obj --bones 2 -o again.glb");
    assert!(table.contains("nothing moves in still.pc2 on rest.obj"), "{table}");
    let table = lab.ok("skeleton bend.pc2 --rest rest.obj -o again.glb");
    assert!(!table.contains("nothing moves"), "{table}");
}

#[test]
fn one_pose_is_said_to_stand_still() {
    let lab = Lab::new();
    lab.write("rest.obj", strip(4));
    let said = lab.ok("skin rest.obj --bones 2 -o rig.glb");
    assert!(said.contains("nothing moves in rest.obj"), "{said}");
    for still in [1, 3] {
        lab.cache("still.pc2", &vec![strip_pose(4, 0.0); still]);
        lab.ok("convert still.pc2 still.abc --rest rest.obj");
        let said = lab.ok("convert still.abc again.pc2");
        assert!(said.contains("nothing moves in still.abc"), "{said}");
    }
    lab.cache("moves.pc2", &[0.0, 0.1].map(|bend| strip_pose(4, bend)));
    assert!(!lab.ok("convert moves.pc2 moves.abc --rest rest.obj").contains("nothing moves"));
    assert!(!lab.ok("convert rest.obj rest.ply").contains("nothing moves"), "a mesh need not move");
}

#[test]
fn edits_are_of_the_clip_that_moves() {
    let lab = lab("glb");
    lab.ok("bake both.glb -o frames/");
    let edits = [
        "pose both.glb --frame 2 --shape frames/frame_0002.obj",
        "rotate both.glb --bone 0 --axis 0,1,0 --angle 5 --frame 2",
    ];
    for edit in edits {
        lab.ok(&format!("edit {edit} -o out.glb --report edit.json"));
        let report = lab.json("edit.json");
        assert_eq!((&report["clip"], &report["frames"]), (&"bend".into(), &4.into()), "{edit}");
        let said = report["warnings"].to_string();
        assert!(said.contains("bend was taken, the first in which anything moves, after still"), "{said}");
    }
    // What was baked is what is there: nothing is to be done.
    lab.ok("edit pose both.glb --frame 2 --shape frames/frame_0002.obj -o out.glb --report edit.json");
    assert_eq!(lab.json("edit.json")["frames_changed"], 0);
    lab.ok("edit rotate both.glb --clip still --bone 0 --axis 0,1,0 --angle 5 --frame 2 -o out.glb --report edit.json");
    assert_eq!(lab.json("edit.json")["clip"], "still");
}
