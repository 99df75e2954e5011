//! Time of writing and reading a GLB file, on a rig of the built-in creature; items are bytes.
//!
//! `cargo bench -p sinew-io`.

use std::path::Path;
use std::sync::LazyLock;

use divan::Bencher;
use divan::counter::BytesCount;
use sinew::progress::Silent;
use sinew::rig::Rig;
use sinew::skin::{SkinOptions, skin};
use sinew_io::formats::gltf::{WriteOptions, parse_alone, to_bytes};
use sinew_io::scene::{DEFAULT_COMPACT_ERROR, SampleOptions};
use sinew_sample::{CreatureOptions, creature};

fn main() {
    divan::main();
}

static RIG: LazyLock<Rig> = LazyLock::new(|| {
    let animation = creature(&CreatureOptions::default());
    let options = SkinOptions { bones: Some(24), rank: 4, ..SkinOptions::sma() };
    skin(&animation, &options, &Silent).expect("the creature can be skinned").rig
});

fn file(options: &WriteOptions) -> Vec<u8> {
    to_bytes(&RIG, options).expect("the rig can be written").0
}

#[divan::bench(args = [None, Some(DEFAULT_COMPACT_ERROR)])]
fn write(bencher: Bencher, compact: Option<f64>) {
    let options = WriteOptions { compact, ..WriteOptions::default() };
    bencher.counter(BytesCount::new(file(&options).len())).bench(|| to_bytes(&RIG, &options));
}

#[divan::bench]
fn open(bencher: Bencher) {
    let bytes = file(&WriteOptions::default());
    bencher.counter(BytesCount::new(bytes.len())).bench(|| parse_alone(&bytes, Path::new("creature.glb")));
}

#[divan::bench]
fn sample(bencher: Bencher) {
    let bytes = file(&WriteOptions::default());
    let opened = parse_alone(&bytes, Path::new("creature.glb")).expect("Sinew reads its own files");
    bencher.counter(BytesCount::new(bytes.len())).bench(|| opened.rig(&SampleOptions::default()));
}
