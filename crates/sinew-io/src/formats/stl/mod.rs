//! STL, triangles without shared vertices, as scanners and solvers write them.
//!
//! Binary: a header of 80 bytes, the number of triangles (u32, little-endian), then a normal, three places (f32)
//! and two unused bytes for each. Text: `facet normal`, `outer loop`, three times `vertex x y z`, `endloop`,
//! `endfacet`. Corners at the very same place become one vertex, in the order they come. In a sequence those of
//! the first frame count: corners that it joins have to stay together in all others.

mod entry;

pub use entry::STL;

use std::collections::HashMap;
use std::path::Path;

use glam::Vec3;
use sinew::geometry::Mesh;

use crate::text::{Tokens, number};
use crate::{Error, Result, StaticMesh};

const HEADER: usize = 84;
const TRIANGLE: usize = 50;

/// Reads a mesh.
pub fn read(path: &Path) -> Result<StaticMesh> {
    parse(&std::fs::read(path).map_err(Error::io(path))?, path)
}

/// Reads a mesh from memory. `path` is for messages.
pub fn parse(bytes: &[u8], path: &Path) -> Result<StaticMesh> {
    let corners = corners(bytes, path)?;
    let mut numbers: HashMap<[u32; 3], u32> = HashMap::with_capacity(corners.len() / 4);
    let (mut positions, mut indices) = (Vec::new(), Vec::with_capacity(corners.len()));
    for corner in corners {
        // Zero is one place, whatever its sign.
        let key = corner.to_array().map(|x| (x + 0.0).to_bits());
        let next = positions.len() as u32;
        let vertex = *numbers.entry(key).or_insert(next);
        if vertex == next {
            positions.push(corner);
        }
        indices.push(vertex);
    }
    let face_starts = (0..=indices.len() as u32).step_by(3).collect();
    let mesh = Mesh { vertex_count: positions.len(), face_starts, corners: indices, ..Mesh::default() };
    StaticMesh { mesh, positions, ..StaticMesh::default() }.checked(path)
}

/// Reads the pose of a frame into `out`, with the vertices of `first`.
pub(crate) fn frame_into(path: &Path, frame: usize, first: &Mesh, out: &mut [Vec3]) -> Result<()> {
    let corners = corners(&std::fs::read(path).map_err(Error::io(path))?, path)?;
    if corners.len() != first.corners.len() {
        let (found, expected) = (corners.len() / 3, first.face_count());
        return Err(Error::FrameMismatch { path: path.into(), frame, what: "faces", found, expected });
    }
    let mut seen = vec![false; out.len()];
    for (corner, (&vertex, place)) in first.corners.iter().zip(corners).enumerate() {
        let vertex = vertex as usize;
        if !std::mem::replace(&mut seen[vertex], true) {
            out[vertex] = place;
        } else if out[vertex] != place {
            let message = format!(
                "vertex {vertex} of frame {frame} comes apart at triangle {}: the triangles do not hang together \
                 as in the first frame",
                corner / 3
            );
            return Err(Error::malformed(path, message));
        }
    }
    Ok(())
}

/// Whether a file of `length` bytes that starts so is binary: its length is what it says.
pub(crate) fn is_binary(start: &[u8], length: u64) -> bool {
    triangles(start).is_some_and(|count| count > 0 && count * TRIANGLE as u64 + HEADER as u64 == length)
}

/// Whether a file starts like text.
pub(crate) fn is_text(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let has = |word: &[u8]| start.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word));
    start.get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"))
        && (has(b"facet") || has(b"endsolid"))
}

fn triangles(start: &[u8]) -> Option<u64> {
    Some(u64::from(u32::from_le_bytes(*start.get(80..)?.first_chunk()?)))
}

/// Three places for each triangle.
fn corners(bytes: &[u8], path: &Path) -> Result<Vec<Vec3>> {
    let corners = if !is_binary(bytes, bytes.len() as u64) && is_text(bytes) {
        text_corners(bytes, path)?
    } else {
        binary_corners(bytes, path)?
    };
    if corners.is_empty() {
        return Err(Error::malformed(path, "the file has no triangles"));
    }
    if corners.len() > u32::MAX as usize {
        return Err(Error::unsupported(path, "the file has more triangles than Sinew can hold"));
    }
    Ok(corners)
}

fn binary_corners(bytes: &[u8], path: &Path) -> Result<Vec<Vec3>> {
    let available = bytes.len() as u64;
    let cut = |what: String, needed: u64| Error::Truncated { path: path.into(), what, needed, available };
    let Some(count) = triangles(bytes) else { return Err(cut("headers".into(), HEADER as u64)) };
    let needed = HEADER as u64 + count * TRIANGLE as u64;
    if needed > available {
        return Err(cut(format!("{count} triangles"), needed));
    }
    let mut corners = Vec::with_capacity(3 * count as usize);
    for triangle in bytes[HEADER..needed as usize].chunks_exact(TRIANGLE) {
        let number = |at: usize| f32::from_le_bytes([0, 1, 2, 3].map(|i| triangle[at + i]));
        let place = |at: usize| Vec3::new(number(at), number(at + 4), number(at + 8));
        corners.extend([place(12), place(24), place(36)]);
    }
    match corners.iter().position(|corner| !corner.is_finite()) {
        None => Ok(corners),
        Some(at) => Err(Error::malformed(path, format!("triangle {} is not at finite numbers", at / 3))),
    }
}

