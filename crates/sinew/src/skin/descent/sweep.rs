//! Sweeps over rigid bones, several frames side by side: every frame has its own rotations, all have the same blocks.

use glam::{DAffine3, DMat3, DVec3};

use super::blocks::{Blocks, about, mass_and_center, rows};
use crate::solve::procrustes::nearest_rotations;
use crate::wide::{Lanes, for_wide_machines};

/// Frames that are solved side by side, at most: as many as fit into the widest registers.
const MOST: usize = 8;
/// Sweeps over all bones in a round.
const SWEEPS: usize = 2;

/// The rows of a transform, or of a target, in each frame.
type Rows<const W: usize> = [[Lanes<W>; 4]; 3];

/// How many frames are best solved side by side, of so many: as many as can be where all threads have several parts to do.
pub fn together(frames: usize) -> usize {
    if frames >= 2 * MOST * rayon::current_num_threads() { MOST } else { MOST / 2 }
}

/// Improves the bones of some frames, at most as many as go [`together`], for given right-hand sides, both frame after frame.
/// Every frame comes to the same bits as alone.
pub fn sweeps(transforms: &mut [DAffine3], targets: &[[[f64; 4]; 3]], blocks: &Blocks, locked: &[bool]) {
    match transforms.len() / locked.len() {
        1 => sweeps_of_one(transforms, targets, blocks, locked),
        2..=4 => sweeps_of_four(transforms, targets, blocks, locked),
        _ => sweeps_of_eight(transforms, targets, blocks, locked),
    }
}

for_wide_machines!(
    fn sweeps_of_one(
        transforms: &mut [DAffine3],
        targets: &[[[f64; 4]; 3]],
        blocks: &Blocks,
        locked: &[bool],
    ) {
        sweeps_of::<1>(transforms, targets, blocks, locked);
    }
);

for_wide_machines!(
    fn sweeps_of_four(
        transforms: &mut [DAffine3],
        targets: &[[[f64; 4]; 3]],
        blocks: &Blocks,
        locked: &[bool],
    ) {
        sweeps_of::<4>(transforms, targets, blocks, locked);
    }
);

for_wide_machines!(
    fn sweeps_of_eight(
        transforms: &mut [DAffine3],
        targets: &[[[f64; 4]; 3]],
        blocks: &Blocks,
        locked: &[bool],
    ) {
        sweeps_of::<MOST>(transforms, targets, blocks, locked);
    }
);

#[inline(always)]
fn sweeps_of<const W: usize>(
    transforms: &mut [DAffine3],
    targets: &[[[f64; 4]; 3]],
    blocks: &Blocks,
    locked: &[bool],
) {
    let bones = locked.len();
    let last = transforms.len() / bones - 1;
    // In the place of frames that lack is the last once more.
    let at = |lane: usize, bone: usize| lane.min(last) * bones + bone;
    let mut now: Vec<Rows<W>> =
        (0..bones).map(|b| side_by_side(|lane| rows(&transforms[at(lane, b)]))).collect();
    for _ in 0..SWEEPS {
        for b in (0..bones).filter(|&b| !locked[b]) {
            let (mass, center) = mass_and_center(&blocks.own[b]);
            if mass <= 0.0 {
                continue;
            }
            let mut target: Rows<W> = side_by_side(|lane| targets[at(lane, b)]);
            for (c, block) in &blocks.others[b] {
                for (row, out) in now[*c].iter().zip(&mut target) {
                    let mut left = *out;
                    for (x, block) in row.iter().zip(block) {
                        (0..4).for_each(|i| left[i] = left[i] - *x * Lanes::all(block[i]));
                    }
                    *out = left;
                }
            }
            let centred = |column: usize, axis: usize| {
                target[axis][column] - target[axis][3] * Lanes::all(center[column])
            };
            let rotations = nearest_rotations(&std::array::from_fn(|column| {
                std::array::from_fn(|axis| centred(column, axis))
            }));
            let moved: [[[f64; 4]; 3]; W] = std::array::from_fn(|lane| {
                let rotation = rotations[lane].unwrap_or_else(|| linear(&now[b], lane));
                let [x, y, z] = std::array::from_fn(|axis| target[axis][3].0[lane]);
                rows(&about(rotation, center, DVec3::new(x, y, z) / mass))
            });
            now[b] = side_by_side(|lane| moved[lane]);
        }
    }
    for (i, transform) in transforms.iter_mut().enumerate() {
        let (rows, lane) = (&now[i % bones], i / bones);
        let [x, y, z] = std::array::from_fn(|axis| rows[axis][3].0[lane]);
        *transform = DAffine3 { matrix3: linear(rows, lane), translation: DVec3::new(x, y, z) };
    }
}

#[inline(always)]
fn side_by_side<const W: usize>(of: impl Fn(usize) -> [[f64; 4]; 3]) -> Rows<W> {
    let mut all = [[Lanes::all(0.0); 4]; 3];
    for lane in 0..W {
        for (all, row) in all.iter_mut().zip(of(lane)) {
            all.iter_mut().zip(row).for_each(|(all, x)| all.0[lane] = x);
        }
    }
    all
}

#[inline(always)]
fn linear<const W: usize>(rows: &Rows<W>, lane: usize) -> DMat3 {
    DMat3::from_cols_array_2d(&std::array::from_fn(|column| {
        std::array::from_fn(|axis| rows[axis][column].0[lane])
    }))
}
