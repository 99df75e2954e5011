//! Pictures from outside, one executable.

mod pictures;
mod skeletons;
