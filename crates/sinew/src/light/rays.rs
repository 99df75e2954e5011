//! Whether anything is in the way of rays.
//!
//! `geometry::triangle_bvh` asks the same of single lines in double precision; here there are millions of rays a
//! frame, in single precision. Rays that begin at one place and go about the same way are followed side by side, so that
//! wide instructions try all of them against a box or a triangle, and what only the place decides is computed once.

use glam::{Vec3, Vec3A};

use crate::geometry::bvh::{Aabb, around, halve};
use crate::geometry::bvh4::{self, Below, Boxes4, LANES, Node};
use crate::wide::for_wide_machines;

/// Triangles in a leaf, at most.
const LEAF: usize = 4;
/// Nodes that may wait for their turn. A level of the tree adds three, and halving twice a level keeps it flat.
const WAITING: usize = 64;
/// Directions this near to an axis count as a little off it, as their inverse would be infinite.
const NEAR_AXIS: f32 = 1e-12;

/// Rays that are followed side by side.
pub(super) const RAYS: usize = 8;

/// Directions of unit length, axis by axis.
pub(super) type Bundle = [[f32; RAYS]; 3];

/// How far rays reach that have met something, or that are none.
pub(super) const STOPPED: f32 = -1.0;

/// Vertices of a triangle, and its middle times three.
type Sorted = ([u32; 3], Vec3);

/// A corner and two edges.
#[derive(Clone, Copy)]
struct Triangle {
    corner: Vec3A,
    edges: [Vec3A; 2],
}

/// The triangles of one pose, sorted for rays.
pub(super) struct RayBvh {
    nodes: Vec<Node>,
    boxes: Vec<Boxes4>,
    /// Vertices of the triangles, in the order of the leaves.
    corners: Vec<[u32; 3]>,
    triangles: Vec<Triangle>,
}

impl RayBvh {
    /// A hierarchy over some triangles, with the shape that suits `pose`.
    pub fn new(triangles: &[[u32; 3]], pose: &[Vec3]) -> Self {
        let middle = |t: &[u32; 3]| t.iter().map(|&v| pose[v as usize]).sum::<Vec3>();
        let mut sorted: Vec<Sorted> = triangles.iter().map(|t| (*t, middle(t))).collect();
        let nodes = bvh4::build(&mut sorted, LEAF, |some| halve(some, |t| t.1, |t| t.0));
        let corners: Vec<[u32; 3]> = sorted.into_iter().map(|(t, _)| t).collect();
        let mut bvh = Self { nodes, boxes: Vec::new(), corners, triangles: Vec::new() };
        bvh.fit(pose);
        bvh
    }

    /// Fits it to another pose.
    pub fn fit(&mut self, pose: &[Vec3]) {
        self.triangles.clear();
        self.triangles.extend(self.corners.iter().map(|t| {
            let [a, b, c] = t.map(|v| Vec3A::from(pose[v as usize]));
            Triangle { corner: a, edges: [b - a, c - a] }
        }));
        self.boxes = bvh4::fit(&self.nodes, |some| {
            around(self.triangles[some].iter().flat_map(|t| {
                let [b, c] = t.edges.map(|edge| t.corner + edge);
                [t.corner, b, c]
            }))
        });
    }

    /// Follows rays from a place, each as far as it reaches; those that meet a triangle are [`STOPPED`].
    pub fn stop(&self, from: Vec3A, directions: &Bundle, reaches: &mut [f32; RAYS]) {
        if !self.nodes.is_empty() {
            stop(self, from, directions, reaches);
        }
    }
}

for_wide_machines!(
    fn stop(bvh: &RayBvh, from: Vec3A, directions: &Bundle, reaches: &mut [f32; RAYS]) {
        let inverses = directions
            .map(|axis| axis.map(|d| 1.0 / if d.abs() < NEAR_AXIS { NEAR_AXIS.copysign(d) } else { d }));
        let mut waiting = [0_u32; WAITING];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let node = waiting[count] as usize;
            for lane in 0..LANES {
                if !any_through(bvh.boxes[node].get(lane), from, &inverses, reaches) {
                    continue;
                }
                match bvh.nodes[node][lane].below() {
                    Below::Leaf(some) => {
                        bvh.triangles[some].iter().for_each(|t| t.stop(from, directions, reaches));
                        if reaches.iter().all(|reach| *reach == STOPPED) {
                            return;
                        }
                    }
                    Below::Node(child) => {
                        waiting[count] = child as u32;
                        count += 1;
                    }
                }
            }
        }
    }
);

/// Whether any of the rays goes through a box; of directions the inverses.
#[inline(always)]
fn any_through([low, high]: Aabb<Vec3A>, from: Vec3A, inverses: &Bundle, reaches: &[f32; RAYS]) -> bool {
    let (near, far) = (low - from, high - from);
    let mut enter = [0.0; RAYS];
    let mut leave = *reaches;
    for axis in 0..3 {
        for ray in 0..RAYS {
            let (a, b) = (near[axis] * inverses[axis][ray], far[axis] * inverses[axis][ray]);
            enter[ray] = larger(enter[ray], smaller(a, b));
            leave[ray] = smaller(leave[ray], larger(a, b));
        }
    }
    (0..RAYS).fold(false, |any, ray| any | (enter[ray] <= leave[ray]))
}

/// One instruction, which `f32::min` is not, as it looks for NaN.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

impl Triangle {
    /// Stops the rays that go through it (Möller and Trumbore 1997).
    #[inline(always)]
    fn stop(&self, from: Vec3A, [x, y, z]: &Bundle, reaches: &mut [f32; RAYS]) {
        let [e, f] = self.edges;
        let s = from - self.corner;
        let q = s.cross(e);
        let height = f.dot(q);
        for ray in 0..RAYS {
            let (x, y, z) = (x[ray], y[ray], z[ray]);
            let p = [y * f.z - z * f.y, z * f.x - x * f.z, x * f.y - y * f.x];
            let dot = |a: Vec3A| a.x * p[0] + a.y * p[1] + a.z * p[2];
            let determinant = dot(e);
            let inverse = 1.0 / determinant;
            let u = dot(s) * inverse;
            let v = (x * q.x + y * q.y + z * q.z) * inverse;
            let t = height * inverse;
            let inside = (determinant != 0.0) & (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0);
            let met = inside & (t > 0.0) & (t < reaches[ray]);
            reaches[ray] = if met { STOPPED } else { reaches[ray] };
        }
    }
}

#[cfg(test)]
#[path = "../../tests/unit/light_rays.rs"]
mod tests;
