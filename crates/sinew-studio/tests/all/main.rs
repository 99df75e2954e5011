//! The studio over its sockets, one executable.

#[path = "../common/mod.rs"]
mod common;

mod autosave;
mod bones;
mod characters;
mod flows;
mod hostile;
mod loops;
mod motions;
