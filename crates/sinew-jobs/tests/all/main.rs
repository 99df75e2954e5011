//! Jobs as programs use them.

// The bodies that the library is tested with.
#[allow(dead_code, unused_imports)]
#[path = "../../../sinew/tests/all/common/mod.rs"]
mod animations;
mod batch;
mod common;

mod deform;
mod edit;
mod engines;
mod refusals;
mod search;
mod shapes;
mod skeleton;
mod skin;
mod transplant;
