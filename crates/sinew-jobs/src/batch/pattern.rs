//! Files by a pattern: `*` and `?` within a name, `**` for any number of folders.

use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use crate::error::Outcome;
use crate::refusals::BatchRefusal;

/// Folders within each other that `**` goes into.
const DEEPEST: usize = 64;

/// What a pattern fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The file or folder, as the pattern begins.
    pub path: PathBuf,
    /// The part of the pattern that is fixed.
    fixed: PathBuf,
}

impl Found {
    /// Values for the gaps of a template, by [`Found::NAMES`].
    ///
    /// # Errors
    /// A name that is no text.
    pub fn values(&self) -> Result<Vec<(String, String)>, BatchRefusal> {
        let text = |path: &Path| match path.to_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(BatchRefusal::NoText(path.to_owned())),
        };
        let path = &self.path;
        let part = |name: Option<&std::ffi::OsStr>| text(Path::new(name.unwrap_or_default()));
        let dir = path.parent().unwrap_or(Path::new(""));
        let below = dir.strip_prefix(&self.fixed).unwrap_or(Path::new(""));
        let or_here = |path: &Path| text(if path.as_os_str().is_empty() { Path::new(".") } else { path });
        let values = [
            text(path)?,
            or_here(dir)?,
            or_here(below)?,
            part(path.file_name())?,
            part(path.file_stem())?,
            part(path.extension())?,
        ];
        Ok(Self::NAMES.iter().map(|name| (*name).to_owned()).zip(values).collect())
    }

    /// Names of gaps: the path as it was found, its folder, that folder below the part of the pattern without `*` and `?`, the
    /// name, the name without its ending, the ending.
    pub const NAMES: [&str; 6] = ["path", "dir", "below", "name", "stem", "ext"];
}

/// All files that fit a pattern, or folders where it ends in a slash, in the order of their names. Hidden ones are passed
/// over unless the pattern names them.
///
/// # Errors
/// Where nothing fits, or a folder cannot be looked into.
pub fn find(pattern: &str) -> Outcome<Vec<Found>> {
    let is_separator = |c: char| c == '/' || c == MAIN_SEPARATOR;
    let folders = pattern.ends_with(is_separator);
    let parts: Vec<&str> = pattern.split(is_separator).filter(|part| !part.is_empty()).collect();
    let is_wild = |part: &&str| part.contains(['*', '?']);
    let fixed_parts = parts.iter().position(is_wild).unwrap_or(parts.len().saturating_sub(1));
    let mut fixed = PathBuf::new();
    if pattern.starts_with(is_separator) {
        fixed.push(MAIN_SEPARATOR.to_string());
    }
    fixed.extend(&parts[..fixed_parts]);
    let mut paths = Vec::new();
    walk(&fixed, &parts[fixed_parts..], folders, 0, &mut paths)?;
    if paths.is_empty() {
        return Err(BatchRefusal::NothingFits { pattern: pattern.into() }.into());
    }
    paths.sort();
    paths.dedup();
    Ok(paths.into_iter().map(|path| Found { path, fixed: fixed.clone() }).collect())
}

fn walk(folder: &Path, parts: &[&str], folders: bool, depth: usize, found: &mut Vec<PathBuf>) -> Outcome<()> {
    let Some((part, rest)) = parts.split_first() else { return Ok(()) };
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if *part == "**" {
        walk(folder, rest, folders, depth, found)?;
    }
    let entries = match std::fs::read_dir(here) {
        Ok(entries) => entries,
        // The pattern may fit elsewhere.
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(sinew_io::Error::io(here)(e).into()),
    };
    for entry in entries {
        let entry = entry.map_err(sinew_io::Error::io(here))?;
        let name = entry.file_name();
        let text = name.to_string_lossy();
        let path = folder.join(&name);
        if text.starts_with('.') && !part.starts_with('.') {
            continue;
        }
        if *part == "**" {
            // Links to folders are not gone into, as they may lead round.
            if depth < DEEPEST && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                walk(&path, parts, folders, depth + 1, found)?;
            }
        } else if sinew_io::sequence::matches(part, &text) {
            match rest.is_empty() {
                false if path.is_dir() => walk(&path, rest, folders, depth, found)?,
                true if path.is_dir() == folders => found.push(path),
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_files() {
        let around = tempfile::tempdir().unwrap();
        let at = |name: &str| around.path().join(name);
        for file in ["s/a/1.abc", "s/a/b/2.abc", "s/3.abc", "s/a/4.obj", "s/.hidden/5.abc"] {
            std::fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            std::fs::write(at(file), "").unwrap();
        }
        let found = |pattern: &str| -> Vec<PathBuf> {
            find(at(pattern).to_str().unwrap()).unwrap().into_iter().map(|found| found.path).collect()
        };
        assert_eq!(found("s/**/*.abc"), ["s/3.abc", "s/a/1.abc", "s/a/b/2.abc"].map(at));
        assert_eq!(found("s/?/*.abc"), [at("s/a/1.abc")]);
        assert_eq!(found("s/3.abc"), [at("s/3.abc")]);
        assert_eq!(found("s/*/"), [at("s/a")]);
        assert!(find(at("s/*.fbx").to_str().unwrap()).is_err());
        assert!(find("").is_err());
        let values = find(at("s/**/2.abc").to_str().unwrap()).unwrap()[0].values().unwrap();
        let values: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(values[2..], ["a/b", "2.abc", "2", "abc"]);
    }
}
