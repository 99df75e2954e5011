//! What sweeps over rigid bones need of the normal equations: the blocks of pairs of bones, and moments of one.

use glam::{DAffine3, DMat3, DMat4, DVec3};

use super::Normal;
use super::normal::Block;

/// The blocks of the normal matrix that are not zero.
pub struct Blocks {
    /// Each bone's own.
    pub own: Vec<Block>,
    /// For each bone the others that it shares vertices with, and the blocks of both.
    pub others: Vec<Vec<(usize, Block)>>,
}

impl Blocks {
    pub fn new(normal: &Normal) -> Self {
        let mut all = Self::empty(normal.bones);
        normal.blocks().for_each(|([a, b], block)| all.add(a, b, *block));
        all
    }

    fn empty(count: usize) -> Self {
        Self { own: vec![Block::default(); count], others: vec![Vec::new(); count] }
    }

    /// Takes in the block of a pair.
    fn add(&mut self, a: usize, b: usize, block: Block) {
        if a == b {
            self.own[a] = block;
        } else {
            self.others[a].push((b, block));
            self.others[b].push((a, block));
        }
    }

    /// The same from the blocks of pairs of bones; every bone that moves anything is a pair with itself.
    pub fn of_pairs(pairs: &[[u32; 2]], blocks: &[DMat4], count: usize) -> Self {
        let mut all = Self::empty(count);
        for (&[a, b], block) in pairs.iter().zip(blocks) {
            all.add(a as usize, b as usize, block.to_cols_array_2d());
        }
        all
    }
}

#[inline]
pub fn about(rotation: DMat3, center: DVec3, to: DVec3) -> DAffine3 {
    DAffine3 { matrix3: rotation, translation: to - rotation * center }
}

#[inline]
pub fn mass_and_center(block: &Block) -> (f64, DVec3) {
    let mass = block[3][3];
    let center = DVec3::new(block[0][3], block[1][3], block[2][3]);
    (mass, if mass > 0.0 { center / mass } else { DVec3::ZERO })
}

/// The rows of a transform.
#[inline(always)]
pub fn rows(t: &DAffine3) -> [[f64; 4]; 3] {
    let m = t.matrix3.to_cols_array();
    std::array::from_fn(|axis| [m[axis], m[3 + axis], m[6 + axis], t.translation[axis]])
}

/// Subtracts the product of a transform and a block.
#[inline(always)]
pub fn take_away(transform: &[[f64; 4]; 3], block: &Block, out: &mut [[f64; 4]; 3]) {
    for (row, out) in transform.iter().zip(out) {
        for (x, block) in row.iter().zip(block) {
            for (out, y) in out.iter_mut().zip(block) {
                *out -= x * y;
            }
        }
    }
}
