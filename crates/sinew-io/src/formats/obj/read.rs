//! OBJ in.

use std::collections::HashMap;
use std::path::Path;

use glam::{Vec2, Vec3};
use sinew::geometry::Mesh;

use super::layers::{MISSING, complete_normals, complete_uvs, name_faces_without_material, vertex_colors};
use super::parts::{Section, parts_of};
use super::{mtl, quick};
use crate::source::Source;
use crate::text::{Lines, Words, integer, name, number, quoted};
use crate::warning::count;
use crate::{Error, Result, StaticMesh};

/// Reads an OBJ file, the material libraries it names and their textures.
///
/// A library or texture that is not there is a warning, not an error.
pub fn read(source: impl Into<Source>) -> Result<StaticMesh> {
    let source = source.into();
    parse_of(&source.read()?, &source)
}

/// Reads the bytes of a file, and what they name as far as it may be opened.
pub(super) fn parse_of(bytes: &[u8], source: &Source) -> Result<StaticMesh> {
    parse(bytes, source.path(), &|path: &Path| source.linked_bytes(path))
}

/// Reads an OBJ file from memory. `path` is for messages and is what relative names start from; `load`
/// fetches material libraries and textures.
pub fn parse(
    bytes: &[u8],
    path: &Path,
    load: &dyn Fn(&Path) -> std::io::Result<Vec<u8>>,
) -> Result<StaticMesh> {
    let mut parser = Parser::new(path, true);
    parser.run(bytes)?;
    let materials = if parser.face_materials.0.is_empty() {
        mtl::Resolved::default()
    } else {
        mtl::resolve(&parser.material_names, &parser.libraries, path, load)
    };
    let mut result = parser.finish()?;
    result.mesh.materials = materials.materials;
    result.mesh.images = materials.images;
    result.warnings.extend(materials.warnings);
    name_faces_without_material(&mut result.mesh);
    result.checked(path)
}

/// Reads only positions and faces: what the later frames of a sequence are compared by.
pub(super) fn parse_faces(bytes: &[u8], path: &Path) -> Result<StaticMesh> {
    let mut parser = Parser::new(path, false);
    parser.run(bytes)?;
    parser.finish()?.checked(path)
}

/// An index list that stays empty until it has something to say.
#[derive(Default)]
struct LazyList(Vec<u32>);

impl LazyList {
    /// Sets the value of entry `at`, which is the last so far.
    fn set(&mut self, at: usize, value: Option<u32>) {
        if let Some(value) = value {
            self.0.resize(at, MISSING);
            self.0.push(value);
        }
    }

    /// The list at its full length, or nothing when no entry was ever set.
    fn complete(mut self, length: usize) -> Option<Vec<u32>> {
        if self.0.is_empty() {
            return None;
        }
        self.0.resize(length, MISSING);
        Some(self.0)
    }
}

/// What a face corner refers to. The largest index is remembered with its line, since files may refer to
/// what comes later and only the end of the file tells whether it came.
struct Reference {
    what: &'static str,
    largest: usize,
    line: usize,
}

impl Reference {
    fn new(what: &'static str) -> Self {
        Self { what, largest: 0, line: 0 }
    }

    /// The index, from 0, that `word` stands for when `count` values came before.
    fn resolve(&mut self, word: &[u8], count: usize, line: usize) -> std::result::Result<u32, String> {
        let index = integer(word)?;
        let what = self.what;
        if index == 0 {
            return Err(format!("the face refers to {what} 0, but OBJ counts from 1"));
        }
        let from_one = if index > 0 { index } else { count as i64 + 1 + index };
        if from_one < 1 {
            return Err(format!("the face refers to {what} {index}, but only {count} came before it"));
        }
        if from_one >= i64::from(MISSING) {
            return Err(format!("the face refers to {what} {index}, which is more than Sinew can hold"));
        }
        self.remember(from_one as usize, line);
        Ok(from_one as u32 - 1)
    }

    /// Remembers the largest index, from 1.
    fn remember(&mut self, index: usize, line: usize) {
        if index > self.largest {
            (self.largest, self.line) = (index, line);
        }
    }

    fn check(&self, count: usize, path: &Path) -> Result<()> {
        if self.largest <= count {
            return Ok(());
        }
        let message =
            format!("the face refers to {} {}, but there are only {count}", self.what, self.largest);
        Err(Error::at_line(path, self.line, message))
    }
}

