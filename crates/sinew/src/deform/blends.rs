//! Rotations of many elements, blended as [`super::tree`] says.

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3};

use super::bend::{Bend, Bends};
use super::exp::exp;
use super::tree::{Tree, Turned};

/// One share of a turn.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    tops: Vec<u32>,
    starts: Vec<u32>,
    terms: Vec<Term>,
}

impl Blends {
    /// Plans the blends of elements, given the joints and influences of each, which sum to one.
    pub fn new<'a>(tree: &Tree, elements: impl Iterator<Item = &'a [(u32, f32)]> + Clone) -> Self {
        let mut counts = vec![false; tree.parents.len()];
        elements.clone().flatten().for_each(|&(joint, _)| counts[joint as usize] = true);
        let mut out = Self { starts: vec![0], ..Self::default() };
        let mut known = BTreeMap::new();
        for influences in elements {
            out.push(tree, influences, &counts, &mut known);
            out.starts.push(out.terms.len() as u32);
        }
        out
    }

    fn push(
        &mut self,
        tree: &Tree,
        influences: &[(u32, f32)],
        counts: &[bool],
        known: &mut BTreeMap<[u32; 2], u32>,
    ) {
        let joints = influences.iter().map(|i| i.0 as usize);
        let top = joints.reduce(|a, b| tree.meet(a, b)).expect("an influence");
        if let [(a, x), (b, y)] = *influences {
            let (from, to, share) = if b as usize == top { (b, a, x) } else { (a, b, y) };
            let turn = self.turn(tree, [from, to], known);
            self.tops.push(from);
            return self.terms.push(Term { turn, share, whole: true, bend: Bend::default() });
        }
        self.tops.push(top as u32);
        let mut ways = ways(tree, top, influences, counts);
        // Parents first: they have smaller numbers.
        ways.sort_unstable_by_key(|&(from, to, _)| (from, to));
        for (i, &(from, to, below)) in ways.iter().enumerate() {
            let whole = ways.get(i + 1).is_none_or(|next| next.0 != from);
            let turn = self.turn(tree, [from as u32, to as u32], known);
            self.terms.push(Term { turn, share: below.min(1.0), whole, bend: Bend::default() });
        }
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

    /// Notes how the turns bend the elements, which are the triangles of a surface.
    pub fn set_bends(&mut self, bends: &Bends, joints: usize) {
        for element in 0..self.len() {
            for term in &mut self.terms[self.starts[element] as usize..self.starts[element + 1] as usize] {
                let pair = (term.turn as usize).checked_sub(joints);
                term.bend = bends.of_joint(element, pair.map_or(term.turn, |pair| self.pairs[pair][1]));
            }
        }
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
        for term in &self.terms[self.starts[element] as usize..self.starts[element + 1] as usize] {
            let turn = turned.turns[term.turn as usize];
            term.bend.add(turn, &mut bend);
            sum += turn * f64::from(term.share);
            if term.whole {
                rotation *= exp(sum);
                sum = DVec3::ZERO;
            }
        }
        (rotation, bend)
    }
}

/// The ways from `top` down to the joints that influence an element: from which joint to which, past those that
/// do not count anywhere, and the influence of all below.
fn ways(tree: &Tree, top: usize, influences: &[(u32, f32)], counts: &[bool]) -> Vec<(usize, usize, f32)> {
    // Joints on the way, and the influence of all below each.
    let mut passed: Vec<(usize, f32)> = Vec::new();
    for &(joint, share) in influences {
        let mut joint = joint as usize;
        while joint != top {
            match passed.iter_mut().find(|p| p.0 == joint) {
                Some(known) => known.1 += share,
                None => passed.push((joint, share)),
            }
            joint = tree.parents[joint].expect("below the top");
        }
    }
    // Where ways part, the joint counts too.
    let parts = |joint: usize| passed.iter().filter(|p| tree.parents[p.0] == Some(joint)).count() > 1;
    let stops = |joint: usize| joint == top || counts[joint] || parts(joint);
    let from = |mut joint: usize| loop {
        joint = tree.parents[joint].expect("below the top");
        if stops(joint) {
            return joint;
        }
    };
    passed.iter().filter(|p| stops(p.0)).map(|&(joint, below)| (from(joint), joint, below)).collect()
}
