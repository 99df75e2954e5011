//! Motion from elsewhere on a rig without a skeleton.
//!
//!     cargo run --release -p sinew --example transplant

use sinew::glam::{DAffine3, DQuat, DVec3};
use sinew::motion::{Motion, Plan, PlanOptions, SourceJoint, Translations, Transplanter};
use sinew::progress::Silent;
use sinew::skin::{SkinOptions, skin};
use sinew_sample::{CreatureOptions, creature};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let animation = creature(&CreatureOptions { frames: 12, detail: 0.6, ..Default::default() });
    let options = SkinOptions { bones: Some(12), ..Default::default() };
    let rig = skin(&animation, &options, &Silent)?.rig;

    // A file of motion would be opened with `sinew_io::open_motion`; this one is a body that nods.
    let motion = nodding(36);
    let plan = Plan::new(&rig, &motion, &PlanOptions::default(), &Silent)?;
    for ((bone, joint), reason) in rig.bones.iter().zip(&plan.mapping.joints).zip(&plan.reasons) {
        let joint = joint.map_or("none", |joint| &motion.joints[joint].name);
        println!("{:8} follows {joint:5} ({:?}: {reason:?})", bone.name, reason.confidence());
    }
    for warning in plan.warnings() {
        println!("warning: {warning}");
    }
    let transplanter = Transplanter::new(&rig, &motion, &plan, Translations::Auto, &Silent)?;
    for loss in transplanter.losses(&rig) {
        println!("warning: {loss}");
    }
    let moved = transplanter.transplant(&rig, &motion, &Silent)?;
    println!("{} frames at {} per second", moved.frame_count(), moved.fps);
    assert_eq!(moved.frame_count(), 36);
    Ok(())
}

/// A trunk along z, with a neck and a head in front that go up and down.
fn nodding(frames: usize) -> Motion {
    let names = ["trunk", "neck", "head"];
    let places = [DVec3::new(0.0, 0.9, -0.6), DVec3::new(0.0, 1.0, 0.3), DVec3::new(0.0, 1.4, 0.9)];
    let joint = |i: usize| SourceJoint {
        name: names[i].into(),
        parent: i.checked_sub(1),
        tip: (i == 2).then_some(DVec3::new(0.0, 0.1, 0.3)),
    };
    let bind: Vec<DAffine3> = places.iter().map(|p| DAffine3::from_translation(*p)).collect();
    let mut worlds = Vec::new();
    for frame in 0..frames {
        let angle = 0.3 * (std::f64::consts::TAU * frame as f64 / frames as f64).sin();
        let nod = DAffine3::from_quat(DQuat::from_rotation_x(angle));
        let neck = bind[1] * nod;
        worlds.extend([bind[0], neck, neck * DAffine3::from_translation(places[2] - places[1]) * nod]);
    }
    let joints = (0..3).map(joint).collect();
    Motion { joints, bind, worlds, fps: 24.0, clips: Vec::new(), metres_per_unit: Some(1.0) }
}
