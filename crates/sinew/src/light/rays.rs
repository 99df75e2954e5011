//! Whether anything is in the way of a ray.
//!
//! `geometry::triangle_bvh` asks the same of single lines in double precision; here there are millions of rays a
//! frame, in single precision and four boxes at a time.

use glam::{Vec3, Vec3A};

use crate::geometry::bvh::{around, halve};
use crate::geometry::bvh4::{self, Below, Boxes4, Node, ones};

/// Triangles in a leaf, at most.
const LEAF: usize = 4;
/// Nodes that may wait for their turn. A level of the tree adds three, and halving twice a level keeps it flat.
const WAITING: usize = 64;
/// Directions this near to an axis count as a little off it, as their inverse would be infinite.
const NEAR_AXIS: f32 = 1e-12;

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

    /// Whether a ray of unit length from `from` meets a triangle nearer than `reach`.
    pub fn blocked(&self, from: Vec3A, direction: Vec3A, reach: f32) -> bool {
        if self.nodes.is_empty() {
            return false;
        }
        let inverse = Vec3A::from(
            direction.to_array().map(|d| 1.0 / if d.abs() < NEAR_AXIS { NEAR_AXIS.copysign(d) } else { d }),
        );
        let mut waiting = [0_u32; WAITING];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let node = waiting[count] as usize;
            for lane in ones(self.boxes[node].hit_by(from, inverse, reach)) {
                match self.nodes[node][lane].below() {
                    Below::Leaf(some) => {
                        if self.triangles[some].iter().any(|t| t.meets(from, direction, reach)) {
                            return true;
                        }
                    }
                    Below::Node(child) => {
                        waiting[count] = child as u32;
                        count += 1;
                    }
                }
            }
        }
        false
    }
}

impl Triangle {
    /// Whether a ray goes through it (Möller and Trumbore 1997).
    #[inline]
    fn meets(&self, from: Vec3A, direction: Vec3A, reach: f32) -> bool {
        let [e, f] = self.edges;
        let p = direction.cross(f);
        let determinant = e.dot(p);
        if determinant == 0.0 {
            return false;
        }
        let inverse = 1.0 / determinant;
        let s = from - self.corner;
        let u = s.dot(p) * inverse;
        let q = s.cross(e);
        let v = direction.dot(q) * inverse;
        let t = f.dot(q) * inverse;
        u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > 0.0 && t < reach
    }
}

#[cfg(test)]
#[path = "../../tests/unit/light_rays.rs"]
mod tests;
