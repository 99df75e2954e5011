//! Lists of jobs, as a user meets them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::common::{Lab, strip, strip_pose};

/// A lab with `count` small clips in `shots/`, on one mesh.
fn shots(count: usize) -> Lab {
    let lab = Lab::new();
    fs::create_dir_all(lab.at("shots")).unwrap();
    lab.write("rest.obj", strip(6));
    for i in 0..count {
        let poses: Vec<_> = (0..5).map(|t| strip_pose(6, 0.1 * (t * (i + 1)) as f32)).collect();
        lab.cache(&format!("shots/s{i:02}.pc2"), &poses);
    }
    lab
}

fn job(i: usize) -> Value {
    json!({
        "job": "skin",
        "source": { "inputs": [format!("shots/s{i:02}.pc2")], "rest": "rest.obj" },
        "fit": { "bones": 2 },
        "output": format!("rigs/s{i:02}.glb"),
    })
}

fn list(lab: &Lab, jobs: &[Value]) {
    let text: String = jobs.iter().map(|job| job.to_string() + "\n").collect();
    lab.write("jobs.jsonl", text);
}

/// The summary, without what differs from run to run: the state of each row.
fn states(lab: &Lab, summary: &str) -> Vec<String> {
    let rows = lab.json(summary)["rows"].as_array().unwrap().clone();
    rows.iter().map(|row| row["state"].as_str().unwrap().to_owned()).collect()
}

/// Names and bytes of the rigs.
fn rigs(lab: &Lab) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(lab.at("rigs")).unwrap().map(|entry| entry.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn jobs_are_done_with_the_bytes_of_single_runs_and_then_skipped() {
    let lab = shots(4);
    list(&lab, &[job(0), job(1), job(2), job(3)]);
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["done"; 4]);
    let by_batch = rigs(&lab);
    fs::remove_dir_all(lab.at("rigs")).unwrap();
    fs::create_dir(lab.at("rigs")).unwrap();
    for i in 0..4 {
        lab.write("job.json", job(i).to_string());
        lab.ok("run job.json --quiet");
    }
    assert!(rigs(&lab) == by_batch);

    // The same bytes at another time are the same.
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["kept"; 4]);
    // What is gone, what was changed and what is read anew is done again.
    fs::remove_file(lab.at("rigs/s00.glb")).unwrap();
    lab.write("rigs/s01.glb", "no rig");
    fs::copy(lab.at("shots/s00.pc2"), lab.at("shots/s02.pc2")).unwrap();
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["done", "done", "done", "kept"]);
    let rigs = rigs(&lab);
    assert!(["s00.glb", "s01.glb"].iter().all(|name| rigs[*name] == by_batch[*name]));
    lab.ok("batch jobs.jsonl --again --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["done"; 4]);
}

#[test]
fn a_program_that_was_built_anew_does_all_again() {
    let lab = shots(2);
    list(&lab, &[job(0), job(1)]);
    lab.ok("batch jobs.jsonl --quiet");
    // What follows a program in its file changes nothing but the file.
    let other = lab.at(if cfg!(windows) { "other.exe" } else { "other" });
    fs::copy(env!("CARGO_BIN_EXE_sinew"), &other).unwrap();
    fs::OpenOptions::new().append(true).open(&other).unwrap().write_all(b"another build").unwrap();
    for state in ["done", "kept"] {
        let run =
            Command::new(&other).args(["batch", "jobs.jsonl", "--quiet"]).current_dir(lab.at(".")).output();
        assert!(run.unwrap().status.success());
        assert_eq!(states(&lab, "jobs.batch/batch.json"), [state; 2]);
    }
    lab.ok("batch jobs.jsonl --summary --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["kept"; 2], "a summary is of whatever was done");
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["done"; 2]);
}

#[test]
fn what_a_file_leads_to_counts_as_well() {
    let lab = shots(1);
    lab.write("rest.obj", format!("mtllib rest.mtl\nusemtl red\n{}", strip(6)));
    lab.write("rest.mtl", "newmtl red\nKd 1 0 0\n");
    list(&lab, &[job(0)]);
    lab.ok("batch jobs.jsonl --quiet");
    let red = rigs(&lab);
    lab.write("rest.mtl", "newmtl red\nKd 0 1 0\n");
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["done"]);
    assert!(rigs(&lab) != red);
}

