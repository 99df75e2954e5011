//! USD files from the command line: what is in one, its poses as a point cache, a glTF rig or its poses as
//! USD.

use std::error::Error;
use std::path::Path;

use sinew_io::{glb, pc2, usd};

const USAGE: &str = "usd info FILE | usd play FILE OUT.pc2 [CLIP [FPS]] | usd rig FILE OUT.usda | usd cache FILE.glb OUT.usda";

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["info", file] => println!("{:#?}", usd::open(Path::new(file))?.info()?),
        ["play", file, out, ref rest @ ..] => play(Path::new(file), Path::new(out), rest)?,
        ["rig", glb, out] => rig(Path::new(glb), Path::new(out))?,
        ["cache", glb, out] => cache(Path::new(glb), Path::new(out))?,
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

/// Writes all poses of a USD or glTF file as a point cache.
fn play(file: &Path, out: &Path, rest: &[&str]) -> Result<(), Box<dyn Error>> {
    let clips = rest.first().filter(|c| !c.is_empty()).map(|c| c.to_string()).into_iter().collect();
    let fps = rest.get(1).map(|fps| fps.parse()).transpose()?;
    let options = glb::SampleOptions { clips, fps, ..Default::default() };
    if !is_usd(file) {
        let rig = glb::open(file)?.rig(&options)?.rig;
        let player = sinew::rig::Player::new(&rig);
        pc2::write(out, rig.rest.len(), rig.frame_count(), |frame, pose| player.pose_into(frame, pose))?;
        return Ok(());
    }
    let file = usd::open(file)?;
    let animation = file.animation(&options)?;
    animation.warnings.iter().for_each(|w| eprintln!("{w}"));
    let player = animation.player();
    let mut failed = None;
    pc2::write(out, animation.mesh.vertex_count, animation.frame_count(), |frame, pose| {
        failed = failed.take().or(player.pose_into(frame, pose).err());
    })?;
    failed.map_or(Ok(()), |error| Err(error.into()))
}

fn is_usd(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.to_string_lossy().starts_with("usd"))
}

/// Writes a glTF rig, or that of another USD file, with all its clips.
fn rig(from: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let options = glb::SampleOptions { clips: vec!["all".into()], ..Default::default() };
    let sampled =
        if is_usd(from) { usd::open(from)?.rig(&options)? } else { glb::open(from)?.rig(&options)? };
    let options = usd::WriteOptions { clip: sampled.clip, keep_normals: true, ..Default::default() };
    let report = usd::write_rig(out, &sampled.rig, &options)?;
    report.warnings.iter().for_each(|w| eprintln!("{w}"));
    println!("{} bytes", report.bytes);
    Ok(())
}

/// Writes the poses of a glTF rig.
fn cache(from: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let rig = glb::open(from)?.rig(&Default::default())?.rig;
    let player = sinew::rig::Player::new(&rig);
    let options = usd::CacheOptions { rest: Some(&rig.rest), fps: rig.fps, meters_per_unit: None };
    let report = usd::write_animation(out, &rig.mesh, rig.frame_count(), &options, |frame, pose| {
        player.pose_into(frame, pose);
        Ok(())
    })?;
    println!("{} bytes", report.bytes);
    Ok(())
}
