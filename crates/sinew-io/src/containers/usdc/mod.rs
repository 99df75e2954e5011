//! USD "crate" files (`.usdc`), the binary layers, of version 0.4 and later.
//!
//! A file starts with its version and the place of a table of sections. `TOKENS` are all words, `STRINGS`
//! which of them are strings, `FIELDS` pairs of a word and a value, `FIELDSETS` lists of fields that end with
//! −1, `PATHS` a tree of names, and `SPECS` say which path is what and has which set of fields. A value is
//! eight bytes: what it is, and either itself or where it is.

mod blocks;
mod cursor;
mod file;
mod read;
mod values;

pub(crate) use blocks::to_half;
pub(crate) use file::{CrateFile, Element, MAGIC, PathNode};
pub(crate) use read::{Parts, read};
pub(crate) use values::Arc;
