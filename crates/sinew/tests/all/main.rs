//! The library from outside: known answers, properties, files of tests by subject, one executable.

mod common;

mod blending;
mod collide;
mod deform;
mod deform_anchored;
mod deform_anchors;
mod deform_examples;
mod deform_robust;
mod descent;
mod edit_chain;
mod edit_pose;
mod edit_rest;
mod fesam;
mod follow;
mod heat;
mod joint_angles;
mod joint_axes;
mod joint_names;
mod light;
mod lod;
mod motion_editing;
mod motion_source;
mod motion_translations;
mod playing;
mod posing;
mod search;
mod skeleton;
mod skeleton_options;
mod skinning;
mod spectral;
mod split_bones;
mod stream;
mod transforms;
mod transplant;
