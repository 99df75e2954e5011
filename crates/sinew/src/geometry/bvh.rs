//! The bounding volume hierarchy: boxes in boxes over anything that has a place.
//!
//! Items are halved at the median along the axis on which they reach farthest ([`halve`]) until few are left. The
//! shape of the tree is found in one pose; for others only the boxes are fitted anew ([`Bvh::fit`]), which is much
//! cheaper and, for a mesh that moves, hardly looser. [`Bvh`] has two parts to a node and serves single queries:
//! nearest items, lines of sight, overlaps. Where there are millions of queries a frame, [`super::bvh4`] has four.

use std::cmp::Ordering;
use std::ops::Range;

use glam::{DVec3, Vec3, Vec3A};

/// A point that boxes are made of.
pub(crate) trait Point: Copy {
    /// The box around nothing.
    const NOWHERE: Aabb<Self>;
    /// The box around two.
    fn joined(a: Aabb<Self>, b: Aabb<Self>) -> Aabb<Self>;
    /// Whether two boxes have a point in common.
    fn overlap(a: Aabb<Self>, b: Aabb<Self>) -> bool;
    /// The axis on which a box reaches farthest.
    fn longest_axis(of: Aabb<Self>) -> usize;
    /// Which of two comes first along an axis.
    fn compare(self, other: Self, axis: usize) -> Ordering;
}

/// An axis-aligned box: its smallest and its largest corner.
pub(crate) type Aabb<P> = [P; 2];

macro_rules! point {
    ($point:ident) => {
        impl Point for $point {
            const NOWHERE: Aabb<Self> = [Self::INFINITY, Self::NEG_INFINITY];

            #[inline]
            fn joined([a, b]: Aabb<Self>, [c, d]: Aabb<Self>) -> Aabb<Self> {
                [a.min(c), b.max(d)]
            }

            #[inline]
            fn overlap([a, b]: Aabb<Self>, [c, d]: Aabb<Self>) -> bool {
                (a.cmple(d) & c.cmple(b)).all()
            }

            fn longest_axis([min, max]: Aabb<Self>) -> usize {
                (max - min).max_position()
            }

            #[inline]
            fn compare(self, other: Self, axis: usize) -> Ordering {
                self[axis].total_cmp(&other[axis])
            }
        }
    };
}

point!(Vec3);
point!(Vec3A);
point!(DVec3);

/// The box around points.
pub(crate) fn around<P: Point>(points: impl Iterator<Item = P>) -> Aabb<P> {
    points.fold(P::NOWHERE, |all, p| P::joined(all, [p, p]))
}

/// Sorts items into two halves along the axis on which their places reach farthest, and returns where the second
/// starts. `name` decides between items at one place.
pub(crate) fn halve<T, P: Point, K: Ord>(
    items: &mut [T],
    place: impl Fn(&T) -> P,
    name: impl Fn(&T) -> K,
) -> usize {
    let axis = P::longest_axis(around(items.iter().map(&place)));
    let half = items.len() / 2;
    if half > 0 {
        items.select_nth_unstable_by(half, |a, b| {
            place(a).compare(place(b), axis).then_with(|| name(a).cmp(&name(b)))
        });
    }
    half
}

/// A node: its items are `start..end`; its halves are nodes too.
#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    end: u32,
    /// Where the second half is; the first follows the node itself. 0 for a leaf.
    second: u32,
}

/// The shape of a tree with two parts to a node.
pub(crate) struct Bvh {
    /// Parents before children; the first is the root.
    nodes: Vec<Node>,
}

/// Nodes that may wait for their turn: one a level, and halving leaves no more than 32 levels.
const WAITING: usize = 40;

impl Bvh {
    /// Sorts items into leaves of at most `most`.
    pub fn new<T, P: Point, K: Ord>(
        items: &mut [T],
        most: usize,
        place: impl Fn(&T) -> P,
        name: impl Fn(&T) -> K,
    ) -> Self {
        let mut bvh = Self { nodes: Vec::new() };
        if !items.is_empty() {
            bvh.split(items, 0, most, &place, &name);
        }
        bvh
    }

    fn split<T, P: Point, K: Ord>(
        &mut self,
        items: &mut [T],
        start: usize,
        most: usize,
        place: &impl Fn(&T) -> P,
        name: &impl Fn(&T) -> K,
    ) {
        let at = self.nodes.len();
        self.nodes.push(Node { start: start as u32, end: (start + items.len()) as u32, second: 0 });
        if items.len() <= most {
            return;
        }
        let half = halve(items, place, name);
        let (low, high) = items.split_at_mut(half);
        self.split(low, start, most, place, name);
        self.nodes[at].second = self.nodes.len() as u32;
        self.split(high, start + half, most, place, name);
    }

