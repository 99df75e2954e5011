//! Whatever the bytes, the reader of maps answers with names that can be written and read again, or with one
//! sentence.
#![no_main]

mod mutate;

use std::path::Path;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let path = Path::new("fuzz.toml");
    match sinew_io::map_file::parse(bytes, path) {
        Ok(map) => {
            let lines =
                map.iter().map(|(bone, joint)| sinew_io::map_file::line(bone, joint.as_deref()) + "\n");
            let text: String = std::iter::once("[bones]\n".into()).chain(lines).collect();
            assert_eq!(sinew_io::map_file::parse(text.as_bytes(), path).expect("our own map"), map);
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
});