#[test]
fn what_vertices_count_is_a_file_too() {
    let lab = shots(1);
    let mut counted = job(0);
    counted["fit"]["importance"] = "care.txt".into();
    list(&lab, &[counted]);
    let vertices = strip_pose(6, 0.0).len();
    lab.write("care.txt", "1 ".repeat(vertices));
    lab.ok("batch jobs.jsonl --quiet");
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["kept"]);
    lab.write("care.txt", "9 ".to_owned() + &"1 ".repeat(vertices - 1));
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["done"]);
}

#[test]
fn a_file_that_comes_late_is_noticed() {
    let lab = shots(1);
    let mesh = fs::read_to_string(lab.at("rest.obj")).unwrap();
    lab.write("rest.obj", format!("mtllib late.mtl\nusemtl red\n{mesh}"));
    list(&lab, &[job(0)]);
    lab.ok("batch jobs.jsonl --quiet");
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["kept"]);
    lab.write("late.mtl", "newmtl red\nKd 1 0 0\n");
    lab.ok("batch jobs.jsonl --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["done"]);
}

#[test]
fn what_fails_stops_nothing_else() {
    let lab = shots(3);
    lab.write("shots/s01.pc2", "no cache");
    let over = json!({"job": "convert", "input": "shots/s02.pc2", "output": "rest.obj/x.pc2"});
    let large = json!({"job": "convert", "input": "large.pc2", "output": "large.mdd"});
    // 30 GB of positions, of which nothing is written to the disk.
    let mut header = b"POINTCACHE2\0".to_vec();
    for word in [1_u32, 1_000_000, 0_f32.to_bits(), 1_f32.to_bits(), 2500] {
        header.extend(word.to_le_bytes());
    }
    lab.write("large.pc2", &header);
    let file = fs::OpenOptions::new().write(true).open(lab.at("large.pc2")).unwrap();
    file.set_len(header.len() as u64 + 12 * 1_000_000 * 2500).unwrap();
    list(&lab, &[job(0), job(1), json!({"job": "skin", "bnoes": 3}), over, large, job(2)]);
    let output = lab.run("batch jobs.jsonl --memory 4GB");
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(
        states(&lab, "jobs.batch/batch.json"),
        ["done", "failed", "failed", "failed", "failed", "done"]
    );
    let report = lab.json("jobs.batch/batch.json");
    let sentence = |i: usize| report["rows"][i]["sentence"].as_str().unwrap_or_default().to_owned();
    assert!(sentence(1).contains("s01.pc2"), "{}", sentence(1));
    assert!(sentence(2).contains("is no job"), "{}", sentence(2));
    assert!(sentence(3).contains("rest.obj"), "{}", sentence(3));
    assert!(sentence(4).contains("60.06 GB") && sentence(4).contains("4.00 GB"), "{}", sentence(4));
    assert!(said(&output).contains("4 of 6 jobs failed"), "{}", said(&output));
    // The page has it too, and nothing from elsewhere.
    let page = fs::read_to_string(lab.at("jobs.batch/index.html")).unwrap();
    assert!(page.contains("s01.pc2") && !page.contains("http"), "{page}");

    list(&lab, &[job(1), job(0), job(2)]);
    let output = lab.run("batch jobs.jsonl --again --stop-on-error --threads 1 --folder other");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(states(&lab, "other/batch.json"), ["failed", "waiting", "waiting"]);
}

