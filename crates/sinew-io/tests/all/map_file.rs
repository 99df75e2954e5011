//! Maps as people write them.

use std::path::Path;

use proptest::prelude::*;
use sinew_io::map_file::{line, parse};

fn refused(text: impl AsRef<[u8]>) -> String {
    parse(text.as_ref(), Path::new("map.toml")).unwrap_err().to_string()
}

#[test]
fn bones_follow_joints_or_none() {
    let text = "# mine\n[bones]\n\"arm.L\" = \"LeftArm\"  # sure\nleg = \"\"\n";
    let map = parse(text.as_bytes(), Path::new("map.toml")).unwrap();
    let pairs: Vec<_> = map.iter().map(|(bone, joint)| (bone.as_str(), joint.as_deref())).collect();
    assert_eq!(pairs, [("arm.L", Some("LeftArm")), ("leg", None)]);
}

#[test]
fn what_is_not_understood_is_shown_with_its_line() {
    let expected =
        "a map has a line [bones], and below it a line for each bone, such as \"bone_3\" = \"LeftArm\"";
    for (text, begins) in [
        ("[bones]\na = \n", "map.toml, line 2: “a =” is not understood; "),
        ("[bones]\na = b\n", "map.toml, line 2: “a = b” is not understood; "),
        ("[bones]\na = \"b\n", "map.toml, line 2: “a = \"b” is not understood; "),
        ("[bones]\n\na: \"b\"\n", "map.toml, line 3: “a: \"b\"” is not understood; "),
        ("[bones]\na = \"b\"\nc d = \"e\"\n", "map.toml, line 3: “c d = \"e\"” is not understood; "),
        ("[bones]\na = 1\n", "map.toml, line 2: “a = 1” is not understood; "),
        ("[bones]\na.b = \"c\"\n", "map.toml, line 2: “a.b = \"c\"” is not understood; "),
        ("[bones\n", "map.toml, line 1: “[bones” is not understood; "),
        ("# none\n[joints]\na = \"b\"\n", "map.toml, line 2: “[joints]” is not understood; "),
        ("a = \"b\"\n[bones]\n", "map.toml, line 1: “a = \"b\"” is not understood; "),
        ("[bones]\na = \"b\"\na = \"c\"\n", "map.toml, line 3: “a = \"c\"” is there twice; "),
        ("", "map.toml: what belongs in it is missing; "),
        ("# nothing\n", "map.toml: what belongs in it is missing; "),
    ] {
        assert_eq!(refused(text), format!("{begins}{expected}"), "{text:?}");
    }
    assert!(refused(b"[bones]\n\xff\xfe").starts_with("map.toml, line 2: this is no text"));
    let long = refused(format!("[bones]\n{}\n", "x".repeat(1000)));
    assert!(long.len() < 250, "{long}");
}

proptest! {
    #[test]
    fn any_name_comes_back(bone in any::<String>(), joint in any::<String>()) {
        let text = format!("[bones]\n{}\n", line(&bone, Some(&joint)));
        let map = parse(text.as_bytes(), Path::new("map.toml")).unwrap();
        let joint = Some(joint).filter(|joint| !joint.is_empty());
        prop_assert_eq!(map.into_iter().collect::<Vec<_>>(), [(bone, joint)]);
    }

    #[test]
    fn any_bytes_are_answered(text in "(\\[bones\\]\n)?[\\[\\]{}=\"'.#\na-c0-9\r\t é]{0,40}") {
        if let Err(error) = parse(text.as_bytes(), Path::new("map.toml")) {
            let sentence = error.to_string();
            prop_assert!(sentence.starts_with("map.toml") && sentence.lines().count() == 1, "{}", sentence);
        }
    }
}
