//! Where bones carry vertices: p = Σ_b w_b T_b (p̄ + U q), for all vertices of a frame.
//!
//! Positions are taken relative to the middle of the rest pose, and what bones make of them relative to the middle
//! of the pose, in double precision, so that a rig a kilometre away from the origin plays as
//! exactly as one at it.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use rayon::prelude::*;

use super::groups::{BLOCK, Groups, MIDDLE, NONE, Triple};
use super::kernel::{Block, Rows, in_kind, kinds};
use crate::geometry::{Bounds, normals_of};
use crate::rig::{Corrections, Rig};

/// The skin of a rig, arranged so that posing it is as fast as can be. It needs no rig any more: bones can
/// be anywhere.
pub struct Skinner {
    vertex_count: usize,
    center: DVec3,
    /// For each bone the middle of what it moves, and how much of everything that is.
    homes: Vec<(DVec3, f64)>,
    groups: Groups,
    /// Rest pose relative to `center`.
    rest: Vec<Triple>,
    /// As each group's kind wants them.
    normals: Vec<Triple>,
    rank: usize,
    basis: Vec<Triple>,
    normal_basis: Vec<Triple>,
}

impl Skinner {
    /// Arranges the skin of `rig`.
    pub fn new(rig: &Rig) -> Self {
        Self::arranged(rig, &rest_normals(rig))
    }

    /// The same, for normals too: those of the rest pose's surface, one a vertex.
    pub fn with_normals(rig: &Rig) -> Self {
        let normals = rest_normals(rig);
        let mut skinner = Self::arranged(rig, &normals);
        skinner.normals = skinner.groups.arranged(|v, group| in_kind(normals[v], group.kind));
        if let Some(c) = changing_normals(rig) {
            skinner.normal_basis = interleaved(&skinner.groups, c.rank, &c.normals, rig.rest.len());
        }
        skinner
    }

