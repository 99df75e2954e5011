//! The table of segmenters, and where people read of it.

use crate::common::Lab;
use sinew::segment::{ALL, Role, words};

fn list(role: Role) -> String {
    words(role).map(|(word, _)| word).collect::<Vec<_>>().join("\\|")
}

#[test]
fn the_pages_have_them_all() {
    let page = |name: &str| {
        let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap().replace("\r\n", "\n")
    };
    let (skin, skeleton) = (page("skin.md"), page("skeleton.md"));
    let mut expected =
        String::from("| segmenter | what it finds | `--start` | `--segment` |\n| --- | --- | --- | --- |\n");
    for &segmenter in ALL {
        let [start, skeleton] = [Role::Start, Role::Skeleton]
            .map(|role| segmenter.facts().word(role).map(|word| format!("`{word}`")).unwrap_or_default());
        let (name, about) = (segmenter.facts().name, segmenter.facts().about);
        expected += &format!("| {name} | {about} | {start} | {skeleton} |\n");
    }
    let (_, after) = skeleton.split_once("<!-- segmenters: as the library lists them -->\n").unwrap();
    let (table, _) = after.split_once("<!-- /segmenters -->").unwrap();
    assert_eq!(table, expected);
    assert!(skin.contains(&format!("`--start {}\\|RIG`", list(Role::Start))));
    assert!(skeleton.contains(&format!("`--segment {}`", list(Role::Skeleton))));
}

#[test]
fn commands_list_them_by_themselves() {
    let lab = Lab::new();
    for (command, role) in [("skin", Role::Start), ("skeleton", Role::Skeleton)] {
        let help = lab.ok(&format!("{command} --help"));
        for (word, segmenter) in words(role) {
            let about: String = segmenter.facts().about.chars().take(20).collect();
            assert!(help.contains(word) && help.contains(&about), "{word}: {help}");
        }
    }
}
