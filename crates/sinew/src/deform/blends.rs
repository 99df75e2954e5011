//! Rotations of many elements, blended as [`super::tree`] says.

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3};

use super::bend::{Bend, add_product};
use super::exp::exp;
use super::swell::MiddleLine;
use super::tree::{Tree, Turned, add_share};
use crate::geometry::grouped::Lists;

/// One share of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Term {
    /// The joint that turns, or, after all joints, a pair of them.
    turn: u32,
    share: f32,
    /// Whether the shares up to here make a factor.
    whole: bool,
    bend: Bend,
}

/// How the rotations of many elements are blended.
#[derive(Clone, Debug, Default)]
pub(super) struct Blends {
    /// Pairs of joints that are not parent and child, from one of which elements turn to the other.
    pub pairs: Vec<[u32; 2]>,
    /// The middle line of what bends by each turn.
    pub lines: Vec<MiddleLine>,
    /// How far middle lines are taken to where bones are, 0 to 1.
    follow: f64,
    tops: Vec<u32>,
    terms: Lists<Term>,
}

impl Blends {
    /// Plans the blends of elements, given the joints and influences of each, which sum to one, how far they follow bones,
    /// the middle line around a joint, and how the turn of a joint bends an element.
    pub fn new<'a>(
        tree: &Tree,
        elements: impl Iterator<Item = &'a [(u32, f32)]> + Clone,
        follow: f64,
        line: impl Fn(u32) -> MiddleLine,
        bend: impl Fn(usize, u32) -> Bend,
    ) -> Self {
        let mut counts = vec![false; tree.parents.len()];
        elements.clone().flatten().for_each(|&(joint, _)| counts[joint as usize] = true);
        let mut out = Self { follow, ..Self::default() };
        let (mut known, mut terms) = (BTreeMap::new(), Vec::new());
        for (element, influences) in elements.enumerate() {
            let (top, mut ways) = ways(tree, influences, &counts);
            out.tops.push(top);
            // Parents first: they have smaller numbers.
            ways.sort_unstable_by_key(|&(from, to, _)| (from, to));
            let term = |(i, &(from, to, below)): (usize, &(u32, u32, f32))| Term {
                turn: out.turn(tree, [from, to], &mut known),
                share: below.min(1.0),
                whole: ways.get(i + 1).is_none_or(|next| next.0 != from),
                bend: bend(element, to),
            };
            terms.push(ways.iter().enumerate().map(term).collect());
        }
        out.terms = Lists::from_lists(terms.into_iter());
        let turning = (0..tree.parents.len() as u32).chain(out.pairs.iter().map(|pair| pair[1]));
        out.lines = turning.map(line).collect();
        out
    }

    /// The number of the turn from one joint to another.
    fn turn(&mut self, tree: &Tree, pair: [u32; 2], known: &mut BTreeMap<[u32; 2], u32>) -> u32 {
        if tree.parents[pair[1] as usize] == Some(pair[0] as usize) {
            return pair[1];
        }
        *known.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            (tree.parents.len() + self.pairs.len() - 1) as u32
        })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.tops.len()
    }

    /// The blended rotation of an element, and how it is bent before.
    #[inline]
    pub fn of(&self, element: usize, turned: &Turned) -> (DQuat, DMat3) {
        let mut rotation = turned.world[self.tops[element] as usize];
        let (mut sum, mut bend) = (DVec3::ZERO, DMat3::ZERO);
        // What is added to the gradient in the world, and of one factor m' ∇Hᵀ and (P' − m') ∇Hᵀ.
        let [mut added, mut along, mut ways] = [DMat3::ZERO; 3];
        for term in self.terms.of(element) {
            let turn = turned.turns[term.turn as usize];
            let swelling = self.follow * turned.swellings[term.turn as usize];
            term.bend.add(turn, swelling, &mut bend);
            if self.follow > 0.0 {
                let change = term.bend.change.as_dvec3();
                add_product(term.bend.along.as_dvec3(), change, &mut along);
                let way = turned.steps[term.turn as usize].way(term.bend.ahead.as_dvec3());
                add_product(way, change, &mut ways);
            }
            sum += turn * f64::from(term.share);
            if term.whole {
                let before = rotation;
                rotation *= exp(sum);
                sum = DVec3::ZERO;
                if self.follow > 0.0 {
                    added += DMat3::from_quat(before) * (along + ways) - DMat3::from_quat(rotation) * along;
                    [along, ways] = [DMat3::ZERO; 2];
                }
            }
        }
        if self.follow > 0.0 {
            bend += self.follow * (DMat3::from_quat(rotation).transpose() * added);
        }
        (rotation, bend)
    }
}

/// The joint at which the ways to all joints of some influences begin, and those ways: from and to a joint that counts,
/// and the influence of all below.
fn ways(tree: &Tree, influences: &[(u32, f32)], counts: &[bool]) -> (u32, Vec<(u32, u32, f32)>) {
    let joints = influences.iter().map(|i| i.0 as usize);
    let top = joints.reduce(|a, b| tree.meet(a, b)).expect("an influence");
    if let [(a, x), (b, y)] = *influences {
        let way = if b as usize == top { (b, a, x) } else { (a, b, y) };
        return (way.0, vec![way]);
    }
    let up = |joint: u32| std::iter::successors(Some(joint as usize), |&joint| tree.parents[joint]);
    // Joints on the way, and the influence of all below each.
    let mut passed: Vec<(u32, f32)> = Vec::new();
    for &(joint, share) in influences {
        let way = up(joint).take_while(|&joint| joint != top);
        way.for_each(|joint| add_share(&mut passed, joint as u32, share));
    }
    // Where ways part, the joint counts too.
    let parts =
        |joint: usize| passed.iter().filter(|p| tree.parents[p.0 as usize] == Some(joint)).count() > 1;
    let stops = |joint: &usize| *joint == top || counts[*joint] || parts(*joint);
    let from = |joint: u32| up(joint).skip(1).find(stops).expect("below the top") as u32;
    let ends = passed.iter().filter(|(joint, _)| stops(&(*joint as usize)));
    (top as u32, ends.map(|&(joint, below)| (from(joint), joint, below)).collect())
}
