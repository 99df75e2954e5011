//! Whether anything is in the way of a ray.
//!
//! A tree of boxes, four to a node, so that one wide instruction tries all four. Its shape is found once, in one
//! pose; for others only the boxes are computed again, as parts of a body that are together stay together.
//! `geometry::sight` asks the same of single lines in double precision; here there are millions of rays a frame.

use glam::{Vec3, Vec3A, Vec4};

/// Triangles in a leaf, at most.
const LEAF: usize = 4;
/// Marks a child that is a leaf: the place of its first triangle and their number follow.
const IS_LEAF: u32 = 1 << 31;
/// Nodes that may wait for their turn. A level of the tree adds three, and halving twice a level keeps it flat.
const WAITING: usize = 64;
/// Directions this near to an axis count as a little off it, as their inverse would be infinite.
const NEAR_AXIS: f32 = 1e-12;

/// Four boxes and what is in them.
#[derive(Clone, Copy)]
struct Node {
    low: [Vec4; 3],
    high: [Vec4; 3],
    children: [u32; 4],
}

/// Vertices of a triangle, and its middle times three.
type Sorted = ([u32; 3], Vec3);

/// A corner and two edges.
#[derive(Clone, Copy)]
struct Triangle {
    corner: Vec3A,
    edges: [Vec3A; 2],
}

/// The triangles of one pose, sorted for rays.
pub(super) struct RayTree {
    /// Parents before children; the first is the root.
    nodes: Vec<Node>,
    /// Vertices of the triangles, in the order of the leaves.
    corners: Vec<[u32; 3]>,
    triangles: Vec<Triangle>,
}

impl RayTree {
    /// A tree over some triangles, with the shape that suits `pose`.
    pub fn new(triangles: &[[u32; 3]], pose: &[Vec3]) -> Self {
        let middle = |t: &[u32; 3]| t.iter().map(|&v| pose[v as usize]).sum::<Vec3>();
        let mut sorted: Vec<Sorted> = triangles.iter().map(|t| (*t, middle(t))).collect();
        let mut nodes = Vec::new();
        if !sorted.is_empty() {
            add_node(&mut sorted, 0, &mut nodes);
        }
        let corners: Vec<[u32; 3]> = sorted.into_iter().map(|(t, _)| t).collect();
        let mut tree = Self { nodes, corners, triangles: Vec::new() };
        tree.fit(pose);
        tree
    }

    /// Makes it a tree of another pose.
    pub fn fit(&mut self, pose: &[Vec3]) {
        self.triangles.clear();
        self.triangles.extend(self.corners.iter().map(|t| {
            let [a, b, c] = t.map(|v| Vec3A::from(pose[v as usize]));
            Triangle { corner: a, edges: [b - a, c - a] }
        }));
        for number in (0..self.nodes.len()).rev() {
            let children = self.nodes[number].children;
            for (slot, child) in children.into_iter().enumerate() {
                let (low, high) = match leaf(child) {
                    Some(range) => self.leaf_box(range),
                    None => self.nodes[child as usize].whole(),
                };
                for axis in 0..3 {
                    self.nodes[number].low[axis][slot] = low[axis];
                    self.nodes[number].high[axis][slot] = high[axis];
                }
            }
        }
    }

    fn leaf_box(&self, range: std::ops::Range<usize>) -> (Vec3A, Vec3A) {
        let nothing = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
        self.triangles[range].iter().fold(nothing, |(low, high), t| {
            let [b, c] = t.edges.map(|edge| t.corner + edge);
            (low.min(t.corner).min(b).min(c), high.max(t.corner).max(b).max(c))
        })
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
            let node = &self.nodes[waiting[count] as usize];
            let mut hits = node.hits(from, inverse, reach);
            while hits != 0 {
                let child = node.children[hits.trailing_zeros() as usize];
                hits &= hits - 1;
                match leaf(child) {
                    Some(range) => {
                        if self.triangles[range].iter().any(|t| t.meets(from, direction, reach)) {
                            return true;
                        }
                    }
                    None => {
                        waiting[count] = child;
                        count += 1;
                    }
                }
            }
        }
        false
    }
}