struct Parser<'a> {
    path: &'a Path,
    /// Whether more than positions and faces is wanted.
    layers: bool,
    positions: Vec<Vec3>,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    /// Vertices with a colour behind their place.
    colors: Vec<(usize, [f32; 3])>,
    mesh: Mesh,
    uv_indices: LazyList,
    normal_indices: LazyList,
    face_materials: LazyList,
    vertex_reference: Reference,
    uv_reference: Reference,
    normal_reference: Reference,
    objects: Vec<Section>,
    groups: Vec<Section>,
    libraries: Vec<String>,
    material_names: Vec<String>,
    material_numbers: HashMap<String, u32>,
    material: Option<u32>,
}

impl<'a> Parser<'a> {
    fn new(path: &'a Path, layers: bool) -> Self {
        Self {
            path,
            layers,
            positions: Vec::new(),
            uvs: Vec::new(),
            normals: Vec::new(),
            colors: Vec::new(),
            mesh: Mesh { face_starts: vec![0], ..Mesh::default() },
            uv_indices: LazyList::default(),
            normal_indices: LazyList::default(),
            face_materials: LazyList::default(),
            vertex_reference: Reference::new("vertex"),
            uv_reference: Reference::new("texture coordinate"),
            normal_reference: Reference::new("normal"),
            objects: Vec::new(),
            groups: Vec::new(),
            libraries: Vec::new(),
            material_names: Vec::new(),
            material_numbers: HashMap::new(),
            material: None,
        }
    }

    fn run(&mut self, bytes: &[u8]) -> Result<()> {
        let mut lines = Lines::new(bytes, 1);
        let mut joined = Vec::new();
        loop {
            // Nearly all lines are plain vertices and faces.
            while let Some(length) = self.quick(lines.ahead(), lines.line() + 1) {
                lines.pass(length);
            }
            let Some((line, mut text)) = lines.next() else { return Ok(()) };
            // A comment may end in a Windows path; only statements are continued.
            if text.ends_with(b"\\") && !text.trim_ascii_start().starts_with(b"#") {
                join_continued(text, &mut lines, &mut joined);
                text = &joined;
            }
            self.statement(text, line).map_err(|message| Error::at_line(self.path, line, message))?;
        }
    }

    /// Reads a line that is a plain vertex or face. Returns its length with its end; anything else is left alone.
    fn quick(&mut self, ahead: &[u8], line: usize) -> Option<usize> {
        match ahead.first()? {
            b'v' => {
                let (vertex, length) = quick::vertex(ahead)?;
                self.positions.push(vertex);
                Some(length)
            }
            b'f' if !self.layers => {
                let before = self.mesh.corners.len();
                let read = quick::face(ahead, self.positions.len(), &mut self.mesh.corners);
                let corners = self.mesh.corners.len() - before;
                let end = u32::try_from(self.mesh.corners.len()).ok();
                let (Some((length, largest)), Some(end), 3..) = (read, end, corners) else {
                    self.mesh.corners.truncate(before);
                    return None;
                };
                self.vertex_reference.remember(largest, line);
                self.mesh.face_starts.push(end);
                Some(length)
            }
            _ => None,
        }
    }

