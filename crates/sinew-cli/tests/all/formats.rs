//! The table of formats, and what the command says from it.

use crate::common::Lab;

#[test]
fn the_page_has_the_table_that_is_printed() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/README.md");
    let page = std::fs::read_to_string(page).unwrap().replace("\r\n", "\n");
    let printed = Lab::new().ok("info --formats");
    let (_, after) = page.split_once("<!-- formats: as `sinew info --formats` prints them -->\n").unwrap();
    let (table, _) = after.split_once("<!-- /formats -->").unwrap();
    assert_eq!(
        table, printed,
        "put what `sinew info --formats` prints between the two marks in docs/formats/README.md"
    );
}

#[test]
fn formats_are_listed_where_one_is_missing() {
    let lab = Lab::new();
    std::fs::write(lab.at("a.xyz"), b"\x00\x01").unwrap();
    let sentence = lab.refused("info a.xyz");
    assert!(
        sentence.starts_with("a.xyz: the format is not known; Sinew reads GLB, glTF, .sinew, "),
        "{sentence}"
    );
    assert!(lab.refused("info").contains("FILE"), "a file is needed unless the table is asked for");
}
