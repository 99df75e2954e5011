//! Several clips, one skin.

mod common;

use common::{Lab, strip, strip_pose};

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
