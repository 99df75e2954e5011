//! Standard input and output where one file is meant.
//!
//! `-` stands for standard input among the files that a job reads; its format is told by content. Among those it writes,
//! `-` and an ending stand for standard output in that format, as in `-.glb`, and `-` alone does for the report. Formats are
//! read and written at any place of a file, and streams cannot be, so both go through a file in the folder for such: what
//! comes from standard input is read to its end first, and what goes to standard output goes there when it is whole. Named
//! pipes are read like standard input.

use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::{JobError, Outcome};
use crate::refusals::StandardRefusal;

const STREAM: &str = "-";
/// How names of folders begin that stand for streams.
const FOLDER: &str = "sinew-stream-";
const INPUT: &str = "input";
const PIPE: &str = "pipe-";
const OUTPUT: &str = "output";

/// The files that a job names.
#[derive(Debug, Default)]
pub struct Files<'a> {
    read: Vec<&'a mut PathBuf>,
    written: Vec<&'a mut PathBuf>,
    report: Option<&'a mut PathBuf>,
}

impl<'a> Files<'a> {
    /// With these, which are read.
    pub fn read(mut self, files: impl IntoIterator<Item = &'a mut PathBuf>) -> Self {
        self.read.extend(files);
        self
    }

    /// With these, which are written.
    pub fn written(mut self, files: impl IntoIterator<Item = &'a mut PathBuf>) -> Self {
        self.written.extend(files);
        self
    }

    /// With the report, which needs no ending to be told by.
    pub fn report(mut self, file: &'a mut Option<PathBuf>) -> Self {
        self.report = file.as_mut();
        self
    }

    /// Whether something goes to standard output.
    pub fn go_to_output(&self) -> bool {
        self.to_output() > 0
    }

    /// Files that are read.
    pub fn that_are_read(&self) -> impl Iterator<Item = &Path> {
        self.read.iter().map(|path| path.as_path())
    }

    /// Files and folders that are written, without the report.
    pub fn that_are_written(&self) -> impl Iterator<Item = &Path> {
        self.written.iter().map(|path| path.as_path())
    }

    /// Where the report goes.
    pub fn report_path(&self) -> Option<&Path> {
        self.report.as_ref().map(|path| path.as_path())
    }

    fn to_output(&self) -> usize {
        let all = self.written.iter().chain(&self.report);
        all.filter(|path| is_output(path)).count()
    }

    /// Refuses more than one file for a stream, and one that says no format.
    pub(crate) fn check(&self) -> Result<(), StandardRefusal> {
        let read = self.read.iter().filter(|path| is_input(path)).count();
        match (read, self.to_output()) {
            (2.., _) => Err(StandardRefusal::ReadTwice),
            (_, 2..) => Err(StandardRefusal::WrittenTwice),
            _ if self.written.iter().any(|path| path.as_os_str() == STREAM) => Err(StandardRefusal::NoFormat),
            _ => Ok(()),
        }
    }
}

/// Whether a file that is read is standard input.
pub fn is_input(path: &Path) -> bool {
    path.as_os_str() == STREAM
}

/// Whether a file that is written is standard output.
pub fn is_output(path: &Path) -> bool {
    let text = path.to_str().unwrap_or_default();
    text == STREAM || text.strip_prefix("-.").is_some_and(|ending| !ending.contains(['/', '\\', '.']))
}

/// Standard output in a format, by its ending.
pub fn output_as(ending: &str) -> PathBuf {
    format!("{STREAM}.{ending}").into()
}

/// Files that stand for streams while a job runs.
#[derive(Default)]
pub(crate) struct Streams {
    folder: Option<TempDir>,
    output: Option<PathBuf>,
}

impl Streams {
    /// Puts files in the place of streams, and reads what comes from standard input.
    pub fn open(files: Files) -> Outcome<Self> {
        files.check()?;
        let mut streams = Self::default();
        for (number, path) in files.read.into_iter().enumerate() {
            let (name, mut from): (_, Box<dyn Read>) = match &*path {
                path if is_input(path) => (INPUT.into(), Box::new(std::io::stdin())),
                path if is_device(path) => return Err(StandardRefusal::Device(path.into()).into()),
                path if is_pipe(path) => {
                    let pipe = std::fs::File::open(path).map_err(sinew_io::Error::io(path))?;
                    (format!("{PIPE}{number}"), Box::new(pipe))
                }
                _ => continue,
            };
            let file = streams.folder()?.join(name);
            let fill = |mut file: std::fs::File| std::io::copy(&mut from, &mut file);
            std::fs::File::create(&file).and_then(fill).map_err(sinew_io::Error::io(path))?;
            *path = file;
        }
        for path in files.written.into_iter().filter(|path| is_output(path)) {
            let Some(ending) = path.extension() else { continue };
            let file = streams.folder()?.join(OUTPUT).with_extension(ending);
            streams.output = Some(file.clone());
            *path = file;
        }
        Ok(streams)
    }

