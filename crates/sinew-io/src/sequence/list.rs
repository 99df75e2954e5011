//! Finds the frames of a sequence.

use std::path::{Path, PathBuf};

use super::{frames_in_words, kind};
use crate::formats::{self, Format};
use crate::natural::compare;
use crate::source::Source;
use crate::{Error, Result};

/// Lists the meshes of a sequence in natural order (frame2 before frame10).
///
/// The source is a folder, one file, or a pattern with `*` (any characters) and `?` (one character) in its
/// last component. Hidden files and other formats are passed over; OBJ and PLY files together, say, are an
/// error, since one cannot tell which are meant.
pub fn list(source: &Source) -> Result<Vec<Source>> {
    if source.is_file() {
        return Ok(vec![source.clone()]);
    }
    let path = source.path();
    let pattern = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let pattern = pattern.filter(|name| name.contains(['*', '?']) && !path.exists());
    let folder = match &pattern {
        Some(_) => path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        None => path,
    };
    if folder.exists() && !source.access().allows(folder) {
        return Err(Error::unsupported(path, "the folder may not be read from here"));
    }
    let Found { meshes: found, cache } = scan(folder, pattern.as_deref())?;
    let Some(&(_, _, format)) = found.first() else {
        let message = match pattern {
            Some(_) => format!("no {} files match this pattern", frames_in_words("or")),
            None => format!("no {} files in {}", frames_in_words("or"), folder.display()),
        };
        return Err(Error::unsupported(path, message));
    };
    if let (Some(cache), [(_, mesh, _)]) = (cache, &found[..]) {
        // One pose is hardly what is meant where a cache lies beside the mesh.
        return Err(Error::CacheNotFrames { path: path.into(), cache, mesh: mesh.clone() });
    }
    if let Some((_, _, other)) = found.iter().find(|(_, _, other)| *other != format) {
        let [mut one, mut two] = [format.labels[0], other.labels[0]];
        if one > two {
            std::mem::swap(&mut one, &mut two);
        }
        let message = format!(
            "both {one} and {two} files are there; name one kind with a pattern such as *.{}",
            one.to_ascii_lowercase()
        );
        return Err(Error::unsupported(path, message));
    }
    // What may not be opened is refused, not passed over: a frame would be missing.
    let linked = |(_, file, _): (String, PathBuf, _)| match source.link(&file) {
        Some(file) => Ok(file),
        None => Err(Error::unsupported(&file, "the frame may not be read from here")),
    };
    found.into_iter().map(linked).collect()
}

/// Names of the meshes in a folder, which [`list`] takes for frames, in natural order.
pub fn meshes_in(folder: &Path) -> Result<Vec<String>> {
    Ok(scan(folder, None)?.meshes.into_iter().map(|(name, _, _)| name).collect())
}

/// What of a folder fits a pattern.
struct Found {
    /// Meshes with their names, in natural order.
    meshes: Vec<(String, PathBuf, &'static Format)>,
    /// A point cache.
    cache: Option<PathBuf>,
}

fn scan(folder: &Path, pattern: Option<&str>) -> Result<Found> {
    let mut found = Found { meshes: Vec::new(), cache: None };
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let file = entry.map_err(Error::io(folder))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let wanted = pattern.is_none_or(|pattern| matches(pattern, &name));
        if !wanted || name.starts_with('.') || !file.is_file() {
            continue;
        }
        if let Some(format) = kind(&file) {
            found.meshes.push((name, file, format));
        } else if formats::by_ending(&file).is_some_and(Format::is_cache) {
            found.cache = Some(file);
        }
    }
    found.meshes.sort_by(|a, b| compare(&a.0, &b.0));
    Ok(found)
}

/// Whether `name` fits a pattern of characters, `?` and `*`. On a mismatch only the last `*` takes one
/// more character, so that no pattern takes more than length times length steps.
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_like_in_a_shell() {
        for (pattern, name, expected) in [
            ("*.obj", "a.obj", true),
            ("*.obj", "a.ply", false),
            ("f?.obj", "f1.obj", true),
            ("f?.obj", "f10.obj", false),
            ("f*1*.obj", "f0010.obj", true),
            ("f*1*.obj", "f0020.obj", false),
            ("*", "", true),
            ("?", "", false),
            ("ä*", "äx", true),
            ("*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn folders_patterns_and_files_are_listed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["f10.obj", "f9.OBJ", "f1.obj", "g1.obj", "f.mtl", "._f1.obj"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::fs::create_dir(at("f3.obj")).unwrap();
        let names = |path: &Path| -> Vec<String> {
            let files = list(&path.into()).unwrap();
            files.iter().map(Source::name).collect()
        };
        assert_eq!(names(folder.path()), ["f1.obj", "f9.OBJ", "f10.obj", "g1.obj"]);
        assert_eq!(names(&at("f*")), ["f1.obj", "f9.OBJ", "f10.obj"]);
        assert_eq!(names(&at("?1.obj")), ["f1.obj", "g1.obj"]);
        assert_eq!(names(&at("f1.obj")), ["f1.obj"]);
    }

    #[test]
    fn nothing_to_list_gets_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let error = |path: &Path| {
            list(&path.into()).unwrap_err().to_string().replace(&folder.path().display().to_string(), "DIR")
        };
        let frames = frames_in_words("or");
        assert_eq!(error(folder.path()), format!("DIR: no {frames} files in DIR"));
        assert_eq!(error(&at("*.obj")), format!("DIR/*.obj: no {frames} files match this pattern"));
        assert!(error(&at("none")).starts_with("DIR/none: there is no such file"));
        std::fs::write(at("a.obj"), "").unwrap();
        std::fs::write(at("b.ply"), "").unwrap();
        assert_eq!(
            error(folder.path()),
            "DIR: both OBJ and PLY files are there; name one kind with a pattern such as *.obj"
        );
        assert_eq!(list(&at("*.ply").into()).unwrap()[0].path(), at("b.ply"));
        std::fs::remove_file(at("b.ply")).unwrap();
        std::fs::write(at("c.pc2"), "").unwrap();
        assert_eq!(
            error(folder.path()),
            "DIR: a point cache and its mesh are there, not a sequence of meshes: DIR/c.pc2 and DIR/a.obj"
        );
        assert_eq!(list(&at("*.obj").into()).unwrap()[0].path(), at("a.obj"));
    }
}
