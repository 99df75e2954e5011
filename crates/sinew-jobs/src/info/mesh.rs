//! Files that have vertices.

use std::path::Path;

use glam::Vec3;
use sinew::animation::AnimationError;
use sinew::geometry::{Bounds, Mesh};
use sinew_io::open::{self, Opened};

use super::report::{MeshReport, Note, PartReport, PieceReport};
use crate::facts::{MeshFacts, Piece, broken_in_words, loose_in_words, pieces};
use crate::warning::told;
use crate::words::count;

pub fn describe(file: &Path, opened: &Opened) -> MeshReport {
    let (animation, facts) = (&opened.animation, &opened.facts);
    let mesh = &animation.mesh;
    let has_mesh = mesh.face_count() > 0;
    let pose = animation.rest.as_deref().unwrap_or_else(|| animation.frames.frame(0));
    let counted = has_mesh.then(|| MeshFacts::new(mesh, pose));
    let format =
        if file.is_file() { open::format(file).map_or("file", |f| f.name) } else { "frame sequence" };
    let bounds = Bounds::of(pose);
    let sides = (bounds.max - bounds.min).to_array();
    MeshReport {
        file: file.display().to_string(),
        format,
        bytes: opened.input_bytes,
        generator: facts.made_by.clone(),
        vertices: animation.frames.vertex_count(),
        faces: has_mesh.then(|| mesh.face_count()),
        triangles: counted.as_ref().map(|f| f.triangles),
        pieces: counted.as_ref().map(|f| f.pieces),
        piece_list: piece_list(mesh, pose),
        parts: mesh
            .parts
            .iter()
            .map(|p| PartReport { name: p.name.clone(), vertices: p.vertices.len(), faces: p.faces.len() })
            .collect(),
        frames: animation.frames.len(),
        fps: animation.fps,
        duration: animation.frames.len().saturating_sub(1) as f64 / animation.fps,
        clips: Vec::new(),
        bones: None,
        influences: None,
        morph_targets: None,
        levels: Vec::new(),
        light: None,
        skeleton: None,
        motion: None,
        weight_changes: None,
        smallest_weight: None,
        uvs: mesh.uvs.is_some(),
        attributes: mesh.attributes.iter().map(Into::into).collect(),
        normals: mesh.normals.is_some(),
        materials: mesh.materials.iter().map(|m| m.name.clone()).collect(),
        images: mesh.images.len(),
        size: sides,
        metres_per_unit: facts.metres_per_unit,
        size_in_metres: facts.metres_per_unit.map(|metres| sides.map(|side| f64::from(side) * metres)),
        up: facts.up.map(|up| up.to_string()),
        left_handed: facts.left_handed,
        times: facts.times,
        notes: facts.notes.iter().cloned().map(Note::File).collect(),
        problems: problems(opened, counted.as_ref()),
        warnings: told(opened.warnings.iter().cloned()),
        broken: broken(opened),
        bounds: animation.rest_bounds(),
        facts: facts.clone(),
    }
}

/// The pieces of a mesh that has several.
fn piece_list(mesh: &Mesh, pose: &[Vec3]) -> Vec<PieceReport> {
    // Parts follow each other.
    let part_of = |vertex: usize| {
        let after = mesh.parts.partition_point(|part| part.vertices.end <= vertex);
        mesh.parts.get(after).filter(|part| part.vertices.contains(&vertex))
    };
    let report = |piece: &Piece| {
        let sum: Vec3 = piece.vertices.iter().map(|&v| pose[v as usize]).sum();
        let first = piece.vertices[0] as usize;
        PieceReport {
            vertices: piece.vertices.len(),
            faces: piece.faces,
            part: part_of(first).map(|part| part.name.clone()),
            middle: (sum / piece.vertices.len() as f32).to_array(),
        }
    };
    let all = pieces(mesh);
    if all.len() > 1 { all.iter().map(report).collect() } else { Vec::new() }
}

/// What would stand in the way of skinning, or surprise.
fn problems(opened: &Opened, facts: Option<&MeshFacts>) -> Vec<String> {
    let animation = &opened.animation;
    let mut found = Vec::new();
    match animation.validate() {
        // A cache alone has no faces to miss.
        Ok(()) => found.extend(animation.warnings().iter().map(ToString::to_string)),
        Err(AnimationError::NoTriangles) => {}
        Err(e) => found.push(e.to_string()),
    }
    let broken = broken(opened);
    if broken > 1 {
        found.push(broken_in_words(broken));
    }
    let Some(facts) = facts else { return found };
    if facts.degenerate > 0 {
        let have = if facts.degenerate == 1 { "has" } else { "have" };
        let all = count(facts.triangles, "triangle", "triangles");
        found.push(format!("{} of {all} {have} no area", facts.degenerate));
    }
    if facts.loose > 0 {
        found.push(loose_in_words(facts.loose));
    }
    found
}

/// How many coordinates of frames and rest pose are not finite numbers.
fn broken(opened: &Opened) -> usize {
    let animation = &opened.animation;
    let rest = animation.rest.iter().flatten().flat_map(|p| p.to_array());
    animation.frames.flat().iter().copied().chain(rest).filter(|x| !x.is_finite()).count()
}
