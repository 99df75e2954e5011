//! The vertices of a rig in groups of sixteen, with what each group's bones are.
//!
//! A group blends in every bone that any of its vertices follows, so it is made of four quads of neighbouring
//! vertices that follow about the same bones. They are looked for in a block of the mesh, not in all of it, so
//! that what is written stays in a near cache.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

use glam::Vec3;
use rayon::prelude::*;

use super::lanes::{Each, LANES};
use crate::rig::SkinWeights;

/// Three numbers of each vertex of a group.
pub(super) type Triple = [Each; 3];

/// Vertices in a quad: what stands together in the mesh.
pub(super) const QUAD: usize = 4;

/// Vertices handled by one task: enough to pay for the hand-over and to find quads alike among, few enough to
/// spread. Whole quads.
pub(super) const BLOCK: usize = 4096;

/// No bone: nothing is subtracted, or nothing is there to begin with.
pub(super) const NONE: u32 = u32::MAX;

/// No bone, but the place where the frame is: what everything begins from is relative to it.
pub(super) const MIDDLE: u32 = u32::MAX - 1;

/// How far weights may be from summing to one for their last to be taken for what is left of one.
const SUM_TOLERANCE: f32 = 1e-6;

/// Quads in a group.
pub(super) const QUADS: usize = LANES / QUAD;

/// Quads that are handled together. Where too few of a block are left, the first is there more than once.
pub(super) struct Group {
    /// Where in its block they are.
    pub quads: [u16; QUADS],
    /// One of the kinds that all its quads are of; beyond them where there is none.
    pub kind: u8,
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
    vertex_count: usize,
    /// Block after block. In a block those of a kind with few slots come first, so that the processor guesses
    /// well how often its loops run.
    pub groups: Vec<Group>,
    /// Of each block, its groups.
    pub blocks: Vec<Range<usize>>,
    /// Entry of the palette of each slot.
    pub entries: Vec<u32>,
    /// Its weights.
    pub weights: Vec<Each>,
    /// What the palette holds: the one bone less the other.
    pub palette: Vec<[u32; 2]>,
    numbers: HashMap<[u32; 2], u32>,
}

impl Groups {
    /// `kinds` are those that a quad is of, a bit each: a group has one in common, or none.
    pub fn new(
        weights: &SkinWeights,
        vertex_count: usize,
        kinds: impl Fn(Range<usize>) -> u8 + Sync,
    ) -> Self {
        let mut all = Self { vertex_count, ..Self::default() };
        let blocks: Vec<Vec<Bones>> = (0..vertex_count.div_ceil(BLOCK))
            .into_par_iter()
            .map(|block| {
                let vertices = block * BLOCK..vertex_count.min((block + 1) * BLOCK);
                let mut bones: Vec<Bones> = alike(weights, vertices.clone(), &kinds)
                    .into_iter()
                    .map(|(quads, kinds)| Bones::of(weights, vertices.clone(), quads, kinds))
                    .collect();
                bones.sort_by_key(|b| (b.kind, b.weights.len()));
                bones
            })
            .collect();
        for block in blocks {
            let first = all.groups.len();
            block.iter().for_each(|bones| all.push(bones));
            all.blocks.push(first..all.groups.len());
        }
        all.numbers = HashMap::new();
        all
    }

    /// Makes all groups such that have no kind in common.
    pub fn forget_kinds(&mut self) {
        self.groups.iter_mut().for_each(|group| group.kind = u8::MAX);
    }

    fn push(&mut self, bones: &Bones) {
        let base = self.number([bones.base, MIDDLE]);
        let first = self.entries.len() as u32;
        for (bone, weights) in &bones.weights {
            let entry = self.number([*bone, bones.base]);
            self.entries.push(entry);
            self.weights.push(*weights);
        }
        let count = bones.weights.len() as u32;
        self.groups.push(Group { quads: bones.quads, kind: bones.kind, base, first, count });
    }

    fn number(&mut self, pair: [u32; 2]) -> u32 {
        let next = self.palette.len() as u32;
        *self.numbers.entry(pair).or_insert_with(|| {
            self.palette.push(pair);
            next
        })
    }

    /// Values of vertices in the order of the groups; nothing behind the last vertex.
    pub fn arranged(&self, values: impl Fn(usize, &Group) -> Vec3) -> Vec<Triple> {
        let mut all = Vec::with_capacity(self.groups.len());
        for (block, groups) in self.blocks.iter().enumerate() {
            for group in &self.groups[groups.clone()] {
                let mut triple = [[0.0; LANES]; 3];
                for (lane, vertex) in lanes(group.quads, block * BLOCK..self.vertex_count) {
                    let value = values(vertex, group).to_array();
                    (0..3).for_each(|i| triple[i][lane] = value[i]);
                }
                all.push(triple);
            }
        }
        all
    }
}

