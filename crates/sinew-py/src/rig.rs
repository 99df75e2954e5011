//! Rigs.

use std::path::PathBuf;
use std::sync::Arc;

use glam::{DAffine3, DMat3, DVec3, Vec3};
use numpy::{PyArray1, PyArray2, PyArray3, PyArray4, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use sinew::animation::PoseSource;
use sinew::rig::{BlendPlayer, Blending, Corrections, Player, Skeleton, SkinWeights};
use sinew_io::open::Opened;
use sinew_io::scene::{JointFrame, SampledRig, joint_frames};
use sinew_jobs::rig_file::Writing;

use crate::animation::{Animation, points};
use crate::arrays::{Look, mesh_of, numbers_of, rows};
use crate::error::{no_rig, raised, refused};
use crate::picture;
use crate::work::work;

/// Translations, outer turns, scales and inner turns of joints, frame after frame.
type Frames<'py> = (
    Bound<'py, PyArray3<f64>>,
    Bound<'py, PyArray3<f64>>,
    Bound<'py, PyArray3<f64>>,
    Bound<'py, PyArray3<f64>>,
);

/// Frames that are played between two looks at whether anybody still wants them: enough for all cores.
const FRAMES_AT_ONCE: usize = 64;

/// A rig in memory.
#[pyclass(frozen, module = "sinew_rig._sinew")]
pub struct Rig {
    rig: Arc<sinew::rig::Rig>,
    writing: Writing,
}

impl Rig {
    /// One that was made or read.
    pub fn new(rig: sinew::rig::Rig, writing: Writing) -> Self {
        Self { rig: Arc::new(rig), writing }
    }

    /// One that was read from a file, whose normals go with its rest pose.
    pub fn of_file(sampled: SampledRig) -> Self {
        let SampledRig { rig, clip, facts, .. } = sampled;
        Self::new(rig, Writing { clip, keep_normals: true, facts })
    }

    fn encode(
        &self,
        path: &std::path::Path,
        compact: Option<f64>,
    ) -> Result<(Vec<u8>, Vec<String>), sinew_jobs::JobError> {
        sinew_jobs::rig_file::check_compact(compact)?;
        let file = self.writing.encode(path, &self.rig, compact.map(|percent| percent / 100.0))?;
        Ok((file.bytes, file.warnings.iter().map(ToString::to_string).collect()))
    }
}

#[pymethods]
impl Rig {
    #[staticmethod]
    #[pyo3(signature = (rest, face_starts, corners, look, bones, weights, transforms, names, parents, centers, shapes, coefficients, fps, metres_per_unit))]
    #[expect(clippy::too_many_arguments, reason = "what a rig has, each by its name")]
    fn from_arrays(
        py: Python<'_>,
        rest: &Bound<'_, PyArray2<f32>>,
        face_starts: &Bound<'_, PyArray1<u32>>,
        corners: &Bound<'_, PyArray1<u32>>,
        look: Look<'_>,
        bones: &Bound<'_, PyArray2<u32>>,
        weights: &Bound<'_, PyArray2<f32>>,
        transforms: &Bound<'_, PyArray4<f64>>,
        names: Option<Vec<String>>,
        parents: Option<Vec<i64>>,
        centers: Option<&Bound<'_, PyArray2<f64>>>,
        shapes: Option<&Bound<'_, PyArray3<f32>>>,
        coefficients: Option<&Bound<'_, PyArray2<f32>>>,
        fps: f64,
        metres_per_unit: Option<f64>,
    ) -> PyResult<Self> {
        let rest = points(&numbers_of("rest", rest, 3)?);
        let mesh = mesh_of(rest.len(), face_starts, corners, &look)?;
        let (slots, count) = (weights.shape()[1], transforms.shape()[1]);
        if transforms.shape()[2..] != [4, 4] {
            return Err(refused(py, "transforms are matrices of 4 x 4, of every bone in every frame"));
        }
        if weights.shape() != bones.shape() {
            return Err(refused(py, "bones and weights have other shapes"));
        }
        let bones = numbers_of("bones", bones, slots)?;
        let weights = numbers_of("weights", weights, slots)?;
        let of_vertex = |(b, w): (&[u32], &[f32])| b.iter().copied().zip(w.iter().copied()).collect();
        let lists: Vec<Vec<(u32, f32)>> =
            bones.chunks_exact(slots.max(1)).zip(weights.chunks_exact(slots.max(1))).map(of_vertex).collect();
        let weights = SkinWeights::from_sparse(&lists, count, slots).map_err(|e| no_rig(py, &e))?;
        let readable = transforms.try_readonly()?;
        let transforms = readable.as_slice()?.chunks_exact(16).map(affine).collect();
        let mut rig =
            sinew::rig::Rig::new(mesh, rest, weights, transforms, count, fps).map_err(|e| no_rig(py, &e))?;
        if let Some(names) = names {
            if names.len() != count {
                return Err(refused(py, "there is not one name for each bone"));
            }
            rig.bones.iter_mut().zip(names).for_each(|(bone, name)| bone.name = name);
        }
        if let Some(centers) = centers {
            let flat = numbers_of("centers", centers, 3)?;
            if flat.len() != 3 * count {
                return Err(refused(py, "there is not one center for each bone"));
            }
            rig.bones
                .iter_mut()
                .zip(flat.chunks_exact(3))
                .for_each(|(bone, p)| bone.center = DVec3::from_slice(p));
        }
        if let Some(parents) = parents {
            let parents = parents.into_iter().map(|parent| usize::try_from(parent).ok()).collect();
            rig.skeleton = Some(Skeleton::new(parents));
        }
        rig.corrections = match (shapes, coefficients) {
            (None, None) => None,
            (Some(shapes), Some(coefficients)) => corrections(shapes, coefficients)?,
            _ => return Err(refused(py, "shapes and coefficients come together")),
        };
        rig.validate().and_then(|()| rig.check_finite()).map_err(|e| no_rig(py, &e))?;
        let facts = sinew_io::formats::Facts { metres_per_unit, ..Default::default() };
        Ok(Self::new(rig, Writing { clip: None, keep_normals: true, facts }))
    }

