//! A rig played at 60 Hz by a thread of its own, with a player that owns what it plays.
//!
//!     cargo run --release -p sinew --example play

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use sinew::glam::Vec3;
use sinew::progress::Silent;
use sinew::rig::{Player, Rig};
use sinew::skin::{SkinOptions, skin};
use sinew_sample::{CreatureOptions, creature};

/// How often a pose is shown.
const HERTZ: f64 = 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let animation = creature(&CreatureOptions { frames: 24, detail: 0.6, ..Default::default() });
    let options = SkinOptions { bones: Some(20), ..Default::default() };
    let rig = Arc::new(skin(&animation, &options, &Silent)?.rig);

    // The player shares the rig, so it needs nobody to outlive it.
    let player: Player<Arc<Rig>> = Player::with_normals(rig.clone());
    let (send, shown) = mpsc::channel();
    let playing = thread::spawn(move || play(&player, 30, &send));
    for (tick, (lowest, taken)) in shown.iter().enumerate() {
        println!("tick {tick:2}: lowest vertex at {lowest:.3}, posed in {} µs", taken.as_micros());
    }
    playing.join().map_err(|_| "the player stopped")?;
    println!("{} vertices at {HERTZ} Hz", rig.rest.len());
    Ok(())
}

/// Poses as many times as told, and tells of each pose how low it is and how long it took.
fn play(player: &Player<Arc<Rig>>, ticks: u32, send: &mpsc::Sender<(f32, Duration)>) {
    let rig = player.rig();
    let (mut pose, mut normals) = (rig.rest.clone(), vec![Vec3::ZERO; rig.rest.len()]);
    let start = Instant::now();
    for tick in 0..ticks {
        let time = f64::from(tick) / HERTZ;
        let frame = (time * rig.fps) as usize % rig.frame_count();
        let clock = Instant::now();
        player.pose_and_normals_into(frame, &mut pose, &mut normals);
        let lowest = pose.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        if send.send((lowest, clock.elapsed())).is_err() {
            return;
        }
        let next = Duration::from_secs_f64(f64::from(tick + 1) / HERTZ);
        thread::sleep(next.saturating_sub(start.elapsed()));
    }
}
