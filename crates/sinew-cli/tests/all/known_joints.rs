//! `sinew skeleton` with what the user knows.

use crate::common::Lab;
use serde_json::Value;

const SKELETON: &str = "skeleton creature/anim.pc2 --rest creature/rest.obj";

fn names(report: &Value) -> Vec<String> {
    let joints = report["skeleton"].as_array().expect("joints");
    joints.iter().map(|joint| joint["name"].as_str().unwrap().to_owned()).collect()
}

fn place(report: &Value, name: &str) -> Vec<f64> {
    let joints = report["skeleton"].as_array().expect("joints");
    let joint =
        joints.iter().find(|joint| joint["name"] == name).unwrap_or_else(|| panic!("no {name}: {report}"));
    joint["place"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
fn joints_in_a_file_are_there() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKELETON} --report found.json"));
    let found = lab.json("found.json");
    let all = names(&found);
    let (one, other) = (all[1].clone(), all[2].clone());
    let at = place(&found, &one);
    let text = format!(
        "keep = [{other:?}]\n[[joint]]\nat = [{}, {}, {}]\nname = \"known\"\n",
        at[0] + 1e-3,
        at[1],
        at[2]
    );
    lab.write("joints.toml", &text);
    lab.write(
        "joints.json",
        format!(
            "{{\"keep\": [{other:?}], \"joint\": [{{\"at\": [{}, {}, {}], \"name\": \"known\"}}]}}",
            at[0] + 1e-3,
            at[1],
            at[2]
        ),
    );
    for file in ["joints.toml", "joints.json"] {
        lab.ok(&format!("{SKELETON} --joints-at {file} -o out.glb --report out.json"));
        let report = lab.json("out.json");
        let known = place(&report, "known");
        assert!(
            (known[0] - at[0] - 1e-3).abs() < 1e-9 && (known[1] - at[1]).abs() < 1e-9,
            "{known:?} {at:?}"
        );
        assert_eq!(place(&report, &other), place(&found, &other));
        lab.ok("info out.glb --report info.json");
        assert!(names(&lab.json("info.json")).contains(&"known".to_owned()));
    }
}

#[test]
fn root_and_rest_pose() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKELETON} -o other.glb --report other.json"));
    let other = lab.json("other.json");
    lab.ok(&format!("{SKELETON} --rest-pose 3 --report posed.json"));
    let posed = lab.json("posed.json");
    let limb = names(&other).iter().find(|name| names(&posed).contains(name)).expect("one").clone();
    assert_ne!(place(&posed, &limb), place(&other, &limb));
    let last = names(&other).len() - 1;
    lab.ok(&format!("{SKELETON} --root {last} --report rooted.json"));
    let rooted = lab.json("rooted.json");
    assert_eq!(names(&rooted)[0], "root");
    assert_eq!(rooted["error"], other["error"]);
}

#[test]
fn pieces_are_listed_and_set_aside() {
    let lab = Lab::with_creature();
    lab.ok("info creature/rest.obj --report info.json");
    let pieces = lab.json("info.json");
    assert_eq!(pieces["pieces"].as_u64().unwrap() > 1, !pieces["piece_list"].as_array().unwrap().is_empty());
    let sentence = lab.refused(&format!("{SKELETON} --ignore Sword -o out.glb"));
    assert!(sentence.contains("no part, material or piece Sword"), "{sentence}");
    let sentence = lab.refused(&format!("{SKELETON} --rigid 99999 -o out.glb"));
    assert!(sentence.contains("99999"), "{sentence}");
}

#[test]
fn what_cannot_be_known_gets_a_sentence() {
    let lab = Lab::with_creature();
    let refused = |arguments: &str, words: &[&str]| {
        let sentence = lab.refused(&format!("{SKELETON} {arguments} -o out.glb"));
        words.iter().for_each(|word| assert!(sentence.contains(word), "“{word}” is not in: {sentence}"));
    };
    refused("--root limb9_9", &["no joint limb9_9", "most like it are limb"]);
    refused("--root nan,0,0", &["finite"]);
    refused("--root 99,0,0", &["outside the body"]);
    refused("--rest-pose 99", &["99"]);
    refused("--joints-at nothing.toml", &["nothing.toml"]);
    lab.write("empty.toml", "");
    refused("--joints-at empty.toml", &["empty.toml", "names no joint"]);
    lab.write("nan.toml", "[[joint]]\nat = [nan, 0.0, 0.0]\n");
    refused("--joints-at nan.toml", &["joint 1", "finite"]);
    lab.write("out.toml", "[[joint]]\nat = [100.0, 0.0, 0.0]\nname = \"far\"\n");
    refused("--joints-at out.toml", &["far", "outside the body"]);
    lab.write("bad.toml", "[[joint]]\nplace = 3\n");
    refused("--joints-at bad.toml", &["bad.toml", "line 2"]);
    lab.write("bad.json", "{\"joint\": 3}");
    refused("--joints-at bad.json", &["bad.json"]);
    lab.write("who.toml", "keep = [\"limb1_99\"]\n");
    refused("--joints-at who.toml", &["no joint limb1_99", "limb1_"]);
}
