//! Motions of bones in reduced coordinates, laid out as the loops over vertices read them.

use std::borrow::Cow;

/// Bones are padded to a multiple of this.
pub const LANES: usize = 8;

/// Bones laid out for the two ways they are looked at.
pub struct Tables<'a> {
    /// How many bones.
    pub count: usize,
    /// Reduced coordinates.
    pub dims: usize,
    /// Bone after bone, four runs each.
    pub rows: Vec<f32>,
    /// For each reduced coordinate what x, y, z and one contribute, each a run over all bones, padded.
    pub lanes: Vec<f32>,
    /// Length of such a run.
    pub padded: usize,
    /// What bones do outside the reduced coordinates.
    pub outside: Option<Forms<'a>>,
}

/// What pairs of bones do outside the reduced coordinates, as quadratic forms of rest positions. Not all pairs need have
/// one, only those that are asked for.
pub struct Forms<'a> {
    /// For every two bones the place of their form.
    pub slots: Vec<u32>,
    /// The forms.
    pub values: Cow<'a, [[f64; 10]]>,
}

impl<'a> Tables<'a> {
    /// Lays out `runs`, four a bone.
    pub fn new(runs: &[f64], dims: usize, outside: Option<Forms<'a>>) -> Self {
        Self::of_rows(runs.iter().map(|x| *x as f32).collect(), dims, outside)
    }

    fn of_rows(rows: Vec<f32>, dims: usize, outside: Option<Forms<'a>>) -> Self {
        let count = rows.len() / (4 * dims);
        let padded = count.next_multiple_of(LANES);
        let mut lanes = vec![0.0; 4 * dims * padded];
        for (b, bone) in rows.chunks_exact(4 * dims).enumerate() {
            for (c, run) in bone.chunks_exact(dims).enumerate() {
                for (i, x) in run.iter().enumerate() {
                    lanes[(i * 4 + c) * padded + b] = *x;
                }
            }
        }
        Self { count, dims, rows, lanes, padded, outside }
    }

    /// Some of the bones, in the given order, as if there were no others.
    pub fn part(&self, bones: &[u32]) -> Tables<'_> {
        let rows = bones.iter().flat_map(|&b| self.row(b as usize)).copied().collect();
        let outside = self.outside.as_ref().map(|forms| {
            let slot = |b: u32, c: u32| forms.slots[b as usize * self.count + c as usize];
            let slots = bones.iter().flat_map(|&b| bones.iter().map(move |&c| slot(b, c))).collect();
            Forms { slots, values: Cow::Borrowed(&*forms.values) }
        });
        Tables::of_rows(rows, self.dims, outside)
    }

    /// The runs of one bone.
    pub fn row(&self, bone: usize) -> &[f32] {
        &self.rows[bone * 4 * self.dims..(bone + 1) * 4 * self.dims]
    }

    /// What two bones do outside the reduced coordinates.
    pub fn form(&self, b: usize, c: usize) -> Option<&[f64; 10]> {
        self.outside.as_ref().map(|forms| &forms.values[forms.slots[b * self.count + c] as usize])
    }
}
