//! Animations that are larger than the working set.

use crate::common::Lab;

/// A walk of 40 frames, and how many bytes some of its frames take.
struct Walk {
    lab: Lab,
    bytes_per_frame: u64,
}

impl Walk {
    fn new() -> Self {
        let lab = Lab::new();
        lab.ok("sample creature --frames 40 --detail 0.6 -o creature --quiet");
        let bytes_per_frame = (std::fs::metadata(lab.at("creature/anim.pc2")).unwrap().len() - 32) / 40;
        Self { lab, bytes_per_frame }
    }

    /// Skins in a working set of so many frames; the report.
    fn skin(&self, input: &str, frames: u64, options: &str) -> serde_json::Value {
        let memory = frames * self.bytes_per_frame;
        self.lab.ok(&format!(
            "skin {input} --bones 12 --fps 24 --memory {memory} --report r.json {options} --quiet"
        ));
        self.lab.json("r.json")
    }
}

fn percent(report: &serde_json::Value) -> f64 {
    report["error"]["percent"].as_f64().unwrap()
}

const CACHE: &str = "creature/anim.pc2 --rest creature/rest.obj";

#[test]
fn a_part_of_the_frames_teaches_the_rig_of_all() {
    let walk = Walk::new();
    for options in
        ["-o part.glb", "--kind rigid -o part.sinew", "--rank 3 -o part.glb", "--compact -o part.glb"]
    {
        let whole = walk.skin(CACHE, 40, options);
        assert!(whole["learnt_from"].is_null());
        let part = walk.skin(CACHE, 20, options);
        assert_eq!(part["learnt_from"]["frames"], 20);
        assert_eq!(part["frames"], 40);
        assert_eq!(part["error_per_frame"].as_array().unwrap().len(), 40);
        let (whole, part) = (percent(&whole), percent(&part));
        assert!(part < 1.5 * whole, "{options}: {part} % against {whole} %");
        // The report tells what is in the file.
        let file = options.rsplit(' ').next().unwrap();
        walk.lab.ok(&format!(
            "compare creature/anim.pc2 {file} --rest creature/rest.obj --fps 24 --report c.json --quiet"
        ));
        let compared = percent(&walk.lab.json("c.json"));
        assert!((compared - part).abs() < 1e-3 * compared, "{options}: {compared} % against {part} %");
    }
    let said =
        walk.lab.ok(&format!("skin {CACHE} --bones 12 --memory {} -o p.glb", 20 * walk.bytes_per_frame));
    assert!(said.contains("20 frames, as many as the working set of"), "{said}");
}

#[test]
fn every_format_and_number_of_threads_gives_the_same_file() {
    let walk = Walk::new();
    walk.skin(CACHE, 17, "-o pc2.glb");
    let expected = std::fs::read(walk.lab.at("pc2.glb")).unwrap();
    walk.lab.ok("convert creature/anim.pc2 a.mdd --fps 24 --quiet");
    walk.lab.ok("convert creature/anim.pc2 a.npy --quiet");
    walk.lab.ok("convert creature/anim.pc2 a.abc --rest creature/rest.obj --fps 24 --quiet");
    let rest = "--rest creature/rest.obj";
    for input in [
        format!("a.mdd {rest}"),
        format!("a.npy {rest}"),
        format!("a.abc {rest}"),
        format!("{CACHE} --threads 3"),
    ] {
        walk.skin(&input, 17, "-o pc2.glb");
        assert!(std::fs::read(walk.lab.at("pc2.glb")).unwrap() == expected, "{input}");
    }
}

#[test]
fn a_frame_can_be_the_rest_pose_though_it_is_not_among_the_even_ones() {
    let walk = Walk::new();
    let report = walk.skin(CACHE, 16, "--rest-pose 17 --keep-rest -o a.sinew");
    assert_eq!(report["rest_pose"], "17");
    assert_eq!(report["learnt_from"]["frames"], 17);
    walk.lab.ok("bake a.sinew -o b.pc2 --rest-out b.obj --quiet");
    let cache = std::fs::read(walk.lab.at("creature/anim.pc2")).unwrap();
    let frame = &cache[32 + 17 * walk.bytes_per_frame as usize..][..walk.bytes_per_frame as usize];
    let expected = frame.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()));
    let text = std::fs::read_to_string(walk.lab.at("b.obj")).unwrap();
    let rest = text.lines().filter_map(|l| l.strip_prefix("v ")).flat_map(str::split_whitespace);
    let rest: Vec<f32> = rest.map(|x| x.parse().unwrap()).collect();
    assert!(rest.into_iter().eq(expected));
    let memory = 16 * walk.bytes_per_frame;
    let said = walk.lab.refused(&format!("skin {CACHE} --rest-pose 40 --memory {memory} -o d.glb"));
    assert!(said.ends_with("frame 40 cannot be the rest pose: the animation has frames 0 to 39"), "{said}");
}

