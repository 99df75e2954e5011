//! Bad input gets one sentence, exit code 2 and no file.

use crate::common::{Lab, strip, strip_pose};
use glam::Vec3;

/// A lab with a good cache of three frames and its mesh.
fn lab() -> Lab {
    let lab = Lab::new();
    lab.write("rest.obj", strip(6));
    lab.cache("anim.pc2", &bends(6));
    lab
}

fn bends(count: usize) -> Vec<Vec<Vec3>> {
    [0.0, 0.3, 0.6].map(|bend| strip_pose(count, bend)).into()
}

fn refused(lab: &Lab, input: &str, words: &[&str]) {
    let sentence = lab.refused(&format!("skin {input} -o out.glb --report out.json"));
    for word in words {
        assert!(sentence.contains(word), "“{word}” is not in: {sentence}");
    }
}

#[test]
fn the_good_input_is_good() {
    let lab = lab();
    lab.ok("skin anim.pc2 --rest rest.obj -o out.glb");
}

#[test]
fn missing_and_empty() {
    let lab = lab();
    std::fs::create_dir(lab.at("empty")).unwrap();
    refused(&lab, "empty", &["empty", "no OBJ, PLY"]);
    refused(&lab, "nothing.pc2 --rest rest.obj", &["nothing.pc2", "there is no such file"]);
    refused(&lab, "anim.pc2 --rest nothing.obj", &["nothing.obj", "there is no such file"]);
    refused(&lab, "anim.pc2", &["anim.pc2", "--rest"]);
    refused(&lab, "*.nothing", &["*.nothing"]);
    lab.write("empty.obj", "");
    assert!(lab.refused("info empty.obj").contains("there are no vertices in this file"));
    lab.write("picture.glb", b"\x89PNG\r\n\x1a\n");
    refused(&lab, "picture.glb", &["picture.glb", "this is no glTF"]);
}

#[test]
fn a_mesh_beside_a_cache_is_no_sequence() {
    let lab = Lab::new();
    std::fs::create_dir(lab.at("shot")).unwrap();
    lab.write("shot/rest.obj", strip(6));
    lab.cache("shot/anim.pc2", &bends(6));
    refused(&lab, "shot", &["shot/anim.pc2 --rest shot/rest.obj"]);
    lab.ok("skin shot/anim.pc2 --rest shot/rest.obj -o out.glb");
}

#[test]
fn truncated_files() {
    let lab = lab();
    let cache = std::fs::read(lab.at("anim.pc2")).unwrap();
    lab.ok("skin anim.pc2 --rest rest.obj -o whole.glb");
    let rig = std::fs::read(lab.at("whole.glb")).unwrap();
    for cut in [0, 5, 20, 32, cache.len() / 2, cache.len() - 1] {
        lab.write("cut.pc2", &cache[..cut]);
        refused(&lab, "cut.pc2 --rest rest.obj", &["cut.pc2"]);
    }
    for cut in [0, 3, 12, 100, rig.len() / 2, rig.len() - 1] {
        lab.write("cut.glb", &rig[..cut]);
        refused(&lab, "cut.glb", &["cut.glb"]);
        lab.refused("bake cut.glb -o out.pc2");
        lab.refused("info cut.glb");
        lab.refused("picture cut.glb -o out.png");
    }
}

#[test]
fn counts_that_differ() {
    let lab = lab();
    lab.write("other.obj", strip(5));
    refused(&lab, "anim.pc2 --rest other.obj", &["other.obj", "12 vertices", "anim.pc2", "14"]);
    std::fs::create_dir(lab.at("frames")).unwrap();
    for (name, count) in [("f1.obj", 4), ("f2.obj", 4), ("f3.obj", 5)] {
        lab.write(&format!("frames/{name}"), strip(count));
    }
    refused(&lab, "frames", &["f3.obj", "frame 2", "12 vertices", "10"]);
    lab.cache("short.pc2", &bends(6)[..2]);
    let sentence = lab.refused("compare anim.pc2 short.pc2");
    assert!(sentence.contains("3 frames") && sentence.contains("has 2"), "{sentence}");
    lab.cache("small.pc2", &bends(5));
    let sentence = lab.refused("compare anim.pc2 small.pc2");
    assert!(sentence.contains("14 vertices") && sentence.contains("has 12"), "{sentence}");
}

