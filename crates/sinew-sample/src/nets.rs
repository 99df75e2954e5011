//! Surface nets (Gibson 1998): a mesh of quads around an implicit solid.
//!
//! Each grid cell that the surface crosses gets one vertex, each grid edge that it crosses one quad
//! between the four cells around it. Vertices then move to the middle of their neighbours and back onto
//! the surface a few times, which evens the quads out.

use std::collections::HashMap;

use glam::DVec3;
use rayon::prelude::*;

use crate::shape::Body;

/// A closed surface of quads, counter-clockwise from outside.
pub(super) struct QuadMesh {
    pub positions: Vec<DVec3>,
    pub quads: Vec<[u32; 4]>,
}

/// Samples on a grid that is symmetric about x = 0 and finer around the head.
struct Grid {
    /// Coordinates of the samples along each axis.
    lines: [Vec<f64>; 3],
    inside: Vec<bool>,
}

/// A box that holds the body with room to spare.
const BOX: [DVec3; 2] = [DVec3::new(-0.42, -0.10, -1.68), DVec3::new(0.42, 1.78, 1.18)];
const RELAXATIONS: usize = 8;

/// Spacing of the grid over its nominal one: small forms want small cells.
fn spacing(axis: usize, at: f64) -> f64 {
    let step = |from: f64, to: f64| {
        let t = ((at.abs() - from) / (to - from)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    };
    match axis {
        0 => 0.82 + 0.33 * step(0.10, 0.24),
        1 => 1.12 - 0.40 * step(1.10, 1.32),
        _ if at > 0.0 => 1.12 - 0.36 * step(0.40, 0.62),
        _ => 1.12 - 0.36 * step(1.10, 1.30),
    }
}

/// Coordinates from 0 outwards in both directions until the box is left.
fn grid_lines(axis: usize, cell: f64) -> Vec<f64> {
    let walk = |end: f64| {
        let next = move |at: &f64| Some(at + end.signum() * cell * spacing(axis, *at));
        std::iter::successors(Some(0.0), next).take_while(move |at| at.abs() < end.abs() + 2.0 * cell)
    };
    let mut lines: Vec<f64> = walk(BOX[0][axis]).skip(1).collect();
    lines.reverse();
    lines.extend(walk(BOX[1][axis]));
    lines
}

impl Grid {
    fn new(body: &Body, cell: f64) -> Self {
        let mut grid = Self { lines: [0, 1, 2].map(|axis| grid_lines(axis, cell)), inside: Vec::new() };
        let [_, rows, slices] = grid.size();
        grid.inside = (0..slices)
            .into_par_iter()
            .flat_map_iter(|z| {
                let grid = &grid;
                (0..rows).flat_map(move |y| grid.sample_row(body, y, z))
            })
            .collect();
        while grid.fill_checkered_faces() {}
        grid
    }

    /// Four samples around a grid face with the inside at two opposite corners would let four quads meet
    /// in one edge: fills such places. Returns whether there were any.
    fn fill_checkered_faces(&mut self) -> bool {
        let size = self.size();
        let mut found = false;
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut limit = size;
            limit[u] -= 1;
            limit[v] -= 1;
            for at in places(limit) {
                let face = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[du, dv]| {
                    let mut corner = at;
                    corner[u] += du;
                    corner[v] += dv;
                    self.index(corner)
                });
                let [a, b, c, d] = face.map(|i| self.inside[i]);
                if a == c && b == d && a != b {
                    for i in face {
                        self.inside[i] = true;
                    }
                    found = true;
                }
            }
        }
        found
    }

    fn size(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.lines[axis].len())
    }

    /// Inside or outside for one row along x. A row far from the surface is known from a few samples: the
    /// field grows at most by one per metre.
    fn sample_row(&self, body: &Body, y: usize, z: usize) -> Vec<bool> {
        let line = &self.lines[0];
        let mut row = Vec::with_capacity(line.len());
        while row.len() < line.len() {
            let x = line[row.len()];
            let d = body.field(DVec3::new(x, self.lines[1][y], self.lines[2][z])).distance;
            let known = line[row.len()..].iter().take_while(|&&next| next - x < d.abs()).count().max(1);
            row.extend(std::iter::repeat_n(d < 0.0, known));
        }
        row
    }

    /// The middle of the cell above a sample.
    fn cell_center(&self, at: [usize; 3]) -> DVec3 {
        let middle = |axis: usize| 0.5 * (self.lines[axis][at[axis]] + self.lines[axis][at[axis] + 1]);
        DVec3::new(middle(0), middle(1), middle(2))
    }

    fn index(&self, at: [usize; 3]) -> usize {
        (at[2] * self.lines[1].len() + at[1]) * self.lines[0].len() + at[0]
    }

    /// All edges along `axis` whose ends lie on different sides, as (lower end, lower end is inside).
    fn crossings(&self, axis: usize) -> Vec<([usize; 3], bool)> {
        let mut limit = self.size();
        limit[axis] -= 1;
        let crossing = |at: [usize; 3]| {
            let mut next = at;
            next[axis] += 1;
            let (a, b) = (self.inside[self.index(at)], self.inside[self.index(next)]);
            (a != b).then_some((at, a))
        };
        places(limit).filter_map(crossing).collect()
    }
}

/// All indices below a size, x fastest.
fn places(size: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    let [columns, rows, slices] = size;
    (0..slices).flat_map(move |z| (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y, z])))
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
                    mesh.positions.push(grid.cell_center(cell));
                    mesh.positions.len() as u32 - 1
                })
            });
            let [a, b, c, d] = around;
            mesh.quads.push(if lower_inside { [a, b, c, d] } else { [a, d, c, b] });
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