    #[getter]
    fn rest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        rows(py, bytemuck::cast_slice(&self.rig.rest), 3)
    }

    #[getter]
    fn face_starts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.rig.mesh.face_starts)
    }

    #[getter]
    fn corners<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.rig.mesh.corners)
    }

    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        rows(py, &self.rig.weights.weights, self.rig.weights.per_vertex)
    }

    #[getter]
    fn bones<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        rows(py, &self.rig.weights.bones, self.rig.weights.per_vertex)
    }

    #[getter]
    fn transforms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray4<f64>>> {
        let flat: Vec<f64> = self.rig.transforms.iter().flat_map(matrix).collect();
        PyArray1::from_vec(py, flat).reshape([self.rig.frame_count(), self.rig.bones.len(), 4, 4])
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.rig.bones.iter().map(|bone| bone.name.clone()).collect()
    }

    #[getter]
    fn rigid(&self) -> Vec<bool> {
        self.rig.bones.iter().map(|bone| bone.rigid).collect()
    }

    #[getter]
    fn parents<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let parents = match &self.rig.skeleton {
            Some(skeleton) => {
                (0..skeleton.len()).map(|joint| skeleton.above(joint).map_or(-1, |p| p as i64)).collect()
            }
            None => vec![-1; self.rig.bones.len()],
        };
        PyArray1::from_vec(py, parents)
    }

    #[getter]
    fn has_skeleton(&self) -> bool {
        self.rig.skeleton.is_some()
    }

    #[getter]
    fn centers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let flat: Vec<f64> = self.rig.bones.iter().flat_map(|bone| bone.center.to_array()).collect();
        rows(py, &flat, 3)
    }

    #[getter]
    fn shapes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let basis = self.rig.corrections.as_ref().map_or(&[][..], |c| &c.basis);
        let flat: &[f32] = bytemuck::cast_slice(basis);
        PyArray1::from_slice(py, flat).reshape([self.rig.rank(), self.rig.rest.len(), 3])
    }

    #[getter]
    fn coefficients<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let flat = self.rig.corrections.as_ref().map_or(&[][..], |c| &c.coefficients);
        PyArray1::from_slice(py, flat).reshape([self.rig.frame_count(), self.rig.rank()])
    }

    fn joint_frames<'py>(&self, py: Python<'py>) -> PyResult<Frames<'py>> {
        let joints = py.detach(|| joint_frames(&self.rig)).map_err(|e| raised(py, &e.into()))?;
        let (frames, bones) = (self.rig.frame_count(), joints.len());
        let each = |numbers: &dyn Fn(&JointFrame) -> Vec<f64>, width: usize| {
            let of_frame = |f: usize| joints.iter().flat_map(move |joint| numbers(&joint[f]));
            PyArray1::from_vec(py, (0..frames).flat_map(of_frame).collect()).reshape([frames, bones, width])
        };
        Ok((
            each(&|frame| frame.translation.to_array().into(), 3)?,
            each(&|frame| frame.rotation.to_array().into(), 4)?,
            each(&|frame| frame.scale.to_array().into(), 3)?,
            each(&|frame| frame.inner.to_array().into(), 4)?,
        ))
    }

    #[getter]
    fn fps(&self) -> f64 {
        self.rig.fps
    }

    #[getter]
    fn frame_count(&self) -> usize {
        self.rig.frame_count()
    }

    #[getter]
    fn clips(&self) -> Vec<(String, usize, usize, f64)> {
        let tell = |c: &sinew::animation::Clip| (c.name.clone(), c.frames.start, c.frames.end, c.fps);
        self.rig.clips.iter().map(tell).collect()
    }

    #[getter]
    fn metres_per_unit(&self) -> Option<f64> {
        self.writing.facts.metres_per_unit
    }

    #[pyo3(signature = (out, first, blend, progress=None))]
    fn bake(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyArray3<f32>>,
        first: usize,
        blend: &str,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let blending: Blending = blend.parse().map_err(|e| refused(py, &format!("blend: {e}")))?;
        let (vertices, all) = (self.rig.rest.len(), self.rig.frame_count());
        let &[frames, rows, columns] = out.shape() else {
            return Err(refused(py, "out has three dimensions"));
        };
        if (rows, columns) != (vertices, 3) {
            return Err(refused(
                py,
                &format!("out has {rows} x {columns} numbers a frame where {vertices} x 3 belong"),
            ));
        }
        if first + frames > all {
            return Err(refused(
                py,
                &format!("frames {first} to {} of {all} were asked for", first + frames),
            ));
        }
        let mut writable = out.try_readwrite()?;
        let poses: &mut [Vec3] = bytemuck::try_cast_slice_mut(writable.as_slice_mut()?)
            .map_err(|_| refused(py, "the numbers of out are not aligned in memory"))?;
        let rig = &*self.rig;
        work(py, progress, move |progress| {
            progress.stage("playing");
            let linear = (blending == Blending::Linear).then(|| Player::new(rig));
            let other = (blending != Blending::Linear).then(|| BlendPlayer::new(rig, blending));
            let play = |frame: usize, pose: &mut [Vec3]| match (&linear, &other) {
                (Some(player), _) => player.pose_into(frame, pose),
                (None, Some(player)) => PoseSource::pose_into(player, frame, pose),
                (None, None) => {}
            };
            let some = vertices.max(1) * FRAMES_AT_ONCE;
            for (part, poses) in poses.chunks_mut(some).enumerate() {
                progress.check()?;
                let begun = part * FRAMES_AT_ONCE;
                progress.advance(begun as f64 / frames as f64);
                let each = poses.par_chunks_exact_mut(vertices.max(1)).enumerate();
                each.for_each(|(frame, pose)| play(first + begun + frame, pose));
            }
            Ok(())
        })
    }

    fn animation(&self, py: Python<'_>) -> PyResult<Animation> {
        let opened = py.detach(|| {
            let sampled = SampledRig {
                rig: (*self.rig).clone(),
                warnings: Vec::new(),
                clip: self.writing.clip.clone(),
                light: None,
                facts: self.writing.facts.clone(),
            };
            Opened::of_rig(PathBuf::from("rig"), sampled)
        });
        opened.map(Animation::new).map_err(|e| raised(py, &e.into()))
    }

    #[pyo3(signature = (path, compact))]
    fn save(&self, py: Python<'_>, path: PathBuf, compact: Option<f64>) -> PyResult<(u64, Vec<String>)> {
        let saved = py.detach(|| {
            let (bytes, warnings) = self.encode(&path, compact)?;
            Ok((sinew_io::save(&path, |out| out.write_all(&bytes))?, warnings))
        });
        saved.map_err(|e: sinew_jobs::JobError| raised(py, &e))
    }

    #[pyo3(signature = (name, compact))]
    fn to_bytes<'py>(
        &self,
        py: Python<'py>,
        name: PathBuf,
        compact: Option<f64>,
    ) -> PyResult<(Bound<'py, PyBytes>, Vec<String>)> {
        let (bytes, warnings) = py.detach(|| self.encode(&name, compact)).map_err(|e| raised(py, &e))?;
        Ok((PyBytes::new(py, &bytes), warnings))
    }

    fn picture(&self, py: Python<'_>, frame: usize, width: usize, height: usize) -> PyResult<Vec<u8>> {
        py.detach(|| picture::of_rig(&self.rig, frame, [width, height])).map_err(|e| raised(py, &e))
    }
}

