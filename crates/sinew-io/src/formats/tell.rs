//! Telling formats apart: by content first, by the ending of the name second.

use std::path::Path;

use super::{ALL, Format, list};
use crate::source::Source;
use crate::{Error, Result};

/// Bytes looked at.
const LOOKED_AT: usize = 512;

/// How a file starts.
pub struct Start {
    /// The first bytes, 512 or all there are.
    pub bytes: Vec<u8>,
    /// Bytes of the whole file.
    pub length: u64,
}

impl Start {
    fn read(source: &Source) -> Result<Self> {
        Ok(Self { bytes: source.start(LOOKED_AT)?, length: source.length()? })
    }

    /// The first word of the first line that is neither empty nor a comment, in small letters.
    pub(super) fn first_word(&self) -> Option<Vec<u8>> {
        let bytes = self.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&self.bytes);
        let lines = bytes.split(|b| *b == b'\n' || *b == b'\r').map(<[u8]>::trim_ascii);
        let first = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
        Some(first.split(u8::is_ascii_whitespace).next()?.to_ascii_lowercase())
    }
}

/// Tells the format of a file: by its signature, else by its ending, else by what its contents look like.
pub fn tell(source: &Source) -> Result<&'static Format> {
    let (path, start) = (source.path(), Start::read(source)?);
    let by = |tells: fn(&Format, &Start) -> bool| ALL.into_iter().find(|f| tells(f, &start));
    by(|f, start| (f.signature)(start))
        .or_else(|| by_ending(path))
        .or_else(|| by(|f, start| (f.shape)(start)))
        .ok_or_else(|| Error::unsupported(path, format!("the format is not known; {}", all_in_words())))
}

/// The format that files of this name have, if any.
pub fn by_ending(path: &Path) -> Option<&'static Format> {
    let ending = ending(path)?;
    ALL.into_iter().find(|format| format.endings.contains(&ending.as_str()))
}

/// The format that a file of this name is written in, if any.
pub fn to_write(path: &Path) -> Option<&'static Format> {
    let ending = ending(path)?;
    ALL.into_iter().find(|format| format.written.contains(&ending.as_str()))
}

fn ending(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// What can be read.
fn all_in_words() -> String {
    format!(
        "Sinew reads {}, folders of {} frames, and motion in {}",
        list("and", |f| f.reads.faces || f.reads.poses),
        list("or", |f| f.reads.is_frame()),
        list("and", |f| f.reads.is_motion())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{ALEMBIC, AMC, ASF, BVH, FBX, GLTF, MDD, OBJ, PC2, PLY, SINEW};

    fn told(name: &str, bytes: &[u8]) -> Option<&'static Format> {
        tell(&Source::bytes(name, bytes)).ok()
    }

    #[test]
    fn content_counts_before_the_name() {
        assert_eq!(told("a.obj", b"POINTCACHE2\0"), Some(&PC2));
        assert_eq!(told("a.obj", b"glTF\x02\0\0\0"), Some(&GLTF));
        assert_eq!(told("a.pc2", b"ply\nformat ascii 1.0\n"), Some(&PLY));
        assert_eq!(told("a.glb", b"\x8BSINEW\r\n\x01\0\0\0"), Some(&SINEW));
        assert_eq!(told("a.obj", b"Ogawa\xFF\0\x01"), Some(&ALEMBIC));
        assert_eq!(told("a.txt", b" \n {\"asset\": {}}"), Some(&GLTF));
        assert_eq!(told("a.glb", b"Kaydara FBX Binary  \0\x1a\0"), Some(&FBX));
        assert_eq!(told("a.obj", b"; FBX 7.4.0 project file\n"), Some(&FBX));
        assert_eq!(told("a.obj", b"\nhierarchy\nROOT a"), Some(&BVH));
        assert_eq!(told("a.obj", b"# by hand\r\n:version 1.10\r\n"), Some(&ASF));
        assert_eq!(told("a.obj", b"#!OML:ASF x.asf\n:FULLY-SPECIFIED\n"), Some(&AMC));
    }

    #[test]
    fn names_help_where_content_says_nothing() {
        assert_eq!(told("a.PC2", b""), Some(&PC2));
        assert_eq!(told("a.abc", b"\x89HDF\r\n"), Some(&ALEMBIC), "and is refused by its reader");
        assert_eq!(told("a.mdd", b"\0\0"), Some(&MDD));
        assert_eq!(told("a.obj", b"# made by hand"), Some(&OBJ));
        assert_eq!(told("a.Amc", b"# made by hand\n1\n"), Some(&AMC));
    }

    #[test]
    fn files_without_signature_and_name_are_told_by_their_shape() {
        let mut mdd = [2_u32.to_be_bytes(), 3_u32.to_be_bytes()].concat();
        mdd.resize(8 + 2 * 4 + 2 * 3 * 12, 0);
        assert_eq!(told("cache", &mdd), Some(&MDD));
        assert_eq!(told("mesh", b"#comment\nv 0 0 0\n"), Some(&OBJ));
        assert_eq!(told("mesh.txt", b"v 0 0 0\n"), Some(&OBJ));
        assert_eq!(told("a.png", b"\x89PNG\r\n"), None);
        assert_eq!(told("empty", b""), None);
    }
}