#[test]
fn jobs_that_do_not_go_together_are_told() {
    let lab = shots(2);
    let reads = json!({"job": "info", "file": "./rigs/../rigs/s00.glb", "report": "info.json"});
    let mut same_file = job(1);
    same_file["output"] = "rigs/./s00.glb".into();
    let piped = json!({"job": "info", "file": "-", "report": "piped.json"});
    // The same file by its whole path, in a folder that is not there yet.
    let mut whole_path = job(1);
    whole_path["output"] = lab.at("rigs/s00.glb").to_str().into();
    list(&lab, &[job(0), job(0), same_file, reads, piped, whole_path]);
    let output = lab.run("batch jobs.jsonl");
    let report = lab.json("jobs.batch/batch.json");
    let said: Vec<&str> =
        (1..6).map(|i| report["rows"][i]["sentence"].as_str().unwrap_or_default()).collect();
    assert!(said[0].contains("same job as line 1"), "{said:?}");
    assert!(said[1].contains("line 1 writes that too"), "{said:?}");
    assert!(said[2].contains("line 1 writes that"), "{said:?}");
    assert!(said[3].contains("standard input"), "{said:?}");
    assert!(said[4].contains("line 1 writes that too"), "{said:?}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn parts_are_apart_and_together_the_list() {
    let lab = shots(5);
    list(&lab, &[job(0), job(1), job(2), job(3), job(4)]);
    for part in 1..=3 {
        lab.ok(&format!("batch jobs.jsonl --shard {part}/3 --quiet"));
        let summary = format!("jobs.batch/batch-{part}-of-3.json");
        assert!(states(&lab, &summary).iter().all(|state| state == "done"), "no part does what another did");
    }
    lab.ok("batch jobs.jsonl --summary --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["kept"; 5]);
    for wrong in ["0/3", "4/3", "1", "a/b"] {
        assert!(lab.refused(&format!("batch jobs.jsonl --shard {wrong}")).contains("3/16"), "{wrong}");
    }
}

#[test]
fn two_at_once_do_no_harm() {
    let lab = shots(4);
    list(&lab, &[job(0), job(1), job(2), job(3)]);
    std::thread::scope(|scope| {
        let both = [0, 1].map(|_| scope.spawn(|| lab.run("batch jobs.jsonl --quiet").status.code()));
        both.into_iter().for_each(|one| assert_eq!(one.join().unwrap(), Some(0)));
    });
    let together = rigs(&lab);
    lab.ok("batch jobs.jsonl --again --quiet");
    assert!(rigs(&lab) == together);
}

#[test]
fn lists_are_made_of_patterns_and_tables() {
    let lab = shots(2);
    fs::create_dir_all(lab.at("shots/more")).unwrap();
    fs::rename(lab.at("shots/s01.pc2"), lab.at("shots/more/s01.pc2")).unwrap();
    let template = json!({
        "job": "skin",
        "source": { "inputs": ["{path}"], "rest": "rest.obj" },
        "fit": { "bones": 2 },
        "output": "rigs/{below}/{stem}.glb",
    });
    lab.write("template.json", template.to_string());
    lab.ok("batch --each shots/**/*.pc2 --template template.json --quiet");
    assert_eq!(states(&lab, "template.batch/batch.json"), ["done"; 2]);
    assert!(lab.at("rigs/s00.glb").exists() && lab.at("rigs/more/s01.glb").exists());
    let jobs = lab.ok("batch --each shots/**/*.pc2 --template template.json --print-job");
    assert_eq!(jobs.lines().count(), 2);
    lab.write("jobs.jsonl", jobs);
    lab.ok("batch jobs.jsonl --folder template.batch --quiet");
    assert_eq!(states(&lab, "template.batch/batch.json"), ["kept"; 2]);

    let template = json!({
        "job": "skin",
        "source": { "inputs": ["{cache}"], "rest": "rest.obj" },
        "fit": { "bones": "{bones:number}" },
        "output": "{rig}",
    });
    lab.write("table.json", template.to_string());
    lab.write("shots.csv", "cache,bones,rig\nshots/s00.pc2,2,t/s00.glb\n\"shots/more/s01.pc2\",,t/s01.glb\n");
    lab.ok("batch shots.csv --template table.json --quiet");
    assert!(fs::read(lab.at("t/s00.glb")).unwrap() == fs::read(lab.at("rigs/s00.glb")).unwrap());
    assert!(lab.at("t/s01.glb").exists());
}

#[test]
fn wrong_lists_get_a_sentence() {
    let lab = shots(1);
    let refused = |list: &[u8], arguments: &str| {
        lab.write("l.jsonl", list);
        lab.write("l.csv", list);
        lab.refused(arguments)
    };
    assert!(refused(b"", "batch l.jsonl").contains("is empty"));
    assert!(refused(b"{}\n", "batch l.jsonl").contains("is no job"));
    assert!(refused(b"[[[[[[", "batch l.jsonl").contains("is no job"));
    assert!(refused(&"[".repeat(100_000).into_bytes(), "batch l.jsonl").contains("is no job"));
    assert!(refused(b"{\"job\":\"skin\"}\n\xff\xfe", "batch l.jsonl").contains("line 2 is no text"));
    assert!(refused(b"", "batch none.jsonl").contains("none.jsonl"));
    assert!(refused(b"a\n1\n", "batch l.csv").contains("--template"));
    lab.write("t.json", r#"{"job": "info", "file": "{pth}"}"#);
    let said = refused(b"path\nx\n", "batch l.csv --template t.json");
    assert!(said.contains("{pth}") && said.contains("path"), "{said}");
    assert!(refused(b"", "batch --each *.abc --template t.json").contains("{pth}"));
    lab.write("t.json", r#"{"job": "info", "file": "{path}"}"#);
    assert!(refused(b"", "batch --each *.abc --template t.json").contains("no file fits"));
    assert!(refused(b"path,b\nx\n", "batch l.csv --template t.json").contains("line 2 has 1 cell"));
    lab.write("t.json", r#"{"job": "skin", "source": {"inputs": ["{path}"]}, "fit": {"bones": "{bones}"}}"#);
    let said = refused(b"path,bones\nx,8\n", "batch l.csv --template t.json");
    assert!(said.contains("{name:number}"), "{said}");
    lab.write("t.json", "[1]");
    assert!(refused(b"", "batch --each *.pc2 --template t.json").contains("no job"));
    lab.write("jobs.jsonl", job(0).to_string());
    lab.write("file", "");
    assert!(lab.refused("batch jobs.jsonl --folder file").contains("file"));
    assert!(lab.refused("batch jobs.jsonl --template t.json").contains("leave out --template"));
}

#[test]
fn programs_read_a_line_a_job() {
    let lab = shots(2);
    list(&lab, &[job(0), json!({"job": "none"}), job(1)]);
    let output = lab.run("batch jobs.jsonl --report - --quiet");
    let lines: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let mut done: Vec<u64> = lines[..3].iter().map(|row| row["line"].as_u64().unwrap()).collect();
    done.sort_unstable();
    assert_eq!(done, [1, 2, 3]);
    assert_eq!((&lines[3]["done"], &lines[3]["failed"]), (&json!(2), &json!(1)));
    assert!(lines[3]["rows"].is_null());
}

#[test]
fn all_shots_have_one_skin() {
    let lab = shots(5);
    let jobs: Vec<Value> = (0..5).map(job).collect();
    list(&lab, &jobs);
    lab.ok("batch jobs.jsonl --shared-skin --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["done"; 5]);
    let weights = |i: usize| {
        let path = lab.at(&format!("rigs/s{i:02}.glb"));
        let rig = sinew_io::open::rig(&path, &sinew_io::scene::SampleOptions::default()).unwrap().rig;
        assert_eq!(rig.frame_count(), 5);
        (rig.rest, rig.weights)
    };
    assert!((1..5).all(|i| weights(i) == weights(0)));
    let rows = lab.json("jobs.batch/batch.json")["rows"].as_array().unwrap().clone();
    for row in rows {
        let told = row["warnings"].to_string();
        assert!(!told.contains("clip") && !told.contains("only its weights"), "{told}");
    }
    let together = rigs(&lab);
    lab.ok("batch jobs.jsonl --shared-skin --quiet");
    assert_eq!(states(&lab, "jobs.batch/batch.json"), ["kept"; 5]);
    fs::remove_dir_all(lab.at("rigs")).unwrap();
    for part in 1..=2 {
        lab.ok(&format!("batch jobs.jsonl --shared-skin --shard {part}/2 --folder parts --quiet"));
    }
    assert!(rigs(&lab) == together, "sums are of the same groups for any number of parts");

    let mut other = job(1);
    other["fit"]["bones"] = 3.into();
    list(&lab, &[job(0), other]);
    assert!(lab.refused("batch jobs.jsonl --shared-skin").contains("line 2 cannot share"));
}

/// A batch whose processes are killed, and that is killed itself, goes on to the same bytes.
#[cfg(unix)]
#[test]
fn kills_lose_nothing() {
    use std::process::Stdio;
    use std::time::Duration;
    let lab = shots(6);
    let jobs: Vec<Value> = (0..6).map(job).collect();
    list(&lab, &jobs);
    let mut killed = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(["batch", "jobs.jsonl", "--quiet", "--threads", "1"])
        .current_dir(lab.at("."))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(60));
    killed.kill().unwrap();
    killed.wait().unwrap();
    lab.ok("batch jobs.jsonl --quiet");
    let rigs_of_two = rigs(&lab);
    assert_eq!(rigs_of_two.len(), 6);
    lab.ok("batch jobs.jsonl --again --quiet");
    assert!(rigs(&lab) == rigs_of_two);
}
