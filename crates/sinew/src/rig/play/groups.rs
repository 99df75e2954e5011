//! The vertices of a rig in groups of eight, with what each group's bones are.

use std::collections::HashMap;
use std::ops::Range;

use glam::Vec3;

use super::lanes::Eight;
use crate::rig::SkinWeights;

/// x, y and z of eight vertices.
pub(super) type Triple = [Eight; 3];

/// Vertices in a group.
pub(super) const LANES: usize = 8;

/// Groups handled by one task: enough to pay for the hand-over, few enough to spread and for what they write
/// to stay in the nearest cache.
pub(super) const BLOCK: usize = 128;

/// No bone: nothing is subtracted, or nothing is there to begin with.
pub(super) const NONE: u32 = u32::MAX;

/// No bone, but the place where the frame is: what everything begins from is relative to it.
pub(super) const MIDDLE: u32 = u32::MAX - 1;

/// How far weights may be from summing to one for their last to be taken for what is left of one.
const SUM_TOLERANCE: f32 = 1e-6;

/// Eight vertices.
pub(super) struct Group {
    /// Where in its block.
    pub place: u32,
    /// Entry of the palette that all its vertices follow as far as they follow nothing else.
    pub base: u32,
    first: u32,
    count: u32,
}

impl Group {
    /// What is blended in, as a range of all groups' slots.
    pub fn slots(&self) -> Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

/// How all vertices follow the bones.
#[derive(Default)]
pub(super) struct Groups {
    /// Block after block. In a block those with few slots come first, so that the processor guesses well how
    /// often its loops run.
    pub groups: Vec<Group>,
    /// Entry of the palette of each slot.
    pub entries: Vec<u32>,
    /// Its weights.
    pub weights: Vec<Eight>,
    /// What the palette holds: the one bone less the other.
    pub palette: Vec<[u32; 2]>,
    numbers: HashMap<[u32; 2], u32>,
}

impl Groups {
    pub fn new(weights: &SkinWeights, vertex_count: usize) -> Self {
        let mut all = Self::default();
        let total = vertex_count.div_ceil(LANES);
        for block in (0..total).step_by(BLOCK) {
            let mut bones: Vec<(usize, Bones)> = (block..total.min(block + BLOCK))
                .map(|g| (g - block, Bones::of(weights, g, vertex_count)))
                .collect();
            bones.sort_by_key(|(_, b)| b.weights.len());
            for (place, bones) in bones {
                all.push(place as u32, &bones);
            }
        }
        all.numbers = HashMap::new();
        all
    }

    fn push(&mut self, place: u32, bones: &Bones) {
        let base = self.number([bones.base, MIDDLE]);
        let first = self.entries.len() as u32;
        for (bone, weights) in &bones.weights {
            let entry = self.number([*bone, bones.base]);
            self.entries.push(entry);
            self.weights.push(*weights);
        }
        self.groups.push(Group { place, base, first, count: bones.weights.len() as u32 });
    }

    fn number(&mut self, pair: [u32; 2]) -> u32 {
        let next = self.palette.len() as u32;
        *self.numbers.entry(pair).or_insert_with(|| {
            self.palette.push(pair);
            next
        })
    }

    /// Values of vertices in the order of the groups; nothing behind the last vertex.
    pub fn arranged(&self, values: impl Fn(usize) -> Vec3, vertex_count: usize) -> Vec<Triple> {
        let at = |(number, group): (usize, &Group)| {
            let first = LANES * (number / BLOCK * BLOCK + group.place as usize);
            let mut triple = [[0.0; LANES]; 3];
            for lane in 0..LANES.min(vertex_count - first) {
                let value = values(first + lane).to_array();
                (0..3).for_each(|i| triple[i][lane] = value[i]);
            }
            triple
        };
        self.groups.iter().enumerate().map(at).collect()
    }
}

/// The bones of eight vertices.
struct Bones {
    /// The one that moves them most; none where weights do not sum to one.
    base: u32,
    /// The others.
    weights: Vec<(u32, Eight)>,
}

impl Bones {
    fn of(weights: &SkinWeights, group: usize, vertex_count: usize) -> Self {
        let mut found: Vec<(u32, Eight)> = Vec::new();
        let mut whole = true;
        for lane in 0..LANES.min(vertex_count - LANES * group) {
            let (bones, some) = weights.of(LANES * group + lane);
            for (&bone, &weight) in bones.iter().zip(some).filter(|(_, w)| **w != 0.0) {
                let at = found.iter().position(|(b, _)| *b == bone).unwrap_or_else(|| {
                    found.push((bone, [0.0; LANES]));
                    found.len() - 1
                });
                found[at].1[lane] += weight;
            }
            whole &= (some.iter().sum::<f32>() - 1.0).abs() <= SUM_TOLERANCE;
        }
        let share = |(_, weights): &(u32, Eight)| weights.iter().sum::<f32>();
        let most = (0..found.len()).max_by(|a, b| share(&found[*a]).total_cmp(&share(&found[*b])));
        match most.filter(|_| whole) {
            Some(most) => Self { base: found.remove(most).0, weights: found },
            None => Self { base: NONE, weights: found },
        }
    }
}
