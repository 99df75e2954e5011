//! Reading and writing from outside, one executable.

mod common;

mod alembic;
mod bvh;
mod cargo;
mod damaged;
mod deform_file;
mod documents;
mod fbx;
mod fbx_scenes;
mod flesh_file;
mod glb_between;
mod glb_carried;
mod glb_clips;
mod glb_levels;
mod glb_packed;
mod glb_quantised;
mod glb_reading;
mod glb_round_trip;
mod map_file;
mod motion;
mod motion_alone;
mod motion_damage;
mod round_trips;
mod sinew_file;
mod skeletons;
mod usd;
mod usd_damage;
