//! Telling formats apart: by content first, by the ending of the name second.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::{Error, Result, sinew_file};

/// A format Sinew reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 3ds Max's point cache.
    Pc2,
    /// LightWave's point cache.
    Mdd,
    /// Wavefront's polygons.
    Obj,
    /// Stanford's polygons.
    Ply,
    /// glTF 2.0, binary or JSON.
    Gltf,
    /// Sinew's own.
    Sinew,
    /// Biovision's joints and their motion.
    Bvh,
    /// Acclaim's joints.
    Asf,
    /// Acclaim's motion of joints.
    Amc,
}

impl Format {
    /// Name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pc2 => "PC2 point cache",
            Self::Mdd => "MDD point cache",
            Self::Obj => "OBJ mesh",
            Self::Ply => "PLY mesh",
            Self::Gltf => "glTF scene",
            Self::Sinew => "Sinew rig",
            Self::Bvh => "BVH motion",
            Self::Asf => "ASF skeleton",
            Self::Amc => "AMC motion",
        }
    }

    /// The name with its article.
    pub fn one(self) -> String {
        let article = match self {
            Self::Mdd | Self::Obj | Self::Asf | Self::Amc => "an",
            _ => "a",
        };
        format!("{article} {}", self.name())
    }

    /// Whether files of this format hold rigs.
    pub fn is_rig(self) -> bool {
        matches!(self, Self::Gltf | Self::Sinew)
    }

    /// Whether files of this format hold joints and no mesh.
    pub fn is_motion(self) -> bool {
        matches!(self, Self::Bvh | Self::Asf | Self::Amc)
    }

    /// Whether files of this format hold poses but no faces.
    pub fn is_cache(self) -> bool {
        matches!(self, Self::Pc2 | Self::Mdd)
    }
}

/// Bytes looked at.
const HEAD: usize = 512;

/// Tells the format of a file.
pub fn format(path: &Path) -> Result<Format> {
    let file = File::open(path).map_err(Error::io(path))?;
    let length = file.metadata().map_err(Error::io(path))?.len();
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head).map_err(Error::io(path))?;
    by_magic(&head).or_else(|| by_ending(path)).or_else(|| by_shape(&head, length)).ok_or_else(|| {
        Error::unsupported(
            path,
            "the format is not known; Sinew reads PC2, MDD, OBJ, PLY, GLB, glTF and .sinew, folders of OBJ or \
             PLY frames, and motion in BVH, ASF and AMC",
        )
    })
}

/// Formats that start with a signature.
fn by_magic(head: &[u8]) -> Option<Format> {
    if head.starts_with(b"POINTCACHE2") {
        Some(Format::Pc2)
    } else if head.starts_with(b"glTF") {
        Some(Format::Gltf)
    } else if head.starts_with(&sinew_file::MAGIC) {
        Some(Format::Sinew)
    } else if head.starts_with(b"ply\n") || head.starts_with(b"ply\r") {
        Some(Format::Ply)
    } else if head.trim_ascii_start().starts_with(b"{") {
        Some(Format::Gltf)
    } else {
        joints(head)
    }
}

/// Formats of joints start with certain words, Acclaim's after comments.
fn joints(head: &[u8]) -> Option<Format> {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let lines = head.split(|b| *b == b'\n' || *b == b'\r').map(<[u8]>::trim_ascii);
    let first = lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b"#"))?;
    let word = first.split(u8::is_ascii_whitespace).next()?.to_ascii_lowercase();
    let skeleton: [&[u8]; 7] =
        [b":version", b":name", b":units", b":documentation", b":root", b":bonedata", b":hierarchy"];
    let motion: [&[u8]; 4] = [b":fully-specified", b":degrees", b":radians", b":samples-per-second"];
    match word.as_slice() {
        b"hierarchy" => Some(Format::Bvh),
        word if skeleton.contains(&word) => Some(Format::Asf),
        word if motion.contains(&word) => Some(Format::Amc),
        _ => None,
    }
}

fn by_ending(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "pc2" => Some(Format::Pc2),
        "mdd" => Some(Format::Mdd),
        "obj" => Some(Format::Obj),
        "ply" => Some(Format::Ply),
        "glb" | "gltf" => Some(Format::Gltf),
        "sinew" => Some(Format::Sinew),
        "bvh" => Some(Format::Bvh),
        "asf" => Some(Format::Asf),
        "amc" => Some(Format::Amc),
        _ => None,
    }
}

/// Formats without a signature: an MDD file's counts fit its length, an OBJ file's first line is one.
fn by_shape(head: &[u8], length: u64) -> Option<Format> {
    if let Some((counts, _)) = head.split_first_chunk::<8>() {
        let count = |at: usize| u64::from(u32::from_be_bytes([0, 1, 2, 3].map(|i| counts[at + i])));
        let (frames, vertices) = (count(0), count(4));
        let per_frame = vertices.saturating_mul(12).saturating_add(4);
        if frames > 0 && vertices > 0 && frames.saturating_mul(per_frame).saturating_add(8) == length {
            return Some(Format::Mdd);
        }
    }
    let word = head.trim_ascii_start().split(u8::is_ascii_whitespace).next()?;
    let statements: [&[u8]; 9] = [b"#", b"v", b"vt", b"vn", b"f", b"o", b"g", b"mtllib", b"usemtl"];
    (statements.contains(&word) || word.starts_with(b"#")).then_some(Format::Obj)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, bytes: &[u8]) -> Option<Format> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        format(&path).ok()
    }

    #[test]
    fn content_counts_before_the_name() {
        assert_eq!(told("a.obj", b"POINTCACHE2\0"), Some(Format::Pc2));
        assert_eq!(told("a.obj", b"glTF\x02\0\0\0"), Some(Format::Gltf));
        assert_eq!(told("a.pc2", b"ply\nformat ascii 1.0\n"), Some(Format::Ply));
        assert_eq!(told("a.glb", b"\x8BSINEW\r\n\x01\0\0\0"), Some(Format::Sinew));
        assert_eq!(told("a.txt", b" \n {\"asset\": {}}"), Some(Format::Gltf));
        assert_eq!(told("a.obj", b"\nhierarchy\nROOT a"), Some(Format::Bvh));
        assert_eq!(told("a.obj", b"# by hand\r\n:version 1.10\r\n"), Some(Format::Asf));
        assert_eq!(told("a.obj", b"#!OML:ASF x.asf\n:FULLY-SPECIFIED\n"), Some(Format::Amc));
    }

    #[test]
    fn names_help_where_content_says_nothing() {
        assert_eq!(told("a.PC2", b""), Some(Format::Pc2));
        assert_eq!(told("a.mdd", b"\0\0"), Some(Format::Mdd));
        assert_eq!(told("a.obj", b"# made by hand"), Some(Format::Obj));
        assert_eq!(told("a.Amc", b"# made by hand\n1\n"), Some(Format::Amc));
    }

    #[test]
    fn files_without_signature_and_name_are_told_by_their_shape() {
        let mut mdd = [2_u32.to_be_bytes(), 3_u32.to_be_bytes()].concat();
        mdd.resize(8 + 2 * 4 + 2 * 3 * 12, 0);
        assert_eq!(told("cache", &mdd), Some(Format::Mdd));
        assert_eq!(told("mesh", b"#comment\nv 0 0 0\n"), Some(Format::Obj));
        assert_eq!(told("mesh.txt", b"v 0 0 0\n"), Some(Format::Obj));
        assert_eq!(told("a.png", b"\x89PNG\r\n"), None);
        assert_eq!(told("empty", b""), None);
    }
}
