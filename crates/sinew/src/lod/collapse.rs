//! Collapsing edges, the least harmful first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use glam::DVec3;

use super::progressive_mesh::{Change, ProgressiveMesh};
use super::quadric::{Quadric, Slide, double_area};
use super::surface::{Surface, Triangle};
use super::tuning::TUNING;
use crate::geometry::grouped::distinct;
use crate::geometry::surface::Distance;
use crate::progress::{Cancelled, Progress};

/// Points after which it is asked whether somebody cancelled.
const POINTS_AT_ONCE: usize = 1024;

/// `from` is moved onto `to`. The cheapest is the least.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    cost: Distance,
    from: u32,
    to: u32,
    stamps: [u32; 2],
    /// Mean squared distance that it adds.
    off: Distance,
}

/// A surface on its way down.
pub(super) struct Collapse {
    surface: Surface,
    alive: Vec<bool>,
    live: usize,
    /// Triangles of each point, dead ones among them.
    around: Vec<Vec<u32>>,
    /// Point after point, one for each pose.
    quadrics: Vec<Quadric>,
    slides: Vec<Slide>,
    /// What a squared unit of texture coordinates counts.
    texture: f64,
    /// Changes with all that a collapse at a point depends on.
    stamps: Vec<u32>,
    edges: BinaryHeap<Reverse<Edge>>,
    /// Edges that could not be collapsed when it was their turn; later they may.
    waiting: Vec<Reverse<Edge>>,
    changed: bool,
    pub done: ProgressiveMesh,
}

impl Collapse {
    pub fn new(surface: Surface, texture: f64, progress: &dyn Progress) -> Result<Self, Cancelled> {
        let (points, triangles) = (surface.rest.len(), surface.triangles.len());
        let mut around = vec![Vec::new(); points];
        for (t, triangle) in surface.triangles.iter().enumerate() {
            triangle.points.iter().for_each(|&p| around[p as usize].push(t as u32));
        }
        let mut collapse = Self {
            alive: vec![true; triangles],
            live: triangles,
            around,
            quadrics: vec![Quadric::default(); points * surface.poses.len()],
            slides: vec![Slide::default(); points],
            texture: texture * texture * texture_scale(&surface),
            stamps: vec![0; points],
            edges: BinaryHeap::new(),
            waiting: Vec::new(),
            changed: false,
            done: ProgressiveMesh::new(&surface),
            surface,
        };
        collapse.add_planes();
        collapse.add_rims();
        collapse.add_slides();
        for point in 0..points {
            if point.is_multiple_of(POINTS_AT_ONCE) {
                progress.check()?;
            }
            collapse.offer(point as u32, |from, to| from < to);
        }
        Ok(collapse)
    }

    /// Triangles that are left.
    pub fn triangle_count(&self) -> usize {
        self.live
    }

    /// The next edge to collapse, if any is left that can be.
    pub fn next(&mut self) -> Option<Edge> {
        loop {
            let Some(Reverse(edge)) = self.edges.pop() else {
                if !std::mem::take(&mut self.changed) {
                    return None;
                }
                self.edges.extend(std::mem::take(&mut self.waiting));
                continue;
            };
            if edge.stamps != [edge.from, edge.to].map(|p| self.stamps[p as usize]) {
                continue;
            }
            if self.is_allowed(&edge) {
                return Some(edge);
            }
            self.waiting.push(Reverse(edge));
        }
    }

    /// Collapses an edge that [`Self::next`] gave.
    pub fn apply(&mut self, edge: &Edge) {
        let Edge { from, to, .. } = *edge;
        let shared = self.shared(from, to);
        for t in std::mem::take(&mut self.around[from as usize]) {
            if !self.alive[t as usize] {
                continue;
            }
            if shared.contains(&t) {
                self.alive[t as usize] = false;
                self.live -= 1;
                self.done.drop_triangle(t);
                continue;
            }
            let triangle = self.surface.triangles[t as usize];
            let corner = corner(&triangle, from);
            let go = |layer: fn(&Triangle) -> [u32; 3]| {
                self.carried(&shared, from, to, layer, layer(&triangle)[corner])
            };
            // Where a hard edge ends, any of the normals will do.
            let any = self.surface.triangles[shared[0] as usize];
            let any = any.normals[self::corner(&any, to)];
            let change = Change {
                triangle: t,
                corner: corner as u8,
                vertex: go(|t| t.vertices).unwrap_or(to),
                uv: go(|t| t.uvs).unwrap_or(triangle.uvs[corner]),
                normal: go(|t| t.normals).unwrap_or(any),
                look: go(|t| t.looks).unwrap_or(triangle.looks[corner]),
            };
            let moved = &mut self.surface.triangles[t as usize];
            moved.points[corner] = to;
            change.apply(moved);
            self.done.change(change);
            self.around[to as usize].push(t);
        }
        let alive = &self.alive;
        self.around[to as usize].retain(|&t| alive[t as usize]);
        let poses = self.surface.poses.len();
        for k in 0..poses {
            let gone = self.quadrics[from as usize * poses + k];
            self.quadrics[to as usize * poses + k] += gone;
        }
        let gone = self.slides[from as usize];
        self.slides[to as usize] += gone;
        self.stamps[from as usize] += 1;
        self.stamps[to as usize] += 1;
        self.done.end_step(self.live, edge.off.0);
        self.changed = true;
        self.offer(to, |_, _| true);
    }

