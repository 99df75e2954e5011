//! Jobs from files do what commands do.

use serde_json::Value;

use crate::common::Lab;

/// Runs a command, prints its job, and runs that: files come out the same, and reports but for times.
pub fn same_as_job(lab: &Lab, arguments: &str, files: &[&str]) {
    let read = || -> Vec<Vec<u8>> { files.iter().map(|file| without_times(lab, file)).collect() };
    let said = lab.ok(arguments);
    let command = read();
    let job = lab.ok(&format!("{arguments} --print-job"));
    files.iter().for_each(|file| std::fs::remove_file(lab.at(file)).unwrap());
    lab.write("job.json", &job);
    let told = lab.ok("run job.json");
    assert_eq!(read(), command, "{arguments}");
    assert_eq!(said.lines().count(), told.lines().count(), "{said}\n{told}");
}

fn without_times(lab: &Lab, file: &str) -> Vec<u8> {
    if !file.ends_with(".json") {
        return std::fs::read(lab.at(file)).unwrap();
    }
    let mut report = lab.json(file);
    if let Value::Object(fields) = &mut report {
        fields.retain(|name, _| name != "seconds" && name != "peak_memory");
    }
    report.to_string().into_bytes()
}

#[test]
fn a_skeleton_from_a_job() {
    let lab = Lab::with_creature();
    same_as_job(
        &lab,
        "skeleton creature/anim.pc2 --rest creature/rest.obj --joints 8 -o out.glb --bvh out.bvh --report out.json",
        &["out.glb", "out.bvh", "out.json"],
    );
}

#[test]
fn motion_and_edits_from_jobs() {
    let lab = Lab::with_creature();
    lab.ok("skeleton creature/anim.pc2 --rest creature/rest.obj --joints 8 -o rig.glb --bvh walk.bvh");
    same_as_job(
        &lab,
        "transplant walk.bvh --onto rig.glb --translations skeleton -o out.glb --picture p.png --report out.json",
        &["out.glb", "p.png", "out.json"],
    );
    same_as_job(&lab, "transplant --suggest walk.bvh --onto rig.glb -o map.toml", &["map.toml"]);
    same_as_job(
        &lab,
        "edit rotate rig.glb --bone 3 --axis 0,2,1 --angle 30 --frame 1 --through end --ease 2 -o out.glb --report \
         out.json",
        &["out.glb", "out.json"],
    );
    lab.ok("bake rig.glb -o frames/ --rest-out rest.obj");
    same_as_job(&lab, "edit rest rig.glb --shape rest.obj --carry bones -o out.glb", &["out.glb"]);
    same_as_job(
        &lab,
        "edit pose rig.glb --frame 2 --shape frames/frame_0003.obj -o out.sinew",
        &["out.sinew"],
    );
}