    /// Groups depend on the rest pose's normals even where none are asked for, or corrections change them, so that
    /// positions are the same to the bit.
    fn arranged(rig: &Rig, normals: &[Vec3]) -> Self {
        let n = rig.rest.len();
        let mut groups = Groups::new(&rig.weights, n, |quad| kinds(&normals[quad]));
        if changing_normals(rig).is_some() {
            // Slopes might become steep.
            groups.forget_kinds();
        }
        let center = Bounds::of(&rig.rest).center();
        let rest = groups.arranged(|v, _| (rig.rest[v].as_dvec3() - center).as_vec3());
        let basis =
            rig.corrections.as_ref().map_or(Vec::new(), |c| interleaved(&groups, c.rank, &c.basis, n));
        let (normals, normal_basis) = (Vec::new(), Vec::new());
        let (homes, rank) = (homes(rig), rig.rank());
        Self { vertex_count: n, center, homes, groups, rest, normals, rank, basis, normal_basis }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Writes where the bones carry the vertices, spreading the work over the current thread pool.
    /// `coefficients` are those of the corrections, if there are any.
    ///
    /// # Panics
    /// When a length is wrong.
    pub fn pose_into(&self, bones: &[DAffine3], coefficients: &[f32], out: &mut [Vec3]) {
        self.check(coefficients, out);
        let frame = self.frame(bones, coefficients);
        let out = bytemuck::cast_slice_mut::<Vec3, f32>(out);
        out.par_chunks_mut(3 * BLOCK).enumerate().for_each(|(number, out)| {
            let block = Block { normals: &[], ..self.block(number, &frame) };
            block.pose(out, &mut []);
        });
    }

    /// Writes positions and unit normals.
    ///
    /// # Panics
    /// When a length is wrong, or the skin was not made [`Skinner::with_normals`].
    pub fn pose_and_normals_into(
        &self,
        bones: &[DAffine3],
        coefficients: &[f32],
        out: &mut [Vec3],
        normals: &mut [Vec3],
    ) {
        self.check(coefficients, out);
        self.check(coefficients, normals);
        assert_eq!(self.normals.len(), self.rest.len(), "made with normals");
        let frame = self.frame(bones, coefficients);
        let [out, normals] = [out, normals]
            .map(|values| bytemuck::cast_slice_mut::<Vec3, f32>(values).par_chunks_mut(3 * BLOCK));
        out.zip(normals).enumerate().for_each(|(number, (out, normals))| {
            self.block(number, &frame).pose(out, normals);
        });
    }

    fn check(&self, coefficients: &[f32], out: &[Vec3]) {
        assert_eq!(out.len(), self.vertex_count, "one slot per vertex");
        assert_eq!(coefficients.len(), self.rank, "one coefficient per basis shape");
    }

    fn palette(&self, bones: &[DAffine3], middle: [f32; 3]) -> Vec<Rows> {
        let moved = |bone: u32| match bone {
            NONE => (DMat3::ZERO, DVec3::ZERO),
            MIDDLE => (DMat3::ZERO, middle.map(f64::from).into()),
            bone => {
                let t = &bones[bone as usize];
                (t.matrix3, t.transform_point3(self.center))
            }
        };
        let entry = |&[bone, less]: &[u32; 2]| {
            let ((m, shift), (m_less, shift_less)) = (moved(bone), moved(less));
            let (m, shift) = ((m - m_less).transpose(), shift - shift_less);
            let rows = [m.x_axis.extend(shift.x), m.y_axis.extend(shift.y), m.z_axis.extend(shift.z)];
            bytemuck::cast(rows.map(|row| row.as_vec4().to_array()))
        };
        self.groups.palette.iter().map(entry).collect()
    }

    fn frame<'a>(&self, bones: &[DAffine3], coefficients: &'a [f32]) -> Frame<'a> {
        // The middle of the pose. Bones that move little may be anywhere.
        let homes = self.homes.iter().zip(bones);
        let middle: DVec3 = homes.map(|((home, share), t)| t.transform_point3(*home) * *share).sum();
        let middle = middle.as_vec3().to_array();
        Frame { palette: self.palette(bones, middle), middle, coefficients }
    }

    fn block<'a>(&'a self, number: usize, frame: &'a Frame) -> Block<'a> {
        let range = self.groups.blocks[number].clone();
        let of = |triples: &'a [Triple], each: usize| match triples {
            [] => triples,
            _ => &triples[each * range.start..each * range.end],
        };
        Block {
            groups: &self.groups.groups[range.clone()],
            rest: of(&self.rest, 1),
            normals: of(&self.normals, 1),
            basis: of(&self.basis, self.rank),
            normal_basis: of(&self.normal_basis, self.rank),
            coefficients: frame.coefficients,
            middle: &frame.middle,
            palette: &frame.palette,
            entries: &self.groups.entries,
            weights: &self.groups.weights,
        }
    }
}

/// What all blocks of a frame share.
struct Frame<'a> {
    middle: [f32; 3],
    palette: Vec<Rows>,
    coefficients: &'a [f32],
}

fn rest_normals(rig: &Rig) -> Vec<Vec3> {
    normals_of(&rig.mesh.triangles(&rig.rest), &rig.rest)
}

fn changing_normals(rig: &Rig) -> Option<&Corrections> {
    rig.corrections.as_ref().filter(|c| !c.normals.is_empty())
}

/// The middle of what each bone moves, and its share of all weights.
fn homes(rig: &Rig) -> Vec<(DVec3, f64)> {
    let sums = rig.weighted_sums();
    let all = sums.iter().map(|(_, total)| total).sum::<f64>().max(f64::MIN_POSITIVE);
    let home = |(sum, total): (DVec3, f64)| match total > 0.0 {
        true => (sum / total, total / all),
        false => (DVec3::ZERO, 0.0),
    };
    sums.into_iter().map(home).collect()
}

/// Basis shapes in the order of the groups: those of a group one after the other.
fn interleaved(groups: &Groups, rank: usize, basis: &[Vec3], n: usize) -> Vec<Triple> {
    let shapes: Vec<Vec<Triple>> =
        basis.chunks_exact(n.max(1)).map(|shape| groups.arranged(|v, _| shape[v])).collect();
    (0..rank * groups.groups.len()).map(|i| shapes[i % rank][i / rank]).collect()
}
