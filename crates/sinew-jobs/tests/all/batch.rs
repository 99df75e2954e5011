//! Lists of jobs, as programs make them.

use std::collections::BTreeSet;
use std::fs;

use sinew_jobs::batch::{Origin, Shard, Table, Template, find};

#[test]
fn parts_of_a_list_are_apart_and_complete() {
    for of in [1, 2, 7, 16] {
        let parts: Vec<Shard> = (1..=of).map(|number| format!("{number}/{of}").parse().unwrap()).collect();
        for place in 0..100 {
            assert_eq!(parts.iter().filter(|part| part.holds(place)).count(), 1, "{place} of {of}");
        }
    }
    assert_eq!("3/16".parse::<Shard>().unwrap().to_string(), "3/16");
    for wrong in ["", "0/1", "2/1", "1/0", "-1/2", "1/2/3", "99999999999999999999/2"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}

#[test]
fn a_template_becomes_the_same_jobs_by_files_and_by_a_table() {
    let around = tempfile::tempdir().unwrap();
    let at = |name: &str| around.path().join(name);
    for name in ["a.abc", "b.abc", ".c.abc"] {
        fs::write(at(name), "").unwrap();
    }
    let pattern = at("*.abc").to_str().unwrap().to_owned();
    assert_eq!(find(&pattern).unwrap().len(), 2);
    fs::write(at("t.json"), r#"{"job": "info", "file": "{path}", "report": "{stem}.json"}"#).unwrap();
    let by_files = Origin::Each { patterns: vec![pattern], template: at("t.json") }.read().unwrap();
    let row = |name: &str| format!("{},{name}\n", at(&format!("{name}.abc")).display());
    fs::write(at("t.csv"), format!("path,stem\n{}{}", row("a"), row("b"))).unwrap();
    let by_table = Origin::File { list: at("t.csv"), template: Some(at("t.json")) }.read().unwrap();
    let jobs = |list: sinew_jobs::batch::List| -> Vec<_> {
        list.entries.into_iter().map(|entry| entry.job.unwrap()).collect()
    };
    assert_eq!(jobs(by_files), jobs(by_table));
}

#[test]
fn bad_lines_leave_the_others_as_they_are() {
    let around = tempfile::tempdir().unwrap();
    let list = around.path().join("l.jsonl");
    let lines = [
        r#"{"job": "info", "file": "a"}"#,
        "",
        "{",
        r#"{"job": "nothing"}"#,
        "null",
        r#"{"job": "info", "file": "b", "fps": "many"}"#,
        r#"{"job": "info", "file": "b"}"#,
    ];
    fs::write(&list, lines.join("\n")).unwrap();
    let list = Origin::File { list, template: None }.read().unwrap();
    let good: BTreeSet<usize> =
        list.entries.iter().filter(|entry| entry.job.is_ok()).map(|entry| entry.line).collect();
    assert_eq!((list.entries.len(), good), (6, BTreeSet::from([1, 7])));
}

#[test]
fn tables_and_templates_of_strangers_end_in_sentences() {
    let long = format!("a\n{}", "\"".repeat(100_001));
    for text in ["", ",", "a\n\"", "a,b\n1\n", &long] {
        assert!(Table::parse(text).is_err(), "{:.20}", text);
    }
    let deep = "[".repeat(1000);
    for text in ["", "1", "{\"a\": \"{\"}", "{\"a\": \"{b}\"}", &deep] {
        let said = Template::new(text, &["a"]).unwrap_err().to_string();
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
