//! Further layers on a mesh: UV sets after the first, colours, and whatever else a file holds.
//!
//! The library computes nothing with them. It carries them along, so that what is read can be written.

use std::collections::HashMap;

/// Values that hang on the vertices or the corners of a mesh, with sharing kept: vertex or corner i has the value number
/// `indices[i]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name in the file it came from, or one after its kind.
    pub name: String,
    /// What it is.
    pub kind: AttributeKind,
    /// What it hangs on.
    pub domain: Domain,
    /// Numbers of one value, 1 to 4: 2 of UVs, 3 or 4 of colours.
    pub width: usize,
    /// The distinct values, one after another.
    pub values: Vec<f32>,
    /// Which value each vertex or corner has.
    pub indices: Vec<u32>,
}

/// What an attribute is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// Texture coordinates besides the mesh's first, origin at the upper left as there.
    Uv,
    /// Linear red, green and blue, and opacity where there is a fourth number.
    Color,
    /// Something that Sinew does not know.
    Custom,
}

/// What an attribute hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// One value a vertex.
    Vertex,
    /// One value a corner of a face.
    Corner,
}

impl AttributeKind {
    /// What vertices and corners have that come without, in all numbers: white, or zero.
    pub fn neutral(self) -> f32 {
        if self == Self::Color { 1.0 } else { 0.0 }
    }
}

impl Attribute {
    /// The attribute of these values, each `width` long: as many as there are vertices or corners. Values that are the
    /// same to the bit are stored once, in order of their first appearance.
    pub fn new<'a>(
        name: impl Into<String>,
        kind: AttributeKind,
        domain: Domain,
        width: usize,
        rows: impl IntoIterator<Item = &'a [f32]>,
    ) -> Self {
        let mut made =
            Self { name: name.into(), kind, domain, width, values: Vec::new(), indices: Vec::new() };
        let mut numbers: HashMap<[u32; 4], u32> = HashMap::new();
        for row in rows {
            let mut bits = [0; 4];
            bits.iter_mut().zip(row).for_each(|(bits, x)| *bits = x.to_bits());
            let next = numbers.len() as u32;
            let number = *numbers.entry(bits).or_insert(next);
            if number == next {
                made.values.extend_from_slice(row);
            }
            made.indices.push(number);
        }
        made
    }

    /// The attribute with these values at the corners of a mesh, given how many vertices it has and the vertices of all
    /// corners. It hangs on vertices where all corners at each have the same, and on corners elsewhere.
    pub fn of_corners<'a>(
        name: impl Into<String>,
        kind: AttributeKind,
        width: usize,
        (vertices, corners): (usize, &[u32]),
        row: impl Fn(usize) -> &'a [f32],
    ) -> Self {
        let mut first = vec![None; vertices];
        let same = |corner: usize| {
            let at = *first[corners[corner] as usize].get_or_insert(corner);
            at == corner || row(at) == row(corner)
        };
        if (0..corners.len()).all(same) {
            let neutral: &'static [f32] = if kind == AttributeKind::Color { &[1.0; 4] } else { &[0.0; 4] };
            let rows = first.iter().map(|at| at.map_or(&neutral[..width], &row));
            return Self::new(name, kind, Domain::Vertex, width, rows);
        }
        Self::new(name, kind, Domain::Corner, width, (0..corners.len()).map(row))
    }

    /// How many distinct values there are.
    pub fn value_count(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// The value that a vertex or corner has, whichever it hangs on.
    pub fn value(&self, place: usize) -> &[f32] {
        let at = self.indices[place] as usize * self.width;
        &self.values[at..at + self.width]
    }

    /// The value at a corner of a mesh, given the vertices of all its corners.
    pub fn at_corner(&self, corners: &[u32], corner: usize) -> &[f32] {
        self.value(match self.domain {
            Domain::Vertex => corners[corner] as usize,
            Domain::Corner => corner,
        })
    }

    /// The same without values that nothing has.
    pub fn without_unused(&self) -> Self {
        let rows = (0..self.indices.len()).map(|place| self.value(place));
        Self::new(&*self.name, self.kind, self.domain, self.width, rows)
    }

    /// Whether lengths and indices are those of an attribute of a mesh of so many vertices and corners.
    pub(super) fn fits(&self, vertices: usize, corners: usize) -> bool {
        let places = match self.domain {
            Domain::Vertex => vertices,
            Domain::Corner => corners,
        };
        let width = match self.kind {
            AttributeKind::Uv => self.width == 2,
            AttributeKind::Color => (3..=4).contains(&self.width),
            AttributeKind::Custom => (1..=4).contains(&self.width),
        };
        width
            && self.values.len().is_multiple_of(self.width)
            && self.indices.len() == places
            && self.indices.iter().all(|&i| (i as usize) < self.value_count())
    }
}

/// Numbers for what all attributes of a mesh have at a corner together: where two corners have the same number, all
/// their values are the same. 0 everywhere on a mesh without attributes.
#[derive(Default)]
pub struct Looks {
    numbers: HashMap<Vec<u32>, u32>,
    values: Vec<f32>,
    width: usize,
}

impl Looks {
    /// The number of a corner, given all attributes of its mesh and the vertices of all corners. Further meshes that are
    /// asked about must have the same attributes, but may have other values.
    pub fn number(&mut self, attributes: &[Attribute], corners: &[u32], corner: usize) -> u32 {
        if attributes.is_empty() {
            return 0;
        }
        let values = || attributes.iter().flat_map(|a| a.at_corner(corners, corner));
        let next = self.numbers.len() as u32;
        // Adding zero makes one of the two zeros.
        let bits: Vec<u32> = values().map(|x| (x + 0.0).to_bits()).collect();
        self.width = bits.len();
        let number = *self.numbers.entry(bits).or_insert(next);
        if number == next {
            self.values.extend(values());
        }
        number
    }

    /// The values behind a number, those of one attribute after those of another.
    pub fn values(&self, number: u32) -> &[f32] {
        let at = number as usize * self.width;
        &self.values[at..at + self.width]
    }
}

#[cfg(test)]
#[path = "../../tests/unit/geometry_attribute.rs"]
mod tests;
