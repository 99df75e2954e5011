//! `--gpu` of `picture` and `compare`, from outside.

use std::process::{Command, Output};

use crate::common::Lab;

/// Settings under which no GPU is found: a driver that does not exist is no driver.
const NONE: [(&str, &str); 2] = [("VK_ICD_FILENAMES", "/nowhere.json"), ("VK_DRIVER_FILES", "/nowhere.json")];

fn run(lab: &Lab, arguments: &str, environment: &[(&str, &str)]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_sinew"))
        .args(arguments.split_whitespace())
        .env("NODEVICE_SELECT", "1")
        .envs(environment.iter().copied())
        .current_dir(lab.at(""))
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments}\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn lab() -> Lab {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 8 --rank 3 -o rig.glb");
    lab
}

const COMPARE: &str = "compare creature/anim.pc2 rig.glb --rest creature/rest.obj";

#[test]
fn the_gpu_plays_what_the_cpu_plays() {
    let lab = lab();
    run(&lab, &format!("{COMPARE} --report cpu.json"), &[]);
    run(&lab, &format!("{COMPARE} --gpu --report gpu.json"), &[]);
    let (cpu, gpu) = (lab.json("cpu.json"), lab.json("gpu.json"));
    assert!(cpu["gpu"].is_null());
    if gpu["gpu"].is_null() {
        assert!(std::env::var_os("VK_ICD_FILENAMES").is_none(), "{gpu}");
        println!("note: not tested, as there is no GPU");
        return;
    }
    let difference = gpu["gpu"]["difference"].as_f64().unwrap();
    // Something was computed, and it is the same.
    assert!(difference > 0.0 && difference <= 1e-5, "{difference}");
    let [a, b] = [&cpu, &gpu].map(|report| report["error"]["percent"].as_f64().unwrap());
    assert!((a / b - 1.0).abs() < 1e-3, "{a} {b}");
}

#[test]
fn without_a_gpu_the_cpu_does_it_and_says_so() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let lab = lab();
    run(&lab, &format!("{COMPARE} --gpu --report gpu.json"), &NONE);
    let report = lab.json("gpu.json");
    let warning = report["warnings"][0].as_str().unwrap();
    assert!(warning.contains("there is no GPU") && warning.ends_with("the CPU played the rig instead"));
    assert!(report["gpu"].is_null());

    run(&lab, "picture rig.glb --frame 0,5 --size 120x90 -o cpu.png", &[]);
    let output = run(&lab, "picture rig.glb --frame 0,5 --size 120x90 --gpu -o gpu.png", &NONE);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("warning: there is no GPU") && said.contains("the CPU draws"), "{said}");
    let [cpu, gpu] = ["cpu.png", "gpu.png"].map(|name| std::fs::read(lab.at(name)).unwrap());
    assert!(cpu == gpu, "the same picture");
}

#[test]
fn pictures_are_drawn_by_the_gpu() {
    let lab = lab();
    let arguments = "picture rig.glb --frame 0,5 --size 120x90 --gpu -o gpu.png";
    let output = run(&lab, arguments, &[]);
    if String::from_utf8_lossy(&output.stderr).contains("there is no GPU") {
        assert!(std::env::var_os("VK_ICD_FILENAMES").is_none());
        println!("note: not tested, as there is no GPU");
        return;
    }
    let picture = |name: &str| std::fs::read(lab.at(name)).unwrap();
    run(&lab, "picture rig.glb --frame 0,5 --size 120x90 -o cpu.png", &[]);
    assert!(picture("cpu.png") != picture("gpu.png"), "somebody else drew it");
    run(&lab, "picture rig.glb --frame 0,6 --size 120x90 --gpu -o other.png", &[]);
    assert!(picture("other.png") != picture("gpu.png"), "another frame is another picture");
    let error = "--color error --against creature/anim.pc2 --rest creature/rest.obj";
    for more in ["--color weights", "--color plain", "--bone 2", error] {
        run(&lab, &format!("picture rig.glb --frame 0,5 --size 120x90 --gpu {more} -o more.png"), &[]);
        assert!(picture("more.png") != picture("gpu.png"), "{more}");
    }
}

#[test]
fn what_the_gpu_does_not_draw_is_refused() {
    let lab = lab();
    for more in ["--color bones", "--wireframe"] {
        let said = lab.refused(&format!("picture rig.glb --gpu {more} -o a.png"));
        assert!(said.contains("--gpu"), "{said}");
    }
    let said = lab.refused("picture creature/anim.pc2 --rest creature/rest.obj --gpu -o a.png");
    assert!(said.contains("holds no rig"), "{said}");
    let said = lab.refused("compare creature/anim.pc2 creature/anim.pc2 --gpu");
    assert!(said.contains("holds no rig"), "{said}");
}
