//! Ctrl-C ends a run in an orderly way.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::common::Lab;

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

/// What a farm or a shutdown sends, as against Ctrl-C.
#[test]
fn a_run_that_is_to_terminate_says_so() {
    let lab = Lab::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["demo", "--frames", "200", "--detail", "2", "--bones", "100"])
        .current_dir(lab.at(""))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("starts")));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert!(lines.any(|line| line.unwrap() == "error: interrupted; nothing was written"));
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert!(lab.files().is_empty(), "{:?}", lab.files());
}

#[test]
fn what_a_killed_run_leaves_the_next_removes() {
    let lab = Lab::with_creature();
    let before = lab.files();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["demo", "--frames", "200", "--detail", "2", "--bones", "100"])
        .current_dir(lab.at(""))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("starts")));
    let parts = || lab.files().iter().filter(|f| f.to_string_lossy().ends_with(".part")).count();
    assert_eq!(parts(), 1);
    // Another run leaves alone what this one is writing.
    let info = "info creature/rest.obj --quiet --report info.json";
    lab.ok(info);
    assert_eq!(parts(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(parts(), 1);
    lab.ok(info);
    std::fs::remove_file(lab.at("info.json")).unwrap();
    assert_eq!(lab.files(), before);
}

#[test]
fn ctrl_c_in_the_midst_of_a_skeleton_writes_none() {
    let lab = Lab::new();
    lab.ok("sample creature --frames 16 --detail 0.8 -o creature");
    let before = lab.files();
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args("skeleton creature/anim.pc2 --rest creature/rest.obj -o out.glb --bvh out.bvh".split(' '))
        .current_dir(lab.at(""))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("reading")));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(lines.any(|line| line.unwrap() == "error: interrupted; nothing was written"));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(lab.files(), before);
}

#[test]
fn ctrl_c_ends_a_stream_that_keeps_what_it_has() {
    let lab = Lab::new();
    // More frames than can be fitted before the signal comes.
    let pose = |t: usize| crate::common::strip_pose(2000, (t as f32 * 0.1).sin());
    let poses: Vec<_> = (0..1500).map(pose).collect();
    lab.cache("anim.pc2", &poses);
    lab.write("rest.obj", crate::common::strip(2000));
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args("stream encode anim.pc2 --rest rest.obj --bones 60 -o s.sinew".split(' '))
        .current_dir(lab.at(""))
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("encoding")));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(lines.any(|line| line.unwrap().starts_with("error: interrupted; s.sinew holds the first ")));
    assert_eq!(child.wait().unwrap().code(), Some(130));
    lab.ok("info s.sinew --report info.json");
    let info = lab.json("info.json");
    assert!((1..1500).contains(&info["frames"].as_u64().unwrap()));
    assert!(info["warnings"].as_array().unwrap().is_empty(), "the file is closed in order");
}

/// What happens to a command whose cache is written anew while it is mapped.
#[cfg(target_os = "linux")]
#[test]
fn a_mapped_file_that_is_cut_short_ends_a_run_with_a_sentence() {
    let lab = Lab::new();
    let poses: Vec<_> = (0..1000).map(|t| crate::common::strip_pose(2000, t as f32)).collect();
    lab.cache("a.pc2", &poses);
    lab.cache("b.pc2", &poses);
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["compare", "b.pc2", "a.pc2", "--quiet"])
        .current_dir(lab.at(""))
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let maps = format!("/proc/{}/maps", child.id());
    let is_mapped = || std::fs::read_to_string(&maps).is_ok_and(|maps| maps.contains("/a.pc2"));
    while !is_mapped() && child.try_wait().unwrap().is_none() {}
    std::fs::File::options().write(true).open(lab.at("a.pc2")).unwrap().set_len(5000).unwrap();
    let output = child.wait_with_output().unwrap();
    // A quick one may be done already. None is ended by a signal.
    match output.status.code() {
        Some(0) => {}
        Some(2) => {
            let sentence = String::from_utf8(output.stderr).unwrap();
            assert_eq!(sentence, "error: a.pc2: the file became shorter while it was read\n");
        }
        code => panic!("{code:?}"),
    }
}
