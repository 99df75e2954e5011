//! Several clips, one skin.

use crate::common::{Lab, strip, strip_pose};

/// A strip that bends, and one that bends the other way and is lifted, as two caches.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("rest.obj", strip(6));
    let bends: Vec<_> = (0..5).map(|f| strip_pose(6, 0.2 * f as f32)).collect();
    let lifts: Vec<_> = (0..3)
        .map(|f| strip_pose(6, -0.3 * f as f32).iter().map(|p| *p + glam::Vec3::Y * f as f32).collect())
        .collect();
    lab.cache("bend.pc2", &bends);
    lab.cache("lift.pc2", &lifts);
    lab
}

const SKIN: &str = "skin bend.pc2 lift.pc2 --rest rest.obj --bones 2";

#[test]
fn two_caches_are_two_clips_of_one_rig() {
    let lab = lab();
    for options in ["", "--compact=0.01 --rank 1"] {
        let table = lab.ok(&format!("{SKIN} {options} -o out.glb --report out.json"));
        assert!(table.contains("bend: ") && table.contains("lift: "), "{table}");
        let report = lab.json("out.json");
        let clips = report["clips"].as_array().unwrap();
        assert_eq!((&clips[0]["frames"], &clips[1]["frames"]), (&5.into(), &3.into()));
        // What each clip plays is what the report said of it.
        for (clip, name) in clips.iter().zip(["bend", "lift"]) {
            assert_eq!(clip["name"], name);
            lab.ok(&format!("compare {name}.pc2 out.glb --clip {name} --rest rest.obj --report c.json"));
            let there = lab.json("c.json");
            for key in ["percent", "max"] {
                let (a, b) = (clip["error"][key].as_f64().unwrap(), there["error"][key].as_f64().unwrap());
                assert!((a - b).abs() < 1e-3 * a + 1e-3, "{name} {key}: {a} {b}");
            }
        }
    }
    let info = lab.ok("info out.glb");
    assert!(info.contains("bend (") && info.contains("lift ("), "{info}");
    lab.ok("bake out.glb --clip lift -o lift-again.pc2 --report bake.json");
    assert_eq!(lab.json("bake.json")["frames"], 3);
    lab.ok("bake out.glb --clip all -o all.pc2 --report bake.json");
    assert_eq!(lab.json("bake.json")["frames"], 8);

    // Clips of a GLB become clips of another, and bones of all clips can be taken over.
    lab.ok("skin out.glb --clip lift --clip bend --bones 2 -o again.glb --report again.json");
    assert_eq!(lab.json("again.json")["clips"][0]["name"], "lift");
    lab.ok("skin out.glb --clip all --bones 2 -o again.glb --report again.json");
    assert_eq!(lab.json("again.json")["clips"][1]["name"], "lift");
    lab.ok("skin bend.pc2 lift.pc2 --rest rest.obj --bones-from out.glb -o given.glb");
}

#[test]
fn clips_that_do_not_go_together_are_refused() {
    let lab = lab();
    let refused = |inputs: &str, words: &[&str]| {
        let sentence = lab.refused(&format!("skin {inputs} --rest rest.obj -o out.glb"));
        assert!(words.iter().all(|word| sentence.contains(word)), "{sentence}");
    };
    lab.cache("other.pc2", &[strip_pose(7, 0.0)]);
    refused("bend.pc2 other.pc2", &["other.pc2", "16 vertices", "bend.pc2", "14"]);
    let small: Vec<_> = strip_pose(6, 0.0).iter().map(|p| *p * 0.01).collect();
    lab.cache("small.pc2", &[small]);
    refused("bend.pc2 small.pc2", &["clip small", "0.010 times", "units"]);
    let mut broken = vec![strip_pose(6, 0.0); 3];
    broken[2][4].x = f32::NAN;
    lab.cache("broken.pc2", &broken);
    refused("bend.pc2 broken.pc2", &["clip broken", "frame 2, vertex 4"]);
    refused("bend.pc2 rest.obj", &["rest.obj", "bend.pc2 is a clip", "--rest"]);
}

