//! Mesh prims: faces, points, UVs and normals.

use glam::{DVec3, Vec2, Vec3};
use sinew::geometry::{AttributeKind, CornerLayer, Mesh};

use super::attributes::{self, Layer, PRIMVARS, Primvar, find_primvars, number};
use super::query::{Between, points};
use super::stage::Stage;
use crate::warning::Counted;
use crate::{Error, Result, Warning};

/// Primvars that hold UVs, as programs name them.
const UVS: [&str; 5] = ["primvars:st", "primvars:UVMap", "primvars:st0", "primvars:map1", "primvars:uv"];

/// One mesh prim, at one time.
pub(super) struct Surface {
    pub prim: usize,
    pub points: Vec<DVec3>,
    /// Corners of each face, as corners of the file: those of faces Sinew keeps, in order.
    pub faces: Vec<Vec<u32>>,
    /// The vertex of each corner of the file.
    pub corners: Vec<u32>,
    /// The face of the file behind each face.
    pub sources: Vec<usize>,
    /// How many faces the file has.
    pub stated_faces: usize,
    pub uvs: Option<Layer<Vec2>>,
    /// The primvar that they are.
    pub uv_name: Option<String>,
    /// All other primvars that meshes can have.
    pub primvars: Vec<Primvar>,
    pub normals: Option<Layer<DVec3>>,
    /// Whether points change over time.
    pub cached: bool,
}

impl Surface {
    /// Reads a mesh at a time; `None` where it has no faces.
    pub fn read(stage: &Stage, prim: usize, time: f64, warnings: &mut Vec<Warning>) -> Result<Option<Self>> {
        let path = &stage.prims[prim].path;
        let malformed = |message: String| Error::malformed(stage.path(), format!("mesh {path} {message}"));
        if stage.varies(prim, "faceVertexIndices") || stage.varies(prim, "faceVertexCounts") {
            let message = format!("the faces of mesh {path} change from frame to frame");
            return Err(Error::unsupported(stage.path(), message));
        }
        let held = |name: &str| stage.at(prim, name, time, Between::Held);
        let (Some(counts), Some(indices)) = (held("faceVertexCounts")?, held("faceVertexIndices")?) else {
            return Ok(None);
        };
        let numbers = stage.at(prim, "points", time, Between::Linear)?.unwrap_or_default();
        let points = points(&numbers);
        if counts.is_empty() || points.is_empty() {
            return Ok(None);
        }
        let mut corners = Vec::with_capacity(indices.len());
        for index in indices {
            if !(0.0..points.len() as f64).contains(&index) {
                return Err(malformed(format!("uses point {index}, but it has only {}", points.len())));
            }
            corners.push(index as u32);
        }
        let mut surface = Self {
            prim,
            points,
            faces: Vec::new(),
            corners,
            sources: Vec::new(),
            stated_faces: counts.len(),
            uvs: None,
            uv_name: None,
            primvars: Vec::new(),
            normals: None,
            cached: stage.varies(prim, "points"),
        };
        let left_handed = stage.word(prim, "orientation")?.as_deref() == Some("leftHanded");
        let face_of_corner = surface.fill_faces(&counts, left_handed).ok_or_else(|| {
            malformed(format!("has faces of other corners than the {} it states", surface.corners.len()))
        })?;
        if surface.sources.len() < counts.len() {
            let dropped = counts.len() - surface.sources.len();
            warnings
                .push(Warning::Count { count: dropped, of: Counted::FewCorners }.of(format!("mesh {path}")));
        }
        (surface.uvs, surface.uv_name) = surface.find_uvs(stage, time, &face_of_corner)?;
        surface.primvars = find_primvars(stage, prim, surface.uv_name.as_deref(), |name, width, kind| {
            let value = |v: &[f64]| v.iter().enumerate().map(|(i, x)| number(kind, i, *x)).collect();
            surface.layer(stage, name, time, (width, "constant"), &face_of_corner, value)
        })?;
        surface.take_uvs();
        surface.normals = surface.find_normals(stage, time, &face_of_corner)?;
        Ok(Some(surface).filter(|s| !s.faces.is_empty()))
    }

    /// Makes faces of counts of corners. Returns the face of each corner; nothing where they do not add up.
    fn fill_faces(&mut self, counts: &[f64], left_handed: bool) -> Option<Vec<u32>> {
        let mut face_of_corner = Vec::with_capacity(self.corners.len());
        for (face, &count) in counts.iter().enumerate() {
            let start = face_of_corner.len();
            let count =
                Some(count as usize).filter(|n| *n as f64 == count && *n <= self.corners.len() - start)?;
            face_of_corner.resize(start + count, face as u32);
            if count < 3 {
                continue;
            }
            let mut corners: Vec<u32> = (start..start + count).map(|c| c as u32).collect();
            if left_handed {
                corners[1..].reverse();
            }
            self.faces.push(corners);
            self.sources.push(face);
        }
        (face_of_corner.len() == self.corners.len()).then_some(face_of_corner)
    }

