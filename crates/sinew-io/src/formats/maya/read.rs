//! A cache from its files.

use std::fs::File;
use std::path::{Path, PathBuf};

use glam::Vec3;
use memmap2::Mmap;

use super::description::{self, Description};
use crate::containers::iff::{Sample, Values, is_data, samples};
use crate::containers::mapped::map;
use crate::open::Poses;
use crate::sequence::natural_order;
use crate::{Error, Result};

/// Times count this many to the second.
const TICKS: f64 = 6000.0;
/// A description is a page or two.
const LONGEST_DESCRIPTION: u64 = 1 << 24;

/// An opened cache: which values are where. Reads them one time after the other.
#[derive(Debug)]
pub struct MayaCache {
    /// Number of poses.
    pub frame_count: usize,
    /// Vertices in every pose.
    pub vertex_count: usize,
    /// Frames per second, where the cache tells.
    pub fps: Option<f64>,
    /// Times of the first and the last pose, in seconds.
    pub times: Option<(f64, f64)>,
    /// Names of the channels that are read, one after the other.
    pub channels: Vec<String>,
    /// Size of all files.
    pub bytes: u64,
    /// What was found amiss, as sentences for people.
    pub warnings: Vec<String>,
    /// Data files; of one file a frame only the one in use is mapped.
    files: Vec<PathBuf>,
    /// The file and the values of each pose.
    poses: Vec<(usize, Vec<Values>)>,
    open: Option<(usize, Mmap)>,
    next: usize,
}

/// Opens a cache by its `.xml` file or by a data file.
pub fn open(path: &Path) -> Result<MayaCache> {
    let start = std::fs::File::open(path).map_err(Error::io(path)).and_then(|file| {
        let mut start = Vec::new();
        std::io::Read::read_to_end(&mut std::io::Read::take(file, 64), &mut start)
            .map_err(Error::io(path))?;
        Ok(start)
    })?;
    let (description, files) = if is_data(&start) || !has_ending(path, "xml") && start.starts_with(b"FOR") {
        (described_beside(path)?, vec![path.to_path_buf()])
    } else {
        let description = read_description(path)?;
        let files = data_files(path, &description)?;
        (Some(description), files)
    };
    index(path, &description.unwrap_or_default(), files)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

fn read_description(path: &Path) -> Result<Description> {
    let length = std::fs::metadata(path).map_err(Error::io(path))?.len();
    if length > LONGEST_DESCRIPTION {
        return Err(Error::unsupported(
            path,
            format!("a Maya cache is described in a page, not {length} bytes"),
        ));
    }
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    description::parse(&String::from_utf8_lossy(&bytes), path)
}

/// The description of a data file, where it is beside it.
fn described_beside(data: &Path) -> Result<Option<Description>> {
    let stem = data.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let base = stem.rsplit_once("Frame").map_or(stem.as_str(), |(base, _)| base);
    let found = [stem.as_str(), base].map(|name| data.with_file_name(format!("{name}.xml")));
    found.iter().find(|xml| xml.is_file()).map(|xml| read_description(xml)).transpose()
}

/// The data files that go with a description.
fn data_files(xml: &Path, description: &Description) -> Result<Vec<PathBuf>> {
    let stem = xml.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let ending = &description.ending;
    if !description.file_per_frame {
        let data = xml.with_extension(ending);
        if !data.is_file() {
            let message = format!("the data of this cache is in {}, which is not there", data.display());
            return Err(Error::unsupported(xml, message));
        }
        return Ok(vec![data]);
    }
    let folder = xml.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let start = format!("{stem}Frame");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let file = entry.map_err(Error::io(folder))?.path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let of_frame = name
            .strip_prefix(&start)
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
        if of_frame && has_ending(&file, ending) && crate::links::allowed(&file) {
            found.push(file);
        }
    }
    found.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    if found.is_empty() {
        let message =
            format!("the data of this cache is in files such as {start}1.{ending}, and there is none");
        return Err(Error::unsupported(xml, message));
    }
    Ok(found)
}

