//! Drawing on whatever adapter there is, one executable.

mod common;

mod herds;
mod light;
mod pictures;
mod skinning;