    /// Puts both ways to collapse the edges of a point in line.
    fn offer(&mut self, point: u32, which: impl Fn(u32, u32) -> bool) {
        for other in self.neighbours(point).into_iter().filter(|&other| which(point, other)) {
            let ways = [self.edge(point, other), self.edge(other, point)];
            self.edges.extend(ways.map(Reverse));
        }
    }

    fn edge(&self, from: u32, to: u32) -> Edge {
        let poses = self.surface.poses.len();
        let (mut harm, mut weight, mut length) = (0.0, 0.0, 0.0);
        for (k, pose) in self.surface.poses.iter().enumerate() {
            let [start, end] = [from, to].map(|p| pose[p as usize].as_dvec3());
            let mut both = self.quadrics[from as usize * poses + k];
            both += self.quadrics[to as usize * poses + k];
            harm += both.at(end);
            weight += both.weight;
            length += start.distance_squared(end);
        }
        let mut cost = harm + TUNING.edge_length * length * weight;
        if self.texture > 0.0
            && let Some(&t) = self.shared(from, to).first()
        {
            let triangle = &self.surface.triangles[t as usize];
            let uv = self.surface.uvs[triangle.uvs[corner(triangle, to)] as usize];
            let end = self.surface.rest[to as usize].as_dvec3();
            cost += self.texture * poses as f64 * self.slides[from as usize].at(end, uv);
        }
        let stamps = [from, to].map(|p| self.stamps[p as usize]);
        let off = harm / weight.max(f64::MIN_POSITIVE);
        Edge { cost: Distance(cost), from, to, stamps, off: Distance(off) }
    }

    /// Whether an edge can be collapsed without tearing, folding or smearing anything.
    fn is_allowed(&self, edge: &Edge) -> bool {
        let Edge { from, to, .. } = *edge;
        let shared = self.shared(from, to);
        if shared.is_empty() || shared.len() > 2 {
            return false;
        }
        let near = self.neighbours(to);
        let (own, common): (Vec<u32>, Vec<u32>) =
            self.neighbours(from).into_iter().partition(|p| !near.contains(p));
        // A third common neighbour: the surface would fold onto itself.
        if common.len() != shared.len() {
            return false;
        }
        let rim = |p: u32| self.shared(from, p).len() == 1;
        if shared.len() == 2 && own.iter().chain(&common).any(|&p| rim(p)) {
            return false;
        }
        self.keeps_materials(from, &shared)
            && self.keeps_seams(from, to, &shared)
            && self.keeps_sides(from, to, &shared)
    }

    /// A point between two materials moves along the line between them only.
    fn keeps_materials(&self, from: u32, shared: &[u32]) -> bool {
        let material = |t: u32| self.surface.triangles[t as usize].material;
        match distinct(self.triangles_of(from).map(material)).len() {
            0 | 1 => true,
            2 => shared.len() == 1 || material(shared[0]) != material(shared[1]),
            _ => false,
        }
    }

    /// Every texture coordinate and all else at `from` has one to go to, and every part its own vertex.
    fn keeps_seams(&self, from: u32, to: u32, shared: &[u32]) -> bool {
        self.triangles_of(from).filter(|t| !shared.contains(t)).all(|t| {
            let triangle = &self.surface.triangles[t as usize];
            let goes = |layer: fn(&Triangle) -> [u32; 3]| {
                self.carried(shared, from, to, layer, layer(triangle)[corner(triangle, from)]).is_some()
            };
            goes(|t| t.vertices) && goes(|t| t.uvs) && goes(|t| t.looks)
        })
    }

    /// No triangle turns over in any pose.
    fn keeps_sides(&self, from: u32, to: u32, shared: &[u32]) -> bool {
        self.triangles_of(from).filter(|t| !shared.contains(t)).all(|t| {
            let points = self.surface.triangles[t as usize].points;
            let moved = points.map(|p| if p == from { to } else { p });
            self.surface.poses.iter().all(|pose| {
                let [before, after] =
                    [points, moved].map(|points| double_area(points.map(|p| pose[p as usize])));
                before == DVec3::ZERO
                    || before.dot(after) > TUNING.least_cosine * before.length() * after.length()
            })
        })
    }

