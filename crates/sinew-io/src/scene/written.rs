//! Before a rig is written, and after.

use std::path::Path;

use sinew::animation::Clip;
use sinew::rig::Rig;

use super::names::Names;
use crate::{Error, Result, Warning};

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteReport {
    /// Size of the file.
    pub bytes: u64,
    /// What could not be stored as it is, for people.
    pub warnings: Vec<Warning>,
}

/// The rig's clips, each with a name of its own; `alone` is for a rig that states none.
pub(crate) fn named_clips(rig: &Rig, alone: &str) -> Vec<Clip> {
    let mut names = Names::default();
    let mut clips = rig.clips().into_owned();
    for clip in &mut clips {
        let name = if clip.name.is_empty() { alone } else { &clip.name };
        clip.name = names.unique(name.to_owned());
    }
    clips
}

/// Refuses what would make an invalid file.
pub(crate) fn check(path: &Path, rig: &Rig) -> Result<()> {
    let refuse = |message: String| Err(Error::unsupported(path, message));
    if let Err(e) = rig.validate() {
        return refuse(e.to_string());
    }
    if let Err(e) = rig.mesh.validate() {
        return refuse(e.to_string());
    }
    if rig.mesh.vertex_count == 0 {
        return refuse("the rig has no vertices".into());
    }
    if !(rig.fps > 0.0 && rig.fps.is_finite()) {
        return refuse(format!("the frame rate must be a positive number, not {}", rig.fps));
    }
    for part in &rig.mesh.parts {
        let outside = |v: &&u32| !part.vertices.contains(&(**v as usize));
        if let Some(v) = part.faces.clone().flat_map(|f| rig.mesh.face(f)).find(outside) {
            return refuse(format!("part {:?} uses vertex {v}, which belongs to another part", part.name));
        }
    }
    if let Some(vertex) = rig.rest.iter().position(|p| !p.is_finite()) {
        return refuse(format!("vertex {vertex} of the rest pose is not a finite number"));
    }
    let bones = rig.bones.len();
    let finite = |i: usize| {
        let (t, center) = (rig.transforms[i], rig.bones[i % bones].center);
        t.matrix3.as_mat3().is_finite() && t.transform_point3(center).as_vec3().is_finite()
    };
    if let Some(i) = (0..rig.transforms.len()).find(|&i| !finite(i)) {
        let name = &rig.bones[i % bones].name;
        return refuse(format!("bone {name} has no finite transform in frame {}", i / bones));
    }
    let corrections = rig.corrections.as_ref();
    if corrections.is_some_and(|c| {
        !c.basis.iter().chain(&c.normals).all(|d| d.is_finite())
            || !c.coefficients.iter().all(|q| q.is_finite())
    }) {
        return refuse("the corrections hold a number that is not finite".into());
    }
    Ok(())
}
