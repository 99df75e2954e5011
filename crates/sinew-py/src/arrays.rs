//! Arrays of NumPy and those of the library.

use std::collections::HashMap;

use glam::Vec2;
use numpy::ndarray::{ArrayView, Dimension, ShapeBuilder};
use numpy::{Element, PyArray, PyArray1, PyArray2, PyArray3, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use sinew::geometry::{CornerLayer, Material, Mesh};

use crate::error::{no_mesh, refused};

/// Floats of an array that lives as long as this does.
///
/// Whoever writes into the array while it is worked on gets a result of a bit of both.
pub struct Borrowed {
    /// Keeps the memory.
    _owner: Py<PyArray3<f32>>,
    start: *const f32,
    length: usize,
}

// SAFETY: the memory is only read, and stays where it is: NumPy refuses to resize arrays that others refer to.
unsafe impl Send for Borrowed {}
// SAFETY: as above.
unsafe impl Sync for Borrowed {}

impl AsRef<[f32]> for Borrowed {
    fn as_ref(&self) -> &[f32] {
        // SAFETY: the owner keeps so many floats there, in one piece, as was checked when it was borrowed.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl Borrowed {
    /// Borrows an array whose numbers lie one after the other.
    pub fn new(array: &Bound<'_, PyArray3<f32>>) -> PyResult<Self> {
        let readable = array.try_readonly()?;
        let numbers = readable.as_slice()?;
        let (start, length) = (numbers.as_ptr(), numbers.len());
        if start.align_offset(align_of::<f32>()) != 0 {
            return Err(refused(array.py(), "the array's numbers are not aligned in memory"));
        }
        Ok(Self { _owner: array.clone().unbind(), start, length })
    }
}

/// A view of numbers that live in `owner`, to be read only.
///
/// # Safety
/// The numbers must stay where they are, unchanged, as long as `owner` lives.
pub unsafe fn view<'py, T: Element, D: Dimension>(
    owner: Bound<'py, PyAny>,
    numbers: &[T],
    shape: impl ShapeBuilder<Dim = D>,
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let py = owner.py();
    let numbers = ArrayView::from_shape(shape, numbers).map_err(|e| refused(py, &e.to_string()))?;
    // SAFETY: as promised by the caller.
    let array = unsafe { PyArray::borrow_from_array(&numbers, owner) };
    array.call_method1("setflags", (false,))?;
    Ok(array)
}

/// Numbers in rows, as an array of its own.
pub fn rows<'py, T: Element + Copy>(
    py: Python<'py>,
    numbers: &[T],
    columns: usize,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    PyArray1::from_slice(py, numbers).reshape([numbers.len() / columns.max(1), columns])
}

/// How a mesh looks: texture coordinates of every corner, the material of every face, and those.
pub type Look<'py> =
    (Option<Bound<'py, PyArray2<f32>>>, Option<Bound<'py, PyArray1<u32>>>, Vec<(String, [f32; 4], f32, f32)>);

/// A mesh of so many vertices.
pub fn mesh_of(
    vertex_count: usize,
    face_starts: &Bound<'_, PyArray1<u32>>,
    corners: &Bound<'_, PyArray1<u32>>,
    look: &Look<'_>,
) -> PyResult<Mesh> {
    let numbers =
        |array: &Bound<'_, PyArray1<u32>>| Ok::<_, PyErr>(array.try_readonly()?.as_slice()?.to_vec());
    let py = corners.py();
    let (face_starts, corners) = (numbers(face_starts)?, numbers(corners)?);
    let (uvs, face_materials, materials) = look;
    let uvs = uvs.as_ref().map(|uvs| numbers_of("uvs", uvs, 2)).transpose()?.map(|flat| shared(&flat));
    let face_materials = face_materials.as_ref().map(numbers).transpose()?.unwrap_or_default();
    let materials = materials.iter().cloned().map(material).collect();
    let mesh = Mesh { vertex_count, face_starts, corners, uvs, face_materials, materials, ..Mesh::default() };
    mesh.validate().map(|()| mesh).map_err(|e| no_mesh(py, &e))
}

fn material((name, base_color, metallic, roughness): (String, [f32; 4], f32, f32)) -> Material {
    Material { name, base_color, metallic, roughness, ..Material::default() }
}

/// Texture coordinates, equal ones once: vertices of files are split where they differ.
fn shared(flat: &[f32]) -> CornerLayer<Vec2> {
    let mut places = HashMap::new();
    let mut values = Vec::new();
    let indices = flat.chunks_exact(2).map(|uv| {
        *places.entry([uv[0].to_bits(), uv[1].to_bits()]).or_insert_with(|| {
            values.push(Vec2::from_slice(uv));
            (values.len() - 1) as u32
        })
    });
    let indices = indices.collect();
    CornerLayer { values, indices }
}

/// An array's numbers, which lie one after the other, in rows of so many.
pub fn numbers_of<T: Element + Copy>(
    what: &str,
    array: &Bound<'_, PyArray2<T>>,
    columns: usize,
) -> PyResult<Vec<T>> {
    if array.shape()[1] != columns {
        let found = array.shape()[1];
        return Err(refused(array.py(), &format!("{what} has {found} columns where {columns} belong")));
    }
    Ok(array.try_readonly()?.as_slice()?.to_vec())
}
