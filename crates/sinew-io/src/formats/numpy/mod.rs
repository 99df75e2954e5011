//! NPY and NPZ, the arrays of NumPy: poses as researchers keep them.
//!
//! An `.npy` file is one array: `\x93NUMPY`, a version, the length of a header, the header, then the values. The
//! header is a Python dictionary that tells their type, order and shape. An `.npz` file is a ZIP archive of
//! such files, which are its arrays by name.
//!
//! | array    | names                                             | shape                          |
//! | -------- | ------------------------------------------------- | ------------------------------ |
//! | poses    | vertices, verts, points, positions, frames        | frames × vertices × 3, floats  |
//! | faces    | faces, triangles, tris                            | faces × corners, whole numbers |
//! | rest     | rest, rest_pose, v_template, template             | vertices × 3, floats           |
//! | fps      | fps, frame_rate, framerate, mocap_framerate       | one number                     |
//!
//! Of an archive with none of the first names, the only array of a fitting shape is taken. Values are f4 or f8,
//! little-endian and in C order; f8 is rounded to f32. Faces of fewer corners than others end in −1. The first
//! names are those that are written, as f4, i4 and f8, stored: an array can then be mapped.

mod array;
mod entry;
mod read;
mod write;

pub use entry::{NPY, NPZ};
pub use read::{NumpyFile, open};
pub use write::{write_npy, write_npz};

/// What the poses are called, best first.
const POSES: [&str; 5] = ["vertices", "verts", "points", "positions", "frames"];
/// What the faces are called.
const FACES: [&str; 3] = ["faces", "triangles", "tris"];
/// What a rest pose is called.
const REST: [&str; 4] = ["rest", "rest_pose", "v_template", "template"];
/// What the frame rate is called.
const FPS: [&str; 4] = ["fps", "frame_rate", "framerate", "mocap_framerate"];

#[cfg(test)]
mod tests;
