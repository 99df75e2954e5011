//! Streams and `.sinew` files through the command, as a user goes.

use crate::common::{Lab, strip, strip_pose};
use serde_json::Value;

const ENCODE: &str = "stream encode creature/anim.pc2 --rest creature/rest.obj --bones 16";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

#[test]
fn encode_info_compare_play_compare() {
    let lab = Lab::with_creature();
    let table = lab.ok(&format!("{ENCODE} -o s.sinew --report s.json"));
    assert!(table.contains("16, 4 influences a vertex, chosen from 1 frame, weights change"), "{table}");
    let report = lab.json("s.json");
    assert_eq!((&report["frames"], &report["bones"]), (&8.into(), &16.into()));
    assert_eq!(report["bytes"]["output"], lab.at("s.sinew").metadata().unwrap().len());

    let info = lab.ok("info s.sinew --report info.json");
    assert!(info.contains("from pose to pose") && info.contains("weights change"), "{info}");
    let info = lab.json("info.json");
    assert_ne!(info["weight_changes"], Value::Array(Vec::new()));
    for key in ["frames", "vertices", "bones", "influences", "weight_changes"] {
        assert_eq!(info[key], report[key], "{key}");
    }

    // What the file plays is what the report said, down to the last digit of what both measure.
    lab.ok("compare creature/anim.pc2 s.sinew --rest creature/rest.obj --report compared.json");
    assert_eq!(lab.json("compared.json")["error"], report["error"]);

    for target in ["played.pc2", "played.mdd", "played/", "copy.sinew"] {
        for command in ["stream play", "bake"] {
            lab.ok(&format!("{command} s.sinew -o {target} --rest-out played.obj --report play.json"));
            assert_eq!(lab.json("play.json")["frames"], 8, "{target}");
        }
        lab.ok(&format!("compare s.sinew {target} --report same.json"));
        assert!(number(&lab.json("same.json")["error"]["percent"]) < 1e-3, "{target}");
    }
    assert_eq!(std::fs::read(lab.at("copy.sinew")).unwrap(), std::fs::read(lab.at("s.sinew")).unwrap());
    for color in ["bones", "weights"] {
        lab.ok(&format!("picture s.sinew --color {color} --size 60x40 -o p.png"));
    }
    lab.ok("picture s.sinew --bone 3 --size 60x40 -o p.png");
    // A chain is an animation like any other.
    lab.ok("skin s.sinew --bones 3 -o again.glb");
    assert!(lab.refused("skin s.sinew --bones-from s.sinew -o x.glb").contains("each pose to the next"));
}

#[test]
fn some_frames_are_played() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{ENCODE} -o s.sinew"));
    lab.ok("stream play s.sinew -o all.pc2");
    lab.ok("stream play s.sinew -o some.pc2 --from 3 --frames 2");
    let [all, some] =
        ["all.pc2", "some.pc2"].map(|n| sinew_io::formats::pc2::open(lab.at(n)).unwrap().frames);
    assert_eq!((all.len(), some.len()), (8, 2));
    assert_eq!([some.frame(0), some.frame(1)], [all.frame(3), all.frame(4)]);
    lab.ok("stream play s.sinew -o end.pc2 --from 7 --frames 100");
    assert_eq!(sinew_io::formats::pc2::open(lab.at("end.pc2")).unwrap().frames.frame(0), all.frame(7));
    assert_eq!(
        lab.refused("stream play s.sinew -o x.pc2 --from 8"),
        "s.sinew: there is no frame 8; the frames are 0 to 7"
    );
}

