//! Numbers of this room that were tuned on data, each with why.
//!
//! What follows from the mathematics, or from single precision, stands where it is used.

use crate::tuning::tuning;

tuning! {
    /// All of them.
    Tuning {
        /// Mean shift.
        mean_shift: MeanShiftTuning = MeanShiftTuning::DEFAULT,
        /// k-means over rotations.
        turns: TurnsTuning = TurnsTuning::DEFAULT,
        /// k-means over motions.
        k_means: KMeansTuning = KMeansTuning::DEFAULT,
        /// Splitting and merging down to a count.
        split_merge: SplitMergeTuning = SplitMergeTuning::DEFAULT,
        /// Points spread over a surface.
        points: PointsTuning = PointsTuning::DEFAULT,
        /// Regions grown from points.
        regions: RegionsTuning = RegionsTuning::DEFAULT,
        /// Spectral clustering.
        spectral: SpectralTuning = SpectralTuning::DEFAULT,
        /// Seeds of spectral clustering.
        seeds: SeedsTuning = SeedsTuning::DEFAULT,
        /// Samples of a surface.
        samples: SamplesTuning = SamplesTuning::DEFAULT,
        /// Patches that keep their shape.
        patches: PatchesTuning = PatchesTuning::DEFAULT,
    }

    /// Of `mean_shift`, in shares of the bandwidth.
    MeanShiftTuning {
        /// Sequences as near as this, twice over, climb as one: the work falls with its square, the modes hardly move.
        gather: f32 = 1.0 / 4.0,
        /// The most bytes that pairs of sequences may have to be compared by: some seconds, and as many as the paper's
        /// examples have. Noise keeps the triangles of a capture apart, so that it has tens of thousands.
        most_work: f64 = 1.6e11,
        /// With more, frames are passed over, evenly, while this many are left ...
        least_frames: usize = 64,
        /// ... and then sequences are gathered from so many times as far until they are few enough.
        wider: f32 = 1.5,
        /// Paths this near are taken as one.
        meet: f32 = 0.05,
        /// A path that moves less has arrived.
        arrive: f32 = 5e-3,
        /// The most steps of a path; a dozen is usual.
        steps: usize = 60,
        /// Share of the triangles a mode needs to count as a bone, chosen by comparing six values on six of the paper's
        /// examples.
        min_share: f64 = 0.0035,
    }

    /// Of `rotation_kmeans`. It is the first guess of a fit, which costs nothing to speak of only on samples.
    TurnsTuning {
        /// Frames looked at.
        frames: usize = 48,
        /// Triangles looked at, and for each cluster: fewer, and small limbs have none.
        triangles: [usize; 2] = [2000, 40],
        /// Places tried for each seed.
        candidates: usize = 5,
        /// Rounds; what comes after a first guess makes up for more.
        rounds: usize = 6,
    }

    /// Of `motion_kmeans`.
    KMeansTuning {
        /// How strongly a bone is held to the motion it came from, relative to the number of its vertices: decides only
        /// where they leave it open.
        hold: f64 = 1e-5,
        /// Rounds after each generation of splits: bones are split again soon.
        rounds: usize = 2,
        /// Rounds after a start from given sets.
        restart_rounds: usize = 4,
        /// The most times bones are moved; gains are small after a dozen.
        moves: usize = 24,
        /// A split must gain so many times what the bone it takes is missed for: both are guesses.
        profit: f64 = 1.1,
        /// With so many bones vertices look at all; with more, at those nearest to their bone.
        near_from: usize = 64,
        /// How many of those.
        looked_at: usize = 32,
        /// Times the vertices of a set that is cut are fitted, choosing in between.
        choices: usize = 3,
    }

    /// Of `split_merge`.
    SplitMergeTuning {
        /// Triangles looked at while sets are formed; more change next to nothing.
        triangles: usize = 6000,
        /// Frames looked at.
        frames: usize = 64,
        /// Rounds in which triangles change sets.
        rounds: usize = 6,
        /// Bones moved to a better place.
        moves: usize = 8,
        /// Pairs of sets that are fitted together when two are to be merged; the others are ruled out by a bound.
        pairs: usize = 128,
    }

    /// Of `points`.
    PointsTuning {
        /// The most rounds in which points move to the middle; they end by themselves sooner.
        rounds: usize = 20,
    }

    /// Of `regions`.
    RegionsTuning {
        /// Frames looked at.
        frames: usize = 64,
        /// The most times that regions grow.
        rounds: usize = 16,
        /// A round must lower the error by this factor to be followed by another.
        worth: f64 = 0.999,
    }

    /// Of `spectral`.
    SpectralTuning {
        /// Clusters made for each that is wanted, before those that move alike are joined: as many as the spectrum says cut
        /// large parts that stay rigid rather than small limbs.
        spare: f64 = 1.5,
        /// Frames whose distances are compared.
        frames: usize = 256,
        /// Weight of √ρ beside σ: the paper's factor at 400 frames.
        nearness: f64 = 1.0 / 20.0,
        /// Groups whose mutual distances change by less than this share of the body's size move as one.
        same_motion: f64 = 0.01,
        /// Frames that seams are moved by.
        seam_frames: usize = 64,
        /// How often transforms are fitted anew while seams move, and the most rounds after each; a seam moves an edge a round.
        seam_rounds: [usize; 2] = [4, 30],
        /// A vertex goes over when its squared error falls below this share of what it was.
        seam_gain: f64 = 0.9,
    }

    /// Of `seeds`.
    SeedsTuning {
        /// Seeds for each vertex: the lower end of what the paper takes, since the count from the spectrum grows with the
        /// number of seeds and most meshes then have the least.
        share: f64 = 0.003,
        /// The fewest and the most by that share.
        bounds: [usize; 2] = [150, 600],
        /// Work grows with the cube of the number of seeds; more than this are not placed.
        most: usize = 2000,
        /// Seeds for each patch asked for.
        per_patch: usize = 4,
    }

    /// Of `samples`.
    SamplesTuning {
        /// Share of the vertices that are points.
        share: f64 = 0.6,
        /// The fewest and the most: finger-thick limbs must have some, and distances of all pairs are kept.
        bounds: [usize; 2] = [400, 1400],
        /// Frames.
        frames: usize = 40,
        /// Frames that distances between points are measured in.
        distance_frames: usize = 16,
        /// Pieces of a mesh touch if they stay within this many times the usual distance between neighbours.
        touch: f32 = 2.0,
    }

    /// Of `patches` and the rigid bodies they are judged by.
    PatchesTuning {
        /// Patches for each that is wanted, at first.
        spare: usize = 4,
        /// The fewest points of one.
        points: usize = 4,
        /// Rounds of points changing over, before patches are joined and after.
        rounds: [usize; 2] = [4, 8],
        /// How much of what touches a group of points counts when its motion is found: few points would turn any way.
        around: f64 = 0.02,
    }
}

/// As they are used.
pub(super) const TUNING: Tuning = Tuning::DEFAULT;
