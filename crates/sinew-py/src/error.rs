//! Errors as exceptions with fields. Their classes are in `sinew_rig._errors`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use sinew::geometry::MeshError;
use sinew::rig::RigError;
use sinew_jobs::JobError;
use sinew_jobs::place::{Place, Subject};

/// The exception of an error.
pub fn raised(py: Python<'_>, error: &JobError) -> PyErr {
    told(py, &error.to_string(), &error.place())
}

/// One about arguments.
pub fn refused(py: Python<'_>, sentence: &str) -> PyErr {
    told(py, sentence, &Place { subject: Subject::Options, ..Place::default() })
}

/// One about faces that make no mesh.
pub fn no_mesh(py: Python<'_>, error: &MeshError) -> PyErr {
    let vertex = match error {
        MeshError::NoSuchVertex { vertex, .. } => Some(*vertex as usize),
        _ => None,
    };
    told(py, &error.to_string(), &Place { subject: Subject::Animation, vertex, ..Place::default() })
}

/// One about arrays that make no rig.
pub fn no_rig(py: Python<'_>, error: &RigError) -> PyErr {
    let vertex = match error {
        RigError::NoSuchBone { vertex, .. } | RigError::WeightNotFinite { vertex } => Some(*vertex),
        _ => None,
    };
    told(py, &error.to_string(), &Place { subject: Subject::Animation, vertex, ..Place::default() })
}

fn told(py: Python<'_>, sentence: &str, place: &Place) -> PyErr {
    let make = || -> PyResult<PyErr> {
        let fields = PyDict::new(py);
        fields.set_item("kind", place.subject.to_string())?;
        fields.set_item("file", place.file.as_ref().map(|path| path.display().to_string()))?;
        fields.set_item("frame", place.frame)?;
        fields.set_item("vertex", place.vertex)?;
        fields.set_item("field", place.field)?;
        let made = py.import("sinew_rig._errors")?.call_method("make", (sentence,), Some(&fields))?;
        Ok(PyErr::from_value(made))
    };
    make().unwrap_or_else(|failed| failed)
}
