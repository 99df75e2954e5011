//! Small pictures for the page of a batch.

use std::path::{Path, PathBuf};

use serde_json::Value;
use sinew::progress::Progress;
use sinew_io::open;

use crate::any::AnyJob;
use crate::frames::FrameChoice;
use crate::job::Job;
use crate::picture::{PictureColor, PictureJob};

/// Pixels from side to side and from top to bottom.
const SIZE: [usize; 2] = [128, 96];

/// Draws the rig that a job wrote, coloured by bone, at the frame of its largest error. Gives the picture's name in the
/// batch's folder; none where there is no rig or it cannot be drawn, which is no fault of the job.
pub(super) fn draw(
    job: &mut AnyJob,
    report: &Value,
    folder: &Path,
    record: &Path,
    progress: &dyn Progress,
) -> Option<String> {
    let files = job.files();
    let is_rig = |path: &&Path| path.is_file() && open::format(*path).is_ok_and(|format| format.reads.rig);
    let file = files.that_are_written().find(is_rig)?.to_owned();
    let key = record.file_stem()?.to_str()?;
    let name = format!("pictures/{}/{key}.png", key.get(..2)?);
    let output: PathBuf = folder.join(&name);
    std::fs::create_dir_all(output.parent()?).ok()?;
    let worst = report.pointer("/error/max_frame").and_then(Value::as_u64).unwrap_or(0) as usize;
    let picture = |frame: usize| PictureJob {
        file: file.clone(),
        output: output.clone(),
        frame: FrameChoice::These(vec![frame]),
        color: Some(PictureColor::Bones),
        size: SIZE,
        ..PictureJob::default()
    };
    // The frame may be of another clip than the one that is drawn.
    let drawn = picture(worst).run(progress).or_else(|_| picture(0).run(progress));
    drawn.ok().map(|_| name)
}
