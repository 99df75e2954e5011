//! Stitching: the surface whose gradients are nearest to those asked for, triangle by triangle.
//!
//! Section 2.2, eq. 3: L x = div T, T the deformation gradient of every triangle. Solved is the displacement
//! u from the rest pose, seen from the root joint: L u = div (T − 1). So the rest pose and a turn of the
//! whole skeleton come out exactly, to the last bits. What is given are the points of some handles ([`super::held`]).

use glam::{DMat3, DVec3};

use super::dirichlet::{Dirichlet, NONE};
use super::influences::LINK_WEIGHT;
use super::surface::{Link, Surface};
use crate::solve::sparse::SolveError;
use crate::solve::substitution::{Row, Substitution};

/// The least half cotangent where plain ones make a system that cannot be solved.
const LEAST_COTANGENT: f64 = 1e-6;

/// The Poisson system of a surface, factored.
#[derive(Clone, Debug)]
pub(super) struct Stitch {
    factor: Substitution,
    /// Where the unknown of each point lies: among the rows of the factor, or after them if it is held.
    pub slot_of: Vec<u32>,
    /// The slots of each triangle's corners.
    corners: Vec<[u32; 3]>,
    /// What a triangle's gradient adds at its first two corners, T times these; the third gets the rest.
    gradients: Vec<[DVec3; 2]>,
    /// Slots and rest offset of each link.
    ties: Vec<([u32; 2], DVec3)>,
    /// Points that are held, and the joints that hold them.
    pub held: Vec<(u32, u32)>,
    /// What held points add to the right-hand side: slot, number of the held point, weight.
    given: Vec<(u32, u32, f64)>,
}

impl Stitch {
    /// The system of a surface, given the points that are held and the joints that hold them.
    pub fn new(surface: &Surface, held: &[(u32, u32)], links: &[Link]) -> Result<Self, SolveError> {
        let mut cotangents = surface.pattern.half_cotangents(&surface.rest);
        match Self::with(surface, &cotangents, held, links) {
            Err(SolveError::NotPositiveDefinite) => {
                cotangents.as_flattened_mut().iter_mut().for_each(|c| *c = c.max(LEAST_COTANGENT));
                Self::with(surface, &cotangents, held, links)
            }
            done => done,
        }
    }

    fn with(
        surface: &Surface,
        cotangents: &[[f64; 3]],
        held: &[(u32, u32)],
        links: &[Link],
    ) -> Result<Self, SolveError> {
        let mut weights = vec![0.0; surface.pattern.edges().len()];
        for (sides, halves) in surface.pattern.opposite_edges().iter().zip(cotangents) {
            (0..3).for_each(|k| weights[sides[k] as usize] += halves[k]);
        }
        let edges = surface.pattern.edges().iter().copied().zip(weights);
        let ties = links.iter().map(|link| (link.ends, LINK_WEIGHT));
        let mut is_held = vec![false; surface.len()];
        held.iter().for_each(|&(point, _)| is_held[point as usize] = true);
        let system = Dirichlet::new(edges.chain(ties), &is_held);
        let factor = Substitution::new(system.pattern, &system.values)?;
        let mut slot_of: Vec<u32> = vec![0; surface.len()];
        for (slot, &row) in slot_of.iter_mut().zip(&system.row_of).filter(|(_, row)| **row != NONE) {
            *slot = factor.place(row);
        }
        (factor.size() as u32..).zip(held).for_each(|(number, &(point, _))| slot_of[point as usize] = number);
        let gradients = surface.triangles().iter().zip(cotangents).map(|(&[a, b, c], [x, y, z])| {
            let [a, b, c] = [a, b, c].map(|p| surface.place(p));
            [*z * (a - b) + *y * (a - c), *z * (b - a) + *x * (b - c)]
        });
        let slots = |points: [u32; 3]| points.map(|p| slot_of[p as usize]);
        let tie = |link: &Link| {
            let [a, b] = link.ends;
            ([a, b].map(|p| slot_of[p as usize]), surface.place(a) - surface.place(b))
        };
        let number = |point: u32| slot_of[point as usize] - factor.size() as u32;
        let given = system.given.iter().map(|&(row, point, w)| (factor.place(row), number(point), w));
        Ok(Self {
            corners: surface.triangles().iter().map(|t| slots(*t)).collect(),
            gradients: gradients.collect(),
            ties: links.iter().map(tie).collect(),
            held: held.to_vec(),
            given: given.collect(),
            slot_of,
            factor,
        })
    }

    /// Adds a triangle's T − 1 to the right-hand sides.
    #[inline]
    pub fn add_triangle(&self, triangle: usize, change: &DMat3, x: &mut [Row]) {
        let [g, h] = self.gradients[triangle];
        let [a, b, c] = self.corners[triangle].map(|slot| slot as usize);
        let (first, second) = (*change * g, *change * h);
        let third = first + second;
        for lane in 0..3 {
            x[a][lane] += first[lane];
            x[b][lane] += second[lane];
            x[c][lane] -= third[lane];
        }
    }

    /// Adds what a link asks for, given the T − 1 it goes by and an offset of its own.
    pub fn add_link(&self, link: usize, change: &DMat3, offset: DVec3, x: &mut [Row]) {
        let ([a, b], edge) = self.ties[link];
        let flow = LINK_WEIGHT * (*change * edge + offset);
        for lane in 0..3 {
            x[a as usize][lane] += flow[lane];
            x[b as usize][lane] -= flow[lane];
        }
    }

    /// Replaces the right-hand sides by displacements, slot by slot, given those of the held points.
    pub fn solve(&self, displaced: &[DVec3], x: &mut [Row]) {
        for &(slot, number, weight) in &self.given {
            let u = displaced[number as usize];
            (0..3).for_each(|lane| x[slot as usize][lane] += weight * u[lane]);
        }
        let (open, held) = x.split_at_mut(self.factor.size());
        self.factor.solve(open);
        held.iter_mut().zip(displaced).for_each(|(row, u)| *row = [u.x, u.y, u.z, 0.0]);
    }
}
