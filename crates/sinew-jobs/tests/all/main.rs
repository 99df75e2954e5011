//! Jobs as programs use them.

mod common;

mod edit;
mod skeleton;
mod transplant;
