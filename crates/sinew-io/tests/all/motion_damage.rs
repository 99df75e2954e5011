//! Damaged files of joints: each kind of damage has its sentence with a line, and none brings the reader down.

use std::path::Path;

use proptest::prelude::*;
use sinew::motion::Motion;
use sinew_io::Result;
use sinew_io::formats::{acclaim, bvh};

const BVH: &str = "HIERARCHY
ROOT hip
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT leg
  {
    OFFSET 0 -2 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 -1 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
1 2 3 0 0 0 0 0 0
0 0 0 90 0 0 0 90 0
1 2 3 30 20 10 0 45 0
";

const ASF: &str = ":units
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
:bonedata
  begin
    name leg
    direction 0 -1 0
    length 2
    axis 0 0 20 XYZ
    dof rx rz
  end
  begin
    name foot
    direction 0 0 1
    length 1
    axis 0 0 0 XYZ
    dof rx
  end
:hierarchy
  begin
    root leg
    leg foot
  end
";

const AMC: &str = ":FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 0 0 0
leg 5 6
foot 7
2
root 1 2 3 0 0 0
leg 5 6
foot 7
3
root 1 2 3 0 0 0
leg 5 6
foot 7
";

fn of_bvh(bytes: &[u8]) -> Result<Motion> {
    bvh::parse(bytes, Path::new("a.bvh"))
}

fn of_acclaim(asf: &[u8], amc: &[u8]) -> Result<Motion> {
    let skeleton = acclaim::parse_asf(asf, Path::new("a.asf"))?;
    Ok(acclaim::parse_amc(amc, Path::new("a.amc"), &skeleton)?.0)
}

/// The text with a change that must be one.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

fn bvh_refused(from: &str, to: &str, sentence: &str) {
    let error = of_bvh(changed(BVH, from, to).as_bytes()).unwrap_err().to_string();
    assert_eq!(error, format!("a.bvh, {sentence}"));
}

#[test]
fn damaged_bvh_files_get_their_sentences() {
    assert!(of_bvh(BVH.as_bytes()).is_ok());
    bvh_refused("HIERARCHY\n", "", "line 1: a BVH file starts with the word HIERARCHY");
    bvh_refused("OFFSET 0 -2 0", "OFFSET 0 -2", "line 9: “CHANNELS” is not a number");
    bvh_refused("OFFSET 0 -2 0", "OFFSET 0 nan 0", "line 8: “nan” is not a finite number");
    bvh_refused(
        "CHANNELS 3",
        "CHANNELS 4",
        "line 10: joint leg is to have 4 channels, but after 3 comes “End”",
    );
    bvh_refused("CHANNELS 3", "CHANNELS 2", "line 9: joint leg is to have 2 channels, but names more");
    bvh_refused(
        "CHANNELS 3",
        "CHANNELS 99999999",
        "line 9: joint leg has 99999999 channels, and six is the most there are",
    );
    bvh_refused(
        "Zrotation Yrotation Xrotation\n    End",
        "Zrotation Zrotation Xrotation\n    End",
        "line 9: joint leg has the channel “Zrotation” twice",
    );
    bvh_refused("JOINT leg", "ROOT leg", "line 6: a ROOT hangs on nothing, but this one is in a joint");
    bvh_refused("ROOT hip", "JOINT hip", "line 2: a JOINT hangs on another, but this one is in none");
    bvh_refused("JOINT leg", "JOINT", "line 6: a joint without a name");
    bvh_refused("JOINT leg", "KNEE leg", "line 6: “KNEE” is no word of a BVH hierarchy");
    bvh_refused("}\nMOTION", "}\n}\nMOTION", "line 16: a } without the { that goes with it");
    bvh_refused("}\nMOTION", "MOTION", "line 15: the motion starts before joint hip is closed with }");
    bvh_refused("Frames: 3", "Frames: three", "line 17: “three” is not a whole number");
    bvh_refused("Frames: 3", "Frames: -3", "line 17: there cannot be -3 frames");
    bvh_refused("Frames: 3", "Pictures: 3", "line 17: “Frames:” and a number belong here");
    bvh_refused("0.04", "0", "line 18: the time of a frame must be a positive number, not 0");
    bvh_refused("0.04", "1e308", "line 18: 3 frames of 1e308 s never end");
    bvh_refused("Frames: 3", "Frames: 2", "line 21: the file states 2 frames, but here is another");
    bvh_refused("90 0 0 0 90 0", "90 0 0 0 9O 0", "line 20: frame 1: “9O” is not a number");
    bvh_refused(
        "90 0 0 0 90 0",
        "90 0 0 0 90",
        "line 20: frame 1 has 8 numbers, but the joints have 9 channels",
    );
    bvh_refused(
        "90 0 0 0 90 0",
        "90 0 0 0 90 0 0",
        "line 20: frame 1 has 10 numbers, but the joints have 9 channels",
    );
    // What is stated costs nothing.
    bvh_refused(
        "Frames: 3",
        "Frames: 999999999999999",
        "line 21: the file is cut off: it states 999999999999999 frames, and 3 are there",
    );
    let endless =
        changed(BVH, "0 0 0 90", "1e308 1e308 1e308 90").replace("OFFSET 0 -2 0", "OFFSET 1e308 1e308 0");
    let error = of_bvh(endless.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("no finite transform"), "{error}");
}

#[test]
fn a_bvh_file_cut_off_anywhere_says_so() {
    // Up to the last number: nobody can tell half of one from a whole.
    let last = BVH.trim_end().len();
    for end in "HIERARCHY\nROOT hip\n".len()..last - 1 {
        let error = of_bvh(&BVH.as_bytes()[..end]).unwrap_err().to_string();
        // Where a word is cut, it may be another mistake.
        let sound = error.contains("the file is cut off") || !BVH.as_bytes()[end].is_ascii_whitespace();
        assert!(sound && error.contains("line "), "{end}: {error}");
    }
    let cut = |mark: &str| of_bvh(BVH.split(mark).next().unwrap().as_bytes()).unwrap_err().to_string();
    assert_eq!(cut("    End"), "a.bvh, line 9: the file is cut off: it ends within joint leg");
    assert_eq!(cut("MOTION"), "a.bvh, line 15: the file is cut off: it ends before MOTION");
    assert_eq!(cut("Frame Time"), "a.bvh, line 17: the file is cut off: it ends before the first frame");
    assert_eq!(
        cut(" 45 0"),
        "a.bvh, line 21: the file is cut off: frame 2 has 7 numbers, but the joints have 9 channels"
    );
    assert_eq!(cut("1 2 3 30"), "a.bvh, line 20: the file is cut off: it states 3 frames, and 2 are there");
}

fn asf_refused(from: &str, to: &str, sentence: &str) {
    let error = of_acclaim(changed(ASF, from, to).as_bytes(), AMC.as_bytes()).unwrap_err().to_string();
    assert_eq!(error, format!("a.asf, {sentence}"));
}

#[test]
fn damaged_asf_files_get_their_sentences() {
    assert!(of_acclaim(ASF.as_bytes(), AMC.as_bytes()).is_ok());
    asf_refused(
        "    leg foot\n",
        "    leg foot\n    foot leg\n",
        "line 26: bone leg hangs on both root and foot",
    );
    asf_refused(
        "    root leg\n",
        "    foot leg\n",
        "line 24: the hierarchy goes round in a circle through leg",
    );
    asf_refused(
        "    leg foot\n",
        "    leg foot\n    foot root\n",
        "line 26: the hierarchy goes round in a circle through root",
    );
    asf_refused(
        "    root leg\n",
        "    leg leg\n",
        "line 24: the hierarchy goes round in a circle through leg",
    );
    asf_refused("    root leg\n", "", "line 8: bone leg hangs on nothing in the hierarchy");
    asf_refused(
        "    leg foot\n",
        "    leg toe\n",
        "line 25: the hierarchy names “toe”, which :bonedata does not",
    );
    let again = "  begin\n    name leg\n    direction 0 0 1\n    length 1\n  end\n:hierarchy";
    asf_refused(":hierarchy", again, "line 22: there are two bones called leg");
    asf_refused("    name foot\n", "", "line 24: the hierarchy names “foot”, which :bonedata does not");
    asf_refused("    length 2\n", "", "line 8: bone leg has no length");
    asf_refused("direction 0 -1 0", "direction 0 -1", "line 10: a direction needs 3 numbers, and 2 are here");
    asf_refused("length 2", "length two", "line 11: “two” is not a number");
    asf_refused("20 XYZ", "20 XYX", "line 12: “XYX” is no order of axes");
    asf_refused("dof rx rz", "dof rx rw", "line 13: “rw” is no degree of freedom");
    asf_refused("dof rx rz", "dof rx rx", "line 13: the degree of freedom “rx” comes twice");
    asf_refused("angle deg", "angle grad", "line 3: angles are in deg or rad");
    asf_refused(":units\n", "units\n", "line 1: “units” stands where a :section belongs");
    asf_refused("  end\n  begin", "  begin", "line 14: bone leg has no end before the next begins");
    let cut = |mark: &str| {
        let asf = ASF.split(mark).next().unwrap();
        of_acclaim(asf.as_bytes(), AMC.as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(cut("    length 1"), "a.asf, line 17: the file is cut off: it ends within bone foot");
    assert_eq!(cut(":hierarchy"), "a.asf, line 21: there is no :hierarchy; the file may be cut off");
}

fn amc_refused(from: &str, to: &str, sentence: &str) {
    let error = of_acclaim(ASF.as_bytes(), changed(AMC, from, to).as_bytes()).unwrap_err().to_string();
    assert_eq!(error, format!("a.amc, {sentence}"));
}

#[test]
fn damaged_amc_files_get_their_sentences() {
    amc_refused("leg 5 6", "knee 5 6", "line 5: frame 1 names the bone “knee”, which the skeleton has not");
    amc_refused("leg 5 6", "leg 5", "line 5: frame 1: 2 numbers belong to bone leg, and 1 are here");
    amc_refused("foot 7", "foot 7 8", "line 6: frame 1: 1 number belongs to bone foot, and 2 are here");
    amc_refused("leg 5 6", "leg 5 six", "line 5: frame 1, bone leg: “six” is not a number");
    amc_refused("leg 5 6", "foot 6", "line 6: frame 1 has bone foot twice");
    amc_refused("\n2\n", "\n4\n", "line 7: frame 4 comes after frame 1");
    amc_refused("7\n2\nroot 1 2 3 0 0 0\n", "7\n2\n", "line 10: frame 2 leaves out bone root");
    amc_refused("leg 5 6\n", "", "line 10: frame 2 has bone leg, which the first frame leaves out");
    amc_refused("\n1\n", "\n", "line 3: “root” stands where the number of the first frame belongs");
    amc_refused(
        ":DEGREES",
        ":samples-per-second 0",
        "line 2: the frame rate must be a positive number, not 0",
    );
    let cut = |end: usize| of_acclaim(ASF.as_bytes(), &AMC.as_bytes()[..end]).unwrap_err().to_string();
    let third = AMC.find("\n3\n").unwrap();
    for end in third + 3..AMC.trim_end().len() - 1 {
        assert!(cut(end).contains("the file is cut off within frame 3"), "{end}: {}", cut(end));
    }
    assert_eq!(cut(5), "a.amc, line 1: the file is cut off: it ends before the first frame");
}

#[test]
fn a_small_file_does_not_fill_the_memory() {
    // Half a megabyte that states three thousand million transforms.
    let mut text = String::from("HIERARCHY\nROOT a\n{\nCHANNELS 1 Xrotation\n");
    (0..20_000).for_each(|_| text += "JOINT b\n{\n}\n");
    text += "}\nMOTION\nFrames: 150000\nFrame Time: 1\n";
    text += &"0\n".repeat(150_000);
    let error = of_bvh(text.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("20001 joints are more than Sinew keeps"), "{error}");
}

#[test]
fn what_an_amc_file_leaves_still_is_told() {
    let skeleton = acclaim::parse_asf(ASF.as_bytes(), Path::new("a.asf")).unwrap();
    let amc = AMC.replace("foot 7\n", "");
    let (motion, warnings) = acclaim::parse_amc(amc.as_bytes(), Path::new("a.amc"), &skeleton).unwrap();
    assert_eq!(motion.frame_count(), 3);
    assert_eq!(crate::common::sentences(&warnings), ["no frame moves bone foot, which could move"]);
}

/// Changes some bytes, mostly to others that belong into such files, and may cut the end off.
fn damage(text: &str, changes: &[(prop::sample::Index, u8)], end: Option<prop::sample::Index>) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    let words = b"0123456789.-e {}\n:xyzXYZabcrootlegfoot\xFF\0";
    for (place, byte) in changes {
        let at = place.index(bytes.len());
        bytes[at] = words[usize::from(*byte) % words.len()];
    }
    bytes.truncate(end.map_or(bytes.len(), |end| end.index(bytes.len())));
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn damaged_files_never_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        end in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (asf, amc) = (damage(ASF, &changes, end), damage(AMC, &changes, end));
        let results = [
            of_bvh(&damage(BVH, &changes, end)),
            of_acclaim(&asf, AMC.as_bytes()),
            of_acclaim(ASF.as_bytes(), &amc),
        ];
        for result in results {
            match result {
                Ok(motion) => prop_assert_eq!(motion.validate(), Ok(())),
                Err(error) => prop_assert!(error.to_string().starts_with("a.")),
            }
        }
    }
}
