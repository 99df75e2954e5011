//! Going down two trees, or one, where bounds meet.

use glam::DVec3;

use super::lanes::{LANES, NOTHING, Reach, joined, ones};
use super::posed::Posed;
use super::seen::Seen;
use super::touch::{surely_apart, touch};
use super::tree::Below;

/// Two triangles that touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Their numbers in [`Mesh::triangles`](crate::geometry::Mesh::triangles) of the rest pose: of the first body
    /// and of the second, or the smaller first within one.
    pub triangles: [u32; 2],
    /// The ends of the line that they have in common, where the bodies meet.
    pub points: [DVec3; 2],
    /// How far they reach through each other, as [`Touch::depth`](super::Touch::depth).
    pub depth: f64,
}

impl Contact {
    /// Of two triangles with these numbers, if they touch.
    pub(super) fn of(a: &[DVec3; 3], b: &[DVec3; 3], triangles: [u32; 2]) -> Option<Self> {
        touch(a, b).map(|found| Self { triangles, points: found.points, depth: found.depth })
    }
}

/// Contacts in the order they are handed out in.
pub(super) fn sorted(mut contacts: Vec<Contact>) -> Vec<Contact> {
    contacts.sort_unstable_by_key(|contact| contact.triangles);
    contacts
}

/// Where two bodies touch, as they are set: all pairs of triangles, in ascending order of their numbers.
pub fn between(a: &Posed, b: &Posed) -> Vec<Contact> {
    let mut search = Search::new(a, b);
    let whole = |body: &Posed| (0..LANES).map(|lane| body.boxes(0).get(lane)).fold(NOTHING, joined);
    search.between([Below::Node(0); 2], [whole(a), whole(b)]);
    let mut found = Vec::new();
    for &[i, j] in &search.met {
        let (first, second) = (a.body.guards[i as usize].start, b.body.guards[j as usize].start);
        let (one, other) = (a.leaf(i), b.leaf(j));
        let (of_a, of_b) = (a.leaves(), b.leaves());
        of_a.get(one).pairs(of_b.get(other), |s, t| found.extend(contact((a, first + s), (b, second + t))));
    }
    sorted(found)
}

/// Where a body touches itself: all pairs of triangles that share no vertex, in ascending order of their numbers.
/// Vertices that are always at one place, as along seams, count as one.
pub fn within(body: &Posed) -> Vec<Contact> {
    let mut search = Search::new(body, body);
    search.within(0);
    let mut found = Vec::new();
    for &[i, j] in &search.met {
        let (first, second) = (body.body.guards[i as usize].start, body.body.guards[j as usize].start);
        let (one, other) = (body.leaf(i), body.leaf(j));
        let leaves = body.leaves();
        leaves.get(one).pairs(leaves.get(other), |s, t| {
            let (s, t) = (first + s, second + t);
            let (of_s, of_t) = (body.body.points[s as usize], body.body.points[t as usize]);
            let once = i != j || s < t;
            if once && !of_s.iter().any(|p| of_t.contains(p)) {
                let in_order = body.body.numbers[s as usize] < body.body.numbers[t as usize];
                let (s, t) = if in_order { (s, t) } else { (t, s) };
                found.extend(contact((body, s), (body, t)));
            }
        });
    }
    sorted(found)
}

/// Two triangles, as their trees count them, if they touch.
#[inline]
fn contact((a, i): (&Posed, u32), (b, j): (&Posed, u32)) -> Option<Contact> {
    let (of_a, of_b) = (a.corners(i), b.corners(j));
    if surely_apart(&of_a, &of_b) {
        return None;
    }
    let numbers = [a.body.numbers[i as usize], b.body.numbers[j as usize]];
    Contact::of(&of_a.map(|p| p.as_dvec3()), &of_b.map(|p| p.as_dvec3()), numbers)
}

/// Looks for leaves that meet.
struct Search<'a> {
    sides: [&'a Posed<'a>; 2],
    /// What takes boxes of each to the other.
    seen: [Seen; 2],
    met: Vec<[u32; 2]>,
}

impl<'a> Search<'a> {
    fn new(a: &'a Posed<'a>, b: &'a Posed<'a>) -> Self {
        Self { sides: [a, b], seen: [a.seen_by(b), b.seen_by(a)], met: Vec::new() }
    }

    /// Below a node and itself.
    fn within(&mut self, node: u32) {
        let parts = self.sides[0].body.nodes[node as usize];
        let boxes = self.sides[0].boxes(node);
        for (lane, part) in parts.into_iter().enumerate() {
            match part {
                Below::Node(node) => self.within(node),
                Below::Leaf(leaf) => self.met.push([leaf; 2]),
                Below::Nothing => continue,
            }
            let reach = boxes.get(lane);
            // Those that come later.
            let later = boxes.meeting(&self.seen[0].around(reach)) & (!1 << lane);
            for other in ones(later) {
                self.between([part, parts[other]], [reach, boxes.get(other)]);
            }
        }
    }

    /// Below two that meet, with their boxes.
    fn between(&mut self, parts: [Below; 2], reaches: [Reach; 2]) {
        let size = |[low, high]: Reach| (high - low).length_squared();
        let (side, node) = match parts {
            [Below::Leaf(i), Below::Leaf(j)] => {
                if self.guards_meet(i, j) {
                    self.met.push([i, j]);
                }
                return;
            }
            [Below::Nothing, _] | [_, Below::Nothing] => return,
            [Below::Node(i), Below::Node(_)] if size(reaches[0]) >= size(reaches[1]) => (0, i),
            [_, Below::Node(j)] => (1, j),
            [Below::Node(i), _] => (0, i),
        };
        let (body, other) = (self.sides[side], 1 - side);
        let (below, boxes) = (body.body.nodes[node as usize], body.boxes(node));
        for lane in ones(boxes.meeting(&self.seen[other].around(reaches[other]))) {
            let (mut parts, mut reaches) = (parts, reaches);
            (parts[side], reaches[side]) = (below[lane], boxes.get(lane));
            self.between(parts, reaches);
        }
    }

    fn guards_meet(&self, i: u32, j: u32) -> bool {
        let ((center, radius), (other, others)) = (self.sides[0].sphere(i), self.sides[1].sphere(j));
        let reach = radius + others;
        center.distance_squared(other) <= reach * reach
    }
}