#[test]
fn sources_of_all_kinds_stream_alike() {
    let lab = Lab::with_creature();
    lab.ok("sample creature --frames 8 --detail 0.6 -o frames --format obj");
    lab.ok(&format!("{ENCODE} -o cache.sinew"));
    // Text keeps fewer digits than a cache.
    lab.ok("stream encode frames/ --bones 16 -o frames.sinew");
    lab.ok("compare cache.sinew frames.sinew --report same.json");
    assert!(number(&lab.json("same.json")["error"]["percent"]) < 1.0);
    lab.ok("bake cache.sinew -o again.mdd --rest-out again.obj");
    lab.ok("stream encode again.mdd --rest again.obj --bones 16 -o mdd.sinew");
    lab.ok("stream encode cache.sinew --bones 16 -o twice.sinew");
    lab.ok("compare mdd.sinew twice.sinew --report same.json");
    assert!(number(&lab.json("same.json")["error"]["percent"]) < 1e-3);
}

#[test]
fn threads_and_pipes_change_no_bit() {
    let lab = Lab::with_creature();
    lab.ok(&format!("{ENCODE} -o one.sinew --threads 1"));
    lab.ok(&format!("{ENCODE} -o three.sinew --threads 3"));
    let piped = lab.run(&format!("{ENCODE} -o - --quiet"));
    assert!(piped.status.success());
    let file = std::fs::read(lab.at("one.sinew")).unwrap();
    assert!(file == std::fs::read(lab.at("three.sinew")).unwrap());
    assert!(file == piped.stdout);
}

#[test]
fn rigs_with_negative_weights_and_corrections_are_kept() {
    let lab = Lab::with_creature();
    let skin = "skin creature/anim.pc2 --rest creature/rest.obj --bones 12 --rank 2";
    let sentence = lab.refused(&format!("{skin} --weights tsvd -o rig.glb"));
    assert!(sentence.contains("FILE.sinew"), "{sentence}");
    lab.ok(&format!("{skin} --weights tsvd -o rig.sinew --report rig.json"));
    lab.ok("compare creature/anim.pc2 rig.sinew --rest creature/rest.obj --report compared.json");
    let (rig, compared) = (lab.json("rig.json"), lab.json("compared.json"));
    for key in ["percent", "rms", "max", "accu"] {
        let (a, b) = (number(&rig["error"][key]), number(&compared["error"][key]));
        assert!((a - b).abs() < 1e-9 * a, "{key}: {a} {b}");
    }
    let info = lab.ok("info rig.sinew");
    assert!(info.contains("from the rest pose") && info.contains("weights down to -"), "{info}");
    lab.ok(&format!("{skin} -o plain.glb"));
    lab.ok("bake plain.glb -o plain.sinew");
    lab.ok("compare plain.glb plain.sinew --report same.json");
    assert_eq!(number(&lab.json("same.json")["error"]["percent"]), 0.0);
    // Bones of a rig with a rest pose serve another skin.
    lab.ok("skin creature/anim.pc2 --rest creature/rest.obj --bones-from rig.sinew -o again.glb");
    assert!(lab.refused(&format!("{skin} --compact -o rig.sinew")).contains("--compact"));
}

#[test]
fn skinning_from_pose_to_pose_is_kept() {
    let lab = Lab::with_creature();
    let skin = "skin creature/anim.pc2 --rest creature/rest.obj --method pps --rounds 1 --bones 12";
    lab.ok(&format!("{skin} -o pps.sinew --report pps.json"));
    let report = lab.json("pps.json");
    assert_eq!(report["bytes"]["output"], lab.at("pps.sinew").metadata().unwrap().len());
    lab.ok("compare creature/anim.pc2 pps.sinew --rest creature/rest.obj --report compared.json");
    let (a, b) =
        (number(&report["error"]["percent"]), number(&lab.json("compared.json")["error"]["percent"]));
    assert!((a - b).abs() < 1e-6 * a, "{a} {b}");
}

