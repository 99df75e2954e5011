//! NPY and NPZ in.

use std::io::{BufReader, Read, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::DeflateDecoder;
use glam::Vec3;
use sinew::animation::Frames;
use sinew::geometry::Mesh;

use super::array::{Array, Kind};
use super::{FACES, FPS, POSES, REST};
use crate::containers::mapped::Floats;
use crate::containers::zip::{self, Entry};
use crate::scene::{Poses, bare};
use crate::source::Source;
use crate::{Error, Result, Warning};

/// Corners of all faces: a small archive can inflate to many.
const MOST_CORNERS: usize = 1 << 27;

/// An opened file: what is in it, but for the poses.
#[derive(Debug)]
pub struct NumpyFile {
    /// The faces; without any where the file has none.
    pub mesh: Mesh,
    /// A rest pose, where the file has one.
    pub rest: Option<Vec<Vec3>>,
    /// Frames per second, where the file tells.
    pub fps: Option<f64>,
    /// How many poses there are.
    pub frame_count: usize,
    /// What was found amiss.
    pub warnings: Vec<Warning>,
    source: Source,
    poses: Place,
}

/// Where an array is.
#[derive(Clone, Debug)]
struct Place {
    array: Array,
    start: u64,
    stored: u64,
    deflated: bool,
}

/// Opens an `.npy` or `.npz` file. Poses are read when they are asked for.
pub fn open(source: impl Into<Source>) -> Result<NumpyFile> {
    let source = source.into();
    let path = source.path();
    let magic = source.start(4)?;
    if magic == b"PK\x03\x04" || magic == b"PK\x05\x06" {
        return archive(&source);
    }
    let length = source.length()?;
    let array = Array::read(&mut BufReader::new(source.reader()?), "the array", path)?;
    let place = Place { array, start: 0, stored: length, deflated: false };
    place.check("the array", length, path)?;
    let (frame_count, vertices) = counted(&place.array, "the array", path)?;
    let mesh = bare(vertices);
    Ok(NumpyFile { mesh, rest: None, fps: None, frame_count, warnings: Vec::new(), source, poses: place })
}

/// Frames and vertices of an array of poses.
fn counted(array: &Array, what: &str, path: &Path) -> Result<(usize, usize)> {
    match array.poses() {
        Some((frames, vertices)) if frames > 0 && vertices > 0 => Ok((frames, vertices)),
        Some(_) => Err(Error::malformed(path, format!("{what} has no poses: it is {}", array.in_words()))),
        None => {
            let message = format!(
                "{what} is {}; poses are frames x vertices x 3, in floats of 4 or 8 bytes",
                array.in_words()
            );
            Err(Error::unsupported(path, message))
        }
    }
}

impl Place {
    /// Checks that the values are there. `size` is of the array with its header.
    fn check(&self, what: &str, size: u64, path: &Path) -> Result<()> {
        let needed = self.array.bytes().and_then(|bytes| bytes.checked_add(self.array.header as u64));
        match needed {
            Some(needed) if needed <= size => Ok(()),
            _ => Err(Error::Truncated {
                path: path.into(),
                what: format!("the values of {what}, {},", self.array.in_words()),
                needed: needed.unwrap_or(u64::MAX),
                available: size,
            }),
        }
    }

    /// The bytes of the array's values.
    fn reader(&self, source: &Source) -> Result<Box<dyn Read + Send>> {
        let path = source.path();
        let mut file = source.reader()?;
        file.seek(SeekFrom::Start(self.start)).map_err(Error::io(path))?;
        let stored = BufReader::with_capacity(1 << 18, file.take(self.stored));
        let mut values: Box<dyn Read + Send> =
            if self.deflated { Box::new(DeflateDecoder::new(stored)) } else { Box::new(stored) };
        std::io::copy(&mut (&mut values).take(self.array.header as u64), &mut std::io::sink())
            .map_err(Error::io(path))?;
        Ok(values)
    }

    /// All values of an array that is no longer than `most`, as f64: whole numbers and floats alike.
    fn values(&self, most: usize, what: &str, source: &Source) -> Result<Vec<f64>> {
        let path = source.path();
        let count = self.array.count().unwrap_or(usize::MAX);
        if count > most {
            let message = format!("{what} has {count} values, which is more than Sinew can hold");
            return Err(Error::unsupported(path, message));
        }
        let kind = self.array.kind;
        let mut bytes = Vec::new();
        let length = (count * kind.bytes()) as u64;
        self.reader(source)?.take(length).read_to_end(&mut bytes).map_err(|e| broken(&e, what, path))?;
        if bytes.len() as u64 != length {
            return Err(Error::malformed(path, format!("{what} is cut short")));
        }
        Ok(bytes.chunks_exact(kind.bytes()).map(|value| value_of(value, kind)).collect())
    }
}

/// Bytes that do not inflate are a broken file, not a broken disk.
fn broken(error: &std::io::Error, what: &str, path: &Path) -> Error {
    Error::malformed(path, format!("{what} cannot be read: {error}"))
}

fn value_of(bytes: &[u8], kind: Kind) -> f64 {
    let mut wide = [0; 8];
    wide[..bytes.len()].copy_from_slice(bytes);
    let unsigned = u64::from_le_bytes(wide);
    match kind {
        Kind::F4 => f64::from(f32::from_bits(unsigned as u32)),
        Kind::F8 => f64::from_bits(unsigned),
        Kind::Whole(_, false) => unsigned as f64,
        Kind::Whole(size, true) => {
            let unused = 64 - 8 * size as u32;
            ((unsigned << unused) as i64 >> unused) as f64
        }
    }
}

/// An archive: its poses, and what else has a name that is known.
fn archive(source: &Source) -> Result<NumpyFile> {
    let path = source.path();
    let mut arrays = Vec::new();
    let mut warnings = Vec::new();
    for entry in zip::entries(&mut *source.reader()?, path)? {
        let Some(name) = entry.name.strip_suffix(".npy") else { continue };
        match place(&entry, name, source) {
            Ok(place) => arrays.push((name.to_string(), place)),
            // Others may hold text or dates, which nobody asks for.
            Err(error) => warnings.push((name.to_string(), error)),
        }
    }
    let named = |names: &[&str]| {
        let find = |name: &&str| arrays.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
        names.iter().find_map(find)
    };
    let fits = |array: &&(String, Place)| array.1.array.poses().is_some() && array.1.array.shape.len() == 3;
    let only = || {
        let mut fitting = arrays.iter().filter(fits);
        fitting.next().filter(|_| fitting.next().is_none())
    };
    let Some((name, poses)) = named(&POSES).or_else(only) else {
        let position = warnings.iter().position(|(name, _)| POSES.contains(&name.as_str()));
        return Err(match position {
            Some(at) => warnings.swap_remove(at).1,
            None => none_in_words(&arrays, path),
        });
    };
    let (frame_count, vertices) = counted(&poses.array, name, path)?;
    let mut opened = NumpyFile {
        mesh: bare(vertices),
        rest: None,
        fps: None,
        frame_count,
        warnings: Vec::new(),
        source: source.clone(),
        poses: poses.clone(),
    };
    if let Some((name, place)) = named(&FACES) {
        opened.mesh = faces(place, vertices, name, source)?;
    }
    if let Some((_, place)) = named(&REST).filter(|(_, place)| place.array.poses() == Some((1, vertices))) {
        let values = place.values(3 * vertices, "the rest pose", source)?;
        let point = |p: &[f64]| Vec3::new(p[0] as f32, p[1] as f32, p[2] as f32);
        opened.rest = Some(values.chunks_exact(3).map(point).collect());
    }
    if let Some((name, place)) = named(&FPS).filter(|(_, place)| place.array.count() == Some(1)) {
        let fps = place.values(1, name, source)?[0];
        opened.fps = Some(fps).filter(|fps| *fps > 0.0 && fps.is_finite());
        if opened.fps.is_none() {
            opened.warnings.push(Warning::NoRate { name: name.clone(), value: fps });
        }
    }
    Ok(opened)
}

fn place(entry: &Entry, name: &str, source: &Source) -> Result<Place> {
    let path = source.path();
    let any = Array { kind: Kind::F4, shape: Vec::new(), header: 0 };
    let raw = Place { array: any, start: entry.start, stored: entry.stored, deflated: entry.deflated };
    let array = Array::read(&mut raw.reader(source)?, name, path)?;
    let place = Place { array, ..raw };
    place.check(name, entry.size, path)?;
    Ok(place)
}

/// What to say when no array holds poses.
fn none_in_words(arrays: &[(String, Place)], path: &Path) -> Error {
    let there: Vec<String> =
        arrays.iter().take(8).map(|(name, place)| format!("{name} ({})", place.array.in_words())).collect();
    let there = if there.is_empty() { "no array that can be read".into() } else { there.join(", ") };
    let message =
        format!("no array has poses: frames x vertices x 3 floats, such as `vertices`; there is {there}");
    Error::unsupported(path, message)
}

/// Faces of equal length, or padded with negative numbers.
fn faces(place: &Place, vertices: usize, name: &str, source: &Source) -> Result<Mesh> {
    let path = source.path();
    let &[_, corners] = &place.array.shape[..] else {
        let message = format!("{name} is {}; faces are faces x corners", place.array.in_words());
        return Err(Error::unsupported(path, message));
    };
    let values = place.values(MOST_CORNERS, name, source)?;
    let mut mesh = bare(vertices);
    for face in values.chunks_exact(corners.max(1)) {
        for &corner in face.iter().take_while(|corner| **corner >= 0.0) {
            if corner >= vertices as f64 || corner.fract() != 0.0 {
                let message = format!("{name} refers to vertex {corner}, but there are {vertices}");
                return Err(Error::malformed(path, message));
            }
            mesh.corners.push(corner as u32);
        }
        mesh.face_starts.push(mesh.corners.len() as u32);
    }
    mesh.validate().map_err(|e| Error::malformed(path, e.to_string()))?;
    Ok(mesh)
}

impl NumpyFile {
    /// Number of vertices in every pose.
    pub fn vertex_count(&self) -> usize {
        self.mesh.vertex_count
    }

    /// The poses, one after the other.
    pub fn poses(&self) -> Result<NumpyPoses> {
        let values = self.poses.reader(&self.source)?;
        let (path, kind) = (self.source.path().to_path_buf(), self.poses.array.kind);
        Ok(NumpyPoses { values, kind, left: self.frame_count, bytes: Vec::new(), path })
    }

    /// All poses, mapped; `None` where they have to be inflated or rounded.
    pub fn mapped(&self) -> Result<Option<Frames>> {
        let place = &self.poses;
        if place.deflated || place.array.kind != Kind::F4 {
            return Ok(None);
        }
        let start = place.start as usize + place.array.header;
        let count = 3 * self.frame_count * self.vertex_count();
        let bytes = self.source.map()?;
        if start.checked_add(4 * count).is_none_or(|end| end > bytes.len()) {
            return Ok(None);
        }
        let floats = Floats::new(&bytes, start, count);
        Ok(floats.map(|floats| Frames::new(floats, self.frame_count, self.vertex_count())))
    }
}

/// Poses of an array, read one after the other.
pub struct NumpyPoses {
    values: Box<dyn Read + Send>,
    kind: Kind,
    left: usize,
    bytes: Vec<u8>,
    path: PathBuf,
}

impl Poses for NumpyPoses {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let floats = bytemuck::cast_slice_mut::<Vec3, f32>(out);
        self.bytes.resize(floats.len() * self.kind.bytes(), 0);
        self.values.read_exact(&mut self.bytes).map_err(|e| broken(&e, "a pose", &self.path))?;
        match self.kind {
            Kind::F8 => {
                let values = self.bytes.as_chunks::<8>().0.iter();
                floats
                    .iter_mut()
                    .zip(values)
                    .for_each(|(out, value)| *out = f64::from_le_bytes(*value) as f32);
            }
            _ => {
                let values = self.bytes.as_chunks::<4>().0.iter();
                floats.iter_mut().zip(values).for_each(|(out, value)| *out = f32::from_le_bytes(*value));
            }
        }
        Ok(true)
    }
}
