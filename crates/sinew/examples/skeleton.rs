//! An animation gets a skeleton: joints in a tree, and a skin on it.
//!
//!     cargo run --release -p sinew --example skeleton

use sinew::progress::Progress;
use sinew::skeleton::{SkeletonOptions, find_skeleton};
use sinew_sample::{CreatureOptions, creature};

/// Says what is done; answering `true` in `cancelled` would end it.
struct Stages;

impl Progress for Stages {
    fn stage(&self, name: &'static str) {
        println!("{name} ...");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let animation = creature(&CreatureOptions { frames: 12, detail: 0.6, ..Default::default() });
    let found = find_skeleton(&animation, &SkeletonOptions::default(), &Stages)?;
    let skeleton = found.rig.skeleton.as_ref().ok_or("a skeleton")?;
    for (joint, parent) in skeleton.parents.iter().enumerate() {
        let place = found.rig.bones[joint].center;
        let parent = parent.map_or("nothing", |parent| &found.rig.bones[parent].name);
        println!("{:10} hangs on {parent:10} at {place:.2}", found.rig.bones[joint].name);
    }
    println!("{} joints, error {:.2} %", skeleton.len(), found.error.percent);
    Ok(())
}