/// Adds the node over some triangles, the first of which is at `start` of all, and those below it.
fn add_node(triangles: &mut [Sorted], start: usize, nodes: &mut Vec<Node>) -> u32 {
    let number = nodes.len();
    nodes.push(Node { low: [Vec4::INFINITY; 3], high: [Vec4::NEG_INFINITY; 3], children: [IS_LEAF; 4] });
    let (left, right) = halved(triangles);
    let ((a, b), (c, d)) = (halved(left), halved(right));
    let mut at = start;
    for (slot, quarter) in [a, b, c, d].into_iter().enumerate() {
        let count = quarter.len();
        nodes[number].children[slot] = match count {
            0..=LEAF => IS_LEAF | (at as u32) << 3 | count as u32,
            _ => add_node(quarter, at, nodes),
        };
        at += count;
    }
    number as u32
}

/// Two halves of some triangles, along the axis on which they reach farthest.
fn halved(triangles: &mut [Sorted]) -> (&mut [Sorted], &mut [Sorted]) {
    let low = triangles.iter().map(|t| t.1).fold(Vec3::INFINITY, Vec3::min);
    let high = triangles.iter().map(|t| t.1).fold(Vec3::NEG_INFINITY, Vec3::max);
    let axis = (high - low).max_position();
    let middle = triangles.len() / 2;
    if middle > 0 {
        triangles.select_nth_unstable_by(middle, |a, b| a.1[axis].total_cmp(&b.1[axis]).then(a.0.cmp(&b.0)));
    }
    triangles.split_at_mut(middle)
}

/// The triangles of a child that is a leaf.
fn leaf(child: u32) -> Option<std::ops::Range<usize>> {
    let start = ((child & !IS_LEAF) >> 3) as usize;
    (child & IS_LEAF != 0).then(|| start..start + (child & 7) as usize)
}

impl Node {
    /// The box around all four.
    fn whole(&self) -> (Vec3A, Vec3A) {
        let [x, y, z] = self.low.map(|axis| axis.min_element());
        let [u, v, w] = self.high.map(|axis| axis.max_element());
        (Vec3A::new(x, y, z), Vec3A::new(u, v, w))
    }

    /// A bit for each box that the ray goes through.
    #[inline]
    fn hits(&self, from: Vec3A, inverse: Vec3A, reach: f32) -> u32 {
        let mut enter = Vec4::ZERO;
        let mut leave = Vec4::splat(reach);
        for axis in 0..3 {
            let (o, d) = (Vec4::splat(from[axis]), Vec4::splat(inverse[axis]));
            let (a, b) = ((self.low[axis] - o) * d, (self.high[axis] - o) * d);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        enter.cmple(leave).bitmask()
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
mod tests {
    use super::*;

    /// Triangles here and there.
    fn soup(count: usize, turn: f32) -> (Vec<[u32; 3]>, Vec<Vec3>) {
        let place = |i: usize| {
            let x = i as f32 + turn;
            Vec3::new(
                (x * 1.7).sin() + (x * 0.31).cos(),
                (x * 2.3).cos(),
                (x * 0.77).sin() * (x * 0.13).cos(),
            )
        };
        let triangles = (0..count as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let near = |i: usize| place(i / 3) + 0.3 * place(i + 50);
        (triangles, (0..3 * count).map(near).collect())
    }

    #[test]
    fn rays_meet_what_they_meet_without_a_tree() {
        for count in [0, 1, 5, 17, 300] {
            let (triangles, pose) = soup(count, 0.0);
            let mut tree = RayTree::new(&triangles, &pose);
            for turn in [0.0, 0.4] {
                let (_, pose) = soup(count, turn);
                tree.fit(&pose);
                let mut met = 0;
                for ray in 0..400 {
                    let x = ray as f32;
                    let from = 2.0 * Vec3A::new((x * 0.9).sin(), (x * 1.3).cos(), (x * 0.41).sin());
                    let mut direction = Vec3A::new((x * 0.2).cos(), (x * 0.7).sin(), (x * 0.5).cos());
                    if ray % 10 == 0 {
                        direction = Vec3A::AXES[ray / 10 % 3];
                    }
                    let direction = direction.normalize();
                    let reach = if ray % 3 == 0 { 1.0 } else { f32::INFINITY };
                    let all = tree.triangles.iter().any(|t| t.meets(from, direction, reach));
                    assert_eq!(tree.blocked(from, direction, reach), all, "{count} triangles, ray {ray}");
                    met += usize::from(all);
                }
                assert!(count < 300 || (20..380).contains(&met), "{met} of 400");
            }
        }
    }
}
