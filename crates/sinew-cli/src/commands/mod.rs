//! One file a command.

pub mod bake;
pub mod batch;
pub mod collide;
pub mod compare;
pub mod convert;
pub mod crowd;
pub mod deform;
pub mod demo;
pub mod edit;
pub mod info;
pub mod learn;
pub mod light;
pub mod lod;
pub mod manual;
pub mod picture;
pub mod run_file;
pub mod sample;
pub mod skeleton;
pub mod skin;
pub mod stream;
#[cfg(feature = "studio")]
pub mod studio;
pub mod study;
pub mod transplant;
