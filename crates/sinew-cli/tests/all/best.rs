//! `skin --method best`: starts, parts, locks and what they refuse.

use crate::common::Lab;

const SKIN: &str = "skin creature/anim.pc2 --rest creature/rest.obj";

fn percent(lab: &Lab, report: &str) -> f64 {
    lab.json(report)["error"]["percent"].as_f64().unwrap()
}

#[test]
fn it_is_the_default_and_beats_fitting_once() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} --bones 12 -o best.glb --report best.json"));
    lab.ok(&format!("{SKIN} --bones 12 --method sma -o sma.glb --report sma.json"));
    assert!(percent(&lab, "best.json") < 0.7 * percent(&lab, "sma.json"));
    lab.ok("compare creature/anim.pc2 best.glb --rest creature/rest.obj --report compared.json");
    assert!((percent(&lab, "best.json") / percent(&lab, "compared.json") - 1.0).abs() < 1e-3);
    // Options that only sma knows ask for it.
    lab.ok(&format!("{SKIN} --bones 12 --core refined -o sma.glb --report again.json"));
    assert_eq!(percent(&lab, "again.json"), percent(&lab, "sma.json"));
}

#[test]
fn a_rig_can_be_improved_or_solved_in_parts() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} --bones 12 --kind rigid --method sma -o sma.glb --report sma.json"));
    for part in ["weights", "transforms", "both"] {
        let table =
            lab.ok(&format!("{SKIN} --start sma.glb --solve {part} -o {part}.glb --report {part}.json"));
        assert!(table.contains("that of the given rig"), "{table}");
        assert!(percent(&lab, &format!("{part}.json")) < percent(&lab, "sma.json"), "{part}");
    }
    assert!(percent(&lab, "both.json") < percent(&lab, "weights.json"));
    // A rigid rig stays rigid: the file is no larger than one that was asked to be.
    let size = |name: &str| std::fs::metadata(lab.at(name)).unwrap().len();
    assert!(size("both.glb") < size("sma.glb") * 11 / 10);
}

#[test]
fn locked_parts_are_told_by_name_number_and_file() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} --bones 8 -o rig.glb"));
    lab.write("mask.txt", "# the first vertices\n0-99, 120\n 130 140-150\n");
    lab.ok(&format!("{SKIN} --start rig.glb --lock-bones bone_02,5 --lock-vertices mask.txt -o out.glb"));
    let sentence = lab.refused(&format!("{SKIN} --start rig.glb --lock-bones spine -o out.glb"));
    assert!(sentence.contains("no bone spine") && sentence.contains("bone_00"), "{sentence}");
    lab.write("mask.txt", "1 2\n3 4-x\n");
    let sentence = lab.refused(&format!("{SKIN} --start rig.glb --lock-vertices mask.txt -o out.glb"));
    assert!(sentence.contains("mask.txt: line 2: 4-x"), "{sentence}");
    lab.write("mask.txt", "1000000");
    let sentence = lab.refused(&format!("{SKIN} --start rig.glb --lock-vertices mask.txt -o out.glb"));
    assert!(sentence.contains("line 1: 1000000"), "{sentence}");
}

#[test]
fn a_rig_with_other_frames_gives_its_weights() {
    let lab = Lab::with_creature();
    lab.ok("sample creature -o short --frames 3 --detail 0.6");
    lab.ok("skin short/anim.pc2 --rest short/rest.obj --bones 8 -o short.glb");
    let table = lab.ok(&format!("{SKIN} --start short.glb --solve transforms -o out.glb"));
    // Nothing else of the rig was asked for, and so nothing is missing.
    assert!(!table.contains("only its weights are used") && table.contains("8 frames"), "{table}");
    let sentence = lab.refused(&format!("{SKIN} --start short.glb --solve weights -o out.glb"));
    assert!(sentence.contains("the rig has 3 frames"), "{sentence}");
}

#[test]
fn what_does_not_go_together_is_named() {
    let lab = Lab::with_creature();
    let cases = [
        ("--start nowhere.glb", "no such file"),
        ("--solve weights", "--start RIG.glb"),
        ("--lock-bones 1", "--start RIG.glb"),
        ("--method sma --smooth 2", "--method best"),
        ("--epsilon 0.1 --keep-rest", "--epsilon asks for it"),
        ("--method best --weights tsvd --report x.json", "--method sma"),
        ("--smooth -1", "smoothness"),
    ];
    for (options, expected) in cases {
        let sentence = lab.refused(&format!("{SKIN} {options} -o out.glb"));
        assert!(sentence.contains(expected), "{options}: {sentence}");
        assert!(!lab.at("out.glb").exists());
    }
}

#[test]
fn smoothing_is_a_knob_with_a_price() {
    let lab = Lab::with_creature();
    for (name, smooth) in [("rough", "0"), ("smooth", "40")] {
        lab.ok(&format!("{SKIN} --bones 12 --smooth {smooth} -o {name}.glb --report {name}.json"));
    }
    let parts = |name: &str| -> Vec<String> {
        let rounds = lab.json(name)["rounds"].clone();
        rounds.as_array().unwrap().iter().map(|r| r["part"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!parts("rough.json").contains(&"smoothing".to_owned()));
    assert!(parts("smooth.json").contains(&"smoothing".to_owned()));
}
