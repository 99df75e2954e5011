//! Small pictures for the page of a batch: one pose, however many frames there are, and light without shadows, which would take
//! longer than many a job.

use std::path::Path;

use glam::Vec3;
use serde_json::Value;
use sinew::rig::{Player, Rig};
use sinew_io::open;
use sinew_io::scene::SampleOptions;
use sinew_picture::{Coloring, PictureOptions, Shot, render};

use super::work::Work;
use crate::error::Outcome;
use crate::pictures::{bone_colors, save_png};

/// Pixels from side to side and from top to bottom.
const SIZE: [usize; 2] = [128, 96];

/// Draws the rig that a job wrote, coloured by bone, at the frame of its largest error. Gives the picture's name in the
/// batch's folder; none where there is no rig or it cannot be drawn, which is no fault of the job.
pub(super) fn draw(work: &mut Work, report: &Value, folder: &Path, record: &Path) -> Option<String> {
    let files = work.files();
    let is_rig = |path: &&Path| path.is_file() && open::format(*path).is_ok_and(|format| format.reads.rig);
    let file = files.that_are_written().find(is_rig)?;
    let rig = open::rig(file, &SampleOptions::default()).ok()?.rig;
    let key = record.file_stem()?.to_str()?;
    let name = format!("pictures/{}/{key}.png", key.get(..2)?);
    let output = folder.join(&name);
    std::fs::create_dir_all(output.parent()?).ok()?;
    // The frame may be of another clip than the one that is drawn.
    let worst = report.pointer("/error/max_frame").and_then(Value::as_u64).unwrap_or(0) as usize;
    let frame = if worst < rig.frame_count() { worst } else { 0 };
    draw_rig(&rig, frame, &output).ok().map(|()| name)
}

fn draw_rig(rig: &Rig, frame: usize, output: &Path) -> Outcome<()> {
    let mut positions = rig.rest.clone();
    if rig.frame_count() > 0 {
        Player::new(rig).pose_into(frame, &mut positions);
    }
    let triangles = rig.mesh.triangles(&rig.rest);
    let colors: Vec<Vec3> = bone_colors(&rig.weights, rig.bones.len(), &triangles);
    let shot = Shot {
        mesh: &rig.mesh,
        positions: &positions,
        triangles: Some(&triangles),
        coloring: Coloring::FaceColors(&colors),
        skeleton: None,
        title: String::new(),
    };
    let [width, height] = SIZE;
    let options = PictureOptions { width, height, shadows: false, ..PictureOptions::default() };
    save_png(output, &render(&[shot], &options)?)
}
