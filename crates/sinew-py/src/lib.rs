//! Sinew for Python: the extension module `sinew_rig._sinew`.
//!
//! ```text
//! python/sinew_rig   words: keyword arguments, docstrings, types, progress bars
//!        │ arrays, jobs as JSON
//! this crate         arrays <-> library and jobs, errors -> exceptions, Ctrl-C -> cancelled
//! ```
//!
//! Arrays of animations are borrowed, not copied. Work is done on a thread of its own without the interpreter's lock; the
//! thread that called waits, looks for signals and tells how far the work is.

mod animation;
mod arrays;
mod error;
mod jobs;
mod picture;
mod rig;
mod work;

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
fn _sinew(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("JOBS", sinew_jobs::AnyJob::NAMES.to_vec())?;
    module.add_class::<animation::Animation>()?;
    module.add_class::<rig::Rig>()?;
    module.add_function(wrap_pyfunction!(jobs::open, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::open_rig, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::creature, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::skin, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::skeleton, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::compare, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::run, module)?)?;
    module.add_function(wrap_pyfunction!(jobs::schema, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)
}

/// Runs the command with these arguments, of which the first is its own name. Returns what the process should end with.
#[pyfunction]
#[pyo3(pass_module)]
fn main(module: &Bound<'_, PyModule>, arguments: Vec<OsString>) -> PyResult<u8> {
    let code: PathBuf = module.filename()?.extract()?;
    Ok(module.py().detach(|| sinew_cli::main(arguments, code)))
}
