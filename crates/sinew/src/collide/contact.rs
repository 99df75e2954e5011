//! Contacts between two bodies, or within one: broad phase over leaves, then boxes of triangles, then triangles.

use glam::DVec3;

use super::broad_phase::{candidates_between, candidates_within};
use super::posed::Posed;
use super::touch::{surely_apart, touch};

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
    let mut found = Vec::new();
    for [i, j] in candidates_between(a, b) {
        let (first, second) = (a.body.leaves[i as usize].start, b.body.leaves[j as usize].start);
        let (one, other) = (a.leaf(i), b.leaf(j));
        let (of_a, of_b) = (a.leaves(), b.leaves());
        of_a.get(one).pairs(of_b.get(other), |s, t| found.extend(contact((a, first + s), (b, second + t))));
    }
    sorted(found)
}

/// Where a body touches itself: all pairs of triangles that share no vertex, in ascending order of their numbers.
/// Vertices that are always at one place, as along seams, count as one.
pub fn within(body: &Posed) -> Vec<Contact> {
    let mut found = Vec::new();
    for [i, j] in candidates_within(body) {
        let (first, second) = (body.body.leaves[i as usize].start, body.body.leaves[j as usize].start);
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
