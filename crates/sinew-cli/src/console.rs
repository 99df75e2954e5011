//! Text for people on standard output.

use std::io::{ErrorKind, Write};
use std::path::Path;

pub use sinew_jobs::words::{all_of, count, frames_of, number, one_of, size};

use sinew_jobs::JobError;
use sinew_jobs::streams::is_output;

use crate::error::Outcome;

/// Prints text. When the reader has gone, as `| head` does, the command ends quietly.
pub fn print(text: &str) -> Outcome<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Err(JobError::OutputClosed.into()),
        Err(e) => Err(JobError::File(sinew_io::Error::io(Path::new("standard output"))(e)).into()),
    }
}

/// Says something on standard error. Where nobody reads that any more, as after `2>&1 | head`, the work goes on.
pub fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// What a file that was written is called.
pub fn written(path: &Path) -> String {
    if is_output(path) { "standard output".into() } else { path.display().to_string() }
}

/// Rows of a label and a value, the values below each other.
#[derive(Default)]
pub struct Table {
    rows: Vec<(String, String)>,
}

impl Table {
    /// Adds a row. A value of several lines stays in its column.
    pub fn row(&mut self, label: &str, value: impl Into<String>) {
        self.rows.push((label.into(), value.into()));
    }

    /// Adds one row for each value, with the label on the first.
    pub fn list<S: AsRef<str>>(&mut self, label: &str, values: &[S]) {
        for (i, value) in values.iter().enumerate() {
            self.row(if i == 0 { label } else { "" }, value.as_ref());
        }
    }

    /// Adds one row for each file.
    pub fn files(&mut self, label: &str, files: &[Option<&Path>]) {
        let files: Vec<String> = files.iter().flatten().map(|path| written(path)).collect();
        self.list(label, &files);
    }

    /// The lines.
    pub fn text(&self) -> String {
        let width = self.rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for (label, value) in &self.rows {
            for (i, line) in value.lines().enumerate() {
                let label = if i == 0 { label.as_str() } else { "" };
                text.push_str(&format!("  {label:<width$}  {line}\n"));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::default();
        table.row("a", "x\ny");
        table.list("long", &["1", "2"]);
        assert_eq!(table.text(), "  a     x\n        y\n  long  1\n        2\n");
    }
}
