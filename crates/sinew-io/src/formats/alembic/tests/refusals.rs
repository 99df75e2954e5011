//! Archives that are refused, each with its sentence.

use super::*;
use crate::formats::alembic::time::ACYCLIC;

#[test]
fn meshes_that_change_are_refused() {
    let four = floats(&[0.0; 12]);
    let bytes = archive(&[(FILM, &[0.0])], |out| {
        vec![triangle(out, "a", MESH, 1, &[at(0.0), at(0.0), at(1.0), four])]
    });
    assert_eq!(
        refused(bytes),
        "a.abc: frame 3 of /a has 4 vertices, but the first frame has 3; Sinew needs a mesh whose vertices \
         and faces stay the same"
    );
    let faces = |second: Vec<u8>| {
        archive(&[(FILM, &[0.0])], |out| {
            let properties = [
                property(out, ("P", ""), (Kind::Array, Pod::F32, 3), 1, &[at(0.0), at(1.0)]),
                property(
                    out,
                    (".faceIndices", ""),
                    (Kind::Array, Pod::I32, 1),
                    1,
                    &[ints(&[0, 1, 2]), second],
                ),
                property(out, (".faceCounts", ""), (Kind::Array, Pod::I32, 1), 0, &[ints(&[3])]),
            ];
            let geometry = out.compound(".geom", MESH, &properties).unwrap();
            vec![out.object("a", MESH, &[geometry], &[]).unwrap()]
        })
    };
    assert!(refused(faces(ints(&[0, 2, 1]))).contains("frame 1 of /a has 3 other face corners"));
    let more = refused(faces(ints(&[0, 2, 1, 0])));
    assert!(more.contains("frame 1 of /a has 4 face corners, but the first frame has 3"), "{more}");
}

#[test]
fn what_is_wrong_gets_its_sentence() {
    let vals = |vals: &[f64]| {
        let vals = vals.to_vec();
        archive(&[], |out| {
            let mesh = triangle(out, "a", MESH, 0, &[at(0.0)]);
            vec![transform(out, "t", &[0x30], (0, &[vals]), true, &[mesh])]
        })
    };
    assert_eq!(refused(vals(&[1.0; 9])), "a.abc: transform t needs 16 numbers, but sample 0 has 9");
    assert_eq!(refused(vals(&[f64::NAN; 16])), "a.abc: transform t is not finite in sample 0");
    let empty = refused(archive(&[], |_| Vec::new()));
    assert_eq!(empty, "a.abc: the archive holds no mesh");
    let curves = archive(&[], |out| vec![out.object("c", "schema=AbcGeom_Curve_v2", &[], &[]).unwrap()]);
    assert_eq!(refused(curves), "a.abc: the archive holds no mesh, only AbcGeom_Curve_v2");
    let late = archive(&[], |out| vec![triangle(out, "a", MESH, 5, &[at(0.0)])]);
    assert_eq!(refused(late), "a.abc: property P is sampled at times 5, but there are only 1");
    let backwards = archive(&[(ACYCLIC, &[1.0, 0.0])], |out| vec![triangle(out, "a", MESH, 1, &[at(0.0)])]);
    assert_eq!(refused(backwards), "a.abc: the archive's times of samples, number 1, are no times");
    let long = archive(&[(ACYCLIC, &[0.0, 1e-3, 1e9])], |out| {
        vec![triangle(out, "a", MESH, 1, &[at(0.0), at(1.0), at(2.0)])]
    });
    let fast = opened(long).animation(&ReadOptions { fps: Some(1000.0) }).unwrap_err().to_string();
    assert_eq!(fast, "a.abc: the archive lasts 1000000000 s, which is 1000000000001 frames");
}

#[test]
fn a_small_file_does_not_grow_without_end() {
    // Objects that hold the one before twice: a million million of them.
    let bytes = archive(&[], |out| {
        let mut last = triangle(out, "a", MESH, 0, &[at(0.0)]);
        for depth in 0..40 {
            let twice = [last.again(), last];
            last = out.object(&format!("g{depth}"), "", &[], &twice).unwrap();
        }
        vec![last]
    });
    assert!(refused(bytes).contains("more objects and properties than a file of its length can"));
    let deep = archive(&[], |out| {
        let mut last = triangle(out, "a", MESH, 0, &[at(0.0)]);
        for _ in 0..300 {
            last = out.object("g", "", &[], &[last]).unwrap();
        }
        vec![last]
    });
    assert_eq!(refused(deep), "a.abc: objects are nested more than 200 deep");
}
