//! Jobs as programs use them.

mod common;

mod deform;
mod edit;
mod refusals;
mod skeleton;
mod skin;
mod transplant;
