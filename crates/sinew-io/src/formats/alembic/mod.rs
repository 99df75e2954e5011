//! Alembic, the cache in which studios keep baked animation: `.abc`, of the kind called Ogawa.
//!
//! Written from the layout of the files themselves and what the open-source library reads and writes
//! (github.com/alembic/alembic, version 1.8). Archives of the older kind, in HDF5, are refused.
//!
//! | I have                   | I want                          | use                              |
//! | ------------------------ | ------------------------------- | -------------------------------- |
//! | a file                   | what is in it                   | [`open`], [`Alembic::info`]      |
//! | a file                   | its meshes, pose by pose        | [`open`], [`Alembic::animation`] |
//! | bytes that nobody trusts | the same                        | [`parse`]                        |
//! | a mesh and its poses     | a file                          | [`write()`], [`to_bytes`]        |
//!
//! # What becomes what
//!
//! All polygon meshes (`AbcGeom_PolyMesh_v1`) and subdivision surfaces (`AbcGeom_SubD_v1`, whose cages are
//! taken) become one mesh of several parts. Transforms (`AbcGeom_Xform_v3`), moving or not, are applied to
//! the points; instances are copies. Face sets become materials by their names. Frames are at the times of
//! what is sampled most densely, from the first time of any to the last, and what is sampled at other times
//! is interpolated. Where several samples belong to one frame, as of an open shutter, the frame is at the
//! whole number of cycles among them, or else at the first. Vertices and faces must stay the same in all
//! frames. UV sets, colours and other real numbers among `.arbGeomParams` become attributes, in and out; what is left out,
//! such as whole numbers, is told.
//!
//! Alembic has no unit: numbers are kept. By custom y is up, as in Sinew. Faces run clockwise seen from
//! outside, so that their corners are reversed on the way in and out; those of transforms that mirror are
//! reversed once more. UVs have their origin at the lower left, so that v becomes 1 - v.
//!
//! Files of Sinew hold, beside what others read: the rest pose (`Pref`) and its normals (`Nref`) among a
//! mesh's `.arbGeomParams`, and the colour of a material (`baseColor`) among a face set's
//! `.userProperties`. Of the first two, only those of our own files are read: other programs mean various
//! things by the names.
//!
//! # The container
//!
//! All numbers are little-endian, except for the version. A file starts with 16 bytes: `Ogawa`, a byte that
//! is 255 once the file is whole, the version as two bytes (0, 1), and the offset of the root group. From
//! there on it has blocks in any order, each found by its offset from the start of the file:
//!
//! - a *group* is a count (u64) and as many offsets (u64);
//! - *data* are a length (u64) and as many bytes.
//!
//! The highest bit of an offset says that it leads to data. Offset 0 is the empty group, and 0 with the bit
//! set is empty data. Several groups may lead to the same block: samples that are alike are stored once.
//!
//! # The archive
//!
//! The root group has six entries:
//!
//! 0. data: version of this layout (i32), 0;
//! 1. data: version of the library (i32), 10803 for 1.8.3;
//! 2. group: the object at the top of the tree;
//! 3. data: metadata of the archive, as text `key=value;key=value`;
//! 4. data: time samplings, one after the other: the largest number of samples (u32), seconds per cycle
//!    (f64), number of times (u32), times within a cycle (f64 each);
//! 5. data: metadata that many headers share: a length (u8) and a text each. They are counted from 1; number
//!    0 is empty metadata and 255 says that they follow in the header.
//!
//! Time samplings are *uniform* (one time: the start), *cyclic* (several, as of a shutter that opens and
//! closes in each frame) or *acyclic* (all times are listed, and seconds per cycle are the largest f64 over
//! 32). Number 0 is uniform from 0 by steps of 1.
//!
//! # Objects
//!
//! An object is a group: the compound of its properties, then its children, then data with the headers of
//! those. A header is the length of the name (u32), the name, the number of its metadata (u8) and, where
//! that is 255, their length (u32) and text. After the headers come two hashes of 16 bytes each, one of the
//! object's properties and one of its children. The metadata say what the object is: `schema=`.
//!
//! # Properties
//!
//! A compound is a group: its properties, then data with their headers. A header starts with 32 bits:
//!
//! | bits    | meaning                                                                               |
//! | ------- | ------------------------------------------------------------------------------------- |
//! | 0–1     | 0 compound, 1 scalar, 2 array, 3 array whose samples have one value each              |
//! | 2–3     | size of the counts that follow: 0 for 1 byte, 1 for 2, 2 for 4                        |
//! | 4–7     | kind of number: bool, u8, i8, u16, i16, u32, i32, u64, i64, f16, f32, f64, text, wide |
//! | 8       | has another time sampling than number 0                                               |
//! | 9       | states the first and last change                                                      |
//! | 10      | all samples are equally long                                                          |
//! | 11      | all samples are alike                                                                 |
//! | 12–19   | numbers a value, such as 3 for points                                                 |
//! | 20–27   | number of its metadata                                                                |
//!
//! Then, except for compounds: the number of samples; with bit 9 the index of the first sample that differs
//! from sample 0 and that of the last that differs from the one before it; with bit 8 the number of the time
//! sampling. Without bits 9 and 11 the changes run from 1 to the last sample. Then for all: length of the
//! name, the name, and where the metadata's number is 255, their length and text.
//!
//! A property's group has its samples: for a scalar, data for each; for an array, two data for each, its
//! values and its dimensions (empty where there is one, as the length tells it). Only sample 0 and those from
//! the first change to the last are stored, so that sample `i` is stored at 0 before the first change, and at
//! `min(i, last) - first + 1` from there on: the run of changes starts at 1. Values have a digest of 16
//! bytes before them; text has a zero after each. Samples without values are empty data, without a digest.
//!
//! # Meshes and transforms
//!
//! A mesh's compound `.geom` has `P` (points), `.faceCounts` and `.faceIndices` (arrays of i32), and may have
//! `uv`, `N` (each an array, or a compound of `.vals` and `.indices`; the metadata's `geoScope` says whether
//! they are values of vertices, `vtx`, or of face corners, `fvr`), `.selfBnds`, `.arbGeomParams` and others.
//! Face sets are children of the mesh, with the faces' numbers in `.faceset` as `.faces`.
//!
//! A transform's compound `.xform` has `.ops`, a byte for each operation whose upper half is its kind (0
//! scale, 1 translate, 2 rotate about an axis by degrees, 3 matrix, 4 to 6 rotate about x, y, z), `.vals` with
//! all their numbers in order, and `.inherits`, which is false for a transform that does without those above
//! it. The last operation is the first to carry a point; matrices are row after row, for points on the left.
//! An instance has metadata `isInstance=1`, and the path of what it repeats as `.instanceSource`.

mod assemble;
mod attributes;
mod beat;
mod digest;
mod entry;
mod geometry;
mod header;
mod layer;
mod out;
mod pieces;
mod read;
mod sample;
mod scene;
mod time;
mod transform;
mod write;

pub use entry::ALEMBIC;
pub use read::{Alembic, Animation, Info, ObjectInfo, ReadOptions, open, parse};
pub use write::{WriteOptions, WriteReport, to_bytes, write};

/// What the name of the writing program starts with in files of our own.
const APPLICATION: &str = "Sinew";

#[cfg(test)]
mod tests;
