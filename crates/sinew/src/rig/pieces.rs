//! Bones that move several separate pieces of the surface, taken apart.
//!
//! A fit may let one bone serve two places that happen to move alike: half of a neck and the croup. It replays
//! its motion well and with few bones, but nobody can turn such a bone, and no joint of another motion is in
//! both places. So before a rig is edited or given other motion, each such place gets a bone of its own. All
//! frames stay as they are to the last bit: a new bone moves as the one it came from.

use glam::DVec3;
use rayon::prelude::*;

use super::{Bone, Rig, picked};
use crate::geometry::surface::{pieces, same_places};
use crate::nodes::Parent;

/// A piece with less than this share of all that a bone moves is a stray: some vertices that a fit found to
/// be a little better with a weight that has no place there.
const STRAY: f64 = 0.05;
/// A piece of another surface belongs to a bone if its middle is within so many radii of the middle of the
/// bone's largest piece.
const NEAR: f64 = 2.5;

/// A piece of the surface that one bone moves.
struct Piece {
    bone: usize,
    /// What [`Rig::slot_pieces`] numbers it by.
    number: u32,
    /// The sum of its weights.
    mass: f64,
    middle: DVec3,
    /// Root of the mean squared distance from the middle.
    radius: f64,
}

impl Rig {
    /// Gives every separate piece of the surface that a bone moves a bone of its own, and returns for each
    /// bone that was added, behind the others, the one it was part of. The largest piece stays with the bone.
    ///
    /// Strays, pieces of a few vertices, stay with their bone too, unless it is one of `turned`: then its
    /// strays share a new bone, so that they are not torn out of their surroundings when it turns.
    ///
    /// Frames stay as they are bit for bit. Bones of a skeleton are joints and are not taken apart.
    pub fn split_bones(&mut self, turned: &[usize]) -> Vec<usize> {
        if self.skeleton.is_some() || self.weights.per_vertex == 0 {
            return Vec::new();
        }
        let edges = self.edges();
        let slots = self.slot_pieces(&edges);
        let shells = pieces(self.rest.len(), &edges);
        let mut origins = Vec::new();
        let mut moves: Vec<(u32, u32)> = Vec::new();
        for of_bone in self.pieces(&slots).chunk_by(|a, b| a.bone == b.bone) {
            let total: f64 = of_bone.iter().map(|piece| piece.mass).sum();
            let mut strays = None;
            // The first is the largest.
            for piece in of_bone[1..].iter().filter(|piece| !self.belongs(piece, &of_bone[0], &shells)) {
                let mut add = || {
                    origins.push(piece.bone);
                    (self.bones.len() + origins.len() - 1) as u32
                };
                if piece.mass >= STRAY * total {
                    moves.push((piece.number, add()));
                } else if turned.contains(&piece.bone) {
                    moves.push((piece.number, *strays.get_or_insert_with(add)));
                }
            }
        }
        moves.sort_unstable();
        for (bone, piece) in self.weights.bones.iter_mut().zip(&slots) {
            if let Ok(at) = moves.binary_search_by_key(piece, |(number, _)| *number) {
                *bone = moves[at].1;
            }
        }
        self.add_copies(&origins);
        origins
    }

