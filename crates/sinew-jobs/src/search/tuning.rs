//! Numbers of the search that were tuned on data, each with why.

/// Of [`search`](super::search()).
pub(super) struct SearchTuning {
    /// Bones of the first rig.
    pub first_bones: usize,
    /// Ranks that are tried, as long as they pay.
    pub ranks: &'static [usize],
    /// Lines that are worse than the best by more than this factor get no shapes.
    pub near: f64,
    /// A rank that makes a rig of the same size worse by this factor is the last.
    pub worse: f64,
    /// What the error of a quick fit is of that of a proper one, about.
    pub quick: f64,
    /// The most rigs tried on a line.
    pub tries: usize,
    /// A search ends when what could still be gained is less than this share of the size.
    pub worthwhile: f64,
    /// The same with quick fits, and with proper ones near what they found: each is dear beside them.
    pub worthwhile_roughly: f64,
    /// Where the error is this small in percent there is nothing left to gain.
    pub nothing_left: f64,
}

/// As they are used.
pub(super) const TUNED: SearchTuning = SearchTuning {
    first_bones: 24,
    ranks: &[1, 2, 3, 4, 6, 8, 12, 16, 24],
    near: 1.15,
    worse: 1.03,
    quick: 1.1,
    tries: 12,
    worthwhile: 0.004,
    worthwhile_roughly: 0.02,
    nothing_left: 1e-3,
};
