//! Jobs as programs use them.

mod common;

mod edit;
mod refusals;
mod skeleton;
mod transplant;
