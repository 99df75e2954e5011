//! How near playing a rig comes to copying memory.
//!
//! `cargo bench -p sinew-io --bench play`, with `SINEW_RIG=rig.glb` for a rig other than the built-in
//! creature's. A frame has to read rest pose, normals, weights (four bytes) and bones (two bytes) of each
//! influence, and to write positions and normals: those bytes over the seconds, against the bytes read and
//! written while memory far larger than any cache is copied by one core.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use glam::Vec3;
use sinew::progress::Silent;
use sinew::rig::{Player, Rig};
use sinew::skin::{SkinOptions, skin};
use sinew_io::open;
use sinew_io::scene::SampleOptions;
use sinew_sample::{CreatureOptions, creature};

/// Beyond all caches.
const COPIED: usize = 256 << 20;
/// The best of so many counts: others use the machine too.
const ROUNDS: usize = 400;

fn main() {
    let rig = match std::env::var_os("SINEW_RIG") {
        Some(path) => open::rig(Path::new(&path), &SampleOptions::default()).expect("a rig").rig,
        None => sample(),
    };
    let (n, influences) = (rig.rest.len(), rig.weights.per_vertex);
    let rigid = rig.bones.iter().filter(|b| b.rigid).count();
    println!(
        "{n} vertices, {} bones ({rigid} rigid), {influences} influences, rank {}",
        rig.bones.len(),
        rig.rank()
    );
    let copying = 2.0 * COPIED as f64 / copy();
    println!("copying         {:6.1} GB/s, one core, bytes read and written", copying / 1e9);
    for normals in [false, true] {
        let vectors = if normals { 2 } else { 1 };
        let bytes = n * (24 * vectors + 6 * influences + 12 * vectors * rig.rank());
        let [one, two] = [1, 2].map(|threads| on(threads, || play(&rig, normals)));
        println!(
            "{:<15} {:6.1} GB/s, {:.0} % of copying; {:.1} us a frame, {:.2} ns a vertex; two cores {:.2} times as fast",
            if normals { "with normals" } else { "positions" },
            bytes as f64 / one / 1e9,
            100.0 * bytes as f64 / one / copying,
            1e6 * one,
            1e9 * one / n as f64,
            one / two
        );
    }
}

/// The creature with 25 bones and about as many vertices as scanned animals have.
fn sample() -> Rig {
    let animation = creature(&CreatureOptions { detail: 2.8, frames: 24, ..CreatureOptions::default() });
    let options = SkinOptions { bones: Some(25), ..SkinOptions::default() };
    skin(&animation, &options, &Silent).expect("the creature can be skinned").rig
}

fn on<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(work)
}

/// Seconds a frame.
fn play(rig: &Rig, normals: bool) -> f64 {
    let player = if normals { Player::with_normals(rig) } else { Player::new(rig) };
    let [mut pose, mut turned] = [vec![Vec3::ZERO; rig.rest.len()], vec![Vec3::ZERO; rig.rest.len()]];
    let frames = rig.frame_count();
    best(ROUNDS, |round| {
        let frame = round % frames;
        if normals {
            player.pose_and_normals_into(frame, &mut pose, &mut turned);
        } else {
            player.pose_into(frame, &mut pose);
        }
        black_box((&mut pose, &mut turned));
    })
}

/// Seconds.
fn copy() -> f64 {
    let from = vec![1_u8; COPIED];
    let mut to = vec![0_u8; COPIED];
    best(12, |_| {
        to.copy_from_slice(&from);
        black_box(&mut to);
    })
}

fn best(rounds: usize, mut work: impl FnMut(usize)) -> f64 {
    let time = |round| {
        let start = Instant::now();
        work(round);
        start.elapsed().as_secs_f64()
    };
    (0..rounds).map(time).fold(f64::INFINITY, f64::min)
}
