//! What can be said about a mesh at a glance: pieces, loose vertices, triangles without an area, size.

use glam::Vec3;
use sinew::geometry::{Bounds, Mesh};
use sinew::segment::TriangleRotations;
use sinew_io::formats::length;

use crate::words::{count, number};

/// Facts about a mesh in one pose.
pub struct MeshFacts {
    /// How many triangles.
    pub triangles: usize,
    /// Triangles without an area.
    pub degenerate: usize,
    /// Vertices that no face uses.
    pub loose: usize,
    /// Sets of faces that hang together by vertices.
    pub pieces: usize,
}

impl MeshFacts {
    /// Counts.
    pub fn new(mesh: &Mesh, pose: &[Vec3]) -> Self {
        let triangles = mesh.triangles(pose);
        let rotations = TriangleRotations::new(&triangles, pose);
        let degenerate = (0..triangles.len()).filter(|&t| !rotations.is_sound(t)).count();
        Self {
            triangles: triangles.len(),
            degenerate,
            loose: loose_vertices(mesh),
            pieces: pieces(mesh).len(),
        }
    }
}

/// How many vertices no face uses.
pub fn loose_vertices(mesh: &Mesh) -> usize {
    let mut used = vec![false; mesh.vertex_count];
    mesh.corners.iter().for_each(|&v| used[v as usize] = true);
    used.iter().filter(|used| !**used).count()
}

/// How many vertices no face uses, in words.
pub fn loose_in_words(loose: usize) -> String {
    let belong = if loose == 1 { "belongs" } else { "belong" };
    format!("{} {belong} to no face", count(loose, "vertex", "vertices"))
}

/// How many coordinates are no numbers, in words.
pub fn broken_in_words(broken: usize) -> String {
    match broken {
        1 => "1 coordinate is not a finite number".into(),
        n => format!("{n} coordinates are not finite numbers"),
    }
}

/// A piece of a mesh: faces that hang together by vertices.
pub struct Piece {
    /// Its vertices.
    pub vertices: Vec<u32>,
    /// How many faces.
    pub faces: usize,
}

/// All pieces, in the order of their first vertices.
pub fn pieces(mesh: &Mesh) -> Vec<Piece> {
    let mut parent: Vec<u32> = (0..mesh.vertex_count as u32).collect();
    for face in 0..mesh.face_count() {
        let vertices = mesh.face(face);
        for pair in vertices.windows(2) {
            let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut faces = vec![0; mesh.vertex_count];
    for face in 0..mesh.face_count() {
        faces[root(&mut parent, mesh.face(face)[0]) as usize] += 1;
    }
    // The vertex that stands for a set is its first.
    let mut pieces: Vec<Piece> = Vec::new();
    let mut number = vec![usize::MAX; mesh.vertex_count];
    for v in 0..mesh.vertex_count as u32 {
        let first = root(&mut parent, v) as usize;
        if faces[first] == 0 {
            continue;
        }
        if number[first] == usize::MAX {
            number[first] = pieces.len();
            pieces.push(Piece { vertices: Vec::new(), faces: faces[first] });
        }
        pieces[number[first]].vertices.push(v);
    }
    pieces
}

/// The vertex that stands for a set; the way there is halved for the next time.
fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

/// A box in words, with the length of a unit where it is known, or else a guess at it that says what it rests
/// on.
pub fn size_in_words(bounds: &Bounds, metres_per_unit: Option<f64>) -> String {
    let [x, y, z] = (bounds.max - bounds.min).to_array().map(|side| number(f64::from(side)));
    let longest = bounds.longest_side();
    if let Some(metres) = metres_per_unit {
        let (units, all) = (number(longest), number(longest * metres));
        return format!("{x} x {y} x {z}, {units} units long, each {}: {all} m", length(metres));
    }
    let unit = match longest {
        0.3..=12.0 => Some("metres"),
        30.0..=1200.0 => Some("centimetres"),
        1200.0..=12000.0 => Some("millimetres"),
        _ => None,
    };
    let guess = unit.map(|unit| format!(" ({unit}, if this is a person or an animal)"));
    format!("{x} x {y} x {z}, {} units long{}", number(longest), guess.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_and_loose_vertices_are_counted() {
        let mesh = Mesh::from_triangles(9, &[[0, 1, 2], [2, 1, 3], [4, 5, 6], [4, 4, 5]]);
        let pose: Vec<Vec3> = (0..9).map(|i| Vec3::new(i as f32, (i * i) as f32, 0.0)).collect();
        let facts = MeshFacts::new(&mesh, &pose);
        assert_eq!((facts.triangles, facts.pieces, facts.loose, facts.degenerate), (4, 2, 2, 1));
    }

    #[test]
    fn sizes_are_guessed_with_care() {
        let cube = |side: f32| Bounds { min: Vec3::ZERO, max: Vec3::splat(side) };
        assert_eq!(
            size_in_words(&cube(2.0), None),
            "2 x 2 x 2, 2 units long (metres, if this is a person or an animal)"
        );
        assert_eq!(size_in_words(&cube(0.01), None), "0.01 x 0.01 x 0.01, 0.01 units long");
        let inches = size_in_words(&cube(2.0), Some(0.0254));
        assert_eq!(inches, "2 x 2 x 2, 2 units long, each an inch: 0.0508 m");
    }
}