    fn statement(&mut self, text: &[u8], line: usize) -> std::result::Result<(), String> {
        let mut words = Words::new(text);
        match words.next() {
            Some(b"v") => {
                if self.layers {
                    self.colors.extend(color(words.clone()).map(|color| (self.positions.len(), color)));
                }
                self.positions.push(Vec3::from_array(numbers(words, "a vertex")?));
            }
            Some(b"f") => self.face(words, line)?,
            _ if !self.layers => {}
            Some(b"vt") => self.uvs.push(uv(words)?),
            Some(b"vn") => self.normals.push(Vec3::from_array(numbers(words, "a normal")?)),
            Some(b"o") => self.objects.push(self.section(words.rest())),
            Some(b"g") => self.groups.push(self.section(words.rest())),
            Some(b"usemtl") => self.material = self.material_number(words.rest()),
            Some(b"mtllib") => {
                let library = name(words.rest());
                if !self.libraries.contains(&library) {
                    self.libraries.push(library);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn section(&self, text: &[u8]) -> Section {
        Section {
            name: name(text),
            first_face: self.mesh.face_starts.len() - 1,
            first_vertex: self.positions.len(),
        }
    }

    fn material_number(&mut self, text: &[u8]) -> Option<u32> {
        if text.is_empty() {
            return None;
        }
        let name = name(text);
        let next = self.material_names.len() as u32;
        Some(*self.material_numbers.entry(name).or_insert_with_key(|name| {
            self.material_names.push(name.clone());
            next
        }))
    }

    fn face(&mut self, words: Words, line: usize) -> std::result::Result<(), String> {
        let first = self.mesh.corners.len();
        for word in words.take_while(|word| !word.starts_with(b"#")) {
            self.corner(word, line).map_err(|message| format!("{message} (in {})", quoted(word)))?;
        }
        let corners = self.mesh.corners.len() - first;
        if corners < 3 {
            let corners = count(corners, "corner", "corners");
            return Err(format!("the face has {corners}; a face needs at least 3"));
        }
        let end = u32::try_from(self.mesh.corners.len())
            .map_err(|_| "the file has more face corners than Sinew can hold")?;
        self.face_materials.set(self.mesh.face_starts.len() - 1, self.material);
        self.mesh.face_starts.push(end);
        Ok(())
    }

    /// Reads `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&mut self, word: &[u8], line: usize) -> std::result::Result<(), String> {
        let mut fields = word.split(|&b| b == b'/');
        let vertex = fields.next().unwrap_or_default();
        let corner = self.mesh.corners.len();
        self.mesh.corners.push(self.vertex_reference.resolve(vertex, self.positions.len(), line)?);
        if !self.layers {
            return Ok(());
        }
        if let Some(field) = fields.next().filter(|field| !field.is_empty()) {
            let uv = self.uv_reference.resolve(field, self.uvs.len(), line)?;
            self.uv_indices.set(corner, Some(uv));
        }
        if let Some(field) = fields.next().filter(|field| !field.is_empty()) {
            let normal = self.normal_reference.resolve(field, self.normals.len(), line)?;
            self.normal_indices.set(corner, Some(normal));
        }
        if fields.next().is_some() {
            return Err("a face corner has at most three indices".into());
        }
        Ok(())
    }

    /// Puts together what was read.
    fn finish(self) -> Result<StaticMesh> {
        self.vertex_reference.check(self.positions.len(), self.path)?;
        self.uv_reference.check(self.uvs.len(), self.path)?;
        self.normal_reference.check(self.normals.len(), self.path)?;
        let (mut mesh, positions) = (self.mesh, self.positions);
        mesh.vertex_count = positions.len();
        let corners = mesh.corners.len();
        mesh.uvs = self.uv_indices.complete(corners).map(|indices| complete_uvs(self.uvs, indices));
        mesh.normals = self
            .normal_indices
            .complete(corners)
            .map(|indices| complete_normals(self.normals, indices, &mesh, &positions));
        mesh.attributes.extend(vertex_colors(&self.colors, mesh.vertex_count));
        mesh.face_materials = self.face_materials.complete(mesh.face_count()).unwrap_or_default();
        // Groups often cut one object into regions; objects are the better parts where there are both.
        let sections = if self.objects.is_empty() { self.groups } else { self.objects };
        mesh.parts = parts_of(sections, &mesh);
        Ok(StaticMesh { mesh, positions, ..StaticMesh::default() })
    }
}

/// Joins a line that ends in a backslash with those that follow it.
fn join_continued(first: &[u8], lines: &mut Lines, joined: &mut Vec<u8>) {
    joined.clear();
    let mut next = Some(first);
    while let Some(text) = next {
        let Some(body) = text.strip_suffix(b"\\") else {
            joined.extend_from_slice(text);
            return;
        };
        joined.extend_from_slice(body);
        joined.push(b' ');
        next = lines.next().map(|(_, text)| text);
    }
}

/// Reads three numbers. More may follow: a weight or a colour.
fn numbers(mut words: Words, what: &str) -> std::result::Result<[f32; 3], String> {
    let mut values = [0.0; 3];
    for (i, value) in values.iter_mut().enumerate() {
        let word = words.next().filter(|word| !word.starts_with(b"#"));
        let word = word.ok_or_else(|| format!("{what} needs 3 coordinates, but only {i} are given"))?;
        *value = number(word)?;
    }
    Ok(values)
}

/// Reads the colour behind a place: three numbers more.
fn color(words: Words) -> Option<[f32; 3]> {
    let mut values = [0.0; 6];
    let mut words = words.take_while(|word| !word.starts_with(b"#"));
    for value in &mut values {
        *value = number(words.next()?).ok()?;
    }
    let [.., r, g, b] = values;
    words.next().is_none().then_some([r, g, b])
}

/// Reads one or two numbers and turns them to an origin at the upper left.
fn uv(mut words: Words) -> std::result::Result<Vec2, String> {
    let u = words.next().ok_or("a texture coordinate needs a number, but none is given")?;
    let v = words.next().filter(|word| !word.starts_with(b"#"));
    Ok(Vec2::new(number(u)?, 1.0 - v.map_or(Ok(0.0), number)?))
}
