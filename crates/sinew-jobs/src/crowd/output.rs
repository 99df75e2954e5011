//! What a crowd is written as.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use sinew::progress::Progress;
use sinew_gpu::Pixels;
use sinew_picture::{GifWriter, Image};

use super::film::Film;
use crate::error::{JobError, Outcome};
use crate::names::has_extension;
use crate::pictures::save_png;
use crate::refusals::CrowdRefusal;
use crate::target::{self, Staged};

/// Where pictures go.
pub enum Output {
    Png(PathBuf),
    Gif(PathBuf),
    Mp4(PathBuf),
    Folder(PathBuf),
}

impl Output {
    /// Checks the name and that it could be written.
    pub fn new(path: &Path) -> Outcome<Self> {
        let file = |make: fn(PathBuf) -> Self| {
            target::check(&[Some(path)])?;
            Ok(make(path.into()))
        };
        if has_extension(path, "png") {
            return file(Self::Png);
        }
        if has_extension(path, "gif") {
            return file(Self::Gif);
        }
        if has_extension(path, "mp4") {
            check_ffmpeg()?;
            return file(Self::Mp4);
        }
        match path.extension() {
            None => Ok(Self::Folder(path.into())),
            Some(_) => Err(CrowdRefusal::Ending(path.into()).into()),
        }
    }

    /// Whether it is one picture.
    pub fn is_single(&self) -> bool {
        matches!(self, Self::Png(_))
    }

    /// Draws and writes so many frames.
    pub fn write(&self, film: &Film, frames: usize, progress: &dyn Progress) -> Outcome<()> {
        progress.stage("drawing");
        let draw = |frame: usize| -> Outcome<Image> {
            progress.check()?;
            progress.advance(frame as f64 / frames as f64);
            let (camera, seconds) = film.at(frame, frames);
            let Pixels { width, height, pixels } = film.renderer.picture(&camera, seconds)?;
            Ok(Image { width: width as usize, height: height as usize, pixels })
        };
        match self {
            Self::Png(path) => save_png(path, &draw(frames - 1)?),
            Self::Folder(path) => {
                let staged = Staged::new(path)?;
                for frame in 0..frames {
                    let path = staged.path().join(format!("frame_{frame:04}.png"));
                    save_png(&path, &draw(frame)?).map_err(|e| staged.told(e))?;
                }
                progress.check()?;
                staged.commit()
            }
            Self::Gif(path) => write_gif(path, frames, film.fps, &draw),
            Self::Mp4(path) => write_mp4(path, frames, film.fps, &draw),
        }
    }
}

type Draw<'a> = &'a dyn Fn(usize) -> Outcome<Image>;

fn write_gif(path: &Path, frames: usize, fps: f64, draw: Draw) -> Outcome<()> {
    let first = draw(0)?;
    let side = |side: usize| u16::try_from(side).map_err(|_| CrowdRefusal::WideGif(path.into()));
    let (width, height) = (side(first.width)?, side(first.height)?);
    let mut failed = None;
    let saved = sinew_io::save(path, |out| {
        let mut gif = GifWriter::new(out, width, height, fps)?;
        for frame in 0..frames {
            match if frame == 0 { Ok(first.clone()) } else { draw(frame) } {
                Ok(image) => gif.push(&image)?,
                Err(error) => {
                    failed = Some(error);
                    return Err(std::io::Error::other("no picture"));
                }
            }
        }
        Ok(())
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(saved.map(|_| ())?),
    }
}

fn check_ffmpeg() -> Outcome<()> {
    let found = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    match found.is_ok_and(|status| status.success()) {
        true => Ok(()),
        false => Err(CrowdRefusal::NoFfmpeg.into()),
    }
}

/// Pipes pictures to ffmpeg, which writes beside the target; the file is moved when it is whole.
fn write_mp4(path: &Path, frames: usize, fps: f64, draw: Draw) -> Outcome<()> {
    let first = draw(0)?;
    if first.width % 2 == 1 || first.height % 2 == 1 {
        return Err(CrowdRefusal::OddMp4.into());
    }
    let refuse = |e: std::io::Error| JobError::File(sinew_io::Error::io(path)(e));
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".sinew-").suffix(".mp4");
    #[cfg(unix)]
    {
        // Temporary files are private by default; the result should be as readable as any other file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let part = builder.tempfile_in(folder).map_err(refuse)?;
    let mut child = Command::new("ffmpeg")
        .args(["-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgba", "-s"])
        .arg(format!("{}x{}", first.width, first.height))
        .args(["-r", &fps.to_string(), "-i", "-", "-an", "-c:v", "libx264", "-crf", "18"])
        .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart"])
        .arg(part.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(refuse)?;
    let piped = pipe(&mut child, first, frames, draw);
    let done = child.wait_with_output().map_err(refuse)?;
    // Ctrl-C ends ffmpeg too, but that is not what went wrong.
    piped?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).trim().into();
        return Err(CrowdRefusal::Ffmpeg { path: path.into(), said }.into());
    }
    part.persist(path).map_err(|e| refuse(e.error))?;
    Ok(())
}

/// Gives all pictures to ffmpeg, and closes its input.
fn pipe(child: &mut Child, first: Image, frames: usize, draw: Draw) -> Outcome<()> {
    let Some(mut input) = child.stdin.take() else { return Ok(()) };
    let mut image = first;
    for frame in 0..frames {
        if frame > 0 {
            image = draw(frame)?;
        }
        // When ffmpeg has gone, what it said is the reason.
        if input.write_all(image.pixels.as_flattened()).is_err() {
            break;
        }
    }
    Ok(())
}
