//! Jobs: what people ask for, as JSON with the fields of the job structs.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use sinew_io::Source;
use sinew_io::formats::Facts;
use sinew_io::open as files;
use sinew_io::open::Opened;
use sinew_io::scene::SampleOptions;
use sinew_jobs::any::as_json;
use sinew_jobs::compare::CompareJob;
use sinew_jobs::skeleton::SkeletonJob;
use sinew_jobs::skin::SkinJob;
use sinew_jobs::source::Source as AnimationSource;
use sinew_jobs::{AnyJob, Job};
use sinew_sample::CreatureOptions;

use crate::animation::Animation;
use crate::error::refused;
use crate::rig::Rig;
use crate::work::work;

/// Who is called with the stage and the share of it that is done.
type Listener<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// A job of its fields.
fn read<J: Job>(py: Python<'_>, fields: &str) -> PyResult<J> {
    serde_json::from_str(fields).map_err(|e| refused(py, &e.to_string()))
}

/// Opens an animation. The fields are those of a job's `source`.
#[pyfunction]
#[pyo3(signature = (source, progress=None))]
pub fn open(py: Python<'_>, source: &str, progress: Listener<'_, '_>) -> PyResult<Animation> {
    let source: AnimationSource = serde_json::from_str(source).map_err(|e| refused(py, &e.to_string()))?;
    let opened = work(py, progress, |progress| {
        source.validate()?;
        source.read(progress)
    })?;
    Ok(Animation::new(opened))
}

/// Opens a rig, and says what was found amiss.
#[pyfunction]
#[pyo3(signature = (path, clips, fps, progress=None))]
pub fn open_rig(
    py: Python<'_>,
    path: std::path::PathBuf,
    clips: Vec<String>,
    fps: Option<f64>,
    progress: Listener<'_, '_>,
) -> PyResult<(Rig, Vec<String>)> {
    let sampled = work(py, progress, |progress| {
        progress.stage("reading");
        Ok(files::rig(Source::from(&path), &SampleOptions { clips, fps, weld: None })?)
    })?;
    let warnings = sampled.warnings.iter().map(ToString::to_string).collect();
    Ok((Rig::of_file(sampled), warnings))
}

/// Grows the creature.
#[pyfunction]
#[pyo3(signature = (frames, fps, detail, progress=None))]
pub fn creature(
    py: Python<'_>,
    frames: usize,
    fps: f64,
    detail: f64,
    progress: Listener<'_, '_>,
) -> PyResult<Animation> {
    let rules = [
        ((1..=100_000).contains(&frames), "frames are 1 to 100000"),
        (fps > 0.0 && fps.is_finite(), "the frame rate is a positive number"),
        ((0.6..=8.0).contains(&detail), "detail is 0.6 to 8"),
    ];
    if let Some((_, rule)) = rules.into_iter().find(|(kept, _)| !kept) {
        return Err(refused(py, rule));
    }
    let animation = work(py, progress, |progress| {
        progress.stage("growing");
        Ok(sinew_sample::creature(&CreatureOptions { frames, fps, detail }))
    })?;
    let numbers = (3 * size_of::<f32>() * animation.mesh.vertex_count) as u64;
    Ok(Animation::new(Opened {
        input_bytes: numbers * animation.frames.len() as u64,
        animation,
        warnings: Vec::new(),
        source: "creature".into(),
        clip: None,
        assumed_fps: false,
        facts: Facts { metres_per_unit: Some(1.0), ..Facts::default() },
    }))
}

/// Fits a rig to an animation in memory.
#[pyfunction]
#[pyo3(signature = (animation, job, progress=None))]
pub fn skin(
    py: Python<'_>,
    animation: &Bound<'_, Animation>,
    job: &str,
    progress: Listener<'_, '_>,
) -> PyResult<(Rig, String)> {
    let (job, opened) = (read::<SkinJob>(py, job)?, animation.get().opened());
    let done = work(py, progress, |progress| job.run_on(opened, progress))?;
    Ok((Rig::new(done.rig, done.writing), as_json(&done.report).to_string()))
}

/// Finds the skeleton of an animation in memory.
#[pyfunction]
#[pyo3(signature = (animation, job, progress=None))]
pub fn skeleton(
    py: Python<'_>,
    animation: &Bound<'_, Animation>,
    job: &str,
    progress: Listener<'_, '_>,
) -> PyResult<(Rig, String)> {
    let (job, opened) = (read::<SkeletonJob>(py, job)?, animation.get().opened());
    let made = work(py, progress, |progress| job.run_on(opened, progress))?;
    Ok((Rig::new(made.rig, made.writing), as_json(&made.report).to_string()))
}

/// Measures how far an animation in memory is from another.
#[pyfunction]
#[pyo3(signature = (original, approximation, job, progress=None))]
pub fn compare(
    py: Python<'_>,
    original: &Bound<'_, Animation>,
    approximation: &Bound<'_, Animation>,
    job: &str,
    progress: Listener<'_, '_>,
) -> PyResult<String> {
    let job = read::<CompareJob>(py, job)?;
    let [original, approximation] = [original, approximation].map(|animation| animation.get().opened());
    let report = work(py, progress, |progress| job.run_on(original, approximation, progress))?;
    Ok(as_json(&report).to_string())
}

/// Runs a job on files. Returns its report.
#[pyfunction]
#[pyo3(signature = (job, progress=None))]
pub fn run(py: Python<'_>, job: &str, progress: Listener<'_, '_>) -> PyResult<String> {
    let job = AnyJob::from_json(job).map_err(|e| refused(py, &e.to_string()))?;
    Ok(work(py, progress, |progress| job.run(progress))?.to_string())
}

/// The JSON schema of a job.
#[pyfunction]
pub fn schema(name: &str) -> PyResult<String> {
    match AnyJob::schema(name) {
        Some(schema) => Ok(schema.as_value().to_string()),
        None => Err(PyKeyError::new_err(format!("there is no job {name}"))),
    }
}
