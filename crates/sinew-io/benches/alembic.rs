//! Time of reading poses of an Alembic archive from the system's file cache; items are bytes.
//!
//! `cargo bench -p sinew-io --bench alembic`.

use std::path::Path;

use divan::Bencher;
use divan::counter::BytesCount;
use glam::Vec3;
use sinew::geometry::Mesh;
use sinew_io::formats::alembic::{Animation, ReadOptions, WriteOptions, open, write};
use tempfile::TempDir;

const VERTICES: usize = 1 << 17;
const FRAMES: usize = 64;

fn main() {
    divan::main();
}

fn fill(path: &Path) -> u64 {
    let triangles: Vec<[u32; 3]> = (2..VERTICES as u32).map(|v| [v - 2, v - 1, v]).collect();
    let mesh = Mesh::from_triangles(VERTICES, &triangles);
    let report = write(path, &mesh, None, FRAMES, &WriteOptions::default(), |frame, out| {
        for (i, p) in out.iter_mut().enumerate() {
            *p = Vec3::new(i as f32, frame as f32, 0.5);
        }
        Ok(())
    });
    report.expect("the folder can be written").bytes
}

fn archive(fps: Option<f64>) -> (TempDir, Animation) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let path = folder.path().join("bench.abc");
    fill(&path);
    let file = open(&path).expect("Sinew reads its own files");
    let animation = file.animation(&ReadOptions { fps }).expect("it is whole");
    (folder, animation)
}

/// At the rate of the file, and at another, where every pose is between two.
#[divan::bench(args = [None, Some(29.97)])]
fn poses(bencher: Bencher, fps: Option<f64>) {
    let (_folder, animation) = archive(fps);
    let mut out = vec![Vec3::ZERO; VERTICES];
    let bytes = 12 * VERTICES * animation.frame_count;
    bencher.counter(BytesCount::new(bytes)).bench_local(|| {
        for frame in 0..animation.frame_count {
            animation.pose_into(frame, &mut out).expect("it is whole");
        }
    });
}

#[divan::bench]
fn index(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let path = folder.path().join("bench.abc");
    fill(&path);
    bencher.bench(|| open(&path).and_then(|file| file.info()));
}

#[divan::bench]
fn writing(bencher: Bencher) {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let path = folder.path().join("bench.abc");
    let bytes = fill(&path);
    bencher.counter(BytesCount::new(bytes)).bench(|| fill(&path));
}