fn text_corners(bytes: &[u8], path: &Path) -> Result<Vec<Vec3>> {
    let mut tokens = Tokens::new(bytes);
    let mut corners = Vec::new();
    let mut ended = false;
    while let Some(word) = tokens.next() {
        let here = |message: String, line: usize| Error::at_line(path, line, message);
        // Names of solids may be anything.
        if word.eq_ignore_ascii_case(b"solid") {
            tokens.rest_of_line();
        } else if word.eq_ignore_ascii_case(b"endsolid") {
            ended = true;
            tokens.rest_of_line();
        } else if word.eq_ignore_ascii_case(b"vertex") {
            let mut place = [0.0; 3];
            for value in &mut place {
                let word = tokens.next();
                let line = tokens.line();
                let word = word.ok_or_else(|| here("the vertex needs 3 coordinates".into(), line))?;
                *value = number(word).map_err(|message| here(message, line))?;
            }
            corners.push(Vec3::from_array(place));
        } else if word.eq_ignore_ascii_case(b"endloop") && corners.len() % 3 != 0 {
            return Err(here("the loop is not of 3 vertices".into(), tokens.line()));
        }
    }
    if !ended || corners.len() % 3 != 0 {
        return Err(Error::malformed(path, "the file is cut short: it does not end in endsolid"));
    }
    Ok(corners)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary(triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
        let mut bytes = vec![b's'; 80];
        bytes.extend((triangles.len() as u32).to_le_bytes());
        for triangle in triangles {
            bytes.extend([0; 12]);
            bytes.extend(triangle.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
        bytes
    }

    fn square(z: f32) -> [[[f32; 3]; 3]; 2] {
        let [a, b, c, d] = [[0.0, 0.0, z], [1.0, 0.0, z], [1.0, 1.0, z], [-0.0, 1.0, z]];
        [[a, b, c], [a, c, d]]
    }

    fn text(triangles: &[[[f32; 3]; 3]]) -> String {
        let mut text = "solid a facet\n".to_string();
        for triangle in triangles {
            text += "facet normal 0 0 1\n outer loop\n";
            triangle.iter().for_each(|[x, y, z]| text += &format!("  vertex {x} {y} {z}\n"));
            text += " endloop\nendfacet\n";
        }
        text + "endsolid a facet\n"
    }

    #[test]
    fn corners_at_one_place_are_one_vertex() {
        let of_bytes = parse(&binary(&square(2.0)), Path::new("a.stl")).unwrap();
        let of_text = parse(text(&square(2.0)).as_bytes(), Path::new("a.stl")).unwrap();
        assert_eq!(of_bytes, of_text);
        assert_eq!((of_bytes.mesh.vertex_count, of_bytes.mesh.face_count()), (4, 2));
        assert_eq!(of_bytes.mesh.corners, [0, 1, 2, 0, 2, 3]);
        assert_eq!(of_bytes.positions[2], Vec3::new(1.0, 1.0, 2.0));
    }

    #[test]
    fn frames_keep_the_vertices_of_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.stl");
        let first = parse(&binary(&square(0.0)), &path).unwrap().mesh;
        let mut out = vec![Vec3::ZERO; 4];
        std::fs::write(&path, text(&square(3.0))).unwrap();
        frame_into(&path, 1, &first, &mut out).unwrap();
        assert_eq!(out[3], Vec3::new(0.0, 1.0, 3.0));
        // Places that meet later stay two vertices.
        let mut flat = square(3.0);
        flat[0][1] = flat[0][0];
        std::fs::write(&path, binary(&flat)).unwrap();
        frame_into(&path, 1, &first, &mut out).unwrap();
        assert_eq!(out[1], out[0]);
        let mut torn = square(3.0);
        torn[1][0][0] += 0.5;
        std::fs::write(&path, binary(&torn)).unwrap();
        let error = frame_into(&path, 7, &first, &mut out).unwrap_err().to_string();
        assert!(error.contains("vertex 0 of frame 7 comes apart at triangle 1"), "{error}");
        std::fs::write(&path, binary(&square(3.0)[..1])).unwrap();
        let error = frame_into(&path, 7, &first, &mut out).unwrap_err().to_string();
        assert!(error.ends_with("frame 7 has 1 faces, but the first frame has 2"), "{error}");
    }

    #[test]
    fn broken_files_get_a_sentence() {
        let whole = binary(&square(0.0));
        let text = text(&square(0.0));
        let error = |bytes: &[u8]| parse(bytes, Path::new("a.stl")).unwrap_err().to_string();
        for part in 0..64 {
            let cut = whole.len() * part / 64;
            assert!(error(&whole[..cut]).contains("cut short"), "{part}");
            assert!(!error(&text.as_bytes()[..text.len() * part / 64 * 9 / 10]).is_empty(), "{part}");
        }
        let mut absurd = whole.clone();
        absurd[80..84].copy_from_slice(&[0xFF; 4]);
        assert!(error(&absurd).contains("4294967295 triangles need 214748364834 bytes"));
        let mut nan = whole.clone();
        nan[96..100].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(error(&nan), "a.stl: triangle 0 is not at finite numbers");
        assert!(error(b"solid\nfacet\nvertex 0 0 x\nendsolid").contains("line 3: “x” is not a number"));
        assert_eq!(error(b"solid a\nendsolid a\n"), "a.stl: the file has no triangles");
        assert!(error(b"solid\nfacet\nouter loop\nvertex 0 0 0\nendloop").contains("not of 3 vertices"));
        for bit in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Ok(mesh) = parse(&flipped, Path::new("a.stl")) {
                assert_eq!(mesh.mesh.validate(), Ok(()));
            }
        }
    }
}
