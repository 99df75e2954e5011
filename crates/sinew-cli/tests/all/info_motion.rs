//! `sinew info` of motion without a mesh.

use crate::common::Lab;

const BVH: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Head
  {
    OFFSET 0 3 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 1 0
    }
  }
  JOINT LeftFoot
  {
    OFFSET 0 -4 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 0 1
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.5
0 4 0 0 0 0 0 0 0 0 0 0
0 4 0 0 0 0 5 0 0 0 0 0
0 4 0 0 0 0 9 0 0 0 0 0
";

const ASF: &str = ":units
  length 0.45
:bonedata
  begin
    name leg
    direction 0 -1 0
    length 2
    axis 0 0 0 XYZ
    dof rx
  end
:hierarchy
  begin
    root leg
  end
";

const AMC: &str = ":DEGREES\n1\nroot 0 0 0 0 0 0\nleg 5\n2\nroot 0 0 0 0 0 0\nleg 5\n";

#[test]
fn joints_frames_and_heights_are_told() {
    let lab = Lab::new();
    lab.write("walk.bvh", BVH);
    let table = lab.ok("info walk.bvh --report out.json");
    for words in ["BVH motion", "3 frames at 2 per second, 1 s", "3 joints", "  Head", "y, it seems"] {
        assert!(table.contains(words), "“{words}” is not in:\n{table}");
    }
    let report = lab.json("out.json");
    assert_eq!((report["frames"].as_u64(), report["fps"].as_f64()), (Some(3), Some(2.0)));
    assert_eq!(report["height"], 8.0);
    assert_eq!(report["stands_along"], "y");
    assert_eq!(report["joints"][1]["name"], "Head");
    assert_eq!(report["joints"][1]["parent"], 0);
    assert_eq!(report["joints"][2]["place"][1], -4.0);
}

#[test]
fn a_figure_that_lies_is_told_how_to_stand() {
    let lab = Lab::new();
    lab.write("lies.bvh", BVH.replace("0 3 0", "0 0 3").replace("0 -4 0", "0 0 -4"));
    let table = lab.ok("info lies.bvh");
    assert!(table.contains("stand along z, but y is taken to be up; --up z turns it"), "{table}");
    let table = lab.ok("info lies.bvh --up z --report out.json");
    assert!(table.contains("z, it seems") && !table.contains("warning"), "{table}");
    let report = lab.json("out.json");
    assert_eq!(report["joints"][1]["place"][1], 3.0);
    lab.write("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 0 5\nf 1 2 3\n");
    lab.ok("info mesh.obj --up z --report out.json");
    assert_eq!(lab.json("out.json")["size"], serde_json::json!([1.0, 5.0, 0.0]));
}

#[test]
fn an_amc_file_is_read_with_its_skeleton() {
    let lab = Lab::new();
    lab.write("02_01.amc", AMC);
    let sentence = lab.refused("info 02_01.amc");
    assert!(sentence.contains("02_01.amc: ") && sentence.contains("--asf FILE"), "{sentence}");
    lab.write("02.asf", ASF);
    let table = lab.ok("info 02_01.amc");
    assert!(table.contains("02_01.amc on 02.asf") && table.contains("2 frames at 120"), "{table}");
    // Two units of which 0.45 are an inch.
    assert!(table.contains("0.1129 m"), "{table}");
    lab.write("other.asf", ASF.replace("leg", "arm"));
    let sentence = lab.refused("info 02_01.amc --asf other.asf");
    assert!(sentence.contains("line 4") && sentence.contains("“leg”"), "{sentence}");
    let table = lab.ok("info 02.asf");
    assert!(table.contains("1 frame") && table.contains("its motion is in AMC files"), "{table}");
}

#[test]
fn motion_that_is_damaged_gets_a_sentence() {
    let lab = Lab::new();
    let words = |file: &str, words: &[&str]| {
        let sentence = lab.refused(&format!("info {file} --report out.json"));
        words.iter().for_each(|word| assert!(sentence.contains(word), "“{word}” is not in: {sentence}"));
    };
    lab.write("cut.bvh", &BVH[..BVH.len() / 2]);
    words("cut.bvh", &["cut.bvh, line ", "the file is cut off"]);
    lab.write("channels.bvh", BVH.replacen("CHANNELS 3", "CHANNELS 4", 1));
    words("channels.bvh", &["channels.bvh, line 10: joint Head is to have 4 channels"]);
    lab.write("circle.asf", ASF.replace("root leg", "leg leg"));
    words("circle.asf", &["circle.asf, line 13: the hierarchy goes round in a circle"]);
    lab.write("walk.bvh", BVH);
    let sentence = lab.refused("skin walk.bvh -o out.glb");
    assert!(sentence.contains("a BVH motion holds joints that move, but no mesh"), "{sentence}");
}