#[test]
fn sinew_files_keep_clips() {
    let lab = lab();
    lab.ok(&format!("{SKIN} --rank 1 -o out.sinew --report out.json"));
    let report = lab.json("out.json");
    for (clip, name) in report["clips"].as_array().unwrap().iter().zip(["bend", "lift"]) {
        assert_eq!(clip["name"], name);
        lab.ok(&format!("compare {name}.pc2 out.sinew --clip {name} --rest rest.obj --report c.json"));
        let (a, b) = (&clip["error"]["percent"], &lab.json("c.json")["error"]["percent"]);
        let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
        assert!((a - b).abs() < 1e-6 * a + 1e-9, "{name}: {a} {b}");
    }
    let played = |options: &str| {
        lab.ok(&format!("bake out.sinew {options} -o played.pc2 --report bake.json"));
        let poses = sinew_io::formats::pc2::open(lab.at("played.pc2")).unwrap().frames;
        (poses.flat().to_vec(), lab.json("bake.json"))
    };
    let ((all, whole), (bend, _), (lift, _)) =
        (played("--clip all"), played("--clip 0"), played("--clip lift"));
    assert_eq!((&whole["frames"], &whole["clip"]), (&8.into(), &serde_json::Value::Null));
    assert_eq!(all, [&bend[..], &lift].concat());
    // Without a choice it is the first, and that is told.
    let (first, told) = played("");
    assert_eq!(first, bend);
    assert!(told["warnings"][0].as_str().unwrap().contains("several clips and bend was taken"), "{told}");
    assert!(lab.refused("bake out.sinew --clip jump -o x.pc2").contains("the clips are bend, lift"));

    let info = lab.ok("info out.sinew --clip lift");
    assert!(info.contains("bend (") && info.contains("lift (") && info.contains("3 frames"), "{info}");
    lab.ok("picture out.sinew --clip all --frame 7 --color weights -o last.png");
    lab.refused("picture out.sinew --clip bend --frame 7 -o last.png");

    // The same rig again, in another order, and as a GLB of both clips.
    lab.ok("bake out.sinew --clip all -o same.sinew");
    assert_eq!(std::fs::read(lab.at("same.sinew")).unwrap(), std::fs::read(lab.at("out.sinew")).unwrap());
    lab.ok("bake out.sinew --clip lift -o lift.sinew");
    lab.ok("compare lift.sinew out.sinew --clip lift --report c.json");
    assert_eq!(lab.json("c.json")["error"]["max"], 0.0);
    lab.ok("skin out.sinew --clip lift --clip bend --bones 2 -o turned.sinew --report turned.json");
    let turned = lab.json("turned.json");
    assert_eq!((&turned["clips"][0]["name"], &turned["clips"][0]["frames"]), (&"lift".into(), &3.into()));
    lab.ok(&format!("{SKIN} --bones-from out.sinew -o again.glb").replace("--bones 2", ""));
    lab.ok("bake again.glb --clip all -o again.sinew");
    lab.ok("compare again.glb again.sinew --clip all --report c.json");
    assert!(lab.json("c.json")["error"]["max"].as_f64().unwrap() < 1e-9);
    assert!(lab.refused("bake out.sinew --fps 0 -o x.sinew").contains("not 0"));
}

#[test]
fn what_leads_from_pose_to_pose_is_one_clip() {
    let lab = lab();
    let sentence = lab.refused(&format!("{SKIN} --method pps -o out.sinew"));
    assert!(sentence.contains("--method pps") && sentence.contains("these are 2"), "{sentence}");
    let encode = "stream encode --bones 2 -o s.sinew";
    let sentence = lab.refused(&format!("{encode} bend.pc2 lift.pc2 --rest rest.obj"));
    assert!(sentence.contains("these are 2 clips"), "{sentence}");
    lab.ok(&format!("{SKIN} -o out.glb"));
    lab.ok("bake out.glb --clip all -o out.sinew");
    for rig in ["out.glb", "out.sinew"] {
        let sentence = lab.refused(&format!("{encode} {rig} --clip all"));
        assert!(sentence.contains("these are 2 clips"), "{sentence}");
        lab.ok(&format!("{encode} {rig} --clip lift"));
        let info = lab.ok("info s.sinew");
        assert!(info.contains("lift (") && info.contains("3 frames"), "{info}");
    }
}

#[test]
fn clips_are_not_chosen_where_there_are_none() {
    let lab = Lab::new();
    lab.write("rest.obj", strip(4));
    lab.cache("anim.pc2", &[0.0, 0.1].map(|bend| strip_pose(4, bend)));
    for command in ["skin", "skeleton", "stream encode"] {
        let output = if command == "stream encode" { "out.sinew" } else { "out.glb" };
        let sentence = lab.refused(&format!("{command} anim.pc2 --rest rest.obj --clip nope -o {output}"));
        assert_eq!(sentence, "anim.pc2: there are no clips to choose nope from", "{command}");
    }
    assert!(lab.refused("convert anim.pc2 out.mdd --clip nope").contains("no clips"));
    lab.ok("skin anim.pc2 --rest rest.obj --clip all --bones 2 -o out.glb");
}
