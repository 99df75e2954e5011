//! Pictures and reports.

use std::path::Path;

use sinew_picture::Camera;

use super::report::{Report, picture_of};
use super::sent::picture as sent;
use super::work::finish;
use super::{Outcome, Refusal, Seen, Session, Written};

impl Session {
    /// Draws a frame of a version, or keeps what the page has drawn of it.
    pub(super) fn picture(
        &self,
        id: u32,
        frame: usize,
        path: &Path,
        drawn: Option<&Path>,
    ) -> Result<Outcome<Written>, Refusal> {
        let path = self.target(path)?;
        check_ending(&path, "png")?;
        let drawn = drawn.map(|drawn| self.folders.to_read(drawn)).transpose()?;
        let version = self.version(id)?;
        super::data::check_frames(frame, frame.saturating_add(1), version.shape.frame_count())?;
        let shape = version.shape.clone();
        Ok(Outcome::wait("picture", move |progress| {
            progress.stage("drawing");
            let png = match drawn {
                Some(drawn) => sent(&drawn)?,
                None => picture_of(&shape, &[frame], Camera::default())?,
            };
            sinew_io::save(&path, |out| out.write_all(&png))?;
            finish(move |session| Ok(session.was_saved(path, Vec::new())))
        }))
    }

    /// Writes a report of all versions.
    pub(super) fn save_report(&self, path: &Path, seen: Option<Seen>) -> Result<Outcome<Written>, Refusal> {
        let path = self.target(path)?;
        check_ending(&path, "html")?;
        let report = Report::of(self, seen)?;
        Ok(Outcome::wait("report", move |progress| {
            progress.stage("drawing");
            let html = report.html(progress)?;
            sinew_io::save(&path, |out| out.write_all(html.as_bytes()))?;
            finish(move |session| Ok(session.was_saved(path, Vec::new())))
        }))
    }
}

fn check_ending(path: &Path, ending: &str) -> Result<(), Refusal> {
    match path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending)) {
        true => Ok(()),
        false => Refusal::say(format!("{}: name the file *.{ending}", path.display())),
    }
}