/// The vertices of quads and their lanes, as far as there are vertices.
fn lanes(quads: [u16; QUADS], vertices: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
    let at = move |lane: usize| vertices.start + QUAD * quads[lane / QUAD] as usize + lane % QUAD;
    (0..LANES).map(move |lane| (lane, at(lane))).filter(move |(_, v)| *v < vertices.end)
}

/// A quad that belongs to no group yet.
struct Loose {
    quad: u16,
    kinds: u8,
    /// A bit for each bone that any of its vertices follows. Only the choice of partners rests on these, so
    /// bones beyond 64 may share a bit.
    bones: u64,
}

/// Puts quads into groups that have few bones between them, and a kind in common: those with most bones look
/// for partners first, and take those that add fewest.
fn alike(
    weights: &SkinWeights,
    vertices: Range<usize>,
    kinds: &impl Fn(Range<usize>) -> u8,
) -> Vec<([u16; QUADS], u8)> {
    let bones_of = |v: usize| {
        let (bones, some) = weights.of(v);
        bones.iter().zip(some).filter(|(_, w)| **w != 0.0).fold(0_u64, |set, (b, _)| set | 1 << (b % 64))
    };
    let quads = vertices.clone().step_by(QUAD).enumerate();
    let mut loose: Vec<Loose> = quads
        .map(|(quad, first)| {
            let own = first..vertices.end.min(first + QUAD);
            let bones = own.clone().fold(0, |set, v| set | bones_of(v));
            Loose { quad: quad as u16, kinds: kinds(own), bones }
        })
        .collect();
    // Equal sets side by side. The last is taken first.
    loose.sort_by_key(|l| (l.bones.count_ones(), l.bones, Reverse(l.quad)));
    let mut groups = Vec::with_capacity(loose.len() / QUADS + 1);
    while let Some(mut all) = loose.pop() {
        let mut quads = [all.quad; QUADS];
        for quad in &mut quads[1..] {
            let Some(next) = fewest_added(&all, &loose) else { break };
            let next = loose.remove(next);
            *quad = next.quad;
            all = Loose { quad: all.quad, kinds: all.kinds & next.kinds, bones: all.bones | next.bones };
        }
        groups.push((quads, all.kinds));
    }
    groups
}

/// What having no kind in common costs, in bones.
const NO_KIND: u32 = 2;

/// The last of those that add fewest bones to a group, and leave fewest of its own unused.
fn fewest_added(to: &Loose, loose: &[Loose]) -> Option<usize> {
    let mut best = None;
    for (i, one) in loose.iter().enumerate().rev() {
        let apart = if to.kinds != 0 && to.kinds & one.kinds == 0 { NO_KIND } else { 0 };
        let cost = (apart + (one.bones & !to.bones).count_ones(), (to.bones & !one.bones).count_ones());
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, i));
            if cost == (0, 0) {
                break;
            }
        }
    }
    best.map(|(_, i)| i)
}

/// The bones of a group.
struct Bones {
    quads: [u16; QUADS],
    kind: u8,
    /// The one that moves them most; none where weights do not sum to one.
    base: u32,
    /// The others.
    weights: Vec<(u32, Each)>,
}

impl Bones {
    fn of(weights: &SkinWeights, vertices: Range<usize>, quads: [u16; QUADS], kinds: u8) -> Self {
        let mut found: Vec<(u32, Each)> = Vec::new();
        let mut whole = true;
        for (lane, vertex) in lanes(quads, vertices) {
            let (bones, some) = weights.of(vertex);
            for (&bone, &weight) in bones.iter().zip(some).filter(|(_, w)| **w != 0.0) {
                let at = found.iter().position(|(b, _)| *b == bone).unwrap_or_else(|| {
                    found.push((bone, [0.0; LANES]));
                    found.len() - 1
                });
                found[at].1[lane] += weight;
            }
            whole &= (some.iter().sum::<f32>() - 1.0).abs() <= SUM_TOLERANCE;
        }
        let share = |(_, weights): &(u32, Each)| weights.iter().sum::<f32>();
        let most = (0..found.len()).max_by(|a, b| share(&found[*a]).total_cmp(&share(&found[*b])));
        let base = most.filter(|_| whole).map_or(NONE, |most| found.remove(most).0);
        Self { quads, kind: kinds.trailing_zeros() as u8, base, weights: found }
    }
}
