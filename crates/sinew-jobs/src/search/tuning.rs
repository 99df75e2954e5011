//! Numbers of the search that were tuned on data, each with why.

/// Of [`search`](super::search()).
pub(super) struct SearchTuning {
    /// Ranks that are tried, none among them.
    pub ranks: &'static [usize],
    /// The most rigs fitted.
    pub tries: usize,
    /// A rig is fitted beside one that meets the goal when it promises to be better by this share.
    pub worthwhile: f64,
    /// Share of the error that less is aimed at for each rig of a line that missed it: errors are uneven.
    pub wary: f64,
    /// Where the error is this small in percent there is nothing left to gain.
    pub nothing_left: f64,
}

/// As they are used.
pub(super) const TUNED: SearchTuning = SearchTuning {
    ranks: &[0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32],
    tries: 8,
    worthwhile: 0.02,
    wary: 0.01,
    nothing_left: 1e-3,
};