/// Looks through all files for where the poses are.
fn index(path: &Path, description: &Description, files: Vec<PathBuf>) -> Result<MayaCache> {
    let mut cache = MayaCache {
        frame_count: 0,
        vertex_count: 0,
        fps: description.per_frame.map(|ticks| TICKS / f64::from(ticks)),
        times: description.range.map(|(a, b)| (f64::from(a) / TICKS, f64::from(b) / TICKS)),
        channels: Vec::new(),
        bytes: 0,
        warnings: Vec::new(),
        files: Vec::new(),
        poses: Vec::new(),
        open: None,
        next: 0,
    };
    let mut times = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let data = mapped(file)?;
        cache.bytes += data.len() as u64;
        for sample in samples(&data, file)? {
            cache.add(number, sample, description, file, &mut times)?;
        }
    }
    cache.files = files;
    cache.frame_count = cache.poses.len();
    if cache.poses.is_empty() {
        return Err(Error::malformed(path, "the cache has no poses"));
    }
    let steps: Vec<i32> = times.windows(2).map(|pair| i32::wrapping_sub(pair[1], pair[0])).collect();
    if let Some(&step) = steps.first() {
        cache.fps = Some(TICKS / f64::from(step)).filter(|_| step > 0).or(cache.fps);
        if steps.iter().any(|other| *other != step) {
            cache.warnings.push(format!(
                "{}: the times of the frames are not evenly spaced; the first two tell the frame rate",
                path.display()
            ));
        }
    }
    if let (Some(first), Some(last)) = (times.first(), times.last()) {
        cache.times = Some((f64::from(*first) / TICKS, f64::from(*last) / TICKS));
    }
    Ok(cache)
}

fn mapped(path: &Path) -> Result<Mmap> {
    let file = File::open(path).map_err(Error::io(path))?;
    if file.metadata().map_err(Error::io(path))?.len() == 0 {
        // Empty files cannot be mapped.
        return Err(Error::malformed(path, "the file is empty"));
    }
    map(&file, path)
}

impl MayaCache {
    /// Adds a pose.
    fn add(
        &mut self,
        file: usize,
        sample: Sample,
        description: &Description,
        path: &Path,
        times: &mut Vec<i32>,
    ) -> Result<()> {
        let named = |values: &Values| description.channels.contains(&values.channel);
        // Without a description, or with one that tells nothing, only names tell normals.
        let likely = |values: &Values| !values.channel.to_ascii_lowercase().ends_with("_normals");
        let any_named = sample.values.iter().any(named);
        let of_poses = |values: &Values| if any_named { named(values) } else { likely(values) };
        let values: Vec<Values> = sample.values.into_iter().filter(of_poses).collect();
        let vertices = values.iter().map(|values| values.count).sum();
        let frame = self.poses.len();
        if frame == 0 {
            self.vertex_count = vertices;
            self.channels = values.iter().map(|values| values.channel.clone()).collect();
            if vertices == 0 {
                return Err(Error::malformed(path, "the cache has no positions"));
            }
            if let several @ 2.. = values.len() {
                let names = self.channels.join(", ");
                self.warnings
                    .push(format!("the cache has {several} channels, which follow one another: {names}"));
            }
        } else if vertices != self.vertex_count {
            let (found, expected) = (vertices, self.vertex_count);
            return Err(Error::FrameMismatch { path: path.into(), frame, what: "vertices", found, expected });
        }
        times.extend(sample.time);
        self.poses.push((file, values));
        Ok(())
    }
}

impl Poses for MayaCache {
    fn next_into(&mut self, out: &mut [Vec3]) -> Result<bool> {
        let Some((file, values)) = self.poses.get(self.next) else { return Ok(false) };
        let path = &self.files[*file];
        if self.open.as_ref().is_none_or(|(number, _)| number != file) {
            self.open = Some((*file, mapped(path)?));
        }
        let (_, data) = self.open.as_ref().expect("just opened");
        let mut left = out;
        for part in values {
            let (here, rest) = left.split_at_mut(part.count);
            let bytes = data.get(part.start..).unwrap_or_default();
            let floats = bytemuck::cast_slice_mut::<Vec3, f32>(here);
            let enough = bytes.len() >= floats.len() * if part.double { 8 } else { 4 };
            if !enough {
                return Err(Error::malformed(path, "the file became shorter while it was read"));
            }
            if part.double {
                let values = bytes.as_chunks::<8>().0.iter();
                floats.iter_mut().zip(values).for_each(|(out, v)| *out = f64::from_be_bytes(*v) as f32);
            } else {
                let values = bytes.as_chunks::<4>().0.iter();
                floats.iter_mut().zip(values).for_each(|(out, v)| *out = f32::from_be_bytes(*v));
            }
            left = rest;
        }
        self.next += 1;
        Ok(true)
    }
}
