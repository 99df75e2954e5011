//! Whatever the bytes, the MTL reader answers with materials in range.
#![no_main]

mod mutate;

use std::path::Path;

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, most: usize, seed: u32| {
    mutate::text(data, size, most, seed)
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for entry in sinew_io::formats::obj::mtl::parse(bytes, Path::new("fuzz.mtl")).materials {
        let m = entry.material;
        let shares = m.base_color.into_iter().chain(m.emissive).chain([m.metallic, m.roughness]);
        assert!(shares.into_iter().all(|x| (0.0..=1.0).contains(&x)));
    }
});