/// Corrections of their shapes and how much of each there is in each frame; the rig checks how many of both there are.
fn corrections(
    shapes: &Bound<'_, PyArray3<f32>>,
    coefficients: &Bound<'_, PyArray2<f32>>,
) -> PyResult<Option<Corrections>> {
    let &[rank, _, columns] = shapes.shape() else {
        return Err(refused(shapes.py(), "shapes have three dimensions"));
    };
    if columns != 3 {
        let sentence = format!("shapes have {columns} numbers a vertex where 3 belong");
        return Err(refused(shapes.py(), &sentence));
    }
    let basis = points(shapes.try_readonly()?.as_slice()?);
    let coefficients = numbers_of("coefficients", coefficients, rank)?;
    Ok((rank > 0).then_some(Corrections {
        rank,
        basis,
        normals: Vec::new(),
        coefficients,
        names: Vec::new(),
    }))
}

/// A matrix, row after row.
fn matrix(transform: &DAffine3) -> [f64; 16] {
    let (m, t) = (transform.matrix3, transform.translation);
    let row = |i: usize| [m.x_axis[i], m.y_axis[i], m.z_axis[i], t[i]];
    let [a, b, c] = [row(0), row(1), row(2)];
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3], c[0], c[1], c[2], c[3], 0.0, 0.0, 0.0, 1.0]
}

/// A transform of its matrix, row after row.
fn affine(rows: &[f64]) -> DAffine3 {
    let column = |i: usize| DVec3::new(rows[i], rows[4 + i], rows[8 + i]);
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
}
