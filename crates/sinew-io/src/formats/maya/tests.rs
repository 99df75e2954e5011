use std::path::{Path, PathBuf};

use glam::Vec3;

use super::*;
use crate::Result;
use crate::open::Poses;

/// Numbers of a channel at one time.
fn chunk(wide: bool, tag: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut bytes = tag.to_vec();
    if wide {
        // Maya leaves whatever was there in the four bytes before the length.
        bytes.extend([0xAC, 1, 0, 0]);
        bytes.extend((data.len() as u64).to_be_bytes());
    } else {
        bytes.extend((data.len() as u32).to_be_bytes());
    }
    let start = bytes.len();
    bytes.extend(data);
    if tag != b"FOR4" && tag != b"FOR8" {
        bytes.resize(start + data.len().next_multiple_of(if wide { 8 } else { 4 }), 0);
    }
    bytes
}

fn group(wide: bool, kind: &[u8; 4], chunks: &[Vec<u8>]) -> Vec<u8> {
    let tag = if wide { b"FOR8" } else { b"FOR4" };
    chunk(wide, tag, &[kind.to_vec(), chunks.concat()].concat())
}

fn head(wide: bool) -> Vec<u8> {
    group(wide, b"CACH", &[chunk(wide, b"VRSN", b"0.1\0"), chunk(wide, b"STIM", &[0, 0, 0, 0])])
}

fn channel(wide: bool, double: bool, name: &str, values: &[f32]) -> Vec<u8> {
    let data: Vec<u8> = if double {
        values.iter().flat_map(|x| f64::from(*x).to_be_bytes()).collect()
    } else {
        values.iter().flat_map(|x| x.to_be_bytes()).collect()
    };
    let size = (values.len() as u32 / 3).to_be_bytes();
    [
        chunk(wide, b"CHNM", format!("{name}\0").as_bytes()),
        chunk(wide, b"SIZE", &size),
        chunk(wide, if double { b"DVCA" } else { b"FVCA" }, &data),
    ]
    .concat()
}

/// A time of a cache whose one object has two vertices, with their normals.
fn sample(wide: bool, double: bool, time: Option<i32>, x: f32) -> Vec<u8> {
    let mut chunks: Vec<Vec<u8>> = time.map(|t| chunk(wide, b"TIME", &t.to_be_bytes())).into_iter().collect();
    chunks.push(channel(wide, double, "cube", &[x, 1.0, 2.0, 3.0, 4.0, 5.0]));
    chunks.push(channel(wide, double, "cube_normals", &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]));
    group(wide, b"MYCH", &chunks)
}

fn xml(kind: &str, format: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<Autodesk_Cache_File>\n  <cacheType Type=\"{kind}\" Format=\"{format}\"/>\n  \
         <time Range=\"-250-500\"/>\n  <cacheTimePerFrame TimePerFrame=\"250\"/>\n  <Channels>\n    \
         <channel0 ChannelName=\"cube\" ChannelType=\"FloatVectorArray\" ChannelInterpretation=\"positions\"/>\n    \
         <channel1 ChannelName=\"cube_normals\" ChannelInterpretation=\"normals\"/>\n  </Channels>\n\
         </Autodesk_Cache_File>\n"
    )
}

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn first_coordinates(path: &Path) -> Result<Vec<f32>> {
    let mut cache = open(path)?;
    let (mut out, mut found) = (vec![Vec3::ZERO; cache.vertex_count], Vec::new());
    while cache.next_into(&mut out)? {
        assert_eq!(out[1..], [Vec3::new(3.0, 4.0, 5.0)]);
        found.push(out[0].x);
    }
    Ok(found)
}

fn whole(wide: bool, double: bool) -> Vec<u8> {
    let times = [(-250, 7.0), (0, 8.0), (250, 9.0), (500, 10.0)];
    let samples = times.map(|(time, x)| sample(wide, double, Some(time), x)).concat();
    [head(wide), samples].concat()
}

