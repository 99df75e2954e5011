//! The command line as a user meets it, one executable.

mod common;

mod bad_input;
mod batch;
mod best;
mod bounded;
mod choosing;
mod clips;
mod collide;
mod convert;
mod crowd;
mod deform;
mod edit;
mod formats;
mod gpu;
mod info_motion;
mod interrupt;
mod jobs;
mod known_joints;
mod learn;
mod light;
mod lod;
mod made_by_jobs;
mod manual;
mod methods;
mod segmenters;
mod skeleton;
mod skeletons;
mod standard;
mod still_takes;
mod stream;
mod studio;
mod transplant;
mod units;
mod whole_way;
