//! Motions of bones in reduced coordinates, laid out as the loops over vertices read them.

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
    /// What bones do outside the reduced coordinates, pair by pair.
    pub outside: Option<&'a [[f64; 10]]>,
}

impl<'a> Tables<'a> {
    /// Lays out `runs`, four a bone.
    pub fn new(runs: &[f64], dims: usize, outside: Option<&'a [[f64; 10]]>) -> Self {
        let count = runs.len() / (4 * dims);
        let padded = count.next_multiple_of(LANES);
        let mut lanes = vec![0.0; 4 * dims * padded];
        for (b, bone) in runs.chunks_exact(4 * dims).enumerate() {
            for (c, run) in bone.chunks_exact(dims).enumerate() {
                for (i, x) in run.iter().enumerate() {
                    lanes[(i * 4 + c) * padded + b] = *x as f32;
                }
            }
        }
        Self { count, dims, rows: runs.iter().map(|x| *x as f32).collect(), lanes, padded, outside }
    }

    /// The runs of one bone.
    pub fn row(&self, bone: usize) -> &[f32] {
        &self.rows[bone * 4 * self.dims..(bone + 1) * 4 * self.dims]
    }

    /// What two bones do outside the reduced coordinates.
    pub fn form(&self, b: usize, c: usize) -> Option<&[f64; 10]> {
        self.outside.map(|forms| &forms[b * self.count + c])
    }
}
