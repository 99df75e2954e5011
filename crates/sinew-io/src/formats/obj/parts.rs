//! Which objects of an OBJ file can be parts of a mesh.

use std::collections::HashSet;
use std::ops::Range;

use sinew::geometry::{Mesh, Part};

/// Where an `o` or `g` statement stands.
pub(super) struct Section {
    /// The name it gives.
    pub name: String,
    /// Number of faces before it.
    pub first_face: usize,
    /// Number of vertices before it.
    pub first_vertex: usize,
}

/// Turns sections into parts, or into none when a mesh cannot hold them: each name has to stand for one
/// stretch of faces, and the vertices of the parts have to follow each other without sharing.
pub(super) fn parts_of(sections: Vec<Section>, mesh: &Mesh) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut names = HashSet::new();
    for (section, faces) in stretches(sections, mesh.face_count()) {
        let used = used_vertices(mesh, faces.clone());
        let free = parts.last().map_or(0, |last| last.vertices.end);
        if used.start < free || !names.insert(section.name.clone()) {
            return Vec::new();
        }
        let mut start = 0;
        if let Some(last) = parts.last_mut() {
            // Vertices that no face uses belong where they were declared, otherwise to the part before.
            let declared = section.first_vertex;
            start = if (free..=used.start).contains(&declared) { declared } else { used.start };
            last.vertices.end = start;
        }
        parts.push(Part { name: section.name, faces, vertices: start..used.end });
    }
    if let Some(last) = parts.last_mut() {
        last.vertices.end = mesh.vertex_count;
    }
    parts
}

/// Sections with their faces. Those without faces are left out, and neighbours of one name are joined:
/// exporters repeat the name at every change of material.
fn stretches(mut sections: Vec<Section>, face_count: usize) -> Vec<(Section, Range<usize>)> {
    if sections.first().is_some_and(|first| first.first_face > 0) {
        // The format's own name for what stands before any other.
        sections.insert(0, Section { name: "default".into(), first_face: 0, first_vertex: 0 });
    }
    let ends: Vec<usize> = sections.iter().skip(1).map(|s| s.first_face).chain([face_count]).collect();
    let mut stretches: Vec<(Section, Range<usize>)> = Vec::new();
    for (section, end) in sections.into_iter().zip(ends) {
        let faces = section.first_face..end;
        match stretches.last_mut() {
            _ if faces.is_empty() => {}
            Some((last, range)) if last.name == section.name => range.end = end,
            _ => stretches.push((section, faces)),
        }
    }
    stretches
}

/// From the smallest to the largest vertex that the faces use.
fn used_vertices(mesh: &Mesh, faces: Range<usize>) -> Range<usize> {
    let corners = &mesh.corners[mesh.face_starts[faces.start] as usize..mesh.face_starts[faces.end] as usize];
    let (min, max) = corners.iter().fold((u32::MAX, 0), |(min, max), &v| (min.min(v), max.max(v)));
    min as usize..max as usize + 1
}