    fn folder(&mut self) -> Outcome<&Path> {
        if self.folder.is_none() {
            let made = tempfile::Builder::new().prefix(FOLDER).tempdir();
            self.folder = Some(made.map_err(of_stream("standard streams"))?);
        }
        Ok(self.folder.as_ref().map(TempDir::path).unwrap_or(Path::new(".")))
    }

    /// Writes what was made to standard output.
    pub fn pour(&self) -> Outcome<()> {
        let (Some(output), Some(folder)) = (&self.output, &self.folder) else { return Ok(()) };
        if !output.exists() {
            return Ok(());
        }
        let entries = std::fs::read_dir(folder.path()).map_err(of_stream("standard output"))?;
        let is_read = |name: &str| name == INPUT || name.starts_with(PIPE);
        let names = entries.flatten().map(|e| e.file_name());
        let files = names.filter(|name| !name.to_str().is_some_and(is_read)).count();
        if files > 1 {
            return Err(StandardRefusal::SeveralFiles { files }.into());
        }
        let mut file = std::fs::File::open(output).map_err(of_stream("standard output"))?;
        write_out(|out| std::io::copy(&mut file, out).map(|_| ()))
    }
}

/// Whether a file can be read but once, from its beginning: a named pipe, or what a shell makes of `<(…)`.
fn is_pipe(path: &Path) -> bool {
    is_kind(path, |kind| {
        #[cfg(unix)]
        return std::os::unix::fs::FileTypeExt::is_fifo(&kind);
        #[cfg(not(unix))]
        false
    })
}

/// Whether a file is a device, such as a terminal or one that never ends.
fn is_device(path: &Path) -> bool {
    is_kind(path, |kind| !kind.is_file() && !kind.is_dir()) && !is_pipe(path)
}

fn is_kind(path: &Path, is: impl Fn(std::fs::FileType) -> bool) -> bool {
    std::fs::metadata(path).is_ok_and(|found| is(found.file_type()))
}

/// Writes to standard output. When the reader has gone, as `| head` does, that is told apart from errors.
pub(crate) fn write_out(fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match fill(&mut out).and_then(|()| out.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Err(JobError::OutputClosed),
        done => done.map_err(of_stream("standard output")),
    }
}

fn of_stream(name: &'static str) -> impl Fn(std::io::Error) -> JobError {
    move |e| JobError::File(sinew_io::Error::io(Path::new(name))(e))
}

/// A sentence or report with the names of streams instead of those of the files that stand for them.
pub fn named(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(at) = text.find(FOLDER) {
        let stop = |c: char| c.is_whitespace() || ['"', '\'', '(', '`'].contains(&c);
        let start = text[..at].rfind(stop).map_or(0, |before| before + 1);
        let rest = &text[at..];
        let end =
            at + rest.find(|c: char| stop(c) || [':', ',', ';', ')'].contains(&c)).unwrap_or(rest.len());
        let file = &text[at..end];
        let name = match () {
            () if file.contains(INPUT) => "standard input",
            () if file.contains(PIPE) => "a pipe",
            () => "standard output",
        };
        text.replace_range(start..end, name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_told_from_files() {
        assert!(is_input(Path::new("-")) && !is_input(Path::new("./-")));
        for path in ["-", "-.glb", "-.usda"] {
            assert!(is_output(Path::new(path)), "{path}");
        }
        for path in ["./-.glb", "-a.glb", "-.glb/x", "a/-.glb", "-.tar.gz", "rig.glb", ""] {
            assert!(!is_output(Path::new(path)), "{path}");
        }
        assert_eq!(output_as("pc2"), Path::new("-.pc2"));
    }

    #[test]
    fn sentences_name_streams() {
        let said = "/tmp/sinew-stream-aB3xY/input: the format is not known";
        assert_eq!(named(said), "standard input: the format is not known");
        let report =
            r#"{"rig": "/tmp/sinew-stream-aB3xY/input", "to": "/tmp/sinew-stream-aB3xY/output.glb"}"#;
        assert_eq!(named(report), r#"{"rig": "standard input", "to": "standard output"}"#);
        assert_eq!(named("rig.glb: is none"), "rig.glb: is none");
    }

    #[test]
    fn a_stream_is_one_file() {
        let [mut a, mut b, mut c] = ["-", "-", "-.glb"].map(PathBuf::from);
        assert_eq!(Files::default().read([&mut a, &mut b]).check(), Err(StandardRefusal::ReadTwice));
        assert_eq!(Files::default().written([&mut a, &mut c]).check(), Err(StandardRefusal::WrittenTwice));
        assert_eq!(Files::default().written([&mut a]).check(), Err(StandardRefusal::NoFormat));
        let mut report = Some(PathBuf::from("-"));
        assert!(Files::default().report(&mut report).check().is_ok());
        let both = Files::default().read([&mut a]).written([&mut c]);
        assert!(both.check().is_ok() && both.go_to_output());
    }
}