    /// Edges of the mesh, each once; vertices at the same place, which files cut a mesh into, are tied too.
    pub(crate) fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = (0..self.mesh.face_count())
            .flat_map(|f| {
                let face = self.mesh.face(f);
                (0..face.len()).map(move |i| [face[i], face[(i + 1) % face.len()]])
            })
            .chain(same_places(&self.rest))
            .map(|[p, q]| [p.min(q), p.max(q)])
            .filter(|[p, q]| p != q)
            .collect();
        edges.par_sort_unstable();
        edges.dedup();
        edges
    }

    /// For each vertex the first that is at the same place in every pose: files cut meshes along seams.
    pub(crate) fn points(&self) -> Vec<u32> {
        let moves_alike = |&[a, b]: &[u32; 2]| {
            let same_weights = self.weights.of(a as usize) == self.weights.of(b as usize);
            let shapes = self.corrections.iter().flat_map(|c| c.basis.chunks_exact(self.rest.len().max(1)));
            same_weights && shapes.into_iter().all(|shape| shape[a as usize] == shape[b as usize])
        };
        let ties: Vec<[u32; 2]> = same_places(&self.rest).into_iter().filter(moves_alike).collect();
        pieces(self.rest.len(), &ties)
    }

    /// For each bone the sum of the places it moves and that of their weights, without signs.
    pub(super) fn weighted_sums(&self) -> Vec<(DVec3, f64)> {
        let mut sums = vec![(DVec3::ZERO, 0.0); self.bones.len()];
        for (slot, (&bone, weight)) in self.weights.bones.iter().zip(&self.weights.weights).enumerate() {
            let (sum, total) = &mut sums[bone as usize];
            *sum += self.rest[slot / self.weights.per_vertex].as_dvec3() * f64::from(weight.abs());
            *total += f64::from(weight.abs());
        }
        sums
    }

    /// Whether a piece is one place with the largest of its bone, though no edge leads there: an eye in a head
    /// is a surface of its own.
    fn belongs(&self, piece: &Piece, largest: &Piece, shells: &[u32]) -> bool {
        let shell = |piece: &Piece| shells[piece.number as usize / self.weights.per_vertex];
        shell(piece) != shell(largest) && piece.middle.distance(largest.middle) <= NEAR * largest.radius
    }

    /// A number for each slot of the weights, the same for those of one bone that edges connect.
    fn slot_pieces(&self, edges: &[[u32; 2]]) -> Vec<u32> {
        let k = self.weights.per_vertex;
        let slots =
            |v: u32| (v as usize * k..(v as usize + 1) * k).filter(|&s| self.weights.weights[s] != 0.0);
        let mut ties = Vec::new();
        for &[p, q] in edges {
            for a in slots(p) {
                let same = slots(q).filter(|&b| self.weights.bones[a] == self.weights.bones[b]);
                ties.extend(same.map(|b| [a as u32, b as u32]));
            }
        }
        pieces(self.weights.weights.len(), &ties)
    }

    /// The pieces, bone by bone, the largest of each first.
    fn pieces(&self, slots: &[u32]) -> Vec<Piece> {
        let mut sums = vec![(0.0, DVec3::ZERO, 0.0); slots.len()];
        for (slot, (&piece, &weight)) in slots.iter().zip(&self.weights.weights).enumerate() {
            let (weight, at) =
                (f64::from(weight.abs()), self.rest[slot / self.weights.per_vertex].as_dvec3());
            let sum = &mut sums[piece as usize];
            *sum = (sum.0 + weight, sum.1 + at * weight, sum.2 + at.length_squared() * weight);
        }
        let piece = |number: usize| {
            let (mass, sum, squares) = sums[number];
            let middle = sum / mass;
            let radius = (squares / mass - middle.length_squared()).max(0.0).sqrt();
            Piece { bone: self.weights.bones[number] as usize, number: number as u32, mass, middle, radius }
        };
        let mut found: Vec<Piece> = (0..slots.len()).filter(|&s| sums[s].0 > 0.0).map(piece).collect();
        let largest_first = |a: &Piece, b: &Piece| b.mass.total_cmp(&a.mass).then(a.number.cmp(&b.number));
        found.sort_by(|a, b| a.bone.cmp(&b.bone).then_with(|| largest_first(a, b)));
        found
    }

    /// Adds a copy of each of `origins`, which moves as it does, and puts bones that lost a piece, and the
    /// new ones, in the middle of what is theirs.
    fn add_copies(&mut self, origins: &[usize]) {
        let before = self.bones.len();
        if origins.is_empty() {
            return;
        }
        let copied: Vec<usize> = (0..before).chain(origins.iter().copied()).collect();
        self.transforms = picked(&self.transforms, before, &copied);
        for &origin in origins {
            let name = self.free_name(&self.bones[origin].name);
            self.bones.push(Bone { name, ..self.bones[origin].clone() });
        }
        let sums = self.weighted_sums();
        for bone in origins.iter().copied().chain(before..self.bones.len()) {
            self.bones[bone].center = sums[bone].0 / sums[bone].1;
        }
        self.rehang_nodes(origins, before);
    }

    /// Lets what hangs on one of `origins`, whose copies begin at bone `first`, hang on whichever of them is nearest.
    fn rehang_nodes(&mut self, origins: &[usize], first: usize) {
        for node in &mut self.nodes {
            let Parent::Bone(old) = node.parent else { continue };
            let place = node.motion.at(0).translation;
            let away = |bone: &usize| self.bones[*bone].center.distance_squared(place);
            let copies = origins.iter().enumerate().filter(|(_, origin)| **origin == old);
            let all = copies.map(|(number, _)| first + number).chain([old]);
            let nearest = all.min_by(|a, b| away(a).total_cmp(&away(b)).then(a.cmp(b)));
            node.parent = Parent::Bone(nearest.unwrap_or(old));
        }
    }

    /// A name after `name` that no bone has.
    fn free_name(&self, name: &str) -> String {
        let taken = |name: &String| self.bones.iter().any(|bone| bone.name == *name);
        (2..).map(|n| format!("{name}.{n}")).find(|name| !taken(name)).unwrap_or_default()
    }
}
