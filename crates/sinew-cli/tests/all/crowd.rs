//! `sinew crowd`, from outside.

use std::process::{Command, Output};

use crate::common::Lab;

/// Runs `sinew crowd`. Drivers print what they like when they look for a display, so that is not asked for.
fn crowd(lab: &Lab, arguments: &str, environment: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sinew"))
        .arg("crowd")
        .args(arguments.split_whitespace())
        .env("NODEVICE_SELECT", "1")
        .envs(environment.iter().copied())
        .current_dir(lab.at(""))
        .output()
        .unwrap()
}

/// A lab with a small rig, and whether there is a GPU.
fn lab() -> (Lab, bool) {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 8 -o rig.glb");
    let output = crowd(&lab, "rig.glb --count 1 --size 16x16 -o try.png --quiet", &[]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let none = error.contains("there is no GPU that can be used");
    // Whoever names a driver wants it used.
    let may_lack = none && std::env::var_os("VK_ICD_FILENAMES").is_none();
    assert!(may_lack || output.status.success(), "{error}");
    if none {
        println!("note: not tested, as there is no GPU");
    }
    (lab, !none)
}

fn ok(lab: &Lab, arguments: &str) {
    let output = crowd(lab, arguments, &[]);
    assert!(output.status.success(), "{arguments}\n{}", String::from_utf8_lossy(&output.stderr));
}

fn bytes(lab: &Lab, name: &str) -> Vec<u8> {
    std::fs::read(lab.at(name)).unwrap()
}

#[test]
fn herds_become_pictures() {
    let (lab, true) = lab() else { return };
    ok(&lab, "rig.glb --count 9 --size 96x54 -o a.png");
    ok(&lab, "rig.glb --count 9 --size 96x54 -o b.png");
    ok(&lab, "rig.glb --count 9 --size 96x54 --seed 2 -o c.png");
    assert_eq!(bytes(&lab, "a.png"), bytes(&lab, "b.png"));
    assert_ne!(bytes(&lab, "a.png"), bytes(&lab, "c.png"));

    ok(&lab, "rig.glb --count 4 --size 64x36 --frames 3 -o moving.gif");
    assert_eq!(&bytes(&lab, "moving.gif")[..6], b"GIF89a");
    ok(&lab, "rig.glb --count 4 --size 64x36 --frames 3 --camera 0,10,3/90,40,2 -o frames");
    let frames: Vec<Vec<u8>> = (0..3).map(|i| bytes(&lab, &format!("frames/frame_000{i}.png"))).collect();
    assert!(frames[0] != frames[1] && frames[1] != frames[2], "time and camera go on");
}

/// A stand-in for ffmpeg that writes down what it is given.
#[cfg(unix)]
#[test]
fn videos_go_through_ffmpeg() {
    use std::os::unix::fs::PermissionsExt;
    let (lab, true) = lab() else { return };
    std::fs::create_dir(lab.at("bin")).unwrap();
    lab.write(
        "bin/ffmpeg",
        "#!/bin/sh\n[ \"$1\" = -version ] && exit 0\nfor last; do :; done\ncat > \"$last\"\n",
    );
    std::fs::set_permissions(lab.at("bin/ffmpeg"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", lab.at("bin").display(), std::env::var("PATH").unwrap());
    let output = crowd(&lab, "rig.glb --count 2 --size 32x18 --frames 3 -o a.mp4", &[("PATH", &path)]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(bytes(&lab, "a.mp4").len(), 3 * 32 * 18 * 4);

    lab.write("bin/ffmpeg", "#!/bin/sh\n[ \"$1\" = -version ] && exit 0\necho no such codec >&2\nexit 1\n");
    let output = crowd(&lab, "rig.glb --count 2 --size 32x18 --frames 3 -o b.mp4", &[("PATH", &path)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ffmpeg failed: no such codec"));
    assert!(!lab.at("b.mp4").exists());
}

#[test]
fn speeds_are_reported() {
    let (lab, true) = lab() else { return };
    ok(
        &lab,
        "rig.glb rig.glb --count 20 --size 64x36 --bench --frames 4 --streaming-frames 1 --report b.json",
    );
    let report = lab.json("b.json");
    for positive in ["fps", "streaming_fps", "triangles_per_second", "bytes_per_frame", "times_streaming"] {
        assert!(report[positive].as_f64().unwrap() > 0.0, "{positive}");
    }
    assert!(!report["adapter"].as_str().unwrap().is_empty());
    assert!(report["largest_difference"].as_f64().unwrap() <= 1e-5);
    assert_eq!(report["instances"], 20);
    let (few, many) = (&report["bytes_per_frame"], &report["streaming_bytes_per_frame"]);
    assert!(few.as_u64().unwrap() < 1000 && many.as_u64().unwrap() > 100_000, "{few} {many}");
    let levels = report["levels"][0].as_array().unwrap();
    assert!(levels.len() > 2 && levels.windows(2).all(|w| w[0].as_u64() > w[1].as_u64()), "{levels:?}");
    let full = report["triangles"].as_u64().unwrap() as f64;
    assert!(report["triangles_per_frame"].as_f64().unwrap() <= full);

    ok(
        &lab,
        "rig.glb --triangles 50000 --no-lod --size 64x36 --camera 0,60,6 --bench --frames 2 --report a.json",
    );
    let report = lab.json("a.json");
    let full = report["triangles"].as_f64().unwrap();
    assert!((full / 50_000.0 - 1.0).abs() < 0.1, "{full}");
    // All of them are in the picture, in full.
    assert_eq!(report["triangles_per_frame"].as_f64().unwrap(), full);
    assert_eq!(report["levels"][0].as_array().unwrap().len(), 1);
}

#[test]
fn baked_light_is_shown() {
    let (lab, true) = lab() else { return };
    lab.ok("light rig.glb --rank 4 --rays 24 -o lit.glb");
    ok(&lab, "lit.glb --count 3 --size 96x54 --light off -o off.png");
    ok(&lab, "lit.glb --count 3 --size 96x54 -o on.png");
    assert!(bytes(&lab, "off.png") != bytes(&lab, "on.png"), "light makes no difference");
    ok(
        &lab,
        "lit.glb rig.glb --count 8 --size 64x36 --bench --frames 2 --streaming-frames 1 --report b.json",
    );
    let report = lab.json("b.json");
    assert_eq!(report["light"], serde_json::json!([4, 0]));
    assert!(report["largest_light_difference"].as_f64().unwrap() <= 1e-5, "{report}");
    ok(&lab, "lit.glb --count 8 --size 64x36 --light off --report b.json -o off.png");
    assert_eq!(lab.json("b.json")["light"], serde_json::json!([0]));
}

#[test]
fn levels_of_the_file_are_used() {
    let (lab, true) = lab() else { return };
    lab.ok("light rig.glb --rank 2 --rays 8 -o lit.glb");
    lab.ok("lod lit.glb --triangles 60%,20% --report lod.json -o lods.glb");
    let wanted: Vec<u64> = (lab.json("lod.json")["levels"].as_array().unwrap().iter())
        .map(|level| level["triangles"].as_u64().unwrap())
        .collect();
    ok(&lab, "lods.glb rig.glb --count 6 --size 64x36 --report b.json -o b.png");
    let report = lab.json("b.json");
    assert_eq!(report["levels"][0], serde_json::json!(wanted));
    assert_eq!(report["levels_from"], serde_json::json!(["file", "simplified"]));
    // Light goes on through lod.
    assert_eq!(report["light"], serde_json::json!([2, 0]));

    // A file that does not say how far off its levels are: they are measured, and what is near is drawn in full.
    let text = bytes(&lab, "lods.glb");
    let at = text.windows(10).position(|w| w == b"lod_errors").unwrap();
    let mut other = text.clone();
    other[at..at + 10].copy_from_slice(b"lod_nobody");
    lab.write("other.glb", other);
    ok(
        &lab,
        "lods.glb --count 1 --size 64x36 --tolerance 0.01 --bench --frames 1 --streaming-frames 0 --report a.json",
    );
    ok(
        &lab,
        "other.glb --count 1 --size 64x36 --tolerance 0.01 --bench --frames 1 --streaming-frames 0 --report b.json",
    );
    let [own, measured] =
        ["a.json", "b.json"].map(|name| lab.json(name)["triangles_per_frame"].as_f64().unwrap());
    assert_eq!((own, measured), (wanted[0] as f64, wanted[0] as f64));
    ok(&lab, "lods.glb --count 2 --no-lod --size 64x36 --report b.json -o b.png");
    assert_eq!(lab.json("b.json")["levels_from"], serde_json::json!(["none"]));
}

#[test]
fn without_a_gpu_there_is_a_sentence() {
    let lab = Lab::with_creature();
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones 4 -o rig.glb");
    // A driver that does not exist is no driver. Other systems than Linux have their GPU built in.
    if !cfg!(target_os = "linux") {
        return;
    }
    let none = [("VK_ICD_FILENAMES", "/nowhere.json"), ("VK_DRIVER_FILES", "/nowhere.json")];
    let output = crowd(&lab, "rig.glb --count 1 -o none.png --quiet", &none);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("error: there is no GPU that can be used"), "{error}");
    assert!(!lab.at("none.png").exists());
}

#[cfg(not(feature = "window"))]
#[test]
fn builds_without_windows_say_how_to_have_them() {
    let lab = Lab::new();
    let sentence = lab.refused("crowd -o window");
    assert!(sentence.contains("cargo build --release --features window"), "{sentence}");
    assert!(!lab.at("window").exists());
}

#[cfg(all(feature = "window", target_os = "linux"))]
#[test]
fn without_a_screen_there_is_a_sentence() {
    let lab = Lab::new();
    for display in ["", ":4242"] {
        let screens = [("DISPLAY", display), ("WAYLAND_DISPLAY", ""), ("WAYLAND_SOCKET", "")];
        let output = crowd(&lab, "-o window --quiet", &screens);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.starts_with("error: no window can be opened: "), "{error}");
        assert!(error.contains("*.png") && !error.contains(".rs"), "{error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        assert!(!lab.at("window").exists());
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let lab = Lab::new();
    std::fs::write(lab.at("rig.glb"), "not a rig").unwrap();
    for (arguments, said) in [
        ("crowd rig.glb -o herd.txt", "*.png, *.gif, *.mp4"),
        ("crowd rig.glb -o rig.glb", "its own input"),
        ("crowd rig.glb --samples 3 -o herd.png", "1 or 4"),
        ("crowd rig.glb --shares 1,2 -o herd.png", "--shares"),
        ("crowd rig.glb --shares=-1 -o herd.png", "--shares"),
        ("crowd rig.glb --fps 0 -o herd.png", "frame rate"),
        ("crowd rig.glb --tolerance=0 -o herd.png", "--tolerance"),
        ("crowd rig.glb -o nowhere/herd.png", "nowhere"),
    ] {
        let sentence = lab.refused(arguments);
        assert!(sentence.contains(said), "{arguments}: {sentence}");
    }
    for arguments in ["rig.glb", "rig.glb --camera 1,2 -o a.png", "rig.glb --count 0 -o a.png"] {
        assert_eq!(crowd(&lab, arguments, &[]).status.code(), Some(2), "{arguments}");
    }
}
