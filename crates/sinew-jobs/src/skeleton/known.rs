//! What somebody knows of a skeleton, from a job and its files.

use glam::DVec3;
use sinew::geometry::{Mesh, corner_normals};
use sinew::skeleton::{Known, KnownJoint, RootChoice, SetAside, names_like};
use sinew::skin::RestPose;
use sinew_io::joints_file::{self, Others};
use sinew_io::open::Opened;

use super::SkeletonJob;
use crate::error::{JobError, Outcome};
use crate::facts::pieces;
use crate::refusals::SkeletonRefusal;

/// Checks what no file has to be read for.
pub(super) fn check(job: &SkeletonJob) -> Result<(), SkeletonRefusal> {
    match &job.root {
        Some(root) if root.trim().is_empty() => Err(SkeletonRefusal::NoRoot),
        _ => Ok(()),
    }
}

/// Takes another pose for that of rest.
pub(super) fn rest(job: &SkeletonJob, opened: &mut Opened) -> Outcome<()> {
    // What has no frames is refused by those who look for a skeleton.
    if job.rest_pose.0 == RestPose::Auto || opened.animation.frames.is_empty() {
        return Ok(());
    }
    let refuse = |error| JobError::Skin { source_name: opened.source.clone(), error };
    let pose = job.rest_pose.0.positions(&opened.animation).map_err(refuse)?.to_vec();
    let animation = &mut opened.animation;
    let is_other = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0)) != pose;
    if is_other && animation.mesh.normals.is_some() {
        // Shading normals were modelled for the pose that came with the mesh and fit no other.
        animation.mesh.normals = Some(corner_normals(&animation.mesh, &pose));
    }
    animation.rest = Some(pose);
    Ok(())
}

/// Reads what is known.
pub(super) fn read(job: &SkeletonJob, opened: &Opened) -> Outcome<Known> {
    let mut known = Known { root: job.root.as_deref().map(root), ..Known::default() };
    if let Some(path) = &job.joints_at {
        let file = joints_file::read(path)?;
        known.no_others = file.others == Some(Others::None);
        let kept =
            file.keep.into_iter().map(|name| KnownJoint { found: Some(name), ..KnownJoint::default() });
        let listed = file.joints.into_iter().map(|joint| KnownJoint {
            place: joint.at.map(DVec3::from_array),
            found: joint.found,
            name: joint.name,
            parent: joint.parent,
        });
        known.joints = kept.chain(listed).collect();
    }
    for (parts, is_rigid) in [(&job.ignore, false), (&job.rigid, true)] {
        for part in parts {
            known.aside.push(SetAside { vertices: vertices(opened, part)?, is_rigid });
        }
    }
    Ok(known)
}

/// A place where it is three numbers, a joint otherwise.
fn root(text: &str) -> RootChoice {
    let numbers: Vec<Option<f64>> = text.split(',').map(|word| word.trim().parse().ok()).collect();
    match numbers[..] {
        [Some(x), Some(y), Some(z)] => RootChoice::Around(DVec3::new(x, y, z)),
        _ => RootChoice::Joint(text.trim().to_owned()),
    }
}

/// The vertices of a part, of all that has a material, or of a piece by its number.
fn vertices(opened: &Opened, name: &str) -> Outcome<Vec<u32>> {
    let mesh = &opened.animation.mesh;
    let parts = mesh.parts.iter().filter(|part| part.name == name);
    let of_parts: Vec<u32> =
        parts.flat_map(|part| part.vertices.start as u32..part.vertices.end as u32).collect();
    if !of_parts.is_empty() {
        return Ok(of_parts);
    }
    let of_material = with_material(mesh, name);
    if !of_material.is_empty() {
        return Ok(of_material);
    }
    let pieces = pieces(mesh);
    if let Some(piece) = name.parse().ok().and_then(|number: usize| pieces.get(number)) {
        return Ok(piece.vertices.clone());
    }
    let names = mesh.parts.iter().map(|part| &part.name).chain(mesh.materials.iter().map(|m| &m.name));
    let near = names_like(name, names.map(String::as_str).filter(|name| !name.is_empty()));
    let (source_name, part) = (opened.source.clone(), name.to_owned());
    Err(SkeletonRefusal::NoPart { source_name, part, near, pieces: pieces.len() }.into())
}

fn with_material(mesh: &Mesh, name: &str) -> Vec<u32> {
    let is_it = |face: usize| {
        let material = mesh.face_materials.get(face).and_then(|&m| mesh.materials.get(m as usize));
        material.is_some_and(|material| material.name == name)
    };
    let faces = (0..mesh.face_count()).filter(|&face| is_it(face));
    let mut vertices: Vec<u32> = faces.flat_map(|face| mesh.face(face).iter().copied()).collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}
