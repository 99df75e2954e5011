//! Pieces of a surface brought together: which points of different pieces lie nearest to each other.

use glam::Vec3;
use rayon::prelude::*;

/// Points in a box that are not split further.
const LEAF: usize = 8;

/// A box of the tree: its points are `order[start..end]`; its halves are boxes too.
struct Node {
    min: Vec3,
    max: Vec3,
    start: usize,
    end: usize,
    /// Where the second half is; the first follows the box itself. 0 for a leaf.
    second: usize,
    /// The piece all points belong to, if it is one.
    piece: Option<u32>,
}

struct Tree<'a> {
    points: &'a [Vec3],
    order: Vec<u32>,
    nodes: Vec<Node>,
}

/// The shortest links that make one of all pieces, given the piece of each point: a spanning tree after
/// Borůvka, in which every piece but the largest asks for the nearest point of another.
pub fn joining_links(points: &[Vec3], mut piece: Vec<u32>) -> Vec<[u32; 2]> {
    let mut links = Vec::new();
    let mut tree = None;
    loop {
        let largest = match largest_piece(&piece) {
            (_, true) => return links,
            (largest, false) => largest,
        };
        let tree = tree.get_or_insert_with(|| Tree::new(points));
        tree.label(&piece);
        let tree = &*tree;
        let mut nearest: Vec<(u32, f32, u32, u32)> = (0..points.len() as u32)
            .into_par_iter()
            .filter(|&i| piece[i as usize] != largest)
            .map(|i| {
                let (distance, other) = tree.nearest_elsewhere(i, &piece);
                (piece[i as usize], distance, i, other)
            })
            .collect();
        nearest.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then((a.2, a.3).cmp(&(b.2, b.3)))
        });
        nearest.dedup_by_key(|n| n.0);
        let mut roots: Vec<u32> = (0..points.len() as u32).collect();
        for &(_, _, a, b) in &nearest {
            let (a_root, b_root) = (root(&mut roots, piece[a as usize]), root(&mut roots, piece[b as usize]));
            if a_root != b_root {
                roots[a_root.max(b_root) as usize] = a_root.min(b_root);
                links.push([a, b]);
            }
        }
        piece.iter_mut().for_each(|p| *p = root(&mut roots, *p));
    }
}

/// Follows `roots` to the one that leads to itself, shortening the way.
pub fn root(roots: &mut [u32], mut i: u32) -> u32 {
    while roots[i as usize] != i {
        roots[i as usize] = roots[roots[i as usize] as usize];
        i = roots[i as usize];
    }
    i
}

/// The piece with the most points, and whether it is the only one.
fn largest_piece(piece: &[u32]) -> (u32, bool) {
    let mut counts = vec![0_u32; piece.len()];
    piece.iter().for_each(|&p| counts[p as usize] += 1);
    let largest = (0..counts.len()).rev().max_by_key(|&p| counts[p]).unwrap_or(0);
    (largest as u32, counts.is_empty() || counts[largest] as usize == piece.len())
}

impl<'a> Tree<'a> {
    fn new(points: &'a [Vec3]) -> Self {
        let mut tree = Self { points, order: (0..points.len() as u32).collect(), nodes: Vec::new() };
        tree.split(0, points.len());
        tree
    }

    fn split(&mut self, start: usize, end: usize) {
        let some = &mut self.order[start..end];
        let ends = |f: fn(Vec3, Vec3) -> Vec3, from: f32| {
            some.iter().fold(Vec3::splat(from), |m, &i| f(m, self.points[i as usize]))
        };
        let (min, max) = (ends(Vec3::min, f32::INFINITY), ends(Vec3::max, f32::NEG_INFINITY));
        let at = self.nodes.len();
        self.nodes.push(Node { min, max, start, end, second: 0, piece: None });
        if end - start <= LEAF {
            return;
        }
        let axis = (max - min).max_position();
        let middle = (end - start) / 2;
        let points = self.points;
        some.select_nth_unstable_by(middle, |&a, &b| {
            points[a as usize][axis].total_cmp(&points[b as usize][axis]).then(a.cmp(&b))
        });
        self.split(start, start + middle);
        self.nodes[at].second = self.nodes.len();
        self.split(start + middle, end);
    }

    /// Notes which boxes hold one piece only.
    fn label(&mut self, piece: &[u32]) {
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            let same = if node.second == 0 {
                let some = &self.order[node.start..node.end];
                let first = some.first().map(|&i| piece[i as usize]);
                first.filter(|&f| some.iter().all(|&i| piece[i as usize] == f))
            } else {
                let (a, b) = (self.nodes[at + 1].piece, self.nodes[node.second].piece);
                a.filter(|_| a == b)
            };
            self.nodes[at].piece = same;
        }
    }

    /// The nearest point of another piece, and its squared distance.
    fn nearest_elsewhere(&self, from: u32, piece: &[u32]) -> (f32, u32) {
        let mut best = (f32::INFINITY, from);
        self.search(0, from, piece, &mut best);
        best
    }

    fn search(&self, at: usize, from: u32, piece: &[u32], best: &mut (f32, u32)) {
        let node = &self.nodes[at];
        let (p, mine) = (self.points[from as usize], piece[from as usize]);
        if node.piece == Some(mine) || node.distance_squared(p) > best.0 {
            return;
        }
        if node.second == 0 {
            for &i in self.order[node.start..node.end].iter().filter(|&&i| piece[i as usize] != mine) {
                let distance = p.distance_squared(self.points[i as usize]);
                if (distance, i) < *best || best.1 == from {
                    *best = (distance, i);
                }
            }
            return;
        }
        let (a, b) = (at + 1, node.second);
        let a_first = self.nodes[a].distance_squared(p) <= self.nodes[b].distance_squared(p);
        for next in if a_first { [a, b] } else { [b, a] } {
            self.search(next, from, piece, best);
        }
    }
}

impl Node {
    fn distance_squared(&self, p: Vec3) -> f32 {
        (self.min - p).max(p - self.max).max(Vec3::ZERO).length_squared()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn links_are_as_short_as_a_spanning_tree_can_be(
            all in prop::collection::vec((-1.0..1.0_f32, -1.0..1.0_f32, -1.0..1.0_f32), 1..60),
            pieces in 1..7_usize,
        ) {
            let points: Vec<Vec3> = all.iter().map(|&(x, y, z)| Vec3::new(x, y, z)).collect();
            let pieces = pieces.min(points.len());
            let piece: Vec<u32> = (0..points.len()).map(|i| (i % pieces) as u32).collect();
            let links = joining_links(&points, piece.clone());
            prop_assert_eq!(links.len(), pieces - 1);
            let length = |a: u32, b: u32| f64::from(points[a as usize].distance(points[b as usize]));
            let found: f64 = links.iter().map(|&[a, b]| length(a, b)).sum();
            // Kruskal over all pairs.
            let mut pairs: Vec<[u32; 2]> = (0..points.len() as u32)
                .flat_map(|a| (0..a).map(move |b| [a, b])).collect();
            pairs.sort_by(|p, q| length(p[0], p[1]).total_cmp(&length(q[0], q[1])));
            let mut roots: Vec<u32> = (0..pieces as u32).collect();
            let mut best = 0.0;
            for [a, b] in pairs {
                let ends = [a, b].map(|i| root(&mut roots, piece[i as usize]));
                if ends[0] != ends[1] {
                    roots[ends[0] as usize] = ends[1];
                    best += length(a, b);
                }
            }
            prop_assert!((found - best).abs() < 1e-4, "{} against {}", found, best);
        }
    }
}
