//! Whatever the bytes, the OBJ reader answers with a mesh that holds together or with an error.
#![no_main]

mod mutate;

use std::path::Path;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let load = |path: &Path| match path.extension() {
        // The same bytes serve as material library, so that its lookup is fuzzed too.
        Some(extension) if extension == "mtl" => Ok(bytes.to_vec()),
        Some(_) => Ok(b"\x89PNG\r\n\x1a\n".to_vec()),
        None => Err(std::io::ErrorKind::NotFound.into()),
    };
    if let Ok(result) = sinew_io::formats::obj::parse(bytes, Path::new("fuzz.obj"), &load) {
        assert_eq!(result.mesh.validate(), Ok(()));
        assert_eq!(result.mesh.vertex_count, result.positions.len());
        assert!(result.positions.iter().all(|p| p.is_finite()));
    }
});
