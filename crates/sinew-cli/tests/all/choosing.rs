//! Rigs for an error or a size, as files.

use crate::common::Lab;
use serde_json::Value;

const SKIN: &str = "skin creature/anim.pc2 --rest creature/rest.obj";

fn compared(lab: &Lab, rig: &str) -> f64 {
    lab.ok(&format!("compare creature/anim.pc2 {rig} --rest creature/rest.obj --report compared.json"));
    lab.json("compared.json")["error"]["percent"].as_f64().unwrap()
}

fn chosen(report: &Value) -> &Value {
    let choices = report["choices"].as_array().unwrap();
    let chosen: Vec<_> = choices.iter().filter(|c| c["chosen"] == true).collect();
    assert_eq!(chosen.len(), 1, "{choices:?}");
    chosen[0]
}

#[test]
fn the_file_keeps_the_error() {
    let lab = Lab::with_creature();
    for compact in ["", "--compact=0.1"] {
        let table = lab
            .ok(&format!("{SKIN} --target-error 3 {compact} -o rig.glb --report rig.json --plot sizes.png"));
        assert!(table.contains("<- chosen") && table.contains("sizes.png"), "{table}");
        let report = lab.json("rig.json");
        let choice = chosen(&report);
        assert!(compared(&lab, "rig.glb") <= 3.0);
        assert!(report["error"]["percent"].as_f64().unwrap() <= 3.0);
        assert_eq!(choice["percent"], report["error"]["percent"]);
        assert_eq!(choice["bytes"], lab.at("rig.glb").metadata().unwrap().len());
        assert_eq!((&choice["bones"], &choice["rank"]), (&report["bones"], &report["rank"]));
        assert!(std::fs::read(lab.at("sizes.png")).unwrap().starts_with(b"\x89PNG"));
        for other in report["choices"].as_array().unwrap() {
            let keeps = other["percent"].as_f64().unwrap() <= 3.0;
            assert!(!keeps || other["bytes"].as_u64() >= choice["bytes"].as_u64(), "{other}");
        }
    }
}

#[test]
fn the_file_keeps_the_size() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{SKIN} --bones 10 --kind rigid -o ten.glb --report ten.json"));
    let budget = lab.at("ten.glb").metadata().unwrap().len();
    let options = "--kind rigid --influences 4 --rank 0 -o rig.glb --report rig.json";
    lab.ok(&format!("{SKIN} --budget {budget} {options}"));
    let report = lab.json("rig.json");
    let size = lab.at("rig.glb").metadata().unwrap().len();
    assert!(size <= budget && chosen(&report)["bytes"] == size);
    // Ten bones are among what fits.
    let percent = |report: &Value| report["error"]["percent"].as_f64().unwrap();
    assert!(percent(&report) <= 1.001 * percent(&lab.json("ten.json")), "{}", percent(&report));
    for choice in report["choices"].as_array().unwrap() {
        assert_eq!(
            (&choice["kind"], &choice["influences"], &choice["rank"]),
            (&"rigid".into(), &4.into(), &0.into())
        );
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let lab = Lab::with_creature();
    let files = "-o out.glb --report out.json --plot out.png";
    for (options, words) in [
        ("--budget 2KB", &["2.0 kB", "the mesh alone takes"][..]),
        ("--target-error 0.01 --bones 2 --rank 0 --kind rigid", &["0.01 %", "2 bones", "% off"]),
        ("--target-error 0", &["--target-error", "positive"]),
        ("--target-error 1 --budget 1MB", &["--target-error", "--budget", "one of them"]),
        ("--target-error 1 --method sma", &["--method sma", "--target-error"]),
        ("--budget 1MB --method fesam", &["--method fesam", "--budget"]),
        ("--budget 1MB --epsilon 0.1", &["--epsilon", "--budget"]),
        ("--bones 3", &["--plot", "--target-error"]),
    ] {
        let sentence = lab.refused(&format!("{SKIN} {options} {files}"));
        for word in words {
            assert!(sentence.contains(word), "“{word}” is not in: {sentence}");
        }
    }
    lab.ok(&format!("{SKIN} --bones 3 -o rig.glb"));
    for rig in ["--start rig.glb", "--bones-from rig.glb"] {
        let sentence = lab.refused(&format!("{SKIN} --target-error 1 {rig} {files}"));
        assert!(sentence.contains("--target-error") && sentence.contains("leave out the rig"), "{sentence}");
    }
}

#[test]
fn the_same_file_for_any_number_of_threads() {
    let lab = Lab::with_creature();
    let search = "--target-error 5 --rank 0 --influences 4";
    lab.ok(&format!("{SKIN} {search} -o rig.glb --threads 1"));
    let one = std::fs::read(lab.at("rig.glb")).unwrap();
    lab.ok(&format!("{SKIN} {search} -o rig.glb --threads 3"));
    assert!(one == std::fs::read(lab.at("rig.glb")).unwrap());
}
