//! A cache from its files.

use std::path::{Path, PathBuf};

use glam::Vec3;

use super::description::{self, Description};
use crate::containers::iff::{Sample, Values, is_data, samples};
use crate::natural::compare as natural_order;
use crate::scene::Poses;
use crate::source::{Bytes, Source};
use crate::warning::Remark;
use crate::{Error, Result, Warning};

/// Times count this many to the second.
const TICKS: f64 = 6000.0;
/// A description is a page or two.
const LONGEST_DESCRIPTION: u64 = 1 << 24;

/// An opened cache: which values are where. Reads them one time after the other.
#[derive(Clone)]
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
    /// What was found amiss.
    pub warnings: Vec<Warning>,
    /// Data files; of one file a frame only the one in use is mapped.
    files: Vec<Source>,
    /// The file and the values of each pose.
    poses: Vec<(usize, Vec<Values>)>,
    open: Option<(usize, Bytes)>,
    next: usize,
}

/// Opens a cache by its `.xml` file or by a data file.
pub fn open(source: impl Into<Source>) -> Result<MayaCache> {
    let source = source.into();
    let start = source.start(64)?;
    let of_data = is_data(&start) || !has_ending(source.path(), "xml") && start.starts_with(b"FOR");
    let (description, files) = if of_data {
        (described_beside(&source)?, vec![source.clone()])
    } else {
        let description = read_description(&source)?;
        let files = data_files(&source, &description)?;
        (Some(description), files)
    };
    index(source.path(), &description.unwrap_or_default(), files)
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(ending))
}

fn read_description(source: &Source) -> Result<Description> {
    let (path, length) = (source.path(), source.length()?);
    if length > LONGEST_DESCRIPTION {
        return Err(Error::unsupported(
            path,
            format!("a Maya cache is described in a page, not {length} bytes"),
        ));
    }
    description::parse(&String::from_utf8_lossy(&source.read()?), path)
}

/// The description of a data file, where it is beside it.
fn described_beside(data: &Source) -> Result<Option<Description>> {
    let stem = data.stem();
    let base = stem.rsplit_once("Frame").map_or(stem.as_str(), |(base, _)| base);
    let named = |name: &str| data.link(data.path().with_file_name(format!("{name}.xml")));
    let mut found = [stem.as_str(), base].into_iter().filter_map(named);
    found.find(Source::is_file).map(|xml| read_description(&xml)).transpose()
}

/// The data files that go with a description.
fn data_files(xml: &Source, description: &Description) -> Result<Vec<Source>> {
    let path = xml.path();
    let ending = &description.ending;
    if !description.file_per_frame {
        let data = path.with_extension(ending);
        let Some(file) = xml.link(&data).filter(Source::is_file) else {
            let message = format!("the data of this cache is in {}, which is not there", data.display());
            return Err(Error::unsupported(path, message));
        };
        return Ok(vec![file]);
    }
    let start = format!("{}Frame", xml.stem());
    let of_frame = |file: &PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let rest = name.strip_prefix(&start);
        let numbered = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit() || c == '-');
        rest.is_some_and(numbered) && has_ending(file, ending)
    };
    let mut found: Vec<PathBuf> = xml.beside()?.into_iter().filter(of_frame).collect();
    found.sort_by(|a, b| natural_order(&a.to_string_lossy(), &b.to_string_lossy()));
    if found.is_empty() {
        let message =
            format!("the data of this cache is in files such as {start}1.{ending}, and there is none");
        return Err(Error::unsupported(path, message));
    }
    Ok(found.into_iter().filter_map(|file| xml.link(file)).collect())
}

/// Looks through all files for where the poses are.
fn index(path: &Path, description: &Description, files: Vec<Source>) -> Result<MayaCache> {
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
        for sample in samples(&data, file.path())? {
            cache.add(number, sample, description, file.path(), &mut times)?;
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
            cache.warnings.push(Warning::from(Remark::RateOfFirstTwo).at(path));
        }
    }
    if let (Some(first), Some(last)) = (times.first(), times.last()) {
        cache.times = Some((f64::from(*first) / TICKS, f64::from(*last) / TICKS));
    }
    Ok(cache)
}

fn mapped(source: &Source) -> Result<Bytes> {
    let bytes = source.map()?;
    if bytes.is_empty() {
        return Err(Error::malformed(source.path(), "the file is empty"));
    }
    Ok(bytes)
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
            if self.channels.len() > 1 {
                self.warnings.push(Warning::Channels(self.channels.clone()));
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
        let path = self.files[*file].path();
        if self.open.as_ref().is_none_or(|(number, _)| number != file) {
            self.open = Some((*file, mapped(&self.files[*file])?));
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
