//! Files that people write for commands.

use std::path::Path;

use serde::de::DeserializeOwned;

use crate::error::{CliError, Outcome};

/// Reads a TOML file.
pub fn parsed<T: DeserializeOwned>(path: &Path) -> Outcome<T> {
    let text = std::fs::read_to_string(path).map_err(sinew_io::Error::io(path))?;
    let refuse = |e| CliError::Refused(format!("{}: {}", path.display(), in_one_line(&e, &text)));
    toml::from_str(&text).map_err(refuse)
}

fn in_one_line(error: &toml::de::Error, text: &str) -> String {
    let line = error.span().map(|span| text[..span.start.min(text.len())].lines().count().max(1));
    let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
    format!("{place}{}", error.message().trim_end().replace('\n', "; "))
}
