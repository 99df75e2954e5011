//! Rotations of many elements, blended as [`super::tree`] says.

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
    /// Pairs of joints that are not parent and child and have elements to themselves.
    pub pairs: Vec<[u32; 2]>,
    tops: Vec<u32>,
    starts: Vec<u32>,
    terms: Vec<Term>,
}

impl Blends {
    /// Plans the blends of elements, given the joints and influences of each, which sum to one.
    pub fn new<'a>(tree: &Tree, elements: impl Iterator<Item = &'a [(u32, f32)]>) -> Self {
        let mut out = Self { starts: vec![0], ..Self::default() };
        let mut below = vec![0.0_f32; tree.parents.len()];
        for influences in elements {
            out.push(tree, influences, &mut below);
        }
        out
    }

    fn push(&mut self, tree: &Tree, influences: &[(u32, f32)], below: &mut [f32]) {
        let joints = influences.iter().map(|i| i.0 as usize);
        let top = joints.reduce(|a, b| tree.meet(a, b)).expect("an influence");
        let alone = match *influences {
            [(a, _), (b, share)] if a as usize != top && b as usize != top => Some(([a, b], share)),
            [(a, x), (b, y)] => {
                let (low, share) = if a as usize == top { (b, y) } else { (a, x) };
                let adjacent = tree.parents[low as usize] == Some(top);
                (!adjacent).then_some(([top as u32, low], share))
            }
            _ => None,
        };
        if let Some((pair, share)) = alone {
            let known = self.pairs.iter().position(|p| *p == pair);
            let number = known.unwrap_or(self.pairs.len());
            if known.is_none() {
                self.pairs.push(pair);
            }
            self.tops.push(pair[0]);
            self.terms.push(Term {
                turn: (tree.parents.len() + number) as u32,
                share,
                whole: true,
                bend: Bend::default(),
            });
        } else {
            self.tops.push(top as u32);
            self.push_factors(tree, top, influences, below);
        }
        self.starts.push(self.terms.len() as u32);
    }

    /// The factors of all joints between `top` and those that count.
    fn push_factors(&mut self, tree: &Tree, top: usize, influences: &[(u32, f32)], below: &mut [f32]) {
        let mut way: Vec<(usize, usize)> = Vec::new();
        for &(joint, share) in influences {
            let mut joint = joint as usize;
            while joint != top {
                if below[joint] == 0.0 {
                    way.push((tree.parents[joint].expect("below the top"), joint));
                }
                below[joint] += share;
                joint = tree.parents[joint].expect("below the top");
            }
        }
        way.sort_unstable();
        for (i, &(parent, joint)) in way.iter().enumerate() {
            let whole = way.get(i + 1).is_none_or(|next| next.0 != parent);
            self.terms.push(Term {
                turn: joint as u32,
                share: below[joint].min(1.0),
                whole,
                bend: Bend::default(),
            });
        }
        way.iter().for_each(|&(_, joint)| below[joint] = 0.0);
    }

    /// Notes how the turns bend the elements, which are the triangles of a surface.
    pub fn set_bends(&mut self, bends: &Bends, joints: usize) {
        for element in 0..self.len() {
            for term in &mut self.terms[self.starts[element] as usize..self.starts[element + 1] as usize] {
                term.bend = match (term.turn as usize).checked_sub(joints) {
                    None => bends.of_joint(element, term.turn),
                    Some(pair) => bends.of_pair(element, self.pairs[pair][1]),
                };
            }
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.tops.len()
    }

    /// How the turns of a pose bend an element, beyond turning it.
    #[inline]
    pub fn bend(&self, element: usize, turned: &Turned) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for term in &self.terms[self.starts[element] as usize..self.starts[element + 1] as usize] {
            term.bend.add(turned.turns[term.turn as usize], &mut sum);
        }
        sum
    }

    /// The blended rotation of an element.
    #[inline]
    pub fn rotation(&self, element: usize, turned: &Turned) -> DQuat {
        let mut rotation = turned.world[self.tops[element] as usize];
        let mut sum = DVec3::ZERO;
        for term in &self.terms[self.starts[element] as usize..self.starts[element + 1] as usize] {
            sum += turned.turns[term.turn as usize] * f64::from(term.share);
            if term.whole {
                rotation *= exp(sum);
                sum = DVec3::ZERO;
            }
        }
        rotation
    }
}
