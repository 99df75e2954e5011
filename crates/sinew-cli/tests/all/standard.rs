//! Standard streams, and what reports carry.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use crate::common::Lab;
use serde_json::Value;

/// Runs the command with something on its standard input.
fn piped(lab: &Lab, arguments: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(arguments.split_whitespace())
        .current_dir(lab.at(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A command that is refused does not read all of it.
        scope.spawn(move || drop(to.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

/// The same where it has to succeed: what it writes to standard output.
fn through(lab: &Lab, arguments: &str, input: &[u8]) -> Vec<u8> {
    let output = piped(lab, arguments, input);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "sinew {arguments}\n{error}");
    output.stdout
}

fn read(lab: &Lab, name: &str) -> Vec<u8> {
    std::fs::read(lab.at(name)).unwrap()
}

#[test]
fn files_go_through_standard_streams() {
    let lab = Lab::with_creature();
    let skin = "--rest creature/rest.obj --bones 6 --quiet";
    lab.ok(&format!("skin creature/anim.pc2 {skin} -o rig.glb"));
    let cache = read(&lab, "creature/anim.pc2");
    let rig = through(&lab, &format!("skin - {skin} -o - --format glb"), &cache);
    // The clip has the name of what it came from, and the rest is the same.
    assert!(rig.starts_with(b"glTF"));
    let before = lab.files();
    lab.ok("bake rig.glb -o rig.pc2 --quiet");
    for (arguments, input, expected) in [
        ("bake - -o - --format pc2 --quiet", read(&lab, "rig.glb"), read(&lab, "rig.pc2")),
        ("bake - -o - --format pc2 --quiet", rig, read(&lab, "rig.pc2")),
        ("convert - - --format pc2 --quiet", read(&lab, "rig.pc2"), read(&lab, "rig.pc2")),
    ] {
        assert!(through(&lab, arguments, &input) == expected, "{arguments}");
    }
    let rest = read(&lab, "creature/rest.obj");
    let from_rest =
        through(&lab, "skin creature/anim.pc2 --rest - --bones 6 -o - --format sinew --quiet", &rest);
    assert!(from_rest.starts_with(b"\x8BSINEW"));
    for (arguments, input) in [
        ("picture - -o - --quiet", read(&lab, "rig.glb")),
        ("compare creature/anim.pc2 - --rest creature/rest.obj --plot - --quiet", read(&lab, "rig.glb")),
    ] {
        assert!(through(&lab, arguments, &input).starts_with(b"\x89PNG"), "{arguments}");
    }
    std::fs::remove_file(lab.at("rig.pc2")).unwrap();
    assert_eq!(lab.files(), before, "nothing is left behind");
}

#[test]
fn reports_go_to_standard_output_alone() {
    let lab = Lab::with_creature();
    let output = lab.run("skin creature/anim.pc2 --rest creature/rest.obj --bones 6 -o rig.glb --report -");
    assert!(output.status.success());
    let report: Value = serde_json::from_slice(&output.stdout).expect("nothing but JSON");
    assert_eq!(report["bones"], 6);
    assert!(String::from_utf8_lossy(&output.stderr).contains("influences"), "the table goes elsewhere");
    let rig = read(&lab, "rig.glb");
    let info: Value = serde_json::from_slice(&through(&lab, "info - --report -", &rig)).unwrap();
    assert_eq!((&info["file"], &info["bones"]), (&"standard input".into(), &6.into()));
}

#[test]
fn reports_carry_the_version_and_the_job() {
    let lab = Lab::with_creature();
    let skin =
        "skin creature/anim.pc2 --rest creature/rest.obj --bones 6 --rank 2 -o rig.glb --report r.json";
    lab.ok(skin);
    let report = lab.json("r.json");
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    let printed: Value = serde_json::from_str(&lab.ok(&format!("{skin} --print-job"))).unwrap();
    assert_eq!(report["job"], printed);
    // The job makes the same once more.
    lab.write("job.json", report["job"].to_string());
    let before = read(&lab, "rig.glb");
    lab.ok("run job.json --quiet");
    assert!(read(&lab, "rig.glb") == before);
    for (command, job) in [("info rig.glb", "info"), ("bake rig.glb -o rig.pc2", "bake")] {
        lab.ok(&format!("{command} --report r.json --quiet"));
        assert_eq!(lab.json("r.json")["job"]["job"], job);
    }
}

#[test]
fn streams_that_cannot_be_are_refused() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 6 -o rig.glb --quiet");
    let skin = "skin creature/anim.pc2 --rest creature/rest.obj";
    for (arguments, words) in [
        (format!("{skin} -o -"), "--format glb"),
        (format!("{skin} -o - --format obj"), "--format cannot be obj"),
        (format!("{skin} -o rig.glb --format fbx"), "-o -"),
        (format!("{skin} -o - --format glb --report -"), "two results"),
        ("skin - --rest - -o x.glb".into(), "two were to be read"),
        ("bake rig.glb -o frames/ --format glb".into(), "obj or ply"),
        ("convert creature/rest.obj - --format obj".into(), "standard output is one"),
    ] {
        let sentence = lab.refused(&arguments);
        assert!(sentence.contains(words), "“{words}” is not in: {sentence}");
    }
    let output = piped(&lab, "info - --quiet", b"nothing that is known");
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("error: standard input: the format is not known"), "{said}");
}

#[test]
fn help_names_all_formats() {
    let lab = Lab::new();
    let help = lab.ok("skin --help").split_whitespace().collect::<Vec<_>>().join(" ");
    for word in [
        "PC2",
        "MDD",
        "Maya caches",
        "Alembic",
        "FBX",
        "USD",
        "STL",
        "*.glb",
        "*.fbx",
        "*.usda",
        "*.sinew",
        "standard output",
    ] {
        assert!(help.contains(word), "{word} is not in: {help}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_written_through_and_modes_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let lab = Lab::with_creature();
    lab.write("real.glb", "old");
    std::fs::set_permissions(lab.at("real.glb"), std::fs::Permissions::from_mode(0o600)).unwrap();
    symlink("real.glb", lab.at("link.glb")).unwrap();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 6 -o link.glb --quiet");
    assert!(lab.at("link.glb").is_symlink());
    assert!(read(&lab, "real.glb").starts_with(b"glTF"));
    assert_eq!(std::fs::metadata(lab.at("real.glb")).unwrap().permissions().mode() & 0o777, 0o600);
    // A device is no file to take the place of.
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 6 --report /dev/null --quiet");
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn standard_output_is_called_so() {
    let lab = Lab::with_creature();
    let said = lab.run("skin creature/anim.pc2 --rest creature/rest.obj --bones 4 -o - --format glb");
    let said = String::from_utf8(said.stderr).unwrap();
    assert!(said.contains("wrote") && said.contains("standard output") && !said.contains("-.glb"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_folder() {
    let lab = Lab::with_creature();
    assert!(std::process::Command::new("mkfifo").arg(lab.at("pipe")).status().unwrap().success());
    let sentence = lab.refused("convert creature/anim.pc2 pipe --rest creature/rest.obj");
    assert_eq!(sentence, "pipe: is a pipe or a device, not a folder");
}

#[cfg(unix)]
#[test]
fn pipes_are_read_to_their_end() {
    let lab = Lab::with_creature();
    assert!(std::process::Command::new("mkfifo").arg(lab.at("pipe")).status().unwrap().success());
    let cache = read(&lab, "creature/anim.pc2");
    std::thread::scope(|scope| {
        scope.spawn(|| std::fs::write(lab.at("pipe"), &cache).unwrap());
        lab.ok("convert pipe out.pc2 --quiet");
    });
    assert!(read(&lab, "out.pc2") == cache);
    assert!(through(&lab, "convert /dev/stdin - --format pc2 --quiet", &cache) == cache);
    assert_eq!(
        lab.refused("info /dev/zero"),
        "/dev/zero: is a device, and no file that could be read to its end"
    );
}

/// `2>&1 | head` ends what was said, and not the work.
#[test]
fn work_goes_on_where_nobody_listens() {
    let lab = Lab::with_creature();
    for command in ["skin", "skeleton"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args([command, "creature/anim.pc2", "--rest", "creature/rest.obj", "-o", "out.glb"])
            .current_dir(lab.at(""))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stderr.take());
        assert!(child.wait().unwrap().success(), "{command}");
        assert!(read(&lab, "out.glb").starts_with(b"glTF"));
        std::fs::remove_file(lab.at("out.glb")).unwrap();
    }
}

#[test]
fn nothing_that_is_read_is_written_over() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 4 -o rig.glb --quiet");
    lab.ok("bake rig.glb -o rig.pc2 --quiet");
    let skin = "skin creature/anim.pc2 --rest creature/rest.obj --bones 4";
    for command in [
        "info rig.glb --report rig.glb".into(),
        format!("{skin} -o x.glb --report creature/rest.obj"),
        format!("{skin} -o x.glb --report creature/anim.pc2"),
        "skin rig.glb -o x.glb --target-error 50 --plot rig.glb".into(),
        "compare rig.pc2 rig.glb --plot rig.glb".into(),
        "compare rig.pc2 rig.glb --report ./rig.pc2".into(),
        "bake rig.glb -o x.pc2 --report rig.glb".into(),
        "picture rig.glb -o rig.glb".into(),
    ] {
        let before =
            ["rig.glb", "rig.pc2", "creature/rest.obj", "creature/anim.pc2"].map(|name| read(&lab, name));
        lab.refused(&command);
        let after =
            ["rig.glb", "rig.pc2", "creature/rest.obj", "creature/anim.pc2"].map(|name| read(&lab, name));
        assert!(before == after, "{command}");
    }
}

#[test]
fn a_report_is_no_job_but_holds_one() {
    let lab = Lab::with_creature();
    lab.ok("info creature/anim.pc2 --rest creature/rest.obj --report r.json --quiet");
    let sentence = lab.refused("run r.json");
    assert!(sentence.contains("is a report") && sentence.contains("\"job\""), "{sentence}");
}