    /// Items of the leaves, from the first on.
    pub fn leaves(&self) -> impl Iterator<Item = Range<usize>> {
        self.nodes.iter().filter(|node| node.second == 0).map(Node::items)
    }

    /// A value for every node: that of a leaf from its items, that of others from their halves'.
    pub fn bottom_up<V: Copy>(
        &self,
        nothing: V,
        leaf: impl Fn(Range<usize>) -> V,
        both: impl Fn(V, V) -> V,
    ) -> Vec<V> {
        let mut values = vec![nothing; self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            values[at] = match node.second {
                0 => leaf(node.items()),
                second => both(values[at + 1], values[second as usize]),
            };
        }
        values
    }

    /// The boxes of all nodes, given those around items.
    pub fn fit<P: Point>(&self, leaf: impl Fn(Range<usize>) -> Aabb<P>) -> Vec<Aabb<P>> {
        self.bottom_up(P::NOWHERE, leaf, P::joined)
    }

    /// Whether `found` says so of the items of a leaf, among those below nodes that `enter` allows.
    #[inline]
    pub fn any(&self, enter: impl Fn(usize) -> bool, found: impl Fn(Range<usize>) -> bool) -> bool {
        if self.nodes.is_empty() {
            return false;
        }
        let (mut waiting, mut count) = ([0_usize; WAITING], 0);
        let mut at = 0;
        loop {
            if enter(at) {
                let node = &self.nodes[at];
                if node.second != 0 {
                    waiting[count] = node.second as usize;
                    count += 1;
                    at += 1;
                    continue;
                }
                if found(node.items()) {
                    return true;
                }
            }
            if count == 0 {
                return false;
            }
            count -= 1;
            at = waiting[count];
        }
    }

    /// Hands out the items of leaves, near ones first as `distance` has it, but not of nodes that are `beyond` the best
    /// so far.
    #[inline]
    pub fn nearest<D: Copy + Default + PartialOrd, B>(
        &self,
        best: &mut B,
        distance: impl Fn(usize) -> D,
        beyond: impl Fn(usize, D, &B) -> bool,
        mut look: impl FnMut(Range<usize>, &mut B),
    ) {
        if self.nodes.is_empty() {
            return;
        }
        let (mut waiting, mut count) = ([(0_usize, D::default()); WAITING], 1);
        waiting[0].1 = distance(0);
        while count > 0 {
            count -= 1;
            let (at, away) = waiting[count];
            if beyond(at, away, best) {
                continue;
            }
            let node = &self.nodes[at];
            if node.second == 0 {
                look(node.items(), best);
                continue;
            }
            let halves = [at + 1, node.second as usize].map(|half| (half, distance(half)));
            let near = usize::from(halves[1].1 < halves[0].1);
            // The last one in is the first one out.
            (waiting[count], waiting[count + 1]) = (halves[1 - near], halves[near]);
            count += 2;
        }
    }

    /// Hands out the items of pairs of leaves whose boxes overlap, below pairs of nodes of this tree and another.
    pub fn overlaps<P: Point>(
        &self,
        boxes: &[Aabb<P>],
        (other, others): (&Self, &[Aabb<P>]),
        mut waiting: Vec<[usize; 2]>,
        larger: impl Fn(Aabb<P>, Aabb<P>) -> bool,
        mut test: impl FnMut(Range<usize>, Range<usize>),
    ) {
        while let Some([i, j]) = waiting.pop() {
            let (a, b) = (boxes[i], others[j]);
            if !P::overlap(a, b) {
                continue;
            }
            let (one, two) = (&self.nodes[i], &other.nodes[j]);
            match [one.second as usize, two.second as usize] {
                [0, 0] => test(one.items(), two.items()),
                [second, 0] => waiting.extend([[i + 1, j], [second, j]]),
                [second, _] if second != 0 && larger(a, b) => waiting.extend([[i + 1, j], [second, j]]),
                [_, second] => waiting.extend([[i, j + 1], [i, second]]),
            }
        }
    }

    /// The two halves of every node that has them.
    pub fn halves(&self) -> impl Iterator<Item = [usize; 2]> {
        let inner = self.nodes.iter().enumerate().filter(|(_, node)| node.second != 0);
        inner.map(|(at, node)| [at + 1, node.second as usize])
    }
}

impl Node {
    fn items(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}
