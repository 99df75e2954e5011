//! The other methods of `skin`, and the study that compares them.

use crate::common::Lab;

const INPUT: &str = "creature/anim.pc2 --rest creature/rest.obj";

#[test]
fn methods_write_rigs_that_play_what_they_report() {
    let lab = Lab::with_creature();
    for (method, points) in [("sad", 1), ("fesam --rounds 2", 3)] {
        lab.ok(&format!("skin {INPUT} --method {method} --bones 14 -o rig.glb --report rig.json"));
        let report = lab.json("rig.json");
        assert_eq!((&report["bones"], &report["rest_pose"]), (&14.into(), &"first".into()));
        let rounds: Vec<f64> =
            report["rounds"].as_array().unwrap().iter().map(|x| x["percent"].as_f64().unwrap()).collect();
        assert_eq!(rounds.len(), points, "{method}");
        assert!(rounds.windows(2).all(|w| w[1] < w[0]));
        lab.ok("compare creature/anim.pc2 rig.glb --rest creature/rest.obj --report compared.json");
        let percent = |name: &str| lab.json(name)["error"]["percent"].as_f64().unwrap();
        assert!((percent("rig.json") / percent("compared.json") - 1.0).abs() < 1e-3);
    }
}

#[test]
fn from_pose_to_pose_there_is_a_report_but_no_glb() {
    let lab = Lab::with_creature();
    let table = lab.ok(&format!("skin {INPUT} --method pps --rounds 2 --bones 12 --report pps.json"));
    assert!(table.contains("in 2 rounds"), "{table}");
    let report = lab.json("pps.json");
    assert_eq!((&report["bones"], &report["frames"]), (&12.into(), &8.into()));
    assert!(report["bytes"]["output"].is_null());
    let sentence = lab.refused(&format!("skin {INPUT} --method pps -o out.glb"));
    assert!(sentence.contains("GLB cannot store") && sentence.contains(".sinew"), "{sentence}");
}

#[test]
fn options_that_do_not_go_together_are_named() {
    let lab = Lab::with_creature();
    for (method, option) in [
        ("sad", "--kind rigid"),
        ("fesam", "--weights tsvd --report x.json"),
        ("fesam", "--min-weight 0.1"),
        ("pps", "--rank 3"),
    ] {
        let output = if option.contains("--report") { "" } else { "-o out.glb" };
        let sentence = lab.refused(&format!("skin {INPUT} --method {method} {option} {output}"));
        let first = option.split_whitespace().next().unwrap();
        assert!(sentence.contains(method) && sentence.contains(first), "{sentence}");
    }
    let many = lab.refused(&format!("skin {INPUT} --method sad --bones 100000 -o out.glb"));
    assert!(many.contains("100000 bones") && many.contains("one per vertex"), "{many}");
}

#[test]
fn a_study_draws_its_figures_for_every_input() {
    let lab = Lab::with_creature();
    lab.ok("sample creature --frames 3 --detail 0.6 -o other");
    let text = lab
        .ok("study pps creature/anim.pc2 other/anim.pc2 --rest creature/rest.obj --rest other/rest.obj \
         --bones 10 --frames 4 --rounds 2 -o figures");
    assert!(text.contains("over 4 poses") && text.contains("over 3 poses"), "{text}");
    for name in ["creature", "other"] {
        for figure in ["figure-7", "figure-8", "figure-8-ahead"] {
            let png = std::fs::read(lab.at(&format!("figures/{figure}-{name}.png"))).unwrap();
            assert!(png.starts_with(b"\x89PNG"));
        }
    }
    let numbers = lab.json("figures/numbers.json");
    let line = |i: usize| &numbers[0]["per_pose"][i];
    assert_eq!(line(0)["percent"].as_array().unwrap().len(), 4);
    let whole = |i: usize| line(i)["whole"].as_f64().unwrap();
    assert!(whole(2) < whole(0), "from pose to pose, looking ahead, the error is lower");
    let rows = std::fs::read_to_string(lab.at("figures/numbers.csv")).unwrap();
    assert_eq!(rows.lines().filter(|l| l.starts_with("\"creature\",figure-7,")).count(), 3 * 4);
    let sentence = lab.refused("study pps a b c --rest x --rest y -o z");
    assert!(sentence.contains("2 times for 3 inputs"), "{sentence}");
}
