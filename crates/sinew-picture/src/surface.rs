//! What is drawn: a pose of a mesh and the colours on it.

use glam::Vec3;
use sinew::geometry::{Mesh, corner_normals, vertex_normals};

use crate::PictureError;
use crate::camera::Normalize;
use crate::posed_skeleton::PosedSkeleton;

/// How a surface is coloured. Colours are linear.
#[derive(Clone, Copy, Debug, Default)]
pub enum Coloring<'a> {
    /// Clay: one warm grey that shows nothing but form.
    #[default]
    Plain,
    /// The base colours of the mesh's materials; clay where there are none.
    Materials,
    /// One colour per vertex.
    VertexColors(&'a [Vec3]),
    /// One colour per triangle.
    FaceColors(&'a [Vec3]),
    /// One number per vertex, shown on a scale from blue to yellow with a bar beside it. Values beyond
    /// the range have the colours of its ends, what is not a number is dark.
    Scalar {
        /// The numbers.
        values: &'a [f32],
        /// The numbers at the two ends of the scale.
        range: (f32, f32),
        /// What the numbers are, with their unit.
        label: &'a str,
    },
}

/// One pose in a picture.
#[derive(Clone, Debug)]
pub struct Shot<'a> {
    /// Faces and materials.
    pub mesh: &'a Mesh,
    /// The pose.
    pub positions: &'a [Vec3],
    /// The triangles to draw, as vertices, when they matter ([`Coloring::FaceColors`] counts them);
    /// otherwise the mesh's own faces are cut up.
    pub triangles: Option<&'a [[u32; 3]]>,
    /// The colours.
    pub coloring: Coloring<'a>,
    /// Bones to draw inside of the body, which lets them show through.
    pub skeleton: Option<&'a PosedSkeleton>,
    /// Words above it.
    pub title: String,
}

/// The clay of [`Coloring::Plain`].
pub const CLAY: Vec3 = Vec3::new(0.52, 0.49, 0.46);

/// Colour and polish of a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Look {
    pub color: Vec3,
    /// 0 for chalk, 1 for glass.
    pub gloss: f32,
}

/// Polish of everything that has no material.
pub(crate) const PLAIN_GLOSS: f32 = 0.25;

/// Looks by what they hang on.
pub(crate) enum Looks<'a> {
    Same(Look),
    PerVertex(&'a [Vec3]),
    PerTriangle(Vec<Look>),
    Scalar { values: &'a [f32], range: (f32, f32) },
}

/// A shot made ready to draw. Vertices where edges are hard are doubled here, one for each normal.
pub(crate) struct Surface<'a> {
    pub positions: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    /// Vertex of the mesh that each vertex here stands for.
    pub source: Vec<u32>,
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle, whether the edge opposite corner i belongs to the outline of its polygon.
    pub outline: Vec<[bool; 3]>,
    pub looks: Looks<'a>,
}

impl<'a> Surface<'a> {
    /// Checks a shot and brings it to normalised space. Triangles with corners that are not finite are
    /// left out.
    pub fn new(shot: &Shot<'a>, index: usize, normalize: &Normalize) -> Result<Self, PictureError> {
        check(shot, index)?;
        let placed: Vec<Vec3> = shot.positions.iter().map(|&p| normalize.apply(p)).collect();
        let mut surface = match shot.triangles {
            Some(triangles) => Self::of_triangles(placed, triangles),
            None => Self::of_faces(shot.mesh, &placed),
        };
        surface.looks = looks(shot, index, surface.triangles.len())?;
        surface.drop_broken();
        Ok(surface)
    }

    fn of_triangles(positions: Vec<Vec3>, triangles: &[[u32; 3]]) -> Self {
        let mut normals = vec![Vec3::ZERO; positions.len()];
        vertex_normals(triangles, &positions, &mut normals);
        Self {
            normals,
            source: (0..positions.len() as u32).collect(),
            positions,
            triangles: triangles.to_vec(),
            outline: vec![[true; 3]; triangles.len()],
            looks: Looks::PerTriangle(Vec::new()),
        }
    }