#[test]
fn numbers_that_are_none() {
    let lab = lab();
    for bad in [f32::NAN, f32::INFINITY] {
        let mut poses = bends(6);
        poses[2][7].y = bad;
        lab.cache("bad.pc2", &poses);
        refused(&lab, "bad.pc2 --rest rest.obj", &["bad.pc2", "frame 2", "vertex 7"]);
        let sentence = lab.refused("compare anim.pc2 bad.pc2");
        assert!(sentence.contains("frame 2, vertex 7"), "{sentence}");
        // Said, after all that can be said.
        let info = lab.run("info bad.pc2 --rest rest.obj --quiet");
        assert_eq!(info.status.code(), Some(2));
        let table = String::from_utf8(info.stdout).unwrap();
        assert!(table.contains("frame 2, vertex 7") && table.contains("3 frames"), "{table}");
        let sentence = String::from_utf8(info.stderr).unwrap();
        assert_eq!(sentence, "error: bad.pc2: 1 coordinate is not a finite number\n");
    }
    lab.write("bad.obj", strip(6).replacen("v 1 0 0", "v nan 0 0", 1));
    refused(&lab, "anim.pc2 --rest bad.obj", &["bad.obj", "line 3"]);
    std::fs::create_dir(lab.at("frames")).unwrap();
    lab.write("frames/f1.obj", strip(6));
    lab.write("frames/f2.obj", std::fs::read(lab.at("bad.obj")).unwrap());
    refused(&lab, "frames", &["f2.obj", "line 3", "finite"]);
}

#[test]
fn numbers_that_are_none_are_not_passed_on() {
    let lab = lab();
    let mut poses = bends(6);
    poses[2][7].y = f32::NAN;
    lab.cache("bad.pc2", &poses);
    for target in ["out.pc2", "out.mdd", "out.npy", "out.npz", "out.abc", "out.usda", "out/"] {
        let sentence = lab.refused(&format!("convert bad.pc2 {target} --rest rest.obj"));
        assert!(sentence.starts_with("bad.pc2 on rest.obj: frame 2, vertex 7: "), "{target}: {sentence}");
    }
    let picture = "picture bad.pc2 --rest rest.obj -o out.png --size 64x64 --frame";
    assert!(lab.refused(&format!("{picture} 2")).contains("frame 2, vertex 7"));
    lab.ok(&format!("{picture} 1"));
}

#[test]
fn empty_files_are_called_so() {
    let lab = lab();
    for ending in ["glb", "gltf", "sinew", "abc", "fbx", "usda", "usdc", "usdz", "npz", "bvh", "asf"] {
        let name = format!("empty.{ending}");
        lab.write(&name, "");
        assert_eq!(lab.refused(&format!("info {name}")), format!("{name}: the file is empty"));
    }
    for cache in ["empty.pc2", "empty.mdd", "empty.npy", "empty.mcx"] {
        lab.write(cache, "");
        refused(&lab, &format!("{cache} --rest rest.obj"), &[cache, "the file is empty"]);
    }
}

