//! Numbers of this room that were tuned on data, each with why.
//!
//! Lengths are in units, in which the rest pose is one long, and errors in percent of that, unless said otherwise. What
//! follows from the mathematics, or from rounding, stands where it is used.

/// All of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    /// The whole way.
    pub find: FindTuning,
    /// Parts.
    pub parts: PartsTuning,
    /// Bones blended on a point.
    pub blends: BlendTuning,
    /// The tree of parts.
    pub tree: TreeTuning,
    /// Parts that were missed.
    pub linkage: LinkageTuning,
    /// Where joints are held.
    pub anchors: AnchorTuning,
    /// Fits of joints and turns.
    pub articulation: ArticulationTuning,
    /// Which joints stay.
    pub search: SearchTuning,
    /// Weights smoothed against strain.
    pub strain: StrainTuning,
}

/// Of `find`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FindTuning {
    /// Points of the samples for each bone at first: fewer do not tell how one turns.
    pub points_per_bone: usize,
    /// Bones at first: twice what bodies have.
    pub bones: usize,
    /// The most parts that joints are looked for between.
    pub most_parts: usize,
    /// A point keeps its shape with its part if it stays within this of it.
    pub near_rigid: f64,
    /// Less than this share of the surface keeping its shape makes a poor candidate.
    pub poor_share: f64,
    /// And so does a larger mean error, in percent of the longest side.
    pub poor_error: f64,
    /// Below this error, in percent of the diagonal, a single joint is the whole truth.
    pub rigid: f64,
}

/// Of `parts`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartsTuning {
    /// Share of the points that a piece needs to become a part of its own.
    pub least_piece: f64,
    /// Rounds of weights and transforms before bones go, and after some went.
    pub rounds: [usize; 2],
    /// Sweeps over the bones of one fit.
    pub sweeps: usize,
    /// How firmly turns stay as they are where points do not tell, in distances between points.
    pub held: f64,
    /// A bone goes if its loss is below this, times its share of the points to the power of `favour`.
    pub stop: f64,
    /// What speaks for small parts: hands are few points, and matter.
    pub favour: f64,
}

/// Of `blends`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendTuning {
    /// How near to a bone's region a point must be to be moved by it.
    pub near: f32,
    /// The same in distances between points, for coarse samples.
    pub near_points: f32,
    /// Weights above this keep a bone with a point.
    pub kept: f64,
    /// How far off a point without a bone is taken to be.
    pub lost: f64,
}

/// Of `tree`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeTuning {
    /// How strongly a joint is held to where regions meet: the squared slip that a joint as far off as the body is long
    /// is worth.
    pub hold: f64,
    /// How far off it may be before that grows.
    pub reach: f64,
    /// What being off costs.
    pub pull: f64,
    /// What a gap between regions costs.
    pub gap: f64,
}

/// Of `linkage`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkageTuning {
    /// How strongly both ends are held to where the regions meet.
    pub hold: f64,
    /// Where the ends are tried at first: this far from where the parts meet.
    pub tried: f64,
}

/// Of `contacts` and of the fits that hold joints to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AnchorTuning {
    /// How strongly joints are held to where their regions meet: the squared error of a point that a joint as far off as
    /// the body is long would be worth.
    pub hold: f64,
    /// How far off a joint may be before it is held harder.
    pub reach: f64,
    /// Share of a strain that turning does not make good.
    pub taut: f64,
    /// A hinge is a joint that moves points of its axis by less than about this share of what it moves others.
    pub hinge: f64,
}

/// Of `articulation`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArticulationTuning {
    /// Steps of a fit of turns alone while joints are looked for.
    pub turn_steps: usize,
    /// Steps of a fit of turns and joints.
    pub joint_steps: usize,
    /// Steps of the fit of turns to all vertices in the end.
    pub last_steps: usize,
    /// Steps that gain a smaller share end a fit.
    pub worthwhile: f64,
    /// How strongly joints are held to where they are in the rest pose in the end, for each vertex: decides only where no
    /// vertex does, as about the length of a part that moves next to nothing.
    pub straight: f64,
}

/// Of `search`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchTuning {
    /// Rounds of joints and weights at first and at the end.
    pub rounds: usize,
    /// The most links put in.
    pub links: usize,
    /// How many are tried each time.
    pub links_tried: usize,
    /// What one must gain.
    pub link_gain: f64,
    /// Joints whose loss is below this go.
    pub dispensable: f64,
    /// How many are tried each time.
    pub tried: usize,
    /// What a joint is missed grows with the inverse of the share of the body below it to this power.
    pub favour: f64,
    /// Down to this share.
    pub small: f64,
    /// Joints that bend less, in degrees, are missed less.
    pub bends: f64,
    /// Joints at the end of a limb go whose weight is nowhere above this.
    pub idle: f64,
    /// Segments are merged whose joint bends less than this, in degrees, where nothing else is changed about them.
    pub stiff: f64,
}

/// Of `strain`, in shares of the longest side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrainTuning {
    /// The error that a strain of one is worth at smoothness one. Twice as much, and the ends of short limbs no longer
    /// follow their joints all the way.
    pub worth: f64,
    /// Sweeps over all vertices, before and after they choose their joints. With as many again nothing changes that
    /// could be measured.
    pub sweeps: [usize; 2],
    /// Joints that a point may be moved by before it has to choose.
    pub candidates: usize,
    /// Over-relaxation: how far beyond the best a point goes, so that all settle in fewer sweeps.
    pub relaxation: f64,
    /// Distances from a joint are taken to be this much longer: a joint's own place is not known to a hair.
    pub around: f64,
}

/// What is used.
pub const TUNING: Tuning = Tuning {
    find: FindTuning {
        points_per_bone: 6,
        bones: 48,
        most_parts: 32,
        near_rigid: 0.01,
        poor_share: 0.5,
        poor_error: 1.0,
        rigid: 0.05,
    },
    parts: PartsTuning { least_piece: 0.004, rounds: [4, 3], sweeps: 4, held: 0.2, stop: 0.4, favour: 0.5 },
    blends: BlendTuning { near: 0.07, near_points: 2.5, kept: 0.02, lost: 0.1 },
    tree: TreeTuning { hold: 0.001, reach: 0.08, pull: 0.003, gap: 1.0 },
    linkage: LinkageTuning { hold: 1e-3, tried: 0.06 },
    anchors: AnchorTuning { hold: 1e-4, reach: 0.1, taut: 0.2, hinge: 0.05 },
    articulation: ArticulationTuning {
        turn_steps: 6,
        joint_steps: 10,
        last_steps: 20,
        worthwhile: 1e-4,
        straight: 2e-7,
    },
    search: SearchTuning {
        rounds: 2,
        links: 3,
        links_tried: 5,
        link_gain: 0.1,
        dispensable: 0.28,
        tried: 6,
        favour: 0.25,
        small: 0.02,
        bends: 20.0,
        idle: 0.5,
        stiff: 5.0,
    },
    strain: StrainTuning { worth: 0.008, sweeps: [20, 10], candidates: 8, relaxation: 1.6, around: 0.03 },
};

impl Default for Tuning {
    fn default() -> Self {
        TUNING
    }
}