    fn of_faces(mesh: &Mesh, placed: &[Vec3]) -> Self {
        let layer = corner_normals(mesh, placed);
        let mut source = vec![0; layer.values.len()];
        for (&group, &vertex) in layer.indices.iter().zip(&mesh.corners) {
            source[group as usize] = vertex;
        }
        let corners = mesh.triangle_corners(placed);
        let (mut outline, mut face) = (Vec::with_capacity(corners.len()), 0);
        for t in &corners {
            while mesh.face_starts[face + 1] <= t[0] {
                face += 1;
            }
            let size = mesh.face(face).len() as u32;
            // Corners next to each other in the polygon, in either direction, are joined by an outline.
            let joined = |a: u32, b: u32| a.abs_diff(b) == 1 || a.abs_diff(b) == size - 1;
            outline.push([joined(t[1], t[2]), joined(t[2], t[0]), joined(t[0], t[1])]);
        }
        Self {
            positions: source.iter().map(|&v| placed[v as usize]).collect(),
            normals: layer.values,
            source,
            triangles: corners.iter().map(|t| t.map(|c| layer.indices[c as usize])).collect(),
            outline,
            looks: Looks::PerTriangle(Vec::new()),
        }
    }

    /// Leaves out triangles with corners that are not finite, and what hangs on them.
    fn drop_broken(&mut self) {
        let whole: Vec<bool> = self
            .triangles
            .iter()
            .map(|t| t.iter().all(|&v| self.positions[v as usize].is_finite()))
            .collect();
        if whole.iter().all(|&w| w) {
            return;
        }
        retain(&mut self.triangles, &whole);
        retain(&mut self.outline, &whole);
        if let Looks::PerTriangle(looks) = &mut self.looks {
            retain(looks, &whole);
        }
    }

    /// All points that triangles use.
    pub fn used_points(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.triangles.as_flattened().iter().map(|&v| self.positions[v as usize])
    }
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    items.retain(|_| flags.next().copied().unwrap_or(true));
}

fn check(shot: &Shot, index: usize) -> Result<(), PictureError> {
    let vertices = shot.mesh.vertex_count;
    let fits = |what, found: usize| {
        if found == vertices {
            Ok(())
        } else {
            Err(PictureError::Count { shot: index, what, found, expected: vertices })
        }
    };
    fits("positions", shot.positions.len())?;
    match shot.coloring {
        Coloring::VertexColors(colors) => fits("vertex colours", colors.len())?,
        Coloring::Scalar { values, .. } => fits("values", values.len())?,
        Coloring::Plain | Coloring::Materials | Coloring::FaceColors(_) => {}
    }
    let missing = |t: &[u32; 3]| t.iter().any(|&v| v as usize >= vertices);
    match shot.triangles.and_then(|t| t.iter().position(missing)) {
        Some(triangle) => Err(PictureError::NoSuchVertex { shot: index, triangle }),
        None => shot.skeleton.map_or(Ok(()), |skeleton| skeleton.check(index)),
    }
}

fn looks<'a>(shot: &Shot<'a>, index: usize, triangles: usize) -> Result<Looks<'a>, PictureError> {
    Ok(match shot.coloring {
        Coloring::Plain => Looks::Same(Look { color: CLAY, gloss: PLAIN_GLOSS }),
        Coloring::Materials => material_looks(shot.mesh, triangles),
        Coloring::VertexColors(colors) => Looks::PerVertex(colors),
        Coloring::FaceColors(colors) if colors.len() != triangles => {
            let what = "triangle colours";
            return Err(PictureError::Count { shot: index, what, found: colors.len(), expected: triangles });
        }
        Coloring::FaceColors(colors) => {
            Looks::PerTriangle(colors.iter().map(|&color| Look { color, gloss: PLAIN_GLOSS }).collect())
        }
        Coloring::Scalar { values, range, .. } => Looks::Scalar { values, range },
    })
}

/// A face of n corners has n − 2 triangles wherever it was cut, so triangles can be counted back to faces.
fn material_looks<'a>(mesh: &Mesh, triangles: usize) -> Looks<'a> {
    let per_face = |face: usize| {
        let material = mesh.face_materials.get(face).and_then(|&m| mesh.materials.get(m as usize));
        let look = material.map_or(Look { color: CLAY, gloss: PLAIN_GLOSS }, |m| Look {
            color: Vec3::from_slice(&m.base_color[..3]),
            gloss: (1.0 - m.roughness).clamp(0.0, 1.0),
        });
        std::iter::repeat_n(look, mesh.face(face).len().saturating_sub(2))
    };
    let looks: Vec<Look> = (0..mesh.face_count()).flat_map(per_face).collect();
    if looks.len() == triangles {
        Looks::PerTriangle(looks)
    } else {
        Looks::Same(Look { color: CLAY, gloss: PLAIN_GLOSS })
    }
}