#[test]
fn what_only_has_the_name_of_a_cache_is_told_apart_from_one_that_is_cut_short() {
    let lab = lab();
    lab.write("page.mdd", "<html><body>404: not found</body></html>");
    refused(&lab, "page.mdd --rest rest.obj", &["page.mdd: this is no MDD cache, or it is cut short"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_called_so() {
    let lab = lab();
    std::os::unix::fs::symlink("/dev/full", lab.at("out.npz")).unwrap();
    assert_eq!(lab.refused("convert anim.pc2 out.npz --rest rest.obj"), "out.npz: the disk is full");
}

#[test]
fn a_cache_that_was_never_filled_has_no_shape() {
    let lab = lab();
    lab.cache("zeros.pc2", &vec![vec![Vec3::ZERO; 14]; 3]);
    let sentence = lab.refused("skin zeros.pc2 --rest rest.obj -o out.glb");
    assert!(sentence.contains("one place in every frame") && !sentence.contains("unit"), "{sentence}");
}

#[test]
fn a_number_after_a_blank_is_no_bound() {
    let lab = lab();
    let sentence = lab.refused("skin anim.pc2 --rest rest.obj -o out.glb --compact 0.5");
    assert!(sentence.ends_with("--compact=0.5"), "{sentence}");
}

#[test]
fn nothing_to_skin() {
    let lab = lab();
    let points: String = strip(6).lines().filter(|l| l.starts_with('v')).map(|l| format!("{l}\n")).collect();
    lab.write("points.obj", &points);
    refused(&lab, "anim.pc2 --rest points.obj", &["no triangles"]);
    lab.write("line.obj", format!("{points}f 1 3 5\nf 2 4 6\n"));
    let line: Vec<Vec3> = (0..14).map(|i| Vec3::X * (i / 2) as f32).collect();
    lab.cache("line.pc2", &vec![line; 2]);
    refused(&lab, "line.pc2 --rest line.obj", &["all 2 triangles", "degenerate"]);
}

#[test]
fn impossible_options() {
    let lab = lab();
    let good = "anim.pc2 --rest rest.obj";
    refused(&lab, &format!("{good} --bones 0"), &["0 bones", "1 to 12"]);
    refused(&lab, &format!("{good} --bones 13"), &["13 bones", "1 to 12"]);
    refused(&lab, &format!("{good} --influences 0"), &["0 influences", "1 to 16"]);
    refused(&lab, &format!("{good} --epsilon 0"), &["epsilon"]);
    refused(&lab, &format!("{good} --epsilon=-1"), &["epsilon"]);
    refused(&lab, &format!("{good} --fps 0"), &["frame rate"]);
    refused(&lab, &format!("{good} --rest-pose 3"), &["frame 3", "0 to 2"]);
    refused(&lab, "rest.obj --rest-pose file", &["--rest-pose file", "--rest FILE"]);
    refused(&lab, &format!("{good} --compact=-1"), &["--compact"]);
    assert!(lab.refused("skin anim.pc2 --rest rest.obj").contains("give -o FILE.glb, --report FILE.json"));
    assert!(lab.refused("skin anim.pc2 --rest rest.obj -o out.gltf").contains("*.glb"));
    assert!(lab.refused("bake rest.obj -o out.pc2").contains("holds no rig"));
    assert!(lab.refused("bake rest.obj -o out.xyz").contains("*.pc2"));
    assert!(lab.refused("sample creature --detail 100 -o c").contains("0.6 to 8"));
}

#[test]
fn targets_that_cannot_be_written() {
    let lab = lab();
    std::fs::create_dir(lab.at("folder.glb")).unwrap();
    for (target, words) in [
        ("nowhere/out.glb", "the folder does not exist"),
        ("folder.glb", "is a folder"),
        ("rest.obj/out.glb", "cannot be written"),
    ] {
        // The input is not even opened.
        let sentence = lab.refused(&format!("skin missing.pc2 --rest rest.obj -o {target}"));
        assert!(sentence.contains(target) && sentence.contains(words), "{sentence}");
    }
    assert!(lab.refused("sample creature -o rest.obj").contains("is a file"));
}

#[test]
fn units_that_differ() {
    let lab = lab();
    let metres = bends(6).iter().map(|pose| pose.iter().map(|p| *p * 0.01).collect()).collect::<Vec<_>>();
    lab.cache("metres.pc2", &metres);
    refused(
        &lab,
        "metres.pc2 --rest rest.obj",
        &["metres.pc2", "rest.obj", "different units", "--rest-scale 0.01"],
    );
    lab.ok("skin metres.pc2 --rest rest.obj --rest-scale 0.01 -o out.glb");
    let info = lab.ok("info metres.pc2 --rest rest.obj");
    assert!(info.contains("different units"), "{info}");
}

#[test]
fn what_was_there_stays_when_a_run_fails() {
    let lab = lab();
    lab.write("out.glb", "precious");
    lab.refused("skin anim.pc2 --rest rest.obj --bones 0 -o out.glb");
    assert_eq!(std::fs::read(lab.at("out.glb")).unwrap(), b"precious");
}

#[test]
fn files_of_no_known_format() {
    let lab = lab();
    lab.write("a.xyz", [0, 1, 2, 3, 255]);
    for command in ["skin a.xyz -o out.glb", "info a.xyz", "compare a.xyz anim.pc2", "bake a.xyz -o out.pc2"]
    {
        let sentence = lab.refused(command);
        assert!(sentence.contains("a.xyz") && sentence.contains("not known"), "{sentence}");
    }
}

#[test]
fn usage_errors_end_with_2_as_well() {
    for arguments in ["", "skin", "skin a.pc2 --kind soft -o a.glb", "dance"] {
        assert_eq!(lab().run(arguments).status.code(), Some(2), "{arguments}");
    }
}

#[test]
fn usage_errors_are_sentences() {
    let lab = lab();
    let go = "transplant a.bvh --onto b.glb -o c.glb";
    let turn = "edit rotate a.glb --bone 1 --axis 0,1,0 --angle 5 -o b.glb";
    for (arguments, begins) in [
        (format!("{go} --align-rig -1"), "--align-rig cannot be -1: a pose of the rig is rest or a frame"),
        (format!("{go} --align-source=-1"), "--align-source cannot be -1: a pose of the source is bind"),
        (format!("{go} --up w"), "--up cannot be w; it is one of x, y, z"),
        (format!("{go} --clips all"), "there is no option --clips here; --clip is spelled most like it"),
        (format!("{go} d.glb"), "d.glb is one argument too many"),
        ("transplant a.bvh --onto b.glb".into(), "--output <FILE> is missing"),
        ("transplant a.bvh".into(), "--onto <RIG>, --output <FILE> are missing"),
        (format!("{go} --suggest --map m.toml"), "--suggest and --map <FILE.toml> do not go together"),
        (format!("{go} --fps 1 --fps 2"), "--fps is given twice"),
        (format!("{go} --fps fast"), "--fps cannot be fast: it takes a number"),
        (format!("{turn} --frame -1"), "--frame cannot be -1: it takes a whole number that is not negative"),
        (format!("{turn} --frame 1.5"), "--frame cannot be 1.5: it takes a whole number"),
        (format!("{turn} --frame 1 --ease 3"), "--through <N|end> is missing"),
        ("sample creature -o c --threads 0".into(), "--threads cannot be 0"),
        ("dance".into(), "there is no command dance"),
        ("skim a.pc2".into(), "there is no command skim; skin is spelled most like it"),
        (format!("{go} --align-rig"), "--align-rig needs a value"),
    ] {
        // --quiet would be the value.
        let output = lab.run(&arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{arguments}: {error}");
        assert!(error.starts_with(&format!("error: {begins}")), "{arguments}: {error}");
        assert!(error.ends_with(" --help tells more\n"), "{arguments}: {error}");
    }
    let sentence = lab.refused(&format!("{turn} --frame x"));
    assert!(sentence.ends_with("; sinew edit rotate --help tells more"), "{sentence}");
    // Help and version are none.
    assert!(lab.ok("edit rotate --help").contains("--angle"));
    assert!(lab.ok("--version").starts_with("sinew "));
}

#[test]
fn frames_of_something_else_are_not_left_among_new_ones() {
    let lab = lab();
    lab.cache("long.pc2", &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5].map(|bend| strip_pose(6, bend)));
    lab.ok("convert long.pc2 frames/ --rest rest.obj");
    let sentence = lab.refused("convert anim.pc2 frames/ --rest rest.obj");
    assert_eq!(
        sentence,
        "frames/: 3 meshes that are here already would be left and read along with the new frames (frame_0003.obj to \
         frame_0005.obj); remove them, or name another folder"
    );
    lab.ok("skin long.pc2 --rest rest.obj --bones 2 -o rig.glb");
    lab.ok("bake rig.glb -o frames/");
    assert!(lab.refused("bake rig.glb -o frames/ --format ply").contains("frame_0000.obj to frame_0005.obj"));
    lab.ok("skin anim.pc2 --rest rest.obj --bones 2 -o short.glb");
    assert!(lab.refused("bake short.glb -o frames/").contains("3 meshes that are here"));
    assert!(
        lab.refused("sample creature --frames 2 --detail 0.6 --format obj -o frames").contains("4 meshes")
    );
}
