//! Animations.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec3;
use numpy::{PyArray1, PyArray2, PyArray3, PyUntypedArrayMethods};
use pyo3::prelude::*;
use sinew::animation::{Frames, MeshAnimation};
use sinew_io::formats::{Facts, PoseSet};
use sinew_io::open::Opened;
use sinew_jobs::poses::{MeshFormat, Target, save_poses};

use crate::arrays::{Borrowed, Look, mesh_of, numbers_of, rows, view};
use crate::error::refused;
use crate::picture;
use crate::work::work;

/// An animation in memory.
#[pyclass(frozen, module = "sinew_rig._sinew")]
pub struct Animation {
    held: Arc<Opened>,
}

/// Frames that another animation holds.
struct Shared(Arc<Opened>);

impl AsRef<[f32]> for Shared {
    fn as_ref(&self) -> &[f32] {
        self.0.animation.frames.flat()
    }
}

impl Animation {
    /// One that was opened or made.
    pub fn new(opened: Opened) -> Self {
        Self { held: Arc::new(opened) }
    }

    /// The same animation once more; its frames are not copied.
    pub fn opened(&self) -> Opened {
        let Opened { animation, warnings, source, input_bytes, clip, assumed_fps, facts } = &*self.held;
        let MeshAnimation { mesh, rest, frames, fps, clips, nodes } = animation;
        let (count, vertices) = (frames.len(), frames.vertex_count());
        let animation = MeshAnimation {
            mesh: mesh.clone(),
            rest: rest.clone(),
            frames: Frames::new(Shared(self.held.clone()), count, vertices),
            fps: *fps,
            clips: clips.clone(),
            nodes: nodes.clone(),
        };
        Opened {
            animation,
            warnings: warnings.clone(),
            source: source.clone(),
            input_bytes: *input_bytes,
            clip: clip.clone(),
            assumed_fps: *assumed_fps,
            facts: facts.clone(),
        }
    }
}

/// Numbers three by three.
pub fn points(flat: &[f32]) -> Vec<Vec3> {
    flat.chunks_exact(3).map(Vec3::from_slice).collect()
}

#[pymethods]
impl Animation {
    #[new]
    #[pyo3(signature = (positions, face_starts, corners, look, rest, fps, metres_per_unit, name))]
    #[expect(clippy::too_many_arguments, reason = "what an animation has, each by its name")]
    fn from_arrays(
        py: Python<'_>,
        positions: &Bound<'_, PyArray3<f32>>,
        face_starts: &Bound<'_, PyArray1<u32>>,
        corners: &Bound<'_, PyArray1<u32>>,
        look: Look<'_>,
        rest: Option<&Bound<'_, PyArray2<f32>>>,
        fps: f64,
        metres_per_unit: Option<f64>,
        name: String,
    ) -> PyResult<Self> {
        let &[frames, vertices, columns] = positions.shape() else {
            return Err(refused(py, "positions have three dimensions"));
        };
        if columns != 3 {
            return Err(refused(py, &format!("positions have {columns} numbers a vertex where 3 belong")));
        }
        let mesh = mesh_of(vertices, face_starts, corners, &look)?;
        let rest = rest.map(|rest| numbers_of("rest", rest, 3)).transpose()?.map(|flat| points(&flat));
        if rest.as_ref().is_some_and(|rest| rest.len() != vertices) {
            return Err(refused(py, "rest has another number of vertices than positions"));
        }
        let input_bytes = (size_of::<f32>() * 3 * vertices * frames) as u64;
        let frames = Frames::new(Borrowed::new(positions)?, frames, vertices);
        let animation = MeshAnimation { mesh, rest, frames, fps, clips: Vec::new(), nodes: Vec::new() };
        let facts = Facts { metres_per_unit, ..Facts::default() };
        let (warnings, clip, assumed_fps) = (Vec::new(), None, false);
        Ok(Self::new(Opened { animation, warnings, source: name, input_bytes, clip, assumed_fps, facts }))
    }

    #[getter]
    fn positions<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let frames = &slf.get().held.animation.frames;
        let shape = (frames.len(), frames.vertex_count(), 3);
        // SAFETY: frames never change, and the animation, which is the owner, holds them.
        unsafe { view(slf.clone().into_any(), frames.flat(), shape) }
    }

    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let rest = self.held.animation.rest.as_ref();
        rest.map(|rest| rows(py, bytemuck::cast_slice(rest), 3)).transpose()
    }

    #[getter]
    fn face_starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.held.animation.mesh.face_starts)
    }

    #[getter]
    fn corners<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.held.animation.mesh.corners)
    }

    #[getter]
    fn fps(&self) -> f64 {
        self.held.animation.fps
    }

    #[getter]
    fn clips(&self) -> Vec<(String, usize, usize, f64)> {
        let tell = |c: &sinew::animation::Clip| (c.name.clone(), c.frames.start, c.frames.end, c.fps);
        self.held.animation.clips.iter().map(tell).collect()
    }

    #[getter]
    fn source(&self) -> &str {
        &self.held.source
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.held.warnings.iter().map(ToString::to_string).collect()
    }

    #[getter]
    fn metres_per_unit(&self) -> Option<f64> {
        self.held.facts.metres_per_unit
    }

    #[pyo3(signature = (path, progress=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u64, Vec<String>)> {
        let Opened { animation, clip, facts, .. } = &*self.held;
        let set = PoseSet {
            mesh: &animation.mesh,
            rest: animation.rest.as_deref(),
            frames: animation.frames.len(),
            fps: animation.fps,
            clips: &animation.clips,
            clip: clip.as_deref(),
            facts,
        };
        let written = work(py, progress, |progress| {
            progress.stage("writing");
            let to = Target::of(&path, MeshFormat::default())?;
            save_poses(&path, &to, &set, progress, |frame, out| {
                progress.check()?;
                progress.advance(frame as f64 / set.frames as f64);
                out.copy_from_slice(animation.frames.frame(frame));
                Ok(())
            })
        })?;
        Ok((written.bytes, written.warnings.iter().map(ToString::to_string).collect()))
    }

    fn picture(&self, py: Python<'_>, frame: usize, width: usize, height: usize) -> PyResult<Vec<u8>> {
        py.detach(|| picture::of_animation(&self.held.animation, frame, [width, height]))
            .map_err(|e| crate::error::raised(py, &e))
    }
}