#[test]
fn files_that_are_cut_or_damaged_say_so_and_play() {
    let lab = Lab::with_creature();
    // Nothing but frames follows the head.
    lab.ok(&format!("{ENCODE} --learn none -o s.sinew"));
    let bytes = std::fs::read(lab.at("s.sinew")).unwrap();
    let frame = 16 + 8 + 16 * 96;
    let end = bytes.len() - (16 + 8);
    lab.write("cut.sinew", &bytes[..end - 2 * frame - 5]);
    for command in ["stream play cut.sinew -o cut.pc2", "bake cut.sinew -o cut/", "info cut.sinew"] {
        let said = lab.ok(command);
        assert!(said.contains("cut short; 5 of 8 frames are whole"), "{said}");
    }
    assert_eq!(sinew_io::formats::pc2::open(lab.at("cut.pc2")).unwrap().frames.len(), 5);
    let mut damaged = bytes.clone();
    damaged[end - frame - 100] ^= 1;
    lab.write("damaged.sinew", &damaged);
    assert!(lab.ok("info damaged.sinew").contains("damaged after frame 6"));
    lab.write("head.sinew", &bytes[..5000]);
    assert!(lab.refused("stream play head.sinew -o x.pc2").contains("cut short in the mesh"));
    let mut later = bytes;
    later[8] = 2;
    lab.write("later.sinew", later);
    assert!(lab.refused("info later.sinew").contains("version 2 of the Sinew format"));
}

#[test]
fn what_cannot_be_streamed_gets_a_sentence() {
    let lab = Lab::with_creature();
    assert!(lab.refused("stream encode creature/anim.pc2 -o x.sinew").contains("--rest FILE"));
    assert!(lab.refused(&format!("{ENCODE} -o x.glb")).contains("*.sinew"));
    assert!(lab.refused(&format!("{ENCODE}0000 -o x.sinew")).contains("bones cannot be placed"));
    assert!(lab.refused(&format!("{ENCODE} --influences 0 -o x.sinew")).contains("1 to 16 influences"));
    assert!(lab.refused("stream play creature/anim.pc2 -o x.mdd").contains("holds no rig"));
}

#[test]
fn frames_before_a_bad_one_are_kept() {
    let lab = Lab::new();
    lab.write("rest.obj", strip(6));
    let mut poses: Vec<_> = (0..30).map(|t| strip_pose(6, 0.1 * t as f32)).collect();
    poses[25][3].x = f32::NAN;
    lab.cache("anim.pc2", &poses);
    let output = lab.run("stream encode anim.pc2 --rest rest.obj --bones 2 -o x.sinew --quiet");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap().trim_end(),
        "error: anim.pc2 on rest.obj: frame 25, vertex 3: the position is not a finite number; x.sinew holds the \
         first 25 frames"
    );
    lab.ok("stream play x.sinew -o played.pc2 --report played.json");
    assert_eq!(lab.json("played.json")["frames"], 25);
    // Nothing to keep, nothing kept.
    poses[0][3].x = f32::NAN;
    lab.cache("anim.pc2", &poses);
    lab.refused("stream encode anim.pc2 --rest rest.obj --bones 2 -o y.sinew");
}

/// The most memory, in bytes, that encoding so many frames of the strip takes.
#[cfg(target_os = "linux")]
fn peak(lab: &Lab, frames: usize) -> f64 {
    let poses: Vec<_> = (0..frames).map(|t| strip_pose(500, (t as f32 * 0.1).sin())).collect();
    lab.write("rest.obj", strip(500));
    lab.cache("long.pc2", &poses);
    lab.ok("stream encode long.pc2 --rest rest.obj --bones 4 --threads 1 -o long.sinew --report long.json");
    assert_eq!(lab.json("long.json")["frames"], frames);
    let encode = number(&lab.json("long.json")["peak_memory"]);
    lab.ok("stream play long.sinew --threads 1 -o played.pc2 --report played.json");
    encode.max(number(&lab.json("played.json")["peak_memory"]))
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_number_of_frames() {
    let lab = Lab::new();
    // 1002 vertices: 3000 frames are 36 MB.
    let (short, long) = (peak(&lab, 30), peak(&lab, 3000));
    assert!(long < short + 3e6, "{short} bytes for 30 frames, {long} for 3000");
}