    /// What a corner value at `from` becomes at `to`: the triangles between them tell. None where they do not,
    /// or do not agree.
    fn carried(
        &self,
        shared: &[u32],
        from: u32,
        to: u32,
        layer: impl Fn(&Triangle) -> [u32; 3],
        value: u32,
    ) -> Option<u32> {
        let ends = shared.iter().map(|&t| {
            let triangle = &self.surface.triangles[t as usize];
            let values = layer(triangle);
            (values[corner(triangle, from)], values[corner(triangle, to)])
        });
        let mut found = ends.filter(|(at_from, _)| *at_from == value).map(|(_, at_to)| at_to);
        let first = found.next()?;
        found.all(|other| other == first).then_some(first)
    }

    fn triangles_of(&self, point: u32) -> impl Iterator<Item = u32> + '_ {
        self.around[point as usize].iter().copied().filter(|&t| self.alive[t as usize])
    }

    fn shared(&self, a: u32, b: u32) -> Vec<u32> {
        self.triangles_of(a).filter(|&t| self.surface.triangles[t as usize].points.contains(&b)).collect()
    }

    fn neighbours(&self, point: u32) -> Vec<u32> {
        let around = self.triangles_of(point).flat_map(|t| self.surface.triangles[t as usize].points);
        distinct(around.filter(|&p| p != point))
    }

    /// The plane of every triangle, in every pose.
    fn add_planes(&mut self) {
        let poses = self.surface.poses.len();
        for triangle in &self.surface.triangles {
            for (k, pose) in self.surface.poses.iter().enumerate() {
                let normal = double_area(triangle.points.map(|p| pose[p as usize]));
                let length = normal.length();
                if length == 0.0 {
                    continue;
                }
                let at = pose[triangle.points[0] as usize].as_dvec3();
                let plane = Quadric::plane(normal / length, at, length / 6.0);
                triangle.points.iter().for_each(|&p| self.quadrics[p as usize * poses + k] += plane);
            }
        }
    }

    /// Planes that stand on borders, on seams and on edges between materials.
    fn add_rims(&mut self) {
        let poses = self.surface.poses.len();
        for t in 0..self.surface.triangles.len() {
            let triangle = self.surface.triangles[t];
            for i in 0..3 {
                let [a, b] = [triangle.points[i], triangle.points[(i + 1) % 3]];
                if !self.is_rim(t as u32, a, b) {
                    continue;
                }
                for k in 0..poses {
                    let pose = &self.surface.poses[k];
                    let [start, end] = [a, b].map(|p| pose[p as usize].as_dvec3());
                    let along = end - start;
                    let up = double_area(triangle.points.map(|p| pose[p as usize]));
                    if let Some(out) = along.cross(up).try_normalize() {
                        let plane = Quadric::plane(out, start, TUNING.rim * along.length_squared());
                        [a, b].iter().for_each(|&p| self.quadrics[p as usize * poses + k] += plane);
                    }
                }
            }
        }
    }

    /// Whether beyond an edge of a triangle there is nothing, or something else.
    fn is_rim(&self, t: u32, a: u32, b: u32) -> bool {
        let own = &self.surface.triangles[t as usize];
        let beyond = self.shared(a, b).into_iter().filter(|&other| other != t);
        let like = |other: &Triangle| {
            let at = |triangle: &Triangle, p: u32| {
                let corner = corner(triangle, p);
                (triangle.uvs[corner], triangle.looks[corner])
            };
            other.material == own.material && [a, b].iter().all(|&p| at(other, p) == at(own, p))
        };
        !beyond.into_iter().any(|other| like(&self.surface.triangles[other as usize]))
    }

    /// Texture coordinates as functions of place, in the rest pose.
    fn add_slides(&mut self) {
        if self.texture <= 0.0 {
            return;
        }
        for triangle in &self.surface.triangles {
            let rest = triangle.points.map(|p| self.surface.rest[p as usize]);
            let uvs = triangle.uvs.map(|uv| self.surface.uvs[uv as usize]);
            let weight = double_area(rest).length() / 6.0;
            let slide = Slide::of_triangle(rest.map(|p| p.as_dvec3()), uvs, weight);
            triangle.points.iter().for_each(|&p| self.slides[p as usize] += slide);
        }
    }
}

/// Which corner of a triangle a point is.
fn corner(triangle: &Triangle, point: u32) -> usize {
    triangle.points.iter().position(|&p| p == point).unwrap_or(0)
}

/// Squared length on the surface for a squared length in the texture; 0 without one.
fn texture_scale(surface: &Surface) -> f64 {
    if surface.uvs.is_empty() {
        return 0.0;
    }
    let (mut area, mut flat) = (0.0, 0.0);
    for triangle in &surface.triangles {
        area += double_area(triangle.points.map(|p| surface.rest[p as usize])).length();
        flat += double_area(triangle.uvs.map(|uv| surface.uvs[uv as usize].extend(0.0))).length();
    }
    if flat > 0.0 { area / flat } else { 0.0 }
}