    /// Values of a primvar at the corners; nothing where it has other numbers of values than it should.
    fn layer<T>(
        &self,
        stage: &Stage,
        name: &str,
        time: f64,
        (width, otherwise): (usize, &str),
        face_of_corner: &[u32],
        value: impl Fn(&[f64]) -> T,
    ) -> Result<Option<Layer<T>>> {
        let Some(numbers) = stage.at(self.prim, name, time, Between::Held)? else { return Ok(None) };
        let values: Vec<T> = numbers.chunks_exact(width).map(value).collect();
        let places = stage.at(self.prim, &format!("{name}:indices"), time, Between::Held)?;
        let interpolation = stage.interpolation(self.prim, name).unwrap_or_else(|| otherwise.into());
        let place = |corner: usize| match interpolation.as_str() {
            "faceVarying" => corner,
            "vertex" | "varying" => self.corners[corner] as usize,
            "uniform" => face_of_corner[corner] as usize,
            _ => 0,
        };
        let index = |corner: usize| {
            let place = place(corner);
            let index = match &places {
                Some(places) => *places.get(place)?,
                None => place as f64,
            };
            (0.0..values.len() as f64).contains(&index).then_some(index as u32)
        };
        let indices: Option<Vec<u32>> = (0..self.corners.len()).map(index).collect();
        Ok(indices.map(|indices| Layer { values, indices }))
    }

    /// Makes the first UV set the first UVs, where they are none of those that programs agree on.
    fn take_uvs(&mut self) {
        let first = self.primvars.iter().position(|p| p.kind == AttributeKind::Uv);
        if let (None, Some(at)) = (&self.uvs, first) {
            let Primvar { name, layer: Layer { values, indices }, .. } = self.primvars.remove(at);
            let values = values.iter().map(|v| Vec2::from_slice(v)).collect();
            self.uvs = Some(Layer { values, indices });
            self.uv_name = Some(format!("{PRIMVARS}{name}"));
        }
    }

    fn find_uvs(
        &self,
        stage: &Stage,
        time: f64,
        face_of_corner: &[u32],
    ) -> Result<(Option<Layer<Vec2>>, Option<String>)> {
        // The origin of USD's images is their lower left corner.
        let uv = |v: &[f64]| Vec2::new(v[0] as f32, (1.0 - v[1]) as f32);
        for name in UVS {
            let layer = self.layer(stage, name, time, (2, "constant"), face_of_corner, uv)?;
            if layer.is_some() {
                return Ok((layer, Some(name.into())));
            }
        }
        Ok((None, None))
    }

    fn find_normals(&self, stage: &Stage, time: f64, face_of_corner: &[u32]) -> Result<Option<Layer<DVec3>>> {
        for (name, otherwise) in [("primvars:normals", "constant"), ("normals", "vertex")] {
            let layer = self.layer(stage, name, time, (3, otherwise), face_of_corner, DVec3::from_slice)?;
            if layer.as_ref().is_some_and(|l| l.values.iter().all(|n| n.is_finite())) {
                return Ok(layer);
            }
        }
        Ok(None)
    }
}

/// Faces of many surfaces as one mesh, without what they look like.
pub(super) fn join(surfaces: &[Surface], turned: &[bool]) -> Mesh {
    let mut mesh = Mesh { face_starts: vec![0], ..Mesh::default() };
    let (mut uvs, mut normals) = (Corners::new(), Corners::new());
    let mut sources = Vec::new();
    for (number, (surface, &turned)) in surfaces.iter().zip(turned).enumerate() {
        let start = mesh.vertex_count as u32;
        for face in &surface.faces {
            let ordered = |i: usize| face[if turned { (face.len() - i) % face.len() } else { i }];
            let corners: Vec<u32> = (0..face.len()).map(ordered).collect();
            let vertices: Vec<u32> = corners.iter().map(|&c| start + surface.corners[c as usize]).collect();
            mesh.push_face(&vertices);
            uvs.add(&surface.uvs, &corners);
            normals.add(&surface.normals, &corners);
            sources.extend(corners.iter().map(|&corner| (number as u32, corner)));
        }
        uvs.next(surface.uvs.as_ref().map_or(0, |l| l.values.len()));
        normals.next(surface.normals.as_ref().map_or(0, |l| l.values.len()));
        mesh.vertex_count += surface.points.len();
    }
    // One mesh without UVs among others with them has those of the corner.
    if surfaces.iter().any(|s| s.uvs.is_some()) {
        let mut values: Vec<Vec2> =
            surfaces.iter().filter_map(|s| s.uvs.as_ref()).flat_map(|l| l.values.clone()).collect();
        values.push(Vec2::ZERO);
        mesh.uvs = Some(uvs.layer(values));
    }
    // Normals have no such stand-in.
    if surfaces.iter().all(|s| s.normals.is_some()) {
        let values = surfaces.iter().filter_map(|s| s.normals.as_ref());
        let values = values.flat_map(|l| l.values.iter().map(|n| n.as_vec3())).collect::<Vec<Vec3>>();
        mesh.normals = Some(normals.layer(values));
    }
    let primvars: Vec<&[Primvar]> = surfaces.iter().map(|s| &s.primvars[..]).collect();
    mesh.attributes = attributes::join(&primvars, &sources, &mesh);
    mesh
}

/// Indices of a layer over several surfaces.
struct Corners {
    start: u32,
    indices: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Corners {
    fn new() -> Self {
        Self { start: 0, indices: Vec::new() }
    }

    fn add<T>(&mut self, layer: &Option<Layer<T>>, corners: &[u32]) {
        let index = |&c: &u32| layer.as_ref().map_or(NONE, |l| self.start + l.indices[c as usize]);
        self.indices.extend(corners.iter().map(index));
    }

    fn next(&mut self, values: usize) {
        self.start += values as u32;
    }

    /// Corners without a value have the last one.
    fn layer<T>(self, values: Vec<T>) -> CornerLayer<T> {
        let last = values.len().saturating_sub(1) as u32;
        CornerLayer {
            indices: self.indices.into_iter().map(|i| if i == NONE { last } else { i }).collect(),
            values,
        }
    }
}