#[test]
fn what_needs_all_frames_says_so() {
    let walk = Walk::new();
    let memory = 20 * walk.bytes_per_frame;
    for options in ["--target-error 1", "--method fesam"] {
        let said = walk.lab.refused(&format!("skin {CACHE} {options} --memory {memory} -o a.glb"));
        assert!(said.contains("more than the working set of") && said.contains("--memory "), "{said}");
    }
    let said = walk.lab.refused(&format!("skin {CACHE} --memory {} -o a.glb", 3 * walk.bytes_per_frame));
    assert!(said.contains("takes more than the working set of"), "{said}");
}

#[test]
fn a_broken_number_is_found_in_frames_that_are_not_learnt_from() {
    let walk = Walk::new();
    let mut bytes = std::fs::read(walk.lab.at("creature/anim.pc2")).unwrap();
    let at = 32 + 34 * walk.bytes_per_frame as usize + 12 * 5;
    bytes[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    std::fs::write(walk.lab.at("creature/anim.pc2"), bytes).unwrap();
    let said = walk.lab.refused(&format!("skin {CACHE} --memory {} -o a.glb", 16 * walk.bytes_per_frame));
    assert!(said.ends_with("frame 34, vertex 5: the position is not a finite number"), "{said}");
}

#[test]
fn several_clips_are_measured_one_by_one() {
    let walk = Walk::new();
    std::fs::copy(walk.lab.at("creature/anim.pc2"), walk.lab.at("again.pc2")).unwrap();
    let report = walk.skin("creature/anim.pc2 again.pc2 --rest creature/rest.obj", 20, "-o a.glb");
    assert_eq!((&report["frames"], &report["learnt_from"]["frames"]), (&80.into(), &21.into()));
    let clips = report["clips"].as_array().unwrap();
    assert_eq!((clips.len(), &clips[1]["name"], &clips[1]["frames"]), (2, &"again".into(), &40.into()));
    let [first, second] = [0, 1].map(|c| clips[c]["error"]["percent"].as_f64().unwrap());
    assert!(first > 0.0 && (first - second).abs() < 1e-9, "{first} and {second}");
}

#[test]
fn parts_become_the_rig_of_one_run() {
    let walk = Walk::new();
    for options in ["", "--rank 2", "--kind rigid"] {
        let whole = walk.skin(CACHE, 20, &format!("{options} -o rig.glb"));
        let expected = std::fs::read(walk.lab.at("rig.glb")).unwrap();
        std::fs::remove_file(walk.lab.at("rig.glb")).unwrap();
        for (shard, missing) in [("2/3", "[1,3]"), ("3/3", "[1]")] {
            let part = walk.skin(CACHE, 20, &format!("{options} --shard {shard} -o rig.glb"));
            assert_eq!(
                (part["part"]["shard"].as_str(), part["part"]["missing"].to_string()),
                (Some(shard), missing.into())
            );
            assert!(!walk.lab.at("rig.glb").exists());
        }
        // Parts of another fit are none of this one.
        walk.skin(CACHE, 20, &format!("{options} --smooth 0.5 --shard 1/3 -o rig.glb"));
        assert!(!walk.lab.at("rig.glb").exists());
        let last = walk.skin(CACHE, 20, &format!("{options} --shard 1/3 -o rig.glb"));
        assert!(std::fs::read(walk.lab.at("rig.glb")).unwrap() == expected, "{options}");
        assert_eq!((&last["frames"], &last["error"]), (&whole["frames"], &whole["error"]));
        std::fs::remove_dir_all(walk.lab.at("rig.glb.parts")).unwrap();
    }
}

#[test]
fn a_known_skin_is_taken_through_all_frames() {
    let walk = Walk::new();
    walk.skin(CACHE, 20, "-o skin.sinew");
    let known = "--start skin.sinew --solve transforms";
    let memory = 17 * walk.bytes_per_frame;
    let run = |options: &str| {
        walk.lab.ok(&format!(
            "skin {CACHE} --fps 24 --memory {memory} {known} --report r.json {options} --quiet"
        ));
        walk.lab.json("r.json")
    };
    let whole = run("-o rig.glb");
    assert_eq!((&whole["frames"], whole["learnt_from"].is_null()), (&40.into(), true));
    let expected = std::fs::read(walk.lab.at("rig.glb")).unwrap();
    std::fs::remove_file(walk.lab.at("rig.glb")).unwrap();
    for shard in ["1/2", "2/2"] {
        assert!(!walk.lab.at("rig.glb").exists(), "the last part writes it");
        run(&format!("--shard {shard} -o rig.glb"));
    }
    assert!(std::fs::read(walk.lab.at("rig.glb")).unwrap() == expected);
}

#[test]
fn parts_are_refused_of_what_is_fitted_whole() {
    let walk = Walk::new();
    let refused = |options: &str| walk.lab.refused(&format!("skin {CACHE} --bones 12 --fps 24 {options}"));
    assert!(refused("--shard 1/2 -o a.glb").contains("larger than the working set"));
    let memory = 20 * walk.bytes_per_frame;
    assert!(refused(&format!("--memory {memory} --shard 1/41 -o a.glb")).contains("41 parts of 40 frames"));
    assert!(refused("--shard 3/2 -o a.glb").contains("3/16"));
    assert!(refused("--shard 1/2 --report a.json").contains("output"));
}
