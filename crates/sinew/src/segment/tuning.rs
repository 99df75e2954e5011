//! Numbers of this room that were tuned on data, each with why.
//!
//! What follows from the mathematics, or from single precision, stands where it is used.

/// All of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// Mean shift.
    pub mean_shift: MeanShiftTuning,
    /// k-means over rotations.
    pub turns: TurnsTuning,
    /// k-means over motions.
    pub k_means: KMeansTuning,
    /// Splitting and merging down to a count.
    pub split_merge: SplitMergeTuning,
    /// Points spread over a surface.
    pub points: PointsTuning,
    /// Regions grown from points.
    pub regions: RegionsTuning,
    /// Spectral clustering.
    pub spectral: SpectralTuning,
    /// Seeds of spectral clustering.
    pub seeds: SeedsTuning,
    /// Samples of a surface.
    pub samples: SamplesTuning,
    /// Patches that keep their shape.
    pub patches: PatchesTuning,
}

/// Of `mean_shift`, in shares of the bandwidth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanShiftTuning {
    /// Sequences as near as this, twice over, climb as one: the work falls with its square, the modes hardly move.
    pub gather: f32,
    /// Paths this near are taken as one.
    pub meet: f32,
    /// A path that moves less has arrived.
    pub arrive: f32,
    /// The most steps of a path; a dozen is usual.
    pub steps: usize,
}

/// Of `rotation_kmeans`. It is the first guess of a fit, which costs nothing to speak of only on samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TurnsTuning {
    /// Frames looked at.
    pub frames: usize,
    /// Triangles looked at, and for each cluster: fewer, and small limbs have none.
    pub triangles: [usize; 2],
    /// Places tried for each seed.
    pub candidates: usize,
    /// Rounds; what comes after a first guess makes up for more.
    pub rounds: usize,
}

/// Of `motion_kmeans`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KMeansTuning {
    /// How strongly a bone is held to the motion it came from, relative to the number of its vertices: decides only
    /// where they leave it open.
    pub hold: f64,
    /// Rounds after each generation of splits: bones are split again soon.
    pub rounds: usize,
    /// Rounds after a start from given sets.
    pub restart_rounds: usize,
    /// The most times bones are moved; gains are small after a dozen.
    pub moves: usize,
    /// A split must gain so many times what the bone it takes is missed for: both are guesses.
    pub profit: f64,
    /// Times the vertices of a set that is cut are fitted, choosing in between.
    pub choices: usize,
}

/// Of `split_merge`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SplitMergeTuning {
    /// Triangles looked at while sets are formed; more change next to nothing.
    pub triangles: usize,
    /// Frames looked at.
    pub frames: usize,
    /// Rounds in which triangles change sets.
    pub rounds: usize,
    /// Bones moved to a better place.
    pub moves: usize,
    /// Pairs of sets that are fitted together when two are to be merged; the others are ruled out by a bound.
    pub pairs: usize,
}

/// Of `points`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointsTuning {
    /// The most rounds in which points move to the middle; they end by themselves sooner.
    pub rounds: usize,
}

/// Of `regions`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RegionsTuning {
    /// Frames looked at.
    pub frames: usize,
    /// The most times that regions grow.
    pub rounds: usize,
    /// A round must lower the error by this factor to be followed by another.
    pub worth: f64,
}

/// Of `spectral`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpectralTuning {
    /// Clusters made for each that is wanted, before those that move alike are joined: as many as the spectrum says cut
    /// large parts that stay rigid rather than small limbs.
    pub spare: f64,
    /// Frames whose distances are compared.
    pub frames: usize,
    /// Weight of √ρ beside σ: the paper's factor at 400 frames.
    pub nearness: f64,
    /// Groups whose mutual distances change by less than this share of the body's size move as one.
    pub same_motion: f64,
    /// Frames that seams are moved by.
    pub seam_frames: usize,
    /// How often transforms are fitted anew while seams move, and the most rounds after each; a seam moves an edge a round.
    pub seam_rounds: [usize; 2],
    /// A vertex goes over when its squared error falls below this share of what it was.
    pub seam_gain: f64,
}

/// Of `seeds`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeedsTuning {
    /// Seeds for each vertex: the lower end of what the paper takes, since the count from the spectrum grows with the
    /// number of seeds and most meshes then have the least.
    pub share: f64,
    /// The fewest and the most by that share.
    pub bounds: [usize; 2],
    /// Work grows with the cube of the number of seeds; more than this are not placed.
    pub most: usize,
    /// Seeds for each patch asked for.
    pub per_patch: usize,
}

/// Of `samples`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SamplesTuning {
    /// Share of the vertices that are points.
    pub share: f64,
    /// The fewest and the most: finger-thick limbs must have some, and distances of all pairs are kept.
    pub bounds: [usize; 2],
    /// Frames.
    pub frames: usize,
    /// Frames that distances between points are measured in.
    pub distance_frames: usize,
    /// Pieces of a mesh touch if they stay within this many times the usual distance between neighbours.
    pub touch: f32,
}

/// Of `patches` and the rigid bodies they are judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchesTuning {
    /// Patches for each that is wanted, at first.
    pub spare: usize,
    /// The fewest points of one.
    pub points: usize,
    /// Rounds of points changing over, before patches are joined and after.
    pub rounds: [usize; 2],
    /// How much of what touches a group of points counts when its motion is found: few points would turn any way.
    pub around: f64,
}

/// What is used.
pub const TUNING: Tuning = Tuning {
    mean_shift: MeanShiftTuning { gather: 1.0 / 4.0, meet: 0.05, arrive: 5e-3, steps: 60 },
    turns: TurnsTuning { frames: 48, triangles: [2000, 40], candidates: 5, rounds: 6 },
    k_means: KMeansTuning { hold: 1e-5, rounds: 2, restart_rounds: 4, moves: 24, profit: 1.1, choices: 3 },
    split_merge: SplitMergeTuning { triangles: 6000, frames: 64, rounds: 6, moves: 8, pairs: 128 },
    points: PointsTuning { rounds: 20 },
    regions: RegionsTuning { frames: 64, rounds: 16, worth: 0.999 },
    spectral: SpectralTuning {
        spare: 1.5,
        frames: 256,
        nearness: 1.0 / 20.0,
        same_motion: 0.01,
        seam_frames: 64,
        seam_rounds: [4, 30],
        seam_gain: 0.9,
    },
    seeds: SeedsTuning { share: 0.003, bounds: [150, 600], most: 2000, per_patch: 4 },
    samples: SamplesTuning { share: 0.6, bounds: [400, 1400], frames: 40, distance_frames: 16, touch: 2.0 },
    patches: PatchesTuning { spare: 4, points: 4, rounds: [4, 8], around: 0.02 },
};

impl Default for Tuning {
    fn default() -> Self {
        TUNING
    }
}
