//! The ASF file that goes with an AMC file.

use std::path::{Path, PathBuf};

use crate::source::Source;
use crate::{Error, Result, SkeletonProblem as Problem};

/// Finds it in the folder of the AMC file: of the same name, or the part before the first `_` (`02.asf` for
/// `02_01.amc`), or the only one whose name starts with that part as a word (`07-walk.asf` for
/// `07_01-walk.amc`), or the only one there.
pub(super) fn skeleton(amc: &Source) -> Result<Source> {
    let is_asf = |path: &PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("asf"));
    let mut found: Vec<PathBuf> = amc.beside()?.into_iter().filter(is_asf).collect();
    found.sort();
    let stem = stem(amc.path());
    let subject = stem.split('_').next().unwrap_or_default();
    let linked = |path: &PathBuf| amc.link(path).ok_or_else(|| missing(amc, subject, Problem::Forbidden));
    let named = |wanted: &str| found.iter().find(|path| self::stem(path) == wanted);
    if let Some(path) = named(&stem).or_else(|| named(subject)) {
        return linked(path);
    }
    let akin = |path: &&PathBuf| {
        let other = self::stem(path);
        let rest = other.strip_prefix(subject);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let akin: Vec<&PathBuf> = found.iter().filter(akin).collect();
    match (akin.as_slice(), found.as_slice()) {
        ([only], _) => linked(only),
        (_, [only]) => linked(only),
        (_, []) => Err(missing(amc, subject, Problem::None)),
        _ => Err(missing(amc, subject, Problem::Unclear)),
    }
}

fn missing(amc: &Source, subject: &str, problem: Problem) -> Error {
    Error::NoSkeletonBeside { path: amc.path().into(), wanted: format!("{subject}.asf"), problem }
}

/// A file's name without its ending, in small letters.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase()
}
