//! Ctrl-C ends a run in an orderly way.
#![cfg(unix)]

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use common::Lab;

#[test]
fn ctrl_c_leaves_nothing_behind() {
    let lab = Lab::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["demo", "--frames", "200", "--detail", "2", "--bones", "100"])
        .current_dir(lab.at(""))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // By then there is a folder of parts to clean up, and seconds of work ahead.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("starts")));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(lines.any(|line| line.unwrap() == "error: interrupted; nothing was written"));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(lab.files().is_empty(), "{:?}", lab.files());
}
