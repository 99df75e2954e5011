//! Flesh in `.deform` files: it comes back to the bit, and damage is found.

use std::path::Path;

use glam::Vec3;
use proptest::prelude::*;
use sinew::flesh::{CellShape, Flesh, StoredFlesh};
use sinew::geometry::Mesh;
use sinew_io::flesh_file::{FleshBody, is_flesh, parse, to_bytes, write};

/// A strip of triangles, of which the upper half moves by itself.
fn body() -> FleshBody {
    let rest: Vec<Vec3> =
        (0..24).map(|v| Vec3::new((v % 2) as f32, (v / 2) as f32 * 0.5, 0.1 * (v % 3) as f32)).collect();
    let triangles: Vec<[u32; 3]> = (0..22).map(|v| [v, v + 1, v + 2]).collect();
    let mesh = Mesh::from_triangles(24, &triangles);
    let stored = StoredFlesh {
        fps: 30.0,
        free: (12..24).collect(),
        knots: (12..24).step_by(2).collect(),
        held: (4..12).collect(),
        stiffness: (0..14).map(|i| 0.1 + 0.01 * f64::from(i)).collect(),
        hold: 0.05,
        damping: 0.01,
        shape: CellShape::Moved,
        gain: 0.9,
    };
    let flesh = Flesh::from_stored(&mesh, &rest, stored).unwrap();
    FleshBody { mesh, rest, flesh, metres_per_unit: Some(0.01) }
}

#[test]
fn flesh_comes_back() {
    let body = body();
    let again = parse(&to_bytes(&body), Path::new("body.deform")).unwrap();
    assert_eq!(again.flesh.stored(), body.flesh.stored());
    assert_eq!((again.rest, again.metres_per_unit), (body.rest.clone(), body.metres_per_unit));
    assert_eq!(again.mesh.face_count(), body.mesh.face_count());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body.deform");
    assert_eq!(write(&path, &body).unwrap(), std::fs::metadata(&path).unwrap().len());
    assert!(is_flesh(&path).unwrap());
    std::fs::write(&path, "‹").unwrap();
    assert!(!is_flesh(&path).unwrap());
}

#[test]
fn numbers_that_no_flesh_has_are_refused() {
    let body = body();
    type Wrong = fn(&mut StoredFlesh);
    let wrongs: [Wrong; 7] = [
        |s| s.fps = 0.0,
        |s| s.gain = 2.0,
        |s| s.hold = f64::NAN,
        |s| s.stiffness[3] = -1.0,
        |s| s.knots[0] = 3,
        |s| s.held[0] = 13,
        |s| s.free[11] = 99,
    ];
    for wrong in wrongs {
        let mut stored = body.flesh.stored();
        wrong(&mut stored);
        assert!(Flesh::from_stored(&body.mesh, &body.rest, stored).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_is_found(at in 0.0..1.0_f64, to: u8) {
        let whole = to_bytes(&body());
        let mut bytes = whole.clone();
        let at = (at * bytes.len() as f64) as usize;
        bytes[at] = to;
        let read = parse(&bytes, Path::new("body.deform"));
        prop_assert!(bytes == whole || read.is_err());
        prop_assert!(parse(&whole[..at], Path::new("body.deform")).is_err());
    }
}
