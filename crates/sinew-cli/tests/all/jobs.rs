//! Jobs as files: what `--print-job` prints does what the command does.

use crate::common::Lab;

/// Runs a command, then its job from a file: the same words where they are the answer, and the same bytes in `written`.
fn the_same(lab: &Lab, command: &str, written: &[&str]) {
    let read = || written.iter().map(|name| std::fs::read(lab.at(name)).unwrap()).collect::<Vec<_>>();
    let said = lab.ok(&format!("{command} --quiet"));
    let by_command = read();
    written.iter().for_each(|name| std::fs::remove_file(lab.at(name)).unwrap());
    let job = lab.ok(&format!("{command} --print-job"));
    assert!(written.iter().all(|name| !lab.at(name).exists()), "{command} ran");
    lab.write("job.json", &job);
    assert_eq!(lab.ok("run job.json --print-job"), job, "{command}");
    assert_eq!(lab.ok("run job.json --quiet"), said, "{command}");
    assert!(by_command == read(), "{command}\n{job}");
}

fn rig() -> Lab {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 10 -o rig.glb");
    lab
}

#[test]
fn rigs_are_played_simplified_and_lit_by_jobs() {
    let lab = rig();
    the_same(&lab, "bake rig.glb --blend centres -o out.pc2 --rest-out out.obj", &["out.pc2", "out.obj"]);
    the_same(&lab, "stream play rig.glb --from 2 --frames 3 -o some.mdd", &["some.mdd"]);
    the_same(&lab, "lod rig.glb --triangles 50%,200 -o lods.glb --picture l.png", &["lods.glb", "l.png"]);
    the_same(&lab, "light rig.glb --rank 2 --rays 16 --factor nmf -o lit.glb", &["lit.glb"]);
    lab.write("ladder.json", r#"{"job": "lod", "rig": "rig.glb", "output": "ladder.glb"}"#);
    assert!(lab.ok("run ladder.json").contains("levels"), "levels that nobody chose");
}

#[test]
fn files_are_converted_described_and_streamed_by_jobs() {
    let lab = rig();
    the_same(&lab, "convert rig.glb out.mdd --rest-out out.obj --scale 2", &["out.mdd", "out.obj"]);
    the_same(&lab, "convert rig.glb small.glb --compact=0.1 --up z", &["small.glb"]);
    the_same(&lab, "info rig.glb --report info.json", &["info.json"]);
    let encode = "stream encode creature/anim.pc2 --rest creature/rest.obj --bones 6";
    the_same(&lab, &format!("{encode} --keys none --kind rigid -o s.sinew"), &["s.sinew"]);
    let piped = lab.run(&format!("{encode} -o - --quiet")).stdout;
    lab.write("piped.json", lab.ok(&format!("{encode} -o - --print-job")));
    assert!(
        piped.len() > 1000 && lab.run("run piped.json").stdout == piped,
        "standard output holds the stream alone"
    );
}

#[test]
fn rigs_are_drawn_and_collide_by_jobs() {
    let lab = rig();
    the_same(&lab, "picture rig.glb --frame 0,3 --color bones --size 200x100 -o p.png", &["p.png"]);
    the_same(&lab, "picture rig.glb --bone 2 --frame spread:2 --view -30,10 --up z -o w.png", &["w.png"]);
    let report = |command: &str| {
        lab.ok(command);
        let mut report = lab.json("contacts.json");
        report["seconds"].take();
        report
    };
    let command = "collide rig.glb rig.glb --offset 0.2,0,0 --turn 20 --frames 0,4 --quiet -o contacts.json";
    let by_command = report(command);
    lab.write("job.json", lab.ok(&format!("{command} --print-job")));
    assert_eq!(report("run job.json"), by_command);
}

#[test]
fn crowds_are_jobs_and_demonstrations_are_none() {
    let lab = Lab::new();
    let job = lab.ok(
        "crowd a.glb b.glb --shares 2,1 --count 7 --no-lod --light off --route draw --camera 10,20,1.5/0,5,2 \
         --size 64x32 --print-job -o crowd.gif",
    );
    let read: serde_json::Value = serde_json::from_str(&job).unwrap();
    assert_eq!((&read["job"], &read["lod"], &read["light"]), (&"crowd".into(), &false.into(), &"off".into()));
    assert_eq!(read["camera"][1]["away"], 2.0);
    lab.write("job.json", &job);
    assert_eq!(lab.ok("run job.json --print-job"), job);
    for command in ["demo", "sample creature -o there"] {
        assert!(lab.refused(&format!("{command} --print-job")).contains("is no job"), "{command}");
    }
}

#[test]
fn what_is_wrong_with_a_job_is_told() {
    let lab = rig();
    lab.write("job.json", r#"{"job": "light", "rig": "rig.glb", "output": "lit.glb", "rank": 300}"#);
    assert_eq!(lab.refused("run job.json"), "rank takes 1 to 256, not 300");
    lab.write("job.json", r#"{"job": "bake", "rig": "rig.glb", "output": "a.sinew", "from": 2}"#);
    assert!(lab.refused("run job.json").contains("rigs are written whole"));
    lab.write("job.json", r#"{"job": "bake", "rig": "rig.glb"}"#);
    assert!(lab.refused("run job.json").contains("output"), "what is missing is told");
}

#[test]
fn jobs_are_refused_by_the_names_of_their_fields() {
    let lab = Lab::new();
    let refused = |json: &str| {
        lab.write("job.json", json);
        lab.refused("run job.json")
    };
    let nowhere =
        refused(r#"{"job": "skin", "source": {"inputs": ["a.pc2"]}, "fit": {}, "memory": 2000000000}"#);
    assert_eq!(nowhere, "there is nowhere to put the result: give output or report");
    assert_eq!(
        refused(
            r#"{"job": "skin", "source": {"inputs": []}, "fit": {}, "output": "a.glb", "memory": 2000000000}"#
        ),
        "inputs names no file"
    );
    let scale = refused(r#"{"job": "convert", "input": "a.obj", "output": "b.obj", "scale": 1e40}"#);
    assert_eq!(scale, "scale takes a number from 1e-12 to 1e12, not 1e40");
}
