//! What a mesh object holds: points and faces.

use super::header::{Kind, Property};
use super::sample::Numbers;
use super::scene::MeshObject;
use crate::containers::ogawa::Ogawa;
use crate::{Error, Result};

/// Faces of one object, as Sinew orders their corners: counter-clockwise, where Alembic's are clockwise.
pub(super) struct Faces {
    /// Corners of each face that is kept.
    pub counts: Vec<u32>,
    /// Vertex of each corner.
    pub corners: Vec<u32>,
    /// Which of the file's corners each is.
    pub source_corner: Vec<u32>,
    /// Which of the file's faces each is.
    pub source_face: Vec<u32>,
    /// Faces in the file.
    pub stored: usize,
    /// Corners in the file.
    pub stored_corners: usize,
}

impl MeshObject {
    pub fn property(&self, name: &str) -> Option<&Property> {
        self.properties.iter().find(|p| p.name == name)
    }

    /// Whether there is any sample of points.
    pub fn has_points(&self) -> bool {
        self.property("P").is_some_and(|p| p.samples > 0)
    }

    /// A property that every mesh has.
    pub fn needed(&self, file: &Ogawa, name: &str) -> Result<&Property> {
        let found = self.property(name).filter(|p| p.samples > 0 && p.kind != Kind::Compound);
        found.ok_or_else(|| file.malformed(format!("mesh {} has no {name}", self.path)))
    }

    /// Its points, whose numbers are known to be triples of reals.
    pub fn points(&self, file: &Ogawa) -> Result<&Property> {
        let points = self.needed(file, "P")?;
        if !points.pod.is_real() || points.extent != 3 || points.kind != Kind::Array {
            return Err(file.malformed(format!("the points of {} are not points", self.path)));
        }
        Ok(points)
    }

    /// Points in a stored sample.
    pub fn point_count(&self, file: &Ogawa, stored: usize) -> Result<usize> {
        Ok(self.points(file)?.numbers(file, stored)?.len() / 3)
    }

    /// Number of faces of the first sample.
    pub fn face_count(&self, file: &Ogawa) -> Result<usize> {
        Ok(self.needed(file, ".faceCounts")?.numbers(file, 0)?.len())
    }

    /// The points of a stored sample, which are as many as those of the first.
    pub fn point_numbers<'a>(&self, file: &'a Ogawa, stored: usize) -> Result<Numbers<'a>> {
        let (points, expected) = (self.points(file)?, self.point_count(file, 0)?);
        let numbers = points.numbers(file, stored)?;
        let found = numbers.len() / 3;
        if found != expected {
            let frame = (stored + points.first_changed).saturating_sub(1);
            return Err(self.changes(file, frame, format!("{found} vertices"), expected.to_string()));
        }
        Ok(numbers)
    }

    /// Checks that all samples have the points and the faces of the first. Where the file says that samples are
    /// equally long only the last is looked at, for lengths stand with the samples, all over the file; whoever reads
    /// the others sees what became of it.
    pub fn check_topology(&self, file: &Ogawa) -> Result<()> {
        let points = self.points(file)?;
        let (first, end) = (if points.same_length { usize::MAX } else { 1 }, points.stored_count());
        for stored in first.min(end.saturating_sub(1))..end {
            self.point_numbers(file, stored)?;
        }
        for name in [".faceCounts", ".faceIndices"] {
            self.check_same(file, self.needed(file, name)?)?;
        }
        Ok(())
    }

    /// Checks that the samples of a property are all alike. Writers store each once, so that mostly this
    /// compares places in the file.
    fn check_same(&self, file: &Ogawa, property: &Property) -> Result<()> {
        let offset = property.offset(file, 0)?;
        let first = property.numbers(file, 0)?;
        for stored in 1..property.stored_count() {
            if property.offset(file, stored)? == offset {
                continue;
            }
            let other = property.numbers(file, stored)?;
            if other.bytes == first.bytes {
                continue;
            }
            let frame = stored + property.first_changed - 1;
            let what = if property.name == ".faceCounts" { "faces" } else { "face corners" };
            let (found, expected) = match (other.len(), first.len()) {
                (a, b) if a == b => (format!("{a} other {what}"), "those it starts with".into()),
                (a, b) => (format!("{a} {what}"), b.to_string()),
            };
            return Err(self.changes(file, frame, found, expected));
        }
        Ok(())
    }

    fn changes(&self, file: &Ogawa, frame: usize, found: String, expected: String) -> Error {
        let message = format!(
            "frame {frame} of {} has {found}, but the first frame has {expected}; Sinew needs a mesh whose \
             vertices and faces stay the same",
            self.path
        );
        Error::unsupported(file.path(), message)
    }

    /// Its faces, of the first sample.
    pub fn faces(&self, file: &Ogawa, vertices: usize) -> Result<Faces> {
        let read = |name: &str| -> Result<Vec<i64>> {
            let numbers = self.needed(file, name)?.numbers(file, 0)?.integers();
            let wrong = || file.malformed(format!("{name} of {} are not whole numbers", self.path));
            numbers.ok_or_else(wrong)
        };
        let (counts, indices) = (read(".faceCounts")?, read(".faceIndices")?);
        let total = counts.iter().try_fold(0_i64, |sum, n| if *n < 0 { None } else { sum.checked_add(*n) });
        if total != Some(indices.len() as i64) || indices.len() > u32::MAX as usize {
            let message = format!(
                "the faces of {} do not have the {} corners that are stored for them",
                self.path,
                indices.len()
            );
            return Err(file.malformed(message));
        }
        if let Some(wrong) = indices.iter().find(|i| !(0..vertices as i64).contains(i)) {
            let message =
                format!("a face of {} names vertex {wrong}, but there are {vertices} vertices", self.path);
            return Err(file.malformed(message));
        }
        let mut out = Faces {
            counts: Vec::new(),
            corners: Vec::new(),
            source_corner: Vec::new(),
            source_face: Vec::new(),
            stored: counts.len(),
            stored_corners: indices.len(),
        };
        let mut start = 0;
        for (face, count) in counts.iter().enumerate() {
            let end = start + *count as usize;
            if *count >= 3 {
                out.counts.push(*count as u32);
                out.source_face.push(face as u32);
                out.source_corner.extend((start..end).rev().map(|corner| corner as u32));
                out.corners.extend((start..end).rev().map(|corner| indices[corner] as u32));
            }
            start = end;
        }
        Ok(out)
    }
}
