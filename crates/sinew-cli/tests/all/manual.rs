//! What packages put beside the program.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::common::Lab;

#[test]
fn completions_know_commands_and_options() {
    let lab = Lab::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = lab.ok(&format!("manual completions {shell}"));
        assert!(script.contains("transplant") && script.contains("facing"), "{shell}");
    }
}

#[test]
fn there_is_a_man_page_for_every_command() {
    let lab = Lab::new();
    lab.ok("manual man -o man");
    for (page, told) in [("sinew.1", "skeleton"), ("sinew-skin.1", "bones"), ("sinew-edit-rotate.1", "angle")]
    {
        let text = std::fs::read_to_string(lab.at("man").join(page)).unwrap();
        assert!(text.starts_with(".ie") && text.contains(".TH") && text.contains(told), "{page}: {text}");
    }
    assert!(!lab.at("man/sinew-manual-lines.1").exists());
}

#[test]
fn the_reference_has_every_option_of_the_help() {
    let lab = Lab::new();
    lab.ok("manual markdown -o pages");
    for command in ["skin", "skeleton", "batch", "crowd"] {
        let page = std::fs::read_to_string(lab.at("pages").join(format!("{command}.md"))).unwrap();
        let help = lab.ok(&format!("{command} --help"));
        let options = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
        for option in
            options.flat_map(|line| line.split([' ', ',', '=', '['])).filter(|o| o.starts_with("--"))
        {
            // Those of every command are told once.
            let everywhere = ["--quiet", "--threads", "--print-job", "--help", "--version"].contains(&option);
            assert!(
                everywhere || page.contains(&format!("`{option}")) || page.contains(&format!(", {option}"))
            );
        }
    }
    let list = std::fs::read_to_string(lab.at("pages/README.md")).unwrap();
    assert!(list.contains("[`sinew edit`](edit.md)") && list.contains("--threads"), "{list}");
}

#[test]
fn lines_of_pages_are_tried() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["manual", "lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = "[\"sinew\", \"skin\", \"a.pc2\", \"-o\", \"b.glb\"]\n[\"sinew\", \"skin\", \"--bonez\", \"3\"]\n[\"sinew\"]\n";
    program.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = program.wait_with_output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said[0], "");
    assert!(
        said[1].starts_with("there is no option --bonez here; --bones is spelled most like it"),
        "{said:?}"
    );
    assert_eq!((said[2], said.len()), ("a command is missing", 3));
}