#[test]
fn one_file_of_all_times_is_read() {
    for (wide, double) in [(true, false), (true, true), (false, false), (false, true)] {
        let folder = Folder::new();
        let (ending, format) = if wide { ("mcx", "mcx") } else { ("mc", "mcc") };
        let data = folder.put(&format!("a.{ending}"), whole(wide, double));
        assert_eq!(first_coordinates(&data).unwrap(), [7.0, 8.0, 9.0, 10.0], "without a description");
        let described = folder.put("a.xml", xml("OneFile", format));
        for path in [&data, &described] {
            assert_eq!(first_coordinates(path).unwrap(), [7.0, 8.0, 9.0, 10.0]);
            let cache = open(path).unwrap();
            assert_eq!((cache.fps, cache.times), (Some(24.0), Some((-250.0 / 6000.0, 500.0 / 6000.0))));
            assert_eq!((cache.channels.as_slice(), cache.warnings.len()), (&["cube".to_string()][..], 0));
        }
    }
}

#[test]
fn files_of_frames_come_in_natural_order() {
    let folder = Folder::new();
    let described = folder.put("a.xml", xml("OneFilePerFrame", "mcx"));
    for (frame, x) in [(10, 3.0), (9, 2.0), (1, 1.0)] {
        folder.put(&format!("aFrame{frame}.mcx"), [head(true), sample(true, false, None, x)].concat());
    }
    folder.put("abFrame1.mcx", "another's");
    assert_eq!(first_coordinates(&described).unwrap(), [1.0, 2.0, 3.0]);
    assert_eq!(open(&described).unwrap().fps, Some(24.0));
}

#[test]
fn several_objects_follow_one_another() {
    let folder = Folder::new();
    let two = [channel(true, false, "a", &[1.0; 3]), channel(true, false, "b", &[2.0; 6])].concat();
    let path = folder.put("a.mcx", [head(true), group(true, b"MYCH", &[two])].concat());
    let mut cache = open(&path).unwrap();
    assert_eq!(
        crate::warning::sentences(&cache.warnings),
        ["the cache has 2 channels, which follow one another: a, b"]
    );
    let mut out = vec![Vec3::ZERO; 3];
    assert!(cache.next_into(&mut out).unwrap());
    assert_eq!(out, [Vec3::ONE, 2.0 * Vec3::ONE, 2.0 * Vec3::ONE]);
}

#[test]
fn broken_files_get_a_sentence() {
    let folder = Folder::new();
    let error = |path: &Path| first_coordinates(path).unwrap_err().to_string();
    for wide in [true, false] {
        let bytes = whole(wide, false);
        for part in 0..64 {
            let path = folder.put("cut.mcx", &bytes[..bytes.len() * part / 64]);
            // Whole groups may be missing without a trace.
            let read = first_coordinates(&path);
            assert!(read.is_ok_and(|poses| poses.len() < 4) || !error(&path).is_empty(), "{part}");
        }
        for bit in (0..8 * bytes.len()).step_by(7) {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let path = folder.put("flipped.mcx", &flipped);
            if let Ok(mut cache) = open(&path) {
                let mut out = vec![Vec3::ZERO; cache.vertex_count];
                while cache.next_into(&mut out).is_ok_and(|more| more) {}
            }
        }
    }
    let lone = folder.put("lone.xml", xml("OneFile", "mcx"));
    assert!(error(&lone).contains("is in ") && error(&lone).ends_with("lone.mcx, which is not there"));
    let lone = folder.put("lone.xml", xml("OneFilePerFrame", "mcc"));
    assert!(error(&lone).ends_with("files such as loneFrame1.mc, and there is none"));
    let described = xml("OneFile", "mcx");
    for part in 0..64 {
        let path = folder.put("cut.xml", &described[..described.len() * part / 64]);
        assert!(!error(&path).is_empty(), "{part}");
    }
    let changes = [head(true), sample(true, false, Some(0), 1.0), group(true, b"MYCH", &[])].concat();
    assert!(
        error(&folder.put("b.mcx", changes)).ends_with("frame 1 has 0 vertices, but the first frame has 2")
    );
    assert!(error(&folder.put("c.mcx", head(true))).ends_with("the cache has no poses"));
}
