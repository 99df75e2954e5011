//! Surface nets (Gibson 1998): a mesh of quads around an implicit solid.
//!
//! Each grid cell that the surface crosses gets one vertex, each grid edge that it crosses one quad
//! between the four cells around it. Vertices then move to the middle of their neighbours and back onto
//! the surface a few times, which evens the quads out.

use std::collections::HashMap;

use glam::{DVec3, IVec3};
use rayon::prelude::*;

use super::shape::Body;

/// A closed surface of quads, counter-clockwise from outside.
pub(super) struct QuadMesh {
    pub positions: Vec<DVec3>,
    pub quads: Vec<[u32; 4]>,
}

/// Samples on a grid that is symmetric about x = 0.
struct Grid {
    cell: f64,
    low: IVec3,
    size: [usize; 3],
    inside: Vec<bool>,
}

/// A box that holds the body with room to spare.
const BOX: [DVec3; 2] = [DVec3::new(-0.42, -0.06, -1.66), DVec3::new(0.42, 1.76, 1.16)];
const RELAXATIONS: usize = 8;

impl Grid {
    fn new(body: &Body, cell: f64) -> Self {
        let low = (BOX[0] / cell).floor().as_ivec3();
        let high = (BOX[1] / cell).ceil().as_ivec3();
        let size = (high - low + 1).to_array().map(|s| s as usize);
        let mut grid = Self { cell, low, size, inside: Vec::new() };
        grid.inside = (0..size[2])
            .into_par_iter()
            .flat_map_iter(|z| {
                let grid = &grid;
                (0..size[1]).flat_map(move |y| grid.sample_row(body, y, z))
            })
            .collect();
        grid
    }

    /// Inside or outside for one row along x. A row far from the surface is known from a few samples: the
    /// field grows at most by one per metre.
    fn sample_row(&self, body: &Body, y: usize, z: usize) -> Vec<bool> {
        let mut row = Vec::with_capacity(self.size[0]);
        while row.len() < self.size[0] {
            let d = body.field(self.point([row.len(), y, z])).distance;
            let known = 1 + (d.abs() / self.cell).floor() as usize;
            row.extend(std::iter::repeat_n(d < 0.0, known.min(self.size[0] - row.len())));
        }
        row
    }

    fn point(&self, at: [usize; 3]) -> DVec3 {
        (self.low + IVec3::from_array(at.map(|i| i as i32))).as_dvec3() * self.cell
    }

    fn index(&self, at: [usize; 3]) -> usize {
        (at[2] * self.size[1] + at[1]) * self.size[0] + at[0]
    }

    /// All edges along `axis` whose ends lie on different sides, as (lower end, lower end is inside).
    fn crossings(&self, axis: usize) -> Vec<([usize; 3], bool)> {
        let mut limit = self.size;
        limit[axis] -= 1;
        let mut out = Vec::new();
        for z in 0..limit[2] {
            for y in 0..limit[1] {
                for x in 0..limit[0] {
                    let at = [x, y, z];
                    let mut next = at;
                    next[axis] += 1;
                    let (a, b) = (self.inside[self.index(at)], self.inside[self.index(next)]);
                    if a != b {
                        out.push((at, a));
                    }
                }
            }
        }
        out
    }
}

/// Meshes the body with cells of the given size.
pub(super) fn mesh(body: &Body, cell: f64) -> QuadMesh {
    let grid = Grid::new(body, cell);
    let mut numbers: HashMap<usize, u32> = HashMap::new();
    let mut mesh = QuadMesh { positions: Vec::new(), quads: Vec::new() };
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for (at, lower_inside) in grid.crossings(axis) {
            // The four cells around the edge, counter-clockwise about the axis.
            let around = [(1, 1), (0, 1), (0, 0), (1, 0)].map(|(du, dv)| {
                let mut cell = at;
                cell[u] -= du;
                cell[v] -= dv;
                *numbers.entry(grid.index(cell)).or_insert_with(|| {
                    mesh.positions.push(grid.point(cell) + 0.5 * grid.cell);
                    mesh.positions.len() as u32 - 1
                })
            });
            let [a, b, c, d] = around;
            mesh.quads.push(if lower_inside { [a, d, c, b] } else { [a, b, c, d] });
        }
    }
    let held = vec![false; mesh.positions.len()];
    relax(body, &mut mesh, cell, &held, RELAXATIONS);
    mesh
}

/// Neighbours of each vertex along the quads' edges, ascending.
pub(super) fn neighbours(vertex_count: usize, quads: &[[u32; 4]]) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new(); vertex_count];
    for q in quads {
        for i in 0..4 {
            let (a, b) = (q[i], q[(i + 1) % 4]);
            out[a as usize].push(b);
            out[b as usize].push(a);
        }
    }
    for list in &mut out {
        list.sort_unstable();
        list.dedup();
    }
    out
}

/// Evens the quads out, `rounds` times, without moving the vertices that are held.
pub(super) fn relax(body: &Body, mesh: &mut QuadMesh, cell: f64, held: &[bool], rounds: usize) {
    let around = neighbours(mesh.positions.len(), &mesh.quads);
    for _ in 0..rounds {
        let old = std::mem::take(&mut mesh.positions);
        mesh.positions = (0..old.len())
            .into_par_iter()
            .with_min_len(256)
            .map(|v| {
                if held[v] {
                    return old[v];
                }
                let list = &around[v];
                let mean = list.iter().fold(DVec3::ZERO, |s, &n| s + old[n as usize]) / list.len() as f64;
                let target = body.project(old[v].lerp(mean, 0.6));
                // No step is longer than a cell: thin places must not jump to their other side.
                old[v] + (target - old[v]).clamp_length_max(cell)
            })
            .collect();
    }
}
